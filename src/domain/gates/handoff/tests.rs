//! Dialogues with one gate, without a forge: facts in, the end out.

use super::super::{give_up, next, tasks};
use crate::domain::contract::{Contract, Mode, OnLowPass, OpenTo, RejudgeOnEdit, builtin};
use crate::domain::effect::{Effect, PostedComment};
use crate::domain::event::{Cause, CauseKind, Lane};
use crate::domain::ids::{
    AppId, BlobHash, CommentId, CommitSha, GateId, InstallationId, IssueId, IssueNumber, Language, Login, NodeId,
    RepositoryId, RepositoryName, RunId,
};
use crate::domain::record::{Disposition, SigningKeys, TriageCause, Trust, Verdict, chain_faults};
use crate::domain::reply::Judged;
use crate::domain::run::{
    AppIdentity, Children, Contracts, Done, Dossier, Fact, Facts, Issue, Judges, Next, Permission, StoredRecord, Task,
};
use crate::domain::view::{CapCause, Freshness, Note, QuestionSubject, Reason, ReplyKind};
use chrono::DateTime;

const PASSES: &str = "## Parent requirement\n\"an export exists\"\n\n## Purpose\nLet clerks take the month's entries along.\n\n\
## Acceptance criteria\n- AC-1: the button \"Export\" is shown above the list\n- AC-2: a file of 10,000 rows is written within 2 seconds\n\n\
## Success criteria\n- SC-1: 5 of 5 clerks export their month in the trial\n\n## Stop condition\nStop after 2 days.\n\n\
## Budget (max_iterations)\n3\n";

fn vague() -> String {
    PASSES.replace("is shown above the list", "is easy to use")
}

fn prescribed() -> String {
    PASSES.replace("is shown above the list", "is implemented with the React library and a Redux store")
}

/// A story about one issue: its text, labels and records, and what each run makes of them.
struct Story {
    issue: Issue,
    contract: Contract,
    contracts: Option<Contracts>,
    records: Vec<StoredRecord>,
    permission: Permission,
    cause: Cause,
    runs: u32,
    parent: Option<Issue>,
    /// Whether the forge refuses the comments.
    refused: bool,
}

impl Story {
    fn new(body: &str) -> Self {
        let at = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        Self {
            issue: Issue {
                id: IssueId(0),
                number: IssueNumber(3),
                title: "Export".into(),
                body: body.into(),
                url: "https://github.com/acme/widgets/issues/3".into(),
                labels: vec!["gate:start".into()],
                author: Some(Login::new("taro")),
                open: true,
                state_reason: None,
                is_pull_request: false,
                locked: false,
                created_at: at,
                updated_at: at,
                parent: None,
            },
            contract: builtin(Language::En).clone(),
            contracts: None,
            records: Vec::new(),
            permission: Permission::Triage,
            cause: Cause {
                kind: CauseKind::Label,
                trigger: Some("gate:start".into()),
                actor: Some(Login::new("hanako")),
                source: None,
                at,
                pull: None,
            },
            runs: 0,
            parent: None,
            refused: false,
        }
    }

    fn by(mut self, kind: CauseKind, trigger: &str) -> Self {
        self.wake(kind, trigger);
        self
    }

    fn wake(&mut self, kind: CauseKind, trigger: &str) {
        self.cause.kind = kind;
        self.cause.trigger = (kind != CauseKind::Edit).then(|| trigger.to_owned());
        if kind == CauseKind::Label {
            self.issue.labels.push(trigger.into());
        }
    }

    fn dossier(&self, task: Task) -> Dossier {
        Dossier {
            run: RunId(format!("run{}.start", self.runs)),
            app: Some(AppIdentity { id: AppId(1), slug: "sekisho".into() }),
            lane: Some(Lane {
                installation: InstallationId(1),
                repository: RepositoryId(7),
                number: self.issue.number,
            }),
            repository: Some(RepositoryName::new("acme", "widgets")),
            web_url: "https://github.com".into(),
            cause: self.cause.clone(),
            task,
            now: self.cause.at,
            contracts: self.all_contracts(),
            judges: Judges::Rules,
            facts: Facts::default(),
        }
    }

    fn all_contracts(&self) -> Contracts {
        let mine = || Contracts::InForce { contracts: vec![self.contract.clone()], notices: vec![] };
        self.contracts.clone().unwrap_or_else(mine)
    }

