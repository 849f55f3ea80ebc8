//! Models beside the rules (chapter 4): which of them is asked, and what all of them say together.
//!
//! Nothing here decides what a verdict is. What comes out is what the judges found, checked and united, or the reason why
//! there is nothing, and in both cases the receipts of what was paid for. Read `model` for how one is asked.

mod breaker;
mod model;
mod purse;

pub use model::{Consultation, Model, Policy};
pub use purse::{Bottomless, Buyer, Purse};

use crate::domain::reply::{self, Checked, Judged, Questions, United, Unjudged, unite};
use crate::domain::rules;
use crate::domain::run::{Consult, Judges, Panel};
use futures::future::{BoxFuture, FutureExt as _, join_all};
use futures::stream::{self, StreamExt as _};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Consultations of one run at the same time; each model has a limit of its own beside it.
const AT_ONCE: usize = 4;

/// Every model that the operator offers.
#[derive(Default)]
pub struct Models {
    offered: Offered,
    /// What the operator added to the family table: a name's beginning, and the family.
    families: Vec<(String, String)>,
}

#[derive(Default)]
enum Offered {
    #[default]
    Nothing,
    One(Arc<Model>),
    Tiers(BTreeMap<String, Vec<Arc<Model>>>),
}

impl Models {
    /// One model, whatever tier a contract names.
    #[must_use]
    pub fn one(model: Model) -> Self {
        Self { offered: Offered::One(Arc::new(model)), families: Vec::new() }
    }

    /// Models by tier, in the operator's order: the first judges, the others are second opinions.
    #[must_use]
    pub fn by_tier(models: impl IntoIterator<Item = (String, Arc<Model>)>, families: Vec<(String, String)>) -> Self {
        let mut tiers: BTreeMap<String, Vec<Arc<Model>>> = BTreeMap::new();
        for (tier, model) in models {
            tiers.entry(tier).or_default().push(model);
        }
        Self { offered: Offered::Tiers(tiers), families }
    }

    /// What a gate can ask for.
    #[must_use]
    pub fn judges(&self) -> Judges {
        match &self.offered {
            Offered::Nothing => Judges::Rules,
            Offered::One(_) => Judges::One,
            Offered::Tiers(tiers) => {
                let families = |models: &Vec<Arc<Model>>| u32::try_from(self.opinions(models, usize::MAX).len());
                let count = |(tier, models)| (String::clone(tier), families(models).unwrap_or(u32::MAX));
                Judges::Tiers(tiers.iter().map(count).collect())
            }
        }
    }

    /// Asks all that was asked for, in its order.
    pub async fn judge(&self, consults: &[Consult], purse: &dyn Purse, run: &Buyer) -> Vec<Judged> {
        let each = |consult: &Consult| Buyer { gate: consult.brief.gate, ..run.clone() };
        let asked: Vec<BoxFuture<'_, Judged>> =
            consults.iter().map(|consult| self.consult(consult, purse, each(consult)).boxed()).collect();
        stream::iter(asked).buffered(AT_ONCE).collect().await
    }

    /// The rules always; the models of the panel beside them.
    async fn consult(&self, consult: &Consult, purse: &dyn Purse, buyer: Buyer) -> Judged {
        let rules = rules::judge(&consult.brief);
        let questions = Questions::of(&consult.brief, &rules);
        let panel = match &consult.panel {
            // Where code has decided everything, a model's word would count for nothing.
            Some(panel) if !questions.is_empty() => panel,
            _ => return Judged { said: Ok(United::of_rules(rules)), paid: Vec::new() },
        };
        let models = self.panel(panel);
        let asked: Vec<BoxFuture<'_, Consultation>> =
            models.iter().map(|model| model.consult(&questions, purse, &buyer).boxed()).collect();
        let mut paid = Vec::new();
        let (mut checked, mut missing, mut left_out): (Vec<Checked>, Option<Unjudged>, Vec<String>) =
            Default::default();
        for consultation in join_all(asked).await {
            paid.extend(consultation.paid);
            left_out = consultation.left_out;
            match consultation.outcome {
                Ok(one) => checked.push(one),
                Err(why) => missing = missing.or(Some(why)),
            }
        }
        // A second opinion that is missing leaves one: half a panel is none.
        let said = match (missing, self.are_opinions(panel, &models, &checked)) {
            (Some(why), _) => Err(why),
            (None, false) if models.is_empty() => Err(Unjudged::Unmapped { tier: panel.tier.clone() }),
            (None, false) => Err(Unjudged::NoSecondOpinion { tier: panel.tier.clone(), opinions: panel.opinions }),
            (None, true) => Ok(United { left_out, ..unite(&consult.brief, &rules, &checked) }),
        };
        Judged { said, paid }
    }

    /// The models that are asked: as many as the panel wants, each of a family of its own.
    fn panel(&self, panel: &Panel) -> Vec<Arc<Model>> {
        match &self.offered {
            Offered::Nothing => Vec::new(),
            Offered::One(model) => vec![Arc::clone(model)],
            Offered::Tiers(tiers) => {
                let wanted = usize::try_from(panel.opinions).unwrap_or(usize::MAX);
                tiers.get(&panel.tier).map(|models| self.opinions(models, wanted)).unwrap_or_default()
            }
        }
    }

    /// The first model, and further ones of families that are not there yet.
    fn opinions(&self, models: &[Arc<Model>], most: usize) -> Vec<Arc<Model>> {
        let mut chosen: Vec<Arc<Model>> = Vec::new();
        for model in models {
            let other = |known: &Arc<Model>| reply::independent(known.name(), model.name(), &self.families);
            if chosen.len() < most && chosen.iter().all(other) {
                chosen.push(Arc::clone(model));
            }
        }
        chosen
    }

    /// Whether those who answered are as many opinions as were wanted: a gateway may send two names to one model.
    fn are_opinions(&self, panel: &Panel, models: &[Arc<Model>], checked: &[Checked]) -> bool {
        let names: Vec<&str> = checked.iter().map(|one| one.answer.model.as_str()).collect();
        let apart = names.iter().enumerate().all(|(at, name)| {
            names[..at].iter().all(|other| {
                let families = (reply::family(name, &self.families), reply::family(other, &self.families));
                // A name that nobody knows may be that of the family that was asked.
                !matches!(families, (Some(one), Some(two)) if one == two)
            })
        });
        apart && !models.is_empty() && names.len() >= usize::try_from(panel.opinions).unwrap_or(usize::MAX)
    }
}
