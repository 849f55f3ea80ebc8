//! GitHub's stand-in for tests: `emulate` (npm) behind a front that checks every request against GitHub's own description of
//! its API. [`Emulator::start`] installs it into `target/standins` where it is not there yet, starts it on free
//! loopback ports with a clean state, and ends it when it is dropped.
//!
//! A test file names this module with `#[path = "emulator/mod.rs"] mod emulator;`. It needs Node 20 or newer and npm;
//! without them, or without a registry, a test fails and says so.

#![allow(dead_code, reason = "every test file compiles this module for itself and uses its own part of it")]

use reqwest::{Client, Method, Response};
use sekisho::domain::ids::{AppId, InstallationId};
use serde::Deserialize;
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The App.
pub const APP: AppId = AppId(12345);
/// Its slug.
pub const SLUG: &str = "sekisho";
/// Its installation on `acme`: [`WIDGETS`], [`SECRET`] and [`EMPTY`].
pub const INSTALLATION: InstallationId = InstallationId(4242);
/// The webhook secret.
pub const WEBHOOK_SECRET: &str = "It's a Secret to Everybody";
/// The App's private key; a throw-away key for tests.
pub const KEY: &str = include_str!("../fixtures/app-key.pkcs1.txt");

/// A public repository with one commit.
pub const WIDGETS: &str = "acme/widgets";
/// A private one.
pub const SECRET: &str = "acme/secret";
/// One without a commit.
pub const EMPTY: &str = "acme/empty";
/// A private one that the installation does not cover.
pub const OUTSIDE: &str = "acme/outside";

/// Who acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Person {
    /// Admin of the organisation.
    Maintainer,
    /// No role anywhere; the emulator lets him label and edit in public repositories all the same.
    Reporter,
    /// No role until [`Emulator::collaborator`] gives him one.
    Helper,
}

impl Person {
    /// His login.
    pub fn login(self) -> &'static str {
        match self {
            Self::Maintainer => "maintainer",
            Self::Reporter => "reporter",
            Self::Helper => "helper",
        }
    }

    fn token(self) -> String {
        format!("ghp_{}", self.login())
    }
}

/// A running stand-in.
pub struct Emulator {
    /// The API's base address, for `GITHUB_API_URL`.
    pub url: String,
    control: String,
    http: Client,
    process: Child,
}

/// A webhook that the emulator sent, as GitHub would have.
#[derive(Clone, Debug, Deserialize)]
pub struct Sent {
    /// `X-GitHub-Delivery`.
    pub id: String,
    /// `X-GitHub-Event`.
    pub event: String,
    /// `X-Hub-Signature-256`.
    pub signature: String,
    /// The signed bytes.
    pub body: String,
    /// What the target answered; none = nothing yet, 0 = it could not be reached.
    pub answer: Option<u16>,
}

/// One request that came.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct Call {
    /// `app` or `person`.
    pub caller: String,
    /// The method.
    pub method: String,
    /// Path and query.
    pub path: String,
    /// The answer's status.
    pub status: u16,
}

#[derive(Deserialize)]
struct Ready {
    url: String,
    control: String,
}

impl Emulator {
    /// Installs, starts and waits until it answers.
    ///
    /// # Panics
    /// Where that is not possible, with the reason.
    pub async fn start() -> Self {
        match tokio::task::spawn_blocking(start).await {
            Ok(emulator) => emulator,
            Err(failed) => std::panic::resume_unwind(failed.into_panic()),
        }
    }

    /// Sends webhooks on to that address from now on; each goes once, and is kept for [`Emulator::sent`] either way.
    pub async fn deliver_to(&self, url: &str) {
        let request = self.http.put(format!("{}/target", self.control)).json(&json!({ "url": url }));
        request.send().await.unwrap().error_for_status().unwrap();
    }

    /// Every webhook so far, oldest first.
    pub async fn sent(&self) -> Vec<Sent> {
        self.look("deliveries").await
    }

    /// Requests, the App's and people's, that break GitHub's description. A test ends with none.
    pub async fn violations(&self) -> Vec<Value> {
        self.look("violations").await
    }

    /// Every request of the App since the start or the last [`Emulator::forget_calls`].
    pub async fn calls(&self) -> Vec<Call> {
        let all: Vec<Call> = self.look("journal").await;
        all.into_iter().filter(|call| call.caller == "app").collect()
    }

