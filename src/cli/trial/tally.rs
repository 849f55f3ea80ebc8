//! What a gate made of many issues, added up. Pure: verdicts in, a report out.

use crate::domain::contract::Side;
use crate::domain::ids::{CriterionId, GateId, IssueNumber};
use crate::domain::record::{Disposition, Verdict};
use crate::domain::run::Done;
use crate::domain::view::{Note, Reason, Undecided};
use serde::Serialize;

/// Examples that a cause keeps.
const EXAMPLES: usize = 3;

/// What one gate would do with the open issues.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Tally {
    /// The gate.
    pub gate: GateId,
    /// Issues that were judged.
    pub issues: usize,
    /// Issues that would go on.
    pub passed: usize,
    /// Issues that would go back.
    pub returned: usize,
    /// Of those, the ones that lack something.
    pub too_abstract: usize,
    /// Of those, the ones that prescribe something.
    pub too_concrete: usize,
    /// Issues that would wait for a human: nothing speaks against them, and not every signal could be evaluated.
    pub triage: usize,
    /// Issues about which nothing could be said.
    pub not_judged: usize,
    /// Why issues would go back, the commonest first. An issue counts once for each cause.
    pub causes: Vec<Cause>,
    /// Required headings that issues lack, the commonest first.
    pub headings: Vec<Heading>,
    /// Signals that no rule decides: a model would be asked.
    pub undecided: Vec<Signal>,
}

/// One reason to return an issue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Cause {
    /// What kind of reason.
    pub kind: CauseKind,
    /// The heading, or the criterion's id.
    pub id: String,
    /// The criterion in the contract's words; a heading has none beside its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Which side it is on.
    pub side: Side,
    /// How many issues it returns, alone or with others.
    pub issues: usize,
    /// The first few.
    pub examples: Vec<Example>,
}

/// The kinds of reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum CauseKind {
    /// A required heading is not there.
    MissingHeading,
    /// A required heading is there, with nothing under it.
    EmptySection,
    /// What stands under it is not of the type that the contract asks for.
    WrongType,
    /// A signal of the contract matched.
    Signal,
}

/// An issue that shows a cause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Example {
    /// Its number.
    pub number: IssueNumber,
    /// What stands there, masked; for a missing heading one that comes near.
    pub quote: Option<String>,
}

/// A required heading that issues lack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Heading {
    /// The heading to write.
    #[serde(rename = "heading")]
    pub name: String,
    /// Issues without it.
    pub missing: usize,
    /// Issues with nothing under it.
    pub empty: usize,
    /// Headings that stand there and come near, the commonest first.
    pub near_misses: Vec<NearMiss>,
}

/// A heading that comes near a required one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct NearMiss {
    /// As it stands.
    pub heading: String,
    /// In how many issues.
    pub issues: usize,
}

/// A signal that no rule decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Signal {
    /// Its id.
    pub id: CriterionId,
    /// Its text.
    pub text: String,
}

impl Tally {
    /// Nothing yet.
    pub fn new(gate: GateId) -> Self {
        Self {
            gate,
            issues: 0,
            passed: 0,
            returned: 0,
            too_abstract: 0,
            too_concrete: 0,
            triage: 0,
            not_judged: 0,
            causes: Vec::new(),
            headings: Vec::new(),
            undecided: Vec::new(),
        }
    }

    /// Adds what became of an issue.
    pub fn add(&mut self, number: IssueNumber, done: &Done) {
        self.issues += 1;
        let verdict = done.record.as_ref().and_then(|record| Some((record.verdict?, record.disposition)));
        match verdict {
            None => self.not_judged += 1,
            Some((Verdict::Pass, Disposition::Passed)) => self.passed += 1,
            Some((Verdict::Pass, _)) => self.triage += 1,
            Some((Verdict::TooAbstract, _)) => {
                (self.returned, self.too_abstract) = (self.returned + 1, self.too_abstract + 1);
            }
            Some((Verdict::TooConcrete, _)) => {
                (self.returned, self.too_concrete) = (self.returned + 1, self.too_concrete + 1);
            }
        }
        let Some(view) = &done.view else { return };
        for reason in &view.reasons {
            self.reason(number, reason);
        }
        for note in &view.notes {
            if let Note::NotDecided(signals) | Note::PassedUndecided(signals) = note {
                self.not_decided(signals);
            }
        }
    }

