//! Crash tests: the App is stopped before and after its n-th write, for every n. The end is always the same, nothing twice.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, reason = "a test program")]

mod support;

use sekisho::adapters::local::{Display, Moment};
use sekisho::domain::ids::IssueNumber;
use sekisho::ports::Store as _;
use sekisho::render;
use support::texts::{COMPLETE, VAGUE};
use support::{Road, widgets};

/// What is compared: everything that people and tools can see, less ids and times.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    comments: Vec<String>,
    labels: Vec<String>,
    records: Vec<String>,
}

/// Return by label, pass by edit, unchanged by label, status, pass again by retry: every kind of write that a start gate makes.
async fn story(stop: Option<(u64, Moment)>, times: usize) -> (Seen, u64) {
    let mut road = Road::new().await;
    let number = road.person("taro").open_issue("Export", VAGUE).unwrap();
    if let Some((nth, moment)) = stop {
        road.stop_at_write(nth, moment);
    }
    let acts: [&dyn Fn(&Road); 5] = [
        &|road| road.person("hanako").label(number, "gate:start").unwrap(),
        &|road| road.person("taro").edit_body(number, COMPLETE).unwrap(),
        &|road| road.person("hanako").label(number, "gate:start").unwrap(),
        &|road| {
            road.person("taro").comment(number, "/gate status").unwrap();
        },
        &|road| {
            road.person("hanako").comment(number, "/gate retry start").unwrap();
        },
    ];
    for act in acts {
        act(&road);
        road.deliver(times).await;
        road.settle_through().await;
    }
    (seen(&road, number).await, road.crashes)
}

async fn seen(road: &Road, number: IssueNumber) -> Seen {
    let issue = road.world.look_at_issue(&widgets(), number).unwrap();
    let ours = issue.comments.iter().filter(|comment| comment.app.is_some());
    let comment = |body: &str| {
        let heading =
            body.lines().find(|line| line.starts_with("## ") || line.starts_with('|')).unwrap_or_default().to_owned();
        match render::codec::read_record(body).unwrap() {
            Some(record) => format!("{heading} seq {} edit {} attempt {}", record.seq, record.edit, record.attempt),
            None => heading,
        }
    };
    let comments = ours
        .map(|one| format!("{} {}", comment(&one.body), if one.display == Display::Outdated { "outdated" } else { "" }))
        .collect();
    let id = road.world.look_at(&widgets()).unwrap().id;
    let records = road.store.records(id, number).await.unwrap();
    let record = |stored: &sekisho::domain::run::StoredRecord| {
        let record = &stored.record;
        let posted = stored.comment.is_some();
        format!(
            "{} {:?} {:?} seq {} edit {} attempt {} posted {posted}",
            record.gate, record.verdict, record.disposition, record.seq, record.edit, record.attempt
        )
    };
    Seen { comments, labels: road.labels(number), records: records.iter().map(record).collect() }
}

async fn every_write(moment: Moment, times: usize) {
    let (whole, none) = story(None, times).await;
    assert_eq!(none, 0);
    assert_eq!(whole.comments.len(), 4, "{whole:#?}");
    assert_eq!(whole.records.len(), 3, "{whole:#?}");
    let mut met = 0;
    for nth in 1.. {
        let (seen, crashes) = story(Some((nth, moment)), times).await;
        assert_eq!(seen, whole, "stopped {moment:?} write {nth}");
        if crashes == 0 {
            break;
        }
        met += 1;
    }
    assert!(met >= 12, "only {met} writes were met");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stopped_before_every_write() {
    every_write(Moment::Before, 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stopped_after_every_write() {
    every_write(Moment::After, 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stopped_after_every_write_under_tripled_deliveries() {
    every_write(Moment::After, 3).await;
}
