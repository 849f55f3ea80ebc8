//! Calls of models: reserved before they are sent, then paid or released, and the sums of a day (chapter 4).

use super::connection::{Connection, Statement};
use super::convert;
use crate::domain::ids::{InstallationId, RepositoryId, RunId};
use crate::domain::reply::{MicroDollars, Receipt, Scope, Spent};
use crate::ports::{Budgets, PaidReceipt, Purchase, PurchaseId, Reserved, SpentBy, StoreError};
use chrono::{DateTime, Utc};
use sqlx::sqlite::SqliteRow;

/// The sums and the row that they allow stand in one transaction, which has the write lock from its beginning: nobody, in
/// this process or another, gets in between.
pub(super) async fn reserve(
    write: &Connection,
    purchase: &Purchase,
    budgets: &Budgets,
) -> Result<Reserved, StoreError> {
    const SQL: &str = "INSERT INTO receipts (run, gate, installation, repository, number, at, day, tokens, money)
        VALUES ($1, $2, $3, $4, $5, $6, $6 / 86400000, $7, $8)";
    let [installation, repository, number] = convert::lane(&purchase.lane)?;
    let row = sqlx::query(SQL)
        .bind(purchase.run.0.clone())
        .bind(purchase.gate.as_str())
        .bind(installation)
        .bind(repository)
        .bind(number)
        .bind(purchase.at.timestamp_millis())
        .bind(clamped(purchase.estimate.tokens))
        .bind(clamped(purchase.estimate.money.0));
    let mut transaction = write.begin().await?;
    let day = by_repository(&transaction.execute(of_day(purchase.at)).await?.rows)?;
    if let Some(used_up) = used_up(purchase, budgets, &day) {
        transaction.roll_back().await?;
        return Ok(used_up);
    }
    let place = transaction.execute(row).await?.last_place;
    transaction.commit().await?;
    let place = u64::try_from(place).map_err(|_| StoreError::Corrupt(format!("a receipt at place {place}")))?;
    Ok(Reserved::Granted(PurchaseId(place)))
}

/// The widest budget that the purchase does not fit into.
fn used_up(purchase: &Purchase, budgets: &Budgets, day: &[SpentBy]) -> Option<Reserved> {
    let lane = &purchase.lane;
    let scopes = [
        (Scope::App, &budgets.app, sum(day.iter())),
        (Scope::Installation, &budgets.installation, sum(day.iter().filter(|by| by.installation == lane.installation))),
        (Scope::Repository, &budgets.repository, sum(day.iter().filter(|by| by.repository == lane.repository))),
    ];
    scopes.into_iter().find_map(|(scope, budget, spent)| {
        let until = budget.admit(spent, purchase.estimate, purchase.at).err()?;
        Some(Reserved::UsedUp { scope, until })
    })
}

fn sum<'a>(parts: impl Iterator<Item = &'a SpentBy>) -> Spent {
    parts.fold(Spent::default(), |sum, by| Spent {
        tokens: sum.tokens.saturating_add(by.spent.tokens),
        money: MicroDollars(sum.money.0.saturating_add(by.spent.money.0)),
    })
}

pub(super) async fn paid(
    write: &Connection,
    purchase: PurchaseId,
    receipt: &Receipt,
    cost: Option<MicroDollars>,
) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE receipts SET state = 'paid', tokens = $2, money = $3, receipt = $4, hash = $5
        WHERE place = $1 AND (state = 'reserved' OR state = 'paid' AND receipt = $4)";
    let used = Spent::default().and(&receipt.usage, cost);
    let query = sqlx::query(SQL)
        .bind(convert::int("purchase", purchase.0)?)
        .bind(clamped(used.tokens))
        .bind(cost.map(|cost| clamped(cost.0)))
        .bind(convert::to_json("receipt", receipt)?)
        .bind(receipt.hash());
    one(write, query, purchase).await
}

pub(super) async fn release(write: &Connection, purchase: PurchaseId) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE receipts SET state = 'released', tokens = 0, money = 0
        WHERE place = $1 AND state IN ('reserved', 'released')";
    one(write, sqlx::query(SQL).bind(convert::int("purchase", purchase.0)?), purchase).await
}

async fn one(write: &Connection, query: Statement<'_>, purchase: PurchaseId) -> Result<(), StoreError> {
    if write.execute(query).await?.changed == 1 {
        return Ok(());
    }
    Err(StoreError::Conflict(format!("purchase {} is not open: it has ended, or never was", purchase.0)))
}

pub(super) async fn receipts(read: &Connection, run: &RunId) -> Result<Vec<PaidReceipt>, StoreError> {
    const SQL: &str = "SELECT run, gate, installation, repository, number, at, money, receipt, hash
        FROM receipts WHERE run = $1 AND state = 'paid' ORDER BY place";
    let outcome = read.execute(sqlx::query(SQL).bind(run.0.clone())).await?;
    outcome.rows.iter().map(stored).collect()
}

fn stored(row: &SqliteRow) -> Result<PaidReceipt, StoreError> {
    let gate: &str = convert::get(row, "gate")?;
    let cost = match convert::get::<Option<i64>>(row, "money")? {
        None => None,
        Some(_) => Some(MicroDollars(convert::unsigned(row, "money")?)),
    };
    Ok(PaidReceipt {
        receipt: convert::json("a receipt", convert::get(row, "receipt")?)?,
        hash: convert::get(row, "hash")?,
        cost,
        run: RunId(convert::get(row, "run")?),
        gate: convert::json("a receipt's gate", &format!("{gate:?}"))?,
        lane: convert::lane_of(row)?,
        at: convert::time(row, "at")?,
    })
}

pub(super) async fn spent(read: &Connection, day: DateTime<Utc>) -> Result<Vec<SpentBy>, StoreError> {
    by_repository(&read.execute(of_day(day)).await?.rows)
}

/// Sums of a day, each in two halves: SQLite refuses a sum that does not fit its integer, and the halves always fit.
fn of_day(at: DateTime<Utc>) -> Statement<'static> {
    const SQL: &str = "SELECT installation, repository,
            sum(tokens >> 32) AS tokens_high, sum(tokens & 4294967295) AS tokens_low,
            coalesce(sum(money >> 32), 0) AS money_high, coalesce(sum(money & 4294967295), 0) AS money_low
        FROM receipts WHERE day = $1 / 86400000 GROUP BY installation, repository ORDER BY installation, repository";
    sqlx::query(SQL).bind(at.timestamp_millis())
}

fn by_repository(rows: &[SqliteRow]) -> Result<Vec<SpentBy>, StoreError> {
    let whole = |row: &SqliteRow, high: &str, low: &str| -> Result<u64, StoreError> {
        let high = u128::from(convert::unsigned(row, high)?) << 32;
        Ok(u64::try_from(high + u128::from(convert::unsigned(row, low)?)).unwrap_or(u64::MAX))
    };
    let spent_by = |row| {
        Ok(SpentBy {
            installation: InstallationId(convert::unsigned(row, "installation")?),
            repository: RepositoryId(convert::unsigned(row, "repository")?),
            spent: Spent {
                tokens: whole(row, "tokens_high", "tokens_low")?,
                money: MicroDollars(whole(row, "money_high", "money_low")?),
            },
        })
    };
    rows.iter().map(spent_by).collect()
}

/// As much of a number as a column holds: no real sum comes near.
fn clamped(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
