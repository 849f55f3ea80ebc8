//! Carries webhooks from GitHub to the service in their order, each until it is taken in. GitHub keeps one that got no 202 as
//! failed, and somebody asks for it again; here the carrier does.

use crate::emulator::Sent;
use crate::service::deliver;
use axum::Router;
use axum::http::{HeaderMap, StatusCode};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::mpsc;

/// The carrier. Ends with the test's runtime.
pub struct Carrier {
    /// Where GitHub sends webhooks.
    pub url: String,
    shared: Arc<Mutex<Shared>>,
}

#[derive(Default)]
struct Shared {
    /// Where the service stands or last stood.
    webhooks: String,
    got: usize,
    brought: usize,
}

impl Carrier {
    pub async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let shared = Arc::<Mutex<Shared>>::default();
        let (sender, receiver) = mpsc::unbounded_channel();
        let counted = Arc::clone(&shared);
        let door = Router::new().fallback(move |headers: HeaderMap, body: String| async move {
            let header = |name: &str| headers[name].to_str().unwrap().to_owned();
            let (id, event) = (header("x-github-delivery"), header("x-github-event"));
            let sent = Sent { id, event, signature: header("x-hub-signature-256"), body, answer: None };
            counted.lock().unwrap().got += 1;
            sender.send(sent).unwrap();
            StatusCode::ACCEPTED
        });
        tokio::spawn(async move { axum::serve(listener, door).await });
        tokio::spawn(carry(Arc::clone(&shared), receiver));
        Self { url, shared }
    }

    pub fn goes_to(&self, webhooks: &str) {
        webhooks.clone_into(&mut self.shared.lock().unwrap().webhooks);
    }

    /// How many webhooks there were, if all have been brought.
    pub fn all_brought(&self) -> Option<usize> {
        let shared = self.shared.lock().unwrap();
        (shared.got == shared.brought).then_some(shared.got)
    }
}

async fn carry(shared: Arc<Mutex<Shared>>, mut sent: mpsc::UnboundedReceiver<Sent>) {
    let http = reqwest::Client::new();
    while let Some(sent) = sent.recv().await {
        loop {
            let webhooks = shared.lock().unwrap().webhooks.clone();
            match deliver(&http, &webhooks, &sent).await {
                Some(202) => break,
                // Killed in the middle of an answer, or not up yet.
                None => tokio::time::sleep(Duration::from_millis(20)).await,
                Some(other) => panic!("{other} for {}", sent.event),
            }
        }
        shared.lock().unwrap().brought += 1;
    }
}
