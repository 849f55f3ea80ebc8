//! Taking deliveries in: one statement for a batch, which is a transaction of its own.
//!
//! Triggers put each new row into the queue (`migrations/sqlite`). A statement more would cost more than its work: each
//! is a hop to the database's thread and back.

use super::connection::{Connection, Outcome, Statement};
use super::convert;
use crate::domain::event::Lane;
use crate::domain::ids::DeliveryId;
use crate::ports::{Delivery, StoreError, Taken, Work};
use sqlx::AssertSqlSafe;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};
use uuid::Uuid;

/// Rows of one statement, at most. A larger batch is several statements in a transaction.
const ROWS: usize = 64;

/// The text of the statement for 1, 2, … rows: each is prepared once and kept.
static TEXTS: [OnceLock<Arc<str>>; ROWS] = [const { OnceLock::new() }; ROWS];

/// A lane's job that has not begun takes in what may be merged with it; else the row's own job is made.
const HEAD: &str = "INSERT INTO deliveries (id, event, received_at, repository, installation, number, repository_name,
        cause, cause_at, merge_key, due, latest, job)
    SELECT column1, column2, column3, column4, column5, column6, column7, column8, column9, column10, column11, column12,
        coalesce((SELECT id FROM jobs WHERE merge_key IS NOT NULL AND installation = column5 AND repository = column4
            AND number = column6 AND merge_key = column10), column13)
    FROM (VALUES ";
const VALUES: &str = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
const TAIL: &str = ") WHERE true ON CONFLICT (id) DO NOTHING";

/// The jobs of repeated deliveries, where they are dead, begin anew.
const REVIVE: &str = "UPDATE jobs SET state = 'ready', attempt = 0, due = $2, ended_at = NULL
    WHERE state = 'dead' AND id = (SELECT job FROM deliveries WHERE deliveries.id = $1)";

/// What the last statement inserted: its rows stand at the end, one behind the other.
const NEWEST: &str = "SELECT id FROM deliveries WHERE place > $1 - $2 AND place <= $1";

pub(super) async fn take_in(write: &Connection, deliveries: &[Delivery]) -> Result<Vec<Taken>, StoreError> {
    if deliveries.is_empty() {
        return Ok(Vec::new());
    }
    let (statements, first) = statements(deliveries)?;
    let mut inserted = Vec::with_capacity(statements.len());
    match <[Statement<'_>; 1]>::try_from(statements) {
        Ok([one]) => inserted.push(write.execute(one).await?),
        Err(many) => {
            let mut transaction = write.begin().await?;
            for statement in many {
                inserted.push(transaction.execute(statement).await?);
            }
            transaction.commit().await?;
        }
    }
    let changed: u64 = inserted.iter().map(|outcome| outcome.changed).sum();
    if changed == deliveries.len() as u64 {
        return Ok(vec![Taken::New; deliveries.len()]);
    }
    let new = newest(write, &inserted).await?;
    let mut taken = Vec::with_capacity(deliveries.len());
    for (delivery, first) in deliveries.iter().zip(first) {
        taken.push(if first && new.contains(delivery.id.as_str()) {
            Taken::New
        } else if revive(write, delivery).await? {
            Taken::Revived
        } else {
            Taken::Repeated
        });
    }
    Ok(taken)
}

/// One statement for each [`ROWS`] deliveries; and for each delivery, whether it is the first of its id.
fn statements(deliveries: &[Delivery]) -> Result<(Vec<Statement<'static>>, Vec<bool>), StoreError> {
    let mut seen = HashSet::with_capacity(deliveries.len());
    let first = deliveries.iter().map(|delivery| seen.insert(delivery.id.as_str())).collect();
    // The statement looks for a job to merge with before it makes any: those of one batch are brought together here.
    let mut jobs = Jobs { ids: Ids::draw(), merged: HashMap::new() };
    let mut statements = Vec::with_capacity(1);
    for chunk in deliveries.chunks(ROWS) {
        let mut statement = sqlx::query(AssertSqlSafe(text(chunk.len())));
        for delivery in chunk {
            statement = bind(statement, delivery, &mut jobs)?;
        }
        statements.push(statement);
    }
    Ok((statements, first))
}

/// Ids for the jobs of a batch, and those that its merged ones share.
struct Jobs<'d> {
    ids: Ids,
    merged: HashMap<(&'d Lane, &'d str), Uuid>,
}

