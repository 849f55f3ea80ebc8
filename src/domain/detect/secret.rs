//! `secret`: tokens, keys and passwords. Finds them for the criterion, and hides them wherever text is shown.
//!
//! A text is read in four views: as it stands, folded (NFKC, nothing invisible), with code that glues strings joined, and
//! Base64 decoded once. Whatever a view shows leads back to the bytes of the original (`docs/detectors/secret.md`).

use super::Hit;
use super::secret_scan::scan;
use super::secret_views::{decoded, joined};
use super::sensitive::{Secret, disjoint, mask};
use crate::domain::text::{Document, Lines, Normalised};

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
    secrets_in(text, &Normalised::of(text))
}

/// Every secret of a text that is folded already.
pub(super) fn secrets_in(text: &str, folded: &Normalised) -> Vec<Secret> {
    let view = folded.text();
    let mut found = scan(view);
    for part in joined(view) {
        found.extend(scan(&part.text).into_iter().filter_map(|secret| part.outside(&secret)));
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

#[cfg(test)]
#[path = "secret_tests.rs"]
mod tests;
