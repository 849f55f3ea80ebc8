//! `sekisho demo`: the real server on a free loopback port with the World behind it. No network, no key.
//!
//! Two sample issues are filed and labelled, GitHub's part is played by signed webhooks over real HTTP, and the verdict
//! comments are printed as they would stand on GitHub.

use super::compose::{Parts, Service};
use super::{UNREADABLE, complain, say};
use crate::adapters::clock::SystemClock;
use crate::adapters::local::{
    Access, Condition, Display, Outbox, Repository, Setup, StoredComment, StoredIssue, SubjectKind, Visibility, World,
};
use crate::adapters::store::sqlite::{SqliteStore, Synchronous};
use crate::app;
use crate::app::models::Models;
use crate::domain::event::Windows;
use crate::domain::ids::{AppId, IssueNumber, Login, RepositoryName};
use crate::domain::record::SigningKeys;
use crate::ports::Clock;
use crate::render;
use crate::web::{door, pages};
use anyhow::Context as _;
use clap::Args as ClapArgs;
use secrecy::SecretString;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

const VAGUE: &str = include_str!("../../examples/demo/issue-ja.md");
const MENDED: &str = include_str!("../../examples/demo/issue-ja-edited.md");
const COMPLETE: &str = include_str!("../../examples/demo/issue-en.md");
const HOOK: &str = "/github/webhook";
/// How long the demo waits for one verdict before it says that something is wrong.
const PATIENCE: Duration = Duration::from_secs(30);

/// Arguments of `sekisho demo`.
#[derive(Debug, ClapArgs)]
pub(super) struct Args {
    /// End after the verdicts instead of serving the page of issues
    #[arg(long)]
    once: bool,
}

/// Shows the road. The exit code is 0 when every verdict came.
pub(super) fn run(args: &Args) -> u8 {
    let folder = std::env::temp_dir().join(format!("sekisho-demo-{}", uuid::Uuid::now_v7()));
    let shown = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("no runtime")
        .and_then(|runtime| runtime.block_on(show(args, &folder)));
    // The demo's database is nobody's but its own.
    let _ = std::fs::remove_dir_all(&folder);
    match shown {
        Ok(()) => 0,
        Err(error) => {
            complain(&format!("the demo failed: {error:#}"));
            UNREADABLE
        }
    }
}

async fn show(args: &Args, folder: &std::path::Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("no folder {}", folder.display()))?;
    let database = format!("sqlite:{}", folder.join("sekisho.db").display());
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let repository = RepositoryName::new("acme", "widgets");
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.context("no free port on loopback")?;
    let base = format!("http://{}", listener.local_addr()?);
    let setup = Setup { secret: SecretString::from("demo"), web_url: base.clone(), ..Setup::default() };
    let world = World::new(setup, Arc::clone(&clock));
    let service = Service::new(Parts {
        forge: Some(Arc::new(world.clone())),
        store: Arc::new(SqliteStore::open(&database, Synchronous::Normal).await?),
        clock,
        models: Models::default(),
        app_id: Some(AppId(12345)),
        work: app::Settings {
            web_url: base.clone(),
            windows: Windows { quiet_ms: 0, edit_ms: 0 },
            ..app::Settings::new(demo_keys())
        },
        door: door::Settings {
            path: HOOK.to_owned(),
            secrets: vec![SecretString::from("demo")],
            windows: Windows { quiet_ms: 0, edit_ms: 0 },
        },
    });
    let stop = CancellationToken::new();
    let source = Arc::new(Source { world: world.clone(), repository: repository.clone() });
    let router = service.door.router().merge(pages::router(source));
    let served = tokio::spawn(
        axum::serve(listener, router).with_graceful_shutdown(stop.clone().cancelled_owned()).into_future(),
    );
    let written = tokio::spawn(service.writer.run());
    let app = service.app.context("the demo has a forge")?;
    let working = tokio::spawn({
        let stop = stop.clone();
        async move { app.work(stop).await }
    });
    let carried = tokio::spawn(carry(world.outbox(), format!("{base}{HOOK}")));
    story(&world, &repository).await?;
    if args.once {
        say(
            "That was the road: label, webhook, verdict, signed record, labels. `sekisho demo` without --once serves a page of it.\n",
        );
    } else {
        say(&format!("The issues and their comments stand at {base}/ until you press Ctrl-C.\n"));
        tokio::signal::ctrl_c().await.context("no Ctrl-C here")?;
    }
    stop.cancel();
    carried.abort();
    working.await?;
    drop(service.door);
    served.await??;
    written.abort();
    Ok(())
}

