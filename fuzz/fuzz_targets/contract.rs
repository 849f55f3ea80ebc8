//! Arbitrary bytes as a contract file: never a panic, and what loads prints to the same contract.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sekisho::domain::contract::{load, print};

fuzz_target!(|bytes: &[u8]| {
    let loaded = load("fuzz.yaml", bytes, None);
    if let Some(contract) = loaded.contract {
        let again = load("fuzz.yaml", print(&contract).as_bytes(), None);
        assert_eq!(again.contract, Some(contract));
    }
});
