//! What came of asking all judges of a brief: what they say together, or why a model's word is missing.

use super::cost::MicroDollars;
use super::receipt::{Receipt, Usage};
use super::unite::United;
use crate::domain::finding::Brief;
use crate::domain::rules;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt;

/// What came of asking, and what it cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// What the judges say together, or why there is nothing that could be believed.
    pub said: Result<United, Unjudged>,
    /// Every call that was paid for, in the order of the calls; also where its reply was none.
    pub paid: Vec<Paid>,
}

impl Judged {
    /// The embedded judge alone.
    #[must_use]
    pub fn by_rules(brief: &Brief) -> Self {
        Self { said: Ok(United::of_rules(rules::judge(brief))), paid: Vec::new() }
    }
}

/// A call with its price.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paid {
    /// What the call left behind.
    pub receipt: Receipt,
    /// What it cost; none where the model's price is not known.
    pub cost: Option<MicroDollars>,
}

/// Why a model's word is missing. It is never a PASS (chapter 1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unjudged {
    /// Twice no reply that can be believed.
    Faulty {
        /// Who was asked.
        judge: String,
        /// What was wrong with the second, in a few words.
        faults: String,
    },
    /// The provider failed, or refuses.
    Failed {
        /// What happened, as everybody may read it; it names who was asked.
        error: String,
        /// The same with the provider's own words, for the operator alone; without keys and parts of the prompt.
        detail: String,
        /// Before when the provider wants no further call, where it said so.
        until: Option<DateTime<Utc>>,
    },
    /// It failed so often that it is left alone for a while.
    Resting {
        /// Who.
        judge: String,
        /// Until when.
        until: DateTime<Utc>,
    },
    /// The day's budget is used up.
    UsedUp {
        /// Whose.
        scope: Scope,
        /// When the next day begins.
        until: DateTime<Utc>,
    },
    /// The operator maps no model to this tier of the contract.
    Unmapped {
        /// The tier.
        tier: String,
    },
    /// The gate wants opinions of so many families, and the tier has not as many.
    NoSecondOpinion {
        /// The tier.
        tier: String,
        /// How many the gate wants.
        opinions: u32,
    },
}

impl Unjudged {
    /// What failed before anybody was asked; its words are ours.
    #[must_use]
    pub fn failed(error: String) -> Self {
        Self::Failed { detail: error.clone(), error, until: None }
    }

    /// Whether asking later may help without anybody's doing: not where a model answers and its answer is none.
    #[must_use]
    pub fn may_mend(&self) -> bool {
        !matches!(self, Self::Faulty { .. })
    }

    /// Before when asking makes no sense; none = nobody knows.
    #[must_use]
    pub fn until(&self) -> Option<DateTime<Utc>> {
        match self {
            Self::Resting { until, .. } | Self::UsedUp { until, .. } => Some(*until),
            Self::Failed { until, .. } => *until,
            Self::Faulty { .. } | Self::Unmapped { .. } | Self::NoSecondOpinion { .. } => None,
        }
    }
}

/// Whose budget of a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// All that this App judges.
    App,
    /// One installation.
    Installation,
    /// One repository.
    Repository,
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::App => "app",
            Self::Installation => "installation",
            Self::Repository => "repository",
        })
    }
}

/// What a record holds of its model's calls: the receipts' hash, and what was used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReceiptRef {
    /// The hash of the one receipt; of several, SHA-256 (hex) over the hashes, a line each, in the order of the calls.
    pub hash: String,
    /// How many calls.
    pub calls: u64,
    /// Tokens of all calls.
    pub tokens: Usage,
    /// US dollars, such as `0.0123`; null where a price is not known.
    pub cost: Option<String>,
}

impl ReceiptRef {
    /// Of all calls of a judging; none where there was none.
    #[must_use]
    pub fn of(paid: &[Paid]) -> Option<Self> {
        let hashes: Vec<String> = paid.iter().map(|one| one.receipt.hash()).collect();
        let hash = match &hashes[..] {
            [] => return None,
            [one] => one.clone(),
            several => hex::encode(Sha256::digest(several.join("\n"))),
        };
        let tokens = paid.iter().fold(Usage::default(), |sum, one| sum.and(one.receipt.usage));
        let cost = paid.iter().map(|one| one.cost).sum::<Option<MicroDollars>>();
        let cost = cost.map(MicroDollars::dollars);
        Some(Self { hash, calls: paid.len() as u64, tokens, cost })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paid(response: &str, input: u64, cost: Option<u64>) -> Paid {
        let receipt = Receipt {
            provider: "anthropic".to_owned(),
            asked: "m".to_owned(),
            model: "m-1".to_owned(),
            response: response.to_owned(),
            request_hash: String::new(),
            response_hash: String::new(),
            usage: Usage { input, output: 2, ..Usage::default() },
            latency_ms: 1,
        };
        Paid { receipt, cost: cost.map(MicroDollars) }
    }

    #[test]
    fn a_record_holds_what_all_calls_took() {
        assert_eq!(ReceiptRef::of(&[]), None);
        let (one, two) = (paid("a", 10, Some(12_300)), paid("b", u64::MAX, Some(1)));
        let of_one = ReceiptRef::of(std::slice::from_ref(&one)).unwrap();
        assert_eq!((of_one.hash, of_one.cost.as_deref()), (one.receipt.hash(), Some("0.0123")));
        let of_two = ReceiptRef::of(&[one.clone(), two.clone()]).unwrap();
        assert_eq!((of_two.calls, of_two.tokens.output, of_two.cost.as_deref()), (2, 4, Some("0.012301")));
        // A record holds whole numbers below 2^53 alone.
        assert_eq!(of_two.tokens.input, Usage::MOST);
        assert_ne!(
            Some(of_two.hash),
            ReceiptRef::of(&[two, one.clone()]).map(|other| other.hash),
            "their order counts"
        );
        assert_eq!(ReceiptRef::of(&[one, paid("c", 1, None)]).unwrap().cost, None, "one price is not known");
    }
}
