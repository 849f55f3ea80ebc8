//! The verdict comment: a record and its view become the context of `templates/comment/verdict-*.md`, shortened until the
//! whole fits.

use crate::domain::effect::EffectId;
use crate::domain::ids::Language;
use crate::domain::record::{Disposition, QuestionTo, Record, Role, TriageCause, Verdict};
use crate::domain::reply::Unjudged;
use crate::domain::view::{
    CapCause, ChildLine, LinkedProblem, Note, QuestionSubject, Reason, RollUpLine, Undecided, VerdictView,
};
use crate::render::neutral::{cell, code, mention, prose, shorten};
use crate::render::words::{self, Form, Standing, Words};
use crate::render::{COMMENT_LIMIT, RenderError, codec, phrase_questions};
use serde::Serialize;
use std::sync::LazyLock;
use tera::{Context, Tera};

/// See [`super::verdict_comment`]. A plan that fits only into a shortened comment stands in comments of its own.
pub(super) fn comment(record: &Record, view: &VerdictView, effect: &EffectId) -> Result<Posting, RenderError> {
    let marker = codec::marker(effect);
    let mut length = 0;
    let mut write = |machine: &str, details: &[Detail], parts: usize| -> Result<Option<String>, RenderError> {
        for detail in details {
            let human = render(record, view, *detail, parts)?;
            let body = format!("{marker}\n\n{human}\n\n{machine}");
            length = body.encode_utf16().count();
            if length <= COMMENT_LIMIT {
                return Ok(Some(body));
            }
        }
        Ok(None)
    };
    let mut parts = Vec::new();
    if let Some(split) = &view.split {
        let machine = codec::write_record_and_plan(record, &split.plan, view.language);
        if let Some(verdict) = write(&machine, &DETAILS[..1], 0)? {
            return Ok(Posting { parts, verdict });
        }
        parts = codec::write_plan_parts(&split.plan, effect, view.language);
    }
    match write(&codec::write_record(record), &DETAILS, parts.len())? {
        Some(verdict) => Ok(Posting { parts, verdict }),
        None => Err(RenderError::RecordTooLong(length)),
    }
}

/// A verdict's comment, and the comments that hold its plan where that does not fit: they are posted before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posting {
    /// Parts of the plan, in order; each has a marker of its own.
    pub parts: Vec<String>,
    /// The verdict.
    pub verdict: String,
}

/// How much of the view is shown.
#[derive(Clone, Copy)]
struct Detail {
    /// Entries of each list.
    items: usize,
    /// Characters of each text of others.
    characters: usize,
}

/// From everything to hardly anything.
const DETAILS: [Detail; 5] = [
    Detail { items: usize::MAX, characters: usize::MAX },
    Detail { items: 40, characters: 400 },
    Detail { items: 15, characters: 200 },
    Detail { items: 4, characters: 120 },
    Detail { items: 0, characters: 60 },
];

fn render(record: &Record, view: &VerdictView, detail: Detail, plan_parts: usize) -> Result<String, RenderError> {
    let tera = TEMPLATES.as_ref().map_err(|error| RenderError::Template(error.clone()))?;
    let failed = |error: &dyn std::error::Error| RenderError::Template(error.to_string());
    let context =
        Context::from_serialize(&Page::new(record, view, detail, plan_parts)).map_err(|error| failed(&error))?;
    let name = match view.language {
        Language::Ja => "verdict-ja.md",
        Language::En => "verdict-en.md",
    };
    let text = tera.render(name, &context).map_err(|error| failed(&error))?;
    Ok(fold_blank_lines(&text))
}

static TEMPLATES: LazyLock<Result<Tera, String>> = LazyLock::new(|| {
    let mut tera = Tera::new();
    tera.add_raw_templates([
        ("verdict-ja.md", include_str!("../../templates/comment/verdict-ja.md")),
        ("verdict-en.md", include_str!("../../templates/comment/verdict-en.md")),
    ])
    .map_err(|error| error.to_string())?;
    Ok(tera)
});

