//! Which parts of an item's text are no plain prose: quotations and bare URLs, beside the code that the parser found.

use super::document::{Span, SpanKind};
use std::ops::Range;

/// Adds quotations and bare URLs to the spans of code and alternative text; merges and sorts them.
pub(super) fn complete(text: &str, mut spans: Vec<Span>) -> Vec<Span> {
    let taken: Vec<_> = spans.iter().map(|span| span.range.clone()).collect();
    let urls = urls(text, &taken);
    let quotations = quotations(text, &taken);
    spans.extend(urls.into_iter().map(|range| Span { range, kind: SpanKind::Url }));
    spans.extend(quotations.into_iter().map(|range| Span { range, kind: SpanKind::Quotation }));
    spans.sort_by_key(|span| (span.range.start, span.range.end));
    flatten(spans)
}

/// Cuts overlaps, so that ends rise with starts: what lies inside another span ends it and takes its place.
fn flatten(spans: Vec<Span>) -> Vec<Span> {
    let mut out: Vec<Span> = Vec::with_capacity(spans.len());
    let mut open: Vec<Span> = Vec::new();
    let mut at = 0;
    let mut emit = |range: Range<usize>, kind: SpanKind| {
        if range.start < range.end {
            out.push(Span { range, kind });
        }
    };
    for span in spans {
        while let Some(top) = open.last().filter(|top| top.range.end <= span.range.start).cloned() {
            emit(at.max(top.range.start)..top.range.end, top.kind);
            at = at.max(top.range.end);
            open.pop();
        }
        if let Some(top) = open.last() {
            emit(at.max(top.range.start)..span.range.start, top.kind);
        }
        at = at.max(span.range.start);
        open.push(span);
    }
    while let Some(top) = open.pop() {
        emit(at.max(top.range.start)..top.range.end, top.kind);
        at = at.max(top.range.end);
    }
    out
}

/// Walks over the taken ranges in step with a rising offset.
struct Taken<'a> {
    ranges: &'a [Range<usize>],
}

impl Taken<'_> {
    fn holds(&mut self, offset: usize) -> bool {
        while self.ranges.first().is_some_and(|range| range.end <= offset) {
            self.ranges = &self.ranges[1..];
        }
        self.ranges.first().is_some_and(|range| range.start <= offset)
    }
}

fn urls(text: &str, taken: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut taken = Taken { ranges: taken };
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find("://") {
        let colon = at + found;
        let scheme = text[at..colon].bytes().rev().take(12).take_while(u8::is_ascii_alphanumeric).count();
        let start = colon - scheme;
        let end = text[colon + 3..].find(is_url_end).map_or(text.len(), |length| colon + 3 + length);
        if scheme >= 2 && end > colon + 3 && !taken.holds(start) {
            out.push(start..end);
        }
        at = end;
    }
    out
}

fn is_url_end(c: char) -> bool {
    c.is_whitespace() || "<>\"`|「」『』、。()".contains(c)
}

/// Closed pairs of quotation marks, the outermost of each.
fn quotations(text: &str, taken: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut taken = Taken { ranges: taken };
    let mut pairs: Vec<Range<usize>> = Vec::new();
    let mut open: Vec<(char, usize)> = Vec::new();
    let mut straight = None;
    for (at, c) in text.char_indices() {
        if !is_mark(c) || taken.holds(at) {
            continue;
        }
        let end = at + c.len_utf8();
        if let Some(close) = closing(c) {
            open.push((close, at));
        } else if c == '"' {
            straight = match straight {
                None => Some(at),
                Some(start) => {
                    pairs.push(start..end);
                    None
                }
            };
        } else if let Some(index) = open.iter().rev().take(8).position(|(close, _)| *close == c) {
            // Inner marks that never closed are dropped with the pair around them.
            let start = open[open.len() - 1 - index].1;
            open.truncate(open.len() - 1 - index);
            pairs.push(start..end);
        }
    }
    pairs.sort_by_key(|pair| (pair.start, std::cmp::Reverse(pair.end)));
    let mut out: Vec<Range<usize>> = Vec::new();
    for pair in pairs {
        match out.last_mut() {
            Some(last) if pair.start < last.end => last.end = last.end.max(pair.end),
            _ => out.push(pair),
        }
    }
    out
}

fn is_mark(c: char) -> bool {
    matches!(c, '"' | '「' | '」' | '『' | '』' | '“' | '”' | '„' | '«' | '»' | '〝' | '〟')
}

fn closing(c: char) -> Option<char> {
    Some(match c {
        '「' => '」',
        '『' => '』',
        '“' | '„' => '”',
        '«' => '»',
        '〝' => '〟',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, code: &[Range<usize>], expect: &[(&str, SpanKind)]) {
        let code = code.iter().map(|range| Span { range: range.clone(), kind: SpanKind::Code }).collect();
        let spans = complete(text, code);
        let found: Vec<_> = spans.iter().map(|span| (&text[span.range.clone()], span.kind)).collect();
        assert_eq!(found, expect, "{text:?}");
        assert!(spans.windows(2).all(|two| two[0].range.end <= two[1].range.start), "{spans:?}");
    }

    #[test]
    #[allow(clippy::single_range_in_vec_init)]
    fn quotations_and_urls_are_found() {
        use SpanKind::{Code, Quotation, Url};
        check("「a「b」c」と『d』", &[], &[("「a「b」c」", Quotation), ("『d』", Quotation)]);
        check("say \"yes\" or “no”", &[], &[("\"yes\"", Quotation), ("“no”", Quotation)]);
        check("an odd \" mark 」", &[], &[]);
        check("「「「never closed", &[], &[]);
        check("see https://a.example/x、b", &[], &[("https://a.example/x", Url)]);
        check("「https://a.example」", &[], &[("「", Quotation), ("https://a.example", Url), ("」", Quotation)]);
        check("x \"b` y", &[2..4], &[("\"b", Code)]);
    }
}
