//! What outcome judges: the newest report of somebody who counts, a comment of the issue or the body of a pull request
//! that answers it (chapter 3).

use super::super::{Step, done, reply, trust};
use super::judged::{Subject, given, read};
use super::rule::Rule;
use super::told;
use crate::domain::contract::Field;
use crate::domain::event::CauseKind;
use crate::domain::finding::Reference;
use crate::domain::ids::IssueNumber;
use crate::domain::record::Part;
use crate::domain::run::{Done, Dossier, Fact, Issue, Next};
use crate::domain::text::{Document, SpanKind};
use crate::domain::view::ReplyKind;

/// The report, judged against the issue.
pub(super) fn subject(dossier: &Dossier, issue: &Issue, rule: Rule<'_>) -> Step<Subject> {
    if dossier.lane.is_none() {
        let asked = given(dossier, "issue");
        let mut parts = vec![Part::named("report", &issue.url, &issue.body)];
        parts.extend(asked.as_ref().map(|one| Part::named("issue", &one.id, &one.text)));
        return Ok(Subject::of(read(dossier, &issue.body), parts, asked.into_iter().collect()));
    }
    let asked = Reference { role: "issue".to_owned(), id: format!("#{}", issue.number), text: issue.body.clone() };
    let found = match dossier.cause.pull {
        Some(pull) => of_pull(dossier, pull)?,
        None => newest_comment(dossier, issue, rule)?,
    };
    let Some(report) = found else {
        // Somebody who asked is told; a comment that is no report is nobody's business.
        let asked = matches!(dossier.cause.kind, CauseKind::Label | CauseKind::Command);
        let end = if asked {
            told(dossier, issue, ReplyKind::NoReport, &rule.gate.label)
        } else {
            Done::nothing("no report")
        };
        return done(end);
    };
    let mut parts = vec![Part::named("report", &report.url, report.text), Part::named("issue", &asked.id, &asked.text)];
    parts.extend(report.head.map(|head| Part::new("head", head)));
    let mut subject = Subject::of(read(dossier, report.text), parts, vec![asked]);
    subject.at = report.pull;
    subject.url = Some(report.url);
    Ok(subject)
}

struct Report<'a> {
    text: &'a str,
    url: String,
    pull: Option<IssueNumber>,
    head: Option<String>,
}

/// The body of the pull request that woke the issue.
fn of_pull(dossier: &Dossier, number: IssueNumber) -> Step<Option<Report<'_>>> {
    let Some(known) = dossier.facts.issues.get(&number) else {
        return Err(Box::new(Next::Need(vec![Fact::Issues(vec![number])])));
    };
    let Some(issue) = known else { return Ok(None) };
    let Some(pull) = dossier.facts.pulls.get(&number) else {
        return Err(Box::new(Next::Need(vec![Fact::PullOf(number)])));
    };
    Ok(Some(Report {
        text: &issue.body,
        url: issue.url.clone(),
        pull: Some(number),
        head: Some(pull.head.to_string()),
    }))
}

/// The newest comment with a heading of a report, by somebody who counts.
fn newest_comment<'a>(dossier: &'a Dossier, issue: &Issue, rule: Rule<'_>) -> Step<Option<Report<'a>>> {
    for comment in reply::comments(dossier, issue.number)?.iter().rev() {
        if reply::is_ours(dossier, comment) || !is_report(&comment.body, &rule.gate.fields) {
            continue;
        }
        let Some(author) = &comment.author else { continue };
        if trust::counts(dossier, author, &rule.contract.trusted_apps)? {
            return Ok(Some(Report { text: &comment.body, url: comment.url.clone(), pull: None, head: None }));
        }
    }
    Ok(None)
}

/// Whether a text has at least one heading of the contract's report.
fn is_report(text: &str, fields: &[Field]) -> bool {
    let document = Document::parse(text);
    fields.iter().any(|field| {
        let names = std::iter::once(field.name.as_str()).chain(field.aliases.iter().map(String::as_str));
        document.section(names).is_some()
    })
}

/// The issues that a pull request's body says it answers: closing references and `Refs #N`, outside of code and quotes.
pub(super) fn reported_on(body: &str) -> Vec<IssueNumber> {
    const WORDS: [&str; 11] =
        ["close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "resolves", "resolved", "ref", "refs"];
    let document = Document::parse(body);
    let mut found: Vec<IssueNumber> = Vec::new();
    for item in document.items().iter().filter(|item| !item.quoted) {
        let text = item.text();
        for (at, _) in text.match_indices('#') {
            if item.touches(&(at..at + 1), &[SpanKind::Code]) {
                continue;
            }
            let before = text[..at].trim_end().trim_end_matches(':').trim_end();
            let word = before.rsplit(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
            let rest = &text[at + 1..];
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let number = rest[..end].parse().ok().filter(|number| *number > 0).map(IssueNumber);
            if let Some(number) = number.filter(|number| !found.contains(number))
                && WORDS.contains(&word.to_ascii_lowercase().as_str())
            {
                found.push(number);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_pull_request_names_its_issue() {
        let check = |body: &str, expect: &[u64]| {
            let numbers: Vec<u64> = reported_on(body).iter().map(|number| number.0).collect();
            assert_eq!(numbers, expect, "{body}");
        };
        check("Closes #12", &[12]);
        check("fixes: #12, and Refs #13", &[12, 13]);
        check("Resolved #12. closes #12", &[12]);
        check("see #12; `Closes #13`\n\n> Closes #14\n\n```\nCloses #15\n```", &[]);
        check("prefix #12 encloses #13", &[]);
        check("Closes #0 and closes #x", &[]);
    }

    proptest! {
        #[test]
        fn any_body_is_read(body in r"(\PC|Closes #|Refs #|[0-9]|\n){0,40}") {
            let _ = reported_on(&body);
        }
    }
}
