//! The wire of both protocols against a server that plays a script: what is sent, and what is made of good and bad answers.

use super::*;
use crate::domain::reply::{Json, Stop, Usage};
use crate::ports::{Judge, JudgeError, JudgeReply, JudgeRequest};
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

struct Server {
    script: Mutex<VecDeque<Reply>>,
    seen: Mutex<Vec<(String, HeaderMap, Bytes)>>,
}

struct Reply {
    status: u16,
    headers: Vec<(&'static str, &'static str)>,
    body: String,
    delay: Duration,
}

fn reply(status: u16, body: impl std::fmt::Display) -> Reply {
    Reply { status, headers: Vec::new(), body: body.to_string(), delay: Duration::ZERO }
}

async fn play(State(server): State<Arc<Server>>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    server.seen.lock().unwrap().push((uri.to_string(), headers, body));
    let reply = server.script.lock().unwrap().pop_front().unwrap_or_else(|| reply(418, "the script is over"));
    tokio::time::sleep(reply.delay).await;
    let mut response = (StatusCode::from_u16(reply.status).unwrap(), reply.body).into_response();
    for (name, value) in reply.headers {
        response.headers_mut().insert(HeaderName::from_static(name), value.parse().unwrap());
    }
    response
}

impl Server {
    async fn start(script: impl IntoIterator<Item = Reply>) -> (Arc<Self>, String) {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let server = Arc::new(Self { script: Mutex::new(script.into_iter().collect()), seen: Mutex::default() });
        let app = Router::new().fallback(play).with_state(server.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        (server, url)
    }

    fn seen(&self) -> Vec<(String, HeaderMap, Value)> {
        let seen = self.seen.lock().unwrap();
        seen.iter()
            .map(|(uri, headers, body)| (uri.clone(), headers.clone(), serde_json::from_slice(body).unwrap()))
            .collect()
    }
}

/// A key that no scanner knows, so that masking it is this adapter's own doing.
const KEY: &str = "a-key-of-the-operator";

fn settings(url: &str) -> Settings {
    Settings {
        url: url.to_owned(),
        key: Some(SecretString::from(KEY)),
        model: "m".to_owned(),
        timeout: Duration::from_millis(500),
    }
}

fn request() -> JudgeRequest {
    JudgeRequest {
        prefix: "instructions".to_owned(),
        data: "subject".to_owned(),
        repair: None,
        schema: Json::object([("type", Json::text("object")), ("additionalProperties", Json::Bool(false))]),
        most_tokens: 900,
    }
}

async fn anthropic(script: impl IntoIterator<Item = Reply>) -> (Arc<Server>, Result<JudgeReply, JudgeError>) {
    let (server, url) = Server::start(script).await;
    let answer = Anthropic::new(&settings(&url)).unwrap().ask(&request()).await;
    (server, answer)
}

async fn openai(script: impl IntoIterator<Item = Reply>) -> (Arc<Server>, Result<JudgeReply, JudgeError>) {
    let (server, url) = Server::start(script).await;
    let answer = OpenAi::new(&settings(&format!("{url}/v1")), None).unwrap().ask(&request()).await;
    (server, answer)
}

fn message(content: &Value, stop: &str) -> Value {
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m-20260101", "content": content, "stop_reason": stop,
        "usage": {"input_tokens": 10, "cache_read_input_tokens": 90, "cache_creation_input_tokens": 5, "output_tokens": 7},
    })
}

fn completion(message: &Value, finish: &str) -> Value {
    json!({
        "id": "chatcmpl-1", "object": "chat.completion", "model": "m-2026",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 80}},
    })
}

