//! What the App gets to see: the repository that it asks for, and issues and comments as the API shows them.

use super::acts::{Desk, Spot};
use super::calls::Age;
use super::model::{AppPermission, Condition, Conversation, StoredComment, StoredIssue, SubjectKind};
use super::payload;
use super::refusal::Refusal;
use super::state::State;
use crate::domain::ids::{IssueId, IssueNumber, RepositoryId};
use crate::domain::run::{Comment, Issue};
use crate::ports::Place;

/// The repository, through the installation that the call names.
pub(super) fn enter(desk: &Desk<'_>, place: &Place) -> Result<RepositoryId, Refusal> {
    if place.installation != desk.state.installation.id {
        return Err(Refusal::not_found());
    }
    desk.state.enter(&desk.actor, &place.repository)
}

pub(super) fn enter_issue(desk: &Desk<'_>, place: &Place, number: IssueNumber) -> Result<Spot, Refusal> {
    enter(desk, place)?;
    desk.state.locate(&desk.actor, &place.repository, number)
}

pub(super) fn enter_pull(desk: &Desk<'_>, place: &Place, number: IssueNumber) -> Result<Spot, Refusal> {
    let spot = enter_issue(desk, place, number)?;
    let withheld = desk.state.installation.withheld.contains(&AppPermission::PullRequests);
    if withheld { Err(Refusal::not_accessible()) } else { Ok(spot) }
}

pub(super) fn enter_contents(desk: &Desk<'_>, place: &Place) -> Result<RepositoryId, Refusal> {
    let id = enter(desk, place)?;
    let withheld = desk.state.installation.withheld.contains(&AppPermission::Contents);
    if withheld { Err(Refusal::not_accessible()) } else { Ok(id) }
}

pub(super) fn seen(state: &State, spot: Spot, age: Age) -> Option<&StoredIssue> {
    match age {
        Age::Fresh => state.issue(spot),
        Age::Stale => state.earlier(spot),
    }
}

fn url_of(state: &State, id: RepositoryId, issue: &StoredIssue) -> String {
    let repository = state.repositories.get(&id);
    repository.map_or_else(String::new, |repository| payload::issue_url(state, repository, issue))
}

pub(super) fn shown(state: &State, id: RepositoryId, issue: &StoredIssue) -> Issue {
    Issue {
        id: IssueId(issue.id),
        number: issue.number,
        title: issue.title.clone(),
        body: issue.body.clone(),
        url: url_of(state, id, issue),
        labels: issue.labels.clone(),
        author: issue.author.clone(),
        open: issue.condition == Condition::Open,
        state_reason: issue.state_reason(),
        is_pull_request: issue.kind == SubjectKind::PullRequest,
        locked: issue.conversation == Conversation::Locked,
        created_at: issue.created_at,
        updated_at: issue.updated_at,
        parent: issue.parent,
    }
}

pub(super) fn comments_of(state: &State, id: RepositoryId, issue: &StoredIssue) -> Vec<Comment> {
    let url = url_of(state, id, issue);
    let shown = |comment: &StoredComment| Comment {
        id: comment.id,
        node: comment.node.clone(),
        url: payload::comment_url(&url, comment),
        author: comment.author.clone(),
        app: comment.app,
        body: comment.body.clone(),
        created_at: comment.created_at,
        updated_at: comment.updated_at,
    };
    issue.comments.iter().map(shown).collect()
}
