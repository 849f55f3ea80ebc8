//! What a person is told, as data. `render` makes the prose, in the contract's language (chapter 3).

use crate::domain::contract::{FieldType, Problem, Side};
use crate::domain::ids::{CriterionId, GateId, IssueNumber, Language};
use crate::domain::plan::{PlanDefect, PlanProblemKind};
use crate::domain::record::{Disposition, QuestionKind, QuestionTo, Role, TriageCause, Verdict};
use crate::domain::reply::Unjudged;
use chrono::{DateTime, Utc};

mod axis;
mod change;
mod check;
mod children;
mod note;

pub use axis::{AxisWhy, Boundary, CapCause, ContractFile, LabelledText, Past, Proposal};
pub use change::{
    Comparison, Conclusion, ContractCheck, ExampleResults, Flip, HeadState, Impact, ImpactState, JudgedBy, Level,
    Unchanged, UnreadableExamples, Why, WrongExample,
};
pub use check::{Check, GateCheck};
pub use children::{ChildLine, ChildResult, RollUpLine, SplitView};
pub use note::{Disagreed, HiddenNote, Note};

/// One thing to say in a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum View {
    /// A verdict, with its record folded below.
    Verdict(Box<VerdictView>),
    /// A short reply without a record.
    Reply(Reply),
}

/// What a verdict comment says beside its record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerdictView {
    /// The contract's language.
    pub language: Language,
    /// The waiting level, word for word; none where no contract could be read.
    pub waiting_level: Option<String>,
    /// Why, in the order of the contract.
    pub reasons: Vec<Reason>,
    /// Questions, in the order of their numbers.
    pub questions: Vec<AskedQuestion>,
    /// What a reader should know beside the verdict.
    pub notes: Vec<Note>,
    /// Criteria that no judge decided: named in the fold.
    pub undecided: Vec<Undecided>,
    /// Mentioned, since something waits for a human: logins and teams without `@`.
    pub notify: Vec<String>,
    /// The children of a passed split.
    pub split: Option<SplitView>,
    /// The table of a passed integration.
    pub rollup: Vec<RollUpLine>,
}

/// One reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A required heading is not there.
    MissingField {
        /// The heading to write.
        field: String,
        /// A heading that is there and comes near, as it stands.
        near_miss: Option<String>,
    },
    /// A required field holds nothing.
    EmptyField {
        /// The heading.
        field: String,
    },
    /// A typed field does not parse.
    BadField {
        /// The heading.
        field: String,
        /// What was asked for.
        expected: FieldType,
        /// What stands there, shortened and masked.
        found: String,
    },
    /// Something of the form is wrong in a child of a split.
    InChild {
        /// What a person calls it: `子1`, `#26`.
        child: String,
        /// What.
        reason: Box<Reason>,
    },
    /// Nobody who counts has written a plan.
    NoPlan,
    /// A block that was meant as a plan cannot be read.
    PlanUnreadable {
        /// Line of the text that holds it, from 1.
        line: u32,
        /// What was expected.
        problem: PlanProblemKind,
    },
    /// What code alone knows to be wrong with a plan's graph.
    PlanDefect {
        /// What.
        defect: PlanDefect,
        /// What a person calls the children, by place.
        children: Vec<String>,
    },
    /// Not judged: one text holds so many whole plans.
    SeveralPlans(usize),
    /// A signal of the contract matched.
    Signal {
        /// The criterion.
        criterion: CriterionId,
        /// Its text in the contract.
        text: String,
        /// Which side.
        side: Side,
        /// The first quote, masked; none where something is missing.
        quote: Option<String>,
        /// Its line.
        line: Option<u32>,
        /// How many places show it.
        places: usize,
        /// What the judge added.
        note: Option<String>,
        /// The children that show it, as a person calls them.
        children: Vec<String>,
    },
    /// On a PASS: all required fields are there.
    FieldsPresent(Vec<String>),
    /// On a PASS: so many signals of a side were checked and none matched.
    NoneMatched {
        /// Which side.
        side: Side,
        /// How many.
        checked: usize,
    },
    /// Not judged: the contract cannot be used.
    ContractBroken {
        /// Every error, with a link to its line where the file is on the forge.
        problems: Vec<LinkedProblem>,
    },
    /// Not judged: the run gave up.
    GaveUp {
        /// What the world said, in a few words without secrets.
        error: String,
        /// How often it was tried.
        attempts: u32,
    },
    /// Not judged: a model's word is missing.
    Unjudged {
        /// Why.
        why: Unjudged,
        /// Whether it is asked for again by itself.
        looks_again: bool,
    },
}

/// A contract's problem and where a person can look at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkedProblem {
    /// The problem.
    pub problem: Problem,
    /// `https://github.com/o/r/blob/SHA/contracts/x.yaml#L7`
    pub url: Option<String>,
}

