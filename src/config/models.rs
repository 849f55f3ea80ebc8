//! The models that judge, as an operator set them up: which alias is which model, with its key, and what all of it may cost.

use super::spec::{Provider, Spec};
use crate::domain::contract::Contract;
use crate::domain::ids::GateId;
use crate::domain::reply::{self, Price};
use crate::ports::Budgets;
use secrecy::SecretString;
use std::collections::BTreeMap;
use std::time::Duration;
use url::Url;

/// Everything about model judges. `Debug` shows no key.
#[derive(Clone, Debug)]
pub struct Models {
    /// Aliases and their models, in the order of `SEKISHO_MODELS`. An alias may stand several times.
    pub tiers: Vec<Tier>,
    /// `SEKISHO_MODEL_FAMILIES`: beginnings of models' names and their families.
    pub families: Vec<(String, String)>,
    /// `SEKISHO_PRICES`: beginnings of models' names and their prices.
    pub prices: Vec<(String, Price)>,
    /// `SEKISHO_BUDGET`, `SEKISHO_BUDGET_INSTALLATION`, `SEKISHO_BUDGET_REPOSITORY`: what may be used in a day.
    pub budgets: Budgets,
    /// `SEKISHO_MODEL_TIMEOUT`: how long one call may take.
    pub timeout: Duration,
    /// `SEKISHO_MODEL_CALLS`: calls at the same time for each model.
    pub calls: usize,
}

/// A model under an alias that contracts name.
#[derive(Clone, Debug)]
pub struct Tier {
    /// The alias, such as `strong`; [`ANY`] for the one model that a command line names.
    pub alias: String,
    /// The protocol.
    pub provider: Provider,
    /// The model's id.
    pub model: String,
    /// The base address.
    pub url: Url,
    /// The key; none for a server that asks for none.
    pub key: Option<SecretString>,
}

/// Something that works, but likely not as it was meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// What, one line.
    pub what: String,
    /// What to do about it, one line.
    pub todo: String,
}

/// The alias that stands for every alias. No setting can say it, only a model that a command line names.
pub const ANY: &str = "*";

impl Models {
    /// The models of an alias: the first one judges, the further ones are asked for a second opinion. None = not mapped.
    pub fn of<'m>(&'m self, alias: &'m str) -> impl Iterator<Item = &'m Tier> {
        self.tiers.iter().filter(move |tier| tier.alias == alias || tier.alias == ANY)
    }

    /// The price of a model, by its name as it was asked for or returned.
    #[must_use]
    pub fn price(&self, model: &str) -> Option<Price> {
        reply::price(model, &self.prices)
    }

    /// The family of a model, by its name as it was asked for or returned.
    #[must_use]
    pub fn family<'m>(&'m self, model: &str) -> Option<&'m str> {
        reply::family(model, &self.families)
    }

    /// Aliases that a contract's gates name and nobody mapped, with the gates that name them: nothing is judged there.
    #[must_use]
    pub fn unmapped(&self, contract: &Contract) -> BTreeMap<String, Vec<GateId>> {
        let mut unmapped: BTreeMap<String, Vec<GateId>> = BTreeMap::new();
        for gate in contract.gates.iter().filter(|gate| gate.enabled) {
            for alias in [&gate.model, &gate.escalate_to].into_iter().flatten() {
                if self.of(alias).next().is_none() {
                    unmapped.entry(alias.clone()).or_default().push(gate.id);
                }
            }
        }
        unmapped
    }

    /// Aliases that gates with a panel name and that have no second opinion, with those gates: nothing is judged there.
    #[must_use]
    pub fn alone(&self, contract: &Contract) -> BTreeMap<String, Vec<GateId>> {
        let mut alone: BTreeMap<String, Vec<GateId>> = BTreeMap::new();
        for gate in contract.gates.iter().filter(|gate| gate.enabled && gate.panel > 1) {
            for alias in [&gate.model, &gate.escalate_to].into_iter().flatten() {
                let mut models = self.of(alias);
                let first = models.next().filter(|tier| tier.alias != ANY);
                if first.is_some_and(|first| !models.any(|other| self.are_two(first, other))) {
                    alone.entry(alias.clone()).or_default().push(gate.id);
                }
            }
        }
        alone
    }

    /// Whether two models are two opinions.
    fn are_two(&self, one: &Tier, other: &Tier) -> bool {
        reply::independent(&one.model, &other.model, &self.families)
    }

    /// What of the settings works, but likely not as it was meant.
    #[must_use]
    pub fn notices(&self) -> Vec<Notice> {
        let mut notices = Vec::new();
        let mut aliases: Vec<&str> = self.tiers.iter().map(|tier| tier.alias.as_str()).collect();
        aliases.sort_unstable();
        aliases.dedup();
        for alias in aliases {
            let mut models = self.of(alias);
            let Some(first) = models.next() else { continue };
            let others: Vec<&Tier> = models.collect();
            if others.is_empty() || others.iter().any(|other| self.are_two(first, other)) {
                continue;
            }
            let named =
                |tier: &Tier| format!("{} ({})", tier.model, self.family(&tier.model).unwrap_or("family unknown"));
            let all: Vec<String> = std::iter::once(first).chain(others).map(named).collect();
            notices.push(Notice {
                what: format!("{alias}: no second opinion, since no two families are known: {}", all.join(", ")),
                todo: "use models of two makers; SEKISHO_MODEL_FAMILIES says what is not known".to_owned(),
            });
        }
        for tier in self.tiers.iter().filter(|tier| tier.spec().is_in_the_clear()) {
            let what = if tier.key.is_some() { "texts and the key" } else { "texts" };
            notices.push(Notice {
                what: format!("{}: {what} go over plain HTTP to {}", tier.alias, tier.host()),
                todo: "use https, unless that network is yours alone".to_owned(),
            });
        }
        notices
    }
}

impl Tier {
    /// What it asks, without alias and key.
    #[must_use]
    pub fn spec(&self) -> Spec {
        Spec { provider: self.provider, model: self.model.clone(), url: self.url.clone() }
    }

    /// `HOST` or `HOST:PORT`.
    #[must_use]
    pub fn host(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        self.url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }
}
