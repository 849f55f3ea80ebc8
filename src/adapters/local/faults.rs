//! The switch-board: what goes wrong between the App and the World, and how often it was asked for what.

use crate::ports::ForgeError;
use chrono::{DateTime, Utc};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// A method of [`Forge`](crate::ports::Forge).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)] // each is the method of the same name
pub enum Method {
    App,
    Installation,
    OpenIssues,
    Issue,
    Comments,
    OwnComments,
    Repository,
    Permission,
    Head,
    DefaultBranch,
    Directory,
    File,
    Pull,
    PullFiles,
    CheckRuns,
    OwnIssues,
    SubIssues,
    BlockedBy,
    PullsFrom,
    CreateComment,
    EditComment,
    DeleteComment,
    CreateLabel,
    AddLabel,
    RemoveLabel,
    Acknowledge,
    Minimise,
    CreateCheckRun,
    UpdateCheckRun,
    CreateIssue,
    EditIssueBody,
    CloseIssue,
    AddSubIssue,
    AddBlockedBy,
    CreateBranch,
    PutFile,
    CreatePull,
}

impl Method {
    /// What a server must offer for it, beside what all do.
    fn needs(self) -> Option<Feature> {
        match self {
            Self::Acknowledge => Some(Feature::Acknowledge),
            Self::Minimise => Some(Feature::Minimise),
            Self::SubIssues | Self::AddSubIssue => Some(Feature::SubIssues),
            Self::BlockedBy | Self::AddBlockedBy => Some(Feature::Dependencies),
            _ => None,
        }
    }

    /// Whether it changes something.
    #[must_use]
    pub fn writes(self) -> bool {
        self >= Self::CreateComment
    }
}

/// Which calls a fault meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calls {
    /// All.
    Any,
    /// Those that change nothing.
    Reads,
    /// Those that change something.
    Writes,
    /// Those of one method.
    Of(Method),
}

impl Calls {
    fn meet(self, method: Method) -> bool {
        match self {
            Self::Any => true,
            Self::Reads => !method.writes(),
            Self::Writes => method.writes(),
            Self::Of(one) => one == method,
        }
    }
}

/// At which side of its effect a writing call stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// The request never arrived.
    Before,
    /// It was done, and nobody heard the answer.
    After,
}

/// The line between the App and the World.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Network {
    /// It works.
    #[default]
    Up,
    /// Each request takes so long, by the World's clock.
    Slow(Duration),
    /// Nothing arrives.
    Down,
}

/// What a server may not offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Feature {
    /// Reactions.
    Acknowledge,
    /// GraphQL, and with it minimising.
    Minimise,
    /// The routes of sub-issues.
    SubIssues,
    /// The routes of dependencies between issues.
    Dependencies,
}

/// Calls by method since the last reset, refused ones included.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Counts(BTreeMap<Method, u64>);

impl Counts {
    /// Calls of one method.
    #[must_use]
    pub fn of(&self, method: Method) -> u64 {
        self.0.get(&method).copied().unwrap_or_default()
    }

    /// All that change nothing.
    #[must_use]
    pub fn reads(&self) -> u64 {
        self.0.iter().filter(|(method, _)| !method.writes()).map(|(_, count)| count).sum()
    }

    /// All that change something.
    #[must_use]
    pub fn writes(&self) -> u64 {
        self.0.iter().filter(|(method, _)| method.writes()).map(|(_, count)| count).sum()
    }

    /// Reads and writes that chapter 10's budget counts: who the App is, contract fetches, label creation,
    /// 👀 and minimising stand apart.
    #[must_use]
    pub fn budget(&self) -> (u64, u64) {
        use Method::{
            AddLabel, CheckRuns, Comments, CreateCheckRun, CreateComment, DeleteComment, EditComment, Issue,
            Permission, Pull, PullFiles, RemoveLabel, UpdateCheckRun,
        };
        let sum = |methods: &[Method]| methods.iter().map(|method| self.of(*method)).sum();
        (
            sum(&[Issue, Comments, Permission, Pull, PullFiles, CheckRuns]),
            sum(&[CreateComment, EditComment, DeleteComment, AddLabel, RemoveLabel, CreateCheckRun, UpdateCheckRun]),
        )
    }
}

/// Tells a test that its stop was reached.
#[derive(Clone, Debug)]
pub struct Stop(watch::Receiver<Option<Method>>);

impl Stop {
    /// Returns once the App is stopped, with the call that it was stopped in. Where it makes fewer writes, never.
    pub async fn reached(&mut self) -> Method {
        match self.0.wait_for(Option::is_some).await.ok().and_then(|method| *method) {
            Some(method) => method,
            None => std::future::pending().await,
        }
    }

