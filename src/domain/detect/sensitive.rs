//! What no comment may repeat: the places of secrets and personal data in a text, and the text without them.

use std::fmt::Write as _;
use std::ops::Range;

/// A secret in a text, or a personal datum ([`super::sensitive()`]): what no comment may repeat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// What it is, such as `GitHub token`.
    pub name: &'static str,
    /// Which of the two.
    pub kind: Kind,
    /// All of it, its known prefix included: bytes of the text.
    pub range: Range<usize>,
    /// What must not be shown.
    pub value: Range<usize>,
}

/// How a value that is hidden is spoken of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `ghp_…[36 characters]`
    Secret,
    /// `[e-mail address, 17 characters]`
    PersonalData,
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
        // Writing to a String never fails.
        let _ = match secret.kind {
            Kind::Secret => write!(out, "…[{length} characters]"),
            Kind::PersonalData => write!(out, "[{}, {length} characters]", secret.name),
        };
        at = secret.value.end.min(part.end);
    }
    out.push_str(&text[at..part.end]);
    out
}

/// Sorted, and what overlaps made one.
pub(super) fn disjoint(mut found: Vec<Secret>) -> Vec<Secret> {
    found.sort_by_key(|secret| (secret.value.start, secret.range.start));
    let mut out: Vec<Secret> = Vec::with_capacity(found.len());
    for secret in found {
        match out.last_mut() {
            Some(last) if secret.value.start < last.value.end => {
                last.value.end = last.value.end.max(secret.value.end);
                last.range.end = last.range.end.max(secret.range.end);
            }
            _ => out.push(secret),
        }
    }
    out
}
