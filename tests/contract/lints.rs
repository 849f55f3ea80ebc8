//! Every problem that a contract can have: one text that provokes it, one place in the docs, and the code that reports it.

use super::{SMALL, lines, with};
use regex::Regex;
use sekisho::domain::contract::{
    Bases, Loaded, MAX_BYTES, MAX_CHAIN, Problem, Severity, in_force, load, load_on, wants,
};
use std::collections::{BTreeMap, BTreeSet};

const DOCS: &str = include_str!("../../docs/contracts.md");

/// Files of a repository; the first is read.
type Files = Vec<(&'static str, String)>;

fn one(text: impl Into<String>) -> Files {
    vec![("contracts/x.yaml", text.into())]
}

fn over(more: &str) -> String {
    format!("kind: handoff\nextends: base.yaml\n{more}")
}

fn on_small(more: &str) -> Files {
    vec![("contracts/x.yaml", over(more)), ("base.yaml", SMALL.to_owned())]
}

/// What provokes each problem.
fn provoked() -> Vec<(&'static str, Severity, Files)> {
    use Severity::{Error, Notice, Warning};
    let phase = "phases: [{name: a, receives: {waiting_level: left open}}]\n";
    vec![
        ("alias", Error, one(with("language: en", "language: *gone"))),
        ("budget", Error, one(with("language: en", "budgets: {max_iterations_per_gate: 21}"))),
        ("depth", Error, one("kind: handoff\nphases: ".to_owned() + &"[".repeat(40))),
        ("documents", Error, one(format!("{SMALL}---\na: 1\n"))),
        ("duplicate-entry", Warning, one(with("language: en", "notify: [a, A]"))),
        ("duplicate-field", Error, one(with("[Purpose]", "[Purpose, 'Purpose:']"))),
        (
            "duplicate-gate",
            Error,
            one(with("gates:", "gates:\n  acceptance: {phase: implementation}\n  intake: {phase: implementation}")),
        ),
        ("duplicate-id", Error, one(with("id: vague", "id: something-is-missing"))),
        ("duplicate-key", Error, one(with("language: en", "language: en\nlanguage: en"))),
        ("duplicate-label", Error, one(format!("{SMALL}  outcome: {{phase: implementation, label: gate:start}}\n"))),
        (
            "duplicate-phase",
            Error,
            one(with("templates:", "  - {name: implementation, receives: {waiting_level: left open}}\ntemplates:")),
        ),
        ("empty", Error, one(with("name: implementation", "name: ''"))),
        (
            "expansion",
            Error,
            one(with("language: en", &format!("a: &a [{}]\nb: [{}]", "x,".repeat(200), "*a,".repeat(60)))),
        ),
        (
            "extended",
            Notice,
            vec![
                ("contracts/x.yaml", SMALL.to_owned()),
                ("contracts/y.yaml", "kind: handoff\nextends: contracts/x.yaml\n".to_owned()),
            ],
        ),
        ("extends-broken", Error, vec![("x.yaml", over("")), ("base.yaml", with("label:", "lable:"))]),
        ("extends-cycle", Error, vec![("base.yaml", over(""))]),
        ("extends-depth", Error, chain()),
        ("extends-kind", Error, vec![("x.yaml", over("")), ("base.yaml", "kind: critic\n".to_owned())]),
        ("extends-missing", Error, one(over(""))),
        ("extends-path", Error, one("kind: handoff\nextends: ../x.yaml\n")),
        ("field-removed", Error, on_small("gates: {start: {fields: []}}\n")),
        ("invalid-regex", Error, one(with("words: vague-en", "regex: '('"))),
        ("missing-key", Error, one("kind: handoff\n")),
        ("missing-phase", Error, one(with("phase: implementation", "phase: other"))),
        ("more-problems", Error, one(with("language: en", &lines((0..200).map(|key| format!("k{key}: 1")))))),
        ("no-detector", Notice, one(SMALL)),
        ("no-kind", Notice, one("a: 1\n")),
        ("no-meaning", Notice, on_small("templates: {child_issue_required_fields: [Aim]}\n")),
        (
            "not-enabled",
            Notice,
            vec![
                ("x.yaml", over("gates: {outcome: {phase: implementation}}\n")),
                ("base.yaml", format!("{SMALL}enabled_gates: [start]\n")),
            ],
        ),
        ("other-kind", Notice, one("kind: critic\n")),
        (
            "per-item",
            Warning,
            one(format!("{SMALL}  split: {{phase: implementation, set_signals: [Each child lacks a test]}}\n")),
        ),
        ("panel", Warning, one(with("label: gate:start", "panel: 2"))),
        ("same-tier", Warning, one(with("label: gate:start", "model: fast\n    escalate_to: fast"))),
        ("set-level", Warning, one(with("something is missing", "A cycle of dependencies"))),
        ("set-signals", Warning, one(with("label: gate:start", "set_signals: [a cycle of dependencies]"))),
        (
            "skipped-gate",
            Notice,
            one(format!("{phase}gates: [{{id: start, phase: a}}, {{id: lint, kind: mechanical}}]\n")),
        ),
        (
            "skipped-phase",
            Notice,
            one(
                "phases: [{name: b}, {name: a, receives: {waiting_level: left open}}]\ngates: [{id: start, phase: a}]\n",
            ),
        ),
        ("syntax", Error, one("kind: handoff\nphases: ]\n")),
        ("tag", Error, one(with("language: en", "language: !x en"))),
        ("tasuki", Notice, one(format!("{phase}gates: [{{id: start, phase: a}}]\n"))),
        ("too-large", Error, one(format!("{SMALL}# {}\n", "x".repeat(MAX_BYTES)))),
        ("too-long", Error, one(with("something is missing", &"x".repeat(4_001)))),
        (
            "too-many-criteria",
            Error,
            one(with("        - something is missing\n", &lines((0..201).map(|n| format!("        - s{n}"))))),
        ),
        (
            "too-many-patterns",
            Error,
            one(with(
                "        - something is missing\n",
                &lines((0..31).map(|n| format!("        - {{id: s{n}, text: t, detect: {{regex: x}}}}"))),
            )),
        ),
        ("unknown-detector", Error, one(with("words: vague-en", "wrods: vague-en"))),
        ("unknown-gate", Error, one(with("  start:", "  strat:"))),
        ("unknown-key", Error, one(with("label:", "lable:"))),
        ("unknown-kind", Notice, one("kind: Deployment\n")),
        ("unobservable", Warning, one(with("something is missing", "too detailed"))),
        ("unused-key", Notice, one(format!("{phase}worker_agent: x\ngates: [{{id: start, phase: a}}]\n"))),
        (
            "unused-phase",
            Warning,
            one(with("templates:", "  - {name: spare, receives: {waiting_level: left open}}\ntemplates:")),
        ),
        ("waiting-level", Warning, one(with(", the implementation is unspecified", ""))),
        ("wrong-argument", Error, one(with("words: vague-en", "secret: x"))),
        ("wrong-type", Error, one(with("[Purpose]", "Purpose"))),
        ("wrong-value", Error, one(with("language: en", "language: fr"))),
    ]
}

fn chain() -> Files {
    const NAMES: [&str; 9] = ["0.yaml", "1.yaml", "2.yaml", "3.yaml", "4.yaml", "5.yaml", "6.yaml", "7.yaml", "8.yaml"];
    assert_eq!(NAMES.len(), MAX_CHAIN + 1);
    let links = NAMES.windows(2).map(|pair| (pair[0], format!("kind: handoff\nextends: {}\n", pair[1])));
    links.chain([("8.yaml", SMALL.to_owned())]).collect()
}

fn read(files: &Files, path: &str) -> Loaded {
    let text = |path: &str| files.iter().find(|(name, _)| *name == path).map(|(_, text)| text.as_bytes());
    let mut bases = Bases::default();
    while let Some(wanted) = wants(path, text(path).unwrap(), &bases) {
        match text(&wanted) {
            Some(bytes) => bases.found(&wanted, wanted.clone(), bytes.to_vec()),
            None => bases.missing(&wanted, "is not in this repository"),
        }
    }
    load_on(path, text(path).unwrap(), None, &bases)
}

/// Everything that is said of the first file, read alone and with those beside it.
fn problems(files: &Files) -> Vec<Problem> {
    let mut problems = read(files, files[0].0).problems;
    let beside = files.iter().filter(|(path, _)| path.starts_with("contracts/"));
    problems.extend(in_force(&[beside.map(|(path, _)| read(files, path)).collect()]).problems);
    problems
}

#[test]
fn every_problem_is_provoked_and_has_its_place_in_the_docs() {
    let mut table = BTreeSet::new();
    for (id, severity, files) in provoked() {
        let found = problems(&files);
        let hit = found.iter().find(|problem| problem.id == id);
        let hit = hit.unwrap_or_else(|| panic!("{id} is not among {found:#?}"));
        assert_eq!(hit.severity, severity, "{id}");
        assert!(!hit.message.is_empty() && files.iter().any(|(path, _)| *path == hit.path), "{hit}");
        assert!(table.insert(id), "{id} stands here twice");
    }
    // What no text can provoke: bytes that are none, and a path that can't be opened (the command's own tests).
    assert_eq!(load("x.yaml", b"kind: handoff\n\xff", None).problems[0].id, "not-utf8");
    table.extend(["not-utf8", "unreadable"]);
    let used = used();
    let used: BTreeSet<&str> = used.iter().map(String::as_str).collect();
    let documented: BTreeSet<&str> = DOCS.lines().filter_map(|line| line.strip_prefix("#### ")).collect();
    assert_eq!(table, used, "what is provoked, and what the code reports");
    assert_eq!(documented, used, "what has a place in the docs, and what the code reports");
}

/// The ids in the code: the first argument of a call that reports, or a field of a problem that is put together by hand.
fn used() -> BTreeSet<String> {
    let call = r"\b(?:error|warning|notice)\(|\bunreadable\(name, bytes, |\bid: |severity, |&\(1\.\.=\d+\), ";
    let id = Regex::new(&format!(r#"(?:{call})\s*"([a-z0-9-]+)""#)).unwrap();
    let mut used = BTreeSet::new();
    let sources = std::fs::read_dir("src/domain/contract").unwrap().map(|entry| entry.unwrap().path());
    let command = ["src/cli/contract.rs", "src/cli/contract/source.rs"].map(std::path::PathBuf::from);
    for path in sources.chain(command.into_iter().filter(|path| path.exists())) {
        let text = std::fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        used.extend(id.captures_iter(code).map(|found| found[1].to_owned()));
    }
    used
}

#[test]
fn the_docs_put_each_problem_under_its_weight() {
    let mut sections: BTreeMap<&str, &str> = BTreeMap::new();
    let mut section = "";
    for line in DOCS.lines() {
        section = line.strip_prefix("### ").unwrap_or(section);
        if let Some(id) = line.strip_prefix("#### ") {
            sections.insert(id, section.split(':').next().unwrap());
        }
    }
    for (id, severity, _) in provoked() {
        let expect = match severity {
            Severity::Error => "Errors",
            Severity::Warning => "Warnings",
            Severity::Notice => "Notices",
        };
        // It weighs as much as what it stands for.
        if id != "more-problems" {
            assert_eq!(sections.get(id), Some(&expect), "{id}");
        }
    }
}

/// The only problem of `SMALL` with one piece exchanged, but for the notice on plain signals.
#[track_caller]
fn warns(from: &str, to: &str, id: &str, place: (u32, u32)) {
    super::check(&with(from, to), id, Severity::Warning, place, "");
}

#[track_caller]
fn silent(from: &str, to: &str) {
    super::good(&with(from, to));
}

#[test]
fn signals_that_nobody_can_observe_are_warned_of() {
    let at = (8, 11);
    for text in ["too detailed", "曖昧", "説明が曖昧である", "The text is vague", "内容が具体的すぎる"]
    {
        warns("something is missing", text, "unobservable", at);
    }
    for text in ["曖昧語(適切に・柔軟に等)", "No number for the speed", "{text: too vague, detect: {words: vague-en}}"]
    {
        silent("something is missing", text);
    }
}

#[test]
fn signals_in_the_wrong_list_are_warned_of() {
    for text in ["依存の循環", "An orphaned requirement", "{text: x, detect: cycle}"] {
        warns("something is missing", text, "set-level", (8, 11));
    }
    silent("something is missing", "循環参照の実装を指定");
    // What integration receives is a set.
    let text = with("something is missing", "依存の循環").replace("  start:", "  integration:");
    assert!(super::told(&super::read(&text)).is_empty());
    let split =
        |signal: &str| format!("    label: gate:start\n  split: {{phase: implementation, set_signals: [{signal}]}}");
    for signal in ["各子に受け入れ条件が無い", "a child has no test", "{text: x, detect: secret}", "打ち切り条件の欠落"]
    {
        warns("    label: gate:start", &split(signal), "per-item", (16, 48));
    }
    for signal in [
        "依存の循環",
        "The total is too large",
        "{text: x, detect: budget_exceeded}",
        "{text: x, detect: {words: [x]}}",
    ] {
        silent("    label: gate:start", &split(signal));
    }
}

#[test]
fn signals_without_a_detector_are_named_once() {
    let plain = lines((0..8).map(|index| format!("        - signal {index}")));
    let problems = super::read(&with("        - something is missing\n", &plain)).problems;
    let [problem] = &problems[..] else { panic!("{problems:#?}") };
    assert_eq!((problem.id, problem.line), ("no-detector", 8));
    assert_eq!(
        problem.message,
        "8 signals have no detector and are left to a model judge: `signal 0`, `signal 1`, `signal 2`, `signal 3`, `signal 4`, …"
    );
}

#[test]
fn a_gate_may_observe() {
    let contract = super::good(&with("label: gate:start", "mode: observe"));
    assert_eq!(contract.gates[0].mode, sekisho::domain::contract::Mode::Observe);
}
