//! `extends`: what a file adds to its base, what it replaces, what it can't take away, and chains that lead nowhere.

use super::{SMALL, blob, told};
use proptest::prelude::*;
use sekisho::domain::contract::{
    BUILTINS, Bases, Contract, DetectorId, Loaded, MAX_CHAIN, Mode, Severity, builtin_named, conflicts, in_force, load,
    load_on, print, wants,
};
use sekisho::domain::ids::{CommitSha, GateId, Language};

/// Reads the first file of a repository, the rest of which is there to be extended.
fn read(files: &[(&str, &str)]) -> Loaded {
    at(files, files[0].0)
}

/// Reads one file of a repository, fetching what it wants like every caller does.
fn at(files: &[(&str, &str)], path: &str) -> Loaded {
    let text = |path: &str| files.iter().find(|(name, _)| *name == path).map(|(_, text)| text.as_bytes());
    let bytes = text(path).unwrap();
    let mut bases = Bases::default();
    let mut fetched = 0;
    while let Some(wanted) = wants(path, bytes, &bases) {
        fetched += 1;
        assert!(fetched <= MAX_CHAIN, "asks without end");
        match text(&wanted) {
            Some(bytes) => bases.found(&wanted, wanted.clone(), bytes.to_vec()),
            None => bases.missing(&wanted, "is not in this repository"),
        }
    }
    load_on(path, bytes, Some(CommitSha::new("c1")), &bases)
}

#[track_caller]
fn good(files: &[(&str, &str)]) -> Contract {
    let loaded = read(files);
    assert!(told(&loaded).is_empty(), "{:#?}", loaded.problems);
    loaded.contract.expect("no problem, so a contract")
}

/// Every problem as its id, path, line and column.
fn found(loaded: &Loaded) -> Vec<(&'static str, &str, u32, u32)> {
    told(loaded).iter().map(|p| (p.id, p.path.as_str(), p.line, p.column)).collect()
}

/// A file over `SMALL`.
fn over(more: &str) -> String {
    format!("kind: handoff\nextends: base.yaml\n{more}")
}

fn names(fields: &[sekisho::domain::contract::Field]) -> Vec<&str> {
    fields.iter().map(|field| field.name.as_str()).collect()
}

#[test]
fn nothing_but_extends_is_the_base_under_another_name() {
    let base = builtin_named("builtin:handoff-ja").unwrap();
    let contract = good(&[("contracts/x.yaml", "kind: handoff\nextends: builtin:handoff-ja\n")]);
    assert_eq!(contract.origin.path, "contracts/x.yaml");
    assert_eq!(contract.origin.commit, Some(CommitSha::new("c1")));
    assert_eq!((print(&contract), &contract.blob), (print(base), &base.blob));
}

#[test]
fn maps_merge_and_scalars_are_replaced() {
    let text = "kind: handoff\nextends: builtin:handoff-ja\nlanguage: en\nbudgets: {max_iterations_per_gate: 5}\n\
                gates:\n  intake: {mode: observe}\n  start: {model: strong, escalate_to: strongest}\nenabled_gates: [start]\n";
    let contract = good(&[("x.yaml", text)]);
    let base = builtin_named("builtin:handoff-ja").unwrap();
    assert_eq!((contract.language, contract.max_iterations_per_gate), (Some(Language::En), 5));
    assert_eq!(contract.gates.len(), base.gates.len(), "`intake` is the base's acceptance");
    let gate = |id| (contract.gate(id).unwrap(), base.gate(id).unwrap());
    let (acceptance, before) = gate(GateId::Acceptance);
    assert_eq!((acceptance.mode, before.mode), (Mode::Observe, Mode::Enforce));
    assert_eq!(
        (acceptance.phase, &acceptance.label, &acceptance.fields),
        (before.phase, &before.label, &before.fields)
    );
    let (start, before) = gate(GateId::Start);
    assert_eq!((start.model.as_deref(), start.escalate_to.as_deref()), (Some("strong"), Some("strongest")));
    assert_eq!(start.on_low_pass, before.on_low_pass);
    let enabled: Vec<_> = contract.gates.iter().filter(|gate| gate.enabled).map(|gate| gate.id).collect();
    assert_eq!(enabled, [GateId::Start], "`enabled_gates` is replaced as a whole");
}

