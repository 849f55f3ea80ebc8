//! The report of a trial: figures for machines, and a page that a person reads in ten seconds.

use super::forms::Lacking;
use super::tally::{Cause, CauseKind, Heading, Tally};
use crate::domain::ids::GateId;
use crate::domain::text::{clip, is_invisible};
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use serde::Serialize;
use std::fmt::Write as _;

/// Rows of a table; JSON has all.
const ROWS: usize = 8;
/// Longest quote in a table, in characters.
const QUOTE: usize = 40;

/// What a trial found out.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    /// Where the contract came from.
    pub contract: String,
    /// Open issues that were judged.
    pub issues: usize,
    /// Pull requests that were left out.
    pub pull_requests: usize,
    /// Closed issues that were left out.
    pub closed: usize,
    /// What each gate would do.
    pub gates: Vec<Tally>,
    /// Gates that were not tried, since `enabled_gates` leaves them out.
    pub left_out: Vec<GateId>,
    /// Where forms were looked for; null where there is no such place.
    pub forms_in: Option<String>,
    /// Each form, with what it lacks.
    pub forms: Vec<FormReport>,
    /// Forms that could not be read, with why.
    pub unread: Vec<String>,
}

/// A form against the gates that were tried.
#[derive(Debug, Serialize)]
pub(super) struct FormReport {
    /// Its file's name.
    pub file: String,
    /// What each gate misses in it.
    pub gates: Vec<GateForm>,
}

/// A form against one gate.
#[derive(Debug, Serialize)]
pub(super) struct GateForm {
    /// The gate.
    pub gate: GateId,
    /// How many headings it requires.
    pub required: usize,
    /// Those that the form lacks.
    pub lacking: Vec<Lacking>,
}

impl Report {
    /// For machines.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// For people, as wide as that many cells.
    pub fn text(&self, width: u16) -> String {
        let mut text = String::new();
        for tally in &self.gates {
            text.push_str(&verdicts(tally));
        }
        let mut apart = Vec::new();
        apart.extend((self.pull_requests > 0).then(|| counted(self.pull_requests, "pull request")));
        apart.extend((self.closed > 0).then(|| counted(self.closed, "closed issue")));
        if !apart.is_empty() {
            let _ = writeln!(text, "Left out: {}.", apart.join(" and "));
        }
        for gate in &self.left_out {
            let _ = writeln!(text, "Not tried: the {gate} gate is not in `enabled_gates`; --gate {gate} tries it.");
        }
        for tally in &self.gates {
            text.push_str(&causes(tally, width));
            text.push_str(&headings(tally, width));
        }
        text.push_str(&self.of_forms(width));
        text
    }

    fn of_forms(&self, width: u16) -> String {
        let Some(place) = &self.forms_in else {
            return "\nNo issue forms found; --forms names their folder.\n".to_owned();
        };
        let mut text = format!("\nIssue forms in {}: ", shown(place));
        let good = |form: &&FormReport| form.gates.iter().any(|gate| gate.lacking.is_empty());
        let lacking = self.forms.iter().filter(|form| !good(form)).count();
        match (self.forms.len(), lacking) {
            (0, _) => text.push_str("none.\n"),
            (all, 0) => {
                let _ = writeln!(text, "each of the {all} has every heading that a gate requires.");
            }
            (all, some) => {
                let _ = writeln!(text, "{some} of {all} lack a required heading; what is filed with them is returned.");
            }
        }
        if !self.forms.is_empty() {
            let gates = self.gates.iter().map(|tally| format!("the {} gate misses", tally.gate));
            let mut table = table(width, std::iter::once("form".to_owned()).chain(gates));
            for form in &self.forms {
                let lacks = self.gates.iter().map(|tally| form.lacks(tally.gate));
                table.add_row(std::iter::once(shown(&form.file)).chain(lacks));
            }
            let _ = writeln!(text, "{}", table.trim_fmt());
        }
        for unread in &self.unread {
            let _ = writeln!(text, "Not read: {}", shown(unread));
        }
        text
    }
}

impl FormReport {
    fn lacks(&self, gate: GateId) -> String {
        let Some(found) = self.gates.iter().find(|found| found.gate == gate) else { return "nothing".to_owned() };
        let one = |lack: &Lacking| match &lack.near_miss {
            Some(near) => format!("{} (has: {})", shown(&lack.heading), quote(near)),
            None => shown(&lack.heading),
        };
        match found.lacking.len() {
            0 => "nothing".to_owned(),
            all if all == found.required && found.lacking.iter().all(|lack| lack.near_miss.is_none()) => {
                format!("all {all}")
            }
            _ => found.lacking.iter().map(one).collect::<Vec<_>>().join(", "),
        }
    }
}

