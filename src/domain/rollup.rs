//! A typed roll-up: which requirement of the parent which child answered for, and with what result (chapter 3).

use crate::domain::contract::compile_pattern;
use crate::domain::ids::IssueNumber;
use crate::domain::text::{Cell, Document, Item, ItemKind, Table, heading_key, is_placeholder};
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// What a person typed of a parent's results.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct RollUp {
    /// In the text's order.
    pub rows: Vec<RollUpRow>,
}

/// One row or line of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RollUpRow {
    /// The requirement, as written: an id, or words.
    pub requirement: String,
    /// The issues that it names, each once.
    pub children: Vec<IssueNumber>,
    /// The child as written, where it may be named by other means than a number.
    pub child: String,
    /// The result, as written; empty where a line states none.
    pub result: String,
    /// Whether a result is asked for and missing: the cell of a table is blank.
    pub blank: bool,
    /// Line in the text, from 1.
    pub line: u32,
    /// Where it stands, in bytes.
    pub range: Range<usize>,
}

/// Headings under which a roll-up stands, compared in lower case without spaces and hyphens.
pub const HEADINGS: [&str; 7] = [
    "親要件と子の成果",
    "親要件と成果",
    "親要件⇔子の成果",
    "rollup",
    "ロールアップ",
    "rollupofchildren",
    "parentrequirementsandresults",
];

/// Most rows that are read.
const MOST: usize = 2_000;

/// Reads the roll-up of a text; none without its heading.
#[must_use]
pub fn read(text: &str) -> Option<RollUp> {
    read_document(&Document::parse(text))
}

/// [`read`] for a text that is parsed already.
#[must_use]
pub fn read_document(document: &Document) -> Option<RollUp> {
    let section = document.sections().iter().find(|section| {
        let key: String = heading_key(&section.title).to_lowercase();
        let key: String = key.chars().filter(|c| !c.is_whitespace() && *c != '-').collect();
        HEADINGS.contains(&key.as_str())
    })?;
    Some(RollUp { rows: rows(document, &section.range) })
}

/// The rows of a text that has no such heading: tables with columns for requirement and child, lines that name a
/// requirement's id and an issue.
#[must_use]
pub fn loose(document: &Document) -> RollUp {
    let mut rows = rows(document, &(0..document.source().len()));
    rows.retain(|row| !row.children.is_empty());
    RollUp { rows }
}

impl RollUpRow {
    /// Whether it says that the requirement has no result: the child was not planned, nothing is done, nothing stands there.
    #[must_use]
    pub fn has_no_result(&self) -> bool {
        let said = format!("{} {}", self.child, self.result);
        let is = |pattern: &LazyLock<Option<Regex>>| pattern.as_ref().is_some_and(|regex| regex.is_match(&said));
        let named = !self.children.is_empty() || !is_blank(&self.child);
        self.blank || !named || is(&NEVER) || (is(&OPEN) && !is(&MET))
    }
}

fn is_blank(text: &str) -> bool {
    let bare = text.trim();
    is_placeholder(bare) || ["なし", "無し", "none", "n/a"].iter().any(|word| bare.eq_ignore_ascii_case(word))
}

static NEVER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let words = r"(?i)not[\s_-]*planned|not\s+(?:yet\s+)?(?:been\s+)?(?:met|done|started|finished|complete|completed|fulfilled|satisfied|implemented)|\bunmet\b|won'?t\s*(?:do|fix)|\bwontfix\b|\bdropped\b|cancell?ed|abandoned|without\s+(?:a\s+)?(?:passed|result)|不採用|見送|取りやめ|取り止め|未達|未充足|未対応|未着手|未完|未実施|未了|満たせな|満たしていな|満たさな|満たして(?:い)?な|達していな|できなかった|対応しない|実施しない|計画外";
    compile_pattern(words).ok()
});
static OPEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let words = r"(?i)postponed|deferred|incomplete|in\s+progress|\bwip\b|\bpending\b|\bopen\b|\btodo\b|\btbd\b|\bfail(?:s|ed|ure)?\b|\brejected\b|\bduplicate\b|中止|進行中|作業中|着手中|保留|延期|失敗|却下|重複|未定";
    compile_pattern(words).ok()
});
static MET: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compile_pattern(
        r"(?i)\b(?:met|done|passed|fulfilled|satisfied|complete|completed|ok)\b|充足|済|完了|達成|満たした|合格|成功",
    )
    .ok()
});
static ISSUE: LazyLock<Option<Regex>> = LazyLock::new(|| compile_pattern(r"#([0-9]{1,9})").ok());
static ARROW: LazyLock<Option<Regex>> =
    LazyLock::new(|| compile_pattern(r"<->|<=>|<-+|<=+|-+>|=+>|←|⇐|→|⇒|⇔|↔|⟵|⟶").ok());

