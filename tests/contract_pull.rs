//! Dialogues about pull requests that touch a contract: the check run of their head, and their one impact comment.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, reason = "a test program")]

mod support;

use sekisho::adapters::local::{AppPermission, Calls, CheckStage, Method, Moment, StoredCheckRun};
use sekisho::domain::ids::IssueNumber;
use sekisho::domain::run::PullSource;
use sekisho::domain::view::Conclusion;
use sekisho::ports::ForgeError;
use support::texts::{COMPLETE, VAGUE};
use support::{Road, widgets};

/// The English built-in, which passes [`COMPLETE`].
const LENIENT: &str = include_str!("../contracts/handoff-en.yaml");

/// The same with one more required field at *start*, which no subject has.
fn strict() -> String {
    let list = LENIENT.lines().find(|line| line.starts_with("  child_issue_required_fields:")).unwrap();
    LENIENT.replacen(list, &format!("{list}\n    - Risk"), 1)
}

const CONTRACT: &str = "contracts/handoff.yaml";

/// Three issues that were judged: two pass, one is returned.
async fn judged() -> (Road, [IssueNumber; 3]) {
    let mut road = Road::new().await;
    road.person("hanako").push_file(CONTRACT, LENIENT).unwrap();
    let numbers = [("Export", COMPLETE), ("Import | @all", COMPLETE), ("Print", VAGUE)].map(|(title, body)| {
        let number = road.person("taro").open_issue(title, body).unwrap();
        road.person("hanako").label(number, "gate:start").unwrap();
        number
    });
    assert!(road.settle().await);
    (road, numbers)
}

fn checks(road: &Road) -> Vec<StoredCheckRun> {
    road.world.look_at(&widgets()).unwrap().checks
}

#[tokio::test]
async fn a_pull_request_that_touches_no_contract_ends_after_one_read() {
    let (mut road, _) = judged().await;
    road.world.reset_counts();
    let files: [(&str, Option<&[u8]>); 2] = [("src/lib.rs", Some(b"x")), ("docs/contracts.yaml", Some(b"x"))];
    let pull = road.person("hanako").propose("Code", PullSource::Repository, &files).unwrap();
    assert!(road.settle().await);
    let counts = road.world.counts();
    assert_eq!((counts.of(Method::PullFiles), counts.budget(), counts.writes()), (1, (1, 0), 0));
    assert!(road.comments(pull).is_empty() && checks(&road).is_empty());
}

#[tokio::test]
async fn a_contract_with_errors_is_annotated_line_by_line() {
    let (mut road, _) = judged().await;
    let broken = LENIENT.replacen("language: en", "language: fr\nlangauge: en", 1);
    let files = [(CONTRACT, Some(broken.as_bytes()))];
    let pull = road.person("hanako").propose("Broken", PullSource::Repository, &files).unwrap();
    assert!(road.settle().await);
    let [check] = &checks(&road)[..] else { panic!("one check run") };
    assert_eq!((check.name.as_str(), check.report.conclusion), ("sekisho/contract", Conclusion::Failure));
    assert_eq!(check.report.title, "2 errors");
    let line = |text: &str| u32::try_from(broken.lines().position(|line| line.starts_with(text)).unwrap() + 1).unwrap();
    let notes: Vec<_> =
        check.report.annotations.iter().map(|note| (note.path.as_str(), note.line, note.title.as_str())).collect();
    assert!(notes.contains(&(CONTRACT, line("language"), "wrong-value")), "{notes:?}");
    assert!(notes.contains(&(CONTRACT, line("langauge"), "unknown-key")), "{notes:?}");
    assert!(road.comments(pull).is_empty(), "nothing was judged again, so there is nothing to compare");

    // Mended on the same branch: another head, another check run; the old one stays as it is.
    let before = check.clone();
    road.person("hanako").push_to(pull, &[(CONTRACT, Some(strict().as_bytes()))]).unwrap();
    assert!(road.settle().await);
    let all = checks(&road);
    assert_eq!((all.len(), &all[0]), (2, &before));
    assert_eq!(all[1].report.conclusion, Conclusion::Success);
}

