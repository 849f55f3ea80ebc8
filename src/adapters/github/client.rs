//! Sending: one octocrab under all installations, a token for each, and the only retry layer there is (chapter 8).
//!
//! Reads are repeated on a lost connection or a 5xx; writes never are, since only the ledger knows whether one happened.
//! A 401 fetches a new token once. Redirects keep their method. Limits are remembered, and nothing is sent before they end.

use super::answers::TokenAnswer;
use super::grants::Grants;
use super::quota::{self, Quota};
use super::refusal::refusal;
use super::request::{Content, Face, Request, TOKEN};
use super::{Settings, SetupError};
use crate::domain::ids::InstallationId;
use crate::ports::{Clock, ForgeError};
use bytes::Bytes;
use chrono::{DateTime, Duration, Utc};
use http::header::{ACCEPT, DATE, LINK, LOCATION, USER_AGENT};
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use http_body_util::{BodyExt, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use moka::future::Cache;
use octocrab::auth::AppAuth;
use octocrab::service::middleware::base_uri::BaseUriLayer;
use octocrab::service::middleware::extra_headers::ExtraHeadersLayer;
use octocrab::{AuthState, EncodingKey, OctoBody, Octocrab, OctocrabBuilder};
use secrecy::ExposeSecret;
use serde::de::DeserializeOwned;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration as Span;

/// How often a read is repeated.
const REPEATS: u32 = 3;
/// How long to wait before the first repeat; it doubles, and jitter of a half goes on or off.
const BACKOFF: Span = Span::from_millis(300);
/// A token is renewed when less than this is left of its hour.
const EARLY: Duration = Duration::minutes(10);
/// Redirects in a row that are followed.
const HOPS: usize = 3;
/// Pages of one list: 100 entries each, and GitHub stops at 2,500 comments.
const PAGES: usize = 50;
/// Bytes of one answer: a page of comments at GitHub's limit stays below.
const LARGEST: usize = 32 * 1024 * 1024;
/// Installations that are kept in mind.
const INSTALLATIONS: u64 = 10_000;

/// How long a connection may take to stand.
const CONNECT: Span = Span::from_secs(5);

type Http = hyper_util::client::legacy::Client<HttpsConnector<HttpConnector>, OctoBody>;

/// The way to one server.
pub(super) struct Client {
    /// Signs as the App.
    rest: Octocrab,
    /// The same server below the base address of GraphQL, where that is another.
    graphql: Octocrab,
    installations: Cache<InstallationId, Arc<Caller>>,
    app: Caller,
    pub(super) grants: Grants,
    /// How far the server's clock was ahead of ours when it last told.
    pub(super) ahead: Mutex<Option<Duration>>,
    clock: Arc<dyn Clock>,
    timeout: Span,
}

/// Who calls: an installation, or the App itself. Limits count per caller.
struct Caller {
    /// The installation's id or `app`, for the gauge.
    name: String,
    quota: Mutex<Quota>,
    /// Held while a token is fetched, so that ten lanes that start together fetch one.
    session: tokio::sync::Mutex<Option<Session>>,
}

/// A token's octocrabs: warm clones that share their connections with all others.
#[derive(Clone)]
struct Session {
    rest: Octocrab,
    graphql: Octocrab,
    renew_at: DateTime<Utc>,
    /// Which token this was: a 401 drops that one and no newer.
    serial: Arc<()>,
}

/// An answer with success.
pub(super) struct Answer {
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
    /// It came from another address than was asked: renamed or transferred.
    pub(super) redirected: bool,
}

impl Client {
    pub(super) fn new(settings: &Settings, clock: Arc<dyn Clock>) -> Result<Self, SetupError> {
        let bad = || SetupError::BadUrl(settings.api_url.clone());
        let base = settings.api_url.trim_end_matches('/');
        let uri: Uri = base.parse().map_err(|_| bad())?;
        if !matches!(uri.scheme_str(), Some("http" | "https")) || uri.host().is_none() || uri.query().is_some() {
            return Err(bad());
        }
        // On GHES the API is below /api/v3, and GraphQL is /api/graphql.
        let beside: Uri = base.strip_suffix("/v3").unwrap_or(base).parse().map_err(|_| bad())?;
        let key = EncodingKey::from_rsa_der(settings.key.pkcs1().expose_secret());
        let auth = AuthState::App(AppAuth { app_id: settings.app_id.0.into(), key });
        let http = connections()?;
        let rest = octocrab(&http, uri, auth.clone());
        let graphql = octocrab(&http, beside, auth);
        let installations = Cache::builder().max_capacity(INSTALLATIONS).build();
        Ok(Self {
            rest,
            graphql,
            installations,
            app: Caller::new("app".to_owned()),
            grants: Grants::default(),
            ahead: Mutex::default(),
            clock,
            timeout: settings.timeout,
        })
    }

    /// Sends as the App itself.
    pub(super) async fn as_app(&self, request: &Request) -> Result<Answer, ForgeError> {
        self.persist(&self.app, &self.rest, request).await
    }

    /// Sends as an installation. A 401 costs its token: a new one is fetched and the request sent once more.
    pub(super) async fn send(&self, id: InstallationId, request: &Request) -> Result<Answer, ForgeError> {
        let caller = self.installations.get_with(id, async { Arc::new(Caller::new(id.to_string())) }).await;
        // A limit of the installation holds for fetching its token too.
        self.admit(&caller, request, Content::Keeps)?;
        let session = self.session(&caller, id).await?;
        match self.persist(&caller, session.face(request.face), request).await {
            Err(ForgeError::Unauthorized { .. }) => {
                caller.forget(&session).await;
                let session = self.session(&caller, id).await?;
                let again = self.persist(&caller, session.face(request.face), request).await;
                if matches!(again, Err(ForgeError::Unauthorized { .. })) {
                    caller.forget(&session).await;
                }
                again
            }
            answer => answer,
        }
    }

    /// Every page of a list. Only path and query of the next address are taken: the token goes to no other host, and
    /// octocrab signs relative addresses only.
    pub(super) async fn pages<T: DeserializeOwned>(
        &self,
        id: InstallationId,
        mut request: Request,
    ) -> Result<Vec<T>, ForgeError> {
        let mut all = Vec::new();
        for _ in 0..PAGES {
            let (page, next) = self.page::<T>(id, &request).await?;
            all.extend(page);
            let Some(route) = next else { return Ok(all) };
            request.route = route;
        }
        Err(ForgeError::Refused { what: request.what, status: 200, message: format!("more than {PAGES} pages") })
    }

    /// One page of a list, and the route of the next one.
    pub(super) async fn page<T: DeserializeOwned>(
        &self,
        id: InstallationId,
        request: &Request,
    ) -> Result<(Vec<T>, Option<String>), ForgeError> {
        let answer = self.send(id, request).await?;
        Ok((parse(request, &answer)?, next(&answer.headers)))
    }

    /// When a limit would end that this answer told of.
    pub(super) fn until(&self, answer: &Answer) -> DateTime<Utc> {
        quota::until(&answer.headers, self.clock.now())
    }

    async fn session(&self, caller: &Caller, id: InstallationId) -> Result<Session, ForgeError> {
        let mut held = caller.session.lock().await;
        if let Some(session) = held.as_ref().filter(|session| self.clock.now() < session.renew_at) {
            return Ok(session.clone());
        }
        let what = format!("token of installation {id}");
        let route = format!("/app/installations/{id}/access_tokens");
        let request = Request::new(TOKEN, Method::POST, route, &what);
        let token: TokenAnswer = parse(&request, &self.persist(&self.app, &self.rest, &request).await?)?;
        if let Some(granted) = &token.permissions {
            self.grants.note(id, granted);
        }
        let now = self.clock.now();
        // A clock that is an hour ahead must not make every call fetch a token.
        let renew_at = (token.expires_at - EARLY).max(now + Duration::minutes(1));
        let warm =
            |crab: &Octocrab| crab.user_access_token(token.token.clone()).map_err(|error| lost(&request, &error));
        let session =
            Session { rest: warm(&self.rest)?, graphql: warm(&self.graphql)?, renew_at, serial: Arc::default() };
        *held = Some(session.clone());
        Ok(session)
    }

    /// Repeats a read that the network or the server lost.
    async fn persist(&self, caller: &Caller, crab: &Octocrab, request: &Request) -> Result<Answer, ForgeError> {
        let began = self.clock.now();
        let patience = Duration::from_std(self.timeout).unwrap_or(Duration::MAX);
        for repeat in 0.. {
            let answer = self.once(caller, crab, request).await;
            let lost = matches!(answer, Err(ForgeError::Unreachable { .. }));
            if !lost || !request.may_repeat() || repeat == REPEATS || self.clock.now() - began >= patience {
                return answer;
            }
            self.clock.sleep_until(self.clock.now() + backoff(repeat)).await;
        }
        unreachable!("the loop returns at the last repeat")
    }

    /// One request, with everything that is noted about it. The timeout covers redirects and the whole body.
    async fn once(&self, caller: &Caller, crab: &Octocrab, request: &Request) -> Result<Answer, ForgeError> {
        self.admit(caller, request, request.content)?;
        let answer = match tokio::time::timeout(self.timeout, exchange(crab, request)).await {
            Ok(answer) => answer,
            Err(_) => Err(ForgeError::Unreachable {
                what: request.what.clone(),
                message: format!("no answer within {:?}", self.timeout),
            }),
        };
        let answer = answer.and_then(|(status, answer)| {
            caller.note(&answer.headers);
            self.note_time(&answer.headers);
            if status.is_success() {
                return Ok(answer);
            }
            Err(refusal(&request.what, status, &answer.headers, &answer.body, self.clock.now()))
        });
        if let Err(ForgeError::RateLimited { until, .. }) = &answer {
            caller.quota().block(*until);
        }
        let outcome = answer.as_ref().map_or_else(outcome, |_| "ok");
        metrics::counter!("sekisho_forge_calls_total", "method" => request.name, "outcome" => outcome).increment(1);
        tracing::debug!(request = request.what, outcome, "called the forge");
        answer
    }

    /// Refusals carry the time as well, and a clock that is off is the reason of some.
    fn note_time(&self, headers: &HeaderMap) {
        let date = headers.get(DATE).and_then(|date| DateTime::parse_from_rfc2822(date.to_str().ok()?).ok());
        if let Some(date) = date {
            let ahead = date.to_utc() - self.clock.now();
            *self.ahead.lock().unwrap_or_else(PoisonError::into_inner) = Some(ahead);
        }
    }

    fn admit(&self, caller: &Caller, request: &Request, content: Content) -> Result<(), ForgeError> {
        caller.quota().admit(content, self.clock.now()).map_err(|until| {
            metrics::counter!("sekisho_forge_calls_total", "method" => request.name, "outcome" => "held").increment(1);
            ForgeError::RateLimited { what: request.what.clone(), until }
        })
    }
}

impl Session {
    fn face(&self, face: Face) -> &Octocrab {
        match face {
            Face::Rest => &self.rest,
            Face::Graphql => &self.graphql,
        }
    }
}

impl Caller {
    fn new(name: String) -> Self {
        Self { name, quota: Mutex::default(), session: tokio::sync::Mutex::default() }
    }

    fn quota(&self) -> std::sync::MutexGuard<'_, Quota> {
        self.quota.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, headers: &HeaderMap) {
        if let Some(remaining) = self.quota().note(headers).and_then(|window| u32::try_from(window.remaining).ok()) {
            metrics::gauge!("sekisho_forge_quota_left", "caller" => self.name.clone()).set(f64::from(remaining));
        }
    }

    /// Drops that session, unless another took its place meanwhile.
    async fn forget(&self, session: &Session) {
        self.session.lock().await.take_if(|held| Arc::ptr_eq(&held.serial, &session.serial));
    }
}

