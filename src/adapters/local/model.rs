//! What stands in the World, as plain data that a test or the demo may look at.

use crate::domain::effect::CheckReport;
use crate::domain::ids::{
    AppId, CheckRunId, CommentId, CommitSha, IssueNumber, Login, NodeId, RepositoryId, RepositoryName,
};
use crate::domain::run::{PullSource, StateReason};
use chrono::{DateTime, Utc};
use std::collections::{BTreeMap, BTreeSet};

/// Whether the installation works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It works.
    Active,
    /// The account suspended it: every call is forbidden and no event comes.
    Suspended,
    /// It was uninstalled: no token can be had.
    Removed,
}

/// A permission of the App that the account may withhold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AppPermission {
    /// Issues: comments and labels can be written, and their events come.
    Issues,
    /// Pull requests: their events come.
    PullRequests,
    /// Contents: files can be read, and pushes are told.
    Contents,
    /// Contents, written to as well: branches and commits. An App can do without.
    ContentsWrite,
    /// Checks: check runs can be read and made, and their events come.
    Checks,
}

/// Who can see a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    /// Everyone.
    Public,
    /// Those who have a role.
    Private,
}

/// Whether a repository can be written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Upkeep {
    /// It can.
    Live,
    /// It is archived: read only.
    Archived,
}

/// What a person may do in a repository: GitHub's roles in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// See it, open issues, comment.
    Read,
    /// Also label and close.
    Triage,
    /// Also push, edit what others wrote, make labels, lock.
    Write,
    /// Also manage the repository.
    Maintain,
    /// Everything.
    Admin,
}

/// A repository.
#[derive(Clone, Debug)]
pub struct Repository {
    /// Its id; it survives a rename.
    pub id: RepositoryId,
    /// Its name now.
    pub name: RepositoryName,
    /// Who can see it.
    pub visibility: Visibility,
    /// Whether it can be written to.
    pub upkeep: Upkeep,
    /// Its default branch.
    pub default_branch: String,
    /// Commits of the default branch, oldest first.
    pub commits: Vec<Commit>,
    /// Labels of the repository.
    pub labels: Vec<Label>,
    pub(super) issues: BTreeMap<IssueNumber, Slot>,
    pub(super) access: BTreeMap<String, Access>,
    pub(super) blocked: BTreeSet<String>,
    /// Branches of pull requests.
    pub(super) branches: BTreeMap<IssueNumber, Branch>,
    /// Branches that the App made: the commit that each began at, then its own, oldest first.
    pub(super) heads: BTreeMap<String, Vec<Commit>>,
    /// Check runs, oldest first.
    pub checks: Vec<StoredCheckRun>,
}

/// A pull request's branch.
#[derive(Clone, Debug)]
pub(super) struct Branch {
    pub name: String,
    pub source: PullSource,
    pub readiness: Readiness,
    /// The branch that it goes into.
    pub base: String,
    /// The commit that it began at.
    pub from: Commit,
    /// Its commits, oldest first; never empty.
    pub commits: Vec<Commit>,
}

/// Whether a pull request asks to be merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Readiness {
    Draft,
    Ready,
}

/// A check run on a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredCheckRun {
    /// Its id.
    pub id: CheckRunId,
    /// The commit.
    pub head: CommitSha,
    /// Its name.
    pub name: String,
    /// What its maker called it.
    pub external_id: String,
    /// What it says, with all annotations.
    pub report: CheckReport,
    /// How often it was updated.
    pub updates: u32,
    /// Whether it says so now.
    pub stage: CheckStage,
}

/// Whether a check run has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckStage {
    /// It says what its report says.
    Completed,
    /// Its button was pressed: GitHub shows no conclusion until its App says it again.
    Queued,
}

/// A commit with the whole tree that it stands for.
#[derive(Clone, Debug)]
pub struct Commit {
    /// Its hash.
    pub sha: CommitSha,
    /// Every file by path.
    pub files: BTreeMap<String, Vec<u8>>,
}

/// A label of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Its id.
    pub id: u64,
    /// Its name, as first written.
    pub name: String,
    /// Six hex digits.
    pub colour: String,
    /// What it means; may be empty.
    pub description: String,
}

/// A number of a repository, and what stands there.
#[derive(Clone, Debug)]
pub(super) enum Slot {
    Here {
        now: Box<StoredIssue>,
        /// Before its last change, for stale reads.
        past: Option<Box<StoredIssue>>,
    },
    Deleted,
    /// Transferred away, or made a discussion: the number answers 404 or redirects.
    Gone,
}