/// Templates may leave several blank lines; one is enough. No text of others holds a blank line.
fn fold_blank_lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut blank = false;
    for line in text.trim().lines() {
        let line = line.trim_end();
        if line.is_empty() {
            blank = true;
            continue;
        }
        if blank {
            out.push('\n');
        }
        blank = false;
        out.push_str(line);
        out.push('\n');
    }
    out.trim_end().to_owned()
}

#[expect(clippy::struct_excessive_bools, reason = "each is a question that a template asks")]
/// What a template sees. Every text is Markdown already; an empty one is "none".
#[derive(Serialize)]
struct Page {
    gate: String,
    gate_id: &'static str,
    standing: String,
    disposition: Disposition,
    verdict: &'static str,
    triage_cause: Option<TriageCause>,
    /// Only required fields were looked at.
    preflight: bool,
    model: String,
    confidence: String,
    reasons: Vec<String>,
    /// Both sides matched.
    mixed: bool,
    contract_broken: bool,
    /// Why a model's word is missing: `waits`, `operator`, `faulty`; empty where none is.
    unjudged: &'static str,
    /// Where judges contradict each other, and what none saw.
    judges: Vec<String>,
    waiting_level: String,
    /// Who a return goes to.
    to: &'static str,
    instructions: Vec<String>,
    questions: Vec<String>,
    swing: Option<Swing>,
    returns: Option<u32>,
    /// Where the fault most likely lies.
    cap_cause: Option<CapCause>,
    overridden: Option<Overridden>,
    builtin: String,
    secret_lines: String,
    hidden: Vec<String>,
    passed_undecided: Vec<String>,
    /// Criteria without an answer: open where a human waits for them, else in a fold.
    open_undecided: Vec<String>,
    folded_undecided: Vec<String>,
    undecided_count: usize,
    notices: Vec<String>,
    notices_count: usize,
    notify: Vec<String>,
    /// Lines of a passed split's children, each Markdown behind its bullet.
    children: Vec<String>,
    children_count: usize,
    task_list: bool,
    plan_refused: Vec<String>,
    /// The plan stands in so many comments before this one.
    plan_parts: usize,
    /// Rows of a passed integration's table.
    rollup: Vec<[String; 3]>,
    shortened: bool,
}

#[derive(Serialize)]
struct Swing {
    from: &'static str,
    to: &'static str,
}

#[derive(Serialize)]
struct Overridden {
    by: String,
    reason: String,
    until: String,
}

