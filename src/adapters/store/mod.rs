//! The database behind [`crate::ports::Store`]. SQLite is built; PostgreSQL gets a folder beside it and the same story
//! of tests (`tests/store_story.rs`).

pub mod sqlite;
