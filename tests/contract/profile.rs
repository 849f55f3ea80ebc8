//! Profiles of the tasuki plugin, read unchanged: the shape of the public one, in the words of this test.

use super::{SMALL, round_trip};
use sekisho::domain::contract::{
    BUILTINS, Contract, DetectorId, Kind, Loaded, PLACES, Severity, builtin, in_force, load, print,
};
use sekisho::domain::ids::{GateId, Language};

const PROFILE: &str = include_str!("../data/profile.yaml");
const PLACE: &str = ".tasuki/profile.yaml";

fn found(loaded: &Loaded) -> Vec<(&'static str, Severity, u32)> {
    loaded.problems.iter().map(|problem| (problem.id, problem.severity, problem.line)).collect()
}

#[track_caller]
fn usable(loaded: Loaded) -> Contract {
    assert!(!loaded.has_errors(), "{:#?}", loaded.problems);
    loaded.contract.expect("no error, so a contract")
}

#[test]
fn a_profile_is_read_unchanged_wherever_it_lies() {
    for path in [PLACE, "contracts/x.yaml", "profile.yml"] {
        let loaded = load(path, PROFILE.as_bytes(), None);
        let notices = ["tasuki", "unused-key", "no-detector", "skipped-gate"];
        let ids: Vec<_> = loaded.problems.iter().map(|problem| problem.id).collect();
        assert_eq!(ids, notices, "{:#?}", loaded.problems);
        assert!(loaded.problems.iter().all(|problem| problem.severity == Severity::Notice && problem.path == path));
        assert_eq!(loaded.kind, Some(Kind::Handoff));
        let contract = usable(loaded);
        assert_eq!((contract.language, contract.max_iterations_per_gate), (None, 4), "the language is the subject's");
        let gates: Vec<_> = contract.gates.iter().map(|gate| (gate.id, gate.enabled)).collect();
        assert_eq!(
            gates,
            [
                (GateId::Acceptance, true),
                (GateId::Split, false),
                (GateId::Start, true),
                (GateId::Outcome, true),
                (GateId::Integration, false)
            ]
        );
    }
}

#[test]
fn what_is_left_out_is_said() {
    let problems = load(PLACE, PROFILE.as_bytes(), None).problems;
    let message = |id: &str| problems.iter().find(|problem| problem.id == id).unwrap().message.clone();
    assert_eq!(
        message("unused-key"),
        "keys of the profile that are not used here: budgets.max_inner_loop, budgets.stale_assignment_minutes, \
         budgets.wip_limit_prs, gates[].criteria_skills, gates[].preflight, gates[].reviewer, preship_review, \
         templates.parent_pr_required_fields, templates.pr_required_fields, worker_agent"
    );
    assert_eq!(message("skipped-gate"), "mechanical gates are left to CI, here and in `enabled_gates`: checks-lint");
    assert_eq!(message("no-detector"), "1 signal has no detector and is left to a model judge: `関係者の名前が無い`");
}

#[test]
fn comments_are_meanings_and_the_rest_is_as_in_a_contract() {
    let contract = usable(load(PLACE, PROFILE.as_bytes(), None));
    let means: Vec<_> =
        contract.templates.child_issue_required_fields.iter().map(|field| field.means.as_deref()).collect();
    assert_eq!(means, [Some("親のどの文に応えるのか"), Some("AC-1 から番号を付ける"), None]);
    let start = contract.gate(GateId::Start).unwrap();
    assert_eq!((start.model.as_deref(), start.escalate_to.as_deref()), (Some("haiku"), Some("sonnet")));
    assert_eq!((start.label.as_str(), &start.fields), ("gate:start", &contract.templates.child_issue_required_fields));
    assert_eq!(contract.gate(GateId::Split).unwrap().set_signals.len(), 1);
    assert_eq!(contract.split_criteria.always_separate, ["移行と新しい機能"]);
    round_trip(&load(PLACE, PROFILE.as_bytes(), None));
    assert!(print(&contract).contains("  acceptance:\n"), "printed, it is a contract like any other");
    assert!(!print(&contract).contains("language:"));
}

