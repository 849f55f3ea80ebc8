//! Links between the issues of one repository: sub-issues in their order, and which issue blocks which.
//!
//! A sub-issue counts as a change of the child; a dependency counts as none: its issues keep their time, as on GitHub.

use super::acts::{Desk, Spot};
use super::model::{Access, Slot, StoredIssue, SubjectKind};
use super::payload;
use super::people::{Outcome, Person};
use super::refusal::Refusal;
use crate::domain::ids::{IssueId, IssueNumber, RepositoryId};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Sub-issues that an issue takes.
const MOST_SUB_ISSUES: usize = 100;

#[allow(clippy::missing_errors_doc)] // one sentence for all: GitHub's refusal
impl Person {
    /// Makes an issue the last child of another; it leaves the parent that it had.
    pub fn set_parent(&self, child: IssueNumber, parent: IssueNumber) -> Outcome {
        self.on(child, |desk, spot| {
            if let Some(old) = desk.issue(spot)?.parent.filter(|old| *old != parent) {
                desk.remove_sub_issue((spot.0, old), spot.1)?;
            }
            let id = desk.issue(spot)?.id;
            desk.add_sub_issue((spot.0, parent), IssueId(id))
        })
    }

    /// Takes a child away from its parent.
    pub fn remove_sub_issue(&self, parent: IssueNumber, child: IssueNumber) -> Outcome {
        self.on(parent, |desk, spot| desk.remove_sub_issue(spot, child))
    }

    /// Lets an issue be blocked by another.
    pub fn add_dependency(&self, number: IssueNumber, on: IssueNumber) -> Outcome {
        self.on(number, |desk, spot| {
            let id = desk.issue((spot.0, on))?.id;
            desk.add_blocked_by(spot, IssueId(id))
        })
    }

    /// Lets it no longer be blocked by that one.
    pub fn remove_dependency(&self, number: IssueNumber, on: IssueNumber) -> Outcome {
        self.on(number, |desk, spot| desk.remove_blocked_by(spot, on))
    }
}

