//! The road as people walk it: short dialogues on the World, through the real door, store and App.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, reason = "a test program")]

mod support;

use sekisho::adapters::local::{Calls, Display, Feature, Method, Network};
use sekisho::domain::ids::{IssueNumber, Login};
use sekisho::ports::{Clock as _, ForgeError, Store as _};
use sekisho::render;
use std::time::Duration;
use support::texts::{COMPLETE, VAGUE, ja};
use support::{Road, keys, widgets};

async fn labelled(body: &str) -> (Road, IssueNumber) {
    let mut road = Road::new().await;
    let number = road.person("taro").open_issue("Export", body).unwrap();
    road.settle().await;
    road.clock_on(Duration::from_mins(1));
    road.person("hanako").label(number, "gate:start").unwrap();
    (road, number)
}

#[tokio::test]
async fn a_label_becomes_one_comment_within_the_budget() {
    let (mut road, number) = labelled(VAGUE).await;
    road.world.reset_counts();
    road.settle().await;
    assert_eq!(road.headings(number), ["## Start gate: 🔴 Returned TOO_ABSTRACT"]);
    assert_eq!(road.labels(number), ["gate:start-returned"]);
    let (reads, writes) = road.world.counts().budget();
    assert!(reads <= 4 && writes <= 4, "{reads} reads, {writes} writes");
    let told =
        "comments where a lost record would stand, issue, permission, issue again; comment, label on, trigger off";
    assert_eq!((reads, writes), (4, 3), "{told}");
}

#[tokio::test]
async fn the_longest_ordinary_verdict_stays_within_the_budget() {
    let (mut road, number) = labelled(VAGUE).await;
    road.settle().await;
    road.person("taro").edit_body(number, COMPLETE).unwrap();
    road.person("hanako").label(number, "gate:start").unwrap();
    road.world.reset_counts();
    road.settle().await;
    assert_eq!(road.labels(number), ["gate:start-passed"]);
    let (reads, writes) = road.world.counts().budget();
    assert!(reads <= 5 && writes == 4, "{reads} reads, {writes} writes");
}

#[tokio::test]
async fn an_edit_after_a_return_is_a_second_record_in_a_second_comment() {
    let (mut road, number) = labelled(VAGUE).await;
    road.settle().await;
    road.person("taro").edit_body(number, COMPLETE).unwrap();
    road.settle().await;
    assert_eq!(road.headings(number), ["## Start gate: 🔴 Returned TOO_ABSTRACT", "## Start gate: ✅ PASS"]);
    assert_eq!(road.labels(number), ["gate:start-passed"]);
    let records: Vec<_> =
        road.comments(number).iter().map(|body| render::codec::read_record(body).unwrap().unwrap()).collect();
    assert_eq!(
        (records[1].seq, records[1].prev.clone()),
        (2, records[0].signature.clone().map(|signature| signature.mac))
    );
    let issue = road.world.look_at_issue(&widgets(), number).unwrap();
    assert_eq!(issue.comments[0].display, Display::Outdated);
    assert_eq!(issue.comments[1].display, Display::Shown);
}

#[tokio::test]
async fn an_unchanged_issue_gets_its_labels_and_no_word() {
    let (mut road, number) = labelled(COMPLETE).await;
    road.settle().await;
    road.person("hanako").label(number, "gate:start").unwrap();
    road.person("hanako").unlabel(number, "gate:start-passed").unwrap();
    road.settle().await;
    assert_eq!(road.comments(number).len(), 1);
    assert_eq!(road.labels(number), ["gate:start-passed"]);
}

#[tokio::test]
async fn five_deliveries_are_one_comment() {
    let (mut road, number) = labelled(COMPLETE).await;
    road.deliver(5).await;
    road.settle().await;
    assert_eq!(road.comments(number).len(), 1);
}

#[tokio::test]
async fn an_outsider_changes_nothing() {
    let mut road = Road::new().await;
    road.person("hanako").create_label("gate:start", "ededed").unwrap();
    let number = road.person("taro").open_by_form("Export", COMPLETE, &["gate:start"]).unwrap();
    road.world.reset_counts();
    road.settle().await;
    assert_eq!((road.comments(number).len(), road.labels(number)), (0, vec!["gate:start".to_owned()]));
    assert_eq!(road.world.counts().writes(), 0);
}

