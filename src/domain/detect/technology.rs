//! Named means in a sentence: libraries, algorithms, patterns, and whether the sentence says to use them.

use super::lexicon::{Lexicon, Word};
use super::patterns::{Searched, is_in, patterns};
use std::ops::Range;
use std::sync::LazyLock;

static TECHNOLOGY: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::parse(include_str!("lexicons/technology.txt")));

patterns! {
    near NEAR;
    /// Japanese: what follows the name says to use it.
    USE_JA = r"^ (?: \s+ (?-i:[A-Z][A-Za-z]+) )? (?: \s* (?: v?\d[\d.]* | [)）」] | ライブラリ | パッケージ | フレームワーク | パターン | アルゴリズム | クラス | モジュール | ミドルウェア | クライアント | プラグイン | 方式 | 構造 | フック | サーバー? ))*
        \s* (?: の [^。、]{1,14} )?? \s*
        (?: を \s* (?: (?:内部で|新たに|新しく) )? (?: 使い | 使っ(?:て|た) | 使う | 使用 | 用い | 利用し | 利用する | 活用 | 導入 | 採用 | 組み込 | 挟 | かぶせ | 噛ませ | 継承 | 適用し | インストール | 付け | 挿入 )
          | の \s* (?: モジュール | DAG | タスク | ジョブ | コンポーネント | フック | コンシューマー? | プロデューサー? | プラグイン | ミドルウェア | モデル | ストア | チャート | パイプライン | スキーマ ) を [^。、]{0,6}? (?: 作り | 作る | 作成 | 追加 | 書く | 書き | 実装 | 組 )
          | に (?: [^。、]{0,14} )? (?: 保存 | 格納 | キャッシュ | 溜め | 貯め | 載せ替え | 置き換え | 差し替え | 書き換え | 積 | 持たせ | 持つ | 保持 | 寄せ | 統一 | 任せ | 委ね | 流し | 流す | 置[きくい] | 書き込 | 読み込 | 投入 | 蓄積 | 集約 | 送り | 積ん | 配置 )
          | (?: と \s* (?: し | する ) | に \s* (?: する | し[、。て] ) | を \s* (?: 選ぶ | 選び | 採る ) )
          | (?: で | によって | により | による | を通して | 経由で | として | ベースで | ベースの | 製の ) [^。、]{0,20}?
            (?: 実装 | 書く | 書き | 作る | 作り | 作成 | 構築 | 管理 | 保持 | 通知 | キャッシュ | 処理 | 解析 | パース | 生成 | 描画 | 読み込 | 書き込 | 実行 | ソート | 探索 | 走査 | 計算 | 抽出 | 集め | 組み | 組む | 組ん | 守[りるっ] | 保護 | 監視 | 書き直 | 組み直 | 作り直 | 検出 | 判定 | 探[すし] | 整列 | 保証 | 担保 | 並べ替え | 分割 | 定期実行 | 起動させ | 置き換え | 置換 | 分岐 | 包 | 共有 | 配信 | 検証 | 定義 | 囲 | 行う | 行い | 取得 | 変換 | 並列 | 表現 | 記述 | 制御 | 永続化 | 保存 | 統一 ) )";
    /// Japanese: what follows a wire's name, which may also be an interface, says that it is the means.
    USE_STRONG_JA = r"^ \s* (?: を \s* (?: 使い | 使っ(?:て|た) | 使う | 使用 | 用い | 利用し | 採用 | 導入 | 入れ | 載せ ) | (?: で | による ) [^。、]{0,12}? (?: 実装 | 作る | 配信 | 通知 ) )";
    /// English: what stands before the name says to use it.
    USE_EN = r"\b (?: us(?:e|es|ing) | utili[sz](?:e|es|ing) | via | through | by\ means\ of | with\ the\ help\ of | backed\ by | powered\ by | built\ (?:on|with|in) | build\ (?:it\ )?(?:on|with|in)
            | based\ on | written\ in | write\ (?:it\ )?in | on\ top\ of | adopt(?:s|ing)? | introduc(?:e|es|ing) | leverag(?:e|es|ing) | employ(?:s|ing)? | wrap(?:s|ped)?\ (?:it\ )?in
            | implement(?:ed|s)? \s+ (?:\S+\s+){0,4}? (?:with|in|as|by|using) | import(?:s|ing)? | install(?:s|ing)? | switch(?:ing)? \s+ (?:\S+\s+){0,5}? to
            | (?: stor(?:e|ed|es|ing) | cach(?:e|ed|es|ing) | keep | kept | sav(?:e|ed|ing) | put | persist(?:ed|s)? | queue[d]? ) \s+ (?:\S+\s+){0,6}? (?:in|into|to|on|with)
            | (?: pars(?:e|ed|es|ing) | sort(?:ed|s|ing)? | render(?:ed|s|ing)? | validat(?:e|ed|es|ing) | index(?:ed|es|ing)? | manag(?:e|ed|es|ing) | replac(?:e|ed|es|ing) | extract(?:ed|s|ing)?
                | generat(?:e|ed|es|ing) | serialis(?:e|ed) | serializ(?:e|ed) | handl(?:e|ed|es|ing) | process(?:ed)? | wir(?:e|ed) | built | build | creat(?:e|ed|es|ing) | add(?:ed|s)? | rewrit(?:e|ten) | writ(?:e|ten) | mak(?:e|es) | log(?:s|ged)? | wrap(?:s|ped)? | restructur(?:e|ed) | model(?:l?ed)? | solv(?:e|ed) | draw(?:n|s)? | detect(?:ed|s)? | reserv(?:e|ed|es) | guard(?:ed|s)? | protect(?:ed|s)? | schedul(?:e|ed|es) | ship(?:ped|s)? | collect(?:ed|s)? | load(?:ed|s)? | group(?:ed)? | publish(?:ed|es)? | restyl(?:e|ed) | styl(?:e|ed) | rout(?:e|ed) | expos(?:e|ed) | orchestrat(?:e|ed) | synchroni[sz](?:e|ed) | split | format(?:ted)? | convert(?:ed)? | compute[ds]? | find | detect | count | search ) \s+ (?:\S+\s+){0,6}? (?:with|by|in|through|as|into|using)
            | (?: publish(?:es|ed)? | push(?:es|ed)? | stream(?:s|ed)? | send[s]? | sent | ship(?:s|ped)? | emit(?:s|ted)? ) \s+ (?:\S+\s+){0,6}? (?:to|into|through|via|with) | (?: run[s]? | deploy(?:s|ed)? | schedul(?:e|ed|es) ) \s+ (?:\S+\s+){0,6}? as | (?: is | are | be ) \s+ (?: done | handled | provided | performed | served | managed | driven ) \s+ (?: by | with | through | via | in )
        ) \s+ (?: (?: a|an|the|our|its|one|shared|single|local|global|in-process|in-memory|background|dedicated|simple|new|custom|external ) \s+ ){0,3} $";
    USE_STRONG_EN = r"\b (?: us(?:e|es|ing) | via | over | through | adopt(?:s|ing)? | implement(?:ed|s)? \s+ (?:\S+\s+){0,4}? (?:with|using) ) \s+ (?: (?: a|an|the ) \s+ )? $";
    /// English: a means that is made: "write a Terraform module".
    MAKE_EN = r"\b (?: write | create | add | build | implement | introduce | define | set\ up ) \s+ (?: a | an | the | one ) \s+ (?: new\ | small\ | shared\ )? $";
    MADE_EN = r"^ \s+ (?: modules? | DAGs? | tasks? | charts? | consumers? | producers? | components? | hooks? | plugins? | jobs? | pipelines? | middleware | stores? | reducers? | models? | migrations? | resolvers? | workers? | cache | queue | table | index | dashboards? ) \b";
    /// English: no verb is needed before a method: "reserved with pessimistic locking".
    WITH_EN = r"\b (?: with | using | by | via | through | as ) \s+ (?: (?: a | an | the ) \s+ )? (?: (?: simple | fixed-size | shared | global | single | custom | background | in-memory ) \s+ )? $";
    /// English: a pattern or structure named as the shape of the solution: "a singleton that …".
    SHAPE_EN = r"\b (?: must\ be | should\ be | is\ to\ be | as ) \s+ (?: a|an|the ) \s+ (?: \w+\s+ ){0,2} $";
    BACKED = r"\b (?P<name> [A-Za-z][A-Za-z0-9.+]* ) - (?: backed | based | powered | driven ) \b";
    /// It is being used, which is no order to use it.
    STATE_JA = r"^ [^。、]{0,16}? (?: [てで] ) (?: いる | いた | います | おり | ある | いない ) | ^ [^。、]{0,16}? (?: した | [いっん][ただ] | れた | けた | めた | えた ) (?: [。、] | $ | が | ため | ので | ところ | 結果 | こと | 後 | あと | とき | ころ | 頃 )";
    /// Japanese: whatever is done with it, unless it is only tried, seen or supported there.
    OPEN_JA = r"^ (?: \s* v?\d[\d.]* )? (?: \s* (?: の | による ) \s* [^。、\s]{1,16} )?? (?: \s* [ァ-ヴー一-龠A-Za-z0-9]{1,12} )?? (?: \s* \d+ \s* [本個台] )? \s*
        (?: で | により | によって | を \s* (?: 使 | 用い | 採用 | 導入 | 介し | 挟 | 前段 ) | に \s* (?: 切り替え | 移行 | 移し | 移す | 置き換え | 載せ | 入れ | 変え | 替え | 溜 | 逃が | 委譲 | 分け | 押し込 | 切り出 ) | へ \s* (?: 移 | 切り替え | 送 | 積 | 書き出 | 流 | 載せ替え | 置き換え ) | 方式 | 経由 )
        (?P<rest> [^。、]{0,40} )";
    /// The clause ends with a verb.
    VERB_END_JA = r"(?: ^ | する | し | して | せよ | [るうくすつぬむぐぶ] (?: こと | もの | 方式 | 構成 | 形 | よう (?: に )? )? | [りいきちみぎび] | て | ください | 下さい | とする ) \s* [)」(]? \s* $";
    /// It is tried, seen, found or supported there.
    OTHERWISE_JA = r"動[くいかけ] | 動作 | 確認 | 確か | 試[すし験] | 再現 | 開[きくけい] | でき | 読め | 使え | 測 | 見られ | 見え | 書かれ | れた | ている | ていた | てある | 落ち | 失敗 | エラー | 起き | 発生 | 困 | 調べ | 検証 | ない";
    /// Japanese: a part is said to be it: 「テンプレートは Handlebars、」.
    COPULA_BEFORE_JA = r"(?: は | には | : | = | → ) \s* $";
    COPULA_AFTER_JA = r"^ (?: \s* v?\d[\d.]* )? (?: \s* [ァ-ヴー一-龠]{1,8} )?? \s* (?: $ | [、。,/+・)(] | と | で \s* [^あ-ん] | を | に )";
    /// Japanese: it does the work: 「Redis が保持する」.
    SUBJECT_JA = r"^ (?: \s* の \s* [^。、\s]{1,12} )?? \s* が \s* [^。、]{0,16}? (?: 保持 | 管理 | 処理 | 配信 | 担[うい当] | 受け持 | 保存 | 計算 | 生成 | 実行 | 制御 | 分類 | 予測 )";
    /// English: the first or the next means to be tried, the place to move to.
    START_EN = r"\b (?: (?: start | begin ) (?:s|ing)? \s+ with | (?: first | then | next )\ try | fall(?:s|ing)? \s+ back \s+ (?:to|on) | switch(?:es|ing)? \s+ to | (?: mov | migrat ) (?:e|es|ing|ed) \s+ (?:\S+\s+){0,6}? (?:to|onto|into) | port(?:ed|s)? \s+ (?:\S+\s+){0,5}? to | swap \s+ (?:\S+\s+){0,5}? (?:for|with)
            | deploy(?:s|ed)? \s+ (?:\S+\s+){0,5}? (?:on|to|in) | host(?:s|ed)? \s+ (?:\S+\s+){0,5}? (?:on|in) | (?: lives? | sits? | goes ) \s+ (?: in | on\ top\ of | behind | inside | through | into ) | talk(?:s|ing)? (?:\s+\S+){0,3}? (?:\s+over)? | fed\ into | spin\ up | set\ up | (?: train | fine-tune ) (?:ed|s)? (?:\s+\S+){0,4}? | (?: predict | forecast | classif(?:y|ied) | cluster | rank | match | optimi[sz]e | approximat(?:e|ed) | estimat(?:e|ed) | segment ) (?: d | ed | s )? (?:\s+\S+){0,4}? \s+ (?: with | by | using )
            | (?: connect | communicat | exchang ) (?: e | es | ed | s | ing )? (?:\s+\S+){0,5}? \s+ (?: via | over | through ) | (?: written | coded | programmed ) \s+ (?: in | with ) ) \s+ (?: (?: a|an|the|our|its|one|shared|single|local|small|new|pre-?trained|background|custom|two|three ) \s+ ){0,3} $";
    /// English: a part is said to be it: "the queue is `RabbitMQ`".
    COPULA_EN = r"\b (?: backend | back\ end | frontend | front\ end | front-end | back-end | server | client | database | db | queue | cache | broker | ui | app | storage | store | persistence | stack | framework | language | runtime | templates? | (?:\w+\ )?engine | library | search | index | workers? | scheduler | orm | auth\w* | model | classifier | renderer | parser | routing | state | forms? | charts? | styling | logging | messaging | transport | hosting | pipeline | firmware | algorithm | ranking | matching | approach | architecture | solution | implementation | technology | tech | layout | pattern | structure )
        (?: \s* (?: : | = | -> | - | – | — ) | \s+ (?: is | are | will\ be | should\ be | must\ be | shall\ be | becomes? | in ) ) \s+ (?: (?:a|an|the|our) \s+ )? $";
    /// English: it does the work: "a trie holds the words".
    SUBJECT_EN = r"^ (?: \s+ (?: caches? | queues? | index | table | store | workers? | cluster | stream | topic | tasks? | triggers? | functions? | jobs? | node | channel | bucket | model | loop | threads? | middleware | services? | server | consumer ) ){0,2} \s+ (?: holds? | keeps? | stores? | handles? | delivers? | manages? | sends? | serves? | computes? | renders? | validates? | performs? | publish(?:es)? | consumes? | parses? | ranks? | predicts? | classif(?:y|ies) | schedules? | dispatch(?:es)? | forwards? | replicates? | persists? | recogni[sz]es? | extracts? | encrypts? ) \b";
    /// It is what the product works with, reads or offers, not what it is made of.
    COMPATIBLE = r"対応 | 互換 | 同じ結果 | の両方 | どちらでも | 接続でき | でも?動[くいか] | 動作確認 | 対象は | 接続先 | 読み込め | 取り込め | 書き出せ | 選べ | 選ん | 利用者が | ログイン | バージョン | アップグレード | 廃止 | 撤去 | 取り除 | やめ | 説明 | 記事 | 案内 | 講座 | 教材 | 求人
        | \b (?: works?\ (?:on|with|in|under|against) | runs?\ on | supports? | supported | supporting | compatib\w+ | interoperab\w+ | accepts? | allows? | import(?:s|ed)?\ (?:from|of) | export\w* | dumps? | log(?:s|ged)?\ in | sign(?:s|ed)?\ in | upgrad\w+ | bump\w* | versions? | remov(?:e|es|ed|ing|al) | drop(?:s|ped)? | retir\w+ | documentation | documented | docs | mention\w* | explain\w* | describ\w+ | article | course | lesson | lint\w* | users?\ (?:can|may|choose) | whether ) \b";
    /// A call in a place that designs: `board_isr()`.
    CALL = r"\b [A-Za-z_][A-Za-z0-9_]{2,} (?: (?: \. | :: ) [A-Za-z_][A-Za-z0-9_]* )* \(\)";
    /// Users get it as a feature.
    FEATURE = r"利用者が | ユーザーが | 検索欄 | 入力欄 | 使える | 利用できる | 指定できる | \b users?\ (?:can|may|write|type|enter|search) | \b (?:accepts?|supports?|allows?)\b";
}

