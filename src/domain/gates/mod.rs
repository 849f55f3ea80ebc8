//! Not written yet.

pub mod handoff;
