//! Children of an outline or a table become a plan: dependencies resolved, bodies written, requirements mapped.

use super::covers::{covers, mentioned};
use super::draft::{Draft, Found};
use super::names::Names;
use super::references::{Children, Named, field, prose};
use super::{MappedRequirement, Plan, PlanDefect, PlanShape, PlannedChild, body, common};
use crate::domain::text::{Document, Normalised, clip};
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};

/// Longest title, in characters: that of an issue.
const LONGEST_TITLE: usize = 256;

/// Puts a plan together. `beside` are tables that list the children too.
pub(super) fn plan(document: &Document, names: &Names, shape: PlanShape, found: Found, beside: &[Found]) -> Plan {
    let mut shared = common::common(document, names, &found.ranges);
    common::add(&mut shared, found.common);
    let drafts = found.children;
    let mut defects = Vec::new();
    let mut numbers: HashMap<u32, usize> = HashMap::new();
    for (index, draft) in drafts.iter().enumerate() {
        let Some(number) = draft.number else { continue };
        match numbers.entry(number) {
            Entry::Occupied(_) => {
                defects.push(PlanDefect::DuplicateNumber { child: index, written: number.to_string() });
            }
            Entry::Vacant(place) => {
                place.insert(index);
            }
        }
    }
    let titles: Vec<String> = drafts.iter().map(|draft| title(draft, names)).collect();
    let by_title = titles.iter().enumerate().rev().map(|(index, title)| (title.to_lowercase(), index)).collect();
    let lookup = Children { numbers, titles: by_title };
    let mut edges: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); drafts.len()];
    let mut wait = |child: usize, text: &str| {
        for named in field(text, &lookup) {
            match named {
                Named::Child(other) if other == child => own(&mut defects, child),
                Named::Child(other) => {
                    edges[child].insert(other);
                }
                Named::Unknown(written) => bad(&mut defects, child, written),
            }
        }
    };
    for (child, draft) in drafts.iter().enumerate() {
        draft.depends.iter().for_each(|text| wait(child, text));
    }
    for draft in beside.iter().flat_map(|found| &found.children) {
        let Some(child) = draft.number.and_then(|number| lookup.numbers.get(&number)) else { continue };
        draft.depends.iter().for_each(|text| wait(*child, text));
    }
    for (child, on) in prose(document) {
        // `#31` may be any issue: only numbers of the plan count.
        let (Some(child), Some(on)) = (lookup.numbers.get(&child), lookup.numbers.get(&on)) else { continue };
        if child == on {
            own(&mut defects, *child);
        } else {
            edges[*child].insert(*on);
        }
    }
    let children: Vec<_> = drafts
        .into_iter()
        .zip(edges)
        .zip(titles)
        .enumerate()
        .map(|(index, ((draft, edges), title))| PlannedChild {
            index,
            number: None,
            body: body::write(names, &draft, &shared),
            blocked_by: edges.into_iter().collect(),
            covers: covered(&draft, names),
            title,
            label: draft.label,
            place: Some(draft.place),
        })
        .collect();
    Plan { shape, requirements: requirements(&children), children, defects }
}

fn own(defects: &mut Vec<PlanDefect>, child: usize) {
    let defect = PlanDefect::SelfDependency { child };
    if defects.last() != Some(&defect) {
        defects.push(defect);
    }
}

fn bad(defects: &mut Vec<PlanDefect>, child: usize, written: String) {
    defects.push(PlanDefect::BadIndex { child, written });
}

/// The title as written, else the purpose, else the label.
fn title(draft: &Draft, names: &Names) -> String {
    let purpose = || names.purpose.and_then(|field| draft.values.get(field)?.as_deref());
    let written = Some(draft.title.as_str()).filter(|title| !title.is_empty());
    let title = one_line(written.or_else(purpose).unwrap_or_default());
    if title.is_empty() { draft.label.clone() } else { title }
}

/// The first line of a text without the marks of Markdown, no longer than an issue's title.
pub(super) fn one_line(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let line = line.trim_start_matches(['#', '-', '*', '>', ' ']).trim_end_matches(['*', ' ']);
    clip(&line.replace("**", "").split_whitespace().collect::<Vec<_>>().join(" "), LONGEST_TITLE).to_owned()
}

/// What a child answers for: by its field, else by its title, else by its other words.
fn covered(draft: &Draft, names: &Names) -> Vec<String> {
    if let Some(value) = draft.values.get(names.covers).and_then(Option::as_deref) {
        return covers(value);
    }
    let title = mentioned(&draft.title);
    if !title.is_empty() {
        return title;
    }
    let purpose = names.purpose.and_then(|field| draft.values.get(field)?.as_deref()).unwrap_or_default();
    mentioned(&Normalised::of(&format!("{}\n{purpose}", draft.lead)).text().replace('\n', " "))
}

/// Requirements in the order in which children name them.
#[must_use]
pub fn requirements(children: &[PlannedChild]) -> Vec<MappedRequirement> {
    let mut out: Vec<MappedRequirement> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (child, name) in children.iter().flat_map(|child| child.covers.iter().map(|name| (child.index, name))) {
        let place = *places.entry(name).or_insert_with(|| {
            out.push(MappedRequirement { parent_requirement: name.clone(), children: Vec::new() });
            out.len() - 1
        });
        if out[place].children.last() != Some(&child) {
            out[place].children.push(child);
        }
    }
    out
}
