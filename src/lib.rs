//! Sekisho, a checkpoint for hand-offs of work in issues and pull requests.
//!
//! The modules stand in reading order, ground floor first; imports only go down (`tests/tidy.rs` checks it):
//!
//! - [`domain`]: the law. Pure values and functions: contracts, detectors, records, gates. No I/O, clock or log.
//! - [`ports`]: what the work needs from outside: a forge, a store, a clock.
//! - [`render`]: a view becomes Markdown or HTML; the only writer and reader of records in comments.
//! - [`app`]: the work: one lane per subject, gather facts, judge, perform.
//! - [`adapters`]: the outside: GitHub, SQLite, and the in-memory World.
//! - [`web`]: the door: webhook intake, health, metrics, the demo's pages.
//! - [`config`]: the one reader of the environment and of `sekisho.toml`.
//! - [`cli`]: the composition root: commands that put the pieces together.

pub mod adapters;
pub mod app;
pub mod cli;
pub mod config;
pub mod domain;
pub mod ports;
pub mod render;
pub mod web;
