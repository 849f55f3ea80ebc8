//! How many tokens a text is, without a tokeniser of any provider.

/// An estimate that is rather too high: a token for each 3.5 characters of ASCII, and one for each other character.
/// Providers count differently; what was really used stands in the receipt.
#[must_use]
pub fn estimated_tokens(text: &str) -> usize {
    let ascii = text.bytes().filter(u8::is_ascii).count();
    let other = text.chars().filter(|c| !c.is_ascii()).count();
    (ascii * 2).div_ceil(7) + other
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_and_kanji_are_counted_apart() {
        assert_eq!(estimated_tokens(""), 0);
        assert_eq!(estimated_tokens("The list shows twenty orders."), 9);
        assert_eq!(estimated_tokens("一覧に注文を出す"), 8);
    }
}
