//! The only writer and reader of records in comments, and of the marker that names a comment's effect (chapter 10).
//!
//! A comment of ours is, from top to bottom: the [`marker`] as its first line, the part for people, the record as
//! [`write_record`] gives it. Both are looked for in just those places. Whoever reads must have checked before that this
//! App wrote the comment; the signature is checked after, on the parsed value.

use crate::domain::effect::{EffectId, EffectKind, PostedComment};
use crate::domain::ids::{IssueNumber, Language, RunId};
use crate::domain::record::{Record, SCHEMA};
use crate::domain::restore::{PlanPart, Told};
use crate::domain::run::Comment;
use crate::render::neutral::longest_run;
use serde_json::Value;
use std::fmt::Write;

/// Begins every fold that holds a record; later gates may name more behind it.
const FOLD: &str = "<details><summary>machine verdict";

/// What is wrong with a comment that should hold a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CodecError {
    /// The fold is there, the fenced block is not.
    #[error("the record's fold holds no fenced JSON")]
    NoFence,
    /// The fence has no end: the comment was cut.
    #[error("the record's fence is not closed")]
    Unclosed,
    /// More folds than one: nobody can say which counts.
    #[error("{0} records stand in one comment")]
    Several(usize),
    /// What stands in the fence is not JSON.
    #[error("the record is not JSON: {0}")]
    NotJson(String),
    /// JSON, but not a record of a schema that this version knows.
    #[error("the JSON is not a record: {0}")]
    NotARecord(String),
}

/// The record as a fold for the comment's end: pretty JSON, two spaces, in a fence longer than any run of backticks
/// inside. A blank line must stand before it.
#[must_use]
pub fn write_record(record: &Record) -> String {
    #[expect(
        clippy::expect_used,
        clippy::missing_panics_doc,
        reason = "a record holds only strings, integers and lists of them, so it always serialises"
    )]
    let json = serde_json::to_string_pretty(record).expect("a record serialises");
    let fence = "`".repeat(3.max(longest_run(&json, '`') + 1));
    format!("{FOLD} (JSON)</summary>\n\n{fence}json\n{json}\n{fence}\n\n</details>\n")
}

/// The same with the plan of a split behind the record, as YAML, in the same fold (chapter 3).
#[must_use]
pub fn write_record_and_plan(record: &Record, plan: &str, language: Language) -> String {
    let alone = write_record(record);
    let name = match language {
        Language::Ja => "分割案",
        Language::En => "split plan",
    };
    let head = format!("{FOLD} (JSON)</summary>");
    let both = format!("{FOLD} + {name} (JSON / YAML)</summary>");
    let body = alone.trim_end().strip_suffix("</details>").unwrap_or_default().trim_end();
    format!("{}\n\n{}\n\n</details>\n", body.replacen(&head, &both, 1), fenced("yaml", plan))
}

/// A plan that does not fit beside its record, as comments of their own: each with its marker, `part n/m` behind it.
#[must_use]
pub fn write_plan_parts(plan: &str, verdict: &EffectId, language: Language) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut length = 0;
    for line in plan.split_inclusive('\n') {
        let more = line.encode_utf16().count();
        if length + more > PART && length > 0 {
            parts.push(String::new());
            length = 0;
        }
        length += more;
        if let Some(part) = parts.last_mut() {
            part.push_str(line);
        }
    }
    let of = parts.len();
    let name = match language {
        Language::Ja => "分割案",
        Language::En => "Split plan",
    };
    let write = |(at, part): (usize, String)| {
        let ordinal = u32::try_from(at).unwrap_or(u32::MAX);
        let marker = marker(&EffectId { kind: EffectKind::Part, ordinal, ..verdict.clone() });
        let n = at + 1;
        format!(
            "{marker}\n<!-- sekisho:part {n}/{of} -->\n\n<details><summary>{name} ({n}/{of}, YAML)</summary>\n\n{}\n\n</details>\n",
            fenced("yaml", &part)
        )
    };
    parts.into_iter().enumerate().map(write).collect()
}

