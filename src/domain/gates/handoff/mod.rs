//! Not written yet.

pub mod preflight;
