//! The outside: what implements the ports. `app` never sees it, nor do adapters see each other; `cli` puts both together.

pub mod clock;
pub mod github;
pub mod local;
pub mod model;
pub mod store;
