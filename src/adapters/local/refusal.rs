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
