//! `sekisho contract show`: a contract as it is in force, with what it extends and every default, as YAML that loads again.

use super::source::find;
use super::{tell, without_contract};
use crate::cli::{UNREADABLE, complain};
use crate::domain::contract::print;
use clap::Args as ClapArgs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Arguments of `sekisho contract show`.
#[derive(Debug, ClapArgs)]
pub(crate) struct Args {
    /// A file, builtin:handoff-ja or builtin:handoff-en; without it what is in force in this folder
    path: Option<PathBuf>,
}

/// Prints. Gives 0, or 1 where an error keeps the contract from being used, or 2 where there is none to show.
///
/// # Errors
///
/// Only where `out` can't be written.
pub(super) fn run(args: &Args, out: &mut impl Write) -> io::Result<u8> {
    let found = find(args.path.as_deref(), Path::new(""));
    tell(&found.problems);
    if found.contracts.is_empty() {
        return Ok(without_contract(&found, args.path.as_deref()));
    }
    if let [first, second, ..] = found.contracts.as_slice() {
        complain(&format!("{} and {} are in force together; name one of them", first.origin.path, second.origin.path));
        return Ok(UNREADABLE);
    }
    for contract in &found.contracts {
        write!(out, "{}", print(contract))?;
    }
    Ok(0)
}
