//! Models beside the rules, as people meet them: verdicts, second opinions, the tier above, waiting, failing, recovering.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, reason = "a test program")]

mod support;

use sekisho::adapters::local::{Calls, Method, Moment};
use sekisho::domain::ids::IssueNumber;
use sekisho::domain::record::{Disposition, Record};
use sekisho::domain::reply::{Budget, MicroDollars};
use sekisho::domain::run::PullSource;
use sekisho::ports::{Budgets, ForgeError, JudgeError, RecordFilter, Store as _};
use sekisho::render::codec;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use support::scripted::{Say, Scripted, overloaded};
use support::texts::{COMPLETE, VAGUE};
use support::{Road, widgets};

const CONTRACT: &str = "contracts/handoff.yaml";
const SHIPPED: &str = include_str!("../contracts/handoff-en.yaml");
/// A criterion of the shipped start gate that no text of these stories meets by rules.
const STOP: &str = "Vague words";

async fn road(tiers: &[(&str, Arc<Scripted>)]) -> Road {
    let mut road = Road::new().await;
    road.person("hanako").push_file(CONTRACT, SHIPPED).unwrap();
    road.offer(tiers, Budgets::default());
    road
}

async fn start(road: &mut Road, text: &str) -> IssueNumber {
    let issue = road.person("taro").open_issue("Export", text).unwrap();
    road.person("hanako").label(issue, "gate:start").unwrap();
    road.settle_through().await;
    issue
}

async fn records(road: &Road) -> Vec<Record> {
    let id = road.world.look_at(&widgets()).unwrap().id;
    let stored = road.store.records_of(id, &RecordFilter::default()).await.unwrap();
    stored.into_iter().map(|stored| stored.record).collect()
}

/// A comment without the record below it.
fn human(body: &str) -> String {
    let human = body.split("<details><summary>machine verdict").next().unwrap();
    human.lines().skip(1).collect::<Vec<_>>().join("\n").trim().to_owned()
}

