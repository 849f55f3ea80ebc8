//! A webhook's bytes become an [`Event`]: one pass, only the fields that are used, everything optional.
//!
//! GitHub, older GitHub servers and stand-ins leave fields out or send `null`; none of that is an error. What is left
//! unread is not kept (chapter 10).

use self::shape::{Payload, Repository, Subject};
use crate::domain::command::{CommentKind, answers, command_line, has_heading, wakes};
use crate::domain::event::{ANSWER, CONTRACT_CHECK, Cause, CauseKind, EVENTS, Event, Lane, PAUSE, UNASKED, Wake};
use crate::domain::ids::{AppId, GateId, InstallationId, IssueNumber, Login, RepositoryId, RepositoryName};
use crate::domain::run::AppIdentity;
use crate::render::codec;
use chrono::{DateTime, Utc};
use serde::de::IgnoredAny;
use std::sync::OnceLock;

mod shape;

/// Pull requests of a check suite that are woken.
const MOST_PULLS: usize = 10;

/// What was made of a payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The event and its action, such as `issues.labeled`.
    pub name: String,
    /// What it means.
    pub event: Event,
}

/// The bytes are no JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the payload is not JSON")]
pub struct NotJson;

/// Who the App is, as far as it is known: the id comes from the configuration, the rest once GitHub was reached.
#[derive(Debug, Default)]
pub struct Ourselves {
    id: Option<AppId>,
    identity: OnceLock<AppIdentity>,
}

impl Ourselves {
    /// With the configured id.
    #[must_use]
    pub fn new(id: Option<AppId>) -> Self {
        Self { id, identity: OnceLock::new() }
    }

    /// Notes what `GET /app` said; the first word stays.
    pub fn know(&self, identity: AppIdentity) {
        self.identity.get_or_init(|| identity);
    }

    /// What `GET /app` said, if it was asked.
    #[must_use]
    pub fn identity(&self) -> Option<&AppIdentity> {
        self.identity.get()
    }

    fn is(&self, login: &str) -> bool {
        self.identity().is_some_and(|us| us.is(&Login::new(login)))
    }

    fn is_app(&self, id: u64) -> bool {
        self.app_id() == Some(id)
    }

    fn app_id(&self) -> Option<u64> {
        self.id.or(self.identity().map(|us| us.id)).map(|id| id.0)
    }
}

/// Reads the payload of the event that `X-GitHub-Event` names.
///
/// # Errors
/// [`NotJson`]. JSON of another shape is no error: it is ignored, and counted as such.
pub fn event(name: &str, bytes: &[u8], us: &Ourselves) -> Result<Reading, NotJson> {
    let Ok(payload) = serde_json::from_slice::<Payload<'_>>(bytes) else {
        // JSON of another shape is no error; an array with a tail is one too, though its reader calls that syntax.
        serde_json::from_slice::<IgnoredAny>(bytes).map_err(|_| NotJson)?;
        return Ok(Reading { name: name.to_owned(), event: Event::Ignored("shape") });
    };
    let action = payload.action.as_deref();
    let full = action.map_or_else(|| name.to_owned(), |action| format!("{name}.{action}"));
    Ok(Reading { name: full, event: meaning(name, action.unwrap_or_default(), &payload, us) })
}

fn meaning(name: &str, action: &str, payload: &Payload<'_>, us: &Ourselves) -> Event {
    if UNASKED.contains(&name) {
        return Event::Ignored("unasked");
    }
    if !EVENTS.contains(&name) {
        return Event::Ignored("unknown event");
    }
    let Some(place) = payload.place() else { return Event::Ignored("no installation or repository") };
    if payload.is_echo(us) {
        return Event::Ignored("echo");
    }
    match (name, action) {
        ("push", _) => pushed(payload, &place),
        ("issues", "labeled") => labeled(payload, payload.issue.as_ref(), place),
        ("pull_request", "labeled") => labeled(payload, payload.pull_request.as_ref(), place),
        ("issues" | "pull_request", "unlabeled") => unlabeled(payload, &place),
        ("issues", "edited") => edited(payload, payload.issue.as_ref(), place),
        // The issue still stands, so its own run finds the parent.
        ("issues", "closed" | "reopened") => child(payload, payload.issue.as_ref(), place, action),
        ("issues", "deleted" | "transferred") => departed(payload, place, action),
        ("sub_issues", _) => family(payload, place, action),
        ("issue_dependencies", _) => depending(payload, place, action),
        ("pull_request", "opened" | "synchronize" | "reopened" | "ready_for_review") => due(payload, place),
        ("pull_request", "edited") if payload.changes.as_ref().is_some_and(|changes| changes.base.0) => {
            due(payload, place)
        }
        ("pull_request", "edited") => {
            let report = reported(payload, &place);
            both(edited(payload, payload.pull_request.as_ref(), place), report)
        }
        ("issue_comment", "created" | "edited") => commented(payload, place),
        ("check_run", "rerequested") => rerequested(payload, place),
        ("check_suite", "rerequested") => suite(payload, &place, us),
        _ => Event::Ignored("action"),
    }
}

