//! A Markdown body as the detectors see it: one parse into an outline with byte offsets into the original text.
//!
//! [`Document`] is the way in. [`Normalised`] folds look-alike characters and keeps the way back to the original.

mod confusable;
mod document;
mod empty;
mod heading;
mod hidden;
mod html;
mod leaf;
mod lines;
mod normalise;
mod numbering;
mod orders;
mod outline;
mod parse;
mod quotation;
mod quote;
mod requirement_ids;
mod sentence;
mod yaml;

pub use document::{
    Cell, Details, Document, Fence, Item, ItemKind, Link, ListPosition, NearMiss, Section, Span, SpanKind, Table, Task,
};
pub use empty::{is_blank_item, is_empty_section, is_placeholder};
pub use heading::heading_key;
pub use hidden::{Hidden, HiddenKind, LONGEST_SHOWN, hidden};
pub use lines::Lines;
pub use normalise::{Normalised, is_invisible};
pub use numbering::{Numbering, numbering, starts_with_id, starts_with_number};
pub use quote::{clip, redact};
pub use requirement_ids::{Entry, RequirementId, id_at_start, list_at_start};
pub use sentence::sentences;
pub use yaml::{yaml_entry, yaml_quoted};

#[cfg(test)]
mod tests;