/// How far around a name is looked, in bytes: enough for a clause, and a bound.
const REACH: usize = 120;

/// Where a sentence stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Where something is asked for.
    Wish,
    /// Where it is said how: a section on the design, a column for the technology. A name needs no verb there.
    Design,
}

/// The first named means that a sentence prescribes. Offsets are the sentence's.
pub(super) fn prescribed(sentence: &str, place: Place) -> Option<Range<usize>> {
    let words = TECHNOLOGY.find(sentence);
    let near = NEAR.search(sentence);
    let feature = !words.is_empty() && near.holds(&FEATURE);
    let is_feature = |word: &Word<'_>| feature && is_offered(&sentence[word.range.clone()]);
    let named: Vec<_> = words.into_iter().filter(|word| !is_feature(word)).collect();
    let told = named.iter().find(|word| is_prescribed(sentence, word)).map(|word| word.range.clone());
    told.or_else(|| backed(near)).or_else(|| {
        // What follows reads more than words of use; so whatever is compatible with a thing is left out at once.
        if named.is_empty() && place == Place::Wish || near.holds(&COMPATIBLE) {
            return None;
        }
        let named: Vec<_> =
            named.into_iter().filter(|word| !ALSO_WORDS.contains(&&sentence[word.range.clone()])).collect();
        let call = || near.find(&CALL).map(|found| found.range());
        if place == Place::Design {
            return named.first().map(|word| word.range.clone()).or_else(call);
        }
        let dictated = named.iter().find(|word| is_dictated(sentence, word));
        dictated.or_else(|| several(sentence, &named)).map(|word| word.range.clone())
    })
}