/// Reads an answer. One that cannot be read came with success all the same: a write has happened.
pub(super) fn parse<T: DeserializeOwned>(request: &Request, answer: &Answer) -> Result<T, ForgeError> {
    serde_json::from_slice(&answer.body).map_err(|error| ForgeError::Unreachable {
        what: request.what.clone(),
        message: format!("the answer is not understood: {error}"),
    })
}

/// The connections below every octocrab: HTTP/1 with the system's certificates.
fn connections() -> Result<Http, SetupError> {
    let mut tcp = HttpConnector::new();
    tcp.set_connect_timeout(Some(CONNECT));
    tcp.set_nodelay(true);
    tcp.enforce_http(false);
    let tls = HttpsConnectorBuilder::new().with_native_roots().map_err(|error| SetupError::Client(root(&error)))?;
    let connector = tls.https_or_http().enable_http1().wrap_connector(tcp);
    Ok(hyper_util::client::legacy::Client::builder(TokioExecutor::new()).build(connector))
}

/// An octocrab that signs as the App. Nothing below it repeats, follows or logs: no retry layer (`RetryConfig`), no
/// redirect layer and no trace layer is in the stack.
fn octocrab(http: &Http, base: Uri, auth: AuthState) -> Octocrab {
    let agent = HeaderValue::from_static(concat!("sekisho/", env!("CARGO_PKG_VERSION")));
    let built = OctocrabBuilder::new_empty()
        .with_service(http.clone())
        .with_layer(&BaseUriLayer::new(base))
        .with_layer(&ExtraHeadersLayer::new(Arc::new(vec![(USER_AGENT, agent)])))
        .with_auth(auth)
        .build();
    match built {
        Ok(octocrab) => octocrab,
        Err(never) => match never {},
    }
}

