//! The largest things that GitHub lets people make, on the World: nothing is cut that must be whole, and no comment is longer
//! than GitHub takes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, reason = "a test program")]

mod support;

use sekisho::domain::ids::IssueNumber;
use sekisho::domain::record::{Confidence, Disposition, Record, Verdict, Verification};
use sekisho::ports::Store as _;
use sekisho::render::{COMMENT_LIMIT, codec};
use support::texts::{COMPLETE, VAGUE, ja};
use support::{Road, keys, story, widgets};

/// GitHub's limit for a body, in characters.
const BODY: usize = 65_536;

/// The text with a section of its own before it, so that both have exactly that many characters.
fn filled(text: &str, line: &str, characters: usize) -> String {
    let head = "## Background\n";
    let wanted = characters - text.chars().count() - head.len() - 2;
    let filler: String = format!("{line}\n").chars().cycle().take(wanted).collect();
    let whole = format!("{head}{filler}\n\n{text}");
    assert_eq!(whole.chars().count(), characters);
    whole
}

/// The newest record on an issue: signed, whole, and in a comment that GitHub takes.
async fn newest(road: &Road, number: IssueNumber) -> (Record, String) {
    let comment = road.comments(number).pop().unwrap();
    assert!(comment.encode_utf16().count() <= COMMENT_LIMIT, "{}", comment.len());
    let value = codec::read_record_value(&comment).unwrap().unwrap();
    assert_eq!(keys().verify(&value), Verification::Good);
    let record = codec::read_record(&comment).unwrap().unwrap();
    let id = road.world.look_at(&widgets()).unwrap().id;
    let stored = road.store.records(id, number).await.unwrap();
    assert_eq!(stored.last().unwrap().record, record, "the record stands whole in the comment");
    (record, comment)
}

async fn judged(road: &mut Road, body: &str) -> (Record, String) {
    let number = road.person("taro").open_issue("Export", body).unwrap();
    road.person("hanako").label(number, "gate:start").unwrap();
    assert!(road.settle().await);
    newest(road, number).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_of_the_longest_length_is_judged_whole() {
    let mut road = Road::new().await;
    let japanese = ja::VAGUE.replace("書き出し画面が使いやすい", "一覧の上に「書き出し」ボタンが出る");
    for (line, complete, vague, place) in [
        ("Clerks copy the entries by hand.", COMPLETE, VAGUE, "easy to use"),
        ("📦🚚 clerks carry boxes of entries 👩🏽‍💻", COMPLETE, VAGUE, "easy to use"),
        ("門を通る前に、担当者が記録を書き写している。", &japanese, ja::VAGUE, "使いやすい"),
    ] {
        let (record, comment) = judged(&mut road, &filled(complete, line, BODY)).await;
        assert_eq!((record.verdict, record.disposition), (Some(Verdict::Pass), Disposition::Passed), "{comment}");
        // What stands at the very end counts.
        let (record, comment) = judged(&mut road, &filled(vague, line, BODY)).await;
        assert_eq!((record.verdict, record.confidence), (Some(Verdict::TooAbstract), Some(Confidence::High)), "{line}");
        assert!(comment.contains(place), "{comment}");
    }
}

/// Every line breaks a rule, and every line would be quoted.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn thousands_of_places_are_counted_and_the_comment_stays_short_enough() {
    let mut road = Road::new().await;
    for line in
        ["- AC-2: the export is easy to use, fast and intuitive", "- AC-2: the 📦 is easy to use | `a` <b> @hanako"]
    {
        let criteria = format!("{line}\n").repeat((BODY - VAGUE.len()) / (line.chars().count() + 1));
        let body = VAGUE.replace("- AC-1: the export is easy to use\n", &criteria);
        assert!((60_000..=BODY).contains(&body.chars().count()));
        let (record, comment) = judged(&mut road, &body).await;
        assert_eq!((record.verdict, record.disposition), (Some(Verdict::TooAbstract), Disposition::Returned));
        let mut quotes = record.findings.iter().filter_map(|finding| finding.quote.as_ref());
        assert!(quotes.all(|quote| quote.chars().count() <= 200), "{:?}", record.findings);
        assert!(record.findings.iter().any(|finding| finding.places == 500), "{:?}", record.findings);
        assert!(comment.contains("500"), "{comment}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_report_of_the_longest_length_is_judged_and_its_log_is_not_repeated() {
    let mut road = Road::new().await;
    let issue = road.person("taro").open_issue("Export", COMPLETE).unwrap();
    road.person("hanako").label(issue, "gate:start").unwrap();
    assert!(road.settle().await);
    let line = "2026-11-30T10:00:07Z INFO export: wrote one chunk of many in 31 ms\n";
    let log = line.repeat((BODY - story::report_on_two().len() - 10) / line.len());
    let report =
        story::report_on_two().replace("## Link to raw data", &format!("```\n{log}```\n\n## Link to raw data"));
    assert!((60_000..=BODY).contains(&report.len()));
    road.person("mio").comment(issue, &report).unwrap();
    assert!(road.settle().await);
    let (record, comment) = newest(&road, issue).await;
    assert_eq!(record.verdict, Some(Verdict::TooConcrete), "{comment}");
    assert!(comment.matches("wrote one chunk").count() < 10, "{comment}");
}

/// Three hundred comments stand above the one that counts.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_newest_plan_and_report_are_found_below_hundreds_of_comments() {
    let mut road = Road::new().await;
    let parent = road.person("hanako").open_issue("Export the month", &story::parent()).unwrap();
    road.person("hanako").comment(parent, &story::circular_plan()).unwrap();
    for at in 0..300 {
        road.person("taro").comment(parent, &format!("thought {at}")).unwrap();
    }
    road.person("hanako").comment(parent, &story::plan()).unwrap();
    road.person("hanako").label(parent, "gate:split").unwrap();
    assert!(road.settle().await);
    let (record, comment) = newest(&road, parent).await;
    assert_eq!(record.disposition, Disposition::Passed, "{comment}");
    let child = story::children(&road, parent)[0];
    road.person("hanako").label(child, "gate:start").unwrap();
    road.person("mio").comment(child, &story::report_with_orphan()).unwrap();
    assert!(road.settle().await);
    for at in 0..300 {
        road.person("taro").comment(child, &format!("thought {at}")).unwrap();
    }
    road.person("mio").comment(child, &story::report()).unwrap();
    assert!(road.settle().await);
    let (record, comment) = newest(&road, child).await;
    assert_eq!(record.disposition, Disposition::Passed, "{comment}");
}

/// GitHub puts at most a hundred labels on an issue, of as many as the repository has.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_trigger_is_heard_among_all_the_labels_that_an_issue_can_have() {
    let mut road = Road::new().await;
    let number = road.person("taro").open_issue("Export", COMPLETE).unwrap();
    for at in 0..120 {
        road.person("hanako").create_label(&format!("area {at:03}"), "ededed").unwrap();
    }
    for at in 0..98 {
        road.person("hanako").label(number, &format!("area {at:03}")).unwrap();
    }
    road.person("hanako").label(number, "gate:start").unwrap();
    assert!(road.settle().await);
    let labels = road.labels(number);
    assert_eq!(labels.len(), 99);
    assert!(labels.contains(&"gate:start-passed".to_owned()) && !labels.contains(&"gate:start".to_owned()));
}

