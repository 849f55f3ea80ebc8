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

mod comments;
mod links;

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

fn reply(status: u16, body: impl std::fmt::Display) -> Reply {
    Reply { status, headers: Vec::new(), body: body.to_string(), delay: Duration::ZERO }
}

impl Reply {
    fn header(mut self, name: &str, value: impl std::fmt::Display) -> Self {
        self.headers.push((name.to_owned(), value.to_string()));
        self
    }
}

async fn play(
    State(server): State<Arc<Server>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
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
            None => reply(
                201,
                json!({"token": format!("ghs_{}", tokens.given), "expires_at": start() + chrono::Duration::hours(1)}),
            ),
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
    patient(api_url, Duration::from_secs(5))
}

fn patient(api_url: &str, timeout: Duration) -> Stage {
    let clock = Arc::new(Hands(Mutex::new(start())));
    let settings = Settings {
        api_url: api_url.to_owned(),
        app_id: AppId(12345),
        key: AppKey::parse(&SecretString::from(include_str!("../../../tests/fixtures/app-key.pkcs8.txt"))).unwrap(),
        timeout,
    };
    let place = Place { installation: InstallationId(4242), repository: RepositoryName::new("acme", "widgets") };
    Stage { forge: GithubForge::new(&settings, clock.clone()).unwrap(), clock, place }
}

