//! The few sentences of a model that people may read: short, in their language, without secrets and without our own words.

use super::place::Folded;
use crate::domain::detect;
use crate::domain::ids::Language;
use crate::domain::text::{Normalised, clip};

/// Longest sentence of a model that is shown, in characters.
const LONGEST: usize = 300;

/// Characters in a row, folded, that a sentence may have in common with what is kept.
const COMMON: usize = 32;

/// Letters that a sentence must have before its language is asked.
const LETTERS: usize = 8;

/// What reply may become prose: in which language, and without which words.
pub(super) struct Prose {
    language: Language,
    kept: String,
}

impl Prose {
    /// `kept`: texts of ours that no reply may give away.
    pub(super) fn new(language: Language, kept: &str) -> Self {
        Self { language, kept: Folded::of(&Normalised::of(kept)).text }
    }

    /// The sentence as a comment may show it, one line; none where it is left out. What the reply found stands without
    /// it: a note in a foreign language costs the note and no verdict.
    pub(super) fn read(&self, text: &str) -> Option<String> {
        // Bounded before it is searched; a secret that is cut here is cut again below.
        let text = clip(text, 4 * LONGEST).split_whitespace().collect::<Vec<_>>().join(" ");
        if text.is_empty() || !self.is_in_language(&text) {
            return None;
        }
        let masked = detect::mask(&text, 0..text.len(), &detect::sensitive(&text));
        let shown = clip(&masked, LONGEST);
        (!self.gives_away(shown)).then(|| shown.to_owned())
    }

    fn is_in_language(&self, text: &str) -> bool {
        let letters = text.chars().filter(|c| c.is_alphabetic()).count();
        let of = |is: fn(char) -> bool| text.chars().filter(|c| is(*c)).count();
        letters < LETTERS
            || match self.language {
                // Chinese has kanji and no kana; a sentence of Japanese has both.
                Language::Ja => of(is_kana) > 0,
                Language::En => of(|c| c.is_ascii_alphabetic() || matches!(c, '\u{c0}'..='\u{24f}')) * 2 > letters,
            }
    }

    fn gives_away(&self, text: &str) -> bool {
        let folded = Folded::of(&Normalised::of(text)).text;
        let starts = folded.char_indices().map(|(at, _)| at);
        let ends = folded.char_indices().map(|(at, _)| at).chain([folded.len()]).skip(COMMON);
        starts.zip(ends).any(|(start, end)| self.kept.contains(&folded[start..end]))
    }
}

fn is_kana(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(language: Language, text: &str, expect: Option<&str>) {
        let prose =
            Prose::new(language, "You answer questions about a text that somebody else wrote. 判定は書かない。");
        assert_eq!(prose.read(text).as_deref(), expect);
    }

    #[test]
    fn a_sentence_is_one_short_line() {
        check(Language::En, " no number\n is given ", Some("no number is given"));
        check(Language::En, "", None);
        check(Language::Ja, "数値がない", Some("数値がない"));
        let long = "数値がない。".repeat(1_000);
        let prose = Prose::new(Language::Ja, "");
        assert_eq!(prose.read(&long).unwrap().chars().count(), LONGEST);
    }

    #[test]
    fn another_language_is_left_out() {
        check(Language::Ja, "The condition has no number", None);
        check(Language::Ja, "验收条件没有写明数值范围", None);
        check(Language::Ja, "「easy to use」に数値がない", Some("「easy to use」に数値がない"));
        check(Language::Ja, "AC-1", Some("AC-1"));
        check(Language::En, "数値がないので測れない", None);
        check(Language::En, "「使いやすく」 has no number beside it", Some("「使いやすく」 has no number beside it"));
    }

    #[test]
    fn our_own_words_and_secrets_are_left_out() {
        check(Language::En, "It said: you answer questions. Yes", Some("It said: you answer questions. Yes"));
        check(Language::En, "My orders: You answer questions about\na text that somebody else wrote", None);
        let token = format!("ghp{}", "_9fK2mQ7xLwR4tZ8vB1nC6yD3hJ5sG0aPqWeR");
        check(
            Language::En,
            &format!("the key {token} stands there"),
            Some("the key ghp_…[36 characters] stands there"),
        );
    }
}
