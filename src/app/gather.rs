//! Gathering: a gate's wish for a fact becomes a read of the forge or the store. Never on stale data (chapter 10).

use super::{App, WorkError, place, shown};
use crate::domain::event::Wake;
use crate::domain::ids::{CommentId, CommitSha, GateId, IssueNumber};
use crate::domain::record::{Record, chain_faults};
use crate::domain::run::{ChildIssue, Children, Dossier, Fact, Issue, StoredRecord};
use crate::ports::{ForgeError, Place};
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
                    let records = self.records(wake, wake.lane.number).await?;
                    report_faults(&records, wake);
                    dossier.facts.records = Some(records);
                }
                Fact::Permission(login) => {
                    let permission = self.forge.permission(&place, &login).await?;
                    dossier.facts.permissions.insert(login, permission);
                }
                Fact::Parent(number) => {
                    // A number that somebody typed may be anything; then there is no reference text.
                    dossier.facts.parent = Some(self.readable(wake, number).await?);
                }
                Fact::Comments(number) => {
                    let comments = self.forge.comments(&place, number).await.map_err(gone)?;
                    dossier.facts.comments.insert(number, comments);
                }
                Fact::Children => dossier.facts.children = Some(self.children(wake).await?),
                Fact::Filing(run) => {
                    let filing = self.filing(&run).await?;
                    dossier.facts.filing.insert(run, filing);
                }
                Fact::Issues(numbers) => {
                    for number in numbers {
                        dossier.facts.issues.insert(number, self.readable(wake, number).await?);
                    }
                }
                Fact::PullOf(number) => {
                    let pull = self.forge.pull(&place, number).await.map_err(gone)?;
                    dossier.facts.pulls.insert(number, pull);
                }
                Fact::RecordsOf(numbers) => {
                    for number in numbers {
                        let records = self.records(wake, number).await?;
                        dossier.facts.elsewhere.insert(number, records);
                    }
                }
                Fact::ContractText { path, commit } => {
                    dossier.facts.contract_text = Some(self.contract_text(&place, &path, &commit).await?);
                }
                fact => self.gather_change(wake, dossier, fact).await?,
            }
        }
        Ok(())
    }

    /// The text of a contract's file; none where it stands in another repository.
    async fn contract_text(&self, place: &Place, path: &str, commit: &CommitSha) -> Result<Option<String>, WorkError> {
        match self.forge.file(place, path, commit).await {
            Ok(file) => Ok(String::from_utf8(file.bytes).ok()),
            Err(
                ForgeError::NotFound { .. }
                | ForgeError::Refused { .. }
                | ForgeError::Forbidden { .. }
                | ForgeError::NotOffered { .. },
            ) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// An issue beside the subject; none where it is deleted, transferred or out of reach.
    pub(super) async fn readable(&self, wake: &Wake, number: IssueNumber) -> Result<Option<Issue>, WorkError> {
        match self.forge.issue(&place(wake), number).await {
            Ok(issue) => Ok(Some(issue)),
            Err(ForgeError::NotFound { .. } | ForgeError::Forbidden { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The subject's sub-issues with what each waits for; a server without them says so.
    async fn children(&self, wake: &Wake) -> Result<Children, WorkError> {
        let place = place(wake);
        let below = match self.forge.sub_issues(&place, wake.lane.number).await {
            Ok(below) => below,
            Err(ForgeError::NotOffered { .. }) => return Ok(Children::NotOffered),
            Err(error) => return Err(gone(error)),
        };
        let mut children = Vec::new();
        for issue in below {
            let blocked_by = match self.forge.blocked_by(&place, issue.number).await {
                Ok(blocked_by) => blocked_by,
                Err(ForgeError::NotOffered { .. }) => Vec::new(),
                Err(error) => return Err(gone(error)),
            };
            children.push(ChildIssue { issue, blocked_by });
        }
        Ok(Children::Linked(children))
    }

    /// The subject, at least as new as the event: else it waits and reads again.
    async fn fresh_issue(&self, wake: &Wake) -> Result<Issue, WorkError> {
        let mut looks = LOOKS.into_iter();
        loop {
            let issue = self.issue(wake).await?;
            // The subject of another lane's event was read there.
            if wake.cause.is_relayed() || issue.updated_at >= wake.cause.at || self.shows_comment(wake).await? {
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

pub(super) fn gone(error: ForgeError) -> WorkError {
    match error {
        ForgeError::NotFound { what } => WorkError::Gone(what),
        error => error.into(),
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
