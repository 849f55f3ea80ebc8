//! What the check run of a pull request's head says: `sekisho/contract` of the contracts there, `sekisho/<gate>` of the
//! verdict that stands on the pull request (chapter 3).

use super::{ContractCheck, Reason};
use crate::domain::ids::{CommitSha, Language};
use crate::domain::record::Record;

/// One check run, before it has its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Check {
    /// Of the contracts at the head.
    Contract(ContractCheck),
    /// Of a gate's verdict.
    Gate(GateCheck),
}

/// The check run of a gate whose comment and labels stand on a pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateCheck {
    /// The contract's language.
    pub language: Language,
    /// The commit that was judged.
    pub head: CommitSha,
    /// What stands. One that is said now has its prose in `reasons`.
    pub record: Box<Record>,
    /// Why, where the record does not say it in words yet.
    pub reasons: Vec<Reason>,
}
