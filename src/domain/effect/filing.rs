//! What the App files beside comments: issues, and a draft pull request that changes a contract.

use crate::domain::ids::BlobHash;
use serde::{Deserialize, Serialize};

/// An issue to be opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IssueDraft {
    /// Its title, at most 256 characters.
    pub title: String,
    /// Its Markdown.
    pub body: String,
    /// Names of its labels.
    pub labels: Vec<String>,
}

/// A file to be committed to a branch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChange {
    /// Its path from the root.
    pub path: String,
    /// Its text from now on.
    pub text: String,
    /// The blob that stands there now; none for a new file.
    pub replaces: Option<BlobHash>,
    /// The commit's message.
    pub message: String,
}

/// A draft pull request to be opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PullDraft {
    /// Its title, at most 256 characters.
    pub title: String,
    /// Its Markdown.
    pub body: String,
    /// The branch with the change, in the same repository.
    pub branch: String,
    /// The branch that it is to go into.
    pub base: String,
}

/// Why an issue is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CloseReason {
    /// It is done.
    Completed,
    /// It will not be done.
    NotPlanned,
    /// Another issue says the same.
    Duplicate,
}

impl CloseReason {
    /// GitHub's word (`state_reason`).
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::NotPlanned => "not_planned",
            Self::Duplicate => "duplicate",
        }
    }
}
