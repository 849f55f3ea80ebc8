//! `phases:` — what each receiver waits for, and the signals that a text misses it.

use super::detector::detector;
use super::model::{DetectorSpec, Lack, Phase, Side, Signal};
use super::report::{At, Report};
use super::slug::{fold, slug};
use super::tree::{Node, Value, short};
use crate::domain::ids::CriterionId;
use std::collections::HashMap;

/// What a plain string takes over from the built-in signal with the same text.
#[derive(Clone, Debug)]
pub(super) struct SameText {
    pub detect: Option<DetectorSpec>,
    pub lack: Lack,
    pub absence: bool,
}

/// Built-in signals by their folded text.
pub(super) type SameTexts = HashMap<String, SameText>;

/// A phase with the places that later checks point at.
pub(super) struct PhaseAt {
    pub phase: Phase,
    pub at: At,
    pub signals: Vec<At>,
}

/// Words that say that something is left to the receiver; folded and in lower case.
const LEFT_OPEN: [&str; 26] = [
    "未指定",
    "指定しない",
    "指定せず",
    "指定なし",
    "問わない",
    "問わず",
    "任せる",
    "任せ",
    "委ねる",
    "委ね",
    "任意",
    "自由",
    "決めない",
    "決めず",
    "定めない",
    "unspecified",
    "not specified",
    "not prescribed",
    "left open",
    "is open",
    "are open",
    "left to",
    "up to the",
    "undecided",
    "not decided",
    "free to",
];

/// The phases that could be read.
#[derive(Default)]
pub(super) struct Phases {
    pub list: Vec<PhaseAt>,
    /// Others are there but could not be read; a name that seems unknown may be one of theirs.
    pub gaps: bool,
}

/// Reads the list of phases.
pub(super) fn phases(node: &Node, known: &SameTexts, report: &mut Report<'_>) -> Phases {
    let mut phases: Vec<PhaseAt> = Vec::new();
    let Some(items) = report.list(node, "`phases`") else { return Phases { list: phases, gaps: true } };
    let mut gaps = false;
    for item in items {
        let Some(read) = phase(item, known, report) else {
            gaps = true;
            continue;
        };
        if let Some(first) = phases.iter().find(|phase| phase.phase.name == read.phase.name) {
            let message =
                format!("the phase `{}` stands here already in line {}", short(&read.phase.name), first.at.line);
            report.error("duplicate-phase", read.at, message, "each phase once");
            continue;
        }
        phases.push(read);
    }
    Phases { list: phases, gaps }
}

fn phase(node: &Node, known: &SameTexts, report: &mut Report<'_>) -> Option<PhaseAt> {
    let map = report.keys(node, "a phase", &["name", "receives"])?;
    let name_node = report.required(map, "name", "a phase");
    let name = name_node.and_then(|node| report.text(node, "a phase's name"));
    let receives = report.required(map, "receives", "a phase").and_then(|node| {
        report.keys(node, "`receives`", &["waiting_level", "too_abstract_signals", "too_concrete_signals"])
    });
    let mut waiting_level = None;
    let mut read = Vec::new();
    if let Some(receives) = receives {
        if let Some(node) = report.required(receives, "waiting_level", "`receives`") {
            waiting_level = report.text(node, "the waiting level");
            if let Some(level) = &waiting_level {
                lint_waiting_level(level, node.at, report);
            }
        }
        for (key, side) in [("too_abstract_signals", Side::TooAbstract), ("too_concrete_signals", Side::TooConcrete)] {
            if let Some(node) = receives.get(key) {
                read.extend(signals(node, key, Sides::Only(side), known, report));
            }
        }
    }
    unique(&read.iter().map(|(signal, at)| (signal, *at)).collect::<Vec<_>>(), report);
    let (signals, places) = read.into_iter().unzip();
    let at = name_node.map_or(node.at, |node| node.at);
    Some(PhaseAt { phase: Phase { name: name?, waiting_level: waiting_level?, signals }, at, signals: places })
}

fn lint_waiting_level(level: &str, at: At, report: &mut Report<'_>) {
    let folded = fold(level).to_lowercase();
    if !LEFT_OPEN.iter().any(|word| folded.contains(word)) {
        let message = "the waiting level does not say what is left unspecified, so nothing can be too concrete";
        report.warning(
            "waiting-level",
            at,
            message,
            "a clause such as 「実装方式は未指定」 or \"the implementation is unspecified\"",
        );
    }
}

