//! `field_empty`: a heading is there and nothing stands under it, or words that answer nothing.
//!
//! What is empty for preflight is empty here. Beyond that, a closed list of phrases is taken for no answer where they are
//! all that stands under the heading: "very important", 「自明」 (`docs/detectors/field_empty.md`).

use super::patterns::{Pattern, is_in, patterns};
use super::{Context, Hit, scope};
use crate::domain::contract::DetectorSpec;
use crate::domain::text::{Document, ItemKind, Section, SpanKind, is_blank_item, is_empty_section, sentences};

patterns! {
    /// Anything that a reader could check or look up: a figure, an id, a place.
    CONTENT = r"[0-9] | https?: | [一二三四五六七八九十百千万] \s* [件人回円日時分%] | \b (?: one | two | three | four | five | six | seven | eight | nine | ten | twelve | hundred | thousand ) \b";
    /// Whole sentences that say that the thing matters, and not to whom or how.
    PRAISE_EN = r"^ \W* (?: (?: this | it | the\ (?:work|task|feature|change|project|issue|value|topic) | that | which | and | we\ (?:think|believe)\ (?:this|it) | doing\ (?:this|it) ) \s+ )? (?: (?: is | has | brings | adds | gives | creates | provides | delivers | offers | means | makes | would\ be | will\ be | will\ bring ) \s+ )?
        (?: (?: a | an | of | the | to | us | our | with | and | or | in | for | very | really | extremely | highly | most | so | quite | clearly | obviously | self-evidently | strategically | absolutely | truly | both | all | everyone | everybody | company | business | customers? | users? | team ) [\s,]+ ){0,8}
        (?: important | valuable | useful | helpful | obvious | evident | self-evident | self-explanatory | clear | crucial | critical | vital | essential | necessary | needed | required | significant | strategic | great | good | nice | beneficial | (?:high|huge|big|great|enormous|immense|significant|much|a\ lot\ of|strategic|added|real|clear|business|high\ business|great\ business|long-term) (?:\ business|\ strategic|\ added)? \s+ (?:value|importance|benefits?|impact|priority|interest|gain)s? | value | aligned | top\ priority | a?\ ?must(?:-have)? | nice\ to\ have | worth\ it | worthwhile | benefit )
        (?: [\s,]+ (?: and | or | but | is | are | it | for | to | of | us | our | the | a | very | highly | strategically | all | everyone | everybody | team | company | business | customers? | users? | important | valuable | useful | crucial | critical | essential | strategic | aligned | value | benefit | impact | obvious | clear | needed | indeed | reasons? | everybody's | strategy | goals? | vision ) ){0,8} \W* $";
    /// Whole sentences that refuse an answer.
    REFUSAL_EN = r"^ \W* (?: (?: please\ )? (?: just\ )? (?: ask | see | contact | talk\ to | trust | believe ) \s+ (?: me | us | above | below | the\ (?:team|author|above|title|other\ (?:sections?|fields?)|background|purpose|code|tests?) | everyone | anyone | title )
        | (?: see | as | like ) \ (?: above | below | before | usual | always | discussed | agreed | stated\ above | described\ above | mentioned ) | same\ as\ (?: above | before | usual | always | last\ time ) | (?: you | we | everyone | everybody | anyone ) \ (?: all\ )? (?: know[s]? | understand[s]? | agree[s]? | can\ (?:see|imagine|guess|tell) ) | goes\ without\ saying | no\ (?: explanation | comment | need\ to\ (?:explain|say) | reason\ needed | justification ) | (?: it\ )? (?: speaks | explains ) \ (?: for )? \ ?itself | (?: i\ | we\ )? (?: do\ not | don't ) \ know | no\ idea | unknown | not\ known (?:\ yet)? | not\ (?:yet\ )?(?:decided|estimated|defined|clear) | hard\ to\ say | (?: common\ sense | experience | gut\ feeling | intuition | our\ experience | expert\ judg[e]?ment | our\ knowledge | general\ knowledge ) | (?: we | i ) \ (?: simply\ |just\ )? (?: know | checked | are\ sure | am\ sure | trust ) | it\ (?:just\ )?works | (?: by\ )?definition | obviously ) [^0-9.;:]{0,60} $
        | ^ \W* (?: the\ )? (?: values?\ (?:are|is) | results?\ (?:are|is) | numbers?\ are | they\ are | it\ is | this\ is ) \s+ (?: obviously\ | clearly\ | simply\ | self-evidently\ )? (?: obvious | correct | right | self-evident | trivial | well\ known | known | clear | what\ we\ expect(?:ed)? | as\ expected ) \W* $";
    /// Whole sentences that set no limit.
    UNLIMITED_EN = r"^ \W* (?: (?: as\ (?: much | many | long | often ) | whatever | however\ (?:much|many|long) | until | all | any | enough | the\ usual | flexible | open | open-ended | generous | reasonable | sufficient | modest | small | low | not\ much ) \b [^0-9.;]{0,60} | (?: there\ is\ )? no\ (?: limit | cap | upper\ (?:limit|bound) | budget\ (?:limit|cap|constraints?) | restrictions? | maximum )s? [^0-9.;]{0,30} | (?: it\ is\ )? (?: unlimited | unbounded | uncapped | infinite | without\ (?:a\ )?limit ) [^0-9.;]{0,30} | (?: money | cost[s]? | time | budget | price | effort | quality ) \s+ (?: and\ \w+\ )? (?: is | are | comes | does | do | goes | matters ) [^0-9.;]{0,60} | (?: to\ be | will\ be | we\ (?:will|can|shall) | we'll ) \ (?: agreed | discuss\w* | decide\w* | see | talk | negotiat\w* | ask | clarif\w* ) [^0-9.;]{0,60} | spend \ (?: what | whatever | as ) [^0-9.;]{0,60} | depends? [^0-9.;]{0,60} ) \W* $";
    /// Japanese: the thing matters.
    PRAISE_JA = r"^ \W* (?: これは | 本件は | 本機能は | この(?:作業|機能|変更|対応|課題|issue)は | 事業的に | ビジネス上 | 当社にとって | 会社にとって | 我々にとって | みんなにとって | 誰にとっても | 利用者にとって | 戦略的に | 戦略上 | 言うまでもなく | 当然 | もちろん | 非常に | とても | 大変 | 極めて | きわめて | かなり | 最も | すごく | 大いに | 価値が | 価値は | 効果が | 意義が | 重要度が | 優先度が | 優先度は | ビジネス価値が | 事業価値が | 高い | 大きな | 大きい | の | 、 | , | \s )* (?: 重要 | 大切 | 大事 | 必要 | 必須 | 有益 | 有用 | 有意義 | 便利 | 価値(?:が|は)?(?:ある|高い|大きい|あります)? | 意義(?:が|は)?(?:ある|深い|大きい) | 高い | 大きい | 最優先 | 戦略的 | 助かる | 嬉しい | うれしい | 喜ばれる | 役に立つ | 役立つ | 効果(?:が)?(?:ある|高い|大きい) ) \s* (?: である | です | だ | なこと | と思う | と思います | と考える | と考えます | と考えている | な(?:機能|対応|作業|課題|もの)(?:です|である|だ)? | ため | から | ので )* \W* $";
    /// Japanese: an answer is refused.
    REFUSAL_JA = r"^ \W* (?: 言うまでも(?:ない|なく|ありません) | いうまでも(?:ない|ありません) | 自明 | 明らか | 明白 | 当然 | 当たり前 | 周知 | 察して | お察し | 見れば(?:分|わ)か | 読めば(?:分|わ)か | ご存(?:じ|知) | 知っての(?:通り|とおり) | 説明(?:は|の必要は)?(?:不要|しない|な) | 省略 | 割愛 | 上記 | 上の(?:通り|とおり|項目) | 前述 | 先述 | 同上 | 下記参照 | 後述 | いつも(?:通り|どおり|の) | 従来(?:通り|どおり) | 例年(?:通り|どおり) | 前回と同じ | (?: 私 | 担当者? | 作者 | 本人 | 筆者 | 口頭で? | 直接 ) (?: に | まで )? (?: 聞 | 確認 | 問い合わせ | 説明 | 伝え ) | 信じて | 信頼して | 我々を信 | 私たちを信 | 経験(?:上|則|から|に基づ) | 常識 | 勘 (?: で | に | $ | 。 ) | 直感 | 感覚 (?: で | 的 ) | 分からない | わからない | 不明 | 知らない | 何となく | なんとなく | 皆(?:様|さん)?(?:が)?(?:知|わか|分か) | 誰(?:で|が見て)も(?:知|わか|分か|明らか) | 問題な | 間違いな | 正しいはず | 期待(?:通り|どおり) ) [^0-9。]{0,30} $";
    /// Japanese: no limit is set.
    UNLIMITED_JA = r"^ \W* (?: 予算は | 費用は | コストは | 上限は | 金額は | 工数は | 時間は | 反復は | 回数は | 子は | 特に | 今回は | とくに | 、 )* \s* (?: 必要な(?:だけ|分だけ|分を|分|範囲で|額を|限り) | 必要に応じ | 要るだけ | いるだけ | 欲しいだけ | 好きなだけ | 使えるだけ | できる限り | 出来る限り | 可能な限り | いくらでも | 幾らでも | 無制限 | 青天井 | 上限(?:は|も)?(?:な|無|設け|定め|決め) | 制限(?:は|も)?(?:な|無|設け) | 気にし | 惜しま | 問わな | 問いませ | 糸目 | お任せ | おまかせ | 任せ | 適宜 | 適切に | 適当に | 常識の範囲 | 常識的な | 妥当な | それなり | ほどほど | 少し | 少なめ | なるべく | できるだけ | 終わるまで | 完成するまで | できるまで | 出来るまで | 満足するまで | 納得(?:する|いく)まで | 足りなければ | 不足すれば | 足りない(?:場合|とき) | 超え(?:たら|る場合|そうなら) | 追って | 別途 | 都度 | そのつど | その都度 | 相談 | 応相談 | 要相談 | 柔軟に | 状況(?:に|次第|を見) | 様子を見 | 金に | お金 | 品質(?:が|を)(?:最)?優先 | 後で(?:決め|相談|考え) | あとで(?:決め|相談|考え) | これから(?:決め|相談|考え) ) [^0-9。]{0,40} $";
    /// Words to whoever judges.
    TO_JUDGE = r"^ \W* (?: note\ to\ |dear\ |hey\ |attention\ )? (?: the\ )? (?: judges? | graders? | reviewers? | auditors? | evaluators? | assistant | ai | model | bot ) \s* (?: : | , | - | must | may | should | can | shall | please ) | ^ \W* (?: this\ (?:field|section)\ (?:is|counts|has) | count\ this | treat\ this | please\ (?:pass|count|accept|treat) ) | ^ \W* (?: 判定者 | 審査者 | 審査員 | 判定 | 審査 | レビュア | レビュー担当 | AI | ジャッジ ) [^。]{0,4} (?: : | は | へ | 、 | に ) | この(?:欄|節|項目)は(?:埋ま|記入済|書かれて|満た)";
    /// Fields about what may be spent.
    SPENT = r"予算 | 上限 | コスト | 費用 | budget | \b cap \b | \b cost";
}

/// Runs the detector: one hit for each asked heading whose every section is empty or hollow.
pub(super) fn detect(spec: &DetectorSpec, document: &Document, context: &Context) -> Vec<Hit> {
    let mut hits = Vec::new();
    for name in scope::asked(spec, context) {
        let mut sections = document.sections_named(scope::names(name, context)).peekable();
        let first = sections.peek().map(|section| section.title_range.clone());
        if first.is_some()
            && sections.all(|section| is_empty_section(document, section) || is_hollow(document, section, name))
        {
            hits.push(Hit { range: first, note: Some(name.to_owned()) });
        }
    }
    hits
}

/// Longest text that is looked at, in bytes: who writes more than that has said something.
const LONGEST: usize = 600;

/// Whether all that stands under a heading is phrases that answer nothing.
fn is_hollow(document: &Document, section: &Section, name: &str) -> bool {
    let range = &section.range;
    if range.len() > LONGEST
        || document.has_image_within(range)
        || !document.fences_within(range).is_empty()
        || !document.links_within(range).is_empty()
    {
        return false;
    }
    let phrases = phrases(name);
    let mut said = false;
    let hollow = document.items_within(range).iter().filter(|item| !is_blank_item(document, item)).all(|item| {
        said |= item.kind != ItemKind::Heading;
        let plain = !item.quoted && item.spans.iter().all(|span| span.kind != SpanKind::Code);
        plain && sentences(item).iter().all(|sentence| answers_nothing(&item.text()[sentence.clone()], phrases))
    });
    hollow && said
}

/// The phrases that answer nothing under a heading.
fn phrases(name: &str) -> &'static [&'static Pattern] {
    static SPENT_PHRASES: [&Pattern; 4] = [&UNLIMITED_EN, &UNLIMITED_JA, &REFUSAL_EN, &REFUSAL_JA];
    static OTHER_PHRASES: [&Pattern; 4] = [&PRAISE_EN, &PRAISE_JA, &REFUSAL_EN, &REFUSAL_JA];
    if is_in(&SPENT, name) { &SPENT_PHRASES } else { &OTHER_PHRASES }
}

fn answers_nothing(sentence: &str, phrases: &[&'static Pattern]) -> bool {
    let sentence = sentence.trim().trim_end_matches(['.', '。', '!', '?']);
    sentence.is_empty()
        || is_in(&TO_JUDGE, sentence)
        // Parts between commas each for itself: "Trust us, we know what is right".
        || !is_in(&CONTENT, sentence)
            && (phrases.iter().any(|phrase| is_in(phrase, sentence)))
}
