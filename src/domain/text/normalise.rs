//! NFKC without invisible characters and with look-alike letters folded, with a map from every offset back to the original
//! text.

use super::confusable;
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

impl Chunk {
    fn exact(at: usize, source: Range<usize>) -> Self {
        Self { at, source, exact: true }
    }
}

impl Normalised {
    /// Folds a text: NFKC; zero-width, bidi and tag characters are dropped; letters of other scripts that stand for Latin
    /// ones inside a word become those, and kanji that stand for kana inside a word of kana. Linear in the text.
    #[must_use]
    pub fn of(source: &str) -> Self {
        if source.is_ascii() {
            let chunks = if source.is_empty() { Vec::new() } else { vec![Chunk::exact(0, 0..source.len())] };
            return Self { text: source.to_owned(), chunks };
        }
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

    /// Takes off what stands from an offset on.
    fn split_off(&mut self, at: usize) -> Self {
        let mut tail = Self { text: String::new(), chunks: Vec::new() };
        let first = self.chunks.partition_point(|chunk| chunk.at <= at).saturating_sub(1);
        let whole = Self { text: self.text.split_off(at), chunks: self.chunks.split_off(first) };
        for (index, chunk) in whole.chunks.iter().enumerate() {
            let next = whole.chunks.get(index + 1).map_or(at + whole.text.len(), |next| next.at);
            let inside = at.saturating_sub(chunk.at);
            if inside > 0 {
                let source =
                    if chunk.exact { chunk.source.start..chunk.source.start + inside } else { chunk.source.clone() };
                self.chunks.push(Chunk { source, ..chunk.clone() });
            }
            if next > at {
                let source =
                    if chunk.exact { chunk.source.start + inside..chunk.source.end } else { chunk.source.clone() };
                tail.chunks.push(Chunk { at: chunk.at.max(at) - at, source, exact: chunk.exact });
            }
        }
        tail.text = whole.text;
        tail
    }

    /// Appends a range of this folded text, with its way back, to another one of the same source.
    fn copy(&self, range: Range<usize>, out: &mut Self) {
        let first = self.chunks.partition_point(|chunk| chunk.at <= range.start).saturating_sub(1);
        for (index, chunk) in self.chunks.iter().enumerate().skip(first) {
            let next = self.chunks.get(index + 1).map_or(self.text.len(), |next| next.at);
            let (from, to) = (range.start.max(chunk.at), range.end.min(next));
            if from >= to {
                break;
            }
            let source = if chunk.exact {
                chunk.source.start + (from - chunk.at)..chunk.source.start + (to - chunk.at)
            } else {
                chunk.source.clone()
            };
            out.chunks.push(Chunk { at: out.text.len(), source, exact: chunk.exact });
            out.text.push_str(&self.text[from..to]);
        }
    }

    fn chunk(&self, offset: usize) -> Option<&Chunk> {
        let after = self.chunks.partition_point(|chunk| chunk.at <= offset);
        after.checked_sub(1).map(|index| &self.chunks[index])
    }
}

/// Whether a character shows nothing and only hides words: zero width, bidi control, tag, variation selector.
#[must_use]
pub fn is_invisible(c: char) -> bool {
    // Nearly all of a text is ASCII, kana or kanji.
    if matches!(c, '\0'..='\u{7f}' | '\u{3041}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}') {
        return false;
    }
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
    /// Where the first Greek or Cyrillic letter stands of a word that has not ended yet.
    foreign: Option<usize>,
}

impl Builder {
    /// Adds text that stands in the source at `at`, byte for byte.
    pub(super) fn push_exact(&mut self, text: &str, at: usize) {
        let mut rest = 0;
        while rest < text.len() {
            let plain = if self.foreign.is_some() { 0 } else { plain(&text[rest..]) };
            if plain > 0 {
                self.push_plain(&text[rest..rest + plain], at + rest);
                rest += plain;
            } else if let Some(c) = text[rest..].chars().next() {
                self.push_char(c, at + rest..at + rest + c.len_utf8());
                rest += c.len_utf8();
            }
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
        self.settle(self.out.text.len());
        self.out.text.len()
    }

    /// The last character by now.
    pub(super) fn last(&self) -> Option<char> {
        self.pending.chars().next_back().or_else(|| self.out.text.chars().next_back())
    }

    pub(super) fn finish(mut self) -> Normalised {
        self.flush();
        self.settle(self.out.text.len());
        if !self.out.text.is_ascii() {
            confusable::fold_kana(&mut self.out.text);
        }
        self.out
    }

    /// Adds a run of characters that folding keeps and that nothing before them composes with.
    fn push_plain(&mut self, run: &str, at: usize) {
        self.flush();
        if self.foreign.is_some() {
            // A word is open that may need folding once it has ended.
            for (index, c) in run.char_indices() {
                self.push_char(c, at + index..at + index + c.len_utf8());
            }
            return;
        }
        let start = self.out.text.len();
        self.out.text.push_str(run);
        let source = at..at + run.len();
        match self.out.chunks.last_mut() {
            Some(last) if last.exact && last.source.end == source.start => last.source.end = source.end,
            _ => self.out.chunks.push(Chunk { at: start, source, exact: true }),
        }
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
        let mut letters = self.pending.chars();
        if letters.next().is_some_and(is_plain) && letters.next().is_none() {
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
        // A mark that is no letter may have come with one: the word ends between them.
        let added = &self.out.text[at..];
        let letters =
            added.char_indices().find(|(_, c)| !confusable::is_letter(*c)).map_or(added.len(), |(end, _)| end);
        let goes_on = letters == added.len();
        if self.foreign.is_none() && added[..letters].chars().any(confusable::is_foreign) {
            self.foreign = Some(at);
        }
        if !goes_on {
            self.settle(at + letters);
        }
    }

    /// A word ends at `end`: its letters that only look Latin become Latin.
    fn settle(&mut self, end: usize) {
        let Some(foreign) = self.foreign.take() else { return };
        let start = confusable::word_start(&self.out.text, foreign);
        let edits = confusable::latin(&self.out.text[start..end]);
        if edits.is_empty() {
            return;
        }
        let word = self.out.split_off(start);
        let mut at = 0;
        for (place, letter) in edits {
            word.copy(at..place.start, &mut self.out);
            self.out.chunks.push(Chunk { at: self.out.text.len(), source: word.source(place.clone()), exact: false });
            self.out.text.push(letter);
            at = place.end;
        }
        word.copy(at..word.text.len(), &mut self.out);
    }
}

/// How many bytes at the beginning of a text are plain: folding keeps them, and they compose with nothing before them. The
/// last of them may compose with what follows, so it is left out unless the text ends there or goes on in ASCII.
fn plain(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut last, mut at) = (0, 0);
    while at < bytes.len() {
        // Most of a text is ASCII, or kana and kanji of three bytes each.
        let length = match bytes[at] {
            ..0x80 => 1,
            0xe4..=0xe9 if is_kanji(bytes, at) => 3,
            _ => match text[at..].chars().next() {
                Some(c) if is_plain(c) => c.len_utf8(),
                _ => return last,
            },
        };
        last = at;
        at += length;
    }
    last
}

/// Whether three bytes of UTF-8, the first of them from 0xe4 to 0xe9, are one of U+4E00 to U+9FFF.
fn is_kanji(bytes: &[u8], at: usize) -> bool {
    bytes[at] > 0xe4 || bytes[at + 1] >= 0xb8
}

fn is_plain(c: char) -> bool {
    c.is_ascii()
        || matches!(c, '\u{3001}'..='\u{3020}' | '\u{3041}'..='\u{3094}' | '\u{30a1}'..='\u{30fa}' | '\u{30fc}' | '\u{4e00}'..='\u{9fff}')
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
        check("be appropri\u{430}te now", "appropriate", "appropri\u{430}te");
        check("be appropri\u{430}te now", "te now", "te now");
        check("\u{430}pp\u{200b}ropriat\u{435}, x", "appropriate", "\u{430}pp\u{200b}ropriat\u{435}");
        check("ス\u{4e00}ム\u{4e00}ズ", "スーム", "ス\u{4e00}ム");
        check("A\u{1f48}\u{10f46}", "AO", "A\u{1f48}");
    }

