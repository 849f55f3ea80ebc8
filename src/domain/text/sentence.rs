//! An item's text cut into sentences, Japanese and English.

use super::document::{Item, Span, SpanKind};
use std::ops::Range;

/// The sentences of an item as ranges of its text, trimmed, none empty. Marks in code, URLs and quotations end none.
#[must_use]
pub fn sentences(item: &Item) -> &[Range<usize>] {
    &item.sentences
}

/// Cuts a folded text with its spans: once, since every detector asks for it.
pub(super) fn cut(text: &str, mut spans: &[Span]) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, c)| *c);
        let ends = match c {
            '。' | '．' | '！' | '？' | '\n' | ';' | '；' => true,
            '.' | '!' | '?' => next.is_none_or(|c| c.is_whitespace() || is_wide(c)),
            _ => false,
        };
        if !ends || (c == '.' && is_abbreviation(&text[start..at])) {
            continue;
        }
        while spans.first().is_some_and(|span| span.range.end <= at) {
            spans = &spans[1..];
        }
        if spans.first().is_some_and(|span| span.range.start <= at && span.kind != SpanKind::Alt) {
            continue;
        }
        push(&mut out, text, start..at + c.len_utf8());
        start = at + c.len_utf8();
    }
    push(&mut out, text, start..text.len());
    out
}

fn push(out: &mut Vec<Range<usize>>, text: &str, range: Range<usize>) {
    let words = &text[range.clone()];
    let start = range.start + (words.len() - words.trim_start().len());
    let end = range.end - (words.len() - words.trim_end().len());
    if start < end {
        out.push(start..end);
    }
}

fn is_wide(c: char) -> bool {
    matches!(c, '\u{3000}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

/// Whether the words end in one that takes a full stop: "etc", "e.g", or a bare number such as "1".
fn is_abbreviation(before: &str) -> bool {
    let tail_start = before.char_indices().rev().take(8).last().map_or(0, |(at, _)| at);
    let word = before[tail_start..].rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
    matches!(word.to_ascii_lowercase().as_str(), "e.g" | "i.e" | "vs" | "cf" | "approx" | "no" | "fig")
        || (!word.is_empty() && word.len() == before.trim().len() && word.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::text::Document;

    #[track_caller]
    fn check(body: &str, expect: &[&str]) {
        let document = Document::parse(body);
        let item = &document.items()[0];
        let found: Vec<_> = sentences(item).iter().map(|range| &item.text()[range.clone()]).collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn both_languages_end_sentences() {
        check("速い。遅い。", &["速い。", "遅い。"]);
        check("「速い。」と出る。次", &["「速い。」と出る。", "次"]);
        check("It works. In 2.5 s, e.g. here! Done", &["It works.", "In 2.5 s, e.g. here!", "Done"]);
        check("see `a. b` now", &["see a. b now"]);
        check("one<br>two", &["one", "two"]);
    }
}
