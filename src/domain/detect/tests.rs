//! Corpora of every detector: examples that must match and near misses that must not, and how many go right.

use super::*;
use crate::domain::contract::Argument;
use serde::Deserialize;
use std::collections::BTreeMap;

/// `tests/corpora/<detector>.yaml`
#[derive(Deserialize)]
struct Corpus {
    /// `detect:` and `in:` as they would stand in a contract.
    #[serde(default)]
    argument: Option<String>,
    #[serde(default)]
    arguments: BTreeMap<String, String>,
    #[serde(default)]
    within: Vec<String>,
    /// A body around each example, `{}` where it goes.
    frame: Option<String>,
    ja: Examples,
    en: Examples,
}

#[derive(Deserialize)]
struct Examples {
    matches: Vec<String>,
    misses: Vec<String>,
}

fn context() -> Context {
    Context { fields: Vec::new(), language: Language::Ja, references: Vec::new(), always_separate: Vec::new() }
}

#[track_caller]
fn check(id: DetectorId, data: &str) {
    let corpus: Corpus = serde_saphyr::from_str(data).unwrap();
    let mut wrong = Vec::new();
    let mut judged = 0;
    for (language, examples) in [("ja", &corpus.ja), ("en", &corpus.en)] {
        let argument = corpus.arguments.get(language).or(corpus.argument.as_ref());
        let argument = argument.map_or(Argument::None, |one| Argument::One(one.clone()));
        let spec = DetectorSpec { id, argument, within: corpus.within.clone() };
        let expected =
            examples.matches.iter().map(|text| (text, true)).chain(examples.misses.iter().map(|text| (text, false)));
        assert!(examples.matches.len() >= 10 && examples.misses.len() >= 10, "{id:?} {language} has too few examples");
        for (text, expect) in expected {
            // Tokens are written with a `~` inside, so that no scanner takes this repository for a leak.
            let text = text.replace('~', "");
            let body = corpus.frame.as_ref().map_or(text.clone(), |frame| frame.replace("{}", &text));
            let hits = run(&spec, &Document::parse(&body), &context()).expect("it is built");
            judged += 1;
            if hits.is_empty() == expect {
                wrong.push(format!("{language} should {}match: {text:?} {hits:?}", if expect { "" } else { "not " }));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {judged} wrong\n{}", wrong.len(), wrong.join("\n"));
}

macro_rules! corpora {
    ($($name:ident: $id:expr;)+) => {$(
        #[test]
        fn $name() {
            check($id, include_str!(concat!("../../../tests/corpora/", stringify!($name), ".yaml")));
        }
    )+};
}

corpora! {
    field_empty: DetectorId::FieldEmpty;
    section_missing: DetectorId::SectionMissing;
    words: DetectorId::Words;
    unmeasured: DetectorId::Unmeasured;
    unnumbered: DetectorId::Unnumbered;
    implementation_detail: DetectorId::ImplementationDetail;
    secret: DetectorId::Secret;
    personal_data: DetectorId::PersonalData;
}
