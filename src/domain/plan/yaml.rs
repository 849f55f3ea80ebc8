//! Plans as YAML: a fenced block with `children`, and what it says of requirements.

use super::assemble::one_line;
use super::issues::covered;
use super::names::{Names, is_nothing};
use super::references::prose;
use super::{MappedRequirement, Plan, PlanDefect, PlanProblem, PlanProblemKind, PlanShape, PlannedChild};
use crate::domain::text::{Document, clip};
use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

/// The YAML blocks of a text.
#[derive(Default)]
pub(super) struct Blocks {
    /// Whole plans.
    pub(super) plans: Vec<Block>,
    /// What is wrong with blocks that were meant as plans.
    pub(super) problems: Vec<PlanProblem>,
}

/// A whole plan as it was written.
pub(super) struct Block {
    children: Vec<Child>,
    requirements: Vec<Requirement>,
    range: Range<usize>,
}

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    children: Option<Vec<Child>>,
    #[serde(default)]
    requirements_map: Option<Vec<Requirement>>,
}

#[derive(Deserialize)]
struct Child {
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    body: Option<String>,
    #[serde(default)]
    blocked_by: Indices,
}

#[derive(Deserialize)]
struct Requirement {
    parent_requirement: String,
    #[serde(default)]
    children: Indices,
}

/// Indices as written: a list, one alone, or nothing.
#[derive(Default)]
struct Indices(Vec<String>);

impl<'de> Deserialize<'de> for Indices {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Written)
    }
}

struct Written;

impl<'de> Visitor<'de> for Written {
    type Value = Indices;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a list of indices of children")
    }

    fn visit_unit<E>(self) -> Result<Indices, E> {
        Ok(Indices::default())
    }

    fn visit_none<E>(self) -> Result<Indices, E> {
        Ok(Indices::default())
    }

    fn visit_bool<E>(self, value: bool) -> Result<Indices, E> {
        Ok(Indices(vec![value.to_string()]))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Indices, E> {
        Ok(Indices(vec![value.to_string()]))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Indices, E> {
        Ok(Indices(vec![value.to_string()]))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Indices, E> {
        Ok(Indices(vec![value.to_string()]))
    }

    fn visit_str<E>(self, value: &str) -> Result<Indices, E> {
        Ok(Indices(vec![value.to_owned()]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Indices, A::Error> {
        let mut all = Vec::new();
        while let Some(one) = sequence.next_element::<Option<String>>()? {
            all.push(one.unwrap_or_else(|| "null".to_owned()));
        }
        Ok(Indices(all))
    }
}

/// Bounds: what a plan of a thousand children needs, and no more.
fn bounds() -> serde_saphyr::Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_depth: 16, max_aliases: 100, max_anchors: 100, max_documents: 1 },
    }
}

/// Finds the blocks: fences called `yaml` or `yml` with a line that begins with `children:`. A text that begins with that
/// line is one as a whole.
pub(super) fn blocks(document: &Document) -> Blocks {
    let mut blocks = Blocks::default();
    let source = document.source();
    if source.starts_with("children:") {
        take(document, 0..source.len(), &mut blocks);
        return blocks;
    }
    for fence in document.fences().iter().filter(|fence| !fence.quoted) {
        let language = fence.info.split([' ', ',', '{', '\t']).next().unwrap_or_default();
        let content = &source[fence.content.clone()];
        let meant = content.lines().any(|line| line.trim_end() == "children:" || line.starts_with("children: "));
        if meant && (language.eq_ignore_ascii_case("yaml") || language.eq_ignore_ascii_case("yml")) {
            take(document, fence.content.clone(), &mut blocks);
        }
    }
    blocks
}

fn take(document: &Document, range: Range<usize>, blocks: &mut Blocks) {
    let text = &document.source()[range.clone()];
    let first = document.line_of(range.start);
    let file: File = match serde_saphyr::from_str_with_options(text, bounds()) {
        Ok(file) => file,
        Err(error) => {
            let line = error.location().map_or(1, |at| u32::try_from(at.line()).unwrap_or(1)).max(1);
            let words = error.without_snippet().to_string();
            let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
            let kind = PlanProblemKind::Syntax(clip(&words, 300).to_owned());
            blocks.problems.push(PlanProblem { line: first.saturating_add(line - 1), kind });
            return;
        }
    };
    let children = file.children.unwrap_or_default();
    let blank = |text: &Option<String>| text.as_ref().is_none_or(|text| text.trim().is_empty());
    // A block without a single title and body shows something else: the order alone, an example.
    if !children.iter().any(|child| !blank(&child.title) && child.body.is_some()) {
        return;
    }
    let mut problems = Vec::new();
    for (index, child) in children.iter().enumerate() {
        if blank(&child.title) {
            problems.push(PlanProblemKind::NoTitle { child: index });
        }
        if child.body.is_none() {
            problems.push(PlanProblemKind::NoBody { child: index });
        }
    }
    if problems.is_empty() {
        let requirements = file.requirements_map.unwrap_or_default();
        blocks.plans.push(Block { children, requirements, range });
    } else {
        blocks.problems.extend(problems.into_iter().map(|kind| PlanProblem { line: first, kind }));
    }
}

/// What an index names.
enum Named {
    Child(usize),
    Nothing,
    Unknown(String),
}

fn named(written: &str, count: usize) -> Named {
    if is_nothing(written) {
        return Named::Nothing;
    }
    match written.trim().parse::<usize>() {
        Ok(index) if index < count => Named::Child(index),
        _ => Named::Unknown(clip(written.trim(), 60).to_owned()),
    }
}

/// The plan of a block.
pub(super) fn plan(document: &Document, block: &Block, names: &Names) -> Plan {
    let count = block.children.len();
    let mut defects = Vec::new();
    let mut edges: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); count];
    for (index, child) in block.children.iter().enumerate() {
        for written in &child.blocked_by.0 {
            match named(written, count) {
                Named::Child(other) if other == index => defects.push(PlanDefect::SelfDependency { child: index }),
                Named::Child(other) => {
                    edges[index].insert(other);
                }
                Named::Unknown(written) => defects.push(PlanDefect::BadIndex { child: index, written }),
                Named::Nothing => {}
            }
        }
    }
    let stated = if block.range.start == 0 { Vec::new() } else { prose(document) };
    // Beside the block people count from 1, unless they say 0.
    let first = usize::from(!stated.iter().any(|(child, on)| *child == 0 || *on == 0));
    for (child, on) in stated {
        let index = |number: u32| (number as usize).checked_sub(first).filter(|index| *index < count);
        let (Some(child), Some(on)) = (index(child), index(on)) else { continue };
        if child == on {
            defects.push(PlanDefect::SelfDependency { child });
        } else {
            edges[child].insert(on);
        }
    }
    defects.dedup();
    let places = places(document, block);
    let mut children: Vec<_> = block
        .children
        .iter()
        .zip(edges)
        .enumerate()
        .map(|(index, (child, edges))| {
            let title = one_line(child.title.as_deref().unwrap_or_default());
            let body = child.body.clone().unwrap_or_default();
            PlannedChild {
                index,
                label: format!("children[{index}]"),
                number: None,
                covers: covered(&title, &body, names),
                title,
                body,
                blocked_by: edges.into_iter().collect(),
                place: places.get(index).cloned().flatten(),
            }
        })
        .collect();
    map(block, &mut children, &mut defects);
    let requirements = with_map(block, &children);
    Plan { shape: PlanShape::Yaml, children, requirements, defects }
}