    /// Walks one run to its end, answering its wishes, and applies its labels and record to the story.
    fn run(&mut self) -> Option<Done> {
        // An edit asks at every gate; these stories are about start.
        let elsewhere = |task: &Task| matches!(task, Task::Reconsider(gate) if *gate != GateId::Start);
        let task = tasks(&self.all_contracts(), &self.cause).into_iter().find(|task| !elsewhere(task))?;
        self.runs += 1;
        let mut dossier = self.dossier(task);
        let done = loop {
            match next(&dossier) {
                Next::Need(facts) => facts.into_iter().for_each(|fact| self.tell(&mut dossier, &fact)),
                Next::Ask(asked) => {
                    dossier.facts.answers = asked.iter().map(|one| Judged::by_rules(&one.brief)).collect();
                }
                Next::Hold => return None,
                Next::Done(done) => break *done,
            }
        };
        self.apply(&done);
        Some(done)
    }

    fn tell(&self, dossier: &mut Dossier, fact: &Fact) {
        match fact {
            Fact::Issue => dossier.facts.issue = Some(self.issue.clone()),
            Fact::Records => dossier.facts.records = Some(self.records.clone()),
            Fact::Permission(login) => {
                assert_eq!(login.as_str(), self.cause.actor.as_ref().unwrap().as_str());
                dossier.facts.permissions.insert(self.cause.actor.clone().unwrap(), self.permission);
            }
            Fact::Parent(_) => dossier.facts.parent = Some(self.parent.clone()),
            Fact::Comments(number) => {
                dossier.facts.comments.insert(*number, Vec::new());
            }
            Fact::Children => dossier.facts.children = Some(Children::Linked(Vec::new())),
            other => panic!("no hand-off gate asks for {other:?}"),
        }
    }

    fn apply(&mut self, done: &Done) {
        for effect in &done.effects {
            match effect {
                Effect::AddLabel(label) => self.issue.labels.push(label.name.clone()),
                Effect::RemoveLabel(name) => self.issue.labels.retain(|label| label != name),
                _ => {}
            }
        }
        if let Some(mut record) = done.record.clone() {
            SigningKeys::new(vec![("k".into(), vec![1; 32])]).sign(&mut record);
            self.records.retain(|stored| stored.record.seq != record.seq);
            let (id, node, url) = (CommentId(record.seq), NodeId(String::new()), String::new());
            let comment = (!record.is_observed() && !self.refused).then_some(PostedComment { id, node, url });
            self.records.push(StoredRecord { record, comment });
        }
    }

    /// What stands after a run, in a line.
    fn ends(&mut self, expect: &str) -> Option<Done> {
        let done = self.run();
        let shown = match &done {
            None => "held or nothing".to_owned(),
            Some(Done { record: Some(record), .. }) => format!(
                "{} {:?} seq {} attempt {}: {}",
                record.verdict.map_or("null", Verdict::as_str),
                record.disposition,
                record.seq,
                record.attempt,
                self.labels()
            ),
            Some(Done { effects, because, .. }) => match effects.iter().find_map(reply) {
                Some(reply) => format!("{reply}: {}", self.labels()),
                None => format!("{because}: {}", self.labels()),
            },
        };
        assert_eq!(shown, expect);
        done
    }

    fn labels(&self) -> String {
        self.issue.labels.join(" ")
    }
}

fn reply(effect: &Effect) -> Option<String> {
    match effect {
        Effect::Reply(reply) => Some(format!("{:?}", reply.what).split([' ', '{']).next().unwrap().to_owned()),
        _ => None,
    }
}

#[test]
fn a_complete_issue_passes() {
    let mut story = Story::new(PASSES);
    let done = story.ends("PASS Passed seq 1 attempt 1: gate:start-passed").unwrap();
    let record = done.record.unwrap();
    assert_eq!(record.model.as_deref(), Some("rules"));
    assert_eq!(record.return_to, None);
    assert!(matches!(done.effects[0], Effect::Verdict));
    assert!(matches!(done.view.unwrap().reasons[0], Reason::FieldsPresent(_)));
}

#[test]
fn the_road_from_return_to_pass() {
    let mut story = Story::new(&vague());
    story.ends("TOO_ABSTRACT Returned seq 1 attempt 1: gate:start-returned");
    story.issue.body = PASSES.into();
    story.wake(CauseKind::Edit, "");
    let done = story.ends("PASS Passed seq 2 attempt 1: gate:start-passed").unwrap();
    let record = done.record.unwrap();
    assert_eq!(record.prev, story.records[0].record.signature.as_ref().map(|signature| signature.mac.clone()));
    assert_eq!(record.cause.trust, Trust::Trusted);
    story.wake(CauseKind::Label, "gate:start");
    story.ends("unchanged: gate:start-passed");
}

