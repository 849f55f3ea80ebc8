//! What a text asks for: its prose without background, value, what is left out, budgets and words of its parent.

use super::patterns::{is_in, patterns};
use super::scope;
use crate::domain::text::{Document, Item, ItemKind, starts_with_id};
use std::ops::Range;

patterns! {
    /// Headings of sections that ask for nothing.
    BESIDE = r"^ \W* (?: 背景 | 経緯 | 現状 | 動機 | 価値 | 対象外 | 範囲外 | スコープ外 | やらないこと | 含まない | 含めない | 非目標 | 親要件 | 対応する親 | 参考 | 関連 | 予算 | 打ち切り | 中断 | メモ | 補足
        | background | context | motivation | history | current | value | why | out\ of | non-?goals? | not\ (?:included|in\ scope) | excluded | parent | covers | references? | related | see\ also | budget | stop | notes? )";
    /// Headings of sections that say what is given.
    GIVEN = r"前提 | 必要なもの | 必要な(?:データ|環境|権限|準備) | 準備 | 入力データ | 使うデータ | 環境 | prerequisites? | premises? | assumptions? | (?: what\ is | things ) \ needed | \b needs \b | requirements?\ for | environment | set-?up | inputs?";
    /// A sentence that repeats what a contract demands of a text.
    RESTATED = r"(?: が | は | を ) \s* (?: 書かれて | 書いて(?:ある|いる|いない) | 書いた | 書きました | 記載 | 明記 | 示して | 満たして | 混ぜて | 含んで ) | 混ぜな | 混在 | 同居 | 別々
        | \b (?: is | are | was | were | been | be ) \s+ (?: not\ )? (?: written | stated | documented | described | mixed | named | listed\ as ) \b | \b (?: mixed | kept\ apart | keep \b .{0,60} \b apart ) \b";
}

/// The items that ask for something, in order.
pub(super) fn items(document: &Document) -> Vec<&Item> {
    let beside: Vec<&Range<usize>> = document
        .sections()
        .iter()
        .filter(|section| is_in(&BESIDE, &section.key))
        .map(|section| &section.range)
        .collect();
    let mut beside = beside.into_iter().peekable();
    let mut until = 0;
    scope::items(document, std::slice::from_ref(&(0..document.source().len())))
        .into_iter()
        .filter(|item| item.kind != ItemKind::Heading || starts_with_id(item.text()))
        .filter(|item| {
            while let Some(range) = beside.next_if(|range| range.start <= item.range.start) {
                until = until.max(range.end);
            }
            item.range.start >= until
        })
        .collect()
}

/// Whether a section that says what is given holds any word.
pub(super) fn has_given(document: &Document) -> bool {
    let mut given = document.sections().iter().filter(|section| is_in(&GIVEN, &section.key));
    given.any(|section| !crate::domain::text::is_empty_section(document, section))
}

/// Whether a sentence only repeats what a contract demands.
pub(super) fn is_restated(sentence: &str) -> bool {
    is_in(&RESTATED, sentence)
}
