//! Who may do what: the checks before every act.

use super::acts::{Desk, Spot};
use super::model::{Access, AppPermission, Conversation, StoredComment, SubjectKind, Upkeep};
use super::refusal::Refusal;
use super::state::Actor;
use crate::domain::ids::{CommentId, RepositoryId};

impl Desk<'_> {
    /// Opening and commenting: everyone who sees the repository and is not blocked.
    pub(super) fn may_speak(&self, id: RepositoryId) -> Result<(), Refusal> {
        let repository = self.repository(id)?;
        if repository.blocked.contains(&self.login.as_str().to_lowercase()) {
            return Err(Refusal::blocked());
        }
        self.need(id, Access::Read)
    }

    pub(super) fn may_comment(&self, spot: Spot) -> Result<(), Refusal> {
        self.app_may_write(spot)?;
        self.may_speak(spot.0)?;
        let locked = self.issue(spot)?.conversation == Conversation::Locked;
        if locked && !self.has(spot.0, Access::Write) { Err(Refusal::locked()) } else { Ok(()) }
    }

    pub(super) fn may_label(&self, spot: Spot) -> Result<(), Refusal> {
        self.app_may_write(spot)?;
        self.need(spot.0, Access::Triage)
    }

    /// What someone wrote: its author, or write access.
    pub(super) fn may_edit(&self, spot: Spot) -> Result<(), Refusal> {
        self.app_may_write(spot)?;
        let own = self.issue(spot)?.author.as_ref() == Some(&self.login);
        self.need(spot.0, if own { Access::Read } else { Access::Write })
    }

    pub(super) fn own_comment(
        &self,
        repository: RepositoryId,
        id: CommentId,
    ) -> Result<(Spot, StoredComment), Refusal> {
        let spot = self.state.comment_place(repository, id).ok_or_else(Refusal::not_found)?;
        self.app_may_write(spot)?;
        let comment = self.issue(spot)?.comment(id).ok_or_else(Refusal::not_found)?.clone();
        let own = comment.author.as_ref() == Some(&self.login);
        self.need(spot.0, if own { Access::Read } else { Access::Write })?;
        Ok((spot, comment))
    }

    /// A pull request's conversation opens with either permission.
    pub(super) fn app_may_write(&self, spot: Spot) -> Result<(), Refusal> {
        if self.actor != Actor::App {
            return Ok(());
        }
        let withheld = |permission| self.state.installation.withheld.contains(&permission);
        let shut = match self.issue(spot)?.kind {
            SubjectKind::Issue => withheld(AppPermission::Issues),
            SubjectKind::PullRequest => withheld(AppPermission::Issues) && withheld(AppPermission::PullRequests),
        };
        if shut { Err(Refusal::not_accessible()) } else { Ok(()) }
    }

    /// The role, and a repository that can be written to.
    pub(super) fn need(&self, id: RepositoryId, access: Access) -> Result<(), Refusal> {
        if !self.has(id, access) {
            return Err(if self.actor == Actor::App { Refusal::not_accessible() } else { Refusal::lacks_role() });
        }
        if self.repository(id)?.upkeep == Upkeep::Archived { Err(Refusal::archived()) } else { Ok(()) }
    }

    pub(super) fn has(&self, id: RepositoryId, access: Access) -> bool {
        match &self.actor {
            Actor::App => access <= Access::Write,
            Actor::Person(login) => self.state.access(login, id).is_some_and(|role| role >= access),
        }
    }
}
