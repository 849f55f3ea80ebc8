//! Records that were lost and whose comments gave them back: put in beside what stands, and never over it.

use super::connection::{Connection, Transaction};
use super::{convert, effects, records};
use crate::ports::{Regained, StoreError};

pub(super) async fn restore(write: &Connection, regained: &[Regained]) -> Result<u64, StoreError> {
    let mut transaction = write.begin().await?;
    let mut restored = 0;
    for one in regained {
        match put(&mut transaction, one).await {
            Ok(changed) => restored += changed,
            Err(error) => {
                transaction.roll_back().await?;
                return Err(error);
            }
        }
    }
    transaction.commit().await?;
    Ok(restored)
}

async fn put(transaction: &mut Transaction<'_>, one: &Regained) -> Result<u64, StoreError> {
    const RECORD: &str = "INSERT INTO records (repository, number, gate, seq, edit, app, record)
        SELECT $1, $2, $3, $4, $5, $6, $7 WHERE NOT EXISTS (
          SELECT 1 FROM records known
          WHERE known.repository = $1 AND known.number = $2 AND known.gate = $3 AND known.seq = $4
            AND (known.edit >= $5 OR known.record ->> 'run' IS NOT $7 ->> 'run'))";
    // The comment of a record that was put in, or of the very one that stands.
    const COMMENT: &str = "INSERT INTO record_comments (repository, number, gate, seq, comment, node, url)
        SELECT $1, $2, $3, $4, $8, $9, $10 FROM records known
        WHERE known.repository = $1 AND known.number = $2 AND known.gate = $3 AND known.seq = $4 AND known.edit = $5
          AND known.app IS $6 AND known.record = $7
        ON CONFLICT (repository, number, gate, seq) DO NOTHING";
    const ENTRY: &str = "INSERT INTO effects (run, kind, ordinal, installation, repository, number, payload, result)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (run, kind, ordinal) DO NOTHING";
    let changed = transaction.execute(records::bind(sqlx::query(RECORD), &one.record)?).await?.changed;
    let comment = records::bind(sqlx::query(COMMENT), &one.record)?
        .bind(convert::int("comment", one.comment.id.0)?)
        .bind(one.comment.node.0.clone())
        .bind(one.comment.url.clone());
    transaction.execute(comment).await?;
    if changed > 0 {
        for entry in &one.entries {
            let result = entry.result.as_ref().map(|result| convert::to_json("result", result)).transpose()?;
            transaction.execute(effects::bind(sqlx::query(ENTRY), &entry.intent)?.bind(result)).await?;
        }
    }
    Ok(changed)
}
