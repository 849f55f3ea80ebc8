//! One SQLite connection that many tasks share, one statement or script at a time.

use super::convert;
use crate::ports::StoreError;
use futures::TryStreamExt;
use sqlx::query::Query;
use sqlx::sqlite::{SqliteArguments, SqliteConnectOptions, SqliteConnection, SqliteRow};
use sqlx::{ConnectOptions, Connection as _, Either, Executor, Sqlite};
use std::time::{Duration, Instant};
use tokio::sync::{Mutex, MutexGuard};

/// A query with its arguments.
pub(super) type Statement<'q> = Query<'q, Sqlite, SqliteArguments>;

/// What a statement did.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// Rows that were changed.
    pub changed: u64,
    /// The key of the row that was inserted last, where one was.
    pub last_place: i64,
    /// Rows that came back.
    pub rows: Vec<SqliteRow>,
}

/// The connection. Who waits for it is served in order.
#[derive(Debug)]
pub(super) struct Connection(Mutex<Inner>);

#[derive(Debug)]
struct Inner {
    sqlite: SqliteConnection,
    /// Set from BEGIN to COMMIT. Who finds it set found a transaction that was dropped half-way and still stands.
    in_transaction: bool,
}

/// How long opening waits for others who open the same file.
const PATIENCE: Duration = Duration::from_secs(10);

/// SQLite's own word for "another has it" (5), with or without its reason in the higher bits.
fn is_locked(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|error| error.code()?.parse::<u32>().ok());
    code.is_some_and(|code| code & 0xff == 5)
}

impl Connection {
    pub(super) async fn open(options: &SqliteConnectOptions) -> Result<Self, StoreError> {
        let options = options.clone().disable_statement_logging();
        let begun = Instant::now();
        let sqlite = loop {
            match options.connect().await {
                // The change to the write-ahead log needs the file alone for a moment, and SQLite does not wait for that
                // by itself: several processes that start at once would turn each other away.
                Err(error) if is_locked(&error) && begun.elapsed() < PATIENCE => {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
                other => break other.map_err(convert::error)?,
            }
        };
        Ok(Self(Mutex::new(Inner { sqlite, in_transaction: false })))
    }

    /// Runs one statement, which is a transaction of its own.
    pub(super) async fn execute(&self, statement: Statement<'_>) -> Result<Outcome, StoreError> {
        let mut inner = self.ready().await?;
        run(&mut inner.sqlite, statement).await.map_err(convert::error)
    }

    /// Runs `BEGIN IMMEDIATE; …; COMMIT` that was written as one text: one hop to the database's thread and back,
    /// where a hop for each statement would cost more than the statements. Any error rolls all of it back.
    pub(super) async fn script(&self, script: Statement<'_>) -> Result<Outcome, StoreError> {
        let mut inner = self.ready().await?;
        inner.in_transaction = true;
        match run(&mut inner.sqlite, script).await {
            Ok(outcome) => {
                inner.in_transaction = false;
                Ok(outcome)
            }
            Err(error) => {
                roll_back(&mut inner).await?;
                Err(convert::error(error))
            }
        }
    }

    /// Begins a transaction of several statements. Dropped before [`Transaction::commit`], it is rolled back.
    pub(super) async fn begin(&self) -> Result<Transaction<'_>, StoreError> {
        let mut inner = self.ready().await?;
        inner.in_transaction = true;
        inner.sqlite.execute("BEGIN IMMEDIATE").await.map_err(convert::error)?;
        Ok(Transaction(inner))
    }

    pub(super) async fn close(self) -> Result<(), StoreError> {
        self.0.into_inner().sqlite.close().await.map_err(convert::error)
    }

    async fn ready(&self) -> Result<MutexGuard<'_, Inner>, StoreError> {
        let mut inner = self.0.lock().await;
        if inner.in_transaction {
            roll_back(&mut inner).await?;
        }
        Ok(inner)
    }
}

/// A transaction. While it stands nobody else gets the connection.
pub(super) struct Transaction<'c>(MutexGuard<'c, Inner>);

impl Transaction<'_> {
    pub(super) async fn execute(&mut self, statement: Statement<'_>) -> Result<Outcome, StoreError> {
        run(&mut self.0.sqlite, statement).await.map_err(convert::error)
    }

    pub(super) async fn commit(mut self) -> Result<(), StoreError> {
        self.0.sqlite.execute("COMMIT").await.map_err(convert::error)?;
        self.0.in_transaction = false;
        Ok(())
    }

    pub(super) async fn roll_back(mut self) -> Result<(), StoreError> {
        roll_back(&mut self.0).await
    }
}

async fn run(sqlite: &mut SqliteConnection, statement: Statement<'_>) -> Result<Outcome, sqlx::Error> {
    let mut outcome = Outcome::default();
    let mut results = sqlite.fetch_many(statement);
    while let Some(result) = results.try_next().await? {
        match result {
            Either::Left(done) => {
                outcome.changed += done.rows_affected();
                outcome.last_place = done.last_insert_rowid();
            }
            Either::Right(row) => outcome.rows.push(row),
        }
    }
    Ok(outcome)
}

/// SQLite itself ends the transaction on some errors (a full disk), so "none is active" is as good as done.
async fn roll_back(inner: &mut Inner) -> Result<(), StoreError> {
    match inner.sqlite.execute("ROLLBACK").await {
        Ok(_) => {}
        Err(sqlx::Error::Database(error)) if error.message().contains("no transaction is active") => {}
        Err(error) => return Err(convert::error(error)),
    }
    inner.in_transaction = false;
    Ok(())
}
