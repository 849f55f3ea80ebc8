//! Contract files as people write them: the shipped ones, broken ones, and what a machine makes of either.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that can't go on ends here")]
#![allow(clippy::too_many_lines, reason = "a table of cases is as long as it is")]

#[path = "contract/extends.rs"]
mod extends;
#[path = "contract/hostile.rs"]
mod hostile;
#[path = "contract/lints.rs"]
mod lints;
#[path = "contract/profile.rs"]
mod profile;

use proptest::prelude::*;
use sekisho::domain::contract::{
    self, Argument, BUILTINS, Contract, DetectorId, FieldType, Kind, Lack, Loaded, MAX_BYTES, PLACES, Problem,
    Severity, Side, blob, builtin, builtin_named, in_force, load, print,
};
use sekisho::domain::ids::{CommitSha, GateId, Language};

/// A small whole contract; tests break it in one place.
const SMALL: &str = "\
kind: handoff
language: en
phases:
  - name: implementation
    receives:
      waiting_level: criteria are written, the implementation is unspecified
      too_abstract_signals:
        - something is missing
        - {id: vague, text: vague words, detect: {words: vague-en}}
templates:
  child_issue_required_fields: [Purpose]
gates:
  start:
    phase: implementation
    label: gate:start
";

fn read(text: &str) -> Loaded {
    load("contracts/x.yaml", text.as_bytes(), None)
}

/// What was found, but for the notice that a plain signal is left to a model.
fn told(loaded: &Loaded) -> Vec<&Problem> {
    loaded.problems.iter().filter(|problem| problem.id != "no-detector").collect()
}

#[track_caller]
fn good(text: &str) -> Contract {
    let loaded = read(text);
    assert_eq!(told(&loaded), [] as [&Problem; 0], "{text}");
    loaded.contract.expect("no problem, so a contract")
}

/// `SMALL` with one piece exchanged.
fn with(from: &str, to: &str) -> String {
    assert_eq!(SMALL.matches(from).count(), 1, "{from}");
    SMALL.replace(from, to)
}

/// Lines as a text.
fn lines(lines: impl Iterator<Item = String>) -> String {
    lines.flat_map(|line| [line, "\n".to_owned()]).collect()
}

/// The one problem of a text.
#[track_caller]
fn check(text: &str, id: &str, severity: Severity, place: (u32, u32), expected: &str) {
    let loaded = read(text);
    let told = if id == "no-detector" { loaded.problems.iter().collect() } else { told(&loaded) };
    let found: Vec<_> = told.iter().map(|p| (p.id, p.severity, (p.line, p.column))).collect();
    assert_eq!(found, [(id, severity, place)], "{:#?}", loaded.problems);
    let problem = told[0];
    assert!(problem.expected.contains(expected), "expected {:?}", problem.expected);
    assert_eq!(problem.path, "contracts/x.yaml");
    let line = if place.0 == 0 { "" } else { text.lines().nth(place.0 as usize - 1).unwrap_or_default() };
    assert_eq!(problem.source, line);
    assert_eq!(loaded.contract.is_none(), severity == Severity::Error);
}

#[track_caller]
fn error(text: &str, id: &str, place: (u32, u32), expected: &str) {
    check(text, id, Severity::Error, place, expected);
}

// --- what is shipped -------------------------------------------------------------------------------------------------

#[test]
fn every_shipped_contract_is_one_without_a_warning() {
    let mut shipped = 0;
    for entry in std::fs::read_dir("contracts").unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        let loaded = load(&path.display().to_string(), &bytes, None);
        assert_eq!(loaded.problems, [], "{}", path.display());
        assert!(loaded.contract.is_some());
        assert!(BUILTINS.iter().any(|known| known.text.as_bytes() == bytes), "{} is no built-in", path.display());
        shipped += 1;
    }
    assert_eq!(shipped, BUILTINS.len());
}

