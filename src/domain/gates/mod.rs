//! Gates: what a wake asks for, and for each kind one pure, resumable `next` over a dossier (chapter 9).

mod change;
pub mod handoff;
pub mod labelled;
mod labels;
mod relay;
mod reply;
mod trust;

pub use change::EXAMPLES;
pub(super) use handoff::{is_unfinished, kept_children};
pub use labels::{TRIAGE_LABEL, child_label};

use crate::domain::command::parse_command;
use crate::domain::contract::{Contract, Mode, builtin};
use crate::domain::effect::Effect;
use crate::domain::event::{ANSWER, CONTRACT_CHECK, Cause, CauseKind, Command, LAPSED, OUTCOME_CHECK, UNJUDGED};
use crate::domain::ids::{CommentId, GateId, Language};
use crate::domain::record::settled;
use crate::domain::run::{
    AppIdentity, Comment, Contracts, Done, Dossier, Given, Issue, Next, Permission, StoredRecord, Task,
};
use crate::domain::view::{Reply, ReplyKind};

/// What a run does with its gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// Judge what stands there now.
    Judge,
    /// Judge anew, whatever stands: `/gate retry`.
    Retry,
    /// Look whether an edited subject is still what was judged.
    Reconsider,
    /// A report may have come.
    Reported,
    /// The children changed, or the last of them was closed.
    Children,
    /// A question was answered: the text of now is judged, from preflight.
    Answered,
}

/// What the run wants next: facts, answers, or to end. Called again and again until it ends; a crash begins anew here.
#[must_use]
pub fn next(dossier: &Dossier) -> Next {
    match &dossier.task {
        Task::Gate { gate, retry } => handoff::next(dossier, *gate, if *retry { Ask::Retry } else { Ask::Judge }),
        Task::Reconsider(gate) => handoff::next(dossier, *gate, Ask::Reconsider),
        Task::Reported => handoff::next(dossier, GateId::Outcome, Ask::Reported),
        Task::Children(gate) => handoff::next(dossier, *gate, Ask::Children),
        Task::Override { gate, reason, until } => handoff::overridden(dossier, *gate, reason, *until),
        Task::Answer(given) => handoff::answered(dossier, given),
        Task::Relay => relay::next(dossier),
        Task::BadOverride => reply::bad_override(dossier),
        Task::RetryNewest => retry_newest(dossier),
        Task::Help => reply::help(dossier),
        Task::Status => reply::status(dossier),
        Task::Unknown(line) => reply::unknown(dossier, line),
        Task::ContractChange => change::next(dossier),
    }
}

/// What a run that the world refuses for good says: a ⚪ record, where enough is known to make one.
#[must_use]
pub fn give_up(dossier: &Dossier, error: &str, attempts: u32) -> Option<Done> {
    match &dossier.task {
        Task::Gate { gate, retry } => {
            handoff::give_up(dossier, *gate, if *retry { Ask::Retry } else { Ask::Judge }, error, attempts)
        }
        Task::Reconsider(gate) => handoff::give_up(dossier, *gate, Ask::Reconsider, error, attempts),
        Task::RetryNewest => {
            let gate = meant(dossier, dossier.facts.records.as_deref()?, dossier.facts.issue.as_ref()?)?;
            handoff::give_up(dossier, gate, Ask::Retry, error, attempts)
        }
        Task::Reported => handoff::give_up(dossier, GateId::Outcome, Ask::Reported, error, attempts),
        Task::Children(gate) => handoff::give_up(dossier, *gate, Ask::Children, error, attempts),
        Task::Help
        | Task::Status
        | Task::Unknown(_)
        | Task::ContractChange
        | Task::Override { .. }
        | Task::BadOverride
        | Task::Answer(_)
        | Task::Relay => None,
    }
}

