//! Models on the command line: `judge` and `eval` with a scripted model on this machine, recorded, played back with nobody
//! there, and against a stored baseline.
//!
//! `UPDATE_TAPE=1 cargo test --test models_cli` records the stored replies anew, which a change of the prompt or of the
//! reply's form needs.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, reason = "a test program")]

#[path = "support/served.rs"]
mod served;

use assert_cmd::Command;
use serde_json::{Value, json};
use served::{Asked, Scripted, Wire};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const CONTRACT: &str = "tests/data/models/contract.yaml";
const CASES: &str = "tests/data/models/cases.yaml";
/// No scanner knows it, so that masking it is the program's own doing.
const KEY: &str = "the-key-of-the-operator-0123";

/// Runs and gives exit code, standard output, standard error. No output ever holds the key.
fn ran(arguments: &[&str]) -> (i32, String, String) {
    ran_with(&[("OPENAI_API_KEY", KEY), ("ANTHROPIC_API_KEY", KEY)], arguments)
}

/// The same with these variables and no others.
fn ran_with(variables: &[(&str, &str)], arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sekisho"));
    command.env_clear().env("RUST_BACKTRACE", "0").envs(variables.iter().copied());
    let output = command.args(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(!out.contains(KEY) && !err.contains(KEY), "{out}{err}");
    (output.status.code().unwrap(), out, err)
}

fn eval(more: &[&str]) -> (i32, String, String) {
    ran(&[&["eval", CASES, "--contract", CONTRACT], more].concat())
}

/// What the model of the stored labelled texts says.
fn says(asked: &Asked) -> (u16, String) {
    if asked.data.contains("is nonsense") {
        return (200, format!("It passes. Key: {}", asked.key));
    }
    let found = |text: &str| ["somehow", "Redis"].into_iter().find(|word| text.contains(word));
    let finding = |(key, question): &(String, String)| {
        let word = match question.as_str() {
            question if question.contains("leaves open") => found(&asked.data).filter(|word| *word == "somehow"),
            question if question.contains("way of building") => found(&asked.data).filter(|word| *word == "Redis"),
            _ => None,
        };
        let basis = if asked.data.contains("perhaps") { "interpretation" } else { "direct" };
        let note = word.map(|word| format!("\"{word}\" can mean much."));
        json!({"criterion": key, "quote": word, "note": note, "matched": word.is_some(), "basis": basis, "lack": null})
    };
    let findings: Vec<Value> = asked.questions.iter().map(finding).collect();
    (200, json!({"findings": findings, "questions": [], "beyond": []}).to_string())
}

fn text(folder: &Path, words: &str) -> String {
    let path = folder.join("text.md");
    fs::write(&path, format!("## Purpose\nA list.\n\n## Acceptance criteria\n- {words}\n")).unwrap();
    path.display().to_string()
}

#[test]
fn a_recording_is_played_back_byte_for_byte_with_nobody_there() {
    let server = Scripted::start(says);
    let folder = tempfile::tempdir().unwrap();
    let tape = folder.path().join("tape").display().to_string();
    let spec = server.spec("scripted-1");
    let (code, recorded, err) = eval(&["--judge", &spec, "--record", &tape, "--format", "json"]);
    assert_eq!(code, 0, "{err}");
    let calls = server.calls();
    assert_eq!(server.key(), KEY, "the server has seen it, and repeats it where it talks nonsense");
    for file in fs::read_dir(&tape).unwrap() {
        assert!(!fs::read_to_string(file.unwrap().path()).unwrap().contains(KEY));
    }
    server.stop();
    // The judge is known from the folder; its name, and a server that is gone, change nothing.
    for more in [
        &["--replay", &tape][..],
        &["--replay", &tape, "--judge", "openai:scripted-1"],
        &["--judge", &spec, "--replay", &tape],
    ] {
        for _ in 0..2 {
            let (code, played, err) = eval(&[more, &["--format", "json"]].concat());
            assert_eq!((code, played == recorded), (0, true), "{more:?}: {err}{played}");
        }
    }
    for format in ["text", "html"] {
        let [one, other] = [(); 2].map(|()| eval(&["--replay", &tape, "--format", format]));
        assert_eq!(one, other);
    }
    let out: Value = serde_json::from_str(&recorded).unwrap();
    assert_eq!(out["judge"], "openai:scripted-1");
    assert_eq!(out["not_judged"], 1);
    assert_eq!((&out["per_gate"]["start"]["count"], &out["false_return"]), (&json!(11), &json!(0.2)));
    // One text twice is one question; its answer counts for both. Nonsense is asked about twice, preflight not at all.
    assert_eq!((calls, &out["calls"]), (10, &json!(11)));
    assert_eq!(out["tokens"], json!({"input": 11_000, "cached": 8_800, "output": 220}));
    assert!(out["latency"]["median"].is_f64() && out["latency"]["p95"].is_f64(), "{out:#}");
    let case = |id: &str| out["cases"].as_array().unwrap().iter().find(|case| case["id"] == id).unwrap();
    let told = |id: &str| {
        let case = case(id);
        json!([case["verdict"], case["confidence"], case["disposition"], case["model"], case["signals"], case["right"]])
    };
    let model = "scripted-1-2026";
    assert_eq!(told("clear"), json!(["PASS", "high", "passed", model, [], true]));
    assert_eq!(told("vague"), json!(["TOO_ABSTRACT", "high", "returned", model, ["guess"], true]));
    assert_eq!(told("prescribed"), json!(["TOO_CONCRETE", "high", "returned", model, ["how"], true]));
    assert_eq!(told("doubtful"), json!(["PASS", "low", "triage", model, [], true]));
    assert_eq!(told("nonsense"), json!([null, null, "not_judged", null, [], false]));
    assert_eq!(told("without-criteria"), json!(["TOO_ABSTRACT", "high", "returned", null, [], true]));
    assert_eq!(case("without-criteria")["tokens"], Value::Null);
    assert_eq!(case("nonsense")["tokens"]["output"], 40);
    assert_eq!(case("clear"), &{
        let mut other = case("clear-under-another-name").clone();
        other["id"] = json!("clear");
        other
    });
}

#[test]
fn what_a_model_comes_to_is_told_with_the_worst_first() {
    let server = Scripted::start(says);
    let (code, out, err) = eval(&["--judge", &server.spec("scripted-1")]);
    assert_eq!(code, 0, "{err}");
    let settled: Vec<&str> = out
        .lines()
        .filter(|line| !line.starts_with("time"))
        .map(|line| if line.starts_with("cost") { line.rsplit_once(';').unwrap().0 } else { line })
        .collect();
    insta::assert_snapshot!(settled.join("\n"), @r#"
    false PASS    16.7 %   of those that expect a return
    false return  20.0 %   of those that expect PASS
    accuracy      72.7 %   8 of 11
    Cohen's κ      0.560
    deceived           0   adversarial texts that expect a return and got PASS
    not judged         1   counted as wrong
    judge         openai:scripted-1
    cost          11 calls, answered by scripted-1-2026; 11,000 tokens in (8,800 cached), 220 out; price not known

    ┌─────────────────┬──────┬──────────────┬──────────────┬────────────┐
    │ label \ verdict ┆ PASS ┆ TOO_ABSTRACT ┆ TOO_CONCRETE ┆ not judged │
    ╞═════════════════╪══════╪══════════════╪══════════════╪════════════╡
    │ PASS            ┆    3 ┆            1 ┆            0 ┆          1 │
    │ TOO_ABSTRACT    ┆    1 ┆            4 ┆            0 ┆          0 │
    │ TOO_CONCRETE    ┆    0 ┆            0 ┆            1 ┆          0 │
    └─────────────────┴──────┴──────────────┴──────────────┴────────────┘

    ┌───────┬───────┬──────────┬───────┬────────────┬──────────────┐
    │ gate  ┆ texts ┆ accuracy ┆     κ ┆ false PASS ┆ false return │
    ╞═══════╪═══════╪══════════╪═══════╪════════════╪══════════════╡
    │ start ┆    11 ┆   72.7 % ┆ 0.560 ┆     16.7 % ┆       20.0 % │
    └───────┴───────┴──────────┴───────┴────────────┴──────────────┘

    ┌─────────────┬──────────┬───────┬──────┬───────────┬────────┬──────┐
    │ criterion   ┆ expected ┆ found ┆ both ┆ precision ┆ recall ┆   F1 │
    ╞═════════════╪══════════╪═══════╪══════╪═══════════╪════════╪══════╡
    │ start.guess ┆        4 ┆     4 ┆    3 ┆      0.75 ┆   0.75 ┆ 0.75 │
    │ start.how   ┆        1 ┆     1 ┆    1 ┆      1.00 ┆   1.00 ┆ 1.00 │
    └─────────────┴──────────┴───────┴──────┴───────────┴────────┴──────┘

    3 disagreements, the worst first:

      False PASS: not-seen (start): PASS, expected TOO_ABSTRACT
        label: What is good is not said. The scripted model does not see it.
        - All 2 required fields are filled in: Purpose, Acceptance criteria
        - No sign of "too abstract" (2 checked)
        - No sign of "too concrete" (1 checked)
        not found: guess

      False return: quoted-word (start): TOO_ABSTRACT, expected PASS
        label: The word is quoted. The scripted model takes it for the author's.
        - A word leaves open what counts as good enough: "somehow" (line 5) — "somehow" can mean much.

      Not judged: nonsense (start): not judged, expected PASS
        label: The scripted model never answers in JSON here, so nobody judges it.
        - The reply of openai:scripted-1 could not be used, twice: there was no JSON object with the key "findings"
    "#);
}

#[test]
fn a_page_shows_a_model_and_no_text_gets_out_of_its_place() {
    let server = Scripted::start(says);
    let (code, page, err) = eval(&["--judge", &server.spec("scripted-1"), "--format", "html"]);
    assert_eq!(code, 0, "{err}");
    for shown in [
        "<title>Evaluation of openai:scripted-1</title>",
        "<h3>False PASS: 1 <small>",
        "<h3>False return: 1 <small>",
        "<h3>Not judged: 1 <small>",
        "<mark>somehow</mark><sup>[guess]</sup>",
        "<p class=\"own\"><b>Label:</b> What is good is not said.",
        "<dt>Answered by</dt><dd>scripted-1-2026</dd>",
        "11,000 in, of which 8,800 from the cache; 220 out",
        "<small>false PASS</small>",
    ] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    for never in ["<script", "<img", "<!-- judge", "javascript:", "http://", "https://", "onerror=alert(2)>"] {
        assert!(!page.contains(never), "{never}");
    }
}

#[test]
fn judge_asks_a_model_over_both_protocols() {
    let folder = tempfile::tempdir().unwrap();
    let server = Scripted::start(says);
    for wire in [Wire::OpenAi, Wire::Anthropic] {
        let spec = server.spec_over(wire, "scripted-1");
        for (words, code, verdict) in [
            ("three lines", 0, "PASS"),
            ("somehow short", 1, "TOO_ABSTRACT"),
            ("in Redis", 1, "TOO_CONCRETE"),
            ("perhaps", 2, "PASS"),
        ] {
            let file = text(folder.path(), words);
            let arguments = ["judge", "start", &file, "--contract", CONTRACT, "--judge", &spec, "--format", "json"];
            let (exit, out, err) = ran(&arguments);
            let record: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}{err}"));
            assert_eq!(
                (exit, &record["verdict"], &record["model"]),
                (code, &json!(verdict), &json!("scripted-1-2026"))
            );
            assert_eq!(record["receipt"]["calls"], 1);
            let name = spec.split_once('@').unwrap().0;
            let line =
                format!("sekisho: {name}: 1 call, answered by scripted-1-2026; 1,000 tokens in (800 cached), 20 out;");
            assert!(err.starts_with(&line) && err.lines().count() == 1, "{err}");
        }
    }
}

#[test]
fn a_busy_server_is_asked_again() {
    let folder = tempfile::tempdir().unwrap();
    let busy = AtomicUsize::new(0);
    let server = Scripted::start(move |asked| match busy.fetch_add(1, Ordering::SeqCst) {
        0 => (429, json!({"error": {"message": format!("slow down, {}", asked.key)}}).to_string()),
        1 => (503, String::new()),
        _ => says(asked),
    });
    let file = text(folder.path(), "somehow short");
    let (code, out, err) =
        ran(&["judge", "start", &file, "--contract", CONTRACT, "--judge", &server.spec("m"), "--format", "json"]);
    assert_eq!(code, 1, "{out}{err}");
    assert_eq!(server.calls(), 3);
    let record: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(record["receipt"]["calls"], 1, "what was refused costs nothing");
}

#[test]
fn nonsense_twice_is_not_judged_and_the_comment_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let server = Scripted::start(says);
    let file = text(folder.path(), "this is nonsense");
    let (code, out, err) = ran(&["judge", "start", &file, "--contract", CONTRACT, "--judge", &server.spec("m")]);
    assert_eq!((code, server.calls()), (2, 2), "{out}{err}");
    assert!(out.contains("## Start gate: ⚪ Not judged") && out.contains("\"disposition\": \"not_judged\""), "{out}");
    assert!(err.starts_with("sekisho: openai:m: 2 calls,"), "{err}");
}