#[test]
fn a_missing_field_is_returned_without_a_judge() {
    let mut story = Story::new(&PASSES.replace("## Stop condition", "## Stop"));
    let done = story.ends("TOO_ABSTRACT Returned seq 1 attempt 1: gate:start-returned").unwrap();
    let record = done.record.unwrap();
    assert_eq!((record.model, record.findings.len()), (None, 0));
    assert!(
        matches!(&done.view.unwrap().reasons[..], [Reason::MissingField { field, .. }] if field == "Stop condition")
    );
}

#[test]
fn both_sides_stand_and_the_contract_says_which_stops_first() {
    let both = prescribed().replace("a file of 10,000 rows is written within 2 seconds", "the export is easy to use");
    let mut story = Story::new(&both);
    let done = story.ends("TOO_ABSTRACT Returned seq 1 attempt 1: gate:start-returned").unwrap();
    assert!(done.record.unwrap().findings.len() >= 2);
    let mut story = Story::new(&both);
    story.contract.gates.iter_mut().for_each(|gate| gate.stops_first = crate::domain::contract::Side::TooConcrete);
    story.ends("TOO_CONCRETE Returned seq 1 attempt 1: gate:start-returned");
}

#[test]
fn an_undecided_signal_makes_a_pass_low() {
    let open = |story: &mut Story, on_low_pass| {
        story.contract.phases.iter_mut().for_each(|phase| phase.signals[0].detect = None);
        story.contract.gates.iter_mut().for_each(|gate| gate.on_low_pass = on_low_pass);
    };
    let mut story = Story::new(PASSES);
    open(&mut story, OnLowPass::Triage);
    let done = story.ends("PASS Triage seq 1 attempt 1: gate:triage").unwrap();
    assert_eq!(done.record.unwrap().triage_cause, Some(TriageCause::LowPass));
    assert!(done.view.unwrap().notes.iter().any(|note| matches!(note, Note::NotDecided(open) if open.len() == 1)));
    let mut story = Story::new(PASSES);
    open(&mut story, OnLowPass::PassWithNote);
    story.ends("PASS Passed seq 1 attempt 1: gate:start-passed");
}

#[test]
fn field_meanings_lower_nothing_and_stand_as_undecided() {
    let mut story = Story::new(PASSES);
    let record = story.run().unwrap().record.unwrap();
    assert!(record.undecided.iter().all(|id| id.as_str().starts_with("means:")), "{:?}", record.undecided);
    assert_eq!(record.confidence, Some(crate::domain::record::Confidence::High));
}

#[test]
fn the_cap_waits_for_a_human_and_a_retry_lifts_it() {
    let mut story = Story::new(&vague());
    story.ends("TOO_ABSTRACT Returned seq 1 attempt 1: gate:start-returned");
    story.issue.body = vague() + "a";
    story.wake(CauseKind::Edit, "");
    story.ends("TOO_ABSTRACT Returned seq 2 attempt 1: gate:start-returned");
    story.issue.body = vague() + "b";
    let done = story.ends("TOO_ABSTRACT Triage seq 3 attempt 1: gate:triage").unwrap();
    assert!(done.view.unwrap().notes.contains(&Note::CapReached { returns: 3, cause: CapCause::Procedure }));
    story.issue.body = PASSES.into();
    story.ends("an edit changes nothing here: gate:triage");
    story.wake(CauseKind::Label, "gate:start");
    story.ends("capped: gate:triage");
    story.wake(CauseKind::Command, "/gate start");
    story.ends("Capped: gate:triage");
    story.permission = Permission::Write;
    story.wake(CauseKind::Command, "/gate retry");
    story.ends("PASS Passed seq 4 attempt 1: gate:start-passed");
}

#[test]
fn a_swing_to_the_other_side_is_the_contracts_question() {
    let mut story = Story::new(&vague());
    story.run();
    story.issue.body = prescribed();
    story.wake(CauseKind::Edit, "");
    let done = story.ends("TOO_CONCRETE Triage seq 2 attempt 1: gate:triage").unwrap();
    let record = done.record.unwrap();
    assert_eq!((record.triage_cause, record.return_to), (Some(TriageCause::Oscillation), None));
    let questions = done.view.unwrap().questions;
    assert!(matches!(questions[0].subject, QuestionSubject::Oscillation { .. }));
}

#[test]
fn an_outsider_is_not_heard_and_a_command_is_told_so() {
    let mut story = Story::new(PASSES);
    story.permission = Permission::None;
    story.ends("not trusted: gate:start");
    story.wake(CauseKind::Command, "/gate start");
    story.ends("Refused: gate:start");
    story.wake(CauseKind::Command, "/gate retry start");
    story.permission = Permission::Triage;
    story.ends("Refused: gate:start");
}