fn rows(document: &Document, range: &Range<usize>) -> Vec<RollUpRow> {
    let mut rows: Vec<RollUpRow> = Vec::new();
    for table in document.tables_within(range) {
        of_table(document, table, &mut rows);
    }
    for item in document.items_within(range).iter().filter(|item| !item.quoted) {
        let whole = matches!(item.kind, ItemKind::Paragraph | ItemKind::ListItem | ItemKind::Html);
        if whole && item.list.is_none_or(|position| position.depth == 1) {
            of_item(document, item, &mut rows);
        }
    }
    rows.sort_by_key(|row| row.range.start);
    rows.truncate(MOST);
    rows
}

/// Words in the heads of columns: of requirements, children, results.
const WORDS: [&[&str]; 3] = [
    &["要件", "requirement", "covers"],
    &["子", "child", "issue", "課題"],
    &["成果", "結果", "状態", "result", "outcome", "status", "state"],
];

/// What a column is about, by its head.
fn column(head: &str) -> Option<usize> {
    let head = head.to_lowercase();
    // `要件と結果` is about the requirement, `子の成果` about the result.
    let has = |index: usize| WORDS[index].iter().any(|word| head.contains(word));
    if has(0) {
        Some(0)
    } else if has(2) {
        Some(2)
    } else {
        has(1).then_some(1)
    }
}

fn of_table(document: &Document, table: &Table, rows: &mut Vec<RollUpRow>) {
    let heads: Vec<_> = table.header.iter().map(|cell| column(document.cell_text(cell))).collect();
    if table.header.len() < 2 || !heads.contains(&Some(0)) || !(heads.contains(&Some(1)) || heads.contains(&Some(2))) {
        return;
    }
    for row in &table.rows {
        let items: Vec<_> = row.iter().filter_map(|cell| cell.item).map(|index| &document.items()[index]).collect();
        let (Some(first), Some(last)) = (items.first(), items.last()) else { continue };
        if items.iter().any(|item| item.quoted) {
            return;
        }
        let joined = |about: usize| {
            let cells = row.iter().zip(&heads).filter(|(_, head)| **head == Some(about));
            cells.map(|(cell, _): (&Cell, _)| document.cell_text(cell).trim()).collect::<Vec<_>>().join(" ")
        };
        let result = joined(2);
        let child = if heads.contains(&Some(1)) { joined(1) } else { result.clone() };
        let trimmed = |range: &Range<usize>| {
            let text = &document.source()[range.clone()];
            (range.start + (text.len() - text.trim_start().len()), range.start + text.trim_end().len())
        };
        let (start, end) = (trimmed(&first.range).0, trimmed(&last.range).1);
        let range = start..end.max(start);
        rows.push(RollUpRow {
            requirement: joined(0),
            children: issues(&child),
            blank: heads.contains(&Some(2)) && is_blank(&result),
            child,
            result,
            line: document.line_of(range.start),
            range,
        });
    }
}

/// Lines such as `R-1 <- #31 (AC-1 met)`; a paragraph is read line by line.
fn of_item(document: &Document, item: &Item, rows: &mut Vec<RollUpRow>) {
    let mut at = item.range.start;
    for line in document.source()[item.range.clone()].split_inclusive('\n') {
        let start = at;
        at += line.len();
        let folded = crate::domain::text::Normalised::of(line.trim());
        let text = folded.text().trim_start_matches(['-', '*', '+', '>', ' ']);
        let Some((requirement, child)) = halves(text) else { continue };
        let begin = start + (line.len() - line.trim_start().len());
        let range = begin..(start + line.trim_end().len()).max(begin);
        let children = issues(child);
        let result = ISSUE.as_ref().map_or_else(|| child.to_owned(), |regex| regex.replace_all(child, "").into_owned());
        let result = result.trim_matches(|c: char| c.is_whitespace() || ",、()/・と:".contains(c));
        rows.push(RollUpRow {
            requirement: requirement.trim().trim_end_matches([':', '=']).trim().to_owned(),
            children,
            child: child.trim().to_owned(),
            result: result.to_owned(),
            blank: false,
            line: document.line_of(begin),
            range,
        });
    }
}

