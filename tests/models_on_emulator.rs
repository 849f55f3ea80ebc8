//! Models through the real program: `sekisho serve` as a process, GitHub's stand-in on one side, a model's server on the
//! other. Every test ends with no request that breaks GitHub's description.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, reason = "a test program")]

#[path = "emulator/mod.rs"]
mod emulator;
#[path = "support/served.rs"]
mod served;
mod service;
#[path = "support/texts.rs"]
mod texts;

use emulator::{Emulator, Person, WIDGETS};
use sekisho::domain::record::Record;
use sekisho::render::codec;
use serde_json::{Value, json};
use served::{Asked, Scripted, Wire};
use service::{Jobs, PATIENCE, Service};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use texts::COMPLETE;

const KEY: &str = "sk-made-up-key-of-a-model-0123456789";

struct Road {
    emulator: Emulator,
    service: Service,
    _home: tempfile::TempDir,
}

impl Road {
    async fn new(models: &str) -> Self {
        let emulator = Emulator::start().await;
        let home = tempfile::tempdir().unwrap();
        let keys = [("ANTHROPIC_API_KEY", KEY), ("OPENAI_API_KEY", KEY)];
        let settings = [&[("SEKISHO_MODELS", models), ("SEKISHO_BUDGET", "100000 tokens")][..], &keys[..]].concat();
        let service = Service::start_with(&emulator.url, home.path(), &settings).await;
        emulator.deliver_to(&service.webhooks()).await;
        Self { emulator, service, _home: home }
    }

    async fn start(&self, body: &str) -> u64 {
        let number = self.emulator.file_issue(Person::Reporter, WIDGETS, "Export", body).await;
        self.emulator.label(Person::Maintainer, WIDGETS, number, "gate:start").await;
        number
    }

    async fn comments(&self, number: u64) -> Vec<String> {
        let all = self.emulator.comments(WIDGETS, number).await;
        let ours = all.iter().filter(|comment| comment["user"]["login"] == "sekisho[bot]");
        ours.map(|comment| comment["body"].as_str().unwrap().to_owned()).collect()
    }

    /// The one comment of the issue, once it says that.
    async fn comment(&self, number: u64, what: &str) -> String {
        let begun = Instant::now();
        loop {
            if let [comment] = &self.comments(number).await[..]
                && comment.contains(what)
            {
                return comment.clone();
            }
            assert!(begun.elapsed() < PATIENCE, "no {what:?}:\n{}", self.service.log().whole());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Nothing was given up, nothing broke GitHub's description, and the key stands nowhere.
    async fn done(self, number: u64) {
        let begun = Instant::now();
        while self.service.jobs().await.ready + self.service.jobs().await.running > 0 {
            assert!(begun.elapsed() < PATIENCE, "it never came to rest:\n{}", self.service.log().whole());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert_eq!(self.service.jobs().await, Jobs::default(), "{}", self.service.log().whole());
        assert_eq!(self.emulator.violations().await, Vec::<Value>::new());
        let everything = self.comments(number).await.join("\n") + &self.service.log().whole();
        assert!(!everything.contains(KEY) && !everything.contains("0123456789"), "{everything}");
    }
}

fn reply(asked: &Asked, matches: &str, quote: &str) -> (u16, String) {
    let finding = |(key, question): &(String, String)| {
        let found = question.contains(matches) && asked.data.contains(quote);
        let (quote, note) = (found.then_some(quote), found.then_some("Nobody can check it."));
        json!({"criterion": key, "quote": quote, "note": note, "matched": found, "basis": "direct", "lack": null})
    };
    let findings: Vec<Value> = asked.questions.iter().map(finding).collect();
    (200, json!({"findings": findings, "questions": [], "beyond": []}).to_string())
}

fn record(comment: &str) -> Record {
    codec::read_record(comment).unwrap().expect("a record stands in it")
}

#[tokio::test]
async fn a_label_is_judged_by_a_model_behind_a_busy_server() {
    let calls = AtomicUsize::new(0);
    let fast = Scripted::start(move |asked| match calls.fetch_add(1, Ordering::SeqCst) {
        0 => (529, json!({"error": {"message": format!("overloaded; your key is {}", asked.key)}}).to_string()),
        _ => reply(asked, "Vague words", "Stop after 2 days."),
    });
    let strong = Scripted::start(|asked| reply(asked, "no such question", "none"));
    let models = format!(
        "fast={},strong={}",
        fast.spec_over(Wire::OpenAi, "gpt-made-up"),
        strong.spec_over(Wire::Anthropic, "claude-made-up")
    );
    let road = Road::new(&models).await;
    let number = road.start(COMPLETE).await;
    let comment = road.comment(number, "Returned TOO_ABSTRACT").await;
    assert!(comment.contains("gpt-made-up-2026 / confidence high"), "{comment}");
    assert!(comment.contains("`Stop after 2 days.` (line 15) — Nobody can check it."), "{comment}");
    let receipt = record(&comment).receipt.expect("a model was called");
    assert_eq!((receipt.calls, receipt.tokens.input, receipt.tokens.cached), (1, 1_000, 800));
    assert_eq!((fast.calls(), strong.calls(), fast.key()), (2, 0, KEY.to_owned()));
    assert_eq!(road.service.log().said("a model answered").len(), 1, "{}", road.service.log().whole());
    road.done(number).await;
}

#[tokio::test]
async fn a_model_that_takes_long_is_waited_for_in_sight() {
    let slow = Scripted::start(|asked| {
        std::thread::sleep(Duration::from_secs(12));
        reply(asked, "no such question", "none")
    });
    let spec = slow.spec_over(Wire::Anthropic, "claude-made-up");
    let road = Road::new(&format!("fast={spec},strong={spec}")).await;
    let number = road.start(COMPLETE).await;
    let waiting = road.comment(number, "⏳ Judging").await;
    let verdict = road.comment(number, "✅ PASS").await;
    assert_eq!(codec::read_marker(&waiting), codec::read_marker(&verdict), "the same comment");
    assert_eq!(record(&verdict).receipt.map(|receipt| receipt.calls), Some(1));
    road.done(number).await;
}
