//! Labelled texts: JSON Lines, or YAML lists as the project's own under `contracts/examples` (chapter 2).

use crate::domain::ids::GateId;
use crate::domain::record::Verdict;
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// Largest file that is read, in bytes.
const LIMIT: u64 = 64 * 1024 * 1024;

/// A text with the verdict that a person gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Labelled {
    /// Its name, once in an evaluation.
    pub id: String,
    /// The gate.
    pub gate: GateId,
    /// The text.
    pub text: String,
    /// The reference text of chapter 3.
    pub against: Option<String>,
    /// The verdict that is right.
    pub expected: Verdict,
    /// Another that can be defended.
    pub alt: Option<Verdict>,
    /// Criteria that match.
    pub expected_signals: Vec<String>,
    /// Criteria that may match or not.
    pub optional_signals: Vec<String>,
    /// What kind of text it is.
    pub tags: Vec<String>,
    /// Why the label is what it is.
    pub note: Option<String>,
}

/// A case as files write it; other keys, such as the language, are theirs.
#[derive(Deserialize)]
struct Written {
    id: Option<String>,
    gate: String,
    #[serde(alias = "input")]
    text: String,
    #[serde(alias = "requirements")]
    against: Option<String>,
    expected_verdict: Verdict,
    alt_verdict: Option<Verdict>,
    #[serde(alias = "expected_reasons", default)]
    expected_signals: Vec<String>,
    #[serde(default)]
    optional_signals: Vec<String>,
    #[serde(default)]
    tags: Vec<String>,
    note: Option<String>,
}

/// Entries with this tag hold made-up secrets with a `~` inside, which is taken out: so no scanner takes the file for a leak.
const TILDE: &str = "tilde";

impl Written {
    fn labelled(self, name: impl Fn() -> String) -> Result<Labelled, String> {
        let clean = |text: String| if self.tags.iter().any(|tag| tag == TILDE) { text.replace('~', "") } else { text };
        Ok(Labelled {
            id: self.id.unwrap_or_else(name),
            gate: self.gate.parse().map_err(|error: crate::domain::ids::NotAGate| error.to_string())?,
            text: clean(self.text),
            against: self.against,
            expected: self.expected_verdict,
            alt: self.alt_verdict,
            expected_signals: self.expected_signals,
            optional_signals: self.optional_signals,
            note: self.note,
            tags: self.tags,
        })
    }
}

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
    let mut seen = HashMap::new();
    for case in cases {
        if seen.insert(case.id.as_str(), ()).is_some() {
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
        Some(Kind::Jsonl) => text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty())
            .map(|(index, line)| {
                let place = |error: String| format!("{}:{}: {error}", path.display(), index + 1);
                let written: Written = serde_json::from_str(line).map_err(|error| place(error.to_string()))?;
                written.labelled(|| format!("{stem}-{}", index + 1)).map_err(place)
            })
            .collect(),
        Some(Kind::Yaml) => {
            let written: Vec<Written> =
                serde_saphyr::from_str(text).map_err(|error| format!("{}: {error}", path.display()))?;
            let cases = written.into_iter().enumerate().map(|(index, written)| {
                let name = || format!("{stem}-{}", index + 1);
                let place = |error: String| format!("{}: entry {}: {error}", path.display(), index + 1);
                written.labelled(name).map_err(place)
            });
            cases.collect()
        }
        None => Err(format!("{}: expected a .jsonl, .yaml or .yml file, or a folder of them", path.display())),
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
    use proptest::prelude::*;

    fn parsed(name: &str, text: &str) -> Result<Vec<Labelled>, String> {
        parse(Path::new(name), text)
    }

    #[test]
    fn both_shapes_say_the_same() {
        let json = r###"{"id":"a","gate":"start","lang":"en","text":"## Purpose\nx","against":"R-1","expected_verdict":"PASS","alt_verdict":"TOO_ABSTRACT","expected_signals":["s"],"expected_missing_fields":[],"tags":["t"],"note":"n"}"###;
        let yaml = "- id: a\n  gate: start\n  input: |-\n    ## Purpose\n    x\n  requirements: R-1\n  expected_verdict: PASS\n  alt_verdict: TOO_ABSTRACT\n  expected_reasons: [s]\n  tags: [t]\n  note: n\n";
        let (json, yaml) = (parsed("a.jsonl", json).unwrap(), parsed("a.yaml", yaml).unwrap());
        assert_eq!(json, yaml);
        assert_eq!((json[0].alt, json[0].against.as_deref()), (Some(Verdict::TooAbstract), Some("R-1")));
    }

    #[test]
    fn entries_without_a_name_are_named_by_their_place_and_tildes_go() {
        let yaml = "- {gate: intake, input: 'gh~p_x', expected_verdict: TOO_CONCRETE, tags: [tilde]}\n- {gate: start, input: '~', expected_verdict: PASS}\n";
        let cases = parsed("dir/mine.yaml", yaml).unwrap();
        let seen: Vec<_> = cases.iter().map(|case| (case.id.as_str(), case.gate, case.text.as_str())).collect();
        assert_eq!(seen, [("mine-1", GateId::Acceptance, "ghp_x"), ("mine-2", GateId::Start, "~")]);
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
        check("a.yaml", "- {gate: start, input: x}\n", "a.yaml: ");
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

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in ".{0,200}") {
            let _ = parsed("a.jsonl", &text);
            let _ = parsed("a.yaml", &text);
        }
    }
}
