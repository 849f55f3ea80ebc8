//! The outside: adapters that implement the ports. They know `domain` and `ports`, and neither `app` nor each other.

pub mod github;
