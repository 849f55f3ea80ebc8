//! A run whose judge could not be asked looks again by itself, later each time, and its comment is edited to the verdict
//! (chapters 4 and 8). Its lane is free meanwhile: people may override, edit or pause.

use super::case::Case;
use crate::domain::effect::Effect;
use crate::domain::event::{Cause, CauseKind, UNJUDGED};
use crate::domain::reply::Unjudged;
use chrono::Duration;

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
    let dossier = case.dossier;
    dossier.lane.as_ref()?;
    let nth = nth(&dossier.cause).unwrap_or(0) + 1;
    if !why.may_mend() || nth > MOST {
        return None;
    }
    let minutes = 1_i64.checked_shl(nth - 1).unwrap_or(LONGEST).clamp(1, LONGEST);
    let soonest = dossier.now + Duration::minutes(minutes);
    let due = why.until().map_or(soonest, |until| until.max(soonest));
    let trigger = Some(format!("{UNJUDGED}{}:{nth}", case.rule.gate.id));
    let cause = Cause { kind: CauseKind::Sweep, trigger, source: None, ..dossier.cause.clone() };
    Some(Effect::Wake { number: case.issue.number, cause, due: Some(due) })
}

/// How often it looked again already; none = something else woke the run.
fn nth(cause: &Cause) -> Option<u32> {
    let rest = cause.trigger.as_deref().filter(|_| cause.kind == CauseKind::Sweep)?.strip_prefix(UNJUDGED)?;
    rest.rsplit_once(':')?.1.parse().ok()
}
