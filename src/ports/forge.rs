//! What the work needs of a forge: the port [`Forge`], and the ways in which it says no.

use crate::domain::effect::{
    CheckReport, CheckRun, CloseReason, FileChange, IssueDraft, LabelSpec, PostedComment, PullDraft,
};
use crate::domain::ids::{
    BlobHash, CheckRunId, CommentId, CommitSha, InstallationId, IssueId, IssueNumber, Login, NodeId, RepositoryId,
    RepositoryName,
};
use crate::domain::run::{AppIdentity, Comment, Issue, Permission, Pull};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// What the App asks of GitHub. Every method appears in the forge story, on World and on the emulator.
///
/// Only `app::perform` calls the writing methods (`tests/tidy.rs`).
#[async_trait]
pub trait Forge: Send + Sync {
    /// The App itself (`GET /app`).
    async fn app(&self) -> Result<AppIdentity, ForgeError>;
    /// The installation through which the App reaches a repository; none = `NotFound`.
    async fn installation(&self, repository: &RepositoryName) -> Result<InstallationId, ForgeError>;
    /// Every open issue and pull request, all pages, in the forge's order.
    async fn open_issues(&self, place: &Place) -> Result<Vec<Issue>, ForgeError>;
    /// An issue or pull request.
    async fn issue(&self, place: &Place, number: IssueNumber) -> Result<Issue, ForgeError>;
    /// All comments of an issue, every page, oldest first.
    async fn comments(&self, place: &Place, number: IssueNumber) -> Result<Vec<Comment>, ForgeError>;
    /// This App's comments on all issues and pull requests, open and closed, every page, each with where it stands, oldest
    /// first. `NotOffered` where the server lists the comments of an issue alone.
    async fn own_comments(&self, place: &Place) -> Result<Vec<(IssueNumber, Comment)>, ForgeError>;
    /// The repository's id, which a new name leaves as it is.
    async fn repository(&self, place: &Place) -> Result<RepositoryId, ForgeError>;
    /// What a person may do; nobody the server knows = [`Permission::None`].
    async fn permission(&self, place: &Place, login: &Login) -> Result<Permission, ForgeError>;
    /// The newest commit of the default branch; an empty repository is `NotFound`.
    async fn head(&self, place: &Place) -> Result<Head, ForgeError>;
    /// The name of the default branch.
    async fn default_branch(&self, place: &Place) -> Result<String, ForgeError>;
    /// The files (not folders) of a folder; a missing folder is `NotFound`.
    async fn directory(&self, place: &Place, path: &str, commit: &CommitSha) -> Result<Vec<Entry>, ForgeError>;
    /// A file; a missing one is `NotFound`.
    async fn file(&self, place: &Place, path: &str, commit: &CommitSha) -> Result<File, ForgeError>;
    /// A pull request; an issue is `NotFound`.
    async fn pull(&self, place: &Place, number: IssueNumber) -> Result<Pull, ForgeError>;
    /// Paths of the files that a pull request changes, every page, those before a rename among them. GitHub lists the
    /// first 3,000.
    async fn pull_files(&self, place: &Place, number: IssueNumber) -> Result<Vec<String>, ForgeError>;
    /// The issues (no pull requests) that this App opened, open and closed, all pages, by number.
    async fn own_issues(&self, place: &Place) -> Result<Vec<Issue>, ForgeError>;
    /// The sub-issues of an issue that stand in the same repository, in their order, every page. `NotOffered` where the
    /// server has no such route.
    async fn sub_issues(&self, place: &Place, parent: IssueNumber) -> Result<Vec<Issue>, ForgeError>;
    /// The issues of the same repository that block this one, every page. `NotOffered` as with sub-issues.
    async fn blocked_by(&self, place: &Place, number: IssueNumber) -> Result<Vec<IssueNumber>, ForgeError>;
    /// The pull requests of a branch of the repository, open and closed, newest first.
    async fn pulls_from(&self, place: &Place, branch: &str) -> Result<Vec<IssueNumber>, ForgeError>;
    /// The check runs of that name at a commit: the newest of each App. An unknown commit is `Refused` or `NotFound`.
    async fn check_runs(&self, place: &Place, commit: &CommitSha, name: &str) -> Result<Vec<CheckRun>, ForgeError>;

