//! `sekisho contract check`: reads contract files and shows every problem with its line, for people or as JSON.

use super::on_disk;
use crate::domain::contract::{BUILTINS, Loaded, Problem, Severity, conflicts};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// How the problems are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Format {
    /// For people: each problem with its line and a mark under the column.
    #[default]
    Text,
    /// A JSON array of problems.
    Json,
}

/// Nothing but warnings and notices.
const GOOD: u8 = 0;
/// At least one error.
const FINDINGS: u8 = 1;
/// A path that can't be read, or a file that is no UTF-8.
const UNREADABLE: u8 = 2;

/// Checks files, and every `*.yaml` and `*.yml` below folders. Returns the command's exit code: 0 good, 1 at least one error,
/// 2 something could not be read at all (chapter 2).
///
/// # Errors
///
/// Only where `out` can't be written; what can't be read is a problem among the others.
pub fn check(paths: &[PathBuf], format: Format, out: &mut impl Write) -> io::Result<u8> {
    let mut checked = Checked::default();
    for path in paths {
        if path.is_dir() {
            checked.folder(path);
        } else {
            let loaded = checked.file(path);
            checked.problems.extend(loaded.map(|loaded| loaded.problems).unwrap_or_default());
        }
    }
    match format {
        Format::Text => checked.write_text(out)?,
        Format::Json => {
            serde_json::to_writer_pretty(&mut *out, &checked.problems)?;
            writeln!(out)?;
        }
    }
    Ok(checked.code())
}

/// What was found so far.
#[derive(Default)]
struct Checked {
    files: usize,
    problems: Vec<Problem>,
}

impl Checked {
    fn code(&self) -> u8 {
        let errors = || self.problems.iter().filter(|problem| problem.severity == Severity::Error);
        if errors().any(|problem| matches!(problem.id, "unreadable" | "not-utf8")) {
            UNREADABLE
        } else if errors().next().is_some() {
            FINDINGS
        } else {
            GOOD
        }
    }

    fn file(&mut self, path: &Path) -> Option<Loaded> {
        let name = path.display().to_string();
        self.files += 1;
        match on_disk::load_file(path) {
            Ok(loaded) => Some(loaded),
            Err(error) => {
                self.unreadable(name, &error);
                None
            }
        }
    }

    fn unreadable(&mut self, path: String, error: &io::Error) {
        self.problems.push(Problem {
            id: "unreadable",
            severity: Severity::Error,
            path,
            line: 0,
            column: 0,
            source: String::new(),
            message: format!("can't be read: {error}"),
            expected: "a contract file, or a folder of them".to_owned(),
        });
    }

    /// Checks the files of a folder, which would be in force together, and then the folders in it.
    fn folder(&mut self, folder: &Path) {
        let entries = std::fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let mut paths: Vec<PathBuf> = match entries {
            Ok(entries) => entries.iter().map(std::fs::DirEntry::path).collect(),
            Err(error) => return self.unreadable(folder.display().to_string(), &error),
        };
        paths.sort();
        let mut together = Vec::new();
        for path in paths.iter().filter(|path| path.is_file() && is_yaml(path)) {
            if let Some(loaded) = self.file(path) {
                self.problems.extend(loaded.problems.iter().cloned());
                together.push(loaded);
            }
        }
        let as_shipped = together.iter().filter(|loaded| !loaded.declared.is_empty()).all(|loaded| {
            std::fs::read(&loaded.path).is_ok_and(|bytes| BUILTINS.iter().any(|known| known.text.as_bytes() == bytes))
        });
        self.problems.extend(conflicts(&together).into_iter().map(|problem| {
            // The folder of the shipped contracts is there to be copied from; both at once are in force nowhere.
            let severity = if as_shipped { Severity::Warning } else { problem.severity };
            Problem { severity, ..problem }
        }));
        // A link to a folder above would never end.
        for inner in paths.iter().filter(|path| path.is_dir() && !path.is_symlink()) {
            self.folder(inner);
        }
    }

    fn write_text(&self, out: &mut impl Write) -> io::Result<()> {
        for problem in &self.problems {
            write_problem(problem, out)?;
        }
        let count = |severity| self.problems.iter().filter(|problem| problem.severity == severity).count();
        writeln!(
            out,
            "{}: {}, {}, {}",
            counted(self.files, "file"),
            counted(count(Severity::Error), "error"),
            counted(count(Severity::Warning), "warning"),
            counted(count(Severity::Notice), "notice"),
        )
    }
}

fn is_yaml(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml")
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn write_problem(problem: &Problem, out: &mut impl Write) -> io::Result<()> {
    let severity = match problem.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Notice => "notice",
    };
    let place = if problem.line == 0 { String::new() } else { format!(":{}:{}", problem.line, problem.column) };
    writeln!(out, "{}{place}: {severity}[{}]: {}", problem.path, problem.id, problem.message)?;
    let number = problem.line.to_string();
    let margin = " ".repeat(number.len().max(4));
    if problem.line > 0 {
        writeln!(out, "{number:>4} | {}", problem.source.chars().map(shown).collect::<String>())?;
        let before = problem.column.saturating_sub(1) as usize;
        if before <= problem.source.chars().count() {
            let indent: usize = problem.source.chars().take(before).map(width).sum();
            writeln!(out, "{margin} | {}^", " ".repeat(indent))?;
        }
    }
    if !problem.expected.is_empty() {
        writeln!(out, "{margin} = expected {}", problem.expected)?;
    }
    Ok(())
}

