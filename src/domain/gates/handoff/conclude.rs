//! The end of a judging: the record, what its comment says, and the effects (chapters 3 and 10).

use super::super::speaks;
use super::Ask;
use super::cap;
use super::case::{Case, label_effects, minimise};
use super::children;
use super::derive::derive;
use super::draft::Base;
use super::evidence;
use super::link::linked;
use super::recover;
use super::rule::chain;
use crate::domain::contract::{Lack, Mode, OnLowPass, Problem, Severity};
use crate::domain::detect;
use crate::domain::effect::{ChildFooter, Effect};
use crate::domain::finding::{Brief, Criterion};
use crate::domain::ids::GateId;
use crate::domain::record::{
    Confidence, ContractRef, Disposition, Part, QuestionKind, QuestionTo, Record, Role, State, TriageCause, Trust,
    Verdict, revision,
};
use crate::domain::reply::{Paid, ReceiptRef, United, Unjudged};
use crate::domain::run::{Contracts, Done, Dossier, Issue, StoredRecord, Then};
use crate::domain::text::{self, Document};
use crate::domain::view::{AskedQuestion, ChildResult, HiddenNote, Note, QuestionSubject, Reason, VerdictView};

/// A required field is missing: an ordinary return that no judge made.
pub(super) fn returned_by_preflight(case: &Case<'_>, attempt: u64, reasons: Vec<Reason>, ask: Ask) -> Done {
    let standing = stand(case, Verdict::TooAbstract, Confidence::High, Judge::Preflight, ask);
    let record = Record {
        verdict: Some(Verdict::TooAbstract),
        confidence: Some(Confidence::High),
        return_to: standing.return_to(case, &[Lack::Form]),
        ..standing.record(case, attempt)
    };
    let mut view = view(case, reasons, Vec::new());
    cap::say(case, &record, ask, &mut view);
    finish(case, record, view)
}

/// Judged: what the findings derive to.
pub(super) fn judged(case: &Case<'_>, attempt: u64, brief: &Brief, said: &United, paid: &[Paid], ask: Ask) -> Done {
    let answer = &said.answer;
    let derived = derive(case.rule.gate, brief, said);
    let standing = stand(case, derived.verdict, derived.confidence, Judge::Judged, ask);
    let undecided: Vec<&Criterion> =
        brief.criteria.iter().filter(|criterion| answer.undecided.contains(&criterion.id)).collect();
    let unmatched = answer.findings.iter().filter(|finding| !finding.matched);
    let lacks: Vec<Lack> = derived.matched.iter().map(|(_, finding)| finding.lack).collect();
    let record = Record {
        verdict: Some(derived.verdict),
        confidence: Some(derived.confidence),
        model: Some(answer.model.clone()),
        return_to: standing.return_to(case, &lacks),
        findings: derived.matched.iter().map(|(_, finding)| evidence::recorded(finding)).collect(),
        unmatched: unmatched.map(|finding| finding.criterion.clone()).collect(),
        undecided: undecided.iter().map(|criterion| criterion.id.clone()).collect(),
        children: match (&case.subject.plan, derived.verdict) {
            (Some(plan), Verdict::Pass) => children::recorded(plan),
            _ => Vec::new(),
        },
        receipt: ReceiptRef::of(paid),
        ..standing.record(case, attempt)
    };
    let mut asked = questions(case, &standing, derived.verdict);
    asked.extend(evidence::questions(said, standing.disposition));
    let mut view = view(case, evidence::reasons(case, brief, answer, &derived), asked);
    if derived.verdict == Verdict::Pass {
        view.split = case.subject.plan.as_ref().map(children::shown);
        view.rollup.clone_from(&case.subject.rollup);
    }
    view.undecided = undecided.into_iter().map(evidence::named).collect();
    let below = case.dossier.facts.answers.iter().filter_map(|judged| judged.said.as_ref().ok());
    for one in below.filter(|one| *one != said) {
        // Where a person has to decide, what the tier below was split about is told, too; what steers is told always.
        let all = standing.cause == Some(TriageCause::LowPass);
        let notes = evidence::notes(brief, one).into_iter();
        view.notes.extend(notes.filter(|note| all || matches!(note, Note::Steering { .. })));
    }
    view.notes.extend(evidence::notes(brief, said));
    cap::say(case, &record, ask, &mut view);
    let unsure = || derived.unsure.iter().copied().map(evidence::named).collect();
    match (derived.verdict, derived.confidence, standing.disposition) {
        (Verdict::Pass, Confidence::Low, Disposition::Passed) => view.notes.push(Note::PassedUndecided(unsure())),
        (Verdict::Pass, Confidence::Low, _) => view.notes.push(Note::NotDecided(unsure())),
        _ => {}
    }
    finish(case, record, view)
}

