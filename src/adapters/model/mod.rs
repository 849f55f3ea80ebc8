//! Models over HTTP: two protocols, request and answer shapes only; and replies from a folder. Nothing here repeats a call
//! or waits.

mod anthropic;
mod openai;
mod tape;
mod wire;

pub use anthropic::Anthropic;
pub use openai::{Form, OpenAi};
pub use tape::{Record, Replay, recorded_judges};

use secrecy::SecretString;
use std::time::Duration;

/// What both protocols need to know.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The base address. Anthropic's is without `/v1`, that of an OpenAI-compatible server with it; a query stays.
    pub url: String,
    /// The key; none for a server that asks for none. Never shown.
    pub key: Option<SecretString>,
    /// The model to ask for.
    pub model: String,
    /// How long a call may take, connection and answer together.
    pub timeout: Duration,
}

/// Why a model cannot be set up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// The base address is none.
    #[error("`{0}` is no http(s) address")]
    BadUrl(String),
    /// The key holds what no header may.
    #[error("the key of `{0}` holds characters that no key has")]
    BadKey(String),
    /// The connections cannot be made, such as where no certificates are installed.
    #[error("no connections can be made: {0}")]
    Client(String),
}

/// The tool that a model is made to call: its arguments are the reply.
const TOOL: &str = "answer";
const TOOL_DESCRIPTION: &str = "Hands in the answers to all questions.";

#[cfg(test)]
mod tests;
