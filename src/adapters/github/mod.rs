//! GitHub behind the [`Forge`] port: which route each method takes. `docs/forge.md` lists the routes and permissions.
//!
//! Below it, in reading order: `key` (the App's private key), `request` (a call as data), `client` (sending: tokens,
//! repeats, redirects, pages), `quota` (limits remembered), `refusal` (status to error), `answers` (JSON to domain), `checks`
//! (pull requests and check runs), `comments` (lists of comments), `filing` (issues, branches, draft pull requests), `links` (sub-issues and dependencies), `graphql` (the one mutation),
//! `listed` (lists that people saved). Beside them: `manifest` (what `app.yml` asks for) and
//! `inspect` (what only `sekisho doctor` asks).

mod answers;
mod checks;
mod client;
mod comments;
mod filing;
mod grants;
mod graphql;
pub mod inspect;
pub mod key;
mod links;
pub mod listed;
pub mod manifest;
mod quota;
mod refusal;
mod request;

use self::answers::{
    AppAnswer, CommitAnswer, ContentsAnswer, EntryAnswer, InstallationAnswer, IssueAnswer, NoBytes, PermissionAnswer,
    PostedAnswer, RepositoryAnswer, RepositoryIdAnswer, bare_sha,
};
use self::checks::{CheckRunsAnswer, FileAnswer, MadeAnswer, PullAnswer};
use self::client::{Answer, Client, parse};
use self::filing::{ListedPull, MadeNumber};
use self::key::AppKey;
use self::links::Lacking;
use self::request::{Request, SHA, path, segment};
use crate::domain::effect::{
    CheckReport, CheckRun, CloseReason, FileChange, IssueDraft, LabelSpec, PostedComment, PullDraft,
};
use crate::domain::ids::{
    AppId, CheckRunId, CommentId, CommitSha, InstallationId, IssueId, IssueNumber, Login, NodeId, RepositoryId,
    RepositoryName,
};
use crate::domain::run::{AppIdentity, Comment, Issue, Permission, Pull};
use crate::ports::{Clock, Entry, File, Forge, ForgeError, Head, Place};
use async_trait::async_trait;
use http::Method;
use serde::de::DeserializeOwned;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tokio::sync::OnceCell;

/// What the way to GitHub is made of.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The API's base address: `https://api.github.com`, or `https://HOST/api/v3` on GHES.
    pub api_url: String,
    /// The App.
    pub app_id: AppId,
    /// Its private key.
    pub key: AppKey,
    /// How long one request may take, answer included: shorter than a lane's lease, so that nobody else works while an
    /// answer may still come (chapter 10). [`Settings::TIMEOUT`] is meant for it.
    pub timeout: Duration,
}

impl Settings {
    /// The usual timeout of a request.
    pub const TIMEOUT: Duration = Duration::from_secs(20);
}

/// Why there is no way to GitHub.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum SetupError {
    /// The base address is none.
    #[error("`{0}` is not an API address; expected one such as https://api.github.com or https://HOST/api/v3")]
    BadUrl(String),
    /// octocrab could not be built, such as where the system has no CA certificates.
    #[error("the GitHub client cannot be built: {0}")]
    Client(String),
}

/// GitHub, through octocrab. One for the process; it is shared by all lanes.
pub struct GithubForge {
    client: Client,
    /// A server without GraphQL is asked once (chapter 10).
    no_graphql: AtomicBool,
    lacking: Lacking,
    /// The App's own login, once `GET /app` has told it.
    login: OnceCell<Login>,
    clock: Arc<dyn Clock>,
}

impl GithubForge {
    /// Sets everything up; sends nothing, so the service starts while GitHub is unreachable.
    ///
    /// # Errors
    /// See [`SetupError`].
    ///
    /// # Panics
    /// Outside a Tokio runtime: octocrab spawns the task that its clones share.
    pub fn new(settings: &Settings, clock: Arc<dyn Clock>) -> Result<Self, SetupError> {
        let client = Client::new(settings, clock.clone())?;
        let (no_graphql, lacking, login) = (AtomicBool::new(false), Lacking::default(), OnceCell::new());
        Ok(Self { client, no_graphql, lacking, login, clock })
    }

    /// Permissions of `app.yml` that an installation does not grant, as far as its tokens have told.
    #[must_use]
    pub fn missing_permissions(&self) -> Vec<String> {
        self.client.grants.missing()
    }

    async fn send(&self, place: &Place, request: &Request) -> Result<Answer, ForgeError> {
        self.client.send(place.installation, request).await
    }