fn pushed(payload: &Payload<'_>, place: &Place) -> Event {
    let branch = payload.git_ref.as_deref().and_then(|name| name.strip_prefix("refs/heads/"));
    let default = payload.repository.as_ref().and_then(|repository| repository.default_branch.as_deref());
    if branch.is_some() && branch == default { Event::Pushed(place.repository) } else { Event::Ignored("branch") }
}

fn labeled(payload: &Payload<'_>, subject: Option<&Subject<'_>>, place: Place) -> Event {
    match payload.label.as_ref().and_then(|label| label.name.as_deref()) {
        Some(label) => wake(payload, subject, place, CauseKind::Label, Some(label.to_owned())),
        None => Event::Ignored("no label"),
    }
}

fn unlabeled(payload: &Payload<'_>, place: &Place) -> Event {
    let name = payload.label.as_ref().and_then(|label| label.name.as_deref());
    if name.is_some_and(|name| name.eq_ignore_ascii_case(PAUSE)) {
        Event::Unpaused(place.repository)
    } else {
        Event::Ignored("action")
    }
}

/// Without `changes` nothing says that the text stayed as it was, and a wake too many finds nothing to do.
fn edited(payload: &Payload<'_>, subject: Option<&Subject<'_>>, place: Place) -> Event {
    match &payload.changes {
        Some(changes) if !changes.title.0 && !changes.body.0 => Event::Ignored("unchanged"),
        _ => wake(payload, subject, place, CauseKind::Edit, None),
    }
}

/// A pull request came, moved, or goes elsewhere: its check run is due. So is its text, where that may be a report: a new
/// head has no check run of the gate yet.
fn due(payload: &Payload<'_>, place: Place) -> Event {
    let report = reported(payload, &place);
    let check = Some(CONTRACT_CHECK.to_owned());
    both(wake(payload, payload.pull_request.as_ref(), place, CauseKind::Check, check), report)
}

/// The wake of a pull request whose text has a heading.
fn reported(payload: &Payload<'_>, place: &Place) -> Event {
    let pull = payload.pull_request.as_ref();
    if pull.and_then(|pull| pull.body.as_deref()).is_some_and(has_heading) {
        wake(payload, pull, place.clone(), CauseKind::Report, None)
    } else {
        Event::Ignored("no heading")
    }
}

/// The first, and the second where it wakes too.
fn both(first: Event, second: Event) -> Event {
    match (first, second) {
        (Event::Wake(first), Event::Wake(second)) => Event::Wakes(vec![first, second]),
        (Event::Wake(only), _) | (_, Event::Wake(only)) => Event::Wake(only),
        (first, _) => first,
    }
}

/// Something happened to a child, or to what it waits for.
fn child(payload: &Payload<'_>, subject: Option<&Subject<'_>>, place: Place, action: &str) -> Event {
    wake(payload, subject, place, CauseKind::Child, Some(action.to_owned()))
}

/// The issue is gone from here, so only its parent's lane can notice.
fn departed(payload: &Payload<'_>, place: Place, action: &str) -> Event {
    let url = payload.issue.as_ref().and_then(|issue| issue.parent_issue_url.as_deref());
    let parent = url.and_then(|url| url.split_once("/repos/")?.1.rsplit_once("/issues/"));
    let here = parent.filter(|(name, _)| name.eq_ignore_ascii_case(&place.name.to_string()));
    let Some(number) = here.and_then(|(_, number)| number.parse().ok()) else { return Event::Ignored("no parent") };
    child(payload, Some(&Subject { number: Some(number), ..Subject::default() }), place, action)
}

/// Both sides are told of; each wakes the parent.
fn family(payload: &Payload<'_>, place: Place, action: &str) -> Event {
    if elsewhere(payload.parent_issue_repo.as_ref(), &place) {
        return Event::Ignored("another repository");
    }
    child(payload, payload.parent_issue.as_ref(), place, action)
}

/// Both sides are told of; each wakes the issue that waits.
fn depending(payload: &Payload<'_>, place: Place, action: &str) -> Event {
    if elsewhere(payload.blocked_issue_repo.as_ref(), &place) {
        return Event::Ignored("another repository");
    }
    child(payload, payload.blocked_issue.as_ref(), place, action)
}

fn elsewhere(repository: Option<&Repository<'_>>, place: &Place) -> bool {
    repository.and_then(|repository| repository.id).is_some_and(|id| id != place.repository.0)
}

/// A check run's button. GitHub names no pull request where the branch is a fork's; what the run is called always does.
fn rerequested(payload: &Payload<'_>, place: Place) -> Event {
    let run = payload.check_run.as_ref();
    let Some((run, name)) = run.and_then(|run| Some((run, run.name.as_deref().filter(|name| is_ours(name))?))) else {
        return Event::Ignored("check run");
    };
    let ours = run.external_id.as_deref().and_then(codec::read_external_id);
    let number = ours.map(|number| number.0).or_else(|| run.pull_requests.as_ref()?.first()?.number);
    let subject = Subject { number, ..Subject::default() };
    wake(payload, Some(&subject), place, CauseKind::Check, Some(name.to_owned()))
}

