//! What can happen: a webhook becomes a wake, a lane and a cause (chapter 10). The payload is not kept.

use crate::domain::ids::{GateId, InstallationId, IssueNumber, Login, RepositoryId, RepositoryName, RunId};
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

/// The trigger of a comment that may answer questions.
pub const ANSWER: &str = "answer";

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
    /// A child was closed, opened again, added, taken away, or its dependencies changed.
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
    /// The label's name, the command's line, the check run's name, `answer` for a comment with answers, or what happened
    /// to a child: GitHub's word, such as `closed`.
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

impl Cause {
    /// Whether another lane's run woke this one: its time says nothing of what this subject shows.
    #[must_use]
    pub fn is_relayed(&self) -> bool {
        let trigger = self.trigger.as_deref().unwrap_or_default();
        self.pull.is_some()
            || (self.kind == CauseKind::Child && (trigger.starts_with(CHILD) || trigger == DEPENDENCIES))
    }
}

/// How the trigger of a parent's wake begins whose child was closed or opened again.
pub const CHILD: &str = "child_";
/// The trigger of a wake of a parent whose children's dependencies changed.
pub const DEPENDENCIES: &str = "dependencies";

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
    /// One event wakes for several reasons, each on its own.
    Wakes(Vec<Wake>),
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
    /// `/gate answer Q1 …`. The comment may hold further answers: [`answers`](crate::domain::command::answers).
    Answer {
        /// The question's number.
        number: u32,
        /// What was answered, secrets masked.
        text: String,
    },
    /// `/gate override <id> --reason "…" [--until DATE]`
    Override {
        /// Which gate is overridden.
        gate: GateId,
        /// Why, secrets masked; at most 500 characters.
        reason: String,
        /// The first moment at which it holds no longer; none = until the text changes.
        until: Option<DateTime<Utc>>,
    },
    /// `/gate override` that cannot be carried out as it is written.
    BadOverride {
        /// What is wrong with it.
        why: OverrideFault,
    },
    /// `/gate` with words that this version does not know.
    Unknown(String),
}

/// What is wrong with `/gate override …`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OverrideFault {
    /// It names no gate, or a word that is none.
    NoGate(String),
    /// It gives no reason.
    NoReason,
    /// Its reason has more than 500 characters; so many.
    LongReason(usize),
    /// A quote that opens never closes.
    OpenQuote,
    /// `--until` is no date such as `2027-01-31` and no time such as `2027-01-31T12:00:00Z`.
    BadUntil(String),
    /// Words that belong to nothing.
    Unexpected(String),
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

/// The slot of a wake that waits for a time: nothing is merged with it but its own repeat, and no other job of its lane
/// waits for it. A gate that could not judge looks again once, however many runs have met that.
#[must_use]
pub fn later(run: &RunId, cause: &Cause, due: DateTime<Utc>) -> Slot {
    let looks = cause.trigger.as_deref().filter(|trigger| trigger.starts_with(UNJUDGED));
    let name = looks.and_then(|trigger| trigger.rsplit_once(':')).map_or(run.as_str(), |(gate, _)| gate);
    Slot { merge: Some(format!("{LATER}{name}")), due, latest: None }
}

/// How the key of such a wake begins.
pub const LATER: &str = "later:";
/// How the trigger of a wake begins whose gate was overridden until now.
pub const LAPSED: &str = "override:";
/// What a sweep's trigger begins with that completes what could not be judged: the gate and how often it looked follow.
pub const UNJUDGED: &str = "unjudged:";

/// Commands and reports in comments are due at once and never merged; labels and checks merge by name within the quiet
/// window, and so do a pull request's text as a report and whatever happens to children; edits are debounced, at most 60 s
/// altogether.
#[must_use]
pub fn slot(cause: &Cause, now: DateTime<Utc>, windows: Windows) -> Slot {
    let after = |ms: u32| now + chrono::Duration::milliseconds(i64::from(ms));
    // What two pull requests ask of one issue are two things.
    let from = cause.pull.map_or_else(String::new, |pull| format!(" #{pull}"));
    match cause.kind {
        CauseKind::Label => Slot {
            merge: Some(format!("label:{}{from}", cause.trigger.as_deref().unwrap_or_default())),
            due: after(windows.quiet_ms),
            latest: None,
        },
        CauseKind::Edit => {
            Slot { merge: Some("edit".to_owned()), due: after(windows.edit_ms), latest: Some(after(60_000)) }
        }
        // Pushes that follow one another ask for the same check run: that of the head as it is then.
        CauseKind::Check => Slot {
            merge: Some(format!("check:{}{from}", cause.trigger.as_deref().unwrap_or_default())),
            due: after(windows.quiet_ms),
            latest: None,
        },
        CauseKind::Child => Slot { merge: Some("child".to_owned()), due: after(windows.quiet_ms), latest: None },
        // No comment did it: the pull request's own text is read as it is then.
        CauseKind::Report if cause.source.is_none() => {
            Slot { merge: Some(format!("report{from}")), due: after(windows.quiet_ms), latest: None }
        }
        CauseKind::Command | CauseKind::Report | CauseKind::Sweep => Slot { merge: None, due: now, latest: None },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gate_that_could_not_judge_looks_again_once() {
        let at = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let key = |run: &str, trigger: &str| {
            let trigger = Some(trigger.to_owned());
            let cause = Cause { kind: CauseKind::Sweep, trigger, actor: None, source: None, at, pull: None };
            later(&RunId::new(run), &cause, at).merge.unwrap()
        };
        assert_eq!(key("1.start", "unjudged:start:1"), "later:unjudged:start");
        assert_eq!(key("1.start", "unjudged:start:1"), key("2.start", "unjudged:start:7"));
        assert_ne!(key("1.start", "unjudged:start:1"), key("1.start", "unjudged:split:1"));
        assert_eq!(key("1.start", "override:start"), "later:1.start");
    }

    #[test]
    fn children_and_texts_merge_and_comments_do_not() {
        let check = |kind, trigger: Option<&str>, source, merge: Option<&str>, wait: i64| {
            let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
            let trigger = trigger.map(str::to_owned);
            let cause = Cause { kind, trigger, actor: None, source, at: now, pull: None };
            let slot = slot(&cause, now, Windows { quiet_ms: 2_000, edit_ms: 15_000 });
            assert_eq!((slot.merge.as_deref(), (slot.due - now).num_seconds()), (merge, wait), "{cause:?}");
        };
        check(CauseKind::Child, Some("closed"), None, Some("child"), 2);
        check(CauseKind::Child, Some("sub_issue_added"), None, Some("child"), 2);
        check(CauseKind::Check, Some("sekisho/outcome"), None, Some("check:sekisho/outcome"), 2);
        check(CauseKind::Report, None, None, Some("report"), 2);
        check(CauseKind::Report, None, Some(9), None, 0);
        check(CauseKind::Report, Some("answer"), Some(9), None, 0);
        check(CauseKind::Command, Some("/gate start"), Some(9), None, 0);
        check(CauseKind::Edit, None, None, Some("edit"), 15);
    }
}
