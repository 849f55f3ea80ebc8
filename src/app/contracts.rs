//! The contracts of a repository, cached by the head commit of its default branch, absence included (chapter 10).

use super::{App, WorkError, place};
use crate::domain::event::Wake;
use crate::domain::ids::{CommitSha, RepositoryId, RepositoryName};
use crate::domain::run::Contracts;
use crate::ports::{ForgeError, Place};
use moka::sync::Cache as Moka;
use std::time::Duration;

/// What is known of each repository. A push or ten minutes end that.
pub(super) struct Cache {
    /// The head that was seen, for ten minutes.
    current: Moka<RepositoryId, Contracts>,
    /// What a commit holds, for as long as there is room.
    by_commit: Moka<(RepositoryId, CommitSha), Contracts>,
}

impl Cache {
    pub(super) fn new() -> Self {
        Self {
            current: Moka::builder().max_capacity(10_000).time_to_live(Duration::from_secs(600)).build(),
            by_commit: Moka::builder().max_capacity(1_000).build(),
        }
    }

    pub(super) fn forget(&self, repository: RepositoryId) {
        self.current.invalidate(&repository);
    }
}
