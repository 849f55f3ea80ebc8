//! What can be done to issues and comments: GitHub's rules, who may, and what is told afterwards.
//!
//! People and the App come through the same door ([`Desk`]); only their rights and refusals differ.

use super::limits::{check_body, check_comment, check_title};
use super::model::{
    Access, AppPermission, Condition, Conversation, Display, IssueEvent, Label, Repository, Slot, StoredComment,
    StoredIssue, SubjectKind, same_label,
};
use super::outbox::Outbox;
use super::payload;
use super::refusal::Refusal;
use super::state::{Actor, State};
use crate::domain::effect::IssueDraft;
use crate::domain::ids::{CommentId, IssueNumber, Login, NodeId, RepositoryId, RepositoryName};
use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Labels that an issue takes.
const MOST_LABELS: usize = 100;

/// An issue's place.
pub(super) type Spot = (RepositoryId, IssueNumber);

/// One act of one actor at one time, on the locked state.
pub(super) struct Desk<'a> {
    pub state: &'a mut State,
    pub outbox: &'a Outbox,
    pub actor: Actor,
    pub login: Login,
    pub at: DateTime<Utc>,
}

impl<'a> Desk<'a> {
    pub fn new(state: &'a mut State, outbox: &'a Outbox, actor: Actor, now: DateTime<Utc>) -> Self {
        let at = state.stamp(now);
        let login = state.login(&actor);
        state.user_id(&login);
        Self { state, outbox, actor, login, at }
    }

    /// Opens an issue or pull request; `labels` are those that an issue form sets, whoever fills it in.
    pub fn open(
        &mut self,
        repository: &RepositoryName,
        kind: SubjectKind,
        title: &str,
        body: &str,
        labels: &[&str],
    ) -> Result<IssueNumber, Refusal> {
        let id = self.state.enter(&self.actor, repository)?;
        self.may_speak(id)?;
        check_title(title)?;
        check_body(body)?;
        let found = self.repository(id)?;
        let number = IssueNumber(found.issues.keys().next_back().map_or(1, |last| last.0 + 1));
        let known: Vec<String> =
            labels.iter().filter_map(|name| found.label(name)).map(|label| label.name.clone()).collect();
        let issue = StoredIssue {
            id: self.state.fresh_id(),
            number,
            kind,
            title: title.to_owned(),
            body: body.to_owned(),
            author: Some(self.login.clone()),
            labels: known.clone(),
            condition: Condition::Open,
            conversation: Conversation::Unlocked,
            parent: None,
            sub_issues: Vec::new(),
            blocked_by: Vec::new(),
            comments: Vec::new(),
            events: known.iter().map(|name| self.event("labeled", Some(name))).collect(),
            created_at: self.at,
            updated_at: self.at,
        };
        let slot = Slot::Here { now: Box::new(issue), past: None };
        self.repository_mut(id)?.issues.insert(number, slot);
        self.tell_issue((id, number), "opened", json!({}));
        for name in known {
            let label = self.label_json(id, &name);
            self.tell_issue((id, number), "labeled", json!({"label": label}));
        }
        Ok(number)
    }

    /// Opens an issue by the API; labels that the repository lacks are made.
    pub fn file(&mut self, repository: &RepositoryName, draft: &IssueDraft) -> Result<IssueNumber, Refusal> {
        let id = self.state.enter(&self.actor, repository)?;
        if self.actor == Actor::App && self.state.installation.withheld.contains(&AppPermission::Issues) {
            return Err(Refusal::not_accessible());
        }
        check_title(&draft.title)?;
        for name in &draft.labels {
            if self.repository(id)?.label(name).is_none() {
                self.create_label(id, name, "ededed", "")?;
            }
        }
        let labels: Vec<&str> = draft.labels.iter().map(String::as_str).collect();
        self.open(repository, SubjectKind::Issue, &draft.title, &draft.body, &labels)
    }

    /// Replaces title or body; the same words again change nothing.
    pub fn edit(&mut self, spot: Spot, title: Option<&str>, body: Option<&str>) -> Result<(), Refusal> {
        self.may_edit(spot)?;
        title.map_or(Ok(()), check_title)?;
        body.map_or(Ok(()), check_body)?;
        let before = self.issue(spot)?;
        let mut changes = json!({});
        if title.is_some_and(|title| title != before.title) {
            changes["title"] = json!({"from": before.title});
        }
        if body.is_some_and(|body| body != before.body) {
            changes["body"] = json!({"from": before.body});
        }
        if changes == json!({}) {
            return Ok(());
        }
        let renamed = changes.get("title").is_some().then(|| self.event("renamed", None));
        self.state.change(spot, self.at, |issue| {
            issue.title = title.map_or_else(|| issue.title.clone(), str::to_owned);
            issue.body = body.map_or_else(|| issue.body.clone(), str::to_owned);
            issue.events.extend(renamed);
        })?;
        self.tell_issue(spot, "edited", json!({"changes": changes}));
        Ok(())
    }

