//! Every detector answers any text with places in it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sekisho::domain::contract::{Argument, DetectorId, DetectorSpec};
use sekisho::domain::detect::{Context, run};
use sekisho::domain::ids::Language;
use sekisho::domain::text::Document;

fuzz_target!(|source: &str| {
    let document = Document::parse(source);
    let context = Context { fields: Vec::new(), language: Language::Ja, references: Vec::new() };
    let one = |text: &str| Argument::One(text.to_owned());
    for (id, argument) in [
        (DetectorId::Words, one("vague-ja")),
        (DetectorId::Words, one("vague-en")),
        (DetectorId::Unmeasured, Argument::None),
        (DetectorId::Unnumbered, one("AC")),
        (DetectorId::ImplementationDetail, Argument::None),
        (DetectorId::Secret, Argument::None),
        (DetectorId::FieldEmpty, one("目的")),
    ] {
        let spec = DetectorSpec { id, argument, within: Vec::new() };
        for range in run(&spec, &document, &context).into_iter().flatten().filter_map(|hit| hit.range) {
            let _ = &source[range];
        }
    }
});
