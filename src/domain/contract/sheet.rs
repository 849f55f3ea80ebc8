//! One file's bytes become a sheet: what kind of file it is, its tree brought to one shape, and what is wrong so far.

use super::keys::ROOT;
use super::report::{At, Report, Source};
use super::shape::{Keys, did_you_mean, nearest, one_of};
use super::tasuki;
use super::tree::{Comments, Entry, Node, Value, parse, short};

/// A contract file is at most this long (chapter 2).
pub const MAX_BYTES: usize = 256 * 1024;

/// One file of a chain.
pub(super) struct Sheet<'a> {
    /// How problems name it.
    pub name: &'a str,
    /// What it says it is, also where it does not parse.
    pub kind: Option<Kind>,
    /// The map of a hand-off contract, in the shape of a file that says its kind; none where it can't be read.
    pub root: Option<Node>,
    /// Comments that stand to the right of something.
    pub comments: Comments,
    /// The file, as problems show it.
    pub source: Source<'a>,
    /// What is wrong so far.
    pub report: Report<'a>,
}

impl<'a> Sheet<'a> {
    /// Reads a file that stands at this place of a chain of `extends`.
    pub fn open(file: u8, name: &'a str, bytes: &'a [u8]) -> Self {
        let text = match std::str::from_utf8(&bytes[..bytes.len().min(MAX_BYTES + 1)]) {
            _ if bytes.len() > MAX_BYTES => {
                let message = "the file has more than 262144 bytes";
                let whole = At { file, ..At::default() };
                return Self::unreadable(name, bytes, "too-large", whole, message, "at most 262144 bytes (256 KiB)");
            }
            Ok(text) => text,
            Err(error) => {
                let valid = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
                let line = valid.matches('\n').count() + 1;
                let column = valid.rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1;
                let number = |number| u32::try_from(number).unwrap_or(0);
                let at = At { file, line: number(line), column: number(column) };
                return Self::unreadable(name, bytes, "not-utf8", at, "the file is not UTF-8 from here on", "UTF-8");
            }
        };
        let source = Source::new(name, text);
        let mut report = Report::new(file, source.clone());
        let tree = parse(text, &mut report);
        let mut sheet = Self { name, kind: None, root: None, comments: tree.comments, source, report };
        match tree.root {
            None if sheet.report.has_errors() => sheet.kind = told_kind(text),
            root => sheet.identify(root),
        }
        sheet
    }

    /// The value of `extends`, if the file has one.
    pub fn extends(&self) -> Option<&Entry> {
        let Some(Node { value: Value::Map(entries), .. }) = &self.root else { return None };
        entries.iter().find(|entry| entry.key == "extends")
    }

    fn unreadable(name: &'a str, bytes: &'a [u8], id: &'static str, at: At, message: &str, expected: &str) -> Self {
        // The longest part that is text: enough to show the place, and to see what the file says it is.
        let text = match std::str::from_utf8(&bytes[..bytes.len().min(MAX_BYTES)]) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
        };
        let source = Source::new(name, text);
        let mut report = Report::new(at.file, source.clone());
        report.error(id, at, message, expected);
        Self { name, kind: told_kind(text), root: None, comments: Comments::new(), source, report }
    }

    /// Finds out what the file is. Anything but a hand-off contract is set aside with a notice.
    fn identify(&mut self, root: Option<Node>) {
        self.root = root.and_then(|root| self.handoff(root));
        if self.root.is_none() {
            // Tags and the like are no errors in a file that is not ours.
            self.report.drop_errors();
        }
        if self.root.is_none() && self.report.is_silent() {
            let whole = self.report.whole();
            self.report.notice("no-kind", whole, "the file is empty, so it is ignored", "kind: handoff");
        }
    }

    fn handoff(&mut self, root: Node) -> Option<Node> {
        let report = &mut self.report;
        let whole = report.whole();
        let Value::Map(entries) = &root.value else {
            let message = "the file has no `kind`, so it is no contract and ignored";
            report.notice("no-kind", whole, message, "kind: handoff");
            return None;
        };
        let map = Keys::new(root.at, entries);
        let Some(entry) = map.entry("kind") else {
            if tasuki::is_profile(self.name, map) {
                self.kind = Some(Kind::Handoff);
                return Some(tasuki::translate(root, report));
            }
            let message = "the file has no `kind`, so it is no contract and ignored";
            report.notice("no-kind", whole, message, "kind: handoff");
            return None;
        };
        let Value::Text(word) = &entry.value.value else {
            report.notice("no-kind", root.at, "the file's `kind` is no word, so the file is ignored", "kind: handoff");
            return None;
        };
        self.kind = Kind::parse(word);
        match self.kind {
            Some(Kind::Handoff) => {
                report.check_keys(map, "a contract", &ROOT);
                return Some(root);
            }
            Some(kind) => {
                let message = format!("a contract of kind {} is not judged by this version", kind.as_str());
                report.notice("other-kind", entry.value.at, message, "");
            }
            None => {
                let kinds = Kind::ALL.map(Kind::as_str);
                let message = format!("`{}` is no kind of contract, so the file is ignored", short(word));
                if nearest(word, kinds).is_some() {
                    let message = format!("{message}{}", did_you_mean(word, kinds));
                    report.warning("unknown-kind", entry.value.at, message, one_of(kinds));
                } else {
                    report.notice("unknown-kind", entry.value.at, message, one_of(kinds));
                }
            }
        }
        None
    }
}

/// What a contract file is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The hand-off gates of chapter 3.
    Handoff,
    /// The six-field diagnosis (chapter 6).
    Diagnosis,
    /// The layered critic (chapter 5).
    Critic,
    /// The review of change proposals (chapter 7).
    Openspec,
}

impl Kind {
    const ALL: [Self; 4] = [Self::Handoff, Self::Diagnosis, Self::Critic, Self::Openspec];

    /// The word that `kind:` holds.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Handoff => "handoff",
            Self::Diagnosis => "diagnosis",
            Self::Critic => "critic",
            Self::Openspec => "openspec",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// What the text of a file that does not parse says it is: its `kind`, else a hand-off contract by its other keys.
fn told_kind(text: &str) -> Option<Kind> {
    if let Some(value) = text.lines().find_map(|line| line.strip_prefix("kind:")) {
        let word = value.split('#').next().unwrap_or_default().trim().trim_matches(['"', '\'']);
        return Kind::parse(word);
    }
    let ours = text.lines().any(|line| line.starts_with("gates:") || line.starts_with("phases:"));
    ours.then_some(Kind::Handoff)
}
