//! Records, append-only, and where their comments stand.

use super::connection::{Connection, Statement};
use super::{convert, effects};
use crate::domain::effect::PostedComment;
use crate::domain::ids::{CommentId, GateId, IssueNumber, NodeId, RepositoryId, RepositoryName};
use crate::domain::record::Record;
use crate::domain::run::StoredRecord;
use crate::ports::{Intent, RecordFilter, StoreError};
use sqlx::sqlite::SqliteRow;

pub(super) async fn of_subject(
    read: &Connection,
    repository: RepositoryId,
    number: IssueNumber,
) -> Result<Vec<StoredRecord>, StoreError> {
    const SQL: &str = "SELECT r.record, c.comment, c.node, c.url FROM records r
        LEFT JOIN record_comments c
          ON c.repository = r.repository AND c.number = r.number AND c.gate = r.gate AND c.seq = r.seq
        WHERE r.repository = $1 AND r.number = $2 AND NOT EXISTS (
          SELECT 1 FROM records later
          WHERE later.repository = r.repository AND later.number = r.number AND later.gate = r.gate
            AND later.seq = r.seq AND later.edit > r.edit)";
    let query = sqlx::query(SQL).bind(convert::int("repository", repository.0)?).bind(convert::int("issue", number.0)?);
    let outcome = read.execute(query).await?;
    let mut records = outcome.rows.iter().map(stored).collect::<Result<Vec<_>, _>>()?;
    // Gates in the order of the road, which is not that of their names.
    records.sort_by_key(|stored| (stored.record.gate, stored.record.seq));
    Ok(records)
}

pub(super) async fn repository_named(
    read: &Connection,
    name: &RepositoryName,
) -> Result<Option<RepositoryId>, StoreError> {
    // A name can pass to another repository, and a repository to another name: the newest delivery says what holds.
    const DELIVERED: &str = "SELECT repository FROM deliveries
        WHERE repository_name = $1 COLLATE NOCASE ORDER BY place DESC LIMIT 1";
    // Deliveries may be gone where records are not.
    const RECORDED: &str = "SELECT repository FROM records
        WHERE instr(lower(json_extract(record, '$.subject.url')), lower($1)) > 0
        ORDER BY json_extract(record, '$.judged_at') DESC LIMIT 1";
    for (sql, sought) in [(DELIVERED, name.to_string()), (RECORDED, format!("/{name}/"))] {
        let outcome = read.execute(sqlx::query(sql).bind(sought)).await?;
        if let Some(row) = outcome.rows.first() {
            return Ok(Some(RepositoryId(convert::unsigned(row, "repository")?)));
        }
    }
    Ok(None)
}

pub(super) async fn of_repository(
    read: &Connection,
    repository: RepositoryId,
    filter: &RecordFilter,
) -> Result<Vec<StoredRecord>, StoreError> {
    const SQL: &str = "SELECT r.record, c.comment, c.node, c.url FROM records r
        LEFT JOIN record_comments c
          ON c.repository = r.repository AND c.number = r.number AND c.gate = r.gate AND c.seq = r.seq
        WHERE r.repository = $1 AND ($2 IS NULL OR r.number = $2) AND ($3 IS NULL OR r.gate = $3) AND NOT EXISTS (
          SELECT 1 FROM records later
          WHERE later.repository = r.repository AND later.number = r.number AND later.gate = r.gate
            AND later.seq = r.seq AND later.edit > r.edit)";
    let number = filter.number.map(|number| convert::int("issue", number.0)).transpose()?;
    let query = sqlx::query(SQL)
        .bind(convert::int("repository", repository.0)?)
        .bind(number)
        .bind(filter.gate.map(GateId::as_str));
    let outcome = read.execute(query).await?;
    let mut records = outcome.rows.iter().map(stored).collect::<Result<Vec<_>, _>>()?;
    // Compared as times: as texts, a fraction of a second would stand before none.
    records.retain(|stored| filter.since.is_none_or(|since| stored.record.judged_at >= since));
    records.sort_by_key(|stored| {
        let record = &stored.record;
        (record.judged_at, record.subject.number, record.gate, record.seq)
    });
    Ok(records)
}

