//! The five hand-off gates as one pure, resumable `next` (chapter 3).

mod answers;
mod axis;
mod brief;
mod cap;
mod case;
mod children;
mod conclude;
mod consult;
mod derive;
mod draft;
mod evidence;
mod filing;
mod integration;
mod judged;
mod link;
mod overriding;
mod parent;
mod preflight;
mod recover;
mod report;
mod rule;
mod split;
mod subject;

pub(super) use answers::next as answered;
pub(in crate::domain) use children::kept as kept_children;
pub(super) use overriding::next as overridden;
pub(in crate::domain) use split::is_unfinished;

use self::case::{Case, minimise};
use self::report::reported_on;
use self::rule::{Rule, cause_label, chain, in_mode, lapsed, made_by, passed, rule};
use super::labels::{capped, drop_trigger, is_trigger, stale};
use super::{Ask, Step, declared, done, ended, in_force, relay, reply, trust};
use crate::domain::contract::{Mode, RejudgeOnEdit};
use crate::domain::effect::Effect;
use crate::domain::event::{CauseKind, DEPENDENCIES};
use crate::domain::ids::GateId;
use crate::domain::record::{Disposition, Record, Standing};
use crate::domain::run::{Contracts, Done, Dossier, Fact, Issue, Next, Permission, StoredRecord};
use crate::domain::view::ReplyKind;

/// What the run of a hand-off gate wants next.
pub(super) fn next(dossier: &Dossier, gate: GateId, ask: Ask) -> Next {
    match ended(steps(dossier, gate, ask)) {
        Next::Done(mut done) => {
            unseen(dossier, gate, &mut done);
            Next::Done(done)
        }
        more => more,
    }
}

/// A gate that only watches leaves its record and takes its trigger label away. Whatever its steps meant to write
/// beside that, a reply or a label, goes here, in one place (`mode: observe`, chapter 2).
fn unseen(dossier: &Dossier, gate: GateId, end: &mut Done) {
    // On the command line nobody is written to.
    let subject = dossier.facts.issue.as_ref().filter(|_| dossier.lane.is_some());
    let Some(rule) = subject.and_then(|issue| rule(dossier, issue, gate)) else { return };
    if rule.gate.mode == Mode::Observe {
        let cause = cause_label(dossier);
        let stays = |effect: &Effect| match effect {
            Effect::RemoveLabel(name) => is_trigger(name, &rule.gate.label, cause),
            // That it looks again later is seen by nobody.
            Effect::Wake { number, .. } => dossier.facts.issue.as_ref().is_some_and(|issue| issue.number == *number),
            _ => false,
        };
        end.effects.retain(stays);
    }
}

/// The ⚪ record of a run that the world refuses for good, where its subject and contract are known.
pub(super) fn give_up(dossier: &Dossier, gate: GateId, ask: Ask, error: &str, attempts: u32) -> Option<Done> {
    let records = dossier.facts.records.as_deref()?;
    let issue = dossier.facts.issue.as_ref()?;
    let rule = rule(dossier, issue, gate)?;
    let mine = in_mode(records, gate, rule.gate.mode);
    if ask == Ask::Reconsider && mine.is_empty() {
        return None;
    }
    wanted_anew(dossier, &rule, &mine, ask).ok()?;
    let trust = rule.trust(dossier, &mine, ask).ok().flatten()?;
    fits(dossier, issue, &rule).ok()?;
    open_now(dossier, issue, &rule, &mine, ask).ok()?;
    let case = Case::open(dossier, issue, rule, records, mine, trust).ok()?;
    // Where the run would have judged nothing, there is no verdict to miss.
    settled(&case, ask).ok()?;
    let Standing::New { attempt } = case.standing(ask) else { return None };
    let mut end = conclude::gave_up(&case, attempt, error, attempts);
    unseen(dossier, gate, &mut end);
    Some(end)
}

