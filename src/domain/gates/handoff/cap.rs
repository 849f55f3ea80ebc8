//! The cap is reached: where does the fault most likely lie? Sorted from the history alone (chapter 3), so that a person has
//! somewhere to begin. It is a guess with a rule behind it, and moves nothing but words.

use super::Ask;
use super::case::Case;
use crate::domain::ids::CriterionId;
use crate::domain::record::{Confidence, QuestionKind, QuestionTo, Record, TriageCause, counted};
use crate::domain::rules;
use crate::domain::run::StoredRecord;
use crate::domain::view::{AskedQuestion, CapCause, Note, QuestionSubject, Reason, VerdictView};

/// What the comment says at the cap: how many returns, and where the fault most likely lies. The contract's is a question to
/// the contract, too.
pub(super) fn say(case: &Case<'_>, record: &Record, ask: Ask, view: &mut VerdictView) {
    if record.triage_cause != Some(TriageCause::Cap) {
        return;
    }
    let before = returns(case, ask);
    let all: Vec<&Record> = before.iter().map(|stored| &stored.record).chain([record]).collect();
    let returns = u32::try_from(all.len()).unwrap_or(u32::MAX);
    let (likely, found) = sort(&all);
    view.notes.push(Note::CapReached { returns, cause: likely });
    if matches!(likely, CapCause::Contract | CapCause::Procedure) {
        let said = |id| {
            view.reasons.iter().find_map(|reason| match reason {
                Reason::Signal { criterion, text, .. } if criterion == id => Some(text.clone()),
                _ => None,
            })
        };
        let returns = match (likely, found) {
            (CapCause::Procedure, None) => u32::try_from(by_form(&all)).unwrap_or(u32::MAX),
            _ => returns,
        };
        view.questions.push(AskedQuestion {
            kind: QuestionKind::AxisQuestion,
            to: QuestionTo::ContractPr,
            subject: QuestionSubject::Repeated { cause: likely, returns, criterion: found.and_then(said) },
        });
    }
}

/// The records of the returns in a row so far; a retry starts from none.
pub(super) fn returns<'a>(case: &Case<'a>, ask: Ask) -> Vec<&'a StoredRecord> {
    if ask == Ask::Retry {
        return Vec::new();
    }
    let records: Vec<&Record> = case.mine.iter().map(|stored| &stored.record).collect();
    counted(&records, &case.rule.contract.blob).into_iter().map(|place| case.mine[place]).collect()
}

/// The cause, from the returns in a row, oldest first, the one that reached the cap last; and the criterion that every one
/// of them found, if there is one.
pub(super) fn sort<'a>(returns: &[&'a Record]) -> (CapCause, Option<&'a CriterionId>) {
    // One return shows no pattern.
    let Some((last, before)) = returns.split_last().filter(|(_, before)| !before.is_empty()) else {
        return (CapCause::Task, None);
    };
    let most = |count: usize| count * 2 >= returns.len();
    let by_model = |record: &&&Record| record.model.as_deref().is_some_and(|model| model != rules::MODEL);
    let unsure = returns.iter().filter(by_model).filter(|record| record.confidence == Some(Confidence::Low)).count();
    if unsure > 0 && most(unsure) {
        return (CapCause::Model, None);
    }
    if last.model.is_none() && most(by_form(returns)) {
        return (CapCause::Procedure, None);
    }
    let again = |same_place: bool| {
        last.findings.iter().find(|finding| {
            before.iter().all(|record| {
                let same = record.findings.iter().find(|one| one.criterion == finding.criterion);
                same.is_some_and(|one| (one.quote == finding.quote) == same_place)
            })
        })
    };
    if let Some(finding) = again(true) {
        return (CapCause::Procedure, Some(&finding.criterion));
    }
    match again(false) {
        Some(finding) => (CapCause::Contract, Some(&finding.criterion)),
        None => (CapCause::Task, None),
    }
}

/// How many were returned by preflight alone.
fn by_form(returns: &[&Record]) -> usize {
    returns.iter().filter(|record| record.model.is_none()).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::contract::Lack;
    use crate::domain::finding::Basis;
    use crate::domain::record::RecordedFinding;
    use crate::domain::record::tests::record as plain;

    fn returned(model: Option<&str>, confidence: Confidence, findings: &[(&str, &str)]) -> Record {
        let finding = |(criterion, quote): &(&str, &str)| RecordedFinding {
            criterion: CriterionId::new(*criterion),
            quote: (!quote.is_empty()).then(|| (*quote).to_owned()),
            line: None,
            basis: Basis::Direct,
            lack: Lack::Content,
            places: 1,
            note: None,
            children: Vec::new(),
        };
        Record {
            model: model.map(str::to_owned),
            confidence: Some(confidence),
            findings: findings.iter().map(finding).collect(),
            ..plain()
        }
    }

    #[test]
    fn the_history_says_where_to_begin() {
        let check = |returns: &[Record], expect: CapCause, criterion: Option<&str>| {
            let (cause, found) = sort(&returns.iter().collect::<Vec<_>>());
            assert_eq!((cause, found.map(CriterionId::as_str)), (expect, criterion), "{returns:#?}");
        };
        let rules = |findings: &[(&str, &str)]| returned(Some("rules"), Confidence::High, findings);
        let form = || returned(None, Confidence::High, &[]);
        let unsure = || returned(Some("strong"), Confidence::Low, &[("a", "x")]);
        // The same criterion, elsewhere each time.
        let contract = [rules(&[("a", "x")]), rules(&[("a", "y"), ("b", "q")]), rules(&[("a", "z")])];
        check(&contract, CapCause::Contract, Some("a"));
        // The same place, unchanged; something that is missing is the same place too.
        let place = [rules(&[("a", "x"), ("b", "1")]), rules(&[("b", "2"), ("a", "x")]), rules(&[("a", "x")])];
        check(&place, CapCause::Procedure, Some("a"));
        check(&[rules(&[("a", "")]), rules(&[("a", "")])], CapCause::Procedure, Some("a"));
        // The form, in most of them.
        check(&[form(), rules(&[("a", "x")]), form()], CapCause::Procedure, None);
        check(&[form(), form(), rules(&[("a", "x")])], CapCause::Task, None);
        // One alone shows nothing.
        check(&[form()], CapCause::Task, None);
        check(&[rules(&[("a", "x")])], CapCause::Task, None);
        // Something else each time.
        check(&[rules(&[("a", "x")]), rules(&[("b", "y")]), rules(&[("c", "z")])], CapCause::Task, None);
        check(&[form(), rules(&[("a", "x")]), rules(&[("a", "y")])], CapCause::Task, None);
        // A judge that was unsure.
        check(&[unsure(), rules(&[("a", "x")]), unsure()], CapCause::Model, None);
    }
}
