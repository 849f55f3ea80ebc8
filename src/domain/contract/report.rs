//! Gathers the problems of one file, so that a person sees all of them at once, each with its line.

use super::mask::mask;
use super::problem::{Problem, Severity};

/// More problems than this help nobody; the rest is counted.
const MAX_PROBLEMS: usize = 100;
/// A problem shows at most this much of its line.
const MAX_SOURCE: usize = 200;

/// A place in the file: line and column in characters, both from 1; both 0 for the file as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct At {
    pub line: u32,
    pub column: u32,
}

impl At {
    /// The file as a whole.
    pub const FILE: Self = Self { line: 0, column: 0 };
}

/// The problems so far of one file.
pub(super) struct Report<'a> {
    path: &'a str,
    lines: Vec<&'a str>,
    problems: Vec<Problem>,
    dropped: usize,
    errors: usize,
}

impl<'a> Report<'a> {
    /// A report on the file of this name with this text.
    pub fn new(path: &'a str, text: &'a str) -> Self {
        Self { path, lines: lines(text), problems: Vec::new(), dropped: 0, errors: 0 }
    }

    /// The contract can't be used.
    pub fn error(&mut self, id: &'static str, at: At, message: impl AsRef<str>, expected: impl AsRef<str>) {
        self.errors += 1;
        self.push(Severity::Error, id, at, message.as_ref(), expected.as_ref());
    }

    /// The contract works, but likely not as meant.
    pub fn warning(&mut self, id: &'static str, at: At, message: impl AsRef<str>, expected: impl AsRef<str>) {
        self.push(Severity::Warning, id, at, message.as_ref(), expected.as_ref());
    }

    /// Something was skipped.
    pub fn notice(&mut self, id: &'static str, at: At, message: impl AsRef<str>, expected: impl AsRef<str>) {
        self.push(Severity::Notice, id, at, message.as_ref(), expected.as_ref());
    }

    /// Whether an error was reported, kept or not.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Forgets the errors: the file turned out to be none of ours.
    pub fn drop_errors(&mut self) {
        self.problems.retain(|problem| problem.severity != Severity::Error);
        self.errors = 0;
        self.dropped = 0;
    }

    /// The line as a problem shows it.
    pub fn source(&self, line: u32) -> String {
        let index = (line as usize).checked_sub(1);
        let source = index.and_then(|index| self.lines.get(index)).copied().unwrap_or_default();
        mask(&source.trim_start_matches('\u{feff}').chars().take(MAX_SOURCE).collect::<String>())
    }

    /// The line as it stands in the file.
    pub fn line(&self, line: u32) -> &'a str {
        (line as usize).checked_sub(1).and_then(|index| self.lines.get(index)).copied().unwrap_or_default()
    }

    /// Everything reported, in the file's order.
    pub fn finish(mut self) -> Vec<Problem> {
        self.problems.sort_by_key(|problem| (problem.line, problem.column));
        if self.dropped > 0 {
            let message = format!("{} further problems are not shown", self.dropped);
            let severity = if self.errors > 0 { Severity::Error } else { Severity::Warning };
            let problem = self.problem(severity, "more-problems", At::FILE, &message, "");
            self.problems.push(problem);
        }
        self.problems
    }

    fn push(&mut self, severity: Severity, id: &'static str, at: At, message: &str, expected: &str) {
        let problem = self.problem(severity, id, at, message, expected);
        // An anchor's content is read once for each alias; its problem is one.
        if self.problems.contains(&problem) {
            return;
        }
        if self.problems.len() >= MAX_PROBLEMS {
            self.dropped += 1;
        } else {
            self.problems.push(problem);
        }
    }

    fn problem(&self, severity: Severity, id: &'static str, at: At, message: &str, expected: &str) -> Problem {
        Problem {
            id,
            severity,
            path: self.path.to_owned(),
            line: at.line,
            column: at.column,
            source: self.source(at.line),
            message: mask(message),
            expected: mask(expected),
        }
    }
}

/// Splits as YAML counts lines: LF, CRLF and CR end one.
fn lines(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut rest = text;
    while let Some(end) = rest.find(['\n', '\r']) {
        lines.push(&rest[..end]);
        let width = if rest[end..].starts_with("\r\n") { 2 } else { 1 };
        rest = &rest[end + width..];
    }
    lines.push(rest);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_at_lf_crlf_and_cr() {
        assert_eq!(lines("a\nb\r\nc\rd"), ["a", "b", "c", "d"]);
        assert_eq!(lines(""), [""]);
    }

    #[test]
    fn problems_are_kept_once_in_order_and_up_to_a_bound() {
        let mut report = Report::new("x.yaml", "one\ntwo\n");
        report.warning("b", At { line: 2, column: 1 }, "second", "");
        report.error("a", At { line: 1, column: 2 }, "first", "");
        report.error("a", At { line: 1, column: 2 }, "first", "");
        let problems = report.finish();
        assert_eq!(
            problems.iter().map(|p| (p.id, p.source.as_str())).collect::<Vec<_>>(),
            [("a", "one"), ("b", "two")]
        );

        let mut report = Report::new("x.yaml", "");
        for column in 0..200 {
            report.warning("w", At { line: 1, column }, "again", "");
        }
        report.error("e", At { line: 1, column: 300 }, "dropped, but not forgotten", "");
        assert!(report.has_errors());
        let problems = report.finish();
        assert_eq!(problems.len(), 101);
        assert_eq!(problems[100].severity, Severity::Error);
        assert_eq!(problems[100].message, "101 further problems are not shown");
    }
}
