//! What happens when … : every end that the world can put to a run (chapter 8). Each is told in `docs/forge.md`, each
//! ends, and nothing is tried for ever.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, reason = "a test program")]

mod support;

use sekisho::adapters::local::{Access, Calls, Method, Moment, Standing, Visibility};
use sekisho::domain::contract::{builtin, print};
use sekisho::domain::ids::{IssueNumber, Language, RepositoryName};
use sekisho::ports::{Clock as _, Depth, ForgeError, Store as _};
use sekisho::render::codec;
use std::time::Duration;
use support::texts::{COMPLETE, VAGUE};
use support::{Road, widgets};

async fn labelled(body: &str) -> (Road, IssueNumber) {
    let mut road = Road::new().await;
    let number = road.person("taro").open_issue("Export", body).unwrap();
    road.settle().await;
    road.clock_on(Duration::from_mins(1));
    road.person("hanako").label(number, "gate:start").unwrap();
    (road, number)
}

async fn depth(road: &Road) -> Depth {
    road.store.depth().await.unwrap()
}

async fn records(road: &Road, number: IssueNumber) -> usize {
    let repository = road.world.look_at(&widgets()).unwrap().id;
    road.store.records(repository, number).await.unwrap().len()
}

const PASS: &str = "## Start gate: ✅ PASS";

fn forbidden(message: &str) -> ForgeError {
    ForgeError::Forbidden { what: "POST comment".into(), message: message.into() }
}

/// Lets the run come to just before its first write and stops the App there; `meanwhile` happens; a new App goes on.
async fn stopped_before_its_comment(meanwhile: impl FnOnce(&Road, IssueNumber)) -> (Road, IssueNumber) {
    let (mut road, number) = labelled(COMPLETE).await;
    road.stop_at_write(1, Moment::Before);
    assert!(!road.settle().await);
    meanwhile(&road, number);
    road.start_anew().await;
    assert!(road.settle().await);
    (road, number)
}

#[tokio::test]
async fn a_locked_conversation_hears_the_app_where_github_lets_it() {
    let (mut road, number) = labelled(COMPLETE).await;
    road.person("hanako").lock(number).unwrap();
    road.settle().await;
    assert_eq!(
        (road.headings(number), road.labels(number)),
        (vec![PASS.to_owned()], vec!["gate:start-passed".to_owned()])
    );
}

#[tokio::test]
async fn where_a_comment_is_forbidden_the_trigger_stays_and_the_next_trigger_finishes() {
    for message in ["Unable to create comment because issue is locked.", "User is blocked"] {
        let (mut road, number) = labelled(COMPLETE).await;
        road.world.fail_next(Calls::Of(Method::CreateComment), 1_000, forbidden(message));
        road.world.reset_counts();
        road.settle().await;
        assert_eq!(depth(&road).await.dead, 1, "{message}");
        assert_eq!((road.comments(number).len(), road.labels(number)), (0, vec!["gate:start".to_owned()]));
        assert!(road.world.counts().of(Method::CreateComment) <= 2, "{:?}", road.world.counts());
        road.world.clear_faults();
        road.person("hanako").unlabel(number, "gate:start").unwrap();
        road.person("hanako").label(number, "gate:start").unwrap();
        road.settle().await;
        assert_eq!(
            (road.headings(number), road.labels(number)),
            (vec![PASS.to_owned()], vec!["gate:start-passed".to_owned()])
        );
        assert_eq!(records(&road, number).await, 1, "the verdict that waited");
    }
}

#[tokio::test]
async fn an_archived_repository_is_left_alone_until_it_is_taken_up_again() {
    let (mut road, number) = labelled(COMPLETE).await;
    road.person("hanako").archive().unwrap();
    road.settle().await;
    assert_eq!((depth(&road).await.dead, road.comments(number).len(), road.labels(number).len()), (1, 0, 1));
    road.person("hanako").unarchive().unwrap();
    road.person("hanako").comment(number, "/gate start").unwrap();
    road.settle().await;
    assert_eq!(
        (road.headings(number), road.labels(number)),
        (vec![PASS.to_owned()], vec!["gate:start-passed".to_owned()])
    );
    assert_eq!(records(&road, number).await, 1);
}

