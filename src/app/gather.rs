//! Gathering: a gate's wish for a fact becomes a read of the forge or the store. Never on stale data (chapter 10).

use super::{App, WorkError, place, shown};
use crate::domain::event::Wake;
use crate::domain::ids::{CommentId, GateId};
use crate::domain::record::{Record, chain_faults};
use crate::domain::run::{Dossier, Fact, Issue, StoredRecord};
use crate::ports::ForgeError;
use std::time::Duration;

/// How long to wait before each further look at a state that is older than the event.
pub(super) const LOOKS: [u64; 3] = [1, 2, 4];

impl App {
    /// Fills the dossier with what its gate asked for.
    pub(super) async fn gather(&self, wake: &Wake, dossier: &mut Dossier, facts: Vec<Fact>) -> Result<(), WorkError> {
        let place = place(wake);
        for fact in facts {
            match fact {
                Fact::Issue => dossier.facts.issue = Some(self.fresh_issue(wake).await?),
                Fact::Records => {
                    let records = self.store.records(wake.lane.repository, wake.lane.number).await?;
                    report_faults(&records, wake);
                    dossier.facts.records = Some(records);
                }
                Fact::Permission(login) => {
                    dossier.facts.permission = Some(self.forge.permission(&place, &login).await?);
                }
                Fact::Parent(number) => {
                    dossier.facts.parent = Some(match self.forge.issue(&place, number).await {
                        Ok(parent) => Some(parent),
                        // A number that somebody typed may be anything; then there is no reference text.
                        Err(ForgeError::NotFound { .. } | ForgeError::Forbidden { .. }) => None,
                        Err(error) => return Err(error.into()),
                    });
                }
                fact => self.gather_change(wake, dossier, fact).await?,
            }
        }
        Ok(())
    }

    /// The subject, at least as new as the event: else it waits and reads again.
    async fn fresh_issue(&self, wake: &Wake) -> Result<Issue, WorkError> {
        let mut looks = LOOKS.into_iter();
        loop {
            let issue = self.issue(wake).await?;
            if issue.updated_at >= wake.cause.at || self.shows_comment(wake).await? {
                return Ok(issue);
            }
            let Some(seconds) = looks.next() else { return Err(WorkError::Stale) };
            self.clock.sleep_until(self.clock.now() + Duration::from_secs(seconds)).await;
        }
    }

    /// The subject as it is now.
    pub(super) async fn issue(&self, wake: &Wake) -> Result<Issue, WorkError> {
        self.forge.issue(&place(wake), wake.lane.number).await.map_err(|error| match error {
            ForgeError::NotFound { what } => WorkError::Gone(what),
            error => error.into(),
        })
    }

    /// A server that does not move an issue's time with its comments shows the comment itself.
    async fn shows_comment(&self, wake: &Wake) -> Result<bool, WorkError> {
        let Some(source) = wake.cause.source.map(CommentId) else { return Ok(false) };
        let comments = self.forge.comments(&place(wake), wake.lane.number).await?;
        Ok(comments.iter().any(|comment| comment.id == source && comment.updated_at >= wake.cause.at))
    }
}

/// A gap or a fork in the records of a gate is said and blocks nothing (chapter 10).
fn report_faults(records: &[StoredRecord], wake: &Wake) {
    for gate in GateId::ALL {
        let mine: Vec<&Record> =
            records.iter().map(|stored| &stored.record).filter(|record| record.gate == gate).collect();
        let faults = chain_faults(&mine);
        if !faults.is_empty() {
            tracing::warn!(lane = shown(&wake.lane), %gate, ?faults, "the records of this gate do not form a chain");
        }
    }
}