#[tokio::test]
async fn anthropic_is_made_to_call_the_tool() {
    let body = r#"{"id":"msg_1","model":"m-20260101","stop_reason":"tool_use","content":[{"type":"text","text":"Now."},
        {"type":"tool_use","id":"t","name":"answer","input":{"findings":1,"findings":2}}],
        "usage":{"input_tokens":10,"cache_read_input_tokens":90,"cache_creation_input_tokens":5,"output_tokens":7}}"#;
    let (server, answer) = anthropic([reply(200, body)]).await;
    let answer = answer.unwrap();
    // What is doubled stays doubled: whoever checks it must see it.
    assert_eq!(answer.raw.text, r#"{"findings":1,"findings":2}"#);
    assert_eq!((answer.raw.model.as_str(), answer.raw.stop), ("m-20260101", Stop::Complete));
    let receipt = &answer.receipt;
    assert_eq!(
        (receipt.provider.as_str(), receipt.asked.as_str(), receipt.model.as_str()),
        ("anthropic", "m", "m-20260101")
    );
    assert_eq!((receipt.response.as_str(), receipt.request_hash.len(), receipt.response_hash.len()), ("msg_1", 64, 64));
    assert_eq!(receipt.usage, Usage { input: 105, cached: 90, cache_written: 5, output: 7 });
    let [(uri, headers, body)] = &server.seen()[..] else { panic!("one request") };
    assert_eq!(uri, "/v1/messages");
    assert_eq!(headers["x-api-key"], KEY);
    assert_eq!(headers["anthropic-version"], "2023-06-01");
    assert_eq!(
        body,
        &json!({
            "model": "m",
            "max_tokens": 900,
            "tools": [{"name": "answer", "description": TOOL_DESCRIPTION, "input_schema": {"type": "object", "additionalProperties": false}}],
            "tool_choice": {"type": "tool", "name": "answer", "disable_parallel_tool_use": true},
            "system": [{"type": "text", "text": "instructions", "cache_control": {"type": "ephemeral"}}],
            "messages": [{"role": "user", "content": [{"type": "text", "text": "subject"}]}],
        })
    );
}

#[tokio::test]
async fn openai_is_held_to_the_schema() {
    let (server, answer) = openai([reply(200, completion(&json!({"content": "{}"}), "stop"))]).await;
    let answer = answer.unwrap();
    assert_eq!((answer.raw.text.as_str(), answer.raw.model.as_str()), ("{}", "m-2026"));
    assert_eq!(answer.receipt.usage, Usage { input: 100, cached: 80, cache_written: 0, output: 7 });
    let [(uri, headers, body)] = &server.seen()[..] else { panic!("one request") };
    assert_eq!(uri, "/v1/chat/completions");
    assert_eq!(headers["authorization"], format!("Bearer {KEY}"));
    assert_eq!(
        body,
        &json!({
            "model": "m",
            "messages": [{"role": "system", "content": "instructions"}, {"role": "user", "content": "subject"}],
            "max_tokens": 900,
            "response_format": {"type": "json_schema", "json_schema": {"name": "answer", "strict": true, "schema": {"type": "object", "additionalProperties": false}}},
        })
    );
}

#[tokio::test]
async fn the_second_time_says_what_was_wrong() {
    let again = JudgeRequest { repair: Some("wrong".to_owned()), ..request() };
    let (server, url) =
        Server::start([reply(200, message(&json!([]), "end_turn")), reply(200, completion(&json!({}), "stop"))]).await;
    Anthropic::new(&settings(&url)).unwrap().ask(&again).await.unwrap();
    OpenAi::new(&settings(&url), Some(Form::Object)).unwrap().ask(&again).await.unwrap();
    let seen = server.seen();
    assert_eq!(seen[0].2["messages"][0]["content"][1], json!({"type": "text", "text": "wrong"}));
    assert_eq!(seen[1].2["messages"][1]["content"], "subject\n\nwrong");
    assert_eq!(seen[1].2["response_format"], json!({"type": "json_object"}));
}

