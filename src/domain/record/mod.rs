//! The record: the stored, signed verdict with its disposition (chapters 3 and 10).

use crate::domain::contract::{Lack, Mode};
use crate::domain::event::CauseKind;
use crate::domain::finding::Basis;
use crate::domain::ids::{
    AppId, BlobHash, CommitSha, CriterionId, GateId, IssueNumber, Login, Mac, RepositoryId, Revision, RunId,
};
use crate::domain::reply::ReceiptRef;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

mod fold;
mod revision;
mod sign;

pub(crate) use fold::counted;
pub(crate) use fold::is_retry;
pub use fold::{Asked, ChainFault, Standing, State, chain_faults, fold, standing};
pub use revision::{Part, revision, settled};
pub use sign::{ALGORITHM, SigningKeys, Verification};

/// The record's schema, as its `schema` key says.
pub const SCHEMA: &str = "sekisho/record/1";

/// What the findings derive to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Verdict {
    /// At the waiting level.
    Pass,
    /// Something is missing.
    TooAbstract,
    /// Something is prescribed.
    TooConcrete,
}

impl Verdict {
    /// The words of the record.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::TooAbstract => "TOO_ABSTRACT",
            Self::TooConcrete => "TOO_CONCRETE",
        }
    }
}

/// How sure the derivation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// Every reason is direct.
    High,
    /// A reason needed interpretation, or a signal was not evaluated.
    Low,
}

/// What stands now; labels and later gates read this and nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Disposition {
    /// It may go on.
    Passed,
    /// It goes back.
    Returned,
    /// A human is waited for.
    Triage,
    /// Nothing could be derived.
    NotJudged,
    /// A human let it go on.
    Overridden,
}

/// Why a human is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TriageCause {
    /// A PASS that not every signal supports.
    LowPass,
    /// The last judged return was the opposite side.
    Oscillation,
    /// The contract's number of returns is reached.
    Cap,
    /// GitHub refused the plan.
    PlanRefused,
    /// The contract changed below a claim.
    StaleContract,
}

/// The role that a return goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Who wrote the issue.
    IssueAuthor,
    /// Who split the parent.
    Decomposer,
    /// Who reports.
    Worker,
    /// The phase that implements.
    Implementation,
}

/// The kind of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QuestionKind {
    /// Dies with the task.
    TaskQuestion,
    /// Outlives the task: it asks to change the contract.
    AxisQuestion,
}

/// Where a question goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QuestionTo {
    /// The issue's author.
    IssueAuthor,
    /// A pull request on the contract.
    ContractPr,
}

/// One question, as the record keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// Task or axis.
    #[serde(rename = "type")]
    pub kind: QuestionKind,
    /// Addressee.
    pub to: QuestionTo,
    /// The question.
    pub text: String,
}

/// A human's decision to let something go on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Override {
    /// Who.
    pub by: Login,
    /// Why.
    pub reason: String,
    /// When.
    pub at: DateTime<Utc>,
    /// Until when, if not for good.
    pub until: Option<DateTime<Utc>>,
}

/// A child of a split.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Child {
    /// Place in the plan, from 0.
    pub index: u64,
    /// The issue's number, once filed.
    pub number: Option<IssueNumber>,
    /// Its title.
    pub title: String,
    /// The parent requirement that it covers.
    pub requirement: Option<String>,
}

/// What was judged. `number` and `url` are null where `sekisho judge` read a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubjectRef {
    /// Issue or pull request.
    pub number: Option<IssueNumber>,
    /// Its page.
    pub url: Option<String>,
    /// Digest of exactly what was judged.
    pub revision: Revision,
}

/// The contract that judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContractRef {
    /// Its path, or `builtin:…`.
    pub path: String,
    /// The commit that it was read at.
    pub commit: Option<CommitSha>,
    /// The blob hash of the effective contract.
    pub blob: BlobHash,
}

/// Whose word a run stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Trust {
    /// A person with triage or more, or a trusted App.
    Trusted,
    /// Anyone, at a gate that is open to anyone.
    Open,
}

/// Why the run was woken, as the record keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordCause {
    /// The kind.
    pub kind: CauseKind,
    /// The label's name, or the command's line.
    pub trigger: Option<String>,
    /// Who did it.
    pub actor: Option<Login>,
    /// The comment's id.
    pub source: Option<u64>,
    /// GitHub's own time of it.
    pub at: DateTime<Utc>,
    /// Whose word the run stands on.
    pub trust: Trust,
}

