//! `sekisho records`: what was judged in a repository, as a table or as JSON Lines, straight from the database.
//!
//! It only reads, also while the server runs.

use super::{UNREADABLE, complain, gate, say};
use crate::adapters::store::sqlite::SqliteStore;
use crate::config::Config;
use crate::domain::ids::{GateId, IssueNumber, RepositoryName};
use crate::domain::record::{Record, to_value};
use crate::domain::run::StoredRecord;
use crate::ports::{RecordFilter, Store as _};
use anyhow::Context as _;
use chrono::{DateTime, NaiveDate, Utc};
use clap::{Args as ClapArgs, ValueEnum};
use comfy_table::{ContentArrangement, Table, presets};
use serde_json::Value;
use std::path::PathBuf;

/// Columns of a table that goes to no terminal.
pub(super) const WIDTH: u16 = 120;

/// Arguments of `sekisho records`.
#[derive(Debug, ClapArgs)]
pub(super) struct Args {
    /// The repository, by its name of now
    #[arg(long, value_name = "OWNER/NAME")]
    repo: RepositoryName,
    /// Of this issue or pull request only
    #[arg(long, value_name = "N")]
    number: Option<u64>,
    /// Of this gate only
    #[arg(long, value_name = "ID", value_parser = gate)]
    gate: Option<GateId>,
    /// Judged then or later: 2026-01-31 (UTC), or a time such as 2026-01-31T09:00:00+09:00
    #[arg(long, value_name = "DATE", value_parser = since)]
    since: Option<DateTime<Utc>>,
    /// How to print them
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// The configuration file, which says where the database is [default: sekisho.toml, where it is there]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people, as wide as the terminal
    Table,
    /// The records as they stand, one a line
    Jsonl,
}

/// Lists the records. None at all is no error.
pub(super) fn run(args: &Args) -> u8 {
    let config = match Config::load(args.config.as_deref()) {
        Ok(config) => config,
        Err(problems) => {
            for problem in problems {
                complain(&problem.to_string());
            }
            return UNREADABLE;
        }
    };
    match printed(args, &config) {
        Ok(Some(text)) => say(&text),
        Ok(None) => complain(&format!("no record of {}{} is stored", args.repo, narrowed(args))),
        Err(error) => {
            complain(&format!("{error:#}"));
            return UNREADABLE;
        }
    }
    0
}

/// None where there is nothing to print.
fn printed(args: &Args, config: &Config) -> anyhow::Result<Option<String>> {
    let records = read(args, config)?;
    Ok(match args.format {
        _ if records.is_empty() => None,
        Format::Table => Some(table(&records)),
        Format::Jsonl => Some(lines(&records)?),
    })
}

fn read(args: &Args, config: &Config) -> anyhow::Result<Vec<StoredRecord>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("no runtime")?;
    runtime.block_on(async {
        let url = &config.store.url;
        let store = SqliteStore::open_to_read(url).await.with_context(|| format!("{url} cannot be read"))?;
        let Some(repository) = store.repository_named(&args.repo).await? else { return Ok(Vec::new()) };
        let filter = RecordFilter { number: args.number.map(IssueNumber), gate: args.gate, since: args.since };
        Ok(store.records_of(repository, &filter).await?)
    })
}

/// What the arguments left of the repository, for the sentence that says there is nothing.
fn narrowed(args: &Args) -> String {
    let parts = [
        args.number.map(|number| format!("#{number}")),
        args.gate.map(|gate| format!(" at the gate {gate}")),
        args.since.map(|since| format!(" since {}", since.format("%Y-%m-%d %H:%M UTC"))),
    ];
    parts.into_iter().flatten().collect()
}

fn lines(records: &[StoredRecord]) -> serde_json::Result<String> {
    records.iter().map(|stored| Ok(serde_json::to_string(&stored.record)? + "\n")).collect()
}

fn table(records: &[StoredRecord]) -> String {
    let mut table = Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY).set_content_arrangement(ContentArrangement::Dynamic);
    if table.width().is_none() {
        table.set_width(WIDTH);
    }
    table.set_header(["judged (UTC)", "issue", "gate", "verdict", "stands", "mode", "why"]);
    for stored in records {
        table.add_row(row(&stored.record));
    }
    format!("{}\n", table.trim_fmt())
}

fn row(record: &Record) -> [String; 7] {
    let value = to_value(record);
    let word = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let stands = match (word("disposition"), word("triage_cause")) {
        (Some(stands), Some(cause)) => format!("{stands} ({cause})"),
        (stands, _) => stands.unwrap_or_default(),
    };
    [
        record.judged_at.format("%Y-%m-%d %H:%M").to_string(),
        record.subject.number.map(|number| format!("#{number}")).unwrap_or_default(),
        format!("{} {}", record.gate, record.seq),
        record.verdict.map_or("-", |verdict| verdict.as_str()).to_owned(),
        stands,
        mode(&value).to_owned(),
        record.reasons.first().map(|reason| plain(reason)).unwrap_or_default(),
    ]
}

/// Whether the gate acted or only watched: observed records alone say so (chapter 2, `mode`).
fn mode(record: &Value) -> &str {
    record.get("mode").and_then(Value::as_str).unwrap_or("enforce")
}

/// Reasons quote issues: what would move the terminal's cursor or colours does not.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn since(text: &str) -> Result<DateTime<Utc>, String> {
    let day = || NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?.and_hms_opt(0, 0, 0);
    let time = DateTime::parse_from_rfc3339(text).map(|time| time.to_utc());
    time.ok()
        .or_else(|| day().map(|day| day.and_utc()))
        .ok_or_else(|| "expected a date such as 2026-01-31, or a time such as 2026-01-31T09:00:00Z".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times_are_read() {
        let check = |text: &str, expect: Option<&str>| {
            assert_eq!(since(text).ok().map(|time| time.to_rfc3339()).as_deref(), expect, "{text}");
        };
        check("2026-01-31", Some("2026-01-31T00:00:00+00:00"));
        check("2026-01-31T09:00:00+09:00", Some("2026-01-31T00:00:00+00:00"));
        check("2026-02-31", None);
        check("yesterday", None);
    }

    #[test]
    fn observed_records_say_so() {
        assert_eq!(mode(&serde_json::json!({"gate": "start", "mode": "observe"})), "observe");
        assert_eq!(mode(&serde_json::json!({"gate": "start"})), "enforce");
    }

    #[test]
    fn a_reason_moves_no_cursor() {
        assert_eq!(plain("a\u{1b}[2Jb\nc"), "a [2Jb c");
    }
}
