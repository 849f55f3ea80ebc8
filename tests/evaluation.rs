//! `sekisho eval` as a person meets it, and the project's own labelled examples against their stored baseline.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, reason = "a test program")]

use assert_cmd::Command;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Runs and gives exit code, standard output, standard error.
fn ran(arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sekisho"));
    let output = command.arg("eval").args(arguments).env_remove("RUST_LOG").output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

const GOOD: &str = "## Parent requirement\nR-1\n\n## Purpose\nExport the list.\n\n## Acceptance criteria\n- AC-1: `export` exits with 0\n\n## Success criteria\n- SC-1: a file of 3 lines\n\n## Stop condition\nafter 2 failures\n\n## Budget (max_iterations)\n3\n";

/// Three texts: a PASS, a return, and one whose label no judge could meet.
fn labelled(folder: &Path) -> String {
    let vague = GOOD.replace("exits with 0", "is easy to use");
    let lines = [
        json!({"id": "good", "gate": "start", "text": GOOD, "expected_verdict": "PASS"}),
        json!({"id": "vague", "gate": "start", "text": vague, "expected_verdict": "TOO_ABSTRACT", "expected_signals": ["S.vague"]}),
        json!({"id": "wrong <label>", "gate": "start", "text": GOOD, "expected_verdict": "TOO_CONCRETE", "tags": ["adversarial"], "note": "on purpose"}),
        json!({"id": "later", "gate": "diagnosis", "text": GOOD, "expected_verdict": "PASS"}),
    ];
    let path = folder.join("cases.jsonl");
    fs::write(&path, lines.map(|line| line.to_string()).join("\n")).unwrap();
    path.display().to_string()
}

#[test]
fn figures_and_disagreements_are_said() {
    let folder = tempfile::tempdir().unwrap();
    let cases = labelled(folder.path());
    let names = folder.path().join("names.yaml");
    fs::write(&names, "S.vague: vague-word\n").unwrap();
    let (code, out, err) = ran(&[&cases, "--gate", "start", "--signals", &names.display().to_string()]);
    assert_eq!(code, 0, "{err}");
    let settled = out.lines().filter(|line| !line.starts_with("time")).collect::<Vec<_>>().join("\n");
    insta::assert_snapshot!(settled, @r#"
    false PASS    50.0 %   of those that expect a return
    false return   0.0 %   of those that expect PASS
    accuracy      66.7 %   2 of 3
    Cohen's κ      0.500
    deceived           1   adversarial texts that expect a return and got PASS
    judge         rules

    ┌─────────────────┬──────┬──────────────┬──────────────┬────────────┐
    │ label \ verdict ┆ PASS ┆ TOO_ABSTRACT ┆ TOO_CONCRETE ┆ not judged │
    ╞═════════════════╪══════╪══════════════╪══════════════╪════════════╡
    │ PASS            ┆    1 ┆            0 ┆            0 ┆          0 │
    │ TOO_ABSTRACT    ┆    0 ┆            1 ┆            0 ┆          0 │
    │ TOO_CONCRETE    ┆    1 ┆            0 ┆            0 ┆          0 │
    └─────────────────┴──────┴──────────────┴──────────────┴────────────┘

    ┌───────┬───────┬──────────┬───────┬────────────┬──────────────┐
    │ gate  ┆ texts ┆ accuracy ┆     κ ┆ false PASS ┆ false return │
    ╞═══════╪═══════╪══════════╪═══════╪════════════╪══════════════╡
    │ start ┆     3 ┆   66.7 % ┆ 0.500 ┆     50.0 % ┆        0.0 % │
    └───────┴───────┴──────────┴───────┴────────────┴──────────────┘

    ┌──────────────────┬──────────┬───────┬──────┬───────────┬────────┬──────┐
    │ criterion        ┆ expected ┆ found ┆ both ┆ precision ┆ recall ┆   F1 │
    ╞══════════════════╪══════════╪═══════╪══════╪═══════════╪════════╪══════╡
    │ start.vague-word ┆        1 ┆     1 ┆    1 ┆      1.00 ┆   1.00 ┆ 1.00 │
    └──────────────────┴──────────┴───────┴──────┴───────────┴────────┴──────┘

    1 disagreement, the worst first:

      False PASS: wrong <label> (start): PASS, expected TOO_CONCRETE
        label: on purpose
        - All 6 required fields are filled in: Parent requirement, Purpose, Acceptance criteria, Success criteria, Stop condition, Budget (max_iterations)
        - No sign of "too abstract" (7 checked)
        - No sign of "too concrete" (1 checked)
    "#);
}

#[test]
fn json_has_the_cases_and_the_figures_of_chapter_10() {
    let folder = tempfile::tempdir().unwrap();
    let (code, out, _) = ran(&[&labelled(folder.path()), "--format", "json"]);
    assert_eq!(code, 0);
    let out: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(out["accuracy"], 0.5);
    assert_eq!(out["false_pass"], 0.5);
    assert_eq!(out["false_return"], 0.0);
    assert_eq!(out["adversarial_passes"], 1);
    assert_eq!(out["per_gate"]["start"]["count"], 3);
    assert_eq!(out["per_verdict"]["PASS"]["recall"], 0.5);
    assert!(out["kappa"].is_f64(), "{out:#}");
    let case = &out["cases"][1];
    assert_eq!(
        json!([
            case["id"],
            case["gate"],
            case["verdict"],
            case["expected"],
            case["alt"],
            case["right"],
            case["signals"]
        ]),
        json!(["vague", "start", "TOO_ABSTRACT", "TOO_ABSTRACT", null, true, ["vague-word"]])
    );
    assert!(case["ms"].as_f64().unwrap() > 0.0);
    // A gate that is not judged yet is undecided, and undecided is wrong.
    let case = &out["cases"][3];
    assert_eq!(json!([case["verdict"], case["right"]]), json!([null, false]));
}

#[test]
fn a_page_shows_the_same_and_escapes_what_others_wrote() {
    let folder = tempfile::tempdir().unwrap();
    let (code, out, _) = ran(&[&labelled(folder.path()), "--gate", "start", "--format", "html"]);
    assert_eq!(code, 0);
    assert!(out.starts_with("<!doctype html>"));
    assert!(out.contains("wrong &lt;label&gt;") && !out.contains("wrong <label>"), "{out}");
    for said in
        ["66.7 %", "on purpose", "expected <b>TOO_CONCRETE</b>", "<td class=\"worst\">1<small>false PASS</small></td>"]
    {
        assert!(out.contains(said), "{said}: {out}");
    }
}

#[test]
fn what_is_worse_than_the_baseline_ends_with_1() {
    let folder = tempfile::tempdir().unwrap();
    let cases = labelled(folder.path());
    let baseline = folder.path().join("baseline.json").display().to_string();
    assert_eq!(ran(&[&cases, "--save", &baseline]).0, 0);
    let (code, out, _) = ran(&[&cases, "--baseline", &baseline]);
    assert_eq!(code, 0);
    assert!(out.contains("Against the baseline (4 common texts): no worse"), "{out}");
    // The text that was vague is mended, the label is not: the verdict is worse now.
    fs::write(&cases, fs::read_to_string(&cases).unwrap().replace("is easy to use", "exits with 0")).unwrap();
    let (code, out, _) = ran(&[&cases, "--baseline", &baseline]);
    assert_eq!(code, 1);
    assert!(out.contains("worse\n") && out.contains("now wrong: vague"), "{out}");
    // A case that is taken away hides nothing.
    let (code, out, _) = ran(&[&cases, "--gate", "diagnosis", "--baseline", &baseline]);
    assert_eq!(code, 1);
    assert!(out.contains("no longer there: good, vague, wrong <label>"), "{out}");
}

#[test]
fn bad_input_says_what_and_where() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let good = labelled(folder.path());
    for (arguments, expect) in [
        (vec![path("a.jsonl", "{\"gate\": \"start\"}\n")], "a.jsonl:1: missing field `text`"),
        (vec![path("b.yaml", "- gate: start\n  input: [\n")], "b.yaml:2: expected string scalar"),
        (vec![path("c.txt", "")], "expected a .jsonl, .yaml or .yml file"),
        (vec![folder.path().join("gone.jsonl").display().to_string()], "gone.jsonl: No such file"),
        (vec![good.clone(), good.clone()], "the id `good` stands twice"),
        (vec![good.clone(), "--gate".into(), "outcome".into()], "no labelled text is left"),
        (vec![good.clone(), "--baseline".into(), path("d.json", "{}")], "d.json: not an evaluation"),
        (vec![good, "--signals".into(), path("e.yaml", "[1]")], "e.yaml: "),
    ] {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let (code, _, err) = ran(&arguments);
        assert_eq!(code, 2, "{err}");
        assert!(err.starts_with("sekisho: ") && err.contains(expect), "{err}");
    }
    assert_eq!(ran(&[]).0, 64);
    assert_eq!(ran(&["x.jsonl", "--gate", "begin"]).0, 64);
}

#[test]
fn the_projects_own_examples_are_judged_no_worse_than_their_baseline() {
    let (code, out, err) = ran(&["contracts/examples", "--baseline", "contracts/examples/baseline.json"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("no worse"), "{out}");
    let (_, out, _) = ran(&["contracts/examples", "--format", "json"]);
    let now: Value = serde_json::from_str(&out).unwrap();
    let stored: Value = serde_json::from_str(&fs::read_to_string("contracts/examples/baseline.json").unwrap()).unwrap();
    let verdicts = |one: &Value| -> Vec<Value> {
        let cases = one["cases"].as_array().unwrap();
        cases.iter().map(|case| json!([case["id"], case["verdict"], case["signals"]])).collect()
    };
    assert_eq!(verdicts(&now), verdicts(&stored), "store the baseline anew with --save where the change is meant");
}
