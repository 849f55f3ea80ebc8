//! What an installation may still ask for: GitHub's limits as its answers tell them, remembered so that nothing is sent
//! before they end (chapter 8). Pure: the time is an argument.

use super::request::Content;
use chrono::{DateTime, Duration, Utc};
use http::HeaderMap;
use std::collections::VecDeque;

/// Content-creating calls that GitHub takes in a minute.
const CREATES_A_MINUTE: usize = 80;
/// Content-creating calls that GitHub takes in an hour.
const CREATES_AN_HOUR: usize = 500;
/// One in so many calls of the hourly quota is left alone.
const RESERVE: u64 = 20;
/// How long a limit lasts that came without a header: blocks of 72 s occur (chapter 8).
const BLIND: Duration = Duration::seconds(72);
/// No header is believed beyond this.
const LONGEST: Duration = Duration::hours(24);

/// The limits of one installation, or of the App itself.
#[derive(Debug, Default)]
pub(super) struct Quota {
    blocked_until: Option<DateTime<Utc>>,
    window: Option<Window>,
    created: VecDeque<DateTime<Utc>>,
}

/// The hourly quota as the last answer told it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    limit: u64,
    /// Calls left until the reset.
    pub(super) remaining: u64,
    reset: DateTime<Utc>,
}

impl Quota {
    /// Lets a call go and counts it, or says when to ask again.
    pub(super) fn admit(&mut self, content: Content, now: DateTime<Utc>) -> Result<(), DateTime<Utc>> {
        if let Some(until) = self.blocked_until.filter(|until| *until > now) {
            return Err(until);
        }
        if let Some(window) = self.window.filter(|window| window.reset > now)
            && window.remaining <= window.limit / RESERVE
        {
            return Err(window.reset);
        }
        if content == Content::Creates {
            let (minute, hour) = (Duration::minutes(1), Duration::hours(1));
            while self.created.front().is_some_and(|at| *at + hour <= now) {
                self.created.pop_front();
            }
            let busy = [(CREATES_A_MINUTE, minute), (CREATES_AN_HOUR, hour)].into_iter().filter_map(|(most, span)| {
                let nth = self.created.len().checked_sub(most)?;
                self.created.get(nth).map(|at| *at + span).filter(|free| *free > now)
            });
            if let Some(until) = busy.max() {
                return Err(until);
            }
            self.created.push_back(now);
        }
        Ok(())
    }

    /// Takes in what an answer says about the hourly quota. GraphQL counts in points of its own and is left out.
    pub(super) fn note(&mut self, headers: &HeaderMap) -> Option<Window> {
        if headers.get("x-ratelimit-resource").is_some_and(|resource| resource != "core") {
            return None;
        }
        let window = Window {
            limit: number(headers, "x-ratelimit-limit")?,
            remaining: number(headers, "x-ratelimit-remaining")?,
            reset: reset(headers)?,
        };
        // Answers overtake each other: within one window the lowest figure is the newest.
        let newest = match self.window {
            Some(old) if old.reset == window.reset => {
                Window { remaining: old.remaining.min(window.remaining), ..window }
            }
            Some(old) if old.reset > window.reset => old,
            _ => window,
        };
        self.window = Some(newest);
        self.window
    }

    /// Remembers that nothing may be sent before `until`.
    pub(super) fn block(&mut self, until: DateTime<Utc>) {
        self.blocked_until = self.blocked_until.max(Some(until));
    }
}

/// When a limited caller may ask again: `Retry-After`, else the reset of a spent quota, else 72 s.
pub(super) fn until(headers: &HeaderMap, now: DateTime<Utc>) -> DateTime<Utc> {
    let asked = retry_after(headers, now).or_else(|| {
        // A second more: GitHub's clock and ours differ.
        spent(headers).then(|| reset(headers)).flatten().map(|at| at + Duration::seconds(1))
    });
    asked.unwrap_or(now + BLIND).clamp(now + Duration::seconds(1), now + LONGEST)
}

/// Whether the headers speak of a limit: without one a 403 is a missing permission.
pub(super) fn limited(headers: &HeaderMap) -> bool {
    headers.contains_key("retry-after") || spent(headers)
}

fn spent(headers: &HeaderMap) -> bool {
    number(headers, "x-ratelimit-remaining") == Some(0)
}

/// Seconds, or the date that HTTP allows as well.
fn retry_after(headers: &HeaderMap, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let text = headers.get("retry-after")?.to_str().ok()?.trim();
    match text.parse::<u32>() {
        Ok(seconds) => Some(now + Duration::seconds(i64::from(seconds))),
        Err(_) => DateTime::parse_from_rfc2822(text).ok().map(|at| at.with_timezone(&Utc)),
    }
}

