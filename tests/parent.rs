//! One parent issue from acceptance to integration on the World, and the same with the App stopped at every write.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, reason = "a test program")]

mod support;

use sekisho::ports::Store as _;
use support::{Road, story, widgets};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_parent_goes_from_acceptance_to_integration() {
    let mut road = Road::new().await;
    let parent = story::tell(&mut road, 1).await;
    println!("{:#?}", road.headings(parent));
    println!("{:#?}", road.labels(parent));
    for child in story::children(&road, parent) {
        println!("{child} {:#?} {:?}", road.headings(child), road.labels(child));
    }
    for comment in road.comments(parent) {
        println!("----\n{comment}");
    }
    println!("{:?}", road.store.depth().await);
    let _ = widgets();
}
