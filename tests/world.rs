//! The World's own rules: it must refuse, tell and fail as GitHub does, or every dialogue test proves nothing.

#![allow(clippy::unwrap_used, clippy::needless_pass_by_value)]

use chrono::{DateTime, TimeZone, Utc};
use hmac::{Hmac, KeyInit, Mac};
use sekisho::adapters::local::{
    Access, AppPermission, Calls, Delivery, Display, Feature, ManualClock, Method, Moment, Network, Person, Refusal,
    Setup, Standing, Visibility, World,
};
use sekisho::domain::effect::{CloseReason, FileChange, IssueDraft, LabelSpec, PullDraft};
use sekisho::domain::ids::{CommentId, IssueNumber, Login, RepositoryName};
use sekisho::domain::run::{Permission, StateReason};
use sekisho::ports::{Clock, Forge, ForgeError, Place};
use serde_json::Value;
use sha2::Sha256;
use std::sync::{Arc, Mutex};
use std::time::Duration;

struct Scene {
    world: World,
    clock: ManualClock,
    repository: RepositoryName,
    place: Place,
    hanako: Person,
    taro: Person,
    stranger: Person,
}

fn noon() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 4, 1, 12, 0, 0).unwrap()
}

/// A public repository: Hanako is its admin, Taro has triage, the stranger has nothing.
fn scene() -> Scene {
    let clock = ManualClock::at(noon());
    let world = World::new(Setup::default(), Arc::new(clock.clone()));
    let repository = RepositoryName::new("acme", "widgets");
    world.create_repository(&repository, Visibility::Public);
    world.grant(&repository, "hanako", Access::Admin);
    world.grant(&repository, "taro", Access::Triage);
    let place = world.place(&repository);
    let [hanako, taro, stranger] = ["hanako", "taro", "stranger"].map(|login| world.as_person(login));
    Scene { world, clock, repository, place, hanako, taro, stranger }
}

impl Scene {
    fn issue(&self) -> IssueNumber {
        self.stranger.open_issue("Export", "## Purpose\nSave hours.").unwrap()
    }

    fn labels(&self, number: IssueNumber) -> Vec<String> {
        self.world.look_at_issue(&self.repository, number).unwrap().labels
    }

    fn told(&self) -> Vec<String> {
        self.world.outbox().take().iter().map(Delivery::name).collect()
    }

    fn last(&self) -> Value {
        self.world.outbox().take().pop().unwrap().json().unwrap()
    }
}

fn refused<T: std::fmt::Debug>(outcome: Result<T, Refusal>, status: u16) {
    assert_eq!(outcome.unwrap_err().status, status);
}

fn gone<T>(answer: Result<T, ForgeError>) -> bool {
    matches!(answer, Err(ForgeError::NotFound { .. }))
}

fn forbidden<T>(answer: Result<T, ForgeError>) -> String {
    match answer {
        Err(ForgeError::Forbidden { message, .. }) => message,
        Err(other) => panic!("expected a 403, got {other}"),
        Ok(_) => panic!("expected a 403"),
    }
}

fn refused_with<T>(answer: Result<T, ForgeError>) -> (u16, String) {
    match answer {
        Err(ForgeError::Refused { status, message, .. }) => (status, message),
        Err(other) => panic!("expected a refusal, got {other}"),
        Ok(_) => panic!("expected a refusal"),
    }
}

// People.

#[test]
fn labelling_needs_triage_and_making_a_label_needs_write() {
    let scene = scene();
    let issue = scene.issue();
    refused(scene.taro.label(issue, "gate:start"), 403);
    scene.hanako.create_label("gate:start", "1D76DB").unwrap();
    refused(scene.stranger.label(issue, "gate:start"), 403);
    scene.taro.label(issue, "Gate:START").unwrap();
    assert_eq!(scene.labels(issue), ["gate:start"]);
    refused(scene.hanako.create_label("GATE:start", "1d76db"), 422);
    scene.taro.unlabel(issue, "gate:Start").unwrap();
    refused(scene.taro.unlabel(issue, "gate:start"), 404);
}

#[test]
fn a_form_labels_whoever_fills_it_in() {
    let scene = scene();
    scene.hanako.create_label("gate:start", "1d76db").unwrap();
    scene.told();
    let issue = scene.stranger.open_by_form("From a form", "", &["gate:start", "unheard-of"]).unwrap();
    assert_eq!(scene.labels(issue), ["gate:start"]);
    let deliveries = scene.world.outbox().take();
    assert_eq!(deliveries.iter().map(Delivery::name).collect::<Vec<_>>(), ["issues.opened", "issues.labeled"]);
    assert_eq!(deliveries[1].json().unwrap()["sender"]["login"], "stranger");
}

