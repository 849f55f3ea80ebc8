//! What can be wrong with a model's reply, in words that the model is told when it is asked once more.

use super::questions::Key;
use crate::domain::detect::mask_secrets;
use crate::domain::text::clip;
use std::fmt;

/// One thing that is wrong with a reply. What the model wrote is shown cut and with secrets masked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing was said.
    Empty,
    /// The model, or a filter before it, would not answer.
    Refused,
    /// It ended at the limit of its length.
    CutOff,
    /// So many bytes; [`super::LONGEST`] are read.
    TooLong(usize),
    /// There is no reply in it.
    NoJson,
    /// What looks like a reply is no JSON: what the parser said.
    NotJson(String),
    /// So many objects could each be the reply.
    SeveralReplies(usize),
    /// A value is of the wrong kind.
    Shape {
        /// Where, such as `findings[3].quote`.
        path: String,
        /// What belongs there.
        expected: &'static str,
    },
    /// A key that no reply has.
    UnknownKey(String),
    /// A key that is not there.
    MissingKey(String),
    /// A key that stands twice in one object.
    DoubledKey(String),
    /// More entries than anybody asked for.
    TooMany {
        /// Of what.
        path: &'static str,
        /// How many there are.
        count: usize,
        /// How many there may be.
        most: usize,
    },
    /// An answer to something that was not asked.
    UnknownCriterion(String),
    /// A question without an answer.
    MissingCriterion(Key),
    /// A question with two answers.
    DoubledCriterion(Key),
    /// It is said to match, and no place shows it.
    NoQuote(Key),
    /// The quote is so short that it stands anywhere.
    ShortQuote(Key),
    /// The quote does not stand in the subject.
    QuoteNotFound(Key, String),
}

impl Fault {
    /// What is wrong, without a word of the model's: for people and logs.
    #[must_use]
    pub fn bare(&self) -> String {
        match self {
            Fault::UnknownKey(_) => "it has a key that does not belong there".to_owned(),
            Fault::UnknownCriterion(_) => "it answers what was not asked".to_owned(),
            Fault::QuoteNotFound(key, _) => format!("the quote of {key} does not stand in the subject"),
            Fault::Shape { expected, .. } => format!("something in it must be {expected}"),
            other => other.to_string(),
        }
    }
}

/// Longest part of the model's own words in a fault, in characters.
const LONGEST: usize = 80;

fn shown(text: &str) -> String {
    // Masked before it is cut: half a key is a key that nobody recognises.
    format!("{:?}", clip(&mask_secrets(clip(text, 4 * LONGEST)), LONGEST))
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Empty => f.write_str("the reply was empty"),
            Fault::Refused => f.write_str("the reply was a refusal"),
            Fault::CutOff => f.write_str("the reply was cut off at the limit of its length"),
            Fault::TooLong(bytes) => write!(f, "the reply had {bytes} bytes; at most {} are read", super::LONGEST),
            Fault::NoJson => f.write_str("there was no JSON object with the key \"findings\""),
            Fault::NotJson(what) => write!(f, "the JSON cannot be read: {}", clip(what, 2 * LONGEST)),
            Fault::SeveralReplies(count) => write!(f, "there were {count} JSON objects with the key \"findings\""),
            Fault::Shape { path, expected } => write!(f, "{} must be {expected}", shown(path)),
            Fault::UnknownKey(path) => write!(f, "the key {} does not belong there", shown(path)),
            Fault::MissingKey(path) => write!(f, "the key {} is missing", shown(path)),
            Fault::DoubledKey(path) => write!(f, "the key {} stands twice", shown(path)),
            Fault::TooMany { path, count, most } => write!(f, "{path} has {count} entries; at most {most} are read"),
            Fault::UnknownCriterion(name) => write!(f, "the criterion {} was not asked", shown(name)),
            Fault::MissingCriterion(key) => write!(f, "{key} is not answered"),
            Fault::DoubledCriterion(key) => write!(f, "{key} is answered twice"),
            Fault::NoQuote(key) => write!(f, "{key} is matched but has no quote"),
            Fault::ShortQuote(key) => write!(f, "the quote of {key} is too short to show a place"),
            Fault::QuoteNotFound(key, quote) => {
                write!(f, "the quote of {key} does not stand in the subject: {}", shown(quote))
            }
        }
    }
}