/// Requirement and child of a line: on both sides of an arrow, else before and from the first `#n` on.
fn halves(text: &str) -> Option<(&str, &str)> {
    let has_issue = |text: &str| ISSUE.as_ref().is_some_and(|regex| regex.is_match(text));
    if let Some(arrow) = ARROW.as_ref()?.find(text) {
        let (left, right) = (&text[..arrow.start()], &text[arrow.end()..]);
        // `#31 → R-1` stands the other way round.
        return if has_issue(left) && !has_issue(right) { Some((right, left)) } else { Some((left, right)) };
    }
    let first = ISSUE.as_ref()?.find(text)?.start();
    (first > 0).then(|| (&text[..first], &text[first..]))
}

fn issues(text: &str) -> Vec<IssueNumber> {
    let mut out = Vec::new();
    let Some(regex) = ISSUE.as_ref() else { return out };
    for found in regex.captures_iter(text) {
        let number = found.get(1).and_then(|digits| digits.as_str().parse().ok()).map(IssueNumber);
        if let Some(number) = number.filter(|number| !out.contains(number) && out.len() < 200) {
            out.push(number);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(body: &str, expect: &[(&str, &[u64], &str, bool)]) {
        let text = format!("## 他\nR-9 ← #9\n\n## 親要件と子の成果\n{body}\n\n## 後\nR-8 ← #8\n");
        let found = read(&text).expect("its heading is there").rows;
        let found: Vec<_> = found
            .iter()
            .map(|row| {
                assert!(text.get(row.range.clone()).is_some(), "{row:?}");
                let children: Vec<_> = row.children.iter().map(|number| number.0).collect();
                (row.requirement.clone(), children, row.result.clone(), row.has_no_result())
            })
            .collect();
        let expect: Vec<_> = expect
            .iter()
            .map(|(requirement, children, result, none)| {
                ((*requirement).to_owned(), children.to_vec(), (*result).to_owned(), *none)
            })
            .collect();
        assert_eq!(found, expect, "{body}");
    }

    #[test]
    fn tables_and_lines_are_read() {
        let head = "| 親要件 | 子 | 成果 |\n|---|---|---|\n";
        check(&format!("{head}| R-1 | #41、#42 | AC-1 充足 |"), &[("R-1", &[41, 42], "AC-1 充足", false)]);
        check(&format!("{head}| R-1 | #41 | 不採用クローズ |"), &[("R-1", &[41], "不採用クローズ", true)]);
        check(&format!("{head}| R-1 | #41 | - |"), &[("R-1", &[41], "-", true)]);
        check(&format!("{head}| R-1 | - | 充足 |"), &[("R-1", &[], "充足", true)]);
        check("- R-1 <- #31 (AC-1 met)", &[("R-1", &[31], "AC-1 met", false)]);
        check("- R-1 → #26", &[("R-1", &[26], "", false)]);
        check("- #26 → R-1", &[("R-1", &[26], "", false)]);
        check("- R-2 <- #42 (closed as not planned)", &[("R-2", &[42], "closed as not planned", true)]);
        check(
            "- R-2 <- #42 (failed logins are refused: met)",
            &[("R-2", &[42], "failed logins are refused: met", false)],
        );
        check(
            "R-1 は #41 で満たした。\nR-2 は #42 で満たした。",
            &[("R-1 は", &[41], "で満たした。", false), ("R-2 は", &[42], "で満たした。", false)],
        );
        check("すべての子が閉じた。", &[]);
        assert_eq!(read("R-1 ← #1"), None);
        assert_eq!(read("## Roll-up\n"), Some(RollUp::default()));
        assert_eq!(
            read("## Roll-up\n> - R-1 <- #1\n\n<!-- R-1 <- #1 -->\n\n```\nR-1 <- #1\n```"),
            Some(RollUp::default())
        );
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "(## Roll-up\n)?[R\\-0-9#<→| \n子met]{0,80}") {
            for row in read(&text).unwrap_or_default().rows {
                proptest::prop_assert!(text.get(row.range).is_some() && row.line > 0);
            }
        }
    }
}
