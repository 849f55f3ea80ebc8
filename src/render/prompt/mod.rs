//! The questions to a model, in words (chapter 4): a beginning that follows from the contract alone and can be cached,
//! then the texts of others as data.
//!
//! Instructions are in English for every contract: models follow them best there, and one text can be reviewed whole. The
//! contract's words, the subject and what the model writes for people stay in the contract's language.

mod cut;
mod tokens;

pub use tokens::estimated_tokens;

use super::RenderError;
use crate::domain::contract::Side;
use crate::domain::detect::{self, Reading};
use crate::domain::finding::{Brief, Scope};
use crate::domain::ids::Language;
use crate::domain::reply::{Fault, Json, Questions, shown, shown_line};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::sync::LazyLock;
use tera::{Context, Tera};

/// What a model is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// Instructions, gate and questions: the same for every subject of a contract, to be marked cacheable.
    pub prefix: String,
    /// References and subject, between boundaries that nothing in them can spell.
    pub data: String,
    /// Headings of sections that were left out for their length. What was not seen cannot be said not to match.
    pub left_out: Vec<String>,
}

/// Longest subject that is sent whole, and longest reference, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Of the subject.
    pub subject: usize,
    /// Of each reference.
    pub reference: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { subject: 60_000, reference: 12_000 }
    }
}

/// Writes the questions down.
///
/// # Errors
/// A template that does not fit its context.
pub fn prompt(questions: &Questions<'_>, limits: Limits) -> Result<Prompt, RenderError> {
    let brief = questions.brief();
    let (data, left_out) = data(questions, limits)?;
    let question = |(key, criterion): (crate::domain::reply::Key, &crate::domain::finding::Criterion)| Question {
        key: key.to_string(),
        side: match criterion.side {
            Side::TooAbstract => "too abstract",
            Side::TooConcrete => "too concrete",
        },
        absence: criterion.absence,
        each: criterion.scope == Scope::Each && !brief.items.is_empty(),
        text: shown_line(&criterion.text),
        except: criterion.except.as_deref().map(shown_line),
    };
    let page = Instructions {
        language: language(brief.language),
        gate: brief.gate.to_string(),
        waiting_level: shown_line(&brief.waiting_level),
        questions: questions.asked().map(question).collect(),
    };
    Ok(Prompt { prefix: render("judge/instructions.md", &page)?, data, left_out })
}

/// What a model is told whose reply was faulty.
///
/// # Errors
/// A template that does not fit its context.
pub fn repair(faults: &[Fault]) -> Result<String, RenderError> {
    #[derive(Serialize)]
    struct Page {
        faults: Vec<String>,
    }
    render("judge/repair.md", &Page { faults: faults.iter().map(|fault| shown_line(&fault.to_string())).collect() })
}

/// The part of the prompt that is ours alone: no sentence of a reply may repeat it.
#[must_use]
pub fn kept() -> &'static str {
    let text = include_str!("../../../templates/judge/instructions.md");
    text.split_once("## The gate").map_or(text, |(ours, _)| ours)
}

#[derive(Serialize)]
struct Instructions {
    language: &'static str,
    gate: String,
    waiting_level: String,
    questions: Vec<Question>,
}

#[derive(Serialize)]
struct Question {
    key: String,
    side: &'static str,
    absence: bool,
    each: bool,
    text: String,
    except: Option<String>,
}

#[derive(Serialize)]
struct Data {
    boundary_subject: String,
    boundary_reference: String,
    references: Vec<Named>,
    left_out: String,
    subject: String,
    first: String,
    last: String,
}

#[derive(Serialize)]
struct Named {
    name: String,
    text: String,
}

