//! What the work needs from outside: a forge, a store, a clock. Adapters implement these; `app` knows nothing else.

use crate::domain::effect::{EffectId, PostedComment};
use crate::domain::event::{Lane, Wake};
use crate::domain::ids::{DeliveryId, GateId, IssueNumber, JobId, RepositoryId, RepositoryName, RunId, WorkerId};
use crate::domain::record::Record;
use crate::domain::reply::{MicroDollars, Receipt};
use crate::domain::run::StoredRecord;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde_json::Value;
use std::time::Duration;

mod forge;
mod judge;
mod spending;

pub use forge::{Entry, File, Forge, ForgeError, Head, Place};
pub use judge::{Came, Judge, JudgeError, JudgeReply, JudgeRequest};
pub use spending::{Budgets, PaidReceipt, Purchase, PurchaseId, Reserved, SpentBy};

/// What can go wrong in the store.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum StoreError {
    /// The database cannot be used now: disk full, locked, gone.
    #[error("the database is unavailable: {0}")]
    Unavailable(String),
    /// A row does not hold what this version wrote.
    #[error("the database holds something unreadable: {0}")]
    Corrupt(String),
    /// Someone else holds the lease now, or the record's place is taken.
    #[error("{0}")]
    Conflict(String),
}

/// A delivery on its way into the database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// `X-GitHub-Delivery`.
    pub id: DeliveryId,
    /// `X-GitHub-Event` and the action, such as `issues.labeled`.
    pub event: String,
    /// When it came.
    pub received_at: DateTime<Utc>,
    /// What it wakes.
    pub work: Work,
}

/// What a delivery asks of the queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Work {
    /// Wake a lane.
    Wake {
        /// The wake.
        wake: Box<Wake>,
        /// When it is due, and what it may be merged with.
        slot: crate::domain::event::Slot,
    },
    /// Make paused jobs of this repository due.
    Unpause(RepositoryId),
}

/// What became of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// Stored now.
    New,
    /// Known already; nothing done.
    Repeated,
    /// Known, and its job was dead: it is taken up again.
    Revived,
}

/// A job under a lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Its id; run ids are made of it.
    pub id: JobId,
    /// Whose queue, and why.
    pub wake: Wake,
    /// How often it was begun, this time included.
    pub attempt: u32,
    /// When its first wake came.
    pub created_at: DateTime<Utc>,
    /// Who holds it.
    pub worker: WorkerId,
}

/// How a lease ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobEnd {
    /// Finished.
    Done,
    /// Again at this time. `counted` = it was an attempt; a shutdown's release is none.
    Retry {
        /// When.
        at: DateTime<Utc>,
        /// Why.
        error: String,
        /// Whether it counts as an attempt.
        counted: bool,
    },
    /// Waits for `gate:pause` to go, at most until this time.
    Paused {
        /// When to look again.
        until: DateTime<Utc>,
    },
    /// Given up; a redelivery or `/gate retry` revives it.
    Dead {
        /// Why.
        error: String,
    },
}

/// A create that is to happen: its row stands before the request.
#[derive(Clone, Debug, PartialEq)]
pub struct Intent {
    /// Its name.
    pub id: EffectId,
    /// Where it happens.
    pub lane: Lane,
    /// What is needed to do it again, such as `{"body": …}`.
    pub payload: Value,
}

/// A create in the ledger.
#[derive(Clone, Debug, PartialEq)]
pub struct LedgerEntry {
    /// What was intended.
    pub intent: Intent,
    /// When the request was last sent; none = never.
    pub sent_at: Option<DateTime<Utc>>,
    /// What came of it; none = open.
    pub result: Option<Value>,
}

/// A record that was lost, as its comment gave it back.
#[derive(Clone, Debug, PartialEq)]
pub struct Regained {
    /// The record, at the edit that the comment shows.
    pub record: Record,
    /// Where its comment stands.
    pub comment: PostedComment,
    /// What the ledger held with it, as far as something still asks for it; never sent.
    pub entries: Vec<LedgerEntry>,
}

/// How much waits in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Depth {
    /// Due or waiting.
    pub ready: u64,
    /// Under a lease.
    pub running: u64,
    /// Waiting for `gate:pause` to go.
    pub paused: u64,
    /// Given up.
    pub dead: u64,
    /// When the oldest ready job is or was due.
    pub oldest_due: Option<DateTime<Utc>>,
}

/// Which records of a repository are meant; what is none leaves all.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct RecordFilter {
    /// Of this issue or pull request.
    pub number: Option<IssueNumber>,
    /// Of this gate.
    pub gate: Option<GateId>,
    /// Judged at this time or later.
    pub since: Option<DateTime<Utc>>,
}

/// The database. Every method appears in the store story, on every backend.
#[async_trait]
pub trait Store: Send + Sync {
    /// Whether the database can be written to.
    async fn ping(&self) -> Result<(), StoreError>;

