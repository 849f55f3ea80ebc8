//! A run that only wakes another lane: a child that closed wakes its parent, a pull request the issue that it reports on
//! (chapter 10).

use super::{Step, ended, reply};
use crate::domain::effect::Effect;
use crate::domain::event::{CHILD, Cause, CauseKind, DEPENDENCIES};
use crate::domain::ids::IssueNumber;
use crate::domain::run::{Done, Dossier, Next};

/// Triggers of wakes that a child's own lane gets; every other one is the parent's.
pub(super) const OWN: [&str; 6] =
    ["closed", "reopened", "blocked_by_added", "blocked_by_removed", "blocking_added", "blocking_removed"];

/// The end: the parent is woken, where there is one.
pub(super) fn next(dossier: &Dossier) -> Next {
    ended(steps(dossier))
}

fn steps(dossier: &Dossier) -> Step<Done> {
    let issue = reply::issue(dossier)?;
    let Some(parent) = reply::parent_of(dossier, issue) else { return Ok(Done::nothing("no parent")) };
    let trigger = dossier.cause.trigger.as_deref().unwrap_or_default();
    let trigger = match trigger {
        "closed" | "reopened" => format!("{CHILD}{trigger}"),
        _ => DEPENDENCIES.to_owned(),
    };
    let cause =
        Cause { kind: CauseKind::Child, trigger: Some(trigger), source: None, pull: None, ..dossier.cause.clone() };
    Ok(Done::effects(vec![Effect::Wake { number: parent, cause, due: None }], "parent woken"))
}

/// Wakes the issue that a pull request reports on, for the same reason.
pub(super) fn to_child(dossier: &Dossier, pull: IssueNumber, child: IssueNumber) -> Effect {
    Effect::Wake { number: child, cause: Cause { pull: Some(pull), ..dossier.cause.clone() }, due: None }
}
