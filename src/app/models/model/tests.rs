//! Consultations with a scripted model: what is repeated, what is given up, what is kept.

use super::*;
use crate::app::models::Bottomless;
use crate::domain::contract::{Lack, Side};
use crate::domain::detect::Reading;
use crate::domain::finding::{Answer, Basis, Brief, Criterion, CriterionKind, Scope};
use crate::domain::ids::{CriterionId, GateId, Language, RunId};
use crate::domain::reply::{Receipt, Stop, Usage};
use crate::ports::{Came, JudgeError, JudgeReply};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::collections::VecDeque;

/// Answers with what the script says, and keeps what it was asked.
#[derive(Default)]
struct Script {
    answers: Mutex<VecDeque<Result<String, JudgeError>>>,
    asked: Mutex<Vec<JudgeRequest>>,
}

#[async_trait]
impl Judge for Script {
    fn name(&self) -> &'static str {
        "script:m"
    }
    async fn ask(&self, request: &JudgeRequest) -> Result<JudgeReply, JudgeError> {
        self.asked.lock().unwrap().push(request.clone());
        let next = self.answers.lock().unwrap().pop_front().expect("the script goes on");
        next.map(|text| JudgeReply {
            raw: RawReply { model: "m-1".to_owned(), text, stop: Stop::Complete },
            receipt: Receipt {
                provider: "script".to_owned(),
                asked: "m".to_owned(),
                model: "m-1".to_owned(),
                response: String::new(),
                request_hash: String::new(),
                response_hash: String::new(),
                usage: Usage::default(),
                latency_ms: 1,
            },
        })
    }
}

/// A clock that a sleeper moves on, so that waiting takes no time.
struct Hands(Mutex<DateTime<Utc>>);

#[async_trait]
impl Clock for Hands {
    fn now(&self) -> DateTime<Utc> {
        *self.0.lock().unwrap()
    }
    async fn sleep_until(&self, at: DateTime<Utc>) {
        let mut now = self.0.lock().unwrap();
        *now = at.max(*now);
    }
}

struct Stage {
    script: Arc<Script>,
    clock: Arc<Hands>,
    model: Model,
}

fn stage(answers: impl IntoIterator<Item = Result<String, JudgeError>>) -> Stage {
    let script = Arc::new(Script { answers: Mutex::new(answers.into_iter().collect()), ..Script::default() });
    let clock = Arc::new(Hands(Mutex::new(DateTime::UNIX_EPOCH)));
    let model = Model::new(script.clone(), clock.clone(), Policy::default(), Vec::new());
    Stage { script, clock, model }
}

fn buyer() -> Buyer {
    Buyer { run: RunId::new("1.start"), lane: None, gate: GateId::Start }
}

fn brief(subject: &str) -> Brief {
    Brief {
        gate: GateId::Start,
        waiting_level: "a level".to_owned(),
        criteria: vec![Criterion {
            id: CriterionId::new("vague"),
            kind: CriterionKind::Signal,
            side: Side::TooAbstract,
            text: "a wish without a number".to_owned(),
            except: None,
            detect: None,
            lack: Lack::Content,
            absence: false,
            scope: Scope::Whole,
        }],
        fields: Vec::new(),
        subject: Reading::of(subject),
        references: Vec::new(),
        history: Vec::new(),
        always_separate: Vec::new(),
        language: Language::En,
        items: Vec::new(),
        plan: None,
    }
}

impl Stage {
    async fn consult(&self) -> Consultation {
        self.model.consult(&Questions::of(&brief("the page is fast"), &Answer::default()), &Bottomless, &buyer()).await
    }

    fn calls(&self) -> usize {
        self.script.asked.lock().unwrap().len()
    }
}

