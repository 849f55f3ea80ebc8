//! GitHub's answers: only the fields that are needed, so that new or missing ones elsewhere break nothing
//! (octocrab's own models want seventeen addresses of every author), and what they are in the domain's words.

use crate::domain::effect::PostedComment;
use crate::domain::ids::{AppId, BlobHash, CommentId, CommitSha, InstallationId, IssueId, IssueNumber, Login, NodeId};
use crate::domain::run::{AppIdentity, Comment, Issue, Permission, StateReason};
use crate::ports::{Entry, File};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// `GET /app`.
#[derive(Deserialize)]
pub(super) struct AppAnswer {
    id: u64,
    slug: String,
}

impl From<AppAnswer> for AppIdentity {
    fn from(app: AppAnswer) -> Self {
        Self { id: AppId(app.id), slug: app.slug }
    }
}

/// `GET /repos/{owner}/{repo}/installation`.
#[derive(Deserialize)]
pub(super) struct InstallationAnswer {
    id: u64,
}

impl From<InstallationAnswer> for InstallationId {
    fn from(installation: InstallationAnswer) -> Self {
        Self(installation.id)
    }
}

/// `POST /app/installations/{id}/access_tokens`.
#[derive(Deserialize)]
pub(super) struct TokenAnswer {
    pub(super) token: String,
    pub(super) expires_at: DateTime<Utc>,
    /// What the installation grants, such as `issues` → `write`; a server that does not say grants unseen.
    pub(super) permissions: Option<BTreeMap<String, String>>,
}

#[derive(Deserialize)]
struct User {
    login: String,
}

#[derive(Deserialize)]
struct Label {
    name: String,
}

/// An issue or pull request, as the issues API shows both.
#[derive(Deserialize)]
pub(super) struct IssueAnswer {
    id: u64,
    pub(super) number: u64,
    title: String,
    body: Option<String>,
    html_url: String,
    #[serde(default)]
    labels: Vec<Label>,
    user: Option<User>,
    state: String,
    state_reason: Option<String>,
    pull_request: Option<Value>,
    #[serde(default)]
    locked: bool,
    created_at: Option<DateTime<Utc>>,
    updated_at: DateTime<Utc>,
    parent_issue_url: Option<String>,
    repository_url: Option<String>,
}

impl IssueAnswer {
    /// Whether it stands in that repository now. A transferred issue answers under its old address as well.
    pub(super) fn is_in(&self, full_name: &str) -> bool {
        let address = self.repository_url.as_deref().and_then(|url| url.split_once("/repos/"));
        address.is_none_or(|(_, name)| name.eq_ignore_ascii_case(full_name))
    }

    /// The parent's number, if the parent is in the same repository: another one's number would mislead.
    fn parent(&self) -> Option<IssueNumber> {
        let (_, parent) = self.parent_issue_url.as_deref()?.split_once("/repos/")?;
        let (repository, number) = parent.rsplit_once("/issues/")?;
        let number = number.parse().ok()?;
        self.is_in(repository).then_some(IssueNumber(number))
    }
}

impl From<IssueAnswer> for Issue {
    fn from(issue: IssueAnswer) -> Self {
        let parent = issue.parent();
        let state_reason = issue.state_reason.as_deref().and_then(|word| match word {
            "completed" => Some(StateReason::Completed),
            "not_planned" => Some(StateReason::NotPlanned),
            "duplicate" => Some(StateReason::Duplicate),
            "reopened" => Some(StateReason::Reopened),
            _ => None,
        });
        Self {
            id: IssueId(issue.id),
            number: IssueNumber(issue.number),
            title: issue.title,
            body: issue.body.unwrap_or_default(),
            url: issue.html_url,
            labels: issue.labels.into_iter().map(|label| label.name).collect(),
            author: issue.user.map(|user| Login(user.login)),
            open: issue.state == "open",
            state_reason,
            is_pull_request: issue.pull_request.is_some_and(|pull| !pull.is_null()),
            locked: issue.locked,
            created_at: issue.created_at.unwrap_or(issue.updated_at),
            updated_at: issue.updated_at,
            parent,
        }
    }
}

#[derive(Deserialize)]
struct AppReference {
    id: u64,
}

/// A comment of an issue.
#[derive(Deserialize)]
pub(super) struct CommentAnswer {
    /// The issue or pull request that it stands on, where that is not known from the route.
    pub(super) issue_url: Option<String>,
    id: u64,
    node_id: String,
    html_url: String,
    user: Option<User>,
    performed_via_github_app: Option<AppReference>,
    body: Option<String>,
    created_at: Option<DateTime<Utc>>,
    updated_at: DateTime<Utc>,
}

