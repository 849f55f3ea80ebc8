//! The worker's own accidents: a job that panics, a job that kills its process each time, a stop.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, reason = "a test program")]

mod support;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sekisho::adapters::local::ManualClock;
use sekisho::app::{App, Settings, Stepped};
use sekisho::domain::ids::WorkerId;
use sekisho::ports::{Clock, Store as _};
use std::sync::Arc;
use std::time::Duration;
use support::texts::COMPLETE;
use support::{Road, keys};
use tokio_util::sync::CancellationToken;

/// Whoever sleeps by it panics: a run does where the forge shows an older state.
struct Brittle(Arc<ManualClock>);

#[async_trait]
impl Clock for Brittle {
    fn now(&self) -> DateTime<Utc> {
        self.0.now()
    }

    async fn sleep_until(&self, _: DateTime<Utc>) {
        panic!("nobody sleeps here");
    }
}

async fn labelled() -> Road {
    let mut road = Road::new().await;
    let number = road.person("taro").open_issue("Export", COMPLETE).unwrap();
    road.settle().await;
    road.clock_on(Duration::from_mins(1));
    road.person("hanako").label(number, "gate:start").unwrap();
    road.deliver(1).await;
    road.clock_on(Duration::from_secs(2));
    road
}

fn brittle(road: &Road) -> Arc<App> {
    let clock = Arc::new(Brittle(road.clock.clone()));
    let forge = Arc::new(road.world.clone());
    Arc::new(App::new(forge, road.store.clone(), clock, Settings::new(keys()), WorkerId::new("brittle")))
}

#[tokio::test]
async fn a_job_that_panics_ends_as_dead_and_frees_its_lane() {
    let road = labelled().await;
    let app = brittle(&road);
    for _ in 0..3 {
        road.world.stale_reads(1);
        assert_eq!(app.step().await.unwrap(), Stepped::Worked);
        road.clock_on(Duration::from_mins(1));
    }
    let depth = road.store.depth().await.unwrap();
    assert_eq!((depth.dead, depth.ready, depth.running), (1, 0, 0));
}

#[tokio::test]
async fn a_job_whose_worker_dies_each_time_is_given_up() {
    let road = labelled().await;
    let lease = Duration::from_mins(1);
    for life in 0..19 {
        let worker = WorkerId(format!("life-{life}"));
        road.store.expire(road.clock.now()).await.unwrap();
        assert!(road.store.claim(&worker, road.clock.now(), lease).await.unwrap().is_some(), "life {life}");
        road.clock_on(Duration::from_secs(61));
    }
    road.work_due().await;
    assert_eq!(road.store.depth().await.unwrap().dead, 1);
}

#[tokio::test]
async fn work_survives_a_panic_and_ends_when_it_is_told_to() {
    let road = labelled().await;
    let app = brittle(&road);
    road.world.stale_reads(1);
    let stop = CancellationToken::new();
    let work = tokio::spawn(app.work(stop.clone()));
    while road.store.depth().await.unwrap().running == 0
        && road.comments(sekisho::domain::ids::IssueNumber(1)).is_empty()
    {
        road.clock_on(Duration::from_secs(1));
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    // The panic cost one attempt; the next finds a forge that shows the newest state.
    for _ in 0..5_000 {
        if !road.comments(sekisho::domain::ids::IssueNumber(1)).is_empty() {
            break;
        }
        road.clock_on(Duration::from_secs(1));
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    assert_eq!(road.headings(sekisho::domain::ids::IssueNumber(1)), ["## Start gate: ✅ PASS"]);
    stop.cancel();
    tokio::time::timeout(Duration::from_secs(5), work).await.unwrap().unwrap();
    assert_eq!(road.store.depth().await.unwrap().running, 0);
}
