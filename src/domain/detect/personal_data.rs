//! `personal_data`: e-mail addresses, telephone numbers, postal addresses, cards, home folders, public IP addresses.
//!
//! The whole text is read, folded: prose, code, quotes and comments. What everybody may see does not count: noreply,
//! examples, test cards, toll-free numbers (`docs/detectors/personal_data.md`).

use super::Hit;
use super::personal_allowed as allowed;
use super::personal_japan::{self as japan, Tell};
use super::secret::secrets_in;
use super::sensitive::{Kind, Secret, disjoint};
use crate::domain::text::{Document, Normalised};
use leakguard::Redactor;
use regex::Regex;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

/// Runs the detector.
pub(super) fn detect(document: &Document) -> Vec<Hit> {
    let found = personal_data(document.source());
    found.into_iter().map(|one| Hit { range: Some(one.range), note: Some(one.name.to_owned()) }).collect()
}

/// Every secret and every personal datum of a text, in order, none overlapping: what no comment may repeat.
#[must_use]
pub fn sensitive(text: &str) -> Vec<Secret> {
    let folded = Normalised::of(text);
    let mut found = secrets_in(text, &folded);
    found.extend(personal_data_in(&folded));
    disjoint(found)
}

/// Every personal datum of a text, in order, none overlapping. Linear in the text.
#[must_use]
pub fn personal_data(text: &str) -> Vec<Secret> {
    personal_data_in(&Normalised::of(text))
}

/// Every personal datum of a text that is folded already.
pub(super) fn personal_data_in(folded: &Normalised) -> Vec<Secret> {
    let view = folded.text();
    let mut found = Vec::new();
    let mut tell = |name: &'static str, range: Range<usize>| {
        let value = folded.source(range);
        found.push(Secret { name, kind: Kind::PersonalData, range: value.clone(), value });
    };
    general(view, &mut tell);
    japan::phones(view, &mut tell);
    japan::addresses(view, &mut tell);
    japan::my_numbers(view, &mut tell);
    homes(view, &mut tell);
    disjoint(found)
}

/// E-mail addresses, cards and IP addresses: the maintained finder proposes, our lists decide.
fn general(view: &str, tell: &mut Tell<'_>) {
    use leakguard::Kind as Found;
    static FINDER: LazyLock<Redactor> =
        LazyLock::new(|| Redactor::only(&[Found::Email, Found::CreditCard, Found::IpV4]));
    if !view.bytes().any(|byte| byte == b'@' || byte.is_ascii_digit()) {
        return;
    }
    for found in FINDER.find(&without_closing_dots(view)) {
        let range = found.start..found.end;
        match found.kind {
            Found::Email => {
                // The finder takes kana and kanji before an address for a part of it.
                let local = view[range.clone()].find('@').map_or(range.end, |at| range.start + at);
                let ascii = view[range.start..local].bytes().rev().take_while(u8::is_ascii).count();
                let range = local - ascii..range.end;
                if allowed::is_address_of_somebody(view, &range) {
                    tell("e-mail address", range);
                }
            }
            Found::CreditCard if allowed::is_card(view, &range) => tell("card number", range),
            Found::IpV4 if allowed::is_public_ip(view, &range) => tell("IP address", range),
            _ => {}
        }
    }
}

/// A full stop that ends a sentence is none of an address's, and the finder takes it for one, and then the address for none.
/// Blanked, byte for byte, so that places stay.
fn without_closing_dots(view: &str) -> Cow<'_, str> {
    let bytes = view.as_bytes();
    let closes = |at: usize| bytes[at] == b'.' && !bytes.get(at + 1).is_some_and(u8::is_ascii_alphanumeric);
    if !(0..bytes.len()).any(closes) {
        return Cow::Borrowed(view);
    }
    Cow::Owned(view.char_indices().map(|(at, c)| if closes(at) { ' ' } else { c }).collect())
}

/// `home/NAME`, `Users/NAME`, `C:\Users\NAME`: the name.
fn homes(view: &str, tell: &mut Tell<'_>) {
    static HOME: LazyLock<Option<Regex>> = LazyLock::new(|| {
        super::patterns::build(
            r"(?:/(?:home|Users)/|[A-Za-z]:[\\/]{1,2}Users[\\/]{1,2})([A-Za-z\p{Han}\p{Hiragana}\p{Katakana}ー][A-Za-z0-9\p{Han}\p{Hiragana}\p{Katakana}ー._\-]{0,31})",
        )
    });
    // Much faster than the expression where nothing is found, as in nearly all texts.
    if !["home/", "Users/", "Users\\"].iter().any(|part| view.contains(part)) {
        return;
    }
    let Some(home) = &*HOME else { return };
    for groups in home.captures_iter(view) {
        let (Some(whole), Some(name)) = (groups.get(0), groups.get(1)) else { continue };
        if allowed::is_home_of_somebody(view, whole.start(), name.as_str()) {
            let length = name.as_str().trim_end_matches(['.', '-']).len();
            tell("name of a home folder", name.start()..name.start() + length);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::detect::mask;
    use proptest::prelude::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let text = text.replace('~', "");
        assert_eq!(mask(&text, 0..text.len(), &sensitive(&text)), expect);
    }

    #[test]
    fn values_are_replaced_by_their_kind_and_length() {
        check("連絡先は ta~ro@kobo-mail.jp です", "連絡先は [e-mail address, 17 characters] です");
        check("Ask ta~ro@kobo-mail.jp. Then wait...", "Ask [e-mail address, 17 characters]. Then wait...");
        check("see 93.184.~216.34.", "see [IP address, 13 characters].");
        check("TEL: 03-64~28-7193。", "TEL: [telephone number, 12 characters]。");
        check("/ho~me/tanaka~-k/x", concat!("/ho", "me/[name of a home folder, 8 characters]/x"));
        check("〒104-00~61 東京都中央区銀座 4-7-3", "[postal address, 9 characters] [postal address, 14 characters]");
        check("pay 4539 5260 1815~ 9083!", "pay [card number, 19 characters]!");
        check(
            "postgres:~//app:V3ryS3cretPw@db.fjordsoft.se/app",
            "postgres://app:…[12 characters]@db.fjordsoft.se/app",
        );
        check("nobody", "nobody");
    }

    #[test]
    fn hostile_texts_finish() {
        for piece in [
            "@",
            "a@b.c",
            "0",
            "090-",
            "+81",
            "(0",
            "〒",
            "東京都",
            "東京都a区",
            concat!("/ho", "me/a"),
            "1.1.",
            "4 ",
            "個人番号 ",
        ] {
            let text = piece.repeat((1 << 19) / piece.len());
            let _ = personal_data(&text);
        }
    }

    proptest! {
        #[test]
        fn places_lie_within_the_text(text in r"(\PC|[a-z]@[a-z]\.jp|0[0-9]{1,3}-[0-9]{2,4}-[0-9]{4}|〒|/(home)/|\n){0,30}") {
            let mut before = 0;
            for one in sensitive(&text) {
                prop_assert!(text.is_char_boundary(one.value.start) && text.is_char_boundary(one.value.end));
                prop_assert!(one.value.start >= before && one.value.start < one.value.end);
                before = one.value.end;
            }
            let _ = mask(&text, 0..text.len(), &sensitive(&text));
        }
    }
}