/// Nobody can say what is to be judged: a person is asked.
pub(super) fn unclear(case: &Case<'_>, attempt: u64, reason: Reason) -> Done {
    let standing = Stand { disposition: Disposition::NotJudged, cause: None, verdict: None, swung_from: None };
    let record = standing.record(case, attempt);
    let mut view = view(case, vec![reason], Vec::new());
    view.waiting_level = None;
    finish(case, record, view)
}

/// A model's word is missing: nothing is derived, and the gate looks again by itself where that may help.
pub(super) fn unjudged(case: &Case<'_>, attempt: u64, why: Unjudged, paid: &[Paid]) -> Done {
    let again = recover::later(case, &why);
    let standing = Stand { disposition: Disposition::NotJudged, cause: None, verdict: None, swung_from: None };
    let record = Record { receipt: ReceiptRef::of(paid), ..standing.record(case, attempt) };
    let mut view = view(case, vec![Reason::Unjudged { why, looks_again: again.is_some() }], Vec::new());
    view.waiting_level = None;
    let mut end = finish(case, record, view);
    // Before the trigger label goes: a crash after it would leave nobody who looks again.
    end.effects.splice(1..1, again);
    end
}

/// The run gave up: nothing is derived, and the comment says why.
pub(super) fn gave_up(case: &Case<'_>, attempt: u64, error: &str, attempts: u32) -> Done {
    let standing = Stand { disposition: Disposition::NotJudged, cause: None, verdict: None, swung_from: None };
    let record = standing.record(case, attempt);
    let mut view = view(case, vec![Reason::GaveUp { error: detect::mask_secrets(error), attempts }], Vec::new());
    view.waiting_level = None;
    finish(case, record, view)
}

/// The contract has errors: nothing is judged, and the comment shows them with links to their lines.
pub(super) fn broken(
    dossier: &Dossier,
    issue: &Issue,
    gate: GateId,
    records: &[StoredRecord],
    mine: &[&StoredRecord],
) -> Done {
    let Contracts::Broken { problems, repository, commit, blob } = &dossier.contracts else {
        return Done::nothing("not broken");
    };
    let revision = revision(gate, &[Part::new("title", &issue.title), Part::new("body", &issue.body)]);
    let trigger = format!("gate:{gate}");
    let labels = label_effects(dossier, issue, gate, &trigger, records, Disposition::NotJudged);
    let newest = mine.last().map(|stored| &stored.record);
    let stands = |record: &&Record| record.subject.revision == revision && record.contract.blob == *blob;
    if newest.as_ref().is_some_and(stands) {
        return Done::effects(labels, "unchanged");
    }
    let errors: Vec<&Problem> = problems.iter().filter(|problem| problem.severity == Severity::Error).collect();
    let path = errors.first().map(|problem| problem.path.clone()).unwrap_or_default();
    let contract = ContractRef { path, commit: Some(commit.clone()), blob: blob.clone() };
    let attempts = mine.iter().filter(|stored| stands(&&stored.record)).map(|stored| stored.record.attempt).max();
    let base = Base {
        dossier,
        issue,
        gate,
        mine,
        chain_end: chain(records, gate).next_back().map(|stored| &stored.record),
        // What the contract would say of the gate is not known; nobody hears of a broken contract unseen.
        mode: Mode::Enforce,
        trust: Trust::Trusted,
        contract,
        revision: &revision,
    };
    let record = base.record(attempts.unwrap_or(0) + 1);
    let linked = errors.into_iter().map(|problem| {
        let page = format!("{}/{repository}/blob/{commit}", dossier.web_url);
        linked(&page, problem)
    });
    let linked = linked.collect();
    let view = VerdictView {
        language: super::super::language_of(issue),
        waiting_level: None,
        reasons: vec![Reason::ContractBroken { problems: linked }],
        questions: Vec::new(),
        notes: Vec::new(),
        undecided: Vec::new(),
        notify: Vec::new(),
        split: None,
        rollup: Vec::new(),
    };
    let mut effects = vec![Effect::Verdict];
    effects
        .extend(mine.last().and_then(|stored| stored.comment.as_ref()).map(|old| Effect::Minimise(old.node.clone())));
    effects.extend(labels);
    Done { record: Some(record), view: Some(view), ..Done::effects(effects, "contract broken") }
}

