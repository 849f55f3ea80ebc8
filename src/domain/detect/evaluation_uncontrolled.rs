//! `evaluation_uncontrolled`: an evaluation is asked for, or its figures are reported, without a named set and controls.
//!
//! One detector for two gates. A task must name the set and at least one control; a report, where the evaluation is
//! over, must say which set its figures are from (`docs/detectors/evaluation_uncontrolled.md`).

use super::patterns::{Pattern, is_in, patterns};
use super::{Context, Hit, asked, scope};
use crate::domain::contract::DetectorSpec;
use crate::domain::text::{Document, SpanKind, sentences};
use std::collections::BTreeSet;

patterns! {
    near NEAR;
    /// A figure that only an evaluation gives.
    METRIC = r"\b (?: hit | error | success | win | rejection | failure | mistake | misread | match ) \ rates? \s+ (?: of | for | between ) \s+ (?: [\w'\-]+ \s+ ){0,4}? (?: recommenders? | models? | classifiers? | recogni[sz]ers? | engines? | detectors? | rankers? | translators? | summari[sz]ers? | predictors? | matchers? | prompts? | parsers? | taggers? ) \b | (?: 推薦 | 認識 | 予測 | 分類 | 検出 | 判定 ) [^。、]{0,8}? (?: 命中率 | ヒット率 | 正解数 | 成功率 | 失敗率 | 的中 )
        | 正解率 | 正答率 | 適合率 | 再現率 | 誤り率 | 誤答率 | 誤検知率 | 誤検出率 | 見逃し率 | 偽陽性率 | 偽陰性率 | 誤認識率 | 認識率 | 検出率 | 一致率 | 的中率 | 読み取り率 | [FＦ]\s*値 | カッパ係数 | κ
        | (?: 分類 | 認識 | 判定 | 予測 | 検出 | 抽出 | 推定 | 翻訳 | 検索 | 推薦 | モデル | 識別 | 要約 | 文字起こし | OCR | 照合 | 診断 ) (?: 器 | の )? [^。、]{0,6}? 精度
        | \b (?: f1(?:[\ \-]?score)? | f-?score | f-?measure | auc | roc-?auc | map(?:@\d+)? | ndcg(?:@\d+)? | mrr(?:@\d+)? | hit@\d+ | recall@\d+ | precision@\d+ | bleu | rouge(?:-\w+)? | mape | rmse | wer | cer | perplexity | kappa | top-\d\ accuracy ) \b
        | \b (?: accuracy | precision | recall ) \b | \b (?: word | character | classification | detection | recognition ) \ error\ rate \b | \b (?: false[\ \-]positive | false[\ \-]negative | miss | detection | recognition | hallucination ) \ rate \b | \b agreement\ (?: of | with | between ) \b
        | \b (?: right | correct ) \ answers \b | \b answers \s+ (?: were | are ) \s+ (?: right | correct ) \b";
    /// Precision and the like of a number, a clock or a place.
    OTHER = r"位置 | 座標 | GPS | 測位 | 時刻 | 小数 | 桁 | 計算式 | 数式 | 浮動小数 | クイズ | 学習者 | 生徒 | 受験 | \b (?: position | location | gps | clock | timer | decimals? | digits? | numeric | floating | formula | quiz | pupils? | students? | coordinates | millimet\w+ ) \b";
    /// It is to be reached, compared or measured; or a value stands beside it.
    WANTED = r"以上 | 以下 | 未満 | 超え | 超 | 上げ | 上が | 下げ | 下が | 改善 | 向上 | 低減 | 減ら | 高め | 比べ | 比較 | 測[るりっ定] | 計測 | 評価 | 維持 | 落と | 落ち | 達成 | 目標 | [0-9] \s* % | [0-9] \s* ポイント | 0\.[0-9]
        | \b (?: at\ least | at\ most | above | below | under | over | or\ more | or\ less | reach(?:es|ed)? | improve[sd]? | raise[sd]? | rises? | increase[sd]? | lower(?:s|ed)? | reduce[sd]? | compare[sd]? | measure[sd]? | evaluate[sd]? | keep | bring | drop | fall | higher | better ) \b | [0-9] \s* (?: % | percent\b | points?\b )";
    /// A comparison or a rating that gives such figures without their names.
    COMPARED = r"\b (?: evaluat(?:e|es|ing) | compar(?:e|es|ing) | benchmark(?:s|ing)? | assess(?:es|ing)? | find\ out | check | decide ) \b [^.]{0,60}? \b (?: recommenders? | models? | classifiers? | recogni[sz]ers? | (?:search|ocr|text|speech|translation)\ engines? | detectors? | rankers? | translators? | summari[sz]ers? | predictors? | prompts? | taggers? | embeddings? ) \b [^.]{0,60}? \b (?: rates? | accura(?:cy|te) | scores? | better | more\ often | hits? | wins? | best | fewer\ (?:errors|mistakes) | worse | choose | switch ) \b
        | \b compar(?:e|es|ing) \b [^.]{0,30}? \b (?: error | hit | success | recognition | detection ) \ rates? \b | (?: モデル | 推薦器? | 認識器 | 認識エンジン | 分類器 | 検索エンジン | プロンプト | 翻訳器 | 予測器 | 検出器 | 推薦エンジン ) [^。]{0,24}? (?: 比べ | 比較 | 評価し ) [^。]{0,30}? (?: 良い | よい | 優れ | 高い | 選[ぶび] | 採用 | 切り替え | 当た )
        | (?: A/B \s* (?: テスト | test ) ) [^。.]{0,40}? (?: 比べ | 比較 | 測 | 率 | 検証 | 上が )
        | (?: モデル | プロンプト | 要約 | 分類器 | 判定器 | 翻訳 | 推薦 | アルゴリズム | 手法 | エンジン ) [^。]{0,24}? スコア [^。]{0,12}? (?: 比べ | 比較 | 測 | 以上 | 上げ ) | \d \s* 段階 (?: で | の ) \s* [^。]{0,4}? (?: 評価 | 採点 ) [^。]{0,24}? (?: 平均 | 以上 )
        | \b compar(?:e|es|ing|ed) \b [^.]{0,60}? \b (?: rates? | accuracy | scores? ) \b [^.]{0,40}? \b a/b\ test | \b a/b\ test \b [^.]{0,60}? \b (?: compar\w+ | rates? | higher ) \b | \b (?: benchmark | evaluate | compare ) \s+ (?: [\w\-]+ \s+ ){0,4}? (?: models? | prompts? | summari[sz]ers? | classifiers? | judges? | rankers? | embeddings? | translators? | engines? ) \b [^.]{0,40}? \b scores? \b
        | \b (?: rate | rated | score | scored | judged ) \b [^.]{0,40}? \b on\ a\ scale \b | \b rate[sd]? \b [^.;]{0,40}? \b from\ 1\ to\ \d+";
    /// A figure of a report.
    FIGURE = r"[0-9] \s* (?: % | ポイント | percent\b | points?\b ) | [=:はがを] \s* 0?\.[0-9] | \b 0\.[0-9] | \b 1\.00? \b | \b (?: bleu | rouge | mape | rmse ) \b [^。.]{0,12}? [0-9]";

    /// Which set: a part of a split, a file, a set with a name.
    SET = r"\b dev \b | \b (?: test | validation | val | eval(?:uation)? | held-?out | hold-?out | golden | calibration | training )[\ \-] (?: set | sets | split | data | corpus | portion | part | fold ) \b | \b held-?out \b | \b hold-?out \b | \b on \s+ (?: the \s+ )? test \b | \b once \s+ on \s+ test \b | \b cross-?validation \b | \b k-?fold \b | \b split \s+ (?: in(?:to)? | between | of ) \b
        | \b test \s* (?: セット | データ | で | に | 用 | \( | （ | と | split ) | (?: 検証 | 評価 | テスト | 開発 | 学習 | 訓練 | 調整 ) 用 | (?: テスト | 検証 | 開発 | ホールドアウト | ゴールデン ) (?: セット | データ | 分割 ) | 交差検証 | ホールドアウト | dev\s*/\s*test | データの?(?:分割|分け方|分離)
        | [\w./\-]+ \. (?: jsonl? | csv | tsv | parquet | txt | yaml ) \b | \b (?-i: [A-Z] [A-Za-z0-9\-]{2,} ) \s* (?: データセット | コーパス | dataset | corpus | benchmark | の \s* (?: 検証 | テスト | 評価 ) )";
    /// What is held still.
    CONTROL = r"\b seeds? \b | シード | 乱数の?種 | 種は | 版 | バージョン | \b versions? \b | \b v\d | コミット | \b commit \b | 固定 | \b fix(?:ed)? \b | \b frozen \b | \b pinned \b | 同じ (?: 条件 | 環境 | データ | 機械 | マシン | 設定 | 入力 | seed ) | 同一の? (?: 条件 | 環境 | データ | 設定 | 入力 ) | \b same \s+ (?: conditions? | environment | machine | hardware | seed | data | settings? | inputs? | prompts? ) \b | 環境 | \b environment \b | 温度 | \b temperature \b | \b python \s* \d | 統制 | \b controls \b | \b sha(?:256)? \b | ハッシュ | \b hash \b | スナップショット | \b snapshot \b";
    /// Words to whoever judges prove nothing.
    TO_JUDGE = r"\b (?: graders? | judges? | reviewers? | auditors? | evaluators? ) \s* (?: may | must | should | can | shall | please | will | : | , ) | \b (?: count | treat | mark ) \ (?: the | this | that ) \ (?: criterion | field | section | signal ) | \b assum(?:e|es|ing|ed) \s+ that | (?: 判定者 | 審査者 | 審査員 | レビュアー? | ジャッジ ) \s* (?: は | へ | に | 、 | : ) | とみなし(?:て|た) | と仮定し";
    /// Headings of a report.
    REPORT = r"^ (?: 結論 | 対応表 | .{0,6} 対応表 | 期待値の根拠 | 再現手順 | 生データ | 測定結果 | 実験結果 | conclusions? | .{0,12} result\ table | requirement.{0,3}result.* | reproduction.* | basis\ of\ expected.* | link\ to\ raw.* | raw\ data ) $";
}

/// Runs the detector.
pub(super) fn detect(_spec: &DetectorSpec, document: &Document, context: &Context) -> Vec<Hit> {
    let report = is_report(document, context);
    let wanted: &Pattern = if report { &FIGURE } else { &WANTED };
    let mut hits = Vec::new();
    let figures = cells_beside_figures(document);
    let (mut set, mut control) = (false, false);
    for item in asked::items(document) {
        let text = scope::blanked(item, &[SpanKind::Quotation, SpanKind::Alt]);
        for sentence in sentences(item).iter().cloned() {
            let words = &text[sentence.clone()];
            let near = NEAR.search(words);
            let names_set = near.holds(&SET);
            let names_control = near.holds(&CONTROL);
            let stands = || near.holds(wanted) || figures.contains(&item.range.start);
            let metric = near.find(&METRIC).filter(|_| stands());
            let compared = || near.find(&COMPARED).filter(|_| !report || stands());
            let found = metric.or_else(compared);
            if !names_set && !names_control && found.is_none() || asked::is_restated(words) {
                continue;
            }
            let told = !near.holds(&TO_JUDGE);
            set |= told && names_set;
            control |= told && names_control;
            if let Some(found) = found.filter(|_| !near.holds(&OTHER)) {
                let word = sentence.start + found.start()..sentence.start + found.end();
                let note = item.text()[word.clone()].trim().to_owned();
                hits.push(scope::hit(document, item, &sentence, &word, note));
            }
        }
    }
    // Figures of a report must have an origin; how they were controlled was settled when the task was taken on.
    let settled = set && (control || report);
    if settled { Vec::new() } else { hits }
}

/// Where cells begin whose row holds a figure in another cell: `| F1 | 0.87 |`.
fn cells_beside_figures(document: &Document) -> BTreeSet<usize> {
    let mut out = BTreeSet::new();
    for row in document.tables().iter().flat_map(|table| &table.rows) {
        if row.iter().any(|cell| is_in(&FIGURE, document.cell_text(cell)))
            || row.iter().any(|cell| is_number(document.cell_text(cell)))
        {
            out.extend(row.iter().filter_map(|cell| cell.item).map(|index| document.items()[index].range.start));
        }
    }
    out
}

/// Whether a cell is a bare figure such as `0.87`.
fn is_number(cell: &str) -> bool {
    cell.trim().starts_with("0.") && cell.trim().parse::<f64>().is_ok()
}

/// Whether the text reports an outcome: it is judged against an issue, or has two of a report's headings.
fn is_report(document: &Document, context: &Context) -> bool {
    let against = context.references.iter().any(|(role, _)| role == "issue");
    against || document.sections().iter().filter(|section| is_in(&REPORT, &section.key)).take(2).count() == 2
}
