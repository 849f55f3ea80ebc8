//! The JSON Schema that editors check contracts with, held against the loader: it knows the same keys, words and
//! limits, takes whatever the loader takes, and refuses what a schema can refuse.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, reason = "a test program")]

use jsonschema::Validator;
use proptest::prelude::*;
use sekisho::domain::contract::{BUILTINS, DetectorId, Problem, load, schema};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::LazyLock;

static SCHEMA: LazyLock<Value> = LazyLock::new(schema);
static VALIDATOR: LazyLock<Validator> = LazyLock::new(|| jsonschema::draft7::new(&SCHEMA).unwrap());

fn json(yaml: &str) -> Value {
    serde_saphyr::from_str(yaml).unwrap_or_else(|error| panic!("{error}\n{yaml}"))
}

fn complaints(value: &Value) -> Vec<String> {
    VALIDATOR.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

#[test]
fn the_schema_is_a_draft_7_schema_and_explains_every_key() {
    assert!(jsonschema::draft7::meta::is_valid(&SCHEMA));
    let mut unexplained = Vec::new();
    each(&SCHEMA, "", &mut |pointer, node| {
        let mut lacking = Vec::new();
        for (key, property) in node["properties"].as_object().into_iter().flatten() {
            let said = property["description"].as_str().is_some_and(|text| text.ends_with('.') && text.len() > 10);
            if !said && !pointer.ends_with("/else") {
                lacking.push(format!("{pointer}/properties/{key}"));
            }
        }
        unexplained.extend(lacking);
    });
    assert_eq!(unexplained, Vec::<String>::new());
}

#[test]
fn contracts_that_load_are_valid() {
    for text in BUILTINS.map(|builtin| builtin.text).into_iter().chain([include_str!("data/everything.yaml")]) {
        assert_eq!(complaints(&json(text)), Vec::<String>::new());
    }
    let page = include_str!("../docs/contracts.md");
    let example = page.split("```yaml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    assert_eq!(complaints(&json(example)), Vec::<String>::new());
    let printed = load("x", include_bytes!("data/everything.yaml"), None).contract.unwrap();
    assert_eq!(complaints(&json(&sekisho::domain::contract::print(&printed))), Vec::<String>::new());
}

/// A small contract with a signal, a set signal and a field in their long forms.
const SMALL: &str = "\
kind: handoff
language: en
budgets: {max_iterations_per_gate: 3}
phases:
  - name: build
    receives:
      waiting_level: criteria are written, the implementation is unspecified
      too_abstract_signals:
        - {text: vague words, detect: {words: vague-en}, lack: content}
      too_concrete_signals: [a plain one]
templates:
  child_issue_required_fields: [Purpose, {name: Criteria, type: text}]
split_criteria: {always_separate: [a move and a feature]}
gates:
  start: {phase: build, fields: [Purpose], label: 'gate:start', mode: enforce}
  split: {phase: build, set_signals: [{text: a circle, side: too_abstract}]}
enabled_gates: [start]
trusted_apps: [helper]
notify: [acme/leads]
";

fn with(from: &str, to: &str) -> String {
    assert_eq!(SMALL.matches(from).count(), 1, "{from}");
    SMALL.replace(from, to)
}

#[test]
fn broken_contracts_are_refused_by_both() {
    assert!(!load("x", SMALL.as_bytes(), None).has_errors());
    assert_eq!(complaints(&json(SMALL)), Vec::<String>::new());
    for (from, to) in [
        ("language: en", "langauge: en"),
        ("language: en", "language: fr"),
        ("language: en", "version: 2"),
        ("per_gate: 3", "per_gate: 0"),
        ("per_gate: 3", "per_gate: '3'"),
        ("budgets: {", "budgets: {max: 1, "),
        ("name: build", "nmae: build"),
        ("      waiting_level: criteria are written, the implementation is unspecified\n", ""),
        ("text: vague words", "txt: vague words"),
        ("text: vague words", "text: 3"),
        ("text: vague words", "text: ''"),
        ("text: vague words", "text: vague words, side: too_abstract"),
        ("text: vague words", "text: vague words, id: 'two words'"),
        ("words: vague-en", "wrods: vague-en"),
        ("words: vague-en", "words: vague-fr"),
        ("words: vague-en", "words: []"),
        ("words: vague-en", "secret: yes"),
        ("words: vague-en", "regex: 3"),
        ("words: vague-en", "unnumbered: 'A-1'"),
        ("words: vague-en", "too_many_items: many"),
        ("words: vague-en", "words: vague-en, secret: "),
        ("{words: vague-en}", "{in: Purpose}"),
        ("{words: vague-en}", "words"),
        ("{words: vague-en}", "secrets"),
        ("{words: vague-en}", "[secret]"),
        ("lack: content", "lack: text"),
        ("lack: content", "absence: 'true'"),
        ("[a plain one]", "a plain one"),
        ("templates:", "template:"),
        ("type: text", "type: number"),
        ("type: text", "numbered: 'A 1'"),
        ("type: text", "type: text, numbered: AC"),
        ("{name: Criteria, type: text}", "{type: text}"),
        ("{name: Criteria, type: text}", "3"),
        ("always_separate", "separate"),
        ("  start: {", "  begin: {"),
        ("start: {phase: build, ", "start: {"),
        ("fields: [Purpose]", "fields: my_fields"),
        ("label: 'gate:start'", "label: [gate:start]"),
        ("label: 'gate:start'", "label: 'a label that is far longer than fifty characters can ever be'"),
        ("mode: enforce", "mode: watch"),
        ("mode: enforce", "open_to: everyone"),
        ("mode: enforce", "on_low_pass: pass"),
        ("mode: enforce", "rejudge_on_edit: true"),
        ("side: too_abstract", "side: abstract"),
        ("enabled_gates: [start]", "enabled_gates: [begin]"),
        ("enabled_gates: [start]", "enabled_gates: start"),
        ("[helper]", "[help er]"),
        ("[acme/leads]", "[acme/leads/more]"),
    ] {
        let text = with(from, to);
        assert!(load("x", text.as_bytes(), None).has_errors(), "the loader takes {to}");
        assert!(!complaints(&json(&text)).is_empty(), "the schema takes {to}");
    }
    let gone = SMALL.split("gates:\n").next().unwrap();
    assert!(load("x", gone.as_bytes(), None).has_errors() && !complaints(&json(gone)).is_empty());
}

#[test]
fn what_extends_brings_in_need_not_stand_in_the_file() {
    let text = "kind: handoff\nextends: builtin:handoff-en\ngates: {start: {label: please check}}\n";
    assert!(load("x", text.as_bytes(), None).contract.is_some());
    assert_eq!(complaints(&json(text)), Vec::<String>::new());
    let alone = text.replace("extends: builtin:handoff-en\n", "");
    assert!(load("x", alone.as_bytes(), None).has_errors() && complaints(&json(&alone)).len() > 1);
}

// --- the same keys and words -----------------------------------------------------------------------------------------

/// Calls `visit` with every part of a schema and its JSON pointer.
fn each(node: &Value, pointer: &str, visit: &mut impl FnMut(&str, &Value)) {
    visit(pointer, node);
    match node {
        Value::Object(map) => map.iter().for_each(|(key, inner)| each(inner, &format!("{pointer}/{key}"), visit)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, inner)| each(inner, &format!("{pointer}/{index}"), visit));
        }
        _ => {}
    }
}

