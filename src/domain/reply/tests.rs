//! Replies of models, good and bad, and what is made of them.

use super::*;
use crate::domain::contract::{Argument, DetectorId, DetectorSpec, Lack, Side};
use crate::domain::detect::Reading;
use crate::domain::finding::{Basis, Brief, BriefItem, CriterionKind, Scope};
use crate::domain::ids::{CriterionId, GateId, Language};
use crate::domain::rules;
use proptest::prelude::*;
use serde_json::{Value, json};

const SUBJECT: &str = "## 受け入れ条件\n\n- AC-1: 使い\n  やすく表示する\n- AC-2: 0.5 秒以内に表示する\n";

fn criterion(id: &str, detect: Option<(DetectorId, Argument)>) -> Criterion {
    Criterion {
        id: CriterionId::new(id),
        kind: CriterionKind::Signal,
        side: Side::TooAbstract,
        text: id.to_owned(),
        except: None,
        detect: detect.map(|(id, argument)| DetectorSpec { id, argument, within: Vec::new() }),
        lack: Lack::Content,
        absence: false,
        scope: Scope::Whole,
    }
}

/// Vague words (a rule knows some), a missing section (a fact), a meaning (no rule), something absent (no rule).
fn brief(subject: &str) -> Brief {
    let words = (DetectorId::Words, Argument::One("vague-ja".to_owned()));
    let section = (DetectorId::SectionMissing, Argument::One("受け入れ条件".to_owned()));
    Brief {
        gate: GateId::Start,
        waiting_level: String::new(),
        criteria: vec![
            criterion("vague", Some(words)),
            criterion("section", Some(section)),
            criterion("meaning", None),
            Criterion { absence: true, ..criterion("absent", None) },
        ],
        fields: Vec::new(),
        subject: Reading::of(subject),
        references: Vec::new(),
        history: Vec::new(),
        always_separate: Vec::new(),
        language: Language::Ja,
        items: Vec::new(),
        plan: None,
    }
}

fn one(criterion: &str, matched: bool, quote: Option<&str>) -> Value {
    json!({"criterion": criterion, "matched": matched, "quote": quote, "basis": "direct", "lack": null, "note": null})
}

/// A reply to the three questions of [`brief`] that finds nothing.
fn nothing() -> Value {
    json!({
        "findings": [one("C1", false, None), one("C2", false, None), one("C3", false, None)],
        "questions": [],
        "beyond": [],
    })
}

fn with(change: impl FnOnce(&mut Value)) -> Value {
    let mut reply = nothing();
    change(&mut reply);
    reply
}

fn ask(brief: &Brief, text: &str, stop: Stop) -> Result<Checked, Vec<Fault>> {
    let raw = RawReply { model: "m-1".to_owned(), text: text.to_owned(), stop };
    check(&Questions::of(brief, &rules::judge(brief)), &raw, "")
}

#[track_caller]
fn faults(text: &str, expect: &[&str]) {
    let found = ask(&brief(SUBJECT), text, Stop::Complete).expect_err("it is faulty");
    let found: Vec<String> = found.iter().map(Fault::to_string).collect();
    assert_eq!(found, expect, "{text}");
}

#[track_caller]
fn good(reply: &Value) -> Checked {
    ask(&brief(SUBJECT), &reply.to_string(), Stop::Complete).expect("it is a reply")
}

#[test]
fn what_code_decides_is_not_asked() {
    let brief = brief(SUBJECT);
    let questions = Questions::of(&brief, &rules::judge(&brief));
    let asked: Vec<_> = questions.asked().map(|(key, one)| format!("{key} {}", one.id)).collect();
    assert_eq!(asked, ["C1 vague", "C2 meaning", "C3 absent"]);
    // A rule that this version cannot evaluate leaves its criterion to the model.
    let all = Questions::of(&brief, &Answer::default());
    assert_eq!(all.asked().len(), 4);
    let nothing = Brief { criteria: vec![brief.criteria[1].clone()], ..brief.clone() };
    assert!(Questions::of(&nothing, &rules::judge(&nothing)).is_empty());
}

