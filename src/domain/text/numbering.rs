//! Items numbered `AC-1`, `AC-2` …: which stretches of a section are items, and which of them have a number.

use super::document::{Document, Item, ItemKind};
use std::ops::Range;

/// How the items of a stretch of text are numbered.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Numbering<'d> {
    /// Items with a number.
    pub numbered: Vec<&'d Item>,
    /// Items without one.
    pub unnumbered: Vec<&'d Item>,
}

/// Sorts the items of a range by whether they begin with `PREFIX-n`.
///
/// Items are the entries of the outermost lists; where there is no list, the rows of tables; where there is no table
/// either, sub-headings and paragraphs. In a list, a numbered paragraph outside of it counts too. A table's row is
/// numbered by any of its cells. Block quotes hold no items.
#[must_use]
pub fn numbering<'d>(document: &'d Document, range: &Range<usize>, prefix: &str) -> Numbering<'d> {
    let mut found = Numbering::default();
    let own = || document.items_within(range).iter().filter(|item| !item.quoted);
    let mut marker = None;
    let mut lists = false;
    for item in own() {
        match item.list {
            // Only the first paragraph of a list item carries its number.
            Some(position) if position.depth == 1 => {
                if marker != Some(position.marker) {
                    found.sort(item, prefix);
                }
                marker = Some(position.marker);
                lists = true;
            }
            None if starts_with_number(item.text(), prefix) && !is_cell(item) => found.numbered.push(item),
            Some(_) | None => {}
        }
    }
    if lists {
        return found;
    }
    let mut rows = false;
    for row in document.tables_within(range).iter().flat_map(|table| &table.rows) {
        let mut cells = row.iter().filter_map(|cell| cell.item).map(|index| &document.items()[index]).peekable();
        let Some(first) = cells.peek().copied() else { continue };
        rows = true;
        match cells.find(|cell| starts_with_number(cell.text(), prefix)) {
            Some(cell) => found.numbered.push(cell),
            None => found.unnumbered.push(first),
        }
    }
    if !rows && found.numbered.is_empty() {
        found.unnumbered.extend(own().filter(|item| !is_cell(item)));
    }
    found
}

impl<'d> Numbering<'d> {
    fn sort(&mut self, item: &'d Item, prefix: &str) {
        if starts_with_number(item.text(), prefix) {
            self.numbered.push(item);
        } else {
            self.unnumbered.push(item);
        }
    }
}

fn is_cell(item: &Item) -> bool {
    matches!(item.kind, ItemKind::Cell | ItemKind::HeaderCell)
}

/// Whether a folded text begins with the prefix and a number: `AC-1`, `AC1`, `[AC-1]`, in any case of letters.
#[must_use]
pub fn starts_with_number(text: &str, prefix: &str) -> bool {
    number_length(text, prefix).is_some()
}

/// Whether a folded text begins with an id of any prefix: `AC-1`, `R-2`, `D3`.
#[must_use]
pub fn starts_with_id(text: &str) -> bool {
    id_length(text.trim_start()).is_some()
}

/// How long the id at the beginning of a text is: one to six capitals and a number.
pub(super) fn id_length(text: &str) -> Option<usize> {
    let letters = text.bytes().take_while(u8::is_ascii_uppercase).count();
    if !(1..=6).contains(&letters) {
        return None;
    }
    let length = number_length(text, &text[..letters])?;
    (!text[length..].starts_with(|c: char| c.is_ascii_alphanumeric())).then_some(length)
}

/// How long the number at the beginning of a folded text is, brackets and white space before it included.
pub(super) fn number_length(text: &str, prefix: &str) -> Option<usize> {
    let rest = text.trim_start().trim_start_matches(['[', '(', '【', '「']);
    let head = rest.get(..prefix.len()).filter(|head| head.eq_ignore_ascii_case(prefix))?;
    let rest = &rest[head.len()..];
    let rest = rest.strip_prefix(['-', '‐', '‑', '–', '—', '−', 'ー', '_', ' ']).unwrap_or(rest);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    (digits > 0).then(|| text.len() - rest.len() + digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(body: &str, numbered: usize, unnumbered: usize) {
        let document = Document::parse(body);
        let found = numbering(&document, &(0..body.len()), "AC");
        assert_eq!((found.numbered.len(), found.unnumbered.len()), (numbered, unnumbered), "{body:?}");
    }

    #[test]
    fn items_are_counted_where_they_stand() {
        check("- AC-1: a\n- AC-2: b", 2, 0);
        check("- AC-1: a\n- b", 1, 1);
        check("- [ ] **AC-1** a\n- [x] ＡＣ－２ b", 2, 0);
        check("- AC-1: a\n  - detail\n  - detail\n\n  more\n- AC-2: b", 2, 0);
        check("All of these:\n\n1. AC-1 a\n2. AC-2 b", 2, 0);
        check("AC-1: a\n\nAC-2: b", 2, 0);
        check("it works", 0, 1);
        check("| id | text |\n|---|---|\n| AC-1 | a |\n| AC-2 | b |", 2, 0);
        check("| id | text |\n|---|---|\n| AC-1 | a |\n| x | b |", 1, 1);
        check("### AC-1: a\ntext\n### AC-2: b\ntext", 2, 0);
        check("", 0, 0);
    }

    #[test]
    fn a_number_stands_at_the_beginning() {
        for text in ["AC-1: x", "AC1 x", "ac-12", "[AC-3] x", "AC–4"] {
            assert!(starts_with_number(text, "AC"), "{text}");
        }
        for text in ["AC: x", "ACME-1", "see AC-1", "SC-1", "", "A", "あいう"] {
            assert!(!starts_with_number(text, "AC"), "{text}");
        }
    }
}