    async fn read<T: DeserializeOwned>(&self, place: &Place, request: &Request) -> Result<T, ForgeError> {
        parse(request, &self.send(place, request).await?)
    }

    async fn contents(&self, place: &Place, request: &Request) -> Result<ContentsAnswer, ForgeError> {
        self.read(place, request).await
    }

    /// The repository's own name now: after a rename another than the one asked for.
    async fn full_name(&self, place: &Place) -> Result<String, ForgeError> {
        Ok(self.about::<RepositoryAnswer>(place).await?.full_name)
    }
}

#[async_trait]
impl Forge for GithubForge {
    async fn app(&self) -> Result<AppIdentity, ForgeError> {
        let request = get("app", "/app".to_owned(), "app");
        parse::<AppAnswer>(&request, &self.client.as_app(&request).await?).map(Into::into)
    }

    async fn installation(&self, name: &RepositoryName) -> Result<InstallationId, ForgeError> {
        let route = format!("/repos/{}/{}/installation", segment(&name.owner), segment(&name.name));
        let request = get("installation", route, &format!("installation {name}"));
        parse::<InstallationAnswer>(&request, &self.client.as_app(&request).await?).map(Into::into)
    }

    async fn open_issues(&self, place: &Place) -> Result<Vec<Issue>, ForgeError> {
        let route = format!("{}/issues?state=open&per_page=100", repository(place));
        let request = get("open_issues", route, &format!("open issues {}", place.repository));
        let answers: Vec<IssueAnswer> = self.client.pages(place.installation, request).await?;
        Ok(answers.into_iter().map(Into::into).collect())
    }

    async fn issue(&self, place: &Place, number: IssueNumber) -> Result<Issue, ForgeError> {
        let request = get("issue", issue(place, number), &format!("issue {}#{number}", place.repository));
        let answer = self.send(place, &request).await?;
        let issue: IssueAnswer = parse(&request, &answer)?;
        // A renamed repository redirects, and so does a transferred issue: that one is gone from here, and whoever
        // wrote on under its old address would write into another repository.
        let gone = issue.number != number.0 || (answer.redirected && !issue.is_in(&self.full_name(place).await?));
        if gone { Err(ForgeError::NotFound { what: request.what }) } else { Ok(issue.into()) }
    }

    async fn comments(&self, place: &Place, number: IssueNumber) -> Result<Vec<Comment>, ForgeError> {
        self.comments_of(place, number).await
    }

    async fn own_comments(&self, place: &Place) -> Result<Vec<(IssueNumber, Comment)>, ForgeError> {
        self.comments_of_ours(place).await
    }

    async fn repository(&self, place: &Place) -> Result<RepositoryId, ForgeError> {
        Ok(RepositoryId(self.about::<RepositoryIdAnswer>(place).await?.id))
    }

    async fn permission(&self, place: &Place, login: &Login) -> Result<Permission, ForgeError> {
        let route = format!("{}/collaborators/{}/permission", repository(place), segment(login.as_str()));
        let request = get("permission", route, &format!("permission of {login} in {}", place.repository));
        match self.read::<PermissionAnswer>(place, &request).await {
            Ok(answer) => Ok(answer.into()),
            Err(ForgeError::NotFound { .. }) => Ok(Permission::None),
            Err(error) => Err(error),
        }
    }

    /// `HEAD` is the default branch, so no branch's name is needed.
    async fn head(&self, place: &Place) -> Result<Head, ForgeError> {
        let route = format!("{}/commits/HEAD?per_page=1", repository(place));
        let request = get("head", route, &format!("head {}", place.repository)).accepting(SHA);
        match self.send(place, &request).await {
            Ok(answer) => {
                let commit = match bare_sha(&answer.body) {
                    Some(commit) => commit,
                    None => CommitSha(parse::<CommitAnswer>(&request, &answer)?.sha),
                };
                Ok(Head { commit })
            }
            // "Git Repository is empty.", "No commit found for SHA: HEAD"
            Err(ForgeError::Refused { what, status: 409 | 422, .. }) => Err(ForgeError::NotFound { what }),
            Err(error) => Err(error),
        }
    }

    async fn default_branch(&self, place: &Place) -> Result<String, ForgeError> {
        Ok(self.about::<filing::RepositoryAnswer>(place).await?.default_branch)
    }

    async fn directory(&self, place: &Place, path: &str, commit: &CommitSha) -> Result<Vec<Entry>, ForgeError> {
        let request = contents("directory", place, path, commit);
        match self.contents(place, &request).await? {
            ContentsAnswer::Folder(entries) => Ok(entries.into_iter().filter_map(EntryAnswer::file).collect()),
            ContentsAnswer::One(_) => Err(ForgeError::NotFound { what: request.what }),
        }
    }

