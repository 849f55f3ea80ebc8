//! Comparison with an earlier evaluation: figures over the cases that both hold, and every case that flipped.

use super::judged::Judged;
use super::score::{Evaluation, Figures, figures};
use std::collections::HashMap;
use std::path::Path;

/// Shares that differ by less are the same.
const SAME: f64 = 1e-9;

/// What changed between two evaluations.
pub(super) struct Compared {
    /// Who judged then.
    pub judge_before: String,
    /// Who judges now.
    pub judge_now: String,
    /// What all calls of models cost then, in US dollars, and now; none where a price is not known.
    pub cost: (Option<String>, Option<String>),
    /// Calls of models then and now.
    pub calls: (u64, u64),
    /// The earlier figures over the common cases.
    pub before: Figures,
    /// The figures now over the same cases.
    pub now: Figures,
    /// Right before, wrong now: ids.
    pub lost: Vec<String>,
    /// Wrong before, right now: ids.
    pub won: Vec<String>,
    /// Cases that the baseline does not hold.
    pub added: usize,
    /// Cases that only the baseline holds: ids.
    pub gone: Vec<String>,
}

impl Compared {
    /// Whether any figure is worse. A case that is no longer there hides nothing: it counts as worse too.
    pub fn is_worse(&self) -> bool {
        self.now.accuracy < self.before.accuracy - SAME
            || self.now.kappa < self.before.kappa - SAME
            || self.now.false_pass > self.before.false_pass + SAME
            || self.now.false_return > self.before.false_return + SAME
            || !self.gone.is_empty()
    }
}

/// Reads an evaluation with its judge's name that `--save` or `--format json` wrote.
///
/// # Errors
/// What cannot be read.
pub(super) fn read(path: &Path) -> Result<Evaluation, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{}: not an evaluation: {error}", path.display()))
}

/// Compares.
pub(super) fn compare(before: &Evaluation, now: &Evaluation) -> Compared {
    let earlier: HashMap<&str, &Judged> = before.cases.iter().map(|case| (case.id.as_str(), case)).collect();
    let common: Vec<(&Judged, &Judged)> =
        now.cases.iter().filter_map(|case| Some((*earlier.get(case.id.as_str())?, case))).collect();
    let ids = |wanted: fn(bool, bool) -> bool| {
        let flipped = common.iter().filter(|(before, now)| wanted(before.right, now.right));
        flipped.map(|(_, now)| now.id.clone()).collect()
    };
    let gone = before.cases.iter().filter(|case| now.cases.iter().all(|one| one.id != case.id));
    Compared {
        judge_before: before.judge.clone(),
        judge_now: now.judge.clone(),
        cost: (before.cost.clone(), now.cost.clone()),
        calls: (before.calls, now.calls),
        before: figures(&common.iter().map(|(before, _)| *before).collect::<Vec<_>>()),
        now: figures(&common.iter().map(|(_, now)| *now).collect::<Vec<_>>()),
        lost: ids(|before, now| before && !now),
        won: ids(|before, now| !before && now),
        added: now.cases.len() - common.len(),
        gone: gone.map(|case| case.id.clone()).collect(),
    }
}
