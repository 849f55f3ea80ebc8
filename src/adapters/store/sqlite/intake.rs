//! Taking deliveries in: however many have gathered, one transaction and one hop to the database's thread.

use super::connection::Connection;
use super::convert;
use crate::domain::event::Cause;
use crate::domain::ids::{DeliveryId, JobId, RepositoryName};
use crate::ports::{Delivery, StoreError, Taken, Work};
use serde::Serialize;
use std::collections::HashSet;
use uuid::Uuid;

// `$1` is a JSON array, a row for each delivery, as `Row` writes it. A row's place in its array is its column.
macro_rules! script {
    ($more:literal) => {
        concat!(
            "BEGIN IMMEDIATE;
            INSERT INTO jobs (id, installation, repository, number, repository_name, cause, cause_at, merge_key, due,
                              latest, created_at)
            SELECT value->>3, value->>4, value->>5, value->>6, value->>7, value->8, value->>9, value->>10, value->>11,
                   value->>12, value->>2
            FROM json_each($1)
            WHERE value->>3 IS NOT NULL AND NOT EXISTS (SELECT 1 FROM deliveries WHERE id = value->>0)
            ON CONFLICT (installation, repository, number, merge_key) WHERE merge_key IS NOT NULL
            DO UPDATE SET
              cause = CASE WHEN excluded.cause_at < cause_at THEN cause ELSE excluded.cause END,
              cause_at = max(cause_at, excluded.cause_at),
              repository_name = excluded.repository_name,
              due = CASE WHEN latest IS NULL THEN due ELSE min(excluded.due, latest) END;",
            $more,
            "INSERT INTO deliveries (id, event, received_at, job)
            SELECT value->>0, value->>1, value->>2, coalesce((
                SELECT id FROM jobs WHERE merge_key IS NOT NULL AND installation = value->>4
                  AND repository = value->>5 AND number = value->>6 AND merge_key = value->>10), value->>3)
            FROM json_each($1) WHERE true
            ON CONFLICT (id) DO NOTHING RETURNING id;
            COMMIT"
        )
    };
}

const SCRIPT: &str = script!("");

/// The same for a batch in which `gate:pause` went somewhere: `$2` holds those repositories.
const SCRIPT_UNPAUSE: &str = script!(
    "UPDATE jobs SET state = 'ready', due = min(due, $3)
     WHERE state = 'paused' AND repository IN (SELECT value FROM json_each($2));"
);

/// The jobs of repeated deliveries, where they are dead, begin anew.
const REVIVE: &str = "UPDATE jobs SET state = 'ready', attempt = 0, due = $2, ended_at = NULL
    WHERE state = 'dead' AND id = (SELECT job FROM deliveries WHERE deliveries.id = $1)";

/// A delivery and the job that it would be; a place in it is a column of the script.
#[derive(Serialize)]
struct Row<'a>(
    // 0: delivery, event, received
    &'a DeliveryId,
    &'a str,
    i64,
    // 3: job, none where no lane is woken; its lane, repository and cause
    Option<JobId>,
    i64,
    i64,
    i64,
    Option<&'a RepositoryName>,
    Option<&'a Cause>,
    // 9: the cause's time, merge key, due, latest
    i64,
    Option<&'a str>,
    i64,
    Option<i64>,
);

pub(super) async fn take_in(write: &Connection, deliveries: &[Delivery]) -> Result<Vec<Taken>, StoreError> {
    let Some(now) = deliveries.iter().map(|delivery| delivery.received_at.timestamp_millis()).max() else {
        return Ok(Vec::new());
    };
    // One delivery twice in a batch is a repetition like any other: only the first goes in.
    let mut seen = HashSet::with_capacity(deliveries.len());
    let first: Vec<bool> = deliveries.iter().map(|delivery| seen.insert(&delivery.id)).collect();
    let mut rows = Vec::with_capacity(deliveries.len());
    let mut unpaused = Vec::new();
    for (delivery, _) in deliveries.iter().zip(&first).filter(|(_, first)| **first) {
        rows.push(row(delivery)?);
        if let Work::Unpause(repository) = delivery.work {
            unpaused.push(convert::int("repository", repository.0)?);
        }
    }
    let rows = convert::to_json("deliveries", &rows)?;
    let query = if unpaused.is_empty() {
        sqlx::query(SCRIPT).bind(rows)
    } else {
        sqlx::query(SCRIPT_UNPAUSE).bind(rows).bind(convert::to_json("repositories", &unpaused)?).bind(now)
    };
    let outcome = write.script(query).await?;
    let new = outcome.rows.iter().map(|row| convert::get(row, "id")).collect::<Result<HashSet<&str>, _>>()?;
    let mut taken = Vec::with_capacity(deliveries.len());
    for (delivery, first) in deliveries.iter().zip(first) {
        taken.push(if first && new.contains(delivery.id.as_str()) {
            Taken::New
        } else if revive(write, &delivery.id, now).await? {
            Taken::Revived
        } else {
            Taken::Repeated
        });
    }
    Ok(taken)
}

/// A transaction of its own: a crash before it leaves the delivery unanswered, and the next repetition does it.
async fn revive(write: &Connection, delivery: &DeliveryId, now: i64) -> Result<bool, StoreError> {
    let outcome = write.execute(sqlx::query(REVIVE).bind(delivery.0.clone()).bind(now)).await?;
    Ok(outcome.changed > 0)
}

fn row(delivery: &Delivery) -> Result<Row<'_>, StoreError> {
    let received = delivery.received_at.timestamp_millis();
    Ok(match &delivery.work {
        Work::Unpause(_) => {
            Row(&delivery.id, &delivery.event, received, None, 0, 0, 0, None, None, 0, None, received, None)
        }
        Work::Wake { wake, slot } => {
            let [installation, repository, number] = convert::lane(&wake.lane)?;
            Row(
                &delivery.id,
                &delivery.event,
                received,
                Some(JobId(Uuid::now_v7().to_string())),
                installation,
                repository,
                number,
                Some(&wake.repository),
                Some(&wake.cause),
                wake.cause.at.timestamp_millis(),
                slot.merge.as_deref(),
                slot.due.timestamp_millis(),
                slot.latest.map(|latest| latest.timestamp_millis()),
            )
        }
    })
}
