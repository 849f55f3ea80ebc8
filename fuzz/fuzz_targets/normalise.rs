//! Every character of a folded text leads back to a place in the source, in order.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sekisho::domain::text::Normalised;

fuzz_target!(|source: &str| {
    let folded = Normalised::of(source);
    let mut before = 0;
    for (at, c) in folded.text().char_indices() {
        let range = folded.source(at..at + c.len_utf8());
        let _ = &source[range.clone()];
        assert!(range.start >= before);
        before = range.start;
    }
});
