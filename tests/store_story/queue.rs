//! The queue's part of the story.

use super::world::{LEASE, at, claim, command, edit, label, lane, must_claim, unpause, worker};
use sekisho::domain::event::CauseKind;
use sekisho::domain::ids::Login;
use sekisho::ports::{Depth, JobEnd, Store, StoreError, Taken, Work};

fn retry(ms: i64, counted: bool) -> JobEnd {
    JobEnd::Retry { at: at(ms), error: "502".to_owned(), counted }
}

fn dead() -> JobEnd {
    JobEnd::Dead { error: "gave up".to_owned() }
}

pub async fn every_method_of_the_queue(store: impl Store) {
    store.ping().await.expect("writable");
    assert_eq!(store.depth().await, Ok(Depth::default()));
    assert_eq!(store.next_due().await, Ok(None));
    assert_eq!(claim(&store, 0).await, None);

    let given = label("d1", 1, "gate:start", 0);
    assert_eq!(store.take_in(std::slice::from_ref(&given)).await, Ok(vec![Taken::New]));
    assert_eq!(store.next_due().await, Ok(Some(at(1_000))));
    assert_eq!(claim(&store, 999).await, None, "its quiet window is not over");
    let job = must_claim(&store, 1_000).await;
    let Work::Wake { wake, .. } = given.work else { panic!("a label wakes") };
    assert_eq!(job.wake, *wake);
    assert_eq!((job.attempt, job.created_at, job.worker.as_str()), (1, at(0), "w"));
    assert_eq!(store.depth().await, Ok(Depth { running: 1, ..Depth::default() }));
    assert_eq!(store.next_due().await, Ok(None));

    store.renew(&job, at(90_000)).await.expect("the lease is held");
    assert_eq!(store.expire(at(80_000)).await, Ok(0), "it was prolonged");
    store.end(&job, retry(5_000, true), at(2_000)).await.expect("the lease is held");
    assert_eq!(store.depth().await, Ok(Depth { ready: 1, oldest_due: Some(at(5_000)), ..Depth::default() }));
    let again = must_claim(&store, 5_000).await;
    assert_eq!((&again.id, again.attempt), (&job.id, 2));
    store.end(&again, dead(), at(5_100)).await.expect("the lease is held");
    assert_eq!(store.depth().await, Ok(Depth { dead: 1, ..Depth::default() }));
    assert_eq!(store.revive(&lane(2), at(6_000)).await, Ok(0), "another lane");
    assert_eq!(store.revive(&lane(1), at(6_000)).await, Ok(1));
    let revived = must_claim(&store, 6_000).await;
    assert_eq!((&revived.id, revived.attempt), (&job.id, 1));
    store.end(&revived, JobEnd::Done, at(6_100)).await.expect("the lease is held");
    assert_eq!(store.depth().await, Ok(Depth::default()));
    assert_eq!(claim(&store, 1_000_000).await, None);
}

pub async fn a_delivery_is_taken_in_once(store: impl Store) {
    let one = command("d1", 1, 0);
    let twice = [one.clone(), one.clone(), command("d2", 1, 1)];
    assert_eq!(store.take_in(&twice).await, Ok(vec![Taken::New, Taken::Repeated, Taken::New]));
    assert_eq!(store.take_in(std::slice::from_ref(&one)).await, Ok(vec![Taken::Repeated]));
    assert_eq!(store.depth().await.expect("depth").ready, 2);
    let job = must_claim(&store, 10).await;
    assert_eq!(store.take_in(std::slice::from_ref(&one)).await, Ok(vec![Taken::Repeated]), "running");
    store.end(&job, JobEnd::Done, at(20)).await.expect("held");
    assert_eq!(store.take_in(&[one]).await, Ok(vec![Taken::Repeated]), "done");
    assert_eq!(store.depth().await.expect("depth").ready, 1);
}

