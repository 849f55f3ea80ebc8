//! A model beside the rules: asked within limits, checked, asked once more where its reply is none (chapter 4).
//!
//! Nothing here decides what a verdict is. What comes out is a checked reply or the reason why there is none, and in both
//! cases the receipts of what was paid for. The lane does not call this yet.

mod breaker;

use crate::domain::reply::{self, Checked, Fault, Questions, RawReply, Receipt};
use crate::ports::{Clock, Judge, JudgeError, JudgeRequest};
use crate::render::RenderError;
use crate::render::prompt::{self, Limits, Prompt};
use breaker::Breaker;
use chrono::{DateTime, Utc};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;

/// What an operator decides about calls of one model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// How often one question is sent where the provider fails: the first time included.
    pub attempts: u32,
    /// How long to wait before the second; it doubles, and jitter of a half goes on or off.
    pub backoff: Duration,
    /// Longest wait between two attempts. Who asks for more is left alone: the job comes back later.
    pub longest_wait: Duration,
    /// Calls at the same time.
    pub concurrency: usize,
    /// Failed calls in a row after which none is sent.
    pub failures: u32,
    /// For how long.
    pub rest: Duration,
    /// Longest reply, in tokens.
    pub most_tokens: u32,
    /// Longest texts.
    pub limits: Limits,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            attempts: 3,
            backoff: Duration::from_millis(500),
            longest_wait: Duration::from_secs(20),
            concurrency: 4,
            failures: 5,
            rest: Duration::from_mins(1),
            most_tokens: 4_096,
            limits: Limits::default(),
        }
    }
}

/// A model with its limits: one of these per process and model.
pub struct Model {
    judge: Arc<dyn Judge>,
    clock: Arc<dyn Clock>,
    policy: Policy,
    breaker: Mutex<Breaker>,
    slots: Semaphore,
}

/// What a consultation brought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Consultation {
    /// The reply, or why there is none.
    pub outcome: Result<Checked, NotJudged>,
    /// What was paid for, also where the reply was none; in the order of the calls.
    pub receipts: Vec<Receipt>,
    /// Sections of the subject that the model did not see.
    pub left_out: Vec<String>,
}

/// Why a model's word is missing. It is never a PASS.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotJudged {
    /// Twice no reply: what was wrong with the second.
    #[error("the model's reply cannot be used: {}", told(.0))]
    Faulty(Vec<Fault>),
    /// The provider failed.
    #[error("{0}")]
    Failed(JudgeError),
    /// It failed so often that it is left alone until then.
    #[error("the model failed too often; it is asked again at {0}")]
    Resting(DateTime<Utc>),
    /// A template failed: a defect of this program.
    #[error("{0}")]
    Prompt(RenderError),
}

/// Faults that are told in one message.
const MOST_TOLD: usize = 3;

fn told(faults: &[Fault]) -> String {
    let mut told: Vec<String> = faults.iter().take(MOST_TOLD).map(Fault::to_string).collect();
    if faults.len() > MOST_TOLD {
        told.push(format!("{} more", faults.len() - MOST_TOLD));
    }
    told.join("; ")
}

impl Model {
    /// Puts the model under its limits.
    #[must_use]
    pub fn new(judge: Arc<dyn Judge>, clock: Arc<dyn Clock>, policy: Policy) -> Self {
        let slots = Semaphore::new(policy.concurrency.max(1));
        let breaker = Mutex::new(Breaker::new(policy.failures, policy.rest));
        Self { judge, clock, policy, breaker, slots }
    }

    /// Asks, checks, and asks once more where the reply is none.
    pub async fn consult(&self, questions: &Questions<'_>) -> Consultation {
        let mut consultation =
            Consultation { outcome: Err(NotJudged::Faulty(Vec::new())), receipts: Vec::new(), left_out: Vec::new() };
        let Prompt { prefix, data, left_out } = match prompt::prompt(questions, self.policy.limits) {
            Ok(prompt) => prompt,
            Err(error) => return Consultation { outcome: Err(NotJudged::Prompt(error)), ..consultation },
        };
        consultation.left_out = left_out;
        let schema = reply::schema(questions);
        let mut request = JudgeRequest { prefix, data, repair: None, schema, most_tokens: self.policy.most_tokens };
        let first = match self.checked(questions, &request, &mut consultation).await {
            Ok(Err(faults)) => faults,
            Ok(Ok(checked)) => return consultation.with(Ok(checked)),
            Err(why) => return consultation.with(Err(why)),
        };
        tracing::info!(judge = self.judge.name(), faults = first.len(), what = told(&first), "asked once more");
        metrics::counter!("sekisho_judge_repairs_total", "judge" => self.judge.name().to_owned()).increment(1);
        request.repair = match prompt::repair(&first) {
            Ok(text) => Some(text),
            Err(error) => return consultation.with(Err(NotJudged::Prompt(error))),
        };
        let second = self.checked(questions, &request, &mut consultation).await;
        let outcome = second.and_then(|checked| checked.map_err(NotJudged::Faulty));
        consultation.with(outcome)
    }

    async fn checked(
        &self,
        questions: &Questions<'_>,
        request: &JudgeRequest,
        consultation: &mut Consultation,
    ) -> Result<Result<Checked, Vec<Fault>>, NotJudged> {
        let raw = self.call(request, &mut consultation.receipts).await?;
        Ok(reply::check(questions, &raw, prompt::kept()))
    }

    /// One question, sent until it is answered, the attempts are used up, or waiting makes no sense.
    async fn call(&self, request: &JudgeRequest, receipts: &mut Vec<Receipt>) -> Result<RawReply, NotJudged> {
        let judge = self.judge.name();
        for attempt in 1.. {
            let answer = {
                let _slot = self.slots.acquire().await;
                self.breaker().admit(self.clock.now()).map_err(NotJudged::Resting)?;
                self.judge.ask(request).await
            };
            let error = match answer {
                Ok(answer) => {
                    self.breaker().succeeded();
                    tracing::debug!(judge, model = answer.receipt.model, latency = answer.receipt.latency_ms, "asked");
                    receipts.push(answer.receipt);
                    return Ok(answer.raw);
                }
                Err(error) => error,
            };
            let now = self.clock.now();
            if error.may_mend() {
                self.breaker().failed(now);
            } else {
                // It answers; that it says no is no reason to leave it alone.
                self.breaker().succeeded();
            }
            let wait = error.retry_after().unwrap_or_else(|| self.backoff(attempt));
            if !error.may_mend() || attempt >= self.policy.attempts || wait > self.policy.longest_wait {
                tracing::warn!(judge, %error, attempt, "no reply");
                return Err(NotJudged::Failed(error));
            }
            tracing::info!(judge, %error, attempt, ?wait, "no reply; asked again");
            self.clock.sleep_until(now + wait).await;
        }
        unreachable!("the loop returns at the last attempt")
    }

    fn backoff(&self, attempt: u32) -> Duration {
        // Every RandomState has keys of its own: enough chance to spread repeats, without a crate for it.
        let half = u32::try_from(RandomState::new().hash_one(attempt) % 1000).unwrap_or_default();
        self.policy.backoff * 2_u32.pow(attempt.saturating_sub(1).min(16)) * (500 + half) / 1000
    }

    fn breaker(&self) -> MutexGuard<'_, Breaker> {
        self.breaker.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Consultation {
    fn with(mut self, outcome: Result<Checked, NotJudged>) -> Self {
        // What was not seen cannot be said not to match.
        self.outcome = outcome.map(|checked| if self.left_out.is_empty() { checked } else { checked.of_a_part() });
        self
    }
}

#[cfg(test)]
mod tests;
