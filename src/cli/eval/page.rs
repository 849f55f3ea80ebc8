//! An evaluation as one HTML page, with nothing to fetch: what is wrong first.

use super::baseline::Compared;
use super::judged::{Judged, Wrong};
use super::marks::{Piece, marked};
use super::report::{answer, cost, kind, label, missed, percent, time};
use super::score::{Evaluation, VERDICTS};
use crate::cli::spending::{duration, grouped};
use crate::domain::ids::Language;
use crate::domain::record::{Confidence, Verdict};
use crate::domain::rules;
use crate::render;
use serde_json::{Value, json};

/// The kinds of disagreement, the worst first, each with what it means.
const KINDS: [(Wrong, &str); 4] = [
    (Wrong::FalsePass, "a return is expected, and it was let through"),
    (Wrong::FalseReturn, "a PASS is expected, and it was sent back"),
    (Wrong::OtherSide, "returned, and for the wrong side"),
    (Wrong::NotJudged, "no verdict, which counts as wrong"),
];

/// So many disagreements are read with their texts at once; of more, each text is opened by who wants it.
const FEW: usize = 5;

/// More names than this are folded away.
const MANY: usize = 12;

/// The page.
///
/// # Errors
/// A template that does not fit: a defect of this program.
pub(super) fn html(evaluation: &Evaluation, compared: Option<&Compared>) -> Result<String, String> {
    let parts = json!({
        "judge": evaluation.judge,
        "texts": evaluation.cases.len(),
        "headline": headline(evaluation),
        "cost": spent(evaluation),
        "matrix": matrix(evaluation),
        "gates": gates(evaluation),
        "criteria": criteria(evaluation),
        "wrong": disagreements(evaluation),
        "compared": compared.map_or(Value::Null, changes),
    });
    render::evaluation_page(&parts).map_err(|error| error.to_string())
}

fn headline(evaluation: &Evaluation) -> Value {
    let all = evaluation.cases.len();
    let returns = evaluation.cases.iter().filter(|case| case.expects_return()).count();
    let right = evaluation.cases.iter().filter(|case| case.right).count();
    let wrong = evaluation.wrong();
    let count = |kind: Wrong| wrong.iter().filter(|(one, _)| *one == kind).count();
    let (passes, sent_back) = (count(Wrong::FalsePass), count(Wrong::FalseReturn));
    let one = |name: &str, figure: String, what: String, bad: bool| json!({"name": name, "figure": figure, "what": what, "bad": bad});
    let mut tiles = vec![
        one(
            "False PASS",
            percent(evaluation.false_pass),
            format!("{passes} of {returns} that expect a return"),
            passes > 0,
        ),
        one(
            "False return",
            percent(evaluation.false_return),
            format!("{sent_back} of {} that expect PASS", all - returns),
            sent_back > 0,
        ),
        one("Accuracy", percent(evaluation.accuracy), format!("{right} of {all} right"), false),
        one("Cohen's κ", format!("{:.3}", evaluation.kappa), "agreement beyond chance".to_owned(), false),
        one(
            "Deceived",
            evaluation.adversarial_passes.to_string(),
            "adversarial texts let through".to_owned(),
            evaluation.adversarial_passes > 0,
        ),
    ];
    if evaluation.not_judged > 0 {
        tiles.push(one("Not judged", evaluation.not_judged.to_string(), "counted as wrong".to_owned(), true));
    }
    Value::Array(tiles)
}

/// Cost and time, each with its words.
fn spent(evaluation: &Evaluation) -> Value {
    let mut rows = vec![json!(["Time", time(evaluation)])];
    if evaluation.judge == rules::MODEL {
        rows.push(json!(["Cost", "none: the embedded judge"]));
        return Value::Array(rows);
    }
    let spending = evaluation.spending();
    let tokens = spending.tokens;
    rows.insert(
        0,
        json!([
            "Answered by",
            if spending.models.is_empty() { "nobody".to_owned() } else { spending.models.join(", ") }
        ]),
    );
    rows.push(json!(["Cost", cost(evaluation.cost.as_deref())]));
    rows.push(json!(["Calls", grouped(spending.calls)]));
    let (input, cached, output) = (grouped(tokens.input), grouped(tokens.cached), grouped(tokens.output));
    rows.push(json!(["Tokens", format!("{input} in, of which {cached} from the cache; {output} out")]));
    Value::Array(rows)
}

