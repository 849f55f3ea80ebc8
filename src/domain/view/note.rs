//! What a reader should know beside the verdict (chapter 3).

use super::{CapCause, LinkedProblem, Undecided};
use crate::domain::text::HiddenKind;

/// What a reader should know beside the verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// No contract in the repository: the built-in of this name judged.
    BuiltinContract(String),
    /// A secret-like string stands on these lines: rotate it.
    SecretSeen(Vec<u32>),
    /// Text that a reader of the issue does not see. It is shown, and moves no verdict. One note for each kind.
    Hidden(HiddenNote),
    /// `pass_with_note`: these signals were not decided.
    PassedUndecided(Vec<Undecided>),
    /// A PASS of low confidence in triage: these signals were not decided, and a human does it.
    NotDecided(Vec<Undecided>),
    /// Judges contradict each other about these.
    Disagreed(Vec<Disagreed>),
    /// A model reports that the text tries to steer it. It moved no verdict.
    Steering {
        /// Its words: one line, masked.
        note: String,
        /// The place, masked.
        quote: Option<String>,
    },
    /// Sections that no model saw, since the subject is longer than one is shown.
    NotShown(Vec<String>),
    /// Lines of the contract that were skipped or look unintended.
    ContractNotices(Vec<LinkedProblem>),
    /// GitHub refused a part of the plan, in its words.
    PlanRefused(Vec<String>),
    /// The cap: so many returns in a row, this one included.
    CapReached {
        /// How many.
        returns: u32,
        /// Where the fault most likely lies.
        cause: CapCause,
    },
}

/// A criterion about which judges contradict each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreed {
    /// The criterion's text in the contract.
    pub text: String,
    /// Who says that it matches.
    pub matched: Vec<String>,
    /// Who says that it does not.
    pub unmatched: Vec<String>,
    /// Whether it is a reason all the same.
    pub stands: bool,
    /// The place that was shown, masked.
    pub quote: Option<String>,
}

/// Hidden text of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HiddenNote {
    /// Its kind.
    pub kind: HiddenKind,
    /// How many characters are hidden, or letters exchanged, in all places together.
    pub characters: usize,
    /// Its lines, from 1, each once, at most [`HiddenNote::MOST_LINES`].
    pub lines: Vec<u32>,
    /// The first place's text made visible, masked, at most 80 characters.
    pub shown: String,
}

impl HiddenNote {
    /// Most lines that are named.
    pub const MOST_LINES: usize = 10;
}