/// An issue or a pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredIssue {
    /// Its id across GitHub.
    pub id: u64,
    /// Its number.
    pub number: IssueNumber,
    /// Issue or pull request.
    pub kind: SubjectKind,
    /// Its title.
    pub title: String,
    /// Its body.
    pub body: String,
    /// Who opened it; none for a deleted account.
    pub author: Option<Login>,
    /// Names of its labels, as the repository writes them.
    pub labels: Vec<String>,
    /// Open or closed, and why.
    pub condition: Condition,
    /// Whether strangers may comment.
    pub conversation: Conversation,
    /// The parent, in the same repository.
    pub parent: Option<IssueNumber>,
    /// Its children, in their order.
    pub sub_issues: Vec<IssueNumber>,
    /// What blocks it, in the order in which it was linked.
    pub blocked_by: Vec<IssueNumber>,
    /// Its comments, oldest first.
    pub comments: Vec<StoredComment>,
    /// What was done to it, oldest first.
    pub events: Vec<IssueEvent>,
    /// When it was opened.
    pub created_at: DateTime<Utc>,
    /// When it or its comments last changed.
    pub updated_at: DateTime<Utc>,
}

/// Issue or pull request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubjectKind {
    /// An issue.
    Issue,
    /// A pull request.
    PullRequest,
}

/// Open or closed, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Open.
    Open,
    /// Closed as completed.
    Completed,
    /// Closed as not planned.
    NotPlanned,
    /// Closed as a duplicate of another issue.
    Duplicate,
}

/// Whether strangers may comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversation {
    /// They may.
    Unlocked,
    /// Only people with write access may.
    Locked,
}

/// A comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredComment {
    /// Its id.
    pub id: CommentId,
    /// Its GraphQL node id.
    pub node: NodeId,
    /// Who wrote it; none for a deleted account.
    pub author: Option<Login>,
    /// The App, where it wrote it.
    pub app: Option<AppId>,
    /// Its Markdown.
    pub body: String,
    /// Whether it is folded away.
    pub display: Display,
    /// Reactions: login and GitHub's word, such as `eyes`.
    pub reactions: BTreeSet<(String, &'static str)>,
    /// When it was written.
    pub created_at: DateTime<Utc>,
    /// When it was last edited.
    pub updated_at: DateTime<Utc>,
}

/// Whether a comment is folded away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Display {
    /// Shown.
    Shown,
    /// Minimised as outdated.
    Outdated,
}

/// An entry of an issue's own history (`GET /issues/N/events`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssueEvent {
    /// GitHub's word: `labeled`, `unlabeled`, `closed`, `renamed` …
    pub kind: &'static str,
    /// The label, where it is about one.
    pub label: Option<String>,
    /// Who did it.
    pub actor: Login,
    /// When.
    pub at: DateTime<Utc>,
}

impl Repository {
    /// The label of that name; GitHub folds case.
    #[must_use]
    pub fn label(&self, name: &str) -> Option<&Label> {
        self.labels.iter().find(|label| same_label(&label.name, name))
    }

    /// A branch that was made beside the default one: the commit that it began at, and its own.
    #[must_use]
    pub fn branch(&self, name: &str) -> Option<&[Commit]> {
        self.heads.get(name).map(Vec::as_slice)
    }

    /// Names of the branches that were made beside the default one.
    pub fn branch_names(&self) -> impl Iterator<Item = &str> {
        self.heads.keys().map(String::as_str)
    }

    /// Every issue and pull request that stands here, by number.
    pub fn issues(&self) -> impl Iterator<Item = &StoredIssue> {
        self.issues.values().filter_map(|slot| match slot {
            Slot::Here { now, .. } => Some(&**now),
            Slot::Deleted | Slot::Gone => None,
        })
    }
}

impl StoredIssue {
    /// Why it is closed, or that it was closed before (`state_reason`).
    #[must_use]
    pub fn state_reason(&self) -> Option<StateReason> {
        match self.condition {
            Condition::Open if self.events.iter().any(|event| event.kind == "reopened") => Some(StateReason::Reopened),
            Condition::Open => None,
            Condition::Completed => Some(StateReason::Completed),
            Condition::NotPlanned => Some(StateReason::NotPlanned),
            Condition::Duplicate => Some(StateReason::Duplicate),
        }
    }

    /// As it arrives in another repository.
    pub(super) fn without_links(self) -> Self {
        Self { parent: None, sub_issues: Vec::new(), blocked_by: Vec::new(), ..self }
    }

    /// The comment, if it stands under this issue.
    #[must_use]
    pub fn comment(&self, id: CommentId) -> Option<&StoredComment> {
        self.comments.iter().find(|comment| comment.id == id)
    }
}

/// Whether two names are the same label to GitHub.
pub(super) fn same_label(a: &str, b: &str) -> bool {
    a.to_lowercase() == b.to_lowercase()
}
