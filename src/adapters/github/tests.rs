//! The wire: what is sent and what is made of the answers, over real HTTP against a server that plays a script.

use super::*;
use crate::domain::ids::{InstallationId, RepositoryName};
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use secrecy::SecretString;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::Mutex;

/// Answers requests one after the other, whatever they are, and keeps them. Tokens are answered apart, from one hour.
struct Server {
    script: Mutex<VecDeque<Reply>>,
    seen: Mutex<Vec<Seen>>,
    tokens: Mutex<Tokens>,
    url: Mutex<String>,
}

#[derive(Default)]
struct Tokens {
    given: u32,
    refusal: Option<(u16, Value)>,
}

struct Reply {
    status: u16,
    headers: Vec<(String, String)>,
    body: String,
    delay: Duration,
}

#[derive(Clone, Debug)]
struct Seen {
    line: String,
    headers: HeaderMap,
    body: Value,
}

impl Seen {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

fn reply(status: u16, body: Value) -> Reply {
    Reply { status, headers: Vec::new(), body: body.to_string(), delay: Duration::ZERO }
}

impl Reply {
    fn header(mut self, name: &str, value: impl ToString) -> Self {
        self.headers.push((name.to_owned(), value.to_string()));
        self
    }
}

async fn play(State(server): State<Arc<Server>>, method: Method, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let line = format!("{method} {uri}");
    let token = uri.path().ends_with("/access_tokens");
    server.seen.lock().unwrap().push(Seen { line, headers, body: serde_json::from_slice(&body).unwrap_or_default() });
    let reply = if token {
        // Slow enough that callers who start together overlap.
        tokio::time::sleep(Duration::from_millis(20)).await;
        let mut tokens = server.tokens.lock().unwrap();
        tokens.given += 1;
        match &tokens.refusal {
            Some((status, body)) => reply(*status, body.clone()),
            None => reply(201, json!({"token": format!("ghs_{}", tokens.given), "expires_at": start() + chrono::Duration::hours(1)})),
        }
    } else {
        let next = server.script.lock().unwrap().pop_front();
        next.unwrap_or_else(|| reply(418, json!({"message": "the script is over"})))
    };
    tokio::time::sleep(reply.delay).await;
    let mut response = (StatusCode::from_u16(reply.status).unwrap(), reply.body).into_response();
    for (name, value) in reply.headers {
        response.headers_mut().insert(name.parse::<axum::http::HeaderName>().unwrap(), value.parse().unwrap());
    }
    response
}

impl Server {
    /// Starts with a script; `prefix` is the path of the API's base address.
    async fn start(prefix: &str, script: impl IntoIterator<Item = Reply>) -> (Arc<Self>, Stage) {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let server = Arc::new(Self {
            script: Mutex::new(script.into_iter().collect()),
            seen: Mutex::default(),
            tokens: Mutex::default(),
            url: Mutex::new(url.clone()),
        });
        let app = Router::new().fallback(play).with_state(server.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        (server, stage(&format!("{url}{prefix}")))
    }

    fn url(&self) -> String {
        self.url.lock().unwrap().clone()
    }

    fn add(&self, reply: Reply) {
        self.script.lock().unwrap().push_back(reply);
    }

    fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// What was asked, tokens left out.
    fn lines(&self) -> Vec<String> {
        self.seen().into_iter().map(|seen| seen.line).filter(|line| !line.ends_with("/access_tokens")).collect()
    }

    fn given(&self) -> u32 {
        self.tokens.lock().unwrap().given
    }
}

/// A clock that a sleeper moves on, so that waiting takes no time.
struct Hands(Mutex<DateTime<Utc>>);

#[async_trait]
impl Clock for Hands {
    fn now(&self) -> DateTime<Utc> {
        *self.0.lock().unwrap()
    }
    async fn sleep_until(&self, at: DateTime<Utc>) {
        let mut now = self.0.lock().unwrap();
        *now = at.max(*now);
    }
}

impl Hands {
    fn forward(&self, seconds: i64) {
        *self.0.lock().unwrap() += chrono::Duration::seconds(seconds);
    }
}

struct Stage {
    forge: GithubForge,
    clock: Arc<Hands>,
    place: Place,
}

fn start() -> DateTime<Utc> {
    DateTime::from_timestamp(1_800_000_000, 0).unwrap()
}

fn stage(api_url: &str) -> Stage {
    let clock = Arc::new(Hands(Mutex::new(start())));
    let settings = Settings {
        api_url: api_url.to_owned(),
        app_id: AppId(12345),
        key: AppKey::parse(&SecretString::from(include_str!("../../../tests/fixtures/app-key.pkcs8.txt"))).unwrap(),
        timeout: Duration::from_millis(500),
    };
    let place = Place { installation: InstallationId(4242), repository: RepositoryName::new("acme", "widgets") };
    Stage { forge: GithubForge::new(&settings, clock.clone()).unwrap(), clock, place }
}

fn issue_json(number: u64) -> Value {
    json!({
        "number": number, "title": "T", "body": "B", "html_url": format!("https://github.com/acme/widgets/issues/{number}"),
        "user": {"login": "mona"}, "labels": [], "state": "open", "locked": false, "updated_at": "2027-01-15T08:00:00Z",
        "repository_url": "https://api.github.com/repos/acme/widgets",
    })
}

fn comment_json(id: u64) -> Value {
    json!({
        "id": id, "node_id": format!("IC_{id}"), "html_url": format!("https://github.com/acme/widgets/issues/3#c{id}"),
        "user": null, "performed_via_github_app": {"id": 12345}, "body": "hello", "updated_at": "2027-01-15T08:00:00Z",
    })
}

const THREE: IssueNumber = IssueNumber(3);

#[tokio::test]
async fn the_app_signs_itself_and_an_installation_uses_its_token() {
    let (server, stage) = Server::start("", [
        reply(200, json!({"id": 12345, "slug": "sekisho", "owner": null})),
        reply(200, issue_json(3)),
        reply(200, issue_json(3)),
    ])
    .await;
    let app = stage.forge.app().await.unwrap();
    assert_eq!((app.id, app.slug.as_str()), (AppId(12345), "sekisho"));
    let issue = stage.forge.issue(&stage.place, THREE).await.unwrap();
    assert_eq!(issue.author, Some(Login::new("mona")));
    stage.forge.issue(&stage.place, THREE).await.unwrap();

    let seen = server.seen();
    let lines: Vec<_> = seen.iter().map(|seen| seen.line.as_str()).collect();
    assert_eq!(lines, [
        "GET /app",
        "POST /app/installations/4242/access_tokens",
        "GET /repos/acme/widgets/issues/3",
        "GET /repos/acme/widgets/issues/3",
    ]);
    for jwt in &seen[..2] {
        assert_eq!(jwt.header("authorization").split('.').count(), 3, "an App's JWT");
    }
    for token in &seen[2..] {
        assert_eq!(token.header("authorization"), "Bearer ghs_1");
    }
    for seen in &seen {
        assert_eq!(seen.header("user-agent"), concat!("sekisho/", env!("CARGO_PKG_VERSION")));
        assert_eq!(seen.header("accept"), "application/vnd.github+json");
        assert_eq!(seen.header("x-github-api-version"), "2022-11-28");
    }
}

#[tokio::test]
async fn ten_cold_callers_fetch_one_token_and_it_is_renewed_before_its_hour_ends() {
    let (server, stage) = Server::start("", (0..12).map(|_| reply(200, issue_json(3)))).await;
    let calls = (0..10).map(|_| stage.forge.issue(&stage.place, THREE));
    for answer in futures::future::join_all(calls).await {
        answer.unwrap();
    }
    assert_eq!(server.given(), 1);
    stage.clock.forward(49 * 60);
    stage.forge.issue(&stage.place, THREE).await.unwrap();
    assert_eq!(server.given(), 1);
    stage.clock.forward(60);
    stage.forge.issue(&stage.place, THREE).await.unwrap();
    assert_eq!(server.given(), 2, "ten minutes are left");
}

#[tokio::test]
async fn a_clock_that_is_ahead_does_not_fetch_a_token_for_every_call() {
    let (server, stage) = Server::start("", (0..2).map(|_| reply(200, issue_json(3)))).await;
    stage.clock.forward(2 * 3600);
    stage.forge.issue(&stage.place, THREE).await.unwrap();
    stage.forge.issue(&stage.place, THREE).await.unwrap();
    assert_eq!(server.given(), 1);
}

#[tokio::test]
async fn a_401_costs_the_token_and_the_call_is_sent_once_more_a_write_too() {
    let bad = || reply(401, json!({"message": "Bad credentials"}));
    let (server, stage) = Server::start("", [bad(), reply(201, comment_json(9)), bad(), bad()]).await;
    let posted = stage.forge.create_comment(&stage.place, THREE, "hi").await.unwrap();
    assert_eq!(posted, PostedComment { id: CommentId(9), node: NodeId::new("IC_9"), url: "https://github.com/acme/widgets/issues/3#c9".to_owned() });
    let used: Vec<_> = server.seen().iter().filter(|seen| !seen.line.contains("/app/")).map(|seen| seen.header("authorization").to_owned()).collect();
    assert_eq!(used, ["Bearer ghs_1", "Bearer ghs_2"]);
    let error = stage.forge.issue(&stage.place, THREE).await.unwrap_err();
    assert_eq!(error.to_string(), "GET issue acme/widgets#3: unauthorized: Bad credentials");
    assert_eq!((server.given(), server.lines().len()), (3, 4), "once, not for ever");
}

#[tokio::test]
async fn an_installation_that_is_gone_or_suspended_says_so() {
    let (server, stage) = Server::start("", []).await;
    server.tokens.lock().unwrap().refusal = Some((404, json!({"message": "Not Found"})));
    let error = stage.forge.issue(&stage.place, THREE).await.unwrap_err();
    assert_eq!(error, ForgeError::NotFound { what: "POST token of installation 4242".to_owned() });
    server.tokens.lock().unwrap().refusal = Some((403, json!({"message": "This installation has been suspended"})));
    let error = stage.forge.issue(&stage.place, THREE).await.unwrap_err();
    assert!(matches!(error, ForgeError::Forbidden { .. }), "{error}");
    server.tokens.lock().unwrap().refusal = Some((401, json!({"message": "A JSON web token could not be decoded"})));
    let error = stage.forge.issue(&stage.place, THREE).await.unwrap_err();
    assert!(matches!(error, ForgeError::Unauthorized { .. }), "{error}");
    assert!(server.lines().is_empty());
}

#[tokio::test]
async fn every_page_is_read_and_the_order_is_by_age() {
    let (server, stage) = Server::start("", []).await;
    let link = |page: u32| format!(r#"<{}/repositories/1/issues/3/comments?per_page=100&page={page}>; rel="next", <http://elsewhere.example/x?page=3>; rel="last""#, server.url());
    server.add(reply(200, json!([comment_json(2), comment_json(1)])).header("link", link(2)));
    server.add(reply(200, json!([comment_json(5)])).header("link", link(3)));
    server.add(reply(200, json!([comment_json(4)])).header("link", r#"<http://elsewhere.example/x?page=1>; rel="first""#));
    let comments = stage.forge.comments(&stage.place, THREE).await.unwrap();
    assert_eq!(comments.iter().map(|comment| comment.id.0).collect::<Vec<_>>(), [1, 2, 4, 5]);
    assert_eq!((comments[0].author.clone(), comments[0].app), (None, Some(AppId(12345))));
    assert_eq!(server.lines(), [
        "GET /repos/acme/widgets/issues/3/comments?per_page=100",
        "GET /repositories/1/issues/3/comments?per_page=100&page=2",
        "GET /repositories/1/issues/3/comments?per_page=100&page=3",
    ]);
    assert!(server.seen().iter().all(|seen| !seen.header("authorization").is_empty()), "every page is asked for with the token");
}

#[tokio::test]
async fn a_next_page_without_end_ends() {
    let (server, stage) = Server::start("", []).await;
    for _ in 0..60 {
        server.add(reply(200, json!([])).header("link", r#"</again>; rel="next""#));
    }
    let error = stage.forge.comments(&stage.place, THREE).await.unwrap_err();
    assert_eq!(error.to_string(), "GET comments acme/widgets#3: refused (200): more than 50 pages");
}

#[tokio::test]
async fn a_read_is_repeated_three_times_and_a_write_never() {
    let gone = || reply(502, json!("<html>"));
    let (server, stage) = Server::start("", [gone(), gone(), gone(), reply(200, issue_json(3))]).await;
    stage.forge.issue(&stage.place, THREE).await.unwrap();
    assert_eq!(server.lines().len(), 4);
    (0..5).for_each(|_| server.add(gone()));
    stage.clock.forward(5);
    let error = stage.forge.issue(&stage.place, THREE).await.unwrap_err();
    assert_eq!(error.to_string(), "GET issue acme/widgets#3: unreachable: 502 Bad Gateway");
    let before = server.lines().len();
    let error = stage.forge.create_comment(&stage.place, THREE, "hi").await.unwrap_err();
    assert!(error.may_mend(), "{error}");
    assert_eq!(server.lines().len(), before + 1);
}
