//! The judging itself: preflight, the judges of the gate's tier, those of the tier above, the verdict (chapters 3 and 4).

use super::super::{Ask, Step, speaks};
use super::case::Case;
use super::derive::derive;
use super::{axis, brief, conclude, not_enabled};
use crate::domain::contract::Mode;
use crate::domain::finding::Brief;
use crate::domain::record::{Confidence, Standing, Trust, Verdict};
use crate::domain::reply::{Judged, Paid, United, Unjudged};
use crate::domain::run::{Consult, Done, Judges, Next, Offer, Panel, Waiting};

/// Returns in a row after which the tier above is asked at once (chapter 3).
const PATIENCE: u32 = 2;

/// Preflight, then the judges, then the verdict.
pub(super) fn judge(case: &Case<'_>, attempt: u64, ask: Ask) -> Step<Done> {
    if let Some(reason) = &case.subject.unclear {
        return Ok(conclude::unclear(case, attempt, reason.clone()));
    }
    let missing = case.missing();
    if !missing.is_empty() {
        return axis::proposed(case, ask, conclude::returned_by_preflight(case, attempt, missing, ask));
    }
    if !case.rule.gate.enabled {
        return Ok(not_enabled(case, ask));
    }
    let brief = brief::write(case);
    let paid: Vec<Paid> = case.dossier.facts.answers.iter().flat_map(|judged| judged.paid.clone()).collect();
    match said(case, &brief, ask)? {
        Ok(said) => axis::proposed(case, ask, conclude::judged(case, attempt, &brief, said, &paid, ask)),
        // A failure is never a PASS: not even where the tier below would have passed it with a note.
        Err(why) => Ok(conclude::unjudged(case, attempt, why, &paid)),
    }
}

/// What the judges say together, the tier above included where the first leaves a PASS in doubt; or why nothing is said.
fn said<'a>(case: &'a Case<'_>, brief: &Brief, ask: Ask) -> Step<Result<&'a United, Unjudged>> {
    let Tiers { first, above } = match tiers(case, ask) {
        Ok(tiers) => tiers,
        Err(why) => return Ok(Err(why)),
    };
    let mut answers = case.dossier.facts.answers.iter();
    let united = match answer(case, answers.next(), first, brief, ask)? {
        Ok(united) => united,
        Err(why) => return Ok(Err(why)),
    };
    let derived = derive(case.rule.gate, brief, united);
    match above {
        Some(above) if derived.verdict == Verdict::Pass && derived.confidence == Confidence::Low => {
            answer(case, answers.next(), Some(above), brief, ask)
        }
        _ => Ok(Ok(united)),
    }
}

/// The answer that is there, or the wish for it.
fn answer<'a>(
    case: &Case<'_>,
    answer: Option<&'a Judged>,
    panel: Option<Panel>,
    brief: &Brief,
    ask: Ask,
) -> Step<Result<&'a United, Unjudged>> {
    if let Some(judged) = answer {
        return Ok(judged.said.as_ref().map_err(Clone::clone));
    }
    let waiting = panel.as_ref().and_then(|_| waiting(case, ask));
    Err(Box::new(Next::Ask(vec![Consult { brief: brief.clone(), panel, waiting }])))
}

/// ⏳ is a new record's place: one that stands already says that nothing is judged yet.
fn waiting(case: &Case<'_>, ask: Ask) -> Option<Waiting> {
    let seen = case.dossier.lane.is_some() && case.rule.gate.mode == Mode::Enforce;
    let new = matches!(case.standing(ask), Standing::New { .. });
    (seen && new).then(|| Waiting {
        gate: case.rule.gate.id,
        language: speaks(case.rule.contract, case.issue),
        at: case.subject.at,
    })
}

/// Who is asked first, and who is asked again where that leaves a PASS in doubt.
struct Tiers {
    first: Option<Panel>,
    above: Option<Panel>,
}

/// The gate's tiers, as the operator offers them. Strangers alone have no model asked (chapter 3, trust).
fn tiers(case: &Case<'_>, ask: Ask) -> Result<Tiers, Unjudged> {
    let (gate, judges) = (case.rule.gate, &case.dossier.judges);
    let none = Tiers { first: None, above: None };
    if case.trust == Trust::Open {
        return Ok(none);
    }
    let of = |tier: &Option<String>| tier.clone().map(|tier| Panel { tier, opinions: gate.panel });
    let (first, above) = match judges {
        Judges::Rules => return Ok(none),
        Judges::One => {
            let tier = gate.model.clone().unwrap_or_default();
            return Ok(Tiers { first: Some(Panel { tier, opinions: 1 }), above: None });
        }
        Judges::Flat(_) => (of(&gate.model), None),
        Judges::Tiers(_) => {
            (of(&gate.model), of(&gate.escalate_to).filter(|above| gate.model.as_ref() != Some(&above.tier)))
        }
    };
    // A gate that names no model is judged by rules, and has no tier above.
    let Some(first) = first else { return Ok(none) };
    for panel in above.iter().chain([&first]) {
        match judges.offer(panel) {
            Offer::Offered => {}
            Offer::Unmapped => return Err(Unjudged::Unmapped { tier: panel.tier.clone() }),
            Offer::TooFew => {
                return Err(Unjudged::NoSecondOpinion { tier: panel.tier.clone(), opinions: panel.opinions });
            }
        }
    }
    let climbed = conclude::state(case, ask).returns >= PATIENCE;
    Ok(match above {
        Some(above) if climbed => Tiers { first: Some(above), above: None },
        above => Tiers { first: Some(first), above },
    })
}