impl Desk<'_> {
    /// Makes an issue the last child of another.
    pub fn add_sub_issue(&mut self, parent: Spot, child: IssueId) -> Result<(), Refusal> {
        self.app_may_write(parent)?;
        self.need(parent.0, Access::Triage)?;
        let spot = self.by_id(parent.0, child)?;
        self.only_issue(parent)?;
        self.only_issue(spot)?;
        if self.issue(spot)?.parent.is_some() {
            return Err(Refusal::has_a_parent());
        }
        if self.ancestors(parent).contains(&spot.1) {
            return Err(Refusal::sub_issue_cycle());
        }
        if self.issue(parent)?.sub_issues.len() >= MOST_SUB_ISSUES {
            return Err(Refusal::too_many_sub_issues());
        }
        self.state.change(spot, self.at, |issue| issue.parent = Some(parent.1))?;
        self.touch(parent, |issue| issue.sub_issues.push(spot.1))?;
        self.tell_family(parent, spot, "added");
        Ok(())
    }

    /// Takes a child away from its parent.
    pub fn remove_sub_issue(&mut self, parent: Spot, child: IssueNumber) -> Result<(), Refusal> {
        self.need(parent.0, Access::Triage)?;
        let spot = (parent.0, child);
        if self.issue(spot)?.parent != Some(parent.1) {
            return Err(Refusal::not_found());
        }
        self.state.change(spot, self.at, |issue| issue.parent = None)?;
        self.touch(parent, |issue| issue.sub_issues.retain(|other| *other != child))?;
        self.tell_family(parent, spot, "removed");
        Ok(())
    }

    /// Lets an issue be blocked by another.
    pub fn add_blocked_by(&mut self, spot: Spot, on: IssueId) -> Result<(), Refusal> {
        self.app_may_write(spot)?;
        self.need(spot.0, Access::Triage)?;
        let on = self.by_id(spot.0, on)?;
        self.only_issue(spot)?;
        self.only_issue(on)?;
        if on == spot {
            return Err(Refusal::blocks_itself());
        }
        if self.issue(spot)?.blocked_by.contains(&on.1) {
            return Err(Refusal::blocks_already());
        }
        if self.waits_for(on).contains(&spot.1) {
            return Err(Refusal::dependency_cycle());
        }
        self.touch(spot, |issue| issue.blocked_by.push(on.1))?;
        self.tell_dependency(spot, on, "added");
        Ok(())
    }

    /// Lets an issue no longer be blocked by another; one that never was changes nothing.
    pub fn remove_blocked_by(&mut self, spot: Spot, on: IssueNumber) -> Result<(), Refusal> {
        self.need(spot.0, Access::Triage)?;
        if !self.issue(spot)?.blocked_by.contains(&on) {
            return Ok(());
        }
        self.touch(spot, |issue| issue.blocked_by.retain(|other| *other != on))?;
        self.tell_dependency(spot, (spot.0, on), "removed");
        Ok(())
    }

    /// Cuts every link of an issue that leaves the repository; nothing is told beside the leaving itself.
    pub fn cut_links(&mut self, spot: Spot) -> Result<(), Refusal> {
        for slot in self.repository_mut(spot.0)?.issues.values_mut() {
            let Slot::Here { now, .. } = slot else { continue };
            now.sub_issues.retain(|other| *other != spot.1);
            now.blocked_by.retain(|other| *other != spot.1);
            now.parent = now.parent.filter(|parent| *parent != spot.1);
        }
        self.touch(spot, |issue| {
            issue.parent = None;
            issue.sub_issues.clear();
            issue.blocked_by.clear();
        })
    }

    /// The issue of that id, where it stands in the repository.
    fn by_id(&self, repository: RepositoryId, id: IssueId) -> Result<Spot, Refusal> {
        let found = self.repository(repository)?.issues().find(|issue| issue.id == id.0);
        found.map(|issue| (repository, issue.number)).ok_or_else(Refusal::not_found)
    }

    fn only_issue(&self, spot: Spot) -> Result<(), Refusal> {
        if self.issue(spot)?.kind == SubjectKind::Issue { Ok(()) } else { Err(Refusal::no_issue()) }
    }

    /// The issue itself, its parent, and so on.
    fn ancestors(&self, spot: Spot) -> BTreeSet<IssueNumber> {
        let mut above = BTreeSet::new();
        let mut next = Some(spot.1);
        while let Some(number) = next.filter(|number| above.insert(*number)) {
            next = self.state.issue((spot.0, number)).and_then(|issue| issue.parent);
        }
        above
    }

    /// The issue itself, what blocks it, what blocks that, and so on.
    fn waits_for(&self, spot: Spot) -> BTreeSet<IssueNumber> {
        let mut found = BTreeSet::new();
        let mut open = vec![spot.1];
        while let Some(number) = open.pop() {
            if found.insert(number) {
                open.extend(self.state.issue((spot.0, number)).into_iter().flat_map(|issue| issue.blocked_by.clone()));
            }
        }
        found
    }

    /// Changes what does not count as a change: the time stays.
    fn touch(&mut self, spot: Spot, change: impl FnOnce(&mut StoredIssue)) -> Result<(), Refusal> {
        match self.repository_mut(spot.0)?.issues.get_mut(&spot.1) {
            Some(Slot::Here { now, .. }) => {
                change(now);
                Ok(())
            }
            _ => Err(Refusal::not_found()),
        }
    }

    fn show(&self, spot: Spot) -> Value {
        let repository = self.state.repositories.get(&spot.0);
        let both = repository.zip(self.state.issue(spot));
        both.map_or(Value::Null, |(repository, issue)| payload::issue(self.state, repository, issue))
    }

    /// Both sides are told of, each under its own name.
    fn tell_family(&self, parent: Spot, child: Spot, word: &str) {
        let (above, below) = (self.show(parent), self.show(child));
        let repository = self.state.repositories.get(&parent.0).map(payload::repository_brief);
        for (side, key) in [("sub_issue", "sub_issue_repo"), ("parent_issue", "parent_issue_repo")] {
            let mut fields = json!({
                "parent_issue_id": above["id"], "parent_issue": above, "sub_issue_id": below["id"], "sub_issue": below,
            });
            fields[key] = json!(repository);
            self.tell(parent.0, "sub_issues", Some(&format!("{side}_{word}")), fields);
        }
    }

    fn tell_dependency(&self, blocked: Spot, blocking: Spot, word: &str) {
        let (waits, first) = (self.show(blocked), self.show(blocking));
        let repository = self.state.repositories.get(&blocked.0).map(payload::repository_brief);
        for (side, key) in [("blocked_by", "blocking_issue_repo"), ("blocking", "blocked_issue_repo")] {
            let mut fields = json!({
                "blocked_issue_id": waits["id"], "blocked_issue": waits, "blocking_issue_id": first["id"],
                "blocking_issue": first,
            });
            fields[key] = json!(repository);
            self.tell(blocked.0, "issue_dependencies", Some(&format!("{side}_{word}")), fields);
        }
    }
}
