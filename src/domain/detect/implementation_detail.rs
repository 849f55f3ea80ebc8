//! `implementation_detail`: a library, framework, algorithm, class, function, file or other choice of how is prescribed.
//!
//! Interface names, settings, output formats, and the tools and flags of a measurement are none
//! (`docs/detectors/implementation_detail.md`).

use super::patterns::{Pattern, Searched, is_in, patterns};
use super::technology::{self, Place};
use super::{Context, Hit, scope};
use crate::domain::contract::DetectorSpec;
use crate::domain::text::{Document, Fence, Item, Section, SpanKind, clip, sentences};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

patterns! {
    near NEAR;
    /// The sentence leaves the choice open, or forbids.
    LEFT_OPEN = r"未指定 | 問わな | 問いません | 任せ | 不問 | 指定しな | 決めない | 自由 | かどうか | どちらでも | 使わな | 使わず | 用いず | 用いな | 依存しな | 追加しな | 避け | 前提(?:は|と|に|条件) | 使い方 | 手順書に | ドキュメントに | READMEに
        | not\ prescribed | unspecified | left\ open | up\ to\ (?:the\ )? (?:implementer|worker|developer|author) | any\ (?:library|approach|implementation) | no\ new\ dependenc
        | without\ (?:adding|using|any|a\ new) | (?:do|does|must|should|may|shall|need)\ not\ (?:use|depend|add|require) | don't\ use | never\ uses? | regardless\ of\ (?:the|how) | how\ to\ (?:use|install|set\ up|run)";
    /// The sentence says how a result is measured or controlled.
    CONTROL = r"計測 | 測定 | ベンチマーク | 測る | 測り | 測った | 統制 | 比較条件 | 評価条件 | 再現手順 | 再現する | シード | benchmark | \b measur | \b profil(?:e|ing) | \b reproduc | \b seed\b | \b hyperfine";
    /// The sentence says how things are, not how they shall be.
    STATE = r"現在は | 現状 | これまで | 従来 | すでに | 既に | \b currently\b | \b today\b | \b at\ present\b | \b already\b | \b previously\b | \b so\ far\b | \b (?: was | were ) \s+ (?: \w+\s+ )? (?: built | written | implemented | introduced | added | moved | drawn | stored ) \b | \b last\ (?:year|month|week|sprint|quarter|release)\b | 先月 | 昨年 | 去年 | 以前";

    /// A named type that is made, changed or told what to hold. Letters are checked by hand: two capitals, or a mark.
    TYPE_JA = r"(?P<name> [A-Za-z_][A-Za-z0-9_]* ) \s* (?: クラス | 型 | 構造体 | インター?フェー?ス | トレイト | コンポーネント | モジュール | サービス | フック | メソッド | 関数 | 列挙型 | マクロ )
        \s* (?: を [^。]{0,30}? (?: 追加 | 作 | 新設 | 定義 | 実装 | 継承 | 拡張 | 使 | 用い | 変更 | 変え | 分割 | 切り出 | リファクタ | 呼 | にし | にする | 導入 | 書き換 | 共通化 | 移 )
          | (?: に | へ ) [^。]{0,30}? (?: 追加 | 持たせ | 実装 | 移 | 切り出 | まとめ | 置 | 渡 | 保持 | 生や | 集約 | 委譲 )
          | で [^。]{0,24}? (?: 管理 | 実装 | 処理 | 保持 | 包 | ラップ | 行う | 行い | 受け | 読み | 書 | 生成 | 検証 )
          | の \s* (?:新しい|新規の)? \s* (?: フィールド | メソッド | プロパティ | メンバ | 引数 | 関数 | 戻り値の型 ) )";
    TYPE_EN = r"\b (?: add | adds | create | creates | introduce | introduces | define | implement | implements | extend | extends | refactor | rename | split | extract | move | use | uses | using | subclass | inherit(?:s)?\ from
            | in | into | inside | to | through | via | with | make | turn | change | put | wrap | new | a | an | the ) \s+ (?: (?: a|an|the|new|our|existing|abstract|generic|shared|single|singleton|global|private ) \s+ ){0,4}
        (?P<name> [A-Za-z_][A-Za-z0-9_]* ) \s+ (?: class | struct | interface | trait | component | module | service\ class | hook | mixin | enum | union | helper | middleware | decorator | base\ class ) \b";
    /// A member of a named type: "add a `stamina` field to the `Player` struct".
    TYPE_EN_MEMBER = r"\b (?: field | fields | method | methods | property | properties | attribute | member | parameter | argument | column | variant ) \s+ (?: to | on | in | into | of ) \s+ (?: (?: a|an|the|our|existing ) \s+ )? (?P<name> [A-Za-z_][A-Za-z0-9_]* ) \s+ (?: class | struct | interface | trait | enum | type | component | table | model | service | object ) \b";
    /// Something is done by a hook: "subscribe inside `useEffect`".
    HOOK = r"(?: \b (?: inside | within | in | via | with | using | through | by ) \s+ (?: (?: a|an|the ) \s+ )? (?P<name> (?-i: use[A-Z][A-Za-z]+ ) ) \b | (?: ^ | [^A-Za-z0-9_.\-/] ) (?P<name2> (?-i: use[A-Z][A-Za-z]+ ) ) \s* (?: の中 | 内 )? (?: で | を | に ) )";
    TYPE_EN_NEW = r"\b (?: add | create | introduce | define | implement | write | extract ) \s+ (?: (?: a|an|the|new ) \s+ ){0,2} (?: abstract\ |base\ |helper\ |utility\ |wrapper\ )? (?: class | struct | interface | trait | function | method | module | component | enum ) \s+ (?: called\ | named\ )? (?P<name> [A-Za-z_][A-Za-z0-9_]* )";
    /// A function that is called, changed or given something.
    CALL_JA = r"\b (?P<name> [A-Za-z_][A-Za-z0-9_]* (?: (?: \. | :: ) [A-Za-z_][A-Za-z0-9_]* )* ) (?: \(\) | \( [^()。]{0,40} \) ) \s* (?: で | を [^。]{0,12}? (?: 呼 | 使 | 用い | 追加 | 実装 | 書き換 | 変更 | 切り出 | 分割 | 挟 ) | に [^。]{0,24}? (?: 渡 | 追加 | 移 | 書 | 置き換 | 変更 ) | から [^。]{0,12}? 呼 )";
    MEMBER_JA = r"\b (?P<name> [a-z_][A-Za-z0-9_]* (?: \. | :: ) [a-z_][A-Za-z0-9_]* ) \s* (?: を [^。]{0,10}? (?: 呼 | 使 | 用い ) | に [^。]{0,24}? 渡 )";
    CALL_EN = r"\b (?: using | use | uses | via | through | extract | refactor | rewrite | modify | change | inside | reuse | wrap | override | overload | invoke | invokes | invoking ) \s+ (?: (?: a|an|the|existing|new ) \s+ ){0,2} (?P<name> [A-Za-z_][A-Za-z0-9_]* (?: (?: \. | :: ) [A-Za-z_][A-Za-z0-9_]* )* ) (?: \(\) | \( [^()]{0,40} \) )";
    /// A source file that is written to.
    FILE_JA = r"(?P<name> [\w./\-]*\w \. (?: py | jsx? | tsx? | mjs | rs | go | java | kt | rb | php | c | cc | cpp | h | hpp | cs | swift | sql | vue | svelte | scss | css | sh | ac | cmake | ex | scala ) ) (?: \s* ファイル )? \s*
        (?: (?: に | の中に | 内に | へ ) [^。]{0,30}? (?: 追加 | 書 | 実装 | 移 | 作 | 置 | 足 | 定義 | 切り出 | まとめ | 記述 | 集約 ) | の [^。、]{1,30} \s* を [^。、]{0,6}? (?: 修正 | 変更 | 書き換 | 分割 | 呼 | 拡張 | 使 ) | を [^。]{0,20}? (?: 変更 | 編集 | 修正 | 新設 | 作成 | 分割 | 書き換 | 追加 | リファクタ | 新規 ) | で [^。]{0,24}? (?: 解析 | パース | 実装 | 処理 | 定義 | 読み込 | 生成 ) | から [^。]{0,16}? (?: 呼 | import | インポート ) )";
    FILE_EN = r"\b (?: implement(?:ed)? | add(?:ed)? | writ(?:e|ten) | put | pars(?:e|ed) | place[d]? | creat(?:e|ed) | define[d]? | move[d]? | extract(?:ed)? | refactor(?:ed)? | edit | modify | change | split | rename | patch | keep | live[s]? ) \b [^.。]{0,100}? \s (?: in | into | inside | to | from | under )? \s* (?: the\ (?:file|module)\ )? (?P<name> [\w./\-]*\w \. (?: py | jsx? | tsx? | mjs | rs | go | java | kt | rb | php | c | cc | cpp | h | hpp | cs | swift | sql | vue | svelte | scss | sh | ac | cmake | ex | scala ) ) \b";
    /// A package by a name that no list holds.
    PACKAGE_JA = r"(?: ^ | [^A-Za-z0-9_.\-/] ) (?P<name> @? [A-Za-z][A-Za-z0-9_.]* (?: [\-/] [A-Za-z0-9_.]+ )+ | (?-i: [A-Z][a-z0-9]+ (?: [A-Z][A-Za-z0-9]* )+ ) ) (?: \s* (?: ライブラリ | パッケージ | クレート | フレームワーク | プラグイン ) )? \s* を (?: 使い | 使って | 使う | 用い | 導入 | 採用 | インストール )";
    /// An identifier that does the work: `useQuery` で取得する.
    IDENTIFIER_JA = r"(?: ^ | [^A-Za-z0-9_.\-/] ) (?P<name> (?-i: [a-z]+ [A-Z] [A-Za-z0-9]* | [A-Z][a-z0-9]+ [A-Z][A-Za-z0-9]* | [A-Za-z_]\w* \. [a-z]+ [A-Z]\w* ) | (?: asyncio | fs | path | crypto | child_process | itertools | functools | subprocess | Promise | Array | Object ) \. \w+ )
        \s* (?: で [^。、]{0,16}? (?: 取得 | 実装 | 処理 | 管理 | 保持 | 解析 | 生成 | 描画 | 変換 | 計算 | 並列 | ラップ | 包 | 読み込 | 検証 | 呼び出 ) | を \s* (?: 使い | 使って | 使う | 用い | 呼び | 呼ぶ | 拡張し | 継承 | 流用 | 新設 | 作成し | 作り | 定義 | 実装 | 分割 | 切り出 | 導入 | リファクタ | 書き換え | 呼び出 ) )";
    MEMBER_EN = r"\b (?: use | uses | using | via | call | calls | calling ) \s+ (?P<name> [A-Za-z_]\w* (?: \. | :: ) [a-z]\w* ) \b";
    FOLDER = r"(?: 配下 | ディレクトリ | フォルダ ) \s* (?: に | へ ) [^。]{0,16}? (?: モジュール | クラス | ファイル | パッケージ | コンポーネント | 関数 ) [^。、]{0,8}? を \s* (?: 作 | 追加 | 新設 | 置 )
        | \b (?: create | add | put ) \s+ (?: a|an|the ) \s+ (?: new\ )? (?: module | class | package | component | helper ) \s+ (?: under | in | inside | to ) \s+ [\w./\-]*/";
    LIBRARY_JA = r"(?P<name> [A-Za-z@][A-Za-z0-9_.\-/]* ) \s* (?: という | の )? (?: ライブラリ | パッケージ | クレート | フレームワーク | ミドルウェア | \bgem\b ) \s* (?: を \s* (?: 使 | 用い | 利用 | 導入 | 採用 | 追加 | 入れ ) | で )";
    /// A name that no list holds, and words that only fit a means: "implement it with Foo", 「Foo で実装する」.
    MEANS_JA = r"(?: ^ | [^A-Za-z0-9_.\-/\#+] ) (?P<name> (?-i: [A-Z][a-z0-9]+ (?: [A-Z][A-Za-z0-9]* )* ) ) \s* (?: v?\d[\d.]* \s* )? (?: の (?: \s* [ァ-ヴーA-Za-z0-9一-龠]{1,12} ) )? \s* (?: で (?: [^。、]{0,10}? を )? \s* (?: (?: 実装 | 書き直 | 組み直 | 作り直 | 開発 | 構築 | 管理 | 保持 | 保証 | 描画 | 解析 | 変換 | 検証 | 生成 | 永続化 | 計算 | 縮小 | 圧縮 ) (?: する (?: [。、] | $ ) | し[、。て] | す[。、] | $ ) | 行う | 行い | 描く | 描き | 組む | 組み | 書く | 守る | 包む | 解く ) | に \s* (?: 任せる | 任せ、 | 委ねる | 寄せる )
        | を \s* (?: 使って | 使い、 | 用いて | 用い、 ) [^。、]{0,16}? (?: 書く | 書き | 実装 | 作る | 作り | 描く | 描き | 描画 | 管理 | 行う | 計算 | 変換 | 検証 | 解析 | 構築 | 生成 | 保持 | 永続化 | 組 ) )";
    /// Whatever stands before these words is a means.
    WHOLE_JA = r"(?P<name> [^、。\s「」はがをもに]{2,16} ) \s* で \s* 実装 (?: する | し[、。て] | $ ) | (?P<name2> [^、。\s「」はがをも]{1,12} アルゴリズム ) \s* (?: で | を使 | を用い | により | によって ) | (?P<name3> A \* | [A-Za-z0-9\-]+ \s* 法 | [ァ-ヴー一-龠]{2,8} 割り込み ) \s* (?: で | を使 | を用い )";
    WHOLE_EN = r"\b implemented \s+ (?: with | using | via | through | as \s+ (?:a|an) ) \s+ (?P<name> [\w\-]+ (?: \s+ [\w\-]+ )? ) | \b (?: with | using | by | via | use ) \s+ (?: the \s+ )? (?P<name2> (?: (?-i:[A-Z]) [\w\-]+ \s+ ){1,2} algorithm | A \* | (?: timer | hardware | pin )\ interrupts? ) | \b from\ (?: a | the ) \s+ (?P<name3> (?: timer | hardware | pin )\ interrupt ) \b";
    /// A named part of the code is taken apart or made: "split `calc_total`", "introduce `InvoiceRepository`".
    PART_EN = r"\b (?: split | extract | refactor | rename | inline | rewrite | introduce | subclass | override | define | instantiate | deprecate ) (?: s | es | ing )? \s+ (?: (?: the | a | an | existing | new ) \s+ )* (?P<name> [A-Za-z_][A-Za-z0-9_]* (?: \(\) )? ) \b";
    /// A type by its kind: "held in a `Settings` struct".
    KIND_EN = r"\b (?: in | into | by | via | through | as | inside | with ) \s+ (?: a | an | the ) \s+ (?: new\ | single\ )? (?P<name> [A-Za-z_][A-Za-z0-9_]* ) \s+ (?: struct | trait | enum | mixin | protocol\ class | decorator | hook | singleton | actor | provider ) s? \b";
    MEANS_EN = r"\b (?: (?: re-?)? implement(?:ed)? | rewrite | rewritten | build\ (?:it|this|them|the\ \w+) | built | develop(?:ed)? | restyle[d]? | draw | drawn | render(?:ed)? | shrink | shrunk | resize[d]? | manage[d]? | parse[d]? | comput(?:e|ed) | calculat(?:e|ed) | cache[d]? | compress(?:ed)? | encrypt(?:ed)? | animate[d]? | style[d]? | (?: is | are ) \s+ (?: done | handled | managed | held | kept | provided | powered | performed ) | state\ lives | stored? ) \s+ (?: [^\s.]+ \s+ ){0,4}? (?: with | using | on\ top\ of | by | via | in ) \s+ (?P<name> (?-i: [A-Z][a-z0-9]+ (?: [A-Z][A-Za-z0-9]* )* ) ) \b";
    LIBRARY_EN = r"\b (?: use | uses | using | add | adopt | introduce | install | import | with | via ) \s+ (?: (?: a|an|the ) \s+ )? (?P<name> [A-Za-z@][A-Za-z0-9_.\-/]* ) \s+ (?: library | package | framework | crate | gem | middleware | plugin | ORM | SDK ) \b";
    LANGUAGE = r"\b (?P<name> Python | Rust | Go | Java | JavaScript | TypeScript | Ruby | PHP | Kotlin | Swift | Perl | Scala | C\+\+ | C\# | Bash | Shell ) \s* (?: で | を使って | を用いて ) [^。、]{0,12}? (?: 実装 | 書く | 書き | 作る | 作成 | 書き直 )
        | \b (?: written | write | writing | implement(?:ed)? | rewrite | rewritten | built ) \s+ (?:\w+\s+){0,3}? in \s+ (?P<name2> Python | Rust | Go | Java | JavaScript | TypeScript | Ruby | PHP | Kotlin | Swift | Perl | Scala | C\+\+ | C\# | Bash ) \b";
    /// The inside of a data store.
    SCHEMA = r"テーブル [^。]{0,60}? (?: 主キー | 複合キー | インデックス | 索引 | 外部キー | 一意制約 | トリガー | パーティション ) | (?: 複合 | 部分 | 一意 | 全文 | カバリング | 転置 | 関数 )? (?: インデックス | 主キー | 外部キー | 複合キー | 一意制約 ) \s* (?: を | も ) \s* [^。、]{0,8}? (?: 張[りるっ] | 貼[りるっ] | 作[りるっ成] | 付け | 設け | 追加 )
        | パーティション (?: に分け | を切 | で分 | 分割 | 化 ) | (?: DB | データベース | テーブル ) の? トリガー? (?: で | を | に ) | (?: 列 | カラム ) \s* を \s* (?: 追加 | 足[すし] | 増や | 持たせ ) | 正規化 (?: した | して | する | テーブル ) | 論理削除 | 中間テーブル
        | (?-i: CREATE\ (?:TABLE|INDEX|TRIGGER|VIEW) | ALTER\ TABLE | ADD\ COLUMN | ON\ DELETE\ CASCADE | JSONB ) \b
        | \b (?: with | by | use | add | create | through | using | via | on ) \s+ (?: (?: a | an | the ) \s+ )? (?: \S+ \s+ )? (?: composite | compound | partial | covering | unique | secondary | clustered | surrogate | foreign | generated ) \s+ (?: primary\ )? (?: index | indexes | indices | keys? | columns? ) \b
        | \b (?: a | an | the | new | one ) \s+ (?: [\w`'\-]+ \s+ )? tables? \s+ (?: with | of | holding | having ) \s+ (?: (?: the | a | its | two | three | four | five | \d+ ) \s+ )? (?: columns? | fields? | foreign\ keys? | primary\ keys? ) \b | \b (?: index(?:es)? | triggers? | foreign\ key | primary\ key | constraint ) \s+ on \s+ (?: the \s+ )? (?: [\w.`]+ \s+ )? (?: table | columns? | \( | [a-z]+_[a-z_]+ ) | \b (?: in | into | to ) \s+ (?: a | the ) \s+ (?: separate | join | lookup | new | shared | second ) \s+ (?: \S+ \s+ )? (?: table | column | schema ) \b | \b (?: partitioned | sharded | clustered | denormali[sz]ed | normali[sz]ed ) \s+ (?: by | on | into ) \b
        | (?: テーブル | スキーマ ) [^。]{0,20}? (?: カラム | インデックス | 外部キー | 制約 ) [^。]{0,8}? (?: 追加 | 作 | 張 | 足 ) | インデックスを張 | カラムを(?:追加|足) | テーブルを[^。、]{0,10}?(?:追加|新設|作[るりっ成]|正規化|分割|パーティション)
        | \b (?: partition | shard | normali[sz]e | denormali[sz]e ) \s+ (?: the | our | this ) \s+ (?: \w+\s+ )? (?: table | tables | database | schema ) \b
        | \b (?: add | create | introduce ) \s+ (?: a|an|the ) \s+ (?: new\ |composite\ |foreign\ |unique\ |nullable\ |partial\ )* (?: column | index | foreign\ key | database\ table | join\ table | table | migration ) \b [^.]{0,40}? \b (?: table | database | schema | on | to\ the ) \b
        | \b (?: store[ds]? | keep | kept | save[ds]? | persist(?:ed)? ) \s+ (?:\S+\s+){0,4}? in \s+ (?: a|an|the ) \s+ (?: new\ )? \S+ \s+ (?: table | column ) \b";
    /// The whole is cut into parts that no user sees.
    LAYOUT = r"(?: サービス | モジュール | クラス | パッケージ | プロセス | コンポーネント | レイヤー? | テーブル | 関数 | クレート | スレッド | ファイル | 層 ) \s* (?: ごと )? に \s* (?: 分割 | 分け[るてた、] | 切り出 | 分離 | 切り分け | まとめ直 ) | (?: クラス | 関数 | メソッド | モジュール | コンポーネント | サービス層 | リポジトリ層 ) \s* (?: に | を | へ ) \s* (?: 切り出 | 抽出 | 共通化 | 分割 | 新設 | 継承 )
        | \b (?: split | divided? | break | broken | separated? | decomposed? | factor(?:ed)? ) \s+ (?: [\w\-]+ \s+ ){0,4}? (?: up \s+ )? into \s+ (?: (?: two | three | four | five | \d+ | separate | small(?:er)? | several | independent | the ) \s+ )* (?: [\w\-]+ \s+ ){0,2}? (?: services | microservices | modules | packages | crates | classes | functions | components | layers | processes | tables | threads | workers | [a-z]+-(?:svc|service|worker|api|server|core) ) \b
        | \b (?: move | extract | pull | put | push ) (?: s | ed | ing )? \s+ (?: [\w'`\-]+ \s+ ){1,5}? (?: in(?:to)? | out\ into | to ) \s+ (?: (?: a | an | the | its | one ) \s+ )+ (?: own | new | separate | shared | common | single | base | abstract | helper | utility | dedicated ) \s+ (?: [\w\-]+ \s+ )? (?: class | module | service | function | package | crate | component | file | thread | process | layer | library | hook | struct | interface ) \b";
    /// An acronym that predicts, sorts or groups is a method by its verb: 「XYZ で予測し」.
    METHOD_JA = r"(?: ^ | [^A-Za-z0-9_.\-/] ) (?P<name> (?-i: [A-Z][A-Za-z0-9\-]{2,} ) ) (?: \s* (?: モデル | 法 ) )? \s* で \s* (?: 予測 | 分類 | 推定 | 回帰 | クラスタリング | 学習 | 補間 | 平滑化 | 最適化 | 索引付け | 埋め込 | 特徴 | 次元 ) | (?P<name2> [A-Za-z0-9][A-Za-z0-9\-]* \s* 法 | [ァ-ヴー一-龠]{2,10} (?: アルゴリズム | 探索法 | 乗法 | 近傍法 | 登り法 | なまし法 | パターン ) ) \s* (?: で | を使 | を用い | により | によって | とする )";
    /// The sentence names its own subject: how.
    HOW = r"実装(?:方法|方式|手段)? \s* (?: は | には | として | : ) [^。]{1,60}? (?: を使 | を用い | とする | で行う | で書く | にする | で実装 )
        | \b implementation \s* (?: : | must | should | shall | will | uses? ) \s+ [^.]{3,}";

    /// What follows tells what comes out: "is written to dump.sql".
    PASSIVE = r"\b (?: is | are | be | was | were | been | gets ) \s+ $";
    /// A line of source code that defines something.
    DEFINITION = r"(?m)^ \s* (?: (?: export | pub(?:\(\w+\))? | async | static | public | private | protected | abstract | default | final ) \s+ )* (?: (?: function | class | def | fn | impl | struct | interface | trait | enum ) \s+ [A-Za-z_$<] | type \s+ \w+ \s* = | const \s+ \w+ \s* = \s* (?: async \s* )? (?: \( | function ) | import \s+ .{1,60} \s from \s | from \s+ [\w.]+ \s+ import \s | \#include \s | use \s+ \w+ :: | create \s+ (?:table|index) \s | alter \s+ table \s )";
    /// A remark to whoever judges is no word on the work.
    REMARK = r"\( [^()]{0,8}? (?: 注 | ※ | 審査 | 判定 | レビュ | note\b | n\.b\. | judge | reviewer | grader | auditor ) [^()]* (?: \) | $ )";
    /// Headings of sections that say how things are, not what is asked for.
    TODAY = r"^ \W* (?: 背景 | 経緯 | 現状 | 動機 | 参考 | 関連 | 対象外 | 範囲外 | スコープ外 | background | context | motivation | history | current | today | references? | related | see\ also | out\ of | non-?goals? )";
    /// There too an order is an order.
    ORDER = r"すること | してください | して下さい | しなさい | せよ | とする | べき | ればならない | 必ず | \b (?: must | shall | have\ to | has\ to | should | please | need[s]?\ to | will\ be | is\ to | are\ to ) \b";
    /// Headings, summaries and labels of places that say how it is to be built.
    DESIGN = r"(?: 実装 | 設計 | 技術 | アーキテクチャ | 構成案 | 方式 | 作り方 | やり方 | 進め方 | 子の | 子タスク | 子イシュー | 子\s*issue | 内訳 | 分割案 | 作業計画 ) | \b (?: technical | implementation | design | architecture | approach | technolog(?:y|ies) | tech | stack | how | solution | plan | child(?:ren)? | breakdown | work\ packages? ) \b";
    /// Headings that name conditions, whatever else they name.
    GIVEN = r"前提 | 制約 | 環境 | 再現 | 条件 | 基準 | 要件 | 変わらない | 対応する | premise | prerequisite | constraint | environment | reproduc | criteria | requirement | condition | budget | how\ to\ (?:use|install|run|test|reproduce)";
    DESIGN_LABEL = r"^ \W* (?: 実装 (?: メモ | 方針 | 方式 | 案 | 方法 )? | 技術 (?: メモ | 選定 | スタック | 構成 )? | 設計 (?: メモ | 方針 | 案 )? | 方式 | 作り方 ) \s* : | ^ \W* (?: technical\ notes? | implementation (?:\ (?:notes?|plan|hints?))? | tech(?:nology)? (?:\ stack)? | stack | design (?:\ notes?)? | architecture | approach ) \s* (?: : | - | – | — ) \s";
    /// Heads of columns that say with what.
    COLUMN = r"^ \W* (?: how | tech\w* | stack | methods? | means | with | librar\w+ | tools? | frameworks? | implementation | approach | design | architecture | language | built\ with | 技術 | 実装 | 使用技術 | 採用技術 | 方式 | 手段 | 手法 | 使うもの | ライブラリ | 作り方 | やり方 | 設計 | 構成 | どうやって | 言語 )";
    /// Fences that show what happens or is to come out.
    SHOWN = r"再現 | 現状 | 現在 | ログ | 出力 | 実行結果 | エラー | 例外 | 入力例 | 利用例 | 使用例 | 呼び出し例 | インター?フェー?ス | 公開 | reproduc | current | \blog\b | output | actual | traceback | usage | example\ (?:input|call|use) | steps\ to | public\ api | before | signature";
    /// Info strings of fences that hold no code to be written.
    NO_CODE = r"^ (?: diff | patch | log | console | text | txt | output | shell-session | json[c5l]? | ya?ml | toml | ini | csv | tsv | xml | html | http | mermaid | markdown | md | gherkin ) \b";
}

/// What a rule takes for a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Name {
    /// Any word that is no format or interface.
    Any,
    /// One written like code: `ModeTable`, `mode_table`.
    Identifier,
    /// One written like code, or with a capital.
    Proper,
}

const RULES: [(&Pattern, Name); 23] = [
    (&TYPE_JA, Name::Any),
    (&TYPE_EN, Name::Identifier),
    (&TYPE_EN_NEW, Name::Proper),
    (&TYPE_EN_MEMBER, Name::Proper),
    (&HOOK, Name::Any),
    (&MEANS_JA, Name::Any),
    (&MEANS_EN, Name::Any),
    (&WHOLE_JA, Name::Any),
    (&WHOLE_EN, Name::Any),
    (&PART_EN, Name::Identifier),
    (&KIND_EN, Name::Proper),
    (&CALL_JA, Name::Any),
    (&MEMBER_JA, Name::Any),
    (&MEMBER_EN, Name::Any),
    (&IDENTIFIER_JA, Name::Any),
    (&CALL_EN, Name::Any),
    (&FILE_JA, Name::Any),
    (&FILE_EN, Name::Any),
    (&PACKAGE_JA, Name::Any),
    (&LIBRARY_JA, Name::Any),
    (&LIBRARY_EN, Name::Any),
    (&LANGUAGE, Name::Any),
    (&METHOD_JA, Name::Any),
];

/// Runs the detector.
pub(super) fn detect(spec: &DetectorSpec, document: &Document, context: &Context) -> Vec<Hit> {
    let ranges = scope::ranges(spec, document, context);
    let mut hits = Vec::new();
    let places = Places::of(document);
    for item in scope::items(document, &ranges) {
        let text = scope::blanked(item, &[SpanKind::Quotation, SpanKind::Url, SpanKind::Alt]);
        let (today, place) = places.at(item);
        for sentence in sentences(item).iter().cloned() {
            let near = NEAR.search(&text[sentence.clone()]);
            let words = without_remarks(near);
            let near = near.of(&words);
            if today && !near.holds(&ORDER) {
                continue;
            }
            if let Some((word, note)) = prescription(near, place) {
                let word = sentence.start + word.start..sentence.start + word.end;
                hits.push(scope::hit(document, item, &sentence, &word, note));
            }
        }
    }
    for fence in ranges.iter().flat_map(|range| document.fences_within(range)).filter(|fence| !fence.quoted) {
        hits.extend(code(document, fence));
    }
    hits.sort_by_key(|hit| hit.range.as_ref().map(|range| range.start));
    hits
}

/// Where a text describes today, and where it designs.
struct Places {
    today: Vec<Range<usize>>,
    design: Vec<Range<usize>>,
    /// Where cells of a column of means begin.
    cells: BTreeSet<usize>,
}

impl Places {
    fn of(document: &Document) -> Self {
        let titled = |pattern: &'static Pattern| {
            let sections = document.sections().iter();
            let named = move |section: &&Section| is_in(pattern, &section.key) && !is_in(&GIVEN, &section.key);
            sections.filter(named).map(|section| section.range.clone())
        };
        let summaries = document.details().iter();
        let summaries = summaries.filter(|details| details.summary.as_deref().is_some_and(|text| is_in(&DESIGN, text)));
        let mut cells = BTreeSet::new();
        for table in document.tables() {
            let heads = table.header.iter().enumerate();
            let columns = heads.filter(|(_, head)| is_in(&COLUMN, document.cell_text(head))).map(|(index, _)| index);
            for column in columns.take(MOST_COLUMNS) {
                let items = table.rows.iter().filter_map(|row| row.get(column)?.item);
                cells.extend(items.map(|index| document.items()[index].range.start));
            }
        }
        Self {
            today: joined(titled(&TODAY)),
            design: joined(titled(&DESIGN).chain(summaries.map(|details| details.range.clone()))),
            cells,
        }
    }

    /// Whether an item tells of today, and whether it designs.
    fn at(&self, item: &Item) -> (bool, Place) {
        let at = item.range.start;
        let label = is_in(&DESIGN_LABEL, clip(item.text(), 60));
        let design = label || self.cells.contains(&at) || is_within(&self.design, at);
        (!label && is_within(&self.today, at), if design { Place::Design } else { Place::Wish })
    }
}

/// Most columns of means that are read of one table.
const MOST_COLUMNS: usize = 4;

/// Ranges in order, none overlapping.
fn joined(ranges: impl Iterator<Item = Range<usize>>) -> Vec<Range<usize>> {
    let mut ranges: Vec<_> = ranges.collect();
    ranges.sort_unstable_by_key(|range| range.start);
    let mut out: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match out.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => out.push(range),
        }
    }
    out
}

