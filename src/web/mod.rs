//! The door: webhook intake, health, metrics, the demo's pages.

pub mod pages;