/// Names that are words, places or wares too: only words of use make means of them.
#[rustfmt::skip]
const ALSO_WORDS: [&str; 44] = [
    "Express", "Metal", "Boost", "Unity", "Phoenix", "Rocket", "Warp", "Parcel", "Echo", "Gin", "Lit", "Helm", "Quartz",
    "Caffeine", "Whisper", "Realm", "Passport", "Vault", "Consul", "Hugo", "Spark", "Storm", "Mustache", "Chroma",
    "Diesel", "Envoy", "Caddy", "Dragonfly", "Faraday", "Guzzle", "Moment", "Apollo", "Doctrine", "Eloquent", "Viper",
    "Cobra", "Pandoc", "Sentry", "Temporal", "Prefect", "Gulp", "Remix", "Radix", "継承",
];

/// The first of two or more different means: who names several in one breath has designed already.
fn several<'a, 'l>(sentence: &str, named: &'a [Word<'l>]) -> Option<&'a Word<'l>> {
    let first = named.iter().find(|word| word.class == "product" || word.class == "method")?;
    let same = |word: &Word<'_>| sentence[word.range.clone()].eq_ignore_ascii_case(&sentence[first.range.clone()]);
    let other = named.iter().any(|word| word.class != "language" && !same(word));
    (other && !is_in(&FEATURE, sentence)).then_some(first)
}

