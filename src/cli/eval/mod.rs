//! `sekisho eval`: labelled texts through the judge, and how often it agrees with the labels (chapters 4 and 10).
//!
//! `cases` reads the labelled texts, `score` counts, `baseline` compares with an earlier run, `report` and `page` show it.

mod baseline;
mod cases;
mod page;
mod report;
mod score;

use super::progress::Progress;
use super::verdict::{Bench, Question, Reached};
use super::{UNREADABLE, complain, gate, judge, say};
use crate::domain::contract::{Argument, Contract, DetectorId, DetectorSpec, Gate, Phase, builtin};
use crate::domain::ids::{GateId, Language};
use crate::domain::record::Record;
use crate::domain::run::{Contracts, Dossier};
use crate::domain::view::Reason;
use cases::Labelled;
use chrono::DateTime;
use clap::{Args as ClapArgs, ValueEnum};
use score::{Evaluation, Judged};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Exit code of a regression.
const WORSE: u8 = 1;

/// Arguments of `sekisho eval`.
#[derive(Debug, ClapArgs)]
pub(super) struct Args {
    /// Labelled texts: .jsonl or .yaml files, or folders of them
    #[arg(required = true, value_name = "FILE|DIR")]
    paths: Vec<PathBuf>,
    /// Only the texts of this gate; may be given several times
    #[arg(long, value_parser = gate, value_name = "ID")]
    gate: Vec<GateId>,
    /// The contract; without it the built-in of each text's language
    #[arg(long, value_name = "FILE")]
    contract: Option<PathBuf>,
    /// What to print
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Names of signals in the labels and what the contract calls them: a YAML map
    #[arg(long, value_name = "FILE")]
    signals: Option<PathBuf>,
    /// An earlier evaluation as JSON; exit 1 where this one is worse
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Also write this evaluation as JSON, to be a baseline
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// Figures, a confusion matrix and the disagreements
    Text,
    /// Every case and the figures
    Json,
    /// A page of its own
    Html,
}

/// Evaluates, prints, and says the exit code: 0 good, 1 worse than the baseline, 2 unreadable input.
pub(super) fn run(args: &Args) -> u8 {
    match evaluate(args) {
        Ok(code) => code,
        Err(problem) => {
            complain(&problem);
            UNREADABLE
        }
    }
}

