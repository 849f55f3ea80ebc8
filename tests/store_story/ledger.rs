//! The part of the story about records and effects.

use super::world::{at, label, lane};
use sekisho::domain::contract::Mode;
use sekisho::domain::effect::{EffectId, EffectKind, PostedComment};
use sekisho::domain::event::CauseKind;
use sekisho::domain::ids::{
    AppId, BlobHash, CommentId, GateId, IssueNumber, Login, Mac, NodeId, RepositoryId, RepositoryName, Revision, RunId,
};
use sekisho::domain::record::{
    Confidence, ContractRef, Disposition, Record, RecordCause, SCHEMA, Signature, SubjectRef, Trust, Verdict,
};
use sekisho::ports::{Intent, LedgerEntry, RecordFilter, Regained, Store, StoreError, Work};
use serde_json::json;

const REPOSITORY: RepositoryId = RepositoryId(77);
const NUMBER: IssueNumber = IssueNumber(1);

fn record(gate: GateId, seq: u64, edit: u64) -> Record {
    Record {
        gate,
        verdict: Some(Verdict::Pass),
        confidence: Some(Confidence::High),
        model: Some("rules".to_owned()),
        reasons: vec!["確認できた".to_owned()],
        return_to: None,
        questions: vec![],
        disposition: Disposition::Passed,
        triage_cause: None,
        overridden: None,
        children: vec![],
        schema: SCHEMA.to_owned(),
        run: RunId::new(format!("{gate}-{seq}")),
        app: Some(AppId(12345)),
        repository: Some(REPOSITORY),
        subject: SubjectRef { number: Some(NUMBER), url: None, revision: Revision::new("r") },
        seq,
        edit,
        prev: None,
        was: None,
        attempt: 1,
        contract: ContractRef { path: "contracts/x.yaml".to_owned(), commit: None, blob: BlobHash::new("b") },
        mode: Mode::Enforce,
        cause: RecordCause {
            kind: CauseKind::Label,
            trigger: Some("gate:start".to_owned()),
            actor: Some(Login::new("octo")),
            source: None,
            at: at(0),
            trust: Trust::Trusted,
        },
        findings: vec![],
        unmatched: vec![],
        undecided: vec![],
        history: vec![],
        judged_at: at(0),
        receipt: None,
        signature: Some(Signature { kid: "k".to_owned(), alg: "HMAC-SHA-256".to_owned(), mac: Mac::new("00") }),
    }
}

fn intent(run: &str, kind: EffectKind, ordinal: u32, payload: serde_json::Value) -> Intent {
    Intent { id: EffectId { run: RunId::new(run), kind, ordinal }, lane: lane(1), payload }
}

fn comment(id: u64) -> PostedComment {
    PostedComment { id: CommentId(id), node: NodeId::new(format!("IC_{id}")), url: format!("https://example.org/{id}") }
}

pub async fn records_are_appended_and_read_back(store: impl Store) {
    assert_eq!(store.records(REPOSITORY, NUMBER).await, Ok(vec![]));
    // `start` before `acceptance` in time, behind it on the road.
    for (gate, seq, edit) in
        [(GateId::Start, 1, 0), (GateId::Start, 2, 0), (GateId::Acceptance, 1, 0), (GateId::Start, 2, 1)]
    {
        store.append(&record(gate, seq, edit), &[]).await.expect("its place is free");
    }
    store.posted(REPOSITORY, NUMBER, GateId::Start, 2, &comment(5)).await.expect("noted");
    store.posted(REPOSITORY, NUMBER, GateId::Start, 2, &comment(6)).await.expect("noted anew");
    let records = store.records(REPOSITORY, NUMBER).await.expect("read");
    let places: Vec<_> =
        records.iter().map(|stored| (stored.record.gate, stored.record.seq, stored.record.edit)).collect();
    assert_eq!(places, [(GateId::Acceptance, 1, 0), (GateId::Start, 1, 0), (GateId::Start, 2, 1)]);
    assert_eq!(records[2].record, record(GateId::Start, 2, 1));
    assert_eq!(records[2].comment, Some(comment(6)), "an edit shares its record's comment");
    assert_eq!((&records[0].comment, &records[1].comment), (&None, &None));
    assert_eq!(store.records(REPOSITORY, IssueNumber(2)).await, Ok(vec![]));
    assert_eq!(store.records(RepositoryId(78), NUMBER).await, Ok(vec![]));
}

