//! Markdown events become a [`Document`]: one walk, everything in the order of the text.

use super::document::{
    Cell, Details, Document, Fence, Item, ItemKind, Link, ListPosition, Span, SpanKind, Table, Task,
};
use super::html::{Piece, pieces};
use super::leaf::Leaf;
use super::lines::Lines;
use super::outline::{Heading, heading_like, sections};
use super::quotation;
use super::sentence;
use pulldown_cmark::{CodeBlockKind, Event, LinkType, Options, Parser, Tag, TagEnd};
use std::ops::Range;

impl Document {
    /// Parses a body: GitHub-flavoured tables, task lists and strikethrough. Never fails; linear in the text.
    #[must_use]
    pub fn parse(source: &str) -> Self {
        parse(source)
    }
}

/// Parses a body. Never fails.
fn parse(source: &str) -> Document {
    let options = Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH;
    let mut walk = Walk::new(source);
    for (event, range) in Parser::new_ext(source, options).into_offset_iter() {
        walk.event(event, range);
    }
    walk.finish()
}

struct Walk<'s> {
    source: &'s str,
    document: Document,
    headings: Vec<Heading>,
    /// The item of prose that is being read.
    leaf: Option<Leaf>,
    /// List items that are open, innermost last.
    lists: Vec<ListPosition>,
    quote_depth: usize,
    code: Option<Fence>,
    table: Option<Table>,
    in_html_block: bool,
    /// `<details>` that are open: index into the document's.
    open_details: Vec<usize>,
    summary_start: Option<usize>,
}

