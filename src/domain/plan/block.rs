//! Labels and headings of a stretch of Markdown, with what stands under each of them.

use super::names::{Names, Role};
use super::references::names_child;
use crate::domain::text::{Document, Section};
use std::ops::Range;

/// Where a stretch stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Under the heading of a child.
    Inside,
    /// Outside of all children: what it says of a field holds for all of them.
    Outside,
}

/// What a stretch says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Block {
    /// Values of fields, by their place among the names.
    pub(super) values: Vec<Option<String>>,
    /// Values that hold for every child.
    pub(super) common: Vec<(usize, String)>,
    /// What it says of dependencies, each as written.
    pub(super) depends: Vec<String>,
    /// A title that is given as a field.
    pub(super) title: Option<String>,
    /// Headings and labels that name nothing, with their texts.
    pub(super) extras: Vec<(String, String)>,
    /// What stands under no name.
    pub(super) lead: String,
}

impl Block {
    /// Whether any field of a child is named.
    pub(super) fn says_something(&self) -> bool {
        self.values.iter().any(Option::is_some) || !self.depends.is_empty()
    }
}

/// Ranges of a document whose lines are no labels: code, comments, block quotes.
pub(super) struct Masked(Vec<Range<usize>>);

impl Masked {
    pub(super) fn of(document: &Document) -> Self {
        let fences = document.fences().iter().map(|fence| fence.range.clone());
        let mut all: Vec<_> =
            fences.chain(document.comments().iter().cloned()).chain(document.quotes().iter().cloned()).collect();
        all.sort_by_key(|range| range.start);
        let mut merged: Vec<Range<usize>> = Vec::new();
        for range in all {
            match merged.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => merged.push(range),
            }
        }
        Self(merged)
    }

    /// Whether a stretch of code, a comment or a quote holds this offset.
    pub(super) fn holds(&self, offset: usize) -> bool {
        let after = self.0.partition_point(|range| range.start <= offset);
        after.checked_sub(1).is_some_and(|index| offset < self.0[index].end)
    }
}

/// Reads a stretch.
pub(super) fn block(document: &Document, masked: &Masked, range: &Range<usize>, names: &Names, place: Place) -> Block {
    let mut reader = Reader {
        names,
        place,
        block: Block { values: vec![None; names.fields.len()], ..Block::default() },
        under: Under::Nothing,
        target: Target::Lead,
        lines: Vec::new(),
        blank: false,
        universal: None,
    };
    let sections = document.sections();
    let from = sections.partition_point(|section| section.title_range.start < range.start);
    let mut headings = sections[from..].iter().take_while(|section| section.title_range.start < range.end).peekable();
    let mut at = range.start;
    let mut heading_end = range.start;
    for line in document.source()[range.clone()].split_inclusive('\n') {
        let (start, end) = (at, at + line.len());
        at = end;
        let line = line.trim_end_matches(['\n', '\r']);
        let first = start + (line.len() - line.trim_start().len());
        if let Some(section) = headings.next_if(|section| section.title_range.start < end) {
            heading_end = section.title_range.end;
            reader.heading(section, line);
        } else if start < heading_end {
            // The line below a heading that makes it one.
        } else if masked.holds(first) {
            // Beside the children, code, comments and quotes say nothing.
            if place == Place::Inside {
                reader.keep(line);
            }
        } else {
            reader.line(line);
        }
    }
    reader.flush();
    reader.block
}

/// Longest name of a field that the contract does not have, in characters.
const LONGEST_EXTRA: usize = 40;

/// What the lines at hand belong to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    Field(usize),
    Common(usize),
    Depends,
    Title,
    Extra(usize),
    Lead,
    Nothing,
}

/// What opened it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Under {
    Nothing,
    Heading(u8),
    Item(usize),
    Line,
}

struct Reader<'n> {
    names: &'n Names,
    place: Place,
    block: Block,
    under: Under,
    target: Target,
    lines: Vec<String>,
    /// Whether the line before was blank.
    blank: bool,
    /// The level of a heading that says that all below it holds for every child.
    universal: Option<u8>,
}

/// A line as a label with its value.
struct Label<'l> {
    indent: usize,
    marked: bool,
    name: &'l str,
    value: &'l str,
}

