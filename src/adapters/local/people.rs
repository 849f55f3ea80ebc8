//! What people do, as a test or the demo tells it: `world.as_person("hanako").label(issue, "gate:start")?`.

use super::World;
use super::acts::{Desk, Spot};
use super::model::{Condition, Conversation, SubjectKind, Upkeep};
use super::refusal::Refusal;
use super::state::Actor;
use crate::domain::ids::{CommentId, CommitSha, IssueNumber, Login, RepositoryId, RepositoryName};

/// A person at one repository. Every act answers what GitHub would: done, or its [`Refusal`].
#[derive(Clone)]
pub struct Person {
    pub(super) world: World,
    pub(super) login: Login,
    pub(super) repository: RepositoryName,
}

/// How an act ends.
pub type Outcome<T = ()> = Result<T, Refusal>;

#[allow(clippy::missing_errors_doc)] // one sentence for all: GitHub's refusal
impl Person {
    /// The same person at another repository.
    #[must_use]
    pub fn at(&self, repository: &RepositoryName) -> Self {
        Self { repository: repository.clone(), ..self.clone() }
    }

    /// Opens an issue.
    pub fn open_issue(&self, title: &str, body: &str) -> Outcome<IssueNumber> {
        self.act(|desk| desk.open(&self.repository, SubjectKind::Issue, title, body, &[]))
    }

    /// Opens an issue by a form that sets labels, whatever the person's role; labels that do not exist are left out.
    pub fn open_by_form(&self, title: &str, body: &str, labels: &[&str]) -> Outcome<IssueNumber> {
        self.act(|desk| desk.open(&self.repository, SubjectKind::Issue, title, body, labels))
    }

    /// Opens a pull request without a branch of its own, for its conversation; see [`Person::propose`].
    pub fn open_pull_request(&self, title: &str, body: &str) -> Outcome<IssueNumber> {
        self.act(|desk| desk.open(&self.repository, SubjectKind::PullRequest, title, body, &[]))
    }

    /// Puts a label on; needs triage, and write where the repository lacks the label.
    pub fn label(&self, number: IssueNumber, name: &str) -> Outcome {
        self.on(number, |desk, spot| desk.add_label(spot, name))
    }

    /// Takes a label off.
    pub fn unlabel(&self, number: IssueNumber, name: &str) -> Outcome {
        self.on(number, |desk, spot| desk.remove_label(spot, name))
    }

    /// Replaces the body.
    pub fn edit_body(&self, number: IssueNumber, body: &str) -> Outcome {
        self.on(number, |desk, spot| desk.edit(spot, None, Some(body)))
    }

    /// Replaces the title.
    pub fn edit_title(&self, number: IssueNumber, title: &str) -> Outcome {
        self.on(number, |desk, spot| desk.edit(spot, Some(title), None))
    }

    /// Writes a comment.
    pub fn comment(&self, number: IssueNumber, body: &str) -> Outcome<CommentId> {
        self.on(number, |desk, spot| desk.comment(spot, body))
    }

    /// Replaces a comment's body: one's own, or anyone's with write.
    pub fn edit_comment(&self, comment: CommentId, body: &str) -> Outcome {
        self.within(|desk, repository| desk.edit_comment(repository, comment, body))
    }

    /// Deletes a comment: one's own, or anyone's with write.
    pub fn delete_comment(&self, comment: CommentId) -> Outcome {
        self.within(|desk, repository| desk.delete_comment(repository, comment))
    }

    /// Closes as completed.
    pub fn close(&self, number: IssueNumber) -> Outcome {
        self.on(number, |desk, spot| desk.set_condition(spot, Condition::Completed))
    }

    /// Closes as not planned.
    pub fn close_as_not_planned(&self, number: IssueNumber) -> Outcome {
        self.on(number, |desk, spot| desk.set_condition(spot, Condition::NotPlanned))
    }

