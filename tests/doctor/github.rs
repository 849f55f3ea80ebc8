//! A GitHub that answers what `sekisho doctor` asks: canned JSON by path, and the App's own token checked for its App ID.

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use chrono::{Duration, Utc};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// The App that this GitHub knows.
pub const APP: u64 = 12345;
/// The newest commit of the repository.
const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

/// The server; it ends with the test's runtime.
pub struct GitHub {
    /// Its address, for `GITHUB_API_URL`.
    pub url: String,
    state: Arc<Mutex<World>>,
}

#[derive(Default)]
struct World {
    answers: BTreeMap<String, Value>,
    writes: Vec<String>,
    ahead: i64,
}

impl GitHub {
    /// Everything as it should be: the App is installed on acme/widgets, which holds a contract and its labels.
    pub async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(World::default()));
        let router = Router::new().fallback(answer).with_state(Arc::clone(&state));
        tokio::spawn(axum::serve(listener, router).into_future());
        let github = Self { url, state };
        github.fill();
        github
    }

    fn fill(&self) {
        let permissions = json!({"issues": "write", "pull_requests": "write", "checks": "write", "contents": "read",
            "metadata": "read"});
        let installation = json!({"id": 7, "account": {"login": "acme", "type": "Organization"},
            "permissions": permissions, "suspended_at": null,
            "html_url": "https://github.test/organizations/acme/settings/installations/7"});
        let delivery = |status: u16, action: &str| {
            json!({"id": 1, "delivered_at": "2026-01-02T03:04:05Z", "status": "OK", "status_code": status,
                "event": "issues", "action": action})
        };
        self.put(
            "/app",
            json!({"id": APP, "slug": "sekisho-acme", "html_url": "https://github.test/apps/sekisho-acme",
            "owner": {"login": "hanako", "type": "User"}, "permissions": permissions,
            "events": sekisho::domain::event::EVENTS}),
        );
        self.put("/app/installations", json!([installation]));
        self.put(
            "/app/hook/config",
            json!({"url": "https://sekisho.test/github/webhook", "content_type": "json",
            "insecure_ssl": "0", "secret": "********"}),
        );
        self.put(
            "/app/hook/deliveries",
            json!([delivery(202, "labeled"), delivery(202, "edited"), delivery(202, "opened")]),
        );
        self.put(
            "/app/installations/7/access_tokens",
            json!({"token": "ghs_test", "expires_at": (Utc::now() + Duration::hours(1)), "permissions": permissions}),
        );
        self.put("/repos/acme/widgets/installation", installation);
        self.put("/repos/acme/widgets", json!({"id": 77, "full_name": "acme/widgets", "archived": false}));
        self.put("/repos/acme/widgets/commits/HEAD", json!({"sha": COMMIT}));
        self.put(
            "/repos/acme/widgets/labels",
            json!(
                ["acceptance", "split", "start", "outcome", "integration"]
                    .map(|id| json!({"name": format!("gate:{id}")}))
            ),
        );
        self.put_file(".github/contracts/handoff.yaml", include_str!("../../contracts/handoff-en.yaml"));
    }

    /// This path answers with that from now on.
    pub fn put(&self, path: &str, value: Value) {
        self.state.lock().unwrap().answers.insert(path.to_owned(), value);
    }

    /// Changes what that path answers.
    pub fn change(&self, path: &str, change: impl FnOnce(&mut Value)) {
        change(self.state.lock().unwrap().answers.get_mut(path).unwrap());
    }

    /// This path is not there any more.
    pub fn remove(&self, path: &str) {
        self.state.lock().unwrap().answers.remove(path).unwrap();
    }

    /// The one file of its folder in acme/widgets.
    pub fn put_file(&self, path: &str, text: &str) {
        let file = json!({"type": "file", "path": path, "size": text.len(), "sha": "b10b", "encoding": "base64",
            "content": STANDARD.encode(text)});
        let (folder, _) = path.rsplit_once('/').unwrap();
        self.put(&format!("/repos/acme/widgets/contents/{folder}"), json!([file]));
        self.put(&format!("/repos/acme/widgets/contents/{path}"), file);
    }

    /// Its clock shows so many seconds more.
    pub fn is_ahead_by(&self, seconds: i64) {
        self.state.lock().unwrap().ahead = seconds;
    }

    /// Every request but GET.
    pub fn writes(&self) -> Vec<String> {
        self.state.lock().unwrap().writes.clone()
    }
}

async fn answer(State(state): State<Arc<Mutex<World>>>, request: Request) -> Response {
    let mut world = state.lock().unwrap();
    // The same server as an Enterprise Server has it.
    let path = request.uri().path();
    let path = path.strip_prefix("/api/v3").unwrap_or(path).to_owned();
    if request.method() != "GET" {
        world.writes.push(format!("{} {path}", request.method()));
    }
    let refused = |message: &str| json!({"message": message});
    let (status, body) = match issuer(request.headers()) {
        Some(id) if id != APP => (StatusCode::UNAUTHORIZED, refused("A JSON web token could not be decoded")),
        _ => match world.answers.get(&path) {
            Some(value) => (StatusCode::OK, value.clone()),
            None => (StatusCode::NOT_FOUND, refused("Not Found")),
        },
    };
    let now = Utc::now() + Duration::seconds(world.ahead);
    Response::builder()
        .status(status)
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::DATE, now.format("%a, %d %b %Y %H:%M:%S GMT").to_string())
        .body(Body::from(body.to_string()))
        .unwrap()
}

/// Who signed, where the App itself calls; whether the signature is right is not looked at.
fn issuer(headers: &HeaderMap) -> Option<u64> {
    let token = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?.1.to_owned();
    let claims = URL_SAFE_NO_PAD.decode(token.split('.').nth(1)?).ok()?;
    let claims: Value = serde_json::from_slice(&claims).ok()?;
    claims["iss"].as_u64().or_else(|| claims["iss"].as_str()?.parse().ok())
}
