//! Raw HTML in Markdown: which parts a reader sees, where comments stand and what `<details>` holds.

use std::ops::Range;

/// A part of raw HTML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Text that a reader sees.
    Text(Range<usize>),
    /// `<!-- … -->`
    Comment(Range<usize>),
    /// A tag, its name in lower case, closing tags with their slash.
    Tag(Range<usize>, String),
}

/// Cuts a range of the source into text, comments and tags. What is opened and not closed runs to the end.
pub(super) fn pieces(source: &str, range: Range<usize>) -> Vec<Piece> {
    let mut out = Vec::new();
    let text = &source[range.clone()];
    let mut at = 0;
    let mut text_start = 0;
    while let Some(found) = text[at..].find('<') {
        let start = at + found;
        let Some((length, piece)) = markup(&text[start..], range.start + start) else {
            at = start + 1;
            continue;
        };
        if text_start < start {
            out.push(Piece::Text(range.start + text_start..range.start + start));
        }
        out.push(piece);
        at = start + length;
        text_start = at;
    }
    if text_start < text.len() {
        out.push(Piece::Text(range.start + text_start..range.end));
    }
    out
}

/// The comment or tag that a text begins with, and its length.
fn markup(text: &str, at: usize) -> Option<(usize, Piece)> {
    if let Some(rest) = text.strip_prefix("<!--") {
        // `<!-->` is a whole comment.
        let length = if rest.starts_with('>') { 5 } else { rest.find("-->").map_or(text.len(), |end| 4 + end + 3) };
        return Some((length, Piece::Comment(at..at + length)));
    }
    let name_start = if text[1..].starts_with('/') { 2 } else { 1 };
    let first = text[name_start..].chars().next()?;
    if !first.is_ascii_alphabetic() {
        return None;
    }
    let length = text.find('>').map_or(text.len(), |end| end + 1);
    let name_end = text[name_start..length]
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '-')
        .map_or(length, |end| name_start + end);
    Some((length, Piece::Tag(at..at + length, text[1..name_end].to_ascii_lowercase())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, expect: &[(&str, &str)]) {
        let found: Vec<_> = pieces(source, 0..source.len())
            .into_iter()
            .map(|piece| match piece {
                Piece::Text(range) => ("text".to_owned(), &source[range]),
                Piece::Comment(range) => ("comment".to_owned(), &source[range]),
                Piece::Tag(range, name) => (name, &source[range]),
            })
            .collect();
        let found: Vec<_> = found.iter().map(|(kind, text)| (kind.as_str(), *text)).collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn html_falls_into_pieces() {
        check(
            "<details open><summary>a</summary>b<!-- c -->d</DETAILS>",
            &[
                ("details", "<details open>"),
                ("summary", "<summary>"),
                ("text", "a"),
                ("/summary", "</summary>"),
                ("text", "b"),
                ("comment", "<!-- c -->"),
                ("text", "d"),
                ("/details", "</DETAILS>"),
            ],
        );
        check("1 < 2 <b", &[("text", "1 < 2 "), ("b", "<b")]);
        check("<!-- open", &[("comment", "<!-- open")]);
        check("<!-->x", &[("comment", "<!-->"), ("text", "x")]);
    }
}