    /// Begins the journal anew.
    pub async fn forget_calls(&self) {
        self.http.delete(format!("{}/journal", self.control)).send().await.unwrap().error_for_status().unwrap();
    }

    /// Files an issue; its number.
    pub async fn file_issue(&self, person: Person, repository: &str, title: &str, body: &str) -> u64 {
        let route = format!("/repos/{repository}/issues");
        number(&self.act(person, Method::POST, &route, json!({ "title": title, "body": body })).await, "number")
    }

    /// Changes an issue's body.
    pub async fn edit_issue(&self, person: Person, repository: &str, number: u64, body: &str) {
        self.act(person, Method::PATCH, &issue(repository, number), json!({ "body": body })).await;
    }

    /// Closes an issue.
    pub async fn close_issue(&self, person: Person, repository: &str, number: u64) {
        self.act(person, Method::PATCH, &issue(repository, number), json!({ "state": "closed" })).await;
    }

    /// Puts a label on an issue; the emulator creates a label that it does not know, as GitHub does.
    pub async fn label(&self, person: Person, repository: &str, number: u64, name: &str) {
        let route = format!("{}/labels", issue(repository, number));
        self.act(person, Method::POST, &route, json!({ "labels": [name] })).await;
    }

    /// Takes a label off an issue; `name` stands in the address and must need no encoding.
    pub async fn unlabel(&self, person: Person, repository: &str, number: u64, name: &str) {
        let route = format!("{}/labels/{name}", issue(repository, number));
        self.act(person, Method::DELETE, &route, Value::Null).await;
    }

    /// Comments; the comment's id.
    pub async fn comment(&self, person: Person, repository: &str, on: u64, body: &str) -> u64 {
        let route = format!("{}/comments", issue(repository, on));
        number(&self.act(person, Method::POST, &route, json!({ "body": body })).await, "id")
    }

    /// Gives a person a role: `pull`, `triage`, `push`, `maintain`, `admin`.
    pub async fn collaborator(&self, person: Person, repository: &str, role: &str) {
        let route = format!("/repos/{repository}/collaborators/{}", person.login());
        self.act(Person::Maintainer, Method::PUT, &route, json!({ "permission": role })).await;
    }

    /// Opens a pull request from a branch of the repository, which adds this file; its number.
    pub async fn propose(&self, person: Person, repository: &str, title: &str, path: &str, text: &str) -> u64 {
        let main = self.act(person, Method::GET, &format!("/repos/{repository}/commits/HEAD"), Value::Null).await;
        let sha = main["sha"].as_str().unwrap();
        let branch = format!("change-{}", &sha[..7]);
        let reference = json!({ "ref": format!("refs/heads/{branch}"), "sha": sha });
        self.act(person, Method::POST, &format!("/repos/{repository}/git/refs"), reference).await;
        self.commit_file(person, repository, path, text, Some(&branch)).await;
        let pull = json!({ "title": title, "head": branch, "base": "main", "body": "" });
        number(&self.act(person, Method::POST, &format!("/repos/{repository}/pulls"), pull).await, "number")
    }

    /// Commits a new file to the default branch.
    pub async fn put_file(&self, person: Person, repository: &str, path: &str, text: &str) {
        self.commit_file(person, repository, path, text, None).await;
    }

    async fn commit_file(&self, person: Person, repository: &str, path: &str, text: &str, branch: Option<&str>) {
        use base64::Engine as _;
        let mut address = url::Url::parse(&self.url).unwrap();
        address
            .path_segments_mut()
            .unwrap()
            .extend(["repos"])
            .extend(repository.split('/'))
            .push("contents")
            .extend(path.split('/'));
        let content = base64::engine::general_purpose::STANDARD.encode(text);
        let mut body = json!({ "message": format!("Add {path}"), "content": content });
        if let Some(branch) = branch {
            body["branch"] = json!(branch);
        }
        self.act(person, Method::PUT, address.path(), body).await;
    }

    /// An issue's comments, at most a hundred.
    pub async fn comments(&self, repository: &str, number: u64) -> Vec<Value> {
        let route = format!("{}/comments?per_page=100", issue(repository, number));
        array(self.act(Person::Maintainer, Method::GET, &route, Value::Null).await)
    }

    /// Replaces a comment's body, whoever wrote it.
    pub async fn edit_comment(&self, person: Person, repository: &str, id: u64, body: &str) {
        let route = format!("/repos/{repository}/issues/comments/{id}");
        self.act(person, Method::PATCH, &route, json!({ "body": body })).await;
    }

