//! The World: one in-memory GitHub with its state, rules and refusals, for `demo` and for every dialogue test.
//!
//! It outlives the App: a new App on the same World and the same database is a restart. People act through
//! [`World::as_person`], the App through [`Forge`](crate::ports::Forge), webhooks wait in the [`Outbox`], and what
//! goes wrong in between is set by `world.stop_at_write(…)` and its neighbours. Where the spec is silent it does what
//! GitHub does; what it leaves out (links across repositories, reviews, merging, search, pages of lists) only the real GitHub can show.

mod acts;
mod branches;
mod calls;
mod clock;
mod faults;
mod forge;
mod limits;
mod links;
mod model;
mod outbox;
mod payload;
mod people;
mod pulls;
mod refusal;
mod rights;
mod shown;
mod snapshot;
mod state;
mod upkeep;

pub use clock::ManualClock;
pub use faults::{Calls, Counts, Feature, Method, Moment, Network, Stop};
pub use model::{
    Access, AppPermission, CheckStage, Commit, Condition, Conversation, Display, IssueEvent, Label, Repository,
    Standing, StoredCheckRun, StoredComment, StoredIssue, SubjectKind, Upkeep, Visibility,
};
pub use outbox::{Delivery, Outbox};
pub use people::{Outcome, Person};
pub use refusal::Refusal;

use self::acts::Desk;
use self::faults::{Faults, Trouble};
use self::state::{Actor, Installation, State};
use self::upkeep::Selection;
use crate::domain::ids::{AppId, InstallationId, IssueNumber, Login, RepositoryId, RepositoryName};
use crate::domain::run::AppIdentity;
use crate::ports::{Clock, ForgeError, Place};
use chrono::{DateTime, Utc};
use secrecy::SecretString;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// One GitHub. Clones share it; see [`reconnect`](World::reconnect) for what they do not share.
#[derive(Clone)]
pub struct World {
    inner: Arc<Inner>,
    /// Which App calls: one that was stopped stays silent for ever, its successor is another.
    app: u64,
}

struct Inner {
    state: Mutex<State>,
    outbox: Outbox,
    faults: Faults,
    clock: Arc<dyn Clock>,
    apps: AtomicU64,
}

/// Whom a World knows from the beginning.
pub struct Setup {
    /// The App.
    pub app: AppIdentity,
    /// Its only installation.
    pub installation: InstallationId,
    /// The webhook secret.
    pub secret: SecretString,
    /// Base address of the pages.
    pub web_url: String,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            app: AppIdentity { id: AppId(12345), slug: "sekisho".to_owned() },
            installation: InstallationId(4242),
            secret: SecretString::from("It's a Secret to Everybody"),
            web_url: "https://github.com".to_owned(),
        }
    }
}

/// Making it.
impl World {
    /// A World without repositories.
    #[must_use]
    pub fn new(setup: Setup, clock: Arc<dyn Clock>) -> Self {
        let outbox = Outbox::new(setup.secret, setup.app.id);
        let state = State {
            app: setup.app,
            web_url: setup.web_url,
            installation: Installation {
                id: setup.installation,
                standing: Standing::Active,
                selected: BTreeSet::new(),
                withheld: BTreeSet::new(),
            },
            repositories: BTreeMap::new(),
            old_names: BTreeMap::new(),
            moved: BTreeMap::new(),
            users: BTreeMap::new(),
            next_id: 1000,
            last_stamp: DateTime::UNIX_EPOCH,
        };
        let (state, faults, apps) = (Mutex::new(state), Faults::default(), AtomicU64::new(0));
        Self { inner: Arc::new(Inner { state, outbox, faults, clock, apps }), app: 0 }
    }

