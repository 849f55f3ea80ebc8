//! `sekisho restore` as a person meets it: the real program, GitHub's stand-in, and a database that is gone.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, reason = "a test program")]

#[path = "emulator/mod.rs"]
mod emulator;
mod service;
#[path = "support/texts.rs"]
mod texts;

use emulator::{APP, Emulator, KEY, Person, WIDGETS};
use serde_json::{Value, json};
use service::{PATIENCE, Service};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use texts::{COMPLETE, VAGUE};

/// Runs a command in that folder against that server; exit code, standard output, standard error.
fn ran(home: &Path, api: &str, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sekisho"));
    command.args(arguments).current_dir(home).env_clear();
    command.env("GITHUB_APP_ID", APP.to_string()).env("GITHUB_PRIVATE_KEY", KEY).env("GITHUB_API_URL", api);
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

/// Waits until the App has so many comments there and nothing is left to do.
async fn comments(emulator: &Emulator, service: &Service, number: u64, expect: usize) -> Vec<Value> {
    let begun = Instant::now();
    loop {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let mut ours = emulator.comments(WIDGETS, number).await;
        ours.retain(|comment| comment["user"]["login"] == "sekisho[bot]");
        let jobs = service.jobs().await;
        if ours.len() == expect && jobs.ready + jobs.running == 0 {
            return ours;
        }
        assert!(begun.elapsed() < PATIENCE, "{} comments:\n{}", ours.len(), service.log().whole());
    }
}

#[tokio::test]
async fn a_lost_database_is_restored_by_a_command() {
    let emulator = Emulator::start().await;
    let home = tempfile::tempdir().unwrap();
    let service = Service::start(&emulator.url, home.path()).await;
    emulator.deliver_to(&service.webhooks()).await;
    let first = emulator.file_issue(Person::Reporter, WIDGETS, "Export", VAGUE).await;
    emulator.label(Person::Maintainer, WIDGETS, first, "gate:start").await;
    comments(&emulator, &service, first, 1).await;
    emulator.edit_issue(Person::Reporter, WIDGETS, first, COMPLETE).await;
    let ours = comments(&emulator, &service, first, 2).await;
    emulator.close_issue(Person::Maintainer, WIDGETS, first).await;
    let second = emulator.file_issue(Person::Reporter, WIDGETS, "Import", COMPLETE).await;
    emulator.label(Person::Maintainer, WIDGETS, second, "gate:start").await;
    comments(&emulator, &service, second, 1).await;
    service.terminate().await;

    let run = |arguments: &[&str]| ran(home.path(), &emulator.url, arguments);
    let lines = ["records", "--repo", WIDGETS, "--format", "jsonl"];
    let (_, before, _) = run(&lines);
    assert_eq!(before.lines().count(), 3);
    for file in ["sekisho.db", "sekisho.db-wal", "sekisho.db-shm", "sekisho.db-lock"] {
        let _ = std::fs::remove_file(home.path().join(file));
    }
    // This server lists no comments of a whole repository; the World does (`tests/restore.rs`).
    let (code, _, error) = run(&["restore", "--repo", WIDGETS, "--dry-run"]);
    assert_eq!(code, 2);
    assert!(error.contains("not offered by this server; ask for one issue after the other with --number"), "{error}");
    let (one, two) = (first.to_string(), second.to_string());
    let (code, out, error) = run(&["restore", "--repo", WIDGETS, "--number", &one, "--dry-run"]);
    assert_eq!((code, error.as_str()), (0, ""), "{out}");
    assert!(out.contains(&format!("acme/widgets#{one}: 2 records would be restored, 0 stood already")), "{out}");
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0, "a dry run makes no database");

    for (number, whole) in [(&one, "2 records"), (&two, "1 record")] {
        let (code, out, error) = run(&["restore", "--repo", WIDGETS, "--number", number]);
        assert_eq!((code, error.as_str()), (0, ""), "{out}");
        let says = format!("acme/widgets#{number}: {whole} restored, 0 stood already; the history is whole\n");
        assert!(out.ends_with(&says), "{out}");
    }
    assert_eq!(run(&lines).1, before, "byte for byte");
    let (_, out, _) = run(&["restore", "--repo", WIDGETS, "--number", &one]);
    let row = out.lines().find(|line| line.contains(&format!("#{one} "))).unwrap();
    assert_eq!(
        row.split_whitespace().take(7).collect::<Vec<_>>(),
        [&*format!("#{one}"), "start", "0", "2", "seq", "2,", "passed,"]
    );

    // Somebody changes a comment: what the database holds stays, and it is told.
    let (id, body) = (ours[0]["id"].as_u64().unwrap(), ours[0]["body"].as_str().unwrap());
    emulator.edit_comment(Person::Maintainer, WIDGETS, id, &body.replace("\"returned\"", "\"passed\"")).await;
    let (code, out, _) = run(&["restore", "--repo", WIDGETS, "--number", &one, "--format", "json"]);
    let told: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &told["restored"], &told["stood"]), (1, &json!(0), &json!(1)), "{told:#}");
    let kinds: Vec<_> = told["faults"].as_array().unwrap().iter().map(|fault| fault["kind"].clone()).collect();
    assert_eq!(kinds, ["tampered", "gap"]);
    assert!(told["faults"][0]["url"].as_str().unwrap().contains(&id.to_string()), "{told:#}");
    assert_eq!(run(&lines).1, before);
    assert_eq!(emulator.violations().await, Vec::<Value>::new());
}

#[tokio::test]
async fn what_cannot_be_read_says_so() {
    let emulator = Emulator::start().await;
    let home = tempfile::tempdir().unwrap();
    let (code, out, error) = ran(home.path(), &emulator.url, &["restore", "--repo", "acme/nowhere", "--dry-run"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(error.starts_with("sekisho: GET installation acme/nowhere: not found"), "{error}");
    let unset = Command::new(env!("CARGO_BIN_EXE_sekisho"))
        .args(["restore", "--repo", "acme/widgets"])
        .current_dir(home.path())
        .env_clear()
        .output()
        .unwrap();
    let said = String::from_utf8(unset.stderr).unwrap();
    assert_eq!(unset.status.code(), Some(2));
    assert!(said.contains("sekisho: GitHub cannot be asked: GITHUB_APP_ID, GITHUB_PRIVATE_KEY"), "{said}");
    assert_eq!(ran(home.path(), &emulator.url, &["restore", "--repo", "acme"]).0, 64);
    assert_eq!(ran(home.path(), &emulator.url, &["restore"]).0, 64);
}
