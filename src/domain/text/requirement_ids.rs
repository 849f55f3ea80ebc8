//! Ids of requirements as people write them: `AC-1`, `ac1`, `ＳＣ－２`, `要件3`, and lists of them: `AC-1, AC-2`, `AC-1〜3`.

use std::fmt::{self, Display, Formatter};

/// An id, folded: `ac 01` and `AC-1` are the same.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequirementId {
    /// Letters in upper case, or Japanese words.
    pub prefix: String,
    /// The number after it.
    pub number: u32,
    /// A second part, `a` of `AC-1a` or `2` of `AC-1-2`; else empty.
    pub part: String,
}

impl RequirementId {
    /// The id without its second part.
    #[must_use]
    pub fn whole(&self) -> Self {
        Self { part: String::new(), ..self.clone() }
    }
}

impl Display for RequirementId {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let dash = if self.prefix.is_ascii() { "-" } else { "" };
        write!(out, "{}{dash}{}", self.prefix, self.number)?;
        match self.part.chars().next() {
            Some(first) if first.is_ascii_digit() => write!(out, "-{}", self.part),
            _ => write!(out, "{}", self.part),
        }
    }
}

/// One entry of a list of ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// One id.
    One(RequirementId),
    /// From one id to another of the same prefix, both included.
    Span(RequirementId, RequirementId),
}

/// Japanese words that number requirements.
const WORDS: [&str; 12] = [
    "受け入れ条件",
    "受け入れ基準",
    "受入れ条件",
    "受入条件",
    "受入基準",
    "成功基準",
    "成功条件",
    "完了条件",
    "合格基準",
    "要件",
    "条件",
    "基準",
];

/// Letters that stand before numbers and number nothing.
const NAMES: [&str; 22] = [
    "HTTP", "HTTPS", "UTF", "SHA", "ISO", "RFC", "WCAG", "MD", "TLS", "SSL", "ECMA", "IPV", "IEC", "JIS", "BASE", "X",
    "P", "V", "Q", "H", "CP", "ES",
];

/// The id that a folded text begins with, in capitals or a Japanese word, and how long it is with the marks before it.
///
/// Names such as `UTF-8` and `HTTP 404` are none.
#[must_use]
pub fn id_at_start(text: &str) -> Option<(RequirementId, usize)> {
    let rest = text.trim_start_matches([' ', '\t', '[', '(', '【', '「', '*', '_', '`', '☐']);
    let (id, length) = any_id(rest)?;
    let named = NAMES.contains(&id.prefix.as_str()) || rest.starts_with(|c: char| c.is_ascii_lowercase());
    (!named).then(|| (id, text.len() - rest.len() + length))
}

/// The ids of a list that a folded text begins with; `known` says which prefixes number requirements. Empty where it
/// begins with something else.
#[must_use]
pub fn list_at_start(text: &str, known: &dyn Fn(&str) -> bool) -> Vec<Entry> {
    let mut rest = text.trim_start_matches([' ', '\t', '\n', '[', '(', '【', '「', '*', '_', '`', '☐']);
    let mut found: Vec<Entry> = Vec::new();
    while found.len() < MOST_IN_LIST {
        let id = match any_id(rest) {
            Some((id, length)) if known(&id.prefix) => {
                rest = &rest[length..];
                id
            }
            _ => {
                // `AC-1, 2` goes on without its letters.
                let Some(before) = found.last() else { break };
                let (Entry::One(before) | Entry::Span(_, before)) = before;
                let Some((number, length)) = bare_number(rest) else { break };
                rest = &rest[length..];
                RequirementId { prefix: before.prefix.clone(), number, part: String::new() }
            }
        };
        let begun = std::mem::take(&mut rest);
        let (link, after) = link(begun);
        rest = after;
        if link == Link::Span
            && let Some((end, length)) = span_end(rest, &id, known)
        {
            rest = &rest[length..];
            found.push(Entry::Span(id, end));
            let (link, after) = self::link(rest);
            rest = after;
            if link == Link::End {
                break;
            }
            continue;
        }
        found.push(Entry::One(id));
        if link != Link::Next {
            break;
        }
    }
    found
}

