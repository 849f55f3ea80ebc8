//! The outline of a Markdown body: sections, items of prose, fences, tables, comments, each with its place.

use super::lines::Lines;
use super::normalise::Normalised;
use std::ops::Range;

/// A parsed Markdown body. Every range is in bytes of the original text, on character boundaries.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Document {
    pub(super) source: String,
    pub(super) lines: Lines,
    pub(super) sections: Vec<Section>,
    pub(super) items: Vec<Item>,
    pub(super) fences: Vec<Fence>,
    pub(super) tables: Vec<Table>,
    pub(super) comments: Vec<Range<usize>>,
    pub(super) quotes: Vec<Range<usize>>,
    pub(super) details: Vec<Details>,
    pub(super) links: Vec<Link>,
    pub(super) images: Vec<Range<usize>>,
    pub(super) heading_like: Vec<NearMiss>,
}

impl Document {
    /// The text as it was given.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Headings with what stands under them. Those in fences, comments and block quotes do not count.
    #[must_use]
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// Every stretch of prose: paragraphs, list items, table cells, headings, text between HTML tags.
    #[must_use]
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// Items that begin within a range.
    #[must_use]
    pub fn items_within(&self, range: &Range<usize>) -> &[Item] {
        within(&self.items, range, |item| item.range.start)
    }

    /// Code blocks, indented ones too.
    #[must_use]
    pub fn fences(&self) -> &[Fence] {
        &self.fences
    }

    /// Code blocks that begin within a range.
    #[must_use]
    pub fn fences_within(&self, range: &Range<usize>) -> &[Fence] {
        within(&self.fences, range, |fence| fence.range.start)
    }

    /// Tables.
    #[must_use]
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// Tables that begin within a range.
    #[must_use]
    pub fn tables_within(&self, range: &Range<usize>) -> &[Table] {
        within(&self.tables, range, |table| table.range.start)
    }

    /// Links that begin within a range, bare URLs in prose included.
    #[must_use]
    pub fn links_within(&self, range: &Range<usize>) -> &[Link] {
        within(&self.links, range, |link| link.range.start)
    }

    /// Whether an image begins within a range.
    #[must_use]
    pub fn has_image_within(&self, range: &Range<usize>) -> bool {
        !within(&self.images, range, |image| image.start).is_empty()
    }

    /// HTML comments.
    #[must_use]
    pub fn comments(&self) -> &[Range<usize>] {
        &self.comments
    }

    /// Block quotes, the outermost of each.
    #[must_use]
    pub fn quotes(&self) -> &[Range<usize>] {
        &self.quotes
    }

    /// `<details>` blocks.
    #[must_use]
    pub fn details(&self) -> &[Details] {
        &self.details
    }

    /// Lines that look like headings and are none: bold paragraphs, `##x` without a space, full-width `＃`.
    #[must_use]
    pub fn heading_like(&self) -> &[NearMiss] {
        &self.heading_like
    }

    /// The line of a byte offset, from 1. LF, CRLF and CR end a line.
    #[must_use]
    pub fn line_of(&self, offset: usize) -> u32 {
        self.lines.line_of(offset)
    }

    /// Where the line of a byte offset begins.
    #[must_use]
    pub fn line_start(&self, offset: usize) -> usize {
        self.lines.start_of(offset)
    }

    /// What a table cell says, folded.
    #[must_use]
    pub fn cell_text(&self, cell: &Cell) -> &str {
        cell.item.map_or("", |index| self.items[index].text())
    }
}

fn within<'a, T>(all: &'a [T], range: &Range<usize>, start: impl Fn(&T) -> usize) -> &'a [T] {
    let from = all.partition_point(|one| start(one) < range.start);
    let to = all.partition_point(|one| start(one) < range.end);
    &all[from..to.max(from)]
}

