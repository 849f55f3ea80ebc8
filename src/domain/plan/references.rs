//! Dependencies as people write them: `#1`, `子1`, `Child 1`, lists and ranges of them, and sentences beside a plan.

use super::names::is_nothing;
use crate::domain::contract::compile_pattern;
use crate::domain::text::{Document, ItemKind, Normalised, clip};
use regex::Regex;
use std::collections::HashMap;
use std::sync::LazyLock;

/// What a text names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// A child, by its index.
    Child(usize),
    /// Nothing that the plan has; as written.
    Unknown(String),
}

/// How children are found by what people call them.
pub(super) struct Children {
    /// Their numbers, where each leads.
    pub(super) numbers: HashMap<u32, usize>,
    /// Their titles, in lower case.
    pub(super) titles: HashMap<String, usize>,
}

static EXPLICIT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compile_pattern(r"(?i)(?:#|子(?:タスク|issue)?\s*#?|child(?:ren)?\s*#?|children\[)\s*([0-9]{1,6})").ok()
});
static BARE: LazyLock<Option<Regex>> = LazyLock::new(|| compile_pattern(r"[0-9]{1,6}").ok());

/// Longest part of a reference that is shown, in characters.
const SHOWN: usize = 60;

/// Longest stretch of prose that is looked at, in characters.
const LONGEST_PROSE: usize = 20_000;

/// Most references that one child has.
const MOST: usize = 2_000;

/// The children that a dependency field names.
pub(super) fn field(text: &str, children: &Children) -> Vec<Named> {
    let folded = Normalised::of(text);
    let mut out = Vec::new();
    for line in folded.text().lines() {
        let line = line.trim().trim_start_matches(['-', '*', '+', '・', ' ']).trim();
        if line.is_empty() || is_nothing(line) || begins_with_nothing(line) {
            continue;
        }
        let outside = without_brackets(line);
        let mut found = numbers(&outside);
        if found.is_empty() {
            found = numbers(line);
        }
        let title = line.trim_matches(['「', '」', '"', '`', '“', '”', ' ']).to_lowercase();
        if let Some(child) = children.titles.get(&title) {
            out.push(Named::Child(*child));
        } else if found.is_empty() {
            out.push(Named::Unknown(clip(line, SHOWN).to_owned()));
        } else {
            out.extend(found.into_iter().take(MOST).map(|(number, written)| match children.numbers.get(&number) {
                Some(child) => Named::Child(*child),
                None => Named::Unknown(written),
            }));
        }
    }
    out
}

/// Whether a text names a child: `子1`, `Child 2`, `#3`.
pub(super) fn names_child(text: &str) -> bool {
    EXPLICIT.as_ref().is_some_and(|regex| regex.is_match(text))
}

/// `なし(単独で始められる)`, `none, it stands alone`.
fn begins_with_nothing(line: &str) -> bool {
    let end = line.find(['(', ',', '、', '。', ';', '.', ' ']).unwrap_or(line.len());
    end > 0 && is_nothing(&line[..end]) && numbers(line).is_empty()
}

fn without_brackets(text: &str) -> String {
    let mut depth = 0_usize;
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '(' | '【' => depth += 1,
            ')' | '】' => depth = depth.saturating_sub(1),
            _ if depth == 0 => out.push(c),
            _ => {}
        }
    }
    out
}

