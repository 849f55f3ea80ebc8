//! What a pull request that touches a contract is told: the check run's words and annotations, and the impact comment.
//!
//! This file decides what stands where; `en` and `ja` hold the words. Every word of others goes through `neutral`, except
//! in annotations, which GitHub shows as plain text.

mod en;
mod ja;

use super::words::{self, Form};
use super::{COMMENT_LIMIT, codec, neutral};
use crate::domain::contract::{Problem, Severity};
use crate::domain::effect::{Annotation, AnnotationLevel, CheckReport, EffectId};
use crate::domain::ids::{CommitSha, Language};
use crate::domain::record::Verdict;
use crate::domain::view::{
    Comparison, ContractCheck, Flip, Impact, ImpactState, JudgedBy, Level, Unchanged, UnreadableExamples, Why,
    WrongExample,
};
use std::fmt::Write as _;

/// Annotations of one check run: four requests. The rest is counted.
const MOST_NOTES: usize = 200;
/// Contradicted examples that the summary lists.
const MOST_LISTED: usize = 20;
/// Most characters of one text of others in a table's cell.
const CELL: usize = 80;
/// GitHub's limit for a summary, in characters.
pub(super) const SUMMARY_LIMIT: usize = 65_535;
/// GitHub's limit for the title of an annotation, in characters.
const TITLE_LIMIT: usize = 255;

/// The words of one language.
trait Words: Sync {
    /// The check run's title.
    fn title(&self, check: &ContractCheck, tally: Tally) -> String;
    /// What stands at the head, and what the linter counts.
    fn state(&self, check: &ContractCheck, commit: &str, tally: Tally) -> String;
    /// How many examples got the verdict of their label; none where there is no example.
    fn examples(&self, check: &ContractCheck) -> Option<String>;
    /// The head of the table of contradicted examples.
    fn example_table(&self) -> [&'static str; 3];
    /// So many more than are listed.
    fn more(&self, count: usize) -> String;
    /// So many annotations are not shown.
    fn unshown(&self, count: usize) -> String;
    /// The comparison in one line.
    fn compared(&self, comparison: &Comparison) -> String;
    /// Where the table of flips is.
    fn see_comment(&self) -> &'static str;
    /// That all this is advice.
    fn advice(&self, by: JudgedBy) -> &'static str;
    /// The comment's heading.
    fn heading(&self) -> &'static str;
    /// The commit that a comment tells of.
    fn commit(&self, commit: &str) -> String;
    /// The pull request goes into a branch whose contracts judge no issue.
    fn other_base(&self, branch: &str) -> String;
    /// The contract has errors.
    fn broken(&self) -> &'static str;
    /// The head of the table of flips.
    fn flip_table(&self) -> [&'static str; 4];
    /// What was found before, and is no longer.
    fn before(&self, reason: &str) -> String;
    /// The summary of the fold with what stays.
    fn unchanged(&self, count: usize) -> String;
    /// A contradicted example in one line of plain text.
    fn contradicted(&self, expected: &str, got: Option<&str>) -> String;
    /// A PASS that waits for a human.
    fn low(&self) -> &'static str;
}

/// How many problems of each weight.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    errors: usize,
    warnings: usize,
    notices: usize,
}

fn tally(problems: &[Problem]) -> Tally {
    let count = |severity| problems.iter().filter(|problem| problem.severity == severity).count();
    Tally { errors: count(Severity::Error), warnings: count(Severity::Warning), notices: count(Severity::Notice) }
}

fn words_of(language: Language) -> &'static dyn Words {
    match language {
        Language::En => &en::En,
        Language::Ja => &ja::Ja,
    }
}

