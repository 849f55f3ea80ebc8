//! Records put together again from the App's own comments, after the database that held them was lost (chapter 8).
//!
//! Believed is only what a key of ours signed for the very place where it stands: this App, this repository, this issue.
//! Whatever else looks like a record is a [`Fault`]: it is told, and blocks nothing (chapter 10).

use crate::domain::effect::{ChildDraft, EffectId, EffectKind, PostedComment};
use crate::domain::gates::{is_unfinished, kept_children};
use crate::domain::ids::{CommentId, GateId, IssueNumber, Mac, RepositoryId, RunId};
use crate::domain::record::{
    ChainFault, Disposition, Record, SCHEMA, SigningKeys, TriageCause, Verification, chain_faults,
};
use crate::domain::run::{AppIdentity, Comment};
use serde_json::Value;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Puts together what comments of this App tell. Each must be one that the App wrote; what they hold is judged here.
#[must_use]
pub fn restored(told: &[Told], by: Believed<'_>) -> Restored {
    let mut restored = Restored::default();
    let mut chains: BTreeMap<(IssueNumber, GateId), Vec<Found>> = BTreeMap::new();
    for one in told {
        match believe(one, by) {
            Ok(None) => {}
            Ok(Some((number, record))) => {
                let found = Found { record, comment: one.comment.clone(), at: one.at, children: Kept::Nothing };
                chains.entry((number, found.record.gate)).or_default().push(found);
            }
            Err(what) => restored.faults.push(Fault {
                number: one.at,
                gate: None,
                seq: None,
                url: Some(one.comment.url.clone()),
                what,
            }),
        }
    }
    for (_, candidates) in chains {
        let (chain, left) = chain(candidates);
        restored.faults.extend(left.iter().map(|one| Fault::of(one, beside(one, &chain))));
        restored.faults.extend(broken(&chain));
        let newest = chain.last().map(|found| found.record.seq);
        for mut found in chain {
            match children(&found, told) {
                None => restored.faults.push(Fault::of(&found, FaultKind::PlanLost)),
                Some(children) if children.is_empty() => {}
                Some(children) if !is_unfinished(&found.record) => found.children = Kept::Filed(children),
                // What a later record stands behind is not filed any more.
                Some(children) if newest == Some(found.record.seq) => found.children = Kept::Unfiled(children),
                Some(_) => {}
            }
            restored.records.push(found);
        }
    }
    restored.faults.sort_by_key(|fault| (fault.number, fault.gate, fault.seq));
    restored
}

/// A comment of this App, taken apart by the codec.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// The issue or pull request that it stands on.
    pub at: IssueNumber,
    /// Its place.
    pub comment: PostedComment,
    /// What its first line names.
    pub marker: Option<EffectId>,
    /// The record that it holds, as parsed JSON; none where it holds none; why, where that cannot be read.
    pub record: Result<Option<Value>, String>,
    /// The plan that stands beside the record.
    pub plan: Option<String>,
    /// The part of a plan that it holds.
    pub part: Option<PlanPart>,
}

/// A part of a plan that did not fit beside its record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanPart {
    /// Which, from 1.
    pub number: usize,
    /// Of how many.
    pub of: usize,
    /// Its text.
    pub text: String,
}

/// Whose word counts, and where.
#[derive(Clone, Copy, Debug)]
pub struct Believed<'a> {
    /// Every key of ours.
    pub keys: &'a SigningKeys,
    /// This App.
    pub app: &'a AppIdentity,
    /// The repository that the comments stand in.
    pub repository: RepositoryId,
}

/// What comments told.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Restored {
    /// Records of one chain for each subject and gate: by subject, gate and `seq`.
    pub records: Vec<Found>,
    /// What was not believed, or is missing.
    pub faults: Vec<Fault>,
}

/// A record, and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Its newest edit: earlier ones are gone with the database.
    pub record: Record,
    /// Its comment.
    pub comment: PostedComment,
    /// The issue or pull request that the comment stands on.
    pub at: IssueNumber,
    /// The plan of a split, where it stands whole.
    pub children: Kept,
}

