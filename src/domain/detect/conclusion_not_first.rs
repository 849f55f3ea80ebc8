//! `conclusion_not_first`: a report whose conclusion does not say in its first sentence what came out.

use super::{Context, Hit};
use crate::domain::contract::DetectorSpec;
use crate::domain::text::Document;

/// Runs the detector.
pub(super) fn detect(_spec: &DetectorSpec, _document: &Document, _context: &Context) -> Vec<Hit> {
    Vec::new()
}