#[tokio::test]
async fn commands_answer_and_are_acknowledged() {
    let mut road = Road::new().await;
    let number = road.person("taro").open_issue("Export", COMPLETE).unwrap();
    let comment = road.person("mio").comment(number, "please\n\n/gate start").unwrap();
    road.settle().await;
    assert_eq!(road.headings(number), ["## Start gate: ✅ PASS"]);
    let issue = road.world.look_at_issue(&widgets(), number).unwrap();
    let asked = issue.comments.iter().find(|one| one.id == comment).unwrap();
    assert!(asked.reactions.contains(&("sekisho[bot]".to_owned(), "eyes")), "{:?}", asked.reactions);
    for (who, command, says) in [
        ("taro", "/gate status", "gate:start"),
        ("taro", "/gate help", "/gate retry"),
        ("taro", "/gate start", "triage"),
        ("mio", "/gate retry start", "write"),
        ("hanako", "/gate open-sesame", "open-sesame"),
        ("hanako", "/gate diagnosis", "diagnosis"),
    ] {
        let before = road.comments(number).len();
        road.person(who).comment(number, command).unwrap();
        road.settle().await;
        let comments = road.comments(number);
        assert_eq!(comments.len(), before + 1, "{command}: {comments:#?}");
        assert!(comments[before].contains(says), "{command}: {}", comments[before]);
    }
    road.person("hanako").comment(number, "/gate retry").unwrap();
    road.settle().await;
    assert_eq!(road.headings(number).iter().filter(|heading| heading.contains("PASS")).count(), 2);
}

#[tokio::test]
async fn commands_in_quotes_and_code_are_none() {
    let mut road = Road::new().await;
    let number = road.person("taro").open_issue("Export", COMPLETE).unwrap();
    for text in ["> /gate start", "```\n/gate start\n```", "<!--\n/gate start\n-->", "say `/gate start`", "thanks!"] {
        road.person("mio").comment(number, text).unwrap();
    }
    road.world.reset_counts();
    road.settle().await;
    assert_eq!((road.comments(number).len(), road.world.counts().budget()), (0, (0, 0)));
}

#[tokio::test]
async fn pause_holds_the_wake_until_it_goes() {
    let (road, number) = labelled(COMPLETE).await;
    road.person("hanako").label(number, "gate:pause").unwrap();
    road.deliver(1).await;
    road.clock_on(Duration::from_secs(5));
    road.work_due().await;
    assert_eq!((road.comments(number).len(), road.store.depth().await.unwrap().paused), (0, 1));
    road.person("hanako").unlabel(number, "gate:pause").unwrap();
    road.deliver(1).await;
    road.work_due().await;
    assert_eq!(road.headings(number), ["## Start gate: ✅ PASS"]);
}

#[tokio::test]
async fn a_trigger_that_is_taken_back_is_cancelled() {
    let (mut road, number) = labelled(COMPLETE).await;
    road.person("hanako").unlabel(number, "gate:start").unwrap();
    road.settle().await;
    assert_eq!((road.comments(number).len(), road.labels(number).len()), (0, 0));
}

#[tokio::test]
async fn stale_reads_are_waited_out() {
    let (mut road, number) = labelled(COMPLETE).await;
    road.world.stale_reads(2);
    road.settle().await;
    assert_eq!(road.headings(number), ["## Start gate: ✅ PASS"]);
}

