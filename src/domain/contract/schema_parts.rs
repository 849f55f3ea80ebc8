//! The parts that the schema is put together from: texts, lists, choices, maps, each with its description.

use super::shape::MAX_TEXT;
use serde_json::{Map, Value, json};

/// A map with these keys and no others.
pub(super) fn map<K: Into<String>>(description: &str, properties: impl IntoIterator<Item = (K, Value)>) -> Value {
    let properties: Map<String, Value> = properties.into_iter().map(|(key, value)| (key.into(), value)).collect();
    described(description, json!({"type": "object", "additionalProperties": false, "properties": properties}))
}

pub(super) fn extend(schema: &mut Value, more: Value) {
    if let (Value::Object(schema), Value::Object(more)) = (schema, more) {
        schema.extend(more);
    }
}

pub(super) fn text(description: &str) -> Value {
    described(description, json!({"type": "string", "pattern": r"\S", "maxLength": MAX_TEXT}))
}

pub(super) fn texts(description: &str) -> Value {
    list(description, &text(""))
}

pub(super) fn some_texts() -> Value {
    let mut texts = texts("");
    texts["minItems"] = json!(1);
    texts
}

pub(super) fn list(description: &str, items: &Value) -> Value {
    described(description, json!({"type": "array", "items": items}))
}

pub(super) fn prefix(description: &str) -> Value {
    let pattern = r"^\s*\p{Alphabetic}{1,16}\s*$";
    described(description, json!({"type": "string", "pattern": pattern, "examples": ["AC", "SC"]}))
}

/// Logins, slugs and, with `rest`, what may stand behind them.
pub(super) fn names(description: &str, rest: &str) -> Value {
    let pattern = format!(r"^\s*@?[A-Za-z0-9._-]{{1,100}}{rest}(\[bot\])?\s*$");
    list(description, &json!({"type": "string", "pattern": pattern}))
}

pub(super) fn choice(description: &str, words: &[&str], default: Option<&str>) -> Value {
    let mut choice = json!({"description": description, "type": "string", "enum": words});
    if let Some(default) = default {
        choice["default"] = json!(default);
    }
    choice
}

pub(super) fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/definitions/{name}")})
}

/// One of these. They have no description of their own: an editor would show it beside that of the whole.
pub(super) fn any_of(description: &str, schemas: &[Value]) -> Value {
    described(description, json!({"anyOf": schemas}))
}

/// With its description, if there is one.
fn described(description: &str, mut schema: Value) -> Value {
    if !description.is_empty() {
        schema["description"] = json!(description);
    }
    schema
}