/// A control character, a tab for one, would move the mark or the terminal.
fn shown(c: char) -> char {
    if c.is_control() { ' ' } else { c }
}

/// Cells that a terminal gives the character: two for kana, kanji and full-width forms, none for marks on others.
fn width(c: char) -> usize {
    match c {
        '\u{300}'..='\u{36f}' | '\u{3099}'..='\u{309a}' | '\u{200b}'..='\u{200f}' | '\u{fe00}'..='\u{fe0f}' => 0,
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{303e}'
        | '\u{3041}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1faff}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(files: &[(&str, &[u8])], paths: &[&str], format: Format) -> (u8, String) {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        let paths: Vec<_> = paths.iter().map(|path| folder.path().join(path)).collect();
        let mut out = Vec::new();
        let code = check(&paths, format, &mut out).unwrap();
        let root = format!("{}/", folder.path().display());
        (code, String::from_utf8(out).unwrap().replace(&root, ""))
    }

    const BROKEN: &str = "kind: handoff\nphases: []\ngates: {}\n言語: ja\nbudgets: {max: 2}\n";

    #[test]
    fn problems_are_drawn_under_their_column() {
        insta::assert_snapshot!(run(&[("a.yaml", BROKEN.as_bytes())], &["a.yaml"], Format::Text).1, @"
        a.yaml:3:8: error[empty]: `gates` declares no gate
           3 | gates: {}
             |        ^
             = expected at least one gate
        a.yaml:4:1: error[unknown-key]: a contract has no key `言語`
           4 | 言語: ja
             | ^
             = expected one of version, kind, language, budgets, phases, templates, split_criteria, gates, enabled_gates, trusted_apps, notify, extends
        a.yaml:5:11: error[unknown-key]: `budgets` has no key `max`
           5 | budgets: {max: 2}
             |           ^
             = expected one of max_iterations_per_gate
        1 file: 3 errors, 0 warnings, 0 notices
        ");
        let wide = "kind: handoff\nphases: [{名前: x}]\n";
        let (_, text) = run(&[("a.yaml", wide.as_bytes())], &["a.yaml"], Format::Text);
        assert!(text.contains("   2 | phases: [{名前: x}]\n     |           ^\n"), "{text}");
        let wide = "kind: handoff\ngates: {\"受理\": {}}\n";
        let (_, text) = run(&[("a.yaml", wide.as_bytes())], &["a.yaml"], Format::Text);
        assert!(text.contains("     |         ^\n"), "{text}");
    }

    #[test]
    fn exit_codes_follow_the_worst_problem() {
        let good = BUILTINS[0].text.as_bytes();
        assert_eq!(
            run(&[("a.yaml", good)], &["a.yaml"], Format::Text),
            (0, "1 file: 0 errors, 0 warnings, 0 notices\n".into())
        );
        assert_eq!(run(&[("a.yaml", b"a: 1\n")], &["a.yaml"], Format::Text).0, 0, "not ours: a notice");
        assert_eq!(run(&[("a.yaml", BROKEN.as_bytes())], &["a.yaml"], Format::Text).0, 1);
        assert_eq!(run(&[("a.yaml", b"kind: \xff\n")], &["a.yaml"], Format::Text).0, 2);
        let (code, text) = run(&[("a.yaml", BROKEN.as_bytes())], &["a.yaml", "gone.yaml"], Format::Text);
        assert_eq!(code, 2);
        assert!(text.contains("gone.yaml: error[unreadable]: can't be read"), "{text}");
    }

    #[test]
    fn folders_are_searched_and_their_files_compared() {
        let [ja, en] = BUILTINS.map(|builtin| builtin.text.as_bytes());
        let changed = [en, b"# changed\n"].concat();
        let files: [(&str, &[u8]); 4] =
            [("c/a.yaml", ja), ("c/b.yml", &changed), ("c/inner/c.yaml", en), ("c/d.txt", b"\xff")];
        let (code, text) = run(&files, &["c"], Format::Text);
        assert_eq!(code, 1);
        assert!(
            text.contains("error[duplicate-gate]: the gate acceptance is declared here and in c/a.yaml line "),
            "{text}"
        );
        assert!(text.ends_with("3 files: 3 errors, 0 warnings, 0 notices\n"), "{text}");
        let (code, text) = run(&[("a.yaml", ja), ("b.yaml", en)], &["."], Format::Text);
        assert_eq!(code, 0);
        assert!(text.ends_with("2 files: 0 errors, 3 warnings, 0 notices\n"), "{text}");
    }

    #[test]
    fn json_is_an_array_of_problems() {
        let (code, text) = run(&[("a.yaml", BROKEN.as_bytes())], &["a.yaml"], Format::Json);
        assert_eq!(code, 1);
        let problems: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
        assert_eq!(problems.len(), 3);
        assert_eq!(problems[0]["id"], "empty");
        assert_eq!(problems[0]["severity"], "error");
        assert_eq!(problems[0]["line"], 3);
        assert_eq!(problems[0]["source"], "gates: {}");
    }
}
