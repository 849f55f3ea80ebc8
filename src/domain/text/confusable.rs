//! Letters that look like others: Cyrillic and Greek ones for Latin ones, kanji for kana. A word that mixes them evades the
//! eye or the detector, so it is folded; a word of another script stays what it is.

use std::ops::Range;
use std::sync::LazyLock;
use unicode_security::skeleton;

/// A letter of a script that writes words like Latin (Latin, Greek, Cyrillic), or a mark upon one.
pub(super) fn is_letter(c: char) -> bool {
    c.is_ascii_alphabetic()
        || ('\u{300}'..='\u{36f}').contains(&c)
        || matches!(c, '\u{c0}'..='\u{24f}' if c.is_alphabetic())
        || is_foreign(c)
}

/// Whether a Greek or Cyrillic letter can stand in a text at all: the first byte of each is one of these in UTF-8.
pub(super) fn may_hold_foreign(text: &str) -> bool {
    text.bytes().any(|byte| matches!(byte, 0xcd..=0xd4 | 0xe1))
}

/// A Greek or Cyrillic letter.
pub(super) fn is_foreign(c: char) -> bool {
    // The letters that are written most need no look into a table.
    if matches!(c, '\u{391}'..='\u{3a1}' | '\u{3a3}'..='\u{3ce}' | '\u{400}'..='\u{481}' | '\u{48a}'..='\u{52f}') {
        return true;
    }
    matches!(c, '\u{370}'..='\u{52f}' | '\u{1c80}'..='\u{1c8f}' | '\u{1f00}'..='\u{1fff}') && c.is_alphabetic()
}

/// Longest word that is looked into, in bytes. What is longer is none, and a text that is one word would be walked through
/// again and again.
const LONGEST_WORD: usize = 256;

/// Where the word begins that a byte offset lies in; of a word that is too long, a place that makes it too long as well.
pub(super) fn word_start(text: &str, at: usize) -> usize {
    // Letters have three bytes at most.
    let near = |start: usize| at - start <= LONGEST_WORD + 3;
    let letters = text[..at].char_indices().rev().take_while(|(start, c)| near(*start) && is_letter(*c));
    letters.last().map_or(at, |(start, _)| start)
}

/// Letters of a word that stand for Latin ones, by byte range of the word. Empty where the word is what it seems: all
/// Latin, of another script, or a sign of science beside Latin letters, such as `µs` or `TNFα`; and where it is too long for one.
pub(super) fn latin(word: &str) -> Vec<(Range<usize>, char)> {
    if word.len() > LONGEST_WORD {
        return Vec::new();
    }
    let latin = word.chars().filter(char::is_ascii_alphabetic).count();
    let mut edits = Vec::new();
    for (at, c) in word.char_indices().filter(|(_, c)| is_foreign(*c)) {
        let Some(letter) = look_alike(c) else { return Vec::new() };
        edits.push((at..at + c.len_utf8(), letter));
    }
    let greek = |(range, _): &(Range<usize>, char)| word[range.clone()].chars().all(|c| c < '\u{400}');
    let at_an_end = |(range, _): &(Range<usize>, char)| range.start == 0 || range.end == word.len();
    let science = edits.iter().all(greek) && edits.iter().all(at_an_end);
    if edits.is_empty() || latin == 0 || science { Vec::new() } else { edits }
}

/// The Latin letter that a Greek or Cyrillic one looks like.
fn look_alike(c: char) -> Option<char> {
    /// Greek and Cyrillic, without their extensions.
    const BLOCKS: Range<u32> = 0x370..0x530;
    static TABLE: LazyLock<Vec<Option<char>>> =
        LazyLock::new(|| BLOCKS.map(|code| char::from_u32(code).and_then(look_up)).collect());
    match usize::try_from(u32::from(c) - BLOCKS.start.min(u32::from(c))) {
        Ok(index) if BLOCKS.contains(&u32::from(c)) => TABLE[index],
        _ => look_up(c),
    }
}