#[test]
fn words_of_others_need_write_to_be_changed() {
    let scene = scene();
    let issue = scene.issue();
    refused(scene.taro.edit_body(issue, "mine"), 403);
    scene.stranger.edit_body(issue, "own words").unwrap();
    scene.hanako.edit_title(issue, "Export as CSV").unwrap();
    let comment = scene.stranger.comment(issue, "/gate help").unwrap();
    refused(scene.taro.edit_comment(comment, "x"), 403);
    refused(scene.taro.delete_comment(comment), 403);
    scene.stranger.edit_comment(comment, "/gate status").unwrap();
    scene.hanako.delete_comment(comment).unwrap();
    refused(scene.hanako.delete_comment(comment), 404);
    refused(scene.stranger.comment(issue, "  \n"), 422);
    refused(scene.stranger.edit_title(issue, " "), 422);
}

#[test]
fn closing_is_for_the_author_and_for_triage() {
    let scene = scene();
    let issue = scene.issue();
    refused(scene.world.as_person("passer-by").close(issue), 403);
    scene.stranger.close(issue).unwrap();
    scene.taro.reopen(issue).unwrap();
    scene.taro.close_as_not_planned(issue).unwrap();
    assert_eq!(scene.last()["issue"]["state_reason"], "not_planned");
}

#[tokio::test]
async fn a_locked_conversation_hears_only_those_with_write() {
    let scene = scene();
    let issue = scene.issue();
    refused(scene.taro.lock(issue), 403);
    scene.hanako.lock(issue).unwrap();
    refused(scene.stranger.comment(issue, "hello?"), 403);
    refused(scene.taro.comment(issue, "hello?"), 403);
    scene.hanako.comment(issue, "hello").unwrap();
    scene.world.create_comment(&scene.place, issue, "verdict").await.unwrap();
    assert!(scene.world.issue(&scene.place, issue).await.unwrap().locked);
}

#[test]
fn a_private_repository_is_not_there_for_strangers() {
    let scene = scene();
    let secret = RepositoryName::new("acme", "secret");
    scene.world.create_repository(&secret, Visibility::Private);
    refused(scene.stranger.at(&secret).open_issue("x", ""), 404);
    scene.world.grant(&secret, "stranger", Access::Read);
    let issue = scene.stranger.at(&secret).open_issue("x", "").unwrap();
    scene.world.revoke(&secret, "stranger");
    refused(scene.stranger.at(&secret).comment(issue, "x"), 404);
}

#[test]
fn a_blocked_person_says_nothing() {
    let scene = scene();
    let issue = scene.issue();
    scene.world.block(&scene.repository, "Stranger");
    refused(scene.stranger.comment(issue, "x"), 403);
    refused(scene.stranger.open_issue("x", ""), 403);
    scene.world.block(&scene.repository, "taro");
    refused(scene.taro.label(issue, "bug"), 403);
}

// The App.

#[tokio::test]
async fn the_app_reads_what_people_did() {
    let scene = scene();
    let issue = scene.issue();
    scene.hanako.label(issue, "gate:start").unwrap();
    let comment = scene.stranger.comment(issue, "/gate start").unwrap();
    let read = scene.world.issue(&scene.place, issue).await.unwrap();
    assert_eq!((read.title.as_str(), read.open, read.is_pull_request), ("Export", true, false));
    assert_eq!((read.labels, read.author), (vec!["gate:start".to_owned()], Some(Login::new("stranger"))));
    assert_eq!(read.url, "https://github.com/acme/widgets/issues/1");
    let comments = scene.world.comments(&scene.place, issue).await.unwrap();
    assert_eq!((comments.len(), comments[0].id, comments[0].app), (1, comment, None));
    assert_eq!(comments[0].url, format!("https://github.com/acme/widgets/issues/1#issuecomment-{comment}"));
    scene.world.delete_account("stranger");
    assert_eq!(scene.world.issue(&scene.place, issue).await.unwrap().author, None);
}

#[tokio::test]
async fn permission_is_three_steps() {
    let scene = scene();
    for (login, expected) in [
        ("hanako", Permission::Write),
        ("Taro", Permission::Triage),
        ("stranger", Permission::None),
        ("nobody-at-all", Permission::None),
    ] {
        assert_eq!(scene.world.permission(&scene.place, &Login::new(login)).await, Ok(expected), "{login}");
    }
}

#[tokio::test]
async fn files_are_read_at_a_commit() {
    let scene = scene();
    assert!(gone(scene.world.head(&scene.place).await), "an empty repository has no head");
    let first = scene.hanako.push_file("contracts/a.yaml", "version: 1\n").unwrap();
    let second = scene.hanako.push_file("contracts/deep/b.yaml", "x").unwrap();
    assert_eq!(scene.world.head(&scene.place).await.unwrap().commit, second);
    let names = |entries: Vec<sekisho::ports::Entry>| entries.into_iter().map(|it| it.path).collect::<Vec<_>>();
    let listed = scene.world.directory(&scene.place, "contracts", &second).await.unwrap();
    assert_eq!(names(listed), ["contracts/a.yaml"]);
    assert!(gone(scene.world.directory(&scene.place, "contracts/deep", &first).await));
    assert!(gone(scene.world.directory(&scene.place, ".github/contracts", &second).await));
    let file = scene.world.file(&scene.place, "contracts/a.yaml", &first).await.unwrap();
    assert_eq!(file.bytes, b"version: 1\n");
    // `printf 'version: 1\n' | git hash-object --stdin`
    assert_eq!(file.blob.as_str(), "b82551848c644f63b8517a7bdf8be9a992e6f4da");
    scene.hanako.remove_file("contracts/a.yaml").unwrap();
    let head = scene.world.head(&scene.place).await.unwrap().commit;
    assert!(gone(scene.world.file(&scene.place, "contracts/a.yaml", &head).await));
    refused(scene.taro.push_file("x", "y"), 403);
}

