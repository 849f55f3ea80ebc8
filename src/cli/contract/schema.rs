//! `sekisho contract schema`: the JSON Schema that an editor completes and checks contracts with.

use crate::domain::contract::schema;
use std::io::{self, Write};

/// Prints the schema.
///
/// # Errors
///
/// Only where `out` can't be written.
pub(super) fn run(out: &mut impl Write) -> io::Result<u8> {
    serde_json::to_writer_pretty(&mut *out, &schema())?;
    writeln!(out)?;
    Ok(0)
}