/// `sekisho/contract` or `sekisho/<gate>`.
fn is_ours(name: &str) -> bool {
    name == CONTRACT_CHECK
        || name.strip_prefix("sekisho/").is_some_and(|id| GateId::ALL.iter().any(|gate| gate.as_str() == id))
}

/// All checks again: those that a pull request of ours can have. GitHub says this to the suite's own App.
fn suite(payload: &Payload<'_>, place: &Place, us: &Ourselves) -> Event {
    let Some(suite) = &payload.check_suite else { return Event::Ignored("check suite") };
    if suite.app.as_ref().and_then(|app| app.id).is_some_and(|id| us.app_id().is_some_and(|ours| ours != id)) {
        return Event::Ignored("check suite");
    }
    let mut woken = Vec::new();
    for pull in suite.pull_requests.iter().flatten().take(MOST_PULLS) {
        for name in [CONTRACT_CHECK.to_owned(), format!("sekisho/{}", GateId::Outcome)] {
            if let Event::Wake(wake) = wake(payload, Some(pull), place.clone(), CauseKind::Check, Some(name)) {
                woken.push(wake);
            }
        }
    }
    if woken.is_empty() { Event::Ignored("no number") } else { Event::Wakes(woken) }
}

fn commented(payload: &Payload<'_>, place: Place) -> Event {
    let Some(comment) = &payload.comment else { return Event::Ignored("no comment") };
    let body = comment.body.as_deref().unwrap_or_default();
    let report = |place, trigger| wake(payload, payload.issue.as_ref(), place, CauseKind::Report, trigger);
    // Whoever mends a word beside a command did not give it: it stands as its author, perhaps somebody else, wrote it.
    let before = payload.changes.as_ref().and_then(|changes| changes.body.1.as_deref());
    match wakes(body) {
        CommentKind::Command(line) if before.and_then(command_line).as_ref() == Some(&line) => {
            Event::Ignored("unchanged")
        }
        CommentKind::Command(line) => wake(payload, payload.issue.as_ref(), place, CauseKind::Command, Some(line)),
        CommentKind::MaybeReport if answers(body).is_empty() => report(place, None),
        CommentKind::MaybeReport => both(report(place.clone(), None), report(place, Some(ANSWER.to_owned()))),
        CommentKind::Answer => report(place, Some(ANSWER.to_owned())),
        CommentKind::Nothing => Event::Ignored("comment"),
    }
}

fn wake(
    payload: &Payload<'_>,
    subject: Option<&Subject<'_>>,
    place: Place,
    kind: CauseKind,
    trigger: Option<String>,
) -> Event {
    let Some(number) = subject.and_then(|subject| fits(subject.number)) else {
        return Event::Ignored("no number");
    };
    let comment = payload.comment.as_ref();
    let at = match comment {
        Some(comment) => comment.updated_at.as_deref().or(comment.created_at.as_deref()),
        None => subject.and_then(|subject| subject.updated_at.as_deref()),
    };
    Event::Wake(Wake {
        lane: Lane { installation: place.installation, repository: place.repository, number: IssueNumber(number) },
        repository: place.name,
        cause: Cause {
            kind,
            trigger,
            actor: payload.sender.as_ref().and_then(|sender| sender.login.as_deref()).map(Login::new),
            source: comment.and_then(|comment| comment.id),
            at: moment(at),
            pull: None,
        },
    })
}

/// GitHub's own time. One that is missing is the beginning of time, than which nothing that the API shows is older.
fn moment(text: Option<&str>) -> DateTime<Utc> {
    text.and_then(|text| DateTime::parse_from_rfc3339(text).ok())
        .map_or(DateTime::UNIX_EPOCH, |time| time.with_timezone(&Utc))
}

/// A database holds signed numbers; GitHub's ids are far below.
fn fits(id: Option<u64>) -> Option<u64> {
    id.filter(|id| i64::try_from(*id).is_ok())
}

/// Where it happened.
#[derive(Clone)]
struct Place {
    installation: InstallationId,
    repository: RepositoryId,
    name: RepositoryName,
}

impl Payload<'_> {
    fn place(&self) -> Option<Place> {
        let repository = self.repository.as_ref()?;
        Some(Place {
            installation: InstallationId(fits(self.installation.as_ref()?.id)?),
            repository: RepositoryId(fits(repository.id)?),
            name: repository.full_name.as_deref()?.parse().ok()?,
        })
    }

    fn is_echo(&self, us: &Ourselves) -> bool {
        let sender = self.sender.as_ref().and_then(|sender| sender.login.as_deref());
        let app = self.comment.as_ref().and_then(|comment| comment.performed_via_github_app.as_ref()?.id);
        sender.is_some_and(|login| us.is(login)) || app.is_some_and(|id| us.is_app(id))
    }
}

#[cfg(test)]
mod tests;
