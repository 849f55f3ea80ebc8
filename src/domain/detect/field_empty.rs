//! `field_empty`: a heading is there and nothing stands under it.

use super::{Context, Hit, scope};
use crate::domain::contract::DetectorSpec;
use crate::domain::text::{Document, is_empty_section};

/// Runs the detector: one hit for each asked heading whose every section is empty.
pub(super) fn detect(spec: &DetectorSpec, document: &Document, context: &Context) -> Vec<Hit> {
    let mut hits = Vec::new();
    for name in scope::asked(spec, context) {
        let mut sections = document.sections_named(scope::names(name, context)).peekable();
        let first = sections.peek().map(|section| section.title_range.clone());
        if first.is_some() && sections.all(|section| is_empty_section(document, section)) {
            hits.push(Hit { range: first, note: Some(name.to_owned()) });
        }
    }
    hits
}
