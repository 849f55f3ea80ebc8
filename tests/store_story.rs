//! The store story: every method of `Store` appears here, and every backend lives through all of it.
//!
//! A backend is added by one line in `on_every_backend!`. Time is by hand: milliseconds after a fixed start.

#![expect(clippy::expect_used, reason = "a test stops at the first surprise")]

mod store_story {
    pub mod ledger;
    pub mod queue;
    pub mod spending;
    pub mod stress;
    pub mod world;
}

use sekisho::adapters::store::sqlite::{SqliteStore, Synchronous};
use tempfile::TempDir;

/// A SQLite database in a folder that goes with it.
async fn sqlite() -> (TempDir, SqliteStore) {
    let folder = TempDir::new().expect("a temporary folder");
    let url = format!("sqlite:{}", folder.path().join("story.db").display());
    let store = SqliteStore::open(&url, Synchronous::Normal).await.expect("a fresh database opens");
    (folder, store)
}

/// SQLite in memory: one connection does everything.
async fn memory() -> ((), SqliteStore) {
    ((), SqliteStore::open("sqlite::memory:", Synchronous::Normal).await.expect("a database in memory opens"))
}

macro_rules! on_every_backend {
    ($($story:ident in $file:ident),+ $(,)?) => {
        on_every_backend!(@ sqlite, on_sqlite, $($story $file)+);
        on_every_backend!(@ memory, on_sqlite_in_memory, $($story $file)+);
    };
    (@ $open:ident, $name:ident, $($story:ident $file:ident)+) => {
        mod $name {$(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $story() {
                let (_keep, store) = super::$open().await;
                super::store_story::$file::$story(store).await;
            }
        )+}
    };
}

on_every_backend! {
    every_method_of_the_queue in queue,
    a_delivery_is_taken_in_once in queue,
    labels_merge_and_keep_their_first_due in queue,
    edits_are_debounced_up_to_the_first_latest in queue,
    one_batch_merges_as_many_would in queue,
    commands_never_merge in queue,
    what_has_begun_is_merged_with_nothing in queue,
    a_lane_goes_in_order_of_arrival in queue,
    an_edit_in_its_window_stops_nobody in queue,
    a_paused_job_stops_nobody_and_comes_back in queue,
    an_expired_lease_is_taken_over_before_later_jobs in queue,
    a_lost_lease_changes_nothing in queue,
    a_release_counts_no_attempt in queue,
    a_dead_job_is_revived_by_its_delivery_or_its_lane in queue,
    a_batch_may_hold_anything in queue,
    records_are_appended_and_read_back in ledger,
    the_subjects_judged_last_are_found in ledger,
    records_of_a_repository_are_found_by_its_name in ledger,
    a_record_behind_the_newest_is_refused_whole in ledger,
    an_effect_is_intended_once_sent_and_settled in ledger,
    what_was_lost_is_put_back_and_nothing_that_stands_is_touched in ledger,
    a_call_is_reserved_then_paid_and_its_receipt_read_back in spending,
    what_was_released_counts_no_more_and_what_is_unknown_does in spending,
    each_scope_has_its_cap in spending,
    a_day_ends_at_midnight in spending,
    sums_stop_at_the_largest_number in spending,
    many_that_ask_at_once_pass_no_cap in spending,
    many_workers_keep_every_lane_in_order in stress,
}

#[tokio::test]
async fn what_was_committed_is_there_after_a_death() {
    // Forgetting the store closes nothing: no checkpoint, no tidy end, as kill -9 leaves it.
    let (folder, store) = sqlite().await;
    let copy = TempDir::new().expect("a temporary folder");
    store_story::queue::fill(&store).await;
    for file in std::fs::read_dir(folder.path()).expect("the folder is readable") {
        let file = file.expect("an entry");
        std::fs::copy(file.path(), copy.path().join(file.file_name())).expect("a copy of the files as they stand");
    }
    let url = format!("sqlite:{}", copy.path().join("story.db").display());
    let again = SqliteStore::open(&url, Synchronous::Full).await.expect("it opens again");
    store_story::queue::is_filled(&again, store_story::queue::Holder::IsGone).await;
    again.close().await.expect("it closes");
    store.close().await.expect("it closes");
}