fn reset(headers: &HeaderMap) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp(i64::try_from(number(headers, "x-ratelimit-reset")?).ok()?, 0)
}

fn number(headers: &HeaderMap, name: &str) -> Option<u64> {
    headers.get(name)?.to_str().ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000 + seconds, 0).unwrap()
    }

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect::<HeaderMap>()
    }

    fn window(remaining: u64, reset: i64) -> HeaderMap {
        let (remaining, reset) = (remaining.to_string(), at(reset).timestamp().to_string());
        headers(&[("x-ratelimit-limit", "5000"), ("x-ratelimit-remaining", &remaining), ("x-ratelimit-reset", &reset)])
    }

    #[test]
    fn a_limit_ends_when_the_headers_say() {
        let check = |pairs: &[(&'static str, &str)], expect: i64| assert_eq!(until(&headers(pairs), at(0)), at(expect));
        let reset = at(1200).timestamp().to_string();
        check(&[("retry-after", "30")], 30);
        check(&[("retry-after", "30"), ("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", &reset)], 30);
        check(&[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", &reset)], 1201);
        // A secondary limit with quota left: the reset is not its end.
        check(&[("x-ratelimit-remaining", "4000"), ("x-ratelimit-reset", &reset)], 72);
        check(&[], 72);
        check(&[("retry-after", "soon")], 72);
        check(&[("retry-after", "0")], 1);
        check(&[("retry-after", &at(90).to_rfc2822())], 90);
        check(&[("retry-after", "4000000000")], 24 * 3600);
    }

    #[test]
    fn a_block_holds_every_call_until_it_ends() {
        let mut quota = Quota::default();
        quota.block(at(72));
        quota.block(at(30));
        assert_eq!(quota.admit(Content::Keeps, at(71)), Err(at(72)));
        assert_eq!(quota.admit(Content::Keeps, at(72)), Ok(()));
    }

    #[test]
    fn a_twentieth_of_the_hourly_quota_is_left_alone() {
        let mut quota = Quota::default();
        quota.note(&window(251, 900));
        assert_eq!(quota.admit(Content::Keeps, at(0)), Ok(()));
        quota.note(&window(250, 900));
        assert_eq!(quota.admit(Content::Keeps, at(0)), Err(at(900)));
        quota.note(&window(4000, 900));
        assert_eq!(quota.admit(Content::Keeps, at(0)), Err(at(900)), "an older answer of the same window came late");
        assert_eq!(quota.admit(Content::Keeps, at(900)), Ok(()));
        quota.note(&window(4999, 4500));
        assert_eq!(quota.admit(Content::Keeps, at(901)), Ok(()));
    }

    #[test]
    fn graphql_points_are_another_quota() {
        let mut quota = Quota::default();
        let mut points = window(0, 900);
        points.insert("x-ratelimit-resource", "graphql".parse().unwrap());
        assert_eq!(quota.note(&points), None);
        assert_eq!(quota.admit(Content::Keeps, at(0)), Ok(()));
    }

    #[test]
    fn creating_is_paced_and_reading_is_not() {
        let mut quota = Quota::default();
        for _ in 0..80 {
            assert_eq!(quota.admit(Content::Creates, at(0)), Ok(()));
        }
        assert_eq!(quota.admit(Content::Creates, at(59)), Err(at(60)));
        assert_eq!(quota.admit(Content::Keeps, at(59)), Ok(()));
        for minute in 1..7 {
            for _ in 0..if minute < 6 { 80 } else { 20 } {
                assert_eq!(quota.admit(Content::Creates, at(60 * minute)), Ok(()));
            }
        }
        assert_eq!(quota.admit(Content::Creates, at(1000)), Err(at(3600)), "500 in the hour");
        assert_eq!(quota.admit(Content::Creates, at(3600)), Ok(()));
    }

    proptest! {
        #[test]
        fn no_minute_and_no_hour_holds_too_many(gaps in prop::collection::vec(0_i64..20, 1..1500)) {
            let (mut quota, mut now, mut went) = (Quota::default(), 0, Vec::new());
            for gap in gaps {
                now += gap;
                match quota.admit(Content::Creates, at(now)) {
                    Ok(()) => went.push(now),
                    Err(until) => prop_assert!(until > at(now)),
                }
            }
            let within = |span: i64| went.iter().map(|end| went.iter().filter(|t| **t > end - span && **t <= *end).count()).max();
            prop_assert!(within(60) <= Some(CREATES_A_MINUTE) && within(3600) <= Some(CREATES_AN_HOUR));
        }
    }
}
