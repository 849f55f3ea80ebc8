//! One question at one gate, with all that decides whether it is a new one: its rule, its records, its revision, its fold.
//!
//! A gate that only watches (`mode: observe`) and one that acts know nothing of each other's records: each compares its
//! question with its own. The chain of `seq` and `prev` alone runs through both.

use super::super::labels::Labelling;
use super::super::{Ask, Step, in_force, trust};
use super::parent;
use crate::domain::contract::{Contract, Gate, Mode, OpenTo};
use crate::domain::detect::Reading;
use crate::domain::effect::Effect;
use crate::domain::event::{CauseKind, PAUSE};
use crate::domain::finding::Reference;
use crate::domain::ids::{GateId, IssueNumber, Revision, RunId};
use crate::domain::record::{Asked, Disposition, Part, Record, Standing, State, Trust, fold, revision, standing};
use crate::domain::run::{Done, Dossier, Fact, Issue, Next, Permission, StoredRecord};
use crate::domain::text::Document;

/// Whether this run made the record. One without a verdict is no trace to end at: its job was taken up again to complete
/// it, and where the question has changed meanwhile, the run's further record has an id of its own.
pub(super) fn made_by(run: &RunId, record: &Record) -> bool {
    record.run.as_str().strip_prefix(run.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

pub(super) fn passed(record: &Record) -> bool {
    matches!(record.disposition, Disposition::Passed | Disposition::Overridden)
}

pub(super) fn cause_label(dossier: &Dossier) -> Option<&str> {
    dossier.cause.trigger.as_deref().filter(|_| dossier.cause.kind == CauseKind::Label)
}

/// The records of a gate, of both modes: its chain.
pub(super) fn chain(records: &[StoredRecord], gate: GateId) -> impl DoubleEndedIterator<Item = &StoredRecord> {
    records.iter().filter(move |stored| stored.record.gate == gate)
}

/// The records that a gate made in that mode.
pub(super) fn in_mode(records: &[StoredRecord], gate: GateId, mode: Mode) -> Vec<&StoredRecord> {
    chain(records, gate).filter(|stored| stored.record.mode == mode).collect()
}

/// The contract and its gate that judge.
#[derive(Clone, Copy)]
pub(super) struct Rule<'a> {
    pub contract: &'a Contract,
    pub gate: &'a Gate,
}

pub(super) fn rule<'a>(dossier: &'a Dossier, issue: &Issue, gate: GateId) -> Option<Rule<'a>> {
    let contracts = in_force(&dossier.contracts, issue);
    contracts.into_iter().find_map(|contract| contract.gate(gate).map(|gate| Rule { contract, gate }))
}

impl Rule<'_> {
    /// Whose word the run stands on: an edit stands on that of the record it follows.
    pub fn trust(&self, dossier: &Dossier, mine: &[&StoredRecord], ask: Ask) -> Step<Option<Trust>> {
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
pub(super) struct Case<'a> {
    pub dossier: &'a Dossier,
    pub issue: &'a Issue,
    pub rule: Rule<'a>,
    pub records: &'a [StoredRecord],
    /// Records that the gate made in its mode of now.
    pub mine: Vec<&'a StoredRecord>,
    pub trust: Trust,
    /// What the subject is judged against.
    pub reference: Option<Reference>,
    /// The subject's body, read once for all that looks at it.
    pub body: Reading,
    pub revision: Revision,
    /// Returns so far; a gate that only watches counts none.
    pub state: State,
}

impl<'a> Case<'a> {
    pub fn open(
        dossier: &'a Dossier,
        issue: &'a Issue,
        rule: Rule<'a>,
        records: &'a [StoredRecord],
        mine: Vec<&'a StoredRecord>,
        trust: Trust,
    ) -> Step<Self> {
        let body = read(dossier, issue);
        let reference = match rule.gate.id {
            GateId::Start => parent_part(dossier, issue, rule.gate, body.document())?,
            GateId::Outcome => given(dossier, "issue"),
            _ => None,
        };
        let revision = revision_of(rule.gate.id, issue, reference.as_ref());
        let state = match rule.gate.mode {
            Mode::Enforce => fold(mine.iter().map(|stored| &stored.record), &rule.contract.blob),
            Mode::Observe => State::default(),
        };
        Ok(Self { dossier, issue, rule, records, mine, trust, reference, body, revision, state })
    }

