//! kill -9: the real program is killed twenty times, at random moments of its work, while every webhook comes three times
//! and in no order. Whatever was done when, there is one comment for each verdict, and the labels are right.
//!
//! `KILL_SEED` repeats the moments and the order of an earlier run, whose seed stands in its output; how far the work
//! has come at those moments is the machine's.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, reason = "a test program")]

#[path = "support/dice.rs"]
mod dice;
#[path = "emulator/mod.rs"]
mod emulator;
mod service;
#[path = "support/texts.rs"]
mod texts;

use dice::Dice;
use emulator::{Emulator, Person, Sent, WIDGETS};
use sekisho::adapters::github::key::AppKey;
use sekisho::domain::record::{Record, SigningKeys, Verdict, Verification};
use sekisho::render::codec;
use serde_json::Value;
use service::wire::{Mode, Wire};
use service::{Jobs, PATIENCE, Service, deliver};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};
use texts::{COMPLETE, VAGUE};

/// How often the process is killed.
const KILLS: usize = 20;
/// How long a comment stands before the process hears of it. The moment that matters most is made longer than it is in
/// life, so that twenty kills meet it.
const LATE: Duration = Duration::from_millis(150);
/// Issues of each kind.
const EACH: usize = 4;

/// What people do with an issue: two acts, the second when all has been said about the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Labelled, returned, edited: passes.
    Edited,
    /// Labelled, passes, labelled again: nothing is said.
    Relabelled,
    /// Commanded, returned, `/gate retry`: returned once more.
    Retried,
    /// Commanded, passes, commanded again: nothing is said.
    Commanded,
}

impl Kind {
    const ALL: [Self; 4] = [Self::Edited, Self::Relabelled, Self::Retried, Self::Commanded];

    fn body(self) -> &'static str {
        match self {
            Self::Edited | Self::Retried => VAGUE,
            Self::Relabelled | Self::Commanded => COMPLETE,
        }
    }

    async fn first(self, emulator: &Emulator, number: u64) {
        match self {
            Self::Edited | Self::Relabelled => label(emulator, number).await,
            Self::Retried | Self::Commanded => command(emulator, number, "/gate start").await,
        }
    }

    async fn second(self, emulator: &Emulator, number: u64) {
        match self {
            Self::Edited => emulator.edit_issue(Person::Reporter, WIDGETS, number, COMPLETE).await,
            Self::Relabelled => label(emulator, number).await,
            Self::Retried => command(emulator, number, "/gate retry start").await,
            Self::Commanded => command(emulator, number, "/gate start").await,
        }
    }

    /// Verdict and attempt of each comment after the first act and after both, and the only label.
    fn expected(self, acts: usize) -> (&'static [(Verdict, u64)], &'static str) {
        use Verdict::{Pass, TooAbstract};
        match (self, acts) {
            (Self::Edited | Self::Retried, 1) => (&[(TooAbstract, 1)], "gate:start-returned"),
            (Self::Edited, _) => (&[(TooAbstract, 1), (Pass, 1)], "gate:start-passed"),
            (Self::Retried, _) => (&[(TooAbstract, 1), (TooAbstract, 2)], "gate:start-returned"),
            (Self::Relabelled | Self::Commanded, _) => (&[(Pass, 1)], "gate:start-passed"),
        }
    }
}

async fn label(emulator: &Emulator, number: u64) {
    emulator.label(Person::Maintainer, WIDGETS, number, "gate:start").await;
}

async fn command(emulator: &Emulator, number: u64, line: &str) {
    emulator.comment(Person::Maintainer, WIDGETS, number, line).await;
}

/// Carries every webhook to the service, three times each, in random order.
///
/// GitHub keeps a delivery that got no 202 as failed, and somebody, or the sweep of a later version, asks for it again.
/// Here the carrier does: what was not taken in goes back into the bag.
struct Carrier {
    emulator: Arc<Emulator>,
    /// Between the service and GitHub.
    wire: Wire,
    http: reqwest::Client,
    bag: Mutex<Bag>,
}

#[derive(Default)]
struct Bag {
    seen: usize,
    waiting: Vec<Sent>,
    under_way: usize,
    /// Where the service stands or last stood.
    webhooks: String,
    /// How often nobody was there.
    refused: usize,
}