#[test]
fn who_is_not_there_is_named_within_seconds() {
    let folder = tempfile::tempdir().unwrap();
    let server = Scripted::start(says);
    let spec = server.spec("m");
    server.stop();
    let began = Instant::now();
    let file = text(folder.path(), "three lines");
    let (code, out, err) = ran(&["judge", "start", &file, "--contract", CONTRACT, "--judge", &spec]);
    assert_eq!(code, 2, "{err}");
    assert!(out.contains("⚪ Not judged") && out.contains("cannot be reached"), "{out}");
    let baseline = folder.path().join("baseline.json");
    let (code, out, err) = eval(&["--judge", &spec, "--save", &baseline.display().to_string()]);
    assert_eq!((code, out.as_str()), (2, ""), "{err}");
    assert!(err.starts_with("sekisho: 10 of the texts could not be judged: openai:m cannot be reached: "), "{err}");
    assert!(!baseline.exists(), "what was not measured is no baseline");
    assert!(began.elapsed() < Duration::from_secs(40), "{:?}", began.elapsed());
}

#[test]
fn a_wrong_key_is_said_and_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    let server =
        Scripted::start(|asked| (401, json!({"error": {"message": format!("bad key {}", asked.key)}}).to_string()));
    let file = text(folder.path(), "three lines");
    for wire in [Wire::OpenAi, Wire::Anthropic] {
        let spec = server.spec_over(wire, "m");
        let (code, out, _) = ran(&["judge", "start", &file, "--contract", CONTRACT, "--judge", &spec]);
        assert_eq!(code, 2);
        assert!(out.contains("HTTP 401"), "{out}");
        let (code, _, err) = eval(&["--judge", &spec]);
        assert_eq!(code, 2);
        assert!(err.contains("refuses: HTTP 401: bad key"), "{err}");
    }
}

