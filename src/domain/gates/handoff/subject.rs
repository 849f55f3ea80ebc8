//! What a gate judges: its text, what that is compared with, and the parts that its revision is made of (chapters 3, 10).

use super::super::{Step, reply, speaks};
use super::parent;
use super::rule::Rule;
use super::{integration, report, split};
use crate::domain::contract::Gate;
use crate::domain::detect::Reading;
use crate::domain::event::PAUSE;
use crate::domain::finding::Reference;
use crate::domain::ids::{GateId, IssueNumber};
use crate::domain::plan::Plan;
use crate::domain::record::Part;
use crate::domain::run::{Dossier, Fact, Issue, Next, StoredRecord};
use crate::domain::text::Document;
use crate::domain::view::{Reason, RollUpLine};

/// What a gate judges.
pub(super) struct Subject {
    /// The text, read once for all that looks at it.
    pub body: Reading,
    /// What the revision is made of.
    pub parts: Vec<Part>,
    /// What it is judged against.
    pub references: Vec<Reference>,
    /// What is wrong with its form, beside missing fields.
    pub flaws: Vec<Reason>,
    /// Why nobody can say what is to be judged.
    pub unclear: Option<Reason>,
    /// The plan of a split.
    pub plan: Option<Plan>,
    /// The table of an integration.
    pub rollup: Vec<RollUpLine>,
    /// The pull request that holds it, where that is not the issue.
    pub at: Option<IssueNumber>,
    /// Its page, where that is not the issue's.
    pub url: Option<String>,
}

impl Subject {
    /// A text with its parts, and nothing else.
    pub fn of(body: Reading, parts: Vec<Part>, references: Vec<Reference>) -> Self {
        Self {
            body,
            parts,
            references,
            flaws: Vec::new(),
            unclear: None,
            plan: None,
            rollup: Vec::new(),
            at: None,
            url: None,
        }
    }
}

/// The subject of that gate now.
pub(super) fn subject(dossier: &Dossier, issue: &Issue, rule: Rule<'_>, mine: &[&StoredRecord]) -> Step<Subject> {
    let language = speaks(rule.contract, issue);
    match rule.gate.id {
        GateId::Split => split::subject(dossier, issue, rule, mine, language),
        GateId::Outcome => report::subject(dossier, issue, rule),
        GateId::Integration => integration::subject(dossier, issue, rule, language),
        gate => body(dossier, issue, rule.gate, gate),
    }
}

/// The issue's own body; at start also what it names of its parent.
fn body(dossier: &Dossier, issue: &Issue, gate: &Gate, id: GateId) -> Step<Subject> {
    let body = read(dossier, &issue.body);
    let parent = match id {
        GateId::Start => parent_part(dossier, issue, gate, body.document())?,
        _ => None,
    };
    let mut parts = vec![Part::new("title", &issue.title), Part::new("body", &issue.body)];
    parts.extend(parent.as_ref().map(|one| Part::named("parent", &one.id, &one.text)));
    Ok(Subject::of(body, parts, parent.into_iter().collect()))
}

/// A text, as a judge has read it already or anew.
pub(super) fn read(dossier: &Dossier, text: &str) -> Reading {
    let answers = dossier.facts.answers.iter();
    let known = answers.filter_map(|answer| answer.subject.as_ref()).find(|subject| subject.text() == text);
    known.cloned().unwrap_or_else(|| Reading::of(text))
}

/// The reference text that the command line gave.
pub(super) fn given(dossier: &Dossier, role: &str) -> Option<Reference> {
    let text = dossier.facts.against.clone()?;
    Some(Reference { role: role.to_owned(), id: String::new(), text })
}

/// What the child names of its parent; the parent's own `gate:pause` holds the child too.
fn parent_part(dossier: &Dossier, issue: &Issue, gate: &Gate, body: &Document) -> Step<Option<Reference>> {
    if let Some(given) = given(dossier, "parent") {
        return Ok(Some(given));
    }
    let ours = reply::filed_by_us(dossier, issue);
    let number = parent::number(issue, ours, gate, body).filter(|number| *number != issue.number);
    let Some(number) = number else { return Ok(None) };
    match &dossier.facts.parent {
        None if dossier.lane.is_none() => Ok(None),
        None => Err(Box::new(Next::Need(vec![Fact::Parent(number)]))),
        Some(None) => Ok(None),
        Some(Some(parent)) if parent.has_label(PAUSE) => Err(Box::new(Next::Hold)),
        Some(Some(parent)) => Ok(parent_text(number, gate, body, parent)),
    }
}

fn parent_text(number: IssueNumber, gate: &Gate, body: &Document, parent: &Issue) -> Option<Reference> {
    let text = parent::requirement(gate, body, &parent.body)?;
    Some(Reference { role: "parent".to_owned(), id: format!("#{number}"), text })
}
