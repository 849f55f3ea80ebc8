//! A text that is put to *start* by itself: no repository, no history, the built-in contract of its language.

#![allow(dead_code, reason = "each test program uses its part of it")]

use chrono::{DateTime, Utc};
use sekisho::domain::event::{Cause, CauseKind};
use sekisho::domain::ids::{GateId, IssueId, IssueNumber, RunId};
use sekisho::domain::run::{Contracts, Dossier, Facts, Issue, Judges, Task};

/// The dossier of its run.
pub fn asked(body: &str, judges: Judges) -> Dossier {
    let now = DateTime::<Utc>::UNIX_EPOCH;
    let issue = Issue {
        id: IssueId(0),
        number: IssueNumber(1),
        title: String::new(),
        body: body.to_owned(),
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
    let cause = Cause { kind: CauseKind::Command, trigger: None, actor: None, source: None, at: now, pull: None };
    Dossier {
        run: RunId::new("1.start"),
        app: None,
        lane: None,
        repository: None,
        web_url: String::new(),
        cause,
        task: Task::Gate { gate: GateId::Start, retry: false },
        now,
        contracts: Contracts::Absent,
        judges,
        facts: Facts { issue: Some(issue), records: Some(Vec::new()), ..Facts::default() },
    }
}
