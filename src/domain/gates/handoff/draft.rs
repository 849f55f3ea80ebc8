//! What every record of a run has, whatever its verdict: its place in the sequence, its key, its cause (chapter 10).

use super::rule::made_by;
use crate::domain::contract::Mode;
use crate::domain::detect;
use crate::domain::event::CauseKind;
use crate::domain::ids::{GateId, Mac, Revision, RunId};
use crate::domain::record::{ContractRef, Disposition, Record, RecordCause, SCHEMA, SubjectRef, Trust, is_retry};
use crate::domain::run::{Dossier, Issue, StoredRecord};

/// What every record of a run has, whatever its verdict.
pub(super) struct Base<'a> {
    pub dossier: &'a Dossier,
    pub issue: &'a Issue,
    pub gate: GateId,
    /// Records that the gate made in this mode.
    pub mine: &'a [&'a StoredRecord],
    /// The newest record of the gate, whatever its mode: the chain goes on from there.
    pub chain_end: Option<&'a Record>,
    pub mode: Mode,
    pub trust: Trust,
    pub contract: ContractRef,
    pub revision: &'a Revision,
}

impl Base<'_> {
    /// A record without a verdict. The same key as the newest record's rewrites it: same `seq`, one `edit` on.
    pub fn record(&self, attempt: u64) -> Record {
        let dossier = self.dossier;
        let newest = self.chain_end;
        let mac = |record: &Record| record.signature.as_ref().map(|signature| signature.mac.clone());
        let cause = &dossier.cause;
        let number = dossier.lane.as_ref().map(|lane| lane.number);
        let mut record = Record {
            gate: self.gate,
            verdict: None,
            confidence: None,
            model: None,
            reasons: Vec::new(),
            return_to: None,
            questions: Vec::new(),
            disposition: Disposition::NotJudged,
            triage_cause: None,
            overridden: None,
            children: Vec::new(),
            schema: SCHEMA.to_owned(),
            run: self.run(newest),
            app: dossier.app.as_ref().map(|app| app.id),
            repository: dossier.lane.as_ref().map(|lane| lane.repository),
            subject: SubjectRef {
                number,
                url: number.map(|_| self.issue.url.clone()),
                revision: self.revision.clone(),
            },
            seq: newest.map_or(1, |newest| newest.seq + 1),
            edit: 0,
            prev: newest.and_then(mac),
            was: None,
            attempt,
            contract: self.contract.clone(),
            mode: self.mode,
            cause: RecordCause {
                kind: cause.kind,
                trigger: cause.trigger.as_deref().map(detect::mask_secrets),
                actor: cause.actor.clone(),
                source: cause.source,
                at: cause.at,
                trust: self.trust,
            },
            findings: Vec::new(),
            unmatched: Vec::new(),
            undecided: Vec::new(),
            history: self.mine.iter().map(|stored| stored.record.run.clone()).collect(),
            judged_at: dossier.now,
            receipt: None,
            signature: None,
        };
        if let Some(null) = newest.filter(|newest| newest.verdict.is_none() && newest.mode == self.mode) {
            completes(&mut record, null, mac(null));
        }
        record
    }

    /// A run that made a record already, without a verdict, and now asks another question: an effect is named by its
    /// run, so the second record needs a name of its own.
    fn run(&self, newest: Option<&Record>) -> RunId {
        let run = &self.dossier.run;
        match newest.filter(|newest| made_by(run, newest)) {
            Some(newest) => RunId(format!("{run}.{}", newest.seq + 1)),
            None => run.clone(),
        }
    }
}

/// A record without a verdict is completed in its own place and comment, so it keeps its run, which its marker names.
fn completes(record: &mut Record, null: &Record, was: Option<Mac>) {
    let same = null.attempt == record.attempt
        && null.contract.blob == record.contract.blob
        && null.subject.revision == record.subject.revision;
    if !same {
        return;
    }
    // What raised it stays said: the fold counts from there, and that it was looked at again by itself says nothing.
    let kept = is_retry(null) || record.cause.kind == CauseKind::Sweep;
    let cause = if kept { null.cause.clone() } else { record.cause.clone() };
    *record = Record {
        run: null.run.clone(),
        seq: null.seq,
        edit: null.edit + 1,
        prev: null.prev.clone(),
        was,
        history: null.history.clone(),
        cause,
        ..record.clone()
    };
}
