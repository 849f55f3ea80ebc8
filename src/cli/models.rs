//! From settings to models: the one place where a configured model becomes a judge that can be asked.

use crate::adapters::model::{Anthropic, Form, OpenAi, Settings};
use crate::app::models::{self, Model, Policy};
use crate::config::{self, Models, Notice, Provider, Spec, Tier};
use crate::domain::contract::builtin;
use crate::domain::ids::{GateId, Language};
use crate::ports::{Budgets, Clock, Judge};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// A model that can be asked. Nothing is sent yet.
///
/// # Errors
/// One line that says why it cannot be asked; no key is in it.
pub(super) fn judge(tier: &Tier, timeout: Duration) -> Result<Arc<dyn Judge>, String> {
    Ok(connect(tier, timeout)?.judge())
}

/// A model whose server can be asked, besides, how it holds a reply to its form.
pub(super) enum Connection {
    Anthropic(Arc<Anthropic>),
    OpenAi(Arc<OpenAi>),
}

/// As [`judge`] does it.
pub(super) fn connect(tier: &Tier, timeout: Duration) -> Result<Connection, String> {
    let Tier { url, key, model, .. } = tier;
    let settings = Settings { url: url.as_str().to_owned(), key: key.clone(), model: model.clone(), timeout };
    let connection = match tier.provider {
        Provider::Anthropic => Anthropic::new(&settings).map(Arc::new).map(Connection::Anthropic),
        Provider::OpenAi => OpenAi::new(&settings, None).map(Arc::new).map(Connection::OpenAi),
    };
    connection.map_err(|error| error.to_string())
}

impl Connection {
    /// The model.
    pub fn judge(&self) -> Arc<dyn Judge> {
        match self {
            Self::Anthropic(judge) => Arc::clone(judge) as Arc<dyn Judge>,
            Self::OpenAi(judge) => Arc::clone(judge) as Arc<dyn Judge>,
        }
    }

    /// How replies are held to their form; none = nothing was answered yet.
    pub fn form(&self) -> Option<Form> {
        match self {
            Self::Anthropic(_) => Some(Form::Tool),
            Self::OpenAi(judge) => judge.form(),
        }
    }
}

/// The models of this configuration; what looks unintended is said at the start.
///
/// # Errors
/// As [`judge`].
pub(super) fn of(configured: &config::Judge, clock: &Arc<dyn Clock>) -> Result<models::Models, String> {
    let config::Judge::Models(settings) = configured else { return Ok(models::Models::default()) };
    for tier in &settings.tiers {
        tracing::info!(tier = tier.alias, judge = %tier.spec(), "a model judges beside the rules");
    }
    for notice in notices(settings) {
        tracing::warn!(todo = notice.todo, "{}", notice.what);
    }
    let policy = Policy { concurrency: settings.calls, ..Policy::default() };
    by_tier(settings, |tier| {
        let judge = judge(tier, settings.timeout)?;
        Ok(Model::new(judge, Arc::clone(clock), policy.clone(), settings.prices.clone()))
    })
}

/// What they may take in a day.
pub(super) fn budgets(configured: &config::Judge) -> Budgets {
    match configured {
        config::Judge::Rules => Budgets::default(),
        config::Judge::Models(models) => models.budgets,
    }
}

/// Every configured model under its tiers; `model` puts one under its limits. One that is mapped to several tiers is one
/// model, with one set of limits.
pub(super) fn by_tier<E>(settings: &Models, model: impl Fn(&Tier) -> Result<Model, E>) -> Result<models::Models, E> {
    let mut connected: Vec<(Spec, Arc<Model>)> = Vec::new();
    let mut mapped = Vec::new();
    for tier in &settings.tiers {
        let spec = tier.spec();
        let known = connected.iter().find(|(known, _)| *known == spec).map(|(_, model)| Arc::clone(model));
        let model = if let Some(model) = known { model } else { Arc::new(model(tier)?) };
        connected.push((spec, Arc::clone(&model)));
        mapped.push((tier.alias.clone(), model));
    }
    Ok(models::Models::by_tier(mapped, settings.families.clone()))
}

/// What is likely not meant: the settings' own notices, and aliases of the built-in contracts that nobody mapped. For
/// the start of a server, and for `sekisho doctor`.
pub(super) fn notices(models: &Models) -> Vec<Notice> {
    let mut notices = models.notices();
    let mut unmapped: BTreeMap<String, Vec<GateId>> = BTreeMap::new();
    for language in [Language::Ja, Language::En] {
        for (alias, gates) in models.unmapped(builtin(language)) {
            let named = unmapped.entry(alias).or_default();
            named.extend(gates);
            named.sort_unstable();
            named.dedup();
        }
    }
    notices.extend(unmapped.into_iter().map(|(alias, gates)| Notice {
        what: format!(
            "SEKISHO_MODELS does not map `{alias}`, which the built-in contracts name at {}: where a repository has no \
             contract of its own, nothing is judged there",
            listed(&gates)
        ),
        todo: format!("add {alias}=PROVIDER:ID to SEKISHO_MODELS"),
    }));
    notices
}

/// Gates in a sentence.
pub(super) fn listed(gates: &[GateId]) -> String {
    gates.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