#[test]
fn the_built_ins_say_the_same_in_two_languages() {
    let (ja, en) = (builtin(Language::Ja), builtin(Language::En));
    assert_eq!(builtin_named("builtin:handoff-ja"), Some(ja));
    assert_eq!(builtin_named("builtin:handoff-en"), Some(en));
    assert_eq!(builtin_named("builtin:handoff-fr"), None);
    assert_eq!((ja.language, ja.origin.path.as_str()), (Some(Language::Ja), "builtin:handoff-ja"));
    assert_eq!((en.language, en.origin.path.as_str()), (Some(Language::En), "builtin:handoff-en"));
    for (ja, en) in ja.phases.iter().zip(&en.phases) {
        let shape = |signal: &contract::Signal| {
            let detector = signal.detect.as_ref().expect("every signal of a built-in has its detector").id;
            (signal.id.clone(), signal.side, detector, signal.lack, signal.absence)
        };
        assert_eq!(ja.name, en.name);
        assert_eq!(ja.signals.iter().map(shape).collect::<Vec<_>>(), en.signals.iter().map(shape).collect::<Vec<_>>());
    }
    for (ja, en) in ja.gates.iter().zip(&en.gates) {
        let same = |gate: &contract::Gate| (gate.id, gate.phase, gate.label.clone(), gate.model.clone(), gate.enabled);
        assert_eq!(same(ja), same(en));
        assert_eq!(ja.fields.len(), en.fields.len());
        for (ja, en) in ja.fields.iter().zip(&en.fields) {
            assert_eq!((&ja.kind, ja.means.is_some()), (&en.kind, en.means.is_some()));
        }
    }
    assert_ne!(ja.blob, en.blob);
}

#[test]
fn required_fields_are_word_for_word() {
    let names = |fields: &[contract::Field]| fields.iter().map(|field| field.name.clone()).collect::<Vec<_>>();
    let ja = &builtin(Language::Ja).templates;
    assert_eq!(names(&ja.parent_issue_required_fields), ["背景", "目的", "価値", "予算(コスト上限)", "完了の定義"]);
    assert_eq!(
        names(&ja.child_issue_required_fields),
        ["対応する親要件", "目的", "受け入れ条件", "成功基準", "打ち切り条件", "予算(max_iterations)"]
    );
    assert_eq!(
        names(&ja.report_required_fields),
        [
            "要件⇔結果の対応表",
            "結論",
            "期待値の根拠",
            "再現手順",
            "生データへのリンク",
            "参照した skill と委譲した subagent"
        ]
    );
    let en = &builtin(Language::En).templates;
    assert_eq!(
        names(&en.parent_issue_required_fields),
        ["Background", "Purpose", "Value", "Budget (cost cap)", "Definition of done"]
    );
    assert_eq!(
        names(&en.child_issue_required_fields),
        [
            "Parent requirement",
            "Purpose",
            "Acceptance criteria",
            "Success criteria",
            "Stop condition",
            "Budget (max_iterations)"
        ]
    );
    assert_eq!(
        names(&en.report_required_fields),
        [
            "Requirement-result table",
            "Conclusion",
            "Basis of expected values",
            "Reproduction steps",
            "Link to raw data",
            "Skills and subagents"
        ]
    );
    for templates in [ja, en] {
        let child = &templates.child_issue_required_fields;
        assert_eq!(child[0].aliases, ["親要件", "Covers", "Parent requirements"]);
        assert_eq!(child[2].kind, FieldType::Numbered("AC".into()));
        assert_eq!(
            (child[5].kind.clone(), child[5].aliases.as_slice()),
            (FieldType::Integer, &["max_iterations".into()][..])
        );
    }
}

// --- what is good ----------------------------------------------------------------------------------------------------

#[test]
fn a_contract_says_little_and_the_rest_is_default() {
    let contract = good(SMALL);
    let gate = contract.gate(GateId::Start).unwrap();
    assert_eq!(contract.max_iterations_per_gate, 3);
    assert_eq!(gate.fields, contract.templates.child_issue_required_fields);
    assert_eq!((gate.stops_first, gate.enabled, gate.label.as_str()), (Side::TooAbstract, true, "gate:start"));
    assert_eq!(contract.phase(gate).name, "implementation");
    assert_eq!(contract.phases[0].signals[0].id.as_str(), "something-is-missing");
    assert_eq!(good(&with("    label: gate:start\n", "")).gates[0].label, "gate:start");
    assert_eq!(good(&with("language: en\n", "")).language, None);
    let commit = CommitSha::new("a1");
    let loaded = load("contracts/x.yaml", SMALL.as_bytes(), Some(commit.clone()));
    assert_eq!(loaded.contract.unwrap().origin.commit, Some(commit));
}

