//! Commands that end in a short reply, and what such a reply is made of.

use super::labels::stale_label;
use super::{Step, ended, in_force, is_observed, spoken};
use crate::domain::contract::Mode;
use crate::domain::detect;
use crate::domain::effect::Effect;
use crate::domain::event::PAUSE;
use crate::domain::ids::GateId;
use crate::domain::record::{Disposition, Record, fold};
use crate::domain::run::{Done, Dossier, Fact, Issue, Next, StoredRecord};
use crate::domain::view::{Freshness, GateState, GateStatus, Reply, ReplyKind};

/// The end of a run that only answers.
pub(super) fn answer(dossier: &Dossier, issue: &Issue, what: ReplyKind, because: &'static str) -> Done {
    let reply = Reply { language: spoken(dossier, issue), what };
    Done { record: None, view: None, effects: vec![Effect::Reply(reply)], because }
}

/// `/gate help`: anyone may ask.
pub(super) fn help(dossier: &Dossier) -> Next {
    ended(running(dossier).map(|issue| {
        let gates = in_force(&dossier.contracts, issue).into_iter().flat_map(|contract| &contract.gates);
        let gates = gates.filter(|gate| gate.mode == Mode::Enforce).map(|gate| (gate.id, gate.label.clone())).collect();
        answer(dossier, issue, ReplyKind::Help { gates }, "help")
    }))
}

/// Words after `/gate` that this version does not know.
pub(super) fn unknown(dossier: &Dossier, line: &str) -> Next {
    ended(running(dossier).map(|issue| {
        answer(dossier, issue, ReplyKind::UnknownCommand { command: detect::mask_secrets(line) }, "unknown command")
    }))
}

/// `/gate status`: anyone may ask.
pub(super) fn status(dossier: &Dossier) -> Next {
    let steps = || {
        let records = records(dossier)?;
        let issue = running(dossier)?;
        let contracts = in_force(&dossier.contracts, issue);
        let gates = contracts.iter().flat_map(|contract| contract.gates.iter().map(move |gate| (contract, gate)));
        let gates = gates.filter(|(_, gate)| gate.mode == Mode::Enforce).map(|(contract, gate)| {
            let mine = |stored: &&StoredRecord| stored.record.gate == gate.id && !stored.record.is_observed();
            let mine: Vec<_> = records.iter().filter(mine).collect();
            let returns = fold(mine.iter().map(|stored| &stored.record), &contract.blob).returns;
            let state = |stored: &&StoredRecord| {
                state(stored, freshness(issue, &stored.record), (returns, contract.max_iterations_per_gate))
            };
            GateStatus { gate: gate.id, label: gate.label.clone(), newest: mine.last().map(state) }
        });
        Ok(answer(dossier, issue, ReplyKind::Status { gates: gates.collect() }, "status"))
    };
    ended(steps())
}

/// The gate of the newest record: what `/gate retry` means. What only watched, or watches now, is not meant.
pub(super) fn newest_gate(dossier: &Dossier, records: &[StoredRecord]) -> Option<GateId> {
    let seen = |record: &&Record| !record.is_observed() && !is_observed(&dossier.contracts, record.gate);
    let records = records.iter().map(|stored| &stored.record).filter(seen);
    records.max_by_key(|record| (record.judged_at, record.gate)).map(|record| record.gate)
}

/// The refusal of the command that woke this run.
pub(super) fn refused(dossier: &Dossier, needs: &'static str) -> ReplyKind {
    let command = detect::mask_secrets(dossier.cause.trigger.as_deref().unwrap_or_default());
    ReplyKind::Refused { command, needs }
}

/// An edit after a pass left its label (chapter 3).
fn freshness(issue: &Issue, record: &Record) -> Freshness {
    let passed = matches!(record.disposition, Disposition::Passed | Disposition::Overridden);
    if passed && issue.has_label(&stale_label(record.gate)) { Freshness::Stale } else { Freshness::Current }
}

fn state(stored: &StoredRecord, freshness: Freshness, returns: (u32, u32)) -> GateState {
    let record = &stored.record;
    GateState {
        disposition: record.disposition,
        freshness,
        verdict: record.verdict,
        triage_cause: record.triage_cause,
        seq: record.seq,
        returns,
        judged_at: record.judged_at,
        return_to: record.return_to,
        comment_url: stored.comment.as_ref().map(|comment| comment.url.clone()),
    }
}

/// The subject, where nothing holds it.
pub(super) fn running(dossier: &Dossier) -> Step<&Issue> {
    let issue = issue(dossier)?;
    not_paused(dossier, issue)?;
    Ok(issue)
}

/// `gate:pause` on the issue or its parent stops every effect, replies included (chapter 3).
pub(super) fn not_paused(dossier: &Dossier, issue: &Issue) -> Step<()> {
    if issue.has_label(PAUSE) {
        return Err(Box::new(Next::Hold));
    }
    let Some(number) = issue.parent.filter(|number| dossier.lane.is_some() && *number != issue.number) else {
        return Ok(());
    };
    match &dossier.facts.parent {
        None => Err(Box::new(Next::Need(vec![Fact::Parent(number)]))),
        Some(Some(parent)) if parent.has_label(PAUSE) => Err(Box::new(Next::Hold)),
        Some(_) => Ok(()),
    }
}

/// The subject, or the wish for it.
pub(super) fn issue(dossier: &Dossier) -> Step<&Issue> {
    dossier.facts.issue.as_ref().ok_or_else(|| Box::new(Next::Need(vec![Fact::Issue])))
}

/// The subject's records, or the wish for them.
pub(super) fn records(dossier: &Dossier) -> Step<&[StoredRecord]> {
    dossier.facts.records.as_deref().ok_or_else(|| Box::new(Next::Need(vec![Fact::Records])))
}
