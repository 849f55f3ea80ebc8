//! What the work needs of a model: the port [`Judge`], and the ways in which a call fails. Rules are no judge of this kind:
//! they are pure and live in `domain`.

use crate::domain::reply::{Json, RawReply, Receipt};
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A model behind a provider. One method, one call: retries, budgets and the breaker stand above it.
#[async_trait]
pub trait Judge: Send + Sync {
    /// How operators call it: `anthropic:…`, `openai:…`.
    fn name(&self) -> &str;
    /// Asks once. What comes back is not checked yet.
    async fn ask(&self, request: &JudgeRequest) -> Result<JudgeReply, JudgeError>;
}

/// One call.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgeRequest {
    /// Instructions and questions: the same for every subject of a contract, marked cacheable where that can be said.
    pub prefix: String,
    /// The texts of others.
    pub data: String,
    /// What was wrong with the reply before, where this is the second time.
    pub repair: Option<String>,
    /// The form of the reply, as JSON Schema.
    pub schema: Json,
    /// Longest reply, in tokens.
    pub most_tokens: u32,
}

/// What came back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeReply {
    /// To be checked.
    pub raw: RawReply,
    /// To be kept.
    pub receipt: Receipt,
}

/// Why there is no reply. No message holds a key or a part of the prompt.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JudgeError {
    /// Too many calls, or the provider is overloaded (429, 529, 503 with a time).
    #[error("{judge} takes no more calls now (HTTP {status})")]
    Limited {
        /// Whom was asked.
        judge: String,
        /// The status.
        status: u16,
        /// How long to wait, where it was said.
        after: Option<Duration>,
    },
    /// No connection, no answer in time, half an answer, or the provider's own failure (408, 409, 5xx).
    #[error("{judge} cannot be reached: {message}")]
    Unreachable {
        /// Whom was asked.
        judge: String,
        /// What happened.
        message: String,
        /// How far the call came.
        came: Came,
        /// How long to wait, where it was said.
        after: Option<Duration>,
    },
    /// The provider says no, and would again: wrong key, unknown model, too long.
    #[error("{judge} refuses: HTTP {status}: {message}")]
    Refused {
        /// Whom was asked.
        judge: String,
        /// The status.
        status: u16,
        /// What it said, shortened and masked.
        message: String,
    },
    /// An answer with success that is none of this protocol: a gateway's page, a body cut in a proxy.
    #[error("{judge} gave an answer that cannot be read: {message}")]
    Unreadable {
        /// Whom was asked.
        judge: String,
        /// What was missing.
        message: String,
    },
    /// Replies come from a folder, and it has none to this question, or cannot be used.
    #[error("{judge}: {message}")]
    Tape {
        /// Whom was asked.
        judge: String,
        /// Which file, and what is the matter with it.
        message: String,
    },
}

/// How far a call came that has no reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Came {
    /// There was no connection.
    Nowhere,
    /// It was answered with this status.
    Answered(u16),
    /// Its answer did not come in time.
    TimedOut,
    /// Its answer broke off.
    BrokeOff,
}

impl JudgeError {
    /// What everybody may read: nothing that the provider said, and no address.
    #[must_use]
    pub fn public(&self) -> String {
        match self {
            JudgeError::Unreachable { judge, came, .. } => match came {
                Came::Nowhere => format!("{judge} cannot be reached: no connection"),
                Came::Answered(status) => format!("{judge} fails: HTTP {status}"),
                Came::TimedOut => format!("{judge} gives no answer in time"),
                Came::BrokeOff => format!("{judge} breaks off its answers"),
            },
            JudgeError::Refused { judge, status, .. } => format!("{judge} refuses: HTTP {status}"),
            JudgeError::Unreadable { judge, .. } => format!("{judge} gives answers that cannot be read"),
            JudgeError::Limited { .. } | JudgeError::Tape { .. } => self.to_string(),
        }
    }

    /// Whether the provider may have worked, and be paid, for a reply that nobody got.
    #[must_use]
    pub fn may_have_cost(&self) -> bool {
        match self {
            JudgeError::Unreachable { came, .. } => matches!(came, Came::TimedOut | Came::BrokeOff),
            JudgeError::Unreadable { .. } => true,
            JudgeError::Limited { .. } | JudgeError::Refused { .. } | JudgeError::Tape { .. } => false,
        }
    }

    /// Whether the same call may succeed later.
    #[must_use]
    pub fn may_mend(&self) -> bool {
        match self {
            JudgeError::Limited { .. } | JudgeError::Unreachable { .. } | JudgeError::Unreadable { .. } => true,
            JudgeError::Refused { .. } | JudgeError::Tape { .. } => false,
        }
    }

    /// How long the provider asks to wait.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            JudgeError::Limited { after, .. } | JudgeError::Unreachable { after, .. } => *after,
            _ => None,
        }
    }
}
