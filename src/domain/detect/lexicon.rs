//! Word lists kept as data: sections in brackets, one entry a line, `#` for comments.
//!
//! An entry may carry marks: `^word` counts at the beginning of a clause only, `word~` only before a particle, a
//! punctuation mark or the end, `=Word` only with these very letters.

use aho_corasick::{AhoCorasick, MatchKind};
use std::ops::Range;

/// A compiled list.
pub(super) struct Lexicon {
    words: Option<AhoCorasick>,
    entries: Vec<Entry>,
}

struct Entry {
    text: String,
    class: String,
    at_clause: bool,
    before_particle: bool,
    exact: bool,
}

/// A word of a list that stands in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word<'l> {
    /// Bytes of the text.
    pub(super) range: Range<usize>,
    /// The section of the list that holds it.
    pub(super) class: &'l str,
}

/// Section of the words that contain a listed word and mean something else.
const FRIENDS: &str = "friends";

impl Lexicon {
    /// Reads a list.
    pub(super) fn parse(data: &str) -> Self {
        let mut entries = Vec::new();
        let mut class = String::new();
        for line in data.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            match line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                Some(name) => name.clone_into(&mut class),
                None => entries.push(Entry::parse(line, &class)),
            }
        }
        Self::of(entries)
    }

    /// A list of plain words that a contract gives.
    pub(super) fn of_words(words: &[String]) -> Self {
        let fold = |word: &String| crate::domain::text::Normalised::of(word.trim()).text().to_owned();
        let plain =
            |text: String| Entry { text, class: String::new(), at_clause: false, before_particle: false, exact: false };
        Self::of(words.iter().map(fold).filter(|word| !word.is_empty()).map(plain).collect())
    }

    fn of(entries: Vec<Entry>) -> Self {
        let words = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::LeftmostLongest)
            .build(entries.iter().map(|entry| &entry.text))
            .ok();
        Self { words, entries }
    }

    /// The listed words in a folded text, in order, without false friends and parts of other words.
    pub(super) fn find<'l>(&'l self, text: &str) -> Vec<Word<'l>> {
        let Some(words) = &self.words else { return Vec::new() };
        words
            .find_iter(text)
            .filter_map(|found| {
                let entry = &self.entries[found.pattern().as_usize()];
                let counts = entry.class != FRIENDS && entry.fits(text, found.start()..found.end());
                counts.then(|| Word { range: found.start()..found.end(), class: &entry.class })
            })
            .collect()
    }
}

impl Entry {
    fn parse(line: &str, class: &str) -> Self {
        let (line, exact) = line.strip_prefix('=').map_or((line, false), |rest| (rest, true));
        let (line, at_clause) = line.strip_prefix('^').map_or((line, false), |rest| (rest, true));
        let (line, before_particle) = line.strip_suffix('~').map_or((line, false), |rest| (rest, true));
        Self { text: line.to_owned(), class: class.to_owned(), at_clause, before_particle, exact }
    }

    fn fits(&self, text: &str, range: Range<usize>) -> bool {
        let before = &text[..range.start];
        let after = &text[range.end..];
        let word = &text[range];
        if self.exact && word != self.text {
            return false;
        }
        if self.at_clause
            && !before.chars().next_back().is_none_or(|c| c.is_whitespace() || "、。,.:;!?()（「・".contains(c))
        {
            return false;
        }
        if self.before_particle && !starts_like_particle(after) {
            return false;
        }
        // One kanji before another is a part of a word: 等高線, 等分.
        if self.before_particle && self.text.chars().nth(1).is_none() && after.starts_with(is_kanji) {
            return false;
        }
        is_whole(before, word, after)
    }
}

/// Whether a Latin word ends where it seems to: not inside `breakfast`, `better-sqlite3` or `fast_mode`.
fn is_whole(before: &str, word: &str, after: &str) -> bool {
    let latin = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let joins = |c: char| matches!(c, '-' | '.' | '/' | '@');
    let mut back = before.chars().rev();
    let mut ahead = after.chars();
    let (b1, b2, a1, a2) = (back.next(), back.next(), ahead.next(), ahead.next());
    let joined = b1 == Some('/') || b1.is_some_and(joins) && b2.is_some_and(latin);
    let open = word.starts_with(latin) && (b1.is_some_and(latin) || joined);
    let close = word.ends_with(latin) && (a1.is_some_and(latin) || a1.is_some_and(joins) && a2.is_some_and(latin));
    !open && !close
}

fn is_kanji(c: char) -> bool {
    matches!(c, '\u{4e00}'..='\u{9fff}')
}

/// Whether a Japanese text goes on with a particle or a mark, so that the word before it has ended.
fn starts_like_particle(after: &str) -> bool {
    const PARTICLES: [&str; 20] = [
        "の",
        "を",
        "に",
        "は",
        "が",
        "で",
        "と",
        "も",
        "へ",
        "や",
        "から",
        "まで",
        "より",
        "だ",
        "です",
        "など",
        "について",
        "により",
        "による",
        "、",
    ];
    let Some(next) = after.chars().next() else { return true };
    let is_mark = !next.is_alphanumeric() && next != 'ー';
    let kanji_or_kana =
        matches!(next, '\u{30a1}'..='\u{30fa}' | '\u{4e00}'..='\u{9fff}') || next.is_ascii_alphanumeric();
    is_mark || kanji_or_kana || PARTICLES.iter().any(|particle| after.starts_with(particle))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &[&str]) {
        let list = Lexicon::parse(
            "# c\n[a]\nfast\nなど~\n^できれば\n高速\n=React\n[friends]\n高速フーリエ変換\nfast-forward\n",
        );
        let found: Vec<_> = list.find(text).into_iter().map(|word| &text[word.range]).collect();
        assert_eq!(found, expect, "{text:?}");
    }

    #[test]
    fn words_are_whole_and_friends_are_none() {
        check("Fast, fast-forward, breakfast, fast-path, fast_mode, fast.", &["Fast", "fast"]);
        check("AなどをBなどえC、など", &["など", "など"]);
        check("できれば速く。確認できれば合格。", &["できれば"]);
        check("高速フーリエ変換と高速な変換", &["高速"]);
        check("React and react", &["React"]);
        check("fast", &["fast"]);
    }
}
