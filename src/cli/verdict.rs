//! The service's own path from a text to its verdict, forge left out: what `judge`, `eval` and `contract try` share
//! (chapter 10).

use crate::domain::event::{Cause, CauseKind};
use crate::domain::gates;
use crate::domain::ids::{GateId, IssueId, IssueNumber, RunId};
use crate::domain::rules;
use crate::domain::run::{Contracts, Done, Dossier, Facts, Issue, Next, StoredRecord, Task};
use crate::render;
use chrono::{DateTime, Utc};

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
            facts,
        }
    }
}

/// Judges with the embedded judge. The record has its reasons and questions in words; none where the gate ended without
/// one, such as a gate that no contract declares.
///
/// # Errors
/// Where the gate needs what only a repository has.
pub(super) fn reach(dossier: &Dossier) -> Result<Done, String> {
    let mut dossier = dossier.clone();
    // Every fact is there from the start, so the gate asks its judges at most, and once.
    for _ in 0..4 {
        match gates::next(&dossier) {
            Next::Ask(briefs) => dossier.facts.answers = briefs.iter().map(rules::judge).collect(),
            Next::Done(done) => return Ok(worded(*done)),
            Next::Need(facts) => return Err(format!("this gate needs what only a repository has: {facts:?}")),
            Next::Hold => return Err("the subject is paused".to_owned()),
        }
    }
    Err("the gate never came to an end".to_owned())
}

fn worded(mut done: Done) -> Done {
    if let (Some(record), Some(view)) = (&mut done.record, &done.view) {
        record.reasons = render::phrase_reasons(view);
        record.questions = render::phrase_questions(view);
    }
    done
}
