//! Makes words of others harmless inside our Markdown (chapter 3, "The comment"; chapter 8, "Security").
//!
//! Two forms, both for a place inside a line of ours, never at a line's beginning:
//!
//! - [`code`] shows a quote as an inline code span. GitHub turns nothing inside a code span into a mention, a reference,
//!   a link, an emoji or mathematics.
//! - [`prose`] shows a contract's own words as running text: Markdown's marks are escaped, and a word that GitHub would
//!   act upon (`@someone`, `#12`, an address) becomes a code span.
//!
//! Neither `\@` nor `&#64;` helps: GitHub looks for mentions and references *after* Markdown and entities are resolved,
//! and skips only code (cmark-gfm's issue 181). Zero-width separators would help, but stay in what a person copies.

use std::fmt::Write;

/// The text as an inline code span: one line, every invisible character shown.
pub fn code(text: &str) -> String {
    let text = visible(text);
    if text.is_empty() {
        return "` `".to_owned();
    }
    let fence = "`".repeat(longest_run(&text, '`') + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// The text as running text: one line, every invisible character shown, nothing in it means anything to Markdown or
/// to GitHub.
pub fn prose(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    write_prose(&visible(text), &mut out);
    guard_beginning(out)
}

/// Running text of ours that holds names between backticks, such as a linter's message: the names become code spans,
/// the rest [`prose`].
pub fn message(text: &str) -> String {
    let text = visible(text);
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return prose(&text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for (index, part) in parts.into_iter().enumerate() {
        if index % 2 == 1 { push_code(part, &mut out) } else { write_prose(part, &mut out) }
    }
    guard_beginning(out)
}

/// [`code`] for a table's cell. A `|` would end the cell even inside a code span, so a look-alike stands for it;
/// a cell has 100 characters at most.
pub fn cell(text: &str) -> String {
    code(&shorten(text, 100).replace('|', "¦"))
}

/// A login or `org/team` as a real mention; anything else is only shown. The one mention that we ever make.
pub fn mention(name: &str) -> String {
    let valid = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphanumeric())
            && part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
    };
    let fits = match name.split_once('/') {
        Some((org, team)) => valid(org) && valid(team),
        None => valid(name),
    };
    if fits { format!("@{name}") } else { code(name) }
}

/// A link of ours: its text as a code span. The address is percent-encoded where it could end the link; one that is not
/// http(s) is left out.
pub fn link(text: &str, url: Option<&str>) -> String {
    let label = code(text);
    let Some(url) = url.filter(|url| url.starts_with("https://") || url.starts_with("http://")) else {
        return label;
    };
    let mut address = String::with_capacity(url.len());
    for byte in url.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~:/?#@!$+,;=%".contains(&byte) {
            address.push(char::from(byte));
        } else {
            let _ = write!(address, "%{byte:02X}"); // writing to a String never fails
        }
    }
    format!("[{label}]({address})")
}

/// The text in one line: white space folded and trimmed, control, bidirectional and zero-width characters shown.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.trim().chars().peekable();
    let mut before = ' ';
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' | '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => {
                if !out.ends_with(' ') {
                    out.push(' ');
                }
            }
            // Control pictures stand in Unicode in the order of the control characters.
            '\0'..='\u{1f}' => out.push(char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}')),
            '\u{7f}' => out.push('␡'),
            // Joins two emoji into one.
            '\u{200d}' if is_emoji(before) && chars.peek().is_some_and(|next| is_emoji(*next)) => out.push(c),
            _ if is_invisible(c) => {
                let _ = write!(out, "⟨U+{:04X}⟩", u32::from(c)); // writing to a String never fails
            }
            _ => out.push(c),
        }
        if c != '\u{fe0f}' {
            before = c;
        }
    }
    out.trim().to_owned()
}

