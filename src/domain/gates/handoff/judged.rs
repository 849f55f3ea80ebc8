//! A text that a gate judges, with its parts and references.

use crate::domain::detect::Reading;
use crate::domain::finding::Reference;
use crate::domain::ids::{IssueNumber, Revision};
use crate::domain::plan::Plan;
use crate::domain::record::Part;
use crate::domain::run::Dossier;
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
    /// The revision of the plan, with its parent as it is now, that the judged children were filed from.
    pub filed_from: Option<Revision>,
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
            filed_from: None,
            rollup: Vec::new(),
            at: None,
            url: None,
        }
    }
}

/// A text, as a judge has read it already or anew.
pub(super) fn read(dossier: &Dossier, text: &str) -> Reading {
    let answers = dossier.facts.answers.iter().filter_map(|judged| judged.said.as_ref().ok());
    let known = answers.filter_map(|said| said.answer.subject.as_ref()).find(|subject| subject.text() == text);
    known.cloned().unwrap_or_else(|| Reading::of(text))
}

/// The reference text that the command line gave.
pub(super) fn given(dossier: &Dossier, role: &str) -> Option<Reference> {
    let text = dossier.facts.against.clone()?;
    Some(Reference { role: role.to_owned(), id: String::new(), text })
}
