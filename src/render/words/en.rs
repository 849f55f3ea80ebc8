//! English.

use super::{Form, Standing, Words, judged, numbering, table, unless_fresh};
use crate::domain::contract::{FieldType, Side};
use crate::domain::ids::GateId;
use crate::domain::record::{Disposition, QuestionTo, Role};
use crate::domain::text::HiddenKind;
use crate::domain::view::{GateStatus, HiddenNote, QuestionSubject, Reason, ReplyKind};
use crate::render::neutral::{cell, code, shorten};

/// English.
pub(super) struct En;

fn quote(form: Form, text: &str) -> String {
    form.quote(text, ("\"", "\""))
}

fn place(line: Option<u32>, places: usize) -> String {
    let more = match places {
        0 | 1 => String::new(),
        2 => "1 more place".to_owned(),
        n => format!("{} more places", n - 1),
    };
    match line {
        None if more.is_empty() => String::new(),
        None => format!(" (and {more})"),
        Some(line) if more.is_empty() => format!(" (line {line})"),
        Some(line) => format!(" (line {line} and {more})"),
    }
}

fn side(side: Side) -> &'static str {
    match side {
        Side::TooAbstract => "too abstract",
        Side::TooConcrete => "too concrete",
    }
}

impl Words for En {
    fn gate(&self, gate: GateId) -> &'static str {
        match gate {
            GateId::Acceptance => "Acceptance",
            GateId::Split => "Split",
            GateId::Start => "Start",
            GateId::Outcome => "Outcome",
            GateId::Integration => "Integration",
            GateId::Diagnosis => "Diagnosis",
            GateId::Critic => "Critic",
            GateId::Openspec => "OpenSpec",
            GateId::Duck => "Rubber duck",
        }
    }

    fn full_gate(&self, gate: GateId) -> String {
        format!("{} gate", self.gate(gate))
    }

    fn standing(&self, standing: Standing) -> String {
        standing.with(match standing.disposition {
            Disposition::Passed => "",
            Disposition::Returned => "Returned",
            Disposition::Triage => "Triage",
            Disposition::NotJudged => "Not judged",
            Disposition::Overridden => "Overridden",
        })
    }

    fn role(&self, role: Role) -> &'static str {
        match role {
            Role::IssueAuthor => "the issue's author",
            Role::Decomposer => "whoever split the parent",
            Role::Worker => "the worker",
            Role::Implementation => "the implementation",
        }
    }

    fn addressee(&self, to: QuestionTo) -> &'static str {
        match to {
            QuestionTo::IssueAuthor => "to the issue's author",
            QuestionTo::ContractPr => "as a change of the contract",
        }
    }

    fn reason(&self, reason: &Reason, form: Form) -> String {
        match reason {
            Reason::MissingField { field, near_miss: None } => {
                format!("The required heading {} is missing", quote(form, field))
            }
            Reason::MissingField { field, near_miss: Some(near) } => {
                format!("The required heading {} is missing; {} is another name", quote(form, field), quote(form, near))
            }
            Reason::EmptyField { field } => format!("{} is empty or still a placeholder", quote(form, field)),
            Reason::BadField { field, expected, found } => {
                let field = quote(form, field);
                let what = match expected {
                    FieldType::Text => format!("{field} cannot be read"),
                    FieldType::Integer => format!("{field} is not an integer"),
                    FieldType::Numbered(prefix) => {
                        format!("The items of {field} are not numbered {}", numbering(prefix, form))
                    }
                    FieldType::Table => format!("{field} holds no table"),
                    FieldType::Link => format!("{field} holds no link"),
                };
                if found.trim().is_empty() { what } else { format!("{what}: {}", quote(form, found)) }
            }
            Reason::Signal { text, quote: found, line, places, note, .. } => {
                let mut out = form.prose(text);
                if let Some(found) = found {
                    out = format!("{out}: {}{}", quote(form, found), place(*line, *places));
                }
                if let Some(note) = note.as_deref().filter(|note| !note.trim().is_empty()) {
                    out = format!("{out} — {}", form.message(note));
                }
                out
            }
            Reason::FieldsPresent(fields) => {
                let names: Vec<String> = fields.iter().map(|field| form.prose(field)).collect();
                let all = match fields.len() {
                    1 => "The 1 required field is".to_owned(),
                    n => format!("All {n} required fields are"),
                };
                format!("{all} filled in: {}", names.join(", "))
            }
            Reason::NoneMatched { side: which, checked } => {
                format!("No sign of \"{}\" ({checked} checked)", side(*which))
            }
            Reason::ContractBroken { problems } => match problems.len() {
                1 => "The contract has 1 error".to_owned(),
                n => format!("The contract has {n} errors"),
            },
            Reason::GaveUp { error, attempts } => {
                let times = if *attempts == 1 { "1 attempt".to_owned() } else { format!("{attempts} attempts") };
                format!("The run gave up after {times}: {}", form.message(error))
            }
        }
    }

    fn instruction(&self, reason: &Reason, form: Form) -> Option<String> {
        Some(match reason {
            Reason::MissingField { field, near_miss: None } => {
                format!("Add the heading {} and fill it in", quote(form, field))
            }
            Reason::MissingField { field, near_miss: Some(near) } => {
                format!("Rename the heading {} to {}", quote(form, near), quote(form, field))
            }
            Reason::EmptyField { field } => {
                format!("Fill in {} (write \"N/A\" where nothing applies)", quote(form, field))
            }
            Reason::BadField { field, expected, .. } => {
                let field = quote(form, field);
                match expected {
                    FieldType::Text => format!("Write {field} anew"),
                    FieldType::Integer => format!("Write an integer in {field}"),
                    FieldType::Numbered(prefix) => {
                        format!("Number the items of {field} {}", numbering(prefix, form))
                    }
                    FieldType::Table => format!("Write a table in {field}"),
                    FieldType::Link => format!("Write a link in {field}"),
                }
            }
            Reason::Signal { side: Side::TooAbstract, text, quote: None, .. } => {
                format!("Add what is missing, so that \"{}\" no longer holds", form.prose(text))
            }
            Reason::Signal { side: Side::TooConcrete, text, quote: None, .. } => {
                format!("Take out what makes \"{}\" hold", form.prose(text))
            }
            Reason::Signal { side, text, quote: Some(found), line, places, .. } => {
                let found = format!("{}{}", quote(form, found), place(*line, *places));
                match side {
                    Side::TooAbstract => format!("Rewrite {found} so that \"{}\" no longer holds", form.prose(text)),
                    Side::TooConcrete => format!("Take out {found}"),
                }
            }
            Reason::FieldsPresent(_)
            | Reason::NoneMatched { .. }
            | Reason::ContractBroken { .. }
            | Reason::GaveUp { .. } => return None,
        })
    }

    fn question(&self, subject: &QuestionSubject) -> String {
        match subject {
            QuestionSubject::WorthTheCost => "Is the stated value worth the stated budget?".to_owned(),
            QuestionSubject::SplitParent => {
                "The definition of done is more than one review can judge. As two parent issues, where would you divide it?"
                    .to_owned()
            }
            QuestionSubject::Oscillation { from, to } => format!(
                "The verdict swung from {} to {}. Should the waiting level say anew what is written and what is left to the receiver?",
                from.as_str(),
                to.as_str()
            ),
        }
    }

    fn more(&self, count: usize) -> String {
        format!("{count} more")
    }

    fn hidden(&self, note: &HiddenNote) -> String {
        let count = note.characters;
        let s = if count == 1 { "" } else { "s" };
        let what = match note.kind {
            HiddenKind::ZeroWidth => format!("{count} character{s} without width inside words"),
            HiddenKind::Bidi => format!("{count} character{s} for the direction of text"),
            HiddenKind::Tags if count == 1 => "1 invisible tag character that spells a text".to_owned(),
            HiddenKind::Tags => format!("{count} invisible tag characters that spell a text"),
            HiddenKind::LookAlike => format!("{count} letter{s} of another script inside words"),
            HiddenKind::Comment => "a comment that gives an order".to_owned(),
            HiddenKind::Styled => "text styled so that it does not show".to_owned(),
        };
        format!(
            "Hidden text: {what} ({}): {}. It had no part in the verdict",
            self.lines(&note.lines),
            code(&note.shown)
        )
    }

    fn lines(&self, lines: &[u32]) -> String {
        let numbers: Vec<String> = lines.iter().map(u32::to_string).collect();
        format!("{} {}", if lines.len() == 1 { "line" } else { "lines" }, numbers.join(", "))
    }

    fn reply(&self, what: &ReplyKind) -> String {
        match what {
            ReplyKind::Help { gates } => help(gates),
            ReplyKind::Status { gates } => status(gates),
            ReplyKind::Refused { command, needs } => {
                format!("{} needs the {needs} permission or more.", named(command))
            }
            ReplyKind::UnknownCommand { command } => {
                format!("{} is not a command. `/gate help` lists them.", named(command))
            }
            ReplyKind::NotDeclared { gate, declared } => {
                let declared: Vec<String> = declared.iter().map(|gate| format!("`{gate}`")).collect();
                let declared = if declared.is_empty() { "none".to_owned() } else { declared.join(", ") };
                format!("The contract declares no {} gate. It declares: {declared}.", lower(*gate))
            }
            ReplyKind::NotEnabled { gate } => format!(
                "All required headings are there. The {} gate is not in the contract's `enabled_gates`, so nothing more is judged.",
                lower(*gate)
            ),
            ReplyKind::NotBuilt { gate } => {
                format!("This version of Sekisho cannot judge the {} gate yet.", lower(*gate))
            }
            ReplyKind::WrongSubject { gate } => {
                format!("The {} gate judges issues, not pull requests.", lower(*gate))
            }
            ReplyKind::Capped { gate, returns } => format!(
                "The {} gate has stopped after {returns} returns in a row. `/gate retry {gate}` (write or more) or a change of the contract starts it again.",
                lower(*gate)
            ),
            ReplyKind::NothingToRetry => {
                "There is no verdict to retry yet. `/gate help` lists the commands.".to_owned()
            }
        }
    }
}

