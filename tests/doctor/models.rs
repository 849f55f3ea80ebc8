//! Models before `sekisho doctor`: a server that speaks both protocols, good and bad by the name of the model.

use super::Setup;
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Keys that no scanner knows, so that nothing but our own care keeps them away.
const KEYS: [&str; 3] = ["key-one-of-the-operator", "key-two-of-the-operator", "key-three-of-the-operator"];

/// Which key came with which model's calls.
type Seen = Arc<Mutex<BTreeMap<String, Vec<String>>>>;

/// The server; it ends with the test's runtime.
struct Server {
    url: String,
    seen: Seen,
}

impl Server {
    async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen = Seen::default();
        let router = Router::new().fallback(answer).with_state(Arc::clone(&seen));
        tokio::spawn(axum::serve(listener, router).into_future());
        Self { url, seen }
    }

    fn seen(&self, model: &str) -> Vec<String> {
        self.seen.lock().unwrap().get(model).cloned().unwrap_or_default()
    }
}

async fn answer(State(seen): State<Seen>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let body: Value = serde_json::from_slice(&body).unwrap();
    let model = body["model"].as_str().unwrap().to_owned();
    let key = ["x-api-key", "authorization"].iter().find_map(|name| headers.get(*name)?.to_str().ok());
    let key = key.unwrap_or_default().trim_start_matches("Bearer ").to_owned();
    seen.lock().unwrap().entry(model.clone()).or_default().push(key.clone());
    let said = |status: u16, message: &str| {
        (StatusCode::from_u16(status).unwrap(), json!({"error": {"message": message}}).to_string()).into_response()
    };
    let format = body["response_format"]["type"].as_str().unwrap_or("tool").to_owned();
    match (model.as_str(), format.as_str()) {
        ("limited", _) => return said(429, "slow down"),
        ("refused", _) => return said(401, &format!("Incorrect API key provided: {key}")),
        ("unknown", _) => return said(404, "no such model"),
        ("page", _) => return "<html>welcome</html>".into_response(),
        ("slow", _) => tokio::time::sleep(Duration::from_secs(20)).await,
        ("llama3.3:70b" | "gemma3", "json_schema") => return said(500, "no schemas"),
        ("gemma3", "tool") => return said(400, "no tools"),
        _ => {}
    }
    let found = model != "blind";
    let reply = json!({
        "findings": [{"criterion": "C1", "quote": found.then_some("quick as lightning"), "note": null, "matched": found,
            "basis": "direct", "lack": "content"}],
        "questions": [], "beyond": [],
    });
    let text = if model == "weak" { "I would say it is fine.".to_owned() } else { reply.to_string() };
    let answer = if uri.path().ends_with("/v1/messages") {
        json!({"id": "msg_1", "model": format!("{model}-20251001"), "stop_reason": "tool_use",
            "content": [{"type": "tool_use", "id": "t", "name": "answer", "input": reply}],
            "usage": {"input_tokens": 100, "cache_read_input_tokens": 900, "output_tokens": 60}})
    } else {
        json!({"id": "chatcmpl-1", "model": model, "choices": [{"finish_reason": "stop", "message": {"content": text}}],
            "usage": {"prompt_tokens": 1000, "completion_tokens": 60}})
    };
    answer.to_string().into_response()
}