#[tokio::test]
async fn labels_are_made_on_the_way_and_never_twice() {
    let scene = scene();
    let issue = scene.issue();
    let spec = |name: &str, colour: &str, description: &str| LabelSpec {
        name: name.to_owned(),
        colour: colour.to_owned(),
        description: description.to_owned(),
    };
    scene.world.create_label(&scene.place, &spec("gate:start-passed", "0e8a16", "It may go on.")).await.unwrap();
    let again = scene.world.create_label(&scene.place, &spec("Gate:Start-Passed", "0e8a16", "")).await;
    assert_eq!(refused_with(again), (422, "Validation Failed: already_exists".to_owned()));
    for bad in [spec(&"x".repeat(51), "0e8a16", ""), spec("x", "green", ""), spec("x", "0e8a16", &"x".repeat(101))] {
        assert_eq!(refused_with(scene.world.create_label(&scene.place, &bad).await).0, 422);
    }
    scene.world.add_label(&scene.place, issue, "gate:START-passed").await.unwrap();
    scene.world.add_label(&scene.place, issue, "優先 🚦/50 %").await.unwrap();
    assert_eq!(scene.labels(issue), ["gate:start-passed", "優先 🚦/50 %"]);
    scene.told();
    scene.world.add_label(&scene.place, issue, "gate:start-passed").await.unwrap();
    assert!(scene.told().is_empty(), "a label that is there makes no event");
    scene.world.remove_label(&scene.place, issue, "優先 🚦/50 %").await.unwrap();
    assert!(gone(scene.world.remove_label(&scene.place, issue, "優先 🚦/50 %").await));
    assert!(gone(scene.world.add_label(&scene.place, IssueNumber(99), "x").await));
}

#[tokio::test]
async fn an_issue_takes_a_hundred_labels_and_a_repository_more() {
    let scene = scene();
    let issue = scene.issue();
    for index in 0..100 {
        scene.world.add_label(&scene.place, issue, &format!("label {index}")).await.unwrap();
    }
    scene.world.add_label(&scene.place, issue, "LABEL 7").await.unwrap();
    assert_eq!(refused_with(scene.world.add_label(&scene.place, issue, "one more").await).0, 422);
    let other = scene.issue();
    scene.world.add_label(&scene.place, other, "one more").await.unwrap();
    assert_eq!(scene.world.look_at(&scene.repository).unwrap().labels.len(), 101);
}

#[tokio::test]
async fn comments_have_a_limit_in_characters() {
    let scene = scene();
    let issue = scene.issue();
    let full = "門".repeat(65_536);
    let posted = scene.world.create_comment(&scene.place, issue, &full).await.unwrap();
    let (status, message) = refused_with(scene.world.edit_comment(&scene.place, posted.id, &(full + "x")).await);
    assert_eq!((status, message.as_str()), (422, "Validation Failed: Body is too long (maximum is 65536 characters)"));
}

#[tokio::test]
async fn the_apps_own_comments_carry_its_name() {
    let scene = scene();
    let issue = scene.issue();
    let posted = scene.world.create_comment(&scene.place, issue, "verdict").await.unwrap();
    let event = scene.last();
    assert_eq!(event["sender"]["login"], "sekisho[bot]");
    assert_eq!(event["sender"]["type"], "Bot");
    assert_eq!(event["comment"]["performed_via_github_app"]["slug"], "sekisho");
    let app = scene.world.app().await.unwrap();
    let read = scene.world.comments(&scene.place, issue).await.unwrap().remove(0);
    assert_eq!((read.app, app.is(&read.author.unwrap())), (Some(app.id), true));
    scene.world.acknowledge(&scene.place, posted.id).await.unwrap();
    scene.world.minimise(&scene.place, &posted.node).await.unwrap();
    let stored = scene.world.look_at_issue(&scene.repository, issue).unwrap().comments.remove(0);
    assert_eq!(stored.display, Display::Outdated);
    assert!(stored.reactions.contains(&("sekisho[bot]".to_owned(), "eyes")));
    assert!(scene.told().is_empty(), "GitHub tells neither of reactions nor of minimising");
    scene.world.delete_comment(&scene.place, posted.id).await.unwrap();
    assert!(gone(scene.world.delete_comment(&scene.place, posted.id).await));
    assert!(gone(scene.world.edit_comment(&scene.place, CommentId(1), "x").await));
}

