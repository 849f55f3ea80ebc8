//! Profiles of the public `tasuki` plugin (chapter 2): no `kind`, `gates` as a list, keys that nobody here asks for. They are
//! brought to the shape of a contract, with a notice for what is left out; then they are read like any other.

use super::keys::{BUDGETS, FIELD, GATE, LISTS, PHASE, RECEIVES, ROOT, SPLIT};
use super::report::{At, Report};
use super::shape::{Keys, did_you_mean, nearest, one_of};
use super::tree::{Entry, Node, Value, short};
use std::collections::BTreeMap;

/// Whether a file without `kind` is such a profile: by its list of gates, or by the place where the plugin keeps it.
pub(super) fn is_profile(path: &str, map: Keys<'_>) -> bool {
    let place = |name: &str| path == name || path.strip_suffix(name).is_some_and(|folder| folder.ends_with('/'));
    match map.get("gates").map(|node| &node.value) {
        Some(Value::List(_)) => true,
        Some(_) => place(".tasuki/profile.yaml") || place(".tasuki/profile.yml"),
        None => map.get("phases").is_some() && (place(".tasuki/profile.yaml") || place(".tasuki/profile.yml")),
    }
}

/// Keys that profiles have and this reader does not use. Any other unknown key may be a slip, and is shown by itself.
const UNUSED: [&str; 26] = [
    "profile",
    "worker_agent",
    "preship_review",
    "model_selection",
    "question_routing",
    "max_inner_loop",
    "wip_limit_prs",
    "stale_assignment_minutes",
    "hands_off",
    "from",
    "pr_required_fields",
    "parent_pr_required_fields",
    "reviewer",
    "preflight",
    "criteria_skills",
    "provider",
    "providers",
    "blocking_threshold",
    "description",
    "name",
    "return_to",
    "action",
    "command",
    "when",
    "to",
    "enabled",
];

/// Brings a profile's map to the shape of a contract.
pub(super) fn translate(root: Node, report: &mut Report<'_>) -> Node {
    let message = "the file has no `kind` and the shape of a tasuki profile, so it is read as one";
    report.notice("tasuki", report.whole(), message, "kind: handoff, where it is to be read strictly");
    let mut unused = Unused::default();
    let root = strip(root, "", &ROOT, &mut unused, report);
    let mut mechanical = BTreeMap::new();
    let root = each(
        root,
        |entry, report| {
            let value = entry.value;
            let value = match entry.key.as_str() {
                "budgets" => strip(value, "budgets.", &BUDGETS, &mut unused, report),
                "split_criteria" => strip(value, "split_criteria.", &SPLIT, &mut unused, report),
                "templates" => templates(value, &mut unused, report),
                "phases" => phases(value, &mut unused, report),
                "gates" => gates(value, &mut mechanical, &mut unused, report),
                _ => value,
            };
            Entry { value, ..entry }
        },
        report,
    );
    unused.say(report);
    each(
        root,
        |entry, _| {
            let value = if entry.key == "enabled_gates" { without(entry.value, &mechanical) } else { entry.value };
            Entry { value, ..entry }
        },
        report,
    )
}

/// Keys that were left out, with the first place of each.
#[derive(Default)]
struct Unused(BTreeMap<String, (u32, u32, At)>);

impl Unused {
    fn take(&mut self, name: String, at: At) {
        self.0.entry(name).or_insert((at.line, at.column, at));
    }

    /// One notice for all of them.
    fn say(self, report: &mut Report<'_>) {
        let Some((.., first)) = self.0.values().min_by_key(|(line, column, _)| (*line, *column)) else { return };
        let names: Vec<&str> = self.0.keys().map(String::as_str).collect();
        let message = format!("keys of the profile that are not used here: {}", names.join(", "));
        report.notice("unused-key", *first, message, "");
    }
}

/// The map with every entry changed; anything else as it is.
fn each<'a>(node: Node, mut change: impl FnMut(Entry, &mut Report<'a>) -> Entry, report: &mut Report<'a>) -> Node {
    let Node { value, at } = node;
    let value = match value {
        Value::Map(entries) => Value::Map(entries.into_iter().map(|entry| change(entry, report)).collect()),
        other => other,
    };
    Node { value, at }
}

/// The list with every item changed or left out; anything else as it is.
fn items(node: Node, change: impl FnMut(Node) -> Option<Node>) -> Node {
    let Node { value, at } = node;
    let value = match value {
        Value::List(items) => Value::List(items.into_iter().filter_map(change).collect()),
        other => other,
    };
    Node { value, at }
}