#[test]
fn comments_on_a_fields_line_are_its_meaning_and_means_wins() {
    let fields = "\n    - Purpose   # what changes\n                # for whom\n    # not this\n    - name: Value # why\n    - {name: Cost, means: how much} # not this either\n    - name: Plain\n      type: link # nor this\n";
    let contract = good(&with(" [Purpose]\n", fields));
    let means: Vec<_> =
        contract.templates.child_issue_required_fields.iter().map(|field| field.means.as_deref()).collect();
    assert_eq!(means, [Some("what changes for whom"), Some("why"), Some("how much"), None]);
    let one_line = good(&with("[Purpose]", "[Purpose, Value] # whose?"));
    assert!(one_line.templates.child_issue_required_fields.iter().all(|field| field.means.is_none()));
}

#[test]
fn anchors_and_aliases_stand_for_what_they_repeat() {
    let text =
        with("[Purpose]", "&fields [Purpose, Value]").replace("gates:", "  report_required_fields: *fields\ngates:");
    let templates = good(&text).templates;
    assert_eq!(templates.report_required_fields, templates.child_issue_required_fields);
    assert_eq!(templates.report_required_fields.len(), 2);
}

#[test]
fn a_plain_signal_with_a_built_ins_words_takes_its_detector() {
    let contract = good(&with("something is missing", "\"打ち切り条件 の欠落\""));
    assert_eq!(contract.phases[0].signals[0].detect, None, "a space more is another text");
    for (text, detector, absence) in [
        ("打ち切り条件の欠落", DetectorId::SectionMissing, true),
        ("\"The  stop condition\\n is missing\"", DetectorId::SectionMissing, true),
        ("曖昧語（適切に・柔軟に等）", DetectorId::Words, false),
    ] {
        let signal = &good(&with("something is missing", text)).phases[0].signals[0];
        assert_eq!(signal.detect.as_ref().map(|spec| spec.id), Some(detector), "{text}");
        assert_eq!((signal.absence, signal.lack), (absence, Lack::Content));
    }
}

#[test]
fn every_key_is_obeyed() {
    let contract = good(include_str!("data/everything.yaml"));
    assert_eq!(contract.max_iterations_per_gate, 5);
    assert_eq!(contract.trusted_apps, ["helper"]);
    assert_eq!(contract.notify, ["someone", "acme/leads"]);
    assert_eq!(contract.split_criteria.always_separate, ["移行と機能"]);
    let enabled: Vec<_> = contract.gates.iter().filter(|gate| gate.enabled).map(|gate| gate.id).collect();
    assert_eq!(enabled, [GateId::Acceptance, GateId::Split]);
    let acceptance = contract.gate(GateId::Acceptance).unwrap();
    assert_eq!(acceptance.fields[0].means.as_deref(), Some("ここだけの欄"));
    let split = contract.gate(GateId::Split).unwrap();
    assert_eq!(
        split.set_signals.iter().map(|signal| signal.side).collect::<Vec<_>>(),
        [Side::TooAbstract, Side::TooConcrete]
    );
    assert!(contract.gate(GateId::Integration).unwrap().fields.is_empty());
    let words = contract.phases[0].signals[2].detect.as_ref().unwrap();
    assert_eq!(words.argument, Argument::List(vec!["foo".into(), "bar: baz".into(), "3".into()]));
    assert_eq!(words.within, ["目的"]);
}

// --- what is broken --------------------------------------------------------------------------------------------------

