//! How long the embedded judge takes for a body at the start gate, all of its detectors included; medians. A plain harness:
//! texts are few and long, and the peer beside it is another program. See README.md; `just bench-judge` runs both.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs, reason = "a benchmark")]

use chrono::{DateTime, Utc};
use sekisho::domain::event::{Cause, CauseKind};
use sekisho::domain::gates;
use sekisho::domain::ids::{GateId, IssueId, IssueNumber, RunId};
use sekisho::domain::reply::Judged;
use sekisho::domain::run::{Contracts, Dossier, Facts, Issue, Judges, Next, Task};
use std::fmt::Write as _;
use std::time::{Duration, Instant};

const MIB: usize = 1 << 20;

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    if let Some(folder) = arguments.next() {
        // The peer reads the same texts.
        for (name, text) in plain() {
            std::fs::write(format!("{folder}/{name}.md"), text).unwrap();
        }
    }
    println!("{:<28} {:>12} {:>12}", "body", "median_ms", "ms/64KiB");
    let mut mib = Duration::ZERO;
    for (name, text) in plain() {
        mib = report(&name, &text, None);
    }
    println!("\n{:<28} {:>12} {:>12} {:>8}", "1 MiB of", "median_ms", "ms/64KiB", "times");
    for (name, text) in adversarial() {
        report(name, &text, Some(mib));
    }
}

fn report(name: &str, text: &str, beside: Option<Duration>) -> Duration {
    let median = median(text);
    let ms = median.as_secs_f64() * 1e3;
    #[expect(clippy::cast_precision_loss, reason = "lengths of texts")]
    let each = ms / (text.len() as f64 / 65_536.0);
    let times = beside.map_or(String::new(), |beside| format!(" {:>8.2}", median.as_secs_f64() / beside.as_secs_f64()));
    println!("{name:<28} {ms:>12.3} {each:>12.3}{times}");
    median
}

/// Of at least five samples, and as many as fit into half a second. A sample holds as many runs as fill 40 ms, since the
/// system counts processor time in steps.
fn median(text: &str) -> Duration {
    let dossier = dossier(text);
    // The shortest of a few: a run that had to wait for a processor would make the samples too short.
    let once = (0..5).map(|_| {
        let began = Instant::now();
        judge(&dossier);
        began.elapsed().as_micros()
    });
    let runs = u32::try_from(40_000 / once.min().unwrap_or(1).max(1)).unwrap_or(1).clamp(1, 1000);
    let mut times = Vec::new();
    let began = Instant::now();
    while times.len() < 5 || began.elapsed() < Duration::from_millis(500) {
        let start = on_processor().unwrap_or_else(|| began.elapsed());
        for _ in 0..runs {
            judge(&dossier);
        }
        let end = on_processor().unwrap_or_else(|| began.elapsed());
        times.push(end.saturating_sub(start) / runs);
    }
    times.sort();
    times[times.len() / 2]
}

/// Time of this thread on a processor, where the system tells it: others that compete for it do not count.
fn on_processor() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

/// From the text to record and view: preflight, all detectors, quotes, masks.
fn judge(dossier: &Dossier) {
    let mut dossier = dossier.clone();
    loop {
        match gates::next(&dossier) {
            Next::Ask(asked) => {
                dossier.facts.answers = asked.iter().map(|one| Judged::by_rules(&one.brief)).collect();
            }
            Next::Done(done) => {
                std::hint::black_box(done);
                return;
            }
            other => unreachable!("{other:?}"),
        }
    }
}

fn dossier(body: &str) -> Dossier {
    let now = DateTime::<Utc>::UNIX_EPOCH;
    let issue = Issue {
        id: IssueId(0),
        number: IssueNumber(1),
        title: String::new(),
        body: body.to_owned(),
        url: String::new(),
        labels: Vec::new(),
        author: None,
        open: true,
        is_pull_request: false,
        locked: false,
        updated_at: now,
        created_at: now,
        parent: None,
        state_reason: None,
    };
    Dossier {
        run: RunId::new("1.start"),
        app: None,
        lane: None,
        repository: None,
        web_url: String::new(),
        cause: Cause { kind: CauseKind::Command, trigger: None, actor: None, source: None, at: now, pull: None },
        task: Task::Gate { gate: GateId::Start, retry: false },
        now,
        contracts: Contracts::Absent,
        judges: Judges::Rules,
        facts: Facts { issue: Some(issue), records: Some(Vec::new()), ..Facts::default() },
    }
}

