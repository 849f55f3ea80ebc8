//! Records that the database lost, put back from the App's own signed comments: of a subject of which it holds none, when a
//! run asks for them; of a whole repository, when the operator does (`sekisho restore`).
//!
//! A crash between reading and storing repeats harmlessly: what stands is left as it is.

use super::perform::regained;
use super::{App, WorkError, place, shown};
use crate::domain::event::{Cause, CauseKind, Lane, Wake, slot};
use crate::domain::ids::{DeliveryId, GateId, IssueNumber, RepositoryId, RepositoryName};
use crate::domain::record::Record;
use crate::domain::restore::{Believed, Fault, FaultKind, Found, Kept, Restored, Told, restored};
use crate::domain::run::{AppIdentity, Comment, StoredRecord};
use crate::ports::{Delivery, ForgeError, Place, Regained, StoreError, Work};
use crate::render::codec;
use chrono::{DateTime, Utc};
use moka::sync::Cache;
use std::collections::BTreeMap;

/// Whether what is found is put back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writing {
    /// It is.
    Stored,
    /// It is told, and nothing is written.
    DryRun,
}

/// What a look through a repository's comments found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// One line for each subject and gate, in that order.
    pub rows: Vec<Row>,
    /// What was not believed, or is missing.
    pub faults: Vec<Fault>,
}

/// The records of a subject at a gate.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The subject.
    pub number: IssueNumber,
    /// The gate.
    pub gate: GateId,
    /// How many were put back, or would be.
    pub restored: usize,
    /// How many stood in the database already.
    pub stood: usize,
    /// The newest that comments tell of.
    pub newest: Record,
}

/// Why a repository cannot be restored.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum RestoreError {
    /// The forge said no, or nothing.
    #[error("{0}")]
    Forge(#[from] ForgeError),
    /// The database said no.
    #[error("{0}")]
    Store(#[from] StoreError),
}

/// Subjects of which the database held nothing, and whose comments were looked through by this process: once is enough,
/// since a database is lost only between two processes.
pub(super) struct Looked(Cache<(RepositoryId, IssueNumber), ()>);

impl Looked {
    pub(super) fn new() -> Self {
        Self(Cache::builder().max_capacity(100_000).build())
    }
}

impl App {
    /// The records of a subject. Where the database holds none, those that the App's comments there prove are put back.
    pub(super) async fn records(&self, wake: &Wake, number: IssueNumber) -> Result<Vec<StoredRecord>, WorkError> {
        let repository = wake.lane.repository;
        let known = self.store.records(repository, number).await?;
        if !known.is_empty() || self.looked.0.contains_key(&(repository, number)) {
            return Ok(known);
        }
        let place = place(wake);
        // A report on a pull request has its verdict there.
        let pull = wake.cause.pull.filter(|_| number == wake.lane.number);
        let mut told = Vec::new();
        for at in [Some(number), pull].into_iter().flatten() {
            let comments = match self.forge.comments(&place, at).await {
                Ok(comments) => comments,
                Err(error) if error.may_mend() => return Err(error.into()),
                // Whether anything can be done there is for the run to find out.
                Err(_) => return Ok(known),
            };
            told.extend(self.told(at, &comments).await?);
        }
        let Restored { mut records, faults } = restored(&told, self.believed(repository).await?);
        records.retain(|found| found.record.subject.number == Some(number));
        let lane = shown(&Lane { number, ..wake.lane.clone() });
        for fault in &faults {
            let (kind, url) = (fault.what.as_str(), fault.url.as_deref().unwrap_or_default());
            tracing::warn!(lane, kind, url, why = %fault.what, "a record in a comment");
        }
        if !records.is_empty() {
            let restored = self.put_back(&place, repository, &records, &[]).await?;
            tracing::info!(lane, restored, "records were missing, and are restored from their comments");
        }
        self.looked.0.insert((repository, number), ());
        Ok(self.store.records(repository, number).await?)
    }

    /// Looks through the App's comments of a repository, or of one issue or pull request, and puts back what the database
    /// lacks.
    ///
    /// # Errors
    /// What cannot be read or stored. What was put back before that stays.
    pub async fn restore(
        &self,
        repository: &RepositoryName,
        number: Option<IssueNumber>,
        writing: Writing,
    ) -> Result<Report, RestoreError> {
        let installation = self.forge.installation(repository).await?;
        let place = Place { installation, repository: repository.clone() };
        let id = self.forge.repository(&place).await?;
        let mut told = Vec::new();
        match number {
            Some(number) => told = self.told(number, &self.forge.comments(&place, number).await?).await?,
            None => {
                for (at, comment) in self.forge.own_comments(&place).await? {
                    told.extend(self.told(at, &[comment]).await?);
                }
            }
        }
        let Restored { records, faults } = restored(&told, self.believed(id).await?);
        let mut report = Report { rows: Vec::new(), faults };
        let mut subjects: BTreeMap<IssueNumber, Vec<Found>> = BTreeMap::new();
        for found in records {
            subjects.entry(found.record.subject.number.unwrap_or(found.at)).or_default().push(found);
        }
        for (number, found) in subjects {
            let known = self.store.records(id, number).await?;
            let lacking = report.add(number, &found, &known);
            if writing == Writing::Stored && !lacking.is_empty() {
                self.put_back(&place, id, &lacking, &known).await?;
            }
        }
        report.faults.sort_by_key(|fault| (fault.number, fault.gate, fault.seq));
        Ok(report)
    }

    /// Puts records of one subject back, beside those that are known. A split that was not filed to its end is woken.
    async fn put_back(
        &self,
        place: &Place,
        repository: RepositoryId,
        found: &[Found],
        known: &[StoredRecord],
    ) -> Result<u64, StoreError> {
        let mut back = Vec::new();
        let mut unfiled = Vec::new();
        for Found { record, comment, children, at } in found {
            let number = record.subject.number.unwrap_or(*at);
            let lane = Lane { installation: place.installation, repository, number };
            let later = known.iter().any(|stored| stored.record.gate == record.gate && stored.record.seq > record.seq);
            let entries = match children {
                Kept::Unfiled(_) if later => Vec::new(),
                children => regained(&lane, record, children),
            };
            if entries.iter().any(|entry| entry.result.is_none()) {
                unfiled.push((lane, record));
            }
            back.push(Regained { record: record.clone(), comment: comment.clone(), entries });
        }
        let restored = self.store.restore(&back).await?;
        for (lane, record) in unfiled {
            self.wake_up(place, lane, record).await?;
        }
        Ok(restored)
    }

    /// The job that was filing is gone with its database: another one goes on, as after an edit that changed nothing.
    async fn wake_up(&self, place: &Place, lane: Lane, record: &Record) -> Result<(), StoreError> {
        let at = DateTime::<Utc>::UNIX_EPOCH;
        let cause = Cause { kind: CauseKind::Edit, trigger: None, actor: None, source: None, at, pull: None };
        let now = self.clock.now();
        let slot = slot(&cause, now, self.settings.windows);
        let wake = Box::new(Wake { lane, repository: place.repository.clone(), cause });
        let delivery = Delivery {
            id: DeliveryId::new(format!("restore.{}", record.run)),
            event: "sekisho.wake".to_owned(),
            received_at: now,
            work: Work::Wake { wake, slot },
        };
        self.store.take_in(&[delivery]).await?;
        self.woken.notify_one();
        Ok(())
    }

    /// The App's own of these comments, taken apart.
    async fn told(&self, at: IssueNumber, comments: &[Comment]) -> Result<Vec<Told>, ForgeError> {
        let app = self.identity().await?;
        Ok(comments.iter().filter(|comment| app.wrote(comment)).map(|comment| codec::take_apart(at, comment)).collect())
    }

    async fn believed(&self, repository: RepositoryId) -> Result<Believed<'_>, ForgeError> {
        let app: &AppIdentity = self.identity().await?;
        Ok(Believed { keys: &self.settings.keys, app, repository })
    }
}

