//! Pull requests and check runs: their requests, and what the answers are in the domain's words.

use super::request::{Request, segment};
use super::{get, repository};
use crate::domain::effect::{CheckReport, CheckRun};
use crate::domain::ids::{AppId, CheckRunId, CommitSha, IssueNumber};
use crate::domain::run::{Pull, PullBase, PullSource};
use crate::domain::view::Conclusion;
use crate::ports::Place;
use chrono::{DateTime, Utc};
use http::Method;
use serde::Deserialize;
use serde_json::{Value, json};

pub(super) fn pull(place: &Place, number: IssueNumber) -> Request {
    get("pull", route(place, number), &format!("pull {}#{number}", place.repository))
}

pub(super) fn pull_files(place: &Place, number: IssueNumber) -> Request {
    let route = format!("{}/files?per_page=100", route(place, number));
    get("pull_files", route, &format!("files of pull {}#{number}", place.repository))
}

/// GitHub leaves only the newest of each App and name, so a page is enough.
pub(super) fn check_runs(place: &Place, commit: &CommitSha, name: &str) -> Request {
    let (commit, name) = (segment(commit.as_str()), segment(name));
    let route = format!("{}/commits/{commit}/check-runs?check_name={name}&per_page=100", repository(place));
    get("check_runs", route, &format!("check runs of {} at {commit}", place.repository))
}

pub(super) fn create_check_run(
    place: &Place,
    commit: &CommitSha,
    name: &str,
    external_id: &str,
    report: &CheckReport,
) -> Request {
    let mut body = said(report);
    body["name"] = json!(name);
    body["head_sha"] = json!(commit);
    body["external_id"] = json!(external_id);
    let what = format!("check run {name} of {} at {commit}", place.repository);
    let route = format!("{}/check-runs", repository(place));
    Request::new("create_check_run", Method::POST, route, &what).with(body).creating()
}

pub(super) fn update_check_run(place: &Place, id: CheckRunId, report: &CheckReport) -> Request {
    let what = format!("check run {id} of {}", place.repository);
    let route = format!("{}/check-runs/{id}", repository(place));
    Request::new("update_check_run", Method::PATCH, route, &what).with(said(report))
}

/// What a check run says. A conclusion alone makes it completed.
fn said(report: &CheckReport) -> Value {
    let annotations: Vec<Value> = report
        .annotations
        .iter()
        .map(|note| {
            json!({
                "path": note.path, "start_line": note.line, "end_line": note.line, "annotation_level": note.level,
                "title": note.title, "message": note.message,
            })
        })
        .collect();
    let output = json!({ "title": report.title, "summary": report.summary, "annotations": annotations });
    json!({ "status": "completed", "conclusion": report.conclusion, "output": output })
}

fn route(place: &Place, number: IssueNumber) -> String {
    format!("{}/pulls/{number}", repository(place))
}

/// `GET /repos/{owner}/{repo}/pulls/{number}`
#[derive(Deserialize)]
pub(super) struct PullAnswer {
    number: u64,
    state: String,
    head: HeadAnswer,
    base: BaseAnswer,
    #[serde(default)]
    labels: Vec<LabelAnswer>,
    updated_at: DateTime<Utc>,
}

#[derive(Deserialize)]
struct HeadAnswer {
    sha: String,
    /// None where the fork is deleted.
    repo: Option<RepoAnswer>,
}

#[derive(Deserialize)]
struct BaseAnswer {
    #[serde(rename = "ref")]
    branch: String,
    repo: RepoAnswer,
}

#[derive(Deserialize)]
struct RepoAnswer {
    id: u64,
    default_branch: Option<String>,
}

#[derive(Deserialize)]
struct LabelAnswer {
    name: String,
}

impl From<PullAnswer> for Pull {
    fn from(pull: PullAnswer) -> Self {
        let PullAnswer { number, state, head, base, labels, updated_at } = pull;
        let here = head.repo.is_some_and(|repo| repo.id == base.repo.id);
        let default = base.repo.default_branch.is_none_or(|default| default == base.branch);
        Self {
            number: IssueNumber(number),
            head: CommitSha(head.sha),
            base: if default { PullBase::Default(base.branch) } else { PullBase::Other(base.branch) },
            source: if here { PullSource::Repository } else { PullSource::Fork },
            labels: labels.into_iter().map(|label| label.name).collect(),
            open: state == "open",
            updated_at,
        }
    }
}

/// An entry of `GET /repos/{owner}/{repo}/pulls/{number}/files`.
#[derive(Deserialize)]
pub(super) struct FileAnswer {
    filename: String,
    previous_filename: Option<String>,
}

impl FileAnswer {
    /// Its path, and the one before a rename.
    pub(super) fn paths(self) -> impl Iterator<Item = String> {
        std::iter::once(self.filename).chain(self.previous_filename)
    }
}

/// `GET /repos/{owner}/{repo}/commits/{ref}/check-runs`
#[derive(Deserialize)]
pub(super) struct CheckRunsAnswer {
    check_runs: Vec<CheckRunAnswer>,
}

#[derive(Deserialize)]
struct CheckRunAnswer {
    id: u64,
    external_id: Option<String>,
    conclusion: Option<String>,
    app: Option<AppAnswer>,
    #[serde(default)]
    output: OutputAnswer,
}

#[derive(Deserialize)]
struct AppAnswer {
    id: u64,
}

#[derive(Default, Deserialize)]
struct OutputAnswer {
    title: Option<String>,
    summary: Option<String>,
    #[serde(default)]
    annotations_count: usize,
}

impl From<CheckRunsAnswer> for Vec<CheckRun> {
    fn from(answer: CheckRunsAnswer) -> Self {
        let known = |word: &str| {
            [Conclusion::Success, Conclusion::Neutral, Conclusion::Failure, Conclusion::ActionRequired]
                .into_iter()
                .find(|conclusion| conclusion.as_str() == word)
        };
        let run = |run: CheckRunAnswer| CheckRun {
            id: CheckRunId(run.id),
            app: run.app.map(|app| AppId(app.id)),
            external_id: run.external_id,
            conclusion: run.conclusion.as_deref().and_then(known),
            title: run.output.title.unwrap_or_default(),
            summary: run.output.summary.unwrap_or_default(),
            annotations: run.output.annotations_count,
        };
        answer.check_runs.into_iter().map(run).collect()
    }
}

/// A check run just made.
#[derive(Deserialize)]
pub(super) struct MadeAnswer {
    pub(super) id: u64,
}
