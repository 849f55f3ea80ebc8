//! The World's face towards the App: [`Forge`], with GitHub's refusals as the App's adapter would report them.

use super::World;
use super::acts::{Desk, Spot};
use super::faults::{Fate, Method, Moment};
use super::model::{Access, AppPermission, Condition, Conversation, StoredComment, StoredIssue, SubjectKind};
use super::payload;
use super::refusal::Refusal;
use super::state::{Actor, State, blob_hash};
use crate::domain::effect::{CheckReport, CheckRun, LabelSpec, PostedComment};
use crate::domain::ids::{
    CheckRunId, CommentId, CommitSha, InstallationId, IssueNumber, Login, NodeId, RepositoryId, RepositoryName,
};
use crate::domain::run::{AppIdentity, Comment, Issue, Permission, Pull};
use crate::ports::{Entry, File, Forge, ForgeError, Head, Place};
use async_trait::async_trait;

#[async_trait]
impl Forge for World {
    async fn app(&self) -> Result<AppIdentity, ForgeError> {
        self.call(Method::App, "GET app".to_owned(), |desk, _| Ok(desk.state.app.clone())).await
    }

    async fn installation(&self, repository: &RepositoryName) -> Result<InstallationId, ForgeError> {
        self.call(Method::Installation, format!("GET installation {repository}"), |desk, _| {
            desk.state.enter(&desk.actor, repository)?;
            Ok(desk.state.installation.id)
        })
        .await
    }

    async fn open_issues(&self, place: &Place) -> Result<Vec<Issue>, ForgeError> {
        self.call(Method::OpenIssues, format!("GET open issues {}", place.repository), |desk, _| {
            let id = enter(desk, place)?;
            let open = desk.repository(id)?.issues().filter(|issue| issue.condition == Condition::Open);
            let mut open: Vec<Issue> = open.map(|issue| shown(desk.state, id, issue)).collect();
            // The newest stands first.
            open.reverse();
            Ok(open)
        })
        .await
    }

    async fn issue(&self, place: &Place, number: IssueNumber) -> Result<Issue, ForgeError> {
        self.call(Method::Issue, format!("GET issue {}#{number}", place.repository), |desk, age| {
            let spot = enter_issue(desk, place, number)?;
            // A transferred issue answers under its old address; to the App that one is gone from here.
            if spot != (enter(desk, place)?, number) {
                return Err(Refusal::not_found());
            }
            seen(desk.state, spot, age).map(|issue| shown(desk.state, spot.0, issue)).ok_or_else(Refusal::not_found)
        })
        .await
    }

    async fn comments(&self, place: &Place, number: IssueNumber) -> Result<Vec<Comment>, ForgeError> {
        self.call(Method::Comments, format!("GET comments {}#{number}", place.repository), |desk, age| {
            let spot = enter_issue(desk, place, number)?;
            let issue = seen(desk.state, spot, age).ok_or_else(Refusal::not_found)?;
            Ok(comments_of(desk.state, spot.0, issue))
        })
        .await
    }

    async fn permission(&self, place: &Place, login: &Login) -> Result<Permission, ForgeError> {
        self.call(Method::Permission, format!("GET permission {} {login}", place.repository), |desk, _| {
            let id = enter(desk, place)?;
            Ok(match desk.state.access(login, id) {
                None | Some(Access::Read) => Permission::None,
                Some(Access::Triage) => Permission::Triage,
                Some(Access::Write | Access::Maintain | Access::Admin) => Permission::Write,
            })
        })
        .await
    }

    async fn head(&self, place: &Place) -> Result<Head, ForgeError> {
        self.call(Method::Head, format!("GET head {}", place.repository), |desk, _| {
            let id = enter_contents(desk, place)?;
            let newest = desk.repository(id)?.commits.last().ok_or_else(Refusal::not_found)?;
            Ok(Head { commit: newest.sha.clone() })
        })
        .await
    }

    async fn directory(&self, place: &Place, path: &str, commit: &CommitSha) -> Result<Vec<Entry>, ForgeError> {
        self.call(Method::Directory, format!("GET directory {}/{path}", place.repository), |desk, _| {
            let id = enter_contents(desk, place)?;
            let files = &desk.commit(id, commit)?.files;
            let prefix = if path.is_empty() { String::new() } else { format!("{}/", path.trim_end_matches('/')) };
            let below: Vec<_> = files.iter().filter(|(path, _)| path.starts_with(&prefix)).collect();
            if below.is_empty() {
                return Err(Refusal::not_found());
            }
            let direct = below.into_iter().filter(|(path, _)| !path[prefix.len()..].contains('/'));
            Ok(direct.map(|(path, bytes)| Entry { path: path.clone(), size: bytes.len() as u64 }).collect())
        })
        .await
    }

