//! Texts without what differs from run to run: ids, times, hashes and the port of a stand-in become numbered names, so that
//! what refers to what stays to be seen.

#![allow(dead_code, reason = "each test program uses its part of it")]
#![allow(clippy::unwrap_used, reason = "part of test programs")]

use regex::{Captures, Regex};
use std::collections::BTreeMap;
use std::sync::LazyLock;

static CHANGING: LazyLock<Regex> = LazyLock::new(|| {
    let parts = [
        "(?<id>[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})",
        r"(?<hash>\b[0-9a-f]{64}\b|\b[0-9a-f]{40}\b)",
        r"(?<time>[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z)",
        r"(?<host>http://127\.0\.0\.1:[0-9]+)",
    ];
    Regex::new(&parts.join("|")).unwrap()
});

/// The text with `id-1`, `hash-1` and so on, in the order of their first appearance.
pub fn plain(text: &str) -> String {
    let mut names = BTreeMap::<String, String>::new();
    let (mut ids, mut hashes) = (0, 0);
    let name = |found: &Captures| {
        let whole = found[0].to_owned();
        if found.name("time").is_some() {
            return "TIME".to_owned();
        }
        if found.name("host").is_some() {
            return "https://github.example".to_owned();
        }
        let (kind, count) = if found.name("id").is_some() { ("id", &mut ids) } else { ("hash", &mut hashes) };
        let known = names.entry(whole).or_insert_with(|| {
            *count += 1;
            format!("{kind}-{count}")
        });
        known.clone()
    };
    CHANGING.replace_all(text, name).into_owned()
}

/// A comment as a person reads it: of the record only that it stands there.
pub fn printed(comment: &str) -> String {
    let Some((before, rest)) = comment.split_once("```json\n") else { return comment.to_owned() };
    let Some((_, after)) = rest.split_once("\n```") else { return comment.to_owned() };
    format!("{before}```json\n(the record)\n```{after}")
}

/// Compares with a golden file; `UPDATE_GOLDEN=1` writes it anew.
pub fn golden(name: &str, text: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let expect = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert!(text == expect, "{name} differs; UPDATE_GOLDEN=1 writes it anew:\n{text}");
}
