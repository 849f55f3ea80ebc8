//! Where the issues and forms of a trial come from: files, or a repository that the App is installed in.

use super::forms::{self, Form};
use crate::adapters::github::listed::{Listed, issues};
use crate::cli::progress::Progress;
use crate::cli::{judge, serve};
use crate::domain::ids::RepositoryName;
use crate::ports::{Forge, ForgeError, Place};
use std::path::{Path, PathBuf};

/// What a trial is about.
pub(super) struct Source {
    pub listed: Listed,
    pub forms: Forms,
}

/// The forms that were looked for.
#[derive(Default)]
pub(super) struct Forms {
    /// Where.
    pub place: Option<String>,
    /// In the order of their names.
    pub found: Vec<Form>,
    /// Files that are forms by their names and cannot be read, with why.
    pub unread: Vec<String>,
}

impl Source {
    /// Issues of a saved list, and forms of a folder: the one named, else that of the contract's own repository.
    pub fn of_file(file: &Path, folder: Option<&Path>, contract: &Path) -> Result<Self, String> {
        let text = judge::read_up_to(file, MOST_BYTES)?;
        let listed = issues(&text).map_err(|error| format!("{}: {error}", file.display()))?;
        let forms = match folder {
            Some(folder) => Forms::of_folder(folder).map_err(|error| format!("{}: {error}", folder.display()))?,
            None => around(contract).map(|folder| Forms::of_folder(&folder).unwrap_or_default()).unwrap_or_default(),
        };
        Ok(Self { listed, forms })
    }

    /// Open issues and forms of a repository, through the App's credentials.
    pub fn of_repository(repository: &RepositoryName, config: Option<&Path>) -> Result<Self, String> {
        serve::with_forge(config, |forge| async move {
            let source = Progress::during("reading from GitHub", read(&*forge, repository)).await;
            source.map_err(|error| error.to_string())
        })
    }
}

/// Largest list of issues that is read.
const MOST_BYTES: u64 = 256 * 1024 * 1024;

/// Reads what a trial needs, and writes nothing.
async fn read(forge: &dyn Forge, repository: &RepositoryName) -> Result<Source, ForgeError> {
    let installation = forge.installation(repository).await?;
    let place = Place { installation, repository: repository.clone() };
    let mut listed = Listed::default();
    for issue in forge.open_issues(&place).await? {
        if issue.is_pull_request {
            listed.pull_requests += 1;
        } else {
            listed.issues.push(issue);
        }
    }
    let mut forms = Forms { place: Some(format!("{repository}/{}", forms::FOLDER)), ..Forms::default() };
    let head = match forge.head(&place).await {
        Ok(head) => head,
        Err(ForgeError::NotFound { .. }) => return Ok(Source { listed, forms }),
        Err(error) => return Err(error),
    };
    let mut entries = match forge.directory(&place, forms::FOLDER, &head.commit).await {
        Ok(entries) => entries,
        Err(ForgeError::NotFound { .. }) => Vec::new(),
        Err(error) => return Err(error),
    };
    entries.sort_by(|one, other| one.path.cmp(&other.path));
    for entry in entries {
        let name = entry.path.rsplit('/').next().unwrap_or(&entry.path).to_owned();
        if !forms::is_form(&name) {
            continue;
        }
        if entry.size > forms::LARGEST {
            forms.unread.push(format!("{name}: larger than {} bytes", forms::LARGEST));
            continue;
        }
        let file = forge.file(&place, &entry.path, &head.commit).await?;
        forms.take(&name, &file.bytes);
    }
    Ok(Source { listed, forms })
}

impl Forms {
    fn of_folder(folder: &Path) -> std::io::Result<Self> {
        let mut forms = Self { place: Some(folder.display().to_string()), ..Self::default() };
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
        paths.sort();
        for path in paths {
            let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
            if !forms::is_form(name) || !path.is_file() {
                continue;
            }
            match std::fs::metadata(&path).and_then(|about| Ok((about.len(), std::fs::read(&path)?))) {
                Ok((size, _)) if size > forms::LARGEST => {
                    forms.unread.push(format!("{name}: larger than {} bytes", forms::LARGEST));
                }
                Ok((_, bytes)) => forms.take(name, &bytes),
                Err(error) => forms.unread.push(format!("{name}: {error}")),
            }
        }
        Ok(forms)
    }

    fn take(&mut self, name: &str, bytes: &[u8]) {
        let text = std::str::from_utf8(bytes).map_err(|_| "not UTF-8".to_owned());
        match text.and_then(|text| forms::read(name, text)) {
            Ok(form) => self.found.push(form),
            Err(why) => self.unread.push(format!("{name}: {why}")),
        }
    }
}

/// The folder of forms in the repository that holds the contract: the nearest one above it, up to its `.git`.
fn around(contract: &Path) -> Option<PathBuf> {
    let whole =
        std::fs::canonicalize(contract).or_else(|_| std::env::current_dir().map(|folder| folder.join("x"))).ok()?;
    for root in whole.ancestors().skip(1) {
        let folder = root.join(forms::FOLDER);
        if folder.is_dir() {
            return Some(folder);
        }
        if root.join(".git").exists() {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapters::clock::SystemClock;
    use crate::adapters::local::{Access, Setup, Visibility, World};
    use std::sync::Arc;

    #[tokio::test]
    async fn a_repository_is_read_and_nothing_is_written() {
        let world = World::new(Setup::default(), Arc::new(SystemClock));
        let name = RepositoryName::new("acme", "widgets");
        world.create_repository(&name, Visibility::Private);
        world.grant(&name, "hanako", Access::Admin);
        let person = world.as_person("hanako");
        for body in ["one", "two"] {
            person.open_issue("Export", body).unwrap();
        }
        let closed = person.open_issue("Old", "").unwrap();
        person.close(closed).unwrap();
        person.open_pull_request("Change", "").unwrap();
        let empty = read(&world, &name).await.unwrap();
        assert_eq!((empty.listed.issues.len(), empty.listed.pull_requests, empty.forms.found.len()), (2, 1, 0));
        person.push_file(".github/ISSUE_TEMPLATE/task.md", "## Purpose\n").unwrap();
        person.push_file(".github/ISSUE_TEMPLATE/broken.yml", "body: [").unwrap();
        person.push_file(".github/ISSUE_TEMPLATE/config.yml", "blank_issues_enabled: false\n").unwrap();
        world.reset_counts();
        let source = read(&world, &name).await.unwrap();
        let files: Vec<_> = source.forms.found.iter().map(|form| form.file.as_str()).collect();
        assert_eq!((files, source.forms.unread.len()), (vec!["task.md"], 1));
        assert_eq!(world.counts().writes(), 0);
        let nowhere = read(&world, &RepositoryName::new("acme", "gone")).await.err().unwrap();
        assert_eq!(nowhere.to_string(), "GET installation acme/gone: not found");
    }

    #[test]
    fn forms_are_looked_for_beside_the_contract_and_no_further_than_its_repository() {
        let root = tempfile::tempdir().unwrap();
        let make = |path: &str| std::fs::create_dir_all(root.path().join(path)).unwrap();
        make(".github/ISSUE_TEMPLATE");
        make("inner/.git");
        make("inner/contracts");
        make("contracts");
        for file in ["contracts/a.yaml", "inner/contracts/a.yaml"] {
            std::fs::write(root.path().join(file), "x").unwrap();
        }
        assert!(around(&root.path().join("contracts/a.yaml")).is_some_and(|found| found.ends_with(forms::FOLDER)));
        assert_eq!(around(&root.path().join("inner/contracts/a.yaml")), None);
    }
}
