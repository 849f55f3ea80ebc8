//! Lists of comments: those of an issue, and this App's own of a whole repository; and who this App and that repository are.

use super::answers::{CommentAnswer, RepositoryIdAnswer};
use super::{GithubForge, get, issue, refused, repository};
use crate::domain::ids::{CommentId, IssueNumber, Login};
use crate::domain::run::{AppIdentity, Comment};
use crate::ports::{Forge as _, ForgeError, Place};
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;

/// Pages of a repository's comments that are read at most: 200,000 comments.
const PAGES: usize = 2_000;

impl GithubForge {
    /// Every comment of an issue, oldest first.
    pub(super) async fn comments_of(&self, place: &Place, number: IssueNumber) -> Result<Vec<Comment>, ForgeError> {
        let route = format!("{}/comments?per_page=100", issue(place, number));
        let request = get("comments", route, &format!("comments {}#{number}", place.repository));
        let answers: Vec<CommentAnswer> = self.client.pages(place.installation, request).await?;
        let mut comments: Vec<Comment> = answers.into_iter().map(Into::into).collect();
        comments.sort_by_key(|comment| comment.id);
        Ok(comments)
    }

    /// The App's comments of the repository, oldest first. Those of others are dropped page by page: there may be many. The
    /// order is that of their writing, so that one which is edited meanwhile moves none past the page that is read.
    pub(super) async fn comments_of_ours(&self, place: &Place) -> Result<Vec<(IssueNumber, Comment)>, ForgeError> {
        let app = self.app().await?;
        let route = format!("{}/issues/comments?sort=created&direction=asc&per_page=100", repository(place));
        let mut request = get("own_comments", route, &format!("comments of {}", place.repository));
        let mut ours: BTreeMap<CommentId, (IssueNumber, Comment)> = BTreeMap::new();
        for _ in 0..PAGES {
            let page = self.client.page::<CommentAnswer>(place.installation, &request).await;
            let (page, next) = match page {
                Err(ForgeError::NotFound { what }) => return Err(self.not_listed(place, what).await),
                page => page?,
            };
            for answer in page {
                keep(answer, &app, &mut ours);
            }
            let Some(route) = next else { return Ok(ours.into_values().collect()) };
            request.route = route;
        }
        Err(refused(&request, &format!("more than {PAGES} pages")))
    }

    /// A repository that answers and whose comments do not: the server has no such list.
    async fn not_listed(&self, place: &Place, what: String) -> ForgeError {
        match self.about::<RepositoryIdAnswer>(place).await {
            Ok(_) => ForgeError::NotOffered { what },
            Err(ForgeError::NotFound { .. }) => ForgeError::NotFound { what },
            Err(error) => error,
        }
    }

    /// The App's own login, asked for once.
    pub(super) async fn own_login(&self) -> Result<&Login, ForgeError> {
        let slug = async || Ok(Login(format!("{}[bot]", self.app().await?.slug)));
        self.login.get_or_try_init(slug).await
    }

    /// The repository as it is now.
    pub(super) async fn about<T: DeserializeOwned>(&self, place: &Place) -> Result<T, ForgeError> {
        let request = get("repository", repository(place), &format!("repository {}", place.repository));
        self.read(place, &request).await
    }
}

fn keep(answer: CommentAnswer, app: &AppIdentity, ours: &mut BTreeMap<CommentId, (IssueNumber, Comment)>) {
    let number = answer.issue_url.as_deref().and_then(number);
    let comment = Comment::from(answer);
    if let Some(number) = number.filter(|_| app.wrote(&comment)) {
        ours.insert(comment.id, (number, comment));
    }
}

/// The number at the end of an issue's address.
fn number(url: &str) -> Option<IssueNumber> {
    url.rsplit_once("/issues/")?.1.parse().ok().map(IssueNumber)
}
