//! What a hand-off gate asks its judges (chapter 4): signals first, then the meanings of its fields.

use super::super::speaks;
use super::Case;
use super::judged::read;
use crate::domain::contract::{DetectorId, Field, Gate, Lack, Side, Signal, builtin};
use crate::domain::finding::{Brief, BriefItem, Criterion, CriterionKind, KnownField, Scope};
use crate::domain::ids::{CriterionId, GateId, Language};
use crate::domain::record::Record;
use crate::domain::text;

/// The brief of one judging.
pub(super) fn write(case: &Case<'_>) -> Brief {
    let gate = case.rule.gate;
    let language = speaks(case.rule.contract, case.issue);
    let phase = case.rule.contract.phase(gate);
    let each = if gate.id == GateId::Split { Scope::Each } else { Scope::Whole };
    let mut criteria: Vec<Criterion> =
        phase.signals.iter().map(|one| Criterion { scope: each, ..signal(one) }).collect();
    criteria.extend(gate.set_signals.iter().map(signal));
    if gate.id == GateId::Start {
        criteria.extend(gate.fields.iter().filter_map(meaning));
    }
    if gate.id == GateId::Split {
        let good = &case.rule.contract.split_criteria.good_task_conditions;
        criteria.extend(good.iter().map(|text| condition(text)));
    }
    criteria.extend(inherited(gate, &phase.signals, language));
    let items = case.subject.plan.iter().flat_map(|plan| &plan.children).map(|child| BriefItem {
        index: child.index,
        label: child.label.clone(),
        subject: read(case.dossier, &child.body),
    });
    Brief {
        gate: gate.id,
        waiting_level: phase.waiting_level.clone(),
        criteria,
        fields: gate.fields.iter().map(known).collect(),
        subject: case.subject.body.clone(),
        items: items.collect(),
        plan: case.subject.plan.clone(),
        references: case.subject.references.clone(),
        history: history(case),
        always_separate: case.rule.contract.split_criteria.always_separate.clone(),
        language,
    }
}

/// Earlier verdicts that a judge is told of, and the length of each in characters.
const EARLIER: (usize, usize) = (3, 600);

/// What the last verdicts of this gate on this subject said, under whatever contract.
fn history(case: &Case<'_>) -> Vec<String> {
    let (most, longest) = EARLIER;
    let line = |record: &Record| {
        let said = record.reasons.join("; ");
        Some(text::clip(&format!("{}: {said}", record.verdict?.as_str()), longest).to_owned())
    };
    let mut lines: Vec<String> = case.mine.iter().rev().filter_map(|stored| line(&stored.record)).take(most).collect();
    lines.reverse();
    lines
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

/// What code always looks for at a gate, under every contract (chapter 3): at outcome what is too concrete, at split
/// what is wrong with the graph, at integration a requirement without a result.
fn always(gate: GateId) -> &'static [DetectorId] {
    match gate {
        GateId::Outcome => &[DetectorId::RawLog, DetectorId::Secret, DetectorId::PersonalData],
        GateId::Split => {
            &[DetectorId::Cycle, DetectorId::Orphan, DetectorId::BudgetExceeded, DetectorId::AlwaysSeparate]
        }
        GateId::Integration => &[DetectorId::Orphan, DetectorId::CopiedReport],
        _ => &[],
    }
}

/// The inherited criteria in the words of the built-in contract; what the contract asks itself is not asked twice.
fn inherited(gate: &Gate, asked: &[Signal], language: Language) -> Vec<Criterion> {
    let detects = |signal: &Signal, id| signal.detect.as_ref().is_some_and(|spec| spec.id == id);
    let builtin = builtin(language);
    let words = builtin.gate(gate.id);
    let known = || words.into_iter().flat_map(|gate| gate.set_signals.iter().chain(&builtin.phase(gate).signals));
    let each = |id| gate.id == GateId::Split && id == DetectorId::AlwaysSeparate;
    always(gate.id)
        .iter()
        .copied()
        .filter(|id| !asked.iter().chain(&gate.set_signals).any(|signal| detects(signal, *id)))
        .filter_map(|id| Some((id, known().find(|signal| detects(signal, id))?)))
        .map(|(id, found)| Criterion {
            id: CriterionId(format!("inherited:{}", found.id.as_str())),
            scope: if each(id) { Scope::Each } else { Scope::Whole },
            ..signal(found)
        })
        .collect()
}

/// What makes a good task is asked of models; rules leave it open, and that lowers nothing (chapter 10).
fn condition(text: &str) -> Criterion {
    Criterion {
        id: CriterionId(format!("good-task:{text}")),
        kind: CriterionKind::Meaning,
        side: Side::TooAbstract,
        text: text.to_owned(),
        except: None,
        detect: None,
        lack: Lack::Content,
        absence: false,
        scope: Scope::Each,
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
        scope: Scope::Whole,
    })
}

fn known(field: &Field) -> KnownField {
    KnownField { name: field.name.clone(), aliases: field.aliases.clone() }
}
