//! Issue bodies that the dialogues are about.

#![allow(dead_code, reason = "each test file uses its part of it")]

/// Passes the start gate of the English built-in.
pub const COMPLETE: &str = "## Parent requirement\nD-1: the month can be exported\n\n## Purpose\nLet clerks take the month's entries along.\n\n## Acceptance criteria\n- AC-1: the button \"Export\" is shown above the list\n- AC-2: a file of 10,000 rows is written within 2 seconds\n\n## Success criteria\n- SC-1: 5 of 5 clerks export their month in the trial\n\n## Stop condition\nStop after 2 days.\n\n## Budget (max_iterations)\n3\n";

/// Is returned for a vague word.
pub const VAGUE: &str = "## Parent requirement\nD-1: the month can be exported\n\n## Purpose\nLet clerks take the month's entries along.\n\n## Acceptance criteria\n- AC-1: the export is easy to use\n\n## Success criteria\n- SC-1: 5 of 5 clerks export their month in the trial\n\n## Stop condition\nStop after 2 days.\n\n## Budget (max_iterations)\n3\n";

/// Japanese bodies.
pub mod ja {
    /// Is returned for a vague word.
    pub const VAGUE: &str = "## 対応する親要件\nD-1: 月の記録を書き出せる\n\n## 目的\n経理担当が月の記録を持ち出せるようにする。\n\n## 受け入れ条件\n- AC-1: 書き出し画面が使いやすい\n\n## 成功基準\n- SC-1: 試用の 5 名全員が当月分を書き出す\n\n## 打ち切り条件\n2 日で終わらなければ止める。\n\n## 予算(max_iterations)\n3\n";
}