    async fn file(&self, place: &Place, path: &str, commit: &CommitSha) -> Result<File, ForgeError> {
        self.call(Method::File, format!("GET file {}/{path}", place.repository), |desk, _| {
            let id = enter_contents(desk, place)?;
            let bytes = desk.commit(id, commit)?.files.get(path).ok_or_else(Refusal::not_found)?;
            Ok(File { path: path.to_owned(), blob: blob_hash(bytes), bytes: bytes.clone() })
        })
        .await
    }

    async fn pull(&self, place: &Place, number: IssueNumber) -> Result<Pull, ForgeError> {
        self.call(Method::Pull, format!("GET pull {}#{number}", place.repository), |desk, _| {
            let spot = enter_pull(desk, place, number)?;
            desk.pull(spot)
        })
        .await
    }

    async fn pull_files(&self, place: &Place, number: IssueNumber) -> Result<Vec<String>, ForgeError> {
        self.call(Method::PullFiles, format!("GET files of pull {}#{number}", place.repository), |desk, _| {
            let spot = enter_pull(desk, place, number)?;
            desk.pull_files(spot)
        })
        .await
    }

    async fn check_runs(&self, place: &Place, commit: &CommitSha, name: &str) -> Result<Vec<CheckRun>, ForgeError> {
        self.call(Method::CheckRuns, format!("GET check runs {} {commit}", place.repository), |desk, _| {
            let id = enter(desk, place)?;
            desk.check_runs(id, commit, name)
        })
        .await
    }

    async fn create_comment(
        &self,
        place: &Place,
        number: IssueNumber,
        body: &str,
    ) -> Result<PostedComment, ForgeError> {
        self.call(Method::CreateComment, format!("POST comment {}#{number}", place.repository), |desk, _| {
            let spot = enter_issue(desk, place, number)?;
            let id = desk.comment(spot, body)?;
            let all = comments_of(desk.state, spot.0, desk.issue(spot)?);
            let made = all.into_iter().find(|comment| comment.id == id).ok_or_else(Refusal::not_found)?;
            Ok(PostedComment { id: made.id, node: made.node, url: made.url })
        })
        .await
    }

    async fn edit_comment(&self, place: &Place, id: CommentId, body: &str) -> Result<(), ForgeError> {
        self.call(Method::EditComment, format!("PATCH comment {} {id}", place.repository), |desk, _| {
            let repository = enter(desk, place)?;
            desk.edit_comment(repository, id, body)
        })
        .await
    }

    async fn delete_comment(&self, place: &Place, id: CommentId) -> Result<(), ForgeError> {
        self.call(Method::DeleteComment, format!("DELETE comment {} {id}", place.repository), |desk, _| {
            let repository = enter(desk, place)?;
            desk.delete_comment(repository, id)
        })
        .await
    }

    async fn create_label(&self, place: &Place, label: &LabelSpec) -> Result<(), ForgeError> {
        self.call(Method::CreateLabel, format!("POST label {} {}", place.repository, label.name), |desk, _| {
            let repository = enter(desk, place)?;
            desk.create_label(repository, &label.name, &label.colour, &label.description).map(|_| ())
        })
        .await
    }

    async fn add_label(&self, place: &Place, number: IssueNumber, name: &str) -> Result<(), ForgeError> {
        self.call(Method::AddLabel, format!("POST label {}#{number} {name}", place.repository), |desk, _| {
            let spot = enter_issue(desk, place, number)?;
            desk.add_label(spot, name)
        })
        .await
    }

    async fn remove_label(&self, place: &Place, number: IssueNumber, name: &str) -> Result<(), ForgeError> {
        self.call(Method::RemoveLabel, format!("DELETE label {}#{number} {name}", place.repository), |desk, _| {
            let spot = enter_issue(desk, place, number)?;
            desk.remove_label(spot, name)
        })
        .await
    }

    async fn acknowledge(&self, place: &Place, comment: CommentId) -> Result<(), ForgeError> {
        self.call(Method::Acknowledge, format!("POST reaction {} {comment}", place.repository), |desk, _| {
            let repository = enter(desk, place)?;
            desk.react(repository, comment, "eyes")
        })
        .await
    }

    async fn minimise(&self, place: &Place, node: &NodeId) -> Result<(), ForgeError> {
        self.call(Method::Minimise, format!("POST minimise {} {node}", place.repository), |desk, _| {
            let repository = enter(desk, place)?;
            desk.minimise(repository, node)
        })
        .await
    }

    async fn create_check_run(
        &self,
        place: &Place,
        commit: &CommitSha,
        name: &str,
        external_id: &str,
        report: &CheckReport,
    ) -> Result<CheckRunId, ForgeError> {
        self.call(Method::CreateCheckRun, format!("POST check run {} {commit}", place.repository), |desk, _| {
            let id = enter(desk, place)?;
            desk.create_check(id, commit, name, external_id, report)
        })
        .await
    }

