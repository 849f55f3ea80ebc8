//! The command line as a person meets it: what is printed, and the exit code.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, reason = "a test program")]

use assert_cmd::Command;
use serde_json::Value;
use std::fs;
use tempfile::TempDir;

fn sekisho(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sekisho"));
    command.args(arguments).env_remove("RUST_LOG");
    command
}

/// Runs and gives exit code, standard output, standard error.
fn ran(arguments: &[&str]) -> (i32, String, String) {
    let output = sekisho(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

fn record(arguments: &[&str]) -> (i32, Value) {
    let (code, out, err) = ran(&[arguments, &["--format", "json"]].concat());
    (code, serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}{err}")))
}

#[test]
fn judge_says_what_the_examples_say() {
    for (gate, name, code, verdict, model) in [
        ("start", "start-pass", 0, "PASS", Some("rules")),
        ("start", "start-too-abstract", 1, "TOO_ABSTRACT", Some("rules")),
        ("start", "start-too-concrete", 1, "TOO_CONCRETE", Some("rules")),
        ("start", "start-missing-field", 1, "TOO_ABSTRACT", None),
        ("acceptance", "acceptance-pass", 0, "PASS", Some("rules")),
        ("acceptance", "acceptance-return", 1, "TOO_ABSTRACT", None),
    ] {
        for language in ["ja", "en"] {
            let file = format!("examples/judge/{name}-{language}.md");
            let (exit, record) = record(&["judge", gate, &file]);
            assert_eq!((exit, record["verdict"].as_str()), (code, Some(verdict)), "{file}: {record:#}");
            assert_eq!(record["model"].as_str(), model, "{file}");
            assert_eq!(record["contract"]["path"], format!("builtin:handoff-{language}"), "{file}");
            assert_eq!(record["signature"], Value::Null, "{file}");
        }
    }
}

#[test]
fn judge_prints_the_comment_and_reads_standard_input() {
    let text = fs::read("examples/judge/start-too-abstract-ja.md").unwrap();
    let output = sekisho(&["judge", "start", "-"]).write_stdin(text).output().unwrap();
    let comment = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        comment.contains("## 着手ゲート: 🔴 差し戻し TOO_ABSTRACT") && comment.contains("machine verdict (JSON)"),
        "{comment}"
    );
    assert!(comment.contains("{\n  \"gate\": \"start\",\n  \"verdict\": \"TOO_ABSTRACT\",\n  \"confidence\": \"high\",\n  \"model\": \"rules\","));
}

#[test]
fn a_history_is_remembered() {
    let folder = TempDir::new().unwrap();
    let history = folder.path().join("history.jsonl");
    let (_, first) = record(&["judge", "start", "examples/judge/start-too-abstract-en.md"]);
    fs::write(&history, format!("{first}\n")).unwrap();
    let history = history.to_str().unwrap();
    let (code, second) = record(&["judge", "start", "examples/judge/start-too-concrete-en.md", "--history", history]);
    assert_eq!(code, 2, "a swing to the other side waits for a human");
    assert_eq!((second["seq"].as_u64(), second["triage_cause"].as_str()), (Some(2), Some("oscillation")));
    let (code, same) = record(&["judge", "start", "examples/judge/start-too-abstract-en.md", "--history", history]);
    assert_eq!((code, &same["run"]), (1, &first["run"]), "unchanged: the newest record answers");
}

#[test]
fn a_contract_can_be_given_and_its_problems_are_shown() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("mine.yaml");
    let text = fs::read_to_string("contracts/handoff-en.yaml").unwrap();
    fs::write(&path, &text).unwrap();
    let given = path.to_str().unwrap();
    let (code, judged) = record(&["judge", "start", "examples/judge/start-pass-en.md", "--contract", given]);
    assert_eq!((code, judged["contract"]["path"].as_str()), (0, Some(given)));
    fs::write(&path, text.replace("kind: handoff", "kind: handoff\nwrong_key: 1")).unwrap();
    let (code, out, err) = ran(&["judge", "start", "examples/judge/start-pass-en.md", "--contract", given]);
    assert!(code == 2 && out.is_empty() && err.contains("wrong_key") && err.contains("mine.yaml:"), "{code} {err}");
    let (code, out, _) = ran(&["contract", "check", given]);
    assert!(code == 1 && out.contains("wrong_key: 1"), "{code} {out}");
    let (code, out, _) = ran(&["contract", "check", "contracts", "--format", "json"]);
    assert_eq!(code, 0, "{out}");
}