#[tokio::test]
async fn two_that_open_at_once_both_find_the_tables() {
    let folder = TempDir::new().expect("a temporary folder");
    let url = format!("sqlite:{}", folder.path().join("story.db").display());
    let (first, second) =
        tokio::join!(SqliteStore::open(&url, Synchronous::Normal), SqliteStore::open(&url, Synchronous::Normal));
    let (first, second) = (first.expect("the first opens"), second.expect("the second opens"));
    store_story::queue::fill(&first).await;
    store_story::queue::is_filled(&second, store_story::queue::Holder::Lives).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn caps_hold_across_instances_and_restarts() {
    let folder = TempDir::new().expect("a temporary folder");
    let url = format!("sqlite:{}", folder.path().join("story.db").display());
    let open = || async { SqliteStore::open(&url, Synchronous::Normal).await.expect("it opens") };
    let stores = [open().await, open().await, open().await, open().await, open().await];
    store_story::spending::ten_of_fifty_are_granted(&stores.each_ref()).await;
    for store in stores {
        store.close().await.expect("it closes");
    }
    store_story::spending::nothing_is_left(&open().await).await;
}

#[tokio::test]
async fn tables_of_the_first_version_are_brought_up() {
    use sekisho::ports::Store;
    const FIRST: &str = include_str!("../migrations/sqlite/0001_road.sql");
    let folder = TempDir::new().expect("a temporary folder");
    let url = format!("sqlite:{}", folder.path().join("story.db").display());
    let options: sqlx::sqlite::SqliteConnectOptions = url.parse().expect("a good url");
    let mut raw = sqlx::ConnectOptions::connect(&options.create_if_missing(true)).await.expect("it opens bare");
    let row = "INSERT INTO effects (run, kind, ordinal, installation, repository, number, payload, result)
        VALUES ('r', 'comment', 0, 4242, 77, 1, '{}', '1')";
    for sql in [FIRST, row, "PRAGMA user_version = 1"] {
        sqlx::raw_sql(sql).execute(&mut raw).await.expect("as the first version wrote it");
    }
    drop(raw);
    let store = SqliteStore::open(&url, Synchronous::Normal).await.expect("it comes up");
    let kept = store.entries(&sekisho::domain::ids::RunId::new("r")).await.expect("read");
    assert_eq!(kept.len(), 1, "what stood there stands");
    store_story::spending::ten_of_fifty_are_granted(&[&store]).await;
}

#[tokio::test]
async fn a_newer_schema_is_refused() {
    let (folder, store) = sqlite().await;
    store.close().await.expect("it closes");
    let url = format!("sqlite:{}", folder.path().join("story.db").display());
    let mut raw = <sqlx::SqliteConnection as sqlx::Connection>::connect(&url).await.expect("it opens bare");
    sqlx::query("PRAGMA user_version = 999").execute(&mut raw).await.expect("the version is set");
    drop(raw);
    let error = SqliteStore::open(&url, Synchronous::Normal).await.expect_err("it must not be touched");
    assert!(error.to_string().contains("newer version"), "{error}");
}

#[tokio::test]
async fn who_only_reads_changes_nothing() {
    use sekisho::adapters::store::sqlite::{Schema, inspect};
    use sekisho::ports::{RecordFilter, Store, StoreError};
    let folder = TempDir::new().expect("a temporary folder");
    let file = folder.path().join("story.db");
    let url = format!("sqlite:{}", file.display());
    let seen = inspect(&url).await.expect("nothing is there");
    assert_eq!((seen.schema, seen.journal, seen.file), (Schema::Missing, None, Some(file.clone())));
    assert!(matches!(SqliteStore::open_to_read(&url).await, Err(StoreError::Unavailable(_))));
    assert!(!file.exists(), "no file was made");

    std::fs::write(&file, b"").expect("an empty file");
    assert_eq!(inspect(&url).await.expect("it opens").schema, Schema::Older);
    let older = SqliteStore::open_to_read(&url).await.expect_err("it has no tables");
    assert!(older.to_string().contains("older version"), "{older}");

    let store = SqliteStore::open(&url, Synchronous::Normal).await.expect("it opens");
    store.take_in(&[store_story::world::label("d1", 1, "gate:start", 0)]).await.expect("taken in");
    let seen = inspect(&url).await.expect("it opens beside the other");
    assert_eq!((seen.schema, seen.journal.as_deref()), (Schema::Current, Some("wal")));
    let reader = SqliteStore::open_to_read(&url).await.expect("it opens beside the other");
    let name = sekisho::domain::ids::RepositoryName::new("acme", "widgets");
    let repository = reader.repository_named(&name).await.expect("read").expect("its delivery is there");
    assert_eq!(reader.records_of(repository, &RecordFilter::default()).await, Ok(vec![]));
    assert!(matches!(reader.ping().await, Err(StoreError::Unavailable(_))), "nothing is written");
    store.close().await.expect("it closes");

    let mut raw = <sqlx::SqliteConnection as sqlx::Connection>::connect(&url).await.expect("it opens bare");
    sqlx::query("PRAGMA user_version = 999").execute(&mut raw).await.expect("the version is set");
    for error in [inspect(&url).await.err(), SqliteStore::open_to_read(&url).await.err()] {
        assert!(error.as_ref().is_some_and(|error| error.to_string().contains("newer version")), "{error:?}");
    }
    std::fs::write(&file, vec![7; 8192]).expect("no database");
    assert!(matches!(inspect(&url).await, Err(StoreError::Corrupt(_))));
}

#[tokio::test]
async fn a_full_disk_is_unavailable_and_heals() {
    use sekisho::ports::{Store, StoreError};
    let folder = TempDir::new().expect("a temporary folder");
    let file = folder.path().join("story.db");
    let url = format!("sqlite:{}", file.display());
    SqliteStore::open(&url, Synchronous::Normal).await.expect("it opens").close().await.expect("it closes");
    let pages = 1 + std::fs::metadata(&file).expect("the file is there").len() / 4096;
    let options: sqlx::sqlite::SqliteConnectOptions = url.parse().expect("a good url");
    let options = options.pragma("max_page_count", pages.to_string());
    let store = SqliteStore::open_with(options, Synchronous::Normal).await.expect("it opens");
    let mut refused = 0;
    for n in 0..200 {
        match store.take_in(&[store_story::world::label(&format!("d{n}"), 1, "gate:start", 0)]).await {
            Ok(_) => assert_eq!(refused, 0, "full stays full"),
            Err(StoreError::Unavailable(_)) => refused += 1,
            Err(other) => panic!("{other}"),
        }
    }
    assert!(refused > 0, "the limit was never met");
    store.ping().await.expect("a row that is there can still be written");
    let depth = store.depth().await.expect("it can still be read");
    assert_eq!(depth.ready, 1, "{depth:?}");
}
