//! The words of the check run and of the impact comment, with hostile ones among them.

use super::*;
use crate::domain::effect::EffectKind;
use crate::domain::ids::{GateId, IssueNumber, RunId};
use crate::domain::record::Verdict;
use crate::domain::view::{Conclusion, ExampleResults, HeadState, JudgedBy, Reason};

fn effect() -> EffectId {
    EffectId { run: RunId::new("job.contract"), kind: EffectKind::Impact, ordinal: 1 }
}

fn flip(number: u64, title: &str, why: Option<Why>) -> Flip {
    Flip {
        number: IssueNumber(number),
        title: title.to_owned(),
        url: format!("https://github.com/acme/widgets/issues/{number}"),
        gate: GateId::Start,
        from: Level::TooAbstract,
        comment: None,
        to: Level::LowPass,
        why,
    }
}

fn impact(language: Language, comparison: Comparison) -> String {
    let state = ImpactState::Compared(comparison);
    let impact = Impact {
        language,
        head: CommitSha::new("0123456789abcdef"),
        other_base: Some("rel|1 @x".to_owned()),
        state,
        judged_by: JudgedBy::Rules,
    };
    impact_comment(&impact, &effect())
}

#[test]
fn the_comment_in_japanese_with_hostile_words() {
    let before = Why::Before("曖昧な語: 「適切に」 | @everyone <!-- x --> #1".to_owned());
    let comparison = Comparison {
        flips: vec![flip(3, "題 | `code` @all\n# x <img src=x>", Some(before))],
        changed: 2,
        unread: 1,
        unjudged: 1,
        ..Comparison::default()
    };
    let text = impact(Language::Ja, comparison);
    assert_eq!(codec::read_marker(&text), Some(effect()));
    let row = text.lines().find(|line| line.starts_with("| [")).unwrap();
    assert_eq!(row.matches('|').count(), 5, "{row}");
    assert!(row.contains("TOO_ABSTRACT → PASS (低)") && row.contains("なくなる指摘"), "{row}");
    assert!(!text.contains(" @everyone") && !text.contains("\n# x"), "{text}");
    let said = "1 件を判定し直し、**1 件が変わります**、判定後に本文が変わったため対象外 2 件、もう読めない 1 件、この契約では判定しないゲート 1 件。";
    assert!(text.contains(said), "{text}");
    assert!(text.contains("`0123456789ab` の時点です。"), "{text}");
}

#[test]
fn a_comment_never_outgrows_the_forge() {
    let reason = Reason::MissingField { field: "欄".repeat(40), near_miss: Some("*".repeat(400)) };
    let flips = (0..1_000).map(|number| flip(number, &"題".repeat(300), Some(Why::Now(reason.clone())))).collect();
    let text = impact(Language::En, Comparison { flips, ..Comparison::default() });
    assert!(text.encode_utf16().count() <= COMMENT_LIMIT);
    assert!(text.contains("… and ") && text.contains("1000 verdicts judged again, **1000 flip**"));
}

fn check(language: Language) -> ContractCheck {
    ContractCheck {
        language,
        head: CommitSha::new("0123456789abcdef"),
        conclusion: Conclusion::Failure,
        state: HeadState::Broken,
        problems: Vec::new(),
        examples: ExampleResults::default(),
        comparison: None,
        judged_by: JudgedBy::Rules,
    }
}

#[test]
fn every_problem_is_an_annotation_up_to_a_bound() {
    let problem = |line, severity| Problem {
        id: "unknown-key",
        severity,
        path: "contracts/a.yaml".to_owned(),
        line,
        column: 1,
        source: "x: 1".to_owned(),
        message: "`x` is no key\u{202e}".to_owned(),
        expected: "one of `a`".to_owned(),
    };
    let mut said = check(Language::En);
    said.problems =
        (0..250).map(|line| problem(line, Severity::Error)).chain([problem(1, Severity::Warning)]).collect();
    let report = contract_check(&said);
    assert_eq!((report.annotations.len(), report.title.as_str()), (MOST_NOTES, "250 errors, 1 warning"));
    assert!(report.summary.contains("51 further annotations are not shown."), "{}", report.summary);
    let first = &report.annotations[0];
    assert_eq!((first.line, first.level, first.title.as_str()), (1, AnnotationLevel::Failure, "unknown-key"));
    assert_eq!(first.message, "`x` is no key⟨U+202E⟩\nexpected: one of `a`");
}

#[test]
fn contradicted_examples_are_listed_and_annotated() {
    let mut said = check(Language::Ja);
    (said.state, said.examples.right) = (HeadState::InForce(vec!["contracts/a.yaml".to_owned()]), 4);
    let wrong = WrongExample {
        path: "contracts/examples/a.yaml".to_owned(),
        line: 7,
        id: "a | b".to_owned(),
        gate: GateId::Start,
        expected: Verdict::Pass,
        got: Some(Verdict::TooConcrete),
        reasons: vec![Reason::MissingField { field: "欄".to_owned(), near_miss: None }],
    };
    said.examples.wrong = vec![wrong; 25];
    let report = contract_check(&said);
    assert_eq!(report.title, "食い違う例 25 件");
    assert!(
        report.summary.contains("29 件のうち 4 件") && report.summary.contains("… ほか 5 件。"),
        "{}",
        report.summary
    );
    assert!(report.summary.contains("| `a ¦ b` | start | PASS → TOO_CONCRETE |"), "{}", report.summary);
    let note = &report.annotations[0];
    assert_eq!((note.line, note.title.as_str()), (7, "a | b"));
    assert!(note.message.starts_with("ラベルは PASS、契約による判定は TOO_CONCRETE です。\n"), "{}", note.message);
}
