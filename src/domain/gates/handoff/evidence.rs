//! What the judges said, as the record keeps it and as a person is told it: reasons from findings; and beside them questions,
//! what was noticed beyond the criteria, where judges contradict each other (chapter 4), none of which is a reason.

use super::case::Case;
use super::derive::Derived;
use crate::domain::contract::Side;
use crate::domain::finding::{Answer, Brief, Criterion, Finding};
use crate::domain::record::{Disposition, QuestionKind, QuestionTo, RecordedFinding, Verdict};
use crate::domain::reply::{About, BeyondKind, Conflict, United};
use crate::domain::view::{AskedQuestion, Disagreed, Note, QuestionSubject, Reason, Undecided};

/// Contradictions that are told.
const MOST: usize = 10;

/// On a return what matched, on a PASS what was confirmed.
pub(super) fn reasons(case: &Case<'_>, brief: &Brief, answer: &Answer, derived: &Derived<'_>) -> Vec<Reason> {
    if derived.verdict != Verdict::Pass {
        return derived.matched.iter().map(|(criterion, finding)| reason(case, criterion, finding)).collect();
    }
    let mut reasons = Vec::new();
    let fields: Vec<String> = case.rule.gate.fields.iter().map(|field| field.name.clone()).collect();
    if !fields.is_empty() {
        reasons.push(Reason::FieldsPresent(fields));
    }
    for side in [Side::TooAbstract, Side::TooConcrete] {
        let decided = |criterion: &&Criterion| !answer.undecided.contains(&criterion.id);
        let checked = brief.criteria.iter().filter(|criterion| criterion.side == side).filter(decided).count();
        if checked > 0 {
            reasons.push(Reason::NoneMatched { side, checked });
        }
    }
    reasons
}

fn reason(case: &Case<'_>, criterion: &Criterion, finding: &Finding) -> Reason {
    let first = finding.quotes.first();
    Reason::Signal {
        criterion: criterion.id.clone(),
        text: criterion.text.clone(),
        side: criterion.side,
        quote: first.map(|quote| quote.text.clone()),
        // A line of a child's own text says nothing to who reads the plan.
        line: first.filter(|quote| quote.item.is_none()).map(|quote| quote.line),
        places: finding.quotes.len(),
        note: finding.note.clone(),
        children: finding.items.iter().filter_map(|index| case.child_label(*index)).collect(),
    }
}

/// A criterion that matched, as the record keeps it.
pub(super) fn recorded(finding: &Finding) -> RecordedFinding {
    let first = finding.quotes.first();
    RecordedFinding {
        criterion: finding.criterion.clone(),
        quote: first.map(|quote| quote.text.clone()),
        line: first.filter(|quote| quote.item.is_none()).map(|quote| u64::from(quote.line)),
        basis: finding.basis,
        lack: finding.lack,
        places: finding.quotes.len() as u64,
        note: finding.note.clone(),
        children: finding.items.iter().map(|index| *index as u64).collect(),
    }
}

/// A criterion that nobody decided.
pub(super) fn named(criterion: &Criterion) -> Undecided {
    Undecided { id: criterion.id.clone(), text: criterion.text.clone() }
}

/// What the models ask. Where the subject has passed, its author has nothing left to answer.
pub(super) fn questions(said: &United, stands: Disposition) -> Vec<AskedQuestion> {
    let of_models = said.questions.iter().filter_map(|one| {
        let (kind, to) = match one.about {
            About::Task if stands == Disposition::Passed => return None,
            About::Task => (QuestionKind::TaskQuestion, QuestionTo::IssueAuthor),
            About::Criteria => (QuestionKind::AxisQuestion, QuestionTo::ContractPr),
        };
        Some(AskedQuestion { kind, to, subject: QuestionSubject::OfModel(one.text.clone()) })
    });
    let uncovered = said.beyond.iter().filter(|one| one.kind == BeyondKind::Uncovered);
    let beyond = uncovered.map(|one| AskedQuestion {
        kind: QuestionKind::AxisQuestion,
        to: QuestionTo::ContractPr,
        subject: QuestionSubject::Beyond {
            note: one.note.clone(),
            quote: one.quote.as_ref().map(|quote| quote.text.clone()),
        },
    });
    of_models.chain(beyond).collect()
}

/// Where judges contradict each other, and what no model saw.
pub(super) fn notes(brief: &Brief, said: &United) -> Vec<Note> {
    let mut notes = Vec::new();
    let disagreed: Vec<Disagreed> =
        said.conflicts.iter().take(MOST).filter_map(|conflict| disagreed(brief, conflict)).collect();
    if !disagreed.is_empty() {
        notes.push(Note::Disagreed(disagreed));
    }
    let steering = said.beyond.iter().filter(|one| one.kind == BeyondKind::Steering);
    notes.extend(steering.map(|one| Note::Steering {
        note: one.note.clone(),
        quote: one.quote.as_ref().map(|quote| quote.text.clone()),
    }));
    if !said.left_out.is_empty() {
        notes.push(Note::NotShown(said.left_out.clone()));
    }
    notes
}

fn disagreed(brief: &Brief, conflict: &Conflict) -> Option<Disagreed> {
    let criterion = brief.criteria.iter().find(|criterion| criterion.id == conflict.criterion)?;
    Some(Disagreed {
        text: criterion.text.clone(),
        matched: conflict.matched.clone(),
        unmatched: conflict.unmatched.clone(),
        stands: conflict.stands,
        quote: conflict.quote.as_ref().map(|quote| quote.text.clone()),
    })
}
