//! The five hand-off gates as one pure, resumable `next` (chapter 3). This version judges acceptance and start, and on the
//! command line outcome: which report an issue has is not found out yet.

mod brief;
mod conclude;
mod derive;
mod draft;
mod link;
mod parent;
mod preflight;

use super::labels::{Labelling, capped, drop_trigger, stale};
use super::{Ask, Step, declared, done, ended, in_force, reply, trust};
use crate::domain::contract::{Contract, Gate, OpenTo, RejudgeOnEdit};
use crate::domain::effect::Effect;
use crate::domain::event::{CauseKind, PAUSE};
use crate::domain::finding::Reference;
use crate::domain::ids::{GateId, IssueNumber, Revision, RunId};
use crate::domain::record::{Asked, Disposition, Part, Record, Standing, State, Trust, fold, revision, standing};
use crate::domain::run::{Contracts, Done, Dossier, Fact, Issue, Next, Permission, StoredRecord};
use crate::domain::text::Document;
use crate::domain::view::ReplyKind;

/// What the run of a hand-off gate wants next.
pub(super) fn next(dossier: &Dossier, gate: GateId, ask: Ask) -> Next {
    ended(steps(dossier, gate, ask))
}

/// The ⚪ record of a run that the world refuses for good, where its subject and contract are known.
pub(super) fn give_up(dossier: &Dossier, gate: GateId, ask: Ask, error: &str, attempts: u32) -> Option<Done> {
    let records = dossier.facts.records.as_deref()?;
    let issue = dossier.facts.issue.as_ref()?;
    let rule = rule(dossier, issue, gate)?;
    let mine = of_gate(records, gate);
    if ask == Ask::Reconsider && mine.is_empty() {
        return None;
    }
    wanted_anew(&rule, &mine, ask).ok()?;
    let trust = rule.trust(dossier, &mine, ask).ok().flatten()?;
    fits(dossier, issue, &rule).ok()?;
    let case = Case::open(dossier, issue, rule, records, mine, trust).ok()?;
    // Where the run would have judged nothing, there is no verdict to miss.
    settled(&case, ask).ok()?;
    match case.standing(ask) {
        Standing::New { attempt } => Some(conclude::gave_up(&case, attempt, error, attempts)),
        Standing::Unchanged(_) | Standing::Completes(_) => None,
    }
}

fn steps(dossier: &Dossier, gate: GateId, ask: Ask) -> Step<Done> {
    let records = reply::records(dossier)?;
    let mine = of_gate(records, gate);
    if ask == Ask::Reconsider && mine.is_empty() {
        return done(Done::nothing("never judged here"));
    }
    let issue = reply::issue(dossier)?;
    still_wanted(dossier, issue)?;
    if let Contracts::Broken { .. } = &dossier.contracts {
        return broken(dossier, issue, gate, records, &mine, ask);
    }
    let Some(rule) = rule(dossier, issue, gate) else { return undeclared(dossier, issue, gate) };
    wanted_anew(&rule, &mine, ask)?;
    let Some(trust) = rule.trust(dossier, &mine, ask)? else { return refuse(dossier, issue, ask) };
    fits(dossier, issue, &rule)?;
    let case = Case::open(dossier, issue, rule, records, mine, trust)?;
    settled(&case, ask)?;
    let attempt = match case.standing(ask) {
        Standing::Unchanged(record) => return Ok(case.put_right(record.disposition, "unchanged")),
        Standing::New { attempt } => attempt,
        Standing::Completes(record) => record.attempt,
    };
    judge(&case, attempt, ask)
}

/// Preflight, then the judges, then the verdict.
fn judge(case: &Case<'_>, attempt: u64, ask: Ask) -> Step<Done> {
    let body = Document::parse(&case.issue.body);
    let missing = preflight::check(&case.rule.gate.fields, &body);
    if !missing.is_empty() {
        return Ok(conclude::returned_by_preflight(case, attempt, missing, ask));
    }
    if !case.rule.gate.enabled {
        return Ok(not_enabled(case, ask));
    }
    let brief = brief::write(case);
    match case.dossier.facts.answers.first() {
        Some(answer) => Ok(conclude::judged(case, attempt, &brief, answer, ask)),
        None => Err(Box::new(Next::Ask(vec![brief]))),
    }
}