/// Sends and follows redirects of this server, the method kept: a POST that became a GET would look like a success.
async fn exchange(crab: &Octocrab, request: &Request) -> Result<(StatusCode, Answer), ForgeError> {
    let mut route = request.route.clone();
    let mut redirected = false;
    for _ in 0..=HOPS {
        let builder =
            http::Request::builder().method(request.method.clone()).uri(&route).header(ACCEPT, request.accept);
        let wire = crab.build_request(builder, request.body.as_ref()).map_err(|error| lost(request, &error))?;
        let response = crab.execute(wire).await.map_err(|error| lost(request, &error))?;
        let (parts, body) = response.into_parts();
        if let Some(next) = redirect(parts.status, &parts.headers) {
            (route, redirected) = (next, true);
            continue;
        }
        let body = Limited::new(body, LARGEST).collect().await.map_err(|error| lost(request, &*error))?.to_bytes();
        return Ok((parts.status, Answer { headers: parts.headers, body, redirected }));
    }
    Err(ForgeError::Unreachable { what: request.what.clone(), message: format!("more than {HOPS} redirects") })
}

/// Where a redirect leads on this server: the path alone is taken, so the token stays with it.
fn redirect(status: StatusCode, headers: &HeaderMap) -> Option<String> {
    matches!(status.as_u16(), 301 | 302 | 307 | 308).then_some(())?;
    relative(headers.get(LOCATION)?.to_str().ok()?)
}