#[test]
fn broken_contracts_say_where_and_what() {
    // Keys and types
    error(&with("label:", "lable:"), "unknown-key", (15, 5), "phase, fields, label");
    error(&with("language: en\n", "language: en\nlanguage: ja\n"), "duplicate-key", (3, 1), "each key once");
    error(&with("[Purpose]", "Purpose"), "wrong-type", (11, 32), "a list");
    error(&with("name: implementation", "name: 3"), "wrong-type", (4, 11), "quotation marks");
    error(&with("    phase: implementation\n    label: gate:start\n", "    - x\n"), "wrong-type", (14, 5), "a map");
    error(&with("language: en", "language: fr"), "wrong-value", (2, 11), "one of ja, en");
    error(&with("phase: implementation", "model: fast"), "missing-phase", (13, 3), "one of implementation");
    error(&with("phase: implementation", "phase: implementatoin"), "missing-phase", (14, 12), "one of implementation");
    error(&with("label: gate:start", "stops_first: abstract"), "wrong-value", (15, 18), "too_abstract, too_concrete");
    error(&with("  - name: implementation\n    receives:", "  - receives:"), "missing-key", (4, 5), "`name`");
    // Detectors
    error(&with("words: vague-en", "wrods: vague-en"), "unknown-detector", (9, 51), "one of field_empty");
    error(&with("words: vague-en", "words: vague"), "wrong-argument", (9, 58), "vague-ja, vague-en");
    error(&with("words: vague-en", "regex: '(?<=a)b'"), "invalid-regex", (9, 58), "no look-around");
    error(&with("words: vague-en", r"regex: '\w{500}{500}'"), "invalid-regex", (9, 58), "linear-time");
    // Twice
    error(&with("id: vague,", "id: something-is-missing,"), "duplicate-id", (9, 11), "stands once");
    error(&with("[Purpose]", "[Purpose, 'Ｐｕｒｐｏｓｅ:']"), "duplicate-field", (11, 42), "once");
    error(
        &with("  start:\n", "  acceptance: {phase: implementation}\n  intake: {phase: implementation}\n  start:\n"),
        "duplicate-gate",
        (14, 3),
        "once",
    );
    error(
        &with("    label: gate:start\n", "  acceptance: {phase: implementation, label: Gate:Start}\n"),
        "duplicate-label",
        (15, 46),
        "of its own",
    );
    // Numbers
    error(&with("language: en", "budgets: {max_iterations_per_gate: 0}"), "budget", (2, 36), "from 1 to 20");
    error(&with("language: en", "budgets: {max_iterations_per_gate: 3.5}"), "wrong-type", (2, 36), "an integer");
    error(&with("language: en", "version: 2"), "wrong-value", (2, 10), "from 1 to 1");
    // Gates and names
    error(&with("  start:\n", "  strat:\n"), "unknown-gate", (13, 3), "acceptance, split, start");
    error(&with("language: en", "enabled_gates: [split]"), "unknown-gate", (2, 17), "one of start");
    error(&with("label: gate:start", "label: gate:start-passed"), "wrong-value", (15, 12), "only people set");
    error(&with("language: en", "notify: ['a b']"), "wrong-value", (2, 10), "org/team");
    // YAML
    error(&with("  start:\n", "\tstart:\n"), "syntax", (13, 1), "spaces");
    error(
        &with("  start:\n", "  start: *gone\n").replace("    phase: implementation\n    label: gate:start\n", ""),
        "alias",
        (13, 10),
        "anchor",
    );
    error(&with("language: en", "language: !!python/object en"), "tag", (2, 27), "without its tag");
    error(&format!("{SMALL}---\nkind: handoff\n"), "documents", (16, 1), "one document");
    error(&with("kind: handoff\n", "kind: handoff\n<<: {}\n"), "unknown-key", (2, 1), "alias");
}

#[test]
fn lints_warn_and_the_contract_works() {
    let warn = |text: &str, id, place, expected| check(text, id, Severity::Warning, place, expected);
    warn(&with(", the implementation is unspecified", ""), "waiting-level", (6, 22), "unspecified");
    let phase = "  - {name: spare, receives: {waiting_level: 方式は未指定}}\ntemplates:\n";
    warn(&with("templates:\n", phase), "unused-phase", (10, 12), "a gate with this `phase`");
    warn(&with("label: gate:start", "set_signals: [a cycle]"), "set-signals", (15, 18), "split");
    warn(&with("language: en", "trusted_apps: [helper, '@helper[bot]']"), "duplicate-entry", (2, 24), "once");
}

