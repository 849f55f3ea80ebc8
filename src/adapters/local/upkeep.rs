//! What can be done to an issue as a whole, to a repository and to the installation: closing, locking, moving, pushing.

use super::acts::{Desk, Spot};
use super::model::{
    Access, Commit, Condition, Conversation, Slot, Standing, StoredIssue, SubjectKind, Upkeep, same_label,
};
use super::payload;
use super::pulls::commit_sha;
use super::refusal::Refusal;
use super::state::folded;
use crate::domain::ids::{CommitSha, IssueNumber, RepositoryId, RepositoryName};
use serde_json::json;

impl Desk<'_> {
    /// Closes or reopens: the author, or triage.
    pub fn set_condition(&mut self, spot: Spot, condition: Condition) -> Result<(), Refusal> {
        self.app_may_write(spot)?;
        let issue = self.issue(spot)?;
        let own = issue.author.as_ref() == Some(&self.login);
        let was = issue.condition;
        self.need(spot.0, if own { Access::Read } else { Access::Triage })?;
        if was == condition {
            return Ok(());
        }
        if was != Condition::Open && condition != Condition::Open {
            // Only the reason changes, of which nobody is told.
            return self.state.change(spot, self.at, |issue| issue.condition = condition);
        }
        let word = if condition == Condition::Open { "reopened" } else { "closed" };
        let event = self.event(word, None);
        self.state.change(spot, self.at, |issue| {
            issue.condition = condition;
            issue.events.push(event);
        })?;
        self.tell_issue(spot, word, json!({}));
        Ok(())
    }

    /// Locks or unlocks the conversation.
    pub fn set_conversation(&mut self, spot: Spot, conversation: Conversation) -> Result<(), Refusal> {
        self.need(spot.0, Access::Write)?;
        if self.issue(spot)?.conversation == conversation {
            return Ok(());
        }
        let word = if conversation == Conversation::Locked { "locked" } else { "unlocked" };
        let event = self.event(word, None);
        self.state.change(spot, self.at, |issue| {
            issue.conversation = conversation;
            issue.events.push(event);
        })?;
        self.tell_issue(spot, word, json!({}));
        Ok(())
    }

    /// Deletes an issue for good; it answers 410 from now on.
    pub fn delete_issue(&mut self, spot: Spot) -> Result<(), Refusal> {
        self.need(spot.0, Access::Admin)?;
        self.tell_issue(spot, "deleted", json!({}));
        self.cut_links(spot)?;
        self.repository_mut(spot.0)?.issues.insert(spot.1, Slot::Deleted);
        Ok(())
    }

    /// Makes an issue a discussion; its number answers 404 from now on.
    pub fn convert(&mut self, spot: Spot) -> Result<(), Refusal> {
        self.need(spot.0, Access::Write)?;
        self.cut_links(spot)?;
        self.repository_mut(spot.0)?.issues.insert(spot.1, Slot::Gone);
        Ok(())
    }

    /// Transfers an issue with its comments. Labels go along where the other repository has one of that name.
    pub fn transfer(&mut self, spot: Spot, to: &RepositoryName) -> Result<IssueNumber, Refusal> {
        let target = self.state.enter(&self.actor, to)?;
        self.need(spot.0, Access::Write)?;
        self.need(target, Access::Write)?;
        if target == spot.0 || self.issue(spot)?.kind == SubjectKind::PullRequest {
            return Err(Refusal::invalid("repository"));
        }
        let there = self.repository(target)?;
        let number = IssueNumber(there.issues.keys().next_back().map_or(1, |last| last.0 + 1));
        let mut issue = self.issue(spot)?.clone();
        let labels = |name: &String| there.labels.iter().find(|label| same_label(&label.name, name));
        issue.labels = issue.labels.iter().filter_map(labels).map(|label| label.name.clone()).collect();
        issue = StoredIssue { number, updated_at: self.at, ..issue.without_links() };
        self.tell_issue(spot, "transferred", json!({"changes": {"new_issue": {"number": number}}}));
        self.cut_links(spot)?;
        self.repository_mut(spot.0)?.issues.insert(spot.1, Slot::Gone);
        let moved = Slot::Here { now: Box::new(issue), past: None };
        self.repository_mut(target)?.issues.insert(number, moved);
        self.state.moved.insert(spot, (target, number));
        self.tell_issue((target, number), "opened", json!({}));
        Ok(number)
    }

    /// Commits to the default branch: `None` deletes a file.
    pub fn push(&mut self, id: RepositoryId, files: &[(&str, Option<&[u8]>)]) -> Result<CommitSha, Refusal> {
        self.need(id, Access::Write)?;
        let repository = self.repository(id)?;
        let before = repository.commits.last();
        let mut tree = before.map(|commit| commit.files.clone()).unwrap_or_default();
        let (mut added, mut modified, mut removed) = (Vec::new(), Vec::new(), Vec::new());
        for (path, bytes) in files {
            match bytes {
                Some(bytes) if tree.insert((*path).to_owned(), bytes.to_vec()).is_some() => modified.push(*path),
                Some(_) => added.push(*path),
                None if tree.remove(*path).is_some() => removed.push(*path),
                None => return Err(Refusal::not_found()),
            }
        }
        let parent = before.map_or_else(|| "0".repeat(40), |commit| commit.sha.as_str().to_owned());
        let sha = commit_sha(&parent, &self.login, self.at, &tree);
        let commit = json!({"id": sha, "added": added, "modified": modified, "removed": removed});
        let fields = json!({
            "ref": format!("refs/heads/{}", repository.default_branch), "before": parent, "after": sha,
            "created": before.is_none(), "deleted": false, "forced": false, "pusher": {"name": self.login},
            "commits": [commit], "head_commit": commit,
        });
        self.repository_mut(id)?.commits.push(Commit { sha: sha.clone(), files: tree });
        self.tell(id, "push", None, fields);
        Ok(sha)
    }

    /// Deletes a label of the repository; it goes from every issue without a further event.
    pub fn delete_label(&mut self, id: RepositoryId, name: &str) -> Result<(), Refusal> {
        self.need(id, Access::Write)?;
        let label = self.repository(id)?.label(name).ok_or_else(Refusal::not_found)?.clone();
        let repository = self.repository_mut(id)?;
        repository.labels.retain(|other| other.id != label.id);
        for slot in repository.issues.values_mut() {
            if let Slot::Here { now, .. } = slot {
                now.labels.retain(|other| *other != label.name);
            }
        }
        self.tell(id, "label", Some("deleted"), json!({"label": payload::label(&label)}));
        Ok(())
    }

    /// Archives the repository, or takes it up again.
    pub fn set_upkeep(&mut self, id: RepositoryId, upkeep: Upkeep) -> Result<(), Refusal> {
        self.admin(id)?;
        self.repository_mut(id)?.upkeep = upkeep;
        let word = if upkeep == Upkeep::Archived { "archived" } else { "unarchived" };
        self.tell(id, "repository", Some(word), json!({}));
        Ok(())
    }

    /// Renames the repository; the old name redirects.
    pub fn rename(&mut self, id: RepositoryId, name: &str) -> Result<(), Refusal> {
        self.admin(id)?;
        let old = self.repository(id)?.name.clone();
        let new = RepositoryName::new(old.owner.clone(), name);
        if self.state.repositories.values().any(|other| other.id != id && folded(&other.name) == folded(&new)) {
            return Err(Refusal::already_exists());
        }
        self.state.old_names.remove(&folded(&new));
        self.state.old_names.insert(folded(&old), id);
        self.repository_mut(id)?.name = new;
        self.tell(id, "repository", Some("renamed"), json!({"changes": {"repository": {"name": {"from": old.name}}}}));
        Ok(())
    }

    /// Suspends the installation, lets it work again, or removes it.
    pub fn set_standing(&mut self, standing: Standing) {
        let was = self.state.installation.standing;
        let word = match (was, standing) {
            (Standing::Active, Standing::Suspended) => "suspend",
            (Standing::Suspended, Standing::Active) => "unsuspend",
            (Standing::Active | Standing::Suspended, Standing::Removed) => "deleted",
            (Standing::Removed, Standing::Active) => "created",
            _ => return,
        };
        self.state.installation.standing = standing;
        self.outbox.put("installation", &payload::of_installation(self.state, word, &self.login, json!({})));
    }

    /// Puts a repository into the installation's selection, or takes it out.
    pub fn select(&mut self, id: RepositoryId, word: Selection) -> Result<(), Refusal> {
        let changed = match word {
            Selection::Added => self.state.installation.selected.insert(id),
            Selection::Removed => self.state.installation.selected.remove(&id),
        };
        if !changed {
            return Ok(());
        }
        let brief = payload::repository_brief(self.repository(id)?);
        let (action, fields) = match word {
            Selection::Added => ("added", json!({"repositories_added": [brief], "repositories_removed": []})),
            Selection::Removed => ("removed", json!({"repositories_added": [], "repositories_removed": [brief]})),
        };
        let payload = payload::of_installation(self.state, action, &self.login, fields);
        self.outbox.put("installation_repositories", &payload);
        Ok(())
    }

    /// Administration works on an archived repository too.
    fn admin(&self, id: RepositoryId) -> Result<(), Refusal> {
        match self.need(id, Access::Admin) {
            Err(refusal) if refusal != Refusal::archived() => Err(refusal),
            _ => Ok(()),
        }
    }
}

/// What happens to a repository in the installation's selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// It comes in.
    Added,
    /// It goes out.
    Removed,
}
