//! What the gate asks for, and what it makes of it: a pull request against records that it judged before.

use super::*;
use crate::domain::contract::{Contract, builtin, load};
use crate::domain::event::{CONTRACT_CHECK, Cause, CauseKind, Lane};
use crate::domain::ids::{CommitSha, GateId, InstallationId, IssueId, RepositoryId, RepositoryName, RunId};
use crate::domain::reply::Judged;
use crate::domain::run::{Facts, Issue, Judges, PullSource, Task};
use crate::domain::view::Level;
use chrono::DateTime;
use std::collections::BTreeMap;

const PASSES: &str = "## Parent requirement\n#9 D-1\n\n## Purpose\nLet clerks take entries along.\n\n## Acceptance criteria\n\
- AC-1: the button is shown above the list\n\n## Success criteria\n- SC-1: 5 of 5 clerks export\n\n## Stop condition\nStop after 2 days.\n\n\
## Budget (max_iterations)\n3\n";
const PARENT: &str = "## Definition of done\n- D-1: the month can be exported\n";
const SHIPPED: &str = include_str!("../../../../contracts/handoff-en.yaml");

fn contracts(text: &str) -> Contracts {
    let loaded = load("contracts/handoff.yaml", text.as_bytes(), None);
    match loaded.contract {
        Some(contract) => Contracts::InForce { contracts: vec![contract], notices: Vec::new() },
        None => Contracts::Broken {
            problems: loaded.problems,
            repository: RepositoryName::new("acme", "widgets"),
            commit: CommitSha::new("abc"),
            blob: crate::domain::ids::BlobHash::new("broken"),
        },
    }
}

fn issue(number: u64, body: &str) -> Issue {
    Issue {
        id: IssueId(number),
        number: IssueNumber(number),
        title: format!("Issue {number}"),
        body: body.to_owned(),
        url: format!("https://github.com/acme/widgets/issues/{number}"),
        labels: Vec::new(),
        author: None,
        open: true,
        state_reason: None,
        is_pull_request: false,
        locked: false,
        created_at: DateTime::UNIX_EPOCH,
        updated_at: DateTime::UNIX_EPOCH,
        parent: None,
    }
}

fn dossier(base: Contracts) -> Dossier {
    let lane = Lane { installation: InstallationId(1), repository: RepositoryId(7), number: IssueNumber(50) };
    let cause = Cause {
        kind: CauseKind::Check,
        trigger: Some(CONTRACT_CHECK.to_owned()),
        actor: None,
        source: None,
        at: DateTime::UNIX_EPOCH,
        pull: None,
    };
    Dossier {
        run: RunId::new("job.contract"),
        app: None,
        lane: Some(lane),
        repository: Some(RepositoryName::new("acme", "widgets")),
        web_url: "https://github.com".to_owned(),
        cause,
        task: Task::ContractChange,
        now: DateTime::UNIX_EPOCH,
        contracts: base,
        judges: Judges::Rules,
        facts: Facts::default(),
    }
}

fn pull() -> Pull {
    Pull {
        number: IssueNumber(50),
        head: CommitSha::new("head"),
        base: PullBase::Default("main".to_owned()),
        source: PullSource::Fork,
        labels: Vec::new(),
        open: true,
        updated_at: DateTime::UNIX_EPOCH,
    }
}

/// The record that *start* made of this issue under these contracts.
fn judged(contracts: &Contracts, issue: &Issue, read: &BTreeMap<IssueNumber, Option<Issue>>) -> StoredRecord {
    let mut question = Question::again(&dossier(contracts.clone()), contracts, GateId::Start, issue);
    let done = match question.walk(read) {
        Walked::Asks(brief) => question.answered(Judged::by_rules(&brief.brief), read).unwrap(),
        Walked::Ends(done) => done,
        Walked::Wants(_) | Walked::Nothing => panic!("not judged"),
    };
    StoredRecord { record: done.record.unwrap(), comment: None }
}

/// Everything that a run asks for, told at once.
struct Story {
    base: Contracts,
    head: HeadContracts,
    files: Vec<String>,
    judged: Vec<StoredRecord>,
    issues: BTreeMap<IssueNumber, Option<Issue>>,
}