/// Most ids that one list names.
const MOST_IN_LIST: usize = 64;

/// What stands between two ids.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Link {
    Next,
    Span,
    End,
}

/// What stands between the ends of a range.
const SPANS: [&str; 13] = ["〜", "~", "...", "..", "…", "–", "—", "−", "->", "→", "から", "through ", "to "];

/// What stands between two ids of a list.
const NEXTS: [&str; 15] =
    [", and ", ",", "、", "/", "・", "&", "+", ";", "および", "及び", "ならびに", "と", "and ", "or ", "，"];

fn link(text: &str) -> (Link, &str) {
    let rest = text.trim_start_matches([' ', '\n', ']', ')', '】', '」', '`', '*', '_']);
    if let Some(after) = SPANS.iter().find_map(|mark| rest.strip_prefix(mark)).or_else(|| rest.strip_prefix('-')) {
        return (Link::Span, skip(after));
    }
    if let Some(after) = NEXTS.iter().find_map(|mark| rest.strip_prefix(mark)) {
        let after = skip(after);
        return (Link::Next, after.strip_prefix("and ").map_or(after, skip));
    }
    // White space alone goes on only to another id.
    let apart = rest.len() < text.len() && any_id(skip(rest)).is_some();
    if apart { (Link::Next, skip(rest)) } else { (Link::End, rest) }
}

fn skip(text: &str) -> &str {
    text.trim_start_matches([' ', '\n', '[', '(', '【', '「', '`', '*', '_'])
}

fn span_end(rest: &str, from: &RequirementId, known: &dyn Fn(&str) -> bool) -> Option<(RequirementId, usize)> {
    let (end, length) = match any_id(rest) {
        Some((id, length)) if known(&id.prefix) => (id, length),
        _ => {
            let (number, length) = bare_number(rest)?;
            (RequirementId { prefix: from.prefix.clone(), number, part: String::new() }, length)
        }
    };
    (end.prefix == from.prefix && end.number > from.number).then_some((end, length))
}

/// A number of a list: what follows is the list's end or goes on with it.
fn bare_number(text: &str) -> Option<(u32, usize)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if !(1..=3).contains(&digits) {
        return None;
    }
    let rest = text[digits..].trim_start();
    let ends = rest.is_empty()
        || rest.starts_with([',', '、', '/', '・', '&', ':', ')', ']', ';', '〜', '~', '。'])
        || ["と", "および", "及び", "から", "まで", "and ", "to "].iter().any(|word| rest.starts_with(word));
    ends.then(|| text[..digits].parse().ok().map(|number| (number, digits))).flatten()
}

/// Letters or a word, a mark, digits, a part.
fn any_id(text: &str) -> Option<(RequirementId, usize)> {
    let prefix = if let Some(word) = WORDS.iter().find(|word| text.starts_with(**word)) {
        *word
    } else {
        let letters = text.bytes().take_while(u8::is_ascii_alphabetic).count();
        (1..=6).contains(&letters).then(|| &text[..letters])?
    };
    let rest = &text[prefix.len()..];
    let rest = rest.strip_prefix(['-', '‐', '‑', '–', '—', '−', 'ー', '_', ' ', '#', '.']).unwrap_or(rest);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if !(1..=6).contains(&digits) {
        return None;
    }
    let number = rest[..digits].parse().ok()?;
    let rest = &rest[digits..];
    let part = part(rest);
    let rest = &rest[part.length..];
    if rest.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return None;
    }
    let id = RequirementId { prefix: prefix.to_ascii_uppercase(), number, part: part.text };
    Some((id, text.len() - rest.len()))
}

struct Part {
    text: String,
    length: usize,
}

