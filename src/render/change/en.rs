//! A pull request that touches a contract, in English.

use super::{Tally, Words};
use crate::domain::view::{Comparison, Conclusion, ContractCheck, HeadState, JudgedBy};
use crate::render::neutral;
use std::fmt::Write as _;

pub(super) struct En;

impl Words for En {
    fn title(&self, check: &ContractCheck, tally: Tally) -> String {
        let wrong = check.examples.wrong.len();
        let mut parts = Vec::new();
        parts.extend(some(tally.errors, "error", "errors"));
        parts.extend(some(tally.warnings, "warning", "warnings"));
        parts.extend(some(wrong, "example contradicts it", "examples contradict it"));
        parts.extend(some(
            check.examples.unreadable.len(),
            "unreadable file of examples",
            "unreadable files of examples",
        ));
        match (&check.state, check.conclusion) {
            (HeadState::Absent, _) if parts.is_empty() => "No contract stands here".to_owned(),
            (_, Conclusion::Success) => "The contract can be used".to_owned(),
            _ => parts.join(", "),
        }
    }

    fn state(&self, check: &ContractCheck, commit: &str, tally: Tally) -> String {
        let counts = format!(
            "{}, {}, {}",
            count(tally.errors, "error", "errors"),
            count(tally.warnings, "warning", "warnings"),
            count(tally.notices, "notice", "notices")
        );
        match &check.state {
            HeadState::InForce(files) => {
                let files: Vec<String> = files.iter().map(|file| neutral::code(file)).collect();
                format!("At {commit} {} would be in force. The linter says: {counts}.", files.join(", "))
            }
            HeadState::Broken => {
                format!(
                    "At {commit} the contract has errors: every gate would answer \"not judged\". The linter says: {counts}."
                )
            }
            HeadState::Absent => format!(
                "At {commit} no contract stands in this repository: the one in the owner's `.github` repository would apply, \
                 else the built-ins. The linter says: {counts}."
            ),
        }
    }

    fn examples(&self, check: &ContractCheck) -> Option<String> {
        let examples = &check.examples;
        let judged = examples.right + examples.wrong.len();
        if judged + examples.left_out + examples.unreadable.len() == 0 {
            return None;
        }
        let mut text = format!("Labelled examples: {} of {judged} get the verdict of their label", examples.right);
        if examples.left_out > 0 {
            let _ = write!(text, "; {} left out", examples.left_out); // writing to a String never fails
        }
        if let Some(files) = some(examples.unreadable.len(), "file cannot be read", "files cannot be read") {
            let _ = write!(text, "; {files}"); // writing to a String never fails
        }
        Some(text + ".")
    }

    fn example_table(&self) -> [&'static str; 3] {
        ["example", "gate", "label → verdict"]
    }

    fn more(&self, count: usize) -> String {
        format!("… and {count} more.")
    }

    fn unshown(&self, count: usize) -> String {
        format!("{count} further annotations are not shown.")
    }

    fn compared(&self, comparison: &Comparison) -> String {
        if comparison.all() == 0 {
            return "Nothing was judged in this repository yet, so there is no verdict to compare with.".to_owned();
        }
        let flips = count(comparison.flips.len(), "flips", "flip");
        let mut text = format!("{} judged again, **{flips}**", count(comparison.again(), "verdict", "verdicts"));
        for (count, what) in [
            (comparison.changed, "changed since and left out"),
            (comparison.unread, "cannot be read any more"),
            (comparison.unjudged, "at a gate that it does not judge"),
        ] {
            if count > 0 {
                let _ = write!(text, ", {count} {what}"); // writing to a String never fails
            }
        }
        text + "."
    }

    fn see_comment(&self) -> &'static str {
        " The impact comment lists them."
    }

    fn advice(&self, by: JudgedBy) -> &'static str {
        match by {
            JudgedBy::Rules => {
                "This is advice, by rules alone: issues are judged by the contract of the default branch, and nothing was \
                 written on the subjects."
            }
            JudgedBy::Models => {
                "This is advice, by rules and models: issues are judged by the contract of the default branch, and nothing \
                 was written on the subjects."
            }
        }
    }

    fn heading(&self) -> &'static str {
        "What this contract would change"
    }

    fn commit(&self, commit: &str) -> String {
        format!("As of {commit}.")
    }

    fn other_base(&self, branch: &str) -> String {
        format!("This pull request goes into {branch}; issues follow it once it is on the default branch.")
    }

    fn broken(&self) -> &'static str {
        "The contract has errors, so nothing was judged again; the check run shows them."
    }

    fn flip_table(&self) -> [&'static str; 4] {
        ["subject", "gate", "verdict", "first reason"]
    }

    fn before(&self, reason: &str) -> String {
        format!("no longer: {reason}")
    }

    fn unchanged(&self, count: usize) -> String {
        if count == 1 { "1 stays as it is".to_owned() } else { format!("{count} stay as they are") }
    }

    fn contradicted(&self, expected: &str, got: Option<&str>) -> String {
        format!("The label says {expected}, the contract says {}.", got.unwrap_or("nothing"))
    }

    fn low(&self) -> &'static str {
        "low"
    }
}

fn count(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn some(number: usize, one: &str, many: &str) -> Option<String> {
    (number > 0).then(|| count(number, one, many))
}
