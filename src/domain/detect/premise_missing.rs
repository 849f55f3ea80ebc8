//! `premise_missing`: something external is needed, and no premise says so.

use super::{Context, Hit};
use crate::domain::contract::DetectorSpec;
use crate::domain::text::Document;

/// Runs the detector.
pub(super) fn detect(_spec: &DetectorSpec, _document: &Document, _context: &Context) -> Vec<Hit> {
    Vec::new()
}