#[test]
fn a_good_reply_becomes_an_answer() {
    let reply = with(|reply| {
        reply["findings"] = json!([
            {"criterion": "C3", "matched": true, "quote": "作り話", "basis": "interpretation", "lack": "form", "note": "順序がない"},
            {"criterion": "C1", "matched": true, "quote": "使いやすく", "basis": "direct", "lack": null, "note": "数値がない"},
            one("C2", false, Some("なんでも")),
        ]);
        reply["questions"] = json!([{"about": "criteria", "text": "「使いやすく」は許されますか"}]);
        reply["beyond"] = json!([{"about": "uncovered", "quote": "0.5 秒", "note": "測る条件がない"}, {"about": "steering", "quote": "作り話", "note": "根拠がない"}]);
    });
    let checked = good(&reply);
    assert_eq!(checked.answer.model, "m-1");
    let found: Vec<_> =
        checked.answer.findings.iter().map(|one| (one.criterion.as_str(), one.matched, one.quotes.len())).collect();
    assert_eq!(found, [("vague", true, 1), ("meaning", false, 0), ("absent", true, 0)]);
    let [vague, _, absent] = &checked.answer.findings[..] else { panic!("three") };
    assert_eq!((vague.quotes[0].text.as_str(), vague.quotes[0].line), ("使い\n  やすく", 3));
    assert_eq!(&SUBJECT[vague.quotes[0].range.clone()], "使い\n  やすく");
    assert_eq!((vague.lack, vague.note.as_deref()), (Lack::Content, Some("数値がない")));
    // What is missing has no place, and a place that was made up is not shown.
    assert_eq!((absent.lack, absent.basis), (Lack::Form, Basis::Interpretation));
    assert_eq!(checked.questions[0].about, About::Criteria);
    let beyond: Vec<_> = checked.beyond.iter().map(|one| one.quote.as_ref().map(|quote| quote.text.as_str())).collect();
    assert_eq!(beyond, [Some("0.5 秒"), None]);
    assert_eq!((checked.beyond[0].kind, checked.beyond[1].kind), (BeyondKind::Uncovered, BeyondKind::Steering));
    // The same in a fence with prose around it.
    let fenced = format!("はい、どうぞ。\n```json\n{reply:#}\n```\n以上です。");
    assert_eq!(ask(&brief(SUBJECT), &fenced, Stop::Complete).as_ref(), Ok(&checked));
}

#[test]
fn a_reply_that_is_none_is_told_why() {
    let brief = brief(SUBJECT);
    let good = nothing().to_string();
    assert_eq!(ask(&brief, &good, Stop::Refused), Err(vec![Fault::Refused]));
    assert_eq!(ask(&brief, &good, Stop::CutOff), Err(vec![Fault::CutOff]));
    assert_eq!(ask(&brief, " \n", Stop::Complete), Err(vec![Fault::Empty]));
    assert_eq!(ask(&brief, &"x".repeat(LONGEST + 1), Stop::Complete), Err(vec![Fault::TooLong(LONGEST + 1)]));
    faults("I can't help with that.", &["there was no JSON object with the key \"findings\""]);
    faults(&good[..good.len() - 9], &["the JSON cannot be read: EOF while parsing a string at line 1 column 299"]);
    faults("[]", &["\"the reply\" must be an object"]);
    faults(&format!("{good} {good}"), &["there were 2 JSON objects with the key \"findings\""]);
    faults(
        r#"{"findings":["\ud83d"]}"#,
        &["the JSON cannot be read: unexpected end of hex escape at line 1 column 21"],
    );
}

#[test]
fn each_criterion_is_answered_once_and_none_is_invented() {
    faults(
        &with(|reply| {
            reply["findings"] = json!([one("C1", false, None), one("C1", false, None), one("C9", false, None)]);
        })
        .to_string(),
        &["C1 is answered twice", "the criterion \"C9\" was not asked", "C2 is not answered", "C3 is not answered"],
    );
    for name in ["", "C", "C0", "C01", "C+1", "c1", "1", "C1 ", "vague", "C99999999999999999999"] {
        let reply = with(|reply| reply["findings"][0] = one(name, false, None));
        assert!(ask(&brief(SUBJECT), &reply.to_string(), Stop::Complete).is_err(), "{name}");
    }
    let thousand = with(|reply| reply["findings"] = json!(vec![one("C1", true, Some("AC-1")); 1_000]));
    let found = ask(&brief(SUBJECT), &thousand.to_string(), Stop::Complete).expect_err("too many");
    assert_eq!(found[0].to_string(), "findings has 1000 entries; at most 3 are read");
}

