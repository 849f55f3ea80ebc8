//! `POST` of a webhook: bounded, verified over its raw bytes, made an event, durable, and only then answered 202.
//!
//! Nothing is parsed before the signature is good, and nothing else happens inside the request (chapter 8).

use super::intake::{Intake, Refused};
use super::payload::{self, Ourselves, Reading};
use crate::domain::event::{EVENTS, Event, UNASKED, Wake, Windows, slot};
use crate::domain::ids::{DeliveryId, RepositoryId};
use crate::ports::{Clock, Delivery, Taken, Work};
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use bytes::{Bytes, BytesMut};
use hmac::{Hmac, KeyInit, Mac};
use http_body_util::BodyExt;
use secrecy::{ExposeSecret, SecretString};
use sha2::Sha256;
use std::sync::Arc;
use std::time::Duration;

/// The largest body, in bytes: GitHub's own limit.
pub const LIMIT: usize = 25 * 1024 * 1024;

/// How long a body may take to come. GitHub itself waits 10 s for the answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// What the operator decides about the door.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where webhooks are posted, such as `/github/webhook`.
    pub path: String,
    /// Live secrets, two or more while they rotate. None: every delivery is answered 503.
    pub secrets: Vec<SecretString>,
    /// Waiting windows.
    pub windows: Windows,
}

/// Told that a default branch moved.
pub type OnPushed = Arc<dyn Fn(RepositoryId) + Send + Sync>;

/// The door. Cloning it is cheap.
#[derive(Clone)]
pub struct Door(Arc<Inner>);

struct Inner {
    path: String,
    keys: Vec<Hmac<Sha256>>,
    windows: Windows,
    us: Arc<Ourselves>,
    intake: Intake,
    clock: Arc<dyn Clock>,
    on_pushed: OnPushed,
}

impl Door {
    /// Puts the door together. Secrets that are empty do not count.
    #[must_use]
    pub fn new(
        settings: Settings,
        us: Arc<Ourselves>,
        intake: Intake,
        clock: Arc<dyn Clock>,
        on_pushed: OnPushed,
    ) -> Self {
        let keys = settings.secrets.iter().map(|secret| secret.expose_secret().as_bytes());
        // A key of any length is a good HMAC key, so nothing is lost here.
        let keys = keys.filter(|key| !key.is_empty()).filter_map(|key| Hmac::new_from_slice(key).ok()).collect();
        let Settings { path, windows, .. } = settings;
        Self(Arc::new(Inner { path, keys, windows, us, intake, clock, on_pushed }))
    }

    /// The one route.
    pub fn router(&self) -> Router {
        Router::new().route(&self.0.path, post(handle)).with_state(self.clone())
    }

    /// Answers one request.
    pub async fn answer(&self, headers: &HeaderMap, body: Body) -> Response {
        let event = known(headers.get("x-github-event"));
        let outcome = match self.admit(headers, body).await {
            Ok(outcome) => outcome,
            Err(refusal) => {
                tracing::warn!(
                    event,
                    delivery = text(headers, "x-github-delivery"),
                    reason = refusal.word(),
                    "refused a delivery"
                );
                refusal.into()
            }
        };
        metrics::counter!("sekisho_deliveries_total", "event" => event, "outcome" => outcome.word).increment(1);
        outcome.response
    }

    async fn admit(&self, headers: &HeaderMap, body: Body) -> Result<Outcome, Refusal> {
        let door = &self.0;
        if door.keys.is_empty() {
            return Err(Refusal::NoSecret);
        }
        let read = tokio::time::timeout(PATIENCE, read(headers, body));
        let bytes = read.await.map_err(|_| Refusal::Broken)??;
        if !self.is_signed(headers, &bytes) {
            return Err(Refusal::Unsigned);
        }
        if is_form(headers) {
            return Err(Refusal::Form);
        }
        let (Some(event), Some(delivery)) = (text(headers, "x-github-event"), text(headers, "x-github-delivery"))
        else {
            return Err(Refusal::NoHeader);
        };
        let Reading { name, event } = payload::event(event, &bytes, &door.us).map_err(|_| Refusal::NotJson)?;
        drop(bytes);
        let now = door.clock.now();
        let works = match event {
            Event::Wake(wake) => vec![self.work(wake, now)],
            Event::Wakes(wakes) => wakes.into_iter().map(|wake| self.work(wake, now)).collect(),
            Event::Unpaused(repository) => vec![Work::Unpause(repository)],
            Event::Pushed(repository) => {
                (door.on_pushed)(repository);
                return Ok(Outcome::accepted("pushed"));
            }
            Event::Ignored(reason) => {
                tracing::info!(event = %name, delivery, reason, "ignored a delivery");
                return Ok(Outcome::accepted(if reason == "echo" { "echo" } else { "ignored" }));
            }
        };
        let mut word = "ignored";
        for (index, work) in works.into_iter().enumerate() {
            // The second wake of a delivery is stored as a delivery of its own. Where it is not, all is answered as failed,
            // and a redelivery adds what is missing.
            let id = if index == 0 { delivery.to_owned() } else { format!("{delivery} {}", index + 1) };
            let delivery = Delivery { id: DeliveryId(id), event: name.clone(), received_at: now, work };
            let taken = match door.intake.take(delivery).await? {
                Taken::New => "new",
                Taken::Repeated => "repeated",
                Taken::Revived => "revived",
            };
            word = if index == 0 { taken } else { word };
        }
        Ok(Outcome::accepted(word))
    }

    fn work(&self, wake: Wake, now: chrono::DateTime<chrono::Utc>) -> Work {
        let slot = slot(&wake.cause, now, self.0.windows);
        Work::Wake { wake: Box::new(wake), slot }
    }

