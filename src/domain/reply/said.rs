//! The shape of a reply: what is there, what is missing, what does not belong. Every fault at once, each with its path.

use super::fault::Fault;
use super::json::Json;
use crate::domain::contract::Lack;
use crate::domain::finding::Basis;

/// A reply as it was said, before anything of it is believed.
#[derive(Default)]
pub(super) struct Said {
    pub findings: Vec<SaidFinding>,
    pub questions: Vec<SaidQuestion>,
    pub beyond: Vec<SaidBeyond>,
}

pub(super) struct SaidFinding {
    pub criterion: String,
    pub matched: bool,
    pub quote: Option<String>,
    pub basis: Basis,
    pub lack: Option<Lack>,
    pub note: Option<String>,
}

pub(super) struct SaidQuestion {
    /// It asks to change the criteria.
    pub criteria: bool,
    pub text: String,
}

pub(super) struct SaidBeyond {
    /// It reports an attempt to steer the judge.
    pub steering: bool,
    pub quote: Option<String>,
    pub note: String,
}

/// Most faults that are told: whoever makes more has not understood the first ones.
const MOST_FAULTS: usize = 20;

/// Most entries of `questions` and of `beyond`.
const MOST_BESIDE: usize = 50;

/// Reads a reply to so many questions.
pub(super) fn read(json: &Json, asked: usize) -> Result<Said, Vec<Fault>> {
    let mut reader = Reader { faults: Vec::new() };
    let said = reader.reply(json, asked);
    reader.faults.truncate(MOST_FAULTS);
    match said {
        Some(said) if reader.faults.is_empty() => Ok(said),
        _ => Err(reader.faults),
    }
}

/// A text that may be `null`: another thing than one that was not read.
struct Nullable(Option<String>);

struct Reader {
    faults: Vec<Fault>,
}

impl Reader {
    fn reply(&mut self, json: &Json, asked: usize) -> Option<Said> {
        let [findings, questions, beyond] = self.object("", json, ["findings", "questions", "beyond"])?;
        let findings = findings.and_then(|list| self.list("findings", list, asked)).unwrap_or_default();
        let questions = questions.and_then(|list| self.list("questions", list, MOST_BESIDE)).unwrap_or_default();
        let beyond = beyond.and_then(|list| self.list("beyond", list, MOST_BESIDE)).unwrap_or_default();
        Some(Said {
            findings: self.each("findings", findings, Self::finding),
            questions: self.each("questions", questions, Self::question),
            beyond: self.each("beyond", beyond, Self::beyond),
        })
    }

    fn finding(&mut self, path: &str, json: &Json) -> Option<SaidFinding> {
        const KEYS: [&str; 6] = ["criterion", "matched", "quote", "basis", "lack", "note"];
        let [criterion, matched, quote, basis, lack, note] = self.object(path, json, KEYS)?;
        let criterion = self.text(path, "criterion", criterion);
        let matched = self.word(path, "matched", matched, "true or false", |json| match json {
            Json::Bool(value) => Some(*value),
            _ => None,
        });
        let quote = self.text_or_null(path, "quote", quote);
        let basis = self.word(path, "basis", basis, "\"direct\" or \"interpretation\"", |json| match json {
            Json::Text(word) if word == "direct" => Some(Basis::Direct),
            Json::Text(word) if word == "interpretation" => Some(Basis::Interpretation),
            _ => None,
        });
        let lack = self.word(path, "lack", lack, "\"content\", \"form\" or null", |json| match json {
            Json::Text(word) if word == "content" => Some(Some(Lack::Content)),
            Json::Text(word) if word == "form" => Some(Some(Lack::Form)),
            Json::Null => Some(None),
            _ => None,
        });
        let note = self.text_or_null(path, "note", note);
        Some(SaidFinding {
            criterion: criterion?,
            matched: matched?,
            quote: quote?.0,
            basis: basis?,
            lack: lack?,
            note: note?.0,
        })
    }

