//! The plan that a detector of plans looks at.

use super::Context;
use crate::domain::plan::{Plan, PlanField, Read, read_document};
use crate::domain::text::Document;
use std::borrow::Cow;
use std::ops::Range;

/// The plan that is given, else the one whole plan of the document.
pub(super) fn plan<'c>(document: &Document, context: &'c Context) -> Option<Cow<'c, Plan>> {
    if let Some(plan) = &context.plan {
        return Some(Cow::Borrowed(plan));
    }
    let fields: Vec<_> = context
        .fields
        .iter()
        .map(|field| PlanField { name: field.name.clone(), aliases: field.aliases.clone(), numbered: None })
        .collect();
    match read_document(document, &fields, context.language) {
        Read::Plan(plan) => Some(Cow::Owned(*plan)),
        Read::None | Read::Several(_) | Read::Broken(_) => None,
    }
}

/// Where a child stands, if that is a place of this document.
pub(super) fn place(document: &Document, plan: &Plan, child: usize) -> Option<Range<usize>> {
    let range = plan.children.get(child)?.place.clone()?;
    document.source().get(range.clone()).filter(|text| !text.is_empty()).map(|_| range)
}
