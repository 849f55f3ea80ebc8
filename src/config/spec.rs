//! One model as a person writes it: `anthropic:ID`, `openai:ID@URL`.
//!
//! Whatever is wrong is told without a word of the text: a key may have been pasted into it.

use crate::domain::detect::mask_secrets;
use std::fmt;
use std::str::FromStr;
use url::{Host, Url};

/// A model, and where it is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    /// The protocol that is spoken.
    pub provider: Provider,
    /// The model's id, as the server knows it.
    pub model: String,
    /// The base address: the provider's own, or that of the server that speaks its protocol.
    pub url: Url,
}

/// A protocol, and whose it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Provider {
    /// The Messages API.
    Anthropic,
    /// Chat completions, which many servers speak.
    OpenAi,
}

/// Why a text is no [`Spec`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotASpec(&'static str);

/// Longest id of a model, in characters.
const LONGEST: usize = 200;

/// Where an address begins.
const BEGINS: [&str; 2] = ["@https://", "@http://"];

impl Provider {
    /// `anthropic`, `openai`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
        }
    }

    /// Where the provider itself is reached.
    #[must_use]
    pub fn own_address(self) -> &'static str {
        match self {
            Self::Anthropic => "https://api.anthropic.com",
            Self::OpenAi => "https://api.openai.com/v1",
        }
    }

    /// The variable that holds the provider's key.
    pub(super) fn key_variable(self) -> &'static str {
        match self {
            Self::Anthropic => "ANTHROPIC_API_KEY",
            Self::OpenAi => "OPENAI_API_KEY",
        }
    }
}

impl Spec {
    /// Whether it is asked at the provider itself.
    #[must_use]
    pub fn is_at_the_provider(&self) -> bool {
        Url::parse(self.provider.own_address()).is_ok_and(|own| own.origin() == self.url.origin())
    }

    /// Whether what is sent can be read on the way: plain HTTP to another machine.
    #[must_use]
    pub fn is_in_the_clear(&self) -> bool {
        let here = match self.url.host() {
            Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            Some(Host::Ipv4(ip)) => ip.is_loopback(),
            Some(Host::Ipv6(ip)) => ip.is_loopback(),
            None => false,
        };
        self.url.scheme() == "http" && !here
    }
}

/// The id may hold `/`, `:`, `.` and `@`: the address is what stands behind the last `@http://` or `@https://`.
impl FromStr for Spec {
    type Err = NotASpec;

    fn from_str(text: &str) -> Result<Self, NotASpec> {
        let (provider, rest) =
            text.trim().split_once(':').ok_or(NotASpec("expected anthropic:ID, openai:ID or openai:ID@URL"))?;
        let provider = match provider.trim() {
            "anthropic" => Provider::Anthropic,
            "openai" => Provider::OpenAi,
            _ => return Err(NotASpec("unknown provider; expected anthropic or openai")),
        };
        let at = BEGINS.iter().filter_map(|begin| rest.rfind(begin)).max();
        let (model, address) = at.map_or((rest, None), |at| (&rest[..at], Some(&rest[at + 1..])));
        let model = id(model.trim())?;
        let url = address
            .map_or_else(|| Url::parse(provider.own_address()).map_err(|_| BAD_URL), |text| base(provider, text))?;
        Ok(Self { provider, model: model.to_owned(), url })
    }
}

/// `openai:ID@URL`; the address is left out where it is the provider's own.
impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.provider.word(), self.model)?;
        let bare = |url: &str| url.trim_end_matches('/').to_owned();
        let url = bare(self.url.as_str());
        if url == bare(self.provider.own_address()) { Ok(()) } else { write!(f, "@{url}") }
    }
}

const BAD_URL: NotASpec = NotASpec("what follows the last `@` is no address; expected https://HOST or http://HOST");

fn id(model: &str) -> Result<&str, NotASpec> {
    if model.is_empty() {
        return Err(NotASpec("the model's id is empty"));
    }
    if model.chars().any(|c| c.is_whitespace() || c.is_control()) || model.chars().count() > LONGEST {
        return Err(NotASpec("the model's id is too long, or has white space in it"));
    }
    // `llama3@localhost:11434`: an address without its scheme would become part of the id.
    let address = model.rsplit_once('@').is_some_and(|(before, after)| {
        !(before.is_empty() || before.ends_with('/')) && (after.is_empty() || after.contains([':', '/', '.']))
    });
    if address {
        return Err(BAD_URL);
    }
    if mask_secrets(model) != model {
        return Err(NotASpec("the model's id looks like a key; keys belong into variables of their own"));
    }
    Ok(model)
}

