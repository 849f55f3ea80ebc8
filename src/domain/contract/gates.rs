//! `gates:` — which gates there are, what triggers them and how they act.

use super::keys::{GATE, LISTS};
use super::lints;
use super::model::{Gate, Mode, OnLowPass, OpenTo, RejudgeOnEdit, Side, SplitCriteria, Templates};
use super::phases::{Phases, SameTexts, Sides, SignalAt, signals, unique};
use super::report::{At, Report};
use super::shape::{Keys, did_you_mean, one_of};
use super::templates::fields;
use super::tree::{Comments, Entry, Node, Value, short};
use crate::domain::ids::GateId;
use std::collections::HashMap;

/// More criteria than this at one gate are a mistake (chapter 10).
const MAX_CRITERIA: usize = 200;

/// Labels that the App sets itself, beside `-passed`, `-returned` and `-stale`; a trigger among them would run in circles.
const OWN_LABELS: [&str; 3] = ["gate:triage", "gate:pause", "gate:child"];

/// What the gates refer to.
pub(super) struct Around<'n> {
    pub phases: &'n Phases,
    pub templates: &'n Templates,
    pub split: &'n SplitCriteria,
    pub comments: &'n Comments,
    pub known: &'n SameTexts,
    /// Where the file says what it extends: there it declares the gates that it only inherits.
    pub extends: Option<At>,
}

/// The gates that could be read.
#[derive(Default)]
pub(super) struct Gates {
    pub list: Vec<Gate>,
    /// Where each is declared, those that could not be read too.
    pub declared: Vec<Declared>,
    places: HashMap<GateId, At>,
    /// All set signals, with what their gates do not keep of them.
    pub set_signals: Vec<SignalAt>,
}

/// Reads the map of gates.
pub(super) fn gates(node: &Node, around: &Around<'_>, report: &mut Report<'_>) -> Gates {
    let mut read = Gates::default();
    // A gate that could not be read may be the one that uses a phase.
    let mut gaps = false;
    let mut labels: HashMap<String, At> = HashMap::new();
    let Some(map) = report.map(node, "`gates`") else { return read };
    if map.iter().next().is_none() {
        report.error("empty", node.at, "`gates` declares no gate", "at least one gate");
    }
    for entry in map.iter() {
        let Some(id) = gate_id(&entry.key, entry.at, report) else {
            gaps = true;
            continue;
        };
        if let Some(first) = read.places.get(&id) {
            let message = format!("the gate {id} is declared already in {}", report.place(*first, entry.at));
            report.error("duplicate-gate", entry.at, message, "each gate once (`intake` is acceptance)");
            continue;
        }
        read.places.insert(id, entry.at);
        let at = around.extends.filter(|_| entry.at.file != report.file()).unwrap_or(entry.at);
        read.declared.push(Declared::new(id, at, report.source(at)));
        let Some((gate, set_signals)) = gate(id, entry, around, report) else {
            gaps = true;
            continue;
        };
        let at = label_at(entry);
        if let Some(first) = labels.insert(gate.label.to_lowercase(), at) {
            let place = report.place(first, at);
            let message = format!("the label `{}` triggers the gate of {place} already", short(&gate.label));
            report.error("duplicate-label", at, message, "a label of its own for each gate");
        }
        read.list.push(gate);
        read.set_signals.extend(set_signals);
    }
    for (index, phase) in around.phases.list.iter().enumerate() {
        let users: Vec<GateId> = read.list.iter().filter(|gate| gate.phase == index).map(|gate| gate.id).collect();
        lints::about_a_set(phase.signals.iter().map(SignalAt::pair), &users, report);
        if !gaps && users.is_empty() {
            let message = format!("no gate uses the phase `{}`", short(&phase.phase.name));
            report.warning("unused-phase", phase.at, message, "a gate with this `phase`");
        }
    }
    read
}

