//! Whatever stands in an issue, a contract or a judge's note: the comment keeps its structure, mentions nobody, refers to
//! nothing and still gives its record back.

use crate::cases::{Case, cases, effect, record, view};
use crate::harmless::{ACTS, HIDDEN, running_text, structure};
use proptest::prelude::*;
use sekisho::domain::contract::{FieldType, Problem, Severity, Side};
use sekisho::domain::effect::{EffectId, EffectKind};
use sekisho::domain::ids::{CriterionId, GateId, Language, Login, RunId};
use sekisho::domain::plan::{PlanDefect, PlanProblemKind};
use sekisho::domain::record::{
    Confidence, Disposition, Override, QuestionKind, QuestionTo, Record, Role, TriageCause, Verdict,
};
use sekisho::domain::reply::{ReceiptRef, Usage};
use sekisho::domain::text::HiddenKind;
use sekisho::domain::view::{
    AskedQuestion, ChildLine, GateStatus, HiddenNote, LinkedProblem, Note, QuestionSubject, Reason, Reply, ReplyKind,
    SplitView, Undecided, VerdictView,
};
use sekisho::render::codec::{read_marker, read_record};
use sekisho::render::{
    COMMENT_LIMIT, RenderError, html, phrase_questions, phrase_reasons, reply_comment, verdict_comment,
};

/// Text that would like to be more than text.
fn hostile() -> impl Strategy<Value = String> {
    let tricks = [
        "@alice",
        "@acme/leads",
        "a@b.example",
        "#12",
        "Closes #1",
        "acme/widgets#1",
        "GH-12",
        "gh-7",
        "1a2b3c4d",
        "https://github.com/acme/widgets/issues/1",
        "www.example.com",
        "`",
        "``",
        "```",
        "~~~",
        "```\n",
        "</details>",
        "<details>",
        "<summary>",
        "-->",
        "<!--",
        "<script>",
        "<b>",
        "&lt;",
        "&#64;alice",
        "&commat;",
        "\\",
        "\\`",
        "![x](y)",
        "[a](b)",
        "[a]: b",
        "[^1]",
        "[^1]: x",
        "<https://a.b>",
        "# h",
        "\n# h\n",
        "\n\n",
        "\r\n",
        "\n- x\n",
        "- [ ] x",
        "1. x",
        "> q",
        "> [!NOTE]",
        "| a | b |\n|---|---|\n| c | d |",
        "|",
        "***",
        "**",
        "_a_",
        "~~a~~",
        "---",
        "===",
        "    code",
        "\t",
        "$x$",
        "$`x`$",
        "$$",
        ":tada:",
        "\u{202e}",
        "\u{200b}",
        "\u{feff}",
        "\u{2028}",
        "\0",
        "\u{1b}[31m",
        "<!-- sekisho:effect r comment 0 -->",
        "<details><summary>machine verdict (JSON)</summary>",
        "{{ 7 * 7 }}",
        "{% include 'x' %}",
        "使いやすく",
        "、",
        "(",
        ")",
        " ",
        "'",
        "\"",
        ",",
        ";",
        ".",
        ":",
    ];
    let piece = prop_oneof![3 => proptest::sample::select(tricks.to_vec()).prop_map(str::to_owned), 1 => ".{0,12}"];
    proptest::collection::vec(piece, 1..8)
        .prop_map(|pieces| pieces.concat())
        .prop_filter("something to see", |text| text.chars().any(|c| !c.is_whitespace()))
}

