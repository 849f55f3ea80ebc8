//! The form of a reply, for providers that force it.

use super::json::Json;
use super::questions::Questions;

/// The form of a reply as JSON Schema, in the subset that every provider takes for forced output: each property
/// required, nothing besides, no bounds. [`super::check`] asks for more. Models write in the order of the
/// properties, so the evidence stands before what is made of it.
#[must_use]
pub fn schema(questions: &Questions<'_>) -> Json {
    let keys: Vec<String> = questions.asked().map(|(key, _)| key.to_string()).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let finding = object([
        ("criterion", one_of(&keys)),
        ("quote", text_or_null()),
        ("note", text_or_null()),
        ("matched", of_type("boolean")),
        ("basis", one_of(&["direct", "interpretation"])),
        ("lack", Json::object([("anyOf", Json::List(vec![one_of(&["content", "form"]), of_type("null")]))])),
    ]);
    let question = object([("about", one_of(&["task", "criteria"])), ("text", of_type("string"))]);
    let beyond =
        object([("about", one_of(&["uncovered", "steering"])), ("quote", text_or_null()), ("note", of_type("string"))]);
    object([("findings", list(finding)), ("questions", list(question)), ("beyond", list(beyond))])
}

fn of_type(name: &str) -> Json {
    Json::object([("type", Json::text(name))])
}

fn text_or_null() -> Json {
    Json::object([("anyOf", Json::List(vec![of_type("string"), of_type("null")]))])
}

fn one_of(words: &[&str]) -> Json {
    let words = words.iter().copied().map(Json::text).collect();
    Json::object([("type", Json::text("string")), ("enum", Json::List(words))])
}

fn list(of: Json) -> Json {
    Json::object([("type", Json::text("array")), ("items", of)])
}

fn object<const N: usize>(properties: [(&str, Json); N]) -> Json {
    let required = properties.iter().map(|(name, _)| Json::text(*name)).collect();
    Json::object([
        ("type", Json::text("object")),
        ("properties", Json::object(properties)),
        ("required", Json::List(required)),
        ("additionalProperties", Json::Bool(false)),
    ])
}
