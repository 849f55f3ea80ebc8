//! A file's bytes become a [`Loaded`]: a contract, laid over what it extends, or all that keeps it from being one.

use super::bases::{Bases, chain};
use super::document::{Document, Ground, Reading, document};
use super::gates::Declared;
use super::merge::lay;
use super::model::{Contract, Origin};
use super::phases::SameTexts;
use super::problem::{Problem, Severity};
use super::sheet::{Kind, Sheet};
use super::tree::{Comments, Node};
use crate::domain::ids::CommitSha;

/// One file, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// The file, as it was named.
    pub path: String,
    /// What it says it is, also where it does not parse: a broken contract is never passed over in favour of another.
    pub kind: Option<Kind>,
    /// The contract: only where the file is a hand-off contract without an error.
    pub contract: Option<Contract>,
    /// Everything found, in the file's order; then the errors of what it extends, each under its own path.
    pub problems: Vec<Problem>,
    /// The gates that it declares or inherits, in their order.
    pub declared: Vec<Declared>,
    /// The files that it extends, as they are named, the nearest first; no built-in.
    pub extends: Vec<String>,
}

impl Loaded {
    /// Whether it can't be used.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.problems.iter().any(|problem| problem.severity == Severity::Error)
    }
}

/// A file, and what its signals hold for plain strings of other contracts.
pub(super) struct Read {
    pub loaded: Loaded,
    pub same_texts: SameTexts,
}

/// What the files behind one of a chain give.
struct Base {
    /// All of them, laid over each other; none where they can't be used.
    root: Option<Node>,
    comments: Comments,
    document: Document,
    problems: Vec<Problem>,
    kind: Option<Kind>,
    name: String,
}

/// Reads one contract file; plain-string signals take over what `known` holds for their text.
pub(super) fn read(path: &str, bytes: &[u8], commit: Option<&CommitSha>, bases: &Bases, known: &SameTexts) -> Read {
    let sheets = chain(path, bytes, bases).sheets;
    let extends = sheets.iter().skip(1).map(|sheet| sheet.name.to_owned());
    let extends: Vec<String> = extends.filter(|name| !name.starts_with("builtin:")).collect();
    let sources: Vec<_> = sheets.iter().map(|sheet| sheet.source.clone()).collect();
    let mut base: Option<Base> = None;
    for (place, mut sheet) in sheets.into_iter().enumerate().rev() {
        for source in sources.iter().skip(place + 1) {
            sheet.report.base(source.clone());
        }
        let origin = Origin { path: sheet.name.to_owned(), commit: commit.cloned() };
        base = Some(level(sheet, base, origin, known));
    }
    // A chain has at least the file itself.
    let (document, problems, kind) = match base {
        Some(top) => (top.document, top.problems, top.kind),
        None => (Document::default(), Vec::new(), None),
    };
    let Document { contract, declared, same_texts } = document;
    Read { loaded: Loaded { path: path.to_owned(), kind, contract, problems, declared, extends }, same_texts }
}

/// One file over its base.
fn level(mut sheet: Sheet<'_>, base: Option<Base>, origin: Origin, known: &SameTexts) -> Base {
    let extends = sheet.extends().map(|entry| entry.value.at);
    let Some(root) = sheet.root.take() else {
        return Base {
            root: None,
            comments: Comments::new(),
            document: Document::default(),
            problems: sheet.report.finish(),
            kind: sheet.kind,
            name: origin.path,
        };
    };
    let report = &mut sheet.report;
    let mut comments = sheet.comments;
    let mut under = Document::default();
    let mut broken = extends.is_some();
    let mut root = root;
    if let (Some(at), Some(mut base)) = (extends, base) {
        report.inherit(report.file() + 1, &base.problems);
        match (base.root, base.document.contract.is_some()) {
            (Some(ground), true) => {
                root = lay(ground, root);
                comments.append(&mut base.comments);
                under = base.document;
                broken = false;
            }
            _ if base.kind != Some(Kind::Handoff) => {
                let message = format!("`{}` is no hand-off contract", base.name);
                report.error("extends-kind", at, message, "a file with kind: handoff");
            }
            _ => {
                let message = format!("`{}` can't be used itself", base.name);
                report.error("extends-broken", at, message, "a contract without an error");
            }
        }
    }
    let ground = match &under.contract {
        Some(contract) => Ground::Contract(contract),
        None if broken => Ground::Broken,
        None => Ground::Bare,
    };
    let reading = Reading { root: &root, comments: &comments, known, ground, extends };
    let document = document(&reading, origin.clone(), report);
    Base { root: Some(root), comments, document, problems: sheet.report.finish(), kind: sheet.kind, name: origin.path }
}
