//! A repository's comments on the wire: every page, this App's own alone, and where each stands.

use super::*;

const LIST: &str = "/repos/acme/widgets/issues/comments?sort=created&direction=asc&per_page=100";

/// A comment of the list that is the App's own, or somebody's.
fn listed(id: u64, on: u64, author: &str) -> Value {
    let mut comment = comment_json(id);
    comment["issue_url"] = json!(format!("https://api.github.com/repos/acme/widgets/issues/{on}"));
    comment["user"] = json!({"login": author});
    comment["performed_via_github_app"] = Value::Null;
    comment
}

fn app() -> Reply {
    reply(200, json!({"id": 12345, "slug": "sekisho"}))
}

#[tokio::test]
async fn a_repositorys_own_comments_are_read_page_by_page_and_others_dropped() {
    let next = r#"<https://elsewhere.example/repositories/1/issues/comments?per_page=100&page=2>; rel="next""#;
    let mut nowhere = listed(8, 3, "sekisho[bot]");
    nowhere["issue_url"] = Value::Null;
    let first = json!([listed(4, 3, "sekisho[bot]"), listed(5, 3, "hanako"), listed(6, 9, "Sekisho[bot]")]);
    let (server, stage) = Server::start(
        "",
        [
            app(),
            reply(200, first).header("link", next),
            // A comment that was deleted meanwhile moves one into sight twice.
            reply(200, json!([listed(6, 9, "sekisho[bot]"), nowhere, listed(7, 3, "other[bot]")])),
        ],
    )
    .await;
    let ours = stage.forge.own_comments(&stage.place).await.unwrap();
    let places: Vec<_> = ours.iter().map(|(at, comment)| (at.0, comment.id.0)).collect();
    assert_eq!(places, [(3, 4), (9, 6)]);
    let list = format!("GET {LIST}");
    assert_eq!(server.lines(), ["GET /app", &list, "GET /repositories/1/issues/comments?per_page=100&page=2"]);
}

#[tokio::test]
async fn a_list_that_is_missing_is_told_from_a_repository_that_is() {
    let missing = || reply(404, json!({"message": "Not Found"}));
    let repository = || reply(200, json!({"id": 7, "full_name": "acme/widgets"}));
    let (_, stage) = Server::start("", [app(), missing(), repository(), app(), missing(), missing()]).await;
    let answer = stage.forge.own_comments(&stage.place).await;
    assert!(matches!(answer, Err(ForgeError::NotOffered { .. })), "{answer:?}");
    let answer = stage.forge.own_comments(&stage.place).await;
    assert!(matches!(answer, Err(ForgeError::NotFound { .. })), "{answer:?}");
}

#[tokio::test]
async fn a_repository_has_an_id() {
    let (_, stage) = Server::start("", [reply(200, json!({"id": 7, "full_name": "acme/widgets"}))]).await;
    assert_eq!(Forge::repository(&stage.forge, &stage.place).await, Ok(RepositoryId(7)));
}
