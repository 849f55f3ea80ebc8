//! Labelled texts: a text with the verdict that a person gave it, as JSON Lines or as a YAML list such as the project's own
//! under `contracts/examples` (chapter 2). `sekisho eval` runs them, and so does the check run of a pull request.
//!
//! They come from pull requests of strangers too: aliases, depth and nodes are bounded, and what is wrong is an answer.

use crate::domain::ids::GateId;
use crate::domain::record::Verdict;
use serde::Deserialize;
use serde_saphyr::Spanned;

/// A text with the verdict that a person gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labelled {
    /// Its name, once in an evaluation.
    pub id: String,
    /// The line of its file where it begins, from 1.
    pub line: u32,
    /// The gate.
    pub gate: GateId,
    /// The text.
    pub text: String,
    /// The reference text of chapter 3.
    pub against: Option<String>,
    /// The verdict that is right.
    pub expected: Verdict,
    /// Another that can be defended.
    pub alt: Option<Verdict>,
    /// Criteria that match.
    pub expected_signals: Vec<String>,
    /// Criteria that may match or not.
    pub optional_signals: Vec<String>,
    /// What kind of text it is.
    pub tags: Vec<String>,
    /// Why the label is what it is.
    pub note: Option<String>,
}

impl Labelled {
    /// Whether a judge that answered this agrees with the label; no verdict never does.
    #[must_use]
    pub fn accepts(&self, verdict: Option<Verdict>) -> bool {
        verdict.is_some_and(|verdict| verdict == self.expected || Some(verdict) == self.alt)
    }
}

/// Why a file of labelled texts cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The line, from 1; none = the file as a whole.
    pub line: Option<u32>,
    /// The entry, from 1, where one is at fault.
    pub entry: Option<usize>,
    /// What is wrong.
    pub message: String,
}

/// The cases of a JSON Lines file; `stem` names those without an id.
///
/// # Errors
/// The first line that is none.
pub fn json_lines(stem: &str, text: &str) -> Result<Vec<Labelled>, Unreadable> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let cases = lines.map(|(index, line)| {
        let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
        let place = |message: String| Unreadable { line: Some(number), entry: None, message };
        let written: Written = serde_json::from_str(line).map_err(|error| place(error.to_string()))?;
        written.labelled(number, || format!("{stem}-{}", index + 1)).map_err(place)
    });
    cases.collect()
}

/// The cases of a YAML list; `stem` names those without an id.
///
/// # Errors
/// The first thing that is wrong.
pub fn yaml(stem: &str, text: &str) -> Result<Vec<Labelled>, Unreadable> {
    let line = |line: u64| u32::try_from(line).ok().filter(|line| *line > 0);
    let entries: Vec<Spanned<Written>> = serde_saphyr::from_str_with_options(text, bounds()).map_err(|error| {
        let error = error.without_snippet();
        let place = error.location().and_then(|place| line(place.line()));
        Unreadable { line: place, entry: None, message: error.to_string() }
    })?;
    let cases = entries.into_iter().enumerate().map(|(index, entry)| {
        let begins = line(entry.referenced.line());
        let place = |message| Unreadable { line: begins, entry: Some(index + 1), message };
        entry.value.labelled(begins.unwrap_or(1), || format!("{stem}-{}", index + 1)).map_err(place)
    });
    cases.collect()
}

/// Texts need neither depth nor aliases, so a bomb is refused before it goes off.
fn bounds() -> serde_saphyr::Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_depth: 16, max_aliases: 100, max_anchors: 100, max_documents: 1 },
    }
}

/// A case as files write it; other keys, such as the language, are theirs.
#[derive(Deserialize)]
struct Written {
    id: Option<String>,
    gate: String,
    #[serde(alias = "input")]
    text: String,
    #[serde(alias = "requirements")]
    against: Option<String>,
    expected_verdict: Verdict,
    alt_verdict: Option<Verdict>,
    #[serde(alias = "expected_reasons", default)]
    expected_signals: Vec<String>,
    #[serde(default)]
    optional_signals: Vec<String>,
    #[serde(default)]
    tags: Vec<String>,
    note: Option<String>,
}

