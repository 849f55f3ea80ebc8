//! The outside: GitHub through octocrab, the database, clocks, and the in-memory World.

pub mod local;
