//! Tests of proposals: the words in both languages, the change of the file, and what others may write into them.

use super::*;
use crate::domain::gates::labelled;
use crate::domain::ids::{BlobHash, CommitSha, CriterionId, GateId, IssueNumber};
use crate::domain::record::Verdict;
use crate::domain::view::LabelledText;
use proptest::prelude::*;

fn swing(language: Language) -> Proposal {
    let path = if language == Language::En { "builtin:handoff-en" } else { "builtin:handoff-ja" };
    let boundary =
        |side, id: &str, text: &str| Boundary { side, criterion: Some(CriterionId::new(id)), text: text.to_owned() };
    let past = |seq, verdict, reason: &str, url: Option<&str>| Past {
        seq,
        verdict,
        reasons: vec![reason.to_owned()],
        url: url.map(str::to_owned),
    };
    Proposal {
        language,
        gate: GateId::Start,
        subject: IssueNumber(12),
        seq: 2,
        why: AxisWhy::Swing { from: Verdict::TooAbstract, to: Verdict::TooConcrete },
        path: path.to_owned(),
        blob: BlobHash::new("b10b"),
        file: ContractFile::New,
        phase: "implementation".to_owned(),
        criterion: None,
        waiting_level: "A unit that merges alone. The implementation is unspecified".to_owned(),
        boundaries: vec![
            boundary(Side::TooAbstract, "vague-word", "make it fast"),
            boundary(Side::TooConcrete, "prescribed-implementation", "cache it in Redis"),
        ],
        history: vec![
            past(
                1,
                Verdict::TooAbstract,
                "Vague words: \"make it fast\"",
                Some("https://github.com/o/r/issues/12#issuecomment-1"),
            ),
            past(2, Verdict::TooConcrete, "A library is prescribed: \"cache it in Redis\"", None),
        ],
        example: LabelledText {
            input: "## Purpose\ncache it in Redis\n".to_owned(),
            requirements: None,
            verdict: Verdict::TooConcrete,
        },
    }
}

#[test]
fn a_swing_in_both_languages() {
    for language in [Language::En, Language::Ja] {
        let drafted = proposal(&swing(language), Some("https://github.com/o/r/issues/12#issuecomment-2"));
        insta::assert_snapshot!(
            format!("swing-{}", language.as_str()),
            format!(
                "# {}\n\n{}\n=====\n{}\n=====\n{}",
                drafted.pull.0, drafted.pull.1, drafted.files[1].text, drafted.issue.body
            )
        );
        assert_eq!(drafted.files[0].path, ".github/contracts/handoff.yaml");
        assert_eq!(drafted.files[0].replaces, None);
        let cases = labelled::yaml("x", &drafted.files[1].text).unwrap();
        assert_eq!((cases.len(), cases[0].text.as_str()), (1, "## Purpose\ncache it in Redis\n"));
    }
}