    /// Puts a label on; a name that the repository lacks becomes a label, where the actor may make one.
    pub fn add_label(&mut self, spot: Spot, name: &str) -> Result<(), Refusal> {
        self.may_label(spot)?;
        let name = match self.repository(spot.0)?.label(name) {
            Some(label) => label.name.clone(),
            None => self.create_label(spot.0, name, "ededed", "")?,
        };
        let labels = &self.issue(spot)?.labels;
        if labels.contains(&name) {
            return Ok(());
        }
        if labels.len() >= MOST_LABELS {
            return Err(Refusal::too_many_labels());
        }
        let event = self.event("labeled", Some(&name));
        self.state.change(spot, self.at, |issue| {
            issue.labels.push(name.clone());
            issue.events.push(event);
        })?;
        let label = self.label_json(spot.0, &name);
        self.tell_issue(spot, "labeled", json!({"label": label}));
        Ok(())
    }

    /// Takes a label off.
    pub fn remove_label(&mut self, spot: Spot, name: &str) -> Result<(), Refusal> {
        self.may_label(spot)?;
        let there = self.issue(spot)?.labels.iter().find(|label| same_label(label, name)).cloned();
        let name = there.ok_or_else(Refusal::no_such_label)?;
        let event = self.event("unlabeled", Some(&name));
        self.state.change(spot, self.at, |issue| {
            issue.labels.retain(|label| *label != name);
            issue.events.push(event);
        })?;
        let label = self.label_json(spot.0, &name);
        self.tell_issue(spot, "unlabeled", json!({"label": label}));
        Ok(())
    }

    /// Creates a label of the repository and gives back its name.
    pub fn create_label(
        &mut self,
        id: RepositoryId,
        name: &str,
        colour: &str,
        description: &str,
    ) -> Result<String, Refusal> {
        if self.actor == Actor::App && self.state.installation.withheld.contains(&AppPermission::Issues) {
            return Err(Refusal::not_accessible());
        }
        self.need(id, Access::Write)?;
        let name = name.trim();
        if name.is_empty() {
            return Err(Refusal::missing("name"));
        }
        if name.chars().count() > 50 || name.contains(',') {
            return Err(Refusal::invalid("name"));
        }
        if colour.len() != 6 || !colour.chars().all(|digit| digit.is_ascii_hexdigit()) {
            return Err(Refusal::invalid("color"));
        }
        if description.chars().count() > 100 {
            return Err(Refusal::invalid("description"));
        }
        if self.repository(id)?.label(name).is_some() {
            return Err(Refusal::already_exists());
        }
        let label = Label {
            id: self.state.fresh_id(),
            name: name.to_owned(),
            colour: colour.to_lowercase(),
            description: description.to_owned(),
        };
        let json = payload::label(&label);
        self.repository_mut(id)?.labels.push(label);
        self.tell(id, "label", Some("created"), json!({"label": json}));
        Ok(name.to_owned())
    }

    /// Writes a comment.
    pub fn comment(&mut self, spot: Spot, body: &str) -> Result<CommentId, Refusal> {
        self.may_comment(spot)?;
        check_comment(body)?;
        let id = self.state.fresh_id();
        let comment = StoredComment {
            id: CommentId(id),
            node: NodeId(format!("IC_{id}")),
            author: Some(self.login.clone()),
            app: (self.actor == Actor::App).then_some(self.state.app.id),
            body: body.to_owned(),
            display: Display::Shown,
            reactions: BTreeSet::new(),
            created_at: self.at,
            updated_at: self.at,
        };
        self.state.change(spot, self.at, |issue| issue.comments.push(comment.clone()))?;
        self.tell_comment(spot, "created", &comment, json!({}));
        Ok(CommentId(id))
    }

    /// Replaces a comment's body; the same words again change nothing.
    pub fn edit_comment(&mut self, repository: RepositoryId, id: CommentId, body: &str) -> Result<(), Refusal> {
        let (spot, before) = self.own_comment(repository, id)?;
        check_comment(body)?;
        if before.body == body {
            return Ok(());
        }
        let after = StoredComment { body: body.to_owned(), updated_at: self.at, ..before.clone() };
        self.replace(spot, after.clone())?;
        self.tell_comment(spot, "edited", &after, json!({"changes": {"body": {"from": before.body}}}));
        Ok(())
    }

    /// Deletes a comment.
    pub fn delete_comment(&mut self, repository: RepositoryId, id: CommentId) -> Result<(), Refusal> {
        let (spot, comment) = self.own_comment(repository, id)?;
        self.state.change(spot, self.at, |issue| issue.comments.retain(|other| other.id != id))?;
        self.tell_comment(spot, "deleted", &comment, json!({}));
        Ok(())
    }

