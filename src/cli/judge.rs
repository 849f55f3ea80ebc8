//! `sekisho judge`: the service's own path from subject to rendered comment, forge left out (chapter 10).

use super::judging::{Judging, Tape, judging};
use super::spending::Spending;
use super::verdict::{Bench, Question, Reached};
use super::{UNREADABLE, complain, gate, on_disk, say};
use crate::domain::contract;
use crate::domain::effect::{Effect, EffectId, EffectKind};
use crate::domain::ids::GateId;
use crate::domain::record::{Disposition, Record};
use crate::domain::reply::Unjudged;
use crate::domain::run::{Contracts, Done, Dossier, StoredRecord};
use crate::domain::view::Reason;
use crate::render;
use chrono::{DateTime, Utc};
use clap::{Args as ClapArgs, ValueEnum};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Largest input: GitHub's own bodies are far smaller.
const LIMIT: u64 = 25 * 1024 * 1024;

/// Arguments of `sekisho judge`.
#[derive(Debug, ClapArgs)]
pub(super) struct Args {
    /// The gate: acceptance, split, start, outcome or integration
    #[arg(value_parser = gate)]
    gate: GateId,
    /// The text to judge; - for standard input
    file: PathBuf,
    /// The reference text: for start the parent's requirement, for outcome the issue, for split and integration the parent
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
    /// The contract; without it the built-in of the text's language
    #[arg(long, value_name = "FILE")]
    contract: Option<PathBuf>,
    /// Earlier records of the same subject, JSON Lines, oldest first
    #[arg(long, value_name = "FILE")]
    history: Option<PathBuf>,
    /// Who judges: rules, models (the configured ones), anthropic:ID, openai:ID or openai:ID@URL; without it whoever is
    /// configured. One model judges whatever tier the contract names
    #[arg(long, value_name = "JUDGE")]
    judge: Option<String>,
    /// What to print
    #[arg(long, value_enum, default_value = "markdown")]
    format: Format,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// The comment as it would stand on GitHub
    Markdown,
    /// The machine record
    Json,
}

/// Judges, prints, and says the exit code: 0 PASS, 1 a return, 2 triage, not judged or unreadable.
pub(super) fn run(args: &Args) -> u8 {
    let judging = match judging(args.judge.as_deref(), Tape::Live) {
        Ok(judging) => judging,
        Err(refusal) => {
            complain(&refusal.message);
            return refusal.code;
        }
    };
    match dossier(args, Utc::now()) {
        Ok(dossier) => conclude(&dossier, judging, args.format),
        Err(problem) => {
            complain(&problem);
            UNREADABLE
        }
    }
}

fn dossier(args: &Args, now: DateTime<Utc>) -> Result<Dossier, String> {
    let question = Question {
        gate: args.gate,
        title: String::new(),
        body: read(&args.file)?,
        against: args.against.as_deref().map(read).transpose()?,
        contracts: args.contract.as_deref().map_or(Ok(Contracts::Absent), contracts)?,
        records: args.history.as_deref().map_or(Ok(Vec::new()), |path| history(path, args.gate))?,
    };
    Ok(question.dossier(now))
}

fn conclude(dossier: &Dossier, Judging { name, models }: Judging, format: Format) -> u8 {
    match Bench::of(models).and_then(|bench| bench.reach(dossier)) {
        Ok(Reached { done, paid, .. }) => {
            if !paid.is_empty() {
                complain(&format!("{name}: {}", Spending::of(&paid)));
            }
            print(dossier, done, format)
        }
        Err(problem) => {
            complain(&problem);
            UNREADABLE
        }
    }
}