/// The tasks of a cause, in order. None = this cause triggers nothing here, and no read is spent on it.
#[must_use]
pub fn tasks(contracts: &Contracts, cause: &Cause) -> Vec<Task> {
    let trigger = cause.trigger.as_deref().unwrap_or_default();
    // A pull request wakes its issue for its own report, and for nothing else there.
    if cause.pull.is_some() && cause.kind == CauseKind::Report {
        return vec![Task::Reported];
    }
    match cause.kind {
        CauseKind::Sweep if trigger.starts_with(LAPSED) => {
            trigger[LAPSED.len()..].parse().map(Task::Reconsider).into_iter().collect()
        }
        CauseKind::Sweep if trigger.starts_with(UNJUDGED) => {
            let gate = trigger[UNJUDGED.len()..].split(':').next().unwrap_or_default();
            gate.parse().map(Task::Reconsider).into_iter().collect()
        }
        CauseKind::Label | CauseKind::Sweep => {
            triggered(contracts, trigger).map(|gate| Task::Gate { gate, retry: false }).into_iter().collect()
        }
        CauseKind::Command => parse_command(trigger).map(task).into_iter().collect(),
        CauseKind::Edit => declared(contracts).into_iter().map(Task::Reconsider).collect(),
        CauseKind::Check if trigger == CONTRACT_CHECK => vec![Task::ContractChange],
        CauseKind::Check if trigger == OUTCOME_CHECK => vec![Task::Gate { gate: GateId::Outcome, retry: false }],
        CauseKind::Check => Vec::new(),
        CauseKind::Report if trigger == ANSWER => vec![Task::Answer(Given::InComment)],
        CauseKind::Report => reported(contracts),
        CauseKind::Child => children(contracts, trigger),
    }
}

/// A comment with a heading may be a report, or a plan or roll-up that was returned and is written anew.
fn reported(contracts: &Contracts) -> Vec<Task> {
    let declared = declared(contracts);
    let task = |gate: &GateId| match gate {
        GateId::Outcome => Some(Task::Reported),
        GateId::Split | GateId::Integration => Some(Task::Reconsider(*gate)),
        _ => None,
    };
    declared.iter().filter_map(task).collect()
}

/// A child was closed or opened in its own lane: its parent is woken. In the parent's lane its gates look again.
fn children(contracts: &Contracts, trigger: &str) -> Vec<Task> {
    if relay::OWN.contains(&trigger) {
        return vec![Task::Relay];
    }
    let gates = [GateId::Split, GateId::Integration];
    let declared = declared(contracts);
    gates.into_iter().filter(|gate| declared.contains(gate)).map(Task::Children).collect()
}

fn task(command: Command) -> Task {
    match command {
        Command::Gate(gate) => Task::Gate { gate, retry: false },
        Command::Retry(Some(gate)) => Task::Gate { gate, retry: true },
        Command::Retry(None) => Task::RetryNewest,
        Command::Status => Task::Status,
        Command::Help => Task::Help,
        Command::Override { gate, reason, until } => Task::Override { gate, reason, until },
        Command::BadOverride { .. } => Task::BadOverride,
        Command::Answer { number, text } => Task::Answer(Given::ByCommand { number, text }),
        Command::Unknown(line) => Task::Unknown(line),
    }
}

/// The gate that a label triggers: one whose contract says so, else the `gate:<id>` of a gate that no contract
/// declares, which is answered rather than passed over.
fn triggered(contracts: &Contracts, label: &str) -> Option<GateId> {
    let label = label.to_lowercase();
    let named = label.strip_prefix("gate:").and_then(|id| id.parse::<GateId>().ok());
    let contracts = match contracts {
        Contracts::Broken { .. } => return named,
        Contracts::Absent => vec![builtin(Language::En)],
        Contracts::InForce { contracts, .. } => contracts.iter().collect(),
    };
    let gates = || contracts.iter().flat_map(|contract| &contract.gates);
    let listening = gates().find(|gate| gate.label.to_lowercase() == label || is_intake(&label, gate.id, &gate.label));
    listening.map(|gate| gate.id).or_else(|| named.filter(|id| !gates().any(|gate| gate.id == *id)))
}

