//! Gathering what a run asks of a pull request that touches a contract. Many reads may follow one another here, so they
//! are paced.

use super::gather::{LOOKS, gone};
use super::{App, WorkError, place};
use crate::domain::contract::MAX_BYTES;
use crate::domain::event::Wake;
use crate::domain::gates::EXAMPLES;
use crate::domain::ids::CommitSha;
use crate::domain::run::{Dossier, ExampleFile, Fact, Pull};
use crate::ports::{Entry, ForgeError, Place};
use std::time::Duration;

/// Between two subjects that are read: fifty take five seconds, and other lanes of the installation go on.
const PACE: Duration = Duration::from_millis(100);
/// Files of labelled examples that are read at most.
const FILES: usize = 50;

impl App {
    /// Fills in one fact about a pull request or what it would change; other facts are not gathered here.
    pub(super) async fn gather_change(&self, wake: &Wake, dossier: &mut Dossier, fact: Fact) -> Result<(), WorkError> {
        let change = &mut dossier.facts.change;
        match fact {
            Fact::PullFiles => {
                change.files = Some(self.forge.pull_files(&place(wake), wake.lane.number).await.map_err(gone)?);
            }
            Fact::Pull => change.pull = Some(self.fresh_pull(wake).await?),
            Fact::ContractsAt(commit) => change.head = Some(self.at_head(wake, &commit).await?),
            Fact::ExamplesAt(commit) => change.examples = Some(self.examples(&place(wake), &commit).await?),
            Fact::Judged(subjects) => {
                change.judged = Some(self.store.judged(wake.lane.repository, subjects).await?);
            }
            Fact::Subjects(numbers) => {
                for number in numbers {
                    self.clock.sleep_until(self.clock.now() + PACE).await;
                    change.subjects.insert(number, self.readable(wake, number).await?);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The pull request, at least as new as the event: else it waits and reads again.
    async fn fresh_pull(&self, wake: &Wake) -> Result<Pull, WorkError> {
        let mut looks = LOOKS.into_iter();
        loop {
            let pull = self.forge.pull(&place(wake), wake.lane.number).await.map_err(gone)?;
            if pull.updated_at >= wake.cause.at {
                return Ok(pull);
            }
            let Some(seconds) = looks.next() else { return Err(WorkError::Stale) };
            self.clock.sleep_until(self.clock.now() + Duration::from_secs(seconds)).await;
        }
    }

    async fn examples(&self, place: &Place, commit: &CommitSha) -> Result<Vec<ExampleFile>, WorkError> {
        let mut entries = match self.forge.directory(place, EXAMPLES, commit).await {
            Ok(entries) => entries,
            Err(ForgeError::NotFound { .. }) => return Ok(Vec::new()),
            Err(error) => return Err(error.into()),
        };
        entries.retain(|entry| entry.path.rsplit_once('.').is_some_and(|(_, end)| matches!(end, "yaml" | "yml")));
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        let mut files = Vec::new();
        for (index, Entry { path, size }) in entries.into_iter().enumerate() {
            let text = if index >= FILES {
                Err("not read: the check run reads 50 files of examples")
            } else if size > MAX_BYTES as u64 {
                Err("not read: larger than 256 KiB")
            } else {
                let file = self.forge.file(place, &path, commit).await?;
                String::from_utf8(file.bytes).map_err(|_| "not UTF-8")
            };
            files.push(ExampleFile { path, text });
        }
        Ok(files)
    }
}