/// A question before it has its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedQuestion {
    /// Task or axis.
    pub kind: QuestionKind,
    /// Addressee.
    pub to: QuestionTo,
    /// What is asked.
    pub subject: QuestionSubject,
}

/// What a question is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuestionSubject {
    /// Acceptance, always: is the value worth the cost? A person weighs it (chapter 3).
    WorthTheCost,
    /// The definition of done is too large for one review: how would it divide into two parents?
    SplitParent,
    /// A question of a model, in its words: one line, masked.
    OfModel(String),
    /// What a model noticed that no criterion covers: is it to count from now on?
    Beyond {
        /// What, in its words: one line, masked.
        note: String,
        /// The place that shows it, masked.
        quote: Option<String>,
    },
    /// Integration: these requirements have no result. Shrink the requirement, or split more?
    Unfulfilled(Vec<(String, IssueNumber)>),
    /// The verdict swung to the opposite side: the waiting level itself needs a decision.
    Oscillation {
        /// The verdict before.
        from: Verdict,
        /// The verdict now.
        to: Verdict,
    },
    /// So many returns in a row point at the contract, or at the procedure that leads here.
    Repeated {
        /// Which.
        cause: CapCause,
        /// How many returns.
        returns: u32,
        /// The criterion that each of them found; none where required fields were missing.
        criterion: Option<String>,
    },
}

/// A criterion that no judge decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undecided {
    /// Its id.
    pub id: CriterionId,
    /// Its text in the contract.
    pub text: String,
}

/// A comment without a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The language to say it in.
    pub language: Language,
    /// What to say.
    pub what: ReplyKind,
}

/// What a reply says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplyKind {
    /// `/gate help`
    Help {
        /// Gates that the contract declares, with their labels.
        gates: Vec<(GateId, String)>,
    },
    /// `/gate status`
    Status {
        /// A line for each gate of the contract.
        gates: Vec<GateStatus>,
    },
    /// The command needs more permission than its author has.
    Refused {
        /// The command's line.
        command: String,
        /// `triage` or `write`.
        needs: &'static str,
    },
    /// `/gate` with words that are not known.
    UnknownCommand {
        /// The line.
        command: String,
    },
    /// The contract declares no such gate.
    NotDeclared {
        /// The gate.
        gate: GateId,
        /// Gates that it declares.
        declared: Vec<GateId>,
    },
    /// The gate is declared, but `enabled_gates` leaves it out, and preflight found nothing missing.
    NotEnabled {
        /// The gate.
        gate: GateId,
    },
    /// Nobody who counts has reported.
    NoReport,
    /// A pull request names no child issue, or several.
    ChildUnclear {
        /// Those that it names.
        found: Vec<IssueNumber>,
    },
    /// `/gate override` on a text that the newest record did not judge, or with no record at all.
    NothingToOverride {
        /// The gate.
        gate: GateId,
    },
    /// `/gate override` without what it needs.
    BadOverride {
        /// The line.
        command: String,
    },
    /// `/gate override` where it has passed already.
    PassedAlready {
        /// The gate.
        gate: GateId,
    },
    /// An answer that would make the body longer than GitHub takes it.
    NoRoom,
    /// An answer to a question that nobody asked.
    NoSuchQuestion {
        /// Its number.
        number: u32,
    },
    /// The gate judges issues, and this is a pull request.
    WrongSubject {
        /// The gate.
        gate: GateId,
    },
    /// The cap is reached; this is what lifts it.
    Capped {
        /// The gate.
        gate: GateId,
        /// Returns in a row.
        returns: u32,
    },
    /// `/gate retry` with nothing to retry.
    NothingToRetry,
}

/// One gate in `/gate status`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateStatus {
    /// The gate.
    pub gate: GateId,
    /// Its label.
    pub label: String,
    /// The newest record, if there is one.
    pub newest: Option<GateState>,
}

/// Whether a pass stands for the text of now (chapter 3, stale passes). A stale one counts as a pass all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// It does, as far as its labels say; so does everything but a pass.
    Current,
    /// The text was edited after it passed.
    Stale,
}

/// What stands at one gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateState {
    /// What stands.
    pub disposition: Disposition,
    /// Whether it stands for the text of now.
    pub freshness: Freshness,
    /// What the findings derived to.
    pub verdict: Option<Verdict>,
    /// Why a human is waited for.
    pub triage_cause: Option<TriageCause>,
    /// Place among the records.
    pub seq: u64,
    /// Returns in a row, and the contract's cap.
    pub returns: (u32, u32),
    /// When it was judged.
    pub judged_at: DateTime<Utc>,
    /// Where a return went.
    pub return_to: Option<Role>,
    /// The comment's page, once posted.
    pub comment_url: Option<String>,
}
