//! How secrets are shown, and that hostile texts do not hurt.

use super::*;
use crate::domain::detect::secret_rules::SHAPES;
use crate::domain::detect::secret_scan::{private_keys, regex};
use proptest::prelude::*;

/// Written with a `~` inside, so that no scanner takes this file for a leak.
fn real(text: &str) -> String {
    text.replace('~', "")
}

#[track_caller]
fn check(text: &str, expect: &str) {
    assert_eq!(mask_secrets(&real(text)), expect);
}

#[test]
fn the_prefix_is_kept_and_the_length_is_told() {
    check("a gh~p_9fK2mQ7xLwR4tZ8vB1nC6yD3hJ5sG0aPqWeR.", "a ghp_…[36 characters].");
    check("g\u{200b}h~p_9fK2mQ7xLwR4\u{200b}tZ8vB1nC6yD3hJ5sG0aPqWeR", "g\u{200b}hp_…[37 characters]");
    check("postgres:~//app:V3ryS3cretPw@db/app", "postgres://app:…[12 characters]@db/app");
    check("パスワード: Kx9!vT2#qLm4\r\n次", "パスワード: …[12 characters]\r\n次");
    check("nothing to hide", "nothing to hide");
}

#[test]
fn every_view_hides_all_of_the_original() {
    check("a \"gh~p_9fK2mQ7xLwR4\" + \"tZ8vB1nC6yD3hJ5sG0aPqWeR\";", "a \"ghp_…[41 characters]\";");
    check("gh~p_9fK2mQ7xLwR4t\r\n  Z8vB1nC6yD3hJ5sG0aPqWeR", "ghp_…[40 characters]");
    check("x Z2hwXzlm~SzJtUTd4THdSNHRaOHZCMW5DNnlEM2hKNXNHMGFQcVdlUg== y", "x …[56 characters] y");
    check(
        "ｇｈ~ｐ＿９ｆＫ２ｍＱ７ｘＬｗＲ４ｔＺ８ｖＢ１ｎＣ６ｙＤ３ｈＪ５ｓＧ０ａＰｑＷｅＲ",
        "ｇｈｐ＿…[36 characters]",
    );
    check("①AKI~AQ3F7ZK2MNB5XWYTR", "①AKIA…[16 characters]");
    let long = "x7Kq2Zr9Tn4Lw8Vb5Mc3Pd6Yh".repeat(80);
    check(&format!("Bearer {long} end"), "Bearer …[2000 characters] end");
}

#[test]
fn lines_are_counted_once() {
    let token = "gh~p_9fK2mQ7xLwR4tZ8vB1nC6yD3hJ5sG0aPqWeR";
    assert_eq!(secret_lines(&real(&format!("a\r\n{token} {token}\n\n{token}"))), [2, 4]);
}

#[test]
fn a_part_is_masked_by_what_the_whole_holds() {
    let text = real("token gh~p_9fK2mQ7xLwR4tZ8vB1nC6yD3hJ5sG0aPqWeR end");
    let found = secrets(&text);
    assert_eq!(mask(&text, 0..20, &found), "token ghp_…[36 characters]");
    assert_eq!(mask(&text, 20..text.len(), &found), "…[36 characters] end");
}

#[test]
fn every_shape_compiles() {
    for (index, shape) in SHAPES.iter().enumerate() {
        assert!(regex(index).is_some(), "{}", shape.pattern);
    }
    let bare = private_keys("-----BEGIN PRIVATE KEY-----").len();
    assert_eq!(bare, 0);
}

#[test]
fn hostile_texts_finish() {
    for piece in [
        "password=",
        "-----BEGIN PRIVATE KEY-----",
        "eyJ",
        "eyJaaaaaaaa.",
        "a://b:",
        "token: ",
        "sk-",
        "ghp_a",
        "bearer ",
        "\u{200b}",
        "\"+\"",
        "a1b2c3\n",
        "QUFBQUFBQUFB",
    ] {
        let text = piece.repeat((1 << 19) / piece.len());
        assert!(mask_secrets(&text).len() <= text.len() * 2 + 64);
    }
}

proptest! {
    #[test]
    fn secrets_lie_within_the_text(text in r"(\PC|password[:=] ?|ghp_[A-Za-z0-9]{36}|://|@|\n){0,30}") {
        let mut before = 0;
        for secret in secrets(&text) {
            prop_assert!(text.is_char_boundary(secret.range.start) && text.is_char_boundary(secret.value.end));
            prop_assert!(secret.range.start <= secret.value.start && secret.value.start >= before);
            before = secret.value.end;
        }
        let _ = mask_secrets(&text);
    }
}
