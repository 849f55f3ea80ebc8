//! Whether a section says anything (chapter 3): placeholders, comments and white space are nothing.

use super::document::{Document, Item, ItemKind, Section, SpanKind};
use super::normalise::Normalised;

/// Whether a section holds nothing but white space, HTML comments, `_No response_`, `TBD`, `TODO`, `未定`, `-` or a
/// template's hint in brackets. `該当なし` and `N/A` say something. A table whose body is blank says nothing; a
/// sub-heading alone says nothing, unless it is a numbered item.
#[must_use]
pub fn is_empty_section(document: &Document, section: &Section) -> bool {
    let range = &section.range;
    let fence_filled = |content: &str| content.chars().any(|c| !c.is_whitespace());
    if document.has_image_within(range)
        || document.fences_within(range).iter().any(|fence| fence_filled(&document.source()[fence.content.clone()]))
    {
        return false;
    }
    document.items_within(range).iter().all(|item| match item.kind {
        ItemKind::HeaderCell => true,
        ItemKind::Heading => !is_numbered(item.text()),
        _ => is_blank_item(document, item),
    })
}

/// Whether an item is nothing but placeholders.
#[must_use]
pub fn is_blank_item(document: &Document, item: &Item) -> bool {
    // Code that is shown is content, even where it reads `-`.
    if item.spans.iter().any(|span| span.kind == SpanKind::Code) {
        return item.text().trim().is_empty();
    }
    let linked = !document.links_within(&item.range).is_empty();
    let raw = document.source()[item.range.clone()].trim();
    let emphasised = raw.starts_with(['_', '*']) && raw.ends_with(['_', '*']);
    let words = item.text().trim().trim_matches(['_', '*']).trim();
    if emphasised && words.eq_ignore_ascii_case("no response") {
        return true;
    }
    !linked && item.text().lines().all(is_placeholder)
}

/// Whether a line of folded text is a placeholder, with or without an item's number before it.
#[must_use]
pub fn is_placeholder(line: &str) -> bool {
    let folded = Normalised::of(line);
    let line = without_number(folded.text().trim());
    let bare = line.trim_matches(|c: char| c.is_whitespace() || matches!(c, '_' | '*' | '.' | '。' | ':' | '!' | '…'));
    if bare.is_empty() || bare.chars().all(|c| matches!(c, '-' | '–' | '—' | 'ー' | '―' | '?' | '・')) {
        return true;
    }
    if PLACEHOLDERS.iter().any(|word| bare.eq_ignore_ascii_case(word)) {
        return true;
    }
    line == "[ ]" || line == "[x]" || is_hint(line)
}

const PLACEHOLDERS: [&str; 24] = [
    "tbd",
    "t.b.d",
    "todo",
    "to do",
    "to be decided",
    "to be determined",
    "未定",
    "未記入",
    "未入力",
    "要記入",
    "後で書く",
    "あとで書く",
    "後で追記",
    "あとで追記",
    "後日追記",
    "追記予定",
    "記入予定",
    "tba",
    "to be announced",
    "to be written",
    "to be added",
    "to be filled in",
    "fill in later",
    "to follow",
];

/// Says that there is nothing: an answer, also in brackets.
const NOTHING: [&str; 9] = ["なし", "無し", "該当なし", "特になし", "不要", "none", "nothing", "n/a", "na"];

/// Words of a hint that a template left behind.
const HINTS: [&str; 24] = [
    "記入",
    "記述",
    "記載",
    "書く",
    "書いて",
    "書き",
    "入力",
    "ここに",
    "説明",
    "describe",
    "explain",
    "fill",
    "enter ",
    "write",
    "placeholder",
    "your ",
    "insert",
    "add ",
    "replace",
    "list ",
    "what ",
    "tbd",
    "todo",
    "未定",
];

/// `[describe the purpose]`, `<value>`, `{{ purpose }}`, `(ここに記入)`: the whole line in one pair of brackets.
fn is_hint(line: &str) -> bool {
    const PAIRS: [(char, char); 6] = [('[', ']'), ('<', '>'), ('{', '}'), ('(', ')'), ('【', '】'), ('〔', '〕')];
    let Some((open, close)) = PAIRS.into_iter().find(|(open, _)| line.starts_with(*open)) else { return false };
    let Some(inner) = line.strip_prefix(open).and_then(|rest| rest.trim_end_matches(['.', '。']).strip_suffix(close))
    else {
        return false;
    };
    let inner = inner.trim_matches(['{', '}', ' ']).to_lowercase();
    if inner.contains([open, close]) || inner.chars().nth(200).is_some() {
        return false;
    }
    if NOTHING.contains(&inner.as_str()) {
        return false;
    }
    let hinted = HINTS.iter().any(|hint| inner.contains(hint));
    hinted || (open != '(' && !inner.chars().any(|c| c.is_ascii_digit()))
}

/// Drops `AC-1:` or `D-2` at the beginning.
fn without_number(line: &str) -> &str {
    let Some(length) = super::numbering::id_length(line) else { return line };
    let rest = &line[length..];
    // A bare id names something; an id with a colon waits for its words.
    if rest.is_empty() {
        return line;
    }
    rest.trim_start_matches([':', ' ', ']', ')', '.'])
}

fn is_numbered(text: &str) -> bool {
    let rest = without_number(text.trim());
    rest.len() < text.trim().len() && !is_placeholder(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(content: &str, expect: bool) {
        for (body, end) in
            [(format!("## 目的\n{content}\n\n## 次\nx"), "\n"), (format!("## 目的\r\n\r\n{content}"), "\r\n")]
        {
            let document = Document::parse(&body);
            let section = document.section(["目的"]).expect("the section is there");
            assert_eq!(is_empty_section(&document, section), expect, "{content:?} with {end:?}");
        }
    }

    #[test]
    fn placeholders_are_nothing() {
        for content in [
            "",
            "   ",
            "\u{3000}",
            "\u{200b}",
            "<!-- what for? -->",
            "<!-- two\nlines -->\n",
            "_No response_",
            "*No response*",
            "TBD",
            "tbd.",
            "TODO",
            "未定",
            "未定。",
            "-",
            "- TBD\n- TODO",
            "- AC-1: TBD\n- AC-2:",
            "- [ ]",
            "- [ ] 未定",
            "[describe the purpose]",
            "<!-- a --> TBD <!-- b -->",
            "（ここに記入）",
            "<value>",
            "**TBD**",
            "| 要件 | 結果 |\n|---|---|\n|  |  |",
            "```\n\n```",
            "...",
            "…",
            "---",
            "<br>",
            "<details>\n\n</details>",
            "### 概要",
        ] {
            check(content, true);
        }
    }

    #[test]
    fn answers_are_something() {
        for content in [
            "該当なし",
            "N/A",
            "(なし)",
            "[N/A]",
            "なし",
            "0",
            "No response within 3 s is an error",
            "TODO リストを表示する",
            "- AC-1: 終了コードが 0",
            "`-`",
            "```\nx\n```",
            "![shot](https://example.com/a.png)",
            "[#12](https://example.com/12)",
            "[R-1]",
            "R-1",
            "https://example.com/x",
            "> quoted words",
            "| a | b |\n|---|---|\n| 1 | 2 |",
            "### AC-1: 終了コードが 0",
            "<p>text</p>",
            "(3 回まで)",
        ] {
            check(content, false);
        }
    }
}
