//! The two things that are kept up to date on a pull request that touches a contract: its head's check run, and its one
//! impact comment. Both are looked for before they are made, so that whatever was interrupted ends in one of each.
//!
//! They are advice: where the forge refuses them, that is logged, and the lane goes on.

use super::{WorkError, elsewhere};
use crate::app::{App, place};
use crate::domain::effect::{CheckReport, CheckRun, EffectId, EffectKind, MOST_ANNOTATIONS, Posting};
use crate::domain::event::{CONTRACT_CHECK, Wake};
use crate::domain::ids::{CommitSha, IssueNumber, RunId};
use crate::domain::view::{Check as Shown, GateCheck, Impact};
use crate::ports::{ForgeError, Intent, LedgerEntry};
use crate::render::{self, codec};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What is needed to bring a check run up to date again.
#[derive(Serialize, Deserialize)]
struct Check {
    head: CommitSha,
    report: CheckReport,
    /// Its name, such as `sekisho/outcome`.
    #[serde(default = "contract")]
    name: String,
    /// What it is called, where the head has one for each verdict.
    #[serde(default)]
    external_id: Option<String>,
    /// Its pull request, where that is not the subject.
    #[serde(default)]
    at: Option<IssueNumber>,
}

/// Entries of before there were gates that have one.
fn contract() -> String {
    CONTRACT_CHECK.to_owned()
}

/// What is needed to bring an impact comment up to date again.
#[derive(Serialize, Deserialize)]
struct Comment {
    /// Its Markdown, with this effect's marker.
    body: String,
    posting: Posting,
}

impl App {
    pub(super) async fn check(
        &self,
        wake: &Wake,
        at: IssueNumber,
        run: &RunId,
        ordinal: u32,
        shown: &Shown,
    ) -> Result<(), WorkError> {
        let id = EffectId { run: run.clone(), kind: EffectKind::CheckRun, ordinal };
        let report = render::check_report(shown);
        let at = elsewhere(wake, at);
        let check = match shown {
            Shown::Contract(check) => {
                Check { head: check.head.clone(), report, name: contract(), external_id: None, at }
            }
            Shown::Gate(GateCheck { head, record, .. }) => {
                // GitHub appends notes and takes none away, so each verdict has a check run of its own.
                let ordinal = u32::try_from(record.edit).unwrap_or(u32::MAX);
                let verdict = EffectId { run: record.run.clone(), kind: EffectKind::CheckRun, ordinal };
                let external_id = Some(codec::external_id(&verdict, at.unwrap_or(wake.lane.number)));
                Check { head: head.clone(), report, name: format!("sekisho/{}", record.gate), external_id, at }
            }
        };
        let payload = serde_json::to_value(check).unwrap_or(Value::Null);
        let entry = self.store.intend(&Intent { id, lane: wake.lane.clone(), payload }).await?;
        if entry.result.is_none() { self.settle_check(wake, entry).await } else { Ok(()) }
    }

    pub(super) async fn impact(
        &self,
        wake: &Wake,
        run: &RunId,
        ordinal: u32,
        impact: &Impact,
        posting: Posting,
    ) -> Result<(), WorkError> {
        let id = EffectId { run: run.clone(), kind: EffectKind::Impact, ordinal };
        let comment = Comment { body: render::impact_comment(impact, &id), posting };
        let payload = serde_json::to_value(comment).unwrap_or(Value::Null);
        let entry = self.store.intend(&Intent { id, lane: wake.lane.clone(), payload }).await?;
        if entry.result.is_none() { self.settle_impact(wake, entry).await } else { Ok(()) }
    }

    pub(super) async fn settle_check(&self, wake: &Wake, entry: LedgerEntry) -> Result<(), WorkError> {
        let LedgerEntry { intent, sent_at, .. } = entry;
        if let Some(sent) = sent_at {
            self.let_settle(sent).await;
        }
        let result = match serde_json::from_value::<Check>(intent.payload) {
            Ok(check) => self.bring_check(wake, &intent.id, &check).await,
            Err(_) => Ok(json!({"superseded": true})),
        };
        self.close(&intent.id, result).await
    }

