//! Whole bodies through the parser: outlines as people write them, and texts made to break it.

use super::*;
use proptest::prelude::*;
use std::fmt::Write as _;
use std::ops::Range;

/// Every section as `level title | content`.
fn outline(body: &str) -> String {
    let document = Document::parse(body);
    let mut out = String::new();
    for section in document.sections() {
        let content = body[section.range.clone()].trim().replace("\r\n", "⏎").replace('\n', "⏎");
        let _ = writeln!(out, "{} {} | {content}", section.level, section.title);
    }
    out
}

/// Every item as `kind text`.
fn items(body: &str) -> Vec<String> {
    let document = Document::parse(body);
    document
        .items()
        .iter()
        .map(|item| {
            let quoted = if item.quoted { "> " } else { "" };
            let task = match item.list.and_then(|position| position.task) {
                Some(Task::Open) => "[ ] ",
                Some(Task::Done) => "[x] ",
                None => "",
            };
            format!("{quoted}{:?} {task}{}", item.kind, item.text())
        })
        .collect()
}

#[test]
fn sections_run_to_the_next_heading_of_their_level() {
    insta::assert_snapshot!(outline("# A\na\n## B\nb\n### C\nc\n## D ##\nd\n\nE\n===\ne"), @r"
    1 A | a⏎## B⏎b⏎### C⏎c⏎## D ##⏎d
    2 B | b⏎### C⏎c
    3 C | c
    2 D | d
    1 E | e
    ");
}

#[test]
fn own_ranges_stop_at_any_heading() {
    let body = "# A\na\n## B\nb\n# C\n";
    let document = Document::parse(body);
    let own: Vec<_> = document.sections().iter().map(|section| body[section.own_range.clone()].trim()).collect();
    assert_eq!(own, ["a", "b", ""]);
}

#[test]
fn headings_in_fences_comments_and_quotes_do_not_count() {
    let body =
        "## A\n```\n## fenced\n```\n<!--\n## hidden\n-->\n> ## quoted\n\n    ## indented\n\n＃＃ wide\n\n##tight\n";
    assert_eq!(outline(body).lines().count(), 1);
    assert_eq!(outline("```\n## in an odd fence\n"), "");
    assert_eq!(outline("<!-- never closed\n\n## x\n"), "");
}

#[test]
fn marks_in_headings_are_dropped() {
    insta::assert_snapshot!(outline("## **目的**：\nx\r\n##   `id` の値\r\ny"), @r"
    2 目的： | x
    2 id の値 | y
    ");
}

#[test]
fn items_carry_their_kind_and_state() {
    insta::assert_debug_snapshot!(
        items("# T\npara *one*\r\ntwo\n\n- [x] done\n- [ ] open\n  - inner `c`\n\n> said\n\n| h |\n|---|\n| c |\n\n<b>x</b>\n\n<div>y<!-- n --></div>"),
        @r#"
    [
        "Heading T",
        "Paragraph para one two",
        "ListItem [x] done",
        "ListItem [ ] open",
        "ListItem inner c",
        "> Paragraph said",
        "HeaderCell h",
        "Cell c",
        "Paragraph x",
        "Html \ny\n",
    ]
    "#);
}

#[test]
fn words_across_a_line_break_are_whole() {
    assert_eq!(items("使い\nやすい"), ["Paragraph 使いやすい"]);
    assert_eq!(items("user\r\nfriendly"), ["Paragraph user friendly"]);
    assert_eq!(items("使い**やすい**"), ["Paragraph 使いやすい"]);
    assert_eq!(items("&#20351;いやすい"), ["Paragraph 使いやすい"]);
}

#[test]
fn an_items_text_leads_back_to_the_source() {
    let body = "- AC-1: **適\u{200b}切**に `x` [出る](https://a.example)\r\n";
    let document = Document::parse(body);
    let item = &document.items()[0];
    let at = item.text().find("適切に").unwrap();
    assert_eq!(&body[item.source(at..at + "適切に".len())], "適\u{200b}切**に");
    assert_eq!(&body[item.range.clone()], "AC-1: **適\u{200b}切**に `x` [出る](https://a.example)");
}

#[test]
fn tables_fences_comments_and_details_have_their_places() {
    let body = "| a | b |\n|---|---|\n| 1 |  |\n\n```rust\nfn x() {}\n```\n<details><summary>S</summary>\n\ntext <!-- c -->\n\n</details>\n";
    let document = Document::parse(body);
    let table = &document.tables()[0];
    assert_eq!(table.header.iter().map(|cell| document.cell_text(cell)).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(table.rows[0].iter().map(|cell| document.cell_text(cell)).collect::<Vec<_>>(), ["1", ""]);
    let fence = &document.fences()[0];
    assert_eq!((fence.info.as_str(), &body[fence.content.clone()]), ("rust", "fn x() {}\n"));
    assert_eq!(&body[document.comments()[0].clone()], "<!-- c -->");
    assert_eq!(document.details()[0].summary.as_deref(), Some("S"));
    assert!(body[document.details()[0].range.clone()].ends_with("</details>"));
    assert_eq!(document.line_of(body.find("fn x").unwrap()), 6);
}

#[test]
fn lines_end_in_three_ways() {
    let document = Document::parse("a\r\nb\rc\nd");
    assert_eq!([0, 3, 5, 7].map(|at| document.line_of(at)), [1, 2, 3, 4]);
}

#[test]
fn bare_and_marked_links_are_links() {
    let document = Document::parse("see https://a.example/1, [b](https://b.example) and <https://c.example>");
    let targets: Vec<_> = document.links_within(&(0..99)).iter().map(|link| link.target.as_str()).collect();
    assert!(targets.contains(&"https://b.example"));
    assert!(targets.iter().any(|target| target.starts_with("https://a.example/1")));
    assert!(targets.contains(&"https://c.example"));
}

/// Everything a document says about places must hold for any text.
fn assert_places(source: &str) {
    let document = Document::parse(source);
    let good = |range: &Range<usize>| {
        assert!(range.start <= range.end && range.end <= source.len(), "{range:?}");
        assert!(source.is_char_boundary(range.start) && source.is_char_boundary(range.end), "{range:?}");
    };
    for section in document.sections() {
        [&section.title_range, &section.range, &section.own_range].into_iter().for_each(good);
        let _ = is_empty_section(&document, section);
    }
    for item in document.items() {
        good(&item.range);
        let text = item.text();
        for span in &item.spans {
            assert!(text.is_char_boundary(span.range.start) && text.is_char_boundary(span.range.end));
            good(&item.source(span.range.clone()));
        }
        assert!(item.spans.windows(2).all(|two| two[0].range.end <= two[1].range.start));
        for sentence in sentences(item).iter().cloned() {
            good(&item.source(sentence));
        }
    }
    assert!(document.items().windows(2).all(|two| two[0].range.start <= two[1].range.start));
    for fence in document.fences() {
        good(&fence.range);
        good(&fence.content);
    }
    for cell in document.tables().iter().flat_map(|table| table.header.iter().chain(table.rows.iter().flatten())) {
        good(&cell.range);
    }
    document.comments().iter().for_each(good);
    document.quotes().iter().for_each(good);
    document.details().iter().for_each(|details| good(&details.range));
    document.links_within(&(0..source.len())).iter().for_each(|link| good(&link.range));
    let _ = document.near_miss(["目的", "Acceptance criteria"], ["x"]);
    let _ = numbering(&document, &(0..source.len()), "AC");
}

const PIECES: &[&str] = &[
    "# ",
    "## 目的",
    "\n",
    "\r\n",
    "\r",
    "\n\n",
    "- ",
    "- [ ] ",
    "1. ",
    "> ",
    ">>",
    "```",
    "~~~",
    "`",
    "**",
    "_",
    "| a | b |",
    "|---|---|",
    "<!--",
    "-->",
    "<details>",
    "</details>",
    "<summary>",
    "</summary>",
    "<br>",
    "<b",
    ">",
    "「",
    "」",
    "\"",
    "“",
    "”",
    "AC-1: ",
    "受け入れ条件",
    "(案)",
    "[x](",
    "https://a.example/",
    ")",
    "![",
    "]",
    "&amp;",
    "&#x3042;",
    "\\*",
    "   ",
    "    ",
    "\t",
    "\u{200b}",
    "ｶﾞ",
    "が",
    "===",
    "---",
    "：",
    "TBD",
    "word",
    "。",
    ". ",
    "<code>",
    "</code>",
    "<pre>",
    "<script>",
    "\u{0}",
    "é",
    "🦀",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_text_parses(source in any::<String>()) {
        assert_places(&source);
    }

    #[test]
    fn any_markdown_parses(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..60)) {
        assert_places(&pieces.concat());
    }

    #[test]
    fn line_ends_do_not_matter(pieces in prop::collection::vec(prop::sample::select(&PIECES[6..30]), 0..12)) {
        let unix = pieces.join("\n");
        let titles = |body: &str| Document::parse(body).sections().iter().map(|s| s.key.clone()).collect::<Vec<_>>();
        prop_assert_eq!(titles(&unix), titles(&unix.replace('\n', "\r\n")));
    }
}

#[test]
fn code_over_several_lines_reads_the_same_with_either_line_end() {
    let titles = |body: &str| Document::parse(body).sections().iter().map(|s| s.key.clone()).collect::<Vec<_>>();
    for unix in ["**\n`\n`\n`\n- ", "a `b\nc`\n===", "a `b \n c`\n---", "`\n**\n`\n`\n- "] {
        assert_eq!(titles(unix), titles(&unix.replace('\n', "\r\n")), "{unix:?}");
    }
}

/// 1 MiB of what a parser may trip over, and less of what it has no way to trip over but should not anyway. It must
/// finish; how fast is for the benches.
#[test]
fn large_and_hostile_texts_finish() {
    let large = |piece: &str| piece.repeat((1 << 20) / piece.len());
    let small = |piece: &str| piece.repeat((1 << 16) / piece.len());
    let mut bodies = vec![
        large(">"),
        format!("{}\n{}", ">".repeat(2000), large("a\n")),
        "`".repeat(100_000),
        large("a"),
        large("漢"),
        large("\u{200b}"),
        large("- AC-1: 適切に動く。\n"),
    ];
    bodies.push(format!("{}\n{}\n{}", "|a".repeat(1000), "|-".repeat(1000), small("|\n")));
    bodies.extend(
        [
            "> ",
            "` ",
            "\u{3099}",
            "「",
            "「」",
            "\"",
            "[",
            "[](",
            "![",
            "<",
            "<a ",
            "<!--",
            "x <!-- ",
            "*a ",
            "# a\n",
            "- ",
            "|",
            "```\n",
            "://",
            "http://a ",
            "**x**\n\n",
            "&amp;",
            "<details>",
            "a <summary>b</summary> ",
            "a#",
            "AC-1 ",
            "\r",
            "a\u{430}`a\u{430}`",
            "a\u{430}<code>a\u{430}</code>",
        ]
        .map(small),
    );
    for body in bodies {
        let document = Document::parse(&body);
        let places: usize = document.items().iter().map(|item| sentences(item).len()).sum();
        assert!(places <= body.len());
        assert!(document.line_of(body.len()) >= 1);
    }
}
