//! A record for tests of the modules that handle records, and the shape that other tools rely on.

use super::{
    Confidence, ContractRef, Disposition, Question, QuestionKind, QuestionTo, Record, RecordCause, RecordedFinding,
    Role, SCHEMA, SubjectRef, Trust, Verdict,
};
use crate::domain::contract::{Lack, Mode};
use crate::domain::event::CauseKind;
use crate::domain::finding::Basis;
use crate::domain::ids::{
    AppId, BlobHash, CommitSha, CriterionId, GateId, IssueNumber, Login, RepositoryId, Revision, RunId,
};

/// A returned start gate with one finding, unsigned.
pub(crate) fn record() -> Record {
    let at = chrono::DateTime::from_timestamp(1_800_000_000, 0).unwrap();
    Record {
        gate: GateId::Start,
        verdict: Some(Verdict::TooAbstract),
        confidence: Some(Confidence::High),
        model: Some("rules".into()),
        reasons: vec!["曖昧語: 「使いやすく」".into()],
        return_to: Some(Role::IssueAuthor),
        questions: vec![Question {
            kind: QuestionKind::TaskQuestion,
            to: QuestionTo::IssueAuthor,
            text: "上限はありますか".into(),
        }],
        disposition: Disposition::Returned,
        triage_cause: None,
        overridden: None,
        children: vec![],
        schema: SCHEMA.into(),
        run: RunId::new("0199.start"),
        app: Some(AppId(12345)),
        repository: Some(RepositoryId(7)),
        subject: SubjectRef {
            number: Some(IssueNumber(3)),
            url: Some("https://github.com/acme/widgets/issues/3".into()),
            revision: Revision::new("ab"),
        },
        seq: 1,
        edit: 0,
        prev: None,
        was: None,
        attempt: 1,
        contract: ContractRef {
            path: "contracts/handoff.yaml".into(),
            commit: Some(CommitSha::new("c0ffee")),
            blob: BlobHash::new("b10b"),
        },
        mode: Mode::Enforce,
        cause: RecordCause {
            kind: CauseKind::Label,
            trigger: Some("gate:start".into()),
            actor: Some(Login::new("hanako")),
            source: None,
            at,
            trust: Trust::Trusted,
        },
        findings: vec![RecordedFinding {
            criterion: CriterionId::new("vague-word"),
            quote: Some("使いやすく".into()),
            line: Some(9),
            basis: Basis::Direct,
            lack: Lack::Content,
            places: 1,
            note: None,
            children: vec![],
        }],
        unmatched: vec![CriterionId::new("prescribed-implementation")],
        undecided: vec![],
        history: vec![],
        judged_at: at,
        receipt: None,
        signature: None,
    }
}

#[test]
fn the_keys_stand_in_the_order_of_chapter_3() {
    let json = serde_json::to_string_pretty(&record()).unwrap();
    let keys: Vec<&str> = json
        .lines()
        .filter_map(|line| line.strip_prefix("  \"").filter(|_| !line.starts_with("   "))?.split_once('"'))
        .map(|(key, _)| key)
        .collect();
    assert_eq!(
        keys,
        [
            "gate",
            "verdict",
            "confidence",
            "model",
            "reasons",
            "return_to",
            "questions",
            "disposition",
            "triage_cause",
            "override",
            "children",
            "schema",
            "run",
            "app",
            "repository",
            "subject",
            "seq",
            "edit",
            "prev",
            "was",
            "attempt",
            "contract",
            "cause",
            "findings",
            "unmatched",
            "undecided",
            "history",
            "judged_at",
            "receipt",
            "signature",
        ]
    );
}

#[test]
fn only_an_observed_record_says_its_mode() {
    let text = |mode| serde_json::to_string(&super::Record { mode, ..record() }).unwrap();
    assert!(!text(Mode::Enforce).contains("\"mode\""));
    assert!(text(Mode::Observe).contains(r#"},"mode":"observe","cause""#), "{}", text(Mode::Observe));
    let read: super::Record = serde_json::from_str(&text(Mode::Observe)).unwrap();
    assert!(read.is_observed() && !record().is_observed());
}

#[test]
fn a_record_reads_back_as_it_was_written() {
    let text = serde_json::to_string(&record()).unwrap();
    assert_eq!(serde_json::from_str::<super::Record>(&text).unwrap(), record());
}
