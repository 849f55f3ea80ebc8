//! What can happen: a webhook becomes a wake, a lane and a cause (chapter 10). The payload is not kept.

use crate::domain::ids::{GateId, InstallationId, IssueNumber, Login, RepositoryId, RepositoryName};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// The events that the App subscribes to; `app.yml` lists the same (`tests/tidy.rs`).
/// One whose gate is not built yet is counted at the door and nothing else.
pub const EVENTS: [&str; 11] = [
    "issues",
    "issue_comment",
    "pull_request",
    "sub_issues",
    "issue_dependencies",
    "check_run",
    "check_suite",
    "push",
    "label",
    "repository",
    "merge_group",
];

/// Events that GitHub sends to every App, asked for or not.
pub const UNASKED: [&str; 4] = ["installation", "installation_repositories", "ping", "github_app_authorization"];

/// The label that stops every effect while it is on an issue or its parent.
pub const PAUSE: &str = "gate:pause";

/// The check run on a pull request that touches a contract, and the trigger of the wake that asks for it (chapter 8).
pub const CONTRACT_CHECK: &str = "sekisho/contract";

/// The check run on a pull request that reports, and the trigger of its button's wake.
pub const OUTCOME_CHECK: &str = "sekisho/outcome";

/// One subject's queue: jobs of a lane run one after the other.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Lane {
    /// The installation through which the App may act.
    pub installation: InstallationId,
    /// The repository.
    pub repository: RepositoryId,
    /// The issue or pull request.
    pub number: IssueNumber,
}

/// Why a lane was woken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CauseKind {
    /// A label was added.
    Label,
    /// A comment held a command.
    Command,
    /// Title or body was edited.
    Edit,
    /// A report may have been posted or edited.
    Report,
    /// A child closed.
    Child,
    /// A check run is due: a pull request came or moved, or somebody pressed the check run's button.
    Check,
    /// The healer found a trigger without a run.
    Sweep,
}

/// Why a run was woken, and by whom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cause {
    /// The kind.
    pub kind: CauseKind,
    /// The label's name, the command's line, or the check run's name.
    pub trigger: Option<String>,
    /// Who did it; none where a sweep has yet to find out.
    pub actor: Option<Login>,
    /// The comment's id, where a comment did it.
    pub source: Option<u64>,
    /// GitHub's own time of the event, never our clock.
    pub at: DateTime<Utc>,
    /// The pull request that it happened on, where the pull request woke the lane of its child issue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pull: Option<IssueNumber>,
}

/// A lane and why it is woken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wake {
    /// Whose queue.
    pub lane: Lane,
    /// The repository's name as of the event.
    pub repository: RepositoryName,
    /// Why.
    pub cause: Cause,
}

/// What the door makes of a delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A lane is woken.
    Wake(Wake),
    /// The default branch moved: contracts of the repository are looked up anew.
    Pushed(RepositoryId),
    /// `gate:pause` was removed: what waits in that repository becomes due.
    Unpaused(RepositoryId),
    /// Nothing to do, and why, for the count.
    Ignored(&'static str),
}

/// What a person asked for in a comment (chapter 3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `/gate <id>`
    Gate(GateId),
    /// `/gate status`
    Status,
    /// `/gate help`
    Help,
    /// `/gate retry [<id>]`
    Retry(Option<GateId>),
    /// `/gate answer Q1 …`
    Answer {
        /// The question's number, from 1.
        number: u32,
        /// The answer.
        text: String,
    },
    /// `/gate override <id> --reason "…" [--until DATE]`
    Override {
        /// The gate.
        gate: GateId,
        /// Why.
        reason: String,
        /// Until when; none = as long as the text stands.
        until: Option<DateTime<Utc>>,
    },
    /// `/gate override` that says no gate, no reason, or no date that can be read.
    BadOverride {
        /// What is wrong with it.
        why: &'static str,
    },
    /// `/gate` with words that this version does not know.
    Unknown(String),
}

/// Waiting windows of the queue (chapter 8), in milliseconds; 0 = at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Windows {
    /// For labels.
    pub quiet_ms: u32,
    /// For edits.
    pub edit_ms: u32,
}

/// When a wake is due, and what it may be merged with (chapter 10).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Jobs of one lane with the same key that have not begun are one; none = never merged.
    pub merge: Option<String>,
    /// When it is due.
    pub due: DateTime<Utc>,
    /// Edits: each further edit pushes `due` on, but never past the first edit's `latest`. Labels keep the first `due`.
    pub latest: Option<DateTime<Utc>>,
}

/// Commands and the like are due at once and never merged; labels and checks merge by name within the quiet window;
/// edits are debounced, at most 60 s altogether.
#[must_use]
pub fn slot(cause: &Cause, now: DateTime<Utc>, windows: Windows) -> Slot {
    let after = |ms: u32| now + chrono::Duration::milliseconds(i64::from(ms));
    match cause.kind {
        CauseKind::Label => Slot {
            merge: Some(format!("label:{}", cause.trigger.as_deref().unwrap_or_default())),
            due: after(windows.quiet_ms),
            latest: None,
        },
        CauseKind::Edit => {
            Slot { merge: Some("edit".to_owned()), due: after(windows.edit_ms), latest: Some(after(60_000)) }
        }
        // Pushes that follow one another ask for the same check run: that of the head as it is then.
        CauseKind::Check => Slot {
            merge: Some(format!("check:{}", cause.trigger.as_deref().unwrap_or_default())),
            due: after(windows.quiet_ms),
            latest: None,
        },
        CauseKind::Command | CauseKind::Report | CauseKind::Child | CauseKind::Sweep => {
            Slot { merge: None, due: now, latest: None }
        }
    }
}
