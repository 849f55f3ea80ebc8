//! GitHub's ways to say no, in its own words, for people and for the App alike.

use crate::ports::ForgeError;

/// A refused request: what GitHub answers instead of doing it.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error("{status}: {message}")]
pub struct Refusal {
    /// The HTTP status.
    pub status: u16,
    /// The server's words; for a 422 with the field's error after a colon.
    pub message: String,
}

impl Refusal {
    fn new(status: u16, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }

    /// It is not there, or not for the one who asks.
    pub(super) fn not_found() -> Self {
        Self::new(404, "Not Found")
    }

    /// The issue does not carry that label.
    pub(super) fn no_such_label() -> Self {
        Self::new(404, "Label does not exist")
    }

    /// The issue was deleted.
    pub(super) fn deleted() -> Self {
        Self::new(410, "This issue was deleted")
    }

    /// The repository is archived.
    pub(super) fn archived() -> Self {
        Self::new(403, "Repository was archived so is read-only.")
    }

    /// The installation is suspended.
    pub(super) fn suspended() -> Self {
        Self::new(403, "This installation has been suspended")
    }

    /// The installation lacks a permission.
    pub(super) fn not_accessible() -> Self {
        Self::new(403, "Resource not accessible by integration")
    }

    /// The conversation is locked.
    pub(super) fn locked() -> Self {
        Self::new(403, "Unable to create comment because issue is locked.")
    }

    /// A person's role does not reach.
    pub(super) fn lacks_role() -> Self {
        Self::new(403, "Must have admin rights to Repository.")
    }

    /// The owner blocked the person.
    pub(super) fn blocked() -> Self {
        Self::new(403, "User is blocked")
    }

    /// A comment or body beyond the limit.
    pub(super) fn too_long() -> Self {
        Self::new(422, "Validation Failed: Body is too long (maximum is 65536 characters)")
    }

    /// A check run's commit is unknown.
    pub(super) fn no_commit(sha: &str) -> Self {
        Self::new(422, format!("No commit found for SHA: {sha}"))
    }

    /// An issue has all the labels that it takes.
    pub(super) fn too_many_labels() -> Self {
        Self::new(422, "Validation Failed: An issue may only have up to 100 labels")
    }

    /// A label or repository of that name exists.
    pub(super) fn already_exists() -> Self {
        Self::new(422, "Validation Failed: already_exists")
    }

    /// A sub-issue has a parent already, this one or another.
    pub(super) fn has_a_parent() -> Self {
        Self::new(422, "Issue may not contain duplicate sub-issues and Sub issue may only have one parent")
    }

    /// An issue would stand below itself.
    pub(super) fn sub_issue_cycle() -> Self {
        Self::new(422, "Sub issue may not create a circular dependency")
    }

    /// An issue has all the sub-issues that it takes.
    pub(super) fn too_many_sub_issues() -> Self {
        Self::new(422, "Parent cannot have more than 100 sub-issues")
    }

    /// A link ends at a pull request.
    pub(super) fn no_issue() -> Self {
        Self::new(422, "Validation failed: Target issue may only be an issue")
    }

    /// An issue would block itself.
    pub(super) fn blocks_itself() -> Self {
        Self::new(422, "Validation failed: Target issue cannot be the same as the source issue")
    }

    /// The dependency stands already.
    pub(super) fn blocks_already() -> Self {
        Self::new(422, "Validation failed: Target issue has already been taken")
    }

    /// Issues would block each other in a circle.
    pub(super) fn dependency_cycle() -> Self {
        Self::new(422, "Validation failed: Target issue would create a circular dependency")
    }

    /// A branch of that name exists.
    pub(super) fn reference_exists() -> Self {
        Self::new(422, "Reference already exists")
    }

    /// A name that no branch may have.
    pub(super) fn no_reference() -> Self {
        Self::new(422, "Reference name is not valid")
    }

    /// A branch's commit is unknown.
    pub(super) fn no_object() -> Self {
        Self::new(422, "Object does not exist")
    }

    /// There is no such branch.
    pub(super) fn no_branch(name: &str) -> Self {
        Self::new(404, format!("Branch {name} not found"))
    }

    /// A file stands there, and the request does not say which is to be replaced.
    pub(super) fn no_blob_given() -> Self {
        Self::new(422, "Invalid request. \"sha\" wasn't supplied.")
    }

    /// Another blob stands there.
    pub(super) fn another_blob(path: &str, expected: &str) -> Self {
        Self::new(409, format!("{path} does not match {expected}"))
    }

    /// A branch holds nothing new.
    pub(super) fn no_commits(base: &str, head: &str) -> Self {
        Self::new(422, format!("Validation Failed: No commits between {base} and {head}"))
    }

    /// A pull request of that branch is open.
    pub(super) fn pull_exists(head: &str) -> Self {
        Self::new(422, format!("Validation Failed: A pull request already exists for {head}."))
    }

    /// A field that must hold something is empty.
    pub(super) fn missing(field: &str) -> Self {
        Self::new(422, format!("Validation Failed: {field} missing_field"))
    }

    /// A field that holds something GitHub does not take.
    pub(super) fn invalid(field: &str) -> Self {
        Self::new(422, format!("Validation Failed: {field} invalid"))
    }

    /// As the App's adapter would report it.
    pub(super) fn into_error(self, what: String) -> ForgeError {
        match self.status {
            404 | 410 => ForgeError::NotFound { what },
            403 => ForgeError::Forbidden { what, message: self.message },
            status => ForgeError::Refused { what, status, message: self.message },
        }
    }
}
