//! The composition root: commands that put the pieces together.
//!
//! Exit codes of every command: 0 good; 1 findings or a return; 2 not judged or unreadable input; 64 wrong usage.

mod compose;
mod contract;
mod demo;
mod doctor;
mod eval;
mod judge;
mod judging;
mod models;
mod on_disk;
mod progress;
mod records;
mod replay;
mod restore;
mod serve;
mod spending;
mod trial;
mod verdict;

use crate::domain::ids::GateId;
use clap::{Parser, Subcommand};
use std::io::Write as _;

/// Exit code of wrong usage.
pub const USAGE: u8 = 64;
/// Exit code of input that cannot be read, and of what could not be judged.
pub const UNREADABLE: u8 = 2;

/// Sekisho stands at each hand-off of work in a repository's issues and judges it against the repository's contracts.
#[derive(Debug, Parser)]
#[command(
    name = "sekisho",
    version,
    about,
    max_term_width = 100,
    after_help = "\
Exit codes: 0 good; 1 findings or a return; 2 not judged or unreadable input; 64 wrong usage.
The configuration comes from the environment and from sekisho.toml; .env.example lists every variable."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Receive webhooks and judge: the GitHub App itself
    Serve(serve::Args),
    /// Look over everything that a verdict needs, and say what to do
    Doctor(doctor::Args),
    /// List what was judged in a repository
    Records(records::Args),
    /// Put records back that the database lost, from the App's own signed comments
    Restore(restore::Args),
    /// Judge one text, as the App would, and print its comment or record
    Judge(judge::Args),
    /// Judge labelled texts and say how often the verdict agrees with the label
    Eval(eval::Args),
    /// Take one webhook payload from a file, as if GitHub had sent it
    Replay(replay::Args),
    /// Show the whole road on an in-memory GitHub: no network, no key
    Demo(demo::Args),
    /// Work with contract files
    #[command(subcommand)]
    Contract(contract::ContractCommand),
}

/// Runs the command line and says the exit code.
#[must_use]
pub fn run(arguments: impl IntoIterator<Item = std::ffi::OsString>) -> u8 {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { USAGE } else { 0 };
        }
    };
    match cli.command {
        Command::Serve(args) => serve::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Records(args) => records::run(&args),
        Command::Restore(args) => restore::run(&args),
        Command::Judge(args) => judge::run(&args),
        Command::Eval(args) => eval::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Demo(args) => demo::run(&args),
        Command::Contract(command) => contract::run(&command),
    }
}

/// A gate as an argument.
fn gate(text: &str) -> Result<GateId, String> {
    text.parse().map_err(|error: crate::domain::ids::NotAGate| error.to_string())
}

/// One line on standard error; a closed pipe is nobody's business.
fn complain(message: &str) {
    let _ = writeln!(std::io::stderr(), "sekisho: {message}");
}

/// Text on standard output; a closed pipe (`| head`) ends quietly.
fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
