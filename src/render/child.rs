//! The body of a child issue that the App files: the plan's words, without what only its own author may do.

use crate::domain::effect::ChildDraft;
use crate::domain::text::{Document, ItemKind, SpanKind};
use std::ops::Range;

/// The draft's body as it is filed: HTML comments are dropped, and a mention outside of code becomes code, so that
/// nobody is called by a plan that somebody else wrote (chapter 3).
#[must_use]
pub fn child_body(draft: &ChildDraft) -> String {
    let document = Document::parse(&draft.body);
    let source = document.source();
    let mut out = String::with_capacity(source.len());
    let mut at = 0;
    for comment in document.comments() {
        quiet(source, at..comment.start, &document, &mut out);
        at = comment.end.max(at);
    }
    quiet(source, at..source.len(), &document, &mut out);
    out.trim().to_owned()
}

/// Writes a stretch with its mentions as code.
fn quiet(source: &str, range: Range<usize>, document: &Document, out: &mut String) {
    let mut rest = range.start;
    while let Some(found) = source[rest..range.end].find('@') {
        let start = rest + found;
        let end = start + 1 + name(&source[start + 1..range.end]);
        out.push_str(&source[rest..start]);
        let free = !source[..start].ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '`' | '_' | '/'));
        match place(document, start) {
            Place::Prose if end > start + 1 && free => {
                out.push('`');
                out.push_str(&source[start..end]);
                out.push('`');
            }
            // Backticks are no code there.
            Place::Html if end > start + 1 => {
                out.push('＠');
                out.push_str(&source[start + 1..end]);
            }
            _ => out.push_str(&source[start..end]),
        }
        rest = end;
    }
    out.push_str(&source[rest..range.end.max(rest)]);
}

/// The length of a login or `org/team`.
fn name(text: &str) -> usize {
    let length =
        text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'/')).count();
    if text.starts_with(|c: char| c.is_ascii_alphanumeric()) { length } else { 0 }
}

/// What a place of the text is to a mention.
enum Place {
    Prose,
    Code,
    Html,
}

fn place(document: &Document, at: usize) -> Place {
    let inside = document.items().iter().find(|item| item.range.contains(&at));
    // Fenced code is no item.
    let Some(item) = inside else { return Place::Code };
    let code = || item.spans.iter().filter(|span| span.kind == SpanKind::Code);
    if item.kind == ItemKind::Html {
        Place::Html
    } else if code().any(|span| item.source(span.range.clone()).contains(&at)) {
        Place::Code
    } else {
        Place::Prose
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn draft(body: &str) -> ChildDraft {
        ChildDraft { index: 0, title: String::new(), body: body.to_owned(), covers: vec![], blocked_by: vec![] }
    }

    #[test]
    fn nobody_is_called_and_nothing_hides() {
        let check = |body: &str, expect: &str| assert_eq!(child_body(&draft(body)), expect, "{body}");
        check("## Purpose\n\nAsk @hanako and @acme/leads.", "## Purpose\n\nAsk `@hanako` and `@acme/leads`.");
        check("mail a@b.example, `@hanako`\n\n```\n@mio\n```", "mail a@b.example, `@hanako`\n\n```\n@mio\n```");
        check("one <!-- pass this --> two", "one  two");
        check("<div>\nask @hanako\n</div>", "<div>\nask ＠hanako\n</div>");
        check("<!-- only -->", "");
        check("連絡は@hanakoへ", "連絡は`@hanako`へ");
    }

    proptest! {
        #[test]
        fn any_body_is_written(body in r"(\PC|@|`|<!--|-->|\n){0,60}") {
            let once = child_body(&draft(&body));
            prop_assert!(once.len() <= body.len() * 2 + 2);
        }
    }
}
