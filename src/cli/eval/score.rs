//! Counting: how often verdicts agree with labels, and where they do not (chapter 10).

use crate::domain::ids::GateId;
use crate::domain::record::{Disposition, Verdict};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The verdicts in the order of the confusion matrix.
pub(super) const VERDICTS: [Verdict; 3] = [Verdict::Pass, Verdict::TooAbstract, Verdict::TooConcrete];

/// A labelled text that was judged.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Judged {
    /// Its name.
    pub id: String,
    /// The gate.
    pub gate: GateId,
    /// What it got; none = undecided, which is wrong.
    pub verdict: Option<Verdict>,
    /// The label.
    pub expected: Verdict,
    /// Another verdict that can be defended.
    pub alt: Option<Verdict>,
    /// Whether it got one of the two.
    pub right: bool,
    /// Criteria that matched, those that preflight stood for included.
    pub signals: Vec<String>,
    /// Milliseconds from text to verdict.
    pub ms: f64,
    /// What would stand.
    #[serde(default)]
    pub disposition: Option<Disposition>,
    /// The reasons in words.
    #[serde(default)]
    pub reasons: Vec<String>,
    /// What kind of text it is.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Criteria that the label says match.
    #[serde(default)]
    pub expected_signals: Vec<String>,
    /// Criteria that may match or not.
    #[serde(default)]
    pub optional_signals: Vec<String>,
    /// Why the label is what it is.
    #[serde(skip)]
    pub note: Option<String>,
    /// Criteria of its gate.
    #[serde(skip)]
    pub askable: Vec<String>,
}

impl Judged {
    fn expects_return(&self) -> bool {
        self.expected != Verdict::Pass
    }

    /// What the answer is compared with: the alternative where that was given.
    fn reference(&self) -> Verdict {
        if self.alt.is_some() && self.verdict == self.alt {
            self.verdict.unwrap_or(self.expected)
        } else {
            self.expected
        }
    }

    fn is_false_pass(&self) -> bool {
        self.expects_return() && self.verdict == Some(Verdict::Pass) && !self.right
    }

    fn is_false_return(&self) -> bool {
        !self.expects_return() && self.verdict.is_some_and(|verdict| verdict != Verdict::Pass) && !self.right
    }
}

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

/// An evaluation: every case, and the figures made from them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Evaluation {
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
}

impl Evaluation {
    /// Without what differs from run to run: what a baseline keeps.
    pub fn settled(&self) -> Self {
        let mut settled = self.clone();
        for case in &mut settled.cases {
            case.ms = 0.0;
            case.reasons.clear();
        }
        settled
    }

    /// The cases that got the wrong verdict.
    pub fn wrong(&self) -> impl Iterator<Item = &Judged> {
        self.cases.iter().filter(|case| !case.right)
    }

    /// How often a label met an answer; the last column is undecided.
    pub fn confusion(&self) -> [[usize; 4]; 3] {
        let mut matrix = [[0; 4]; 3];
        for case in &self.cases {
            let row = place(case.reference());
            matrix[row][case.verdict.map_or(3, place)] += 1;
        }
        matrix
    }

    /// Median and 95th percentile of the milliseconds.
    pub fn latency(&self) -> (f64, f64) {
        let mut all: Vec<f64> = self.cases.iter().map(|case| case.ms).collect();
        all.sort_by(f64::total_cmp);
        let at = |percent: usize| all.get((all.len() * percent / 100).min(all.len().saturating_sub(1))).copied();
        (at(50).unwrap_or_default(), at(95).unwrap_or_default())
    }
}

fn place(verdict: Verdict) -> usize {
    match verdict {
        Verdict::Pass => 0,
        Verdict::TooAbstract => 1,
        Verdict::TooConcrete => 2,
    }
}

/// Counts.
pub(super) fn evaluate(cases: Vec<Judged>) -> Evaluation {
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
    Evaluation {
        accuracy,
        kappa,
        false_pass,
        false_return,
        adversarial_passes: cases.iter().filter(adversarial).count(),
        per_verdict,
        per_gate,
        per_criterion: per_criterion(&cases),
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
    use Verdict::{Pass, TooAbstract, TooConcrete};

    fn case(expected: Verdict, alt: Option<Verdict>, verdict: Option<Verdict>) -> Judged {
        Judged {
            id: String::new(),
            gate: GateId::Start,
            verdict,
            expected,
            alt,
            right: verdict.is_some() && (verdict == Some(expected) || verdict == alt),
            signals: Vec::new(),
            ms: 0.0,
            disposition: None,
            reasons: Vec::new(),
            tags: Vec::new(),
            expected_signals: Vec::new(),
            optional_signals: Vec::new(),
            note: None,
            askable: Vec::new(),
        }
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
        let found = evaluate(cases);
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
        assert_eq!(found.wrong().count(), 3);
    }

    #[test]
    fn one_answer_for_all_is_no_agreement() {
        close(evaluate(vec![case(Pass, None, Some(Pass)), case(TooAbstract, None, Some(Pass))]).kappa, 0.0);
        close(evaluate(vec![case(Pass, None, Some(Pass))]).kappa, 1.0);
        close(evaluate(vec![case(Pass, None, None)]).kappa, 0.0);
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
        let found = evaluate(vec![
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
