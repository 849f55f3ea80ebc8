//! `/gate override <id> --reason "…"`: a person lets a text go on, on a reason that stands in the record (chapter 3).
//!
//! It rewrites the newest record of the gate and is bound to its revision: a later edit voids it.

use super::super::{Step, ended, reply, trust};
use super::case::Case;
use super::conclude;
use super::fits;
use super::rule::{in_mode, passed, rule};
use crate::domain::contract::Mode;
use crate::domain::detect;
use crate::domain::effect::Effect;
use crate::domain::event::{Cause, CauseKind, LAPSED};
use crate::domain::ids::GateId;
use crate::domain::record::{Disposition, Override, Record, Trust};
use crate::domain::run::{Done, Dossier, Issue, Next, Permission};
use crate::domain::view::ReplyKind;
use chrono::{DateTime, Utc};

/// What the run of an override wants next.
pub(in super::super) fn next(dossier: &Dossier, gate: GateId, reason: &str, until: Option<DateTime<Utc>>) -> Next {
    ended(steps(dossier, gate, reason, until))
}

fn steps(dossier: &Dossier, gate: GateId, reason: &str, until: Option<DateTime<Utc>>) -> Step<Done> {
    let records = reply::records(dossier)?;
    let issue = reply::running(dossier)?;
    // What a gate only watched holds nobody up, and it leaves no trace.
    if rule(dossier, issue, gate).is_some_and(|rule| rule.gate.mode == Mode::Observe) {
        return Ok(Done::nothing("observed"));
    }
    let answer = |what, because| reply::answer(dossier, issue, what, because);
    // Only a person with write may: no App, however trusted, lets work go on.
    if !trust::has(dossier, &[], Permission::Write)? {
        return Ok(answer(reply::refused(dossier, "write"), "refused"));
    }
    let Some(rule) = rule(dossier, issue, gate) else {
        let declared = super::super::declared(&dossier.contracts);
        return Ok(answer(ReplyKind::NotDeclared { gate, declared }, "told"));
    };
    // The records of what a pull request reports stand at its issue.
    fits(dossier, issue, &rule)?;
    let mine = in_mode(records, gate, rule.gate.mode);
    let Some(newest) = mine.last().map(|stored| &stored.record) else {
        return Ok(answer(ReplyKind::NothingToOverride { gate }, "nothing to override"));
    };
    if is_this(newest, dossier) {
        // Its own traces: the record was rewritten, the labels perhaps not.
        let case = Case::open(dossier, issue, rule, records, mine, Trust::Trusted)?;
        let mut end = case.put_right(newest, "already recorded");
        end.effects.extend(until.map(|until| judged_anew(dossier, issue, gate, until)));
        return Ok(end);
    }
    if passed(newest, dossier.now) {
        return Ok(answer(ReplyKind::PassedAlready { gate }, "passed already"));
    }
    let case = Case::open(dossier, issue, rule, records, mine.clone(), Trust::Trusted)?;
    if newest.subject.revision != case.revision {
        return Ok(answer(ReplyKind::NothingToOverride { gate }, "nothing to override"));
    }
    let by = dossier.cause.actor.clone();
    let Some(by) = by else { return Ok(Done::nothing("nobody's word")) };
    let record = Record {
        disposition: Disposition::Overridden,
        triage_cause: None,
        return_to: None,
        overridden: Some(Override { by, reason: detect::mask_secrets(reason), at: dossier.cause.at, until }),
        ..newest.rewritten()
    };
    let view = conclude::view(&case, Vec::new(), Vec::new());
    let mut effects = vec![Effect::Verdict];
    effects.extend(case.check(&record, Vec::new()));
    effects.extend(case.labels(Disposition::Overridden));
    effects.extend(until.map(|until| judged_anew(dossier, issue, gate, until)));
    Ok(Done { record: Some(record), view: Some(view), at: case.subject.at, ..Done::effects(effects, "overridden") })
}

/// Once the time is over the gate looks again, on the trust of the record that it finds.
fn judged_anew(dossier: &Dossier, issue: &Issue, gate: GateId, until: DateTime<Utc>) -> Effect {
    let trigger = Some(format!("{LAPSED}{gate}"));
    let cause = Cause { kind: CauseKind::Sweep, trigger, source: None, ..dossier.cause.clone() };
    Effect::Wake { number: issue.number, cause, due: Some(until) }
}

/// Whether this very command made the override.
fn is_this(record: &Record, dossier: &Dossier) -> bool {
    let Some(made) = &record.overridden else { return false };
    record.disposition == Disposition::Overridden
        && made.at == dossier.cause.at
        && Some(&made.by) == dossier.cause.actor.as_ref()
}
