//! The map of a hand-off contract becomes a [`Contract`]: every key is read, whatever is wrong with the others.

use super::gates::{Around, Declared, Gates, enable, gates};
use super::keys::{BUDGETS, SPLIT};
use super::lints;
use super::model::{Contract, Origin, SplitCriteria, Templates};
use super::phases::{Phases, SameTexts, SignalAt, phases};
use super::print::{blob, print};
use super::report::{At, Report};
use super::shape::Keys;
use super::slug::heading;
use super::templates::templates;
use super::tree::{Comments, Entry, Node, Value, short};
use crate::domain::ids::{BlobHash, Language};
use std::collections::HashSet;

/// Returns at one gate before triage, where a contract says nothing.
const DEFAULT_ITERATIONS: u32 = 3;

/// What a file stands on.
#[derive(Clone, Copy)]
pub(super) enum Ground<'c> {
    /// Nothing: it is whole.
    Bare,
    /// Something that can't be used; what it would bring is not missed as well.
    Broken,
    /// This contract.
    Contract(&'c Contract),
}

/// A map to read, laid over that of its base.
pub(super) struct Reading<'n> {
    pub root: &'n Node,
    pub comments: &'n Comments,
    /// What plain strings take over by their text.
    pub known: &'n SameTexts,
    pub ground: Ground<'n>,
    /// Where the file says what it extends.
    pub extends: Option<At>,
}

/// What was read.
#[derive(Default)]
pub(super) struct Document {
    /// None where anything is wrong.
    pub contract: Option<Contract>,
    /// Where its gates are declared.
    pub declared: Vec<Declared>,
    /// What its signals hold for other wordings.
    pub same_texts: SameTexts,
}

/// Reads a hand-off contract's map.
pub(super) fn document(reading: &Reading<'_>, origin: Origin, report: &mut Report<'_>) -> Document {
    let mut document = Document::default();
    let Some(map) = report.map(reading.root, "a contract") else { return document };
    if let Some(node) = map.get("version") {
        report.integer(node, "`version`", &(1..=1), "wrong-value");
    }
    let max_iterations_per_gate = budgets(map, report);
    let required = |key, report: &mut Report<'_>| match reading.ground {
        Ground::Broken => map.get(key),
        _ => report.required(map, key, "a contract"),
    };
    let mut phases = required("phases", report)
        .map_or_else(|| Phases { gaps: true, ..Phases::default() }, |node| phases(node, reading.known, report));
    phases.gaps |= matches!(reading.ground, Ground::Broken);
    let comments = reading.comments;
    let templates = map.get("templates").map_or_else(Templates::default, |node| templates(node, comments, report));
    let split_criteria = map.get("split_criteria").map_or_else(SplitCriteria::default, |node| split(node, report));
    let mut gates = required("gates", report).map_or_else(Gates::default, |node| {
        let extends = reading.extends;
        let around = Around {
            phases: &phases,
            templates: &templates,
            split: &split_criteria,
            comments,
            known: reading.known,
            extends,
        };
        gates(node, &around, report)
    });
    if let Some(node) = map.get("enabled_gates").filter(|_| !matches!(reading.ground, Ground::Broken)) {
        enable(node, &mut gates, report);
    }
    if let Ground::Contract(base) = reading.ground {
        kept_fields(base, map, &gates, reading.extends.unwrap_or(map.at), report);
    }
    let trusted_apps = names(map, "trusted_apps", report);
    let notify = names(map, "notify", report);
    let languages = [("ja", Language::Ja), ("en", Language::En)];
    let language = map.get("language").and_then(|node| report.choice(node, "`language`", &languages));
    let signals = || phases.list.iter().flat_map(|phase| &phase.signals).chain(&gates.set_signals);
    for (text, same) in signals().flat_map(SignalAt::same_texts) {
        document.same_texts.entry(text).or_insert(same);
    }
    if !report.has_errors() {
        lints::undetected(signals().map(SignalAt::pair), report);
    }
    document.declared = gates.declared;
    if report.has_errors() {
        return document;
    }
    let mut contract = Contract {
        origin,
        blob: BlobHash::new(""),
        language,
        max_iterations_per_gate,
        phases: phases.list.into_iter().map(|phase| phase.phase).collect(),
        templates,
        split_criteria,
        gates: gates.list,
        trusted_apps,
        notify,
    };
    contract.blob = blob(&print(&contract));
    document.contract = Some(contract);
    document
}