    async fn update_check_run(&self, place: &Place, id: CheckRunId, report: &CheckReport) -> Result<(), ForgeError> {
        self.call(Method::UpdateCheckRun, format!("PATCH check run {} {id}", place.repository), |desk, _| {
            let repository = enter(desk, place)?;
            desk.update_check(repository, id, report)
        })
        .await
    }
}

/// Whether an answer shows the newest state.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Age {
    Fresh,
    Stale,
}

impl World {
    /// One call, through the switch-board.
    async fn call<T: Send>(
        &self,
        method: Method,
        what: String,
        act: impl FnOnce(&mut Desk<'_>, Age) -> Result<T, Refusal> + Send,
    ) -> Result<T, ForgeError> {
        if let Some(delay) = self.inner.faults.delay() {
            self.inner.clock.sleep_until(self.inner.clock.now() + delay).await;
        }
        let fate = self.inner.faults.decide(self.app, method, &what, self.inner.clock.now());
        let (moment, tell) = match fate {
            Fate::Failed(error) => return Err(error),
            Fate::Answered => return self.done(what, |desk| act(desk, Age::Fresh)),
            Fate::Stale => return self.done(what, |desk| act(desk, Age::Stale)),
            Fate::AnswerLost => {
                // A refusal is lost with the answer.
                let _ = self.done(what.clone(), |desk| act(desk, Age::Fresh));
                return Err(ForgeError::Unreachable { what, message: "502 Bad Gateway".to_owned() });
            }
            Fate::Stopped(moment, tell) => (moment, tell),
        };
        if moment == Moment::After {
            let _ = self.done(what, |desk| act(desk, Age::Fresh));
        }
        if let Some(tell) = tell {
            tell.send_replace(Some(method));
        }
        std::future::pending().await
    }

    fn done<T>(&self, what: String, act: impl FnOnce(&mut Desk<'_>) -> Result<T, Refusal>) -> Result<T, ForgeError> {
        self.at_desk(Actor::App, act).map_err(|refusal| refusal.into_error(what))
    }
}

/// The repository, through the installation that the call names.
fn enter(desk: &Desk<'_>, place: &Place) -> Result<RepositoryId, Refusal> {
    if place.installation != desk.state.installation.id {
        return Err(Refusal::not_found());
    }
    desk.state.enter(&desk.actor, &place.repository)
}

fn enter_issue(desk: &Desk<'_>, place: &Place, number: IssueNumber) -> Result<Spot, Refusal> {
    enter(desk, place)?;
    desk.state.locate(&desk.actor, &place.repository, number)
}

fn enter_pull(desk: &Desk<'_>, place: &Place, number: IssueNumber) -> Result<Spot, Refusal> {
    let spot = enter_issue(desk, place, number)?;
    let withheld = desk.state.installation.withheld.contains(&AppPermission::PullRequests);
    if withheld { Err(Refusal::not_accessible()) } else { Ok(spot) }
}

fn enter_contents(desk: &Desk<'_>, place: &Place) -> Result<RepositoryId, Refusal> {
    let id = enter(desk, place)?;
    let withheld = desk.state.installation.withheld.contains(&AppPermission::Contents);
    if withheld { Err(Refusal::not_accessible()) } else { Ok(id) }
}

fn seen(state: &State, spot: Spot, age: Age) -> Option<&StoredIssue> {
    match age {
        Age::Fresh => state.issue(spot),
        Age::Stale => state.earlier(spot),
    }
}

fn url_of(state: &State, id: RepositoryId, issue: &StoredIssue) -> String {
    let repository = state.repositories.get(&id);
    repository.map_or_else(String::new, |repository| payload::issue_url(state, repository, issue))
}

fn shown(state: &State, id: RepositoryId, issue: &StoredIssue) -> Issue {
    Issue {
        number: issue.number,
        title: issue.title.clone(),
        body: issue.body.clone(),
        url: url_of(state, id, issue),
        labels: issue.labels.clone(),
        author: issue.author.clone(),
        open: issue.condition == Condition::Open,
        is_pull_request: issue.kind == SubjectKind::PullRequest,
        locked: issue.conversation == Conversation::Locked,
        updated_at: issue.updated_at,
        parent: issue.parent,
    }
}

fn comments_of(state: &State, id: RepositoryId, issue: &StoredIssue) -> Vec<Comment> {
    let url = url_of(state, id, issue);
    let shown = |comment: &StoredComment| Comment {
        id: comment.id,
        node: comment.node.clone(),
        url: payload::comment_url(&url, comment),
        author: comment.author.clone(),
        app: comment.app,
        body: comment.body.clone(),
        updated_at: comment.updated_at,
    };
    issue.comments.iter().map(shown).collect()
}