/// Entries with this tag hold made-up secrets with a `~` inside, which is taken out: so no scanner takes the file for a leak.
const TILDE: &str = "tilde";

impl Written {
    fn labelled(self, line: u32, name: impl Fn() -> String) -> Result<Labelled, String> {
        let clean = |text: String| if self.tags.iter().any(|tag| tag == TILDE) { text.replace('~', "") } else { text };
        Ok(Labelled {
            id: self.id.unwrap_or_else(name),
            line,
            gate: self.gate.parse().map_err(|error: crate::domain::ids::NotAGate| error.to_string())?,
            text: clean(self.text),
            against: self.against,
            expected: self.expected_verdict,
            alt: self.alt_verdict,
            expected_signals: self.expected_signals,
            optional_signals: self.optional_signals,
            note: self.note,
            tags: self.tags,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn both_shapes_say_the_same() {
        let json = r###"{"id":"a","gate":"start","lang":"en","text":"## Purpose\nx","against":"R-1","expected_verdict":"PASS","alt_verdict":"TOO_ABSTRACT","expected_signals":["s"],"expected_missing_fields":[],"tags":["t"],"note":"n"}"###;
        let list = "- id: a\n  gate: start\n  input: |-\n    ## Purpose\n    x\n  requirements: R-1\n  expected_verdict: PASS\n  alt_verdict: TOO_ABSTRACT\n  expected_reasons: [s]\n  tags: [t]\n  note: n\n";
        let (json, yaml) = (json_lines("a", json).unwrap(), yaml("a", list).unwrap());
        assert_eq!(json, yaml);
        assert_eq!((json[0].alt, json[0].against.as_deref()), (Some(Verdict::TooAbstract), Some("R-1")));
        assert!(json[0].accepts(Some(Verdict::TooAbstract)) && !json[0].accepts(None));
    }

    #[test]
    fn entries_without_a_name_are_named_by_their_place_and_tildes_go() {
        let list = "- {gate: intake, input: 'gh~p_x', expected_verdict: TOO_CONCRETE, tags: [tilde]}\n\n- {gate: start, input: '~', expected_verdict: PASS}\n";
        let cases = yaml("mine", list).unwrap();
        let seen: Vec<_> = cases.iter().map(|case| (case.id.as_str(), case.line, case.text.as_str())).collect();
        assert_eq!(seen, [("mine-1", 1, "ghp_x"), ("mine-2", 3, "~")]);
    }

    #[test]
    fn problems_say_where() {
        let error =
            yaml("a", "- {gate: start, input: x, expected_verdict: PASS}\n- {gate: start, input: x}\n").unwrap_err();
        assert_eq!(error.line, Some(2), "{error:?}");
        let error = yaml("a", "- {gate: begin, input: x, expected_verdict: PASS}\n").unwrap_err();
        assert_eq!((error.line, error.entry), (Some(1), Some(1)));
        assert!(error.message.starts_with("`begin` is not a gate"), "{error:?}");
        let error = json_lines("a", "\n{\"gate\":1}\n").unwrap_err();
        assert_eq!(error.line, Some(2));
    }

    #[test]
    fn a_bomb_is_refused() {
        let mut bomb = "- &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for depth in 1..12 {
            let aliases = vec![format!("*a{}", depth - 1); 10].join(", ");
            bomb.extend(["- &a", &depth.to_string(), " [", &aliases, "]\n"]);
        }
        yaml("a", &bomb).unwrap_err();
        yaml("a", &"[".repeat(100_000)).unwrap_err();
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in ".{0,200}") {
            let _ = json_lines("a", &text);
            let _ = yaml("a", &text);
        }
    }
}
