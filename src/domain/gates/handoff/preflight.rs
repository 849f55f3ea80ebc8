//! What needs no judge: every required heading is there, filled, and parses as its type (chapter 3, "Preflight").

use crate::domain::contract::{Field, FieldType};
use crate::domain::detect::mask_secrets;
use crate::domain::text::{Document, ItemKind, NearMiss, Section, clip, is_blank_item, is_empty_section, numbering};
use crate::domain::view::Reason;
use std::ops::Range;

/// Longest text that a reason repeats, in characters.
const LONGEST_FOUND: usize = 80;

/// Most of a line that is looked through for what must not be repeated, in characters: a secret that begins in what is
/// repeated shows itself as one well before.
const LONGEST_MASKED: usize = 20_000;

/// What is missing, empty or of the wrong form, in the order of the fields. Empty = the gate may judge.
///
/// A heading that stands twice is filled when one of its sections is.
#[must_use]
pub fn check(fields: &[Field], document: &Document) -> Vec<Reason> {
    fields.iter().filter_map(|field| check_field(field, fields, document)).collect()
}

fn check_field(field: &Field, fields: &[Field], document: &Document) -> Option<Reason> {
    let sections: Vec<_> = document.sections_named(names(field)).collect();
    if sections.is_empty() {
        let near_miss = near_miss(field, fields, document).map(|miss| shorten(&miss.title));
        return Some(Reason::MissingField { field: field.name.clone(), near_miss });
    }
    let filled: Vec<_> = sections.into_iter().filter(|section| !is_empty_section(document, section)).collect();
    let Some(first) = filled.first() else {
        return Some(Reason::EmptyField { field: field.name.clone() });
    };
    if filled.iter().any(|section| parses(&field.kind, document, section)) {
        return None;
    }
    let found = shorten(&found(&field.kind, document, first));
    Some(Reason::BadField { field: field.name.clone(), expected: field.kind.clone(), found })
}

fn names(field: &Field) -> impl Iterator<Item = &str> {
    std::iter::once(field.name.as_str()).chain(field.aliases.iter().map(String::as_str))
}

/// Headings of the other required fields are no near misses of this one.
fn near_miss(field: &Field, fields: &[Field], document: &Document) -> Option<NearMiss> {
    let others = fields.iter().filter(|other| other.name != field.name).flat_map(names);
    document.near_miss(names(field), others)
}

fn parses(kind: &FieldType, document: &Document, section: &Section) -> bool {
    let range = &section.range;
    match kind {
        FieldType::Text => true,
        FieldType::Integer => integer(document, range).is_some(),
        FieldType::Numbered(prefix) => {
            let found = numbering(document, range, prefix.trim_end_matches('-'));
            !found.numbered.is_empty() && found.unnumbered.iter().all(|item| is_blank_item(document, item))
        }
        FieldType::Table => document
            .tables_within(range)
            .iter()
            .any(|table| table.rows.iter().flatten().any(|cell| !document.cell_text(cell).trim().is_empty())),
        FieldType::Link => {
            document.links_within(range).iter().any(|link| !link.target.trim().is_empty())
                || document.items_within(range).iter().any(|item| has_reference(item.text()))
        }
    }
}

/// The integer that stands in a stretch of text: the first number of its prose. None where there is no number, or the
/// first is a fraction, a range, negative, or part of a word.
#[must_use]
pub fn integer(document: &Document, range: &Range<usize>) -> Option<u64> {
    let items = document.items_within(range).iter().filter(|item| item.kind != ItemKind::HeaderCell);
    match items.map(|item| first_number(item.text())).find(|number| *number != Number::Absent) {
        Some(Number::Integer(number)) => Some(number),
        _ => None,
    }
}

/// The first free-standing number of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    /// There is none.
    Absent,
    /// A fraction, a range, something negative or huge.
    Other,
    /// A plain one.
    Integer(u64),
}

fn first_number(text: &str) -> Number {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len()
            && (bytes[at].is_ascii_digit() || bytes[at] == b',' && bytes.get(at + 1).is_some_and(u8::is_ascii_digit))
        {
            at += 1;
        }
        let mut before = text[..start].chars().rev();
        let (near, far) = (before.next(), before.next());
        // AC-1, v2, #3 and C3 are names.
        let joined = near.is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, '#' | '_' | '/'))
            || near == Some('-') && far.is_some_and(|c| c.is_ascii_alphanumeric());
        if joined {
            while at < bytes.len() && (bytes[at].is_ascii_alphanumeric() || bytes[at] == b'.') {
                at += 1;
            }
            continue;
        }
        let negative = matches!(near, Some('-' | '−'));
        let rest = text[at..].trim_start();
        let mut after = rest.chars();
        let (next, then) = (after.next(), after.find(|c| !c.is_whitespace()));
        let goes_on = then.is_some_and(|c| c.is_ascii_digit());
        let fraction =
            at < bytes.len() && matches!(bytes[at], b'.' | b'/') && bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
        let range = matches!(next, Some('-' | '–' | '—' | '~' | '〜' | '～')) && goes_on;
        let number = text[start..at].replace(',', "").parse().ok().filter(|_| !negative && !fraction && !range);
        return number.map_or(Number::Other, Number::Integer);
    }
    Number::Absent
}

/// Longest `owner/repo` that is looked at, in characters.
const LONGEST_NAME: usize = 140;

