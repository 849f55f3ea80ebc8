//! A pull request that touches a contract (chapter 2, "Tools around the file"): its check run, and what it would change.
//!
//! Advice only. The contracts at the head are read to be shown: they gate nothing, and no label or trust of theirs counts.
//! A pull request that touches none ends after one read. Read `question` (a gate asked again), then `compare` (old against
//! new), then `examples`; this file puts them in their order.

mod compare;
mod examples;
mod question;

use self::compare::{Again, compare};
use self::question::{Question, Walked};

pub use self::examples::FOLDER as EXAMPLES;

use super::{Step, done, ended};
use crate::domain::contract::{Owner, PLACES, Severity};
use crate::domain::effect::{Effect, Posting};
use crate::domain::event::PAUSE;
use crate::domain::ids::{IssueNumber, Language};
use crate::domain::run::{
    ChangeFacts, Consult, Contracts, Done, Dossier, Fact, HeadContracts, Next, Pull, PullBase, StoredRecord,
};
use crate::domain::view::{
    Check, Comparison, Conclusion, ContractCheck, ExampleResults, HeadState, Impact, ImpactState, JudgedBy,
};

/// Judged subjects that are judged again, newest first (chapter 2: the default).
const SUBJECTS: usize = 50;

/// What the run wants next.
pub(super) fn next(dossier: &Dossier) -> Next {
    ended(steps(dossier))
}

fn steps(dossier: &Dossier) -> Step<Done> {
    let facts = &dossier.facts.change;
    let files = facts.files.as_deref().ok_or_else(|| need(vec![Fact::PullFiles]))?;
    let touched = touched(files);
    if touched == Touched::Nothing {
        return done(Done::nothing("no contract is touched"));
    }
    let pull = facts.pull.as_ref().ok_or_else(|| need(vec![Fact::Pull]))?;
    if !pull.open {
        return done(Done::nothing("closed"));
    }
    if pull.labels.iter().any(|label| label.eq_ignore_ascii_case(PAUSE)) {
        return Err(Box::new(Next::Hold));
    }
    let head = head(facts, pull, touched)?;
    let wants_judging = touched == Touched::Contracts && !matches!(head.contracts.own, Contracts::Broken { .. });
    let judged = if wants_judging { head.judged } else { &[] };
    let asked = again(dossier, judged, &head.contracts.in_force)?;
    let examples = examples::read(dossier, head.examples, head.contracts);
    let (comparison, examples) = answers(dossier, asked, examples)?;
    let impact = match touched {
        Touched::Contracts if wants_judging => Some(ImpactState::Compared(comparison)),
        Touched::Contracts => Some(ImpactState::Broken),
        Touched::Examples | Touched::Nothing => None,
    };
    Ok(conclude(pull, head.contracts, examples, impact, question::judged_by(dossier)))
}

/// What a pull request touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Touched {
    Nothing,
    /// Labelled examples, and no contract.
    Examples,
    Contracts,
}

fn touched(files: &[String]) -> Touched {
    let is_contract = |path: &String| PLACES.iter().any(|place| place.owner == Owner::Judged && place.holds(path));
    if files.iter().any(is_contract) {
        Touched::Contracts
    } else if files.iter().any(|path| examples::holds(path)) {
        Touched::Examples
    } else {
        Touched::Nothing
    }
}

/// What was read at the head, and the records that it would change.
struct Head<'a> {
    contracts: &'a HeadContracts,
    examples: &'a [crate::domain::run::ExampleFile],
    judged: &'a [StoredRecord],
}

fn head<'a>(facts: &'a ChangeFacts, pull: &Pull, touched: Touched) -> Step<Head<'a>> {
    let judged = if touched == Touched::Contracts { facts.judged.as_deref() } else { Some(&[][..]) };
    match (&facts.head, &facts.examples, judged) {
        (Some(contracts), Some(examples), Some(judged)) => Ok(Head { contracts, examples, judged }),
        (_, _, judged) => {
            let mut wanted = vec![Fact::ContractsAt(pull.head.clone()), Fact::ExamplesAt(pull.head.clone())];
            wanted.extend(judged.is_none().then_some(Fact::Judged(SUBJECTS)));
            Err(need(wanted))
        }
    }
}

/// One record on its way to be judged again.
struct Asked<'a> {
    stored: &'a StoredRecord,
    now: Now<'a>,
}

enum Now<'a> {
    Settled(Again<'a>),
    Asks(Box<Question>, Box<Consult>),
}

/// Each record's subject: unread, changed, not judged, judged already, or with a brief for the judges.
fn again<'a>(dossier: &'a Dossier, judged: &'a [StoredRecord], contracts: &Contracts) -> Step<Vec<Asked<'a>>> {
    let subjects = &dossier.facts.change.subjects;
    let numbers = || judged.iter().filter_map(|stored| stored.record.subject.number);
    wanted(numbers().filter(|number| !subjects.contains_key(number)))?;
    let mut parents = Vec::new();
    let mut all = Vec::new();
    for stored in judged {
        let gate = stored.record.gate;
        let issue = stored.record.subject.number.and_then(|number| subjects.get(&number));
        let Some(Some(issue)) = issue else {
            all.push(Asked { stored, now: Now::Settled(Again::Unread) });
            continue;
        };
        // The text is what was judged where its parts, as the contract of then or of now takes them, still give the
        // revision of the record: a contract may name the parent under another heading than the one before.
        let mut ask = |contracts: &Contracts| {
            let mut question = Question::again(dossier, contracts, gate, issue);
            let walked = question.walk(subjects);
            if let Walked::Wants(parent) = walked {
                parents.push(parent);
            }
            (question, walked)
        };
        let (before, _) = ask(&dossier.contracts);
        let (after, walked) = ask(contracts);
        let revision = &stored.record.subject.revision;
        let same = |question: Question| question.revision(subjects).as_ref() == Some(revision);
        let unchanged = same(before) || same(Question::again(dossier, contracts, gate, issue));
        let now = match walked {
            Walked::Nothing => Now::Settled(Again::Unjudged),
            _ if !unchanged => Now::Settled(Again::Changed),
            Walked::Ends(done) => Now::Settled(Again::Judged(issue, done)),
            Walked::Asks(consult) => Now::Asks(Box::new(after), consult),
            // Not settled before its parent was read.
            Walked::Wants(_) => Now::Settled(Again::Changed),
        };
        all.push(Asked { stored, now });
    }
    wanted(parents.into_iter())?;
    Ok(all)
}

