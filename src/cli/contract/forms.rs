//! `sekisho contract forms`: writes the issue forms and the pull request template that a contract implies, or compares.

use super::source::{find, is_yaml};
use super::{tell, without_contract};
use crate::cli::{UNREADABLE, complain};
use crate::domain::contract::{Ask, Form, forms, headings};
use clap::Args as ClapArgs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Arguments of `sekisho contract forms`.
#[derive(Debug, ClapArgs)]
pub(crate) struct Args {
    /// A file, builtin:handoff-ja or builtin:handoff-en; without it what is in force in the repository
    path: Option<PathBuf>,
    /// The repository's root, below which the files are written
    #[arg(long, value_name = "DIR", default_value = ".")]
    out: PathBuf,
    /// Write nothing; exit with 1 where a file differs or a form lacks a required heading
    #[arg(long)]
    check: bool,
    /// Overwrite files that a person wrote
    #[arg(long, conflicts_with = "check")]
    force: bool,
}

/// Gives 0; 1 where files differ, or where a person's file lacks a heading and was left alone; 2 where there is no contract to go by.
///
/// # Errors
///
/// Only where `out` can't be written.
pub(super) fn run(args: &Args, out: &mut impl Write) -> io::Result<u8> {
    if !args.out.is_dir() {
        complain(&format!("{} is no folder", args.out.display()));
        return Ok(UNREADABLE);
    }
    let found = find(args.path.as_deref(), &args.out);
    tell(&found.problems);
    if found.contracts.is_empty() {
        return Ok(without_contract(&found, args.path.as_deref()));
    }
    let forms = forms(&found.contracts);
    for heading in forms.iter().flat_map(Form::unfindable) {
        complain(&format!(
            "Markdown reads the heading `{heading}` as other text than the contract names, so no issue can have it"
        ));
    }
    if args.check { check(&args.out, &forms, out) } else { write(args, &forms, out) }
}

fn write(args: &Args, forms: &[Form], out: &mut impl Write) -> io::Result<u8> {
    let mut code = 0;
    for form in forms {
        let path = args.out.join(form.path);
        match std::fs::read(&path) {
            Ok(bytes) if !args.force && !Form::is_ours(&String::from_utf8_lossy(&bytes)) => {
                if compare(form, &String::from_utf8_lossy(&bytes), out)? != Verdict::Good {
                    complain(&format!("{} is left as it is; --force overwrites it", form.path));
                    code = 1;
                }
                continue;
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Ok(cannot(&path, "read", &error)),
            _ => {}
        }
        let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        if let Err(error) = made.and_then(|()| std::fs::write(&path, &form.text)) {
            return Ok(cannot(&path, "written", &error));
        }
        writeln!(out, "{}: written, {}", form.path, counted(form.fields.len()))?;
    }
    if forms.is_empty() {
        writeln!(out, "the contract requires no field, so there is nothing to write")?;
    }
    Ok(code)
}

fn cannot(path: &Path, what: &str, error: &io::Error) -> u8 {
    complain(&format!("{} can't be {what}: {error}", path.display()));
    UNREADABLE
}

fn counted(fields: usize) -> String {
    if fields == 1 { "1 required heading".to_owned() } else { format!("{fields} required headings") }
}

/// Compares what is there with what the contract implies. A file of ours must be what would be written; one that a person
/// wrote, under whatever name, must ask for every required heading.
fn check(root: &Path, forms: &[Form], out: &mut impl Write) -> io::Result<u8> {
    let mut verdicts = Vec::new();
    for form in forms {
        let verdict = match std::fs::read(root.join(form.path)) {
            Ok(bytes) => compare(form, &String::from_utf8_lossy(&bytes), out)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => elsewhere(root, form, out)?,
            Err(error) => return Ok(cannot(&root.join(form.path), "read", &error)),
        };
        verdicts.push(verdict);
    }
    for ask in Ask::ALL.into_iter().filter(|ask| forms.iter().all(|form| form.ask != *ask)) {
        let text = std::fs::read_to_string(root.join(ask.path())).unwrap_or_default();
        if Form::is_ours(&text) {
            writeln!(out, "{}: the contract requires none of these headings any more; remove the file", ask.path())?;
            verdicts.push(Verdict::Lacking);
        }
    }
    if verdicts.contains(&Verdict::Stale) {
        writeln!(out, "without --check the same command writes what differs or is not there")?;
    }
    Ok(u8::from(verdicts.iter().any(|verdict| *verdict != Verdict::Good)))
}

/// What a comparison found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Good,
    /// To be written again.
    Stale,
    /// For a person to change.
    Lacking,
}

