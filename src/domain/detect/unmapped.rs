//! `unmapped`: ids of requirements without a row in the table of results, and rows without a requirement.
//!
//! N rows to one id, several ids in a row, the same ids on both sides (chapter 3, outcome). What counts as an id and as a
//! requirement: `docs/detectors/unmapped.md`.

use super::patterns::{is_in, patterns};
use super::{Context, Hit, scope};
use crate::domain::contract::DetectorSpec;
use crate::domain::text::{
    Document, Entry, Item, ItemKind, Normalised, RequirementId, Section, Table, clip, heading_key, id_at_start,
    list_at_start,
};
use std::collections::BTreeSet;
use std::ops::Range;

patterns! {
    /// Headings of an issue that hold what a report answers to.
    CRITERIA = r"受け?入れ?(?:条件|基準) | 成功(?:基準|条件) | 完了(?:条件|の定義) | 合格(?:基準|条件) | ^要件 | 機能要件 | acceptance | success\ criteri | definition\ of\ done | ^requirements? | done\ when";
    /// Headings that name what belongs to others.
    ELSEWHERE = r"親 | 関連 | 対象外 | 依存 | parent | covers | related | out\ of\ scope | non-?goals | depend | blocked";
    /// Rows that sum up, or remark.
    SUM = r"^ \W* (?: 合計 | 総計 | 小計 | 計 | 総合 | 全体 | 平均値? | まとめ | 備考 | 注 | 補足 | 同上 | 以上 | 〃 | total | sub-?total | sum | overall | summary | average | mean | notes? | remarks? | ditto ) (?: $ | \W )";
}

/// The role under which the issue's text is given.
const ISSUE: &str = "issue";

/// Runs the detector. Without an issue, without ids in it, or without a table there is nothing to compare.
pub(super) fn detect(spec: &DetectorSpec, document: &Document, context: &Context) -> Vec<Hit> {
    let mut asked = Asked::default();
    for (_, text) in context.references.iter().filter(|(role, _)| role == ISSUE) {
        asked.read(&Document::parse(text));
    }
    if asked.required.is_empty() {
        return Vec::new();
    }
    let mut answered = Answered::default();
    for range in scope::ranges(spec, document, context) {
        for table in document.tables_within(&range) {
            answered.table(document, table, &asked);
        }
        for item in document.items_within(&range).iter().filter(|item| item.kind == ItemKind::Html && !item.quoted) {
            answered.html(document, item, &asked);
        }
    }
    if !answered.seen {
        return Vec::new();
    }
    let missing = asked.required.iter().filter(|id| !answered.covers(id));
    let mut hits: Vec<_> = missing.map(|id| Hit { range: None, note: Some(id.to_string()) }).collect();
    hits.extend(answered.strangers);
    hits
}

/// The ids of an issue.
#[derive(Default)]
struct Asked {
    /// What a report must answer to, in the order of the ids.
    required: BTreeSet<RequirementId>,
    /// Every id that an item begins with, of other requirements too.
    named: BTreeSet<RequirementId>,
    /// Headings: a row may answer for a whole section, such as the stop condition.
    headings: BTreeSet<String>,
}

impl Asked {
    fn read(&mut self, issue: &Document) {
        let all = 0..issue.source().len();
        let named = ids(issue, &all);
        let of = |wanted: &dyn Fn(&Section) -> bool| -> BTreeSet<RequirementId> {
            outermost(issue, wanted).iter().flat_map(|range| ids(issue, range)).collect()
        };
        let elsewhere = of(&|section| is_in(&ELSEWHERE, &section.key));
        let mut required = of(&|section| is_in(&CRITERIA, &section.key) && !is_in(&ELSEWHERE, &section.key));
        if required.is_empty() {
            required = named.iter().filter(|id| !elsewhere.contains(id)).cloned().collect();
        }
        // A detail of a requirement is answered with it.
        let wholes: Vec<_> = required.iter().filter(|id| id.part.is_empty()).cloned().collect();
        required.retain(|id| id.part.is_empty() || !wholes.contains(&id.whole()));
        self.required.extend(required);
        self.named.extend(named);
        self.headings.extend(issue.sections().iter().take(MOST_IDS).map(|section| section.key.clone()));
    }

