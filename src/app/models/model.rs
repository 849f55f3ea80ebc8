//! One model, asked within limits: paid for, checked, asked once more where its reply is none (chapter 4).

use super::breaker::Breaker;
use super::purse::{Buyer, Purse};
use crate::domain::reply::{self, Checked, Fault, Paid, Price, Questions, RawReply, Spent, Unjudged, Usage};
use crate::ports::{Clock, Judge, JudgeRequest};
use crate::render::prompt::{self, Limits, Prompt};
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
    /// What the operator added to the price table: a name's beginning, and the price.
    prices: Vec<(String, Price)>,
    breaker: Mutex<Breaker>,
    slots: Semaphore,
}

/// What a consultation brought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Consultation {
    /// The reply, or why there is none.
    pub outcome: Result<Checked, Unjudged>,
    /// What was paid for, also where the reply was none; in the order of the calls.
    pub paid: Vec<Paid>,
    /// Sections of the subject that the model did not see.
    pub left_out: Vec<String>,
}

/// Faults that are told in one message.
const MOST_TOLD: usize = 3;

fn told(faults: &[Fault]) -> String {
    let mut told: Vec<String> = faults.iter().take(MOST_TOLD).map(Fault::bare).collect();
    if faults.len() > MOST_TOLD {
        told.push(format!("{} more", faults.len() - MOST_TOLD));
    }
    told.join("; ")
}

/// One call on its way: who pays, and what it may take at most.
struct Call<'c> {
    request: &'c JudgeRequest,
    purse: &'c dyn Purse,
    buyer: &'c Buyer,
    estimate: Spent,
}

impl Model {
    /// Puts the model under its limits. `prices`: what the operator added to the table, as pairs of a name's beginning and a
    /// price.
    #[must_use]
    pub fn new(judge: Arc<dyn Judge>, clock: Arc<dyn Clock>, policy: Policy, prices: Vec<(String, Price)>) -> Self {
        let slots = Semaphore::new(policy.concurrency.max(1));
        let breaker = Mutex::new(Breaker::new(policy.failures, policy.rest));
        Self { judge, clock, policy, prices, breaker, slots }
    }

    /// How operators call it: `anthropic:…`, `openai:…`.
    #[must_use]
    pub fn name(&self) -> &str {
        self.judge.name()
    }

    /// Asks, checks, and asks once more where the reply is none.
    pub async fn consult(&self, questions: &Questions<'_>, purse: &dyn Purse, buyer: &Buyer) -> Consultation {
        let mut consultation = Consultation { outcome: Err(self.faulty(&[])), paid: Vec::new(), left_out: Vec::new() };
        let written = match prompt::prompt(questions, self.policy.limits) {
            Ok(written) => written,
            Err(error) => return consultation.with(Err(Unjudged::failed(error.to_string()))),
        };
        let schema = reply::schema(questions);
        let tokens = prompt::estimate(&written, &schema);
        let Prompt { prefix, data, left_out } = written;
        consultation.left_out = left_out;
        let mut request = JudgeRequest { prefix, data, repair: None, schema, most_tokens: self.policy.most_tokens };
        let estimate = self.estimate(tokens);
        let call = Call { request: &request, purse, buyer, estimate };
        let first = match self.checked(questions, call, &mut consultation).await {
            Ok(Err(faults)) => faults,
            Ok(Ok(checked)) => return consultation.with(Ok(checked)),
            Err(why) => return consultation.with(Err(why)),
        };
        tracing::info!(judge = self.judge.name(), faults = first.len(), what = told(&first), "asked once more");
        metrics::counter!("sekisho_judge_repairs_total", "judge" => self.judge.name().to_owned()).increment(1);
        request.repair = match prompt::repair(&first) {
            Ok(text) => Some(text),
            Err(error) => return consultation.with(Err(Unjudged::failed(error.to_string()))),
        };
        let call = Call { request: &request, purse, buyer, estimate };
        let second = self.checked(questions, call, &mut consultation).await;
        let outcome = second.and_then(|checked| checked.map_err(|faults| self.faulty(&faults)));
        consultation.with(outcome)
    }

    fn faulty(&self, faults: &[Fault]) -> Unjudged {
        Unjudged::Faulty { judge: self.judge.name().to_owned(), faults: told(faults) }
    }

    /// The price of the model that answered, else of the one that was asked: what a gateway calls a deployment is no model's
    /// name.
    fn price(&self, returned: &str) -> Option<Price> {
        reply::price(returned, &self.prices).or_else(|| reply::price(self.judge.name(), &self.prices))
    }