pub async fn labels_merge_and_keep_their_first_due(store: impl Store) {
    let mut second = label("d2", 1, "gate:start", 600);
    if let Work::Wake { wake, .. } = &mut second.work {
        wake.cause.actor = Some(Login::new("second"));
    }
    let batch = [
        label("d1", 1, "gate:start", 0),
        second,
        label("d3", 1, "gate:acceptance", 650),
        label("d4", 2, "gate:start", 700),
    ];
    assert_eq!(store.take_in(&batch).await, Ok(vec![Taken::New; 4]));
    assert_eq!(store.depth().await.expect("depth").ready, 3, "per label and lane");
    let job = must_claim(&store, 1_000).await;
    assert_eq!(job.wake.cause.actor.as_ref().map(Login::as_str), Some("second"), "the newer cause");
    assert_eq!(job.wake.cause.at, at(600));
    assert_eq!(job.created_at, at(0));

    // A late delivery of something older changes nothing of a newer cause.
    assert_eq!(store.take_in(&[label("d5", 3, "gate:start", 5_000)]).await, Ok(vec![Taken::New]));
    assert_eq!(store.take_in(&[label("d6", 3, "gate:start", 4_000)]).await, Ok(vec![Taken::New]));
    store.end(&job, JobEnd::Done, at(1_000)).await.expect("held");
    let mut seen = Vec::new();
    while let Some(job) = claim(&store, 60_000).await {
        seen.push((job.wake.lane.number.0, job.wake.cause.at));
        store.end(&job, JobEnd::Done, at(60_000)).await.expect("held");
    }
    assert_eq!(seen, [(1, at(650)), (2, at(700)), (3, at(5_000))]);
}

pub async fn edits_are_debounced_up_to_the_first_latest(store: impl Store) {
    // Every 15 s an edit: each pushes the run 20 s on, but not past 60 s after the first.
    for (n, ms) in [0, 15_000, 30_000].into_iter().enumerate() {
        store.take_in(&[edit(&format!("d{n}"), 1, ms)]).await.expect("taken");
        assert_eq!(store.next_due().await, Ok(Some(at(ms + 20_000))));
    }
    store.take_in(&[edit("d8", 1, 45_000)]).await.expect("taken");
    assert_eq!(store.next_due().await, Ok(Some(at(60_000))));
    store.take_in(&[edit("d9", 1, 59_000)]).await.expect("taken");
    assert_eq!(claim(&store, 59_999).await, None);
    let job = must_claim(&store, 60_000).await;
    assert_eq!((job.wake.cause.kind, job.wake.cause.at), (CauseKind::Edit, at(59_000)));
    assert_eq!(store.depth().await, Ok(Depth { running: 1, ..Depth::default() }));
}

pub async fn one_batch_merges_as_many_would(store: impl Store) {
    // A repetition at its head, edits of one lane, and another lane between them.
    store.take_in(&[edit("d0", 1, 0)]).await.expect("taken");
    let first = must_claim(&store, 20_000).await;
    store.end(&first, JobEnd::Done, at(20_000)).await.expect("held");
    let batch =
        [edit("d0", 1, 0), edit("d1", 1, 30_000), edit("d2", 2, 31_000), edit("d3", 1, 40_000), edit("d4", 1, 99_000)];
    let expected = [Taken::Repeated, Taken::New, Taken::New, Taken::New, Taken::New];
    assert_eq!(store.take_in(&batch).await, Ok(expected.to_vec()));
    assert_eq!(store.depth().await.expect("depth").ready, 2);
    assert_eq!(must_claim(&store, 51_000).await.wake.lane, lane(2));
    assert_eq!(claim(&store, 89_999).await, None, "60 s after the first of this batch");
    let job = must_claim(&store, 90_000).await;
    assert_eq!((job.wake.lane.clone(), job.wake.cause.at), (lane(1), at(99_000)));
    // Each of the merged ones knows its job.
    store.end(&job, dead(), at(90_000)).await.expect("held");
    assert_eq!(store.take_in(&batch[3..4]).await, Ok(vec![Taken::Revived]));
    let job = must_claim(&store, 90_000).await;
    store.end(&job, dead(), at(90_000)).await.expect("held");
    assert_eq!(store.take_in(&batch[1..2]).await, Ok(vec![Taken::Revived]));
}