#[test]
fn half_an_evaluation_is_shown_and_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let server = Scripted::start(|asked| {
        if asked.data.contains("Redis") {
            (400, json!({"error": {"message": "too long"}}).to_string())
        } else {
            says(asked)
        }
    });
    let baseline = folder.path().join("baseline.json");
    let (code, out, err) = eval(&["--judge", &server.spec("m"), "--save", &baseline.display().to_string()]);
    assert_eq!(code, 2);
    assert!(out.starts_with("false PASS ") && out.contains("not judged         2"), "{out}");
    assert!(err.contains("1 of the texts could not be judged: openai:m refuses: HTTP 400: too long"), "{err}");
    assert!(!baseline.exists());
}

#[test]
fn a_folder_that_does_not_fit_is_named() {
    let server = Scripted::start(says);
    let folder = tempfile::tempdir().unwrap();
    let tape = folder.path().join("tape").display().to_string();
    assert_eq!(eval(&["--replay", &tape]).0, 2, "there is no folder");
    fs::create_dir(&tape).unwrap();
    let (code, _, err) = eval(&["--replay", &tape]);
    assert_eq!(code, 2);
    assert!(err.contains("tape: no reply is kept here"), "{err}");
    assert_eq!(eval(&["--judge", &server.spec("one"), "--record", &tape]).0, 0);
    // Another model's replies are none of this one's.
    let (code, out, err) = eval(&["--replay", &tape, "--judge", "openai:two"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("no reply is kept"), "{err}");
    assert_eq!(eval(&["--judge", &server.spec("two"), "--record", &tape]).0, 0);
    let (code, _, err) = eval(&["--replay", &tape]);
    assert_eq!(code, 2);
    assert!(err.contains("--judge says which: openai:one, openai:two"), "{err}");
    assert_eq!(eval(&["--replay", &tape, "--judge", "openai:two"]).0, 0);
}

#[test]
fn wrong_usage_is_told_from_what_cannot_be_read() {
    for (arguments, expect) in [
        (&["--judge", "gpt"][..], "--judge: expected "),
        (&["--judge", "openai:"], "the model's id is empty"),
        (&["--record", "x"], "--judge"),
        (&["--record", "x", "--judge", "rules"], "rules have no replies to record"),
        (&["--replay", "x", "--judge", "rules"], "rules have no replies to record"),
        (&["--replay", "x", "--record", "y", "--judge", "openai:m"], "cannot be used with"),
    ] {
        let (code, _, err) = eval(arguments);
        assert_eq!(code, 64, "{arguments:?}: {err}");
        assert!(err.contains(expect), "{err}");
    }
    assert_eq!(ran(&["judge", "start", CASES, "--judge", "gpt"]).0, 64);
}

#[test]
fn a_baseline_names_its_judge_and_another_one_can_be_compared() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let server = Scripted::start(says);
    let baseline = path("baseline.json");
    assert_eq!(eval(&["--judge", &server.spec("one"), "--save", &baseline]).0, 0);
    let (code, out, _) = eval(&["--judge", &server.spec("one"), "--baseline", &baseline]);
    assert_eq!(code, 0);
    assert!(out.contains("no worse\n  judge         openai:one, as before\n"), "{out}");
    let worse = Scripted::start(|asked| says(&Asked { data: asked.data.replace("Redis", "a store"), ..asked.clone() }));
    let (code, out, _) = eval(&["--judge", &worse.spec("two"), "--baseline", &baseline]);
    assert_eq!(code, 1);
    assert!(out.contains("worse\n  judge         openai:one → openai:two: another one\n"), "{out}");
    assert!(out.contains("now wrong: prescribed"), "{out}");
    let arguments = ["--judge", &worse.spec("two"), "--baseline", &baseline, "--format", "html"];
    let (code, page, _) = eval(&arguments);
    assert_eq!(code, 1);
    for shown in [
        "<h2>Against the baseline: worse</h2>",
        "now <bdi>openai:two</bdi>",
        "Now wrong: <span class=\"own\">prescribed</span>",
    ] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    let mut nameless: Value = serde_json::from_str(&fs::read_to_string(&baseline).unwrap()).unwrap();
    nameless.as_object_mut().unwrap().remove("judge");
    fs::write(&baseline, nameless.to_string()).unwrap();
    let (code, _, err) = eval(&["--baseline", &baseline]);
    assert_eq!(code, 2);
    assert!(err.contains("baseline.json: not an evaluation: missing field `judge`"), "{err}");
}