/// Which side a list of signals is on.
#[derive(Clone, Copy)]
pub(super) enum Sides {
    /// This one.
    Only(Side),
    /// Each says `side:` itself; this one where it does not.
    Default(Side),
}

/// Reads a list of signals, each a plain string or in its long form, with their places.
pub(super) fn signals(
    node: &Node,
    key: &str,
    sides: Sides,
    known: &SameTexts,
    report: &mut Report<'_>,
) -> Vec<(Signal, At)> {
    let items = report.list(node, &format!("`{key}`")).unwrap_or_default();
    items
        .iter()
        .filter_map(|item| {
            let signal = if let Value::Map(_) = item.value {
                long(item, sides, report)
            } else {
                plain(item, sides, known, report)
            };
            signal.map(|signal| (signal, item.at))
        })
        .collect()
}

fn plain(node: &Node, sides: Sides, known: &SameTexts, report: &mut Report<'_>) -> Option<Signal> {
    let text = report.text(node, "a signal")?;
    let (Sides::Only(side) | Sides::Default(side)) = sides;
    let same = known.get(&fold(&text)).cloned();
    let same = same.unwrap_or(SameText { detect: None, lack: Lack::default(), absence: false });
    Some(Signal {
        id: CriterionId(slug(&text)),
        side,
        text,
        except: None,
        detect: same.detect,
        lack: same.lack,
        absence: same.absence,
    })
}

fn long(node: &Node, sides: Sides, report: &mut Report<'_>) -> Option<Signal> {
    let keys: &[&str] = match sides {
        Sides::Only(_) => &["id", "text", "except", "detect", "lack", "absence"],
        Sides::Default(_) => &["id", "text", "except", "detect", "lack", "absence", "side"],
    };
    let map = report.keys(node, "a signal", keys)?;
    let text = report.required(map, "text", "a signal").and_then(|node| report.text(node, "a signal's text"));
    let id = match map.get("id") {
        Some(node) => given_id(node, report),
        None => text.as_deref().map(slug),
    };
    let except = map.get("except").map(|node| report.text(node, "`except`"));
    let detect = map.get("detect").map(|node| detector(node, report));
    let lacks = [("content", Lack::Content), ("form", Lack::Form)];
    let lack = map.get("lack").map_or(Some(Lack::default()), |node| report.choice(node, "`lack`", &lacks));
    let implied = detect.as_ref().and_then(Option::as_ref).is_some_and(|spec| spec.id.implies_absence());
    let absence = match map.get("absence") {
        Some(node) => {
            let given = report.truth(node, "`absence`");
            if given == Some(false) && implied {
                let message = "this detector finds what is missing, so `absence` can't be false";
                report.error("wrong-value", node.at, message, "true, or no key");
            }
            given
        }
        None => Some(implied),
    };
    let side = match (sides, map.get("side")) {
        (Sides::Default(_), Some(node)) => {
            let choices = [("too_abstract", Side::TooAbstract), ("too_concrete", Side::TooConcrete)];
            report.choice(node, "`side`", &choices)
        }
        (Sides::Only(side) | Sides::Default(side), _) => Some(side),
    };
    // A key that is there and wrong was reported; the file gives no contract then.
    Some(Signal {
        id: CriterionId(id?),
        side: side?,
        text: text?,
        except: except.flatten(),
        detect: detect.flatten(),
        lack: lack?,
        absence: absence?,
    })
}

fn given_id(node: &Node, report: &mut Report<'_>) -> Option<String> {
    let id = report.text(node, "a signal's id")?;
    let valid = id.chars().count() <= 60 && id.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c));
    if !valid {
        let message = format!("`{}` can't be an id", short(&id));
        report.error("wrong-value", node.at, message, "letters, digits, `-`, `_` and `.`, at most 60 characters");
    }
    valid.then_some(id)
}

/// Reports ids that stand twice among signals that one gate judges by.
pub(super) fn unique(signals: &[(&Signal, At)], report: &mut Report<'_>) {
    let mut lines: HashMap<&str, u32> = HashMap::new();
    for (signal, at) in signals {
        if let Some(line) = lines.get(signal.id.as_str()) {
            let message = format!("the signal id `{}` stands here already in line {line}", short(signal.id.as_str()));
            report.error("duplicate-id", *at, message, "an id, given or made of the text, that stands once");
        } else {
            lines.insert(signal.id.as_str(), at.line);
        }
    }
}
