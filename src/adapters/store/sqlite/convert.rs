//! Between values of the domain and columns: checked both ways.

use crate::domain::event::Lane;
use crate::domain::ids::{InstallationId, IssueNumber, RepositoryId};
use crate::ports::StoreError;
use chrono::{DateTime, Utc};
use serde::de::DeserializeOwned;
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

/// What SQLite said, as one of the three things that the callers tell apart.
#[expect(clippy::needless_pass_by_value, reason = "`map_err` hands it over")]
pub(super) fn error(error: sqlx::Error) -> StoreError {
    match &error {
        sqlx::Error::Database(inside) => {
            let code = inside.code().and_then(|code| code.parse::<u32>().ok()).unwrap_or_default();
            match code & 0xff {
                // SQLITE_CONSTRAINT
                19 => StoreError::Conflict(inside.message().to_owned()),
                // SQLITE_CORRUPT, SQLITE_NOTADB
                11 | 26 => StoreError::Corrupt(inside.message().to_owned()),
                // BUSY, LOCKED, READONLY, IOERR, FULL, CANTOPEN and whatever else keeps it from working.
                _ => StoreError::Unavailable(inside.message().to_owned()),
            }
        }
        sqlx::Error::ColumnDecode { .. } | sqlx::Error::ColumnNotFound(_) | sqlx::Error::Decode(_) => {
            StoreError::Corrupt(error.to_string())
        }
        _ => StoreError::Unavailable(error.to_string()),
    }
}

/// An unsigned number as SQLite's signed one.
pub(super) fn int(what: &str, number: u64) -> Result<i64, StoreError> {
    i64::try_from(number).map_err(|_| StoreError::Conflict(format!("{what} {number} does not fit the database")))
}

/// A column with an unsigned number.
pub(super) fn unsigned(row: &SqliteRow, column: &str) -> Result<u64, StoreError> {
    let number: i64 = get(row, column)?;
    u64::try_from(number).map_err(|_| StoreError::Corrupt(format!("column {column} holds {number}")))
}

/// A column of any type that SQLite has.
pub(super) fn get<'r, T>(row: &'r SqliteRow, column: &str) -> Result<T, StoreError>
where
    T: sqlx::Decode<'r, sqlx::Sqlite> + sqlx::Type<sqlx::Sqlite>,
{
    row.try_get(column).map_err(error)
}

/// A column with milliseconds.
pub(super) fn time(row: &SqliteRow, column: &str) -> Result<DateTime<Utc>, StoreError> {
    from_millis(get(row, column)?)
}

/// A column with milliseconds, or null.
pub(super) fn time_or_none(row: &SqliteRow, column: &str) -> Result<Option<DateTime<Utc>>, StoreError> {
    get::<Option<i64>>(row, column)?.map(from_millis).transpose()
}

fn from_millis(millis: i64) -> Result<DateTime<Utc>, StoreError> {
    DateTime::from_timestamp_millis(millis).ok_or_else(|| StoreError::Corrupt(format!("{millis} ms is no time")))
}

/// JSON text.
pub(super) fn json<T: DeserializeOwned>(what: &str, text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|error| StoreError::Corrupt(format!("{what}: {error}")))
}

/// A value as JSON text.
pub(super) fn to_json<T: serde::Serialize>(what: &str, value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Conflict(format!("{what}: {error}")))
}

/// The lane as the three columns that name it.
pub(super) fn lane(lane: &Lane) -> Result<[i64; 3], StoreError> {
    Ok([int("installation", lane.installation.0)?, int("repository", lane.repository.0)?, int("issue", lane.number.0)?])
}

/// The three columns as a lane.
pub(super) fn lane_of(row: &SqliteRow) -> Result<Lane, StoreError> {
    Ok(Lane {
        installation: InstallationId(unsigned(row, "installation")?),
        repository: RepositoryId(unsigned(row, "repository")?),
        number: IssueNumber(unsigned(row, "number")?),
    })
}