/// A whole issue with its middle grown to a size: criteria, code, a table, links, as issues have them. The required
/// headings are there, so that preflight does not end the judging.
fn issue(language: &str, size: usize) -> String {
    let (head, item, tail) = if language == "ja" { JA } else { EN };
    let mut text = head.to_owned();
    let mut number = 1;
    while text.len() + tail.len() < size {
        let _ = write!(text, "{}", item.replace("{n}", &number.to_string()));
        number += 1;
    }
    text + tail
}

fn plain() -> Vec<(String, String)> {
    [("ja", 1), ("ja", 64), ("ja", 1024), ("en", 1), ("en", 64), ("en", 1024)]
        .map(|(language, kib)| (format!("{language}-{kib}KiB"), issue(language, kib * 1024)))
        .into()
}

const EN: (&str, &str, &str) = (
    "## Parent requirement\nR-1\n\n## Purpose\nNo reader travels for a book that is out on loan.\n\n## Acceptance criteria\n",
    "- AC-{n}: A return is visible on the page within 60 seconds (10 measurements in the [test environment](https://a.example/env), \
     see `docs/loans.md`).\n\n  ```sh\n  curl -s https://api.example/loans/{n} | jq .state\n  ```\n\n  | state | shown as |\n  \
     |---|---|\n  | out | on loan until 2026-12-{n} |\n\n  Who borrows twice sees the same token of state; the key of the row is \
     the number of the book.\n\n",
    "## Success criteria\n- SC-1: All of them have a test in CI.\n\n## Stop condition\n5 iterations.\n\n## Budget (max_iterations)\n5\n",
);

const JA: (&str, &str, &str) = (
    "## 対応する親要件\nR-1\n\n## 目的\n貸出中の本のために来館することをなくす。\n\n## 受け入れ条件\n",
    "- AC-{n}: 返却の受付から 60 秒以内に「在架」へ変わる([検証環境](https://a.example/env)で 10 回測る。`docs/loans.md` を見る)\n\n  \
     ```sh\n  curl -s https://api.example/loans/{n} | jq .state\n  ```\n\n  | 状態 | 画面の語 |\n  |---|---|\n  | 貸出中 | \
     2026-12-{n} まで貸出中 |\n\n  2 度借りた人にも同じ状態のトークンが出る。行のキーは蔵書の番号とする。\n\n",
    "## 成功基準\n- SC-1: すべてに自動テストがある\n\n## 打ち切り条件\n反復 5 回\n\n## 予算(max_iterations)\n5\n",
);

/// A whole issue with a piece as often as it takes to fill 1 MiB under its last heading.
fn adversarial() -> Vec<(&'static str, String)> {
    let keywords = "ghp_ sk- eyJ AKIA password= token: Bearer key- :AA xoxb- hf_ secret: client_secret= ://a:b@ npm_ ";
    [
        ("nested quotes", "> "),
        ("backticks", "`"),
        ("one line", "the page of a book shows its state "),
        ("kanji", "貸出図書館状態表示"),
        ("zero-width characters", "\u{200b}"),
        ("zero-width between letters", "a\u{200b}"),
        ("Cyrillic between letters", "a\u{430}"),
        ("tag characters", "\u{e0041}"),
        ("-----BEGIN", "-----BEGIN PRIVATE KEY-----"),
        ("keywords of secrets", keywords),
        ("eyJ", "eyJ"),
        ("quoted pieces", "\"a1\"+"),
        ("Base64", "QUFBQUFBQUFB "),
        ("@", "@"),
        ("a@b.", "a@b."),
        ("digits", "0"),
        ("telephone numbers", "090-"),
        ("postcodes", "〒100-"),
        ("prefectures", "東京都"),
        ("brackets", "["),
        ("HTML comments", "<!--"),
        ("list markers", "- "),
        ("table bars", "|"),
        ("vague words", "適切に"),
        ("easy ", "easy "),
    ]
    .map(|(name, piece)| {
        // Behind everything that preflight wants, so that it ends no judging; detectors of wishes look under this heading.
        let whole = issue("ja", 1024).replace("## 目的", "## 背景");
        (name, format!("{whole}\n## 目的\n\n{}\n", piece.repeat(MIB / piece.len())))
    })
    .into()
}
