//! What integration judges: the roll-up of a parent's requirements, its children and their results (chapter 3).
//!
//! It is composed of the children's states and passed outcomes, or typed by somebody who counts; where both exist, the
//! children's states correct what was typed.

use super::super::{Step, reply, trust};
use super::judged::{Subject, given, read};
use super::rule::{Rule, chain, passed};
use super::split;
use crate::domain::finding::Reference;
use crate::domain::ids::{GateId, IssueNumber, Language};
use crate::domain::record::{Child, Part, Record};
use crate::domain::rollup::{self, RollUp};
use crate::domain::run::{ChildIssue, Dossier, Fact, Issue, Next, StateReason, StoredRecord};
use crate::domain::text::Document;
use crate::domain::view::{ChildResult, RollUpLine};
use std::fmt::Write as _;

/// The roll-up, judged against the parent's body.
pub(super) fn subject(dossier: &Dossier, issue: &Issue, rule: Rule<'_>, language: Language) -> Step<Subject> {
    if dossier.lane.is_none() {
        let parent = given(dossier, "parent");
        let mut parts: Vec<Part> = parent.iter().map(|one| Part::named("parent", &one.id, &one.text)).collect();
        parts.push(Part::new("rollup", &issue.body));
        return Ok(Subject::of(read(dossier, &issue.body), parts, parent.into_iter().collect()));
    }
    let parent = Reference { role: "parent".to_owned(), id: format!("#{}", issue.number), text: issue.body.clone() };
    let split = newest_split(dossier);
    let children = split::current(dossier, issue, split)?;
    let results = results(dossier, &children)?;
    let typed = typed(dossier, issue, rule)?;
    let mut parts = vec![Part::named("parent", &parent.id, &parent.text)];
    parts.extend(results.iter().map(part));
    parts.extend(typed.as_ref().map(|(text, _)| Part::new("rollup", *text)));
    let lines = lines(split, &results, typed.as_ref().map(|(_, rollup)| rollup));
    // A roll-up that somebody typed is judged as it stands where no child is known to correct it.
    let text = match typed {
        Some((text, _)) if results.is_empty() => text.to_owned(),
        typed => corrected(&lines, typed.map(|(text, _)| text), language),
    };
    let mut subject = Subject::of(read(dossier, &text), parts, vec![parent]);
    subject.rollup = lines;
    Ok(subject)
}

/// Whether every child is closed; none counts as not yet.
pub(super) fn all_settled(dossier: &Dossier, issue: &Issue) -> Step<bool> {
    let children = split::current(dossier, issue, newest_split(dossier))?;
    Ok(!children.is_empty() && children.iter().all(|child| !child.issue.open))
}

fn newest_split(dossier: &Dossier) -> Option<&Record> {
    let records = dossier.facts.records.as_deref()?;
    chain(records, GateId::Split).rev().map(|stored| &stored.record).find(|record| split::is_filed(record))
}

/// A child and what came of it.
struct Outcome<'a> {
    child: &'a ChildIssue,
    /// The record of its passed outcome.
    passed: Option<&'a Record>,
}

fn results<'a>(dossier: &'a Dossier, children: &'a [ChildIssue]) -> Step<Vec<Outcome<'a>>> {
    let missing: Vec<IssueNumber> = children
        .iter()
        .map(|child| child.issue.number)
        .filter(|number| !dossier.facts.elsewhere.contains_key(number))
        .collect();
    if !missing.is_empty() {
        return Err(Box::new(Next::Need(vec![Fact::RecordsOf(missing)])));
    }
    let newest = |number: &IssueNumber| -> Option<&'a StoredRecord> {
        let records = dossier.facts.elsewhere.get(number)?;
        records.iter().rfind(|stored| stored.record.gate == GateId::Outcome && !stored.record.is_observed())
    };
    let one = |child: &'a ChildIssue| Outcome {
        child,
        passed: newest(&child.issue.number).map(|stored| &stored.record).filter(|record| passed(record, dossier.now)),
    };
    Ok(children.iter().map(one).collect())
}