impl Report {
    /// Notes what became of a subject's records, and says which of them the database lacks.
    fn add(&mut self, number: IssueNumber, found: &[Found], known: &[StoredRecord]) -> Vec<Found> {
        let mut lacking = Vec::new();
        let mut forked = None;
        for one in found {
            let record = &one.record;
            let same = |stored: &&StoredRecord| stored.record.gate == record.gate && stored.record.seq == record.seq;
            let (lacks, fault) = match known.iter().find(same).map(|stored| &stored.record) {
                // What follows from a record that another one took the place of is no part of this history either.
                None if forked == Some(record.gate) => (false, Some(FaultKind::Fork)),
                None => (true, None),
                // All edits of a record keep its run.
                Some(stands) if stands.run != record.run => (false, Some(FaultKind::Fork)),
                Some(stands) if stands.edit < record.edit => (true, None),
                Some(stands) if stands.edit > record.edit => (false, Some(FaultKind::Behind)),
                Some(stands) => (false, (stands != record).then_some(FaultKind::Fork)),
            };
            if fault == Some(FaultKind::Fork) {
                forked = Some(record.gate);
            }
            self.faults.extend(fault.map(|what| Fault::of(one, what)));
            if self.rows.last().is_none_or(|row| (row.number, row.gate) != (number, record.gate)) {
                let newest = record.clone();
                self.rows.push(Row { number, gate: record.gate, restored: 0, stood: 0, newest });
            }
            if let Some(row) = self.rows.last_mut() {
                row.newest = record.clone();
                row.restored += usize::from(lacks);
                row.stood += usize::from(!lacks);
            }
            if lacks {
                lacking.push(one.clone());
            }
        }
        lacking
    }
}