pub async fn commands_never_merge(store: impl Store) {
    store.take_in(&[command("d1", 1, 0), command("d2", 1, 0)]).await.expect("taken");
    assert_eq!(store.depth().await.expect("depth").ready, 2);
}

pub async fn what_has_begun_is_merged_with_nothing(store: impl Store) {
    store.take_in(&[label("d1", 1, "gate:start", 0)]).await.expect("taken");
    let first = must_claim(&store, 1_000).await;
    store.take_in(&[label("d2", 1, "gate:start", 1_100)]).await.expect("taken");
    // Neither while it runs, nor when it waits for its second attempt, nor after an uncounted release.
    store.end(&first, retry(9_000, false), at(1_200)).await.expect("held");
    store.take_in(&[label("d3", 1, "gate:start", 1_300)]).await.expect("taken");
    assert_eq!(store.depth().await.expect("depth").ready, 2);
    assert_eq!(claim(&store, 8_999).await, None, "the first stands before the second");
    assert_eq!(must_claim(&store, 9_000).await.id, first.id);
}

pub async fn a_lane_goes_in_order_of_arrival(store: impl Store) {
    store
        .take_in(&[label("d1", 1, "gate:start", 0), command("d2", 1, 10), command("d3", 2, 20), command("d4", 2, 30)])
        .await
        .expect("taken");
    assert_eq!(store.next_due().await, Ok(Some(at(20))), "the command behind the label is not counted");
    let other = must_claim(&store, 50).await;
    assert_eq!(other.wake.lane, lane(2), "lane 1 waits for its label's window");
    assert_eq!(claim(&store, 50).await, None, "one job of a lane at a time");
    let first = must_claim(&store, 1_000).await;
    assert_eq!((first.wake.lane, first.wake.cause.kind), (lane(1), CauseKind::Label));
    assert_eq!(claim(&store, 1_000).await, None);
    store.end(&other, JobEnd::Done, at(1_000)).await.expect("held");
    assert_eq!(must_claim(&store, 1_000).await.wake.cause.at, at(30));
}

pub async fn an_edit_in_its_window_stops_nobody(store: impl Store) {
    store.take_in(&[edit("d1", 1, 0), command("d2", 1, 100)]).await.expect("taken");
    assert_eq!(store.next_due().await, Ok(Some(at(100))));
    let command = must_claim(&store, 100).await;
    assert_eq!(command.wake.cause.kind, CauseKind::Command);
    assert_eq!(claim(&store, 30_000).await, None, "the lane is taken, though the edit is due");
    store.end(&command, JobEnd::Done, at(30_000)).await.expect("held");
    let edit_job = must_claim(&store, 30_000).await;
    assert_eq!(edit_job.wake.cause.kind, CauseKind::Edit);
    // One that has begun does stop the later ones while it waits for its next attempt.
    store.end(&edit_job, retry(90_000, true), at(30_000)).await.expect("held");
    store.take_in(&[super::world::command("d3", 1, 31_000)]).await.expect("taken");
    assert_eq!(claim(&store, 60_000).await, None);
    // One that is due stops them, too: it came first.
    store.take_in(&[edit("d4", 2, 0), super::world::command("d5", 2, 1_000)]).await.expect("taken");
    assert_eq!(must_claim(&store, 20_000).await.wake.cause.kind, CauseKind::Edit);
}

