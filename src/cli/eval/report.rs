//! An evaluation as text for a terminal: what is wrong first.

use super::baseline::Compared;
use super::judged::{Judged, Wrong};
use super::score::{Evaluation, Quality, VERDICTS};
use crate::cli::spending::duration;
use crate::domain::rules;
use comfy_table::{CellAlignment, Table, presets};
use std::fmt::Write as _;

/// Most reasons that are shown of one disagreement.
const MOST_REASONS: usize = 4;

/// False PASS and false return, agreement, the matrix, gates, criteria, disagreements, and what changed.
pub(super) fn text(evaluation: &Evaluation, compared: Option<&Compared>) -> String {
    let mut out = String::new();
    headline(evaluation, &mut out);
    let _ = writeln!(out, "{}\n\n{}", matrix(evaluation), gates(evaluation));
    if !evaluation.per_criterion.is_empty() {
        let _ = writeln!(out, "\n{}", criteria(evaluation));
    }
    let wrong = evaluation.wrong();
    if !wrong.is_empty() {
        let plural = if wrong.len() == 1 { "" } else { "s" };
        let _ = writeln!(out, "\n{} disagreement{plural}, the worst first:", wrong.len());
        for (kind, case) in wrong {
            disagreement(kind, case, &mut out);
        }
    }
    if let Some(compared) = compared {
        changes(compared, &mut out);
    }
    // Texts and judges are others': a terminal obeys what stands in them.
    out.chars().map(|c| if c.is_control() && c != '\n' { '\u{fffd}' } else { c }).collect()
}

fn headline(evaluation: &Evaluation, out: &mut String) {
    let count = evaluation.cases.len();
    let right = evaluation.cases.iter().filter(|case| case.right).count();
    let _ = writeln!(out, "false PASS    {:>6}   of those that expect a return", percent(evaluation.false_pass));
    let _ = writeln!(out, "false return  {:>6}   of those that expect PASS", percent(evaluation.false_return));
    let _ = writeln!(out, "accuracy      {:>6}   {right} of {count}", percent(evaluation.accuracy));
    let _ = writeln!(out, "Cohen's κ     {:>6.3}", evaluation.kappa);
    let _ = writeln!(
        out,
        "deceived      {:>6}   adversarial texts that expect a return and got PASS",
        evaluation.adversarial_passes
    );
    if evaluation.not_judged > 0 {
        let _ = writeln!(out, "not judged    {:>6}   counted as wrong", evaluation.not_judged);
    }
    let _ = writeln!(out, "judge         {}", evaluation.judge);
    let _ = writeln!(out, "time          {}", time(evaluation));
    if evaluation.judge != rules::MODEL {
        let _ = writeln!(out, "cost          {}", evaluation.spending());
    }
    out.push('\n');
}

/// Median and 95th percentile.
pub(super) fn time(evaluation: &Evaluation) -> String {
    let (median, p95) = (evaluation.latency.median, evaluation.latency.p95);
    if evaluation.judge == rules::MODEL {
        return format!("{median:.2} ms median, {p95:.2} ms at 95 %");
    }
    format!("{} median, {} at 95 %, of the texts that the model was asked about", duration(median), duration(p95))
}

/// A share as people read it.
pub(super) fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