    async fn file(&self, place: &Place, path: &str, commit: &CommitSha) -> Result<File, ForgeError> {
        let request = contents("file", place, path, commit);
        let file = match self.contents(place, &request).await? {
            ContentsAnswer::One(answer) => answer.file(),
            ContentsAnswer::Folder(_) => Err(NoBytes::NotAFile),
        };
        file.map_err(|why| match why {
            NoBytes::NotAFile => ForgeError::NotFound { what: request.what.clone() },
            NoBytes::TooLarge => refused(&request, "the file is over 1 MB"),
            NoBytes::Damaged => refused(&request, "the file's base64 is damaged"),
        })
    }

    async fn pull(&self, place: &Place, number: IssueNumber) -> Result<Pull, ForgeError> {
        self.read::<PullAnswer>(place, &checks::pull(place, number)).await.map(Into::into)
    }

    async fn pull_files(&self, place: &Place, number: IssueNumber) -> Result<Vec<String>, ForgeError> {
        let answers: Vec<FileAnswer> = self.client.pages(place.installation, checks::pull_files(place, number)).await?;
        Ok(answers.into_iter().flat_map(FileAnswer::paths).collect())
    }

    async fn check_runs(&self, place: &Place, commit: &CommitSha, name: &str) -> Result<Vec<CheckRun>, ForgeError> {
        let answer: CheckRunsAnswer = self.read(place, &checks::check_runs(place, commit, name)).await?;
        Ok(answer.into())
    }

    async fn own_issues(&self, place: &Place) -> Result<Vec<Issue>, ForgeError> {
        let login = self.own_login().await?;
        let request = filing::own_issues(place, login.as_str());
        let answers: Vec<IssueAnswer> = self.client.pages(place.installation, request).await?;
        let mut issues: Vec<Issue> = answers.into_iter().map(Into::into).collect();
        // A server may not know the filter.
        let ours = |issue: &Issue| issue.author.as_ref().is_some_and(|author| author.same(login.as_str()));
        issues.retain(|issue| !issue.is_pull_request && ours(issue));
        issues.sort_by_key(|issue| issue.number);
        Ok(issues)
    }

    async fn sub_issues(&self, place: &Place, parent: IssueNumber) -> Result<Vec<Issue>, ForgeError> {
        self.children(place, parent).await
    }

    async fn blocked_by(&self, place: &Place, number: IssueNumber) -> Result<Vec<IssueNumber>, ForgeError> {
        Ok(self.blockers(place, number).await?.into_iter().map(|issue| issue.number).collect())
    }

    async fn pulls_from(&self, place: &Place, branch: &str) -> Result<Vec<IssueNumber>, ForgeError> {
        let request = filing::pulls_from(place, branch);
        let answers: Vec<ListedPull> = self.client.pages(place.installation, request).await?;
        Ok(answers.into_iter().filter_map(|pull| pull.if_of_branch(branch)).collect())
    }

    async fn create_comment(
        &self,
        place: &Place,
        number: IssueNumber,
        body: &str,
    ) -> Result<PostedComment, ForgeError> {
        let route = format!("{}/comments", issue(place, number));
        let what = format!("comment {}#{number}", place.repository);
        let request =
            Request::new("create_comment", Method::POST, route, &what).with(json!({ "body": body })).creating();
        self.read::<PostedAnswer>(place, &request).await.map(Into::into)
    }

    async fn edit_comment(&self, place: &Place, id: CommentId, body: &str) -> Result<(), ForgeError> {
        let what = format!("comment {} {id}", place.repository);
        let request = Request::new("edit_comment", Method::PATCH, comment(place, id), &what);
        self.send(place, &request.with(json!({ "body": body }))).await.map(drop)
    }

    async fn delete_comment(&self, place: &Place, id: CommentId) -> Result<(), ForgeError> {
        let what = format!("comment {} {id}", place.repository);
        let request = Request::new("delete_comment", Method::DELETE, comment(place, id), &what);
        self.send(place, &request).await.map(drop)
    }

    async fn create_label(&self, place: &Place, label: &LabelSpec) -> Result<(), ForgeError> {
        let body = json!({ "name": label.name, "color": label.colour, "description": label.description });
        let route = format!("{}/labels", repository(place));
        let what = format!("label {} of {}", label.name, place.repository);
        let request = Request::new("create_label", Method::POST, route, &what).with(body).creating();
        self.send(place, &request).await.map(drop)
    }

