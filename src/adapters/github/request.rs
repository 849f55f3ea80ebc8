//! One request as data: its route with every part percent-encoded, its name for people, and what kind of call it is.

use http::Method;
use serde_json::Value;
use std::fmt::Write as _;

/// The name of the call that fetches an installation's token.
pub(super) const TOKEN: &str = "token";

/// GitHub's JSON.
pub(super) const JSON: &str = "application/vnd.github+json";
/// The hash of a commit alone, without its message and its diff. A server that does not know it answers with JSON.
pub(super) const SHA: &str = "application/vnd.github.sha";

/// Whether the call makes new content in GitHub's sense (a comment, a label, a reaction), which GitHub limits apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// It makes some: it counts against 80 a minute and 500 an hour.
    Creates,
    /// It makes none.
    Keeps,
}

/// Which of the server's two faces answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Face {
    /// REST, below the API's base address.
    Rest,
    /// GraphQL: `/graphql`, on GHES beside `/api/v3`.
    Graphql,
}

/// What is sent. Nothing in it is secret: the token is added by octocrab.
#[derive(Clone, Debug)]
pub(super) struct Request {
    /// The port's method, for the count: a small closed set of words.
    pub(super) name: &'static str,
    /// The request for people and errors, such as `GET issue acme/widgets#3`.
    pub(super) what: String,
    pub(super) method: Method,
    /// Path and query, encoded.
    pub(super) route: String,
    pub(super) body: Option<Value>,
    pub(super) content: Content,
    pub(super) face: Face,
    /// The media type that is asked for.
    pub(super) accept: &'static str,
}

impl Request {
    /// A call without a body that makes nothing.
    pub(super) fn new(name: &'static str, method: Method, route: String, what: &str) -> Self {
        let what = format!("{method} {what}");
        Self { name, what, method, route, body: None, content: Content::Keeps, face: Face::Rest, accept: JSON }
    }

    /// With a JSON body.
    pub(super) fn with(mut self, body: Value) -> Self {
        self.body = Some(body);
        self
    }

    /// Asks for another media type.
    pub(super) fn accepting(mut self, accept: &'static str) -> Self {
        self.accept = accept;
        self
    }

    /// Counted as making content.
    pub(super) fn creating(mut self) -> Self {
        self.content = Content::Creates;
        self
    }

    /// Only a read may be sent twice: of a write nobody knows whether it happened. A second token harms nobody.
    pub(super) fn may_repeat(&self) -> bool {
        self.method == Method::GET || self.name == TOKEN
    }
}

/// Encodes one segment of a path: all but RFC 3986's unreserved characters, so `/`, `%`, `?`, `#` and every byte of an
/// emoji. octocrab does not (it takes a route as it is), and `..` cannot climb: a segment of dots only is encoded too.
pub(super) fn segment(text: &str) -> String {
    let dots = text.bytes().all(|byte| byte == b'.');
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_~".contains(&byte) || (byte == b'.' && !dots) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

/// Encodes a path segment by segment.
pub(super) fn path(text: &str) -> String {
    text.split('/').map(segment).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_encoded_whole() {
        let check = |text: &str, expect: &str| assert_eq!(segment(text), expect);
        check("gate:start", "gate%3Astart");
        check("good first issue", "good%20first%20issue");
        check("a/b", "a%2Fb");
        check("100%", "100%25");
        check("🔴 差", "%F0%9F%94%B4%20%E5%B7%AE");
        check("dependabot[bot]", "dependabot%5Bbot%5D");
        check("a?b#c&d=e+f", "a%3Fb%23c%26d%3De%2Bf");
        check("widgets.rs", "widgets.rs");
        check("..", "%2E%2E");
    }

    #[test]
    fn paths_keep_their_slashes() {
        assert_eq!(path(".github/contracts/契約.yaml"), ".github/contracts/%E5%A5%91%E7%B4%84.yaml");
        assert_eq!(path("a/../b"), "a/%2E%2E/b");
    }
}