#[derive(Clone, Copy)]
enum Judge {
    Preflight,
    Judged,
}

/// What stands after a verdict.
struct Stand {
    disposition: Disposition,
    cause: Option<TriageCause>,
    verdict: Option<Verdict>,
    /// The opposite verdict that a judged return swung from.
    swung_from: Option<Verdict>,
}

/// A low PASS, the swing to the other side and the cap are a human's; the rest follows the verdict.
fn stand(case: &Case<'_>, verdict: Verdict, confidence: Confidence, judge: Judge, ask: Ask) -> Stand {
    let contract = case.rule.contract;
    let state = state(case, ask);
    let swung_from = match judge {
        Judge::Judged => state.last_judged.filter(|last| verdict != Verdict::Pass && *last != verdict),
        Judge::Preflight => None,
    };
    let (disposition, triage) = match (verdict, confidence) {
        (Verdict::Pass, Confidence::Low) if case.rule.gate.on_low_pass == OnLowPass::Triage => {
            (Disposition::Triage, Some(TriageCause::LowPass))
        }
        (Verdict::Pass, _) => (Disposition::Passed, None),
        _ if swung_from.is_some() => (Disposition::Triage, Some(TriageCause::Oscillation)),
        _ if state.returns + 1 >= contract.max_iterations_per_gate => (Disposition::Triage, Some(TriageCause::Cap)),
        _ => (Disposition::Returned, None),
    };
    Stand { disposition, cause: triage, verdict: Some(verdict), swung_from }
}

/// A retry starts from 0, then counts as any other return.
pub(super) fn state(case: &Case<'_>, ask: Ask) -> State {
    if ask == Ask::Retry { State::default() } else { case.state }
}

impl Stand {
    /// Missing content goes to the phase before, a broken form back to who put it out: at acceptance and start both are
    /// the issue's author, or who split the parent where this App filed the child; at outcome content is the
    /// implementation's, form the reporter's (chapter 3). Content wins over form.
    fn return_to(&self, case: &Case<'_>, lacks: &[Lack]) -> Option<Role> {
        if self.verdict == Some(Verdict::Pass) || self.cause == Some(TriageCause::Oscillation) {
            return None;
        }
        let app = case.dossier.app.as_ref();
        let ours = app.zip(case.issue.author.as_ref()).is_some_and(|(app, author)| app.is(author));
        Some(match case.rule.gate.id {
            GateId::Start if ours => Role::Decomposer,
            GateId::Split if !case.is_of_issues() => Role::Decomposer,
            GateId::Outcome if lacks.contains(&Lack::Content) => Role::Implementation,
            GateId::Outcome => Role::Worker,
            _ => Role::IssueAuthor,
        })
    }

    fn record(&self, case: &Case<'_>, attempt: u64) -> Record {
        let contract = ContractRef {
            path: case.rule.contract.origin.path.clone(),
            commit: case.rule.contract.origin.commit.clone(),
            blob: case.rule.contract.blob.clone(),
        };
        let base = Base {
            dossier: case.dossier,
            issue: case.issue,
            gate: case.rule.gate.id,
            mine: &case.mine,
            chain_end: case.chain_end(),
            mode: case.rule.gate.mode,
            trust: case.trust,
            contract,
            revision: &case.revision,
        };
        let mut record = base.record(attempt);
        record.disposition = self.disposition;
        record.triage_cause = self.cause;
        if let Some(url) = &case.subject.url {
            record.subject.url = Some(url.clone());
        }
        record
    }
}

