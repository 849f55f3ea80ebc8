//! A run: the dossier of what it has gathered, and what its gate wants next.

use crate::domain::contract::{Contract, Problem};
use crate::domain::effect::{ChildDraft, Effect, PostedComment};
use crate::domain::event::{Cause, Lane};
use crate::domain::ids::{
    AppId, BlobHash, CommentId, CommitSha, GateId, IssueId, IssueNumber, Login, NodeId, RepositoryName, RunId,
};
use crate::domain::record::Record;
use crate::domain::reply::Judged;
use crate::domain::view::{Proposal, VerdictView};
use chrono::{DateTime, Utc};
use std::collections::BTreeMap;

mod change;
mod children;
mod judges;

pub use change::{ChangeFacts, ExampleFile, HeadContracts, Pull, PullBase, PullSource};
pub use children::{ChildIssue, Children, Filed, Filing};
pub use judges::{Consult, Judges, Offer, Panel, Waiting};

/// The App itself, as `GET /app` names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppIdentity {
    /// Its id.
    pub id: AppId,
    /// Its slug; its login is the slug and `[bot]`.
    pub slug: String,
}

impl AppIdentity {
    /// Whether that login is the App's own.
    #[must_use]
    pub fn is(&self, login: &Login) -> bool {
        login.as_str().strip_suffix("[bot]").is_some_and(|slug| slug.eq_ignore_ascii_case(&self.slug))
    }
}

/// An issue or pull request as the forge shows it now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// Its id on the forge; 0 where it comes from no forge.
    pub id: IssueId,
    /// Its number.
    pub number: IssueNumber,
    /// Its title.
    pub title: String,
    /// Its body as written; empty where there is none.
    pub body: String,
    /// Its page.
    pub url: String,
    /// Names of its labels, as the repository writes them.
    pub labels: Vec<String>,
    /// Who wrote it; none for a deleted account.
    pub author: Option<Login>,
    /// Whether it is open.
    pub open: bool,
    /// Why it is closed, or that it was opened again; none where the forge does not say.
    pub state_reason: Option<StateReason>,
    /// Whether it is a pull request.
    pub is_pull_request: bool,
    /// Whether the conversation is locked.
    pub locked: bool,
    /// GitHub's time of its opening.
    pub created_at: DateTime<Utc>,
    /// GitHub's time of its last change.
    pub updated_at: DateTime<Utc>,
    /// Number of the parent in the same repository (`parent_issue_url`).
    pub parent: Option<IssueNumber>,
}

impl Issue {
    /// Whether the label is on it; GitHub folds case.
    #[must_use]
    pub fn has_label(&self, name: &str) -> bool {
        self.labels.iter().any(|label| label.to_lowercase() == name.to_lowercase())
    }
}

impl StateReason {
    /// GitHub's word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::NotPlanned => "not_planned",
            Self::Duplicate => "duplicate",
            Self::Reopened => "reopened",
        }
    }
}

/// Why an issue is closed or open (`state_reason`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateReason {
    /// Closed: done.
    Completed,
    /// Closed: not planned.
    NotPlanned,
    /// Closed: another issue says the same.
    Duplicate,
    /// Open: it was closed before.
    Reopened,
}

/// A comment as the forge shows it now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// Its id.
    pub id: CommentId,
    /// Its GraphQL node id.
    pub node: NodeId,
    /// Its page.
    pub url: String,
    /// Who wrote it; none for a deleted account.
    pub author: Option<Login>,
    /// The App that wrote it, where the forge says so.
    pub app: Option<AppId>,
    /// Its Markdown.
    pub body: String,
    /// GitHub's time of its writing.
    pub created_at: DateTime<Utc>,
    /// GitHub's time of its last change.
    pub updated_at: DateTime<Utc>,
}

/// What a person may do in a repository (chapter 3, trust).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Permission {
    /// Less than triage.
    None,
    /// Triage: may trigger.
    Triage,
    /// Write or more: may retry and override.
    Write,
}