/// `#12` and `owner/repo#12` are links on GitHub.
fn has_reference(text: &str) -> bool {
    text.match_indices('#').any(|(at, _)| {
        let mut before = text[..at].chars().rev().take(LONGEST_NAME).take_while(|c| !c.is_whitespace()).peekable();
        let free = before.peek().is_none_or(|c| !c.is_alphanumeric()) || before.any(|c| c == '/');
        free && text[at + 1..].starts_with(|c: char| c.is_ascii_digit())
    })
}

/// What stands where something else was expected.
fn found(kind: &FieldType, document: &Document, section: &Section) -> String {
    let items = document.items_within(&section.range);
    let first = match kind {
        FieldType::Numbered(prefix) => {
            let unnumbered = numbering(document, &section.range, prefix.trim_end_matches('-')).unnumbered;
            unnumbered.into_iter().find(|item| !is_blank_item(document, item))
        }
        _ => items.iter().find(|item| !is_blank_item(document, item)),
    };
    match first {
        Some(item) => document.source()[item.range.clone()].trim().to_owned(),
        None => document.source()[section.range.clone()].trim().to_owned(),
    }
}

fn shorten(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    clip(&mask_secrets(clip(line, LONGEST_MASKED)), LONGEST_FOUND).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(name: &str, kind: FieldType) -> Field {
        Field { name: name.to_owned(), aliases: Vec::new(), means: None, kind }
    }

    fn missing(field: &str, near_miss: Option<&str>) -> Reason {
        Reason::MissingField { field: field.to_owned(), near_miss: near_miss.map(str::to_owned) }
    }

    #[track_caller]
    fn typed(kind: &FieldType, content: &str, found: Option<&str>) {
        let document = Document::parse(&format!("## 欄\n\n{content}\n\n## 次\nx"));
        let expect: Vec<_> = found
            .map(|found| Reason::BadField { field: "欄".to_owned(), expected: kind.clone(), found: found.to_owned() })
            .into_iter()
            .collect();
        assert_eq!(check(&[field("欄", kind.clone())], &document), expect, "{content:?}");
    }

    #[test]
    fn fields_are_missing_empty_or_there() {
        let fields = [field("目的", FieldType::Text), field("価値", FieldType::Text), field("背景", FieldType::Text)];
        let document = Document::parse("## 目的：\nx\n\n## 価値\n未定\n\n## 背景(メモ)\ny\n");
        let expect = [Reason::EmptyField { field: "価値".to_owned() }, missing("背景", Some("背景(メモ)"))];
        assert_eq!(check(&fields, &document), expect);
    }

    #[test]
    fn an_issue_forms_body_is_read() {
        let fields = [field("Purpose", FieldType::Text), field("Value", FieldType::Text)];
        let document = Document::parse("### Purpose\r\n\r\nShow it.\r\n\r\n### Value\r\n\r\n_No response_\r\n");
        assert_eq!(check(&fields, &document), [Reason::EmptyField { field: "Value".to_owned() }]);
    }

    #[test]
    fn aliases_count_and_other_fields_are_no_near_misses() {
        let mut requirement = field("対応する親要件", FieldType::Text);
        requirement.aliases.push("親要件".to_owned());
        let fields = [requirement, field("予算(コスト上限)", FieldType::Text), field("予算", FieldType::Text)];
        let document = Document::parse("## 親要件\nR-1\n\n## 予算\n3\n");
        assert_eq!(check(&fields, &document), [missing("予算(コスト上限)", None)]);
    }

    #[test]
    fn the_second_of_two_headings_may_fill_the_field() {
        let document = Document::parse("## 目的\n\n## 目的\nx\n");
        assert_eq!(check(&[field("目的", FieldType::Text)], &document), []);
    }

    #[test]
    fn integers_stand_free() {
        for good in
            ["3", "３", "3 回", "最大 5 回まで", "max_iterations: 3", "`3`", "1,000", "- 3", "3回/週", "AC-1 まで 2 回"]
        {
            typed(&FieldType::Integer, good, None);
        }
        for bad in ["三回", "three", "3.5", "3-5", "3〜5 回", "-3", "AC-1", "v2", "数回"] {
            typed(&FieldType::Integer, bad, Some(bad.trim_start_matches("- ")));
        }
    }

    #[test]
    fn numbered_items_are_all_numbered() {
        let kind = FieldType::Numbered("AC".to_owned());
        typed(&kind, "- AC-1: a\n- [ ] AC-2: b", None);
        typed(&kind, "| id | t |\n|---|---|\n| AC-1 | a |", None);
        typed(&kind, "- AC-1: a\n- b", Some("b"));
        typed(&kind, "it works", Some("it works"));
    }

    #[test]
    fn tables_and_links_are_there() {
        typed(&FieldType::Table, "| a | b |\n|---|---|\n| 1 | 2 |", None);
        typed(&FieldType::Table, "- a: 1", Some("a: 1"));
        for good in ["[raw](https://a.example/x)", "<https://a.example>", "https://a.example/x", "#12", "acme/data#3"] {
            typed(&FieldType::Link, good, None);
        }
        typed(&FieldType::Link, "in the store", Some("in the store"));
    }

    #[test]
    fn what_is_repeated_is_short_and_masked() {
        let token = format!("ghp{}", "_9fK2mQ7xLwR4tZ8vB1nC6yD3hJ5sG0aPqWeR");
        typed(&FieldType::Integer, &format!("use {token}"), Some("use ghp_…[36 characters]"));
        let long = "長".repeat(200);
        typed(&FieldType::Table, &long, Some(clip(&long, 80)));
    }
}
