//! Links, filed issues and draft pull requests on the wire: what is sent, which page comes next, and what a 404 means.

use super::*;
use crate::domain::effect::{CloseReason, FileChange, IssueDraft, PullDraft};
use crate::domain::ids::{BlobHash, IssueId};

fn not_found() -> Reply {
    reply(404, json!({"message": "Not Found"}))
}

#[tokio::test]
async fn sub_issues_are_read_page_by_page_and_those_of_other_repositories_left_out() {
    let mut far = issue_json(9);
    far["repository_url"] = json!("https://api.github.com/repos/acme/other");
    let next = r#"<https://elsewhere.example/repos/acme/widgets/issues/3/sub_issues?per_page=100&page=2>; rel="next""#;
    let (server, stage) = Server::start(
        "",
        [
            reply(200, json!([issue_json(7), far])).header("link", next),
            reply(200, json!([issue_json(5)])),
            reply(200, json!({"full_name": "acme/widgets"})),
            reply(200, json!([issue_json(4)])),
        ],
    )
    .await;
    let below = stage.forge.sub_issues(&stage.place, THREE).await.unwrap();
    assert_eq!(below.iter().map(|issue| issue.number.0).collect::<Vec<_>>(), [7, 5]);
    assert_eq!(stage.forge.blocked_by(&stage.place, THREE).await, Ok(vec![IssueNumber(4)]));
    assert_eq!(
        server.lines(),
        [
            "GET /repos/acme/widgets/issues/3/sub_issues?per_page=100",
            "GET /repos/acme/widgets/issues/3/sub_issues?per_page=100&page=2",
            "GET /repos/acme/widgets",
            "GET /repos/acme/widgets/issues/3/dependencies/blocked_by?per_page=100",
        ]
    );
}

#[tokio::test]
async fn a_route_that_is_missing_is_asked_for_once_an_hour() {
    let (server, stage) = Server::start("", [not_found(), reply(200, issue_json(3))]).await;
    let missing =
        |answer: Result<(), ForgeError>| assert!(matches!(answer, Err(ForgeError::NotOffered { .. })), "{answer:?}");
    missing(stage.forge.sub_issues(&stage.place, THREE).await.map(drop));
    missing(stage.forge.add_sub_issue(&stage.place, THREE, IssueId(1)).await);
    assert_eq!(server.lines().len(), 2, "the list, and the issue");

    // Dependencies are another route. Where a write meets the 404, the list tells which end is missing.
    for answer in [not_found(), not_found(), reply(200, issue_json(3))] {
        server.add(answer);
    }
    missing(stage.forge.add_blocked_by(&stage.place, THREE, IssueId(1)).await);
    missing(stage.forge.blocked_by(&stage.place, THREE).await.map(drop));
    assert_eq!(server.lines().len(), 5);

    stage.clock.forward(3601);
    for answer in [not_found(), reply(200, json!([]))] {
        server.add(answer);
    }
    let gone = stage.forge.add_sub_issue(&stage.place, THREE, IssueId(1)).await;
    assert!(matches!(gone, Err(ForgeError::NotFound { .. })), "the route is there now, the child is not: {gone:?}");
    for answer in [not_found(), not_found()] {
        server.add(answer);
    }
    let gone = stage.forge.sub_issues(&stage.place, THREE).await;
    assert!(matches!(gone, Err(ForgeError::NotFound { .. })), "the issue is gone: {gone:?}");
}