    /// Creates an empty repository and puts it into the installation's selection; both are set-up and make no event.
    #[expect(clippy::must_use_candidate, reason = "a set-up may not need the id")]
    pub fn create_repository(&self, name: &RepositoryName, visibility: Visibility) -> RepositoryId {
        self.with(|state| {
            let id = RepositoryId(state.fresh_id());
            state.user_id(&Login(name.owner.clone()));
            let repository = Repository {
                id,
                name: name.clone(),
                visibility,
                upkeep: Upkeep::Live,
                default_branch: "main".to_owned(),
                commits: Vec::new(),
                labels: Vec::new(),
                issues: BTreeMap::new(),
                access: BTreeMap::new(),
                blocked: BTreeSet::new(),
                branches: BTreeMap::new(),
                heads: BTreeMap::new(),
                checks: Vec::new(),
            };
            state.repositories.insert(id, repository);
            state.installation.selected.insert(id);
            id
        })
    }

    /// Gives a person a role in a repository; a name that is no repository changes nothing, here and below.
    pub fn grant(&self, repository: &RepositoryName, login: &str, access: Access) {
        self.with_repository(repository, |found| found.access.insert(login.to_lowercase(), access));
    }

    /// Takes a person's role away.
    pub fn revoke(&self, repository: &RepositoryName, login: &str) {
        self.with_repository(repository, |found| found.access.remove(&login.to_lowercase()));
    }

    /// Blocks a person: no more issues and comments of theirs, and no role.
    pub fn block(&self, repository: &RepositoryName, login: &str) {
        self.with_repository(repository, |found| {
            found.access.remove(&login.to_lowercase());
            found.blocked.insert(login.to_lowercase())
        });
    }

    /// A person, standing at the first repository; [`Person::at`] goes to another.
    #[must_use]
    pub fn as_person(&self, login: &str) -> Person {
        let first = self.with(|state| state.repositories.values().next().map(|first| first.name.clone()));
        let repository = first.unwrap_or_else(|| RepositoryName::new("", ""));
        Person { world: self.clone(), login: Login::new(login), repository }
    }

    /// Deletes an account: what it wrote stays, without an author.
    pub fn delete_account(&self, login: &str) {
        let gone = |author: &Option<Login>| author.as_ref().is_some_and(|author| author.same(login));
        self.with(|state| {
            let slots = state.repositories.values_mut().flat_map(|repository| repository.issues.values_mut());
            for slot in slots {
                let model::Slot::Here { now, .. } = slot else { continue };
                now.author = now.author.take().filter(|author| !author.same(login));
                now.comments.iter_mut().filter(|comment| gone(&comment.author)).for_each(|it| it.author = None);
            }
        });
    }
}

/// The installation.
impl World {
    /// Suspends the installation, takes the suspension back, or uninstalls the App; `by` is the account's owner.
    pub fn set_standing(&self, by: &str, standing: Standing) {
        let act = |desk: &mut Desk<'_>| {
            desk.set_standing(standing);
            Ok(())
        };
        let _ = self.at_desk(Actor::Person(Login::new(by)), act);
    }

    /// Takes a repository out of the installation's selection.
    ///
    /// # Errors
    /// 404 where there is no such repository.
    pub fn deselect(&self, by: &str, repository: &RepositoryName) -> Outcome {
        self.choose(by, repository, Selection::Removed)
    }

    /// Puts a repository into the installation's selection.
    ///
    /// # Errors
    /// 404 where there is no such repository.
    pub fn select(&self, by: &str, repository: &RepositoryName) -> Outcome {
        self.choose(by, repository, Selection::Added)
    }

    fn choose(&self, by: &str, repository: &RepositoryName, word: Selection) -> Outcome {
        self.at_desk(Actor::Person(Login::new(by)), |desk| {
            let id = desk.state.find(repository).ok_or_else(Refusal::not_found)?;
            desk.select(id, word)
        })
    }

    /// Withholds a permission from the App.
    pub fn withhold(&self, permission: AppPermission) {
        self.with(|state| state.installation.withheld.insert(permission));
    }

    /// Gives it back.
    pub fn restore(&self, permission: AppPermission) {
        self.with(|state| state.installation.withheld.remove(&permission));
    }
}

/// Looking at it: copies, and no call of the App's.
impl World {
    /// Webhooks on their way out.
    #[must_use]
    pub fn outbox(&self) -> Outbox {
        self.inner.outbox.clone()
    }

