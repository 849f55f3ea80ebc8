//! A road to walk in tests: the World, a real SQLite file, the real door and the App, with time driven by hand.
//!
//! Tests read as dialogues: people act on [`Road::world`], [`Road::settle`] lets everything happen that follows, and what
//! stands on the issue is asked for afterwards.

#![allow(dead_code, reason = "each test file uses its part of it")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "part of test programs")]

pub mod dice;
pub mod plain;
pub mod script;
pub mod scripted;
pub mod story;
pub mod texts;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use dice::Dice;
use scripted::Scripted;
use sekisho::adapters::local::{Access, Delivery, ManualClock, Moment, Person, Setup, Stop, Visibility, World};
use sekisho::adapters::store::sqlite::{SqliteStore, Synchronous};
use sekisho::app::models::{Model, Models, Policy};
use sekisho::app::{App, Report, Settings, Stepped, Writing};
use sekisho::domain::event::Windows;
use sekisho::domain::ids::{AppId, IssueNumber, RepositoryName, WorkerId};
use sekisho::domain::record::SigningKeys;
use sekisho::ports::{Budgets, Clock, RecordFilter, Store};
use sekisho::web::door::{self, Door};
use sekisho::web::intake::intake;
use sekisho::web::payload::Ourselves;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tower::ServiceExt as _;

/// Everything that one dialogue needs.
pub struct Road {
    pub world: World,
    pub clock: Arc<ManualClock>,
    pub store: Arc<SqliteStore>,
    pub app: Arc<App>,
    /// What the App is made with beside its ports.
    offered: Offered,
    door: Router,
    stops: Vec<Stop>,
    /// Where it is there, deliveries come twice, in no order, and now or later.
    bag: Mutex<Option<(Dice, Vec<Delivery>)>>,
    /// How often the App was stopped.
    pub crashes: u64,
    folder: tempfile::TempDir,
    ticker: tokio::task::JoinHandle<()>,
}

static WORKERS: AtomicU64 = AtomicU64::new(0);

/// The repository of every dialogue.
pub fn widgets() -> RepositoryName {
    RepositoryName::new("acme", "widgets")
}

/// Keys that every dialogue signs with.
pub fn keys() -> SigningKeys {
    SigningKeys::new(vec![("test".into(), vec![7; 32])])
}

impl Road {
    /// A World with one repository: hanako maintains it, mio triages, taro reads.
    pub async fn new() -> Self {
        let start = chrono::DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let clock = Arc::new(ManualClock::at(start));
        let world = World::new(Setup::default(), clock.clone());
        world.create_repository(&widgets(), Visibility::Public);
        world.grant(&widgets(), "hanako", Access::Admin);
        world.grant(&widgets(), "mio", Access::Triage);
        world.grant(&widgets(), "taro", Access::Read);
        world.as_person("hanako").at(&widgets()).push_file("README.md", "# widgets").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let store = open(&folder).await;
        let offered = Offered::default();
        let app = app(&world, &store, &clock, &offered);
        let door = door(&store, &clock, &app);
        // Sleeps of the App end as soon as nothing else moves.
        let ticking = clock.clone();
        let ticker = tokio::spawn(async move {
            loop {
                tokio::time::sleep(Duration::from_millis(1)).await;
                if let Some(due) = ticking.next_sleeper() {
                    ticking.set(due);
                }
            }
        });
        let road = Self {
            world,
            clock,
            store,
            app,
            offered,
            door,
            stops: Vec::new(),
            bag: Mutex::default(),
            crashes: 0,
            folder,
            ticker,
        };
        drop(road.world.outbox().take());
        road
    }

    pub fn person(&self, login: &str) -> Person {
        self.world.as_person(login).at(&widgets())
    }

