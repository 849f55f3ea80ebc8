//! What a gate judges: its text, what that is compared with, and the parts that its revision is made of (chapters 3, 10).

use super::super::{Step, reply, speaks};
use super::judged::{Subject, given, read};
use super::parent;
use super::rule::Rule;
use super::{integration, report, split};
use crate::domain::contract::Gate;
use crate::domain::event::PAUSE;
use crate::domain::finding::Reference;
use crate::domain::ids::{GateId, IssueNumber};
use crate::domain::record::Part;
use crate::domain::run::{Dossier, Fact, Issue, Next, StoredRecord};
use crate::domain::text::Document;

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
