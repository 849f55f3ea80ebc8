//! Words taken out of a text: cut to a length, parts of it hidden.

use std::fmt::Write as _;
use std::ops::Range;

/// The beginning of a text, at most so many characters.
#[must_use]
pub fn clip(text: &str, characters: usize) -> &str {
    text.char_indices().nth(characters).map_or(text, |(end, _)| &text[..end])
}

/// Replaces byte ranges by how much stood there: `…[36 characters]`. Ranges may overlap and need no order; one that
/// is outside of the text or not on character boundaries is widened or cut to fit.
#[must_use]
pub fn redact(text: &str, ranges: &[Range<usize>]) -> String {
    let mut ranges: Vec<_> = ranges.iter().filter_map(|range| fit(text, range)).collect();
    ranges.sort_by_key(|range| range.start);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    let mut pending: Option<Range<usize>> = None;
    for range in ranges.into_iter().map(Some).chain(std::iter::once(None)) {
        match (&mut pending, range) {
            (Some(open), Some(next)) if next.start <= open.end => open.end = open.end.max(next.end),
            (open, next) => {
                if let Some(done) = open.take() {
                    out.push_str(&text[at..done.start]);
                    let _ = write!(out, "…[{} characters]", text[done.clone()].chars().count());
                    at = done.end;
                }
                pending = next;
            }
        }
    }
    out.push_str(&text[at..]);
    out
}

fn fit(text: &str, range: &Range<usize>) -> Option<Range<usize>> {
    let mut start = range.start.min(text.len());
    let mut end = range.end.min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    while !text.is_char_boundary(end) {
        end += 1;
    }
    (start < end).then_some(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn clipping_counts_characters() {
        assert_eq!(clip("あいう", 2), "あい");
        assert_eq!(clip("あいう", 3), "あいう");
        assert_eq!(clip("", 3), "");
    }

    #[test]
    #[allow(clippy::single_range_in_vec_init)]
    fn redacting_says_how_much() {
        assert_eq!(redact("key=abcdef!", &[4..10]), "key=…[6 characters]!");
        assert_eq!(redact("abcdef", &[3..5, 0..2, 1..3]), "…[5 characters]f");
        assert_eq!(redact("あい", &[1..2]), "…[1 characters]い");
        assert_eq!(redact("ab", &[5..9]), "ab");
    }

    proptest! {
        #[test]
        fn nothing_panics(text in any::<String>(), ranges in prop::collection::vec((0..99_usize, 0..99_usize), 0..5)) {
            let ranges: Vec<_> = ranges.into_iter().map(|(a, b)| a..b).collect();
            let _ = redact(&text, &ranges);
            prop_assert!(clip(&text, 10).chars().count() <= 10);
        }
    }
}
