//! Leaves a provider alone that fails again and again, and tries it with one call when its rest is over.

use chrono::{DateTime, Utc};
use std::time::Duration;

/// Counts failures in a row.
#[derive(Debug)]
pub(super) struct Breaker {
    most: u32,
    rest: Duration,
    failures: u32,
    /// Nothing is sent before; one call is, after it.
    until: Option<DateTime<Utc>>,
}

impl Breaker {
    pub(super) fn new(most: u32, rest: Duration) -> Self {
        Self { most: most.max(1), rest, failures: 0, until: None }
    }

    /// Lets a call through, or says until when none is. The call that is let through after a rest prolongs it for all
    /// others until it has come back.
    pub(super) fn admit(&mut self, now: DateTime<Utc>) -> Result<(), DateTime<Utc>> {
        match self.until {
            Some(until) if now < until => Err(until),
            Some(_) => {
                self.until = Some(now + self.rest);
                Ok(())
            }
            None => Ok(()),
        }
    }

    pub(super) fn succeeded(&mut self) {
        self.failures = 0;
        self.until = None;
    }

    pub(super) fn failed(&mut self, now: DateTime<Utc>) {
        self.failures = self.failures.saturating_add(1);
        if self.failures >= self.most {
            self.until = Some(now + self.rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_opens_rests_and_tries_with_one_call() {
        let at = |seconds: i64| DateTime::<Utc>::UNIX_EPOCH + chrono::Duration::seconds(seconds);
        let mut breaker = Breaker::new(2, Duration::from_secs(10));
        assert_eq!(breaker.admit(at(0)), Ok(()));
        breaker.failed(at(0));
        breaker.succeeded();
        breaker.failed(at(1));
        assert_eq!(breaker.admit(at(1)), Ok(()));
        breaker.failed(at(2));
        assert_eq!(breaker.admit(at(3)), Err(at(12)));
        assert_eq!(breaker.admit(at(12)), Ok(()));
        assert_eq!(breaker.admit(at(13)), Err(at(22)), "one call tries it");
        breaker.failed(at(14));
        assert_eq!(breaker.admit(at(15)), Err(at(24)));
        assert_eq!(breaker.admit(at(24)), Ok(()));
        breaker.succeeded();
        assert_eq!(breaker.admit(at(24)), Ok(()));
        breaker.failed(at(25));
        assert_eq!(breaker.admit(at(25)), Ok(()), "it counts from 0");
    }
}
