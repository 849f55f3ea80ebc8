//! The keys that a hand-off contract's maps know. A profile of another origin is brought down to these before it is read.

/// The file.
pub(super) const ROOT: [&str; 12] = [
    "version",
    "kind",
    "language",
    "budgets",
    "phases",
    "templates",
    "split_criteria",
    "gates",
    "enabled_gates",
    "trusted_apps",
    "notify",
    "extends",
];
/// `budgets`.
pub(super) const BUDGETS: [&str; 1] = ["max_iterations_per_gate"];
/// An entry of `phases`.
pub(super) const PHASE: [&str; 2] = ["name", "receives"];
/// A phase's `receives`.
pub(super) const RECEIVES: [&str; 3] = ["waiting_level", "too_abstract_signals", "too_concrete_signals"];
/// A signal of a phase.
pub(super) const SIGNAL: [&str; 7] = ["id", "text", "same_as", "except", "detect", "lack", "absence"];
/// A signal of a set.
pub(super) const SET_SIGNAL: [&str; 8] = ["id", "text", "same_as", "except", "detect", "lack", "absence", "side"];
/// `templates`: the lists of required fields, in the order of the road.
pub(super) const LISTS: [&str; 3] =
    ["parent_issue_required_fields", "child_issue_required_fields", "report_required_fields"];
/// A required field.
pub(super) const FIELD: [&str; 5] = ["name", "aliases", "means", "type", "numbered"];
/// `split_criteria`.
pub(super) const SPLIT: [&str; 2] = ["good_task_conditions", "always_separate"];
/// An entry of `gates`.
pub(super) const GATE: [&str; 12] = [
    "phase",
    "fields",
    "label",
    "model",
    "escalate_to",
    "panel",
    "stops_first",
    "rejudge_on_edit",
    "mode",
    "open_to",
    "on_low_pass",
    "set_signals",
];
