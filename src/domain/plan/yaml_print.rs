//! A plan as YAML.

use super::{Plan, PlanDefect};
use std::fmt::Write as _;

/// Prints it: what is wrong with its indices too, so that reading it says the same.
pub(super) fn print(plan: &Plan) -> String {
    let mut out = String::from("children:\n");
    for child in &plan.children {
        let _ = writeln!(out, "- title: {}", quoted(&child.title));
        body(&mut out, &child.body);
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

/// As a block where its lines can stand as they are, so that people can read it.
fn body(out: &mut String, body: &str) {
    let plain = |c: char| {
        c == '\n' || (!c.is_control() && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'))
    };
    let (text, mark) = match body.strip_suffix('\n') {
        Some(text) => (text, "|"),
        None => (body, "|-"),
    };
    let lines_fit = text.split('\n').all(|line| line.is_empty() || !line.trim_matches(' ').is_empty());
    let fits = !text.is_empty() && !text.starts_with([' ', '\n']) && !text.ends_with('\n') && lines_fit;
    if !fits || !body.chars().all(plain) {
        let _ = writeln!(out, "  body: {}", quoted(body));
        return;
    }
    let _ = writeln!(out, "  body: {mark}");
    for line in text.split('\n') {
        if line.is_empty() {
            out.push('\n');
        } else {
            let _ = writeln!(out, "    {line}");
        }
    }
}

/// In double quotes, with everything escaped that does not print.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}') => {
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
