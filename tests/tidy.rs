//! The laws of the house, each a test: `cargo test --test tidy`.
//!
//! Every law is a function from files to breaches. One test holds it against the repository; another feeds it a bad
//! sample and expects the breach, so that no law can fall silent.
#![allow(clippy::expect_used, clippy::panic, missing_docs, reason = "a test program")]

#[path = "tidy/code.rs"]
mod code;
#[path = "tidy/ladder.rs"]
mod ladder;
#[path = "tidy/repository.rs"]
mod repository;
#[path = "tidy/samples.rs"]
mod samples;
#[path = "tidy/shipped.rs"]
mod shipped;
#[path = "tidy/source.rs"]
mod source;
#[path = "tidy/variables.rs"]
mod variables;

use source::{Breach, Source, files, root, sources};

/// Fails with every breach, a line each.
fn hold(law: &str, breaches: &[Breach]) {
    let lines: Vec<String> = breaches.iter().map(|breach| format!("  {breach}")).collect();
    assert!(breaches.is_empty(), "the law “{law}” is broken:\n{}\n", lines.join("\n"));
}

fn production() -> Vec<Source> {
    let found = sources("src");
    assert!(found.len() > 10, "src/ was not found");
    found
}

fn all() -> Vec<Source> {
    ["src", "tests", "benches", "examples"].into_iter().flat_map(sources).collect()
}

#[test]
fn imports_only_go_down() {
    hold("imports only go down", &ladder::between_modules(&production()));
}

#[test]
fn the_domain_imports_in_its_order() {
    hold("the domain imports in its order", &ladder::inside_domain(&production()));
}

#[test]
fn siblings_form_no_cycle() {
    hold("siblings form no cycle", &ladder::no_cycle(&production()));
}

#[test]
fn only_perform_writes_on_the_forge() {
    hold("only app::perform writes on the forge", &code::writes(&production()));
}

#[test]
fn every_method_of_forge_is_listed() {
    let ports: Vec<Source> = production().into_iter().filter(|source| source.path.starts_with("src/ports")).collect();
    assert!(!ports.is_empty(), "the port was not found");
    hold("every method of Forge is listed as reading or writing", &code::forge_methods(&ports));
}

#[test]
fn files_are_short_and_end_with_their_tests() {
    hold("files are under 400 lines before their tests, which stand last", &code::size(&production()));
}

#[test]
fn every_file_says_what_it_is_for() {
    hold("every file begins with //!", &code::head(&all()));
}

#[test]
fn only_config_reads_the_environment() {
    hold("only config reads the environment", &code::environment(&production()));
}

#[test]
fn code_has_no_hooks_for_tests() {
    hold("no cfg(test) outside `mod tests`", &code::hooks(&production()));
}

#[test]
fn nothing_is_left_open() {
    hold("no todo!, unimplemented!, dbg! or #[ignore]", &code::finished(&all()));
}

#[test]
fn the_domain_is_pure() {
    hold("the domain has no async, I/O, clock, randomness or log", &code::purity(&production()));
}

#[test]
fn app_yml_asks_for_what_the_code_names() {
    let text = std::fs::read_to_string(root().join("app.yml")).expect("app.yml stands at the root");
    hold("app.yml equals domain::event::EVENTS", &repository::app("app.yml", &text, &sekisho::domain::event::EVENTS));
}

#[test]
fn every_template_is_rendered() {
    let templates = repository::texts(&files(root(), "templates"));
    hold("every template is rendered", &repository::templates(&templates, &production()));
}

#[test]
fn paths_in_pages_exist() {
    hold("paths and links in pages exist", &repository::pages(root(), &repository::markdown()));
}

#[test]
fn paths_in_comments_exist() {
    hold("paths in comments exist", &repository::comments(root(), &all()));
}

#[test]
fn nothing_names_a_path_of_a_machine() {
    hold("no path of a machine", &repository::machine_paths(&repository::tracked()));
}
