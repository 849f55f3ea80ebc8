//! What a contract may extend: a built-in, or another file of its repository. Whoever calls fetches the files; here only
//! their texts are known.

use super::report::{At, Report};
use super::shape::one_of;
use super::sheet::Sheet;
use super::shipped::BUILTINS;
use super::tree::{Entry, Value, short};
use std::collections::BTreeMap;
use std::path::Path;

/// A chain of `extends` has at most this many files, the built-in at its end not counted.
pub const MAX_CHAIN: usize = 8;

/// Files that contracts extend, by the path that `extends` gives: `shared/base.yaml`, from the root of the repository.
/// All are of one commit.
#[derive(Clone, Debug, Default)]
pub struct Bases(BTreeMap<String, Base>);

#[derive(Clone, Debug)]
enum Base {
    Found { name: String, bytes: Vec<u8> },
    Missing { why: String },
}

impl Bases {
    /// The file at this path, and how problems name it: its path, or what a person calls it on their disk.
    pub fn found(&mut self, path: &str, name: impl Into<String>, bytes: Vec<u8>) {
        self.0.insert(path.to_owned(), Base::Found { name: name.into(), bytes });
    }

    /// There is no such file, or it can't be read; `why` ends the sentence "`shared/base.yaml` …".
    pub fn missing(&mut self, path: &str, why: impl Into<String>) {
        self.0.insert(path.to_owned(), Base::Missing { why: why.into() });
    }
}

/// A file with all that it extends, the file itself first.
pub(super) struct Chain<'a> {
    /// The files that could be opened.
    pub sheets: Vec<Sheet<'a>>,
    /// The next file, where nobody has said yet what it holds.
    pub wanted: Option<String>,
}

/// Opens a file and what it extends. A problem of a step is reported in the file whose `extends` asks for it.
pub(super) fn chain<'a>(path: &'a str, bytes: &'a [u8], bases: &'a Bases) -> Chain<'a> {
    let mut sheets = vec![Sheet::open(0, path, bytes)];
    // The paths that were followed, and how each file is called.
    let mut followed: Vec<(&str, &str)> = vec![(path, path)];
    let mut wanted = None;
    while let Some(sheet) = sheets.last_mut() {
        let Some(entry) = sheet.extends().cloned() else { break };
        let Some(target) = target(&entry, &mut sheet.report) else { break };
        let at = entry.value.at;
        let file = u8::try_from(followed.len()).unwrap_or(u8::MAX);
        if let Some(builtin) = BUILTINS.iter().find(|builtin| builtin.name == target) {
            sheets.push(Sheet::open(file, builtin.name, builtin.text.as_bytes()));
            break;
        }
        if let Some(from) = followed.iter().position(|(path, _)| *path == target) {
            let names = followed[from..].iter().map(|(_, name)| *name).chain([followed[from].1]);
            let message = format!("these files extend each other: {}", names.collect::<Vec<_>>().join(" → "));
            sheet.report.error("extends-cycle", at, message, "a chain that ends");
            break;
        }
        if followed.len() == MAX_CHAIN {
            let message = format!("this is the file number {MAX_CHAIN} of a chain of `extends`, and it goes on");
            sheet.report.error("extends-depth", at, message, format!("at most {MAX_CHAIN} files"));
            break;
        }
        let found = match bases.0.get_key_value(&target) {
            Some((path, Base::Found { name, bytes })) => Some((path.as_str(), name.as_str(), bytes)),
            Some((_, Base::Missing { why })) => {
                missing(&target, why, at, &mut sheet.report);
                None
            }
            None => {
                missing(&target, "is not at hand here", at, &mut sheet.report);
                wanted = Some(target);
                None
            }
        };
        let Some((path, name, bytes)) = found else { break };
        followed.push((path, name));
        sheets.push(Sheet::open(file, name, bytes));
    }
    Chain { sheets, wanted }
}

fn missing(path: &str, why: &str, at: At, report: &mut Report<'_>) {
    let message = format!("`{}` {why}", short(path));
    report.error(
        "extends-missing",
        at,
        message,
        "a built-in, or the path of a contract from the root of the repository",
    );
}

/// What `extends` names: a built-in or a path that stays inside the repository.
fn target(entry: &Entry, report: &mut Report<'_>) -> Option<String> {
    let node = &entry.value;
    let Value::Text(text) = &node.value else {
        report.wrong_type(node, "`extends`", "the name of a built-in, or a path in this repository");
        return None;
    };
    if text.starts_with("builtin:") {
        let names = BUILTINS.map(|builtin| builtin.name);
        let known = names.contains(&text.as_str());
        if !known {
            let message = format!("there is no `{}`", short(text));
            report.error("extends-missing", node.at, message, one_of(names));
        }
        return known.then(|| text.clone());
    }
    let segment = |part: &str| !part.is_empty() && part != "." && part != ".." && !part.contains(['\\', '\0', ':']);
    let inside = text.len() <= 500 && text.split('/').all(segment) && text.trim() == text;
    let yaml = Path::new(text).extension().is_some_and(|end| end == "yaml" || end == "yml");
    if !(inside && yaml) {
        let message = format!("`{}` is no path of a contract in this repository", short(text));
        report.error("extends-path", node.at, message, "a path such as shared/base.yaml, from the root, without `..`");
        return None;
    }
    Some(text.clone())
}
