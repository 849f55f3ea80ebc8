//! The outside: what implements the ports. `app` never sees it; `cli` puts both together.

pub mod clock;
pub mod local;
pub mod store;
