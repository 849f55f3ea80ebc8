//! One file's bytes become a [`Loaded`]: a contract, or all that keeps it from being one.

use super::gates::{Around, Declared, enable, gates};
use super::model::{Contract, Origin, SplitCriteria, Templates};
use super::phases::{Phases, SameTexts, phases};
use super::print::{blob, print};
use super::problem::{Problem, Severity};
use super::report::{At, Report};
use super::shape::{Keys, did_you_mean, nearest, one_of};
use super::tasuki;
use super::templates::templates;
use super::tree::{Node, Tree, Value, parse, short};
use crate::domain::ids::{BlobHash, CommitSha, Language};

/// A contract file is at most this long (chapter 2).
pub const MAX_BYTES: usize = 256 * 1024;

/// Returns at one gate before triage, where a contract says nothing.
const DEFAULT_ITERATIONS: u32 = 3;

const KEYS: [&str; 10] = [
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
];
const MORE_KEYS: [&str; 2] = ["notify", "extends"];

/// What a contract file is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The hand-off gates of chapter 3.
    Handoff,
    /// The six-field diagnosis (chapter 6).
    Diagnosis,
    /// The layered critic (chapter 5).
    Critic,
    /// The review of change proposals (chapter 7).
    Openspec,
}

impl Kind {
    const ALL: [Self; 4] = [Self::Handoff, Self::Diagnosis, Self::Critic, Self::Openspec];

    /// The word that `kind:` holds.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Handoff => "handoff",
            Self::Diagnosis => "diagnosis",
            Self::Critic => "critic",
            Self::Openspec => "openspec",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// One file, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// The file, as it was named.
    pub path: String,
    /// What it says it is, also where it does not parse: a broken contract is never passed over in favour of another.
    pub kind: Option<Kind>,
    /// The contract: only where the file is a hand-off contract without an error.
    pub contract: Option<Contract>,
    /// Everything found, in the file's order.
    pub problems: Vec<Problem>,
    /// The gates that it declares, in the file's order.
    pub declared: Vec<Declared>,
}

impl Loaded {
    /// Whether it can't be used.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.problems.iter().any(|problem| problem.severity == Severity::Error)
    }
}

/// Reads one contract file; plain-string signals take over what `known` holds for their text.
pub(super) fn load_with(path: &str, bytes: &[u8], commit: Option<CommitSha>, known: &SameTexts) -> Loaded {
    let unreadable = |id, message: String, expected: &str, at| {
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(MAX_BYTES)]);
        let mut report = Report::new(path, &text);
        report.error(id, at, message, expected);
        let kind = told_kind(&text);
        Loaded { path: path.to_owned(), kind, contract: None, problems: report.finish(), declared: Vec::new() }
    };
    if bytes.len() > MAX_BYTES {
        let message = format!("the file has {} bytes", bytes.len());
        return unreadable("too-large", message, "at most 262144 bytes (256 KiB)", At::FILE);
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let valid = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            let line = valid.matches('\n').count() + 1;
            let column = valid.rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1;
            let at = At { line: u32::try_from(line).unwrap_or(0), column: u32::try_from(column).unwrap_or(0) };
            return unreadable("not-utf8", "the file is not UTF-8 from here on".to_owned(), "UTF-8", at);
        }
    };
    let mut report = Report::new(path, text);
    let tree = parse(text, &mut report);
    let mut loaded =
        Loaded { path: path.to_owned(), kind: None, contract: None, problems: Vec::new(), declared: Vec::new() };
    if tree.root.is_none() && report.has_errors() {
        loaded.kind = told_kind(text);
    } else if let Some(root) = handoff(&tree, &mut loaded, &mut report) {
        let origin = Origin { path: path.to_owned(), commit };
        loaded.contract = document(root, &tree, origin, known, &mut loaded.declared, &mut report);
    } else {
        // Tags and the like are no errors in a file that is not ours.
        report.drop_errors();
    }
    loaded.problems = report.finish();
    loaded
}

/// What the text of a file that does not parse says it is: its `kind`, else a hand-off contract by its other keys.
fn told_kind(text: &str) -> Option<Kind> {
    if let Some(value) = text.lines().find_map(|line| line.strip_prefix("kind:")) {
        let word = value.split('#').next().unwrap_or_default().trim().trim_matches(['"', '\'']);
        return Kind::parse(word);
    }
    let ours = text.lines().any(|line| line.starts_with("gates:") || line.starts_with("phases:"));
    ours.then_some(Kind::Handoff)
}