    /// What a call may take at most.
    fn estimate(&self, input: usize) -> Spent {
        let usage = Usage { input: input as u64, output: self.policy.most_tokens.into(), ..Usage::default() };
        Spent::default().and(&usage, self.price("").map(|price| price.of(&usage)))
    }

    async fn checked(
        &self,
        questions: &Questions<'_>,
        call: Call<'_>,
        consultation: &mut Consultation,
    ) -> Result<Result<Checked, Vec<Fault>>, Unjudged> {
        let raw = self.call(call, &mut consultation.paid).await?;
        Ok(reply::check(questions, &raw, prompt::kept()))
    }

    /// One question, sent until it is answered, the attempts are used up, or waiting makes no sense.
    async fn call(&self, call: Call<'_>, paid: &mut Vec<Paid>) -> Result<RawReply, Unjudged> {
        let judge = self.judge.name();
        for attempt in 1.. {
            let (purchase, answer) = {
                let _slot = self.slots.acquire().await;
                // Whoever may not pay must not use up the one call that tries a provider after its rest.
                let purchase = call.purse.reserve(call.buyer, call.estimate).await?;
                let admitted = self.breaker().admit(self.clock.now());
                if let Err(until) = admitted {
                    call.purse.release(purchase).await;
                    return Err(Unjudged::Resting { judge: judge.to_owned(), until });
                }
                (purchase, self.judge.ask(call.request).await)
            };
            let error = match answer {
                Ok(answer) => {
                    self.breaker().succeeded();
                    let receipt = &answer.receipt;
                    let cost = self.price(&receipt.model).map(|price| price.of(&receipt.usage));
                    let one = Paid { receipt: answer.receipt, cost };
                    self.log(&one);
                    call.purse.paid(purchase, &one).await;
                    paid.push(one);
                    return Ok(answer.raw);
                }
                Err(error) => error,
            };
            // Of a call that was lost on its way nobody knows what it took: its estimate goes on counting.
            if !error.may_have_cost() {
                call.purse.release(purchase).await;
            }
            let now = self.clock.now();
            if error.may_mend() {
                self.breaker().failed(now);
            } else {
                // It answers; that it says no is no reason to leave it alone.
                self.breaker().succeeded();
            }
            metrics::counter!("sekisho_judge_failures_total", "judge" => judge.to_owned()).increment(1);
            let wait = error.retry_after().unwrap_or_else(|| self.backoff(attempt));
            if !error.may_mend() || attempt >= self.policy.attempts || wait > self.policy.longest_wait {
                tracing::warn!(judge, %error, attempt, "no reply");
                let until = error.retry_after().map(|after| now + after);
                return Err(Unjudged::Failed { error: error.public(), detail: error.to_string(), until });
            }
            tracing::info!(judge, %error, attempt, ?wait, "no reply; asked again");
            self.clock.sleep_until(now + wait).await;
        }
        unreachable!("the loop returns at the last attempt")
    }

    fn log(&self, paid: &Paid) {
        let (judge, usage) = (self.judge.name(), paid.receipt.usage);
        tracing::info!(
            judge,
            model = paid.receipt.model,
            response = paid.receipt.response,
            input = usage.input,
            cached = usage.cached,
            output = usage.output,
            ms = paid.receipt.latency_ms,
            cost = %paid.cost.map_or_else(|| "unknown".to_owned(), |cost| cost.to_string()),
            "a model answered"
        );
        let count = |name: &'static str, kind: &'static str, by: u64| {
            metrics::counter!(name, "judge" => judge.to_owned(), "kind" => kind).increment(by);
        };
        count("sekisho_judge_tokens_total", "input", usage.input);
        count("sekisho_judge_tokens_total", "cached", usage.cached);
        count("sekisho_judge_tokens_total", "output", usage.output);
        metrics::counter!("sekisho_judge_micro_dollars_total", "judge" => judge.to_owned())
            .increment(paid.cost.unwrap_or_default().0);
        #[expect(clippy::cast_precision_loss, reason = "milliseconds of a call")]
        let seconds = paid.receipt.latency_ms as f64 / 1000.0;
        metrics::histogram!("sekisho_judge_seconds", "judge" => judge.to_owned()).record(seconds);
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
    fn with(mut self, outcome: Result<Checked, Unjudged>) -> Self {
        // What was not seen cannot be said not to match.
        self.outcome = outcome.map(|checked| if self.left_out.is_empty() { checked } else { checked.of_a_part() });
        self
    }
}

#[cfg(test)]
mod tests;
