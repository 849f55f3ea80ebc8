//! Commands in comments, and which comments wake a lane (chapters 3 and 10).

use crate::domain::detect::mask_secrets;
use crate::domain::event::{Command, OverrideFault};
use crate::domain::ids::GateId;
use crate::domain::text::{Document, Item, ItemKind, SpanKind, clip};
use chrono::{DateTime, Days, NaiveDate, NaiveTime, Utc};

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

/// Longest command line that is kept, in characters: a reason of 500 and what stands around it.
const LONGEST_LINE: usize = 700;
/// Longest line that is shown to a person, in characters.
const LONGEST_SHOWN: usize = 200;
/// Longest reason of an override, in characters.
const LONGEST_REASON: usize = 500;

/// What a comment's body wakes. A command comes before a report, a report before an answer.
#[must_use]
pub fn wakes(body: &str) -> CommentKind {
    let document = Document::parse(body);
    if let Some(line) = first_command(&document) {
        CommentKind::Command(line)
    } else if !document.sections().is_empty() {
        CommentKind::MaybeReport
    } else if !answered(&document).is_empty() {
        CommentKind::Answer
    } else {
        CommentKind::Nothing
    }
}

/// Whether a text has a heading, so that it may be a report.
#[must_use]
pub fn has_heading(body: &str) -> bool {
    // Without these there is none, and no parse is needed.
    body.contains(['#', '=', '-']) && !Document::parse(body).sections().is_empty()
}

/// The answers that a comment gives, in its order: lines `Q1 …`, also in lists and after `/gate answer`, outside of quotes,
/// code and HTML. What follows such a line in its paragraph belongs to it. A number that comes twice was corrected: the
/// later one counts.
#[must_use]
pub fn answers(body: &str) -> Vec<(u32, String)> {
    if body.contains(['Q', 'q']) { answered(&Document::parse(body)) } else { Vec::new() }
}

/// The first line that begins with `/gate`, outside of quotes, code and HTML: trimmed, at most 700 characters.
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
    let rest = line[WORD.len()..].trim_start();
    let (first, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    match first.to_ascii_lowercase().as_str() {
        "answer" => {
            if let Some((number, text)) = answer(rest.trim()) {
                return Some(Command::Answer { number, text: mask_secrets(text) });
            }
        }
        "override" => {
            return Some(parse_override(rest).unwrap_or_else(|why| Command::BadOverride { why }));
        }
        _ => {}
    }
    let lower = line.to_ascii_lowercase();
    let words: Vec<_> = lower.split_whitespace().skip(1).collect();
    let gate = |word: &str| word.parse::<GateId>().ok();
    let unknown = || Command::Unknown(clip(line, LONGEST_SHOWN).to_owned());
    Some(match words.as_slice() {
        ["status"] => Command::Status,
        ["help"] => Command::Help,
        ["retry"] => Command::Retry(None),
        ["retry", id] => gate(id).map_or_else(unknown, |id| Command::Retry(Some(id))),
        [id] => gate(id).map_or_else(unknown, Command::Gate),
        _ => unknown(),
    })
}

/// What follows `/gate override`: the gate, then `--reason` and `--until` in any order.
fn parse_override(rest: &str) -> Result<Command, OverrideFault> {
    let rest = rest.trim_start();
    let (id, mut rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let shown = |text: &str| clip(&mask_secrets(text), LONGEST_SHOWN).to_owned();
    let gate = id.to_ascii_lowercase().parse().map_err(|_| OverrideFault::NoGate(shown(id)))?;
    let (mut reason, mut until) = (None, None);
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            break;
        }
        let (option, after) = option(rest).ok_or_else(|| OverrideFault::Unexpected(shown(rest)))?;
        let (value, after) = value(after)?;
        match option {
            Flag::Reason => reason = Some(mask_secrets(value.trim())),
            Flag::Until => {
                until = Some(moment(value.trim()).ok_or_else(|| OverrideFault::BadUntil(shown(value)))?);
            }
        }
        rest = after;
    }
    let reason = reason.filter(|reason| !reason.is_empty()).ok_or(OverrideFault::NoReason)?;
    match reason.chars().count() {
        0..=LONGEST_REASON => Ok(Command::Override { gate, reason, until }),
        many => Err(OverrideFault::LongReason(many)),
    }
}

#[derive(Clone, Copy)]
enum Flag {
    Reason,
    Until,
}

/// `--reason`, also with the long dash that keyboards make of two short ones; a blank or `=` follows, or nothing.
fn option(text: &str) -> Option<(Flag, &str)> {
    let word = ["--", "—", "–"].into_iter().find_map(|dash| text.strip_prefix(dash))?;
    [("reason", Flag::Reason), ("until", Flag::Until)].into_iter().find_map(|(name, option)| {
        let head = word.get(..name.len()).filter(|head| head.eq_ignore_ascii_case(name))?;
        let rest = &word[head.len()..];
        let ends = rest.is_empty() || rest.starts_with(|c: char| c.is_whitespace() || c == '=');
        ends.then(|| (option, rest.strip_prefix('=').unwrap_or(rest)))
    })
}

