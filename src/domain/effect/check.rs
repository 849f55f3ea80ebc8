//! Check runs: what one says on the forge, in words already, and how one stands there.

use crate::domain::ids::{AppId, CheckRunId};
use crate::domain::view::Conclusion;
use serde::{Deserialize, Serialize};

/// Annotations that GitHub takes in one request; further ones are appended by further requests.
pub const MOST_ANNOTATIONS: usize = 50;

/// A finished check run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckReport {
    /// How it ends.
    pub conclusion: Conclusion,
    /// One line.
    pub title: String,
    /// Markdown, at most 65,535 characters.
    pub summary: String,
    /// Notes on lines of files, in an order that is the same each time: each request appends to those that stand.
    pub annotations: Vec<Annotation>,
}

/// A note on a line of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Annotation {
    /// The file, from the root of the repository.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// How much it weighs.
    pub level: AnnotationLevel,
    /// One line, at most 255 characters.
    pub title: String,
    /// Plain text.
    pub message: String,
}

/// How much an annotation weighs, in GitHub's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AnnotationLevel {
    /// Something was skipped.
    Notice,
    /// It works, but likely not as meant.
    Warning,
    /// It cannot be used, or is contradicted.
    Failure,
}

/// A check run of a commit as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckRun {
    /// Its id.
    pub id: CheckRunId,
    /// The App that made it, where the forge says so.
    pub app: Option<AppId>,
    /// What its maker called it.
    pub external_id: Option<String>,
    /// How it ended; none while it runs, or in another way than ours do.
    pub conclusion: Option<Conclusion>,
    /// Its title.
    pub title: String,
    /// Its summary.
    pub summary: String,
    /// How many annotations it has.
    pub annotations: usize,
}
