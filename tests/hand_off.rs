//! Dialogues around split, outcome, questions and overrides on the World.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, reason = "a test program")]

mod support;

use sekisho::adapters::local::{Calls, Feature, Method, Moment};
use sekisho::domain::ids::IssueNumber;
use sekisho::domain::record::{Disposition, TriageCause};
use sekisho::ports::{Clock as _, ForgeError, Store as _};
use sekisho::render::codec;
use support::texts::COMPLETE;
use support::{Road, story, widgets};

async fn parent_with(road: &mut Road, plan: &str) -> IssueNumber {
    let parent = road.person("hanako").open_issue("Export the month", &story::parent()).unwrap();
    road.person("hanako").comment(parent, plan).unwrap();
    road.person("hanako").label(parent, "gate:split").unwrap();
    assert!(road.settle().await);
    parent
}

fn newest(road: &Road, number: IssueNumber) -> String {
    road.comments(number).pop().unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_sub_issues_a_task_list_stands_in() {
    let mut road = Road::new().await;
    road.world.withdraw(Feature::SubIssues);
    road.world.withdraw(Feature::Dependencies);
    let parent = parent_with(&mut road, &story::plan()).await;
    let comment = newest(&road, parent);
    assert!(comment.contains("- [ ] #2 Export the month ← `R-1`"), "{comment}");
    assert!(comment.contains("This server has no sub-issues"), "{comment}");
    assert_eq!(road.labels(parent), ["gate:split-passed"]);
    assert_eq!(story::children(&road, parent).len(), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dependency_that_github_refuses_waits_for_a_human_and_keeps_what_is_filed() {
    let mut road = Road::new().await;
    let refused =
        ForgeError::Refused { what: "POST dependency".into(), status: 422, message: "would form a cycle".into() };
    road.world.fail_next(Calls::Of(Method::AddBlockedBy), 1, refused);
    let parent = parent_with(&mut road, &story::plan()).await;
    let comment = newest(&road, parent);
    assert!(comment.starts_with("<!-- sekisho:effect "), "{comment}");
    assert!(comment.contains("## Split gate: 🟣 Triage PASS"), "{comment}");
    assert!(comment.contains("**What GitHub refused**"), "{comment}");
    let record = codec::read_record(&comment).unwrap().unwrap();
    assert_eq!(record.triage_cause, Some(TriageCause::PlanRefused));
    assert!(record.children.iter().all(|child| child.number.is_some()));
    assert_eq!(road.labels(parent), ["gate:triage"]);
    // The next run judges the children that stand.
    road.person("hanako").label(parent, "gate:split").unwrap();
    assert!(road.settle().await);
    let record = codec::read_record(&newest(&road, parent)).unwrap().unwrap();
    assert_eq!((record.seq, record.disposition), (2, Disposition::Passed));
    assert_eq!(story::children(&road, parent).len(), 3, "nothing is filed again");
    assert_eq!(road.labels(parent), ["gate:split-passed"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plan_with_the_line_ends_of_a_browser_is_filed_and_known_again() {
    let mut road = Road::new().await;
    let parent = parent_with(&mut road, &story::plan().replace('\n', "\r\n")).await;
    let first = story::children(&road, parent)[0];
    road.person("hanako").label(first, "gate:start").unwrap();
    road.person("hanako").label(parent, "gate:split").unwrap();
    assert!(road.settle().await);
    assert_eq!(road.headings(first), ["## Start gate: ✅ PASS"], "{}", newest(&road, first));
    let record = codec::read_record(&newest(&road, parent)).unwrap().unwrap();
    assert_eq!((record.seq, record.disposition), (2, Disposition::Passed), "the children are the subject now");
    assert_eq!(story::children(&road, parent).len(), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_child_that_is_taken_away_has_the_split_judged_again() {
    let mut road = Road::new().await;
    let parent = parent_with(&mut road, &story::plan()).await;
    let third = story::children(&road, parent)[2];
    road.person("hanako").remove_sub_issue(parent, third).unwrap();
    assert!(road.settle().await);
    let comment = newest(&road, parent);
    assert!(comment.contains("## Split gate: 🔴 Returned TOO_ABSTRACT"), "{comment}");
    assert!(comment.contains("R-3"), "{comment}");
    assert_eq!(road.labels(parent), ["gate:split-returned"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_title_or_a_tick_leaves_a_passed_split_and_a_changed_requirement_makes_it_stale() {
    let mut road = Road::new().await;
    let parent = parent_with(&mut road, &story::plan()).await;
    road.person("hanako").edit_title(parent, "Export each month").unwrap();
    assert!(road.settle().await);
    assert!(road.labels(parent).contains(&"gate:split-passed".to_owned()), "{:?}", road.labels(parent));
    road.person("hanako").edit_body(parent, &story::parent().replace("30 days", "90 days")).unwrap();
    assert!(road.settle().await);
    assert!(road.labels(parent).contains(&"gate:split-stale".to_owned()), "{:?}", road.labels(parent));
    road.person("hanako").edit_body(parent, &story::parent()).unwrap();
    assert!(road.settle().await);
    assert!(road.labels(parent).contains(&"gate:split-passed".to_owned()), "{:?}", road.labels(parent));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_filed_stays_the_subject_until_another_plan_is_written() {
    let mut road = Road::new().await;
    let parent = parent_with(&mut road, &story::plan()).await;
    let numbers = |road: &Road| -> Vec<Option<IssueNumber>> {
        let record = codec::read_record(&newest(road, parent)).unwrap().unwrap();
        record.children.iter().map(|child| child.number).collect()
    };
    let first = story::children(&road, parent);
    let filed: Vec<_> = first.iter().copied().map(Some).collect();
    assert_eq!(numbers(&road), filed);
    // One is closed; the children are judged, and then once more: what was filed is filed by no later verdict again.
    road.person("mio").close(first[0]).unwrap();
    for _ in 0..2 {
        road.person("hanako").comment(parent, "/gate retry split").unwrap();
        assert!(road.settle().await);
        assert_eq!((numbers(&road), story::children(&road, parent).len()), (filed.clone(), 3));
    }
    // Another plan is another question, and its children are its own.
    let other = story::plan().replace("Export the month", "Export the year").replace("List exports", "Keep exports");
    road.person("hanako").comment(parent, &other).unwrap();
    assert!(road.settle().await);
    road.person("hanako").label(parent, "gate:split").unwrap();
    assert!(road.settle().await);
    let children = story::children(&road, parent);
    let titles: Vec<_> = children.iter().map(|at| road.world.look_at_issue(&widgets(), *at).unwrap().title).collect();
    assert_eq!(titles[3..], ["Export the year", "Keep exports of 30 days"], "{titles:?}");
    assert_eq!(numbers(&road), [Some(children[3]), Some(children[1]), Some(children[4])]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_outsiders_plan_is_passed_over_and_two_plans_are_asked_about() {
    let mut road = Road::new().await;
    let parent = road.person("hanako").open_issue("Export the month", &story::parent()).unwrap();
    road.person("taro").comment(parent, &story::plan()).unwrap();
    road.person("hanako").label(parent, "gate:split").unwrap();
    assert!(road.settle().await);
    assert!(newest(&road, parent).contains("There is no split plan"), "{}", newest(&road, parent));
    let twice = format!("{}\n\n# Or\n\n```yaml\nchildren:\n- title: All\n  body: all\n```\n", story::plan());
    road.person("hanako").comment(parent, &twice).unwrap();
    assert!(road.settle().await);
    let comment = newest(&road, parent);
    assert!(comment.contains("## Split gate: ⚪ Not judged"), "{comment}");
    assert!(story::children(&road, parent).is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pause_holds_the_rest_of_the_children() {
    let mut road = Road::new().await;
    let parent = road.person("hanako").open_issue("Export the month", &story::parent()).unwrap();
    road.person("hanako").comment(parent, &story::plan()).unwrap();
    road.person("hanako").label(parent, "gate:pause").unwrap();
    road.person("hanako").label(parent, "gate:split").unwrap();
    road.deliver(1).await;
    road.clock_on(std::time::Duration::from_secs(2));
    road.work_due().await;
    assert!(story::children(&road, parent).is_empty());
    road.person("hanako").unlabel(parent, "gate:pause").unwrap();
    assert!(road.settle().await);
    assert_eq!(story::children(&road, parent).len(), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixty_children_are_filed_once_and_their_plan_stands_whole() {
    let mut road = Road::new().await;
    let budget = story::parent().replace("3 children and 9 iterations", "60 children and 500 iterations");
    let parent = road.person("hanako").open_issue("Export the month", &budget).unwrap();
    let mut plan = String::new();
    for at in 1..=60 {
        plan.push_str(&story::child(at, &format!("Export part {at}"), &format!("R-{}", (at - 1) % 3 + 1), "none"));
    }
    assert!(plan.len() < 65_536, "{}", plan.len());
    road.person("hanako").comment(parent, &plan).unwrap();
    road.person("hanako").label(parent, "gate:split").unwrap();
    assert!(road.settle().await);
    assert_eq!(story::children(&road, parent).len(), 60);
    let comments = road.comments(parent);
    assert!(comments.iter().all(|comment| comment.encode_utf16().count() <= 65_536));
    let record = codec::read_record(comments.last().unwrap()).unwrap().unwrap();
    assert!(record.children.iter().all(|child| child.number.is_some()));
    let plan: String = comments.iter().filter_map(|comment| codec::read_plan(comment)).collect();
    assert_eq!(plan.matches("title: ").count(), 60, "{}", plan.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_report_in_a_pull_request_is_judged_there_and_recorded_at_its_issue() {
    let mut road = Road::new().await;
    let issue = road.person("hanako").open_issue("Export", COMPLETE).unwrap();
    road.person("hanako").label(issue, "gate:start").unwrap();
    assert!(road.settle().await);
    let body = format!("Closes #{issue}\n\n{}", story::report_on_two());
    let pull = road.person("mio").open_pull_request("Export the month", &body).unwrap();
    assert!(road.settle().await);
    assert_eq!(road.headings(pull), ["## Outcome gate: ✅ PASS"], "{}", newest(&road, pull));
    assert_eq!(road.labels(pull), ["gate:outcome-passed"]);
    assert_eq!(road.labels(issue), ["gate:start-passed"]);
    let id = road.world.look_at(&widgets()).unwrap().id;
    let records = road.store.records(id, issue).await.unwrap();
    let url = records.last().unwrap().record.subject.url.clone().unwrap();
    assert!(url.ends_with(&format!("/{pull}")), "{url}");
    // One that names no issue is told so where somebody asks.
    let other = road.person("mio").open_pull_request("Tidy", "## Conclusion\nno issue").unwrap();
    road.person("hanako").comment(other, "/gate outcome").unwrap();
    assert!(road.settle().await);
    assert!(newest(&road, other).contains("It is not clear which issue"), "{}", newest(&road, other));
    // An outsider hears no more of a pull request than of an issue.
    road.person("taro").comment(other, "/gate start").unwrap();
    assert!(road.settle().await);
    assert!(newest(&road, other).contains("needs the triage permission"), "{}", newest(&road, other));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_goes_into_the_body_and_the_gate_runs_again() {
    let mut road = Road::new().await;
    let parent = road.person("taro").open_issue("Export the month", &story::parent()).unwrap();
    road.person("hanako").label(parent, "gate:acceptance").unwrap();
    assert!(road.settle().await);
    road.person("taro").comment(parent, "Q1 yes, @hanako says <b>so</b>").unwrap();
    assert!(road.settle().await);
    let body = road.world.look_at_issue(&widgets(), parent).unwrap().body;
    assert!(body.ends_with("## Answers\n\n- Q1 (acceptance 1): yes, ＠hanako says ＜b>so＜/b>\n"), "{body}");
    assert_eq!(road.headings(parent), ["## Acceptance gate: ✅ PASS", "## Acceptance gate: ✅ PASS"]);
    // Somebody else may not; a number that nobody asked is told.
    road.person("jiro").comment(parent, "/gate answer Q1 no").unwrap();
    road.person("taro").comment(parent, "/gate answer Q7 no").unwrap();
    assert!(road.settle().await);
    let comments = road.comments(parent);
    assert!(comments[2].contains("needs the triage permission"), "{}", comments[2]);
    assert!(comments[3].contains("asks no Q7"), "{}", comments[3]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_override_holds_until_the_text_changes() {
    let mut road = Road::new().await;
    let issue = road.person("taro").open_issue("Export", support::texts::VAGUE).unwrap();
    road.person("hanako").label(issue, "gate:start").unwrap();
    assert!(road.settle().await);
    for (who, line) in [
        ("mio", "/gate override start --reason \"good enough\""),
        ("hanako", "/gate override start"),
        ("hanako", "/gate override outcome --reason \"x\""),
        ("hanako", "/gate override start --reason \"the trial says more\""),
        ("hanako", "/gate override start --reason \"again\""),
    ] {
        road.person(who).comment(issue, line).unwrap();
        assert!(road.settle().await);
    }
    let comments = road.comments(issue);
    assert!(comments[0].contains("## Start gate: ⚖️ Overridden"), "{}", comments[0]);
    assert!(comments[0].contains("the trial says more"), "{}", comments[0]);
    assert!(comments[1].contains("needs the write permission"), "{}", comments[1]);
    assert!(comments[2].contains("cannot be read"), "{}", comments[2]);
    assert!(comments[3].contains("has not judged the text of now"), "{}", comments[3]);
    assert!(comments[4].contains("has passed already"), "{}", comments[4]);
    assert_eq!(road.labels(issue), ["gate:start-passed"]);
    let edited = support::texts::VAGUE.replace("easy to use", "easy to use and intuitive");
    road.person("taro").edit_body(issue, &edited).unwrap();
    assert!(road.settle().await);
    assert_eq!(road.labels(issue), ["gate:start-returned"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_override_with_a_date_ends_by_the_clock() {
    let mut road = Road::new().await;
    let issue = road.person("taro").open_issue("Export", support::texts::VAGUE).unwrap();
    road.person("hanako").label(issue, "gate:start").unwrap();
    assert!(road.settle().await);
    let until = road.clock.now() + std::time::Duration::from_hours(24);
    let line = format!("/gate override start --reason \"the trial\" --until {}", until.to_rfc3339());
    road.person("hanako").comment(issue, &line).unwrap();
    road.deliver(1).await;
    road.work_due().await;
    assert_eq!(road.labels(issue), ["gate:start-passed"]);
    // Nothing else of the issue waits for that day.
    road.person("taro").comment(issue, "/gate status").unwrap();
    road.deliver(1).await;
    road.work_due().await;
    assert!(newest(&road, issue).contains("Overridden"), "{}", newest(&road, issue));
    assert!(road.settle().await);
    assert!(road.clock.now() >= until);
    assert_eq!(road.labels(issue), ["gate:start-returned"]);
    let records = road.store.records(road.world.look_at(&widgets()).unwrap().id, issue).await.unwrap();
    let told: Vec<_> = records.iter().map(|one| (one.record.seq, one.record.attempt, one.record.disposition)).collect();
    assert_eq!(told, [(1, 1, Disposition::Overridden), (2, 2, Disposition::Returned)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_child_that_is_opened_again_makes_the_integration_stale() {
    let mut road = Road::new().await;
    let parent = parent_with(&mut road, &story::plan()).await;
    for child in story::children(&road, parent) {
        road.person("hanako").label(child, "gate:start").unwrap();
        assert!(road.settle().await);
        road.person("mio").comment(child, &story::report()).unwrap();
        assert!(road.settle().await);
        road.person("mio").close(child).unwrap();
        assert!(road.settle().await);
    }
    assert_eq!(road.labels(parent), ["gate:integration-passed", "gate:split-passed"], "{}", newest(&road, parent));
    let child = story::children(&road, parent)[1];
    let comments = road.comments(parent).len();
    road.person("mio").reopen(child).unwrap();
    assert!(road.settle().await);
    assert_eq!(road.labels(parent), ["gate:integration-stale", "gate:split-passed"]);
    road.person("mio").close(child).unwrap();
    assert!(road.settle().await);
    assert_eq!(road.labels(parent), ["gate:integration-passed", "gate:split-passed"]);
    assert_eq!(road.comments(parent).len(), comments, "nothing is said of it");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_overrides_until_one_day_both_end_whatever_write_a_crash_meets() {
    for nth in 0..=4 {
        let mut road = Road::new().await;
        let issue = road.person("taro").open_issue("Export", support::texts::VAGUE).unwrap();
        for gate in ["acceptance", "start"] {
            road.person("hanako").label(issue, &format!("gate:{gate}")).unwrap();
            road.settle_through().await;
        }
        let until = road.clock.now() + std::time::Duration::from_hours(24);
        if nth > 0 {
            road.stop_at_write(nth, Moment::After);
        }
        for gate in ["acceptance", "start"] {
            let line = format!("/gate override {gate} --reason \"the trial\" --until {}", until.to_rfc3339());
            road.person("hanako").comment(issue, &line).unwrap();
        }
        road.settle_through().await;
        assert!(road.clock.now() >= until, "write {nth}");
        assert_eq!(road.labels(issue), ["gate:acceptance-returned", "gate:start-returned"], "write {nth}");
    }
}