/// The contracts that a repository has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contracts {
    /// None: the built-in of the subject's language applies.
    Absent,
    /// Those in force, with their notices and warnings.
    InForce {
        /// One for each file of kind `handoff`.
        contracts: Vec<Contract>,
        /// What was skipped or looks unintended.
        notices: Vec<Problem>,
    },
    /// At least one has an error: nothing is judged.
    Broken {
        /// Every problem.
        problems: Vec<Problem>,
        /// The repository that holds them.
        repository: RepositoryName,
        /// The commit that they were read at.
        commit: CommitSha,
        /// Stands for what is wrong with them: a fix is a new question.
        blob: BlobHash,
    },
}

/// A record as the store keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRecord {
    /// The newest edit of the record.
    pub record: Record,
    /// Its comment, once posted.
    pub comment: Option<PostedComment>,
}

/// What a job is to do: a wake may ask for several tasks, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// Run a gate.
    Gate {
        /// Which.
        gate: GateId,
        /// Whether `/gate retry` asked: the attempt counts up.
        retry: bool,
    },
    /// Look whether an edited subject is still what was judged at this gate.
    Reconsider(GateId),
    /// Answer `/gate help`.
    Help,
    /// Answer `/gate status`.
    Status,
    /// Judge the newest report, while outcome is open.
    Reported,
    /// Look at this gate of a parent whose children changed or settled.
    Children(GateId),
    /// Let the subject go on at this gate, on a person's word.
    Override {
        /// Which.
        gate: GateId,
        /// Why.
        reason: String,
        /// Until when, if not for good.
        until: Option<DateTime<Utc>>,
    },
    /// Answer `/gate override` without what it needs.
    BadOverride,
    /// Put answers into the body, and judge it again.
    Answer(Given),
    /// Wake the lane that this one's change concerns: a parent, or the issue that a pull request reports on.
    Relay,
    /// `/gate retry` without a gate: the gate of the newest record.
    RetryNewest,
    /// Answer words that are not known.
    Unknown(String),
    /// Check the contracts of a pull request, and say which verdicts they would change (chapter 2).
    ContractChange,
}

/// How an answer was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// `/gate answer Q1 …`
    ByCommand {
        /// The question's number.
        number: u32,
        /// The answer.
        text: String,
    },
    /// Lines of a comment of the author, each beginning with `Q<n>`.
    InComment,
}

/// All that a run has gathered so far.
#[derive(Clone, Debug)]
pub struct Dossier {
    /// This run.
    pub run: RunId,
    /// The App; none on the command line.
    pub app: Option<AppIdentity>,
    /// The subject's lane; none on the command line.
    pub lane: Option<Lane>,
    /// The repository's name; none on the command line.
    pub repository: Option<RepositoryName>,
    /// Base address of the forge's pages, such as `https://github.com`.
    pub web_url: String,
    /// Why it was woken.
    pub cause: Cause,
    /// What it does.
    pub task: Task,
    /// The run's time.
    pub now: DateTime<Utc>,
    /// The repository's contracts.
    pub contracts: Contracts,
    /// Who can be asked beside the rules.
    pub judges: Judges,
    /// What was asked for and came.
    pub facts: Facts,
}