#[test]
fn an_open_gate_hears_anyone_and_a_trusted_trigger_asks_anew() {
    let mut story = Story::new(PASSES);
    story.contract.gates.iter_mut().for_each(|gate| gate.open_to = OpenTo::Anyone);
    story.permission = Permission::None;
    story.ends("PASS Passed seq 1 attempt 1: gate:start-passed");
    story.permission = Permission::Triage;
    story.wake(CauseKind::Command, "/gate start");
    story.ends("PASS Passed seq 2 attempt 2: gate:start-passed");
}

#[test]
fn a_trusted_app_counts_as_a_person() {
    let mut story = Story::new(PASSES);
    story.permission = Permission::None;
    story.cause.actor = Some(Login::new("planner[bot]"));
    story.contract.trusted_apps = vec!["planner".into()];
    story.ends("PASS Passed seq 1 attempt 1: gate:start-passed");
}

#[test]
fn pause_holds_and_a_label_that_went_cancels() {
    let mut story = Story::new(PASSES);
    story.issue.labels.push("gate:pause".into());
    story.ends("held or nothing");
    story.issue.labels = vec![];
    story.ends("label gone: ");
}

#[test]
fn a_pass_goes_stale_and_comes_back() {
    let mut story = Story::new(PASSES);
    story.run();
    story.issue.body = PASSES.to_owned() + "\nmore\n";
    story.wake(CauseKind::Edit, "");
    story.ends("stale: gate:start-stale");
    story.issue.body = PASSES.to_owned();
    story.ends("passed text stands: gate:start-passed");
    story.issue.body = PASSES.to_owned() + "\nmore\n";
    story.contract.gates.iter_mut().for_each(|gate| gate.rejudge_on_edit = RejudgeOnEdit::Never);
    story.ends("an edit changes nothing here: gate:start-passed");
    story.contract.gates.iter_mut().for_each(|gate| gate.rejudge_on_edit = RejudgeOnEdit::Always);
    // The contract's blob is the same here, so this is the same question about another text.
    story.ends("PASS Passed seq 2 attempt 1: gate:start-passed");
}

#[test]
fn a_stale_pass_is_said_by_status_and_ends_with_a_trigger() {
    let status = |story: &mut Story| {
        story.wake(CauseKind::Command, "/gate status");
        let ReplyKind::Status { gates } = reply_of(&story.run().unwrap()) else { panic!("no status") };
        gates.into_iter().find(|gate| gate.gate == GateId::Start).unwrap().newest.unwrap().freshness
    };
    let mut story = Story::new(PASSES);
    story.run();
    assert_eq!(status(&mut story), Freshness::Current);
    story.issue.body = vague();
    story.wake(CauseKind::Edit, "");
    story.ends("stale: gate:start-stale");
    story.ends("stale: gate:start-stale");
    assert_eq!(status(&mut story), Freshness::Stale);
    story.wake(CauseKind::Label, "gate:start");
    story.ends("TOO_ABSTRACT Returned seq 2 attempt 1: gate:start-returned");
    assert_eq!(status(&mut story), Freshness::Current);
    // The text that once passed is an older question that comes back.
    story.issue.body = PASSES.into();
    story.wake(CauseKind::Edit, "");
    story.ends("PASS Passed seq 3 attempt 2: gate:start-passed");
}

#[test]
fn a_pass_goes_stale_by_its_title_and_by_the_passage_of_its_parent() {
    let mut story = Story::new(PASSES);
    story.run();
    story.issue.title = "Export, too".into();
    story.wake(CauseKind::Edit, "");
    story.ends("stale: gate:start-stale");
    story.issue.title = "Export".into();
    story.issue.parent = Some(IssueNumber(1));
    story.parent = Some(Issue { body: "## Definition of done\nan export exists\n".into(), ..story.issue.clone() });
    story.ends("stale: gate:start-stale");
    story.issue.parent = None;
    story.ends("passed text stands: gate:start-passed");
}

#[test]
fn a_stale_pass_that_is_judged_anew_on_each_edit_may_be_returned() {
    let mut story = Story::new(PASSES);
    story.contract.gates.iter_mut().for_each(|gate| gate.rejudge_on_edit = RejudgeOnEdit::Always);
    story.run();
    story.issue.body = vague();
    story.wake(CauseKind::Edit, "");
    story.ends("TOO_ABSTRACT Returned seq 2 attempt 1: gate:start-returned");
}

