//! The example payloads of npm's `@octokit/webhooks-examples`, which `tests/examples/setup.sh` installs.
#![allow(clippy::expect_used, clippy::panic, missing_docs, reason = "a test program")]

use sekisho::domain::event::Event;
use sekisho::web::payload::{Ourselves, event};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// How many there are in the locked version.
const EXAMPLES: usize = 329;

/// Every example: the event's name and its payload's bytes.
fn examples() -> Vec<(String, Vec<u8>)> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("target/webhook-examples/node_modules/@octokit/webhooks-examples/api.github.com/index.json");
    let text = fs::read_to_string(&file).unwrap_or_else(|error| {
        panic!(
            "the examples are not installed ({error}): run tests/examples/setup.sh, or ./scripts/test.sh for everything"
        )
    });
    let events: Vec<Value> = serde_json::from_str(&text).expect("the index is JSON");
    let mut examples = Vec::new();
    for event in events {
        let name = event["name"].as_str().expect("an event has a name").to_owned();
        for example in event["examples"].as_array().expect("an event has examples") {
            examples.push((name.clone(), serde_json::to_vec(example).expect("a value can be written")));
        }
    }
    examples
}

/// What each example comes to, counted.
fn replayed(examples: &[(String, Vec<u8>)]) -> BTreeMap<String, usize> {
    let us = Ourselves::new(None);
    let mut counts = BTreeMap::new();
    for (name, bytes) in examples {
        let reading = event(name, bytes, &us).unwrap_or_else(|error| panic!("{name}: {error}"));
        let word = match reading.event {
            Event::Wake(wake) => format!("wakes: {:?}", wake.cause.kind),
            Event::Wakes(wakes) => format!("wakes: {:?}", wakes.iter().map(|wake| wake.cause.kind).collect::<Vec<_>>()),
            Event::Pushed(_) => "pushed".to_owned(),
            Event::Unpaused(_) => "unpaused".to_owned(),
            Event::Ignored(reason) => format!("ignored: {reason}"),
        };
        *counts.entry(word).or_default() += 1;
    }
    counts
}

#[test]
fn every_example_is_handled_or_counted_as_not_ours() {
    let examples = examples();
    assert_eq!(examples.len(), EXAMPLES);
    let counts = replayed(&examples);
    assert_eq!(counts.values().sum::<usize>(), EXAMPLES);
}

/// Only 5 of the recorded `issues` carry an installation; as an App's webhook each has one.
#[test]
fn with_an_installation_labels_wake() {
    let mut examples = examples();
    for (_, bytes) in &mut examples {
        let mut payload: Value = serde_json::from_slice(bytes).expect("an example is JSON");
        if let Value::Object(map) = &mut payload {
            map.entry("installation").or_insert_with(|| json!({"id": 4242}));
        }
        *bytes = serde_json::to_vec(&payload).expect("a value can be written");
    }
    let counts = replayed(&examples);
    assert_eq!(counts.values().sum::<usize>(), EXAMPLES);
    assert!(counts.get("wakes: Label").is_some_and(|labels| *labels >= 2), "{counts:#?}");
    for child in ["wakes: Child", "wakes: [Check, Check]"] {
        assert!(counts.contains_key(child), "{child}: {counts:#?}");
    }
    // The recorded edits name no changed title or body.
    assert_eq!(counts.get("ignored: unchanged"), Some(&3), "{counts:#?}");
}
