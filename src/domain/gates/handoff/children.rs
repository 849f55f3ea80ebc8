//! A plan's children as they are filed, recorded and shown, and the plan as it was kept with them.

use crate::domain::effect::ChildDraft;
use crate::domain::ids::Language;
use crate::domain::plan::{self, Plan, PlanShape, PlannedChild, Read};
use crate::domain::record::{Child, Record};
use crate::domain::run::{Filed, Filing};
use crate::domain::view::{ChildLine, SplitView};

/// The plan, as it is kept with its children.
pub(super) fn plan_of(filing: &Filing) -> Plan {
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
    Plan { shape: PlanShape::Yaml, requirements: plan::requirements(&children), children, defects: Vec::new() }
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

/// What a record's plan was to file, as it was kept beside the record; none where it is not the one that the record
/// names: its titles, in order. What each covers is taken from the record, which is signed.
pub(in crate::domain) fn kept(record: &Record, plan: &str) -> Option<Vec<ChildDraft>> {
    let Read::Plan(plan) = plan::read(plan, &[], Language::En) else { return None };
    // A plan that passed has none.
    if !plan.defects.is_empty() {
        return None;
    }
    let mut drafts = drafts(&plan);
    let named = |(child, draft): (&Child, &ChildDraft)| child.index == draft.index && child.title == draft.title;
    if drafts.len() != record.children.len() || !record.children.iter().zip(&drafts).all(named) {
        return None;
    }
    for (child, draft) in record.children.iter().zip(&mut drafts) {
        if requirement(&draft.covers) != child.requirement {
            draft.covers = child.requirement.iter().cloned().collect();
        }
    }
    Some(drafts)
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
        after: Vec::new(),
    };
    SplitView { children: plan.children.iter().map(one).collect(), plan: plan.yaml(), task_list: false }
}

/// A child's line once it is filed. Where no link says what it waits for, its line does.
pub(super) fn line(filing: &Filing, filed: &Filed) -> ChildLine {
    let number = |on: &u64| filing.children.iter().find(|one| one.draft.index == *on)?.number;
    let on = filed.draft.blocked_by.iter().filter(|_| filing.not_offered);
    let requirement = requirement(&filed.draft.covers);
    ChildLine {
        number: filed.number,
        title: filed.draft.title.clone(),
        requirement,
        after: on.filter_map(number).collect(),
    }
}

pub(super) fn requirement(covers: &[String]) -> Option<String> {
    (!covers.is_empty()).then(|| covers.join(", "))
}