#[test]
fn a_verdict_whose_comment_was_refused_is_given_anew_when_somebody_triggers_again() {
    let mut story = Story::new(&vague());
    story.refused = true;
    story.run();
    story.refused = false;
    // An edit that changes nothing is no trigger.
    story.wake(CauseKind::Edit, "");
    story.ends("unchanged: gate:start-returned");
    story.wake(CauseKind::Label, "gate:start");
    story.ends("TOO_ABSTRACT Returned seq 2 attempt 2: gate:start-returned");
    story.wake(CauseKind::Label, "gate:start");
    story.ends("unchanged: gate:start-returned");
}

fn reply_of(done: &Done) -> ReplyKind {
    match &done.effects[0] {
        Effect::Reply(reply) => reply.what.clone(),
        other => panic!("no reply: {other:?}"),
    }
}

impl Story {
    fn mode(&mut self, mode: Mode) {
        self.contract.gates.iter_mut().for_each(|gate| gate.mode = mode);
        self.contract.blob = BlobHash(format!("{mode:?}"));
    }
}

#[test]
fn a_gate_that_only_watches_leaves_a_record_and_takes_its_trigger() {
    let mut story = Story::new(&vague());
    story.mode(Mode::Observe);
    let done = story.ends("TOO_ABSTRACT Returned seq 1 attempt 1: ").unwrap();
    assert_eq!(done.effects, [Effect::RemoveLabel("gate:start".into())]);
    assert!(done.record.unwrap().is_observed());
    // The same question again, by label, command and edit: no second record, not a word.
    story.wake(CauseKind::Label, "gate:start");
    story.ends("unchanged: ");
    story.wake(CauseKind::Command, "/gate start");
    assert_eq!(story.ends("unchanged: ").unwrap().effects, []);
    story.wake(CauseKind::Edit, "");
    assert_eq!(story.ends("unchanged: ").unwrap().effects, []);
    // An edit after a return is judged, and a pass that went stale says nothing.
    story.issue.body = PASSES.into();
    assert_eq!(story.ends("PASS Passed seq 2 attempt 1: ").unwrap().effects, []);
    story.issue.body += "\nmore\n";
    assert_eq!(story.ends("stale: ").unwrap().effects, []);
}

#[test]
fn what_was_observed_counts_for_nothing() {
    let mut story = Story::new(&vague());
    story.mode(Mode::Observe);
    for attempt in 1..=4 {
        story.permission = Permission::Write;
        story.wake(CauseKind::Command, "/gate retry start");
        // No cap, however often.
        story.ends(&format!("TOO_ABSTRACT Returned seq {attempt} attempt {attempt}: "));
    }
    story.mode(Mode::Enforce);
    // An edit follows no record of this mode, and a bare retry means none.
    story.wake(CauseKind::Edit, "");
    story.ends("never judged here: ");
    story.wake(CauseKind::Command, "/gate retry");
    let done = story.run().unwrap();
    assert!(matches!(done.effects[..], [Effect::Revive { .. }]), "{done:?}");
    story.wake(CauseKind::Command, "/gate status");
    let ReplyKind::Status { gates } = reply_of(&story.run().unwrap()) else { panic!("no status") };
    assert!(gates.iter().all(|gate| gate.newest.is_none()), "{gates:?}");
    // The first verdict that is seen is the first return, of the first attempt, in the same chain.
    story.wake(CauseKind::Label, "gate:start");
    let record = story.ends("TOO_ABSTRACT Returned seq 5 attempt 1: gate:start-returned").unwrap().record.unwrap();
    assert_eq!((record.history.len(), record.is_observed()), (0, false));
    let all: Vec<_> = story.records.iter().map(|stored| &stored.record).collect();
    assert_eq!(chain_faults(&all), []);
    // Watching again takes up where it watched, and what was seen stays as it is.
    story.mode(Mode::Observe);
    story.wake(CauseKind::Label, "gate:start");
    story.ends("unchanged: gate:start-returned");
    story.wake(CauseKind::Command, "/gate status");
    let ReplyKind::Status { gates } = reply_of(&story.run().unwrap()) else { panic!("no status") };
    assert_eq!(gates, [], "a gate that only watches is not shown");
}

#[test]
fn a_gate_that_only_watches_says_nothing_where_another_would() {
    let told = |story: &mut Story, expect: &str| {
        story.mode(Mode::Observe);
        let end = story.ends(expect).unwrap();
        let writes = end.effects.iter().filter(|effect| !matches!(effect, Effect::RemoveLabel(_)));
        assert_eq!(writes.count(), 0, "{end:?}");
    };
    let mut pull = Story::new(PASSES);
    pull.issue.is_pull_request = true;
    told(&mut pull, "told: ");
    let mut outsider = Story::new(PASSES).by(CauseKind::Command, "/gate start");
    outsider.permission = Permission::None;
    told(&mut outsider, "refused: gate:start");
    let mut not_enabled = Story::new(PASSES);
    not_enabled.contract.gates.iter_mut().for_each(|gate| gate.enabled = false);
    told(&mut not_enabled, "told: ");
}

