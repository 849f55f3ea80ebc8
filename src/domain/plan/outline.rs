//! Plans as outlines: one heading per child, `子1: …` or `Child 1: …`.

use super::block::{Masked, Place, block};
use super::draft::{Draft, Found};
use super::names::Names;
use crate::domain::text::{Document, Normalised};
use std::ops::Range;

/// A child's heading, where it stands, and what stands under it.
type Entry = (Heading, Range<usize>, Range<usize>);

/// The outlines of a text that are whole: at least one child says something of its fields. An outline ends where the
/// numbers begin anew.
pub(super) fn outlines(document: &Document, names: &Names) -> Vec<Found> {
    let mut groups: Vec<Vec<Entry>> = Vec::new();
    let headings: Vec<_> =
        document.sections().iter().filter_map(|section| Some((heading(&section.title)?, section))).collect();
    for (index, (heading, section)) in headings.iter().enumerate() {
        let next = headings.get(index + 1).map_or(usize::MAX, |(_, next)| next.title_range.start);
        let range = section.range.start..section.range.end.min(next).max(section.range.start);
        let entry = (heading.clone(), section.title_range.clone(), range);
        let anew =
            groups.last().and_then(|group| group.first()).is_none_or(|(first, ..)| first.number == heading.number);
        match groups.last_mut() {
            Some(group) if !anew => group.push(entry),
            _ => groups.push(vec![entry]),
        }
    }
    if groups.is_empty() {
        return Vec::new();
    }
    let masked = Masked::of(document);
    groups.into_iter().filter_map(|group| found(document, &masked, names, group)).collect()
}

fn found(document: &Document, masked: &Masked, names: &Names, group: Vec<Entry>) -> Option<Found> {
    let mut found = Found::default();
    let mut whole = false;
    for (heading, title_range, range) in group {
        let block = block(document, masked, &range, names, Place::Inside);
        whole |= block.says_something();
        found.common.extend(block.common);
        found.ranges.push(title_range.start..range.end);
        let place = document.source()[title_range.clone()].trim_end().len();
        found.children.push(Draft {
            number: Some(heading.number),
            label: heading.label,
            title: if heading.title.is_empty() { block.title.unwrap_or_default() } else { heading.title },
            values: block.values,
            extras: block.extras,
            depends: block.depends,
            lead: block.lead,
            place: title_range.start..title_range.start + place,
        });
    }
    whole.then_some(found)
}

/// The heading of a child.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Heading {
    number: u32,
    label: String,
    title: String,
}

/// Words before a child's number, and the label that they give.
const WORDS: [(&str, &str); 13] = [
    ("子issue", "子"),
    ("子 issue", "子"),
    ("子タスク", "子"),
    ("子課題", "子"),
    ("子", "子"),
    ("child issue", "Child "),
    ("child task", "Child "),
    ("child", "Child "),
    ("sub-issue", "Child "),
    ("subissue", "Child "),
    ("sub issue", "Child "),
    ("sub-task", "Child "),
    ("subtask", "Child "),
];

/// Reads `子1: …`, `子 issue 2 …`, `Child 3 - …`, `Sub-issue 4: …`.
fn heading(title: &str) -> Option<Heading> {
    let folded = Normalised::of(title);
    let text = folded.text().trim();
    let lower = text.to_lowercase();
    if lower.len() != text.len() {
        return None;
    }
    let (word, name) = WORDS.into_iter().find(|(word, _)| lower.starts_with(word))?;
    let rest = text[word.len()..].trim_start().trim_start_matches(['#', '-']).trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if !(1..=4).contains(&digits) {
        return None;
    }
    let number: u32 = rest[..digits].parse().ok()?;
    let rest = &rest[digits..];
    if !(rest.is_empty() || rest.starts_with([':', '.', ')', ' ', '-', '–', '—', '、', '(', '「', '【', '/', '|', '→']))
    {
        return None;
    }
    let title = rest.trim_start_matches([':', '.', ')', ' ', '-', '–', '—', '、', '/', '|', '→']).trim();
    Some(Heading { number, label: format!("{name}{number}"), title: title.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_of_children_are_seen() {
        for (title, expect) in [
            ("子1: 題", Some((1, "子1", "題"))),
            ("子 2：題", Some((2, "子2", "題"))),
            ("子issue 3 題", Some((3, "子3", "題"))),
            ("Child 1: Title", Some((1, "Child 1", "Title"))),
            ("child #2 - Title", Some((2, "Child 2", "Title"))),
            ("子4", Some((4, "子4", ""))),
            ("子5(R-1): 題", Some((5, "子5", "(R-1): 題"))),
            ("子供の一覧", None),
            ("Children", None),
            ("子の一覧", None),
            ("子1つずつ", None),
            ("Child 12ab", None),
        ] {
            let found = heading(title);
            let found = found.as_ref().map(|found| (found.number, found.label.as_str(), found.title.as_str()));
            assert_eq!(found, expect, "{title}");
        }
    }
}
