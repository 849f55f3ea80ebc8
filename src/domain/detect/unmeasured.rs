//! `unmeasured`: a non-functional wish (speed, size, load, reliability, security, usability …) with no number, unit or
//! comparison beside it.

use super::measure::{has_number_or_comparison, has_physical};
use super::patterns::{is_in, patterns};
use super::{Context, Hit, scope};
use crate::domain::contract::DetectorSpec;
use crate::domain::text::{Document, SpanKind, sentences};

patterns! {
    /// A quality is named and wished for.
    QUALITY_JA = r"(?: 性能 | パフォーマンス | 速度 | スピード | スループット | レイテンシー? | 遅延 | 応答時間 | 応答性 | レスポンス(?:タイム)? | 処理時間 | 待ち時間 | 起動時間 | 読み込み時間 | ビルド時間 | 実行時間
            | メモリ(?:使用量|消費量?)? | cpu(?:使用率|負荷)? | 消費電力 | 通信量 | 負荷 | 可用性 | 信頼性 | 耐障害性 | スケーラビリティ | 拡張性 | 安定性 | 堅牢性 | セキュリティ | 安全性 | 機密性
            | ユーザビリティ | 操作性 | 使用感 | アクセシビリティ | 保守性 | 可読性 | 移植性 | 互換性 | 品質 | 精度 | 正確さ | 正確性 | 再現率 | 網羅性 )
        [^。、]{0,14}? (?: 向上 | 改善 | 高め | 高い | 高く | 良い | 良く | よい | よく | 上げ | 抑え | 下げ | 減ら | 少なく | 小さく | 削減 | 軽減 | 低減 | 短縮 | 短く | 短い | 最適化 | 最小 | 最大化 | 確保 | 担保 | 保証 | 保つ | 保て | 維持 | 十分
            | 問題な | 問題が(?:な|起き) | 劣化しな | 悪化しな | 満た | 考慮 | 配慮 | 強化 | 低下しな | 気にならな | 許容 | 実用 | 優れ | 落とさな | 落ちな )";
    QUALITY_BEFORE_JA = r"(?: 十分な | 高い | 良い | よい | 良好な | 実用的な | 許容できる | 快適な | 満足できる | 最高の | 最適な | 優れた | 妥当な ) \s* (?: 速度 | スピード | 性能 | パフォーマンス | 応答性?能? | 精度 | 正確さ | 品質 | 可用性 | 信頼性 | 安定性 | 安全性 | 拡張性 | 保守性 | 操作性 | セキュリティ )
        | (?: 少ない | 小さな | 小さい | 低い | わずかな ) \s* (?: メモリ | 負荷 | 遅延 | 通信量 | 容量 | 消費電力 ) \s* で";
    /// Something is to be fast or light.
    SPEED_JA = r"(?: 応答 | レスポンス | 表示 | 処理 | 起動 | 読み込み | 読込 | 検索 | ビルド | 描画 | 実行 | ページ | 画面 | 動作 | 保存 | 送信 | 同期 | 一覧 | 変換 | 計算 | 集計 | 取得 | 反応 | 操作 | 遷移 | ダウンロード | アップロード | 結果 | 通知 | テスト | クエリ | 問い合わせ )
        [^。]{0,16}? (?: 速く | 速い | 速さ | 高速 | 素早 | すばや | 迅速 | 速やか | すぐに | すぐ返 | 即座 | 瞬時 | 軽く | 軽い | 軽快 | 軽量 | 早く | サクサク | 遅くなら | 遅くな[いく] | 重くなら | 遅延なく | 待たされ | 待たせ | 短時間 | リアルタイム | スムーズ )";
    /// Load without a figure.
    LOAD_JA = r"(?: 大量の? | 多数の? | 多くの | 膨大な | 大規模な? | 高い? ) \s* (?: データ | アクセス | リクエスト | 人 | 編集者 | ユーザー? | 利用者 | 件数 | 負荷 | トラフィック | ファイル | 同時 ) [^。]{0,16}? (?: 耐え | 扱え | 処理でき | さばけ | 捌け | 対応でき | 落ちな | 動作 | 動く | 問題な | 止まらな )
        | 安定 (?: し(?:て|た) | 的に ) [^。、]{0,10}? (?: 動 | 稼働 | 運用 | 利用でき | 使え )
        | (?: スケール (?:する|でき|し) | 高負荷 [^。]{0,10}? (?:耐え|でも) | 障害に強 | 壊れにく | 落ちにく | 落ちないように | 高可用 | セキュアに | セキュアな | セキュアである | 安全に(?:保存|管理|保管|扱|通信|保護) )";
    /// English: a quality is named and wished for, in either order.
    QUALITY_EN = r"\b (?: performance | speed | latency | response\ times? | responsiveness | throughput | load(?:ing)?\ times? | start(?:-?up)?\ times? | build\ times? | run\ ?times? | memory(?:\ usage|\ use|\ consumption|\ footprint)? | cpu(?:\ usage|\ load)?
            | bandwidth | power\ consumption | availability | uptime | reliability | resilience | scalability | stability | robustness | usability | accessibility | security | maintainability | readability | portability | accuracy | precision | quality )
        \b [^.;]{0,24}? \b (?: improve[sd]? | improving | increas(?:e|es|ed|ing) | better | good | great | excellent | high | higher | low | lower | small | minimal | acceptable | reasonable | sufficient | adequate | enough | optimal | optimi[sz]ed | ensured | guaranteed
            | maintained | considered | reduced | not\ (?:degrade|suffer|drop|regress) | (?:does|do|must|should|will)\ not\ (?:degrade|suffer|drop|get\ worse) )
        | \b (?: improv(?:e|es|ing) | increas(?:e|es|ing) | reduc(?:e|es|ing) | lower(?:s|ing)? | decreas(?:e|es|ing) | minimi[sz](?:e|es|ing) | maximi[sz](?:e|es|ing) | optimi[sz](?:e|es|ing) | boost(?:s|ing)? | enhanc(?:e|es|ing) | ensur(?:e|es|ing) | guarantee(?:s)? | maximum | minimal | good | better | high | higher | low | lower | acceptable | reasonable | adequate | sufficient | excellent | great | strong | cut )
        \s+ (?: (?: the|a|an|its|our|overall|good|high|better|app|application|page|query|search|api|server|peak|system|general|runtime|code ) \s+ ){0,4}
        (?: performance | speed | latency | response\ times? | responsiveness | throughput | load(?:ing)?\ times? | start(?:-?up)?\ times? | build\ times? | memory(?:\ usage|\ use|\ consumption|\ footprint)? | cpu(?:\ usage|\ load)?
            | bandwidth | power\ consumption | availability | uptime | reliability | resilience | scalability | stability | robustness | usability | accessibility | security | maintainability | readability | portability | accuracy | quality ) \b (?: $ | [^\w\-] )";
    /// English: something is to be fast, light, safe.
    SPEED_EN = r"\b (?: load(?:s|ed)? | respond(?:s)? | run(?:s)? | start(?:s)? | open(?:s)? | search(?:es)? | build(?:s)? | render(?:s)? | work(?:s)? | complete(?:s)? | finish(?:es)? | return(?:s|ed)? | process(?:es)? | sav(?:e|es|ed) | sync(?:s)? | update(?:s|d)? | react(?:s)? | execute(?:s)? | scroll(?:s)? | is | be | are | feel(?:s)? | become(?:s)? | stay(?:s)? | remain(?:s)? | keep(?:s)? | make(?:s)? | appear(?:s)? | shown | displayed | answer(?:s)? | quer(?:y|ies) | results? )
        \s+ (?: [\w'/]+ \s+ ){0,4}? (?: very\ |more\ |as\ |much\ |really\ |highly\ |sufficiently\ |reasonably\ )? (?: fast(?:er)? | quick(?:er)? | quickly | promptly | instantly | snappy | snappier | responsive | performant | lightweight | scalable | reliabl[ey] | highly\ available | secure | securely | resilient | in\ real[\ -]time | (?:without|no)\ (?:noticeable\ |any\ |visible\ |perceptible\ )?(?:delay|lag|slowdown) ) \b (?: $ | [^\w\-] )
        | \b (?: handle[s]? | support[s]? | cope[s]?\ with | serve[s]? | process(?:es)? | withstand[s]? | deal[s]?\ with ) \s+ (?: a\ |an\ |very\ |the\ )* (?: large | many | heavy | high | lots\ of | huge | massive | big | concurrent | peak ) \s+ (?: \w+\s+ ){0,2}? (?: data | datasets? | files? | users? | requests? | load | traffic | volumes? | numbers? | amounts? | repositories | connections | tables? )
        | \b scal(?:e|es) \s+ (?: well | to\ (?:many|large|more|any) | with\ (?:load|traffic|users) ) \b | \b not \s+ (?: (?:be|become|feel|get|run)\ )? (?: slow | sluggish | slow(?:ed|ing)?\ down ) \b (?: $ | [^\w\-] ) | \b without\ slowing | \b no\ (?:noticeable|visible|perceptible)\ (?:delay|lag|slowdown) | \b securely \b | \b (?:memory|resource|energy)-efficient \b | \b fault[\ -]toleran(?:t|ce)\b | \b high(?:ly)?[\ -]availab(?:le|ility)\b";
    /// A quality is the topic, not the wish.
    TOPIC = r"(?: 性能 | パフォーマンス | 品質 | 精度 | セキュリティ | アクセシビリティ | 速度 ) \s* (?: テスト | 試験 | 検査 | 画面 | ページ | 設定 | 欄 | 列 | 項目 | ゲート | レポート | 表 | グラフ | ポリシー | 指標 | パッチ | アドバイザリ | 監査ログ | 診断 )
        | [早速][いく] [^。]{0,10} 順
        | \b (?: performance | security | quality | accessibility | accuracy | memory | speed | latency | readability ) \s+ (?: tests? | page | tab | report | policy | setting | settings | gate | column | field | chart | dashboard | advisory | header | headers | scan | audit | group | leak | limit | badge | score | review | label )\b";
}

/// Runs the detector.
pub(super) fn detect(spec: &DetectorSpec, document: &Document, context: &Context) -> Vec<Hit> {
    let items = scope::items(document, &scope::ranges(spec, document, context));
    // A purpose may wish for speed when the criteria say how fast.
    let measured = items.iter().any(|item| scope::is_point(item) && has_physical(item.text()));
    let mut hits = Vec::new();
    for item in items {
        if has_number_or_comparison(item.text()) || measured && !scope::is_point(item) {
            continue;
        }
        let text = scope::blanked(item, &[SpanKind::Code, SpanKind::Quotation, SpanKind::Url, SpanKind::Alt]);
        for sentence in sentences(item) {
            let words = &text[sentence.clone()];
            if is_in(&TOPIC, words) {
                continue;
            }
            let found = [&QUALITY_JA, &QUALITY_BEFORE_JA, &SPEED_JA, &LOAD_JA, &QUALITY_EN, &SPEED_EN]
                .into_iter()
                .filter_map(|wish| wish.as_ref()?.find(words))
                .min_by_key(regex::Match::start);
            if let Some(found) = found {
                let word = sentence.start + found.start()..sentence.start + found.end();
                hits.push(scope::hit(document, item, &sentence, &word, item.text()[word.clone()].trim().to_owned()));
            }
        }
    }
    hits
}