    /// The commonest first; what is equal stands in the order of the contract, which is that of the first meeting.
    pub fn sorted(mut self) -> Self {
        self.causes.sort_by_key(|cause| std::cmp::Reverse(cause.issues));
        self.headings.sort_by_key(|heading| std::cmp::Reverse((heading.missing, heading.empty)));
        for heading in &mut self.headings {
            heading.near_misses.sort_by_key(|miss| std::cmp::Reverse(miss.issues));
        }
        self
    }

    fn reason(&mut self, number: IssueNumber, reason: &Reason) {
        let (kind, id, text, side, quote) = match reason {
            Reason::MissingField { field, near_miss } => {
                let heading = self.heading(field);
                heading.missing += 1;
                if let Some(near) = near_miss {
                    heading.near(near);
                }
                (CauseKind::MissingHeading, field.clone(), None, Side::TooAbstract, near_miss.clone())
            }
            Reason::EmptyField { field } => {
                self.heading(field).empty += 1;
                (CauseKind::EmptySection, field.clone(), None, Side::TooAbstract, None)
            }
            Reason::BadField { field, found, .. } => {
                (CauseKind::WrongType, field.clone(), None, Side::TooAbstract, Some(found.clone()))
            }
            Reason::Signal { criterion, text, side, quote, .. } => {
                (CauseKind::Signal, criterion.as_str().to_owned(), Some(text.clone()), *side, quote.clone())
            }
            // Only splits and roll-ups have these, and issues are no plans.
            Reason::InChild { .. }
            | Reason::NoPlan
            | Reason::PlanUnreadable { .. }
            | Reason::PlanDefect { .. }
            | Reason::SeveralPlans(_)
            | Reason::FieldsPresent(_)
            | Reason::NoneMatched { .. }
            | Reason::ContractBroken { .. }
            | Reason::Unjudged { .. }
            | Reason::GaveUp { .. } => return,
        };
        let example = Example { number, quote };
        let same = |cause: &&mut Cause| cause.kind == kind && cause.id == id;
        if let Some(cause) = self.causes.iter_mut().find(same) {
            cause.issues += 1;
            if cause.examples.len() < EXAMPLES {
                cause.examples.push(example);
            }
        } else {
            self.causes.push(Cause { kind, id, text, side, issues: 1, examples: vec![example] });
        }
    }

    fn heading(&mut self, name: &str) -> &mut Heading {
        let at = self.headings.iter().position(|heading| heading.name == name).unwrap_or_else(|| {
            self.headings.push(Heading { name: name.to_owned(), missing: 0, empty: 0, near_misses: Vec::new() });
            self.headings.len() - 1
        });
        &mut self.headings[at]
    }

    fn not_decided(&mut self, signals: &[Undecided]) {
        for signal in signals {
            if !self.undecided.iter().any(|known| known.id == signal.id) {
                self.undecided.push(Signal { id: signal.id.clone(), text: signal.text.clone() });
            }
        }
    }
}