#[test]
fn an_observed_triage_keeps_no_triage_label_on() {
    let mut story = Story::new(PASSES);
    story.mode(Mode::Observe);
    story.run();
    story.records[0].record.disposition = Disposition::Triage;
    story.records[0].record.gate = GateId::Acceptance;
    story.mode(Mode::Enforce);
    story.issue.labels = vec!["gate:triage".into()];
    story.wake(CauseKind::Label, "gate:start");
    story.ends("PASS Passed seq 1 attempt 1: gate:start-passed");
}

#[test]
fn a_watching_run_that_gave_up_is_recorded_and_completed_unseen() {
    let mut story = Story::new(PASSES);
    story.mode(Mode::Observe);
    let end = gives_up(&mut story, Task::Gate { gate: GateId::Start, retry: false }).unwrap();
    assert_eq!(end.effects, [Effect::RemoveLabel("gate:start".into())]);
    story.wake(CauseKind::Label, "gate:start");
    let record = story.ends("PASS Passed seq 1 attempt 1: ").unwrap().record.unwrap();
    assert_eq!((record.edit, record.is_observed()), (1, true));
    // One that the other mode's record stands behind has no place to be rewritten in.
    let mut story = Story::new(PASSES);
    story.mode(Mode::Observe);
    gives_up(&mut story, Task::Gate { gate: GateId::Start, retry: false }).unwrap();
    story.mode(Mode::Enforce);
    story.wake(CauseKind::Label, "gate:start");
    story.ends("PASS Passed seq 2 attempt 1: gate:start-passed");
    story.mode(Mode::Observe);
    story.wake(CauseKind::Label, "gate:start");
    story.ends("PASS Passed seq 3 attempt 2: gate:start-passed");
}

#[test]
fn a_ticked_box_is_no_change() {
    let mut story = Story::new(&vague().replace("- AC-1", "- [ ] AC-1"));
    story.run();
    story.issue.body = story.issue.body.replace("- [ ]", "- [x]");
    story.wake(CauseKind::Edit, "");
    story.ends("unchanged: gate:start-returned");
}

#[test]
fn a_gate_that_is_not_enabled_checks_fields_only() {
    let mut story = Story::new(&vague());
    story.contract.gates.iter_mut().for_each(|gate| gate.enabled = false);
    story.ends("NotEnabled: ");
    let mut story = Story::new("nothing");
    story.contract.gates.iter_mut().for_each(|gate| gate.enabled = false);
    story.ends("TOO_ABSTRACT Returned seq 1 attempt 1: gate:start-returned");
}

#[test]
fn gates_that_do_not_fit_are_told_so() {
    let mut story = Story::new(PASSES);
    story.issue.is_pull_request = true;
    story.ends("WrongSubject: ");
    let mut story = Story::new(PASSES).by(CauseKind::Label, "gate:diagnosis");
    story.ends("NotDeclared: gate:start");
    let mut story = Story::new(PASSES);
    let mut split = story.contract.gate(GateId::Start).unwrap().clone();
    (split.id, split.label) = (GateId::Split, "gate:split".into());
    story.contract.gates.retain(|gate| gate.id != GateId::Split);
    story.contract.gates.push(split);
    story.wake(CauseKind::Command, "/gate split");
    story.ends("TOO_ABSTRACT Returned seq 1 attempt 1: gate:start gate:split-returned");
}

#[test]
fn a_broken_contract_judges_nothing_and_a_fix_is_a_new_question() {
    let mut story = Story::new(PASSES);
    let loaded = crate::domain::contract::load("contracts/x.yaml", b"kind: handoff\nversion: 1\nwrong: 1\n", None);
    story.contracts = Some(Contracts::Broken {
        problems: loaded.problems,
        repository: RepositoryName::new("acme", "widgets"),
        commit: CommitSha::new("abc"),
        blob: BlobHash::new("broken"),
    });
    let done = story.ends("null NotJudged seq 1 attempt 1: gate:triage").unwrap();
    let record = done.record.unwrap();
    assert_eq!((record.confidence, record.model, record.return_to), (None, None, None));
    let view = done.view.unwrap();
    let [Reason::ContractBroken { problems }] = &view.reasons[..] else { panic!("{view:?}") };
    let url = problems.iter().find_map(|linked| linked.url.clone()).unwrap();
    assert!(url.starts_with("https://github.com/acme/widgets/blob/abc/contracts/x.yaml#L"), "{url}");
    story.wake(CauseKind::Label, "gate:start");
    story.ends("unchanged: gate:triage");
    story.contracts = None;
    story.wake(CauseKind::Label, "gate:start");
    story.ends("PASS Passed seq 2 attempt 1: gate:start-passed");
}