#[tokio::test]
async fn a_contract_of_the_repository_is_in_force_and_a_push_changes_it() {
    let mut road = Road::new().await;
    let contract =
        sekisho::domain::contract::print(sekisho::domain::contract::builtin(sekisho::domain::ids::Language::En));
    road.person("hanako")
        .push_file("contracts/handoff.yaml", contract.replace("gate:start", "ready to start"))
        .unwrap();
    let number = road.person("taro").open_issue("Export", COMPLETE).unwrap();
    road.person("hanako").label(number, "ready to start").unwrap();
    road.settle().await;
    assert_eq!(road.headings(number), ["## Start gate: ✅ PASS"]);
    let record = render::codec::read_record(&road.comments(number)[0]).unwrap().unwrap();
    assert_eq!(record.contract.path, "contracts/handoff.yaml");
    road.person("hanako").push_file("contracts/handoff.yaml", "kind: handoff\nversion: 1\ntypo: true\n").unwrap();
    road.person("mio").comment(number, "/gate start").unwrap();
    road.settle().await;
    let last = road.comments(number).pop().unwrap();
    assert!(last.contains("⚪") && last.contains("/blob/") && last.contains("contracts/handoff.yaml#L3"), "{last}");
    assert_eq!(
        road.labels(number),
        ["gate:triage", "ready to start-passed"]
            .map(str::to_owned)
            .iter()
            .filter(|label| label.starts_with("gate:"))
            .cloned()
            .collect::<Vec<_>>()
    );
}

#[tokio::test]
async fn a_contract_is_laid_over_its_base_of_the_same_commit() {
    let mut road = Road::new().await;
    let hanako = road.person("hanako");
    let team = "kind: handoff\nextends: shared/base.yaml\ngates: {start: {label: ready to start}}\n";
    hanako.push_file(".github/contracts/team.yaml", team).unwrap();
    let number = road.person("taro").open_issue("Export", COMPLETE).unwrap();
    road.person("hanako").label(number, "gate:start").unwrap();
    road.settle().await;
    let missing = road.comments(number).pop().unwrap();
    assert!(missing.contains("⚪") && missing.contains("shared/base.yaml"), "{missing}");
    road.person("hanako").push_file("shared/base.yaml", "kind: handoff\nextends: builtin:handoff-en\n").unwrap();
    road.person("hanako").label(number, "ready to start").unwrap();
    road.settle().await;
    let last = road.comments(number).pop().unwrap();
    assert!(last.contains("## Start gate: ✅ PASS"), "{last}");
    let before = render::codec::read_record(&last).unwrap().unwrap().contract;
    assert_eq!(before.path, ".github/contracts/team.yaml");
    // A change of the base alone is a change of the contract.
    let base = "kind: handoff\nextends: builtin:handoff-en\nbudgets: {max_iterations_per_gate: 7}\n";
    road.person("hanako").push_file("shared/base.yaml", base).unwrap();
    road.person("mio").comment(number, "/gate start").unwrap();
    road.settle().await;
    let after = render::codec::read_record(&road.comments(number).pop().unwrap()).unwrap().unwrap().contract;
    assert_ne!(before.blob, after.blob);
}

#[tokio::test]
async fn an_unchanged_profile_is_in_force_and_speaks_the_language_of_the_issue() {
    let mut road = Road::new().await;
    let profile = include_str!("data/profile.yaml");
    road.person("hanako").push_file(".tasuki/profile.yaml", profile).unwrap();
    let body = "## 目的\n在庫の数を画面で見られるようにする。\n\n## 価値\n\n## 予算(コスト上限)\n子 3 件\n";
    let number = road.person("taro").open_issue("在庫", body).unwrap();
    road.person("hanako").label(number, "gate:intake").unwrap();
    road.settle().await;
    let comment = road.comments(number).pop().unwrap();
    let record = render::codec::read_record(&comment).unwrap().unwrap();
    assert_eq!(record.contract.path, ".tasuki/profile.yaml");
    assert!(comment.contains("受理ゲート") && comment.contains("価値"), "{comment}");
    let english = road.person("taro").open_issue("Stock", "## Purpose\nSee the stock on a screen.\n").unwrap();
    road.person("hanako").label(english, "gate:acceptance").unwrap();
    road.settle().await;
    let comment = road.comments(english).pop().unwrap();
    assert!(comment.contains("## Acceptance gate"), "{comment}");
}

#[tokio::test]
async fn a_japanese_issue_is_answered_in_japanese() {
    let (mut road, number) = labelled(ja::VAGUE).await;
    road.settle().await;
    assert_eq!(road.headings(number), ["## 着手ゲート: 🔴 差し戻し TOO_ABSTRACT"]);
}

