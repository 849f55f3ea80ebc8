//! The JSON Schema of a hand-off contract, for editors: completion, hints and checks while a person types.
//!
//! It is made of the keys and detectors that the loader knows. What needs a look at the whole file (a phase that is not
//! there, an id that stands twice) is left to the loader, which stays the law: `tests/schema.rs` proves that both know the
//! same keys and words, and that nothing the loader takes is refused here.

use super::gates::default_list;
use super::keys::{BUDGETS, FIELD, GATE, LISTS, PHASE, RECEIVES, ROOT, SET_SIGNAL, SIGNAL, SPLIT};
use super::schema_detect::detect;
use super::schema_parts::{any_of, choice, extend, list, map, names, prefix, reference, text, texts};
use super::shape::MAX_TEXT;
use crate::domain::ids::GateId;
use serde_json::{Value, json};

/// The schema, in draft-07: what the language server for YAML understands best.
#[must_use]
pub fn schema() -> Value {
    let mut schema = map("", ROOT.map(|key| (key, root(key))));
    let more = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Sekisho hand-off contract",
        "description": "A contract of kind `handoff`: what each receiver of work waits for, and what is checked before work goes on. Not for profiles with list-style `gates` and no `kind`.",
        "required": ["kind"],
        // What `extends` brings in need not stand here.
        "if": {"required": ["extends"]},
        "else": {
            "required": ["phases", "gates"],
            // Editors would offer the key a second time.
            "properties": {"gates": {"doNotSuggest": true, "additionalProperties": {"required": ["phase"]}}},
        },
        "definitions": {
            "signal": signal(&SIGNAL),
            "setSignal": signal(&SET_SIGNAL),
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
        "budgets" => map("Limits of a whole road.", BUDGETS.map(|key| (key, budget(key)))),
        "phases" => list("What each receiver of work waits for, and the signals that a text misses it.", &phase()),
        "templates" => map(
            "Headings that must be there and filled before anything is judged.",
            LISTS.map(|key| (key, list(of_list(key), &reference("field")))),
        ),
        "split_criteria" => map(
            "What a split of one piece of work into several is held to.",
            SPLIT.map(|key| (key, texts(of_split(key)))),
        ),
        "gates" => all_gates(),
        "enabled_gates" => list(
            "Gates of this file that judge; the others check required fields only. Without this key all of them judge.",
            &json!({"type": "string", "enum": gate_names()}),
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

fn budget(key: &str) -> Value {
    match key {
        "max_iterations_per_gate" => json!({
            "description": "Returns at one gate, 1 to 20; the last one goes to a person.",
            "type": "integer", "minimum": 1, "maximum": 20, "default": 3,
        }),
        _ => json!(true),
    }
}

fn of_list(key: &str) -> &'static str {
    match key {
        "parent_issue_required_fields" => "Required headings of a parent issue; the acceptance gate checks them.",
        "child_issue_required_fields" => "Required headings of a child issue; the gates split and start check them.",
        "report_required_fields" => "Required headings of a report; the outcome gate checks them.",
        _ => "",
    }
}

fn of_split(key: &str) -> &'static str {
    match key {
        "good_task_conditions" => "What every good task fulfils; models are asked, rules list it as undecided.",
        "always_separate" => {
            "Pairs of kinds of work that never share a task; the detector `always_separate` reads them."
        }
        _ => "",
    }
}

fn phase() -> Value {
    let receives = |key| match key {
        "waiting_level" => {
            let mut level =
                text("What is written and, just as much, what is left unspecified when the receiver begins.");
            level["examples"] = json!(["Criteria are written and testable. The implementation is unspecified"]);
            level
        }
        "too_abstract_signals" => {
            list("Signs that something the receiver waits for is not written.", &reference("signal"))
        }
        "too_concrete_signals" => {
            list("Signs that something the receiver decides is written already.", &reference("signal"))
        }
        _ => json!(true),
    };
    let of_phase = |key| match key {
        "name" => text("Name that gates refer to."),
        "receives" => {
            let mut map = map("What the receiver waits for.", RECEIVES.map(|key| (key, receives(key))));
            map["required"] = json!(["waiting_level"]);
            map
        }
        _ => json!(true),
    };
    let mut phase = map("", PHASE.map(|key| (key, of_phase(key))));
    phase["required"] = json!(["name", "receives"]);
    phase
}

/// A signal: plain text, or a map.
fn signal(keys: &[&'static str]) -> Value {
    let mut long = map("A signal with its detector and more.", keys.iter().map(|key| (*key, of_signal(key))));
    long["required"] = json!(["text"]);
    json!({"anyOf": [long, text("The criterion in your own words; its id is a slug of this text.")]})
}

fn of_signal(key: &str) -> Value {
    match key {
        "id" => json!({
            "description": "Stable name of the signal; without it a slug of the text.",
            "type": "string", "pattern": r"^\s*[\p{Alphabetic}\p{N}._-]{1,60}\s*$",
        }),
        "text" => text("The criterion in your own words."),
        "same_as" => texts("Other wordings of the same signal; only those of the built-in contracts are looked at."),
        "except" => text("What does not count."),
        "detect" => json!({
            "description": "The deterministic test that decides the signal; without it the signal is left to a model.",
            "allOf": [reference("detect")],
        }),
        "lack" => {
            let about = "What a match says is lacking: information, or only its form.";
            choice(about, &["content", "form"], Some("content"))
        }
        "absence" => json!({
            "description": "Whether what matches is that something is missing, so that nothing is quoted.",
            "type": "boolean",
        }),
        "side" => choice("Which way a match misses.", &["too_abstract", "too_concrete"], Some("too_abstract")),
        _ => json!(true),
    }
}

/// A required heading: plain text, or a map.
fn field() -> Value {
    let of_field = |key| match key {
        "name" => text("The heading, word for word."),
        "aliases" => texts("Other headings that count as this one."),
        "means" => text("What belongs under the heading; judges and issue forms say it."),
        "type" => choice("What must stand under the heading.", &["text", "integer", "table", "link"], Some("text")),
        "numbered" => prefix("Prefix of the items' ids: `AC` asks for AC-1, AC-2 and so on; instead of `type`."),
        _ => json!(true),
    };
    let mut long = map("A heading with what must stand under it.", FIELD.map(|key| (key, of_field(key))));
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
    map(&about, GATE.map(|key| (key, of_gate(key, id))))
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
            let mut fields = any_of(
                "What preflight checks: the name of a list of `templates`, or a list of fields.",
                &[json!({"type": "string", "enum": LISTS}), list("", &reference("field"))],
            );
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
        "panel" => json!({
            "description": "How many models of a tier are asked; two must be of two families, and must agree.",
            "type": "integer", "minimum": 1, "maximum": 2, "default": 1,
        }),
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
            list("Signals about all children together; only the gate split asks them.", &reference("setSignal"))
        }
        _ => json!(true),
    }
}

fn gate_names() -> Vec<&'static str> {
    GateId::HANDOFF.into_iter().map(GateId::as_str).chain(["intake"]).collect()
}
