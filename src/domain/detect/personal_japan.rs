//! Personal data as it is written in Japan: telephone numbers, postal addresses, My Number.

use super::patterns::patterns;
use std::ops::Range;

/// How a finder tells its kind and place.
pub(super) type Tell<'a> = dyn FnMut(&'static str, Range<usize>) + 'a;

patterns! {
    /// `03-6428-7193`, `(06) 6345-2817`, `090 1234 5678`, `+81-90-1234-5678`, and mobile numbers without a mark.
    PHONE = r"
        (?: \+81 [\ \-]? (?:\(0\)|0)? [1-9]\d{0,3} | \(0\d{1,4}\) | 0\d{1,4} )
        [\ \-−‐–(]{1,2} \d{1,4} [\ \-−‐–)]{1,2} \d{3,4}
        | 0[789]0\d{8}";
    /// `〒104-0061`
    POSTCODE = r"〒 \ ? \d{3} [\-−‐]? \d{4}";
    /// A prefecture, a town and a block.
    ADDRESS = r"
        (?: 東京都 | 北海道 | (?:京都|大阪)府 | (?: 青森|岩手|宮城|秋田|山形|福島|茨城|栃木|群馬|埼玉|千葉|神奈川|新潟|富山|石川|福井|山梨
        |長野|岐阜|静岡|愛知|三重|滋賀|兵庫|奈良|和歌山|鳥取|島根|岡山|広島|山口|徳島|香川|愛媛|高知|福岡|佐賀|長崎|熊本|大分|宮崎|鹿児島
        |沖縄 )県 )
        \ ? [^\s、。,|\d]{1,12} [市区町村] (?: [^\s、。,|\d] | \ | \d{1,2}条 ){0,16}
        (?: (?:\d{1,3}|[一二三四五六七八九十]{1,3})丁目 (?: \d{1,4} (?:番地?|号|[\-−‐]) ){0,3} \d{0,4} | \d{1,4} (?:[\-−‐]\d{1,4}){1,3} | \d{1,4}番地? (?:\d{1,4}号?)? )";
    /// The number behind its name.
    MY_NUMBER = r"(?: マイナンバー | 個人番号 | my\ ?number ) \D{0,16} (\d{4}[\ \-]?\d{4}[\ \-]?\d{4})";
}

/// Telephone numbers of people.
pub(super) fn phones(view: &str, tell: &mut Tell<'_>) {
    let Some(phone) = PHONE.as_ref() else { return };
    for found in phone.find_iter(view) {
        if stands_alone(view, &found.range()) && is_phone(found.as_str()) {
            tell("telephone number", found.range());
        }
    }
}

/// Whether no letter, figure or mark of an identifier touches a number.
pub(super) fn stands_alone(view: &str, range: &Range<usize>) -> bool {
    let joins = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-./#".contains(byte);
    let bytes = view.as_bytes();
    let before = range.start.checked_sub(1).and_then(|at| bytes.get(at));
    let after = bytes.get(range.end);
    let goes_on = |byte: &u8| {
        byte.is_ascii_alphanumeric()
            || *byte == b'_'
            || b"-.".contains(byte) && bytes.get(range.end + 1).is_some_and(u8::is_ascii_digit)
    };
    !before.is_some_and(joins) && !after.is_some_and(goes_on)
}

/// Ten figures, or eleven for mobile numbers; not a service's number and no made-up one.
fn is_phone(text: &str) -> bool {
    let mut digits: String = text.chars().filter(char::is_ascii_digit).collect();
    if text.starts_with('+') {
        digits.replace_range(0..2, "");
        if !digits.starts_with('0') {
            digits.insert(0, '0');
        }
    }
    let mobile = ["050", "060", "070", "080", "090"].iter().any(|start| digits.starts_with(start));
    let service = ["0120", "0800", "0570", "0990", "00"].iter().any(|start| digits.starts_with(start));
    let tail = &digits[digits.len().saturating_sub(8)..];
    let made_up = "0123456789".contains(&digits)
        || ["12345678", "23456789", "11112222", "00001111", "01234567"].contains(&tail)
        || tail.bytes().all(|byte| Some(byte) == tail.bytes().next());
    digits.len() == if mobile { 11 } else { 10 } && !service && !made_up
}

/// Postcodes and addresses down to the block.
pub(super) fn addresses(view: &str, tell: &mut Tell<'_>) {
    let (Some(postcode), Some(address)) = (POSTCODE.as_ref(), ADDRESS.as_ref()) else { return };
    for found in postcode.find_iter(view) {
        let digits: String = found.as_str().chars().filter(char::is_ascii_digit).collect();
        let made_up = digits == "1234567" || digits.bytes().all(|byte| Some(byte) == digits.bytes().next());
        if !made_up && !view[found.end()..].starts_with(|c: char| c.is_ascii_digit()) {
            tell("postal address", found.range());
        }
    }
    for found in address.find_iter(view) {
        tell("postal address", found.range());
    }
}

/// Twelve figures behind the name, the last of which fits the others.
pub(super) fn my_numbers(view: &str, tell: &mut Tell<'_>) {
    let Some(number) = MY_NUMBER.as_ref() else { return };
    for groups in number.captures_iter(view) {
        let Some(found) = groups.get(1) else { continue };
        let digits: Vec<u32> = found.as_str().chars().filter_map(|c| c.to_digit(10)).collect();
        if stands_alone(view, &found.range()) && has_check_digit(&digits) {
            tell("My Number", found.range());
        }
    }
}

/// The check digit of the ordinance on My Number: weights 2 to 7, then 2 to 6, from the right.
fn has_check_digit(digits: &[u32]) -> bool {
    let Some((check, rest)) = digits.split_last() else { return false };
    let weights = (2..=7).chain(2..=6);
    let sum: u32 = rest.iter().rev().zip(weights).map(|(digit, weight)| digit * weight).sum();
    let expect = if sum % 11 <= 1 { 0 } else { 11 - sum % 11 };
    digits.len() == 12 && *check == expect
}