#[tokio::test]
async fn verdicts_that_flip_are_listed_in_one_comment() {
    let (mut road, [export, import, print]) = judged().await;
    let before: Vec<_> = [export, import, print].iter().map(|number| road.comments(*number)).collect();
    road.world.reset_counts();
    let files = [(CONTRACT, Some(strict().into_bytes()))];
    let files = [(files[0].0, files[0].1.as_deref())];
    let pull = road.person("hanako").propose("Ask for risks", PullSource::Repository, &files).unwrap();
    assert!(road.settle().await);
    // Files, pull, three subjects, check runs, comments; one check run and one comment.
    assert_eq!(road.world.counts().budget(), (7, 2));
    let [check] = &checks(&road)[..] else { panic!("one check run") };
    assert_eq!((check.report.conclusion, check.updates), (Conclusion::Success, 0));
    insta::assert_snapshot!(shown(&road, &check.report.summary), @r"
    At `HEAD` `contracts/handoff.yaml` would be in force. The linter says: 0 errors, 0 warnings, 0 notices.

    3 verdicts judged again, **2 flip**. The impact comment lists them.

    This is advice, by rules alone: issues are judged by the contract of the default branch, and nothing was written on the subjects.
    ");
    let [comment] = &road.comments(pull)[..] else { panic!("one comment") };
    insta::assert_snapshot!(shown(&road, comment).replace("https://github.com/acme/widgets", "WIDGETS"), @r"
    <!-- marker -->

    ## What this contract would change

    3 verdicts judged again, **2 flip**.

    | subject | gate | verdict | first reason |
    | --- | --- | --- | --- |
    | [`#2 Import ¦ @all`](WIDGETS/issues/2) | start | [`PASS`](WIDGETS/issues/2#issuecomment-1012) → TOO_ABSTRACT | The required heading `Risk` is missing |
    | [`#1 Export`](WIDGETS/issues/1) | start | [`PASS`](WIDGETS/issues/1#issuecomment-1010) → TOO_ABSTRACT | The required heading `Risk` is missing |

    <details><summary>1 stays as it is</summary>

    - TOO_ABSTRACT: [`#3`](WIDGETS/issues/3) start

    </details>

    As of `HEAD`. This is advice, by rules alone: issues are judged by the contract of the default branch, and nothing was written on the subjects.
    ");
    let after: Vec<_> = [export, import, print].iter().map(|number| road.comments(*number)).collect();
    assert_eq!(before, after, "nothing is written on the subjects");

    // A further push: another check run, the same comment edited.
    let (id, head) = (only(&road, pull).0, check.head.clone());
    let text = strict().replacen("language: en", "# A word more.\nlanguage: en", 1);
    road.person("taro").edit_body(import, &format!("{COMPLETE}\nmore\n")).unwrap();
    road.person("hanako").push_to(pull, &[(CONTRACT, Some(text.as_bytes()))]).unwrap();
    assert!(road.settle().await);
    let all = checks(&road);
    assert_eq!(all.len(), 2);
    assert_ne!(all[1].head, head);
    let (same, body) = only(&road, pull);
    assert_eq!(same, id);
    assert!(body.contains("2 verdicts judged again, **1 flips**, 1 changed since and left out."), "{body}");

    // Back to what stands: the comment says so, and is not deleted.
    road.person("hanako").push_to(pull, &[(CONTRACT, Some(format!("# {LENIENT}").as_bytes()))]).unwrap();
    assert!(road.settle().await);
    assert!(only(&road, pull).1.contains("**0 flip**"), "{}", only(&road, pull).1);
}

/// The only comment of the App: its id and body.
fn only(road: &Road, pull: IssueNumber) -> (u64, String) {
    let issue = road.world.look_at_issue(&widgets(), pull).unwrap();
    let ours: Vec<_> = issue.comments.iter().filter(|comment| comment.app.is_some()).collect();
    let [comment] = ours[..] else { panic!("{} comments", ours.len()) };
    (comment.id.0, comment.body.clone())
}

/// Without what differs from run to run.
fn shown(road: &Road, text: &str) -> String {
    let run = text.lines().next().filter(|line| line.starts_with("<!--")).unwrap_or("<!-- -->");
    let mut text = text.replace(run, "<!-- marker -->");
    for check in checks(road) {
        text = text.replace(&check.head.as_str()[..12], "HEAD");
    }
    text
}

#[tokio::test]
async fn the_same_event_again_writes_nothing_and_a_button_without_news_brings_its_check_run_back() {
    let (mut road, _) = judged().await;
    let strict = strict();
    let pull = road
        .person("hanako")
        .propose("Ask for risks", PullSource::Repository, &[(CONTRACT, Some(strict.as_bytes()))])
        .unwrap();
    road.deliver(3).await;
    assert!(road.settle().await);
    let (check, comment) = (checks(&road), only(&road, pull));
    road.world.reset_counts();
    road.person("hanako").rerun(check[0].id).unwrap();
    assert!(road.settle().await);
    // GitHub takes the conclusion away when the button is pressed.
    assert_eq!((road.world.counts().of(Method::CheckRuns), road.world.counts().writes()), (1, 1));
    assert_eq!(only(&road, pull), comment);
    let again = checks(&road);
    assert_eq!((again.len(), again[0].updates, again[0].stage), (1, check[0].updates + 1, CheckStage::Completed));
    assert_eq!(again[0].report, check[0].report, "no annotation twice");
}

#[tokio::test]
async fn a_forks_branch_is_read_through_the_repository_and_trusted_no_more() {
    let (mut road, _) = judged().await;
    let strict = strict();
    let pull =
        road.person("taro").propose("From outside", PullSource::Fork, &[(CONTRACT, Some(strict.as_bytes()))]).unwrap();
    assert!(road.settle().await);
    assert!(only(&road, pull).1.contains("**2 flip**"));
    let [check] = &checks(&road)[..] else { panic!("one check run") };
    road.person("hanako").rerun(check.id).unwrap();
    assert!(road.settle().await, "GitHub names no pull request of a fork, and the lane is found all the same");
    // The gate still judges by the default branch.
    let number = road.person("taro").open_issue("Another", COMPLETE).unwrap();
    road.person("hanako").label(number, "gate:start").unwrap();
    assert!(road.settle().await);
    assert_eq!(road.labels(number), ["gate:start-passed"]);
}

#[tokio::test]
async fn labelled_examples_of_the_head_are_run() {
    let (mut road, _) = judged().await;
    let example = |id: &str, text: &str, verdict: &str| {
        let text: String = text.lines().map(|line| format!("    {line}\n")).collect::<Vec<_>>().concat();
        format!("- id: {id}\n  gate: start\n  input: |\n{text}  expected_verdict: {verdict}\n")
    };
    let examples = example("good", COMPLETE, "PASS") + &example("vague", VAGUE, "PASS");
    let path = "contracts/examples/start.yaml";
    let files: [(&str, Option<&[u8]>); 2] =
        [(path, Some(examples.as_bytes())), ("contracts/examples/odd.yaml", Some(b"- {gate: begin}\n"))];
    let pull = road.person("hanako").propose("Examples", PullSource::Repository, &files).unwrap();
    assert!(road.settle().await);
    let [check] = &checks(&road)[..] else { panic!("one check run") };
    assert_eq!(check.report.title, "1 example contradicts it, 1 unreadable file of examples");
    let [odd, vague] = &check.report.annotations[..] else { panic!("{:?}", check.report.annotations) };
    assert_eq!((odd.path.as_str(), odd.line), ("contracts/examples/odd.yaml", 1));
    let line = u32::try_from(examples.lines().position(|line| line.contains("id: vague")).unwrap() + 1).unwrap();
    assert_eq!((vague.path.as_str(), vague.line, vague.title.as_str()), (path, line, "vague"));
    assert!(vague.message.starts_with("The label says PASS, the contract says TOO_ABSTRACT."), "{}", vague.message);
    assert!(road.comments(pull).is_empty(), "no contract is touched");
}

#[tokio::test]
async fn many_problems_take_several_requests_and_stand_once_each() {
    let (mut road, _) = judged().await;
    let many: String = (0..90).map(|index| format!("unknown_{index}: 1\n")).collect::<Vec<_>>().concat();
    let broken = format!("{LENIENT}{many}");
    for moment in [Moment::Before, Moment::After] {
        for nth in 1..=2 {
            let text = format!("# {moment:?} {nth}\n{broken}");
            road.stop_at_write(nth, moment);
            road.person("hanako")
                .propose("Many", PullSource::Repository, &[(CONTRACT, Some(text.as_bytes()))])
                .unwrap();
            road.settle_through().await;
            let last = checks(&road).pop().unwrap();
            let mut lines: Vec<u32> = last.report.annotations.iter().map(|note| note.line).collect();
            let all = lines.len();
            lines.dedup();
            assert_eq!((all, lines.len()), (90, 90), "{moment:?} {nth}");
        }
    }
    assert_eq!((checks(&road).len(), road.crashes), (4, 4));
}

#[tokio::test]
async fn what_the_forge_refuses_holds_nothing_up() {
    let (mut road, _) = judged().await;
    let strict = strict();
    road.world.withhold(AppPermission::Checks);
    let files = [(CONTRACT, Some(strict.as_bytes()))];
    let pull = road.person("hanako").propose("No checks", PullSource::Repository, &files).unwrap();
    assert!(road.settle().await);
    assert!(checks(&road).is_empty() && only(&road, pull).1.contains("**2 flip**"));
    road.person("hanako").comment(pull, "/gate help").unwrap();
    assert!(road.settle().await);
    assert_eq!(road.comments(pull).len(), 2, "the lane goes on");

    road.world.restore(AppPermission::Checks);
    let lost = ForgeError::Unreachable { what: "x".to_owned(), message: "502".to_owned() };
    road.world.fail_next(Calls::Of(Method::CreateCheckRun), 1, lost);
    road.world.lose_answers(Calls::Of(Method::EditComment), 1);
    road.person("hanako").push_to(pull, &[(CONTRACT, Some(LENIENT.as_bytes())), ("x", Some(b"x"))]).unwrap();
    road.person("hanako").push_to(pull, &[(CONTRACT, Some(strict.as_bytes()))]).unwrap();
    assert!(road.settle().await);
    assert_eq!(checks(&road).len(), 1, "pushes that follow one another are one run, of the newest head");
}

#[tokio::test]
async fn pause_and_closing_end_it_and_another_base_is_said() {
    let (mut road, _) = judged().await;
    let strict = strict();
    let files = [(CONTRACT, Some(strict.as_bytes()))];
    let pull = road.person("hanako").propose("Paused", PullSource::Repository, &files).unwrap();
    road.person("hanako").label(pull, "gate:pause").unwrap();
    road.deliver(1).await;
    road.clock_on(std::time::Duration::from_secs(5));
    road.work_due().await;
    assert!(checks(&road).is_empty());
    road.person("hanako").unlabel(pull, "gate:pause").unwrap();
    road.person("hanako").retarget(pull, "release-1").unwrap();
    assert!(road.settle().await);
    assert_eq!(checks(&road).len(), 1);
    assert!(only(&road, pull).1.contains("`release-1`"));

    let closed = road.person("hanako").propose("Closed", PullSource::Repository, &files).unwrap();
    road.person("hanako").close(closed).unwrap();
    assert!(road.settle().await);
    assert!(road.comments(closed).is_empty());
}

/// Everything that people see of a pull request: its check runs and the App's comments.
async fn story(stop: Option<(u64, Moment)>, times: usize) -> (Vec<String>, u64) {
    let (mut road, [export, ..]) = judged().await;
    let (strict, broken) = (strict(), format!("{LENIENT}wrong: 1\n"));
    if let Some((nth, moment)) = stop {
        road.stop_at_write(nth, moment);
    }
    let files = [(CONTRACT, Some(strict.as_bytes()))];
    let pull = road.person("hanako").propose("Ask for risks", PullSource::Repository, &files).unwrap();
    let acts: [&dyn Fn(&Road); 3] = [
        &|_| {},
        &|road| {
            road.person("taro").edit_body(export, &format!("{COMPLETE}\nmore\n")).unwrap();
            road.person("hanako").push_to(pull, &[(CONTRACT, Some(format!("# \n{strict}").as_bytes()))]).unwrap();
        },
        &|road| {
            road.person("hanako").push_to(pull, &[(CONTRACT, Some(broken.as_bytes()))]).unwrap();
        },
    ];
    for act in acts {
        act(&road);
        road.deliver(times).await;
        road.settle_through().await;
    }
    let check = |check: &StoredCheckRun| {
        let notes = check.report.annotations.len();
        format!("{} {:?} {} {notes}", check.name, check.report.conclusion, check.report.title)
    };
    let mut seen: Vec<String> = checks(&road).iter().map(check).collect();
    seen.extend(road.comments(pull).iter().map(|body| body.lines().nth(4).unwrap().to_owned()));
    (seen, road.crashes)
}

async fn every_write(moment: Moment, times: usize) {
    let (whole, none) = story(None, times).await;
    assert_eq!((whole.len(), none), (4, 0), "{whole:#?}");
    let mut met = 0;
    for nth in 1.. {
        let (seen, crashes) = story(Some((nth, moment)), times).await;
        assert_eq!(seen, whole, "stopped {moment:?} write {nth}");
        if crashes == 0 {
            break;
        }
        met += 1;
    }
    assert!(met >= 6, "only {met} writes were met");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stopped_before_every_write() {
    every_write(Moment::Before, 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stopped_after_every_write_under_tripled_deliveries() {
    every_write(Moment::After, 3).await;
}
