//! What is masked once holds nothing more to mask at the same places, and no range is wrong.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sekisho::domain::detect::{mask, mask_secrets, secret_lines, secrets};

fuzz_target!(|text: &str| {
    let found = secrets(text);
    for secret in &found {
        let _ = &text[secret.range.clone()];
        let _ = &text[secret.value.clone()];
    }
    assert_eq!(mask(text, 0..text.len(), &found), mask_secrets(text));
    assert!(secret_lines(text).len() <= found.len());
});
