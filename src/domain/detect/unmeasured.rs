//! `unmeasured`: a non-functional wish (speed, size, load, reliability, security, usability …) with no number, unit or
//! comparison beside it.

use super::measure::{has_number_or_comparison, has_physical};
use super::patterns::{Searched, patterns};
use super::{Context, Hit, scope};
use crate::domain::contract::DetectorSpec;
use crate::domain::text::{Document, SpanKind, sentences};

patterns! {
    near NEAR;
    /// A quality is named and wished for.
    QUALITY_JA = r"(?: 性能 | パフォーマンス | 速度 | スピード | スループット | レイテンシー? | 遅延 | 応答時間 | 応答性 | レスポンス(?:タイム)? | 処理時間 | 待ち時間 | 停止時間 | ダウンタイム | (?:かかる|要する)時間 | 起動時間 | 読み込み時間 | ビルド時間 | 実行時間
            | メモリ(?:使用量|消費量?)? | cpu(?:使用率|負荷)? | 消費電力 | 電力消費 | 通信量 | 帯域 | 負荷 | 発熱 | 電池 | バッテリー | ディスク(?:使用量|容量)? | フレームレート | ヒット率 | (?:ファイル|ダウンロード|バンドル|イメージ|バイナリ|パッケージ|転送|アプリ|インストール)の?(?:サイズ|容量|大きさ) | 画質 | 音質 | 誤検知 | 誤判定 | 誤認識 | 見逃し | 取りこぼし | コールドスタート | データ(?:損失|消失|欠損) | 誤差 | 間違い | 誤り | ミス | 音飛び | ちらつき | 遅れ | コスト | 費用 | 通信費 | 手間 | 可用性 | 信頼性 | 耐障害性 | スケーラビリティ | 拡張性 | 安定性 | 堅牢性 | セキュリティ | 安全性 | 機密性
            | ユーザビリティ | 操作性 | 使用感 | アクセシビリティ | 保守性 | 可読性 | 移植性 | 互換性 | 品質 | 精度 | 正確さ | 正確性 | 再現率 | 網羅性 | 電池の?持ち )
        [^。、]{0,14}? (?: 向上 | 改善 | 高め | 高い | 高く | 良い | 良く | よい | よく | 上げ | 抑え | 下げ | 下が | 減ら | 減る | 減っ | 減り | 縮ま | 低い | 低く | 小さい | 安定 | 長持ち | 長く持 | 落ちにく | 最小限 | わずか | ほとんどな | ほぼな | 起きにく | 起こりにく | 少な | 少なく | 小さく | 削減 | 軽減 | 低減 | 短縮 | 短く | 短い | 最適化 | 最小 | 最大化 | 確保 | 担保 | 保証 | 保つ | 保て | 維持 | 十分
            | 問題な | 問題が(?:な|起き) | 劣化しな | 悪化しな | 満た | 考慮 | 配慮 | 強化 | 低下しな | 気にならな | 許容 | 実用 | 優れ | 落とさな | 落ちな )";
    QUALITY_BEFORE_JA = r"(?: 十分な | 高い | 良い | よい | 良好な | 実用的な | 許容できる | 快適な | 満足できる | 最高の | 最適な | 優れた | 妥当な ) \s* (?: 速度 | スピード | 性能 | パフォーマンス | 応答性?能? | 精度 | 正確さ | 品質 | 可用性 | 信頼性 | 安定性 | 安全性 | 拡張性 | 保守性 | 操作性 | セキュリティ )
        | (?: 少ない | 小さな | 小さい | 低い | わずかな ) \s* (?: メモリ | 負荷 | 遅延 | 通信量 | 容量 | 消費電力 ) \s* で";
    /// Something is to be fast or light.
    SPEED_JA = r"(?: 応答 | レスポンス | 表示 | 処理 | 起動 | 読み込み | 読込 | 検索 | ビルド | 描画 | 実行 | ページ | 画面 | 動作 | 保存 | 送信 | 同期 | 一覧 | 学習 | 推論 | 収束 | 復旧 | 復帰 | 切り替え | 更新 | 反映 | 移動 | スクロール | デプロイ | インストール | 変換 | 計算 | 集計 | 取得 | 反応 | 操作 | 遷移 | ダウンロード | アップロード | 結果 | 通知 | テスト | クエリ | 問い合わせ )
        [^。]{0,16}? (?: 速く | 速い | 速さ | 高速 | 素早 | すばや | 迅速 | 速やか | すぐに | すぐ返 | 即座 | 瞬時 | 軽く | 軽い | 軽快 | 軽量 | 早く | さくさく | サクサク | きびきび | キビキビ | 遅くなら | 遅くな[いく] | 重くなら | 遅延なく | 待たされ | 待たせ | 短時間 | リアルタイム | スムーズ )";
    /// Something is to be done fast: 「すばやく復旧できる」.
    FAST_JA = r"(?: 速く | 素早く | すばやく | 高速に | 迅速に | 速やかに | すみやかに | 即座に | 瞬時に | 短時間で | 待たずに | 遅延なく ) [^。、]{0,12}? (?: 復旧 | 復帰 | 起動 | 立ち上が | 表示 | 処理 | 応答 | 終わ | 終え | 完了 | 開[きくけい] | 読 | 返[るすっ] | 切り替 | 反映 | 収束 | 計算 | 検索 | 見つ | 描画 | 動[きくい] | 届 | 更新 | 取得 | 生成 | 実行 | 保存 | 同期 | 変換 | 再生 )";
    /// What is not to be used up, or not to break: 「メモリをあまり使わない」「不正アクセスに強い」.
    SPARE_JA = r"(?: 大人数 | 大勢 | 多人数 | 多数の(?:利用者|人|端末|接続) | 大量の(?:アクセス|リクエスト|データ|同時接続) | 何人(?:も|でも) | 全員が同時 | 一斉に | 同時に(?:多く|大勢|押|使|アクセス|接続|開) | 混雑 | 長い時間 | 長時間 | 何時間(?:も|でも) | 何日(?:も|でも) | ずっと | いつまでも | 連続(?:運転|稼働|使用) ) [^。]{0,20}? (?: 落ち(?:ず|ない|ません|にく) | 止ま(?:らず|らない|りにく) | 固まら | 耐え | 動き続け | 動作し続け | 使い続け | 稼働し続け | 持ち?こたえ | 詰まら | 遅くなら | 重くなら | 待たせ | 待たされ | さばけ | 捌け | 壊れ(?:ず|ない) | 滞(?:らず|りなく) )
        | (?: cpu | メモリ | ディスク | 電力 | 電池 | バッテリー | 帯域 | 通信量? | 容量 | リソース | 資源 ) (?: を | は | の消費を ) [^。、]{0,6}? (?: あまり | 余り | 極力 | なるべく | できるだけ | むやみに | 無駄に | 必要以上に | 大量に ) [^。、]{0,8}? (?: 使わ | 消費し | 食わ | 占有し | 使い過ぎ | 使いすぎ )
        | (?: 障害 | 攻撃 | アクセス | 改ざん | 盗聴 | 負荷 | 故障 | 総当たり | なりすまし | 衝撃 | 熱 | ノイズ | 雑音 ) (?: など | 等 )? に \s* (?: 強い | 強く | 強[、。] | 耐えられ | 耐える | 耐性 )
        | (?: もたつか | もたもたし | かくつか | カクつか | カクカクし | 固まら | 引っかから | 待たされ | ちらつか | 増え続け | 途切れ | 劣化し ) ない | (?: 映像 | 画面 | 音声? | 描画 | 表示 ) [^。、]{0,8}? (?: 乱れ | 飛ば | 途切れ ) ない | (?: 十分 に? | なるべく | できるだけ | より ) \s* (?: 小さい | 小さく | 短い | 短く | 軽い | 軽く | 安い | 安く )
        | (?: 急な | 突然の | 一時的な | 急激な ) \s* (?: アクセス | 負荷 | トラフィック | 利用 ) [^。、]{0,8}? 増 [^。、]{0,8}? (?: 耐え | 対応 | でも ) | (?: 失われ | 起き | 起こり | 壊れ | 落ち | 止まり | 途切れ | 切れ | 漏れ | 破られ | 消え | 遅れ | 詰まり | 故障し ) にくい
        | (?: 通信 | 回線 | 電波 | ネットワーク | 接続 ) [^。、]{0,6}? (?: 不安定 | 悪[いく] | 弱[いく] | 遅[いく] | 細[いく] ) [^。、]{0,8}? [でて]も [^。、]{0,10}? (?: 使え | 動[くきい作] | 利用でき | 操作でき | 再生 | 送れ )";
    /// Load without a figure.
    LOAD_JA = r"(?: 大量の? | 多数の? | 多くの | 膨大な | 巨大な | 大きな | 大規模な? | 高い? | (?: 数 | 何 ) [十百千万億]+ (?:[人件台行個枚]の?)? ) \s* (?: データ | アクセス | リクエスト | 人 | 編集者 | ユーザー? | 利用者 | 件数 | 負荷 | トラフィック | ファイル | 画像 | 動画 | 表 | 人[がのでも] | が? \s* 同時 ) [^。]{0,16}? (?: 耐え | 扱え | 処理でき | さばけ | 捌け | 対応でき | 落ちな | 動作 | 動く | 問題な | 止まらな | 固まら | フリーズし | クラッシュし | 遅くな | 重くな | 接続でき | 使え | 開け | 遊べ )
        | 安定 (?: し(?:て|た) | 的に ) [^。、]{0,10}? (?: 動 | 稼働 | 運用 | 利用でき | 使え )
        | (?: スケール (?:する|でき|し) | 高負荷 [^。]{0,10}? (?:耐え|でも) | 障害に強 | 壊れにく | 落ちにく | 落ちないように | 高可用 | セキュアに | セキュアな | セキュアである | 安全に(?:保存|管理|保管|扱|通信|保護) )";
    /// English: a quality is named and wished for, in either order.
    QUALITY_EN = r"\b (?: battery(?:\ life)? | (?:binary|bundle|file|image|download|package|install)\ size | frame\ rates? | fps | (?:cache\ )?hit\ rates? | disk(?:\ space|\ usage|\ use) | cold\ starts? | false\ (?:positives?|negatives?|alarms?) | data\ loss | downtime | crash\ rate | overhead | noise | performance | speed | latency | response\ times? | responsiveness | throughput | load(?:ing)?\ times? | start(?:-?up)?\ times? | build\ times? | run\ ?times? | memory(?:\ usage|\ use|\ consumption|\ footprint)? | cpu(?:\ usage|\ load)?
            | bandwidth | power\ consumption | availability | uptime | reliability | resilience | scalability | stability | robustness | usability | accessibility | security | maintainability | readability | portability | accuracy | precision | quality )
        \b [^.;]{0,24}? \b (?: improve[sd]? | improving | increas(?:e|es|ed|ing) | better | good | great | excellent | high | higher | low | lower | small | minimal | acceptable | reasonable | sufficient | adequate | enough | optimal | optimi[sz]ed | stable | short | shorter | unlikely | rare | cheap | negligible | longer | (?:hardly|barely|not)\ noticeable | unnoticeable | acceptably\ \w+ | ensured | guaranteed
            | maintained | considered | reduced | not\ (?:degrade|suffer|drop|regress) | (?:does|do|must|should|will)\ not\ (?:degrade|suffer|drop|get\ worse) )
        | \b (?: improv(?:e|es|ing) | increas(?:e|es|ing) | reduc(?:e|es|ing) | lower(?:s|ing)? | decreas(?:e|es|ing) | minimi[sz](?:e|es|ing) | maximi[sz](?:e|es|ing) | optimi[sz](?:e|es|ing) | boost(?:s|ing)? | enhanc(?:e|es|ing) | ensur(?:e|es|ing) | guarantee(?:s)? | maximum | minimal | good | better | high | higher | low | lower | acceptable | reasonable | adequate | sufficient | excellent | great | strong | cut )
        \s+ (?: (?: the|a|an|its|our|overall|good|high|better|app|application|page|query|search|api|server|peak|system|general|runtime|code ) \s+ ){0,4}
        (?: performance | speed | latency | response\ times? | responsiveness | throughput | load(?:ing)?\ times? | start(?:-?up)?\ times? | build\ times? | memory(?:\ usage|\ use|\ consumption|\ footprint)? | cpu(?:\ usage|\ load)?
            | bandwidth | power\ consumption | availability | uptime | reliability | resilience | scalability | stability | robustness | usability | accessibility | security | maintainability | readability | portability | accuracy | quality ) \b (?: $ | [^\w\-] )";
    /// English: little of what costs, a lot of what is borne.
    SPARE_EN = r"\b (?: few | fewer | hardly\ any | almost\ no | little | less | minimal | low | lower ) \s+ (?: \w+\s+ )? (?: false\ (?:positives|negatives|alarms) | memory | disk\ space | cpu | bandwidth | battery | power | downtime | overhead | data\ loss | latency | mistakes | wrong | failed | bugs | errors | failures | crashes | network\ traffic | energy )
        | \b (?: do(?:es)? | must | should | will | may | can ) (?: \ not | n't ) \s+ (?: use | take | consume | need | eat | waste | occupy ) \s+ (?: up\ )? (?: (?:too\ )? much | a\ lot\ of | many | excessive | more\ \w+\ than\ needed )
        | \b takes? \s+ less \s+ (?: time | memory | space | cpu | effort ) | \b (?: rarely | seldom | hardly\ ever ) \s+ (?: fails? | stutters? | crash(?:es)? | breaks? | hangs? | freezes? | flickers? | drops? ) | \b (?: right\ away | in\ a\ snap | without\ waiting | in\ an\ instant | on\ the\ fly ) \b | \b (?: file | output | error | delay | footprint | archive ) \s+ (?: is | stays | remains ) \s+ (?: very\ | as\ )? small
        | \b usable \s+ (?: even\ )? (?: on | over | with ) \s+ (?: a\ | an\ )? (?: thin | slow | poor | bad | weak | unreliable | flaky ) | \b (?: do(?:es)? | must | should | may ) \ not \s+ (?: grow | increase | leak | degrade ) \s+ (?: over\ time | forever | without\ bound ) | \b (?: is | are ) \s+ (?: no | not\ a ) \s+ problem \b | \b (?: backups? | data | passwords? | keys? | uploads? | sessions? | secrets ) \s+ (?: is | are | stays? | remains? ) \s+ (?: kept\ )? safe \b | \b (?: costs? | expenses | bill ) \s+ (?: is | are | stays? | remains? ) \s+ (?: kept\ )? (?: low | down | small | reasonable | reduced )
        | \b (?: binary | bundle | executable | artifact | package | download | installer | container\ image | docker\ image | payload ) \s+ (?: is | are | be | stays? | remains? | becomes? ) \s+ (?: as\ | very\ | really\ )? (?: small | smaller | tiny | light | lean | compact )
        | \b (?: surviv(?:e|es) | withstands? | tolerates? | copes?\ with | handles? | absorbs? ) \s+ (?: \w+\s+ ){0,2}? (?: traffic | load | spikes? | peaks? | failures? | outages? | attacks? | bursts? )
        | \b (?: hardened | robust | resistant | resilient | immune | secured | protected ) \s+ (?: against | to | from ) \s+ (?: \w+\s+ ){0,3}? (?: attacks? | brute\ force | injections? | abuse | tampering | failures? | outages? | hackers? )
        | \b (?: hundreds | thousands | millions | dozens | tens\ of\ thousands | lots | plenty ) \s+ of \s+ (?: \w+\s+ )? (?: users | players | clients | connections | requests | files | rows | records | devices | messages | people | visitors | sensors ) [^.;]{0,30}? (?: can | at\ once | at\ the\ same\ time | concurrently | simultaneously | without | are\ (?:handled|served|processed) )
        | \b without \s+ (?: (?: any | noticeable | visible | major | significant | perceptible | serious ) \s+ )* (?: problems? | issues? | trouble | freezing | hanging | stutter(?:ing)? | lag(?:ging)? | slowdowns? | hiccups? | crashing )
        | \b (?: not | never ) \s+ (?: \w+\s+ ){1,5}? for \s+ (?: too\ )? long \b | \b in \s+ (?: a\ (?:very\ )?(?:short|reasonable|acceptable)\ (?:amount\ of\ )?time | no\ time | reasonable\ time ) \b | \b (?: stays? | remains? | keeps? | runs? ) \s+ (?: cool | quiet )
        | \b (?: data\ loss | failures? | crashes | outages? | errors | corruption ) \s+ (?: is | are ) \s+ (?: very\ )? (?: unlikely | rare | improbable ) | \b (?: quer(?:y|ies) | calls? | lookups? | operations? | writes? | reads? | joins? ) \b [^.;]{0,24}? \b (?: is | are ) \s+ (?: cheap | inexpensive | efficient )
        | \b [a-z]+ (?: e?s | ed | ing )? \s+ (?: (?: very | really | more | as ) \s+ )? (?: quickly | promptly | instantly | rapidly | swiftly | fluidly | speedily | efficiently | reliably ) \b (?: $ | [^\w\-] )
        | \b (?: is | are | be | stays? | remains? ) \s+ (?: very\ | highly\ | more\ | sufficiently\ | reasonably\ )? (?: accurate | precise | efficient | robust | energy-efficient | memory-efficient ) \b (?: $ | [^\w\-] )";
    /// English: something is to be fast, light, safe.
    SPEED_EN = r"\b (?: load(?:s|ed)? | respond(?:s)? | run(?:s)? | start(?:s)? | open(?:s)? | search(?:es)? | build(?:s)? | render(?:s)? | work(?:s)? | complete(?:s)? | finish(?:es)? | return(?:s|ed)? | process(?:es)? | sav(?:e|es|ed) | sync(?:s)? | update(?:s|d)? | react(?:s)? | execute(?:s)? | scroll(?:s)? | is | be | are | feel(?:s)? | become(?:s)? | stay(?:s)? | remain(?:s)? | keep(?:s)? | make(?:s)? | appear(?:s)? | shown | displayed | answer(?:s)? | quer(?:y|ies) | results? )
        \s+ (?: [\w'/]+ \s+ ){0,4}? (?: very\ |more\ |as\ |much\ |really\ |highly\ |sufficiently\ |reasonably\ )? (?: fast(?:er)? | quick(?:er)? | quickly | promptly | instantly | snappy | snappier | responsive | performant | lightweight | scalable | reliabl[ey] | highly\ available | secure | securely | resilient | in\ real[\ -]time | (?:without|no)\ (?:noticeable\ |any\ |visible\ |perceptible\ )?(?:delay|lag|slowdown) ) \b (?: $ | [^\w\-] )
        | \b (?: handle[s]? | support[s]? | cope[s]?\ with | serve[s]? | process(?:es)? | withstand[s]? | deal[s]?\ with ) \s+ (?: a\ |an\ |very\ |the\ )* (?: large | many | heavy | high | lots\ of | huge | massive | big | concurrent | peak ) \s+ (?: \w+\s+ ){0,2}? (?: data | datasets? | files? | users? | requests? | load | traffic | volumes? | numbers? | amounts? | repositories | connections | tables? )
        | \b scal(?:e|es) \s+ (?: well | to\ (?:many|large|more|any) | with\ (?:load|traffic|users) ) \b | \b not \s+ (?: (?:be|become|feel|get|run)\ )? (?: slow | sluggish | slow(?:ed|ing)?\ down ) \b (?: $ | [^\w\-] ) | \b without\ slowing | \b no\ (?:noticeable|visible|perceptible)\ (?:delay|lag|slowdown) | \b securely \b | \b (?:memory|resource|energy)-efficient \b | \b fault[\ -]toleran(?:t|ce)\b | \b high(?:ly)?[\ -]availab(?:le|ility)\b";
    /// A quality is the topic, not the wish.
    TOPIC = r"(?: 性能 | パフォーマンス | 品質 | 精度 | セキュリティ | アクセシビリティ | 速度 ) \s* (?: テスト | 試験 | 検査 | 画面 | ページ | 設定 | 欄 | 列 | 項目 | ゲート | レポート | 表 | グラフ | ポリシー | 指標 | パッチ | アドバイザリ | 監査ログ | 診断 )
        | [早速][いく] [^。]{0,10} 順
        | \b (?: performance | security | quality | accessibility | accuracy | memory | speed | latency | readability ) \s+ (?: tests? | page | tab | report | policy | setting | settings | gate | column | field | chart | dashboard | advisory | header | headers | scan | audit | contact | team | group | leak | limit | badge | score | review | label )\b
        | \b can\ be\ (?: set | chosen | selected | configured | sorted | hidden | shown | adjusted | changed | filtered ) \b | \b (?: sorted | ordered | filtered | grouped ) \ by \b | \b (?: is | are ) \ (?: shown | printed | listed | displayed | written | logged | plotted | hidden | recorded ) (?: $ | [.,;] | \s+ (?: (?:in|on|at|to)\ (?:the|a|an|each|every)\b | (?: with|by|as|after|when|below|beside|next ) \b ) )
        | を? (?: 選べ | 選択でき | 切り替えられ | 設定でき | 指定でき | 変更できる ) | (?: 順 | 順に | 順で ) (?: 並 | 表示 | ソート )";
    /// Things that are called fast, early or light.
    NOUNS = r"高速 (?: 道路 | バス | 鉄道 | 料金 | 艇 | 船 | 増殖 | 度 | フーリエ変換 ) | 快速 | 特急 | 速報 | 速達 | 早押し | 早見表 | 早番 | 早退 | 早朝 | 早割 | 軽油 | 軽自動車 | 軽減税率 | 軽トラ | 軽食 | 軽症 | 軽量鉄骨 | 速記 | 音速 | 風速 | 流速 | 時速";
    /// The sentence takes a wish back.
    NO_WISH = r"問わな | 問いませ | 求めな | 要件(?:では|に)(?:な|しな|含) | 対象外 | 目標(?:では|に)(?:な|しな) | 扱わな | 不問
        | \b (?: no | not\ a | not\ an | without\ a ) \ (?: requirement | goal | concern | criterion ) | out\ of\ scope | (?:does|do)\ not\ matter | \b irrelevant \b";
}

/// A sentence with such things blanked, byte for byte.
fn without_nouns(near: Searched<'_>) -> std::borrow::Cow<'_, str> {
    let Some(nouns) = near.may(&NOUNS) else { return near.text().into() };
    nouns.replace_all(near.text(), |found: &regex::Captures<'_>| "\u{1}".repeat(found[0].len()))
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
        for sentence in sentences(item).iter().cloned() {
            let near = NEAR.search(&text[sentence.clone()]);
            let words = without_nouns(near);
            let near = near.of(&words);
            let found = [
                &QUALITY_JA,
                &QUALITY_BEFORE_JA,
                &SPEED_JA,
                &FAST_JA,
                &SPARE_JA,
                &LOAD_JA,
                &QUALITY_EN,
                &SPEED_EN,
                &SPARE_EN,
            ]
            .into_iter()
            .filter_map(|wish| near.find(wish))
            .min_by_key(regex::Match::start);
            if let Some(found) = found.filter(|_| !near.holds(&TOPIC) && !near.holds(&NO_WISH)) {
                let word = sentence.start + found.start()..sentence.start + found.end();
                hits.push(scope::hit(document, item, &sentence, &word, item.text()[word.clone()].trim().to_owned()));
            }
        }
    }
    hits
}
