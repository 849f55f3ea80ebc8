//! A labelled text and what it came to.

use super::cases::Labelled;
use crate::cli::spending::{Spending, Tokens};
use crate::cli::verdict::Reached;
use crate::domain::contract::{Argument, Contract, DetectorId, DetectorSpec, Gate, Phase, builtin};
use crate::domain::ids::{GateId, Language};
use crate::domain::record::{Confidence, Disposition, Record, Verdict};
use crate::domain::reply::{Paid, Unjudged};
use crate::domain::run::Contracts;
use crate::domain::view::Reason;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// A labelled text that was judged.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Judged {
    /// Its name.
    pub id: String,
    /// The gate.
    pub gate: GateId,
    /// What it got; none = not judged, which is wrong.
    pub verdict: Option<Verdict>,
    /// The label.
    pub expected: Verdict,
    /// Another verdict that can be defended.
    pub alt: Option<Verdict>,
    /// Whether it got one of the two.
    pub right: bool,
    /// Criteria that matched, those that preflight stood for included.
    pub signals: Vec<String>,
    /// Milliseconds from text to verdict. Where a model judges: those that its calls took, 0 where none was needed, so
    /// that a recording tells the same when it is played back.
    pub ms: f64,
    /// How sure the verdict is.
    #[serde(default)]
    pub confidence: Option<Confidence>,
    /// What would stand.
    #[serde(default)]
    pub disposition: Option<Disposition>,
    /// Who judged, by the model's own name; none where nobody was needed, or nobody answered.
    #[serde(default)]
    pub model: Option<String>,
    /// Tokens of its calls; none where there was none.
    #[serde(default)]
    pub tokens: Option<Tokens>,
    /// US dollars, such as `0.0123`; none where no model was called, or its price is not known.
    #[serde(default)]
    pub cost: Option<String>,
    /// The reasons in words.
    #[serde(default)]
    pub reasons: Vec<String>,
    /// What kind of text it is.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Criteria that the label says match.
    #[serde(default)]
    pub expected_signals: Vec<String>,
    /// Criteria that may match or not.
    #[serde(default)]
    pub optional_signals: Vec<String>,
    /// Why the label is what it is.
    #[serde(skip)]
    pub note: Option<String>,
    /// Criteria of its gate.
    #[serde(skip)]
    pub askable: Vec<String>,
    /// What matched, with the words that show it, in the order of the reasons.
    #[serde(skip)]
    pub shown: Vec<Shown>,
    /// The text.
    #[serde(skip)]
    pub text: String,
    /// Every call of a model that was paid for.
    #[serde(skip)]
    pub paid: Vec<Paid>,
    /// Why a model's word is missing, where that is not the model's own doing.
    #[serde(skip)]
    pub unasked: Option<Unjudged>,
}

/// A criterion that matched, as a person is shown it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shown {
    /// Its id.
    pub criterion: String,
    /// What it asks.
    pub text: String,
    /// The words that show it, masked; none where something is missing.
    pub quote: Option<String>,
    /// The line on which they stand, from 1.
    pub line: Option<u32>,
    /// What the judge says about it.
    pub note: Option<String>,
}

/// How a verdict is wrong, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Wrong {
    /// PASS where a return is expected.
    FalsePass,
    /// A return where PASS is expected.
    FalseReturn,
    /// A return to the other side.
    OtherSide,
    /// Not judged.
    NotJudged,
}

impl Judged {
    /// A text that got no answer.
    pub fn unanswered(id: String, gate: GateId, expected: Verdict) -> Self {
        Self {
            id,
            gate,
            verdict: None,
            expected,
            alt: None,
            right: false,
            signals: Vec::new(),
            ms: 0.0,
            confidence: None,
            disposition: None,
            model: None,
            tokens: None,
            cost: None,
            reasons: Vec::new(),
            tags: Vec::new(),
            expected_signals: Vec::new(),
            optional_signals: Vec::new(),
            note: None,
            askable: Vec::new(),
            shown: Vec::new(),
            text: String::new(),
            paid: Vec::new(),
            unasked: None,
        }
    }

    /// Whether the label is a return.
    pub fn expects_return(&self) -> bool {
        self.expected != Verdict::Pass
    }

    /// What the answer is compared with: the alternative where that was given.
    pub fn reference(&self) -> Verdict {
        if self.alt.is_some() && self.verdict == self.alt {
            self.verdict.unwrap_or(self.expected)
        } else {
            self.expected
        }
    }

    /// How its verdict is wrong, if it is.
    pub fn wrong(&self) -> Option<Wrong> {
        match self.verdict {
            _ if self.right => None,
            None => Some(Wrong::NotJudged),
            Some(_) if self.is_false_pass() => Some(Wrong::FalsePass),
            Some(_) if self.is_false_return() => Some(Wrong::FalseReturn),
            Some(_) => Some(Wrong::OtherSide),
        }
    }

    /// PASS where a return is expected.
    pub fn is_false_pass(&self) -> bool {
        self.expects_return() && self.verdict == Some(Verdict::Pass) && !self.right
    }

    /// A return where PASS is expected.
    pub fn is_false_return(&self) -> bool {
        !self.expects_return() && self.verdict.is_some_and(|verdict| verdict != Verdict::Pass) && !self.right
    }
}

/// What labelled texts are judged by, and what is made of the outcome.
pub(super) struct Frame<'f> {
    /// The contracts.
    pub contracts: &'f Contracts,
    /// Names of signals in the labels, and what the contract calls them.
    pub names: &'f BTreeMap<String, String>,
    /// What counts as time.
    pub time: Time,
}

