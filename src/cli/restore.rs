//! `sekisho restore`: puts records back that the database lost, from the App's own signed comments on GitHub.
//!
//! Nothing on GitHub changes, and nothing that the database holds. What is not believed is told with its page.

use super::progress::Progress;
use super::serve::{Database, with_app};
use super::{UNREADABLE, complain, say};
use crate::app::{Report, RestoreError, Row, Writing};
use crate::domain::ids::{IssueNumber, RepositoryName};
use crate::domain::record::to_value;
use crate::domain::restore::Fault;
use crate::ports::ForgeError;
use clap::{Args as ClapArgs, ValueEnum};
use comfy_table::{ContentArrangement, Table, presets};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Exit code of a history that is not whole.
const BROKEN: u8 = 1;

/// Arguments of `sekisho restore`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Exit codes: 0 the history is whole; 1 something was changed, is missing or does not follow; 2 it cannot be read or
stored; 64 wrong usage.")]
pub(super) struct Args {
    /// The repository, by its name of now
    #[arg(long, value_name = "OWNER/NAME")]
    repo: RepositoryName,
    /// Only what stands in the comments of this issue or pull request
    #[arg(long, value_name = "N")]
    number: Option<u64>,
    /// Tell what would be put back, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// How to print what was found
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// The configuration file [default: sekisho.toml, where it is there]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// One JSON object
    Json,
}

/// Restores, and tells what came of it.
pub(super) fn run(args: &Args) -> u8 {
    let (writing, database) =
        if args.dry_run { (Writing::DryRun, Database::ReadOnly) } else { (Writing::Stored, Database::Written) };
    let number = args.number.map(IssueNumber);
    let report = with_app(args.config.as_deref(), database, |app| async move {
        let restoring = app.restore(&args.repo, number, writing);
        Progress::during("reading comments from GitHub", restoring).await.map_err(|error| refused(&error))
    });
    match report {
        Ok(report) => {
            let shown = match args.format {
                Format::Text => text(args, &report),
                Format::Json => format!("{:#}\n", json(args, &report)),
            };
            say(&shown);
            if report.faults.iter().any(|fault| fault.what.harms()) { BROKEN } else { 0 }
        }
        Err(error) => {
            complain(&error);
            UNREADABLE
        }
    }
}

fn refused(error: &RestoreError) -> String {
    match error {
        RestoreError::Forge(ForgeError::NotOffered { .. } | ForgeError::Refused { .. }) => {
            format!("{error}; ask for one issue after the other with --number")
        }
        error => error.to_string(),
    }
}

fn text(args: &Args, report: &Report) -> String {
    let (restored, stood) = sums(report);
    let mut out = String::new();
    if !report.rows.is_empty() {
        let mut table = Table::new();
        table.load_style(presets::UTF8_HORIZONTAL_ONLY).set_content_arrangement(ContentArrangement::Dynamic);
        if table.width().is_none() {
            table.set_width(super::records::WIDTH);
        }
        table.set_header(["issue", "gate", if args.dry_run { "missing" } else { "restored" }, "stood", "newest"]);
        for row in &report.rows {
            table.add_row(cells(row));
        }
        out = format!("{}\n", table.trim_fmt());
    }
    for fault in &report.faults {
        out += &line(fault);
    }
    let verb = if args.dry_run { "would be restored" } else { "restored" };
    let of = args.number.map_or_else(|| args.repo.to_string(), |number| format!("{}#{number}", args.repo));
    let harms = report.faults.iter().filter(|fault| fault.what.harms()).count();
    let whole = match harms {
        0 => "the history is whole".to_owned(),
        1 => "1 fault in the history".to_owned(),
        several => format!("{several} faults in the history"),
    };
    let records = if restored == 1 { "record" } else { "records" };
    out + &format!("{of}: {restored} {records} {verb}, {stood} stood already; {whole}\n")
}

fn cells(row: &Row) -> [String; 5] {
    let record = &row.newest;
    let stands = to_value(record).get("disposition").and_then(Value::as_str).unwrap_or_default().to_owned();
    let at = record.judged_at.format("%Y-%m-%d %H:%M UTC");
    [
        format!("#{}", row.number),
        row.gate.to_string(),
        row.restored.to_string(),
        row.stood.to_string(),
        format!("seq {}, {stands}, {at}", record.seq),
    ]
}

fn line(fault: &Fault) -> String {
    let gate = fault.gate.map(|gate| format!(" {gate}")).unwrap_or_default();
    let seq = fault.seq.map(|seq| format!(" {seq}")).unwrap_or_default();
    let url = fault.url.as_ref().map(|url| format!("\n  {url}")).unwrap_or_default();
    // A fault may quote a comment that somebody changed.
    let what: String = fault.what.to_string().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("{}: #{}{gate}{seq}: {what}{url}\n", fault.what.as_str(), fault.number)
}

fn json(args: &Args, report: &Report) -> Value {
    let (restored, stood) = sums(report);
    let row = |row: &Row| {
        let Row { number, gate, restored, stood, newest } = row;
        let newest = json!({
            "seq": newest.seq, "edit": newest.edit, "disposition": newest.disposition, "judged_at": newest.judged_at,
        });
        json!({"number": number, "gate": gate, "restored": restored, "stood": stood, "newest": newest})
    };
    let fault = |fault: &Fault| {
        json!({
            "kind": fault.what.as_str(), "number": fault.number, "gate": fault.gate, "seq": fault.seq,
            "url": fault.url, "what": fault.what.to_string(), "harms": fault.what.harms(),
        })
    };
    json!({
        "repository": args.repo.to_string(),
        "dry_run": args.dry_run,
        "restored": restored,
        "stood": stood,
        "subjects": report.rows.iter().map(row).collect::<Vec<_>>(),
        "faults": report.faults.iter().map(fault).collect::<Vec<_>>(),
    })
}

/// How many records were put back, and how many stood.
fn sums(report: &Report) -> (usize, usize) {
    let rows = report.rows.iter();
    rows.fold((0, 0), |(restored, stood), row| (restored + row.restored, stood + row.stood))
}
