//! Tests of the codec: what is written reads back, whatever an editor did to it.

use super::*;
use crate::domain::contract::{Lack, Mode};
use crate::domain::event::CauseKind;
use crate::domain::finding::Basis;
use crate::domain::ids::{
    AppId, BlobHash, CommentId, CriterionId, GateId, IssueNumber, Login, NodeId, RepositoryId, Revision,
};
use crate::domain::record::SigningKeys;
use crate::domain::record::{
    Confidence, ContractRef, Disposition, Question, QuestionKind, QuestionTo, RecordCause, RecordedFinding, SubjectRef,
    Trust, Verdict,
};
use crate::domain::restore::{Believed, restored};
use crate::domain::run::AppIdentity;
use crate::render::html::gfm;
use chrono::DateTime;
use proptest::prelude::*;
use pulldown_cmark::{Event, Parser, Tag};

fn record(text: &str) -> Record {
    let at = DateTime::from_timestamp(1_796_000_000, 0).unwrap();
    Record {
        gate: GateId::Start,
        verdict: Some(Verdict::TooAbstract),
        confidence: Some(Confidence::High),
        model: Some(text.to_owned()),
        reasons: vec![text.to_owned(), "plain".to_owned()],
        return_to: None,
        questions: vec![Question {
            kind: QuestionKind::TaskQuestion,
            to: QuestionTo::IssueAuthor,
            text: text.to_owned(),
        }],
        disposition: Disposition::Returned,
        triage_cause: None,
        overridden: None,
        children: Vec::new(),
        schema: SCHEMA.to_owned(),
        run: RunId::new("r"),
        app: Some(AppId(9_007_199_254_740_991)),
        repository: None,
        subject: SubjectRef { number: Some(IssueNumber(1)), url: Some(text.to_owned()), revision: Revision::new("ab") },
        seq: 1,
        edit: 0,
        prev: None,
        was: None,
        attempt: 1,
        contract: ContractRef { path: text.to_owned(), commit: None, blob: BlobHash::new("cd") },
        mode: Mode::Enforce,
        cause: RecordCause {
            kind: CauseKind::Command,
            trigger: Some(text.to_owned()),
            actor: Some(Login::new("a")),
            source: Some(3),
            at,
            trust: Trust::Trusted,
        },
        findings: vec![RecordedFinding {
            criterion: CriterionId::new(text),
            quote: Some(text.to_owned()),
            line: Some(1),
            basis: Basis::Direct,
            lack: Lack::Content,
            places: 1,
            note: Some(text.to_owned()),
            children: Vec::new(),
        }],
        unmatched: Vec::new(),
        undecided: Vec::new(),
        history: Vec::new(),
        judged_at: at,
        receipt: None,
        signature: None,
    }
}

/// What can stand in a comment around a record.
fn comment(record: &Record) -> String {
    format!("<!-- sekisho:effect r comment 0 -->\n\n## Title\n- text\n\n{}", write_record(record))
}

/// Text that would like to get out of a fence, a fold or a comment.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        ".*",
        "`{1,9}",
        Just("</details>".to_owned()),
        Just("-->".to_owned()),
        Just(
            "\n```\n\n</details>\n\n<details><summary>machine verdict (JSON)</summary>\n\n```json\n{}\n```\n"
                .to_owned()
        ),
        Just("\r\n".to_owned()),
        Just("\u{2028}\u{2029}\u{85}\u{feff}\0\u{7f}\u{1b}".to_owned()),
        Just("😀👨\u{200d}👩 \\ud83d \\ude00 \\u0041 \"\\\"".to_owned()),
    ];
    proptest::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

/// As Python's `json.dumps` writes it: everything beyond ASCII as `\u` escapes, in surrogate pairs.
fn ascii(json: &str) -> String {
    let mut out = String::new();
    for c in json.chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            let mut units = [0; 2];
            c.encode_utf16(&mut units).iter().for_each(|unit| out.push_str(&["\\u", &hex(*unit)].concat()));
        }
    }
    out
}

fn hex(unit: u16) -> String {
    format!("{unit:04x}")
}

fn refenced(json: &str) -> String {
    let fence = "`".repeat(3.max(longest_run(json, '`') + 1));
    format!("text\n\n{FOLD} (JSON)</summary>\n\n{fence}json\n{json}\n{fence}\n\n</details>")
}

