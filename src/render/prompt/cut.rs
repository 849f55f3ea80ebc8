//! A long text is cut by whole sections, and it is said which are left out (chapter 4).

use crate::domain::detect::{self, Reading};
use crate::domain::text::clip;
use std::ops::Range;

/// The parts of a text that are kept, in its order, and the headings of those that are not. Sections are taken from the
/// beginning on for as long as they fit, each with its own text and without those below it; what stands before the
/// first heading counts as one. Where not even the first one fits, its beginning is kept.
pub(super) fn cut(reading: &Reading, most: usize) -> (Vec<Range<usize>>, Vec<String>) {
    let source = reading.document().source();
    let count = |range: &Range<usize>| source[range.clone()].chars().count();
    if count(&(0..source.len())) <= most {
        return (std::iter::once(0..source.len()).collect(), Vec::new());
    }
    let (mut kept, mut left_out, mut room) = (Vec::new(), Vec::new(), most);
    for (title, range) in stretches(reading) {
        let length = count(&range);
        if length <= room {
            room -= length;
            kept.push(range);
        } else if kept.is_empty() {
            let beginning = clip(&source[range.clone()], room).len();
            kept.push(range.start..range.start + beginning);
            left_out.push(format!("{title} (its end)"));
            room = 0;
        } else {
            left_out.push(title);
        }
    }
    (kept, left_out)
}

/// Longest title that is told, in characters.
const LONGEST_TITLE: usize = 80;

/// From each heading to the next, whatever their levels.
fn stretches(reading: &Reading) -> Vec<(String, Range<usize>)> {
    let (document, sensitive) = (reading.document(), reading.sensitive());
    let source = document.source();
    let mut all = vec![(String::from("the beginning"), 0..source.len())];
    for section in document.sections() {
        // A heading inside a quotation or a list begins where its line does.
        let start = document.line_start(section.title_range.start);
        if let Some(last) = all.last_mut().filter(|(_, range)| range.start <= start) {
            last.1.end = start;
            // A title may hold what must not be shown, like any other text.
            let masked = detect::mask(source, section.title_range.clone(), sensitive);
            let title = masked.lines().next().unwrap_or_default().trim_matches(['#', ' ', '\t']);
            all.push((clip(title, LONGEST_TITLE).to_owned(), start..source.len()));
        }
    }
    all.retain(|(_, range)| !source[range.clone()].trim().is_empty());
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = "intro\n\n# A\n\naaaa\n\n## B\n\nbbbbbbbbbb\n\n# C\n\ncc\n";

    #[track_caller]
    fn check(most: usize, kept: &str, left_out: &[&str]) {
        let reading = Reading::of(TEXT);
        let (ranges, titles) = cut(&reading, most);
        assert_eq!(ranges.into_iter().map(|range| &TEXT[range]).collect::<String>(), kept);
        assert_eq!(titles, left_out);
    }

    #[test]
    fn whole_sections_are_left_out() {
        check(1_000, TEXT, &[]);
        check(30, "intro\n\n# A\n\naaaa\n\n# C\n\ncc\n", &["B"]);
        check(20, "intro\n\n# A\n\naaaa\n\n", &["B", "C"]);
        check(3, "int", &["the beginning (its end)", "A", "B", "C"]);
        check(0, "", &["the beginning (its end)", "A", "B", "C"]);
    }

    #[test]
    fn a_title_is_told_masked_and_short() {
        let token = format!("ghp{}", "_9fK2mQ7xLwR4tZ8vB1nC6yD3hJ5sG0aPqWeR");
        let text = format!("intro\n\n# {token}\n\naaaa\n\n# {}\n\nbbbb\n", "long ".repeat(60));
        let (_, left_out) = cut(&Reading::of(&text), 8);
        assert_eq!(left_out.len(), 2);
        assert!(!left_out[0].contains("9fK2mQ7xLwR4") && left_out[0].starts_with("ghp_"), "{left_out:?}");
        assert!(left_out[1].chars().count() <= LONGEST_TITLE);
    }

    proptest! {
        #[test]
        fn nothing_is_longer_than_it_may_be(text in r"(# |> # |- # |x|\n|適| |===\n){0,60}", most in 0..40_usize) {
            let reading = Reading::of(&text);
            let (kept, _) = cut(&reading, most);
            let length: usize = kept.iter().map(|range| text[range.clone()].chars().count()).sum();
            prop_assert!(length <= most);
            prop_assert!(kept.windows(2).all(|pair| pair[0].end <= pair[1].start));
        }
    }
}
