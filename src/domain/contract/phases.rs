//! `phases:` — what each receiver waits for, and the signals that a text misses it.

use super::detector::detector;
use super::keys::{PHASE, RECEIVES, SET_SIGNAL, SIGNAL};
use super::lints;
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
    /// The phase's signals, with what the phase does not keep of them.
    pub signals: Vec<SignalAt>,
}

/// A signal, where it stands, and other wordings that mean the same.
pub(super) struct SignalAt {
    pub signal: Signal,
    pub at: At,
    pub same_as: Vec<String>,
}

impl SignalAt {
    /// The signal and its place.
    pub fn pair(&self) -> (&Signal, At) {
        (&self.signal, self.at)
    }

    /// What a plain string with one of the signal's wordings takes over.
    pub fn same_texts(&self) -> impl Iterator<Item = (String, SameText)> {
        let Signal { text, detect, lack, absence, .. } = &self.signal;
        let same = SameText { detect: detect.clone(), lack: *lack, absence: *absence };
        std::iter::once(text).chain(&self.same_as).map(move |text| (fold(text), same.clone()))
    }
}

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
    let mut places: HashMap<String, At> = HashMap::new();
    for item in items {
        let Some(read) = phase(item, known, report) else {
            gaps = true;
            continue;
        };
        if let Some(first) = places.get(&read.phase.name) {
            let place = report.place(*first, read.at);
            let message = format!("the phase `{}` stands here already in {place}", short(&read.phase.name));
            report.error("duplicate-phase", read.at, message, "each phase once");
            continue;
        }
        places.insert(read.phase.name.clone(), read.at);
        phases.push(read);
    }
    Phases { list: phases, gaps }
}

fn phase(node: &Node, known: &SameTexts, report: &mut Report<'_>) -> Option<PhaseAt> {
    let map = report.keys(node, "a phase", &PHASE)?;
    let name_node = report.required(map, "name", "a phase");
    let name = name_node.and_then(|node| report.text(node, "a phase's name"));
    let receives = report.required(map, "receives", "a phase");
    let receives = receives.and_then(|node| report.keys(node, "`receives`", &RECEIVES));
    let mut waiting_level = None;
    let mut read = Vec::new();
    if let Some(receives) = receives {
        if let Some(node) = report.required(receives, "waiting_level", "`receives`") {
            waiting_level = report.text(node, "the waiting level");
            if let Some(level) = &waiting_level {
                lints::waiting_level(level, node.at, report);
            }
        }
        for (key, side) in [("too_abstract_signals", Side::TooAbstract), ("too_concrete_signals", Side::TooConcrete)] {
            if let Some(node) = receives.get(key) {
                read.extend(signals(node, key, Sides::Only(side), known, report));
            }
        }
    }
    unique(read.iter(), report);
    let signals = read.iter().map(|read| read.signal.clone()).collect();
    let at = name_node.map_or(node.at, |node| node.at);
    Some(PhaseAt { phase: Phase { name: name?, waiting_level: waiting_level?, signals }, at, signals: read })
}

/// Which side a list of signals is on.
#[derive(Clone, Copy)]
pub(super) enum Sides {
    /// This one.
    Only(Side),
    /// Each says `side:` itself; this one where it does not.
    Default(Side),
}

/// Reads a list of signals, each a plain string or in its long form.
pub(super) fn signals(
    node: &Node,
    key: &str,
    sides: Sides,
    known: &SameTexts,
    report: &mut Report<'_>,
) -> Vec<SignalAt> {
    let items = report.list(node, &format!("`{key}`")).unwrap_or_default();
    let read = items.iter().filter_map(|item| {
        if let Value::Map(_) = item.value { long(item, sides, report) } else { plain(item, sides, known, report) }
    });
    let read: Vec<SignalAt> = read.collect();
    for SignalAt { signal, at, .. } in &read {
        lints::observable(signal, *at, report);
    }
    read
}

fn plain(node: &Node, sides: Sides, known: &SameTexts, report: &mut Report<'_>) -> Option<SignalAt> {
    let text = report.text(node, "a signal")?;
    let (Sides::Only(side) | Sides::Default(side)) = sides;
    let same = known.get(&fold(&text)).cloned();
    let same = same.unwrap_or(SameText { detect: None, lack: Lack::default(), absence: false });
    let signal = Signal {
        id: CriterionId(slug(&text)),
        side,
        text,
        except: None,
        detect: same.detect,
        lack: same.lack,
        absence: same.absence,
    };
    Some(SignalAt { signal, at: node.at, same_as: Vec::new() })
}

fn long(node: &Node, sides: Sides, report: &mut Report<'_>) -> Option<SignalAt> {
    let keys: &[&str] = match sides {
        Sides::Only(_) => &SIGNAL,
        Sides::Default(_) => &SET_SIGNAL,
    };
    let map = report.keys(node, "a signal", keys)?;
    let text = report.required(map, "text", "a signal").and_then(|node| report.text(node, "a signal's text"));
    let id = match map.get("id") {
        Some(node) => given_id(node, report),
        None => text.as_deref().map(slug),
    };
    let same_as = map.get("same_as").and_then(|node| report.texts(node, "`same_as`")).unwrap_or_default();
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
    let signal = Signal {
        id: CriterionId(id?),
        side: side?,
        text: text?,
        except: except.flatten(),
        detect: detect.flatten(),
        lack: lack?,
        absence: absence?,
    };
    Some(SignalAt { signal, at: node.at, same_as })
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
pub(super) fn unique<'s>(signals: impl Iterator<Item = &'s SignalAt>, report: &mut Report<'_>) {
    let mut places: HashMap<&str, At> = HashMap::new();
    for SignalAt { signal, at, .. } in signals {
        let id = signal.id.as_str();
        if let Some(first) = places.get(id) {
            let message = format!("the signal id `{}` stands here already in {}", short(id), report.place(*first, *at));
            report.error("duplicate-id", *at, message, "an id, given or made of the text, that stands once");
        } else {
            places.insert(id, *at);
        }
    }
}
