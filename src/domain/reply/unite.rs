//! Rules and models together: one answer, in which nothing that code found is lost (chapter 4).

use super::questions::is_fact;
use super::{About, Beyond, Checked, ModelQuestion};
use crate::domain::finding::{Answer, Basis, Brief, Criterion, Finding, Quote};
use crate::domain::ids::CriterionId;

/// What all judges of a brief say together.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct United {
    /// One finding for each criterion that anybody decided. Its model is the models', or that of the rules alone.
    pub answer: Answer,
    /// Where one judge says that it matches and another that it does not, in the brief's order.
    pub conflicts: Vec<Conflict>,
    /// What the models want to know, each question once.
    pub questions: Vec<ModelQuestion>,
    /// What they noticed that no criterion covers.
    pub beyond: Vec<Beyond>,
    /// Sections of the subject that no model saw.
    pub left_out: Vec<String>,
}

/// Judges who contradict each other about one criterion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Which.
    pub criterion: CriterionId,
    /// Who says that it matches: `rules` among them, where a rule does.
    pub matched: Vec<String>,
    /// Who says that it does not.
    pub unmatched: Vec<String>,
    /// Whether it counts as matched all the same: what a rule found does, what models are split about does not.
    pub stands: bool,
    /// The first place that was shown, where one was.
    pub quote: Option<Quote>,
}

impl United {
    /// What rules alone say.
    #[must_use]
    pub fn of_rules(answer: Answer) -> Self {
        Self { answer, ..Self::default() }
    }
}

/// Most places that a finding keeps of those that models showed.
const MOST_QUOTES: usize = 1_000;
/// Most questions, and things beyond, that are kept of all models together.
const MOST_KEPT: usize = 5;

/// Unites what the rules found with what models found.
///
/// A rule that decided a matter of fact decides it alone. What any other rule found stands, and a model that says
/// otherwise makes it an interpretation; that a rule found nothing contradicts nobody, since it knows some of the words
/// only. Models must agree: what they are split about counts as not matched, by interpretation, so that it is no reason to
/// return a text and no ground to pass it either.
#[must_use]
pub fn unite(brief: &Brief, rules: &Answer, models: &[Checked]) -> United {
    let mut united = United {
        answer: Answer { model: names(rules, models), subject: rules.subject.clone(), ..Answer::default() },
        ..United::default()
    };
    for criterion in &brief.criteria {
        let of = |answer: &'_ Answer| answer.findings.iter().find(|one| one.criterion == criterion.id).cloned();
        let rule = of(rules);
        let said: Vec<Said> = match &rule {
            Some(_) if is_fact(criterion) => Vec::new(),
            _ => models
                .iter()
                .filter_map(|model| Some(Said { model: &model.answer.model, finding: of(&model.answer)? }))
                .collect(),
        };
        united.conflicts.extend(conflict(criterion, rule.as_ref(), &said));
        match together(criterion, rule.as_ref(), &said) {
            Some(finding) => united.answer.findings.push(finding),
            None => united.answer.undecided.push(criterion.id.clone()),
        }
    }
    for model in models {
        for one in &model.questions {
            if united.questions.len() < MOST_KEPT && !united.questions.iter().any(|known| known.text == one.text) {
                united.questions.push(ModelQuestion { about: about(one), text: one.text.clone() });
            }
        }
        for one in &model.beyond {
            if united.beyond.len() < MOST_KEPT && !united.beyond.iter().any(|known| known.note == one.note) {
                united.beyond.push(one.clone());
            }
        }
    }
    united
}

/// What one model says of a criterion.
struct Said<'m> {
    model: &'m str,
    finding: Finding,
}

fn names(rules: &Answer, models: &[Checked]) -> String {
    let names: Vec<&str> = models.iter().map(|model| model.answer.model.as_str()).collect();
    if names.is_empty() { rules.model.clone() } else { names.join(" + ") }
}

