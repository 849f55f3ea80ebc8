//! A passed split goes on: its children are filed, then the same comment gets their numbers (chapter 3).
//!
//! The children stand in the ledger since the record does, so that what is asked here is only what became of them.

use super::super::{Step, done};
use super::Case;
use super::children::{line, plan_of, requirement};
use super::conclude;
use super::split::{filing, is_unfinished};
use crate::domain::effect::Effect;
use crate::domain::record::{Child, Disposition, Record, TriageCause};
use crate::domain::run::{Done, Filed, Filing, Then};
use crate::domain::view::{Note, SplitView};

/// Ends the run where a passed record of this gate waits for its children's numbers.
pub(super) fn finish(case: &Case<'_>) -> Step<()> {
    let Some(newest) = case.mine.last().map(|stored| &stored.record).filter(|record| is_unfinished(record)) else {
        return Ok(());
    };
    let filing = filing(case.dossier, newest)?;
    if filing.children.is_empty() {
        // Its entries are lost, with the database that held them: the plan is judged anew, and what stands is found.
        return Ok(());
    }
    if filing.open {
        let end = Done::effects(vec![Effect::Verdict], "children are being filed");
        return done(Done { then: Then::Again, ..end });
    }
    done(numbered(case, newest, filing))
}

/// The same record with the numbers of its children: in triage where the forge refused a part of the plan.
fn numbered(case: &Case<'_>, newest: &Record, filing: &Filing) -> Done {
    let child = |filed: &Filed| Child {
        index: filed.draft.index,
        number: filed.number,
        title: filed.draft.title.clone(),
        requirement: requirement(&filed.draft.covers),
    };
    let whole = filing.refused.is_empty() && filing.children.iter().all(|filed| filed.number.is_some());
    let (disposition, triage) =
        if whole { (Disposition::Passed, None) } else { (Disposition::Triage, Some(TriageCause::PlanRefused)) };
    let record = Record {
        disposition,
        triage_cause: triage,
        children: filing.children.iter().map(child).collect(),
        ..newest.rewritten()
    };
    let mut view = conclude::view(case, Vec::new(), Vec::new());
    let plan = plan_of(filing);
    view.split = Some(SplitView {
        children: filing.children.iter().map(|filed| line(filing, filed)).collect(),
        plan: plan.yaml(),
        task_list: filing.not_offered,
    });
    if !filing.refused.is_empty() {
        view.notes.push(Note::PlanRefused(filing.refused.clone()));
    }
    let mut effects = vec![Effect::Verdict];
    effects.extend(case.labels(disposition));
    Done { record: Some(record), view: Some(view), ..Done::effects(effects, "children numbered") }
}
