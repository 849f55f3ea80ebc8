//! Measures every detector on its corpus and writes the figures into `docs/detectors.md`: `just detectors`.
//!
//! `--check` writes nothing and exits with 1 where the page differs. Examples that go wrong are printed.
#![expect(clippy::expect_used, clippy::panic, reason = "a tool for people who work on the project")]

use sekisho::domain::contract::{Argument, DetectorId, DetectorSpec};
use sekisho::domain::detect::{Context, run};
use sekisho::domain::ids::Language;
use sekisho::domain::text::Document;
use std::process::ExitCode;

#[path = "../tests/corpora/mod.rs"]
mod corpora;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let checks = match (arguments.next().as_deref(), arguments.next()) {
        (None, None) => false,
        (Some("--check"), None) => true,
        _ => {
            eprintln!("usage: detectors [--check]");
            return ExitCode::from(64);
        }
    };
    let path = corpora::folder().join("../../docs/detectors.md");
    let page = std::fs::read_to_string(&path).expect("docs/detectors.md is a text");
    let rows = corpora::measure();
    print!("{}", corpora::wrong(&rows));
    let written = corpora::written(&page, &rows).expect("the page has a place for the figures");
    if page == written {
        println!("docs/detectors.md holds these figures.");
    } else if checks {
        println!("docs/detectors.md holds other figures: run `just detectors`.");
        return ExitCode::FAILURE;
    } else {
        std::fs::write(&path, written).expect("docs/detectors.md can be written");
        println!("docs/detectors.md is written.");
    }
    ExitCode::SUCCESS
}
