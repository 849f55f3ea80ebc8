//! The effects ledger: exactly once without idempotency keys (chapter 10).
//!
//! An intent stands before each create. One that is still open was perhaps carried out: it waits until the answer must be
//! visible, is looked for by marker and author, and is repeated only where it is not there.

use super::{Performed, WorkError};
use crate::app::{App, place};
use crate::domain::effect::{EffectId, EffectKind, PostedComment};
use crate::domain::event::{PAUSE, Wake};
use crate::domain::ids::{CommentId, GateId, IssueNumber, RunId};
use crate::domain::run::Comment;
use crate::ports::{ForgeError, Intent, LedgerEntry};
use crate::render::codec;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::future::Future;

/// What is needed to carry an intent out again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Payload {
    /// The comment's Markdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The record's gate, where the comment is a record's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate: Option<GateId>,
    /// The record's `seq`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// The comment to edit, where one stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edits: Option<CommentId>,
    /// A label's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The issue or pull request that the comment stands on, where that is not the subject.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<IssueNumber>,
    /// The comment that is edited said that a model is waited for, and becomes the record's. Where somebody deleted it,
    /// another is posted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub becomes: Option<PostedComment>,
}

fn posted(comment: &Comment) -> PostedComment {
    PostedComment { id: comment.id, node: comment.node.clone(), url: comment.url.clone() }
}

/// What became of an edit.
enum Edited {
    Done,
    /// Somebody deleted the comment.
    Gone,
}

impl From<Payload> for Value {
    fn from(payload: Payload) -> Self {
        serde_json::to_value(payload).unwrap_or(Value::Null)
    }
}

impl App {
    /// Finishes what an earlier run of this lane began and a crash interrupted.
    pub(in crate::app) async fn resume(&self, wake: &Wake) -> Result<Performed, WorkError> {
        if self.store.open(&wake.lane).await?.is_empty() {
            return Ok(Performed::Done);
        }
        if self.issue(wake).await?.has_label(PAUSE) {
            return Ok(Performed::Held);
        }
        match self.settle_comments(wake).await? {
            Performed::Done => self.settle_proposals(wake).await,
            other => Ok(other),
        }
    }

    /// Brings every open question of the lane to its contract: after the verdict, which waits for none of it.
    pub(super) async fn settle_proposals(&self, wake: &Wake) -> Result<Performed, WorkError> {
        for entry in self.store.open(&wake.lane).await? {
            if entry.intent.id.kind == EffectKind::Axis {
                self.settle_axis(wake, entry).await?;
            }
        }
        Ok(Performed::Done)
    }

    /// Carries out every open comment of the lane. Labels are recomputed from the issue, so theirs are closed.
    pub(super) async fn settle_comments(&self, wake: &Wake) -> Result<Performed, WorkError> {
        let mut filed = None;
        for entry in self.store.open(&wake.lane).await? {
            match entry.intent.id.kind {
                EffectKind::Child => {
                    if let Performed::Held = self.settle_child(wake, entry, &mut filed).await? {
                        return Ok(Performed::Held);
                    }
                }
                EffectKind::Link => self.settle_link(wake, entry).await?,
                EffectKind::Dependency => self.settle_dependency(wake, entry).await?,
                EffectKind::Comment | EffectKind::Part | EffectKind::EditComment | EffectKind::Reply => {
                    self.settle_comment(wake, entry).await?;
                }
                EffectKind::Axis => {}
                EffectKind::CheckRun => self.settle_check(wake, entry).await?,
                EffectKind::Impact => self.settle_impact(wake, entry).await?,
                EffectKind::CreateLabel | EffectKind::AddLabel => {
                    self.store.settle(&entry.intent.id, &json!({"superseded": true})).await?;
                }
            }
        }
        Ok(Performed::Done)
    }

    /// Carries one comment's intent out, unless it stands already.
    pub(super) async fn settle_comment(&self, wake: &Wake, entry: LedgerEntry) -> Result<(), WorkError> {
        let LedgerEntry { intent, sent_at, .. } = entry;
        let payload: Payload = serde_json::from_value(intent.payload.clone()).unwrap_or_default();
        let Some(body) = payload.body.as_deref() else {
            return Ok(self.store.settle(&intent.id, &json!({"superseded": true})).await?);
        };
        let at = payload.at.unwrap_or(wake.lane.number);
        if let Some(edited) = payload.edits {
            if let Some(sent) = sent_at {
                self.let_settle(sent).await;
                let there = self.forge.comments(&place(wake), at).await?;
                if there.iter().any(|comment| comment.id == edited && comment.body == body) {
                    return self.edited(wake, &intent.id, &payload, edited).await;
                }
            }
            match self.edit(wake, &intent.id, edited, body).await? {
                Edited::Done => return self.edited(wake, &intent.id, &payload, edited).await,
                // A comment is edited only for its own record, so nothing is posted in the stead of one that is deleted.
                Edited::Gone if payload.becomes.is_none() => {
                    return Ok(self.store.settle(&intent.id, &json!({"gone": true})).await?);
                }
                Edited::Gone => {}
            }
        }
        // An edit that became a new comment bears the marker of the one that it was to edit.
        let marker = codec::read_marker(body).unwrap_or_else(|| intent.id.clone());
        if let Some(sent) = sent_at {
            self.let_settle(sent).await;
            if let Some(found) = self.look_up(wake, at, |known| *known == marker).await? {
                return self.stands(wake, &intent.id, &payload, &posted(&found)).await;
            }
        }
        self.store.sent(&intent.id, self.clock.now()).await?;
        match self.forge.create_comment(&place(wake), at, body).await {
            Ok(posted) => self.stands(wake, &intent.id, &payload, &posted).await,
            Err(error) => self.refused(&intent.id, error).await,
        }
    }

