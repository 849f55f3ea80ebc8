//! From findings to a verdict: pure, so that no text can talk it into anything (chapter 3).

use crate::domain::contract::{Gate, Side};
use crate::domain::finding::{Basis, Brief, Criterion, CriterionKind, Finding};
use crate::domain::record::{Confidence, Verdict};
use crate::domain::reply::United;

/// What the findings derive to.
#[derive(Debug)]
pub(super) struct Derived<'a> {
    pub verdict: Verdict,
    pub confidence: Confidence,
    /// What matched, in the contract's order.
    pub matched: Vec<(&'a Criterion, &'a Finding)>,
    /// Signals that no judge decided, or found not to match by interpretation only; and whatever two opinions are split
    /// about (chapter 4: disagreement is low).
    pub unsure: Vec<&'a Criterion>,
}

/// No side → PASS; one side → that one; both → the side that stops the receiver first.
pub(super) fn derive<'a>(gate: &Gate, brief: &'a Brief, said: &'a United) -> Derived<'a> {
    let answer = &said.answer;
    let finding = |criterion: &Criterion| answer.findings.iter().find(|finding| finding.criterion == criterion.id);
    let matched: Vec<_> = brief
        .criteria
        .iter()
        .filter_map(|criterion| Some((criterion, finding(criterion).filter(|finding| finding.matched)?)))
        .collect();
    let on = |side: Side| matched.iter().any(|(criterion, _)| criterion.side == side);
    let verdict = match (on(Side::TooAbstract), on(Side::TooConcrete)) {
        (false, false) => Verdict::Pass,
        (true, false) => Verdict::TooAbstract,
        (false, true) => Verdict::TooConcrete,
        (true, true) => verdict_of(gate.stops_first),
    };
    let unsure: Vec<&Criterion> = brief
        .criteria
        .iter()
        .filter(|criterion| {
            let open = || finding(criterion).is_none_or(|found| !found.matched && found.basis == Basis::Interpretation);
            let split = || said.conflicts.iter().any(|one| one.criterion == criterion.id && !one.stands);
            (criterion.kind == CriterionKind::Signal && open()) || split()
        })
        .collect();
    let doubtful = match verdict {
        Verdict::Pass => !unsure.is_empty(),
        _ => matched.iter().any(|(_, finding)| finding.basis == Basis::Interpretation),
    };
    let confidence = if doubtful { Confidence::Low } else { Confidence::High };
    Derived { verdict, confidence, matched, unsure }
}

fn verdict_of(side: Side) -> Verdict {
    match side {
        Side::TooAbstract => Verdict::TooAbstract,
        Side::TooConcrete => Verdict::TooConcrete,
    }
}

#[cfg(test)]
mod tests;
