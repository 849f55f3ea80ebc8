//! Where a detector looks: the sections that `in:` names, and the words in them that count.

use super::{Context, Hit};
use crate::domain::contract::{Argument, DetectorSpec};
use crate::domain::text::{Document, Item, ItemKind, SpanKind, clip, heading_key, starts_with_id};
use std::borrow::Cow;
use std::ops::Range;

/// A name with the aliases that the contract gives it.
pub(super) fn names<'a>(name: &'a str, context: &'a Context) -> Vec<&'a str> {
    let key = heading_key(name);
    let known = context
        .fields
        .iter()
        .find(|field| std::iter::once(&field.name).chain(&field.aliases).any(|other| heading_key(other) == key));
    let mut all = vec![name];
    if let Some(field) = known {
        all.push(&field.name);
        all.extend(field.aliases.iter().map(String::as_str));
    }
    all
}

/// The headings that a detector about headings is asked for: its argument, else `in:`, else all that are known.
pub(super) fn asked<'a>(spec: &'a DetectorSpec, context: &'a Context) -> Vec<&'a str> {
    match &spec.argument {
        Argument::One(name) => vec![name],
        Argument::List(names) => names.iter().map(String::as_str).collect(),
        Argument::None if !spec.within.is_empty() => spec.within.iter().map(String::as_str).collect(),
        Argument::None => context.fields.iter().map(|field| field.name.as_str()).collect(),
    }
}

/// The ranges that `in:` names, in order, none overlapping; the whole text where there is no `in:`.
pub(super) fn ranges(spec: &DetectorSpec, document: &Document, context: &Context) -> Vec<Range<usize>> {
    if spec.within.is_empty() {
        return std::iter::once(0..document.source().len()).collect();
    }
    let names: Vec<_> = spec.within.iter().flat_map(|name| names(name, context)).collect();
    let mut out: Vec<Range<usize>> = Vec::new();
    for section in document.sections_named(names) {
        match out.last_mut() {
            Some(last) if section.range.start <= last.end => last.end = last.end.max(section.range.end),
            _ => out.push(section.range.clone()),
        }
    }
    out
}

/// The items of those ranges that a detector of words reads: no block quotes, no heads of tables.
pub(super) fn items<'d>(document: &'d Document, ranges: &[Range<usize>]) -> Vec<&'d Item> {
    ranges
        .iter()
        .flat_map(|range| document.items_within(range))
        .filter(|item| !item.quoted && item.kind != ItemKind::HeaderCell)
        .collect()
}

/// Whether an item is one of several points rather than running text: an entry of a list, a cell, a sub-heading, or a
/// paragraph that begins with an id such as `AC-1`.
pub(super) fn is_point(item: &Item) -> bool {
    item.list.is_some() || matches!(item.kind, ItemKind::Cell | ItemKind::Heading) || starts_with_id(item.text())
}

/// An item's text with spans of these kinds blanked out, byte for byte, so that offsets stay.
pub(super) fn blanked<'i>(item: &'i Item, kinds: &[SpanKind]) -> Cow<'i, str> {
    let text = item.text();
    if !item.spans.iter().any(|span| kinds.contains(&span.kind)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for span in item.spans.iter().filter(|span| kinds.contains(&span.kind)) {
        out.push_str(&text[at..span.range.start]);
        out.extend(std::iter::repeat_n('\u{1}', span.range.len()));
        at = span.range.end;
    }
    out.push_str(&text[at..]);
    Cow::Owned(out)
}

/// Longest quote, in characters (chapter 10).
const LONGEST_QUOTE: usize = 200;

/// A hit that quotes a sentence, or only the words where the sentence is long.
pub(super) fn hit(document: &Document, item: &Item, sentence: &Range<usize>, word: &Range<usize>, note: String) -> Hit {
    let mut whole = item.source(sentence.clone());
    // Marks at the edges of an item, such as a backtick, belong to its first and last sentence.
    let text = item.text();
    if text[..sentence.start].trim().is_empty() {
        whole.start = whole.start.min(item.range.start);
    }
    if text[sentence.end..].trim().is_empty() {
        whole.end = whole.end.max(trimmed_end(document, item));
    }
    // So does the tick of code at the edge of a sentence.
    let source = document.source();
    let code = |range: Range<usize>| item.touches(&range, &[SpanKind::Code]);
    if code(sentence.start..sentence.start + 1) && source[..whole.start].ends_with('`') {
        whole.start -= 1;
    }
    if code(sentence.end - 1..sentence.end) && source[whole.end..].starts_with('`') {
        whole.end += 1;
    }
    let text = &source[whole.clone()];
    let range = if clip(text, LONGEST_QUOTE).len() == text.len() { whole } else { item.source(word.clone()) };
    Hit { range: Some(range), note: Some(note) }
}

fn trimmed_end(document: &Document, item: &Item) -> usize {
    item.range.start + document.source()[item.range.clone()].trim_end().len()
}