#[test]
fn plain_signals_take_the_detector_of_the_built_in_that_says_the_same() {
    let contract = usable(load(PLACE, PROFILE.as_bytes(), None));
    let signals: Vec<_> = contract.phases.iter().flat_map(|phase| &phase.signals).collect();
    let detector = |text: &str| {
        let signal = signals.iter().find(|signal| signal.text.starts_with(text)).unwrap();
        (signal.detect.as_ref().map(|spec| spec.id), signal.absence)
    };
    for (text, expect) in [
        ("価値の記載なし", (Some(DetectorId::FieldEmpty), true)),
        ("予算欄が空", (Some(DetectorId::FieldEmpty), true)),
        ("子タスクの実装方式", (Some(DetectorId::ImplementationDetail), false)),
        ("曖昧語", (Some(DetectorId::Words), false)),
        ("受け入れ条件の欠落", (Some(DetectorId::SectionMissing), true)),
        ("特定ライブラリ", (Some(DetectorId::ImplementationDetail), false)),
        ("対応表なし", (Some(DetectorId::TableMissing), true)),
        ("結論なし", (Some(DetectorId::ConclusionNotFirst), false)),
        ("secrets", (Some(DetectorId::Secret), false)),
        ("関係者の名前が無い", (None, false)),
    ] {
        assert_eq!(detector(text), expect, "{text}");
    }
    // The wordings stand in the built-in; they change nothing of it.
    assert!(BUILTINS[0].text.contains("same_as:"));
    assert!(!print(builtin(Language::Ja)).contains("same_as"));
}

#[test]
fn the_plugins_own_place_needs_no_list_of_gates() {
    let map = SMALL.replace("kind: handoff\n", "reviewer: someone\n");
    let at = |path: &str| load(path, map.as_bytes(), None);
    assert_eq!(at("contracts/x.yaml").kind, None, "elsewhere a file says its kind");
    for path in [PLACE, ".tasuki/profile.yml", "/repo/.tasuki/profile.yaml"] {
        let loaded = at(path);
        let ids: Vec<_> = loaded.problems.iter().map(|problem| problem.id).collect();
        assert_eq!(ids, ["tasuki", "unused-key", "no-detector"]);
        usable(loaded);
    }
    assert!(load("x/.tasuki/profile.yaml", SMALL.as_bytes(), None).problems.iter().all(|p| p.id != "tasuki"));
    let found = in_force(&[vec![], vec![], vec![load(PLACE, PROFILE.as_bytes(), None)]]);
    assert!(!found.is_broken() && PLACES[2].holds(PLACE));
    assert_eq!(found.contracts.len(), 1);
}

#[test]
fn earlier_forms_are_problems_and_no_more() {
    let check = |text: &str, expect: &[(&str, Severity, u32)]| {
        let loaded = load(PLACE, text.as_bytes(), None);
        let told: Vec<_> =
            found(&loaded).into_iter().filter(|(id, ..)| !matches!(*id, "tasuki" | "no-detector")).collect();
        assert_eq!(told, expect, "{text}\n{:#?}", loaded.problems);
        assert_eq!(loaded.kind, Some(Kind::Handoff));
    };
    let (error, warning, notice) = (Severity::Error, Severity::Warning, Severity::Notice);
    let phase = "phases:\n  - {name: a, receives: {waiting_level: 方式は未指定}}\n";
    // Gates of other names
    check(
        &format!(
            "{phase}gates:\n  - {{id: g0, phase: a}}\n  - {{id: gm-lint, kind: mechanical}}\n  - {{id: start, phase: a, return_to: reporter}}\n"
        ),
        &[("unknown-gate", error, 4), ("skipped-gate", notice, 5), ("unused-key", notice, 6)],
    );
    // A phase where work begins, and where it hands off to
    check(
        "profile: x\nphases:\n  - {name: begin, hands_off: {to: a}}\n  - name: a\n    receives: {from: begin, waiting_level: 方式は未指定}\ngates: [{id: start, phase: a}]\n",
        &[("unused-key", notice, 1), ("skipped-phase", notice, 3)],
    );
    check(
        "phases: [{name: begin}]\ngates: [{id: start, phase: begin}]\n",
        &[("skipped-phase", notice, 1), ("missing-phase", error, 2)],
    );
    // A slip is not passed over in silence
    check(
        &format!("{phase}gates:\n  - {{id: split, phase: a, set_signal: [依存の循環], colour: red}}\n"),
        &[("unused-key", warning, 4), ("unused-key", notice, 4)],
    );
    // Other shapes
    check(&format!("{phase}gates: [start]\nenabled_gates: [start]\n"), &[("wrong-type", error, 3)]);
    check(&format!("{phase}gates: [{{kind: abstraction, phase: a}}]\n"), &[("missing-key", error, 3)]);
    check(
        &format!("{phase}gates: [{{id: start, kind: other, phase: a}}, {{id: start, phase: a}}]\n"),
        &[("wrong-value", error, 3), ("duplicate-gate", error, 3)],
    );
    check("gates: []\n", &[("missing-key", error, 1), ("empty", error, 1)]);
    check("gates: [\n", &[("syntax", error, 1)]);
}
