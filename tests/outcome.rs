//! The outcome gate's pure judging, as `sekisho judge outcome` shows it (chapter 3).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, reason = "a test program")]

use assert_cmd::Command;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Judges a report against an issue and gives exit code and record.
fn judged(report: &Path, against: Option<&str>, contract: Option<&Path>) -> (i32, Value) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sekisho"));
    command.args(["judge", "outcome", "--format", "json"]).arg(report).env_remove("RUST_LOG");
    if let Some(against) = against {
        command.args(["--against", against]);
    }
    if let Some(contract) = contract {
        command.arg("--contract").arg(contract);
    }
    let output = command.output().unwrap();
    let record = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    (output.status.code().unwrap(), record)
}

fn example(name: &str, language: &str) -> (i32, Value) {
    let report = format!("examples/judge/{name}-{language}.md");
    judged(Path::new(&report), Some(&format!("examples/judge/outcome-issue-{language}.md")), None)
}

fn matched(record: &Value) -> Vec<&str> {
    record["findings"].as_array().unwrap().iter().map(|finding| finding["criterion"].as_str().unwrap()).collect()
}

#[test]
fn reports_are_judged_in_both_languages() {
    for language in ["ja", "en"] {
        for (name, code, verdict, found, return_to) in [
            ("outcome-pass", 0, "PASS", vec![], Value::Null),
            ("outcome-too-abstract", 1, "TOO_ABSTRACT", vec!["requirement-unmapped"], json!("implementation")),
            ("outcome-too-concrete", 1, "TOO_CONCRETE", vec!["raw-log"], json!("worker")),
        ] {
            let (exit, record) = example(name, language);
            assert_eq!((exit, record["verdict"].as_str()), (code, Some(verdict)), "{name}-{language}: {record:#}");
            assert_eq!(matched(&record), found, "{name}-{language}");
            assert_eq!(record["return_to"], return_to, "{name}-{language}");
        }
    }
}

#[test]
fn without_the_issue_the_table_has_nothing_to_be_compared_with() {
    let (code, record) = judged(Path::new("examples/judge/outcome-too-abstract-en.md"), None, None);
    assert_eq!((code, record["verdict"].as_str()), (0, Some("PASS")), "{record:#}");
    let (_, with) = example("outcome-too-abstract", "en");
    assert_ne!(record["subject"]["revision"], with["subject"]["revision"], "a changed reference is a changed question");
}

#[test]
fn a_missing_heading_goes_back_to_the_worker() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report.md");
    let text = fs::read_to_string("examples/judge/outcome-pass-en.md").unwrap();
    fs::write(&report, text.replace("## Basis of expected values", "## Basis")).unwrap();
    let (code, record) = judged(&report, None, None);
    assert_eq!((code, &record["model"], &record["return_to"]), (1, &Value::Null, &json!("worker")), "{record:#}");
}

/// A contract whose report phase asks nothing.
const BARE: &str = "version: 1\nkind: handoff\nlanguage: en\nphases:\n  - name: report\n    receives:\n      waiting_level: A conclusion. The rest is unspecified\ntemplates:\n  report_required_fields: [Conclusion]\ngates:\n  outcome:\n    phase: report\n";

#[test]
fn logs_secrets_and_personal_data_are_too_concrete_under_every_contract() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let contract = path("bare.yaml", BARE);
    let lines: Vec<_> = (10..30).map(|second| format!("2026-11-03T09:00:{second} ERROR worker failed\n")).collect();
    let log = lines.concat();
    let token = format!("ghp{}", "_9fK2mQ7xLwR4tZ8vB1nC6yD3hJ5sG0aPqWeR");
    for (name, text, found) in [
        ("good.md", "12 of 12 met.".to_owned(), vec![]),
        ("log.md", format!("12 of 12 met.\n\n```\n{log}```"), vec!["inherited:raw-log"]),
        ("secret.md", format!("12 of 12 met, run with {token}"), vec!["inherited:secret"]),
        ("person.md", "Met, says keiko.mori@tosho-kan.co.jp.".to_owned(), vec!["inherited:personal-data"]),
    ] {
        let report = path(name, &format!("## Conclusion\n{text}\n"));
        let (_, record) = judged(&report, None, Some(&contract));
        assert_eq!(matched(&record), found, "{name}: {record:#}");
        assert!(!record.to_string().contains(&token), "{name}");
    }
}
