//! What a model's tokens cost, by its name: list prices shipped as data, and before them what the operator says.

use super::cost::Price;
use super::family::{asked, bare, own};

/// Names and prices; the file's head says what they are.
const PRICES: &str = include_str!("prices.txt");

/// The price of a model, by its name as it was asked for or returned; none = nobody knows, which is not free.
///
/// `more`: what the operator says, as pairs of a name's beginning and a price; the longest beginning counts. A shipped
/// name stands for itself and its dated snapshots alone: `gpt-4.1` says nothing of `gpt-4.1-turbo`.
#[must_use]
pub fn price(model: &str, more: &[(String, Price)]) -> Option<Price> {
    if let Some((_, price)) = own(model, more) {
        return Some(*price);
    }
    // A model that was tuned for somebody costs more than the one that it was made of.
    if asked(model).to_ascii_lowercase().starts_with("ft:") {
        return None;
    }
    let name = dashed(&bare(model));
    shipped().find(|(known, _)| name.strip_prefix(&dashed(known)).is_some_and(is_snapshot)).map(|(_, price)| price)
}

/// Gateways write `4.5` where the maker writes `4-5`.
fn dashed(name: &str) -> String {
    name.replace('.', "-")
}

/// What may stand behind a name without making another model of it: nothing, `-20250929`, `@20250929`, `-2025-04-14`,
/// `-latest`, each with the version that Bedrock appends.
fn is_snapshot(rest: &str) -> bool {
    let rest = rest.split_once("-v").map_or(rest, |(before, _)| before);
    let Some(mark) = rest.strip_prefix(['-', '@']) else { return rest.is_empty() };
    let digits = mark.chars().filter(char::is_ascii_digit).count();
    mark == "latest" || (digits == 8 && mark.chars().all(|c| c.is_ascii_digit() || c == '-'))
}

fn shipped() -> impl Iterator<Item = (&'static str, Price)> {
    let lines = PRICES.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(' '));
    lines.filter_map(|(name, price)| Some((name, price.parse().ok()?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::reply::MicroDollars;

    #[test]
    fn names_tell_their_price() {
        let check = |model: &str, expect: Option<u64>| {
            assert_eq!(price(model, &[]).map(|price| price.input.0), expect, "{model}");
        };
        check("claude-sonnet-4-5", Some(3_000_000));
        check("claude-sonnet-4-5-20250929", Some(3_000_000));
        check("claude-sonnet-4-5@20250929", Some(3_000_000));
        check("anthropic/claude-opus-4.5", Some(5_000_000));
        check("us.anthropic.claude-opus-4-1-20250805-v1:0", Some(15_000_000));
        check("claude-opus-4-20250514", Some(15_000_000));
        check("claude-3-5-haiku-latest", Some(800_000));
        check("gpt-4.1-2025-04-14", Some(2_000_000));
        check("openrouter/openai/GPT-4.1-mini", Some(400_000));
        // What begins like a known model is another one.
        check("claude-opus-4-9", None);
        check("gpt-5-pro", None);
        check("gpt-4.1-turbo", None);
        check("gpt-oss:20b", None);
        check("ft:gpt-4o-mini-2024-07-18:acme::x", None);
        check("llama3.3:70b", None);
        check("", None);
        check("openai:ft:gpt-4o-mini-2024-07-18:acme::x", None);
        check("openai:gpt-4.1", Some(2_000_000));
    }

    #[test]
    fn the_operators_word_counts_more() {
        let of = |input| Price { input: MicroDollars(input), ..Price::default() };
        let more = [("claude".to_owned(), of(1)), ("Claude-Opus".to_owned(), of(2)), ("acme/own".to_owned(), of(0))];
        let check = |model: &str, expect: Option<u64>| {
            assert_eq!(price(model, &more).map(|price| price.input.0), expect, "{model}");
        };
        check("claude-sonnet-4-5", Some(1));
        check("anthropic/claude-opus-4-5", Some(2));
        check("acme/own-model:7b", Some(0));
        check("own-model", None);
        check("gpt-4.1", Some(2_000_000));
    }

    #[test]
    fn every_line_of_the_data_is_read() {
        let lines: Vec<&str> = PRICES.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(shipped().count(), lines.len());
        for (name, price) in shipped() {
            assert!(crate::domain::reply::family(name, &[]).is_some(), "{name}");
            assert!(price.cached < price.input && price.input < price.output, "{name}: {price:?}");
            assert!(price.cache_written >= price.input, "{name}: {price:?}");
            assert_eq!(super::price(name, &[]), Some(price), "{name} stands behind a line that takes it");
        }
    }
}
