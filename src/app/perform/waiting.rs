//! ⏳: a comment without a record says that a model is waited for, and becomes the comment of the record that the run makes
//! (chapter 10). Where the run makes none, it goes.

use super::ledger::Payload;
use super::{App, WorkError, elsewhere, place};
use crate::domain::effect::{EffectId, EffectKind, PostedComment};
use crate::domain::event::Wake;
use crate::domain::ids::RunId;
use crate::domain::record::Record;
use crate::domain::run::{Dossier, Waiting};
use crate::ports::{ForgeError, Intent, LedgerEntry};
use crate::render;
use serde_json::json;

/// Whether a comment said that a model is waited for, before a record was there.
pub(super) enum Waited {
    /// None did.
    Never,
    /// This one: it becomes the record's.
    Stands(PostedComment),
    /// One did, and is gone: the record's comment is posted under another name of the ledger, with the same marker.
    Gone,
}

impl App {
    /// Says that a model is waited for, unless the run has a comment already.
    pub(in crate::app) async fn say_waiting(
        &self,
        wake: &Wake,
        run: &RunId,
        waiting: Waiting,
    ) -> Result<(), WorkError> {
        let id = of(run);
        let body = Some(render::waiting_comment(waiting, &id));
        let at = waiting.at.and_then(|at| elsewhere(wake, at));
        let payload = Payload { body, at, ..Payload::default() };
        let entry = self.store.intend(&Intent { id, lane: wake.lane.clone(), payload: payload.into() }).await?;
        if entry.result.is_none() {
            self.settle_comment(wake, entry).await?;
        }
        Ok(())
    }

    /// The comment that said so for this new record, found again where its answer was lost. Whoever judges now: the operator
    /// may have taken the models away since.
    pub(super) async fn said_waiting(&self, wake: &Wake, record: &Record) -> Result<Waited, WorkError> {
        if record.edit > 0 {
            return Ok(Waited::Never);
        }
        let Some(entry) = self.waiting_of(&record.run).await? else { return Ok(Waited::Never) };
        if entry.result.is_none() {
            self.settle_comment(wake, entry).await?;
        }
        let entry = self.waiting_of(&record.run).await?;
        Ok(entry.as_ref().and_then(posted).map_or(Waited::Gone, Waited::Stands))
    }

    /// The run ends without a record: nothing is waited for any more.
    pub(in crate::app) async fn unsay_waiting(&self, wake: &Wake, dossier: &Dossier) -> Result<(), WorkError> {
        let Some(entry) = self.waiting_of(&dossier.run).await? else { return Ok(()) };
        let became = |entry: &LedgerEntry| entry.intent.id.kind == EffectKind::EditComment;
        if self.store.entries(&dossier.run).await?.iter().any(became) {
            return Ok(());
        }
        if entry.result.is_none() {
            self.settle_comment(wake, entry.clone()).await?;
        }
        let Some(entry) = self.waiting_of(&dossier.run).await? else { return Ok(()) };
        let Some(posted) = posted(&entry) else { return Ok(()) };
        match self.forge.delete_comment(&place(wake), posted.id).await {
            Ok(()) | Err(ForgeError::NotFound { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(self.store.settle(&entry.intent.id, &json!({"deleted": true})).await?)
    }

    /// The run's entry that is a comment of no record.
    async fn waiting_of(&self, run: &RunId) -> Result<Option<LedgerEntry>, WorkError> {
        let id = of(run);
        let entries = self.store.entries(run).await?;
        Ok(entries.into_iter().find(|entry| {
            let payload: Payload = serde_json::from_value(entry.intent.payload.clone()).unwrap_or_default();
            entry.intent.id == id && payload.seq.is_none()
        }))
    }
}

fn of(run: &RunId) -> EffectId {
    EffectId { run: run.clone(), kind: EffectKind::Comment, ordinal: 0 }
}

/// The comment that came of it; none where it was refused or deleted.
fn posted(entry: &LedgerEntry) -> Option<PostedComment> {
    serde_json::from_value(entry.result.as_ref()?.get("posted")?.clone()).ok()
}
