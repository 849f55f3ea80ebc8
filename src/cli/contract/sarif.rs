//! Problems as a SARIF 2.1.0 log, for code scanning and for viewers that read it. The rules are the ids of
//! `docs/contracts.md`, with what stands there.

use super::place::mark;
use crate::domain::contract::{Problem, Severity};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The page that explains every problem; its headings of the fourth level are their ids.
const PAGE: &str = include_str!("../../../docs/contracts.md");
/// Where that page stands in this project.
const PAGE_PATH: &str = "docs/contracts.md";
/// Where this project stands, if its manifest says so.
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

/// The log of one run. Columns count Unicode code points, from 1, and say so.
pub(super) fn log(problems: &[Problem]) -> Value {
    let rules = rules(PAGE);
    let results: Vec<Value> = problems.iter().map(|problem| result(problem, &rules)).collect();
    let rules: Vec<Value> = rules.iter().map(|rule| rule.json(REPOSITORY)).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "sekisho",
                "version": env!("CARGO_PKG_VERSION"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn result(problem: &Problem, rules: &[Rule<'_>]) -> Value {
    let text = match problem.expected.as_str() {
        "" => problem.message.clone(),
        expected => format!("{}; expected {expected}", problem.message),
    };
    let mut physical = json!({"artifactLocation": {"uri": uri(&problem.path)}});
    if problem.line > 0 {
        let place = mark(problem);
        let mut region = json!({"startLine": problem.line, "startColumn": problem.column.max(1)});
        if !place.is_empty() {
            region["endColumn"] = json!(place.end + 1);
            region["snippet"] = json!({"text": problem.source});
        }
        physical["region"] = region;
    }
    let mut result = json!({
        "ruleId": problem.id,
        "level": level(problem.severity),
        "message": {"text": text},
        "locations": [{"physicalLocation": physical}],
    });
    if let Some(index) = rules.iter().position(|rule| rule.id == problem.id) {
        result["ruleIndex"] = json!(index);
    }
    result
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Notice => "note",
    }
}

/// What the page says of one id.
struct Rule<'p> {
    id: &'p str,
    level: &'static str,
    help: String,
}

impl Rule<'_> {
    fn json(&self, repository: &str) -> Value {
        let anchor = format!("{PAGE_PATH}#{}", self.id);
        let (first, _) = self.help.split_once(". ").unwrap_or((self.help.trim_end_matches('.'), ""));
        let mut rule = json!({
            "id": self.id,
            "shortDescription": {"text": format!("{first}.")},
            "fullDescription": {"text": self.help},
            "help": {"text": format!("{} See {anchor}.", self.help)},
            "defaultConfiguration": {"level": self.level},
        });
        // A URI must be whole in SARIF, so it is there only where the project's address is known.
        if !repository.is_empty() {
            rule["helpUri"] = json!(format!("{}/blob/main/{anchor}", repository.trim_end_matches('/')));
        }
        rule
    }
}

/// The rules of a page: `#### id`, a paragraph, under a `###` heading that begins with the severity.
fn rules(page: &str) -> Vec<Rule<'_>> {
    let mut rules: Vec<Rule<'_>> = Vec::new();
    let mut level = "";
    let mut open = false;
    for line in page.lines() {
        if let Some(id) = line.strip_prefix("#### ") {
            rules.push(Rule { id, level, help: String::new() });
            open = true;
        } else if line.starts_with('#') {
            open = false;
            level = match line.strip_prefix("### ").and_then(|title| title.split(':').next()) {
                Some("Errors") => "error",
                Some("Warnings") => "warning",
                _ => "note",
            };
        } else if let Some(rule) = rules.last_mut().filter(|_| open) {
            rule.help.push_str(line.trim());
            rule.help.push(' ');
        }
    }
    for rule in &mut rules {
        rule.help = rule.help.trim_end().to_owned();
    }
    rules
}

/// A path as a URI reference: what a URI can't hold is escaped byte by byte.
fn uri(path: &str) -> String {
    let path = path.replace('\\', "/");
    let path = path.strip_prefix("./").unwrap_or(&path);
    let mut uri = String::new();
    if path.starts_with('/') {
        uri.push_str("file://");
    }
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_its_help_and_weight() {
        let rules = rules(PAGE);
        assert!(rules.len() > 20);
        for rule in &rules {
            assert!(rule.help.len() > 20 && !rule.help.contains('#'), "{}: {}", rule.id, rule.help);
            let json = rule.json("");
            assert!(json["shortDescription"]["text"].as_str().unwrap().len() > 10, "{json}");
            assert_eq!(json.get("helpUri"), None);
        }
        let weight = |id: &str| rules.iter().find(|rule| rule.id == id).map(|rule| rule.level);
        assert_eq!(weight("unknown-key"), Some("error"));
        assert_eq!(weight("unused-phase"), Some("warning"));
        assert_eq!(weight("no-kind"), Some("note"));
        let rule = Rule { id: "alias", level: "error", help: "One. Two.".to_owned() };
        let json = rule.json("https://forge.example/o/r/");
        assert_eq!(json["helpUri"], "https://forge.example/o/r/blob/main/docs/contracts.md#alias");
        assert_eq!(json["shortDescription"]["text"], "One.");
    }

    #[test]
    fn paths_become_uris() {
        assert_eq!(uri("./contracts/a b.yaml"), "contracts/a%20b.yaml");
        assert_eq!(uri("契約.yaml"), "%E5%A5%91%E7%B4%84.yaml");
        assert_eq!(uri("/tmp/a:b"), "file:///tmp/a%3Ab");
    }
}
