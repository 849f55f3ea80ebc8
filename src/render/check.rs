//! The check run of a gate whose verdict stands on a pull request: its title, its summary, and a note for each reason.

use super::words::{self, Standing};
use super::{change, neutral, recorded_reasons};
use crate::domain::effect::{Annotation, AnnotationLevel, CheckReport};
use crate::domain::ids::Language;
use crate::domain::record::{Disposition, Record};
use crate::domain::view::{Check, Conclusion, GateCheck};

/// Where a note stands that belongs to no file: a report is no file of the repository, and GitHub asks for one. Its own
/// Actions write their notes here too.
const NO_FILE: &str = ".github";
/// Most characters of one reason.
const REASON: usize = 2_000;

/// What a check run says on the forge.
#[must_use]
pub fn check_report(check: &Check) -> CheckReport {
    match check {
        Check::Contract(check) => change::contract_check(check),
        Check::Gate(check) => gate_check(check),
    }
}

fn gate_check(check: &GateCheck) -> CheckReport {
    let GateCheck { language, record, .. } = check;
    let words = words::words(*language);
    let standing = Standing { disposition: record.disposition, verdict: record.verdict, cause: record.triage_cause };
    let title = format!("{}: {}", words.full_gate(record.gate), words.standing(standing));
    // The same words whether they are said now or read from the record: an unchanged check run is left alone.
    let reasons =
        if check.reasons.is_empty() { record.reasons.clone() } else { recorded_reasons(*language, &check.reasons) };
    let mut lines: Vec<String> =
        reasons.iter().map(|reason| format!("- {}", neutral::prose(&neutral::shorten(reason, REASON)))).collect();
    lines.push(String::new());
    lines.push(said_where(*language, record));
    let note = |reason: &String, level| Annotation {
        path: NO_FILE.to_owned(),
        line: 1,
        level,
        title: title.clone(),
        message: neutral::shorten(&neutral::visible(reason), REASON),
    };
    let annotations = match level(record.disposition) {
        Some(level) => reasons.iter().map(|reason| note(reason, level)).collect(),
        None => Vec::new(),
    };
    CheckReport {
        conclusion: conclusion(record.disposition),
        summary: neutral::shorten(&lines.join("\n"), change::SUMMARY_LIMIT),
        annotations,
        title,
    }
}

/// A check that a branch rule requires must not let through what a human is still waited for: no `neutral` here.
fn conclusion(disposition: Disposition) -> Conclusion {
    match disposition {
        Disposition::Passed | Disposition::Overridden => Conclusion::Success,
        Disposition::Returned => Conclusion::Failure,
        Disposition::Triage | Disposition::NotJudged => Conclusion::ActionRequired,
    }
}

fn level(disposition: Disposition) -> Option<AnnotationLevel> {
    match disposition {
        Disposition::Passed | Disposition::Overridden => None,
        Disposition::Returned => Some(AnnotationLevel::Failure),
        Disposition::Triage | Disposition::NotJudged => Some(AnnotationLevel::Warning),
    }
}

/// Where the whole verdict stands.
fn said_where(language: Language, record: &Record) -> String {
    let issue = record.subject.number.map_or_else(String::new, |number| format!("#{number}"));
    match language {
        Language::En => format!(
            "The verdict with its next step stands in the comment on the pull request. It judges the report in the \
             description against {issue}; \u{201c}Re-run\u{201d} asks again."
        ),
        Language::Ja => format!(
            "判定と次の一手は、このプルリクエストのコメントにあります。説明文の報告を {issue} と照合しました。\
             「Re-run」で再度確認します。"
        ),
    }
}