impl Carrier {
    /// Works until its task is aborted.
    async fn run(self: Arc<Self>, seed: u64) {
        let mut dice = Dice(seed);
        loop {
            let sent = self.emulator.sent().await;
            {
                let mut bag = self.bag.lock().unwrap();
                let news = sent[bag.seen..].iter().flat_map(|sent| std::iter::repeat_n(sent.clone(), 3));
                bag.waiting.extend(news);
                bag.seen = sent.len();
            }
            for _ in 0..4 {
                let Some((delivery, webhooks)) = self.take(&mut dice) else { break };
                let carrier = Arc::clone(&self);
                tokio::spawn(async move {
                    let answer = deliver(&carrier.http, &webhooks, &delivery).await;
                    carrier.brought(delivery, answer);
                });
            }
            tokio::time::sleep(Duration::from_millis(5 + dice.below(20))).await;
        }
    }

    fn take(&self, dice: &mut Dice) -> Option<(Sent, String)> {
        let mut bag = self.bag.lock().unwrap();
        let delivery = dice.pick(&mut bag.waiting)?;
        bag.under_way += 1;
        Some((delivery, bag.webhooks.clone()))
    }

    fn brought(&self, delivery: Sent, answer: Option<u16>) {
        let mut bag = self.bag.lock().unwrap();
        bag.under_way -= 1;
        match answer {
            Some(202) => {}
            // Killed in the middle of an answer, or not up yet.
            None => {
                bag.refused += 1;
                bag.waiting.push(delivery);
            }
            Some(other) => panic!("{other} for {}", delivery.event),
        }
    }

    fn goes_to(&self, service: &Service) {
        self.bag.lock().unwrap().webhooks = service.webhooks();
    }

    /// How many webhooks there were, if all of them have been brought three times.
    fn empty(&self) -> Option<usize> {
        let bag = self.bag.lock().unwrap();
        (bag.waiting.is_empty() && bag.under_way == 0).then_some(bag.seen)
    }
}

/// When a life ends: so many requests have gone to GitHub, and a little time has passed. Counted in requests, a moment
/// lies in the midst of the work on any machine.
struct Moment {
    requests: usize,
    and_then: Duration,
}

impl Moment {
    fn thrown(dice: &mut Dice) -> Self {
        let requests = usize::try_from(1 + dice.below(80)).unwrap();
        Self { requests, and_then: Duration::from_millis(dice.below(150)) }
    }
}

/// One life that ends with kill -9, in the middle of what `acts` set off. Says how many jobs it found held by its dead forerunner.
async fn live_and_be_killed(carrier: &Carrier, home: &Path, acts: Vec<(Kind, u64, usize)>, moment: Moment) -> u64 {
    let until = carrier.wire.requests() + moment.requests;
    let service = Service::start(&carrier.wire.url, home).await;
    carrier.goes_to(&service);
    for (kind, number, act) in acts {
        match act {
            1 => kind.first(&carrier.emulator, number).await,
            _ => kind.second(&carrier.emulator, number).await,
        }
    }
    // Less may be left to do than was thrown.
    let _ = tokio::time::timeout(Duration::from_secs(2), carrier.wire.reached(until)).await;
    tokio::time::sleep(moment.and_then).await;
    let log = service.log();
    service.kill();
    found(&log)
}

fn found(log: &service::Log) -> u64 {
    let message = "taken up again: the process that held them is gone";
    log.said(message).iter().map(|line| line["fields"]["jobs"].as_u64().unwrap()).sum()
}

/// A life that is left to settle: everything brought, nothing left to do, and nothing more comes of it.
async fn settle(carrier: &Carrier, service: &Service) {
    carrier.goes_to(service);
    let begun = Instant::now();
    let (mut still, mut before) = (0, None);
    while still < 4 {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let brought = carrier.empty();
        let Jobs { ready, running, .. } = service.jobs().await;
        still = if brought.is_some() && brought == before && ready + running == 0 { still + 1 } else { 0 };
        before = brought;
        assert!(begun.elapsed() < PATIENCE, "it never came to rest:\n{}", service.log().whole());
    }
}