impl Story {
    fn new(head: &str) -> Self {
        let (base, own) = (contracts(SHIPPED), contracts(head));
        let problems = load("contracts/handoff.yaml", head.as_bytes(), None).problems;
        let issues = [(IssueNumber(9), Some(issue(9, PARENT)))].into();
        let head = HeadContracts { in_force: own.clone(), own, problems };
        Self { base, head, files: vec!["contracts/handoff.yaml".to_owned()], judged: Vec::new(), issues }
    }

    fn subject(mut self, number: u64, body: &str) -> Self {
        let issue = issue(number, body);
        self.judged.push(judged(&self.base, &issue, &self.issues));
        self.issues.insert(issue.number, Some(issue));
        self
    }

    /// What it asked for, and its end.
    fn run(&self) -> (Vec<String>, Done) {
        let mut dossier = dossier(self.base.clone());
        let mut asked = Vec::new();
        for _ in 0..10 {
            match next(&dossier) {
                Next::Need(facts) => {
                    for fact in facts {
                        asked.push(format!("{fact:?}").split(['(', ' ']).next().unwrap().to_owned());
                        self.tell(&mut dossier, fact);
                    }
                }
                Next::Ask(asked) => {
                    dossier.facts.answers = asked.iter().map(|one| Judged::by_rules(&one.brief)).collect();
                }
                Next::Done(done) => return (asked, *done),
                Next::Hold => panic!("held"),
            }
        }
        panic!("no end: {asked:?}");
    }

    fn tell(&self, dossier: &mut Dossier, fact: Fact) {
        let change = &mut dossier.facts.change;
        match fact {
            Fact::PullFiles => change.files = Some(self.files.clone()),
            Fact::Pull => change.pull = Some(pull()),
            Fact::ContractsAt(_) => change.head = Some(self.head.clone()),
            Fact::ExamplesAt(_) => change.examples = Some(Vec::new()),
            Fact::Judged(most) => change.judged = Some(self.judged.iter().take(most).cloned().collect()),
            Fact::Subjects(numbers) => {
                for number in numbers {
                    change.subjects.insert(number, self.issues.get(&number).cloned().flatten());
                }
            }
            other => panic!("{other:?}"),
        }
    }

    fn compared(&self) -> (ContractCheck, Comparison) {
        let (_, done) = self.run();
        let [Effect::Check(check), Effect::Impact { impact, posting: Posting::Posted }] = &done.effects[..] else {
            panic!("{:?}", done.effects)
        };
        let ImpactState::Compared(comparison) = &impact.state else { panic!("{impact:?}") };
        (contract(check).clone(), comparison.clone())
    }
}

fn contract(check: &Check) -> &ContractCheck {
    match check {
        Check::Contract(check) => check,
        Check::Gate(check) => panic!("{check:?}"),
    }
}

fn strict() -> String {
    let list = SHIPPED.lines().find(|line| line.starts_with("  child_issue_required_fields:")).unwrap();
    SHIPPED.replacen(list, &format!("{list}\n    - Risk"), 1)
}

#[test]
fn what_a_pull_request_touches() {
    let check = |path: &str, expect| assert_eq!(touched(&[path.to_owned()]), expect, "{path}");
    for path in [".github/contracts/a.yaml", "contracts/a.yml", ".tasuki/profile.yaml"] {
        check(path, Touched::Contracts);
    }
    check("contracts/examples/start.yaml", Touched::Examples);
    for path in
        ["src/lib.rs", "docs/contracts/a.yaml", "contracts/a/b.yaml", "contracts/examples/x/y.yaml", "contracts.yaml"]
    {
        check(path, Touched::Nothing);
    }
}

#[test]
fn facts_are_asked_for_in_their_order_and_no_further_than_needed() {
    let story = Story::new(&strict()).subject(1, PASSES);
    let whole = ["PullFiles", "Pull", "ContractsAt", "ExamplesAt", "Judged", "Subjects", "Subjects"];
    assert_eq!(story.run().0, whole, "the subject, then its parent");
    let broken = Story::new("kind: handoff\nversion: 1\nwrong: 1\n").subject(1, PASSES);
    let (asked, done) = broken.run();
    assert_eq!(asked, whole[..5]);
    let [Effect::Check(check), Effect::Impact { impact, posting }] = &done.effects[..] else { panic!() };
    assert_eq!(
        (contract(check).conclusion, &impact.state, *posting),
        (Conclusion::Failure, &ImpactState::Broken, Posting::EditedOnly)
    );
    let mut other = Story::new(SHIPPED);
    other.files = vec!["README.md".to_owned()];
    let (asked, done) = other.run();
    assert_eq!((asked.len(), done.effects.len(), done.because), (1, 0, "no contract is touched"));
    other.files = vec!["contracts/examples/a.yaml".to_owned()];
    let (asked, done) = other.run();
    assert_eq!(
        (&asked[..], done.effects.len()),
        (&["PullFiles", "Pull", "ContractsAt", "ExamplesAt"].map(str::to_owned)[..], 1)
    );
}

