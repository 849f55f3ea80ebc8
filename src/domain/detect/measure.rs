//! Whether a text says how a thing is measured: numbers with units or bounds, exit codes, exact words, baselines.
//!
//! Digits alone are no measure: ids, dates and versions hold digits too.

use super::patterns::{Searched, patterns};

/// A number that is no part of an id, a path or a version; a range counts as one.
const NUMBER: &str = r"(?: ^ | [^a-z0-9_.\-/\#月年] ) \d[\d,]* (?: \.\d+ )? (?: \s*[-–〜~]\s* \d[\d,]* (?: \.\d+ )? )?";

patterns! {
    near NEAR;
    PHYSICAL = format!(r"{NUMBER} \s* (?: ms\b | [µμ]s\b | ns\b | msec | milli-?seconds? | secs?\b | seconds?\b | s\b | mins?\b | minutes?\b
        | hours?\b | h\b | days?\b | weeks?\b | months?\b | % | percent | [kmgt]i?b\b | bytes?\b | px\b | dpi\b | fps\b | [kmg]?hz\b
        | [rqt]ps\b | req(?:uests)?\s*/ | requests?\ per | per\ (?:second|minute|hour) | ミリ秒 | マイクロ秒 | 秒 | 分 | 時間 | 日 | 週間 | [かヶカ]月
        | バイト | 倍 | 割 | 件\s*/ | 回\s*/ | [a-z]*\s*/\s*(?:秒|分|s\b|sec|min) | メガ | ギガ | キロ )");
    BOUND = format!(r"{NUMBER} [^。]{{0,8}}? (?: 以内 | 以上 | 以下 | 未満 | を超え | 超\b | まで | より[多少大小速遅] | or\ (?:more|less|fewer) )
        | (?: <= | >= | < | > | ≤ | ≥ | == | = | ± ) \s* \d
        | \b (?: at\ most | at\ least | no\ more\ than | no\ less\ than | not\ more\ than | no\ fewer\ than | fewer\ than | less\ than | more\ than
            | greater\ than | under | below | above | over | within | up\ to | exactly | maximum\ of | minimum\ of ) \s+ (?: \w+\s+ )? (?: \d | (?:one|two|three|four|five|ten)\b )
        | \b (?: \d+ | one | two | three | four | five | ten ) \s+ (?: \w+\s+ ){{1,2}} (?: at\ most | at\ least | or\ (?:more|less|fewer) ) \b
        | \b p(?: 50 | 75 | 9\d )\b | \b (?:once|twice)\b");
    EXIT = r"(?: 終了コード | 戻り値 | ステータス(?:コード)? | exit(?:s)?(?:\ with)?(?:\ code|\ status)? | status(?:\ code)? | http ) \s* (?: が | は | を | of | is | = | : )? \s* \d{1,3}\b
        | (?: returns? | respond[s]?\ with | answers? ) \s+ \d{3}\b | \d{3} \s* を(?:返|応答) | exits?\ (?:non-?zero|zero)";
    COUNT = format!(r"{NUMBER} \s* (?: 件 | 個 | 回 | 行 | 列 | 文字 | 桁 | 人 | 名 | ページ | 項目 | つ | 枚 | 本 | 種類 | [か箇カ]所 | クリック | ステップ ) [^。]{{0,12}}?
            (?: 表示 | 出 | 増 | 減 | 残 | 返 | 登録 | 生成 | 作成 | 記録 | 含 | 一致 | ある | あり | にな | 成功 | 失敗 | 続け | 連続 | のみ | だけ | で完了 | で終 | で済 )
        | {NUMBER} \s+ (?: rows? | lines? | items? | entries | results? | records? | requests? | retries | attempts? | clicks? | steps? | characters? | times
            | columns? | errors? | warnings? | taps? | keystrokes? )\b");
    EXACT = r"」 \s* (?: と | が | を | という ) [^。]{0,10}? (?: 表示 | 出 | 返 | 記録 | 書 | 載 | なる | なっ )
        | \b (?: shows? | displays? | prints? | returns? | reads? | says | outputs? | contains? ) \s+ (?:the\ (?:text|message|words?)\s+)? [\x22“]";
    BASELINE = r"(?: 変更前 | 現行 | 現在の | 既存 | 基準値? | ベースライン | 前の版 | 旧版 | 期待値 | スナップショット | 仕様書? ) [^。]{0,24}? (?: と同じ | と一致 | と等し | と変わら | 通り | どおり | より | を下回 | を上回 | 以内 | 比で )
        | \b (?: same\ as | identical\ to | equal(?:s)?\ to | byte[\ -]for[\ -]byte | compared\ (?:with|to) | unchanged\ from
            | no\ (?:slower|worse|larger|more|higher|less)\ than | than\ (?:the\ )?(?:current|previous|baseline|existing|before|today|main|last) )\b";
    STANDARD = r"\b (?: WCAG | ISO | JIS | RFC | OWASP | ASVS | Lighthouse | SemVer | POSIX | NIST | IEEE ) \b [\s:\-]* [0-9a-z]*";
    /// Any number that is no id, version or date.
    ANY_NUMBER = format!(r"{NUMBER} (?: $ | [^\d\-/.] | [.](?:\s|$) )");
}

/// Whether a text holds a measure of any kind.
pub(super) fn has_measure(text: &str) -> bool {
    is_measured(NEAR.search(text))
}

/// Whether a text holds a measure of time, size or rate.
pub(super) fn has_physical(text: &str) -> bool {
    NEAR.search(text).holds(&PHYSICAL)
}

/// Whether a text holds a number, a unit or a comparison: less than a measure, enough to be no mere wish.
pub(super) fn has_number_or_comparison(text: &str) -> bool {
    let near = NEAR.search(text);
    is_measured(near) || near.holds(&ANY_NUMBER)
}

fn is_measured(near: Searched<'_>) -> bool {
    [&PHYSICAL, &BOUND, &EXIT, &COUNT, &EXACT, &BASELINE, &STANDARD].into_iter().any(|pattern| near.holds(pattern))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_are_seen() {
        for text in [
            "応答は 500ms 以内",
            "1 万件を 3秒で処理する",
            "1万件/秒以上",
            "p95 < 300 ms",
            "終了コードが 0 になる",
            "exits with code 2",
            "`/health` が 200 を返す",
            "一覧に 1 件表示される",
            "at most two clicks",
            "「保存しました」と表示される",
            "prints \"done\"",
            "出力が変更前と一致する",
            "no slower than the current release",
            "コントラストは WCAG 2.1 AA を満たす",
            "メモリは 5-10 MB",
            "誤検知率が 5% 未満",
        ] {
            assert!(has_measure(text), "{text}");
        }
    }

    #[test]
    fn digits_alone_are_none() {
        for text in [
            "AC-1: 適切に動く",
            "v1.2.3 で使いやすくする",
            "#12 の画面を見やすく",
            "2024-05-01 に速くする",
            "3 つの画面が使いやすい",
            "R2",
            "SC-12 fast",
        ] {
            assert!(!has_measure(text), "{text}");
        }
    }
}
