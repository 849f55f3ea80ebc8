//! The chat completions of `OpenAI`, which many servers speak. What they offer to force the form of a reply differs, so the
//! strictest that a server takes is found out and kept.

use super::wire::{Answer, Failure, Told, Wire};
use super::{Settings, SetupError, TOOL, TOOL_DESCRIPTION};
use crate::domain::reply::{Json, Stop, Usage};
use crate::ports::{Judge, JudgeError, JudgeReply, JudgeRequest};
use async_trait::async_trait;
use http::header::AUTHORIZATION;
use http::{HeaderName, Uri};
use serde::Serialize;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

/// A model behind an `OpenAI`-compatible server.
pub struct OpenAi {
    wire: Wire,
    model: String,
    /// Which name of the limit this server and model take.
    limit: Mutex<Limit>,
    /// The form that this server took; none = not known yet.
    form: Mutex<Option<Known>>,
}

/// A form that a server took.
#[derive(Clone, Copy)]
struct Known {
    form: Form,
    /// When a stricter one is tried again.
    until: Option<Instant>,
}

/// How long a weaker form is kept that was found beside a server's own failure.
const TRIED_AGAIN: Duration = Duration::from_hours(1);

/// How a reply is held to its form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `response_format: json_schema`, strict.
    Schema,
    /// A tool that must be called.
    Tool,
    /// `response_format: json_object`: JSON, whatever is in it.
    Object,
}

/// From the strictest on.
const FORMS: [Form; 3] = [Form::Schema, Form::Tool, Form::Object];

/// How the longest reply is called: `OpenAI`'s newer models refuse the name that other servers know, also where they
/// stand behind another server.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Limit {
    MaxTokens,
    MaxCompletionTokens,
}

/// Whose server it is, as far as that changes what is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Server {
    OpenAi,
    Azure,
    Other,
}

impl Server {
    fn of(url: &str) -> Self {
        let uri: Option<Uri> = url.parse().ok();
        match uri.as_ref().and_then(Uri::host).unwrap_or_default() {
            "api.openai.com" => Self::OpenAi,
            host if host.ends_with(".openai.azure.com") || host.ends_with(".services.ai.azure.com") => Self::Azure,
            _ => Self::Other,
        }
    }

    /// Azure knows its keys by a header of its own at each of its addresses, and `Authorization` at the newer ones.
    fn authorise(self, key: &str) -> (HeaderName, String) {
        match self {
            Self::Azure => (HeaderName::from_static("api-key"), key.to_owned()),
            Self::OpenAi | Self::Other => (AUTHORIZATION, format!("Bearer {key}")),
        }
    }
}

impl OpenAi {
    /// Nothing is sent yet. `form`: what this server is known to offer; none = it is found out by the first call.
    ///
    /// # Errors
    /// An address or a key that is none, or no certificates.
    pub fn new(settings: &Settings, form: Option<Form>) -> Result<Self, SetupError> {
        let server = Server::of(&settings.url);
        let wire = Wire::new("openai", "/chat/completions", settings, |key| server.authorise(key))?;
        let limit = match server {
            Server::OpenAi | Server::Azure => Limit::MaxCompletionTokens,
            Server::Other => Limit::MaxTokens,
        };
        Ok(Self {
            wire,
            model: settings.model.clone(),
            limit: Mutex::new(limit),
            form: Mutex::new(form.map(|form| Known { form, until: None })),
        })
    }

    /// The form that this server was told to offer, or took; none = nothing was answered yet.
    #[must_use]
    pub fn form(&self) -> Option<Form> {
        self.known().map(|known| known.form)
    }

