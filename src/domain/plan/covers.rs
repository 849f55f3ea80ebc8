//! What a child says it answers for: ids of the parent's requirements, or their words.

use super::names::is_nothing;
use crate::domain::text::{Entry, Normalised, RequirementId, clip, id_at_start, list_at_start};

/// Most names that one child gives.
const MOST: usize = 200;

/// Longest words of a requirement, in characters.
const LONGEST: usize = 300;

/// What the field of the parent's requirement names: each id once (ranges one by one), else what stands in quotation
/// marks, else the words of each line.
#[must_use]
pub fn covers(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut hidden = false;
    for line in text.lines().take(MOST) {
        let line = without_comments(line, &mut hidden);
        let folded = Normalised::of(&line);
        let line = folded.text().trim().trim_start_matches(['-', '*', '+', '・', ' ', '>']).trim();
        if line.is_empty() || is_nothing(line) {
            continue;
        }
        let ids = ids(line, &|prefix| !matches!(prefix, "AC" | "SC"));
        let named = if !ids.is_empty() {
            ids
        } else if let quotes @ [_, ..] = &quotations(line)[..] {
            quotes.to_vec()
        } else {
            vec![clip(line, LONGEST).to_owned()]
        };
        for name in named {
            if out.len() < MOST && !out.contains(&name) {
                out.push(name);
            }
        }
    }
    out
}

/// Ids such as `R-2` and `要件2` anywhere in a text that is not about requirements alone, such as a title.
pub(super) fn mentioned(text: &str) -> Vec<String> {
    let folded = Normalised::of(text);
    let mut found = ids(folded.text(), &|prefix| matches!(prefix, "R" | "REQ" | "FR" | "NFR" | "要件"));
    found.truncate(MOST);
    found
}

fn without_comments(line: &str, hidden: &mut bool) -> String {
    let mut out = String::new();
    let mut rest = line;
    loop {
        if *hidden {
            let Some(end) = rest.find("-->") else { return out };
            rest = &rest[end + 3..];
            *hidden = false;
        }
        let Some(start) = rest.find("<!--") else { break };
        out.push_str(&rest[..start]);
        rest = &rest[start + 4..];
        *hidden = true;
    }
    out.push_str(rest);
    out
}

/// The ids of a folded text, in order, each once.
fn ids(text: &str, wanted: &dyn Fn(&str) -> bool) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut before = ' ';
    let mut skip = 0;
    for (at, c) in text.char_indices() {
        let boundary = !(before.is_ascii_alphanumeric() || matches!(before, '-' | '_' | '/' | '.' | '#'));
        before = c;
        if at < skip || !boundary || !(c.is_ascii_uppercase() || c == '要') {
            continue;
        }
        let rest = clip(&text[at..], 200);
        let Some((first, length)) = id_at_start(rest).filter(|(id, _)| wanted(&id.prefix)) else { continue };
        let list = list_at_start(rest, &|prefix| prefix == first.prefix);
        let mut add = |id: &RequirementId| {
            let id = id.to_string();
            if out.len() < MOST && !out.contains(&id) {
                out.push(id);
            }
        };
        for entry in &list {
            match entry {
                Entry::One(id) => add(id),
                Entry::Span(from, to) => {
                    for number in from.number..=to.number.min(from.number + 100) {
                        add(&RequirementId { number, part: String::new(), ..from.clone() });
                    }
                }
            }
        }
        skip = at + length;
    }
    out
}

/// What stands between quotation marks.
fn quotations(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(['「', '『', '"', '“']) {
        let open = rest[start..].chars().next().unwrap_or('"');
        let close = match open {
            '「' => '」',
            '『' => '』',
            '“' => '”',
            _ => '"',
        };
        let inner = &rest[start + open.len_utf8()..];
        let Some(end) = inner.find(close) else { break };
        if !inner[..end].trim().is_empty() {
            out.push(clip(inner[..end].trim(), LONGEST).to_owned());
        }
        rest = &inner[end + close.len_utf8()..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &[&str]) {
        assert_eq!(covers(text), expect, "{text:?}");
    }

    #[test]
    fn ids_quotes_and_words_are_read() {
        check("R-1", &["R-1"]);
        check("R-1, R-3", &["R-1", "R-3"]);
        check("R-1〜R-3", &["R-1", "R-2", "R-3"]);
        check("- R-1: 保存できる\n- R-2: 空は保存しない", &["R-1", "R-2"]);
        check("親の Ｒ－２ と R-3", &["R-2", "R-3"]);
        check("請求書を保存できる(R-1)", &["R-1"]);
        check("「請求書を保存できる」", &["請求書を保存できる"]);
        check("\"saved as PDF\" and “listed”", &["saved as PDF", "listed"]);
        check("請求書を保存できる", &["請求書を保存できる"]);
        check("要件1、要件2", &["要件1", "要件2"]);
        check("なし", &[]);
        check("-", &[]);
        check("", &[]);
        check("<!-- R-9 -->\nR-1 <!-- R-2\nR-3 -->", &["R-1"]);
    }

    #[test]
    fn titles_mention_requirements_only() {
        assert_eq!(mentioned("UTF-8 と PDF 2 と AC-1 (R-2)"), ["R-2"]);
    }
}