fn finish(case: &Case<'_>, record: Record, view: VerdictView) -> Done {
    let mut effects = vec![Effect::Verdict];
    if record.edit == 0 {
        effects.extend(minimise(case.mine.last().copied()));
    }
    let children = match &case.subject.plan {
        Some(plan) if record.disposition == Disposition::Passed && case.files() => children::drafts(plan),
        _ => Vec::new(),
    };
    // The labels say that it passed once its children stand.
    let then = if children.is_empty() { Then::End } else { Then::Again };
    effects.extend(case.check(&record, view.reasons.clone()));
    if children.is_empty() {
        effects.extend(case.labels(record.disposition));
    }
    let end = Done::effects(effects, "recorded");
    Done { record: Some(record), view: Some(view), children, then, at: case.subject.at, ..end }
}

pub(super) fn view(case: &Case<'_>, reasons: Vec<Reason>, questions: Vec<AskedQuestion>) -> VerdictView {
    let contract = case.rule.contract;
    let mut notes = Vec::new();
    if contract.origin.path.starts_with("builtin:") {
        notes.push(Note::BuiltinContract(contract.origin.path.clone()));
    }
    let secrets = case.subject.body.secret_lines();
    if !secrets.is_empty() {
        notes.push(Note::SecretSeen(secrets));
    }
    notes.extend(hidden(case.subject.body.document()));
    VerdictView {
        language: speaks(contract, case.issue),
        waiting_level: Some(contract.phase(case.rule.gate).waiting_level.clone()),
        reasons,
        questions,
        notes,
        undecided: Vec::new(),
        notify: contract.notify.clone(),
        split: None,
        rollup: Vec::new(),
    }
}

/// One note for each kind of hidden text, in the order of the text.
fn hidden(body: &Document) -> Vec<Note> {
    let mut notes: Vec<HiddenNote> = Vec::new();
    for one in text::hidden(body) {
        // The footer of a child that this App filed hides nothing from anybody.
        if ChildFooter::read(one.shown.trim()).is_some() {
            continue;
        }
        let index = notes.iter().position(|note| note.kind == one.kind).unwrap_or_else(|| {
            let shown = detect::mask_secrets(&one.shown);
            let shown = text::clip(&shown, text::LONGEST_SHOWN).to_owned();
            notes.push(HiddenNote { kind: one.kind, characters: 0, lines: Vec::new(), shown });
            notes.len() - 1
        });
        let note = &mut notes[index];
        note.characters += one.length;
        if note.lines.len() < HiddenNote::MOST_LINES && note.lines.last() != Some(&one.line) {
            note.lines.push(one.line);
        }
    }
    notes.into_iter().map(Note::Hidden).collect()
}

fn questions(case: &Case<'_>, standing: &Stand, verdict: Verdict) -> Vec<AskedQuestion> {
    let mut questions = Vec::new();
    if case.rule.gate.id == GateId::Acceptance {
        questions.push(AskedQuestion {
            kind: QuestionKind::TaskQuestion,
            to: QuestionTo::IssueAuthor,
            subject: QuestionSubject::WorthTheCost,
        });
    }
    let unfulfilled: Vec<_> = case
        .subject
        .rollup
        .iter()
        .filter(|line| matches!(line.result, ChildResult::NotPlanned | ChildResult::NoOutcome))
        .map(|line| (line.requirement.clone(), line.number))
        .collect();
    if !unfulfilled.is_empty() {
        questions.push(AskedQuestion {
            kind: QuestionKind::TaskQuestion,
            to: QuestionTo::IssueAuthor,
            subject: QuestionSubject::Unfulfilled(unfulfilled),
        });
    }
    if let Some(from) = standing.swung_from {
        questions.push(AskedQuestion {
            kind: QuestionKind::AxisQuestion,
            to: QuestionTo::ContractPr,
            subject: QuestionSubject::Oscillation { from, to: verdict },
        });
    }
    questions
}
