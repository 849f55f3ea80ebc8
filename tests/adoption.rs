//! Adoption: what a team sees, and does not see, before a gate counts: `mode: observe`, stale passes (chapters 2 and 3).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, reason = "a test program")]

mod support;

use sekisho::adapters::local::{Calls, Method, Moment, Repository, StoredIssue};
use sekisho::domain::contract::{builtin, print};
use sekisho::domain::ids::{IssueNumber, Language};
use sekisho::domain::record::{Record, Verdict, chain_faults};
use sekisho::ports::{ForgeError, Store as _};
use std::time::Duration;
use support::texts::{COMPLETE, VAGUE};
use support::{Road, keys, widgets};

/// The built-in with more keys at its start gate.
fn contract(keys: &str) -> String {
    let text = print(builtin(Language::En));
    let line = "    label: gate:start\n";
    assert!(text.contains(line), "{text}");
    text.replace("    mode: enforce\n", "")
        .replace("    rejudge_on_edit: returned\n", "")
        .replace(line, &format!("{line}{keys}"))
}

fn observing() -> String {
    contract("    mode: observe\n    rejudge_on_edit: returned\n")
}

async fn road(contract: &str) -> (Road, IssueNumber) {
    let mut road = Road::new().await;
    road.person("hanako").push_file("contracts/handoff.yaml", contract).unwrap();
    road.person("hanako").create_label("gate:start", "ededed").unwrap();
    let number = road.person("taro").open_issue("Export", VAGUE).unwrap();
    road.settle().await;
    road.clock_on(Duration::from_mins(1));
    road.world.reset_counts();
    (road, number)
}

async fn records(road: &Road, number: IssueNumber) -> Vec<Record> {
    let repository = road.world.look_at(&widgets()).unwrap().id;
    let stored = road.store.records(repository, number).await.unwrap();
    assert!(stored.iter().all(|one| !one.record.is_observed() || one.comment.is_none()));
    stored.into_iter().map(|one| one.record).collect()
}

/// All that people can see in the repository, but for times.
fn visible(road: &Road) -> (Repository, Vec<StoredIssue>) {
    let repository: Repository = road.world.look_at(&widgets()).unwrap();
    let issues = repository.issues().cloned().collect();
    (repository, issues)
}

#[tokio::test]
async fn an_observed_gate_leaves_no_trace_but_its_trigger_labels_removal() {
    let (mut road, number) = road(&observing()).await;
    let (_, before) = visible(&road);
    road.person("hanako").label(number, "gate:start").unwrap();
    road.settle().await;
    let counts = road.world.counts();
    assert_eq!((counts.writes(), counts.of(Method::RemoveLabel)), (1, 1), "{counts:?}");
    let (repository, after) = visible(&road);
    assert_eq!(repository.labels.len(), 1, "no label was made");
    // Of the issue only its history tells, and who took the label off.
    let apart = |mut issue: StoredIssue| {
        issue.events.clear();
        issue.updated_at = before[0].updated_at;
        issue
    };
    assert_eq!(after.into_iter().map(apart).collect::<Vec<_>>(), before.iter().cloned().map(apart).collect::<Vec<_>>());

    let seen = records(&road, number).await;
    assert_eq!((seen.len(), seen[0].verdict, seen[0].is_observed()), (1, Some(Verdict::TooAbstract), true));
    assert_eq!(seen[0].reasons.len(), 1, "with its reasons: {:?}", seen[0].reasons);
    let value = serde_json::to_value(&seen[0]).unwrap();
    assert_eq!(keys().verify(&value), sekisho::domain::record::Verification::Good, "and signed");
}

#[tokio::test]
async fn commands_and_edits_of_an_observed_gate_write_nothing_at_all() {
    let (mut road, number) = road(&observing()).await;
    for (who, line) in [("mio", "/gate start"), ("taro", "/gate start"), ("mio", "/gate retry start")] {
        road.person(who).comment(number, line).unwrap();
        road.settle().await;
    }
    road.person("taro").edit_body(number, COMPLETE).unwrap();
    road.settle().await;
    road.person("taro").edit_body(number, &format!("{COMPLETE}\nmore\n")).unwrap();
    road.settle().await;
    road.person("hanako").comment(number, "/gate retry start").unwrap();
    road.settle().await;
    assert_eq!(road.world.counts().writes(), 0, "{:?}", road.world.counts());
    let verdicts: Vec<_> =
        records(&road, number).await.iter().map(|record| (record.verdict.unwrap(), record.attempt)).collect();
    assert_eq!(verdicts, [(Verdict::TooAbstract, 1), (Verdict::Pass, 1), (Verdict::Pass, 1)]);
}

