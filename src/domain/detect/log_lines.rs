//! What a single line of a log or of raw data looks like. One line proves nothing: `raw_log` decides on blocks.

use super::patterns::{is_in, patterns};
use crate::domain::text::id_at_start;

patterns! {
    /// A time at the beginning, behind a name, or in the places where system and access logs have it.
    TIMED = r"^ \s* [\[(\x22]* (?: [a-z0-9_.\-]{1,24} \s* [|:] \s+ | [a-z]{3,5} \s* [:\]]? \s+ \[? )? (?: \d{4}[\-/.]\d{1,2}[\-/.]\d{1,2} [t\ _]+ )? \d{1,2}:\d{2}:\d{2} \b
        | ^ \s* \[? \d{4}[\-/.]\d{2}[\-/.]\d{2} [t\ ] \d{1,2}:\d{2}
        | ^ \s* (?: [a-z]{3} | \d{1,2}月 ) \ {1,2} \d{1,2} \ \d{2}:\d{2}:\d{2} \ | ^ \s* \[? 1[4-9]\d{8} (?: \d{3} )? (?: \.\d+ )? [\],\s:]
        | ^ \s* \[ (?: trace | debug | info | notice | warn(?:ing)? | error | fatal | critical ) \] [\s:]* \d | ^ \S{3,45} \ \S+ \ \S+ \ \[\d{1,2}/[a-z]{3}/\d{4}:
        | ^ \s* \[ \s* \d{1,6} \. \d{3,6} \] \s";
    /// A level, in capitals or brackets.
    LEVELLED = r"(?-i: ^ \s* [\[<(]? (?: TRACE | DEBUG | INFO | NOTICE | WARN | WARNING | ERROR | ERR | FATAL | CRITICAL | SEVERE ) [\]>):]* [:\s|\-] \s* \S )
        | ^ \s* \[ (?: trace | debug | info | notice | warn(?:ing)? | error | fatal | critical ) \] \s | ^ \s* npm \s (?: warn | err! | error | http | notice | info | verb ) \s | \b level = (?: trace | debug | info | warn | error ) | ^ \s* (?: gyp | yarn | pnpm | pip ) \s+ (?: err! | warn | info ) \s | ^ \s* :: (?: error | warning | notice | debug | group | endgroup ) \b";
    /// A frame of a stack, or a line that opens one.
    FRAME = r"^ \s* at \s+ (?: async \s+ )? \S.* [:(] .* \d+ \)? $ | ^ \s* at \s \S+ \. [a-z]{1,4} : \d+ | ^ \s* file \s \x22 .* \x22 , \s line \s \d+ | ^ \s* \d{1,3} : \s+ (?: 0x[0-9a-f]+ \s - \s )? [a-z_<][\w<>]* (?: :: [\w<>{}\#]+ )* $
        | ^ \s+ \S+ \.go:\d+ (?: \s \+0x | $ ) | ^ goroutine \s \d+ | ^ \s* traceback \s \( | ^ \s* caused\ by: | ^ \s* exception\ in\ thread | \b panicked\ at \s | ^ \s* (?: [\w$]+ \. )* [\w$]* (?: error | exception | panic ) : \s \S | ^ \S+ \( [^()]* 0x[0-9a-f]+ [^()]* \) $
        | ^ \s* \#\d{1,3} \s+ (?: 0x[0-9a-f]+ \s | \S+ \s \( | \S+ \( \d+ \) ) | ^ \s* \.{3} \s \d+ \s more $ | ^ \s* from \s \S+ : \d+ : in \s | ^ \s* stack\ (?:back)?trace: | ^ \s* \S+ \. (?: rb | py | php | ex ) : \d+ : in \s";
    /// A line of a test runner for one test.
    TESTED = r"\b (?-i: PASSED | FAILED | SKIPPED | ERROR | XFAIL | OK ) \s* \[ \s* \d+ % \] | ^ \s* test \s \S+ .* \s \.{3} \s (?: ok | ignored | \x1b?\[?.* failed | failed ) | ^ \s* --- \s (?: pass | fail | skip ) : | ^ \s* === \s (?: run | cont | pause | name ) \b
        | ^ \s* (?: not \s )? ok \s \d+ (?: \s | $ ) | ^ \s* [✓✔√✕✗×✖] \s \S .* \( \s* [\d.]+ \s* m?s \s* \) | ^ \s* (?-i: PASS | FAIL ) \s+ \S+ [/.] \S+ | ^ \s* \S+ \.{3,} \s* (?: ok | passed | failed | skipped ) \s* (?: $ | [\d\[] ) | ^ \s* \[ \s* (?: run | ok | failed | passed ) \s* \] \s | ^ \s* \S+ :: \S+ \s (?: passed | failed | skipped ) \b
        | ^ \s* test_\w+ \s \( .* \) \s* \.{3} \s";
    /// A request, a progress bar, a line of a build, of a compiler, of a dump.
    MACHINE = r"\x22 (?: get | post | put | patch | delete | head | options ) \s \S+ \s http/ | ^ \s* [<>*] \s (?: http/\d | [a-z\-]{3,30} : \s | trying \s | connected \s ) | \d{1,3} \s* % \s* [|\[(]? [█▏▎▍▌▋▊▉░▒▓\#=>\-.]{2,} | ^ \s* [|\[(] [█░▒▓\#=>\-\ .]{6,} [|\])] \s* \d | \b \d+ \s* % \s* \| [█\#\ ]
        | ^ \s* (?-i: Compiling | Downloading | Downloaded | Fetching | Installing | Collecting | Unpacking | Preparing | Selecting | Setting\ up | Pulling | Pushing | Resolving | Checking | Building | Linking | Bundling | Extracting | Copying | Uploading | Processing | Loading ) \s+ \S+ \s (?: v?\d | \( | \S+ : \d | \[ | \.{3} )
        | ^ \s* \#\d{1,3} \s (?: \[ | done | cached | exporting | sha256: | \d+\.\d+ | transferring | error ) | ^ \s* step \s \d+/\d+ \s : | ^ \s* (?: get | hit | ign ) : \d+ \s \S+ | ^ \s* --->? \s [0-9a-f]{10,}
        | ^ \s* [\w./\\\-]+ \. [a-z]{1,4} [:(] \d+ (?: [:,] \d+ )? \)? \s* [:\-] \s* (?: fatal\ )? (?: error | warning | note | info ) \b | ^ \s* [0-9a-f]{6,16} : \s+ (?: [0-9a-f]{2,4} \s ){4,} | ^ \s* [0-9a-f]{8} \s{2} (?: [0-9a-f]{2} \s ){4,}
        | ^ \s* (?: commit \s | sha256: )? [0-9a-f]{32,64} (?: \s | $ ) | ^ \s* [\-dl] (?: [r\-][w\-][xst\-] ){3} [.+@]? \s | ^ \s* [a-z0-9+/]{60,} ={0,2} $ | ^ \s* make (?: \[\d+\] )? : \s \*{3} | ^ \s* \[? \s* \d+ \s* / \s* \d+ \s* \]? \s+ (?: building | compiling | linking | running | test | \S+ \.{3} )";
    /// Values by name, three or more of them.
    PAIRED = r"(?: (?: ^ | [\s,] ) [a-z_][\w.\-]* = \S+ [\s,]* ){3,}";
    /// An object on a line of its own.
    OBJECT = r"^ \s* [\[,]? \s* \{ \s* ['\x22] [^'\x22]+ ['\x22] \s* : .* \} \s* \]? ,? $ | ^ \s* \[ \s* (?: ['\x22\-\d] [^\[\]]* , ){2,} [^\[\]]* \] ,? $";
    /// Figures that stand for many: not a log, even where they stand beside each other.
    AGGREGATE = r"\b (?: p50 | p75 | p9[059] | mean | avg | average | median | stddev | std | sd | total | sum | f1 | precision | recall ) \b | \d+ \s+ (?: passed | failed | tests? | passing | failing ) \b | 平均 | 中央値 | 標準偏差 | 合計 | 件(?:成功|失敗|中)";
}

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A machine wrote it.
    Log,
    /// A record of so many fields, apart by commas, tabs, bars or wide gaps, with figures.
    Record(usize),
    /// A figure and nothing else, or behind what numbers it.
    Figure,
    /// Anything else: prose, code, a command.
    Other,
}

/// Says what a line is; only its beginning is given.
pub(super) fn kind(line: &str) -> Line {
    let bare = line.trim();
    if bare.is_empty() || bare.starts_with("$ ") || bare.starts_with('|') || is_plain(bare) {
        return Line::Other;
    }
    if is_figure(bare) || is_reading(bare) {
        return Line::Figure;
    }
    if bare.matches('=').count() >= 3 && is_in(&PAIRED, line) {
        return if is_in(&AGGREGATE, line) { Line::Other } else { Line::Log };
    }
    if [&TIMED, &LEVELLED, &FRAME, &TESTED, &MACHINE, &OBJECT].into_iter().any(|pattern| is_in(pattern, line)) {
        return Line::Log;
    }
    match fields(bare) {
        Some(count) if !is_in(&AGGREGATE, line) => Line::Record(count),
        _ => Line::Other,
    }
}

/// Whether a line holds nothing that any line of a machine has: looked at first, since most lines are prose.
fn is_plain(line: &str) -> bool {
    let bytes = line.as_bytes();
    let marked = bytes.iter().any(|byte| byte.is_ascii_digit() || matches!(byte, b'[' | b'(' | b'"' | b':' | b'='));
    let capitals = bytes.iter().take(2).all(u8::is_ascii_uppercase);
    let tools = ["npm ", "yarn ", "pnpm ", "gyp ", "pip ", "{"];
    let long = bytes.len() >= 60 && !line.contains(' ');
    !(marked || capitals || long || line.contains("...") || tools.iter().any(|tool| line.starts_with(tool)))
}

/// `231`, `239.87 ms`, `-4`, `12%`
fn is_figure(line: &str) -> bool {
    let digits = line.trim_start_matches(['-', '+']).trim_end_matches(',');
    let number = digits.trim_end_matches(|c: char| c.is_ascii_alphabetic() || matches!(c, '%' | ' ' | 'µ'));
    let unit = digits.len() - number.len();
    unit <= 4 && number.contains(|c: char| c.is_ascii_digit()) && number.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        // `1.` is the marker of a list.
        && !number.ends_with('.')
}

/// `run 3: 239ms`: a figure behind what numbers it. A requirement's result and a percentile are told, not logged.
fn is_reading(line: &str) -> bool {
    let Some((label, figure)) = line.split_once([':', '=']) else { return false };
    label.chars().nth(24).is_none()
        && label.contains(|c: char| c.is_ascii_digit())
        && is_figure(figure.trim())
        && id_at_start(label).is_none()
        && !is_in(&AGGREGATE, label)
}

/// How many fields a record has; none where a line is no record.
fn fields(line: &str) -> Option<usize> {
    let parts: Vec<&str> = if line.contains('\t') {
        line.split('\t').collect()
    } else if line.contains(" | ") {
        line.split(" | ").collect()
    } else if line.contains("  ") {
        line.split("  ").filter(|part| !part.trim().is_empty()).collect()
    } else {
        line.split([',', ';']).collect()
    };
    let by_comma = !line.contains('\t') && !line.contains(" | ") && !line.contains("  ");
    let figures = parts.iter().filter(|part| is_value(part.trim().trim_matches('"'))).count();
    // Words between commas are a sentence or a list of names; a record is mostly short fields, some of them figures.
    let short = parts.iter().all(|part| {
        let part = part.trim();
        part.chars().nth(40).is_none() && (!by_comma || part.matches(' ').count() <= 2)
    });
    let named = parts.first().is_some_and(|part| is_name(part.trim().trim_matches('"')));
    let enough = if by_comma { named || figures * 3 >= parts.len() } else { true };
    (parts.len() >= 3 && figures + usize::from(named) >= 1 && enough && short).then_some(parts.len())
}

/// What names a record: `17`, `q001`, `u-12`.
fn is_name(part: &str) -> bool {
    let letters = part.bytes().take_while(u8::is_ascii_alphabetic).count();
    let digits = part[letters..].trim_start_matches(['-', '_']);
    letters <= 6 && !digits.is_empty() && digits.len() <= 12 && digits.bytes().all(|b| b.is_ascii_digit())
}

fn is_value(part: &str) -> bool {
    let number = part.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '%');
    part.len() - number.len() <= 3
        && number.bytes().any(|b| b.is_ascii_digit())
        && number
            .bytes()
            .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'+' | b':' | b'/' | b'e' | b'_' | b'T'))
}

/// A line without what changes from row to row: digits, and words in quotation marks.
pub(super) fn template(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut quoted = false;
    for c in line.trim().chars() {
        match c {
            '"' => {
                quoted = !quoted;
                out.push('"');
            }
            _ if quoted => {}
            '0'..='9' => {
                if !out.ends_with('0') {
                    out.push('0');
                }
            }
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expect: Line) {
        assert_eq!(kind(line), expect, "{line:?}");
    }

    #[test]
    fn lines_of_machines_are_known() {
        for line in [
            "2024-05-01 10:00:01 INFO 起動",
            "[10:00:01] build: 開始",
            "10:00:01.120 受信 id=1",
            "May  1 10:00:01 host list[812]: started",
            "5月 01 10:00:01 host list[812]: 起動",
            "worker-1 | 10:00:01 picked job 811",
            "[INFO] reading",
            "ERROR: no such table",
            "npm warn deprecated a@1.0.0",
            "    at List.row (/srv/app/list.js:41:17)",
            "    at com.acme.Store.open(Store.java:41)",
            "  File \"/srv/main.py\", line 41, in <module>",
            "ValueError: x",
            "   4: acme::main",
            "tests/a.py::test_b PASSED [  8%]",
            "test list::empty ... ok",
            "--- PASS: TestState (0.01s)",
            "not ok 4 - sorts",
            "✓ shows the state (12 ms)",
            "1.2.3.4 - - [01/May/2024:10:00:01 +0000] \"GET / HTTP/1.1\" 200 5",
            "読み込み中  10% [###       ]",
            "   Compiling serde v1.0.200",
            "#7 DONE 4.4s",
            "list.c:41:9: warning: unused",
            "00000010: 0000 0010 0000 0010 0806  ....",
            "{\"run\":1,\"ok\":true},",
            "epoch=1 loss=2.3 lr=0.1",
        ] {
            check(line, Line::Log);
        }
        check("1,231,200", Line::Record(3));
        check("list-7f9c-aa1  1/1    Running  0   3d", Line::Record(5));
        check("  1 | a01   | 231", Line::Record(3));
        check("q001,首都はどこか,東京,東京", Line::Record(4));
        check("239.87 ms", Line::Figure);
        check("3回目: 239ms", Line::Figure);
    }

    #[test]
    fn lines_of_people_are_not() {
        for line in [
            "",
            "テストは 35 件成功、0 件失敗。",
            "35 passed, 0 failed in 4.2 s",
            "test result: ok. 35 passed; 0 failed",
            "p50=120 p95=240 p99=310",
            "10 時に始め、10 時 5 分に終えた。",
            "$ npm ci",
            "npm run bench -- --seed 7",
            "OS=Debian 12",
            "- name: list",
            "page = 50",
            "1. 一覧を開く",
            "AC-1: 満たした",
            "  --json      JSON で出す",
            "let sum: u32 = rows.iter().sum();",
            "├── view.ts",
            "A[一覧] --> B[詳細]",
            "git checkout 9f8e7d6",
            "columns id, name, street, phone",
            "make -j4 test",
            "Error handling was added in 3 places",
            "2024-05-01 に測った。",
            "SELECT state, count(*)",
            "curl -s https://a.dev/x",
            "For 1, 2 and 3 users it works.",
            "info: see the table",
            "At 10:00 the run began",
            "AC-1: 240 ms",
            "p95: 240 ms",
        ] {
            check(line, Line::Other);
        }
    }
}