/// A label cause whose label is gone is cancelled; `gate:pause` on the issue or its parent holds everything.
fn still_wanted(dossier: &Dossier, issue: &Issue) -> Step<()> {
    let trigger = dossier.cause.trigger.as_deref().unwrap_or_default();
    if dossier.cause.kind == CauseKind::Label && !issue.has_label(trigger) {
        return done(Done::nothing("label gone"));
    }
    reply::not_paused(dossier, issue)
}

/// Whether an edit is a reason to look again (`rejudge_on_edit`).
fn wanted_anew(rule: &Rule<'_>, mine: &[&StoredRecord], ask: Ask) -> Step<()> {
    let Some(newest) = mine.last().filter(|_| ask == Ask::Reconsider) else { return Ok(()) };
    let wanted = match (newest.record.disposition, rule.gate.rejudge_on_edit) {
        (_, RejudgeOnEdit::Never) | (Disposition::Triage | Disposition::NotJudged, _) => false,
        (Disposition::Returned | Disposition::Passed | Disposition::Overridden, _) => true,
    };
    if wanted { Ok(()) } else { done(Done::nothing("an edit changes nothing here")) }
}

/// Gates that cannot run on this subject, or not yet, get one short reply.
fn fits(dossier: &Dossier, issue: &Issue, rule: &Rule<'_>) -> Step<()> {
    let gate = rule.gate.id;
    let what = if issue.is_pull_request && gate != GateId::Outcome {
        ReplyKind::WrongSubject { gate }
    } else if is_built(gate, dossier) {
        return Ok(());
    } else {
        ReplyKind::NotBuilt { gate }
    };
    done(told(dossier, issue, what, &rule.gate.label))
}

/// Outcome is judged where the report is given; finding it in a repository is not built.
fn is_built(gate: GateId, dossier: &Dossier) -> bool {
    match gate {
        GateId::Acceptance | GateId::Start => true,
        GateId::Outcome => dossier.lane.is_none(),
        _ => false,
    }
}

/// What ends a run before anything is judged: its own traces, the cap, a stale pass.
fn settled(case: &Case<'_>, ask: Ask) -> Step<()> {
    let newest = case.mine.last().map(|stored| &stored.record);
    if let Some(newest) = newest.filter(|record| record.verdict.is_some() && made_by(&case.dossier.run, record)) {
        let mut end = case.put_right(newest.disposition, "already recorded");
        end.effects.splice(0..0, minimise(case.mine.iter().rev().nth(1).copied()));
        return done(end);
    }
    if ask == Ask::Reconsider && newest.is_some_and(passed) {
        let newest = newest.filter(|record| record.subject.revision == case.revision);
        if let Some(newest) = newest {
            return done(case.put_right(newest.disposition, "passed text stands"));
        }
        if case.rule.gate.rejudge_on_edit == RejudgeOnEdit::Returned {
            let effects = stale(case.issue, case.rule.gate.id);
            return done(Done { record: None, view: None, effects, because: "stale" });
        }
    }
    if ask != Ask::Retry && case.state.returns >= case.rule.contract.max_iterations_per_gate {
        return done(at_the_cap(case));
    }
    Ok(())
}

/// At the cap nothing is judged: a label is exchanged, an edit does nothing, a command is told what lifts it.
fn at_the_cap(case: &Case<'_>) -> Done {
    let gate = case.rule.gate;
    let mut effects = match case.dossier.cause.kind {
        CauseKind::Edit => return Done::nothing("capped"),
        CauseKind::Command => {
            let what = ReplyKind::Capped { gate: gate.id, returns: case.state.returns };
            reply::answer(case.dossier, case.issue, what, "capped").effects
        }
        _ => Vec::new(),
    };
    effects.extend(capped(case.issue, &gate.label, case.cause_label()));
    Done { record: None, view: None, effects, because: "capped" }
}

/// Preflight found nothing missing, and `enabled_gates` asks for no more.
fn not_enabled(case: &Case<'_>, ask: Ask) -> Done {
    let gate = case.rule.gate;
    let returned = format!("gate:{}-returned", gate.id);
    let stands = case.issue.has_label(&returned);
    // No record says that the fields are there now, so each further edit comes here again: it is said once.
    if ask == Ask::Reconsider && !stands {
        return Done::nothing("not enabled");
    }
    let mut end = told(case.dossier, case.issue, ReplyKind::NotEnabled { gate: gate.id }, &gate.label);
    if stands {
        end.effects.insert(1, Effect::RemoveLabel(returned));
    }
    end
}

