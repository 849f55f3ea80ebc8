//! Any text parses, and every place that the outline names lies in the text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sekisho::domain::text::{Document, is_empty_section, numbering, sentences};

fuzz_target!(|source: &str| {
    let document = Document::parse(source);
    for section in document.sections() {
        let _ = &source[section.title_range.clone()];
        let _ = &source[section.range.clone()];
        let _ = &source[section.own_range.clone()];
        let _ = is_empty_section(&document, section);
    }
    for item in document.items() {
        let _ = &source[item.range.clone()];
        for sentence in sentences(item) {
            let _ = &source[item.source(sentence)];
        }
    }
    let _ = document.near_miss(["目的", "Acceptance criteria"], []);
    let _ = numbering(&document, &(0..source.len()), "AC");
});
