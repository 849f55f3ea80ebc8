//! Problems as workflow commands: GitHub shows each as an annotation on its line (`::error file=…,line=…::message`).

use super::place::mark;
use crate::domain::contract::{Problem, Severity};
use std::io::{self, Write};

/// Writes one command for each problem.
///
/// # Errors
///
/// Only where `out` can't be written.
pub(super) fn commands(problems: &[Problem], out: &mut impl Write) -> io::Result<()> {
    problems.iter().try_for_each(|problem| writeln!(out, "{}", command(problem)))
}

fn command(problem: &Problem) -> String {
    let name = match problem.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Notice => "notice",
    };
    let mut place = String::new();
    if problem.line > 0 {
        place = format!(",line={},col={}", problem.line, problem.column);
        let mark = mark(problem);
        if !mark.is_empty() {
            place = format!("{place},endColumn={}", mark.end + 1);
        }
    }
    let expected = match problem.expected.as_str() {
        "" => String::new(),
        // %0A is a line break in the annotation.
        expected => format!("%0Aexpected {}", data(expected)),
    };
    let (path, title) = (property(&problem.path), property(problem.id));
    format!("::{name} file={path}{place},title={title}::{}{expected}", data(&problem.message))
}

/// The text behind `::`: a percent sign begins an escape, a line end would end the command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property, which a colon or a comma would end as well.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(path: &str, line: u32, message: &str) -> Problem {
        Problem {
            id: "unknown-key",
            severity: Severity::Warning,
            path: path.to_owned(),
            line,
            column: line,
            source: "言語: ja".to_owned(),
            message: message.to_owned(),
            expected: "100%, or\nless".to_owned(),
        }
    }

    fn check(problem: &Problem, expect: &str) {
        let mut out = Vec::new();
        commands(std::slice::from_ref(problem), &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), format!("{expect}\n"));
    }

    #[test]
    fn everything_that_would_end_a_command_is_escaped() {
        check(
            &problem("a,b: 100%/契約.yaml", 1, "no key `言語`::\r\nnext, 50%"),
            "::warning file=a%2Cb%3A 100%25/契約.yaml,line=1,col=1,endColumn=3,title=unknown-key::no key `言語`::%0D%0Anext, 50%25%0Aexpected 100%25, or%0Aless",
        );
        check(&problem("a.yaml", 0, "x"), "::warning file=a.yaml,title=unknown-key::x%0Aexpected 100%25, or%0Aless");
    }
}
