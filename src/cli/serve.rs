//! `sekisho serve`: door and writer on one thread, the work on others, until SIGTERM.
//!
//! The server starts and takes deliveries in while GitHub is unreachable, and without credentials: `/readyz` says so.

use super::compose::{Parts, Service, signing_keys};
use super::{UNREADABLE, complain, models};
use crate::adapters::clock::SystemClock;
use crate::adapters::github::key::AppKey;
use crate::adapters::github::{GithubForge, Settings as GithubSettings};
use crate::adapters::store::sqlite::{self, Schema, SqliteStore};
use crate::app::{self, App};
use crate::config::Config;
use crate::domain::ids::WorkerId;
use crate::domain::record::SigningKeys;
use crate::ports::{Clock, Forge, Store};
use crate::web::door;
use crate::web::health::{self, Credentials, Github, Readiness};
use crate::web::payload::Ourselves;
use anyhow::Context as _;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How often GitHub is asked whether it is there.
const ASK_GITHUB: Duration = Duration::from_mins(1);
/// The same while it is not: until it answers, the door cannot tell the App's own acts from those of others.
const ASK_AGAIN: Duration = Duration::from_secs(5);

/// Arguments of `sekisho serve`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The configuration file [default: sekisho.toml, where it is there]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// Serves until it is told to stop.
pub(super) fn run(args: &Args) -> u8 {
    let Some(config) = configured(args.config.as_deref()) else { return UNREADABLE };
    finish(serve(&config))
}

/// Runs `work` with a service over the configured forge and database, and no door open.
pub(super) fn with_service<F: Future<Output = anyhow::Result<u8>>>(
    work: impl FnOnce(Service, Arc<dyn Store>, Arc<dyn Clock>) -> F,
) -> u8 {
    let Some(config) = configured(None) else { return UNREADABLE };
    let done = runtime().and_then(|runtime| {
        runtime.block_on(async {
            let clock: Arc<dyn Clock> = Arc::new(SystemClock);
            let store = store(&config).await?;
            let (service, _, _) = service(&config, Arc::clone(&store), Arc::clone(&clock))?;
            work(service, store, clock).await
        })
    });
    match done {
        Ok(code) => code,
        Err(error) => finish(Err(error)),
    }
}

/// Runs `work` with the configured forge alone: no database, no door.
pub(super) fn with_forge<T, F: Future<Output = Result<T, String>>>(
    config: Option<&Path>,
    work: impl FnOnce(Arc<dyn Forge>) -> F,
) -> Result<T, String> {
    let config = configured(config).ok_or("the configuration has problems")?;
    let runtime = runtime().map_err(|error| format!("{error:#}"))?;
    runtime.block_on(async {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        match forge(&config, &clock) {
            Ok((forge, _)) => work(forge).await,
            Err(why) => Err(not_asked(&why)),
        }
    })
}

/// Whether what a command finds is written to the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Database {
    /// It is opened as the server opens it.
    Written,
    /// It is only read; one that is not there stays away.
    ReadOnly,
}

/// Runs `work` with the App over the configured forge and database, and neither a door nor a queue at work.
pub(super) fn with_app<T, F: Future<Output = Result<T, String>>>(
    config: Option<&Path>,
    database: Database,
    work: impl FnOnce(App) -> F,
) -> Result<T, String> {
    let config = configured(config).ok_or("the configuration has problems")?;
    let runtime = runtime().map_err(|error| format!("{error:#}"))?;
    runtime.block_on(async {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let (forge, keys) = forge(&config, &clock).map_err(|why| not_asked(&why))?;
        let store = match database {
            Database::Written => store(&config).await,
            Database::ReadOnly => to_read(&config).await,
        };
        let store = store.map_err(|error| format!("{error:#}"))?;
        let worker = WorkerId(uuid::Uuid::now_v7().to_string());
        work(App::new(forge, store, clock, working(&config, keys), worker)).await
    })
}

/// Why GitHub cannot be asked.
fn not_asked(credentials: &Credentials) -> String {
    match credentials {
        Credentials::Missing(what) => format!("GitHub cannot be asked: {} not set", what.join(", ")),
        Credentials::Unreadable(why) => format!("GitHub cannot be asked: {why}"),
        Credentials::Good | Credentials::Unknown => "GitHub cannot be asked".to_owned(),
    }
}

/// The configuration, its log started; where it has problems, all of them are said.
fn configured(file: Option<&Path>) -> Option<Config> {
    match Config::load(file) {
        Ok(config) => {
            log(&config.log);
            Some(config)
        }
        Err(problems) => {
            for problem in problems {
                complain(&problem.to_string());
            }
            None
        }
    }
}

fn finish(end: anyhow::Result<()>) -> u8 {
    match end {
        Ok(()) => 0,
        Err(error) => {
            complain(&format!("{error:#}"));
            UNREADABLE
        }
    }
}

