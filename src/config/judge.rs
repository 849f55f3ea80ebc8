//! Who judges: the settings of models become a [`Judge`], or everything that is wrong with them.
//!
//! No problem repeats a word of a setting: keys may have been pasted anywhere. Entries are told by their number.

use super::entry::{self, Entry, Keys, is_key, numbered};
use super::models::{ANY, Models, Tier};
use super::spec::{Provider, Spec};
use super::variables::named;
use crate::domain::reply::{Budget, NoAmount, Price};
use crate::ports::Budgets;
use secrecy::SecretString;
use std::str::FromStr;
use std::time::Duration;

/// Who judges.
#[derive(Clone, Debug)]
pub enum Judge {
    /// The embedded judge alone.
    Rules,
    /// Models beside it.
    Models(Models),
}

/// The judge that a command line asks for: `rules`, `models` (those of `SEKISHO_MODELS`), or one model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// The embedded judge alone.
    Rules,
    /// The configured models, whatever `SEKISHO_JUDGE` says.
    Models,
    /// This one model, whatever the alias.
    One(Spec),
}

impl FromStr for Asked {
    type Err = super::spec::NotASpec;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.trim() {
            "rules" => Ok(Self::Rules),
            "models" => Ok(Self::Models),
            spec => spec.parse().map(Self::One),
        }
    }
}

/// The settings that the judge is made of.
pub(super) const NAMES: [&str; 12] = [
    "SEKISHO_JUDGE",
    "SEKISHO_MODELS",
    "SEKISHO_MODEL_KEYS",
    "SEKISHO_MODEL_TIMEOUT",
    "SEKISHO_MODEL_CALLS",
    "SEKISHO_MODEL_FAMILIES",
    "SEKISHO_PRICES",
    "SEKISHO_BUDGET",
    "SEKISHO_BUDGET_INSTALLATION",
    "SEKISHO_BUDGET_REPOSITORY",
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
];

/// What is wrong, and with which setting.
pub(super) type Problems = Vec<(&'static str, String)>;

/// Longest call, in seconds.
const LONGEST: f64 = 600.0;
/// Most calls at the same time.
const MOST_CALLS: usize = 1_000;
/// Shortest key that is looked for where it does not belong: shorter ones stand in names by chance.
const SHORTEST_KEY: usize = 8;

/// Reads the settings, which `get` gives trimmed, or not at all. With rules alone nothing else is looked at.
pub(super) fn read(get: &dyn Fn(&str) -> Option<String>, asked: Option<&Asked>) -> Result<Judge, Problems> {
    let mut reader = Reader { get, problems: Vec::new() };
    if !reader.wants_models(asked) {
        return if reader.problems.is_empty() { Ok(Judge::Rules) } else { Err(reader.problems) };
    }
    let models = reader.models(asked);
    if reader.problems.is_empty() { Ok(Judge::Models(models)) } else { Err(reader.problems) }
}

struct Reader<'g> {
    get: &'g dyn Fn(&str) -> Option<String>,
    problems: Problems,
}

