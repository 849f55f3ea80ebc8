//! A question to the contract, as a draft pull request that changes the file, or as an issue that holds the change where the
//! App may not write files (chapter 3).
//!
//! The change is small and is meant to be argued with: one sentence more in the waiting level, drawn from the places that the
//! verdicts named, and the text of now as a labelled example. Every word of others goes through `neutral`.

use super::neutral::{code, prose, shorten};
use super::{COMMENT_LIMIT, words};
use crate::domain::contract::{BUILTINS, Side, with_waiting_level};
use crate::domain::effect::{FileChange, IssueDraft};
use crate::domain::gates::EXAMPLES;
use crate::domain::ids::Language;
use crate::domain::text::yaml_entry;
use crate::domain::view::{AxisWhy, Boundary, CapCause, ContractFile, Past, Proposal};
use std::fmt::Write as _;

/// Where a contract begins that a repository did not have.
const NEW_FILE: &str = ".github/contracts/handoff.yaml";
/// Most characters of a change that an issue shows.
const LONGEST: usize = 8_000;
/// Most characters of a waiting level that is quoted.
const LONGEST_LEVEL: usize = 2_000;
/// Lines around a change that are shown with it.
const AROUND: usize = 3;

/// What is proposed, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drafted {
    /// The files of the branch; none where no file of this repository can be changed.
    pub files: Vec<FileChange>,
    /// Title and text of the pull request.
    pub pull: (String, String),
    /// The issue that holds the same where there can be no pull request.
    pub issue: IssueDraft,
}

/// Words a proposal. `verdict` is the page of the comment that asks, once it stands.
#[must_use]
pub fn proposal(proposal: &Proposal, verdict: Option<&str>) -> Drafted {
    let level = new_level(proposal);
    let (path, before) = match &proposal.file {
        ContractFile::Here { text, .. } => (proposal.path.as_str(), Some(text.as_str())),
        ContractFile::New => (NEW_FILE, BUILTINS.iter().find(|one| one.name == proposal.path).map(|one| one.text)),
        ContractFile::Elsewhere => (proposal.path.as_str(), None),
    };
    let after = before.and_then(|text| with_waiting_level(text, &proposal.phase, &level));
    let example = example(proposal);
    let title = title(proposal);
    let change = match (before, &after) {
        (Some(before), Some(after)) => fenced("diff", &shorten(&diff(path, before, after), LONGEST)),
        _ => fenced("yaml", &shorten(&yaml_entry(0, "waiting_level", &level), LONGEST)),
    };
    let text = |shape: Shape<'_>| body(proposal, path, &level, verdict, shape);
    let (pull, body) = (text(Shape::Pull { example: &example.path }), text(Shape::Issue { change, example: &example }));
    let files = match after {
        Some(text) => vec![contract_file(proposal, path, text), example],
        None => Vec::new(),
    };
    Drafted { files, pull: (title.clone(), pull), issue: IssueDraft { title, body, labels: Vec::new() } }
}

/// What the same text stands in.
enum Shape<'a> {
    /// A pull request with the files.
    Pull {
        /// Where its example stands.
        example: &'a str,
    },
    /// An issue that holds all of it.
    Issue {
        /// The change, fenced.
        change: String,
        /// The example.
        example: &'a FileChange,
    },
}

fn contract_file(proposal: &Proposal, path: &str, text: String) -> FileChange {
    let replaces = match &proposal.file {
        ContractFile::Here { text, .. } => Some(crate::domain::contract::blob(text)),
        ContractFile::New | ContractFile::Elsewhere => None,
    };
    let message = format!("Draw the line of the waiting level of {}", shorten(&proposal.phase, 40));
    FileChange { path: path.to_owned(), text, replaces, message }
}

/// The text of now with the verdict that it got.
fn example(proposal: &Proposal) -> FileChange {
    let key = proposal.key();
    let case = &proposal.example;
    let mut text = String::new();
    let _ = writeln!(text, "- id: axis-{key}\n  gate: {}", proposal.gate); // writing to a String never fails
    text.push_str(&yaml_entry(2, "input", &case.input));
    if let Some(requirements) = &case.requirements {
        text.push_str(&yaml_entry(2, "requirements", requirements));
    }
    let _ = writeln!(text, "  expected_verdict: {}", case.verdict.as_str());
    text.push_str(&yaml_entry(2, "note", &format!("#{} {} seq {}", proposal.subject, proposal.gate, proposal.seq)));
    let path = format!("{EXAMPLES}/axis-{key}.yaml");
    FileChange { path, text, replaces: None, message: "Add the text in question as a labelled example".to_owned() }
}

