//! Which characters of its line a problem is about: it tells where it begins, the line tells where that ends.

use crate::domain::contract::Problem;
use std::ops::Range;

/// The characters of the line, counted from 0, from the problem's column to the end of what stands there: a word with its
/// inner spaces, or all of a quoted text. Empty where the column is behind the end of the line, or no place is known.
pub(super) fn mark(problem: &Problem) -> Range<usize> {
    let line: Vec<char> = problem.source.chars().collect();
    let start = (problem.column as usize).saturating_sub(1).min(line.len());
    let rest = &line[start..];
    let length = match rest.first() {
        None => 0,
        Some(quote @ ('"' | '\'')) => quoted(rest, *quote).unwrap_or(1),
        Some('[' | '{' | ']' | '}' | ',' | ':' | '#' | '\t') => 1,
        Some(_) => plain(rest),
    };
    start..start + length
}

/// Up to the closing quotation mark; none where it stands in a later line.
fn quoted(rest: &[char], quote: char) -> Option<usize> {
    let mut escaped = false;
    for (index, c) in rest.iter().enumerate().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' if quote == '"' => escaped = true,
            c if *c == quote => return Some(index + 1),
            _ => {}
        }
    }
    None
}

/// Up to what ends a plain text: the colon behind a key, a comment, a bracket or comma, the end of the line.
fn plain(rest: &[char]) -> usize {
    let end = (1..rest.len()).find(|&index| match rest[index] {
        ':' => rest.get(index + 1).is_none_or(|c| c.is_whitespace()),
        '#' => rest[index - 1].is_whitespace(),
        ',' | ']' | '}' | '[' | '{' => true,
        _ => false,
    });
    let mut length = end.unwrap_or(rest.len());
    while length > 1 && rest[length - 1].is_whitespace() {
        length -= 1;
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::contract::Severity;

    fn check(source: &str, column: u32, expect: &str) {
        let problem = Problem {
            id: "x",
            severity: Severity::Error,
            path: String::new(),
            line: 1,
            column,
            source: source.to_owned(),
            message: String::new(),
            expected: String::new(),
        };
        let place = mark(&problem);
        let marked: String = source.chars().skip(place.start).take(place.len()).collect();
        assert_eq!(marked, expect, "{source}");
    }

    #[test]
    fn a_mark_ends_where_the_word_ends() {
        check("言語: ja", 1, "言語");
        check("budgets: {max: 2}", 11, "max");
        check("gates: {}", 8, "{");
        check("  phase: implementation level  # the", 10, "implementation level");
        check("label: gate:start", 8, "gate:start");
        check("a: \"x \\\" # y\" # z", 4, "\"x \\\" # y\"");
        check("a: 'it''s", 4, "'it'");
        check("a: \"open", 4, "\"");
        check("- 語, x", 3, "語");
        check("a", 9, "");
        check("", 0, "");
    }
}
