//! The sole writer: a gate's end is stored, signed, rendered and written; nothing else calls the forge's writing methods.
//!
//! A record and the intent of its comment are stored in one transaction *before* anything is written; a crash after it
//! is mended by [`App::resume`], which finds the open intent.

mod change;
mod ledger;

use super::{App, WorkError, place};
use crate::domain::effect::{Effect, EffectId, EffectKind, LabelSpec};
use crate::domain::event::{CauseKind, PAUSE, Wake};
use crate::domain::gates::same_text;
use crate::domain::ids::{CommentId, RepositoryId, RunId};
use crate::domain::record::Record;
use crate::domain::run::{Done, Dossier, StoredRecord};
use crate::domain::view::{Reply, VerdictView};
use crate::ports::{ForgeError, Intent, StoreError};
use crate::render;
use ledger::Payload;
use std::collections::HashSet;
use std::sync::Mutex;

/// How performing ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Performed {
    /// Everything stands as it should.
    Done,
    /// The subject or its records changed meanwhile: the run starts again.
    Changed,
    /// `gate:pause` is on.
    Held,
}

/// Labels that a repository is known to have, so that each is created once.
#[derive(Default)]
pub(super) struct KnownLabels(Mutex<HashSet<(RepositoryId, String)>>);

impl KnownLabels {
    fn has(&self, repository: RepositoryId, name: &str) -> bool {
        let known = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        known.contains(&(repository, name.to_lowercase()))
    }

    fn note(&self, repository: RepositoryId, name: &str) {
        let mut known = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        known.insert((repository, name.to_lowercase()));
    }
}

/// What a look right before posting found.
enum Look {
    Same,
    Changed,
    Held,
    Cancelled,
}

impl App {
    /// Performs the end of a run.
    pub(super) async fn perform(&self, wake: &Wake, dossier: &Dossier, done: Done) -> Result<Performed, WorkError> {
        let gate = done.record.as_ref().map_or("none", |record| record.gate.as_str());
        tracing::info!(run = %dossier.run, gate, because = done.because, effects = done.effects.len(), "decided");
        if let (Some(record), Some(view)) = (done.record, &done.view) {
            match self.look(wake, dossier).await? {
                Look::Same => {}
                Look::Changed => return Ok(Performed::Changed),
                Look::Held => return Ok(Performed::Held),
                Look::Cancelled => return Ok(Performed::Done),
            }
            if let Performed::Changed = self.record(wake, dossier, record, view).await? {
                return Ok(Performed::Changed);
            }
        }
        for (ordinal, effect) in (0..).zip(&done.effects) {
            self.effect(wake, &dossier.run, ordinal, effect).await?;
        }
        Ok(Performed::Done)
    }

    /// The subject is read again right before posting: a verdict on another text is dropped.
    async fn look(&self, wake: &Wake, dossier: &Dossier) -> Result<Look, WorkError> {
        let now = self.issue(wake).await?;
        let trigger = wake.cause.trigger.as_deref().unwrap_or_default();
        if wake.cause.kind == CauseKind::Label && !now.has_label(trigger) {
            return Ok(Look::Cancelled);
        }
        if now.has_label(PAUSE) {
            return Ok(Look::Held);
        }
        if !dossier.facts.issue.as_ref().is_some_and(|judged| same_text(judged, &now)) {
            return Ok(Look::Changed);
        }
        // What the parent says is part of the question, and its pause holds the child.
        let Some(Some(judged)) = &dossier.facts.parent else { return Ok(Look::Same) };
        match self.forge.issue(&place(wake), judged.number).await {
            Ok(parent) if parent.has_label(PAUSE) => Ok(Look::Held),
            Ok(parent) if same_text(judged, &parent) => Ok(Look::Same),
            Ok(_) | Err(ForgeError::NotFound { .. } | ForgeError::Forbidden { .. }) => Ok(Look::Changed),
            Err(error) => Err(error.into()),
        }
    }

    /// Gives the record its prose and signature, renders its comment, and stores both in one transaction.
    async fn record(
        &self,
        wake: &Wake,
        dossier: &Dossier,
        mut record: Record,
        view: &VerdictView,
    ) -> Result<Performed, WorkError> {
        record.reasons = render::phrase_reasons(view);
        record.questions = render::phrase_questions(view);
        self.settings.keys.sign(&mut record);
        // What a gate only watched has no comment.
        let intents = if record.is_observed() { Vec::new() } else { vec![intent(wake, dossier, &record, view)?] };
        match self.store.append(&record, &intents).await {
            Ok(()) => {
                let verdict = record.verdict.map_or("none", crate::domain::record::Verdict::as_str);
                metrics::counter!("sekisho_runs_total", "gate" => record.gate.as_str(), "verdict" => verdict)
                    .increment(1);
                Ok(Performed::Done)
            }
            // Another instance took this place in the sequence: what stands now is looked at anew.
            Err(StoreError::Conflict(_)) => Ok(Performed::Changed),
            Err(error) => Err(error.into()),
        }
    }