/// At most so many characters, the last one an ellipsis where something was cut.
pub fn shorten(text: &str, characters: usize) -> String {
    if text.chars().count() <= characters {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(characters.saturating_sub(1)).collect();
    short.push('…');
    short
}

/// The longest run of a character.
pub fn longest_run(text: &str, of: char) -> usize {
    text.split(|c| c != of).map(|run| run.chars().count()).max().unwrap_or(0)
}

/// What may stand inside one of GitHub's names, references and addresses.
fn is_word(c: char) -> bool {
    c.is_ascii_graphic() && !"`()[]{}<>\"',;|\\".contains(c)
}

/// Whether GitHub would make something of the word: a mention, a reference, a link, an emoji or mathematics.
fn acts_on_github(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    lower.contains(['@', '#', '$'])
        || lower.contains("://")
        || lower.contains("www.")
        || lower.match_indices("gh-").any(|(at, _)| lower[at + 3..].starts_with(|c: char| c.is_ascii_digit()))
        || lower.split(|c: char| !c.is_ascii_alphanumeric()).any(looks_like_a_commit)
        || has_shortcode(&lower)
}

/// Seven or more hex digits, letters and figures mixed: GitHub links it where such a commit exists.
fn looks_like_a_commit(word: &str) -> bool {
    word.len() >= 7
        && word.chars().all(|c| c.is_ascii_hexdigit())
        && word.contains(|c: char| c.is_ascii_digit())
        && word.contains(|c: char| c.is_ascii_alphabetic())
}

/// `:tada:`
fn has_shortcode(word: &str) -> bool {
    let parts: Vec<&str> = word.split(':').collect();
    parts.len() > 2
        && parts[1..parts.len() - 1].iter().any(|part| {
            part.contains(|c: char| c.is_ascii_alphabetic())
                && part.chars().all(|c| c.is_ascii_alphanumeric() || "_+-".contains(c))
        })
}

fn write_prose(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        if end == 0 {
            escape(first, out);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let (word, after) = rest.split_at(end);
        // A colon of ours may follow the last word, and end an emoji's name.
        let last = after.is_empty() && has_shortcode(&format!("{word}:").to_ascii_lowercase());
        if last || acts_on_github(word) {
            let inner = word.trim_end_matches(['.', '!', '?']);
            // A colon ends a clause, or an emoji's name.
            let inner = if inner.starts_with(':') { inner } else { inner.trim_end_matches(':') };
            push_code(inner, out);
            word[inner.len()..].chars().for_each(|c| escape(c, out));
        } else {
            word.chars().for_each(|c| escape(c, out));
        }
        rest = after;
    }
}

/// Two code spans that touch would be read as one.
fn push_code(text: &str, out: &mut String) {
    if out.ends_with('`') {
        out.push(' ');
    }
    out.push_str(&code(text));
}

/// A list's mark or a heading's underline at the very beginning loses its meaning.
fn guard_beginning(mut text: String) -> String {
    if let Some(digits) = ordered_list_digits(&text) {
        text.insert(digits, '\\');
    } else if text.starts_with(['-', '+', '=']) {
        text.insert(0, '\\');
    }
    text
}

fn escape(c: char, out: &mut String) {
    match c {
        // An entity, since a literal backtick beside a code span would change the span's fence.
        '`' => out.push_str("&#96;"),
        '\\' | '*' | '_' | '[' | ']' | '<' | '>' | '~' | '|' | '&' => {
            out.push('\\');
            out.push(c);
        }
        _ => out.push(c),
    }
}

/// How many digits stand before a `.` or `)` that would begin a numbered list.
fn ordered_list_digits(text: &str) -> Option<usize> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    (digits > 0 && text[digits..].starts_with(['.', ')'])).then_some(digits)
}

/// Characters that show nothing or turn the order of others. Variation selectors of emoji stay.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{80}'..='\u{9f}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0d}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

