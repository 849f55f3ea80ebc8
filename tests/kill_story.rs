//! The parent's story with kill -9 from outside at every write: in one telling before GitHub hears of the write, in another
//! one after GitHub did it and before the service hears so. In the end GitHub and the database are as if nothing had
//! happened, and nothing stands twice.
//!
//! It takes minutes, so `cargo test` alone leaves it out: `just kill-story`, or `cargo test --test kill_story -- --nocapture`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, reason = "a test program")]

#[path = "emulator/mod.rs"]
mod emulator;
mod parent_road;
#[path = "support/plain.rs"]
mod plain;
#[path = "support/script.rs"]
mod script;
mod service;

use parent_road::Road;
use parent_road::proxy::{Side, Tally};
use serde_json::Value;
use std::time::Instant;

/// What stands in the end, and what it took.
async fn told(side: Option<Side>) -> (String, Tally) {
    let begun = Instant::now();
    let mut road = Road::new(side).await;
    road.tell().await;
    let whole = road.whole().await;
    assert_eq!(road.emulator.violations().await, Vec::<Value>::new());
    assert!(!whole.contains(&script::token()), "a token that leaked is shown");
    let tally = road.proxy.tally();
    let how = side.map_or_else(|| "undisturbed".to_owned(), |side| format!("killed {side:?} each write"));
    println!(
        "{how}: {} writes, {} kills, 0 violations in {} requests of the App, {} s; written again: {:?}",
        tally.writes,
        tally.kills,
        road.emulator.calls().await.len(),
        begun.elapsed().as_secs(),
        tally.again
    );
    (whole, tally)
}

async fn every_write(side: Side) {
    let (whole, undisturbed) = told(None).await;
    let (seen, tally) = told(Some(side)).await;
    for (at, (seen, whole)) in seen.lines().zip(whole.lines()).enumerate() {
        assert_eq!(seen, whole, "line {at}, killed {side:?} each write");
    }
    assert_eq!(seen.lines().count(), whole.lines().count());
    println!("the same {} lines stand in the end", whole.lines().count());
    assert!(tally.kills >= undisturbed.writes, "{tally:?} beside {undisturbed:?}");
    // A label that stands, or a reaction of one's own, is put on once however often it is asked for.
    let shows = |what: &String| !what.ends_with("/labels") && !what.ends_with("/reactions");
    assert!(!tally.again.iter().any(shows), "written twice: {:?}", tally.again);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_before_every_write_it_ends_the_same() {
    every_write(Side::Before).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_after_every_write_it_ends_the_same() {
    every_write(Side::After).await;
}
