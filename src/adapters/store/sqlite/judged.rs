//! The subjects of a repository that were judged last: what a changed contract is tried on (chapter 2).

use super::connection::Connection;
use super::{convert, records};
use crate::domain::ids::RepositoryId;
use crate::domain::run::StoredRecord;
use crate::ports::StoreError;
use std::cmp::Reverse;

pub(super) async fn last(
    read: &Connection,
    repository: RepositoryId,
    subjects: usize,
) -> Result<Vec<StoredRecord>, StoreError> {
    const SQL: &str = "WITH judged AS (
          SELECT number, gate, seq, edit, record FROM records
          WHERE repository = $1 AND json_extract(record, '$.verdict') IS NOT NULL)
        SELECT r.record, c.comment, c.node, c.url FROM judged r
        LEFT JOIN record_comments c ON c.repository = $1 AND c.number = r.number AND c.gate = r.gate AND c.seq = r.seq
        WHERE r.number IN (
            SELECT number FROM judged GROUP BY number
            ORDER BY max(json_extract(record, '$.judged_at')) DESC, number DESC LIMIT $2)
          AND NOT EXISTS (
            SELECT 1 FROM judged later WHERE later.number = r.number AND later.gate = r.gate
              AND (later.seq > r.seq OR later.seq = r.seq AND later.edit > r.edit))";
    let query = sqlx::query(SQL)
        .bind(convert::int("repository", repository.0)?)
        .bind(convert::int("subjects", u64::try_from(subjects).unwrap_or(u64::MAX))?);
    let outcome = read.execute(query).await?;
    let mut judged = outcome.rows.iter().map(records::stored).collect::<Result<Vec<_>, _>>()?;
    judged.sort_by_key(|stored| {
        let record = &stored.record;
        (Reverse((record.judged_at, record.subject.number)), record.gate)
    });
    Ok(judged)
}