#[test]
fn messages_point_at_what_was_meant_and_at_the_first_place() {
    let message = |text: &str| read(text).problems[0].message.clone();
    assert_eq!(message(&with("label:", "lable:")), "the gate start has no key `lable`; did you mean `label`?");
    assert_eq!(message(&with("words:", "wrods:")), "there is no detector `wrods`; did you mean `words`?");
    assert_eq!(
        message(&with("id: vague,", "id: something-is-missing,")),
        "the signal id `something-is-missing` stands here already in line 8"
    );
    assert_eq!(message(&with("  start:\n", "  strat:\n")), "there is no hand-off gate `strat`; did you mean `start`?");
}

#[test]
fn all_problems_come_at_once() {
    let text = SMALL
        .replace("language: en", "language: fr")
        .replace("lable", "label")
        .replace("words: vague-en", "wrods: vague-en")
        .replace("[Purpose]", "[Purpose, Purpose, 4]")
        .replace("phase: implementation", "phase: other\n    colour: red")
        .replace("kind: handoff", "kind: handoff\nkind: handoff");
    let ids: Vec<_> = read(&text).problems.iter().map(|problem| problem.id).collect();
    assert_eq!(
        ids,
        [
            "duplicate-key",
            "wrong-value",
            "unknown-detector",
            "duplicate-field",
            "wrong-type",
            "missing-phase",
            "unknown-key"
        ]
    );
}

#[test]
fn files_that_are_no_text_or_too_large_are_refused() {
    let large = format!("{SMALL}# {}\n", "x".repeat(300 * 1024));
    assert!(large.len() > MAX_BYTES);
    error(&large, "too-large", (0, 0), "256 KiB");
    let loaded = load("x.yaml", b"kind: handoff\nname: \xe4\xbe\xa1\xff\n", None);
    let problem = &loaded.problems[0];
    assert_eq!((problem.id, problem.line, problem.column), ("not-utf8", 2, 8));
    assert_eq!((loaded.kind, loaded.contract), (Some(Kind::Handoff), None));
}

#[test]
fn more_than_two_hundred_criteria_at_a_gate_are_an_error() {
    let signals = lines((0..199).map(|index| format!("        - signal number {index}")));
    assert!(read(&with("        - something is missing\n", &signals)).contract.is_some());
    let signals = format!("{signals}        - one more\n");
    error(&with("        - something is missing\n", &signals), "too-many-criteria", (212, 3), "at most 200");
}

#[test]
fn problems_hide_what_looks_like_a_secret() {
    let text = with("language: en", "password: hunter2-ghp_0123456789abcdefghijklmnop");
    let problem = &read(&text).problems[0];
    assert_eq!(problem.source, format!("password: {}", "*".repeat(38)));
    for shown in [&problem.source, &problem.message, &problem.expected] {
        assert!(!shown.contains("hunter2") && !shown.contains("0123"), "{shown}");
    }
}

// --- which files count -----------------------------------------------------------------------------------------------

#[test]
fn files_of_other_kinds_are_set_aside_with_a_notice() {
    for (text, id, place, kind) in [
        ("a: 1\n", "no-kind", (0, 0), None),
        ("", "no-kind", (0, 0), None),
        ("- a\n", "no-kind", (0, 0), None),
        ("a: !Ref x\nb: *c\n", "no-kind", (0, 0), None),
        ("kind: critic\nrounds: 3\n", "other-kind", (1, 7), Some(Kind::Critic)),
        ("kind: Deployment\nx: !Ref y\n", "unknown-kind", (1, 7), None),
    ] {
        let loaded = read(text);
        let found: Vec<_> = loaded.problems.iter().map(|p| (p.id, p.severity, (p.line, p.column))).collect();
        assert_eq!(found, [(id, Severity::Notice, place)], "{text}");
        assert_eq!((loaded.kind, loaded.contract), (kind, None), "{text}");
    }
    let loaded = read("kind: handof\n");
    assert_eq!((loaded.problems[0].id, loaded.problems[0].severity), ("unknown-kind", Severity::Warning));
}

