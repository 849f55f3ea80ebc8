//! A question to the contract, brought to people: a branch with the changed file and a labelled example, and a draft pull
//! request; where the App may not write files, an issue with the same (chapter 3). One for each question, however often it
//! comes up, and whether people closed it or not.

use super::{App, WorkError, place};
use crate::domain::effect::{EffectId, EffectKind, FileChange, PullDraft};
use crate::domain::event::{CONTRACT_CHECK, Cause, CauseKind, Wake};
use crate::domain::ids::{CommitSha, IssueNumber};
use crate::domain::record::Record;
use crate::domain::view::{ContractFile, Proposal};
use crate::ports::{ForgeError, Intent, LedgerEntry, Place};
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
        let (place, marker) = (place(wake), proposal.marker());
        if let Some(number) = self.forge.pulls_from(&place, &proposal.branch()).await?.first() {
            // Perhaps it was opened right before a crash.
            self.check_contract(wake, id, *number).await?;
            return Ok(json!({"pull": number}));
        }
        let known = self.forge.own_issues(&place).await?;
        let same = known.iter().find(|issue| issue.body.lines().next().map(str::trim_end) == Some(marker.as_str()));
        if let Some(issue) = same {
            return Ok(json!({"issue": issue.number}));
        }
        let records = self.store.records(wake.lane.repository, wake.lane.number).await?;
        let asked =
            records.iter().find(|stored| stored.record.gate == proposal.gate && stored.record.seq == proposal.seq);
        let verdict = asked.and_then(|stored| Some(stored.comment.as_ref()?.url.as_str()));
        let drafted = render::proposal(proposal, verdict);
        if !drafted.files.is_empty() {
            match self.in_a_pull(wake, id, proposal, &drafted).await {
                Ok(number) => {
                    self.check_contract(wake, id, number).await?;
                    return Ok(json!({"pull": number}));
                }
                Err(WorkError::Forge(
                    error @ (ForgeError::Forbidden { .. }
                    | ForgeError::Refused { .. }
                    | ForgeError::NotFound { .. }
                    | ForgeError::NotOffered { .. }),
                )) => tracing::info!(%error, run = %id.run, "a contract's change becomes an issue"),
                Err(error) => return Err(error),
            }
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
        let base = self.forge.default_branch(&place).await?;
        let commit = match &proposal.file {
            ContractFile::Here { commit, .. } => commit.clone(),
            ContractFile::New | ContractFile::Elsewhere => self.forge.head(&place).await?.commit,
        };
        self.store.sent(id, self.clock.now()).await?;
        match self.forge.create_branch(&place, &branch, &commit).await {
            // An earlier try made it; where it is something else, the files say so.
            Ok(()) | Err(ForgeError::Refused { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        for file in &drafted.files {
            self.put(&place, &branch, file).await?;
        }
        let (title, body) = drafted.pull.clone();
        let draft = PullDraft { title, body, branch: branch.clone(), base };
        match self.forge.create_pull(&place, &draft).await {
            Err(error @ ForgeError::Refused { .. }) => {
                let standing = self.forge.pulls_from(&place, &branch).await?;
                Ok(*standing.first().ok_or(error)?)
            }
            other => Ok(other?),
        }
    }

    /// Commits a file, unless an earlier try did: then the branch shows it.
    async fn put(&self, place: &Place, branch: &str, file: &FileChange) -> Result<(), WorkError> {
        let Err(error) = self.forge.put_file(place, branch, file).await else { return Ok(()) };
        if !matches!(error, ForgeError::Refused { .. }) {
            return Err(error.into());
        }
        // The route takes a branch's name where it takes a commit.
        match self.forge.file(place, &file.path, &CommitSha::new(branch)).await {
            Ok(there) if there.bytes == file.text.as_bytes() => Ok(()),
            _ => Err(error.into()),
        }
    }

    /// What this App opens wakes it with no event, and its contract is checked as any other's.
    async fn check_contract(&self, wake: &Wake, id: &EffectId, number: IssueNumber) -> Result<(), WorkError> {
        let trigger = Some(CONTRACT_CHECK.to_owned());
        let cause = Cause { kind: CauseKind::Check, trigger, source: None, pull: None, ..wake.cause.clone() };
        // Not merged with the echo of its own opening, which a server that has just started may take in.
        self.wake_lane(wake, &id.run, number, &cause, Some(self.clock.now())).await
    }
}