    fn question(&mut self, path: &str, json: &Json) -> Option<SaidQuestion> {
        let [about, text] = self.object(path, json, ["about", "text"])?;
        let criteria = self.word(path, "about", about, "\"task\" or \"criteria\"", |json| match json {
            Json::Text(word) if word == "criteria" => Some(true),
            Json::Text(word) if word == "task" => Some(false),
            _ => None,
        });
        let text = self.text(path, "text", text);
        Some(SaidQuestion { criteria: criteria?, text: text? })
    }

    fn beyond(&mut self, path: &str, json: &Json) -> Option<SaidBeyond> {
        let [about, quote, note] = self.object(path, json, ["about", "quote", "note"])?;
        let steering = self.word(path, "about", about, "\"uncovered\" or \"steering\"", |json| match json {
            Json::Text(word) if word == "steering" => Some(true),
            Json::Text(word) if word == "uncovered" => Some(false),
            _ => None,
        });
        let quote = self.text_or_null(path, "quote", quote);
        let note = self.text(path, "note", note);
        Some(SaidBeyond { steering: steering?, quote: quote?.0, note: note? })
    }

    fn object<'j, const N: usize>(
        &mut self,
        path: &str,
        json: &'j Json,
        keys: [&str; N],
    ) -> Option<[Option<&'j Json>; N]> {
        let Json::Object(entries) = json else {
            let path = if path.is_empty() { "the reply" } else { path };
            self.shape(path.to_owned(), "an object");
            return None;
        };
        let mut found = [None; N];
        for (name, value) in entries {
            match keys.iter().position(|key| key == name) {
                Some(index) if found[index].is_some() => self.fault(Fault::DoubledKey(join(path, name))),
                Some(index) => found[index] = Some(value),
                None => self.fault(Fault::UnknownKey(join(path, name))),
            }
        }
        for (key, value) in keys.iter().zip(&found) {
            if value.is_none() {
                self.fault(Fault::MissingKey(join(path, key)));
            }
        }
        Some(found)
    }

    fn list<'j>(&mut self, path: &'static str, json: &'j Json, most: usize) -> Option<&'j [Json]> {
        let Json::List(values) = json else {
            self.shape(path.to_owned(), "a list");
            return None;
        };
        if values.len() > most {
            self.fault(Fault::TooMany { path, count: values.len(), most });
        }
        Some(&values[..values.len().min(most)])
    }

    fn each<T>(&mut self, path: &str, list: &[Json], read: impl Fn(&mut Self, &str, &Json) -> Option<T>) -> Vec<T> {
        list.iter().enumerate().filter_map(|(index, json)| read(self, &format!("{path}[{index}]"), json)).collect()
    }

    fn text(&mut self, path: &str, key: &str, json: Option<&Json>) -> Option<String> {
        self.word(path, key, json, "text", |json| match json {
            Json::Text(text) => Some(text.clone()),
            _ => None,
        })
    }

    fn text_or_null(&mut self, path: &str, key: &str, json: Option<&Json>) -> Option<Nullable> {
        self.word(path, key, json, "text or null", |json| match json {
            // Lesser models write an empty text where there is none.
            Json::Text(text) => Some(Nullable(Some(text.clone()).filter(|text| !text.trim().is_empty()))),
            Json::Null => Some(Nullable(None)),
            _ => None,
        })
    }

    fn word<T>(
        &mut self,
        path: &str,
        key: &str,
        json: Option<&Json>,
        expected: &'static str,
        read: impl Fn(&Json) -> Option<T>,
    ) -> Option<T> {
        let read = read(json?);
        if read.is_none() {
            self.shape(join(path, key), expected);
        }
        read
    }

    fn shape(&mut self, path: String, expected: &'static str) {
        self.fault(Fault::Shape { path, expected });
    }

    fn fault(&mut self, fault: Fault) {
        if self.faults.len() < MOST_FAULTS {
            self.faults.push(fault);
        }
    }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}
