//! Lists of issues as people save them: the REST API's own answers (`gh api --paginate`, `curl`), or what
//! `gh issue list --json …` prints. One array, several in a row, an array of arrays, a search's answer, JSON Lines.

use crate::domain::ids::{IssueId, IssueNumber, Login};
use crate::domain::run::Issue;
use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::Value;

/// What a saved list holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listed {
    /// Open issues, in the list's order, each number once.
    pub issues: Vec<Issue>,
    /// Pull requests, which the REST API lists among issues.
    pub pull_requests: usize,
    /// Issues that are closed.
    pub closed: usize,
}

/// Why a text is no list of issues: what and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotListed {
    /// It is no JSON.
    #[error("line {line}, column {column}: no JSON: {what}")]
    NotJson {
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
        /// What was met, and what was expected.
        what: String,
    },
    /// One of its values is no issue.
    #[error("the {} issue{}: {what}", ordinal(*index), number.map_or_else(String::new, |number| format!(" (#{number})")))]
    NotAnIssue {
        /// Its place in the list, from 1.
        index: usize,
        /// Its number, where it has one.
        number: Option<u64>,
        /// What is wrong with it, and what was expected.
        what: String,
    },
    /// It holds nothing at all.
    #[error("the file is empty; expected GitHub's issue JSON, such as `gh issue list --json number,title,body` prints")]
    Empty,
}

/// Reads a saved list of issues.
///
/// # Errors
/// The first thing that is no JSON, or no issue.
pub fn issues(text: &str) -> Result<Listed, NotListed> {
    let text = text.trim_start_matches('\u{feff}');
    let mut found = Vec::new();
    for value in serde_json::Deserializer::from_str(text).into_iter::<Value>() {
        flatten(value.map_err(|error| not_json(&error))?, &mut found);
    }
    if text.trim().is_empty() {
        return Err(NotListed::Empty);
    }
    let mut listed = Listed::default();
    for (at, value) in found.into_iter().enumerate() {
        let number = value.get("number").and_then(Value::as_u64);
        let wrong = |what: String| NotListed::NotAnIssue { index: at + 1, number, what };
        let (issue, kind) = read(value).map_err(wrong)?;
        match kind {
            Kind::PullRequest => listed.pull_requests += 1,
            Kind::Closed => listed.closed += 1,
            // A list that was read page by page while issues came shows some twice.
            Kind::Open if listed.issues.iter().any(|known| known.number == issue.number) => {}
            Kind::Open => listed.issues.push(issue),
        }
    }
    Ok(listed)
}

/// Arrays in arrays come from `--slurp`, `items` from a search.
fn flatten(value: Value, found: &mut Vec<Value>) {
    match value {
        Value::Array(values) => values.into_iter().for_each(|value| flatten(value, found)),
        Value::Object(mut map) if map.contains_key("total_count") => {
            if let Some(items) = map.remove("items") {
                flatten(items, found);
            }
        }
        other => found.push(other),
    }
}

fn not_json(error: &serde_json::Error) -> NotListed {
    let what = error.to_string();
    let what = what.rsplit_once(" at line ").map_or(what.as_str(), |(what, _)| what).to_owned();
    NotListed::NotJson { line: error.line(), column: error.column(), what }
}

enum Kind {
    Open,
    Closed,
    PullRequest,
}