pub async fn the_subjects_judged_last_are_found(store: impl Store) {
    assert_eq!(store.judged(REPOSITORY, 5).await, Ok(vec![]));
    let place = |(number, gate, seq, edit, day): (u64, GateId, u64, u64, i64), verdict| {
        let mut record = record(gate, seq, edit);
        (record.subject.number, record.verdict) = (Some(IssueNumber(number)), verdict);
        record.judged_at += chrono::Duration::days(day);
        record
    };
    let pass = Some(Verdict::Pass);
    let rows = [
        (place((1, GateId::Start, 1, 0, 1), pass), true),
        (place((1, GateId::Start, 1, 1, 5), pass), false),
        (place((2, GateId::Start, 1, 0, 2), pass), false),
        (place((2, GateId::Start, 2, 0, 9), None), false),
        (place((2, GateId::Acceptance, 1, 0, 3), pass), false),
        (place((3, GateId::Start, 1, 0, 8), None), false),
        (place((4, GateId::Start, 1, 0, 1), pass), false),
    ];
    for (record, posted) in &rows {
        store.append(record, &[]).await.expect("its place is free");
        if *posted {
            store.posted(REPOSITORY, IssueNumber(1), GateId::Start, 1, &comment(7)).await.expect("noted");
        }
    }
    let found = store.judged(REPOSITORY, 2).await.expect("read");
    let records: Vec<_> = found.iter().map(|stored| stored.record.clone()).collect();
    // Of one and two, the newest with a verdict; three has none, and four was judged before them.
    assert_eq!(records, [rows[1].0.clone(), rows[4].0.clone(), rows[2].0.clone()]);
    assert_eq!((&found[0].comment, &found[1].comment), (&Some(comment(7)), &None));
    assert_eq!(store.judged(REPOSITORY, 0).await, Ok(vec![]));
    assert_eq!(store.judged(RepositoryId(78), 5).await, Ok(vec![]));
}

pub async fn records_of_a_repository_are_found_by_its_name(store: impl Store) {
    let name = |name: &str| RepositoryName::new("acme", name);
    assert_eq!(store.repository_named(&name("widgets")).await, Ok(None));
    assert_eq!(store.records_of(REPOSITORY, &RecordFilter::default()).await, Ok(vec![]));
    // Made before the deliveries that are still there, under a name of then.
    let mut old = record(GateId::Start, 1, 0);
    old.subject.url = Some("https://github.com/acme/gadgets/issues/1".to_owned());
    old.judged_at = at(-5_000);
    store.append(&old, &[]).await.expect("its place is free");
    assert_eq!(store.repository_named(&name("Gadgets")).await, Ok(Some(REPOSITORY)));
    assert_eq!(store.repository_named(&name("gadget")).await, Ok(None), "whole names only");

    let named = |id: &str, repository: RepositoryId| {
        let mut delivery = label(id, 1, "gate:start", 0);
        if let Work::Wake { wake, .. } = &mut delivery.work {
            wake.lane.repository = repository;
        }
        delivery
    };
    store.take_in(&[named("d1", RepositoryId(9)), named("d2", REPOSITORY)]).await.expect("taken in");
    assert_eq!(store.repository_named(&name("WIDGETS")).await, Ok(Some(REPOSITORY)), "who bears the name now");

    let mut pull = record(GateId::Acceptance, 1, 0);
    pull.subject.number = Some(IssueNumber(8));
    pull.judged_at = at(500);
    let mut newer = record(GateId::Start, 2, 0);
    newer.judged_at = at(1_000);
    let mut rewritten = newer.clone();
    rewritten.edit = 1;
    for record in [&newer, &pull, &rewritten] {
        store.append(record, &[]).await.expect("its place is free");
    }
    store.posted(REPOSITORY, NUMBER, GateId::Start, 2, &comment(6)).await.expect("noted");
    let all = RecordFilter::default();
    for (filter, expect) in [
        (all.clone(), vec![(1, 1, 0), (8, 1, 0), (1, 2, 1)]),
        (RecordFilter { number: Some(NUMBER), ..all.clone() }, vec![(1, 1, 0), (1, 2, 1)]),
        (RecordFilter { gate: Some(GateId::Acceptance), ..all.clone() }, vec![(8, 1, 0)]),
        (RecordFilter { since: Some(at(500)), ..all.clone() }, vec![(8, 1, 0), (1, 2, 1)]),
        (RecordFilter { since: Some(at(501)), ..all.clone() }, vec![(1, 2, 1)]),
        (RecordFilter { number: Some(IssueNumber(8)), gate: Some(GateId::Start), since: None }, vec![]),
    ] {
        let found = store.records_of(REPOSITORY, &filter).await.expect("read");
        let places: Vec<_> = found
            .iter()
            .map(|stored| {
                (stored.record.subject.number.expect("it is of an issue").0, stored.record.seq, stored.record.edit)
            })
            .collect();
        assert_eq!(places, expect, "{filter:?}");
    }
    let found = store.records_of(REPOSITORY, &all).await.expect("read");
    assert_eq!((&found[2].record, &found[2].comment), (&rewritten, &Some(comment(6))));
    assert_eq!(store.records_of(RepositoryId(9), &all).await, Ok(vec![]));
}