/// The children of a split's plan, as its comment kept them.
#[derive(Clone, Debug, PartialEq)]
pub enum Kept {
    /// None, or the plan is lost.
    Nothing,
    /// What was filed, as far as the record has numbers.
    Filed(Vec<ChildDraft>),
    /// What is still to be filed: the record is the newest of its gate and has no numbers yet.
    Unfiled(Vec<ChildDraft>),
}

/// Something that was not believed, or is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The subject of the record, or where the comment stands.
    pub number: IssueNumber,
    /// The record's gate, where a record of ours says it.
    pub gate: Option<GateId>,
    /// The record's `seq`, where a record of ours says it.
    pub seq: Option<u64>,
    /// The comment's page.
    pub url: Option<String>,
    /// What is wrong.
    pub what: FaultKind,
}

/// What can be wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultKind {
    /// The MAC is not the one of what stands there.
    #[error("changed after it was signed: not believed")]
    Tampered,
    /// Signed by a key that is not known here: not a sign of tampering.
    #[error("signed by the key {0}, which is not known here: add it to SEKISHO_SIGNING_KEYS")]
    UnknownKey(String),
    /// No record of a schema that this version knows.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// It stands in no comment that a record was written to: the first line was changed or is another's.
    #[error("its comment is not marked as this record's: not believed")]
    Misplaced,
    /// Signed for another place, such as an issue that was transferred since: it proves nothing here.
    #[error("of another {0}: proves nothing here")]
    Foreign(Foreign),
    /// The same record, or an earlier edit of it, stands in another comment, which counts.
    #[error("stands in another comment too, which counts")]
    Twice,
    /// Another record has the same place in the sequence, or does not follow from the one before.
    #[error("a fork: it does not follow from the record before, or another has its place")]
    Fork,
    /// Records before this one are missing.
    #[error("missing, and whatever followed it directly")]
    Gap,
    /// The same, and the records that followed know of none: the gate only watched, which leaves no comment.
    #[error("not there: the gate only watched then, and left no comment")]
    Watched,
    /// The database holds a later edit than the comment shows: it is still to be edited, or was put back by hand.
    #[error("shows an earlier edit than the database holds")]
    Behind,
    /// The plan of a split is not there whole, or not the one that the record names.
    #[error("its plan is not there whole, or is another: children are not filed from it")]
    PlanLost,
}

impl FaultKind {
    /// Its word for machines.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Tampered => "tampered",
            Self::UnknownKey(_) => "unknown-key",
            Self::Unreadable(_) => "unreadable",
            Self::Misplaced => "misplaced",
            Self::Foreign(_) => "foreign",
            Self::Twice => "twice",
            Self::Fork => "fork",
            Self::Gap => "gap",
            Self::Watched => "watched",
            Self::Behind => "behind",
            Self::PlanLost => "plan-lost",
        }
    }

    /// Whether the history is less than whole for it. A comment of elsewhere, a copy, a comment that the database is ahead
    /// of and what never had a comment take nothing from it.
    #[must_use]
    pub fn harms(&self) -> bool {
        !matches!(self, Self::Foreign(_) | Self::Twice | Self::Watched | Self::Behind)
    }
}

/// What a signed record names that is not this place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foreign {
    /// Another App.
    App,
    /// Another repository.
    Repository,
    /// Another issue.
    Subject,
}

impl std::fmt::Display for Foreign {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::App => "App",
            Self::Repository => "repository",
            Self::Subject => "issue",
        })
    }
}

impl AppIdentity {
    /// Whether the App wrote that comment. Not every server names the App; every one names the author.
    #[must_use]
    pub fn wrote(&self, comment: &Comment) -> bool {
        comment.app == Some(self.id) || comment.author.as_ref().is_some_and(|author| self.is(author))
    }
}

impl Fault {
    /// What is wrong with a record that is believed.
    #[must_use]
    pub fn of(found: &Found, what: FaultKind) -> Self {
        let record = &found.record;
        Self {
            number: record.subject.number.unwrap_or(found.at),
            gate: Some(record.gate),
            seq: Some(record.seq),
            url: Some(found.comment.url.clone()),
            what,
        }
    }
}