impl Reader<'_> {
    fn wants_models(&mut self, asked: Option<&Asked>) -> bool {
        match (asked, self.text("SEKISHO_JUDGE").as_deref()) {
            (Some(Asked::Rules), _) | (None, Some("rules")) => false,
            (Some(Asked::Models | Asked::One(_)), _) | (None, Some("models")) => true,
            (None, None) => self.text("SEKISHO_MODELS").is_some(),
            (None, Some(_)) => {
                self.problem("SEKISHO_JUDGE", "expected rules or models");
                self.text("SEKISHO_MODELS").is_some()
            }
        }
    }

    /// Everything is read whatever became of the rest; of use to nobody beside a problem.
    fn models(&mut self, asked: Option<&Asked>) -> Models {
        let one = match asked {
            Some(Asked::One(spec)) => Some(spec),
            _ => None,
        };
        let known = self.problems.len();
        let entries = self.entries(asked);
        let keys = self.keys(&entries);
        if one.is_some() {
            // Another model than the configured ones is asked: what is wrong with those is not asked about.
            self.problems.truncate(known);
        }
        let tiers = match one {
            Some(spec) => self.one(spec, &entries, &keys),
            None => self.tiers(&entries, &keys),
        };
        let families = self.pairs("SEKISHO_MODEL_FAMILIES", "expected beginning=family", |family| {
            (!family.is_empty()).then(|| family.to_owned()).ok_or_else(|| "expected beginning=family".to_owned())
        });
        let prices: Vec<(String, Price)> =
            self.pairs("SEKISHO_PRICES", "expected beginning=input/cached/cache_written/output", |price| {
                price.parse().map_err(|error: NoAmount| error.to_string())
            });
        let budgets = Budgets {
            app: self.budget("SEKISHO_BUDGET"),
            installation: self.budget("SEKISHO_BUDGET_INSTALLATION"),
            repository: self.budget("SEKISHO_BUDGET_REPOSITORY"),
        };
        let (timeout, calls) = (self.timeout(), self.calls());
        let models = Models { tiers, families, prices, budgets, timeout, calls };
        if one.is_none() {
            self.priced(&entries, &models);
        }
        models
    }

    fn entries(&mut self, asked: Option<&Asked>) -> Vec<Entry> {
        const NAME: &str = "SEKISHO_MODELS";
        let Some(text) = self.text(NAME) else {
            let such = "expected such as fast=anthropic:ID,strong=openai:ID@URL";
            match asked {
                None => {
                    let what = format!("models are to judge, and SEKISHO_MODELS is not set; {such}");
                    self.problem("SEKISHO_JUDGE", what);
                }
                Some(Asked::Models) => self.problem(NAME, format!("not set; {such}")),
                Some(Asked::One(_) | Asked::Rules) => {}
            }
            return Vec::new();
        };
        let (entries, problems) = entry::entries(&text, &self.secrets());
        self.all(NAME, problems);
        entries
    }

    fn keys(&mut self, entries: &[Entry]) -> Keys {
        const NAME: &str = "SEKISHO_MODEL_KEYS";
        let (keys, problems) = entry::keys(&self.text(NAME).unwrap_or_default(), entries);
        self.all(NAME, problems);
        keys
    }

    fn tiers(&mut self, entries: &[Entry], keys: &Keys) -> Vec<Tier> {
        let without: Vec<&Spec> =
            entries.iter().filter(|entry| entry.key(keys).is_none()).map(|entry| &entry.spec).collect();
        let anthropic = self.shared(Provider::Anthropic, &without);
        let openai = self.shared(Provider::OpenAi, &without);
        let mut tiers = Vec::new();
        for entry in entries {
            let shared = match entry.spec.provider {
                Provider::Anthropic => &anthropic,
                Provider::OpenAi => &openai,
            };
            let key = entry.key(keys).or_else(|| shared.of(&entry.spec));
            if key.is_none() && !matches!(shared, Shared::Unclear) {
                self.without_key(&entry.spec, &format!("entry {} of SEKISHO_MODELS", entry.number));
            }
            tiers.push(tier(&entry.alias, &entry.spec, key));
        }
        tiers
    }

    /// The one model of a command line. The key is that of a configured model of the same server, else the provider's,
    /// unless that is clearly another server's.
    fn one(&mut self, spec: &Spec, entries: &[Entry], keys: &Keys) -> Vec<Tier> {
        let of_provider = || entries.iter().filter(|entry| entry.spec.provider == spec.provider);
        let mut beside = of_provider().filter(|entry| entry.spec.url.origin() == spec.url.origin());
        let own = beside.find_map(|entry| entry.key(keys));
        let elsewhere =
            of_provider().any(|entry| entry.spec.url.origin() != spec.url.origin() && entry.key(keys).is_none());
        let shared = self.provider_key(spec.provider).filter(|_| spec.is_at_the_provider() || !elsewhere);
        let key = own.or(shared);
        if key.is_none() {
            self.without_key(spec, "the judge");
        }
        vec![tier(ANY, spec, key)]
    }

    fn without_key(&mut self, spec: &Spec, who: &str) {
        let (name, whose) = match spec.provider {
            Provider::Anthropic => ("ANTHROPIC_API_KEY", "Anthropic"),
            Provider::OpenAi if spec.is_at_the_provider() => ("OPENAI_API_KEY", "OpenAI"),
            Provider::OpenAi => return,
        };
        let what = format!("{who} asks {whose}, and no key is set for it, here or in SEKISHO_MODEL_KEYS");
        self.problem(name, what);
    }

    /// To whom the provider's key is sent, of those that have no key of their own.
    fn shared(&mut self, provider: Provider, without: &[&Spec]) -> Shared {
        let Some(key) = self.provider_key(provider) else { return Shared::None };
        let mut specs = without.iter().filter(|spec| spec.provider == provider);
        if specs.clone().any(|spec| spec.is_at_the_provider()) {
            return Shared::AtTheProvider(key);
        }
        let first = specs.next().map(|spec| spec.url.origin());
        if specs.any(|spec| Some(spec.url.origin()) != first) {
            let what = "SEKISHO_MODELS names several servers; SEKISHO_MODEL_KEYS says whose key it is";
            self.problem(provider.key_variable(), what);
            return Shared::Unclear;
        }
        Shared::Everywhere(key)
    }

    fn provider_key(&mut self, provider: Provider) -> Option<SecretString> {
        let name = provider.key_variable();
        let key = self.text(name)?;
        if !is_key(&key) {
            self.problem(name, "it holds characters that no key has");
        }
        Some(SecretString::from(key))
    }

    /// A limit in money is kept only where prices are known.
    fn priced(&mut self, entries: &[Entry], models: &Models) {
        let unknown = entries.iter().find(|entry| models.price(&entry.spec.model).is_none());
        let Some(Entry { number, .. }) = unknown else { return };
        let budgets = [
            ("SEKISHO_BUDGET", models.budgets.app),
            ("SEKISHO_BUDGET_INSTALLATION", models.budgets.installation),
            ("SEKISHO_BUDGET_REPOSITORY", models.budgets.repository),
        ];
        for (name, budget) in budgets {
            if budget.money.is_some() {
                let what = "a limit in money needs every price, and none is known of the model";
                self.problem(name, format!("{what} in entry {number} of SEKISHO_MODELS; SEKISHO_PRICES says it"));
            }
        }
    }

    fn pairs<T>(
        &mut self,
        name: &'static str,
        expected: &str,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Vec<(String, T)> {
        let text = self.text(name).unwrap_or_default();
        let mut pairs = Vec::new();
        for (number, item) in numbered(&text) {
            let read = match item.rsplit_once('=').map(|(begins, value)| (begins.trim(), value.trim())) {
                Some((begins, value)) if !begins.is_empty() => parse(value).map(|value| (begins.to_owned(), value)),
                _ => Err(expected.to_owned()),
            };
            match read {
                Ok(pair) => pairs.push(pair),
                Err(what) => self.problem(name, format!("entry {number}: {what}")),
            }
        }
        pairs
    }

    fn budget(&mut self, name: &'static str) -> Budget {
        let Some(text) = self.text(name) else { return Budget::default() };
        text.parse().unwrap_or_else(|error: NoAmount| {
            self.problem(name, error.to_string());
            Budget::default()
        })
    }

    fn timeout(&mut self) -> Duration {
        const NAME: &str = "SEKISHO_MODEL_TIMEOUT";
        let seconds = self.or_default(NAME).parse().ok().filter(|seconds: &f64| *seconds <= LONGEST);
        let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).filter(|time| !time.is_zero());
        time.unwrap_or_else(|| {
            self.problem(NAME, "expected seconds, more than 0 and at most 600");
            Duration::ZERO
        })
    }

    fn calls(&mut self) -> usize {
        const NAME: &str = "SEKISHO_MODEL_CALLS";
        let calls = self.or_default(NAME).parse().ok().filter(|calls| (1..=MOST_CALLS).contains(calls));
        calls.unwrap_or_else(|| {
            self.problem(NAME, "expected a number of calls, 1 to 1000");
            0
        })
    }

    /// Every key that is set, where it is long enough to be looked for.
    fn secrets(&self) -> Vec<String> {
        let own = self.text("SEKISHO_MODEL_KEYS").unwrap_or_default();
        let own = numbered(&own).map(|(_, item)| item.split_once(':').map_or(item, |(_, key)| key).trim().to_owned());
        let shared = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"].into_iter().filter_map(|name| self.text(name));
        own.chain(shared).filter(|key| key.len() >= SHORTEST_KEY).collect()
    }

    fn text(&self, name: &str) -> Option<String> {
        (self.get)(name)
    }

    fn or_default(&self, name: &str) -> String {
        self.text(name).unwrap_or_else(|| named(name).map_or("", |variable| variable.default).to_owned())
    }

    fn all(&mut self, name: &'static str, problems: Vec<String>) {
        for problem in problems {
            self.problem(name, problem);
        }
    }

    fn problem(&mut self, name: &'static str, what: impl Into<String>) {
        let problem = (name, what.into());
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }
}

/// To which servers a provider's key is sent.
enum Shared {
    /// There is none.
    None,
    /// To none, since it cannot be told which one is meant.
    Unclear,
    /// To the provider itself: a key that is valid there is no other server's.
    AtTheProvider(SecretString),
    /// To the one server that speaks this protocol here.
    Everywhere(SecretString),
}

impl Shared {
    fn of(&self, spec: &Spec) -> Option<SecretString> {
        match self {
            Self::None | Self::Unclear => None,
            Self::AtTheProvider(key) => spec.is_at_the_provider().then(|| key.clone()),
            Self::Everywhere(key) => Some(key.clone()),
        }
    }
}

fn tier(alias: &str, spec: &Spec, key: Option<SecretString>) -> Tier {
    let Spec { provider, model, url } = spec.clone();
    Tier { alias: alias.to_owned(), provider, model, url, key }
}

#[cfg(test)]
mod tests;
