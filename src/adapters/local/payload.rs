//! The JSON of webhooks: the fields that GitHub sends and that someone may read, under GitHub's names.

use super::model::{
    AppPermission, Condition, Conversation, Label, Readiness, Repository, Standing, StoredComment, StoredIssue,
    SubjectKind, Upkeep, Visibility,
};
use super::state::State;
use crate::domain::ids::{Login, RepositoryId};
use crate::domain::run::StateReason;
use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Value, json};

/// Whether GitHub would tell this App of that event, and the payload if so.
///
/// `fields` is what the event adds to the fields that every event of a repository has.
pub(super) fn of_repository(
    state: &State,
    repository: RepositoryId,
    event: &str,
    action: Option<&str>,
    sender: &Login,
    fields: Value,
) -> Option<Value> {
    let installation = &state.installation;
    let told = installation.standing == Standing::Active && installation.selected.contains(&repository);
    if !told || !permitted(state, event, &fields) {
        return None;
    }
    let mut payload = fields;
    if let Some(action) = action {
        payload["action"] = json!(action);
    }
    payload["repository"] = repository_json(state, state.repositories.get(&repository)?);
    payload["sender"] = user(state, sender);
    payload["installation"] = json!({"id": installation.id, "node_id": format!("MDQ6{}", installation.id)});
    Some(payload)
}

/// Events come only with the permission that they belong to.
fn permitted(state: &State, event: &str, fields: &Value) -> bool {
    let has = |permission| !state.installation.withheld.contains(&permission);
    match event {
        "issue_comment" if fields["issue"].get("pull_request").is_some() => {
            has(AppPermission::Issues) || has(AppPermission::PullRequests)
        }
        "issues" | "issue_comment" | "sub_issues" | "issue_dependencies" => has(AppPermission::Issues),
        "pull_request" => has(AppPermission::PullRequests),
        "check_run" => has(AppPermission::Checks),
        "push" => has(AppPermission::Contents),
        _ => true,
    }
}

/// An event about the installation as a whole; it comes whatever the App asked for.
pub(super) fn of_installation(state: &State, action: &str, sender: &Login, fields: Value) -> Value {
    let mut payload = fields;
    let installation = &state.installation;
    payload["action"] = json!(action);
    payload["installation"] = json!({
        "id": installation.id, "app_id": state.app.id, "app_slug": state.app.slug,
        "account": {"login": sender.as_str(), "type": "Organization"}, "repository_selection": "selected",
    });
    payload["sender"] = user(state, sender);
    payload
}

/// A repository, as far as an installation's events tell of one.
pub(super) fn repository_brief(repository: &Repository) -> Value {
    json!({
        "id": repository.id, "name": repository.name.name, "full_name": repository.name,
        "private": repository.visibility == Visibility::Private,
    })
}

fn repository_json(state: &State, repository: &Repository) -> Value {
    let owner = Login(repository.name.owner.clone());
    let mut owner_json = user(state, &owner);
    owner_json["type"] = json!("Organization");
    json!({
        "id": repository.id, "node_id": format!("R_{}", repository.id), "name": repository.name.name,
        "full_name": repository.name, "private": repository.visibility == Visibility::Private, "owner": owner_json,
        "html_url": format!("{}/{}", state.web_url, repository.name), "default_branch": repository.default_branch,
        "archived": repository.upkeep == Upkeep::Archived,
    })
}

/// An account; an App's is a bot.
pub(super) fn user(state: &State, login: &Login) -> Value {
    let id = state.users.get(&login.as_str().to_lowercase()).copied().unwrap_or_default();
    let kind = if login.as_str().ends_with("[bot]") { "Bot" } else { "User" };
    json!({
        "login": login, "id": id, "type": kind, "html_url": format!("{}/{login}", state.web_url), "site_admin": false,
    })
}

fn author(state: &State, login: Option<&Login>) -> Value {
    login.map_or(Value::Null, |login| user(state, login))
}

/// A label.
pub(super) fn label(label: &Label) -> Value {
    json!({
        "id": label.id, "node_id": format!("LA_{}", label.id), "name": label.name, "color": label.colour,
        "default": false,
        "description": if label.description.is_empty() { Value::Null } else { json!(label.description) },
    })
}