/// A criterion that matched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedFinding {
    /// The criterion's id.
    pub criterion: CriterionId,
    /// The first quote, at most 200 characters, masked; null where something is missing.
    pub quote: Option<String>,
    /// Line of that quote in the subject, from 1.
    pub line: Option<u64>,
    /// How it follows.
    pub basis: Basis,
    /// What is lacking.
    pub lack: Lack,
    /// How many places show it.
    pub places: u64,
    /// What the judge added.
    pub note: Option<String>,
    /// In a split, the places in the plan of the children that show it. The key is left out elsewhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<u64>,
}

/// Whose key signed, and what it says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    /// The key's id.
    pub kid: String,
    /// Always `HMAC-SHA-256`.
    pub alg: String,
    /// The MAC, hex.
    pub mac: Mac,
}

/// The machine record. The first seven keys and their order are the gate verdict that other tools read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Which gate.
    pub gate: GateId,
    /// What the findings derive to; null where nothing could be derived.
    pub verdict: Option<Verdict>,
    /// Null with the verdict.
    pub confidence: Option<Confidence>,
    /// The judge: a model's name, `rules`, or null for preflight only.
    pub model: Option<String>,
    /// One line each, in the contract's language.
    pub reasons: Vec<String>,
    /// Where a return goes.
    pub return_to: Option<Role>,
    /// Questions, in the order of their numbers.
    pub questions: Vec<Question>,
    /// What stands now.
    pub disposition: Disposition,
    /// Why a human is waited for.
    pub triage_cause: Option<TriageCause>,
    /// A human's decision.
    #[serde(rename = "override")]
    pub overridden: Option<Override>,
    /// Children of a split.
    pub children: Vec<Child>,
    /// [`SCHEMA`].
    pub schema: String,
    /// The run that made it.
    pub run: RunId,
    /// The App; null from the command line.
    pub app: Option<AppId>,
    /// The repository; null from the command line.
    pub repository: Option<RepositoryId>,
    /// What was judged.
    pub subject: SubjectRef,
    /// Place among the records of (subject, gate), from 1.
    pub seq: u64,
    /// How often this record was rewritten.
    pub edit: u64,
    /// MAC of the record before, as it then stood.
    pub prev: Option<Mac>,
    /// MAC of this record before the rewrite.
    pub was: Option<Mac>,
    /// Counts judgings of the same (subject, gate, revision, contract), from 1.
    pub attempt: u64,
    /// The contract that judged.
    pub contract: ContractRef,
    /// Whether the gate acted or only watched. The key stands in the JSON of observed records alone, so that no other
    /// record's bytes, and signature, know of it.
    #[serde(default, skip_serializing_if = "is_enforce")]
    pub mode: Mode,
    /// Why the run was woken.
    pub cause: RecordCause,
    /// Criteria that matched.
    pub findings: Vec<RecordedFinding>,
    /// Criteria that did not.
    pub unmatched: Vec<CriterionId>,
    /// Criteria that no judge decided.
    pub undecided: Vec<CriterionId>,
    /// Runs of the earlier records of (subject, gate), oldest first.
    pub history: Vec<RunId>,
    /// When it was judged.
    pub judged_at: DateTime<Utc>,
    /// What its model's calls took, and the hash of their receipts; null where no model was called.
    pub receipt: Option<ReceiptRef>,
    /// Null from the command line, which has no App.
    pub signature: Option<Signature>,
}

impl Record {
    /// The next edit of this record, still as it was said: unsigned, and chained to what it replaces (chapter 10).
    #[must_use]
    pub fn rewritten(&self) -> Self {
        let was = self.signature.as_ref().map(|signature| signature.mac.clone());
        Self { edit: self.edit + 1, was, signature: None, ..self.clone() }
    }

    /// Whether the gate only watched (`mode: observe`): such a record counts for nothing but the chain of its gate
    /// (chapter 2).
    #[must_use]
    pub fn is_observed(&self) -> bool {
        self.mode == Mode::Observe
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_enforce(mode: &Mode) -> bool {
    *mode == Mode::Enforce
}

/// The record as parsed JSON.
#[must_use]
#[expect(clippy::expect_used, clippy::missing_panics_doc, reason = "its keys are strings and its numbers integers")]
pub fn to_value(record: &Record) -> serde_json::Value {
    serde_json::to_value(record).expect("a record is JSON")
}

/// RFC 8785 canonical JSON.
#[expect(clippy::expect_used, reason = "only values with string keys and integers are handed in")]
fn canonical(value: &impl Serialize) -> Vec<u8> {
    serde_json_canonicalizer::to_vec(value).expect("plain values have a canonical form")
}

#[cfg(test)]
pub(crate) mod tests;
