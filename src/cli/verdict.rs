//! The service's own path from a text to its verdict, forge left out: what `judge`, `eval` and `contract try` share
//! (chapter 10).

use super::progress::Progress;
use crate::app::models::{Bottomless, Buyer, Models};
use crate::domain::event::{Cause, CauseKind};
use crate::domain::gates;
use crate::domain::ids::{GateId, IssueId, IssueNumber, RunId};
use crate::domain::reply::Paid;
use crate::domain::run::{Contracts, Done, Dossier, Facts, Issue, Judges, Next, StoredRecord, Task};
use crate::render;
use chrono::{DateTime, Utc};
use futures::future::{BoxFuture, FutureExt as _};
use futures::stream::{self, StreamExt as _};
use std::time::{Duration, Instant};

/// A text that is put to a gate.
pub(super) struct Question {
    /// The gate.
    pub gate: GateId,
    /// The issue's title; empty where only a text is given.
    pub title: String,
    /// The text.
    pub body: String,
    /// The reference text of chapter 3.
    pub against: Option<String>,
    /// What it is judged by; [`Contracts::Absent`] = the built-in of the text's language.
    pub contracts: Contracts,
    /// Earlier records, oldest first.
    pub records: Vec<StoredRecord>,
}

impl Question {
    /// The dossier of a run on this text: every fact that can be known is there.
    pub fn dossier(self, now: DateTime<Utc>) -> Dossier {
        let issue = Issue {
            id: IssueId(0),
            number: IssueNumber(0),
            title: self.title,
            body: self.body,
            url: String::new(),
            labels: Vec::new(),
            author: None,
            open: true,
            state_reason: None,
            is_pull_request: false,
            locked: false,
            created_at: now,
            updated_at: now,
            parent: None,
        };
        let facts =
            Facts { issue: Some(issue), records: Some(self.records), against: self.against, ..Facts::default() };
        Dossier {
            run: RunId(format!("{}.{}", uuid::Uuid::now_v7(), self.gate)),
            app: None,
            lane: None,
            repository: None,
            web_url: String::new(),
            cause: Cause {
                kind: CauseKind::Command,
                trigger: Some(format!("sekisho judge {}", self.gate)),
                actor: None,
                source: None,
                at: now,
                pull: None,
            },
            task: Task::Gate { gate: self.gate, retry: false },
            now,
            contracts: self.contracts,
            judges: Judges::default(),
            facts,
        }
    }
}

/// Who judges on the command line: the rules, and models beside them where some were asked for.
pub(super) struct Bench {
    models: Models,
    runtime: tokio::runtime::Runtime,
}

/// What a text came to.
pub(super) struct Reached {
    /// The end, its record with reasons and questions in words. It has no record where the gate ended without one, such as a
    /// gate that no contract declares.
    pub done: Done,
    /// Every call of a model that was paid for.
    pub paid: Vec<Paid>,
    /// How long it took.
    pub took: Duration,
}

/// Texts that models are asked about at the same time.
const AT_ONCE: usize = 8;

impl Bench {
    /// The embedded judge alone.
    ///
    /// # Errors
    /// Where the system gives no runtime.
    pub fn of_rules() -> Result<Self, String> {
        Self::of(Models::default())
    }

    /// These models beside the rules.
    ///
    /// # Errors
    /// As [`Bench::of_rules`].
    pub fn of(models: Models) -> Result<Self, String> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        Ok(Self { models, runtime: runtime.map_err(|error| format!("no runtime: {error}"))? })
    }

    /// What the service would make of this text. Who waits long sees that.
    ///
    /// # Errors
    /// Where the gate needs what only a repository has.
    pub fn reach(&self, dossier: &Dossier) -> Result<Reached, String> {
        self.runtime.block_on(Progress::during("judging", self.walk(dossier)))
    }

    /// The same for many, several at the same time, in their order.
    pub fn reach_all(&self, dossiers: &[Dossier]) -> Vec<Result<Reached, String>> {
        let mut progress = Progress::new("judging", Some(dossiers.len()));
        let asked: Vec<BoxFuture<'_, _>> = dossiers.iter().map(|dossier| self.walk(dossier).boxed()).collect();
        self.runtime.block_on(async {
            let mut answers = stream::iter(asked).buffered(AT_ONCE);
            let mut reached = Vec::with_capacity(dossiers.len());
            while let Some(one) = progress.beside(answers.next()).await {
                reached.push(one);
                progress.step();
            }
            reached
        })
    }

    async fn walk(&self, dossier: &Dossier) -> Result<Reached, String> {
        let started = Instant::now();
        let mut dossier = Dossier { judges: self.models.judges(), ..dossier.clone() };
        // Every fact is there from the start, so the gate asks its judges at most, and twice where the tier above is asked.
        for _ in 0..4 {
            match gates::next(&dossier) {
                Next::Ask(asked) => {
                    let gate = asked.first().map_or(GateId::Start, |consult| consult.brief.gate);
                    let buyer = Buyer { run: dossier.run.clone(), lane: None, gate };
                    let answers = self.models.judge(&asked, &Bottomless, &buyer).await;
                    dossier.facts.answers.extend(answers);
                }
                Next::Done(done) => {
                    let paid = dossier.facts.answers.iter().flat_map(|judged| judged.paid.clone()).collect();
                    return Ok(Reached { done: worded(*done), paid, took: started.elapsed() });
                }
                Next::Need(facts) => return Err(format!("this gate needs what only a repository has: {facts:?}")),
                Next::Hold => return Err("the subject is paused".to_owned()),
            }
        }
        Err("the gate never came to an end".to_owned())
    }
}

fn worded(mut done: Done) -> Done {
    if let (Some(record), Some(view)) = (&mut done.record, &done.view) {
        record.reasons = render::phrase_reasons(view);
        record.questions = render::phrase_questions(view);
    }
    done
}
