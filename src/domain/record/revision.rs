//! The revision: a digest of exactly what was judged, blind to what a checkbox or an editor changes (chapter 10).

use crate::domain::ids::{GateId, Revision};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::borrow::Cow;

/// One part of what is judged. References are parts, since a changed reference is a changed question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Part {
    /// `title`, `body`, `parent` …: the roles of chapter 10's table.
    pub role: &'static str,
    /// What it is where a role can name several things, such as `#12`; else empty.
    pub id: String,
    /// Its text, as it stands.
    pub text: String,
}

impl Part {
    /// A part of a role that occurs once.
    pub fn new(role: &'static str, text: impl Into<String>) -> Self {
        Self { role, id: String::new(), text: text.into() }
    }

    /// A part with a name.
    pub fn named(role: &'static str, id: impl Into<String>, text: impl Into<String>) -> Self {
        Self { role, id: id.into(), text: text.into() }
    }
}

/// SHA-256 (hex) of the RFC 8785 form of `{"gate": …, "parts": [{"role", "id", "text"}, …]}`.
#[must_use]
pub fn revision(gate: GateId, parts: &[Part]) -> Revision {
    #[derive(Serialize)]
    struct Whole<'a> {
        gate: GateId,
        parts: Vec<Settled<'a>>,
    }
    #[derive(Serialize)]
    struct Settled<'a> {
        role: &'a str,
        id: &'a str,
        text: String,
    }
    let parts = parts.iter().map(|part| Settled { role: part.role, id: &part.id, text: settled(&part.text) }).collect();
    let bytes = super::canonical(&Whole { gate, parts });
    Revision(hex::encode(Sha256::digest(&bytes)))
}

/// The text as it counts: CRLF and CR become LF, white space at line ends is cut, ticked task boxes are open.
/// Nothing else is touched.
#[must_use]
pub fn settled(text: &str) -> String {
    let unix = if text.contains('\r') {
        Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(text)
    };
    let mut out = String::with_capacity(unix.len());
    for (index, line) in unix.split('\n').enumerate() {
        if index > 0 {
            out.push('\n');
        }
        let line = line.trim_end();
        match ticked_box(line) {
            Some(at) => {
                out.push_str(&line[..at]);
                out.push_str("[ ]");
                out.push_str(&line[at + 3..]);
            }
            None => out.push_str(line),
        }
    }
    out
}

/// Where a ticked task box stands in a line: after a list marker, with white space or the line's end behind it.
fn ticked_box(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    let mut at = 0;
    while at < bytes.len() && matches!(bytes[at], b' ' | b'\t' | b'>') {
        at += 1;
    }
    let digits = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let marker = match bytes.get(at + digits) {
        Some(b'-' | b'*' | b'+') if digits == 0 => 1,
        Some(b'.' | b')') if (1..=9).contains(&digits) => digits + 1,
        _ => return None,
    };
    at += marker;
    let gap = bytes[at..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    if gap == 0 {
        return None;
    }
    at += gap;
    let ticked = matches!(bytes.get(at..at + 3), Some(b"[x]" | b"[X]"));
    let closed = bytes.get(at + 3).is_none_or(|byte| matches!(byte, b' ' | b'\t'));
    (ticked && closed).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(body: &str) -> Revision {
        revision(GateId::Start, &[Part::new("title", "t"), Part::new("body", body)])
    }

    #[test]
    fn the_digest_is_of_the_canonical_json() {
        // printf '%s' '{"gate":"start","parts":[{"id":"","role":"title","text":"t"},{"id":"","role":"body","text":"b"}]}' | sha256sum
        assert_eq!(
            of("b").as_str(),
            hex::encode(Sha256::digest(
                br#"{"gate":"start","parts":[{"id":"","role":"title","text":"t"},{"id":"","role":"body","text":"b"}]}"#
            ))
        );
    }

    #[test]
    fn line_ends_trailing_space_and_ticks_do_not_count() {
        let base = of("- [ ] a\n1. [ ] b\n> - [ ] c\n\n```\nx\n```");
        assert_eq!(base, of("- [x] a  \r\n1. [X] b\r\n> - [x] c\r\n\r\n```\rx\t\n```"));
    }

    #[test]
    fn everything_else_counts() {
        let base = of("- [ ] a");
        for other in ["- [ ] b", " - [ ] a", "- [ ]  a", "- a", "- [ ] a\n", "[x] a", "- [x]a"] {
            assert_ne!(base, of(other), "{other}");
        }
        assert_ne!(of("see [x](y)"), of("see [ ](y)"));
        assert_ne!(base, revision(GateId::Acceptance, &[Part::new("title", "t"), Part::new("body", "- [ ] a")]));
    }

    proptest! {
        #[test]
        fn settling_twice_changes_nothing(text in "(?s).{0,200}") {
            let once = settled(&text);
            prop_assert_eq!(settled(&once), once);
        }

        #[test]
        fn line_ends_never_count(lines in proptest::collection::vec("[ -~あ-ん]{0,20}", 0..8)) {
            prop_assert_eq!(of(&lines.join("\n")), of(&lines.join("\r\n")));
        }
    }
}
