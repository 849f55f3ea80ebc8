//! Where a contract comes from on the command line: a file, a built-in by its name, or what is in force in a folder.

use crate::cli::on_disk;
use crate::domain::contract::{BUILTINS, Contract, InForce, Loaded, Owner, PLACES, Problem, Severity, in_force, load};
use std::io;
use std::path::{Path, PathBuf};

/// Reads one file with what it extends; what keeps it from being read is a problem.
pub(super) fn read(path: &Path) -> Result<Loaded, Box<Problem>> {
    // GitHub would not take a name with `./` before it for the same file.
    let path = path.strip_prefix(".").unwrap_or(path);
    on_disk::load_file(path).map_err(|error| Box::new(unreadable(path, &error)))
}

/// What was asked for: contracts with what is to be said of them.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The contracts; none where the problems hold an error or there is none.
    pub contracts: Vec<Contract>,
    /// Everything that was found in the files.
    pub problems: Vec<Problem>,
}

/// The contract of a file or of a built-in's name, or those in force in a folder where no name is given.
pub(super) fn find(named: Option<&Path>, root: &Path) -> Found {
    let Some(path) = named else { return around(root) };
    if let Some(builtin) = BUILTINS.iter().find(|known| path == Path::new(known.name)) {
        return of(load(builtin.name, builtin.text.as_bytes(), None));
    }
    match read(path) {
        Ok(loaded) => of(loaded),
        Err(problem) => Found { contracts: Vec::new(), problems: vec![*problem] },
    }
}

fn of(loaded: Loaded) -> Found {
    Found { contracts: loaded.contract.into_iter().collect(), problems: loaded.problems }
}

/// The contracts of a checked-out repository, looked for where the App looks (chapter 2).
fn around(root: &Path) -> Found {
    let mut unread = Vec::new();
    let mut places = Vec::new();
    for place in PLACES.into_iter().filter(|place| place.owner == Owner::Judged) {
        let mut loaded = Vec::new();
        for path in yaml_files(&root.join(place.folder())) {
            let inside = path.strip_prefix(root).unwrap_or(&path);
            if place.holds(&inside.to_string_lossy().replace('\\', "/")) {
                match read(&path) {
                    Ok(read) => loaded.push(read),
                    Err(problem) => unread.push(*problem),
                }
            }
        }
        places.push(loaded);
    }
    let InForce { contracts, problems } = in_force(&places);
    unread.extend(problems);
    Found { contracts, problems: unread }
}

fn yaml_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut paths: Vec<PathBuf> = entries.filter(|path| path.is_file() && is_yaml(path)).collect();
    paths.sort();
    paths
}

/// Whether the name is that of a YAML file.
pub(super) fn is_yaml(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml")
}

/// A path that can't be opened, as a problem.
pub(super) fn unreadable(path: &Path, error: &io::Error) -> Problem {
    Problem {
        id: "unreadable",
        severity: Severity::Error,
        path: path.display().to_string(),
        line: 0,
        column: 0,
        source: String::new(),
        message: format!("can't be read: {error}"),
        expected: "a contract file, or a folder of them".to_owned(),
    }
}
