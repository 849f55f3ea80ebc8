//! Asks nodes for texts, lists, choices and maps, and reports what is something else. Nothing here knows a key by name.

use super::report::{At, Report};
use super::slug::fold;
use super::tree::{Entry, Node, Value, short};
use std::collections::HashMap;
use std::ops::RangeInclusive;

/// A text longer than this is no line of a contract.
pub(super) const MAX_TEXT: usize = 4_000;
/// A message names at most this many words that are possible.
const MAX_WORDS: usize = 30;

/// A map whose keys are known.
#[derive(Clone, Copy)]
pub(super) struct Keys<'n> {
    pub at: At,
    entries: &'n [Entry],
}

impl<'n> Keys<'n> {
    /// The entries of a map that begins there.
    pub fn new(at: At, entries: &'n [Entry]) -> Self {
        Self { at, entries }
    }

    /// The value under a key.
    pub fn get(&self, key: &str) -> Option<&'n Node> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// The key with its value.
    pub fn entry(&self, key: &str) -> Option<&'n Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// All keys in the file's order.
    pub fn iter(&self) -> impl Iterator<Item = &'n Entry> {
        self.entries.iter()
    }
}

impl Report<'_> {
    /// Reports that something else was expected, unless the node was reported already.
    pub fn wrong_type(&mut self, node: &Node, what: &str, expected: &str) {
        if !matches!(node.value, Value::Broken) {
            self.error("wrong-type", node.at, format!("{what} is {}", node.value.called()), expected);
        }
    }

    /// A map with any keys.
    pub fn map<'n>(&mut self, node: &'n Node, what: &str) -> Option<Keys<'n>> {
        if let Value::Map(entries) = &node.value {
            return Some(Keys { at: node.at, entries });
        }
        self.wrong_type(node, what, "a map of keys and values");
        None
    }

    /// A map with these keys and no others.
    pub fn keys<'n>(&mut self, node: &'n Node, what: &str, known: &[&str]) -> Option<Keys<'n>> {
        let map = self.map(node, what)?;
        self.check_keys(map, what, known);
        Some(map)
    }

    /// Reports the keys that are none of these.
    pub fn check_keys(&mut self, map: Keys<'_>, what: &str, known: &[&str]) {
        for entry in map.iter() {
            if known.contains(&entry.key.as_str()) {
                continue;
            }
            if self.is_full() {
                self.drop_one();
                continue;
            }
            let name = short(&entry.key);
            if entry.key == "<<" {
                self.error("unknown-key", entry.at, "YAML 1.2 has no merge key `<<`", "an alias for the whole value");
                continue;
            }
            let message = format!("{what} has no key `{name}`{}", did_you_mean(&entry.key, known.iter().copied()));
            self.error("unknown-key", entry.at, message, one_of(known.iter().copied()));
        }
    }

    /// The value under a key that must be there.
    pub fn required<'n>(&mut self, map: Keys<'n>, key: &str, what: &str) -> Option<&'n Node> {
        let node = map.get(key);
        if node.is_none() {
            self.error("missing-key", map.at, format!("{what} has no `{key}`"), format!("the key `{key}`"));
        }
        node
    }

    /// A text of one line: white space folded, never empty.
    pub fn text(&mut self, node: &Node, what: &str) -> Option<String> {
        let text = self.exact(node, what)?;
        if text.chars().any(|c| c.is_control() && !c.is_whitespace()) {
            self.error("wrong-value", node.at, format!("{what} holds control characters"), "printable text");
            return None;
        }
        Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// A text as it stands, never empty.
    pub fn exact(&mut self, node: &Node, what: &str) -> Option<String> {
        match &node.value {
            Value::Text(text) if text.trim().is_empty() => {
                self.error("empty", node.at, format!("{what} is empty"), "a text");
                None
            }
            Value::Text(text) if text.chars().count() > MAX_TEXT => {
                let message = format!("{what} is too long");
                self.error("too-long", node.at, message, format!("at most {MAX_TEXT} characters"));
                None
            }
            Value::Text(text) => Some(text.clone()),
            Value::Other { kind, .. } => {
                self.error("wrong-type", node.at, format!("{what} is {kind}"), "a text, so put it in quotation marks");
                None
            }
            _ => {
                self.wrong_type(node, what, "a text");
                None
            }
        }
    }

    /// An integer within a range; outside it is the problem `id`.
    pub fn integer(&mut self, node: &Node, what: &str, range: &RangeInclusive<u32>, id: &'static str) -> Option<u32> {
        let expected = format!("an integer from {} to {}", range.start(), range.end());
        let Value::Other { text, kind: "an integer" } = &node.value else {
            self.wrong_type(node, what, &expected);
            return None;
        };
        let number = text.parse::<u32>().ok().filter(|number| range.contains(number));
        if number.is_none() {
            self.error(id, node.at, format!("{what} is {}", short(text)), expected);
        }
        number
    }

    /// `true` or `false`.
    pub fn truth(&mut self, node: &Node, what: &str) -> Option<bool> {
        if let Value::Other { text, kind: "a truth value" } = &node.value {
            return Some(text.eq_ignore_ascii_case("true"));
        }
        self.wrong_type(node, what, "true or false");
        None
    }

    /// One of these words.
    pub fn choice<T: Copy>(&mut self, node: &Node, what: &str, choices: &[(&str, T)]) -> Option<T> {
        let words = || choices.iter().map(|(word, _)| *word);
        let Value::Text(text) = &node.value else {
            self.wrong_type(node, what, &one_of(words()));
            return None;
        };
        let found = choices.iter().find(|(word, _)| word == text).map(|(_, value)| *value);
        if found.is_none() {
            let message = format!("{what} can't be `{}`{}", short(text), did_you_mean(text, words()));
            self.error("wrong-value", node.at, message, one_of(words()));
        }
        found
    }

    /// The items of a list.
    pub fn list<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n [Node]> {
        if let Value::List(items) = &node.value {
            return Some(items);
        }
        self.wrong_type(node, what, "a list, `[…]` or lines that begin with `-`");
        None
    }

    /// A list of texts, each there once.
    pub fn texts(&mut self, node: &Node, what: &str) -> Option<Vec<String>> {
        let items = self.list(node, what)?;
        let item = format!("an item of {what}");
        let mut texts: Vec<String> = Vec::new();
        let mut places: HashMap<String, At> = HashMap::new();
        for node in items {
            let Some(text) = self.text(node, &item) else { continue };
            let folded = fold(&text);
            if let Some(first) = places.get(&folded) {
                let message = format!("`{}` stands in {what} already in {}", short(&text), self.place(*first, node.at));
                self.warning("duplicate-entry", node.at, message, "each entry once");
                continue;
            }
            places.insert(folded, node.at);
            texts.push(text);
        }
        Some(texts)
    }

    /// A text or a list of texts.
    pub fn one_or_more(&mut self, node: &Node, what: &str) -> Option<Vec<String>> {
        if let Value::List(_) = node.value {
            self.texts(node, what)
        } else {
            self.text(node, what).map(|text| vec![text])
        }
    }
}

