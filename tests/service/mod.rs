//! The real program: `sekisho serve` as a process of its own, on a free port, with a SQLite file that outlives it. It is
//! told to end, or killed; whoever starts it again on the same folder continues its life.
//!
//! It takes its place in GitHub from the emulator, which a test file names as `crate::emulator`.

#![allow(dead_code, reason = "every test file compiles this module for itself and uses its own part of it")]

pub mod wire;

use crate::emulator::{APP, KEY, Sent, WEBHOOK_SECRET};
use reqwest::Client;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long anything may take before a test gives up.
pub const PATIENCE: Duration = Duration::from_mins(1);

/// A running service.
pub struct Service {
    /// Its own address, such as `http://127.0.0.1:40123`.
    pub url: String,
    process: Child,
    log: Log,
    http: Client,
}

/// What stands in its queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Jobs {
    pub ready: u64,
    pub running: u64,
    pub paused: u64,
    pub dead: u64,
}

/// Lines that the process wrote, JSON each.
#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    /// Every line with that message, oldest first.
    pub fn said(&self, message: &str) -> Vec<Value> {
        let lines = self.0.lock().unwrap();
        let parsed = lines.iter().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        parsed.filter(|line| line["fields"]["message"] == message).collect()
    }

    /// All of it, to be shown where a test fails.
    pub fn whole(&self) -> String {
        self.0.lock().unwrap().join("\n")
    }
}

impl Service {
    /// Starts it: windows of zero, a second until lost answers are looked up, the database in `home`.
    pub async fn start(api: &str, home: &Path) -> Self {
        Self::start_with(api, home, &[]).await
    }

    /// The same with further settings.
    pub async fn start_with(api: &str, home: &Path, settings: &[(&str, &str)]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_sekisho"))
            .arg("serve")
            .current_dir(home)
            .env_clear()
            .env("GITHUB_APP_ID", APP.to_string())
            .env("GITHUB_PRIVATE_KEY", KEY)
            .env("GITHUB_WEBHOOK_SECRET", WEBHOOK_SECRET)
            .env("GITHUB_API_URL", api)
            .env("DATABASE_URL", format!("sqlite:{}", home.join("sekisho.db").display()))
            .env("SEKISHO_LISTEN", "127.0.0.1:0")
            .env("SEKISHO_QUIET_WINDOW", "0")
            .env("SEKISHO_EDIT_WINDOW", "0")
            .env("SEKISHO_SETTLE", "1")
            .envs(settings.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let log = Log::default();
        let (lines, stderr) = (log.clone(), process.stderr.take().unwrap());
        std::thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                lines.0.lock().unwrap().push(line);
            }
        });
        let mut service = Self { url: String::new(), process, log, http: Client::new() };
        let begun = Instant::now();
        while service.url.is_empty() {
            if let Some(line) = service.log.said("listening").first() {
                service.url = format!("http://{}", line["fields"]["listen"].as_str().unwrap());
            } else {
                service.alive(begun).await;
            }
        }
        while service.get("/healthz").await.is_none() {
            service.alive(begun).await;
        }
        service
    }

    async fn alive(&mut self, since: Instant) {
        let ended = self.process.try_wait().unwrap();
        let waits = ended.is_none() && since.elapsed() < PATIENCE;
        assert!(waits, "the service did not start ({ended:?}):\n{}", self.log.whole());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }

    /// Where webhooks go.
    pub fn webhooks(&self) -> String {
        format!("{}/github/webhook", self.url)
    }

    /// Its log; stays after its end.
    pub fn log(&self) -> Log {
        self.log.clone()
    }

    /// The body at that path, where it answers with 200.
    pub async fn get(&self, path: &str) -> Option<String> {
        let answer = self.http.get(format!("{}{path}", self.url)).send().await.ok()?;
        answer.error_for_status().ok()?.text().await.ok()
    }

    /// What stands in its queue.
    pub async fn jobs(&self) -> Jobs {
        let metrics = self.get("/metrics").await.unwrap_or_else(|| panic!("no metrics:\n{}", self.log.whole()));
        let of = |state: &str| {
            let name = format!("sekisho_queue_jobs{{state=\"{state}\"}} ");
            let value = metrics.lines().find_map(|line| line.strip_prefix(&name));
            value.unwrap_or_else(|| panic!("no gauge {name}: {metrics}")).parse().unwrap()
        };
        Jobs { ready: of("ready"), running: of("running"), paused: of("paused"), dead: of("dead") }
    }

    /// kill -9, now.
    pub fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// SIGTERM; how it ended, and after what time.
    pub async fn terminate(mut self) -> (ExitStatus, Duration) {
        let begun = Instant::now();
        let pid = self.process.id().to_string();
        assert!(Command::new("kill").args(["-s", "TERM", &pid]).status().unwrap().success());
        loop {
            if let Some(status) = self.process.try_wait().unwrap() {
                return (status, begun.elapsed());
            }
            assert!(begun.elapsed() < PATIENCE, "it does not end:\n{}", self.log.whole());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Posts a webhook as GitHub does; the answer's status, none where nobody answers.
pub async fn deliver(http: &Client, webhooks: &str, sent: &Sent) -> Option<u16> {
    let request = http
        .post(webhooks)
        .timeout(Duration::from_secs(10))
        .header("content-type", "application/json")
        .header("x-github-event", &sent.event)
        .header("x-github-delivery", &sent.id)
        .header("x-hub-signature-256", &sent.signature)
        .body(sent.body.clone());
    request.send().await.ok().map(|answer| answer.status().as_u16())
}