    /// From now on the App asks these models by tier, within these budgets.
    pub fn offer(&mut self, tiers: &[(&str, Arc<Scripted>)], budgets: Budgets) {
        self.offered =
            Offered { tiers: tiers.iter().map(|(tier, judge)| ((*tier).to_owned(), judge.clone())).collect(), budgets };
        self.app = app(&self.world, &self.store, &self.clock, &self.offered);
        self.door = door(&self.store, &self.clock, &self.app);
    }

    /// A second life of the App: same World, same database file, nothing in memory.
    pub async fn restart(&mut self) {
        self.world = self.world.reconnect();
        self.store = open(&self.folder).await;
        self.app = app(&self.world, &self.store, &self.clock, &self.offered);
        self.door = door(&self.store, &self.clock, &self.app);
        // Whoever held a lease is dead; time passes until that shows.
        self.clock.advance(Duration::from_mins(2));
    }

    /// The database is gone, with the queue in it: a second life of the App on an empty one.
    pub async fn lose_database(&mut self) {
        self.stops.clear();
        let before = std::mem::replace(&mut self.folder, tempfile::tempdir().unwrap());
        self.restart().await;
        drop(before);
    }

    /// What the operator runs after that: `sekisho restore`.
    pub async fn restore(&self) -> Report {
        self.app.restore(&widgets(), None, Writing::Stored).await.unwrap()
    }

    /// Every stored record of the repository, as `sekisho records --format jsonl` prints it.
    pub async fn record_lines(&self) -> String {
        let id = self.world.look_at(&widgets()).unwrap().id;
        let stored = self.store.records_of(id, &RecordFilter::default()).await.unwrap();
        stored.iter().map(|stored| serde_json::to_string(&stored.record).unwrap() + "\n").collect()
    }

    /// The App of now stops at its n-th write from here.
    pub fn stop_at_write(&mut self, nth: u64, moment: Moment) {
        self.stops.push(self.world.stop_at_write(nth, moment));
    }

    pub async fn post(&self, delivery: &Delivery) -> StatusCode {
        let mut request = Request::post("/github/webhook");
        for (name, value) in &delivery.headers {
            request = request.header(*name, value);
        }
        let request = request.body(Body::from(delivery.body.clone())).unwrap();
        self.door.clone().oneshot(request).await.unwrap().status()
    }

    /// From now on every burst of deliveries comes in another order, each delivery twice, and some after those that follow.
    pub fn shuffle(&self, seed: u64) {
        *self.bag.lock().unwrap() = Some((Dice(seed), Vec::new()));
    }

    /// Delivers what waits in the outbox, each `times` times.
    pub async fn deliver(&self, times: usize) -> bool {
        let mut waiting = self.world.outbox().take();
        if let Some((dice, held)) = &mut *self.bag.lock().unwrap() {
            held.extend(waiting.iter().flat_map(|delivery| [delivery.clone(), delivery.clone()]));
            waiting = dice.shuffled(std::mem::take(held));
            // One of three stays behind, and comes with those that follow.
            let later = waiting.len() - waiting.len().div_ceil(3) * usize::from(waiting.len() > 1);
            *held = waiting.split_off(later);
        }
        for delivery in &waiting {
            for _ in 0..times {
                assert_eq!(self.post(delivery).await, StatusCode::ACCEPTED, "{}", delivery.name());
            }
        }
        !waiting.is_empty()
    }

    /// Delivers and works until nothing is left to do, letting windows and backoffs pass; false = the App was stopped.
    pub async fn settle(&mut self) -> bool {
        for _ in 0..400 {
            let mut moved = self.deliver(1).await;
            loop {
                let stepped = {
                    let app = self.app.clone();
                    let mut reached = self.stops.last().cloned();
                    tokio::select! {
                        stepped = async move { app.step().await } => stepped.unwrap(),
                        _ = async { match &mut reached { Some(stop) => stop.reached().await, None => std::future::pending().await } } => return false,
                    }
                };
                if stepped == Stepped::Idle {
                    break;
                }
                moved = true;
            }
            if moved {
                continue;
            }
            match self.store.next_due().await.unwrap() {
                Some(due) if due > self.clock.now() => self.clock.set(due),
                Some(_) => {}
                None => return true,
            }
        }
        panic!("the road never came to rest: {:?}", self.store.depth().await);
    }

