//! Labels: the difference between what stands and what should stand (chapter 10). No state but the issue's own labels.

use crate::domain::effect::{Effect, LabelSpec};
use crate::domain::ids::GateId;
use crate::domain::record::{Disposition, Record};
use crate::domain::run::Issue;

/// The default label of acceptance, and the label that triggers acceptance too where it listens to that one (chapter 2).
pub(super) const ACCEPTANCE: &str = "gate:acceptance";
pub(super) const INTAKE: &str = "gate:intake";

/// On a subject while a human is waited for at some gate.
pub const TRIAGE_LABEL: &str = "gate:triage";

/// On every issue that the App files.
#[must_use]
pub fn child_label() -> LabelSpec {
    spec(CHILD)
}

const CHILD: &str = "gate:child";

/// What each of a gate's records says to the labels of its subject.
pub(super) struct Labelling<'a> {
    /// The subject, with the labels that it has.
    pub issue: &'a Issue,
    /// The gate.
    pub gate: GateId,
    /// What stands at that gate now.
    pub disposition: Disposition,
    /// The newest records of the subject's other gates.
    pub others: Vec<&'a Record>,
    /// The label that triggers the gate.
    pub trigger: &'a str,
    /// The label that did trigger this run, where it is another.
    pub cause: Option<&'a str>,
}

impl Labelling<'_> {
    /// Result labels first, the trigger last, so that a crash leaves the trigger standing.
    pub(super) fn effects(&self) -> Vec<Effect> {
        let passed = format!("gate:{}-passed", self.gate);
        let returned = format!("gate:{}-returned", self.gate);
        let (set, unset) = match self.disposition {
            Disposition::Passed | Disposition::Overridden => (passed, vec![returned]),
            Disposition::Returned => (returned, vec![passed]),
            Disposition::Triage | Disposition::NotJudged => (TRIAGE_LABEL.to_owned(), vec![passed, returned]),
        };
        let mut effects = Vec::new();
        if !self.issue.has_label(&set) {
            effects.push(Effect::AddLabel(spec(&set)));
        }
        let mut gone = unset;
        gone.push(stale_label(self.gate));
        if set != TRIAGE_LABEL && !self.others.iter().any(|record| waits(record)) {
            gone.push(TRIAGE_LABEL.to_owned());
        }
        effects.extend(gone.iter().filter_map(|name| remove(self.issue, name)));
        effects.extend(drop_trigger(self.issue, self.trigger, self.cause));
        effects
    }
}

/// Takes off the label that triggers the gate, its other name, and the one that did.
pub(super) fn drop_trigger(issue: &Issue, trigger: &str, cause: Option<&str>) -> Vec<Effect> {
    triggers(trigger, cause).into_iter().filter_map(|name| remove(issue, name)).collect()
}

/// Takes the label off under the name that the issue has it by: not every server folds case in an address.
fn remove(issue: &Issue, name: &str) -> Option<Effect> {
    let stands = issue.labels.iter().find(|label| label.to_lowercase() == name.to_lowercase())?;
    Some(Effect::RemoveLabel(stands.clone()))
}

/// Whether the label is one that [`drop_trigger`] takes off.
pub(super) fn is_trigger(name: &str, trigger: &str, cause: Option<&str>) -> bool {
    triggers(trigger, cause).iter().any(|one| one.to_lowercase() == name.to_lowercase())
}

fn triggers<'a>(trigger: &'a str, cause: Option<&'a str>) -> Vec<&'a str> {
    let mut names = vec![trigger];
    if trigger == ACCEPTANCE {
        names.push(INTAKE);
    }
    names.extend(cause.filter(|cause| names.iter().all(|name| cause.to_lowercase() != name.to_lowercase())));
    names
}

/// What a pass has instead of `-passed` once its text was edited.
pub(super) fn stale_label(gate: GateId) -> String {
    format!("gate:{gate}-stale")
}

/// An edit after a pass: the pass is stale until the text comes back or is judged (chapter 3).
pub(super) fn stale(issue: &Issue, gate: GateId) -> Vec<Effect> {
    let (passed, stale) = (format!("gate:{gate}-passed"), stale_label(gate));
    let mut effects = Vec::new();
    if !issue.has_label(&stale) {
        effects.push(Effect::AddLabel(spec(&stale)));
    }
    effects.extend(remove(issue, &passed));
    effects
}