/// A comment of ours taken apart, for whoever puts records together again. Who wrote it must have been checked.
#[must_use]
pub fn take_apart(at: IssueNumber, comment: &Comment) -> Told {
    let Comment { id, node, url, body, .. } = comment;
    let part = read_part(body).and_then(|(number, of)| Some(PlanPart { number, of, text: read_plan(body)? }));
    let record = read_record_value(body).map_err(|error| error.to_string());
    let plan = if matches!(record, Ok(Some(_))) { read_plan(body) } else { None };
    let comment = PostedComment { id: *id, node: node.clone(), url: url.clone() };
    Told { at, comment, marker: read_marker(body), record, plan, part }
}

/// Which part of a plan a comment holds, and of how many: its second line says so.
fn read_part(body: &str) -> Option<(usize, usize)> {
    let line = body.lines().nth(1)?.trim_end();
    let (number, of) = line.strip_prefix("<!-- sekisho:part ")?.strip_suffix(" -->")?.split_once('/')?;
    Some((number.parse().ok()?, of.parse().ok()?))
}

/// The plan, or the part of one, that a comment of ours holds.
#[must_use]
pub fn read_plan(body: &str) -> Option<String> {
    let body = body.replace("\r\n", "\n").replace('\r', "\n");
    let mut lines =
        body.split('\n').skip_while(|line| !line.starts_with(FOLD) && !line.starts_with("<!-- sekisho:part "));
    let opening = lines.find(|line| {
        line.trim_end_matches("yaml").len() >= 3
            && line.ends_with("yaml")
            && only_backticks(line.trim_end_matches("yaml"))
    })?;
    let fence = opening.trim_end_matches("yaml");
    let mut plan = String::new();
    for line in lines {
        if line.len() >= fence.len() && only_backticks(line.trim_end()) {
            return Some(plan);
        }
        plan.push_str(line);
        plan.push('\n');
    }
    None
}

/// Most of a plan in one comment, in UTF-16 units: the rest is for marker, fold and fence.
const PART: usize = 60_000;

fn fenced(language: &str, text: &str) -> String {
    let fence = "`".repeat(3.max(longest_run(text, '`') + 1));
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{text}{end}{fence}")
}

/// The record of a comment; none where it holds none.
///
/// # Errors
/// A fold that is there and cannot be read.
pub fn read_record(body: &str) -> Result<Option<Record>, CodecError> {
    let Some(value) = read_record_value(body)? else { return Ok(None) };
    match value.get("schema").and_then(Value::as_str) {
        Some(SCHEMA) => {}
        other => return Err(CodecError::NotARecord(format!("schema {other:?}, expected {SCHEMA:?}"))),
    }
    serde_json::from_value(value).map(Some).map_err(|error| CodecError::NotARecord(error.to_string()))
}

/// The record of a comment as a plain value, which is what a signature covers. Line ends, white space, the order of keys
/// and the form of escapes do not matter, so a comment that passed through an editor, `jq` or Python is still read.
///
/// # Errors
/// A fold that is there and holds no JSON object.
pub fn read_record_value(body: &str) -> Result<Option<Value>, CodecError> {
    let body = body.replace("\r\n", "\n").replace('\r', "\n");
    let lines: Vec<&str> = body.split('\n').map(|line| line.trim_matches([' ', '\t'])).collect();
    let Some(fold) = lines.iter().position(|line| line.starts_with(FOLD)) else { return Ok(None) };
    let mut lines = lines[fold + 1..].iter().skip_while(|line| line.is_empty());
    let opening = lines.next().ok_or(CodecError::NoFence)?;
    let fence = opening.strip_suffix("json").map(str::trim_end).ok_or(CodecError::NoFence)?;
    if fence.len() < 3 || !only_backticks(fence) {
        return Err(CodecError::NoFence);
    }
    let mut json = String::new();
    loop {
        let line = lines.next().ok_or(CodecError::Unclosed)?;
        if line.len() >= fence.len() && only_backticks(line) {
            break;
        }
        json.push_str(line);
        json.push('\n');
    }
    let more = folds_after(lines);
    if more > 0 {
        return Err(CodecError::Several(more + 1));
    }
    match serde_json::from_str(&json) {
        Ok(value @ Value::Object(_)) => Ok(Some(value)),
        Ok(_) => Err(CodecError::NotARecord("not an object".to_owned())),
        Err(error) => Err(CodecError::NotJson(error.to_string())),
    }
}

