//! Laws about what stands beside the code: `app.yml`, templates, contracts, paths that the docs name.

use crate::source::{Breach, Source, files, root};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Folders of this repository: a path in backticks that begins with one of them names a file here.
const FOLDERS: [&str; 14] = [
    "src",
    "tests",
    "docs",
    "templates",
    "contracts",
    "migrations",
    "examples",
    "benches",
    "fuzz",
    "scripts",
    "deploy",
    "assets",
    ".github",
    ".ci",
];

/// Paths that the docs name and that stand elsewhere: in a judged repository, or on the operator's machine.
const ELSEWHERE: [&str; 13] = [
    ".github/ISSUE_TEMPLATE",
    ".github/ISSUE_TEMPLATE/child.yml",
    ".github/ISSUE_TEMPLATE/parent.yml",
    ".github/PULL_REQUEST_TEMPLATE.md",
    ".github/contracts/schema.json",
    ".github/contracts",
    ".github/contracts/*.yaml",
    ".github/contracts/",
    ".github/contracts/handoff.yaml",
    "contracts/handoff.yaml",
    "contracts/x.yaml",
    ".tasuki/profile.yaml",
    "sekisho.toml",
];

/// Ends of file names by which a word in backticks without a folder is taken for a file of the root.
const ENDS: [&str; 5] = [".toml", ".yml", ".yaml", ".md", ".lock"];

/// `app.yml`, as far as it is checked.
#[derive(Deserialize)]
pub struct App {
    /// Events that the App subscribes to.
    pub default_events: Vec<String>,
    /// What it may do.
    pub default_permissions: BTreeMap<String, String>,
}

/// `app.yml` asks for the events that the code names, and for the least permissions.
pub fn app(path: &str, text: &str, events: &[&str]) -> Vec<Breach> {
    let app: App = match serde_saphyr::from_str(text) {
        Ok(app) => app,
        Err(error) => return vec![Breach::new(path, 0, error.to_string())],
    };
    let mut breaches = Vec::new();
    let asked: BTreeSet<&str> = app.default_events.iter().map(String::as_str).collect();
    let named: BTreeSet<&str> = events.iter().copied().collect();
    if asked.len() < app.default_events.len() {
        breaches.push(Breach::new(path, 0, "an event stands twice"));
    }
    for event in asked.symmetric_difference(&named) {
        let place = if asked.contains(event) { "here" } else { "in `domain::event::EVENTS`" };
        breaches.push(Breach::new(path, 0, format!("the event `{event}` stands only {place}")));
    }
    let least = [
        ("checks", "write"),
        ("contents", "read"),
        ("issues", "write"),
        ("metadata", "read"),
        ("pull_requests", "write"),
    ];
    let least: BTreeMap<String, String> = least.map(|(name, may)| (name.to_owned(), may.to_owned())).into();
    if app.default_permissions != least {
        let found = app.default_permissions;
        breaches.push(Breach::new(path, 0, format!("permissions {found:?}; the least that is needed is {least:?}")));
    }
    breaches
}

/// Every template is named in a string of the code that renders, or by another template.
pub fn templates(templates: &[(String, String)], code: &[Source]) -> Vec<Breach> {
    let readers: Vec<&Source> = code
        .iter()
        .filter(|source| {
            ["src/render/", "src/render.rs", "src/web/", "src/web.rs"].iter().any(|at| source.path.starts_with(at))
        })
        .collect();
    let mut breaches = Vec::new();
    for (path, _) in templates {
        let name = path.trim_start_matches("templates/");
        let in_code = readers.iter().any(|source| source.literals().any(|literal| literal.contains(name)));
        let in_template = templates.iter().any(|(other, text)| other != path && text.contains(name));
        if !in_code && !in_template {
            breaches.push(Breach::new(path, 0, "no code renders it"));
        }
    }
    breaches
}

/// Paths that a Markdown page names exist: those in backticks, words of code blocks, and targets of relative links.
pub fn pages(base: &Path, pages: &[(String, String)]) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for (page, text) in pages {
        let folder = Path::new(page).parent().map(Path::to_path_buf).unwrap_or_default();
        let mut fenced = false;
        for (index, line) in text.lines().enumerate() {
            let missing = |named: &str| Breach::new(page, index + 1, format!("`{named}` does not exist"));
            if line.trim_start().starts_with("```") {
                fenced = !fenced;
            }
            if fenced {
                let words = line.split([' ', '\t', ';', '"', '=']);
                let gone = words.filter(|word| word.contains('/') && looks_like_a_path(word));
                breaches.extend(gone.filter(|word| !exists(base, Path::new(""), word)).map(missing));
                continue;
            }
            for named in backticked(line).filter(|named| looks_like_a_path(named)) {
                if !exists(base, Path::new(""), named) && !exists(base, &folder, named) {
                    breaches.push(missing(named));
                }
            }
            for target in links(line) {
                let file = target.split('#').next().unwrap_or_default();
                let outside = target.contains("://") || target.starts_with("mailto:") || file.is_empty();
                if !outside && !exists(base, &folder, file) {
                    breaches.push(missing(target));
                }
            }
        }
    }
    breaches
}