#[tokio::test]
async fn records_in_comments_are_signed() {
    let (mut road, number) = labelled(VAGUE).await;
    road.settle().await;
    let value = render::codec::read_record_value(&road.comments(number)[0]).unwrap().unwrap();
    assert_eq!(keys().verify(&value), sekisho::domain::record::Verification::Good);
}

#[tokio::test]
async fn an_answer_that_was_lost_is_looked_up_and_not_repeated() {
    for method in [Method::CreateComment, Method::AddLabel, Method::RemoveLabel, Method::CreateLabel] {
        let (mut road, number) = labelled(COMPLETE).await;
        road.world.lose_answers(Calls::Of(method), 1);
        road.settle().await;
        assert_eq!(road.headings(number), ["## Start gate: ✅ PASS"], "{method:?}");
        assert_eq!(road.labels(number), ["gate:start-passed"], "{method:?}");
    }
}

#[tokio::test]
async fn a_forge_that_is_away_is_waited_for() {
    let (mut road, number) = labelled(COMPLETE).await;
    road.world.set_network(Network::Down);
    road.deliver(1).await;
    road.clock_on(Duration::from_secs(2));
    road.work_due().await;
    assert_eq!(road.store.depth().await.unwrap().ready, 1);
    road.world.set_network(Network::Up);
    road.settle().await;
    assert_eq!(road.headings(number), ["## Start gate: ✅ PASS"]);
}

#[tokio::test]
async fn a_rate_limit_is_honoured_and_costs_no_attempt() {
    let (mut road, number) = labelled(COMPLETE).await;
    let until = road.clock.now() + Duration::from_hours(1);
    road.world.limit_until(until);
    road.settle().await;
    assert!(road.clock.now() >= until);
    assert_eq!(road.headings(number), ["## Start gate: ✅ PASS"]);
}

#[tokio::test]
async fn what_the_world_refuses_for_good_is_said_and_can_be_retried() {
    let (mut road, number) = labelled(COMPLETE).await;
    let no = ForgeError::Forbidden { what: "permission of hanako".into(), message: "Resource not accessible".into() };
    road.world.fail_next(Calls::Of(Method::Permission), 1, no);
    road.settle().await;
    assert_eq!(road.store.depth().await.unwrap().dead, 1);
    assert_eq!(road.headings(number).len(), 1, "{:?}", road.headings(number));
    assert!(road.headings(number)[0].contains('⚪'), "{:?}", road.headings(number));
    road.person("hanako").comment(number, "/gate retry").unwrap();
    road.settle().await;
    assert!(road.headings(number)[1].contains("✅ PASS"), "{:?}", road.headings(number));
}

#[tokio::test]
async fn a_deleted_issue_ends_quietly() {
    let (mut road, number) = labelled(COMPLETE).await;
    road.person("hanako").delete_issue(number).unwrap();
    road.settle().await;
    assert_eq!(road.store.depth().await.unwrap(), sekisho::ports::Depth::default());
}

#[tokio::test]
async fn without_graphql_older_comments_stay_as_they_are() {
    let (mut road, number) = labelled(VAGUE).await;
    road.world.withdraw(Feature::Minimise);
    road.world.withdraw(Feature::Acknowledge);
    road.settle().await;
    road.person("taro").edit_body(number, COMPLETE).unwrap();
    road.settle().await;
    assert_eq!(road.headings(number).len(), 2);
}

#[tokio::test]
async fn the_apps_own_acts_wake_nothing() {
    let (mut road, number) = labelled(COMPLETE).await;
    road.settle().await;
    road.world.reset_counts();
    road.settle().await;
    assert_eq!(road.world.counts().budget(), (0, 0));
    assert_eq!(road.comments(number).len(), 1);
    assert!(Login::new("sekisho[bot]").same("Sekisho[bot]"));
}

