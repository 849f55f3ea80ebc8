//! One job of a lane: walks its gates to their end and says how the job ends. A crash anywhere begins here again.

use super::perform::Performed;
use super::{App, WorkError, word};
use crate::domain::event::CauseKind;
use crate::domain::gates;
use crate::domain::ids::{GateId, RunId};
use crate::domain::run::{Dossier, Facts, Next, Task, Then};
use crate::ports::{ForgeError, Job, JobEnd};
use chrono::{DateTime, Utc};
use std::time::Duration;

/// How a job's tasks ended.
enum Worked {
    Done,
    Held,
}

/// How often a subject may change under a run before the job is retried later.
const RESTARTS: usize = 3;
/// Stages that one run may have: a split has three.
const STAGES: usize = 8;
/// Facts and answers that one run may ask for; a gate that asks for more is broken.
const WISHES: usize = 40;
/// How long a held job waits for `gate:pause` to go before it looks by itself: at first and at most. The label's
/// removal wakes it earlier, unless it came while the job was being held.
const PAUSE_LOOK: (Duration, Duration) = (Duration::from_secs(15), Duration::from_mins(10));

impl App {
    /// Every task of a job, and how its lease is to end.
    pub(super) async fn job(&self, job: &Job) -> JobEnd {
        let mut last = None;
        match self.tasks(job, &mut last).await {
            Ok(Worked::Done) => JobEnd::Done,
            Ok(Worked::Held) => JobEnd::Paused { until: look_again(job, self.clock.now()) },
            Err(error) => self.failed(job, last, &error).await,
        }
    }

    /// Every task of the job, one after the other. `last` keeps the dossier that was open, should it fail.
    async fn tasks(&self, job: &Job, last: &mut Option<Dossier>) -> Result<Worked, WorkError> {
        let wake = &job.wake;
        let app = self.identity().await?.clone();
        if wake.cause.actor.as_ref().is_some_and(|actor| app.is(actor)) {
            return Ok(Worked::Done);
        }
        if let Performed::Held = self.resume(wake).await? {
            return Ok(Worked::Held);
        }
        let contracts = self.contracts(wake).await?;
        let tasks = gates::tasks(&contracts, &wake.cause);
        if wake.cause.kind == CauseKind::Command && tasks.iter().any(|task| gates::is_seen(&contracts, task)) {
            self.nod(wake).await;
        }
        let mut worked = Worked::Done;
        for task in tasks {
            let open = || Dossier {
                run: run_id(job, &task),
                app: Some(app.clone()),
                lane: Some(wake.lane.clone()),
                repository: Some(wake.repository.clone()),
                web_url: self.settings.web_url.clone(),
                cause: wake.cause.clone(),
                task: task.clone(),
                now: self.clock.now(),
                contracts: contracts.clone(),
                judges: self.models.judges(),
                facts: Facts::default(),
            };
            if let Worked::Held = self.run(job, open, last).await? {
                worked = Worked::Held;
            }
        }
        Ok(worked)
    }

    /// One run: from `next` to `next` until it is done; from the start where the subject changed meanwhile.
    async fn run(
        &self,
        job: &Job,
        open: impl Fn() -> Dossier,
        last: &mut Option<Dossier>,
    ) -> Result<Worked, WorkError> {
        let (mut changed, mut stages) = (0, 0);
        while changed < RESTARTS && stages < STAGES {
            let dossier = last.insert(open());
            match self.walk(job, dossier).await? {
                Performed::Changed => changed += 1,
                Performed::Again => stages += 1,
                Performed::Held => return Ok(Worked::Held),
                Performed::Done => return Ok(Worked::Done),
            }
        }
        if changed >= RESTARTS { Err(WorkError::Restless) } else { Err(WorkError::Endless) }
    }

    async fn walk(&self, job: &Job, dossier: &mut Dossier) -> Result<Performed, WorkError> {
        for _ in 0..WISHES {
            match gates::next(dossier) {
                Next::Need(facts) => self.gather(&job.wake, dossier, facts).await?,
                Next::Ask(asked) => self.ask(&job.wake, dossier, asked).await?,
                Next::Hold => return Ok(Performed::Held),
                Next::Done(done) => {
                    let then = done.then;
                    let performed = self.perform(&job.wake, dossier, *done).await?;
                    return Ok(match (performed, then) {
                        (Performed::Done, Then::Again) => Performed::Again,
                        (other, _) => other,
                    });
                }
            }
        }
        Err(WorkError::Endless)
    }

    /// What a failure makes of the job: again later, or given up with a ⚪ comment where one can be posted.
    async fn failed(&self, job: &Job, last: Option<Dossier>, error: &WorkError) -> JobEnd {
        let cause = word(job.wake.cause.kind);
        if let WorkError::Gone(what) = error {
            tracing::info!(id = %job.id, cause, what, "the subject is gone; nothing to do");
            return JobEnd::Done;
        }
        let now = self.clock.now();
        let most = match error {
            // These are about one subject, whose later jobs wait behind this one.
            WorkError::Stale | WorkError::Restless => self.settings.max_attempts / 2,
            _ => self.settings.max_attempts,
        };
        metrics::counter!("sekisho_retries_total", "reason" => error.kind()).increment(1);
        if let WorkError::Forge(ForgeError::RateLimited { until, .. }) = error {
            tracing::info!(id = %job.id, cause, %until, "rate limited");
            let at = (*until).max(now + Duration::from_secs(1));
            return JobEnd::Retry { at, error: error.to_string(), counted: false };
        }
        if error.may_mend() && job.attempt < most {
            let at = again(job, now);
            tracing::warn!(id = %job.id, cause, %error, %at, "failed; it is tried again");
            return JobEnd::Retry { at, error: error.to_string(), counted: true };
        }
        tracing::error!(id = %job.id, cause, %error, attempts = job.attempt, "given up");
        metrics::counter!("sekisho_dead_jobs_total").increment(1);
        if let Some(dossier) = last {
            Box::pin(self.say_so(job, dossier, error)).await;
        }
        JobEnd::Dead { error: error.to_string() }
    }

