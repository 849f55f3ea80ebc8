//! NFKC without invisible characters, with a map from every offset back to the original text.

use std::iter::once;
use std::ops::Range;
use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// A folded text and the way back to where each part of it came from.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Normalised {
    text: String,
    chunks: Vec<Chunk>,
}

/// A stretch of the folded text, from `at` to the next chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Chunk {
    at: usize,
    source: Range<usize>,
    /// Byte for byte as in the source; else the stretch stands for its source as a whole.
    exact: bool,
}

impl Normalised {
    /// Folds a text: NFKC; zero-width, bidi and tag characters are dropped. Linear in the text.
    #[must_use]
    pub fn of(source: &str) -> Self {
        let mut builder = Builder::default();
        builder.push_exact(source, 0);
        builder.finish()
    }

    /// The folded text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where a byte range of the folded text stands in the source. Ranges on character boundaries give ranges on
    /// character boundaries; a range that touches a composed or expanded character gives all of its source.
    #[must_use]
    pub fn source(&self, range: Range<usize>) -> Range<usize> {
        let start = match self.chunk(range.start) {
            Some(chunk) if chunk.exact => (chunk.source.start + range.start - chunk.at).min(chunk.source.end),
            Some(chunk) => chunk.source.start,
            None => 0,
        };
        if range.end <= range.start {
            return start..start;
        }
        let end = match self.chunk(range.end - 1) {
            Some(chunk) if chunk.exact => (chunk.source.start + range.end - chunk.at).min(chunk.source.end),
            Some(chunk) => chunk.source.end,
            None => start,
        };
        start..end.max(start)
    }

    fn chunk(&self, offset: usize) -> Option<&Chunk> {
        let after = self.chunks.partition_point(|chunk| chunk.at <= offset);
        after.checked_sub(1).map(|index| &self.chunks[index])
    }
}

/// Whether a character shows nothing and only hides words: zero width, bidi control, tag, variation selector.
#[must_use]
pub fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Builds a [`Normalised`] out of pieces in the order of their source.
#[derive(Default)]
pub(super) struct Builder {
    out: Normalised,
    pending: String,
    pending_source: Range<usize>,
}

impl Builder {
    /// Adds text that stands in the source at `at`, byte for byte.
    pub(super) fn push_exact(&mut self, text: &str, at: usize) {
        for (index, c) in text.char_indices() {
            self.push_char(c, at + index..at + index + c.len_utf8());
        }
    }

    /// Adds text that stands for all of `source`, such as a character for its entity.
    pub(super) fn push_atom(&mut self, text: &str, source: &Range<usize>) {
        for c in text.chars() {
            self.push_char(c, source.clone());
        }
    }

    /// How long the folded text is by now.
    pub(super) fn len(&mut self) -> usize {
        self.flush();
        self.out.text.len()
    }

    /// The last character by now.
    pub(super) fn last(&self) -> Option<char> {
        self.pending.chars().next_back().or_else(|| self.out.text.chars().next_back())
    }

    pub(super) fn finish(mut self) -> Normalised {
        self.flush();
        self.out
    }

    fn push_char(&mut self, c: char, source: Range<usize>) {
        if is_invisible(c) {
            return;
        }
        if starts_group(c) {
            self.flush();
        }
        if self.pending.is_empty() {
            self.pending_source = source;
        } else {
            self.pending_source.end = self.pending_source.end.max(source.end);
        }
        self.pending.push(c);
    }

    /// Folds the characters that may compose with each other.
    fn flush(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        let source = self.pending_source.clone();
        let same_length = source.len() == self.pending.len();
        let at = self.out.text.len();
        if self.pending.len() == 1 {
            self.out.text.push_str(&self.pending);
        } else {
            self.out.text.extend(self.pending.nfkc().filter(|c| !is_invisible(*c)));
        }
        let exact = same_length && self.out.text[at..] == self.pending;
        self.pending.clear();
        if self.out.text.len() == at {
            return;
        }
        match self.out.chunks.last_mut() {
            Some(last) if exact && last.exact && last.source.end == source.start => last.source.end = source.end,
            _ => self.out.chunks.push(Chunk { at, source, exact }),
        }
    }
}

/// Whether nothing before this character can compose with it.
fn starts_group(c: char) -> bool {
    if c.is_ascii() {
        return true;
    }
    match is_nfkc_quick(once(c)) {
        IsNormalized::Yes => canonical_combining_class(c) == 0,
        IsNormalized::Maybe => false,
        IsNormalized::No => once(c).nfkd().next().is_none_or(|first| {
            canonical_combining_class(first) == 0 && is_nfkc_quick(once(first)) != IsNormalized::Maybe
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(source: &str, needle: &str, expect: &str) {
        let folded = Normalised::of(source);
        let at = folded.text().find(needle).unwrap_or_else(|| panic!("{needle:?} not in {:?}", folded.text()));
        assert_eq!(&source[folded.source(at..at + needle.len())], expect);
    }

    #[test]
    fn ranges_lead_back_to_the_original() {
        check("plain text", "text", "text");
        check("通知が適\u{200b}切に出る", "適切に", "適\u{200b}切に");
        check("ＡＣ－１：使う", "AC-1:", "ＡＣ－１：");
        check("ｽﾑｰｽﾞに", "スムーズ", "ｽﾑｰｽﾞ");
        check("か\u{3099}き", "が", "か\u{3099}");
        check("か\u{200b}\u{3099}き", "がき", "か\u{200b}\u{3099}き");
        check("㍻と㌔", "平成", "㍻");
        check("㍻と㌔", "キロ", "㌔");
        check("画面\u{e0041}\u{e0042}を", "画面を", "画面\u{e0041}\u{e0042}を");
        check("\u{202e}abc\u{202c}def", "cd", "c\u{202c}d");
    }

    fn folded(source: &str) -> String {
        source.chars().filter(|c| !is_invisible(*c)).nfkc().filter(|c| !is_invisible(*c)).collect()
    }

    proptest! {
        #[test]
        fn folding_in_groups_is_folding_at_once(source in r"\PC{0,40}|[か-ごｶｷﾞﾟ\u{3099}\u{309a}\u{301}e\u{323}가-각\u{1100}\u{1161}\u{11a8}\u{200b}]{0,40}") {
            let normalised = Normalised::of(&source);
            prop_assert_eq!(normalised.text(), folded(&source));
        }

        #[test]
        fn the_map_is_monotone_and_on_boundaries(source in any::<String>()) {
            let folded = Normalised::of(&source);
            let mut before = 0..0;
            for (at, c) in folded.text().char_indices() {
                let range = folded.source(at..at + c.len_utf8());
                prop_assert!(range.start <= range.end && range.end <= source.len());
                prop_assert!(range.start >= before.start && range.end >= before.end);
                prop_assert!(source.is_char_boundary(range.start) && source.is_char_boundary(range.end));
                before = range;
            }
            let all = folded.source(0..folded.text().len());
            prop_assert!(all.end <= source.len());
        }
    }
}
