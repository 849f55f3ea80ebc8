//! What is said of a pull request that touches a contract: its check run, and its impact comment (chapter 2).

use super::Reason;
use crate::domain::contract::Problem;
use crate::domain::ids::{CommitSha, GateId, IssueNumber, Language};
use crate::domain::record::Verdict;
use serde::{Deserialize, Serialize};

/// The check run `sekisho/contract` of one head commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContractCheck {
    /// The language of the contract at the head.
    pub language: Language,
    /// The commit.
    pub head: CommitSha,
    /// How it ends.
    pub conclusion: Conclusion,
    /// What stands at the head.
    pub state: HeadState,
    /// Everything that the linter says.
    pub problems: Vec<Problem>,
    /// What the labelled examples say.
    pub examples: ExampleResults,
    /// How many verdicts flip; none where nothing was judged again.
    pub comparison: Option<Comparison>,
    /// Who judged again.
    pub judged_by: JudgedBy,
}

/// Who judges again under another contract (chapter 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JudgedBy {
    /// Rules alone.
    Rules,
    /// Models beside them, as the label `contract:replay-models` asks.
    Models,
}

/// How a check run ends, in GitHub's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Conclusion {
    /// Nothing to say against it.
    Success,
    /// Something looks unintended, or there is no contract.
    Neutral,
    /// The contract cannot be used, or it contradicts its examples; the report goes back.
    Failure,
    /// A human is waited for.
    ActionRequired,
}

impl Conclusion {
    /// GitHub's word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Neutral => "neutral",
            Self::Failure => "failure",
            Self::ActionRequired => "action_required",
        }
    }
}

/// What stands at the head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeadState {
    /// These contract files would be in force.
    InForce(Vec<String>),
    /// At least one has an error: nothing would be judged.
    Broken,
    /// None: the owner's or the built-ins would apply.
    Absent,
}

/// What the labelled examples say under the contract at the head.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExampleResults {
    /// How many got the verdict of their label.
    pub right: usize,
    /// Those that got another.
    pub wrong: Vec<WrongExample>,
    /// Files that cannot be read.
    pub unreadable: Vec<UnreadableExamples>,
    /// How many were not judged: their gate is not declared or not built, no model could be asked, or there are too many.
    pub left_out: usize,
}

/// A labelled example that got another verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongExample {
    /// Its file.
    pub path: String,
    /// Where it begins.
    pub line: u32,
    /// Its name.
    pub id: String,
    /// The gate.
    pub gate: GateId,
    /// What its label says.
    pub expected: Verdict,
    /// What it got; none = nothing could be derived.
    pub got: Option<Verdict>,
    /// Why, in the order of the contract.
    pub reasons: Vec<Reason>,
}

/// A file of labelled examples that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadableExamples {
    /// The file.
    pub path: String,
    /// The line; 1 where the file as a whole is meant.
    pub line: u32,
    /// What is wrong.
    pub message: String,
}

/// The impact comment of a pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Impact {
    /// The language of the contract at the head.
    pub language: Language,
    /// The commit that it tells of.
    pub head: CommitSha,
    /// The branch that the pull request goes into, where that is not the one whose contracts judge issues.
    pub other_base: Option<String>,
    /// What it says.
    pub state: ImpactState,
    /// Who judged again.
    pub judged_by: JudgedBy,
}

/// What the impact comment says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImpactState {
    /// Nothing was judged again: the contract has errors.
    Broken,
    /// These verdicts flip, and those do not.
    Compared(Comparison),
}

/// Old verdicts against new ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Verdicts that flip, newest subject first.
    pub flips: Vec<Flip>,
    /// Verdicts that stay.
    pub unchanged: Vec<Unchanged>,
    /// Subjects whose text, or the parent's, is no longer what was judged.
    pub changed: usize,
    /// Subjects that cannot be read any more.
    pub unread: usize,
    /// Subjects whose gate the contract at the head does not judge.
    pub unjudged: usize,
}

impl Comparison {
    /// How many were judged again.
    #[must_use]
    pub fn again(&self) -> usize {
        self.flips.len() + self.unchanged.len()
    }

    /// How many there were.
    #[must_use]
    pub fn all(&self) -> usize {
        self.again() + self.changed + self.unread + self.unjudged
    }
}

/// A verdict that flips.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flip {
    /// The subject.
    pub number: IssueNumber,
    /// Its title.
    pub title: String,
    /// Its page.
    pub url: String,
    /// The gate.
    pub gate: GateId,
    /// The verdict that stands.
    pub from: Level,
    /// Its comment's page, once posted.
    pub comment: Option<String>,
    /// The verdict under the contract at the head.
    pub to: Level,
    /// Why, where there is a reason to name.
    pub why: Option<Why>,
}

/// A verdict that stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unchanged {
    /// The subject.
    pub number: IssueNumber,
    /// Its page.
    pub url: String,
    /// The gate.
    pub gate: GateId,
    /// The verdict.
    pub level: Level,
}

/// A verdict as the comparison sees it: a PASS that waits for a human is not the same as one that does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// At the waiting level.
    Pass,
    /// Perhaps; a human decides.
    LowPass,
    /// Something is missing.
    TooAbstract,
    /// Something is prescribed.
    TooConcrete,
}

/// Why a verdict flips.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// This is found now.
    Now(Reason),
    /// This was found before, in the record's own words.
    Before(String),
}
