//! Which contract and gate judge, on whose word, and which records are theirs.

use super::super::{Ask, Step, in_force, trust};
use crate::domain::contract::{Contract, Gate, Mode, OpenTo};
use crate::domain::event::CauseKind;
use crate::domain::ids::{GateId, RunId};
use crate::domain::record::{Disposition, Record, Trust};
use crate::domain::run::{Dossier, Issue, Permission, StoredRecord};
use chrono::{DateTime, Utc};

/// Whether this run made the record. One without a verdict is no trace to end at: its job was taken up again to complete
/// it, and where the question has changed meanwhile, the run's further record has an id of its own.
pub(super) fn made_by(run: &RunId, record: &Record) -> bool {
    record.run.as_str().strip_prefix(run.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Whether it lets the subject go on at that time: a person's word may have been given until a day.
pub(super) fn passed(record: &Record, now: DateTime<Utc>) -> bool {
    matches!(record.disposition, Disposition::Passed | Disposition::Overridden) && !lapsed(record, now)
}

/// Whether a person let it go on until a time that is over.
pub(super) fn lapsed(record: &Record, now: DateTime<Utc>) -> bool {
    record.disposition == Disposition::Overridden && until(record).is_some_and(|until| until <= now)
}

fn until(record: &Record) -> Option<DateTime<Utc>> {
    record.overridden.as_ref()?.until
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
            Ask::Reconsider | Ask::Answered => {
                let open = self.gate.open_to == OpenTo::Anyone;
                let trust = mine.last().map(|stored| stored.record.cause.trust);
                // A gate that was open to anyone and is no longer stands on nobody's word.
                Ok(trust.filter(|trust| open || *trust == Trust::Trusted))
            }
            Ask::Retry => {
                let may = trust::has(dossier, &self.contract.trusted_apps, Permission::Write)?;
                Ok(may.then_some(Trust::Trusted))
            }
            // The children's own changes stand on the word of the split that they came of.
            Ask::Children => {
                let split = dossier.facts.records.iter().flatten().rev().find(|one| one.record.gate == GateId::Split);
                let newest = mine.last().copied().or(split);
                Ok(newest.map(|stored| stored.record.cause.trust).filter(|trust| *trust == Trust::Trusted))
            }
            Ask::Judge | Ask::Reported => trust::of(dossier, &self.contract.trusted_apps, self.gate.open_to),
        }
    }
}