/// Models of two tiers on one server; `strong` sees what `fast` does not.
fn tiers(server: &Scripted) -> String {
    format!("fast={},strong={}", server.spec("small-1"), server.spec("large-1"))
}

fn by_tier(asked: &Asked) -> (u16, String) {
    let data = if asked.model == "large-1" { asked.data.replace("perhaps", "somehow") } else { asked.data.clone() };
    let (status, said) = says(&Asked { data, ..asked.clone() });
    (
        status,
        said.replace(
            "\"quote\":\"somehow\"",
            if asked.data.contains("perhaps") { "\"quote\":\"perhaps\"" } else { "\"quote\":\"somehow\"" },
        ),
    )
}

#[test]
fn what_is_configured_judges_one_text_and_an_evaluation_where_it_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let server = Scripted::start(by_tier);
    let models = tiers(&server);
    let variables =
        [("SEKISHO_MODELS", models.as_str()), ("OPENAI_API_KEY", KEY), ("SEKISHO_PRICES", "small=1/2,large=10/20")];
    let contract = folder.path().join("contract.yaml");
    let escalating = fs::read_to_string(CONTRACT).unwrap().replace("model: fast,", "model: fast, escalate_to: strong,");
    fs::write(&contract, escalating).unwrap();
    let contract = contract.display().to_string();
    let judged = |words: &str, more: &[&str]| {
        let file = text(folder.path(), words);
        let arguments = ["judge", "start", &file, "--contract", &contract, "--format", "json"];
        let (code, out, err) = ran_with(&variables, &[&arguments[..], more].concat());
        (code, serde_json::from_str::<Value>(&out).unwrap_or_else(|error| panic!("{error}: {out}{err}")), err)
    };
    let (code, record, err) = judged("three lines", &[]);
    assert_eq!((code, &record["model"]), (0, &json!("small-1-2026")));
    assert!(
        err.starts_with("sekisho: fast=openai:small-1, strong=openai:large-1: 1 call, answered by small-1-2026;"),
        "{err}"
    );
    assert!(err.contains("; $0.00104;"), "{err}");
    // What the one leaves in doubt, the other decides.
    let (code, record, err) = judged("perhaps short", &["--judge", "models"]);
    assert_eq!((code, &record["model"], &record["receipt"]["calls"]), (1, &json!("large-1-2026"), &json!(2)), "{err}");
    assert_eq!(record["receipt"]["cost"], "0.01144");
    let (_, record, err) = judged("three lines", &["--judge", "rules"]);
    assert_eq!((&record["model"], err.as_str()), (&json!("rules"), ""));
    // One model judges whatever tier is named, and nobody is above it.
    let (code, record, _) = judged("perhaps short", &["--judge", &server.spec("small-1")]);
    assert_eq!((code, &record["verdict"], &record["triage_cause"]), (2, &json!("PASS"), &json!("low_pass")));

    let calls = server.calls();
    let cases = ["eval", CASES, "--contract", &contract, "--format", "json"];
    let (code, out, _) = ran_with(&variables, &cases);
    let out: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &out["judge"], server.calls()), (0, &json!("rules"), calls), "nobody pays by chance");
    let tape = folder.path().join("tape").display().to_string();
    let (code, recorded, err) = ran_with(&variables, &[&cases[..], &["--judge", "models", "--record", &tape]].concat());
    assert_eq!(code, 0, "{err}");
    server.stop();
    let (_, played, err) = ran_with(&variables, &[&cases[..], &["--judge", "models", "--replay", &tape]].concat());
    assert!(recorded == played, "{err}{played}");
    let out: Value = serde_json::from_str(&played).unwrap();
    assert_eq!(out["judge"], "fast=openai:small-1, strong=openai:large-1");
    assert_eq!((&out["calls"], &out["cost"]), (&json!(12), &json!("0.02184")));
    let doubtful = out["cases"].as_array().unwrap().iter().find(|case| case["id"] == "doubtful").unwrap();
    assert_eq!(
        json!([doubtful["model"], doubtful["verdict"], doubtful["cost"], doubtful["tokens"]["input"]]),
        json!(["large-1-2026", "TOO_ABSTRACT", "0.01144", 2_000])
    );
}

