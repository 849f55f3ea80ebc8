//! `raw_log`: logs, stack traces, output of test runners and rows of raw data, pasted into the text.
//!
//! Decided on blocks, not on lines: a line or two are an excerpt that explains. Fenced or not, quoted or not; `<details>`
//! excuses nothing (`docs/detectors/raw_log.md`).

use super::log_lines::{Line, kind, template};
use super::patterns::{is_in, patterns};
use super::{Context, Hit, MOST_HITS, scope};
use crate::domain::contract::DetectorSpec;
use crate::domain::text::{Document, Fence, Normalised, Table, clip, id_at_start};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

/// Lines of a machine in a row, from which on a block is a log.
const RUN: usize = 5;

/// The same where the words around say that the block shows something, or where a fence is marked as code.
const LONG_RUN: usize = 8;

/// Lines in a row that differ in digits and quoted words only.
const SAME: usize = 3;

/// Lines of a machine in one block, however far apart.
const IN_ALL: usize = 12;

/// Records of equal width in a row, or figures that stand alone.
const RECORDS: usize = 5;
const FIGURES: usize = 8;

/// How often one key begins a line where JSON is spread over lines.
const SAME_KEY: usize = 6;

/// Rows of a table that may be single observations.
const ROWS: usize = 15;

patterns! {
    /// The line before a block says that it is a specimen.
    SPECIMEN = r"例 \s* (?: $ | [:：。は)] | を示 ) | 出力例 | サンプル | 形式 | 書式 | の形 | フォーマット | 使い方 | 抜粋 | \b (?: examples? | sample | specimen | format | shape | usage | excerpt | snippet | looks\ like ) \b";
    /// Fences of code and settings.
    CODE = r"^ \s* (?: rust | rs | py(?:thon)? | js | jsx | javascript | ts | tsx | typescript | go | java | kotlin | c | cpp | c\+\+ | cs | csharp | ruby | rb | php | swift | scala | sql | diff | patch | ya?ml | toml | ini | html | xml | css | scss | mermaid | dot | make(?:file)? | docker(?:file)? | hcl | tf | proto | graphql | lua | perl | r | elixir | haskell | markdown | md ) \b";
    /// `"key": …` on a line of its own.
    KEY = r"^ \s* (?: - \s+ )? \x22? ( [a-z_][\w.\-]* ) \x22? \s* : \s";
    /// An answer that a row of observations ends in.
    MARK = r"^ \s* (?: [○◯×✓✗✅❌] | ok | ng | pass(?:ed)? | fail(?:ed)? | true | false | yes | no | 成功 | 失敗 | 正 | 誤 | 正解 | 不正解 | correct | wrong ) \s* $";
    /// A figure or a time.
    VALUE = r"^ \s* [\-+]? \d [\d,.:/\-tz\ ]* (?: [a-zµ%]{0,5} | 件 | 秒 | 回 | 円 ) \s* $";
    /// What numbers an observation: an ordinal, an id with digits, a time.
    ORDINAL = r"^ \s* (?: \#? \d+ | [a-z]{1,10} [\-_]? \d{1,12} | (?: \d{4}[\-/]\d{1,2}[\-/]\d{1,2} )? [t\ ]? (?: \d{1,2}:\d{2} (?: :\d{2} )? )? [\d.z]* | [0-9a-f\-]{8,36} ) \s* $";
}

/// Runs the detector.
pub(super) fn detect(spec: &DetectorSpec, document: &Document, context: &Context) -> Vec<Hit> {
    let mut hits = Vec::new();
    for range in scope::ranges(spec, document, context) {
        for fence in document.fences_within(&range) {
            in_fence(document, fence, &mut hits);
        }
        in_prose(document, &range, &mut hits);
        for table in document.tables_within(&range) {
            hits.extend(table_of_observations(document, table));
        }
        if hits.len() >= MOST_HITS {
            break;
        }
    }
    hits.sort_by_key(|hit| hit.range.as_ref().map(|range| range.start));
    hits
}

/// A line of the source that is looked at, without the marks of quotations.
struct Row<'s> {
    range: Range<usize>,
    text: Cow<'s, str>,
}

/// How much of a line is read, in characters.
const LONGEST_LINE: usize = 300;

