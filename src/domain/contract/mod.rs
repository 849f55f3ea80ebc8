//! The contract language: YAML text becomes a [`Contract`], or every [`Problem`] with its line (chapter 2).
//!
//! Read in this order: [`load()`] turns one file's bytes into a [`Loaded`]; [`in_force`] chooses among a repository's files;
//! [`builtin()`] gives what applies where there is none; [`print()`] writes a contract out whole, with every default.
//!
//! Inside, a file goes through three rooms. `tree` parses YAML into nodes that know their place, with aliases expanded within
//! bounds. `shape` asks nodes for texts, lists and choices, and reports what is something else. `load`, `phases`, `detector`,
//! `templates` and `gates` know the keys. Nobody stops at the first problem: `report` gathers them all.

mod builtin;
mod detector;
mod gates;
mod load;
mod mask;
mod model;
mod phases;
mod places;
mod print;
mod problem;
mod report;
mod shape;
mod slug;
mod tasuki;
mod templates;
mod tree;

pub use builtin::{BUILTINS, BuiltIn, builtin, builtin_named};
pub use detector::{LEXICONS, compile_pattern};
pub use gates::Declared;
pub use load::{Kind, Loaded, MAX_BYTES};
pub use model::*;
pub use places::{InForce, Owner, PLACES, Place, conflicts, in_force};
pub use print::{blob, print};
pub use problem::*;
pub use slug::slug;

use crate::domain::ids::CommitSha;

/// Reads one contract file (chapter 2). `path` names it in problems and records; `commit` is the commit it was read at.
///
/// Never panics and never stops at the first problem; the work is bounded by the file's size, at most 256 KiB. A plain
/// string that equals a built-in signal's text takes over its detector.
#[must_use]
pub fn load(path: &str, bytes: &[u8], commit: Option<CommitSha>) -> Loaded {
    load::load_with(path, bytes, commit, builtin::same_texts())
}