    /// A repository as it is now.
    #[must_use]
    pub fn look_at(&self, repository: &RepositoryName) -> Option<Repository> {
        self.with(|state| state.find(repository).and_then(|id| state.repositories.get(&id).cloned()))
    }

    /// An issue or pull request of a repository as it is now.
    #[must_use]
    pub fn look_at_issue(&self, repository: &RepositoryName, number: IssueNumber) -> Option<StoredIssue> {
        self.with(|state| state.find(repository).and_then(|id| state.issue((id, number)).cloned()))
    }

    /// Where the App's calls for a repository go.
    #[must_use]
    pub fn place(&self, repository: &RepositoryName) -> Place {
        let installation = self.with(|state| state.installation.id);
        Place { installation, repository: repository.clone() }
    }

    /// Calls since the last reset.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.inner.faults.counts()
    }

    /// Counts from 0 again.
    pub fn reset_counts(&self) {
        self.inner.faults.reset_counts();
    }
}

/// Making it fail.
impl World {
    /// A face for a new App on the same World. The old face stays as it is: stopped, if it was stopped.
    #[must_use]
    pub fn reconnect(&self) -> Self {
        Self { inner: self.inner.clone(), app: self.inner.apps.fetch_add(1, Ordering::Relaxed) + 1 }
    }

    /// Stops the App of this face at its `nth` writing call from now (1 = the next): that call and all after it never
    /// return. One stop at a time; a new one replaces the old.
    #[must_use]
    pub fn stop_at_write(&self, nth: u64, moment: Moment) -> Stop {
        self.inner.faults.arm(self.app, nth, moment)
    }

    /// The next `times` such calls fail with this error and do nothing.
    pub fn fail_next(&self, calls: Calls, times: u32, error: ForgeError) {
        self.inner.faults.script(calls, times, Trouble::Fail(error));
    }

    /// The next `times` such calls are done, but answered as unreachable.
    pub fn lose_answers(&self, calls: Calls, times: u32) {
        self.inner.faults.script(calls, times, Trouble::LoseAnswer);
    }

    /// The next `reads` of an issue show it as it was before its last change.
    pub fn stale_reads(&self, reads: u32) {
        self.inner.faults.script(Calls::Of(Method::Issue), reads, Trouble::Stale);
    }

    /// The next `reads` of an issue's comments show them as they were before its last change.
    pub fn stale_lists(&self, reads: u32) {
        self.inner.faults.script(Calls::Of(Method::Comments), reads, Trouble::Stale);
    }

    /// Every call is rate limited until that time of the World's clock.
    pub fn limit_until(&self, until: DateTime<Utc>) {
        self.inner.faults.limit_until(until);
    }

    /// The line between App and World.
    pub fn set_network(&self, network: Network) {
        self.inner.faults.set_network(network);
    }

    /// The server stops offering something.
    pub fn withdraw(&self, feature: Feature) {
        self.inner.faults.withdraw(feature);
    }

    /// The server offers it again.
    pub fn offer(&self, feature: Feature) {
        self.inner.faults.offer(feature);
    }

    /// Nothing goes wrong any more; stopped Apps stay stopped.
    pub fn clear_faults(&self) {
        self.inner.faults.clear();
    }
}

impl World {
    fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        act(&mut self.inner.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn with_repository<T>(&self, name: &RepositoryName, act: impl FnOnce(&mut Repository) -> T) {
        self.with(|state| {
            let id = state.find(name);
            if let Some(repository) = id.and_then(|id| state.repositories.get_mut(&id)) {
                act(repository);
            }
        });
    }

    /// One act on the locked state; nothing else happens in between.
    fn at_desk<T>(&self, actor: Actor, act: impl FnOnce(&mut Desk<'_>) -> Outcome<T>) -> Outcome<T> {
        let now = self.inner.clock.now();
        self.with(|state| act(&mut Desk::new(state, &self.inner.outbox, actor, now)))
    }
}
