//! Reads the corpora beside this file, runs each detector over its own, and counts.
//!
//! Included by the domain's tests, which hold the figures against `docs/detectors.md`, and by `examples/detectors.rs`,
//! which writes them there. Whoever includes it imports what `super` is asked for here.

use super::{Argument, Context, DetectorId, DetectorSpec, Document, Language, run};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// What a detector did with the examples of one language.
#[derive(Clone, Debug)]
pub struct Row {
    /// The detector.
    pub id: DetectorId,
    /// The language of the examples.
    pub language: Language,
    /// How many must match.
    pub positives: usize,
    /// How many must not.
    pub near_misses: usize,
    /// Positives that did not match.
    pub missed: Vec<String>,
    /// Near misses that did, with what was found in them.
    pub mistaken: Vec<String>,
}

impl Row {
    /// Of all that matched, how much should have.
    pub fn precision(&self) -> f64 {
        let right = self.positives - self.missed.len();
        ratio(right, right + self.mistaken.len())
    }

    /// Of all that should match, how much did.
    pub fn recall(&self) -> f64 {
        ratio(self.positives - self.missed.len(), self.positives)
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of examples are small")]
fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

/// `tests/corpora/<detector>.yaml`
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Corpus {
    /// The detector's argument, as it would stand in a contract.
    #[serde(default)]
    argument: Option<OneOrMany>,
    /// The same by language.
    #[serde(default)]
    arguments: BTreeMap<String, OneOrMany>,
    /// `in:`
    #[serde(default)]
    within: Vec<String>,
    /// The contract's pairs that are kept apart.
    #[serde(default)]
    always_separate: BTreeMap<String, Vec<String>>,
    /// A body around each example, `{}` where it goes.
    #[serde(default)]
    frame: Option<String>,
    /// The same by language.
    #[serde(default)]
    frames: BTreeMap<String, String>,
    /// The issue that the examples are judged against, where an example has none of its own.
    #[serde(default)]
    against: Option<String>,
    ja: Examples,
    en: Examples,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Examples {
    matches: Vec<Example>,
    misses: Vec<Example>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Example {
    Text(String),
    Against { text: String, against: String },
}

#[derive(Clone, Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

/// The folder of the corpora.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpora")
}

/// Names of the corpora that are there.
pub fn names() -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder()).expect("the corpora stand in the repository");
    let paths = entries.filter_map(Result::ok).map(|entry| entry.path());
    let files = paths.filter(|path| path.extension().is_some_and(|end| end == "yaml"));
    files.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned())).collect()
}

/// Runs every detector that has a corpus, in the order of the closed list.
pub fn measure() -> Vec<Row> {
    let names = names();
    let ids = DetectorId::all().filter(|id| names.contains(id.as_str()));
    ids.flat_map(|id| measure_one(id, &read(id))).collect()
}

fn read(id: DetectorId) -> Corpus {
    let path = folder().join(format!("{}.yaml", id.as_str()));
    let data = std::fs::read_to_string(&path).expect("a corpus is a text");
    serde_saphyr::from_str(&data).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn measure_one(id: DetectorId, corpus: &Corpus) -> [Row; 2] {
    [(Language::Ja, "ja", &corpus.ja), (Language::En, "en", &corpus.en)].map(|(language, code, examples)| {
        let argument = match corpus.arguments.get(code).or(corpus.argument.as_ref()).cloned() {
            Some(OneOrMany::One(one)) => Argument::One(one),
            Some(OneOrMany::Many(many)) => Argument::List(many),
            None => Argument::None,
        };
        let spec = DetectorSpec { id, argument, within: corpus.within.clone() };
        let frame = corpus.frames.get(code).or(corpus.frame.as_ref()).map_or("{}", String::as_str);
        let always_separate = corpus.always_separate.get(code).cloned().unwrap_or_default();
        let mut row = Row {
            id,
            language,
            positives: examples.matches.len(),
            near_misses: examples.misses.len(),
            missed: Vec::new(),
            mistaken: Vec::new(),
        };
        let mut seen = BTreeSet::new();
        let matches = examples.matches.iter().map(|example| (example, true));
        for (example, expect) in matches.chain(examples.misses.iter().map(|example| (example, false))) {
            let (text, against) = match example {
                Example::Text(text) => (text, corpus.against.as_ref()),
                Example::Against { text, against } => (text, Some(against)),
            };
            assert!(seen.insert((text, against)), "{} {code} holds an example twice: {text:?}", id.as_str());
            // Tokens are written with a `~` inside, so that no scanner takes this repository for a leak.
            let text = text.replace('~', "");
            let context = Context {
                fields: Vec::new(),
                language,
                // What a report is judged against is its issue, a plan and a roll-up their parent.
                references: against
                    .iter()
                    .flat_map(|text| ["issue", "parent"].map(|role| (role.to_owned(), text.replace('~', ""))))
                    .collect(),
                always_separate: always_separate.clone(),
                plan: None,
            };
            let hits = run(&spec, &Document::parse(&frame.replace("{}", &text)), &context).expect("it is built");
            match (hits.is_empty(), expect) {
                (true, true) => row.missed.push(text),
                (false, false) => {
                    let notes: Vec<_> = hits.into_iter().filter_map(|hit| hit.note).collect();
                    row.mistaken.push(format!("{text} [{}]", notes.join(", ")));
                }
                _ => {}
            }
        }
        row
    })
}

const BEGIN: &str = "<!-- figures: written by `just detectors` -->";
const END: &str = "<!-- figures end -->";

/// `docs/detectors.md` with the figures of these rows.
pub fn written(page: &str, rows: &[Row]) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n{}{END}{after}", table(rows)))
}

fn table(rows: &[Row]) -> String {
    let mut out = String::from(
        "\n| detector | language | positives | near misses | precision | recall | wrong |\n|---|---|---|---|---|---|---|\n",
    );
    for row in rows {
        let language = if row.language == Language::Ja { "ja" } else { "en" };
        let wrong = row.missed.len() + row.mistaken.len();
        let id = row.id.as_str();
        writeln!(
            out,
            "| `{id}` | {language} | {} | {} | {:.2} | {:.2} | {wrong} |",
            row.positives,
            row.near_misses,
            row.precision(),
            row.recall()
        )
        .expect("a string takes all");
    }
    out.push('\n');
    out
}

/// Every example that went wrong, a line each.
pub fn wrong(rows: &[Row]) -> String {
    let mut out = String::new();
    for row in rows {
        for (what, texts) in [("missed", &row.missed), ("mistaken", &row.mistaken)] {
            for text in texts {
                writeln!(out, "{} {:?} {what}: {text:?}", row.id.as_str(), row.language).expect("a string takes all");
            }
        }
    }
    out
}