#[test]
fn a_run_that_gave_up_is_completed_in_its_own_place() {
    let mut story = Story::new(PASSES);
    story.runs += 1;
    let mut dossier = story.dossier(Task::Gate { gate: GateId::Start, retry: false });
    for fact in [Fact::Issue, Fact::Records, Fact::Permission(Login::new("hanako"))] {
        story.tell(&mut dossier, &fact);
    }
    let done = give_up(&dossier, "GET issue: unreachable", 8).unwrap();
    assert_eq!(done.record.as_ref().unwrap().disposition, Disposition::NotJudged);
    story.apply(&done);
    story.tell(&mut dossier, &Fact::Records);
    dossier.run = RunId::new("another.start");
    assert!(give_up(&dossier, "again", 8).is_none(), "the same end is not said twice");
    story.wake(CauseKind::Label, "gate:start");
    let done = story.ends("PASS Passed seq 1 attempt 1: gate:start-passed").unwrap();
    let record = done.record.unwrap();
    assert_eq!((record.edit, record.run.as_str()), (1, "run1.start"));
    assert!(record.was.is_some());
}

#[test]
fn a_run_finds_its_own_traces() {
    let mut story = Story::new(PASSES);
    story.permission = Permission::Write;
    story.wake(CauseKind::Command, "/gate retry start");
    story.run();
    story.runs -= 1;
    story.issue.labels = vec![];
    story.ends("already recorded: gate:start-passed");
}

#[test]
fn status_and_help_are_anyones() {
    let mut story = Story::new(PASSES);
    story.run();
    story.permission = Permission::None;
    story.wake(CauseKind::Command, "/gate status");
    let done = story.ends("Status: gate:start-passed").unwrap();
    let Effect::Reply(reply) = &done.effects[0] else { panic!() };
    let ReplyKind::Status { gates } = &reply.what else { panic!() };
    let start = gates.iter().find(|line| line.gate == GateId::Start).unwrap().newest.clone().unwrap();
    assert_eq!((start.disposition, start.returns), (Disposition::Passed, (0, 3)));
    story.wake(CauseKind::Command, "/gate help");
    story.ends("Help: gate:start-passed");
    story.wake(CauseKind::Command, "/gate frobnicate");
    story.ends("UnknownCommand: gate:start-passed");
}

#[test]
fn acceptance_always_asks_a_person_to_weigh() {
    let body = "## Background\nLogin fails without a word.\n\n## Purpose\nSay why a login failed.\n\n## Value\n40 support mails a month fewer.\n\n\
## Budget (cost cap)\n2 child issues, 6 iterations\n\n## Definition of done\n- D-1: three failure reasons have a message\n";
    let mut story = Story::new(body);
    story.issue.labels = vec![];
    story.wake(CauseKind::Label, "gate:intake");
    let done = story.ends("PASS Passed seq 1 attempt 1: gate:acceptance-passed").unwrap();
    assert_eq!(done.view.unwrap().questions[0].subject, QuestionSubject::WorthTheCost);
}

#[test]
fn a_run_that_is_taken_up_again_completes_or_asks_anew() {
    for (body, expect) in [
        (PASSES.to_owned(), ("PASS Passed seq 1 attempt 1: gate:start-passed", "run1.start", 1)),
        (vague(), ("TOO_ABSTRACT Returned seq 2 attempt 1: gate:start-returned", "run1.start.2", 0)),
    ] {
        let mut story = Story::new(PASSES);
        story.runs += 1;
        let mut dossier = story.dossier(Task::Gate { gate: GateId::Start, retry: false });
        for fact in [Fact::Issue, Fact::Records, Fact::Permission(Login::new("hanako"))] {
            story.tell(&mut dossier, &fact);
        }
        let done = give_up(&dossier, "GET issue: unreachable", 8).unwrap();
        story.apply(&done);
        // The delivery comes again: the same job, so the same run.
        (story.runs, story.issue.body) = (0, body);
        story.wake(CauseKind::Label, "gate:start");
        let record = story.ends(expect.0).unwrap().record.unwrap();
        assert_eq!((record.run.as_str(), record.edit), (expect.1, expect.2));
        story.runs = 0;
        story.wake(CauseKind::Label, "gate:start");
        story.ends(&format!(
            "already recorded: {}",
            story.labels().replace("gate:start ", "").replace(" gate:start", "")
        ));
    }
}