impl<'s> Walk<'s> {
    fn new(source: &'s str) -> Self {
        let document = Document { source: source.to_owned(), lines: Lines::of(source), ..Document::default() };
        Self {
            source,
            document,
            headings: Vec::new(),
            leaf: None,
            lists: Vec::new(),
            quote_depth: 0,
            code: None,
            table: None,
            in_html_block: false,
            open_details: Vec::new(),
            summary_start: None,
        }
    }

    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag, range),
            Event::Text(text) => match &mut self.code {
                Some(fence) => {
                    if fence.content.is_empty() {
                        fence.content = range;
                    } else {
                        fence.content.end = range.end;
                    }
                }
                None if self.in_html_block => {}
                None => self.text(&text, &range),
            },
            Event::Code(code) => self.inline_code(&code, &range),
            Event::InlineHtml(_) => self.inline_html(range),
            Event::SoftBreak => {
                if let Some(leaf) = &mut self.leaf {
                    leaf.soft_break = Some(range);
                }
            }
            Event::HardBreak => {
                if let Some(leaf) = &mut self.leaf {
                    leaf.builder.push_atom("\n", &range);
                }
            }
            Event::TaskListMarker(done) => {
                let task = Some(if done { Task::Done } else { Task::Open });
                if let Some(position) = self.lists.last_mut() {
                    position.task = task;
                }
                if let Some(position) = self.leaf.as_mut().and_then(|leaf| leaf.list.as_mut()) {
                    position.task = task;
                }
            }
            Event::Html(_)
            | Event::Rule
            | Event::FootnoteReference(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Paragraph => self.open(ItemKind::Paragraph, range),
            Tag::Heading { .. } => self.open(ItemKind::Heading, range),
            Tag::BlockQuote(_) => {
                self.close();
                if self.quote_depth == 0 {
                    self.document.quotes.push(range);
                }
                self.quote_depth += 1;
            }
            Tag::CodeBlock(kind) => {
                self.close();
                let info = match kind {
                    CodeBlockKind::Fenced(info) => info.to_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                let content = range.end..range.end;
                self.code = Some(Fence { range, info, content, quoted: self.quote_depth > 0 });
            }
            Tag::HtmlBlock => {
                self.close();
                self.in_html_block = true;
                self.html_block(range);
            }
            Tag::Item => {
                self.close();
                let depth = self.lists.len() + 1;
                self.lists.push(ListPosition { depth, marker: range.start, task: None });
            }
            Tag::Table(_) => {
                self.close();
                self.table = Some(Table { range, header: Vec::new(), rows: Vec::new() });
            }
            Tag::TableRow => {
                if let Some(table) = &mut self.table {
                    table.rows.push(Vec::new());
                }
            }
            Tag::TableCell => {
                let in_body = self.table.as_ref().is_some_and(|table| !table.rows.is_empty());
                self.open(if in_body { ItemKind::Cell } else { ItemKind::HeaderCell }, range);
            }
            Tag::Link { link_type, dest_url, .. } => {
                self.document.links.push(Link { range: range.clone(), target: dest_url.to_string() });
                self.leaf(&range);
                if matches!(link_type, LinkType::Autolink | LinkType::Email) {
                    self.open_span(SpanKind::Url, range);
                }
            }
            Tag::Image { .. } => {
                self.document.images.push(range.clone());
                self.open_span(SpanKind::Alt, range);
            }
            // A tight list item may begin or end with marks: they belong to its range.
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough => {
                self.leaf(&range);
            }
            Tag::List(_) => {
                self.close();
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, range: Range<usize>) {
        match tag {
            TagEnd::Paragraph => {
                if let Some(leaf) = self.leaf.as_ref().filter(|_| self.quote_depth == 0)
                    && let Some(like) = heading_like(self.source, &leaf.range)
                {
                    self.document.heading_like.push(like);
                }
                self.close();
            }
            TagEnd::Heading(level) => {
                let title = self.leaf.as_ref().map(|leaf| leaf.raw.trim().to_owned()).unwrap_or_default();
                if self.quote_depth == 0 {
                    self.headings.push(Heading { level: level as u8, title, range });
                }
                self.close();
            }
            TagEnd::BlockQuote(_) => {
                self.close();
                self.quote_depth = self.quote_depth.saturating_sub(1);
            }
            TagEnd::CodeBlock => self.document.fences.extend(self.code.take()),
            TagEnd::HtmlBlock => self.in_html_block = false,
            TagEnd::Item => {
                self.close();
                self.lists.pop();
            }
            TagEnd::Table => self.document.tables.extend(self.table.take()),
            TagEnd::TableCell => {
                let item = self.close();
                if let Some(table) = &mut self.table {
                    table.rows.last_mut().unwrap_or(&mut table.header).push(Cell { range, item });
                }
            }
            TagEnd::Link => self.close_span(SpanKind::Url),
            TagEnd::Image => self.close_span(SpanKind::Alt),
            _ => {}
        }
    }

    fn open(&mut self, kind: ItemKind, range: Range<usize>) {
        self.close();
        self.leaf = Some(Leaf::new(kind, range, self.lists.last().copied()));
    }

    /// The open leaf; the text of a tight list item has no event of its own and opens one.
    fn leaf(&mut self, range: &Range<usize>) -> Option<&mut Leaf> {
        if self.leaf.is_none() && !self.lists.is_empty() {
            self.open(ItemKind::ListItem, range.clone());
        }
        let leaf = self.leaf.as_mut()?;
        leaf.range.end = leaf.range.end.max(range.end);
        Some(leaf)
    }

    /// Ends the open leaf. Gives back its place among the items, unless it is blank.
    fn close(&mut self) -> Option<usize> {
        let mut leaf = self.leaf.take()?;
        leaf.end_span();
        let folded = leaf.builder.finish();
        if folded.text().trim().is_empty() {
            return None;
        }
        let spans = quotation::complete(folded.text(), leaf.spans);
        for span in spans.iter().filter(|span| span.kind == SpanKind::Url) {
            let range = folded.source(span.range.clone());
            let target = folded.text()[span.range.clone()].to_owned();
            self.document.links.push(Link { range, target });
        }
        let quoted = self.quote_depth > 0;
        let sentences = sentence::cut(folded.text(), &spans);
        let Leaf { kind, range, list, .. } = leaf;
        self.document.items.push(Item { kind, range, quoted, list, folded, spans, sentences });
        Some(self.document.items.len() - 1)
    }

    fn text(&mut self, text: &str, range: &Range<usize>) {
        let exact = self.source[range.clone()] == *text;
        let Some(leaf) = self.leaf(range) else { return };
        leaf.settle_break(text);
        leaf.raw.push_str(text);
        if exact {
            leaf.builder.push_exact(text, range.start);
        } else {
            leaf.builder.push_atom(text, range);
        }
    }

    fn inline_code(&mut self, code: &str, range: &Range<usize>) {
        let whole = &self.source[range.clone()];
        // A line's end within code is shown as a space, and CRLF by the parser as two: a run of spaces is one, at the ends none.
        let code = &if whole.contains(['\r', '\n']) { one_space(code.trim_matches(' ')) } else { code.to_owned() };
        let ticks = whole.len() - whole.trim_start_matches('`').len();
        let inside = whole.get(ticks..whole.len().saturating_sub(ticks)).and_then(|inner| inner.find(code));
        let Some(leaf) = self.leaf(range) else { return };
        leaf.settle_break(code);
        leaf.raw.push_str(code);
        let start = leaf.builder.len();
        match inside {
            Some(at) => leaf.builder.push_exact(code, range.start + ticks + at),
            None => leaf.builder.push_atom(code, range),
        }
        if leaf.open.is_none() {
            let end = leaf.builder.len();
            leaf.spans.push(Span { range: start..end, kind: SpanKind::Code });
        }
    }

    fn inline_html(&mut self, range: Range<usize>) {
        for piece in pieces(self.source, range) {
            match piece {
                Piece::Comment(range) => self.document.comments.push(range),
                Piece::Tag(range, name) => {
                    self.tag(&range, &name);
                    let Some(leaf) = &mut self.leaf else { continue };
                    leaf.tag(&name, &range);
                }
                Piece::Text(_) => {}
            }
        }
    }

    fn html_block(&mut self, range: Range<usize>) {
        self.open(ItemKind::Html, range.clone());
        let mut hidden = false;
        for piece in pieces(self.source, range) {
            match piece {
                Piece::Comment(range) => self.document.comments.push(range),
                Piece::Tag(range, name) => {
                    self.tag(&range, &name);
                    hidden = matches!(name.as_str(), "script" | "style");
                    if let Some(leaf) = &mut self.leaf {
                        leaf.tag(&name, &range);
                    }
                }
                Piece::Text(range) if !hidden => {
                    if let Some(leaf) = &mut self.leaf {
                        leaf.builder.push_exact(&self.source[range.clone()], range.start);
                    }
                }
                Piece::Text(_) => {}
            }
        }
        self.close();
    }

    /// Notes what a tag means for the outline.
    fn tag(&mut self, range: &Range<usize>, name: &str) {
        match name {
            "details" => {
                self.open_details.push(self.document.details.len());
                self.document.details.push(Details { range: range.start..self.source.len(), summary: None });
            }
            "/details" => {
                if let Some(index) = self.open_details.pop() {
                    self.document.details[index].range.end = range.end;
                }
            }
            "summary" => self.summary_start = Some(range.end),
            "/summary" => {
                if let (Some(start), Some(index)) = (self.summary_start.take(), self.open_details.last()) {
                    let words = pieces(self.source, start..range.start).into_iter().filter_map(|piece| match piece {
                        Piece::Text(range) => Some(&self.source[range]),
                        _ => None,
                    });
                    self.document.details[*index].summary = Some(words.collect::<String>().trim().to_owned());
                }
            }
            "img" | "video" => self.document.images.push(range.clone()),
            _ => {}
        }
    }

    fn open_span(&mut self, kind: SpanKind, range: Range<usize>) {
        if let Some(leaf) = self.leaf(&range)
            && leaf.open.is_none()
        {
            leaf.open = Some((leaf.builder.len(), kind));
        }
    }

    fn close_span(&mut self, kind: SpanKind) {
        if let Some(leaf) = self.leaf.as_mut().filter(|leaf| leaf.open.is_some_and(|(_, open)| open == kind)) {
            leaf.end_span();
        }
    }

    fn finish(mut self) -> Document {
        self.close();
        self.document.links.sort_by_key(|link| link.range.start);
        self.document.images.sort_by_key(|image| image.start);
        self.document.sections = sections(self.headings, self.source.len());
        self.document
    }
}

/// Runs of spaces, each as one.
fn one_space(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars().filter(|c| !matches!(c, '\r' | '\n')) {
        if c != ' ' || !out.ends_with(' ') {
            out.push(c);
        }
    }
    out
}
