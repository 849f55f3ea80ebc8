//! A question to the contract itself becomes a draft pull request (chapter 3): what it is made of.
//!
//! It stands beside the verdict's record, and is stored with it, so that no crash loses it. Comment and labels go before it.

use super::super::{Ask, Step, speaks};
use super::cap;
use super::case::Case;
use crate::domain::contract::Side;
use crate::domain::detect::{self, Reading};
use crate::domain::effect::Effect;
use crate::domain::ids::CriterionId;
use crate::domain::record::{QuestionKind, Record, Trust, Verdict};
use crate::domain::run::{Done, Fact, Next, StoredRecord};
use crate::domain::text;
use crate::domain::view::{
    AskedQuestion, AxisWhy, Boundary, ContractFile, LabelledText, Past, Proposal, QuestionSubject, Reason,
};

/// Longest text of a boundary, in bytes.
const LONGEST: usize = 120;
/// Most boundaries that the new words name.
const MOST: usize = 3;

/// The same end, with a proposal where its verdict asks the contract.
pub(super) fn proposed(case: &Case<'_>, ask: Ask, done: Done) -> Step<Done> {
    let why = |asked: &AskedQuestion| match &asked.subject {
        QuestionSubject::Oscillation { from, to } => Some((AxisWhy::Swing { from: *from, to: *to }, None)),
        QuestionSubject::Repeated { cause, returns, criterion } => {
            Some((AxisWhy::Cap { cause: *cause, returns: *returns }, criterion.clone()))
        }
        _ if beyond(asked).is_some() => Some((AxisWhy::Beyond, None)),
        _ => None,
    };
    let mut questions = done.view.iter().flat_map(|view| &view.questions);
    let why = questions.find_map(why);
    let (Some((why, criterion)), Some(record), true) = (why, &done.record, case.files()) else { return Ok(done) };
    let returns = cap::returns(case, ask);
    let boundaries = match why {
        AxisWhy::Beyond => done.view.iter().flat_map(|view| &view.questions).filter_map(beyond).take(MOST).collect(),
        _ => boundaries(case, &returns, record, why, done.view.iter().flat_map(|view| &view.reasons)),
    };
    // Strangers alone open no pull request, and without a place there is no line to draw.
    if case.trust != Trust::Trusted || boundaries.is_empty() {
        return Ok(done);
    }
    let file = file(case)?;
    let proposal = Proposal {
        language: speaks(case.rule.contract, case.issue),
        gate: record.gate,
        subject: case.issue.number,
        seq: record.seq,
        why,
        path: case.rule.contract.origin.path.clone(),
        blob: case.rule.contract.blob.clone(),
        file,
        phase: case.rule.contract.phase(case.rule.gate).name.clone(),
        waiting_level: case.rule.contract.phase(case.rule.gate).waiting_level.clone(),
        criterion,
        boundaries,
        history: returns
            .iter()
            .map(|stored| past(&stored.record, Some(stored)))
            .chain([past(record, None)])
            .flatten()
            .collect(),
        example: example(case, record),
    };
    let mut done = done;
    done.effects.push(Effect::Propose);
    Ok(Done { proposal: Some(Box::new(proposal)), ..done })
}

/// The file that the contract came from.
fn file(case: &Case<'_>) -> Step<ContractFile> {
    let origin = &case.rule.contract.origin;
    let Some(commit) = origin.commit.clone().filter(|_| !origin.path.starts_with("builtin:")) else {
        return Ok(ContractFile::New);
    };
    match &case.dossier.facts.contract_text {
        None => Err(Box::new(Next::Need(vec![Fact::ContractText { path: origin.path.clone(), commit }]))),
        Some(None) => Ok(ContractFile::Elsewhere),
        Some(Some(text)) => Ok(ContractFile::Here { commit, text: text.clone() }),
    }
}

fn past(record: &Record, stored: Option<&StoredRecord>) -> Option<Past> {
    let url = stored.and_then(|stored| Some(stored.comment.as_ref()?.url.clone()));
    Some(Past { seq: record.seq, verdict: record.verdict?, reasons: record.reasons.clone(), url })
}

