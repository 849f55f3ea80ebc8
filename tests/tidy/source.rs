//! Rust files as the laws see them: flat tokens that know their line, their module and whether only tests see them.
//!
//! Comments and strings are no code, so a law that reads tokens is never fooled by prose.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// One Rust file.
pub struct Source {
    /// From the root of the repository, with `/`.
    pub path: String,
    /// As it stands.
    pub text: String,
    /// Its tokens, groups opened.
    pub tokens: Vec<Token>,
}

/// One token.
pub struct Token {
    pub kind: Kind,
    /// From 1.
    pub line: usize,
    /// The module it stands in, such as `["domain", "text"]`.
    pub module: Vec<String>,
    /// Whether it stands under `#[cfg(test)]` or in a file of tests.
    pub test: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    Word(String),
    Mark(char),
    Open(char),
    Close(char),
    Literal(String),
}

/// A path in code: `crate::domain::ids::Login`, one for each leaf of a grouped import.
#[derive(Debug, PartialEq, Eq)]
pub struct Named {
    pub segments: Vec<String>,
    pub line: usize,
    pub module: Vec<String>,
    pub test: bool,
    /// `pub use`: a name that others may take from here.
    pub exported: bool,
}

/// A place where a law is broken.
#[derive(Debug)]
pub struct Breach {
    pub path: String,
    /// From 1; 0 = the file as a whole.
    pub line: usize,
    pub what: String,
}

impl Breach {
    pub fn new(path: &str, line: usize, what: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, what: what.into() }
    }
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.path, self.what),
            line => write!(f, "{}:{line}: {}", self.path, self.what),
        }
    }
}

