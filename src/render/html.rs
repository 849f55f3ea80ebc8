//! Markdown as GitHub shows it in a comment, as HTML that may stand in a page of ours.

use ammonia::Builder;
use pulldown_cmark::{Event, Options, Parser};
use std::sync::LazyLock;

/// GitHub's Markdown to sanitised HTML: tables, task lists and folds stay; scripts, styles, images and forms go. A line
/// break in the text is a line break on the page, as in GitHub's comments.
///
/// Images are left out, since a page of ours asks no other server for anything.
#[must_use]
pub fn html(markdown: &str) -> String {
    let events = Parser::new_ext(markdown, gfm()).map(|event| match event {
        Event::SoftBreak => Event::HardBreak,
        other => other,
    });
    let mut raw = String::with_capacity(markdown.len() * 2);
    pulldown_cmark::html::push_html(&mut raw, events);
    SANITISER.clean(&raw).to_string()
}

/// What GitHub adds to `CommonMark`, as far as the parser knows it.
pub(super) fn gfm() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_GFM
}

static SANITISER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut builder = Builder::default();
    builder
        .add_tags(["input"])
        .rm_tags(["img"])
        .add_tag_attributes("details", ["open"])
        .add_tag_attributes("input", ["checked", "disabled"])
        .add_tag_attribute_values("input", "type", ["checkbox"])
        .set_tag_attribute_value("input", "disabled", "")
        .add_tag_attributes("code", ["class"])
        .link_rel(Some("noopener noreferrer nofollow"));
    builder
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_comment_needs_stays() {
        let check = |input: &str, expect: &str| assert_eq!(html(input).trim(), expect, "{input}");
        check("a\nb", "<p>a<br>\nb</p>");
        check(
            "<details><summary>x</summary>\n\n```json\n{}\n```\n\n</details>",
            "<details><summary>x</summary>\n<pre><code class=\"language-json\">{}\n</code></pre>\n</details>",
        );
        check(
            "| a |\n|---|\n| b |",
            "<table><thead><tr><th>a</th></tr></thead><tbody>\n<tr><td>b</td></tr>\n</tbody></table>",
        );
        check("- [x] done", "<ul>\n<li><input disabled=\"\" type=\"checkbox\" checked=\"\">\ndone</li>\n</ul>");
        check("[a](https://x.y)", "<p><a href=\"https://x.y\" rel=\"noopener noreferrer nofollow\">a</a></p>");
    }

    #[test]
    fn what_could_do_harm_goes() {
        for (input, never) in [
            ("<script>alert(1)</script>", "script"),
            ("<img src=x onerror=alert(1)>", "img"),
            ("![x](https://x.y/z.png)", "img"),
            ("[a](javascript:alert(1))", "javascript"),
            ("<a href='javascript:x' onclick=y>a</a>", "javascript"),
            ("<p onclick=y style='color:red'>a</p>", "onclick"),
            ("<style>*{}</style>", "<style"),
            ("<iframe src=x></iframe>", "iframe"),
            ("<input type=text name=x>", "text"),
            ("<form action=x><button>b</button></form>", "<form"),
        ] {
            let page = html(input);
            assert!(!page.contains(never), "{input} became {page}");
        }
    }
}
