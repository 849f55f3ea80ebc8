//! Who pays for a call of a model (chapter 4): it is reserved before, and settled after.

use crate::domain::event::Lane;
use crate::domain::ids::{GateId, RunId};
use crate::domain::reply::{Paid, Spent, Unjudged};
use crate::ports::PurchaseId;
use async_trait::async_trait;

/// For whom a model is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buyer {
    /// The run.
    pub run: RunId,
    /// Its lane; none on the command line.
    pub lane: Option<Lane>,
    /// The gate.
    pub gate: GateId,
}

/// Lets calls through while there is budget.
#[async_trait]
pub trait Purse: Send + Sync {
    /// Lets a call through that takes at most so much, or says why it has to wait.
    ///
    /// # Errors
    /// [`Unjudged::UsedUp`], or that the purse itself cannot be asked.
    async fn reserve(&self, buyer: &Buyer, estimate: Spent) -> Result<PurchaseId, Unjudged>;
    /// Settles what it really took. Until then, and for good where nobody knows what it took, the estimate counts.
    async fn paid(&self, purchase: PurchaseId, paid: &Paid);
    /// The call was refused, and took nothing.
    async fn release(&self, purchase: PurchaseId);
}

/// A purse without a bottom, which keeps no accounts: for the command line.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bottomless;

#[async_trait]
impl Purse for Bottomless {
    async fn reserve(&self, _: &Buyer, _: Spent) -> Result<PurchaseId, Unjudged> {
        Ok(PurchaseId(0))
    }
    async fn paid(&self, _: PurchaseId, _: &Paid) {}
    async fn release(&self, _: PurchaseId) {}
}
