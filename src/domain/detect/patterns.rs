//! Static patterns, built once, with bounds; and which of a file's patterns a text may match at all.

use super::literals::{KELVIN, LONG_S, required};
use aho_corasick::{AhoCorasick, AhoCorasickKind};
use regex::{Regex, RegexBuilder};
use std::ops::Deref;
use std::sync::LazyLock;

/// A static pattern; that it holds none never happens, see [`patterns`].
pub(super) struct Pattern {
    regex: LazyLock<Option<Regex>>,
    source: fn() -> String,
    /// Its place among the patterns of its file.
    place: u32,
}

impl Pattern {
    /// A pattern that is compiled when it is first needed.
    pub(super) const fn new(place: u32, source: fn() -> String, regex: fn() -> Option<Regex>) -> Self {
        Self { regex: LazyLock::new(regex), source, place }
    }
}

impl Deref for Pattern {
    type Target = Option<Regex>;

    fn deref(&self) -> &Option<Regex> {
        &self.regex
    }
}

/// Largest compiled pattern, in bytes.
const SIZE_LIMIT: usize = 4 << 20;

/// Compiles a pattern; none where it is refused, which a test rules out for every static one.
pub(super) fn build(pattern: &str) -> Option<Regex> {
    RegexBuilder::new(&plain(pattern)).size_limit(SIZE_LIMIT).dfa_size_limit(SIZE_LIMIT).build().ok()
}

/// A pattern in classes of ASCII.
fn plain(pattern: &str) -> String {
    // The Unicode word boundary keeps the engine from its fast path on any Japanese text; the ASCII one does not, and
    // it also ends a Latin word where kana or kanji follow.
    // Words and digits of other scripts are never meant either, and their classes make a pattern many times as large.
    pattern.replace(r"\b", r"(?-u:\b)").replace(r"\w", "[0-9A-Za-z_]").replace(r"\d", "[0-9]")
}

