//! What a text says of all children at once, beside the children.

use super::block::{Masked, Place, block};
use super::names::Names;
use crate::domain::text::Document;
use std::ops::Range;

/// Values that hold for every child: from the stretches outside of the children's.
pub(super) fn common(document: &Document, names: &Names, children: &[Range<usize>]) -> Vec<(usize, String)> {
    let masked = Masked::of(document);
    let mut out: Vec<(usize, String)> = Vec::new();
    let mut at = 0;
    let end = document.source().len();
    for range in children.iter().cloned().chain(std::iter::once(end..end)) {
        if at < range.start {
            add(&mut out, block(document, &masked, &(at..range.start), names, Place::Outside).common);
        }
        at = at.max(range.end);
    }
    out
}

/// Adds values; one that is there already goes on.
pub(super) fn add(all: &mut Vec<(usize, String)>, more: Vec<(usize, String)>) {
    for (field, value) in more {
        match all.iter_mut().find(|(known, _)| *known == field) {
            Some((_, old)) => {
                old.push('\n');
                old.push_str(&value);
            }
            None => all.push((field, value)),
        }
    }
}