/// Whether what stands around a name makes it the means, by grammar alone.
fn is_dictated(sentence: &str, word: &Word<'_>) -> bool {
    let before = tail(&sentence[..word.range.start]);
    let after = head(&sentence[word.range.end..]);
    if is_in(&STATE_JA, after) || is_in(&FEATURE, sentence) {
        return false;
    }
    let copula = is_in(&COPULA_EN, before) || is_in(&COPULA_BEFORE_JA, before) && is_in(&COPULA_AFTER_JA, after);
    match word.class {
        "language" | "protocol" => copula || is_in(&START_EN, before),
        _ => {
            copula
                || is_in(&START_EN, before)
                || is_in(&SUBJECT_EN, after)
                || is_in(&SUBJECT_JA, after)
                || is_open(after)
        }
    }
}

/// 「SARIMA で予測し」: any verb will do that is none of trying, seeing and supporting.
fn is_open(after: &str) -> bool {
    let Some(groups) = OPEN_JA.as_ref().and_then(|regex| regex.captures(after)) else { return false };
    let rest = groups.name("rest").map_or("", |rest| rest.as_str());
    is_in(&VERB_END_JA, rest) && !is_in(&OTHERWISE_JA, rest)
}

fn is_offered(word: &str) -> bool {
    FEATURES.iter().any(|name| word.eq_ignore_ascii_case(name))
}

