//! Every built detector against its corpus: examples that must match, near misses that must not.
//!
//! Examples that the rules get wrong stay in a corpus; the figures say how many there are, and the docs say the same.

use super::*;
use crate::domain::contract::Argument;

#[path = "../../../tests/corpora/mod.rs"]
mod corpora;

/// Fewest positives, and fewest near misses, in each language.
const FEWEST: usize = 20;

/// The least precision and recall that are good enough.
///
/// What blames a text for being too concrete must hardly ever be wrong: its author would have to delete a requirement.
fn floors(id: DetectorId) -> (f64, f64) {
    match id {
        DetectorId::ImplementationDetail | DetectorId::RawLog | DetectorId::Secret | DetectorId::PersonalData => {
            (0.95, 0.80)
        }
        DetectorId::Words => (0.80, 0.80),
        _ => (0.90, 0.80),
    }
}

#[test]
fn every_built_detector_has_a_corpus_of_a_size() {
    let names = corpora::names();
    let rows = corpora::measure();
    for id in DetectorId::all() {
        assert!(names.contains(id.as_str()), "{} has no corpus", id.as_str());
        for row in rows.iter().filter(|row| row.id == id) {
            let least = row.positives.min(row.near_misses);
            assert!(least >= FEWEST, "{} {:?} has {least} examples", id.as_str(), row.language);
        }
    }
    for name in &names {
        let known = DetectorId::all().any(|id| id.as_str() == name);
        assert!(known, "no built detector is called {name}");
    }
}

#[test]
fn figures_are_good_enough_and_those_of_the_docs() {
    let rows = corpora::measure();
    for row in &rows {
        let (precision, recall) = floors(row.id);
        assert!(
            row.precision() >= precision && row.recall() >= recall,
            "{} {:?}: {:.2} {:.2}\n{}",
            row.id.as_str(),
            row.language,
            row.precision(),
            row.recall(),
            corpora::wrong(std::slice::from_ref(row))
        );
    }
    let page = include_str!("../../../docs/detectors.md");
    let written = corpora::written(page, &rows).expect("the page has a place for the figures");
    assert!(page == written, "run `just detectors`: docs/detectors.md differs from\n{written}");
}

#[test]
fn every_detector_has_a_page() {
    let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let index = include_str!("../../../docs/detectors.md");
    for id in DetectorId::all() {
        let page = format!("detectors/{}.md", id.as_str());
        assert!(docs.join(&page).exists(), "{page}");
        assert!(index.contains(&format!("({page})")), "the index has no link to {page}");
    }
}
