//! The item of prose that the parser is reading: its words, and which of them are code.

use super::document::{ItemKind, ListPosition, Span, SpanKind};
use super::normalise::Builder;
use std::ops::Range;

/// What is known of it so far.
pub(super) struct Leaf {
    pub(super) kind: ItemKind,
    pub(super) range: Range<usize>,
    pub(super) list: Option<ListPosition>,
    pub(super) builder: Builder,
    /// The text as it stands, for headings.
    pub(super) raw: String,
    pub(super) spans: Vec<Span>,
    /// Where a span began that is still open.
    pub(super) open: Option<(usize, SpanKind)>,
    /// A line break in the source that may or may not show.
    pub(super) soft_break: Option<Range<usize>>,
}

impl Leaf {
    pub(super) fn new(kind: ItemKind, range: Range<usize>, list: Option<ListPosition>) -> Self {
        Self {
            kind,
            range,
            list,
            builder: Builder::default(),
            raw: String::new(),
            spans: Vec::new(),
            open: None,
            soft_break: None,
        }
    }

    /// A line break between Japanese characters shows nothing; anywhere else it is a space.
    pub(super) fn settle_break(&mut self, next: &str) {
        let Some(range) = self.soft_break.take() else { return };
        let wide = |c: Option<char>| c.is_some_and(|c| matches!(c, '\u{3000}'..='\u{9fff}' | '\u{ff00}'..='\u{ffef}'));
        if !(wide(self.builder.last()) && wide(next.chars().next())) {
            self.builder.push_atom(" ", &range);
        }
        self.raw.push(' ');
    }

    /// A tag breaks the line, or begins or ends code.
    pub(super) fn tag(&mut self, name: &str, range: &Range<usize>) {
        match name.trim_start_matches('/') {
            "br" | "p" | "div" | "li" | "ul" | "ol" | "tr" | "td" | "th" | "summary" | "details" | "h1" | "h2"
            | "h3" | "h4" | "h5" | "h6" => self.builder.push_atom("\n", range),
            "code" | "pre" | "kbd" | "samp" => {
                if name.starts_with('/') {
                    self.end_span();
                } else if self.open.is_none() {
                    self.open = Some((self.builder.len(), SpanKind::Code));
                }
            }
            _ => {}
        }
    }

    pub(super) fn end_span(&mut self) {
        if let Some((start, kind)) = self.open.take() {
            let end = self.builder.len();
            if start < end {
                self.spans.push(Span { range: start..end, kind });
            }
        }
    }
}
