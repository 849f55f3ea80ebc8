//! English.

use super::judges::unjudged;
use super::{Form, Standing, Words, judged, numbering, table, unless_fresh};
use crate::domain::contract::{FieldType, Side};
use crate::domain::ids::{GateId, Language};
use crate::domain::plan::{PlanDefect, PlanProblemKind};
use crate::domain::record::{Disposition, QuestionTo, Role};
use crate::domain::text::HiddenKind;
use crate::domain::view::{ChildResult, GateStatus, HiddenNote, Reason, ReplyKind};
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
            Reason::InChild { child, reason } => format!("{}: {}", form.prose(child), self.reason(reason, form)),
            Reason::NoPlan => "There is no split plan: no headings, table or YAML with `children`".to_owned(),
            Reason::PlanUnreadable { line, problem } => {
                let what = match problem {
                    PlanProblemKind::Syntax(words) => format!("it cannot be read as YAML: {}", form.message(words)),
                    PlanProblemKind::NoTitle { child } => format!("children[{child}] has no title"),
                    PlanProblemKind::NoBody { child } => format!("children[{child}] has no body"),
                };
                format!("Line {line} of the plan: {what}")
            }
            Reason::PlanDefect { defect, children } => defective(defect, children, form),
            Reason::SeveralPlans(plans) => {
                format!("One text holds {plans} whole plans. Which one is meant? Leave only that one")
            }
            Reason::Signal { text, quote: found, line, places, note, children, .. } => {
                let mut out = form.prose(text);
                if !children.is_empty() {
                    let names: Vec<String> = children.iter().map(|child| form.prose(child)).collect();
                    out = format!("{}: {out}", names.join(", "));
                }
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
            Reason::Unjudged { why, .. } => unjudged(Language::En, why, form),
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
            Reason::InChild { child, reason } => {
                return self.instruction(reason, form).map(|what| format!("{}: {what}", form.prose(child)));
            }
            Reason::NoPlan => "Write headings `Child 1: …`, a table, or YAML with `children`".to_owned(),
            Reason::PlanUnreadable { line, .. } => format!("Mend line {line} of the plan"),
            Reason::PlanDefect { defect, .. } => match defect {
                PlanDefect::SelfDependency { .. } | PlanDefect::BadIndex { .. } => {
                    "Let each child depend on other children of the plan only".to_owned()
                }
                PlanDefect::DuplicateNumber { .. } => "Give each child a number of its own".to_owned(),
                PlanDefect::BadRequirementIndex { .. } => "Map requirements to children of the plan only".to_owned(),
            },
            Reason::SeveralPlans(_)
            | Reason::FieldsPresent(_)
            | Reason::NoneMatched { .. }
            | Reason::ContractBroken { .. }
            | Reason::Unjudged { .. }
            | Reason::GaveUp { .. } => return None,
        })
    }

    fn after(&self, numbers: &str) -> String {
        format!(" (after {numbers})")
    }

    fn result(&self, result: &ChildResult) -> String {
        match result {
            ChildResult::Passed { report: None } => "passed".to_owned(),
            ChildResult::Passed { report: Some(url) } => crate::render::neutral::link("passed", Some(url)),
            ChildResult::NotPlanned => "not planned".to_owned(),
            ChildResult::NoOutcome => "no result".to_owned(),
            ChildResult::Open => "open".to_owned(),
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
            ReplyKind::NoReport => {
                "There is no report to judge. A report is a comment with a heading of the contract's report, by somebody with triage or more or by one of `trusted_apps`.".to_owned()
            }
            ReplyKind::ChildUnclear { found } => {
                let found: Vec<String> = found.iter().map(|number| format!("#{number}")).collect();
                let found = if found.is_empty() { "none".to_owned() } else { found.join(", ") };
                format!("It is not clear which issue this pull request reports on (found: {found}). Write one `Closes #N` or `Refs #N`.")
            }
            ReplyKind::NothingToOverride { gate } => format!(
                "The {} gate has not judged the text of now. Judge it first with `/gate {gate}`.",
                lower(*gate)
            ),
            ReplyKind::BadOverride { command } => format!(
                "{} cannot be read. Write `/gate override <gate> --reason \"why\"`, with a reason of at most 500 characters.",
                named(command)
            ),
            ReplyKind::PassedAlready { gate } => format!("The {} gate has passed already.", lower(*gate)),
            ReplyKind::NoRoom => "With the answer the body would be longer than the 65,536 characters that GitHub takes. Shorten the body, then answer again.".to_owned(),
            ReplyKind::NoSuchQuestion { number } => format!("The newest verdict asks no Q{number}."),
            ReplyKind::WrongSubject { gate } => {
                format!("The {} gate judges issues, not pull requests.", lower(*gate))
            }
            ReplyKind::Capped { gate, returns } => format!(
                "The {} gate has stopped after {returns} returns in a row. `/gate retry {gate}` (write or more) or a change of the contract starts it again.",
                lower(*gate)
            ),
            ReplyKind::NothingToRetry => "There is no verdict to retry yet. `/gate help` lists the commands.".into(),
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

fn defective(defect: &PlanDefect, children: &[String], form: Form) -> String {
    let name = |child: &usize| children.get(*child).map_or_else(|| format!("[{child}]"), |name| form.prose(name));
    match defect {
        PlanDefect::SelfDependency { child } => format!("{} depends on itself", name(child)),
        PlanDefect::BadIndex { child, written } => {
            format!("{} depends on {}, which is no child of this plan", name(child), quote(form, written))
        }
        PlanDefect::DuplicateNumber { child, written } => {
            format!("{} has the number {} of another child", name(child), quote(form, written))
        }
        PlanDefect::BadRequirementIndex { parent_requirement, written } => {
            let requirement = quote(form, parent_requirement);
            format!("{requirement} is mapped to {}, which is no child of this plan", quote(form, written))
        }
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
        "/gate answer Q1 …",
        "Answers a question: the answer goes into the body, which is judged again".to_owned(),
        "the author, or triage or more",
    ));
    rows.push(row(
        "/gate override gate --reason \"…\"",
        "Lets a text go on for a stated reason, until it is edited".to_owned(),
        "write or more",
    ));
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
