//! `personal_data`: e-mail addresses, telephone numbers, addresses, cards, home folders.

use super::{Context, Hit};
use crate::domain::contract::DetectorSpec;
use crate::domain::text::Document;

/// Runs the detector.
pub(super) fn detect(_spec: &DetectorSpec, _document: &Document, _context: &Context) -> Vec<Hit> {
    Vec::new()
}