pub async fn a_record_behind_the_newest_is_refused_whole(store: impl Store) {
    let run = |n: u32| intent("r", EffectKind::Comment, n, json!({"body": "…"}));
    store.append(&record(GateId::Start, 1, 0), &[run(0)]).await.expect("its place is free");
    store.append(&record(GateId::Start, 2, 0), &[]).await.expect("its place is free");
    store.append(&record(GateId::Start, 2, 1), &[]).await.expect("its place is free");
    for (seq, edit) in [(1, 0), (1, 1), (2, 0), (2, 1)] {
        let refused = store.append(&record(GateId::Start, seq, edit), &[run(7)]).await;
        assert!(matches!(refused, Err(StoreError::Conflict(_))), "{seq} {edit}: {refused:?}");
    }
    let mut nowhere = record(GateId::Start, 3, 0);
    nowhere.repository = None;
    assert!(matches!(store.append(&nowhere, &[run(8)]).await, Err(StoreError::Conflict(_))));
    let open = store.open(&lane(1)).await.expect("read");
    assert_eq!(
        open.iter().map(|entry| entry.intent.clone()).collect::<Vec<_>>(),
        [run(0)],
        "no intent without its record"
    );
    store.append(&record(GateId::Start, 3, 0), &[]).await.expect("the connection is in order after refusals");
}

pub async fn an_effect_is_intended_once_sent_and_settled(store: impl Store) {
    let first = intent("r1", EffectKind::Comment, 0, json!({"body": "本文 \u{0} 🚦"}));
    let entry = store.intend(&first).await.expect("stored");
    assert_eq!(entry, LedgerEntry { intent: first.clone(), sent_at: None, result: None });
    store.sent(&first.id, at(10)).await.expect("noted");
    let other = Intent { payload: json!({"body": "something else"}), ..first.clone() };
    let entry = store.intend(&other).await.expect("given back");
    assert_eq!(
        entry,
        LedgerEntry { intent: first.clone(), sent_at: Some(at(10)), result: None },
        "what stands, stands"
    );

    let second = intent("r1", EffectKind::AddLabel, 0, json!({"name": "gate:start-passed"}));
    let third = intent("r1", EffectKind::Comment, 1, json!(null));
    for more in [&second, &third] {
        store.intend(more).await.expect("stored");
    }
    let open = store.open(&lane(1)).await.expect("read");
    assert_eq!(open.iter().map(|entry| &entry.intent).collect::<Vec<_>>(), [&first, &second, &third], "oldest first");
    assert_eq!(store.open(&lane(2)).await, Ok(vec![]));

    store.settle(&first.id, &json!({"id": 5})).await.expect("noted");
    store.settle(&second.id, &json!(null)).await.expect("null is a result");
    assert_eq!(store.intend(&first).await.expect("given back").result, Some(json!({"id": 5})));
    assert_eq!(store.intend(&second).await.expect("given back").result, Some(json!(null)));
    let open = store.open(&lane(1)).await.expect("read");
    assert_eq!(open.iter().map(|entry| &entry.intent).collect::<Vec<_>>(), [&third]);

    let unknown = EffectId { run: RunId::new("nobody"), kind: EffectKind::Reply, ordinal: 0 };
    assert!(matches!(store.sent(&unknown, at(0)).await, Err(StoreError::Conflict(_))));
    assert!(matches!(store.settle(&unknown, &json!(1)).await, Err(StoreError::Conflict(_))));
}

