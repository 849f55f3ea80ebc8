//! Who can be asked beside the rules, and what they are asked (chapter 4).

use crate::domain::finding::Brief;
use crate::domain::ids::{GateId, IssueNumber, Language};
use std::collections::BTreeMap;

/// The models that the operator offers. Which of them is asked, and when, the gate says.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Judges {
    /// None: the embedded judge alone. What a contract says of tiers is not looked at.
    #[default]
    Rules,
    /// One, whatever tier a contract names; there is none above it and no second opinion.
    One,
    /// By tier, how many families of models have an opinion there.
    Tiers(BTreeMap<String, u32>),
    /// The same, where nobody climbs to the tier above.
    Flat(BTreeMap<String, u32>),
}

/// Whether a tier can be asked for so many opinions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offer {
    /// It can.
    Offered,
    /// The operator maps no model to it.
    Unmapped,
    /// Its models are of fewer families.
    TooFew,
}

impl Judges {
    /// Whether that panel can be asked.
    #[must_use]
    pub fn offer(&self, panel: &Panel) -> Offer {
        match self {
            Self::Rules => Offer::Unmapped,
            Self::One => Offer::Offered,
            Self::Tiers(tiers) | Self::Flat(tiers) => match tiers.get(&panel.tier) {
                None => Offer::Unmapped,
                Some(families) if *families < panel.opinions => Offer::TooFew,
                Some(_) => Offer::Offered,
            },
        }
    }

    /// The same, where nobody climbs to the tier above.
    #[must_use]
    pub fn flat(&self) -> Self {
        match self {
            Self::Tiers(tiers) => Self::Flat(tiers.clone()),
            other => other.clone(),
        }
    }
}

/// The models of a tier that are asked the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panel {
    /// The contract's name of the tier; empty where a gate names none and one model judges everything.
    pub tier: String,
    /// How many, each of a family of its own.
    pub opinions: u32,
}

/// A brief, and who is asked beside the rules.
#[derive(Clone, Debug)]
pub struct Consult {
    /// What is asked.
    pub brief: Brief,
    /// None = the rules alone.
    pub panel: Option<Panel>,
    /// What is shown where it takes long; none = nothing is.
    pub waiting: Option<Waiting>,
}

impl Consult {
    /// Of the rules alone.
    #[must_use]
    pub fn of_rules(brief: Brief) -> Self {
        Self { brief, panel: None, waiting: None }
    }
}

/// What ⏳ says, and where: a comment without a record, which is edited to the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The gate.
    pub gate: GateId,
    /// The contract's language.
    pub language: Language,
    /// Where it stands, if not on the subject.
    pub at: Option<IssueNumber>,
}
