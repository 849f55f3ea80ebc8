//! A question to the contract itself (chapter 3): what a draft pull request that changes the contract file says.

use crate::domain::contract::Side;
use crate::domain::ids::{BlobHash, CommitSha, CriterionId, GateId, IssueNumber, Language};
use crate::domain::record::Verdict;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Where the fault most likely lies once the cap is reached, sorted from the history (chapter 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CapCause {
    /// The same criterion each time, each time at another place: people try, and cannot tell what it asks for.
    Contract,
    /// The form left open, or the same place unchanged, again and again: nobody looks before asking.
    Procedure,
    /// Something else each time: the task does not fit the gate.
    Task,
    /// The judge was unsure in most of its returns.
    Model,
}

/// Why the contract is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AxisWhy {
    /// The verdict swung from one side to the other.
    Swing {
        /// The verdict before.
        from: Verdict,
        /// The verdict now.
        to: Verdict,
    },
    /// So many returns in a row reached the cap.
    Cap {
        /// How many.
        returns: u32,
        /// [`CapCause::Contract`] or [`CapCause::Procedure`].
        cause: CapCause,
    },
    /// A judge noticed what no criterion covers.
    Beyond,
}

/// A change of a contract, proposed to people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposal {
    /// The contract's language.
    pub language: Language,
    /// The gate.
    pub gate: GateId,
    /// The subject whose verdicts led here.
    pub subject: IssueNumber,
    /// The record's place among those of its gate.
    pub seq: u64,
    /// Why.
    pub why: AxisWhy,
    /// The contract's path, or `builtin:…`.
    pub path: String,
    /// The effective contract: a changed one is another question.
    pub blob: BlobHash,
    /// The file to change.
    pub file: ContractFile,
    /// The phase whose waiting level is asked about.
    pub phase: String,
    /// Its waiting level, word for word.
    pub waiting_level: String,
    /// What the criterion says that every return found, word for word.
    pub criterion: Option<String>,
    /// What the new words draw the line with, the older first.
    pub boundaries: Vec<Boundary>,
    /// The verdicts that led here, oldest first.
    pub history: Vec<Past>,
    /// The text of now, as a labelled example.
    pub example: LabelledText,
}

/// Which file is changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContractFile {
    /// One of the judged repository.
    Here {
        /// The commit that it was read at.
        commit: CommitSha,
        /// Its text there.
        text: String,
    },
    /// A new one, begun from a built-in.
    New,
    /// It stands in another repository, or cannot be read: people are told in an issue.
    Elsewhere,
}

/// A place, or a criterion, on one side of the line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Boundary {
    /// Which side.
    pub side: Side,
    /// The criterion; none where required fields were missing.
    pub criterion: Option<CriterionId>,
    /// The quoted place, masked; else what the criterion, or the missing field, says.
    pub text: String,
}

/// A verdict of the history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Past {
    /// Its place.
    pub seq: u64,
    /// What it said.
    pub verdict: Verdict,
    /// Its reasons, in the record's words.
    pub reasons: Vec<String>,
    /// Its comment's page; none for the record that asks, which is not posted yet.
    pub url: Option<String>,
}

/// A text with the verdict that it got.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelledText {
    /// The text, masked.
    pub input: String,
    /// What it was judged against.
    pub requirements: Option<String>,
    /// The verdict.
    pub verdict: Verdict,
}

impl Proposal {
    /// Twelve hex digits that are the same for the same question to the same contract, whichever issue it comes from.
    #[must_use]
    pub fn key(&self) -> String {
        let mut criteria: Vec<&str> = self
            .boundaries
            .iter()
            .map(|one| one.criterion.as_ref().map_or(one.text.as_str(), CriterionId::as_str))
            .collect();
        criteria.sort_unstable();
        criteria.dedup();
        let kind = match self.why {
            AxisWhy::Swing { .. } => "swing",
            AxisWhy::Cap { cause: CapCause::Procedure, .. } => "procedure",
            AxisWhy::Cap { .. } => "contract",
            // Its words are another model's each time: one such question to a phase is open at a time.
            AxisWhy::Beyond => {
                criteria.clear();
                "beyond"
            }
        };
        let whole = [&[self.path.as_str(), self.blob.as_str(), &self.phase, kind], criteria.as_slice()].concat();
        let mut hash = Sha256::new();
        for part in whole {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        hex::encode(hash.finalize())[..12].to_owned()
    }

    /// The branch of the draft pull request.
    #[must_use]
    pub fn branch(&self) -> String {
        format!("sekisho/axis-{}", self.key())
    }

    /// The first line of the pull request, or of the issue in its stead, by which it is known again.
    #[must_use]
    pub fn marker(&self) -> String {
        format!("<!-- sekisho:axis {} -->", self.key())
    }
}
