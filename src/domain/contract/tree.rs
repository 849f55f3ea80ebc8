//! YAML text becomes a tree whose nodes know their place; aliases are expanded within bounds, comments kept by line.

use super::report::{At, Report};
use granit_parser::{ErrorKind, Event, Parser, Placement, ScalarStyle, ScanError, Span, Tag};
use std::collections::{BTreeMap, HashMap};

/// How deep collections may nest; a contract needs seven.
const MAX_DEPTH: usize = 32;
/// How many nodes aliases may add.
const MAX_EXPANDED_NODES: usize = 10_000;
/// How many bytes of text aliases may add.
const MAX_EXPANDED_BYTES: usize = 512 * 1024;

/// A value and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub value: Value,
    pub at: At,
}

/// What stands there, by YAML's core schema.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// Nothing.
    Null,
    /// Quoted or plain text.
    Text(String),
    /// A plain scalar that YAML reads as something else: a number or a truth value.
    Other { text: String, kind: &'static str },
    /// A sequence.
    List(Vec<Node>),
    /// A mapping; keys are there once.
    Map(Vec<Entry>),
    /// Reported already; whoever meets it says nothing more.
    Broken,
}

impl Value {
    /// What a person would call it.
    pub fn called(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Text(_) => "a text",
            Self::Other { kind, .. } => kind,
            Self::List(_) => "a list",
            Self::Map(_) => "a map",
            Self::Broken => "something unreadable",
        }
    }
}

/// A key with its value.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub key: String,
    pub at: At,
    pub value: Node,
}

/// A file as a tree.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// The document; none where the file is empty or is no YAML.
    pub root: Option<Node>,
    /// Comments that stand to the right of something.
    pub comments: Comments,
}

/// Comments by the line that they stand in, of each file of a chain.
pub(super) type Comments = BTreeMap<(u8, u32), String>;

/// Reads a file. A syntax error is one problem, and there is no tree then.
pub(super) fn parse(text: &str, report: &mut Report<'_>) -> Tree {
    let options = granit_parser::options! {
        emit_unresolved_aliases: true,
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
        max_buffered_comment_events: 10_000,
    };
    let file = report.file();
    let mut builder = Builder::default();
    let mut comments = Vec::new();
    for next in Parser::new_from_str_with_options(text, options) {
        match next {
            Ok((Event::Comment(text, placement), span)) => {
                comments.push((at(file, span), text.into_owned(), placement));
            }
            Ok((event, span)) => builder.take(event, span, report),
            Err(error) => {
                syntax(&error, report);
                return Tree::default();
            }
        }
    }
    Tree { root: builder.root, comments: by_line(comments) }
}

fn at(file: u8, span: Span) -> At {
    position(file, span.start.line(), span.start.col())
}

fn position(file: u8, line: usize, column: usize) -> At {
    let number = |number| u32::try_from(number).unwrap_or(u32::MAX);
    At { file, line: number(line), column: number(column.saturating_add(1)) }
}

fn syntax(error: &ScanError, report: &mut Report<'_>) {
    let mut at = position(report.file(), error.marker().line(), error.marker().col());
    let line = report.line(at);
    if *error.kind() == ErrorKind::RecursionLimitExceeded {
        report.error("depth", at, "collections nest too deeply", format!("at most {MAX_DEPTH} levels"));
        return;
    }
    let indent = line.len() - line.trim_start().len();
    if let Some(tab) = line[..indent].find('\t') {
        // The parser points behind the tab; a person looks for the tab.
        at = position(at.file, at.line as usize, line[..tab].chars().count());
        report.error("syntax", at, "a tab stands in the indentation", "spaces");
        return;
    }
    report.error("syntax", at, format!("this is no YAML: {}", error.info().replace('\n', " ")), "YAML 1.2");
}

/// Comments to the right of something, by line. A comment below, in the same column, goes on with it.
fn by_line(comments: Vec<(At, String, Placement)>) -> Comments {
    let mut lines = Comments::new();
    let mut open: Option<((u8, u32), At)> = None;
    for (at, text, placement) in comments {
        let text = text.trim();
        match open {
            _ if placement == Placement::Right => {
                let line = (at.file, at.line);
                lines.insert(line, text.to_owned());
                open = Some((line, at));
            }
            Some((line, last)) if at.line == last.line + 1 && at.column == last.column => {
                if let Some(comment) = lines.get_mut(&line) {
                    comment.push(' ');
                    comment.push_str(text);
                }
                open = Some((line, at));
            }
            _ => open = None,
        }
    }
    lines
}

/// How much a node weighs when an alias repeats it.
#[derive(Clone, Copy, Default)]
struct Size {
    nodes: usize,
    bytes: usize,
    depth: usize,
}

/// A collection that is not closed yet.
struct Open {
    at: At,
    anchor: usize,
    size: Size,
    content: Content,
}