    pub fn standing(&self, ask: Ask) -> Standing<'a> {
        let records: Vec<&'a Record> = self.mine.iter().map(|stored| &stored.record).collect();
        let blob = &self.rule.contract.blob;
        let retry = ask == Ask::Retry;
        match standing(&records, Asked { revision: &self.revision, blob, trust: self.trust, retry }) {
            // What was recorded in the other mode meanwhile stands behind it: its place cannot be rewritten.
            Standing::Completes(record) if self.chain_end().is_some_and(|newest| newest.seq != record.seq) => {
                Standing::New { attempt: record.attempt + 1 }
            }
            // The forge refused its comment, and nobody saw the verdict: whoever triggers again asks anew.
            Standing::Unchanged(record) if ask == Ask::Judge && self.unsaid(record) => {
                Standing::New { attempt: record.attempt + 1 }
            }
            standing => standing,
        }
    }

    /// Whether the record should have a comment and has none. What a crash left open is posted before any run.
    fn unsaid(&self, record: &Record) -> bool {
        let stored = self.mine.last().filter(|stored| stored.record.seq == record.seq);
        self.dossier.lane.is_some() && !record.is_observed() && stored.is_some_and(|stored| stored.comment.is_none())
    }

    /// The newest record of the gate, whatever its mode.
    pub fn chain_end(&self) -> Option<&'a Record> {
        chain(self.records, self.rule.gate.id).next_back().map(|stored| &stored.record)
    }

    /// Labels as this disposition wants them, and nothing else.
    pub fn put_right(&self, disposition: Disposition, because: &'static str) -> Done {
        Done { record: None, view: None, effects: self.labels(disposition), because }
    }

    pub fn labels(&self, disposition: Disposition) -> Vec<Effect> {
        label_effects(self.dossier, self.issue, self.rule.gate.id, &self.rule.gate.label, self.records, disposition)
    }

    pub fn cause_label(&self) -> Option<&str> {
        cause_label(self.dossier)
    }
}

/// The body, as a judge has read it already or anew.
fn read(dossier: &Dossier, issue: &Issue) -> Reading {
    let answers = dossier.facts.answers.iter();
    let known = answers.filter_map(|answer| answer.subject.as_ref()).find(|subject| subject.text() == issue.body);
    known.cloned().unwrap_or_else(|| Reading::of(&issue.body))
}

/// The comment of a superseded record is hidden once the new one stands.
pub(super) fn minimise(superseded: Option<&StoredRecord>) -> Option<Effect> {
    let comment = superseded?.comment.as_ref()?;
    Some(Effect::Minimise(comment.node.clone()))
}

pub(super) fn label_effects(
    dossier: &Dossier,
    issue: &Issue,
    gate: GateId,
    trigger: &str,
    records: &[StoredRecord],
    disposition: Disposition,
) -> Vec<Effect> {
    let mut others: Vec<&Record> = Vec::new();
    for stored in records.iter().filter(|stored| stored.record.gate != gate && !stored.record.is_observed()) {
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
fn parent_part(dossier: &Dossier, issue: &Issue, gate: &Gate, body: &Document) -> Step<Option<Reference>> {
    if let Some(given) = given(dossier, "parent") {
        return Ok(Some(given));
    }
    let Some(number) = parent::number(issue, gate, body).filter(|number| *number != issue.number) else {
        return Ok(None);
    };
    match &dossier.facts.parent {
        None if dossier.lane.is_none() => Ok(None),
        None => Err(Box::new(Next::Need(vec![Fact::Parent(number)]))),
        Some(None) => Ok(None),
        Some(Some(parent)) if parent.has_label(PAUSE) => Err(Box::new(Next::Hold)),
        Some(Some(parent)) => Ok(parent_text(number, gate, body, parent)),
    }
}

fn parent_text(number: IssueNumber, gate: &Gate, body: &Document, parent: &Issue) -> Option<Reference> {
    let text = parent::requirement(gate, body, &parent.body)?;
    Some(Reference { role: "parent".to_owned(), id: format!("#{number}"), text })
}
