//! Static patterns, built once, with bounds.

use regex::{Regex, RegexBuilder};
use std::sync::LazyLock;

/// A static pattern; none never happens, see [`patterns`].
pub(super) type Pattern = LazyLock<Option<Regex>>;

/// Largest compiled pattern, in bytes.
const SIZE_LIMIT: usize = 4 << 20;

/// Compiles a pattern; none where it is refused, which a test rules out for every static one.
pub(super) fn build(pattern: &str) -> Option<Regex> {
    // The Unicode word boundary keeps the engine from its fast path on any Japanese text; the ASCII one does not, and
    // it also ends a Latin word where kana or kanji follow.
    // Words and digits of other scripts are never meant either, and their classes make a pattern many times as large.
    let pattern = pattern.replace(r"\b", r"(?-u:\b)").replace(r"\w", "[0-9A-Za-z_]").replace(r"\d", "[0-9]");
    RegexBuilder::new(&pattern).size_limit(SIZE_LIMIT).dfa_size_limit(SIZE_LIMIT).build().ok()
}

/// Defines statics that hold a pattern each: `patterns! { NAME = r"…"; }`. Spaces and line breaks in a pattern mean
/// nothing (`(?x)`), and case does not matter.
macro_rules! patterns {
    ($($(#[$doc:meta])* $name:ident = $pattern:expr;)+) => {
        $($(#[$doc])* static $name: $crate::domain::detect::patterns::Pattern =
            std::sync::LazyLock::new(|| $crate::domain::detect::patterns::build(&format!("(?xi){}", $pattern)));)+

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