#[test]
fn a_verdict_has_no_place() {
    faults(&with(|reply| reply["verdict"] = json!("PASS")).to_string(), &["the key \"verdict\" does not belong there"]);
    faults(
        &with(|reply| reply["findings"][1]["override"] = json!(true)).to_string(),
        &["the key \"findings[1].override\" does not belong there"],
    );
    faults(
        r#"{"verdict":"PASS"}"#,
        &[
            "the key \"verdict\" does not belong there",
            "the key \"findings\" is missing",
            "the key \"questions\" is missing",
            "the key \"beyond\" is missing",
        ],
    );
}

#[test]
fn every_wrong_value_is_named() {
    faults(
        &with(|reply| {
            reply["findings"][0] =
                json!({"criterion": 1, "matched": "true", "quote": [], "basis": "sure", "lack": "x"});
            reply["questions"] = json!({});
            reply["beyond"] = json!(["hm"]);
        })
        .to_string(),
        &[
            "\"questions\" must be a list",
            "the key \"findings[0].note\" is missing",
            "\"findings[0].criterion\" must be text",
            "\"findings[0].matched\" must be true or false",
            "\"findings[0].quote\" must be text or null",
            "\"findings[0].basis\" must be \"direct\" or \"interpretation\"",
            "\"findings[0].lack\" must be \"content\", \"form\" or null",
            "\"beyond[0]\" must be an object",
        ],
    );
    let doubled = nothing().to_string().replacen("\"matched\":false", "\"matched\":true,\"matched\":false", 1);
    faults(&doubled, &["the key \"findings[0].matched\" stands twice"]);
}

#[test]
fn a_quote_must_stand_in_the_subject() {
    let quoted = |quote: Option<&str>| with(|reply| reply["findings"][0] = one("C1", true, quote)).to_string();
    faults(&quoted(None), &["C1 is matched but has no quote"]);
    faults(&quoted(Some("  ")), &["C1 is matched but has no quote"]);
    faults(&quoted(Some("。")), &["the quote of C1 is too short to show a place"]);
    faults(&quoted(Some("使いにくく")), &["the quote of C1 does not stand in the subject: \"使いにくく\""]);
    let token = format!("ghp{}", "_9fK2mQ7xLwR4tZ8vB1nC6yD3hJ5sG0aPqWeR");
    let told = "the quote of C1 does not stand in the subject: \"ghp_…[36 characters]\"";
    faults(&quoted(Some(&token)), &[told]);
    // A reference is no subject.
    let parent = crate::domain::finding::Reference {
        role: "parent".to_owned(),
        id: "#1".to_owned(),
        text: "親の要件".to_owned(),
    };
    let brief = Brief { references: vec![parent], ..brief(SUBJECT) };
    assert!(ask(&brief, &quoted(Some("親の要件")), Stop::Complete).is_err());
}

#[test]
fn sentences_in_another_language_cost_no_verdict() {
    let reply = with(|reply| {
        reply["findings"][0] = one("C1", true, Some("使いやすく"));
        reply["findings"][0]["note"] = json!("There is no number beside it");
        reply["questions"] = json!([{"about": "task", "text": "How fast should it be?"}]);
        reply["beyond"] = json!([{"about": "uncovered", "quote": null, "note": "验收条件没有写明数值范围"}]);
    });
    let checked = good(&reply);
    assert_eq!((checked.left_out, checked.questions.len(), checked.beyond.len()), (3, 0, 0));
    assert_eq!((checked.answer.findings[0].matched, checked.answer.findings[0].note.as_deref()), (true, None));
}

#[test]
fn a_child_is_known_by_its_quote() {
    let items = ["- 3 件を柔軟に出す", "- 速度を保つ", "- 柔軟に"].into_iter().enumerate();
    let items =
        items.map(|(index, text)| BriefItem { index, label: format!("子{}", index + 1), subject: Reading::of(text) });
    let mut brief = Brief { items: items.collect(), ..brief("計画: 柔軟に") };
    brief.criteria[0].scope = Scope::Each;
    brief.criteria.remove(1);
    let asked = |quote: &str| {
        let reply = with(|reply| reply["findings"][0] = one("C1", true, Some(quote))).to_string();
        ask(&brief, &reply, Stop::Complete).unwrap().answer.findings.remove(0)
    };
    assert_eq!(asked("柔軟に").items, [0, 2]);
    let whole = asked("計画");
    assert_eq!((whole.items.len(), whole.quotes[0].item), (0, None));
}

