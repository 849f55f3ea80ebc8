//! Judging: the rules always; models stand beside them once they are built (chapter 4).

use crate::domain::finding::{Answer, Brief};
use crate::domain::rules;

/// Answers to briefs, in their order. Rules are linear in the text, so they run in place.
pub(super) fn answers(briefs: &[Brief]) -> Vec<Answer> {
    briefs.iter().map(rules::judge).collect()
}