pub async fn a_paused_job_stops_nobody_and_comes_back(store: impl Store) {
    store.take_in(&[command("d1", 1, 0), command("d2", 1, 1), command("d3", 2, 2)]).await.expect("taken");
    let first = must_claim(&store, 10).await;
    store.end(&first, JobEnd::Paused { until: at(3_600_000) }, at(10)).await.expect("held");
    assert_eq!(store.depth().await.expect("depth").paused, 1);
    let second = must_claim(&store, 10).await;
    assert_ne!(second.id, first.id);
    store.end(&second, JobEnd::Done, at(20)).await.expect("held");
    let third = must_claim(&store, 20).await;
    store.end(&third, JobEnd::Done, at(20)).await.expect("held");
    assert_eq!(store.next_due().await, Ok(Some(at(3_600_000))));
    assert_eq!(claim(&store, 50).await, None);

    assert_eq!(store.take_in(&[unpause("d4", 100)]).await, Ok(vec![Taken::New]));
    assert_eq!(store.take_in(&[unpause("d4", 100)]).await, Ok(vec![Taken::Repeated]));
    assert_eq!(store.next_due().await, Ok(Some(at(100))));
    let again = must_claim(&store, 100).await;
    assert_eq!((&again.id, again.attempt), (&first.id, 1), "a pause is no attempt");

    // Without an event it comes back by itself, at the time that was said.
    store.end(&again, JobEnd::Paused { until: at(200) }, at(110)).await.expect("held");
    assert_eq!(claim(&store, 199).await, None);
    assert_eq!(must_claim(&store, 200).await.id, first.id);
}

pub async fn an_expired_lease_is_taken_over_before_later_jobs(store: impl Store) {
    store.take_in(&[command("d1", 1, 0), command("d2", 1, 1)]).await.expect("taken");
    let lost = must_claim(&store, 10).await;
    assert_eq!(store.expire(at(30_010)).await, Ok(0), "the lease ends at that very moment");
    assert_eq!(store.expire(at(30_011)).await, Ok(1));
    let taken = store.claim(&worker("other"), at(30_011), LEASE).await.expect("answered").expect("it is due");
    assert_eq!((&taken.id, taken.attempt), (&lost.id, 2));
    assert!(matches!(store.renew(&lost, at(99_000)).await, Err(StoreError::Conflict(_))));
    assert!(matches!(store.end(&lost, JobEnd::Done, at(31_000)).await, Err(StoreError::Conflict(_))));
    store.end(&taken, JobEnd::Done, at(31_000)).await.expect("held");
    assert_eq!(must_claim(&store, 31_000).await.wake.cause.at, at(1));
}

pub async fn a_lost_lease_changes_nothing(store: impl Store) {
    store.take_in(&[command("d1", 1, 0)]).await.expect("taken");
    let held = must_claim(&store, 0).await;
    let mut forged = held.clone();
    forged.worker = worker("someone else");
    let mut old = held.clone();
    old.attempt = 0;
    for stranger in [forged, old] {
        assert!(matches!(store.renew(&stranger, at(1)).await, Err(StoreError::Conflict(_))));
        for end in [JobEnd::Done, retry(1, true), JobEnd::Paused { until: at(1) }, dead()] {
            assert!(matches!(store.end(&stranger, end, at(1)).await, Err(StoreError::Conflict(_))));
        }
    }
    store.end(&held, JobEnd::Done, at(1)).await.expect("held");
    assert!(matches!(store.end(&held, JobEnd::Done, at(1)).await, Err(StoreError::Conflict(_))), "twice");
}

pub async fn a_release_counts_no_attempt(store: impl Store) {
    store.take_in(&[command("d1", 1, 0)]).await.expect("taken");
    for _ in 0..3 {
        let job = must_claim(&store, 0).await;
        assert_eq!(job.attempt, 1);
        store.end(&job, retry(0, false), at(0)).await.expect("held");
    }
    let job = must_claim(&store, 0).await;
    store.end(&job, retry(0, true), at(0)).await.expect("held");
    assert_eq!(must_claim(&store, 0).await.attempt, 2);
}

pub async fn a_dead_job_is_revived_by_its_delivery_or_its_lane(store: impl Store) {
    // Two deliveries, one job: either of them revives it.
    let merged = [label("d1", 1, "gate:start", 0), label("d2", 1, "gate:start", 10)];
    store.take_in(&merged).await.expect("taken");
    store.take_in(&[command("d3", 1, 20)]).await.expect("taken");
    for again in merged {
        let job = must_claim(&store, 1_000).await;
        assert_eq!((job.wake.cause.kind, job.attempt), (CauseKind::Label, 1));
        store.end(&job, dead(), at(1_000)).await.expect("held");
        assert_eq!(store.take_in(std::slice::from_ref(&again)).await, Ok(vec![Taken::Revived]));
        assert_eq!(store.take_in(&[again]).await, Ok(vec![Taken::Repeated]), "alive again");
    }
    let job = must_claim(&store, 1_000).await;
    assert_eq!(job.wake.cause.kind, CauseKind::Label, "its old place, before the command");
    store.end(&job, dead(), at(1_000)).await.expect("held");
    assert_eq!(must_claim(&store, 1_000).await.wake.cause.kind, CauseKind::Command, "a dead job stops nobody");
    assert_eq!(store.revive(&lane(1), at(2_000)).await, Ok(1));
    assert_eq!(store.revive(&lane(1), at(2_000)).await, Ok(0));
}