/// One comment for each verdict and no other, signed and chained, and one label.
async fn check(emulator: &Emulator, kind: Kind, number: u64, acts: usize) {
    let all = emulator.comments(WIDGETS, number).await;
    let ours = all.iter().filter(|comment| comment["user"]["login"] == "sekisho[bot]");
    let bodies: Vec<&str> = ours.map(|comment| comment["body"].as_str().unwrap()).collect();
    let records: Vec<Record> =
        bodies.iter().map(|body| codec::read_record(body).unwrap().expect("a verdict and nothing else")).collect();
    let (verdicts, label) = kind.expected(acts);
    let seen: Vec<_> = records.iter().map(|record| (record.verdict.unwrap(), record.attempt)).collect();
    assert_eq!(seen, verdicts, "{kind:?} #{number}: {bodies:#?}");
    assert_eq!(emulator.labels(WIDGETS, number).await, [label], "{kind:?} #{number}");

    let (id, bytes) = AppKey::parse(&emulator::KEY.to_owned().into()).unwrap().signing_key();
    let keys = SigningKeys::new(vec![(id, bytes.to_vec())]);
    let mut before = None;
    for (seq, (body, record)) in (1..).zip(bodies.iter().zip(&records)) {
        assert_eq!(keys.verify(&codec::read_record_value(body).unwrap().unwrap()), Verification::Good);
        assert_eq!((record.seq, &record.prev), (seq, &before), "{kind:?} #{number}");
        before = record.signature.as_ref().map(|signature| signature.mac.clone());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_kills_lose_nothing_and_repeat_nothing() {
    let clock = || u64::from(SystemTime::UNIX_EPOCH.elapsed().unwrap().subsec_nanos());
    let seed = std::env::var("KILL_SEED").map_or_else(|_| clock(), |seed| seed.parse().unwrap());
    println!("KILL_SEED={seed}");
    let mut dice = Dice(seed);
    let (emulator, home) = (Arc::new(Emulator::start().await), tempfile::tempdir().unwrap());
    let wire = Wire::to(&emulator.url, Mode::LateComments(LATE)).await;
    let (http, bag) = (reqwest::Client::new(), Mutex::default());
    let carrier = Arc::new(Carrier { emulator: Arc::clone(&emulator), wire, http, bag });
    let mut issues = Vec::new();
    for kind in Kind::ALL.into_iter().cycle().take(Kind::ALL.len() * EACH) {
        issues.push((kind, emulator.file_issue(Person::Reporter, WIDGETS, "Export", kind.body()).await));
    }
    let carrying = tokio::spawn(Arc::clone(&carrier).run(dice.below(u64::MAX >> 33)));

    let mut taken_up = 0;
    for act in [1, 2] {
        let mut waiting: Vec<_> = issues.iter().map(|(kind, number)| (*kind, *number, act)).collect();
        for life in 0..KILLS / 2 {
            // Spread over the lives of this act, so that there is work at each kill.
            let left = waiting.len().div_ceil(KILLS / 2 - life);
            let acts = (0..left).filter_map(|_| dice.pick(&mut waiting)).collect();
            let moment = Moment::thrown(&mut dice);
            taken_up += live_and_be_killed(&carrier, home.path(), acts, moment).await;
        }
        let service = Service::start(&carrier.wire.url, home.path()).await;
        settle(&carrier, &service).await;
        taken_up += found(&service.log());
        for (kind, number) in &issues {
            check(&emulator, *kind, *number, act).await;
        }
        assert_eq!(service.jobs().await, Jobs::default(), "{}", service.log().whole());
        assert!(service.terminate().await.0.success());
    }
    carrying.abort();
    assert_eq!(emulator.violations().await, Vec::<Value>::new());
    let refused = carrier.bag.lock().unwrap().refused;
    let calls = emulator.calls().await;
    let looks = calls.iter().filter(|call| call.method == "GET" && call.path.contains("/comments?")).count();
    println!("{taken_up} jobs were held at a kill, {looks} comments perhaps written; {refused} deliveries met nobody");
    // How much they meet depends on how fast the machine is; that they meet some is what the test stands on.
    assert!(taken_up + looks as u64 >= 2, "the kills met too little work to show anything");
}
