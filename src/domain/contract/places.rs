//! Where contracts are looked for, and which of the files found are in force (chapter 2).

use super::gates::Declared;
use super::load::Loaded;
use super::model::Contract;
use super::problem::{Problem, Severity};
use super::sheet::Kind;

/// Whose repository a place is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Owner {
    /// The repository of the subject.
    Judged,
    /// The repository `.github` of the same owner.
    Dotgithub,
}

/// What a place looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Shape {
    /// Every `*.yaml` and `*.yml` directly in this folder.
    Folder(&'static str),
    /// This file, `.yaml` or `.yml`.
    File(&'static str),
}

/// One place where contracts are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// Whose repository.
    pub owner: Owner,
    shape: Shape,
}

/// All places, in the order in which they are looked at. Behind the last come the built-ins.
pub const PLACES: [Place; 6] = [
    Place { owner: Owner::Judged, shape: Shape::Folder(".github/contracts") },
    Place { owner: Owner::Judged, shape: Shape::Folder("contracts") },
    Place { owner: Owner::Judged, shape: Shape::File(".tasuki/profile") },
    Place { owner: Owner::Dotgithub, shape: Shape::Folder(".github/contracts") },
    Place { owner: Owner::Dotgithub, shape: Shape::Folder("contracts") },
    Place { owner: Owner::Dotgithub, shape: Shape::File(".tasuki/profile") },
];

impl Place {
    /// The folder to list.
    #[must_use]
    pub fn folder(self) -> &'static str {
        match self.shape {
            Shape::Folder(folder) => folder,
            Shape::File(file) => file.split_once('/').map_or("", |(folder, _)| folder),
        }
    }

    /// Whether a file of that repository, by its path, is a contract file of this place.
    #[must_use]
    pub fn holds(self, path: &str) -> bool {
        let Some(stem) = path.strip_suffix(".yaml").or_else(|| path.strip_suffix(".yml")) else { return false };
        match self.shape {
            Shape::File(file) => stem == file,
            Shape::Folder(folder) => stem
                .strip_prefix(folder)
                .and_then(|rest| rest.strip_prefix('/'))
                .is_some_and(|name| !name.is_empty() && !name.contains('/')),
        }
    }
}

/// What is in force among files that were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InForce {
    /// The contracts; none where no file counts, or where one has an error.
    pub contracts: Vec<Contract>,
    /// Problems of the files that count, and notices of those that were passed over on the way.
    pub problems: Vec<Problem>,
}

impl InForce {
    /// Whether a contract is there but can't be used: then nothing is judged, and no other contract takes its place.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.problems.iter().any(|problem| problem.severity == Severity::Error)
    }
}

/// Chooses the files in force: `places` holds what was found at each place, in the order of [`PLACES`].
///
/// The first place with a file of kind `handoff` counts, and all its files but those that another of them extends: they
/// count through that one. Places behind it need not be read. An empty result that is not broken means that the built-ins
/// apply.
#[must_use]
pub fn in_force(places: &[Vec<Loaded>]) -> InForce {
    let mut chosen = InForce::default();
    for files in places {
        for file in files {
            let ours = file.kind == Some(Kind::Handoff);
            for problem in &file.problems {
                let problem = match problem.severity {
                    // A file that is none of ours breaks nothing.
                    Severity::Error if !ours => Problem { severity: Severity::Notice, ..problem.clone() },
                    _ => problem.clone(),
                };
                // What is wrong with a base is said by the base and by each file that extends it.
                if !chosen.problems.contains(&problem) {
                    chosen.problems.push(problem);
                }
            }
        }
        if files.iter().all(|file| file.kind != Some(Kind::Handoff)) {
            continue;
        }
        chosen.problems.extend(conflicts(files));
        if !chosen.is_broken() {
            let in_force = files.iter().filter(|file| extended_by(file, files).is_none());
            chosen.contracts = in_force.filter_map(|file| file.contract.clone()).collect();
        }
        break;
    }
    chosen
}

/// The first of these files that extends this one, which then counts through that file and is not in force itself.
fn extended_by<'f>(file: &Loaded, files: &'f [Loaded]) -> Option<&'f Loaded> {
    files.iter().find(|other| other.path != file.path && other.extends.contains(&file.path))
}

/// Gates that two files in force declare, as a problem in the later file; and which files are only there to be extended.
/// Also what `contract check` asks of a folder.
#[must_use]
pub fn conflicts(files: &[Loaded]) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut seen: Vec<(&Loaded, &Declared)> = Vec::new();
    for file in files {
        if let Some(other) = extended_by(file, files) {
            problems.push(Problem {
                id: "extended",
                severity: Severity::Notice,
                path: file.path.clone(),
                line: 0,
                column: 0,
                source: String::new(),
                message: format!("{} extends this file, so it counts through that one only", other.path),
                expected: String::new(),
            });
            continue;
        }
        for declared in &file.declared {
            let first = seen.iter().find(|(_, first)| first.gate == declared.gate);
            let Some((other, first)) = first else {
                seen.push((file, declared));
                continue;
            };
            problems.push(Problem {
                id: "duplicate-gate",
                severity: Severity::Error,
                path: file.path.clone(),
                line: declared.line,
                column: declared.column,
                source: declared.source.clone(),
                message: format!(
                    "the gate {} is declared here and in {} line {}, and both files are in force",
                    declared.gate, other.path, first.line
                ),
                expected: "each gate in one file".to_owned(),
            });
        }
    }
    problems
}