    pub(super) async fn settle_impact(&self, wake: &Wake, entry: LedgerEntry) -> Result<(), WorkError> {
        let LedgerEntry { intent, sent_at, .. } = entry;
        if let Some(sent) = sent_at {
            self.let_settle(sent).await;
        }
        let result = match serde_json::from_value::<Comment>(intent.payload) {
            Ok(comment) => self.bring_comment(wake, &intent.id, comment).await,
            Err(_) => Ok(json!({"superseded": true})),
        };
        self.close(&intent.id, result).await
    }

    /// Makes the check run, or brings the one that stands up to date; annotations that it lacks are appended.
    async fn bring_check(&self, wake: &Wake, id: &EffectId, check: &Check) -> Result<Value, WorkError> {
        let (place, Check { head, report, name, external_id, at }) = (place(wake), check);
        let app = self.identity().await?.id;
        let ours = |run: &CheckRun| match run.app {
            Some(maker) => maker == app,
            None => run.external_id.as_deref().and_then(codec::read_external_id).is_some(),
        };
        let standing = self.forge.check_runs(&place, head, name).await?;
        // None can be deleted, and GitHub shows the newest.
        let newest = standing.into_iter().filter(ours).max_by_key(|run| run.id);
        let standing = newest.filter(|run| external_id.is_none() || run.external_id == *external_id);
        let all = report.annotations.len();
        let mut told = standing.as_ref().map_or(0, |run| run.annotations.min(all));
        if let Some(run) = standing.as_ref().filter(|run| told == all && says(run, report)) {
            return Ok(json!({"check_run": run.id}));
        }
        let mut made = standing.map(|run| run.id);
        loop {
            let next = all.min(told + MOST_ANNOTATIONS);
            let part = CheckReport { annotations: report.annotations[told..next].to_vec(), ..report.clone() };
            self.store.sent(id, self.clock.now()).await?;
            if let Some(run) = made {
                self.forge.update_check_run(&place, run, &part).await?;
            } else {
                let pull = at.unwrap_or(wake.lane.number);
                let called = external_id.clone().unwrap_or_else(|| codec::external_id(id, pull));
                made = Some(self.forge.create_check_run(&place, head, name, &called, &part).await?);
            }
            told = next;
            if told == all {
                return Ok(json!({"check_run": made}));
            }
        }
    }

    /// Posts the comment, or edits the one that stands: that keeps its marker. An unchanged one is left alone.
    async fn bring_comment(&self, wake: &Wake, id: &EffectId, comment: Comment) -> Result<Value, WorkError> {
        let place = place(wake);
        let standing = self.look_up(wake, wake.lane.number, |marker| marker.kind == EffectKind::Impact).await?;
        let Some(standing) = standing else {
            if comment.posting == Posting::EditedOnly {
                return Ok(json!({"comment": Value::Null}));
            }
            self.store.sent(id, self.clock.now()).await?;
            let posted = self.forge.create_comment(&place, wake.lane.number, &comment.body).await?;
            return Ok(json!({"comment": posted.id}));
        };
        let marker = standing.body.lines().next().unwrap_or_default();
        let words = |body: &str| body.lines().skip(1).map(str::trim_end).collect::<Vec<_>>().join("\n");
        let (before, after) = (words(&standing.body), words(&comment.body));
        if before.trim_end() != after.trim_end() {
            self.store.sent(id, self.clock.now()).await?;
            self.forge.edit_comment(&place, standing.id, &format!("{marker}\n{after}\n")).await?;
        }
        Ok(json!({"comment": standing.id}))
    }

    /// Closes the entry with what came of it. What the forge refuses will be refused again, and holds nothing up.
    pub(super) async fn close(&self, id: &EffectId, result: Result<Value, WorkError>) -> Result<(), WorkError> {
        let result = match result {
            Ok(result) => result,
            Err(WorkError::Forge(
                error @ (ForgeError::Forbidden { .. }
                | ForgeError::Refused { .. }
                | ForgeError::NotFound { .. }
                | ForgeError::NotOffered { .. }),
            )) => {
                tracing::warn!(%error, run = %id.run, "what stands beside a verdict could not be shown");
                json!({"refused": error.to_string()})
            }
            Err(error) => return Err(error),
        };
        Ok(self.store.settle(id, &result).await?)
    }
}

/// Whether the check run says this already, its annotations apart.
fn says(run: &CheckRun, report: &CheckReport) -> bool {
    run.conclusion == Some(report.conclusion)
        && run.title.trim() == report.title.trim()
        && run.summary.trim() == report.summary.trim()
}
