//! SQLite: two connections, one that writes and one that reads.
//!
//! SQLite lets one writer in at a time, so there is one writing connection, and who wants to write queues for it
//! fairly in this process instead of polling a lock. Its statements are short. `busy_timeout` is for other processes.

mod connection;
mod convert;
mod effects;
mod inspect;
mod intake;
mod judged;
mod migrate;
mod presence;
mod queue;
mod records;
mod restore;
mod spending;

use crate::domain::effect::{EffectId, PostedComment};
use crate::domain::event::Lane;
use crate::domain::ids::{GateId, IssueNumber, RepositoryId, RepositoryName, RunId, WorkerId};
use crate::domain::record::Record;
use crate::domain::reply::{MicroDollars, Receipt};
use crate::domain::run::StoredRecord;
use crate::ports::{
    Budgets, Delivery, Depth, Intent, Job, JobEnd, LedgerEntry, PaidReceipt, Purchase, PurchaseId, RecordFilter,
    Regained, Reserved, SpentBy, Store, StoreError, Taken,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use connection::Connection;
pub use inspect::{Inspection, Schema, inspect};
use presence::{Company, Presence};
use serde_json::Value;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use std::str::FromStr;
use std::time::Duration;

/// When a commit counts as durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Synchronous {
    /// It survives the death of the process at any instant.
    #[default]
    Normal,
    /// It survives a loss of power too.
    Full,
}

/// Where the database is.
enum Place {
    File,
    Memory,
}

/// The database in a file, or in memory (`sqlite::memory:`).
#[derive(Debug)]
pub struct SqliteStore {
    write: Connection,
    /// None where the database is in memory: there the writing connection is the only one that sees it.
    read: Option<Connection>,
    /// Shows other processes that this one lives; none where the database is in memory.
    _presence: Option<Presence>,
}

impl SqliteStore {
    /// Opens `sqlite:PATH`, creates it where it is missing, and brings its tables up to this version. Where no other
    /// process has it open, the jobs that a dead one left are ready again at once, whatever their leases say.
    ///
    /// # Errors
    /// `Unavailable` where it cannot be opened or written; `Corrupt` where a newer version wrote it.
    pub async fn open(url: &str, synchronous: Synchronous) -> Result<Self, StoreError> {
        let options = SqliteConnectOptions::from_str(url).map_err(convert::error)?;
        let place = if url.contains(":memory:") || url.contains("mode=memory") { Place::Memory } else { Place::File };
        Self::connect(options, synchronous, place).await
    }

    /// The same for a file, with options that a URL cannot carry, such as a limit of pages.
    ///
    /// # Errors
    /// As [`SqliteStore::open`].
    pub async fn open_with(options: SqliteConnectOptions, synchronous: Synchronous) -> Result<Self, StoreError> {
        Self::connect(options, synchronous, Place::File).await
    }

    async fn connect(
        options: SqliteConnectOptions,
        synchronous: Synchronous,
        place: Place,
    ) -> Result<Self, StoreError> {
        let options = options
            .create_if_missing(true)
            .foreign_keys(true)
            .busy_timeout(Duration::from_secs(10))
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(match synchronous {
                Synchronous::Normal => SqliteSynchronous::Normal,
                Synchronous::Full => SqliteSynchronous::Full,
            })
            .pragma("temp_store", "memory")
            // A checkpoint every 16 MB: it copies each changed page once, however often it was written since the last.
            .pragma("wal_autocheckpoint", "4000")
            .pragma("journal_size_limit", "33554432");
        let presence = match place {
            Place::Memory => None,
            Place::File => Some(Presence::enter(options.get_filename())?),
        };
        let write = Connection::open(&options.clone().thread_name(|n| format!("store-write-{n}"))).await?;
        migrate::run(&write).await?;
        let presence = match presence {
            None => None,
            Some(presence) => {
                if presence.company() == Company::Alone {
                    take_up(&write).await?;
                }
                Some(presence.settle().await?)
            }
        };
        let read = match place {
            Place::Memory => None,
            Place::File => Some(Connection::open(&options.thread_name(|n| format!("store-read-{n}"))).await?),
        };
        Ok(Self { write, read, _presence: presence })
    }

    /// Opens a database that is there, to read and nothing else: nothing is created, brought up to this version or taken
    /// up, and this process does not show itself to others. Every writing method is `Unavailable`.
    ///
    /// # Errors
    /// `Unavailable` where there is none or it cannot be read; `Corrupt` where another version wrote its tables.
    pub async fn open_to_read(url: &str) -> Result<Self, StoreError> {
        let options = SqliteConnectOptions::from_str(url).map_err(convert::error)?;
        let options = options.create_if_missing(false).read_only(true).busy_timeout(Duration::from_secs(10));
        let write = Connection::open(&options).await?;
        migrate::is_current(&write).await?;
        Ok(Self { write, read: None, _presence: None })
    }

    /// Folds the write-ahead log into the file and closes it. Dropping loses nothing either; closing is tidier.
    ///
    /// # Errors
    /// `Unavailable` where the last checkpoint fails.
    pub async fn close(self) -> Result<(), StoreError> {
        if let Some(read) = self.read {
            read.close().await?;
        }
        self.write.close().await
    }