#[test]
fn unreadable_input_and_wrong_usage_have_codes_of_their_own() {
    let folder = TempDir::new().unwrap();
    let bad = folder.path().join("bad.md");
    fs::write(&bad, b"\xff\xfe").unwrap();
    let (code, _, err) = ran(&["judge", "start", bad.to_str().unwrap()]);
    assert!(code == 2 && err.contains("not UTF-8"), "{code} {err}");
    let (code, _, err) = ran(&["judge", "start", "no-such-file.md"]);
    assert!(code == 2 && err.contains("no-such-file.md"), "{code} {err}");
    for usage in [&["judge", "begin", "-"][..], &["judge"], &["frobnicate"], &[], &["contract", "check"]] {
        assert_eq!(ran(usage).0, 64, "{usage:?}");
    }
    let (code, out, _) = ran(&["--help"]);
    assert!(code == 0 && out.contains("Exit codes"), "{out}");
    let (code, out, _) = ran(&["judge", "diagnosis", "examples/judge/start-pass-en.md"]);
    assert!(code == 2 && out.contains("diagnosis"), "{code} {out}");
    let (code, out, _) = ran(&["judge", "split", "examples/judge/start-pass-en.md"]);
    assert!(code == 1 && out.contains("There is no split plan"), "{code} {out}");
}

#[test]
fn replay_says_what_a_payload_wakes() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("labeled.json");
    let payload = serde_json::json!({
        "action": "labeled", "label": {"name": "gate:start"}, "installation": {"id": 4242}, "sender": {"login": "hanako", "type": "User"},
        "repository": {"id": 7, "name": "widgets", "full_name": "acme/widgets", "owner": {"login": "acme"}, "default_branch": "main"},
        "issue": {"number": 3, "updated_at": "2027-01-15T08:00:00Z", "labels": [{"name": "gate:start"}]},
    });
    fs::write(&file, payload.to_string()).unwrap();
    let (code, out, err) = ran(&["replay", "issues", file.to_str().unwrap(), "--dry-run"]);
    assert_eq!(code, 0, "{err}");
    assert!(
        out.contains("wakes acme/widgets#3") && out.contains("label gate:start") && out.contains("hanako"),
        "{out}"
    );
    let (_, out, _) = ran(&["replay", "watch", file.to_str().unwrap(), "--dry-run"]);
    assert!(out.starts_with("ignored"), "{out}");
    fs::write(&file, "{").unwrap();
    assert_eq!(ran(&["replay", "issues", file.to_str().unwrap(), "--dry-run"]).0, 2);
}

#[test]
fn the_demo_prints_a_return_and_two_passes() {
    let (code, out, err) = ran(&["demo", "--once"]);
    assert_eq!(code, 0, "{err}");
    let headings: Vec<&str> = out.lines().filter(|line| line.starts_with("## ")).collect();
    assert_eq!(
        headings,
        ["## 着手ゲート: 🔴 差し戻し TOO_ABSTRACT", "## Start gate: ✅ PASS", "## 着手ゲート: ✅ PASS"]
    );
    assert!(out.contains("\"kid\": \"demo\""), "the records are signed");
}

#[test]
fn serve_reports_every_problem_of_its_configuration_at_once() {
    let mut command = sekisho(&["serve"]);
    let output = command.env("GITHUB_APP_ID", "twelve").env("DATABASE_URL", "mysql:x").output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(err.contains("GITHUB_APP_ID") && err.contains("DATABASE_URL"), "{err}");
}