    /// Closes as a duplicate.
    pub fn close_as_duplicate(&self, number: IssueNumber) -> Outcome {
        self.on(number, |desk, spot| desk.set_condition(spot, Condition::Duplicate))
    }

    /// Opens again.
    pub fn reopen(&self, number: IssueNumber) -> Outcome {
        self.on(number, |desk, spot| desk.set_condition(spot, Condition::Open))
    }

    /// Locks the conversation.
    pub fn lock(&self, number: IssueNumber) -> Outcome {
        self.on(number, |desk, spot| desk.set_conversation(spot, Conversation::Locked))
    }

    /// Unlocks it.
    pub fn unlock(&self, number: IssueNumber) -> Outcome {
        self.on(number, |desk, spot| desk.set_conversation(spot, Conversation::Unlocked))
    }

    /// Deletes an issue for good; needs admin.
    #[expect(clippy::redundant_closure_for_method_calls, reason = "a path would fix the desk's lifetime")]
    pub fn delete_issue(&self, number: IssueNumber) -> Outcome {
        self.on(number, |desk, spot| desk.delete_issue(spot))
    }

    /// Transfers an issue; answers its number there.
    pub fn transfer(&self, number: IssueNumber, to: &RepositoryName) -> Outcome<IssueNumber> {
        self.on(number, |desk, spot| desk.transfer(spot, to))
    }

    /// Makes an issue a discussion.
    #[expect(clippy::redundant_closure_for_method_calls, reason = "a path would fix the desk's lifetime")]
    pub fn convert_to_discussion(&self, number: IssueNumber) -> Outcome {
        self.on(number, |desk, spot| desk.convert(spot))
    }

    /// Commits a file to the default branch.
    pub fn push_file(&self, path: &str, bytes: impl AsRef<[u8]>) -> Outcome<CommitSha> {
        self.within(|desk, repository| desk.push(repository, &[(path, Some(bytes.as_ref()))]))
    }

    /// Commits a file's removal.
    pub fn remove_file(&self, path: &str) -> Outcome<CommitSha> {
        self.within(|desk, repository| desk.push(repository, &[(path, None)]))
    }

    /// Creates a label of the repository.
    pub fn create_label(&self, name: &str, colour: &str) -> Outcome {
        self.within(|desk, repository| desk.create_label(repository, name, colour, "").map(|_| ()))
    }

    /// Deletes a label of the repository.
    pub fn delete_label(&self, name: &str) -> Outcome {
        self.within(|desk, repository| desk.delete_label(repository, name))
    }

    /// Archives the repository.
    pub fn archive(&self) -> Outcome {
        self.within(|desk, repository| desk.set_upkeep(repository, Upkeep::Archived))
    }

    /// Takes it up again.
    pub fn unarchive(&self) -> Outcome {
        self.within(|desk, repository| desk.set_upkeep(repository, Upkeep::Live))
    }

    /// Renames the repository; this person stays at the old name, which redirects.
    pub fn rename_repository(&self, name: &str) -> Outcome {
        self.within(|desk, repository| desk.rename(repository, name))
    }

    pub(super) fn on<T>(&self, number: IssueNumber, act: impl FnOnce(&mut Desk<'_>, Spot) -> Outcome<T>) -> Outcome<T> {
        self.act(|desk| {
            let spot = desk.state.locate(&desk.actor, &self.repository, number)?;
            act(desk, spot)
        })
    }

    pub(super) fn within<T>(&self, act: impl FnOnce(&mut Desk<'_>, RepositoryId) -> Outcome<T>) -> Outcome<T> {
        self.act(|desk| {
            let repository = desk.state.enter(&desk.actor, &self.repository)?;
            act(desk, repository)
        })
    }

    pub(super) fn act<T>(&self, act: impl FnOnce(&mut Desk<'_>) -> Outcome<T>) -> Outcome<T> {
        self.world.at_desk(Actor::Person(self.login.clone()), act)
    }
}
