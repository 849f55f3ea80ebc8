//! The door: webhooks in, health and metrics out. Bytes of the outside become values of the domain here.

pub mod door;
pub mod health;
pub mod intake;
pub mod payload;