/// An issue, or a pull request as the issue that it also is.
pub(super) fn issue(state: &State, repository: &Repository, issue: &StoredIssue) -> Value {
    let url = issue_url(state, repository, issue);
    let mut json = subject(state, repository, issue, &url);
    json["comments"] = json!(issue.comments.len());
    json["performed_via_github_app"] = Value::Null;
    json["state_reason"] = match issue.state_reason() {
        None => Value::Null,
        Some(StateReason::Completed) => json!("completed"),
        Some(StateReason::NotPlanned) => json!("not_planned"),
        Some(StateReason::Duplicate) => json!("duplicate"),
        Some(StateReason::Reopened) => json!("reopened"),
    };
    if issue.kind == SubjectKind::PullRequest {
        json["pull_request"] = json!({"html_url": url, "merged_at": Value::Null});
    }
    if let Some(parent) = issue.parent {
        json["parent_issue_url"] = json!(format!("{}/repos/{}/issues/{parent}", api_url(state), repository.name));
    }
    json
}

/// A pull request in its own shape.
pub(super) fn pull_request(state: &State, repository: &Repository, issue: &StoredIssue) -> Value {
    let url = issue_url(state, repository, issue);
    let mut json = subject(state, repository, issue, &url);
    let base = repository.commits.last().map(|commit| commit.sha.clone());
    let branch = repository.branches.get(&issue.number);
    json["draft"] = json!(branch.is_some_and(|branch| branch.readiness == Readiness::Draft));
    json["merged"] = json!(false);
    let head = branch.and_then(|branch| branch.commits.last()).map(|commit| commit.sha.clone());
    let into = branch.map_or(&repository.default_branch, |branch| &branch.base);
    let name = branch.map_or_else(|| format!("change-{}", issue.number), |branch| branch.name.clone());
    json["base"] = json!({"ref": into, "sha": base});
    json["head"] = json!({"ref": name, "sha": head.or(base)});
    json
}

fn subject(state: &State, repository: &Repository, issue: &StoredIssue, url: &str) -> Value {
    let labels: Vec<Value> = issue.labels.iter().filter_map(|name| repository.label(name)).map(label).collect();
    json!({
        "id": issue.id, "node_id": format!("I_{}", issue.id), "number": issue.number, "title": issue.title,
        "body": if issue.body.is_empty() { Value::Null } else { json!(issue.body) },
        "user": author(state, issue.author.as_ref()), "labels": labels, "html_url": url,
        "state": if issue.condition == Condition::Open { "open" } else { "closed" },
        "locked": issue.conversation == Conversation::Locked, "active_lock_reason": Value::Null,
        "created_at": time(issue.created_at), "updated_at": time(issue.updated_at),
    })
}

/// A comment.
pub(super) fn comment(state: &State, issue_url: &str, comment: &StoredComment) -> Value {
    let app = comment.app.map_or(
        Value::Null,
        |id| json!({"id": id, "slug": state.app.slug, "name": state.app.slug, "node_id": format!("A_{id}")}),
    );
    json!({
        "id": comment.id, "node_id": comment.node, "html_url": comment_url(issue_url, comment),
        "body": comment.body, "user": author(state, comment.author.as_ref()),
        "created_at": time(comment.created_at), "updated_at": time(comment.updated_at),
        "performed_via_github_app": app,
    })
}

/// An issue's page.
pub(super) fn issue_url(state: &State, repository: &Repository, issue: &StoredIssue) -> String {
    let kind = match issue.kind {
        SubjectKind::Issue => "issues",
        SubjectKind::PullRequest => "pull",
    };
    format!("{}/{}/{kind}/{}", state.web_url, repository.name, issue.number)
}

/// A comment's place on that page.
pub(super) fn comment_url(issue_url: &str, comment: &StoredComment) -> String {
    format!("{issue_url}#issuecomment-{}", comment.id)
}

fn api_url(state: &State) -> String {
    if state.web_url == "https://github.com" {
        "https://api.github.com".to_owned()
    } else {
        format!("{}/api/v3", state.web_url)
    }
}

fn time(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}
