//! What a model is asked: the criteria that code alone does not decide, each under a short key.

use crate::domain::contract::DetectorId;
use crate::domain::finding::{Answer, Brief, Criterion};
use std::fmt;

/// The questions of one brief. Their number and order follow from the contract, so the text that asks them can be cached.
#[derive(Clone, Debug)]
pub struct Questions<'b> {
    brief: &'b Brief,
    asked: Vec<&'b Criterion>,
}

/// How a criterion is called between a model and us: `C1`, `C2` … in the brief's order. Ids of a contract may be whole
/// sentences, cost tokens and come back with a letter changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(usize);

impl<'b> Questions<'b> {
    /// Leaves out what a rule has decided that is a matter of fact: a model's word would count for nothing there.
    #[must_use]
    pub fn of(brief: &'b Brief, rules: &Answer) -> Self {
        let left_to_code = |criterion: &Criterion| {
            is_fact(criterion) && rules.findings.iter().any(|finding| finding.criterion == criterion.id)
        };
        Self { brief, asked: brief.criteria.iter().filter(|criterion| !left_to_code(criterion)).collect() }
    }

    /// What they are asked about.
    #[must_use]
    pub fn brief(&self) -> &'b Brief {
        self.brief
    }

    /// Each key with its criterion, in the brief's order.
    #[must_use]
    pub fn asked(&self) -> impl ExactSizeIterator<Item = (Key, &'b Criterion)> + '_ {
        self.asked.iter().enumerate().map(|(index, criterion)| (Key(index + 1), *criterion))
    }

    /// Whether nothing is left to ask, so that no model need be called.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.asked.is_empty()
    }

    /// The key that a model wrote, where it was asked.
    pub(super) fn key(&self, written: &str) -> Option<Key> {
        let digits = written.strip_prefix('C').filter(|digits| !digits.starts_with(['0', '+']))?;
        let number: usize = digits.parse().ok()?;
        (1..=self.asked.len()).contains(&number).then_some(Key(number))
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "C{}", self.0)
    }
}

impl Key {
    /// The place among the asked criteria, from 0.
    pub(super) fn index(self) -> usize {
        self.0 - 1
    }
}

/// Whether the criterion is a matter of fact that code alone decides: cycles, orphans, ids, secrets, raw logs, missing
/// fields (chapter 4). Everywhere else a rule knows some of the words that match, and a model may know more.
pub(super) fn is_fact(criterion: &Criterion) -> bool {
    criterion.detect.as_ref().is_some_and(|spec| match spec.id {
        DetectorId::FieldEmpty
        | DetectorId::SectionMissing
        | DetectorId::Unnumbered
        | DetectorId::Unmapped
        | DetectorId::TableMissing
        | DetectorId::RawLog
        | DetectorId::Secret
        | DetectorId::Cycle
        | DetectorId::Orphan
        | DetectorId::BudgetExceeded => true,
        DetectorId::Words
        | DetectorId::Regex
        | DetectorId::Unmeasured
        | DetectorId::ConclusionNotFirst
        | DetectorId::PersonalData
        | DetectorId::ImplementationDetail
        | DetectorId::AlwaysSeparate
        | DetectorId::TooManyItems
        | DetectorId::CopiedReport
        | DetectorId::MissingLink
        | DetectorId::PremiseMissing
        | DetectorId::EvaluationUncontrolled => false,
    })
}