/// A quoted text, or the words before the next option.
fn value(text: &str) -> Result<(&str, &str), OverrideFault> {
    let text = text.trim_start();
    for (open, closing) in [('"', "\"”"), ('“', "”\""), ('”', "”\""), ('「', "」"), ('『', "』"), ('\'', "'")]
    {
        if let Some(inner) = text.strip_prefix(open) {
            let end = inner.find(|c| closing.contains(c)).ok_or(OverrideFault::OpenQuote)?;
            let after = &inner[end..];
            return Ok((&inner[..end], after.split_at(after.chars().next().map_or(0, char::len_utf8)).1));
        }
    }
    let starts = |at: &usize| text[..*at].ends_with(char::is_whitespace) && option(&text[*at..]).is_some();
    let end = text.char_indices().map(|(at, _)| at).find(|at| *at == 0 && option(text).is_some() || starts(at));
    Ok(text.split_at(end.unwrap_or(text.len())))
}

/// A day holds to its end, UTC.
fn moment(text: &str) -> Option<DateTime<Utc>> {
    let day = |day: NaiveDate| Some(day.checked_add_days(Days::new(1))?.and_time(NaiveTime::MIN).and_utc());
    match text.parse::<NaiveDate>() {
        Ok(date) => day(date),
        Err(_) => DateTime::parse_from_rfc3339(text).ok().map(|time| time.with_timezone(&Utc)),
    }
}

const WORD: &str = "/gate";

fn is_command(line: &str) -> bool {
    line.strip_prefix(WORD).is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
}

/// `Q1 …`, `Q12: …`: the number and the text after it, which may be empty.
fn question(line: &str) -> Option<(u32, &str)> {
    let rest = line.strip_prefix(['Q', 'q'])?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (number, text) = rest.split_at(digits);
    let glued = text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    if !(1..=4).contains(&digits) || glued {
        return None;
    }
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || ":：.．)）、".contains(c));
    Some((number.parse().ok()?, text.trim()))
}

/// The same with a text.
fn answer(line: &str) -> Option<(u32, &str)> {
    question(line).filter(|(_, text)| !text.is_empty())
}

fn answered(document: &Document) -> Vec<(u32, String)> {
    let mut found: Vec<(u32, String)> = Vec::new();
    for item in document
        .items()
        .iter()
        .filter(|item| !item.quoted && matches!(item.kind, ItemKind::Paragraph | ItemKind::ListItem))
    {
        let mut open = false;
        for line in lines_of(document, item) {
            let is_gate = is_command(line);
            let given = is_gate.then(|| line[WORD.len()..].trim_start());
            let given =
                given.map(|rest| rest.strip_prefix("answer").filter(|rest| rest.starts_with(char::is_whitespace)));
            match given.unwrap_or(Some(line)).and_then(|line| question(line.trim_start())) {
                Some((number, text)) => {
                    // A correction takes the place of what it corrects.
                    found.retain(|(earlier, _)| *earlier != number);
                    found.push((number, mask_secrets(text)));
                    open = true;
                }
                None if is_gate => open = false,
                None => {
                    if let Some((_, text)) = found.last_mut().filter(|_| open) {
                        text.push_str(if text.is_empty() { "" } else { "\n" });
                        text.push_str(&mask_secrets(line));
                    }
                }
            }
        }
    }
    found.retain(|(_, text)| !text.is_empty());
    found
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
    plain.flat_map(move |item| lines_of(document, item))
}

