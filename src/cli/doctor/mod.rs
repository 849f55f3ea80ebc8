//! `sekisho doctor`: looks everything over that a verdict needs, in the order in which it has to be right, and says for
//! each what was seen and what to do. It only reads: nothing on GitHub changes, and nothing in the database.

mod github;
mod local;
mod models;
mod repo;
mod report;

use super::{UNREADABLE, complain, say};
use crate::adapters::clock::SystemClock;
use crate::adapters::github::key::AppKey;
use crate::adapters::github::{GithubForge, Settings};
use crate::config::Config;
use crate::domain::ids::{AppId, RepositoryName};
use clap::{Args as ClapArgs, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use report::Check;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// How long one call to GitHub may take, its repeats included.
const TIMEOUT: Duration = Duration::from_secs(8);

/// Arguments of `sekisho doctor`.
#[derive(Debug, ClapArgs)]
pub(super) struct Args {
    /// Look at this repository as well: its installation, its contract, what a label would do
    #[arg(long, value_name = "OWNER/NAME")]
    repo: Option<RepositoryName>,
    /// Ask each configured model one tiny question as well; it costs a fraction of a cent
    #[arg(long)]
    models: bool,
    /// The configuration file [default: sekisho.toml, where it is there]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// How to print the checks
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// A JSON array of checks
    Json,
}

/// Makes all checks. Exit code: 0 nothing is wrong, 1 something is, 2 nothing is as far as it could be checked.
pub(super) fn run(args: &Args) -> u8 {
    let progress = Progress::new();
    let checks = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime.block_on(checks(args, &progress)),
        Err(error) => {
            complain(&format!("no runtime: {error}"));
            return UNREADABLE;
        }
    };
    progress.end();
    match args.format {
        Format::Text => say(&report::text(&checks)),
        Format::Json => match report::json(&checks) {
            Ok(json) => say(&json),
            Err(error) => {
                complain(&error.to_string());
                return UNREADABLE;
            }
        },
    }
    report::exit_code(&checks)
}

async fn checks(args: &Args, progress: &Progress) -> Vec<Check> {
    let config = match Config::load(args.config.as_deref()) {
        Ok(config) => config,
        Err(problems) => return vec![local::broken(&problems)],
    };
    let mut checks = local::configuration(&config);
    let (check, key) = local::private_key(&config);
    checks.push(check);
    checks.push(local::webhook_secret(&config));
    checks.extend(local::signing_keys(&config, key.as_ref()));
    progress.looks_at("the database");
    checks.extend(local::database(&config).await);
    checks.push(local::listen(&config).await);
    checks.extend(models::configured(&config.judge));
    if args.models {
        progress.looks_at("the models");
        checks.extend(models::asked(args.config.as_deref()).await);
    }
    match (key, config.github.app_id) {
        (Some(key), Some(app_id)) => checks.extend(on_github(args, &config, app_id, key, progress).await),
        _ => checks.push(Check::unchecked("app", "GitHub was not asked", "App ID and private key come first")),
    }
    checks
}

async fn on_github(args: &Args, config: &Config, app_id: AppId, key: AppKey, progress: &Progress) -> Vec<Check> {
    let settings = Settings { api_url: config.github.api_url.as_str().to_owned(), app_id, key, timeout: TIMEOUT };
    let forge = match GithubForge::new(&settings, Arc::new(SystemClock)) {
        Ok(forge) => Arc::new(forge),
        Err(error) => return vec![Check::wrong("app", error.to_string(), "correct GITHUB_API_URL")],
    };
    progress.looks_at("the App on GitHub");
    let (mut checks, report) = github::app(&forge, config).await;
    let Some(report) = report else { return checks };
    checks.extend(github::asks(&report, config));
    progress.looks_at("the installations");
    checks.extend(github::installations(&forge, &report).await);
    progress.looks_at("the webhook");
    checks.extend(github::webhook(&forge, &report, config).await);
    if let Some(name) = &args.repo {
        progress.looks_at(&name.to_string());
        checks.extend(repo::checks(&forge, &report, name, &config.judge).await);
    }
    checks
}

/// What is being looked at, on standard error, where that is a terminal; nothing else is ever written there.
struct Progress(ProgressBar);

impl Progress {
    fn new() -> Self {
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} looking at {msg} …") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(100));
        bar.set_message("the configuration");
        Self(bar)
    }

    fn looks_at(&self, what: &str) {
        self.0.set_message(what.to_owned());
    }

    fn end(&self) {
        self.0.finish_and_clear();
    }
}
