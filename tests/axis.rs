//! Questions to the contract itself: a swing, or a cap that points at the contract, becomes one draft pull request.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, reason = "a test program")]

mod support;

use sekisho::adapters::local::{AppPermission, Moment, SubjectKind};
use sekisho::domain::ids::IssueNumber;
use support::texts::{COMPLETE, VAGUE};
use support::{Road, widgets};

const CONTRACT: &str = "contracts/handoff.yaml";
const SHIPPED: &str = include_str!("../contracts/handoff-en.yaml");

fn prescribed() -> String {
    COMPLETE.replace(
        "a file of 10,000 rows is written within 2 seconds",
        "entries are cached in Redis through a Singleton class",
    )
}

/// An issue whose start swings from one side to the other.
async fn swings(road: &mut Road, with: &str) -> IssueNumber {
    let issue = road.person("hanako").open_issue("Export", &VAGUE.replace("easy to use", with)).unwrap();
    road.person("hanako").label(issue, "gate:start").unwrap();
    road.settle_through().await;
    road.person("hanako").edit_body(issue, &prescribed()).unwrap();
    road.settle_through().await;
    issue
}

/// What the App opened: pull requests with their branches, and issues.
fn opened(road: &Road) -> Vec<String> {
    let repository = road.world.look_at(&widgets()).unwrap();
    let ours =
        repository.issues().filter(|issue| issue.author.as_ref().is_some_and(|one| one.as_str().ends_with("[bot]")));
    ours.map(|issue| format!("{} {:?} {}", issue.number, issue.kind, issue.title)).collect()
}

