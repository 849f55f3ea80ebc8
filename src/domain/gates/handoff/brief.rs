//! What a hand-off gate asks its judges (chapter 4): signals first, then the meanings of its fields.

use super::super::speaks;
use super::Case;
use crate::domain::contract::{DetectorId, Field, Lack, Side, Signal, builtin};
use crate::domain::finding::{Brief, Criterion, CriterionKind, KnownField, Scope};
use crate::domain::ids::{CriterionId, GateId, Language};

/// The brief of one judging.
pub(super) fn write(case: &Case<'_>) -> Brief {
    let gate = case.rule.gate;
    let language = speaks(case.rule.contract, case.issue);
    let phase = case.rule.contract.phase(gate);
    let mut criteria: Vec<Criterion> = phase.signals.iter().map(signal).collect();
    if gate.id == GateId::Start {
        criteria.extend(gate.fields.iter().filter_map(meaning));
    }
    if gate.id == GateId::Outcome {
        criteria.extend(inherited(&phase.signals, language));
    }
    Brief {
        gate: gate.id,
        waiting_level: phase.waiting_level.clone(),
        criteria,
        fields: gate.fields.iter().map(known).collect(),
        subject: case.body.clone(),
        references: case.reference.iter().cloned().collect(),
        always_separate: case.rule.contract.split_criteria.always_separate.clone(),
        language,
        items: Vec::new(),
        plan: None,
    }
}

fn signal(signal: &Signal) -> Criterion {
    Criterion {
        id: signal.id.clone(),
        kind: CriterionKind::Signal,
        side: signal.side,
        text: signal.text.clone(),
        except: signal.except.clone(),
        detect: signal.detect.clone(),
        lack: signal.lack,
        absence: signal.absence,
        scope: Scope::Whole,
    }
}

/// What is too concrete at outcome under every contract (chapter 3).
const INHERITED: [DetectorId; 3] = [DetectorId::RawLog, DetectorId::Secret, DetectorId::PersonalData];

/// The inherited criteria in the words of the built-in contract; what the contract asks itself is not asked twice.
fn inherited(asked: &[Signal], language: Language) -> Vec<Criterion> {
    let detects = |signal: &Signal, id| signal.detect.as_ref().is_some_and(|spec| spec.id == id);
    let builtin = builtin(language);
    let words = builtin.gate(GateId::Outcome).map_or(&[][..], |gate| &builtin.phase(gate).signals);
    INHERITED
        .into_iter()
        .filter(|id| !asked.iter().any(|signal| detects(signal, *id)))
        .filter_map(|id| words.iter().find(|signal| detects(signal, id)))
        .map(|found| Criterion { id: CriterionId(format!("inherited:{}", found.id.as_str())), ..signal(found) })
        .collect()
}

/// A field's meaning is a criterion too: what stands under the heading should be what the contract means by it.
fn meaning(field: &Field) -> Option<Criterion> {
    let means = field.means.as_ref()?;
    Some(Criterion {
        id: CriterionId(format!("means:{}", field.name)),
        kind: CriterionKind::Meaning,
        side: Side::TooAbstract,
        text: format!("{}: {means}", field.name),
        except: None,
        detect: None,
        lack: Lack::Content,
        absence: false,
        scope: Scope::Whole,
    })
}

fn known(field: &Field) -> KnownField {
    KnownField { name: field.name.clone(), aliases: field.aliases.clone() }
}
