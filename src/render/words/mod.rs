//! The words of comments that do not stand in a template: reasons, questions, instructions and replies. One file for each
//! language; a template's own sentences stand in `templates/comment/`.

mod en;
mod ja;
mod judges;
mod question;

pub(super) use judges::{disagreed, not_shown, steering, waiting};
pub(super) use question::question;

use crate::domain::contract::Side;
use crate::domain::ids::{GateId, Language};
use crate::domain::record::{Disposition, QuestionTo, Role, TriageCause, Verdict};
use crate::domain::view::{ChildResult, Freshness, GateState, HiddenNote, LinkedProblem, Reason, Reply, ReplyKind};
use crate::render::neutral;

/// What a reason is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// The record: plain text, since JSON needs no escaping of Markdown.
    Plain,
    /// A comment: every word of others is neutralised. At most so many characters of each.
    Markdown(usize),
}

impl Form {
    /// A contract's own words as running text.
    fn prose(self, text: &str) -> String {
        match self {
            Self::Plain => neutral::shorten(&neutral::visible(text), PLAIN_WORDS),
            Self::Markdown(most) => neutral::prose(&neutral::shorten(text, most)),
        }
    }

    /// Words of ours with names between backticks.
    fn message(self, text: &str) -> String {
        match self {
            Self::Plain => neutral::shorten(&neutral::visible(text), PLAIN_WORDS),
            Self::Markdown(most) => neutral::message(&neutral::shorten(text, most)),
        }
    }

    /// A quote: a code span in a comment, between these marks in the record.
    fn quote(self, text: &str, marks: (&str, &str)) -> String {
        match self {
            Self::Plain => format!("{}{}{}", marks.0, neutral::shorten(&neutral::visible(text), PLAIN_WORDS), marks.1),
            Self::Markdown(most) => neutral::code(&neutral::shorten(text, most)),
        }
    }
}

/// Most characters of one quoted or contract text in a record's reason.
const PLAIN_WORDS: usize = 300;

/// One language. What a method gives back for a comment is Markdown, ready to stand inside a line.
pub(super) trait Words: Sync {
    /// A gate's name without the word for gate: `Start`, `着手`.
    fn gate(&self, gate: GateId) -> &'static str;
    /// A gate's full name.
    fn full_gate(&self, gate: GateId) -> String;
    /// A gate's state after its mark; the heading of its comment and the cell of `/gate status`.
    fn standing(&self, standing: Standing) -> String;
    /// Who a return goes to.
    fn role(&self, role: Role) -> &'static str;
    /// Who a question goes to.
    fn addressee(&self, to: QuestionTo) -> &'static str;
    /// One reason, without a full stop. [`Reason::ContractBroken`] is several: see [`reasons`].
    fn reason(&self, reason: &Reason, form: Form) -> String;
    /// What goes before a reason where both sides matched.
    fn on_side(&self, side: Side, reason: &str) -> String {
        let verdict = match side {
            Side::TooAbstract => Verdict::TooAbstract,
            Side::TooConcrete => Verdict::TooConcrete,
        };
        format!("{}: {reason}", verdict.as_str())
    }
    /// The smallest instruction that mends a reason; none where there is nothing to mend.
    fn instruction(&self, reason: &Reason, form: Form) -> Option<String>;
    /// What a child of a task list waits for, behind its line.
    fn after(&self, numbers: &str) -> String;
    /// What came of a child, in a roll-up's cell.
    fn result(&self, result: &ChildResult) -> String;
    /// So many more reasons than are listed.
    fn more(&self, count: usize) -> String;
    /// Hidden text, made visible.
    fn hidden(&self, note: &HiddenNote) -> String;
    /// Line numbers, such as `lines 3 and 7`.
    fn lines(&self, lines: &[u32]) -> String;
    /// A short reply in one paragraph, or a table.
    fn reply(&self, what: &ReplyKind) -> String;
}

/// What stands at a gate, as far as the heading tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Standing {
    /// It decides the mark.
    pub(super) disposition: Disposition,
    /// Its words stand behind.
    pub(super) verdict: Option<Verdict>,
    /// A low PASS is not shown as a PASS.
    pub(super) cause: Option<TriageCause>,
}