/// Lines of the shipped contract that stand otherwise in that file of the only branch, and how many commits that has.
fn changed(road: &Road, path: &str) -> String {
    let repository = road.world.look_at(&widgets()).unwrap();
    let name = repository.branch_names().next().unwrap().to_owned();
    let commits = repository.branch(&name).unwrap();
    let file = String::from_utf8(commits.last().unwrap().files[path].clone()).unwrap();
    let lines = file.lines().zip(SHIPPED.lines()).filter(|(a, b)| a != b).map(|(a, _)| a.trim());
    format!("{} commits\n{}", commits.len() - 1, lines.collect::<Vec<_>>().join("\n"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_swing_becomes_one_draft_pull_request() {
    let mut road = Road::new().await;
    road.person("hanako").push_file(CONTRACT, SHIPPED).unwrap();
    let first = swings(&mut road, "easy to use").await;
    assert_eq!(road.headings(first)[1], "## Start gate: 🟣 Triage TOO_CONCRETE");
    insta::assert_snapshot!(opened(&road).join("\n"), @"
    2 PullRequest Contract: what does “implementation” wait for? (Start gate, #1)
    ");
    let repository = road.world.look_at(&widgets()).unwrap();
    let pull = repository.issues().find(|issue| issue.kind == SubjectKind::PullRequest).unwrap();
    insta::assert_snapshot!(pull.body.lines().skip(1).collect::<Vec<_>>().join("\n"), @r#"
    **Key**: `phases[implementation].receives.waiting_level` in `contracts/handoff.yaml`

    **Why**: The verdict swung from TOO\_ABSTRACT to TOO\_CONCRETE. Should the waiting level say anew what is written and what is left to the receiver?

    **History of #1**
    - [`seq 1`](https://github.com/acme/widgets/issues/1#issuecomment-1007) TOO_ABSTRACT
      - Vague words (appropriate, flexible and the like): "AC-1: the export is easy to use" (line 8) — is easy
    - [`seq 2`](https://github.com/acme/widgets/issues/1#issuecomment-1009) TOO_CONCRETE
      - A certain library or way of implementation is prescribed: "AC-2: entries are cached in Redis through a Singleton class" (line 9) — Redis

    **Now**
    > A unit that merges alone, with acceptance criteria. The implementation is unspecified

    **Proposed**
    > A unit that merges alone, with acceptance criteria. The implementation is unspecified. Not enough is “AC-1: the export is easy to use”; too much is “AC-2: entries are cached in Redis through a Singleton class”

    The labelled example `contracts/examples/axis-81695a7c100c.yaml` holds the text of now, with the verdict that it got (TOO_CONCRETE). If you decide otherwise, say so there and in the waiting level: the check run shows what else changes.

    Nothing of this is in force before a person merges it. Close it to leave the contract as it is: the same question to the same contract is not raised again.
    "#);
    // The contract's own check speaks on it, as on anybody's.
    let checks: Vec<String> = repository
        .checks
        .iter()
        .map(|run| format!("{} {:?} {}", run.name, run.report.conclusion, run.report.title))
        .collect();
    assert_eq!(checks.len(), 1, "{checks:?}");
    insta::assert_snapshot!(checks.join("\n"), @"sekisho/contract Success The contract can be used");
    // The same question from another issue, and after people said no.
    let _ = swings(&mut road, "intuitive").await;
    road.person("hanako").close(pull.number).unwrap();
    let _ = swings(&mut road, "user-friendly").await;
    assert_eq!(opened(&road).len(), 1, "{:?}", opened(&road));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_leave_to_write_files_it_is_an_issue() {
    let mut road = Road::new().await;
    road.person("hanako").push_file(CONTRACT, SHIPPED).unwrap();
    road.world.withhold(AppPermission::ContentsWrite);
    swings(&mut road, "easy to use").await;
    swings(&mut road, "intuitive").await;
    insta::assert_snapshot!(opened(&road).join("\n"), @"
    2 Issue Contract: what does “implementation” wait for? (Start gate, #1)
    ");
    let repository = road.world.look_at(&widgets()).unwrap();
    let issue = repository.issues().find(|issue| issue.title.starts_with("Contract: ")).unwrap();
    assert!(issue.body.contains("```diff\n--- a/contracts/handoff.yaml\n"), "{}", issue.body);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_text_with_the_line_ends_of_a_browser_is_an_example_that_people_can_read() {
    let mut road = Road::new().await;
    let issue = road.person("hanako").open_issue("Export", &VAGUE.replace('\n', "\r\n")).unwrap();
    road.person("hanako").label(issue, "gate:start").unwrap();
    assert!(road.settle().await);
    road.person("hanako").edit_body(issue, &prescribed().replace('\n', "\r\n")).unwrap();
    assert!(road.settle().await);
    let repository = road.world.look_at(&widgets()).unwrap();
    let name = repository.branch_names().next().unwrap();
    let files = &repository.branch(name).unwrap().last().unwrap().files;
    let example = files.iter().find(|(path, _)| path.starts_with("contracts/examples/")).unwrap().1;
    let example = String::from_utf8(example.clone()).unwrap();
    assert!(example.contains("  input: |\n    ## Parent requirement\n"), "{example}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_the_built_in_it_proposes_a_contract_of_its_own() {
    let mut road = Road::new().await;
    swings(&mut road, "easy to use").await;
    insta::assert_snapshot!(changed(&road, ".github/contracts/handoff.yaml"), @r#"
    2 commits
    waiting_level: "A unit that merges alone, with acceptance criteria. The implementation is unspecified. Not enough is “AC-1: the export is easy to use”; too much is “AC-2: entries are cached in Redis through a Singleton class”"
    "#);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_criterion_again_and_again_asks_the_contract() {
    let mut road = Road::new().await;
    road.person("hanako").push_file(CONTRACT, SHIPPED).unwrap();
    let issue = road.person("hanako").open_issue("Export", VAGUE).unwrap();
    road.person("hanako").label(issue, "gate:start").unwrap();
    assert!(road.settle().await);
    for with in ["intuitive", "user-friendly"] {
        road.person("hanako").edit_body(issue, &VAGUE.replace("easy to use", with)).unwrap();
        assert!(road.settle().await);
    }
    let comment = road.comments(issue).pop().unwrap();
    assert!(comment.contains("## Start gate: 🟣 Triage TOO_ABSTRACT"), "{comment}");
    assert!(comment.contains("The same criterion was missed each time"), "{comment}");
    assert!(comment.contains("Does the contract say clearly enough what it asks for?"), "{comment}");
    insta::assert_snapshot!(changed(&road, CONTRACT), @r#"
    2 commits
    waiting_level: "A unit that merges alone, with acceptance criteria. The implementation is unspecified. Not enough is “AC-1: the export is easy to use”, “AC-1: the export is intuitive”, “AC-1: the export is user-friendly”"
    "#);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stopped_before_and_after_every_write_it_ends_the_same() {
    let mut undisturbed = Road::new().await;
    undisturbed.person("hanako").push_file(CONTRACT, SHIPPED).unwrap();
    swings(&mut undisturbed, "easy to use").await;
    let writes = undisturbed.world.counts().writes();
    assert!(writes > 8, "{writes}");
    for moment in [Moment::Before, Moment::After] {
        for nth in 1..=writes {
            let mut road = Road::new().await;
            road.person("hanako").push_file(CONTRACT, SHIPPED).unwrap();
            road.stop_at_write(nth, moment);
            swings(&mut road, "easy to use").await;
            assert_eq!(road.crashes, 1, "write {nth} {moment:?}");
            assert_eq!(opened(&road), opened(&undisturbed), "write {nth} {moment:?}");
            assert_eq!(changed(&road, CONTRACT), changed(&undisturbed, CONTRACT), "write {nth} {moment:?}");
            let issue = IssueNumber(1);
            assert_eq!(
                (road.headings(issue), road.labels(issue)),
                (undisturbed.headings(issue), undisturbed.labels(issue))
            );
        }
    }
}