/// The check run of a pull request's head (chapter 2), in the language of the contract there.
#[must_use]
pub fn contract_check(check: &ContractCheck) -> CheckReport {
    let words = words_of(check.language);
    let tally = tally(&check.problems);
    let mut annotations: Vec<Annotation> = check.problems.iter().map(of_problem).collect();
    annotations.extend(check.examples.unreadable.iter().map(of_unreadable));
    annotations.extend(check.examples.wrong.iter().map(|wrong| of_example(check.language, wrong)));
    let unshown = annotations.len().saturating_sub(MOST_NOTES);
    annotations.truncate(MOST_NOTES);

    let mut parts = vec![words.state(check, &short(&check.head), tally)];
    parts.extend(words.examples(check));
    parts.extend(example_table(check));
    if unshown > 0 {
        parts.push(words.unshown(unshown));
    }
    if let Some(comparison) = &check.comparison {
        let link = if comparison.all() > 0 { words.see_comment() } else { "" };
        parts.push(words.compared(comparison) + link);
    }
    parts.push(words.advice(check.judged_by).to_owned());
    CheckReport {
        conclusion: check.conclusion,
        title: neutral::shorten(&words.title(check, tally), TITLE_LIMIT),
        summary: neutral::shorten(&parts.join("\n\n"), SUMMARY_LIMIT),
        annotations,
    }
}

/// The impact comment of a pull request (chapter 2), with this marker. Where it would be too long, fewer flips are listed.
#[must_use]
pub fn impact_comment(impact: &Impact, effect: &EffectId) -> String {
    let flips = match &impact.state {
        ImpactState::Compared(comparison) => comparison.flips.len(),
        ImpactState::Broken => 0,
    };
    let mut listed = flips;
    loop {
        let comment = comment(impact, effect, listed);
        if listed == 0 || comment.encode_utf16().count() <= COMMENT_LIMIT {
            return comment;
        }
        listed /= 2;
    }
}

fn comment(impact: &Impact, effect: &EffectId, listed: usize) -> String {
    let words = words_of(impact.language);
    let mut parts = vec![codec::marker(effect), format!("## {}", words.heading())];
    match &impact.state {
        ImpactState::Broken => parts.push(words.broken().to_owned()),
        ImpactState::Compared(comparison) => {
            parts.push(words.compared(comparison));
            parts.extend(flip_table(impact.language, &comparison.flips, listed));
            parts.extend(unchanged(words, &comparison.unchanged));
        }
    }
    if let Some(branch) = &impact.other_base {
        parts.push(words.other_base(&neutral::code(&neutral::shorten(branch, CELL))));
    }
    parts.push(format!("{} {}", words.commit(&short(&impact.head)), words.advice(impact.judged_by)));
    parts.join("\n\n") + "\n"
}

fn flip_table(language: Language, flips: &[Flip], listed: usize) -> Option<String> {
    if flips.is_empty() {
        return None;
    }
    let words = words_of(language);
    let mut rows = vec![words.flip_table().map(str::to_owned), ["---"; 4].map(str::to_owned)];
    rows.extend(flips.iter().take(listed).map(|flip| {
        let subject = format!("#{} {}", flip.number, flip.title);
        let subject = neutral::link(&cell(&neutral::shorten(&subject, CELL)), Some(&flip.url));
        let from = level(words, flip.from);
        let from = flip.comment.as_ref().map_or_else(|| from.clone(), |url| neutral::link(&from, Some(url)));
        let why = match &flip.why {
            Some(Why::Now(reason)) => words::words(language).reason(reason, Form::Markdown(CELL)),
            Some(Why::Before(reason)) => words.before(&neutral::prose(&neutral::shorten(reason, CELL))),
            None => String::new(),
        };
        [subject, flip.gate.to_string(), format!("{from} → {}", level(words, flip.to)), cell(&why)]
    }));
    let mut table = table(&rows);
    if listed < flips.len() {
        let _ = write!(table, "\n\n{}", words.more(flips.len() - listed)); // writing to a String never fails
    }
    Some(table)
}

