//! Texts as YAML that people can read: a block where the lines can stand as they are, else in double quotes.

use super::is_invisible;
use std::fmt::Write as _;

/// `key: …` below that many spaces, with a line end.
#[must_use]
pub fn yaml_entry(indent: usize, key: &str, text: &str) -> String {
    let pad = " ".repeat(indent);
    let (inner, mark) = match text.strip_suffix('\n') {
        Some(inner) => (inner, "|"),
        None => (text, "|-"),
    };
    let lines_fit = inner.split('\n').all(|line| line.is_empty() || !line.trim_matches(' ').is_empty());
    let fits = !inner.is_empty() && !inner.starts_with([' ', '\n']) && !inner.ends_with('\n') && lines_fit;
    if !fits || text.chars().any(|c| c != '\n' && is_special(c)) {
        return format!("{pad}{key}: {}\n", yaml_quoted(text));
    }
    let mut out = format!("{pad}{key}: {mark}\n");
    for line in inner.split('\n') {
        match line {
            "" => out.push('\n'),
            line => {
                let _ = writeln!(out, "{pad}  {line}"); // writing to a String never fails
            }
        }
    }
    out
}

/// In double quotes, with everything escaped that does not print.
#[must_use]
pub fn yaml_quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_special(c) => {
                let code = u32::from(c);
                // Writing to a String never fails.
                let _ = if code > 0xffff { write!(out, "\\U{code:08X}") } else { write!(out, "\\u{code:04X}") };
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// What YAML takes for a line end or refuses, and what nobody sees or turns the order of others; what joins emoji stays.
fn is_special(c: char) -> bool {
    let joins = matches!(c, '\u{200d}' | '\u{fe00}'..='\u{fe0f}');
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}') || (is_invisible(c) && !joins)
}