fn issue_json(number: u64) -> Value {
    json!({
        "id": 9000 + number, "number": number, "title": "T", "body": "B", "html_url": format!("https://github.com/acme/widgets/issues/{number}"),
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
    let (server, stage) = Server::start(
        "",
        [
            reply(200, json!({"id": 12345, "slug": "sekisho", "owner": null})),
            reply(200, issue_json(3)),
            reply(200, issue_json(3)),
        ],
    )
    .await;
    let app = stage.forge.app().await.unwrap();
    assert_eq!((app.id, app.slug.as_str()), (AppId(12345), "sekisho"));
    let issue = stage.forge.issue(&stage.place, THREE).await.unwrap();
    assert_eq!(issue.author, Some(Login::new("mona")));
    stage.forge.issue(&stage.place, THREE).await.unwrap();

    let seen = server.seen();
    let lines: Vec<_> = seen.iter().map(|seen| seen.line.as_str()).collect();
    assert_eq!(
        lines,
        [
            "GET /app",
            "POST /app/installations/4242/access_tokens",
            "GET /repos/acme/widgets/issues/3",
            "GET /repos/acme/widgets/issues/3",
        ]
    );
    for jwt in &seen[..2] {
        assert_eq!(jwt.header("authorization").split('.').count(), 3, "an App's JWT");
    }
    for token in &seen[2..] {
        assert_eq!(token.header("authorization"), "Bearer ghs_1");
    }
    for seen in &seen {
        let agents: Vec<_> = seen.headers.get_all("user-agent").iter().collect();
        assert_eq!(agents, [concat!("sekisho/", env!("CARGO_PKG_VERSION"))]);
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
    assert_eq!(
        posted,
        PostedComment {
            id: CommentId(9),
            node: NodeId::new("IC_9"),
            url: "https://github.com/acme/widgets/issues/3#c9".to_owned()
        }
    );
    let used: Vec<_> = server
        .seen()
        .iter()
        .filter(|seen| !seen.line.contains("/app/"))
        .map(|seen| seen.header("authorization").to_owned())
        .collect();
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
    let link = |page: u32| {
        format!(
            r#"<{}/repositories/1/issues/3/comments?per_page=100&page={page}>; rel="next", <http://elsewhere.example/x?page=3>; rel="last""#,
            server.url()
        )
    };
    server.add(reply(200, json!([comment_json(2), comment_json(1)])).header("link", link(2)));
    server.add(reply(200, json!([comment_json(5)])).header("link", link(3)));
    server.add(
        reply(200, json!([comment_json(4)])).header("link", r#"<http://elsewhere.example/x?page=1>; rel="first""#),
    );
    let comments = stage.forge.comments(&stage.place, THREE).await.unwrap();
    assert_eq!(comments.iter().map(|comment| comment.id.0).collect::<Vec<_>>(), [1, 2, 4, 5]);
    assert_eq!((comments[0].author.clone(), comments[0].app), (None, Some(AppId(12345))));
    assert_eq!(
        server.lines(),
        [
            "GET /repos/acme/widgets/issues/3/comments?per_page=100",
            "GET /repositories/1/issues/3/comments?per_page=100&page=2",
            "GET /repositories/1/issues/3/comments?per_page=100&page=3",
        ]
    );
    assert!(
        server.seen().iter().all(|seen| !seen.header("authorization").is_empty()),
        "every page is asked for with the token"
    );
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

#[tokio::test]
async fn a_write_whose_answer_does_not_come_is_unreachable_and_sent_once() {
    let mut slow = reply(201, comment_json(9));
    slow.delay = Duration::from_secs(3);
    let (server, _) = Server::start("", [slow]).await;
    let stage = patient(&server.url(), Duration::from_millis(500));
    let error = stage.forge.create_comment(&stage.place, THREE, "hi").await.unwrap_err();
    assert_eq!(error.to_string(), "POST comment acme/widgets#3: unreachable: no answer within 500ms");
    assert_eq!(server.lines().len(), 1);
}

#[tokio::test]
async fn a_server_that_is_not_there_is_unreachable() {
    let free = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let error = stage(&format!("http://{free}")).forge.app().await.unwrap_err();
    assert!(matches!(&error, ForgeError::Unreachable { message, .. } if message.contains("refused")), "{error}");
}

#[tokio::test]
async fn an_answer_that_is_not_understood_is_unreachable_since_a_write_has_happened() {
    let (_server, stage) = Server::start("", [reply(201, json!({"surprise": true}))]).await;
    let error = stage.forge.create_comment(&stage.place, THREE, "hi").await.unwrap_err();
    assert!(matches!(&error, ForgeError::Unreachable { message, .. } if message.contains("not understood")), "{error}");
}

#[tokio::test]
async fn a_limit_is_remembered_and_nothing_is_sent_before_it_ends() {
    let slow_down =
        reply(403, json!({"message": "You have exceeded a secondary rate limit"})).header("retry-after", 90);
    let (server, stage) = Server::start("", [slow_down, reply(200, issue_json(3)), reply(200, issue_json(3))]).await;
    let until = start() + chrono::Duration::seconds(90);
    let limited = |what: &str| ForgeError::RateLimited { what: what.to_owned(), until };
    let error = stage.forge.create_comment(&stage.place, THREE, "hi").await.unwrap_err();
    assert_eq!(error, limited("POST comment acme/widgets#3"));
    let error = stage.forge.issue(&stage.place, THREE).await.unwrap_err();
    assert_eq!(error, limited("GET issue acme/widgets#3"), "not even a read");
    assert_eq!(server.lines().len(), 1);

    let other = Place { installation: InstallationId(4243), ..stage.place.clone() };
    stage.forge.issue(&other, THREE).await.unwrap();
    stage.clock.forward(90);
    stage.forge.issue(&stage.place, THREE).await.unwrap();
}

#[tokio::test]
async fn a_secondary_limit_without_a_header_is_waited_out_for_72_seconds() {
    let words = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.";
    let (server, stage) = Server::start("", [reply(403, json!({"message": words})), reply(201, comment_json(9))]).await;
    let error = stage.forge.create_comment(&stage.place, THREE, "hi").await.unwrap_err();
    let until = start() + chrono::Duration::seconds(72);
    assert_eq!(error, ForgeError::RateLimited { what: "POST comment acme/widgets#3".to_owned(), until });
    stage.clock.forward(71);
    stage.forge.create_comment(&stage.place, THREE, "hi").await.unwrap_err();
    assert_eq!(server.lines().len(), 1);
    stage.clock.forward(1);
    stage.forge.create_comment(&stage.place, THREE, "hi").await.unwrap();
}

#[tokio::test]
async fn a_spent_quota_is_waited_out_until_its_reset() {
    let reset = start().timestamp() + 600;
    let spent = reply(403, json!({"message": "API rate limit exceeded for installation ID 4242."}))
        .header("x-ratelimit-limit", 5000)
        .header("x-ratelimit-remaining", 0)
        .header("x-ratelimit-reset", reset);
    let (server, stage) = Server::start("", [spent, reply(200, issue_json(3))]).await;
    let error = stage.forge.issue(&stage.place, THREE).await.unwrap_err();
    assert!(matches!(error, ForgeError::RateLimited { until, .. } if until.timestamp() == reset + 1), "{error}");
    stage.clock.forward(600);
    stage.forge.issue(&stage.place, THREE).await.unwrap_err();
    assert_eq!(server.lines().len(), 1);
    stage.clock.forward(1);
    stage.forge.issue(&stage.place, THREE).await.unwrap();
}

#[tokio::test]
async fn the_501st_comment_of_an_hour_waits_and_labels_on_issues_do_not() {
    let (server, stage) = Server::start("", (0..500).map(|_| reply(201, comment_json(9)))).await;
    for minute in 0..7 {
        for _ in 0..if minute < 6 { 80 } else { 20 } {
            stage.forge.create_comment(&stage.place, THREE, "hi").await.unwrap();
        }
        stage.clock.forward(60);
    }
    let error = stage.forge.create_comment(&stage.place, THREE, "hi").await.unwrap_err();
    let hour = start() + chrono::Duration::hours(1);
    assert!(matches!(error, ForgeError::RateLimited { until, .. } if until == hour), "{error}");
    server.add(reply(200, json!([])));
    stage.forge.remove_label(&stage.place, THREE, "x").await.unwrap();
    server.add(reply(201, comment_json(9)));
    stage.clock.forward(3600 - 420);
    stage.forge.create_comment(&stage.place, THREE, "hi").await.unwrap();
}

#[tokio::test]
async fn the_reserve_of_the_hourly_quota_is_not_spent() {
    let reset = start().timestamp() + 600;
    let low = reply(200, issue_json(3))
        .header("x-ratelimit-limit", 5000)
        .header("x-ratelimit-remaining", 250)
        .header("x-ratelimit-reset", reset);
    let (server, stage) = Server::start("", [low]).await;
    stage.forge.issue(&stage.place, THREE).await.unwrap();
    let error = stage.forge.issue(&stage.place, THREE).await.unwrap_err();
    assert!(matches!(error, ForgeError::RateLimited { until, .. } if until.timestamp() == reset), "{error}");
    assert_eq!(server.lines().len(), 1);
}

#[tokio::test]
async fn the_81st_comment_of_a_minute_waits() {
    let (server, stage) = Server::start("", (0..80).map(|_| reply(201, comment_json(9)))).await;
    for _ in 0..80 {
        stage.forge.create_comment(&stage.place, THREE, "hi").await.unwrap();
    }
    let error = stage.forge.create_comment(&stage.place, THREE, "hi").await.unwrap_err();
    assert!(
        matches!(error, ForgeError::RateLimited { until, .. } if until == start() + chrono::Duration::seconds(60)),
        "{error}"
    );
    assert_eq!(server.lines().len(), 80);
}

#[tokio::test]
async fn a_redirect_keeps_method_and_body_and_goes_to_no_other_host() {
    let moved = |status: u16, to: &str| reply(status, json!({"message": "Moved"})).header("location", to);
    for status in [301, 302, 307, 308] {
        let (server, stage) = Server::start(
            "",
            [moved(status, "https://elsewhere.example/repositories/1/issues/3/comments"), reply(201, comment_json(9))],
        )
        .await;
        stage.forge.create_comment(&stage.place, THREE, "hi").await.unwrap();
        let last = server.seen().pop().unwrap();
        assert_eq!(
            (last.line.as_str(), &last.body),
            ("POST /repositories/1/issues/3/comments", &json!({"body": "hi"}))
        );
        assert_eq!(last.header("authorization"), "Bearer ghs_1");
    }
    let (server, stage) = Server::start("", (0..9).map(|_| moved(302, "/round"))).await;
    let error = stage.forge.create_comment(&stage.place, THREE, "hi").await.unwrap_err();
    assert!(error.to_string().ends_with("unreachable: more than 3 redirects"), "{error}");
    assert_eq!(server.lines().len(), 4);
}

#[tokio::test]
async fn a_renamed_repository_is_followed_and_a_transferred_issue_is_not() {
    let moved = || reply(301, json!({"message": "Moved"})).header("location", "/repositories/1/issues/3");
    let renamed = json!({"full_name": "acme/gadgets", "name": "gadgets"});
    let stands_in = |repository: &str| {
        let mut issue = issue_json(3);
        issue["repository_url"] = json!(format!("https://api.github.com/repos/{repository}"));
        reply(200, issue)
    };
    let (server, stage) = Server::start(
        "",
        [
            moved(),
            stands_in("acme/gadgets"),
            reply(200, renamed.clone()), // renamed
            moved(),
            stands_in("acme/other"),
            reply(200, renamed), // transferred, to the same number by chance
            moved(),
            reply(200, issue_json(7)), // transferred
        ],
    )
    .await;
    assert_eq!(stage.forge.issue(&stage.place, THREE).await.unwrap().number, THREE);
    assert_eq!(server.lines()[2], "GET /repos/acme/widgets");
    for _ in 0..2 {
        let error = stage.forge.issue(&stage.place, THREE).await.unwrap_err();
        assert_eq!(error, ForgeError::NotFound { what: "GET issue acme/widgets#3".to_owned() });
    }
    assert_eq!(server.lines().len(), 8);
}

#[tokio::test]
async fn an_installation_is_asked_for_as_the_app_and_open_issues_as_the_installation() {
    let mut pull = issue_json(4);
    pull["pull_request"] = json!({"url": "https://api.github.com/repos/acme/widgets/pulls/4"});
    let next = r#"<https://api.github.com/repositories/1/issues?state=open&per_page=100&page=2>; rel="next""#;
    let (server, stage) = Server::start(
        "",
        [
            reply(200, json!({"id": 4242, "account": {"login": "acme"}})),
            reply(404, json!({"message": "Not Found"})),
            reply(200, json!([issue_json(3), pull])).header("link", next),
            reply(200, json!([issue_json(1)])),
        ],
    )
    .await;
    let name = RepositoryName::new("acme", "wid gets");
    assert_eq!(stage.forge.installation(&name).await, Ok(InstallationId(4242)));
    let error = stage.forge.installation(&name).await.unwrap_err();
    assert_eq!(error, ForgeError::NotFound { what: "GET installation acme/wid gets".to_owned() });
    let issues = stage.forge.open_issues(&stage.place).await.unwrap();
    let seen: Vec<_> = issues.iter().map(|issue| (issue.number.0, issue.is_pull_request)).collect();
    assert_eq!(seen, [(3, false), (4, true), (1, false)]);
    let lines = server.lines();
    assert_eq!(lines[0], "GET /repos/acme/wid%20gets/installation");
    assert_eq!(lines[2], "GET /repos/acme/widgets/issues?state=open&per_page=100");
    assert_eq!(lines[3], "GET /repositories/1/issues?state=open&per_page=100&page=2");
}

#[tokio::test]
async fn names_and_paths_are_encoded() {
    let contents =
        json!([{"type": "file", "path": "契約/a.yaml", "size": 7}, {"type": "dir", "path": "契約/b", "size": 0}]);
    let (server, stage) = Server::start(
        "",
        [reply(200, json!([])), reply(200, contents), reply(200, json!({"permission": "read", "role_name": "triage"}))],
    )
    .await;
    stage.forge.remove_label(&stage.place, THREE, "🔴 100%/now").await.unwrap();
    let commit = CommitSha::new("c0ffee");
    let entries = stage.forge.directory(&stage.place, "契約", &commit).await.unwrap();
    assert_eq!(entries, [Entry { path: "契約/a.yaml".to_owned(), size: 7 }]);
    let permission = stage.forge.permission(&stage.place, &Login::new("dependabot[bot]")).await.unwrap();
    assert_eq!(permission, Permission::Triage);
    assert_eq!(
        server.lines(),
        [
            "DELETE /repos/acme/widgets/issues/3/labels/%F0%9F%94%B4%20100%25%2Fnow",
            "GET /repos/acme/widgets/contents/%E5%A5%91%E7%B4%84?ref=c0ffee",
            "GET /repos/acme/widgets/collaborators/dependabot%5Bbot%5D/permission",
        ]
    );
}

#[tokio::test]
async fn every_label_is_one_segment_of_the_address() {
    let names = [
        ("gate:start", "gate%3Astart"),
        ("Gate:Start", "Gate%3AStart"),
        ("a/b c", "a%2Fb%20c"),
        ("a#b?c&d=e+f", "a%23b%3Fc%26d%3De%2Bf"),
        ("100%25", "100%2525"),
        ("..", "%2E%2E"),
        ("準備 🚦", "%E6%BA%96%E5%82%99%20%F0%9F%9A%A6"),
    ];
    let (server, stage) = Server::start("", names.map(|_| reply(200, json!([])))).await;
    for (name, encoded) in names {
        stage.forge.remove_label(&stage.place, THREE, name).await.unwrap();
        let sent = format!("DELETE /repos/acme/widgets/issues/3/labels/{encoded}");
        assert_eq!(server.lines().last(), Some(&sent), "{name}");
    }
    server.add(reply(200, json!([])));
    stage.forge.add_label(&stage.place, THREE, "a/b 🚦").await.unwrap();
    assert_eq!(server.seen().pop().unwrap().body, json!({"labels": ["a/b 🚦"]}), "in a body nothing is encoded");
}

#[tokio::test]
async fn absence_has_the_shape_that_the_port_promises() {
    let missing = || reply(404, json!({"message": "Not Found"}));
    let a_file =
        json!({"type": "file", "path": "a", "sha": "b10b", "size": 3, "encoding": "base64", "content": "aGkK\n"});
    let (_server, stage) = Server::start("", [
        missing(),
        reply(409, json!({"message": "Git Repository is empty."})),
        reply(422, json!({"message": "No commit found for SHA: HEAD"})),
        missing(),
        reply(200, a_file.clone()),
        reply(200, json!([])),
        reply(200, a_file),
        reply(422, json!({"message": "Validation Failed", "errors": [{"resource": "Label", "code": "already_exists", "field": "name"}]})),
    ])
    .await;
    let (forge, place, commit) = (&stage.forge, &stage.place, CommitSha::new("c0ffee"));
    assert_eq!(forge.permission(place, &Login::new("nobody")).await, Ok(Permission::None));
    let not_found = |what: &str| ForgeError::NotFound { what: format!("GET {what}") };
    assert_eq!(forge.head(place).await, Err(not_found("head acme/widgets")), "empty");
    assert_eq!(forge.head(place).await, Err(not_found("head acme/widgets")), "no commit");
    assert_eq!(forge.directory(place, "a", &commit).await, Err(not_found("a of acme/widgets")), "missing");
    assert_eq!(forge.directory(place, "a", &commit).await, Err(not_found("a of acme/widgets")), "a file");
    assert_eq!(forge.file(place, "a", &commit).await, Err(not_found("a of acme/widgets")), "a folder");
    let file = forge.file(place, "a", &commit).await.unwrap();
    assert_eq!((file.blob.as_str(), file.bytes.as_slice()), ("b10b", b"hi\n".as_slice()));
    let label = LabelSpec { name: "x".to_owned(), colour: "ededed".to_owned(), description: "d".to_owned() };
    let error = forge.create_label(place, &label).await.unwrap_err();
    assert!(
        matches!(&error, ForgeError::Refused { status: 422, message, .. } if message.contains("already_exists")),
        "{error}"
    );
}

#[tokio::test]
async fn the_head_is_a_hash_alone_or_a_whole_commit() {
    let hash = "6dcb09b5b57875f334f61aebed695e2e4193db5e";
    let script = [reply(200, hash), reply(200, json!({"sha": hash, "files": []})), reply(200, "<html>")];
    let (server, stage) = Server::start("", script).await;
    for _ in 0..2 {
        assert_eq!(stage.forge.head(&stage.place).await.map(|head| head.commit), Ok(CommitSha::new(hash)));
    }
    let error = stage.forge.head(&stage.place).await.unwrap_err();
    assert!(matches!(error, ForgeError::Unreachable { .. }), "{error}");
    let seen = server.seen().into_iter().find(|seen| seen.line.starts_with("GET")).unwrap();
    assert_eq!(seen.line, "GET /repos/acme/widgets/commits/HEAD?per_page=1");
    assert_eq!(seen.header("accept"), "application/vnd.github.sha");
}

#[tokio::test]
async fn graphql_stands_beside_the_api_of_ghes() {
    let done = reply(200, json!({"data": {"minimizeComment": {"minimizedComment": {"isMinimized": true}}}}));
    let (server, stage) = Server::start("/api/v3", [reply(200, issue_json(3)), done]).await;
    stage.forge.issue(&stage.place, THREE).await.unwrap();
    stage.forge.minimise(&stage.place, &NodeId::new("IC_9")).await.unwrap();
    assert_eq!(server.lines(), ["GET /api/v3/repos/acme/widgets/issues/3", "POST /api/graphql"]);
    let sent = server.seen().pop().unwrap();
    assert_eq!(sent.body["variables"], json!({"id": "IC_9"}));
    assert_eq!(sent.header("authorization"), "Bearer ghs_1");
}

#[tokio::test]
async fn a_server_without_graphql_is_asked_once() {
    let (server, stage) = Server::start("", [reply(404, json!({"message": "Not Found"}))]).await;
    for _ in 0..3 {
        let error = stage.forge.minimise(&stage.place, &NodeId::new("IC_9")).await.unwrap_err();
        assert_eq!(error, ForgeError::NotOffered { what: "POST minimise comment of acme/widgets".to_owned() });
    }
    assert_eq!(server.lines(), ["POST /graphql"]);
}

#[tokio::test]
async fn graphql_refuses_with_200() {
    let errors = |kind: &str| reply(200, json!({"data": null, "errors": [{"type": kind, "message": "no"}]}));
    let kinds = ["NOT_FOUND", "FORBIDDEN", "RATE_LIMITED", "SERVICE_UNAVAILABLE"];
    let (_server, stage) = Server::start("", kinds.map(errors)).await;
    let mut shown = Vec::new();
    for _ in kinds {
        shown.push(stage.forge.minimise(&stage.place, &NodeId::new("IC_9")).await.unwrap_err().to_string());
    }
    assert_eq!(
        shown,
        [
            "POST minimise comment of acme/widgets: not found",
            "POST minimise comment of acme/widgets: forbidden: no",
            "POST minimise comment of acme/widgets: rate limited until 2027-01-15 08:01:12 UTC",
            "POST minimise comment of acme/widgets: refused (200): no",
        ]
    );
}

#[tokio::test]
async fn what_cannot_be_set_up_says_why() {
    let settings = |api_url: &str| Settings {
        api_url: api_url.to_owned(),
        app_id: AppId(1),
        key: AppKey::parse(&SecretString::from(include_str!("../../../tests/fixtures/app-key.pkcs1.txt"))).unwrap(),
        timeout: Settings::TIMEOUT,
    };
    for bad in ["", "api.github.com", "ftp://api.github.com", "https://", "https://api.github.com/?x=1"] {
        let clock = Arc::new(Hands(Mutex::new(start())));
        assert_eq!(GithubForge::new(&settings(bad), clock).err(), Some(SetupError::BadUrl(bad.to_owned())));
    }
    let shown = format!("{:?}", settings("https://api.github.com/"));
    assert!(!shown.contains("PRIVATE"), "{shown}");
}

#[tokio::test]
async fn calls_and_the_quota_left_are_counted() {
    let recorder = metrics_exporter_prometheus::PrometheusBuilder::new().build_recorder();
    let shown = recorder.handle();
    let _counting = metrics::set_default_local_recorder(&recorder);
    let reset = start().timestamp() + 600;
    let ok = reply(200, issue_json(3))
        .header("x-ratelimit-limit", 5000)
        .header("x-ratelimit-remaining", 4321)
        .header("x-ratelimit-reset", reset);
    let (_server, stage) = Server::start("", [ok, reply(429, "slow down")]).await;
    stage.forge.issue(&stage.place, THREE).await.unwrap();
    for _ in 0..2 {
        stage.forge.add_label(&stage.place, THREE, "x").await.unwrap_err();
    }
    let rendered = shown.render();
    let mut lines: Vec<_> = rendered.lines().filter(|line| line.starts_with("sekisho_forge")).collect();
    lines.sort_unstable();
    assert_eq!(
        lines,
        [
            r#"sekisho_forge_calls_total{method="add_label",outcome="held"} 1"#,
            r#"sekisho_forge_calls_total{method="add_label",outcome="rate_limited"} 1"#,
            r#"sekisho_forge_calls_total{method="issue",outcome="ok"} 1"#,
            r#"sekisho_forge_calls_total{method="token",outcome="ok"} 1"#,
            r#"sekisho_forge_quota_left{caller="4242"} 4321"#,
        ]
    );
}