/// At the cap a trigger is exchanged for the triage label.
pub(super) fn capped(issue: &Issue, trigger: &str, cause: Option<&str>) -> Vec<Effect> {
    let mut effects = Vec::new();
    if !issue.has_label(TRIAGE_LABEL) {
        effects.push(Effect::AddLabel(spec(TRIAGE_LABEL)));
    }
    effects.extend(drop_trigger(issue, trigger, cause));
    effects
}

fn waits(record: &Record) -> bool {
    matches!(record.disposition, Disposition::Triage | Disposition::NotJudged)
}

/// Name, colour and description of a label that the App makes on demand.
fn spec(name: &str) -> LabelSpec {
    let (colour, description) = if name == TRIAGE_LABEL {
        ("8250df", "A gate waits for a human")
    } else if name == CHILD {
        ("0969da", "Filed from a split that passed")
    } else if name.ends_with("-passed") {
        ("1a7f37", "The gate let it through")
    } else if name.ends_with("-returned") {
        ("cf222e", "The gate sent it back")
    } else {
        ("9a6700", "Edited after the gate let it through")
    };
    LabelSpec { name: name.to_owned(), colour: colour.to_owned(), description: description.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::{IssueId, IssueNumber};
    use crate::domain::record::tests as samples;

    fn issue(labels: &[&str]) -> Issue {
        Issue {
            id: IssueId(0),
            number: IssueNumber(1),
            title: String::new(),
            body: String::new(),
            url: String::new(),
            labels: labels.iter().map(ToString::to_string).collect(),
            author: None,
            open: true,
            state_reason: None,
            is_pull_request: false,
            locked: false,
            created_at: chrono::DateTime::UNIX_EPOCH,
            updated_at: chrono::DateTime::from_timestamp(0, 0).unwrap(),
            parent: None,
        }
    }

    fn check(labels: &[&str], disposition: Disposition, other: Option<Disposition>, expect: &str) {
        let other = other.map(|disposition| Record { disposition, ..samples::record() });
        let labelling = Labelling {
            issue: &issue(labels),
            gate: GateId::Start,
            disposition,
            others: other.iter().collect(),
            trigger: "gate:start",
            cause: Some("gate:start"),
        };
        assert_eq!(shown(&labelling.effects()), expect);
    }

    fn shown(effects: &[Effect]) -> String {
        let one = |effect: &Effect| match effect {
            Effect::AddLabel(label) => format!("+{}", label.name),
            Effect::RemoveLabel(name) => format!("-{name}"),
            other => format!("{other:?}"),
        };
        effects.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn labels_follow_the_disposition() {
        use Disposition::{NotJudged, Overridden, Passed, Returned, Triage};
        check(&["gate:start"], Passed, None, "+gate:start-passed -gate:start");
        check(
            &["gate:start", "gate:start-returned"],
            Passed,
            None,
            "+gate:start-passed -gate:start-returned -gate:start",
        );
        check(&["gate:start-passed", "gate:start-stale"], Overridden, None, "-gate:start-stale");
        check(
            &["gate:start", "gate:start-passed"],
            Returned,
            None,
            "+gate:start-returned -gate:start-passed -gate:start",
        );
        check(
            &["gate:start", "gate:start-passed", "gate:start-returned"],
            Triage,
            None,
            "+gate:triage -gate:start-passed -gate:start-returned -gate:start",
        );
        check(&["Gate:Start"], NotJudged, None, "+gate:triage -Gate:Start");
    }

    #[test]
    fn triage_goes_when_no_gate_waits() {
        use Disposition::{Passed, Returned, Triage};
        check(&["gate:triage"], Passed, None, "+gate:start-passed -gate:triage");
        check(&["gate:triage"], Passed, Some(Triage), "+gate:start-passed");
        check(&["gate:triage"], Returned, Some(Returned), "+gate:start-returned -gate:triage");
    }

    #[test]
    fn both_labels_of_acceptance_go() {
        let issue = issue(&["gate:intake", "gate:acceptance"]);
        assert_eq!(
            shown(&drop_trigger(&issue, "gate:acceptance", Some("gate:intake"))),
            "-gate:acceptance -gate:intake"
        );
        // A command judged it: both go all the same.
        assert_eq!(shown(&drop_trigger(&issue, "gate:acceptance", None)), "-gate:acceptance -gate:intake");
    }
}