/// Lines of a range that are not blank.
fn rows<'s>(document: &'s Document, range: &Range<usize>) -> impl Iterator<Item = Row<'s>> {
    let source = &document.source()[range.clone()];
    let mut at = range.start;
    source.split_inclusive(['\n', '\r']).filter_map(move |line| {
        let start = at;
        at += line.len();
        let words = unquoted(line);
        let bare = words.trim();
        if bare.is_empty() {
            return None;
        }
        let start = start + (line.len() - words.len()) + (words.len() - words.trim_start().len());
        let range = start..start + bare.len();
        let head = clip(words.trim_end(), LONGEST_LINE);
        let text =
            if head.is_ascii() { Cow::Borrowed(head) } else { Cow::Owned(Normalised::of(head).text().to_owned()) };
        Some(Row { range, text })
    })
}

/// A line without the marks of block quotes.
fn unquoted(line: &str) -> &str {
    let mut rest = line;
    while let Some(inner) = rest.trim_start_matches(' ').strip_prefix('>') {
        rest = inner.strip_prefix(' ').unwrap_or(inner);
    }
    rest
}

fn in_fence(document: &Document, fence: &Fence, hits: &mut Vec<Hit>) {
    let specimen = is_in(&SPECIMEN, &line_before(document, fence.range.start));
    let patient = specimen || is_in(&CODE, &fence.info);
    let mut block = Block::new(document, patient);
    let mut keys: BTreeMap<String, (usize, Range<usize>)> = BTreeMap::new();
    let mut lines = 0;
    for row in rows(document, &fence.content) {
        lines += 1;
        if let Some(key) = KEY.as_ref().and_then(|key| key.captures(&row.text)).and_then(|found| found.get(1))
            && (keys.len() < MOST_KEYS || keys.contains_key(key.as_str()))
        {
            keys.entry(key.as_str().to_owned()).or_insert((0, row.range.clone())).0 += 1;
        }
        block.push(&row, hits);
    }
    let found = block.finish(hits);
    let repeated = keys.into_values().filter(|(count, _)| *count >= SAME_KEY).map(|(_, first)| first);
    if !found
        && !patient
        && let Some(first) = repeated.min_by_key(|first| first.start)
    {
        hits.push(Hit { range: Some(first), note: Some(lines.to_string()) });
    }
}

/// Most keys that are counted in one fence.
const MOST_KEYS: usize = 64;

/// The last line with words before an offset.
fn line_before(document: &Document, offset: usize) -> String {
    let before = document.source()[..offset].trim_end_matches([' ', '\t', '\n', '\r', '>', '-', '*']);
    let start = document.line_start(before.len().saturating_sub(1));
    clip(before.get(start..).unwrap_or_default(), LONGEST_LINE).to_owned()
}

/// Lines outside of fences, tables and comments.
fn in_prose(document: &Document, range: &Range<usize>, hits: &mut Vec<Hit>) {
    let mut block = Block::new(document, false);
    let mut skipped = Skipped::new(document);
    for row in rows(document, range) {
        if skipped.holds(row.range.start) {
            block.finish(hits);
            block = Block::new(document, false);
            continue;
        }
        // A point of a list is told by somebody, also where it begins with a time.
        let listed = row.text.trim_start().starts_with(['-', '*', '+', '#']) || {
            let digits = row.text.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
            digits.len() < row.text.trim_start().len() && (digits.starts_with(". ") || digits.starts_with(") "))
        };
        if listed {
            block.finish(hits);
            block = Block::new(document, false);
        } else {
            block.push(&row, hits);
        }
    }
    block.finish(hits);
}

/// Walks over fences, tables and comments in step with a rising offset.
struct Skipped<'d> {
    fences: &'d [Fence],
    tables: &'d [Table],
    comments: &'d [Range<usize>],
}

impl<'d> Skipped<'d> {
    fn new(document: &'d Document) -> Self {
        Self { fences: document.fences(), tables: document.tables(), comments: document.comments() }
    }

    fn holds(&mut self, offset: usize) -> bool {
        fn step<T>(all: &mut &[T], range: impl Fn(&T) -> &Range<usize>, offset: usize) -> bool {
            while all.first().is_some_and(|one| range(one).end <= offset) {
                *all = &all[1..];
            }
            all.first().is_some_and(|one| range(one).start <= offset)
        }
        let fence = step(&mut self.fences, |fence| &fence.range, offset);
        let table = step(&mut self.tables, |table| &table.range, offset);
        let comment = step(&mut self.comments, |comment| comment, offset);
        fence || table || comment
    }
}

