//! A gate asked about a text outside its own lane: with the contracts of another commit, without history, without effects.

use crate::domain::contract::Contract;
use crate::domain::event::{Cause, CauseKind, Lane};
use crate::domain::gates::{Ask, handoff};
use crate::domain::ids::{GateId, IssueId, IssueNumber, Login, Revision};
use crate::domain::reply::{Judged, United};
use crate::domain::run::{
    ChangeFacts, Consult, Contracts, Done, Dossier, Fact, Facts, Issue, Judges, Next, Permission, Task,
};
use crate::domain::view::JudgedBy;
use std::collections::BTreeMap;

/// The label with which a pull request has models judge again.
pub(super) const REPLAY_MODELS: &str = "contract:replay-models";

/// Steps that a gate takes at most: its parent, its brief, its end.
const STEPS: usize = 4;

/// One gate, one text, some contracts.
pub(super) struct Question {
    dossier: Dossier,
    gate: GateId,
}

/// How far a question came.
pub(super) enum Walked {
    /// It is judged against a parent that was not read yet.
    Wants(IssueNumber),
    /// It asks its judges.
    Asks(Box<Consult>),
    /// It has a record.
    Ends(Box<Done>),
    /// The gate does not judge it.
    Nothing,
}

impl Question {
    /// A subject that was judged before: the gate itself says which parent it is judged against.
    pub fn again(run: &Dossier, contracts: &Contracts, gate: GateId, issue: &Issue) -> Self {
        let lane = run.lane.as_ref().map(|lane| Lane { number: issue.number, ..lane.clone() });
        // A parent matters to *start* alone; elsewhere it would only be looked at for its pause.
        let parent = issue.parent.filter(|_| gate == GateId::Start);
        let issue = Issue { labels: Vec::new(), parent, ..issue.clone() };
        Self::open(run, contracts, gate, Facts { issue: Some(issue), ..Facts::default() }, lane)
    }

    /// A text by itself, as a labelled example is one.
    pub fn text(run: &Dossier, contracts: &Contracts, gate: GateId, text: &str, against: Option<&str>) -> Self {
        let issue = Issue {
            id: IssueId(0),
            number: IssueNumber(0),
            title: String::new(),
            body: text.to_owned(),
            url: String::new(),
            labels: Vec::new(),
            author: None,
            open: true,
            state_reason: None,
            is_pull_request: false,
            locked: false,
            created_at: run.now,
            updated_at: run.now,
            parent: None,
        };
        let facts = Facts { issue: Some(issue), against: against.map(str::to_owned), ..Facts::default() };
        Self::open(run, contracts, gate, facts, None)
    }

    fn open(run: &Dossier, contracts: &Contracts, gate: GateId, facts: Facts, lane: Option<Lane>) -> Self {
        // Nobody's history and everybody's trust: what is asked is the verdict alone.
        let permissions = [(Login::new(""), Permission::Write)].into();
        let facts = Facts { records: Some(Vec::new()), permissions, ..facts };
        let cause = Cause {
            kind: CauseKind::Command,
            trigger: None,
            actor: Some(Login::new("")),
            source: None,
            at: run.cause.at,
            pull: None,
        };
        let contracts = only(contracts, gate);
        let task = Task::Gate { gate, retry: false };
        let dossier = Dossier {
            run: run.run.clone(),
            app: run.app.clone(),
            lane,
            repository: run.repository.clone(),
            web_url: run.web_url.clone(),
            cause,
            task,
            now: run.now,
            contracts,
            // Nobody is escalated to: what is asked is which verdicts would change.
            judges: judges(run),
            facts: Facts { change: ChangeFacts::default(), ..facts },
        };
        Self { dossier, gate }
    }

    /// Goes on until something is missing. `subjects` holds the issues that were read.
    pub fn walk(&mut self, subjects: &BTreeMap<IssueNumber, Option<Issue>>) -> Walked {
        for _ in 0..STEPS {
            match handoff::next(&self.dossier, self.gate, Ask::Judge) {
                Next::Need(facts) => {
                    let [Fact::Parent(number)] = facts[..] else { return Walked::Nothing };
                    let Some(parent) = subjects.get(&number) else { return Walked::Wants(number) };
                    let plain = |parent: &Issue| Issue { labels: Vec::new(), ..parent.clone() };
                    self.dossier.facts.parent = Some(parent.as_ref().map(plain));
                }
                Next::Ask(asked) => {
                    return asked.into_iter().next().map_or(Walked::Nothing, |one| Walked::Asks(Box::new(one)));
                }
                Next::Done(done) if done.record.is_some() => return Walked::Ends(done),
                Next::Done(_) | Next::Hold => return Walked::Nothing,
            }
        }
        Walked::Nothing
    }

    /// What the gate makes of its judges' answer.
    pub fn answered(mut self, answer: Judged, subjects: &BTreeMap<IssueNumber, Option<Issue>>) -> Option<Box<Done>> {
        self.dossier.facts.answers = vec![answer];
        match self.walk(subjects) {
            Walked::Ends(done) => Some(done),
            _ => None,
        }
    }

    /// The revision of what would be judged; the parent must have been read.
    pub fn revision(mut self, subjects: &BTreeMap<IssueNumber, Option<Issue>>) -> Option<Revision> {
        // The parts of a revision do not depend on what a judge says of them.
        self.dossier.facts.answers = vec![Judged { said: Ok(United::default()), paid: Vec::new() }];
        match self.walk(subjects) {
            Walked::Ends(done) => done.record.map(|record| record.subject.revision),
            _ => None,
        }
    }
}

/// Models only where the pull request bears the label for it (chapter 2): each subject is a call.
fn judges(run: &Dossier) -> Judges {
    let labels = run.facts.change.pull.iter().flat_map(|pull| &pull.labels);
    let wanted = labels.into_iter().any(|label| label.eq_ignore_ascii_case(REPLAY_MODELS));
    if wanted { run.judges.flat() } else { Judges::Rules }
}

/// Who judges again.
pub(super) fn judged_by(run: &Dossier) -> JudgedBy {
    if judges(run) == Judges::Rules { JudgedBy::Rules } else { JudgedBy::Models }
}

/// The contracts that matter to one gate: each question keeps its own copy, so it is a small one.
fn only(contracts: &Contracts, gate: GateId) -> Contracts {
    match contracts {
        Contracts::InForce { contracts, .. } => {
            let mine: Vec<Contract> = contracts.iter().filter(|one| one.gate(gate).is_some()).cloned().collect();
            Contracts::InForce { contracts: mine, notices: Vec::new() }
        }
        other => other.clone(),
    }
}
