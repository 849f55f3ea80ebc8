//! What a model is asked, and what of its reply is believed (chapter 4). A model only finds; all of it is checked here.
//!
//! The way of a reply: [`Questions`] say what is asked, [`check`] makes an [`Answer`] of what came back or says
//! everything that is wrong with it, [`unite()`] puts that beside what the rules found. A reply has no place in which a
//! verdict could stand; its few sentences for people come out short, masked, and only where a comment neutralises them.

mod cost;
mod family;
mod fault;
mod json;
mod judged;
mod place;
mod prices;
mod prose;
mod questions;
mod receipt;
mod said;
mod schema;
mod shown;
mod unite;

pub use cost::{Budget, MicroDollars, NoAmount, Price, Spent};
pub use family::{family, independent};
pub use fault::Fault;
pub use json::Json;
pub use judged::{Judged, Paid, ReceiptRef, Scope, Unjudged};
pub use prices::price;
pub use questions::{Key, Questions};
pub use receipt::{Receipt, Usage};
pub use schema::schema;
pub use shown::{shown, shown_line};
pub use unite::{Conflict, United, unite};

use crate::domain::finding::{Answer, Basis, Criterion, Finding, Quote};
use place::Texts;
use prose::Prose;
use said::{Said, SaidFinding};
use serde::{Deserialize, Serialize};

/// What came back from a model, before anything of it is believed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RawReply {
    /// The model's name, as it was returned.
    pub model: String,
    /// The text, or the arguments of the forced tool as JSON.
    pub text: String,
    /// How it ended.
    pub stop: Stop,
}

/// How a reply ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// By itself, or in a way that the provider does not name: whether it is whole is seen in its JSON.
    Complete,
    /// At the limit of its length.
    CutOff,
    /// The model, or a filter of the provider, would not answer.
    Refused,
}

/// A reply that can be believed to be one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// Every criterion that was asked, decided.
    pub answer: Answer,
    /// What the model wants to know.
    pub questions: Vec<ModelQuestion>,
    /// What it noticed that no criterion covers: material for an axis-question, never a reason.
    pub beyond: Vec<Beyond>,
    /// Sentences that were left out: in another language, or our own words repeated.
    pub left_out: usize,
}

impl Checked {
    /// The reply of a model that saw a part of the subject only: what did not match may do so in the rest.
    #[must_use]
    pub fn of_a_part(mut self) -> Self {
        for finding in self.answer.findings.iter_mut().filter(|finding| !finding.matched) {
            finding.basis = Basis::Interpretation;
        }
        self
    }
}

/// A question of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelQuestion {
    /// What it is about.
    pub about: About,
    /// The question, one line, masked.
    pub text: String,
}

/// What a question is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// The task: it dies with it.
    Task,
    /// The criteria: it outlives the task.
    Criteria,
}

/// Something that no criterion covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beyond {
    /// What it is.
    pub kind: BeyondKind,
    /// What, one line, masked.
    pub note: String,
    /// Where, if the place it gave is there.
    pub quote: Option<Quote>,
}

/// What a model noticed beside the criteria.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BeyondKind {
    /// Something that would stop the receiver: is it to be a criterion?
    Uncovered,
    /// A text that tries to steer its judge. It is told, and asks nobody anything.
    Steering,
}

/// Longest reply that is read, in bytes. Two hundred criteria with long quotes stay below.
pub const LONGEST: usize = 256 * 1024;

/// Most questions and things beyond that are kept of a reply.
const MOST_KEPT: usize = 5;