/// The words that the loader says it expected there.
fn expected(text: &str, id: &str, about: &str) -> BTreeSet<String> {
    let problems = load("x", text.as_bytes(), None).problems;
    let named = |problem: &&Problem| problem.id == id && problem.message.contains(about);
    let found = problems.iter().find(named).unwrap_or_else(|| panic!("{text}\n{problems:#?}"));
    let words = found.expected.split(", or a list").next().unwrap();
    words.trim_start_matches("one of ").split(", ").map(str::to_owned).collect()
}

const PHASE: &str = "/properties/phases/items";
const RECEIVES: &str = "/properties/phases/items/properties/receives";
const DETECT: &str = "/definitions/detect/anyOf";

#[test]
fn the_schema_knows_just_the_keys_that_the_loader_knows() {
    let mut places = vec![
        (with("language: en", "zzz: en"), String::new()),
        (with("{max_iterations_per_gate: 3}", "{zzz: 3}"), "/properties/budgets".to_owned()),
        (with("name: build", "zzz: build"), PHASE.to_owned()),
        (with("    waiting_level: criteria", "    zzz: criteria"), RECEIVES.to_owned()),
        (with("text: vague words", "zzz: vague words"), "/definitions/signal/anyOf/0".to_owned()),
        (with("text: a circle", "zzz: a circle"), "/definitions/setSignal/anyOf/0".to_owned()),
        (with("name: Criteria", "zzz: Criteria"), "/definitions/field/anyOf/0".to_owned()),
        (with("  child_issue_required_fields", "  zzz"), "/properties/templates".to_owned()),
        (with("{always_separate", "{zzz"), "/properties/split_criteria".to_owned()),
    ];
    for gate in ["acceptance", "intake", "split", "start", "outcome", "integration"] {
        let text = SMALL.split("gates:\n").next().unwrap();
        places.push((format!("{text}gates: {{{gate}: {{zzz: 1}}}}\n"), format!("/properties/gates/properties/{gate}")));
    }
    let keys = |pointer: &str| -> BTreeSet<String> {
        let node = SCHEMA.pointer(pointer).unwrap_or_else(|| panic!("{pointer}"));
        assert_eq!(node["additionalProperties"], false, "{pointer}");
        node["properties"].as_object().unwrap().keys().cloned().collect()
    };
    for (text, pointer) in &places {
        assert_eq!(keys(pointer), expected(text, "unknown-key", "`zzz`"), "{pointer}");
    }
    let mut gates = expected(&with("  start: {", "  zzz: {"), "unknown-gate", "`zzz`");
    gates.insert("intake".to_owned());
    assert_eq!(keys("/properties/gates"), gates);
    let mut detectors = expected(&with("{words: vague-en}", "{zzz: x}"), "unknown-detector", "`zzz`");
    assert_eq!(detectors.len(), DetectorId::all().count());
    detectors.insert("in".to_owned());
    let long = format!("{DETECT}/1");
    assert_eq!(keys(&long), detectors);
    // No map of the schema was left out here.
    let mut seen: BTreeSet<String> = places.into_iter().map(|(_, pointer)| pointer).collect();
    seen.extend(["/properties/gates".to_owned(), long]);
    let mut all = BTreeSet::new();
    each(&SCHEMA, "", &mut |pointer, node| {
        if node.get("properties").is_some_and(Value::is_object) && !pointer.ends_with("/else") {
            all.insert(pointer.to_owned());
        }
    });
    assert_eq!(seen, all);
}

