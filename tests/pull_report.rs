//! A report in a pull request: its check run, the button, an edit after a pass, and the commands that people give there.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, reason = "a test program")]

mod support;

use sekisho::adapters::local::{CheckStage, StoredCheckRun};
use sekisho::domain::ids::IssueNumber;
use sekisho::domain::run::PullSource;
use sekisho::domain::view::Conclusion;
use sekisho::ports::{Clock as _, Store as _};
use support::texts::COMPLETE;
use support::{Road, story, widgets};

/// An issue that has started, and a pull request that reports on it.
async fn reported(road: &mut Road, report: &str) -> (IssueNumber, IssueNumber) {
    let issue = road.person("hanako").open_issue("Export", COMPLETE).unwrap();
    road.person("hanako").label(issue, "gate:start").unwrap();
    assert!(road.settle().await);
    let hanako = road.person("hanako");
    let pull = hanako.propose("Export the month", PullSource::Repository, &[("src/a.txt", Some(b"a"))]).unwrap();
    hanako.edit_body(pull, &format!("Closes #{issue}\n\n{report}")).unwrap();
    assert!(road.settle().await);
    (issue, pull)
}

fn checks(road: &Road) -> Vec<StoredCheckRun> {
    let runs = road.world.look_at(&widgets()).unwrap().checks;
    runs.into_iter().filter(|run| run.name == "sekisho/outcome").collect()
}

