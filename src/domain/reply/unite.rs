//! Rules and models together: one answer, in which nothing that code found is lost (chapter 4).

use super::Checked;
use super::questions::is_fact;
use crate::domain::finding::{Answer, Basis, Brief, Criterion, Finding, Quote};
use crate::domain::ids::CriterionId;

/// What all judges of a brief say together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct United {
    /// One finding for each criterion that anybody decided. Its model is the models', or that of the rules alone.
    pub answer: Answer,
    /// Where one judge says that it matches and another that it does not, in the brief's order. Each stands as matched,
    /// by interpretation.
    pub conflicts: Vec<CriterionId>,
}

/// Most places that a finding keeps of those that models showed.
const MOST_QUOTES: usize = 1_000;

/// Unites what the rules found with what models found. A rule that decided a matter of fact decides it alone. Everywhere
/// else a criterion matched where any judge says so, and a judge who says otherwise makes it an interpretation: so a
/// model can add a reason to return a text, and take none away.
#[must_use]
pub fn unite(brief: &Brief, rules: &Answer, models: &[Checked]) -> United {
    let names: Vec<&str> = models.iter().map(|model| model.answer.model.as_str()).collect();
    let mut answer = Answer {
        model: if names.is_empty() { rules.model.clone() } else { names.join(" + ") },
        subject: rules.subject.clone(),
        ..Answer::default()
    };
    let mut conflicts = Vec::new();
    for criterion in &brief.criteria {
        let of = |answer: &'_ Answer| answer.findings.iter().find(|one| one.criterion == criterion.id).cloned();
        let rule = of(rules);
        let said: Vec<Finding> = match &rule {
            Some(_) if is_fact(criterion) => Vec::new(),
            _ => models.iter().filter_map(|model| of(&model.answer)).collect(),
        };
        let voices = || rule.iter().chain(&said);
        if voices().any(|one| one.matched) && voices().any(|one| !one.matched) {
            conflicts.push(criterion.id.clone());
        }
        match together(criterion, rule.as_ref(), &said) {
            Some(finding) => answer.findings.push(finding),
            None => answer.undecided.push(criterion.id.clone()),
        }
    }
    United { answer, conflicts }
}

fn together(criterion: &Criterion, rule: Option<&Finding>, said: &[Finding]) -> Option<Finding> {
    let voices = || rule.into_iter().chain(said);
    let first = voices().find(|one| one.matched).or_else(|| voices().next())?;
    let agreed = voices().all(|one| one.matched == first.matched);
    let all_direct = voices().all(|one| one.basis == Basis::Direct);
    // What a rule matched needs no one's interpretation, as long as nobody contradicts it.
    let rule_matched = rule.is_some_and(|rule| rule.matched && rule.basis == Basis::Direct);
    let matched = || voices().filter(|one| one.matched);
    let mut quotes: Vec<Quote> = Vec::new();
    for quote in matched().flat_map(|one| &one.quotes) {
        let overlaps = |known: &Quote| {
            known.item == quote.item && known.range.start < quote.range.end && quote.range.start < known.range.end
        };
        // A rule's own places may stand in one another; those of a model are added where nothing stands yet.
        let of_rule = rule.is_some_and(|rule| rule.matched && rule.quotes.iter().any(|own| std::ptr::eq(own, quote)));
        if of_rule || quotes.len() < MOST_QUOTES && !quotes.iter().any(overlaps) {
            quotes.push(quote.clone());
        }
    }
    let mut items: Vec<usize> = matched().flat_map(|one| one.items.iter().copied()).collect();
    items.sort_unstable();
    items.dedup();
    Some(Finding {
        criterion: criterion.id.clone(),
        matched: first.matched,
        quotes,
        basis: if agreed && (all_direct || rule_matched) { Basis::Direct } else { Basis::Interpretation },
        lack: first.lack,
        note: matched().find_map(|one| one.note.clone()),
        items,
    })
}
