//! The queue: one claimer hands due jobs to tasks, at most so many at a time; a lease is kept alive while its job runs.

use super::{App, lane, shown};
use crate::domain::ids::JobId;
use crate::ports::{Job, JobEnd, StoreError};
use chrono::{DateTime, Utc};
use futures::FutureExt as _;
use std::any::Any;
use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

/// What one step of the queue did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stepped {
    /// A job was claimed and came to an end of some kind.
    Worked,
    /// Nothing is due, or every due lane is busy.
    Idle,
}

/// How long running jobs may go on after a stop was asked for. What is left then is released, and the process has ended
/// within the 25 s of chapter 8.
const GRACE: Duration = Duration::from_secs(20);
/// Attempts beyond the last that a crash may cost: those are begun once more, so that their end can be said.
const CRASHES: u32 = 3;
/// Attempts of a job that panics: the same text panics again.
const PANICS: u32 = 3;
/// The floor for whatever no notice reaches.
const POLL: Duration = Duration::from_secs(1);
/// How often leases of dead workers are looked for.
const EXPIRE: Duration = Duration::from_secs(5);

/// What the queue remembers between its steps.
#[derive(Default)]
pub(super) struct Hands {
    running: Mutex<HashMap<JobId, Job>>,
    expired_at: Mutex<Option<DateTime<Utc>>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The words of a panic.
fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without words")
}

impl App {
    /// Works until the token is cancelled; then running jobs finish, or are released, within 25 s.
    pub async fn work(self: Arc<Self>, stop: CancellationToken) {
        let seats = Arc::new(Semaphore::new(self.settings.workers));
        let mut jobs = JoinSet::new();
        loop {
            let seat = tokio::select! {
                () = stop.cancelled() => break,
                seat = Arc::clone(&seats).acquire_owned() => seat,
            };
            while jobs.try_join_next().is_some() {}
            let waited = match self.claim().await {
                Ok(Some(job)) => {
                    let app = Arc::clone(&self);
                    jobs.spawn(async move {
                        if let Err(error) = app.hold(job).await {
                            tracing::error!(%error, "a job's end could not be stored; its lease will expire");
                        }
                        drop(seat);
                        // The lane is free: its next job may be due.
                        app.woken.notify_one();
                    });
                    continue;
                }
                Ok(None) => self.until_due().await,
                Err(error) => {
                    tracing::error!(%error, "the queue cannot be read");
                    POLL
                }
            };
            drop(seat);
            tokio::select! {
                () = stop.cancelled() => break,
                () = self.woken.notified() => {}
                () = tokio::time::sleep(waited) => {}
            }
        }
        self.finish(jobs).await;
    }

    async fn finish(&self, mut jobs: JoinSet<()>) {
        let all = async { while jobs.join_next().await.is_some() {} };
        if tokio::time::timeout(GRACE, all).await.is_ok() {
            return;
        }
        jobs.shutdown().await;
        let left: Vec<Job> = locked(&self.hands.running).drain().map(|(_, job)| job).collect();
        for job in left {
            let now = self.clock.now();
            let end = JobEnd::Retry { at: now, error: "the server stopped".to_owned(), counted: false };
            match self.store.end(&job, end, now).await {
                Ok(()) => tracing::warn!(id = %job.id, "released: it did not end in time"),
                Err(error) => tracing::warn!(id = %job.id, %error, "not released; its lease will expire"),
            }
        }
    }

    /// Claims one due job and works it to its end.
    ///
    /// # Errors
    /// The database cannot be used.
    pub async fn step(&self) -> Result<Stepped, StoreError> {
        match self.claim().await? {
            Some(job) => self.hold(job).await.map(|()| Stepped::Worked),
            None => Ok(Stepped::Idle),
        }
    }

    /// Leases the next due job, after those that dead workers left.
    async fn claim(&self) -> Result<Option<Job>, StoreError> {
        let now = self.clock.now();
        let due = locked(&self.hands.expired_at)
            .is_none_or(|last| now - last >= chrono::Duration::from_std(EXPIRE).unwrap_or_default());
        if due {
            self.store.expire(now).await?;
            *locked(&self.hands.expired_at) = Some(now);
        }
        self.store.claim(&self.worker, now, self.settings.lease).await
    }

    /// Works a job while its lease is kept alive, and ends the lease.
    async fn hold(&self, job: Job) -> Result<(), StoreError> {
        let lane = shown(&job.wake.lane);
        let span =
            tracing::info_span!("job", id = %job.id, %lane, repository = %job.wake.repository, attempt = job.attempt);
        locked(&self.hands.running).insert(job.id.clone(), job.clone());
        let end = tokio::select! {
            end = self.guarded(&job).instrument(span) => Some(end),
            () = self.keep_lease(&job) => None,
        };
        locked(&self.hands.running).remove(&job.id);
        let Some(end) = end else {
            tracing::warn!(id = %job.id, "the lease was lost; another worker has the job");
            return Ok(());
        };
        match self.store.end(&job, end, self.clock.now()).await {
            Err(StoreError::Conflict(_)) => {
                tracing::warn!(id = %job.id, "the lease was lost before the end");
                Ok(())
            }
            ended => ended,
        }
    }

    /// The job, with an end to those that never come to one: each crash of the process counts as an attempt, so a job
    /// that kills it goes under some time, and a panic is a failure like any other.
    async fn guarded(&self, job: &Job) -> JobEnd {
        let most = self.settings.max_attempts;
        if job.attempt > most + CRASHES {
            tracing::error!(attempts = job.attempt, "given up unseen: its worker was gone each time");
            metrics::counter!("sekisho_dead_jobs_total").increment(1);
            return JobEnd::Dead { error: "the worker that held it was gone each time".to_owned() };
        }
        // What a panic may leave half-done is what a crash may: the next attempt begins from the store and the forge.
        match AssertUnwindSafe(self.job(job)).catch_unwind().await {
            Ok(end) => end,
            Err(panic) => self.panicked(job, said(&*panic)),
        }
    }

    fn panicked(&self, job: &Job, what: &str) -> JobEnd {
        let error = format!("a defect of ours: {what}");
        tracing::error!(error, attempt = job.attempt, "the job panicked");
        if job.attempt < PANICS {
            return JobEnd::Retry { at: lane::again(job, self.clock.now()), error, counted: true };
        }
        metrics::counter!("sekisho_dead_jobs_total").increment(1);
        JobEnd::Dead { error }
    }

    /// Prolongs the lease while the job runs; returns when it is lost.
    async fn keep_lease(&self, job: &Job) {
        loop {
            tokio::time::sleep(self.settings.lease / 3).await;
            let until = self.clock.now() + self.settings.lease;
            if let Err(StoreError::Conflict(_)) = self.store.renew(job, until).await {
                return;
            }
        }
    }

    /// Until the next job is due, and a second at most.
    async fn until_due(&self) -> Duration {
        match self.store.next_due().await {
            // A job that is due and was not claimed stands behind one that runs; its end is a notice.
            Ok(Some(due)) => (due - self.clock.now()).to_std().unwrap_or(POLL).clamp(Duration::from_millis(1), POLL),
            _ => POLL,
        }
    }
}
