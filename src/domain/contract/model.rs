//! A contract as the gates use it: every reference resolved, every default filled (chapter 2).

use crate::domain::ids::{BlobHash, CommitSha, CriterionId, GateId, Language};
use serde::{Deserialize, Serialize};

/// Which way a text misses the waiting level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Something the receiver waits for is not written.
    TooAbstract,
    /// Something the receiver must decide is written.
    TooConcrete,
}

impl Side {
    /// The other way.
    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Self::TooAbstract => Self::TooConcrete,
            Self::TooConcrete => Self::TooAbstract,
        }
    }
}

/// What a matched criterion says is lacking; it decides where work goes back to (chapter 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
#[serde(rename_all = "lowercase")]
pub enum Lack {
    /// Information that the phase before has.
    #[default]
    Content,
    /// The information is there, its form is broken.
    Form,
}

/// The closed list of detectors (chapter 2). An id here without a file in `detect/` is left to a model judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // each id has its own page; see docs/detectors.md
pub enum DetectorId {
    FieldEmpty,
    SectionMissing,
    Words,
    Regex,
    Unmeasured,
    Unnumbered,
    Unmapped,
    TableMissing,
    ConclusionNotFirst,
    RawLog,
    Secret,
    PersonalData,
    ImplementationDetail,
    AlwaysSeparate,
    Cycle,
    Orphan,
    BudgetExceeded,
    TooManyItems,
    CopiedReport,
    MissingLink,
    PremiseMissing,
    EvaluationUncontrolled,
}

/// What a detector is given beside the text.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Argument {
    /// `detect: implementation_detail`
    #[default]
    None,
    /// `detect: {words: vague-ja}`: a lexicon's name, a pattern, a heading, a number as text.
    One(String),
    /// `detect: {words: [foo, bar]}`
    List(Vec<String>),
}

/// One deterministic test, as a contract asks for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DetectorSpec {
    /// Which detector.
    pub id: DetectorId,
    /// Its argument.
    pub argument: Argument,
    /// `in:` the headings it looks under; empty = the whole text.
    pub within: Vec<String>,
}

/// One line of a contract that can match: a signal, a set signal, a split criterion or a field's meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signal {
    /// Stable id: given, or a slug of the text.
    pub id: CriterionId,
    /// Which way a match misses.
    pub side: Side,
    /// The criterion in the contract's own words.
    pub text: String,
    /// What does not count.
    pub except: Option<String>,
    /// The rule that decides it, where one does.
    pub detect: Option<DetectorSpec>,
    /// What a match says is lacking.
    pub lack: Lack,
    /// What matches is that something is missing, so there is no quote.
    pub absence: bool,
}

/// A phase: what its receiver waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    /// The name that gates refer to.
    pub name: String,
    /// What is written and what is left unspecified.
    pub waiting_level: String,
    /// Signals of both sides, in the file's order, `too_abstract` first.
    pub signals: Vec<Signal>,
}

/// What a required field must parse as.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum FieldType {
    /// Anything that is not empty.
    #[default]
    Text,
    /// An integer stands in it.
    Integer,
    /// Its items are numbered with this prefix: `AC` asks for AC-1, AC-2 …
    Numbered(String),
    /// A table stands in it.
    Table,
    /// A link stands in it.
    Link,
}

/// A heading that must be there and filled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The heading's text.
    pub name: String,
    /// Other headings that count.
    pub aliases: Vec<String>,
    /// Its meaning: `means`, else the comment on its line.
    pub means: Option<String>,
    /// What it must parse as.
    pub kind: FieldType,
}

/// The lists of required fields by name.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Templates {
    /// Fields of a parent issue (acceptance).
    pub parent_issue_required_fields: Vec<Field>,
    /// Fields of a child issue (start, split).
    pub child_issue_required_fields: Vec<Field>,
    /// Fields of a report (outcome).
    pub report_required_fields: Vec<Field>,
}

/// When an edit of the subject is judged anew (chapter 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RejudgeOnEdit {
    /// Never.
    Never,
    /// After a return.
    #[default]
    Returned,
    /// After a return and after a pass.
    Always,
}

/// Whether a gate acts on GitHub or only watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Judged, recorded, shown.
    #[default]
    Enforce,
    /// Judged and recorded only.
    Observe,
}

/// Who may trigger a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OpenTo {
    /// People with triage or more, and trusted Apps.
    #[default]
    Triage,
    /// Anyone; then the embedded judge alone runs.
    Anyone,
}

/// What becomes of a PASS of low confidence with no tier above.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnLowPass {
    /// A human decides.
    #[default]
    Triage,
    /// It passes, with what was not decided in the comment.
    PassWithNote,
}

/// One gate of a contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gate {
    /// Which gate.
    pub id: GateId,
    /// The phase whose waiting level and signals it judges by; an index into [`Contract::phases`].
    pub phase: usize,
    /// What preflight checks.
    pub fields: Vec<Field>,
    /// The label that triggers it.
    pub label: String,
    /// Tier alias of the judge.
    pub model: Option<String>,
    /// Tier above, where there is one.
    pub escalate_to: Option<String>,
    /// How many models of a tier are asked, each of a family of its own: 1 or 2 (chapter 4).
    pub panel: u32,
    /// Which side wins when both match.
    pub stops_first: Side,
    /// When an edit is judged anew.
    pub rejudge_on_edit: RejudgeOnEdit,
    /// Act or watch.
    pub mode: Mode,
    /// Who may trigger it.
    pub open_to: OpenTo,
    /// What becomes of a low PASS.
    pub on_low_pass: OnLowPass,
    /// Signals about the set as a whole (split).
    pub set_signals: Vec<Signal>,
    /// Whether `enabled_gates` names it (or names none): else preflight only.
    pub enabled: bool,
}

/// `split_criteria`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct SplitCriteria {
    /// What every good task fulfils; asked of model judges.
    pub good_task_conditions: Vec<String>,
    /// Pairs that never share a task.
    pub always_separate: Vec<String>,
}

/// Where a contract came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// `contracts/handoff.yaml`, or `builtin:handoff-ja`.
    pub path: String,
    /// The commit it was read at; none for a built-in or a file on disk.
    pub commit: Option<CommitSha>,
}

/// A handoff contract in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contract {
    /// Where it came from.
    pub origin: Origin,
    /// The git blob hash of the effective contract as [`print`](super::print()) writes it (chapter 10).
    pub blob: BlobHash,
    /// The language of the comments; none = that of each subject.
    pub language: Option<Language>,
    /// Returns at one gate before triage.
    pub max_iterations_per_gate: u32,
    /// All phases.
    pub phases: Vec<Phase>,
    /// The lists of required fields.
    pub templates: Templates,
    /// Criteria of a split.
    pub split_criteria: SplitCriteria,
    /// All gates that are declared, in the file's order.
    pub gates: Vec<Gate>,
    /// GitHub Apps whose acts count as a trusted person's: slugs without `[bot]`.
    pub trusted_apps: Vec<String>,
    /// Logins and `org/team`s mentioned when something waits for a human, without `@`.
    pub notify: Vec<String>,
}

impl Contract {
    /// The gate, if this contract declares it.
    #[must_use]
    pub fn gate(&self, id: GateId) -> Option<&Gate> {
        self.gates.iter().find(|gate| gate.id == id)
    }

    /// The phase that a gate of this contract judges by.
    #[must_use]
    pub fn phase(&self, gate: &Gate) -> &Phase {
        &self.phases[gate.phase]
    }
}
