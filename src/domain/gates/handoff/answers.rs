//! Answers to a verdict's questions: quoted into the body as data, then the gate runs again from preflight (chapter 3).

use super::super::{Ask, Step, done, ended, reply, spoken, trust};
use crate::domain::command::answers;
use crate::domain::detect;
use crate::domain::effect::{BodyEdit, Effect};
use crate::domain::ids::{CommentId, GateId, Language};
use crate::domain::record::{QuestionKind, Record};
use crate::domain::run::{Done, Dossier, Given, Issue, Next, Then};
use crate::domain::text::{Document, clip};
use crate::domain::view::ReplyKind;

/// Longest answer that is taken over, in characters.
const LONGEST: usize = 1_000;
/// Longest body that GitHub takes, in characters.
const BODY: usize = 65_536;

/// What the run of an answer wants next.
pub(in super::super) fn next(dossier: &Dossier, given: &Given) -> Next {
    match steps(dossier, given) {
        Ok(gate) => super::next(dossier, gate, Ask::Answered),
        Err(early) => ended(Err(early)),
    }
}

/// The gate to run once every answer stands in the body.
fn steps(dossier: &Dossier, given: &Given) -> Step<GateId> {
    let records = reply::records(dossier)?;
    let issue = reply::running(dossier)?;
    let asked = records
        .iter()
        .map(|stored| &stored.record)
        .filter(|record| {
            !record.is_observed() && record.questions.iter().any(|one| one.kind == QuestionKind::TaskQuestion)
        })
        .max_by_key(|record| record.judged_at);
    let Some(asked) = asked else {
        return match given {
            Given::ByCommand { number, .. } => no_such(dossier, issue, *number),
            Given::InComment => done(Done::nothing("nothing was asked")),
        };
    };
    let told = told(dossier, issue, given)?;
    let author = issue.author.as_ref() == dossier.cause.actor.as_ref() && issue.author.is_some();
    if !author && !trust::has(dossier, &[], crate::domain::run::Permission::Triage)? {
        return match given {
            Given::ByCommand { .. } => {
                done(reply::answer(dossier, issue, reply::refused(dossier, "triage"), "refused"))
            }
            Given::InComment => done(Done::nothing("not trusted")),
        };
    }
    let open = |number: u32| asked.questions.get(number.checked_sub(1)? as usize);
    let mut lines = Vec::new();
    for (number, text) in told {
        match open(number).filter(|question| question.kind == QuestionKind::TaskQuestion) {
            Some(_) => lines.push(line(asked, number, &text)),
            None if matches!(given, Given::ByCommand { .. }) => return no_such(dossier, issue, number),
            None => {}
        }
    }
    if lines.is_empty() {
        return done(Done::nothing("no answer in it"));
    }
    let after = with(&issue.body, &lines, spoken(dossier, issue));
    if after == issue.body {
        return Ok(asked.gate);
    }
    if after.encode_utf16().count() > BODY {
        return done(reply::answer(dossier, issue, ReplyKind::NoRoom, "no room"));
    }
    let edit = BodyEdit { before: issue.body.clone(), after };
    done(Done { then: Then::Again, ..Done::effects(vec![Effect::EditBody(edit)], "answered") })
}

fn no_such<T>(dossier: &Dossier, issue: &Issue, number: u32) -> Step<T> {
    done(reply::answer(dossier, issue, ReplyKind::NoSuchQuestion { number }, "no such question"))
}

/// The answers that were given, by number.
fn told(dossier: &Dossier, issue: &Issue, given: &Given) -> Step<Vec<(u32, String)>> {
    match given {
        Given::ByCommand { number, text } => Ok(vec![(*number, text.clone())]),
        Given::InComment => {
            let source = dossier.cause.source.map(CommentId);
            let comments = reply::comments(dossier, issue.number)?;
            let comment = comments.iter().find(|comment| Some(comment.id) == source);
            Ok(comment.map(|comment| answers(&comment.body)).unwrap_or_default())
        }
    }
}

/// One line of the body: which question of which record, and the words as data.
fn line(asked: &Record, number: u32, text: &str) -> String {
    format!("- Q{number} ({} {}): {}", asked.gate, asked.seq, data(text)).trim_end().to_owned()
}

/// The words in one line, unable to call anybody or to open a tag; secrets are masked.
fn data(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = detect::mask_secrets(&words.join(" "));
    clip(&line, LONGEST).replace('@', "＠").replace('<', "＜")
}

/// The body with the lines that it lacks, below the heading that holds answers.
fn with(body: &str, lines: &[String], language: Language) -> String {
    let missing: Vec<&str> =
        lines.iter().map(String::as_str).filter(|line| !body.lines().any(|one| one.trim_end() == *line)).collect();
    if missing.is_empty() {
        return body.to_owned();
    }
    let heading = match language {
        Language::Ja => "質問への回答",
        Language::En => "Answers",
    };
    let missing = missing.join("\n");
    let document = Document::parse(body);
    match document.section([heading]) {
        Some(section) => {
            let (before, after) = body.split_at(section.range.end);
            let gap = if after.is_empty() { "\n" } else { "\n\n" };
            format!("{}\n{missing}{gap}{}", before.trim_end(), after.trim_start_matches('\n'))
        }
        None => format!("{}\n\n## {heading}\n\n{missing}\n", body.trim_end()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn answers_stand_below_their_heading() {
        let once = with("## Value\nmuch\n", &["- Q1 (start 1): two seconds".into()], Language::En);
        assert_eq!(once, "## Value\nmuch\n\n## Answers\n\n- Q1 (start 1): two seconds\n");
        let twice = with(&once, &["- Q2 (start 1): ten".into()], Language::En);
        assert_eq!(twice, "## Value\nmuch\n\n## Answers\n\n- Q1 (start 1): two seconds\n- Q2 (start 1): ten\n");
        assert_eq!(with(&twice, &["- Q1 (start 1): two seconds".into()], Language::En), twice);
        let between = "## Answers\n\n- Q1 (start 1): a\n\n## Budget\n3\n";
        let after = with(between, &["- Q2 (start 1): b".into()], Language::En);
        assert_eq!(after, "## Answers\n\n- Q1 (start 1): a\n- Q2 (start 1): b\n\n## Budget\n3\n");
    }

    #[test]
    fn words_are_data() {
        assert_eq!(data("ask\n@hanako <b>now</b>"), "ask ＠hanako ＜b>now＜/b>");
    }

    proptest! {
        #[test]
        fn an_answer_is_put_in_once(body in r"(\PC|\n|## Answers\n){0,30}", text in r"\PC{0,20}") {
            let lines = [format!("- Q1 (start 1): {}", data(&text)).trim_end().to_owned()];
            let once = with(&body, &lines, Language::En);
            prop_assert_eq!(with(&once, &lines, Language::En), once);
        }
    }
}
