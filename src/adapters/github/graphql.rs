//! The one thing that only GraphQL does: folding a comment away.

use super::GithubForge;
use super::answers::GraphqlAnswer;
use super::client::parse;
use super::request::{Face, Request};
use crate::domain::ids::NodeId;
use crate::ports::{ForgeError, Place};
use chrono::{DateTime, Utc};
use http::Method;
use serde_json::json;
use std::sync::atomic::Ordering;

impl GithubForge {
    /// Minimises a comment as outdated.
    pub(super) async fn hide(&self, place: &Place, node: &NodeId) -> Result<(), ForgeError> {
        const MUTATION: &str = "mutation($id: ID!) { minimizeComment(input: {subjectId: $id, classifier: OUTDATED}) \
                                { minimizedComment { isMinimized } } }";
        let what = format!("minimise comment of {}", place.repository);
        let mut request = Request::new("minimise", Method::POST, "/graphql".to_owned(), &what)
            .with(json!({ "query": MUTATION, "variables": { "id": node.as_str() } }));
        request.face = Face::Graphql;
        let not_offered = || ForgeError::NotOffered { what: request.what.clone() };
        if self.no_graphql.load(Ordering::Relaxed) {
            return Err(not_offered());
        }
        match self.send(place, &request).await {
            Ok(answer) => graphql(&request, parse(&request, &answer)?, self.client.until(&answer)),
            Err(ForgeError::NotFound { .. } | ForgeError::NotOffered { .. }) => {
                self.no_graphql.store(true, Ordering::Relaxed);
                Err(not_offered())
            }
            Err(error) => Err(error),
        }
    }
}

/// GraphQL refuses with 200 and a list of errors. Its points are a quota of their own, so a limit there stops no other
/// call.
fn graphql(request: &Request, answer: GraphqlAnswer, until: DateTime<Utc>) -> Result<(), ForgeError> {
    let Some(error) = answer.errors.into_iter().next() else {
        return Ok(());
    };
    let (what, message) = (request.what.clone(), error.message.chars().take(300).collect());
    Err(match error.kind.as_deref() {
        Some("NOT_FOUND") => ForgeError::NotFound { what },
        Some("FORBIDDEN") => ForgeError::Forbidden { what, message },
        Some("RATE_LIMITED") => ForgeError::RateLimited { what, until },
        _ => ForgeError::Refused { what, status: 200, message },
    })
}
