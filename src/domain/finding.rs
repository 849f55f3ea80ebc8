//! What a judge is given and what it answers: briefs and findings (chapter 4). A judge finds; code decides.

use crate::domain::contract::{DetectorSpec, Lack, Side};
use crate::domain::detect::{self, Reading};
use crate::domain::ids::{CriterionId, GateId, Language};
use crate::domain::plan::Plan;
use crate::domain::text::clip;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Why a criterion is asked; it decides what an answer can do (chapter 10).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CriterionKind {
    /// A signal or set signal of the contract: unanswered, it makes a PASS low.
    Signal,
    /// A field's meaning or a split criterion: unanswered, it lowers nothing.
    Meaning,
}

/// What of a subject with items, such as a split plan with its children, a criterion is asked of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Scope {
    /// The whole.
    #[default]
    Whole,
    /// Each item, where there are items; else the whole.
    Each,
}

/// One question to the judge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Criterion {
    /// The criterion's id within the contract.
    pub id: CriterionId,
    /// Signal or meaning.
    pub kind: CriterionKind,
    /// Which way a match misses.
    pub side: Side,
    /// The criterion in the contract's own words.
    pub text: String,
    /// What does not count.
    pub except: Option<String>,
    /// The rule that decides it, where one does.
    pub detect: Option<DetectorSpec>,
    /// What a match says is lacking.
    pub lack: Lack,
    /// What matches is that something is missing, so there is no quote.
    pub absence: bool,
    /// Whether it is asked of the whole or of each item.
    pub scope: Scope,
}

/// A text that the subject is judged against, such as the parent's requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// `parent`, `issue` …: the roles of chapter 10.
    pub role: String,
    /// What it is, such as `#12`.
    pub id: String,
    /// Its text.
    pub text: String,
}

/// A heading that the contract knows, with every text that counts for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownField {
    /// The heading.
    pub name: String,
    /// Other headings that count.
    pub aliases: Vec<String>,
}

/// A part of the subject that is judged by itself: a child of a split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BriefItem {
    /// Its place among the items, from 0.
    pub index: usize,
    /// What a person calls it: `子1`, `Child 1`, `#26`.
    pub label: String,
    /// Its text, read.
    pub subject: Reading,
}

/// All that a judge is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Brief {
    /// The gate that asks.
    pub gate: GateId,
    /// The receiver's waiting level.
    pub waiting_level: String,
    /// What to answer, each exactly once.
    pub criteria: Vec<Criterion>,
    /// Headings of the contract's fields, for detectors that look under one.
    pub fields: Vec<KnownField>,
    /// The text that is judged, as it stands, and read.
    pub subject: Reading,
    /// Texts that it is judged against.
    pub references: Vec<Reference>,
    /// Earlier verdicts on the same subject, the oldest first: what each said, one line, masked.
    pub history: Vec<String>,
    /// Pairs of kinds of work that the contract keeps apart (`split_criteria.always_separate`).
    pub always_separate: Vec<String>,
    /// Language of the contract.
    pub language: Language,
    /// The children of a split; empty elsewhere.
    pub items: Vec<BriefItem>,
    /// The plan that the items are of; none = a detector that needs one reads it from the subject.
    pub plan: Option<Plan>,
}

/// How a finding follows from the criterion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// The criterion's own words fit.
    Direct,
    /// The waiting level had to be interpreted.
    Interpretation,
}

/// A place in the subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quote {
    /// The words as they stand, secrets masked, at most 200 characters.
    pub text: String,
    /// Byte range in the subject, or in the item's text.
    pub range: Range<usize>,
    /// Line in the same text, from 1.
    pub line: u32,
    /// The item that it stands in; none = the subject.
    pub item: Option<usize>,
}

/// Longest quote, in characters (chapter 10).
const LONGEST_QUOTE: usize = 200;

impl Quote {
    /// The words that stand at a place of the subject or of an item, as a comment may show them.
    #[must_use]
    pub fn at(subject: &Reading, range: Range<usize>, item: Option<usize>) -> Self {
        let document = subject.document();
        let masked = detect::mask(document.source(), range.clone(), subject.sensitive());
        let line = document.line_of(range.start);
        Self { text: clip(&masked, LONGEST_QUOTE).to_owned(), range, line, item }
    }
}

/// A judge's answer to one criterion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Which criterion.
    pub criterion: CriterionId,
    /// Whether it matched.
    pub matched: bool,
    /// The places that show it, in the subject's order; empty where it says that something is missing.
    pub quotes: Vec<Quote>,
    /// How it follows.
    pub basis: Basis,
    /// What is lacking.
    pub lack: Lack,
    /// What the judge adds, such as the word that matched and why.
    pub note: Option<String>,
    /// The items in which it matched, by their index, ascending; empty where it was asked of the whole.
    pub items: Vec<usize>,
}

/// A judge's reply to a brief: each criterion stands once, in `findings` or in `undecided`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Answer {
    /// The judge: `rules`, or the model's own name.
    pub model: String,
    /// Decided criteria, in the brief's order.
    pub findings: Vec<Finding>,
    /// Criteria that this judge could not decide, in the brief's order.
    pub undecided: Vec<CriterionId>,
    /// The subject as this judge read it, so that whoever concludes need not read it again.
    pub subject: Option<Reading>,
}