#[test]
fn the_file_that_stands_is_changed_in_its_one_value() {
    let text =
        "kind: handoff\nversion: 1\nphases:\n- name: implementation\n  receives:\n    waiting_level: old # why\n";
    let file = ContractFile::Here { commit: CommitSha::new("c0"), text: text.to_owned() };
    let asked =
        Proposal { file, path: "contracts/a.yaml".to_owned(), waiting_level: "old".to_owned(), ..swing(Language::En) };
    let drafted = proposal(&asked, None);
    assert_eq!(
        drafted.files[0].text,
        text.replace("old # why", "\"old. Not enough is “make it fast”; too much is “cache it in Redis”\" # why")
    );
    assert_eq!(drafted.files[0].replaces, Some(crate::domain::contract::blob(text)));
    let diff = drafted.issue.body.split("```diff\n").nth(1).unwrap().split("```").next().unwrap();
    insta::assert_snapshot!(diff, @r#"
    --- a/contracts/a.yaml
    +++ b/contracts/a.yaml
    @@ -3,4 +3,4 @@
     phases:
     - name: implementation
       receives:
    -    waiting_level: old # why
    +    waiting_level: "old. Not enough is “make it fast”; too much is “cache it in Redis”" # why
    "#);
    // Where it stands elsewhere, or cannot be changed so, the words alone are told.
    for file in
        [ContractFile::Elsewhere, ContractFile::Here { commit: CommitSha::new("c0"), text: "kind: handoff".to_owned() }]
    {
        let drafted = proposal(&Proposal { file, ..asked.clone() }, None);
        assert!(drafted.files.is_empty());
        assert!(drafted.issue.body.contains("```yaml\nwaiting_level: |-\n  old. Not enough"), "{}", drafted.issue.body);
    }
}

#[test]
fn the_same_question_has_the_same_key() {
    let one = swing(Language::En);
    let mut other = Proposal { subject: IssueNumber(77), seq: 9, language: Language::Ja, ..one.clone() };
    other.boundaries.reverse();
    other.boundaries[0].text = "another place".to_owned();
    assert_eq!(one.key(), other.key());
    assert_eq!(one.branch(), format!("sekisho/axis-{}", one.key()));
    for other in [
        Proposal { blob: BlobHash::new("c0de"), ..one.clone() },
        Proposal { phase: "report".to_owned(), ..one.clone() },
        Proposal { boundaries: one.boundaries[..1].to_vec(), ..one.clone() },
        Proposal { why: AxisWhy::Cap { returns: 3, cause: CapCause::Contract }, ..one.clone() },
    ] {
        assert_ne!(one.key(), other.key(), "{other:?}");
    }
}

#[test]
fn a_long_history_is_shortened_until_it_fits() {
    let mut asked = swing(Language::Ja);
    let past = Past { reasons: vec!["**長い理由**".repeat(40); 50], ..asked.history[0].clone() };
    asked.history = vec![past; 20];
    asked.waiting_level = "長い待ち位置。未指定。".repeat(2_000);
    asked.example.input = "長い本文\n".repeat(16_000);
    let drafted = proposal(&asked, None);
    for text in [&drafted.pull.1, &drafted.issue.body] {
        assert!(text.encode_utf16().count() <= COMMENT_LIMIT, "{}", text.encode_utf16().count());
        assert!(text.contains("**案**") && text.ends_with("もう起こしません。\n"), "{text}");
    }
}

proptest! {
    #[test]
    fn what_others_wrote_does_nothing_in_it(text in r"(\PC|\n|```|@hanako|Closes #1|-->|<b>|</details>|\u{202e}|\u{200b}){0,30}", cap in any::<bool>()) {
        let mut asked = swing(Language::En);
        if cap {
            asked.why = AxisWhy::Cap { returns: 3, cause: CapCause::Contract };
            asked.criterion = Some(text.clone());
        }
        asked.boundaries[0].text.clone_from(&text);
        asked.history[0].reasons = vec![text.clone()];
        asked.example.input.clone_from(&text);
        asked.phase.clone_from(&text);
        asked.waiting_level = format!("{text}. The rest is unspecified");
        asked.file = ContractFile::Elsewhere;
        let drafted = proposal(&asked, None);
        for text in [&drafted.pull.1, &drafted.issue.body] {
            prop_assert!(text.starts_with("<!-- sekisho:axis "));
            prop_assert_eq!(text.matches("<!--").count(), 1, "{}", text);
            prop_assert!(!outside_code(text).contains("@hanako"), "{}", text);
            prop_assert!(!outside_code(text).contains("Closes #1"), "{}", text);
            prop_assert!(!text.contains(['\u{202e}', '\u{200b}']), "{}", text);
        }
    }

    #[test]
    fn an_example_is_read_as_it_was_written(text in r"(\PC|\n|```|: |- |#|\u{202e}|\u{200b}){0,30}") {
        let mut asked = swing(Language::En);
        asked.example.input.clone_from(&text);
        let drafted = proposal(&asked, None);
        let cases = labelled::yaml("x", &drafted.files[1].text);
        prop_assert!(cases.as_ref().is_ok_and(|cases| cases[0].text == text), "{cases:?}\n{}", drafted.files[1].text);
    }
}

/// A comment's text as GitHub reads names and keywords in it.
fn outside_code(markdown: &str) -> String {
    use pulldown_cmark::{Event, Parser, Tag, TagEnd};
    let (mut out, mut code) = (String::new(), 0);
    for event in Parser::new(markdown) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => code += 1,
            Event::End(TagEnd::CodeBlock) => code -= 1,
            Event::Text(text) if code == 0 => out.push_str(&text),
            _ => {}
        }
    }
    out
}