    /// Settles whatever happens: a stopped App is started anew.
    pub async fn settle_through(&mut self) {
        while !self.settle().await {
            self.start_anew().await;
        }
    }

    /// A stopped App has a successor.
    pub async fn start_anew(&mut self) {
        self.stops.clear();
        self.crashes += 1;
        self.restart().await;
    }

    pub fn clock_on(&self, by: Duration) {
        self.clock.advance(by);
    }

    /// Works what is due now, and no more.
    pub async fn work_due(&self) {
        while self.app.step().await.unwrap() == Stepped::Worked {}
    }

    /// The App's own comments on an issue, oldest first.
    pub fn comments(&self, number: IssueNumber) -> Vec<String> {
        let issue = self.world.look_at_issue(&widgets(), number).unwrap();
        let ours = issue.comments.iter().filter(|comment| comment.app.is_some());
        ours.map(|comment| comment.body.clone()).collect()
    }

    /// The headings of the App's comments, oldest first.
    pub fn headings(&self, number: IssueNumber) -> Vec<String> {
        let heading = |body: &String| body.lines().find(|line| line.starts_with("## ")).unwrap_or("(none)").to_owned();
        self.comments(number).iter().map(heading).collect()
    }

    pub fn labels(&self, number: IssueNumber) -> Vec<String> {
        let mut labels = self.world.look_at_issue(&widgets(), number).unwrap().labels.clone();
        labels.sort();
        labels
    }
}

impl Drop for Road {
    fn drop(&mut self) {
        self.ticker.abort();
    }
}

async fn open(folder: &tempfile::TempDir) -> Arc<SqliteStore> {
    let url = format!("sqlite:{}", folder.path().join("sekisho.db").display());
    Arc::new(SqliteStore::open(&url, Synchronous::Normal).await.unwrap())
}

/// Models and what they may take.
#[derive(Default)]
struct Offered {
    tiers: Vec<(String, Arc<Scripted>)>,
    budgets: Budgets,
}

fn app(world: &World, store: &Arc<SqliteStore>, clock: &Arc<ManualClock>, offered: &Offered) -> Arc<App> {
    let worker = WorkerId(format!("worker-{}", WORKERS.fetch_add(1, Ordering::Relaxed)));
    let settings = Settings { settle: Duration::from_secs(1), budgets: offered.budgets, ..Settings::new(keys()) };
    let app = App::new(Arc::new(world.clone()), store.clone(), clock.clone(), settings, worker);
    if offered.tiers.is_empty() {
        return Arc::new(app);
    }
    let model = |judge: &Arc<Scripted>| {
        Arc::new(Model::new(judge.clone(), clock.clone(), Policy::default(), vec![(String::new(), scripted::PRICE)]))
    };
    let models = offered.tiers.iter().map(|(tier, judge)| (tier.clone(), model(judge)));
    Arc::new(app.with_models(Arc::new(Models::by_tier(models, Vec::new()))))
}

/// The real door over the real store: what a delivery meets, without a socket.
fn door(store: &Arc<SqliteStore>, clock: &Arc<ManualClock>, app: &Arc<App>) -> Router {
    let (intake, writer) = intake(store.clone(), app.woken());
    tokio::spawn(writer.run());
    let pushed = app.clone();
    let settings = door::Settings {
        path: "/github/webhook".into(),
        secrets: vec!["It's a Secret to Everybody".to_owned().into()],
        windows: Windows { quiet_ms: 1_000, edit_ms: 20_000 },
    };
    let us = Arc::new(Ourselves::new(Some(AppId(12345))));
    Door::new(settings, us, intake, clock.clone(), Arc::new(move |repository| pushed.pushed(repository))).router()
}