/// Paths in backticks in the comments of code exist too.
pub fn comments(base: &Path, sources: &[Source]) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for source in sources {
        for (index, line) in source.text.lines().enumerate() {
            let comment = line.trim_start();
            if !comment.starts_with("//") {
                continue;
            }
            let named = backticked(comment).filter(|named| named.contains('/') && looks_like_a_path(named));
            let gone = named.filter(|named| !exists(base, Path::new(""), named));
            breaches
                .extend(gone.map(|named| Breach::new(&source.path, index + 1, format!("`{named}` does not exist"))));
        }
    }
    breaches
}

fn backticked(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// Targets of `[text](target)` and `src="target"`, titles cut off.
fn links(line: &str) -> impl Iterator<Item = &str> {
    let markdown = line.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next());
    let html = ["src=\"", "href=\""].into_iter().flat_map(|key| line.split(key).skip(1));
    markdown.chain(html.filter_map(|rest| rest.split('"').next()))
}

fn looks_like_a_path(named: &str) -> bool {
    let plain = !named.is_empty() && named.chars().all(|c| c.is_ascii_alphanumeric() || "_./-*".contains(c));
    if !plain || ELSEWHERE.contains(&named) {
        return false;
    }
    let named = named.trim_start_matches("./");
    match named.split_once('/') {
        Some((folder, _)) => FOLDERS.contains(&folder),
        None => {
            ["Dockerfile", "justfile", ".dockerignore", ".gitignore", ".env.example"].contains(&named)
                || ENDS.iter().any(|end| named.len() > end.len() && named.ends_with(end))
        }
    }
}

/// Whether a path exists; a `*` in its last part stands for at least one file.
fn exists(base: &Path, folder: &Path, named: &str) -> bool {
    let path: PathBuf = base.join(folder).join(named);
    if !named.contains('*') {
        return path.exists();
    }
    let (Some(parent), Some(pattern)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return false;
    };
    let (before, after) = pattern.split_once('*').unwrap_or((pattern, ""));
    fs::read_dir(parent).is_ok_and(|entries| {
        entries.filter_map(Result::ok).any(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            name.starts_with(before) && name.ends_with(after)
        })
    })
}

/// Nothing names a path of the machine that the project was written on.
pub fn machine_paths(texts: &[(String, String)]) -> Vec<Breach> {
    let roots = ["root", "work", "home"].map(|name| format!("/{name}/"));
    let mut breaches = Vec::new();
    for (path, text) in texts {
        for (index, line) in text.lines().enumerate() {
            let found = roots.iter().find(|name| {
                line.match_indices(name.as_str()).any(|(at, _)| {
                    let before = line[..at].chars().next_back();
                    before.is_none_or(|c| !c.is_ascii_alphanumeric() && !"_-./}~*".contains(c))
                })
            });
            breaches.extend(
                found.map(|name| Breach::new(path, index + 1, format!("names `{name}…`, a path of a machine"))),
            );
        }
    }
    breaches
}

/// What is under version control, or would be: every text file outside of build folders.
pub fn tracked() -> Vec<(String, String)> {
    let listed = std::process::Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output();
    let paths: Vec<String> = match listed {
        Ok(output) if output.status.success() && !output.stdout.is_empty() => {
            String::from_utf8_lossy(&output.stdout).split('\0').map(str::to_owned).collect()
        }
        // Not a clone, such as an unpacked archive: what stands at the root and in the folders that are known.
        _ => FOLDERS.iter().flat_map(|folder| files(root(), folder)).chain(at_root()).collect(),
    };
    texts(&paths)
}

fn at_root() -> Vec<String> {
    let entries = fs::read_dir(root()).expect("the root can be read").filter_map(Result::ok);
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    files.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// The Markdown pages for people: at the root and under `docs/`.
pub fn markdown() -> Vec<(String, String)> {
    let paths: Vec<String> =
        at_root().into_iter().chain(files(root(), "docs")).filter(|path| has_end(path, "md")).collect();
    texts(&paths)
}

fn has_end(path: &str, end: &str) -> bool {
    Path::new(path).extension().is_some_and(|found| found == end)
}

/// Paths with their text; what is no UTF-8 is left out.
pub fn texts(paths: &[String]) -> Vec<(String, String)> {
    paths.iter().filter_map(|path| Some((path.clone(), fs::read_to_string(root().join(path)).ok()?))).collect()
}
