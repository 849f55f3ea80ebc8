//! A view becomes Markdown or HTML. Only this module makes prose, and only [`codec`] writes and reads records in comments.
//!
//! The order of a run: [`phrase_reasons`] and [`phrase_questions`] fill the record, the record is signed, then
//! [`verdict_comment`] shows it. Every word of others (issues, contracts, labels, judges) goes through `neutral` on its
//! way into a comment.

mod axis;
mod change;
mod check;
mod child;
pub mod codec;
mod evaluation;
mod html;
mod neutral;
pub mod prompt;
mod verdict;
mod words;

pub use axis::{Drafted, proposal};
pub use change::impact_comment;
pub use check::check_report;
pub use child::child_body;
pub use codec::{CodecError, marker, read_marker, read_record, read_record_value, write_record};
pub use evaluation::evaluation_page;
pub use html::html;
pub use verdict::Posting;

use crate::domain::effect::EffectId;
use crate::domain::ids::Language;
use crate::domain::record::{Question, Record};
use crate::domain::run::Waiting;
use crate::domain::view::{Reason, Reply, VerdictView};
use words::Form;

/// What GitHub takes as one comment, counted in UTF-16 units, which is never less than it counts itself.
pub const COMMENT_LIMIT: usize = 65_536;

/// Most reasons that a record keeps in words; the findings beside them are complete.
const MOST_REASONS: usize = 50;

/// Why a comment could not be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    /// A template does not fit its context: a defect of this program.
    #[error("a template failed: {0}")]
    Template(String),
    /// The record alone is longer than a comment may be, and a record is never shortened.
    #[error("the comment would have {0} characters, GitHub takes {COMMENT_LIMIT}")]
    RecordTooLong(usize),
}

/// The comment of a verdict in the contract's language (chapter 3): the effect's marker, the part for people, the record.
/// Where that is too long, the part for people is shortened and says so.
///
/// # Errors
/// A template that fails, or a record that is too long by itself.
pub fn verdict_comment(record: &Record, view: &VerdictView, effect: &EffectId) -> Result<String, RenderError> {
    verdict_posting(record, view, effect).map(|posting| posting.verdict)
}

/// The same with the comments before it that hold a plan which does not fit.
///
/// # Errors
/// As [`verdict_comment`].
pub fn verdict_posting(record: &Record, view: &VerdictView, effect: &EffectId) -> Result<Posting, RenderError> {
    verdict::comment(record, view, effect)
}

/// A short reply with its marker and without a record.
#[must_use]
pub fn reply_comment(reply: &Reply, effect: &EffectId) -> String {
    format!("{}\n\n{}\n", codec::marker(effect), words::reply(reply).trim_end())
}

/// ⏳: the comment of a record that is still to come (chapter 10). It holds the marker alone.
#[must_use]
pub fn waiting_comment(waiting: Waiting, effect: &EffectId) -> String {
    format!("{}\n\n{}\n", codec::marker(effect), words::waiting(waiting.language, waiting.gate))
}

/// The record's `reasons`: one line each, plain text. To be filled in before the record is signed.
#[must_use]
pub fn phrase_reasons(view: &VerdictView) -> Vec<String> {
    recorded_reasons(view.language, &view.reasons)
}

fn recorded_reasons(language: Language, reasons: &[Reason]) -> Vec<String> {
    let mut said = words::reasons(language, reasons, Form::Plain);
    if said.len() > MOST_REASONS {
        let more = said.len() - MOST_REASONS;
        said.truncate(MOST_REASONS);
        said.push(words::words(language).more(more));
    }
    said
}

/// The record's `questions` in words. To be filled in before the record is signed.
#[must_use]
pub fn phrase_questions(view: &VerdictView) -> Vec<Question> {
    let phrase = |asked: &crate::domain::view::AskedQuestion| Question {
        kind: asked.kind,
        to: asked.to,
        text: words::question(view.language, &asked.subject),
    };
    view.questions.iter().map(phrase).collect()
}
