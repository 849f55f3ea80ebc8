//! Brings the tables up to this version: embedded, forward only, under the database's own write lock.
//!
//! SQLite's `user_version` counts what was applied; it changes in the same transaction as the tables.

use super::connection::Connection;
use crate::ports::StoreError;
use sqlx::AssertSqlSafe;

/// In order; a published one never changes. Its place, counted from 1, is its version.
const MIGRATIONS: [&str; 2] = [
    include_str!("../../../../migrations/sqlite/0001_road.sql"),
    include_str!("../../../../migrations/sqlite/0002_receipts.sql"),
];

/// Applies what is missing. Two processes that start at once apply it once.
pub(super) async fn run(write: &Connection) -> Result<(), StoreError> {
    loop {
        let version = version(write).await?;
        if version == MIGRATIONS.len() {
            return Ok(());
        }
        let Some(migration) = MIGRATIONS.get(version) else {
            return Err(newer(version));
        };
        let next = version + 1;
        let script = format!("BEGIN IMMEDIATE;\n{migration}\n;PRAGMA user_version = {next};\nCOMMIT");
        let applied = write.script(sqlx::query(AssertSqlSafe(script)).persistent(false)).await;
        // Another process may have been quicker: then the version has moved, and its tables are the same.
        if applied.is_err() && self::version(write).await? == version {
            applied?;
        }
    }
}

/// The version that this program writes.
pub(super) const CURRENT: usize = MIGRATIONS.len();

/// Refuses tables of another version, for whoever may not change them.
pub(super) async fn is_current(read: &Connection) -> Result<(), StoreError> {
    match version(read).await? {
        CURRENT => Ok(()),
        version if version > CURRENT => Err(newer(version)),
        version => Err(StoreError::Corrupt(format!(
            "an older version of Sekisho wrote it (schema {version}; this one needs {CURRENT}): `sekisho serve` brings it up"
        ))),
    }
}

/// What is said of tables that a later version made.
pub(super) fn newer(version: usize) -> StoreError {
    StoreError::Corrupt(format!("a newer version of Sekisho wrote it (schema {version}; this one knows {CURRENT})"))
}

pub(super) async fn version(write: &Connection) -> Result<usize, StoreError> {
    let outcome = write.execute(sqlx::query("PRAGMA user_version")).await?;
    let version: i64 = match outcome.rows.first() {
        Some(row) => super::convert::get(row, "user_version")?,
        None => 0,
    };
    usize::try_from(version).map_err(|_| StoreError::Corrupt(format!("schema {version}")))
}