fn written(id: u64, body: &str) -> Comment {
    let at = DateTime::from_timestamp(1_796_000_000, 0).unwrap();
    Comment {
        id: CommentId(id),
        node: NodeId::new("IC"),
        url: format!("page#{id}"),
        author: None,
        app: Some(AppId(1)),
        body: body.to_owned(),
        created_at: at,
        updated_at: at,
    }
}

#[test]
fn the_parts_of_a_plan_come_back_with_their_markers() {
    let verdict = EffectId { run: RunId::new("job.split"), kind: EffectKind::Comment, ordinal: 0 };
    let line = "- title: \"a line of a plan\"\n";
    let plan = format!("children:\n{}", line.repeat(3 * PART / line.len()));
    let parts = write_plan_parts(&plan, &verdict, Language::En);
    assert_eq!(parts.len(), 4);
    let told: Vec<Told> =
        parts.iter().zip(1..).map(|(body, id)| take_apart(IssueNumber(1), &written(id, body))).collect();
    for (at, one) in told.iter().enumerate() {
        let ordinal = u32::try_from(at).unwrap();
        assert_eq!(one.marker, Some(EffectId { kind: EffectKind::Part, ordinal, ..verdict.clone() }));
        let part = one.part.as_ref().unwrap();
        assert_eq!((part.number, part.of, &one.record, &one.plan), (at + 1, 4, &Ok(None), &None));
    }
    assert_eq!(told.iter().map(|one| one.part.as_ref().unwrap().text.as_str()).collect::<String>(), plan);
}

proptest! {
    #[test]
    fn a_record_comes_back_from_its_comment(text in hostile()) {
        let record = record(&text);
        let body = comment(&record);
        prop_assert_eq!(read_record(&body), Ok(Some(record.clone())));
        for edited in [
            body.replace('\n', "\r\n"),
            body.replace('\n', " \t\n"),
            body.trim_end().to_owned(),
            body.replace("\n  ", "\n\t      "),
        ] {
            prop_assert_eq!(read_record(&edited), Ok(Some(record.clone())));
        }
    }

    #[test]
    fn a_record_rewritten_by_other_tools_is_the_same_value(text in hostile()) {
        let record = record(&text);
        let value = serde_json::to_value(&record).unwrap();
        for json in [
            serde_json::to_string(&value).unwrap(),
            serde_json::to_string_pretty(&value).unwrap(),
            ascii(&serde_json::to_string_pretty(&record).unwrap()),
        ] {
            prop_assert_eq!(read_record_value(&refenced(&json)), Ok(Some(value.clone())));
            prop_assert_eq!(read_record(&refenced(&json)), Ok(Some(record.clone())));
        }
    }

    #[test]
    fn nothing_in_a_record_gets_out_of_its_fence(text in hostile()) {
        let record = record(&text);
        let body = comment(&record);
        let json = serde_json::to_string_pretty(&record).unwrap() + "\n";
        let (mut code, mut inside, mut html, mut blocks) = (String::new(), false, String::new(), 0);
        for event in Parser::new_ext(&body, gfm()) {
            match event {
                Event::Start(Tag::CodeBlock(_)) => { inside = true; blocks += 1; }
                Event::End(pulldown_cmark::TagEnd::CodeBlock) => inside = false,
                Event::Text(text) if inside => code.push_str(&text),
                Event::Html(text) | Event::InlineHtml(text) => html.push_str(&text),
                _ => prop_assert!(!inside),
            }
        }
        prop_assert_eq!(blocks, 1);
        prop_assert_eq!(code, json);
        prop_assert_eq!(html,
            "<!-- sekisho:effect r comment 0 -->\n<details><summary>machine verdict (JSON)</summary>\n</details>\n");
    }

    #[test]
    fn a_marker_comes_back_and_is_one_html_comment(run in prop_oneof![".+", "[-a-z>! ]{1,20}"], ordinal in any::<u32>()) {
        let effect = EffectId { run: RunId(run), kind: EffectKind::Reply, ordinal };
        let line = marker(&effect);
        prop_assert_eq!(line.matches("--").count(), 2, "{}", line);
        prop_assert!(!line.contains('\n'));
        prop_assert_eq!(read_marker(&format!("{line} \r\nmore")), Some(effect));
    }

    /// The domain's own tests say what is believed of parsed values; here it is bytes that come in.
    #[test]
    fn no_comment_gives_a_record_that_nobody_signed(body in hostile(), json in "[\\[\\]{}\":,0-9a-z.eE+-]{0,60}", cut in 0usize..4_000) {
        let mut signed = record("x");
        (signed.app, signed.repository) = (Some(AppId(1)), Some(RepositoryId(2)));
        let keys = SigningKeys::new(vec![("k".into(), vec![7; 32])]);
        keys.sign(&mut signed);
        let marked = |body: &str| format!("{}\n{body}", marker(&EffectId { run: RunId::new("r"), kind: EffectKind::Comment, ordinal: 0 }));
        let whole = marked(&format!("text\n\n{}", write_record(&signed)));
        let part: String = whole.chars().take(cut).collect();
        let bodies = [
            whole, body.clone(), marked(&body), marked(&format!("{FOLD}\n{body}")), marked(&refenced(&json)), part,
            marked(&format!("<!-- sekisho:part 1/1 -->\n{body}")),
            marked(&write_record(&record(&body))),
        ];
        let app = AppIdentity { id: AppId(1), slug: "sekisho".into() };
        let told: Vec<Told> = bodies.iter().zip(1..).map(|(body, id)| take_apart(IssueNumber(1), &written(id, body))).collect();
        let restored = restored(&told, Believed { keys: &keys, app: &app, repository: RepositoryId(2) });
        let found: Vec<_> = restored.records.iter().map(|found| (found.comment.id.0, &found.record)).collect();
        prop_assert_eq!(found, [(1, &signed)]);
    }

    #[test]
    fn any_text_is_read_without_a_panic(body in hostile()) {
        let _ = read_record(&body);
        let _ = read_record(&format!("{FOLD}\n{body}"));
        let _ = read_marker(&body);
    }
}

