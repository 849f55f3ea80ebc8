//! The World's face towards the App: [`Forge`], with GitHub's refusals as the App's adapter would report them.

use super::World;
use super::faults::Method;
use super::model::{Access, Condition, SubjectKind};
use super::refusal::Refusal;
use super::shown::{comments_of, enter, enter_contents, enter_issue, enter_pull, seen, shown};
use super::state::blob_hash;
use crate::domain::effect::{
    CheckReport, CheckRun, CloseReason, FileChange, IssueDraft, LabelSpec, PostedComment, PullDraft,
};
use crate::domain::ids::{
    CheckRunId, CommentId, CommitSha, InstallationId, IssueId, IssueNumber, Login, NodeId, RepositoryId, RepositoryName,
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

    async fn own_comments(&self, place: &Place) -> Result<Vec<(IssueNumber, Comment)>, ForgeError> {
        self.call(Method::OwnComments, format!("GET own comments {}", place.repository), |desk, _| {
            let (id, app) = (enter(desk, place)?, desk.state.app.id);
            let all = desk.repository(id)?.issues();
            let of = |issue| comments_of(desk.state, id, issue).into_iter();
            let all = all.flat_map(|issue| of(issue).map(move |comment| (issue.number, comment)));
            let mut ours: Vec<_> = all.filter(|(_, comment)| comment.app == Some(app)).collect();
            ours.sort_by_key(|(_, comment)| comment.id);
            Ok(ours)
        })
        .await
    }

    async fn repository(&self, place: &Place) -> Result<RepositoryId, ForgeError> {
        self.call(Method::Repository, format!("GET repository {}", place.repository), |desk, _| enter(desk, place))
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

    async fn default_branch(&self, place: &Place) -> Result<String, ForgeError> {
        self.call(Method::DefaultBranch, format!("GET repository {}", place.repository), |desk, _| {
            let id = desk.state.enter(&desk.actor, &place.repository)?;
            Ok(desk.repository(id)?.default_branch.clone())
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

    async fn own_issues(&self, place: &Place) -> Result<Vec<Issue>, ForgeError> {
        self.call(Method::OwnIssues, format!("GET own issues {}", place.repository), |desk, _| {
            let (id, bot) = (enter(desk, place)?, desk.state.bot());
            let ours = desk.repository(id)?.issues().filter(|issue| issue.kind == SubjectKind::Issue);
            let ours = ours.filter(|issue| issue.author.as_ref().is_some_and(|author| author.same(bot.as_str())));
            Ok(ours.map(|issue| shown(desk.state, id, issue)).collect())
        })
        .await
    }

    async fn sub_issues(&self, place: &Place, parent: IssueNumber) -> Result<Vec<Issue>, ForgeError> {
        self.call(Method::SubIssues, format!("GET sub-issues {}#{parent}", place.repository), |desk, _| {
            let spot = enter_issue(desk, place, parent)?;
            let below = desk.issue(spot)?.sub_issues.iter().filter_map(|number| desk.state.issue((spot.0, *number)));
            Ok(below.map(|issue| shown(desk.state, spot.0, issue)).collect())
        })
        .await
    }

    async fn blocked_by(&self, place: &Place, number: IssueNumber) -> Result<Vec<IssueNumber>, ForgeError> {
        self.call(Method::BlockedBy, format!("GET blockers {}#{number}", place.repository), |desk, _| {
            let spot = enter_issue(desk, place, number)?;
            Ok(desk.issue(spot)?.blocked_by.clone())
        })
        .await
    }

    async fn pulls_from(&self, place: &Place, branch: &str) -> Result<Vec<IssueNumber>, ForgeError> {
        self.call(Method::PullsFrom, format!("GET pulls {} {branch}", place.repository), |desk, _| {
            let id = enter(desk, place)?;
            desk.pulls_from(id, branch)
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

    async fn create_issue(&self, place: &Place, draft: &IssueDraft) -> Result<Issue, ForgeError> {
        self.call(Method::CreateIssue, format!("POST issue {}", place.repository), |desk, _| {
            let id = enter(desk, place)?;
            let number = desk.file(&place.repository, draft)?;
            desk.issue((id, number)).map(|issue| shown(desk.state, id, issue))
        })
        .await
    }

    async fn edit_issue_body(&self, place: &Place, number: IssueNumber, body: &str) -> Result<(), ForgeError> {
        self.call(Method::EditIssueBody, format!("PATCH issue {}#{number}", place.repository), |desk, _| {
            let spot = enter_issue(desk, place, number)?;
            desk.edit(spot, None, Some(body))
        })
        .await
    }

    async fn close_issue(&self, place: &Place, number: IssueNumber, reason: CloseReason) -> Result<(), ForgeError> {
        self.call(Method::CloseIssue, format!("PATCH issue {}#{number}", place.repository), |desk, _| {
            let spot = enter_issue(desk, place, number)?;
            let condition = match reason {
                CloseReason::Completed => Condition::Completed,
                CloseReason::NotPlanned => Condition::NotPlanned,
                CloseReason::Duplicate => Condition::Duplicate,
            };
            desk.set_condition(spot, condition)
        })
        .await
    }

    async fn add_sub_issue(&self, place: &Place, parent: IssueNumber, child: IssueId) -> Result<(), ForgeError> {
        self.call(Method::AddSubIssue, format!("POST sub-issue {}#{parent}", place.repository), |desk, _| {
            let spot = enter_issue(desk, place, parent)?;
            desk.add_sub_issue(spot, child)
        })
        .await
    }

    async fn add_blocked_by(&self, place: &Place, number: IssueNumber, on: IssueId) -> Result<(), ForgeError> {
        self.call(Method::AddBlockedBy, format!("POST blocker {}#{number}", place.repository), |desk, _| {
            let spot = enter_issue(desk, place, number)?;
            desk.add_blocked_by(spot, on)
        })
        .await
    }

    async fn create_branch(&self, place: &Place, name: &str, at: &CommitSha) -> Result<(), ForgeError> {
        self.call(Method::CreateBranch, format!("POST branch {name} of {}", place.repository), |desk, _| {
            let id = enter(desk, place)?;
            desk.create_branch(id, name, at)
        })
        .await
    }

    async fn put_file(&self, place: &Place, branch: &str, file: &FileChange) -> Result<(), ForgeError> {
        self.call(Method::PutFile, format!("PUT {} of {}", file.path, place.repository), |desk, _| {
            let id = enter(desk, place)?;
            desk.put_file(id, branch, file)
        })
        .await
    }

    async fn create_pull(&self, place: &Place, draft: &PullDraft) -> Result<IssueNumber, ForgeError> {
        self.call(Method::CreatePull, format!("POST pull {}", place.repository), |desk, _| {
            enter(desk, place)?;
            desk.create_pull(&place.repository, draft)
        })
        .await
    }
}
