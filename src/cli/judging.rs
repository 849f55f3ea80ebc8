//! `--judge` of the command line: which models are asked beside the rules, live, recorded or played back (chapter 4).

use super::{UNREADABLE, USAGE};
use crate::adapters::clock::SystemClock;
use crate::adapters::model::{Anthropic, OpenAi, Record, Replay, Settings, recorded_judges};
use crate::app::models::{Model, Models, Policy};
use crate::domain::reply::Price;
use crate::domain::rules;
use crate::ports::Judge;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Who judges.
pub(super) struct Judging {
    /// How reports call it: `rules`, `anthropic:…`, `openai:…`. Where a server stands is not part of it.
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
/// A word that names no judge, a model that cannot be set up, a folder that does not say who was recorded.
pub(super) fn judging(judge: Option<&str>, tape: Tape<'_>) -> Result<Judging, Refusal> {
    let asked = match (judge, tape) {
        (Some(judge), _) => read(judge).map_err(|message| Refusal { code: USAGE, message })?,
        (None, Tape::Replay(folder)) => recorded(folder).map_err(unusable)?,
        (None, Tape::Live | Tape::Record(_)) => configured(),
    };
    match (asked, tape) {
        (Asked::Rules, Tape::Live) => Ok(Judging { name: rules::MODEL.to_owned(), models: Models::default() }),
        (Asked::Rules, Tape::Record(_) | Tape::Replay(_)) => {
            let message = "rules have no replies to record or to play back; --judge names a model".to_owned();
            Err(Refusal { code: USAGE, message })
        }
        (Asked::One(spec), Tape::Replay(folder)) => Ok(one(&spec, Arc::new(Replay::new(&spec.name(), folder)))),
        (Asked::One(spec), tape) => {
            let mut judge = spec.connect().map_err(unusable)?;
            if let Tape::Record(folder) = tape {
                judge = Arc::new(Record::new(judge, folder));
            }
            Ok(one(&spec, judge))
        }
    }
}

fn unusable(message: String) -> Refusal {
    Refusal { code: UNREADABLE, message }
}

fn one(spec: &Spec, judge: Arc<dyn Judge>) -> Judging {
    let name = judge.name().to_owned();
    Judging { name, models: Models::one(Model::new(judge, Arc::new(SystemClock), policy(), price(&spec.model))) }
}

/// The judge of a folder that was recorded with one.
fn recorded(folder: &Path) -> Result<Asked, String> {
    let judges = recorded_judges(folder)?;
    let mut names = judges.iter();
    match (names.next(), names.next()) {
        (Some(one), None) => read(one),
        _ => {
            let all: Vec<&str> = judges.iter().map(String::as_str).collect();
            Err(format!("{}: several judges are recorded; --judge says which: {}", folder.display(), all.join(", ")))
        }
    }
}

/// Patient with a provider that is busy, and quick to say that one is not there: refused connections use up the attempts
/// within seconds. So many failures in a row let every text that is asked about at the same time tell its own error before
/// nothing more is sent.
fn policy() -> Policy {
    let attempts = 4;
    Policy { attempts, failures: attempts * 10, ..Policy::default() }
}

/// What the operator's configuration says: `SEKISHO_JUDGE` and `SEKISHO_MODELS`.
fn configured() -> Asked {
    Asked::Rules
}

/// What a model costs.
fn price(_model: &str) -> Option<Price> {
    None
}

/// Longest wait for one reply.
const TIMEOUT: Duration = Duration::from_mins(2);

enum Asked {
    Rules,
    One(Spec),
}

struct Spec {
    provider: &'static str,
    model: String,
    url: String,
}

fn read(text: &str) -> Result<Asked, String> {
    let expected = "--judge: expected rules, models, anthropic:ID, openai:ID or openai:ID@URL";
    let (provider, own) = match text.split_once(':') {
        None if text == "rules" => return Ok(Asked::Rules),
        Some(("anthropic", _)) => ("anthropic", "https://api.anthropic.com"),
        Some(("openai", _)) => ("openai", "https://api.openai.com/v1"),
        _ => return Err(expected.to_owned()),
    };
    let rest = &text[provider.len() + 1..];
    let at = ["@http://", "@https://"].iter().filter_map(|begin| rest.rfind(begin)).max();
    let (model, url) = at.map_or((rest, own), |at| (&rest[..at], &rest[at + 1..]));
    if model.is_empty() {
        return Err(format!("{expected}; the model's id is empty"));
    }
    Ok(Asked::One(Spec { provider, model: model.to_owned(), url: url.to_owned() }))
}

impl Spec {
    fn name(&self) -> String {
        format!("{}:{}", self.provider, self.model)
    }

    fn connect(&self) -> Result<Arc<dyn Judge>, String> {
        let settings = Settings { url: self.url.clone(), key: None, model: self.model.clone(), timeout: TIMEOUT };
        let judge: Result<Arc<dyn Judge>, _> = match self.provider {
            "anthropic" => Anthropic::new(&settings).map(|judge| Arc::new(judge) as _),
            _ => OpenAi::new(&settings, None).map(|judge| Arc::new(judge) as _),
        };
        judge.map_err(|error| error.to_string())
    }
}