fn table(head: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED).set_header(head.to_vec());
    for column in 1..head.len() {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

fn matrix(evaluation: &Evaluation) -> Table {
    let mut table = table(&["label \\ verdict", "PASS", "TOO_ABSTRACT", "TOO_CONCRETE", "not judged"]);
    for (verdict, row) in VERDICTS.iter().zip(evaluation.confusion()) {
        let mut cells = vec![verdict.as_str().to_owned()];
        cells.extend(row.iter().map(ToString::to_string));
        table.add_row(cells);
    }
    table
}

fn gates(evaluation: &Evaluation) -> Table {
    let mut table = table(&["gate", "texts", "accuracy", "κ", "false PASS", "false return"]);
    for (gate, figures) in &evaluation.per_gate {
        table.add_row(vec![
            gate.clone(),
            figures.count.to_string(),
            percent(figures.accuracy),
            format!("{:.3}", figures.kappa),
            percent(figures.false_pass),
            percent(figures.false_return),
        ]);
    }
    table
}

fn criteria(evaluation: &Evaluation) -> Table {
    let mut table = table(&["criterion", "expected", "found", "both", "precision", "recall", "F1"]);
    for (name, Quality { expected, answered, both, precision, recall, f1 }) in &evaluation.per_criterion {
        let share = |share: &Option<f64>| share.map_or_else(|| "–".to_owned(), |share| format!("{share:.2}"));
        table.add_row(vec![
            name.clone(),
            expected.to_string(),
            answered.to_string(),
            both.to_string(),
            share(precision),
            share(recall),
            share(f1),
        ]);
    }
    table
}

/// What a case expects, in words: the label and its alternative.
pub(super) fn label(case: &Judged) -> String {
    let alt = case.alt.map(|alt| format!(" or {}", alt.as_str())).unwrap_or_default();
    format!("{}{alt}", case.expected.as_str())
}

/// What it got, in words.
pub(super) fn answer(case: &Judged) -> &'static str {
    case.verdict.map_or("not judged", crate::domain::record::Verdict::as_str)
}

/// The kind of a disagreement, in words.
pub(super) fn kind(wrong: Wrong) -> &'static str {
    match wrong {
        Wrong::FalsePass => "False PASS",
        Wrong::FalseReturn => "False return",
        Wrong::OtherSide => "Other side",
        Wrong::NotJudged => "Not judged",
    }
}

fn disagreement(wrong: Wrong, case: &Judged, out: &mut String) {
    let (kind, got, expected) = (kind(wrong), answer(case), label(case));
    let _ = writeln!(out, "\n  {kind}: {} ({}): {got}, expected {expected}", case.id, case.gate);
    if let Some(note) = &case.note {
        let _ = writeln!(out, "    label: {note}");
    }
    for reason in case.reasons.iter().take(MOST_REASONS) {
        let _ = writeln!(out, "    - {reason}");
    }
    let missed: Vec<&str> = missed(case).collect();
    if !missed.is_empty() {
        let _ = writeln!(out, "    not found: {}", missed.join(", "));
    }
}

/// Criteria that the label names and the judge did not find.
pub(super) fn missed(case: &Judged) -> impl Iterator<Item = &str> {
    case.expected_signals.iter().filter(|id| !case.signals.contains(id)).map(String::as_str)
}

fn changes(compared: &Compared, out: &mut String) {
    let word = if compared.is_worse() { "worse" } else { "no worse" };
    let (before, now) = (&compared.before, &compared.now);
    let _ = writeln!(out, "\nAgainst the baseline ({} common texts): {word}", now.count);
    if compared.judge_before == compared.judge_now {
        let _ = writeln!(out, "  judge         {}, as before", compared.judge_now);
    } else {
        let _ = writeln!(out, "  judge         {} → {}: another one", compared.judge_before, compared.judge_now);
    }
    for (name, before, now) in [
        ("accuracy", before.accuracy, now.accuracy),
        ("κ", before.kappa, now.kappa),
        ("false PASS", before.false_pass, now.false_pass),
        ("false return", before.false_return, now.false_return),
    ] {
        let _ = writeln!(out, "  {name:<13} {before:.3} → {now:.3}");
    }
    if compared.calls != (0, 0) {
        let (before, now) = (cost(compared.cost.0.as_deref()), cost(compared.cost.1.as_deref()));
        let _ = writeln!(out, "  cost          {before} → {now}, of all texts");
    }
    for (what, ids) in
        [("now wrong", &compared.lost), ("now right", &compared.won), ("no longer there", &compared.gone)]
    {
        if !ids.is_empty() {
            let _ = writeln!(out, "  {what}: {}", ids.join(", "));
        }
    }
    if compared.added > 0 {
        let _ = writeln!(out, "  new: {}", compared.added);
    }
}

/// US dollars as people read them.
pub(super) fn cost(dollars: Option<&str>) -> String {
    dollars.map_or_else(|| "not known".to_owned(), |dollars| format!("${dollars}"))
}