#[tokio::test]
async fn a_job_that_was_given_up_is_judged_when_its_delivery_comes_again() {
    let (mut road, number) = labelled(COMPLETE).await;
    let delivery = road.world.outbox().take();
    for one in &delivery {
        road.post(one).await;
    }
    let no = ForgeError::Forbidden { what: "permission of hanako".into(), message: "Resource not accessible".into() };
    road.world.fail_next(Calls::Of(Method::Permission), 1, no);
    road.settle().await;
    assert!(road.headings(number)[0].contains('⚪'), "{:?}", road.headings(number));
    // The ⚪ took the trigger with it; whoever delivers again sets it again.
    road.person("hanako").label(number, "gate:start").unwrap();
    drop(road.world.outbox().take());
    for one in &delivery {
        road.post(one).await;
    }
    road.settle().await;
    assert_eq!(road.headings(number), ["## Start gate: ✅ PASS"], "completed in its own comment");
    assert_eq!(road.labels(number), ["gate:start-passed"]);
}

#[tokio::test]
async fn a_revived_job_with_another_text_is_a_second_record_in_a_second_comment() {
    let (mut road, number) = labelled(COMPLETE).await;
    let delivery = road.world.outbox().take();
    for one in &delivery {
        road.post(one).await;
    }
    let no = ForgeError::Forbidden { what: "permission of hanako".into(), message: "Resource not accessible".into() };
    road.world.fail_next(Calls::Of(Method::Permission), 1, no);
    road.settle().await;
    road.person("taro").edit_body(number, VAGUE).unwrap();
    road.person("hanako").label(number, "gate:start").unwrap();
    drop(road.world.outbox().take());
    for one in &delivery {
        road.post(one).await;
    }
    road.settle().await;
    assert_eq!(road.headings(number).len(), 2, "{:?}", road.headings(number));
    assert!(road.headings(number)[1].contains("TOO_ABSTRACT"), "{:?}", road.headings(number));
}

/// A child that names its parent, and what happens to the parent between the first read and the last one.
async fn with_parent(meanwhile: impl FnOnce(&Road, IssueNumber)) -> (Road, IssueNumber) {
    let mut road = Road::new().await;
    let parent = road.person("taro").open_issue("Parent", "## Definition of done\n- D-1: rows are exported\n").unwrap();
    let number = road.person("taro").open_issue("Export", COMPLETE).unwrap();
    road.person("hanako").set_parent(number, parent).unwrap();
    road.settle().await;
    road.clock_on(Duration::from_mins(1));
    road.person("hanako").label(number, "gate:start").unwrap();
    road.deliver(1).await;
    road.clock_on(Duration::from_secs(2));
    road.world.reset_counts();
    road.world.set_network(Network::Slow(Duration::from_secs(1)));
    let app = road.app.clone();
    let work = tokio::spawn(async move { app.step().await });
    // The issue and its parent are read; the permission comes next, and then both again.
    while road.world.counts().of(Method::Permission) < 1 {
        tokio::task::yield_now().await;
    }
    meanwhile(&road, parent);
    work.await.unwrap().unwrap();
    road.world.set_network(Network::Up);
    (road, number)
}

#[tokio::test]
async fn a_parent_that_is_paused_or_changed_before_posting_is_seen() {
    let (mut road, number) =
        with_parent(|road, parent| road.person("hanako").label(parent, "gate:pause").unwrap()).await;
    assert_eq!((road.comments(number).len(), road.store.depth().await.unwrap().paused), (0, 1));
    let parent = IssueNumber(1);
    road.person("hanako").unlabel(parent, "gate:pause").unwrap();
    road.settle().await;
    assert_eq!(road.comments(number).len(), 1);

    let body = "## Definition of done\n- D-1: rows and columns are exported\n";
    let (mut road, number) = with_parent(|road, parent| road.person("taro").edit_body(parent, body).unwrap()).await;
    road.settle().await;
    let record = render::codec::read_record(&road.comments(number)[0]).unwrap().unwrap();
    road.person("hanako").label(number, "gate:start").unwrap();
    road.settle().await;
    assert_eq!(road.comments(number).len(), 1, "what was judged is what stands: {:?}", record.subject);
}

#[tokio::test]
async fn a_contract_that_grew_too_large_is_broken_and_not_passed_over() {
    let (mut road, number) = labelled(COMPLETE).await;
    let large = format!("kind: handoff\nversion: 1\n{}", "# filler\n".repeat(40_000));
    road.person("hanako").push_file("contracts/handoff.yaml", large).unwrap();
    road.settle().await;
    assert!(road.headings(number)[0].contains('⚪'), "{:?}", road.headings(number));
}
