//! What calls cost, and when it is enough for a day (chapter 4).

use super::receipt::Usage;
use chrono::{DateTime, Days, NaiveTime, Utc};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

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

/// What was expected of a text that says money, a price or a budget. It does not repeat the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {0}")]
pub struct NoAmount(&'static str);

/// The largest amount that is read, in dollars.
const MOST_DOLLARS: u64 = 1_000_000_000;

/// `2`, `2.50`, `$0.000001`: dollars with up to six figures behind the point.
impl FromStr for MicroDollars {
    type Err = NoAmount;

    fn from_str(text: &str) -> Result<Self, NoAmount> {
        let expected = NoAmount("dollars, such as $2.50");
        let text = text.trim();
        let (whole, part) = match text.strip_prefix('$').unwrap_or(text).split_once('.') {
            Some((whole, part)) if !part.is_empty() => (whole, part),
            Some(_) => return Err(expected),
            None => (text.strip_prefix('$').unwrap_or(text), ""),
        };
        let figures = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || part.len() > 6 || !figures(whole) || !figures(part) {
            return Err(expected);
        }
        let whole: u64 = whole.parse().ok().filter(|whole| *whole <= MOST_DOLLARS).ok_or(expected)?;
        let part: u64 = format!("{part:0<6}").parse().map_err(|_| expected)?;
        Ok(Self(whole * 1_000_000 + part))
    }
}

/// `3/0.3/3.75/15`: read anew, from the cache, into the cache, written; or `3/15`, where the cache changes nothing.
impl FromStr for Price {
    type Err = NoAmount;

    fn from_str(text: &str) -> Result<Self, NoAmount> {
        let expected =
            NoAmount("dollars per million tokens as input/cached/cache_written/output, such as 3/0.3/3.75/15");
        let amounts: Vec<MicroDollars> =
            text.split('/').map(str::parse).collect::<Result<_, _>>().map_err(|_: NoAmount| expected)?;
        match amounts[..] {
            [input, cached, cache_written, output] => Ok(Self { input, cached, cache_written, output }),
            [input, output] => Ok(Self { input, cached: input, cache_written: input, output }),
            _ => Err(expected),
        }
    }
}

/// `200000 tokens`, `$2.50`, or both with a comma between.
impl FromStr for Budget {
    type Err = NoAmount;

    fn from_str(text: &str) -> Result<Self, NoAmount> {
        let expected = NoAmount("a day's limit such as `200000 tokens`, `$2.50`, or both with a comma between");
        let mut budget = Self::default();
        for part in text.split(',').map(str::trim) {
            if let Some(count) = part.strip_suffix("tokens") {
                let tokens = count.trim_end().replace('_', "").parse().map_err(|_| expected)?;
                if count.starts_with('+') || budget.tokens.replace(tokens).is_some() {
                    return Err(expected);
                }
            } else if !part.starts_with('$') || budget.money.replace(part.parse().map_err(|_| expected)?).is_some() {
                return Err(expected);
            }
        }
        Ok(budget)
    }
}

/// `200000 tokens, $2.50`, as it is read; `no limit` where there is none.
impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.tokens, self.money) {
            (None, None) => f.write_str("no limit"),
            (Some(tokens), None) => write!(f, "{tokens} tokens"),
            (None, Some(money)) => write!(f, "{money}"),
            (Some(tokens), Some(money)) => write!(f, "{tokens} tokens, {money}"),
        }
    }
}

impl MicroDollars {
    /// `0.0123`, as far as there are figures: as a record writes it.
    #[must_use]
    pub fn dollars(self) -> String {
        let figures = format!("{:06}", self.0 % 1_000_000);
        let figures = figures.trim_end_matches('0');
        format!("{}.{figures:0<2}", self.0 / 1_000_000)
    }
}

/// `$0.0123`.
impl fmt::Display for MicroDollars {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "${}", self.dollars())
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
    fn amounts_are_read_as_people_write_them() {
        let money = |text: &str, expect: Option<u64>| {
            assert_eq!(text.parse::<MicroDollars>().ok().map(|money| money.0), expect, "{text}");
        };
        money("$2.50", Some(2_500_000));
        money(" 3 ", Some(3_000_000));
        money("$0.000001", Some(1));
        for text in ["", "$", "$.5", "2.", "-1", "+1", "1e3", "2,50", "0.0000001", "$$1", "1000000001", "٣"] {
            money(text, None);
        }
        let price = |text: &str, expect: Option<[u64; 4]>| {
            let read = text.parse::<Price>().ok();
            assert_eq!(read.map(|p| [p.input.0, p.cached.0, p.cache_written.0, p.output.0]), expect, "{text}");
        };
        price("3/0.3/3.75/15", Some([3_000_000, 300_000, 3_750_000, 15_000_000]));
        price("$1 / $4", Some([1_000_000, 1_000_000, 1_000_000, 4_000_000]));
        price("0/0", Some([0; 4]));
        for text in ["", "3", "3/15/1", "3/x", "3/0.3/3.75/15/1"] {
            price(text, None);
        }
        let budget = |text: &str, expect: Option<(Option<u64>, Option<u64>)>| {
            let read = text.parse::<Budget>().ok();
            assert_eq!(read.map(|budget| (budget.tokens, budget.money.map(|money| money.0))), expect, "{text}");
        };
        budget("200000 tokens", Some((Some(200_000), None)));
        budget("$2.50, 1_000tokens", Some((Some(1_000), Some(2_500_000))));
        budget("0 tokens", Some((Some(0), None)));
        for text in ["", "5", "2.50", "$1,$2", "1 tokens,2 tokens", "tokens", "+1 tokens", "1 tokens,", "1.5 tokens"] {
            budget(text, None);
        }
        for text in ["200000 tokens", "$2.50", "5 tokens, $0.01"] {
            assert_eq!(text.parse::<Budget>().map(|budget| budget.to_string()).as_deref(), Ok(text));
        }
        assert_eq!(Budget::default().to_string(), "no limit");
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