    /// Best effort: what cannot be said now stands in the queue as a dead job.
    async fn say_so(&self, job: &Job, mut dossier: Dossier, error: &WorkError) {
        for _ in 0..WISHES {
            let Next::Need(facts) = gates::next(&dossier) else { break };
            if self.gather(&job.wake, &mut dossier, facts).await.is_err() {
                return;
            }
        }
        let said = match gates::give_up(&dossier, &error.to_string(), job.attempt) {
            Some(done) => self.perform(&job.wake, &dossier, done).await.map(|_| ()),
            None => self.unsay_waiting(&job.wake, &dossier).await,
        };
        if let Err(error) = said {
            tracing::warn!(id = %job.id, %error, "the end could not be said on the subject");
        }
    }
}

/// The run's id: the job's and the task's, so that a restart of the job finds its own traces.
fn run_id(job: &Job, task: &Task) -> RunId {
    match task {
        Task::Gate { gate, .. } | Task::Reconsider(gate) | Task::Children(gate) => RunId(format!("{}.{gate}", job.id)),
        Task::Reported => RunId(format!("{}.{}", job.id, GateId::Outcome)),
        Task::Override { .. } | Task::BadOverride => RunId(format!("{}.override", job.id)),
        Task::Answer(_) => RunId(format!("{}.answer", job.id)),
        Task::Relay => RunId(format!("{}.relay", job.id)),
        Task::Help => RunId(format!("{}.help", job.id)),
        Task::Status => RunId(format!("{}.status", job.id)),
        Task::RetryNewest => RunId(format!("{}.retry", job.id)),
        Task::Unknown(_) => RunId(format!("{}.reply", job.id)),
        Task::ContractChange => RunId(format!("{}.contract", job.id)),
    }
}

/// A held job looks again after half of its age, so that the label's removal which raced the first read is soon seen
/// and a pause of weeks costs little.
fn look_again(job: &Job, now: DateTime<Utc>) -> DateTime<Utc> {
    let (first, last) = PAUSE_LOOK;
    now + ((now - job.created_at).to_std().unwrap_or_default() / 2).clamp(first, last)
}

/// Exponential with jitter: 2, 4, 8 … s, at most 15 minutes, ± a quarter by the job's own id.
pub(super) fn again(job: &Job, now: DateTime<Utc>) -> DateTime<Utc> {
    let base = 2_000u64.saturating_mul(1 << job.attempt.saturating_sub(1).min(16)).min(900_000);
    let seed =
        job.id.as_str().bytes().fold(u64::from(job.attempt), |seed, byte| seed.wrapping_mul(31) + u64::from(byte));
    let jitter = base / 4 * (seed % 200) / 100;
    now + Duration::from_millis(base - base / 4 + jitter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::event::{Cause, Lane, Wake};
    use crate::domain::ids::{InstallationId, IssueNumber, JobId, RepositoryId, RepositoryName, WorkerId};

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000 + seconds, 0).unwrap()
    }

    fn job(id: &str, attempt: u32) -> Job {
        let lane = Lane { installation: InstallationId(1), repository: RepositoryId(2), number: IssueNumber(3) };
        let cause = Cause { kind: CauseKind::Sweep, trigger: None, actor: None, source: None, at: at(0), pull: None };
        let wake = Wake { lane, repository: RepositoryName::new("o", "r"), cause };
        Job { id: JobId::new(id), wake, attempt, created_at: at(0), worker: WorkerId::new("w") }
    }

    #[test]
    fn backoff_doubles_to_a_quarter_of_an_hour_and_jitters_by_a_quarter() {
        let wait = |id: &str, attempt| (again(&job(id, attempt), at(0)) - at(0)).num_milliseconds();
        for (attempt, base) in [(1, 2_000), (2, 4_000), (5, 32_000), (9, 512_000), (10, 900_000), (60, 900_000)] {
            let waits: Vec<i64> = (0..200).map(|index| wait(&format!("job-{index}"), attempt)).collect();
            let (least, most) = (*waits.iter().min().unwrap(), *waits.iter().max().unwrap());
            assert!(least >= base * 3 / 4 && most <= base * 5 / 4, "{attempt}: {least} to {most}");
            assert!(most - least > base / 4, "{attempt}: jobs that failed together come back apart");
            assert_eq!(wait("job-1", attempt), wait("job-1", attempt), "no chance in it");
        }
        let all: i64 = (1..16).map(|attempt| wait("job-1", attempt)).sum();
        assert!(all > 2 * 3_600_000 * 3 / 4 && all < 3 * 3_600_000, "16 attempts outlast about two hours: {all} ms");
    }

    #[test]
    fn a_held_job_looks_again_after_half_of_its_age() {
        let check = |age, expect| assert_eq!(look_again(&job("j", 1), at(age)), at(age + expect), "{age}");
        check(0, 15);
        check(20, 15);
        check(60, 30);
        check(1_000, 500);
        check(1_200, 600);
        check(1_000_000, 600);
        check(-5, 15);
    }
}
