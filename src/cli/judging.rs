//! `--judge` of the command line: which models are asked beside the rules, live, recorded or played back (chapter 4).

use super::{UNREADABLE, USAGE, models as connected};
use crate::adapters::clock::SystemClock;
use crate::adapters::model::{Record, Replay, recorded_judges};
use crate::app::models::{Model, Models, Policy};
use crate::config::{self, Asked, Judge as Configured, Provider, Spec, Tier};
use crate::domain::rules;
use crate::ports::Judge;
use std::path::Path;
use std::sync::Arc;

/// Who judges.
pub(super) struct Judging {
    /// How reports call it: `rules`, `anthropic:…`, `openai:…`, `fast=anthropic:…, strong=…`. Where a server stands is not
    /// part of it.
    pub name: String,
    /// The models; none with rules alone.
    pub models: Models,
}

/// Where replies of models come from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Tape<'p> {
    /// From the models.
    Live,
    /// From the models, and each is kept in this folder.
    Record(&'p Path),
    /// From this folder alone: nothing is sent anywhere.
    Replay(&'p Path),
}

/// Why nobody can judge.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    /// The exit code.
    pub code: u8,
    /// What and where.
    pub message: String,
}

/// Who judges where the command line says `judge`. None = who judges is not said: what the configuration says, or whoever
/// was recorded.
///
/// # Errors
/// A word that names no judge, settings with problems, a folder that does not say who was recorded.
pub(super) fn judging(judge: Option<&str>, tape: Tape<'_>) -> Result<Judging, Refusal> {
    let asked = match (judge, tape) {
        (Some(judge), _) => Some(read(judge)?),
        (None, Tape::Replay(folder)) => Some(recorded(folder)?),
        (None, Tape::Live | Tape::Record(_)) => None,
    };
    match (settings(asked.as_ref(), tape)?, tape) {
        (Configured::Rules, Tape::Live) => Ok(Judging { name: rules::MODEL.to_owned(), models: Models::default() }),
        (Configured::Rules, Tape::Record(_) | Tape::Replay(_)) => {
            let message = "rules have no replies to record or to play back; --judge names a model".to_owned();
            Err(Refusal { code: USAGE, message })
        }
        (Configured::Models(models), tape) => match asked {
            Some(Asked::One(spec)) => one(&spec, &models, tape),
            _ => tiers(&models, tape),
        },
    }
}

fn unusable(message: String) -> Refusal {
    Refusal { code: UNREADABLE, message }
}

fn read(judge: &str) -> Result<Asked, Refusal> {
    judge.parse().map_err(|error| Refusal { code: USAGE, message: format!("--judge: {error}; or rules, or models") })
}

/// The judge of a folder that was recorded with one.
fn recorded(folder: &Path) -> Result<Asked, Refusal> {
    let judges = recorded_judges(folder).map_err(unusable)?;
    let mut names = judges.iter();
    if let (Some(one), None) = (names.next(), names.next()) {
        return read(one);
    }
    let all: Vec<&str> = judges.iter().map(String::as_str).collect();
    let (folder, all) = (folder.display(), all.join(", "));
    Err(unusable(format!("{folder}: several judges are recorded; --judge says which: {all}")))
}

/// The settings of the judge that is asked for.
fn settings(asked: Option<&Asked>, tape: Tape<'_>) -> Result<Configured, Refusal> {
    let keyless = match (asked, tape) {
        (Some(Asked::One(spec)), Tape::Replay(_)) => keyless(spec),
        _ => None,
    };
    Configured::load(None, keyless.as_ref().or(asked)).map_err(|problems| {
        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        unusable(problems.join("\nsekisho: "))
    })
}

/// Nobody is asked in a replay, so no key is missing: a model of that name at a server that wants none has the same
/// prices and limits.
fn keyless(spec: &Spec) -> Option<Asked> {
    let url = "http://localhost".parse().ok()?;
    Some(Asked::One(Spec { provider: Provider::OpenAi, model: spec.model.clone(), url }))
}

fn one(spec: &Spec, settings: &config::Models, tape: Tape<'_>) -> Result<Judging, Refusal> {
    let name = name(spec);
    let judge = match (tape, settings.tiers.first()) {
        (Tape::Replay(folder), _) => Arc::new(Replay::new(&name, folder)),
        (_, Some(tier)) => judge(tier, settings, tape)?,
        (_, None) => return Err(unusable(format!("{name} is not set up"))),
    };
    Ok(Judging { name, models: Models::one(model(judge, settings)) })
}

/// The models of `SEKISHO_MODELS`.
fn tiers(settings: &config::Models, tape: Tape<'_>) -> Result<Judging, Refusal> {
    let names: Vec<String> =
        settings.tiers.iter().map(|tier| format!("{}={}", tier.alias, name(&tier.spec()))).collect();
    let models = connected::by_tier(settings, |tier| Ok(model(judge(tier, settings, tape)?, settings)))?;
    Ok(Judging { name: names.join(", "), models })
}

/// `anthropic:ID`, `openai:ID`: as judges call themselves.
fn name(spec: &Spec) -> String {
    format!("{}:{}", spec.provider.word(), spec.model)
}

fn judge(tier: &Tier, settings: &config::Models, tape: Tape<'_>) -> Result<Arc<dyn Judge>, Refusal> {
    if let Tape::Replay(folder) = tape {
        return Ok(Arc::new(Replay::new(&name(&tier.spec()), folder)));
    }
    let judge = connected::judge(tier, settings.timeout).map_err(unusable)?;
    Ok(match tape {
        Tape::Record(folder) => Arc::new(Record::new(judge, folder)),
        Tape::Live | Tape::Replay(_) => judge,
    })
}

fn model(judge: Arc<dyn Judge>, settings: &config::Models) -> Model {
    Model::new(judge, Arc::new(SystemClock), policy(settings.calls), settings.prices.clone())
}

/// Patient with a provider that is busy, and quick to say that one is not there: refused connections use up the attempts
/// within seconds. So many failures in a row let every text that is asked about at the same time tell its own error before
/// nothing more is sent.
fn policy(concurrency: usize) -> Policy {
    let attempts = 4;
    Policy { attempts, failures: attempts * 10, concurrency, ..Policy::default() }
}
