//! `cycle`: children of a plan that wait for each other, or for themselves. The note is the path.

use super::planned::{place, plan};
use super::{Context, Hit};
use crate::domain::text::Document;

/// Most steps of a path that are told.
const MOST_STEPS: usize = 20;

/// Runs the detector: one hit for each cycle, at its first child. Without a plan there is nothing to look at.
pub(super) fn detect(document: &Document, context: &Context) -> Vec<Hit> {
    let Some(plan) = plan(document, context) else { return Vec::new() };
    let label = |child: &usize| plan.children.get(*child).map_or("?", |child| child.label.as_str());
    plan.cycles()
        .iter()
        .map(|path| {
            let mut steps: Vec<_> = path.iter().map(label).collect();
            if steps.len() > MOST_STEPS {
                let last = steps.len() - 1;
                steps.splice(MOST_STEPS - 2..last, ["…"]);
            }
            let range = path.first().and_then(|child| place(document, &plan, *child));
            Hit { range, note: Some(steps.join(" → ")) }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::Language;

    #[track_caller]
    fn check(body: &str, expect: &[(&str, &str)]) {
        let context = Context {
            fields: Vec::new(),
            language: Language::Ja,
            references: Vec::new(),
            always_separate: Vec::new(),
            plan: None,
        };
        let hits = detect(&Document::parse(body), &context);
        let found: Vec<_> = hits
            .into_iter()
            .map(|hit| (hit.range.map_or("", |range| &body[range]).to_owned(), hit.note.unwrap_or_default()))
            .collect();
        let found: Vec<_> = found.iter().map(|(quote, note)| (quote.as_str(), note.as_str())).collect();
        assert_eq!(found, expect, "{body}");
    }

    #[test]
    fn the_path_is_told() {
        let child = |number: u32, on: &str| format!("### 子{number}: 題{number}\n- 目的: x\n- 依存: {on}\n\n");
        let body = [child(1, "子3"), child(2, "なし"), child(3, "子1")].concat();
        check(&body, &[("### 子1: 題1", "子1 → 子3 → 子1")]);
        check(&[child(1, "子1"), child(2, "なし")].concat(), &[("### 子1: 題1", "子1 → 子1")]);
        check(&[child(1, "なし"), child(2, "子1")].concat(), &[]);
        check("- 子1 は子2 に依存する", &[]);
        let many: Vec<_> = (1..=60).map(|number| child(number, &format!("子{}", number % 60 + 1))).collect();
        let found = detect(
            &Document::parse(&many.concat()),
            &Context {
                fields: Vec::new(),
                language: Language::Ja,
                references: Vec::new(),
                always_separate: Vec::new(),
                plan: None,
            },
        );
        assert!(found[0].note.as_deref().unwrap_or_default().ends_with("子17 → 子18 → … → 子1"), "{found:?}");
    }
}
