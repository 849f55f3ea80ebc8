//! Numbers of a budget with their units: `子 3 件`, `合計 9 回の反復`, `4 人日`, `50万円`, `12 iterations`, `$300`.

use super::patterns::{Pattern, is_in, patterns};
use crate::domain::ids::Language;
use crate::domain::text::Normalised;

/// What a number of a budget counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Unit {
    Children,
    Iterations,
    PersonDays,
    Days,
    Weeks,
    Months,
    Hours,
    Pulls,
    Yen,
    Dollars,
    Euros,
    Tokens,
    Points,
}

impl Unit {
    /// As a note calls it.
    pub(super) fn name(self, language: Language) -> &'static str {
        let (ja, en) = match self {
            Self::Children => ("件(子)", "children"),
            Self::Iterations => ("回(反復)", "iterations"),
            Self::PersonDays => ("人日", "person-days"),
            Self::Days => ("日", "days"),
            Self::Weeks => ("週", "weeks"),
            Self::Months => ("か月", "months"),
            Self::Hours => ("時間", "hours"),
            Self::Pulls => ("件(PR)", "PRs"),
            Self::Yen => ("円", "yen"),
            Self::Dollars => ("USD", "USD"),
            Self::Euros => ("EUR", "EUR"),
            Self::Tokens => ("トークン", "tokens"),
            Self::Points => ("ポイント", "points"),
        };
        if language == Language::Ja { ja } else { en }
    }
}

/// Whether a limit holds for all children together or for each of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Reach {
    Whole,
    Each,
}

/// A number of a budget.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Amount {
    pub(super) unit: Unit,
    pub(super) value: f64,
    /// It is an end of a range, so no number.
    pub(super) vague: bool,
    pub(super) reach: Reach,
}

/// A number, also in words.
const NUMBER: &str = r"(?P<n> [0-9][0-9,]* (?: \.[0-9]+ )? | \b(?: one | two | three | four | five | six | seven | eight | nine | ten )\b | half\ an? | 半 | [一二三四五六七八九十] )";

patterns! {
    CHILDREN = format!(r"(?: (?: 子 (?: \s* (?: issue | タスク | 課題 ) )? | 分割 ) \s* (?: の数 | 数 )? \s* [はをが:]? \s* (?: 最大 | 上限 | 合計 | 計 )? \s* {NUMBER} \s* [件つ個本] )");
    CHILDREN_EN = format!(r"{NUMBER} \s+ (?: child(?:ren)?\b (?: \s+ (?: issues? | tasks? ) \b )? | sub-?(?: issue | task )s?\b )");
    ITERATIONS = format!(r"(?: 反復 | イテレーション ) [^0-9\n、。,;]{{0,10}} {NUMBER} \s* 回?");
    ITERATIONS_AFTER = format!(r"{NUMBER} \s* (?: 回の? \s* (?: 反復 | イテレーション ) | 反復 | イテレーション | iterations?\b | rounds?\b )");
    PERSON_DAYS = format!(r"{NUMBER} \s* (?: 人日 | 人・日 | (?: person | man ) [-\s]? days?\b )");
    DAYS = format!(r"{NUMBER} \s* (?: 日 | 営業日 | (?: working\s+ )? days?\b )");
    WEEKS = format!(r"{NUMBER} \s* (?: 週 | weeks?\b )");
    MONTHS = format!(r"{NUMBER} \s* (?: [かヶカケ箇]月 | months?\b )");
    HOURS = format!(r"{NUMBER} \s* (?: 時間 | 人時 | (?: person-? )? h(?: ou )?rs?\b | h\b )");
    PULLS = format!(r"\bPR s? \s* (?: 数 )? \s* [は:]? \s* {NUMBER} \s* [件本個つ]?");
    PULLS_AFTER = format!(r"{NUMBER} \s* (?: PRs?\b | pull\s+requests?\b )");
    YEN = format!(r"(?: ¥ | JPY ) \s* {NUMBER} (?P<k> 万 | 千 | 億 )?");
    YEN_AFTER = format!(r"{NUMBER} \s* (?P<k> 万 | 千 | 億 )? \s* (?: 円 | yen\b | JPY\b )");
    DOLLARS = format!(r"(?: US\$ | \$ | USD ) \s* {NUMBER} \s* (?P<k> k\b | m\b | 万 | 千 )?");
    DOLLARS_AFTER = format!(r"{NUMBER} \s* (?P<k> k | m | 万 | 千 )? \s* (?: USD\b | ドル | dollars?\b )");
    EUROS = format!(r"(?: € | EUR ) \s* {NUMBER} \s* (?P<k> k\b | m\b )?");
    EUROS_AFTER = format!(r"{NUMBER} \s* (?P<k> k | m )? \s* (?: EUR\b | € | ユーロ | euros?\b )");
    TOKENS = format!(r"{NUMBER} \s* (?P<k> k | m | 万 | 千 )? \s* (?: トークン | tokens?\b )");
    POINTS = format!(r"{NUMBER} \s* (?: ポイント | points?\b | SP\b )");
    /// Words before and after a number that make it one of each child.
    EACH = r"各子 | 子ごと | 子一つ | 子1つ | 一つの子 | 各\s*issue | あたり | 当たり | ずつ | per\ child | each\ child | for\ each | every\ child | each\b | a\ child";
    /// A range that ends here.
    RANGE_BEFORE = r"[0-9.,万千km] \s* (?: [〜~\-–—] | から | to | or ) \s* $";
    RANGE_AFTER = r"^ \s* (?: [〜~\-–—] | から | to | or ) \s* [0-9]";
    /// Words that make a number less than exact.
    ABOUT = r"(?: 約 | およそ | だいたい | 大体 | about | around | roughly | some ) \s* $";
}