/// Lines of a block as they come.
struct Block<'d> {
    document: &'d Document,
    /// Asks for longer runs.
    patient: bool,
    run: Run,
    /// Log lines of the whole block, and the first of them.
    in_all: usize,
    first: Option<Range<usize>>,
    lines: usize,
    found: bool,
}

/// Lines in a row.
#[derive(Default)]
struct Run {
    kind: Option<Line>,
    start: Option<Range<usize>>,
    /// Lines of the kind.
    count: usize,
    /// The longest stretch of one template.
    same: usize,
    streak: usize,
    template: String,
    /// Lines from the first to the last of the kind.
    span: usize,
    /// Other lines since the last of the kind.
    gap: usize,
}

impl<'d> Block<'d> {
    fn new(document: &'d Document, patient: bool) -> Self {
        Self { document, patient, run: Run::default(), in_all: 0, first: None, lines: 0, found: false }
    }

    fn push(&mut self, row: &Row<'_>, hits: &mut Vec<Hit>) {
        self.lines += 1;
        let kind = kind(&row.text);
        if kind == Line::Log {
            self.in_all += 1;
            self.first.get_or_insert_with(|| row.range.clone());
        }
        if kind == Line::Other {
            self.run.gap += 1;
            // One line between two of a log belongs to it: a line of code below its frame, a message that goes on.
            if self.run.gap > 1 || self.run.kind != Some(Line::Log) {
                self.end_run(hits);
            }
            return;
        }
        if self.run.kind != Some(kind) {
            self.end_run(hits);
            self.run = Run { kind: Some(kind), start: Some(row.range.clone()), ..Run::default() };
        }
        let run = &mut self.run;
        run.count += 1;
        run.span += 1 + run.gap;
        let shape = template(&row.text);
        run.streak = if run.gap == 0 && run.count > 1 && shape == run.template { run.streak + 1 } else { 1 };
        run.same = run.same.max(run.streak);
        run.template = shape;
        run.gap = 0;
    }

    fn end_run(&mut self, hits: &mut Vec<Hit>) {
        let run = std::mem::take(&mut self.run);
        let Some(start) = run.start else { return };
        let pasted = match (run.kind, self.patient) {
            (Some(Line::Log), false) => run.count >= RUN || run.same >= SAME,
            (Some(Line::Log | Line::Record(_)), true) => run.count >= LONG_RUN,
            (Some(Line::Record(_)), false) => run.count >= RECORDS || run.same >= SAME,
            (Some(Line::Figure), _) => run.count >= FIGURES,
            _ => false,
        };
        if pasted {
            self.found = true;
            hits.push(quoting(self.document, start, run.span));
        }
    }

    /// Ends the block; whether it is a paste.
    fn finish(&mut self, hits: &mut Vec<Hit>) -> bool {
        self.end_run(hits);
        if !self.found
            && self.in_all >= IN_ALL
            && let Some(first) = self.first.take()
        {
            self.found = true;
            hits.push(quoting(self.document, first, self.lines));
        }
        self.found
    }
}

/// Longest quote, in characters (chapter 10).
const LONGEST_QUOTE: usize = 200;

/// A hit that quotes a line and notes how many there are.
fn quoting(document: &Document, line: Range<usize>, lines: usize) -> Hit {
    let length = clip(&document.source()[line.clone()], LONGEST_QUOTE).len();
    Hit { range: Some(line.start..line.start + length), note: Some(lines.to_string()) }
}

/// A long table each of whose rows is one observation: numbered, timed or named by an id, with figures or marks.
fn table_of_observations(document: &Document, table: &Table) -> Option<Hit> {
    if table.rows.len() < ROWS {
        return None;
    }
    let cell =
        |row: &[crate::domain::text::Cell], column: usize| row.get(column).map_or("", |cell| document.cell_text(cell));
    let width = table.rows.iter().map(Vec::len).max().unwrap_or(0).min(MOST_COLUMNS);
    let mostly = |column: usize, is: &dyn Fn(&str) -> bool| {
        let count = table.rows.iter().filter(|row| is(clip(cell(row, column), LONGEST_CELL))).count();
        count * 10 >= table.rows.len() * 8
    };
    let columns = || 0..width;
    if columns().any(|column| mostly(column, &|text| is_requirement(text))) {
        return None;
    }
    let numbered = mostly(0, &|text| !text.trim().is_empty() && is_in(&ORDINAL, text));
    let observed = columns().skip(1).any(|column| mostly(column, &|text| is_in(&VALUE, text) || is_in(&MARK, text)));
    if !(numbered && observed) {
        return None;
    }
    let first =
        table.rows.first()?.iter().find_map(|cell| cell.item).map(|index| document.items()[index].range.start)?;
    let end = document.source()[first..].find(['\n', '\r']).map_or(document.source().len(), |length| first + length);
    Some(quoting(document, first..end, table.rows.len()))
}

