//! One repository: who may act there, which contract is in force, what a label would do now. Reads alone.

use super::github::{installation, not_checked};
use super::models::of_contract;
use super::report::Check;
use crate::adapters::clock::SystemClock;
use crate::adapters::github::GithubForge;
use crate::adapters::github::inspect::AppReport;
use crate::adapters::store::sqlite::{SqliteStore, Synchronous};
use crate::app::{App, Settings};
use crate::config::Judge;
use crate::domain::contract::{Contract, Gate, Mode, OpenTo, Problem, Severity, builtin};
use crate::domain::ids::{InstallationId, Language, RepositoryName, WorkerId};
use crate::domain::record::SigningKeys;
use crate::domain::run::Contracts;
use crate::ports::{ForgeError, Place};
use std::sync::Arc;

/// Everything about the repository, each check as far as the one before allows.
pub(super) async fn checks(
    forge: &Arc<GithubForge>,
    report: &AppReport,
    name: &RepositoryName,
    judge: &Judge,
) -> Vec<Check> {
    let found = match forge.installation_of(name).await {
        Ok(found) => found,
        Err(ForgeError::NotFound { .. }) => {
            let what = format!("{name}: the App is not installed there, or there is no such repository");
            let todo = format!("install it on {name}: {}/installations/new", report.html_url.trim_end_matches('/'));
            return vec![Check::wrong("repository", what, todo)];
        }
        Err(error) => return vec![not_checked("repository", &error)],
    };
    // Whatever an installation lacks was said where all of them were looked at.
    if found.suspended_at.is_some() && installation(&found).is_some() {
        let what = format!("{name}: nothing can be read while the installation is suspended");
        return vec![Check::wrong("repository", what, "unsuspend it first")];
    }
    let place = Place { installation: InstallationId(found.id), repository: name.clone() };
    let repository = match forge.repository(&place).await {
        Ok(repository) => repository,
        Err(error) => return vec![not_checked("repository", &error)],
    };
    let mut checks = vec![if repository.archived {
        let what = format!("{name} is archived: nothing can be written there");
        Check::warning("repository", what, "unarchive it, or leave it")
    } else if repository.full_name.eq_ignore_ascii_case(&name.to_string()) {
        Check::ok("repository", format!("{name} is reached through {}", found.name()))
    } else {
        let what = format!("{name} is now called {}", repository.full_name);
        Check::warning("repository", what, "nothing: the App follows; use the new name here")
    }];
    match contracts(forge, &place, repository.id()).await {
        Ok(contracts) => {
            checks.push(contract(&contracts));
            checks.extend(in_force(&contracts).into_iter().flat_map(|contract| of_contract(judge, contract)));
            let labels = forge.labels(&place).await;
            checks.extend(gates(&contracts, labels, name));
        }
        Err(why) => checks.push(Check::unchecked("contract", why, "try again")),
    }
    checks
}

/// Looked up as the service does it. The App needs a database for that, and this one holds nothing.
async fn contracts(
    forge: &Arc<GithubForge>,
    place: &Place,
    repository: crate::domain::ids::RepositoryId,
) -> Result<Contracts, String> {
    let store = SqliteStore::open("sqlite::memory:", Synchronous::Normal).await.map_err(|error| error.to_string())?;
    let settings = Settings::new(SigningKeys::new(Vec::new()));
    let worker = WorkerId::new("doctor");
    let forge = Arc::clone(forge);
    App::new(forge, Arc::new(store), Arc::new(SystemClock), settings, worker).contracts_in(place, repository).await
}

fn contract(contracts: &Contracts) -> Check {
    match contracts {
        Contracts::Absent => {
            Check::ok("contract", "none in the repository: the built-in one of each issue's language applies")
        }
        Contracts::Broken { problems, repository, commit, .. } => {
            let what = format!("broken in {repository} at {}: nothing is judged", short(commit.as_str()));
            let todo = "mend it on the default branch; `sekisho contract check FILE` says the same before a merge";
            Check::wrong("contract", what, todo).with(drawn(problems))
        }
        Contracts::InForce { contracts, notices } => {
            let named = |contract: &Contract| {
                let commit = contract.origin.commit.as_ref().map(|commit| format!(" at {}", short(commit.as_str())));
                format!("{}{}", contract.origin.path, commit.unwrap_or_default())
            };
            let what = contracts.iter().map(named).collect::<Vec<_>>().join(", ");
            if notices.iter().any(|problem| problem.severity != Severity::Notice) {
                Check::warning("contract", what, "it works, but likely not as meant").with(drawn(notices))
            } else {
                Check::ok("contract", what).with(drawn(notices))
            }
        }
    }
}

fn short(commit: &str) -> &str {
    commit.get(..7).unwrap_or(commit)
}

/// A problem in one line, and its line of the file below.
fn drawn(problems: &[Problem]) -> Vec<String> {
    let mut lines = Vec::new();
    for problem in problems {
        lines.push(problem.to_string());
        if problem.line > 0 {
            lines.push(format!("{:>6} | {}", problem.line, problem.source.trim_end()));
        }
    }
    lines
}

/// The contracts that judge; the English built-in one stands for both.
fn in_force(contracts: &Contracts) -> Vec<&Contract> {
    match contracts {
        Contracts::Broken { .. } => Vec::new(),
        Contracts::Absent => vec![builtin(Language::En)],
        Contracts::InForce { contracts, .. } => contracts.iter().collect(),
    }
}

/// What each gate's label would do now.
fn gates(contracts: &Contracts, labels: Result<Vec<String>, ForgeError>, name: &RepositoryName) -> Vec<Check> {
    let all = in_force(contracts);
    if all.is_empty() {
        return Vec::new();
    }
    let mut checks = Vec::new();
    let labels = labels.map_err(|error| checks.push(not_checked("labels", &error))).ok();
    for (contract, gate) in all.iter().flat_map(|contract| contract.gates.iter().map(move |gate| (contract, gate))) {
        let what = format!("{} → {}", gate.label, would(contract, gate));
        let there = labels.as_ref().is_none_or(|labels| labels.iter().any(|label| same(label, &gate.label)));
        checks.push(if there {
            Check::ok("gate", what)
        } else {
            let todo = format!("{name} has no such label yet; create it, so that people can set it");
            Check::warning("gate", what, todo)
        });
    }
    checks
}

/// Labels differ by more than case.
fn same(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

fn would(contract: &Contract, gate: &Gate) -> String {
    let phase = contract.phase(gate);
    let signals = || phase.signals.iter().chain(&gate.set_signals);
    let by_rules = signals().filter(|signal| signal.detect.is_some()).count();
    let headings = gate.fields.len();
    let looks = if gate.enabled {
        format!(
            "{headings} headings, {} signals ({by_rules} by rules), as {} waits for them",
            signals().count(),
            phase.name
        )
    } else {
        format!("{headings} headings and nothing else (not in enabled_gates)")
    };
    let who = match gate.open_to {
        OpenTo::Triage => "",
        OpenTo::Anyone => "; anyone may set it",
    };
    let then = match gate.mode {
        Mode::Enforce => "",
        Mode::Observe => "; recorded and not shown (mode: observe)",
    };
    format!("{looks}{who}{then}")
}
