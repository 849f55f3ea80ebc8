//! `secret`: tokens, keys and passwords. Finds them for the criterion, and hides them wherever text is shown.
//!
//! Known prefixes count by their shape; a value behind a name such as `token` counts when it looks random.
//! Documented examples, placeholders, UUIDs and commit hashes do not count (`docs/detectors.md#secret`).

use super::Hit;
use super::secret_rules::{Check, DOCUMENTED, FILLERS, SHAPES};
use crate::domain::text::{Document, Lines, Normalised};
use aho_corasick::AhoCorasick;
use regex::Regex;
use std::fmt::Write as _;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

/// A secret in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// What it is, such as `GitHub token`.
    pub name: &'static str,
    /// All of it, its known prefix included: bytes of the text.
    pub range: Range<usize>,
    /// What must not be shown.
    pub value: Range<usize>,
}

/// Runs the detector.
pub(super) fn detect(document: &Document) -> Vec<Hit> {
    let found = secrets(document.source());
    found.into_iter().map(|secret| Hit { range: Some(secret.range), note: Some(secret.name.to_owned()) }).collect()
}

/// Shows a text without its secrets: `ghp_…[36 characters]`.
#[must_use]
pub fn mask_secrets(text: &str) -> String {
    mask(text, 0..text.len(), &secrets(text))
}

/// Shows a part of a text without the secrets that were found in all of it.
#[must_use]
pub fn mask(text: &str, part: Range<usize>, secrets: &[Secret]) -> String {
    let mut out = String::new();
    let mut at = part.start;
    let from = secrets.partition_point(|secret| secret.value.end <= part.start);
    for secret in secrets[from..].iter().take_while(|secret| secret.value.start < part.end) {
        let start = secret.value.start.max(at);
        out.push_str(&text[at..start]);
        let length = text[secret.value.clone()].chars().count();
        let _ = write!(out, "…[{length} characters]");
        at = secret.value.end.min(part.end);
    }
    out.push_str(&text[at..part.end]);
    out
}

/// The lines, from 1, on which secrets begin.
#[must_use]
pub fn secret_lines(text: &str) -> Vec<u32> {
    let lines = Lines::of(text);
    let mut found: Vec<_> = secrets(text).into_iter().map(|secret| lines.line_of(secret.range.start)).collect();
    found.dedup();
    found
}

/// Every secret of a text, in order, none overlapping. Look-alike and invisible characters are folded first.
#[must_use]
pub fn secrets(text: &str) -> Vec<Secret> {
    let folded = Normalised::of(text);
    let view = folded.text();
    let mut found = private_keys(view);
    for index in present(view) {
        let shape = &SHAPES[index];
        let Some(regex) = regex(index) else { continue };
        for groups in regex.captures_iter(view) {
            let (Some(whole), Some(value)) = (groups.get(0), groups.get(1)) else { continue };
            let value = value.start()..value.start() + value.as_str().trim_end_matches(['.', ',', ':', '!', '?']).len();
            if is_real(shape.check, &view[whole.start()..value.start], &view[value.clone()]) {
                found.push(Secret { name: shape.name, range: whole.start()..value.end, value });
            }
        }
    }
    found.sort_by_key(|secret| (secret.value.start, secret.range.start));
    let mut out: Vec<Secret> = Vec::new();
    for secret in found {
        match out.last_mut() {
            Some(last) if secret.value.start < last.value.end => {
                last.value.end = last.value.end.max(secret.value.end);
                last.range.end = last.range.end.max(secret.range.end);
            }
            _ => out.push(secret),
        }
    }
    for secret in &mut out {
        secret.range = folded.source(secret.range.clone());
        secret.value = folded.source(secret.value.clone());
    }
    out
}

/// Shapes of which a keyword stands in the text: the others need no look.
fn present(text: &str) -> Vec<usize> {
    static KEYWORDS: LazyLock<(Option<AhoCorasick>, Vec<usize>)> = LazyLock::new(|| {
        let words =
            SHAPES.iter().enumerate().flat_map(|(index, shape)| shape.keywords.iter().map(move |k| (*k, index)));
        let (words, shapes): (Vec<_>, Vec<_>) = words.unzip();
        (AhoCorasick::builder().ascii_case_insensitive(true).build(words).ok(), shapes)
    });
    let (Some(keywords), shapes) = &*KEYWORDS else { return (0..SHAPES.len()).collect() };
    let mut seen = vec![false; SHAPES.len()];
    for found in keywords.find_overlapping_iter(text) {
        seen[shapes[found.pattern().as_usize()]] = true;
    }
    (0..SHAPES.len()).filter(|index| seen[*index]).collect()
}