/// Sixty children that people filed are the plan, and their closing is one roll-up.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixty_children_that_stand_already_are_judged() {
    let mut road = Road::new().await;
    let budget = story::parent().replace("3 children and 9 iterations", "60 children and 500 iterations");
    let parent = road.person("hanako").open_issue("Export the month", &budget).unwrap();
    let mut children = Vec::new();
    for at in 0..60 {
        let body = COMPLETE.replace("D-1: the month can be exported", &format!("R-{}", at % 3 + 1));
        let child = road.person("hanako").open_issue(&format!("Export part {at}"), &body).unwrap();
        road.person("hanako").set_parent(child, parent).unwrap();
        children.push(child);
    }
    road.person("hanako").label(parent, "gate:split").unwrap();
    assert!(road.settle().await);
    let (record, comment) = newest(&road, parent).await;
    assert_eq!((record.verdict, record.children.len()), (Some(Verdict::Pass), 60), "{comment}");
    assert_eq!(road.world.look_at(&widgets()).unwrap().issues().count(), 61, "nothing is filed again");
    // The last of them settles, and none has a result: each is named once.
    for child in &children {
        road.person("hanako").close(*child).unwrap();
    }
    assert!(road.settle().await);
    let (record, comment) = newest(&road, parent).await;
    assert_eq!((record.gate.as_str(), record.disposition), ("integration", Disposition::Returned), "{comment}");
    let question = &record.questions[0].text;
    assert!(children.iter().all(|child| question.contains(&format!("(#{child})"))), "{question}");
    assert_eq!(road.headings(parent).len(), 2, "one verdict for sixty closings");
}

/// The plan with the contract's headings and indents is longer than the comment that it was written in.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plan_of_the_longest_length_stands_whole_in_several_comments() {
    let mut road = Road::new().await;
    let budget = story::parent().replace("3 children and 9 iterations", "60 children and 500 iterations");
    let parent = road.person("hanako").open_issue("Export the month", &budget).unwrap();
    let plan = |spare: usize| -> String {
        let child =
            |at: u32| story::child(at, &format!("Export part {at}"), &format!("R-{}", (at - 1) % 3 + 1), "none");
        let longer = "Clerks wait for it. ".repeat(spare);
        (1..=60).map(|at| child(at).replace("for the clerks.", &format!("for the clerks. {longer}"))).collect()
    };
    let spare = (0..1_000).take_while(|spare| plan(*spare).len() <= BODY).last().unwrap();
    assert!(plan(spare).len() > BODY - 2_000);
    road.person("hanako").comment(parent, &plan(spare)).unwrap();
    road.person("hanako").label(parent, "gate:split").unwrap();
    assert!(road.settle().await);
    let (record, comment) = newest(&road, parent).await;
    assert_eq!((record.disposition, record.children.len()), (Disposition::Passed, 60), "{comment}");
    let comments = road.comments(parent);
    assert!(comments.len() > 1 && comments.iter().all(|one| one.encode_utf16().count() <= COMMENT_LIMIT));
    let whole: String = comments.iter().filter_map(|comment| codec::read_plan(comment)).collect();
    assert_eq!((whole.matches("title: ").count(), whole.matches("Clerks wait").count()), (60, 60 * spare));
    assert_eq!(story::children(&road, parent).len(), 60);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_the_body_has_no_room_for_is_refused() {
    let mut road = Road::new().await;
    let body = filled(&story::parent().replace("## Background", "## Why"), "Clerks copy the entries by hand.", BODY);
    let parent = road.person("taro").open_issue("Export the month", &body).unwrap();
    road.person("hanako").label(parent, "gate:acceptance").unwrap();
    assert!(road.settle().await);
    let (record, _) = newest(&road, parent).await;
    assert_eq!(record.disposition, Disposition::Passed);
    road.person("taro").comment(parent, "/gate answer Q1 yes").unwrap();
    assert!(road.settle().await);
    assert!(road.comments(parent).last().unwrap().contains("Shorten the body"), "{:?}", road.comments(parent));
    assert_eq!(road.store.depth().await.unwrap().dead, 0);
    assert_eq!(road.world.look_at_issue(&widgets(), parent).unwrap().body, body);
}
