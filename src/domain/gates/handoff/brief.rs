//! What a hand-off gate asks its judges (chapter 4): signals first, then the meanings of its fields.

use super::Case;
use crate::domain::contract::{Field, Lack, Side, Signal};
use crate::domain::finding::{Brief, Criterion, CriterionKind, KnownField, Reference};
use crate::domain::ids::{CriterionId, GateId};

/// The brief of one judging.
pub(super) fn write(case: &Case<'_>) -> Brief {
    let gate = case.rule.gate;
    let phase = case.rule.contract.phase(gate);
    let mut criteria: Vec<Criterion> = phase.signals.iter().map(signal).collect();
    if gate.id == GateId::Start {
        criteria.extend(gate.fields.iter().filter_map(meaning));
    }
    let reference =
        |(id, text): &(String, String)| Reference { role: "parent".into(), id: id.clone(), text: text.clone() };
    Brief {
        gate: gate.id,
        waiting_level: phase.waiting_level.clone(),
        criteria,
        fields: gate.fields.iter().map(known).collect(),
        subject: case.issue.body.clone(),
        references: case.parent.iter().map(reference).collect(),
        language: case.rule.contract.language,
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
    }
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
    })
}

fn known(field: &Field) -> KnownField {
    KnownField { name: field.name.clone(), aliases: field.aliases.clone() }
}
