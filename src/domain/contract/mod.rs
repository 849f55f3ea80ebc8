//! The contract language: YAML text becomes a [`Contract`], or every [`Problem`] with its line.

mod model;
mod problem;

pub use model::*;
pub use problem::*;
