//! The sub-issues of a parent as a plan.

use super::assemble::requirements;
use super::covers::{covers, mentioned};
use super::names::Names;
use super::{Plan, PlanDefect, PlanField, PlanShape, PlannedChild};
use crate::domain::ids::{IssueNumber, Language};
use crate::domain::text::Document;
use std::collections::{BTreeSet, HashMap};

/// An issue that is a child already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssueChild {
    /// Its number.
    pub number: IssueNumber,
    /// Its title.
    pub title: String,
    /// Its body as it stands.
    pub body: String,
    /// The issues that block it. Those that are no children of the same parent are left out of the plan.
    pub blocked_by: Vec<IssueNumber>,
}

/// A plan of what is there.
#[must_use]
pub fn of_issues(issues: &[IssueChild], fields: &[PlanField], language: Language) -> Plan {
    let names = Names::of(fields, language);
    let places: HashMap<IssueNumber, usize> =
        issues.iter().enumerate().rev().map(|(index, issue)| (issue.number, index)).collect();
    let mut defects = Vec::new();
    let children: Vec<_> = issues
        .iter()
        .enumerate()
        .map(|(index, issue)| {
            let mut on: BTreeSet<usize> =
                issue.blocked_by.iter().filter_map(|number| places.get(number)).copied().collect();
            if on.remove(&index) {
                defects.push(PlanDefect::SelfDependency { child: index });
            }
            PlannedChild {
                index,
                label: format!("#{}", issue.number.0),
                number: Some(issue.number),
                title: issue.title.clone(),
                body: issue.body.clone(),
                blocked_by: on.into_iter().collect(),
                covers: covered(&issue.title, &issue.body, &names),
                place: None,
            }
        })
        .collect();
    Plan { shape: PlanShape::Issues, requirements: requirements(&children), children, defects }
}

/// What a child that is written out answers for: what stands under its heading, else what its title mentions.
pub(super) fn covered(title: &str, body: &str, names: &Names) -> Vec<String> {
    let document = Document::parse(body);
    let field = super::names::Role::Field(names.covers);
    let section = document.sections().iter().find(|section| names.role(&section.title) == Some(field));
    match section {
        Some(section) => covers(&body[section.own_range.clone()]),
        None => mentioned(title),
    }
}
