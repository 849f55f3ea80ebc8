//! Who pays for a call of a model (chapter 4): it is reserved before, and settled after.

use crate::domain::event::Lane;
use crate::domain::ids::{GateId, RunId};
use crate::domain::reply::{Paid, Spent, Unjudged};
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

/// A call that was let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket(pub u64);

/// Lets calls through while there is budget.
#[async_trait]
pub trait Purse: Send + Sync {
    /// Lets a call through that takes at most so much, or says why it has to wait.
    ///
    /// # Errors
    /// [`Unjudged::UsedUp`], or that the purse itself cannot be asked.
    async fn reserve(&self, buyer: &Buyer, estimate: Spent) -> Result<Ticket, Unjudged>;
    /// Settles what it really took. Until then, and for good where nobody knows what it took, the estimate counts.
    async fn paid(&self, ticket: Ticket, paid: &Paid);
    /// The call was refused, and took nothing.
    async fn release(&self, ticket: Ticket);
}

/// A purse without a bottom, which keeps no accounts: for the command line.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bottomless;

#[async_trait]
impl Purse for Bottomless {
    async fn reserve(&self, _: &Buyer, _: Spent) -> Result<Ticket, Unjudged> {
        Ok(Ticket(0))
    }
    async fn paid(&self, _: Ticket, _: &Paid) {}
    async fn release(&self, _: Ticket) {}
}
