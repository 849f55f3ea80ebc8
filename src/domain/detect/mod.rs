//! Detectors: one deterministic test, one file, one id. Each looks at a parsed document and says where it matched.
//!
//! The list of ids is closed (chapter 2, [`DetectorId`]); [`run`] answers none for an id that this version does not
//! have. Work is linear in the text. What each one looks at, and what it lets pass, stands in `docs/detectors.md`.

mod always_separate;
mod amounts;
mod asked;
mod budget_exceeded;
mod conclusion_not_first;
mod copied_report;
mod cycle;
mod evaluation_uncontrolled;
mod field_empty;
mod implementation_detail;
mod lexicon;
mod literals;
mod log_lines;
mod measure;
mod missing_link;
mod orphan;
mod pattern;
mod patterns;
mod personal_allowed;
mod personal_data;
mod personal_japan;
mod planned;
mod premise_missing;
mod raw_log;
mod reading;
mod scope;
mod secret;
mod secret_crate;
mod secret_real;
mod secret_rules;
mod secret_scan;
mod secret_views;
mod section_missing;
mod sensitive;
mod table_missing;
mod technology;
mod too_many_items;
mod unmapped;
mod unmeasured;
mod unnumbered;
mod words;
mod work;

pub use personal_data::{personal_data, sensitive};
pub use reading::Reading;
pub use secret::{mask_secrets, secret_lines, secrets};
pub use sensitive::{Kind, Secret, mask};
pub use words::LEXICONS;

use crate::domain::contract::{DetectorId, DetectorSpec};
use crate::domain::ids::Language;
use crate::domain::plan::Plan;
use crate::domain::text::Document;
use std::ops::Range;

/// A heading of the contract with every text that counts for it.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Heading {
    /// The heading.
    pub name: String,
    /// Other headings that count.
    pub aliases: Vec<String>,
}

/// What a detector may look at beside the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    /// Headings of the contract's fields, for `in:` and for detectors that look under one.
    pub fields: Vec<Heading>,
    /// The language of the contract.
    pub language: Language,
    /// Texts that the subject is judged against: role and text.
    pub references: Vec<(String, String)>,
    /// Pairs of kinds of work that the contract keeps apart, in its own words.
    pub always_separate: Vec<String>,
    /// The split plan that is judged; none = detectors that need one read it from the document.
    pub plan: Option<Plan>,
}

/// A place where a detector matched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Byte range in the document's source; none where something is missing.
    pub range: Option<Range<usize>>,
    /// The words that matched or the heading that is missing, as they stand: no prose.
    pub note: Option<String>,
}

/// Most hits that are kept of one detector; what is beyond tells nobody anything.
const MOST_HITS: usize = 500;

/// Runs a detector. None = this version has no such detector, or its argument names nothing it knows: the criterion
/// is not decided. An empty list = evaluated, not matched.
#[must_use]
pub fn run(spec: &DetectorSpec, document: &Document, context: &Context) -> Option<Vec<Hit>> {
    let mut hits = match spec.id {
        DetectorId::FieldEmpty => field_empty::detect(spec, document, context),
        DetectorId::SectionMissing => section_missing::detect(spec, document, context),
        DetectorId::Words => words::detect(spec, document, context)?,
        DetectorId::Unmeasured => unmeasured::detect(spec, document, context),
        DetectorId::Unnumbered => unnumbered::detect(spec, document, context),
        DetectorId::Secret => secret::detect(document),
        DetectorId::ImplementationDetail => implementation_detail::detect(spec, document, context),
        DetectorId::Regex => pattern::detect(spec, document, context),
        DetectorId::Unmapped => unmapped::detect(spec, document, context),
        DetectorId::TableMissing => table_missing::detect(spec, document, context),
        DetectorId::ConclusionNotFirst => conclusion_not_first::detect(spec, document, context),
        DetectorId::RawLog => raw_log::detect(spec, document, context),
        DetectorId::PersonalData => personal_data::detect(document),
        DetectorId::AlwaysSeparate => always_separate::detect(spec, document, context),
        DetectorId::TooManyItems => too_many_items::detect(spec, document, context),
        DetectorId::MissingLink => missing_link::detect(spec, document, context),
        DetectorId::PremiseMissing => premise_missing::detect(spec, document, context),
        DetectorId::EvaluationUncontrolled => evaluation_uncontrolled::detect(spec, document, context),
        DetectorId::Cycle => cycle::detect(document, context),
        DetectorId::Orphan => orphan::detect(document, context),
        DetectorId::BudgetExceeded => budget_exceeded::detect(document, context),
        DetectorId::CopiedReport => copied_report::detect(document, context),
    };
    hits.truncate(MOST_HITS);
    Some(hits)
}

#[cfg(test)]
mod tests;
