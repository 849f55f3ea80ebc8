//! A proxy between the service and GitHub that knows every request whole. It can hold a write back, before GitHub has heard
//! of it or after it was done, until whoever watches has ended the service.

use crate::plain::plain;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, Response, StatusCode};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// At which side of a write the service ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// GitHub never hears of it.
    Before,
    /// It was done, and nobody hears the answer.
    After,
}

/// The proxy. Ends with the test's runtime.
pub struct Proxy {
    /// Its near end, for `GITHUB_API_URL`.
    pub url: String,
    shared: Arc<Shared>,
}

struct Shared {
    far: String,
    http: reqwest::Client,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    /// Where the service ends; none: nowhere.
    side: Option<Side>,
    /// Acts of people so far: the same write may come again in the next one.
    act: usize,
    /// Every write, by act and by what it asks for.
    writes: BTreeMap<(usize, String), Write>,
    /// Nothing passes any more: the service is to end, or has ended.
    closed: bool,
    /// The write that it ends at has had its way.
    due: bool,
    kills: usize,
}

#[derive(Clone, Copy, Default)]
struct Write {
    killed: bool,
    /// How often GitHub has done it.
    done: usize,
}

/// What passed.
#[derive(Debug, PartialEq, Eq)]
pub struct Tally {
    /// Different writes that were done.
    pub writes: usize,
    /// Writes at which the service was ended.
    pub kills: usize,
    /// Those that were done more than once for the same act of a person.
    pub again: Vec<String>,
}

impl Proxy {
    /// A proxy to that base address, such as `http://127.0.0.1:40123`.
    pub async fn to(far: &str, side: Option<Side>) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
        let seen = Mutex::new(Seen { side, ..Seen::default() });
        let shared = Arc::new(Shared { far: far.to_owned(), http, seen });
        let router = Router::new().fallback(pass).with_state(Arc::clone(&shared));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, shared }
    }

    /// A person has acted once more.
    pub fn acted(&self) {
        self.shared.seen.lock().unwrap().act += 1;
    }

    /// Whether the service is to be ended now.
    pub fn due(&self) -> bool {
        self.shared.seen.lock().unwrap().due
    }

    /// The service has ended; the next one may begin.
    pub fn ended(&self) {
        let mut seen = self.shared.seen.lock().unwrap();
        (seen.closed, seen.due) = (false, false);
        seen.kills += 1;
    }

    /// What has passed so far.
    pub fn tally(&self) -> Tally {
        let seen = self.shared.seen.lock().unwrap();
        let again = seen.writes.iter().filter(|(_, write)| write.done > 1);
        Tally {
            writes: seen.writes.values().filter(|write| write.done > 0).count(),
            kills: seen.kills,
            again: again.map(|((act, what), _)| format!("act {act}: {}", what.lines().next().unwrap())).collect(),
        }
    }
}

async fn pass(State(shared): State<Arc<Shared>>, request: Request) -> Response<Body> {
    let (head, body) = request.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    let path = head.uri.path_and_query().unwrap().as_str().to_owned();
    let writes = head.method != Method::GET && !path.ends_with("/access_tokens");
    let what = plain(&format!("{} {path}\n{}", head.method, String::from_utf8_lossy(&body)));
    let (key, ends) = {
        let mut seen = shared.seen.lock().unwrap();
        let key = (seen.act, what);
        let mut ends = None;
        if seen.closed {
            ends = Some(Side::Before);
        } else if writes {
            let side = seen.side;
            let write = seen.writes.entry(key.clone()).or_default();
            if side.is_some() && !write.killed {
                write.killed = true;
                seen.closed = true;
                seen.due = side == Some(Side::Before);
                ends = side;
            }
        }
        (key, ends)
    };
    if ends == Some(Side::Before) {
        return std::future::pending().await;
    }
    let response = shared.forward(head.method, &path, &head.headers, body).await;
    {
        let mut seen = shared.seen.lock().unwrap();
        if writes && response.status().is_success() {
            seen.writes.entry(key).or_default().done += 1;
        }
        seen.due |= ends == Some(Side::After);
    }
    if ends == Some(Side::After) {
        return std::future::pending().await;
    }
    response
}

impl Shared {
    async fn forward(
        &self,
        method: Method,
        path: &str,
        headers: &HeaderMap,
        body: axum::body::Bytes,
    ) -> Response<Body> {
        let mut headers = headers.clone();
        for name in ["host", "content-length", "connection", "transfer-encoding"] {
            headers.remove(name);
        }
        let request = self.http.request(method, format!("{}{path}", self.far)).headers(headers).body(body);
        let Ok(answer) = request.send().await else { return status(StatusCode::BAD_GATEWAY) };
        let (code, mut headers) = (answer.status(), answer.headers().clone());
        let Ok(bytes) = answer.bytes().await else { return status(StatusCode::BAD_GATEWAY) };
        for name in ["content-length", "connection", "transfer-encoding", "keep-alive"] {
            headers.remove(name);
        }
        let mut response = Response::new(Body::from(bytes));
        *response.status_mut() = code;
        *response.headers_mut() = headers;
        response
    }
}

fn status(code: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = code;
    response
}
