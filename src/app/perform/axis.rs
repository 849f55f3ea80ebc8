//! A question to the contract, brought to people: a branch with the changed file and a labelled example, and a draft pull
//! request; where the App may not write files, an issue with the same (chapter 3). One for each question, however often it
//! comes up, and whether people closed it or not.

use super::{App, WorkError, place};
use crate::domain::effect::{EffectId, EffectKind, PullDraft};
use crate::domain::event::{CONTRACT_CHECK, Cause, CauseKind, Wake};
use crate::domain::ids::IssueNumber;
use crate::domain::record::Record;
use crate::domain::view::{ContractFile, Proposal};
use crate::ports::{ForgeError, Intent, LedgerEntry};
use crate::render::{self, Drafted};
use serde_json::{Value, json};

/// The entry of a proposal, with the reasons that the record has got meanwhile.
pub(super) fn intent(wake: &Wake, record: &Record, proposal: &Proposal) -> Intent {
    let mut proposal = proposal.clone();
    if let Some(last) = proposal.history.last_mut() {
        last.reasons.clone_from(&record.reasons);
    }
    let id = EffectId { run: record.run.clone(), kind: EffectKind::Axis, ordinal: 0 };
    Intent { id, lane: wake.lane.clone(), payload: serde_json::to_value(proposal).unwrap_or(Value::Null) }
}

impl App {
    /// Brings the proposal to people, unless it stands already.
    pub(super) async fn settle_axis(&self, wake: &Wake, entry: LedgerEntry) -> Result<(), WorkError> {
        let LedgerEntry { intent, sent_at, .. } = entry;
        if let Some(sent) = sent_at {
            self.let_settle(sent).await;
        }
        let result = match serde_json::from_value::<Proposal>(intent.payload) {
            Ok(proposal) => self.propose(wake, &intent.id, &proposal).await,
            Err(_) => Ok(json!({"superseded": true})),
        };
        self.close(&intent.id, result).await
    }

    async fn propose(&self, wake: &Wake, id: &EffectId, proposal: &Proposal) -> Result<Value, WorkError> {
        let records = self.store.records(wake.lane.repository, wake.lane.number).await?;
        let asked =
            records.iter().find(|stored| stored.record.gate == proposal.gate && stored.record.seq == proposal.seq);
        let verdict = asked.and_then(|stored| Some(stored.comment.as_ref()?.url.as_str()));
        let drafted = render::proposal(proposal, verdict);
        if !drafted.files.is_empty() {
            match self.in_a_pull(wake, id, proposal, &drafted).await {
                Ok(number) => return Ok(json!({"pull": number})),
                Err(WorkError::Forge(
                    error @ (ForgeError::Forbidden { .. }
                    | ForgeError::Refused { .. }
                    | ForgeError::NotFound { .. }
                    | ForgeError::NotOffered { .. }),
                )) => tracing::info!(%error, run = %id.run, "a contract's change becomes an issue"),
                Err(error) => return Err(error),
            }
        }
        let (place, marker) = (place(wake), proposal.marker());
        let known = self.forge.own_issues(&place).await?;
        let same = known.iter().find(|issue| issue.body.lines().next().map(str::trim_end) == Some(marker.as_str()));
        if let Some(issue) = same {
            return Ok(json!({"issue": issue.number}));
        }
        self.store.sent(id, self.clock.now()).await?;
        let made = self.forge.create_issue(&place, &drafted.issue).await?;
        Ok(json!({"issue": made.number}))
    }

    /// Branch, files, draft: whatever of it stands is left as it is, so that each step may be taken again.
    async fn in_a_pull(
        &self,
        wake: &Wake,
        id: &EffectId,
        proposal: &Proposal,
        drafted: &Drafted,
    ) -> Result<IssueNumber, WorkError> {
        let (place, branch) = (place(wake), proposal.branch());
        if let Some(number) = self.forge.pulls_from(&place, &branch).await?.first() {
            return Ok(*number);
        }
        let base = self.forge.default_branch(&place).await?;
        let commit = match &proposal.file {
            ContractFile::Here { commit, .. } => commit.clone(),
            ContractFile::New | ContractFile::Elsewhere => self.forge.head(&place).await?.commit,
        };
        self.store.sent(id, self.clock.now()).await?;
        there_already(self.forge.create_branch(&place, &branch, &commit).await)?;
        for file in &drafted.files {
            there_already(self.forge.put_file(&place, &branch, file).await)?;
        }
        let (title, body) = drafted.pull.clone();
        let draft = PullDraft { title, body, branch: branch.clone(), base };
        let number = match self.forge.create_pull(&place, &draft).await {
            Err(error @ ForgeError::Refused { .. }) => {
                let standing = self.forge.pulls_from(&place, &branch).await?;
                *standing.first().ok_or(error)?
            }
            other => other?,
        };
        // What this App opens wakes it with no event, and its contract is checked as any other's.
        let at = chrono::DateTime::UNIX_EPOCH;
        let cause = Cause {
            kind: CauseKind::Check,
            trigger: Some(CONTRACT_CHECK.to_owned()),
            source: None,
            at,
            pull: None,
            ..wake.cause.clone()
        };
        self.wake_lane(wake, &id.run, number, &cause, None).await?;
        Ok(number)
    }
}

/// A branch or a file that an earlier try made. What else GitHub refuses shows at the pull request.
fn there_already(answer: Result<(), ForgeError>) -> Result<(), ForgeError> {
    match answer {
        Err(ForgeError::Refused { status: 409 | 422, .. }) => Ok(()),
        other => other,
    }
}
