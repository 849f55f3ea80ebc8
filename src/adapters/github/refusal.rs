//! What an answer that is no success means: GitHub's status, headers and words become one of the port's errors.

use super::quota;
use crate::ports::ForgeError;
use chrono::{DateTime, Utc};
use http::{HeaderMap, StatusCode};
use serde::Deserialize;
use serde_json::Value;

/// The longest message that is passed on, in characters.
const LONGEST: usize = 300;

/// GitHub's own form of an error; everything else is another server's page.
#[derive(Deserialize)]
struct Body {
    message: String,
    #[serde(default)]
    errors: Vec<Value>,
}

/// Names the refusal. `now` is when a limit without a header begins.
pub(super) fn refusal(
    what: &str,
    status: StatusCode,
    headers: &HeaderMap,
    body: &[u8],
    now: DateTime<Utc>,
) -> ForgeError {
    let what = what.to_owned();
    let parsed: Option<Body> = serde_json::from_slice(body).ok();
    let message = message(status, parsed.as_ref());
    match status.as_u16() {
        429 => ForgeError::RateLimited { what, until: quota::until(headers, now) },
        403 if quota::limited(headers) || speaks_of_a_limit(&message) => {
            ForgeError::RateLimited { what, until: quota::until(headers, now) }
        }
        403 => ForgeError::Forbidden { what, message },
        401 => ForgeError::Unauthorized { what, message },
        // GitHub says 404 in JSON for a thing that is not there; a page says that nobody there knows the route.
        404 if parsed.is_none() => ForgeError::NotOffered { what },
        405 | 501 => ForgeError::NotOffered { what },
        404 | 410 => ForgeError::NotFound { what },
        status @ 400..=499 => ForgeError::Refused { what, status, message },
        // 5xx, and redirects that lead nowhere.
        _ => ForgeError::Unreachable { what, message },
    }
}

/// Secondary limits have no header of their own.
fn speaks_of_a_limit(message: &str) -> bool {
    let message = message.to_lowercase();
    ["rate limit", "abuse detection", "submitted too quickly"].iter().any(|words| message.contains(words))
}

fn message(status: StatusCode, body: Option<&Body>) -> String {
    let Some(body) = body else {
        return status.to_string();
    };
    let details = body.errors.iter().map(detail).collect::<Vec<_>>().join(", ");
    let text = if details.is_empty() { body.message.clone() } else { format!("{} ({details})", body.message) };
    text.chars().take(LONGEST).collect()
}

/// `{"resource": "Label", "field": "name", "code": "already_exists"}` becomes `Label name already_exists`.
fn detail(error: &Value) -> String {
    let part = |key: &str| error.get(key).and_then(Value::as_str);
    match (error.as_str(), part("message")) {
        (Some(text), _) | (None, Some(text)) => text.to_owned(),
        (None, None) => ["resource", "field", "code"].into_iter().filter_map(part).collect::<Vec<_>>().join(" "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(status: u16, pairs: &[(&'static str, &str)], body: &str) -> ForgeError {
        let headers = pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect();
        let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        refusal("GET issue o/r#1", StatusCode::from_u16(status).unwrap(), &headers, body.as_bytes(), now)
    }

    #[test]
    fn every_refusal_has_its_name() {
        let check = |status: u16, pairs: &[(&'static str, &str)], body: &str, expect: &str| {
            assert_eq!(name(status, pairs, body).to_string(), format!("GET issue o/r#1: {expect}"));
        };
        check(404, &[], r#"{"message":"Not Found"}"#, "not found");
        check(404, &[], "<html>nothing here</html>", "not offered by this server");
        check(410, &[], r#"{"message":"This issue was deleted"}"#, "not found");
        check(501, &[], "", "not offered by this server");
        check(401, &[], r#"{"message":"Bad credentials"}"#, "unauthorized: Bad credentials");
        check(
            403,
            &[],
            r#"{"message":"Repository was archived so is read-only."}"#,
            "forbidden: Repository was archived so is read-only.",
        );
        check(
            403,
            &[("x-ratelimit-remaining", "4000")],
            r#"{"message":"This installation has been suspended"}"#,
            "forbidden: This installation has been suspended",
        );
        check(
            403,
            &[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1800000600")],
            r#"{"message":"API rate limit exceeded"}"#,
            "rate limited until 2027-01-15 08:10:01 UTC",
        );
        check(
            403,
            &[],
            r#"{"message":"You have exceeded a secondary rate limit."}"#,
            "rate limited until 2027-01-15 08:01:12 UTC",
        );
        check(403, &[("retry-after", "60")], "", "rate limited until 2027-01-15 08:01:00 UTC");
        check(429, &[], "slow down", "rate limited until 2027-01-15 08:01:12 UTC");
        check(409, &[], r#"{"message":"Git Repository is empty."}"#, "refused (409): Git Repository is empty.");
        check(502, &[], "<html>", "unreachable: 502 Bad Gateway");
        check(302, &[], "", "unreachable: 302 Found");
        check(
            422,
            &[],
            r#"{"message":"Validation Failed","errors":[{"resource":"Label","code":"already_exists","field":"name"}]}"#,
            "refused (422): Validation Failed (Label name already_exists)",
        );
        check(
            422,
            &[],
            r#"{"message":"Validation Failed","errors":["body is too long"]}"#,
            "refused (422): Validation Failed (body is too long)",
        );
    }

    #[test]
    fn a_long_message_is_cut() {
        let ForgeError::Refused { message, .. } = name(422, &[], &format!(r#"{{"message":"{}"}}"#, "長".repeat(5000)))
        else {
            panic!("not refused");
        };
        assert_eq!(message.chars().count(), LONGEST);
    }
}