/// The map with its known keys only.
fn strip(node: Node, path: &str, known: &[&str], unused: &mut Unused, report: &mut Report<'_>) -> Node {
    let Node { value, at } = node;
    let Value::Map(mut entries) = value else { return Node { value, at } };
    entries.retain(|entry| {
        let key = entry.key.as_str();
        if known.contains(&key) {
            return true;
        }
        if UNUSED.contains(&key) {
            unused.take(format!("{path}{key}"), entry.at);
        } else if report.is_full() {
            // Enough was said.
        } else if nearest(key, known.iter().copied()).is_some() {
            let message =
                format!("the key `{path}{}` is not used here{}", short(key), did_you_mean(key, known.iter().copied()));
            report.warning("unused-key", entry.at, message, one_of(known.iter().copied()));
        } else {
            let message = format!("the key `{path}{}` is not used here", short(key));
            report.notice("unused-key", entry.at, message, one_of(known.iter().copied()));
        }
        false
    });
    Node { value: Value::Map(entries), at }
}

fn templates(node: Node, unused: &mut Unused, report: &mut Report<'_>) -> Node {
    let node = strip(node, "templates.", &LISTS, unused, report);
    each(
        node,
        |entry, report| {
            let value = items(entry.value, |field| Some(strip(field, "a field's ", &FIELD, unused, report)));
            Entry { value, ..entry }
        },
        report,
    )
}

/// A phase that receives nothing is where work begins; no gate judges by it.
fn phases(node: Node, unused: &mut Unused, report: &mut Report<'_>) -> Node {
    items(node, |phase| {
        let phase = strip(phase, "phases[].", &PHASE, unused, report);
        let Value::Map(entries) = &phase.value else { return Some(phase) };
        let map = Keys::new(phase.at, entries);
        if let (Some(name), None) = (map.get("name"), map.get("receives")) {
            report.notice("skipped-phase", name.at, "this phase receives nothing, so it is left out", "`receives`");
            return None;
        }
        Some(each(
            phase,
            |entry, report| {
                let value = if entry.key == "receives" {
                    strip(entry.value, "phases[].receives.", &RECEIVES, unused, report)
                } else {
                    entry.value
                };
                Entry { value, ..entry }
            },
            report,
        ))
    })
}

/// The list of gates as a map by their ids. Mechanical gates are a matter of CI and left out.
fn gates(node: Node, mechanical: &mut BTreeMap<String, At>, unused: &mut Unused, report: &mut Report<'_>) -> Node {
    let Node { value, at } = node;
    let list = match value {
        Value::List(list) => list,
        Value::Map(entries) => {
            // Written as a map, each gate has its id as its key.
            let gates = entries.into_iter().filter_map(|entry| {
                let value = gate(entry.value, &entry.key, mechanical, unused, report)?;
                Some(Entry { value, ..entry })
            });
            let gates = gates.collect();
            skipped(mechanical, report);
            return Node { value: Value::Map(gates), at };
        }
        value => return Node { value, at },
    };
    let mut entries = Vec::new();
    let empty = list.is_empty();
    for item in list {
        let Some(map) = report.map(&item, "a gate") else { continue };
        let Some(node) = report.required(map, "id", "a gate") else { continue };
        let (id_at, Some(id)) = (node.at, report.text(node, "a gate's id")) else { continue };
        let Some(value) = gate(item, &id, mechanical, unused, report) else { continue };
        entries.push(Entry { key: id, at: id_at, value });
    }
    skipped(mechanical, report);
    // Where no gate could be read, that was said of each; the list as a whole is not empty.
    let broken = entries.is_empty() && mechanical.is_empty() && !empty;
    Node { value: if broken { Value::Broken } else { Value::Map(entries) }, at }
}

/// One gate without what only a profile says of it; none where it is mechanical.
fn gate(
    node: Node,
    id: &str,
    mechanical: &mut BTreeMap<String, At>,
    unused: &mut Unused,
    report: &mut Report<'_>,
) -> Option<Node> {
    let Node { value, at } = node;
    let Value::Map(mut entries) = value else { return Some(Node { value, at }) };
    let kind = entries.iter().position(|entry| entry.key == "kind").map(|index| entries.remove(index));
    entries.retain(|entry| entry.key != "id");
    if let Some(kind) = kind {
        let kinds = [("abstraction", false), ("mechanical", true)];
        if report.choice(&kind.value, "a gate's `kind`", &kinds) == Some(true) {
            mechanical.insert(id.to_owned(), at);
            return None;
        }
    }
    Some(strip(Node { value: Value::Map(entries), at }, "gates[].", &GATE, unused, report))
}

fn skipped(mechanical: &BTreeMap<String, At>, report: &mut Report<'_>) {
    let Some(first) = mechanical.values().min_by_key(|at| (at.line, at.column)) else { return };
    let names = mechanical.keys().take(20).map(|name| short(name)).collect::<Vec<_>>().join(", ");
    let message = format!("mechanical gates are left to CI, here and in `enabled_gates`: {names}");
    report.notice("skipped-gate", *first, message, "");
}

/// The list without these ids.
fn without(node: Node, ids: &BTreeMap<String, At>) -> Node {
    items(node, |item| match &item.value {
        Value::Text(id) if ids.contains_key(id.trim()) => None,
        _ => Some(item),
    })
}