    /// The call that the App was stopped in, if it was.
    #[must_use]
    pub fn method(&self) -> Option<Method> {
        *self.0.borrow()
    }
}

/// All switches; every App has a number, so that a stopped one stays silent beside its successor.
#[derive(Debug, Default)]
pub(super) struct Faults(Mutex<Board>);

#[derive(Debug, Default)]
struct Board {
    counts: Counts,
    network: Network,
    limited_until: Option<DateTime<Utc>>,
    withdrawn: BTreeSet<Feature>,
    scripts: Vec<Script>,
    stop: Option<Armed>,
    stopped: BTreeSet<u64>,
}

#[derive(Debug)]
struct Script {
    calls: Calls,
    left: u32,
    what: Trouble,
}

/// What a scripted fault does.
#[derive(Clone, Debug)]
pub(super) enum Trouble {
    Fail(ForgeError),
    LoseAnswer,
    Stale,
}

#[derive(Debug)]
struct Armed {
    app: u64,
    left: u64,
    moment: Moment,
    tell: watch::Sender<Option<Method>>,
}

/// What becomes of one call.
#[derive(Debug)]
pub(super) enum Fate {
    /// It is done and answered.
    Answered,
    /// The state before the issue's last change is answered.
    Stale,
    /// It is not done.
    Failed(ForgeError),
    /// It is done, and the answer lost.
    AnswerLost,
    /// It never returns; perhaps it is done. Then the test is told.
    Stopped(Moment, Option<watch::Sender<Option<Method>>>),
}

impl Faults {
    fn board(&self) -> MutexGuard<'_, Board> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn arm(&self, app: u64, nth: u64, moment: Moment) -> Stop {
        let (tell, hear) = watch::channel(None);
        self.board().stop = Some(Armed { app, left: nth, moment, tell });
        Stop(hear)
    }

    pub fn script(&self, calls: Calls, times: u32, what: Trouble) {
        self.board().scripts.push(Script { calls, left: times, what });
    }

    pub fn set_network(&self, network: Network) {
        self.board().network = network;
    }

    pub fn limit_until(&self, until: DateTime<Utc>) {
        self.board().limited_until = Some(until);
    }

    pub fn withdraw(&self, feature: Feature) {
        self.board().withdrawn.insert(feature);
    }

    pub fn offer(&self, feature: Feature) {
        self.board().withdrawn.remove(&feature);
    }

    /// Every scripted fault ends; a stopped App stays stopped.
    pub fn clear(&self) {
        let mut board = self.board();
        *board = Board {
            counts: std::mem::take(&mut board.counts),
            stopped: std::mem::take(&mut board.stopped),
            ..Board::default()
        };
    }

    pub fn counts(&self) -> Counts {
        self.board().counts.clone()
    }

    pub fn reset_counts(&self) {
        self.board().counts = Counts::default();
    }

    /// How long a request is on its way.
    pub fn delay(&self) -> Option<Duration> {
        match self.board().network {
            Network::Slow(delay) => Some(delay),
            Network::Up | Network::Down => None,
        }
    }

    /// Counts a call and decides what becomes of it.
    pub fn decide(&self, app: u64, method: Method, what: &str, now: DateTime<Utc>) -> Fate {
        let mut board = self.board();
        if board.stopped.contains(&app) {
            return Fate::Stopped(Moment::Before, None);
        }
        *board.counts.0.entry(method).or_default() += 1;
        if let Some(armed) = board.stops(app, method) {
            return Fate::Stopped(armed.moment, Some(armed.tell));
        }
        let what = what.to_owned();
        if board.network == Network::Down {
            return Fate::Failed(ForgeError::Unreachable { what, message: "connection refused".to_owned() });
        }
        if let Some(until) = board.limited_until.filter(|until| now < *until) {
            return Fate::Failed(ForgeError::RateLimited { what, until });
        }
        if method.needs().is_some_and(|feature| board.withdrawn.contains(&feature)) {
            return Fate::Failed(ForgeError::NotOffered { what });
        }
        if let Some(script) = board.scripts.iter_mut().find(|script| script.left > 0 && script.calls.meet(method)) {
            script.left -= 1;
            return match &script.what {
                Trouble::Fail(error) => Fate::Failed(error.clone()),
                Trouble::LoseAnswer => Fate::AnswerLost,
                Trouble::Stale => Fate::Stale,
            };
        }
        Fate::Answered
    }
}

impl Board {
    /// Counts the armed stop down and gives it out at its call.
    fn stops(&mut self, app: u64, method: Method) -> Option<Armed> {
        let armed = self.stop.as_mut().filter(|armed| armed.app == app && method.writes())?;
        armed.left = armed.left.saturating_sub(1);
        if armed.left > 0 {
            return None;
        }
        self.stopped.insert(app);
        self.stop.take()
    }
}