/// The root of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All files below a folder, sorted, as paths from `base`; nothing where the folder is missing.
pub fn files(base: &Path, folder: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![PathBuf::from(folder)];
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs::read_dir(base.join(&folder)) else { continue };
        for entry in entries.map(|entry| entry.expect("a folder of the repository can be read")) {
            let path = folder.join(entry.file_name());
            if entry.file_type().expect("a file has a type").is_dir() {
                open.push(path);
            } else {
                found.push(path.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    found.sort();
    found
}

/// Every Rust file below a folder of the repository.
pub fn sources(folder: &str) -> Vec<Source> {
    files(root(), folder)
        .into_iter()
        .filter(|path| Path::new(path).extension().is_some_and(|end| end == "rs"))
        .map(|path| {
            let text = fs::read_to_string(root().join(&path)).expect("a Rust file is UTF-8");
            Source::new(&path, &text)
        })
        .collect()
}

impl Source {
    /// Takes a file apart.
    pub fn new(path: &str, text: &str) -> Self {
        let stream: TokenStream = text.parse().unwrap_or_else(|error| panic!("{path} is no Rust: {error}"));
        let module = module_of(path);
        let mut tokens = Vec::new();
        flatten(stream, &module, is_test_file(path), &mut tokens);
        Self { path: path.to_owned(), text: text.to_owned(), tokens }
    }

    /// The module that the file is: `src/domain/text/mod.rs` is `["domain", "text"]`.
    pub fn module(&self) -> Vec<String> {
        module_of(&self.path)
    }

    /// Whether the file holds only tests.
    pub fn is_tests(&self) -> bool {
        is_test_file(&self.path)
    }

    /// The token at `index`, if it is this word.
    pub fn word(&self, index: usize) -> Option<&str> {
        match self.tokens.get(index).map(|token| &token.kind) {
            Some(Kind::Word(word)) => Some(word),
            _ => None,
        }
    }

    pub fn is(&self, index: usize, kind: &Kind) -> bool {
        self.tokens.get(index).is_some_and(|token| token.kind == *kind)
    }

    /// Whether `::` stands at `index`.
    pub fn joins(&self, index: usize) -> bool {
        self.is(index, &Kind::Mark(':')) && self.is(index + 1, &Kind::Mark(':'))
    }

    /// Every string and number of the code; a doc comment is none.
    pub fn literals(&self) -> impl Iterator<Item = &str> {
        self.tokens.iter().enumerate().filter_map(|(at, token)| match &token.kind {
            Kind::Literal(literal) if at < 2 || self.word(at - 2) != Some("doc") => Some(literal.as_str()),
            _ => None,
        })
    }

    /// Every path of the file, imports and code alike; the path of a `pub(in …)` is none.
    pub fn names(&self) -> Vec<Named> {
        let mut names = Vec::new();
        let mut at = 0;
        while at < self.tokens.len() {
            let before = |steps: usize| at.checked_sub(steps).and_then(|index| self.word(index));
            let marked = |steps: usize, mark: Kind| at.checked_sub(steps).is_some_and(|index| self.is(index, &mark));
            let visibility = (before(2) == Some("pub") && marked(1, Kind::Open('(')))
                || (before(3) == Some("pub") && before(1) == Some("in"));
            let qualified = marked(1, Kind::Mark(':')) && marked(2, Kind::Mark(':')) && marked(3, Kind::Mark('>'));
            if self.word(at).is_none() || visibility || qualified {
                at += 1;
                continue;
            }
            let exported = before(1) == Some("use") && (before(2) == Some("pub") || marked(2, Kind::Close(')')));
            let first = names.len();
            at = self.tree(at, &[], &mut names);
            for name in &mut names[first..] {
                name.exported = exported;
            }
        }
        names
    }

    /// Reads one tree of a path from a word on; says where it ends.
    fn tree(&self, start: usize, prefix: &[String], names: &mut Vec<Named>) -> usize {
        let mut segments = prefix.to_vec();
        let mut at = start;
        while let Some(word) = self.word(at) {
            segments.push(word.to_owned());
            at += 1;
            if !self.joins(at) {
                break;
            }
            if self.is(at + 2, &Kind::Mark('*')) {
                segments.push("*".to_owned());
                at += 3;
                break;
            }
            if self.is(at + 2, &Kind::Open('{')) {
                at += 3;
                while at < self.tokens.len() && !self.is(at, &Kind::Close('}')) {
                    if self.is(at, &Kind::Mark('*')) {
                        let leaf = [&segments[..], &["*".to_owned()]].concat();
                        self.name(at, leaf, names);
                        at += 1;
                    } else if self.word(at).is_some() {
                        at = self.tree(at, &segments, names);
                        if self.word(at) == Some("as") {
                            at += 2;
                        }
                    } else {
                        at += 1;
                    }
                }
                return at + 1;
            }
            if self.word(at + 2).is_none() {
                break; // a turbofish
            }
            at += 2;
        }
        self.name(start, segments, names);
        at
    }

    fn name(&self, at: usize, mut segments: Vec<String>, names: &mut Vec<Named>) {
        if segments.len() > 1 && segments.last().is_some_and(|last| last == "self") {
            segments.pop();
        }
        let token = &self.tokens[at];
        names.push(Named {
            segments,
            line: token.line,
            module: token.module.clone(),
            test: token.test,
            exported: false,
        });
    }
}

impl Named {
    /// The path from the root of this crate, if it begins there: `crate`, `self`, `super` or the crate's own name.
    pub fn in_crate(&self) -> Option<Vec<String>> {
        let mut module = self.module.clone();
        let mut rest = &self.segments[..];
        match rest.first()?.as_str() {
            "crate" => {
                module.clear();
                rest = &rest[1..];
            }
            "sekisho" if rest.len() > 1 => {
                module.clear();
                rest = &rest[1..];
            }
            "self" if rest.len() > 1 => rest = &rest[1..],
            "super" => {}
            _ => return None,
        }
        while rest.first().is_some_and(|segment| segment == "super") {
            module.pop();
            rest = &rest[1..];
        }
        module.extend(rest.iter().cloned());
        Some(module)
    }
}

fn module_of(path: &str) -> Vec<String> {
    let inner = path.strip_prefix("src/").unwrap_or(path).trim_end_matches(".rs");
    let mut module: Vec<String> = inner.split('/').map(str::to_owned).collect();
    if module.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
        module.pop();
    }
    module
}

fn is_test_file(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.contains("/tests/") || path.starts_with("tests/")
}

fn flatten(stream: TokenStream, module: &[String], test: bool, into: &mut Vec<Token>) {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    let word = |index: usize| match trees.get(index) {
        Some(TokenTree::Ident(ident)) => Some(ident.to_string()),
        _ => None,
    };
    let mut only_test = false;
    for (index, tree) in trees.iter().enumerate() {
        let mut put = |kind, span: proc_macro2::Span, test| {
            into.push(Token { kind, line: span.start().line, module: module.to_vec(), test });
        };
        match tree {
            TokenTree::Ident(ident) => put(Kind::Word(ident.to_string()), ident.span(), test || only_test),
            TokenTree::Literal(literal) => put(Kind::Literal(literal.to_string()), literal.span(), test || only_test),
            TokenTree::Punct(mark) => {
                put(Kind::Mark(mark.as_char()), mark.span(), test || only_test);
                if mark.as_char() == ';' {
                    only_test = false;
                }
            }
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ('(', ')'),
                    Delimiter::Brace => ('{', '}'),
                    Delimiter::Bracket => ('[', ']'),
                    Delimiter::None => (' ', ' '),
                };
                // The body of a macro is a template: tests in it stand where it is used.
                let template = index >= 3 && word(index - 3).as_deref() == Some("macro_rules");
                if open == '[' && group.stream().to_string().replace(' ', "") == "cfg(test)" {
                    only_test = true;
                }
                let stream = if template { without_tests(group.stream()) } else { group.stream() };
                let inline = index >= 2 && open == '{' && word(index - 2).as_deref() == Some("mod");
                let mut inner = module.to_vec();
                inner.extend(inline.then(|| word(index - 1)).flatten());
                put(Kind::Open(open), group.span_open(), test || only_test);
                flatten(stream, &inner, test || only_test, into);
                let line = group.span_close().start().line;
                into.push(Token { kind: Kind::Close(close), line, module: module.to_vec(), test: test || only_test });
                if open == '{' {
                    only_test = false;
                }
            }
        }
    }
}

/// A macro's body less its `#[cfg(test)]` attributes.
fn without_tests(stream: TokenStream) -> TokenStream {
    let mut kept: Vec<TokenTree> = Vec::new();
    for tree in stream {
        match tree {
            TokenTree::Group(group) if group.stream().to_string().replace(' ', "") == "cfg(test)" => {
                kept.pop_if(|before| matches!(before, TokenTree::Punct(mark) if mark.as_char() == '#'));
            }
            TokenTree::Group(group) => {
                let mut inner = proc_macro2::Group::new(group.delimiter(), without_tests(group.stream()));
                inner.set_span(group.span());
                kept.push(TokenTree::Group(inner));
            }
            other => kept.push(other),
        }
    }
    kept.into_iter().collect()
}