/// People file two issues, label them, and mend the one that is returned.
async fn story(world: &World, repository: &RepositoryName) -> anyhow::Result<()> {
    world.create_repository(repository, Visibility::Public);
    for (login, access) in [("hanako", Access::Admin), ("taro", Access::Read)] {
        world.grant(repository, login, access);
    }
    let (taro, hanako) = (world.as_person("taro").at(repository), world.as_person("hanako").at(repository));
    let file = |sample: &str| {
        let (title, body) = titled(sample);
        taro.open_issue(title, body)
    };
    let (japanese, english) = (file(VAGUE)?, file(COMPLETE)?);
    for (number, said) in [
        (japanese, "taro filed a Japanese issue; hanako puts the label `gate:start` on it."),
        (english, "taro filed an English issue; hanako puts the label `gate:start` on it."),
    ] {
        hanako.label(number, "gate:start")?;
        print(world, repository, number, 1, said).await?;
    }
    taro.edit_body(japanese, titled(MENDED).1)?;
    print(world, repository, japanese, 2, "taro mends what was returned; the edit is judged by itself.").await
}

/// A sample's first line is `# title`; the rest is the body.
fn titled(sample: &str) -> (&str, &str) {
    let (title, body) = sample.split_once('\n').unwrap_or((sample, ""));
    (title.trim_start_matches('#').trim(), body.trim_start())
}

/// Waits for the App's `nth` comment on the issue and prints it as it stands.
async fn print(
    world: &World,
    repository: &RepositoryName,
    number: IssueNumber,
    nth: usize,
    said: &str,
) -> anyhow::Result<()> {
    let settled = async {
        loop {
            let issue = world.look_at_issue(repository, number).context("the issue is gone")?;
            let comments = of_the_app(&issue);
            if comments.len() >= nth && !issue.labels.iter().any(|label| label == "gate:start") {
                return anyhow::Ok((comments[nth - 1].to_owned(), issue));
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let (comment, issue) = tokio::time::timeout(PATIENCE, settled)
        .await
        .with_context(|| format!("no verdict on #{number} within {} s", PATIENCE.as_secs()))??;
    let rule = "─".repeat(100);
    let labels = issue.labels.join(", ");
    say(&format!("{rule}\n{said}\n\n#{number} {}    labels now: {labels}\n{rule}\n\n{comment}\n\n", issue.title));
    Ok(())
}

fn of_the_app(issue: &StoredIssue) -> Vec<&str> {
    let ours = issue.comments.iter().filter(|comment| comment.app.is_some());
    ours.map(|comment| comment.body.as_str()).collect()
}

/// Carries webhooks from the World to the server, as GitHub does: signed, over HTTP, once each.
async fn carry(outbox: Outbox, url: String) {
    let client = reqwest::Client::new();
    loop {
        let delivery = outbox.next().await;
        let mut request = client.post(&url).body(delivery.body.clone());
        for (name, value) in &delivery.headers {
            request = request.header(*name, value);
        }
        if let Err(error) = request.send().await.and_then(reqwest::Response::error_for_status) {
            complain(&format!("a webhook was not taken: {error}"));
        }
    }
}

/// A key that signs the demo's records; it proves nothing outside the demo.
fn demo_keys() -> SigningKeys {
    SigningKeys::new(vec![("demo".to_owned(), b"this key signs records of the demo only".to_vec())])
}

/// The World as the demo's page shows it.
struct Source {
    world: World,
    repository: RepositoryName,
}

impl pages::PageSource for Source {
    fn page(&self) -> pages::Page {
        let repository = self.world.look_at(&self.repository);
        let issues =
            repository.iter().flat_map(|repository| repository.issues().map(|issue| issue_view(repository, issue)));
        pages::Page { repository: self.repository.to_string(), issues: issues.collect() }
    }
}

fn issue_view(repository: &Repository, issue: &StoredIssue) -> pages::IssueView {
    let colour = |name: &String| repository.label(name).map(|label| label.colour.clone()).unwrap_or_default();
    let label = |name: &String| pages::LabelView { name: name.clone(), colour: colour(name) };
    let comment = |comment: &StoredComment| pages::CommentView {
        id: comment.id.0,
        author: login(comment.author.as_ref()),
        body_html: render::html(&comment.body),
        folding: match comment.display {
            Display::Shown => pages::Folding::Shown,
            Display::Outdated => pages::Folding::Outdated,
        },
        when: comment.created_at,
    };
    pages::IssueView {
        number: issue.number.0,
        kind: match issue.kind {
            SubjectKind::Issue => pages::Kind::Issue,
            SubjectKind::PullRequest => pages::Kind::PullRequest,
        },
        title: issue.title.clone(),
        labels: issue.labels.iter().map(label).collect(),
        author: login(issue.author.as_ref()),
        state: match issue.condition {
            Condition::Open => pages::OpenState::Open,
            Condition::Completed | Condition::NotPlanned | Condition::Duplicate => pages::OpenState::Closed,
        },
        body_html: render::html(&issue.body),
        comments: issue.comments.iter().map(comment).collect(),
    }
}

/// A deleted account is shown as GitHub shows it.
fn login(login: Option<&Login>) -> String {
    login.map_or_else(|| "ghost".to_owned(), ToString::to_string)
}