#[tokio::test]
async fn the_strictest_form_that_a_server_takes_is_found_and_kept() {
    let call = json!({"content": null, "tool_calls": [{"type": "function", "function": {"name": "answer", "arguments": "{\"findings\":[]}"}}]});
    let good = || reply(200, completion(&call, "tool_calls"));
    let (server, url) = Server::start([reply(500, "no such response_format"), good(), good()]).await;
    let judge = OpenAi::new(&settings(&url), None).unwrap();
    for _ in 0..2 {
        assert_eq!(judge.ask(&request()).await.unwrap().raw.text, r#"{"findings":[]}"#);
    }
    let seen = server.seen();
    assert_eq!(seen.len(), 3);
    for (_, _, body) in &seen[1..] {
        assert_eq!(body["tool_choice"], json!({"type": "function", "function": {"name": "answer"}}));
        assert_eq!(body.get("response_format"), None);
    }
    // A failure that is not about the form is not asked about again, and one that stays is told as it first was.
    let (server, answer) = openai([reply(401, r#"{"error":{"message":"who?"}}"#)]).await;
    assert_eq!(
        (server.seen().len(), answer.unwrap_err().to_string()),
        (1, "openai:m refuses: HTTP 401: who?".to_owned())
    );
    let (server, answer) = openai([reply(400, "first"), reply(400, "second"), reply(422, "third")]).await;
    assert_eq!(
        (server.seen().len(), answer.unwrap_err().to_string()),
        (3, "openai:m refuses: HTTP 400: first".to_owned())
    );
}

#[tokio::test]
async fn the_limit_gets_the_name_that_the_model_takes() {
    let other = || reply(400, r#"{"error":{"message":"'max_tokens' is not supported. Use 'max_completion_tokens'."}}"#);
    let good = || reply(200, completion(&json!({"content": "{}"}), "stop"));
    // Refused for its form first, then for the limit's name.
    let (server, url) = Server::start([reply(400, "no schemas"), other(), good(), good()]).await;
    let judge = OpenAi::new(&settings(&url), None).unwrap();
    for _ in 0..2 {
        judge.ask(&request()).await.unwrap();
    }
    assert_eq!(judge.form(), Some(Form::Tool));
    let limits: Vec<(bool, bool)> = server
        .seen()
        .iter()
        .map(|(_, _, body)| (body.get("max_tokens").is_some(), body.get("max_completion_tokens").is_some()))
        .collect();
    assert_eq!(limits, [(true, false), (true, false), (false, true), (false, true)]);
    // A server that asks for it again and again is not asked for ever.
    let (server, answer) = openai((0..9).map(|_| other())).await;
    assert!(matches!(answer, Err(JudgeError::Refused { status: 400, .. })));
    assert_eq!(server.seen().len(), 6, "each of three forms with each name");
}

#[tokio::test]
async fn how_a_reply_ended_is_told() {
    for (stop, expect) in [
        ("end_turn", Stop::Complete),
        ("tool_use", Stop::Complete),
        ("something new", Stop::Complete),
        ("max_tokens", Stop::CutOff),
        ("model_context_window_exceeded", Stop::CutOff),
        ("refusal", Stop::Refused),
    ] {
        let text = json!([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]);
        let (_, answer) = anthropic([reply(200, message(&text, stop))]).await;
        let raw = answer.unwrap().raw;
        assert_eq!((raw.text.as_str(), raw.stop), ("a\nb", expect), "{stop}");
    }
    for (message, finish, expect) in [
        (json!({"content": "x"}), "stop", Stop::Complete),
        (json!({"content": [{"type": "text", "text": "x"}]}), "eos", Stop::Complete),
        (json!({"content": "x"}), "length", Stop::CutOff),
        (json!({"content": "x"}), "content_filter", Stop::Refused),
        (json!({"content": "x", "refusal": "I can't"}), "stop", Stop::Refused),
    ] {
        let (_, answer) = openai([reply(200, completion(&message, finish))]).await;
        let raw = answer.unwrap().raw;
        assert_eq!((raw.text.as_str(), raw.stop), ("x", expect), "{message}");
    }
}

#[tokio::test]
async fn failures_say_whether_they_may_mend() {
    const SAYS: &str = r#"{"type":"error","error":{"type":"x","message":"busy"}}"#;
    for (status, headers, mends, after, told) in [
        (429, vec![], true, None, "anthropic:m takes no more calls now (HTTP 429)"),
        (429, vec![("retry-after", "7")], true, Some(7), "anthropic:m takes no more calls now (HTTP 429)"),
        (529, vec![], true, None, "anthropic:m takes no more calls now (HTTP 529)"),
        (503, vec![("retry-after", "2")], true, Some(2), "anthropic:m takes no more calls now (HTTP 503)"),
        (503, vec![], true, None, "anthropic:m cannot be reached: HTTP 503: busy"),
        (500, vec![], true, None, "anthropic:m cannot be reached: HTTP 500: busy"),
        (408, vec![], true, None, "anthropic:m cannot be reached: HTTP 408: busy"),
        (409, vec![], true, None, "anthropic:m cannot be reached: HTTP 409: busy"),
        (401, vec![], false, None, "anthropic:m refuses: HTTP 401: busy"),
        (404, vec![], false, None, "anthropic:m refuses: HTTP 404: busy"),
        (302, vec![("location", "http://a.example/")], false, None, "anthropic:m refuses: HTTP 302: busy"),
    ] {
        let (server, answer) = anthropic([Reply { headers, ..reply(status, SAYS) }]).await;
        let error = answer.unwrap_err();
        assert_eq!(error.to_string(), told);
        assert_eq!((error.may_mend(), error.retry_after().map(|after| after.as_secs())), (mends, after), "{status}");
        assert_eq!(server.seen().len(), 1, "nothing is repeated here");
    }
}

#[tokio::test]
async fn answers_of_another_protocol_are_not_read() {
    for body in ["", "<html>", "{}", "[]", r#"{"content":"x"}"#, r#"{"id":"msg_1","#] {
        let (_, answer) = anthropic([reply(200, body)]).await;
        assert!(matches!(answer, Err(JudgeError::Unreadable { .. })), "{body}: {answer:?}");
        let (_, answer) = openai([reply(200, body)]).await;
        assert!(matches!(answer, Err(JudgeError::Unreadable { .. })), "{body}: {answer:?}");
    }
    let (_, answer) = openai([reply(200, r#"{"choices":[]}"#)]).await;
    assert_eq!(answer.unwrap_err().to_string(), "openai:m gave an answer that cannot be read: no `choices[0].message`");
}

#[tokio::test]
async fn a_slow_or_broken_connection_may_mend() {
    let slow = Reply { delay: Duration::from_secs(5), ..reply(200, "{}") };
    let (_, answer) = anthropic([slow]).await;
    assert_eq!(answer.unwrap_err().to_string(), "anthropic:m cannot be reached: no answer within 500ms");
    // Half an answer, then nothing; then a connection that is closed at once; then nobody who listens.
    for half in ["HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{\"id\":\"msg_1\",", ""] {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut asked = [0; 4096];
                let _ = stream.read(&mut asked).await;
                let _ = stream.write_all(half.as_bytes()).await;
            }
        });
        let error = Anthropic::new(&settings(&url)).unwrap().ask(&request()).await.unwrap_err();
        assert!(matches!(&error, JudgeError::Unreachable { .. }) && error.may_mend(), "{error}");
    }
    for url in ["http://127.0.0.1:1", "http://no-such-host.invalid"] {
        let error = Anthropic::new(&settings(url)).unwrap().ask(&request()).await.unwrap_err();
        assert!(matches!(error, JudgeError::Unreachable { .. }), "{url}");
    }
}

#[tokio::test]
async fn an_endless_answer_is_not_read_to_its_end() {
    let endless = reply(200, format!("{{\"content\":[],\"pad\":\"{}\"}}", "x".repeat(5 * 1024 * 1024)));
    let (_, answer) = anthropic([endless]).await;
    assert!(matches!(answer, Err(JudgeError::Unreachable { .. })), "{answer:?}");
}

#[tokio::test]
async fn the_key_is_nowhere_but_in_its_header() {
    let says = json!({"error": {"message": format!("Incorrect API key provided: {KEY}.\nSee above")}});
    let (server, answer) = openai([reply(401, &says)]).await;
    let error = answer.unwrap_err();
    assert_eq!(error.to_string(), "openai:m refuses: HTTP 401: Incorrect API key provided: [key]. See above");
    let settings = settings("http://127.0.0.1:1");
    for shown in [format!("{error:?}"), format!("{settings:?}"), format!("{:?}", server.seen()[0].2)] {
        assert!(!shown.contains(KEY), "{shown}");
    }
    let (_, answer) = openai([reply(200, completion(&json!({"content": "x"}), "stop"))]).await;
    assert!(!format!("{answer:?}").contains(KEY));
}

#[test]
fn bad_settings_are_told() {
    let with =
        |url: &str, key: &str| Settings { url: url.to_owned(), key: Some(SecretString::from(key)), ..settings("") };
    let told = |settings: Settings| Anthropic::new(&settings).err().unwrap().to_string();
    assert_eq!(told(with("api.example", "k")), "`api.example` is no http(s) address");
    assert_eq!(
        told(with("https://api.example", "secret\n")),
        "the key of `anthropic:m` holds characters that no key has"
    );
}

#[tokio::test]
async fn a_reply_that_repeats_the_key_is_kept_without_it() {
    let mut body = completion(&json!({"content": format!("it is {KEY}")}), "stop");
    body["model"] = json!(KEY);
    body["id"] = json!(format!("id-{KEY}"));
    let (_, answer) = openai([reply(200, body)]).await;
    let answer = answer.unwrap();
    assert_eq!((answer.raw.text.as_str(), answer.raw.model.as_str()), ("it is [key]", "[key]"));
    assert_eq!((answer.receipt.model.as_str(), answer.receipt.response.as_str()), ("[key]", "id-[key]"));
}
