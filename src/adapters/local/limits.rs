//! Which words GitHub takes: limits of titles, bodies and comments.

use super::refusal::Refusal;

/// GitHub's limit for a body, in characters.
const BODY: usize = 65_536;
/// GitHub's limit for a title, in characters.
const TITLE: usize = 256;

/// A title's limits.
pub(super) fn check_title(title: &str) -> Result<(), Refusal> {
    match title.trim().chars().count() {
        0 => Err(Refusal::missing("title")),
        1..=TITLE => Ok(()),
        _ => Err(Refusal::invalid("title")),
    }
}

/// A body's limit.
pub(super) fn check_body(body: &str) -> Result<(), Refusal> {
    if body.chars().count() > BODY { Err(Refusal::too_long()) } else { Ok(()) }
}

/// A comment's limits.
pub(super) fn check_comment(body: &str) -> Result<(), Refusal> {
    if body.trim().is_empty() { Err(Refusal::missing("body")) } else { check_body(body) }
}
