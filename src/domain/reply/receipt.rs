//! What a call of a model leaves behind (chapter 4): enough to check it and to pay it, neither prompt nor key.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// One call. Kept in the store; its hash stands in the verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// `anthropic`, `openai`: the protocol that was spoken.
    pub provider: String,
    /// The model that was asked for.
    pub asked: String,
    /// The model that answered, as it called itself.
    pub model: String,
    /// The provider's id of the response; empty where it gave none.
    pub response: String,
    /// SHA-256 (hex) of the request's body, byte for byte.
    pub request_hash: String,
    /// SHA-256 (hex) of the response's body, byte for byte.
    pub response_hash: String,
    /// What was used.
    pub usage: Usage,
    /// From the request's first byte to the response's last, in milliseconds.
    pub latency_ms: u64,
}

/// Tokens of one call, as the provider counted them; 0 where it did not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// All that was read, the cached part included.
    pub input: u64,
    /// Of that, what came from the provider's cache.
    pub cached: u64,
    /// Of that, what was put into the cache now.
    pub cache_written: u64,
    /// What was written.
    pub output: u64,
}

impl Usage {
    /// The largest number that every reader of JSON gives back (chapter 10).
    pub const MOST: u64 = (1 << 53) - 1;

    /// With a further call's, each at most [`Usage::MOST`].
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let sum = |one: u64, other: u64| one.saturating_add(other).min(Self::MOST);
        Self {
            input: sum(self.input, other.input),
            cached: sum(self.cached, other.cached),
            cache_written: sum(self.cache_written, other.cache_written),
            output: sum(self.output, other.output),
        }
    }
}

impl Receipt {
    /// SHA-256 (hex) of the receipt's canonical JSON.
    #[must_use]
    pub fn hash(&self) -> String {
        let canonical = serde_json_canonicalizer::to_vec(self).unwrap_or_default();
        hex::encode(Sha256::digest(canonical))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_of_every_field() {
        let one = Receipt {
            provider: "anthropic".to_owned(),
            asked: "m".to_owned(),
            model: "m-1".to_owned(),
            response: "msg_1".to_owned(),
            request_hash: "aa".to_owned(),
            response_hash: "bb".to_owned(),
            usage: Usage { input: 10, cached: 8, cache_written: 0, output: 2 },
            latency_ms: 5,
        };
        assert_eq!(one.hash().len(), 64);
        assert_eq!(one.hash(), one.clone().hash());
        for other in [
            Receipt { response: "msg_2".to_owned(), ..one.clone() },
            Receipt { usage: Usage { output: 3, ..one.usage }, ..one.clone() },
            Receipt { latency_ms: 6, ..one.clone() },
        ] {
            assert_ne!(one.hash(), other.hash());
        }
    }
}
