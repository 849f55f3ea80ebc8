//! What split judges: the newest plan that somebody who counts wrote, or the children that stand already (chapter 3).

use super::super::{Step, reply, trust};
use super::judged::{Subject, given, read};
use super::rule::Rule;
use crate::domain::contract::{Field, FieldType};
use crate::domain::finding::Reference;
use crate::domain::ids::{GateId, IssueNumber, Language};
use crate::domain::plan::{self, IssueChild, Plan, PlanField, Read};
use crate::domain::record::{Part, Record, revision};
use crate::domain::run::{ChildIssue, Children, Dossier, Fact, Filing, Issue, Next, StoredRecord};
use crate::domain::text::Document;
use crate::domain::view::Reason;

/// The plan, or the children.
pub(super) fn subject(
    dossier: &Dossier,
    issue: &Issue,
    rule: Rule<'_>,
    mine: &[&StoredRecord],
    language: Language,
) -> Step<Subject> {
    let fields = fields(&rule.gate.fields);
    if dossier.lane.is_none() {
        let found = plan::read(&issue.body, &fields, language);
        return Ok(planned(dossier, &issue.body, found, given(dossier, "parent")));
    }
    let parent = Reference { role: "parent".to_owned(), id: format!("#{}", issue.number), text: issue.body.clone() };
    let found = newest(dossier, issue, rule, &fields, language)?;
    let filed = || mine.iter().rev().map(|stored| &stored.record).filter(|record| is_filed(record));
    let Some((text, found)) = found else {
        return children(dossier, issue, filed().next(), (&fields, language), parent);
    };
    // The plan of what is filed already has done its work: the children themselves are judged from then on.
    if let Read::Plan(plan) = &found
        && let Some(from) = filed_from(dossier, plan, filed())?
    {
        let planned = planned(dossier, text, found, Some(parent.clone())).parts;
        let mut subject = children(dossier, issue, filed().next(), (&fields, language), parent)?;
        let now = subject.plan.iter().flat_map(|plan| plan.children.iter().map(|child| child.number));
        // The children that were filed from that plan, all of them and no other.
        if now.eq(from.children.iter().map(|child| child.number)) {
            subject.filed_from = Some(revision(GateId::Split, &planned));
        }
        return Ok(subject);
    }
    Ok(planned(dossier, text, found, Some(parent)))
}

/// The record that filed the children of this plan. One that judged them afterwards filed none.
fn filed_from<'a>(
    dossier: &Dossier,
    plan: &Plan,
    records: impl Iterator<Item = &'a Record>,
) -> Step<Option<&'a Record>> {
    for record in records {
        if is_plan_of(plan, filing(dossier, record)?) {
            return Ok(Some(record));
        }
    }
    Ok(None)
}

/// The record's children, as the ledger has them.
pub(super) fn filing<'a>(dossier: &'a Dossier, record: &Record) -> Step<&'a Filing> {
    let known = dossier.facts.filing.get(&record.run);
    known.ok_or_else(|| Box::new(Next::Need(vec![Fact::Filing(record.run.clone())])))
}

/// Whether a record has children that stand.
pub(super) fn is_filed(record: &Record) -> bool {
    record.children.iter().any(|child| child.number.is_some())
}

/// Whether a record has children that are to be filed still.
pub(in crate::domain) fn is_unfinished(record: &Record) -> bool {
    record.disposition == crate::domain::record::Disposition::Passed
        && record.children.iter().any(|child| child.number.is_none())
}

/// Whether the plan is the one whose children were filed.
fn is_plan_of(plan: &Plan, filing: &Filing) -> bool {
    let same = |(child, filed): (&plan::PlannedChild, &crate::domain::run::Filed)| {
        let waits: Vec<u64> = child.blocked_by.iter().map(|on| *on as u64).collect();
        child.title == filed.draft.title && child.body == filed.draft.body && waits == filed.draft.blocked_by
    };
    plan.children.len() == filing.children.len() && plan.children.iter().zip(&filing.children).all(same)
}

/// The newest comment of somebody who counts that holds a whole plan, else the body that does.
fn newest<'a>(
    dossier: &'a Dossier,
    issue: &'a Issue,
    rule: Rule<'_>,
    fields: &[PlanField],
    language: Language,
) -> Step<Option<(&'a str, Read)>> {
    for comment in reply::comments(dossier, issue.number)?.iter().rev() {
        if reply::is_ours(dossier, comment) {
            continue;
        }
        let found = plan::read(&comment.body, fields, language);
        if found == Read::None {
            continue;
        }
        let Some(author) = &comment.author else { continue };
        if trust::counts(dossier, author, &rule.contract.trusted_apps)? {
            return Ok(Some((&comment.body, found)));
        }
    }
    let found = plan::read(&issue.body, fields, language);
    Ok((found != Read::None).then_some((issue.body.as_str(), found)))
}

