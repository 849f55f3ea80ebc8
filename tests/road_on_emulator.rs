//! The road through the real program: `sekisho serve` as a process, real HTTP, and GitHub's stand-in, which checks each
//! request against GitHub's own description. Every test ends with no request that breaks it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, reason = "a test program")]

#[path = "emulator/mod.rs"]
mod emulator;
mod service;
#[path = "support/texts.rs"]
mod texts;

use emulator::{Call, Emulator, Person, Sent, WIDGETS};
use sekisho::adapters::github::key::AppKey;
use sekisho::domain::record::{Record, SigningKeys, Verification};
use sekisho::render::codec;
use serde_json::Value;
use service::wire::{Mode, Wire};
use service::{Jobs, PATIENCE, Service, deliver};
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use texts::{COMPLETE, VAGUE, ja};

const MAINTAINER: Person = Person::Maintainer;
const REPORTER: Person = Person::Reporter;

/// GitHub's stand-in, the service beside it, and the folder that holds its database.
struct Road {
    emulator: Emulator,
    service: Service,
    home: tempfile::TempDir,
}

impl Road {
    async fn new() -> Self {
        let emulator = Emulator::start().await;
        let home = tempfile::tempdir().unwrap();
        let service = Service::start(&emulator.url, home.path()).await;
        emulator.deliver_to(&service.webhooks()).await;
        Self { emulator, service, home }
    }

    /// The same with a wire between both.
    async fn over_a_wire(mode: Mode) -> (Self, Wire) {
        let emulator = Emulator::start().await;
        let wire = Wire::to(&emulator.url, mode).await;
        let home = tempfile::tempdir().unwrap();
        let service = Service::start(&wire.url, home.path()).await;
        emulator.deliver_to(&service.webhooks()).await;
        (Self { emulator, service, home }, wire)
    }

    /// An issue of the reporter's.
    async fn issue(&self, body: &str) -> u64 {
        self.emulator.file_issue(REPORTER, WIDGETS, "Export", body).await
    }

    async fn label(&self, person: Person, number: u64) {
        self.emulator.label(person, WIDGETS, number, "gate:start").await;
    }

    /// Waits until every webhook is answered, the queue is empty, and nothing more comes of it.
    async fn rest(&self) {
        let begun = Instant::now();
        let (mut still, mut before) = (0, 0);
        while still < 3 {
            tokio::time::sleep(Duration::from_millis(100)).await;
            let sent = self.emulator.sent().await;
            let Jobs { ready, running, .. } = self.service.jobs().await;
            // Between two lives nobody answers (0); then only the App's own acts make webhooks.
            let answered = sent.iter().all(|sent| [Some(202), Some(0)].contains(&sent.answer));
            still = if answered && ready + running == 0 && sent.len() == before { still + 1 } else { 0 };
            before = sent.len();
            assert!(begun.elapsed() < PATIENCE, "it never came to rest:\n{}", self.service.log().whole());
        }
    }

    /// The App's own comments, oldest first.
    async fn comments(&self, number: u64) -> Vec<String> {
        let all = self.emulator.comments(WIDGETS, number).await;
        let ours = all.iter().filter(|comment| comment["user"]["login"] == "sekisho[bot]");
        ours.map(|comment| comment["body"].as_str().unwrap().to_owned()).collect()
    }

    async fn headings(&self, number: u64) -> Vec<String> {
        let heading = |body: &String| body.lines().find(|line| line.starts_with("## ")).unwrap_or("(none)").to_owned();
        self.comments(number).await.iter().map(heading).collect()
    }

    async fn labels(&self, number: u64) -> Vec<String> {
        let mut labels = self.emulator.labels(WIDGETS, number).await;
        labels.sort();
        labels
    }

