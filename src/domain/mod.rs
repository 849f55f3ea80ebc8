//! The law: pure values and functions. No async, I/O, clock, randomness or log.
//!
//! The modules stand in reading order and import only those above them (chapter 9; `tests/tidy.rs`).

pub mod command;
pub mod contract;
pub mod detect;
pub mod effect;
pub mod event;
pub mod finding;
pub mod gates;
pub mod ids;
pub mod plan;
pub mod record;
pub mod reply;
pub mod restore;
pub mod rollup;
pub mod rules;
pub mod run;
pub mod text;
pub mod view;