    fn reader(&self) -> &Connection {
        self.read.as_ref().unwrap_or(&self.write)
    }
}

/// No process lives that could hold a lease: all of them have ended.
async fn take_up(write: &Connection) -> Result<(), StoreError> {
    let jobs = queue::expire(write, DateTime::<Utc>::MAX_UTC).await?;
    if jobs > 0 {
        tracing::info!(jobs, "taken up again: the process that held them is gone");
    }
    Ok(())
}

#[async_trait]
impl Store for SqliteStore {
    async fn ping(&self) -> Result<(), StoreError> {
        let at = Utc::now().timestamp_millis();
        let pulse = "INSERT INTO pulse (id, at) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET at = excluded.at";
        self.write.execute(sqlx::query(pulse).bind(at)).await?;
        Ok(())
    }

    async fn take_in(&self, deliveries: &[Delivery]) -> Result<Vec<Taken>, StoreError> {
        intake::take_in(&self.write, deliveries).await
    }

    async fn claim(&self, worker: &WorkerId, now: DateTime<Utc>, lease: Duration) -> Result<Option<Job>, StoreError> {
        queue::claim(&self.write, worker, now, lease).await
    }

    async fn renew(&self, job: &Job, until: DateTime<Utc>) -> Result<(), StoreError> {
        queue::renew(&self.write, job, until).await
    }

    async fn end(&self, job: &Job, end: JobEnd, now: DateTime<Utc>) -> Result<(), StoreError> {
        queue::end(&self.write, job, end, now).await
    }

    async fn expire(&self, now: DateTime<Utc>) -> Result<u64, StoreError> {
        queue::expire(&self.write, now).await
    }

    async fn revive(&self, lane: &Lane, now: DateTime<Utc>) -> Result<u64, StoreError> {
        queue::revive(&self.write, lane, now).await
    }

    async fn next_due(&self) -> Result<Option<DateTime<Utc>>, StoreError> {
        queue::next_due(self.reader()).await
    }

    async fn depth(&self) -> Result<Depth, StoreError> {
        queue::depth(self.reader()).await
    }

    async fn records(&self, repository: RepositoryId, number: IssueNumber) -> Result<Vec<StoredRecord>, StoreError> {
        records::of_subject(self.reader(), repository, number).await
    }

    async fn judged(&self, repository: RepositoryId, subjects: usize) -> Result<Vec<StoredRecord>, StoreError> {
        judged::last(self.reader(), repository, subjects).await
    }

    async fn repository_named(&self, name: &RepositoryName) -> Result<Option<RepositoryId>, StoreError> {
        records::repository_named(self.reader(), name).await
    }

    async fn records_of(
        &self,
        repository: RepositoryId,
        filter: &RecordFilter,
    ) -> Result<Vec<StoredRecord>, StoreError> {
        records::of_repository(self.reader(), repository, filter).await
    }

    async fn append(&self, record: &Record, intents: &[Intent]) -> Result<(), StoreError> {
        records::append(&self.write, record, intents).await
    }

    async fn posted(
        &self,
        repository: RepositoryId,
        number: IssueNumber,
        gate: GateId,
        seq: u64,
        comment: &PostedComment,
    ) -> Result<(), StoreError> {
        records::posted(&self.write, repository, number, gate, seq, comment).await
    }

    async fn restore(&self, records: &[Regained]) -> Result<u64, StoreError> {
        restore::restore(&self.write, records).await
    }

    async fn intend(&self, intent: &Intent) -> Result<LedgerEntry, StoreError> {
        effects::intend(&self.write, intent).await
    }

    async fn sent(&self, id: &EffectId, at: DateTime<Utc>) -> Result<(), StoreError> {
        effects::sent(&self.write, id, at).await
    }

    async fn settle(&self, id: &EffectId, result: &Value) -> Result<(), StoreError> {
        effects::settle(&self.write, id, result).await
    }

    async fn open(&self, lane: &Lane) -> Result<Vec<LedgerEntry>, StoreError> {
        effects::open(self.reader(), lane).await
    }

    async fn entries(&self, run: &RunId) -> Result<Vec<LedgerEntry>, StoreError> {
        effects::entries(self.reader(), run).await
    }

    async fn reserve(&self, purchase: &Purchase, budgets: &Budgets) -> Result<Reserved, StoreError> {
        spending::reserve(&self.write, purchase, budgets).await
    }

    async fn paid(
        &self,
        purchase: PurchaseId,
        receipt: &Receipt,
        cost: Option<MicroDollars>,
    ) -> Result<(), StoreError> {
        spending::paid(&self.write, purchase, receipt, cost).await
    }

    async fn release(&self, purchase: PurchaseId) -> Result<(), StoreError> {
        spending::release(&self.write, purchase).await
    }

    async fn receipts(&self, run: &RunId) -> Result<Vec<PaidReceipt>, StoreError> {
        spending::receipts(self.reader(), run).await
    }

    async fn spent(&self, day: DateTime<Utc>) -> Result<Vec<SpentBy>, StoreError> {
        spending::spent(self.reader(), day).await
    }
}
