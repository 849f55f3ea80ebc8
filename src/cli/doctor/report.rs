//! What a check found, for people and as JSON.

use serde::Serialize;
use std::fmt::Write as _;

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    /// As it should be.
    Ok,
    /// It works, but likely not as meant.
    Warning,
    /// It does not work.
    Wrong,
    /// Nobody could look.
    Unchecked,
}

/// One check: what was seen, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Check {
    /// What was looked at, one of a few words.
    #[serde(rename = "check")]
    pub id: &'static str,
    /// How it ended.
    pub state: State,
    /// What was seen, one line.
    pub what: String,
    /// Lines that belong to it, such as the problems of a file.
    pub details: Vec<String>,
    /// What to do, one line; null where nothing is to be done.
    pub todo: Option<String>,
}

impl Check {
    /// As it should be.
    pub fn ok(id: &'static str, what: impl Into<String>) -> Self {
        Self { id, state: State::Ok, what: what.into(), details: Vec::new(), todo: None }
    }

    /// It works, but likely not as meant.
    pub fn warning(id: &'static str, what: impl Into<String>, todo: impl Into<String>) -> Self {
        Self { state: State::Warning, todo: Some(todo.into()), ..Self::ok(id, what) }
    }

    /// It does not work.
    pub fn wrong(id: &'static str, what: impl Into<String>, todo: impl Into<String>) -> Self {
        Self { state: State::Wrong, todo: Some(todo.into()), ..Self::ok(id, what) }
    }

    /// Nobody could look.
    pub fn unchecked(id: &'static str, what: impl Into<String>, todo: impl Into<String>) -> Self {
        Self { state: State::Unchecked, todo: Some(todo.into()), ..Self::ok(id, what) }
    }

    /// With lines below it.
    pub fn with(mut self, details: Vec<String>) -> Self {
        self.details = details;
        self
    }
}

/// 1 where something is wrong, else 2 where something could not be checked, else 0.
pub(super) fn exit_code(checks: &[Check]) -> u8 {
    let any = |state| checks.iter().any(|check| check.state == state);
    match (any(State::Wrong), any(State::Unchecked)) {
        (true, _) => 1,
        (false, true) => super::UNREADABLE,
        (false, false) => 0,
    }
}

/// For people: a line for each check, one for what to do, and a last one that counts.
pub(super) fn text(checks: &[Check]) -> String {
    let mut text = String::new();
    for check in checks {
        let sign = match check.state {
            State::Ok => "✓",
            State::Warning => "!",
            State::Wrong => "✗",
            State::Unchecked => "?",
        };
        let _ = writeln!(text, "{sign} {}: {}", check.id, plain(&check.what));
        for line in &check.details {
            let _ = writeln!(text, "    {}", plain(line));
        }
        if let Some(todo) = &check.todo {
            let _ = writeln!(text, "    → {}", plain(todo));
        }
    }
    let count = |state| checks.iter().filter(|check| check.state == state).count();
    let _ = write!(
        text,
        "\n{} good, {}, {} wrong",
        count(State::Ok),
        match count(State::Warning) {
            1 => "1 warning".to_owned(),
            many => format!("{many} warnings"),
        },
        count(State::Wrong),
    );
    match count(State::Unchecked) {
        0 => text.push('\n'),
        many => {
            let _ = writeln!(text, ", {many} not checked");
        }
    }
    text
}

/// An array of checks.
pub(super) fn json(checks: &[Check]) -> serde_json::Result<String> {
    Ok(serde_json::to_string_pretty(checks)? + "\n")
}

/// What others wrote moves no cursor.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_check_decides() {
        let ok = || Check::ok("a", "b");
        let (warning, wrong) = (Check::warning("a", "b", "c"), Check::wrong("a", "b", "c"));
        let unchecked = Check::unchecked("a", "b", "c");
        let check = |checks: &[&Check], code: u8| {
            assert_eq!(exit_code(&checks.iter().copied().cloned().collect::<Vec<_>>()), code);
        };
        check(&[], 0);
        check(&[&ok(), &warning], 0);
        check(&[&warning, &unchecked], 2);
        check(&[&unchecked, &wrong, &ok()], 1);
    }
}
