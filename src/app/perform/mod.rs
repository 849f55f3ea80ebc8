//! The sole writer: a gate's end is stored, signed, rendered and written; nothing else calls the forge's writing methods.
//!
//! A record and the intent of its comment are stored in one transaction *before* anything is written; a crash after it
//! is mended by [`App::resume`], which finds the open intent.

mod axis;
mod change;
mod children;
mod ledger;
mod look;
mod waiting;

pub(super) use children::regained;

use super::{App, WorkError, place};
use crate::domain::effect::{ChildDraft, Effect, EffectId, EffectKind, LabelSpec};
use crate::domain::event::Wake;
use crate::domain::ids::{CommentId, IssueNumber, RepositoryId, RunId};
use crate::domain::record::Record;
use crate::domain::run::{Done, Dossier, StoredRecord};
use crate::domain::view::{Proposal, Reply, VerdictView};
use crate::ports::{ForgeError, Intent, StoreError};
use crate::render;
use ledger::Payload;
use look::Look;
use std::collections::HashSet;
use std::sync::Mutex;
use waiting::Waited;

/// How performing ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Performed {
    /// Everything stands as it should.
    Done,
    /// A stage stands as it should, and the gate is asked again.
    Again,
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

/// A record on its way into the store.
struct Recorded<'a> {
    record: Record,
    view: &'a VerdictView,
    children: &'a [ChildDraft],
    proposal: Option<&'a Proposal>,
    /// Where its comment stands, if not on the subject.
    at: Option<IssueNumber>,
}

impl App {
    /// Performs the end of a run, or of one of its stages.
    pub(super) async fn perform(&self, wake: &Wake, dossier: &Dossier, done: Done) -> Result<Performed, WorkError> {
        let gate = done.record.as_ref().map_or("none", |record| record.gate.as_str());
        tracing::info!(run = %dossier.run, gate, because = done.because, effects = done.effects.len(), "decided");
        if done.record.is_some() || done.effects.iter().any(|effect| matches!(effect, Effect::EditBody(_))) {
            match self.look(wake, dossier).await? {
                Look::Same => {}
                Look::Changed => return Ok(Performed::Changed),
                Look::Held => return Ok(Performed::Held),
                Look::Cancelled => {
                    self.unsay_waiting(wake, dossier).await?;
                    return Ok(Performed::Done);
                }
            }
        }
        let at = done.at.unwrap_or(wake.lane.number);
        if done.record.is_none() {
            self.unsay_waiting(wake, dossier).await?;
        }
        if let (Some(record), Some(view)) = (done.record, &done.view) {
            let end =
                Recorded { record, view, children: &done.children, proposal: done.proposal.as_deref(), at: done.at };
            if let Performed::Changed = self.record(wake, dossier, end).await? {
                return Ok(Performed::Changed);
            }
        }
        for (ordinal, effect) in (0..).zip(&done.effects) {
            match self.effect(wake, at, &dossier.run, ordinal, effect).await? {
                Performed::Done => {}
                other => return Ok(other),
            }
        }
        Ok(Performed::Done)
    }