/// A field can be added, not removed (chapter 2): a gate of a base asks at least for what it asked there.
fn kept_fields(base: &Contract, map: Keys<'_>, gates: &Gates, extends: At, report: &mut Report<'_>) {
    for before in &base.gates {
        let Some(gate) = gates.list.iter().find(|gate| gate.id == before.id) else { continue };
        let headings: HashSet<String> = gate.fields.iter().map(|field| heading(&field.name)).collect();
        for field in before.fields.iter().filter(|field| !headings.contains(&heading(&field.name))) {
            let at = fields_at(map, gate.id.as_str()).unwrap_or(extends);
            let message =
                format!("the gate {} loses the field `{}` of what this file extends", gate.id, short(&field.name));
            report.error("field-removed", at, message, "a list that holds it; fields can be added, not removed");
        }
    }
}

/// Where a gate names its fields.
fn fields_at(map: Keys<'_>, gate: &str) -> Option<At> {
    let entries = |node: &Node| if let Value::Map(entries) = &node.value { Some(entries.clone()) } else { None };
    let found = |entries: Vec<Entry>, key: &str| {
        entries.into_iter().find(|entry| entry.key == key || (key == "acceptance" && entry.key == "intake"))
    };
    let gate = found(entries(map.get("gates")?)?, gate)?;
    found(entries(&gate.value)?, "fields").map(|entry| entry.value.at)
}

fn budgets(map: Keys<'_>, report: &mut Report<'_>) -> u32 {
    let budgets = map.get("budgets").and_then(|node| report.keys(node, "`budgets`", &BUDGETS));
    let read = budgets
        .and_then(|budgets| budgets.get("max_iterations_per_gate"))
        .and_then(|node| report.integer(node, "`max_iterations_per_gate`", &(1..=20), "budget"));
    read.unwrap_or(DEFAULT_ITERATIONS)
}

fn split(node: &Node, report: &mut Report<'_>) -> SplitCriteria {
    let Some(map) = report.keys(node, "`split_criteria`", &SPLIT) else { return SplitCriteria::default() };
    let mut list =
        |key: &str| map.get(key).and_then(|node| report.texts(node, &format!("`{key}`"))).unwrap_or_default();
    SplitCriteria { good_task_conditions: list("good_task_conditions"), always_separate: list("always_separate") }
}

/// Logins, `org/team`s and Apps, without the marks that people put around them.
fn names(map: Keys<'_>, key: &str, report: &mut Report<'_>) -> Vec<String> {
    let Some(node) = map.get(key) else { return Vec::new() };
    let mut names: Vec<String> = Vec::new();
    let mut seen = HashSet::new();
    for item in report.list(node, &format!("`{key}`")).unwrap_or_default() {
        let Some(text) = report.text(item, &format!("an item of `{key}`")) else { continue };
        let name = text.strip_prefix('@').unwrap_or(&text);
        let name = name.strip_suffix("[bot]").unwrap_or(name);
        let part = |part: &str| {
            !part.is_empty()
                && part.len() <= 100
                && part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
        };
        let teams = key == "notify";
        let valid = part(name) || (teams && name.split_once('/').is_some_and(|(org, team)| part(org) && part(team)));
        if !valid {
            let expected = if teams { "a login, or org/team" } else { "the slug of a GitHub App" };
            report.error("wrong-value", item.at, format!("`{}` is no name on GitHub", short(&text)), expected);
        } else if seen.insert(name.to_ascii_lowercase()) {
            names.push(name.to_owned());
        } else {
            let message = format!("`{name}` stands in `{key}` twice");
            report.warning("duplicate-entry", item.at, message, "each name once");
        }
    }
    names
}
