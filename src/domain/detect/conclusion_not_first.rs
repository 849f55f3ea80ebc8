//! `conclusion_not_first`: a conclusion whose first sentence does not say what came out: criteria met, not met, or the work
//! stopped.
//!
//! A negation is a conclusion as good as any. Where in the report the section stands does not matter
//! (`docs/detectors/conclusion_not_first.md`).

use super::patterns::{is_in, patterns};
use super::{Context, Hit, scope};
use crate::domain::contract::DetectorSpec;
use crate::domain::text::{Document, Item, ItemKind, Section, clip, is_blank_item, sentences};
use std::ops::Range;

patterns! {
    /// Words that decide, whatever they are about.
    DECIDED_JA = r"(?: 満た | 充た | みた ) (?: した | しました | している | しています | しており | していま?せ?ん? | して、 | し、 | し[。.] | す[。.]? $ | す[。、.] | さない | さず | さなかった | せた | せました | せない | せず | せなかった | せません | しません | されて?(?:た|いる|ない|ました) | して(?:い|お)) (?: $ | [^か] | か[^どをは] )
        | (?: 達成 | 充足 | 到達 | 未達 | 不達 | 合格 | クリア | 適合 ) (?: $ | \s* [。、.,:;!)\]】（(｜|] | した | しました | している | しています | して、 | し、 | し[。.] | せず | しな | でき | 済 | です | である | だ | と | で[。、あし] | が | \s* [×○✓✅❌] | \s+ [a-z(] )
        | 打ち?切 (?: った | りました | りとし | りとする | り[。、.:：)\s（(｜|] | り $ | る[。.] | る $ | ることに | ります )
        | 打ち?切り?条件 \s* (?: \([^)]*\) )? に (?: 達 | 該当 | 当た | 当て?はま | 至 | 触れ )
        | (?: 中止 | 断念 | 中断 | 撤退 ) (?: した | しました | する | します | とする | とした | $ | [。、.] )";
    /// Words that decide when they are about the criteria.
    DECIDED_ABOUT_JA = r"(?: 成功 | 失敗 ) (?: $ | し | [。、.,;)\s] | で | だ ) | 通過 | 通った | 通りました | 届か | 及ば | 及んだ | 下回 | 上回 | 収ま | 超え(?:た|て|な|ま|、) | 達し | 成立 | 成り立 | 達せ | 達した | 達する | 残っ | 残る | 満足 | 確認でき | 期待どおり | 期待通り
        | \b ok\b | \b ng\b | \b pass(?:ed)?\b | \b fail(?:ed)?\b | [○◯✓✔✅☑×✗✘❌⭕] | 可[。、) ] | 不可 | 未完 | 完了";
    /// The criteria, in Japanese.
    ABOUT_JA = r"(?: 成功 | 受け?入れ? | 完了 | 合格 | 判定 | 終了 ) (?: 基準 | 条件 ) | 基準 | 要件 | 目標 | しきい値 | 閾値 | \b [a-z]{1,6} [\-\ ]? \d+ \b";
    /// Hopes, aims and questions: not yet a conclusion.
    OPEN_JA = r"(?: 満た | 達成 | 充た | クリア | 到達 | 合格 | 打ち?切 ) [^。、]{0,6} (?: ため(?:に|の|、) | よう(?:に|と) | 見込み | 見通し | はず | 予定 | つもり | かどうか | かは | かを | には、? | べく | ことを目指 | ことを目標 | と思 | と考え | だろう | でしょう | かもしれ | たい[。と] | に向け | を目指 | を目標 | れば | なら | たら )";
    /// Words that decide, at the beginning of the sentence.
    DECIDED_FIRST_EN = r"^ [^a-z0-9]* (?: (?:verdict|result|conclusion|status|outcome) \s* (?: : | is | - | – ) [^a-z0-9]* )? (?: (?:yes|no) \s* [,:.] \s* )? (?: (?: all | both | partially | partly | mostly | fully | not | not\ (?:yet|fully|all) | none ) \s+ )? (?: met | unmet | fulfil(?:l?ed) | unfulfilled | satisfied | achieved | reached | missed | passed | failed | stopped | abandoned | aborted | cancell?ed | halted ) \b
        (?: \s* $ | \s* [.,:;!(\[\u{2014}\u{2013}\-*_|] | \s+ (?: after | at | by | because | since | in\ (?:full|part) | all | with | on | as | for | except | but | early | before | due | without ) \b )";
    /// Words that decide when they are about the criteria, in English.
    DECIDED_EN = r"\b (?: met | meets | meet | unmet | hold | holds | fulfil(?:l?ed|l?s)? | unfulfilled | satisf(?:y|ies|ied) | unsatisfied | achieve[sd]? | reach(?:ed|es)? | miss(?:ed|es) | pass(?:ed|es)? | fail(?:ed|s)? | fall(?:s)?\ short | fell\ short | short\ of | exceed(?:ed|s)? | attained | confirmed | ok | not\ ok ) \b | [✓✔✅☑×✗✘❌]";
    /// The criteria, in English.
    ABOUT_EN = r"\b (?: criteri(?:on|a) | requirements? | goals? | targets? | objectives? | thresholds? | (?:success|acceptance|stop(?:ping)?)\ conditions? | [a-z]{1,6} [\-\ ]? \d+ | acs | scs ) \b";
    /// The work ended before it was done.
    STOPPED_EN = r"\b (?: work | task | attempt | effort | iterations? | experiment | project | we | i | it ) \b [^.;]{0,30} \b (?: stopped | abandoned | aborted | halted | cancell?ed | gave\ up | given\ up | called\ off | ended\ (?:early|without) ) \b (?: \s* $ | \s* [.,:;!] | \s+ (?: after | at | by | because | since | before | due | without | here | the\ (?:work|task|attempt|effort|project) | this\ (?:work|task|attempt|effort) | work | with | on | when | as ) \b )
        | \b stop(?:ping)?\ condition \b [^.;]{0,24} \b (?: reached | met | hit | triggered | applies | applied | occurred | true )\b
        | \b (?: reached | hit | met | triggered ) \s+ (?: the | its | our | a )? \s* stop(?:ping)?\ condition";
    /// Hopes, aims and questions, in English.
    OPEN_EN = r"\b (?: (?:in\ order\ )? to\ (?:meet|fulfil|fulfill|satisfy|achieve|reach|pass) | should | would | might | may | could | hopefully | probably | likely | expect(?:ed|s)? | will | going\ to | whether | if\ (?:the|all|we) | hope | think | believe | plan(?:ned|s)?\ to | aim(?:ed|s|ing)? | towards? | try(?:ing)? | tried | to\ be\ (?:met|fulfilled|checked) ) \b";
    /// A mere opening before the list or table that says it: `判定:`, "Result:".
    OPENING = r"^ [^。.!?]{0,24} [:：] $";
}

/// Runs the detector. A missing heading is preflight's word; without `in:` the headings are `結論` and `Conclusion`.
pub(super) fn detect(spec: &DetectorSpec, document: &Document, context: &Context) -> Vec<Hit> {
    let asked = if spec.within.is_empty() { vec!["結論", "Conclusion"] } else { scope::asked(spec, context) };
    let names = asked.into_iter().flat_map(|name| scope::names(name, context));
    let Some(section) = document.section(names) else { return Vec::new() };
    first_words(document, section)
}

/// Empty where the section begins with a conclusion, else a hit at what it begins with.
fn first_words(document: &Document, section: &Section) -> Vec<Hit> {
    let items = document.items_within(&section.range);
    let said: Vec<_> = items
        .iter()
        .filter(|item| !item.quoted && item.kind != ItemKind::HeaderCell && !is_blank_item(document, item))
        .take(MOST_OPENING)
        .collect();
    let mut words = said.as_slice();
    // A sub-heading, or a line that only opens, may stand before it.
    while let Some((first, rest)) = words.split_first() {
        if says(first.text(), document, first, rest) {
            return Vec::new();
        }
        let opens = first.kind == ItemKind::Heading || is_in(&OPENING, first.text().trim());
        if !opens || rest.is_empty() {
            break;
        }
        words = rest;
    }
    let shown = words.first().map(|item| {
        let sentence = sentences(item).first().cloned().unwrap_or(0..item.text().len());
        // The quote says it all.
        Hit { note: None, ..scope::hit(document, item, &sentence, &sentence, String::new()) }
    });
    // Nothing is said at all: the heading stands for it.
    let heading = || {
        let title = &section.title_range;
        let end = title.start + document.source()[title.clone()].trim_end().len();
        Hit { range: Some(title.start..end), note: None }
    };
    vec![shown.unwrap_or_else(heading)]
}

/// How many items are looked at for the first sentence: headings, openings, and the cells of a row.
const MOST_OPENING: usize = 8;

/// Whether the first sentence of an item is a conclusion. A row of a table is one sentence.
fn says(text: &str, document: &Document, first: &Item, rest: &[&Item]) -> bool {
    if first.kind == ItemKind::Cell {
        let line = document.line_of(first.range.start);
        let row =
            rest.iter().take_while(|item| item.kind == ItemKind::Cell && document.line_of(item.range.start) == line);
        let row = row.map(|item| item.text()).fold(text.to_owned(), |row, cell| row + " " + cell);
        return decides(&row);
    }
    let sentence = sentences(first).first().cloned();
    sentence.is_some_and(|sentence| decides(first_part(text, &sentence)))
}

/// The first sentence; a mark such as `判定。` or "No." before it is a part of it.
fn first_part<'t>(text: &'t str, sentence: &Range<usize>) -> &'t str {
    clip(&text[sentence.start..sentence.end], LONGEST_SENTENCE)
}