/// No contract in force declares the gate: built-ins fill no gaps.
fn undeclared(dossier: &Dossier, issue: &Issue, gate: GateId) -> Step<Done> {
    let apps: Vec<String> =
        in_force(&dossier.contracts, issue).into_iter().flat_map(|contract| contract.trusted_apps.clone()).collect();
    if !trust::has(dossier, &apps, Permission::Triage)? {
        return refuse(dossier, issue, Ask::Judge);
    }
    let what = ReplyKind::NotDeclared { gate, declared: declared(&dossier.contracts) };
    Ok(told(dossier, issue, what, &format!("gate:{gate}")))
}

/// A contract with errors judges nothing; the comment shows them (chapter 2).
fn broken(
    dossier: &Dossier,
    issue: &Issue,
    gate: GateId,
    records: &[StoredRecord],
    mine: &[&StoredRecord],
    ask: Ask,
) -> Step<Done> {
    if ask == Ask::Reconsider {
        return done(Done::nothing("an edit changes nothing under a broken contract"));
    }
    let needs = if ask == Ask::Retry { Permission::Write } else { Permission::Triage };
    if !trust::has(dossier, &[], needs)? {
        return refuse(dossier, issue, ask);
    }
    Ok(conclude::broken(dossier, issue, gate, records, mine))
}

/// A label of somebody who may not trigger does nothing; a command gets one short reply.
fn refuse(dossier: &Dossier, issue: &Issue, ask: Ask) -> Step<Done> {
    if dossier.cause.kind != CauseKind::Command {
        return done(Done::nothing("not trusted"));
    }
    let needs = if ask == Ask::Retry { "write" } else { "triage" };
    Ok(reply::answer(dossier, issue, reply::refused(dossier, needs), "refused"))
}

/// A short reply, and the trigger label goes.
fn told(dossier: &Dossier, issue: &Issue, what: ReplyKind, trigger: &str) -> Done {
    let mut end = reply::answer(dossier, issue, what, "told");
    end.effects.extend(drop_trigger(issue, trigger, cause_label(dossier)));
    end
}

/// Whether this run made the record. One without a verdict is no trace to end at: its job was taken up again to complete
/// it, and where the question has changed meanwhile, the run's further record has an id of its own.
fn made_by(run: &RunId, record: &Record) -> bool {
    record.run.as_str().strip_prefix(run.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn passed(record: &Record) -> bool {
    matches!(record.disposition, Disposition::Passed | Disposition::Overridden)
}

fn cause_label(dossier: &Dossier) -> Option<&str> {
    dossier.cause.trigger.as_deref().filter(|_| dossier.cause.kind == CauseKind::Label)
}

fn of_gate(records: &[StoredRecord], gate: GateId) -> Vec<&StoredRecord> {
    records.iter().filter(|stored| stored.record.gate == gate).collect()
}

/// The contract and its gate that judge.
#[derive(Clone, Copy)]
struct Rule<'a> {
    contract: &'a Contract,
    gate: &'a Gate,
}

fn rule<'a>(dossier: &'a Dossier, issue: &Issue, gate: GateId) -> Option<Rule<'a>> {
    let contracts = in_force(&dossier.contracts, issue);
    contracts.into_iter().find_map(|contract| contract.gate(gate).map(|gate| Rule { contract, gate }))
}

impl Rule<'_> {
    /// Whose word the run stands on: an edit stands on that of the record it follows.
    fn trust(&self, dossier: &Dossier, mine: &[&StoredRecord], ask: Ask) -> Step<Option<Trust>> {
        match ask {
            Ask::Reconsider => {
                let open = self.gate.open_to == OpenTo::Anyone;
                let trust = mine.last().map(|stored| stored.record.cause.trust);
                // A gate that was open to anyone and is no longer stands on nobody's word.
                Ok(trust.filter(|trust| open || *trust == Trust::Trusted))
            }
            Ask::Retry => {
                let may = trust::has(dossier, &self.contract.trusted_apps, Permission::Write)?;
                Ok(may.then_some(Trust::Trusted))
            }
            Ask::Judge => trust::of(dossier, &self.contract.trusted_apps, self.gate.open_to),
        }
    }
}

/// One question at one gate, with all that decides whether it is a new one.
struct Case<'a> {
    dossier: &'a Dossier,
    issue: &'a Issue,
    rule: Rule<'a>,
    records: &'a [StoredRecord],
    mine: Vec<&'a StoredRecord>,
    trust: Trust,
    /// What the subject is judged against.
    reference: Option<Reference>,
    revision: Revision,
    state: State,
}