#[tokio::test]
async fn a_deleted_issue_ends_quietly_whenever_it_goes() {
    let (mut road, number) = labelled(COMPLETE).await;
    road.person("hanako").delete_issue(number).unwrap();
    road.settle().await;
    assert_eq!(depth(&road).await, Depth::default());
    let (road, _) =
        stopped_before_its_comment(|road, number| road.person("hanako").delete_issue(number).unwrap()).await;
    assert_eq!(depth(&road).await, Depth::default());
}

#[tokio::test]
async fn an_issue_that_became_a_discussion_ends_quietly_whenever_it_does() {
    let (mut road, number) = labelled(COMPLETE).await;
    road.person("hanako").convert_to_discussion(number).unwrap();
    road.settle().await;
    assert_eq!(depth(&road).await, Depth::default());
    let convert = |road: &Road, number| road.person("hanako").convert_to_discussion(number).unwrap();
    let (road, _) = stopped_before_its_comment(convert).await;
    assert_eq!(depth(&road).await, Depth::default());
}

#[tokio::test]
async fn a_pull_request_that_holds_no_issue_gets_one_short_reply() {
    let mut road = Road::new().await;
    let number = road.person("hanako").open_pull_request("Change", COMPLETE).unwrap();
    road.person("hanako").label(number, "gate:start").unwrap();
    road.settle().await;
    assert_eq!((road.comments(number).len(), road.labels(number).len(), records(&road, number).await), (1, 0, 0));
}

fn gadgets(road: &Road) -> RepositoryName {
    let gadgets = RepositoryName::new("acme", "gadgets");
    road.world.create_repository(&gadgets, Visibility::Public);
    road.world.grant(&gadgets, "hanako", Access::Admin);
    let there = road.world.as_person("hanako").at(&gadgets);
    there.push_file("README.md", "# gadgets").unwrap();
    there.create_label("gate:start", "ededed").unwrap();
    gadgets
}

#[tokio::test]
async fn a_transferred_issue_takes_its_comments_along_and_is_new_where_it_arrives() {
    let (mut road, number) = labelled(VAGUE).await;
    road.settle().await;
    let gadgets = gadgets(&road);
    road.person("hanako").label(number, "gate:start").unwrap();
    let moved = road.person("hanako").transfer(number, &gadgets).unwrap();
    road.settle().await;
    assert_eq!(
        (depth(&road).await, records(&road, number).await),
        (Depth::default(), 1),
        "nothing is said at either end"
    );
    let there = road.world.as_person("hanako").at(&gadgets);
    there.unlabel(moved, "gate:start").unwrap();
    road.clock_on(Duration::from_secs(1));
    there.label(moved, "gate:start").unwrap();
    road.settle().await;
    let issue = road.world.look_at_issue(&gadgets, moved).unwrap();
    let told: Vec<_> = issue.comments.iter().map(|one| codec::read_record(&one.body).unwrap().unwrap()).collect();
    assert_eq!(
        (told.len(), told[1].seq, told[1].prev.clone()),
        (2, 1, None),
        "the old comment came along and counts for nothing"
    );
    assert_ne!(told[0].repository, told[1].repository);
    assert!(issue.labels.contains(&"gate:start-returned".to_owned()), "{:?}", issue.labels);
}

#[tokio::test]
async fn an_issue_that_is_transferred_under_a_run_is_not_written_to() {
    let (road, _) = stopped_before_its_comment(|road, number| {
        let gadgets = gadgets(road);
        road.person("hanako").transfer(number, &gadgets).unwrap();
    })
    .await;
    assert_eq!(depth(&road).await, Depth::default());
    let moved = road.world.look_at_issue(&RepositoryName::new("acme", "gadgets"), IssueNumber(1)).unwrap();
    assert_eq!(moved.comments.len(), 0);
}

