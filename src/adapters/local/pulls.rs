//! Pull requests with a branch, and check runs on their commits: what GitHub shows of them, and what it refuses.
//!
//! A branch is the list of its commits, each with its whole tree; a fork's branch is one that its author alone may push to.
//! The base repository shows its commits all the same, as GitHub does through `refs/pull/N/head`.

use super::acts::{Desk, Spot};
use super::model::{
    Access, AppPermission, Branch, CheckStage, Commit, Condition, Readiness, StoredCheckRun, SubjectKind,
};
use super::people::{Outcome, Person};
use super::refusal::Refusal;
use super::state::{Actor, blob_hash};
use crate::domain::effect::{CheckReport, CheckRun, MOST_ANNOTATIONS};
use crate::domain::ids::{AppId, CheckRunId, CommitSha, IssueNumber, Login, RepositoryId};
use crate::domain::run::{Pull, PullBase, PullSource};
use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use sha1::{Digest, Sha1};
use std::collections::BTreeMap;

/// GitHub's limit for a summary, in characters.
const SUMMARY: usize = 65_535;

/// A file's new bytes, or none where it is removed.
pub type Change<'a> = (&'a str, Option<&'a [u8]>);

#[allow(clippy::missing_errors_doc)] // one sentence for all: GitHub's refusal
impl Person {
    /// Opens a pull request whose branch changes these files: in the repository with write, in a fork with any role.
    pub fn propose(&self, title: &str, source: PullSource, files: &[Change<'_>]) -> Outcome<IssueNumber> {
        self.act(|desk| {
            let repository = desk.state.enter(&desk.actor, &self.repository)?;
            if source == PullSource::Repository {
                desk.need(repository, Access::Write)?;
            }
            let found = desk.repository(repository)?;
            let base = found.commits.last().cloned().ok_or_else(Refusal::not_found)?;
            let number = IssueNumber(found.issues.keys().next_back().map_or(1, |last| last.0 + 1));
            let commit = desk.commit_on(&base, files)?;
            let found = desk.repository(repository)?;
            let (name, base_name) = (format!("change-{number}"), found.default_branch.clone());
            let readiness = Readiness::Ready;
            let branch = Branch { name, source, readiness, base: base_name, from: base, commits: vec![commit] };
            desk.repository_mut(repository)?.branches.insert(number, branch);
            let opened = desk.open(&self.repository, SubjectKind::PullRequest, title, "", &[]);
            if opened.is_err() {
                desk.repository_mut(repository)?.branches.remove(&number);
            }
            opened
        })
    }

    /// Pushes a further commit to a pull request's branch.
    pub fn push_to(&self, number: IssueNumber, files: &[Change<'_>]) -> Outcome<CommitSha> {
        self.on(number, |desk, spot| {
            let author = desk.issue(spot)?.author.clone();
            let branch = desk.repository(spot.0)?.branches.get(&spot.1).ok_or_else(Refusal::not_found)?;
            let (source, before) = (branch.source, branch.commits.last().cloned());
            match source {
                PullSource::Fork if author.as_ref() == Some(&desk.login) => {}
                PullSource::Fork => return Err(Refusal::lacks_role()),
                PullSource::Repository => desk.need(spot.0, Access::Write)?,
            }
            let before = before.ok_or_else(Refusal::not_found)?;
            let commit = desk.commit_on(&before, files)?;
            let after = commit.sha.clone();
            let branches = &mut desk.repository_mut(spot.0)?.branches;
            branches.get_mut(&spot.1).ok_or_else(Refusal::not_found)?.commits.push(commit);
            desk.state.change(spot, desk.at, |_| ())?;
            desk.tell_issue(spot, "synchronize", json!({"before": before.sha, "after": after}));
            Ok(after)
        })
    }

    /// Lets a pull request go into another branch.
    pub fn retarget(&self, number: IssueNumber, base: &str) -> Outcome {
        self.on(number, |desk, spot| {
            desk.need(spot.0, Access::Write)?;
            let branches = &mut desk.repository_mut(spot.0)?.branches;
            let branch = branches.get_mut(&spot.1).ok_or_else(Refusal::not_found)?;
            let was = std::mem::replace(&mut branch.base, base.to_owned());
            desk.state.change(spot, desk.at, |_| ())?;
            desk.tell_issue(spot, "edited", json!({"changes": {"base": {"ref": {"from": was}}}}));
            Ok(())
        })
    }

    /// Presses a check run's button.
    pub fn rerun(&self, check: CheckRunId) -> Outcome {
        self.within(|desk, repository| {
            desk.need(repository, Access::Write)?;
            let run = desk.repository_mut(repository)?.checks.iter_mut().find(|run| run.id == check);
            let run = run.ok_or_else(Refusal::not_found)?;
            run.stage = CheckStage::Queued;
            let run = run.clone();
            desk.tell_check(repository, "rerequested", &run);
            Ok(())
        })
    }
}

#[allow(clippy::missing_errors_doc)] // one sentence for all: GitHub's refusal
impl Person {
    /// Asks for all checks of a commit again: GitHub tells the suite's own App.
    pub fn rerun_all(&self, head: &CommitSha) -> Outcome {
        self.within(|desk, repository| {
            desk.need(repository, Access::Write)?;
            let app = desk.state.app.id;
            let pulls = desk.pulls_at(repository, head);
            let suite = json!({"id": 1, "head_sha": head, "app": {"id": app}, "pull_requests": pulls});
            desk.tell(repository, "check_suite", Some("rerequested"), json!({"check_suite": suite}));
            Ok(())
        })
    }
}

impl Desk<'_> {
    /// The pull requests whose head is that commit; GitHub names none whose branch is a fork's.
    fn pulls_at(&self, id: RepositoryId, head: &CommitSha) -> Vec<Value> {
        let here = |(number, branch): (&IssueNumber, &Branch)| {
            let at_head = branch.commits.last().is_some_and(|commit| commit.sha == *head);
            (at_head && branch.source == PullSource::Repository)
                .then(|| json!({"number": number, "head": {"sha": head}}))
        };
        let repository = self.state.repositories.get(&id);
        repository.into_iter().flat_map(|found| found.branches.iter().filter_map(here)).collect()
    }

    /// A pull request as the API shows it.
    pub fn pull(&self, (id, number): Spot) -> Result<Pull, Refusal> {
        let (repository, issue) = (self.repository(id)?, self.issue((id, number))?);
        if issue.kind != SubjectKind::PullRequest {
            return Err(Refusal::not_found());
        }
        let branch = repository.branches.get(&number);
        let head = branch.map_or_else(|| repository.commits.last(), |branch| branch.commits.last());
        let base = branch.map_or(&repository.default_branch, |branch| &branch.base).clone();
        Ok(Pull {
            number,
            head: head.ok_or_else(Refusal::not_found)?.sha.clone(),
            base: if base == repository.default_branch { PullBase::Default(base) } else { PullBase::Other(base) },
            source: branch.map_or(PullSource::Repository, |branch| branch.source),
            labels: issue.labels.clone(),
            open: issue.condition == Condition::Open,
            updated_at: issue.updated_at,
        })
    }

    /// What its branch changes, against the commit that it began at.
    pub fn pull_files(&self, spot: Spot) -> Result<Vec<String>, Refusal> {
        self.pull(spot)?;
        let Some(branch) = self.repository(spot.0)?.branches.get(&spot.1) else { return Ok(Vec::new()) };
        let head = branch.commits.last().map(|commit| &commit.files);
        let (before, after) = (&branch.from.files, head.unwrap_or(&branch.from.files));
        let mut paths: Vec<String> = before.keys().chain(after.keys()).cloned().collect();
        paths.sort();
        paths.dedup();
        paths.retain(|path| before.get(path) != after.get(path));
        Ok(paths)
    }

    /// The newest check run of that name; only one App makes any here.
    pub fn check_runs(&self, id: RepositoryId, commit: &CommitSha, name: &str) -> Result<Vec<CheckRun>, Refusal> {
        self.may_check()?;
        self.commit(id, commit).map_err(|_| Refusal::no_commit(commit.as_str()))?;
        let mut runs = self.repository(id)?.checks.iter().filter(|run| run.head == *commit && run.name == name);
        Ok(runs.next_back().map(|run| shown(run, self.state.app.id)).into_iter().collect())
    }

    /// Makes a check run.
    pub fn create_check(
        &mut self,
        id: RepositoryId,
        commit: &CommitSha,
        name: &str,
        external_id: &str,
        report: &CheckReport,
    ) -> Result<CheckRunId, Refusal> {
        self.may_check()?;
        self.need(id, Access::Write)?;
        self.commit(id, commit).map_err(|_| Refusal::no_commit(commit.as_str()))?;
        check_report(report)?;
        let run = StoredCheckRun {
            id: CheckRunId(self.state.fresh_id()),
            head: commit.clone(),
            name: name.to_owned(),
            external_id: external_id.to_owned(),
            report: report.clone(),
            updates: 0,
            stage: CheckStage::Completed,
        };
        self.repository_mut(id)?.checks.push(run.clone());
        self.tell_check(id, "created", &run);
        Ok(run.id)
    }

    /// Lets a check run say this; annotations are appended.
    pub fn update_check(&mut self, id: RepositoryId, check: CheckRunId, report: &CheckReport) -> Result<(), Refusal> {
        self.may_check()?;
        self.need(id, Access::Write)?;
        check_report(report)?;
        let run = self.repository_mut(id)?.checks.iter_mut().find(|run| run.id == check);
        let run = run.ok_or_else(Refusal::not_found)?;
        let mut annotations = std::mem::take(&mut run.report.annotations);
        annotations.extend(report.annotations.iter().cloned());
        run.report = CheckReport { annotations, ..report.clone() };
        run.updates += 1;
        run.stage = CheckStage::Completed;
        Ok(())
    }

    /// A commit of the default branch or of a pull request's; a branch's name stands for its newest.
    pub fn commit(&self, id: RepositoryId, sha: &CommitSha) -> Result<&Commit, Refusal> {
        let repository = self.repository(id)?;
        if let Some(newest) = repository.heads.get(sha.as_str()).and_then(|commits| commits.last()) {
            return Ok(newest);
        }
        let of_branches = repository.branches.values().flat_map(|branch| &branch.commits);
        let of_heads = repository.heads.values().flatten();
        let found = repository.commits.iter().chain(of_branches).chain(of_heads).find(|commit| commit.sha == *sha);
        found.ok_or_else(Refusal::not_found)
    }

    /// Only an App with the permission sees check runs here, and makes them.
    fn may_check(&self) -> Result<(), Refusal> {
        let withheld = self.state.installation.withheld.contains(&AppPermission::Checks);
        if self.actor != Actor::App || withheld { Err(Refusal::not_accessible()) } else { Ok(()) }
    }

    /// A commit on top of another.
    pub fn commit_on(&self, before: &Commit, files: &[Change<'_>]) -> Result<Commit, Refusal> {
        let mut tree = before.files.clone();
        for (path, bytes) in files {
            match bytes {
                Some(bytes) => {
                    tree.insert((*path).to_owned(), bytes.to_vec());
                }
                None => {
                    tree.remove(*path).ok_or_else(Refusal::not_found)?;
                }
            }
        }
        Ok(Commit { sha: commit_sha(before.sha.as_str(), &self.login, self.at, &tree), files: tree })
    }

    fn tell_check(&self, id: RepositoryId, action: &str, run: &StoredCheckRun) {
        let pulls = self.pulls_at(id, &run.head);
        let (status, conclusion) = match run.stage {
            CheckStage::Completed => ("completed", Some(run.report.conclusion)),
            CheckStage::Queued => ("queued", None),
        };
        let check = json!({
            "id": run.id, "name": run.name, "head_sha": run.head, "external_id": run.external_id, "status": status,
            "conclusion": conclusion, "app": {"id": self.state.app.id, "slug": self.state.app.slug},
            "pull_requests": pulls,
        });
        self.tell(id, "check_run", Some(action), json!({"check_run": check}));
    }
}

/// The hash of a commit with this tree.
pub(super) fn commit_sha(
    parent: &str,
    author: &Login,
    at: DateTime<Utc>,
    tree: &BTreeMap<String, Vec<u8>>,
) -> CommitSha {
    let mut hash = Sha1::new();
    hash.update(format!("{parent} {author} {at}\n"));
    for (path, bytes) in tree {
        hash.update(format!("{path} {}\n", blob_hash(bytes)));
    }
    CommitSha(hex::encode(hash.finalize()))
}

fn check_report(report: &CheckReport) -> Result<(), Refusal> {
    if report.title.trim().is_empty() {
        return Err(Refusal::missing("title"));
    }
    let wrong = report.annotations.iter().any(|note| note.line == 0 || note.path.is_empty() || note.message.is_empty());
    if report.annotations.len() > MOST_ANNOTATIONS || wrong {
        return Err(Refusal::invalid("annotations"));
    }
    if report.summary.chars().count() > SUMMARY { Err(Refusal::invalid("summary")) } else { Ok(()) }
}

fn shown(run: &StoredCheckRun, app: AppId) -> CheckRun {
    CheckRun {
        id: run.id,
        app: Some(app),
        external_id: Some(run.external_id.clone()),
        conclusion: (run.stage == CheckStage::Completed).then_some(run.report.conclusion),
        title: run.report.title.clone(),
        summary: run.report.summary.clone(),
        annotations: run.report.annotations.len(),
    }
}