/// `-2`, `.2` or `a` right after the number.
fn part(rest: &str) -> Part {
    if let Some(inner) = rest.strip_prefix(['-', '.']) {
        let digits = inner.bytes().take_while(u8::is_ascii_digit).count();
        if (1..=3).contains(&digits) && !inner[digits..].starts_with(|c: char| c.is_ascii_alphanumeric()) {
            return Part { text: inner[..digits].to_owned(), length: 1 + digits };
        }
    }
    let bytes = rest.as_bytes();
    if bytes.first().is_some_and(u8::is_ascii_lowercase) && !bytes.get(1).is_some_and(u8::is_ascii_alphanumeric) {
        return Part { text: rest[..1].to_owned(), length: 1 };
    }
    Part { text: String::new(), length: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let list = list_at_start(text, &|prefix| ["AC", "SC", "要件"].contains(&prefix));
        let list: Vec<_> = list
            .iter()
            .map(|entry| match entry {
                Entry::One(id) => id.to_string(),
                Entry::Span(from, to) => format!("{from}..{to}"),
            })
            .collect();
        assert_eq!(list.join(" "), expect, "{text:?}");
    }

    #[test]
    fn lists_are_read_as_people_write_them() {
        for (text, expect) in [
            ("AC-1", "AC-1"),
            ("ac01: shown", "AC-1"),
            ("[AC-1] shown", "AC-1"),
            ("AC-1, AC-2", "AC-1 AC-2"),
            ("AC-1/AC-2/SC-3", "AC-1 AC-2 SC-3"),
            ("AC-1、2、3", "AC-1 AC-2 AC-3"),
            ("AC-1, 2 and 3", "AC-1 AC-2 AC-3"),
            ("AC-1, AC-2, and AC-3", "AC-1 AC-2 AC-3"),
            ("AC-1〜AC-3", "AC-1..AC-3"),
            ("AC-1~3", "AC-1..AC-3"),
            ("AC-1..3, SC-1", "AC-1..AC-3 SC-1"),
            ("AC-1 - AC-3", "AC-1..AC-3"),
            ("AC-1–3", "AC-1..AC-3"),
            ("AC-1から3", "AC-1..AC-3"),
            ("AC-1 to AC-3", "AC-1..AC-3"),
            ("AC-1 AC-2", "AC-1 AC-2"),
            ("AC-1\nAC-2", "AC-1 AC-2"),
            ("AC-1-2", "AC-1-2"),
            ("AC-1a, AC-1b", "AC-1a AC-1b"),
            ("要件1と要件2", "要件1 要件2"),
            ("AC-1, 2 rows are shown", "AC-1"),
            ("AC-1 - 240 ms", "AC-1"),
            ("AC-1 UTF-8 を出す", "AC-1"),
            ("AC-1 と同じ", "AC-1"),
            ("UTF-8", ""),
            ("see AC-1", ""),
            ("AC-3〜AC-1", "AC-3"),
            ("", ""),
        ] {
            check(text, expect);
        }
    }

    #[test]
    fn names_are_no_ids() {
        for text in ["UTF-8 で出す", "HTTP 404", "SHA-256", "v1", "ac-1", "p95", "AC", "ACCEPTED-1", "AC-1x2"] {
            assert_eq!(id_at_start(text), None, "{text}");
        }
        for (text, expect) in
            [("AC-1: x", "AC-1"), ("[D2]", "D-2"), ("受け入れ条件 3 は", "受け入れ条件3"), ("R–7", "R-7")]
        {
            assert_eq!(id_at_start(text).map(|(id, _)| id.to_string()).as_deref(), Some(expect), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in ".{0,40}", ids in "(AC-?[0-9]{1,3}[,、〜~ /-]{0,2}){0,5}.{0,3}") {
            for text in [text, ids] {
                let _ = id_at_start(&text).map(|(_, length)| text[length..].len());
                proptest::prop_assert!(list_at_start(&text, &|_| true).len() <= MOST_IN_LIST);
            }
        }
    }
}
