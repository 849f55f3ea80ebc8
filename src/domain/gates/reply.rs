//! Commands that end in a short reply, and what such a reply is made of.

use super::labels::stale_label;
use super::{Step, ended, in_force, is_observed, spoken};
use crate::domain::contract::Mode;
use crate::domain::detect;
use crate::domain::effect::{ChildFooter, Effect};
use crate::domain::event::PAUSE;
use crate::domain::ids::{GateId, IssueNumber};
use crate::domain::record::{Disposition, Record, fold};
use crate::domain::run::{Comment, Done, Dossier, Fact, Issue, Next, StoredRecord};
use crate::domain::view::{Freshness, GateState, GateStatus, Reply, ReplyKind};

/// The end of a run that only answers, where it was asked: in the pull request that woke the issue.
pub(super) fn answer(dossier: &Dossier, issue: &Issue, what: ReplyKind, because: &'static str) -> Done {
    let reply = Reply { language: spoken(dossier, issue), what };
    Done { at: dossier.cause.pull, ..Done::effects(vec![Effect::Reply(reply)], because) }
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

/// `/gate override` without a gate or a reason.
pub(super) fn bad_override(dossier: &Dossier) -> Next {
    let command = detect::mask_secrets(dossier.cause.trigger.as_deref().unwrap_or_default());
    ended(running(dossier).map(|issue| answer(dossier, issue, ReplyKind::BadOverride { command }, "bad override")))
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
    let Some(number) = parent_of(dossier, issue).filter(|_| dossier.lane.is_some()) else {
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

/// The comments of an issue or pull request, or the wish for them.
pub(super) fn comments(dossier: &Dossier, number: IssueNumber) -> Step<&[Comment]> {
    let known = dossier.facts.comments.get(&number).map(Vec::as_slice);
    known.ok_or_else(|| Box::new(Next::Need(vec![Fact::Comments(number)])))
}

/// Whether the App wrote that comment.
pub(super) fn is_ours(dossier: &Dossier, comment: &Comment) -> bool {
    let Some(app) = &dossier.app else { return false };
    comment.app == Some(app.id) || comment.author.as_ref().is_some_and(|author| app.is(author))
}

/// The footer of a child that this App filed; anybody may write such a line, and only ours counts.
pub(super) fn filed_by_us(dossier: &Dossier, issue: &Issue) -> Option<ChildFooter> {
    let app = dossier.app.as_ref()?;
    issue.author.as_ref().filter(|author| app.is(author))?;
    ChildFooter::of(&issue.body)
}

/// The number of the parent: GitHub's own link, else the footer of a child that this App filed.
pub(super) fn parent_of(dossier: &Dossier, issue: &Issue) -> Option<IssueNumber> {
    let linked = issue.parent.or_else(|| Some(filed_by_us(dossier, issue)?.parent));
    linked.filter(|number| *number != issue.number)
}

/// The subject's records, or the wish for them.
pub(super) fn records(dossier: &Dossier) -> Step<&[StoredRecord]> {
    dossier.facts.records.as_deref().ok_or_else(|| Box::new(Next::Need(vec![Fact::Records])))
}