pub async fn what_was_lost_is_put_back_and_nothing_that_stands_is_touched(store: impl Store) {
    assert_eq!(store.restore(&[]).await, Ok(0));
    let regained = |seq: u64, edit: u64, id: u64| Regained {
        record: record(GateId::Split, seq, edit),
        comment: comment(id),
        entries: vec![
            LedgerEntry {
                intent: intent(&format!("split-{seq}"), EffectKind::Child, 0, json!({"index": 0})),
                sent_at: None,
                result: Some(json!({"issue": 7})),
            },
            LedgerEntry {
                intent: intent(&format!("split-{seq}"), EffectKind::Child, 1, json!({"index": 1})),
                sent_at: None,
                result: None,
            },
        ],
    };
    // The database knows the third record and what it was to file; its comment's place was lost with a crash.
    store.append(&record(GateId::Split, 3, 1), &[]).await.expect("its place is free");
    store
        .settle(&store.intend(&regained(3, 1, 0).entries[1].intent).await.expect("stored").intent.id, &json!("done"))
        .await
        .expect("noted");
    let lost = [regained(1, 0, 11), regained(2, 1, 12), regained(3, 1, 13)];
    assert_eq!(store.restore(&lost).await, Ok(2), "behind the newest, too");
    let read = async || {
        let records = store.records(REPOSITORY, NUMBER).await.expect("read");
        let shown = records.iter().map(|one| (one.record.seq, one.record.edit, one.comment.clone().map(|it| it.id.0)));
        shown.collect::<Vec<_>>()
    };
    let whole = [(1, 0, Some(11)), (2, 1, Some(12)), (3, 1, Some(13))];
    assert_eq!(read().await, whole);
    assert_eq!(store.entries(&RunId::new("split-1")).await, Ok(lost[0].entries.clone()));
    let third = store.entries(&RunId::new("split-3")).await.expect("read");
    assert_eq!(third.len(), 1, "a record that stands brings nothing");
    assert_eq!(third[0].result, Some(json!("done")));
    let open: Vec<_> = store.open(&lane(1)).await.expect("read").into_iter().map(|entry| entry.intent.id.run).collect();
    assert_eq!(open, [RunId::new("split-1"), RunId::new("split-2")]);

    assert_eq!(store.restore(&lost).await, Ok(0), "again: nothing more");
    let mut other = regained(3, 1, 99);
    other.record.reasons = vec!["another".to_owned()];
    assert_eq!(store.restore(&[regained(2, 0, 98), other]).await, Ok(0), "an earlier edit, and another record");
    assert_eq!(read().await, whole);
    assert_eq!(store.restore(&[regained(3, 2, 13)]).await, Ok(1), "a later edit than a copy of yesterday holds");
    assert_eq!(read().await[2], (3, 2, Some(13)));

    let mut nowhere = regained(4, 0, 14);
    nowhere.record.subject.number = None;
    assert!(matches!(store.restore(&[regained(5, 0, 15), nowhere]).await, Err(StoreError::Conflict(_))));
    assert_eq!(read().await.len(), 3, "all of them or none");
    store.append(&record(GateId::Split, 4, 0), &[]).await.expect("the connection is in order after a refusal");
}