impl Page {
    fn new(record: &Record, view: &VerdictView, detail: Detail, plan_parts: usize) -> Self {
        let words = words::words(view.language);
        let list = Listing { words, detail };
        let form = Form::Markdown(detail.characters);
        let text = |text: &str| prose(&shorten(text, detail.characters));

        let reasons = if view.reasons.is_empty() {
            record.reasons.iter().map(|reason| text(reason)).collect()
        } else {
            words::reasons(view.language, &view.reasons, form)
        };
        let mut instructions: Vec<String> =
            view.reasons.iter().filter_map(|reason| words.instruction(reason, form)).collect();
        instructions.dedup();
        let phrased = phrase_questions(view);
        let asked = if record.questions.is_empty() { &phrased } else { &record.questions };
        let questions = asked.iter().enumerate();
        let questions = questions.map(|(at, asked)| question(words, at + 1, asked.to, &text(&asked.text))).collect();

        let open = undecided(view, |note| match note {
            Note::NotDecided(undecided) => Some(undecided),
            _ => None,
        });
        let passed = undecided(view, |note| match note {
            Note::PassedUndecided(undecided) => Some(undecided),
            _ => None,
        });
        // What stands in the open is not said again in the fold.
        let folded: Vec<Undecided> =
            view.undecided.iter().filter(|one| !open.contains(one) && !passed.contains(one)).cloned().collect();
        let notices: Vec<&LinkedProblem> = view
            .notes
            .iter()
            .filter_map(|note| match note {
                Note::ContractNotices(problems) => Some(problems),
                _ => None,
            })
            .flatten()
            .collect();
        let waits = matches!(record.disposition, Disposition::Triage | Disposition::NotJudged);

        Self {
            gate: words.full_gate(record.gate),
            gate_id: record.gate.as_str(),
            standing: words.standing(Standing {
                disposition: record.disposition,
                verdict: record.verdict,
                cause: record.triage_cause,
            }),
            disposition: record.disposition,
            verdict: record.verdict.map_or("", Verdict::as_str),
            triage_cause: record.triage_cause,
            preflight: record.verdict.is_some() && record.model.is_none(),
            model: record.model.as_deref().filter(|_| record.verdict.is_some()).map_or_else(String::new, &text),
            confidence: record.confidence.map_or("", confidence).to_owned(),
            reasons: list.cut(reasons),
            mixed: words::mixed(&view.reasons),
            contract_broken: view.reasons.iter().any(|reason| matches!(reason, Reason::ContractBroken { .. })),
            unjudged: view.reasons.iter().find_map(unjudged).unwrap_or_default(),
            judges: list.cut(view.notes.iter().flat_map(|note| judges(view.language, note, form)).collect()),
            waiting_level: view.waiting_level.as_deref().map_or_else(String::new, &text),
            to: words.role(record.return_to.unwrap_or(Role::IssueAuthor)),
            instructions: list.cut(instructions),
            questions: list.cut(questions),
            swing: view.questions.iter().find_map(|asked| match asked.subject {
                QuestionSubject::Oscillation { from, to } => Some(Swing { from: from.as_str(), to: to.as_str() }),
                _ => None,
            }),
            returns: view.notes.iter().find_map(|note| match note {
                Note::CapReached { returns, .. } => Some(*returns),
                _ => None,
            }),
            cap_cause: view.notes.iter().find_map(|note| match note {
                Note::CapReached { cause, .. } => Some(*cause),
                _ => None,
            }),
            overridden: record.overridden.as_ref().map(|human| Overridden {
                by: code(human.by.as_str()),
                reason: text(&human.reason),
                until: human.until.map_or_else(String::new, |until| until.format("%Y-%m-%d %H:%M UTC").to_string()),
            }),
            builtin: view.notes.iter().find_map(builtin).unwrap_or_default(),
            secret_lines: view.notes.iter().find_map(|note| secret_lines(words, note)).unwrap_or_default(),
            hidden: view.notes.iter().filter_map(|note| hidden(words, note)).collect(),
            passed_undecided: list.undecided(passed),
            open_undecided: list.undecided(open),
            folded_undecided: list.undecided(&folded),
            undecided_count: folded.len(),
            notices_count: notices.len(),
            notices: list.cut(notices.into_iter().map(|notice| words::problem(notice, form)).collect()),
            notify: if waits { view.notify.iter().map(|name| mention(name)).collect() } else { Vec::new() },
            children: view
                .split
                .iter()
                .flat_map(|split| &split.children)
                .map(|child| child_line(words, child, detail))
                .collect(),
            children_count: view.split.as_ref().map_or(0, |split| split.children.len()),
            task_list: view.split.as_ref().is_some_and(|split| split.task_list),
            plan_refused: list.cut(refused(view).iter().map(|words| text(words)).collect()),
            plan_parts,
            rollup: view.rollup.iter().map(|line| rollup_row(words, line, detail)).collect(),
            shortened: detail.items != usize::MAX,
        }
    }
}

