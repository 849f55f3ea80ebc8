//! `sekisho contract check`: every problem of contract files, drawn for people, as JSON, for GitHub's log, or as SARIF.

use super::draw::{self, Colours};
use super::source::{is_yaml, read, unreadable};
use super::{sarif, workflow};
use crate::cli::UNREADABLE;
use crate::domain::contract::{BUILTINS, Loaded, Problem, Severity, conflicts};
use clap::{Args as ClapArgs, ValueEnum};
use std::io::{self, IsTerminal as _, Write};
use std::path::{Path, PathBuf};

/// Arguments of `sekisho contract check`.
#[derive(Debug, ClapArgs)]
pub(crate) struct Args {
    /// Files, or folders of .yaml and .yml files
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// How to print the problems
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// How the problems are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people: the line drawn, the place marked; colours on a terminal only
    Text,
    /// A JSON array of problems
    Json,
    /// Workflow commands, which GitHub shows as annotations on the lines
    Github,
    /// SARIF 2.1.0, for code scanning and other viewers
    Sarif,
}

/// Nothing but warnings and notices.
const GOOD: u8 = 0;
/// At least one error.
const FINDINGS: u8 = 1;

/// Checks files, and every `*.yaml` and `*.yml` below folders. Gives the command's exit code: 0 good, 1 at least one error,
/// 2 something could not be read at all (chapter 2).
///
/// # Errors
///
/// Only where `out` can't be written; what can't be read is a problem among the others.
pub(super) fn run(args: &Args, out: &mut impl Write) -> io::Result<u8> {
    let colours = if io::stdout().is_terminal() { Colours::Terminal } else { Colours::None };
    check(&args.paths, args.format, colours, out)
}

fn check(paths: &[PathBuf], format: Format, colours: Colours, out: &mut impl Write) -> io::Result<u8> {
    let mut checked = Checked::default();
    for path in paths {
        if path.is_dir() {
            checked.folder(path);
        } else {
            let loaded = checked.file(path);
            checked.problems.extend(loaded.map(|loaded| loaded.problems).unwrap_or_default());
        }
    }
    // What is said of a file stands together, also what only the look at its neighbours showed.
    let order: Vec<String> = checked.problems.iter().map(|problem| problem.path.clone()).collect();
    checked.problems.sort_by_key(|problem| order.iter().position(|path| *path == problem.path));
    match format {
        Format::Text => {
            draw::problems(&checked.problems, colours, out)?;
            writeln!(out, "{}", checked.summary())?;
        }
        Format::Json => {
            serde_json::to_writer_pretty(&mut *out, &checked.problems)?;
            writeln!(out)?;
        }
        Format::Github => {
            workflow::commands(&checked.problems, out)?;
            writeln!(out, "{}", checked.summary())?;
        }
        Format::Sarif => {
            serde_json::to_writer_pretty(&mut *out, &sarif::log(&checked.problems))?;
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
        self.files += 1;
        read(path).map_err(|problem| self.problems.push(*problem)).ok()
    }

    /// Checks the files of a folder, which would be in force together, and then the folders in it.
    fn folder(&mut self, folder: &Path) {
        let entries = std::fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let mut paths: Vec<PathBuf> = match entries {
            Ok(entries) => entries.iter().map(std::fs::DirEntry::path).collect(),
            Err(error) => return self.problems.push(unreadable(folder, &error)),
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

    fn summary(&self) -> String {
        let count = |severity| self.problems.iter().filter(|problem| problem.severity == severity).count();
        format!(
            "{}: {}, {}, {}",
            counted(self.files, "file"),
            counted(count(Severity::Error), "error"),
            counted(count(Severity::Warning), "warning"),
            counted(count(Severity::Notice), "notice"),
        )
    }
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