fn steps(dossier: &Dossier, gate: GateId, ask: Ask) -> Step<Done> {
    let records = reply::records(dossier)?;
    let never = || done(Done::nothing("never judged here"));
    if ask == Ask::Reconsider && chain(records, gate).next().is_none() {
        return never();
    }
    let issue = reply::issue(dossier)?;
    still_wanted(dossier, issue)?;
    if let Contracts::Broken { .. } = &dossier.contracts {
        if dossier.cause.kind == CauseKind::Check {
            return done(Done::nothing("a button under a broken contract"));
        }
        if recover::is_recovery(&dossier.cause) {
            let again = recover::again(dossier, issue, gate, None).into_iter().collect();
            return done(Done::effects(again, "a broken contract judges nothing"));
        }
        return broken(dossier, issue, gate, records, &in_mode(records, gate, Mode::Enforce), ask);
    }
    let rule = rule(dossier, issue, gate);
    // A button asks for what stands again. "All checks again" is pressed where this gate never spoke.
    if dossier.cause.kind == CauseKind::Check && !issue.is_pull_request {
        let spoke = rule.is_some_and(|rule| !in_mode(records, gate, rule.gate.mode).is_empty());
        if !spoke {
            return never();
        }
    }
    let Some(rule) = rule else {
        let asked = !recover::is_recovery(&dossier.cause);
        return if asked { undeclared(dossier, issue, gate) } else { never() };
    };
    // Whose word a report, or a pressed button, stands on is asked where it is judged: in the lane of its issue.
    if ask == Ask::Reported || dossier.cause.kind == CauseKind::Check {
        fits(dossier, issue, &rule)?;
    }
    let mine = in_mode(records, gate, rule.gate.mode);
    let ask = if edits_a_pass(dossier, issue, &mine, ask)? { Ask::Reconsider } else { ask };
    if ask == Ask::Reconsider && mine.is_empty() {
        return never();
    }
    wanted_anew(dossier, &rule, &mine, ask)?;
    let Some(trust) = rule.trust(dossier, &mine, ask)? else { return refuse(dossier, issue, ask) };
    fits(dossier, issue, &rule)?;
    open_now(dossier, issue, &rule, &mine, ask)?;
    let case = Case::open(dossier, issue, rule, records, mine, trust)?;
    filing::finish(&case)?;
    settled(&case, ask)?;
    let attempt = match case.standing(ask) {
        Standing::Unchanged(record) => return Ok(case.put_right(record, "unchanged")),
        Standing::New { attempt } => attempt,
        Standing::Completes(record) => record.attempt,
    };
    consult::judge(&case, attempt, ask)
}

/// A label cause whose label is gone is cancelled; `gate:pause` on the issue or its parent holds everything.
fn still_wanted(dossier: &Dossier, issue: &Issue) -> Step<()> {
    let trigger = dossier.cause.trigger.as_deref().unwrap_or_default();
    if dossier.cause.kind == CauseKind::Label && !bears(dossier, issue)?.has_label(trigger) {
        return done(Done::nothing("label gone"));
    }
    reply::not_paused(dossier, issue)
}

/// What bears the labels: the pull request that woke the issue, else the issue itself.
fn bears<'a>(dossier: &'a Dossier, issue: &'a Issue) -> Step<&'a Issue> {
    let Some(pull) = dossier.cause.pull else { return Ok(issue) };
    match dossier.facts.issues.get(&pull) {
        None => Err(Box::new(Next::Need(vec![Fact::Issues(vec![pull])]))),
        Some(None) => done(Done::nothing("the pull request is gone")),
        Some(Some(pull)) => Ok(pull),
    }
}