    /// Waits until what was sent then must be visible: never longer than the settle time, whatever the clock said.
    pub(super) async fn let_settle(&self, sent: DateTime<Utc>) {
        let until = (sent + self.settings.settle).min(self.clock.now() + self.settings.settle);
        self.clock.sleep_until(until).await;
    }

    async fn edit(&self, wake: &Wake, id: &EffectId, comment: CommentId, body: &str) -> Result<Edited, WorkError> {
        self.store.sent(id, self.clock.now()).await?;
        match self.forge.edit_comment(&place(wake), comment, body).await {
            Ok(()) => Ok(Edited::Done),
            Err(ForgeError::NotFound { .. }) => Ok(Edited::Gone),
            Err(error) => self.refused(id, error).await.map(|()| Edited::Gone),
        }
    }

    /// An edit stands. Where the comment became a record's only now, its place is noted before the entry is closed.
    async fn edited(&self, wake: &Wake, id: &EffectId, payload: &Payload, comment: CommentId) -> Result<(), WorkError> {
        match &payload.becomes {
            Some(posted) => self.stands(wake, id, payload, posted).await,
            None => Ok(self.store.settle(id, &json!({"comment": comment})).await?),
        }
    }

    /// The place of a record's comment is noted before the entry is closed: a crash between both looks it up again.
    async fn stands(
        &self,
        wake: &Wake,
        id: &EffectId,
        payload: &Payload,
        posted: &PostedComment,
    ) -> Result<(), WorkError> {
        if let (Some(gate), Some(seq)) = (payload.gate, payload.seq) {
            self.store.posted(wake.lane.repository, wake.lane.number, gate, seq, posted).await?;
        }
        Ok(self.store.settle(id, &json!({"comment": posted.id, "posted": posted})).await?)
    }

    /// A request that the forge refuses as it is will be refused again: its entry is closed, so that the lane goes on.
    async fn refused(&self, id: &EffectId, error: ForgeError) -> Result<(), WorkError> {
        if let ForgeError::Refused { .. } | ForgeError::NotFound { .. } = &error {
            self.store.settle(id, &json!({"refused": error.to_string()})).await?;
        }
        match error {
            ForgeError::NotFound { what } => Err(WorkError::Gone(what)),
            error => Err(error.into()),
        }
    }

    /// Looks for a comment of ours by marker and author, through the list. The lowest id stays; later ones are deleted.
    pub(super) async fn look_up(
        &self,
        wake: &Wake,
        at: IssueNumber,
        is_it: impl Fn(&EffectId) -> bool + Send,
    ) -> Result<Option<Comment>, WorkError> {
        let app = self.identity().await?;
        let ours = |comment: &Comment| {
            comment.app == Some(app.id) || comment.author.as_ref().is_some_and(|author| app.is(author))
        };
        let mut found = self.forge.comments(&place(wake), at).await?;
        found.retain(|comment| ours(comment) && codec::read_marker(&comment.body).as_ref().is_some_and(&is_it));
        found.sort_by_key(|comment| comment.id);
        for double in found.iter().skip(1) {
            match self.forge.delete_comment(&place(wake), double.id).await {
                Ok(()) | Err(ForgeError::NotFound { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(found.into_iter().next())
    }

    /// A create that the thing itself shows, such as a label: intent, request, result; nothing to look up.
    pub(super) async fn implied(
        &self,
        wake: &Wake,
        run: &RunId,
        kind: EffectKind,
        ordinal: u32,
        label: &str,
        request: impl Future<Output = Result<(), ForgeError>>,
    ) -> Result<(), WorkError> {
        let id = EffectId { run: run.clone(), kind, ordinal };
        let payload = Payload { label: Some(label.to_owned()), ..Payload::default() };
        self.store.intend(&Intent { id: id.clone(), lane: wake.lane.clone(), payload: payload.into() }).await?;
        self.store.sent(&id, self.clock.now()).await?;
        request.await?;
        Ok(self.store.settle(&id, &json!({"label": label})).await?)
    }
}
