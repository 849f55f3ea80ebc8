//! The door: webhooks in, health and metrics out, the demo's pages. Bytes of the outside become values of the domain here.

pub mod door;
pub mod health;
pub mod intake;
pub mod pages;
pub mod payload;