#[tokio::test]
async fn an_unchanged_text_is_observed_once() {
    let (mut road, number) = road(&observing()).await;
    for _ in 0..3 {
        road.person("hanako").label(number, "gate:start").unwrap();
        road.settle().await;
    }
    assert_eq!((records(&road, number).await.len(), road.world.counts().writes()), (1, 3));
}

#[tokio::test]
async fn what_was_observed_counts_for_nothing_once_the_gate_acts() {
    let (mut road, number) = road(&observing()).await;
    for round in 0..4 {
        road.person("taro").edit_body(number, &format!("{VAGUE}\n{round}\n")).unwrap();
        road.person("hanako").label(number, "gate:start").unwrap();
        road.settle().await;
    }
    road.person("hanako").push_file("contracts/handoff.yaml", contract("")).unwrap();
    road.person("hanako").label(number, "gate:start").unwrap();
    road.settle().await;
    assert_eq!(road.headings(number), ["## Start gate: 🔴 Returned TOO_ABSTRACT"]);
    assert_eq!(road.labels(number), ["gate:start-returned"]);
    let all = records(&road, number).await;
    let newest = all.last().unwrap();
    assert_eq!((newest.seq, newest.attempt, newest.history.len()), (5, 1, 0));
    assert_eq!(chain_faults(&all.iter().collect::<Vec<_>>()), []);
}

#[tokio::test]
async fn a_crash_of_an_observed_run_loses_and_repeats_nothing() {
    for moment in [Moment::Before, Moment::After] {
        let (mut road, number) = road(&observing()).await;
        road.person("hanako").label(number, "gate:start").unwrap();
        road.stop_at_write(1, moment);
        road.settle_through().await;
        assert_eq!(road.crashes, 1);
        assert_eq!(
            (records(&road, number).await.len(), road.labels(number).len(), road.comments(number).len()),
            (1, 0, 0)
        );
    }
}

#[tokio::test]
async fn an_observed_run_that_is_given_up_says_nothing_either() {
    let (mut road, number) = road(&observing()).await;
    let no = ForgeError::Forbidden { what: "permission of hanako".into(), message: "Resource not accessible".into() };
    road.world.fail_next(Calls::Of(Method::Permission), 1, no);
    road.person("hanako").label(number, "gate:start").unwrap();
    road.settle().await;
    let seen = records(&road, number).await;
    assert_eq!((seen.len(), seen[0].verdict), (1, None));
    assert_eq!((road.comments(number).len(), road.labels(number).len()), (0, 0));
}

#[tokio::test]
async fn an_edit_after_a_pass_makes_it_stale_and_the_text_that_passed_makes_it_good_again() {
    let (mut road, number) = road(&contract("")).await;
    road.person("taro").edit_body(number, COMPLETE).unwrap();
    road.person("hanako").label(number, "gate:start").unwrap();
    road.settle().await;
    let comments = road.comments(number);
    for (body, labels) in [(VAGUE, "gate:start-stale"), (COMPLETE, "gate:start-passed"), (VAGUE, "gate:start-stale")] {
        road.person("taro").edit_body(number, body).unwrap();
        road.settle().await;
        assert_eq!(road.labels(number), [labels]);
    }
    assert_eq!(road.comments(number), comments, "nothing is said");
    assert_eq!(records(&road, number).await.len(), 1, "nothing is judged");
    road.person("taro").comment(number, "/gate status").unwrap();
    road.settle().await;
    let status = road.comments(number).pop().unwrap();
    assert!(status.contains("PASS (stale: edited since)"), "{status}");
    road.person("hanako").label(number, "gate:start").unwrap();
    road.settle().await;
    assert_eq!(road.labels(number), ["gate:start-returned"]);
}

#[tokio::test]
async fn a_contract_says_what_an_edit_after_a_pass_does() {
    for (word, labels, verdicts) in
        [("never", "gate:start-passed", 1), ("returned", "gate:start-stale", 1), ("always", "gate:start-returned", 2)]
    {
        let (mut road, number) = road(&contract(&format!("    rejudge_on_edit: {word}\n"))).await;
        road.person("taro").edit_body(number, COMPLETE).unwrap();
        road.person("hanako").label(number, "gate:start").unwrap();
        road.settle().await;
        road.person("taro").edit_body(number, VAGUE).unwrap();
        road.settle().await;
        assert_eq!(
            (road.labels(number), records(&road, number).await.len()),
            (vec![labels.to_owned()], verdicts),
            "{word}"
        );
    }
}
