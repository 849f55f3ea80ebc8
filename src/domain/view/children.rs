//! What a parent's comments show of its children: the lines of a split, the table of an integration.

use crate::domain::ids::IssueNumber;

/// What a passed split shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitView {
    /// One line each, in the plan's order.
    pub children: Vec<ChildLine>,
    /// The plan as YAML: folded, and complete.
    pub plan: String,
    /// Whether the lines are a task list, since the server has no sub-issues or no dependencies.
    pub task_list: bool,
}

/// A child in the comment of its parent's split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChildLine {
    /// Its number, once it stands.
    pub number: Option<IssueNumber>,
    /// Its title.
    pub title: String,
    /// What it covers.
    pub requirement: Option<String>,
    /// In a task list: the issues that it waits for, since no link says so.
    pub after: Vec<IssueNumber>,
}

/// A child in the roll-up of its parent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RollUpLine {
    /// What it answers for; empty where nobody said.
    pub requirement: String,
    /// Its number.
    pub number: IssueNumber,
    /// Its title.
    pub title: String,
    /// What came of it.
    pub result: ChildResult,
}

/// What came of a child.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChildResult {
    /// Its outcome passed.
    Passed {
        /// The report's page.
        report: Option<String>,
    },
    /// Closed as not planned.
    NotPlanned,
    /// Closed without a passed outcome.
    NoOutcome,
    /// Still open.
    Open,
}