/// The root of a hand-off contract; anything else is set aside with a notice.
fn handoff<'t>(tree: &'t Tree, loaded: &mut Loaded, report: &mut Report<'_>) -> Option<&'t Node> {
    let Some(root) = &tree.root else {
        report.notice("no-kind", At::FILE, "the file is empty, so it is ignored", "kind: handoff");
        return None;
    };
    let map = if let Value::Map(_) = root.value { report.map(root, "a contract") } else { None };
    let entry = map.and_then(|map| map.entry("kind"));
    let (Some(map), Some(entry)) = (map, entry) else {
        if map.is_some_and(tasuki::is_profile) {
            tasuki::notice(report);
        } else {
            report.notice(
                "no-kind",
                At::FILE,
                "the file has no `kind`, so it is no contract and ignored",
                "kind: handoff",
            );
        }
        return None;
    };
    let Value::Text(word) = &entry.value.value else {
        report.notice("no-kind", map.at, "the file's `kind` is no word, so the file is ignored", "kind: handoff");
        return None;
    };
    loaded.kind = Kind::parse(word);
    match loaded.kind {
        Some(Kind::Handoff) => return Some(root),
        Some(kind) => {
            let message = format!("a contract of kind {} is not judged by this version", kind.as_str());
            report.notice("other-kind", entry.value.at, message, "");
        }
        None => {
            let kinds = Kind::ALL.map(Kind::as_str);
            let message = format!("`{}` is no kind of contract, so the file is ignored", short(word));
            if nearest(word, kinds).is_some() {
                let message = format!("{message}{}", did_you_mean(word, kinds));
                report.warning("unknown-kind", entry.value.at, message, one_of(kinds));
            } else {
                report.notice("unknown-kind", entry.value.at, message, one_of(kinds));
            }
        }
    }
    None
}

fn document(
    root: &Node,
    tree: &Tree,
    origin: Origin,
    known: &SameTexts,
    declared: &mut Vec<Declared>,
    report: &mut Report<'_>,
) -> Option<Contract> {
    let keys: Vec<&str> = KEYS.into_iter().chain(MORE_KEYS).collect();
    let map = report.keys(root, "a contract", &keys)?;
    if let Some(node) = map.get("version") {
        report.integer(node, "`version`", &(1..=1), "wrong-value");
    }
    let extends = map.entry("extends");
    if let Some(entry) = extends {
        report.error("not-offered", entry.at, "this version does not offer `extends` yet", "a contract that is whole");
    }
    let max_iterations_per_gate = budgets(map, report);
    // What `extends` would bring is not missed as well.
    let required = |key, report: &mut Report<'_>| match extends {
        Some(_) => map.get(key),
        None => report.required(map, key, "a contract"),
    };
    let phases = required("phases", report)
        .map_or_else(|| Phases { gaps: true, ..Phases::default() }, |node| phases(node, known, report));
    let templates =
        map.get("templates").map_or_else(Templates::default, |node| templates(node, &tree.comments, report));
    let split_criteria = map.get("split_criteria").map_or_else(SplitCriteria::default, |node| split(node, report));
    let mut read = (Vec::new(), Vec::new());
    if let Some(node) = required("gates", report) {
        let around =
            Around { phases: &phases, templates: &templates, split: &split_criteria, comments: &tree.comments, known };
        read = gates(node, &around, report);
    }
    let (mut gates, gates_at) = read;
    if let Some(node) = map.get("enabled_gates") {
        enable(node, &mut gates, &gates_at, report);
    }
    *declared = gates_at;
    let trusted_apps = names(map, "trusted_apps", report);
    let notify = names(map, "notify", report);
    let language = match map.get("language") {
        Some(node) => report.choice(node, "`language`", &[("ja", Language::Ja), ("en", Language::En)]),
        None => Some(spoken(&phases)),
    };
    if report.has_errors() {
        return None;
    }
    let mut contract = Contract {
        origin,
        blob: BlobHash::new(""),
        language: language?,
        max_iterations_per_gate,
        phases: phases.list.into_iter().map(|phase| phase.phase).collect(),
        templates,
        split_criteria,
        gates,
        trusted_apps,
        notify,
    };
    contract.blob = blob(&print(&contract));
    Some(contract)
}

fn budgets(map: Keys<'_>, report: &mut Report<'_>) -> u32 {
    let budgets = map.get("budgets").and_then(|node| report.keys(node, "`budgets`", &["max_iterations_per_gate"]));
    let read = budgets
        .and_then(|budgets| budgets.get("max_iterations_per_gate"))
        .and_then(|node| report.integer(node, "`max_iterations_per_gate`", &(1..=20), "budget"));
    read.unwrap_or(DEFAULT_ITERATIONS)
}

fn split(node: &Node, report: &mut Report<'_>) -> SplitCriteria {
    let Some(map) = report.keys(node, "`split_criteria`", &["good_task_conditions", "always_separate"]) else {
        return SplitCriteria::default();
    };
    let mut list =
        |key: &str| map.get(key).and_then(|node| report.texts(node, &format!("`{key}`"))).unwrap_or_default();
    SplitCriteria { good_task_conditions: list("good_task_conditions"), always_separate: list("always_separate") }
}

/// Logins, `org/team`s and Apps, without the marks that people put around them.
fn names(map: Keys<'_>, key: &str, report: &mut Report<'_>) -> Vec<String> {
    let Some(node) = map.get(key) else { return Vec::new() };
    let mut names: Vec<String> = Vec::new();
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
        } else if names.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            let message = format!("`{name}` stands in `{key}` twice");
            report.warning("duplicate-entry", item.at, message, "each name once");
        } else {
            names.push(name.to_owned());
        }
    }
    names
}

/// The language that the contract itself is written in, for a contract that does not say.
fn spoken(phases: &Phases) -> Language {
    Language::of(&phases.list.iter().map(|phase| phase.phase.waiting_level.as_str()).collect::<String>())
}