#[test]
fn verdicts_flip_stay_or_are_left_out() {
    let vague = PASSES.replace("the button is shown above the list", "the export is easy to use");
    let mut story = Story::new(&strict()).subject(1, PASSES).subject(2, &vague).subject(3, PASSES).subject(4, PASSES);
    story.issues.insert(IssueNumber(3), Some(issue(3, &format!("{PASSES}more"))));
    story.issues.insert(IssueNumber(4), None);
    let (check, comparison) = story.compared();
    let Comparison { flips, unchanged, changed, unread, unjudged } = &comparison;
    let [flip] = &flips[..] else { panic!("{flips:?}") };
    assert_eq!((flip.number, flip.from, flip.to), (IssueNumber(1), Level::Pass, Level::TooAbstract));
    assert!(matches!(&flip.why, Some(crate::domain::view::Why::Now(_))));
    assert_eq!(unchanged.iter().map(|one| one.number.0).collect::<Vec<_>>(), [2]);
    assert_eq!((*changed, *unread, *unjudged, comparison.again(), comparison.all()), (1, 1, 0, 2, 4));
    assert_eq!((check.conclusion, check.comparison.as_ref()), (Conclusion::Success, Some(&comparison)));
}

#[test]
fn a_changed_parent_is_a_changed_subject() {
    let mut story = Story::new(&strict()).subject(1, PASSES);
    story.issues.insert(IssueNumber(9), Some(issue(9, &PARENT.replace("month", "year"))));
    let (_, comparison) = story.compared();
    assert_eq!((comparison.changed, comparison.again()), (1, 0));
}

#[test]
fn a_contract_that_names_the_parent_otherwise_is_still_compared() {
    // Under the new contract the heading says nothing of a parent, so the parts of the question differ.
    let head = SHIPPED
        .replace("name: Parent requirement\n", "name: Serves\n")
        .replace("[親要件, Covers, Parent requirements]", "[]");
    let (_, comparison) = Story::new(&head).subject(1, PASSES).compared();
    assert_eq!((comparison.changed, comparison.flips.len()), (0, 1), "{comparison:?}");
}

#[test]
fn a_gate_that_is_gone_judges_nothing_and_none_means_the_built_ins() {
    let Contracts::InForce { contracts: whole, .. } = contracts(SHIPPED) else { panic!() };
    let mut only: Contract = whole[0].clone();
    only.gates.retain(|gate| gate.id != GateId::Start);
    let mut story = Story::new(SHIPPED).subject(1, PASSES);
    story.head.own = Contracts::InForce { contracts: vec![only], notices: Vec::new() };
    story.head.in_force = story.head.own.clone();
    assert_eq!(story.compared().1.unjudged, 1);
    (story.head.own, story.head.in_force) = (Contracts::Absent, Contracts::Absent);
    let (check, comparison) = story.compared();
    assert_eq!((check.conclusion, check.state), (Conclusion::Neutral, HeadState::Absent));
    assert_eq!((comparison.unchanged.len(), builtin(Language::En).gates.len()), (1, 5));
}

#[test]
fn a_closed_or_paused_pull_request_is_left_alone() {
    let mut dossier = dossier(contracts(SHIPPED));
    dossier.facts.change.files = Some(vec!["contracts/a.yaml".to_owned()]);
    dossier.facts.change.pull = Some(Pull { open: false, ..pull() });
    let Next::Done(done) = next(&dossier) else { panic!() };
    assert_eq!((done.effects.len(), done.because), (0, "closed"));
    dossier.facts.change.pull = Some(Pull { labels: vec!["Gate:Pause".to_owned()], ..pull() });
    assert!(matches!(next(&dossier), Next::Hold));
}