impl Standing {
    /// The mark of the heading (chapter 3).
    fn mark(self) -> &'static str {
        match self.disposition {
            Disposition::Passed => "✅",
            Disposition::Returned => "🔴",
            Disposition::Triage => "🟣",
            Disposition::NotJudged => "⚪",
            Disposition::Overridden => "⚖️",
        }
    }

    /// The mark, the language's word for the disposition, and the verdict's words.
    fn with(self, word: &str) -> String {
        let mut text = self.mark().to_owned();
        let low = if self.cause == Some(TriageCause::LowPass) { " (low)" } else { "" };
        for part in [word, self.verdict.map_or("", Verdict::as_str)].into_iter().filter(|part| !part.is_empty()) {
            text.push(' ');
            text.push_str(part);
        }
        text + low
    }
}

/// The words of a language.
pub(super) fn words(language: Language) -> &'static dyn Words {
    match language {
        Language::Ja => &ja::Ja,
        Language::En => &en::En,
    }
}

/// Every reason of a view, one text each.
pub(super) fn reasons(language: Language, reasons: &[Reason], form: Form) -> Vec<String> {
    let words = words(language);
    let mixed = mixed(reasons);
    let mut texts = Vec::with_capacity(reasons.len());
    for reason in reasons {
        match reason {
            Reason::ContractBroken { problems } => {
                texts.extend(problems.iter().map(|linked| problem(linked, form)));
            }
            Reason::Signal { side, .. } if mixed => texts.push(words.on_side(*side, &words.reason(reason, form))),
            _ => texts.push(words.reason(reason, form)),
        }
    }
    texts
}

/// Whether signals of both sides matched.
pub(super) fn mixed(reasons: &[Reason]) -> bool {
    let has =
        |wanted: Side| reasons.iter().any(|reason| matches!(reason, Reason::Signal { side, .. } if *side == wanted));
    has(Side::TooAbstract) && has(Side::TooConcrete)
}

/// A table of `/gate help` or `/gate status`: every cell is Markdown already.
fn table<const N: usize>(head: [&str; N], rows: impl IntoIterator<Item = [String; N]>) -> String {
    let line = |cells: [&str; N]| format!("| {} |\n", cells.join(" | "));
    let mut text = line(head) + &line(["---"; N]);
    for row in rows {
        text.push_str(&line(std::array::from_fn(|at| row[at].as_str())));
    }
    text
}

/// Says of a pass that its text was edited since; nothing of the rest.
fn unless_fresh(state: &GateState, words: &str) -> String {
    match state.freshness {
        Freshness::Current => String::new(),
        Freshness::Stale => words.to_owned(),
    }
}

/// When a gate was judged, linked to its comment.
fn judged(state: &GateState) -> String {
    let at = state.judged_at.format("%Y-%m-%d %H:%M UTC").to_string();
    neutral::link(&at, state.comment_url.as_deref())
}

impl From<&GateState> for Standing {
    fn from(state: &GateState) -> Self {
        Self { disposition: state.disposition, verdict: state.verdict, cause: state.triage_cause }
    }
}

/// `file:line:column message — expected …`, and in a comment the offending line below.
pub(super) fn problem(linked: &LinkedProblem, form: Form) -> String {
    let problem = &linked.problem;
    let place = if problem.line == 0 {
        problem.path.clone()
    } else {
        format!("{}:{}:{}", problem.path, problem.line, problem.column)
    };
    let mut text = match form {
        Form::Plain => neutral::shorten(&neutral::visible(&place), PLAIN_WORDS),
        Form::Markdown(_) => neutral::link(&place, linked.url.as_deref()),
    };
    text.push(' ');
    text.push_str(&form.message(&problem.message));
    if !problem.expected.is_empty() {
        text.push_str(" — expected ");
        text.push_str(&form.message(&problem.expected));
    }
    if let (Form::Markdown(most), false) = (form, problem.source.trim().is_empty()) {
        text.push_str("\\\n  ");
        text.push_str(&neutral::code(&neutral::shorten(&problem.source, most)));
    }
    text
}

/// A reply's text, without its marker.
pub(super) fn reply(reply: &Reply) -> String {
    words(reply.language).reply(&reply.what)
}

/// The numbering that a `numbered` field asks for: `AC-1, AC-2 …`.
fn numbering(prefix: &str, form: Form) -> String {
    form.prose(&format!("{prefix}-1, {prefix}-2 …"))
}
