//! Labelled texts: JSON Lines, or YAML lists as the project's own under `contracts/examples` (chapter 2).

use crate::domain::gates::labelled::{self, Unreadable};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

pub(super) use crate::domain::gates::labelled::Labelled;

/// Largest file that is read, in bytes.
const LIMIT: u64 = 64 * 1024 * 1024;

/// The cases of a file, or of every file directly in a folder, in the files' order.
///
/// # Errors
/// What cannot be read, with file and line.
pub(super) fn read(path: &Path) -> Result<Vec<Labelled>, String> {
    if !path.is_dir() {
        return parse(path, &text(path)?);
    }
    let entries = std::fs::read_dir(path).and_then(Iterator::collect::<std::io::Result<Vec<_>>>);
    let entries = entries.map_err(|error| format!("{}: {error}", path.display()))?;
    let mut files: Vec<PathBuf> =
        entries.iter().map(std::fs::DirEntry::path).filter(|path| kind(path).is_some()).collect();
    files.sort();
    if files.is_empty() {
        return Err(format!("{}: holds no .jsonl, .yaml or .yml file", path.display()));
    }
    let mut all = Vec::new();
    for file in files {
        all.extend(parse(&file, &text(&file)?)?);
    }
    Ok(all)
}

/// A map of names of signals: what the labels call them, and what the contract does.
///
/// # Errors
/// What cannot be read, with file and line.
pub(super) fn names(path: &Path) -> Result<BTreeMap<String, String>, String> {
    serde_saphyr::from_str(&text(path)?).map_err(|error| format!("{}: {error}", path.display()))
}

/// Each case is named once: flips between evaluations are told by name.
///
/// # Errors
/// The first name that stands twice.
pub(super) fn unique(cases: &[Labelled]) -> Result<(), String> {
    let mut seen = HashSet::new();
    for case in cases {
        if !seen.insert(case.id.as_str()) {
            return Err(format!("the id `{}` stands twice among the labelled texts", case.id));
        }
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Jsonl,
    Yaml,
}

fn kind(path: &Path) -> Option<Kind> {
    match path.extension().and_then(std::ffi::OsStr::to_str) {
        Some("jsonl") => Some(Kind::Jsonl),
        Some("yaml" | "yml") => Some(Kind::Yaml),
        _ => None,
    }
}

fn parse(path: &Path, text: &str) -> Result<Vec<Labelled>, String> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    match kind(path) {
        Some(Kind::Jsonl) => labelled::json_lines(&stem, text).map_err(|error| said(path, &error)),
        Some(Kind::Yaml) => labelled::yaml(&stem, text).map_err(|error| said(path, &error)),
        None => Err(format!("{}: expected a .jsonl, .yaml or .yml file, or a folder of them", path.display())),
    }
}

fn said(path: &Path, error: &Unreadable) -> String {
    let path = path.display();
    match (error.entry, error.line) {
        (Some(entry), _) => format!("{path}: entry {entry}: {}", error.message),
        (None, Some(line)) => format!("{path}:{line}: {}", error.message),
        (None, None) => format!("{path}: {}", error.message),
    }
}

fn text(path: &Path) -> Result<String, String> {
    let place = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let size = std::fs::metadata(path).map_err(|error| place(&error))?.len();
    if size > LIMIT {
        return Err(place(&format!("larger than {LIMIT} bytes")));
    }
    let bytes = std::fs::read(path).map_err(|error| place(&error))?;
    String::from_utf8(bytes).map_err(|error| place(&format!("not UTF-8 at byte {}", error.utf8_error().valid_up_to())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(name: &str, text: &str) -> Result<Vec<Labelled>, String> {
        parse(Path::new(name), text)
    }

    #[test]
    fn problems_say_where() {
        let check = |name: &str, text: &str, expect: &str| {
            let error = parsed(name, text).unwrap_err();
            assert!(error.starts_with(expect), "{error}");
        };
        check("a.jsonl", "\n{\"gate\":1}\n", "a.jsonl:2: invalid type: integer `1`");
        check("a.jsonl", r#"{"gate":"begin","text":"","expected_verdict":"PASS"}"#, "a.jsonl:1: `begin` is not a gate");
        check(
            "a.jsonl",
            r#"{"gate":"start","text":"","expected_verdict":"GOOD"}"#,
            "a.jsonl:1: unknown variant `GOOD`",
        );
        check("a.yaml", "- {gate: start, input: x}\n", "a.yaml:1: ");
        check(
            "a.yaml",
            "- {gate: begin, input: x, expected_verdict: PASS}\n",
            "a.yaml: entry 1: `begin` is not a gate",
        );
        check("a.txt", "", "a.txt: expected a .jsonl");
    }

    #[test]
    fn a_name_stands_once() {
        let case = r#"{"id":"a","gate":"start","text":"","expected_verdict":"PASS"}"#;
        let cases = parsed("a.jsonl", &format!("{case}\n{case}\n")).unwrap();
        assert_eq!(unique(&cases), Err("the id `a` stands twice among the labelled texts".to_owned()));
    }
}
