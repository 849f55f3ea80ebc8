//! The ledger: a create's intent, when it was sent, what came of it (chapter 10).

use super::connection::{Connection, Statement};
use super::convert;
use crate::domain::effect::{EffectId, EffectKind};
use crate::domain::event::Lane;
use crate::domain::ids::RunId;
use crate::ports::{Intent, LedgerEntry, StoreError};
use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

/// One statement: the row that stands under this name, new or old, comes back.
pub(super) async fn intend(write: &Connection, intent: &Intent) -> Result<LedgerEntry, StoreError> {
    const SQL: &str = "INSERT INTO effects (run, kind, ordinal, installation, repository, number, payload)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        ON CONFLICT (run, kind, ordinal) DO UPDATE SET run = excluded.run
        RETURNING run, kind, ordinal, installation, repository, number, payload, sent_at, result";
    let outcome = write.execute(bind(sqlx::query(SQL), intent)?).await?;
    let row = outcome.rows.first().ok_or_else(|| StoreError::Corrupt("an intent did not come back".to_owned()))?;
    entry(row)
}

/// Binds an intent's seven columns.
pub(super) fn bind<'q>(query: Statement<'q>, intent: &Intent) -> Result<Statement<'q>, StoreError> {
    let [installation, repository, number] = convert::lane(&intent.lane)?;
    Ok(query
        .bind(intent.id.run.0.clone())
        .bind(intent.id.kind.as_str())
        .bind(i64::from(intent.id.ordinal))
        .bind(installation)
        .bind(repository)
        .bind(number)
        .bind(convert::to_json("payload", &intent.payload)?))
}

pub(super) async fn sent(write: &Connection, id: &EffectId, at: DateTime<Utc>) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE effects SET sent_at = $4 WHERE run = $1 AND kind = $2 AND ordinal = $3";
    let query = named(sqlx::query(SQL), id).bind(at.timestamp_millis());
    one(write, query, id).await
}

pub(super) async fn settle(write: &Connection, id: &EffectId, result: &Value) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE effects SET result = $4 WHERE run = $1 AND kind = $2 AND ordinal = $3";
    let query = named(sqlx::query(SQL), id).bind(convert::to_json("result", result)?);
    one(write, query, id).await
}

pub(super) async fn open(read: &Connection, lane: &Lane) -> Result<Vec<LedgerEntry>, StoreError> {
    const SQL: &str = "SELECT run, kind, ordinal, installation, repository, number, payload, sent_at, result
        FROM effects WHERE installation = $1 AND repository = $2 AND number = $3 AND result IS NULL ORDER BY place";
    let [installation, repository, number] = convert::lane(lane)?;
    let outcome = read.execute(sqlx::query(SQL).bind(installation).bind(repository).bind(number)).await?;
    outcome.rows.iter().map(entry).collect()
}

pub(super) async fn entries(read: &Connection, run: &RunId) -> Result<Vec<LedgerEntry>, StoreError> {
    const SQL: &str = "SELECT run, kind, ordinal, installation, repository, number, payload, sent_at, result
        FROM effects WHERE run = $1 ORDER BY place";
    let outcome = read.execute(sqlx::query(SQL).bind(run.0.clone())).await?;
    outcome.rows.iter().map(entry).collect()
}

fn named<'q>(query: Statement<'q>, id: &EffectId) -> Statement<'q> {
    query.bind(id.run.0.clone()).bind(id.kind.as_str()).bind(i64::from(id.ordinal))
}

async fn one(write: &Connection, query: Statement<'_>, id: &EffectId) -> Result<(), StoreError> {
    if write.execute(query).await?.changed == 1 {
        return Ok(());
    }
    Err(StoreError::Conflict(format!("no intent {}/{}/{}", id.run, id.kind.as_str(), id.ordinal)))
}

fn entry(row: &SqliteRow) -> Result<LedgerEntry, StoreError> {
    let word: &str = row.try_get("kind").map_err(convert::error)?;
    let kind: EffectKind = convert::json("an effect's kind", &format!("{word:?}"))?;
    let ordinal = u32::try_from(convert::unsigned(row, "ordinal")?)
        .map_err(|_| StoreError::Corrupt("an effect's ordinal".to_owned()))?;
    Ok(LedgerEntry {
        intent: Intent {
            id: EffectId { run: RunId(convert::get(row, "run")?), kind, ordinal },
            lane: convert::lane_of(row)?,
            payload: convert::json("an effect's payload", convert::get(row, "payload")?)?,
        },
        sent_at: convert::time_or_none(row, "sent_at")?,
        result: convert::get::<Option<&str>>(row, "result")?
            .map(|text| convert::json("an effect's result", text))
            .transpose()?,
    })
}