    async fn effect(&self, wake: &Wake, run: &RunId, ordinal: u32, effect: &Effect) -> Result<(), WorkError> {
        match effect {
            Effect::Verdict => self.settle_comments(wake).await.map(|_| ()),
            Effect::Reply(reply) => self.reply(wake, run, ordinal, reply).await,
            Effect::AddLabel(label) => self.add_label(wake, run, ordinal, label).await,
            Effect::RemoveLabel(name) => match self.forge.remove_label(&place(wake), wake.lane.number, name).await {
                Ok(()) | Err(ForgeError::NotFound { .. }) => Ok(()),
                Err(error) => Err(error.into()),
            },
            Effect::Minimise(node) => {
                if let Err(error) = self.forge.minimise(&place(wake), node).await {
                    tracing::debug!(%error, "a superseded comment stays as it is");
                }
                Ok(())
            }
            Effect::Revive { otherwise } => match self.store.revive(&wake.lane, self.clock.now()).await? {
                0 => self.reply(wake, run, ordinal, otherwise).await,
                _ => Ok(()),
            },
            Effect::Check(check) => self.check(wake, run, ordinal, check).await,
            Effect::Impact { impact, posting } => self.impact(wake, run, ordinal, impact, *posting).await,
        }
    }

    async fn reply(&self, wake: &Wake, run: &RunId, ordinal: u32, reply: &Reply) -> Result<(), WorkError> {
        let id = EffectId { run: run.clone(), kind: EffectKind::Reply, ordinal };
        let payload = Payload { body: Some(render::reply_comment(reply, &id)), ..Payload::default() };
        let entry = self.store.intend(&Intent { id, lane: wake.lane.clone(), payload: payload.into() }).await?;
        if entry.result.is_none() {
            self.settle_comment(wake, entry).await?;
        }
        Ok(())
    }

    /// A label's presence is its own ledger: what stands on the issue decides whether it is added again.
    async fn add_label(&self, wake: &Wake, run: &RunId, ordinal: u32, label: &LabelSpec) -> Result<(), WorkError> {
        let (place, repository) = (place(wake), wake.lane.repository);
        if !self.labels.has(repository, &label.name) {
            let make = async {
                match self.forge.create_label(&place, label).await {
                    Err(ForgeError::Refused { status: 422, .. }) => Ok(()),
                    other => other,
                }
            };
            self.implied(wake, run, EffectKind::CreateLabel, ordinal, &label.name, make).await?;
            self.labels.note(repository, &label.name);
        }
        let add = async {
            match self.forge.add_label(&place, wake.lane.number, &label.name).await {
                // An issue takes 100 labels. The verdict stands in its comment; the rest of the labels are put right.
                Err(ForgeError::Refused { what, message, .. }) => {
                    tracing::warn!(what, message, "a label was refused");
                    Ok(())
                }
                other => other,
            }
        };
        self.implied(wake, run, EffectKind::AddLabel, ordinal, &label.name, add).await
    }

    /// 👀 at once, best effort: it promises nothing.
    pub(super) async fn nod(&self, wake: &Wake) {
        let Some(source) = wake.cause.source.map(CommentId) else { return };
        if let Err(error) = self.forge.acknowledge(&place(wake), source).await {
            tracing::debug!(%error, "a command was not acknowledged");
        }
    }
}

/// The intent of a record's comment: a new one, or an edit of the one that stands for it.
fn intent(wake: &Wake, dossier: &Dossier, record: &Record, view: &VerdictView) -> Result<Intent, WorkError> {
    let posted = rewritten(dossier, record).and_then(|stored| stored.comment.as_ref());
    // A record that is completed keeps its comment, and that comment its marker.
    let marker = EffectId { run: record.run.clone(), kind: EffectKind::Comment, ordinal: 0 };
    let (id, edits) = match posted {
        Some(comment) => (
            EffectId { kind: EffectKind::EditComment, ordinal: edit_ordinal(record), ..marker.clone() },
            Some(comment.id),
        ),
        None => (EffectId { ordinal: edit_ordinal(record), ..marker.clone() }, None),
    };
    let marker = if edits.is_some() { &marker } else { &id };
    let body = render::verdict_comment(record, view, marker).map_err(|error| WorkError::Render(error.to_string()))?;
    let payload =
        Payload { body: Some(body), gate: Some(record.gate), seq: Some(record.seq), edits, ..Payload::default() };
    Ok(Intent { id, lane: wake.lane.clone(), payload: payload.into() })
}

/// The record that this one rewrites, if it does.
fn rewritten<'a>(dossier: &'a Dossier, record: &Record) -> Option<&'a StoredRecord> {
    let records = dossier.facts.records.as_deref()?;
    let same = |stored: &&StoredRecord| stored.record.gate == record.gate && stored.record.seq == record.seq;
    records.iter().find(same).filter(|_| record.edit > 0)
}

/// Each edit of a record has a comment effect of its own.
fn edit_ordinal(record: &Record) -> u32 {
    u32::try_from(record.edit).unwrap_or(u32::MAX)
}
