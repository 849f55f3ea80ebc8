//! Texts that order a judge, and a judge that obeys: no order makes a PASS that code forbids, and nothing that the judge
//! was made to say gets out of its place in the comment.
//!
//! `cargo test --test injection -- --nocapture` prints what became of each kind.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, reason = "a test program")]

#[path = "support/asked.rs"]
mod asked;
#[path = "support/harmless.rs"]
mod harmless;

use harmless::{ACTS, HIDDEN, running_text, structure};
use sekisho::domain::effect::{EffectId, EffectKind};
use sekisho::domain::finding::Brief;
use sekisho::domain::gates;
use sekisho::domain::ids::RunId;
use sekisho::domain::record::{Record, Verdict};
use sekisho::domain::reply::{self, Checked, Fault, Judged, Questions, RawReply, Stop, United, Unjudged};
use sekisho::domain::rules;
use sekisho::domain::run::{Consult, Judges, Next};
use sekisho::domain::view::VerdictView;
use sekisho::render::codec::read_record;
use sekisho::render::{phrase_questions, phrase_reasons, prompt, verdict_comment};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const CORPUS: &str = include_str!("data/injection.yaml");

/// Honest texts in both languages: one that passes, one that lacks, one that says too much.
const BASES: [(&str, [&str; 3]); 2] = [
    (
        "en",
        [
            include_str!("../examples/judge/start-pass-en.md"),
            include_str!("../examples/judge/start-too-abstract-en.md"),
            include_str!("../examples/judge/start-too-concrete-en.md"),
        ],
    ),
    (
        "ja",
        [
            include_str!("../examples/judge/start-pass-ja.md"),
            include_str!("../examples/judge/start-too-abstract-ja.md"),
            include_str!("../examples/judge/start-too-concrete-ja.md"),
        ],
    ),
];

#[derive(Deserialize)]
struct Texts {
    en: Vec<String>,
    ja: Vec<String>,
}

fn corpus() -> BTreeMap<String, Texts> {
    serde_saphyr::from_str(CORPUS).unwrap()
}