fn print(dossier: &Dossier, done: Done, format: Format) -> u8 {
    let (Some(record), Some(view)) = (done.record, &done.view) else {
        return without_record(dossier, &done.effects, format);
    };
    let text = match format {
        Format::Json => json(&record),
        Format::Markdown => {
            let marker = EffectId { run: record.run.clone(), kind: EffectKind::Comment, ordinal: 0 };
            match render::verdict_comment(&record, view, &marker) {
                Ok(comment) => comment,
                Err(error) => {
                    complain(&error.to_string());
                    return UNREADABLE;
                }
            }
        }
    };
    // The comment says what everybody may read; whoever runs it wants the provider's own words.
    for reason in &view.reasons {
        if let Reason::Unjudged { why: Unjudged::Failed { error, detail, .. }, .. } = reason
            && error != detail
        {
            complain(detail);
        }
    }
    say(&(text + "\n"));
    code(record.disposition)
}

/// Nothing new to record: the history's newest record answers, or a short reply does.
fn without_record(dossier: &Dossier, effects: &[Effect], format: Format) -> u8 {
    for effect in effects {
        if let Effect::Reply(reply) = effect {
            let id = EffectId { run: dossier.run.clone(), kind: EffectKind::Reply, ordinal: 0 };
            say(&(render::reply_comment(reply, &id) + "\n"));
            return UNREADABLE;
        }
    }
    let newest = dossier.facts.records.as_deref().and_then(<[StoredRecord]>::last);
    let Some(StoredRecord { record, .. }) = newest else { return UNREADABLE };
    match format {
        Format::Json => say(&(json(record) + "\n")),
        Format::Markdown => complain("unchanged since the newest record of the history; --format json prints it"),
    }
    code(record.disposition)
}

fn code(disposition: Disposition) -> u8 {
    match disposition {
        Disposition::Passed | Disposition::Overridden => 0,
        Disposition::Returned => 1,
        Disposition::Triage | Disposition::NotJudged => UNREADABLE,
    }
}

fn json(record: &Record) -> String {
    serde_json::to_string_pretty(record).unwrap_or_default()
}

pub(super) fn contracts(path: &Path) -> Result<Contracts, String> {
    let bytes = read_bytes(path, LIMIT)?;
    let loaded = on_disk::load_bytes(path, &bytes);
    let errors: Vec<String> = loaded
        .problems
        .iter()
        .filter(|problem| problem.severity == contract::Severity::Error)
        .map(|problem| format!("  {problem}\n    | {}", problem.source))
        .collect();
    match loaded.contract {
        Some(contract) if errors.is_empty() => {
            Ok(Contracts::InForce { contracts: vec![contract], notices: loaded.problems })
        }
        _ if errors.is_empty() => Err(format!("{} holds no contract of kind handoff", path.display())),
        _ => Err(format!("the contract cannot be used:\n{}", errors.join("\n"))),
    }
}

fn history(path: &Path, gate: GateId) -> Result<Vec<StoredRecord>, String> {
    let text = read(path)?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let records = lines.map(|(index, line)| {
        serde_json::from_str::<Record>(line)
            .map_err(|error| format!("{}:{}: not a record: {error}", path.display(), index + 1))
    });
    let records: Vec<Record> = records.collect::<Result<_, _>>()?;
    let mine = records.into_iter().filter(|record| record.gate == gate);
    Ok(mine.map(|record| StoredRecord { record, comment: None }).collect())
}

pub(super) fn read(path: &Path) -> Result<String, String> {
    read_up_to(path, LIMIT)
}

/// Reads a text of at most so many bytes; - is standard input.
pub(super) fn read_up_to(path: &Path, limit: u64) -> Result<String, String> {
    let bytes = read_bytes(path, limit)?;
    String::from_utf8(bytes)
        .map_err(|error| format!("{}: not UTF-8 at byte {}", path.display(), error.utf8_error().valid_up_to()))
}

fn read_bytes(path: &Path, limit: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let taken = if path == Path::new("-") {
        std::io::stdin().lock().take(limit + 1).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(limit + 1).read_to_end(&mut bytes))
    };
    match taken {
        Err(error) => Err(format!("{}: {error}", path.display())),
        Ok(_) if bytes.len() as u64 > limit => Err(format!("{}: larger than {limit} bytes", path.display())),
        Ok(_) => Ok(bytes),
    }
}