/// How much of a sentence is read, in characters: who begins with a page has not begun with the conclusion.
const LONGEST_SENTENCE: usize = 400;

fn decides(sentence: &str) -> bool {
    let japanese = is_in(&DECIDED_JA, sentence) || is_in(&ABOUT_JA, sentence) && is_in(&DECIDED_ABOUT_JA, sentence);
    let english = is_in(&DECIDED_FIRST_EN, sentence)
        || is_in(&STOPPED_EN, sentence)
        || is_in(&ABOUT_EN, sentence) && is_in(&DECIDED_EN, sentence);
    japanese && !is_in(&OPEN_JA, sentence) || english && !is_in(&OPEN_EN, sentence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::contract::{Argument, DetectorId};
    use crate::domain::ids::Language;

    #[track_caller]
    fn check(body: &str, expect: Option<&str>) {
        let within = vec!["Conclusion".to_owned()];
        let spec = DetectorSpec { id: DetectorId::ConclusionNotFirst, argument: Argument::None, within };
        let context = Context {
            fields: Vec::new(),
            language: Language::En,
            references: Vec::new(),
            always_separate: Vec::new(),
            plan: None,
        };
        let hits = detect(&spec, &Document::parse(body), &context);
        let found = hits.first().map(|hit| &body[hit.range.clone().unwrap()]);
        assert_eq!(found, expect, "{:?}", body.get(..80));
    }

    #[test]
    fn the_first_sentence_is_quoted_where_it_says_nothing() {
        check("# Conclusion\nIt works. SC-1 is met.", Some("It works."));
        check("# Conclusion\r\n\r\n- **It works.**\r\n", Some("**It works.**"));
        check("# Conclusion\nSC-1 is met.", None);
        check("# Other\nx", None);
        check("# Conclusion\n", Some("# Conclusion"));
        check("# Conclusion\n```\nmet\n```", Some("# Conclusion"));
        check("# Conclusion\nVerdict:\n\n- SC-1: met\n", None);
        check("# Conclusion\n> SC-1 is met.\n\nIt works.", Some("It works."));
        check("# Conclusion\n| a | b |\n|---|---|\n| SC-1 | 満たした |", None);
    }

    #[test]
    fn hostile_texts_end_soon() {
        for piece in ["満た", "met ", "> ", "SC-1 ", "should ", "### a\n", "it "] {
            let body = format!("# Conclusion\n{}", piece.repeat((1 << 17) / piece.len()));
            let spec =
                DetectorSpec { id: DetectorId::ConclusionNotFirst, argument: Argument::None, within: Vec::new() };
            let context = Context {
                fields: Vec::new(),
                language: Language::En,
                references: Vec::new(),
                always_separate: Vec::new(),
                plan: None,
            };
            assert!(detect(&spec, &Document::parse(&body), &context).len() <= 1);
        }
    }
}
