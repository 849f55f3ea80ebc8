//! A model behind a server on this machine, over both protocols, that says what a script says.

#![allow(dead_code, reason = "each test program uses its part of it")]

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use tokio::sync::oneshot;

/// What the model was asked.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Each question's key, and its words.
    pub questions: Vec<(String, String)>,
    /// The texts of others.
    pub data: String,
    /// The key that came along; empty where none did.
    pub key: String,
    /// The model that was asked for.
    pub model: String,
}

/// Which protocol is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    /// Messages.
    Anthropic,
    /// Chat completions.
    OpenAi,
}

type Script = dyn Fn(&Asked) -> (u16, String) + Send + Sync;

struct Shared {
    calls: AtomicUsize,
    key: Mutex<String>,
    script: Box<Script>,
}

/// A server that runs until it is stopped or dropped.
pub struct Scripted {
    address: String,
    shared: Arc<Shared>,
    running: Option<(oneshot::Sender<()>, JoinHandle<()>)>,
}

impl Scripted {
    /// Starts it. The script gives a status, and with 200 the words of the reply.
    pub fn start(script: impl Fn(&Asked) -> (u16, String) + Send + Sync + 'static) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let shared = Arc::new(Shared { calls: AtomicUsize::new(0), key: Mutex::default(), script: Box::new(script) });
        let app = Router::new().fallback(answer).with_state(Arc::clone(&shared));
        let (stop, stopped) = oneshot::channel::<()>();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                tokio::select! {
                    served = axum::serve(listener, app) => served.unwrap(),
                    _ = stopped => {}
                }
            });
        });
        Self { address, shared, running: Some((stop, thread)) }
    }

    /// `openai:MODEL@URL`.
    pub fn spec(&self, model: &str) -> String {
        self.spec_over(Wire::OpenAi, model)
    }

    /// The model over that protocol.
    pub fn spec_over(&self, wire: Wire, model: &str) -> String {
        match wire {
            Wire::OpenAi => format!("openai:{model}@{}/v1", self.address),
            Wire::Anthropic => format!("anthropic:{model}@{}", self.address),
        }
    }

    /// How often it was asked.
    pub fn calls(&self) -> usize {
        self.shared.calls.load(Ordering::SeqCst)
    }

    /// The key that came along last.
    pub fn key(&self) -> String {
        self.shared.key.lock().unwrap().clone()
    }

    /// Stops it; nobody listens at its address afterwards.
    pub fn stop(mut self) {
        self.end();
    }

    fn end(&mut self) {
        if let Some((stop, thread)) = self.running.take() {
            let _ = stop.send(());
            let _ = thread.join();
        }
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.end();
    }
}

async fn answer(State(shared): State<Arc<Shared>>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let number = shared.calls.fetch_add(1, Ordering::SeqCst);
    let body: Value = serde_json::from_slice(&body).unwrap();
    let wire = if uri.path().ends_with("/messages") { Wire::Anthropic } else { Wire::OpenAi };
    let asked = asked(wire, &headers, &body);
    shared.key.lock().unwrap().clone_from(&asked.key);
    let (status, words) = (shared.script)(&asked);
    let told = if status == 200 { reply(wire, &body, &words, number).to_string() } else { words };
    (StatusCode::from_u16(status).unwrap(), told).into_response()
}

fn asked(wire: Wire, headers: &HeaderMap, body: &Value) -> Asked {
    let header = |name: &str| headers.get(name).map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default();
    let (prefix, data, key) = match wire {
        Wire::Anthropic => {
            (&body["system"][0]["text"], &body["messages"][0]["content"][0]["text"], header("x-api-key"))
        }
        Wire::OpenAi => (
            &body["messages"][0]["content"],
            &body["messages"][1]["content"],
            header("authorization").trim_start_matches("Bearer ").to_owned(),
        ),
    };
    let question = |line: &str| {
        let (key, rest) = line.split_once(" (")?;
        let number = key.strip_prefix('C')?;
        number.parse::<u32>().ok()?;
        Some((key.to_owned(), rest.split_once("): ")?.1.to_owned()))
    };
    let questions = prefix.as_str().unwrap().lines().filter_map(question).collect();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    Asked { questions, data: text(data), key, model: text(&body["model"]) }
}

/// No two replies have one id.
fn reply(wire: Wire, body: &Value, words: &str, number: usize) -> Value {
    let model = format!("{}-2026", body["model"].as_str().unwrap());
    match wire {
        Wire::Anthropic => {
            let content = match serde_json::from_str::<Value>(words) {
                Ok(input) => json!([{"type": "tool_use", "id": "t", "name": "answer", "input": input}]),
                Err(_) => json!([{"type": "text", "text": words}]),
            };
            json!({
                "id": format!("msg_{number}"), "type": "message", "role": "assistant", "model": model,
                "content": content, "stop_reason": "tool_use",
                "usage": {"input_tokens": 200, "cache_read_input_tokens": 800, "output_tokens": 20},
            })
        }
        Wire::OpenAi => json!({
            "id": format!("chatcmpl-{number}"), "object": "chat.completion", "model": model,
            "choices": [{"index": 0, "message": {"role": "assistant", "content": words}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 1_000, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 800}},
        }),
    }
}
