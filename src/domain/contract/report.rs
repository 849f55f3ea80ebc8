//! Gathers the problems of one file, so that a person sees all of them at once, each with its line.

use super::mask::mask;
use super::problem::{Problem, Severity};
use std::rc::Rc;

/// More problems than this help nobody; the rest is counted.
const MAX_PROBLEMS: usize = 100;
/// A problem shows at most this much of its line.
const MAX_SOURCE: usize = 200;

/// A place in a file: line and column in characters, both from 1; both 0 for the file as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct At {
    /// Which file of a chain of `extends`: 0 is the one that was asked for, 1 its base.
    pub file: u8,
    pub line: u32,
    pub column: u32,
}

/// One file of a chain, as problems show it. A clone is cheap.
#[derive(Clone)]
pub(super) struct Source<'a> {
    path: &'a str,
    lines: Rc<[&'a str]>,
}

impl<'a> Source<'a> {
    pub fn new(path: &'a str, text: &'a str) -> Self {
        Self { path, lines: lines(text).into() }
    }
}

/// The problems so far of one file, with what it extends.
pub(super) struct Report<'a> {
    /// The place of the file that is reported on in its chain; `sources` begins there.
    first: u8,
    sources: Vec<Source<'a>>,
    problems: Vec<(u8, Problem)>,
    dropped: usize,
    errors: usize,
    patterns: usize,
}

impl<'a> Report<'a> {
    /// A report on the file that stands at this place of its chain.
    pub fn new(file: u8, source: Source<'a>) -> Self {
        Self { first: file, sources: vec![source], problems: Vec::new(), dropped: 0, errors: 0, patterns: 0 }
    }

    /// Makes the next file of the chain known, so that a problem can lie in it.
    pub fn base(&mut self, source: Source<'a>) {
        self.sources.push(source);
    }

    /// Takes over the errors of a base: what extends it can't be used either.
    pub fn inherit(&mut self, file: u8, problems: &[Problem]) {
        for problem in problems.iter().filter(|problem| problem.severity == Severity::Error) {
            self.errors += 1;
            self.keep(file, problem.clone());
        }
    }

    /// The place of the file that is reported on in its chain.
    pub fn file(&self) -> u8 {
        self.first
    }

    /// The file as a whole.
    pub fn whole(&self) -> At {
        At { file: self.first, line: 0, column: 0 }
    }

    /// `line 3`, or `line 3 of contracts/base.yaml` where that is another file than the one at hand.
    pub fn place(&self, there: At, here: At) -> String {
        if there.file == here.file {
            return format!("line {}", there.line);
        }
        let path = self.source_of(there.file).map_or("", |source| source.path);
        format!("line {} of {path}", there.line)
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

    /// Whether there is no room for more. Who meets thousands of problems then only counts them, with [`Self::drop_one`].
    pub fn is_full(&self) -> bool {
        self.problems.len() >= MAX_PROBLEMS
    }

    /// Counts an error that is not worth its message any more.
    pub fn drop_one(&mut self) {
        self.errors += 1;
        self.dropped += 1;
    }

    /// Counts a pattern that is to be compiled, which takes time; how many there are now.
    pub fn count_pattern(&mut self) -> usize {
        self.patterns += 1;
        self.patterns
    }

    /// Whether an error was reported, kept or not.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Whether nothing was reported.
    pub fn is_silent(&self) -> bool {
        self.problems.is_empty()
    }

    /// Forgets the errors: the file turned out to be none of ours.
    pub fn drop_errors(&mut self) {
        self.problems.retain(|(_, problem)| problem.severity != Severity::Error);
        self.errors = 0;
        self.dropped = 0;
    }

    /// The line as a problem shows it.
    pub fn source(&self, at: At) -> String {
        mask(&self.line(at).trim_start_matches('\u{feff}').chars().take(MAX_SOURCE).collect::<String>())
    }

    /// The line as it stands in the file.
    pub fn line(&self, at: At) -> &'a str {
        let lines = self.source_of(at.file).map(|source| &source.lines);
        let line = (at.line as usize).checked_sub(1).and_then(|index| lines?.get(index));
        line.copied().unwrap_or_default()
    }