    /// Writes a comment.
    async fn create_comment(&self, place: &Place, number: IssueNumber, body: &str)
    -> Result<PostedComment, ForgeError>;
    /// Replaces a comment's body.
    async fn edit_comment(&self, place: &Place, id: CommentId, body: &str) -> Result<(), ForgeError>;
    /// Deletes a comment; `NotFound` = it was gone.
    async fn delete_comment(&self, place: &Place, id: CommentId) -> Result<(), ForgeError>;
    /// Creates a label of the repository; one that exists is `Refused` with status 422.
    async fn create_label(&self, place: &Place, label: &LabelSpec) -> Result<(), ForgeError>;
    /// Puts a label on an issue.
    async fn add_label(&self, place: &Place, number: IssueNumber, name: &str) -> Result<(), ForgeError>;
    /// Takes a label off an issue; `NotFound` = it was gone.
    async fn remove_label(&self, place: &Place, number: IssueNumber, name: &str) -> Result<(), ForgeError>;
    /// Acknowledges a comment with 👀.
    async fn acknowledge(&self, place: &Place, comment: CommentId) -> Result<(), ForgeError>;
    /// Minimises a comment as outdated (GraphQL).
    async fn minimise(&self, place: &Place, node: &NodeId) -> Result<(), ForgeError>;
    /// Makes a finished check run of a commit, with at most
    /// [`MOST_ANNOTATIONS`](crate::domain::effect::MOST_ANNOTATIONS).
    async fn create_check_run(
        &self,
        place: &Place,
        commit: &CommitSha,
        name: &str,
        external_id: &str,
        report: &CheckReport,
    ) -> Result<CheckRunId, ForgeError>;
    /// Lets a check run say this; its annotations are appended to those that stand.
    async fn update_check_run(&self, place: &Place, id: CheckRunId, report: &CheckReport) -> Result<(), ForgeError>;
    /// Opens an issue. Labels that the repository lacks are made.
    async fn create_issue(&self, place: &Place, draft: &IssueDraft) -> Result<Issue, ForgeError>;
    /// Replaces the body of an issue or pull request.
    async fn edit_issue_body(&self, place: &Place, number: IssueNumber, body: &str) -> Result<(), ForgeError>;
    /// Closes an issue; one that is closed takes the reason over.
    async fn close_issue(&self, place: &Place, number: IssueNumber, reason: CloseReason) -> Result<(), ForgeError>;
    /// Makes an issue the last sub-issue of another. One that has a parent is `Refused` with status 422; `NotOffered`
    /// where the server has no sub-issues.
    async fn add_sub_issue(&self, place: &Place, parent: IssueNumber, child: IssueId) -> Result<(), ForgeError>;
    /// Lets an issue be blocked by another. A cycle, and one that stands already, are `Refused` with status 422;
    /// `NotOffered` where the server has no dependencies.
    async fn add_blocked_by(&self, place: &Place, number: IssueNumber, on: IssueId) -> Result<(), ForgeError>;
    /// Makes a branch; one that exists is `Refused` with status 422.
    async fn create_branch(&self, place: &Place, name: &str, at: &CommitSha) -> Result<(), ForgeError>;
    /// Commits a file to a branch. A blob that is not the one to be replaced is `Refused` with status 409 or 422.
    async fn put_file(&self, place: &Place, branch: &str, file: &FileChange) -> Result<(), ForgeError>;
    /// Opens a pull request, always as a draft. A second one of the same branch is `Refused` with status 422.
    async fn create_pull(&self, place: &Place, draft: &PullDraft) -> Result<IssueNumber, ForgeError>;
}

/// Where a call to the forge goes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// Through which installation.
    pub installation: InstallationId,
    /// In which repository.
    pub repository: RepositoryName,
}

/// The three kinds of "no": the caller's, the world's, and what this server does not offer.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum ForgeError {
    /// 404 or 410: it is not there, or not for us.
    #[error("{what}: not found")]
    NotFound {
        /// The request, such as `GET issue acme/widgets#3`.
        what: String,
    },
    /// The server has no such route or feature.
    #[error("{what}: not offered by this server")]
    NotOffered {
        /// The request.
        what: String,
    },
    /// 403 without a rate limit: a permission is missing, the installation is suspended, the subject is archived or locked.
    #[error("{what}: forbidden: {message}")]
    Forbidden {
        /// The request.
        what: String,
        /// The server's words.
        message: String,
    },
    /// 401: credentials do not work.
    #[error("{what}: unauthorized: {message}")]
    Unauthorized {
        /// The request.
        what: String,
        /// The server's words.
        message: String,
    },
    /// 422 or another 4xx: the request itself is refused.
    #[error("{what}: refused ({status}): {message}")]
    Refused {
        /// The request.
        what: String,
        /// The HTTP status.
        status: u16,
        /// The server's words.
        message: String,
    },
    /// 403 or 429 with a limit: try again not before `until`.
    #[error("{what}: rate limited until {until}")]
    RateLimited {
        /// The request.
        what: String,
        /// When to try again.
        until: DateTime<Utc>,
    },
    /// Timeout, 5xx, connection lost: a write may have happened all the same.
    #[error("{what}: unreachable: {message}")]
    Unreachable {
        /// The request.
        what: String,
        /// What happened.
        message: String,
    },
}

impl ForgeError {
    /// Whether the world may mend it: then the job is retried.
    #[must_use]
    pub fn may_mend(&self) -> bool {
        matches!(self, Self::RateLimited { .. } | Self::Unreachable { .. } | Self::Unauthorized { .. })
    }
}

/// The newest commit of the default branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its commit.
    pub commit: CommitSha,
}

/// A file in a folder of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its path from the root.
    pub path: String,
    /// Its size in bytes.
    pub size: u64,
}

/// A file of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its path from the root.
    pub path: String,
    /// Its blob hash.
    pub blob: BlobHash,
    /// Its bytes.
    pub bytes: Vec<u8>,
}