#[tokio::test]
async fn every_subject_can_end() {
    let scene = scene();
    let [deleted, converted, moved] = [0; 3].map(|_| scene.issue());
    refused(scene.taro.delete_issue(deleted), 403);
    scene.hanako.delete_issue(deleted).unwrap();
    refused(scene.hanako.comment(deleted, "x"), 410);
    assert!(gone(scene.world.issue(&scene.place, deleted).await));
    scene.hanako.convert_to_discussion(converted).unwrap();
    refused(scene.hanako.comment(converted, "x"), 404);

    // A transferred issue keeps its comments. Its old place redirects, as long as the App may go there; who asks for the
    // issue itself learns that it is gone from there.
    let other = RepositoryName::new("acme", "gadgets");
    scene.world.create_repository(&other, Visibility::Private);
    scene.world.grant(&other, "hanako", Access::Admin);
    scene.world.create_comment(&scene.place, moved, "verdict").await.unwrap();
    let number = scene.hanako.transfer(moved, &other).unwrap();
    let found = scene.world.issue(&scene.world.place(&other), number).await.unwrap();
    assert_eq!((found.number, found.url.as_str()), (number, "https://github.com/acme/gadgets/issues/1"));
    assert!(gone(scene.world.issue(&scene.place, moved).await));
    assert_eq!(scene.world.comments(&scene.place, moved).await.unwrap().len(), 1);
    scene.world.deselect("hanako", &other).unwrap();
    assert!(gone(scene.world.comments(&scene.place, moved).await));
}

#[tokio::test]
async fn an_archived_repository_can_only_be_read() {
    let scene = scene();
    let issue = scene.issue();
    refused(scene.taro.archive(), 403);
    scene.hanako.archive().unwrap();
    refused(scene.hanako.comment(issue, "x"), 403);
    let answer = scene.world.create_comment(&scene.place, issue, "x").await;
    assert_eq!(forbidden(answer), "Repository was archived so is read-only.");
    assert!(scene.world.issue(&scene.place, issue).await.is_ok());
    scene.hanako.unarchive().unwrap();
    scene.world.add_label(&scene.place, issue, "x").await.unwrap();
}

#[tokio::test]
async fn a_renamed_repository_is_found_by_both_names() {
    let scene = scene();
    let issue = scene.issue();
    scene.hanako.rename_repository("gears").unwrap();
    assert!(scene.world.issue(&scene.place, issue).await.is_ok());
    let renamed = RepositoryName::new("ACME", "Gears");
    assert!(scene.world.issue(&scene.world.place(&renamed), issue).await.is_ok());
    assert_eq!(scene.last()["changes"]["repository"]["name"]["from"], "widgets");
}

#[tokio::test]
async fn an_installation_can_be_suspended_and_removed() {
    let scene = scene();
    let issue = scene.issue();
    scene.told();
    scene.world.set_standing("hanako", Standing::Suspended);
    assert_eq!(forbidden(scene.world.issue(&scene.place, issue).await), "This installation has been suspended");
    scene.stranger.comment(issue, "unheard").unwrap();
    scene.world.set_standing("hanako", Standing::Active);
    assert!(scene.world.issue(&scene.place, issue).await.is_ok());
    scene.world.set_standing("hanako", Standing::Removed);
    assert!(gone(scene.world.issue(&scene.place, issue).await));
    assert_eq!(scene.told(), ["installation.suspend", "installation.unsuspend", "installation.deleted"]);
    let elsewhere = Place { installation: sekisho::domain::ids::InstallationId(1), ..scene.place };
    assert!(gone(scene.world.issue(&elsewhere, issue).await));
}

#[tokio::test]
async fn a_withheld_permission_shuts_calls_and_events() {
    let scene = scene();
    let issue = scene.issue();
    let pull = scene.hanako.open_pull_request("Change", "Refs #1").unwrap();
    scene.told();
    scene.world.withhold(AppPermission::Issues);
    let message = "Resource not accessible by integration";
    assert_eq!(forbidden(scene.world.create_comment(&scene.place, issue, "x").await), message);
    assert_eq!(forbidden(scene.world.add_label(&scene.place, issue, "x").await), message);
    scene.world.create_comment(&scene.place, pull, "x").await.unwrap();
    scene.stranger.comment(issue, "unheard").unwrap();
    assert_eq!(scene.told(), ["issue_comment.created"]);
    scene.world.restore(AppPermission::Issues);
    scene.world.create_comment(&scene.place, issue, "x").await.unwrap();
    scene.hanako.push_file("a", "b").unwrap();
    scene.world.withhold(AppPermission::Contents);
    assert_eq!(forbidden(scene.world.head(&scene.place).await), message);
}

// Webhooks.