/// A gate's name inside a sentence.
pub(super) fn lower(gate: GateId) -> String {
    match gate {
        GateId::Openspec => "OpenSpec".to_owned(),
        _ => En.gate(gate).to_lowercase(),
    }
}

fn named(command: &str) -> String {
    code(&shorten(command, 100))
}

fn help(gates: &[(GateId, String)]) -> String {
    let row = |command: &str, does: String, who: &str| [format!("`{command}`"), does, who.to_owned()];
    let mut rows: Vec<[String; 3]> = gates
        .iter()
        .map(|(gate, label)| {
            let does = format!("Judges the {} gate; so does the label {}", lower(*gate), cell(label));
            row(&format!("/gate {gate}"), does, "triage or more")
        })
        .collect();
    rows.push(row("/gate status", "Shows what stands at each gate".to_owned(), "anyone"));
    rows.push(row("/gate help", "Shows this table".to_owned(), "anyone"));
    rows.push(row(
        "/gate retry [gate]",
        "Counts returns from 0 and judges again; without a gate, the one judged last".to_owned(),
        "write or more",
    ));
    let table = table(["Command", "What it does", "Who may use it"], rows);
    format!(
        "**Commands**\n\n{table}\nA command stands at the beginning of a line. Quotes, code and HTML comments are not read."
    )
}

fn status(gates: &[GateStatus]) -> String {
    let rows = gates.iter().map(|status| {
        let gate = format!("{} {}", En.gate(status.gate), cell(&status.label));
        let Some(state) = &status.newest else {
            return [gate, "Not judged yet".to_owned(), "–".to_owned(), "–".to_owned()];
        };
        let to = state.return_to.map_or_else(String::new, |role| format!(" (to {})", En.role(role)));
        let standing = En.standing(state.into()) + &unless_fresh(state, " (stale: edited since)");
        [gate, standing + &to, format!("{} / {}", state.returns.0, state.returns.1), judged(state)]
    });
    format!("**Gates**\n\n{}", table(["Gate", "State", "Returns in a row", "Judged"], rows))
}