impl Heading {
    fn near(&mut self, title: &str) {
        match self.near_misses.iter_mut().find(|miss| miss.heading == title) {
            Some(miss) => miss.issues += 1,
            None => self.near_misses.push(NearMiss { heading: title.to_owned(), issues: 1 }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::verdict::{Bench, Question};
    use crate::domain::contract::{OnLowPass, builtin};
    use crate::domain::ids::Language;
    use crate::domain::run::Contracts;

    const PASSES: &str = include_str!("../../../examples/demo/issue-en.md");

    fn tally(bodies: &[&str], change: impl FnOnce(&mut crate::domain::contract::Contract)) -> Tally {
        let mut contract = builtin(Language::En).clone();
        change(&mut contract);
        let mut tally = Tally::new(GateId::Start);
        for (number, body) in (1..).zip(bodies) {
            let question = Question {
                gate: GateId::Start,
                title: String::new(),
                body: (*body).to_owned(),
                against: None,
                contracts: Contracts::InForce { contracts: vec![contract.clone()], notices: vec![] },
                records: vec![],
            };
            tally.add(
                IssueNumber(number),
                &Bench::of_rules().unwrap().reach(&question.dossier(chrono::DateTime::UNIX_EPOCH)).unwrap().done,
            );
        }
        tally.sorted()
    }

    #[test]
    fn verdicts_are_counted_and_causes_sorted() {
        let vague = PASSES.replace("## Acceptance criteria\n", "## Acceptance criteria\n- AC-9: it is easy to use\n");
        assert_ne!(vague, PASSES);
        let near = PASSES.replace("## Acceptance criteria", "## Acceptance (draft)");
        let empty = PASSES.replace("## Purpose\n", "## Purpose\n\n## Aside\n");
        let tally = tally(&[PASSES, &vague, "please fix", &near, &near, &empty], |_| {});
        assert_eq!((tally.issues, tally.passed, tally.returned, tally.triage, tally.not_judged), (6, 1, 5, 0, 0));
        assert_eq!((tally.too_abstract, tally.too_concrete), (5, 0));
        let first = &tally.causes[0];
        assert_eq!(
            (first.kind, first.id.as_str(), first.issues),
            (CauseKind::MissingHeading, "Acceptance criteria", 3)
        );
        let quotes: Vec<_> = first.examples.iter().map(|one| (one.number.0, one.quote.as_deref())).collect();
        assert_eq!(quotes, [(3, None), (4, Some("Acceptance (draft)")), (5, Some("Acceptance (draft)"))]);
        assert_eq!(tally.headings[0].near_misses, [NearMiss { heading: "Acceptance (draft)".into(), issues: 2 }]);
        let purpose = tally.headings.iter().find(|heading| heading.name == "Purpose").unwrap();
        assert_eq!((purpose.missing, purpose.empty), (1, 1));
        let signal = tally.causes.iter().find(|cause| cause.kind == CauseKind::Signal).unwrap();
        assert_eq!((signal.issues, signal.examples[0].number.0), (1, 2));
        assert!(signal.examples[0].quote.as_ref().unwrap().contains("easy to use"), "{signal:?}");
    }

    #[test]
    fn a_pass_that_not_every_signal_supports_waits_for_a_human() {
        let undo = |contract: &mut crate::domain::contract::Contract| {
            contract
                .phases
                .iter_mut()
                .flat_map(|phase| &mut phase.signals)
                .take(1)
                .for_each(|signal| signal.detect = None);
        };
        let phase = |contract: &mut crate::domain::contract::Contract| {
            let at = contract.gate(GateId::Start).unwrap().phase;
            contract.phases.swap(0, at);
            contract.gates.iter_mut().for_each(|gate| {
                gate.phase = if gate.phase == at {
                    0
                } else if gate.phase == 0 {
                    at
                } else {
                    gate.phase
                };
            });
            undo(contract);
        };
        let low = tally(&[PASSES], phase);
        assert_eq!((low.passed, low.triage, low.undecided.len()), (0, 1, 1));
        let noted = tally(&[PASSES], |contract| {
            phase(contract);
            contract.gates.iter_mut().for_each(|gate| gate.on_low_pass = OnLowPass::PassWithNote);
        });
        assert_eq!((noted.passed, noted.triage, noted.undecided.len()), (1, 0, 1));
    }

    #[test]
    fn an_issue_that_reaches_a_cap_of_one_counts_as_returned() {
        let tally = tally(&["nothing"], |contract| contract.max_iterations_per_gate = 1);
        assert_eq!((tally.returned, tally.triage), (1, 0));
    }

    #[test]
    fn examples_are_few() {
        assert_eq!(tally(&["a", "b", "c", "d", "e"], |_| {}).causes[0].examples.len(), EXAMPLES);
    }
}
