//! `unnumbered`: items of a field that do not begin with `AC-1`, `AC-2` …; the argument is the prefix.

use super::{Context, Hit, scope};
use crate::domain::contract::{Argument, DetectorSpec};
use crate::domain::text::{Document, clip, is_blank_item, numbering};

/// Prefix where the contract names none.
const PREFIX: &str = "AC";

/// Runs the detector. Without `in:` it looks at sections that number at least one of their items.
pub(super) fn detect(spec: &DetectorSpec, document: &Document, context: &Context) -> Vec<Hit> {
    let prefix = match &spec.argument {
        Argument::One(prefix) => prefix.trim_end_matches('-'),
        Argument::List(prefixes) => prefixes.first().map_or(PREFIX, |prefix| prefix.trim_end_matches('-')),
        Argument::None => PREFIX,
    };
    let unasked = spec.within.is_empty();
    let ranges = if unasked {
        document.sections().iter().map(|section| section.own_range.clone()).collect()
    } else {
        scope::ranges(spec, document, context)
    };
    let mut hits = Vec::new();
    for range in ranges {
        let found = numbering(document, &range, prefix);
        if unasked && found.numbered.is_empty() {
            continue;
        }
        for item in found.unnumbered {
            if !is_blank_item(document, item) {
                let note = Some(clip(item.text(), 40).to_owned());
                hits.push(Hit { range: Some(item.range.clone()), note });
            }
        }
    }
    hits
}