    /// Stores deliveries and their wakes in one transaction; answers in the same order.
    async fn take_in(&self, deliveries: &[Delivery]) -> Result<Vec<Taken>, StoreError>;
    /// Leases the next due job whose lane is free, or none.
    async fn claim(&self, worker: &WorkerId, now: DateTime<Utc>, lease: Duration) -> Result<Option<Job>, StoreError>;
    /// Prolongs a lease; `Conflict` = it is lost.
    async fn renew(&self, job: &Job, until: DateTime<Utc>) -> Result<(), StoreError>;
    /// Ends a lease; `Conflict` = it is lost.
    async fn end(&self, job: &Job, end: JobEnd, now: DateTime<Utc>) -> Result<(), StoreError>;
    /// Makes jobs of dead workers ready again: leases that ended before `now`. Says how many.
    async fn expire(&self, now: DateTime<Utc>) -> Result<u64, StoreError>;
    /// Makes every dead job of a lane ready again. Says how many.
    async fn revive(&self, lane: &Lane, now: DateTime<Utc>) -> Result<u64, StoreError>;
    /// When the next job is due, if one waits.
    async fn next_due(&self) -> Result<Option<DateTime<Utc>>, StoreError>;
    /// How much waits.
    async fn depth(&self) -> Result<Depth, StoreError>;

    /// The records of a subject, all gates, each at its newest edit, by gate and `seq`.
    async fn records(&self, repository: RepositoryId, number: IssueNumber) -> Result<Vec<StoredRecord>, StoreError>;
    /// The repository that has this name: the one that the newest delivery under it came from, whatever the case of its
    /// letters, else one whose records were made under it. None = nothing of it was ever stored.
    async fn repository_named(&self, name: &RepositoryName) -> Result<Option<RepositoryId>, StoreError>;
    /// The records of a repository that the filter leaves, each at its newest edit, in the order of their judging.
    async fn records_of(
        &self,
        repository: RepositoryId,
        filter: &RecordFilter,
    ) -> Result<Vec<StoredRecord>, StoreError>;
    /// Of the subjects of a repository that were judged last, at most so many: the newest record with a verdict of each
    /// gate, newest first.
    async fn judged(&self, repository: RepositoryId, subjects: usize) -> Result<Vec<StoredRecord>, StoreError>;
    /// Appends a record (a new `seq`, or a further `edit` of the newest) and the intent of its comment, in one transaction.
    /// `Conflict` = that place is taken.
    async fn append(&self, record: &Record, intents: &[Intent]) -> Result<(), StoreError>;
    /// Notes where the record's comment stands.
    async fn posted(
        &self,
        repository: RepositoryId,
        number: IssueNumber,
        gate: GateId,
        seq: u64,
        comment: &PostedComment,
    ) -> Result<(), StoreError>;

    /// Puts records back that were lost, with the places of their comments and their entries, in one transaction. What
    /// stands is left as it is: a record whose `seq` stands at this edit or a later one is passed over with its entries,
    /// and so is an entry whose name stands. Unlike [`Store::append`], an earlier `seq` may follow a later one. Says how
    /// many records were put in.
    async fn restore(&self, records: &[Regained]) -> Result<u64, StoreError>;

    /// Stores an intent, or gives back the entry that stands under its name.
    async fn intend(&self, intent: &Intent) -> Result<LedgerEntry, StoreError>;
    /// Notes that the request is sent now.
    async fn sent(&self, id: &EffectId, at: DateTime<Utc>) -> Result<(), StoreError>;
    /// Stores what came of it.
    async fn settle(&self, id: &EffectId, result: &Value) -> Result<(), StoreError>;
    /// Open entries of a lane, oldest first.
    async fn open(&self, lane: &Lane) -> Result<Vec<LedgerEntry>, StoreError>;
    /// Every entry of a run, oldest first.
    async fn entries(&self, run: &RunId) -> Result<Vec<LedgerEntry>, StoreError>;

    /// Asks whether a call of a model may be paid for. Where the day's budgets allow it, its estimate is noted and counts
    /// from now on, in one transaction: however many ask at once, no cap is passed. To be asked anew for each call that is
    /// sent, also where a run that a crash ended is run again: what it had reserved may have been paid for.
    async fn reserve(&self, purchase: &Purchase, budgets: &Budgets) -> Result<Reserved, StoreError>;
    /// What the call took, in place of the estimate; it may be more. The same receipt again changes nothing. `Conflict` =
    /// nothing of this name is reserved.
    async fn paid(&self, purchase: PurchaseId, receipt: &Receipt, cost: Option<MicroDollars>)
    -> Result<(), StoreError>;
    /// The call used nothing: it was refused or never sent. Its estimate no longer counts. Where nobody knows (a timeout,
    /// half an answer, a crash) it is not released, and the estimate stands. `Conflict` = nothing of this name is reserved.
    async fn release(&self, purchase: PurchaseId) -> Result<(), StoreError>;
    /// The receipts of a run, in the order of its calls.
    async fn receipts(&self, run: &RunId) -> Result<Vec<PaidReceipt>, StoreError>;
    /// What was used or is reserved on the day (UTC) of this time, by installation and repository.
    async fn spent(&self, day: DateTime<Utc>) -> Result<Vec<SpentBy>, StoreError>;
}

/// Time, injected, so that windows and leases can be tested by hand.
#[async_trait]
pub trait Clock: Send + Sync {
    /// Now, UTC.
    fn now(&self) -> DateTime<Utc>;
    /// Returns at that time or later.
    async fn sleep_until(&self, at: DateTime<Utc>);
}
