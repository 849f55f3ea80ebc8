//! The queue: one lane per subject, leases, and the order that chapter 8 asks for.
//!
//! In a lane the lowest `seq` goes first. An open job (ready or running) stops the later ones of its lane; an edit that
//! waits out its window and has not begun does not, and a paused job does not. The unique index `jobs_running` forbids
//! two running jobs of a lane whatever the statements here say.

use super::connection::{Connection, Statement};
use super::convert;
use crate::domain::event::{Lane, Wake};
use crate::domain::ids::{JobId, WorkerId};
use crate::ports::{Depth, Job, JobEnd, StoreError};
use chrono::{DateTime, Utc};
use sqlx::sqlite::SqliteRow;
use std::time::Duration;

/// One statement. `merge_key` goes with the first claim: a job that has begun is merged with nothing any more.
pub(super) async fn claim(
    write: &Connection,
    worker: &WorkerId,
    now: DateTime<Utc>,
    lease: Duration,
) -> Result<Option<Job>, StoreError> {
    const SQL: &str = "UPDATE jobs
        SET state = 'running', merge_key = NULL, attempt = attempt + 1, worker = $1, lease_until = $3
        WHERE seq = (
          SELECT j.seq FROM jobs j
          WHERE (j.state = 'ready' OR j.state = 'paused') AND j.due <= $2
            AND NOT EXISTS (
              SELECT 1 FROM jobs r WHERE r.state = 'running'
                AND r.installation = j.installation AND r.repository = j.repository AND r.number = j.number)
            AND NOT EXISTS (
              SELECT 1 FROM jobs e WHERE e.state = 'ready'
                AND e.installation = j.installation AND e.repository = j.repository AND e.number = j.number
                AND e.seq < j.seq
                AND (e.merge_key IS NULL OR (e.merge_key <> 'edit' AND e.merge_key NOT LIKE 'later:%') OR e.due <= $2))
          ORDER BY j.due, j.seq LIMIT 1)
        RETURNING id, installation, repository, number, attempt, created_at, worker,
          (SELECT repository_name FROM deliveries WHERE place = jobs.delivery) AS repository_name,
          (SELECT cause FROM deliveries WHERE place = jobs.delivery) AS cause";
    let until = now + lease;
    let query = sqlx::query(SQL).bind(worker.0.clone()).bind(now.timestamp_millis()).bind(until.timestamp_millis());
    match write.execute(query).await {
        Ok(outcome) => outcome.rows.first().map(job).transpose(),
        // The lane was taken by another process in between: nothing to claim.
        Err(StoreError::Conflict(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

pub(super) async fn renew(write: &Connection, job: &Job, until: DateTime<Utc>) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE jobs SET lease_until = $4
        WHERE id = $1 AND worker = $2 AND attempt = $3 AND state = 'running'";
    held(write, fenced(SQL, job).bind(until.timestamp_millis()), job).await
}

pub(super) async fn end(write: &Connection, job: &Job, end: JobEnd, now: DateTime<Utc>) -> Result<(), StoreError> {
    const DONE: &str = "UPDATE jobs SET state = 'done', worker = NULL, lease_until = NULL, error = NULL, ended_at = $4
        WHERE id = $1 AND worker = $2 AND attempt = $3 AND state = 'running'";
    const RETRY: &str = "UPDATE jobs
        SET state = 'ready', worker = NULL, lease_until = NULL, due = $4, error = $5, attempt = attempt - $6
        WHERE id = $1 AND worker = $2 AND attempt = $3 AND state = 'running'";
    // A pause is no attempt: however often it is met, it does not bring a job nearer to its death.
    const PAUSED: &str = "UPDATE jobs
        SET state = 'paused', worker = NULL, lease_until = NULL, due = $4, attempt = attempt - 1
        WHERE id = $1 AND worker = $2 AND attempt = $3 AND state = 'running'";
    const DEAD: &str = "UPDATE jobs SET state = 'dead', worker = NULL, lease_until = NULL, error = $5, ended_at = $4
        WHERE id = $1 AND worker = $2 AND attempt = $3 AND state = 'running'";
    let query = match end {
        JobEnd::Done => fenced(DONE, job).bind(now.timestamp_millis()),
        JobEnd::Retry { at, error, counted } => {
            fenced(RETRY, job).bind(at.timestamp_millis()).bind(error).bind(i64::from(!counted))
        }
        JobEnd::Paused { until } => fenced(PAUSED, job).bind(until.timestamp_millis()),
        JobEnd::Dead { error } => fenced(DEAD, job).bind(now.timestamp_millis()).bind(error),
    };
    held(write, query, job).await
}

/// A crash counts as an attempt, so a job that kills its worker each time ends as dead, too.
pub(super) async fn expire(write: &Connection, now: DateTime<Utc>) -> Result<u64, StoreError> {
    const SQL: &str = "UPDATE jobs
        SET state = 'ready', worker = NULL, lease_until = NULL, error = 'the worker that held it was gone'
        WHERE state = 'running' AND lease_until < $1";
    Ok(write.execute(sqlx::query(SQL).bind(now.timestamp_millis())).await?.changed)
}

pub(super) async fn revive(write: &Connection, lane: &Lane, now: DateTime<Utc>) -> Result<u64, StoreError> {
    const SQL: &str = "UPDATE jobs SET state = 'ready', attempt = 0, due = $4, ended_at = NULL
        WHERE state = 'dead' AND installation = $1 AND repository = $2 AND number = $3";
    let [installation, repository, number] = convert::lane(lane)?;
    let query = sqlx::query(SQL).bind(installation).bind(repository).bind(number).bind(now.timestamp_millis());
    Ok(write.execute(query).await?.changed)
}

/// Of the jobs that wait for nothing but their time: those behind an open job of their lane are left out, so that a
/// worker who sleeps until then does not find it in vain.
pub(super) async fn next_due(read: &Connection) -> Result<Option<DateTime<Utc>>, StoreError> {
    const SQL: &str = "SELECT j.due AS due FROM jobs j
        WHERE (j.state = 'ready' OR j.state = 'paused')
          AND NOT EXISTS (
            SELECT 1 FROM jobs r WHERE r.state = 'running'
              AND r.installation = j.installation AND r.repository = j.repository AND r.number = j.number)
          AND NOT EXISTS (
            SELECT 1 FROM jobs e WHERE e.state = 'ready'
              AND e.installation = j.installation AND e.repository = j.repository AND e.number = j.number
              AND e.seq < j.seq
              AND (e.merge_key IS NULL OR (e.merge_key <> 'edit' AND e.merge_key NOT LIKE 'later:%')))
        ORDER BY j.due LIMIT 1";
    read.execute(sqlx::query(SQL)).await?.rows.first().map(|row| convert::time(row, "due")).transpose()
}

/// Each count from an index of its own; finished jobs are never read.
pub(super) async fn depth(read: &Connection) -> Result<Depth, StoreError> {
    const SQL: &str = "SELECT
        (SELECT count(*) FROM jobs INDEXED BY jobs_ready WHERE state = 'ready') AS ready,
        (SELECT count(*) FROM jobs WHERE state = 'running') AS running,
        (SELECT count(*) FROM jobs WHERE state = 'paused') AS paused,
        (SELECT count(*) FROM jobs WHERE state = 'dead') AS dead,
        (SELECT due FROM jobs WHERE (state = 'ready' OR state = 'paused') AND state = 'ready' ORDER BY due LIMIT 1)
          AS oldest_due";
    let outcome = read.execute(sqlx::query(SQL)).await?;
    let Some(row) = outcome.rows.first() else { return Ok(Depth::default()) };
    Ok(Depth {
        ready: convert::unsigned(row, "ready")?,
        running: convert::unsigned(row, "running")?,
        paused: convert::unsigned(row, "paused")?,
        dead: convert::unsigned(row, "dead")?,
        oldest_due: convert::time_or_none(row, "oldest_due")?,
    })
}

/// Who no longer holds the lease changes nothing: worker, attempt and state must all be as they were claimed.
fn fenced<'q>(sql: &'static str, job: &Job) -> Statement<'q> {
    sqlx::query(sql).bind(job.id.0.clone()).bind(job.worker.0.clone()).bind(i64::from(job.attempt))
}

async fn held(write: &Connection, query: Statement<'_>, job: &Job) -> Result<(), StoreError> {
    if write.execute(query).await?.changed == 1 {
        return Ok(());
    }
    Err(StoreError::Conflict(format!("job {}: {} no longer holds its lease", job.id, job.worker)))
}

fn job(row: &SqliteRow) -> Result<Job, StoreError> {
    let name: &str = convert::get(row, "repository_name")?;
    Ok(Job {
        id: JobId(convert::get(row, "id")?),
        wake: Wake {
            lane: convert::lane_of(row)?,
            repository: name.parse().map_err(|error| StoreError::Corrupt(format!("a job's repository: {error}")))?,
            cause: convert::json("a job's cause", convert::get(row, "cause")?)?,
        },
        attempt: u32::try_from(convert::unsigned(row, "attempt")?)
            .map_err(|_| StoreError::Corrupt("a job's attempt".to_owned()))?,
        created_at: convert::time(row, "created_at")?,
        worker: WorkerId(convert::get(row, "worker")?),
    })
}
