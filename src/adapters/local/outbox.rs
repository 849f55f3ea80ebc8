//! Webhooks on their way out, signed as GitHub signs them. Who carries them, how often and in which order is the caller's.

use crate::domain::ids::{AppId, DeliveryId};
use hmac::{Hmac, KeyInit, Mac};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use sha1::Sha1;
use sha2::Sha256;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;
use uuid::Uuid;

/// One webhook, ready to be posted. Posting it twice is a redelivery: the id stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// `X-GitHub-Event`, such as `issues`.
    pub event: String,
    /// `X-GitHub-Delivery`.
    pub id: DeliveryId,
    /// Every header that GitHub sends, as name and value.
    pub headers: Vec<(&'static str, String)>,
    /// The JSON, byte for byte as it was signed.
    pub body: Vec<u8>,
}

impl Delivery {
    /// A header's value; names fold case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The payload.
    ///
    /// # Errors
    /// None for deliveries of the World; a caller that changed the bytes gets the parser's error.
    pub fn json(&self) -> serde_json::Result<Value> {
        serde_json::from_slice(&self.body)
    }

    /// Event and action, such as `issues.labeled`.
    #[must_use]
    pub fn name(&self) -> String {
        match self.json().ok().and_then(|json| json["action"].as_str().map(str::to_owned)) {
            Some(action) => format!("{}.{action}", self.event),
            None => self.event.clone(),
        }
    }
}

/// Deliveries that nobody has taken yet, oldest first. Clones share them.
#[derive(Clone)]
pub struct Outbox {
    shared: Arc<Shared>,
}

struct Shared {
    waiting: Mutex<VecDeque<Delivery>>,
    arrived: Notify,
    secret: SecretString,
    app: AppId,
}

impl Outbox {
    pub(super) fn new(secret: SecretString, app: AppId) -> Self {
        let shared = Shared { waiting: Mutex::default(), arrived: Notify::new(), secret, app };
        Self { shared: Arc::new(shared) }
    }

    /// Takes all that wait.
    #[must_use]
    pub fn take(&self) -> Vec<Delivery> {
        self.waiting().drain(..).collect()
    }

    /// Takes the oldest, waiting until there is one. Meant for one carrier at a time.
    pub async fn next(&self) -> Delivery {
        loop {
            let taken = self.waiting().pop_front();
            if let Some(delivery) = taken {
                return delivery;
            }
            self.shared.arrived.notified().await;
        }
    }

    /// How many wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.waiting().len()
    }

    /// Whether none waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.waiting().is_empty()
    }

    pub(super) fn put(&self, event: &str, payload: &Value) {
        let body = payload.to_string().into_bytes();
        let id = Uuid::now_v7().to_string();
        let delivery =
            Delivery { event: event.to_owned(), headers: self.headers(event, &id, &body), id: DeliveryId(id), body };
        self.waiting().push_back(delivery);
        self.shared.arrived.notify_one();
    }

    fn headers(&self, event: &str, id: &str, body: &[u8]) -> Vec<(&'static str, String)> {
        let secret = self.shared.secret.expose_secret().as_bytes();
        vec![
            ("Content-Type", "application/json".to_owned()),
            ("User-Agent", "GitHub-Hookshot/local".to_owned()),
            ("X-GitHub-Event", event.to_owned()),
            ("X-GitHub-Delivery", id.to_owned()),
            ("X-GitHub-Hook-Installation-Target-Type", "integration".to_owned()),
            ("X-GitHub-Hook-Installation-Target-ID", self.shared.app.to_string()),
            ("X-Hub-Signature", format!("sha1={}", sha1_mac(secret, body))),
            ("X-Hub-Signature-256", format!("sha256={}", sha256_mac(secret, body))),
        ]
    }

    fn waiting(&self) -> MutexGuard<'_, VecDeque<Delivery>> {
        self.shared.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[expect(clippy::expect_used, reason = "HMAC takes a key of any length")]
fn sha256_mac(secret: &[u8], body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).expect("any key length");
    mac.update(body);
    hex::encode(mac.finalize().into_bytes())
}

#[expect(clippy::expect_used, reason = "HMAC takes a key of any length")]
fn sha1_mac(secret: &[u8], body: &[u8]) -> String {
    let mut mac = Hmac::<Sha1>::new_from_slice(secret).expect("any key length");
    mac.update(body);
    hex::encode(mac.finalize().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_official_vector_signs_as_github_documents() {
        assert_eq!(
            sha256_mac(b"It's a Secret to Everybody", b"Hello, World!"),
            "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
        );
    }
}