/// `gate:intake` triggers acceptance too (chapter 2), where acceptance listens to its own default label.
fn is_intake(label: &str, gate: GateId, listens_to: &str) -> bool {
    gate == GateId::Acceptance && label == labels::INTAKE && listens_to == labels::ACCEPTANCE
}

/// Whether the task may leave a trace on the forge beside its trigger label's removal: a gate that only watches leaves
/// none, and so its commands are not even acknowledged.
#[must_use]
pub fn is_seen(contracts: &Contracts, task: &Task) -> bool {
    match task {
        Task::Gate { gate, .. } | Task::Reconsider(gate) | Task::Children(gate) | Task::Override { gate, .. } => {
            !is_observed(contracts, *gate)
        }
        Task::Reported => !is_observed(contracts, GateId::Outcome),
        Task::Answer(_)
        | Task::Relay
        | Task::BadOverride
        | Task::Help
        | Task::Status
        | Task::RetryNewest
        | Task::Unknown(_)
        | Task::ContractChange => true,
    }
}

/// Whether the gate only watches (`mode: observe`).
fn is_observed(contracts: &Contracts, gate: GateId) -> bool {
    let Contracts::InForce { contracts, .. } = contracts else { return false };
    let rule = contracts.iter().find_map(|contract| contract.gate(gate));
    rule.is_some_and(|gate| gate.mode == Mode::Observe)
}

/// Every gate that the contracts declare.
fn declared(contracts: &Contracts) -> Vec<GateId> {
    match contracts {
        Contracts::Absent => builtin(Language::En).gates.iter().map(|gate| gate.id).collect(),
        Contracts::InForce { contracts, .. } => {
            contracts.iter().flat_map(|contract| &contract.gates).map(|gate| gate.id).collect()
        }
        Contracts::Broken { .. } => Vec::new(),
    }
}

/// The contracts that speak about this subject: with none in the repository, the built-in of the subject's language.
fn in_force<'a>(contracts: &'a Contracts, issue: &Issue) -> Vec<&'a Contract> {
    match contracts {
        Contracts::Absent => vec![builtin(language_of(issue))],
        Contracts::InForce { contracts, .. } => contracts.iter().collect(),
        Contracts::Broken { .. } => Vec::new(),
    }
}

/// The language to speak where no contract says one.
fn language_of(issue: &Issue) -> Language {
    match Language::of(&issue.title) {
        Language::Ja => Language::Ja,
        Language::En => Language::of(&issue.body),
    }
}

/// The language to speak about this subject: its contract's, else its own.
fn spoken(dossier: &Dossier, issue: &Issue) -> Language {
    in_force(&dossier.contracts, issue).first().map_or_else(|| language_of(issue), |contract| speaks(contract, issue))
}

/// The language that a contract speaks in about this subject: its own, else the subject's (chapter 2).
fn speaks(contract: &Contract, issue: &Issue) -> Language {
    contract.language.unwrap_or_else(|| language_of(issue))
}

/// The gate that `/gate retry` means: in a pull request its report's, whatever else its issue went through.
fn meant(dossier: &Dossier, records: &[StoredRecord], issue: &Issue) -> Option<GateId> {
    if dossier.cause.pull.is_some() || handoff::reports(issue) {
        return Some(GateId::Outcome);
    }
    reply::newest_gate(dossier, records)
}

/// `/gate retry` without a gate: the gate of the newest record, else the lane's dead jobs.
fn retry_newest(dossier: &Dossier) -> Next {
    let newest = || -> Step<GateId> {
        let records = reply::records(dossier)?;
        let issue = reply::running(dossier)?;
        if let Some(gate) = meant(dossier, records, issue) {
            return Ok(gate);
        }
        if !trust::has(dossier, &[], Permission::Write)? {
            return done(reply::answer(dossier, issue, reply::refused(dossier, "write"), "refused"));
        }
        let otherwise = Reply { language: spoken(dossier, issue), what: ReplyKind::NothingToRetry };
        done(Done::effects(vec![Effect::Revive { otherwise }], "revive"))
    };
    newest().map_or_else(|early| *early, |gate| handoff::next(dossier, gate, Ask::Retry))
}