    async fn add_label(&self, place: &Place, number: IssueNumber, name: &str) -> Result<(), ForgeError> {
        let route = format!("{}/labels", issue(place, number));
        let what = format!("label {name} on {}#{number}", place.repository);
        let request = Request::new("add_label", Method::POST, route, &what).with(json!({ "labels": [name] }));
        self.send(place, &request).await.map(drop)
    }

    async fn remove_label(&self, place: &Place, number: IssueNumber, name: &str) -> Result<(), ForgeError> {
        let route = format!("{}/labels/{}", issue(place, number), segment(name));
        let what = format!("label {name} on {}#{number}", place.repository);
        let request = Request::new("remove_label", Method::DELETE, route, &what);
        self.send(place, &request).await.map(drop)
    }

    async fn acknowledge(&self, place: &Place, id: CommentId) -> Result<(), ForgeError> {
        let route = format!("{}/reactions", comment(place, id));
        let what = format!("reaction to comment {} {id}", place.repository);
        let request =
            Request::new("acknowledge", Method::POST, route, &what).with(json!({ "content": "eyes" })).creating();
        self.send(place, &request).await.map(drop)
    }

    async fn minimise(&self, place: &Place, node: &NodeId) -> Result<(), ForgeError> {
        self.hide(place, node).await
    }

    async fn create_check_run(
        &self,
        place: &Place,
        commit: &CommitSha,
        name: &str,
        external_id: &str,
        report: &CheckReport,
    ) -> Result<CheckRunId, ForgeError> {
        let request = checks::create_check_run(place, commit, name, external_id, report);
        self.read::<MadeAnswer>(place, &request).await.map(|made| CheckRunId(made.id))
    }

    async fn update_check_run(&self, place: &Place, id: CheckRunId, report: &CheckReport) -> Result<(), ForgeError> {
        self.send(place, &checks::update_check_run(place, id, report)).await.map(drop)
    }

    async fn create_issue(&self, place: &Place, draft: &IssueDraft) -> Result<Issue, ForgeError> {
        self.read::<IssueAnswer>(place, &filing::create_issue(place, draft)).await.map(Into::into)
    }

    async fn edit_issue_body(&self, place: &Place, number: IssueNumber, body: &str) -> Result<(), ForgeError> {
        self.send(place, &filing::edit_issue_body(place, number, body)).await.map(drop)
    }

    async fn close_issue(&self, place: &Place, number: IssueNumber, reason: CloseReason) -> Result<(), ForgeError> {
        self.send(place, &filing::close_issue(place, number, reason)).await.map(drop)
    }

    async fn add_sub_issue(&self, place: &Place, parent: IssueNumber, child: IssueId) -> Result<(), ForgeError> {
        self.adopt(place, parent, child).await
    }

    async fn add_blocked_by(&self, place: &Place, number: IssueNumber, on: IssueId) -> Result<(), ForgeError> {
        self.block(place, number, on).await
    }

    async fn create_branch(&self, place: &Place, name: &str, at: &CommitSha) -> Result<(), ForgeError> {
        self.send(place, &filing::create_branch(place, name, at)).await.map(drop)
    }

    async fn put_file(&self, place: &Place, branch: &str, file: &FileChange) -> Result<(), ForgeError> {
        self.send(place, &filing::put_file(place, branch, file)).await.map(drop)
    }

    async fn create_pull(&self, place: &Place, draft: &PullDraft) -> Result<IssueNumber, ForgeError> {
        self.read::<MadeNumber>(place, &filing::create_pull(place, draft)).await.map(|made| IssueNumber(made.number))
    }
}

fn get(name: &'static str, route: String, what: &str) -> Request {
    Request::new(name, Method::GET, route, what)
}

fn repository(place: &Place) -> String {
    format!("/repos/{}/{}", segment(&place.repository.owner), segment(&place.repository.name))
}

fn issue(place: &Place, number: IssueNumber) -> String {
    format!("{}/issues/{number}", repository(place))
}

fn comment(place: &Place, id: CommentId) -> String {
    format!("{}/issues/comments/{id}", repository(place))
}

fn contents(name: &'static str, place: &Place, file: &str, commit: &CommitSha) -> Request {
    let route = format!("{}/contents/{}?ref={}", repository(place), path(file), segment(commit.as_str()));
    get(name, route, &format!("{file} of {}", place.repository))
}

fn refused(request: &Request, message: &str) -> ForgeError {
    ForgeError::Refused { what: request.what.clone(), status: 200, message: message.to_owned() }
}

#[cfg(test)]
mod tests;
