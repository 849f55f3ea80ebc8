//! `copied_report`: two or more sections of a child's report that stand whole in a text about several children.

use super::{Context, Hit};
use crate::domain::text::{Document, ItemKind, clip, heading_key};
use std::collections::BTreeMap;
use std::ops::Range;

/// Headings of the reports of both built-in contracts.
const USUAL: [&str; 20] = [
    "要件⇔結果の対応表",
    "要件と結果の対応表",
    "対応表",
    "結論",
    "期待値の根拠",
    "再現手順",
    "生データへのリンク",
    "生データ",
    "参照した skill と委譲した subagent",
    "参照した skill",
    "Requirement-result table",
    "Requirement/result table",
    "Conclusion",
    "Basis of expected values",
    "Reproduction steps",
    "Reproduction",
    "Steps to reproduce",
    "Link to raw data",
    "Raw data",
    "Skills and subagents",
];

/// Sections that make a copy.
const COPIES: usize = 2;

/// Shortest words of a section, in characters: what is shorter sums up or points to the report.
const SHORTEST: usize = 10;

/// Longest words that only point elsewhere, in characters.
const LONGEST_POINTER: usize = 40;

/// Runs the detector: one hit for each section, if there are two or more.
pub(super) fn detect(document: &Document, context: &Context) -> Vec<Hit> {
    let contract = context.fields.iter().flat_map(|field| std::iter::once(&field.name).chain(&field.aliases));
    let names: Vec<String> =
        USUAL.iter().copied().chain(contract.map(String::as_str)).map(key).filter(|key| !key.is_empty()).collect();
    let mut found = sections(document, &names);
    for quote in document.quotes() {
        let inner = unquoted(&document.source()[quote.clone()]);
        within(&inner, &names, quote, document, &mut found);
    }
    for fence in document.fences().iter().filter(|fence| !fence.quoted) {
        let inner = document.source()[fence.content.clone()].to_owned();
        within(&inner, &names, &fence.content, document, &mut found);
    }
    found.sort_by_key(|(range, _)| range.start);
    if found.len() < COPIES {
        return Vec::new();
    }
    found
        .into_iter()
        .map(|(range, title)| Hit { range: Some(range), note: Some(clip(&title, 80).to_owned()) })
        .collect()
}

/// Sections that stand in a quote or a block of code: their lines are looked for in it.
fn within(
    inner: &str,
    names: &[String],
    outer: &Range<usize>,
    document: &Document,
    found: &mut Vec<(Range<usize>, String)>,
) {
    let text = &document.source()[outer.clone()];
    let mut at = 0;
    for (_, title) in sections(&Document::parse(inner), names) {
        let place = text[at..].find(&title).map_or(at..at, |start| at + start..at + start + title.len());
        at = place.end;
        found.push((outer.start + place.start..outer.start + place.end, title));
    }
}

fn unquoted(text: &str) -> String {
    let strip = |line: &str| {
        line.trim_start().strip_prefix('>').map_or(line, |rest| rest.strip_prefix(' ').unwrap_or(rest)).to_owned()
    };
    text.lines().map(strip).collect::<Vec<_>>().join("\n")
}

/// Headings, lines that were meant as headings, and labels of a report, each with words of its own.
fn sections(document: &Document, names: &[String]) -> Vec<(Range<usize>, String)> {
    let source = document.source();
    let mut heads: BTreeMap<usize, (Range<usize>, usize, String)> = BTreeMap::new();
    for section in document.sections() {
        let range = section.title_range.clone();
        heads.insert(range.start, (range, section.range.start, section.title.clone()));
    }
    for like in document.heading_like() {
        heads.entry(like.range.start).or_insert((like.range.clone(), like.range.end, like.title.clone()));
    }
    let starts: Vec<usize> = heads.keys().copied().skip(1).chain([source.len()]).collect();
    let mut out = Vec::new();
    for ((range, from, title), end) in heads.into_values().zip(starts) {
        if names.contains(&key(&title)) && says_something(document, &(from..end.max(from))) {
            let length = source[range.clone()].trim_end().len();
            out.push((range.start..range.start + length, title));
        }
    }
    // `結論: …` in a line of its own.
    for item in document.items().iter().filter(|item| !item.quoted) {
        if !matches!(item.kind, ItemKind::Paragraph) || item.list.is_some() {
            continue;
        }
        let mut at = item.range.start;
        for line in source[item.range.clone()].split_inclusive('\n') {
            let start = at;
            at += line.len();
            let Some((label, value)) = line.split_once([':', '：']).filter(|(label, _)| label.len() <= 120) else {
                continue;
            };
            if value.trim().chars().count() >= SHORTEST && names.contains(&key(label)) && !points(value) {
                out.push((start..start + line.trim_end().len(), label.trim().to_owned()));
            }
        }
    }
    out.sort_by_key(|(range, _)| range.start);
    out.dedup_by_key(|(range, _)| range.start);
    out
}

/// Whether a stretch holds words, a table or code, and more than a pointer to the report.
fn says_something(document: &Document, range: &Range<usize>) -> bool {
    if !document.tables_within(range).is_empty() || !document.fences_within(range).is_empty() {
        return true;
    }
    let mut words = String::new();
    for item in document.items_within(range) {
        words.push_str(item.text());
        words.push(' ');
        if words.len() > 4_000 {
            break;
        }
    }
    words.trim().chars().count() >= SHORTEST && !points(&words)
}

fn points(words: &str) -> bool {
    let words = words.trim().to_lowercase();
    let short = words.chars().nth(LONGEST_POINTER).is_none();
    short
        && words.contains('#')
        && ["参照", "見る", "同じ", "see", "same as", "in #"].iter().any(|word| words.contains(word))
}

/// What is compared of a heading: letters alone, without numbers of issues and the words that join them.
fn key(title: &str) -> String {
    let folded = heading_key(clip(title, 120)).to_lowercase();
    let letters = folded.replace(['⇔', '→'], "と").replace('の', "");
    let words = letters.split(|c: char| !c.is_alphabetic() && c != 'ー');
    words.filter(|word| !matches!(*word, "" | "of" | "the" | "from" | "report" | "for" | "child" | "子")).collect()
}
