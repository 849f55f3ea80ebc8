//! Sub-issues and dependencies: routes that not every server has. What a 404 means is found out, and remembered an hour.

use super::answers::IssueAnswer;
use super::request::Request;
use super::{GithubForge, get, issue};
use crate::domain::ids::{IssueId, IssueNumber};
use crate::domain::run::Issue;
use crate::ports::{Forge, ForgeError, Place};
use chrono::{DateTime, Duration, Utc};
use http::Method;
use serde_json::json;
use std::sync::{Mutex, PoisonError};

/// How long a server that lacks a route is not asked for it again.
const MEMORY: Duration = Duration::hours(1);

/// What a server was found to lack, each until when.
#[derive(Debug, Default)]
pub(super) struct Lacking {
    sub_issues: Mutex<Option<DateTime<Utc>>>,
    dependencies: Mutex<Option<DateTime<Utc>>>,
}

/// The two kinds of links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Link {
    SubIssue,
    BlockedBy,
}

impl Lacking {
    fn of(&self, link: Link) -> std::sync::MutexGuard<'_, Option<DateTime<Utc>>> {
        let kept = match link {
            Link::SubIssue => &self.sub_issues,
            Link::BlockedBy => &self.dependencies,
        };
        kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl GithubForge {
    /// The sub-issues of an issue, in their order.
    pub(super) async fn children(&self, place: &Place, parent: IssueNumber) -> Result<Vec<Issue>, ForgeError> {
        self.linked(Link::SubIssue, place, parent).await
    }

    /// What blocks an issue.
    pub(super) async fn blockers(&self, place: &Place, number: IssueNumber) -> Result<Vec<Issue>, ForgeError> {
        self.linked(Link::BlockedBy, place, number).await
    }

    /// Makes an issue the last sub-issue of another.
    pub(super) async fn adopt(&self, place: &Place, parent: IssueNumber, child: IssueId) -> Result<(), ForgeError> {
        let what = format!("sub-issue of {}#{parent}", place.repository);
        let body = json!({ "sub_issue_id": child });
        let request = Request::new("add_sub_issue", Method::POST, route(Link::SubIssue, place, parent), &what);
        self.link(Link::SubIssue, place, parent, &request.with(body).creating()).await
    }

    /// Lets an issue be blocked by another.
    pub(super) async fn block(&self, place: &Place, number: IssueNumber, on: IssueId) -> Result<(), ForgeError> {
        let what = format!("blocker of {}#{number}", place.repository);
        let body = json!({ "issue_id": on });
        let request = Request::new("add_blocked_by", Method::POST, route(Link::BlockedBy, place, number), &what);
        self.link(Link::BlockedBy, place, number, &request.with(body).creating()).await
    }

    /// Those of the same repository: another one's number would mislead.
    async fn linked(&self, link: Link, place: &Place, number: IssueNumber) -> Result<Vec<Issue>, ForgeError> {
        let (name, what) = match link {
            Link::SubIssue => ("sub_issues", format!("sub-issues of {}#{number}", place.repository)),
            Link::BlockedBy => ("blocked_by", format!("blockers of {}#{number}", place.repository)),
        };
        let request = get(name, format!("{}?per_page=100", route(link, place, number)), &what);
        self.offered(link, &request)?;
        let answer = self.client.pages::<IssueAnswer>(place.installation, request.clone()).await;
        let mut issues = match answer {
            Err(ForgeError::NotFound { .. } | ForgeError::NotOffered { .. }) => {
                return Err(self.missing(link, place, number, &request).await);
            }
            answer => answer?,
        };
        if issues.iter().any(|issue| !issue.is_in(&place.repository.to_string())) {
            // Of another repository, or this one was renamed.
            let here = self.full_name(place).await?;
            issues.retain(|issue| issue.is_in(&here));
        }
        Ok(issues.into_iter().map(Into::into).collect())
    }

    async fn link(&self, link: Link, place: &Place, number: IssueNumber, request: &Request) -> Result<(), ForgeError> {
        self.offered(link, request)?;
        match self.send(place, request).await {
            Ok(_) => Ok(()),
            // The other end may be what is not there, and the list alone says which.
            Err(ForgeError::NotFound { what } | ForgeError::NotOffered { what }) => {
                match self.linked(link, place, number).await {
                    Ok(_) | Err(ForgeError::NotFound { .. }) => Err(ForgeError::NotFound { what }),
                    Err(ForgeError::NotOffered { .. }) => Err(ForgeError::NotOffered { what }),
                    Err(error) => Err(error),
                }
            }
            Err(error) => Err(error),
        }
    }

    fn offered(&self, link: Link, request: &Request) -> Result<(), ForgeError> {
        let until = *self.lacking.of(link);
        match until {
            Some(until) if self.clock.now() < until => Err(ForgeError::NotOffered { what: request.what.clone() }),
            _ => Ok(()),
        }
    }

    /// A 404 of the route: the issue is gone, or the server has no such route.
    async fn missing(&self, link: Link, place: &Place, number: IssueNumber, request: &Request) -> ForgeError {
        match self.issue(place, number).await {
            Ok(_) => {
                *self.lacking.of(link) = Some(self.clock.now() + MEMORY);
                ForgeError::NotOffered { what: request.what.clone() }
            }
            Err(ForgeError::NotFound { .. }) => ForgeError::NotFound { what: request.what.clone() },
            Err(error) => error,
        }
    }
}

fn route(link: Link, place: &Place, number: IssueNumber) -> String {
    let end = match link {
        Link::SubIssue => "sub_issues",
        Link::BlockedBy => "dependencies/blocked_by",
    };
    format!("{}/{end}", issue(place, number))
}
