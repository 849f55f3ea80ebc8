//! `too_many_items`: more points under a heading than one review can judge; the argument is the count that is still fine.
//!
//! Only points are counted: how much each of them asks for is for a reader to see (`docs/detectors/too_many_items.md`).

use super::{Context, Hit, scope};
use crate::domain::contract::{Argument, DetectorSpec};
use crate::domain::text::{Document, Item, ItemKind, Normalised, clip, is_blank_item, is_placeholder, starts_with_id};
use std::ops::Range;

/// Most points that are fine where the contract names no count.
const MOST: usize = 9;

/// Longest quote of raw HTML, in characters (chapter 10).
const LONGEST_QUOTE: usize = 200;

/// Runs the detector: one hit for each section that has too many, at the first point beyond the count. Without `in:` each
/// section is looked at on its own.
pub(super) fn detect(spec: &DetectorSpec, document: &Document, context: &Context) -> Vec<Hit> {
    let most = match &spec.argument {
        Argument::One(count) => count.parse().unwrap_or(MOST),
        Argument::List(_) | Argument::None => MOST,
    };
    let ranges = if spec.within.is_empty() {
        document.sections().iter().map(|section| section.own_range.clone()).collect()
    } else {
        scope::ranges(spec, document, context)
    };
    let mut hits = Vec::new();
    for range in ranges {
        let points = points(document, &range);
        if let Some(beyond) = points.get(most) {
            hits.push(Hit { range: Some(trimmed(document, beyond)), note: Some(points.len().to_string()) });
        }
    }
    hits
}

/// The points of a range, in order: entries of the outermost lists, rows of tables, numbered sub-headings and paragraphs,
/// lines that begin with a bullet or a number of their own, entries of HTML lists. Placeholders are no points.
fn points(document: &Document, range: &Range<usize>) -> Vec<Range<usize>> {
    let mut points: Vec<Range<usize>> = Vec::new();
    let mut marker = None;
    // A list below a numbered heading or paragraph says more about it, unless its entries are numbered, too.
    let mut under_number = false;
    for item in document.items_within(range).iter().filter(|item| !item.quoted) {
        match (item.list, item.kind) {
            (_, ItemKind::Cell | ItemKind::HeaderCell) => {}
            (Some(position), _) => {
                if position.depth == 1 && marker != Some(position.marker) {
                    marker = Some(position.marker);
                    if !is_blank_item(document, item) && (!under_number || starts_with_id(item.text())) {
                        points.push(item.range.clone());
                    }
                }
            }
            (None, ItemKind::Heading) => {
                under_number = is_numbered(item);
                points.extend(under_number.then(|| item.range.clone()));
            }
            (None, ItemKind::Html) => points.extend(html_entries(document, item)),
            (None, _) => {
                let lines = marked_lines(document, item);
                under_number |= is_numbered(item);
                if lines.len() > 1 {
                    points.extend(lines);
                } else if is_numbered(item) {
                    points.push(item.range.clone());
                }
            }
        }
    }
    for row in document.tables_within(range).iter().flat_map(|table| &table.rows) {
        let mut cells = row.iter().filter_map(|cell| cell.item).map(|index| &document.items()[index]);
        let said = cells.find(|cell| !cell.quoted && cell.list.is_none() && !is_blank_item(document, cell));
        points.extend(said.map(|cell| cell.range.clone()));
    }
    points.sort_by_key(|point| point.start);
    points
}

/// A range without white space and the marks of a heading at its ends.
fn trimmed(document: &Document, range: &Range<usize>) -> Range<usize> {
    let text = document.source()[range.clone()].trim_end();
    let start = range.start + (text.len() - text.trim_start_matches(['#', ' ', '\t']).len());
    start..(range.start + text.len()).max(start)
}

fn is_numbered(item: &Item) -> bool {
    let id = starts_with_id(item.text());
    id && !item
        .text()
        .split_once([':', ' '])
        .is_some_and(|(_, words)| is_placeholder(words) && !words.trim().is_empty())
}

/// Lines of a paragraph that begin with `・`, `①`, `(1)` or an id, where Markdown sees no list.
fn marked_lines(document: &Document, item: &Item) -> Vec<Range<usize>> {
    let source = &document.source()[item.range.clone()];
    let mut at = item.range.start;
    let mut out = Vec::new();
    for line in source.split_inclusive(['\n', '\r']) {
        let words = line.trim();
        let start = at + (line.len() - line.trim_start().len());
        at += line.len();
        if is_marked(words) {
            out.push(start..start + words.len());
        }
    }
    out
}