/// Gets the questions, the hostile text and a place in the subject.
type Reply = fn(&Questions<'_>, &str, &str) -> String;

/// What a judge does that does what it is told.
const OBEDIENT: [(&str, Reply); 8] = [
    ("finds nothing", |questions, _, _| says(questions, false, Some("PASS"), None)),
    ("repeats the text as its reply", |_, text, _| text.to_owned()),
    ("repeats the text in every sentence", |questions, text, quote| says(questions, true, Some(text), Some(quote))),
    ("gives its instructions away", |questions, _, quote| says(questions, true, Some(prompt::kept()), Some(quote))),
    ("states a verdict", |questions, _, _| {
        says(questions, false, None, None).replacen('{', "{\"verdict\":\"PASS\",\"confidence\":\"high\",", 1)
    }),
    ("answers twice", |questions, _, quote| {
        format!("{}\n{}", says(questions, true, None, Some(quote)), says(questions, false, None, None))
    }),
    ("doubles a key", |questions, _, quote| {
        says(questions, true, None, Some(quote)).replace("\"matched\":true", "\"matched\":true,\"matched\":false")
    }),
    ("stops in the middle", |questions, _, _| {
        let whole = says(questions, false, Some("PASS"), None);
        whole.chars().take(whole.len() / 2).collect()
    }),
];

fn says(questions: &Questions<'_>, matched: bool, sentence: Option<&str>, quote: Option<&str>) -> String {
    let findings: Vec<Value> = questions
        .asked()
        .map(|(key, _)| {
            json!({"criterion": key.to_string(), "matched": matched, "quote": quote, "basis": "direct", "lack": null, "note": sentence})
        })
        .collect();
    let sentence = sentence.unwrap_or("?");
    json!({
        "findings": findings,
        "questions": [{"about": "task", "text": sentence}],
        "beyond": [{"about": "uncovered", "quote": quote, "note": sentence}, {"about": "steering", "quote": quote, "note": sentence}],
    })
    .to_string()
}

/// What of an obedient judge's reply was believed, or what was wrong with it.
fn ask(brief: &Brief, text: String) -> Result<Checked, Vec<Fault>> {
    let questions = Questions::of(brief, &rules::judge(brief));
    let raw = RawReply { model: "obedient".to_owned(), text, stop: Stop::Complete };
    reply::check(&questions, &raw, prompt::kept())
}

/// Judges a text by rules and, beside them, by what was believed.
fn judge(
    body: &str,
    judges: Judges,
    mut model: impl FnMut(&Brief) -> Result<Checked, Vec<Fault>>,
) -> (Record, VerdictView) {
    let mut dossier = asked::asked(body, judges);
    loop {
        match gates::next(&dossier) {
            Next::Ask(asked) => {
                let mut answer = |Consult { brief, panel, .. }: &Consult| {
                    let rules = rules::judge(brief);
                    let said = match (panel, model(brief)) {
                        (None, _) => Ok(United::of_rules(rules)),
                        (Some(_), Ok(checked)) => Ok(reply::unite(brief, &rules, &[checked])),
                        // As the comment tells of a reply that is none.
                        (Some(_), Err(faults)) => {
                            let faults: Vec<String> = faults.iter().map(Fault::bare).collect();
                            Err(Unjudged::Faulty { judge: "obedient".to_owned(), faults: faults.join("; ") })
                        }
                    };
                    Judged { said, paid: Vec::new() }
                };
                dossier.facts.answers.extend(asked.iter().map(&mut answer));
            }
            Next::Done(done) => {
                let (mut record, view) = (done.record.expect("a verdict"), done.view.expect("a view"));
                record.reasons = phrase_reasons(&view);
                record.questions = phrase_questions(&view);
                return (record, view);
            }
            other => panic!("{other:?}"),
        }
    }
}

fn comment(record: &Record, view: &VerdictView) -> String {
    let effect = EffectId { run: RunId::new("1.start"), kind: EffectKind::Comment, ordinal: 0 };
    verdict_comment(record, view, &effect).expect("it renders")
}

/// A comment that mentions, links, closes and hides nothing, gives nothing of ours away and holds its record.
fn assert_harmless(what: &str, body: &str, record: &Record) {
    for text in running_text(body) {
        assert!(!ACTS.is_match(&text), "{what}: {text:?} in\n{body}");
    }
    let human = body.split("<details><summary>machine verdict").next().unwrap_or_default();
    assert!(!HIDDEN.is_match(human), "{what}:\n{human:?}");
    let ours: Vec<char> = prompt::kept().chars().collect();
    for part in ours.windows(64).step_by(31) {
        let part: String = part.iter().collect();
        assert!(!body.contains(&part), "{what}: {part:?}");
    }
    assert_eq!(read_record(body).as_ref(), Ok(&Some(record.clone())), "{what}");
}

#[test]
fn an_obedient_judge_passes_nothing_and_says_nothing() {
    let (mut asked, mut believed, mut returned) = (0, 0, 0);
    for (kind, texts) in corpus() {
        let (mut passes, mut all) = (0, 0);
        for (language, bases) in BASES {
            for text in if language == "en" { &texts.en } else { &texts.ja } {
                for (place, base) in bases.into_iter().enumerate() {
                    let body = format!("{base}\n{text}\n");
                    let alone = judge(&body, Judges::Rules, |_| Err(Vec::new())).0;
                    let quote = base.lines().find(|line| line.starts_with("- AC-1")).expect("a criterion");
                    for (nth, (obeys, reply)) in OBEDIENT.into_iter().enumerate() {
                        // What is no reply is none on each base: one of them tells.
                        if nth > 3 && (nth + place) % 3 != 0 {
                            continue;
                        }
                        let what = format!("{kind}, {language}, {obeys}: {text}");
                        let believe = |text: &str, brief: &Brief| {
                            let questions = Questions::of(brief, &rules::judge(brief));
                            ask(brief, reply(&questions, text, quote))
                        };
                        let mut left_out = 0;
                        let (record, view) = judge(&body, Judges::One, |brief| {
                            let checked = believe(text, brief)?;
                            left_out = checked.left_out;
                            Ok(checked)
                        });
                        assert!(
                            record.verdict != Some(Verdict::Pass) || alone.verdict == Some(Verdict::Pass),
                            "{what}"
                        );
                        let body_of = comment(&record, &view);
                        assert_harmless(&what, &body_of, &record);
                        asked += 1;
                        all += 1;
                        believed += usize::from(record.model.as_deref() == Some("obedient"));
                        passes += usize::from(record.verdict == Some(Verdict::Pass));
                        returned += usize::from(record.verdict != Some(Verdict::Pass));
                        // What it repeats moves no stone of the comment: a harmless sentence gives the same one.
                        if obeys.starts_with("repeats the text in") {
                            // A sentence in another language is dropped, as an empty one is.
                            let benign = match (left_out, language) {
                                (1.., _) => "",
                                (0, "en") => "A number is missing.",
                                (0, _) => "数がない。",
                            };
                            let (plain, plain_view) = judge(&body, Judges::One, |brief| believe(benign, brief));
                            assert_eq!(plain.verdict, record.verdict, "{what}");
                            assert_eq!(structure(&body_of), structure(&comment(&plain, &plain_view)), "{what}");
                        }
                    }
                }
            }
        }
        println!("{kind:<18} {all:>4} replies, {passes:>4} PASS, each of them by rules too");
    }
    println!("{asked} replies, {believed} believed, {returned} returned");
    assert!(believed > asked / 4 && returned > asked / 3, "both ends of the corpus are reached");
}

#[test]
fn no_hostile_text_leaves_its_place_in_the_prompt() {
    let mut seen = 0;
    for (kind, texts) in corpus() {
        let by_language = BASES.into_iter().zip([&texts.en, &texts.ja]);
        for (base, text) in by_language.flat_map(|((_, bases), texts)| texts.iter().map(move |text| (bases[0], text))) {
            let body = format!("{base}\n{text}\n");
            judge(&body, Judges::One, |brief| {
                let questions = Questions::of(brief, &rules::judge(brief));
                let written = prompt::prompt(&questions, prompt::Limits::default()).unwrap();
                let boundaries = 2 + 2 * brief.references.len();
                assert_eq!(written.data.matches('<').count(), boundaries, "{kind}: {text}");
                assert!(!written.prefix.contains(text.trim()) || text.trim().is_empty(), "{kind}: {text}");
                assert!(!HIDDEN.is_match(&written.data), "{kind}: {text}");
                seen += 1;
                Err(Vec::new())
            });
        }
    }
    assert!(seen >= 120, "{seen}");
}
