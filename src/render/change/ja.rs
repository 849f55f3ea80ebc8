//! A pull request that touches a contract, in Japanese.

use super::{Tally, Words};
use crate::domain::view::{Comparison, Conclusion, ContractCheck, HeadState, JudgedBy};
use crate::render::neutral;
use std::fmt::Write as _;

pub(super) struct Ja;

impl Words for Ja {
    fn title(&self, check: &ContractCheck, tally: Tally) -> String {
        let parts: Vec<String> = [
            (tally.errors, "エラー", "件"),
            (tally.warnings, "警告", "件"),
            (check.examples.wrong.len(), "食い違う例", "件"),
            (check.examples.unreadable.len(), "読めない例のファイル", "件"),
        ]
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, what, unit)| format!("{what} {count} {unit}"))
        .collect();
        match (&check.state, check.conclusion) {
            (HeadState::Absent, _) if parts.is_empty() => "契約がありません".to_owned(),
            (_, Conclusion::Success) => "契約は使えます".to_owned(),
            _ => parts.join("、"),
        }
    }

    fn state(&self, check: &ContractCheck, commit: &str, tally: Tally) -> String {
        let counts = format!("エラー {} 件、警告 {} 件、お知らせ {} 件", tally.errors, tally.warnings, tally.notices);
        match &check.state {
            HeadState::InForce(files) => {
                let files: Vec<String> = files.iter().map(|file| neutral::code(file)).collect();
                format!("{commit} では {} が有効になります。検査の結果: {counts}。", files.join("、"))
            }
            HeadState::Broken => format!(
                "{commit} の契約にはエラーがあり、すべてのゲートが「判定できません」と答えることになります。検査の結果: {counts}。"
            ),
            HeadState::Absent => format!(
                "{commit} ではこのリポジトリに契約がありません。所有者の `.github` リポジトリの契約、なければ組み込みの契約が使われます。\
                 検査の結果: {counts}。"
            ),
        }
    }

    fn examples(&self, check: &ContractCheck) -> Option<String> {
        let examples = &check.examples;
        let judged = examples.right + examples.wrong.len();
        if judged + examples.left_out + examples.unreadable.len() == 0 {
            return None;
        }
        let mut text = format!("ラベル付きの例: {judged} 件のうち {} 件がラベルどおりの判定です", examples.right);
        if examples.left_out > 0 {
            let _ = write!(text, "。判定しなかった例 {} 件", examples.left_out); // writing to a String never fails
        }
        if !examples.unreadable.is_empty() {
            let _ = write!(text, "。読めないファイル {} 件", examples.unreadable.len()); // writing to a String never fails
        }
        Some(text + "。")
    }

    fn example_table(&self) -> [&'static str; 3] {
        ["例", "ゲート", "ラベル → 判定"]
    }

    fn more(&self, count: usize) -> String {
        format!("… ほか {count} 件。")
    }

    fn unshown(&self, count: usize) -> String {
        format!("ほかに {count} 件の注釈がありますが、表示していません。")
    }

    fn compared(&self, comparison: &Comparison) -> String {
        if comparison.all() == 0 {
            return "このリポジトリではまだ何も判定していないため、比べる判定がありません。".to_owned();
        }
        let mut text = format!(
            "これまでの判定のうち {} 件を判定し直し、**{} 件が変わります**",
            comparison.again(),
            comparison.flips.len()
        );
        for (count, what) in [
            (comparison.changed, "判定後に本文が変わったため対象外"),
            (comparison.unread, "もう読めない"),
            (comparison.unjudged, "この契約では判定しないゲート"),
        ] {
            if count > 0 {
                let _ = write!(text, "、{what} {count} 件"); // writing to a String never fails
            }
        }
        text + "。"
    }

    fn see_comment(&self) -> &'static str {
        "一覧は影響のコメントにあります。"
    }

    fn advice(&self, by: JudgedBy) -> &'static str {
        match by {
            JudgedBy::Rules => {
                "これは規則だけによる助言です。issue は既定ブランチの契約で判定され、対象の issue には何も書き込んでいません。"
            }
            JudgedBy::Models => {
                "これは規則とモデルによる助言です。issue は既定ブランチの契約で判定され、対象の issue には何も書き込んでいません。"
            }
        }
    }

    fn heading(&self) -> &'static str {
        "この契約で変わる判定"
    }

    fn commit(&self, commit: &str) -> String {
        format!("{commit} の時点です。")
    }

    fn other_base(&self, branch: &str) -> String {
        format!("このプルリクエストの行き先は {branch} です。issue に効くのは、既定ブランチに入ってからです。")
    }

    fn broken(&self) -> &'static str {
        "契約にエラーがあるため、判定し直していません。エラーはチェックに表示しています。"
    }

    fn flip_table(&self) -> [&'static str; 4] {
        ["対象", "ゲート", "判定", "最初の理由"]
    }

    fn before(&self, reason: &str) -> String {
        format!("なくなる指摘: {reason}")
    }

    fn unchanged(&self, count: usize) -> String {
        format!("変わらない判定 {count} 件")
    }

    fn contradicted(&self, expected: &str, got: Option<&str>) -> String {
        format!("ラベルは {expected}、契約による判定は {} です。", got.unwrap_or("なし"))
    }

    fn low(&self) -> &'static str {
        "低"
    }
}
