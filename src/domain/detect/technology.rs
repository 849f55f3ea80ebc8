//! Named means in a sentence: libraries, algorithms, patterns, and whether the sentence says to use them.

use super::lexicon::{Lexicon, Word};
use super::patterns::{is_in, patterns};
use std::ops::Range;
use std::sync::LazyLock;

static TECHNOLOGY: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::parse(include_str!("lexicons/technology.txt")));

patterns! {
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
    /// Users get it as a feature.
    FEATURE = r"利用者が | ユーザーが | 検索欄 | 入力欄 | 使える | 利用できる | 指定できる | \b users?\ (?:can|may|write|type|enter|search) | \b (?:accepts?|supports?|allows?)\b";
}

/// How far around a name is looked, in bytes: enough for a clause, and a bound.
const REACH: usize = 120;

/// The first named means that a sentence prescribes. Offsets are the sentence's.
pub(super) fn prescribed(sentence: &str) -> Option<Range<usize>> {
    let words = TECHNOLOGY.find(sentence);
    let feature = !words.is_empty() && is_in(&FEATURE, sentence);
    let is_feature = |word: &Word<'_>| feature && is_offered(&sentence[word.range.clone()]);
    let mut named = words.into_iter().filter(|word| !is_feature(word) && is_prescribed(sentence, word));
    named.next().map(|word| word.range).or_else(|| backed(sentence))
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
        "protocol" => is_in(&USE_STRONG_JA, after) || is_in(&USE_STRONG_EN, before),
        "method" if is_in(&WITH_EN, before) && !is_offered(&sentence[word.range.clone()]) => true,
        "method" => is_in(&USE_JA, after) || is_in(&USE_EN, before) || is_in(&SHAPE_EN, before) || is_attribute(after),
        _ => is_in(&USE_JA, after) || is_in(&USE_EN, before) || is_in(&MAKE_EN, before) && is_in(&MADE_EN, after),
    }
}

/// "Redis-backed", "React-based".
fn backed(sentence: &str) -> Option<Range<usize>> {
    let groups = BACKED.as_ref()?.captures(sentence)?;
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