fn said(road: &Road) -> Vec<String> {
    let line = |run: &StoredCheckRun| {
        let notes = run.report.annotations.len();
        format!("{:?} {} ({notes} notes)", run.report.conclusion, run.report.title)
    };
    checks(road).iter().map(line).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_head_has_a_check_run_with_a_note_for_each_reason() {
    let mut road = Road::new().await;
    let (issue, pull) = reported(&mut road, &story::report_with_log()).await;
    assert_eq!(road.headings(pull), ["## Outcome gate: 🔴 Returned TOO_ABSTRACT"]);
    insta::assert_snapshot!(said(&road).join("\n"), @"
    Failure Outcome gate: 🔴 Returned TOO_ABSTRACT (2 notes)
    ");
    let run = &checks(&road)[0];
    let head = road.world.look_at(&widgets()).unwrap();
    assert!(head.commits.iter().all(|commit| commit.sha != run.head), "the head of the branch, not of main");
    let notes: Vec<String> = run
        .report
        .annotations
        .iter()
        .map(|note| format!("{}:{} {:?} {}\n{}", note.path, note.line, note.level, note.title, note.message))
        .collect();
    insta::assert_snapshot!(format!("{}\n---\n{}", run.report.summary, notes.join("\n")), @r#"
    - TOO\_ABSTRACT: A requirement has no row, or a row no requirement — AC-2
    - TOO\_CONCRETE: Raw logs or raw data are pasted into the text: "2026-11-30T10:00:07Z INFO export: wrote chunk 0 of 40 in 31 ms" (line 20) — 40

    The verdict with its next step stands in the comment on the pull request. It judges the report in the description against #1; “Re-run” asks again.
    ---
    .github:1 Failure Outcome gate: 🔴 Returned TOO_ABSTRACT
    TOO_ABSTRACT: A requirement has no row, or a row no requirement — AC-2
    .github:1 Failure Outcome gate: 🔴 Returned TOO_ABSTRACT
    TOO_CONCRETE: Raw logs or raw data are pasted into the text: "2026-11-30T10:00:07Z INFO export: wrote chunk 0 of 40 in 31 ms" (line 20) — 40
    "#);
    // The next report on the same commit has a check run of its own, and its notes alone.
    let body = format!("Closes #{issue}\n\n{}", story::report_on_two());
    road.person("hanako").edit_body(pull, &body).unwrap();
    assert!(road.settle().await);
    insta::assert_snapshot!(said(&road).join("\n"), @"
    Failure Outcome gate: 🔴 Returned TOO_ABSTRACT (2 notes)
    Success Outcome gate: ✅ PASS (0 notes)
    ");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_button_brings_an_unchanged_check_run_back() {
    let mut road = Road::new().await;
    let (_, pull) = reported(&mut road, &story::report_on_two()).await;
    let run = checks(&road)[0].id;
    // Who may not press it is nobody whom a gate listens to.
    assert!(road.person("taro").rerun(run).is_err());
    road.person("hanako").rerun(run).unwrap();
    assert_eq!(checks(&road)[0].stage, CheckStage::Queued);
    assert!(road.settle().await);
    let after = checks(&road);
    assert_eq!(
        (after.len(), after[0].stage, after[0].report.conclusion),
        (1, CheckStage::Completed, Conclusion::Success)
    );
    assert_eq!(road.headings(pull), ["## Outcome gate: ✅ PASS"], "nothing was judged again");
    assert_eq!(road.labels(pull), ["gate:outcome-passed"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_or_an_edit_after_the_pass_makes_it_stale() {
    let mut road = Road::new().await;
    let (issue, pull) = reported(&mut road, &story::report_on_two()).await;
    let body = road.world.look_at_issue(&widgets(), pull).unwrap().body;
    road.person("hanako").edit_body(pull, &format!("{body}\nOne line more.\n")).unwrap();
    assert!(road.settle().await);
    assert_eq!(road.labels(pull), ["gate:outcome-stale"]);
    road.person("hanako").edit_body(pull, &body).unwrap();
    assert!(road.settle().await);
    assert_eq!(road.labels(pull), ["gate:outcome-passed"], "back to the text that passed");
    road.person("hanako").push_to(pull, &[("src/a.txt", Some(b"b"))]).unwrap();
    assert!(road.settle().await);
    assert_eq!(road.labels(pull), ["gate:outcome-stale"], "another commit is another subject");
    assert_eq!((checks(&road).len(), road.headings(pull).len()), (1, 1), "nothing is said of it");
    // Another report is no edit of the one that passed.
    road.person("hanako").comment(issue, &story::report_with_log()).unwrap();
    assert!(road.settle().await);
    assert_eq!(road.labels(issue), ["gate:start-passed"]);
    // Asked again, the new commit is judged.
    road.person("hanako").label(pull, "gate:outcome").unwrap();
    assert!(road.settle().await);
    assert_eq!(road.labels(pull), ["gate:outcome-passed"]);
    assert_eq!(said(&road).len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commands_in_the_pull_request_reach_the_records_of_its_issue() {
    let mut road = Road::new().await;
    let (issue, pull) = reported(&mut road, &story::report_with_log()).await;
    road.person("mio").comment(pull, "/gate override outcome --reason \"fine\"").unwrap();
    assert!(road.settle().await);
    let told = road.comments(pull).pop().unwrap();
    assert!(told.contains("needs the write permission"), "{told}");
    road.person("hanako").comment(pull, "/gate retry").unwrap();
    assert!(road.settle().await);
    let id = road.world.look_at(&widgets()).unwrap().id;
    let records = road.store.records(id, issue).await.unwrap();
    let outcomes = records.iter().filter(|stored| stored.record.gate.as_str() == "outcome");
    let attempts: Vec<u64> = outcomes.map(|stored| stored.record.attempt).collect();
    assert_eq!(attempts, [1, 2], "{:?}", road.headings(pull));
    road.person("hanako").comment(pull, "/gate override outcome --reason \"a demonstration\"").unwrap();
    assert!(road.settle().await);
    assert_eq!(road.labels(pull), ["gate:outcome-passed"]);
    assert!(road.comments(issue).len() == 1, "only the verdict on its start stands at the issue");
    insta::assert_snapshot!(said(&road).join("\n"), @"
    Failure Outcome gate: 🔴 Returned TOO_ABSTRACT (2 notes)
    Failure Outcome gate: 🔴 Returned TOO_ABSTRACT (2 notes)
    Success Outcome gate: ⚖️ Overridden TOO_ABSTRACT (0 notes)
    ");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_override_there_keeps_its_own_time_and_a_second_one_is_heard() {
    let mut road = Road::new().await;
    let (issue, pull) = reported(&mut road, &story::report_with_log()).await;
    let id = road.world.look_at(&widgets()).unwrap().id;
    let before = road.clock.now();
    road.person("hanako").comment(pull, "/gate override outcome --reason \"a demonstration\"").unwrap();
    assert!(road.settle().await);
    let records = road.store.records(id, issue).await.unwrap();
    let made = records.last().unwrap().record.overridden.clone().unwrap();
    assert!(made.at >= before - std::time::Duration::from_secs(1), "{made:?}");
    road.person("hanako").comment(pull, "/gate override outcome --reason \"again\"").unwrap();
    assert!(road.settle().await);
    let told = road.comments(pull).pop().unwrap();
    assert!(told.contains("has passed already"), "{told}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_checks_again_judges_no_pull_request_that_never_reported() {
    let mut road = Road::new().await;
    let issue = road.person("hanako").open_issue("Export", COMPLETE).unwrap();
    let contract = include_str!("../contracts/handoff-en.yaml");
    let files = [("contracts/handoff.yaml", Some(contract.as_bytes()))];
    let hanako = road.person("hanako");
    let pull = hanako.propose("A contract", PullSource::Repository, &files).unwrap();
    hanako.edit_body(pull, &format!("Refs #{issue}")).unwrap();
    assert!(road.settle().await);
    let head = road.world.look_at(&widgets()).unwrap().checks[0].head.clone();
    road.world.as_person("hanako").at(&widgets()).rerun_all(&head).unwrap();
    assert!(road.settle().await);
    assert_eq!((checks(&road).len(), road.comments(issue).len()), (0, 0));
    assert!(road.labels(pull).is_empty() && road.labels(issue).is_empty());
    assert!(road.headings(pull).iter().all(|heading| !heading.contains("Outcome")), "{:?}", road.headings(pull));
}