/// A heading and what stands under it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// 1 to 6.
    pub level: u8,
    /// The heading's text without marks.
    pub title: String,
    /// What is compared with names: see [`heading_key`](super::heading_key).
    pub key: String,
    /// Where the heading stands, marks included.
    pub title_range: Range<usize>,
    /// From after the heading to the next heading of the same or a higher level.
    pub range: Range<usize>,
    /// From after the heading to the next heading of any level.
    pub own_range: Range<usize>,
}

/// What kind of prose an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ItemKind {
    /// A paragraph, in a list item too when the list is loose.
    Paragraph,
    /// The text of a list item without its inner lists.
    ListItem,
    /// A table cell of the head.
    HeaderCell,
    /// A table cell of the body.
    Cell,
    /// A heading.
    Heading,
    /// Text between HTML tags.
    Html,
}

/// The state of a task list item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Task {
    /// `[ ]`
    Open,
    /// `[x]`
    Done,
}

/// Where in a list an item stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ListPosition {
    /// 1 = a list that is in no other.
    pub depth: usize,
    /// The byte offset of the list item's marker: the same for all paragraphs of one list item.
    pub marker: usize,
    /// Task state, if it is a task.
    pub task: Option<Task>,
}

/// One stretch of prose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// Where it stands in the source; markers of lists and headings are outside.
    pub range: Range<usize>,
    /// Whether it stands in a block quote.
    pub quoted: bool,
    /// Its list item, if it is in one.
    pub list: Option<ListPosition>,
    /// What a reader sees, folded: code and link texts without marks; no tags, comments and link targets.
    pub folded: Normalised,
    /// Parts of the folded text that are not plain prose, in order.
    pub spans: Vec<Span>,
    /// See [`sentences`](super::sentences).
    pub(super) sentences: Vec<Range<usize>>,
}

impl Item {
    /// What a reader sees, folded.
    #[must_use]
    pub fn text(&self) -> &str {
        self.folded.text()
    }

    /// Where a range of [`Item::text`] stands in the source.
    #[must_use]
    pub fn source(&self, range: Range<usize>) -> Range<usize> {
        self.folded.source(range)
    }

    /// Whether a range of [`Item::text`] touches a span of one of the kinds.
    #[must_use]
    pub fn touches(&self, range: &Range<usize>, kinds: &[SpanKind]) -> bool {
        let from = self.spans.partition_point(|span| span.range.end <= range.start);
        self.spans[from..].iter().take_while(|span| span.range.start < range.end).any(|span| kinds.contains(&span.kind))
    }
}

/// Why a part of an item's text is not plain prose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SpanKind {
    /// Inline code.
    Code,
    /// A URL that is shown.
    Url,
    /// Words in quotation marks, marks included.
    Quotation,
    /// An image's alternative text.
    Alt,
}

/// A part of an item's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Where in [`Item::text`].
    pub range: Range<usize>,
    /// What it is.
    pub kind: SpanKind,
}

/// A code block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fence {
    /// The whole block.
    pub range: Range<usize>,
    /// The info string; empty for an indented block.
    pub info: String,
    /// Its content, from the first to the last line.
    pub content: Range<usize>,
    /// Whether it stands in a block quote.
    pub quoted: bool,
}

/// A table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The whole table.
    pub range: Range<usize>,
    /// Cells of the head.
    pub header: Vec<Cell>,
    /// Rows of the body.
    pub rows: Vec<Vec<Cell>>,
}

/// A table cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Where it stands, between its bars.
    pub range: Range<usize>,
    /// Its item in [`Document::items`]; none = it is blank.
    pub item: Option<usize>,
}

/// A `<details>` block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Details {
    /// From its opening tag to its closing tag, or to the end of the text.
    pub range: Range<usize>,
    /// The text of `<summary>`.
    pub summary: Option<String>,
}

/// A link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Where it stands.
    pub range: Range<usize>,
    /// Where it leads.
    pub target: String,
}

/// A heading, or a line that was meant as one, that comes near to a name but does not count for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearMiss {
    /// Its text as it stands.
    pub title: String,
    /// Where it stands.
    pub range: Range<usize>,
}