/// A good set-up with these models; `URL` is the server's.
async fn setup(models: &str, more: &[(&'static str, &str)]) -> (Setup, Server) {
    let (mut setup, server) = (Setup::good().await, Server::start().await);
    setup.set("SEKISHO_MODELS", &models.replace("URL", &server.url));
    for (name, value) in more {
        setup.set(name, value);
    }
    (setup, server)
}

/// Exit code and what is said of judge and models; no key is in anything that was printed.
async fn said(setup: &Setup, server: &Server, arguments: &[&str]) -> String {
    let (code, text, error) = setup.doctor(arguments).await;
    assert_eq!(error, "", "nothing goes to standard error where it is no terminal");
    let (_, json, _) = setup.doctor(&[arguments, &["--format", "json"]].concat()).await;
    for key in KEYS {
        assert!(!text.contains(key) && !json.contains(key), "{text}{json}");
    }
    let mut shown = format!("exit code {code}\n");
    let mut ours = false;
    for line in text.lines().filter(|line| !line.is_empty()) {
        if !line.starts_with("    ") {
            ours = line.contains(" judge: ") || line.contains(" model: ");
        }
        if ours {
            shown.push_str(line);
            shown.push('\n');
        }
    }
    let host = server.url.trim_start_matches("http://");
    let shown = shown.replace(&server.url, "http://ai.test").replace(host, "ai.test");
    let took = regex::Regex::new(r"in \d+ ms").unwrap();
    took.replace_all(&shown, "in 1 ms").into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_configured_judge_is_told() {
    let (setup, server) = setup(
        "fast=openai:llama3.3:70b@URL/v1,strong=anthropic:claude-haiku-4-5@URL,strong=openai:gpt-5-mini@URL/v1",
        &[("ANTHROPIC_API_KEY", KEYS[0]), ("OPENAI_API_KEY", KEYS[1]), ("SEKISHO_BUDGET", "100000 tokens")],
    )
    .await;
    insta::assert_snapshot!(said(&setup, &server, &[]).await, @"
    exit code 0
    ✓ judge: models; a call may take 60s, and 4 of one model run at the same time
        fast = openai:llama3.3:70b@http://ai.test/v1
        strong = anthropic:claude-haiku-4-5@http://ai.test
        strong/2 = openai:gpt-5-mini@http://ai.test/v1
        a day: 100000 tokens for all
    ");
    assert_eq!(server.seen.lock().unwrap().len(), 0, "no model is asked without --models");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_meant_is_told() {
    let (mut setup, server) = setup("big=openai:m@URL/v1,big=openai:m@URL/v1", &[]).await;
    insta::assert_snapshot!(said(&setup, &server, &["--repo", "acme/widgets"]).await, @"
    exit code 1
    ✓ judge: models; a call may take 60s, and 4 of one model run at the same time
        big = openai:m@http://ai.test/v1, without a key
        big/2 = openai:m@http://ai.test/v1, without a key
        a day: no limit
    ! judge: big: no second opinion, since no two families are known: m (family unknown), m (family unknown)
        → use models of two makers; SEKISHO_MODEL_FAMILIES says what is not known
    ! judge: SEKISHO_MODELS does not map `fast`, which the built-in contracts name at start: where a repository has no contract of its own, nothing is judged there
        → add fast=PROVIDER:ID to SEKISHO_MODELS
    ! judge: SEKISHO_MODELS does not map `strong`, which the built-in contracts name at acceptance, split, start, outcome, integration: where a repository has no contract of its own, nothing is judged there
        → add strong=PROVIDER:ID to SEKISHO_MODELS
    ✗ judge: SEKISHO_MODELS does not map `fast`, which .github/contracts/handoff.yaml names at start: nothing is judged there
        → add fast=PROVIDER:ID to SEKISHO_MODELS, or name another alias
    ✗ judge: SEKISHO_MODELS does not map `strong`, which .github/contracts/handoff.yaml names at acceptance, split, start, outcome, integration: nothing is judged there
        → add strong=PROVIDER:ID to SEKISHO_MODELS, or name another alias
    ");
    // A gate that wants two opinions.
    let contract =
        include_str!("../../contracts/handoff-en.yaml").replace("model: fast\n", "model: fast\n    panel: 2\n");
    setup.github.put_file(".github/contracts/handoff.yaml", &contract);
    let two = format!("fast=openai:gpt-x@{0}/v1,strong=openai:gpt-x@{0}/v1,strong=openai:qwen3@{0}/v1", server.url);
    setup.set("SEKISHO_MODELS", &two);
    insta::assert_snapshot!(said(&setup, &server, &["--repo", "acme/widgets"]).await, @"
    exit code 1
    ✓ judge: models; a call may take 60s, and 4 of one model run at the same time
        fast = openai:gpt-x@http://ai.test/v1, without a key
        strong = openai:gpt-x@http://ai.test/v1, without a key
        strong/2 = openai:qwen3@http://ai.test/v1, without a key
        a day: no limit
    ✗ judge: `fast` has no second opinion, which .github/contracts/handoff.yaml wants at start (`panel: 2`): nothing is judged there
        → add a model of another family as a further fast=PROVIDER:ID to SEKISHO_MODELS
    ");
    setup.set("SEKISHO_JUDGE", "rules");
    insta::assert_snapshot!(said(&setup, &server, &["--repo", "acme/widgets"]).await, @"
    exit code 0
    ✓ judge: rules, the embedded judge; no model is asked
    ");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_model_is_asked_once() {
    let (setup, server) = setup(
        "fast=openai:llama3.3:70b@URL/v1,strong=anthropic:claude-haiku-4-5@URL,strong=openai:gpt-5-mini@URL/v1,opus=anthropic:claude-haiku-4-5@URL,small=openai:gemma3@URL/v1",
        &[
            ("ANTHROPIC_API_KEY", KEYS[0]),
            ("OPENAI_API_KEY", KEYS[1]),
            ("SEKISHO_MODEL_KEYS", &format!("strong/2:{}", KEYS[2])),
            ("SEKISHO_PRICES", "llama=0/0"),
        ],
    )
    .await;
    insta::assert_snapshot!(said(&setup, &server, &["--models"]).await, @"
    exit code 0
    ✓ judge: models; a call may take 60s, and 4 of one model run at the same time
        fast = openai:llama3.3:70b@http://ai.test/v1
        strong = anthropic:claude-haiku-4-5@http://ai.test
        strong/2 = openai:gpt-5-mini@http://ai.test/v1
        opus = anthropic:claude-haiku-4-5@http://ai.test
        small = openai:gemma3@http://ai.test/v1
        a day: no limit
    ✓ model: fast: llama3.3:70b answered as llama3.3:70b in 1 ms; the reply passed every check
        family: llama
        tokens: 1000 read, 0 of them from the cache; 60 written
        price: $0.00 read and $0.00 written per million tokens; $0.00 for this call
        structured output: a tool that it must call
    ✓ model: strong, opus: claude-haiku-4-5 answered as claude-haiku-4-5-20251001 in 1 ms; the reply passed every check
        family: claude
        tokens: 1000 read, 900 of them from the cache; 60 written
        price: $1.00 read and $5.00 written per million tokens; $0.00049 for this call
        structured output: a tool that it must call
    ✓ model: strong/2: gpt-5-mini answered as gpt-5-mini in 1 ms; the reply passed every check
        family: gpt
        tokens: 1000 read, 0 of them from the cache; 60 written
        price: $0.25 read and $2.00 written per million tokens; $0.00037 for this call
        structured output: a JSON schema
    ✓ model: small: gemma3 answered as gemma3 in 1 ms; the reply passed every check
        family: gemini
        tokens: 1000 read, 0 of them from the cache; 60 written
        price: not known; SEKISHO_PRICES says it
        structured output: any JSON object; schema and tool were refused
    ");
    // Printed twice, as text and as JSON.
    assert_eq!(server.seen("claude-haiku-4-5"), [KEYS[0]; 2]);
    assert_eq!(server.seen("gpt-5-mini"), [KEYS[2]; 2]);
    assert_eq!(server.seen("llama3.3:70b"), [KEYS[1]; 4], "the schema, then the tool");
    assert_eq!(server.seen("gemma3"), [KEYS[1]; 6], "the schema, the tool, then any object");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_cannot_judge_says_why() {
    let models = "a=openai:weak@URL/v1,b=openai:blind@URL/v1,c=openai:refused@URL/v1,d=openai:unknown@URL/v1,e=openai:page@URL/v1,f=openai:limited@URL/v1,g=openai:slow@URL/v1,h=openai:m@http://127.0.0.1:1/v1,fast=openai:refused@URL/other,strong=openai:blind@URL/v1";
    let keys = ["a", "b", "c", "d", "e", "f", "g", "strong"].map(|alias| format!("{alias}:{}", KEYS[0])).join(",");
    let (setup, server) = setup(models, &[("SEKISHO_MODEL_KEYS", &keys), ("SEKISHO_MODEL_TIMEOUT", "2")]).await;
    let shown = said(&setup, &server, &["--models"]).await;
    let models = shown.split_once("model: ").map_or("", |(_, models)| models);
    insta::assert_snapshot!(models, @r#"
    a: weak answered as weak in 1 ms; the reply cannot be used: there was no JSON object with the key "findings"
        family: not known; SEKISHO_MODEL_FAMILIES says it
        tokens: 1000 read, 0 of them from the cache; 60 written
        price: not known; SEKISHO_PRICES says it
        structured output: a JSON schema
        → try again; where it stays so, use a model or a server that holds replies to a form
    ! model: b, strong: blind answered as blind in 1 ms; the reply passed every check, and overlooked the one fault in three lines
        family: not known; SEKISHO_MODEL_FAMILIES says it
        tokens: 1000 read, 0 of them from the cache; 60 written
        price: not known; SEKISHO_PRICES says it
        structured output: a JSON schema
        → nothing, if this was chance; a larger model sees more
    ✗ model: c: openai:refused refuses: HTTP 401: Incorrect API key provided: [key]
        → the key is not ai.test's, has ended, or may not use this model
    ✗ model: d: openai:unknown refuses: HTTP 404: no such model
        → ai.test knows no such model or path; docs/models.md has base addresses
    ✗ model: e: openai:page gave an answer that cannot be read: expected value at line 1 column 1
        → the address does not lead to this protocol at ai.test; docs/models.md has base addresses
    ? model: f: openai:limited takes no more calls now (HTTP 429)
        → wait, or look at limits and credit at ai.test
    ? model: g: openai:slow cannot be reached: no answer within 2s
        → is ai.test loading the model? SEKISHO_MODEL_TIMEOUT is 2s
    ? model: h: openai:m cannot be reached: Connection refused (os error 111)
        → may this machine reach 127.0.0.1:1, and does it run? Certificates count, and no proxy is used
    ✗ model: fast: openai:refused refuses: HTTP 401: Incorrect API key provided:
        → no key is sent to ai.test; SEKISHO_MODEL_KEYS gives fast one of its own
    "#);
    assert!(shown.starts_with("exit code 1\n"), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn models_are_asked_before_they_judge() {
    let more = [("SEKISHO_JUDGE", "rules"), ("OPENAI_API_KEY", KEYS[0])];
    let (mut setup, server) = setup("fast=openai:gpt-5-mini@URL/v1", &more).await;
    insta::assert_snapshot!(said(&setup, &server, &["--models"]).await, @"
    exit code 0
    ✓ judge: rules, the embedded judge; no model is asked
    ✓ model: fast: gpt-5-mini answered as gpt-5-mini in 1 ms; the reply passed every check
        family: gpt
        tokens: 1000 read, 0 of them from the cache; 60 written
        price: $0.25 read and $2.00 written per million tokens; $0.00037 for this call
        structured output: a JSON schema
    ");
    setup.set("SEKISHO_MODELS", "");
    insta::assert_snapshot!(said(&setup, &server, &["--models"]).await, @"
    exit code 1
    ✓ judge: rules, the embedded judge; no model is asked
    ✗ model: no model can be asked
        SEKISHO_MODELS: not set; expected such as fast=anthropic:ID,strong=openai:ID@URL
        → docs/models.md shows how models are set up
    ");
    // A key in the wrong place is told without it, and nothing is asked.
    setup.set("SEKISHO_JUDGE", "models");
    setup.set("SEKISHO_MODELS", &format!("fast=openai:{}", KEYS[0]));
    let (code, text, _) = setup.doctor(&["--models"]).await;
    assert!(code == 1 && text.contains("entry 1: a key stands in it") && !text.contains(KEYS[0]), "{text}");
}