fn look_up(c: char) -> Option<char> {
    // The table of Unicode takes capital I for small l, and says nothing of small capitals.
    let own = match c {
        'І' | 'Ӏ' | 'Ι' => 'I',
        'к' | 'κ' => 'k',
        'т' | 'τ' => 't',
        'м' => 'm',
        'в' => 'b',
        'н' => 'h',
        'К' | 'Κ' => 'K',
        _ => '\0',
    };
    if own != '\0' {
        return Some(own);
    }
    let mut text = [0; 4];
    let mut letters = skeleton(c.encode_utf8(&mut text)).filter(|c| !('\u{300}'..='\u{36f}').contains(c));
    let first = letters.next().filter(char::is_ascii_alphabetic)?;
    letters.next().is_none().then_some(first)
}

/// Kanji that look like kana, and the kana.
const KANA: [(char, char); 8] =
    [('一', 'ー'), ('口', 'ロ'), ('力', 'カ'), ('二', 'ニ'), ('工', 'エ'), ('卜', 'ト'), ('夕', 'タ'), ('八', 'ハ')];

/// Puts kana in the place of kanji that stand between two katakana. All of them are three bytes long, so no place moves.
pub(super) fn fold_kana(text: &mut String) {
    let bytes = text.as_bytes();
    let katakana = |at: usize| matches!(bytes.get(at..at + 2), Some([0xe3, 0x82 | 0x83]));
    let mut places = Vec::new();
    let mut at = 3;
    while at + 5 < bytes.len() {
        if matches!(bytes[at], 0xe4 | 0xe5) && katakana(at - 3) && katakana(at + 3) {
            let found = KANA.iter().find(|(kanji, _)| bytes[at..at + 3] == *kanji.encode_utf8(&mut [0; 4]).as_bytes());
            places.extend(found.map(|(_, kana)| (at, *kana)));
        }
        at += 1;
    }
    for (at, kana) in places {
        text.replace_range(at..at + 3, kana.encode_utf8(&mut [0; 4]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(word: &str, expect: &str) {
        let mut out = String::new();
        let mut at = 0;
        for (range, letter) in latin(word) {
            out.push_str(&word[at..range.start]);
            out.push(letter);
            at = range.end;
        }
        assert_eq!(out + &word[at..], expect, "{word}");
    }

    #[test]
    fn letters_that_only_look_latin_are_folded() {
        check("appropri\u{430}te", "appropriate");
        check("\u{415}asy", "Easy");
        check("fl\u{435}\u{445}ible", "flexible");
        check("qu\u{456}\u{441}k", "quick");
        check("r\u{3bf}bust", "robust");
        check("b\u{3bf}\u{3bf}k", "book");
    }

    #[test]
    fn words_that_are_what_they_seem_stay() {
        for word in
            ["appropriate", "сор", "привет", "αβ", "kΩ", "ΔT", "TNFα", "IFNγ", "μs", "naïve", "αlpha", "Wörter", "жest"]
        {
            check(word, word);
        }
    }

    #[test]
    fn what_is_longer_than_any_word_is_left_as_it_is() {
        let word = |letters: usize| "a".repeat(letters) + "\u{430}b";
        check(&word(LONGEST_WORD - 3), &("a".repeat(LONGEST_WORD - 2) + "b"));
        check(&word(LONGEST_WORD - 2), &word(LONGEST_WORD - 2));
        for letters in [LONGEST_WORD, 10 * LONGEST_WORD] {
            let text = word(letters);
            let start = word_start(&text, text.len() - 3);
            assert!(text.len() - start > LONGEST_WORD && start < text.len());
            assert!(latin(&text[start..]).is_empty());
        }
        assert_eq!(word_start("an open word", 6), 3);
    }

    #[test]
    fn kanji_between_katakana_are_kana() {
        let check = |text: &str, expect: &str| {
            let mut text = text.to_owned();
            fold_kana(&mut text);
            assert_eq!(text, expect);
        };
        check("ス\u{4e00}ムーズ", "スームーズ");
        check("ユ一ザーのプ口グラム", "ユーザーのプログラム");
        check("データ一覧と入力、二つ、一", "データ一覧と入力、二つ、一");
        check("スム一", "スム一");
    }
}