#[test]
fn each_act_is_told_once_and_signed() {
    let scene = scene();
    let issue = scene.issue();
    scene.hanako.label(issue, "gate:start").unwrap();
    scene.hanako.unlabel(issue, "gate:start").unwrap();
    scene.stranger.edit_body(issue, "new").unwrap();
    scene.stranger.edit_body(issue, "new").unwrap();
    let comment = scene.stranger.comment(issue, "one").unwrap();
    scene.stranger.edit_comment(comment, "two").unwrap();
    scene.stranger.delete_comment(comment).unwrap();
    scene.hanako.lock(issue).unwrap();
    scene.hanako.unlock(issue).unwrap();
    scene.hanako.push_file("README.md", "# Widgets").unwrap();
    let child = scene.issue();
    scene.taro.set_parent(child, issue).unwrap();
    let deliveries = scene.world.outbox().take();
    let names: Vec<_> = deliveries.iter().map(Delivery::name).collect();
    assert_eq!(
        names,
        [
            "issues.opened",
            "label.created",
            "issues.labeled",
            "issues.unlabeled",
            "issues.edited",
            "issue_comment.created",
            "issue_comment.edited",
            "issue_comment.deleted",
            "issues.locked",
            "issues.unlocked",
            "push",
            "issues.opened",
            "sub_issues.sub_issue_added",
            "sub_issues.parent_issue_added",
        ]
    );
    let mut ids: Vec<_> = deliveries.iter().map(|delivery| delivery.id.clone()).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), deliveries.len());
    for delivery in &deliveries {
        let mut mac = Hmac::<Sha256>::new_from_slice(b"It's a Secret to Everybody").unwrap();
        mac.update(&delivery.body);
        let expected = format!("sha256={}", hex::encode(mac.finalize().into_bytes()));
        assert_eq!(delivery.header("x-hub-signature-256"), Some(expected.as_str()));
        assert_eq!(delivery.header("X-GitHub-Event"), Some(delivery.event.as_str()));
        assert_eq!(delivery.header("X-GitHub-Delivery"), Some(delivery.id.as_str()));
        let json = delivery.json().unwrap();
        assert_eq!(json["installation"]["id"], 4242);
        assert_eq!(json["repository"]["full_name"], "acme/widgets");
        assert_eq!(json["repository"]["owner"]["login"], "acme");
        assert_eq!(json["repository"]["default_branch"], "main");
        assert!(json["sender"]["id"].as_u64().is_some_and(|id| id > 0));
    }
    assert!(scene.world.outbox().is_empty());
}

#[test]
fn payloads_hold_what_the_door_reads() {
    let scene = scene();
    let issue = scene.issue();
    scene.clock.advance(Duration::from_millis(1_900));
    scene.hanako.label(issue, "gate:start").unwrap();
    let labelled = scene.last();
    assert_eq!(labelled["label"]["name"], "gate:start");
    assert_eq!(labelled["issue"]["labels"][0]["name"], "gate:start");
    assert_eq!(labelled["issue"]["updated_at"], "2026-04-01T12:00:01Z");
    assert_eq!(labelled["issue"]["user"]["login"], "stranger");
    scene.stranger.edit_body(issue, "").unwrap();
    let edited = scene.last();
    assert_eq!(edited["changes"]["body"]["from"], "## Purpose\nSave hours.");
    assert_eq!((&edited["changes"].get("title"), &edited["issue"]["body"]), (&None, &Value::Null));
    scene.clock.advance(Duration::from_mins(1));
    scene.stranger.comment(issue, "/gate start").unwrap();
    let commented = scene.last();
    assert_eq!(commented["comment"]["body"], "/gate start");
    assert_eq!(commented["comment"]["created_at"], commented["issue"]["updated_at"]);
    assert_eq!(commented["comment"]["performed_via_github_app"], Value::Null);
    scene.hanako.push_file("contracts/handoff.yaml", "x").unwrap();
    let pushed = scene.last();
    assert_eq!(
        (&pushed["ref"], &pushed["commits"][0]["added"][0]),
        (&"refs/heads/main".into(), &"contracts/handoff.yaml".into())
    );
}

#[test]
fn a_pull_request_has_an_event_of_its_own() {
    let scene = scene();
    let pull = scene.hanako.open_pull_request("Change", "Closes #1").unwrap();
    scene.hanako.label(pull, "gate:outcome").unwrap();
    scene.hanako.comment(pull, "report").unwrap();
    let deliveries = scene.world.outbox().take();
    let names: Vec<_> = deliveries.iter().map(Delivery::name).collect();
    assert_eq!(names, ["pull_request.opened", "label.created", "pull_request.labeled", "issue_comment.created"]);
    assert_eq!(deliveries[2].json().unwrap()["pull_request"]["html_url"], "https://github.com/acme/widgets/pull/1");
    assert!(deliveries[3].json().unwrap()["issue"]["pull_request"].is_object());
}

#[tokio::test]
async fn a_carrier_can_wait_for_the_next_delivery() {
    let scene = scene();
    let outbox = scene.world.outbox();
    let carrier = tokio::spawn(async move { outbox.next().await.name() });
    tokio::task::yield_now().await;
    scene.issue();
    assert_eq!(carrier.await.unwrap(), "issues.opened");
}

#[test]
fn times_are_whole_seconds_and_never_run_back() {
    let scene = scene();
    let issue = scene.issue();
    let updated = || scene.world.look_at_issue(&scene.repository, issue).unwrap().updated_at;
    assert_eq!(updated(), noon());
    scene.clock.advance(Duration::from_millis(61_234));
    let comment = scene.stranger.comment(issue, "x").unwrap();
    assert_eq!(updated(), noon() + Duration::from_secs(61));
    let before = updated();
    scene.stranger.edit_comment(comment, "y").unwrap();
    assert_eq!(updated(), before);
}

