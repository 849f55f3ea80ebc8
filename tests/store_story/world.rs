//! Small makers for the story: deliveries, workers, moments.

use chrono::{DateTime, Duration, Utc};
use sekisho::domain::event::{Cause, CauseKind, Lane, Wake, Windows, slot};
use sekisho::domain::ids::{DeliveryId, InstallationId, IssueNumber, Login, RepositoryId, RepositoryName, WorkerId};
use sekisho::ports::{Delivery, Job, Store, Work};

pub const WINDOWS: Windows = Windows { quiet_ms: 1_000, edit_ms: 20_000 };
pub const LEASE: std::time::Duration = std::time::Duration::from_secs(30);

/// A moment: so many milliseconds after the story's start.
pub fn at(ms: i64) -> DateTime<Utc> {
    DateTime::from_timestamp_millis(1_700_000_000_000).expect("a fixed time") + Duration::milliseconds(ms)
}

pub fn lane(number: u64) -> Lane {
    Lane { installation: InstallationId(4242), repository: RepositoryId(77), number: IssueNumber(number) }
}

pub fn worker(name: &str) -> WorkerId {
    WorkerId::new(name)
}

pub fn delivery(id: &str, number: u64, kind: CauseKind, trigger: Option<&str>, ms: i64) -> Delivery {
    let cause = Cause {
        kind,
        trigger: trigger.map(str::to_owned),
        actor: Some(Login::new("octo")),
        source: (kind == CauseKind::Command).then_some(9),
        at: at(ms),
        pull: None,
    };
    let slot = slot(&cause, at(ms), WINDOWS);
    let wake = Wake { lane: lane(number), repository: RepositoryName::new("acme", "widgets"), cause };
    Delivery {
        id: DeliveryId::new(id),
        event: "issues.labeled".to_owned(),
        received_at: at(ms),
        work: Work::Wake { wake: Box::new(wake), slot },
    }
}

pub fn label(id: &str, number: u64, name: &str, ms: i64) -> Delivery {
    delivery(id, number, CauseKind::Label, Some(name), ms)
}

pub fn edit(id: &str, number: u64, ms: i64) -> Delivery {
    delivery(id, number, CauseKind::Edit, None, ms)
}

pub fn command(id: &str, number: u64, ms: i64) -> Delivery {
    delivery(id, number, CauseKind::Command, Some("/gate start"), ms)
}

pub fn unpause(id: &str, ms: i64) -> Delivery {
    Delivery {
        id: DeliveryId::new(id),
        event: "issues.unlabeled".to_owned(),
        received_at: at(ms),
        work: Work::Unpause(RepositoryId(77)),
    }
}

/// Claims what is due at that moment, as the worker `w`.
pub async fn claim(store: &impl Store, ms: i64) -> Option<Job> {
    store.claim(&worker("w"), at(ms), LEASE).await.expect("a claim is answered")
}

/// Claims what must be there.
pub async fn must_claim(store: &impl Store, ms: i64) -> Job {
    claim(store, ms).await.unwrap_or_else(|| panic!("nothing to claim at {ms}"))
}