/// A shape's regex, compiled when it is first needed.
fn regex(index: usize) -> Option<&'static Regex> {
    static COMPILED: [OnceLock<Option<Regex>>; SHAPES.len()] = [const { OnceLock::new() }; SHAPES.len()];
    COMPILED[index].get_or_init(|| super::patterns::build(SHAPES[index].pattern)).as_ref()
}

/// Longest private key block that is read, in bytes.
const LONGEST_BLOCK: usize = 16 * 1024;

/// `-----BEGIN … PRIVATE KEY-----` with what follows it, to its end line or as far as it looks like one.
fn private_keys(text: &str) -> Vec<Secret> {
    static BEGIN: LazyLock<Option<Regex>> =
        LazyLock::new(|| super::patterns::build(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"));
    let Some(begin) = &*BEGIN else { return Vec::new() };
    let mut out = Vec::new();
    let mut after = 0;
    for found in begin.find_iter(text) {
        if found.start() < after {
            continue;
        }
        let mut limit = (found.end() + LONGEST_BLOCK).min(text.len());
        while !text.is_char_boundary(limit) {
            limit -= 1;
        }
        let rest = &text[found.end()..limit];
        let length = match rest.find("-----END") {
            Some(end) => end,
            None => {
                rest.find(|c: char| !(c.is_ascii_alphanumeric() || "+/=\\ \r\n>:,-".contains(c))).unwrap_or(rest.len())
            }
        };
        let body = rest[..length].trim_end();
        if body.chars().filter(char::is_ascii_alphanumeric).count() < 32 {
            continue;
        }
        let value = found.end()..found.end() + body.len();
        after = value.end;
        out.push(Secret { name: "private key", range: found.start()..value.end, value });
    }
    out
}

/// Tells a secret from an example of one.
fn is_real(check: Check, before: &str, value: &str) -> bool {
    if DOCUMENTED.iter().any(|known| value.contains(known)) || is_filler(value) {
        return false;
    }
    let count = |test: fn(&char) -> bool| value.chars().filter(test).count();
    let digits = count(char::is_ascii_digit);
    let letters = count(char::is_ascii_alphabetic);
    match check {
        Check::Token => entropy(value) >= 2.5 && !(before.ends_with("sk-") && (digits < 2 || is_words(value))),
        Check::Password if before.contains("://") => {
            let user = before.rsplit_once("://").map_or("", |(_, user)| user.trim_end_matches(':'));
            !(value.eq_ignore_ascii_case(user) || WEAK.iter().any(|weak| value.eq_ignore_ascii_case(weak)))
        }
        Check::Password => {
            let symbols = count(|c| "!@#$%^&*+/=~?-_".contains(*c));
            letters > 0 && (digits > 0 || symbols > 0 && !is_words(value)) && !is_reference(value) && !is_words(value)
        }
        Check::Assigned => {
            digits >= 2
                && letters >= 4
                && entropy(value) >= 3.0
                && !is_uuid(value)
                && !is_reference(value)
                && !is_words(value)
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

/// Code or a path that only names where the value is.
fn is_reference(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    [
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
    ]
    .iter()
    .any(|start| lower.starts_with(start))
        || lower.contains("::")
}

fn is_uuid(value: &str) -> bool {
    let groups: Vec<_> = value.split('-').collect();
    groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
        && groups.iter().all(|group| group.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// Shannon entropy in bits a character.
#[allow(clippy::cast_precision_loss)] // values are short
fn entropy(value: &str) -> f64 {
    let mut counts = [0_usize; 256];
    for byte in value.bytes() {
        counts[usize::from(byte)] += 1;
    }
    let length = value.len() as f64;
    counts.iter().filter(|count| **count > 0).map(|count| *count as f64 / length).map(|p| -p * p.log2()).sum()
}

#[cfg(test)]
#[path = "secret_tests.rs"]
mod tests;
