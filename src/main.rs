//! The `sekisho` binary.

fn main() {}