    fn is_required(&self, prefix: &str) -> bool {
        starts(&self.required, prefix)
    }

    fn is_named(&self, prefix: &str) -> bool {
        starts(&self.named, prefix)
    }

    /// Whether the issue has the id, the requirement that it is a part of, or parts of it.
    fn knows(&self, id: &RequirementId) -> bool {
        let next = self.named.range(id.whole()..).next();
        self.named.contains(id) || next.is_some_and(|next| next.whole() == id.whole())
    }
}

/// Whether one of the ids has the prefix: they are in its order.
fn starts(ids: &BTreeSet<RequirementId>, prefix: &str) -> bool {
    let first = RequirementId { prefix: prefix.to_owned(), number: 0, part: String::new() };
    ids.range(first..).next().is_some_and(|id| id.prefix == prefix)
}

/// Sections of a kind, none within another of them.
fn outermost(document: &Document, wanted: &dyn Fn(&Section) -> bool) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    for section in document.sections().iter().filter(|section| wanted(section)) {
        if out.last().is_none_or(|last| last.end <= section.range.start) {
            out.push(section.range.clone());
        }
    }
    out
}

/// Most ids that are read of an issue: more than any has.
const MOST_IDS: usize = 500;

/// Ids that items, lines and rows of a range begin with.
fn ids(document: &Document, range: &Range<usize>) -> BTreeSet<RequirementId> {
    let mut found = BTreeSet::new();
    let mut add = |text: &str| {
        if found.len() < MOST_IDS
            && let Some((id, _)) = id_at_start(clip(text, LONGEST_ID))
        {
            found.insert(id);
        }
    };
    for item in document.items_within(range).iter().filter(|item| !item.quoted) {
        if matches!(item.kind, ItemKind::Cell | ItemKind::HeaderCell) {
            continue;
        }
        item.text().lines().for_each(&mut add);
        // Line ends of a paragraph do not show, but people number its lines.
        for line in document.source()[item.range.clone()].split(['\n', '\r']).skip(1) {
            let line = line.trim_start_matches([' ', '\t', '-', '*', '+', '>', '_']);
            add(Normalised::of(clip(line, LONGEST_ID)).text());
        }
    }
    for row in document.tables_within(range).iter().flat_map(|table| &table.rows) {
        let cells = row.iter().filter_map(|cell| cell.item).map(|index| &document.items()[index]);
        let numbered =
            cells.filter(|item| !item.quoted).find(|item| id_at_start(clip(item.text(), LONGEST_ID)).is_some());
        numbered.iter().flat_map(|item| item.text().lines()).for_each(&mut add);
    }
    found
}

/// How far an id is looked for, in characters.
const LONGEST_ID: usize = 40;

/// What the tables of a report answer to.
#[derive(Default)]
struct Answered {
    /// Whether there is a table at all.
    seen: bool,
    one: BTreeSet<RequirementId>,
    /// The same without their parts: a row for a part answers for the whole.
    wholes: BTreeSet<RequirementId>,
    spans: Vec<(RequirementId, RequirementId)>,
    /// Rows without a requirement.
    strangers: Vec<Hit>,
}

impl Answered {
    fn covers(&self, id: &RequirementId) -> bool {
        self.one.contains(id)
            || self.one.contains(&id.whole())
            || self.wholes.contains(id)
            || self
                .spans
                .iter()
                .any(|(from, to)| id.prefix == from.prefix && (from.number..=to.number).contains(&id.number))
    }

    fn table(&mut self, document: &Document, table: &Table, asked: &Asked) {
        let rows: Vec<_> = table.rows.iter().map(|row| Row::of(document, row, asked)).collect();
        if rows.iter().all(|row| matches!(row.says, Says::Nothing)) {
            return;
        }
        self.seen = true;
        // A table without any of the ids is about something else: figures, environments, tests.
        let about = rows.iter().any(|row| matches!(&row.says, Says::Ids(list) if !list.is_empty()));
        for row in rows.into_iter().filter(|_| about) {
            match row.says {
                Says::Ids(list) => list.into_iter().for_each(|entry| self.add(entry, row.range.as_ref(), asked)),
                Says::Stranger(note) => self.strangers.push(Hit { range: row.range, note: Some(note) }),
                Says::Nothing => {}
            }
        }
    }

