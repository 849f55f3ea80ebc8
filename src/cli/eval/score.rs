//! Counting: how often verdicts agree with labels, and where they do not (chapter 10).

use super::judged::{Judged, Wrong};
use crate::cli::spending::{Spending, Tokens};
use crate::domain::ids::GateId;
use crate::domain::record::Verdict;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The verdicts in the order of the confusion matrix.
pub(super) const VERDICTS: [Verdict; 3] = [Verdict::Pass, Verdict::TooAbstract, Verdict::TooConcrete];

/// The figures of one set of cases. Shares are between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Figures {
    /// How many.
    pub count: usize,
    /// Share that is right.
    pub accuracy: f64,
    /// Cohen's κ: agreement beyond chance.
    pub kappa: f64,
    /// Share of those that expect a return and got PASS.
    pub false_pass: f64,
    /// Share of those that expect PASS and were returned.
    pub false_return: f64,
}

/// How well one answer is given, or one criterion found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Quality {
    /// How often it is expected.
    pub expected: usize,
    /// How often it was answered.
    pub answered: usize,
    /// How often both.
    pub both: usize,
    /// Share of the answers that are right; none where there are none.
    pub precision: Option<f64>,
    /// Share of what is expected that was answered; none where nothing is.
    pub recall: Option<f64>,
    /// Their harmonic mean.
    pub f1: Option<f64>,
}

/// How long verdicts take, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Latency {
    /// Half of them are faster.
    pub median: f64,
    /// 95 of 100 are faster.
    pub p95: f64,
}

/// An evaluation: every case, and the figures made from them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Evaluation {
    /// Who judged: `rules`, `anthropic:…`, `openai:…`.
    pub judge: String,
    /// Every case.
    pub cases: Vec<Judged>,
    /// See [`Figures`].
    pub accuracy: f64,
    /// See [`Figures`].
    pub kappa: f64,
    /// See [`Figures`].
    pub false_pass: f64,
    /// See [`Figures`].
    pub false_return: f64,
    /// Texts made to deceive that expect a return and got PASS.
    pub adversarial_passes: usize,
    /// By verdict.
    pub per_verdict: BTreeMap<String, Quality>,
    /// By gate.
    pub per_gate: BTreeMap<String, Figures>,
    /// By criterion, `gate.criterion`.
    pub per_criterion: BTreeMap<String, Quality>,
    /// Texts that got no verdict.
    #[serde(default)]
    pub not_judged: usize,
    /// Calls of models.
    #[serde(default)]
    pub calls: u64,
    /// Their tokens.
    #[serde(default)]
    pub tokens: Tokens,
    /// What they cost, in US dollars; none where a price is not known.
    #[serde(default)]
    pub cost: Option<String>,
    /// Of the texts that a model was asked about; with rules alone of all texts.
    #[serde(default)]
    pub latency: Latency,
}

impl Evaluation {
    /// Without what differs from run to run: what a baseline keeps.
    pub fn settled(&self) -> Self {
        let mut settled = Self { latency: Latency::default(), ..self.clone() };
        for case in &mut settled.cases {
            case.ms = 0.0;
            case.reasons.clear();
            case.tokens = None;
            case.cost = None;
        }
        settled
    }

    /// The cases that got the wrong verdict, the worst first.
    pub fn wrong(&self) -> Vec<(Wrong, &Judged)> {
        let mut wrong: Vec<_> = self.cases.iter().filter_map(|case| Some((case.wrong()?, case))).collect();
        wrong.sort_by_key(|(wrong, _)| *wrong);
        wrong
    }

    /// What all calls of models took.
    pub fn spending(&self) -> Spending {
        Spending::of(self.cases.iter().flat_map(|case| &case.paid))
    }

    /// How often a label met an answer; the last column is not judged.
    pub fn confusion(&self) -> [[usize; 4]; 3] {
        let mut matrix = [[0; 4]; 3];
        for case in &self.cases {
            let row = place(case.reference());
            matrix[row][case.verdict.map_or(3, place)] += 1;
        }
        matrix
    }
}

fn place(verdict: Verdict) -> usize {
    match verdict {
        Verdict::Pass => 0,
        Verdict::TooAbstract => 1,
        Verdict::TooConcrete => 2,
    }
}

/// Median and 95th percentile.
fn latency(cases: &[Judged]) -> Latency {
    let asked = cases.iter().any(|case| !case.paid.is_empty());
    let mut all: Vec<f64> = cases.iter().filter(|case| !asked || !case.paid.is_empty()).map(|case| case.ms).collect();
    all.sort_by(f64::total_cmp);
    let at = |percent: usize| all.get((all.len() * percent / 100).min(all.len().saturating_sub(1))).copied();
    Latency { median: at(50).unwrap_or_default(), p95: at(95).unwrap_or_default() }
}

