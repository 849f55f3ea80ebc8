//! What models said beside their findings, as a person is told it: questions, what they noticed beyond the criteria, where
//! they contradict each other (chapter 4). None of it is a reason.

use crate::domain::finding::Brief;
use crate::domain::record::{Disposition, QuestionKind, QuestionTo};
use crate::domain::reply::{About, Conflict, United};
use crate::domain::view::{AskedQuestion, Disagreed, Note, QuestionSubject};

/// Contradictions that are told.
const MOST: usize = 10;

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
    let beyond = said.beyond.iter().map(|one| AskedQuestion {
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