    /// Exactly one `X-Hub-Signature-256`, 64 hex digits, made with a live secret. Compared in constant time.
    fn is_signed(&self, headers: &HeaderMap, bytes: &[u8]) -> bool {
        let mut given = headers.get_all("x-hub-signature-256").iter();
        let (Some(given), None) = (given.next(), given.next()) else { return false };
        let Some(digits) = given.as_bytes().strip_prefix(b"sha256=") else { return false };
        let mut mac = [0; 32];
        if hex::decode_to_slice(digits, &mut mac).is_err() {
            return false;
        }
        self.0.keys.iter().any(|key| key.clone().chain_update(bytes).verify_slice(&mac).is_ok())
    }
}

/// Serves until `stop`, then lets requests that are under way finish.
///
/// Fastest on a runtime of one thread that runs the [`Writer`](super::intake::Writer), too: nothing that is at the
/// door then crosses threads on its way to the database's own.
///
/// # Errors
/// What the listener says.
pub async fn serve(
    listener: tokio::net::TcpListener,
    router: Router,
    stop: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    axum::serve(listener, router).with_graceful_shutdown(stop).await
}

async fn handle(State(door): State<Door>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    door.answer(&parts.headers, body).await
}

/// An answer, and the word under which it is counted.
struct Outcome {
    word: &'static str,
    response: Response,
}

impl Outcome {
    fn accepted(word: &'static str) -> Self {
        Self { word, response: StatusCode::ACCEPTED.into_response() }
    }
}

/// Why a delivery is not let in.
#[derive(Debug)]
enum Refusal {
    NoSecret,
    TooLarge,
    Broken,
    Unsigned,
    Form,
    NoHeader,
    NotJson,
    NotTaken(Refused),
}

impl Refusal {
    fn word(&self) -> &'static str {
        match self {
            Self::NoSecret => "no secret is configured",
            Self::TooLarge => "too large",
            Self::Broken => "broken off",
            Self::Unsigned => "no good signature",
            Self::Form => "form-encoded",
            Self::NoHeader => "no event or delivery header",
            Self::NotJson => "not JSON",
            Self::NotTaken(Refused::Full) => "too many are waiting",
            Self::NotTaken(Refused::Stopping) => "stopping",
            Self::NotTaken(Refused::Store(_)) => "the database is unavailable",
        }
    }
}

impl From<Refused> for Refusal {
    fn from(refused: Refused) -> Self {
        if let Refused::Store(error) = &refused {
            tracing::error!(%error, "a delivery was not stored");
        }
        Self::NotTaken(refused)
    }
}

impl From<Refusal> for Outcome {
    fn from(refusal: Refusal) -> Self {
        let (word, status) = match refusal {
            Refusal::NoSecret => ("no_secret", StatusCode::SERVICE_UNAVAILABLE),
            Refusal::TooLarge => ("too_large", StatusCode::PAYLOAD_TOO_LARGE),
            Refusal::Broken => ("broken", StatusCode::BAD_REQUEST),
            Refusal::Unsigned => ("unsigned", StatusCode::UNAUTHORIZED),
            Refusal::Form => ("form", StatusCode::UNSUPPORTED_MEDIA_TYPE),
            Refusal::NoHeader => ("no_header", StatusCode::BAD_REQUEST),
            Refusal::NotJson => ("not_json", StatusCode::BAD_REQUEST),
            Refusal::NotTaken(Refused::Full) => ("full", StatusCode::SERVICE_UNAVAILABLE),
            Refusal::NotTaken(Refused::Stopping) => ("stopping", StatusCode::SERVICE_UNAVAILABLE),
            Refusal::NotTaken(Refused::Store(_)) => ("store", StatusCode::SERVICE_UNAVAILABLE),
        };
        let mut response = (status, format!("{}\n", refusal.word())).into_response();
        if matches!(refusal, Refusal::NotTaken(_)) {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("5"));
        }
        Self { word, response }
    }
}

/// The whole body. Where it comes in one piece, which is usual, nothing is copied.
async fn read(headers: &HeaderMap, mut body: Body) -> Result<Bytes, Refusal> {
    let announced = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if announced.is_some_and(|length| length > LIMIT) {
        return Err(Refusal::TooLarge);
    }
    let mut whole = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(piece) = frame.map_err(|_| Refusal::Broken)?.into_data() else { continue };
        if whole.len() + piece.len() > LIMIT {
            return Err(Refusal::TooLarge);
        }
        if whole.is_empty() {
            if announced == Some(piece.len()) {
                return Ok(piece);
            }
            // A liar's length reserves no more than a usual payload.
            whole.reserve(announced.unwrap_or_default().min(64 * 1024).max(piece.len()));
        }
        whole.extend_from_slice(&piece);
    }
    Ok(whole.freeze())
}

fn is_form(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).map(|kind| kind.as_bytes().to_ascii_lowercase()).unwrap_or_default();
    kind.starts_with(b"application/x-www-form-urlencoded") || kind.starts_with(b"multipart/form-data")
}

/// A header that names something: 36 characters are usual, and no more than 200 are kept or logged.
fn text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let value = headers.get(name)?.to_str().ok()?.trim();
    (!value.is_empty() && value.len() <= 200).then_some(value)
}

/// The event's name as a label of metrics: of names that are not known there is no end.
fn known(event: Option<&HeaderValue>) -> &'static str {
    let Some(event) = event.and_then(|event| event.to_str().ok()) else { return "none" };
    EVENTS.into_iter().chain(UNASKED).find(|name| *name == event).unwrap_or("other")
}
