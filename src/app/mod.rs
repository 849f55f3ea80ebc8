//! The work: a wake names a lane; the lane gathers a dossier, asks its gate, and performs what the gate decides.
//!
//! Read `queue` first (which job is next), then `lane` (what a job does), then what it calls: `gather`, `judge`, `perform`;
//! then `restore` (records that the database lost).

mod change;
mod contracts;
mod gather;
mod judge;
mod lane;
pub mod models;
mod perform;
mod queue;
mod restore;

pub use queue::Stepped;
pub use restore::{Report, RestoreError, Row, Writing};

use crate::domain::event::{Cause, CauseKind, Lane, Wake, Windows};
use crate::domain::ids::{IssueNumber, RepositoryId, WorkerId};
use crate::domain::record::SigningKeys;
use crate::domain::run::{AppIdentity, Contracts};
use crate::ports::{Budgets, Clock, Forge, ForgeError, Place, Store, StoreError};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, OnceCell};

/// What the operator decides about the work.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Keys of the records.
    pub keys: SigningKeys,
    /// Base address of the forge's pages, such as `https://github.com`.
    pub web_url: String,
    /// How long after a create's request a repeat waits before it looks for the thing (`SEKISHO_SETTLE`).
    pub settle: Duration,
    /// How long a worker may hold a job without a sign of life; longer than any request.
    pub lease: Duration,
    /// Attempts before a job is given up: 16 outlast two hours without the forge. Half of them where only the subject
    /// itself stands in the way.
    pub max_attempts: u32,
    /// Lanes that are worked on at the same time.
    pub workers: usize,
    /// Waiting windows of wakes that one lane sends another.
    pub windows: Windows,
    /// What models may take in a day.
    pub budgets: Budgets,
}

impl Settings {
    /// Defaults for everything but the keys.
    #[must_use]
    pub fn new(keys: SigningKeys) -> Self {
        Self {
            keys,
            web_url: "https://github.com".to_owned(),
            settle: Duration::from_secs(10),
            lease: Duration::from_mins(1),
            max_attempts: 16,
            workers: 8,
            windows: Windows { quiet_ms: 1_000, edit_ms: 20_000 },
            budgets: Budgets::default(),
        }
    }
}

/// The App at work: one of these per process, over the ports.
pub struct App {
    forge: Arc<dyn Forge>,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    models: Arc<models::Models>,
    settings: Settings,
    worker: WorkerId,
    identity: OnceCell<AppIdentity>,
    contracts: contracts::Cache,
    labels: perform::KnownLabels,
    looked: restore::Looked,
    hands: queue::Hands,
    woken: Arc<Notify>,
}

impl App {
    /// Puts the App together. `worker` names this process in the queue: no two processes may share it.
    #[must_use]
    pub fn new(
        forge: Arc<dyn Forge>,
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        settings: Settings,
        worker: WorkerId,
    ) -> Self {
        Self {
            forge,
            store,
            clock,
            models: Arc::default(),
            settings,
            worker,
            identity: OnceCell::new(),
            contracts: contracts::Cache::new(),
            labels: perform::KnownLabels::default(),
            looked: restore::Looked::new(),
            hands: queue::Hands::default(),
            woken: Arc::new(Notify::new()),
        }
    }

    /// The same App, which asks these models beside the rules.
    #[must_use]
    pub fn with_models(self, models: Arc<models::Models>) -> Self {
        Self { models, ..self }
    }

    /// Told by the door after each commit, so that nobody waits for the next poll.
    #[must_use]
    pub fn woken(&self) -> Arc<Notify> {
        Arc::clone(&self.woken)
    }

    /// The default branch of that repository moved: its contracts are looked up anew.
    pub fn pushed(&self, repository: RepositoryId) {
        self.contracts.forget(repository);
    }

    /// The contracts that are in force in a repository now, for whoever only asks.
    ///
    /// # Errors
    /// Why they cannot be read, in the forge's words.
    pub async fn contracts_in(&self, place: &Place, repository: RepositoryId) -> Result<Contracts, String> {
        let lane = Lane { installation: place.installation, repository, number: IssueNumber(0) };
        let at = self.clock.now();
        let cause = Cause { kind: CauseKind::Sweep, trigger: None, actor: None, source: None, at, pull: None };
        let wake = Wake { lane, repository: place.repository.clone(), cause };
        self.contracts(&wake).await.map_err(|error| error.to_string())
    }

    /// The App itself, asked for once in the life of the process; the server starts without it.
    ///
    /// # Errors
    /// What `GET /app` answered.
    async fn identity(&self) -> Result<&AppIdentity, ForgeError> {
        self.identity.get_or_try_init(|| self.forge.app()).await
    }
}

/// Why a job did not come to its end.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
enum WorkError {
    /// The forge said no, or nothing.
    #[error("{0}")]
    Forge(#[from] ForgeError),
    /// The database said no.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// The subject is deleted, transferred or out of reach.
    #[error("the subject is gone: {0}")]
    Gone(String),
    /// The API still shows an older state than the cause tells of.
    #[error("the forge still shows an older state than the event tells of")]
    Stale,
    /// The subject changed each time before its verdict could be posted.
    #[error("the subject kept changing while it was judged")]
    Restless,
    /// A gate asked and asked: a defect of ours.
    #[error("a gate never came to an end")]
    Endless,
    /// A comment could not be rendered: a defect of ours.
    #[error("a comment could not be rendered: {0}")]
    Render(String),
}

impl WorkError {
    /// Whether trying again may help.
    fn may_mend(&self) -> bool {
        match self {
            Self::Forge(error) => error.may_mend(),
            Self::Store(_) | Self::Stale | Self::Restless => true,
            Self::Gone(_) | Self::Endless | Self::Render(_) => false,
        }
    }

    /// The word that counts it.
    fn kind(&self) -> &'static str {
        match self {
            Self::Forge(ForgeError::RateLimited { .. }) => "rate_limited",
            Self::Forge(ForgeError::Unreachable { .. }) => "unreachable",
            Self::Forge(_) => "refused",
            Self::Store(_) => "store",
            Self::Gone(_) => "gone",
            Self::Stale => "stale",
            Self::Restless => "restless",
            Self::Endless => "endless",
            Self::Render(_) => "render",
        }
    }
}

/// Where calls for a lane go.
fn place(wake: &crate::domain::event::Wake) -> Place {
    Place { installation: wake.lane.installation, repository: wake.repository.clone() }
}

/// A lane as it reads in a log line.
fn shown(lane: &Lane) -> String {
    format!("{}#{}", lane.repository, lane.number)
}

/// The word of a cause in logs and counts.
fn word(kind: CauseKind) -> &'static str {
    match kind {
        CauseKind::Label => "label",
        CauseKind::Command => "command",
        CauseKind::Edit => "edit",
        CauseKind::Report => "report",
        CauseKind::Child => "child",
        CauseKind::Check => "check",
        CauseKind::Sweep => "sweep",
    }
}
