//! What a run learns of a pull request that touches a contract (chapter 2, "Tools around the file").

use super::{Contracts, Issue, StoredRecord};
use crate::domain::contract::Problem;
use crate::domain::ids::{CommitSha, IssueNumber};
use chrono::{DateTime, Utc};
use std::collections::BTreeMap;

/// Facts of such a run; `None` = not asked for yet.
#[derive(Clone, Debug, Default)]
pub struct ChangeFacts {
    /// Paths of changed files, those before a rename among them.
    pub files: Option<Vec<String>>,
    /// The pull request as it is now.
    pub pull: Option<Pull>,
    /// The contracts at its head.
    pub head: Option<HeadContracts>,
    /// The files of labelled examples at its head.
    pub examples: Option<Vec<ExampleFile>>,
    /// The newest record of each gate of the subjects that were judged last, newest first.
    pub judged: Option<Vec<StoredRecord>>,
    /// Issues that were read: subjects and their parents; `None` inside = it cannot be read.
    pub subjects: BTreeMap<IssueNumber, Option<Issue>>,
}

/// A pull request as the forge shows it now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pull {
    /// Its number.
    pub number: IssueNumber,
    /// The newest commit of its branch. It can be read in the base repository, also where the branch is a fork's.
    pub head: CommitSha,
    /// The branch that it goes into.
    pub base: PullBase,
    /// Where its branch is.
    pub source: PullSource,
    /// Names of its labels.
    pub labels: Vec<String>,
    /// Whether it is open.
    pub open: bool,
    /// GitHub's time of its last change.
    pub updated_at: DateTime<Utc>,
}

/// The branch that a pull request goes into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PullBase {
    /// The default branch, whose contracts judge issues.
    Default(String),
    /// Another.
    Other(String),
}

/// Where a pull request's branch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PullSource {
    /// In the repository itself.
    Repository,
    /// In a fork, or in one that is gone.
    Fork,
}

/// The contracts at a pull request's head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeadContracts {
    /// Those of the repository itself.
    pub own: Contracts,
    /// Everything that was found in its files.
    pub problems: Vec<Problem>,
    /// What would be in force: the repository's own, else the owner's; absent = the built-ins.
    pub in_force: Contracts,
}

/// A file of labelled examples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExampleFile {
    /// Its path.
    pub path: String,
    /// Its text, or why there is none.
    pub text: Result<String, &'static str>,
}
