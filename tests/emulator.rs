//! The forge story through octocrab on the emulator, over real HTTP, each request checked against GitHub's own description.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

#[path = "emulator/mod.rs"]
mod emulator;
mod forge_story;

use async_trait::async_trait;
use emulator::{EMPTY, Emulator, Person, WIDGETS};
use forge_story::{Offer, Stage};
use reqwest::Method;
use sekisho::adapters::clock::SystemClock;
use sekisho::adapters::github::key::AppKey;
use sekisho::adapters::github::{GithubForge, Settings};
use sekisho::domain::ids::{CommentId, IssueNumber, Login};
use sekisho::domain::run::{AppIdentity, Permission, StateReason};
use sekisho::ports::{Forge, Place};
use std::sync::Arc;

fn forge(emulator: &Emulator) -> GithubForge {
    let key = AppKey::parse(&emulator::KEY.to_owned().into()).unwrap();
    let settings = Settings { api_url: emulator.url.clone(), app_id: emulator::APP, key, timeout: Settings::TIMEOUT };
    GithubForge::new(&settings, Arc::new(SystemClock)).unwrap()
}

fn place(repository: &str) -> Place {
    Place { installation: emulator::INSTALLATION, repository: repository.parse().unwrap() }
}

#[async_trait]
impl Stage for Emulator {
    fn app(&self) -> AppIdentity {
        AppIdentity { id: emulator::APP, slug: emulator::SLUG.to_owned() }
    }
    fn place(&self) -> Place {
        place(WIDGETS)
    }
    fn empty(&self) -> Place {
        place(EMPTY)
    }
    fn maintainer(&self) -> Login {
        Login::new(Person::Maintainer.login())
    }
    fn stranger(&self) -> Login {
        Login::new(Person::Reporter.login())
    }
    fn minimising(&self) -> Offer {
        Offer::Missing
    }
    fn linking(&self) -> Offer {
        Offer::Missing
    }
    async fn put_file(&self, path: &str, text: &str) {
        self.put_file(Person::Maintainer, WIDGETS, path, text).await;
    }
    async fn file_issue(&self, title: &str, body: &str) -> IssueNumber {
        IssueNumber(self.file_issue(Person::Maintainer, WIDGETS, title, body).await)
    }
    async fn close(&self, number: IssueNumber) {
        self.close_issue(Person::Maintainer, WIDGETS, number.0).await;
    }
    async fn label(&self, number: IssueNumber, name: &str) {
        self.label(Person::Maintainer, WIDGETS, number.0, name).await;
    }
    fn listed(&self, _path: &str) -> Option<Vec<String>> {
        None
    }
    fn pulls_among_issues(&self) -> Offer {
        Offer::Missing
    }
    /// It takes the route for that of an issue.
    fn comments_of_all(&self) -> Offer {
        Offer::Missing
    }
    /// The emulator knows no duplicates.
    fn reason(&self, reason: StateReason) -> StateReason {
        if reason == StateReason::Duplicate { StateReason::Completed } else { reason }
    }
    /// The emulator replaces where GitHub appends.
    fn annotations(&self, _made: usize, more: usize) -> usize {
        more
    }
    async fn close_pull(&self, number: IssueNumber) {
        let route = format!("/repos/{WIDGETS}/pulls/{number}");
        self.act(Person::Maintainer, Method::PATCH, &route, serde_json::json!({ "state": "closed" })).await;
    }
    async fn propose(&self, title: &str, path: &str, text: &str) -> IssueNumber {
        IssueNumber(self.propose(Person::Maintainer, WIDGETS, title, path, text).await)
    }
    async fn comment(&self, number: IssueNumber, body: &str) -> CommentId {
        CommentId(self.comment(Person::Maintainer, WIDGETS, number.0, body).await)
    }
}

#[tokio::test]
async fn the_forge_story_is_told_without_a_request_that_breaks_the_description() {
    let emulator = Emulator::start().await;
    forge_story::tell(&forge(&emulator), &emulator).await;
    assert_eq!(emulator.violations().await, Vec::<serde_json::Value>::new());
    let calls = emulator.calls().await;
    let tokens = calls.iter().filter(|call| call.path.ends_with("/access_tokens")).count();
    assert_eq!(tokens, 1, "one warm client");
    let graphql = calls.iter().filter(|call| call.path == "/graphql").count();
    assert_eq!(graphql, 1, "a server without GraphQL is asked once");
}

#[tokio::test]
async fn roles_of_collaborators_are_read() {
    let emulator = Emulator::start().await;
    let forge = forge(&emulator);
    let helper = Login::new(Person::Helper.login());
    let roles = [
        ("pull", Permission::None),
        ("triage", Permission::Triage),
        ("push", Permission::Write),
        ("maintain", Permission::Write),
        ("admin", Permission::Write),
    ];
    for (role, expect) in roles {
        emulator.collaborator(Person::Helper, WIDGETS, role).await;
        assert_eq!(forge.permission(&place(WIDGETS), &helper).await, Ok(expect), "{role}");
    }
    assert_eq!(emulator.violations().await, Vec::<serde_json::Value>::new());
}

#[tokio::test]
async fn the_front_notices_a_request_that_breaks_the_description() {
    let emulator = Emulator::start().await;
    let number = emulator.file_issue(Person::Maintainer, WIDGETS, "T", "B").await;
    let bad = reqwest::Client::new()
        .post(format!("{}/repos/{WIDGETS}/issues/{number}/comments", emulator.url))
        .json(&serde_json::json!({ "body": null }))
        .send()
        .await
        .unwrap();
    assert_eq!(bad.status(), 422);
    let violations = emulator.violations().await;
    assert_eq!(violations.len(), 1);
    assert_eq!(violations[0]["operation"], "issues/create-comment");
}

#[tokio::test]
async fn webhooks_reach_the_target_signed_and_with_ids_of_their_own() {
    use hmac::{Hmac, KeyInit, Mac};
    let emulator = Emulator::start().await;
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let door = axum::Router::new().fallback(move |headers: axum::http::HeaderMap, body: String| async move {
        sender.send((headers, body)).unwrap();
        axum::http::StatusCode::ACCEPTED
    });
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    emulator.deliver_to(&format!("http://{}/github/webhook", listener.local_addr().unwrap())).await;
    tokio::spawn(async move { axum::serve(listener, door).await });

    let number = emulator.file_issue(Person::Maintainer, WIDGETS, "T", "B").await;
    emulator.comment(Person::Reporter, WIDGETS, number, "/gate start").await;
    let mut ids = Vec::new();
    for _ in 0..2 {
        let (headers, body) = receiver.recv().await.unwrap();
        let header = |name: &str| headers[name].to_str().unwrap().to_owned();
        let mut mac = Hmac::<sha2::Sha256>::new_from_slice(emulator::WEBHOOK_SECRET.as_bytes()).unwrap();
        mac.update(body.as_bytes());
        assert_eq!(header("x-hub-signature-256"), format!("sha256={}", hex::encode(mac.finalize().into_bytes())));
        assert!(["issues", "issue_comment"].contains(&header("x-github-event").as_str()));
        ids.push(header("x-github-delivery"));
    }
    let mut sent: Vec<_> = emulator.sent().await.into_iter().map(|sent| sent.id).collect();
    sent.sort();
    ids.sort();
    assert_eq!(ids, sent);
    assert_ne!(ids[0], ids[1]);
}
