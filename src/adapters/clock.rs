//! The system's clock. Everything below takes time as an argument or through [`Clock`].

use crate::ports::Clock;
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// The clock on the wall.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

#[async_trait]
impl Clock for SystemClock {
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }

    async fn sleep_until(&self, at: DateTime<Utc>) {
        // A clock that was set back meanwhile makes the sleep too short: look again.
        while let Ok(rest) = (at - Utc::now()).to_std() {
            if rest.is_zero() {
                break;
            }
            tokio::time::sleep(rest).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn it_sleeps_until_then_and_not_at_all_for_the_past() {
        let start = SystemClock.now();
        SystemClock.sleep_until(start - chrono::Duration::hours(1)).await;
        let at = SystemClock.now() + chrono::Duration::milliseconds(20);
        SystemClock.sleep_until(at).await;
        assert!(SystemClock.now() >= at);
    }
}