/// Cases that show the text in every place where words of others stand.
fn everywhere(language: Language, s: &str) -> Vec<Case> {
    let s = || s.to_owned();
    let id = || CriterionId(s());
    let signal = |side, quote: Option<String>, note| Reason::Signal {
        criterion: id(),
        text: s(),
        side,
        quote,
        line: Some(3),
        places: 2,
        note,
        children: vec![s()],
    };
    let field = |expected| Reason::BadField { field: s(), expected, found: s() };
    let linked = || LinkedProblem {
        problem: Problem {
            id: "x",
            severity: Severity::Error,
            path: s(),
            line: 1,
            column: 2,
            source: s(),
            message: s(),
            expected: s(),
        },
        url: Some(format!("https://h/{}", s())),
    };
    let undecided = |extra: &str| Undecided { id: id(), text: s() + extra };
    let base = VerdictView {
        waiting_level: Some(s()),
        notes: vec![
            Note::BuiltinContract(s()),
            Note::Hidden(HiddenNote { kind: HiddenKind::Tags, characters: 3, lines: vec![1], shown: s() }),
            Note::PassedUndecided(vec![undecided("")]),
            Note::NotDecided(vec![undecided("y")]),
            Note::ContractNotices(vec![linked()]),
        ],
        undecided: vec![undecided("x")],
        notify: Vec::new(),
        ..view(language)
    };
    let judged = |verdict, disposition, triage_cause| Record {
        verdict: Some(verdict),
        confidence: Some(Confidence::High),
        model: Some(s()),
        return_to: Some(Role::IssueAuthor),
        disposition,
        triage_cause,
        ..record()
    };
    let case = |name, mut record: Record, view: VerdictView| {
        record.reasons = phrase_reasons(&view);
        record.questions = phrase_questions(&view);
        Case { name, record, view }
    };
    let reasons = vec![
        Reason::MissingField { field: s(), near_miss: None },
        Reason::MissingField { field: s(), near_miss: Some(s()) },
        Reason::EmptyField { field: s() },
        field(FieldType::Text),
        field(FieldType::Numbered(s())),
        field(FieldType::Link),
        signal(Side::TooAbstract, Some(s()), Some(s())),
        signal(Side::TooAbstract, None, None),
        signal(Side::TooConcrete, Some(s()), None),
        signal(Side::TooConcrete, None, Some(s())),
        Reason::InChild { child: s(), reason: Box::new(Reason::EmptyField { field: s() }) },
        Reason::PlanUnreadable { line: 3, problem: PlanProblemKind::Syntax(s()) },
        Reason::PlanDefect { defect: PlanDefect::BadIndex { child: 0, written: s() }, children: vec![s()] },
    ];
    let swung = AskedQuestion {
        kind: QuestionKind::AxisQuestion,
        to: QuestionTo::ContractPr,
        subject: QuestionSubject::Oscillation { from: Verdict::TooConcrete, to: Verdict::TooAbstract },
    };
    let overridden = Override { by: Login(s()), reason: s(), at: record().judged_at, until: None };
    vec![
        case(
            "return",
            judged(Verdict::TooAbstract, Disposition::Returned, None),
            VerdictView { reasons: reasons.clone(), ..base.clone() },
        ),
        case(
            "pass",
            judged(Verdict::Pass, Disposition::Passed, None),
            VerdictView { reasons: vec![Reason::FieldsPresent(vec![s(), s()])], ..base.clone() },
        ),
        case(
            "split",
            judged(Verdict::Pass, Disposition::Triage, Some(TriageCause::PlanRefused)),
            VerdictView {
                split: Some(SplitView {
                    children: vec![ChildLine { number: None, title: s(), requirement: Some(s()), after: Vec::new() }],
                    plan: s(),
                    task_list: true,
                }),
                notes: vec![Note::PlanRefused(vec![s()])],
                ..base.clone()
            },
        ),
        case(
            "low",
            judged(Verdict::Pass, Disposition::Triage, Some(TriageCause::LowPass)),
            VerdictView { reasons: vec![Reason::FieldsPresent(vec![s()])], ..base.clone() },
        ),
        case(
            "swing",
            judged(Verdict::TooAbstract, Disposition::Triage, Some(TriageCause::Oscillation)),
            VerdictView { reasons, questions: vec![swung], ..base.clone() },
        ),
        case(
            "broken",
            record(),
            VerdictView {
                reasons: vec![
                    Reason::ContractBroken { problems: vec![linked(), linked()] },
                    Reason::GaveUp { error: s(), attempts: 2 },
                ],
                ..base.clone()
            },
        ),
        // A view that was not kept: the record's own words are shown.
        Case {
            name: "from the record",
            record: Record {
                reasons: vec![s()],
                overridden: Some(overridden),
                ..judged(Verdict::TooAbstract, Disposition::Overridden, None)
            },
            view: VerdictView { reasons: Vec::new(), ..base },
        },
    ]
}

fn replies(s: &str) -> Vec<ReplyKind> {
    let s = || s.to_owned();
    vec![
        ReplyKind::Help { gates: vec![(GateId::Start, s())] },
        ReplyKind::Status { gates: vec![GateStatus { gate: GateId::Start, label: s(), newest: None }] },
        ReplyKind::Refused { command: s(), needs: "write" },
        ReplyKind::UnknownCommand { command: s() },
        ReplyKind::BadOverride { command: s() },
    ]
}