/// Counts what that judge made of them.
pub(super) fn evaluate(judge: String, cases: Vec<Judged>) -> Evaluation {
    let all: Vec<&Judged> = cases.iter().collect();
    let Figures { accuracy, kappa, false_pass, false_return, .. } = figures(&all);
    let gates: BTreeSet<&str> = cases.iter().map(|case| case.gate.as_str()).collect();
    let of_gate = |gate: &str| cases.iter().filter(|case| case.gate.as_str() == gate).collect::<Vec<_>>();
    let per_gate = gates.into_iter().map(|gate| (gate.to_owned(), figures(&of_gate(gate)))).collect();
    let per_verdict = VERDICTS
        .into_iter()
        .map(|verdict| {
            let expected = |case: &&Judged| case.reference() == verdict;
            let answered = |case: &&Judged| case.verdict == Some(verdict);
            (verdict.as_str().to_owned(), quality(&all, expected, answered))
        })
        .collect();
    let adversarial = |case: &&Judged| case.tags.iter().any(|tag| tag == "adversarial") && case.is_false_pass();
    let spending = Spending::of(cases.iter().flat_map(|case| &case.paid));
    Evaluation {
        judge,
        accuracy,
        kappa,
        false_pass,
        false_return,
        adversarial_passes: cases.iter().filter(adversarial).count(),
        per_verdict,
        per_gate,
        per_criterion: per_criterion(&cases),
        not_judged: cases.iter().filter(|case| case.verdict.is_none()).count(),
        calls: spending.calls,
        tokens: spending.tokens,
        cost: spending.dollars(),
        latency: latency(&cases),
        cases,
    }
}

/// The figures of some cases.
pub(super) fn figures(cases: &[&Judged]) -> Figures {
    let right = cases.iter().filter(|case| case.right).count();
    let returns = cases.iter().filter(|case| case.expects_return()).count();
    let false_passes = cases.iter().filter(|case| case.is_false_pass()).count();
    let false_returns = cases.iter().filter(|case| case.is_false_return()).count();
    Figures {
        count: cases.len(),
        accuracy: share(right, cases.len()),
        kappa: kappa(cases),
        false_pass: share(false_passes, returns),
        false_return: share(false_returns, cases.len() - returns),
    }
}

/// Agreement beyond chance; 1 where labels and answers are all one and the same.
fn kappa(cases: &[&Judged]) -> f64 {
    let observed = share(cases.iter().filter(|case| case.verdict == Some(case.reference())).count(), cases.len());
    let by_chance: f64 = VERDICTS
        .into_iter()
        .map(|verdict| {
            let labels = cases.iter().filter(|case| case.reference() == verdict).count();
            let answers = cases.iter().filter(|case| case.verdict == Some(verdict)).count();
            share(labels, cases.len()) * share(answers, cases.len())
        })
        .sum();
    if by_chance >= 1.0 { observed } else { (observed - by_chance) / (1.0 - by_chance) }
}

/// Criteria, each at its gate, over the cases whose labels name criteria of the contract.
fn per_criterion(cases: &[Judged]) -> BTreeMap<String, Quality> {
    let mut criteria: BTreeSet<(GateId, &str)> = BTreeSet::new();
    for case in cases {
        criteria.extend(case.askable.iter().map(|id| (case.gate, id.as_str())));
    }
    let mut out = BTreeMap::new();
    for (gate, id) in criteria {
        let is = |all: &[String]| all.iter().any(|one| one == id);
        let counted = |case: &&Judged| case.gate == gate && is(&case.askable) && !is(&case.optional_signals);
        let counted: Vec<&Judged> = cases.iter().filter(counted).collect();
        let quality = quality(&counted, |case| is(&case.expected_signals), |case| is(&case.signals));
        if quality.expected + quality.answered > 0 {
            out.insert(format!("{gate}.{id}"), quality);
        }
    }
    out
}

fn quality(cases: &[&Judged], expected: impl Fn(&&Judged) -> bool, answered: impl Fn(&&Judged) -> bool) -> Quality {
    let is_expected = cases.iter().filter(|case| expected(case)).count();
    let is_answered = cases.iter().filter(|case| answered(case)).count();
    let both = cases.iter().filter(|case| expected(case) && answered(case)).count();
    let precision = (is_answered > 0).then(|| share(both, is_answered));
    let recall = (is_expected > 0).then(|| share(both, is_expected));
    let f1 = (is_answered + is_expected > 0).then(|| share(2 * both, is_answered + is_expected));
    Quality { expected: is_expected, answered: is_answered, both, precision, recall, f1 }
}

