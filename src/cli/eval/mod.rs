//! `sekisho eval`: labelled texts through the judge, and how often it agrees with the labels (chapters 4 and 10).
//!
//! `cases` reads the labelled texts, `judged` is one with what it came to, `score` counts, `baseline` compares with an
//! earlier run, `report` and `page` show it; `marks` finds quotes in a text.

mod baseline;
mod cases;
mod judged;
mod marks;
mod page;
mod report;
mod score;

use super::judging::{Judging, Refusal, Tape, judging};
use super::verdict::{Bench, Question};
use super::{UNREADABLE, complain, gate, judge, say};
use crate::domain::ids::GateId;
use crate::domain::reply::Unjudged;
use crate::domain::rules;
use crate::domain::run::{Contracts, Dossier};
use cases::Labelled;
use chrono::DateTime;
use clap::{Args as ClapArgs, ValueEnum};
use judged::{Frame, Judged, Time};
use score::Evaluation;
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
    /// Who judges: rules, models (the configured ones), anthropic:ID, openai:ID or openai:ID@URL; without it rules, since
    /// models cost money, or with --replay whoever was recorded
    #[arg(long, value_name = "JUDGE")]
    judge: Option<String>,
    /// Keep every reply of the models in this folder, to be played back
    #[arg(long, value_name = "DIR", requires = "judge", conflicts_with = "replay")]
    record: Option<PathBuf>,
    /// Let the replies in this folder answer; nothing is sent anywhere
    #[arg(long, value_name = "DIR")]
    replay: Option<PathBuf>,
    /// What to print
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Names of signals in the labels and what the contract calls them: a YAML map
    #[arg(long, value_name = "FILE")]
    signals: Option<PathBuf>,
    /// An earlier evaluation as JSON, of this judge or of another; exit 1 where this one is worse
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

/// Evaluates, prints, and says the exit code: 0 good, 1 worse than the baseline, 2 unreadable input, or texts that a model
/// could not be asked about.
pub(super) fn run(args: &Args) -> u8 {
    match evaluate(args) {
        Ok(code) => code,
        Err(Refusal { code, message }) => {
            complain(&message);
            code
        }
    }
}

fn evaluate(args: &Args) -> Result<u8, Refusal> {
    let unreadable = |message| Refusal { code: UNREADABLE, message };
    let Judging { name, models } = judging(args.asked(), args.tape())?;
    let time = if name == rules::MODEL { Time::Whole } else { Time::Calls };
    let input = Input::read(args).map_err(unreadable)?;
    let dossiers: Vec<Dossier> = input.labelled.iter().map(|case| dossier(case, &input.contracts)).collect();
    let reached = Bench::of(models).map_err(unreadable)?.reach_all(&dossiers);
    let frame = Frame { contracts: &input.contracts, names: &input.names, time };
    let judged: Vec<Judged> =
        input.labelled.into_iter().zip(reached).map(|(case, reached)| frame.judged(case, reached)).collect();
    let gap = Gap::of(&judged, args.tape());
    let evaluation = score::evaluate(name, judged);
    if let Some(gap) = gap {
        if gap.answered > 0 {
            // What was paid for is worth a look; figures of a part are no evaluation.
            say(&show(args, &evaluation, None).map_err(unreadable)?);
        }
        return Err(unreadable(gap.message));
    }
    let compared = input.baseline.map(|before| baseline::compare(&before, &evaluation));
    if let Some(path) = &args.save {
        let saved = std::fs::write(path, json(&evaluation.settled()));
        saved.map_err(|error| unreadable(format!("{}: {error}", path.display())))?;
    }
    say(&show(args, &evaluation, compared.as_ref()).map_err(unreadable)?);
    Ok(if compared.is_some_and(|compared| compared.is_worse()) { WORSE } else { 0 })
}

impl Args {
    fn tape(&self) -> Tape<'_> {
        match (&self.record, &self.replay) {
            (Some(folder), _) => Tape::Record(folder),
            (None, Some(folder)) => Tape::Replay(folder),
            (None, None) => Tape::Live,
        }
    }

    /// Nobody pays for hundreds of texts because a variable happens to be set.
    fn asked(&self) -> Option<&str> {
        match (&self.judge, &self.replay) {
            (None, None) => Some(rules::MODEL),
            (judge, _) => judge.as_deref(),
        }
    }
}

/// Everything that is read before anybody judges, so that nothing is paid for in vain.
struct Input {
    labelled: Vec<Labelled>,
    contracts: Contracts,
    names: BTreeMap<String, String>,
    baseline: Option<Evaluation>,
}

impl Input {
    fn read(args: &Args) -> Result<Self, String> {
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
        let baseline = args.baseline.as_deref().map(baseline::read).transpose()?;
        Ok(Self { labelled, contracts, names, baseline })
    }
}

/// Texts that a model was not asked about, or could not be.
struct Gap {
    /// Texts that it was asked about all the same.
    answered: usize,
    message: String,
}

impl Gap {
    fn of(judged: &[Judged], tape: Tape<'_>) -> Option<Self> {
        let unasked: Vec<&Unjudged> = judged.iter().filter_map(|case| case.unasked.as_ref()).collect();
        // That nothing more was sent says less than why.
        let why = unasked.iter().min_by_key(|why| matches!(why, Unjudged::Resting { .. }))?;
        let answered = judged.iter().filter(|case| !case.paid.is_empty()).count();
        let mut message = format!("{} of the texts could not be judged: {}", unasked.len(), said(why));
        if let Tape::Replay(_) = tape {
            message +=
                "; replies hold for the texts, the contract and the version of Sekisho that they were recorded with";
        }
        if answered > 0 {
            message += "; figures of the rest are no evaluation, and none is saved or compared";
        }
        Some(Self { answered, message })
    }
}

fn said(why: &Unjudged) -> String {
    match why {
        Unjudged::Faulty { judge, faults } => format!("{judge}: {faults}"),
        Unjudged::Failed { detail, .. } => detail.clone(),
        Unjudged::Resting { judge, .. } => format!("{judge} failed again and again"),
        Unjudged::UsedUp { scope, .. } => format!("the {scope}'s budget of the day is used up"),
        Unjudged::Unmapped { tier } => format!("no model is mapped to the tier `{tier}`"),
        Unjudged::NoSecondOpinion { tier, opinions } => {
            format!("the models of the tier `{tier}` are of fewer than {opinions} families")
        }
    }
}

fn show(args: &Args, evaluation: &Evaluation, compared: Option<&baseline::Compared>) -> Result<String, String> {
    match &args.format {
        Format::Text => Ok(report::text(evaluation, compared)),
        Format::Json => Ok(json(evaluation)),
        Format::Html => page::html(evaluation, compared),
    }
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