    /// Gives the record its prose and signature, renders its comment, and stores both in one transaction, with the
    /// children that are filed once the comment stands.
    async fn record(&self, wake: &Wake, dossier: &Dossier, end: Recorded<'_>) -> Result<Performed, WorkError> {
        let Recorded { mut record, view, children, proposal, at } = end;
        if !view.reasons.is_empty() {
            record.reasons = render::phrase_reasons(view);
        }
        if !view.questions.is_empty() {
            record.questions = render::phrase_questions(view);
        }
        if says_the_same(dossier, &record) {
            return Ok(Performed::Done);
        }
        self.settings.keys.sign(&mut record);
        // What a gate only watched has no comment.
        let mut intents = if record.is_observed() {
            Vec::new()
        } else {
            let waited = self.said_waiting(wake, &record).await?;
            comments(wake, dossier, &record, view, Stand { at, waited })?
        };
        intents.extend(children::intents(&wake.lane, &record, children));
        intents.extend(proposal.map(|proposal| axis::intent(wake, &record, proposal)));
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

    async fn effect(
        &self,
        wake: &Wake,
        at: IssueNumber,
        run: &RunId,
        ordinal: u32,
        effect: &Effect,
    ) -> Result<Performed, WorkError> {
        match effect {
            Effect::Verdict => return self.settle_comments(wake).await,
            Effect::Propose => return self.settle_proposals(wake).await,
            Effect::Reply(reply) => self.reply(wake, at, run, ordinal, reply).await?,
            Effect::AddLabel(label) => self.add_label(wake, at, run, ordinal, label).await?,
            Effect::RemoveLabel(name) => match self.forge.remove_label(&place(wake), at, name).await {
                Ok(()) | Err(ForgeError::NotFound { .. }) => {}
                Err(error) => return Err(error.into()),
            },
            Effect::Minimise(node) => {
                if let Err(error) = self.forge.minimise(&place(wake), node).await {
                    tracing::debug!(%error, "a superseded comment stays as it is");
                }
            }
            Effect::Revive { otherwise } => {
                if self.store.revive(&wake.lane, self.clock.now()).await? == 0 {
                    self.reply(wake, at, run, ordinal, otherwise).await?;
                }
            }
            Effect::Check(check) => self.check(wake, at, run, ordinal, check).await?,
            Effect::Impact { impact, posting } => self.impact(wake, run, ordinal, impact, *posting).await?,
            Effect::EditBody(edit) => return self.edit_body(wake, edit).await,
            Effect::Wake { number, cause, due } => self.wake_lane(wake, run, *number, cause, *due).await?,
        }
        Ok(Performed::Done)
    }

    async fn reply(
        &self,
        wake: &Wake,
        at: IssueNumber,
        run: &RunId,
        ordinal: u32,
        reply: &Reply,
    ) -> Result<(), WorkError> {
        let id = EffectId { run: run.clone(), kind: EffectKind::Reply, ordinal };
        let body = Some(render::reply_comment(reply, &id));
        let payload = Payload { body, at: elsewhere(wake, at), ..Payload::default() };
        let entry = self.store.intend(&Intent { id, lane: wake.lane.clone(), payload: payload.into() }).await?;
        if entry.result.is_none() {
            self.settle_comment(wake, entry).await?;
        }
        Ok(())
    }

    /// A label's presence is its own ledger: what stands on the issue decides whether it is added again.
    async fn add_label(
        &self,
        wake: &Wake,
        at: IssueNumber,
        run: &RunId,
        ordinal: u32,
        label: &LabelSpec,
    ) -> Result<(), WorkError> {
        let place = place(wake);
        self.make_label(wake, run, ordinal, label).await?;
        let add = async {
            match self.forge.add_label(&place, at, &label.name).await {
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

    /// Makes the label in the repository, unless it is known to be there.
    async fn make_label(&self, wake: &Wake, run: &RunId, ordinal: u32, label: &LabelSpec) -> Result<(), WorkError> {
        let (place, repository) = (place(wake), wake.lane.repository);
        if self.labels.has(repository, &label.name) {
            return Ok(());
        }
        let make = async {
            match self.forge.create_label(&place, label).await {
                Err(ForgeError::Refused { status: 422, .. }) => Ok(()),
                other => other,
            }
        };
        self.implied(wake, run, EffectKind::CreateLabel, ordinal, &label.name, make).await?;
        self.labels.note(repository, &label.name);
        Ok(())
    }

    /// 👀 at once, best effort: it promises nothing.
    pub(super) async fn nod(&self, wake: &Wake) {
        let Some(source) = wake.cause.source.map(CommentId) else { return };
        if let Err(error) = self.forge.acknowledge(&place(wake), source).await {
            tracing::debug!(%error, "a command was not acknowledged");
        }
    }
}

/// The intents of a record's comment: a new one, or an edit of the one that stands for it. A plan that does not fit into
/// it stands in comments of its own before.
fn comments(
    wake: &Wake,
    dossier: &Dossier,
    record: &Record,
    view: &VerdictView,
    Stand { at, waited }: Stand,
) -> Result<Vec<Intent>, WorkError> {
    let posted = rewritten(dossier, record).and_then(|stored| stored.comment.as_ref());
    // A record that is completed keeps its comment, and that comment its marker.
    let marker = EffectId { run: record.run.clone(), kind: EffectKind::Comment, ordinal: 0 };
    let edit = EffectId { kind: EffectKind::EditComment, ordinal: edit_ordinal(record), ..marker.clone() };
    let (id, edits) = match (posted, &waited) {
        (Some(comment), _) | (None, Waited::Stands(comment)) => (edit, Some(comment.id)),
        (None, Waited::Gone) => (edit, None),
        (None, Waited::Never) => (EffectId { ordinal: edit_ordinal(record), ..marker.clone() }, None),
    };
    let marker = if id.kind == EffectKind::EditComment { &marker } else { &id };
    let posting =
        render::verdict_posting(record, view, marker).map_err(|error| WorkError::Render(error.to_string()))?;
    let at = at.filter(|number| *number != wake.lane.number);
    // What was posted before the comment stands: an edit posts nothing again, unless it is the first that has a plan.
    let posted = rewritten(dossier, record).is_some_and(|stored| !stored.record.children.is_empty());
    let parts = posting.parts.into_iter().filter(|_| !posted).zip(0..).map(|(body, ordinal)| {
        let id = EffectId { kind: EffectKind::Part, ordinal, ..marker.clone() };
        Intent { id, lane: wake.lane.clone(), payload: Payload { body: Some(body), at, ..Payload::default() }.into() }
    });
    let mut intents: Vec<Intent> = parts.collect();
    let body = Some(posting.verdict);
    let payload = Payload {
        body,
        gate: Some(record.gate),
        seq: Some(record.seq),
        edits,
        at,
        becomes: match waited {
            Waited::Stands(comment) => Some(comment),
            Waited::Never | Waited::Gone => None,
        },
        ..Payload::default()
    };
    intents.push(Intent { id: id.clone(), lane: wake.lane.clone(), payload: payload.into() });
    Ok(intents)
}

/// Where a record's comment is to stand.
struct Stand {
    /// The issue or pull request, if not the subject.
    at: Option<IssueNumber>,
    /// Whether one said already that a model is waited for.
    waited: Waited,
}

/// Whether the record, still without a verdict, would say what stands already: an unchanged comment is not patched.
fn says_the_same(dossier: &Dossier, record: &Record) -> bool {
    let same = |stored: &StoredRecord| {
        stored.record.reasons == record.reasons && stored.record.disposition == record.disposition
    };
    record.verdict.is_none() && rewritten(dossier, record).is_some_and(same)
}

/// Where something stands, if not on the subject.
fn elsewhere(wake: &Wake, at: IssueNumber) -> Option<IssueNumber> {
    (at != wake.lane.number).then_some(at)
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
