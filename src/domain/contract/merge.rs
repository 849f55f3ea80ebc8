//! `extends`: one tree is laid over another (chapter 2). Maps merge key by key, lists grow by name, the rest is replaced.

use super::slug::{fold, heading, slug};
use super::tree::{Entry, Node, Value};
use crate::domain::ids::GateId;
use std::collections::HashMap;

/// Lays a file's tree over that of its base. Every node keeps the place where it stands.
///
/// A key that is there in both: two maps merge, two lists are joined, anything else is replaced. In lists an entry with an
/// id or name that the base has takes its place, others are appended; `enabled_gates` is replaced as a whole.
pub(super) fn lay(base: Node, over: Node) -> Node {
    join("", base, over)
}

fn join(key: &str, base: Node, over: Node) -> Node {
    let at = over.at;
    let value = match (base.value, over.value) {
        (Value::Map(base), Value::Map(over)) => Value::Map(maps(key, base, over)),
        (Value::List(base), Value::List(over)) if key != "enabled_gates" => Value::List(lists(key, base, over)),
        (_, over) => over,
    };
    Node { value, at }
}

fn maps(key: &str, base: Vec<Entry>, over: Vec<Entry>) -> Vec<Entry> {
    let name = |entry: &Entry| {
        // `intake` and `acceptance` are one gate.
        let gate = (key == "gates").then(|| entry.key.parse::<GateId>().ok()).flatten();
        gate.map_or_else(|| entry.key.clone(), |gate| gate.as_str().to_owned())
    };
    let mut merged: Vec<Option<Entry>> =
        base.into_iter().filter(|entry| !(key.is_empty() && entry.key == "extends")).map(Some).collect();
    let mut places: HashMap<String, usize> =
        merged.iter().flatten().enumerate().map(|(index, entry)| (name(entry), index)).collect();
    for entry in over {
        // Only the first takes the base's place; a second is the file's own mistake and stays to be seen.
        let slot = places.remove(&name(&entry));
        let base = slot.and_then(|index| merged[index].take());
        match (slot, base) {
            (Some(index), Some(base)) => {
                let value = join(&entry.key, base.value, entry.value);
                merged[index] = Some(Entry { value, ..entry });
            }
            _ => merged.push(Some(entry)),
        }
    }
    merged.into_iter().flatten().collect()
}

fn lists(key: &str, base: Vec<Node>, over: Vec<Node>) -> Vec<Node> {
    let mut merged = base;
    let mut places: HashMap<String, usize> = HashMap::new();
    for (index, node) in merged.iter().enumerate() {
        places.extend(identity(key, node).map(|name| (name, index)));
    }
    for node in over {
        match identity(key, &node).and_then(|name| places.remove(&name)) {
            Some(index) => merged[index] = node,
            None => merged.push(node),
        }
    }
    merged
}

/// What makes two entries of a list the same one.
fn identity(list: &str, node: &Node) -> Option<String> {
    let by_text = |text: &str| match list {
        "set_signals" => slug(text),
        "trusted_apps" | "notify" => {
            let name = text.strip_prefix('@').unwrap_or(text);
            name.strip_suffix("[bot]").unwrap_or(name).to_lowercase()
        }
        "fields" => heading(text),
        list if list.ends_with("_required_fields") => heading(text),
        _ => fold(text),
    };
    match &node.value {
        Value::Text(text) => Some(by_text(text)),
        Value::Map(entries) => {
            let text = |key: &str| {
                let found = entries.iter().find(|entry| entry.key == key);
                found.and_then(
                    |entry| if let Value::Text(text) = &entry.value.value { Some(text.as_str()) } else { None },
                )
            };
            text("id").map(str::to_owned).or_else(|| text("name").or_else(|| text("text")).map(by_text))
        }
        _ => None,
    }
}