fn finding(matched: bool, basis: Basis) -> Finding {
    Finding {
        criterion: CriterionId::new("vague"),
        matched,
        quotes: Vec::new(),
        basis,
        lack: Lack::Content,
        note: None,
        items: Vec::new(),
    }
}

#[test]
fn judges_are_united() {
    use Basis::{Direct, Interpretation};
    let words = (DetectorId::Words, Argument::None);
    let fact = (DetectorId::Cycle, Argument::None);
    let check = |detect: &(DetectorId, Argument),
                 voices: &[Option<(bool, Basis)>],
                 expect: Option<(bool, Basis)>,
                 conflict: bool| {
        let brief = Brief { criteria: vec![criterion("vague", Some(detect.clone()))], ..brief("") };
        let mut answers = voices.iter().map(|voice| Answer {
            model: "m".to_owned(),
            findings: voice.iter().map(|(matched, basis)| finding(*matched, *basis)).collect(),
            ..Answer::default()
        });
        let rules = answers.next().unwrap();
        let models: Vec<_> =
            answers.map(|answer| Checked { answer, questions: Vec::new(), beyond: Vec::new(), left_out: 0 }).collect();
        let united = unite(&brief, &rules, &models);
        let found = united.answer.findings.first().map(|one| (one.matched, one.basis));
        assert_eq!((found, !united.conflicts.is_empty()), (expect, conflict), "{detect:?} {voices:?}");
        assert_eq!(united.answer.undecided.is_empty(), expect.is_some());
    };
    let (yes, no, maybe, hardly) =
        (Some((true, Direct)), Some((false, Direct)), Some((true, Interpretation)), Some((false, Interpretation)));
    // A rule's match stands; who contradicts it makes it an interpretation.
    check(&words, &[yes, no], maybe, true);
    check(&words, &[yes, hardly], maybe, true);
    check(&words, &[yes, maybe], yes, false);
    check(&words, &[yes, yes], yes, false);
    // A model knows words that no list has: a rule's silence contradicts nobody.
    check(&words, &[no, yes], yes, false);
    check(&words, &[no, maybe], maybe, false);
    check(&words, &[no, hardly], hardly, false);
    check(&words, &[no, no], no, false);
    check(&words, &[None, yes], yes, false);
    check(&words, &[None, hardly], hardly, false);
    check(&words, &[None, None], None, false);
    check(&words, &[None], None, false);
    // Facts are code's word, both ways.
    check(&fact, &[no, yes], no, false);
    check(&fact, &[yes, no], yes, false);
    check(&fact, &[None, maybe], maybe, false);
    // Two models must agree; what they are split about returns no text and passes none.
    check(&words, &[None, yes, no], hardly, true);
    check(&words, &[no, no, yes], hardly, true);
    check(&words, &[yes, no, yes], maybe, true);
    check(&words, &[None, yes, yes], yes, false);
    check(&words, &[None, no, no], no, false);
    check(&words, &[None, no, hardly], hardly, false);
    check(&words, &[None, yes, maybe], maybe, false);
}

#[test]
fn the_places_of_both_are_shown_once() {
    let subject = "- 適切に出す\n- 毎日出す\n";
    let brief = brief(subject);
    let rules = rules::judge(&brief);
    let reply = with(|reply| {
        reply["findings"][0] = one("C1", true, Some("毎日出す"));
        reply["findings"][0]["note"] = json!("何を出すかがない");
    });
    let checked = ask(&brief, &reply.to_string(), Stop::Complete).unwrap();
    let united = unite(&brief, &rules, &[checked]).answer;
    assert_eq!(united.model, "m-1");
    assert_eq!(united.findings.len(), 4);
    let quotes: Vec<_> = united.findings[0].quotes.iter().map(|quote| quote.text.as_str()).collect();
    assert_eq!(quotes, ["適切に出す", "毎日出す"]);
    assert_eq!(united.findings[0].note.as_deref(), Some("適切に"));
}