/// Number, state, state's reason, and the revision of its passed outcome.
fn part(outcome: &Outcome<'_>) -> Part {
    let issue = &outcome.child.issue;
    let state = if issue.open { "open" } else { "closed" };
    let reason = issue.state_reason.map_or("", StateReason::as_str);
    let revision = outcome.passed.map_or("", |record| record.subject.revision.as_str());
    Part::named("child", format!("#{}", issue.number), format!("{state} {reason} {revision}"))
}

/// The newest roll-up that somebody who counts typed.
fn typed<'a>(dossier: &'a Dossier, issue: &Issue, rule: Rule<'_>) -> Step<Option<(&'a str, RollUp)>> {
    for comment in reply::comments(dossier, issue.number)?.iter().rev() {
        if reply::is_ours(dossier, comment) {
            continue;
        }
        let Some(found) = rollup::read(&comment.body) else { continue };
        let Some(author) = &comment.author else { continue };
        if trust::counts(dossier, author, &rule.contract.trusted_apps)? {
            return Ok(Some((&comment.body, found)));
        }
    }
    Ok(None)
}

/// One line for each child that stands, with the requirement that the split, the typed roll-up or its own body names.
fn lines(split: Option<&Record>, results: &[Outcome<'_>], typed: Option<&RollUp>) -> Vec<RollUpLine> {
    let of_split =
        |number: IssueNumber| -> Option<&Child> { split?.children.iter().find(|child| child.number == Some(number)) };
    let of_typed = |number: IssueNumber| -> Option<String> {
        let rows = typed?.rows.iter().filter(|row| row.children.contains(&number));
        let named: Vec<&str> = rows.map(|row| row.requirement.as_str()).collect();
        (!named.is_empty()).then(|| named.join(", "))
    };
    let one = |outcome: &Outcome<'_>| {
        let issue = &outcome.child.issue;
        let number = issue.number;
        let named = of_typed(number).or_else(|| of_split(number)?.requirement.clone());
        RollUpLine {
            requirement: named.unwrap_or_default(),
            number,
            title: issue.title.clone(),
            result: match (issue.open, issue.state_reason, outcome.passed) {
                (true, ..) => ChildResult::Open,
                (false, Some(StateReason::NotPlanned | StateReason::Duplicate), _) => ChildResult::NotPlanned,
                (false, _, Some(record)) => ChildResult::Passed { report: record.subject.url.clone() },
                (false, ..) => ChildResult::NoOutcome,
            },
        }
    };
    results.iter().map(one).collect()
}

/// The roll-up as a text that the detectors read: what the children's states say, then what was typed.
fn corrected(lines: &[RollUpLine], typed: Option<&str>, language: Language) -> String {
    let (heading, head) = match language {
        Language::Ja => ("親要件と子の成果", "| 親要件 | 子 | 成果 |"),
        Language::En => ("Roll-up", "| Parent requirement | Child | Result |"),
    };
    let mut out = format!("## {heading}\n\n{head}\n|---|---|---|\n");
    for line in lines {
        let result = match (&line.result, language) {
            (ChildResult::Passed { .. }, Language::Ja) => "成果ゲート通過",
            (ChildResult::Passed { .. }, Language::En) => "outcome passed",
            (ChildResult::NotPlanned, Language::Ja) => "不採用クローズ",
            (ChildResult::NotPlanned, Language::En) => "closed as not planned",
            (ChildResult::NoOutcome, Language::Ja) => "成果なし(通過した成果ゲートがないままクローズ)",
            (ChildResult::NoOutcome, Language::En) => "no result (closed without a passed outcome)",
            (ChildResult::Open, Language::Ja) => "未完了",
            (ChildResult::Open, Language::En) => "not done",
        };
        let requirement = line.requirement.replace('|', "\\|").replace('\n', " ");
        let _ = writeln!(out, "| {requirement} | #{} | {result} |", line.number);
    }
    if let Some(typed) = typed {
        out.push('\n');
        out.push_str(&outside(typed));
    }
    out
}

/// What somebody typed beside the roll-up itself: a report pasted whole is seen there.
fn outside(typed: &str) -> String {
    let document = Document::parse(typed);
    match document.section(rollup::HEADINGS) {
        Some(section) => {
            let (start, end) = (section.title_range.start, section.range.end);
            let before = &typed[..typed[..start].rfind('\n').map_or(0, |at| at + 1)];
            format!("{before}{}", &typed[end..])
        }
        None => typed.to_owned(),
    }
}
