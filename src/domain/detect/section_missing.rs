//! `section_missing`: a heading is not there. A near miss does not count.

use super::{Context, Hit, scope};
use crate::domain::contract::DetectorSpec;
use crate::domain::text::Document;

/// Runs the detector: one hit without a place for each asked heading that no section has.
pub(super) fn detect(spec: &DetectorSpec, document: &Document, context: &Context) -> Vec<Hit> {
    scope::asked(spec, context)
        .into_iter()
        .filter(|name| document.section(scope::names(name, context)).is_none())
        .map(|name| Hit { range: None, note: Some(name.to_owned()) })
        .collect()
}
