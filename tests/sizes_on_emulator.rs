//! More than a page of everything, through the real program and GitHub's stand-in: comments, labels, children.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, reason = "a test program")]

#[path = "emulator/mod.rs"]
mod emulator;
mod parent_road;
#[path = "support/plain.rs"]
mod plain;
#[path = "support/script.rs"]
mod script;
mod service;
#[path = "support/texts.rs"]
mod texts;

use emulator::{Person, WIDGETS};
use futures::future::join_all;
use parent_road::Road;
use reqwest::Method;
use sekisho::domain::record::{Disposition, Record};
use sekisho::render::{COMMENT_LIMIT, codec};
use serde_json::{Value, json};
use std::fmt::Write as _;
use texts::{COMPLETE, VAGUE};

const MAINTAINER: Person = Person::Maintainer;

/// The App's newest comment and the record in it. The stand-in lists a hundred comments at once.
async fn newest(road: &Road, number: u64) -> (Record, String) {
    let mut all = Vec::new();
    for page in 1.. {
        let route = format!("/repos/{WIDGETS}/issues/{number}/comments?per_page=100&page={page}");
        let answer = road.emulator.act(MAINTAINER, Method::GET, &route, Value::Null).await;
        let comments = answer.as_array().unwrap().clone();
        all.extend(comments.iter().map(|comment| comment["body"].as_str().unwrap().to_owned()));
        if comments.len() < 100 {
            break;
        }
    }
    let comment = all.into_iter().rfind(|body| codec::read_record(body).is_ok_and(|record| record.is_some())).unwrap();
    assert!(comment.encode_utf16().count() <= COMMENT_LIMIT);
    (codec::read_record(&comment).unwrap().unwrap(), comment)
}

async fn talk(road: &Road, number: u64, count: usize) {
    for _ in 0..count / 20 {
        join_all((0..20).map(|_| road.emulator.comment(Person::Reporter, WIDGETS, number, "a thought"))).await;
    }
}

async fn done(mut road: Road) {
    road.whole().await;
    assert_eq!(road.emulator.violations().await, Vec::<Value>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_hundred_comments_and_a_hundred_and_twenty_labels() {
    let mut road = Road::new(None).await;
    let number = road.emulator.file_issue(Person::Reporter, WIDGETS, "Export", COMPLETE).await;
    let areas: Vec<String> = (0..119).map(|at| format!("area {at:03}")).collect();
    let route = format!("/repos/{WIDGETS}/issues/{number}/labels");
    road.emulator.act(MAINTAINER, Method::POST, &route, json!({ "labels": areas })).await;
    road.emulator.label(MAINTAINER, WIDGETS, number, "gate:start").await;
    road.rest().await;
    let (record, comment) = newest(&road, number).await;
    assert_eq!(record.disposition, Disposition::Passed, "{comment}");
    let issue = format!("/repos/{WIDGETS}/issues/{number}");
    let labels = road.emulator.act(MAINTAINER, Method::GET, &issue, Value::Null).await["labels"].clone();
    let names: Vec<&str> = labels.as_array().unwrap().iter().map(|label| label["name"].as_str().unwrap()).collect();
    assert_eq!(names.len(), 120);
    assert!(names.contains(&"gate:start-passed") && !names.contains(&"gate:start"), "{names:?}");

    talk(&road, number, 300).await;
    let report = script::report().replace("| SC-1 |", "| AC-2 | in 1.4 seconds |\n| SC-1 |");
    road.emulator.comment(MAINTAINER, WIDGETS, number, &report.replace("| AC-2 |", "| AC-9 |")).await;
    road.rest().await;
    let (record, comment) = newest(&road, number).await;
    assert_eq!((record.gate.as_str(), record.disposition), ("outcome", Disposition::Returned), "{comment}");
    road.emulator.comment(MAINTAINER, WIDGETS, number, &report).await;
    road.rest().await;
    let (record, comment) = newest(&road, number).await;
    assert_eq!(
        (record.gate.as_str(), record.disposition, record.seq),
        ("outcome", Disposition::Passed, 2),
        "{comment}"
    );
    done(road).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixty_children_in_a_task_list_and_a_body_of_the_longest_length() {
    let mut road = Road::new(None).await;
    let mut body = script::parent().replace("3 children and 9 iterations", "60 children and 500 iterations");
    body.push_str("\n## Children\n");
    for at in 0..60 {
        let child = COMPLETE.replace("D-1: the month can be exported", &format!("R-{}", at % 3 + 1));
        let number = road.emulator.file_issue(MAINTAINER, WIDGETS, &format!("Export part {at}"), &child).await;
        writeln!(body, "- [ ] #{number}").unwrap();
    }
    let parent = road.emulator.file_issue(MAINTAINER, WIDGETS, "Export the month", &body).await;
    road.emulator.label(MAINTAINER, WIDGETS, parent, "gate:split").await;
    road.rest().await;
    let (record, comment) = newest(&road, parent).await;
    assert_eq!((record.disposition, record.children.len()), (Disposition::Passed, 60), "{comment}");

    for (text, disposition) in [(COMPLETE, Disposition::Passed), (VAGUE, Disposition::Returned)] {
        let filler = "📦".repeat(65_536 - text.chars().count() - 1);
        let longest = format!("{filler}\n{text}");
        let number = road.emulator.file_issue(Person::Reporter, WIDGETS, "Export", &longest).await;
        road.emulator.label(MAINTAINER, WIDGETS, number, "gate:start").await;
        road.rest().await;
        assert_eq!(newest(&road, number).await.0.disposition, disposition);
    }
    done(road).await;
}
