//! Not written yet.

pub mod contract;