#[test]
fn lists_grow_and_an_entry_of_the_same_name_is_replaced() {
    let text = "kind: handoff\nextends: builtin:handoff-ja\n\
        phases:\n  - name: report\n    receives: {waiting_level: 表がある。作り方は未指定}\n\
        \x20 - name: whole\n    receives: {waiting_level: 全体。方式は未指定}\n\
        templates:\n  parent_issue_required_fields:\n    - 期限     # いつまでに要るのか\n    - {name: '価値：', means: 誰の何が良くなるのか}\n\
        split_criteria:\n  always_separate: [権限の変更と機能追加, データ移行と機能開発]\n\
        gates:\n  integration: {phase: whole, set_signals: []}\n  split:\n    phase: implementation\n    set_signals: [依存の循環]\n\
        enabled_gates: [split, start]\n\
        notify: ['@Hanako']\ntrusted_apps: [planner]\n";
    let contract = good(&[("x.yaml", text)]);
    let base = builtin_named("builtin:handoff-ja").unwrap();
    let phases: Vec<_> = contract.phases.iter().map(|phase| (phase.name.as_str(), phase.signals.len())).collect();
    assert_eq!(phases, [("decomposition", 5), ("implementation", 8), ("report", 0), ("integration", 2), ("whole", 0)]);
    let fields = &contract.templates.parent_issue_required_fields;
    assert_eq!(names(fields), ["背景", "目的", "価値：", "予算(コスト上限)", "完了の定義", "期限"]);
    assert_eq!(fields[5].means.as_deref(), Some("いつまでに要るのか"), "comments of both files are kept apart");
    assert_eq!(fields[2].means.as_deref(), Some("誰の何が良くなるのか"));
    assert_eq!(fields[0].means, base.templates.parent_issue_required_fields[0].means);
    assert_eq!(&contract.gate(GateId::Acceptance).unwrap().fields, fields, "a gate asks for what was added");
    let separate = &contract.split_criteria.always_separate;
    assert_eq!(separate.len(), base.split_criteria.always_separate.len() + 1);
    assert_eq!(separate.last().unwrap(), "権限の変更と機能追加");
    let gates: Vec<_> = contract.gates.iter().map(|gate| gate.id).collect();
    assert_eq!(
        gates,
        [GateId::Acceptance, GateId::Split, GateId::Start, GateId::Outcome, GateId::Integration],
        "the base's first"
    );
}

#[test]
fn set_signals_are_one_by_their_id() {
    let base = "kind: handoff\nphases:\n  - {name: p, receives: {waiting_level: the way is unspecified}}\ngates:\n  split:\n    phase: p\n    set_signals: [a cycle of dependencies, {id: sum, text: The total is exceeded}]\nnotify: [acme/leads]\n";
    let text = over(
        "gates: {split: {set_signals: [{id: a-cycle-of-dependencies, text: a ring, detect: cycle}, {id: sum, text: The sum}, more]}}\nnotify: ['@ACME/leads', hanako]\n",
    );
    let contract = good(&[("x.yaml", &text), ("base.yaml", base)]);
    let set = &contract.gate(GateId::Split).unwrap().set_signals;
    let texts: Vec<_> = set.iter().map(|signal| signal.text.as_str()).collect();
    assert_eq!(texts, ["a ring", "The sum", "more"]);
    assert_eq!(set[0].detect.as_ref().map(|spec| spec.id), Some(DetectorId::Cycle));
    assert_eq!(contract.notify, ["ACME/leads", "hanako"]);
}