fn is_emoji(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_become_code_spans() {
        let check = |input: &str, expect: &str| assert_eq!(code(input), expect, "{input:?}");
        check("使いやすく", "`使いやすく`");
        check("a `b` c", "``a `b` c``");
        check("`b`", "`` `b` ``");
        check("```", "```` ``` ````");
        check(" two\r\n lines\t", "`two lines`");
        check("", "` `");
        check("Closes #1 @alice", "`Closes #1 @alice`");
        check("$x$", "`$x$`");
    }

    #[test]
    fn running_text_keeps_its_words_and_loses_its_power() {
        let check = |input: &str, expect: &str| assert_eq!(prose(input), expect, "{input:?}");
        check(
            "受け入れ条件つきで単独マージ可能な単位。実装方式は未指定",
            "受け入れ条件つきで単独マージ可能な単位。実装方式は未指定",
        );
        check("ask @alice or (@acme/leads).", "ask `@alice` or (`@acme/leads`).");
        check("担当は@aliceさん", "担当は`@alice`さん");
        check("Closes #1, acme/widgets#1 and GH-12", "Closes `#1`, `acme/widgets#1` and `GH-12`");
        check("see https://github.com/o/r/issues/1!", "see `https://github.com/o/r/issues/1`!");
        check("**bold** <b> [x](y) ![i](j)", "\\*\\*bold\\*\\* \\<b\\> \\[x\\](y) !\\[i\\](j)");
        check("a ` b", "a &#96; b");
        check("GET acme/widgets#12: gone", "GET `acme/widgets#12`: gone");
        check("- item", "\\- item");
        check("1. item", "1\\. item");
        check("-@a", "`-@a`");
        check("costs $5 :tada: at 12:30:45", "costs `$5` `:tada:` at 12:30:45");
        // A colon that a template puts behind would end an emoji's name.
        check("a reason that ends in :tada", "a reason that ends in `:tada`");
        check("at 12:30", "at 12:30");
        check("since 1a2b3c4 of 20260930", "since `1a2b3c4` of 20260930");
    }

    #[test]
    fn names_between_backticks_stay_names() {
        let check = |input: &str, expect: &str| assert_eq!(message(input), expect, "{input:?}");
        check("unknown key `waiting_levl` here", "unknown key `waiting_levl` here");
        check("`a` and `b`", "`a` and `b`");
        check("odd ` one", "odd &#96; one");
        check("`@a``b`", "`@a` `b`");
        check("x `a`@b`c`", "x `a` `@b` `c`");
    }

    #[test]
    fn what_cannot_be_seen_is_shown() {
        let check = |input: &str, expect: &str| assert_eq!(visible(input), expect, "{input:?}");
        check("a\u{202e}b\u{200b}c", "a⟨U+202E⟩b⟨U+200B⟩c");
        check("a\0b\u{1b}c\u{7f}", "a␀b␛c␡");
        check("a\u{2028}b\u{85}c", "a b c");
        check("👨\u{200d}👩\u{200d}👧 ❤\u{fe0f}", "👨\u{200d}👩\u{200d}👧 ❤\u{fe0f}");
        check("全角\u{3000}空白", "全角\u{3000}空白");
    }

    #[test]
    fn only_names_are_mentioned_and_only_web_addresses_linked() {
        assert_eq!(mention("alice"), "@alice");
        assert_eq!(mention("acme/leads"), "@acme/leads");
        assert_eq!(mention("alice](x) @bob"), "`alice](x) @bob`");
        assert_eq!(link("a.yaml:1:2", Some("https://h/o/r(1)#L1")), "[`a.yaml:1:2`](https://h/o/r%281%29#L1)");
        assert_eq!(link("a", Some("javascript:alert(1)")), "`a`");
    }

    #[test]
    fn cutting_counts_characters() {
        assert_eq!(shorten("あいうえお", 5), "あいうえお");
        assert_eq!(shorten("あいうえお", 4), "あいう…");
        assert_eq!(longest_run("a``b```", '`'), 3);
    }
}