impl Reader<'_> {
    fn heading(&mut self, section: &Section, line: &str) {
        if self.universal.is_some_and(|level| section.level <= level) {
            self.universal = None;
        }
        if let Some(target) = self.target_of(&section.title) {
            self.open(Under::Heading(section.level), target);
            return;
        }
        if matches!(self.under, Under::Heading(level) if section.level > level) && self.target != Target::Nothing {
            self.keep(line);
            return;
        }
        if self.names.universal(&section.title).is_some() {
            self.universal = Some(section.level);
            self.open(Under::Heading(section.level), Target::Nothing);
            return;
        }
        let target = match self.place {
            Place::Inside => {
                self.block.extras.push((section.title.clone(), String::new()));
                Target::Extra(self.block.extras.len() - 1)
            }
            Place::Outside => Target::Nothing,
        };
        self.open(Under::Heading(section.level), target);
    }

    fn line(&mut self, line: &str) {
        if line.trim().is_empty() {
            self.blank = true;
            self.lines.push(String::new());
            return;
        }
        let label = label(line);
        let nested = matches!(self.under, Under::Item(indent) if label.indent > indent);
        if !nested && let Some(target) = self.target_of(label.name) {
            let under = if label.marked { Under::Item(label.indent) } else { Under::Line };
            // An id goes on with its field's list, or begins it.
            match self.id(label.name) {
                Some(_) if target == self.target && label.marked => self.keep(line),
                Some(id) => {
                    self.open(under, target);
                    self.lines.push(format!("- {id}: {}", label.value));
                }
                None => {
                    self.open(under, target);
                    self.lines.push(label.value.to_owned());
                }
            }
            self.blank = false;
            return;
        }
        let ends = match self.under {
            Under::Item(indent) => {
                (label.marked && label.indent <= indent) || (!label.marked && label.indent == 0 && self.blank)
            }
            Under::Line => {
                !label.marked && label.indent == 0 && self.blank && self.lines.iter().any(|line| !line.is_empty())
            }
            Under::Heading(_) | Under::Nothing => false,
        };
        if ends {
            let named = label.marked && !label.value.is_empty() && label.name.chars().count() <= LONGEST_EXTRA;
            let target = if self.place == Place::Outside || names_child(line) {
                Target::Nothing
            } else if named {
                self.block.extras.push((label.name.to_owned(), String::new()));
                Target::Extra(self.block.extras.len() - 1)
            } else {
                Target::Lead
            };
            let under = if named { Under::Item(label.indent) } else { Under::Nothing };
            self.open(under, target);
            if named && target != Target::Nothing {
                self.lines.push(label.value.to_owned());
                return;
            }
        }
        self.keep(line);
    }

    /// What a label opens here; none where it is no name.
    fn target_of(&self, label: &str) -> Option<Target> {
        let plain = |label: &str| match self.names.role(label) {
            Some(Role::Field(field)) => Some(Target::Field(field)),
            Some(Role::Depends) => Some(Target::Depends),
            Some(Role::Title) => Some(Target::Title),
            Some(Role::Number) | None => None,
        };
        if let Some(rest) = self.names.universal(label) {
            let field = match plain(&rest) {
                Some(Target::Field(field)) => Some(field),
                _ => self.names.of_id(&rest),
            };
            return field.map(Target::Common);
        }
        let own = |field: usize| field == self.names.covers || Some(field) == self.names.purpose;
        let under_list =
            matches!(self.under, Under::Heading(_)) && matches!(self.target, Target::Field(_) | Target::Common(_));
        let by_id = || self.names.of_id(label).filter(|_| !under_list);
        match (plain(label), self.place) {
            (Some(Target::Field(field)), Place::Outside) => {
                (self.universal.is_some() || !own(field)).then_some(Target::Common(field))
            }
            (Some(_), Place::Outside) => None,
            (Some(target), Place::Inside) => Some(target),
            (None, Place::Inside) => by_id().map(Target::Field),
            (None, Place::Outside) => by_id().filter(|_| self.universal.is_some()).map(Target::Common),
        }
    }

    /// The id that a label is, such as `AC-1`.
    fn id(&self, label: &str) -> Option<String> {
        let rest = self.names.universal(label);
        let label = rest.as_deref().unwrap_or(label);
        (self.names.role(label).is_none() && self.names.of_id(label).is_some()).then(|| label.trim().to_uppercase())
    }

    fn keep(&mut self, line: &str) {
        self.blank = false;
        self.lines.push(line.to_owned());
    }

    fn open(&mut self, under: Under, target: Target) {
        self.flush();
        self.under = under;
        self.target = target;
        self.blank = false;
    }

    fn flush(&mut self) {
        let text = dedented(&std::mem::take(&mut self.lines));
        let names_only = text.is_empty();
        let joined = |old: &str| if old.is_empty() { text.clone() } else { format!("{old}\n{text}") };
        match self.target {
            Target::Field(field) => {
                let old = self.block.values[field].take().unwrap_or_default();
                self.block.values[field] = Some(if names_only { old } else { joined(&old) });
            }
            Target::Common(field) if !names_only => {
                match self.block.common.iter_mut().find(|(known, _)| *known == field) {
                    Some((_, old)) => *old = joined(old),
                    None => self.block.common.push((field, text)),
                }
            }
            Target::Depends => self.block.depends.push(text),
            Target::Title if !names_only => self.block.title = Some(text),
            Target::Extra(index) => self.block.extras[index].1 = text,
            Target::Lead if !names_only => self.block.lead = joined(&self.block.lead),
            Target::Common(_) | Target::Title | Target::Lead | Target::Nothing => {}
        }
    }
}