#[test]
fn a_chain_is_laid_one_over_the_other() {
    let middle = "kind: handoff\nextends: base.yaml\nbudgets: {max_iterations_per_gate: 7}\nlanguage: ja\n";
    let top = "kind: handoff\nextends: shared/middle.yml\nlanguage: en\n";
    let contract = good(&[("x.yaml", top), ("shared/middle.yml", middle), ("base.yaml", SMALL)]);
    assert_eq!((contract.max_iterations_per_gate, contract.language), (7, Some(Language::En)));
    let loaded = read(&[("x.yaml", top), ("shared/middle.yml", middle), ("base.yaml", SMALL)]);
    assert_eq!(loaded.extends, ["shared/middle.yml", "base.yaml"]);
    // A changed base is another contract, though the file itself is the same.
    let changed = SMALL.replace("something is missing", "something else is missing");
    let other = good(&[("x.yaml", top), ("shared/middle.yml", middle), ("base.yaml", &changed)]);
    assert_ne!(contract.blob, other.blob);
    assert_eq!(contract.blob, blob(&print(&contract)));
}

#[test]
fn what_can_not_be_extended_is_an_error_at_extends() {
    let check = |extends: &str, more: &[(&str, &str)], id: &str, message: &str| {
        let text = format!("kind: handoff\nextends: {extends}\n");
        let loaded = read(&[&[("contracts/x.yaml", text.as_str())], more].concat());
        assert_eq!(found(&loaded)[0], (id, "contracts/x.yaml", 2, 10), "{:#?}", loaded.problems);
        assert_eq!(loaded.problems[0].source, format!("extends: {extends}"));
        assert!(loaded.problems[0].message.contains(message), "{}", loaded.problems[0].message);
        assert_eq!((loaded.contract.is_none(), loaded.problems[0].severity), (true, Severity::Error));
        loaded
    };
    check("gone.yaml", &[], "extends-missing", "`gone.yaml` is not in this repository");
    check("builtin:handoff-fr", &[], "extends-missing", "there is no `builtin:handoff-fr`");
    for path in
        ["../x.yaml", "a/../../x.yaml", "/etc/x.yaml", "./x.yaml", "a//b.yaml", "'a\\b.yaml'", "x.json", "contracts/"]
    {
        check(path, &[], "extends-path", "is no path of a contract");
    }
    check("[a.yaml]", &[], "wrong-type", "a list");
    check("base.yaml", &[("base.yaml", "kind: critic\n")], "extends-kind", "no hand-off contract");
    check("base.yaml", &[("base.yaml", "a: 1\n")], "extends-kind", "`base.yaml` is no hand-off contract");
    check("contracts/x.yaml", &[], "extends-cycle", "contracts/x.yaml → contracts/x.yaml");
    // A base with errors: each under the base's own path.
    let broken = SMALL.replace("label:", "lable:");
    let loaded = check("base.yaml", &[("base.yaml", &broken)], "extends-broken", "`base.yaml` can't be used");
    assert_eq!(found(&loaded)[1..], [("unknown-key", "base.yaml", 15, 5)]);
    assert_eq!(loaded.problems[1].source, "    lable: gate:start");
    let loaded = check("base.yaml", &[("base.yaml", "kind: handoff\nphases: [\n")], "extends-broken", "base.yaml");
    assert_eq!(found(&loaded)[1].0, "syntax");
}

#[test]
fn a_cycle_names_its_chain() {
    let link = |to: &str| format!("kind: handoff\nextends: {to}\n");
    let (a, b, c) = (link("b.yaml"), link("c.yaml"), link("b.yaml"));
    let loaded = read(&[("a.yaml", &a), ("b.yaml", &b), ("c.yaml", &c)]);
    let cycle = loaded.problems.iter().find(|problem| problem.id == "extends-cycle").unwrap();
    assert_eq!(cycle.message, "these files extend each other: b.yaml → c.yaml → b.yaml");
    assert_eq!((cycle.path.as_str(), cycle.line, cycle.column), ("c.yaml", 2, 10));
    assert_eq!(loaded.problems[0].id, "extends-broken", "and the file at hand says where it leads there");
}

#[test]
fn a_chain_has_an_end() {
    let names: Vec<String> = (0..=MAX_CHAIN).map(|index| format!("f{index}.yaml")).collect();
    let texts: Vec<String> = (1..=MAX_CHAIN).map(|next| format!("kind: handoff\nextends: f{next}.yaml\n")).collect();
    let mut files: Vec<(&str, &str)> = names.iter().map(String::as_str).zip(texts.iter().map(String::as_str)).collect();
    files.push((&names[MAX_CHAIN], SMALL));
    let loaded = at(&files, "f0.yaml");
    let last = loaded.problems.iter().find(|problem| problem.id == "extends-depth").unwrap();
    assert_eq!(last.path, format!("f{}.yaml", MAX_CHAIN - 1));
    assert!(at(&files, "f1.yaml").contract.is_some(), "one less is fine");
}

