//! The whole World as one text without ids and times, so that two stories that ended alike compare equal.

use super::World;
use super::model::{
    Branch, CheckStage, Condition, Conversation, Display, Readiness, Repository, StoredIssue, SubjectKind,
};
use crate::domain::ids::{IssueNumber, Login};
use regex::Regex;
use std::fmt::Write as _;
use std::sync::LazyLock;

impl World {
    /// Every repository with its labels, check runs, branches, issues and comments, as they are now. Numbers of issues
    /// stand in it; ids, hashes and times do not.
    #[must_use]
    pub fn snapshot(&self) -> String {
        let mut text = String::new();
        self.with(|state| state.repositories.values().for_each(|repository| print(&mut text, repository)));
        without_ids(&text)
    }
}

/// Writing into a `String` cannot fail.
fn print(out: &mut String, repository: &Repository) {
    let _ = writeln!(out, "# {}", repository.name);
    let mut labels: Vec<_> = repository.labels.iter().map(|label| label.name.as_str()).collect();
    labels.sort_unstable();
    let _ = writeln!(out, "labels of the repository: {}", labels.join(", "));
    if let Some(newest) = repository.commits.last() {
        let _ = writeln!(out, "files: {}", newest.files.keys().cloned().collect::<Vec<_>>().join(", "));
    }
    for (name, commits) in &repository.heads {
        let _ = writeln!(out, "branch {name}: {} commits", commits.len().saturating_sub(1));
        for (path, bytes) in commits.last().iter().flat_map(|newest| &newest.files) {
            let before = commits.first().and_then(|first| first.files.get(path));
            if before != Some(bytes) {
                let _ = writeln!(out, "{path}:\n{}", indented(&String::from_utf8_lossy(bytes)));
            }
        }
    }
    for issue in repository.issues() {
        print_issue(out, issue, repository.branches.get(&issue.number));
    }
    for run in &repository.checks {
        let report = &run.report;
        let (name, title) = (&run.name, &report.title);
        let conclusion = match run.stage {
            CheckStage::Completed => format!("{:?}", report.conclusion),
            CheckStage::Queued => "queued".to_owned(),
        };
        let notes: Vec<_> = report.annotations.iter().map(|note| format!("{}:{}", note.path, note.line)).collect();
        let _ = writeln!(out, "## check run {name}: {conclusion} {title}\nannotations: {}", notes.join(", "));
        let _ = writeln!(out, "{}", indented(&report.summary));
    }
}

fn print_issue(out: &mut String, issue: &StoredIssue, branch: Option<&Branch>) {
    let kind = match (issue.kind, branch.map(|branch| branch.readiness)) {
        (SubjectKind::Issue, _) => "issue",
        (SubjectKind::PullRequest, Some(Readiness::Draft)) => "draft pull request",
        (SubjectKind::PullRequest, _) => "pull request",
    };
    let state = match issue.condition {
        Condition::Open => "open",
        Condition::Completed => "closed as completed",
        Condition::NotPlanned => "closed as not planned",
        Condition::Duplicate => "closed as a duplicate",
    };
    let locked = if issue.conversation == Conversation::Locked { ", locked" } else { "" };
    let _ = writeln!(out, "## {kind} #{}: {} ({state}{locked})", issue.number, issue.title);
    let _ = writeln!(out, "by {}", name(issue.author.as_ref()));
    if let Some(branch) = branch {
        let _ = writeln!(out, "from {} into {}", branch.name, branch.base);
    }
    let mut labels = issue.labels.clone();
    labels.sort_unstable();
    let _ = writeln!(out, "labels: {}", labels.join(", "));
    let numbers = |all: &[IssueNumber]| all.iter().map(|number| format!("#{number}")).collect::<Vec<_>>().join(", ");
    if let Some(parent) = issue.parent {
        let _ = writeln!(out, "parent: #{parent}");
    }
    if !issue.sub_issues.is_empty() {
        let _ = writeln!(out, "sub-issues: {}", numbers(&issue.sub_issues));
    }
    if !issue.blocked_by.is_empty() {
        let _ = writeln!(out, "blocked by: {}", numbers(&issue.blocked_by));
    }
    let _ = writeln!(out, "{}", indented(&issue.body));
    for comment in &issue.comments {
        let folded = if comment.display == Display::Outdated { ", outdated" } else { "" };
        let _ = writeln!(out, "### comment by {}{folded}", name(comment.author.as_ref()));
        for (login, word) in &comment.reactions {
            let _ = writeln!(out, "{word} by {login}");
        }
        let _ = writeln!(out, "{}", indented(&comment.body));
    }
}

fn name(login: Option<&Login>) -> &str {
    login.map_or("nobody", Login::as_str)
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}

/// What differs between two runs of the same story, and what stands for it.
#[expect(clippy::expect_used, reason = "patterns of our own, which a test compiles")]
static DIFFERING: LazyLock<[(Regex, &str); 5]> = LazyLock::new(|| {
    let pattern = |text| Regex::new(text).expect("a good pattern");
    [
        (pattern(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "<uuid>"),
        (pattern(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)"), "<time>"),
        (pattern(r"\b([0-9a-f]{64}|[0-9a-f]{40})\b"), "<hash>"),
        (pattern(r"issuecomment-\d+"), "issuecomment-<id>"),
        (pattern(r#""(source|comment|id|repository)": \d+"#), r#""$1": <id>"#),
    ]
});

fn without_ids(text: &str) -> String {
    let replaced = |text: String, (pattern, word): &(Regex, &str)| pattern.replace_all(&text, *word).into_owned();
    DIFFERING.iter().fold(text.to_owned(), replaced)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_times_go_and_the_rest_stays() {
        let text = "run 01890a5d-ac96-774b-bcce-b302099a8057.start at 2026-12-01T09:30:00Z, see #12#issuecomment-99\n\
                    \"source\": 99, \"number\": 12, \"mac\": \"5f2b8c0e7d1a49360b5e8f7c6d2a1b3c4d5e6f708192a3b4c5d6e7f8091a2b3c\"";
        let expect = "run <uuid>.start at <time>, see #12#issuecomment-<id>\n\
                      \"source\": <id>, \"number\": 12, \"mac\": \"<hash>\"";
        assert_eq!(without_ids(text), expect);
    }
}
