//! One parent issue from acceptance to integration on the World, and the same with the App stopped at every write.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, reason = "a test program")]

mod support;

use insta::assert_snapshot;
use sekisho::adapters::local::{Method, Moment};
use sekisho::domain::ids::IssueNumber;
use sekisho::ports::Store as _;
use sekisho::render::codec;
use std::fmt::Write as _;
use support::{Road, plain, story, widgets};

/// Everything that people and tools can see in the end, less ids and times.
async fn seen(road: &Road, parent: IssueNumber) -> String {
    let mut out = String::new();
    let mut numbers = vec![parent];
    numbers.extend(story::children(road, parent));
    let id = road.world.look_at(&widgets()).unwrap().id;
    for number in numbers {
        let issue = road.world.look_at_issue(&widgets(), number).unwrap();
        writeln!(out, "#{number} {} [{}]", issue.title, road.labels(number).join(", ")).unwrap();
        for comment in issue.comments.iter().filter(|comment| comment.app.is_some()) {
            let heading = comment.body.lines().find(|line| line.starts_with("## ")).unwrap_or("(a reply)");
            let record = codec::read_record(&comment.body).unwrap();
            let record = record.map_or_else(String::new, |record| {
                let children: Vec<String> = record
                    .children
                    .iter()
                    .map(|child| child.number.map_or("?".to_owned(), |it| it.to_string()))
                    .collect();
                let return_to = record.return_to.map_or_else(String::new, |role| format!(" to {role:?}"));
                format!(
                    " seq {} edit {} attempt {}{return_to} {}",
                    record.seq,
                    record.edit,
                    record.attempt,
                    children.join("+")
                )
            });
            writeln!(out, "  {heading}{record}").unwrap();
        }
        let records = road.store.records(id, number).await.unwrap();
        writeln!(out, "  {} records, all posted: {}", records.len(), records.iter().all(|one| one.comment.is_some()))
            .unwrap();
    }
    let world = road.world.snapshot();
    for line in world.lines().filter(|line| line.contains("sub-issues") || line.contains("blocked by")) {
        writeln!(out, "{line}").unwrap();
    }
    out
}

/// What a person reads: bodies that the App wrote, and its comments.
fn printed(road: &Road, parent: IssueNumber) -> String {
    let mut out = String::new();
    let mut numbers = vec![parent];
    numbers.extend(story::children(road, parent));
    for number in numbers {
        let issue = road.world.look_at_issue(&widgets(), number).unwrap();
        writeln!(out, "# #{number} {}\n\nLabels: {}\n", issue.title, road.labels(number).join(", ")).unwrap();
        if number != parent {
            writeln!(out, "{}\n---\n", issue.body).unwrap();
        }
        for comment in road.comments(number) {
            writeln!(out, "{}\n\n---\n", plain::printed(&comment)).unwrap();
        }
    }
    plain::plain(&out)
}

/// The story; the App is stopped at its n-th write, if at all. With the calls that do what would show if it were done twice.
async fn told(stop: Option<(u64, Moment)>, times: usize) -> (String, u64, u64) {
    let mut road = Road::new().await;
    if let Some((nth, moment)) = stop {
        road.stop_at_write(nth, moment);
    }
    let parent = story::tell(&mut road, times).await;
    let counts = road.world.counts();
    let shows =
        [Method::CreateComment, Method::EditComment, Method::CreateIssue, Method::AddSubIssue, Method::AddBlockedBy];
    let made = shows.into_iter().map(|method| counts.of(method)).sum();
    (seen(&road, parent).await, made, road.crashes)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_parent_goes_from_acceptance_to_integration() {
    let mut road = Road::new().await;
    let parent = story::tell(&mut road, 1).await;
    plain::golden("parent.md", &printed(&road, parent));
    assert!(!printed(&road, parent).contains(&story::token()), "a token that leaked is shown");
    assert_snapshot!(seen(&road, parent).await, @"
    #1 Export the month [gate:acceptance-passed, gate:integration-passed, gate:split-passed]
      ## Acceptance gate: 🔴 Returned TOO_ABSTRACT seq 1 edit 0 attempt 1 to IssueAuthor 
      ## Acceptance gate: ✅ PASS seq 2 edit 0 attempt 1 
      ## Split gate: 🔴 Returned TOO_ABSTRACT seq 1 edit 0 attempt 1 to Decomposer 
      ## Split gate: ✅ PASS seq 2 edit 1 attempt 1 2+3+4
      ## Integration gate: ⚖️ Overridden TOO_ABSTRACT seq 1 edit 1 attempt 1 
      5 records, all posted: true
    #2 Export the month [gate:child, gate:outcome-passed, gate:start-passed]
      ## Start gate: ✅ PASS seq 1 edit 0 attempt 1 
      ## Outcome gate: 🔴 Returned TOO_ABSTRACT seq 1 edit 0 attempt 1 to Implementation 
      ## Outcome gate: 🟣 Triage TOO_CONCRETE seq 2 edit 0 attempt 1 
      ## Outcome gate: 🔴 Returned TOO_CONCRETE seq 3 edit 0 attempt 2 to Worker 
      ## Outcome gate: 🔴 Returned TOO_CONCRETE seq 4 edit 0 attempt 1 to Worker 
      ## Outcome gate: ✅ PASS seq 5 edit 0 attempt 1 
      6 records, all posted: true
    #3 Say why an export failed [gate:child, gate:outcome-passed, gate:start-passed]
      ## Start gate: ✅ PASS seq 1 edit 0 attempt 1 
      ## Outcome gate: ✅ PASS seq 1 edit 0 attempt 1 
      2 records, all posted: true
    #4 List exports of 30 days [gate:child, gate:start-passed]
      ## Start gate: ✅ PASS seq 1 edit 0 attempt 1 
      1 records, all posted: true
    sub-issues: #2, #3, #4
    blocked by: #2
    blocked by: #3
    ");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deliveries_that_come_three_times_change_nothing() {
    assert_eq!(told(None, 3).await.0, told(None, 1).await.0);
}

/// People act in bursts here, so that as many deliveries as can be are outstanding together, and nothing but the order in
/// which people waited for verdicts is kept: a report that is written before the issue has started is no report yet.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deliveries_that_come_twice_and_in_no_order_change_nothing() {
    let (whole, ..) = told(None, 1).await;
    for seed in 0..12 {
        let mut road = Road::new().await;
        road.shuffle(seed);
        let parent = story::tell_in_bursts(&mut road).await;
        assert_eq!(seen(&road, parent).await, whole, "seed {seed}");
    }
}

async fn every_write(moment: Moment) {
    let (whole, once, _) = told(None, 1).await;
    let mut met = 0;
    for nth in 1.. {
        let (seen, made, crashes) = told(Some((nth, moment)), 1).await;
        assert_eq!(seen, whole, "stopped {moment:?} write {nth}");
        // A write that did not arrive is asked for once more; one that was done is not.
        let more = u64::from(moment == Moment::Before);
        assert!((once..=once + more).contains(&made), "{made} calls for {once}, stopped {moment:?} write {nth}");
        if crashes == 0 {
            break;
        }
        met += 1;
    }
    println!("{met} writes, each stopped {moment:?} it");
    assert!(met >= 60, "only {met} writes were met");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stopped_before_every_write_it_ends_the_same() {
    every_write(Moment::Before).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stopped_after_every_write_it_ends_the_same() {
    every_write(Moment::After).await;
}