#[tokio::test]
async fn a_renamed_repository_is_written_to_under_either_name() {
    let (mut road, number) = labelled(VAGUE).await;
    road.person("hanako").rename_repository("gears").unwrap();
    road.settle().await;
    let gears = RepositoryName::new("acme", "gears");
    let seen = |road: &Road| road.world.look_at_issue(&gears, number).unwrap();
    assert_eq!((seen(&road).comments.len(), seen(&road).labels), (1, vec!["gate:start-returned".to_owned()]));
    // The lane is the repository's id: what follows is the second record of the same chain.
    road.world.as_person("taro").at(&gears).edit_body(number, COMPLETE).unwrap();
    road.settle().await;
    let record = codec::read_record(&seen(&road).comments[1].body).unwrap().unwrap();
    assert_eq!((record.seq, seen(&road).labels), (2, vec!["gate:start-passed".to_owned()]));
    let (road, number) =
        stopped_before_its_comment(|road, _| road.person("hanako").rename_repository("gears").unwrap()).await;
    assert_eq!(road.world.look_at_issue(&gears, number).unwrap().comments.len(), 1);
}

#[tokio::test]
async fn a_suspended_installation_is_asked_once_and_works_again_when_it_is_let() {
    let (mut road, number) = labelled(COMPLETE).await;
    road.deliver(1).await;
    road.world.set_standing("hanako", Standing::Suspended);
    road.world.reset_counts();
    road.settle().await;
    assert_eq!(depth(&road).await.dead, 1);
    assert!(road.world.counts().reads() <= 3, "{:?}", road.world.counts());
    road.world.set_standing("hanako", Standing::Active);
    road.person("hanako").comment(number, "/gate start").unwrap();
    road.settle().await;
    assert_eq!(road.headings(number), [PASS]);
}

#[tokio::test]
async fn a_removed_installation_ends_quietly_and_its_contract_is_looked_up_anew_when_it_is_back() {
    let (mut road, number) = labelled(COMPLETE).await;
    let contract = print(builtin(Language::En)).replace("max_iterations_per_gate: 3", "max_iterations_per_gate: 2");
    road.person("hanako").push_file("contracts/handoff.yaml", contract).unwrap();
    road.deliver(1).await;
    road.world.set_standing("hanako", Standing::Removed);
    road.settle().await;
    assert_eq!(depth(&road).await, Depth::default());
    road.world.set_standing("hanako", Standing::Active);
    road.person("hanako").comment(number, "/gate start").unwrap();
    road.settle().await;
    let record = codec::read_record(&road.comments(number)[0]).unwrap().unwrap();
    assert_eq!(record.contract.path, "contracts/handoff.yaml");
}

#[tokio::test]
async fn a_repository_that_was_taken_out_of_the_installation_ends_quietly() {
    let (mut road, number) = labelled(COMPLETE).await;
    road.deliver(1).await;
    road.world.deselect("hanako", &widgets()).unwrap();
    road.settle().await;
    assert_eq!((depth(&road).await, road.comments(number).len()), (Depth::default(), 0));
}

#[tokio::test]
async fn a_blocked_persons_word_counts_for_nothing_and_their_issue_is_judged_like_any_other() {
    let mut road = Road::new().await;
    let number = road.person("taro").open_issue("Export", COMPLETE).unwrap();
    road.person("mio").comment(number, "/gate start").unwrap();
    road.deliver(1).await;
    road.world.block(&widgets(), "mio");
    road.world.block(&widgets(), "taro");
    road.settle().await;
    assert_eq!((road.comments(number).len(), records(&road, number).await), (1, 0), "refused, as anyone's would be");
    road.person("hanako").comment(number, "/gate start").unwrap();
    road.settle().await;
    assert_eq!(road.headings(number)[1], PASS);
}

