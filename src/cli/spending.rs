//! What calls of models took, in one line or as figures: what `judge` and `eval` say.

use crate::domain::reply::{MicroDollars, Paid, Usage, shown_line};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What some calls took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spending {
    /// How many calls.
    pub calls: u64,
    /// Their tokens.
    pub tokens: Tokens,
    /// Their cost; none where a price is not known.
    pub cost: Option<MicroDollars>,
    /// The time that they took, one after the other, in milliseconds.
    pub ms: u64,
    /// The models that answered, by the names that they gave themselves.
    pub models: Vec<String>,
}

/// Tokens as reports tell them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Tokens {
    /// All that was read.
    pub input: u64,
    /// Of that, what came from the provider's cache.
    pub cached: u64,
    /// What was written.
    pub output: u64,
}

impl Spending {
    /// Of these calls.
    pub fn of<'p>(paid: impl IntoIterator<Item = &'p Paid>) -> Self {
        let (mut calls, mut ms, mut models) = (0, 0_u64, Vec::new());
        let (mut usage, mut cost) = (Usage::default(), Some(MicroDollars(0)));
        for one in paid {
            calls += 1;
            ms = ms.saturating_add(one.receipt.latency_ms);
            usage = usage.and(one.receipt.usage);
            cost = cost.zip(one.cost).map(|(sum, more)| MicroDollars(sum.0.saturating_add(more.0)));
            // A server may call itself anything, an order to the terminal included.
            models.push(shown_line(&one.receipt.model));
        }
        models.sort();
        models.dedup();
        let tokens = Tokens { input: usage.input, cached: usage.cached, output: usage.output };
        Self { calls, tokens, cost, ms, models }
    }

    /// US dollars, such as `0.0123`, as records write them.
    pub fn dollars(&self) -> Option<String> {
        self.cost.map(MicroDollars::dollars)
    }
}

impl fmt::Display for Spending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { calls, tokens: Tokens { input, cached, output }, cost, ms, models } = self;
        let plural = if *calls == 1 { "" } else { "s" };
        let cost = cost.map_or_else(|| "price not known".to_owned(), |cost| cost.to_string());
        write!(f, "{calls} call{plural}")?;
        if !models.is_empty() {
            write!(f, ", answered by {}", models.join(", "))?;
        }
        let (input, cached, output) = (grouped(*input), grouped(*cached), grouped(*output));
        #[expect(clippy::cast_precision_loss, reason = "milliseconds of calls")]
        let time = duration(*ms as f64);
        write!(f, "; {input} tokens in ({cached} cached), {output} out; {cost}; {time}")
    }
}

/// Milliseconds as people read them: `48 ms`, `1.2 s`.
pub(super) fn duration(ms: f64) -> String {
    if ms < 1000.0 { format!("{ms:.0} ms") } else { format!("{:.1} s", ms / 1000.0) }
}

/// `12,345`.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::reply::Receipt;

    fn paid(model: &str, input: u64, cost: Option<u64>) -> Paid {
        let receipt = Receipt {
            provider: "openai".to_owned(),
            asked: "m".to_owned(),
            model: model.to_owned(),
            response: String::new(),
            request_hash: String::new(),
            response_hash: String::new(),
            usage: Usage { input, cached: 900, cache_written: 0, output: 20 },
            latency_ms: 1_260,
        };
        Paid { receipt, cost: cost.map(MicroDollars) }
    }

    #[test]
    fn one_line_tells_it() {
        let check = |all: &[Paid], expect: &str| assert_eq!(Spending::of(all).to_string(), expect);
        check(&[], "0 calls; 0 tokens in (0 cached), 0 out; $0.00; 0 ms");
        let one = paid("m-1", 1_200, Some(12_300));
        check(
            std::slice::from_ref(&one),
            "1 call, answered by m-1; 1,200 tokens in (900 cached), 20 out; $0.0123; 1.3 s",
        );
        check(
            &[one, paid("m-2", 1_000_000, None)],
            "2 calls, answered by m-1, m-2; 1,001,200 tokens in (1,800 cached), 40 out; price not known; 2.5 s",
        );
    }
}
