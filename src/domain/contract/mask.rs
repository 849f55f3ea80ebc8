//! Hides what looks like a secret in a contract's line before a problem shows it; every character keeps its place.

use regex::Regex;
use std::sync::LazyLock;

/// What a value must look like to be hidden. The group `v` is hidden, the rest stays.
static SECRETS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        // `password: x`, `API_KEY = x`
        r#"(?i)(?:password|passwd|passphrase|secret|token|api[_-]?key|private[_-]?key)["']?\s*[:=]\s*["']?(?P<v>[^\s"',}\]]+)"#,
        // `scheme://user:x@host`
        r"[A-Za-z][A-Za-z0-9+.-]*://[^\s:/@]*:(?P<v>[^\s/@]+)@",
        // A long run of letters and digits, as keys, hashes and tokens are.
        r"(?P<v>[A-Za-z0-9_+/=-]{20,})",
    ]
    .iter()
    .filter_map(|pattern| Regex::new(pattern).ok())
    .collect()
});

/// The text with secret-like values as asterisks, character for character.
pub(super) fn mask(text: &str) -> String {
    let mut masked = text.to_owned();
    for pattern in SECRETS.iter() {
        let ranges: Vec<_> = pattern
            .captures_iter(&masked)
            .filter_map(|found| found.name("v"))
            .filter(|value| !is_word(value.as_str()))
            .map(|value| value.range())
            .collect();
        for range in ranges.into_iter().rev() {
            // One asterisk for each character, so that a column still points where it did.
            let stars = "*".repeat(masked[range.clone()].chars().count());
            masked.replace_range(range, &stars);
        }
    }
    masked
}

/// Names such as `max_iterations_per_gate`, which are long but no secret, hold no digit.
fn is_word(value: &str) -> bool {
    value.len() >= 20
        && !(value.contains(|c: char| c.is_ascii_digit()) && value.contains(|c: char| c.is_ascii_alphabetic()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        assert_eq!(mask(text), expect);
        assert_eq!(mask(text).chars().count(), text.chars().count());
    }

    #[test]
    fn secret_like_values_become_asterisks_of_the_same_length() {
        check("password: hunter2 # 価値", "password: ******* # 価値");
        check("  api_key: 'abc'", "  api_key: '***'");
        check("notify: [ghp_0123456789abcdefghij]", "notify: [************************]");
        check("postgres://me:s3cret@db/x", "postgres://me:******@db/x");
    }

    #[test]
    fn words_of_a_contract_stay() {
        for text in [
            "  max_iterations_per_gate: 3",
            "fields: child_issue_required_fields",
            "waiting_level: \"受け入れ条件つきで単独マージ可能な単位。実装方式は未指定\"",
            "id: acceptance-criteria-missing",
        ] {
            check(text, text);
        }
    }
}
