//! Arbitrary bytes as a contract file, and as a file over a base: never a panic, and what loads prints to the same contract.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sekisho::domain::contract::{Bases, Loaded, load, load_on, print};

/// Where the bytes hold this line, what stands above is the base of what stands below.
const SEAM: &[u8] = b"\n%%\n";

fuzz_target!(|bytes: &[u8]| {
    check(load("fuzz.yaml", bytes, None));
    if let Some(seam) = bytes.windows(SEAM.len()).position(|window| window == SEAM) {
        let mut bases = Bases::default();
        bases.found("base.yaml", "base.yaml", bytes[..seam].to_vec());
        let over = [b"kind: handoff\nextends: base.yaml\n", &bytes[seam + SEAM.len()..]].concat();
        check(load_on("fuzz.yaml", &over, None, &bases));
    }
});

fn check(loaded: Loaded) {
    if let Some(contract) = loaded.contract {
        let again = load("fuzz.yaml", print(&contract).as_bytes(), None);
        assert_eq!(again.contract, Some(contract));
    }
}
