//! Only the door and the database: what `benches/intake` measures. Nothing works off the queue.
//!
//! `SEKISHO_LISTEN`, `DATABASE_URL`, `SEKISHO_SYNCHRONOUS` and `GITHUB_WEBHOOK_SECRET` as for `sekisho serve`.

use sekisho::adapters::clock::SystemClock;
use sekisho::adapters::store::sqlite::{SqliteStore, Synchronous};
use sekisho::domain::event::Windows;
use sekisho::web::door::{self, Door, Settings};
use sekisho::web::payload::Ourselves;
use sekisho::web::{health, intake};
use std::sync::Arc;
use tokio::sync::Notify;

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let set = |name: &str, default: &str| std::env::var(name).unwrap_or_else(|_| default.to_owned());
    let synchronous =
        if set("SEKISHO_SYNCHRONOUS", "normal") == "full" { Synchronous::Full } else { Synchronous::Normal };
    let store = Arc::new(SqliteStore::open(&set("DATABASE_URL", "sqlite:sekisho.db"), synchronous).await?);
    let clock = Arc::new(SystemClock);
    let (intake, writer) = intake::intake(store.clone(), Arc::new(Notify::new()));
    let settings = Settings {
        path: "/github/webhook".to_owned(),
        secrets: vec![set("GITHUB_WEBHOOK_SECRET", "It's a Secret to Everybody").into()],
        windows: Windows { quiet_ms: 1_000, edit_ms: 20_000 },
    };
    let metrics = health::install_metrics()?;
    let door = Door::new(settings, Arc::new(Ourselves::default()), intake, clock.clone(), Arc::new(|_| {}));
    let health = health::router(store, clock, health::Readiness::default(), Some(metrics));
    let listener = tokio::net::TcpListener::bind(set("SEKISHO_LISTEN", "127.0.0.1:3010")).await?;
    tokio::spawn(writer.run());
    let stop = async { drop(tokio::signal::ctrl_c().await) };
    door::serve(listener, door.router().merge(health), stop).await?;
    Ok(())
}