/// Whatever a model calls it, a question that asks to change the criteria is one to the contract (chapter 3). Only words of
/// this system tell: a task may be about contracts and signals of its own.
fn about(question: &ModelQuestion) -> About {
    const CRITERIA: [&str; 8] = [
        "criterion",
        "these criteria",
        "waiting level",
        "too_abstract",
        "too_concrete",
        "判定基準",
        "この基準",
        "待ち位置",
    ];
    const CHANGE: [&str; 19] = [
        "change", "relax", "loosen", "tighten", "extend", "add ", "remove", "drop", "exclude", "include", "revis",
        "adjust", "変更", "緩", "厳し", "追加", "除外", "見直", "改め",
    ];
    let text = question.text.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if says(&CRITERIA) && says(&CHANGE) { About::Criteria } else { question.about }
}

fn conflict(criterion: &Criterion, rule: Option<&Finding>, said: &[Said<'_>]) -> Option<Conflict> {
    let who = |matched: bool| said.iter().filter(move |one| one.finding.matched == matched);
    let by_rule = rule.is_some_and(|rule| rule.matched);
    let contradicted = who(false).next().is_some() && (by_rule || who(true).next().is_some());
    let names = |matched| who(matched).map(|one| one.model.to_owned());
    contradicted.then(|| Conflict {
        criterion: criterion.id.clone(),
        matched: by_rule.then(|| crate::domain::rules::MODEL.to_owned()).into_iter().chain(names(true)).collect(),
        unmatched: names(false).collect(),
        stands: by_rule,
        quote: rule
            .filter(|rule| rule.matched)
            .into_iter()
            .chain(who(true).map(|one| &one.finding))
            .find_map(|one| one.quotes.first())
            .cloned(),
    })
}

fn together(criterion: &Criterion, rule: Option<&Finding>, said: &[Said<'_>]) -> Option<Finding> {
    let by_rule = rule.is_some_and(|rule| rule.matched);
    let models = || said.iter().map(|one| &one.finding);
    let first = models().next().or(rule)?;
    let split = models().any(|one| one.matched != first.matched);
    let matched = by_rule || first.matched && !split;
    let contradicted = split || by_rule && models().any(|one| !one.matched);
    let direct = |one: &Finding| one.basis == Basis::Direct;
    let basis = if contradicted {
        Basis::Interpretation
    } else if by_rule {
        // What a rule found needs no one's interpretation, as long as nobody contradicts it.
        rule.map_or(Basis::Direct, |rule| rule.basis)
    } else if rule.filter(|_| said.is_empty()).or(Some(first)).is_some_and(direct) && models().all(direct) {
        Basis::Direct
    } else {
        Basis::Interpretation
    };
    let shown = || rule.into_iter().chain(models()).filter(|one| matched && one.matched);
    let mut items: Vec<usize> = shown().flat_map(|one| one.items.iter().copied()).collect();
    items.sort_unstable();
    items.dedup();
    Some(Finding {
        criterion: criterion.id.clone(),
        matched,
        quotes: quotes(rule.filter(|rule| rule.matched), models().filter(|one| matched && one.matched)),
        basis,
        lack: shown().next().map_or(criterion.lack, |one| one.lack),
        note: shown().find_map(|one| one.note.clone()),
        items,
    })
}

/// A rule's own places, which may stand in one another; and those of models where nothing stands yet.
fn quotes<'f>(rule: Option<&Finding>, models: impl Iterator<Item = &'f Finding>) -> Vec<Quote> {
    let mut quotes: Vec<Quote> = rule.map(|rule| rule.quotes.clone()).unwrap_or_default();
    for quote in models.flat_map(|one| &one.quotes) {
        let overlaps = |known: &Quote| {
            known.item == quote.item && known.range.start < quote.range.end && quote.range.start < known.range.end
        };
        if quotes.len() < MOST_QUOTES && !quotes.iter().any(overlaps) {
            quotes.push(quote.clone());
        }
    }
    quotes
}
