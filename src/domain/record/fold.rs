//! The state of (subject, gate): a pure fold over its records under the contract in force (chapter 10).

use super::{Disposition, Record, Trust, Verdict};
use crate::domain::event::CauseKind;
use crate::domain::ids::{BlobHash, Mac, Revision};
use std::iter::once;

/// What the records of one gate on one subject add up to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct State {
    /// Returns in a row under the contract in force.
    pub returns: u32,
    /// The last judged return since that count was last 0.
    pub last_judged: Option<Verdict>,
}

/// Folds records of one gate, in `seq` order. Records under another contract are another question.
#[must_use]
pub fn fold<'a>(records: impl IntoIterator<Item = &'a Record>, blob: &BlobHash) -> State {
    records.into_iter().filter(|record| record.contract.blob == *blob).fold(State::default(), step)
}

fn step(state: State, record: &Record) -> State {
    let before = if is_retry(record) { State::default() } else { state };
    match (record.disposition, record.verdict) {
        (Disposition::Passed | Disposition::Overridden, _) => State::default(),
        (_, Some(verdict @ (Verdict::TooAbstract | Verdict::TooConcrete))) => State {
            returns: before.returns + 1,
            last_judged: if record.model.is_some() { Some(verdict) } else { before.last_judged },
        },
        _ => before,
    }
}

/// The places, among these records of one gate, of the returns in a row that [`fold`] counts.
pub(crate) fn counted(records: &[&Record], blob: &BlobHash) -> Vec<usize> {
    let (mut returns, mut state) = (Vec::new(), State::default());
    for (place, record) in records.iter().enumerate().filter(|(_, record)| record.contract.blob == *blob) {
        if is_retry(record) {
            returns.clear();
            state = State::default();
        }
        let after = step(state, record);
        match after.returns {
            0 => returns.clear(),
            more if more > state.returns => returns.push(place),
            _ => {}
        }
        state = after;
    }
    returns
}

/// Whether `/gate retry` raised it.
pub(crate) fn is_retry(record: &Record) -> bool {
    record.cause.kind == CauseKind::Command && record.cause.trigger.as_deref().is_some_and(is_retry_line)
}

/// Commands are read without regard to case.
fn is_retry_line(line: &str) -> bool {
    line.split_whitespace().nth(1).is_some_and(|word| word.eq_ignore_ascii_case("retry"))
}

/// What stands before the question that a run now asks: the same question, or a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing<'a> {
    /// A new key: a new record in a new comment.
    New {
        /// The attempt that it counts as.
        attempt: u64,
    },
    /// The newest record has this key and a verdict: labels are put right, nothing else.
    Unchanged(&'a Record),
    /// The newest record has this key and no verdict: it may be completed, in its own comment.
    Completes(&'a Record),
}

/// What a run brings to the question whether it is a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked<'a> {
    /// The revision now.
    pub revision: &'a Revision,
    /// The contract in force.
    pub blob: &'a BlobHash,
    /// Whose word the run stands on.
    pub trust: Trust,
    /// Whether `/gate retry` asks.
    pub retry: bool,
}

/// Compares the key of a run with the records of its gate, in `seq` order (chapter 10, key and attempt).
#[must_use]
pub fn standing<'a>(records: &[&'a Record], asked: Asked<'_>) -> Standing<'a> {
    let same = |record: &Record| record.subject.revision == *asked.revision && record.contract.blob == *asked.blob;
    let attempts = records.iter().filter(|record| same(record)).map(|record| record.attempt).max().unwrap_or(0);
    match records.last() {
        Some(newest) if same(newest) => {
            let vouched = newest.cause.trust == Trust::Open && asked.trust == Trust::Trusted;
            if asked.retry || vouched {
                Standing::New { attempt: attempts + 1 }
            } else if newest.verdict.is_some() {
                Standing::Unchanged(newest)
            } else {
                Standing::Completes(newest)
            }
        }
        _ => Standing::New { attempt: attempts + 1 },
    }
}