/// Lines of an item that begin in prose, trimmed.
fn lines_of<'a>(document: &'a Document, item: &'a Item) -> impl Iterator<Item = &'a str> {
    let code = hidden(document, item);
    let text = &document.source()[item.range.clone()];
    let mut at = item.range.start;
    text.split_inclusive(['\n', '\r']).filter_map(move |line| {
        let start = at + (line.len() - line.trim_start().len());
        at += line.len();
        let shown = !code.iter().any(|range| range.start < start && start < range.end);
        shown.then(|| line.trim()).filter(|line| !line.is_empty())
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
        line(&format!("/gate {}", "x".repeat(900)), Some(&format!("/gate {}", "x".repeat(694))));
        line("text\n\n/gate retry start\n", Some("/gate retry start"));
        line("<!-- note -->\n/gate help", Some("/gate help"));
        line(&format!("/gate {}", "x".repeat(300)), Some(&format!("/gate {}", "x".repeat(300))));
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
        parse("/gate answer", unknown("/gate answer"));
        parse("/gate answer Q1", unknown("/gate answer Q1"));
        let answer = |number, text: &str| Command::Answer { number, text: text.to_owned() };
        parse("/gate answer Q1 at most 300 ms", answer(1, "at most 300 ms"));
        parse("/gate Answer q12：300 ミリ秒", answer(12, "300 ミリ秒"));
        parse("/gate", unknown("/gate"));
        parse("/gate start now", unknown("/gate start now"));
        parse("/gatekeeper", None);
        parse("gate start", None);
    }

    #[test]
    fn an_override_needs_a_gate_and_a_reason() {
        let until = |text: &str| Some(text.parse::<DateTime<Utc>>().unwrap());
        let good = |reason: &str, until| Command::Override { gate: GateId::Start, reason: reason.to_owned(), until };
        parse("/gate override start --reason \"x, and y\"", good("x, and y", None));
        parse("/gate override Start --reason “x y” --until 2027-01-31", good("x y", until("2027-02-01T00:00:00Z")));
        parse(
            "/gate override start --until=2027-01-31T09:00:00+09:00 —reason 「急ぎ」",
            good("急ぎ", until("2027-01-31T00:00:00Z")),
        );
        parse(
            "/gate override start --reason it is late --until 2027-01-31",
            good("it is late", until("2027-02-01T00:00:00Z")),
        );
        let bad = |why| Some(Command::BadOverride { why });
        parse("/gate override", bad(OverrideFault::NoGate(String::new())));
        parse("/gate override nothing --reason x", bad(OverrideFault::NoGate("nothing".to_owned())));
        for none in [
            "start",
            "start --reason",
            "start --reason \"\"",
            "start --reason --until 2027-01-31",
            "start --until 2027-01-31",
        ] {
            parse(&format!("/gate override {none}"), bad(OverrideFault::NoReason));
        }
        parse("/gate override start --reason \"x", bad(OverrideFault::OpenQuote));
        parse("/gate override start --reason x --until soon", bad(OverrideFault::BadUntil("soon".to_owned())));
        parse("/gate override start because", bad(OverrideFault::Unexpected("because".to_owned())));
        parse(&format!("/gate override start --reason {}", "理".repeat(500)), good(&"理".repeat(500), None));
        parse(&format!("/gate override start --reason {}", "x".repeat(501)), bad(OverrideFault::LongReason(501)));
    }

    #[track_caller]
    fn given(body: &str, expect: &[(u32, &str)]) {
        let expect: Vec<_> = expect.iter().map(|(number, text)| (*number, (*text).to_owned())).collect();
        assert_eq!(answers(body), expect, "{body:?}");
    }

    #[test]
    fn answers_are_read_line_by_line() {
        given("Q1 300 ms\nQ2: yes\n\nQ3. no", &[(1, "300 ms"), (2, "yes"), (3, "no")]);
        given("thanks\nQ1 at most\n300 ms\n\nnot this", &[(1, "at most\n300 ms")]);
        given("/gate answer Q1 300 ms\n/gate answer Q2 no\n/gate help", &[(1, "300 ms"), (2, "no")]);
        given("- Q1 yes\n- Q2: no\n", &[(1, "yes"), (2, "no")]);
        given("Q1 yes\nQ1 no", &[(1, "no")]);
        given("Q1：はい\nQ2）いいえ", &[(1, "はい"), (2, "いいえ")]);
        given("## Report\n\nQ2 done", &[(2, "done")]);
        for body in
            ["> Q1 yes", "`Q1 yes`", "```\nQ1 yes\n```", "<!-- Q1 yes -->", "Q1", "Q1:", "Quick", "Q1x", "Q12345 x", ""]
        {
            given(body, &[]);
        }
        let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
        assert!(!answers(&format!("Q1 {token}"))[0].1.contains("a1B2"));
    }

    #[test]
    fn a_heading_is_seen() {
        for (body, expect) in
            [("## A\nx", true), ("A\n===", true), ("A\n---", true), ("a - b", false), ("", false), ("> # x", false)]
        {
            assert_eq!(has_heading(body), expect, "{body:?}");
        }
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
        fn any_override_is_read(rest in r#"(--reason|--until|—reason|"|“|”|「|」|=| |2027-01-31|start|x|\PC){0,20}"#) {
            let line = format!("/gate override {rest}");
            prop_assert!(parse_command(&line).is_some(), "{line:?}");
        }

        #[test]
        fn any_comment_is_read(body in r"(/gate|Q1|\n|\r|`|>| |<!--|-->|#|\PC){0,30}") {
            let kind = wakes(&body);
            prop_assert_eq!(matches!(kind, CommentKind::Command(_)), command_line(&body).is_some());
            prop_assert!(kind != CommentKind::Answer || !answers(&body).is_empty());
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
