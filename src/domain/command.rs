//! Commands in comments, and which comments wake a lane (chapters 3 and 10).

use crate::domain::detect::mask_secrets;
use crate::domain::event::Command;
use crate::domain::ids::GateId;
use crate::domain::text::{Document, Item, ItemKind, SpanKind, clip};

/// What a comment is to the door.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommentKind {
    /// It holds a command; this is its line.
    Command(String),
    /// It has a heading, so it may be a report, a plan or a roll-up.
    MaybeReport,
    /// A line answers a question: `Q1 …`.
    Answer,
    /// It is no wake.
    Nothing,
}

/// Longest command line that is kept, in characters.
const LONGEST_LINE: usize = 200;

/// What a comment's body wakes. A command comes before a report, a report before an answer.
#[must_use]
pub fn wakes(body: &str) -> CommentKind {
    let document = Document::parse(body);
    if let Some(line) = first_command(&document) {
        CommentKind::Command(line)
    } else if !document.sections().is_empty() {
        CommentKind::MaybeReport
    } else if lines(&document).any(answers) {
        CommentKind::Answer
    } else {
        CommentKind::Nothing
    }
}

/// The first line that begins with `/gate`, outside of quotes, code and HTML: trimmed, at most 200 characters.
#[must_use]
pub fn command_line(body: &str) -> Option<String> {
    // Most comments hold no command and need no parse.
    body.contains(WORD).then(|| first_command(&Document::parse(body))).flatten()
}

/// What a line asks for; none where it is no command. `/gatekeeper` is none; `intake` is acceptance.
#[must_use]
pub fn parse_command(line: &str) -> Option<Command> {
    let line = line.trim();
    if !is_command(line) {
        return None;
    }
    let lower = line.to_ascii_lowercase();
    let words: Vec<_> = lower.split_whitespace().skip(1).collect();
    let gate = |word: &str| word.parse::<GateId>().ok();
    let unknown = || Command::Unknown(clip(line, LONGEST_LINE).to_owned());
    Some(match words.as_slice() {
        ["status"] => Command::Status,
        ["help"] => Command::Help,
        ["retry"] => Command::Retry(None),
        ["retry", id] => gate(id).map_or_else(unknown, |id| Command::Retry(Some(id))),
        [id] => gate(id).map_or_else(unknown, Command::Gate),
        _ => unknown(),
    })
}

const WORD: &str = "/gate";

fn is_command(line: &str) -> bool {
    line.strip_prefix(WORD).is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
}