/// The next page: `<https://api.github.com/…?page=2>; rel="next"`.
pub(super) fn next(headers: &HeaderMap) -> Option<String> {
    let links = headers.get(LINK)?.to_str().ok()?;
    links.split(',').find_map(|link| {
        let (address, parameters) = link.split_once(';')?;
        let is_next = parameters.split(';').any(|p| matches!(p.trim(), r#"rel="next""# | "rel=next"));
        is_next.then(|| relative(address.trim().strip_prefix('<')?.strip_suffix('>')?)).flatten()
    })
}

fn relative(address: &str) -> Option<String> {
    let address: Uri = address.parse().ok()?;
    address.path_and_query().map(|path| path.as_str().to_owned())
}

fn lost(request: &Request, error: &(dyn std::error::Error + 'static)) -> ForgeError {
    ForgeError::Unreachable { what: request.what.clone(), message: root(error) }
}

/// The innermost cause: the outer ones repeat it or say nothing ("client error").
fn root(error: &(dyn std::error::Error + 'static)) -> String {
    let mut cause = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    cause.to_string()
}

fn outcome(error: &ForgeError) -> &'static str {
    match error {
        ForgeError::NotFound { .. } => "not_found",
        ForgeError::NotOffered { .. } => "not_offered",
        ForgeError::Forbidden { .. } => "forbidden",
        ForgeError::Unauthorized { .. } => "unauthorized",
        ForgeError::Refused { .. } => "refused",
        ForgeError::RateLimited { .. } => "rate_limited",
        ForgeError::Unreachable { .. } => "unreachable",
    }
}

fn backoff(repeat: u32) -> Duration {
    // Every RandomState has keys of its own: enough chance to spread repeats, without a crate for it.
    let half = u32::try_from(RandomState::new().hash_one(repeat) % 1000).unwrap_or_default();
    let wait = BACKOFF * 2_u32.pow(repeat) * (500 + half) / 1000;
    Duration::from_std(wait).unwrap_or(Duration::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_wait_longer_each_time_and_not_all_the_same() {
        for (repeat, base) in [(0, 300), (1, 600), (2, 1200)] {
            let waits: Vec<i64> = (0..200).map(|_| backoff(repeat).num_milliseconds()).collect();
            let (least, most) = (*waits.iter().min().unwrap(), *waits.iter().max().unwrap());
            assert!(least >= base / 2 && most < base * 3 / 2, "{repeat}: {least} to {most}");
            assert!(most - least > base / 4, "{repeat}: {least} to {most}");
        }
    }
}