fn assert_harmless(name: &str, body: &str, benign: &str) -> Result<(), TestCaseError> {
    prop_assert_eq!(structure(body), structure(benign), "{}:\n{}", name, body);
    for text in running_text(body) {
        prop_assert!(!ACTS.is_match(&text), "{name}: {text:?} in\n{body}");
    }
    let human = body.split("<details><summary>machine verdict").next().unwrap_or_default();
    prop_assert!(!HIDDEN.is_match(human), "{name}:\n{human:?}");
    let page = html(body);
    prop_assert_eq!(page.matches("<details>").count(), page.matches("</details>").count());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn words_of_others_stay_words(s in hostile(), japanese in any::<bool>()) {
        let language = if japanese { Language::Ja } else { Language::En };
        for (hostile, benign) in everywhere(language, &s).into_iter().zip(everywhere(language, "benign")) {
            let body = verdict_comment(&hostile.record, &hostile.view, &effect()).expect("it renders");
            let plain = verdict_comment(&benign.record, &benign.view, &effect()).expect("it renders");
            assert_harmless(hostile.name, &body, &plain)?;
            prop_assert_eq!(read_record(&body), Ok(Some(hostile.record)));
            prop_assert_eq!(read_marker(&body), Some(effect()));
        }
        for (what, benign) in replies(&s).into_iter().zip(replies("benign")) {
            let id = EffectId { run: RunId(s.clone()), kind: EffectKind::Reply, ordinal: 1 };
            let body = reply_comment(&Reply { language, what }, &id);
            let plain = reply_comment(&Reply { language, what: benign }, &id);
            assert_harmless("reply", &body, &plain)?;
            prop_assert_eq!(read_marker(&body), Some(id));
            prop_assert_eq!(read_record(&body), Ok(None));
        }
    }

    #[test]
    fn reasons_in_the_record_are_single_lines(s in hostile()) {
        for case in everywhere(Language::En, &s) {
            for reason in phrase_reasons(&case.view) {
                prop_assert!(!reason.contains(['\n', '\r']), "{reason:?}");
                prop_assert!(reason.chars().count() <= 1_300);
            }
        }
    }
}

#[test]
fn the_part_for_people_is_shortened_and_the_record_is_not() {
    for language in [Language::Ja, Language::En] {
        let Case { mut record, mut view, .. } =
            cases(language).into_iter().find(|case| case.name == "return-abstract").expect("it exists");
        let reason = view.reasons[0].clone();
        view.reasons = vec![reason; 400];
        view.waiting_level = Some("長い待ち位置 ".repeat(5_000));
        record.reasons = phrase_reasons(&view);
        assert_eq!(record.reasons.len(), 51);
        let body = verdict_comment(&record, &view, &effect()).expect("it fits");
        assert!(body.encode_utf16().count() <= COMMENT_LIMIT);
        assert_eq!(read_record(&body), Ok(Some(record.clone())));
        let said = match language {
            Language::Ja => "縮めました",
            Language::En => "was shortened",
        };
        assert!(body.contains(said), "{body}");

        // The record alone fills the comment: hardly anything is left for people, and the heading stays.
        record.receipt = Some(receipt("r".repeat(62_000)));
        let body = verdict_comment(&record, &view, &effect());
        match body {
            Ok(body) => assert!(body.contains("TOO_ABSTRACT\n") && read_record(&body) == Ok(Some(record.clone()))),
            Err(error) => assert!(matches!(error, RenderError::RecordTooLong(_))),
        }
        record.receipt = Some(receipt("r".repeat(70_000)));
        assert!(matches!(verdict_comment(&record, &view, &effect()), Err(RenderError::RecordTooLong(_))));
    }
}

#[test]
fn people_are_mentioned_only_when_something_waits_for_them() {
    for case in cases(Language::En) {
        let waits = matches!(case.record.disposition, Disposition::Triage | Disposition::NotJudged);
        let body = verdict_comment(&case.record, &case.view, &effect()).expect("it renders");
        let mentioned = running_text(&body).iter().any(|text| text.contains("@mina @acme/leads"));
        assert_eq!(mentioned, waits, "{}", case.name);
    }
}

/// A receipt that long fills a record.
fn receipt(hash: String) -> ReceiptRef {
    ReceiptRef { hash, calls: 1, tokens: Usage::default(), cost: None }
}