static UNITS: [(&Pattern, Unit); 19] = [
    (&CHILDREN, Unit::Children),
    (&CHILDREN_EN, Unit::Children),
    (&ITERATIONS, Unit::Iterations),
    (&ITERATIONS_AFTER, Unit::Iterations),
    (&PERSON_DAYS, Unit::PersonDays),
    (&DAYS, Unit::Days),
    (&WEEKS, Unit::Weeks),
    (&MONTHS, Unit::Months),
    (&HOURS, Unit::Hours),
    (&PULLS, Unit::Pulls),
    (&PULLS_AFTER, Unit::Pulls),
    (&YEN, Unit::Yen),
    (&YEN_AFTER, Unit::Yen),
    (&DOLLARS, Unit::Dollars),
    (&DOLLARS_AFTER, Unit::Dollars),
    (&EUROS, Unit::Euros),
    (&EUROS_AFTER, Unit::Euros),
    (&TOKENS, Unit::Tokens),
    (&POINTS, Unit::Points),
];

/// Longest text of a budget that is read, in bytes, and most numbers of one unit in it.
const LONGEST: usize = 4_000;
const MOST: usize = 50;

/// The numbers of a budget with a unit.
pub(super) fn amounts(text: &str) -> Vec<Amount> {
    let folded = Normalised::of(crate::domain::text::clip(text, LONGEST));
    let mut out = Vec::new();
    for clause in folded.text().split(['。', '\n', ';']) {
        for (pattern, unit) in UNITS {
            let Some(regex) = pattern.as_ref() else { continue };
            for found in regex.captures_iter(clause).take(MOST) {
                let Some((whole, number)) = found.get(0).zip(found.name("n")) else { continue };
                // A part of a longer number, or of an id.
                let before = &clause[..number.start()];
                if before.ends_with(|c: char| c.is_ascii_digit() || c == '.') {
                    continue;
                }
                let Some(value) = value(number.as_str()) else { continue };
                let times = found.name("k").map_or(1.0, |k| times(k.as_str()));
                let after = &clause[number.end()..];
                let inexact = is_in(&RANGE_BEFORE, before) || is_in(&RANGE_AFTER, after) || is_in(&ABOUT, before);
                // The words around, up to the next comma.
                let from = clause[..whole.start()].rfind([',', '、']).map_or(0, |at| at + 1);
                let to = clause[whole.end()..].find([',', '、']).map_or(clause.len(), |at| whole.end() + at);
                let around = clause.get(from..to).unwrap_or_default();
                let each = unit != Unit::Children && is_in(&EACH, around);
                let reach = if each { Reach::Each } else { Reach::Whole };
                out.push(Amount { unit, value: value * times, vague: inexact, reach });
            }
        }
    }
    out
}