/// Checks a reply: its shape, each criterion once, each quote where it is said to stand. `kept` is what of the prompt
/// no sentence of the reply may give away. Work is linear in the reply, and for each quote in the subject.
///
/// # Errors
/// Everything that is wrong with it, for the one time that it is asked for again.
pub fn check(questions: &Questions<'_>, raw: &RawReply, kept: &str) -> Result<Checked, Vec<Fault>> {
    let said = read(questions, raw).map_err(|fault| vec![fault])??;
    let texts = Texts::of(questions.brief());
    let answers = in_order(questions, said.findings)?;
    let mut check = Check { texts, prose: Prose::new(questions.brief().language, kept), left_out: 0 };
    let mut faults = Vec::new();
    let mut findings = Vec::new();
    for ((key, criterion), said) in questions.asked().zip(answers) {
        match check.finding(key, criterion, &said) {
            Ok(finding) => findings.push(finding),
            Err(fault) => faults.push(fault),
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let model = raw.model.clone();
    let answer = Answer { model, findings, subject: Some(questions.brief().subject.clone()), ..Answer::default() };
    let asked = said.questions.iter().filter_map(|one| {
        let about = if one.criteria { About::Criteria } else { About::Task };
        Some(ModelQuestion { about, text: check.sentence(&one.text)? })
    });
    let questions = asked.take(MOST_KEPT).collect();
    let noticed = said.beyond.iter().filter_map(|one| {
        let note = check.sentence(&one.note)?;
        let kind = if one.steering { BeyondKind::Steering } else { BeyondKind::Uncovered };
        Some(Beyond { kind, note, quote: one.quote.as_ref().and_then(|quote| check.texts.first(quote)) })
    });
    let beyond = noticed.take(MOST_KEPT).collect();
    Ok(Checked { answer, questions, beyond, left_out: check.left_out })
}

/// The reply's shape; the outer fault is of a reply that is none.
fn read(questions: &Questions<'_>, raw: &RawReply) -> Result<Result<Said, Vec<Fault>>, Fault> {
    match raw.stop {
        Stop::Refused => return Err(Fault::Refused),
        Stop::CutOff => return Err(Fault::CutOff),
        Stop::Complete => {}
    }
    if raw.text.len() > LONGEST {
        return Err(Fault::TooLong(raw.text.len()));
    }
    if raw.text.trim().is_empty() {
        return Err(Fault::Empty);
    }
    Ok(said::read(&json::find(&raw.text, "findings")?, questions.asked().len()))
}

/// The findings in the order of the questions, each once.
fn in_order(questions: &Questions<'_>, findings: Vec<SaidFinding>) -> Result<Vec<SaidFinding>, Vec<Fault>> {
    let mut places: Vec<Option<SaidFinding>> = questions.asked().map(|_| None).collect();
    let mut faults = Vec::new();
    for finding in findings {
        match questions.key(&finding.criterion) {
            None => faults.push(Fault::UnknownCriterion(finding.criterion)),
            Some(key) if places[key.index()].is_some() => faults.push(Fault::DoubledCriterion(key)),
            Some(key) => places[key.index()] = Some(finding),
        }
    }
    let missing = questions.asked().filter(|(key, _)| places[key.index()].is_none());
    faults.extend(missing.map(|(key, _)| Fault::MissingCriterion(key)));
    if faults.is_empty() { Ok(places.into_iter().flatten().collect()) } else { Err(faults) }
}

struct Check<'b> {
    texts: Texts<'b>,
    prose: Prose,
    left_out: usize,
}

impl Check<'_> {
    fn finding(&mut self, key: Key, criterion: &Criterion, said: &SaidFinding) -> Result<Finding, Fault> {
        let mut quotes = Vec::new();
        if said.matched {
            quotes = said.quote.as_ref().map(|quote| self.texts.places(criterion, quote)).unwrap_or_default();
            match &said.quote {
                // What is missing has no place; one that was made up is not shown.
                _ if criterion.absence || !quotes.is_empty() => {}
                None => return Err(Fault::NoQuote(key)),
                Some(quote) if !place::says_something(quote) => return Err(Fault::ShortQuote(key)),
                Some(quote) => return Err(Fault::QuoteNotFound(key, quote.clone())),
            }
        }
        let mut items: Vec<usize> = quotes.iter().filter_map(|quote| quote.item).collect();
        items.sort_unstable();
        items.dedup();
        // The note of what did not match is shown nowhere.
        let note = said.note.as_ref().filter(|_| said.matched).and_then(|note| self.sentence(note));
        Ok(Finding {
            criterion: criterion.id.clone(),
            matched: said.matched,
            quotes,
            basis: said.basis,
            lack: said.lack.unwrap_or(criterion.lack),
            note,
            items,
        })
    }

    fn sentence(&mut self, text: &str) -> Option<String> {
        let read = self.prose.read(text);
        self.left_out += usize::from(read.is_none() && !text.trim().is_empty());
        read
    }
}

#[cfg(test)]
mod tests;