enum Content {
    List(Vec<Node>),
    Map { entries: Vec<Entry>, lines: HashMap<String, u32>, key: Option<Node> },
}

#[derive(Default)]
struct Builder {
    root: Option<Node>,
    stack: Vec<Open>,
    anchors: HashMap<usize, (Node, Size)>,
    expanded: Size,
    documents: usize,
}

impl Builder {
    fn take(&mut self, event: Event<'_>, span: Span, report: &mut Report<'_>) {
        let at = at(report.file(), span);
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents == 2 {
                    report.error("documents", at, "a second YAML document begins here", "one document a file");
                }
            }
            Event::Scalar(text, style, anchor, tag) => {
                let size = Size { nodes: 1, bytes: text.len(), depth: 0 };
                let value = scalar(&text, style, tag.as_deref(), at, report);
                self.close(Node { value, at }, size, anchor, report);
            }
            Event::SequenceStart(_, anchor, tag) => {
                check_tag(tag.as_deref(), at, report);
                self.open(at, anchor, Content::List(Vec::new()));
            }
            Event::MappingStart(_, anchor, tag) => {
                check_tag(tag.as_deref(), at, report);
                self.open(at, anchor, Content::Map { entries: Vec::new(), lines: HashMap::new(), key: None });
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(open) = self.stack.pop() {
                    let value = match open.content {
                        Content::List(items) => Value::List(items),
                        Content::Map { entries, .. } => Value::Map(entries),
                    };
                    let size = Size { nodes: open.size.nodes + 1, depth: open.size.depth + 1, ..open.size };
                    self.close(Node { value, at: open.at }, size, open.anchor, report);
                }
            }
            Event::Alias(anchor) => {
                let (node, size) = self.expand(anchor, at, report);
                self.close(node, size, 0, report);
            }
            Event::UnresolvedAlias(name) => {
                report.error("alias", at, format!("no anchor `&{name}` stands before this alias"), "an anchor's name");
                self.close(Node { value: Value::Broken, at }, Size::default(), 0, report);
            }
            _ => {}
        }
    }

    fn open(&mut self, at: At, anchor: usize, content: Content) {
        self.stack.push(Open { at, anchor, size: Size::default(), content });
    }

    /// What the alias stands for, if that stays within bounds.
    fn expand(&mut self, anchor: usize, at: At, report: &mut Report<'_>) -> (Node, Size) {
        let broken = (Node { value: Value::Broken, at }, Size::default());
        let Some((node, size)) = self.anchors.get(&anchor) else {
            report.error("alias", at, "this alias stands inside what it repeats", "an anchor that ends before");
            return broken;
        };
        self.expanded.nodes = self.expanded.nodes.saturating_add(size.nodes);
        self.expanded.bytes = self.expanded.bytes.saturating_add(size.bytes);
        let within = self.expanded.nodes <= MAX_EXPANDED_NODES
            && self.expanded.bytes <= MAX_EXPANDED_BYTES
            && self.stack.len() + size.depth <= MAX_DEPTH;
        if within {
            return (Node { value: node.value.clone(), at }, *size);
        }
        report.error(
            "expansion",
            at,
            "aliases repeat too much here",
            format!("at most {MAX_EXPANDED_NODES} repeated values, {MAX_DEPTH} levels deep"),
        );
        broken
    }

    /// Puts a whole node where it belongs.
    fn close(&mut self, node: Node, size: Size, anchor: usize, report: &mut Report<'_>) {
        if anchor != 0 {
            self.anchors.insert(anchor, (node.clone(), size));
        }
        let Some(open) = self.stack.last_mut() else {
            // Of several documents the first counts; the second was reported.
            self.root.get_or_insert(node);
            return;
        };
        open.size.nodes += size.nodes;
        open.size.bytes += size.bytes;
        open.size.depth = open.size.depth.max(size.depth);
        match &mut open.content {
            Content::List(items) => items.push(node),
            Content::Map { key, .. } if key.is_none() => *key = Some(node),
            Content::Map { entries, lines, key } => {
                if let Some(key) = key.take() {
                    enter(key, node, entries, lines, report);
                }
            }
        }
    }
}

fn enter(key: Node, value: Node, entries: &mut Vec<Entry>, lines: &mut HashMap<String, u32>, report: &mut Report<'_>) {
    let name = match key.value {
        Value::Text(text) | Value::Other { text, .. } => text,
        Value::Broken => return,
        other => {
            report.error("wrong-type", key.at, format!("{} can't be a key", other.called()), "a text");
            return;
        }
    };
    if let Some(line) = lines.get(&name) {
        report.error(
            "duplicate-key",
            key.at,
            format!("`{}` stands here already in line {line}", short(&name)),
            "each key once",
        );
        return;
    }
    lines.insert(name.clone(), key.at.line);
    entries.push(Entry { key: name, at: key.at, value });
}

