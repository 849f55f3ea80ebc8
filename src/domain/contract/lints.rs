//! What can be read and is likely not meant: a waiting level with one half, a signal that nobody can observe, a signal in the
//! wrong list, a signal that no rule decides.

use super::model::{DetectorId, Signal};
use super::report::{At, Report};
use super::slug::fold;
use super::tree::short;
use crate::domain::ids::GateId;

/// A waiting level says what is written and what is left unspecified; without the second half nothing can be too concrete.
pub(super) fn waiting_level(level: &str, at: At, report: &mut Report<'_>) {
    let folded = fold(level).to_lowercase();
    if !LEFT_OPEN.iter().any(|word| folded.contains(word)) {
        let message = "the waiting level does not say what is left unspecified, so nothing can be too concrete";
        report.warning(
            "waiting-level",
            at,
            message,
            "a clause such as 「実装方式は未指定」 or \"the implementation is unspecified\"",
        );
    }
}

/// A signal names something that can be found in a text and quoted, not an impression.
pub(super) fn observable(signal: &Signal, at: At, report: &mut Report<'_>) {
    if signal.detect.is_none() && is_impression(&signal.text) {
        let message = format!("nobody can point at `{}` in a text, so judges will differ", short(&signal.text));
        let expected =
            "what stands there or is missing, such as 「曖昧語(適切に・柔軟に等)」 or \"no number for the speed\"";
        report.warning("unobservable", at, message, expected);
    }
}

/// A phase's signals are asked of one text; what only the whole set of children shows belongs in `set_signals`. The phase
/// of integration is the exception: what it receives is a set.
pub(super) fn about_a_set<'s>(
    signals: impl IntoIterator<Item = (&'s Signal, At)>,
    gates: &[GateId],
    report: &mut Report<'_>,
) {
    if gates.iter().all(|gate| *gate == GateId::Integration) {
        return;
    }
    for (signal, at) in signals {
        if detects_sets(signal) == Some(true) || speaks_of_sets(&signal.text) {
            let message =
                format!("`{}` is about all children together, and this list is asked of one", short(&signal.text));
            report.warning("set-level", at, message, "`set_signals` of the gate split");
        }
    }
}

/// Set signals are asked of all children together; what one text shows belongs in the signals of a phase.
pub(super) fn about_one<'s>(signals: impl IntoIterator<Item = (&'s Signal, At)>, report: &mut Report<'_>) {
    for (signal, at) in signals {
        let folded = fold(&signal.text).to_lowercase();
        if detects_sets(signal) == Some(false) || EACH.iter().any(|word| folded.contains(word)) {
            let message =
                format!("`{}` is about one child, and `set_signals` are asked of all together", short(&signal.text));
            report.warning("per-item", at, message, "the signals of a phase");
        }
    }
}

/// Says once for a file which of its own signals no rule decides.
pub(super) fn undetected<'s>(signals: impl IntoIterator<Item = (&'s Signal, At)>, report: &mut Report<'_>) {
    let file = report.file();
    let left: Vec<(&Signal, At)> =
        signals.into_iter().filter(|(signal, at)| signal.detect.is_none() && at.file == file).collect();
    let Some((_, first)) = left.first() else { return };
    let names: Vec<String> = left.iter().take(5).map(|(signal, _)| format!("`{}`", short(&signal.text))).collect();
    let more = if left.len() > names.len() { ", …" } else { "" };
    let signals = if left.len() == 1 { "1 signal has".to_owned() } else { format!("{} signals have", left.len()) };
    let message = format!("{signals} no detector and is left to a model judge: {}{more}", names.join(", "));
    let message = if left.len() == 1 { message } else { message.replace("and is left", "and are left") };
    report.notice("no-detector", *first, message, "`detect`, where a rule can decide it");
}

/// Whether the signal's detector looks at a set of children; none where it has none, or one that may look at either.
fn detects_sets(signal: &Signal) -> Option<bool> {
    match signal.detect.as_ref()?.id {
        DetectorId::Cycle | DetectorId::Orphan | DetectorId::BudgetExceeded => Some(true),
        DetectorId::Words | DetectorId::Regex => None,
        _ => Some(false),
    }
}

fn speaks_of_sets(text: &str) -> bool {
    let folded = fold(text).to_lowercase();
    SETS.iter().any(|words| words.iter().all(|word| folded.contains(word)))
}

/// Whether a text says nothing but that something is vague, detailed or bad.
fn is_impression(text: &str) -> bool {
    let mut rest: String =
        fold(text).to_lowercase().chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    let before = rest.clone();
    for word in IMPRESSIONS_JA {
        rest = rest.replace(word, " ");
    }
    let mut impression = rest != before;
    for word in AROUND_JA {
        rest = rest.replace(word, " ");
    }
    for word in rest.split_whitespace() {
        if IMPRESSIONS_EN.contains(&word) {
            impression = true;
        } else if !AROUND_EN.contains(&word) {
            return false;
        }
    }
    impression
}