/// The record of a comment and its subject, where it is signed for this place; none where it holds none.
fn believe(told: &Told, by: Believed<'_>) -> Result<Option<(IssueNumber, Record)>, FaultKind> {
    let value = match &told.record {
        Ok(None) => return Ok(None),
        Ok(Some(value)) => value,
        Err(why) => return Err(FaultKind::Unreadable(why.clone())),
    };
    match by.keys.verify(value) {
        Verification::Good => {}
        Verification::UnknownKey(kid) => return Err(FaultKind::UnknownKey(kid)),
        Verification::Bad | Verification::Unsigned => return Err(FaultKind::Tampered),
    }
    let record: Record =
        serde_json::from_value(value.clone()).map_err(|error| FaultKind::Unreadable(error.to_string()))?;
    if record.schema != SCHEMA {
        return Err(FaultKind::Unreadable(format!("schema {:?}, expected {SCHEMA:?}", record.schema)));
    }
    if record.app != Some(by.app.id) {
        return Err(FaultKind::Foreign(Foreign::App));
    }
    if record.repository != Some(by.repository) {
        return Err(FaultKind::Foreign(Foreign::Repository));
    }
    let Some(number) = record.subject.number.filter(|_| stands_where_it_says(&record, told.at)) else {
        return Err(FaultKind::Foreign(Foreign::Subject));
    };
    let marked = |marker: &EffectId| marker.kind == EffectKind::Comment && marker.run == record.run;
    if !told.marker.as_ref().is_some_and(marked) {
        return Err(FaultKind::Misplaced);
    }
    Ok(Some((number, record)))
}

/// On its subject; an outcome on the pull request whose body it judged, as its signed page says.
fn stands_where_it_says(record: &Record, at: IssueNumber) -> bool {
    let reported_in = || -> Option<IssueNumber> {
        let (_, number) = record.subject.url.as_deref()?.rsplit_once("/pull/")?;
        number.parse().ok().map(IssueNumber)
    };
    record.subject.number == Some(at) || (record.gate == GateId::Outcome && reported_in() == Some(at))
}

fn mac(record: &Record) -> Option<&Mac> {
    record.signature.as_ref().map(|signature| &signature.mac)
}

/// Of all that claims a place in one sequence: the branch that ends with the newest judging, by `seq`, and the rest. A
/// database that was lost and not restored began a second one at 1.
fn chain(mut candidates: Vec<Found>) -> (Vec<Found>, Vec<Found>) {
    let older = |found: &Found| Reverse(found.comment.id);
    let newest = |found: &Found| (found.record.judged_at, found.record.seq, found.record.edit, older(found));
    let mut chain: Vec<Found> = Vec::new();
    let Some(tip) = (0..candidates.len()).max_by_key(|at| newest(&candidates[*at])) else { return (chain, candidates) };
    chain.push(candidates.swap_remove(tip));
    while let Some(next) = chain.last() {
        let below = |found: &Found| found.record.seq < next.record.seq;
        let rank = |found: &Found| {
            let prev = next.record.prev.as_ref();
            let leads = prev.is_some() && (mac(&found.record) == prev || found.record.was.as_ref() == prev);
            (found.record.seq, leads, found.record.edit, found.record.judged_at, older(found))
        };
        let before = (0..candidates.len()).filter(|at| below(&candidates[*at]));
        let Some(before) = before.max_by_key(|at| rank(&candidates[*at])) else { break };
        chain.push(candidates.swap_remove(before));
    }
    chain.reverse();
    (chain, candidates)
}

/// What a record is that its chain passed over.
fn beside(left: &Found, chain: &[Found]) -> FaultKind {
    let place = |found: &Found| (found.record.seq, found.record.run.clone());
    let same = chain.iter().any(|found| place(found) == place(left) && found.record.edit >= left.record.edit);
    if same { FaultKind::Twice } else { FaultKind::Fork }
}

