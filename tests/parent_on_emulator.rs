//! One parent issue from acceptance to integration through the real program and GitHub's stand-in, which has no sub-issues
//! and no dependencies: a task list stands in. Each request is checked against GitHub's own description.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, reason = "a test program")]

#[path = "emulator/mod.rs"]
mod emulator;
mod parent_road;
#[path = "support/plain.rs"]
mod plain;
#[path = "support/script.rs"]
mod script;
mod service;

use insta::assert_snapshot;
use parent_road::Road;
use serde_json::Value;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_parent_goes_from_acceptance_to_integration() {
    let mut road = Road::new(None).await;
    road.tell().await;
    assert_snapshot!(road.seen().await, @r#"
    #1 Export the month (open) ["gate:acceptance-passed", "gate:integration-passed", "gate:split-passed"]
      ## Acceptance gate: 🔴 Returned TOO_ABSTRACT seq 1 edit 0 attempt 1 []
      ## Acceptance gate: ✅ PASS seq 2 edit 0 attempt 1 []
      ## Split gate: 🔴 Returned TOO_ABSTRACT seq 1 edit 0 attempt 1 []
      ## Split gate: ✅ PASS seq 2 edit 1 attempt 1 [2, 3, 4]
      ## Integration gate: ⚖️ Overridden TOO_ABSTRACT seq 1 edit 1 attempt 1 []
    #2 Export the month (completed) ["gate:child", "gate:outcome-passed", "gate:start-passed"]
      ## Start gate: ✅ PASS seq 1 edit 0 attempt 1 []
      ## Outcome gate: 🔴 Returned TOO_ABSTRACT seq 1 edit 0 attempt 1 []
      ## Outcome gate: 🟣 Triage TOO_CONCRETE seq 2 edit 0 attempt 1 []
      ## Outcome gate: 🔴 Returned TOO_CONCRETE seq 3 edit 0 attempt 2 []
      ## Outcome gate: 🔴 Returned TOO_CONCRETE seq 4 edit 0 attempt 1 []
      ## Outcome gate: ✅ PASS seq 5 edit 0 attempt 1 []
    #3 Say why an export failed (completed) ["gate:child", "gate:outcome-passed", "gate:start-passed"]
      ## Start gate: ✅ PASS seq 1 edit 0 attempt 1 []
      ## Outcome gate: ✅ PASS seq 1 edit 0 attempt 1 []
    #4 List exports of 30 days (not_planned) ["gate:child", "gate:start-passed"]
      ## Start gate: ✅ PASS seq 1 edit 0 attempt 1 []
    "#);
    // Word for word what stands on the World (tests/parent.rs), but for the name, and for the list where sub-issues lack.
    let world = include_str!("golden/parent.md").replace("`hanako`", "`maintainer`");
    let listed = ["#2 Export the month ←", "#3 Say why an export failed ←", "#4 List exports of 30 days ←"];
    let world = listed.iter().fold(world, |text, line| text.replace(&format!("- {line}"), &format!("- [ ] {line}")));
    let world = world.replace("← `R-2`\n", "← `R-2` (after #2)\n").replace("← `R-3`\n", "← `R-3` (after #3)\n");
    let last = "← `R-3` (after #3)\n";
    let world = world.replace(
        last,
        &format!("{last}\nThis server has no sub-issues, so the check list above stands in for them.\n"),
    );
    let printed = road.printed().await;
    assert!(printed == world, "other than on the World:\n{printed}");
    let whole = road.whole().await;
    assert!(!whole.contains(&script::token()), "a token that leaked is shown");
    assert_eq!(road.emulator.violations().await, Vec::<Value>::new());
    let tally = road.proxy.tally();
    println!("{} writes, {} requests, 0 that break the description", tally.writes, road.emulator.calls().await.len());
    assert_eq!(tally.again, Vec::<String>::new(), "nothing is written twice");
}
