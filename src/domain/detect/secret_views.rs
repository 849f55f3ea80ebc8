//! Two views of a text beside the folded one: strings that code or a line's end cuts in two are joined, and Base64 is
//! decoded once.

use super::sensitive::Secret;
use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use std::ops::Range;

/// A stretch of a text with what stands between its pieces left out.
pub(super) struct Joined {
    /// The pieces, one behind the other.
    pub(super) text: String,
    /// Where each byte of it stands.
    from: Vec<usize>,
}

impl Joined {
    /// A secret of the joined text, told in places of the text that it was made of; none where it lies in one piece, which
    /// the text itself shows as well.
    pub(super) fn outside(&self, secret: &Secret) -> Option<Secret> {
        let place = |range: &Range<usize>| {
            let end = self.from[range.end - 1] + 1;
            self.from[range.start]..end
        };
        let (range, value) = (place(&secret.range), place(&secret.value));
        (range.len() > secret.range.len()).then_some(Secret { range, value, name: secret.name, kind: secret.kind })
    }

    fn push(&mut self, view: &str, range: Range<usize>) {
        self.text.push_str(&view[range.clone()]);
        self.from.extend(range);
    }
}

/// Bytes on each side of a joint that are looked at.
const AROUND: usize = 320;

/// Bytes between two pieces: quotation marks, a plus, a line's end and its indentation.
const LONGEST_JOINT: usize = 64;

/// The surroundings of every joint, without the joints. Linear in the text: surroundings that touch are one.
pub(super) fn joined(view: &str) -> Vec<Joined> {
    let joints = joints(view);
    let mut out: Vec<Joined> = Vec::new();
    let mut at = 0;
    while at < joints.len() {
        let first = &joints[at];
        let mut next = at + 1;
        while next < joints.len() && joints[next].start <= joints[next - 1].end + AROUND {
            next += 1;
        }
        let group = &joints[at..next];
        let mut part = Joined { text: String::new(), from: Vec::new() };
        let mut from = floor(view, first.start.saturating_sub(AROUND));
        for joint in group {
            part.push(view, from..joint.start);
            from = joint.end;
        }
        part.push(view, from..floor(view, from + AROUND));
        out.push(part);
        at = next;
    }
    out
}

/// Where code glues two strings, or a line's end stands inside a token.
fn joints(view: &str) -> Vec<Range<usize>> {
    let bytes = view.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let end = match bytes[at] {
            b'"' | b'\'' | b'`' => glue(bytes, at),
            b'\n' | b'\r' => line_end(bytes, at),
            _ => None,
        };
        match end {
            Some(end) => {
                out.push(at..end);
                at = end;
            }
            None => at += 1,
        }
    }
    out
}

/// A quotation mark, what may stand between two strings of code, a quotation mark.
fn glue(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = &bytes[at + 1..bytes.len().min(at + LONGEST_JOINT)];
    let length = rest.iter().position(|byte| !b" \t\r\n+.&\\".contains(byte))?;
    (length > 0 && b"\"'`".contains(&rest[length])).then_some(at + 1 + length + 1)
}

/// A line's end between two pieces that look random.
fn line_end(bytes: &[u8], at: usize) -> Option<usize> {
    let before = bytes[..at].iter().rev().take(80).take_while(|byte| is_token(**byte)).count();
    let rest = &bytes[at..bytes.len().min(at + LONGEST_JOINT)];
    let gap = rest.iter().position(|byte| !b" \t\r\n>".contains(byte))?;
    let after = bytes[at + gap..].iter().take(80).take_while(|byte| is_token(**byte)).count();
    let ends = bytes.get(at + gap + after).is_none_or(|byte| b" \t\r\n`\"'".contains(byte));
    let one_break = rest[..gap].split(|byte| *byte == b'\n').count() <= 2;
    (one_break && ends && is_random(&bytes[at - before..at]) && is_random(&bytes[at + gap..at + gap + after]))
        .then_some(at + gap)
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-".contains(&byte)
}

/// Six characters or more with a figure between letters: no word of a language.
fn is_random(piece: &[u8]) -> bool {
    piece.len() >= 6
        && piece.iter().any(u8::is_ascii_digit)
        && piece.iter().filter(|byte| byte.is_ascii_alphabetic()).count() >= 2
}

/// What a stretch of Base64 says.
pub(super) struct Decoded {
    /// Its text.
    pub(super) text: String,
    /// The stretch.
    pub(super) range: Range<usize>,
}

/// Shortest and longest stretch that is decoded, in bytes.
const STRETCH: Range<usize> = 24..16 * 1024;

/// Every stretch of Base64 that says something in ASCII.
pub(super) fn decoded(view: &str) -> Vec<Decoded> {
    const CODEC: GeneralPurpose = GeneralPurpose::new(
        &STANDARD,
        GeneralPurposeConfig::new()
            .with_decode_padding_mode(DecodePaddingMode::Indifferent)
            .with_decode_allow_trailing_bits(true),
    );
    let bytes = view.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(head) = bytes.get(at..at + STRETCH.start) {
        // No stretch begins at or before a byte that is none of Base64; looked at from behind, most of a text is skipped.
        if let Some(other) = head.iter().rposition(|byte| !is_base64(*byte)) {
            at += other + 1;
            continue;
        }
        let length = bytes[at..].iter().take_while(|byte| is_base64(**byte)).count();
        let padding = bytes[at + length..].iter().take(2).take_while(|byte| **byte == b'=').count();
        let take = length.min(STRETCH.end);
        // A single letter over says nothing.
        let take = take - usize::from(take % 4 == 1);
        let standard: Vec<u8> = bytes[at..at + take]
            .iter()
            .map(|byte| match byte {
                b'-' => b'+',
                b'_' => b'/',
                byte => *byte,
            })
            .collect();
        let shows = |bytes: &[u8]| bytes.iter().all(|byte| (b' '..=b'~').contains(byte) || b"\t\r\n".contains(byte));
        // The first letters decide for nearly all stretches that are no text.
        if CODEC.decode(&standard[..STRETCH.start]).is_ok_and(|head| shows(&head))
            && let Some(text) = CODEC.decode(&standard).ok().filter(|text| shows(text))
            && let Ok(text) = String::from_utf8(text)
        {
            out.push(Decoded { text, range: at..at + length + padding });
        }
        at += length;
    }
    out
}

fn is_base64(byte: u8) -> bool {
    matches!(byte, b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' | b'-' | b'_')
}

fn floor(view: &str, at: usize) -> usize {
    let mut at = at.min(view.len());
    while !view.is_char_boundary(at) {
        at -= 1;
    }
    at
}