#[test]
fn a_field_can_be_added_but_not_removed() {
    let asks = |fields: &str| {
        let text = over(&format!("gates: {{start: {{fields: {fields}}}}}\n"));
        read(&[("x.yaml", &text), ("base.yaml", SMALL)])
    };
    let loaded = asks("[Aim]");
    assert_eq!(found(&loaded), [("field-removed", "x.yaml", 3, 25)], "{:#?}", loaded.problems);
    assert_eq!(loaded.problems[0].message, "the gate start loses the field `Purpose` of what this file extends");
    assert_eq!(found(&asks("report_required_fields"))[0].0, "field-removed");
    assert!(asks("[Aim, Purpose]").contract.is_some());
    let added = over("templates:\n  child_issue_required_fields: [Aim]\n");
    let loaded = read(&[("x.yaml", &added), ("base.yaml", SMALL)]);
    assert_eq!(found(&loaded), [("no-meaning", "x.yaml", 4, 33)]);
    assert_eq!(names(&loaded.contract.unwrap().gates[0].fields), ["Purpose", "Aim"]);
}

#[test]
fn a_bases_warning_is_shown_where_the_base_is_checked() {
    let base = SMALL.replace(", the implementation is unspecified", "");
    assert_eq!(found(&load("base.yaml", base.as_bytes(), None))[0].0, "waiting-level");
    let loaded = read(&[("x.yaml", &over("")), ("base.yaml", &base)]);
    assert_eq!(found(&loaded), []);
    // Nor is it told here that the file leaves a phase of its base unused: it can't take it out.
    let text = over("phases: [{name: new, receives: {waiting_level: left open}}]\ngates: {start: {phase: new}}\n");
    let loaded = read(&[("x.yaml", &text), ("base.yaml", SMALL)]);
    assert_eq!(found(&loaded), []);
    let text = over("gates: {acceptance: {phase: implementation, label: gate:start}}\n");
    let loaded = read(&[("x.yaml", &text), ("base.yaml", SMALL)]);
    assert_eq!(found(&loaded), [("duplicate-label", "x.yaml", 3, 52)]);
    assert!(loaded.problems[0].message.contains("line 15 of base.yaml"), "{}", loaded.problems[0].message);
}

#[test]
fn a_gate_that_the_bases_list_does_not_enable_is_said() {
    let base = format!("{SMALL}enabled_gates: [start]\n");
    let text = over("gates: {acceptance: {phase: implementation}}\n");
    let loaded = read(&[("x.yaml", &text), ("base.yaml", &base)]);
    assert_eq!(found(&loaded), [("not-enabled", "x.yaml", 3, 9)]);
    assert!(!loaded.contract.unwrap().gate(GateId::Acceptance).unwrap().enabled);
}

#[test]
fn a_file_that_is_extended_is_not_in_force_itself() {
    let files =
        [("contracts/base.yaml", SMALL), ("contracts/team.yaml", "kind: handoff\nextends: contracts/base.yaml\n")];
    let loaded = files.map(|(path, _)| at(&files, path));
    let chosen = in_force(&[loaded.to_vec()]);
    assert!(!chosen.is_broken());
    let paths: Vec<_> = chosen.contracts.iter().map(|contract| contract.origin.path.as_str()).collect();
    assert_eq!(paths, ["contracts/team.yaml"]);
    let told: Vec<_> = conflicts(&loaded).iter().map(|p| (p.id, p.severity, p.path.clone())).collect();
    assert_eq!(told, [("extended", Severity::Notice, "contracts/base.yaml".to_owned())]);
    // Two files that both inherit a gate do conflict, each at its `extends`.
    let other = ("contracts/other.yaml", files[1].1);
    let files = [files[0], files[1], other];
    let chosen = in_force(&[files.map(|(path, _)| at(&files, path)).to_vec()]);
    assert!(chosen.is_broken());
    let problem = chosen.problems.iter().find(|problem| problem.id == "duplicate-gate").unwrap();
    assert_eq!((problem.path.as_str(), problem.line, problem.column), ("contracts/other.yaml", 2, 10));
    assert_eq!(problem.source, "extends: contracts/base.yaml");
    assert_eq!(
        problem.message,
        "the gate start is declared here and in contracts/team.yaml line 2, and both files are in force"
    );
    // Files that extend each other take each other out of force, and stay broken.
    let ring = [
        ("contracts/a.yaml", "kind: handoff\nextends: contracts/b.yaml\n"),
        ("contracts/b.yaml", "kind: handoff\nextends: contracts/a.yaml\n"),
    ];
    assert!(in_force(&[ring.map(|(path, _)| at(&ring, path)).to_vec()]).is_broken());
}