    /// Everything reported: the file's own in its order, then that of its bases.
    pub fn finish(mut self) -> Vec<Problem> {
        self.problems.sort_by_key(|(file, problem)| (*file, problem.line, problem.column));
        if self.dropped > 0 {
            let message = format!("{} further problems are not shown", self.dropped);
            let severity = if self.errors > 0 { Severity::Error } else { Severity::Warning };
            let problem = self.problem(severity, "more-problems", self.whole(), &message, "");
            self.problems.push((self.first, problem));
        }
        self.problems.into_iter().map(|(_, problem)| problem).collect()
    }

    fn push(&mut self, severity: Severity, id: &'static str, at: At, message: &str, expected: &str) {
        if severity != Severity::Error && at.file != self.first {
            // A base's own affair, which is told where the base is checked; who extends it can't mend it.
            return;
        }
        if self.is_full() && (severity != Severity::Error || self.weakest().is_none()) {
            self.dropped += 1;
            return;
        }
        let problem = self.problem(severity, id, at, message, expected);
        self.keep(at.file, problem);
    }

    fn keep(&mut self, file: u8, problem: Problem) {
        // An anchor's content is read once for each alias; its problem is one.
        if self.problems.iter().any(|(_, known)| *known == problem) {
            return;
        }
        if self.is_full() {
            self.dropped += 1;
            // An error takes the place of what weighs less.
            match self.weakest() {
                Some(index) if problem.severity == Severity::Error => drop(self.problems.remove(index)),
                _ => return,
            }
        }
        self.problems.push((file, problem));
    }

    /// The last problem that is no error.
    fn weakest(&self) -> Option<usize> {
        self.problems.iter().rposition(|(_, problem)| problem.severity != Severity::Error)
    }

    fn source_of(&self, file: u8) -> Option<&Source<'a>> {
        file.checked_sub(self.first).and_then(|index| self.sources.get(usize::from(index)))
    }

    fn problem(&self, severity: Severity, id: &'static str, at: At, message: &str, expected: &str) -> Problem {
        Problem {
            id,
            severity,
            path: self.source_of(at.file).map_or_else(String::new, |source| source.path.to_owned()),
            line: at.line,
            column: at.column,
            source: self.source(at),
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
        let at = |line, column| At { file: 0, line, column };
        let mut report = Report::new(0, Source::new("x.yaml", "one\ntwo\n"));
        report.warning("b", at(2, 1), "second", "");
        report.error("a", at(1, 2), "first", "");
        report.error("a", at(1, 2), "first", "");
        let problems = report.finish();
        assert_eq!(
            problems.iter().map(|p| (p.id, p.source.as_str())).collect::<Vec<_>>(),
            [("a", "one"), ("b", "two")]
        );

        let mut report = Report::new(0, Source::new("x.yaml", ""));
        for column in 0..200 {
            report.warning("w", at(1, column), "again", "");
        }
        report.error("e", at(1, 300), "takes the place of a warning", "");
        assert!(report.has_errors() && report.is_full());
        for column in 0..100 {
            report.error("e", at(1, column), "again", "");
        }
        let problems = report.finish();
        assert_eq!(problems.len(), 101);
        assert!(problems.iter().all(|problem| problem.severity == Severity::Error));
        assert_eq!(problems[100].message, "201 further problems are not shown");
    }

    #[test]
    fn a_problem_lies_in_the_file_of_its_place() {
        let base = Source::new("base.yaml", "base's one\n");
        let mut report = Report::new(1, Source::new("x.yaml", "one\n"));
        report.base(base.clone());
        let at = |file| At { file, line: 1, column: 1 };
        report.error("e", at(2), "theirs", "");
        report.warning("w", at(2), "not told here", "");
        report.warning("w", at(1), "ours", "");
        assert_eq!(report.place(at(2), at(2)), "line 1");
        assert_eq!(report.place(at(2), at(1)), "line 1 of base.yaml");
        let found = report.finish();
        let shown: Vec<_> = found.iter().map(|p| (p.path.as_str(), p.source.as_str(), p.message.as_str())).collect();
        assert_eq!(shown, [("x.yaml", "one", "ours"), ("base.yaml", "base's one", "theirs")]);

        let mut again = Report::new(0, Source::new("top.yaml", ""));
        again.inherit(1, &found);
        assert_eq!(again.finish(), found[1..], "only a base's errors are shown with what extends it");
    }
}
