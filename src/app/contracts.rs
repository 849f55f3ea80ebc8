//! The contracts of a repository, cached by the head commit of its default branch, absence included (chapter 10).

use super::{App, WorkError, place};
use crate::domain::contract::{
    Bases, Kind, Loaded, MAX_BYTES, Owner, PLACES, Place as Spot, blob, in_force, load, load_on, wants,
};
use crate::domain::event::Wake;
use crate::domain::ids::{CommitSha, RepositoryId, RepositoryName};
use crate::domain::run::{Contracts, HeadContracts};
use crate::ports::{ForgeError, Place};
use moka::sync::Cache as Moka;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Largest file that is fetched. One above a contract's limit says that it is too large, and of what kind it is: a
/// hand-off contract that grew too large is broken, and no other takes its place.
const INLINE: u64 = 1024 * 1024;

/// What is known of each repository. A push or ten minutes end that.
pub(super) struct Cache {
    /// The head that was seen, for ten minutes.
    current: Moka<RepositoryId, Contracts>,
    /// What a commit holds, for as long as there is room.
    by_commit: Moka<(RepositoryId, CommitSha), Contracts>,
    /// Who looks now: lanes that start together look once.
    looks: Moka<RepositoryId, Arc<Look>>,
}

/// A look at a repository's contracts.
#[derive(Default)]
struct Look {
    /// Held while one looks.
    turn: tokio::sync::Mutex<()>,
    /// Pushes so far: what was read before one is not kept after it.
    pushes: AtomicU64,
}

impl Cache {
    pub(super) fn new() -> Self {
        Self {
            current: Moka::builder().max_capacity(10_000).time_to_live(Duration::from_mins(10)).build(),
            by_commit: Moka::builder().max_capacity(1_000).build(),
            looks: Moka::builder().max_capacity(10_000).build(),
        }
    }

    pub(super) fn forget(&self, repository: RepositoryId) {
        self.look(repository).pushes.fetch_add(1, Ordering::SeqCst);
        self.current.invalidate(&repository);
    }

    fn look(&self, repository: RepositoryId) -> Arc<Look> {
        self.looks.get_with(repository, Arc::default)
    }

    /// Keeps what was read since there had been so many pushes.
    fn keep(&self, repository: RepositoryId, look: &Look, pushes: u64, contracts: &Contracts) {
        self.current.insert(repository, contracts.clone());
        // In this order: a push that comes now takes it out again itself.
        if look.pushes.load(Ordering::SeqCst) != pushes {
            self.current.invalidate(&repository);
        }
    }
}

impl App {
    /// The repository's contracts as of now. None of its reads counts in a verdict's budget.
    pub(super) async fn contracts(&self, wake: &Wake) -> Result<Contracts, WorkError> {
        let repository = wake.lane.repository;
        if let Some(known) = self.contracts.current.get(&repository) {
            return Ok(known);
        }
        let look = self.contracts.look(repository);
        let _turn = look.turn.lock().await;
        if let Some(known) = self.contracts.current.get(&repository) {
            return Ok(known);
        }
        let pushes = look.pushes.load(Ordering::SeqCst);
        let place = place(wake);
        let contracts = match self.forge.head(&place).await {
            Ok(head) => self.at_commit(&place, repository, head.commit).await?,
            // An empty repository has no commit; the owner's `.github` may still hold contracts. One that the App cannot
            // reach now answers the same, so none of this is kept.
            Err(ForgeError::NotFound { .. }) => return self.owners(&place, Vec::new()).await,
            Err(error) => return Err(error.into()),
        };
        self.contracts.keep(repository, &look, pushes, &contracts);
        Ok(contracts)
    }

    /// The contracts at another commit, such as a pull request's head, with all that their files hold.
    pub(super) async fn at_head(&self, wake: &Wake, commit: &CommitSha) -> Result<HeadContracts, WorkError> {
        let place = place(wake);
        let found = self.look_in(&place, Owner::Judged, commit).await?;
        let problems = in_force(&found).problems;
        let own = settled(&found, &place.repository, commit);
        let in_force = match own {
            Contracts::Absent => self.owners(&place, found).await?,
            _ => own.clone(),
        };
        Ok(HeadContracts { own, problems, in_force })
    }

    async fn at_commit(
        &self,
        place: &Place,
        repository: RepositoryId,
        commit: CommitSha,
    ) -> Result<Contracts, WorkError> {
        let key = (repository, commit);
        if let Some(known) = self.contracts.by_commit.get(&key) {
            return Ok(known);
        }
        let found = self.look_in(place, Owner::Judged, &key.1).await?;
        if found.iter().flatten().any(|file| file.kind == Some(Kind::Handoff)) {
            let contracts = settled(&found, &place.repository, &key.1);
            self.contracts.by_commit.insert(key, contracts.clone());
            return Ok(contracts);
        }
        // The owner's repository moves by itself, so what it says is not this commit's.
        self.owners(place, found).await
    }