/// What counts as the time of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Time {
    /// From text to verdict.
    Whole,
    /// That of the models' calls, which is the same where they are played back.
    Calls,
}

impl Frame<'_> {
    /// What a text came to, beside its label.
    pub fn judged(&self, case: Labelled, reached: Result<Reached, String>) -> Judged {
        let (done, paid, took) = match reached {
            Ok(Reached { done, paid, took }) => (Some(done), paid, took),
            Err(_) => (None, Vec::new(), Duration::ZERO),
        };
        let (record, view) = done.map(|done| (done.record, done.view)).unwrap_or_default();
        let reasons = view.map(|view| view.reasons).unwrap_or_default();
        let phase = rule(self.contracts, case.gate, &case.text).map(|(contract, gate)| contract.phase(gate));
        let missing = missing_fields(&reasons);
        let mut signals = record.as_ref().map(matched).unwrap_or_default();
        signals.extend(phase.map(|phase| said_by_preflight(phase, &missing)).unwrap_or_default());
        signals.sort();
        signals.dedup();
        let renamed = |all: &[String]| all.iter().map(|name| self.names.get(name).unwrap_or(name).clone()).collect();
        let verdict = record.as_ref().and_then(|record| record.verdict);
        let spending = Spending::of(&paid);
        let phase_signals = phase.map(|phase| phase.signals.iter().map(|signal| signal.id.to_string()).collect());
        Judged {
            right: verdict.is_some() && (verdict == Some(case.expected) || verdict == case.alt),
            verdict,
            alt: case.alt,
            signals,
            ms: match self.time {
                Time::Whole => took.as_secs_f64() * 1000.0,
                #[expect(clippy::cast_precision_loss, reason = "milliseconds of calls")]
                Time::Calls => spending.ms as f64,
            },
            confidence: record.as_ref().and_then(|record| record.confidence),
            disposition: record.as_ref().map(|record| record.disposition),
            model: record.as_ref().and_then(|record| record.model.clone()),
            tokens: (spending.calls > 0).then_some(spending.tokens),
            cost: spending.dollars().filter(|_| spending.calls > 0),
            reasons: record.map(|record| record.reasons).unwrap_or_default(),
            tags: case.tags,
            expected_signals: renamed(&case.expected_signals),
            optional_signals: renamed(&case.optional_signals),
            note: case.note,
            askable: phase_signals.unwrap_or_default(),
            shown: reasons.iter().filter_map(Shown::of).collect(),
            unasked: reasons.iter().find_map(unasked),
            text: case.text,
            paid,
            ..Judged::unanswered(case.id, case.gate, case.expected)
        }
    }
}

/// Why a model's word is missing, where that says nothing about the model: it was not there, or not asked. A model whose
/// replies are none twice has answered, and wrongly.
fn unasked(reason: &Reason) -> Option<Unjudged> {
    match reason {
        Reason::Unjudged { why: Unjudged::Faulty { .. }, .. } => None,
        Reason::Unjudged { why, .. } => Some(why.clone()),
        _ => None,
    }
}

impl Shown {
    fn of(reason: &Reason) -> Option<Self> {
        let Reason::Signal { criterion, text, quote, line, note, .. } = reason else { return None };
        Some(Self {
            criterion: criterion.as_str().to_owned(),
            text: text.clone(),
            quote: quote.clone(),
            line: *line,
            note: note.clone(),
        })
    }
}

fn matched(record: &Record) -> Vec<String> {
    record.findings.iter().map(|finding| finding.criterion.as_str().to_owned()).collect()
}

/// Required fields that preflight returned for.
fn missing_fields(reasons: &[Reason]) -> Vec<String> {
    let field = |reason: &Reason| match reason {
        Reason::MissingField { field, .. } | Reason::EmptyField { field } | Reason::BadField { field, .. } => {
            Some(field.clone())
        }
        _ => None,
    };
    reasons.iter().filter_map(field).collect()
}

/// What a text of that gate is judged by.
fn rule<'a>(contracts: &'a Contracts, gate: GateId, text: &str) -> Option<(&'a Contract, &'a Gate)> {
    let contract = match contracts {
        Contracts::InForce { contracts, .. } => contracts.iter().find(|contract| contract.gate(gate).is_some())?,
        _ => builtin(Language::of(text)),
    };
    Some((contract, contract.gate(gate)?))
}

/// Signals that say what preflight said already: one that looks for a heading, or for what stands under it, counts as
/// found where preflight returned for that heading.
fn said_by_preflight(phase: &Phase, missing: &[String]) -> Vec<String> {
    let looks = |id| {
        matches!(
            id,
            DetectorId::FieldEmpty | DetectorId::SectionMissing | DetectorId::TableMissing | DetectorId::MissingLink
        )
    };
    let about = |spec: &DetectorSpec| {
        let headings: Vec<&String> = match &spec.argument {
            Argument::One(heading) => vec![heading],
            Argument::List(headings) => headings.iter().collect(),
            Argument::None => spec.within.iter().collect(),
        };
        looks(spec.id) && headings.into_iter().any(|heading| missing.contains(heading))
    };
    let signals = phase.signals.iter().filter(|signal| signal.detect.as_ref().is_some_and(about));
    signals.map(|signal| signal.id.as_str().to_owned()).collect()
}