    /// Reacts to a comment; GitHub tells nobody.
    pub fn react(&mut self, repository: RepositoryId, id: CommentId, word: &'static str) -> Result<(), Refusal> {
        let spot = self.state.comment_place(repository, id).ok_or_else(Refusal::not_found)?;
        self.may_comment(spot)?;
        let login = self.login.as_str().to_owned();
        self.touch_comment(spot, id, |comment| {
            comment.reactions.insert((login, word));
        })
    }

    /// Folds a comment away as outdated; GitHub tells nobody.
    pub fn minimise(&mut self, repository: RepositoryId, node: &NodeId) -> Result<(), Refusal> {
        let found = self
            .repository(repository)?
            .issues()
            .flat_map(|issue| issue.comments.iter().map(|comment| (issue.number, comment)))
            .find(|(_, comment)| comment.node == *node)
            .map(|(number, comment)| (number, comment.id));
        let (number, id) = found.ok_or_else(Refusal::not_found)?;
        self.app_may_write((repository, number))?;
        self.need(repository, Access::Write)?;
        self.touch_comment((repository, number), id, |comment| comment.display = Display::Outdated)
    }

    // Look-ups and telling.

    pub fn repository(&self, id: RepositoryId) -> Result<&Repository, Refusal> {
        self.state.repositories.get(&id).ok_or_else(Refusal::not_found)
    }

    pub fn repository_mut(&mut self, id: RepositoryId) -> Result<&mut Repository, Refusal> {
        self.state.repositories.get_mut(&id).ok_or_else(Refusal::not_found)
    }

    pub fn issue(&self, spot: Spot) -> Result<&StoredIssue, Refusal> {
        self.state.issue(spot).ok_or_else(Refusal::not_found)
    }

    /// An entry of the issue's own history.
    pub fn event(&self, kind: &'static str, label: Option<&str>) -> IssueEvent {
        IssueEvent { kind, label: label.map(str::to_owned), actor: self.login.clone(), at: self.at }
    }

    fn replace(&mut self, spot: Spot, comment: StoredComment) -> Result<(), Refusal> {
        self.state.change(spot, self.at, |issue| {
            if let Some(old) = issue.comments.iter_mut().find(|old| old.id == comment.id) {
                *old = comment;
            }
        })
    }

    /// Changes what does not count as a change of the issue: its time stays.
    fn touch_comment(
        &mut self,
        spot: Spot,
        id: CommentId,
        change: impl FnOnce(&mut StoredComment),
    ) -> Result<(), Refusal> {
        let stored = self.repository_mut(spot.0)?.issues.get_mut(&spot.1);
        let Some(Slot::Here { now, .. }) = stored else { return Err(Refusal::not_found()) };
        now.comments.iter_mut().find(|comment| comment.id == id).map(change).ok_or_else(Refusal::not_found)
    }

    fn label_json(&self, id: RepositoryId, name: &str) -> Value {
        let label = self.state.repositories.get(&id).and_then(|repository| repository.label(name));
        label.map_or(Value::Null, payload::label)
    }

    /// Tells the App of an event of a repository, if GitHub would.
    pub fn tell(&self, id: RepositoryId, event: &str, action: Option<&str>, fields: Value) {
        if let Some(payload) = payload::of_repository(self.state, id, event, action, &self.login, fields) {
            self.outbox.put(event, &payload);
        }
    }

    /// Tells of an issue, or of a pull request under its own event.
    pub fn tell_issue(&self, spot: Spot, action: &str, mut fields: Value) {
        let Some(repository) = self.state.repositories.get(&spot.0) else { return };
        let Some(issue) = self.state.issue(spot) else { return };
        let event = match issue.kind {
            SubjectKind::Issue => {
                fields["issue"] = payload::issue(self.state, repository, issue);
                "issues"
            }
            SubjectKind::PullRequest => {
                fields["number"] = json!(issue.number);
                fields["pull_request"] = payload::pull_request(self.state, repository, issue);
                "pull_request"
            }
        };
        self.tell(spot.0, event, Some(action), fields);
    }

    fn tell_comment(&self, spot: Spot, action: &str, comment: &StoredComment, mut fields: Value) {
        let Some(repository) = self.state.repositories.get(&spot.0) else { return };
        let Some(issue) = self.state.issue(spot) else { return };
        let url = payload::issue_url(self.state, repository, issue);
        fields["issue"] = payload::issue(self.state, repository, issue);
        fields["comment"] = payload::comment(self.state, &url, comment);
        self.tell(spot.0, "issue_comment", Some(action), fields);
    }
}