/// Facts that a gate asked for; `None` = not asked for yet.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The subject as it is now.
    pub issue: Option<Issue>,
    /// The subject's records of every gate, by gate and `seq`.
    pub records: Option<Vec<StoredRecord>>,
    /// What people may do, the actor among them, as far as it was asked.
    pub permissions: BTreeMap<Login, Permission>,
    /// The parent that [`Fact::Parent`] asked for; `Some(None)` = it cannot be read.
    pub parent: Option<Option<Issue>>,
    /// The comments of the issue and of pull requests that were asked for, oldest first.
    pub comments: BTreeMap<IssueNumber, Vec<Comment>>,
    /// The subject's sub-issues.
    pub children: Option<Children>,
    /// What became of the children that passed splits were to file, by the run of each.
    pub filing: BTreeMap<RunId, Filing>,
    /// Other issues and pull requests that were asked for; `None` inside = it cannot be read.
    pub issues: BTreeMap<IssueNumber, Option<Issue>>,
    /// Pull requests that were asked for.
    pub pulls: BTreeMap<IssueNumber, Pull>,
    /// Records of other subjects that were asked for, by gate and `seq`.
    pub elsewhere: BTreeMap<IssueNumber, Vec<StoredRecord>>,
    /// The text of the contract's file; `Some(None)` = it is not in the judged repository.
    pub contract_text: Option<Option<String>>,
    /// A reference text that was handed in, as `sekisho judge --against` does: then no parent is looked for.
    pub against: Option<String>,
    /// What the judges said, one for each consultation, in the order in which they were asked for.
    pub answers: Vec<Judged>,
    /// What is known of a pull request that may touch a contract.
    pub change: ChangeFacts,
}

/// Something a gate needs to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    /// The subject.
    Issue,
    /// Its records.
    Records,
    /// What this person may do.
    Permission(Login),
    /// An issue of the same repository.
    Parent(IssueNumber),
    /// Every comment of the subject, or of a pull request that reports on it.
    Comments(IssueNumber),
    /// The subject's sub-issues, with what each waits for.
    Children,
    /// What became of the children that this run of a split is to file.
    Filing(RunId),
    /// Other issues as they are now.
    Issues(Vec<IssueNumber>),
    /// A pull request that reports on the subject.
    PullOf(IssueNumber),
    /// The records of other subjects.
    RecordsOf(Vec<IssueNumber>),
    /// The text of the contract's file at the commit that it was read at.
    ContractText {
        /// Its path.
        path: String,
        /// The commit.
        commit: CommitSha,
    },
    /// Paths of the files that the pull request changes.
    PullFiles,
    /// The pull request.
    Pull,
    /// The contracts at this commit of the judged repository.
    ContractsAt(CommitSha),
    /// The labelled examples at this commit.
    ExamplesAt(CommitSha),
    /// The newest records of so many subjects that were judged last.
    Judged(usize),
    /// These issues as they are now.
    Subjects(Vec<IssueNumber>),
}

/// What a gate wants next.
#[derive(Clone, Debug)]
pub enum Next {
    /// Facts from the forge or the store.
    Need(Vec<Fact>),
    /// Answers from the judges, which are put behind those that are there.
    Ask(Vec<Consult>),
    /// Nothing more: this is what stands.
    Done(Box<Done>),
    /// `gate:pause` is on: the wake stays until it goes.
    Hold,
}

/// The end of a run, or of one of its stages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// A new record, unsigned and without the prose of `reasons` and `questions`, which `render` fills from the view.
    pub record: Option<Record>,
    /// What its comment says.
    pub view: Option<VerdictView>,
    /// Children to file once that comment stands: stored with the record, in one transaction.
    pub children: Vec<ChildDraft>,
    /// A change of the contract to propose once that comment stands: stored with the record too.
    pub proposal: Option<Box<Proposal>>,
    /// What to do, in order.
    pub effects: Vec<Effect>,
    /// Where comment, labels and check run stand, if not on the subject: the pull request that reports.
    pub at: Option<IssueNumber>,
    /// Whether the run is over.
    pub then: Then,
    /// Why, in a word, for the log and the count.
    pub because: &'static str,
}

/// What follows once a run's end is performed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// Nothing.
    End,
    /// The gate is asked again, on what stands then.
    Again,
}

impl Done {
    /// An end with nothing to do.
    #[must_use]
    pub fn nothing(because: &'static str) -> Self {
        Self::effects(Vec::new(), because)
    }

    /// An end without a record.
    #[must_use]
    pub fn effects(effects: Vec<Effect>, because: &'static str) -> Self {
        Self {
            record: None,
            view: None,
            children: Vec::new(),
            proposal: None,
            effects,
            at: None,
            then: Then::End,
            because,
        }
    }
}