/// Reads `enabled_gates`: gates outside the list are not judged. Without the key all are.
pub(super) fn enable(node: &Node, gates: &mut Gates, report: &mut Report<'_>) {
    let Some(items) = report.list(node, "`enabled_gates`") else { return };
    let mut enabled: HashMap<GateId, At> = HashMap::new();
    for item in items {
        let Some(text) = report.text(item, "an item of `enabled_gates`") else { continue };
        let Some(id) = gate_id(&text, item.at, report) else { continue };
        if gates.declared.is_empty() {
            // None could be read, and that was said.
        } else if !gates.declared.iter().any(|declared| declared.gate == id) {
            let declared = gates.declared.iter().map(|known| known.gate.as_str());
            let message = format!("the gate {id} is enabled but not declared in this file");
            report.error("unknown-gate", item.at, message, one_of(declared));
        } else if let Some(first) = enabled.get(&id) {
            let message = format!("the gate {id} is enabled already in {}", report.place(*first, item.at));
            report.warning("duplicate-entry", item.at, message, "each gate once");
        } else {
            enabled.insert(id, item.at);
        }
    }
    for gate in &mut gates.list {
        gate.enabled = enabled.contains_key(&gate.id);
        let at = gates.places.get(&gate.id).copied().unwrap_or_default();
        // The list of a base does not know what a file adds to it.
        if !gate.enabled && at.file == report.file() && node.at.file != at.file {
            let message = format!("the gate {} is not in the `enabled_gates` of what this file extends", gate.id);
            report.notice("not-enabled", at, message, "an `enabled_gates` of this file, to judge at it");
        }
    }
}

fn gate_id(text: &str, at: At, report: &mut Report<'_>) -> Option<GateId> {
    let id = text.parse::<GateId>().ok().filter(|id| GateId::HANDOFF.contains(id));
    if id.is_none() && report.is_full() {
        report.drop_one();
    } else if id.is_none() {
        let names = || GateId::HANDOFF.into_iter().map(GateId::as_str);
        let message = format!("there is no hand-off gate `{}`{}", short(text), did_you_mean(text, names()));
        report.error("unknown-gate", at, message, one_of(names()));
    }
    id
}

fn gate(id: GateId, entry: &Entry, around: &Around<'_>, report: &mut Report<'_>) -> Option<(Gate, Vec<SignalAt>)> {
    let map = report.keys(&entry.value, &format!("the gate {id}"), &GATE)?;
    let phase = phase(id, map, entry, around, report);
    let gate_fields = match map.get("fields") {
        Some(node) => required_fields(node, around, report),
        None => default_list(id).and_then(|name| around.templates.list(name)).unwrap_or_default().to_vec(),
    };
    let sides = [("too_abstract", Side::TooAbstract), ("too_concrete", Side::TooConcrete)];
    let edits =
        [("never", RejudgeOnEdit::Never), ("returned", RejudgeOnEdit::Returned), ("always", RejudgeOnEdit::Always)];
    let acting = [("enforce", Mode::Enforce), ("observe", Mode::Observe)];
    let open = [("triage", OpenTo::Triage), ("anyone", OpenTo::Anyone)];
    let low = [("triage", OnLowPass::Triage), ("pass_with_note", OnLowPass::PassWithNote)];
    let set_signals = map.get("set_signals").map_or_else(Vec::new, |node| {
        let set = signals(node, "set_signals", Sides::Default(Side::TooAbstract), around.known, report);
        if id != GateId::Split && !set.is_empty() {
            let message = format!("the gate {id} judges one text, so its `set_signals` are never asked");
            report.warning("set-signals", node.at, message, "`set_signals` at the gate split");
        } else {
            lints::about_one(set.iter().map(SignalAt::pair), report);
        }
        set
    });
    if let Some(index) = phase {
        let phase = &around.phases.list[index];
        if !set_signals.is_empty() {
            unique(phase.signals.iter().chain(&set_signals), report);
        }
        let meanings = gate_fields.iter().filter(|field| field.means.is_some()).count();
        let conditions = if id == GateId::Split { around.split.good_task_conditions.len() } else { 0 };
        let criteria = phase.signals.len() + set_signals.len() + meanings + conditions;
        if criteria > MAX_CRITERIA {
            let message = format!("the gate {id} asks {criteria} criteria");
            report.error("too-many-criteria", entry.at, message, format!("at most {MAX_CRITERIA}"));
        }
    }
    let tier = |key, report: &mut Report<'_>| map.get(key).and_then(|node| report.text(node, &format!("`{key}`")));
    let (model, escalate_to) = (tier("model", report), tier("escalate_to", report));
    if let (Some(tier), true, Some(node)) = (&model, model == escalate_to, map.get("escalate_to")) {
        let message = format!("the gate {id} goes from `{}` to itself", short(tier));
        report.warning("same-tier", node.at, message, "a tier above, or no `escalate_to`");
    }
    let panel = map.get("panel").and_then(|node| report.integer(node, "`panel`", &(1..=2), "wrong-value")).unwrap_or(1);
    if let (2.., None, Some(node)) = (panel, &model, map.get("panel")) {
        let message = format!("the gate {id} wants two opinions and names no `model`");
        report.warning("panel", node.at, message, "a tier in `model`, to which two models are mapped");
    }
    let gate = Gate {
        id,
        phase: phase?,
        fields: gate_fields,
        label: map.get("label").map_or_else(|| Some(format!("gate:{id}")), |node| label(node, report))?,
        model,
        escalate_to,
        panel,
        stops_first: choice(map, "stops_first", &sides, Side::TooAbstract, report),
        rejudge_on_edit: choice(map, "rejudge_on_edit", &edits, RejudgeOnEdit::default(), report),
        mode: choice(map, "mode", &acting, Mode::default(), report),
        open_to: choice(map, "open_to", &open, OpenTo::default(), report),
        on_low_pass: choice(map, "on_low_pass", &low, OnLowPass::default(), report),
        set_signals: set_signals.iter().map(|read| read.signal.clone()).collect(),
        enabled: true,
    };
    Some((gate, set_signals))
}