    fn html(&mut self, document: &Document, item: &Item, asked: &Asked) {
        let source = &document.source()[item.range.clone()];
        self.seen |= source.contains("<td") || source.contains("<TD");
        for line in item.text().lines() {
            for entry in list_at_start(line, &|prefix| asked.is_required(prefix)) {
                self.add(entry, None, asked);
            }
        }
    }

    fn add(&mut self, entry: Entry, row: Option<&Range<usize>>, asked: &Asked) {
        let mut stranger = |id: &RequirementId| {
            if !asked.knows(id) {
                self.strangers.push(Hit { range: row.cloned(), note: Some(id.to_string()) });
            }
        };
        match entry {
            Entry::One(id) => {
                // `AC-1-3` may be a range.
                let end = id.part.parse().ok().filter(|number| *number > id.number);
                let end = end.map(|number| RequirementId { number, ..id.whole() });
                if let Some(end) = end.filter(|end| !asked.named.contains(&id) && asked.named.contains(end)) {
                    self.spans.push((id.whole(), end));
                } else {
                    stranger(&id);
                    self.wholes.insert(id.whole());
                    self.one.insert(id);
                }
            }
            Entry::Span(from, to) => {
                stranger(&from);
                stranger(&to);
                self.spans.push((from, to));
            }
        }
    }
}

/// A row of a report's table.
struct Row {
    range: Option<Range<usize>>,
    says: Says,
}

enum Says {
    /// Ids with letters that the issue uses.
    Ids(Vec<Entry>),
    /// It has no requirement; what it begins with.
    Stranger(String),
    /// It goes on with the row before, sums up, or is blank.
    Nothing,
}

impl Row {
    fn of(document: &Document, row: &[crate::domain::text::Cell], asked: &Asked) -> Self {
        let cells: Vec<_> = row.iter().map(|cell| cell.item.map(|index| &document.items()[index])).collect();
        let filled: Vec<_> = cells.iter().copied().flatten().filter(|item| !item.quoted).collect();
        let (Some(first), Some(last)) = (filled.first(), filled.last()) else {
            return Self { range: None, says: Says::Nothing };
        };
        let source = document.source();
        let opening = &source[first.range.clone()];
        let start = first.range.start + (opening.len() - opening.trim_start().len());
        let range = Some(start..last.range.start + source[last.range.clone()].trim_end().len());
        let entries = |known: &dyn Fn(&str) -> bool| {
            filled.iter().map(|item| list_at_start(item.text(), known)).find(|found| !found.is_empty())
        };
        let required = |prefix: &str| asked.is_required(prefix);
        let named = |prefix: &str| asked.is_named(prefix);
        // `T-1 | AC-1` and `R-2 | AC-1` are rows of AC-1; "AC-2 of the issue" one of AC-2.
        let ids = entries(&required).or_else(|| entries(&named)).or_else(|| within(first.text(), &required));
        let opens = cells.first().is_some_and(Option::is_some);
        let says = match ids {
            Some(ids) => Says::Ids(ids),
            None if asked.headings.contains(&heading_key(clip(first.text(), LONGEST_ID))) => Says::Nothing,
            None if !opens || is_in(&SUM, clip(first.text(), LONGEST_ID)) || !says_something(first.text()) => {
                Says::Nothing
            }
            None => {
                let id = id_at_start(clip(first.text(), LONGEST_ID)).map(|(id, _)| id.to_string());
                Says::Stranger(id.unwrap_or_else(|| clip(first.text(), LONGEST_ID).to_owned()))
            }
        };
        Self { range, says }
    }
}

/// A list of ids that stands inside of a short text: `受け入れ条件 AC-1`.
fn within(text: &str, known: &dyn Fn(&str) -> bool) -> Option<Vec<Entry>> {
    let text = clip(text, LONGEST_ID);
    let starts = text.char_indices().zip(std::iter::once(' ').chain(text.chars()));
    let begins = starts.filter(|((_, c), before)| c.is_ascii_alphabetic() && !before.is_ascii_alphanumeric());
    begins.map(|((at, _), _)| list_at_start(&text[at..], known)).find(|list| !list.is_empty())
}

