//! Trust: a run needs a label or a command of a person with triage or more, or of a trusted App (chapter 3).

use super::Step;
use crate::domain::contract::OpenTo;
use crate::domain::ids::Login;
use crate::domain::record::Trust;
use crate::domain::run::{Dossier, Fact, Next, Permission};

/// Whose word the run stands on; none = nobody's who counts.
pub(super) fn of(dossier: &Dossier, trusted_apps: &[String], open_to: OpenTo) -> Step<Option<Trust>> {
    if has(dossier, trusted_apps, Permission::Triage)? {
        return Ok(Some(Trust::Trusted));
    }
    Ok((open_to == OpenTo::Anyone).then_some(Trust::Open))
}

/// Whether the actor may do what needs this permission. On the command line there is no actor to ask about.
pub(super) fn has(dossier: &Dossier, trusted_apps: &[String], needs: Permission) -> Step<bool> {
    if dossier.lane.is_none() {
        return Ok(true);
    }
    let Some(actor) = &dossier.cause.actor else { return Ok(false) };
    if needs <= Permission::Triage && is_trusted_app(actor, trusted_apps) {
        return Ok(true);
    }
    Ok(permission(dossier, actor)? >= needs)
}

/// Whether what somebody wrote counts: a person with triage or more, or a trusted App.
pub(super) fn counts(dossier: &Dossier, author: &Login, trusted_apps: &[String]) -> Step<bool> {
    if is_trusted_app(author, trusted_apps) {
        return Ok(true);
    }
    if author.as_str().ends_with("[bot]") {
        return Ok(false);
    }
    Ok(permission(dossier, author)? >= Permission::Triage)
}

/// What a person may do.
fn permission(dossier: &Dossier, login: &Login) -> Step<Permission> {
    let known = dossier.facts.permissions.get(login).copied();
    known.ok_or_else(|| Box::new(Next::Need(vec![Fact::Permission(login.clone())])))
}

fn is_trusted_app(actor: &Login, trusted: &[String]) -> bool {
    let slug = actor.as_str().strip_suffix("[bot]");
    slug.is_some_and(|slug| trusted.iter().any(|app| app.eq_ignore_ascii_case(slug)))
}
