//! A run whose judge could not be asked looks again by itself, later each time, and its comment is edited to the verdict
//! (chapters 4 and 8). Its lane is free meanwhile: people may override, edit or pause.

use super::case::Case;
use crate::domain::effect::Effect;
use crate::domain::event::{Cause, CauseKind, UNJUDGED};
use crate::domain::ids::GateId;
use crate::domain::reply::Unjudged;
use crate::domain::run::{Dossier, Issue};
use chrono::{DateTime, Duration, Utc};

/// How often it looks again: at first after a minute, in the end every hour, for about two days.
const MOST: u32 = 48;
/// The longest time between two looks, in minutes.
const LONGEST: i64 = 60;

/// Whether the run was woken to complete what could not be judged.
pub(super) fn is_recovery(cause: &Cause) -> bool {
    nth(cause).is_some()
}

/// Wakes the same lane once asking makes sense again.
pub(super) fn later(case: &Case<'_>, why: &Unjudged) -> Option<Effect> {
    if why.may_mend() { again(case.dossier, case.issue, case.rule.gate.id, why.until()) } else { None }
}

/// Looks again, as often as it does; not before that time.
pub(super) fn again(dossier: &Dossier, issue: &Issue, gate: GateId, until: Option<DateTime<Utc>>) -> Option<Effect> {
    dossier.lane.as_ref()?;
    let nth = nth(&dossier.cause).unwrap_or(0).saturating_add(1);
    if nth > MOST {
        return None;
    }
    let due = due(nth, dossier.now, until);
    let trigger = Some(format!("{UNJUDGED}{gate}:{nth}"));
    let swept = Cause { kind: CauseKind::Sweep, trigger, source: None, ..dossier.cause.clone() };
    Some(Effect::Wake { number: issue.number, cause: swept, due: Some(due) })
}

/// When it looks for the n-th time: not before asking makes sense.
fn due(nth: u32, now: DateTime<Utc>, until: Option<DateTime<Utc>>) -> DateTime<Utc> {
    let doubled = 1_i64 << nth.saturating_sub(1).min(16);
    let soonest = now + Duration::minutes(doubled.min(LONGEST));
    until.map_or(soonest, |until| until.max(soonest))
}

/// How often it looked again already; none = something else woke the run.
fn nth(cause: &Cause) -> Option<u32> {
    let rest = cause.trigger.as_deref().filter(|_| cause.kind == CauseKind::Sweep)?.strip_prefix(UNJUDGED)?;
    rest.rsplit_once(':')?.1.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cause(kind: CauseKind, trigger: &str) -> Cause {
        let at = DateTime::UNIX_EPOCH;
        Cause { kind, trigger: Some(trigger.to_owned()), actor: None, source: None, at, pull: None }
    }

    #[test]
    fn it_looks_later_each_time_and_not_before_it_makes_sense() {
        let now = DateTime::UNIX_EPOCH;
        let check = |nth, until: Option<i64>, expect: i64| {
            let until = until.map(|minutes| now + Duration::minutes(minutes));
            assert_eq!((due(nth, now, until) - now).num_minutes(), expect, "{nth} {until:?}");
        };
        check(1, None, 1);
        check(2, None, 2);
        check(5, None, 16);
        check(7, None, 60);
        check(u32::MAX, None, 60);
        check(1, Some(600), 600);
        check(4, Some(2), 8);
        let all: i64 = (1..=MOST).map(|nth| (due(nth, now, None) - now).num_minutes()).sum();
        assert!((40 * 60..50 * 60).contains(&all), "about two days: {all} minutes");
    }

    #[test]
    fn only_its_own_sweep_is_a_recovery() {
        assert!(is_recovery(&cause(CauseKind::Sweep, "unjudged:start:3")));
        for (kind, trigger) in [
            (CauseKind::Label, "unjudged:start:3"),
            (CauseKind::Command, "unjudged:start:3"),
            (CauseKind::Sweep, "override:start"),
            (CauseKind::Sweep, "unjudged:start"),
            (CauseKind::Sweep, "unjudged:start:many"),
        ] {
            assert!(!is_recovery(&cause(kind, trigger)), "{kind:?} {trigger}");
        }
    }
}
