//! `secret`: tokens, keys and passwords. Finds them for the criterion, and hides them wherever text is shown.
//!
//! A text is read in four views: as it stands, folded (NFKC, nothing invisible), with code that glues strings joined, and
//! Base64 decoded once. Whatever a view shows leads back to the bytes of the original (`docs/detectors/secret.md`).

use super::Hit;
use super::secret_scan::scan;
use super::secret_views::{decoded, joined};
use crate::domain::text::{Document, Lines, Normalised};
use std::fmt::Write as _;
use std::ops::Range;

/// A secret in a text, or a personal datum ([`super::sensitive`]): what no comment may repeat.
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

/// The lines, from 1, on which secrets begin.
#[must_use]
pub fn secret_lines(text: &str) -> Vec<u32> {
    let lines = Lines::of(text);
    let mut found: Vec<_> = secrets(text).into_iter().map(|secret| lines.line_of(secret.range.start)).collect();
    found.dedup();
    found
}

/// Every secret of a text, in order, none overlapping. Linear in the text.
#[must_use]
pub fn secrets(text: &str) -> Vec<Secret> {
    let folded = Normalised::of(text);
    let view = folded.text();
    let mut found = scan(view);
    for part in joined(view) {
        found.extend(scan(&part.text).into_iter().filter_map(|secret| part.outside(secret)));
    }
    for part in decoded(view) {
        if let Some(first) = scan(&part.text).into_iter().next() {
            found.push(Secret { range: part.range.clone(), value: part.range, ..first });
        }
    }
    for secret in &mut found {
        secret.range = folded.source(secret.range.clone());
        secret.value = folded.source(secret.value.clone());
    }
    // Folding may glue to a token what stands beside it; the text as it stands shows that one.
    if view != text {
        found.extend(scan(text));
    }
    disjoint(found)
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

#[cfg(test)]
#[path = "secret_tests.rs"]
mod tests;
