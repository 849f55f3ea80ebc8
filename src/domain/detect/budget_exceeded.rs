//! `budget_exceeded`: the numbers of a plan's children, added up, are more than the parent's budget has of the same unit.

use super::amounts::{Amount, Reach, Unit, amounts, bare_count};
use super::patterns::{is_in, patterns};
use super::planned::{place, plan};
use super::{Context, Hit};
use crate::domain::ids::Language;
use crate::domain::plan::{Plan, PlannedChild};
use crate::domain::text::Document;
use std::collections::BTreeMap;

patterns! {
    /// Headings of budgets.
    BUDGET = r"予算 | コスト | 費用 | 工数 | 見積 | 反復 | budget | cost | estimate | effort | max_?\s?iterations | iterations";
    /// Headings of budgets whose bare numbers are iterations.
    ITERATIONS = r"反復 | iterations?";
}

/// The role under which the parent's text is given.
const PARENT: &str = "parent";

/// Runs the detector: one hit for each unit that is exceeded, at the child where the sum passes the limit.
pub(super) fn detect(document: &Document, context: &Context) -> Vec<Hit> {
    let mut caps: Vec<Amount> = Vec::new();
    for (_, text) in context.references.iter().filter(|(role, _)| role == PARENT) {
        let parent = Document::parse(text);
        let section = parent.sections().iter().find(|section| is_in(&BUDGET, &section.key));
        caps.extend(section.map(|section| amounts(&text[section.range.clone()])).unwrap_or_default());
    }
    if caps.is_empty() {
        return Vec::new();
    }
    let Some(plan) = plan(document, context) else { return Vec::new() };
    let stated: Vec<BTreeMap<Unit, Amount>> = plan.children.iter().map(of_child).collect();
    let mut hits = Vec::new();
    for (unit, reach) in caps.iter().map(|cap| (cap.unit, cap.reach)).collect::<std::collections::BTreeSet<_>>() {
        let of_unit = || caps.iter().filter(|cap| cap.unit == unit && cap.reach == reach);
        // A range says no number, and of several numbers the largest is surely allowed.
        if of_unit().any(|cap| cap.vague) {
            continue;
        }
        let cap = of_unit().map(|cap| cap.value).fold(0.0, f64::max);
        let over = match (unit, reach) {
            (Unit::Children, _) => children(&plan, cap),
            (_, Reach::Whole) => sum(&stated, unit, cap),
            (_, Reach::Each) => each(&stated, unit, cap),
        };
        if let Some((child, found)) = over {
            let note = note(unit, found, cap, context.language);
            hits.push(Hit { range: place(document, &plan, child), note: Some(note) });
        }
    }
    hits
}

/// The child beyond the count, and how many there are.
#[expect(clippy::cast_precision_loss, reason = "a plan has thousands of children at most")]
fn children(plan: &Plan, cap: f64) -> Option<(usize, f64)> {
    let count = plan.children.len() as f64;
    let first = (0..plan.children.len()).find(|index| *index as f64 >= cap)?;
    (count > cap).then_some((first, count))
}

/// Children may be budgeted to the last bit; that is no excess.
const SLACK: f64 = 1e-9;

fn sum(stated: &[BTreeMap<Unit, Amount>], unit: Unit, cap: f64) -> Option<(usize, f64)> {
    let all = || stated.iter().enumerate().filter_map(|(child, amounts)| Some((child, amounts.get(&unit)?)));
    if all().any(|(_, amount)| amount.vague) {
        return None;
    }
    let total: f64 = all().map(|(_, amount)| amount.value).sum();
    let mut sum = 0.0;
    let passes = all().find(|(_, amount)| {
        sum += amount.value;
        sum > cap + SLACK
    });
    passes.map(|(child, _)| (child, total))
}

fn each(stated: &[BTreeMap<Unit, Amount>], unit: Unit, cap: f64) -> Option<(usize, f64)> {
    let mut all = stated.iter().enumerate().filter_map(|(child, amounts)| Some((child, amounts.get(&unit)?)));
    all.find(|(_, amount)| !amount.vague && amount.value > cap + SLACK).map(|(child, amount)| (child, amount.value))
}

/// What a child's budget says, the largest of each unit.
fn of_child(child: &PlannedChild) -> BTreeMap<Unit, Amount> {
    let document = Document::parse(&child.body);
    let mut out: BTreeMap<Unit, Amount> = BTreeMap::new();
    for section in document.sections().iter().filter(|section| is_in(&BUDGET, &section.key)) {
        let text = &child.body[section.own_range.clone()];
        let mut found = amounts(text);
        if found.is_empty() && is_in(&ITERATIONS, &section.key) {
            found.extend(bare_count(text));
        }
        for amount in found {
            let known = out.entry(amount.unit).or_insert(amount);
            known.vague |= amount.vague;
            known.value = known.value.max(amount.value);
        }
    }
    out
}

fn note(unit: Unit, found: f64, cap: f64, language: Language) -> String {
    let name = unit.name(language);
    format!("{found} > {cap} {name}")
}
