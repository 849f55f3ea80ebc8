//! A webhook's bytes become an [`Event`]: one pass, only the fields that are used, everything optional.
//!
//! GitHub, older GitHub servers and stand-ins leave fields out or send `null`; none of that is an error. What is left
//! unread is not kept (chapter 10).

use crate::domain::command::{CommentKind, command_line, wakes};
use crate::domain::event::{CONTRACT_CHECK, Cause, CauseKind, EVENTS, Event, Lane, PAUSE, UNASKED, Wake};
use crate::domain::ids::{AppId, InstallationId, IssueNumber, Login, RepositoryId, RepositoryName};
use crate::domain::run::AppIdentity;
use crate::render::codec;
use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;

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
        self.id.or(self.identity().map(|us| us.id)).is_some_and(|us| us.0 == id)
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
        ("pull_request", "opened" | "synchronize" | "reopened" | "ready_for_review") => due(payload, place),
        ("pull_request", "edited") if payload.changes.as_ref().is_some_and(|changes| changes.base.0) => {
            due(payload, place)
        }
        ("pull_request", "edited") => edited(payload, payload.pull_request.as_ref(), place),
        ("issue_comment", "created" | "edited") => commented(payload, place),
        ("check_run", "rerequested") => rerequested(payload, place),
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

/// A pull request came, moved, or goes elsewhere: its check run is due. A text that changed with its base is read all the
/// same, since nothing judges a pull request's text yet.
fn due(payload: &Payload<'_>, place: Place) -> Event {
    wake(payload, payload.pull_request.as_ref(), place, CauseKind::Check, Some(CONTRACT_CHECK.to_owned()))
}

/// A check run's button. GitHub names no pull request where the branch is a fork's; what the run is called always does.
fn rerequested(payload: &Payload<'_>, place: Place) -> Event {
    let run = payload.check_run.as_ref().filter(|run| run.name.as_deref() == Some(CONTRACT_CHECK));
    let Some(run) = run else { return Event::Ignored("check run") };
    let ours = run.external_id.as_deref().and_then(codec::read_external_id);
    let number = ours.map(|number| number.0).or_else(|| run.pull_requests.as_ref()?.first()?.number);
    let subject = Subject { number, updated_at: None };
    wake(payload, Some(&subject), place, CauseKind::Check, Some(CONTRACT_CHECK.to_owned()))
}

fn commented(payload: &Payload<'_>, place: Place) -> Event {
    let Some(comment) = &payload.comment else { return Event::Ignored("no comment") };
    let kind = wakes(comment.body.as_deref().unwrap_or_default());
    // Whoever mends a word beside a command did not give it: it stands as its author, perhaps somebody else, wrote it.
    let before = payload.changes.as_ref().and_then(|changes| changes.body.1.as_deref());
    match kind {
        CommentKind::Command(line) if before.and_then(command_line).as_ref() == Some(&line) => {
            Event::Ignored("unchanged")
        }
        CommentKind::Command(line) => wake(payload, payload.issue.as_ref(), place, CauseKind::Command, Some(line)),
        CommentKind::MaybeReport => wake(payload, payload.issue.as_ref(), place, CauseKind::Report, None),
        // Nobody takes answers yet.
        CommentKind::Answer | CommentKind::Nothing => Event::Ignored("comment"),
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
struct Place {
    installation: InstallationId,
    repository: RepositoryId,
    name: RepositoryName,
}

/// A text that is borrowed from the payload where it holds no escape.
#[derive(Deserialize)]
#[serde(transparent)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl std::ops::Deref for Text<'_> {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

#[derive(Deserialize)]
struct Payload<'a> {
    #[serde(borrow, default)]
    action: Option<Text<'a>>,
    #[serde(default)]
    installation: Option<Id>,
    #[serde(borrow, default)]
    repository: Option<Repository<'a>>,
    #[serde(borrow, default)]
    sender: Option<Account<'a>>,
    #[serde(borrow, default)]
    issue: Option<Subject<'a>>,
    #[serde(borrow, default)]
    pull_request: Option<Subject<'a>>,
    #[serde(borrow, default)]
    comment: Option<Comment<'a>>,
    #[serde(borrow, default)]
    label: Option<Label<'a>>,
    #[serde(borrow, default)]
    check_run: Option<CheckRun<'a>>,
    #[serde(default)]
    changes: Option<Changes>,
    #[serde(borrow, default, rename = "ref")]
    git_ref: Option<Text<'a>>,
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

#[derive(Deserialize)]
struct Id {
    #[serde(default)]
    id: Option<u64>,
}

#[derive(Deserialize)]
struct Repository<'a> {
    #[serde(default)]
    id: Option<u64>,
    #[serde(borrow, default)]
    full_name: Option<Text<'a>>,
    #[serde(borrow, default)]
    default_branch: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct Account<'a> {
    #[serde(borrow, default)]
    login: Option<Text<'a>>,
}

/// An issue or a pull request.
#[derive(Deserialize)]
struct Subject<'a> {
    #[serde(default)]
    number: Option<u64>,
    #[serde(borrow, default)]
    updated_at: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct CheckRun<'a> {
    #[serde(borrow, default)]
    name: Option<Text<'a>>,
    #[serde(borrow, default)]
    external_id: Option<Text<'a>>,
    #[serde(borrow, default)]
    pull_requests: Option<Vec<Subject<'a>>>,
}

#[derive(Deserialize)]
struct Comment<'a> {
    #[serde(default)]
    id: Option<u64>,
    #[serde(borrow, default)]
    body: Option<Text<'a>>,
    #[serde(borrow, default)]
    created_at: Option<Text<'a>>,
    #[serde(borrow, default)]
    updated_at: Option<Text<'a>>,
    #[serde(default)]
    performed_via_github_app: Option<Id>,
}

#[derive(Deserialize)]
struct Label<'a> {
    #[serde(borrow, default)]
    name: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct Changes {
    #[serde(default)]
    title: Changed,
    #[serde(default)]
    body: Changed,
    #[serde(default)]
    base: Changed,
}

/// A text, or anything else.
#[derive(Deserialize)]
#[serde(untagged)]
enum From {
    Text(String),
    Other(IgnoredAny),
}

/// GitHub says `{"from": …}`, a stand-in says `true`; `false` and `null` say no. With the text from before, if it is told.
#[derive(Default)]
struct Changed(bool, Option<String>);

impl<'de> Deserialize<'de> for Changed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Changed;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_bool<E>(self, changed: bool) -> Result<Changed, E> {
                Ok(Changed(changed, None))
            }
            fn visit_unit<E>(self) -> Result<Changed, E> {
                Ok(Changed(false, None))
            }
            fn visit_u64<E>(self, _: u64) -> Result<Changed, E> {
                Ok(Changed(true, None))
            }
            fn visit_i64<E>(self, _: i64) -> Result<Changed, E> {
                Ok(Changed(true, None))
            }
            fn visit_f64<E>(self, _: f64) -> Result<Changed, E> {
                Ok(Changed(true, None))
            }
            fn visit_str<E>(self, _: &str) -> Result<Changed, E> {
                Ok(Changed(true, None))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Changed, A::Error> {
                let mut from = None;
                while let Some(key) = map.next_key::<String>()? {
                    match map.next_value::<From>()? {
                        From::Text(text) if key == "from" => from = Some(text),
                        From::Text(_) | From::Other(_) => {}
                    }
                }
                Ok(Changed(true, from))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Changed, A::Error> {
                while items.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Changed(true, None))
            }
        }
        deserializer.deserialize_any(Any)
    }
}

#[cfg(test)]
mod tests;
