//! Which family a model is of: two models of one family make the same mistakes, so only two families are two opinions.

/// Beginnings of model names, longest first within a family; shipped as data (chapter 4). What operators add comes before.
const FAMILIES: &str = include_str!("families.txt");

/// The family of a model, by its name as it was returned, or as a judge is called (`openai:…`); none = unknown, which is a family of its own to nobody.
///
/// `more`: what the operator added, as pairs of a name's beginning and a family; the longest beginning counts.
#[must_use]
pub fn family<'f>(model: &str, more: &'f [(String, String)]) -> Option<&'f str> {
    let name = bare(model);
    own(model, more)
        .map(|(_, family)| family.as_str())
        .or_else(|| shipped().find(|(begins, _)| name.starts_with(begins)).map(|(_, family)| family))
}

/// Whether two models can stand for two opinions: both families are known, and they differ.
#[must_use]
pub fn independent(one: &str, other: &str, more: &[(String, String)]) -> bool {
    matches!((family(one, more), family(other, more)), (Some(one), Some(other)) if one != other)
}

/// What the operator said of a name, whole or without what gateways put before it: the longest beginning that fits.
pub(super) fn own<'m, T>(model: &str, more: &'m [(String, T)]) -> Option<&'m (String, T)> {
    let (whole, name) = (asked(model).to_ascii_lowercase(), bare(model));
    let fits = |begins: &str| whole.starts_with(begins) || name.starts_with(begins);
    more.iter().filter(|(begins, _)| fits(&begins.to_ascii_lowercase())).max_by_key(|(begins, _)| begins.len())
}

/// The name without the provider that a judge's name begins with.
pub(super) fn asked(name: &str) -> &str {
    ["anthropic:", "openai:"].into_iter().find_map(|provider| name.strip_prefix(provider)).unwrap_or(name)
}

/// The name without what gateways and hosts put before it: `openrouter/anthropic/claude-…`, `us.anthropic.claude-…`.
pub(super) fn bare(model: &str) -> String {
    let model = asked(model).to_ascii_lowercase();
    let last = model.rsplit(['/', ':']).find(|part| shipped().any(|(begins, _)| part.starts_with(begins)));
    let name = last.unwrap_or_else(|| model.rsplit('/').next().unwrap_or(&model));
    let vendor = name.split('.').position(|part| shipped().any(|(begins, _)| part.starts_with(begins)));
    name.splitn(vendor.unwrap_or_default() + 1, '.').last().unwrap_or(name).to_owned()
}

fn shipped() -> impl Iterator<Item = (&'static str, &'static str)> {
    FAMILIES.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_their_family() {
        let check = |model: &str, expect: Option<&str>| assert_eq!(family(model, &[]), expect, "{model}");
        check("claude-sonnet-4-5-20250929", Some("claude"));
        check("anthropic/claude-3.5-haiku", Some("claude"));
        check("us.anthropic.claude-opus-4-1-20250805-v1:0", Some("claude"));
        check("gpt-4.1-mini", Some("gpt"));
        check("o3-mini", Some("gpt"));
        check("openrouter/openai/gpt-5", Some("gpt"));
        check("gemini-2.5-pro", Some("gemini"));
        check("gemma3:270m", Some("gemini"));
        check("llama3.3:70b", Some("llama"));
        check("meta-llama/Llama-3.3-70B-Instruct", Some("llama"));
        check("Qwen/Qwen3-32B", Some("qwen"));
        check("ollama/mistral-small", Some("mistral"));
        check("deepseek-r1-distill-qwen-32b", Some("deepseek"));
        check("my-own-model", None);
        check("", None);
    }

    #[test]
    fn unknown_models_are_no_second_opinion() {
        assert!(independent("claude-sonnet-4-5", "gpt-4.1", &[]));
        assert!(!independent("claude-sonnet-4-5", "claude-haiku-4-5", &[]));
        assert!(!independent("gemini-2.5-pro", "gemma3", &[]));
        assert!(!independent("claude-sonnet-4-5", "my-own-model", &[]));
        let more = [("My-Own".to_owned(), "ours".to_owned())];
        assert_eq!(family("my-own-model", &more), Some("ours"));
        assert!(independent("claude-sonnet-4-5", "my-own-model", &more));
        let more = [("acme/".to_owned(), "acme"), ("acme/claude".to_owned(), "tuned")];
        let more = more.map(|(begins, family)| (begins, family.to_owned()));
        assert_eq!(family("acme/claude-own", &more), Some("tuned"));
        assert_eq!(family("acme/x", &more), Some("acme"));
        assert_eq!(family("openai:acme/x", &more), Some("acme"));
        let more = [("my-own".to_owned(), "ours".to_owned())];
        assert!(independent("anthropic:claude-sonnet-4-5", "openai:my-own-model", &more));
        assert!(!independent("openai:my-own-model", "openai:my-own-other", &more));
    }

    #[test]
    fn every_line_of_the_data_is_read() {
        for line in FAMILIES.lines().filter(|line| !line.starts_with('#')) {
            let (begins, family) = line.split_once(' ').expect("a beginning and a family");
            assert!(!begins.is_empty() && !family.contains(' ') && begins == begins.to_ascii_lowercase(), "{line}");
        }
    }
}