    /// The owner's `.github` repository, where the installation may read it.
    async fn owners(&self, place: &Place, mut found: Vec<Vec<Loaded>>) -> Result<Contracts, WorkError> {
        let repository = RepositoryName::new(&place.repository.owner, ".github");
        let owners = Place { installation: place.installation, repository };
        match self.forge.head(&owners).await {
            Ok(head) if owners.repository != place.repository => {
                found.extend(self.look_in(&owners, Owner::Dotgithub, &head.commit).await?);
                Ok(settled(&found, &owners.repository, &head.commit))
            }
            Ok(_) | Err(ForgeError::NotFound { .. } | ForgeError::Forbidden { .. }) => Ok(Contracts::Absent),
            Err(error) => Err(error.into()),
        }
    }

    /// What each place of that owner holds, up to the first that holds a hand-off contract.
    async fn look_in(&self, place: &Place, owner: Owner, commit: &CommitSha) -> Result<Vec<Vec<Loaded>>, WorkError> {
        let mut found = Vec::new();
        for spot in PLACES.into_iter().filter(|spot| spot.owner == owner) {
            let files = self.files(place, spot, commit).await?;
            let ours = files.iter().any(|file| file.kind == Some(Kind::Handoff));
            found.push(files);
            if ours {
                break;
            }
        }
        Ok(found)
    }

    async fn files(&self, place: &Place, spot: Spot, commit: &CommitSha) -> Result<Vec<Loaded>, WorkError> {
        let mut entries = match self.forge.directory(place, spot.folder(), commit).await {
            Ok(entries) => entries,
            Err(ForgeError::NotFound { .. }) => return Ok(Vec::new()),
            Err(error) => return Err(error.into()),
        };
        entries.retain(|entry| spot.holds(&entry.path));
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        let (mut files, mut bases) = (Vec::new(), Bases::default());
        for entry in entries {
            if entry.size > INLINE {
                // Not fetched, and too large for a contract that anyone wrote: said, and passed over.
                files.push(load(&entry.path, &vec![b'#'; MAX_BYTES + 1], Some(commit.clone())));
                continue;
            }
            let file = self.forge.file(place, &entry.path, commit).await?;
            self.fetch_bases(place, &entry.path, &file.bytes, commit, &mut bases).await?;
            files.push(load_on(&entry.path, &file.bytes, Some(commit.clone()), &bases));
        }
        Ok(files)
    }

    /// Fetches what the file extends and is not there yet, at the same commit.
    async fn fetch_bases(
        &self,
        place: &Place,
        path: &str,
        bytes: &[u8],
        commit: &CommitSha,
        bases: &mut Bases,
    ) -> Result<(), WorkError> {
        while let Some(wanted) = wants(path, bytes, bases) {
            match self.forge.file(place, &wanted, commit).await {
                Ok(file) => bases.found(&wanted, wanted.clone(), file.bytes),
                Err(ForgeError::NotFound { .. }) => bases.missing(&wanted, "is not in this repository"),
                Err(ForgeError::Refused { .. }) => bases.missing(&wanted, "is no file that the forge gives out whole"),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

/// What was found, as the gates take it.
fn settled(found: &[Vec<Loaded>], repository: &RepositoryName, commit: &CommitSha) -> Contracts {
    let chosen = in_force(found);
    if chosen.is_broken() {
        // The blob stands for what every file of the place says, so that any fix is a new question.
        let said: Vec<String> = chosen.problems.iter().map(ToString::to_string).collect();
        let problems = chosen.problems;
        return Contracts::Broken {
            problems,
            repository: repository.clone(),
            commit: commit.clone(),
            blob: blob(&said.join("\n")),
        };
    }
    if chosen.contracts.is_empty() {
        return Contracts::Absent;
    }
    Contracts::InForce { contracts: chosen.contracts, notices: chosen.problems }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_before_a_push_is_not_kept_after_it() {
        let (cache, repository) = (Cache::new(), RepositoryId(7));
        let look = cache.look(repository);
        let before = look.pushes.load(Ordering::SeqCst);
        cache.keep(repository, &look, before, &Contracts::Absent);
        assert_eq!(cache.current.get(&repository), Some(Contracts::Absent));
        cache.forget(repository);
        assert_eq!(cache.current.get(&repository), None);
        cache.keep(repository, &look, before, &Contracts::Absent);
        assert_eq!(cache.current.get(&repository), None, "the next one looks again");
    }
}