/// Gaps and forks of a chain, each once: what follows a gap never follows from the record before.
fn broken(chain: &[Found]) -> Vec<Fault> {
    let records: Vec<&Record> = chain.iter().map(|found| &found.record).collect();
    let mut faults = Vec::new();
    let mut after_gap = None;
    for fault in chain_faults(&records) {
        let seq = match fault {
            ChainFault::Gap(seq) | ChainFault::Fork(seq) => seq,
        };
        let Some(next) = chain.iter().find(|found| found.record.seq >= seq) else { continue };
        match fault {
            ChainFault::Gap(_) => {
                after_gap = Some(next.record.seq);
                let known = |run: &RunId| chain.iter().any(|found| found.record.run == *run);
                let watched = next.record.history.iter().all(known);
                let what = if watched { FaultKind::Watched } else { FaultKind::Gap };
                faults.push(Fault { seq: Some(seq), url: None, ..Fault::of(next, what) });
            }
            ChainFault::Fork(seq) if after_gap == Some(seq) => {}
            ChainFault::Fork(_) => faults.push(Fault::of(next, FaultKind::Fork)),
        }
    }
    faults
}

/// What a split was to file; none where its plan is lost. Other records file nothing.
fn children(found: &Found, told: &[Told]) -> Option<Vec<ChildDraft>> {
    let record = &found.record;
    // One that judged issues which stood already has their numbers from the beginning, and filed none.
    let of_issues = record.edit == 0 && record.children.iter().all(|child| child.number.is_some());
    // One that a person let go on, or that was never a PASS of its own, files nothing.
    let files = matches!(record.triage_cause, None | Some(TriageCause::PlanRefused))
        && record.disposition != Disposition::Overridden
        && !record.children.is_empty();
    if record.gate != GateId::Split || of_issues || !files {
        return Some(Vec::new());
    }
    let beside = told.iter().find(|one| one.comment.id == found.comment.id)?.plan.clone();
    kept_children(record, &beside.or_else(|| joined(&record.run, found.at, told))?)
}