    /// The maintainer's webhook of that event on that issue, as soon as it was sent and answered.
    async fn webhook(&self, event: &str, action: &str, number: u64) -> Sent {
        let begun = Instant::now();
        loop {
            let found = self.emulator.sent().await.into_iter().find(|sent| {
                let payload: Value = serde_json::from_str(&sent.body).unwrap();
                let ours = payload["action"] == action && payload["sender"]["login"] == MAINTAINER.login();
                sent.event == event && ours && payload["issue"]["number"] == number
            });
            match found.filter(|sent| sent.answer.is_some()) {
                Some(sent) => return sent,
                None => assert!(begun.elapsed() < PATIENCE, "no {event}.{action} on #{number}"),
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Ends the test: nothing was given up, nothing broke GitHub's description.
    async fn done(self) {
        assert_eq!(self.service.jobs().await, Jobs::default(), "{}", self.service.log().whole());
        assert_eq!(self.emulator.violations().await, Vec::<Value>::new());
    }
}

fn record(comment: &str) -> Record {
    codec::read_record(comment).unwrap().expect("a record stands in it")
}

/// The key that the App's private key gives.
fn keys() -> SigningKeys {
    let (kid, bytes) = AppKey::parse(&emulator::KEY.to_owned().into()).unwrap().signing_key();
    SigningKeys::new(vec![(kid, bytes.to_vec())])
}

/// Reads and writes as chapter 10 counts them: tokens, the App itself, contracts, the creation of labels, minimising and 👀 apart.
fn budget(calls: &[Call]) -> (usize, usize) {
    let apart = |call: &&Call| {
        let path = call.path.split('?').next().unwrap();
        path.ends_with("/access_tokens")
            || path == "/app"
            || path.ends_with("/commits/HEAD")
            || path.contains("/contents/")
            || path.ends_with("/graphql")
            || path.ends_with("/reactions")
            || (call.method == "POST" && path == format!("/repos/{WIDGETS}/labels"))
    };
    let counted: Vec<&Call> = calls.iter().filter(|call| !apart(call)).collect();
    let reads = counted.iter().filter(|call| call.method == "GET").count();
    (reads, counted.len() - reads)
}

#[tokio::test]
async fn from_a_label_to_a_signed_comment_and_on_by_an_edit() {
    let road = Road::new().await;
    let number = road.issue(VAGUE).await;
    road.label(MAINTAINER, number).await;
    road.rest().await;
    assert_eq!(road.headings(number).await, ["## Start gate: 🔴 Returned TOO_ABSTRACT"]);
    assert_eq!(road.labels(number).await, ["gate:start-returned"]);
    let calls = road.emulator.calls().await;
    let (reads, writes) = budget(&calls);
    assert!((1..=4).contains(&reads) && (1..=4).contains(&writes), "{reads} reads, {writes} writes: {calls:#?}");

    road.emulator.forget_calls().await;
    road.emulator.edit_issue(REPORTER, WIDGETS, number, COMPLETE).await;
    road.rest().await;
    assert_eq!(
        road.headings(number).await,
        ["## Start gate: 🔴 Returned TOO_ABSTRACT", "## Start gate: ✅ PASS"],
        "the second record stands in a second comment"
    );
    assert_eq!(road.labels(number).await, ["gate:start-passed"]);
    let calls = road.emulator.calls().await;
    let (reads, writes) = budget(&calls);
    assert!((1..=4).contains(&reads) && (1..=4).contains(&writes), "{reads} reads, {writes} writes: {calls:#?}");
    let records: Vec<Record> = road.comments(number).await.iter().map(|comment| record(comment)).collect();
    let mac = |record: &Record| record.signature.as_ref().map(|signature| signature.mac.clone());
    assert_eq!((records[0].seq, records[0].prev.clone()), (1, None));
    assert_eq!((records[1].seq, records[1].prev.clone()), (2, mac(&records[0])));
    assert!(mac(&records[1]).is_some());

    let before = road.comments(number).await;
    road.emulator.forget_calls().await;
    road.label(MAINTAINER, number).await;
    road.rest().await;
    assert_eq!(road.comments(number).await, before, "unchanged: no word, and no comment is touched");
    assert_eq!(road.labels(number).await, ["gate:start-passed"]);
    let calls = road.emulator.calls().await;
    let writes: Vec<&Call> = calls.iter().filter(|call| call.method != "GET").collect();
    assert!(writes.iter().all(|call| call.path.contains("/labels")), "{writes:#?}");
    road.done().await;
}

#[tokio::test]
async fn outsiders_commands_and_repeated_deliveries() {
    let road = Road::new().await;
    let number = road.issue(COMPLETE).await;
    road.label(REPORTER, number).await;
    road.rest().await;
    assert_eq!((road.comments(number).await.len(), road.labels(number).await), (0, vec!["gate:start".to_owned()]));
    let writes = |calls: Vec<Call>| calls.iter().filter(|call| call.method != "GET").cloned().collect::<Vec<_>>();
    let wrote = writes(road.emulator.calls().await);
    assert!(wrote.iter().all(|call| call.path.ends_with("/access_tokens")), "it does and says nothing: {wrote:#?}");

    let number = road.issue(COMPLETE).await;
    road.emulator.comment(MAINTAINER, WIDGETS, number, "Ready, I think.\n\n/gate start").await;
    road.rest().await;
    assert_eq!(road.headings(number).await, ["## Start gate: ✅ PASS"]);
    assert_eq!(road.labels(number).await, ["gate:start-passed"]);
    let calls = road.emulator.calls().await;
    assert!(calls.iter().any(|call| call.path.ends_with("/reactions") && call.status == 201), "👀: {calls:#?}");

    // The same delivery five times: once by GitHub, four times more at the same instant, then once it has all been done.
    let labelled = road.issue(VAGUE).await;
    road.label(MAINTAINER, labelled).await;
    let commanded = road.issue(VAGUE).await;
    road.emulator.comment(MAINTAINER, WIDGETS, commanded, "/gate start").await;
    let deliveries =
        [road.webhook("issues", "labeled", labelled).await, road.webhook("issue_comment", "created", commanded).await];
    let http = reqwest::Client::new();
    for times in [4, 1] {
        let webhooks = road.service.webhooks();
        let repeats = deliveries.iter().flat_map(|sent| std::iter::repeat_n(sent, times));
        let answers = futures::future::join_all(repeats.map(|sent| deliver(&http, &webhooks, sent))).await;
        assert_eq!(answers, vec![Some(202); 2 * times]);
        road.rest().await;
        for number in [labelled, commanded] {
            assert_eq!(road.headings(number).await, ["## Start gate: 🔴 Returned TOO_ABSTRACT"]);
            assert_eq!(road.labels(number).await, ["gate:start-returned"]);
        }
    }
    road.done().await;
}

/// What comes out of a program that is given the text.
fn through(program: &[&str], text: &str) -> String {
    let mut process = Command::new(program[0])
        .args(&program[1..])
        .env("PYTHONUTF8", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("`{}` is needed (scripts/setup.sh tests installs it): {error}", program[0]));
    process.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = process.wait_with_output().unwrap();
    assert!(output.status.success(), "{program:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[tokio::test]
async fn a_record_that_others_rewrote_still_verifies() {
    const REWRITES: [&[&str]; 8] = [
        &["jq", "-S", "."],
        &["jq", "-c", "."],
        &["jq", "-a", "--tab", "."],
        &["python3", "-c", "import json,sys; print(json.dumps(json.load(sys.stdin), sort_keys=True))"],
        &["python3", "-c", "import json,sys; print(json.dumps(json.load(sys.stdin), ensure_ascii=False))"],
        &["python3", "-c", "import json,sys; print(json.dumps(json.load(sys.stdin), indent=1, ensure_ascii=True))"],
        &["python3", "-c", "import json,sys; print(json.dumps(json.load(sys.stdin), indent='\\t', sort_keys=True))"],
        &["python3", "-c", "import json,sys; print(json.dumps(json.load(sys.stdin), separators=(',', ':')))"],
    ];
    const CHANGES: [&[&str]; 6] = [
        &["jq", ".verdict = \"PASS\""],
        &["jq", ".seq = 2"],
        &["jq", ".subject.number += 1"],
        &["jq", "del(.attempt)"],
        &["jq", ".findings[0].quote |= sub(\"使\"; \"便\")"],
        &["python3", "-c", "import json,sys; r=json.load(sys.stdin); r['reasons'].append(''); print(json.dumps(r))"],
    ];
    let road = Road::new().await;
    let body = ja::VAGUE.replace("書き出し画面が", "\"書き出し\\画面\" 🚀𠮷が");
    let number = road.issue(&body).await;
    road.label(MAINTAINER, number).await;
    road.rest().await;
    let comments = road.emulator.comments(WIDGETS, number).await;
    let (id, whole) = (comments[0]["id"].as_u64().unwrap(), comments[0]["body"].as_str().unwrap());
    let value = codec::read_record_value(whole).unwrap().unwrap();
    assert_eq!(keys().verify(&value), Verification::Good);
    assert!(value["findings"][0]["quote"].as_str().unwrap().contains("🚀𠮷"), "{value:#}");
    let (before, json, after) = cut(whole);

    for program in REWRITES {
        // As somebody would do it: the comment is edited, and what stands on GitHub then is read.
        let edited = format!("{before}{}{after}", through(program, json).trim_end());
        road.emulator.edit_comment(MAINTAINER, WIDGETS, id, &edited.replace('\n', "\r\n")).await;
        let stands = road.emulator.comments(WIDGETS, number).await[0]["body"].as_str().unwrap().to_owned();
        assert_ne!(stands, whole, "{program:?} changed nothing");
        let found = codec::read_record_value(&stands).unwrap().unwrap();
        assert_eq!(keys().verify(&found), Verification::Good, "{program:?}");
        assert_eq!(codec::read_record(&stands).unwrap(), codec::read_record(whole).unwrap());
    }
    for program in CHANGES {
        let changed: Value = serde_json::from_str(&through(program, json)).unwrap();
        assert_ne!(changed, value, "{program:?} changed nothing");
        assert_eq!(keys().verify(&changed), Verification::Bad, "{program:?}");
    }
    road.done().await;
}

/// A comment before, in and after the fence of its record.
fn cut(comment: &str) -> (&str, &str, &str) {
    let fold = comment.find("<details><summary>machine verdict").unwrap();
    let start = fold + comment[fold..].find("json\n").unwrap() + "json\n".len();
    let end = start + comment[start..].find("\n`").unwrap();
    (&comment[..start], &comment[start..end], &comment[end..])
}

#[tokio::test]
async fn a_broken_contract_is_shown_with_links_to_its_lines() {
    let road = Road::new().await;
    let broken = "kind: handoff\nversion: 1\ntypo: true\n";
    road.emulator.put_file(MAINTAINER, WIDGETS, "contracts/handoff.yaml", broken).await;
    let route = format!("/repos/{WIDGETS}/commits/HEAD");
    let head = road.emulator.act(MAINTAINER, reqwest::Method::GET, &route, Value::Null).await;
    let head = head["sha"].as_str().unwrap().to_owned();
    let number = road.issue(COMPLETE).await;
    road.label(MAINTAINER, number).await;
    road.rest().await;
    let comments = road.comments(number).await;
    assert_eq!(comments.len(), 1, "{comments:#?}");
    let link = format!("/{WIDGETS}/blob/{head}/contracts/handoff.yaml#L3");
    assert!(comments[0].contains("## Start gate: ⚪") && comments[0].contains(&link), "{}", comments[0]);
    assert_eq!(record(&comments[0]).verdict, None);
    assert_eq!(road.labels(number).await, ["gate:triage"]);
    road.done().await;
}

#[tokio::test]
async fn deliveries_are_taken_in_while_github_is_away() {
    let (road, wire) = Road::over_a_wire(Mode::Cut).await;
    let number = road.issue(COMPLETE).await;
    road.label(MAINTAINER, number).await;
    assert_eq!(road.webhook("issues", "labeled", number).await.answer, Some(202));
    says(&road, "\"unreachable", PATIENCE).await;
    let waiting = road.service.jobs().await;
    assert_eq!((waiting.ready + waiting.running, waiting.dead, road.comments(number).await.len()), (1, 0, 0));

    wire.set(Mode::Open);
    road.rest().await;
    assert_eq!(road.headings(number).await, ["## Start gate: ✅ PASS"]);
    assert_eq!(road.labels(number).await, ["gate:start-passed"]);
    says(&road, "\"reachable", Duration::from_secs(15)).await;
    road.done().await;
}

/// Waits until `/readyz`, which answers 200 all the while, says so of GitHub.
async fn says(road: &Road, what: &str, patience: Duration) {
    let begun = Instant::now();
    loop {
        let ready = road.service.get("/readyz").await.expect("ready whatever GitHub does");
        if ready.contains(&format!("\"github\": {what}")) {
            return;
        }
        assert!(begun.elapsed() < patience, "{ready}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Waits for that moment in the life of a job.
async fn until(road: &Road, what: impl Fn(&Jobs) -> bool) {
    let begun = Instant::now();
    while !what(&road.service.jobs().await) {
        assert!(begun.elapsed() < PATIENCE, "{}", road.service.log().whole());
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

impl Road {
    /// SIGTERM: it ends well and in time. Then a second life begins on the same database.
    async fn stop_and_start(self, api: &str) -> Self {
        let Self { emulator, service, home } = self;
        let log = service.log();
        let (status, took) = service.terminate().await;
        assert!(status.success() && took < Duration::from_secs(25), "{status} after {took:?}:\n{}", log.whole());
        let service = Service::start(api, home.path()).await;
        emulator.deliver_to(&service.webhooks()).await;
        Self { emulator, service, home }
    }
}

#[tokio::test]
async fn a_stop_lets_a_running_job_finish() {
    let (road, wire) = Road::over_a_wire(Mode::Open).await;
    let number = road.issue(COMPLETE).await;
    road.rest().await;
    wire.set(Mode::Slow(Duration::from_millis(200)));
    road.label(MAINTAINER, number).await;
    until(&road, |jobs| jobs.running == 1).await;
    let log = road.service.log();
    let road = road.stop_and_start(&wire.url).await;
    assert_eq!(log.said("stopped").len(), 1, "{}", log.whole());
    assert_eq!(road.headings(number).await, ["## Start gate: ✅ PASS"], "it was finished before the end");
    assert_eq!(road.labels(number).await, ["gate:start-passed"]);
    wire.set(Mode::Open);
    road.rest().await;
    assert_eq!(road.comments(number).await.len(), 1);
    road.done().await;
}

#[tokio::test]
async fn a_stop_releases_a_job_whose_answer_never_comes() {
    let (road, wire) = Road::over_a_wire(Mode::LosesComments).await;
    let number = road.issue(COMPLETE).await;
    road.label(MAINTAINER, number).await;
    let begun = Instant::now();
    while wire.lost() == 0 {
        assert!(begun.elapsed() < PATIENCE, "{}", road.service.log().whole());
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let road = road.stop_and_start(&wire.url).await;
    wire.set(Mode::Open);
    road.rest().await;
    assert_eq!(wire.lost(), 1);
    assert_eq!(road.headings(number).await, ["## Start gate: ✅ PASS"], "the comment whose answer was lost is found");
    assert_eq!(road.labels(number).await, ["gate:start-passed"]);
    road.done().await;
}
