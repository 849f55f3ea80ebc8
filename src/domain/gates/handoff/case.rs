//! One question at one gate, with all that decides whether it is a new one: its rule, its records, its revision, its fold.
//!
//! A gate that only watches (`mode: observe`) and one that acts know nothing of each other's records: each compares its
//! question with its own. The chain of `seq` and `prev` alone runs through both.

use super::super::labels::Labelling;
use super::super::{Ask, Step};
use super::judged::Subject;
use super::preflight;
use super::rule::{Rule, cause_label, chain, lapsed};
use super::subject::subject;
use crate::domain::contract::Mode;
use crate::domain::effect::Effect;
use crate::domain::ids::{GateId, Revision};
use crate::domain::plan::PlanShape;
use crate::domain::record::{Asked, Disposition, Record, Standing, State, Trust, fold, revision, standing};
use crate::domain::run::{Done, Dossier, Issue, StoredRecord};
use crate::domain::text::Document;
use crate::domain::view::{Check, GateCheck, Reason};

/// One question at one gate, with all that decides whether it is a new one.
pub(super) struct Case<'a> {
    pub dossier: &'a Dossier,
    pub issue: &'a Issue,
    pub rule: Rule<'a>,
    pub records: &'a [StoredRecord],
    /// Records that the gate made in its mode of now.
    pub mine: Vec<&'a StoredRecord>,
    pub trust: Trust,
    /// What is judged.
    pub subject: Subject,
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
        let subject = subject(dossier, issue, rule, &mine)?;
        let revision = revision(rule.gate.id, &subject.parts);
        let state = match rule.gate.mode {
            Mode::Enforce => fold(mine.iter().map(|stored| &stored.record), &rule.contract.blob),
            Mode::Observe => State::default(),
        };
        Ok(Self { dossier, issue, rule, records, mine, trust, subject, revision, state })
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
            // A person's word was given until a time that is over.
            Standing::Unchanged(record) if lapsed(record, self.dossier.now) => {
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

    /// Whether the children stand already, so that nothing is filed.
    pub fn is_of_issues(&self) -> bool {
        self.subject.plan.as_ref().is_some_and(|plan| plan.shape == PlanShape::Issues)
    }

    /// Whether a PASS files children: on the command line and in a gate that only watches it does not.
    pub fn files(&self) -> bool {
        self.dossier.lane.is_some() && self.rule.gate.mode == Mode::Enforce
    }

    /// What a person calls a child of the plan.
    pub fn child_label(&self, index: usize) -> Option<String> {
        Some(self.subject.plan.as_ref()?.children.get(index)?.label.clone())
    }

    /// What is missing, empty or of the wrong form: in a split, in each child.
    pub fn missing(&self) -> Vec<Reason> {
        let fields = &self.rule.gate.fields;
        let mut reasons = self.subject.flaws.clone();
        match (&self.subject.plan, self.rule.gate.id) {
            (Some(plan), _) => {
                for child in &plan.children {
                    let found = preflight::check(fields, &Document::parse(&child.body));
                    let within = |reason| Reason::InChild { child: child.label.clone(), reason: Box::new(reason) };
                    reasons.extend(found.into_iter().map(within));
                }
            }
            (None, GateId::Split) => {}
            (None, _) => reasons.extend(preflight::check(fields, self.subject.body.document())),
        }
        reasons
    }

    /// The newest record of the gate, whatever its mode.
    pub fn chain_end(&self) -> Option<&'a Record> {
        chain(self.records, self.rule.gate.id).next_back().map(|stored| &stored.record)
    }

    /// Labels and check run as this record wants them, and nothing else.
    pub fn put_right(&self, record: &Record, because: &'static str) -> Done {
        let mut effects: Vec<Effect> = self.check(record, Vec::new()).into_iter().collect();
        effects.extend(self.labels(record.disposition));
        Done { at: self.subject.at, ..Done::effects(effects, because) }
    }

    /// The check run of the pull request that reports, on the commit that was judged.
    pub fn check(&self, record: &Record, reasons: Vec<Reason>) -> Option<Effect> {
        let pull = self.dossier.facts.pulls.get(&self.subject.at?)?;
        let language = super::super::speaks(self.rule.contract, self.issue);
        let check = GateCheck { language, head: pull.head.clone(), record: Box::new(record.clone()), reasons };
        Some(Effect::Check(Box::new(Check::Gate(check))))
    }

    pub fn labels(&self, disposition: Disposition) -> Vec<Effect> {
        let stands = self.stands_on();
        label_effects(self.dossier, stands, self.rule.gate.id, &self.rule.gate.label, self.records, disposition)
    }

    /// Where labels and comment stand: the pull request that reports, else the issue.
    pub fn stands_on(&self) -> &Issue {
        let pull = self.subject.at.and_then(|number| self.dossier.facts.issues.get(&number)?.as_ref());
        pull.unwrap_or(self.issue)
    }

    pub fn cause_label(&self) -> Option<&str> {
        cause_label(self.dossier)
    }
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