/// Further folds behind a record. The plan's fence may hold anything, and nothing in it is one.
fn folds_after<'a>(lines: impl Iterator<Item = &'a &'a str>) -> usize {
    let mut folds = 0;
    let mut fence: Option<&str> = None;
    for line in lines {
        match fence {
            Some(open) if line.len() >= open.len() && only_backticks(line) => fence = None,
            None if line.ends_with("yaml") && line.len() >= 7 && only_backticks(line.trim_end_matches("yaml")) => {
                fence = line.strip_suffix("yaml");
            }
            None if line.starts_with(FOLD) => folds += 1,
            Some(_) | None => {}
        }
    }
    folds
}

/// The first line of a comment of ours: which create it stands for, so that a restart finds it.
#[must_use]
pub fn marker(effect: &EffectId) -> String {
    format!("<!-- sekisho:effect {} {} {} -->", encode(effect.run.as_str()), effect.kind.as_str(), effect.ordinal)
}

/// The effect that a comment stands for. Only its very first line counts, and only where nothing else is on it.
#[must_use]
pub fn read_marker(body: &str) -> Option<EffectId> {
    let line = body.split(['\n', '\r']).next()?.trim_end();
    let inner = line.strip_prefix("<!-- sekisho:effect ")?.strip_suffix(" -->")?;
    let mut parts = inner.split(' ');
    let (run, kind, ordinal) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    // Only these make comments; labels have no place for a marker.
    let comments = [EffectKind::Comment, EffectKind::Part, EffectKind::Reply, EffectKind::Impact];
    let kind = comments.into_iter().find(|known| known.as_str() == kind)?;
    let number = ordinal.parse::<u32>().ok().filter(|number| number.to_string() == ordinal)?;
    Some(EffectId { run: RunId(decode(run)?), kind, ordinal: number })
}

/// What a check run is called: the create that it stands for, and its pull request, which an event of its own does not
/// always name.
#[must_use]
pub fn external_id(effect: &EffectId, pull: IssueNumber) -> String {
    format!("sekisho:effect {} {} {} #{pull}", encode(effect.run.as_str()), effect.kind.as_str(), effect.ordinal)
}

/// The pull request of a check run of ours, by what it is called.
#[must_use]
pub fn read_external_id(text: &str) -> Option<IssueNumber> {
    let mut words = text.strip_prefix("sekisho:effect ")?.split(' ');
    let (_run, kind, _ordinal, pull) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let known = kind == EffectKind::CheckRun.as_str() && words.next().is_none();
    pull.strip_prefix('#').filter(|_| known)?.parse().ok().map(IssueNumber)
}

fn only_backticks(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte == b'`')
}

/// Percent-encodes all that could end the marker or its word; of `--` the second dash too.
fn encode(run: &str) -> String {
    let mut out = String::with_capacity(run.len());
    for byte in run.bytes() {
        let plain = byte.is_ascii_alphanumeric() || b"._:/~".contains(&byte) || (byte == b'-' && !out.ends_with('-'));
        if plain {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}"); // writing to a String never fails
        }
    }
    out
}

fn decode(word: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(word.len());
    let mut rest = word.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        if first == b'%' {
            let digits = after.get(..2).filter(|pair| pair.iter().all(u8::is_ascii_hexdigit))?;
            bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
            rest = &after[2..];
        } else {
            bytes.push(first);
            rest = after;
        }
    }
    // One text, one marker: what `encode` would have written otherwise is not ours.
    String::from_utf8(bytes).ok().filter(|text| !text.is_empty() && encode(text) == word)
}

#[cfg(test)]
mod tests;