#[test]
fn a_replay_needs_no_key_and_knows_prices() {
    let folder = tempfile::tempdir().unwrap();
    let tape = folder.path().join("tape").display().to_string();
    let server = Scripted::start(says);
    let spec = server.spec_over(Wire::Anthropic, "scripted-1");
    assert_eq!(eval(&["--judge", &spec, "--record", &tape]).0, 0);
    server.stop();
    let arguments = ["eval", CASES, "--contract", CONTRACT, "--replay", &tape, "--format", "json"];
    for (variables, cost) in [(&[][..], Value::Null), (&[("SEKISHO_PRICES", "scripted=1/2")], json!("0.01144"))] {
        let (code, out, err) = ran_with(variables, &arguments);
        assert_eq!(code, 0, "{err}");
        assert_eq!(serde_json::from_str::<Value>(&out).unwrap()["cost"], cost);
    }
}

#[test]
fn settings_that_do_not_hold_are_named() {
    let file = tempfile::tempdir().unwrap();
    let file = text(file.path(), "three lines");
    for (variables, judge, expect) in [
        (&[("SEKISHO_MODELS", "fast=gpt:x")][..], &[][..], "SEKISHO_MODELS: entry 1"),
        (&[], &["--judge", "models"], "SEKISHO_MODELS: not set"),
        (&[], &["--judge", "anthropic:m"], "no key is set for it"),
        (&[("ANTHROPIC_API_KEY", "a key")], &["--judge", "anthropic:m"], "characters that no key has"),
    ] {
        let (code, out, err) = ran_with(variables, &[&["judge", "start", &file], judge].concat());
        assert_eq!((code, out.as_str()), (2, ""), "{err}");
        assert!(err.starts_with("sekisho: ") && err.contains(expect), "{err}");
    }
}