    /// Names of an issue's labels.
    pub async fn labels(&self, repository: &str, number: u64) -> Vec<String> {
        let route = format!("{}/labels?per_page=100", issue(repository, number));
        let labels = array(self.act(Person::Maintainer, Method::GET, &route, Value::Null).await);
        labels.iter().map(|label| label["name"].as_str().unwrap().to_owned()).collect()
    }

    /// Any other request of a person; panics where it is refused.
    pub async fn act(&self, person: Person, method: Method, route: &str, body: Value) -> Value {
        let mut tries = 0;
        loop {
            let mut request = self.http.request(method.clone(), format!("{}{route}", self.url));
            request = request.header("authorization", format!("token {}", person.token()));
            if !body.is_null() {
                request = request.json(&body);
            }
            let response = request.send().await.unwrap();
            let status = response.status();
            let text = response.text().await.unwrap();
            // On a busy machine the emulator closes an idle connection in the moment in which the front uses it: the
            // request did not arrive there, and a person would press the button again.
            tries += 1;
            if status == reqwest::StatusCode::BAD_GATEWAY && tries < 4 {
                tokio::time::sleep(std::time::Duration::from_millis(200)).await;
                continue;
            }
            assert!(status.is_success(), "{person:?} {method} {route}: {status} {text}");
            return serde_json::from_str(&text).unwrap_or(Value::Null);
        }
    }

    async fn look<T: serde::de::DeserializeOwned>(&self, what: &str) -> T {
        let response: Response = self.http.get(format!("{}/{what}", self.control)).send().await.unwrap();
        response.json().await.unwrap()
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        // It would end by itself when its standard input closes; this also waits for it.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn issue(repository: &str, number: u64) -> String {
    format!("/repos/{repository}/issues/{number}")
}

fn number(answer: &Value, key: &str) -> u64 {
    answer[key].as_u64().unwrap()
}

fn array(answer: Value) -> Vec<Value> {
    match answer {
        Value::Array(items) => items,
        other => panic!("not a list: {other}"),
    }
}

fn start() -> Emulator {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = install(here);
    let key = KEY.find("-----BEGIN").map(|at| &KEY[at..]).unwrap();
    let people = [Person::Maintainer, Person::Reporter, Person::Helper].map(
        |person| json!({ "login": person.login(), "token": person.token(), "admin": person == Person::Maintainer }),
    );
    let world = json!({
        "root": root, "secret": WEBHOOK_SECRET, "key": key, "app": APP, "slug": SLUG, "installation": INSTALLATION,
        "org": "acme",
        "people": people,
        "repositories": [
            {"full_name": WIDGETS, "private": false, "installed": true, "auto_init": true},
            {"full_name": SECRET, "private": true, "installed": true, "auto_init": true},
            {"full_name": EMPTY, "private": false, "installed": true, "auto_init": false},
            {"full_name": OUTSIDE, "private": true, "installed": false, "auto_init": true},
        ],
    });
    let mut process = Command::new("node")
        .arg(here.join("tests/emulator/front.mjs"))
        .arg(world.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("the stand-in for GitHub cannot be started with `node`: {error}"));
    let mut line = String::new();
    let stdout = process.stdout.take().unwrap();
    BufReader::new(stdout).read_line(&mut line).unwrap();
    let Ok(Ready { url, control }) = serde_json::from_str(&line) else {
        let _ = process.kill();
        panic!("the stand-in for GitHub did not start (its error stands above): {line:?}");
    };
    Emulator { url, control, http: Client::new(), process }
}

/// Installs once, though several test processes may ask at the same time.
fn install(here: &Path) -> PathBuf {
    let target = here.join("target");
    fs::create_dir_all(&target).unwrap();
    let root = target.join("standins");
    let lock = File::create(target.join("standins.lock")).unwrap();
    lock.lock().unwrap();
    let done = Command::new("node").arg(here.join("tests/emulator/install.mjs")).arg(&root).output();
    match done {
        Ok(output) if output.status.success() => root,
        Ok(output) => panic!("{}", String::from_utf8_lossy(&output.stderr).trim()),
        Err(error) => panic!("the stand-ins for GitHub need Node 20 or newer and npm; `node` cannot be run: {error}"),
    }
}
