//! What we may do on the forge, as data. Only `app::perform` does it (chapters 9 and 10).

use crate::domain::event::Cause;
use crate::domain::ids::{CommentId, IssueNumber, NodeId, RunId};
use crate::domain::view::{Check, Impact, Reply};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

mod check;
mod child;
mod filing;

pub use check::{Annotation, AnnotationLevel, CheckReport, CheckRun, MOST_ANNOTATIONS};
pub use child::{ChildDraft, ChildFooter};
pub use filing::{CloseReason, FileChange, IssueDraft, PullDraft};

/// One thing to do, in the order that a crash may interrupt: comment, result labels, trigger label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Post the record's comment, or edit the one that stands for it.
    Verdict,
    /// Bring the proposed change of the contract to people.
    Propose,
    /// Post a short reply.
    Reply(Reply),
    /// Put a label on the subject; it is created where the repository lacks it.
    AddLabel(LabelSpec),
    /// Take a label off the subject; gone already = done.
    RemoveLabel(String),
    /// Hide a comment of ours as outdated, best effort.
    Minimise(NodeId),
    /// Take the lane's dead jobs up again; where there is none, say so.
    Revive {
        /// What to say where nothing was dead.
        otherwise: Reply,
    },
    /// Let the check run of a pull request's head say this: one for each head and verdict, made or brought up to date.
    Check(Box<Check>),
    /// Let the impact comment say this: one for each pull request, posted or edited.
    Impact {
        /// What it says.
        impact: Box<Impact>,
        /// Whether one is posted where none stands.
        posting: Posting,
    },
    /// Replace the subject's body.
    EditBody(BodyEdit),
    /// Wake another lane of the repository.
    Wake {
        /// Whose.
        number: IssueNumber,
        /// Why.
        cause: Cause,
        /// When; none = now.
        due: Option<DateTime<Utc>>,
    },
}

/// A change of somebody else's text: made only where it still reads as the run saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyEdit {
    /// The whole body as it was read.
    pub before: String,
    /// The whole body as it is to be.
    pub after: String,
}

/// Whether a comment that is kept up to date is posted where none stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Posting {
    /// It is.
    Posted,
    /// Only one that stands is edited.
    EditedOnly,
}

/// A label as it is created on demand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelSpec {
    /// Its name.
    pub name: String,
    /// Six hex digits.
    pub colour: String,
    /// A sentence, at most 100 characters.
    pub description: String,
}

/// What an effect makes on the forge: the ledger's kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectKind {
    /// A verdict's comment.
    Comment,
    /// A rewritten record's comment, edited: no create, but it must not be lost either.
    EditComment,
    /// A short reply's comment.
    Reply,
    /// A label of the repository.
    CreateLabel,
    /// A label on the subject.
    AddLabel,
    /// A check run of a pull request's head.
    CheckRun,
    /// A pull request's impact comment.
    Impact,
    /// A part of a plan that does not fit beside its record.
    Part,
    /// A child issue of a split.
    Child,
    /// A child's place below its parent.
    Link,
    /// What a child waits for.
    Dependency,
    /// A proposed change of the contract: a draft pull request, or an issue in its stead.
    Axis,
}

impl EffectKind {
    /// The word in markers and in the ledger.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Comment => "comment",
            Self::EditComment => "edit_comment",
            Self::Reply => "reply",
            Self::CreateLabel => "create_label",
            Self::AddLabel => "add_label",
            Self::CheckRun => "check_run",
            Self::Impact => "impact",
            Self::Part => "part",
            Self::Child => "child",
            Self::Link => "link",
            Self::Dependency => "dependency",
            Self::Axis => "axis",
        }
    }
}

/// The name of one create: it stands in the ledger before the request and in the comment's marker.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EffectId {
    /// The run.
    pub run: RunId,
    /// What is made.
    pub kind: EffectKind,
    /// Counts creates of that kind in the run, from 0.
    pub ordinal: u32,
}

/// A comment as it stands on the forge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PostedComment {
    /// Its id.
    pub id: CommentId,
    /// Its GraphQL node id.
    pub node: NodeId,
    /// Its page.
    pub url: String,
}