#[test]
fn the_schema_knows_just_the_words_that_the_loader_knows() {
    let mut places = vec![
        (with("language: en", "language: zzz"), "wrong-value", "/properties/language".to_owned()),
        (with("lack: content", "lack: zzz"), "wrong-value", "/definitions/signal/anyOf/0/properties/lack".to_owned()),
        (
            with("side: too_abstract", "lack: zzz"),
            "wrong-value",
            "/definitions/setSignal/anyOf/0/properties/lack".to_owned(),
        ),
        (
            with("side: too_abstract", "side: zzz"),
            "wrong-value",
            "/definitions/setSignal/anyOf/0/properties/side".to_owned(),
        ),
        (with("type: text", "type: zzz"), "wrong-value", "/definitions/field/anyOf/0/properties/type".to_owned()),
        (with("words: vague-en", "words: zzz"), "wrong-argument", format!("{DETECT}/1/properties/words/anyOf/0")),
    ];
    for gate in ["acceptance", "intake", "split", "start", "outcome", "integration"] {
        let text = SMALL.split("gates:\n").next().unwrap();
        for key in ["fields", "stops_first", "rejudge_on_edit", "mode", "open_to", "on_low_pass"] {
            let inner = if key == "fields" { "/anyOf/0" } else { "" };
            places.push((
                format!("{text}gates: {{{gate}: {{phase: build, {key}: zzz}}}}\n"),
                "wrong-value",
                format!("/properties/gates/properties/{gate}/properties/{key}{inner}"),
            ));
        }
    }
    let words = |pointer: &str| -> BTreeSet<String> {
        let list = SCHEMA.pointer(&format!("{pointer}/enum")).unwrap_or_else(|| panic!("{pointer}"));
        list.as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_owned()).collect()
    };
    for (text, id, pointer) in &places {
        assert_eq!(words(pointer), expected(text, id, "`zzz`"), "{pointer}");
    }
    let alone = |id: &DetectorId| {
        let text = with("{words: vague-en}", id.as_str());
        !load("x", text.as_bytes(), None).has_errors()
    };
    let names = DetectorId::all().filter(alone).map(|id| id.as_str().to_owned()).collect();
    assert_eq!(words(&format!("{DETECT}/0")), names);
    let mut enabled = expected(&with("  start: {", "  zzz: {"), "unknown-gate", "`zzz`");
    enabled.insert("intake".to_owned());
    assert_eq!(words("/properties/enabled_gates/items"), enabled);
    // No list of words was left out here.
    let mut seen: BTreeSet<String> = places.into_iter().map(|(_, _, pointer)| pointer).collect();
    let others = ["/properties/version", "/properties/kind", "/properties/enabled_gates/items"];
    seen.extend(others.map(str::to_owned).into_iter().chain([format!("{DETECT}/0")]));
    let mut all = BTreeSet::new();
    each(&SCHEMA, "", &mut |pointer, node| {
        if node.get("enum").is_some_and(Value::is_array) {
            all.insert(pointer.to_owned());
        }
    });
    assert_eq!(seen, all);
}

