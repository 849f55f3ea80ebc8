//! A text with the words marked that its judge quotes, secrets masked.

use super::judged::Shown;
use crate::domain::detect::{self, Reading};
use std::ops::Range;

/// A stretch of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// Its words.
    pub text: String,
    /// Criteria that are shown by it, by their place among what is shown; empty where it is plain.
    pub of: Vec<usize>,
}

/// The whole text in stretches. A quote that is not found, such as one whose end was cut, marks nothing.
pub(super) fn marked(text: &str, shown: &[Shown]) -> Vec<Piece> {
    let reading = Reading::of(text);
    let text = detect::mask(text, 0..text.len(), reading.sensitive());
    let places: Vec<(usize, Range<usize>)> =
        shown.iter().enumerate().filter_map(|(index, one)| Some((index, place(&text, one)?))).collect();
    let mut ends: Vec<usize> = places.iter().flat_map(|(_, range)| [range.start, range.end]).collect();
    ends.extend([0, text.len()]);
    ends.sort_unstable();
    ends.dedup();
    let pieces = ends.windows(2).map(|pair| Piece {
        text: text[pair[0]..pair[1]].to_owned(),
        of: places.iter().filter(|(_, at)| at.start <= pair[0] && pair[1] <= at.end).map(|(index, _)| *index).collect(),
    });
    pieces.collect()
}

/// Where a quote stands: on its line if it is there, else where it stands first.
fn place(text: &str, shown: &Shown) -> Option<Range<usize>> {
    let quote = shown.quote.as_deref().filter(|quote| !quote.trim().is_empty())?;
    let lines = usize::try_from(shown.line.unwrap_or(1)).unwrap_or(1).saturating_sub(1);
    let from = if lines == 0 { 0 } else { text.match_indices('\n').nth(lines - 1).map_or(0, |(at, _)| at + 1) };
    let start = text[from..].find(quote).map(|at| from + at).or_else(|| text.find(quote))?;
    Some(start..start + quote.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(quote: &str, line: u32) -> Shown {
        Shown {
            criterion: "c".to_owned(),
            text: "t".to_owned(),
            quote: Some(quote.to_owned()),
            line: Some(line),
            note: None,
        }
    }

    #[track_caller]
    fn check(text: &str, all: &[Shown], expect: &[(&str, &[usize])]) {
        let pieces = marked(text, all);
        let pieces: Vec<(&str, &[usize])> = pieces.iter().map(|one| (one.text.as_str(), &one.of[..])).collect();
        assert_eq!(pieces, expect);
    }

    #[test]
    fn quotes_are_marked_where_they_stand() {
        check("plain", &[], &[("plain", &[])]);
        check("", &[], &[]);
        check("a b\na b\n", &[shown("b", 2)], &[("a b\na ", &[]), ("b", &[0]), ("\n", &[])]);
        check("a b\n", &[shown("b", 9)], &[("a ", &[]), ("b", &[0]), ("\n", &[])]);
        check("a b\n", &[shown("c", 1), shown("", 1)], &[("a b\n", &[])]);
        // Where two meet, both are named.
        check(
            "適切に速く",
            &[shown("適切に", 1), shown("に速く", 1)],
            &[("適切", &[0]), ("に", &[0, 1]), ("速く", &[1])],
        );
    }

    #[test]
    fn secrets_are_masked() {
        let text = format!("key {}", ["ghp_", "abcdefghijklmnopqrstuvwxyz0123456789"].concat());
        assert!(!marked(&text, &[])[0].text.contains("abcdefgh"), "{:?}", marked(&text, &[]));
    }
}
