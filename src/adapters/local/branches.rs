//! Branches of the repository that the App makes, commits on them, and draft pull requests from them.

use super::acts::Desk;
use super::model::{Access, AppPermission, Branch, Condition, Readiness, SubjectKind};
use super::refusal::Refusal;
use super::state::{Actor, blob_hash};
use crate::domain::effect::{FileChange, PullDraft};
use crate::domain::ids::{CommitSha, IssueNumber, RepositoryId, RepositoryName};
use crate::domain::run::PullSource;
use serde_json::json;

impl Desk<'_> {
    /// Makes a branch at a commit of the repository.
    pub fn create_branch(&mut self, id: RepositoryId, name: &str, at: &CommitSha) -> Result<(), Refusal> {
        self.may_write_contents(id)?;
        let bad = name.is_empty() || name.contains([' ', '~', '^', ':', '?', '*', '[', '\\']) || name.contains("..");
        if bad {
            return Err(Refusal::no_reference());
        }
        let commit = self.commit(id, at).map_err(|_| Refusal::no_object())?.clone();
        let repository = self.repository_mut(id)?;
        if name == repository.default_branch || repository.heads.contains_key(name) {
            return Err(Refusal::reference_exists());
        }
        repository.heads.insert(name.to_owned(), vec![commit]);
        Ok(())
    }

    /// Commits a file to a branch, and so to the open pull request from it.
    pub fn put_file(&mut self, id: RepositoryId, branch: &str, file: &FileChange) -> Result<(), Refusal> {
        self.may_write_contents(id)?;
        let repository = self.repository(id)?;
        let default = branch == repository.default_branch;
        let head =
            if default { repository.commits.last() } else { repository.heads.get(branch).and_then(|all| all.last()) };
        let head = head.cloned().ok_or_else(|| Refusal::no_branch(branch))?;
        match (head.files.get(&file.path), &file.replaces) {
            (None, None) => {}
            (Some(there), Some(expected)) if blob_hash(there) == *expected => {}
            (Some(_), None) => return Err(Refusal::no_blob_given()),
            (_, Some(expected)) => return Err(Refusal::another_blob(&file.path, expected.as_str())),
        }
        let change = (file.path.as_str(), Some(file.text.as_bytes()));
        if default {
            return self.push(id, &[change]).map(|_| ());
        }
        let commit = self.commit_on(&head, &[change])?;
        let after = commit.sha.clone();
        let repository = self.repository_mut(id)?;
        repository.heads.entry(branch.to_owned()).or_default().push(commit.clone());
        let here = |pull: &Branch| pull.name == branch && pull.source == PullSource::Repository;
        let pulls = repository.branches.iter_mut().filter(|(_, pull)| here(pull));
        let numbers: Vec<_> = pulls
            .map(|(number, pull)| {
                pull.commits.push(commit.clone());
                *number
            })
            .collect();
        for number in numbers {
            let spot = (id, number);
            if self.issue(spot)?.condition == Condition::Open {
                self.state.change(spot, self.at, |_| ())?;
                self.tell_issue(spot, "synchronize", json!({"before": head.sha, "after": after}));
            }
        }
        Ok(())
    }

    /// Opens a draft pull request from a branch of the repository.
    pub fn create_pull(&mut self, name: &RepositoryName, draft: &PullDraft) -> Result<IssueNumber, Refusal> {
        let id = self.state.enter(&self.actor, name)?;
        if self.actor == Actor::App && self.state.installation.withheld.contains(&AppPermission::PullRequests) {
            return Err(Refusal::not_accessible());
        }
        self.need(id, Access::Write)?;
        let repository = self.repository(id)?;
        if draft.base != repository.default_branch && !repository.heads.contains_key(&draft.base) {
            return Err(Refusal::invalid("base"));
        }
        let commits = repository.heads.get(&draft.branch).ok_or_else(|| Refusal::invalid("head"))?;
        let [from, commits @ ..] = commits.as_slice() else { return Err(Refusal::invalid("head")) };
        if commits.is_empty() {
            return Err(Refusal::no_commits(&draft.base, &draft.branch));
        }
        let open = |number: &IssueNumber| {
            self.state.issue((id, *number)).is_some_and(|issue| issue.condition == Condition::Open)
        };
        let same = |branch: &Branch| branch.name == draft.branch && branch.base == draft.base;
        if repository.branches.iter().any(|(number, branch)| same(branch) && open(number)) {
            return Err(Refusal::pull_exists(&format!("{}:{}", name.owner, draft.branch)));
        }
        let branch = Branch {
            name: draft.branch.clone(),
            source: PullSource::Repository,
            readiness: Readiness::Draft,
            base: draft.base.clone(),
            from: from.clone(),
            commits: commits.to_vec(),
        };
        let number = IssueNumber(repository.issues.keys().next_back().map_or(1, |last| last.0 + 1));
        self.repository_mut(id)?.branches.insert(number, branch);
        let opened = self.open(name, SubjectKind::PullRequest, &draft.title, &draft.body, &[]);
        if opened.is_err() {
            self.repository_mut(id)?.branches.remove(&number);
        }
        opened
    }

    /// The pull requests of a branch of the repository, newest first.
    pub fn pulls_from(&self, id: RepositoryId, branch: &str) -> Result<Vec<IssueNumber>, Refusal> {
        if self.state.installation.withheld.contains(&AppPermission::PullRequests) {
            return Err(Refusal::not_accessible());
        }
        let here = |pull: &Branch| pull.name == branch && pull.source == PullSource::Repository;
        let pulls = self.repository(id)?.branches.iter().filter(|(_, pull)| here(pull));
        Ok(pulls.map(|(number, _)| *number).rev().collect())
    }

    fn may_write_contents(&self, id: RepositoryId) -> Result<(), Refusal> {
        let withheld = &self.state.installation.withheld;
        let shut = [AppPermission::Contents, AppPermission::ContentsWrite].iter().any(|it| withheld.contains(it));
        if self.actor == Actor::App && shut { Err(Refusal::not_accessible()) } else { self.need(id, Access::Write) }
    }
}