/// What the line is drawn with: the places that the verdicts name.
fn boundaries<'a>(
    case: &Case<'_>,
    returns: &[&StoredRecord],
    record: &Record,
    why: AxisWhy,
    reasons: impl Iterator<Item = &'a Reason>,
) -> Vec<Boundary> {
    let mut before = returns.iter().map(|stored| &stored.record);
    let mut found: Vec<Boundary> = match why {
        AxisWhy::Swing { from, to } => {
            let last = before.rfind(|past| past.model.is_some());
            let first = |record: &Record, verdict| of(case, record, |_, side| side == side_of(verdict));
            last.and_then(|past| first(past, from)).into_iter().chain(first(record, to)).collect()
        }
        AxisWhy::Beyond => Vec::new(),
        AxisWhy::Cap { .. } => {
            let all: Vec<&Record> = before.chain([record]).collect();
            match cap::sort(&all).1 {
                Some(criterion) => all.iter().filter_map(|one| of(case, one, |id, _| id == criterion)).collect(),
                None => reasons.filter_map(missing).collect(),
            }
        }
    };
    found.dedup_by(|a, b| a.text == b.text);
    let more = found.len().saturating_sub(MOST);
    found.drain(..more);
    found
}

/// The first finding of the record that is meant.
fn of(case: &Case<'_>, record: &Record, meant: impl Fn(&CriterionId, Side) -> bool) -> Option<Boundary> {
    let signals = || case.rule.contract.phase(case.rule.gate).signals.iter().chain(&case.rule.gate.set_signals);
    record.findings.iter().find_map(|finding| {
        let signal = signals().find(|signal| signal.id == finding.criterion);
        let side = signal.map_or_else(|| record.verdict.map_or(Side::TooAbstract, side_of), |signal| signal.side);
        meant(&finding.criterion, side).then(|| {
            let said = signal.map_or(finding.criterion.as_str(), |signal| &signal.text);
            let text = text::clip(finding.quote.as_deref().unwrap_or(said), LONGEST).to_owned();
            Boundary { side, criterion: Some(finding.criterion.clone()), text }
        })
    })
}

/// What a judge noticed or asked beyond the criteria; its side is what people decide.
fn beyond(question: &AskedQuestion) -> Option<Boundary> {
    let text = match &question.subject {
        QuestionSubject::Beyond { note, .. } => note,
        QuestionSubject::OfModel(text) if question.kind == QuestionKind::AxisQuestion => text,
        _ => return None,
    };
    Some(Boundary { side: Side::TooAbstract, criterion: None, text: text::clip(text, LONGEST).to_owned() })
}

fn missing(reason: &Reason) -> Option<Boundary> {
    let field = match reason {
        Reason::MissingField { field, .. } | Reason::EmptyField { field } | Reason::BadField { field, .. } => field,
        Reason::InChild { reason, .. } => return missing(reason),
        _ => return None,
    };
    Some(Boundary { side: Side::TooAbstract, criterion: None, text: text::clip(field, LONGEST).to_owned() })
}

fn side_of(verdict: Verdict) -> Side {
    if verdict == Verdict::TooConcrete { Side::TooConcrete } else { Side::TooAbstract }
}

/// The text that was judged, as a person may label it anew.
fn example(case: &Case<'_>, record: &Record) -> LabelledText {
    let body = &case.subject.body;
    LabelledText {
        input: whole(body),
        requirements: case.subject.references.first().map(|reference| whole(&Reading::of(&reference.text))),
        verdict: record.verdict.unwrap_or(Verdict::TooAbstract),
    }
}

/// All of a text, masked, with the line ends that the revision counts (chapter 10): a browser's would make YAML that
/// nobody can read.
fn whole(text: &Reading) -> String {
    detect::mask(text.text(), 0..text.text().len(), text.sensitive()).replace("\r\n", "\n")
}