/// What stays, folded: the numbers of each verdict.
fn unchanged(words: &dyn Words, unchanged: &[Unchanged]) -> Option<String> {
    if unchanged.is_empty() {
        return None;
    }
    let line = |wanted: Level| {
        let of_level = unchanged.iter().filter(|one| one.level == wanted);
        let links: Vec<String> = of_level
            .map(|one| format!("{} {}", neutral::link(&format!("#{}", one.number), Some(&one.url)), one.gate))
            .collect();
        (!links.is_empty()).then(|| format!("- {}: {}", level(words, wanted), links.join(", ")))
    };
    let lines: Vec<String> =
        [Level::Pass, Level::LowPass, Level::TooAbstract, Level::TooConcrete].into_iter().filter_map(line).collect();
    let summary = words.unchanged(unchanged.len());
    Some(format!("<details><summary>{summary}</summary>\n\n{}\n\n</details>", lines.join("\n")))
}

fn example_table(check: &ContractCheck) -> Option<String> {
    let wrong = &check.examples.wrong;
    if wrong.is_empty() {
        return None;
    }
    let words = words_of(check.language);
    let mut rows = vec![words.example_table().map(str::to_owned), ["---"; 3].map(str::to_owned)];
    rows.extend(wrong.iter().take(MOST_LISTED).map(|one| {
        let got = one.got.map_or("—", Verdict::as_str);
        [neutral::cell(&one.id), one.gate.to_string(), format!("{} → {got}", one.expected.as_str())]
    }));
    let mut table = table(&rows);
    if wrong.len() > MOST_LISTED {
        let _ = write!(table, "\n\n{}", words.more(wrong.len() - MOST_LISTED)); // writing to a String never fails
    }
    Some(table)
}

fn of_problem(problem: &Problem) -> Annotation {
    let mut message = neutral::visible(&problem.message);
    if !problem.expected.is_empty() {
        let _ = write!(message, "\nexpected: {}", neutral::visible(&problem.expected)); // writing to a String never fails
    }
    let level = match problem.severity {
        Severity::Error => AnnotationLevel::Failure,
        Severity::Warning => AnnotationLevel::Warning,
        Severity::Notice => AnnotationLevel::Notice,
    };
    Annotation { path: problem.path.clone(), line: problem.line.max(1), level, title: problem.id.to_owned(), message }
}

fn of_unreadable(file: &UnreadableExamples) -> Annotation {
    Annotation {
        path: file.path.clone(),
        line: file.line.max(1),
        level: AnnotationLevel::Failure,
        title: "examples".to_owned(),
        message: neutral::shorten(&neutral::visible(&file.message), 1_000),
    }
}

fn of_example(language: Language, wrong: &WrongExample) -> Annotation {
    let words = words_of(language);
    let mut lines = vec![words.contradicted(wrong.expected.as_str(), wrong.got.map(Verdict::as_str))];
    lines.extend(words::reasons(language, &wrong.reasons, Form::Plain).into_iter().take(5));
    Annotation {
        path: wrong.path.clone(),
        line: wrong.line.max(1),
        level: AnnotationLevel::Failure,
        title: neutral::shorten(&neutral::visible(&wrong.id), TITLE_LIMIT),
        message: lines.join("\n"),
    }
}

fn level(words: &dyn Words, level: Level) -> String {
    match level {
        Level::Pass => "PASS".to_owned(),
        Level::LowPass => format!("PASS ({})", words.low()),
        Level::TooAbstract => "TOO_ABSTRACT".to_owned(),
        Level::TooConcrete => "TOO_CONCRETE".to_owned(),
    }
}

/// Cells are Markdown already; one line each.
fn table<const N: usize>(rows: &[[String; N]]) -> String {
    rows.iter().map(|cells| format!("| {} |", cells.join(" | "))).collect::<Vec<_>>().join("\n")
}

/// A `|` would end a cell even inside a code span, so a look-alike stands for it.
fn cell(text: &str) -> String {
    text.replace("\\|", "¦").replace('|', "¦").replace(['\n', '\r'], " ")
}

/// A commit as people write it.
fn short(commit: &CommitSha) -> String {
    neutral::code(&commit.as_str().chars().take(12).collect::<String>())
}

#[cfg(test)]
mod tests;