/// Means that users may also be offered.
const FEATURES: [&str; 6] = ["正規表現", "regex", "regular expression", "regular expressions", "cron", "cron job"];

fn is_prescribed(sentence: &str, word: &Word<'_>) -> bool {
    let before = tail(&sentence[..word.range.start]);
    let after = head(&sentence[word.range.end..]);
    if is_in(&STATE_JA, after) {
        return false;
    }
    match word.class {
        "language" => false,
        "protocol" => is_in(&USE_STRONG_JA, after) || is_in(&USE_STRONG_EN, before),
        "method" if is_in(&WITH_EN, before) && !is_offered(&sentence[word.range.clone()]) => true,
        "method" => is_in(&USE_JA, after) || is_in(&USE_EN, before) || is_in(&SHAPE_EN, before) || is_attribute(after),
        _ => is_in(&USE_JA, after) || is_in(&USE_EN, before) || is_in(&MAKE_EN, before) && is_in(&MADE_EN, after),
    }
}

/// "Redis-backed", "React-based".
fn backed(near: Searched<'_>) -> Option<Range<usize>> {
    let groups = near.may(&BACKED)?.captures(near.text())?;
    let (whole, name) = (groups.get(0)?, groups.name("name")?);
    (!TECHNOLOGY.find(name.as_str()).is_empty()).then(|| whole.range())
}

/// 「シングルトンの `ModeRegistry` クラス」: a method that qualifies a named thing.
fn is_attribute(after: &str) -> bool {
    let Some(rest) = after.trim_start().strip_prefix('の') else { return false };
    let rest = rest.trim_start();
    let name = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
    name > 0
        && ["クラス", "オブジェクト", "型", "インスタンス"]
            .iter()
            .any(|noun| rest[name..].trim_start().starts_with(noun))
}

/// The end of a text, as far as it is looked at.
pub(super) fn tail(text: &str) -> &str {
    let mut start = text.len().saturating_sub(REACH);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    &text[start..]
}

fn head(text: &str) -> &str {
    let mut end = text.len().min(REACH);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
