//! The example payloads of npm's `@octokit/webhooks-examples`, which `tests/examples/setup.sh` installs.
#![allow(clippy::expect_used, clippy::panic, missing_docs, reason = "a test program")]

use serde_json::Value;
use std::fs;
use std::path::Path;

/// How many there are in the locked version.
const EXAMPLES: usize = 329;

/// Every example: the event's name and its payload's bytes.
fn examples() -> Vec<(String, Vec<u8>)> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("target/standins/examples/node_modules/@octokit/webhooks-examples/api.github.com/index.json");
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

#[test]
fn every_example_is_here() {
    assert_eq!(examples().len(), EXAMPLES);
}
