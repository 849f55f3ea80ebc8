//! `always_separate`: two kinds of work in one task that the contract keeps apart.
//!
//! A pair of the contract, in its own words, is read as two kinds of work. A pair that names no two known kinds is not
//! this detector's (`docs/detectors/always_separate.md`).

use super::measure::has_measure;
use super::patterns::{Pattern, Searched};
use super::work::{self, Kind, NAMES, is_aside, is_taken_back, is_unchanged, signs};
use super::{Context, Hit, asked, scope, technology};
use crate::domain::contract::DetectorSpec;
use crate::domain::text::{Document, Item, Normalised, SpanKind, sentences};
use std::ops::Range;

/// Runs the detector: for the first pair of which both kinds are asked for, a hit for each.
pub(super) fn detect(_spec: &DetectorSpec, document: &Document, context: &Context) -> Vec<Hit> {
    let pairs: Vec<[Kind; 2]> = context.always_separate.iter().filter_map(|pair| kinds(pair)).collect();
    let mut wanted: Vec<Kind> = pairs.iter().flatten().copied().collect();
    wanted.sort_unstable();
    wanted.dedup();
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut signs = Vec::new();
    for item in asked::items(document) {
        let text = scope::blanked(item, &[SpanKind::Quotation, SpanKind::Url, SpanKind::Alt]);
        for sentence in sentences(item).iter().cloned() {
            let words = &text[sentence.clone()];
            let near = work::near(words);
            let first = signs.len();
            for kind in &wanted {
                signs.extend(found(*kind, near).map(|word| Sign {
                    kind: *kind,
                    item,
                    word: sentence.start + word.start..sentence.start + word.end,
                    sentence: sentence.clone(),
                }));
            }
            if signs.len() > first && asked::is_restated(words) {
                signs.truncate(first);
            }
        }
    }
    pairs.iter().find_map(|pair| together(document, *pair, &signs)).unwrap_or_default()
}

/// The two kinds that a pair of the contract names.
fn kinds(pair: &str) -> Option<[Kind; 2]> {
    let mut text = Normalised::of(pair).text().to_owned();
    let mut found: Vec<(usize, Kind)> = Vec::new();
    for (kind, name) in NAMES {
        while let Some(range) = name.as_ref().and_then(|name| name.find(&text)).map(|word| word.range()) {
            found.push((range.start, kind));
            text.replace_range(range.clone(), &"\u{1}".repeat(range.len()));
        }
    }
    found.sort_unstable();
    found.dedup_by_key(|(_, kind)| *kind);
    match found.as_slice() {
        [(_, one), (_, other)] if one != other => Some([*one, *other]),
        _ => None,
    }
}

/// A place that asks for a kind of work.
struct Sign<'d> {
    kind: Kind,
    item: &'d Item,
    sentence: Range<usize>,
    word: Range<usize>,
}

/// Where a sentence asks for a kind of work.
fn found(kind: Kind, near: Searched<'_>) -> impl Iterator<Item = Range<usize>> + '_ {
    let sentence = near.text();
    let of_kind = move |pattern: &'static Pattern| {
        let all = near.may(pattern).map(|regex| regex.find_iter(sentence));
        all.into_iter().flatten().map(|word| word.range()).filter(move |word| asks(kind, sentence, word))
    };
    signs(kind).into_iter().flatten().flat_map(of_kind).take(MOST_SIGNS)
}

/// Most signs of one kind that are kept of one sentence.
const MOST_SIGNS: usize = 4;

/// Whether the words ask for the work: not taken back, not about something else.
fn asks(kind: Kind, sentence: &str, word: &Range<usize>) -> bool {
    let (before, after) = (&sentence[..word.start], &sentence[word.end..]);
    if is_taken_back(technology::tail(before), after) {
        return false;
    }
    match kind {
        // Tests, texts and the like come with every task; what stays as it was is no feature.
        Kind::Feature => !is_aside(&sentence[word.clone()]) && !is_unchanged(sentence),
        // A figure that must be met is a criterion, no work of measuring.
        Kind::Measuring => !has_measure(sentence),
        _ => true,
    }
}

fn together(document: &Document, pair: [Kind; 2], signs: &[Sign<'_>]) -> Option<Vec<Hit>> {
    let of = |kind: Kind| signs.iter().filter(move |sign| sign.kind == kind);
    let apart = |one: &Sign<'_>, other: &Sign<'_>| {
        one.item.range != other.item.range || one.word.end <= other.word.start || other.word.end <= one.word.start
    };
    // The first sign of a kind, or one of the few after it, stands apart from some sign of the other.
    let (one, other) =
        of(pair[0]).take(MOST_SIGNS).find_map(|one| Some((one, of(pair[1]).find(|other| apart(one, other))?)))?;
    let (first, second) = if (one.item.range.start, one.word.start) <= (other.item.range.start, other.word.start) {
        (one, other)
    } else {
        (other, one)
    };
    let words = |sign: &Sign<'_>| sign.item.text()[sign.word.clone()].trim().to_owned();
    let hit = |sign: &Sign<'_>, note| scope::hit(document, sign.item, &sign.sentence, &sign.word, note);
    if first.item.range == second.item.range && first.sentence == second.sentence {
        return Some(vec![hit(first, format!("{}, {}", words(first), words(second)))]);
    }
    Some(vec![hit(first, words(first)), hit(second, words(second))])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pair: &str, expect: Option<[Kind; 2]>) {
        assert_eq!(kinds(pair), expect, "{pair}");
    }

    #[test]
    fn pairs_are_read_in_both_languages() {
        check("リファクタリングと機能追加", Some([Kind::Refactoring, Kind::Feature]));
        check("ライブラリ更新と機能開発", Some([Kind::Upgrade, Kind::Feature]));
        check("性能改善と機能追加", Some([Kind::Performance, Kind::Feature]));
        check("データ移行と機能開発", Some([Kind::Migration, Kind::Feature]));
        check("計測と計測対象の変更", Some([Kind::Measuring, Kind::Changing]));
        check("フィーチャーフラグの導入と削除", Some([Kind::FlagIn, Kind::FlagOut]));
        check("バグ修正と機能追加", Some([Kind::Fix, Kind::Feature]));
        check("refactoring and a feature", Some([Kind::Refactoring, Kind::Feature]));
        check("a library upgrade and a feature", Some([Kind::Upgrade, Kind::Feature]));
        check("performance work and a feature", Some([Kind::Performance, Kind::Feature]));
        check("data migration and a feature", Some([Kind::Migration, Kind::Feature]));
        check("measuring and changing what is measured", Some([Kind::Measuring, Kind::Changing]));
        check("documentation and a bug fix", Some([Kind::Docs, Kind::Fix]));
        check("design and legal review", None);
        check("a feature and another feature", None);
    }
}
