//! An evaluation as one HTML page, with nothing to fetch.

use super::baseline::Compared;
use super::report::{answer, label, missed, percent};
use super::score::{Evaluation, VERDICTS};
use crate::render;
use serde_json::{Value, json};

/// The page.
///
/// # Errors
/// A template that does not fit: a defect of this program.
pub(super) fn html(evaluation: &Evaluation, compared: Option<&Compared>) -> Result<String, String> {
    let parts = json!({
        "headline": headline(evaluation),
        "matrix": matrix(evaluation),
        "gates": gates(evaluation),
        "criteria": criteria(evaluation),
        "wrong": disagreements(evaluation),
        "compared": compared.map_or(Value::Null, changes),
    });
    render::evaluation_page(&parts).map_err(|error| error.to_string())
}

fn headline(evaluation: &Evaluation) -> Value {
    let (median, slow) = evaluation.latency();
    json!([
        ["False PASS", percent(evaluation.false_pass)],
        ["False return", percent(evaluation.false_return)],
        ["Accuracy", percent(evaluation.accuracy)],
        ["Cohen's κ", format!("{:.3}", evaluation.kappa)],
        ["Deceived", evaluation.adversarial_passes.to_string()],
        ["Texts", evaluation.cases.len().to_string()],
        ["Time, median / 95 %", format!("{median:.2} / {slow:.2} ms")],
    ])
}

fn matrix(evaluation: &Evaluation) -> Value {
    let rows = VERDICTS.iter().zip(evaluation.confusion()).enumerate().map(|(index, (verdict, row))| {
        let cells: Vec<Value> =
            row.iter().enumerate().map(|(column, count)| json!({"count": count, "right": column == index})).collect();
        json!({"label": verdict.as_str(), "cells": cells})
    });
    rows.collect()
}

fn gates(evaluation: &Evaluation) -> Value {
    let rows = evaluation.per_gate.iter().map(|(gate, figures)| {
        json!([
            gate,
            figures.count.to_string(),
            percent(figures.accuracy),
            format!("{:.3}", figures.kappa),
            percent(figures.false_pass),
            percent(figures.false_return),
        ])
    });
    rows.collect()
}

fn criteria(evaluation: &Evaluation) -> Value {
    let share = |share: Option<f64>| share.map_or_else(|| "–".to_owned(), |share| format!("{share:.2}"));
    let rows = evaluation.per_criterion.iter().map(|(name, quality)| {
        json!([
            name,
            quality.expected.to_string(),
            quality.answered.to_string(),
            share(quality.precision),
            share(quality.recall),
            share(quality.f1),
        ])
    });
    rows.collect()
}

fn disagreements(evaluation: &Evaluation) -> Value {
    let rows = evaluation.wrong().map(|case| {
        json!({
            "id": case.id,
            "gate": case.gate.as_str(),
            "answer": answer(case),
            "label": label(case),
            "note": case.note,
            "reasons": case.reasons,
            "missed": missed(case).collect::<Vec<_>>(),
        })
    });
    rows.collect()
}

fn changes(compared: &Compared) -> Value {
    let (before, now) = (&compared.before, &compared.now);
    json!({
        "worse": compared.is_worse(),
        "count": now.count,
        "rows": [
            ["Accuracy", format!("{:.3}", before.accuracy), format!("{:.3}", now.accuracy)],
            ["κ", format!("{:.3}", before.kappa), format!("{:.3}", now.kappa)],
            ["False PASS", format!("{:.3}", before.false_pass), format!("{:.3}", now.false_pass)],
            ["False return", format!("{:.3}", before.false_return), format!("{:.3}", now.false_return)],
        ],
        "lost": compared.lost,
        "won": compared.won,
        "gone": compared.gone,
    })
}