/// Asks the judges once for everything, and puts their answers where they belong: subjects first, then examples.
fn answers(dossier: &Dossier, asked: Vec<Asked<'_>>, examples: examples::Asked) -> Step<(Comparison, ExampleResults)> {
    let of_subjects = asked.iter().filter_map(|one| match &one.now {
        Now::Asks(_, consult) => Some((**consult).clone()),
        Now::Settled(_) => None,
    });
    let consults: Vec<Consult> = of_subjects.chain(examples.consults()).collect();
    if dossier.facts.answers.len() < consults.len() {
        return Err(Box::new(Next::Ask(consults)));
    }
    let mut answers = dossier.facts.answers.iter().cloned();
    let subjects = &dossier.facts.change.subjects;
    let compared = asked.into_iter().map(|Asked { stored, now }| {
        let again = match now {
            Now::Settled(again) => again,
            Now::Asks(question, _) => {
                let issue = stored.record.subject.number.and_then(|number| subjects.get(&number)?.as_ref());
                let done = answers.next().and_then(|answer| question.answered(answer, subjects));
                issue.zip(done).map_or(Again::Unjudged, |(issue, done)| Again::Judged(issue, done))
            }
        };
        (stored, again)
    });
    // The examples take what the subjects leave, so these come first.
    let comparison = compare(compared.collect::<Vec<_>>());
    Ok((comparison, examples.results(&mut answers)))
}

/// What is written: the check run always; the impact comment where a contract itself is touched.
fn conclude(
    pull: &Pull,
    head: &HeadContracts,
    examples: ExampleResults,
    impact: Option<ImpactState>,
    judged_by: JudgedBy,
) -> Done {
    let language = language(&head.own);
    let comparison = match &impact {
        Some(ImpactState::Compared(comparison)) => Some(comparison.clone()),
        Some(ImpactState::Broken) | None => None,
    };
    let check = ContractCheck {
        language,
        head: pull.head.clone(),
        conclusion: conclusion(head, &examples),
        state: state(&head.own),
        problems: head.problems.clone(),
        examples,
        comparison,
        judged_by,
    };
    let mut effects = vec![Effect::Check(Box::new(Check::Contract(check)))];
    if let Some(state) = impact {
        let posting = match &state {
            ImpactState::Compared(comparison) if comparison.all() > 0 => Posting::Posted,
            ImpactState::Compared(_) | ImpactState::Broken => Posting::EditedOnly,
        };
        let other_base = match &pull.base {
            PullBase::Default(_) => None,
            PullBase::Other(branch) => Some(branch.clone()),
        };
        let impact = Impact { language, head: pull.head.clone(), other_base, state, judged_by };
        effects.push(Effect::Impact { impact: Box::new(impact), posting });
    }
    // Asked for once: what is pushed later, and by whom, is another question.
    let label = pull.labels.iter().find(|label| label.eq_ignore_ascii_case(question::REPLAY_MODELS));
    effects.extend(label.map(|label| Effect::RemoveLabel(label.clone())));
    Done::effects(effects, "contract checked")
}

fn state(own: &Contracts) -> HeadState {
    match own {
        Contracts::InForce { contracts, .. } => {
            HeadState::InForce(contracts.iter().map(|contract| contract.origin.path.clone()).collect())
        }
        Contracts::Broken { .. } => HeadState::Broken,
        Contracts::Absent => HeadState::Absent,
    }
}

fn conclusion(head: &HeadContracts, examples: &ExampleResults) -> Conclusion {
    let has = |severity| head.problems.iter().any(|problem| problem.severity == severity);
    let broken = matches!(head.own, Contracts::Broken { .. }) || has(Severity::Error);
    if broken || !examples.wrong.is_empty() || !examples.unreadable.is_empty() {
        Conclusion::Failure
    } else if has(Severity::Warning) || matches!(head.own, Contracts::Absent) {
        Conclusion::Neutral
    } else {
        Conclusion::Success
    }
}

/// The language of the contract at the head, else English: a check run has no subject whose language it could take.
fn language(own: &Contracts) -> Language {
    let Contracts::InForce { contracts, .. } = own else { return Language::En };
    contracts.first().and_then(|contract| contract.language).unwrap_or(Language::En)
}

/// Each of these issues, or the wish for them.
fn wanted(numbers: impl Iterator<Item = IssueNumber>) -> Step<()> {
    let mut numbers: Vec<IssueNumber> = numbers.collect();
    numbers.sort_unstable();
    numbers.dedup();
    if numbers.is_empty() { Ok(()) } else { Err(need(vec![Fact::Subjects(numbers)])) }
}

#[expect(clippy::unnecessary_box_returns, reason = "a step's early end is boxed")]
fn need(facts: Vec<Fact>) -> Box<Next> {
    Box::new(Next::Need(facts))
}

#[cfg(test)]
mod tests;