/// Both shapes: REST writes `html_url`, `user` and `open`, `gh` writes `url`, `author` and `OPEN`.
#[derive(Deserialize)]
struct Shape {
    number: u64,
    title: String,
    #[serde(default)]
    html_url: Option<String>,
    #[serde(default)]
    url: Option<String>,
    #[serde(default)]
    labels: Vec<LabelShape>,
    #[serde(alias = "author")]
    user: Option<UserShape>,
    state: Option<String>,
    pull_request: Option<Value>,
    #[serde(default)]
    locked: bool,
    #[serde(alias = "createdAt")]
    created_at: Option<DateTime<Utc>>,
    #[serde(alias = "updatedAt")]
    updated_at: Option<DateTime<Utc>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum LabelShape {
    Named { name: String },
    Bare(String),
}

#[derive(Deserialize)]
struct UserShape {
    login: String,
}

fn read(mut value: Value) -> Result<(Issue, Kind), String> {
    let Some(map) = value.as_object_mut() else {
        return Err(format!("it is {}; expected an object with number, title and body", called(&value)));
    };
    // Null is an issue without a text; no key at all is a list that was saved without bodies.
    let body = match map.remove("body") {
        Some(Value::String(body)) => body,
        Some(Value::Null) => String::new(),
        Some(other) => return Err(format!("`body` is {}; expected a text or null", called(&other))),
        None => return Err("`body` is missing; with gh, ask for --json number,title,body,labels".to_owned()),
    };
    let shape: Shape = serde_json::from_value(value).map_err(|error| error.to_string())?;
    let url = shape.html_url.or(shape.url).unwrap_or_default();
    let open = shape.state.is_none_or(|state| state.eq_ignore_ascii_case("open"));
    let is_pull_request = shape.pull_request.is_some_and(|pull| !pull.is_null());
    let name = |label| match label {
        LabelShape::Named { name } | LabelShape::Bare(name) => name,
    };
    let kind = match (is_pull_request, open) {
        (true, _) => Kind::PullRequest,
        (false, true) => Kind::Open,
        (false, false) => Kind::Closed,
    };
    let issue = Issue {
        id: IssueId(0),
        number: IssueNumber(shape.number),
        title: shape.title,
        body,
        url,
        labels: shape.labels.into_iter().map(name).collect(),
        author: shape.user.map(|user| Login(user.login)),
        open,
        state_reason: None,
        is_pull_request,
        locked: shape.locked,
        created_at: shape.created_at.unwrap_or_default(),
        updated_at: shape.updated_at.unwrap_or_default(),
        // The number of another list's issue would mislead.
        parent: None,
    };
    Ok((issue, kind))
}

fn called(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn ordinal(index: usize) -> String {
    let ending = match (index % 10, index % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{index}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn numbers(text: &str) -> Vec<u64> {
        issues(text).unwrap().issues.iter().map(|issue| issue.number.0).collect()
    }

    const ONE: &str = r#"{"number": 1, "title": "T", "body": "B", "state": "open", "labels": [{"name": "bug"}], "html_url": "https://github.com/o/r/issues/1", "user": {"login": "taro"}, "updated_at": "2026-11-30T08:00:00Z", "pull_request": null}"#;
    const GH: &str = r#"{"author": {"id": "x", "is_bot": false, "login": "mio"}, "body": "", "labels": [], "number": 2, "state": "OPEN", "title": "U", "updatedAt": "2026-11-30T08:00:00Z", "url": "https://github.com/o/r/issues/2"}"#;

    #[test]
    fn every_way_to_save_a_list_is_read() {
        for text in [
            format!("[{ONE}, {GH}]"),
            format!("[{ONE}][{GH}]"),
            format!("[{ONE}]\n[{GH}]\n[]"),
            format!("[[{ONE}],[{GH}]]"),
            format!("{ONE}\n{GH}\n"),
            format!("{{\"total_count\": 2, \"incomplete_results\": false, \"items\": [{ONE}, {GH}]}}"),
            format!("\u{feff}[{ONE},{GH},{ONE}]"),
        ] {
            assert_eq!(numbers(&text), [1, 2], "{text}");
        }
        assert_eq!(numbers("[]"), [0; 0]);
        let both = issues(&format!("[{ONE},{GH}]")).unwrap().issues;
        assert_eq!(both[0].labels, ["bug"]);
        let who: Vec<_> = both.iter().map(|issue| issue.author.clone().unwrap().0).collect();
        assert_eq!(who, ["taro", "mio"]);
        assert_eq!(both[1].url, "https://github.com/o/r/issues/2");
    }

    #[test]
    fn pull_requests_and_closed_issues_are_counted_and_left_out() {
        let text = r#"[{"number": 1, "title": "T", "body": null},
            {"number": 2, "title": "T", "body": null, "state": "closed"},
            {"number": 3, "title": "T", "body": "x", "pull_request": {"url": "u"}}]"#;
        let listed = issues(text).unwrap();
        assert_eq!((listed.issues.len(), listed.closed, listed.pull_requests), (1, 1, 1));
        assert_eq!(listed.issues[0].body, "");
    }

    #[test]
    fn what_is_no_list_of_issues_says_what_and_where() {
        let check = |text: &str, expect: &str| {
            let said = issues(text).unwrap_err().to_string();
            assert!(said.starts_with(expect), "{text}: {said}");
        };
        check("", "the file is empty; expected");
        check(" \n", "the file is empty; expected");
        check("[{\"number\": 1,\n \"title\" oops]", "line 2, column 10: no JSON: expected `:`");
        check("[{\"number\": 1", "line 1, column 13: no JSON: EOF while parsing an object");
        check("<html>", "line 1, column 1: no JSON: expected value");
        check(r#"{"message": "Not Found"}"#, "the 1st issue: `body` is missing; with gh, ask for");
        check(r#"[{"number": 1, "title": "T"}]"#, "the 1st issue (#1): `body` is missing");
        check(r#"[{"number": 1, "title": "T", "body": 3}]"#, "the 1st issue (#1): `body` is a number; expected");
        check(r#"[{"title": "T", "body": ""}]"#, "the 1st issue: missing field `number`");
        check(&format!("[{ONE}, 7]"), "the 2nd issue: it is a number; expected an object");
        check(&format!("{ONE}\nnonsense"), "line 2, column 2: no JSON: expected");
        assert_eq!(ordinal(11), "11th");
        assert_eq!(ordinal(103), "103rd");
    }

    proptest! {
        #[test]
        fn no_text_breaks_it(text in ".{0,200}") {
            let _ = issues(&text);
        }

        #[test]
        fn no_json_breaks_it(number in any::<u64>(), title in ".{0,20}", body in prop::option::of(".{0,40}"), cut in 0usize..200) {
            let whole = serde_json::json!([{"number": number, "title": title, "body": body}]).to_string();
            prop_assert_eq!(numbers(&whole), vec![number]);
            let cut: String = whole.chars().take(cut).collect();
            if cut.len() < whole.len() {
                prop_assert!(issues(&cut).is_err());
            }
        }
    }
}
