//! One POST of JSON: what is sent, and what is made of the ways in which it fails.

use super::{Settings, SetupError};
use crate::domain::detect::mask_secrets;
use crate::domain::reply::{Json, RawReply, Receipt, Stop, Usage};
use crate::domain::text::clip;
use crate::ports::{Came, JudgeError, JudgeReply};
use bytes::Bytes;
use chrono::{DateTime, Utc};
use http::header::{ACCEPT, CONTENT_TYPE, RETRY_AFTER, USER_AGENT};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use http_body_util::{BodyExt, Full, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::time::{Duration, Instant};

/// How long a connection may take to stand.
const CONNECT: Duration = Duration::from_secs(5);
/// Bytes of one answer. A reply of 256 KiB, escaped, stays far below.
const LARGEST: usize = 4 * 1024 * 1024;
/// Longest message of a provider that is told, in characters.
const LONGEST: usize = 300;

/// Shortest key that is looked for in replies, in bytes.
const SHORTEST_KEY: usize = 16;

type Http = hyper_util::client::legacy::Client<HttpsConnector<HttpConnector>, Full<Bytes>>;

/// The way to one endpoint.
pub(super) struct Wire {
    http: Http,
    uri: Uri,
    headers: HeaderMap,
    key: Option<SecretString>,
    provider: &'static str,
    model: String,
    pub(super) name: String,
    timeout: Duration,
}

/// An answer with success.
pub(super) struct Answer {
    pub(super) json: Json,
    request_hash: String,
    response_hash: String,
    latency: Duration,
}

/// What an answer says, in the protocol's own words made ours.
pub(super) struct Told {
    pub(super) text: String,
    pub(super) stop: Stop,
    pub(super) usage: Usage,
}

/// A failure, with the status where there was one.
pub(super) struct Failure {
    pub(super) status: Option<u16>,
    pub(super) error: JudgeError,
}

impl Wire {
    /// `authorise` makes the header of a key.
    pub(super) fn new(
        provider: &'static str,
        path: &str,
        settings: &Settings,
        authorise: impl Fn(&str) -> (HeaderName, String),
    ) -> Result<Self, SetupError> {
        let name = format!("{provider}:{}", settings.model);
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        headers.insert(USER_AGENT, HeaderValue::from_static(concat!("sekisho/", env!("CARGO_PKG_VERSION"))));
        if let Some(key) = &settings.key {
            let (header, value) = authorise(key.expose_secret());
            let mut value = HeaderValue::from_str(&value).map_err(|_| SetupError::BadKey(name.clone()))?;
            value.set_sensitive(true);
            headers.insert(header, value);
        }
        Ok(Self {
            http: connections()?,
            uri: endpoint(&settings.url, path).ok_or_else(|| SetupError::BadUrl(settings.url.clone()))?,
            headers,
            key: settings.key.clone(),
            provider,
            model: settings.model.clone(),
            name,
            timeout: settings.timeout,
        })
    }

    pub(super) fn header(&mut self, name: &'static str, value: &'static str) {
        self.headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }

    /// Sends once. The timeout covers the connection, the answer and all of its body.
    pub(super) async fn send(&self, body: &impl Serialize) -> Result<Answer, Failure> {
        let body = serde_json::to_vec(body).map_err(|error| self.lost(Came::Nowhere, error.to_string()))?;
        let request_hash = hex::encode(Sha256::digest(&body));
        let began = Instant::now();
        let exchange = tokio::time::timeout(self.timeout, self.exchange(body)).await;
        let (status, headers, body) = match exchange {
            Ok(answer) => answer?,
            Err(_) => return Err(self.lost(Came::TimedOut, format!("no answer within {:?}", self.timeout))),
        };
        if !status.is_success() {
            return Err(self.refusal(status, &headers, &body));
        }
        let json = serde_json::from_slice(&body)
            .map_err(|error| Failure { status: Some(status.as_u16()), error: self.unreadable(&error.to_string()) })?;
        let response_hash = hex::encode(Sha256::digest(&body));
        Ok(Answer { json, request_hash, response_hash, latency: began.elapsed() })
    }

    async fn exchange(&self, body: Vec<u8>) -> Result<(StatusCode, HeaderMap, Bytes), Failure> {
        let mut request = http::Request::new(Full::new(Bytes::from(body)));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.uri.clone();
        request.headers_mut().clone_from(&self.headers);
        let response = self.http.request(request).await.map_err(|error| {
            let came = if error.is_connect() { Came::Nowhere } else { Came::BrokeOff };
            self.lost(came, root(&error))
        })?;
        let (parts, body) = response.into_parts();
        let body = Limited::new(body, LARGEST).collect().await;
        let body = body.map_err(|error| self.lost(Came::BrokeOff, root(&*error)))?.to_bytes();
        Ok((parts.status, parts.headers, body))
    }

    /// A reply with its receipt.
    pub(super) fn reply(&self, answer: Answer, told: Told) -> JudgeReply {
        let text = |key: &str| answer.json.get(key).and_then(Json::as_text).map(|text| clip(text, 200).to_owned());
        // A gateway may leave the name out; then it is what was asked for.
        let model = text("model").filter(|name| !name.is_empty()).map(|name| self.without_key(name));
        let model = model.unwrap_or_else(|| self.model.clone());
        let receipt = Receipt {
            provider: self.provider.to_owned(),
            asked: self.model.clone(),
            model: model.clone(),
            response: self.without_key(text("id").unwrap_or_default()),
            request_hash: answer.request_hash,
            response_hash: answer.response_hash,
            usage: told.usage,
            latency_ms: u64::try_from(answer.latency.as_millis()).unwrap_or(u64::MAX),
        };
        JudgeReply { raw: RawReply { model, text: self.without_key(told.text), stop: told.stop }, receipt }
    }

    /// A text of the server's, which has seen the key and may repeat it. Short words are none: they are what people write
    /// where a server asks for no key, and may stand in any text.
    fn without_key(&self, text: String) -> String {
        match self.key.as_ref().map(ExposeSecret::expose_secret).filter(|key| key.len() >= SHORTEST_KEY) {
            Some(key) => text.replace(key, "[key]"),
            None => text,
        }
    }

    pub(super) fn unreadable(&self, message: &str) -> JudgeError {
        JudgeError::Unreadable { judge: self.name.clone(), message: message.to_owned() }
    }

    fn lost(&self, came: Came, message: String) -> Failure {
        let judge = self.name.clone();
        Failure { status: None, error: JudgeError::Unreachable { judge, message, came, after: None } }
    }

    fn refusal(&self, status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Failure {
        let after = retry_after(headers);
        let code = status.as_u16();
        let judge = self.name.clone();
        let error = match code {
            429 | 529 => JudgeError::Limited { judge, status: code, after },
            503 if after.is_some() => JudgeError::Limited { judge, status: code, after },
            408 | 409 | 500..=599 => {
                let message = format!("HTTP {code}: {}", self.message(body));
                JudgeError::Unreachable { judge, message, came: Came::Answered(code), after }
            }
            _ => JudgeError::Refused { judge, status: code, message: self.message(body) },
        };
        Failure { status: Some(code), error }
    }

    /// What the provider says, without the key that it may repeat.
    fn message(&self, body: &[u8]) -> String {
        let said = serde_json::from_slice::<Json>(body).ok().and_then(|json| {
            let error = json.get("error").unwrap_or(&json);
            let message = error.get("message").unwrap_or(error);
            message.as_text().map(str::to_owned)
        });
        let said = said.unwrap_or_else(|| String::from_utf8_lossy(&body[..body.len().min(4 * LONGEST)]).into_owned());
        let said = match self.key.as_ref().map(ExposeSecret::expose_secret).filter(|key| !key.is_empty()) {
            Some(key) => said.replace(key, "[key]"),
            None => said,
        };
        let line = clip(&said, 4 * LONGEST).split_whitespace().collect::<Vec<_>>().join(" ");
        clip(&mask_secrets(&line), LONGEST).to_owned()
    }
}

/// The address of a path below a base address; its query stays.
fn endpoint(base: &str, path: &str) -> Option<Uri> {
    let (base, query) = base.split_once('?').map_or((base, None), |(base, query)| (base, Some(query)));
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    let uri: Uri = format!("{}{path}{query}", base.trim_end_matches('/')).parse().ok()?;
    (matches!(uri.scheme_str(), Some("http" | "https")) && uri.host().is_some()).then_some(uri)
}

/// The longest time that is believed: who names a longer one likely means a date.
const LONGEST_WAIT: Duration = Duration::from_hours(24);

/// `retry-after-ms`, else `Retry-After` in seconds or as a date; at most a day.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    told_wait(headers).map(|wait| wait.min(LONGEST_WAIT))
}

fn told_wait(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok();
    if let Some(milliseconds) = text("retry-after-ms").and_then(|text| text.trim().parse().ok()) {
        return Some(Duration::from_millis(milliseconds));
    }
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let at = DateTime::parse_from_rfc2822(text).ok()?.to_utc();
    Some((at - Utc::now()).to_std().unwrap_or_default())
}

fn connections() -> Result<Http, SetupError> {
    let mut tcp = HttpConnector::new();
    tcp.set_connect_timeout(Some(CONNECT));
    tcp.set_nodelay(true);
    tcp.enforce_http(false);
    let tls = HttpsConnectorBuilder::new().with_native_roots().map_err(|error| SetupError::Client(root(&error)))?;
    let connector = tls.https_or_http().enable_http1().wrap_connector(tcp);
    Ok(hyper_util::client::legacy::Client::builder(TokioExecutor::new()).build(connector))
}

/// The innermost cause: the outer ones repeat it or say nothing.
fn root(error: &(dyn std::error::Error + 'static)) -> String {
    let mut cause = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_keep_their_query() {
        let check = |base: &str, expect: Option<&str>| {
            assert_eq!(endpoint(base, "/chat/completions").map(|uri| uri.to_string()).as_deref(), expect);
        };
        check("http://127.0.0.1:4100/v1/", Some("http://127.0.0.1:4100/v1/chat/completions"));
        check("https://a.example/d?api-version=1", Some("https://a.example/d/chat/completions?api-version=1"));
        check("ftp://a.example", None);
        check("a.example/v1", None);
        check("", None);
    }

    #[test]
    fn waiting_times_are_read() {
        let check = |name: &'static str, value: &str, expect: Option<Duration>| {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse().unwrap());
            assert_eq!(retry_after(&headers), expect, "{value}");
        };
        check("retry-after", "7", Some(Duration::from_secs(7)));
        check("retry-after-ms", "1500", Some(Duration::from_millis(1500)));
        check("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT", Some(Duration::ZERO));
        check("retry-after", "99999999999999", Some(LONGEST_WAIT));
        check("retry-after-ms", "18446744073709551615", Some(LONGEST_WAIT));
        check("retry-after", "1764538800", Some(LONGEST_WAIT));
        check("retry-after", "soon", None);
        check("retry-after", "-1", None);
    }
}