pub async fn a_batch_may_hold_anything(store: impl Store) {
    assert_eq!(store.take_in(&[]).await, Ok(vec![]));
    let odd = "gate:\u{0}'\";--% 日本語 🚦 \\ ${}";
    let mut batch: Vec<_> = (0..200).map(|n| command(&format!("d{n}"), 1 + n % 7, 0)).collect();
    batch.push(label(odd, 9, odd, 0));
    batch.push(label("twin", 9, odd, 0));
    batch.push(unpause("u", 0));
    assert_eq!(store.take_in(&batch).await, Ok(vec![Taken::New; 203]));
    assert_eq!(store.take_in(&batch).await, Ok(vec![Taken::Repeated; 203]));
    assert_eq!(store.depth().await.expect("depth").ready, 201);
    let mut wakes = Vec::new();
    while let Some(job) = claim(&store, 1_000).await {
        store.end(&job, JobEnd::Done, at(1_000)).await.expect("held");
        wakes.push(job.wake);
    }
    assert_eq!(wakes.last().and_then(|wake| wake.cause.trigger.as_deref()), Some(odd));

    // A number that no database holds is refused with its whole batch, and harms nothing.
    let mut huge = command("huge", 1, 0);
    if let Work::Wake { wake, .. } = &mut huge.work {
        wake.lane.repository = sekisho::domain::ids::RepositoryId(u64::MAX);
    }
    assert!(matches!(store.take_in(&[command("fine", 1, 0), huge]).await, Err(StoreError::Conflict(_))));
    assert_eq!(store.take_in(&[command("fine", 1, 0)]).await, Ok(vec![Taken::New]));
}

/// Leaves one job of each state behind.
pub async fn fill(store: &impl Store) {
    let batch: Vec<_> = (1..=4).map(|n| command(&format!("d{n}"), n, 0)).collect();
    assert_eq!(store.take_in(&batch).await, Ok(vec![Taken::New; 4]));
    let first = must_claim(store, 0).await;
    store.end(&first, JobEnd::Done, at(0)).await.expect("held");
    let second = must_claim(store, 0).await;
    store.end(&second, dead(), at(0)).await.expect("held");
    must_claim(store, 0).await;
}

/// Whether whoever held the running job of [`fill`] still has the database open.
#[derive(Clone, Copy)]
pub enum Holder {
    Lives,
    IsGone,
}

/// What [`fill`] left is there. The job that ran is ready again at once where its holder is gone, else with its lease's end.
pub async fn is_filled(store: &impl Store, holder: Holder) {
    let depth = store.depth().await.expect("depth");
    let leased = match holder {
        Holder::Lives => 1,
        Holder::IsGone => 0,
    };
    assert_eq!((depth.ready, depth.running, depth.paused, depth.dead), (2 - leased, leased, 0, 1));
    assert_eq!(store.take_in(&[command("d1", 1, 0)]).await, Ok(vec![Taken::Repeated]));
    assert_eq!(store.take_in(&[command("d2", 2, 0)]).await, Ok(vec![Taken::Revived]));
    assert_eq!(store.expire(at(60_000)).await, Ok(leased));
    for attempt in [1, 2, 1] {
        let job = must_claim(store, 60_000).await;
        assert_eq!(job.attempt, attempt, "{job:?}");
        store.end(&job, JobEnd::Done, at(60_000)).await.expect("held");
    }
    assert_eq!(claim(store, 60_000).await, None);
}
