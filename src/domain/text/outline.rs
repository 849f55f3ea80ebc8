//! Headings become sections; lines that were meant as headings are found.

use super::document::{NearMiss, Section};
use super::heading::heading_key;
use std::ops::Range;

/// A heading that counts.
pub(super) struct Heading {
    pub(super) level: u8,
    pub(super) title: String,
    pub(super) range: Range<usize>,
}

/// Gives each heading what stands under it.
pub(super) fn sections(headings: Vec<Heading>, length: usize) -> Vec<Section> {
    let starts: Vec<_> = headings.iter().map(|heading| heading.range.start).skip(1).chain([length]).collect();
    let mut out: Vec<Section> = Vec::with_capacity(headings.len());
    let mut open: Vec<usize> = Vec::new();
    for (heading, next) in headings.into_iter().zip(starts) {
        while let Some(index) = open.pop_if(|index| out[*index].level >= heading.level) {
            out[index].range.end = heading.range.start.max(out[index].range.start);
        }
        open.push(out.len());
        out.push(Section {
            level: heading.level,
            key: heading_key(&heading.title),
            title: heading.title,
            range: heading.range.end..length,
            own_range: heading.range.end..next.max(heading.range.end),
            title_range: heading.range,
        });
    }
    out
}

/// A paragraph whose first line was meant as a heading.
pub(super) fn heading_like(source: &str, range: &Range<usize>) -> Option<NearMiss> {
    let line = source[range.clone()].lines().next()?;
    let line = line.trim_end();
    let bare = line.trim_start_matches(['#', '＃', '■', '●', '◆', '▼', '□', '【']);
    let title = if bare.len() < line.len() {
        bare.trim_end_matches('】')
    } else if let Some(bold) = line.strip_prefix("**").or_else(|| line.strip_prefix("__")) {
        let bold = bold.trim_end_matches([':', '：']);
        bold.strip_suffix("**").or_else(|| bold.strip_suffix("__"))?
    } else {
        line.strip_suffix([':', '：'])?
    };
    let title = title.trim();
    let short = !title.is_empty() && title.chars().nth(80).is_none();
    short.then(|| NearMiss { title: title.to_owned(), range: range.start..range.start + line.len() })
}
