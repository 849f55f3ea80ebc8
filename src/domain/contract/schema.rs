//! The JSON Schema of a hand-off contract, for editors: completion, hints and checks while a person types.
//!
//! It is made of the lists that the loader reads by, and says what a schema can say: keys, types, choices, limits. What
//! needs a look at the whole file (a phase that is not there, an id that stands twice) is left to the loader, which stays
//! the law: `tests/schema.rs` proves that nothing the loader takes is refused here.

use super::detector::{DETECTORS, LEXICONS, Takes};
use super::gates::{self, default_list};
use super::load;
use super::model::DetectorId;
use super::shape::MAX_TEXT;
use super::templates::LISTS;
use crate::domain::ids::GateId;
use serde_json::{Map, Value, json};

/// The schema, in draft-07: what the language server for YAML understands best.
#[must_use]
pub fn schema() -> Value {
    let keys = load::KEYS.into_iter().chain(load::MORE_KEYS);
    let mut schema = map("", keys.map(|key| (key, root(key))));
    let more = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Sekisho hand-off contract",
        "description": "A contract of kind `handoff`: what each receiver of work waits for, and what is checked before work goes on. Not for profiles with list-style `gates` and no `kind`.",
        "required": ["kind"],
        // What `extends` brings in need not stand here.
        "if": {"required": ["extends"]},
        "else": {
            "required": ["phases", "gates"],
            "properties": {"gates": {"additionalProperties": {"required": ["phase"]}}},
        },
        "definitions": {
            "signal": signal(&[]),
            "setSignal": signal(&[(
                "side",
                choice("Which way a match misses.", &["too_abstract", "too_concrete"], Some("too_abstract")),
            )]),
            "field": field(),
            "detect": detect(),
        },
    });
    extend(&mut schema, more);
    schema
}

/// A key of the file's first level.
fn root(key: &str) -> Value {
    match key {
        "version" => {
            json!({"description": "Version of the format; 1 is the only one.", "type": "integer", "enum": [1], "default": 1})
        }
        "kind" => choice("What the contract is about; without this key the file is ignored.", &["handoff"], None),
        "language" => choice("Language of the comments; without it that of the waiting levels.", &["ja", "en"], None),
        "budgets" => map(
            "Limits of a whole road.",
            [(
                "max_iterations_per_gate",
                json!({
                    "description": "Returns at one gate, 1 to 20; the last one goes to a person.",
                    "type": "integer", "minimum": 1, "maximum": 20, "default": 3,
                }),
            )],
        ),
        "phases" => list("What each receiver of work waits for, and the signals that a text misses it.", phase()),
        "templates" => map(
            "Headings that must be there and filled before anything is judged.",
            LISTS.map(|name| (name, list(of_list(name), reference("field")))),
        ),
        "split_criteria" => map(
            "What a split of one piece of work into several is held to.",
            [
                (
                    "good_task_conditions",
                    texts("What every good task fulfils; models are asked, rules list it as undecided."),
                ),
                (
                    "always_separate",
                    texts("Pairs of kinds of work that never share a task; the detector `always_separate` reads them."),
                ),
            ],
        ),
        "gates" => all_gates(),
        "enabled_gates" => list(
            "Gates of this file that judge; the others check required fields only. Without this key all of them judge.",
            json!({"type": "string", "enum": gate_names()}),
        ),
        "trusted_apps" => {
            names("GitHub Apps, by their slugs, whose labels and commands count as a trusted person's.", "")
        }
        "notify" => names(
            "Logins and `org/team`s that are mentioned when something waits for a person.",
            "(/[A-Za-z0-9._-]{1,100})?",
        ),
        "extends" => json!({
            "description": "Another contract that this one starts from: `builtin:handoff-ja`, `builtin:handoff-en`, or a path in the repository.",
            "type": "string", "pattern": r"\S", "maxLength": MAX_TEXT,
            "examples": ["builtin:handoff-ja", "builtin:handoff-en", "contracts/base.yaml"],
        }),
        _ => json!(true),
    }
}

fn of_list(name: &str) -> &'static str {
    match name {
        "parent_issue_required_fields" => "Required headings of a parent issue; the acceptance gate checks them.",
        "child_issue_required_fields" => "Required headings of a child issue; the gates split and start check them.",
        "report_required_fields" => "Required headings of a report; the outcome gate checks them.",
        _ => "Required headings.",
    }
}