/// A share; 0 of nothing.
#[expect(clippy::cast_precision_loss, reason = "counts of cases are far below 2^52")]
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::reply::{MicroDollars, Paid, Receipt, Usage};
    use Verdict::{Pass, TooAbstract, TooConcrete};

    fn case(expected: Verdict, alt: Option<Verdict>, verdict: Option<Verdict>) -> Judged {
        let right = verdict.is_some() && (verdict == Some(expected) || verdict == alt);
        Judged { verdict, alt, right, ..Judged::unanswered(String::new(), GateId::Start, expected) }
    }

    fn of(cases: Vec<Judged>) -> Evaluation {
        evaluate("rules".to_owned(), cases)
    }

    fn close(found: f64, expect: f64) {
        assert!((found - expect).abs() < 1e-9, "{found} is not {expect}");
    }

    #[test]
    fn figures_follow_chapter_10() {
        let cases = vec![
            case(Pass, None, Some(Pass)),
            case(Pass, None, Some(TooAbstract)),
            case(Pass, Some(TooAbstract), Some(TooAbstract)),
            case(TooAbstract, None, Some(Pass)),
            case(TooAbstract, Some(Pass), Some(Pass)),
            case(TooConcrete, None, Some(TooConcrete)),
            case(TooConcrete, None, None),
        ];
        let found = of(cases);
        close(found.accuracy, 4.0 / 7.0);
        // The one whose alternative is PASS is right, so it is no false PASS.
        close(found.false_pass, 1.0 / 4.0);
        close(found.false_return, 1.0 / 3.0);
        // Labels: PASS 3 (one by its alternative), abstract 2 (one by its alternative), concrete 2; answers 3, 2, 1.
        let chance = (3.0 * 3.0 + 2.0 * 2.0 + 2.0 * 1.0) / 49.0;
        close(found.kappa, (4.0 / 7.0 - chance) / (1.0 - chance));
        assert_eq!(found.confusion(), [[2, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1]]);
        let pass = found.per_verdict["PASS"];
        assert_eq!((pass.expected, pass.answered, pass.both), (3, 3, 2));
        assert_eq!(found.not_judged, 1);
        let wrong: Vec<Wrong> = found.wrong().into_iter().map(|(wrong, _)| wrong).collect();
        assert_eq!(wrong, [Wrong::FalsePass, Wrong::FalseReturn, Wrong::NotJudged]);
    }

    #[test]
    fn what_was_not_judged_is_wrong_and_no_pass() {
        let found = of(vec![case(TooAbstract, None, None), case(Pass, None, None)]);
        close(found.accuracy, 0.0);
        close(found.false_pass, 0.0);
        close(found.false_return, 0.0);
        assert_eq!((found.not_judged, found.adversarial_passes), (2, 0));
    }

    #[test]
    fn latency_is_that_of_texts_that_a_model_was_asked_about() {
        let took = |ms: f64, calls: usize| {
            let receipt = Receipt {
                provider: "openai".to_owned(),
                asked: "m".to_owned(),
                model: "m-1".to_owned(),
                response: String::new(),
                request_hash: String::new(),
                response_hash: String::new(),
                usage: Usage { input: 100, cached: 80, cache_written: 0, output: 10 },
                latency_ms: 7,
            };
            let paid = vec![Paid { receipt, cost: Some(MicroDollars(2_500)) }; calls];
            Judged { ms, paid, ..case(Pass, None, Some(Pass)) }
        };
        let asked = of((1..=20).map(|ms| took(f64::from(ms), 1)).chain([took(0.0, 0)]).collect());
        assert_eq!(asked.latency, Latency { median: 11.0, p95: 20.0 });
        assert_eq!((asked.calls, asked.tokens.input, asked.cost.as_deref()), (20, 2_000, Some("0.05")));
        let rules = of(vec![took(3.0, 0), took(1.0, 0), took(2.0, 0)]);
        assert_eq!(rules.latency, Latency { median: 2.0, p95: 3.0 });
        assert_eq!((rules.calls, rules.cost.as_deref()), (0, Some("0.00")));
    }

    #[test]
    fn one_answer_for_all_is_no_agreement() {
        close(of(vec![case(Pass, None, Some(Pass)), case(TooAbstract, None, Some(Pass))]).kappa, 0.0);
        close(of(vec![case(Pass, None, Some(Pass))]).kappa, 1.0);
        close(of(vec![case(Pass, None, None)]).kappa, 0.0);
    }

    #[test]
    fn criteria_are_counted_at_their_gate_and_optional_ones_not() {
        let named = |expected: &[&str], optional: &[&str], found: &[&str]| {
            let own = |all: &[&str]| all.iter().map(ToString::to_string).collect::<Vec<_>>();
            Judged {
                expected_signals: own(expected),
                optional_signals: own(optional),
                signals: own(found),
                askable: own(&["vague", "how"]),
                ..case(TooAbstract, None, Some(TooAbstract))
            }
        };
        let found = of(vec![
            named(&["vague"], &[], &["vague"]),
            named(&["vague"], &[], &[]),
            named(&[], &[], &["vague"]),
            named(&[], &["vague"], &["vague"]),
            named(&["unknown"], &[], &[]),
        ]);
        let vague = found.per_criterion["start.vague"];
        assert_eq!((vague.expected, vague.answered, vague.both), (2, 2, 1));
        assert_eq!(found.per_criterion.len(), 1);
    }
}
