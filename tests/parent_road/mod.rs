//! The parent's story through the real program: `sekisho serve` as a process, GitHub's stand-in, and between them a proxy
//! that can have the process killed at a write. Whoever is killed is started again on the same database.
//!
//! A test file names the modules `emulator`, `plain`, `script` and `service` beside this one.

#![allow(dead_code, reason = "each test program uses its part of it")]

pub mod carrier;
pub mod proxy;

use crate::emulator::{Emulator, Person, WIDGETS};
use crate::plain::{plain, printed};
use crate::script::{self, Act, Deed, Where, Who};
use crate::service::{Jobs, PATIENCE, Service};
use carrier::Carrier;
use proxy::{Proxy, Side};
use reqwest::Method;
use sekisho::render::codec;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::process::Command;
use std::time::{Duration, Instant};

/// Everything that the story needs.
pub struct Road {
    pub emulator: Emulator,
    pub proxy: Proxy,
    carrier: Carrier,
    service: Option<Service>,
    home: tempfile::TempDir,
    parent: u64,
}

impl Road {
    /// Nothing has happened yet; the parent is filed.
    pub async fn new(side: Option<Side>) -> Self {
        let emulator = Emulator::start().await;
        let proxy = Proxy::to(&emulator.url, side).await;
        let home = tempfile::tempdir().unwrap();
        let carrier = Carrier::start().await;
        emulator.deliver_to(&carrier.url).await;
        emulator.collaborator(Person::Helper, WIDGETS, "triage").await;
        let parent =
            emulator.file_issue(Person::Maintainer, WIDGETS, script::TITLE, script::PARENT_WITHOUT_VALUE).await;
        let mut road = Self { emulator, proxy, carrier, service: None, home, parent };
        road.live().await;
        road
    }

    /// The whole story: after each act everything happens that follows.
    pub async fn tell(&mut self) {
        for deed in script::script().into_iter().flatten() {
            self.proxy.acted();
            self.act(deed).await;
            self.rest().await;
        }
    }

    async fn act(&self, (who, place, act): Deed) {
        let who = match who {
            Who::Maintainer => Person::Maintainer,
            Who::Worker => Person::Helper,
        };
        let number = match place {
            Where::Parent => self.parent,
            Where::Child(at) => self.children().await[at],
        };
        let emulator = &self.emulator;
        match act {
            Act::Label(name) => emulator.label(who, WIDGETS, number, name).await,
            Act::Edit(body) => emulator.edit_issue(who, WIDGETS, number, &body).await,
            Act::Comment(text) => {
                emulator.comment(who, WIDGETS, number, &text).await;
            }
            Act::Close => emulator.close_issue(who, WIDGETS, number).await,
            Act::NotPlanned => {
                let route = format!("/repos/{WIDGETS}/issues/{number}");
                emulator
                    .act(who, Method::PATCH, &route, json!({"state": "closed", "state_reason": "not_planned"}))
                    .await;
            }
        }
    }

    /// A new life on the same database.
    async fn live(&mut self) {
        let service = Service::start(&self.proxy.url, self.home.path()).await;
        self.carrier.goes_to(&service.webhooks());
        self.service = Some(service);
    }

    fn service(&self) -> &Service {
        self.service.as_ref().unwrap()
    }

    /// Waits until every webhook is brought, the queue is empty, and nothing more comes of it. Kills the process where the
    /// proxy says so, and starts it again.
    pub async fn rest(&mut self) {
        let mut begun = Instant::now();
        let (mut still, mut before) = (0, None);
        while still < 5 {
            tokio::time::sleep(Duration::from_millis(30)).await;
            if self.proxy.due() {
                self.service.take().unwrap().kill();
                self.proxy.ended();
                self.live().await;
                (begun, still) = (Instant::now(), 0);
                continue;
            }
            let brought = self.carrier.all_brought();
            let Jobs { ready, running, .. } = self.service().jobs().await;
            still = if brought.is_some() && brought == before && ready + running == 0 { still + 1 } else { 0 };
            before = brought;
            assert!(begun.elapsed() < PATIENCE, "it never came to rest:\n{}", self.service().log().whole());
        }
    }

    async fn issues(&self) -> Vec<Value> {
        let route = format!("/repos/{WIDGETS}/issues?state=all&direction=asc&per_page=100");
        let answer = self.emulator.act(Person::Maintainer, Method::GET, &route, Value::Null).await;
        let mut issues = answer.as_array().unwrap().clone();
        issues.sort_by_key(|issue| issue["number"].as_u64());
        issues
    }

