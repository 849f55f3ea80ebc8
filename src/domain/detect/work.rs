//! Kinds of work and the words that ask for them, in both languages.

use super::patterns::{Pattern, Searched, is_in, patterns};

/// A kind of work that a contract may keep apart from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A change of structure that nobody sees.
    Refactoring,
    /// Something that users can do and could not before.
    Feature,
    /// A newer version of something that others made.
    Upgrade,
    /// The same in less time or memory.
    Performance,
    /// Stored data gets another shape or place.
    Migration,
    /// Finding out a figure.
    Measuring,
    /// A change of what is measured.
    Changing,
    /// A feature flag comes.
    FlagIn,
    /// A feature flag goes.
    FlagOut,
    /// A fault is mended.
    Fix,
    /// Texts for readers.
    Docs,
}

/// How contracts call the kinds, those first whose names hold another's.
pub(super) static NAMES: [(Kind, &Pattern); 11] = [
    (Kind::Changing, &NAME_CHANGING),
    (Kind::FlagOut, &NAME_FLAG_OUT),
    (Kind::FlagIn, &NAME_FLAG_IN),
    (Kind::Fix, &NAME_FIX),
    (Kind::Docs, &NAME_DOCS),
    (Kind::Refactoring, &NAME_REFACTORING),
    (Kind::Upgrade, &NAME_UPGRADE),
    (Kind::Performance, &NAME_PERFORMANCE),
    (Kind::Migration, &NAME_MIGRATION),
    (Kind::Measuring, &NAME_MEASURING),
    (Kind::Feature, &NAME_FEATURE),
];

/// What asks for a kind of work.
pub(super) fn signs(kind: Kind) -> [Option<&'static Pattern>; 2] {
    match kind {
        Kind::Refactoring => [Some(&REFACTORING_JA), Some(&REFACTORING_EN)],
        Kind::Feature => [Some(&FEATURE_JA), Some(&FEATURE_EN)],
        Kind::Upgrade => [Some(&UPGRADE_JA), Some(&UPGRADE_EN)],
        Kind::Performance => [Some(&PERFORMANCE_JA), Some(&PERFORMANCE_EN)],
        Kind::Migration => [Some(&MIGRATION_JA), Some(&MIGRATION_EN)],
        Kind::Measuring => [Some(&MEASURING_JA), Some(&MEASURING_EN)],
        Kind::Changing => [Some(&CHANGING_JA), Some(&CHANGING_EN)],
        Kind::FlagIn => [Some(&FLAG_IN), None],
        Kind::FlagOut => [Some(&FLAG_OUT), None],
        Kind::Fix => [Some(&FIX), None],
        Kind::Docs => [Some(&DOCS), None],
    }
}

/// A sentence in which the words of all these patterns were looked for.
pub(super) fn near(sentence: &str) -> Searched<'_> {
    NEAR.search(sentence)
}

/// Whether words that seem to ask for a feature are about what comes with any work: tests, texts, inner parts.
pub(super) fn is_aside(words: &str) -> bool {
    is_in(&BUILT_ASIDE_JA, words) || is_in(&BUILT_ASIDE_EN, words)
}

/// Whether a sentence says that all stays as it was.
pub(super) fn is_unchanged(sentence: &str) -> bool {
    is_in(&UNCHANGED, sentence)
}

/// Whether what stands around words of work takes them back or makes them part of something else.
pub(super) fn is_taken_back(before: &str, after: &str) -> bool {
    is_in(&TAKEN_BACK_BEFORE, before) || is_in(&TAKEN_BACK_AFTER, after)
}