/// A number that stands alone, with or without `回`: iterations.
pub(super) fn bare_count(text: &str) -> Option<Amount> {
    let folded = Normalised::of(text);
    let bare = folded.text().trim().trim_matches(['*', '`', ' ', '-']);
    let bare = bare.strip_prefix("max_iterations").map_or(bare, |rest| rest.trim_start_matches([':', '=', ' ']));
    let bare = bare.trim_start_matches("最大").trim_end_matches(['。', '.']);
    let bare = bare.strip_suffix("まで").unwrap_or(bare).trim_end_matches(['回', ' ']);
    let value = bare.parse::<u32>().ok()?;
    Some(Amount { unit: Unit::Iterations, value: f64::from(value), vague: false, reach: Reach::Whole })
}

fn value(text: &str) -> Option<f64> {
    const WORDS: [&str; 10] = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    const KANJI: [&str; 10] = ["一", "二", "三", "四", "五", "六", "七", "八", "九", "十"];
    let lower = text.trim().to_lowercase();
    if lower.starts_with("half") || lower == "半" {
        return Some(0.5);
    }
    let word = WORDS.iter().zip(KANJI).position(|(word, kanji)| lower == *word || lower == kanji);
    match word.and_then(|index| u32::try_from(index + 1).ok()) {
        Some(number) => Some(f64::from(number)),
        None => lower.replace(',', "").parse().ok(),
    }
}

fn times(mark: &str) -> f64 {
    match mark.to_lowercase().as_str() {
        "万" => 10_000.0,
        "億" => 100_000_000.0,
        "m" => 1_000_000.0,
        _ => 1_000.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &[(Unit, f64)]) {
        let mut found: Vec<_> =
            amounts(text).iter().filter(|one| !one.vague).map(|one| (one.unit, one.value)).collect();
        found.sort_by_key(|(unit, _)| *unit);
        assert_eq!(found, expect, "{text}");
    }

    #[test]
    fn numbers_have_units() {
        check("子 3 件、反復の合計 9 回まで", &[(Unit::Children, 3.0), (Unit::Iterations, 9.0)]);
        check("3 children, 10 iterations", &[(Unit::Children, 3.0), (Unit::Iterations, 10.0)]);
        check("50万円", &[(Unit::Yen, 500_000.0)]);
        check("500,000 円", &[(Unit::Yen, 500_000.0)]);
        check("$300", &[(Unit::Dollars, 300.0)]);
        check("2k USD", &[(Unit::Dollars, 2_000.0)]);
        check("1.5 人日", &[(Unit::PersonDays, 1.5)]);
        check("up to four children", &[(Unit::Children, 4.0)]);
        check("8 h", &[(Unit::Hours, 8.0)]);
        check("2〜3 人日", &[]);
        check("約 3 人日", &[]);
        check("半日", &[(Unit::Days, 0.5)]);
        check("PR 4 件", &[(Unit::Pulls, 4.0)]);
        check("なし", &[]);
        assert_eq!(amounts("各子 4 回の反復まで")[0].reach, Reach::Each);
        assert_eq!(amounts("at most 4 iterations per child")[0].reach, Reach::Each);
        assert_eq!(amounts("反復の合計 9 回まで")[0].reach, Reach::Whole);
        assert_eq!(bare_count(" 4 \n").map(|one| one.value), Some(4.0));
        assert_eq!(bare_count("4 人"), None);
    }
}