fn of(name: &str, says: impl IntoIterator<Item = Say>) -> Arc<Scripted> {
    Scripted::new(name, says)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_finds_what_no_rule_knows() {
    let fast = of("anthropic:claude-haiku-test", [Say::Found("Vague words", "the button \"Export\" is shown")]);
    let mut road = road(&[("fast", fast.clone()), ("strong", of("openai:gpt-test", [Say::Nothing]))]).await;
    let issue = start(&mut road, COMPLETE).await;
    insta::assert_snapshot!(human(&road.comments(issue)[0]));
    let [record] = &records(&road).await[..] else { panic!("one record") };
    let receipt = record.receipt.as_ref().unwrap();
    assert_eq!((receipt.calls, receipt.tokens.input, receipt.cost.as_deref()), (1, 2_000, Some("0.0023")));
    let paid = road.store.receipts(&record.run).await.unwrap();
    assert_eq!(paid.len(), 1);
    assert_eq!((paid[0].receipt.hash(), paid[0].cost), (receipt.hash.clone(), Some(MicroDollars(2_300))));
    assert_eq!(fast.calls(), 1, "one call a judging");
    // The same again: labels are put right, and nobody is asked.
    road.person("hanako").label(issue, "gate:start").unwrap();
    road.settle_through().await;
    assert_eq!((fast.calls(), road.comments(issue).len()), (1, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_rule_found_stands_whatever_a_model_says() {
    let mut road = road(&[
        ("fast", of("anthropic:claude-haiku-test", [Say::Nothing])),
        ("strong", of("openai:gpt-test", [Say::Nothing])),
    ])
    .await;
    let issue = start(&mut road, VAGUE).await;
    insta::assert_snapshot!(human(&road.comments(issue)[0]));
}

/// Two families at the fast tier, one at the strong.
fn panel() -> String {
    SHIPPED.replace(
        "    model: fast\n    escalate_to: strong\n",
        "    model: fast\n    panel: 2\n    escalate_to: strong\n",
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_families_that_disagree_go_up_and_then_to_a_person() {
    let says = [Say::Found(STOP, "Stop after 2 days.")];
    let (one, two) = (of("anthropic:claude-haiku-test", says), of("openai:gpt-mini-test", [Say::Nothing]));
    let (high, low) = (of("anthropic:claude-opus-test", [Say::Unsure(STOP)]), of("openai:gpt-test", [Say::Nothing]));
    let mut road =
        road(&[("fast", one.clone()), ("fast", two.clone()), ("strong", high.clone()), ("strong", low.clone())]).await;
    road.person("hanako").push_file(CONTRACT, panel()).unwrap();
    road.settle_through().await;
    let issue = start(&mut road, COMPLETE).await;
    assert_eq!([one.calls(), two.calls(), high.calls(), low.calls()], [1; 4]);
    insta::assert_snapshot!(human(&road.comments(issue)[0]));
    assert_eq!(road.labels(issue), ["gate:triage"]);
    let [record] = &records(&road).await[..] else { panic!("one run, one record") };
    assert_eq!(record.receipt.as_ref().map(|receipt| receipt.calls), Some(4));
    // A person decides.
    road.person("hanako").comment(issue, "/gate override start --reason \"two days are enough\"").unwrap();
    road.settle_through().await;
    assert_eq!(road.labels(issue), ["gate:start-passed"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_families_that_agree_decide_at_once() {
    let says = || [Say::Found(STOP, "Stop after 2 days.")];
    let (one, two) = (of("anthropic:claude-haiku-test", says()), of("openai:gpt-mini-test", says()));
    let strong = of("openai:gpt-test", [Say::Nothing]);
    let other = of("anthropic:claude-opus-test", [Say::Nothing]);
    let mut road = road(&[("fast", one), ("fast", two), ("strong", strong.clone()), ("strong", other)]).await;
    road.person("hanako").push_file(CONTRACT, panel()).unwrap();
    road.settle_through().await;
    let issue = start(&mut road, COMPLETE).await;
    assert_eq!(road.headings(issue), ["## Start gate: 🔴 Returned TOO_ABSTRACT"]);
    assert!(road.comments(issue)[0].contains("claude-haiku-test + gpt-mini-test / confidence high"));
    assert_eq!(strong.calls(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_low_pass_is_judged_again_above_in_the_same_record() {
    let (fast, strong) =
        (of("anthropic:claude-haiku-test", [Say::Unsure(STOP)]), of("openai:gpt-test", [Say::Nothing]));
    let mut road = road(&[("fast", fast.clone()), ("strong", strong.clone())]).await;
    let issue = start(&mut road, COMPLETE).await;
    assert_eq!((fast.calls(), strong.calls()), (1, 1));
    assert_eq!(road.headings(issue), ["## Start gate: ✅ PASS"]);
    let [record] = &records(&road).await[..] else { panic!("one record") };
    assert_eq!(record.model.as_deref(), Some("gpt-test"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_two_returns_the_tier_above_is_asked_at_once() {
    let fast = of("anthropic:claude-haiku-test", [Say::Nothing]);
    let strong = of("openai:gpt-test", [Say::Nothing]);
    let mut road = road(&[("fast", fast.clone()), ("strong", strong.clone())]).await;
    let issue = start(&mut road, VAGUE).await;
    road.person("taro").edit_body(issue, &VAGUE.replace("easy to use", "intuitive")).unwrap();
    road.settle_through().await;
    assert_eq!((fast.calls(), strong.calls()), (2, 0));
    road.person("taro").edit_body(issue, COMPLETE).unwrap();
    road.settle_through().await;
    assert_eq!((fast.calls(), strong.calls()), (2, 1));
    assert_eq!(road.headings(issue)[2], "## Start gate: ✅ PASS");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_provider_that_fails_is_asked_again_and_its_comment_becomes_the_verdict() {
    let fast = of("anthropic:claude-test", [overloaded()]);
    let mut road = road(&[("fast", fast.clone()), ("strong", of("openai:gpt-test", [Say::Nothing]))]).await;
    let issue = road.person("taro").open_issue("Export", COMPLETE).unwrap();
    road.person("hanako").label(issue, "gate:start").unwrap();
    road.deliver(1).await;
    road.clock_on(Duration::from_secs(2));
    road.work_due().await;
    insta::assert_snapshot!(human(&road.comments(issue)[0]));
    assert_eq!(road.labels(issue), ["gate:triage"]);
    // An hour later it answers again.
    road.clock_on(Duration::from_mins(2));
    road.work_due().await;
    assert_eq!(road.headings(issue), ["## Start gate: ⚪ Not judged"]);
    // Two looks later it has said what it has to say: an unchanged comment is not patched.
    let edits = || async { records(&road).await.iter().map(|record| record.edit).collect::<Vec<_>>() };
    let before = edits().await;
    for _ in 0..2 {
        road.clock_on(Duration::from_mins(8));
        road.work_due().await;
    }
    assert_eq!((before.len(), edits().await), (1, before));
    fast.say([Say::Nothing]);
    road.settle_through().await;
    assert_eq!(road.headings(issue), ["## Start gate: ✅ PASS"]);
    assert_eq!(road.labels(issue), ["gate:start-passed"]);
    let [record] = &records(&road).await[..] else { panic!("one record") };
    assert_eq!((record.seq, record.cause.trigger.as_deref()), (1, Some("gate:start")));
    assert_eq!(road.store.depth().await.unwrap().ready, 0, "nobody looks again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn however_often_somebody_asks_it_looks_again_once() {
    let fast = of("anthropic:claude-test", [overloaded()]);
    let mut road = road(&[("fast", fast.clone()), ("strong", of("openai:gpt-test", [Say::Nothing]))]).await;
    let issue = road.person("taro").open_issue("Export", COMPLETE).unwrap();
    for _ in 0..3 {
        road.person("hanako").label(issue, "gate:start").unwrap();
        road.deliver(1).await;
        road.clock_on(Duration::from_secs(2));
        road.work_due().await;
    }
    assert_eq!((road.comments(issue).len(), road.store.depth().await.unwrap().ready), (1, 1));
    fast.say([Say::Nothing]);
    road.settle_through().await;
    assert_eq!(road.headings(issue), ["## Start gate: ✅ PASS"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_a_provider_fails_people_go_on() {
    let fast = of("anthropic:claude-test", [overloaded()]);
    let mut road = road(&[("fast", fast.clone()), ("strong", of("openai:gpt-test", [Say::Nothing]))]).await;
    let issue = road.person("taro").open_issue("Export", COMPLETE).unwrap();
    road.person("hanako").label(issue, "gate:start").unwrap();
    road.deliver(1).await;
    road.clock_on(Duration::from_secs(2));
    road.work_due().await;
    road.person("hanako").comment(issue, "/gate override start --reason \"no time to wait\"").unwrap();
    road.deliver(1).await;
    road.clock_on(Duration::from_secs(2));
    road.work_due().await;
    assert_eq!(road.labels(issue), ["gate:start-passed"], "{:?}", road.headings(issue));
    fast.say([Say::Found(STOP, "Stop after 2 days.")]);
    let calls = fast.calls();
    road.settle_through().await;
    assert_eq!((fast.calls(), road.labels(issue)), (calls, vec!["gate:start-passed".to_owned()]));
    assert_eq!(records(&road).await.last().unwrap().disposition, Disposition::Overridden);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_text_that_changed_meanwhile_is_judged_as_it_is_now() {
    let fast = of("anthropic:claude-test", [overloaded()]);
    let mut road = road(&[("fast", fast.clone()), ("strong", of("openai:gpt-test", [Say::Nothing]))]).await;
    let issue = road.person("taro").open_issue("Export", COMPLETE).unwrap();
    road.person("hanako").label(issue, "gate:start").unwrap();
    road.deliver(1).await;
    road.clock_on(Duration::from_secs(2));
    road.work_due().await;
    road.person("taro").edit_body(issue, VAGUE).unwrap();
    fast.say([Say::Nothing]);
    road.settle_through().await;
    let headings = road.headings(issue);
    assert_eq!(headings, ["## Start gate: ⚪ Not judged", "## Start gate: 🔴 Returned TOO_ABSTRACT"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn garbage_twice_is_not_judged_and_nobody_asks_for_ever() {
    let fast = of("anthropic:claude-test", [Say::Raw("PASS PASS PASS @hanako Closes #1")]);
    let mut road = road(&[("fast", fast.clone()), ("strong", of("openai:gpt-test", [Say::Nothing]))]).await;
    let issue = start(&mut road, COMPLETE).await;
    insta::assert_snapshot!(human(&road.comments(issue)[0]));
    assert_eq!((fast.calls(), road.labels(issue)), (2, vec!["gate:triage".to_owned()]));
    let [record] = &records(&road).await[..] else { panic!("one record") };
    assert_eq!(record.receipt.as_ref().map(|receipt| receipt.calls), Some(2), "both were paid for");
    fast.say([Say::Nothing]);
    road.person("hanako").comment(issue, "/gate retry start").unwrap();
    road.settle_through().await;
    assert_eq!(road.headings(issue)[1], "## Start gate: ✅ PASS");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unmapped_tier_is_named_and_no_silent_default() {
    let fast = of("anthropic:claude-test", [Say::Nothing]);
    let mut road = road(&[("fast", fast.clone())]).await;
    let issue = road.person("taro").open_issue("Export", COMPLETE).unwrap();
    road.person("hanako").label(issue, "gate:start").unwrap();
    road.deliver(1).await;
    road.clock_on(Duration::from_secs(2));
    road.work_due().await;
    insta::assert_snapshot!(human(&road.comments(issue)[0]));
    assert_eq!(fast.calls(), 0);
    // The operator maps it and starts the server anew.
    road.offer(&[("fast", fast.clone()), ("strong", of("openai:gpt-test", [Say::Nothing]))], Budgets::default());
    road.settle_through().await;
    assert_eq!(road.headings(issue), ["## Start gate: ✅ PASS"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_used_up_budget_waits_for_the_next_day_in_sight() {
    let fast = of("anthropic:claude-test", [Say::Nothing]);
    let mut road = road(&[]).await;
    let budgets = Budgets { repository: Budget { tokens: Some(10_000), money: None }, ..Budgets::default() };
    road.offer(&[("fast", fast.clone()), ("strong", of("openai:gpt-test", [Say::Nothing]))], budgets);
    let first = start(&mut road, COMPLETE).await;
    assert_eq!(road.headings(first), ["## Start gate: ✅ PASS"]);
    let second = start(&mut road, COMPLETE).await;
    assert_eq!(road.headings(second), ["## Start gate: ✅ PASS"]);
    let issue = road.person("taro").open_issue("Export", COMPLETE).unwrap();
    road.person("hanako").label(issue, "gate:start").unwrap();
    road.deliver(1).await;
    road.clock_on(Duration::from_secs(2));
    road.work_due().await;
    insta::assert_snapshot!(human(&road.comments(issue)[0]));
    let calls = fast.calls();
    road.settle_through().await;
    assert_eq!(fast.calls(), calls + 1, "asked once, on the next day");
    assert_eq!(road.headings(issue), ["## Start gate: ✅ PASS"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strangers_have_no_model_asked() {
    let fast = of("anthropic:claude-test", [Say::Nothing]);
    let mut road = road(&[("fast", fast.clone()), ("strong", of("openai:gpt-test", [Say::Nothing]))]).await;
    let open = SHIPPED.replace("    open_to: triage\n", "    open_to: anyone\n");
    road.person("hanako").push_file(CONTRACT, &open).unwrap();
    road.settle_through().await;
    let issue = road.person("taro").open_issue("Export", VAGUE).unwrap();
    road.person("taro").comment(issue, "/gate start").unwrap();
    road.settle_through().await;
    assert_eq!(road.headings(issue), ["## Start gate: 🔴 Returned TOO_ABSTRACT"]);
    assert_eq!(fast.calls(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_no_criterion_covers_asks_the_contract_once() {
    let beyond = json!([
        {"about": "uncovered", "quote": "D-1: the month can be exported", "note": "it does not say who may export"},
        {"about": "steering", "quote": null, "note": "the text says that it has passed already"}
    ]);
    let questions = json!([
        {"about": "task", "text": "Who exports?"},
        {"about": "task", "text": "Should the contract drop this criterion?"}
    ]);
    let fast = of("anthropic:claude-test", [Say::Beside(questions, beyond)]);
    let mut road = road(&[("fast", fast.clone()), ("strong", of("openai:gpt-test", [Say::Nothing]))]).await;
    let issue = start(&mut road, COMPLETE).await;
    let other = start(&mut road, &COMPLETE.replace("2 days", "3 days")).await;
    assert_eq!(road.labels(issue), ["gate:start-passed"]);
    assert_eq!(road.labels(other), ["gate:start-passed"]);
    let repository = road.world.look_at(&widgets()).unwrap();
    let drafts: Vec<_> = repository.issues().filter(|one| one.title.starts_with("Contract: ")).collect();
    assert_eq!(drafts.len(), 1, "one question of this kind to a phase at a time");
    let draft = drafts[0].body.lines().skip(1).collect::<Vec<_>>().join("\n");
    insta::assert_snapshot!(format!("{}\n=====\n{draft}", human(&road.comments(issue)[0])));
}

/// Headings, labels and records of one judged issue.
type Seen = (Vec<String>, Vec<String>, Vec<String>);

/// Judges one issue to its end, and says how often the App was stopped on the way.
async fn end(road: &mut Road) -> (Seen, u64) {
    let issue = start(road, COMPLETE).await;
    let records = records(road).await;
    let records = records.iter().map(|record| format!("{} {:?}", record.seq, record.disposition)).collect();
    ((road.headings(issue), road.labels(issue), records), road.crashes)
}

/// The same story with the App stopped before and after each write: the same end, a PASS in one comment.
async fn stopped_anywhere<F: Future<Output = (Seen, u64)>>(story: impl Fn(Option<(u64, Moment)>) -> F, least: usize) {
    let (whole, _) = story(None).await;
    assert_eq!(whole.0, ["## Start gate: ✅ PASS"]);
    let mut met = 0;
    for moment in [Moment::Before, Moment::After] {
        for nth in 1.. {
            let (seen, crashes) = story(Some((nth, moment))).await;
            assert_eq!(seen, whole, "{moment:?} write {nth}");
            if crashes == 0 {
                break;
            }
            met += 1;
        }
    }
    assert!(met >= least, "only {met} writes were met");
}

/// A slow judge: what stands while it is waited for, and in the end.
async fn slow(stop: Option<(u64, Moment)>) -> (Seen, u64) {
    let mut road = road(&[]).await;
    let fast = of("anthropic:claude-test", [Say::Late(15, Box::new(Say::Nothing))]).by(&road.clock);
    road.offer(&[("fast", fast), ("strong", of("openai:gpt-test", [Say::Nothing]))], Budgets::default());
    if let Some((nth, moment)) = stop {
        road.stop_at_write(nth, moment);
    }
    end(&mut road).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_that_takes_long_is_waited_for_in_sight_and_once() {
    stopped_anywhere(slow, 8).await;
}

/// An issue at whose gate a model is waited for, in sight; and the work that waits.
async fn waited_for(road: &mut Road) -> (IssueNumber, Arc<Scripted>, tokio::task::JoinHandle<()>) {
    let fast = of("anthropic:claude-test", [Say::Held(Box::new(Say::Nothing))]);
    road.offer(&[("fast", fast.clone()), ("strong", of("openai:gpt-test", [Say::Nothing]))], Budgets::default());
    let issue = road.person("taro").open_issue("Export", COMPLETE).unwrap();
    road.person("hanako").label(issue, "gate:start").unwrap();
    road.deliver(1).await;
    road.clock_on(Duration::from_secs(2));
    let app = road.app.clone();
    let working = tokio::spawn(async move {
        app.step().await.unwrap();
    });
    for _ in 0..10_000 {
        if !road.comments(issue).is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let waiting = "## Start gate: ⏳ Judging\n\nA model is being asked. This comment becomes the verdict.";
    assert_eq!(human(&road.comments(issue)[0]), waiting);
    (issue, fast, working)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_waited_for_and_is_cancelled_leaves_no_trace() {
    let mut road = road(&[]).await;
    let (issue, fast, working) = waited_for(&mut road).await;
    road.person("hanako").unlabel(issue, "gate:start").unwrap();
    fast.let_go();
    working.await.unwrap();
    road.settle_through().await;
    assert_eq!((road.comments(issue), road.labels(issue)), (Vec::new(), Vec::new()));
    assert!(records(&road).await.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_waited_for_becomes_the_verdict_of_whoever_judges() {
    let mut road = road(&[]).await;
    let (issue, _, working) = waited_for(&mut road).await;
    // The model hangs: the operator stops the server, and starts it anew with rules alone.
    working.abort();
    road.offer(&[], Budgets::default());
    road.start_anew().await;
    road.settle_through().await;
    assert_eq!(road.headings(issue), ["## Start gate: ✅ PASS"]);
    let [record] = &records(&road).await[..] else { panic!("one record") };
    assert_eq!(record.model.as_deref(), Some("rules"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_comment_that_somebody_deleted_meanwhile_is_posted_anew() {
    let mut road = road(&[]).await;
    let (issue, fast, working) = waited_for(&mut road).await;
    let comment = road.world.look_at_issue(&widgets(), issue).unwrap().comments[0].id;
    road.person("hanako").delete_comment(comment).unwrap();
    fast.let_go();
    working.await.unwrap();
    road.settle_through().await;
    assert_eq!(road.headings(issue), ["## Start gate: ✅ PASS"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_waiting_that_could_not_be_said_costs_no_verdict() {
    let comment = Calls::Of(Method::CreateComment);
    let refused = ForgeError::Refused { what: "comment".to_owned(), status: 422, message: "not now".to_owned() };
    let troubles: [&dyn Fn(&Road); 2] =
        [&|road| road.world.fail_next(comment, 1, refused.clone()), &|road| road.world.lose_answers(comment, 1)];
    for trouble in troubles {
        let mut road = road(&[]).await;
        let fast = of("anthropic:claude-test", [Say::Late(15, Box::new(Say::Nothing))]).by(&road.clock);
        road.offer(&[("fast", fast), ("strong", of("openai:gpt-test", [Say::Nothing]))], Budgets::default());
        trouble(&road);
        let issue = start(&mut road, COMPLETE).await;
        assert_eq!(road.headings(issue), ["## Start gate: ✅ PASS"]);
        let [record] = &records(&road).await[..] else { panic!("one record") };
        let marker = codec::read_marker(&road.comments(issue)[0]).unwrap();
        assert_eq!((marker.run, marker.ordinal), (record.run.clone(), 0));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_judge_knows_what_was_said_before() {
    let fast = of("anthropic:claude-test", [Say::Nothing]);
    let mut road = road(&[("fast", fast.clone()), ("strong", of("openai:gpt-test", [Say::Nothing]))]).await;
    let issue = start(&mut road, VAGUE).await;
    road.person("taro").edit_body(issue, COMPLETE).unwrap();
    road.settle_through().await;
    let asked = fast.asked();
    assert!(!asked[0].data.contains("earlier verdicts"));
    assert!(asked[1].data.contains("earlier verdicts on earlier texts"), "{}", asked[1].data);
    assert!(asked[1].data.contains("TOO_ABSTRACT: Vague words"), "{}", asked[1].data);
    assert_eq!(asked[0].prefix, asked[1].prefix, "what can be cached stays the same");
}

/// A provider that fails until the clock says otherwise, and the App stopped at each write.
async fn outage(stop: Option<(u64, Moment)>) -> (Seen, u64) {
    let fast = of("anthropic:claude-test", [overloaded(), overloaded(), overloaded(), Say::Nothing]);
    let mut road = road(&[("fast", fast), ("strong", of("openai:gpt-test", [Say::Nothing]))]).await;
    if let Some((nth, moment)) = stop {
        road.stop_at_write(nth, moment);
    }
    end(&mut road).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_outage_ends_in_one_comment_wherever_the_app_is_stopped() {
    stopped_anywhere(outage, 10).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refusals_name_no_key() {
    let refused = JudgeError::Refused {
        judge: "anthropic:claude-test".to_owned(),
        status: 401,
        message: "invalid x-api-key".to_owned(),
    };
    let fast = of("anthropic:claude-test", [Say::Error(refused), Say::Nothing]);
    let mut road = road(&[("fast", fast.clone()), ("strong", of("openai:gpt-test", [Say::Nothing]))]).await;
    let issue = start(&mut road, COMPLETE).await;
    assert_eq!(road.headings(issue), ["## Start gate: ✅ PASS"], "it recovers once the key is mended");
    assert_eq!(fast.calls(), 2, "a refusal is not repeated inside a run");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_changed_contract_is_tried_with_models_only_where_a_label_asks() {
    let fast = of("anthropic:claude-test", [Say::Nothing]);
    let mut road = road(&[("fast", fast.clone()), ("strong", of("openai:gpt-test", [Say::Nothing]))]).await;
    start(&mut road, COMPLETE).await;
    assert_eq!(fast.calls(), 1);
    let changed = SHIPPED.replace("Stop condition", "When to stop").replace("stop condition", "time to stop");
    let files = [(CONTRACT, Some(changed.as_bytes()))];
    let pull = road.person("hanako").propose("Stop", PullSource::Repository, &files).unwrap();
    road.settle_through().await;
    assert_eq!(fast.calls(), 1, "rules alone");
    let plain = road.comments(pull)[0].clone();
    assert!(plain.contains("by rules alone"), "{plain}");
    // Each subject is a call: somebody has to ask for it.
    let same = SHIPPED.replace("Vague words (appropriate", "Words that nobody can check (appropriate");
    fast.say([Say::Found("Words that nobody can check", "Stop after 2 days.")]);
    road.person("hanako").label(pull, "contract:replay-models").unwrap();
    road.person("hanako").push_to(pull, &[(CONTRACT, Some(same.as_bytes()))]).unwrap();
    road.settle_through().await;
    assert_eq!(fast.calls(), 2);
    let comments = road.comments(pull);
    assert!(comments[0].contains("by rules and models") && comments[0].contains("**1 flips**"), "{}", comments[0]);
    // Asked for once.
    assert!(!road.labels(pull).contains(&"contract:replay-models".to_owned()));
    road.person("hanako").push_to(pull, &[(CONTRACT, Some(changed.as_bytes()))]).unwrap();
    road.settle_through().await;
    assert_eq!(fast.calls(), 2);
}
