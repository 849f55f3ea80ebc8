//! What a run learns of a parent's children: those that stand, and those that a passed split is still to file.

use super::Issue;
use crate::domain::effect::ChildDraft;
use crate::domain::ids::IssueNumber;

/// The sub-issues of a parent, in the forge's order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Children {
    /// The server tells.
    Linked(Vec<ChildIssue>),
    /// The server has no sub-issues: children are those of the newest split, and of task lists in the parent's body.
    NotOffered,
}

/// A child as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChildIssue {
    /// The issue.
    pub issue: Issue,
    /// Issues of the same repository that it waits for.
    pub blocked_by: Vec<IssueNumber>,
}

/// The children that a split's run is to file, and what became of each.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Filing {
    /// By place in the plan.
    pub children: Vec<Filed>,
    /// What the forge refused of links and dependencies, in its words.
    pub refused: Vec<String>,
    /// Whether the server has no sub-issues or no dependencies: then a task list stands in.
    pub not_offered: bool,
    /// Whether something of it is still to be done.
    pub open: bool,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filed {
    /// What was to be filed.
    pub draft: ChildDraft,
    /// Its number, once it stands; none where the forge refused it.
    pub number: Option<IssueNumber>,
}
