//! The door over real TCP: every answer that chapter 8 names, and what stands in the database after it.

#![expect(clippy::expect_used, reason = "a test stops at the first surprise")]

use futures::FutureExt;
use hmac::{Hmac, KeyInit, Mac};
use sekisho::adapters::clock::SystemClock;
use sekisho::adapters::store::sqlite::{SqliteStore, Synchronous};
use sekisho::domain::event::{Cause, CauseKind, Lane, Slot, Wake, Windows};
use sekisho::domain::ids::{AppId, DeliveryId, InstallationId, IssueNumber, RepositoryId, RepositoryName};
use sekisho::domain::run::AppIdentity;
use sekisho::ports::{Delivery, Store, Taken, Work};
use sekisho::web::door::{self, Door, LIMIT, Settings};
use sekisho::web::health::{self, Credentials, Github, Readiness};
use sekisho::web::intake::{Intake, Refused, intake};
use sekisho::web::payload::Ourselves;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

const SECRET: &str = "It's a Secret to Everybody";
const PATH: &str = "/github/webhook";

/// A server on a free port, its database, and what it told others.
struct Server {
    address: SocketAddr,
    store: Arc<SqliteStore>,
    intake: Intake,
    pushed: Arc<Mutex<Vec<RepositoryId>>>,
    bell: Arc<Notify>,
    readiness: Readiness,
}

/// Whether somebody writes what comes in.
#[derive(PartialEq)]
enum Writing {
    Works,
    Stands,
}

async fn serve(store: SqliteStore, secrets: &[&str], writing: Writing) -> Server {
    let store = Arc::new(store);
    let bell = Arc::new(Notify::new());
    let (intake, writer) = intake(store.clone(), bell.clone());
    if writing == Writing::Works {
        tokio::spawn(writer.run());
    } else {
        tokio::spawn(async move {
            let _kept = writer;
            std::future::pending::<()>().await;
        });
    }
    let us = Ourselves::new(Some(AppId(12345)));
    us.know(AppIdentity { id: AppId(12345), slug: "sekisho".to_owned() });
    let pushed = Arc::new(Mutex::new(Vec::new()));
    let told = pushed.clone();
    let settings = Settings {
        path: PATH.to_owned(),
        secrets: secrets.iter().map(|secret| (*secret).into()).collect(),
        windows: Windows { quiet_ms: 0, edit_ms: 0 },
    };
    let clock = Arc::new(SystemClock);
    let on_pushed = Arc::new(move |repository| told.lock().expect("whole").push(repository));
    let door = Door::new(settings, Arc::new(us), intake.clone(), clock.clone(), on_pushed);
    let readiness = Readiness::default();
    let health = health::router(store.clone(), clock, readiness.clone(), None);
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(door::serve(listener, door.router().merge(health), std::future::pending()));
    Server { address, store, intake, pushed, bell, readiness }
}

async fn memory() -> SqliteStore {
    SqliteStore::open("sqlite::memory:", Synchronous::Normal).await.expect("a database in memory")
}

async fn usual() -> Server {
    serve(memory().await, &[SECRET], Writing::Works).await
}

fn sign(secret: &str, body: &[u8]) -> String {
    let mac = Hmac::<sha2::Sha256>::new_from_slice(secret.as_bytes()).expect("any key").chain_update(body).finalize();
    format!("sha256={}", hex::encode(mac.into_bytes()))
}

fn labeled(number: u64) -> Value {
    json!({
        "action": "labeled",
        "label": {"name": "gate:start"},
        "issue": {"number": number, "updated_at": "2024-05-01T10:00:00Z"},
        "installation": {"id": 4242},
        "repository": {"id": 77, "full_name": "acme/widgets", "default_branch": "main"},
        "sender": {"login": "octo"},
    })
}

/// Posts with exactly these headers.
async fn post(server: &Server, headers: &[(&str, &str)], body: impl Into<reqwest::Body>) -> reqwest::Response {
    let mut request = reqwest::Client::new().post(format!("http://{}{PATH}", server.address)).body(body);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.send().await.expect("an answer")
}

/// Posts as GitHub does; the status.
async fn deliver(server: &Server, event: &str, id: &str, payload: &Value) -> u16 {
    let body = payload.to_string();
    let signature = sign(SECRET, body.as_bytes());
    let headers = [
        ("content-type", "application/json"),
        ("x-github-event", event),
        ("x-github-delivery", id),
        ("x-hub-signature-256", signature.as_str()),
    ];
    post(server, &headers, body).await.status().as_u16()
}