/// A base address. What follows a `?` stays with each call, as Azure wants it.
fn base(provider: Provider, text: &str) -> Result<Url, NotASpec> {
    const KEYS: [&str; 8] = ["key", "token", "secret", "sig", "password", "auth", "credential", "code"];
    let url = Url::parse(text.trim()).map_err(|_| BAD_URL)?;
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() || url.fragment().is_some() {
        return Err(BAD_URL);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(NotASpec("the address holds a name or a password; keys belong into SEKISHO_MODEL_KEYS"));
    }
    let secret = url.query_pairs().any(|(name, _)| KEYS.iter().any(|key| name.to_ascii_lowercase().contains(key)));
    if secret || mask_secrets(url.as_str()) != url.as_str() {
        return Err(NotASpec("the address holds a key; keys belong into SEKISHO_MODEL_KEYS"));
    }
    let path = url.path().trim_end_matches('/');
    if ["/chat/completions", "/messages", "/responses", "/completions"].iter().any(|end| path.ends_with(end)) {
        return Err(NotASpec("expected the base address, without what each call appends"));
    }
    if provider == Provider::Anthropic && path.ends_with("/v1") {
        return Err(NotASpec("expected the base address, without /v1: that of Anthropic's protocol is appended"));
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn good(text: &str, provider: Provider, model: &str, url: &str) {
        let spec: Spec = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!((spec.provider, spec.model.as_str(), spec.url.as_str()), (provider, model, url), "{text}");
        assert_eq!(spec.to_string().parse(), Ok(spec), "{text}");
    }

    #[track_caller]
    fn bad(text: &str, expect: &str) {
        let error = text.parse::<Spec>().expect_err(text).to_string();
        assert!(error.contains(expect), "{text}: {error}");
    }

    #[test]
    fn a_model_and_where_it_is_asked() {
        use Provider::{Anthropic, OpenAi};
        good("anthropic:claude-sonnet-4-5", Anthropic, "claude-sonnet-4-5", "https://api.anthropic.com/");
        good("openai:gpt-5@https://api.openai.com/v2", OpenAi, "gpt-5", "https://api.openai.com/v2");
        good("openai:gpt-5-mini", OpenAi, "gpt-5-mini", "https://api.openai.com/v1");
        good("openai:llama3.3:70b@http://localhost:11434/v1", OpenAi, "llama3.3:70b", "http://localhost:11434/v1");
        good(
            "openai:anthropic/claude-opus-4.5:beta@https://openrouter.ai/api/v1",
            OpenAi,
            "anthropic/claude-opus-4.5:beta",
            "https://openrouter.ai/api/v1",
        );
        good("openai:@cf/meta/llama-3.1@https://gw.example/v1", OpenAi, "@cf/meta/llama-3.1", "https://gw.example/v1");
        good("anthropic:claude-opus-4-1@20250805", Anthropic, "claude-opus-4-1@20250805", "https://api.anthropic.com/");
        good(
            "openai:d@https://x.openai.azure.com/openai/deployments/d?api-version=2024-10-21",
            OpenAi,
            "d",
            "https://x.openai.azure.com/openai/deployments/d?api-version=2024-10-21",
        );
        let arn = "us.anthropic.claude-opus-4-1-20250805-v1:0";
        good(&format!("openai:{arn}@http://127.0.0.1:4000"), OpenAi, arn, "http://127.0.0.1:4000/");
    }

    #[test]
    fn what_is_wrong_is_told() {
        bad("", "expected anthropic:ID");
        bad("gpt-5", "expected anthropic:ID");
        bad("google:gemini", "unknown provider");
        bad("openai:", "id is empty");
        bad("openai:@https://h", "id is empty");
        bad("openai:a b", "white space");
        bad("openai:m@https://", "no address");
        bad("openai:m@localhost:11434/v1", "no address");
        bad("openai:m@htps://h/v1", "no address");
        bad("openai:m@https://h/v1#x", "no address");
        bad("openai:m@https://user:hunter2@h/v1", "a name or a password");
        bad("openai:m@https://h/v1?api_key=hunter2", "holds a key");
        bad("openai:m@https://h/v1/chat/completions", "base address");
        bad("anthropic:m@https://h/v1/messages", "base address");
        bad("anthropic:m@https://h/v1/", "without /v1");
        bad(
            concat!(
                "anthropic:sk-ant-",
                "api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-AAAAAAAA"
            ),
            "looks like a key",
        );
    }

    #[test]
    fn what_goes_over_the_wire_in_the_clear_is_known() {
        let check = |url: &str, expect: bool| {
            let spec: Spec = format!("openai:m@{url}").parse().unwrap();
            assert_eq!(spec.is_in_the_clear(), expect, "{url}");
        };
        check("https://h/v1", false);
        check("http://localhost:1/v1", false);
        check("http://127.0.0.1:1/v1", false);
        check("http://[::1]:1/v1", false);
        check("http://ollama:11434/v1", true);
    }

    proptest! {
        #[test]
        fn any_text_is_read_and_nothing_of_it_repeated(
            text in r"(anthropic:|openai:|@https?://|[a-z0-9]{1,8}|[:@/?#=. ]|\PC){0,12}",
            secret in "[A-Z][0-9][A-Za-z0-9]{8,30}",
            place in 0..40_usize,
        ) {
            let place = text.char_indices().nth(place).map_or(text.len(), |(at, _)| at);
            let text = format!("{}{secret}{}", &text[..place], &text[place..]);
            match text.parse::<Spec>() {
                Ok(spec) => prop_assert_eq!(spec.to_string().parse::<Spec>().map(|spec| spec.to_string()), Ok(spec.to_string())),
                Err(error) => {
                    let said = format!("{error} {error:?}");
                    prop_assert!(!said.contains(&secret), "{}", said);
                }
            }
        }
    }
}