/// The waiting level with one sentence more: where the verdicts drew the line.
fn new_level(proposal: &Proposal) -> String {
    let named = |side: Side| -> Vec<&str> {
        let mine = proposal.boundaries.iter().filter(|one| one.side == side);
        mine.map(|one: &Boundary| one.text.trim()).collect()
    };
    let (open, fixed) = (named(Side::TooAbstract), named(Side::TooConcrete));
    let procedure = matches!(proposal.why, AxisWhy::Cap { cause: CapCause::Procedure, .. });
    let level = proposal.waiting_level.trim_end();
    if proposal.why == AxisWhy::Beyond {
        let text = proposal.boundaries.iter().map(|one| one.text.trim()).collect::<Vec<_>>();
        return match proposal.language {
            Language::En => {
                format!(
                    "{}. Not settled yet: \u{201c}{}\u{201d}",
                    level.trim_end_matches('.'),
                    text.join("\u{201d}, \u{201c}")
                )
            }
            Language::Ja => format!("{}。未決: 「{}」", level.trim_end_matches('。'), text.join("」「")),
        };
    }
    match proposal.language {
        Language::En => {
            let list = |texts: &[&str]| {
                texts.iter().map(|text| format!("\u{201c}{text}\u{201d}")).collect::<Vec<_>>().join(", ")
            };
            let mut said = Vec::new();
            if procedure {
                let all = [open, fixed].concat();
                said.push(format!("looked at before the gate is asked for: {}", list(&all)));
            } else {
                said.extend((!open.is_empty()).then(|| format!("not enough is {}", list(&open))));
                said.extend((!fixed.is_empty()).then(|| format!("too much is {}", list(&fixed))));
            }
            format!("{}. {}", level.trim_end_matches('.'), capital(&said.join("; ")))
        }
        Language::Ja => {
            let list = |texts: &[&str]| texts.iter().map(|text| format!("「{text}」")).collect::<Vec<_>>().join("、");
            let mut said = Vec::new();
            if procedure {
                let all = [open, fixed].concat();
                said.push(format!("ゲートに出す前に見るもの: {}", list(&all)));
            } else {
                said.extend((!open.is_empty()).then(|| format!("{}では足りない", list(&open))));
                said.extend((!fixed.is_empty()).then(|| format!("{}は書き過ぎ", list(&fixed))));
            }
            format!("{}。{}", level.trim_end_matches('。'), said.join("。"))
        }
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn title(proposal: &Proposal) -> String {
    let words = words::words(proposal.language);
    let (phase, gate) = (shorten(&proposal.phase, 60), words.full_gate(proposal.gate));
    match proposal.language {
        Language::En => {
            format!("Contract: what does \u{201c}{phase}\u{201d} wait for? ({gate}, #{})", proposal.subject)
        }
        Language::Ja => format!("契約: 「{phase}」の待ち位置を定める({gate}、#{})", proposal.subject),
    }
}

/// As much of the history as fits into what GitHub takes.
fn body(proposal: &Proposal, path: &str, level: &str, verdict: Option<&str>, shape: Shape<'_>) -> String {
    let end = match &shape {
        Shape::Pull { example } => with_example(proposal, example),
        Shape::Issue { change, example } => in_an_issue(proposal.language, change, example),
    };
    let mut text = String::new();
    for (reasons, characters) in [(5, 300), (2, 120), (0, 0)] {
        text = whole(proposal, path, level, &history(proposal, verdict, reasons, characters), &end);
        if text.encode_utf16().count() <= COMMENT_LIMIT {
            return text;
        }
    }
    // Whatever else is long: the example alone can be, and stands in the issue for nobody to lose.
    match shape {
        Shape::Issue { change, .. } => whole(proposal, path, level, "", &change),
        Shape::Pull { .. } => text,
    }
}

fn whole(proposal: &Proposal, path: &str, level: &str, history: &str, end: &str) -> String {
    let key = code(&format!("phases[{}].receives.waiting_level", shorten(&proposal.phase, 80)));
    let file = code(path);
    let asked = prose(&words::question(proposal.language, &question(proposal)));
    let (now, new) = (quote(&proposal.waiting_level), quote(level));
    let marker = proposal.marker();
    match proposal.language {
        Language::En => format!(
            "{marker}\n**Key**: {key} in {file}\n\n**Why**: {asked}\n\n**History of #{}**\n{history}\n\n**Now**\n{now}\n\n**Proposed**\n{new}\n\n\
             {end} Close it to leave the contract as it is: the same question to the same contract is not raised again.\n",
            proposal.subject
        ),
        Language::Ja => format!(
            "{marker}\n**キー**: {file} の {key}\n\n**理由**: {asked}\n\n**#{} の履歴**\n{history}\n\n**現在**\n{now}\n\n**案**\n{new}\n\n\
             {end}契約をこのままにするなら閉じてください。同じ契約への同じ問いは、もう起こしません。\n",
            proposal.subject
        ),
    }
}

fn with_example(proposal: &Proposal, example: &str) -> String {
    let (example, verdict) = (code(example), proposal.example.verdict.as_str());
    match proposal.language {
        Language::En => format!(
            "The labelled example {example} holds the text of now, with the verdict that it got ({verdict}). If you decide otherwise, say so there and in \
             the waiting level: the check run shows what else changes.\n\nNothing of this is in force before a person merges it."
        ),
        Language::Ja => format!(
            "ラベル付き例 {example} に、今の文面と、それが受けた判定({verdict})があります。別の判断をするなら、例と待ち位置の両方を直してください。\
             ほかに何が変わるかは check run に出ます。\n\n人がマージするまで、何も効力を持ちません。"
        ),
    }
}

fn in_an_issue(language: Language, change: &str, example: &FileChange) -> String {
    let (said, summary, end) = match language {
        Language::En => (
            "No pull request could be opened for it: the App may not write files here, or the words stand in another file. The change, for a person to make:",
            "Labelled example",
            "Nothing of this is in force before a person makes the change.",
        ),
        Language::Ja => (
            "プルリクエストにはできませんでした。この App がファイルを書けないか、文言が別のファイルにあります。人の手で反映する変更は次のとおりです。",
            "ラベル付き例",
            "人が反映するまで、何も効力を持ちません。",
        ),
    };
    let (path, text) = (code(&example.path), fenced("yaml", &example.text));
    format!("{said}\n\n{change}<details><summary>{summary}</summary>\n\n{path}\n\n{text}</details>\n\n{end}")
}

fn fenced(language: &str, text: &str) -> String {
    let fence = "`".repeat(super::neutral::longest_run(text, '`').max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}\n\n", text.trim_end_matches('\n'))
}

fn question(proposal: &Proposal) -> crate::domain::view::QuestionSubject {
    use crate::domain::view::QuestionSubject;
    match proposal.why {
        AxisWhy::Swing { from, to } => QuestionSubject::Oscillation { from, to },
        AxisWhy::Cap { returns, cause } => {
            let criterion = proposal.criterion.as_deref().map(|text| shorten(text, 200));
            QuestionSubject::Repeated { cause, returns, criterion }
        }
        AxisWhy::Beyond => {
            let text = proposal.boundaries.first().map(|one| one.text.clone()).unwrap_or_default();
            // A judge's own question is one already.
            if text.trim_end().ends_with(['?', '？', 'か']) {
                QuestionSubject::OfModel(text)
            } else {
                QuestionSubject::Beyond { note: text, quote: None }
            }
        }
    }
}

/// A line for each verdict, with so many of its reasons below.
fn history(proposal: &Proposal, verdict: Option<&str>, most: usize, characters: usize) -> String {
    let mut lines = Vec::new();
    for Past { seq, verdict: said, reasons, url } in &proposal.history {
        let url = url.as_deref().or_else(|| verdict.filter(|_| *seq == proposal.seq));
        lines.push(format!("- {} {}", super::neutral::link(&format!("seq {seq}"), url), said.as_str()));
        let listed = reasons.iter().take(most);
        lines.extend(listed.map(|reason| format!("  - {}", prose(&shorten(reason, characters)))));
        if reasons.len() > most {
            lines.push(format!("  - {}", words::words(proposal.language).more(reasons.len() - most)));
        }
    }
    lines.join("\n")
}

fn quote(text: &str) -> String {
    prose(&shorten(text, LONGEST_LEVEL)).lines().map(|line| format!("> {line}")).collect::<Vec<_>>().join("\n")
}

/// The one stretch of lines that differs, with what stands around it.
fn diff(path: &str, before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let same = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - same;
    let tail = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let (from, until) = (same.saturating_sub(AROUND), (old.len() - tail + AROUND).min(old.len()));
    let mut out = format!("--- a/{path}\n+++ b/{path}\n");
    let lines = until - from;
    let added = lines + new.len() - old.len().min(lines + new.len());
    let _ = writeln!(out, "@@ -{},{lines} +{},{added} @@", from + 1, from + 1); // writing to a String never fails
    let mut put = |mark: char, lines: &[&str]| {
        for line in lines {
            let _ = writeln!(out, "{mark}{line}");
        }
    };
    put(' ', &old[from..same]);
    put('-', &old[same..old.len() - tail]);
    put('+', &new[same..new.len() - tail]);
    put(' ', &old[old.len() - tail..until]);
    out
}

#[cfg(test)]
mod tests;