patterns! {
    near NEAR;
    NAME_CHANGING = r"(?: 計測 | 測定 ) (?: 対象 | する\s*もの ) の? (?: 変更 | 改善 | 修正 ) | 対象の変更 | chang(?:e|es|ing) (?: \s+ \w+ ){0,2} \s+ measured";
    NAME_FLAG_OUT = r"フラグの? (?: 削除 | 除去 | 撤去 | 廃止 ) | (?: remov\w+ | delet\w+ | retir\w+ ) \s+ (?: \w+ \s+ ){0,2} flags? | flag\ removal | (?: 導入 | 追加 ) と (?: 削除 | 除去 | 撤去 )";
    NAME_FLAG_IN = r"(?: フィーチャー | 機能 )? フラグ (?: の? (?: 導入 | 追加 ) )? | (?: introduc\w+ | add\w* )? \s* (?: a | the )? \s* feature\ flags?";
    NAME_FIX = r"(?: バグ | 不具合 | 障害 ) の? \s* (?: 修正 | 対応 )? | bug\ ?-?fix\w* | fix\w*\ (?:a\ |of\ )?bugs?";
    NAME_DOCS = r"ドキュメント\w* | 文書\w* | documentation | \bdocs\b";
    NAME_REFACTORING = r"リファクタ(?:リング)? | 構造の?(?:変更|整理) | refactor\w* | restructur\w* | clean-?\ ?ups?";
    NAME_UPGRADE = r"(?: ライブラリ | 依存(?:関係)? | パッケージ | フレームワーク | バージョン ) の? \s* (?: 更新 | アップデート | アップグレード | 追加 | 変更 ) | バージョンアップ | (?: librar\w+ | dependenc\w+ | package | framework | version ) \s+ (?: upgrades? | updates? | bumps? ) | (?: upgrad\w+ | updat\w+ | bump\w* ) \s+ (?: \w+ \s+ )? (?: librar\w+ | dependenc\w+ | packages? )";
    NAME_PERFORMANCE = r"性能 (?: の? (?: 改善 | 向上 ) )? | 高速化 | パフォーマンス\w* | 最適化 | performance (?: \s+ (?: work | improvements? | tuning ) )? | optimi[sz]\w+";
    NAME_MIGRATION = r"(?: データ | スキーマ )? の? 移行 | マイグレーション | (?: data | schema )? \s* migrations?";
    NAME_MEASURING = r"計測 | 測定 | ベンチマーク | measur\w+ | benchmark\w* | instrumentation";
    NAME_FEATURE = r"(?: 新 )? 機能 (?: の? (?: 追加 | 開発 | 変更 | 拡張 | 実装 ) )? | 新規開発 | (?: new\ )? features? (?: \s+ (?: work | development ) )? | new\ functionality";

    REFACTORING_JA = r"リファクタ(?:リング)? | 共通化 | (?: コード | 処理 | モジュール | クラス | 構造 | 設計 | 内部 | 責務 | 関数 | ロジック | 実装 | 状態管理 | ファイル構成 ) [^。、]{0,16}? (?: を | の | も | が ) [^。、]{0,8}? (?: 整理し | 整理する | 見直 | 作り直 | 分割 | 切り出 | 書き直 | まとめ直 | 分け[るて] | 分離 | 統一し | 統一する | 一つにまと | 作り替え | 整え | きれいに | 移し替え )
        | 重複 [^。、]{0,10}? (?: 解消 | 無くす | なくす | 無くし | なくし | 排除 | まとめ | まとま | 取り除 ) | 命名 [^。、]{0,6}? (?: 統一 | 見直 | そろえ | 揃え ) | 関数 [^。、]{0,4}? (?: を分割 | に分け | の名前を ) | (?: 読みやすく | 見通しよく ) (?: し | する ) | 動作 (?: は | を ) 変えずに";
    REFACTORING_EN = r"\b refactor(?:s|ed|ing)? \b | \b (?: restructur | reorgani[sz] | deduplicat | modulari[sz] )(?:e|es|ed|ing) \b | \b (?: clean(?:s|ing)? | tid(?:y|ies|ying) ) \s+ (?: up \s+ )? (?: \w+ \s+ ){0,3} (?: code | handling | modules? | logic | functions? | classes | class | structure | internals | state | layer ) \b
        | \b extract(?:s|ing)? \s+ (?: [\w'\-]+ \s+ ){1,5} (?: into | to | from ) \b | \b (?: renam(?:e|es|ing) | split(?:s|ting)? ) \s+ (?: and\ \w+ \s+ )? (?: the \s+ )? (?: \w+ \s+ )? (?: functions? | methods? | modules? | class(?:es)? | files? | variables? ) \b | \b duplicat(?:ed|ion|e) \s+ (?: \w+ \s+ ){0,3} (?: is | are ) \s+ (?: merged | removed | gone ) | \b remov(?:e|es|ing) \s+ (?: the \s+ )? duplicat(?:ion|es|e) \b
        | \b rewrit(?:e|es|ing) \s+ (?: [\w'\-]+ \s+ ){0,4} internals \b | \b simplif(?:y|ies) \s+ (?: the \s+ )? (?: \w+ \s+ )? (?: code | module | class | structure | internals ) \b";

    /// What users get: something added, something they can do, something supported.
    FEATURE_JA = r"[^。、]{1,24}? (?: を | も | が | の ) \s* (?: 新しく | 新たに | 新規に | 一つ )? \s* (?: 追加し | 追加す | 追加さ | 新設 | 導入し | 導入す | 実装し | 実装す | 付け[るて加] | 入れる | 入れて | 増え | 増やす | 増やし | 備え | 用意す | 開発 )
        | [^。、]{1,24}? (?: でき | られ | [えけせてねべめれげ] ) る よう (?: に )? \s* (?: する | し[、てた] | なる | なって | 対応 )
        | [^。、0-9]{1,24}? に (?: も )? \s* 対応 (?: する | し | させ ) | 機能 (?: を | の | も ) \s* (?: 追加 | 開発 | 実装 )";
    /// What is added beside any work.
    BUILT_ASIDE_JA = r"テスト | 試験 | readme | 説明 | ドキュメント | 文書 | 手順 | コメント | 計測 | 測定 | ベンチマーク | ログ出力 | 型注釈 | 型定義 | 注釈 | フィクスチャ | 依存 | 索引 | インデックス | 仕組み | 移行 | マイグレーション | 変更履歴 | 警告 | リファクタ";
    FEATURE_EN = r"\b (?: add(?:s|ed|ing)? | introduc(?:e|es|ing) | implement(?:s|ing)? | build(?:s|ing)? | creat(?:e|es|ing) | provid(?:e|es) | offer(?:s)? | ship(?:s)? ) \s+ (?: [\w'`\-]+ \s* ){1,4} | (?: ^ | [,;:] \s* | \b and \s+ | \b then \s+ | \b also \s+ | - \s* ) (?: support(?:s)? | allow(?:s)? | enable(?:s)? | let(?:s)? ) \s+ (?: [\w'`\-]+ \s* ){1,3}
        | \b (?: users? | customers? | admins? | members? | visitors? | players? | readers? | people | authors? | editors? | operators? ) \s+ can \s+ (?: now \s+ )? \w+ | \b can \s+ (?: now \s+ )? be \s+ (?: filtered | sorted | exported | imported | searched | shared | printed | scheduled | saved | selected | grouped | pinned | hidden | tagged | downloaded | uploaded | undone )
        | \b new \s+ (?: \w+ \s+ )? (?: filters? | button | flag | page | option | setting | command | field | endpoint | tab | screen | column | view | menu | dialog | mode | feature ) \b";
    BUILT_ASIDE_EN = r"\b (?: tests? | unit | docs | documentation | readme | paragraph | comments? | benchmarks? | timing | metrics | instrumentation | logging | types? | assertions? | note | changelog | fixtures? | runbook | index | dependenc\w+ | migration | warning | abstraction | layer | module | class | helper | interface ) \b";
    /// A criterion that nothing changes.
    UNCHANGED = r"\b (?: as\ before | still | unchanged | same\ as | like\ today ) \b | これまで(?:どおり|通り|と同じ) | 従来(?:どおり|通り|と同じ) | 今まで(?:どおり|通り) | 変わらな | 変更前と";

    UPGRADE_JA = r"(?: ライブラリ | 依存(?:関係)? | パッケージ | フレームワーク | SDK | ビルドツール | ランタイム | コンパイラ | ツールチェーン | ミドルウェア ) [^。、]{0,16}? (?: を | が | の ) [^。、]{0,12}? (?: 更新する | 更新し、 | 更新して | 更新したうえ | アップデート | 上げ | 上が | 最新 | アップグレード | バージョンアップ | 入れ替え | 載せ替え )
        | (?-i:[A-Z]) [A-Za-z.+\#\ ]{1,20} \s* を? \s* v?\d[\d.]* \s* (?: 系 )? \s* から \s* v?\d[\d.]* \s* (?: 系 )? \s* (?: へ | に ) [^。、]{0,6}? (?: 上げ | 移行 | 更新 | アップ | 引き上げ ) | バージョン (?: を | が ) [^。、]{0,10}? (?: 上げ | 上が )";
    UPGRADE_EN = r"\b (?: upgrad(?:e|es|ed|ing) | bump(?:s|ed|ing)? | updat(?:e|es|ed|ing) ) \s+ (?: [\w.'\-]+ \s+ ){0,4}? (?: dependenc(?:y|ies) | librar(?:y|ies) | packages? | framework | sdk | toolchain | compiler | runtime | to \s+ (?: version \s+ )? v?\d | from \s+ v?\d )
        | \b (?: mov(?:e|es|ing) | migrat(?:e|es|ing) | switch(?:es|ing)? ) \s+ (?: from \s+ (?:[\w.]+\s+){1,3} )? to \s+ (?-i:[A-Z]) [\w.]* \s+ (?: [\w.]+ \s+ )? v?\d | \b (?: dependency | library | framework | sdk ) \s+ upgrade \b";

    PERFORMANCE_JA = r"高速化 | (?: 性能 | パフォーマンス | 速度 ) [^。、]{0,6}? (?: を | の ) \s* (?: 改善 | 向上 | 上げ | 高め ) | (?: 表示 | 検索 | 処理 | 起動 | 描画 | 応答 | 一覧 | 読み込み | 集計 | ビルド ) [^。、]{0,6}? (?: を | も ) \s* (?: 速く | 早く | 短く | 短縮 | 軽く ) | (?: メモリ | cpu | 使用量 | 消費量? | 待ち時間 | 処理時間 ) [^。、]{0,8}? を \s* (?: 減ら | 削減 | 抑え | 短縮 ) | ボトルネック [^。、]{0,8}? (?: 解消 | 取り除 ) | 最適化 (?: し | する )";
    PERFORMANCE_EN = r"\b speed(?:s|ing)? \s+ (?: \w+ \s+ ){0,3}? up \b | \b speed(?:s|ing)?\ up \b | \b mak(?:e|es|ing) \s+ (?: [\w\-]+ \s+ ){1,4}? (?: faster | quicker | lighter ) \b | \b optimi[sz](?:e|es|ing) \b | \b improv(?:e|es|ing) \s+ (?: \w+ \s+ ){0,4}? (?: performance | speed | latency | throughput ) \b | \b (?: reduc(?:e|es|ing) | cut(?:s)? | lower(?:s)? ) \s+ (?: \w+ \s+ ){0,3}? (?: memory | latency | cpu | allocations | load\ time | start-?up\ time | response\ times? ) \b";

    MIGRATION_JA = r"(?: 既存 | 旧 | 過去 | 古い | これまで | 現行 | 登録済みの? | 保存済みの? | 蓄積済みの? ) の? [^。]{0,24}? (?: データ | 番号 | 値 | 台帳 | 名簿 | 項目 | 写真 | 予約 | 患者 | 顧客 | 商品 | 在庫 | コード | 住所 | 単位 | 口座 | 履歴 | 記録 | 行 | レコード | 件 | 会員 | 利用者 | 伝票 | 明細 | メモ | タグ ) [^。]{0,40}? (?: へ | に | を ) \s* [^。、]{0,12}? (?: 書き換え | 移し替え | 移し換え | 変換し | 変換す | 置き換え | 一括で | 移行し | 移行す | 振り直 | 付け替え | 詰め替え | 引き継 | 流し込 | 取り込み直 | 統合 ) | データ移行 \s* (?: $ | [)。、] ) | (?: 新しい | 新 ) (?: テーブル | 形式 | 書式 | データベース | DB | スキーマ ) (?: へ | に ) \s* (?: 移 | 変換 | 引き継 | 書き換え ) | (?: 既存 | 旧 | 過去 | 古い | これまで | 現行 ) の? [^。、]{0,16}? (?: データ | 行 | レコード | 会員 | 注文 | ファイル | 記録 | 履歴 | 設定 | 形式 | テーブル | 列 | 文書 | 画像 ) [^。、]{0,20}? (?: 移行し | 移行す | 変換し | 変換す | 移す | 移し | 直し | 直す | 埋め | 書き換え | 置き換え | 取り込み直 ) | データ (?: の | を ) [^。、]{0,10}? 移行 (?: し | す | を行 ) | データ移行 (?: し | す | を行 | と ) | バックフィル (?: し | す )";
    MIGRATION_EN = r"\b (?: all | every | each | old | existing | legacy | previous | stored | historical | past | archived | current | saved ) \s+ (?: [\w.,'\-]+ \s+ ){0,6}? (?: is | are | be | get | gets | were ) \s+ (?: \w+ \s+ )? (?: converted | migrated | moved\ (?:to|into) | rewritten | transferred | backfilled | copied\ over | re-?imported | renumbered | transformed | re-?encoded | carried\ over | translated\ (?:to|into) | ported ) \b | \b (?: convert | migrat | transfer | renumber | re-?encod | carr | port )(?:e|es|s|ing|y|ies|ying)? \s+ (?: over \s+ )? (?: all | every | the ) \s+ (?: [\w.,'\-]+ \s+ ){0,5}? (?: from | to | into ) \s+ (?: the\ new | new | [\w\-]+ \s+ to ) \b | \b (?: migrat | convert | backfill | transform | mov | import | rewrit | updat )(?:e|es|ing|s)? \s+ (?: (?: the | all | every | our ) \s+ )* (?: \w+ \s+ )? (?: old | existing | legacy | previous | stored | historical ) \s+ \w+ | \b backfill(?:s|ing)? \b | \b migrat(?:e|es|ing) \s+ (?: (?: the | all | our | user | customer ) \s+ )* (?: data | rows | records | tables? | orders | accounts ) \b";

    MEASURING_JA = r"(?: 計測 | 測定 | ベンチマーク | プロファイル ) (?: し、 | し\s | して | する | を \s* (?: 追加 | 入れ | 行 | 取 | 仕込 ) | の仕組み | できるように ) | 測 (?: り、 | って | る仕組み | る処理 | れるように )";
    MEASURING_EN = r"\b (?: measur(?:e|es|ing) | instrument(?:s|ing)? | benchmark(?:s|ing)? | profil(?:e|es|ing) ) \s+ (?: the | our | how | where | each | every | all | [a-z]+ ) | \b add(?:s|ing)? \s+ (?: timing | metrics | instrumentation | measurements? | timers? ) \b";
    CHANGING_JA = r"[^。、]{1,20}? (?: を | も | は ) [^。、]{0,8}? (?: 変え[るてよた] | 変更する | 変更し、 | 変更して | 見直 | 改善す | 改善し | 直す | 直し | 作り直 | 短くする | 短縮 | 最適化 | 書き換え | 置き換え )";
    CHANGING_EN = r"\b (?: chang(?:e|es|ing) | rework(?:s|ing)? | optimi[sz](?:e|es|ing) | improv(?:e|es|ing) | tun(?:e|es|ing) | replac(?:e|es|ing) | rewrit(?:e|es|ing) | adjust(?:s|ing)? | speed(?:s|ing)?\ up ) \s+ (?: the | our | how | what | it | them | its | those | [a-z]+ ) \b";

    FLAG_IN = r"フラグ [^。、]{0,10}? (?: を導入 | を追加 | を入れ | を設け | で隠 | の裏 | で切り替え ) | \b (?: behind | introduc(?:e|es) | add(?:s)? ) \s+ (?: a \s+ | the \s+ )? (?: new \s+ )? (?: feature \s+ | \w+ \s+ )? flag \b";
    FLAG_OUT = r"フラグ [^。、]{0,10}? (?: を削除 | を外 | を取り除 | を除去 | を撤去 | を消 ) | \b (?: remov(?:e|es) | delet(?:e|es) | drop(?:s)? | retir(?:e|es) ) \s+ (?: the \s+ | its \s+ )? (?: old \s+ )? (?: feature \s+ | \w+ \s+ )? flag \b";
    FIX = r"(?: 不具合 | バグ | 障害 | 誤り | 表示崩れ | クラッシュ ) [^。、]{0,12}? (?: を | も | の ) \s* (?: 修正 | 直す | 直し | 解消 | 解決 ) | \b (?: fix(?:es|ing)? | repair(?:s)? | resolv(?:e|es) ) \s+ (?: [\w'\-]+ \s+ ){0,5}? (?: bugs? | crash(?:es)? | errors? | faults? | leaks? | regressions? | typos? | failures? ) \b";
    DOCS = r"(?: readme | ドキュメント | 文書 | 手順書 | マニュアル | 利用ガイド ) [^。、]{0,12}? (?: 書く | 書き、 | 追加 | 更新 | 整備 | 書き直 | 用意 ) | \b (?: writ(?:e|es|ing) | updat(?:e|es|ing) | extend(?:s)? | add(?:s)? ) \s+ (?: [\w'\-]+ \s+ ){0,5}? (?: docs | documentation | readme | guide | manual | handbook | runbook ) \b";

    /// Before the words: the work is not asked for.
    TAKEN_BACK_BEFORE = r"\b (?: no | not | never | without | avoid | excluding | instead\ of | before | after | since | until | when | if | of\ the | of\ a | whether | rather\ than ) \s+ (?: (?: the | a | an | any | doing | being | we ) \s+ )* (?: \w+ \s+ )? $ | 「 [^」]* $";
    /// After the words: the same, or they qualify something else.
    TAKEN_BACK_AFTER = r"^ [^。、]{0,14}? (?: しない | せず | しません | 行わな | やらな | 含めな | 含まな | 変えない | ない$ | ません | 別の | 別途 | 対象外 | 不要 | 済み ) | ^ \s* (?: る? (?: とき | 際 | 場合 | 前 | 後 | 手順書 | 方針 | 計画 ) | の (?: 手順 | 計画 | 方針 | 前 | 後 | 結果 | 履歴 | 画面 | 一覧 ) | 前の | 後の | たとき | したとき | した場合 | されたとき )
        | ^ [^.;,]{0,40}? \b (?: is | are ) \s+ (?: tracked | handled | done | left | not | out\ of | excluded | planned | a\ separate | another ) \b | ^ [^.;,]{0,24}? \b (?: in\ (?:another|a\ separate|a\ later|the\ next) | separately | elsewhere | guide | runbook | plan | policy ) \b";
}