/// A plan of several comments, where each stands.
fn joined(run: &RunId, at: IssueNumber, told: &[Told]) -> Option<String> {
    let mine = |one: &&Told| {
        one.at == at && one.marker.as_ref().is_some_and(|marker| marker.kind == EffectKind::Part && marker.run == *run)
    };
    let mut parts: BTreeMap<usize, (CommentId, &PlanPart)> = BTreeMap::new();
    for (id, part) in told.iter().filter(mine).filter_map(|one| Some((one.comment.id, one.part.as_ref()?))) {
        let first = parts.entry(part.number).or_insert((id, part));
        if id < first.0 {
            *first = (id, part);
        }
    }
    let of = parts.values().next()?.1.of;
    let whole = parts.len() == of && parts.iter().zip(1..).all(|((at, (_, part)), nth)| *at == nth && part.of == of);
    whole.then(|| parts.values().map(|(_, part)| part.text.as_str()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::{AppId, NodeId};
    use crate::domain::record::tests as samples;
    use crate::domain::record::{Child, Disposition, to_value};
    use proptest::prelude::*;

    const HERE: IssueNumber = IssueNumber(3);

    fn keys() -> SigningKeys {
        SigningKeys::new(vec![("new".into(), vec![1; 32]), ("old".into(), vec![2; 32])])
    }

    /// A signed record behind another one.
    fn signed(seq: u64, before: Option<&Record>, change: impl FnOnce(&mut Record)) -> Record {
        let mut record = Record {
            seq,
            run: RunId(format!("run-{seq}")),
            prev: before.and_then(mac).cloned(),
            history: before.iter().flat_map(|before| before.history.iter().chain([&before.run]).cloned()).collect(),
            judged_at: samples::record().judged_at + chrono::Duration::hours(i64::try_from(seq).unwrap()),
            ..samples::record()
        };
        change(&mut record);
        keys().sign(&mut record);
        record
    }

    fn three() -> [Record; 3] {
        let one = signed(1, None, |_| {});
        let two = signed(2, Some(&one), |_| {});
        let three = signed(3, Some(&two), |_| {});
        [one, two, three]
    }

    /// The comment that a record was written to.
    fn told(id: u64, record: &Record) -> Told {
        let comment = PostedComment { id: CommentId(id), node: NodeId::new("IC"), url: format!("page#{id}") };
        let marker = Some(EffectId { run: record.run.clone(), kind: EffectKind::Comment, ordinal: 0 });
        Told { at: HERE, comment, marker, record: Ok(Some(to_value(record))), plan: None, part: None }
    }

    fn look(told: &[Told]) -> Restored {
        let app = AppIdentity { id: AppId(12345), slug: "sekisho".into() };
        let keys = keys();
        restored(told, Believed { keys: &keys, app: &app, repository: RepositoryId(7) })
    }

    fn check(told: &[Told], seqs: &[u64], faults: &[(&str, Option<u64>)]) {
        let restored = look(told);
        assert_eq!(restored.records.iter().map(|found| found.record.seq).collect::<Vec<_>>(), seqs);
        let found: Vec<_> = restored.faults.iter().map(|fault| (fault.what.as_str(), fault.seq)).collect();
        assert_eq!(found, faults);
    }

    fn changed(told: &Told, key: &str, value: Value) -> Told {
        let mut changed = told.clone();
        if let Ok(Some(record)) = &mut changed.record {
            record[key] = value;
        }
        changed
    }

    #[test]
    fn a_whole_chain_comes_back_in_order() {
        let [one, two, three] = three();
        check(&[told(12, &two), told(11, &one), told(13, &three)], &[1, 2, 3], &[]);
        assert_eq!(look(&[told(12, &one)]).records[0].comment.id, CommentId(12));
        check(&[], &[], &[]);
    }

    #[test]
    fn what_was_changed_is_not_believed_and_leaves_a_gap() {
        let [one, two, three] = three();
        let forged = changed(&told(12, &two), "disposition", "passed".into());
        check(&[told(11, &one), forged, told(13, &three)], &[1, 3], &[("tampered", None), ("gap", Some(2))]);
        let bare = changed(&told(11, &one), "signature", Value::Null);
        check(&[bare], &[], &[("tampered", None)]);
        let mut broken = told(11, &one);
        broken.record = Err("the record is not JSON".into());
        check(&[broken], &[], &[("unreadable", None)]);
    }

    #[test]
    fn every_key_verifies_and_a_strangers_is_named() {
        let one = signed(1, None, |_| {});
        let with = |keys: SigningKeys| {
            let mut record = one.clone();
            keys.sign(&mut record);
            look(&[told(11, &record)])
        };
        assert_eq!(with(SigningKeys::new(vec![("old".into(), vec![2; 32])])).records.len(), 1);
        let stranger = with(SigningKeys::new(vec![("gone".into(), vec![9; 32])]));
        assert_eq!(stranger.faults[0].what, FaultKind::UnknownKey("gone".into()));
        assert_eq!((stranger.records.len(), stranger.faults[0].url.as_deref()), (0, Some("page#11")));
    }

    #[test]
    fn what_was_signed_for_another_place_proves_nothing_here() {
        let place = |change: fn(&mut Record)| look(&[told(11, &signed(1, None, change))]).faults[0].what.clone();
        assert_eq!(place(|record| record.app = Some(AppId(1))), FaultKind::Foreign(Foreign::App));
        assert_eq!(place(|record| record.app = None), FaultKind::Foreign(Foreign::App));
        let elsewhere = |record: &mut Record| record.repository = Some(RepositoryId(8));
        assert_eq!(place(elsewhere), FaultKind::Foreign(Foreign::Repository));
        let other = |record: &mut Record| record.subject.number = Some(IssueNumber(4));
        assert_eq!(place(other), FaultKind::Foreign(Foreign::Subject));
        let newer = |record: &mut Record| record.schema = "sekisho/record/2".into();
        assert!(matches!(place(newer), FaultKind::Unreadable(_)));
    }

    #[test]
    fn an_outcome_stands_on_the_pull_request_that_its_page_names() {
        let outcome = |gate, url: &str| {
            signed(1, None, |record| {
                (record.gate, record.subject.url) = (gate, Some(url.to_owned()));
                record.subject.number = Some(IssueNumber(2));
            })
        };
        let found = look(&[told(11, &outcome(GateId::Outcome, "https://github.com/acme/widgets/pull/3"))]);
        assert_eq!((found.records[0].record.subject.number, found.records[0].at), (Some(IssueNumber(2)), HERE));
        for (gate, url) in [
            (GateId::Outcome, "https://github.com/acme/widgets/pull/33"),
            (GateId::Outcome, "https://github.com/acme/widgets/issues/3#issuecomment-3"),
            (GateId::Start, "https://github.com/acme/widgets/pull/3"),
        ] {
            check(&[told(11, &outcome(gate, url))], &[], &[("foreign", None)]);
        }
    }

    #[test]
    fn only_the_comment_that_it_was_written_to_counts() {
        let one = signed(1, None, |_| {});
        let mut quoted = told(11, &one);
        quoted.marker = None;
        check(&[quoted.clone()], &[], &[("misplaced", None)]);
        quoted.marker = Some(EffectId { run: one.run.clone(), kind: EffectKind::Reply, ordinal: 0 });
        check(&[quoted.clone()], &[], &[("misplaced", None)]);
        quoted.marker = Some(EffectId { run: RunId::new("another"), kind: EffectKind::Comment, ordinal: 0 });
        check(&[quoted], &[], &[("misplaced", None)]);
    }

    #[test]
    fn a_copy_counts_once_and_the_newest_edit_wins() {
        let one = signed(1, None, |_| {});
        let twice = look(&[told(12, &one), told(11, &one)]);
        assert_eq!((twice.records.len(), twice.records[0].comment.id), (1, CommentId(11)), "the older comment");
        assert_eq!((twice.faults[0].what.clone(), twice.faults[0].what.harms()), (FaultKind::Twice, false));
        let edited = signed(1, None, |record| (record.edit, record.was) = (1, mac(&one).cloned()));
        let two = signed(2, Some(&edited), |_| {});
        check(&[told(11, &one), told(12, &edited), told(13, &two)], &[1, 2], &[("twice", Some(1))]);
        assert_eq!(look(&[told(11, &one), told(12, &edited)]).records[0].record.edit, 1);
        // A comment that was put back to its first edit shows where a later record follows from the second.
        check(&[told(11, &one), told(13, &two)], &[1, 2], &[("fork", Some(2))]);
    }

    #[test]
    fn of_two_branches_the_one_that_was_judged_last_is_taken() {
        let [one, two, three] = three();
        let later = |record: &mut Record| record.judged_at += chrono::Duration::days(9);
        let anew = signed(1, None, |record| {
            later(record);
            record.run = RunId::new("anew-1");
        });
        let next = signed(2, Some(&anew), |record| {
            later(record);
            record.run = RunId::new("anew-2");
        });
        let all = [told(11, &one), told(12, &two), told(13, &three), told(14, &anew), told(15, &next)];
        check(&all, &[1, 2], &[("fork", Some(1)), ("fork", Some(2)), ("fork", Some(3))]);
        let ids: Vec<_> = look(&all).records.iter().map(|found| found.comment.id.0).collect();
        assert_eq!(ids, [14, 15]);
    }

    #[test]
    fn a_gap_that_no_later_record_knows_of_was_only_watched() {
        let [one, _, three] = three();
        check(&[told(11, &one), told(13, &three)], &[1, 3], &[("gap", Some(2))]);
        let unaware = signed(3, None, |record| record.history = vec![one.run.clone()]);
        check(&[told(11, &one), told(13, &unaware)], &[1, 3], &[("watched", Some(2))]);
        check(&[told(13, &three)], &[3], &[("gap", Some(1))]);
    }

    /// A passed split of two children; numbered or not.
    fn split(numbers: [Option<u64>; 2]) -> Record {
        signed(1, None, |record| {
            (record.gate, record.disposition) = (GateId::Split, Disposition::Passed);
            record.edit = u64::from(numbers[0].is_some());
            let child = |index: u64, title: &str, requirement: &str| Child {
                index,
                number: numbers[usize::try_from(index).unwrap()].map(IssueNumber),
                title: title.into(),
                requirement: Some(requirement.into()),
            };
            record.children = vec![child(0, "Export", "R-1"), child(1, "Say why", "R-2, R-3")];
        })
    }

    const PLAN: &str = "children:\n- title: \"Export\"\n  body: |\n    one\n  blocked_by: []\n- title: \"Say why\"\n  body: |\n    two\n  blocked_by: [0]\nrequirements_map:\n- parent_requirement: \"R-9\"\n  children: [0]\n";

    #[test]
    fn a_split_brings_its_plan_and_what_it_covers_is_what_was_signed() {
        let with = |record: &Record, plan: &str| look(&[Told { plan: Some(plan.into()), ..told(11, record) }]);
        let Kept::Unfiled(drafts) = with(&split([None, None]), PLAN).records[0].children.clone() else { panic!() };
        assert_eq!((drafts[1].body.as_str(), drafts[1].blocked_by.clone()), ("two\n", vec![0]));
        assert_eq!((drafts[0].covers.clone(), drafts[1].covers.clone()), (vec!["R-1".into()], vec!["R-2, R-3".into()]));
        let numbered = with(&split([Some(4), Some(5)]), PLAN);
        assert!(matches!(&numbered.records[0].children, Kept::Filed(drafts) if drafts.len() == 2));
        for plan in [PLAN.replace("Say why", "Pay me"), PLAN[..60].to_owned(), String::new()] {
            let lost = with(&split([None, None]), &plan);
            assert_eq!((lost.records.len(), lost.records[0].children.clone()), (1, Kept::Nothing), "{plan}");
            assert_eq!(lost.faults[0].what, FaultKind::PlanLost);
        }
        assert_eq!(look(&[told(11, &split([None, None]))]).faults[0].what, FaultKind::PlanLost);
    }

    #[test]
    fn a_split_that_something_stands_behind_is_not_filed() {
        let first = split([None, None]);
        let next = signed(2, Some(&first), |record| record.gate = GateId::Split);
        let found = look(&[Told { plan: Some(PLAN.into()), ..told(11, &first) }, told(12, &next)]);
        assert_eq!((found.records[0].children.clone(), found.faults.len()), (Kept::Nothing, 0));
    }

    #[test]
    fn a_plan_in_parts_counts_where_each_part_stands() {
        let record = split([None, None]);
        let (first, second) = PLAN.split_at(40);
        let part = |id, number, text: &str| Told {
            marker: Some(EffectId { run: record.run.clone(), kind: EffectKind::Part, ordinal: 0 }),
            record: Ok(None),
            part: Some(PlanPart { number, of: 2, text: text.into() }),
            ..told(id, &record)
        };
        let whole = |parts: &[Told]| {
            let found = look(&[parts, &[told(20, &record)]].concat());
            matches!(found.records[0].children, Kept::Unfiled(_))
        };
        assert!(whole(&[part(11, 1, first), part(12, 2, second)]));
        assert!(whole(&[part(13, 1, "another"), part(11, 1, first), part(12, 2, second)]), "the older one of two");
        assert!(!whole(&[part(11, 1, first)]));
        assert!(!whole(&[part(11, 1, first), part(12, 3, second)]));
    }

    proptest! {
        #[test]
        fn nothing_but_what_was_signed_comes_back(
            order in Just((0..6usize).collect::<Vec<_>>()).prop_shuffle(),
            kept in proptest::collection::vec(any::<bool>(), 6),
            key in prop_oneof![Just("seq"), Just("edit"), Just("run"), Just("judged_at"), Just("children"), Just("kid")],
            junk in prop_oneof![Just(Value::Null), any::<u64>().prop_map(Value::from), any::<f64>().prop_map(Value::from), ".*".prop_map(Value::from)],
        ) {
            let [one, two, three] = three();
            let all = [
                told(11, &one), told(12, &two), told(13, &three),
                changed(&told(14, &one), key, junk.clone()), changed(&told(15, &two), key, junk.clone()),
                changed(&told(16, &three), "signature", junk),
            ];
            let some: Vec<Told> = order.iter().filter(|at| kept[**at]).map(|at| all[*at].clone()).collect();
            let restored = look(&some);
            let signed = [one, two, three];
            prop_assert!(restored.records.iter().all(|found| signed.contains(&found.record)));
            let expected = (0..3).filter(|at| kept[*at]).count();
            prop_assert_eq!(restored.records.len(), expected);
        }
    }
}
