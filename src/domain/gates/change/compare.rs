//! Old records against new verdicts: which flip (chapter 2, the impact comment). Pure; knows nothing of how they were judged.

use crate::domain::record::{Record, TriageCause, Verdict};
use crate::domain::run::{Done, Issue, StoredRecord};
use crate::domain::view::{Comparison, Flip, Level, Reason, Unchanged, Why};

/// What became of one judged subject.
pub(super) enum Again<'a> {
    /// It cannot be read.
    Unread,
    /// Its text, or its parent's, is no longer what was judged.
    Changed,
    /// The contract at the head does not judge this gate.
    Unjudged,
    /// It was judged again.
    Judged(&'a Issue, Box<Done>),
}

/// Counts and lists, in the order of the records.
pub(super) fn compare<'a>(judged: impl IntoIterator<Item = (&'a StoredRecord, Again<'a>)>) -> Comparison {
    let mut comparison = Comparison::default();
    for (stored, again) in judged {
        match again {
            Again::Unread => comparison.unread += 1,
            Again::Changed => comparison.changed += 1,
            Again::Unjudged => comparison.unjudged += 1,
            Again::Judged(issue, done) => {
                let levels = level(&stored.record).zip(done.record.as_ref().and_then(level));
                let Some((from, to)) = levels else {
                    comparison.unjudged += 1;
                    continue;
                };
                if from == to {
                    let (number, url, gate) = (issue.number, issue.url.clone(), stored.record.gate);
                    comparison.unchanged.push(Unchanged { number, url, gate, level: to });
                } else {
                    comparison.flips.push(flip(stored, issue, &done, (from, to)));
                }
            }
        }
    }
    comparison
}

fn flip(stored: &StoredRecord, issue: &Issue, done: &Done, (from, to): (Level, Level)) -> Flip {
    let now = done.view.iter().flat_map(|view| &view.reasons).find(|reason| is_against(reason));
    let before = || stored.record.reasons.first().filter(|_| !matches!(from, Level::Pass | Level::LowPass));
    let why = match now {
        Some(reason) => Some(Why::Now(reason.clone())),
        None => before().map(|reason| Why::Before(reason.clone())),
    };
    Flip {
        number: issue.number,
        title: issue.title.clone(),
        url: issue.url.clone(),
        gate: stored.record.gate,
        from,
        comment: stored.comment.as_ref().map(|comment| comment.url.clone()),
        to,
        why,
    }
}

/// Whether the reason speaks against a PASS.
fn is_against(reason: &Reason) -> bool {
    !matches!(reason, Reason::FieldsPresent(_) | Reason::NoneMatched { .. })
}

/// A record's verdict; none where nothing could be derived.
pub(super) fn level(record: &Record) -> Option<Level> {
    Some(match record.verdict? {
        Verdict::Pass if record.triage_cause == Some(TriageCause::LowPass) => Level::LowPass,
        Verdict::Pass => Level::Pass,
        Verdict::TooAbstract => Level::TooAbstract,
        Verdict::TooConcrete => Level::TooConcrete,
    })
}