/// Words that say that something is left to the receiver; folded and in lower case.
const LEFT_OPEN: [&str; 26] = [
    "未指定",
    "指定しない",
    "指定せず",
    "指定なし",
    "問わない",
    "問わず",
    "任せる",
    "任せ",
    "委ねる",
    "委ね",
    "任意",
    "自由",
    "決めない",
    "決めず",
    "定めない",
    "unspecified",
    "not specified",
    "not prescribed",
    "left open",
    "is open",
    "are open",
    "left to",
    "up to the",
    "undecided",
    "not decided",
    "free to",
];

/// What only a set of children can have, each as words that stand in one signal; folded and in lower case.
const SETS: [&[&str]; 17] = [
    &["依存", "循環"],
    &["親要件", "孤児"],
    &["どの子", "対応しない"],
    &["子件数"],
    &["合計", "超過"],
    &["親予算"],
    &["子全体"],
    &["分割全体"],
    &["子同士"],
    &["dependen", "cycl"],
    &["circular", "dependen"],
    &["orphan", "requirement"],
    &["no child"],
    &["all children"],
    &["children together"],
    &["across", "children"],
    &["parent", "budget", "exceed"],
];

/// Words that say that one child is meant.
const EACH: [&str; 8] =
    ["各子", "子ごと", "個々の子", "それぞれの子", "each child", "every child", "a child has", "a child lacks"];

/// Impressions; the longer one first where one holds another.
const IMPRESSIONS_JA: [&str; 22] = [
    "わかりにくい",
    "分かりにくい",
    "わかりづらい",
    "読みにくい",
    "品質が低い",
    "抽象的",
    "具体的",
    "大雑把",
    "あいまい",
    "不十分",
    "不明確",
    "不明瞭",
    "不適切",
    "曖昧",
    "詳細",
    "細かい",
    "細かく",
    "細か",
    "粗い",
    "雑",
    "薄い",
    "弱い",
];

/// What may stand around an impression without making it observable.
const AROUND_JA: [&str; 44] = [
    "書き方",
    "全体的",
    "である",
    "すぎる",
    "過ぎる",
    "すぎて",
    "過ぎて",
    "すぎ",
    "過ぎ",
    "過剰",
    "説明",
    "内容",
    "記述",
    "文章",
    "本文",
    "全体",
    "目的",
    "要件",
    "課題",
    "報告",
    "表現",
    "情報",
    "部分",
    "とても",
    "ところ",
    "こと",
    "もの",
    "やや",
    "です",
    "して",
    "いる",
    "ない",
    "文",
    "点",
    "的",
    "が",
    "は",
    "を",
    "の",
    "な",
    "も",
    "に",
    "で",
    "だ",
];

const IMPRESSIONS_EN: [&str; 24] = [
    "vague",
    "unclear",
    "ambiguous",
    "abstract",
    "concrete",
    "specific",
    "general",
    "detailed",
    "confusing",
    "sloppy",
    "poor",
    "poorly",
    "bad",
    "badly",
    "weak",
    "insufficient",
    "inadequate",
    "imprecise",
    "unreadable",
    "incomprehensible",
    "good",
    "clear",
    "low",
    "long",
];

const AROUND_EN: [&str; 46] = [
    "a",
    "an",
    "the",
    "this",
    "that",
    "it",
    "is",
    "are",
    "be",
    "was",
    "so",
    "too",
    "very",
    "quite",
    "rather",
    "somewhat",
    "overly",
    "not",
    "enough",
    "and",
    "or",
    "of",
    "in",
    "to",
    "much",
    "detail",
    "text",
    "issue",
    "task",
    "description",
    "content",
    "contents",
    "wording",
    "writing",
    "written",
    "report",
    "whole",
    "overall",
    "quality",
    "requirement",
    "requirements",
    "purpose",
    "something",
    "things",
    "document",
    "explanation",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, impression: bool, set: bool) {
        assert_eq!((is_impression(text), speaks_of_sets(text)), (impression, set), "{text}");
    }

    #[test]
    fn impressions_are_told_from_what_can_be_pointed_at() {
        for text in [
            "曖昧",
            "説明が曖昧である",
            "内容が具体的すぎる",
            "細かすぎる",
            "全体的に雑",
            "Too detailed",
            "the text is vague",
            "Poorly written",
            "not clear enough",
            "too abstract",
        ] {
            check(text, true, false);
        }
        for text in [
            "曖昧語(適切に・柔軟に等)",
            "成功基準の測り方が曖昧",
            "詳細な手順の列挙",
            "打ち切り条件の欠落",
            "価値の記載なし",
            "Vague words (appropriate, flexible)",
            "A library is prescribed",
            "No number for the speed",
            "目的",
            "the text",
        ] {
            check(text, false, false);
        }
    }

    #[test]
    fn defects_of_a_set_are_told_from_those_of_one_text() {
        for text in [
            "依存の循環",
            "依存関係が循環している",
            "親要件の孤児(どの子 issue にも対応しない)",
            "親予算(コスト上限)との不整合",
            "A cycle of dependencies",
            "circular dependencies",
            "Orphaned requirements of the parent",
            "a requirement that no child serves",
            "The children together exceed the budget",
        ] {
            check(text, false, true);
        }
        for text in
            ["循環参照の実装を指定", "予算欄が空", "The budget is empty", "依存ライブラリの指定", "対応表に無い要件"]
        {
            check(text, false, false);
        }
    }
}
