//! Puts the pieces of a running service together: door and writer over a store, the App over a forge.

use crate::adapters::github::key::AppKey;
use crate::app::models::Models;
use crate::app::{self, App};
use crate::config::Config;
use crate::domain::ids::{AppId, WorkerId};
use crate::domain::record::SigningKeys;
use crate::ports::{Clock, Forge, Store};
use crate::web::door::{self, Door};
use crate::web::intake::{Writer, intake};
use crate::web::payload::Ourselves;
use secrecy::ExposeSecret as _;
use std::sync::Arc;

/// What a service is made of.
pub(super) struct Parts {
    /// The forge, or none: then deliveries are taken in and wait.
    pub forge: Option<Arc<dyn Forge>>,
    /// The database.
    pub store: Arc<dyn Store>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// The App's own id, which the door knows its echoes by.
    pub app_id: Option<AppId>,
    /// The models that are asked beside the rules.
    pub models: Models,
    /// What the operator decided about the work.
    pub work: app::Settings,
    /// What the operator decided about the door.
    pub door: door::Settings,
}

/// A service that is ready to run: nothing runs yet.
pub(super) struct Service {
    /// The work.
    pub app: Option<Arc<App>>,
    /// The door.
    pub door: Door,
    /// What the door learns of the App once GitHub answers.
    pub us: Arc<Ourselves>,
    /// The one writer behind the door; ends when the door is dropped.
    pub writer: Writer,
}

impl Service {
    /// Wires the pieces; no I/O.
    pub fn new(parts: Parts) -> Self {
        let worker = WorkerId(uuid::Uuid::now_v7().to_string());
        let app = parts.forge.map(|forge| {
            let app = App::new(forge, Arc::clone(&parts.store), Arc::clone(&parts.clock), parts.work, worker);
            Arc::new(app.with_models(Arc::new(parts.models)))
        });
        let bell = app.as_ref().map_or_else(|| Arc::new(tokio::sync::Notify::new()), |app| app.woken());
        let (intake, writer) = intake(parts.store, bell);
        let us = Arc::new(Ourselves::new(parts.app_id));
        let pushed = app.clone();
        let on_pushed = Arc::new(move |repository| {
            if let Some(app) = &pushed {
                app.pushed(repository);
            }
        });
        let door = Door::new(parts.door, Arc::clone(&us), intake, parts.clock, on_pushed);
        Self { app, door, us, writer }
    }
}

/// The configured keys, else the one that the App's private key gives.
pub(super) fn signing_keys(config: &Config, key: &AppKey) -> SigningKeys {
    if config.signing.keys.is_empty() {
        let (kid, bytes) = key.signing_key();
        return SigningKeys::new(vec![(kid, bytes.to_vec())]);
    }
    let keys = config.signing.keys.iter().map(|key| (key.kid.clone(), key.secret.expose_secret().to_vec()));
    SigningKeys::new(keys.collect())
}