fn serve(config: &Config) -> anyhow::Result<()> {
    let metrics = health::install_metrics().context("no metrics")?;
    // The door and its writer share one thread: few hops between a socket and the database (chapter 8, intake).
    runtime()?.block_on(async {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let store = store(config).await?;
        let work = work_runtime()?;
        let (service, readiness, forge) = {
            // The forge's own task belongs to the work, not to the door.
            let _inside = work.enter();
            service(config, Arc::clone(&store), Arc::clone(&clock))?
        };
        let Service { app, door, us, writer } = service;
        let listen = config.door.listen;
        let listener =
            tokio::net::TcpListener::bind(listen).await.with_context(|| format!("cannot listen on {listen}"))?;
        // Port 0 asks for a free one; the log says which it was.
        let listen = listener.local_addr().context("no address to listen on")?;
        tracing::info!(%listen, path = config.door.path, "listening");
        let stop = CancellationToken::new();
        let writing = tokio::spawn(writer.run());
        let working = start(work, app, us, readiness.clone(), forge, stop.clone())?;
        let router = door.router().merge(health::router(store, clock, readiness, Some(metrics)));
        drop(door);
        let serving = axum::serve(listener, router).with_graceful_shutdown(stop.clone().cancelled_owned());
        let serving = tokio::spawn(serving.into_future());
        asked_to_stop().await?;
        tracing::info!("stopping");
        stop.cancel();
        let closed = tokio::time::timeout(Duration::from_secs(5), serving).await;
        drop(closed);
        writing.abort();
        tokio::task::spawn_blocking(move || working.join()).await?.map_err(|_| anyhow::anyhow!("the work panicked"))?;
        tracing::info!("stopped");
        Ok(())
    })
}

fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().context("no runtime")
}

/// The work has threads of its own, so that no judging delays the door.
fn work_runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("work")
        .enable_all()
        .build()
        .context("no runtime for the work")
}

fn start(
    runtime: tokio::runtime::Runtime,
    app: Option<Arc<App>>,
    us: Arc<Ourselves>,
    readiness: Readiness,
    forge: Option<Arc<GithubForge>>,
    stop: CancellationToken,
) -> anyhow::Result<std::thread::JoinHandle<()>> {
    let working = std::thread::Builder::new().name("work".to_owned()).spawn(move || {
        runtime.block_on(async {
            let (Some(app), Some(forge)) = (app, forge) else { return stop.cancelled().await };
            let asking = tokio::spawn(ask_github(forge, us, readiness));
            app.work(stop).await;
            asking.abort();
        });
        runtime.shutdown_timeout(Duration::from_secs(1));
    });
    working.context("no thread for the work")
}

/// Learns who the App is as soon as GitHub answers, and keeps `/readyz` true.
async fn ask_github(forge: Arc<GithubForge>, us: Arc<Ourselves>, readiness: Readiness) {
    let mut said: Vec<String> = Vec::new();
    loop {
        let pause = match ask_once(&*forge, &us, &readiness).await {
            Reached::Yes => ASK_GITHUB,
            Reached::No => ASK_AGAIN,
        };
        let missing = forge.missing_permissions();
        let news: Vec<&String> = missing.iter().filter(|permission| !said.contains(permission)).collect();
        if !news.is_empty() {
            tracing::error!(permissions = ?news, "the installation does not grant what app.yml asks for");
            said.clone_from(&missing);
        }
        readiness.missing_permissions(missing);
        tokio::time::sleep(pause).await;
    }
}

/// Whether GitHub answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reached {
    Yes,
    No,
}

/// One question, asked anew each time: what it answered once does not say that it answers now.
async fn ask_once(forge: &dyn Forge, us: &Ourselves, readiness: &Readiness) -> Reached {
    match forge.app().await {
        Ok(identity) => {
            us.know(identity);
            readiness.github(Github::Reachable);
            Reached::Yes
        }
        Err(error) => {
            tracing::warn!(%error, "GitHub does not say who this App is");
            readiness.github(Github::Unreachable(error.to_string()));
            Reached::No
        }
    }
}

async fn store(config: &Config) -> anyhow::Result<Arc<dyn Store>> {
    let store = SqliteStore::open(&config.store.url, config.store.synchronous)
        .await
        .with_context(|| format!("the database {} cannot be opened", config.store.url))?;
    Ok(Arc::new(store))
}

/// The database as it stands; an empty one in memory where there is none.
async fn to_read(config: &Config) -> anyhow::Result<Arc<dyn Store>> {
    let url = &config.store.url;
    let unread = || format!("{url} cannot be read");
    let store = match sqlite::inspect(url).await.with_context(unread)?.schema {
        Schema::Missing => SqliteStore::open("sqlite::memory:", config.store.synchronous).await,
        Schema::Current | Schema::Older => SqliteStore::open_to_read(url).await,
    };
    Ok(Arc::new(store.with_context(unread)?))
}