/// `#26 title ← parent requirement "…"`.
fn child_line(words: &dyn Words, child: &ChildLine, detail: Detail) -> String {
    let text = |text: &str| prose(&shorten(text, detail.characters));
    let mut line = child.number.map_or_else(String::new, |number| format!("#{number} "));
    line.push_str(&text(&child.title));
    if let Some(requirement) = &child.requirement {
        line.push_str(" ← ");
        line.push_str(&code(&shorten(requirement, detail.characters)));
    }
    if !child.after.is_empty() {
        let numbers: Vec<String> = child.after.iter().map(|number| format!("#{number}")).collect();
        line.push_str(&words.after(&numbers.join(", ")));
    }
    line
}

fn rollup_row(words: &dyn Words, line: &RollUpLine, detail: Detail) -> [String; 3] {
    let requirement = if line.requirement.is_empty() { "–".to_owned() } else { cell(&line.requirement) };
    let title = cell(&shorten(&line.title, detail.characters));
    [requirement, format!("#{} {title}", line.number), words.result(&line.result)]
}

fn refused(view: &VerdictView) -> &[String] {
    let found = view.notes.iter().find_map(|note| match note {
        Note::PlanRefused(words) => Some(words.as_slice()),
        _ => None,
    });
    found.unwrap_or_default()
}

/// Lists as long as the detail allows.
struct Listing {
    words: &'static dyn Words,
    detail: Detail,
}

impl Listing {
    fn cut(&self, mut items: Vec<String>) -> Vec<String> {
        if items.len() > self.detail.items {
            let more = items.len() - self.detail.items;
            items.truncate(self.detail.items);
            items.push(self.words.more(more));
        }
        items
    }

    fn undecided(&self, undecided: &[Undecided]) -> Vec<String> {
        let short = |text: &str| shorten(text, self.detail.characters);
        let line = |one: &Undecided| format!("{} {}", code(&short(one.id.as_str())), prose(&short(&one.text)));
        self.cut(undecided.iter().map(line).collect())
    }
}

fn undecided(view: &VerdictView, pick: fn(&Note) -> Option<&Vec<Undecided>>) -> &[Undecided] {
    view.notes.iter().find_map(pick).map_or(&[], Vec::as_slice)
}

fn question(words: &dyn Words, number: usize, to: QuestionTo, text: &str) -> String {
    format!("Q{number} ({}) {text}", words.addressee(to))
}

fn confidence(confidence: crate::domain::record::Confidence) -> &'static str {
    match confidence {
        crate::domain::record::Confidence::High => "high",
        crate::domain::record::Confidence::Low => "low",
    }
}

fn unjudged(reason: &Reason) -> Option<&'static str> {
    let Reason::Unjudged { why, looks_again } = reason else { return None };
    Some(match why {
        Unjudged::Faulty { .. } => "faulty",
        // Nobody looks again by itself: as with anything else that was not judged.
        _ if !looks_again => "",
        Unjudged::Unmapped { .. } | Unjudged::NoSecondOpinion { .. } => "operator",
        Unjudged::Failed { .. } | Unjudged::Resting { .. } | Unjudged::UsedUp { .. } => "waits",
    })
}

fn judges(language: Language, note: &Note, form: Form) -> Vec<String> {
    match note {
        Note::Disagreed(all) => all.iter().map(|one| words::disagreed(language, one, form)).collect(),
        Note::Steering { note, quote } => vec![words::steering(language, note, quote.as_deref(), form)],
        Note::NotShown(sections) => vec![words::not_shown(language, sections, form)],
        _ => Vec::new(),
    }
}

fn builtin(note: &Note) -> Option<String> {
    let Note::BuiltinContract(name) = note else { return None };
    Some(code(name))
}

fn secret_lines(words: &dyn Words, note: &Note) -> Option<String> {
    let Note::SecretSeen(lines) = note else { return None };
    Some(words.lines(lines))
}

fn hidden(words: &dyn Words, note: &Note) -> Option<String> {
    let Note::Hidden(hidden) = note else { return None };
    Some(words.hidden(hidden))
}
