//! What a Markdown parser and GitHub make of a comment: everything in it that is more than words.

#![allow(clippy::expect_used, reason = "part of test programs")]

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use regex::Regex;
use std::sync::LazyLock;

/// Every event but words and code spans: what a parser makes of the comment beside its text.
pub fn structure(body: &str) -> Vec<String> {
    events(body)
        .into_iter()
        .filter_map(|event| match event {
            Event::Text(_) | Event::Code(_) => None,
            Event::Start(Tag::Link { .. }) => Some("a link".to_owned()),
            other => Some(format!("{other:?}")),
        })
        .collect()
}

/// Running text outside code, one string for each stretch between other things.
pub fn running_text(body: &str) -> Vec<String> {
    let mut texts = vec![String::new()];
    let mut fenced = false;
    for event in events(body) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => fenced = true,
            Event::End(TagEnd::CodeBlock) => fenced = false,
            Event::Text(text) if !fenced => texts.last_mut().expect("never empty").push_str(&text),
            _ => texts.push(String::new()),
        }
    }
    texts
}

fn events(body: &str) -> Vec<Event<'_>> {
    let gfm = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_GFM
        | Options::ENABLE_MATH;
    Parser::new_ext(body, gfm).collect()
}

/// What GitHub makes a mention, a reference or a link of, after Markdown is read.
pub static ACTS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)@[a-z0-9]|#[0-9]|gh-[0-9]|://|www\.|:[a-z_]+:|\$").expect("a valid pattern"));

/// Characters that hide or turn what stands beside them; joiners and selectors of emoji apart.
pub static HIDDEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u{200b}\u{202a}-\u{202e}\u{2060}-\u{206f}\u{feff}]")
        .expect("a valid pattern")
});