fn is_within(ranges: &[Range<usize>], at: usize) -> bool {
    let next = ranges.partition_point(|range| range.start <= at);
    next > 0 && at < ranges[next - 1].end
}

/// A sentence with remarks to the judge blanked, byte for byte.
fn without_remarks(near: Searched<'_>) -> Cow<'_, str> {
    let Some(found) = near.find(&REMARK) else { return near.text().into() };
    let mut text = near.text().to_owned();
    text.replace_range(found.range(), &"\u{1}".repeat(found.len()));
    text.into()
}

/// What a sentence prescribes: its place and its name.
fn prescription(near: Searched<'_>, place: Place) -> Option<(Range<usize>, String)> {
    if near.holds(&LEFT_OPEN) || near.holds(&CONTROL) || near.holds(&STATE) {
        return None;
    }
    let found = technology::prescribed(near.text(), place).or_else(|| by_rule(near)).or_else(|| {
        let whole = [&SCHEMA, &FOLDER, &LAYOUT, &HOW].into_iter().find_map(|rule| near.find(rule))?;
        Some(whole.range())
    })?;
    let note = clip(&near.text()[found.clone()], 60).to_owned();
    Some((found, note))
}

fn by_rule(near: Searched<'_>) -> Option<Range<usize>> {
    let sentence = near.text();
    RULES.iter().find_map(|(rule, kind)| {
        let regex = near.may(rule)?;
        // Much faster than groups where there is no match, as in nearly all sentences.
        if !regex.is_match(sentence) {
            return None;
        }
        regex.captures_iter(sentence).find_map(|groups| {
            let name = ["name", "name2", "name3"].into_iter().find_map(|name| groups.name(name))?;
            let fits = match kind {
                Name::Any => true,
                Name::Identifier => is_identifier(name.as_str()),
                Name::Proper => {
                    is_identifier(name.as_str()) || name.as_str().starts_with(|c: char| c.is_ascii_uppercase())
                }
            };
            let start = groups.get(0).map_or(0, |whole| whole.start());
            let output = is_in(&PASSIVE, technology::tail(&sentence[..start]));
            let called = name.as_str().contains('.') && sentence[name.end()..].starts_with('(');
            (fits && !output && (called || is_internal(name.as_str()))).then(|| name.range())
        })
    })
}

fn is_identifier(name: &str) -> bool {
    let inner_capital =
        name.as_bytes().windows(2).any(|two| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase());
    inner_capital || name.trim_matches('_').contains('_')
}

/// Formats, interfaces, environments and plain words that a rule's pattern may take for a name.
#[rustfmt::skip]
const OUTSIDE: &[&str] = &[
    "api", "cli", "ui", "url", "uri", "id", "csv", "tsv", "json", "yaml", "toml", "xml", "html", "css", "pdf",
    "png", "svg", "http", "https", "utf-8", "iso", "markdown", "github", "gitlab", "git", "openapi", "javascript",
    "typescript", "powershell", "oauth", "macos", "linux", "windows", "iphone", "ipad", "android", "ios", "youtube",
    "postscript", "latex", "wifi", "a", "an", "the", "this", "that", "each", "every", "same", "new", "its", "in",
    "on", "of", "to", "and", "or", "dry-run", "read-only", "real-time", "e-mail", "built-in", "opt-in",
    "docker-compose", "pre-commit", "github-actions", "node.js", "example.com", "vscode", "npm", "pip", "safari",
    "firefox", "chrome", "chromium", "edge", "excel", "word", "powerpoint", "slack", "teams", "discord", "docker",
    "podman", "ubuntu", "debian", "unix", "japanese", "english", "german", "french", "chinese", "korean", "claude",
    "chatgpt", "and/or", "production", "staging", "docs", "actions", "jenkins", "kubernetes", "cloud", "figma",
    "issue", "pr", "今回", "別途", "段階", "別",
];

/// Whether a name is one of the inside: not in the list of what users see, no file of data.
fn is_internal(name: &str) -> bool {
    const DATA: [&str; 16] = [
        ".yaml", ".yml", ".json", ".toml", ".md", ".txt", ".csv", ".html", ".xml", ".log", ".lock", ".ini", ".env",
        ".com", ".org", ".pdf",
    ];
    let lower = name.to_ascii_lowercase();
    !OUTSIDE.contains(&lower.as_str()) && !DATA.iter().any(|end| lower.ends_with(end)) && name.len() > 1
}

/// A fence with code to be written, unless what stands before it says that it is shown.
fn code(document: &Document, fence: &Fence) -> Option<Hit> {
    let text = &document.source()[fence.content.clone()];
    if is_in(&NO_CODE, &fence.info) {
        return None;
    }
    let before = document.items_within(&(0..fence.range.start)).last();
    if before.is_some_and(|item| is_in(&SHOWN, item.text())) {
        return None;
    }
    let found = DEFINITION.as_ref()?.find(text)?;
    let line = text[found.start()..].trim_start().lines().next()?;
    let start = text.len() - text[found.start()..].trim_start().len();
    let line = clip(line, 200);
    let start = fence.content.start + start;
    Some(Hit { range: Some(start..start + line.len()), note: Some(clip(line, 60).to_owned()) })
}
