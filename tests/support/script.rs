//! What people write and do around one parent issue, from its acceptance to its integration: texts, and acts in order.
//! Where they do it, the World or GitHub's stand-in, is the teller's.

#![allow(dead_code, reason = "each test program uses its part of it")]

/// Who acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// Maintains the repository.
    Maintainer,
    /// Does the work; may triage.
    Worker,
}

/// Where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    /// At the parent.
    Parent,
    /// At a child, counted from 0 in the order of their numbers.
    Child(usize),
}

/// What.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Puts a label on.
    Label(&'static str),
    /// Replaces the body.
    Edit(String),
    /// Comments.
    Comment(String),
    /// Closes as completed.
    Close,
    /// Closes as not planned.
    NotPlanned,
}

/// One act of a person.
pub type Deed = (Who, Where, Act);

/// The title of the parent, whose first body is [`PARENT_WITHOUT_VALUE`].
pub const TITLE: &str = "Export the month";

/// Everything that people do once the parent is filed. Each inner list is done in one go; before the next one they wait
/// for what the App says.
pub fn script() -> Vec<Vec<Deed>> {
    use Act::{Close, Comment, Edit, Label, NotPlanned};
    use Where::{Child, Parent};
    use Who::{Maintainer, Worker};
    let says = |text: &str| Comment(text.to_owned());
    vec![
        vec![(Maintainer, Parent, Label("gate:acceptance"))],
        vec![(Maintainer, Parent, Edit(parent()))],
        vec![(Maintainer, Parent, Comment(circular_plan())), (Maintainer, Parent, Label("gate:split"))],
        vec![(Maintainer, Parent, Comment(plan()))],
        (0..3).map(|at| (Maintainer, Child(at), Label("gate:start"))).collect(),
        vec![(Worker, Child(0), Comment(report_with_orphan()))],
        vec![(Worker, Child(0), Comment(report_with_log()))],
        // Two returns; the third would be a human's.
        vec![(Maintainer, Child(0), says("/gate retry outcome"))],
        vec![(Worker, Child(0), Comment(report_with_token()))],
        vec![(Worker, Child(0), Comment(report())), (Worker, Child(1), Comment(report()))],
        vec![(Worker, Child(0), Close), (Worker, Child(1), Close), (Maintainer, Child(2), NotPlanned)],
        vec![(Maintainer, Parent, says("/gate override integration --reason \"the list is no longer wanted\""))],
    ]
}

/// The parent without its value.
pub const PARENT_WITHOUT_VALUE: &str = "## Background\nClerks copy the month's entries by hand into a sheet; it takes two hours a month.\n\n\
## Purpose\nClerks take the month's entries along in one step.\n\n## Value\n\n\n\
## Budget (cost cap)\n3 children and 9 iterations\n\n\
## Definition of done\n- R-1: the month's entries can be exported\n- R-2: an export that fails says why\n- R-3: exports are listed for 30 days\n";

/// The whole parent.
pub fn parent() -> String {
    PARENT_WITHOUT_VALUE.replace("## Value\n\n", "## Value\n8 clerks gain two hours a month each; 16 hours in all.\n")
}

/// One child of an outline.
pub fn child(number: u32, title: &str, covers: &str, waits: &str) -> String {
    format!(
        "## Child {number}: {title}\n\n### Parent requirement\n{covers}\n\n### Purpose\n{title} for the clerks.\n\n\
### Acceptance criteria\n- AC-1: {title} works with 10,000 entries within 2 seconds\n\n\
### Success criteria\n- SC-1: 5 of 5 clerks manage in the trial\n\n### Stop condition\nStop after 2 days.\n\n\
### Budget (max_iterations)\n3\n\nDepends on: {waits}\n\n"
    )
}

/// Three children that wait for one another in a circle.
pub fn circular_plan() -> String {
    child(1, "Export the month", "R-1", "Child 3")
        + &child(2, "Say why an export failed", "R-2", "Child 1")
        + &child(3, "List exports of 30 days", "R-3", "Child 2")
}

/// The same without the circle.
pub fn plan() -> String {
    child(1, "Export the month", "R-1", "none")
        + &child(2, "Say why an export failed", "R-2", "Child 1")
        + &child(3, "List exports of 30 days", "R-3", "Child 2")
}

/// A report on a child whose only criterion is AC-1.
pub fn report() -> String {
    "## Conclusion\nAC-1 and SC-1 are met.\n\n## Requirement-result table\n| requirement | result |\n|---|---|\n\
| AC-1 | 10,000 entries in 1.4 seconds (median of 20 runs) |\n| SC-1 | 5 of 5 clerks managed |\n\n\
## Basis of expected values\n2 seconds is the limit that the issue names.\n\n\
## Reproduction steps\n1. `cargo run --release -- export month.csv`\n2. read the time that it prints\n\n\
## Link to raw data\n[runs](https://example.com/runs/17)\n\n## Skills and subagents\nnone\n"
        .to_owned()
}

/// A report on an issue with the criteria AC-1 and AC-2.
pub fn report_on_two() -> String {
    report().replace("| SC-1 |", "| AC-2 | the button is shown above the list |\n| SC-1 |")
}

/// The report with a row that answers no requirement.
pub fn report_with_orphan() -> String {
    report().replace("| SC-1 |", "| AC-7 | looks nicer now |\n| SC-1 |")
}

/// The report with a pasted log.
pub fn report_with_log() -> String {
    let lines: Vec<String> = (0..40)
        .map(|at| format!("2026-11-30T10:{:02}:07Z INFO export: wrote chunk {at} of 40 in 31 ms", at % 60))
        .collect();
    report().replace("## Link to raw data", &format!("```\n{}\n```\n\n## Link to raw data", lines.join("\n")))
}

/// The report with a token in it.
pub fn report_with_token() -> String {
    report().replace("none\n", &format!("called with {}\n", token()))
}

/// What must be shown nowhere.
pub fn token() -> String {
    ["ghp", "_", "R7sK2mQ9vX4bN8wL1tY6zC3dF5gH0jP2aE4u"].concat()
}
