//! Who else has the database open: a lock on a file beside it, which the kernel lets go of when a process ends,
//! however it ends.
//!
//! A lease only says how long its holder *may* live. SQLite's processes all stand on one machine, so here it can be
//! known: who gets the lock for himself alone is the only one, and every lease is a dead process's. The file is one of
//! its own, because SQLite's own locks on the database are lost when any other handle to it is closed.

use crate::ports::StoreError;
use std::fs::{File, TryLockError};
use std::path::Path;

/// This process's part in the lock; ends when it is dropped.
#[derive(Debug)]
pub(super) struct Presence {
    file: File,
    company: Company,
}

/// Who is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Company {
    /// Nobody else. Who comes now waits until [`Presence::settle`].
    Alone,
    /// Others have it open, or nobody can say.
    Others,
}

impl Presence {
    /// Looks who is there. Nobody can come in between until [`Presence::settle`].
    pub(super) fn enter(database: &Path) -> Result<Self, StoreError> {
        let mut name = database.as_os_str().to_owned();
        name.push("-lock");
        let open = File::options().create(true).truncate(false).write(true).open(&name);
        let file = open.map_err(|error| StoreError::Unavailable(format!("{}: {error}", Path::new(&name).display())))?;
        let company = match file.try_lock() {
            Ok(()) => Company::Alone,
            Err(TryLockError::WouldBlock) => Company::Others,
            Err(TryLockError::Error(error)) => {
                tracing::warn!(%error, "no locks here; what a dead process left waits until its lease ends");
                Company::Others
            }
        };
        Ok(Self { file, company })
    }

    /// Who was there on entering.
    pub(super) fn company(&self) -> Company {
        self.company
    }

    /// Lets others in beside this process, which stays.
    pub(super) async fn settle(self) -> Result<Self, StoreError> {
        // Another one who enters in between is alone for a moment. It finds no lease of ours: we have not claimed yet.
        let shared = tokio::task::spawn_blocking(move || {
            let _ = self.file.unlock();
            if let Err(error) = self.file.lock_shared() {
                tracing::warn!(%error, "no locks here; others will not know of this process");
            }
            self
        });
        shared.await.map_err(|error| StoreError::Unavailable(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{SqliteStore, Synchronous};
    use crate::domain::event::{Cause, CauseKind, Lane, Slot, Wake};
    use crate::domain::ids::{DeliveryId, InstallationId, IssueNumber, RepositoryId, RepositoryName, WorkerId};
    use crate::ports::{Delivery, Job, Store as _, Work};
    use chrono::{DateTime, Utc};
    use std::time::Duration;

    async fn open(folder: &tempfile::TempDir) -> SqliteStore {
        let url = format!("sqlite:{}", folder.path().join("sekisho.db").display());
        SqliteStore::open(&url, Synchronous::Normal).await.unwrap()
    }

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000, 0).unwrap()
    }

    fn delivery() -> Delivery {
        let lane = Lane { installation: InstallationId(1), repository: RepositoryId(2), number: IssueNumber(3) };
        let trigger = Some("gate:start".to_owned());
        let cause = Cause { kind: CauseKind::Label, trigger, actor: None, source: None, at: now(), pull: None };
        let wake = Wake { lane, repository: RepositoryName::new("acme", "widgets"), cause };
        let slot = Slot { due: now(), merge: None, latest: None };
        Delivery {
            id: DeliveryId::new("d-1"),
            event: "issues.labeled".into(),
            received_at: now(),
            work: Work::Wake { wake: Box::new(wake), slot },
        }
    }

    async fn claim(store: &SqliteStore, worker: &str) -> Option<Job> {
        store.claim(&WorkerId(worker.to_owned()), now(), Duration::from_mins(1)).await.unwrap()
    }

    #[tokio::test]
    async fn who_opens_it_alone_takes_up_what_a_dead_process_left() {
        let folder = tempfile::tempdir().unwrap();
        let first = open(&folder).await;
        first.take_in(&[delivery()]).await.unwrap();
        let job = claim(&first, "first").await.unwrap();
        drop(first);
        let second = open(&folder).await;
        let again = claim(&second, "second").await.expect("at once, whatever the lease says");
        assert_eq!((again.id, again.attempt), (job.id, 2), "a crash counts as an attempt");
    }

    #[tokio::test]
    async fn who_opens_it_beside_another_leaves_its_leases() {
        let folder = tempfile::tempdir().unwrap();
        let first = open(&folder).await;
        first.take_in(&[delivery()]).await.unwrap();
        let job = claim(&first, "first").await.unwrap();
        let second = open(&folder).await;
        assert_eq!(claim(&second, "second").await, None);
        first.renew(&job, now() + Duration::from_mins(2)).await.unwrap();
        // The last one to come is not the only one either, once the first has gone.
        drop(first);
        let third = open(&folder).await;
        assert_eq!(claim(&third, "third").await, None);
    }

    #[tokio::test]
    async fn many_may_open_it_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let stores = futures::future::join_all((0..8).map(|_| open(&folder))).await;
        for store in &stores {
            store.ping().await.unwrap();
        }
    }
}
