//! The forge story on World: what the emulator shows of a server, the World does too.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod forge_story;

use async_trait::async_trait;
use chrono::DateTime;
use forge_story::{Offer, Stage};
use sekisho::adapters::local::{Access, Feature, ManualClock, Person, Setup, Visibility, World};
use sekisho::domain::ids::{CommentId, IssueNumber, Login, RepositoryName};
use sekisho::domain::run::{AppIdentity, PullSource};
use sekisho::ports::Place;
use std::sync::Arc;

struct Scene {
    world: World,
    maintainer: Person,
    minimising: Offer,
    linking: Offer,
}

fn widgets() -> RepositoryName {
    RepositoryName::new("acme", "widgets")
}

fn empty() -> RepositoryName {
    RepositoryName::new("acme", "empty")
}

fn scene(minimising: Offer, linking: Offer) -> Scene {
    let clock = ManualClock::at(DateTime::from_timestamp(1_800_000_000, 0).unwrap());
    let world = World::new(Setup::default(), Arc::new(clock));
    for repository in [widgets(), empty()] {
        world.create_repository(&repository, Visibility::Public);
    }
    world.grant(&widgets(), "hanako", Access::Admin);
    if minimising == Offer::Missing {
        world.withdraw(Feature::Minimise);
    }
    if linking == Offer::Missing {
        world.withdraw(Feature::SubIssues);
        world.withdraw(Feature::Dependencies);
    }
    let maintainer = world.as_person("hanako").at(&widgets());
    world.grant(&empty(), "stranger", Access::Admin);
    maintainer.push_file("README.md", "# widgets\n").unwrap();
    Scene { world, maintainer, minimising, linking }
}

#[async_trait]
impl Stage for Scene {
    fn app(&self) -> AppIdentity {
        Setup::default().app
    }
    fn place(&self) -> Place {
        self.world.place(&widgets())
    }
    fn empty(&self) -> Place {
        self.world.place(&empty())
    }
    fn maintainer(&self) -> Login {
        Login::new("hanako")
    }
    fn stranger(&self) -> Login {
        Login::new("stranger")
    }
    fn minimising(&self) -> Offer {
        self.minimising
    }
    fn linking(&self) -> Offer {
        self.linking
    }
    async fn put_file(&self, path: &str, text: &str) {
        self.maintainer.push_file(path, text).unwrap();
    }
    async fn file_issue(&self, title: &str, body: &str) -> IssueNumber {
        self.maintainer.open_issue(title, body).unwrap()
    }
    async fn close(&self, number: IssueNumber) {
        self.maintainer.close(number).unwrap();
    }
    async fn label(&self, number: IssueNumber, name: &str) {
        self.maintainer.label(number, name).unwrap();
    }
    async fn close_pull(&self, number: IssueNumber) {
        self.maintainer.close(number).unwrap();
    }
    async fn propose(&self, title: &str, path: &str, text: &str) -> IssueNumber {
        self.maintainer.propose(title, PullSource::Repository, &[(path, Some(text.as_bytes()))]).unwrap()
    }
    async fn comment(&self, number: IssueNumber, body: &str) -> CommentId {
        self.maintainer.comment(number, body).unwrap()
    }
}

#[tokio::test]
async fn the_forge_story_is_told_on_a_world_with_and_without_what_not_all_offer() {
    for (minimising, linking) in [(Offer::Offered, Offer::Offered), (Offer::Missing, Offer::Missing)] {
        let scene = scene(minimising, linking);
        forge_story::tell(&scene.world, &scene).await;
    }
}