fn is_marked(line: &str) -> bool {
    let bare = line.trim_start_matches(['*', '_', '`']);
    if let Some(words) = bare.strip_prefix(['・', '•', '●', '○', '◯', '■', '□', '☐', '✓', '✔', '–'])
    {
        return !is_placeholder(words);
    }
    let Some(first) = bare.chars().next() else { return false };
    if matches!(first, '①'..='⑳' | '⑴'..='⒛') {
        return !is_placeholder(&bare[first.len_utf8()..]);
    }
    // Only the beginning matters, and folding all of a long line would be work for nothing.
    let head = Normalised::of(clip(bare, 24));
    let head = head.text();
    if starts_with_id(head) {
        return true;
    }
    let open = head.strip_prefix(['(', '[']);
    let rest = open.unwrap_or(head);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    (1..=2).contains(&digits) && rest[digits..].starts_with([')', ']']) && rest.len() > digits + 1
}

/// `<li>` of raw HTML.
fn html_entries(document: &Document, item: &Item) -> Vec<Range<usize>> {
    let source = &document.source()[item.range.clone()];
    let entries = source.match_indices("<li").filter(|(at, _)| source[at + 3..].starts_with(['>', ' ', '\n']));
    entries
        .map(|(at, _)| {
            let start = item.range.start + at;
            let shown = clip(&source[at..], LONGEST_QUOTE);
            start..start + shown.find(['\n', '\r']).unwrap_or(shown.len())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::contract::DetectorId;
    use crate::domain::ids::Language;

    fn run(argument: Argument, within: &[&str], body: &str) -> Vec<(String, String)> {
        let within = within.iter().map(ToString::to_string).collect();
        let spec = DetectorSpec { id: DetectorId::TooManyItems, argument, within };
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
    fn check(count: &str, body: &str, expect: &[(&str, &str)]) {
        let found = run(Argument::One(count.to_owned()), &["A"], &format!("# A\n{body}"));
        let found: Vec<_> = found.iter().map(|(quote, note)| (quote.as_str(), note.as_str())).collect();
        assert_eq!(found, expect, "{body:?}");
    }

    #[test]
    fn the_first_point_beyond_the_count_is_quoted() {
        check("2", "- a\n- b\n- c\n- d\n", &[("c", "4")]);
        check("2", "- a\r\n- b\r\n", &[]);
        check("1", "| x |\n|---|\n| a |\n| b |\n", &[("b", "2")]);
        check("1", "・a\r\n・b\r\n", &[("・b", "2")]);
        check("1", "① a\n② b", &[("② b", "2")]);
        check("1", "(1) a\n(2) b", &[("(2) b", "2")]);
        check("0", "- a\n\n# B\n- b", &[("a", "1")]);
        check("1", "## D-1: a\n- x\n- y\n## D-2: b\n- z\n## More\n- w", &[("D-2: b", "3")]);
        check("1", "<ul><li>a</li>\n<li>b</li></ul>", &[("<li>b</li></ul>", "2")]);
        check("1", "- a\n- TBD\n- [ ]\n", &[]);
        check("1", "", &[]);
        check("1", "```\n- a\n- b\n```", &[]);
    }

    #[test]
    fn without_headings_each_section_counts_alone() {
        let list = "- a\n".repeat(6);
        assert!(run(Argument::None, &[], &format!("# A\n{list}\n# B\n{list}")).is_empty());
        assert_eq!(run(Argument::None, &[], &format!("# A\n{list}{list}")).len(), 1);
        assert_eq!(run(Argument::None, &["A", "B"], &format!("# A\n{list}\n# B\n{list}")), []);
    }

    #[test]
    fn hostile_texts_end_soon() {
        for piece in ["- a\n", "・a\n", "<li>", "(1) ", "> - a\n", "#### D-1\n", "|", "a"] {
            let body = format!("# A\n{}", piece.repeat((1 << 17) / piece.len()));
            assert!(run(Argument::None, &["A"], &body).len() <= 1, "{piece}");
        }
    }
}