#[test]
fn pause_on_the_issue_or_its_parent_stops_replies_too() {
    let commands = ["/gate help", "/gate status", "/gate frobnicate", "/gate retry", "/gate split", "/gate acceptance"];
    for command in commands {
        let mut story = Story::new(PASSES).by(CauseKind::Command, command);
        story.issue.labels = vec!["gate:pause".into()];
        story.ends("held or nothing");
        let mut story = Story::new(PASSES).by(CauseKind::Command, command);
        story.issue.parent = Some(crate::domain::ids::IssueNumber(99));
        story.parent = Some(Issue { labels: vec!["gate:pause".into()], ..story.issue.clone() });
        story.ends("held or nothing");
        story.parent = Some(Issue { labels: vec![], ..story.issue.clone() });
        assert!(story.run().is_some(), "{command}");
    }
}

#[test]
fn a_gate_that_is_not_enabled_is_said_once_to_edits() {
    let mut story = Story::new("nothing");
    story.contract.gates.iter_mut().for_each(|gate| gate.enabled = false);
    story.ends("TOO_ABSTRACT Returned seq 1 attempt 1: gate:start-returned");
    story.issue.body = PASSES.into();
    story.wake(CauseKind::Edit, "");
    story.ends("NotEnabled: ");
    story.issue.body = PASSES.to_owned() + "more\n";
    story.ends("not enabled: ");
}

#[test]
fn an_edit_stands_on_nobodys_word_once_the_gate_is_closed_to_anyone() {
    let mut story = Story::new(&vague());
    story.contract.gates.iter_mut().for_each(|gate| gate.open_to = OpenTo::Anyone);
    story.permission = Permission::None;
    story.ends("TOO_ABSTRACT Returned seq 1 attempt 1: gate:start-returned");
    story.issue.body = vague() + "a";
    story.wake(CauseKind::Edit, "");
    story.ends("TOO_ABSTRACT Returned seq 2 attempt 1: gate:start-returned");
    story.contract.gates.iter_mut().for_each(|gate| gate.open_to = OpenTo::Triage);
    story.issue.body = PASSES.into();
    story.ends("not trusted: gate:start-returned");
}

/// Gives up on what the story's cause asks for.
fn gives_up(story: &mut Story, task: Task) -> Option<Done> {
    story.runs += 1;
    let mut dossier = story.dossier(task);
    for fact in [Fact::Issue, Fact::Records, Fact::Permission(Login::new("hanako"))] {
        story.tell(&mut dossier, &fact);
    }
    let done = give_up(&dossier, "GET issue: unreachable", 8);
    if let Some(done) = &done {
        story.apply(done);
    }
    done
}

#[test]
fn what_an_edit_or_a_bare_retry_could_not_get_is_said() {
    let mut story = Story::new(&vague());
    story.run();
    story.wake(CauseKind::Edit, "");
    assert!(gives_up(&mut story, Task::Reconsider(GateId::Start)).is_none(), "an unchanged text missed nothing");
    assert!(gives_up(&mut story, Task::Reconsider(GateId::Acceptance)).is_none(), "never judged there");
    story.issue.body = PASSES.into();
    assert!(gives_up(&mut story, Task::Reconsider(GateId::Start)).is_some());
    assert_eq!(story.labels(), "gate:triage");
    story.permission = Permission::Write;
    story.wake(CauseKind::Command, "/gate retry");
    let record = gives_up(&mut story, Task::RetryNewest).unwrap().record.unwrap();
    assert_eq!((record.seq, record.attempt), (3, 2));
    assert!(gives_up(&mut story, Task::Gate { gate: GateId::Split, retry: false }).is_none(), "no such gate");
}

#[test]
fn a_retry_that_gave_up_and_is_completed_still_counts_as_one() {
    let mut story = Story::new(&vague());
    story.permission = Permission::Write;
    for text in ["", "a", "b"] {
        story.issue.body = vague() + text;
        story.wake(CauseKind::Label, "gate:start");
        story.run();
    }
    story.wake(CauseKind::Label, "gate:start");
    story.ends("capped: gate:triage");
    story.wake(CauseKind::Command, "/gate retry start");
    assert!(gives_up(&mut story, Task::Gate { gate: GateId::Start, retry: true }).is_some());
    story.wake(CauseKind::Label, "gate:start");
    story.ends("TOO_ABSTRACT Returned seq 4 attempt 2: gate:start-returned");
    // One return since the retry, not four.
    story.issue.body = vague() + "c";
    story.wake(CauseKind::Label, "gate:start");
    story.ends("TOO_ABSTRACT Returned seq 5 attempt 1: gate:start-returned");
}