/// A machine's clock, which may be put back.
struct WallClock(Mutex<DateTime<Utc>>);

#[async_trait::async_trait]
impl Clock for WallClock {
    fn now(&self) -> DateTime<Utc> {
        *self.0.lock().unwrap()
    }
    async fn sleep_until(&self, _at: DateTime<Utc>) {}
}

#[test]
fn a_clock_put_back_moves_no_time_back() {
    let clock = Arc::new(WallClock(Mutex::new(noon())));
    let world = World::new(Setup::default(), clock.clone());
    let repository = RepositoryName::new("acme", "widgets");
    world.create_repository(&repository, Visibility::Public);
    let issue = world.as_person("hanako").open_issue("x", "").unwrap();
    *clock.0.lock().unwrap() -= Duration::from_hours(1);
    world.as_person("hanako").comment(issue, "x").unwrap();
    assert_eq!(world.look_at_issue(&repository, issue).unwrap().updated_at, noon());
}

// Faults.

#[tokio::test]
async fn a_stopped_app_stays_silent_and_its_successor_does_not() {
    for (moment, comments) in [(Moment::Before, 0), (Moment::After, 1)] {
        let scene = scene();
        let issue = scene.issue();
        let mut stop = scene.world.stop_at_write(2, moment);
        let (world, place) = (scene.world.clone(), scene.place.clone());
        let app = tokio::spawn(async move {
            world.add_label(&place, issue, "x").await.unwrap();
            world.issue(&place, issue).await.unwrap();
            world.create_comment(&place, issue, "verdict").await.unwrap();
        });
        assert_eq!(stop.reached().await, Method::CreateComment);
        let again = tokio::time::timeout(Duration::from_millis(20), scene.world.issue(&scene.place, issue)).await;
        assert!(again.is_err(), "nothing answers a dead App");
        assert!(!app.is_finished());
        app.abort();
        let successor = scene.world.reconnect();
        assert_eq!(successor.comments(&scene.place, issue).await.unwrap().len(), comments);
        successor.create_comment(&scene.place, issue, "again").await.unwrap();
    }
}

#[tokio::test]
async fn failures_are_scripted_by_method() {
    let scene = scene();
    let issue = scene.issue();
    let error = ForgeError::Unreachable { what: "x".to_owned(), message: "503".to_owned() };
    scene.world.fail_next(Calls::Of(Method::CreateComment), 2, error.clone());
    assert!(scene.world.issue(&scene.place, issue).await.is_ok());
    for _ in 0..2 {
        assert_eq!(scene.world.create_comment(&scene.place, issue, "x").await, Err(error.clone()));
    }
    scene.world.create_comment(&scene.place, issue, "x").await.unwrap();
    scene.world.lose_answers(Calls::Writes, 1);
    let lost = scene.world.create_comment(&scene.place, issue, "y").await;
    assert!(matches!(lost, Err(ForgeError::Unreachable { .. })));
    assert_eq!(scene.world.comments(&scene.place, issue).await.unwrap().len(), 2);
}

#[tokio::test]
async fn stale_reads_show_the_state_before() {
    let scene = scene();
    let issue = scene.issue();
    scene.clock.advance(Duration::from_secs(5));
    scene.hanako.label(issue, "gate:start").unwrap();
    scene.world.stale_reads(1);
    let old = scene.world.issue(&scene.place, issue).await.unwrap();
    assert_eq!((old.updated_at, old.labels.len()), (noon(), 0));
    let new = scene.world.issue(&scene.place, issue).await.unwrap();
    assert_eq!((new.updated_at, new.labels.len()), (noon() + Duration::from_secs(5), 1));
    scene.world.create_comment(&scene.place, issue, "x").await.unwrap();
    scene.world.stale_lists(1);
    assert!(scene.world.comments(&scene.place, issue).await.unwrap().is_empty());
    assert_eq!(scene.world.comments(&scene.place, issue).await.unwrap().len(), 1);
}

#[tokio::test]
async fn limits_and_lines_follow_the_clock() {
    let scene = scene();
    let issue = scene.issue();
    let until = noon() + Duration::from_secs(72);
    scene.world.limit_until(until);
    let limited = scene.world.issue(&scene.place, issue).await;
    assert!(matches!(limited, Err(ForgeError::RateLimited { until: said, .. }) if said == until));
    scene.clock.set(until);
    assert!(scene.world.issue(&scene.place, issue).await.is_ok());

    scene.world.set_network(Network::Down);
    assert!(matches!(scene.world.app().await, Err(ForgeError::Unreachable { .. })));
    scene.world.set_network(Network::Slow(Duration::from_secs(3)));
    let (world, place) = (scene.world.clone(), scene.place.clone());
    let slow = tokio::spawn(async move { world.issue(&place, issue).await });
    scene.clock.until_sleepers(1).await;
    assert!(!slow.is_finished());
    scene.clock.advance(Duration::from_secs(3));
    assert!(slow.await.unwrap().is_ok());
    scene.world.set_network(Network::Up);

    scene.world.withdraw(Feature::Minimise);
    let posted = scene.world.create_comment(&scene.place, issue, "x").await.unwrap();
    let missing = scene.world.minimise(&scene.place, &posted.node).await;
    assert!(matches!(missing, Err(ForgeError::NotOffered { .. })));
    scene.world.offer(Feature::Minimise);
    scene.world.minimise(&scene.place, &posted.node).await.unwrap();
}

