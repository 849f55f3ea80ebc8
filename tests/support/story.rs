//! One parent issue from acceptance to integration, as people live through it: texts and acts.

#![allow(dead_code, reason = "each test file uses its part of it")]

use super::{Road, widgets};
use sekisho::domain::ids::IssueNumber;

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
    let token = ["ghp", "_", "R7sK2mQ9vX4bN8wL1tY6zC3dF5gH0jP2aE4u"].concat();
    report().replace("none\n", &format!("called with {token}\n"))
}

/// The parent of the story: from its acceptance to the end.
pub async fn tell(road: &mut Road, times: usize) -> IssueNumber {
    let parent_issue = road.person("hanako").open_issue("Export the month", PARENT_WITHOUT_VALUE).unwrap();
    let mut count = 0;
    let mut step = async |road: &mut Road, act: &dyn Fn(&Road)| {
        act(road);
        road.deliver(times).await;
        road.settle_through().await;
        count += 1;
        if std::env::var_os("STORY").is_some() {
            println!("step {count}: {:?} {:?}", road.headings(parent_issue), road.labels(parent_issue));
        }
    };
    step(road, &|road| road.person("hanako").label(parent_issue, "gate:acceptance").unwrap()).await;
    step(road, &|road| road.person("hanako").edit_body(parent_issue, &parent()).unwrap()).await;
    step(road, &|road| {
        road.person("hanako").comment(parent_issue, &circular_plan()).unwrap();
    })
    .await;
    step(road, &|road| road.person("hanako").label(parent_issue, "gate:split").unwrap()).await;
    step(road, &|road| {
        road.person("hanako").comment(parent_issue, &plan()).unwrap();
    })
    .await;
    for at in 0..3 {
        step(road, &|road| {
            let child = children(road, parent_issue)[at];
            road.person("hanako").label(child, "gate:start").unwrap();
        })
        .await;
    }
    let first = |road: &Road| children(road, parent_issue)[0];
    for body in [report_with_orphan(), report_with_log(), report_with_token(), report()] {
        step(road, &|road| {
            road.person("mio").comment(first(road), &body).unwrap();
        })
        .await;
        if body == report_with_log() {
            // Two returns; the third would be a human's.
            step(road, &|road| {
                road.person("hanako").comment(first(road), "/gate retry outcome").unwrap();
            })
            .await;
        }
    }
    step(road, &|road| road.person("mio").close(first(road)).unwrap()).await;
    step(road, &|road| {
        road.person("mio").comment(children(road, parent_issue)[1], &report()).unwrap();
    })
    .await;
    step(road, &|road| road.person("mio").close(children(road, parent_issue)[1]).unwrap()).await;
    step(road, &|road| road.person("hanako").close_as_not_planned(children(road, parent_issue)[2]).unwrap()).await;
    step(road, &|road| {
        let line = "/gate override integration --reason \"the list is no longer wanted\"";
        road.person("hanako").comment(parent_issue, line).unwrap();
    })
    .await;
    parent_issue
}

/// Numbers of the children that the App filed, in the order of their numbers.
pub fn children(road: &Road, parent: IssueNumber) -> Vec<IssueNumber> {
    let marker = format!("<!-- sekisho:child #{parent} ");
    let body = |number: &IssueNumber| road.world.look_at_issue(&widgets(), *number).map(|issue| issue.body.clone());
    let filed = (1..200).map(IssueNumber).filter(|number| body(number).is_some_and(|body| body.contains(&marker)));
    filed.collect()
}
