//! What calls of models cost, as the store counts it: a call is reserved before it is sent, so that a day's caps hold even
//! where many ask at once, and its receipt takes the reservation's place (chapter 4).

use crate::domain::event::Lane;
use crate::domain::ids::{GateId, InstallationId, RepositoryId, RunId};
use crate::domain::reply::{Budget, MicroDollars, Receipt, Scope, Spent};
use chrono::{DateTime, Utc};

/// A call that is about to be paid for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Purchase {
    /// Whose call.
    pub run: RunId,
    /// What is judged.
    pub gate: GateId,
    /// Whose budgets it comes out of: the lane's installation and repository.
    pub lane: Lane,
    /// Now. It counts for this day of UTC, whenever its receipt comes.
    pub at: DateTime<Utc>,
    /// The most that it may take: caps are as hard as this is high.
    pub estimate: Spent,
}

/// The most of a day, by whose it is. The default limits nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budgets {
    /// Of all installations together.
    pub app: Budget,
    /// Of each installation.
    pub installation: Budget,
    /// Of each repository, whichever installation it is in.
    pub repository: Budget,
}

/// What became of a wish to pay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reserved {
    /// The call may be sent: its estimate counts from now on.
    Granted(PurchaseId),
    /// It may not, and nothing was noted.
    UsedUp {
        /// Whose budget it is; of several the widest.
        scope: Scope,
        /// When the next day begins.
        until: DateTime<Utc>,
    },
}

/// A reservation's name, given by the store and never given again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PurchaseId(pub u64);

/// A call that was paid for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaidReceipt {
    /// What it left behind.
    pub receipt: Receipt,
    /// The receipt's hash as it was when it was stored, which is what stands in the verdict.
    pub hash: String,
    /// What it cost; none where the price is not known.
    pub cost: Option<MicroDollars>,
    /// Whose call.
    pub run: RunId,
    /// What was judged.
    pub gate: GateId,
    /// Where.
    pub lane: Lane,
    /// When it was reserved.
    pub at: DateTime<Utc>,
}

/// What a repository took of a day, in one installation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpentBy {
    /// The installation.
    pub installation: InstallationId,
    /// The repository.
    pub repository: RepositoryId,
    /// What was used, and what is reserved.
    pub spent: Spent,
}