/// Lines without blank ones at the ends and without the indentation that all of them but the first share.
fn dedented(lines: &[String]) -> String {
    let first = lines.iter().position(|line| !line.trim().is_empty()).unwrap_or(lines.len());
    let last = lines.iter().rposition(|line| !line.trim().is_empty()).map_or(first, |last| last + 1);
    let lines = &lines[first..last];
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    // The first line may have stood beside its label.
    let inner = if first == 0 { lines.get(1..).unwrap_or_default() } else { lines };
    let shared = inner.iter().filter(|line| !line.trim().is_empty()).map(|line| indent(line)).min().unwrap_or(0);
    let cut = |(index, line): (usize, &String)| {
        if index == 0 && first == 0 {
            return line.trim().to_owned();
        }
        line[shared.min(indent(line))..].trim_end().to_owned()
    };
    lines.iter().enumerate().map(cut).collect::<Vec<_>>().join("\n")
}

fn label(line: &str) -> Label<'_> {
    let bare = line.trim_start_matches([' ', '\t', '\u{3000}']);
    let indent = line.len() - bare.len();
    let (marked, item) = match marker(bare) {
        0 => (false, bare),
        length => (true, bare[length..].trim_start()),
    };
    let item = item.trim_end();
    let (name, value) = parts(item, marked);
    Label { indent, marked, name, value }
}

/// How long the marker of a list item is, its box included.
fn marker(text: &str) -> usize {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let length = if let Some(mark) = text.chars().next().filter(|c| matches!(c, '-' | '*' | '+' | '・' | '•')) {
        mark.len_utf8()
    } else if (1..=3).contains(&digits) && text[digits..].starts_with(['.', ')']) {
        digits + 1
    } else {
        return 0;
    };
    let rest = &text[length..];
    if !(rest.starts_with([' ', '\t']) || text.starts_with(['・', '•'])) {
        return 0;
    }
    let open = rest.trim_start();
    let skipped = rest.len() - open.len();
    match ["[ ]", "[x]", "[X]"].iter().find(|mark| open.starts_with(**mark)) {
        Some(mark) => length + skipped + mark.len(),
        None => length,
    }
}

/// Label and value of an item; an item without a colon is a label alone where it is marked or bold.
fn parts(item: &str, marked: bool) -> (&str, &str) {
    for marks in ["**", "__"] {
        if let Some(inner) = item.strip_prefix(marks)
            && let Some(end) = inner.find(marks)
        {
            let value = inner[end + 2..].trim_start();
            let value = value.strip_prefix([':', '：']).unwrap_or(value).trim();
            return (inner[..end].trim_end_matches([':', '：', ' ']), value);
        }
    }
    if let Some(at) = item.find([':', '：']) {
        let length = item[at..].chars().next().map_or(1, char::len_utf8);
        return (item[..at].trim_matches(['`', ' ']), item[at + length..].trim());
    }
    for words in ["depends on ", "blocked by "] {
        if item.get(..words.len()).is_some_and(|head| head.eq_ignore_ascii_case(words)) {
            return (item[..words.len()].trim_end(), item[words.len()..].trim());
        }
    }
    if marked { (item, "") } else { ("", "") }
}