fn phase() -> Value {
    let signals = |description| list(description, reference("signal"));
    let receives = map(
        "What the receiver waits for.",
        [
            (
                "waiting_level",
                text("What is written and, just as much, what is left unspecified when the receiver begins."),
            ),
            ("too_abstract_signals", signals("Signs that something the receiver waits for is not written.")),
            ("too_concrete_signals", signals("Signs that something the receiver decides is written already.")),
        ],
    );
    let mut phase = map("", [("name", text("Name that gates refer to.")), ("receives", receives)]);
    phase["required"] = json!(["name", "receives"]);
    phase["properties"]["receives"]["required"] = json!(["waiting_level"]);
    phase["properties"]["receives"]["properties"]["waiting_level"]["examples"] =
        json!(["Criteria are written and testable. The implementation is unspecified"]);
    phase
}

/// A signal: plain text, or a map.
fn signal(more: &[(&'static str, Value)]) -> Value {
    let keys = [
        (
            "id",
            json!({
                "description": "Stable name of the signal; without it a slug of the text.",
                "type": "string", "pattern": r"^\s*[\p{Alphabetic}\p{N}._-]{1,60}\s*$",
            }),
        ),
        ("text", text("The criterion in your own words.")),
        ("except", text("What does not count.")),
        (
            "detect",
            json!({
                "description": "The deterministic test that decides the signal; without it the signal is left to a model.",
                "allOf": [reference("detect")],
            }),
        ),
        (
            "lack",
            choice(
                "What a match says is lacking: information, or only its form.",
                &["content", "form"],
                Some("content"),
            ),
        ),
        (
            "absence",
            json!({
                "description": "Whether what matches is that something is missing, so that nothing is quoted.",
                "type": "boolean",
            }),
        ),
    ];
    let mut long = map("A signal with its detector and more.", keys.into_iter().chain(more.iter().cloned()));
    long["required"] = json!(["text"]);
    json!({"anyOf": [long, text("The criterion in your own words; its id is a slug of this text.")]})
}

/// A required heading: plain text, or a map.
fn field() -> Value {
    let mut long = map(
        "A heading with what must stand under it.",
        [
            ("name", text("The heading, word for word.")),
            ("aliases", texts("Other headings that count as this one.")),
            ("means", text("What belongs under the heading; judges and issue forms say it.")),
            ("type", choice("What must stand under the heading.", &["text", "integer", "table", "link"], Some("text"))),
            ("numbered", prefix("Prefix of the items' ids: `AC` asks for AC-1, AC-2 and so on; instead of `type`.")),
        ],
    );
    long["required"] = json!(["name"]);
    long["not"] = json!({"required": ["type", "numbered"]});
    json!({"anyOf": [long, text("The heading, word for word; a comment to its right is its meaning.")]})
}

fn all_gates() -> Value {
    let gate = |(name, id): (&'static str, GateId)| (name, gate(name, id));
    let known = GateId::HANDOFF.into_iter().map(|id| (id.as_str(), id)).chain([("intake", GateId::Acceptance)]);
    let mut gates =
        map("The gates of this contract, at least one: what triggers each and how it acts.", known.map(gate));
    gates["minProperties"] = json!(1);
    gates
}

fn gate(name: &str, id: GateId) -> Value {
    let about = match id {
        GateId::Acceptance => "Whether a parent issue may go on to be split.",
        GateId::Split => "Whether the children of a parent issue are a good split.",
        GateId::Start => "Whether a child issue may go on to be built.",
        GateId::Outcome => "Whether a report may go on to be integrated.",
        _ => "Whether the outcomes of all children may be integrated.",
    };
    let about =
        if name == "intake" { format!("Another name of the gate acceptance. {about}") } else { about.to_owned() };
    map(&about, gates::KEYS.into_iter().map(|key| (key, of_gate(key, id))))
}

/// A key of a gate.
fn of_gate(key: &str, id: GateId) -> Value {
    let tier = |description| {
        let mut tier = text(description);
        tier["examples"] = json!(["fast", "strong"]);
        tier
    };
    match key {
        "phase" => text("Name of the phase whose waiting level and signals it judges by."),
        "fields" => {
            let mut fields = json!({
                "description": "What preflight checks: the name of a list of `templates`, or a list of fields.",
                "anyOf": [{"type": "string", "enum": LISTS}, {"type": "array", "items": reference("field")}],
            });
            if let Some(list) = default_list(id) {
                fields["default"] = json!(list);
            }
            fields
        }
        "label" => {
            let label = format!("gate:{id}");
            json!({
                "description": "Label that triggers the gate; none that the App sets itself.",
                "type": "string", "pattern": r"\S", "maxLength": 50, "default": label,
            })
        }
        "model" => tier("Tier of the judge's model; the operator says which model that is."),
        "escalate_to" => tier("Tier above, asked where the first one is not sure; without it there is none."),
        "stops_first" => choice(
            "The verdict where signals of both sides match.",
            &["too_abstract", "too_concrete"],
            Some("too_abstract"),
        ),
        "rejudge_on_edit" => choice(
            "When an edit of the subject is judged again: never, after a return, or after a pass as well.",
            &["never", "returned", "always"],
            Some("returned"),
        ),
        "mode" => {
            choice("Whether the gate acts, or only watches and records.", &["enforce", "observe"], Some("enforce"))
        }
        "open_to" => choice(
            "Who may trigger it: people with the triage role or more, or anyone.",
            &["triage", "anyone"],
            Some("triage"),
        ),
        "on_low_pass" => choice(
            "What becomes of a PASS that leaves a signal undecided: a person decides, or it passes with a note.",
            &["triage", "pass_with_note"],
            Some("triage"),
        ),
        "set_signals" => {
            list("Signals about all children together; only the gate split asks them.", reference("setSignal"))
        }
        _ => json!(true),
    }
}

/// A detector's name, or a map of one detector with its argument, and `in`.
fn detect() -> Value {
    let short: Vec<_> = DETECTORS
        .into_iter()
        .filter(|(_, _, takes)| matches!(takes, Takes::Nothing | Takes::Prefix | Takes::Count))
        .collect();
    let names: Vec<&str> = short.iter().map(|(name, ..)| *name).collect();
    let about: Vec<&str> = short.iter().map(|(_, id, _)| finds(*id)).collect();
    let within = one_or_more("The headings that the detector looks under; without it the whole text.");
    let detectors = DETECTORS.into_iter().map(|(name, id, takes)| (name, argument(finds(id), takes)));
    let mut long =
        map("One detector with its argument, and the headings that it looks under.", detectors.chain([("in", within)]));
    extend(
        &mut long,
        json!({
            "if": {"required": ["in"]},
            "then": {"minProperties": 2, "maxProperties": 2},
            "else": {"minProperties": 1, "maxProperties": 1},
        }),
    );
    json!({"anyOf": [
        {"type": "string", "enum": names, "enumDescriptions": about, "markdownEnumDescriptions": about, "description": "A detector that needs no argument."},
        long,
    ]})
}

fn argument(description: &str, takes: Takes) -> Value {
    let mut schema = match takes {
        Takes::Nothing => json!({"type": "null", "default": null}),
        Takes::Headings => json!({"anyOf": [text("A heading."), some_texts("Headings."), {"type": "null"}]}),
        Takes::Words => json!({"anyOf": [
            {"type": "string", "enum": LEXICONS, "description": "A lexicon."},
            some_texts("The words themselves."),
        ]}),
        Takes::Pattern => json!({"type": "string", "pattern": r"\S", "maxLength": MAX_TEXT, "examples": [r"TODO\s*$"]}),
        Takes::Prefix => json!({"anyOf": [prefix("Prefix of the ids."), {"type": "null"}]}),
        Takes::Count => json!({"anyOf": [
            {"type": "integer", "minimum": 0, "maximum": u16::MAX},
            {"type": "string", "pattern": "^\\+?[0-9]+$"},
            {"type": "null"},
        ]}),
    };
    schema["description"] = json!(description);
    schema
}

/// What a detector matches, in one sentence.
fn finds(id: DetectorId) -> &'static str {
    match id {
        DetectorId::FieldEmpty => "Matches a heading that is there with nothing under it.",
        DetectorId::SectionMissing => "Matches where a heading is not there.",
        DetectorId::Words => "Matches words of a lexicon or of a list in prose.",
        DetectorId::Regex => "Matches a regular expression without look-around and back-references.",
        DetectorId::Unmeasured => "Matches a wish for speed, size or quality with no number, unit or comparison.",
        DetectorId::Unnumbered => "Matches items without an id such as AC-1; the argument is the ids' prefix.",
        DetectorId::Unmapped => "Matches requirement ids without a row, and rows without a requirement.",
        DetectorId::TableMissing => "Matches where no table stands.",
        DetectorId::ConclusionNotFirst => "Matches a conclusion that does not begin with whether the criteria are met.",
        DetectorId::RawLog => "Matches pasted logs and raw data.",
        DetectorId::Secret => "Matches keys, tokens and passwords.",
        DetectorId::PersonalData => "Matches e-mail addresses, phone numbers, postal addresses and the like.",
        DetectorId::ImplementationDetail => "Matches a prescribed library, algorithm, class or file.",
        DetectorId::AlwaysSeparate => "Matches a pair of `split_criteria.always_separate` in one task.",
        DetectorId::Cycle => "Matches tasks that wait for each other in a circle.",
        DetectorId::Orphan => "Matches a requirement of the parent that no child covers, and a child that covers none.",
        DetectorId::BudgetExceeded => "Matches children whose budgets add up to more than the parent's.",
        DetectorId::TooManyItems => "Matches a list with more items than the argument, or than one review can take.",
        DetectorId::CopiedReport => "Matches a report that repeats another one.",
        DetectorId::MissingLink => "Matches where a link is expected and none stands.",
        DetectorId::PremiseMissing => {
            "Matches where data, a credential or an environment is needed and no premise is written."
        }
        DetectorId::EvaluationUncontrolled => {
            "Matches an evaluation, or its figures, without a named set and controls."
        }
    }
}

fn gate_names() -> Vec<&'static str> {
    GateId::HANDOFF.into_iter().map(GateId::as_str).chain(["intake"]).collect()
}

/// A map with these keys and no others.
fn map<K: Into<String>>(description: &str, properties: impl IntoIterator<Item = (K, Value)>) -> Value {
    let properties: Map<String, Value> = properties.into_iter().map(|(key, value)| (key.into(), value)).collect();
    let mut map = json!({"type": "object", "additionalProperties": false, "properties": properties});
    if !description.is_empty() {
        map["description"] = json!(description);
    }
    map
}

fn extend(schema: &mut Value, more: Value) {
    if let (Value::Object(schema), Value::Object(more)) = (schema, more) {
        schema.extend(more);
    }
}

fn text(description: &str) -> Value {
    json!({"description": description, "type": "string", "pattern": r"\S", "maxLength": MAX_TEXT})
}

fn texts(description: &str) -> Value {
    list(description, json!({"type": "string", "pattern": r"\S", "maxLength": MAX_TEXT}))
}

fn some_texts(description: &str) -> Value {
    let mut texts = texts(description);
    texts["minItems"] = json!(1);
    texts
}

fn one_or_more(description: &str) -> Value {
    json!({"description": description, "anyOf": [text("A heading."), texts("Headings.")]})
}

fn list(description: &str, items: Value) -> Value {
    json!({"description": description, "type": "array", "items": items})
}

fn prefix(description: &str) -> Value {
    json!({"description": description, "type": "string", "pattern": r"^\s*\p{Alphabetic}{1,16}\s*$", "examples": ["AC", "SC"]})
}

/// Logins, slugs and, with `rest`, what may stand behind them.
fn names(description: &str, rest: &str) -> Value {
    let pattern = format!(r"^\s*@?[A-Za-z0-9._-]{{1,100}}{rest}(\[bot\])?\s*$");
    list(description, json!({"type": "string", "pattern": pattern}))
}

fn choice(description: &str, words: &[&str], default: Option<&str>) -> Value {
    let mut choice = json!({"description": description, "type": "string", "enum": words});
    if let Some(default) = default {
        choice["default"] = json!(default);
    }
    choice
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/definitions/{name}")})
}
