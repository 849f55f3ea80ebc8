//! `regex`: a pattern of the contract, in the linear-time engine, on what a reader sees.
//!
//! Prose of the ranges, item by item, and their code blocks. Not in comments, targets of links and block quotes
//! (`docs/detectors/regex.md`).

use super::{Context, Hit, MOST_HITS, scope};
use crate::domain::contract::{Argument, DetectorSpec, compile_pattern};
use crate::domain::text::{Document, Fence, Item, Normalised, clip, sentences};
use regex::Regex;
use std::ops::Range;

/// Most matches that are told of one item or one code block: each is a search of its own, and so the work stays linear.
const MOST_IN_ONE: usize = 8;

/// Longest note, in characters.
const LONGEST_NOTE: usize = 60;

/// Runs the detector. A pattern that the loader refuses finds nothing.
pub(super) fn detect(spec: &DetectorSpec, document: &Document, context: &Context) -> Vec<Hit> {
    let Argument::One(pattern) = &spec.argument else { return Vec::new() };
    let Ok(regex) = compile_pattern(pattern) else { return Vec::new() };
    let mut hits = Vec::new();
    for range in scope::ranges(spec, document, context) {
        for item in document.items_within(&range).iter().filter(|item| !item.quoted) {
            if hits.len() >= MOST_HITS {
                break;
            }
            in_item(&regex, document, item, &mut hits);
        }
        for fence in document.fences_within(&range).iter().filter(|fence| !fence.quoted).take(MOST_HITS) {
            in_fence(&regex, document, fence, &mut hits);
        }
    }
    // Prose and code, in the order of the text.
    hits.sort_by_key(|hit| hit.range.as_ref().map(|range| range.start));
    hits
}

fn in_item(regex: &Regex, document: &Document, item: &Item, hits: &mut Vec<Hit>) {
    let text = item.text();
    let mut found = matches(regex, text).peekable();
    if found.peek().is_none() {
        return;
    }
    let sentences = sentences(item);
    let mut told = None;
    for word in found {
        let index = sentences.partition_point(|sentence| sentence.end <= word.start);
        // One hit a sentence: a quote shows all of it.
        if told.replace(index) == Some(index) {
            continue;
        }
        let sentence = sentences.get(index).filter(|sentence| sentence.start <= word.start && word.end <= sentence.end);
        let note = clip(text[word.clone()].trim(), LONGEST_NOTE).to_owned();
        hits.push(scope::hit(document, item, sentence.unwrap_or(&word), &word, note));
    }
}

fn in_fence(regex: &Regex, document: &Document, fence: &Fence, hits: &mut Vec<Hit>) {
    let folded = Normalised::of(&document.source()[fence.content.clone()]);
    let text = folded.text();
    for word in matches(regex, text) {
        let found = folded.source(word.clone());
        let note = clip(text[word].trim(), LONGEST_NOTE).to_owned();
        let range = fence.content.start + found.start..fence.content.start + found.end;
        hits.push(Hit { range: Some(range), note: Some(note) });
    }
}

/// The first matches that hold something, none overlapping.
fn matches<'t>(regex: &'t Regex, text: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
    regex
        .find_iter(text)
        .take(MOST_IN_ONE)
        .map(|found| found.range())
        .filter(|range| !text[range.clone()].trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::contract::DetectorId;
    use crate::domain::ids::Language;

    fn run(pattern: &str, within: &[&str], body: &str) -> Vec<(String, String)> {
        let spec = DetectorSpec {
            id: DetectorId::Regex,
            argument: Argument::One(pattern.to_owned()),
            within: within.iter().map(ToString::to_string).collect(),
        };
        let context = Context {
            fields: Vec::new(),
            language: Language::En,
            references: Vec::new(),
            always_separate: Vec::new(),
            plan: None,
        };
        let hits = detect(&spec, &Document::parse(body), &context);
        hits.into_iter().filter_map(|hit| Some((body[hit.range?].to_owned(), hit.note?))).collect()
    }

    #[track_caller]
    fn check(pattern: &str, within: &[&str], body: &str, expect: &[(&str, &str)]) {
        let found = run(pattern, within, body);
        let found: Vec<_> = found.iter().map(|(quote, note)| (quote.as_str(), note.as_str())).collect();
        assert_eq!(found, expect, "{pattern} in {body:?}");
    }

    #[test]
    fn a_match_quotes_its_sentence_and_notes_its_words() {
        check("KAN-\\d+", &[], "One. See KAN-12 or KAN-13. End.", &[("See KAN-12 or KAN-13.", "KAN-12")]);
        check("a.c", &[], "x\n\n```\nabc\nadc\n```\n\nabc", &[("abc", "abc"), ("adc", "adc"), ("abc", "abc")]);
        check("one two", &[], "> one two\n\n- one\r\n  two", &[("one\r\n  two", "one two")]);
        check("社外秘", &[], "社\u{200b}外秘です。", &[("社\u{200b}外秘です。", "社外秘")]);
        check("x", &["A"], "# A\n```\nx\n```\n# B\nx", &[("x", "x")]);
        check("x", &["C"], "# A\nx", &[]);
    }

    #[test]
    fn odd_patterns_and_texts_find_nothing_and_end() {
        check("", &[], "abc", &[]);
        check("x*", &[], "abc", &[]);
        check("(?=a)", &[], "aaa", &[]);
        check("a", &[], "", &[]);
        check(r"\s+", &[], "a b", &[]);
    }

    #[test]
    fn hostile_texts_end_soon() {
        for piece in ["A", "A ", "> ", "- A\n", "`A", "あ"] {
            let body = piece.repeat((1 << 17) / piece.len());
            // Searching on after each match would be quadratic with this one.
            assert!(run(r".*[^A-Z]|[A-Z]", &[], &body).len() <= 2 * MOST_HITS);
        }
    }
}