#[tokio::test]
async fn calls_are_counted_by_method() {
    let scene = scene();
    let issue = scene.issue();
    scene.world.app().await.unwrap();
    scene.world.issue(&scene.place, issue).await.unwrap();
    scene.world.issue(&scene.place, issue).await.unwrap();
    scene.world.permission(&scene.place, &Login::new("taro")).await.unwrap();
    scene.world.create_comment(&scene.place, issue, "x").await.unwrap();
    assert!(gone(scene.world.remove_label(&scene.place, issue, "x").await));
    let counts = scene.world.counts();
    assert_eq!((counts.of(Method::Issue), counts.reads(), counts.writes()), (2, 4, 2));
    assert_eq!(counts.budget(), (3, 2));
    scene.world.reset_counts();
    assert_eq!(scene.world.counts().reads(), 0);
}

// The clock.

#[tokio::test]
async fn the_clock_wakes_whoever_is_due() {
    let clock = ManualClock::at(noon());
    clock.sleep_until(noon()).await;
    let sleeper = |seconds| {
        let clock = clock.clone();
        tokio::spawn(async move { clock.sleep_until(noon() + Duration::from_secs(seconds)).await })
    };
    let (short, long) = (sleeper(1), sleeper(20));
    clock.until_sleepers(2).await;
    assert_eq!(clock.next_sleeper(), Some(noon() + Duration::from_secs(1)));
    clock.advance(Duration::from_secs(2));
    short.await.unwrap();
    assert_eq!((clock.sleepers(), long.is_finished()), (1, false));
    long.abort();
    assert!(long.await.unwrap_err().is_cancelled());
    assert_eq!((clock.sleepers(), clock.next_sleeper()), (0, None));
    clock.set(noon());
    assert_eq!(clock.now(), noon() + Duration::from_secs(2));
}

// Links, branches, draft pull requests.