fn check_tag(tag: Option<&Tag>, at: At, report: &mut Report<'_>) -> bool {
    let foreign = tag.is_some_and(|tag| !tag.is_yaml_core_schema() && tag.original() != "!");
    if foreign {
        report.error("tag", at, "a contract has no tags", "the value without its tag");
    }
    !foreign
}

fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>, at: At, report: &mut Report<'_>) -> Value {
    if !check_tag(tag, at, report) {
        return Value::Broken;
    }
    let as_text = tag.is_some_and(|tag| tag.core_suffix() == Some("str") || tag.original() == "!");
    if style != ScalarStyle::Plain || as_text {
        return Value::Text(text.to_owned());
    }
    match plain(text) {
        Plain::Null => Value::Null,
        Plain::Text => Value::Text(text.to_owned()),
        Plain::Other(kind) => Value::Other { text: text.to_owned(), kind },
    }
}

/// What YAML's core schema takes a plain scalar for.
pub(super) enum Plain {
    Null,
    Text,
    Other(&'static str),
}

/// See [`Plain`].
pub(super) fn plain(text: &str) -> Plain {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Plain::Null,
        "true" | "True" | "TRUE" | "false" | "False" | "FALSE" => return Plain::Other("a truth value"),
        _ => {}
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let prefixed = |prefix: &str, valid: fn(u8) -> bool| {
        text.strip_prefix(prefix).is_some_and(|rest| !rest.is_empty() && rest.bytes().all(valid))
    };
    if digits(unsigned)
        || prefixed("0x", |byte| byte.is_ascii_hexdigit())
        || prefixed("0o", |byte| matches!(byte, b'0'..=b'7'))
    {
        return Plain::Other("an integer");
    }
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Plain::Other("a number");
    }
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let number = (digits(whole) && (fraction.is_empty() || digits(fraction))) || (whole.is_empty() && digits(fraction));
    if number && digits(exponent.strip_prefix(['-', '+']).unwrap_or(exponent)) {
        return Plain::Other("a number");
    }
    Plain::Text
}

/// A text as a message shows it.
pub(super) fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= 60 { line } else { line.chars().take(59).chain(['…']).collect() }
}

#[cfg(test)]
mod tests {
    use super::super::report::Source;
    use super::*;
    use std::fmt::Write as _;

    fn problems(text: &str) -> Vec<(&'static str, u32, u32)> {
        let mut report = Report::new(0, Source::new("x.yaml", text));
        parse(text, &mut report);
        report.finish().iter().map(|problem| (problem.id, problem.line, problem.column)).collect()
    }

    #[test]
    fn scalars_follow_the_core_schema() {
        for text in ["", "~", "null"] {
            assert!(matches!(plain(text), Plain::Null), "{text}");
        }
        for text in ["3", "-3", "0x1f", "1.5", ".5", "1e3", "-.inf", "true", "5."] {
            assert!(matches!(plain(text), Plain::Other(_)), "{text}");
        }
        for text in ["no", "on", "1.2.3", "3 days", "e3", ".", "-", "0o9", "予算", "1e", "."] {
            assert!(matches!(plain(text), Plain::Text), "{text}");
        }
    }

    #[test]
    fn everything_wrong_has_its_place() {
        assert_eq!(problems("a: 1\nb: 2\na: 3\n"), [("duplicate-key", 3, 1)]);
        assert_eq!(problems("a:\n\tb: 1\n"), [("syntax", 2, 1)]);
        assert_eq!(problems("a: [1, 2\n"), [("syntax", 1, 4)]);
        assert_eq!(problems("a: *no\nb: !x y\n"), [("alias", 1, 4), ("tag", 2, 7)]);
        assert_eq!(problems("a: &x [*x]\n"), [("alias", 1, 8)]);
        assert_eq!(problems("a: 1\n---\nb: 2\n"), [("documents", 2, 1)]);
        assert_eq!(problems("[a]: 1\n"), [("wrong-type", 1, 1)]);
        assert_eq!(problems(&"[".repeat(20_000))[0].0, "depth");
    }

    #[test]
    fn chains_of_anchors_stay_shallow() {
        let mut text = String::from("a0: &a0 [x]\n");
        for level in 1..200 {
            writeln!(text, "a{level}: &a{level} [*a{}]", level - 1).unwrap();
        }
        assert!(problems(&text).iter().any(|(id, ..)| *id == "expansion"));
    }

    #[test]
    fn comments_go_on_below_in_their_column() {
        let text = "- a   # one\n      # two\n  # not\n- b\n# nor\n- c # three";
        let mut report = Report::new(0, Source::new("x.yaml", text));
        let comments = parse(text, &mut report).comments;
        assert_eq!(
            comments.into_iter().collect::<Vec<_>>(),
            [((0, 1), "one two".to_owned()), ((0, 6), "three".to_owned())]
        );
    }
}
