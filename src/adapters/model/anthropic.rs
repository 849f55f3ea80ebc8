//! The Messages API of Anthropic: the reply is the input of the one tool that must be called.

use super::wire::{Told, Wire};
use super::{Settings, SetupError, TOOL, TOOL_DESCRIPTION};
use crate::domain::reply::{Json, Stop, Usage};
use crate::ports::{Judge, JudgeError, JudgeReply, JudgeRequest};
use async_trait::async_trait;
use http::HeaderName;
use serde::Serialize;

/// A model behind the Messages API.
pub struct Anthropic {
    wire: Wire,
    model: String,
}

impl Anthropic {
    /// Nothing is sent yet.
    ///
    /// # Errors
    /// An address or a key that is none, or no certificates.
    pub fn new(settings: &Settings) -> Result<Self, SetupError> {
        let authorise = |key: &str| (HeaderName::from_static("x-api-key"), key.to_owned());
        let mut wire = Wire::new("anthropic", "/v1/messages", settings, authorise)?;
        wire.header("anthropic-version", "2023-06-01");
        Ok(Self { wire, model: settings.model.clone() })
    }
}

#[async_trait]
impl Judge for Anthropic {
    fn name(&self) -> &str {
        &self.wire.name
    }

    async fn ask(&self, request: &JudgeRequest) -> Result<JudgeReply, JudgeError> {
        let answer = self.wire.send(&Body::of(&self.model, request)).await.map_err(|failure| failure.error)?;
        let told = told(&answer.json).ok_or_else(|| self.wire.unreadable("no list `content`"))?;
        Ok(self.wire.reply(answer, told))
    }
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    max_tokens: u32,
    tools: [Tool<'a>; 1],
    tool_choice: ToolChoice,
    /// Tools and system are one prefix to the cache, in this order.
    system: [Block<'a>; 1],
    messages: [Message<'a>; 1],
}

#[derive(Serialize)]
struct Tool<'a> {
    name: &'static str,
    description: &'static str,
    input_schema: &'a Json,
}

#[derive(Serialize)]
struct ToolChoice {
    r#type: &'static str,
    name: &'static str,
    disable_parallel_tool_use: bool,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: Vec<Block<'a>>,
}

#[derive(Serialize)]
struct Block<'a> {
    r#type: &'static str,
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<CacheControl>,
}

#[derive(Serialize)]
struct CacheControl {
    r#type: &'static str,
}

impl<'a> Body<'a> {
    fn of(model: &'a str, request: &'a JudgeRequest) -> Self {
        let block = |text: &'a str| Block { r#type: "text", text, cache_control: None };
        let cached = Some(CacheControl { r#type: "ephemeral" });
        let content = [Some(request.data.as_str()), request.repair.as_deref()].into_iter().flatten().map(block);
        Self {
            model,
            max_tokens: request.most_tokens,
            tools: [Tool { name: TOOL, description: TOOL_DESCRIPTION, input_schema: &request.schema }],
            tool_choice: ToolChoice { r#type: "tool", name: TOOL, disable_parallel_tool_use: true },
            system: [Block { cache_control: cached, ..block(&request.prefix) }],
            messages: [Message { role: "user", content: content.collect() }],
        }
    }
}

fn told(json: &Json) -> Option<Told> {
    let Some(content @ Json::List(blocks)) = json.get("content") else { return None };
    let kind = |block: &&Json, kind: &str| block.get("type").and_then(Json::as_text) == Some(kind);
    let tools: Vec<&Json> = blocks.iter().filter(|block| kind(block, "tool_use")).collect();
    // Where no tool was called, the text may hold the reply all the same. Where several were, nobody can say which one
    // is meant, so all are handed on and found to be several.
    let text = if tools.is_empty() {
        let texts = content.items().iter().filter(|block| kind(block, "text"));
        texts.filter_map(|block| block.get("text")?.as_text()).collect::<Vec<_>>().join("\n")
    } else {
        let inputs = tools.into_iter().filter_map(|tool| serde_json::to_string(tool.get("input")?).ok());
        inputs.collect::<Vec<_>>().join("\n")
    };
    let stop = match json.get("stop_reason").and_then(Json::as_text) {
        Some("max_tokens" | "model_context_window_exceeded" | "pause_turn") => Stop::CutOff,
        Some("refusal") => Stop::Refused,
        _ => Stop::Complete,
    };
    let count = |key: &str| json.get("usage").and_then(|usage| usage.get(key)?.as_u64()).unwrap_or_default();
    let (cached, cache_written) = (count("cache_read_input_tokens"), count("cache_creation_input_tokens"));
    // `input_tokens` leaves out both.
    let input = count("input_tokens").saturating_add(cached).saturating_add(cache_written);
    Some(Told { text, stop, usage: Usage { input, cached, cache_written, output: count("output_tokens") } })
}
