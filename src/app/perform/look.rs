//! The look right before posting: a verdict on another text is dropped, and `gate:pause` holds it (chapter 3).

use super::{Performed, WorkError};
use crate::app::{App, place};
use crate::domain::effect::BodyEdit;
use crate::domain::event::{Cause, CauseKind, PAUSE, Wake, later, slot};
use crate::domain::gates::{same_comments, same_text};
use crate::domain::ids::{DeliveryId, IssueNumber, RunId};
use crate::domain::run::{Children, Dossier, Issue};
use crate::ports::{Delivery, Work};
use chrono::{DateTime, Utc};

/// What a look right before posting found.
pub(super) enum Look {
    /// All reads as it did when it was judged.
    Same,
    /// Something else stands there now.
    Changed,
    /// `gate:pause` is on.
    Held,
    /// The trigger label is gone.
    Cancelled,
}

impl App {
    /// Everything that the verdict rests on is read again.
    pub(super) async fn look(&self, wake: &Wake, dossier: &Dossier) -> Result<Look, WorkError> {
        let now = self.issue(wake).await?;
        let trigger = wake.cause.trigger.as_deref().unwrap_or_default();
        if wake.cause.kind == CauseKind::Label && wake.cause.pull.is_none() && !now.has_label(trigger) {
            return Ok(Look::Cancelled);
        }
        if now.has_label(PAUSE) {
            return Ok(Look::Held);
        }
        if !dossier.facts.issue.as_ref().is_some_and(|judged| same_text(judged, &now)) {
            return Ok(Look::Changed);
        }
        // What the parent says is part of the question, and its pause holds the child.
        if let Some(Some(judged)) = &dossier.facts.parent {
            match self.readable(wake, judged.number).await? {
                Some(parent) if parent.has_label(PAUSE) => return Ok(Look::Held),
                Some(parent) if same_text(judged, &parent) => {}
                _ => return Ok(Look::Changed),
            }
        }
        if self.moved(wake, dossier).await? { Ok(Look::Changed) } else { Ok(Look::Same) }
    }

    /// Whether plans, reports, children or pull requests that the run read are others now.
    async fn moved(&self, wake: &Wake, dossier: &Dossier) -> Result<bool, WorkError> {
        let (place, facts) = (place(wake), &dossier.facts);
        for (number, judged) in &facts.comments {
            let now = self.forge.comments(&place, *number).await?;
            if !same_comments(dossier.app.as_ref(), judged, &now) {
                return Ok(true);
            }
        }
        if let Some(Children::Linked(judged)) = &facts.children {
            let now = self.forge.sub_issues(&place, wake.lane.number).await?;
            let same = |(judged, now): (&crate::domain::run::ChildIssue, &Issue)| same_issue(&judged.issue, now);
            if judged.len() != now.len() || !judged.iter().zip(&now).all(same) {
                return Ok(true);
            }
        }
        for (number, judged) in &facts.issues {
            let now = self.readable(wake, *number).await?;
            let same = match (judged, &now) {
                (Some(judged), Some(now)) => same_issue(judged, now),
                (None, None) => true,
                _ => false,
            };
            if !same {
                return Ok(true);
            }
        }
        for (number, judged) in &facts.pulls {
            let now = self.forge.pull(&place, *number).await?;
            if now.head != judged.head {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Bodies of others: read, compared with what the run saw, written, read back (chapter 10).
    pub(super) async fn edit_body(&self, wake: &Wake, edit: &BodyEdit) -> Result<Performed, WorkError> {
        let now = self.issue(wake).await?;
        if now.body == edit.after {
            return Ok(Performed::Done);
        }
        if now.body != edit.before {
            return Ok(Performed::Changed);
        }
        self.forge.edit_issue_body(&place(wake), wake.lane.number, &edit.after).await?;
        // Somebody who wrote in the same moment is told from the next read, and the run starts again on what stands.
        let stands = self.issue(wake).await?;
        if stands.body == edit.after { Ok(Performed::Done) } else { Ok(Performed::Changed) }
    }

    /// Wakes another lane of the repository. The wake's name is made of the run and the lane, so a repeat adds none.
    pub(super) async fn wake_lane(
        &self,
        wake: &Wake,
        run: &RunId,
        number: IssueNumber,
        cause: &Cause,
        due: Option<DateTime<Utc>>,
    ) -> Result<(), WorkError> {
        let now = self.clock.now();
        let mut other = Wake { cause: cause.clone(), ..wake.clone() };
        other.lane.number = number;
        let slot = match due {
            Some(due) => later(run, cause, due),
            None => slot(cause, now, self.settings.windows),
        };
        let delivery = Delivery {
            id: DeliveryId::new(format!("{run}.{number}")),
            event: "sekisho.wake".to_owned(),
            received_at: now,
            work: Work::Wake { wake: Box::new(other), slot },
        };
        self.store.take_in(&[delivery]).await?;
        self.woken.notify_one();
        Ok(())
    }
}

/// Whether an issue reads and stands as it did.
fn same_issue(judged: &Issue, now: &Issue) -> bool {
    judged.number == now.number
        && judged.open == now.open
        && judged.state_reason == now.state_reason
        && same_text(judged, now)
}