impl<'a> Case<'a> {
    fn open(
        dossier: &'a Dossier,
        issue: &'a Issue,
        rule: Rule<'a>,
        records: &'a [StoredRecord],
        mine: Vec<&'a StoredRecord>,
        trust: Trust,
    ) -> Step<Self> {
        let reference = match rule.gate.id {
            GateId::Start => parent_part(dossier, issue, rule.gate)?,
            GateId::Outcome => given(dossier, "issue"),
            _ => None,
        };
        let revision = revision_of(rule.gate.id, issue, reference.as_ref());
        let state = fold(mine.iter().map(|stored| &stored.record), &rule.contract.blob);
        Ok(Self { dossier, issue, rule, records, mine, trust, reference, revision, state })
    }

    fn standing(&self, ask: Ask) -> Standing<'a> {
        let records: Vec<&'a Record> = self.mine.iter().map(|stored| &stored.record).collect();
        let blob = &self.rule.contract.blob;
        let retry = ask == Ask::Retry;
        standing(&records, Asked { revision: &self.revision, blob, trust: self.trust, retry })
    }

    /// Labels as this disposition wants them, and nothing else.
    fn put_right(&self, disposition: Disposition, because: &'static str) -> Done {
        Done { record: None, view: None, effects: self.labels(disposition), because }
    }

    fn labels(&self, disposition: Disposition) -> Vec<Effect> {
        label_effects(self.dossier, self.issue, self.rule.gate.id, &self.rule.gate.label, self.records, disposition)
    }

    fn cause_label(&self) -> Option<&str> {
        cause_label(self.dossier)
    }
}

/// The comment of a superseded record is hidden once the new one stands.
fn minimise(superseded: Option<&StoredRecord>) -> Option<Effect> {
    let comment = superseded?.comment.as_ref()?;
    Some(Effect::Minimise(comment.node.clone()))
}

fn label_effects(
    dossier: &Dossier,
    issue: &Issue,
    gate: GateId,
    trigger: &str,
    records: &[StoredRecord],
    disposition: Disposition,
) -> Vec<Effect> {
    let mut others: Vec<&Record> = Vec::new();
    for stored in records.iter().filter(|stored| stored.record.gate != gate) {
        others.retain(|record| record.gate != stored.record.gate);
        others.push(&stored.record);
    }
    Labelling { issue, gate, disposition, others, trigger, cause: cause_label(dossier) }.effects()
}

/// The parts of chapter 10.
fn revision_of(gate: GateId, issue: &Issue, reference: Option<&Reference>) -> Revision {
    let (mut parts, role) = match gate {
        GateId::Outcome => (vec![Part::named("report", &issue.url, &issue.body)], "issue"),
        _ => (vec![Part::new("title", &issue.title), Part::new("body", &issue.body)], "parent"),
    };
    parts.extend(reference.map(|one| Part::named(role, &one.id, &one.text)));
    revision(gate, &parts)
}

/// The reference text that the command line gave.
fn given(dossier: &Dossier, role: &str) -> Option<Reference> {
    let text = dossier.facts.against.clone()?;
    Some(Reference { role: role.to_owned(), id: String::new(), text })
}

/// What the child names of its parent; the parent's own `gate:pause` holds the child too.
fn parent_part(dossier: &Dossier, issue: &Issue, gate: &Gate) -> Step<Option<Reference>> {
    if let Some(given) = given(dossier, "parent") {
        return Ok(Some(given));
    }
    let body = Document::parse(&issue.body);
    let Some(number) = parent::number(issue, gate, &body).filter(|number| *number != issue.number) else {
        return Ok(None);
    };
    match &dossier.facts.parent {
        None if dossier.lane.is_none() => Ok(None),
        None => Err(Box::new(Next::Need(vec![Fact::Parent(number)]))),
        Some(None) => Ok(None),
        Some(Some(parent)) if parent.has_label(PAUSE) => Err(Box::new(Next::Hold)),
        Some(Some(parent)) => Ok(parent_text(number, gate, &body, parent)),
    }
}

fn parent_text(number: IssueNumber, gate: &Gate, body: &Document, parent: &Issue) -> Option<Reference> {
    let text = parent::requirement(gate, body, &parent.body)?;
    Some(Reference { role: "parent".to_owned(), id: format!("#{number}"), text })
}

#[cfg(test)]
mod tests;
