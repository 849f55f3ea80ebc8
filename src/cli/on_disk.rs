//! A contract file on a disk, with the files of its checkout that it extends.

use crate::domain::contract::{Bases, Loaded, MAX_BYTES, load_on, wants};
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// Reads a contract file. What it extends is read from the checkout around it; what is not there is a problem of the file.
///
/// # Errors
///
/// Only where the file itself can't be read.
pub(super) fn load_file(path: &Path) -> io::Result<Loaded> {
    Ok(load_bytes(path, &bytes(path)?))
}

/// Like [`load_file`], for a file that was read already.
pub(super) fn load_bytes(path: &Path, bytes: &[u8]) -> Loaded {
    let name = path.display().to_string();
    let mut bases = Bases::default();
    let mut root = None;
    while let Some(wanted) = wants(&name, bytes, &bases) {
        let root = root.get_or_insert_with(|| checkout(path));
        match self::bytes(&root.join(&wanted)) {
            Ok(bytes) => bases.found(&wanted, shown(root, path, &wanted), bytes),
            Err(error) => bases.missing(&wanted, format!("can't be read from {}: {error}", root.display())),
        }
    }
    load_on(&name, bytes, None, &bases)
}

/// One byte more than a contract has says that it is too large.
fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The root of the repository that the file is checked out in: the nearest folder above it with `.git`, else the folder above
/// the place where contracts are looked for, else the working folder.
fn checkout(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let above = || absolute.ancestors().skip(1);
    let marked = above().find(|folder| folder.join(".git").exists());
    let placed = || {
        let place = [".github/contracts", "contracts", ".tasuki"];
        above().find_map(|folder| place.iter().find_map(|place| strip(folder, place)))
    };
    let root = marked.map(Path::to_owned).or_else(placed).unwrap_or_default();
    if root.as_os_str().is_empty() { PathBuf::from(".") } else { root }
}

/// The folder that holds the folder of this name; none where the path does not end so.
fn strip(folder: &Path, name: &str) -> Option<PathBuf> {
    folder.ends_with(name).then(|| folder.ancestors().nth(Path::new(name).components().count()).map(Path::to_owned))?
}

/// How problems name a base: like the file itself where both are in one folder, else by its path in the repository.
fn shown(root: &Path, file: &Path, base: &str) -> String {
    let base_on_disk = root.join(base);
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let same = base_on_disk.parent().and_then(|parent| parent.canonicalize().ok()) == folder.canonicalize().ok();
    match (same, base_on_disk.file_name()) {
        (true, Some(name)) => file.with_file_name(name).display().to_string(),
        _ => base.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "kind: handoff\nphases:\n  - name: build\n    receives: {waiting_level: the way is unspecified}\ngates:\n  start: {phase: build}\n";

    #[test]
    fn a_base_is_found_from_the_root_of_the_checkout() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, text).unwrap();
            path
        };
        let beside = write("contracts/base.yaml", BASE);
        write("shared/base.yaml", BASE);
        for (extends, name) in
            [("contracts/base.yaml", beside.display().to_string()), ("shared/base.yaml", "shared/base.yaml".to_owned())]
        {
            let team = write("contracts/team.yaml", &format!("kind: handoff\nextends: {extends}\n"));
            let loaded = load_file(&team).unwrap();
            assert_eq!(loaded.problems, [], "{extends}");
            assert_eq!(loaded.extends, [name]);
            assert_eq!(loaded.contract.unwrap().gates.len(), 1);
        }
        // A file anywhere else belongs to the repository around it.
        std::fs::create_dir(root.path().join(".git")).unwrap();
        let draft = write("drafts/new/team.yaml", "kind: handoff\nextends: shared/base.yaml\n");
        assert_eq!(load_file(&draft).unwrap().problems, []);
    }

    #[test]
    fn what_is_not_there_is_said_with_its_place() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("team.yaml");
        assert!(load_file(&path).is_err());
        std::fs::write(&path, "kind: handoff\nextends: contracts/gone.yaml\n").unwrap();
        let problems = load_file(&path).unwrap().problems;
        let found: Vec<_> = problems.iter().map(|problem| (problem.id, problem.line, problem.column)).collect();
        assert_eq!(found, [("extends-missing", 2, 10)], "{problems:?}");
    }
}