/// Adds what `requirements_map` says to the children.
fn map(block: &Block, children: &mut [PlannedChild], defects: &mut Vec<PlanDefect>) {
    for requirement in &block.requirements {
        let name = one_line(&requirement.parent_requirement);
        for written in &requirement.children.0 {
            match named(written, children.len()) {
                Named::Child(index) => {
                    let ids = super::covers(&name);
                    let known = children[index].covers.iter().any(|known| *known == name || ids.contains(known));
                    if !known {
                        children[index].covers.push(name.clone());
                    }
                }
                Named::Unknown(written) => {
                    defects.push(PlanDefect::BadRequirementIndex { parent_requirement: name.clone(), written });
                }
                Named::Nothing => {}
            }
        }
    }
}

/// The map as written, then what only the children say.
fn with_map(block: &Block, children: &[PlannedChild]) -> Vec<MappedRequirement> {
    let mut out: Vec<MappedRequirement> = Vec::new();
    for requirement in &block.requirements {
        let name = one_line(&requirement.parent_requirement);
        let indices: BTreeSet<usize> = requirement
            .children
            .0
            .iter()
            .filter_map(|written| match named(written, children.len()) {
                Named::Child(index) => Some(index),
                Named::Nothing | Named::Unknown(_) => None,
            })
            .collect();
        match out.iter_mut().find(|known| known.parent_requirement == name) {
            Some(known) => {
                known.children.extend(indices);
                known.children.sort_unstable();
                known.children.dedup();
            }
            None => out.push(MappedRequirement { parent_requirement: name, children: indices.into_iter().collect() }),
        }
    }
    for more in super::assemble::requirements(children) {
        let mapped = |known: &MappedRequirement| {
            known.parent_requirement == more.parent_requirement
                || super::covers(&known.parent_requirement).contains(&more.parent_requirement)
        };
        if !out.iter().any(mapped) {
            out.push(more);
        }
    }
    out
}

/// Where the titles stand, as far as that can be told by the lines.
fn places(document: &Document, block: &Block) -> Vec<Option<Range<usize>>> {
    let text = &document.source()[block.range.clone()];
    let mut at = block.range.start;
    let mut titles = block.children.iter().map(|child| child.title.as_deref().unwrap_or_default().trim()).peekable();
    let mut out = Vec::new();
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let Some(title) = titles.peek() else { break };
        let bare = line.trim_start().trim_start_matches(['-', '{', ' ']);
        let value = bare.strip_prefix("title:").map(|value| value.trim().trim_matches(['"', '\'']));
        let same =
            value.is_some_and(|value| !value.is_empty() && (value.starts_with(title) || title.starts_with(value)));
        if same {
            titles.next();
            let first = start + (line.len() - bare.len());
            out.push(Some(first..first + bare.trim_end().len()));
        }
    }
    out.resize(block.children.len(), None);
    out
}
