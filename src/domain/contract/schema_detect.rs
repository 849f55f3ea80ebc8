//! The schema of `detect`: every detector with its argument, from the list that the loader reads by.

use super::detector::{DETECTORS, LEXICONS, Takes};
use super::model::DetectorId;
use super::schema_parts::{any_of, extend, map, prefix, some_texts, text, texts};
use serde_json::{Value, json};

/// A detector's name, or a map of one detector with its argument, and `in`.
pub(super) fn detect() -> Value {
    let short: Vec<_> = DETECTORS
        .into_iter()
        .filter(|(_, _, takes)| matches!(takes, Takes::Nothing | Takes::Prefix | Takes::Count))
        .collect();
    let names: Vec<&str> = short.iter().map(|(name, ..)| *name).collect();
    let about: Vec<&str> = short.iter().map(|(_, id, _)| finds(*id)).collect();
    let within =
        any_of("The headings that the detector looks under; without it the whole text.", &[text(""), texts("")]);
    let detectors = DETECTORS.into_iter().map(|(name, id, takes)| (name, argument(finds(id), takes)));
    let mut long =
        map("One detector with its argument, and the headings that it looks under.", detectors.chain([("in", within)]));
    extend(
        &mut long,
        json!({
            "if": {"required": ["in"]},
            "then": {"minProperties": 2, "maxProperties": 2},
            "else": {"minProperties": 1, "maxProperties": 1},
        }),
    );
    json!({"anyOf": [
        {"type": "string", "enum": names, "enumDescriptions": about, "markdownEnumDescriptions": about, "description": "A detector that needs no argument."},
        long,
    ]})
}

fn argument(description: &str, takes: Takes) -> Value {
    match takes {
        Takes::Nothing => json!({"description": description, "type": "null", "default": null}),
        Takes::Headings => any_of(description, &[text(""), some_texts(), json!({"type": "null"})]),
        Takes::Words => any_of(description, &[json!({"type": "string", "enum": LEXICONS}), some_texts()]),
        Takes::Pattern => {
            let mut pattern = text(description);
            pattern["examples"] = json!([r"TODO\s*$"]);
            pattern
        }
        Takes::Prefix => any_of(description, &[prefix(""), json!({"type": "null"})]),
        Takes::Count => any_of(
            description,
            &[
                json!({"type": "integer", "minimum": 0, "maximum": u16::MAX}),
                json!({"type": "string", "pattern": "^\\+?[0-9]+$"}),
                json!({"type": "null"}),
            ],
        ),
    }
}

/// What a detector matches, in one sentence.
fn finds(id: DetectorId) -> &'static str {
    match id {
        DetectorId::FieldEmpty => "Matches a heading that is there with nothing under it.",
        DetectorId::SectionMissing => "Matches where a heading is not there.",
        DetectorId::Words => "Matches words of a lexicon or of a list in prose.",
        DetectorId::Regex => "Matches a regular expression without look-around and back-references.",
        DetectorId::Unmeasured => "Matches a wish for speed, size or quality with no number, unit or comparison.",
        DetectorId::Unnumbered => "Matches items without an id such as AC-1; the argument is the ids' prefix.",
        DetectorId::Unmapped => "Matches requirement ids without a row, and rows without a requirement.",
        DetectorId::TableMissing => "Matches where no table stands.",
        DetectorId::ConclusionNotFirst => "Matches a conclusion that does not begin with whether the criteria are met.",
        DetectorId::RawLog => "Matches pasted logs and raw data.",
        DetectorId::Secret => "Matches keys, tokens and passwords.",
        DetectorId::PersonalData => "Matches e-mail addresses, phone numbers, postal addresses and the like.",
        DetectorId::ImplementationDetail => "Matches a prescribed library, algorithm, class or file.",
        DetectorId::AlwaysSeparate => "Matches a pair of `split_criteria.always_separate` in one task.",
        DetectorId::Cycle => "Matches tasks that wait for each other in a circle.",
        DetectorId::Orphan => "Matches a requirement of the parent that no child covers, and a child that covers none.",
        DetectorId::BudgetExceeded => "Matches children whose budgets add up to more than the parent's.",
        DetectorId::TooManyItems => "Matches a list with more items than the argument, or than one review can take.",
        DetectorId::CopiedReport => "Matches a report that repeats another one.",
        DetectorId::MissingLink => "Matches where a link is expected and none stands.",
        DetectorId::PremiseMissing => {
            "Matches where data, a credential or an environment is needed and no premise is written."
        }
        DetectorId::EvaluationUncontrolled => {
            "Matches an evaluation, or its figures, without a named set and controls."
        }
    }
}
