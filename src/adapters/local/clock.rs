//! A clock driven by hand: nothing passes unless a test says so.

use crate::ports::Clock;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// Time that stands still until [`advance`](ManualClock::advance) moves it. Clones share the same time.
#[derive(Clone, Debug)]
pub struct ManualClock {
    face: Arc<watch::Sender<Face>>,
}

/// What the clock shows, and who waits for which time. A sleeper's number keeps two sleepers of one time apart.
#[derive(Debug)]
struct Face {
    now: DateTime<Utc>,
    sleepers: BTreeSet<(DateTime<Utc>, u64)>,
    next: u64,
}

impl ManualClock {
    /// A clock that shows this time.
    #[must_use]
    pub fn at(now: DateTime<Utc>) -> Self {
        let face = Face { now, sleepers: BTreeSet::new(), next: 0 };
        Self { face: Arc::new(watch::Sender::new(face)) }
    }

    /// Lets time pass and wakes whoever is due.
    pub fn advance(&self, by: Duration) {
        self.face.send_modify(|face| face.now += by);
    }

    /// Goes on to a time; an earlier one changes nothing, for time never runs back.
    pub fn set(&self, to: DateTime<Utc>) {
        self.face.send_modify(|face| face.now = face.now.max(to));
    }

    /// The earliest time that someone sleeps for.
    #[must_use]
    pub fn next_sleeper(&self) -> Option<DateTime<Utc>> {
        self.face.borrow().sleepers.first().map(|(at, _)| *at)
    }

    /// How many sleep now.
    #[must_use]
    pub fn sleepers(&self) -> usize {
        self.face.borrow().sleepers.len()
    }

    /// Returns once at least so many sleep, so that a test advances only after the code under test has gone to sleep.
    pub async fn until_sleepers(&self, count: usize) {
        // The sender lives in `self`, so the channel cannot close while we wait.
        let _ = self.face.subscribe().wait_for(|face| face.sleepers.len() >= count).await;
    }
}

/// Takes a sleeper off the list, also when its future is dropped.
struct Bed<'a> {
    clock: &'a ManualClock,
    entry: (DateTime<Utc>, u64),
}

impl Drop for Bed<'_> {
    fn drop(&mut self) {
        self.clock.face.send_modify(|face| {
            face.sleepers.remove(&self.entry);
        });
    }
}

#[async_trait]
impl Clock for ManualClock {
    fn now(&self) -> DateTime<Utc> {
        self.face.borrow().now
    }

    async fn sleep_until(&self, at: DateTime<Utc>) {
        if self.now() >= at {
            return;
        }
        let mut watch = self.face.subscribe();
        let mut entry = (at, 0);
        self.face.send_modify(|face| {
            face.next += 1;
            entry.1 = face.next;
            face.sleepers.insert(entry);
        });
        let _bed = Bed { clock: self, entry };
        let _ = watch.wait_for(|face| face.now >= at).await;
    }
}