/// What nobody asked for by name happens only where it is due: a report is judged while outcome is open, children that
/// changed are judged again after a split, and integration starts when the last of them is closed (chapter 3).
fn open_now(dossier: &Dossier, issue: &Issue, rule: &Rule<'_>, mine: &[&StoredRecord], ask: Ask) -> Step<()> {
    let stands = |gate| -> Option<bool> {
        let records = dossier.facts.records.as_deref()?;
        Some(chain(records, gate).next_back().is_some_and(|stored| passed(&stored.record, dossier.now)))
    };
    let newest = mine.last().map(|stored| &stored.record);
    // A run that finds its own record goes on to what is still to be done beside it.
    if newest.is_some_and(|record| made_by(&dossier.run, record)) {
        return Ok(());
    }
    match ask {
        Ask::Reported => {
            let starts = rule.contract.gate(GateId::Start).is_none() || stands(GateId::Start) == Some(true);
            if !starts {
                return done(Done::nothing("outcome is not open"));
            }
        }
        Ask::Children if rule.gate.id == GateId::Split => {
            let Some(newest) = newest.filter(|record| split::is_filed(record)) else {
                return done(Done::nothing("no children were filed"));
            };
            let children = split::current(dossier, issue, Some(newest))?;
            let now: Vec<_> = children.iter().map(|child| Some(child.issue.number)).collect();
            let then: Vec<_> = newest.children.iter().map(|child| child.number).collect();
            let same = now.len() == then.len() && now.iter().all(|number| then.contains(number));
            if same && dossier.cause.trigger.as_deref() != Some(DEPENDENCIES) {
                return done(Done::nothing("the same children"));
            }
        }
        Ask::Children if !integration::all_settled(dossier, issue)? => {
            return done(Done::nothing("children are open"));
        }
        _ => {}
    }
    Ok(())
}

/// Whether what woke the run can only be an edit after a pass: a report is open to be judged no more, and a child that is
/// opened again undoes an integration.
fn edits_a_pass(dossier: &Dossier, issue: &Issue, mine: &[&StoredRecord], ask: Ask) -> Step<bool> {
    let Some(newest) = mine.last().map(|stored| &stored.record) else { return Ok(false) };
    if !passed(newest, dossier.now) || made_by(&dossier.run, newest) {
        return Ok(false);
    }
    match (ask, newest.gate) {
        (Ask::Reported, _) => Ok(true),
        (Ask::Children, GateId::Integration) => Ok(!integration::all_settled(dossier, issue)?),
        _ => Ok(false),
    }
}

/// Whether an edit is a reason to look again (`rejudge_on_edit`).
fn wanted_anew(dossier: &Dossier, rule: &Rule<'_>, mine: &[&StoredRecord], ask: Ask) -> Step<()> {
    let Some(newest) = mine.last().filter(|_| ask == Ask::Reconsider) else { return Ok(()) };
    if recover::is_recovery(&dossier.cause) {
        return Ok(());
    }
    // A run that a crash interrupted finds its own record, whatever came of it.
    if newest.record.verdict.is_some() && made_by(&dossier.run, &newest.record) {
        return Ok(());
    }
    // What is filed but not numbered yet is finished, whoever comes by.
    if split::is_unfinished(&newest.record) {
        return Ok(());
    }
    if lapsed(&newest.record, dossier.now) {
        return Ok(());
    }
    let wanted = match (newest.record.disposition, rule.gate.rejudge_on_edit) {
        (_, RejudgeOnEdit::Never) | (Disposition::Triage | Disposition::NotJudged, _) => false,
        (Disposition::Returned | Disposition::Passed | Disposition::Overridden, _) => true,
    };
    if wanted { Ok(()) } else { done(Done::nothing("an edit changes nothing here")) }
}

/// Whether it is a pull request that reports on one issue.
pub(super) fn reports(issue: &Issue) -> bool {
    issue.is_pull_request && reported_on(&issue.body).len() == 1
}

/// A pull request reports on an issue, which is woken; at every other gate it gets one short reply.
fn fits(dossier: &Dossier, issue: &Issue, rule: &Rule<'_>) -> Step<()> {
    let gate = rule.gate.id;
    if !issue.is_pull_request || dossier.lane.is_none() {
        return Ok(());
    }
    if gate != GateId::Outcome {
        return done(told(dossier, issue, ReplyKind::WrongSubject { gate }, &rule.gate.label));
    }
    let found = reported_on(&issue.body);
    if let [child] = found[..] {
        return done(Done::effects(vec![relay::to_child(dossier, issue.number, child)], "its issue woken"));
    }
    // Somebody who asked is told; a pull request that reports on nothing is nobody's business.
    match dossier.cause.kind {
        CauseKind::Label | CauseKind::Command => {
            done(told(dossier, issue, ReplyKind::ChildUnclear { found }, &rule.gate.label))
        }
        _ => done(Done::nothing("reports on no one issue")),
    }
}