/// `Q1`, `Q12:`, `Q3 …`.
fn answers(line: &str) -> bool {
    let Some(rest) = line.strip_prefix('Q') else { return false };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    (1..=4).contains(&digits) && !rest[digits..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
}

fn first_command(document: &Document) -> Option<String> {
    // Masked before it is cut: half a secret would no longer look like one.
    let masked = |line: &str| clip(&mask_secrets(line), LONGEST_LINE).to_owned();
    lines(document).find(|line| is_command(line)).map(masked)
}

/// Lines of plain paragraphs that begin in prose, trimmed: none of lists, quotes, code, tables or HTML.
fn lines(document: &Document) -> impl Iterator<Item = &str> {
    let plain =
        document.items().iter().filter(|item| item.kind == ItemKind::Paragraph && !item.quoted && item.list.is_none());
    plain.flat_map(move |item| {
        let code = hidden(document, item);
        let text = &document.source()[item.range.clone()];
        let mut at = item.range.start;
        text.split_inclusive(['\n', '\r']).filter_map(move |line| {
            let start = at + (line.len() - line.trim_start().len());
            at += line.len();
            let shown = !code.iter().any(|range| range.start < start && start < range.end);
            shown.then(|| line.trim()).filter(|line| !line.is_empty())
        })
    })
}

/// Where in the source an item's code and comments stand.
fn hidden(document: &Document, item: &Item) -> Vec<std::ops::Range<usize>> {
    let code = item.spans.iter().filter(|span| span.kind == SpanKind::Code).map(|span| item.source(span.range.clone()));
    // One byte before code is its tick: a line that begins inside of it begins after that.
    let code = code.map(|range| range.start.saturating_sub(1)..range.end);
    let from = document.comments().partition_point(|comment| comment.end <= item.range.start);
    let comments = document.comments()[from..].iter().take_while(|comment| comment.start < item.range.end).cloned();
    code.chain(comments).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn line(body: &str, expect: Option<&str>) {
        assert_eq!(command_line(body).as_deref(), expect, "{body:?}");
    }

    #[test]
    fn the_first_command_line_counts() {
        line("/gate start", Some("/gate start"));
        line("please\r\n/gate start  \r\n/gate help", Some("/gate start"));
        line("  /gate status", Some("/gate status"));
        line("text\n\n/gate retry start\n", Some("/gate retry start"));
        line("<!-- note -->\n/gate help", Some("/gate help"));
        line(&format!("/gate {}", "x".repeat(300)), Some(&format!("/gate {}", "x".repeat(194))));
    }

    #[test]
    fn quoted_and_coded_lines_are_no_commands() {
        for body in [
            "> /gate start",
            "> said\n> /gate start",
            "`/gate start`",
            "see ` x\n/gate start ` there",
            "```\n/gate start\n```",
            "```\n/gate start",
            "    /gate start",
            "<!--\n/gate start\n-->",
            "a <!-- b\n/gate start\n--> c",
            "- /gate start",
            "run /gate start",
            "# /gate start",
            "/gatekeeper start",
            "/gates",
            "<pre>\n/gate start\n</pre>",
            "|a|\n|-|\n|/gate start|",
            "",
        ] {
            line(body, None);
        }
    }

    #[track_caller]
    fn parse(line: &str, expect: impl Into<Option<Command>>) {
        assert_eq!(parse_command(line), expect.into(), "{line:?}");
    }

    #[test]
    fn commands_are_understood() {
        let unknown = |line: &str| Some(Command::Unknown(line.to_owned()));
        parse("/gate start", Some(Command::Gate(GateId::Start)));
        parse(" /gate  Start ", Some(Command::Gate(GateId::Start)));
        parse("/gate intake", Some(Command::Gate(GateId::Acceptance)));
        parse("/gate\tstatus", Some(Command::Status));
        parse("/gate help", Some(Command::Help));
        parse("/gate retry", Some(Command::Retry(None)));
        parse("/gate retry intake", Some(Command::Retry(Some(GateId::Acceptance))));
        parse("/gate retry nothing", unknown("/gate retry nothing"));
        parse("/gate override start --reason \"x\"", unknown("/gate override start --reason \"x\""));
        parse("/gate", unknown("/gate"));
        parse("/gate start now", unknown("/gate start now"));
        parse("/gatekeeper", None);
        parse("gate start", None);
    }

    #[track_caller]
    fn wake(body: &str, expect: &CommentKind) {
        assert_eq!(&wakes(body), expect, "{body:?}");
    }

    #[test]
    fn few_comments_wake() {
        wake("/gate start", &CommentKind::Command("/gate start".to_owned()));
        wake("## 結論\n満たした。\n\n/gate outcome", &CommentKind::Command("/gate outcome".to_owned()));
        wake("## 結論\n満たした。", &CommentKind::MaybeReport);
        wake("結論\n===\n満たした。", &CommentKind::MaybeReport);
        wake("Q1 300 ms", &CommentKind::Answer);
        wake("see below\nQ12: yes", &CommentKind::Answer);
        for body in [
            "thanks",
            "Q",
            "Quick note",
            "Q1x",
            "> Q1 yes",
            "> ## quoted",
            "/close",
            "```\n# x\n```",
            "`Q1` is open",
            "",
        ] {
            wake(body, &CommentKind::Nothing);
        }
    }

    proptest! {
        #[test]
        fn any_comment_is_read(body in r"(/gate|Q1|\n|\r|`|>| |<!--|-->|#|\PC){0,30}") {
            let kind = wakes(&body);
            prop_assert_eq!(matches!(kind, CommentKind::Command(_)), command_line(&body).is_some());
            if let Some(line) = command_line(&body) {
                prop_assert!(parse_command(&line).is_some());
            }
        }
    }

    #[test]
    fn a_secret_in_a_command_is_masked_even_at_the_cut() {
        let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
        for filler in [0, 150, 160, 170] {
            let line = command_line(&format!("/gate start {} {token}", "x".repeat(filler))).unwrap();
            assert!(!line.contains("a1B2"), "{line}");
        }
    }
}
