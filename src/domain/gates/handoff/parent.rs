//! The parent of a child issue: which one, and what the child names of it (chapter 3, *start*).

use crate::domain::contract::{Field, Gate};
use crate::domain::effect::ChildFooter;
use crate::domain::ids::IssueNumber;
use crate::domain::run::Issue;
use crate::domain::text::Document;

/// Headings under which a child names its parent, before a contract's aliases.
const PARENT_FIELD: [&str; 2] = ["対応する親要件", "Parent requirement"];
/// Where a parent says what done means.
const DEFINITION_OF_DONE: [&str; 2] = ["完了の定義", "Definition of done"];

/// The parent's number: the issue's own link, else the footer of a child that this App filed, else the first `#N` under
/// the parent field.
pub(super) fn number(issue: &Issue, footer: Option<ChildFooter>, gate: &Gate, body: &Document) -> Option<IssueNumber> {
    let linked = issue.parent.or(footer.map(|footer| footer.parent));
    linked.or_else(|| first_reference(named_part(gate, body)?))
}

/// What is taken from the parent: the list item or section with the id or the quoted words that the child names, else
/// the whole definition of done.
pub(super) fn requirement(gate: &Gate, body: &Document, parent: &str) -> Option<String> {
    let parent = Document::parse(parent);
    let named = named_part(gate, body).unwrap_or_default();
    let keys: Vec<&str> = ids(named).into_iter().chain(quoted(named)).collect();
    let found: Vec<&str> = keys.iter().filter_map(|key| passage(&parent, key)).collect();
    if !found.is_empty() {
        return Some(found.join("\n"));
    }
    let done = parent.section(DEFINITION_OF_DONE)?;
    Some(parent.source()[done.range.clone()].trim().to_owned())
}

/// The child's own words under its parent field.
fn named_part<'a>(gate: &Gate, body: &'a Document) -> Option<&'a str> {
    let is_parent = |field: &&Field| {
        let names = || std::iter::once(&field.name).chain(&field.aliases);
        names().any(|name| PARENT_FIELD.contains(&name.as_str()))
    };
    let field = gate.fields.iter().find(is_parent)?;
    let names = std::iter::once(field.name.as_str()).chain(field.aliases.iter().map(String::as_str));
    let section = body.section(names)?;
    Some(&body.source()[section.range.clone()])
}

/// The section or list item of the parent that holds the key: a title first, then the narrowest item.
fn passage<'a>(parent: &'a Document, key: &str) -> Option<&'a str> {
    let titled = parent.sections().iter().find(|section| holds(&section.title, key));
    if let Some(section) = titled {
        return Some(parent.source()[section.title_range.start..section.range.end].trim());
    }
    let items = parent.items().iter().map(|item| parent.source()[item.range.clone()].trim());
    items.filter(|text| holds(text, key)).min_by_key(|text| text.len())
}

/// Whether the text holds the key as a whole: `R-1` is not in `R-12`.
fn holds(text: &str, key: &str) -> bool {
    let edge = |c: Option<char>| !c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '-');
    let identifier = key.is_ascii();
    text.match_indices(key).any(|(at, _)| {
        !identifier || (edge(text[..at].chars().next_back()) && edge(text[at + key.len()..].chars().next()))
    })
}

/// `#12`, not in `x#12` or `acme/widgets#12`.
fn first_reference(text: &str) -> Option<IssueNumber> {
    text.match_indices('#').find_map(|(at, _)| {
        let before = text[..at].chars().next_back();
        if before.is_some_and(|c| c.is_ascii_alphanumeric() || "#/-_.".contains(c)) {
            return None;
        }
        let digits: String = text[at + 1..].chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok().filter(|number| *number > 0).map(IssueNumber)
    })
}

/// Requirement ids such as `R-2`, `D-10`, `REQ-3`.
fn ids(text: &str) -> Vec<&str> {
    let is_id = |word: &&str| {
        word.split_once('-').is_some_and(|(prefix, number)| {
            (1..=8).contains(&prefix.len())
                && prefix.chars().all(|c| c.is_ascii_uppercase())
                && !number.is_empty()
                && number.chars().all(|c| c.is_ascii_digit())
        })
    };
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).filter(is_id).collect()
}

/// Words between 「」, 『』 or double quotes.
fn quoted(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    for (open, close) in [('「', '」'), ('『', '』'), ('“', '”'), ('"', '"')] {
        let mut rest = text;
        while let Some(start) = rest.find(open) {
            let inner = &rest[start + open.len_utf8()..];
            let Some(end) = inner.find(close) else { break };
            let words = inner[..end].trim();
            if !words.is_empty() {
                out.push(words);
            }
            rest = &inner[end + close.len_utf8()..];
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::contract::builtin;
    use crate::domain::ids::{GateId, Language};

    const PARENT: &str = "## Background\nx\n\n## Definition of done\n- D-1: an export exists\n- D-12: it is documented\n\n## R-2 Speed\nunder 2 s\n";

    fn check(named: &str, expect: Option<&str>) {
        let contract = builtin(Language::En);
        let gate = contract.gate(GateId::Start).unwrap();
        let body = Document::parse(&format!("## Parent requirement\n{named}\n\n## Purpose\nD-1 R-2\n"));
        assert_eq!(requirement(gate, &body, PARENT).as_deref(), expect, "{named}");
    }

    #[test]
    fn the_named_passage_is_taken() {
        check("#1 D-1", Some("D-1: an export exists"));
        check("#1, D-12", Some("D-12: it is documented"));
        check("#1 R-2", Some("## R-2 Speed\nunder 2 s"));
        check("#1 \"it is documented\"", Some("D-12: it is documented"));
        check("#1", Some("- D-1: an export exists\n- D-12: it is documented"));
        check("#1 D-9", Some("- D-1: an export exists\n- D-12: it is documented"));
    }

    #[test]
    fn references_are_numbers_of_this_repository() {
        for (text, expect) in [
            ("#12 D-1", Some(12)),
            ("see acme/widgets#3 and #4", Some(4)),
            ("a#3", None),
            ("#0 #", None),
            ("親 #7「x」", Some(7)),
        ] {
            assert_eq!(first_reference(text), expect.map(IssueNumber), "{text}");
        }
    }
}