const MOST_COLUMNS: usize = 16;
const LONGEST_CELL: usize = 60;

/// Whether a cell names a requirement; `U-001` and `run 3` name observations.
fn is_requirement(text: &str) -> bool {
    const PREFIXES: [&str; 11] = ["AC", "SC", "R", "D", "REQ", "NFR", "FR", "BR", "US", "UC", "C"];
    id_at_start(text).is_some_and(|(id, _)| PREFIXES.contains(&id.prefix.as_str()) || !id.prefix.is_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::contract::{Argument, DetectorId};
    use crate::domain::ids::Language;

    fn run(body: &str) -> Vec<(String, String)> {
        let spec = DetectorSpec { id: DetectorId::RawLog, argument: Argument::None, within: Vec::new() };
        let context = Context {
            fields: Vec::new(),
            language: Language::En,
            references: Vec::new(),
            always_separate: Vec::new(),
            plan: None,
        };
        let hits = detect(&spec, &Document::parse(body), &context);
        hits.into_iter().filter_map(|hit| Some((body[hit.range?].to_owned(), hit.note?))).collect()
    }

    #[track_caller]
    fn check(body: &str, expect: &[(&str, &str)]) {
        for body in [body.to_owned(), body.replace('\n', "\r\n")] {
            let found = run(&body);
            let found: Vec<_> = found.iter().map(|(quote, note)| (quote.as_str(), note.as_str())).collect();
            assert_eq!(found, expect, "{body:?}");
        }
    }

    #[test]
    fn the_first_line_is_quoted_and_the_lines_are_counted() {
        let log = "[INFO] a\n[WARN] b\n[INFO] c\n[INFO] d\n[INFO] e\n[INFO] f";
        check(&format!("x\n\n```\n{log}\n```\n"), &[("[INFO] a", "6")]);
        check(&format!("x\n\n{log}\n\ny"), &[("[INFO] a", "6")]);
        check(&format!("> > {}", log.replace('\n', "\n> > ")), &[("[INFO] a", "6")]);
        check(&format!("- x\n  ```\n  {}\n  ```", log.replace('\n', "\n  ")), &[("[INFO] a", "6")]);
        check(&format!("<details>\n\n```\n{log}\n```\n\n</details>"), &[("[INFO] a", "6")]);
        check(&format!("<!--\n{log}\n-->"), &[]);
        check("```\n1,2,3\n4,5,6\n7,8,9\n```", &[("1,2,3", "3")]);
        check("```\n{\n \"id\": 1,\n \"a\": 2\n},\n```", &[]);
        let records = "{\n \"id\": 1,\n \"a\": 2\n},\n".repeat(6);
        check(&format!("```json\n[\n{records}]\n```"), &[("\"id\": 1,", "26")]);
    }

    #[test]
    fn a_line_or_two_are_an_excerpt() {
        check("", &[]);
        check("```\n```", &[]);
        check("```\n2024-05-01 10:00:01 ERROR a\n2024-05-01 10:00:02 ERROR b\n```", &[]);
        check("- 10:00:01 began\n- 10:00:02 slow\n- 10:00:03 slow\n- 10:00:04 slow\n- 10:00:05 ended\n", &[]);
        check("Output format:\n\n```\n1,2,3\n4,5,6\n7,8,9\n```", &[]);
    }

    #[test]
    fn hostile_texts_end_soon() {
        for piece in [
            "[INFO] a\n",
            "a=1 b=2 c=3 ",
            "1,2,3\n",
            "> ",
            "at (",
            "{\"a\":",
            "```\nx\n```\n",
            "| 1 | 2 |\n",
            "\u{200b}",
            "1\n",
            "| ",
            "- 1:\n",
        ] {
            let body = piece.repeat((1 << 17) / piece.len());
            assert!(run(&body).len() <= MOST_HITS * 2, "{piece:?}");
            let table = format!("|a|b|\n|-|-|\n{body}");
            assert!(run(&table).len() <= MOST_HITS * 2, "{piece:?}");
        }
    }
}