/// The line that everyone reads.
fn verdicts(tally: &Tally) -> String {
    let mut line =
        format!("{} of {} would pass the {} gate", tally.passed, counted(tally.issues, "open issue"), tally.gate);
    let mut rest = Vec::new();
    if tally.returned > 0 {
        let (abstracts, concretes) = (tally.too_abstract, tally.too_concrete);
        rest.push(format!("{} returned ({abstracts} TOO_ABSTRACT, {concretes} TOO_CONCRETE)", tally.returned));
    }
    rest.extend((tally.triage > 0).then(|| format!("{} left to a human", tally.triage)));
    rest.extend((tally.not_judged > 0).then(|| format!("{} not judged", tally.not_judged)));
    if !rest.is_empty() {
        let _ = write!(line, "; {}", rest.join(", "));
    }
    line.push_str(".\n");
    if !tally.undecided.is_empty() {
        let names: Vec<String> = tally.undecided.iter().map(|signal| shown(signal.id.as_str())).collect();
        let _ = writeln!(line, "  No rule decides, so a model would be asked: {}.", names.join(", "));
    }
    line
}

fn causes(tally: &Tally, width: u16) -> String {
    if tally.causes.is_empty() {
        return String::new();
    }
    let mut table = table(width, ["issues", "returned for", "such as"].map(str::to_owned));
    for cause in tally.causes.iter().take(ROWS) {
        table.add_row([cause.issues.to_string(), why(cause), examples(cause)]);
    }
    right(&mut table);
    let more = more(tally.causes.len());
    format!("\nWhat the {} gate returns most{more}:\n{}\n", tally.gate, table.trim_fmt())
}

fn why(cause: &Cause) -> String {
    let id = shown(&cause.id);
    match (cause.kind, &cause.text) {
        (CauseKind::MissingHeading, _) => format!("no heading “{id}”"),
        (CauseKind::EmptySection, _) => format!("nothing under “{id}”"),
        (CauseKind::WrongType, _) => format!("wrong form under “{id}”"),
        (CauseKind::Signal, Some(text)) if *text != cause.id => format!("{id}: {}", shown(text)),
        (CauseKind::Signal, _) => id,
    }
}

fn examples(cause: &Cause) -> String {
    let one = |example: &super::tally::Example| match &example.quote {
        Some(words) => format!("#{} {}", example.number, quote(words)),
        None => format!("#{}", example.number),
    };
    cause.examples.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn headings(tally: &Tally, width: u16) -> String {
    let missing: Vec<&Heading> = tally.headings.iter().filter(|heading| heading.missing + heading.empty > 0).collect();
    if missing.is_empty() {
        return String::new();
    }
    let columns = ["missing", "empty", "required heading", "nearest headings seen"];
    let mut table = table(width, columns.map(str::to_owned));
    for heading in missing.iter().take(ROWS) {
        let near = heading.near_misses.iter().take(3).map(|near| format!("{} ×{}", quote(&near.heading), near.issues));
        let near = near.collect::<Vec<_>>().join(", ");
        table.add_row([heading.missing.to_string(), heading.empty.to_string(), shown(&heading.name), near]);
    }
    right(&mut table);
    if let Some(column) = table.column_mut(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let more = more(missing.len());
    format!("\nHeadings that issues lack at the {} gate{more}:\n{}\n", tally.gate, table.trim_fmt())
}

fn more(rows: usize) -> String {
    if rows > ROWS { format!(" ({ROWS} of {rows}; --format json has all)") } else { String::new() }
}

fn table(width: u16, head: impl IntoIterator<Item = String>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
    table.set_header(head.into_iter().collect::<Vec<_>>());
    table
}

fn right(table: &mut Table) {
    if let Some(column) = table.column_mut(0) {
        column.set_cell_alignment(CellAlignment::Right);
    }
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// Words of others on one line of a terminal: nothing in them moves the cursor, hides or turns what stands around.
fn shown(text: &str) -> String {
    text.chars().filter(|c| !is_invisible(*c)).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn quote(text: &str) -> String {
    let text = shown(text);
    let cut = clip(text.trim(), QUOTE);
    if cut.len() < text.trim().len() { format!("“{cut}…”") } else { format!("“{cut}”") }
}