/// Whether the subject still reads as it did when it was judged: what a performer asks right before posting.
#[must_use]
pub fn same_text(judged: &Issue, now: &Issue) -> bool {
    settled(&judged.title) == settled(&now.title) && settled(&judged.body) == settled(&now.body)
}

/// Whether the comments of people still read as they did.
#[must_use]
pub fn same_comments(app: Option<&AppIdentity>, judged: &[Comment], now: &[Comment]) -> bool {
    let of_people = |comment: &&Comment| {
        !app.is_some_and(|app| comment.app == Some(app.id) || comment.author.as_ref().is_some_and(|one| app.is(one)))
    };
    let told = |comments: &[Comment]| -> Vec<(CommentId, String)> {
        comments.iter().filter(of_people).map(|comment| (comment.id, settled(&comment.body))).collect()
    };
    told(judged) == told(now)
}

/// Ends a gate's steps early: with what the run wants next.
type Step<T> = Result<T, Box<Next>>;

/// The end of a run as an early end of its steps.
fn done<T>(done: Done) -> Step<T> {
    Err(Box::new(Next::Done(Box::new(done))))
}

/// Steps that ended either way say what the run wants.
fn ended(steps: Step<Done>) -> Next {
    steps.map_or_else(|next| *next, |done| Next::Done(Box::new(done)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::Login;
    use chrono::DateTime;

    fn cause(kind: CauseKind, trigger: &str) -> Cause {
        Cause {
            kind,
            trigger: Some(trigger.into()),
            actor: Some(Login::new("hanako")),
            source: None,
            at: DateTime::from_timestamp(0, 0).unwrap(),
            pull: None,
        }
    }

    fn check(kind: CauseKind, trigger: &str, expect: &[Task]) {
        assert_eq!(tasks(&Contracts::Absent, &cause(kind, trigger)), expect, "{trigger}");
    }

    #[test]
    fn labels_and_commands_find_their_gate() {
        let judge = |gate| Task::Gate { gate, retry: false };
        check(CauseKind::Label, "gate:start", &[judge(GateId::Start)]);
        check(CauseKind::Label, "Gate:Start", &[judge(GateId::Start)]);
        check(CauseKind::Label, "gate:intake", &[judge(GateId::Acceptance)]);
        check(CauseKind::Label, "gate:split", &[judge(GateId::Split)]);
        for nothing in ["bug", "gate:start-passed", "gate:triage", "gate:pause", "gate:child", "start", ""] {
            check(CauseKind::Label, nothing, &[]);
        }
        check(CauseKind::Command, "/gate start", &[judge(GateId::Start)]);
        check(CauseKind::Command, "/gate retry start", &[Task::Gate { gate: GateId::Start, retry: true }]);
        check(CauseKind::Command, "/gate retry", &[Task::RetryNewest]);
        let split = Task::Reconsider(GateId::Split);
        let integration = Task::Reconsider(GateId::Integration);
        check(CauseKind::Report, "", &[split, Task::Reported, integration]);
        check(CauseKind::Report, "answer", &[Task::Answer(Given::InComment)]);
        check(CauseKind::Child, "closed", &[Task::Relay]);
        let both = [Task::Children(GateId::Split), Task::Children(GateId::Integration)];
        check(CauseKind::Child, "child_closed", &both);
        check(CauseKind::Child, "sub_issue_removed", &both);
    }

    #[test]
    fn a_label_of_the_contracts_own_replaces_the_default() {
        let mut contract = builtin(Language::En).clone();
        for gate in &mut contract.gates {
            gate.label = format!("ready for {}", gate.id);
        }
        let contracts = Contracts::InForce { contracts: vec![contract], notices: vec![] };
        let of = |label: &str| tasks(&contracts, &cause(CauseKind::Label, label)).len();
        assert_eq!((of("Ready for start"), of("gate:start"), of("gate:intake"), of("gate:diagnosis")), (1, 0, 0, 1));
    }
}
