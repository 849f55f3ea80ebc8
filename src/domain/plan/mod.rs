//! A split plan: what a parent issue is to become (chapter 3, "Split"). [`read`] finds it in a text.
//!
//! Three shapes are read: a fenced YAML block, an outline with one heading per child, a table with one row per child.
//! HTML comments, block quotes and fences that are no whole plan add nothing. Work is linear in the text.

mod assemble;
mod block;
mod body;
mod common;
mod covers;
mod draft;
mod graph;
mod issues;
mod names;
mod outline;
mod references;
mod table;
mod yaml;
mod yaml_print;

pub use assemble::requirements;
pub use covers::covers;
pub use issues::{IssueChild, of_issues};

use crate::domain::ids::{IssueNumber, Language};
use crate::domain::text::Document;
use names::Names;
use std::ops::Range;

/// What a parent is to become.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// How it was written.
    pub shape: PlanShape,
    /// The children, in the plan's order.
    pub children: Vec<PlannedChild>,
    /// Which children answer for which requirement of the parent, in the order in which they are first named.
    pub requirements: Vec<MappedRequirement>,
    /// What code alone knows to be wrong with it.
    pub defects: Vec<PlanDefect>,
}

/// How a plan was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlanShape {
    /// A YAML block with `children`.
    Yaml,
    /// One heading per child.
    Outline,
    /// One row per child.
    Table,
    /// Issues that are there already.
    Issues,
}

/// One child of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedChild {
    /// Its place in the plan, from 0.
    pub index: usize,
    /// What a person calls it: `子1`, `Child 1`, `#26`; `children[0]` in YAML.
    pub label: String,
    /// Its number, where it is an issue already.
    pub number: Option<IssueNumber>,
    /// Its title, one line.
    pub title: String,
    /// Markdown with the contract's own headings, as it would be filed.
    pub body: String,
    /// The children that it waits for: valid indices only, each once, in order, never its own.
    pub blocked_by: Vec<usize>,
    /// Ids (`R-2`) or words of the parent's requirements that it answers for.
    pub covers: Vec<String>,
    /// Where the child stands in the text that was read, as a byte range: its heading, row or title; none for issues.
    pub place: Option<Range<usize>>,
}

/// A requirement of the parent with the children that answer for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MappedRequirement {
    /// Its id or words, as written.
    pub parent_requirement: String,
    /// Indices of children, ascending.
    pub children: Vec<usize>,
}

/// What code alone can know to be wrong with a plan: it is returned, whatever else it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanDefect {
    /// A child waits for itself.
    SelfDependency {
        /// Its index.
        child: usize,
    },
    /// A dependency names no child of the plan.
    BadIndex {
        /// The index of the child that waits.
        child: usize,
        /// What it names.
        written: String,
    },
    /// Two children have the same number in an outline or a table; the first one keeps it.
    DuplicateNumber {
        /// The index of the second.
        child: usize,
        /// The number, as written.
        written: String,
    },
    /// `requirements_map` names a child that is none.
    BadRequirementIndex {
        /// The requirement.
        parent_requirement: String,
        /// What it names.
        written: String,
    },
}

/// What is wrong with a YAML block that was meant as a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanProblem {
    /// Line in the text that was read, from 1.
    pub line: u32,
    /// What was expected there.
    pub kind: PlanProblemKind,
}

/// Kinds of [`PlanProblem`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanProblemKind {
    /// It is no YAML of the expected shape; the reader's own words, in one line.
    Syntax(String),
    /// A child has no title.
    NoTitle {
        /// Its index.
        child: usize,
    },
    /// A child has no body.
    NoBody {
        /// Its index.
        child: usize,
    },
}

/// What a text holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Read {
    /// No plan.
    None,
    /// One whole plan.
    Plan(Box<Plan>),
    /// So many whole plans: a person says which is meant.
    Several(usize),
    /// A block that is meant as a plan and can't be read.
    Broken(Vec<PlanProblem>),
}

/// A field of a child, as the contract names it.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct PlanField {
    /// The heading.
    pub name: String,
    /// Other names that count.
    pub aliases: Vec<String>,
    /// The prefix of its items' numbers, such as `AC`.
    pub numbered: Option<String>,
}

/// Finds the plan in a text.
///
/// `fields` are those of a child, in the contract's order; without any, the names of the built-in contracts count. The
/// language says how children of a table are called.
#[must_use]
pub fn read(text: &str, fields: &[PlanField], language: Language) -> Read {
    read_document(&Document::parse(text), fields, language)
}

/// [`read`] for a text that is parsed already.
#[must_use]
pub fn read_document(document: &Document, fields: &[PlanField], language: Language) -> Read {
    let names = Names::of(fields, language);
    let blocks = yaml::blocks(document);
    let outlines = outline::outlines(document, &names);
    let tables = table::tables(document, &names, language, &outlines);
    let whole = blocks.plans.len() + outlines.len() + tables.whole.len();
    if whole > 1 {
        return Read::Several(whole);
    }
    if let Some(block) = blocks.plans.first() {
        return Read::Plan(Box::new(yaml::plan(document, block, &names)));
    }
    if let Some(found) = outlines.into_iter().next() {
        let plan = assemble::plan(document, &names, PlanShape::Outline, found, &tables.slight);
        return Read::Plan(Box::new(plan));
    }
    if !blocks.problems.is_empty() && tables.whole.is_empty() {
        return Read::Broken(blocks.problems);
    }
    let slight = tables.slight.len();
    match (tables.whole.into_iter().next(), slight) {
        (Some(found), _) => {
            Read::Plan(Box::new(assemble::plan(document, &names, PlanShape::Table, found, &tables.slight)))
        }
        (None, 0) => Read::None,
        (None, 1) => {
            let found = tables.slight.into_iter().next().unwrap_or_default();
            Read::Plan(Box::new(assemble::plan(document, &names, PlanShape::Table, found, &[])))
        }
        (None, several) => Read::Several(several),
    }
}

impl Plan {
    /// The cycles of its dependencies, one for each group of children that wait for each other, and one for each child
    /// that waits for itself. Each is a path of indices: the first waits for the second and so on, the last is the first.
    #[must_use]
    pub fn cycles(&self) -> Vec<Vec<usize>> {
        let own = self.defects.iter().filter_map(|defect| match defect {
            PlanDefect::SelfDependency { child } => Some(vec![*child, *child]),
            _ => None,
        });
        let edges: Vec<&[usize]> = self.children.iter().map(|child| child.blocked_by.as_slice()).collect();
        own.chain(graph::cycles(&edges)).collect()
    }

    /// The plan as YAML: [`read`] gives the same children, dependencies and requirements back.
    #[must_use]
    pub fn yaml(&self) -> String {
        yaml_print::print(self)
    }
}

#[cfg(test)]
mod tests;
