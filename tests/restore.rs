//! The database is lost, and the App's own signed comments give the records back: on demand and by itself.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, reason = "a test program")]

mod support;

use sekisho::adapters::local::{Access, Display, Method, Moment, Visibility};
use sekisho::app::{Report, Writing};
use sekisho::domain::effect::EffectKind;
use sekisho::domain::ids::{CommentId, GateId, IssueNumber, RepositoryName};
use sekisho::domain::record::Record;
use sekisho::ports::{RecordFilter, Store as _};
use sekisho::render::codec;
use std::fmt::Write as _;
use std::time::Duration;
use support::story::{self, children};
use support::texts::{COMPLETE, VAGUE};
use support::{Road, widgets};

/// How many records were put back, and what was told beside them.
fn told(report: &Report) -> (usize, Vec<String>) {
    let faults = report.faults.iter().map(|fault| {
        let seq = fault.seq.map_or_else(String::new, |seq| format!(" {seq}"));
        format!("#{}{seq} {}", fault.number, fault.what.as_str())
    });
    (report.rows.iter().map(|row| row.restored).sum(), faults.collect())
}

/// The records that the App's comments on an issue show.
fn shown(road: &Road, number: IssueNumber) -> Vec<Record> {
    road.comments(number).iter().filter_map(|body| codec::read_record(body).unwrap()).collect()
}

async fn stored(road: &Road) -> usize {
    let id = road.world.look_at(&widgets()).unwrap().id;
    road.store.records_of(id, &RecordFilter::default()).await.unwrap().len()
}

/// An issue that was labelled `gate:start` and judged.
async fn judged(body: &str) -> (Road, IssueNumber) {
    let mut road = Road::new().await;
    let number = road.person("taro").open_issue("Export", body).unwrap();
    road.person("hanako").label(number, "gate:start").unwrap();
    assert!(road.settle().await);
    (road, number)
}

