//! A plan as YAML.

use super::{Plan, PlanDefect};
use crate::domain::text::{yaml_entry, yaml_quoted as quoted};
use std::fmt::Write as _;

/// Prints it: what is wrong with its indices too, so that reading it says the same.
pub(super) fn print(plan: &Plan) -> String {
    let mut out = String::from("children:\n");
    for child in &plan.children {
        let _ = writeln!(out, "- title: {}", quoted(&child.title));
        out.push_str(&yaml_entry(2, "body", &child.body));
        let wrong = plan.defects.iter().filter_map(|defect| match defect {
            PlanDefect::SelfDependency { child: own } if *own == child.index => Some(own.to_string()),
            PlanDefect::BadIndex { child: index, written } if *index == child.index => Some(quoted(written)),
            _ => None,
        });
        let on: Vec<_> = child.blocked_by.iter().map(ToString::to_string).chain(wrong).collect();
        let _ = writeln!(out, "  blocked_by: [{}]", on.join(", "));
    }
    out.push_str("requirements_map:");
    if plan.requirements.is_empty() {
        out.push_str(" []");
    }
    out.push('\n');
    for requirement in &plan.requirements {
        let _ = writeln!(out, "- parent_requirement: {}", quoted(&requirement.parent_requirement));
        let wrong = plan.defects.iter().filter_map(|defect| match defect {
            PlanDefect::BadRequirementIndex { parent_requirement, written }
                if *parent_requirement == requirement.parent_requirement =>
            {
                Some(quoted(written))
            }
            _ => None,
        });
        let children: Vec<_> = requirement.children.iter().map(ToString::to_string).chain(wrong).collect();
        let _ = writeln!(out, "  children: [{}]", children.join(", "));
    }
    out
}