/// Numbers of children in a text, ranges spelt out: those after `#`, `子` or `child` and what a list goes on with; where
/// there is none of them, bare numbers.
fn numbers(text: &str) -> Vec<(u32, String)> {
    let (Some(explicit), Some(bare)) = (EXPLICIT.as_ref(), BARE.as_ref()) else { return Vec::new() };
    let starts: Vec<usize> = explicit.captures_iter(text).filter_map(|found| Some(found.get(1)?.start())).collect();
    let mut out: Vec<(u32, String)> = Vec::new();
    // Where the last number ended, and whether what follows may go on with it.
    let mut last: Option<(u32, usize)> = None;
    for found in bare.find_iter(text) {
        let before = text[..found.start()].chars().next_back();
        let after = text[found.end()..].chars().next();
        let named = starts.binary_search(&found.start()).is_ok();
        let link = last.map(|(number, end)| (number, between(&text[end..found.start()])));
        let goes_on = link.is_some_and(|(_, link)| link != Link::None);
        let word = before.is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
            && !(goes_on && before == Some('-'))
            || after.is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
        let counts = named || (!word && (goes_on || starts.is_empty()));
        let Some(number) = found.as_str().parse::<u32>().ok().filter(|_| counts) else { continue };
        if let Some((from, Link::Range)) = link {
            out.extend((from + 1..number).take(MOST).map(|number| (number, number.to_string())));
        }
        let mark = if named && before == Some('#') { "#" } else { "" };
        out.push((number, format!("{mark}{}", found.as_str())));
        last = Some((number, found.end()));
        if out.len() > MOST {
            break;
        }
    }
    out
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Link {
    None,
    List,
    Range,
}

/// What stands between two numbers of a list.
fn between(text: &str) -> Link {
    if text.len() > 40 {
        return Link::None;
    }
    let bare =
        text.to_lowercase().replace("children[", "").replace("children", "").replace("child", "").replace("issue", "");
    let bare: String = bare.chars().filter(|c| !c.is_whitespace() && !matches!(c, '#' | '子' | ']')).collect();
    match bare.as_str() {
        "〜" | "~" | "-" | "–" | "—" | "..." | ".." | "から" | "to" | "through" => Link::Range,
        "," | "、" | "/" | "・" | "&" | "+" | "と" | "and" | ",and" | "および" | "及び" | ";" => Link::List,
        _ => Link::None,
    }
}

const REFERENCE: &str = r"(?:#|子(?:タスク|issue)?\s*#?|(?-u:\b)child(?:ren)?\s*#?|(?-u:\b)children\[)\s*[0-9]{1,6}\]?";

/// A sentence that says who waits for whom: group `w` waits for group `f`.
static SENTENCES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let one = REFERENCE;
    let list = format!(
        r"{one}(?:\s*(?:,|、|と|・|&|および|及び|(?-u:\b)and(?-u:\b)|〜|~)+\s*(?:and\s+)?(?:{one}|[0-9]{{1,6}}))*"
    );
    let en_of = r"(?:(?:the\s+)?[a-z]+\s+(?:of|from)\s+)?";
    let patterns = [
        format!(
            r"(?P<w>{list})\s*[はが]\s*、?\s*(?P<f>{list})(?:\s*の[^\s、。]{{1,12}}?)?\s*(?:に依存|にブロック|によってブロック|の(?:完了)?(?:を待|後|あと)|を待|が(?:終わ|完了|済)|を前提|が前提|を必要|が必要)"
        ),
        format!(
            r"(?P<f>{list})\s*(?:の完了後|の後|のあと|が(?:終わっ|完了し|済ん)(?:てから|た後|たら|だら|でから))[にで、]*\s*(?P<w>{list})"
        ),
        format!(r"(?P<f>{list})\s*[はが]\s*(?P<w>{list})\s*をブロック"),
        format!(
            r"(?P<w>{list})\s+(?:(?:is|are|must\s+be)\s+blocked\s+by|(?:must\s+|should\s+)?(?:depends?\s+on|waits?\s+(?:for|on)|needs?|requires?)|(?:can\s+only\s+|must\s+|should\s+|may\s+only\s+)?(?:comes?|starts?|runs?|goes|go|begins?|follows?)(?:\s+only)?\s+after)\s+{en_of}(?P<f>{list})"
        ),
        format!(
            r"(?P<f>{list})\s+(?:blocks?|must\s+(?:come|finish|land)\s+before|comes?\s+before|precedes?)\s+(?P<w>{list})"
        ),
    ];
    patterns.iter().filter_map(|pattern| compile_pattern(&format!("(?i){pattern}")).ok()).collect()
});

/// What follows a sentence that says the opposite.
const NOT: [&str; 7] = ["しない", "しません", "していない", "していません", "ない", "たない", "たず"];