// --- for any change --------------------------------------------------------------------------------------------------

/// What may stand anywhere by mistake.
fn anything() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!(null)),
        Just(json!([])),
        Just(json!({})),
        Just(json!("text")),
        Just(json!("secret")),
        Just(json!("start")),
        Just(json!("AC")),
        Just(json!(3)),
        Just(json!(true)),
        Just(json!("")),
        Just(json!(["a", "b"])),
        Just(json!({"text": "x"})),
        Just(json!({"name": "x", "numbered": "SC"})),
        Just(json!({"words": ["x"], "in": "y"})),
        Just(json!({"unmeasured": null})),
        Just(json!({"too_many_items": "7"})),
    ]
}

/// Replaces, removes or adds at one place of a tree.
fn change(root: &mut Value, at: usize, what: &Value, removed: bool) {
    let mut pointers = Vec::new();
    each(root, "", &mut |pointer, _| pointers.push(pointer.to_owned()));
    let pointer = pointers[at % pointers.len()].clone();
    let Some((parent, key)) = pointer.rsplit_once('/') else { return };
    match root.pointer_mut(parent).unwrap() {
        Value::Object(map) if removed => {
            map.remove(key);
        }
        Value::Array(items) if removed => {
            items.remove(key.parse::<usize>().unwrap());
        }
        Value::Object(map) => {
            map.insert(key.to_owned(), what.clone());
        }
        Value::Array(items) => items.push(what.clone()),
        _ => {}
    }
}

proptest! {
    #[test]
    fn what_loads_is_valid(
        whole in any::<bool>(),
        changes in prop::collection::vec((any::<usize>(), anything(), prop::bool::weighted(0.3)), 1..3),
    ) {
        let mut contract = json(if whole { include_str!("data/everything.yaml") } else { SMALL });
        for (at, what, removed) in &changes {
            change(&mut contract, *at, what, *removed);
        }
        let loaded = load("x", contract.to_string().as_bytes(), None);
        if loaded.contract.is_some() {
            prop_assert_eq!(complaints(&contract), Vec::<String>::new(), "{}", contract);
        }
    }
}