#[test]
fn a_file_that_does_not_parse_counts_as_what_it_says() {
    for (text, kind) in [
        ("kind: handoff # ours\n\tx: [\n", Some(Kind::Handoff)),
        ("kind: 'critic'\nx: [\n", Some(Kind::Critic)),
        ("kind: Deployment\nx: {{ y }\n", None),
        ("phases:\n- [\n", Some(Kind::Handoff)),
        ("x: {{ y }\n", None),
    ] {
        let loaded = read(text);
        assert!(loaded.has_errors(), "{text}");
        assert_eq!(loaded.kind, kind, "{text}");
    }
}

#[test]
fn two_files_in_force_with_the_same_gate_are_an_error_that_names_both() {
    let one = load("contracts/one.yaml", SMALL.as_bytes(), None);
    let two = load(
        "contracts/two.yaml",
        with("  start:\n", "  acceptance: {phase: implementation}\n  start:\n").as_bytes(),
        None,
    );
    let both = in_force(&[vec![one.clone(), two.clone()]]);
    assert!(both.is_broken());
    assert_eq!(both.contracts, []);
    let [problem] = &both.problems.iter().filter(|problem| problem.id != "no-detector").collect::<Vec<_>>()[..] else {
        panic!("{:?}", both.problems)
    };
    assert_eq!(
        (problem.id, problem.path.as_str(), problem.line, problem.column),
        ("duplicate-gate", "contracts/two.yaml", 14, 3)
    );
    assert_eq!(
        problem.message,
        "the gate start is declared here and in contracts/one.yaml line 13, and both files are in force"
    );
    assert_eq!((problem.source.as_str(), problem.expected.as_str()), ("  start:", "each gate in one file"));
    // At different places only the first counts.
    let chosen = in_force(&[vec![], vec![one.clone()], vec![two]]);
    assert_eq!((chosen.contracts, chosen.problems), (vec![one.contract.unwrap()], one.problems));
}

#[test]
fn the_first_place_with_a_file_of_the_kind_counts_even_broken() {
    let ours = read(SMALL);
    let foreign = read("a: 1\n");
    let garbage = read("x: {{ y }\n");
    let broken = read(&with("label:", "lable:"));
    let chosen = in_force(&[vec![foreign.clone(), garbage], vec![ours.clone()]]);
    assert_eq!(chosen.contracts, [ours.contract.clone().unwrap()]);
    assert!(chosen.problems.iter().all(|problem| problem.severity == Severity::Notice));
    assert_eq!(
        chosen.problems.iter().map(|problem| problem.id).collect::<Vec<_>>(),
        ["no-kind", "syntax", "no-detector"]
    );
    let chosen = in_force(&[vec![foreign.clone()], vec![broken], vec![ours]]);
    assert!(chosen.is_broken());
    assert_eq!(chosen.contracts, []);
    let nothing = in_force(&[vec![foreign], vec![]]);
    assert!(!nothing.is_broken());
    assert_eq!(nothing.contracts, []);
}

#[test]
fn places_hold_files_directly_in_them() {
    let held = |path: &str| PLACES[..3].iter().position(|place| place.holds(path));
    for (path, place) in [
        (".github/contracts/a.yaml", Some(0)),
        ("contracts/handoff.yml", Some(1)),
        (".tasuki/profile.yaml", Some(2)),
        (".tasuki/profile.yml", Some(2)),
        ("contracts/examples/a.yaml", None),
        ("contracts/.yaml", None),
        ("contracts/a.json", None),
        ("my/contracts/a.yaml", None),
        (".tasuki/other.yaml", None),
    ] {
        assert_eq!(held(path), place, "{path}");
    }
    let folders: Vec<_> = PLACES.iter().map(|place| place.folder()).collect();
    assert_eq!(folders, [".github/contracts", "contracts", ".tasuki", ".github/contracts", "contracts", ".tasuki"]);
}

// --- what is said twice ----------------------------------------------------------------------------------------------