fn data(questions: &Questions<'_>, limits: Limits) -> Result<(String, Vec<String>), RenderError> {
    let brief = questions.brief();
    let (subject, mut left_out) = told(&brief.subject, limits.subject);
    let mut references = Vec::new();
    let mut unseen = Vec::new();
    for one in &brief.references {
        let (text, cut) = told(&Reading::of(&one.text), limits.reference);
        let name = shown_line(&format!("{} {}", one.role, one.id));
        unseen.extend(cut.into_iter().map(|title| format!("{}: {title}", name.trim_end())));
        references.push(Named { name, text });
    }
    if !brief.history.is_empty() {
        let (text, _) = told(&Reading::of(&brief.history.join("\n")), limits.reference);
        references.push(Named { name: "earlier verdicts on earlier texts, the oldest first".to_owned(), text });
    }
    let number = number(brief, &subject, &references);
    let keys: Vec<String> = questions.asked().map(|(key, _)| key.to_string()).collect();
    let page = Data {
        boundary_subject: format!("subject-{number}"),
        boundary_reference: format!("reference-{number}"),
        references,
        left_out: left_out.iter().map(|title| shown_line(title)).collect::<Vec<_>>().join(", "),
        subject,
        first: keys.first().cloned().unwrap_or_default(),
        last: keys.last().cloned().unwrap_or_default(),
    };
    let data = render("judge/subject.md", &page)?;
    // The model is told of the subject's; a person of all.
    left_out.extend(unseen);
    Ok((data, left_out))
}

/// A text as a model sees it: cut by whole sections, secrets taken out, nothing invisible.
fn told(reading: &Reading, most: usize) -> (String, Vec<String>) {
    let (parts, left_out) = cut::cut(reading, most);
    let masked: Vec<String> =
        parts.into_iter().map(|part| detect::mask(reading.text(), part, reading.secrets())).collect();
    (shown(&masked.concat()).trim_end().to_owned(), left_out)
}

/// What the boundaries are told apart by. It is made of the texts between them, so that the same question is the same
/// request, byte for byte; a text that held its own number would be a fixed point of SHA-256. Should one be found, the
/// next number is taken. No text between holds a `<` besides.
fn number(brief: &Brief, subject: &str, references: &[Named]) -> String {
    let mut hash = Sha256::new();
    hash.update(brief.gate.to_string());
    for text in references.iter().flat_map(|one| [&one.name, &one.text]).map(String::as_str).chain([subject]) {
        hash.update((text.len() as u64).to_be_bytes());
        hash.update(text);
    }
    loop {
        let number = hex::encode(&hash.clone().finalize()[..8]);
        if !subject.contains(&number) && !references.iter().any(|one| one.text.contains(&number)) {
            return number;
        }
        hash.update(&number);
    }
}

fn language(language: Language) -> &'static str {
    match language {
        Language::Ja => "Japanese",
        Language::En => "English",
    }
}

fn render(name: &str, page: &impl Serialize) -> Result<String, RenderError> {
    let tera = TEMPLATES.as_ref().map_err(|error| RenderError::Template(error.clone()))?;
    let failed = |error: tera::Error| RenderError::Template(error.to_string());
    let context = Context::from_serialize(page).map_err(failed)?;
    tera.render(name, &context).map(|text| text.trim().to_owned()).map_err(failed)
}

static TEMPLATES: LazyLock<Result<Tera, String>> = LazyLock::new(|| {
    let mut tera = Tera::new();
    tera.add_raw_templates([
        ("judge/instructions.md", include_str!("../../../templates/judge/instructions.md")),
        ("judge/subject.md", include_str!("../../../templates/judge/subject.md")),
        ("judge/repair.md", include_str!("../../../templates/judge/repair.md")),
    ])
    .map_err(|error| error.to_string())?;
    Ok(tera)
});

/// Everything that a model is sent, in tokens: an estimate that budgets can be held against before the call.
#[must_use]
pub fn estimate(prompt: &Prompt, schema: &Json) -> usize {
    let schema = serde_json::to_string(schema).unwrap_or_default();
    estimated_tokens(&prompt.prefix) + estimated_tokens(&prompt.data) + estimated_tokens(&schema)
}

#[cfg(test)]
mod tests;
