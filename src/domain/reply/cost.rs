//! What calls cost, and when it is enough for a day (chapter 4).

use super::receipt::Usage;
use chrono::{DateTime, Days, NaiveTime, Utc};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Money in millionths of a US dollar: a record holds whole numbers only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MicroDollars(pub u64);

impl std::iter::Sum for MicroDollars {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        Self(all.fold(0, |sum, one| sum.saturating_add(one.0)))
    }
}

/// A model's price, each for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Price {
    /// Of what is read anew.
    pub input: MicroDollars,
    /// Of what is read from the provider's cache.
    pub cached: MicroDollars,
    /// Of what is read and put into the cache.
    pub cache_written: MicroDollars,
    /// Of what is written.
    pub output: MicroDollars,
}

impl Price {
    /// What a call costs, rounded up.
    #[must_use]
    pub fn of(&self, usage: &Usage) -> MicroDollars {
        let fresh = usage.input.saturating_sub(usage.cached).saturating_sub(usage.cache_written);
        let parts = [
            (fresh, self.input),
            (usage.cached, self.cached),
            (usage.cache_written, self.cache_written),
            (usage.output, self.output),
        ];
        let sum: u128 = parts.iter().map(|(tokens, price)| u128::from(*tokens) * u128::from(price.0)).sum();
        MicroDollars(u64::try_from(sum.div_ceil(1_000_000)).unwrap_or(u64::MAX))
    }
}

/// What was used in a day, or may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Spent {
    /// Tokens, read and written.
    pub tokens: u64,
    /// Money, where prices are known.
    pub money: MicroDollars,
}

impl Spent {
    /// With a further call.
    #[must_use]
    pub fn and(self, usage: &Usage, cost: Option<MicroDollars>) -> Self {
        let tokens = usage.input.saturating_add(usage.output);
        Self {
            tokens: self.tokens.saturating_add(tokens),
            money: MicroDollars(self.money.0.saturating_add(cost.unwrap_or_default().0)),
        }
    }
}

/// The most that a repository, an installation or the whole App may use in a day of UTC; none = no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Budget {
    /// Tokens, read and written.
    pub tokens: Option<u64>,
    /// Money.
    pub money: Option<MicroDollars>,
}

impl Budget {
    /// Lets a call through that is estimated at so much, or says until when it waits: the next day. A call that is
    /// larger than the whole budget waits each day anew; it is the operator's to see.
    ///
    /// # Errors
    /// When the next day begins.
    pub fn admit(&self, spent: Spent, estimate: Spent, now: DateTime<Utc>) -> Result<(), DateTime<Utc>> {
        let over =
            |most: Option<u64>, spent: u64, more: u64| most.is_some_and(|most| spent.saturating_add(more) > most);
        let enough = over(self.tokens, spent.tokens, estimate.tokens)
            || over(self.money.map(|money| money.0), spent.money.0, estimate.money.0);
        if enough { Err(tomorrow(now)) } else { Ok(()) }
    }
}

fn tomorrow(now: DateTime<Utc>) -> DateTime<Utc> {
    let next = now.date_naive().checked_add_days(Days::new(1));
    next.map_or(DateTime::<Utc>::MAX_UTC, |day| day.and_time(NaiveTime::MIN).and_utc())
}

/// `$0.0123`, as far as there are figures.
impl fmt::Display for MicroDollars {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let figures = format!("{:06}", self.0 % 1_000_000);
        let figures = figures.trim_end_matches('0');
        write!(f, "${}.{figures:0<2}", self.0 / 1_000_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRICE: Price = Price {
        input: MicroDollars(3_000_000),
        cached: MicroDollars(300_000),
        cache_written: MicroDollars(3_750_000),
        output: MicroDollars(15_000_000),
    };

    #[test]
    fn each_token_has_its_price() {
        let check = |input, cached, cache_written, output, expect| {
            assert_eq!(PRICE.of(&Usage { input, cached, cache_written, output }).0, expect);
        };
        check(0, 0, 0, 0, 0);
        check(1_000, 0, 0, 0, 3_000);
        check(1_000, 1_000, 0, 0, 300);
        check(1_000, 0, 1_000, 0, 3_750);
        check(2_000, 1_500, 0, 400, 1_500 + 450 + 6_000);
        check(1, 1, 0, 0, 1);
        // A provider that counts strangely costs nothing below zero.
        check(10, 100, 0, 0, 30);
        check(u64::MAX, 0, 0, u64::MAX, u64::MAX);
    }

    #[test]
    fn a_day_has_an_end() {
        let now = DateTime::parse_from_rfc3339("2026-12-31T23:30:00Z").unwrap().to_utc();
        let midnight = DateTime::parse_from_rfc3339("2027-01-01T00:00:00Z").unwrap().to_utc();
        let budget = Budget { tokens: Some(1_000), money: Some(MicroDollars(500)) };
        let of = |tokens, money| Spent { tokens, money: MicroDollars(money) };
        assert_eq!(budget.admit(of(900, 0), of(100, 0), now), Ok(()));
        assert_eq!(budget.admit(of(900, 0), of(101, 0), now), Err(midnight));
        assert_eq!(budget.admit(of(0, 450), of(1, 51), now), Err(midnight));
        assert_eq!(budget.admit(of(0, 0), of(1_001, 0), midnight).map_err(|at| at > midnight), Err(true));
        assert_eq!(Budget::default().admit(of(u64::MAX, u64::MAX), of(1, 1), now), Ok(()));
        let usage = Usage { input: 10, output: 5, ..Usage::default() };
        assert_eq!(of(1, 2).and(&usage, Some(MicroDollars(3))), of(16, 5));
        assert_eq!(of(1, 2).and(&usage, None), of(16, 2));
    }

    #[test]
    fn money_is_read_by_people() {
        let check = |money, expect: &str| assert_eq!(MicroDollars(money).to_string(), expect);
        check(0, "$0.00");
        check(12_300, "$0.0123");
        check(1_500_000, "$1.50");
        check(1, "$0.000001");
    }
}