impl From<CommentAnswer> for Comment {
    fn from(comment: CommentAnswer) -> Self {
        Self {
            id: CommentId(comment.id),
            node: NodeId(comment.node_id),
            url: comment.html_url,
            author: comment.user.map(|user| Login(user.login)),
            app: comment.performed_via_github_app.map(|app| AppId(app.id)),
            body: comment.body.unwrap_or_default(),
            created_at: comment.created_at.unwrap_or(comment.updated_at),
            updated_at: comment.updated_at,
        }
    }
}

/// A comment just written.
#[derive(Deserialize)]
pub(super) struct PostedAnswer {
    id: u64,
    node_id: String,
    html_url: String,
}

impl From<PostedAnswer> for PostedComment {
    fn from(posted: PostedAnswer) -> Self {
        Self { id: CommentId(posted.id), node: NodeId(posted.node_id), url: posted.html_url }
    }
}

/// `GET /repos/{owner}/{repo}/collaborators/{username}/permission`.
#[derive(Deserialize)]
pub(super) struct PermissionAnswer {
    permission: Option<String>,
    role_name: Option<String>,
    user: Option<PermittedUser>,
}

#[derive(Deserialize)]
struct PermittedUser {
    permissions: Option<Permissions>,
}

#[derive(Deserialize)]
struct Permissions {
    triage: Option<bool>,
    #[serde(default)]
    push: bool,
    #[serde(default)]
    maintain: bool,
    #[serde(default)]
    admin: bool,
}

/// Chapter 3, trust: `user.permissions`, where it knows triage; else `role_name`; else `permission`. A custom role has a
/// name of its own, so only the first of the three knows it; that is why it comes first.
impl From<PermissionAnswer> for Permission {
    fn from(answer: PermissionAnswer) -> Self {
        if let Some(Permissions { triage: Some(triage), push, maintain, admin }) =
            answer.user.and_then(|user| user.permissions)
        {
            return match (triage, push || maintain || admin) {
                (_, true) => Self::Write,
                (true, false) => Self::Triage,
                (false, false) => Self::None,
            };
        }
        match (answer.role_name.as_deref(), answer.permission.as_deref()) {
            (Some("write" | "maintain" | "admin"), _) => Self::Write,
            (Some("triage"), _) => Self::Triage,
            (_, permission) => {
                if matches!(permission, Some("write" | "admin")) {
                    Self::Write
                } else {
                    Self::None
                }
            }
        }
    }
}

/// The repository itself, where a redirect must be understood.
#[derive(Deserialize)]
pub(super) struct RepositoryAnswer {
    pub(super) full_name: String,
}

/// A repository's id, which stays when it is renamed.
#[derive(Deserialize)]
pub(super) struct RepositoryIdAnswer {
    pub(super) id: u64,
}

/// A commit.
#[derive(Deserialize)]
pub(super) struct CommitAnswer {
    pub(super) sha: String,
}

/// A commit's hash that came alone, as was asked for.
pub(super) fn bare_sha(answer: &[u8]) -> Option<CommitSha> {
    let text = std::str::from_utf8(answer).ok()?.trim();
    let is_hash = matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| CommitSha::new(text))
}

/// A path of the repository: a folder answers with a list, all else with one thing.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum ContentsAnswer {
    /// A folder.
    Folder(Vec<EntryAnswer>),
    /// A file, a link, a submodule.
    One(FileAnswer),
}

#[derive(Deserialize)]
pub(super) struct EntryAnswer {
    #[serde(rename = "type")]
    kind: String,
    path: String,
    size: u64,
}

impl EntryAnswer {
    /// The entry, if it is a file.
    pub(super) fn file(self) -> Option<Entry> {
        (self.kind == "file").then_some(Entry { path: self.path, size: self.size })
    }
}

#[derive(Deserialize)]
pub(super) struct FileAnswer {
    #[serde(rename = "type")]
    kind: String,
    path: String,
    sha: String,
    encoding: Option<String>,
    content: Option<String>,
}

/// What a path holds, if no file's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoBytes {
    /// A submodule, or a link that leads nowhere.
    NotAFile,
    /// Over 1 MB: the contents API leaves the bytes out.
    TooLarge,
    /// Bytes that are not base64.
    Damaged,
}

impl FileAnswer {
    /// The file with its bytes.
    pub(super) fn file(self) -> Result<File, NoBytes> {
        if self.kind != "file" {
            return Err(NoBytes::NotAFile);
        }
        let (Some("base64"), Some(content)) = (self.encoding.as_deref(), self.content) else {
            return Err(NoBytes::TooLarge);
        };
        // GitHub breaks the lines.
        let content: String = content.split_ascii_whitespace().collect();
        let bytes = STANDARD.decode(content).map_err(|_| NoBytes::Damaged)?;
        Ok(File { path: self.path, blob: BlobHash(self.sha), bytes })
    }
}