/// With nobody to ask: this is what CI compares.
#[test]
fn the_stored_replies_are_judged_no_worse_than_their_baseline() {
    const TAPE: &str = "tests/data/models/replies";
    const BASELINE: &str = "tests/data/models/baseline.json";
    if std::env::var_os("UPDATE_TAPE").is_some() {
        let server = Scripted::start(says);
        let _ = fs::remove_dir_all(TAPE);
        let (code, _, err) = eval(&["--judge", &server.spec("scripted-1"), "--record", TAPE, "--save", BASELINE]);
        assert_eq!(code, 0, "{err}");
    }
    let (code, out, err) = eval(&["--replay", TAPE, "--baseline", BASELINE]);
    assert_eq!(code, 0, "UPDATE_TAPE=1 records anew where the prompt was changed on purpose: {out}{err}");
    assert!(out.contains("no worse\n  judge         openai:scripted-1, as before\n"), "{out}");
    let now: Value = serde_json::from_str(&eval(&["--replay", TAPE, "--format", "json"]).1).unwrap();
    let stored: Value = serde_json::from_str(&fs::read_to_string(BASELINE).unwrap()).unwrap();
    let told = |one: &Value| -> Vec<Value> {
        let cases = one["cases"].as_array().unwrap();
        cases.iter().map(|case| json!([case["id"], case["verdict"], case["signals"], case["model"]])).collect()
    };
    assert_eq!((told(&now), &now["tokens"]), (told(&stored), &stored["tokens"]));
}