fn planned(dossier: &Dossier, text: &str, found: Read, parent: Option<Reference>) -> Subject {
    let mut parts = vec![Part::new("plan", text)];
    parts.extend(parent.as_ref().map(|one| Part::named("parent", &one.id, &one.text)));
    let mut subject = Subject::of(read(dossier, text), parts, parent.into_iter().collect());
    match found {
        Read::None => subject.flaws.push(Reason::NoPlan),
        Read::Plan(plan) => {
            let children: Vec<String> = plan.children.iter().map(|child| child.label.clone()).collect();
            let flaw =
                |defect: &plan::PlanDefect| Reason::PlanDefect { defect: defect.clone(), children: children.clone() };
            subject.flaws.extend(plan.defects.iter().map(flaw));
            subject.plan = Some(*plan);
        }
        Read::Several(plans) => subject.unclear = Some(Reason::SeveralPlans(plans)),
        Read::Broken(problems) => {
            let flaw = |one: plan::PlanProblem| Reason::PlanUnreadable { line: one.line, problem: one.kind };
            subject.flaws.extend(problems.into_iter().map(flaw));
        }
    }
    subject
}

/// The children as they are now: sub-issues, or where the server has none, those of the newest split and of task lists.
fn children(
    dossier: &Dossier,
    issue: &Issue,
    filed: Option<&Record>,
    (fields, language): (&[PlanField], Language),
    parent: Reference,
) -> Step<Subject> {
    let children = current(dossier, issue, filed)?;
    if children.is_empty() {
        return Ok(planned(dossier, &issue.body, Read::None, Some(parent)));
    }
    let plan = plan::of_issues(&children.iter().map(planned_child).collect::<Vec<_>>(), fields, language);
    let text = plan.yaml();
    let mut parts: Vec<Part> = children.iter().map(part).collect();
    parts.push(Part::named("parent", &parent.id, &parent.text));
    let mut subject = Subject::of(read(dossier, &text), parts, vec![parent]);
    subject.plan = Some(plan);
    Ok(subject)
}

/// The children of an issue as they are now.
pub(super) fn current(dossier: &Dossier, issue: &Issue, filed: Option<&Record>) -> Step<Vec<ChildIssue>> {
    match &dossier.facts.children {
        None => Err(Box::new(Next::Need(vec![Fact::Children]))),
        Some(Children::Linked(children)) => Ok(children.clone()),
        Some(Children::NotOffered) => {
            let mut numbers: Vec<IssueNumber> =
                filed.into_iter().flat_map(|record| &record.children).filter_map(|child| child.number).collect();
            for number in listed(&issue.body) {
                if !numbers.contains(&number) && number != issue.number {
                    numbers.push(number);
                }
            }
            let missing: Vec<_> =
                numbers.iter().filter(|number| !dossier.facts.issues.contains_key(number)).copied().collect();
            if !missing.is_empty() {
                return Err(Box::new(Next::Need(vec![Fact::Issues(missing)])));
            }
            let known = numbers.iter().filter_map(|number| dossier.facts.issues.get(number)?.clone());
            Ok(known.map(|issue| ChildIssue { issue, blocked_by: Vec::new() }).collect())
        }
    }
}

/// The `#N` of a text's task lists.
fn listed(body: &str) -> Vec<IssueNumber> {
    let document = Document::parse(body);
    let tasks = document.items().iter().filter(|item| item.list.is_some() && !item.quoted);
    let lines = tasks.filter_map(|item| {
        let before = &document.source()[..item.range.start];
        let line = &document.source()[before.rfind('\n').map_or(0, |at| at + 1)..item.range.end];
        let task = line.trim_start().trim_start_matches(['-', '*', '+']).trim_start();
        let rest =
            task.strip_prefix("[ ]").or_else(|| task.strip_prefix("[x]")).or_else(|| task.strip_prefix("[X]"))?;
        let digits = rest.trim_start().strip_prefix('#')?;
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        digits[..end].parse().ok().filter(|number| *number > 0).map(IssueNumber)
    });
    lines.collect()
}

fn planned_child(child: &ChildIssue) -> IssueChild {
    IssueChild {
        number: child.issue.number,
        title: child.issue.title.clone(),
        body: child.issue.body.clone(),
        blocked_by: child.blocked_by.clone(),
    }
}

/// A child's number, title, body and what it waits for.
fn part(child: &ChildIssue) -> Part {
    let mut waits: Vec<_> = child.blocked_by.clone();
    waits.sort();
    let waits: Vec<String> = waits.iter().map(|number| format!("#{number}")).collect();
    let ChildIssue { issue, .. } = child;
    let text = format!("{}\n\n{}\n\nblocked-by: {}", issue.title, issue.body, waits.join(", "));
    Part::named("child", format!("#{}", issue.number), text)
}

/// The contract's fields of a child, as a plan may name them.
fn fields(fields: &[Field]) -> Vec<PlanField> {
    let one = |field: &Field| PlanField {
        name: field.name.clone(),
        aliases: field.aliases.clone(),
        numbered: match &field.kind {
            FieldType::Numbered(prefix) => Some(prefix.clone()),
            _ => None,
        },
    };
    fields.iter().map(one).collect()
}