/// `one of a, b, c`
pub(super) fn one_of<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let mut words = words.into_iter();
    let mut shown: Vec<_> = words.by_ref().take(MAX_WORDS).collect();
    shown.extend(words.next().map(|_| "…"));
    format!("one of {}", shown.join(", "))
}

/// `; did you mean x?`, where a known word is near.
pub(super) fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    match nearest(word, known) {
        Some(near) => format!("; did you mean `{near}`?"),
        None => String::new(),
    }
}

/// The nearest known word, if it is near enough to be meant.
pub(super) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word: Vec<char> = word.to_lowercase().chars().take(64).collect();
    let limit = (word.len() / 3).clamp(1, 4);
    known
        .into_iter()
        .map(|known| (distance(&word, &known.to_lowercase().chars().take(64).collect::<Vec<_>>()), known))
        .filter(|(distance, known)| *distance <= limit && *distance < known.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}

/// How many insertions, deletions, replacements and swaps of neighbours lead from one word to the other.
fn distance(from: &[char], to: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, b) in to.iter().enumerate() {
            let mut cost = (row[j] + usize::from(a != b)).min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && from[i - 1] == *b && *a == to[j - 1] {
                cost = cost.min(before[j - 1] + 1);
            }
            next.push(cost);
        }
        before = std::mem::replace(&mut row, next);
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_offered_and_far_ones_not() {
        let known = ["label", "phase", "model", "escalate_to"];
        assert_eq!(nearest("lable", known), Some("label"));
        assert_eq!(nearest("Phase", known), Some("phase"));
        assert_eq!(nearest("escalateto", known), Some("escalate_to"));
        assert_eq!(nearest("colour", known), None);
        assert_eq!(nearest("x", ["y"]), None);
    }
}
