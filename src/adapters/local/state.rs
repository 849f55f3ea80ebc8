//! The whole state, and the few look-ups that everything else shares: who sees what, and where it stands now.

use super::model::{Access, AppPermission, Repository, Slot, Standing, StoredIssue, Visibility};
use super::refusal::Refusal;
use crate::domain::ids::{BlobHash, CommentId, InstallationId, IssueNumber, Login, RepositoryId, RepositoryName};
use crate::domain::run::AppIdentity;
use chrono::{DateTime, SubsecRound, Utc};
use sha1::{Digest, Sha1};
use std::collections::{BTreeMap, BTreeSet};

/// Everything there is.
#[derive(Debug)]
pub(super) struct State {
    pub app: AppIdentity,
    pub web_url: String,
    pub installation: Installation,
    pub repositories: BTreeMap<RepositoryId, Repository>,
    /// Names from before a rename: GitHub redirects them.
    pub old_names: BTreeMap<String, RepositoryId>,
    /// Issues that were transferred: GitHub redirects them too.
    pub moved: BTreeMap<(RepositoryId, IssueNumber), (RepositoryId, IssueNumber)>,
    pub users: BTreeMap<String, u64>,
    pub next_id: u64,
    pub last_stamp: DateTime<Utc>,
}

/// The App's installation on the account.
#[derive(Debug)]
pub(super) struct Installation {
    pub id: InstallationId,
    pub standing: Standing,
    pub selected: BTreeSet<RepositoryId>,
    pub withheld: BTreeSet<AppPermission>,
}

/// Who acts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Actor {
    Person(Login),
    App,
}

impl State {
    /// The next free id; ids are shared by everything, as they only need to be unlike.
    pub fn fresh_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    /// A whole-second time that never runs back.
    pub fn stamp(&mut self, now: DateTime<Utc>) -> DateTime<Utc> {
        self.last_stamp = self.last_stamp.max(now.trunc_subsecs(0));
        self.last_stamp
    }

    /// The App's own login.
    pub fn bot(&self) -> Login {
        Login(format!("{}[bot]", self.app.slug))
    }

    /// Who acts, as a login.
    pub fn login(&self, actor: &Actor) -> Login {
        match actor {
            Actor::Person(login) => login.clone(),
            Actor::App => self.bot(),
        }
    }

    /// An account's id; a new login is a new account.
    pub fn user_id(&mut self, login: &Login) -> u64 {
        let key = login.as_str().to_lowercase();
        if let Some(id) = self.users.get(&key) {
            return *id;
        }
        let id = self.fresh_id();
        self.users.insert(key, id);
        id
    }

    /// The repository of that name, also by a name it had before.
    pub fn find(&self, name: &RepositoryName) -> Option<RepositoryId> {
        let wanted = folded(name);
        let now = self.repositories.values().find(|repository| folded(&repository.name) == wanted);
        now.map(|repository| repository.id).or_else(|| self.old_names.get(&wanted).copied())
    }

    /// The repository, if the actor may see it.
    pub fn enter(&self, actor: &Actor, name: &RepositoryName) -> Result<RepositoryId, Refusal> {
        let id = self.find(name).ok_or_else(Refusal::not_found)?;
        self.may_see(actor, id)?;
        Ok(id)
    }

    fn may_see(&self, actor: &Actor, id: RepositoryId) -> Result<(), Refusal> {
        let visible = match actor {
            Actor::App => match self.installation.standing {
                Standing::Suspended => return Err(Refusal::suspended()),
                Standing::Removed => false,
                Standing::Active => self.installation.selected.contains(&id),
            },
            Actor::Person(login) => self.access(login, id).is_some(),
        };
        if visible { Ok(()) } else { Err(Refusal::not_found()) }
    }

    /// What a person may do there; a public repository lets everyone read.
    pub fn access(&self, login: &Login, id: RepositoryId) -> Option<Access> {
        let repository = self.repositories.get(&id)?;
        let everyone = (repository.visibility == Visibility::Public).then_some(Access::Read);
        repository.access.get(&login.as_str().to_lowercase()).copied().or(everyone)
    }

    /// The issue, following a transfer if the actor may see where it went.
    pub fn locate(
        &self,
        actor: &Actor,
        name: &RepositoryName,
        number: IssueNumber,
    ) -> Result<(RepositoryId, IssueNumber), Refusal> {
        let mut place = (self.enter(actor, name)?, number);
        while let Some(onwards) = self.moved.get(&place) {
            place = *onwards;
            self.may_see(actor, place.0)?;
        }
        match self.repositories.get(&place.0).and_then(|repository| repository.issues.get(&place.1)) {
            Some(Slot::Here { .. }) => Ok(place),
            Some(Slot::Deleted) => Err(Refusal::deleted()),
            Some(Slot::Gone) | None => Err(Refusal::not_found()),
        }
    }

    /// The issue as it is now.
    pub fn issue(&self, place: (RepositoryId, IssueNumber)) -> Option<&StoredIssue> {
        match self.repositories.get(&place.0)?.issues.get(&place.1)? {
            Slot::Here { now, .. } => Some(now),
            Slot::Deleted | Slot::Gone => None,
        }
    }

    /// The issue as it was before its last change, or as it is where it never changed.
    pub fn earlier(&self, place: (RepositoryId, IssueNumber)) -> Option<&StoredIssue> {
        match self.repositories.get(&place.0)?.issues.get(&place.1)? {
            Slot::Here { now, past } => Some(past.as_deref().unwrap_or(now)),
            Slot::Deleted | Slot::Gone => None,
        }
    }

    /// Changes an issue: its earlier state is kept and its time moves on.
    pub fn change<T>(
        &mut self,
        place: (RepositoryId, IssueNumber),
        at: DateTime<Utc>,
        change: impl FnOnce(&mut StoredIssue) -> T,
    ) -> Result<T, Refusal> {
        let slot = self.repositories.get_mut(&place.0).and_then(|repository| repository.issues.get_mut(&place.1));
        let Some(Slot::Here { now, past }) = slot else { return Err(Refusal::not_found()) };
        *past = Some(now.clone());
        now.updated_at = at;
        Ok(change(now))
    }

    /// Where a comment stands.
    pub fn comment_place(&self, repository: RepositoryId, id: CommentId) -> Option<(RepositoryId, IssueNumber)> {
        self.repositories.get(&repository)?.issues.values().find_map(|slot| match slot {
            Slot::Here { now, .. } if now.comments.iter().any(|comment| comment.id == id) => {
                Some((repository, now.number))
            }
            _ => None,
        })
    }
}

/// A repository's name as a key.
pub(super) fn folded(name: &RepositoryName) -> String {
    name.to_string().to_lowercase()
}

/// The hash that git gives these bytes.
pub(super) fn blob_hash(bytes: &[u8]) -> BlobHash {
    let mut hash = Sha1::new();
    hash.update(format!("blob {}\0", bytes.len()));
    hash.update(bytes);
    BlobHash(hex::encode(hash.finalize()))
}