/// The ids of the App's comments on an issue, oldest first.
fn comment_ids(road: &Road, number: IssueNumber) -> Vec<CommentId> {
    let issue = road.world.look_at_issue(&widgets(), number).unwrap();
    issue.comments.iter().filter(|comment| comment.app.is_some()).map(|comment| comment.id).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_history_comes_back_byte_for_byte() {
    let mut road = Road::new().await;
    let parent = story::tell(&mut road, 1).await;
    let before = road.record_lines().await;
    let everyone = [vec![parent], children(&road, parent)].concat();
    let world: Vec<_> = everyone.iter().map(|number| (road.comments(*number), road.labels(*number))).collect();
    assert_eq!(before.lines().count(), 14);
    road.lose_database().await;
    assert_eq!(road.record_lines().await, "");

    let dry = road.app.restore(&widgets(), None, Writing::DryRun).await.unwrap();
    assert_eq!((told(&dry), stored(&road).await), ((14, Vec::new()), 0), "a dry run writes nothing");
    road.world.reset_counts();
    assert_eq!(told(&road.restore().await), (14, Vec::new()));
    let counts = road.world.counts();
    assert_eq!((counts.of(Method::OwnComments), counts.of(Method::Comments), counts.writes()), (1, 0, 0));
    assert_eq!(road.record_lines().await, before);
    let again = road.restore().await;
    assert_eq!(told(&again), (0, Vec::new()), "what stands is left");
    assert_eq!(again.rows.iter().map(|row| row.stood).sum::<usize>(), 14);

    // Whatever is asked again finds the same question, and the places of its comments.
    assert!(road.settle().await);
    for number in &everyone {
        road.person("hanako").comment(*number, "/gate status").unwrap();
    }
    for (number, label) in [(parent, "gate:acceptance"), (children(&road, parent)[0], "gate:start")] {
        road.person("hanako").label(number, label).unwrap();
    }
    assert!(road.settle().await);
    assert_eq!(road.record_lines().await, before);
    let status = road.comments(parent).pop().unwrap();
    assert_eq!(status.matches("#issuecomment-").count(), 3, "{status}");
    for (number, (comments, labels)) in everyone.into_iter().zip(world) {
        let (now, status) = (road.comments(number), road.comments(number).len() - 1);
        assert_eq!((&now[..status], road.labels(number)), (&comments[..], labels), "nothing else was written");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_subject_whose_records_are_missing_is_restored_by_itself() {
    let (mut road, number) = judged(VAGUE).await;
    let before = road.record_lines().await;
    road.lose_database().await;
    road.person("hanako").label(number, "gate:start").unwrap();
    assert!(road.settle().await);
    assert_eq!((road.comments(number).len(), road.labels(number)), (1, vec!["gate:start-returned".to_owned()]));
    assert_eq!(road.record_lines().await, before, "unchanged: no second comment");

    // An edit alone brings a returned text back.
    road.lose_database().await;
    road.person("taro").edit_body(number, COMPLETE).unwrap();
    assert!(road.settle().await);
    let [one, two] = &shown(&road, number)[..] else { panic!("{:?}", road.headings(number)) };
    assert_eq!((two.seq, two.attempt, two.prev.as_ref()), (2, 1, one.signature.as_ref().map(|it| &it.mac)));
    assert_eq!(two.history, std::slice::from_ref(&one.run));
    let issue = road.world.look_at_issue(&widgets(), number).unwrap();
    assert_eq!(issue.comments[0].display, Display::Outdated, "the place of the first comment is known");

    // The text of before is an older key that comes back.
    road.lose_database().await;
    road.person("taro").edit_body(number, VAGUE).unwrap();
    road.person("hanako").comment(number, "/gate start").unwrap();
    assert!(road.settle().await);
    let third = shown(&road, number).pop().unwrap();
    assert_eq!((third.seq, third.attempt), (3, 2), "{:?}", road.headings(number));
    assert_eq!(stored(&road).await, 3);
    assert_eq!(told(&road.restore().await), (0, Vec::new()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn comments_are_looked_through_once_and_only_where_nothing_stands() {
    let mut road = Road::new().await;
    let number = road.person("taro").open_issue("Export", COMPLETE).unwrap();
    assert!(road.settle().await);
    road.world.reset_counts();
    road.person("hanako").label(number, "bug").unwrap();
    assert!(road.settle().await);
    assert_eq!(road.world.counts().budget(), (0, 0), "a label that triggers nothing");
    for _ in 0..2 {
        road.person("taro").edit_body(number, VAGUE).unwrap();
        assert!(road.settle().await);
        road.person("taro").edit_body(number, COMPLETE).unwrap();
        assert!(road.settle().await);
    }
    assert_eq!(road.world.counts().budget(), (1, 0), "edits of an issue that was never judged");
    road.person("hanako").label(number, "gate:start").unwrap();
    assert!(road.settle().await);
    assert_eq!(road.world.counts().budget(), (4, 3), "issue, permission, issue again");
    road.restart().await;
    road.world.reset_counts();
    road.person("hanako").label(number, "gate:start").unwrap();
    assert!(road.settle().await);
    assert_eq!(road.world.counts().of(Method::Comments), 0, "its record stands");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_cap_and_an_override_survive() {
    let (mut road, number) = judged(VAGUE).await;
    for _ in 0..2 {
        road.person("hanako").comment(number, "/gate retry start").unwrap();
        assert!(road.settle().await);
    }
    road.person("hanako").comment(number, "/gate override start --reason \"a trial\"").unwrap();
    assert!(road.settle().await);
    let before = road.record_lines().await;
    assert_eq!(shown(&road, number).pop().unwrap().edit, 1, "{:?}", road.headings(number));
    road.lose_database().await;
    road.person("hanako").label(number, "gate:start").unwrap();
    assert!(road.settle().await);
    assert_eq!(road.record_lines().await, before);
    assert!(road.labels(number).contains(&"gate:start-passed".to_owned()), "{:?}", road.labels(number));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_changed_comment_is_told_and_not_believed() {
    let (mut road, number) = judged(VAGUE).await;
    road.person("taro").edit_body(number, COMPLETE).unwrap();
    assert!(road.settle().await);
    let [first, _] = comment_ids(&road, number)[..] else { panic!("{:?}", road.headings(number)) };
    let body = road.comments(number)[0].clone();
    road.person("hanako").edit_comment(first, &body.replace("\"returned\"", "\"passed\"")).unwrap();
    // What an outsider pastes is nobody's record.
    road.person("taro").comment(number, &body).unwrap();
    road.lose_database().await;
    let report = road.restore().await;
    assert_eq!(told(&report), (1, vec![format!("#{number} tampered"), format!("#{number} 1 gap")]));
    let url = report.faults[0].url.clone().unwrap();
    assert!(url.ends_with(&format!("/issues/{number}#issuecomment-{first}")), "{url}");
    // The rest goes on from what is believed.
    road.person("hanako").label(number, "gate:start").unwrap();
    assert!(road.settle().await);
    assert_eq!(shown(&road, number).iter().map(|record| record.seq).collect::<Vec<_>>(), [1, 2], "unchanged");
    // What people only reflow still is what was signed.
    road.person("hanako").edit_comment(first, &body.replace('\n', "\r\n")).unwrap();
    assert_eq!(told(&road.restore().await), (1, Vec::new()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn comments_that_travelled_or_were_copied_prove_nothing() {
    let (mut road, number) = judged(COMPLETE).await;
    let gadgets = RepositoryName::new("acme", "gadgets");
    road.world.create_repository(&gadgets, Visibility::Public);
    road.world.grant(&gadgets, "hanako", Access::Admin);
    let other = road.person("taro").open_issue("Other", VAGUE).unwrap();
    road.person("hanako").label(other, "gate:start").unwrap();
    assert!(road.settle().await);
    // A maintainer copies a PASS over the return of another issue.
    road.person("hanako").edit_comment(comment_ids(&road, other)[0], &road.comments(number)[0]).unwrap();
    let moved = road.person("hanako").transfer(number, &gadgets).unwrap();
    road.lose_database().await;
    let there = road.app.restore(&gadgets, None, Writing::Stored).await.unwrap();
    assert_eq!(told(&there), (0, vec![format!("#{moved} foreign")]));
    assert!(!there.faults[0].what.harms());
    assert_eq!(told(&road.restore().await), (0, vec![format!("#{other} foreign")]));
    assert_eq!(stored(&road).await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_outcome_that_was_judged_in_a_pull_request_comes_back_to_its_issue() {
    let mut road = Road::new().await;
    let issue = road.person("hanako").open_issue("Export", COMPLETE).unwrap();
    road.person("hanako").label(issue, "gate:start").unwrap();
    assert!(road.settle().await);
    let body = format!("Closes #{issue}\n\n{}", story::report_on_two());
    let pull = road.person("mio").open_pull_request("Export the month", &body).unwrap();
    assert!(road.settle().await);
    let before = road.record_lines().await;
    road.lose_database().await;
    let report = road.restore().await;
    assert_eq!((told(&report), road.record_lines().await), ((2, Vec::new()), before.clone()));
    assert!(report.rows.iter().all(|row| row.number == issue), "{report:?}");
    // The pull request alone brings its own, and a run that it wakes both.
    road.lose_database().await;
    let alone = road.app.restore(&widgets(), Some(pull), Writing::Stored).await.unwrap();
    assert_eq!(told(&alone), (1, Vec::new()));
    assert_eq!(told(&road.restore().await).0, 1, "and the rest, when all is read");
    assert_eq!(road.record_lines().await, before);
    road.lose_database().await;
    road.person("hanako").comment(pull, "/gate outcome").unwrap();
    assert!(road.settle().await);
    assert_eq!((road.record_lines().await, road.headings(pull).len()), (before, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plan_that_stands_in_comments_of_its_own_comes_back_too() {
    let mut road = Road::new().await;
    let budget = story::parent().replace("3 children and 9 iterations", "60 children and 500 iterations");
    let parent = road.person("hanako").open_issue("Export the month", &budget).unwrap();
    let words = "for the clerks. ".repeat(35);
    let one = |at: u32| {
        let child = story::child(at, &format!("Export part {at}"), &format!("R-{}", (at - 1) % 3 + 1), "none");
        child.replace("for the clerks.", words.trim_end())
    };
    road.person("hanako").comment(parent, &(1..=60).map(one).collect::<String>()).unwrap();
    road.person("hanako").label(parent, "gate:split").unwrap();
    assert!(road.settle().await);
    let before = road.record_lines().await;
    let posted = road.comments(parent).len();
    assert!(posted > 1, "the plan has parts");
    let id = road.world.look_at(&widgets()).unwrap().id;
    let run = shown(&road, parent)[0].run.clone();
    let drafts = async |road: &Road| {
        let entries = road.store.entries(&run).await.unwrap().into_iter();
        entries.filter(|entry| entry.intent.id.kind == EffectKind::Child).map(|entry| entry.intent).collect::<Vec<_>>()
    };
    let kept = drafts(&road).await;
    road.lose_database().await;
    assert_eq!((told(&road.restore().await), road.record_lines().await), ((1, Vec::new()), before));
    assert_eq!((drafts(&road).await, kept.len()), (kept.clone(), 60), "word for word");
    assert_eq!(
        road.store.records(id, parent).await.unwrap()[0].comment.as_ref().unwrap().id,
        comment_ids(&road, parent)[posted - 1]
    );
    // One of the parts is taken away: the plan proves nothing any more, the record does.
    road.person("hanako").delete_comment(comment_ids(&road, parent)[0]).unwrap();
    road.lose_database().await;
    assert_eq!(told(&road.restore().await), (1, vec![format!("#{parent} 1 plan-lost")]));
    assert_eq!(drafts(&road).await, []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn integration_reads_the_outcomes_that_its_children_lost() {
    let mut road = Road::new().await;
    let parent = story::tell(&mut road, 1).await;
    let before = shown(&road, parent).pop().unwrap();
    assert_eq!(before.gate, GateId::Integration);
    road.lose_database().await;
    road.person("hanako").comment(parent, "/gate retry integration").unwrap();
    assert!(road.settle().await);
    let after = shown(&road, parent).pop().unwrap();
    assert_eq!((after.seq, after.attempt, &after.subject.revision), (2, 2, &before.subject.revision));
    assert_eq!(after.reasons, before.reasons, "the children's outcomes count as before");
}

/// The lines that one of two texts has and the other has not.
fn difference(one: &str, other: &str) -> String {
    let only = |mark: &str, these: &str, those: &str| -> String {
        let lines = these.lines().filter(|line| !those.lines().any(|that| that == *line));
        lines.flat_map(|line| [mark, " ", line, "\n"]).collect()
    };
    only("-", one, other) + &only("+", other, one)
}

/// How the records come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    /// The operator restores.
    ByHand,
    /// Somebody labels again what still has its label.
    ByItself,
}

/// What stands in the end.
struct Split {
    seen: String,
    /// Whether the write was met at which the database was lost.
    lost: bool,
    /// Whether only labels were still to be put right.
    labels_only: bool,
}

/// A parent whose plan passes; the App is stopped at its n-th write of that, and the database lost there.
async fn split(stop: Option<(u64, Moment)>, how: How) -> Split {
    let mut road = Road::new().await;
    let parent = road.person("hanako").open_issue("Export the month", &story::parent()).unwrap();
    road.person("hanako").comment(parent, &story::plan()).unwrap();
    assert!(road.settle().await);
    if let Some((nth, moment)) = stop {
        road.stop_at_write(nth, moment);
    }
    road.clock_on(Duration::from_mins(1));
    road.person("hanako").label(parent, "gate:split").unwrap();
    let lost = !road.settle().await;
    let mut labels_only = false;
    if lost {
        road.lose_database().await;
        labels_only = shown(&road, parent).first().is_some_and(|record| record.edit == 1);
        if how == How::ByHand {
            let restored = told(&road.restore().await);
            assert_eq!(restored, (shown(&road, parent).len(), Vec::new()));
            assert!(road.settle().await);
        }
        // What was filed and numbered needs nobody; its label goes with the next verdict.
        if road.labels(parent).contains(&"gate:split".to_owned()) && !labels_only {
            road.person("hanako").unlabel(parent, "gate:split").unwrap();
            assert!(road.settle().await);
            road.person("hanako").label(parent, "gate:split").unwrap();
            assert!(road.settle().await);
        }
    } else {
        // Later writes stop nobody.
        road.start_anew().await;
    }
    let mut seen = String::new();
    for record in shown(&road, parent) {
        let numbers: Vec<_> = record.children.iter().map(|child| child.number.map(|it| it.0)).collect();
        writeln!(seen, "seq {} edit {} {:?} {numbers:?}", record.seq, record.edit, record.disposition).unwrap();
    }
    if !labels_only {
        seen += &road.world.snapshot();
    }
    // The children are the subject from now on, as if nothing had been lost.
    if road.labels(parent).contains(&"gate:split".to_owned()) {
        road.person("hanako").unlabel(parent, "gate:split").unwrap();
    }
    road.person("hanako").label(parent, "gate:split").unwrap();
    assert!(road.settle().await);
    let newest = shown(&road, parent).pop().unwrap();
    let filed = children(&road, parent).len();
    writeln!(seen, "{} {:?} {filed} children {:?}", newest.seq, newest.disposition, road.labels(parent)).unwrap();
    Split { seen, lost, labels_only }
}

async fn lost_at_every_write(how: How) {
    let whole = split(None, how).await;
    assert!(!whole.lost && whole.seen.contains("seq 1 edit 1 Passed [Some(2), Some(3), Some(4)]"), "{}", whole.seen);
    let named = |seen: &str| seen.lines().filter(|line| line.starts_with(char::is_numeric)).collect::<String>();
    for moment in [Moment::Before, Moment::After] {
        let (mut met, mut late) = (0, 0);
        for nth in 1.. {
            let Split { seen, lost, labels_only } = split(Some((nth, moment)), how).await;
            if labels_only {
                late += 1;
                assert_eq!(
                    (seen.lines().next(), named(&seen)),
                    (whole.seen.lines().next(), named(&whole.seen)),
                    "{nth}"
                );
            } else {
                assert!(seen == whole.seen, "lost {moment:?} write {nth}:\n{}", difference(&whole.seen, &seen));
            }
            if !lost {
                break;
            }
            met += 1;
        }
        assert!(met >= 10 && (1..=4).contains(&late), "{met} writes were met, {late} of them beside labels alone");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_split_that_was_half_filed_is_finished_after_a_restore_and_nothing_is_filed_twice() {
    lost_at_every_write(How::ByHand).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_split_that_was_half_filed_is_finished_by_the_next_label_and_nothing_is_filed_twice() {
    lost_at_every_write(How::ByItself).await;
}