    fn folded(source: &str) -> String {
        let text: String = source.chars().filter(|c| !is_invisible(*c)).nfkc().filter(|c| !is_invisible(*c)).collect();
        let mut out = String::new();
        for word in text.split_inclusive(|c| !confusable::is_letter(c)) {
            let letters = word.trim_end_matches(|c| !confusable::is_letter(c));
            let mut at = 0;
            for (place, letter) in confusable::latin(letters) {
                out.push_str(&word[at..place.start]);
                out.push(letter);
                at = place.end;
            }
            out.push_str(&word[at..]);
        }
        confusable::fold_kana(&mut out);
        out
    }

    proptest! {
        #[test]
        fn folding_in_groups_is_folding_at_once(source in r"\PC{0,40}|[か-ごｶｷﾞﾟ\u{3099}\u{309a}\u{301}e\u{323}가-각\u{1100}\u{1161}\u{11a8}\u{200b}]{0,40}|[a-zА-яαοΟа \u{301}µ一ース。]{0,40}") {
            let normalised = Normalised::of(&source);
            prop_assert_eq!(normalised.text(), folded(&source));
        }

        #[test]
        fn the_map_is_monotone_and_on_boundaries(source in r"\PC{0,60}|[a-zА-яαοΟа \u{301}\u{200b}か\u{3099}一ース。]{0,40}") {
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