/// UUIDs of version 7 that share their time and all but the last 16 bits: one draw of randomness serves a batch.
struct Ids {
    base: u128,
    next: u16,
}

impl Ids {
    fn draw() -> Self {
        Self { base: Uuid::now_v7().as_u128() & !0xffff, next: 0 }
    }

    fn next(&mut self) -> Uuid {
        let id = Uuid::from_u128(self.base | u128::from(self.next));
        self.next = self.next.wrapping_add(1);
        if self.next == 0 {
            *self = Self::draw();
        }
        id
    }
}

fn text(rows: usize) -> Arc<str> {
    let make = || {
        let mut text = String::with_capacity(HEAD.len() + TAIL.len() + rows * (VALUES.len() + 1));
        text.push_str(HEAD);
        for row in 0..rows {
            text.push_str(if row == 0 { "" } else { "," });
            text.push_str(VALUES);
        }
        text.push_str(TAIL);
        Arc::from(text)
    };
    match TEXTS.get(rows - 1) {
        Some(text) => text.get_or_init(make).clone(),
        None => make(),
    }
}

fn bind<'d>(
    statement: Statement<'static>,
    delivery: &'d Delivery,
    jobs: &mut Jobs<'d>,
) -> Result<Statement<'static>, StoreError> {
    let statement = statement
        .bind(delivery.id.0.clone())
        .bind(delivery.event.clone())
        .bind(delivery.received_at.timestamp_millis());
    let (wake, slot) = match &delivery.work {
        Work::Wake { wake, slot } => (wake, slot),
        Work::Unpause(repository) => {
            let mut statement = statement.bind(convert::int("repository", repository.0)?);
            for _ in 0..9 {
                statement = statement.bind(None::<i64>);
            }
            return Ok(statement);
        }
    };
    let Jobs { ids, merged } = jobs;
    let job = match slot.merge.as_deref() {
        Some(key) => *merged.entry((&wake.lane, key)).or_insert_with(|| ids.next()),
        None => ids.next(),
    };
    let [installation, repository, number] = convert::lane(&wake.lane)?;
    Ok(statement
        .bind(repository)
        .bind(installation)
        .bind(number)
        .bind(wake.repository.to_string())
        .bind(convert::to_json("cause", &wake.cause)?)
        .bind(wake.cause.at.timestamp_millis())
        .bind(slot.merge.clone())
        .bind(slot.due.timestamp_millis())
        .bind(slot.latest.map(|latest| latest.timestamp_millis()))
        .bind(job.to_string()))
}

async fn newest(write: &Connection, inserted: &[Outcome]) -> Result<HashSet<String>, StoreError> {
    let mut ids = HashSet::new();
    for outcome in inserted.iter().filter(|outcome| outcome.changed > 0) {
        let count = convert::int("rows", outcome.changed)?;
        let found = write.execute(sqlx::query(NEWEST).bind(outcome.last_place).bind(count)).await?;
        for row in &found.rows {
            ids.insert(convert::get(row, "id")?);
        }
    }
    Ok(ids)
}

/// A transaction of its own: a crash before it leaves the delivery unanswered, and its next repetition does it.
async fn revive(write: &Connection, delivery: &Delivery) -> Result<bool, StoreError> {
    let DeliveryId(id) = &delivery.id;
    let query = sqlx::query(REVIVE).bind(id.clone()).bind(delivery.received_at.timestamp_millis());
    Ok(write.execute(query).await?.changed > 0)
}
