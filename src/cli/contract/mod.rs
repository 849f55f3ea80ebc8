//! `sekisho contract …`: the tools around a contract file (chapter 2). One file for each subcommand.
//!
//! `source` is how all of them read a contract, so that what `check` praises is what `show` prints and `forms` follows.

mod check;
mod draw;
mod forms;
mod place;
mod sarif;
mod schema;
mod show;
mod source;
mod workflow;

use super::{UNREADABLE, complain, trial};
use crate::domain::contract::{Problem, Severity};
use clap::Subcommand;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(super) enum ContractCommand {
    /// Report every problem of contract files, with the line and what was expected
    Check(check::Args),
    /// Print a contract as it is in force: what it extends brought in, every default filled
    Show(show::Args),
    /// Print the JSON Schema of hand-off contracts, for completion and hints in an editor
    Schema,
    /// Write the issue forms and the pull request template that the required fields imply
    Forms(forms::Args),
    /// Judge the open issues by a contract before it comes into force, and say what it would return
    Try(trial::Args),
}

/// Runs a subcommand and says the exit code.
pub(super) fn run(command: &ContractCommand) -> u8 {
    let mut out = io::stdout().lock();
    let ran = match command {
        ContractCommand::Check(args) => check::run(args, &mut out),
        ContractCommand::Show(args) => show::run(args, &mut out),
        ContractCommand::Schema => schema::run(&mut out),
        ContractCommand::Forms(args) => forms::run(args, &mut out),
        ContractCommand::Try(args) => return trial::run(args),
    };
    // A closed pipe (`| head`) ends quietly.
    ran.and_then(|code| out.flush().map(|()| code)).unwrap_or(UNREADABLE)
}

/// Draws problems on standard error, for commands whose standard output is their product.
fn tell(problems: &[Problem]) {
    let mut err = io::stderr().lock();
    let colours = if err.is_terminal() { draw::Colours::Terminal } else { draw::Colours::None };
    let _ = draw::problems(problems, colours, &mut err);
}

/// Says why there is no contract to work with, where the problems don't, and gives the exit code.
fn without_contract(found: &source::Found, named: Option<&Path>) -> u8 {
    let errors = || found.problems.iter().filter(|problem| problem.severity == Severity::Error);
    if errors().any(|problem| matches!(problem.id, "unreadable" | "not-utf8")) {
        return UNREADABLE;
    }
    if errors().next().is_some() {
        return 1;
    }
    match named {
        Some(path) => complain(&format!("{} is no hand-off contract of this version", path.display())),
        None => complain("no contract is in force here; name a file, builtin:handoff-ja or builtin:handoff-en"),
    }
    UNREADABLE
}