/// Dependencies that the prose of a document states: who waits, and for what, both as numbers.
///
/// Code, comments, block quotes, headings and tables say nothing.
pub(super) fn prose(document: &Document) -> Vec<(u32, u32)> {
    let mut out = Vec::new();
    let items = document.items().iter().filter(|item| !item.quoted);
    for item in items.filter(|item| matches!(item.kind, ItemKind::Paragraph | ItemKind::ListItem | ItemKind::Html)) {
        let text = clip(item.text(), LONGEST_PROSE);
        if !text.bytes().any(|byte| byte.is_ascii_digit()) {
            continue;
        }
        for found in SENTENCES.iter().flat_map(|pattern| pattern.captures_iter(text)) {
            let (Some(whole), Some(waits), Some(on)) = (found.get(0), found.name("w"), found.name("f")) else {
                continue;
            };
            let tail = clip(&text[whole.end()..], 8);
            if NOT.iter().any(|not| tail.starts_with(not)) {
                continue;
            }
            let on = numbers(on.as_str());
            for (waits, _) in numbers(waits.as_str()) {
                out.extend(on.iter().map(|(on, _)| (waits, *on)));
            }
            if out.len() > MOST * 10 {
                return out;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &[&str]) {
        let numbers = (1..=5).map(|number| (number, number as usize - 1)).collect();
        let titles = HashMap::from([("ヘルプの文言".to_owned(), 3)]);
        let found = field(text, &Children { numbers, titles });
        let found: Vec<_> = found
            .into_iter()
            .map(|named| match named {
                Named::Child(index) => (index + 1).to_string(),
                Named::Unknown(written) => format!("?{written}"),
            })
            .collect();
        assert_eq!(found, expect, "{text:?}");
    }

    #[test]
    fn fields_name_children() {
        for text in [
            "-",
            "なし",
            "none",
            "None.",
            "",
            "empty",
            "(なし)",
            "–",
            "なし(単独で始められる)",
            "N/A",
            "none, it stands alone",
        ] {
            check(text, &[]);
        }
        check("#1", &["1"]);
        check("子1", &["1"]);
        check("Child 2", &["2"]);
        check("#1, #3", &["1", "3"]);
        check("子1、2", &["1", "2"]);
        check("#1 and #3", &["1", "3"]);
        check("1, 2", &["1", "2"]);
        check("子1〜子3", &["1", "2", "3"]);
        check("1-3", &["1", "2", "3"]);
        check("子1(AC-2 の出力を使う)", &["1"]);
        check("子1 の 3 件の出力", &["1"]);
        check("#9", &["?#9"]);
        check("子1、子9", &["1", "?9"]);
        check("ヘルプの文言", &["4"]);
        check("「ヘルプの文言」", &["4"]);
        check("最初の子", &["?最初の子"]);
        check("- 子1\n- 子2", &["1", "2"]);
    }

    #[track_caller]
    fn check_prose(text: &str, expect: &[(u32, u32)]) {
        assert_eq!(prose(&Document::parse(text)), expect, "{text:?}");
    }

    #[test]
    fn sentences_state_dependencies() {
        check_prose("#1 is blocked by #3.", &[(1, 3)]);
        check_prose("子1は子3に依存する。", &[(1, 3)]);
        check_prose("子1 と 子2 は 子3 の完了を待つ。", &[(1, 3), (2, 3)]);
        check_prose("子3が終わってから子1に着手する。", &[(1, 3)]);
        check_prose("Child 2 depends on the output of child 1.", &[(2, 1)]);
        check_prose("#3 blocks #1", &[(1, 3)]);
        check_prose("Child 4 starts after child 2 and child 3.", &[(4, 2), (4, 3)]);
        for text in [
            "子1は子3に依存しない。",
            "#1 is not blocked by #3",
            "Child 1 does not depend on child 2",
            "子1と子3は独立である。",
        ] {
            check_prose(text, &[]);
        }
        check_prose("```\n#1 is blocked by #3\n```\n\n<!-- #1 is blocked by #3 -->\n\n> #1 is blocked by #3", &[]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "[#子0-9〜, childand\\-はに依存]{0,60}") {
            let children = Children { numbers: HashMap::new(), titles: HashMap::new() };
            let _ = field(&text, &children);
            let _ = prose(&Document::parse(&text));
        }
    }
}
