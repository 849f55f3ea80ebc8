//! Issues that the App files, and a branch with a draft pull request: their requests, and what the answers say.

use super::request::{Request, path, segment};
use super::{get, issue, repository};
use crate::domain::effect::{CloseReason, FileChange, IssueDraft, PullDraft};
use crate::domain::ids::{CommitSha, IssueNumber};
use crate::ports::Place;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::Method;
use serde::Deserialize;
use serde_json::json;

/// Every issue that this login opened.
pub(super) fn own_issues(place: &Place, login: &str) -> Request {
    let route = format!("{}/issues?state=all&creator={}&per_page=100", repository(place), segment(login));
    get("own_issues", route, &format!("issues of {} by {login}", place.repository))
}

pub(super) fn create_issue(place: &Place, draft: &IssueDraft) -> Request {
    let IssueDraft { title, body, labels } = draft;
    let route = format!("{}/issues", repository(place));
    Request::new("create_issue", Method::POST, route, &format!("issue of {}", place.repository))
        .with(json!({ "title": title, "body": body, "labels": labels }))
        .creating()
}

pub(super) fn edit_issue_body(place: &Place, number: IssueNumber, body: &str) -> Request {
    let what = format!("issue {}#{number}", place.repository);
    Request::new("edit_issue_body", Method::PATCH, issue(place, number), &what).with(json!({ "body": body }))
}

pub(super) fn close_issue(place: &Place, number: IssueNumber, reason: CloseReason) -> Request {
    let what = format!("issue {}#{number}", place.repository);
    let body = json!({ "state": "closed", "state_reason": reason.as_str() });
    Request::new("close_issue", Method::PATCH, issue(place, number), &what).with(body)
}

pub(super) fn create_branch(place: &Place, name: &str, at: &CommitSha) -> Request {
    let route = format!("{}/git/refs", repository(place));
    let body = json!({ "ref": format!("refs/heads/{name}"), "sha": at });
    Request::new("create_branch", Method::POST, route, &format!("branch {name} of {}", place.repository))
        .with(body)
        .creating()
}

pub(super) fn put_file(place: &Place, branch: &str, file: &FileChange) -> Request {
    let route = format!("{}/contents/{}", repository(place), path(&file.path));
    let mut body = json!({ "message": file.message, "content": STANDARD.encode(&file.text), "branch": branch });
    if let Some(blob) = &file.replaces {
        body["sha"] = json!(blob);
    }
    Request::new("put_file", Method::PUT, route, &format!("{} of {}", file.path, place.repository))
        .with(body)
        .creating()
}

pub(super) fn create_pull(place: &Place, draft: &PullDraft) -> Request {
    let PullDraft { title, body, branch, base } = draft;
    let route = format!("{}/pulls", repository(place));
    Request::new("create_pull", Method::POST, route, &format!("pull of {}", place.repository))
        .with(json!({ "title": title, "body": body, "head": branch, "base": base, "draft": true }))
        .creating()
}

pub(super) fn pulls_from(place: &Place, branch: &str) -> Request {
    let head = segment(&format!("{}:{branch}", place.repository.owner));
    let route = format!("{}/pulls?state=all&head={head}&per_page=100", repository(place));
    get("pulls_from", route, &format!("pulls of {} from {branch}", place.repository))
}

/// An entry of `GET /repos/{owner}/{repo}/pulls`.
#[derive(Deserialize)]
pub(super) struct ListedPull {
    number: u64,
    head: Head,
}

#[derive(Deserialize)]
struct Head {
    #[serde(rename = "ref")]
    branch: String,
}

impl ListedPull {
    /// Its number, if it comes from that branch: a server may not know the filter.
    pub(super) fn if_of_branch(self, branch: &str) -> Option<IssueNumber> {
        (self.head.branch == branch).then_some(IssueNumber(self.number))
    }
}

/// `GET /repos/{owner}/{repo}`.
#[derive(Deserialize)]
pub(super) struct RepositoryAnswer {
    pub(super) default_branch: String,
}

/// A pull request just opened.
#[derive(Deserialize)]
pub(super) struct MadeNumber {
    pub(super) number: u64,
}