const DOCS: &str = include_str!("../docs/contracts.md");

#[test]
fn the_docs_name_every_detector_and_their_example_is_a_contract() {
    for id in DetectorId::all() {
        assert!(DOCS.contains(&format!("`{}`", id.as_str())), "{}", id.as_str());
    }
    let example = DOCS.split("```yaml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let contract = good(example);
    assert_eq!(contract.templates.child_issue_required_fields[0].means.as_deref(), Some("what this change is for"));
    for key in
        include_str!("data/everything.yaml").lines().filter_map(|line| line.trim().split_once(':')).map(|(key, _)| key)
    {
        let key = key.trim_start_matches("- ");
        if key.chars().all(|c| c.is_ascii_lowercase() || c == '_') && key.parse::<GateId>().is_err() {
            assert!(DOCS.contains(key), "{key}");
        }
    }
}

// --- for any text ----------------------------------------------------------------------------------------------------

/// What loads prints to the same contract, and the same print.
fn round_trip(loaded: &Loaded) {
    let Some(contract) = &loaded.contract else { return };
    let text = print(contract);
    let again = load(&loaded.path, text.as_bytes(), None).contract;
    assert_eq!(again.as_ref(), Some(contract), "{text}");
    assert_eq!(contract.blob, blob(&text));
}

/// Pieces that mean something in YAML or in a contract.
const PIECES: [&str; 24] = [
    "\n", "  ", "- ", ": ", "#", " # x", "[", "]", "{", "}", "&a ", "*a", "!!str ", "|\n", ">\n", "\"", "'", "\t",
    "null", "3", "~", "<<", "---\n", "\u{feff}",
];

#[test]
fn the_shipped_contracts_survive_their_print() {
    for text in BUILTINS.iter().map(|builtin| builtin.text).chain([SMALL, include_str!("data/everything.yaml")]) {
        let loaded = read(text);
        assert!(loaded.contract.is_some());
        round_trip(&loaded);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn loading_never_panics_on_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(load("x.yaml", &bytes, None).problems.len() <= 101);
    }

    #[test]
    fn loading_never_panics_on_text(text in "(kind: handoff\n)?.{0,200}") {
        round_trip(&read(&text));
    }

    #[test]
    fn loading_never_panics_on_a_mutated_contract(
        which in 0..3_usize,
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0..12_usize, 0..PIECES.len()), 1..6),
    ) {
        let text = [BUILTINS[0].text, BUILTINS[1].text, include_str!("data/everything.yaml")][which];
        let mut chars: Vec<char> = text.chars().collect();
        for (at, length, piece) in cuts {
            let at = at.index(chars.len());
            let end = (at + length).min(chars.len());
            chars.splice(at..end, PIECES[piece].chars());
        }
        let text: String = chars.into_iter().collect();
        let loaded = read(&text);
        for problem in &loaded.problems {
            let lines = u32::try_from(text.lines().count()).unwrap();
            prop_assert!(problem.line <= lines + 1, "{}", problem);
            prop_assert!(!problem.message.is_empty());
        }
        round_trip(&loaded);
    }

    #[test]
    fn ids_of_plain_signals_do_not_depend_on_their_order(texts in shuffled()) {
        let contract = |texts: &[String]| {
            let list = lines(texts.iter().map(|text| format!("        - {text:?}")));
            good(&with("        - something is missing\n", &list))
        };
        let ids = |contract: Contract| {
            let mut ids: Vec<_> = contract.phases[0].signals.iter().map(|s| (s.text.clone(), s.id.clone())).collect();
            ids.sort();
            ids
        };
        let (before, after) = texts;
        prop_assert_eq!(ids(contract(&before)), ids(contract(&after)));
    }
}

/// Distinct texts, and the same texts in another order.
fn shuffled() -> impl Strategy<Value = (Vec<String>, Vec<String>)> {
    prop::collection::hash_set("[あ-んb-z]{1,8}", 1..12).prop_flat_map(|set| {
        let texts: Vec<String> = set.into_iter().filter(|text| text != "vague").collect();
        (Just(texts.clone()), Just(texts).prop_shuffle())
    })
}
