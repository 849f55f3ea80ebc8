//! Ids made of text: the same words give the same id, wherever they stand in the file.

use sha1::{Digest, Sha1};
use unicode_normalization::UnicodeNormalization;

/// Characters that a slug may have at most.
const MAX_SLUG: usize = 60;

/// The id of a text: letters, digits, kana and kanji kept, lower-cased, joined by `-`, at most 60 characters.
///
/// A text of nothing but signs has no such id; it gets `signal-` and a part of its hash.
#[must_use]
pub fn slug(text: &str) -> String {
    let mut slug = String::new();
    let mut length = 0;
    let mut gap = false;
    for c in text.nfkc().flat_map(char::to_lowercase).nfkc() {
        if !c.is_alphanumeric() {
            gap = true;
            continue;
        }
        if gap && length > 0 {
            if length + 2 > MAX_SLUG {
                break;
            }
            slug.push('-');
            length += 1;
        }
        gap = false;
        if length + 1 > MAX_SLUG {
            break;
        }
        slug.push(c);
        length += 1;
    }
    if slug.is_empty() {
        let hash = hex::encode(Sha1::digest(text.as_bytes()));
        return format!("signal-{}", &hash[..8]);
    }
    slug
}

/// The text as two wordings are compared: NFKC, white space folded to single spaces.
pub(super) fn fold(text: &str) -> String {
    let text: String = text.nfkc().collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A heading as two headings are compared (chapter 3): NFKC, trimmed, trailing colons and `#`s dropped.
pub(super) fn heading(text: &str) -> String {
    fold(text).trim_end_matches([':', '#', ' ']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, expect: &str) {
        assert_eq!(slug(text), expect);
    }

    #[test]
    fn letters_digits_kana_and_kanji_stay() {
        check("Vague words (as appropriate)", "vague-words-as-appropriate");
        check("曖昧語(適切に・柔軟に等)", "曖昧語-適切に-柔軟に等");
        check("ﾃｽﾄ が ない", "テスト-が-ない");
        check("  --AC-1: 無い!  ", "ac-1-無い");
        check("ユーザー", "ユーザー");
        check("!?", "signal-97ad1aff");
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(slug(&"あ".repeat(100)).chars().count(), 60);
        assert_eq!(slug(&"ab ".repeat(100)), format!("{}ab", "ab-".repeat(19)));
    }

    #[test]
    fn headings_compare_without_trailing_marks() {
        assert_eq!(heading("予算（コスト上限）："), "予算(コスト上限)");
        assert_eq!(heading("Purpose ##"), "Purpose");
    }

    proptest! {
        #[test]
        fn a_slug_is_never_empty_nor_long_and_is_its_own_slug(text in ".*") {
            let once = slug(&text);
            prop_assert!(!once.is_empty());
            prop_assert!(once.chars().count() <= MAX_SLUG);
            prop_assert!(!once.starts_with('-') && !once.ends_with('-'));
            prop_assert_eq!(slug(&once), once);
        }
    }
}