fn declined<T: std::fmt::Debug>(answer: Result<T, ForgeError>, expect: &str) {
    match answer {
        Err(ForgeError::Refused { message, .. }) => assert!(message.contains(expect), "{message}"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn what_the_app_files_is_its_own_and_linked_once() {
    let scene = scene();
    let (world, place, parent) = (&scene.world, scene.world.place(&scene.repository), scene.issue());
    let draft = |title: &str| IssueDraft {
        title: title.to_owned(),
        body: "## Purpose".to_owned(),
        labels: vec!["sub".to_owned()],
    };
    let mut filed = Vec::new();
    for title in ["one", "two", "three"] {
        filed.push(world.create_issue(&place, &draft(title)).await.unwrap());
    }
    assert_eq!(filed[0].labels, ["sub"], "a label that the repository lacked");
    for child in &filed {
        world.add_sub_issue(&place, parent, child.id).await.unwrap();
    }
    declined(world.add_sub_issue(&place, parent, filed[0].id).await, "only have one parent");
    let parent_id = world.issue(&place, parent).await.unwrap().id;
    declined(world.add_sub_issue(&place, filed[0].number, parent_id).await, "circular");
    let numbers: Vec<_> = filed.iter().map(|issue| issue.number).collect();
    let shown: Vec<_> = world.sub_issues(&place, parent).await.unwrap().into_iter().map(|issue| issue.number).collect();
    assert_eq!(shown, numbers);
    assert_eq!(world.own_issues(&place).await.unwrap().len(), 3, "the parent is somebody else's");

    let before = world.issue(&place, numbers[1]).await.unwrap().updated_at;
    world.add_blocked_by(&place, numbers[1], filed[0].id).await.unwrap();
    world.add_blocked_by(&place, numbers[2], filed[1].id).await.unwrap();
    assert_eq!(world.issue(&place, numbers[1]).await.unwrap().updated_at, before, "a dependency is no change");
    declined(world.add_blocked_by(&place, numbers[1], filed[0].id).await, "already been taken");
    declined(world.add_blocked_by(&place, numbers[0], filed[0].id).await, "same as the source");
    declined(world.add_blocked_by(&place, numbers[0], filed[2].id).await, "circular dependency");
    assert_eq!(world.blocked_by(&place, numbers[2]).await, Ok(vec![numbers[1]]));

    drop(world.outbox().take());
    scene.taro.remove_dependency(numbers[2], numbers[1]).unwrap();
    scene.taro.remove_sub_issue(parent, numbers[2]).unwrap();
    scene.taro.close_as_not_planned(numbers[1]).unwrap();
    scene.taro.reopen(numbers[1]).unwrap();
    let names: Vec<_> = world.outbox().take().iter().map(Delivery::name).collect();
    assert_eq!(
        names,
        [
            "issue_dependencies.blocked_by_removed",
            "issue_dependencies.blocking_removed",
            "sub_issues.sub_issue_removed",
            "sub_issues.parent_issue_removed",
            "issues.closed",
            "issues.reopened",
        ]
    );
    assert_eq!(world.issue(&place, numbers[1]).await.unwrap().state_reason, Some(StateReason::Reopened));
    world.close_issue(&place, numbers[1], CloseReason::Duplicate).await.unwrap();
    let closed = world.issue(&place, numbers[1]).await.unwrap();
    assert_eq!((closed.open, closed.state_reason), (false, Some(StateReason::Duplicate)));

    world.withdraw(Feature::SubIssues);
    world.withdraw(Feature::Dependencies);
    for answer in [
        world.sub_issues(&place, parent).await.map(drop),
        world.add_sub_issue(&place, parent, filed[2].id).await,
        world.blocked_by(&place, parent).await.map(drop),
        world.add_blocked_by(&place, parent, filed[2].id).await,
    ] {
        assert!(matches!(answer, Err(ForgeError::NotOffered { .. })), "{answer:?}");
    }
}

#[tokio::test]
async fn what_leaves_the_repository_leaves_its_links() {
    let scene = scene();
    let (world, place, parent) = (&scene.world, scene.world.place(&scene.repository), scene.issue());
    let children: Vec<_> = (0..3).map(|_| scene.issue()).collect();
    for child in &children {
        scene.hanako.set_parent(*child, parent).unwrap();
    }
    scene.hanako.add_dependency(children[1], children[0]).unwrap();
    drop(world.outbox().take());
    world.grant(&scene.repository, "boss", Access::Admin);
    world.as_person("boss").at(&scene.repository).delete_issue(children[0]).unwrap();
    scene.hanako.convert_to_discussion(children[2]).unwrap();
    let [deleted] = &world.outbox().take()[..] else { panic!("one delivery") };
    assert!(
        deleted.json().unwrap()["issue"]["parent_issue_url"].as_str().unwrap().ends_with(&format!("/issues/{parent}"))
    );
    let left: Vec<_> = world.sub_issues(&place, parent).await.unwrap().into_iter().map(|issue| issue.number).collect();
    assert_eq!(left, [children[1]]);
    assert_eq!(world.blocked_by(&place, children[1]).await, Ok(Vec::new()));
}

#[tokio::test]
async fn a_draft_pull_request_needs_a_branch_with_a_commit_and_the_permission() {
    let scene = scene();
    let (world, place) = (&scene.world, scene.world.place(&scene.repository));
    scene.hanako.push_file("contracts/handoff.yaml", "kind: handoff\n").unwrap();
    let head = world.head(&place).await.unwrap().commit;
    world.create_branch(&place, "sekisho/axis-1", &head).await.unwrap();
    declined(world.create_branch(&place, "sekisho/axis-1", &head).await, "Reference already exists");
    let draft = PullDraft {
        title: "Axis".to_owned(),
        body: "why".to_owned(),
        branch: "sekisho/axis-1".to_owned(),
        base: "main".to_owned(),
    };
    declined(world.create_pull(&place, &draft).await, "No commits between");
    let stands = world.file(&place, "contracts/handoff.yaml", &head).await.unwrap().blob;
    let change = |replaces| FileChange {
        path: "contracts/handoff.yaml".to_owned(),
        text: "kind: handoff\n# changed\n".to_owned(),
        replaces,
        message: "Change the contract".to_owned(),
    };
    declined(world.put_file(&place, "sekisho/axis-1", &change(None)).await, "wasn't supplied");
    world.put_file(&place, "sekisho/axis-1", &change(Some(stands.clone()))).await.unwrap();
    declined(world.put_file(&place, "sekisho/axis-1", &change(Some(stands))).await, "does not match");
    let number = world.create_pull(&place, &draft).await.unwrap();
    declined(world.create_pull(&place, &draft).await, "already exists");
    assert_eq!(world.pulls_from(&place, "sekisho/axis-1").await, Ok(vec![number]));
    assert_eq!(world.pull_files(&place, number).await, Ok(vec!["contracts/handoff.yaml".to_owned()]));
    assert_eq!(world.issue(&place, number).await.unwrap().body, "why");
    assert!(
        world.snapshot().contains("draft pull request #1: Axis (open)\nby sekisho[bot]\nfrom sekisho/axis-1 into main")
    );

    world.withhold(AppPermission::ContentsWrite);
    assert!(matches!(world.create_branch(&place, "other", &head).await, Err(ForgeError::Forbidden { .. })));
    assert!(world.head(&place).await.is_ok(), "reading goes on");
}

#[test]
fn a_snapshot_is_equal_for_equal_ends() {
    let told = |order: [&str; 2]| {
        let scene = scene();
        let number = scene.issue();
        for name in order {
            scene.hanako.label(number, name).unwrap();
        }
        scene.clock.advance(Duration::from_secs(order[0].len() as u64));
        scene.taro.comment(number, "see https://github.com/a/b/issues/1#issuecomment-12").unwrap();
        scene.world.snapshot()
    };
    assert_eq!(told(["a", "bbb"]), told(["bbb", "a"]));
    assert!(told(["a", "b"]) != told(["a", "c"]));
}