#[tokio::test]
async fn a_comment_that_github_does_not_take_is_not_sent_again_and_the_next_trigger_gives_a_new_one() {
    let (mut road, number) = labelled(COMPLETE).await;
    let no = ForgeError::Refused { what: "POST comment".into(), status: 422, message: "Validation Failed".into() };
    road.world.fail_next(Calls::Of(Method::CreateComment), 1, no);
    road.settle().await;
    assert_eq!((depth(&road).await.dead, road.comments(number).len(), records(&road, number).await), (1, 0, 1));
    road.person("taro").comment(number, "/gate status").unwrap();
    road.settle().await;
    assert_eq!(road.comments(number).len(), 1, "the lane goes on");
    road.person("hanako").comment(number, "/gate start").unwrap();
    road.settle().await;
    assert_eq!((road.headings(number)[1].as_str(), records(&road, number).await), (PASS, 2));
    assert_eq!(road.labels(number), ["gate:start-passed"]);
}

#[tokio::test]
async fn an_issue_with_all_the_labels_that_it_takes_still_gets_its_verdict() {
    let (mut road, number) = labelled(COMPLETE).await;
    for index in 0..99 {
        road.person("hanako").label(number, &format!("label {index}")).unwrap();
    }
    road.settle().await;
    assert_eq!(road.headings(number), [PASS]);
    assert_eq!((road.labels(number).len(), depth(&road).await.dead), (99, 0), "the trigger went");
    road.person("hanako").comment(number, "/gate start").unwrap();
    road.settle().await;
    assert!(road.labels(number).contains(&"gate:start-passed".to_owned()), "there was room for it");
    assert_eq!(road.headings(number), [PASS]);
}

#[tokio::test]
async fn a_lost_comment_is_found_among_hundreds() {
    let (mut road, number) = labelled(COMPLETE).await;
    for index in 0..150 {
        road.person("taro").comment(number, &format!("{index}")).unwrap();
    }
    road.world.lose_answers(Calls::Of(Method::CreateComment), 1);
    road.settle().await;
    assert_eq!(road.headings(number), [PASS]);
    for index in 0..150 {
        road.person("hanako").create_label(&format!("label {index}"), "ededed").unwrap();
    }
    road.person("hanako").comment(number, "/gate retry start").unwrap();
    road.settle().await;
    assert_eq!(road.headings(number), [PASS, PASS]);
}

#[tokio::test]
async fn labels_are_names_whatever_stands_in_them() {
    for label in ["🚦 着手 50 %", "a/b?c#d&e=f", "gate: 開始", "100%25", "..", "it's \\ \"odd\"", "🚦"] {
        let mut road = Road::new().await;
        let quoted = serde_json::to_string(label).unwrap();
        let contract = print(builtin(Language::En)).replace("label: gate:start", &format!("label: {quoted}"));
        road.person("hanako").push_file("contracts/handoff.yaml", contract).unwrap();
        let number = road.person("taro").open_issue("Export", COMPLETE).unwrap();
        road.person("hanako").label(number, label).unwrap();
        road.settle().await;
        assert_eq!(
            (road.headings(number), road.labels(number)),
            (vec![PASS.to_owned()], vec!["gate:start-passed".to_owned()]),
            "{label}"
        );
    }
}

#[tokio::test]
async fn labels_are_one_whatever_their_case() {
    let mut road = Road::new().await;
    for name in ["GATE:Start", "Gate:Start-Passed", "GATE:START-STALE"] {
        road.person("hanako").create_label(name, "ededed").unwrap();
    }
    let number = road.person("taro").open_issue("Export", COMPLETE).unwrap();
    road.person("hanako").label(number, "gate:START").unwrap();
    road.settle().await;
    assert_eq!(road.labels(number), ["Gate:Start-Passed"]);
    road.person("taro").edit_body(number, VAGUE).unwrap();
    road.settle().await;
    assert_eq!(road.labels(number), ["GATE:START-STALE"]);
    road.person("hanako").label(number, "gate:start").unwrap();
    road.settle().await;
    assert_eq!(road.labels(number), ["gate:start-returned"]);
}

