//! One parent issue from acceptance to integration on the World, as the script has people act.

#![allow(dead_code, reason = "each test file uses its part of it")]

pub use super::script::*;
use super::{Road, widgets};
use sekisho::domain::ids::IssueNumber;

/// The story, told slowly: after each act of a person everything happens that follows, with every delivery brought
/// `times` times.
pub async fn tell(road: &mut Road, times: usize) -> IssueNumber {
    let parent = file(road);
    for deed in script().into_iter().flatten() {
        act(road, parent, deed);
        road.deliver(times).await;
        road.settle_through().await;
    }
    parent
}

/// The story, told in bursts: people do what they do in one go, and wait for the App only where they must.
pub async fn tell_in_bursts(road: &mut Road) -> IssueNumber {
    let parent = file(road);
    for burst in script() {
        for deed in burst {
            act(road, parent, deed);
        }
        road.settle_through().await;
    }
    parent
}

fn file(road: &Road) -> IssueNumber {
    road.person("hanako").open_issue(TITLE, PARENT_WITHOUT_VALUE).unwrap()
}

fn act(road: &Road, parent: IssueNumber, (who, place, act): Deed) {
    let person = road.person(match who {
        Who::Maintainer => "hanako",
        Who::Worker => "mio",
    });
    let number = match place {
        Where::Parent => parent,
        Where::Child(at) => children(road, parent)[at],
    };
    match act {
        Act::Label(name) => person.label(number, name).unwrap(),
        Act::Edit(body) => person.edit_body(number, &body).unwrap(),
        Act::Comment(text) => {
            person.comment(number, &text).unwrap();
        }
        Act::Close => person.close(number).unwrap(),
        Act::NotPlanned => person.close_as_not_planned(number).unwrap(),
    }
}

/// Numbers of the children that the App filed, in the order of their numbers.
pub fn children(road: &Road, parent: IssueNumber) -> Vec<IssueNumber> {
    let marker = format!("<!-- sekisho:child #{parent} ");
    let body = |number: &IssueNumber| road.world.look_at_issue(&widgets(), *number).map(|issue| issue.body.clone());
    let filed = (1..200).map(IssueNumber).filter(|number| body(number).is_some_and(|body| body.contains(&marker)));
    filed.collect()
}