/// A fault in the chain of records; it is reported and blocks nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChainFault {
    /// This `seq` is missing.
    Gap(u64),
    /// This `seq` does not follow from the one before.
    Fork(u64),
}

/// Checks the chain of one gate's records, in `seq` order: `seq` without gaps, `prev` the MAC before.
///
/// The newest edit of each will do, or every edit: a record that was rewritten after its follower was made has another MAC
/// than the follower's `prev`, and `was` bridges that.
#[must_use]
pub fn chain_faults(records: &[&Record]) -> Vec<ChainFault> {
    let mac = |record: &Record| record.signature.as_ref().map(|signature| signature.mac.clone());
    let mut faults = Vec::new();
    let mut expected = 1;
    let mut before: Vec<Option<Mac>> = vec![None];
    let mut rest = records;
    while let Some(first) = rest.first() {
        let seq = first.seq;
        let (edits, later) = rest.split_at(rest.iter().take_while(|record| record.seq == seq).count());
        if seq != expected {
            faults.push(ChainFault::Gap(expected));
        }
        let chained = edits.windows(2).all(|pair| pair[1].was == mac(pair[0]) && pair[1].edit == pair[0].edit + 1);
        if !before.contains(&first.prev) || !chained {
            faults.push(ChainFault::Fork(seq));
        }
        before = edits.iter().flat_map(|record| once(mac(record)).chain(record.was.clone().map(Some))).collect();
        expected = seq + 1;
        rest = later;
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::super::tests as samples;
    use super::*;
    use proptest::prelude::*;

    fn record(verdict: Option<Verdict>, disposition: Disposition) -> Record {
        Record { verdict, disposition, ..samples::record() }
    }

    fn returned(verdict: Verdict) -> Record {
        record(Some(verdict), Disposition::Returned)
    }

    fn retried(mut record: Record) -> Record {
        record.cause.kind = CauseKind::Command;
        record.cause.trigger = Some("/gate retry start".into());
        record
    }

    fn check(records: &[Record], returns: u32, last_judged: Option<Verdict>) {
        assert_eq!(fold(records, &samples::record().contract.blob), State { returns, last_judged });
    }

    #[test]
    fn the_table_of_chapter_10() {
        use Verdict::{Pass, TooAbstract, TooConcrete};
        check(&[], 0, None);
        check(&[returned(TooAbstract), returned(TooAbstract)], 2, Some(TooAbstract));
        check(&[returned(TooAbstract), record(Some(Pass), Disposition::Passed)], 0, None);
        check(&[returned(TooAbstract), record(Some(TooAbstract), Disposition::Overridden)], 0, None);
        check(&[returned(TooAbstract), record(None, Disposition::NotJudged)], 1, Some(TooAbstract));
        check(&[returned(TooAbstract), record(Some(Pass), Disposition::Triage)], 1, Some(TooAbstract));
        check(&[returned(TooAbstract), record(Some(TooConcrete), Disposition::Triage)], 2, Some(TooConcrete));
        check(&[returned(TooAbstract), returned(TooAbstract), retried(returned(TooConcrete))], 1, Some(TooConcrete));
        check(&[returned(TooAbstract), retried(record(None, Disposition::NotJudged))], 0, None);
        let mut shouted = retried(returned(TooConcrete));
        shouted.cause.trigger = Some("/gate RETRY start".into());
        check(&[returned(TooAbstract), returned(TooAbstract), shouted], 1, Some(TooConcrete));
        let preflight = Record { model: None, ..returned(TooAbstract) };
        check(&[returned(TooConcrete), preflight.clone()], 2, Some(TooConcrete));
        check(&[preflight], 1, None);
    }

    #[test]
    fn a_changed_contract_is_a_new_question() {
        let mut other = returned(Verdict::TooAbstract);
        other.contract.blob = BlobHash::new("other");
        check(&[other, returned(Verdict::TooConcrete)], 1, Some(Verdict::TooConcrete));
    }

    #[test]
    fn standing_follows_the_key() {
        let sample = samples::record();
        let blob = sample.contract.blob.clone();
        let ask = |records: &[&Record], revision: &str, trust: Trust, retry: bool| {
            let revision = Revision::new(revision);
            match standing(records, Asked { revision: &revision, blob: &blob, trust, retry }) {
                Standing::New { attempt } => format!("new {attempt}"),
                Standing::Unchanged(record) => format!("unchanged {}", record.attempt),
                Standing::Completes(record) => format!("completes {}", record.attempt),
            }
        };
        let at = |revision: &str, attempt: u64| {
            let mut record = returned(Verdict::TooAbstract);
            record.subject.revision = Revision::new(revision);
            record.attempt = attempt;
            record
        };
        let (a1, b1, a2) = (at("a", 1), at("b", 1), at("a", 2));
        assert_eq!(ask(&[], "a", Trust::Trusted, false), "new 1");
        assert_eq!(ask(&[&a1], "a", Trust::Trusted, false), "unchanged 1");
        assert_eq!(ask(&[&a1], "a", Trust::Trusted, true), "new 2");
        assert_eq!(ask(&[&a1, &b1], "a", Trust::Trusted, false), "new 2");
        assert_eq!(ask(&[&a1, &b1, &a2], "a", Trust::Trusted, false), "unchanged 2");
        let mut open = at("a", 1);
        open.cause.trust = Trust::Open;
        assert_eq!(ask(&[&open], "a", Trust::Open, false), "unchanged 1");
        assert_eq!(ask(&[&open], "a", Trust::Trusted, false), "new 2");
        let null = Record { verdict: None, ..at("a", 1) };
        assert_eq!(ask(&[&null], "a", Trust::Trusted, false), "completes 1");
    }

    #[test]
    fn gaps_and_forks_show() {
        let keys = super::super::sign::SigningKeys::new(vec![("k".into(), vec![7; 32])]);
        let make = |seq: u64, edit: u64, prev: Option<&Record>, was: Option<&Record>| {
            let mac = |record: &Record| record.signature.clone().unwrap().mac;
            let mut record = Record { seq, edit, prev: prev.map(mac), was: was.map(mac), ..samples::record() };
            keys.sign(&mut record);
            record
        };
        let one = make(1, 0, None, None);
        let edited = make(1, 1, None, Some(&one));
        let two = make(2, 0, Some(&edited), None);
        assert_eq!(chain_faults(&[&one, &edited, &two]), []);
        assert_eq!(chain_faults(&[&two]), [ChainFault::Gap(1), ChainFault::Fork(2)]);
        assert_eq!(
            chain_faults(&[&edited, &make(2, 0, Some(&one), None)]),
            [],
            "rewritten after its follower was made"
        );
        assert_eq!(chain_faults(&[&one, &make(2, 0, None, None)]), [ChainFault::Fork(2)], "it follows from nothing");
        let forged = make(2, 0, Some(&two), None);
        assert_eq!(chain_faults(&[&one, &edited, &forged]), [ChainFault::Fork(2)]);
    }

    proptest! {
        #[test]
        fn a_pass_always_ends_at_zero(kinds in proptest::collection::vec(0..4usize, 0..12)) {
            let mut records: Vec<Record> = kinds.iter().map(|kind| match kind {
                0 => returned(Verdict::TooAbstract),
                1 => returned(Verdict::TooConcrete),
                2 => record(None, Disposition::NotJudged),
                _ => retried(returned(Verdict::TooAbstract)),
            }).collect();
            let state = fold(&records, &samples::record().contract.blob);
            let longest = kinds.iter().filter(|kind| **kind != 2).count();
            prop_assert!(state.returns as usize <= longest);
            prop_assert_eq!(state.returns == 0, state.last_judged.is_none());
            records.push(record(Some(Verdict::Pass), Disposition::Passed));
            prop_assert_eq!(fold(&records, &samples::record().contract.blob), State::default());
        }
    }
}