#[tokio::test]
async fn a_reply_that_stood_is_not_said_again_after_somebody_deleted_it() {
    let mut road = Road::new().await;
    let number = road.person("taro").open_issue("Export", COMPLETE).unwrap();
    road.person("hanako").label(number, "gate:diagnosis").unwrap();
    // The reply is the first write, its trigger label's removal the second.
    road.stop_at_write(2, Moment::Before);
    assert!(!road.settle().await);
    let reply = road.world.look_at_issue(&widgets(), number).unwrap().comments[0].id;
    road.person("hanako").delete_comment(reply).unwrap();
    road.start_anew().await;
    assert!(road.settle().await);
    assert_eq!((road.crashes, road.comments(number).len(), road.labels(number).len()), (1, 0, 0));
}

#[tokio::test]
async fn a_pause_that_went_before_the_job_was_held_is_soon_seen() {
    let (road, number) = labelled(COMPLETE).await;
    road.person("hanako").label(number, "gate:pause").unwrap();
    // The removal is told while no job is held; the first read still shows the label.
    road.person("hanako").unlabel(number, "gate:pause").unwrap();
    road.deliver(1).await;
    road.clock_on(Duration::from_secs(2));
    road.world.stale_reads(1);
    road.work_due().await;
    assert_eq!((depth(&road).await.paused, road.comments(number).len()), (1, 0));
    road.clock_on(Duration::from_secs(16));
    road.work_due().await;
    assert_eq!(road.headings(number), [PASS]);
}

/// Every method that a run calls fails in every way for good: the job ends, in few calls; once the world is mended, the
/// next trigger gives the one verdict.
#[tokio::test]
async fn nothing_is_tried_for_ever() {
    let methods = [
        Method::App,
        Method::Issue,
        Method::Permission,
        Method::Head,
        Method::Directory,
        Method::CreateComment,
        Method::CreateLabel,
        Method::AddLabel,
        Method::RemoveLabel,
    ];
    let what = || "it".to_owned();
    let message = || "no".to_owned();
    for method in methods {
        for error in [
            ForgeError::NotFound { what: what() },
            ForgeError::NotOffered { what: what() },
            ForgeError::Forbidden { what: what(), message: message() },
            ForgeError::Unauthorized { what: what(), message: message() },
            ForgeError::Refused { what: what(), status: 422, message: message() },
            ForgeError::Unreachable { what: what(), message: message() },
        ] {
            let (mut road, number) = labelled(COMPLETE).await;
            let began = road.clock.now();
            road.world.fail_next(Calls::Of(method), u32::MAX, error.clone());
            road.world.reset_counts();
            road.settle().await;
            let end = depth(&road).await;
            assert_eq!((end.ready, end.running, end.paused), (0, 0, 0), "{method:?} {error}");
            let calls = road.world.counts();
            assert!(calls.reads() + calls.writes() <= 150, "{method:?} {error}: {calls:?}");
            assert!(road.clock.now() - began < chrono::Duration::hours(5), "{method:?} {error}");
            road.world.clear_faults();
            road.clock_on(Duration::from_mins(1));
            if road.labels(number).contains(&"gate:start".to_owned()) {
                road.person("hanako").unlabel(number, "gate:start").unwrap();
            }
            road.settle().await;
            road.person("hanako").label(number, "gate:start").unwrap();
            road.settle().await;
            let passes = road.headings(number).iter().filter(|heading| heading.contains("PASS")).count();
            assert_eq!((passes, road.labels(number)), (1, vec!["gate:start-passed".to_owned()]), "{method:?} {error}");
        }
    }
}