#[test]
fn a_broken_base_breaks_what_extends_it_and_is_said_once() {
    let broken = SMALL.replace("label:", "lable:");
    let files = [
        ("contracts/base.yaml", broken.as_str()),
        ("contracts/team.yaml", "kind: handoff\nextends: contracts/base.yaml\n"),
    ];
    let chosen = in_force(&[files.map(|(path, _)| at(&files, path)).to_vec()]);
    assert!(chosen.is_broken());
    let count = chosen.problems.iter().filter(|problem| problem.id == "unknown-key").count();
    assert_eq!(count, 1, "{:#?}", chosen.problems);
}

#[test]
fn the_effective_contract_prints_whole_and_stands_alone() {
    let text = "kind: handoff\nextends: builtin:handoff-en\ngates: {start: {mode: observe}}\n";
    let contract = good(&[("x.yaml", text)]);
    let printed = print(&contract);
    assert!(!printed.contains("extends"));
    let again = load("x.yaml", printed.as_bytes(), Some(CommitSha::new("c1"))).contract.unwrap();
    assert_eq!((print(&again), again), (printed, contract));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Whatever a file and its base say: no panic, problems in one of the two, and a contract that survives its print.
    #[test]
    fn any_file_over_any_base(
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0..30_usize, 0..4_usize), 0..3),
        which in 0..2_usize,
    ) {
        let other = "kind: handoff\nextends: base.yaml\nlanguage: ja\ngates:\n  start: {mode: observe, fields: [Purpose, Aim]}\n  intake: {phase: implementation}\nnotify: [hanako]\n";
        let pieces = ["\n", "[", "extends: builtin:handoff-ja\n", "  "];
        let mut texts = [other.to_owned(), SMALL.to_owned()];
        for (at, length, piece) in cuts {
            let mut chars: Vec<char> = texts[which].chars().collect();
            let at = at.index(chars.len());
            let end = (at + length).min(chars.len());
            chars.splice(at..end, pieces[piece].chars());
            texts[which] = chars.into_iter().collect();
        }
        let loaded = read(&[("x.yaml", &texts[0]), ("base.yaml", &texts[1])]);
        for problem in &loaded.problems {
            let text = match problem.path.as_str() {
                "x.yaml" => &texts[0],
                "base.yaml" => &texts[1],
                _ => BUILTINS[0].text,
            };
            prop_assert!(problem.line as usize <= text.lines().count() + 1, "{}", problem);
        }
        prop_assert_eq!(loaded.contract.is_some(), loaded.kind.is_some() && !loaded.has_errors());
        if let Some(contract) = loaded.contract {
            let again = load("x.yaml", print(&contract).as_bytes(), Some(CommitSha::new("c1")));
            prop_assert_eq!(again.contract, Some(contract));
        }
    }
}

#[test]
fn the_docs_example_is_a_contract() {
    let docs = include_str!("../../docs/contracts.md");
    let example =
        docs.split("## Start from another contract\n\n```yaml\n").nth(1).unwrap().split("```").next().unwrap();
    let contract = good(&[("x.yaml", example)]);
    assert_eq!(contract.gate(GateId::Start).unwrap().mode, Mode::Observe);
    let added = contract.templates.child_issue_required_fields.last().unwrap();
    assert_eq!((added.name.as_str(), added.means.as_deref()), ("Rollout", Some("who switches it on, and when")));
}