/// What ends a run before anything is judged: its own traces, the cap, a stale pass.
fn settled(case: &Case<'_>, ask: Ask) -> Step<()> {
    let newest = case.mine.last().map(|stored| &stored.record);
    if let Some(newest) = newest.filter(|record| record.verdict.is_some() && made_by(&case.dossier.run, record)) {
        let mut end = case.put_right(newest, "already recorded");
        end.effects.splice(0..0, minimise(case.mine.iter().rev().nth(1).copied()));
        return done(end);
    }
    if let Some(newest) = newest.filter(|newest| recover::is_recovery(&case.dossier.cause) && is_settled(newest)) {
        // Whoever judged it meanwhile, or let it go on, has settled it; or this very run has, before a crash.
        let same = newest.subject.revision == case.revision;
        return done(if same { case.put_right(newest, "judged meanwhile") } else { Done::nothing("judged meanwhile") });
    }
    if ask == Ask::Reconsider && newest.is_some_and(|record| passed(record, case.dossier.now)) {
        // Another report than the one that passed: outcome is not open.
        if case.subject.url.is_some() && newest.is_some_and(|record| record.subject.url != case.subject.url) {
            return done(Done::nothing("outcome is not open"));
        }
        // What a split filed is judged by itself from then on; its plan and parent still are what passed.
        let stands = [Some(&case.revision), case.subject.filed_from.as_ref()];
        let same = newest.filter(|record| stands.contains(&Some(&record.subject.revision)));
        if let Some(newest) = same {
            return done(case.put_right(newest, "passed text stands"));
        }
        // What a person let go on is bound to its text: an edit voids that, and the new text is judged.
        let overridden = newest.is_some_and(|record| record.disposition == Disposition::Overridden);
        if !overridden && case.rule.gate.rejudge_on_edit == RejudgeOnEdit::Returned {
            let effects = stale(case.stands_on(), case.rule.gate.id);
            return done(Done { at: case.subject.at, ..Done::effects(effects, "stale") });
        }
    }
    if ask != Ask::Retry && case.state.returns >= case.rule.contract.max_iterations_per_gate {
        return done(at_the_cap(case));
    }
    Ok(())
}

/// Whether judging again would complete nothing.
fn is_settled(record: &Record) -> bool {
    record.verdict.is_some() || record.disposition != Disposition::NotJudged
}

/// At the cap nothing is judged: a label is exchanged, an edit does nothing, a command is told what lifts it.
fn at_the_cap(case: &Case<'_>) -> Done {
    let gate = case.rule.gate;
    let mut effects = match case.dossier.cause.kind {
        CauseKind::Edit | CauseKind::Report | CauseKind::Child => return Done::nothing("capped"),
        CauseKind::Command => {
            let what = ReplyKind::Capped { gate: gate.id, returns: case.state.returns };
            reply::answer(case.dossier, case.issue, what, "capped").effects
        }
        _ => Vec::new(),
    };
    // A button that was pressed: the check run says what stands.
    let newest = case.mine.last().map(|stored| &stored.record);
    effects.extend(newest.and_then(|record| case.check(record, Vec::new())));
    effects.extend(capped(case.stands_on(), &gate.label, case.cause_label()));
    Done { at: case.subject.at, ..Done::effects(effects, "capped") }
}

/// Preflight found nothing missing, and `enabled_gates` asks for no more.
fn not_enabled(case: &Case<'_>, ask: Ask) -> Done {
    let gate = case.rule.gate;
    let returned = format!("gate:{}-returned", gate.id);
    let stands = case.stands_on().has_label(&returned);
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
    if dossier.cause.kind == CauseKind::Check {
        return done(Done::nothing("not declared"));
    }
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
    let pull = dossier.cause.pull;
    let bears = pull.and_then(|number| dossier.facts.issues.get(&number)?.as_ref()).unwrap_or(issue);
    end.effects.extend(drop_trigger(bears, trigger, cause_label(dossier)));
    end
}

#[cfg(test)]
mod tests;
