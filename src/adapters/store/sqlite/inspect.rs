//! Looks a database over without changing it: for `sekisho doctor`, which may run beside the server.
//!
//! A file that is not there stays away: created by another user than the server's, it would lock the server out.

use super::{connection::Connection, convert, migrate};
use crate::ports::StoreError;
use sqlx::sqlite::SqliteConnectOptions;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// How long another process may keep the database locked.
const PATIENCE: Duration = Duration::from_secs(3);

/// What was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspection {
    /// The file; none where the database is in memory.
    pub file: Option<PathBuf>,
    /// Its tables.
    pub schema: Schema,
    /// The journal's mode, such as `wal`; none where there is no file yet.
    pub journal: Option<String>,
}

/// The tables of a database, beside those of this version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schema {
    /// There is no file: the server makes it.
    Missing,
    /// Those of this version.
    Current,
    /// Older ones, or none: the server brings them up when it starts.
    Older,
}

/// Opens what is there, looks at its version and journal, and begins and takes back a write.
///
/// # Errors
/// `Unavailable` where it cannot be opened or written; `Corrupt` where it is no database, or a newer version wrote it.
pub async fn inspect(url: &str) -> Result<Inspection, StoreError> {
    let options = SqliteConnectOptions::from_str(url).map_err(convert::error)?;
    if url.contains(":memory:") || url.contains("mode=memory") {
        return Ok(Inspection { file: None, schema: Schema::Missing, journal: None });
    }
    let file = Some(options.get_filename().to_path_buf());
    if !options.get_filename().exists() {
        return Ok(Inspection { file, schema: Schema::Missing, journal: None });
    }
    let connection = Connection::open(&options.create_if_missing(false).busy_timeout(PATIENCE)).await?;
    let schema = match migrate::version(&connection).await? {
        migrate::CURRENT => Schema::Current,
        version if version > migrate::CURRENT => return Err(migrate::newer(version)),
        _ => Schema::Older,
    };
    let outcome = connection.execute(sqlx::query("PRAGMA journal_mode")).await?;
    let journal = outcome.rows.first().map(|row| convert::get::<String>(row, "journal_mode")).transpose()?;
    connection.begin().await?.roll_back().await?;
    connection.close().await?;
    Ok(Inspection { file, schema, journal })
}
