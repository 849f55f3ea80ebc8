//! Contracts that are shipped, and contracts that the docs show, are contracts.

use crate::repository;
use crate::source::{Breach, files, root};
use sekisho::domain::contract::{BUILTINS, load};

/// Every contract under `contracts/` is built in, and has no problem of any weight.
fn contracts(shipped: &[(String, String)], built_in: &[&str]) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for (path, text) in shipped {
        if !built_in.contains(&text.as_str()) {
            breaches.push(Breach::new(path, 0, "no built-in contract holds this text"));
        }
        breaches.extend(problems(path, 0, text));
    }
    breaches
}

/// What is wrong with a contract that begins after a line of a file.
fn problems(path: &str, before: usize, text: &str) -> Vec<Breach> {
    let loaded = load(path, text.as_bytes(), None);
    let mut breaches: Vec<Breach> = loaded
        .problems
        .iter()
        .map(|problem| Breach::new(path, before + problem.line as usize, format!("{problem:?}")))
        .collect();
    if loaded.contract.is_none() && breaches.is_empty() {
        breaches.push(Breach::new(path, before, "is no hand-off contract"));
    }
    breaches
}

/// Every code block of a page that says `kind: handoff` is a contract without a problem.
fn shown(pages: &[(String, String)]) -> (usize, Vec<Breach>) {
    let mut seen = 0;
    let mut breaches = Vec::new();
    for (path, page) in pages {
        let lines: Vec<&str> = page.lines().collect();
        let fences: Vec<usize> = (0..lines.len()).filter(|&at| lines[at].starts_with("```")).collect();
        for fence in fences.chunks_exact(2).filter(|fence| lines[fence[0]] == "```yaml") {
            let block = &lines[fence[0] + 1..fence[1]];
            if block.contains(&"kind: handoff") {
                seen += 1;
                breaches.extend(problems(path, fence[0] + 1, &(block.join("\n") + "\n")));
            }
        }
    }
    (seen, breaches)
}

#[test]
fn every_shipped_contract_parses() {
    // Labelled examples beside them are no contracts; tests/evaluation.rs runs them.
    let here: Vec<_> = files(root(), "contracts").into_iter().filter(|path| !path.contains("/examples/")).collect();
    let shipped = repository::texts(&here);
    assert_eq!(shipped.len(), BUILTINS.len(), "each built-in contract has its file");
    crate::hold("every shipped contract parses", &contracts(&shipped, &BUILTINS.map(|built_in| built_in.text)));
}

#[test]
fn every_contract_in_a_page_parses() {
    let (seen, breaches) = shown(&repository::markdown());
    assert!(seen > 0, "the README shows a contract");
    crate::hold("every contract in a page parses", &breaches);
}

#[test]
fn bad_contracts_are_seen() {
    let page = |path: &str, text: &str| vec![(path.to_owned(), text.to_owned())];
    let found = contracts(&page("contracts/x.yaml", "version: 1\nkind: handoff\nsurprise: 1\n"), &[]);
    assert!(found.iter().any(|breach| breach.line == 3), "{found:?}");
    assert!(found.iter().any(|breach| breach.what.contains("no built-in")), "{found:?}");
    let (seen, found) =
        shown(&page("README.md", "a\n```yaml\nversion: 1\nkind: handoff\nsurprise: 1\n```\n```yaml\nb: 1\n```\n"));
    assert_eq!(seen, 1);
    assert!(found.iter().any(|breach| breach.line == 5), "{found:?}");
}
