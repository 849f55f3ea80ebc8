//! A passed split goes on: its children are filed, then the same comment gets their numbers (chapter 3).
//!
//! The children stand in the ledger since the record does, so that what is asked here is only what became of them.

use super::super::{Step, done};
use super::Case;
use super::conclude;
use super::split::{filing, is_unfinished};
use crate::domain::effect::{ChildDraft, Effect};
use crate::domain::ids::IssueNumber;
use crate::domain::plan::{MappedRequirement, Plan, PlanShape, PlannedChild};
use crate::domain::record::{Child, Disposition, Record, TriageCause};
use crate::domain::run::{Done, Filed, Filing, Then};
use crate::domain::view::{ChildLine, Note, SplitView};

/// Ends the run where a passed record of this gate waits for its children's numbers.
pub(super) fn finish(case: &Case<'_>) -> Step<()> {
    let Some(newest) = case.mine.last().map(|stored| &stored.record).filter(|record| is_unfinished(record)) else {
        return Ok(());
    };
    let filing = filing(case.dossier, newest)?;
    if filing.children.is_empty() {
        // Its entries are lost, with the database that held them: the plan is judged anew, and what stands is found.
        return Ok(());
    }
    if filing.open {
        let end = Done::effects(vec![Effect::Verdict], "children are being filed");
        return done(Done { then: Then::Again, ..end });
    }
    done(numbered(case, newest, filing))
}

/// The same record with the numbers of its children: in triage where the forge refused a part of the plan.
fn numbered(case: &Case<'_>, newest: &Record, filing: &Filing) -> Done {
    let child = |filed: &Filed| Child {
        index: filed.draft.index,
        number: filed.number,
        title: filed.draft.title.clone(),
        requirement: requirement(&filed.draft.covers),
    };
    let whole = filing.refused.is_empty() && filing.children.iter().all(|filed| filed.number.is_some());
    let (disposition, cause) =
        if whole { (Disposition::Passed, None) } else { (Disposition::Triage, Some(TriageCause::PlanRefused)) };
    let record = Record {
        edit: newest.edit + 1,
        was: newest.signature.as_ref().map(|signature| signature.mac.clone()),
        signature: None,
        disposition,
        triage_cause: cause,
        children: filing.children.iter().map(child).collect(),
        ..newest.clone()
    };
    let mut view = conclude::view(case, Vec::new(), Vec::new());
    let plan = plan_of(filing);
    view.split = Some(SplitView {
        children: filing.children.iter().map(|filed| line(&filed.draft, filed.number)).collect(),
        plan: plan.yaml(),
        task_list: filing.not_offered,
    });
    if !filing.refused.is_empty() {
        view.notes.push(Note::PlanRefused(filing.refused.clone()));
    }
    let mut effects = vec![Effect::Verdict];
    effects.extend(case.labels(disposition));
    Done { record: Some(record), view: Some(view), ..Done::effects(effects, "children numbered") }
}

/// The plan, as it is kept with its children.
fn plan_of(filing: &Filing) -> Plan {
    let child = |filed: &Filed| PlannedChild {
        index: usize::try_from(filed.draft.index).unwrap_or_default(),
        label: String::new(),
        number: None,
        title: filed.draft.title.clone(),
        body: filed.draft.body.clone(),
        blocked_by: filed.draft.blocked_by.iter().filter_map(|on| usize::try_from(*on).ok()).collect(),
        covers: filed.draft.covers.clone(),
        place: None,
    };
    let children: Vec<PlannedChild> = filing.children.iter().map(child).collect();
    let mut requirements: Vec<MappedRequirement> = Vec::new();
    for child in &children {
        for named in &child.covers {
            match requirements.iter_mut().find(|one| one.parent_requirement == *named) {
                Some(one) => one.children.push(child.index),
                None => requirements
                    .push(MappedRequirement { parent_requirement: named.clone(), children: vec![child.index] }),
            }
        }
    }
    Plan { shape: PlanShape::Yaml, children, requirements, defects: Vec::new() }
}

/// What a PASS is to file; nothing where the children stand already.
pub(super) fn drafts(plan: &Plan) -> Vec<ChildDraft> {
    if plan.shape == PlanShape::Issues {
        return Vec::new();
    }
    let draft = |child: &PlannedChild| ChildDraft {
        index: child.index as u64,
        title: child.title.clone(),
        body: child.body.clone(),
        covers: child.covers.clone(),
        blocked_by: child.blocked_by.iter().map(|on| *on as u64).collect(),
    };
    plan.children.iter().map(draft).collect()
}

/// The record's children, before or after they have numbers.
pub(super) fn recorded(plan: &Plan) -> Vec<Child> {
    let one = |child: &PlannedChild| Child {
        index: child.index as u64,
        number: child.number,
        title: child.title.clone(),
        requirement: requirement(&child.covers),
    };
    plan.children.iter().map(one).collect()
}

/// What the comment of a passed split shows before there are numbers.
pub(super) fn shown(plan: &Plan) -> SplitView {
    let one = |child: &PlannedChild| ChildLine {
        number: child.number,
        title: child.title.clone(),
        requirement: requirement(&child.covers),
    };
    SplitView { children: plan.children.iter().map(one).collect(), plan: plan.yaml(), task_list: false }
}

fn line(draft: &ChildDraft, number: Option<IssueNumber>) -> ChildLine {
    ChildLine { number, title: draft.title.clone(), requirement: requirement(&draft.covers) }
}

fn requirement(covers: &[String]) -> Option<String> {
    (!covers.is_empty()).then(|| covers.join(", "))
}