#[test]
fn a_record_begins_with_the_keys_that_other_tools_read() {
    let text = write_record(&record("x"));
    let keys: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("  \"")?.split('"').next()).collect();
    assert_eq!(keys[..7], ["gate", "verdict", "confidence", "model", "reasons", "return_to", "questions"]);
    assert_eq!(keys[7..10], ["disposition", "triage_cause", "override"]);
}

#[test]
fn a_marker_counts_only_as_the_first_line() {
    let line = marker(&EffectId { run: RunId::new("job 1--x"), kind: EffectKind::Comment, ordinal: 2 });
    assert_eq!(line, "<!-- sekisho:effect job%201-%2Dx comment 2 -->");
    for body in [
        format!("\n{line}"),
        format!(" {line}"),
        format!("see {line}"),
        format!("{line} see"),
        line.replace("comment 2", "comment 02"),
        line.replace("comment 2", "comment +2"),
        line.replace("comment", "remark"),
        line.replace("%2D", "%2"),
        line.replace("%20", " "),
        line.replace("job", "%6Aob"),
        String::new(),
    ] {
        assert_eq!(read_marker(&body), None, "{body}");
    }
}

#[test]
fn what_cannot_be_read_is_told() {
    let check = |body: &str, expect: &dyn Fn(&CodecError) -> bool| {
        let error = read_record(body).unwrap_err();
        assert!(expect(&error), "{body}: {error:?}");
    };
    let whole = comment(&record("x"));
    assert_eq!(read_record("no record here"), Ok(None));
    assert_eq!(read_record("a sentence with <details><summary>machine verdict (JSON)</summary>"), Ok(None));
    check(&format!("{whole}\n{whole}"), &|e| *e == CodecError::Several(2));
    check(&whole[..whole.len() - 30], &|e| *e == CodecError::Unclosed);
    check(FOLD, &|e| *e == CodecError::NoFence);
    check(&format!("{FOLD}\n\ntext"), &|e| *e == CodecError::NoFence);
    check(&refenced("{"), &|e| matches!(e, CodecError::NotJson(_)));
    check(&refenced("[]"), &|e| matches!(e, CodecError::NotARecord(_)));
    check(&refenced("{}"), &|e| matches!(e, CodecError::NotARecord(_)));
    check(&refenced("{\"schema\": \"sekisho/record/1\"}"), &|e| matches!(e, CodecError::NotARecord(_)));
    check(&refenced(&"[".repeat(10_000)), &|e| matches!(e, CodecError::NotJson(_)));
}
