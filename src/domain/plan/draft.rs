//! A child while its plan is being read.

use std::ops::Range;

/// A child as an outline or a table states it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Draft {
    /// Its number in the plan.
    pub(super) number: Option<u32>,
    /// What a person calls it.
    pub(super) label: String,
    /// Its title, as written; empty = the purpose is the title.
    pub(super) title: String,
    /// Values of fields, by their place among the names.
    pub(super) values: Vec<Option<String>>,
    /// Names that the contract does not have, with their texts.
    pub(super) extras: Vec<(String, String)>,
    /// What it says of dependencies, each as written.
    pub(super) depends: Vec<String>,
    /// What stands under no name.
    pub(super) lead: String,
    /// Where it stands.
    pub(super) place: Range<usize>,
}

/// The children of a plan before they are put together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// In order.
    pub(super) children: Vec<Draft>,
    /// Values that hold for every child, found among the children.
    pub(super) common: Vec<(usize, String)>,
    /// Stretches of the text that belong to children, in order.
    pub(super) ranges: Vec<Range<usize>>,
}
