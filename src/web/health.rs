//! `/healthz` (the process), `/readyz` (can it do its work), `/metrics` (Prometheus).

use crate::domain::reply::Spent;
use crate::ports::{Clock, Store};
use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use metrics_exporter_prometheus::{BuildError, PrometheusBuilder, PrometheusHandle};
use serde_json::json;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

/// How long a database may take to say that it is there.
const PATIENCE: Duration = Duration::from_secs(5);

/// Whether the App can prove who it is.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Credentials {
    /// Nobody has looked yet: not ready.
    #[default]
    Unknown,
    /// They are there and parse.
    Good,
    /// These variables are not set.
    Missing(Vec<&'static str>),
    /// They do not parse: why, without the secret.
    Unreadable(String),
}

/// Whether GitHub answers. It never makes the server unready: deliveries are taken in all the same.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Github {
    /// Nobody has asked yet.
    #[default]
    Unknown,
    /// It answered last time.
    Reachable,
    /// It did not: why.
    Unreachable(String),
}

/// What is known about the server's own state. Clones share it; whoever finds something out notes it here.
#[derive(Clone, Debug, Default)]
pub struct Readiness(Arc<RwLock<Known>>);

#[derive(Clone, Debug, Default)]
struct Known {
    credentials: Credentials,
    github: Github,
    missing_permissions: Vec<String>,
}

impl Readiness {
    /// Notes the state of the credentials.
    pub fn credentials(&self, credentials: Credentials) {
        self.change(|known| known.credentials = credentials);
    }

    /// Notes whether GitHub answers.
    pub fn github(&self, github: Github) {
        self.change(|known| known.github = github);
    }

    /// Notes which permissions of `app.yml` were not granted, such as `issues: write`.
    pub fn missing_permissions(&self, permissions: Vec<String>) {
        self.change(|known| known.missing_permissions = permissions);
    }

    fn change(&self, change: impl FnOnce(&mut Known)) {
        change(&mut self.0.write().unwrap_or_else(PoisonError::into_inner));
    }

    fn known(&self) -> Known {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Installs the recorder that all counters go to, once in a process, and tells what they are.
///
/// # Errors
/// Where a recorder is installed already.
pub fn install_metrics() -> Result<PrometheusHandle, BuildError> {
    let handle = PrometheusBuilder::new().install_recorder()?;
    describe();
    Ok(handle)
}

/// The three routes.
pub fn router(
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    readiness: Readiness,
    metrics: Option<PrometheusHandle>,
) -> Router {
    Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(readyz))
        .route("/metrics", get(render))
        .with_state(Watch { store, clock, readiness, metrics })
}

#[derive(Clone)]
struct Watch {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    readiness: Readiness,
    metrics: Option<PrometheusHandle>,
}

async fn readyz(State(watch): State<Watch>) -> Response {
    let database = match tokio::time::timeout(PATIENCE, watch.store.ping()).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err(format!("no answer within {} s", PATIENCE.as_secs())),
    };
    let known = watch.readiness.known();
    let ready = database.is_ok() && known.credentials == Credentials::Good;
    let status = if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let report = json!({
        "ready": ready,
        "database": database.map_or_else(|error| error, |()| "ok".to_owned()),
        "credentials": match known.credentials {
            Credentials::Good => "ok".to_owned(),
            Credentials::Unknown => "not checked yet".to_owned(),
            Credentials::Missing(names) => format!("missing: {}", names.join(", ")),
            Credentials::Unreadable(why) => format!("unreadable: {why}"),
        },
        "github": match known.github {
            Github::Unknown => "not asked yet".to_owned(),
            Github::Reachable => "reachable".to_owned(),
            Github::Unreachable(why) => format!("unreachable: {why}"),
        },
        "missing_permissions": known.missing_permissions,
    });
    (status, [(header::CONTENT_TYPE, "application/json")], format!("{report:#}\n")).into_response()
}

async fn render(State(watch): State<Watch>) -> Response {
    let Some(metrics) = &watch.metrics else { return StatusCode::NOT_FOUND.into_response() };
    if let Ok(depth) = watch.store.depth().await {
        let states =
            [("ready", depth.ready), ("running", depth.running), ("paused", depth.paused), ("dead", depth.dead)];
        for (state, jobs) in states {
            metrics::gauge!("sekisho_queue_jobs", "state" => state).set(as_gauge(jobs));
        }
        let waits = depth.oldest_due.map_or(0, |due| (watch.clock.now() - due).num_milliseconds().max(0));
        metrics::gauge!("sekisho_queue_oldest_seconds").set(as_gauge(waits.unsigned_abs()) / 1000.0);
    }
    if let Ok(day) = watch.store.spent(watch.clock.now()).await {
        let sum = |of: fn(&Spent) -> u64| day.iter().fold(0_u64, |sum, by| sum.saturating_add(of(&by.spent)));
        metrics::gauge!("sekisho_judge_day_tokens").set(as_gauge(sum(|spent| spent.tokens)));
        metrics::gauge!("sekisho_judge_day_micro_dollars").set(as_gauge(sum(|spent| spent.money.0)));
    }
    metrics.run_upkeep();
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], metrics.render()).into_response()
}

/// Prometheus knows only floats; counts are exact up to 2^53.
#[expect(clippy::cast_precision_loss, reason = "a queue of 2^53 jobs is beyond any disk")]
fn as_gauge(count: u64) -> f64 {
    count as f64
}

fn describe() {
    metrics::describe_counter!("sekisho_deliveries_total", "Webhook deliveries, by event and by what became of them.");
    metrics::describe_gauge!("sekisho_queue_jobs", "Jobs in the queue, by state.");
    metrics::describe_gauge!("sekisho_queue_oldest_seconds", "How long the oldest ready job has been due.");
    metrics::describe_counter!("sekisho_runs_total", "Runs that ended, by gate and verdict.");
    metrics::describe_counter!("sekisho_forge_calls_total", "Calls to GitHub, by method and outcome.");
    metrics::describe_counter!("sekisho_retries_total", "Jobs that were put back to be tried again.");
    metrics::describe_counter!("sekisho_dead_jobs_total", "Jobs that were given up.");
    metrics::describe_counter!("sekisho_judge_tokens_total", "Tokens of models, by judge and kind.");
    metrics::describe_counter!("sekisho_judge_micro_dollars_total", "What models cost, where their price is known.");
    metrics::describe_gauge!("sekisho_judge_day_tokens", "Tokens of models today, reserved ones included.");
    metrics::describe_gauge!("sekisho_judge_day_micro_dollars", "What models cost today, reservations included.");
    metrics::describe_counter!("sekisho_judge_failures_total", "Calls of models without a reply, by judge.");
    metrics::describe_counter!("sekisho_judge_repairs_total", "Replies that were asked for once more, by judge.");
    metrics::describe_histogram!("sekisho_judge_seconds", "How long models take, by judge.");
}
