//! One call of the App's: through the switch-board, then at the desk as the App.

use super::World;
use super::acts::Desk;
use super::faults::{Fate, Method, Moment};
use super::refusal::Refusal;
use super::state::Actor;
use crate::ports::ForgeError;

/// Whether an answer shows the newest state.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Age {
    Fresh,
    Stale,
}

impl World {
    /// One call, through the switch-board.
    pub(super) async fn call<T: Send>(
        &self,
        method: Method,
        what: String,
        act: impl FnOnce(&mut Desk<'_>, Age) -> Result<T, Refusal> + Send,
    ) -> Result<T, ForgeError> {
        if let Some(delay) = self.inner.faults.delay() {
            self.inner.clock.sleep_until(self.inner.clock.now() + delay).await;
        }
        let fate = self.inner.faults.decide(self.app, method, &what, self.inner.clock.now());
        let (moment, tell) = match fate {
            Fate::Failed(error) => return Err(error),
            Fate::Answered => return self.done(what, |desk| act(desk, Age::Fresh)),
            Fate::Stale => return self.done(what, |desk| act(desk, Age::Stale)),
            Fate::AnswerLost => {
                // A refusal is lost with the answer.
                let _ = self.done(what.clone(), |desk| act(desk, Age::Fresh));
                return Err(ForgeError::Unreachable { what, message: "502 Bad Gateway".to_owned() });
            }
            Fate::Stopped(moment, tell) => (moment, tell),
        };
        if moment == Moment::After {
            let _ = self.done(what, |desk| act(desk, Age::Fresh));
        }
        if let Some(tell) = tell {
            tell.send_replace(Some(method));
        }
        std::future::pending().await
    }

    fn done<T>(&self, what: String, act: impl FnOnce(&mut Desk<'_>) -> Result<T, Refusal>) -> Result<T, ForgeError> {
        self.at_desk(Actor::App, act).map_err(|refusal| refusal.into_error(what))
    }
}
