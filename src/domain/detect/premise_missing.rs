//! `premise_missing`: something from outside is needed, and no premise says where it comes from.
//!
//! Only what a repository cannot bring itself is looked for: production data, other people's services and devices,
//! environments, rights, people. Whatever says where it comes from, anywhere in the text, mends it
//! (`docs/detectors/premise_missing.md`).

use super::patterns::{Pattern, patterns};
use super::{Context, Hit, asked, scope};
use crate::domain::contract::DetectorSpec;
use crate::domain::text::{Document, Item, SpanKind, sentences};

patterns! {
    near NEAR;
    /// Production and environments.
    PLACE_JA = r"本番 (?: 環境 )? の? [^。、]{0,14}? (?: データ | ログ | DB | データベース | アカウント | 注文 | 利用者 | 会員 | 記録 | 履歴 | トラフィック | 環境 | クラスタ | サーバー? ) (?: ベース )? [^。、]{0,6}? (?: を \s* (?: 使 | 用い | 取得 | 読 | 集計 | 分析 | 流 | 写 | 複製 | 取り込 ) | で \s* [^。、]{0,16}? (?: 確 | 試 | 測 | 計測 | 動か | 検証 | 実行 | 再現 ) | に (?: 対し | 配置 | デプロイ | 反映 | 接続 ) | へ | から | と (?: 比 | 突き ) )
        | 本番 (?: と同じ | と同等 | 相当 | 同様 ) の? [^。、]{0,16}? (?: データ | 規模 | 構成 | 環境 | 負荷 ) [^。、]{0,12}? で";
    /// An environment that somebody must provide.
    ENVIRONMENT = r"(?: ステージング | 検証 | 評価 | 負荷試験 | 試験 | 結合テスト | 本番 | 実 ) 環境 (?: の [^。、]{1,20}? )? (?: で、? | に | 上で、? | へ ) [^。、]{0,24}? (?: 動か | 確か | 確認 | 試[すし験] | 流[しす] | 実行 | 配置 | デプロイ | 検証 | 走らせ | 運用 | 再現 )
        | \b (?: in | on | to | against ) \s+ (?: the | our | a | an ) \s+ (?: staging | pre-production | integration | qa | acceptance | load-test(?:ing)? | uat ) (?: \s+ (?: environment | system | servers? | cluster | site ) )? \b | \b on \s+ (?: the | our | a ) \s+ (?: test | staging | shared ) \s+ (?: \w+ \s+ )? (?: cluster | server | lab | bench ) \b";
    /// Where something is measured is a condition of the measurement, not a wish for the place.
    MEASURED = r"測 | \b measur | \b benchmark | \b timed \b";
    /// Devices and people.
    THING_JA = r"(?: GPU | TPU | FPGA | 実機 | 専用機 | 開発ボード | 評価ボード | オシロスコープ | スーパーコンピュータ ) (?: サーバー? )? (?: \s* \d+ \s* [台枚] )? (?: の [^。、]{1,14}? )? \s* (?: を \s* (?: 使 | 用い ) | で | 上で | に | \d+ \s* 機種で ) [^。、]{0,24}? (?: 学習 | 測 | 動か | 動作 | 確か | 確認 | 推論 | 試 | 計測 | 実行 | 検証 | 連続 | 書き込 | 訓練 | つな | 接続 )
        | (?: プリンター? | センサー? | カメラ | 端末 | 基板 | ロボット | スキャナー? | 計測器 ) (?: に | で | を ) [^。、]{0,8}? (?: 実際に | 実物 | 連続 ) | 実機 (?: で | の [^。、]{1,14} で | \s* \d+ )
        | (?: 利用者 | ユーザー | 顧客 | 被験者 | モニター | 社員 | 参加者 | 患者 | 専門家 | 評価者 ) \s* \d+ \s* [人名] \s* (?: に | が | から | で ) [^。、]{0,16}? (?: 使って | 試し | 触って | 答え | 回答 | 協力 | 評価 | 参加 | 採点 )";
    /// Data that others hold.
    DATA_JA = r"(?: 過去 | 直近 | 昨年 | 前年 ) [^。、]{0,8}? (?: 年 | か月 | ヶ月 | カ月 | 週間 | 日 | 件 | 度 )? 分? の? [^。、]{0,14}? (?: データ | 履歴 | ログ | 記録 | 実績 ) \s* (?: を \s* (?: 使 | 用い | 元に | もとに | 学習 | 分析 ) | から | で )
        | (?: 顧客 | 取引先 | 利用者 | 患者 | 先方 | 提携先 | 会員 ) (?: から | の ) [^。、]{0,10}? (?: 受け取った | 提供された | 預かった | 集めた | 収集した | 実際の ) [^。、]{0,12}? (?: データ | 録音 | 画像 | ログ | ファイル | 文書 | 音声 | 動画 )
        | (?: データセット | 学習データ | 教師データ | 訓練データ | 正解データ | コーパス ) \s* (?: で | を \s* (?: 使 | 用い ) | から ) [^。、]{0,12}? (?: 学習 | 訓練 | 測 | 評価 | 作[るり] | 比 )
        | 社内 の? [^。、]{0,12}? (?: データベース | DB | サーバー? | システム | LDAP | 基盤 | ネットワーク | API | 名簿 | 台帳 | wiki ) [^。、]{0,10}? (?: に接続 | と突き | から | を使 | を用い | と連携 | に問い | を参照 | と照合 )";
    /// Services, accounts and rights.
    SERVICE_JA = r"外部の? [^。、]{0,14}? (?: API | サービス | システム | ベンダー? | 業者 ) [^。、]{0,8}? (?: から [^。、]{0,12}? (?: 取得 | 受け取 | 読 | 取り込 ) | を (?: 呼 | 使 | 利用 ) | に (?: 接続 | 送 | 問い合わせ | 依頼 ) | と連携 | へ送 )
        | [^。、\s]{1,12}? (?: 会社 | 社 | 庁 | 省 | 銀行 | 協会 | 取引先 | 先方 | 自治体 | 提携先 | 代理店 ) の [^。、]{0,10}? (?: API | サービス | システム | サーバー? | データベース | データ | 台帳 ) \s* (?: を | に | から | と )
        | (?: 商用 | 有償 | 市販 | 他社 ) の? [^。、]{0,12}? (?: サービス | 製品 | ソフト | API | エンジン | モデル ) \s* (?: と比 | を使 | を用い | で )
        | \b (?: Stripe | PayPal | Square | PayPay | Twilio | SendGrid | Mailgun | Salesforce | HubSpot | Zendesk | Shopify | kintone | freee | Google\ (?:Maps|Calendar|Drive|Sheets|Analytics|Cloud) | Gmail | Google\ カレンダー | Outlook | Notion | Jira | OpenAI | Azure | AWS | GCP | Firebase | Okta | Auth0 | Twitter | LinkedIn | YouTube | Spotify | Apple\ Pay | Google\ Pay | LINE | App\ Store | Google\ Play | Steam | Kafka\ クラスタ | Snowflake | BigQuery ) (?: \s* (?: の | \s ) \s* (?: API | 本番 | アカウント )? [^。、]{0,8}? )? \s* (?: で | に | へ | から | と | を ) [^。、]{0,16}? (?: 決済 | 支払 | 連携 | 送[るりっ] | 送信 | 取得 | 取り込 | 公開 | 接続 | ログイン | 認証 | 配信 | 同期 | 投稿 | 登録 | 読み | 呼[びぶ] | 配置 | デプロイ | 審査 | 通知 | 移行 )
        | (?: 管理者 | root | 特権 | オーナー | 書き込み | 閲覧 | 組織の ) 権限 \s* (?: で | を \s* (?: 使 | 用い ) | が (?: 必要 | 要 ) ) | (?: API\s*キー | 認証情報 | 証明書 | アクセストークン | 秘密鍵 | ライセンス(?:キー)? | サービスアカウント | アカウント ) \s* (?: を \s* (?: 使って | 使い | 用いて | 用い ) | が \s* (?: 必要 | 要る ) ) | LDAP \s* サーバー? に \s* 接続";

    /// Japanese: what belongs to an authority or an owner, and places where a permission is needed.
    OWNER_JA = r"(?: 県 | 市 | 町 | 村 | 区 | 国 | 都 | 府 | 役所 | 役場 | 市役所 | 県庁 | 警察 | 消防 | 病院 | 大学 | 電力会社 | ガス会社 | 水道局 | 鉄道会社 | 鉄道 | バス会社 | 銀行 | 保険会社 | 組合 | 気象庁 | 国土交通省 | メーカー | 卸 | 仕入れ先 | 取引先 | 委託先 | 運送会社 | 配送業者 | カード会社 | 決済会社 | 通信会社 | 公社 | 機構 | 連盟 | 放送局 | 新聞社 | 出版社 ) の [^。、]{0,16}? (?: API | システム | サーバー? | データベース | 台帳 | 名簿 | 登録簿 | 実測値 | 観測値 | メーター | センサー | カメラ | 基盤 | 端末 | 回線 | ネットワーク | フィード | データ ) [^。、]{0,14}? (?: を | に | から | と | へ ) \s* [^。、]{0,14}? (?: 読み込 | 読み取 | 取得 | 受け取 | 取り込 | つな | 接続 | 連携 | 照合 | 送[るりっ信] | 問い合わせ | 突き合わせ | 参照 | 使 )
        | (?: 私有地 | 民有地 | 公道 | 他人の土地 | 借地 | 国有林 | 河川敷 | 文化財 | 病室 | 空港 | 踏切 | 線路 ) [^。]{0,12}? (?: に | で | の | 上空 ) [^。]{0,12}? (?: 置[いくき] | 設置 | 取り付け | 立て | 撮影 | 飛ば | 測 | 計 | 走ら | 立ち入 ) | (?: 昨年 | 前年 | 過去 | 直近 ) [^。、]{0,16}? (?: 実測値 | 観測値 | 実績値 | 測定値 ) \s* (?: で | を | と | から )";
    /// English: the same.
    OWNER_EN = r"\b (?: the | our | each | every | a ) \s+ (?: (?: local | national | state | federal | regional ) \s+ )? (?: utility | ministry | bank | county | city | council | municipality | vendor | supplier | insurer | insurance | broadcaster | carrier | railway | operator | government | state | police | hospital | university | landlord | manufacturer | partner | wholesaler | publisher | airline | airport | harbou?r | port\ authority | tax\ office | weather\ service | water\ board | water\ works | grid\ operator | phone\ company | credit\ card\ company | card\ issuer | registrar | chamber | federation | agency | authority | registry | register | provider | exchange | court | embassy | customs | pharmacy | laboratory | clinic | courier | payment\ provider ) 's \s+ (?: [\w\-]+ \s+ ){0,3}? (?: register | registry | api | interface | systems? | data | database | meters? | sensors? | feed | servers? | cluster | service | gateway | archive | network | portal | sandbox | terminals? | cameras? | mainframe | readings | registers | test\ system | endpoint | records | stream ) \b
        | \b (?: on | at | from | with | across | inside ) \s+ (?: \w+ \s+ )? (?: private | public | protected | foreign ) \s+ (?: land | property | roads? | grounds? | gardens? ) \b | \b (?: of | from | for | on | with | against ) \s+ (?: the \s+ )? (?: [\w\-]+ \s+ ){0,3}? (?: transactions | orders | records | logs | readings | calls | tickets | loans | invoices | e-?mails | messages | bookings | claims | measurements | recordings | deliveries | sales | cases | complaints | requests | accidents | admissions | prescriptions ) \s+ (?: of | from | over ) \s+ the \s+ (?: last | past | previous ) \s+ (?: \w+ \s+ )? (?: years? | months? | seasons? | quarters? ) \b [^.]{0,30}? (?: [0-9]+ (?:\.\d+)? \s* % | percent | recogni[sz]ed | found | predicted | detected | flagged | matched | classified | caught ) | \b (?: licensed | leased | rented ) \s+ (?: [\w\-]+ \s+ )? (?: cluster | service | data | software | database | map | maps ) \b";

    /// English: production and environments.
    PLACE_EN = r"\b (?: against | on | with | from | in | to | using | into | use | analy[sz]e | read | replay | copy | query ) \s+ (?: (?: the | our | a | real | live | full | all | current ) \s+ ){0,3} (?: production | prod | live ) \s+ (?: \w+ \s+ )? (?: data | database | orders | logs? | traffic | users | customers | records | accounts? | cluster | environment | system | servers? | tickets | events | dump ) \b
        | \b (?: production-sized | production\ size | production-like | size\ of\ production ) \b | \b of\ production\ (?: size | scale ) \b";
    /// English: devices and people.
    THING_EN = r"\b (?: on | with | using | via ) \s+ (?: (?: a | an | the | our | one | two | three | four | five | six | real | physical | actual | \d+ ) \s+ ){1,3} (?: \w+ \s+ )? (?: gpus? | tpus? | fpga | iphones? | ipads? | android\ (?:phones?|devices?) | phones? | devices? | hardware | dev(?:elopment)?\ boards? | oscilloscope | printers? | robots? | cameras? | sensors? | scanners? | thermometers? ) \b
        | \b (?: real | physical | actual ) \s+ (?: \w+ \s+ )? (?: device | devices | hardware | sensor | sensors | printer | printers | board | phones? ) \b | \b on \s+ (?: the | a ) \s+ \w+ \s+ (?: printer | robot | oscilloscope ) \b
        | \b (?: two | three | four | seven | nine | ten | five | six | eight | twelve | twenty | \d+ | several | real ) \s+ (?: test\ )? (?: users | people | customers | participants | testers | employees | experts | raters | clinicians | volunteers ) \s+ (?: try | test | use | rate | answer | complete | label | score | to\ (?:try|test|use|rate) ) \b";
    /// English: data that others hold.
    DATA_EN = r"\b (?: from | on | with | using | over | against ) \s+ (?: (?: the | our | all | past | a ) \s+ )* (?: [\w\-]+ \s+ ){0,3}? (?: of | from ) \s+ the \s+ (?: last | past ) \s+ (?: \w+ \s+ )? (?: years? | months? | weeks? | days | quarters? ) \b
        | \b (?: recordings | images | files | documents | logs | samples | scans | data | transcripts ) \s+ (?: (?: that\ we\ )? (?: received | collected | obtained ) | provided ) \s+ (?: from | by ) \s+ (?: our \s+ | the \s+ )? (?: customers | users | patients | partners | clients ) \b
        | \b (?: train | retrain | fine-tune | tune | evaluate | test | pretrain ) (?: ed | s | ing )? \s+ (?: [\w\-]+ \s+ ){0,4}? (?: on | with | using ) \s+ (?: (?: a | an | the | our | large | public | labelled | labeled ) \s+ )* (?: [\w\-]+ \s+ )? (?: dataset | data\ set | corpus | training\ data ) \b
        | \b (?: us(?:e|es|ing) | from | against | on | with ) \s+ last\ (?: year | month | quarter | week | season )'s \s+ (?: sales | data | figures | orders | traffic | numbers | logs | results | records ) \b
        | \b (?: company(?:'s)? | corporate | internal | in-house ) \s+ (?: [\w\-]+ \s+ )? (?: database | ldap | directory | server | system | network | api | wiki | warehouse ) \b";
    /// English: services, accounts and rights.
    SERVICE_EN = r"\b (?: an? | the | some ) \s+ (?: external | third-party | commercial | paid ) \s+ (?: [\w\-]+ \s+ ){0,2}? (?: api | service | provider | vendor | product | engine | system ) \b
        | \b (?: call | query | poll | fetch | read | use | import | ingest | load | pull | download | connect\ to ) (?: s | es | ing )? \s+ (?: [\w\-]+ \s+ ){0,4}? (?: api | service | feed ) \s+ (?: of | from | by ) \s+ (?: the | a | our ) \s+ (?: [\w\-]+ \s+ )? (?: company | bank | vendor | supplier | agency | provider | office | carrier | partner | exchange | ministry )
        | \b (?: with | to | from | via | through | in | into | using | on ) \s+ (?: the \s+ )? (?: production \s+ )? (?: Stripe | PayPal | Square | Twilio | SendGrid | Mailgun | Salesforce | HubSpot | Zendesk | Shopify | Google\ (?:Maps|Calendar|Drive|Sheets|Analytics|Cloud|Pay) | Gmail | Outlook | Notion | Jira | OpenAI | Azure | AWS | GCP | Firebase | Okta | Auth0 | Twitter | LinkedIn | YouTube | Spotify | Apple\ Pay | App\ Store | Google\ Play | Play\ Store | Steam | Snowflake | BigQuery ) \b
        | \b (?: with | needs? | requires? | using ) \s+ (?: \w+ \s+ )? (?: admin(?:istrator)? | root | owner | write | elevated | superuser | sudo ) \s+ (?: rights | permissions? | privileges | access ) \b | \b (?: with | using | need[s]? | requires? ) \s+ (?: (?: a | an | the | our ) \s+ )? (?: [\w\-]+ \s+ ){0,2}? (?: api\ keys? | certificates? | service\ account | licen[cs]e\ key | access\ token | credentials ) \b";

    /// Somebody says where it comes from.
    GIVEN_JA = r"前提 | 必要なもの | (?: 用意 | 準備 | 登録 | 付与 | 取得 | 発行 | 設定 | 契約 | 確保 | 予約 | 配布 | 申請 | 許可 | 承認 | 公開 | 整備 | 構築 | 配備 | 共有 ) \s* (?: 済 | ずみ | して(?:ある|いる|おり|あり) | されて(?:いる|おり|あり) | された ) | 置いて(?:ある|あり|い) | 置いた | 置かれ | 置き場所 | 保管 | 借り | 貸与 | 支給 | 提供(?:され|を受け|する) | 渡され | 渡す | 受け取れる | にある(?:もの|[。、)）]) | にあり | 手元にある | (?: 権限 | 許可 | アカウント | 鍵 | キー ) [^。、]{0,8}? (?: を(?:持|得|もら|付与|渡) | がある | はある ) | 利用でき(?:る状態|ること)";
    GIVEN_EN = r"\b premises? \b | \b prerequisites? \b | \b (?: is | are ) \s+ (?: already \s+ )? (?: available | granted | provided | reserved | ready | prepared | registered | stored | kept | set\ up | issued | approved | installed | deployed | provisioned | shared | attached | borrowed | booked | supplied | in\ (?:the\ |our\ )?(?:secret|vault|safe|repo|bucket|shelf|lab|drive|readme|wiki|store) | at\ s3 | in\ `?s3 ) \b | \b (?: available | provided | supplied | granted | stored | located | kept ) \s+ (?: at | in | by | from | under | as ) \b | \b (?: access | permission | rights ) \s+ (?: is | are | was | has | have ) \b | \b (?: has | have | holds? | with ) \s+ (?: read\ |write\ )? access \b | \b we \s+ (?: already\ )? have \b | \b already \s+ (?: there | in\ place | exists? | have | has ) \b | \b can\ be\ found \b | \b borrowed \b | \b lives\ (?:in|at) \b";
    /// Who has set a thing up on the ground of others has not said that it was allowed.
    LAND_JA = r"私有地 | 民有地 | 公道 | 河川敷 | 国有林";
    /// Something made stands for what is outside.
    MADE = r"モック | スタブ | ダミー | 合成 | 生成した | フィクスチャ | サンプル | 擬似 | 疑似 | 模擬 | エミュレータ | シミュレータ | ローカル | リポジトリ (?: 内 | の | に ) | 同梱 | 手元 | 記録した応答 | 録画した応答 | サンドボックス | 公開されている
        | \b (?: mocks? | mocked | stubs? | stubbed | fakes? | fixtures? | synthetic | generated | sample | emulators? | simulators? | simulated | local | locally | repository | docker | localhost | bundled | recorded | sandbox | checked\ in ) \b";
    /// The work is not to need it, or the words are about something else.
    NOT_NEEDED = r"(?: 使わ | 用い | 接続し | 触ら | 触れ | 持ち出さ | 必要とし | 依存し | 呼ば | 送ら | 読ま ) (?: な | ず ) | 不要 | (?: が | の ) \s* (?: 無 | な ) い \s* (?: とき | 場合 | 環境 | と ) | 停止し | 落ちて | 手順書 | 設定例 | ガイド | 説明を | の案内
        | \b (?: no | without ) \s+ (?: (?: any | the | a | an | real ) \s+ )* (?: production | external | third-party | live | credentials? | access | gpu | device | devices | network | keys? | admin ) \b | \b (?: not | never | nothing | nobody | n't ) \s+ (?: \w+ \s+ ){0,2}? (?: connect(?:s|ed)? | us(?:e|es|ed) | needs? | needed | touch(?:es|ed)? | sen(?:d|ds|t) | call(?:s|ed)? | access(?:es|ed)? | require[sd]? ) \b | \b (?: example | guide | docs | documentation | readme | runbook ) \b | \b the\ office(?:'s)?\ (?: printer | scanner | camera | label\ printer ) \b | \b (?: is\ down | unavailable | unreachable | fails ) \b";
}

/// What is needed, in both languages.
#[rustfmt::skip]
const NEEDS: [&Pattern; 10] = [
    &PLACE_JA, &THING_JA, &DATA_JA, &SERVICE_JA, &OWNER_JA, &PLACE_EN, &THING_EN, &DATA_EN, &SERVICE_EN, &OWNER_EN,
];

/// Runs the detector: a hit for each sentence that needs something from outside, none where the text holds a premise.
pub(super) fn detect(_spec: &DetectorSpec, document: &Document, _context: &Context) -> Vec<Hit> {
    let items = asked::items(document);
    let mut hits = Vec::new();
    for item in &items {
        if !document.links_within(&item.range).is_empty() || names_a_file(item) {
            continue;
        }
        let text = scope::blanked(item, &[SpanKind::Quotation, SpanKind::Url, SpanKind::Alt]);
        for sentence in sentences(item).iter().cloned() {
            let words = &text[sentence.clone()];
            let near = NEAR.search(words);
            let environment = near.find(&ENVIRONMENT).filter(|_| !near.holds(&MEASURED));
            let needs = NEEDS.iter().filter_map(|need| near.find(need));
            let found = needs.chain(environment).min_by_key(regex::Match::start);
            let waived = || near.holds(&NOT_NEEDED) || near.holds(&MADE) || asked::is_restated(words);
            if let Some(found) = found.filter(|_| !waived()) {
                let word = sentence.start + found.start()..sentence.start + found.end();
                let note = item.text()[word.clone()].trim().to_owned();
                hits.push(scope::hit(document, item, &sentence, &word, note));
            }
        }
    }
    if !hits.is_empty() && (asked::has_given(document) || items.iter().any(|item| is_given(item))) {
        return Vec::new();
    }
    hits
}

/// Whether an item says where something comes from, and does not only repeat that this must be said.
fn is_given(item: &Item) -> bool {
    let text = scope::blanked(item, &[SpanKind::Quotation]);
    sentences(item).iter().any(|sentence| {
        let words = &text[sentence.clone()];
        let near = NEAR.search(words);
        (near.holds(&GIVEN_JA) && !near.holds(&LAND_JA) || near.holds(&GIVEN_EN)) && !asked::is_restated(words)
    })
}

/// Whether an item names a file or a bucket in code: that is where it comes from.
fn names_a_file(item: &Item) -> bool {
    let code = item.spans.iter().filter(|span| span.kind == SpanKind::Code);
    code.map(|span| &item.text()[span.range.clone()]).any(|code| {
        let named = code.contains("://") || code.contains('/') && code.contains('.');
        named && !code.contains(' ')
    })
}