#[tokio::test]
async fn what_is_filed_is_sent_as_github_describes() {
    let taken = json!({"message": "Validation failed: Target issue has already been taken"});
    let (server, stage) = Server::start(
        "",
        [
            reply(201, issue_json(7)),
            reply(200, issue_json(7)),
            reply(200, issue_json(7)),
            reply(201, issue_json(3)),
            reply(422, taken),
            reply(201, json!({})),
            reply(201, json!({})),
            reply(201, json!({"number": 8})),
            reply(200, json!([{"number": 8, "head": {"ref": "axis/1"}}, {"number": 6, "head": {"ref": "other"}}])),
        ],
    )
    .await;
    let (forge, place) = (&stage.forge, &stage.place);
    let draft = IssueDraft { title: "T".to_owned(), body: "B".to_owned(), labels: vec!["sub".to_owned()] };
    let filed = forge.create_issue(place, &draft).await.unwrap();
    assert_eq!((filed.number, filed.id), (IssueNumber(7), IssueId(9007)));
    forge.edit_issue_body(place, filed.number, "new").await.unwrap();
    forge.close_issue(place, filed.number, CloseReason::Duplicate).await.unwrap();
    forge.add_sub_issue(place, THREE, filed.id).await.unwrap();
    let again = forge.add_blocked_by(place, THREE, filed.id).await.unwrap_err();
    assert!(
        again.to_string().ends_with("refused (422): Validation failed: Target issue has already been taken"),
        "{again}"
    );
    forge.create_branch(place, "axis/1", &CommitSha::new("abc")).await.unwrap();
    let change = FileChange {
        path: "contracts/契約.yaml".to_owned(),
        text: "x".to_owned(),
        replaces: Some(BlobHash::new("def")),
        message: "m".to_owned(),
    };
    forge.put_file(place, "axis/1", &change).await.unwrap();
    let pull = PullDraft { title: "T".into(), body: "B".into(), branch: "axis/1".into(), base: "main".into() };
    assert_eq!(forge.create_pull(place, &pull).await, Ok(IssueNumber(8)));
    assert_eq!(forge.pulls_from(place, "axis/1").await, Ok(vec![IssueNumber(8)]), "a filter that was not heard");

    let sent: Vec<_> = server.seen().into_iter().filter(|seen| !seen.line.ends_with("/access_tokens")).collect();
    let sent: Vec<_> = sent.into_iter().map(|seen| (seen.line, seen.body)).collect();
    let at = |line: &str, body: Value| (line.to_owned(), body);
    assert_eq!(
        sent,
        [
            at("POST /repos/acme/widgets/issues", json!({"title": "T", "body": "B", "labels": ["sub"]})),
            at("PATCH /repos/acme/widgets/issues/7", json!({"body": "new"})),
            at("PATCH /repos/acme/widgets/issues/7", json!({"state": "closed", "state_reason": "duplicate"})),
            at("POST /repos/acme/widgets/issues/3/sub_issues", json!({"sub_issue_id": 9007})),
            at("POST /repos/acme/widgets/issues/3/dependencies/blocked_by", json!({"issue_id": 9007})),
            at("POST /repos/acme/widgets/git/refs", json!({"ref": "refs/heads/axis/1", "sha": "abc"})),
            at(
                "PUT /repos/acme/widgets/contents/contracts/%E5%A5%91%E7%B4%84.yaml",
                json!({"message": "m", "content": "eA==", "branch": "axis/1", "sha": "def"})
            ),
            at(
                "POST /repos/acme/widgets/pulls",
                json!({"title": "T", "body": "B", "head": "axis/1", "base": "main", "draft": true})
            ),
            at("GET /repos/acme/widgets/pulls?state=all&head=acme%3Aaxis%2F1&per_page=100", Value::Null),
        ]
    );
}

#[tokio::test]
async fn the_apps_own_issues_are_asked_for_by_its_login_which_is_learnt_once() {
    let mut ours = issue_json(7);
    ours["user"] = json!({"login": "sekisho[bot]"});
    let mut pull = ours.clone();
    pull["number"] = json!(8);
    pull["pull_request"] = json!({"url": "x"});
    let mut older = ours.clone();
    older["number"] = json!(2);
    let list = || reply(200, json!([pull, ours, issue_json(5), older]));
    let app = reply(200, json!({"id": 12345, "slug": "sekisho"}));
    let (server, stage) = Server::start("", [app, list(), list()]).await;
    for _ in 0..2 {
        let own = stage.forge.own_issues(&stage.place).await.unwrap();
        assert_eq!(own.iter().map(|issue| issue.number.0).collect::<Vec<_>>(), [2, 7]);
    }
    let line = "GET /repos/acme/widgets/issues?state=all&creator=sekisho%5Bbot%5D&per_page=100";
    assert_eq!(server.lines(), ["GET /app", line, line]);
}