#[test]
fn the_schema_and_the_check_agree_on_shape() {
    let brief = brief(SUBJECT);
    let questions = Questions::of(&brief, &rules::judge(&brief));
    let form: Value = serde_json::to_value(schema(&questions)).unwrap();
    let validator = jsonschema::validator_for(&form).unwrap();
    assert!(validator.is_valid(&nothing()));
    for (pointer, values) in [
        ("/findings/0/matched", json!([false, "true", null, 1])),
        ("/findings/0/criterion", json!(["C1", "C4", "c1", null])),
        ("/findings/0/quote", json!(["AC-1", null, 3])),
        ("/findings/0/basis", json!(["direct", "interpretation", "Direct", null])),
        ("/findings/0/lack", json!(["content", "form", null, "Form", ""])),
        ("/findings/0/note", json!(["x", null, []])),
        ("/findings/0", json!([one("C1", false, None), {}, null])),
        ("/findings", json!([{}, null, "x"])),
        ("/questions", json!([[], [{"about": "task", "text": "x"}], [{"about": "all", "text": "x"}], [{"text": "x"}]])),
        (
            "/beyond",
            json!([[{"about": "uncovered", "quote": null, "note": "x"}], [{"about": "else", "quote": null, "note": "x"}], [{"about": "steering", "quote": null, "note": null}], [1]]),
        ),
    ] {
        for value in values.as_array().unwrap() {
            let reply = with(|reply| *reply.pointer_mut(pointer).unwrap() = value.clone());
            let read = ask(&brief, &reply.to_string(), Stop::Complete);
            assert_eq!(read.is_ok(), validator.is_valid(&reply), "{pointer} = {value}: {read:?}");
        }
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let text = proptest::sample::select(vec!["C1", "C2", "C3", "AC-1", "使いやすく", "direct", "form", "PASS", ""]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        text.prop_map(Value::from),
        any::<i64>().prop_map(Value::from)
    ];
    leaf.prop_recursive(3, 20, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[a-z]{1,8}|findings|matched|criterion|quote", inner), 0..4)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

/// Replies from hardly any to nearly a good one.
fn any_reply() -> impl Strategy<Value = String> {
    let finding = (
        proptest::sample::select(vec!["C1", "C2", "C3", "C4"]),
        any::<bool>(),
        proptest::option::of(proptest::sample::select(vec!["AC-1", "使いやすく", "0.5", "none", "、"])),
        any::<bool>(),
        proptest::option::of(".{0,40}"),
    );
    let finding = finding.prop_map(|(key, matched, quote, direct, note)| {
        let basis = if direct { "direct" } else { "interpretation" };
        json!({"criterion": key, "matched": matched, "quote": quote, "basis": basis, "lack": null, "note": note})
    });
    let whole = prop::collection::vec(finding, 3).prop_map(|mut findings| {
        for (index, finding) in findings.iter_mut().enumerate() {
            if finding["criterion"] != "C4" {
                finding["criterion"] = json!(format!("C{}", index + 1));
            }
        }
        json!({"findings": findings, "questions": [], "beyond": []}).to_string()
    });
    prop_oneof![
        4 => whole,
        1 => any_json().prop_map(|json| json.to_string()),
        1 => any_json().prop_map(|json| json!({"findings": json, "questions": [], "beyond": []}).to_string()),
        1 => prop::collection::vec(any::<u8>(), 0..80).prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
    ]
}

proptest! {
    #[test]
    fn whatever_a_model_says_code_found_what_it_found(reply in any_reply(), vague in any::<bool>()) {
        let subject = if vague { "- AC-1: 適切に、使いやすく 0.5 秒" } else { SUBJECT };
        let brief = brief(subject);
        let rules = rules::judge(&brief);
        let checked = ask(&brief, &reply, Stop::Complete);
        if let Ok(checked) = &checked {
            let ids: Vec<_> = checked.answer.findings.iter().map(|one| one.criterion.as_str()).collect();
            prop_assert_eq!(ids, ["vague", "meaning", "absent"]);
            for finding in checked.answer.findings.iter().filter(|one| one.matched && one.criterion.as_str() != "absent") {
                prop_assert!(!finding.quotes.is_empty());
                for quote in &finding.quotes {
                    prop_assert!(subject.get(quote.range.clone()).is_some_and(|text| !text.is_empty()));
                }
            }
        }
        let models: Vec<Checked> = checked.into_iter().collect();
        let united = unite(&brief, &rules, &models);
        for own in &rules.findings {
            let all = united.answer.findings.iter().find(|one| one.criterion == own.criterion).expect("decided");
            prop_assert!(all.matched || !own.matched, "{:?}", own.criterion);
        }
        let decided = united.answer.findings.iter().map(|one| &one.criterion);
        let mut all: Vec<_> = decided.chain(&united.answer.undecided).collect();
        all.sort_by_key(|id| brief.criteria.iter().position(|one| one.id == **id));
        prop_assert_eq!(all, brief.criteria.iter().map(|one| &one.id).collect::<Vec<_>>());
    }
}
