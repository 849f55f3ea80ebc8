//! Judging: the rules always, models beside them (chapter 4). Where a model takes long, a comment says so.

use super::models::{Buyer, Purse};
use super::{App, WorkError};
use crate::domain::event::Wake;
use crate::domain::reply::{Paid, Spent, Unjudged};
use crate::domain::run::{Consult, Dossier};
use crate::ports::{Budgets, Clock, Purchase, PurchaseId, Reserved, Store};
use async_trait::async_trait;
use std::sync::Arc;
use std::time::Duration;

/// How long a model is waited for before ⏳ is posted (chapter 10).
const PATIENCE: Duration = Duration::from_secs(10);

impl App {
    /// Puts the judges' answers into the dossier, behind those that are there.
    pub(super) async fn ask(&self, wake: &Wake, dossier: &mut Dossier, asked: Vec<Consult>) -> Result<(), WorkError> {
        let purse =
            Accounts { store: Arc::clone(&self.store), clock: Arc::clone(&self.clock), budgets: self.settings.budgets };
        // Each consultation names its own gate; a task of none asks nobody.
        let Some(gate) = asked.first().map(|consult| consult.brief.gate) else { return Ok(()) };
        let buyer = Buyer { run: dossier.run.clone(), lane: Some(wake.lane.clone()), gate };
        let waiting = asked.iter().find_map(|consult| consult.waiting);
        let judging = self.models.judge(&asked, &purse, &buyer);
        tokio::pin!(judging);
        let answers = match waiting {
            None => judging.await,
            Some(waiting) => {
                let late = self.clock.sleep_until(self.clock.now() + PATIENCE);
                tokio::select! {
                    biased;
                    answers = &mut judging => answers,
                    () = late => {
                        // Both go on at once: the judging may hold the database that the comment's intent waits for.
                        let (answers, said) = tokio::join!(judging, self.say_waiting(wake, &dossier.run, waiting));
                        // The verdict does not depend on it.
                        if let Err(error) = said {
                            tracing::warn!(run = %dossier.run, %error, "that a model is waited for could not be said");
                        }
                        answers
                    }
                }
            }
        };
        dossier.facts.answers.extend(answers);
        Ok(())
    }
}

/// The App's purse: what was paid for stands in the database, and so do the sums of the day.
struct Accounts {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    budgets: Budgets,
}

#[async_trait]
impl Purse for Accounts {
    async fn reserve(&self, buyer: &Buyer, estimate: Spent) -> Result<PurchaseId, Unjudged> {
        let Some(lane) = buyer.lane.clone() else {
            return Err(Unjudged::failed("nobody pays for it".to_owned()));
        };
        let at = self.clock.now();
        let purchase = Purchase { run: buyer.run.clone(), gate: buyer.gate, lane, at, estimate };
        match self.store.reserve(&purchase, &self.budgets).await {
            Ok(Reserved::Granted(id)) => Ok(id),
            Ok(Reserved::UsedUp { scope, until }) => Err(Unjudged::UsedUp { scope, until }),
            Err(error) => {
                tracing::error!(%error, "what models may take cannot be looked up");
                Err(Unjudged::failed("what may be spent cannot be looked up".to_owned()))
            }
        }
    }

    async fn paid(&self, purchase: PurchaseId, paid: &Paid) {
        if let Err(error) = self.store.paid(purchase, &paid.receipt, paid.cost).await {
            tracing::error!(%error, "a receipt was not stored; its estimate goes on counting");
        }
    }

    async fn release(&self, purchase: PurchaseId) {
        if let Err(error) = self.store.release(purchase).await {
            tracing::warn!(%error, "a reservation was not released; it goes on counting");
        }
    }
}