fn good() -> String {
    let finding =
        r#"{"criterion":"C1","quote":"the page is fast","note":null,"matched":true,"basis":"direct","lack":null}"#;
    format!(r#"{{"findings":[{finding}],"questions":[],"beyond":[]}}"#)
}

fn limited(after: Option<u64>) -> Result<String, JudgeError> {
    Err(JudgeError::Limited { judge: "script:m".to_owned(), status: 429, after: after.map(Duration::from_secs) })
}

fn lost() -> Result<String, JudgeError> {
    let (judge, message) = ("script:m".to_owned(), "connection reset".to_owned());
    Err(JudgeError::Unreachable { judge, message, came: Came::BrokeOff, after: None })
}

fn refused() -> Result<String, JudgeError> {
    Err(JudgeError::Refused { judge: "script:m".to_owned(), status: 401, message: "who?".to_owned() })
}

#[tokio::test]
async fn a_good_reply_costs_one_call() {
    let stage = stage([Ok(good())]);
    let found = stage.consult().await;
    assert!(found.outcome.unwrap().answer.findings[0].matched);
    assert_eq!((found.paid.len(), stage.calls()), (1, 1));
}

#[tokio::test]
async fn a_faulty_reply_is_asked_for_once_more_with_what_was_wrong() {
    let stage = stage([Ok("Sure, it passes.".to_owned()), Ok(good())]);
    let found = stage.consult().await;
    assert!(found.outcome.is_ok());
    assert_eq!(found.paid.len(), 2);
    let asked = stage.script.asked.lock().unwrap();
    assert_eq!(asked[0].repair, None);
    assert!(asked[1].repair.as_ref().unwrap().contains("no JSON object with the key"), "{:?}", asked[1].repair);
    assert_eq!((&asked[0].prefix, &asked[0].data), (&asked[1].prefix, &asked[1].data));
}

#[tokio::test]
async fn faulty_twice_is_not_judged() {
    let stage = stage([Ok(String::new()), Ok("No.".to_owned())]);
    let found = stage.consult().await;
    let error = found.outcome.unwrap_err();
    let faults = "there was no JSON object with the key \"findings\"".to_owned();
    assert_eq!(error, Unjudged::Faulty { judge: "script:m".to_owned(), faults });
    assert_eq!((found.paid.len(), stage.calls()), (2, 2), "both were paid for, and there is no third");
}

#[tokio::test]
async fn what_may_mend_is_repeated_within_limits() {
    let waited = |stage: &Stage| (stage.clock.now() - DateTime::<Utc>::UNIX_EPOCH).num_milliseconds();
    let mended = stage([lost(), limited(Some(7)), Ok(good())]);
    assert!(mended.consult().await.outcome.is_ok());
    assert!((7_250..=7_750).contains(&waited(&mended)), "{}", waited(&mended));
    let lasting = stage([lost(), lost(), lost()]);
    assert!(matches!(lasting.consult().await.outcome, Err(Unjudged::Failed { .. })));
    assert_eq!(lasting.calls(), 3);
    let far = stage([limited(Some(3_600))]);
    let error = limited(Some(3_600)).unwrap_err().to_string();
    assert_eq!(
        far.consult().await.outcome,
        Err(Unjudged::Failed {
            detail: error.clone(),
            error,
            until: Some(DateTime::<Utc>::UNIX_EPOCH + Duration::from_hours(1))
        })
    );
    assert_eq!((far.calls(), waited(&far)), (1, 0), "nobody waits for an hour inside a run");
    let wrong = stage([refused()]);
    let Err(Unjudged::Failed { error, .. }) = wrong.consult().await.outcome else { panic!("refused") };
    assert!(error.contains("HTTP 401"));
    assert_eq!(wrong.calls(), 1);
}

#[tokio::test]
async fn a_model_that_fails_again_and_again_is_left_alone() {
    let stage = stage([lost(), lost(), lost(), lost(), lost(), Ok(good()), Ok(good())]);
    assert!(matches!(stage.consult().await.outcome, Err(Unjudged::Failed { .. })));
    // The fifth failure in a row opens the breaker between two attempts.
    assert!(matches!(stage.consult().await.outcome, Err(Unjudged::Resting { .. })));
    let Err(Unjudged::Resting { until, .. }) = stage.consult().await.outcome else { panic!("it rests") };
    assert_eq!(stage.calls(), 5);
    stage.clock.sleep_until(until).await;
    assert!(stage.consult().await.outcome.is_ok());
    assert!(stage.consult().await.outcome.is_ok(), "it is closed again");
}

#[tokio::test]
async fn what_was_not_seen_cannot_be_said_not_to_match() {
    let unmatched = good().replace("true", "false");
    let script = Arc::new(Script { answers: Mutex::new([Ok(unmatched)].into()), ..Script::default() });
    let clock = Arc::new(Hands(Mutex::new(DateTime::UNIX_EPOCH)));
    let policy = Policy { limits: Limits { subject: 40, reference: 40 }, ..Policy::default() };
    let model = Model::new(script, clock, policy, Vec::new());
    let brief = brief("# A\n\nthe page is fast\n\n# B\n\na text that is longer than what may be sent\n");
    let found = model.consult(&Questions::of(&brief, &Answer::default()), &Bottomless, &buyer()).await;
    assert_eq!(found.left_out, ["B"]);
    assert_eq!(found.outcome.unwrap().answer.findings[0].basis, Basis::Interpretation);
}