    /// Numbers of the children that the App filed.
    async fn children(&self) -> Vec<u64> {
        let issues = self.issues().await;
        let ours = issues.iter().filter(|issue| issue["user"]["login"] == "sekisho[bot]");
        ours.map(|issue| issue["number"].as_u64().unwrap()).collect()
    }

    /// The App's own comments on an issue, oldest first.
    pub async fn comments(&self, number: u64) -> Vec<String> {
        let all = self.emulator.comments(WIDGETS, number).await;
        let ours = all.iter().filter(|comment| comment["user"]["login"] == "sekisho[bot]");
        ours.map(|comment| comment["body"].as_str().unwrap().to_owned()).collect()
    }

    /// What stands in the end, in short.
    pub async fn seen(&self) -> String {
        let mut out = String::new();
        for issue in self.issues().await {
            let state = issue["state_reason"].as_str().or(issue["state"].as_str()).unwrap();
            writeln!(out, "#{} {} ({state}) {:?}", issue["number"], issue["title"].as_str().unwrap(), labels(&issue))
                .unwrap();
            for comment in self.comments(issue["number"].as_u64().unwrap()).await {
                let heading = comment.lines().find(|line| line.starts_with("## ")).unwrap_or("(a reply)");
                let record = codec::read_record(&comment).unwrap().map_or_else(String::new, |record| {
                    let children = record.children.iter().map(|child| child.number.map_or(0, |it| it.0));
                    let children: Vec<u64> = children.collect();
                    format!(" seq {} edit {} attempt {} {children:?}", record.seq, record.edit, record.attempt)
                });
                writeln!(out, "  {heading}{record}").unwrap();
            }
        }
        out
    }

    /// What a person reads: bodies that the App wrote, and its comments.
    pub async fn printed(&self) -> String {
        let mut out = String::new();
        for issue in self.issues().await {
            let (number, title, labels) = (&issue["number"], issue["title"].as_str().unwrap(), labels(&issue));
            writeln!(out, "# #{number} {title}\n\nLabels: {}\n", labels.join(", ")).unwrap();
            if issue["user"]["login"] == "sekisho[bot]" {
                writeln!(out, "{}\n---\n", issue["body"].as_str().unwrap()).unwrap();
            }
            for comment in self.comments(number.as_u64().unwrap()).await {
                writeln!(out, "{}\n\n---\n", printed(&comment)).unwrap();
            }
        }
        plain(&out)
    }

    /// Everything that stands in the end, in GitHub and in the database, without ids and times. Ends the service.
    pub async fn whole(&mut self) -> String {
        let mut out = String::new();
        for issue in self.issues().await {
            let (number, state, reason) = (&issue["number"], &issue["state"], &issue["state_reason"]);
            writeln!(out, "#{number} {} {state} {reason} {:?}\n{}", issue["title"], labels(&issue), issue["body"])
                .unwrap();
            for comment in self.comments(number.as_u64().unwrap()).await {
                writeln!(out, "--- comment\n{comment}").unwrap();
            }
        }
        let route = format!("/repos/{WIDGETS}/pulls?state=all&per_page=100");
        let pulls = self.emulator.act(Person::Maintainer, Method::GET, &route, Value::Null).await;
        for pull in pulls.as_array().unwrap() {
            writeln!(out, "#{} {} {}\n{}", pull["number"], pull["title"], pull["state"], pull["body"]).unwrap();
        }
        assert_eq!(self.service().jobs().await, Jobs::default(), "{}", self.service().log().whole());
        assert!(self.service.take().unwrap().terminate().await.0.success());
        let records = Command::new(env!("CARGO_BIN_EXE_sekisho"))
            .args(["records", "--repo", WIDGETS, "--format", "jsonl"])
            .env_clear()
            .env("DATABASE_URL", format!("sqlite:{}", self.home.path().join("sekisho.db").display()))
            .output()
            .unwrap();
        assert!(records.status.success(), "{}", String::from_utf8_lossy(&records.stderr));
        out.push_str(&String::from_utf8(records.stdout).unwrap());
        plain(&out)
    }
}

fn labels(issue: &Value) -> Vec<&str> {
    let mut labels: Vec<&str> =
        issue["labels"].as_array().unwrap().iter().map(|label| label["name"].as_str().unwrap()).collect();
    labels.sort_unstable();
    labels
}