/// A choice, or its default; a wrong one is reported and then stands for nothing.
fn choice<T: Copy>(map: Keys<'_>, key: &str, choices: &[(&str, T)], default: T, report: &mut Report<'_>) -> T {
    let read = map.get(key).and_then(|node| report.choice(node, &format!("`{key}`"), choices));
    read.unwrap_or(default)
}

fn phase(id: GateId, map: Keys<'_>, entry: &Entry, around: &Around<'_>, report: &mut Report<'_>) -> Option<usize> {
    let names = || around.phases.list.iter().map(|phase| phase.phase.name.as_str());
    let Some(node) = map.get("phase") else {
        report.error("missing-phase", entry.at, format!("the gate {id} has no `phase`"), one_of(names()));
        return None;
    };
    let name = report.text(node, "`phase`")?;
    let index = names().position(|known| known == name);
    if index.is_none() && !around.phases.gaps {
        let message = format!("there is no phase `{}`{}", short(&name), did_you_mean(&name, names()));
        report.error("missing-phase", node.at, message, one_of(names()));
    }
    index
}

fn required_fields(node: &Node, around: &Around<'_>, report: &mut Report<'_>) -> Vec<super::model::Field> {
    if let Value::List(_) = node.value {
        return fields(node, "fields", around.comments, report);
    }
    let Some(name) = report.text(node, "`fields`") else { return Vec::new() };
    let list = around.templates.list(&name);
    if list.is_none() {
        let message = format!("there is no list of fields `{}`{}", short(&name), did_you_mean(&name, LISTS));
        report.error("wrong-value", node.at, message, format!("{}, or a list of fields", one_of(LISTS)));
    }
    list.unwrap_or_default().to_vec()
}

/// Which list a gate's preflight checks where the contract does not say (chapter 3).
pub(super) fn default_list(gate: GateId) -> Option<&'static str> {
    match gate {
        GateId::Acceptance => Some(LISTS[0]),
        GateId::Split | GateId::Start => Some(LISTS[1]),
        GateId::Outcome => Some(LISTS[2]),
        _ => None,
    }
}

fn label(node: &Node, report: &mut Report<'_>) -> Option<String> {
    let label = report.text(node, "`label`")?;
    if label.chars().count() > 50 {
        report.error("wrong-value", node.at, "GitHub takes no label of this length", "at most 50 characters");
        return None;
    }
    let lower = label.to_lowercase();
    let result = lower
        .strip_prefix("gate:")
        .and_then(|rest| rest.rsplit_once('-'))
        .is_some_and(|(gate, end)| gate.parse::<GateId>().is_ok() && matches!(end, "passed" | "returned" | "stale"));
    if result || OWN_LABELS.contains(&lower.as_str()) {
        let message = format!("the App sets the label `{label}` itself");
        report.error("wrong-value", node.at, message, "a label that only people set");
        return None;
    }
    Some(label)
}

fn label_at(entry: &Entry) -> At {
    let Value::Map(entries) = &entry.value.value else { return entry.at };
    entries.iter().find(|inner| inner.key == "label").map_or(entry.at, |inner| inner.value.at)
}

/// Where a file declares a gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// The gate.
    pub gate: GateId,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// The line as a problem shows it.
    pub source: String,
}

impl Declared {
    fn new(gate: GateId, at: At, source: String) -> Self {
        Self { gate, line: at.line, column: at.column, source }
    }
}
