//! `sekisho replay`: one webhook payload from a file, on the road that GitHub's own deliveries go.

use super::{UNREADABLE, complain, say, serve};
use crate::domain::event::{Event, Wake, slot};
use crate::domain::ids::DeliveryId;
use crate::ports::{Delivery, Work};
use crate::web::payload::{self, Ourselves};
use clap::Args as ClapArgs;
use std::path::PathBuf;

/// Arguments of `sekisho replay`.
#[derive(Debug, ClapArgs)]
pub(super) struct Args {
    /// The event, as X-GitHub-Event names it, such as issues
    event: String,
    /// The payload, JSON as GitHub sends it
    file: PathBuf,
    /// Say what the payload would wake, and change nothing
    #[arg(long)]
    dry_run: bool,
}

/// Says what the payload wakes and, without `--dry-run`, works it to its end against the configured forge.
pub(super) fn run(args: &Args) -> u8 {
    let bytes = match std::fs::read(&args.file) {
        Ok(bytes) => bytes,
        Err(error) => return unreadable(&format!("{}: {error}", args.file.display())),
    };
    let event = match payload::event(&args.event, &bytes, &Ourselves::new(None)) {
        Ok(reading) => reading.event,
        Err(error) => return unreadable(&format!("{}: {error}", args.file.display())),
    };
    say(&described(&event));
    if args.dry_run {
        return 0;
    }
    match event {
        Event::Wake(wake) => work(vec![wake]),
        Event::Wakes(wakes) => work(wakes),
        Event::Pushed(_) | Event::Unpaused(_) | Event::Ignored(_) => 0,
    }
}

fn unreadable(problem: &str) -> u8 {
    complain(problem);
    UNREADABLE
}

fn described(event: &Event) -> String {
    match event {
        Event::Wakes(wakes) => wakes.iter().map(|wake| described(&Event::Wake(wake.clone()))).collect(),
        Event::Wake(Wake { lane, repository, cause }) => {
            let kind = serde_json::to_value(cause.kind).ok().and_then(|kind| kind.as_str().map(str::to_owned));
            format!(
                "wakes {repository}#{} (installation {})\n  cause: {} {}\n  by: {}\n  at: {}\n",
                lane.number,
                lane.installation,
                kind.unwrap_or_default(),
                cause.trigger.as_deref().unwrap_or("-"),
                cause.actor.as_ref().map_or("-", |actor| actor.as_str()),
                cause.at.to_rfc3339(),
            )
        }
        Event::Pushed(repository) => format!("looks up the contracts of repository {repository} anew\n"),
        Event::Unpaused(repository) => format!("takes up what waits in repository {repository}\n"),
        Event::Ignored(reason) => format!("ignored: {reason}\n"),
    }
}

/// Stores the wakes as the door does, without its windows, and works until the queue has nothing due.
fn work(wakes: Vec<Wake>) -> u8 {
    serve::with_service(|service, store, clock| async move {
        let now = clock.now();
        let windows = crate::domain::event::Windows { quiet_ms: 0, edit_ms: 0 };
        let delivery = |wake: Wake| {
            let slot = slot(&wake.cause, now, windows);
            let id = DeliveryId(format!("replay-{}", uuid::Uuid::now_v7()));
            Delivery {
                id,
                event: "replay".to_owned(),
                received_at: now,
                work: Work::Wake { wake: Box::new(wake), slot },
            }
        };
        let deliveries: Vec<_> = wakes.into_iter().map(delivery).collect();
        store.take_in(&deliveries).await?;
        let app = service
            .app
            .ok_or_else(|| anyhow::anyhow!("no credentials: GITHUB_APP_ID and GITHUB_PRIVATE_KEY are needed"))?;
        let mut worked = 0;
        while app.step().await? == crate::app::Stepped::Worked {
            worked += 1;
        }
        let depth = store.depth().await?;
        say(&format!("worked {worked} job(s); {} wait to be tried again, {} were given up\n", depth.ready, depth.dead));
        Ok(if depth.dead == 0 && depth.ready == 0 { 0 } else { UNREADABLE })
    })
}