fn evaluate(args: &Args) -> Result<u8, String> {
    let names = args.signals.as_deref().map(cases::names).transpose()?.unwrap_or_default();
    let mut labelled = Vec::new();
    for path in &args.paths {
        labelled.extend(cases::read(path)?);
    }
    labelled.retain(|case| args.gate.is_empty() || args.gate.contains(&case.gate));
    if labelled.is_empty() {
        return Err("no labelled text is left to evaluate".to_owned());
    }
    cases::unique(&labelled)?;
    let contracts = match &args.contract {
        Some(path) => judge::contracts(path)?,
        None => Contracts::Absent,
    };
    let mut progress = Progress::new("judging", Some(labelled.len()));
    let bench = Bench::of_rules()?;
    let dossiers: Vec<Dossier> = labelled.iter().map(|case| dossier(case, &contracts)).collect();
    let reached = bench.reach_all(&dossiers, || progress.step());
    drop(progress);
    let judged: Vec<Judged> =
        labelled.into_iter().zip(reached).map(|(case, reached)| judged(case, reached, &contracts, &names)).collect();
    let evaluation = score::evaluate(judged);
    let compared = args.baseline.as_deref().map(baseline::read).transpose()?;
    let compared = compared.map(|before| baseline::compare(&before, &evaluation));
    if let Some(path) = &args.save {
        std::fs::write(path, json(&evaluation.settled())).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    say(&match args.format {
        Format::Text => report::text(&evaluation, compared.as_ref()),
        Format::Json => json(&evaluation),
        Format::Html => page::html(&evaluation, compared.as_ref())?,
    });
    Ok(if compared.is_some_and(|compared| compared.is_worse()) { WORSE } else { 0 })
}

fn json(evaluation: &Evaluation) -> String {
    serde_json::to_string_pretty(evaluation).unwrap_or_default() + "\n"
}

fn dossier(case: &Labelled, contracts: &Contracts) -> Dossier {
    let question = Question {
        gate: case.gate,
        title: String::new(),
        body: case.text.clone(),
        against: case.against.clone(),
        contracts: contracts.clone(),
        records: Vec::new(),
    };
    // Nothing that is judged looks at the time.
    question.dossier(DateTime::UNIX_EPOCH)
}

/// What a text came to, beside its label.
fn judged(
    case: Labelled,
    reached: Result<Reached, String>,
    contracts: &Contracts,
    names: &BTreeMap<String, String>,
) -> Judged {
    let ms = reached.as_ref().map_or(0.0, |reached| reached.took.as_secs_f64() * 1000.0);
    let (record, reasons) = match reached.map(|reached| reached.done) {
        Ok(done) => (done.record, done.view.map(|view| view.reasons).unwrap_or_default()),
        Err(_) => (None, Vec::new()),
    };
    let phase = rule(contracts, case.gate, &case.text).map(|(contract, gate)| contract.phase(gate));
    let missing = missing_fields(&reasons);
    let mut signals = record.as_ref().map(matched).unwrap_or_default();
    signals.extend(phase.map(|phase| said_by_preflight(phase, &missing)).unwrap_or_default());
    signals.sort();
    signals.dedup();
    let renamed = |all: &[String]| all.iter().map(|name| names.get(name).unwrap_or(name).clone()).collect();
    let verdict = record.as_ref().and_then(|record| record.verdict);
    Judged {
        right: verdict.is_some() && (verdict == Some(case.expected) || verdict == case.alt),
        verdict,
        disposition: record.as_ref().map(|record| record.disposition),
        reasons: record.map(|record| record.reasons).unwrap_or_default(),
        askable: phase
            .map(|phase| phase.signals.iter().map(|signal| signal.id.to_string()).collect())
            .unwrap_or_default(),
        expected_signals: renamed(&case.expected_signals),
        optional_signals: renamed(&case.optional_signals),
        id: case.id,
        gate: case.gate,
        expected: case.expected,
        alt: case.alt,
        signals,
        tags: case.tags,
        note: case.note,
        ms,
    }
}

fn matched(record: &Record) -> Vec<String> {
    record.findings.iter().map(|finding| finding.criterion.as_str().to_owned()).collect()
}

/// Required fields that preflight returned for.
fn missing_fields(reasons: &[Reason]) -> Vec<String> {
    let field = |reason: &Reason| match reason {
        Reason::MissingField { field, .. } | Reason::EmptyField { field } | Reason::BadField { field, .. } => {
            Some(field.clone())
        }
        _ => None,
    };
    reasons.iter().filter_map(field).collect()
}

/// What a text of that gate is judged by.
fn rule<'a>(contracts: &'a Contracts, gate: GateId, text: &str) -> Option<(&'a Contract, &'a Gate)> {
    let contract = match contracts {
        Contracts::InForce { contracts, .. } => contracts.iter().find(|contract| contract.gate(gate).is_some())?,
        _ => builtin(Language::of(text)),
    };
    Some((contract, contract.gate(gate)?))
}

/// Signals that say what preflight said already: one that looks for a heading, or for what stands under it, counts as
/// found where preflight returned for that heading.
fn said_by_preflight(phase: &Phase, missing: &[String]) -> Vec<String> {
    let looks = |id| {
        matches!(
            id,
            DetectorId::FieldEmpty | DetectorId::SectionMissing | DetectorId::TableMissing | DetectorId::MissingLink
        )
    };
    let about = |spec: &DetectorSpec| {
        let headings: Vec<&String> = match &spec.argument {
            Argument::One(heading) => vec![heading],
            Argument::List(headings) => headings.iter().collect(),
            Argument::None => spec.within.iter().collect(),
        };
        looks(spec.id) && headings.into_iter().any(|heading| missing.contains(heading))
    };
    let signals = phase.signals.iter().filter(|signal| signal.detect.as_ref().is_some_and(about));
    signals.map(|signal| signal.id.as_str().to_owned()).collect()
}