async fn ready(server: &Server) -> u64 {
    server.store.depth().await.expect("depth").ready
}

/// Reads a raw answer's status line.
async fn raw(server: &Server, head: &str, body: &[u8]) -> String {
    let mut stream = TcpStream::connect(server.address).await.expect("connected");
    stream.write_all(head.as_bytes()).await.expect("sent");
    // The server may answer, and close, before it has read all of it.
    let _ = stream.write_all(body).await;
    let mut answer = vec![0; 64];
    let read = stream.read(&mut answer).await.expect("an answer");
    String::from_utf8_lossy(&answer[..read]).lines().next().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn a_delivery_is_durable_before_202_and_once() {
    let server = usual().await;
    for _ in 0..5 {
        assert_eq!(deliver(&server, "issues", "d1", &labeled(3)).await, 202);
        assert_eq!(ready(&server).await, 1);
    }
    tokio::time::timeout(std::time::Duration::from_secs(5), server.bell.notified()).await.expect("the worker was told");
    assert_eq!(deliver(&server, "issues", "d2", &labeled(4)).await, 202);
    assert_eq!(ready(&server).await, 2);
}

#[tokio::test]
async fn one_delivery_may_wake_for_two_reasons_and_each_is_stored_once() {
    let server = usual().await;
    let pull = json!({"number": 3, "body": "## Result\nx", "updated_at": "2024-05-01T10:00:00Z"});
    let opened = json!({
        "action": "opened", "installation": {"id": 4242}, "repository": {"id": 77, "full_name": "acme/widgets"},
        "sender": {"login": "octo"}, "pull_request": pull,
    });
    for _ in 0..2 {
        assert_eq!(deliver(&server, "pull_request", "twofold", &opened).await, 202);
        assert_eq!(ready(&server).await, 2);
    }
}

#[tokio::test]
async fn many_at_once_are_all_answered_and_all_there() {
    let server = Arc::new(usual().await);
    let posts: Vec<_> = (0..200)
        .map(|n| {
            let server = server.clone();
            tokio::spawn(async move { deliver(&server, "issues", &format!("d{n}"), &labeled(n)).await })
        })
        .collect();
    for post in posts {
        assert_eq!(post.await.expect("no panic"), 202);
    }
    assert_eq!(ready(&server).await, 200);
}

#[tokio::test]
async fn the_official_vector_is_signed_but_not_json() {
    let server = usual().await;
    let good = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
    let answer = post(
        &server,
        &[("x-hub-signature-256", good), ("x-github-event", "ping"), ("x-github-delivery", "d")],
        "Hello, World!",
    )
    .await;
    assert_eq!(answer.status(), 400);
}

#[tokio::test]
async fn a_signature_has_many_ways_to_be_wrong() {
    let server = usual().await;
    let body = labeled(3).to_string();
    let good = sign(SECRET, body.as_bytes());
    let digits = good.strip_prefix("sha256=").expect("a prefix");
    let wrong = [
        None,
        Some(String::new()),
        Some(digits.to_owned()),
        Some(format!("sha1={digits}")),
        Some(format!("SHA256={digits}")),
        Some(good[..good.len() - 2].to_owned()),
        Some(format!("{good}00")),
        Some(format!("{}zz", &good[..good.len() - 2])),
        Some(sign("another secret", body.as_bytes())),
        Some(sign(SECRET, format!("{body} ").as_bytes())),
        Some(sign("", body.as_bytes())),
        Some(format!("sha256={}", "0".repeat(64))),
        Some(format!("{good}, {good}")),
    ];
    for signature in wrong {
        let mut headers = vec![("x-github-event", "issues"), ("x-github-delivery", "d1")];
        if let Some(signature) = &signature {
            headers.push(("x-hub-signature-256", signature));
        }
        assert_eq!(post(&server, &headers, body.clone()).await.status(), 401, "{signature:?}");
    }
    let usual = [("x-github-event", "issues"), ("x-github-delivery", "d1")];
    let sha1 = [("x-hub-signature", "sha1=0123456789012345678901234567890123456789")];
    assert_eq!(post(&server, &[&usual[..], &sha1].concat(), body.clone()).await.status(), 401, "SHA-1 only");
    let twice = [("x-hub-signature-256", good.as_str()), ("x-hub-signature-256", good.as_str())];
    assert_eq!(post(&server, &[&usual[..], &twice].concat(), body.clone()).await.status(), 401, "two of them");
    assert_eq!(ready(&server).await, 0, "nothing of it is stored");
    let right = [("x-hub-signature-256", good.as_str())];
    assert_eq!(post(&server, &[&usual[..], &right].concat(), body).await.status(), 202);
}

#[tokio::test]
async fn two_secrets_are_live_while_they_rotate() {
    let server = serve(memory().await, &["", "new", SECRET], Writing::Works).await;
    for (n, secret) in ["new", SECRET].into_iter().enumerate() {
        let body = labeled(3).to_string();
        let (id, signature) = (format!("d{n}"), sign(secret, body.as_bytes()));
        let headers = [("x-github-event", "issues"), ("x-github-delivery", &id), ("x-hub-signature-256", &signature)];
        assert_eq!(post(&server, &headers, body).await.status(), 202, "{secret}");
    }
    let body = labeled(3).to_string();
    let signature = sign("", body.as_bytes());
    let headers = [("x-github-event", "issues"), ("x-github-delivery", "d9"), ("x-hub-signature-256", &signature)];
    assert_eq!(post(&server, &headers, body).await.status(), 401, "an empty secret is none");
}

#[tokio::test]
async fn without_a_secret_nothing_is_believed() {
    let server = serve(memory().await, &[""], Writing::Works).await;
    assert_eq!(deliver(&server, "issues", "d1", &labeled(3)).await, 503);
    assert_eq!(ready(&server).await, 0);
}

#[tokio::test]
async fn signed_nonsense_is_400_and_a_form_415() {
    let server = usual().await;
    let send = async |headers: &[(&str, &str)], body: &str| {
        let signature = sign(SECRET, body.as_bytes());
        let mut all = vec![("x-hub-signature-256", signature.as_str())];
        all.extend_from_slice(headers);
        post(&server, &all, body.to_owned()).await.status().as_u16()
    };
    let (event, delivery) = (("x-github-event", "issues"), ("x-github-delivery", "d1"));
    let json = labeled(3).to_string();
    assert_eq!(send(&[event, delivery], "not json").await, 400);
    assert_eq!(send(&[event, delivery], "").await, 400);
    assert_eq!(send(&[event], &json).await, 400, "no delivery");
    assert_eq!(send(&[delivery], &json).await, 400, "no event");
    assert_eq!(send(&[event, ("x-github-delivery", " ")], &json).await, 400, "an empty one");
    for kind in
        ["application/x-www-form-urlencoded", "Application/X-WWW-Form-URLencoded; charset=utf-8", "multipart/form-data"]
    {
        assert_eq!(send(&[event, delivery, ("content-type", kind)], "payload=%7B%7D").await, 415, "{kind}");
    }
    assert_eq!(ready(&server).await, 0);
}

#[tokio::test]
async fn what_is_too_large_is_413_announced_or_not() {
    let server = usual().await;
    let head = format!("POST {PATH} HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n", LIMIT + 1);
    assert_eq!(raw(&server, &head, b"x").await, "HTTP/1.1 413 Payload Too Large");
    let head = format!("POST {PATH} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n");
    let mut chunks = Vec::new();
    let piece = vec![b'x'; 1024 * 1024];
    for _ in 0..26 {
        chunks.extend_from_slice(b"100000\r\n");
        chunks.extend_from_slice(&piece);
        chunks.extend_from_slice(b"\r\n");
    }
    assert_eq!(raw(&server, &head, &chunks).await, "HTTP/1.1 413 Payload Too Large");
    assert_eq!(ready(&server).await, 0);
}

#[tokio::test]
async fn a_large_and_a_chunked_body_are_read_whole() {
    let server = usual().await;
    let mut payload = labeled(3);
    payload["padding"] = Value::String("x".repeat(3 * 1024 * 1024));
    assert_eq!(deliver(&server, "issues", "d1", &payload).await, 202);
    let body = labeled(4).to_string();
    let (start, end) = body.split_at(100);
    let head = format!(
        "POST {PATH} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\nx-github-event: issues\r\nx-github-delivery: d2\r\nx-hub-signature-256: {}\r\n\r\n",
        sign(SECRET, body.as_bytes())
    );
    let chunks = format!("{:x}\r\n{start}\r\n{:x}\r\n{end}\r\n0\r\n\r\n", start.len(), end.len());
    assert_eq!(raw(&server, &head, chunks.as_bytes()).await, "HTTP/1.1 202 Accepted");
    assert_eq!(ready(&server).await, 2);
}

#[tokio::test]
async fn what_is_not_ours_is_202_and_not_stored() {
    let server = usual().await;
    let mut homeless = labeled(3);
    homeless["installation"] = Value::Null;
    let mut echo = labeled(3);
    echo["sender"] = json!({"login": "sekisho[bot]"});
    let mut other = labeled(3);
    other["action"] = json!("milestoned");
    for (event, payload) in [
        ("issues", &homeless),
        ("issues", &echo),
        ("issues", &other),
        ("watch", &labeled(3)),
        ("issues", &json!([])),
        ("ping", &json!({"zen": "x"})),
    ] {
        assert_eq!(deliver(&server, event, "d1", payload).await, 202, "{event} {payload}");
    }
    assert_eq!(ready(&server).await, 0);
    assert_eq!(deliver(&server, "issues", "d1", &labeled(3)).await, 202);
    assert_eq!(ready(&server).await, 1, "none of them used the delivery's id up");
}

#[tokio::test]
async fn a_push_is_told_and_not_stored() {
    let server = usual().await;
    let mut push = labeled(3);
    push["ref"] = json!("refs/heads/main");
    assert_eq!(deliver(&server, "push", "d1", &push).await, 202);
    assert_eq!(*server.pushed.lock().expect("whole"), [RepositoryId(77)]);
    assert_eq!(ready(&server).await, 0);
}

#[tokio::test]
async fn a_full_disk_is_503() {
    let folder = tempfile::TempDir::new().expect("a temporary folder");
    let file = folder.path().join("door.db");
    let url = format!("sqlite:{}", file.display());
    SqliteStore::open(&url, Synchronous::Normal).await.expect("it opens").close().await.expect("it closes");
    let pages = 1 + std::fs::metadata(&file).expect("the file is there").len() / 4096;
    let options: sqlx::sqlite::SqliteConnectOptions = url.parse().expect("a good url");
    let options = options.pragma("max_page_count", pages.to_string());
    let store = SqliteStore::open_with(options, Synchronous::Normal).await.expect("it opens");
    let server = serve(store, &[SECRET], Writing::Works).await;
    let mut answers = Vec::new();
    for n in 0..200 {
        answers.push(deliver(&server, "issues", &format!("d{n}"), &labeled(n)).await);
    }
    let stored = answers.iter().filter(|status| **status == 202).count();
    assert!(answers.contains(&503), "the limit was never met");
    assert!(answers.iter().all(|status| [202, 503].contains(status)), "{answers:?}");
    assert_eq!(ready(&server).await, stored as u64, "202 means stored, 503 means not");
}

/// A delivery of its own issue that is due so many milliseconds from `now`.
fn due_in(number: u64, now: chrono::DateTime<chrono::Utc>, ms: i64) -> Delivery {
    let cause = Cause { kind: CauseKind::Label, trigger: None, actor: None, source: None, at: now, pull: None };
    let lane = Lane { installation: InstallationId(1), repository: RepositoryId(1), number: IssueNumber(number) };
    let wake = Wake { lane, repository: RepositoryName::new("a", "b"), cause };
    let due = now + chrono::Duration::milliseconds(ms);
    let work = Work::Wake { wake: Box::new(wake), slot: Slot { merge: None, due, latest: None } };
    Delivery { id: DeliveryId::new(number.to_string()), event: "issues.labeled".to_owned(), received_at: now, work }
}

#[tokio::test]
async fn a_full_channel_is_503_with_retry_after() {
    let server = serve(memory().await, &[SECRET], Writing::Stands).await;
    let now = chrono::Utc::now();
    for n in 0..1024 {
        let intake = server.intake.clone();
        tokio::spawn(async move { intake.take(due_in(n, now, 0)).await });
        tokio::task::yield_now().await;
    }
    let body = labeled(3).to_string();
    let signature = sign(SECRET, body.as_bytes());
    let headers = [("x-github-event", "issues"), ("x-github-delivery", "d"), ("x-hub-signature-256", &signature)];
    let answer = post(&server, &headers, body).await;
    assert_eq!(answer.status(), 503);
    assert_eq!(answer.headers()["retry-after"], "5");
}

#[tokio::test]
async fn the_bell_rings_for_what_is_due_before_what_was_announced() {
    let server = usual().await;
    let now = chrono::Utc::now();
    let rang = async |delivery: Delivery| {
        server.intake.take(delivery).await.expect("taken");
        server.bell.notified().now_or_never().is_some()
    };
    assert!(rang(due_in(1, now, 60_000)).await, "the first");
    assert!(!rang(due_in(2, now, 70_000)).await, "who woke for the first will see it");
    assert!(rang(due_in(3, now, 50_000)).await, "earlier");
    assert!(!rang(due_in(3, now, 10)).await, "a repetition");
    assert!(rang(due_in(4, now, 0)).await, "at once");
    assert!(rang(due_in(5, now, 0)).await, "and again, since nobody waits for what is due");
    assert!(rang(due_in(6, now + chrono::Duration::hours(1), 60_000)).await, "what was announced is past");
}

#[tokio::test]
async fn a_writer_that_is_gone_refuses() {
    let (intake, writer) = intake(Arc::new(memory().await), Arc::new(Notify::new()));
    drop(writer);
    assert_eq!(intake.take(due_in(1, chrono::Utc::now(), 0)).await, Err(Refused::Stopping));
}

#[tokio::test]
async fn a_writer_ends_with_its_last_sender_and_answers_all() {
    let store = Arc::new(memory().await);
    let (intake, writer) = intake(store.clone(), Arc::new(Notify::new()));
    let now = chrono::Utc::now();
    let takes: Vec<_> = (0..300)
        .map(|n| {
            let intake = intake.clone();
            tokio::spawn(async move { intake.take(due_in(n, now, 0)).await })
        })
        .collect();
    drop(intake);
    tokio::task::yield_now().await;
    writer.run().await;
    for take in takes {
        assert_eq!(take.await.expect("no panic"), Ok(Taken::New));
    }
    assert_eq!(store.depth().await.expect("depth").ready, 300);
}

#[tokio::test]
async fn other_methods_and_paths_are_refused() {
    let server = usual().await;
    let get =
        async |path: &str| reqwest::get(format!("http://{}{path}", server.address)).await.expect("an answer").status();
    assert_eq!(get(PATH).await, 405);
    assert_eq!(get("/elsewhere").await, 404);
}

#[tokio::test]
async fn health_says_what_is_known() {
    let server = usual().await;
    let get = async |path: &str| {
        let answer = reqwest::get(format!("http://{}{path}", server.address)).await.expect("an answer");
        (answer.status().as_u16(), answer.text().await.expect("a body"))
    };
    assert_eq!(get("/healthz").await, (200, "ok\n".to_owned()));
    let (status, body) = get("/readyz").await;
    let report: Value = serde_json::from_str(&body).expect("JSON");
    assert_eq!((status, &report["ready"], &report["database"]), (503, &json!(false), &json!("ok")));

    server.readiness.credentials(Credentials::Missing(vec!["GITHUB_APP_ID", "GITHUB_WEBHOOK_SECRET"]));
    let (status, body) = get("/readyz").await;
    assert_eq!(status, 503);
    assert!(body.contains("missing: GITHUB_APP_ID, GITHUB_WEBHOOK_SECRET"), "{body}");

    server.readiness.credentials(Credentials::Good);
    server.readiness.github(Github::Unreachable("connection refused".to_owned()));
    server.readiness.missing_permissions(vec!["issues: write".to_owned()]);
    let (status, body) = get("/readyz").await;
    let report: Value = serde_json::from_str(&body).expect("JSON");
    assert_eq!(status, 200, "GitHub away or a permission missing is said, and no reason to be unready: {body}");
    assert_eq!(report["github"], "unreachable: connection refused");
    assert_eq!(report["missing_permissions"], json!(["issues: write"]));
    assert_eq!(get("/metrics").await.0, 404, "no recorder was installed here");
}

#[tokio::test]
async fn metrics_count_deliveries_and_jobs() {
    let metrics = health::install_metrics().expect("the first in this process");
    let store: Arc<dyn Store> = Arc::new(memory().await);
    let router = health::router(store, Arc::new(SystemClock), Readiness::default(), Some(metrics));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(door::serve(listener, router, std::future::pending()));
    let server = usual().await;
    deliver(&server, "issues", "d1", &labeled(3)).await;
    deliver(&server, "nobody knows this", "d2", &labeled(3)).await;
    let text =
        reqwest::get(format!("http://{address}/metrics")).await.expect("an answer").text().await.expect("a body");
    for line in [
        "sekisho_deliveries_total{event=\"issues\",outcome=\"new\"}",
        "sekisho_deliveries_total{event=\"other\",outcome=\"ignored\"}",
        "sekisho_queue_jobs{state=\"ready\"} 0",
        "sekisho_queue_oldest_seconds 0",
        "# HELP sekisho_deliveries_total",
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
}