/// Defines statics that hold a pattern each: `patterns! { NAME = r"…"; }`. Spaces and line breaks in a pattern mean
/// nothing (`(?x)`), and case does not matter. With `near NEAR;` before them they have a [`Near`] of that name.
macro_rules! patterns {
    (near $near:ident; $($(#[$doc:meta])* $name:ident = $pattern:expr;)+) => {
        /// The patterns of this file.
        static $near: $crate::domain::detect::patterns::Near =
            std::sync::LazyLock::new(|| $crate::domain::detect::patterns::Words::of(&[$(&$name),+]));

        #[cfg(test)]
        #[test]
        fn few_patterns_are_run_on_every_sentence() {
            let always = [$(stringify!($name)),+].into_iter().enumerate().filter(|(place, _)| $near.always >> place & 1 == 1);
            let always: Vec<&str> = always.map(|(_, name)| name).collect();
            assert!(always.len() <= 2, "{always:?}");
        }

        patterns! { $($(#[$doc])* $name = $pattern;)+ }
    };
    ($($(#[$doc:meta])* $name:ident = $pattern:expr;)+) => {
        /// The order of the patterns of this file.
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "named as the statics")]
        enum PatternPlace { $($name),+ }

        $($(#[$doc])* static $name: $crate::domain::detect::patterns::Pattern = {
            fn source() -> String {
                format!("(?xi){}", $pattern)
            }
            $crate::domain::detect::patterns::Pattern::new(
                PatternPlace::$name as u32,
                source,
                || $crate::domain::detect::patterns::build(&source()),
            )
        };)+

        #[cfg(test)]
        #[test]
        fn every_pattern_compiles() {
            $(assert!($name.is_some(), "{}", stringify!($name));)+
        }
    };
}
pub(super) use patterns;

/// Whether a static pattern stands in a text.
pub(super) fn is_in(pattern: &Pattern, text: &str) -> bool {
    pattern.as_ref().is_some_and(|regex| regex.is_match(text))
}

/// The words of a file's patterns, read when they are first needed.
pub(super) type Near = LazyLock<Words>;

/// The words that the patterns of a file need, one of each pattern's in all that it matches.
pub(super) struct Words {
    finder: Option<AhoCorasick>,
    /// For each word the patterns that need it, by place.
    patterns: Vec<u64>,
    /// Patterns that need none, and those beyond the first 64: they are run on every sentence.
    pub(super) always: u64,
}

impl Words {
    /// Of all patterns of one file, in their order.
    pub(super) fn of(patterns: &[&Pattern]) -> Self {
        let mut words: Vec<(String, u64)> = vec![(LONG_S.to_string(), !0), (KELVIN.to_string(), !0)];
        let mut always = 0;
        for pattern in patterns {
            let bit = bit(pattern);
            match required(&plain(&(pattern.source)())) {
                Some(needed) if pattern.place < LAST => words.extend(needed.into_iter().map(|word| (word, bit))),
                _ => always |= bit,
            }
        }
        words.sort_unstable();
        words.dedup_by(|next, word| {
            let same = next.0 == word.0;
            word.1 |= if same { next.1 } else { 0 };
            same
        });
        let finder = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .kind(Some(AhoCorasickKind::DFA))
            .build(words.iter().map(|(word, _)| word))
            .ok();
        Self { finder, patterns: words.into_iter().map(|(_, bits)| bits).collect(), always }
    }

    /// Looks once for the words of all patterns.
    pub(super) fn search<'t>(&self, text: &'t str) -> Searched<'t> {
        let mut found = self.always;
        match &self.finder {
            Some(finder) => {
                for word in finder.find_overlapping_iter(text) {
                    found |= self.patterns[word.pattern().as_usize()];
                }
            }
            None => found = !0,
        }
        Searched { text, found }
    }
}

/// The place of the last pattern that has a bit of its own, and one.
const LAST: u32 = 63;

fn bit(pattern: &Pattern) -> u64 {
    1 << pattern.place.min(LAST)
}

/// A text in which the words of a file's patterns were looked for.
#[derive(Clone, Copy)]
pub(super) struct Searched<'t> {
    text: &'t str,
    found: u64,
}

impl<'t> Searched<'t> {
    /// The text.
    pub(super) fn text(&self) -> &'t str {
        self.text
    }

    /// The same for this text with some of it blanked: what is left stood there before.
    pub(super) fn of<'b>(&self, blanked: &'b str) -> Searched<'b> {
        Searched { text: blanked, found: self.found }
    }

    /// Whether a pattern of the file stands in the text.
    pub(super) fn holds(&self, pattern: &Pattern) -> bool {
        self.found & bit(pattern) != 0 && is_in(pattern, self.text)
    }

    /// A pattern of the file, unless it cannot stand in the text.
    pub(super) fn may(&self, pattern: &'static Pattern) -> Option<&'static Regex> {
        if self.found & bit(pattern) == 0 { None } else { pattern.as_ref() }
    }

    /// Where a pattern of the file first stands in the text.
    pub(super) fn find(&self, pattern: &'static Pattern) -> Option<regex::Match<'t>> {
        self.may(pattern)?.find(self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    patterns! {
        near NEAR;
        ONE = r"測 [りる] | \b seconds? \b";
        OTHER = r"\d \s* (?: kg | ＫＧ | 個 )";
        ANY = r"[a-z]* x?";
    }

    #[track_caller]
    fn check(text: &str, expect: [bool; 3]) {
        let searched = NEAR.search(text);
        assert_eq!([&ONE, &OTHER, &ANY].map(|pattern| searched.may(pattern).is_some()), expect, "{text:?}");
    }

    #[test]
    fn only_patterns_whose_words_stand_there_are_run() {
        check("", [false, false, true]);
        check("測らない", [false, false, true]);
        check("測る", [true, false, true]);
        check("12 SECONDS", [true, false, true]);
        check("3 KG", [false, true, true]);
        check("3 \u{212a}g", [true, true, true]);
        assert!(NEAR.search("3 \u{212a}g").holds(&OTHER));
    }

    proptest! {
        #[test]
        fn no_match_is_lost(text in r"(測|り|る|SECond|ſecond|s| |[0-9]|kg|\u{212a}g|ＫＧ|個|\PC){0,12}") {
            let searched = NEAR.search(&text);
            for pattern in [&ONE, &OTHER, &ANY] {
                prop_assert_eq!(searched.holds(pattern), is_in(pattern, &text));
            }
        }
    }
}
