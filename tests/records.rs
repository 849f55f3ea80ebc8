//! `sekisho records` as a person meets it: a table that lines up, JSON Lines that are the records, and nothing invented.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, reason = "a test program")]

use sekisho::adapters::store::sqlite::{SqliteStore, Synchronous};
use sekisho::domain::event::{Cause, CauseKind, Lane, Slot, Wake};
use sekisho::domain::ids::{DeliveryId, InstallationId, IssueNumber, RepositoryId, RepositoryName};
use sekisho::domain::record::Record;
use sekisho::ports::{Delivery, Store as _, Work};
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;
use unicode_width::UnicodeWidthStr;

const REPOSITORY: RepositoryId = RepositoryId(77);

/// Runs it in that folder; exit code, standard output, standard error.
fn ran(home: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sekisho"));
    command.args(arguments).current_dir(home).env_clear();
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

/// A record as the service would have made it: judged from an example, with its place filled in.
fn judged(gate: &str, example: &str, number: u64, day: u32) -> Record {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = format!("examples/judge/{example}.md");
    let (_, out, error) = ran(root, &["judge", gate, &file, "--format", "json"]);
    let mut record: Record = serde_json::from_str(&out).unwrap_or_else(|wrong| panic!("{wrong}: {error}"));
    record.repository = Some(REPOSITORY);
    record.subject.number = Some(IssueNumber(number));
    record.judged_at = format!("2026-01-{day:02}T09:00:00Z").parse().unwrap();
    record
}

fn delivery() -> Delivery {
    let at = "2026-01-01T00:00:00Z".parse().unwrap();
    let lane = Lane { installation: InstallationId(7), repository: REPOSITORY, number: IssueNumber(3) };
    let cause = Cause { kind: CauseKind::Label, trigger: None, actor: None, source: None, at, pull: None };
    let wake = Wake { lane, repository: RepositoryName::new("acme", "widgets"), cause };
    let slot = Slot { merge: None, due: at, latest: None };
    let work = Work::Wake { wake: Box::new(wake), slot };
    Delivery { id: DeliveryId::new("d1"), event: "issues.labeled".to_owned(), received_at: at, work }
}

/// A folder with a database of three records, and the server's handle to it.
async fn filled() -> (TempDir, SqliteStore) {
    let home = TempDir::new().unwrap();
    let url = format!("sqlite:{}", home.path().join("sekisho.db").display());
    let store = SqliteStore::open(&url, Synchronous::Normal).await.unwrap();
    store.take_in(&[delivery()]).await.unwrap();
    for record in [
        judged("start", "start-too-abstract-ja", 3, 1),
        judged("acceptance", "acceptance-pass-en", 12, 2),
        judged("start", "start-too-concrete-en", 104, 3),
    ] {
        store.append(&record, &[]).await.unwrap();
    }
    (home, store)
}

#[tokio::test]
async fn a_table_lines_up_whatever_the_language() {
    // The server has the database open all the while.
    let (home, _server) = filled().await;
    let (code, table, error) = ran(home.path(), &["records", "--repo", "acme/widgets"]);
    assert_eq!((code, error.as_str()), (0, ""));
    insta::assert_snapshot!(table, @r#"
    ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
     judged (UTC)       issue   gate           verdict        stands     mode      why
    ════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════
     2026-01-01 09:00   #3      start 1        TOO_ABSTRACT   returned   enforce   曖昧語(適切に・柔軟に等):
                                                                                   「検索をいい感じに改善する。」(5
                                                                                   行目、ほか 4 か所) — いい感じ, 適切に,
                                                                                   高速で, 使いやす, 柔軟に, 十分に
    ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
     2026-01-02 09:00   #12     acceptance 1   PASS           passed     enforce   All 5 required fields are filled in:
                                                                                   Background, Purpose, Value, Budget (cost
                                                                                   cap), Definition of done
    ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
     2026-01-03 09:00   #104    start 1        TOO_CONCRETE   returned   enforce   A certain library or way of
                                                                                   implementation is prescribed: "AC-2:
                                                                                   Cache the list in Redis and read it
                                                                                   through an `OverdueRepository` class
                                                                                   that implements the singleton pattern."
                                                                                   (line 9 and 1 more place) — Redis,
                                                                                   Celery
    ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
    "#);
    let widest = table.lines().map(UnicodeWidthStr::width).max().unwrap();
    assert!(widest <= 120, "{widest}");
}

#[tokio::test]
async fn lines_are_the_records_as_they_stand() {
    let (home, store) = filled().await;
    let arguments = ["records", "--repo", "ACME/Widgets", "--format", "jsonl"];
    let (code, lines, _) = ran(home.path(), &arguments);
    assert_eq!(code, 0);
    let read: Vec<Record> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let stored = store.records_of(REPOSITORY, &sekisho::ports::RecordFilter::default()).await.unwrap();
    assert_eq!(read, stored.into_iter().map(|stored| stored.record).collect::<Vec<_>>());
    assert!(lines.starts_with("{\"gate\":\"start\",\"verdict\":\"TOO_ABSTRACT\""), "the seven keys stand first");
}

#[tokio::test]
async fn filters_narrow_and_nothing_is_no_error() {
    let (home, _server) = filled().await;
    let numbers = |arguments: &[&str]| {
        let all = [&["records", "--repo", "acme/widgets", "--format", "jsonl"], arguments].concat();
        let (code, lines, error) = ran(home.path(), &all);
        let numbers: Vec<u64> =
            lines.lines().map(|line| serde_json::from_str::<Record>(line).unwrap().subject.number.unwrap().0).collect();
        (code, numbers, error)
    };
    assert_eq!(numbers(&["--gate", "start"]), (0, vec![3, 104], String::new()));
    assert_eq!(numbers(&["--number", "12"]), (0, vec![12], String::new()));
    assert_eq!(numbers(&["--since", "2026-01-02"]), (0, vec![12, 104], String::new()));
    assert_eq!(numbers(&["--since", "2026-01-03T18:00:00+09:00"]), (0, vec![104], String::new()));
    let nothing = "sekisho: no record of acme/widgets#12 at the gate start since 2026-01-01 00:00 UTC is stored\n";
    assert_eq!(
        numbers(&["--number", "12", "--gate", "start", "--since", "2026-01-01"]),
        (0, vec![], nothing.to_owned())
    );
    let (code, out, error) = ran(home.path(), &["records", "--repo", "acme/gadgets"]);
    assert_eq!((code, out.as_str(), error.as_str()), (0, "", "sekisho: no record of acme/gadgets is stored\n"));
}

#[test]
fn what_cannot_be_read_says_so_and_makes_nothing() {
    let home = TempDir::new().unwrap();
    let (code, out, error) = ran(home.path(), &["records", "--repo", "acme/widgets"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(error.starts_with("sekisho: sqlite:sekisho.db cannot be read: "), "{error}");
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0);
    std::fs::write(home.path().join("x.toml"), "[database]\nurl = 3\n[x]\n").unwrap();
    let (code, _, error) = ran(home.path(), &["records", "--repo", "acme/widgets", "--config", "x.toml"]);
    assert_eq!((code, error.lines().count()), (2, 2), "{error}");
    for wrong in [&["--repo", "acme"][..], &["--repo", "a/b", "--gate", "x"], &["--repo", "a/b", "--since", "soon"]] {
        assert_eq!(ran(home.path(), &[&["records"], wrong].concat()).0, 64, "{wrong:?}");
    }
}