/// The service of this configuration; without usable credentials it has no forge, and the readiness says why.
fn service(
    config: &Config,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
) -> anyhow::Result<(Service, Readiness, Option<Arc<GithubForge>>)> {
    let readiness = Readiness::default();
    let (forge, keys) = match forge(config, &clock) {
        Ok((forge, keys)) => {
            let unsigned = config.door.secrets.is_empty();
            let missing = || Credentials::Missing(vec!["GITHUB_WEBHOOK_SECRET"]);
            readiness.credentials(if unsigned { missing() } else { Credentials::Good });
            (Some(forge), keys)
        }
        Err(credentials) => {
            tracing::error!(?credentials, "nothing is judged without credentials");
            readiness.credentials(credentials);
            (None, SigningKeys::new(Vec::new()))
        }
    };
    let work = working(config, keys);
    let door = door::Settings {
        path: config.door.path.clone(),
        secrets: config.door.secrets.clone(),
        windows: config.queue.windows,
    };
    let as_port = forge.clone().map(|forge| forge as Arc<dyn Forge>);
    let models = models::of(&config.judge, &clock).map_err(|why| anyhow::anyhow!("a model cannot be asked: {why}"))?;
    let service =
        Service::new(Parts { forge: as_port, store, clock, models, app_id: config.github.app_id, work, door });
    Ok((service, readiness, forge))
}

/// What the operator decided about the work.
fn working(config: &Config, keys: SigningKeys) -> app::Settings {
    app::Settings {
        web_url: config.github.web_url.as_str().trim_end_matches('/').to_owned(),
        settle: config.queue.settle,
        windows: config.queue.windows,
        budgets: models::budgets(&config.judge),
        ..app::Settings::new(keys)
    }
}

fn forge(config: &Config, clock: &Arc<dyn Clock>) -> Result<(Arc<GithubForge>, SigningKeys), Credentials> {
    let github = &config.github;
    let (Some(app_id), Some(key)) = (github.app_id, &github.private_key) else {
        let mut missing = Vec::new();
        missing.extend(github.app_id.is_none().then_some("GITHUB_APP_ID"));
        missing.extend(github.private_key.is_none().then_some("GITHUB_PRIVATE_KEY"));
        missing.extend(config.door.secrets.is_empty().then_some("GITHUB_WEBHOOK_SECRET"));
        return Err(Credentials::Missing(missing));
    };
    let unreadable = |why: String| Credentials::Unreadable(why);
    let pem = key.load().map_err(|error| unreadable(format!("the private key cannot be read: {error}")))?;
    let key = AppKey::parse(&pem).map_err(|error| unreadable(error.to_string()))?;
    let keys = signing_keys(config, &key);
    let api_url = github.api_url.as_str().to_owned();
    let settings = GithubSettings { api_url, app_id, key, timeout: GithubSettings::TIMEOUT };
    let forge = GithubForge::new(&settings, Arc::clone(clock)).map_err(|error| unreadable(error.to_string()))?;
    Ok((Arc::new(forge), keys))
}

/// JSON lines on standard error: readable alone, with fields; never the body of an issue.
fn log(filter: &str) {
    use tracing_subscriber::EnvFilter;
    let filter = EnvFilter::try_new(filter).unwrap_or_else(|_| EnvFilter::new("info"));
    let _ = tracing_subscriber::fmt().json().with_env_filter(filter).with_writer(std::io::stderr).try_init();
}

async fn asked_to_stop() -> anyhow::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminated = signal(SignalKind::terminate()).context("no SIGTERM here")?;
    tokio::select! {
        _ = terminated.recv() => {}
        interrupted = tokio::signal::ctrl_c() => interrupted.context("no Ctrl-C here")?,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapters::local::{Network, Setup, World};
    use crate::adapters::store::sqlite::Synchronous;
    use crate::ports::StoreError;
    use axum::body::Body;
    use axum::http::Request;
    use tower::ServiceExt as _;

    /// What `/readyz` says of GitHub.
    async fn said(store: &Arc<dyn Store>, readiness: &Readiness) -> String {
        let router = health::router(Arc::clone(store), Arc::new(SystemClock), readiness.clone(), None);
        let answer = router.oneshot(Request::get("/readyz").body(Body::empty()).unwrap()).await.unwrap();
        let bytes = axum::body::to_bytes(answer.into_body(), 10_000).await.unwrap();
        let report: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        report["github"].as_str().unwrap().to_owned()
    }

    #[tokio::test]
    async fn what_github_answered_once_is_asked_again() -> Result<(), StoreError> {
        let world = World::new(Setup::default(), Arc::new(SystemClock));
        let store: Arc<dyn Store> = Arc::new(SqliteStore::open("sqlite::memory:", Synchronous::default()).await?);
        let (us, readiness) = (Ourselves::new(None), Readiness::default());
        for (network, reached, says) in [
            (Network::Down, Reached::No, "unreachable"),
            (Network::Up, Reached::Yes, "reachable"),
            (Network::Down, Reached::No, "unreachable"),
        ] {
            world.set_network(network);
            assert_eq!(ask_once(&world, &us, &readiness).await, reached);
            let said = said(&store, &readiness).await;
            assert!(said.starts_with(says), "{said}");
        }
        assert_eq!(us.identity().map(|app| app.slug.as_str()), Some("sekisho"), "its first word stays");
        Ok(())
    }
}