    fn known(&self) -> Option<Known> {
        *self.form.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn send(&self, request: &JudgeRequest) -> Result<Answer, Failure> {
        if let Some(known) = self.known().filter(|known| known.until.is_none_or(|until| Instant::now() < until)) {
            return self.send_as(request, known.form).await;
        }
        let mut first: Option<Failure> = None;
        for form in FORMS {
            match self.send_as(request, form).await {
                Ok(answer) => {
                    // A server that failed for a moment did not say that it lacks the stricter form.
                    let unsure = first.as_ref().and_then(|failure| failure.status).is_some_and(|status| status >= 500);
                    let until = unsure.then(|| Instant::now() + TRIED_AGAIN);
                    *self.form.lock().unwrap_or_else(PoisonError::into_inner) = Some(Known { form, until });
                    return Ok(answer);
                }
                Err(failure) if is_about_form(&failure) => first = first.or(Some(failure)),
                Err(failure) => return Err(failure),
            }
        }
        // Whatever form: so it was not about that.
        Err(first.unwrap_or_else(|| Failure { status: None, error: self.wire.unreadable("no form was tried") }))
    }

    /// In this form, and with the other name of the limit where the server asks for it.
    async fn send_as(&self, request: &JudgeRequest, form: Form) -> Result<Answer, Failure> {
        let limit = *self.limit.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = self.wire.send(&self.body(request, form, limit)).await;
        if limit == Limit::MaxCompletionTokens || !answer.as_ref().is_err_and(asks_for_the_other_limit) {
            return answer;
        }
        let answer = self.wire.send(&self.body(request, form, Limit::MaxCompletionTokens)).await;
        if answer.is_ok() {
            *self.limit.lock().unwrap_or_else(PoisonError::into_inner) = Limit::MaxCompletionTokens;
        }
        answer
    }

    fn body<'a>(&'a self, request: &'a JudgeRequest, form: Form, limit: Limit) -> Body<'a> {
        let function = Function { name: TOOL, description: TOOL_DESCRIPTION, parameters: &request.schema };
        let user = [Some(request.data.as_str()), request.repair.as_deref()];
        let (max_tokens, max_completion_tokens) = match limit {
            Limit::MaxTokens => (Some(request.most_tokens), None),
            Limit::MaxCompletionTokens => (None, Some(request.most_tokens)),
        };
        Body {
            model: &self.model,
            messages: [
                Message { role: "system", content: request.prefix.clone() },
                Message { role: "user", content: user.into_iter().flatten().collect::<Vec<_>>().join("\n\n") },
            ],
            max_tokens,
            max_completion_tokens,
            response_format: match form {
                Form::Schema => Some(Format {
                    r#type: "json_schema",
                    json_schema: Some(Named { name: TOOL, strict: true, schema: &request.schema }),
                }),
                Form::Object => Some(Format { r#type: "json_object", json_schema: None }),
                Form::Tool => None,
            },
            tools: (form == Form::Tool).then_some([Tool { r#type: "function", function }]),
            tool_choice: (form == Form::Tool).then_some(Choice { r#type: "function", function: Name { name: TOOL } }),
        }
    }
}

/// Statuses with which servers answer a form that they do not offer; llama.cpp's says 500.
fn is_about_form(failure: &Failure) -> bool {
    matches!(failure.status, Some(400 | 404 | 415 | 422 | 500 | 501))
}

/// Such as: Unsupported parameter: `max_tokens` … Use `max_completion_tokens` instead.
fn asks_for_the_other_limit(failure: &Failure) -> bool {
    matches!(&failure.error, JudgeError::Refused { status: 400 | 422, message, .. } if message.contains("max_completion_tokens"))
}

#[async_trait]
impl Judge for OpenAi {
    fn name(&self) -> &str {
        &self.wire.name
    }

    async fn ask(&self, request: &JudgeRequest) -> Result<JudgeReply, JudgeError> {
        let answer = self.send(request).await.map_err(|failure| failure.error)?;
        let told = told(&answer.json).ok_or_else(|| self.wire.unreadable("no `choices[0].message`"))?;
        Ok(self.wire.reply(answer, told))
    }
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: [Message; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<Format<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<[Tool<'a>; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Choice>,
}

#[derive(Serialize)]
struct Message {
    role: &'static str,
    content: String,
}

#[derive(Serialize)]
struct Format<'a> {
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    json_schema: Option<Named<'a>>,
}

#[derive(Serialize)]
struct Named<'a> {
    name: &'static str,
    strict: bool,
    schema: &'a Json,
}

#[derive(Serialize)]
struct Tool<'a> {
    r#type: &'static str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'static str,
    description: &'static str,
    parameters: &'a Json,
}

#[derive(Serialize)]
struct Choice {
    r#type: &'static str,
    function: Name,
}

#[derive(Serialize)]
struct Name {
    name: &'static str,
}

fn told(json: &Json) -> Option<Told> {
    let choice = json.get("choices")?.items().first()?;
    let message = choice.get("message")?;
    let calls: Vec<&str> = message
        .get("tool_calls")
        .map_or(&[][..], Json::items)
        .iter()
        .filter_map(|call| call.get("function")?.get("arguments")?.as_text())
        .collect();
    let text = if calls.is_empty() { content(message) } else { calls.join("\n") };
    let refused = message.get("refusal").and_then(Json::as_text).is_some_and(|said| !said.is_empty());
    let stop = match choice.get("finish_reason").and_then(Json::as_text) {
        _ if refused => Stop::Refused,
        Some("length") => Stop::CutOff,
        Some("content_filter") => Stop::Refused,
        _ => Stop::Complete,
    };
    let usage = json.get("usage").unwrap_or(&Json::Null);
    let count = |key: &str| usage.get(key).and_then(Json::as_u64).unwrap_or_default();
    let cached = usage.get("prompt_tokens_details").and_then(|details| details.get("cached_tokens")?.as_u64());
    let usage = Usage {
        input: count("prompt_tokens"),
        cached: cached.unwrap_or_default(),
        cache_written: 0,
        output: count("completion_tokens"),
    };
    Some(Told { text, stop, usage })
}

/// A text, or with some servers a list of parts.
fn content(message: &Json) -> String {
    match message.get("content") {
        Some(Json::Text(text)) => text.clone(),
        Some(Json::List(parts)) => {
            parts.iter().filter_map(|part| part.get("text")?.as_text()).collect::<Vec<_>>().join("")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_known_by_their_host() {
        let check = |url: &str, expect: Server, header: &str, value: &str| {
            let server = Server::of(url);
            let (name, sent) = server.authorise("k");
            assert_eq!((server, name.as_str(), sent.as_str()), (expect, header, value), "{url}");
        };
        check("https://api.openai.com/v1", Server::OpenAi, "authorization", "Bearer k");
        check("https://x.openai.azure.com/openai/v1", Server::Azure, "api-key", "k");
        check("https://x.openai.azure.com/openai/deployments/d?api-version=1", Server::Azure, "api-key", "k");
        check("https://x.services.ai.azure.com/openai/v1", Server::Azure, "api-key", "k");
        check("http://localhost:11434/v1", Server::Other, "authorization", "Bearer k");
        check("https://gateway.example/api.openai.com/v1", Server::Other, "authorization", "Bearer k");
    }
}