/// The answer of GraphQL: 200 even where it refuses.
#[derive(Deserialize)]
pub(super) struct GraphqlAnswer {
    #[serde(default)]
    pub(super) errors: Vec<GraphqlError>,
}

#[derive(Deserialize)]
pub(super) struct GraphqlError {
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    #[serde(default)]
    pub(super) message: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn permission_reads_three_places_in_order() {
        let check = |answer: Value, expect: Permission| {
            let parsed: PermissionAnswer = serde_json::from_value(answer.clone()).unwrap();
            assert_eq!(Permission::from(parsed), expect, "{answer}");
        };
        let user = |permissions: Value| json!({"permission": "read", "role_name": "sec-triager", "user": {"login": "x", "permissions": permissions}});
        check(user(json!({"pull": true, "triage": true, "push": false})), Permission::Triage);
        check(user(json!({"pull": true, "triage": true, "push": true})), Permission::Write);
        check(user(json!({"pull": true, "triage": true, "push": false, "maintain": true})), Permission::Write);
        check(user(json!({"pull": true, "triage": false, "push": false})), Permission::None);
        check(
            json!({"permission": "admin", "role_name": "admin", "user": {"permissions": {"triage": false}}}),
            Permission::None,
        );
        check(json!({"permission": "read", "role_name": "triage", "user": {"login": "x"}}), Permission::Triage);
        check(json!({"permission": "write", "role_name": "maintain", "user": null}), Permission::Write);
        check(json!({"permission": "write", "role_name": "deployer"}), Permission::Write);
        check(json!({"permission": "read", "role_name": "deployer"}), Permission::None);
        check(json!({"permission": "write"}), Permission::Write);
        check(
            json!({"permission": "admin", "role_name": null, "user": {"permissions": {"push": true}}}),
            Permission::Write,
        );
        check(json!({"permission": "read"}), Permission::None);
        check(json!({}), Permission::None);
    }

    fn issue(more: &Value) -> Issue {
        let mut issue = json!({
            "id": 7003, "number": 3, "title": "T", "body": null, "html_url": "https://github.com/o/r/issues/3", "user": null,
            "state": "open", "updated_at": "2026-11-30T08:00:00Z", "repository_url": "https://api.github.com/repos/o/r",
        });
        issue.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        serde_json::from_value::<IssueAnswer>(issue).unwrap().into()
    }

    #[test]
    fn an_issue_may_lack_most_things() {
        let bare = issue(&json!({}));
        assert_eq!((bare.author, bare.body.as_str(), bare.parent, bare.open), (None, "", None, true));
        assert_eq!((bare.id, bare.state_reason, bare.created_at), (IssueId(7003), None, bare.updated_at));
        assert!(!bare.is_pull_request && !bare.locked && bare.labels.is_empty());
        let full = issue(&json!({
            "user": {"login": "mona"}, "body": "B", "state": "closed", "state_reason": "not_planned",
            "created_at": "2026-11-01T08:00:00Z", "locked": true, "labels": [{"name": "a"}],
            "pull_request": {"url": "https://api.github.com/repos/o/r/pulls/3"},
        }));
        assert_eq!((full.author, full.labels), (Some(Login::new("mona")), vec!["a".to_owned()]));
        assert_eq!(full.state_reason, Some(StateReason::NotPlanned));
        assert!(full.created_at < full.updated_at);
        assert!(full.is_pull_request && full.locked && !full.open);
    }

    #[test]
    fn a_parent_counts_in_the_same_repository_only() {
        let parent = |url: &str| issue(&json!({ "parent_issue_url": url })).parent;
        assert_eq!(parent("https://api.github.com/repos/o/r/issues/12"), Some(IssueNumber(12)));
        assert_eq!(parent("https://ghe.example/api/v3/repos/O/R/issues/12"), Some(IssueNumber(12)));
        assert_eq!(parent("https://api.github.com/repos/o/other/issues/12"), None);
        assert_eq!(parent("nonsense"), None);
    }

    #[test]
    fn a_file_has_its_bytes_or_says_why_not() {
        let check = |kind: &str, encoding: &str, content: &str, expect: Result<&[u8], NoBytes>| {
            let answer =
                json!({"type": kind, "path": "a/b", "sha": "5ca1ab1e", "encoding": encoding, "content": content});
            let file: FileAnswer = serde_json::from_value(answer).unwrap();
            assert_eq!(file.file().map(|file| file.bytes), expect.map(<[u8]>::to_vec));
        };
        check("file", "base64", "a2lu\nZDog\n", Ok(b"kind: "));
        check("file", "base64", "", Ok(b""));
        check("file", "none", "", Err(NoBytes::TooLarge));
        check("submodule", "", "", Err(NoBytes::NotAFile));
        check("file", "base64", "?", Err(NoBytes::Damaged));
    }
}
