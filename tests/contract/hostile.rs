//! Files made to take time or room: each is refused or read, by limits and not by luck.

use super::{SMALL, good, lines, read, with};
use sekisho::domain::contract::MAX_BYTES;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// A text of this piece, up to the size of a contract.
fn full(start: &str, piece: &str) -> String {
    let mut text = start.to_owned();
    text.push_str(&piece.repeat((MAX_BYTES - start.len()) / piece.len()));
    text
}

/// Numbered pieces, up to the size of a contract.
fn numbered(start: &str, piece: impl Fn(usize) -> String, end: &str) -> String {
    let mut text = start.to_owned();
    for index in 0.. {
        let piece = piece(index);
        if text.len() + piece.len() + end.len() > MAX_BYTES {
            break;
        }
        text.push_str(&piece);
    }
    text + end
}

/// Hostile texts with the id of a problem that each must have; none where it is only long.
fn texts() -> Vec<(&'static str, String, Option<&'static str>)> {
    let mut bomb = String::from("kind: handoff\na0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for level in 1..12 {
        let repeats = vec![format!("*a{}", level - 1); 9].join(", ");
        writeln!(bomb, "a{level}: &a{level} [{repeats}]").unwrap();
    }
    let head = SMALL.split_once("gates:").unwrap().0;
    let signals = &SMALL[..SMALL.find("        - something").unwrap()];
    let tail = &SMALL[SMALL.find("templates:").unwrap()..];
    vec![
        ("alias bomb", bomb, Some("expansion")),
        (
            "a wide alias",
            format!("kind: handoff\na: &a \"{}\"\nb: [{}]\n", "x".repeat(200_000), vec!["*a"; 5_000].join(", ")),
            Some("expansion"),
        ),
        ("aliases without anchors", full("kind: handoff\na: [", "*a, "), None),
        ("many aliases", full("kind: handoff\na: &a x\nb: [", "*a, "), None),
        (
            "one megabyte of a scalar",
            format!("kind: handoff\nphases: \"{}\"\n", "x".repeat(1024 * 1024)),
            Some("too-large"),
        ),
        ("a long scalar", full("kind: handoff\nphases: ", "x"), Some("wrong-type")),
        ("a long text", with("something is missing", &"x".repeat(200_000)), Some("too-long")),
        ("a folded scalar", full("kind: handoff\nphases: >\n", "  x\n"), Some("wrong-type")),
        ("brackets", full("kind: handoff\nphases: ", "["), Some("depth")),
        ("brackets alone", full("", "["), None),
        ("braces", full("kind: handoff\nphases: ", "{a: "), Some("depth")),
        ("dashes", full("kind: handoff\nphases:\n", "- "), Some("depth")),
        ("explicit keys", full("kind: handoff\n", "? "), Some("depth")),
        ("anchors", full("kind: handoff\na: ", "&a "), Some("syntax")),
        ("anchors alone", full("", "&a "), None),
        ("anchors on brackets", full("kind: handoff\na: ", "&a ["), Some("depth")),
        ("tags", full("kind: handoff\na: ", "!a "), Some("syntax")),
        ("duplicate keys", full("kind: handoff\n", "a: 1\n"), Some("duplicate-key")),
        ("many keys", numbered("kind: handoff\n", |key| format!("k{key}: 1\n"), ""), Some("unknown-key")),
        (
            "many gates",
            numbered(&format!("{head}gates:\n"), |key| format!("  g{key}: {{}}\n"), ""),
            Some("unknown-gate"),
        ),
        (
            "many gates in a list",
            numbered("phases: []\ngates:\n", |key| format!("- id: g{key}\n"), ""),
            Some("unknown-gate"),
        ),
        (
            "many unknown keys of a profile",
            numbered("phases: []\ngates:\n- {id: start", |key| format!(", k{key}: 1"), "}\n"),
            Some("unused-key"),
        ),
        ("enabled gates", full(&format!("{SMALL}enabled_gates: ["), "start,"), Some("syntax")),
        (
            "many phases",
            numbered(
                "kind: handoff\nphases:\n",
                |key| format!("- {{name: p{key}, receives: {{waiting_level: open}}}}\n"),
                "gates: {start: {phase: q}}\n",
            ),
            Some("missing-phase"),
        ),
        ("many signals", numbered(signals, |key| format!("        - s{key}\n"), tail), Some("too-many-criteria")),
        (
            "the same signal",
            format!("{}{tail}", full(signals, "        - s\n").split_at(200_000 / 12 * 12 + signals.len()).0),
            Some("duplicate-id"),
        ),
        (
            "many fields",
            numbered(
                &SMALL[..SMALL.find("[Purpose]").unwrap()],
                |key| format!("\n    - f{key}"),
                "\ngates: {start: {phase: implementation}}\n",
            ),
            None,
        ),
        (
            "many texts",
            numbered(&format!("{SMALL}split_criteria:\n  always_separate: ["), |key| format!("t{key},"), "]\n"),
            None,
        ),
        ("many names", numbered(&format!("{SMALL}notify: ["), |key| format!("n{key},"), "]\n"), None),
        (
            "patterns",
            numbered(
                signals,
                |key| format!("        - {{id: p{key}, text: t, detect: {{regex: '\\w{{30}}'}}}}\n"),
                tail,
            ),
            Some("too-many-patterns"),
        ),
        (
            "one pattern over and over",
            format!(
                "{}{tail}",
                with("templates:\n", "")
                    .split("templates")
                    .next()
                    .unwrap()
                    .split("  - name")
                    .next()
                    .unwrap()
                    .to_owned()
                    + "  - name: implementation\n    receives:\n      waiting_level: the way is open\n      too_abstract_signals: [&p {text: x, detect: {regex: '\\w{30}'}}"
                    + &", *p".repeat(1_000)
                    + "]\n"
            ),
            Some("too-many-patterns"),
        ),
        ("comments", full(&format!("{SMALL}# "), "# x "), None),
        ("lines of comments", full(SMALL, "#\n"), None),
        (
            "comments between items",
            numbered(
                &SMALL[..SMALL.find("[Purpose]").unwrap()],
                |key| format!("\n    # x\n    - f{key} # y\n      # z"),
                "\ngates: {start: {phase: implementation}}\n",
            ),
            None,
        ),
        ("documents", full("kind: handoff\n", "---\n"), Some("documents")),
        ("directives", full("", "%YAML 1.2\n"), None),
        ("quotes", full("kind: handoff\na: ", "\""), None),
        ("escapes", full("kind: handoff\na: \"", "\\x41"), None),
        ("tabs", full("kind: handoff\na:\n", "\t"), None),
        ("zero-width characters", full("kind: handoff\na: ", "\u{200b}"), Some("unknown-key")),
        ("line ends", full("kind: handoff\n", "\r"), None),
        ("extends again and again", full("kind: handoff\n", "extends: a.yaml\n"), Some("duplicate-key")),
    ]
}

#[test]
fn hostile_files_are_refused_or_read_within_limits() {
    for (name, text, id) in texts() {
        let began = Instant::now();
        let loaded = read(&text);
        // In a debug build beside other tests; what is quadratic takes minutes here.
        assert!(began.elapsed() < Duration::from_secs(30), "{name}: {:?}", began.elapsed());
        let ids: Vec<_> = loaded.problems.iter().map(|problem| problem.id).collect();
        match id {
            Some(id) => assert!(ids.contains(&id), "{name}: {id} is not in {:?}", &ids[..ids.len().min(5)]),
            None => assert!(loaded.contract.is_some() || !ids.is_empty(), "{name}"),
        }
        assert!(loaded.problems.len() <= 101, "{name}");
        for problem in &loaded.problems {
            assert!(problem.source.chars().count() <= 200, "{name}");
            assert!(problem.message.len() + problem.expected.len() < 4_000, "{name}: {problem}");
        }
    }
}

#[test]
fn a_file_of_nothing_but_comments_is_read() {
    let text = format!("{SMALL}{}", lines((0..9_000).map(|line| format!("# line {line}"))));
    good(&text);
}
