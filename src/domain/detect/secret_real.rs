//! Tells a secret from what only looks like one: documented examples, placeholders, references, identifiers, hashes.

use super::secret_rules::{Check, DOCUMENTED, FILLERS, HARMLESS_NAMES};

/// Whether a value is one. `context` stands before the match, `before` in it before the value.
pub(super) fn is_real(check: Check, context: &str, before: &str, value: &str) -> bool {
    if DOCUMENTED.iter().any(|known| value.contains(known)) || is_filler(value) {
        return false;
    }
    let count = |test: fn(&char) -> bool| value.chars().filter(test).count();
    let digits = count(char::is_ascii_digit);
    let letters = count(char::is_ascii_alphabetic);
    match check {
        Check::Token => entropy(value) >= 2.5 && !(before.ends_with("sk-") && (digits < 2 || is_words(value))),
        Check::Url => {
            let user = before.rsplit_once("://").map_or("", |(_, user)| user.trim_end_matches(':'));
            !(value.eq_ignore_ascii_case(user) || WEAK.iter().any(|weak| value.eq_ignore_ascii_case(weak)))
        }
        Check::Password => {
            let symbols = count(|c| "!@#$%^&*+/=~?-_".contains(*c));
            letters > 0 && (digits > 0 || symbols > 0) && !is_reference(value) && !is_words(value)
        }
        Check::Assigned => {
            digits >= 2
                && letters >= 4
                && entropy(value) >= 3.0
                && !is_uuid(value)
                && !is_reference(value)
                && !is_words(value)
                && !has_harmless_name(context, before)
        }
    }
}

/// Passwords of development set-ups and documentation.
const WEAK: [&str; 12] =
    ["pass", "password", "passwd", "pw", "pwd", "secret", "postgres", "root", "admin", "test", "guest", "user"];

/// Whether fillers make up a third of the value or more; one inside a long random value hides nothing.
fn is_filler(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    if lower.starts_with(['$', '<', '{', '%']) || lower.bytes().all(|b| Some(b) == lower.bytes().next()) {
        return true;
    }
    let filled: usize = FILLERS.iter().filter(|word| lower.contains(*word)).map(|word| word.len()).sum();
    filled * 3 >= lower.len()
}

/// Words and small numbers joined by marks: an identifier, not a random value.
fn is_words(value: &str) -> bool {
    let parts: Vec<_> = value.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty()).collect();
    let plain = |part: &&str| {
        let digits = part.bytes().filter(u8::is_ascii_digit).count();
        digits == 0 && part.len() <= 14 || digits == part.len() && digits <= 4
    };
    !parts.is_empty() && parts.iter().all(plain)
}

/// Code or a path that only names where the value is, or a hash.
fn is_reference(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    REFERENCES.iter().any(|start| lower.starts_with(start))
        || lower.contains("::")
        || lower.contains("${")
        || lower.contains("$(")
}

const REFERENCES: [&str; 22] = [
    "process.",
    "os.",
    "env.",
    "env:",
    "config.",
    "settings.",
    "secrets.",
    "self.",
    "this.",
    "vars.",
    "http://",
    "https://",
    "/",
    "./",
    "~/",
    "-",
    "file:",
    "sha1",
    "sha256",
    "sha384",
    "sha512",
    "md5",
];

/// Whether the name, of which the match may be the end, speaks of something that anybody may see.
fn has_harmless_name(context: &str, before: &str) -> bool {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_-. ".contains(c);
    let start =
        context.rfind(|c| !is_name(c)).map_or(0, |at| at + context[at..].chars().next().map_or(1, char::len_utf8));
    let name = format!("{}{before}", &context[start..]).to_ascii_lowercase();
    HARMLESS_NAMES.iter().any(|harmless| name.contains(harmless))
}

fn is_uuid(value: &str) -> bool {
    let groups: Vec<_> = value.split('-').collect();
    groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
        && groups.iter().all(|group| group.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// Shannon entropy in bits a character.
#[expect(clippy::cast_precision_loss, reason = "values are short")]
fn entropy(value: &str) -> f64 {
    let mut counts = [0_usize; 256];
    for byte in value.bytes() {
        counts[usize::from(byte)] += 1;
    }
    let length = value.len() as f64;
    counts.iter().filter(|count| **count > 0).map(|count| *count as f64 / length).map(|p| -p * p.log2()).sum()
}
