//! The ledger's look-up, seen from outside: when it looks, whose comments count, what becomes of a double.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, reason = "a test program")]

mod support;

use sekisho::adapters::local::{Calls, Method, Network};
use sekisho::app::{App, Settings, Stepped};
use sekisho::domain::event::Lane;
use sekisho::domain::ids::{IssueNumber, WorkerId};
use sekisho::ports::{Clock as _, Forge as _, ForgeError, LedgerEntry, Store as _};
use std::sync::Arc;
use std::time::Duration;
use support::texts::COMPLETE;
use support::{Road, keys, widgets};

/// A label, due now.
async fn labelled() -> (Road, IssueNumber) {
    let mut road = Road::new().await;
    let number = road.person("taro").open_issue("Export", COMPLETE).unwrap();
    road.settle().await;
    road.clock_on(Duration::from_mins(1));
    road.person("hanako").label(number, "gate:start").unwrap();
    road.deliver(1).await;
    road.clock_on(Duration::from_secs(2));
    (road, number)
}

/// The creates that stand open.
async fn open(road: &Road, number: IssueNumber) -> Vec<LedgerEntry> {
    let installation = road.world.place(&widgets()).installation;
    let repository = road.world.look_at(&widgets()).unwrap().id;
    road.store.open(&Lane { installation, repository, number }).await.unwrap()
}

fn body(entry: &LedgerEntry) -> String {
    entry.intent.payload["body"].as_str().unwrap().to_owned()
}

fn no_answer() -> ForgeError {
    ForgeError::Unreachable { what: "POST comment".into(), message: "timeout".into() }
}

#[tokio::test]
async fn a_lost_answer_is_looked_for_only_after_the_settle_time() {
    let (road, number) = labelled().await;
    let settle = Duration::from_mins(10);
    let settings = Settings { settle, ..Settings::new(keys()) };
    let (forge, store) = (Arc::new(road.world.clone()), road.store.clone());
    let app = App::new(forge, store, road.clock.clone(), settings, WorkerId::new("patient"));
    road.world.lose_answers(Calls::Of(Method::CreateComment), 1);
    assert_eq!(app.step().await.unwrap(), Stepped::Worked);
    let sent = open(&road, number).await[0].sent_at.unwrap();
    road.clock_on(Duration::from_secs(5));
    assert_eq!(app.step().await.unwrap(), Stepped::Worked);
    assert!(road.clock.now() >= sent + settle, "{} after {sent}", road.clock.now());
    assert_eq!(road.headings(number), ["## Start gate: ✅ PASS"]);
}

#[tokio::test]
async fn of_two_comments_of_one_create_the_first_stays() {
    let (mut road, number) = labelled().await;
    road.world.lose_answers(Calls::Of(Method::CreateComment), 1);
    road.work_due().await;
    let entry = open(&road, number).await.remove(0);
    let first = road.world.look_at_issue(&widgets(), number).unwrap().comments[0].id;
    road.world.create_comment(&road.world.place(&widgets()), number, &body(&entry)).await.unwrap();
    assert_eq!(road.comments(number).len(), 2);
    road.settle().await;
    let issue = road.world.look_at_issue(&widgets(), number).unwrap();
    assert_eq!(issue.comments.iter().map(|comment| comment.id).collect::<Vec<_>>(), [first]);
}

#[tokio::test]
async fn a_marker_in_somebody_elses_comment_counts_for_nothing() {
    let (mut road, number) = labelled().await;
    road.world.fail_next(Calls::Of(Method::CreateComment), 1, no_answer());
    road.work_due().await;
    let entry = open(&road, number).await.remove(0);
    road.person("taro").comment(number, &body(&entry)).unwrap();
    road.settle().await;
    assert_eq!(road.headings(number), ["## Start gate: ✅ PASS"], "the App's own");
    assert_eq!(road.world.look_at_issue(&widgets(), number).unwrap().comments.len(), 2, "taro's stays");
}

#[tokio::test]
async fn pause_holds_what_a_crash_left_open() {
    let (mut road, number) = labelled().await;
    road.world.fail_next(Calls::Of(Method::CreateComment), 1, no_answer());
    road.work_due().await;
    road.person("hanako").label(number, "gate:pause").unwrap();
    road.clock_on(Duration::from_mins(1));
    road.work_due().await;
    assert_eq!((road.comments(number).len(), road.store.depth().await.unwrap().paused), (0, 1));
    road.person("hanako").unlabel(number, "gate:pause").unwrap();
    road.settle().await;
    assert_eq!(road.headings(number), ["## Start gate: ✅ PASS"]);
}

#[tokio::test]
async fn the_apps_own_label_is_no_cause_even_where_the_door_does_not_know_the_app_yet() {
    let (mut road, number) = labelled().await;
    road.settle().await;
    road.world.add_label(&road.world.place(&widgets()), number, "gate:start").await.unwrap();
    road.world.reset_counts();
    road.settle().await;
    assert_eq!(road.world.counts().budget(), (0, 0));
}

#[tokio::test]
async fn a_reply_whose_run_failed_behind_it_is_not_said_again() {
    let mut road = Road::new().await;
    let number = road.person("taro").open_issue("Export", COMPLETE).unwrap();
    road.person("hanako").label(number, "gate:diagnosis").unwrap();
    road.world.fail_next(Calls::Of(Method::RemoveLabel), 1, no_answer());
    road.settle().await;
    assert_eq!((road.comments(number).len(), road.labels(number).len()), (1, 0));
}

#[tokio::test]
async fn however_often_a_limit_is_met_no_attempt_is_spent() {
    let (mut road, number) = labelled().await;
    for _ in 0..Settings::new(keys()).max_attempts + 8 {
        road.world.limit_until(road.clock.now() + Duration::from_secs(10));
        road.work_due().await;
        road.clock_on(Duration::from_secs(10));
    }
    road.settle().await;
    assert_eq!(road.headings(number), ["## Start gate: ✅ PASS"]);
}

#[tokio::test]
async fn a_trigger_that_is_taken_back_while_it_is_judged_is_cancelled() {
    let (mut road, number) = labelled().await;
    road.world.reset_counts();
    road.world.set_network(Network::Slow(Duration::from_secs(1)));
    let app = road.app.clone();
    let work = tokio::spawn(async move { app.step().await });
    while road.world.counts().of(Method::Permission) < 1 {
        tokio::task::yield_now().await;
    }
    road.person("hanako").unlabel(number, "gate:start").unwrap();
    work.await.unwrap().unwrap();
    road.world.set_network(Network::Up);
    road.settle().await;
    assert_eq!((road.comments(number).len(), road.labels(number).len()), (0, 0));
}