/// The record and the intent of its comment stand together or not at all.
///
/// A record lands only behind the newest of its (subject, gate); else somebody else was quicker.
pub(super) async fn append(write: &Connection, record: &Record, intents: &[Intent]) -> Result<(), StoreError> {
    const RECORD: &str = "INSERT INTO records (repository, number, gate, seq, edit, app, record)
        SELECT $1, $2, $3, $4, $5, $6, $7 WHERE NOT EXISTS (
          SELECT 1 FROM records newer
          WHERE newer.repository = $1 AND newer.number = $2 AND newer.gate = $3
            AND (newer.seq > $4 OR newer.seq = $4 AND newer.edit >= $5))";
    const INTENT: &str = "INSERT INTO effects (run, kind, ordinal, installation, repository, number, payload)
        VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (run, kind, ordinal) DO NOTHING";
    let row = bind(sqlx::query(RECORD), record)?;
    let mut transaction = write.begin().await?;
    if transaction.execute(row).await?.changed == 0 {
        transaction.roll_back().await?;
        let subject = record.subject.number.unwrap_or(IssueNumber(0));
        let place = format!("#{subject} {} seq {} edit {}", record.gate, record.seq, record.edit);
        return Err(StoreError::Conflict(format!("{place}: that place is taken, or a newer record stands")));
    }
    for intent in intents {
        transaction.execute(effects::bind(sqlx::query(INTENT), intent)?).await?;
    }
    transaction.commit().await
}

/// Binds a record's seven columns.
pub(super) fn bind<'q>(query: Statement<'q>, record: &Record) -> Result<Statement<'q>, StoreError> {
    let [repository, number] = subject(record)?;
    let app = record.app.map(|app| convert::int("app", app.0)).transpose()?;
    Ok(query
        .bind(repository)
        .bind(number)
        .bind(record.gate.as_str())
        .bind(convert::int("seq", record.seq)?)
        .bind(convert::int("edit", record.edit)?)
        .bind(app)
        .bind(convert::to_json("record", record)?))
}

/// The two columns of a record's subject.
pub(super) fn subject(record: &Record) -> Result<[i64; 2], StoreError> {
    let (Some(repository), Some(number)) = (record.repository, record.subject.number) else {
        return Err(StoreError::Conflict("a record without repository or issue is not stored".to_owned()));
    };
    Ok([convert::int("repository", repository.0)?, convert::int("issue", number.0)?])
}

pub(super) async fn posted(
    write: &Connection,
    repository: RepositoryId,
    number: IssueNumber,
    gate: GateId,
    seq: u64,
    comment: &PostedComment,
) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO record_comments (repository, number, gate, seq, comment, node, url)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        ON CONFLICT (repository, number, gate, seq)
        DO UPDATE SET comment = excluded.comment, node = excluded.node, url = excluded.url";
    let query = sqlx::query(SQL)
        .bind(convert::int("repository", repository.0)?)
        .bind(convert::int("issue", number.0)?)
        .bind(gate.as_str())
        .bind(convert::int("seq", seq)?)
        .bind(convert::int("comment", comment.id.0)?)
        .bind(comment.node.0.clone())
        .bind(comment.url.clone());
    write.execute(query).await?;
    Ok(())
}

pub(super) fn stored(row: &SqliteRow) -> Result<StoredRecord, StoreError> {
    let comment = match convert::get::<Option<String>>(row, "node")? {
        None => None,
        Some(node) => Some(PostedComment {
            id: CommentId(convert::unsigned(row, "comment")?),
            node: NodeId(node),
            url: convert::get(row, "url")?,
        }),
    };
    Ok(StoredRecord { record: convert::json("a record", convert::get(row, "record")?)?, comment })
}
