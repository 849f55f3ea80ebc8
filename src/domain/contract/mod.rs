//! The contract language: YAML text becomes a [`Contract`], or every [`Problem`] with its line (chapter 2).
//!
//! Read in this order: [`load()`] turns one file's bytes into a [`Loaded`], and [`load_on`] lays it over what it extends;
//! [`in_force`] chooses among a repository's files; [`builtin()`] gives what applies where there is none; [`print()`] writes a
//! contract out whole, with every default.
//!
//! Inside, a file goes through four rooms. `tree` parses YAML into nodes that know their place, with aliases expanded within
//! bounds; `sheet` says what kind of file that is, and `tasuki` brings a profile to the shape of a contract. `bases` opens what
//! the file extends, and `merge` lays it over that. `shape` asks nodes for texts, lists and choices, and reports what is
//! something else. `document`, `phases`, `detector`, `templates` and `gates` know the keys, `lints` what is likely not meant.
//! Nobody stops at the first problem: `report` gathers them all.

mod amend;
mod bases;
mod builtin;
mod detector;
mod document;
mod forms;
mod gates;
mod keys;
mod lints;
mod load;
mod mask;
mod merge;
mod model;
mod phases;
mod places;
mod print;
mod problem;
mod report;
mod schema;
mod schema_detect;
mod schema_parts;
mod shape;
mod sheet;
mod shipped;
mod slug;
mod tasuki;
mod templates;
mod tree;

pub use amend::with_waiting_level;
pub use bases::{Bases, MAX_CHAIN};
pub use builtin::{builtin, builtin_named};
pub use detector::{LEXICONS, compile_pattern};
pub use forms::{Ask, Form, asked, forms, headings};
pub use gates::Declared;
pub use load::Loaded;
pub use model::*;
pub use places::{InForce, Owner, PLACES, Place, conflicts, in_force};
pub use print::{blob, print};
pub use problem::*;
pub use schema::schema;
pub use sheet::{Kind, MAX_BYTES};
pub use shipped::{BUILTINS, BuiltIn};
pub use slug::slug;

use crate::domain::ids::CommitSha;

/// Reads one contract file (chapter 2). `path` names it in problems and records; `commit` is the commit it was read at.
///
/// Never panics and never stops at the first problem; the work is bounded by the file's size, at most 256 KiB. A plain
/// string that equals a built-in signal's text takes over its detector. Of what a file may extend, only the built-ins are at
/// hand; see [`load_on`].
#[must_use]
pub fn load(path: &str, bytes: &[u8], commit: Option<CommitSha>) -> Loaded {
    load_on(path, bytes, commit, &Bases::default())
}

/// Like [`load()`], with the files that it may extend, all of the same commit. Ask [`wants`] which those are.
#[must_use]
#[expect(clippy::needless_pass_by_value, reason = "the commit is the contract's from here on")]
pub fn load_on(path: &str, bytes: &[u8], commit: Option<CommitSha>, bases: &Bases) -> Loaded {
    load::read(path, bytes, commit.as_ref(), bases, builtin::same_texts()).loaded
}

/// The next file that this one needs: a path from the root of its repository, never outside. Fetch it, tell `bases` what was
/// found, and ask again until nothing is wanted; a chain ends after [`MAX_CHAIN`] files.
#[must_use]
pub fn wants(path: &str, bytes: &[u8], bases: &Bases) -> Option<String> {
    bases::chain(path, bytes, bases).wanted
}