fn says_something(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::contract::{Argument, DetectorId};
    use crate::domain::ids::Language;

    const ISSUE_TEXT: &str = "## 対応する親要件\nR-2\n\n## 受け入れ条件\n- AC-1: a\n- AC-2: b\n\n## 成功基準\nSC-1: c";

    fn run(issue: Option<&str>, body: &str) -> Vec<(Option<String>, String)> {
        let spec =
            DetectorSpec { id: DetectorId::Unmapped, argument: Argument::None, within: vec!["Table".to_owned()] };
        let references = issue.map(|text| ("issue".to_owned(), text.to_owned())).into_iter().collect();
        let context =
            Context { fields: Vec::new(), language: Language::En, references, always_separate: Vec::new(), plan: None };
        let hits = detect(&spec, &Document::parse(body), &context);
        hits.into_iter().map(|hit| (hit.range.map(|range| body[range].to_owned()), hit.note.unwrap())).collect()
    }

    #[track_caller]
    fn check(issue: &str, rows: &[&str], expect: &[(Option<&str>, &str)]) {
        for end in ["\n", "\r\n"] {
            let body = ["# Table", "| id | result |", "|---|---|"]
                .iter()
                .chain(rows)
                .fold(String::new(), |body, line| body + line + end);
            let found = run(Some(&issue.replace('\n', end)), &body);
            let found: Vec<_> = found.iter().map(|(quote, note)| (quote.as_deref(), note.as_str())).collect();
            assert_eq!(found, expect, "{rows:?}");
        }
    }

    #[test]
    fn each_side_is_told_by_its_id() {
        check(ISSUE_TEXT, &["| AC-1 | x |", "| AC-2 | x |", "| SC-1 | x |"], &[]);
        check(ISSUE_TEXT, &["| AC-1 | x |", "| AC-2 | x |"], &[(None, "SC-1")]);
        check(ISSUE_TEXT, &["| AC-1, 2 | x |", "| SC-1 | x |", "| AC-9 | y |"], &[(Some("AC-9 | y"), "AC-9")]);
        check(ISSUE_TEXT, &["| AC-1〜AC-2 | x |", "| SC-1 | x |", "| 色 | y |"], &[(Some("色 | y"), "色")]);
        check(ISSUE_TEXT, &["| AC-1a | x |", "| AC-1b | x |", "| AC-2 | x |", "| SC-1 | x |"], &[]);
        check(ISSUE_TEXT, &["| AC-1-2 | x |", "| SC-1 | x |", "| 計 | 3 |", "| | more |"], &[]);
        check("AC-1-1: a\nAC-1-2: b", &["| AC-1 | x |"], &[]);
        check("- R-1: a\n- R-2: b", &["| R-1..2 | x |"], &[]);
    }

    #[test]
    fn without_one_side_there_is_nothing_to_compare() {
        let table = "# Table\n| id | r |\n|---|---|\n| AC-1 | x |\n";
        assert!(run(None, table).is_empty());
        assert!(run(Some(""), table).is_empty());
        assert!(run(Some("## 受け入れ条件\nUTF-8 で出す"), table).is_empty());
        assert!(run(Some(ISSUE_TEXT), "# Table\n- AC-1: x").is_empty());
        assert!(run(Some(ISSUE_TEXT), "# Other\n| id | r |\n|---|---|\n| AC-1 | x |").is_empty());
        assert!(run(Some(ISSUE_TEXT), "# Table\n> | id | r |\n> |---|---|\n> | AC-1 | x |").is_empty());
        assert!(run(Some(ISSUE_TEXT), "").is_empty());
    }

    #[test]
    fn hostile_texts_end_soon() {
        let lines = |line: fn(u32) -> String| (0..5_000).fold(String::new(), |text, number| text + &line(number));
        let many = lines(|number| format!("- AC-{number}: x\n"));
        let rows = lines(|number| format!("| AC-{number} | x |\n"));
        let table = format!("# Table\n| id | r |\n|---|---|\n{rows}");
        assert!(!run(Some(&many), &table).is_empty());
        let wide = format!("# Table\n| id | r |\n|---|---|\n| {} | x |\n", "AC-1, ".repeat(1 << 14));
        assert_eq!(run(Some("- AC-1: x"), &wide), []);
        assert!(run(Some(&"AC-1 ".repeat(1 << 14)), &wide).is_empty());
    }
}
