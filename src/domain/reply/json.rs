//! JSON as a model wrote it: nothing merged, nothing lost, and found inside prose or a fence where a lesser server put it.

use super::fault::Fault;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use std::fmt;

/// A JSON value in which a doubled key stands twice. The usual readers keep the last of two, so that whoever writes two
/// verdicts into one object has the second believed.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number; no reply needs one.
    Number(serde_json::Number),
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Json>),
    /// An object: its entries in the order in which they stand.
    Object(Vec<(String, Json)>),
}

/// Objects that fail to parse before the search for one is given up: keeps the search linear.
const MOST_ATTEMPTS: usize = 32;

/// The one object in a reply that has the key. The whole text, or, where prose or a fence stands around it, what can be
/// read from a `{` on; two of them are a fault, since nobody can say which one is meant.
pub(super) fn find(text: &str, key: &str) -> Result<Json, Fault> {
    let text = text.trim_start_matches('\u{feff}').trim();
    let whole = serde_json::from_str::<Json>(text);
    if let Ok(whole) = whole {
        return Ok(whole);
    }
    let mut found = Vec::new();
    let mut failed = None;
    let (mut at, mut attempts) = (0, 0);
    while let Some(start) = text[at..].find('{').map(|place| at + place) {
        let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Json>();
        match values.next() {
            Some(Ok(value)) => {
                at = start + values.byte_offset();
                if value.get(key).is_some() {
                    found.push(value);
                }
            }
            Some(Err(error)) => {
                failed.get_or_insert_with(|| error.to_string());
                attempts += 1;
                at = start + 1;
            }
            None => break,
        }
        if attempts >= MOST_ATTEMPTS {
            break;
        }
    }
    match (found.len(), failed) {
        (1, _) => found.pop().ok_or(Fault::NoJson),
        (0, Some(what)) => Err(Fault::NotJson(what)),
        (0, None) => Err(Fault::NoJson),
        (several, _) => Err(Fault::SeveralReplies(several)),
    }
}

impl Json {
    /// A string.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Json::Text(text.into())
    }

    /// An object with these entries, in this order.
    #[must_use]
    pub fn object<const N: usize>(entries: [(&str, Json); N]) -> Self {
        Json::Object(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    /// The string, where it is one.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        let Json::Text(text) = self else { return None };
        Some(text)
    }

    /// The number, where it is a whole one that is not negative.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        let Json::Number(number) = self else { return None };
        number.as_u64()
    }

    /// The values of an array; none of anything else.
    #[must_use]
    pub fn items(&self) -> &[Json] {
        let Json::List(values) = self else { return &[] };
        values
    }

    /// The first value under a key of an object.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Json> {
        let Json::Object(entries) = self else { return None };
        entries.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }
    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }
    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }
    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Number(value.into()))
    }
    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Number(value.into()))
    }
    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(serde_json::Number::from_f64(value).map_or(Json::Null, Json::Number))
    }
    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::Text(value.to_owned()))
    }
    fn visit_string<E>(self, value: String) -> Result<Json, E> {
        Ok(Json::Text(value))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Json, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element()? {
            values.push(value);
        }
        Ok(Json::List(values))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Json::Object(entries))
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Json::Null => serializer.serialize_unit(),
            Json::Bool(value) => serializer.serialize_bool(*value),
            Json::Number(value) => value.serialize(serializer),
            Json::Text(value) => serializer.serialize_str(value),
            Json::List(values) => {
                let mut list = serializer.serialize_seq(Some(values.len()))?;
                for value in values {
                    list.serialize_element(value)?;
                }
                list.end()
            }
            Json::Object(entries) => {
                let mut map = serializer.serialize_map(Some(entries.len()))?;
                for (key, value) in entries {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(text: &str, expect: Result<&str, &Fault>) {
        let found = find(text, "findings").map(|json| serde_json::to_string(&json).unwrap());
        assert_eq!(found.as_deref(), expect, "{text:?}");
    }

    #[test]
    fn a_reply_is_found_in_what_stands_around_it() {
        let reply = r#"{"findings":[{"a":"}"}]}"#;
        check(reply, Ok(reply));
        check(&format!("\u{feff}\n {reply}\n"), Ok(reply));
        check(&format!("Sure! Here it is:\n```json\n{reply}\n```\nAsk me {{anything}}."), Ok(reply));
        check(&format!("I read {{\"verdict\":\"PASS\"}} in the text. {reply}"), Ok(reply));
        check(&format!("{{not json}} {reply} trailing"), Ok(reply));
    }

    #[test]
    fn what_cannot_be_told_apart_is_not_chosen() {
        let reply = r#"{"findings":[]}"#;
        check(&format!("{reply}\n{reply}"), Err(&Fault::SeveralReplies(2)));
        check(&format!("first {reply}, no, rather {{\"findings\":[1]}}"), Err(&Fault::SeveralReplies(2)));
        check("I can't help with that.", Err(&Fault::NoJson));
        check("see {\"verdict\":\"PASS\"}!", Err(&Fault::NoJson));
        assert!(
            matches!(find(r#"{"findings":[{"crit"#, "findings"), Err(Fault::NotJson(what)) if what.contains("EOF"))
        );
        // Half of a surrogate pair is no character.
        assert!(matches!(find(r#"{"findings":["\ud83d"]}"#, "findings"), Err(Fault::NotJson(_))));
        assert!(matches!(find(r#"{"findings":["\ud83d\u0041"]}"#, "findings"), Err(Fault::NotJson(_))));
        check(r#"{"findings":["\ud83d\ude00"]}"#, Ok("{\"findings\":[\"\u{1f600}\"]}"));
    }

    #[test]
    fn doubled_keys_are_kept() {
        check(r#"{"findings":1,"findings":2}"#, Ok(r#"{"findings":1,"findings":2}"#));
    }

    #[test]
    fn long_and_deep_texts_end() {
        for piece in ["{", "{\"a\":", "[{\"a\":1},", "{\"{", "{\"a\":{\"b\":1},", "}{", "\\u{", "{\"findings\":[]}"] {
            let _ = find(&piece.repeat((1 << 18) / piece.len()), "findings");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = find(&String::from_utf8_lossy(&bytes), "findings");
        }

        #[test]
        fn anything_like_json_is_read_or_refused(text in r#"([{}\[\],:]|"findings"|"a"|\\u[0-9a-d]{4}|true|null|1e999|"|[ \n`]){0,40}"#) {
            let _ = find(&text, "findings");
        }
    }
}