fn compare(form: &Form, text: &str, out: &mut impl Write) -> io::Result<Verdict> {
    let path = form.path;
    // A checkout may give lines other ends.
    let text = text.replace("\r\n", "\n");
    if text == form.text {
        writeln!(out, "{path}: as the contract implies")?;
        return Ok(Verdict::Good);
    }
    let Some(there) = headings(path, &text) else {
        writeln!(out, "{path}: no form that can be read")?;
        return Ok(Verdict::Lacking);
    };
    let missing = form.missing(&there);
    if !Form::is_ours(&text) {
        if missing.is_empty() {
            writeln!(out, "{path}: written by a person, asks for every required heading")?;
            return Ok(Verdict::Good);
        }
        writeln!(out, "{path}: written by a person, lacks {}", quoted(&missing))?;
        return Ok(Verdict::Lacking);
    }
    writeln!(out, "{path}: differs from what the contract implies")?;
    for change in changes(&text, &form.text) {
        writeln!(out, "  {change}")?;
    }
    Ok(Verdict::Stale)
}

/// A required file is not there; another one, written by a person, may ask for all of it.
fn elsewhere(root: &Path, form: &Form, out: &mut impl Write) -> io::Result<Verdict> {
    let mut lacking = Vec::new();
    for path in others(root, form.ask) {
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap_or_default()).into_owned();
        let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        let Some(there) = headings(&name, &text).filter(|there| !there.is_empty()) else { continue };
        let missing = form.missing(&there);
        if missing.is_empty() {
            writeln!(out, "{}: not there, but {name} asks for every required heading", form.path)?;
            return Ok(Verdict::Good);
        }
        lacking.push((name, quoted(&missing)));
    }
    writeln!(out, "{}: not there", form.path)?;
    for (name, missing) in lacking {
        writeln!(out, "  {name} lacks {missing}")?;
    }
    Ok(Verdict::Stale)
}

/// Where a repository keeps other files of the kind, written by people.
fn others(root: &Path, ask: Ask) -> Vec<PathBuf> {
    let (folders, wanted): (&[&str], fn(&Path) -> bool) = match ask {
        Ask::Report => (&[".github", "", "docs", ".github/PULL_REQUEST_TEMPLATE"], |path| {
            let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
            let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
            name == "pull_request_template.md" || (folder == "PULL_REQUEST_TEMPLATE" && is_markdown(path))
        }),
        Ask::Parent | Ask::Child => (&[".github/ISSUE_TEMPLATE"], |path| {
            let config = path.file_stem().is_some_and(|stem| stem == "config");
            (is_yaml(path) && !config) || is_markdown(path)
        }),
    };
    let mut paths: Vec<PathBuf> = folders
        .iter()
        .flat_map(|folder| std::fs::read_dir(root.join(folder)).into_iter().flatten().flatten())
        .map(|entry| entry.path())
        .filter(|path| path.is_file() && wanted(path) && Ask::ALL.iter().all(|ask| root.join(ask.path()) != **path))
        .collect();
    paths.sort();
    paths
}

fn is_markdown(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md"))
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Lines that go and lines that come, as `- old` and `+ new`, in the order of the files.
fn changes(old: &str, new: &str) -> Vec<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let same_head = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let tail = old[same_head..].iter().rev().zip(new[same_head..].iter().rev());
    let same_tail = tail.take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[same_head..old.len() - same_tail], &new[same_head..new.len() - same_tail]);
    if old.len().saturating_mul(new.len()) > 4_000_000 {
        return vec![format!("{} lines go, {} lines come", old.len(), new.len())];
    }
    // The longest common subsequence, from the end.
    let width = new.len() + 1;
    let mut common = vec![0_usize; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i * width + j] = if old[i] == new[j] {
                common[(i + 1) * width + j + 1] + 1
            } else {
                common[(i + 1) * width + j].max(common[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut changes = Vec::new();
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            (i, j) = (i + 1, j + 1);
        } else if i < old.len() && (j == new.len() || common[(i + 1) * width + j] >= common[i * width + j + 1]) {
            changes.push(format!("- {}", old[i]));
            i += 1;
        } else {
            changes.push(format!("+ {}", new[j]));
            j += 1;
        }
    }
    changes
}
