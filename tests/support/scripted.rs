//! A model that says what a test tells it to, in the form that it was asked for.

#![allow(dead_code, reason = "each test file uses its part of it")]

use async_trait::async_trait;
use sekisho::adapters::local::ManualClock;
use sekisho::domain::reply::{MicroDollars, Price, RawReply, Receipt, Stop, Usage};
use sekisho::ports::{Clock as _, Judge, JudgeError, JudgeReply, JudgeRequest};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A dollar for a million tokens, whatever they are.
pub const PRICE: Price = Price {
    input: MicroDollars(1_000_000),
    cached: MicroDollars(1_000_000),
    cache_written: MicroDollars(1_000_000),
    output: MicroDollars(1_000_000),
};

/// One reply.
#[derive(Clone, Debug)]
pub enum Say {
    /// Nothing matches.
    Nothing,
    /// Nothing matches, and of this criterion the model is not sure.
    Unsure(&'static str),
    /// The criterion whose text holds this matches at this place.
    Found(&'static str, &'static str),
    /// The same beside a question, and what no criterion covers.
    Beside(Value, Value),
    /// This text, whatever was asked.
    Raw(&'static str),
    /// An error.
    Error(JudgeError),
    /// The same once the test lets go.
    Held(Box<Say>),
    /// The same after so many seconds.
    Late(u64, Box<Say>),
}

/// The model. What it says last it says for ever.
pub struct Scripted {
    name: String,
    says: Mutex<VecDeque<Say>>,
    asked: Mutex<Vec<JudgeRequest>>,
    clock: Mutex<Option<Arc<ManualClock>>>,
    held: tokio::sync::Semaphore,
}

impl Scripted {
    pub fn new(name: &str, says: impl IntoIterator<Item = Say>) -> Arc<Self> {
        Arc::new(Self {
            name: name.to_owned(),
            says: Mutex::new(says.into_iter().collect()),
            asked: Mutex::default(),
            clock: Mutex::default(),
            held: tokio::sync::Semaphore::new(0),
        })
    }

    /// Late replies take the time of this clock.
    pub fn by(self: Arc<Self>, clock: &Arc<ManualClock>) -> Arc<Self> {
        *self.clock.lock().unwrap() = Some(clock.clone());
        self
    }

    pub fn say(&self, says: impl IntoIterator<Item = Say>) {
        *self.says.lock().unwrap() = says.into_iter().collect();
    }

    /// Lets every held reply go, those to come as well.
    pub fn let_go(&self) {
        self.held.add_permits(1_000);
    }

    pub fn calls(&self) -> usize {
        self.asked.lock().unwrap().len()
    }

    pub fn asked(&self) -> Vec<JudgeRequest> {
        self.asked.lock().unwrap().clone()
    }
}

pub fn overloaded() -> Say {
    Say::Error(JudgeError::Limited { judge: "anthropic:claude-test".to_owned(), status: 529, after: None })
}

#[async_trait]
impl Judge for Scripted {
    fn name(&self) -> &str {
        &self.name
    }

    async fn ask(&self, request: &JudgeRequest) -> Result<JudgeReply, JudgeError> {
        let count = {
            let mut asked = self.asked.lock().unwrap();
            asked.push(request.clone());
            asked.len()
        };
        let mut say = {
            let mut says = self.says.lock().unwrap();
            let first = says.pop_front().expect("the script has a line");
            if says.is_empty() {
                says.push_back(first.clone());
            }
            first
        };
        while let Say::Late(seconds, then) = say {
            let clock = self.clock.lock().unwrap().clone().expect("a clock");
            clock.sleep_until(clock.now() + Duration::from_secs(seconds)).await;
            say = *then;
        }
        while let Say::Held(then) = say {
            let _ = self.held.acquire().await;
            say = *then;
        }
        let text = match say {
            Say::Error(error) => return Err(error),
            Say::Raw(text) => text.to_owned(),
            Say::Nothing | Say::Late(..) | Say::Held(_) => reply(request, None, None, &json!([]), &json!([])),
            Say::Unsure(what) => reply(request, None, Some(what), &json!([]), &json!([])),
            Say::Found(what, place) => reply(request, Some((what, place)), None, &json!([]), &json!([])),
            Say::Beside(questions, beyond) => reply(request, None, None, &questions, &beyond),
        };
        let model = self.name.split_once(':').map_or(self.name.as_str(), |(_, model)| model).to_owned();
        let receipt = Receipt {
            provider: "scripted".to_owned(),
            asked: model.clone(),
            model: model.clone(),
            response: format!("r-{count}"),
            request_hash: "aa".to_owned(),
            response_hash: "bb".to_owned(),
            usage: Usage { input: 2_000, cached: 1_500, cache_written: 0, output: 300 },
            latency_ms: 5,
        };
        Ok(JudgeReply { raw: RawReply { model, text, stop: Stop::Complete }, receipt })
    }
}

/// Every question answered: what matches, what the model is not sure of, and nothing else.
fn reply(
    request: &JudgeRequest,
    found: Option<(&str, &str)>,
    unsure: Option<&str>,
    questions: &Value,
    beyond: &Value,
) -> String {
    let schema = serde_json::to_value(&request.schema).unwrap();
    let keys = schema.pointer("/properties/findings/items/properties/criterion/enum").unwrap().as_array().unwrap();
    let is = |key: &str, what: Option<&str>| {
        let asks = |line: &str| line.starts_with(&format!("{key} (")) && what.is_some_and(|what| line.contains(what));
        request.prefix.lines().any(asks)
    };
    let findings: Vec<Value> = keys
        .iter()
        .map(|key| {
            let key = key.as_str().unwrap();
            let matched = is(key, found.map(|(what, _)| what));
            let quote = found.filter(|_| matched).map(|(_, place)| place);
            json!({
                "criterion": key,
                "quote": quote,
                "note": matched.then_some("nobody can check it"),
                "matched": matched,
                "basis": if is(key, unsure) { "interpretation" } else { "direct" },
                "lack": matched.then_some("content"),
            })
        })
        .collect();
    json!({"findings": findings, "questions": questions, "beyond": beyond}).to_string()
}
