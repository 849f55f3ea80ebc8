//! Many workers, many lanes, repeated deliveries, forced retries, crashes: no lane is ever out of order.

use super::world::{LEASE, at, command, worker};
use sekisho::domain::event::Lane;
use sekisho::domain::ids::JobId;
use sekisho::ports::{JobEnd, Store, StoreError};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

const LANES: u64 = 23;
const JOBS: i64 = 600;
const WORKERS: u64 = 12;

/// What the workers saw: who is at work in a lane, and which jobs it has finished, by their cause's time.
#[derive(Default)]
struct Seen {
    busy: HashMap<Lane, JobId>,
    finished: HashMap<Lane, Vec<i64>>,
    violations: Vec<String>,
}

pub async fn many_workers_keep_every_lane_in_order(store: impl Store + 'static) {
    let store = Arc::new(store);
    let seen = Arc::new(Mutex::new(Seen::default()));
    let clock = Arc::new(AtomicI64::new(JOBS));
    let all_in = Arc::new(AtomicBool::new(false));
    let workers: Vec<_> = (0..WORKERS)
        .map(|n| tokio::spawn(work(n, Arc::clone(&store), Arc::clone(&seen), Arc::clone(&clock), Arc::clone(&all_in))))
        .collect();
    for n in 0..JOBS {
        let one = command(&format!("d{n}"), 1 + n.cast_unsigned() * 7 % LANES, n);
        let again = command(&format!("d{}", n / 2), 1 + (n / 2).cast_unsigned() * 7 % LANES, n / 2);
        store.take_in(&[one.clone(), again, one]).await.expect("taken");
    }
    all_in.store(true, Ordering::SeqCst);
    for worker in workers {
        worker.await.expect("no worker panics");
    }
    let seen = seen.lock().expect("whole");
    assert_eq!(seen.violations, Vec::<String>::new());
    assert_eq!(seen.finished.values().map(Vec::len).sum::<usize>(), usize::try_from(JOBS).expect("small"));
    for (lane, order) in &seen.finished {
        assert!(order.is_sorted(), "{lane:?}: {order:?}");
    }
}

async fn work(n: u64, store: Arc<impl Store>, seen: Arc<Mutex<Seen>>, clock: Arc<AtomicI64>, all_in: Arc<AtomicBool>) {
    let me = worker(&format!("w{n}"));
    let mut dice = 0x9E37_79B9_7F4A_7C15 ^ (n + 1);
    loop {
        dice ^= dice << 13;
        dice ^= dice >> 7;
        dice ^= dice << 17;
        let now = at(clock.fetch_add(1, Ordering::SeqCst));
        // One claim in eight is made by a worker who will die: its lease ends at once, the others' in half a minute.
        let doomed = dice.is_multiple_of(8);
        let lease = if doomed { std::time::Duration::ZERO } else { LEASE };
        let Some(job) = store.claim(&me, now, lease).await.expect("answered") else {
            let depth = store.depth().await.expect("depth");
            if all_in.load(Ordering::SeqCst) && depth.ready + depth.running == 0 {
                return;
            }
            tokio::task::yield_now().await;
            continue;
        };
        if doomed {
            store.expire(now + chrono::Duration::milliseconds(1)).await.expect("expired");
            let late = store.end(&job, JobEnd::Done, now).await;
            assert!(matches!(late, Err(StoreError::Conflict(_))), "a dead worker ended a job: {late:?}");
            continue;
        }
        let lane = job.wake.lane.clone();
        if let Some(other) = seen.lock().expect("whole").busy.insert(lane.clone(), job.id.clone()) {
            seen.lock().expect("whole").violations.push(format!("{} beside {other}", job.id));
        }
        tokio::task::yield_now().await;
        let end = match dice % 7 {
            0 => JobEnd::Retry { at: now, error: "again".to_owned(), counted: true },
            1 => JobEnd::Retry { at: now, error: "stop".to_owned(), counted: false },
            _ => JobEnd::Done,
        };
        // The notes are made before the end, while nobody else may have the lane.
        {
            let mut seen = seen.lock().expect("whole");
            seen.busy.remove(&lane);
            if end == JobEnd::Done {
                seen.finished.entry(lane).or_default().push(job.wake.cause.at.timestamp_millis());
            }
        }
        store.end(&job, end, now).await.expect("it holds the lease");
    }
}