fn matrix(evaluation: &Evaluation) -> Value {
    let rows = VERDICTS.iter().zip(evaluation.confusion()).enumerate().map(|(index, (verdict, row))| {
        let cell = |(column, count): (usize, &usize)| {
            let passed = column == 0 && *verdict != Verdict::Pass;
            let kind = match (column == index, passed) {
                (true, _) => "right",
                (_, true) => "worst",
                _ => "wrong",
            };
            json!({"count": count, "kind": kind})
        };
        let cells: Vec<Value> = row.iter().enumerate().map(cell).collect();
        json!({"label": verdict.as_str(), "cells": cells, "sum": row.iter().sum::<usize>()})
    });
    rows.collect()
}

fn gates(evaluation: &Evaluation) -> Value {
    let rows = evaluation.per_gate.iter().map(|(gate, figures)| {
        json!([
            gate,
            figures.count.to_string(),
            percent(figures.false_pass),
            percent(figures.false_return),
            percent(figures.accuracy),
            format!("{:.3}", figures.kappa),
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
    let wrong = evaluation.wrong();
    let open = wrong.len() <= FEW;
    let mut number = 0;
    let groups = KINDS.iter().filter_map(|(of, what)| {
        let cases: Vec<Value> = wrong
            .iter()
            .filter(|(one, _)| one == of)
            .map(|(_, case)| {
                number += 1;
                disagreement(number, case, open)
            })
            .collect();
        (!cases.is_empty()).then(|| json!({"kind": kind(*of), "what": what, "cases": cases}))
    });
    groups.collect()
}

fn disagreement(number: usize, case: &Judged, open: bool) -> Value {
    let reasons: &[String] = if case.shown.is_empty() { &case.reasons } else { &[] };
    let shown = case.shown.iter().map(|one| {
        json!({"criterion": one.criterion, "text": one.text, "quote": one.quote, "line": one.line, "note": one.note})
    });
    let pieces = marked(&case.text, &case.shown).into_iter().map(|Piece { text, of }| {
        let mut names: Vec<&str> = of.iter().map(|index| case.shown[*index].criterion.as_str()).collect();
        names.dedup();
        json!({"text": text, "of": names.join(", ")})
    });
    let mut facts = Vec::new();
    facts.extend(case.model.clone());
    facts.extend(
        case.tokens.map(|tokens| format!("{} tokens in, {} out", grouped(tokens.input), grouped(tokens.output))),
    );
    facts.extend(case.cost.as_deref().map(|dollars| cost(Some(dollars))));
    facts.extend((!case.paid.is_empty()).then(|| duration(case.ms)));
    json!({
        "number": number,
        "id": case.id,
        "gate": case.gate.as_str(),
        "answer": answer(case),
        "low": case.confidence == Some(Confidence::Low),
        "label": label(case),
        "note": case.note,
        "tags": case.tags,
        "shown": shown.collect::<Vec<_>>(),
        "reasons": reasons,
        "missed": missed(case).collect::<Vec<_>>(),
        "facts": facts.join(" · "),
        "lines": case.text.lines().count(),
        "language": match Language::of(&case.text) {
            Language::Ja => "ja",
            Language::En => "en",
        },
        "open": open,
        "pieces": pieces.collect::<Vec<_>>(),
    })
}

fn changes(compared: &Compared) -> Value {
    let (before, now) = (&compared.before, &compared.now);
    let mut rows = vec![
        json!(["False PASS", percent(before.false_pass), percent(now.false_pass)]),
        json!(["False return", percent(before.false_return), percent(now.false_return)]),
        json!(["Accuracy", percent(before.accuracy), percent(now.accuracy)]),
        json!(["Cohen's κ", format!("{:.3}", before.kappa), format!("{:.3}", now.kappa)]),
    ];
    if compared.calls != (0, 0) {
        rows.push(json!(["Cost of all texts", cost(compared.cost.0.as_deref()), cost(compared.cost.1.as_deref())]));
    }
    let all = [("Now wrong", &compared.lost), ("Now right", &compared.won), ("No longer there", &compared.gone)];
    let lists: Vec<Value> = all
        .iter()
        .filter(|(_, ids)| !ids.is_empty())
        .map(|(what, ids)| json!({"what": what, "count": ids.len(), "ids": ids.join(", "), "many": ids.len() > MANY}))
        .collect();
    json!({
        "worse": compared.is_worse(),
        "count": now.count,
        "judge_before": compared.judge_before,
        "judge_now": compared.judge_now,
        "rows": rows,
        "lists": lists,
        "added": compared.added,
    })
}
