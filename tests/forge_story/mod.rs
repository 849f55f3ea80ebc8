//! The forge story: one conversation in which every method of `Forge` appears, refusals included. World
//! (`tests/forge_on_world.rs`) and, through octocrab, the emulator (`tests/emulator.rs`) both pass it, so that World is
//! held to what a server says (chapter 10).
//!
//! A forge joins by giving a [`Stage`]: the few acts of people that the story needs, beside the `Forge` itself.

use async_trait::async_trait;
use sekisho::domain::effect::{
    Annotation, AnnotationLevel, CheckReport, CloseReason, FileChange, IssueDraft, LabelSpec, PullDraft,
};
use sekisho::domain::ids::{
    BlobHash, CheckRunId, CommentId, CommitSha, IssueId, IssueNumber, Login, NodeId, RepositoryName,
};
use sekisho::domain::run::{AppIdentity, Comment, Issue, Permission, PullBase, PullSource, StateReason};
use sekisho::domain::view::Conclusion;
use sekisho::ports::{Entry, Forge, ForgeError, Place};
use sha1::{Digest, Sha1};

/// What people do, behind the App's back. All acts are a maintainer's.
#[async_trait]
pub trait Stage: Sync {
    /// The App that the forge acts as.
    fn app(&self) -> AppIdentity;
    /// A repository with a commit, without a folder `contracts`, in which the App is installed.
    fn place(&self) -> Place;
    /// A repository without any commit, in which the App is installed.
    fn empty(&self) -> Place;
    /// Somebody with write or more at [`Stage::place`].
    fn maintainer(&self) -> Login;
    /// Somebody the forge knows, with no role at [`Stage::place`].
    fn stranger(&self) -> Login;
    /// Whether the forge can minimise comments.
    fn minimising(&self) -> Offer;
    /// Whether the forge has sub-issues and dependencies.
    fn linking(&self) -> Offer;

    /// Closes it without a merge.
    async fn close_pull(&self, number: IssueNumber);
    /// The changed files of a pull request that changes this one; none where the server makes names up.
    fn listed(&self, path: &str) -> Option<Vec<String>> {
        Some(vec![path.to_owned()])
    }
    /// Whether the route of issues shows pull requests too.
    fn pulls_among_issues(&self) -> Offer {
        Offer::Offered
    }
    /// Whether the forge lists the comments of a whole repository.
    fn comments_of_all(&self) -> Offer {
        Offer::Offered
    }
    /// What an issue shows that was closed for this reason.
    fn reason(&self, reason: StateReason) -> StateReason {
        reason
    }
    /// How many annotations a check run shows that was made with so many and updated with so many more.
    fn annotations(&self, made: usize, more: usize) -> usize {
        made + more
    }

    /// Commits a file to the default branch of [`Stage::place`].
    async fn put_file(&self, path: &str, text: &str);
    /// Files an issue there.
    async fn file_issue(&self, title: &str, body: &str) -> IssueNumber;
    /// Closes it.
    async fn close(&self, number: IssueNumber);
    /// Labels it.
    async fn label(&self, number: IssueNumber, name: &str);
    /// Opens a pull request from a branch of the repository, which adds this file.
    async fn propose(&self, title: &str, path: &str, text: &str) -> IssueNumber;
    /// Comments on it.
    async fn comment(&self, number: IssueNumber, body: &str) -> CommentId;
}

/// Whether a server has a feature that not all have.
#[allow(dead_code, reason = "each forge that tells the story is one of the two")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offer {
    /// It works.
    Offered,
    /// It comes back as `NotOffered`.
    Missing,
}

/// Tells the story. Panics where the forge departs from it.
pub async fn tell(forge: &dyn Forge, stage: &dyn Stage) {
    assert_eq!(forge.app().await, Ok(stage.app()));
    listing(forge, stage).await;
    contents(forge, stage).await;
    people(forge, stage).await;
    issues(forge, stage).await;
    labels(forge, stage).await;
    comments(forge, stage).await;
    many_comments(forge, stage).await;
    own_comments(forge, stage).await;
    notices(forge, stage).await;
    let (head, base) = pulls(forge, stage).await;
    checks(forge, stage, &head).await;
    filing(forge, stage).await;
    links(forge, stage).await;
    proposing(forge, stage, &base).await;
}

/// The installation of a repository, and all of its open issues: more than a page, none that is closed.
async fn listing(forge: &dyn Forge, stage: &dyn Stage) {
    let place = stage.place();
    assert_eq!(forge.installation(&place.repository).await, Ok(place.installation));
    gone(forge.installation(&RepositoryName::new(&place.repository.owner, "nowhere")).await);
    assert_eq!(forge.open_issues(&stage.empty()).await, Ok(Vec::new()));
    let before = forge.open_issues(&place).await.unwrap().len();
    let mut filed = Vec::new();
    for index in 0..101 {
        filed.push(stage.file_issue(&format!("Listed {index}"), "## Purpose\r\nx").await);
    }
    for number in &filed[..50] {
        stage.close(*number).await;
    }
    let open = forge.open_issues(&place).await.unwrap();
    assert_eq!(open.len(), before + 51);
    let of = |number: &IssueNumber| open.iter().find(|issue| issue.number == *number);
    assert!(filed[..50].iter().all(|number| of(number).is_none()));
    let last = of(&filed[100]).unwrap();
    assert_eq!((last.title.as_str(), last.body.as_str(), last.open), ("Listed 100", "## Purpose\r\nx", true));
    for number in &filed[50..] {
        stage.close(*number).await;
    }
}

/// A folder of contracts on the default branch, with names that must be encoded.
async fn contents(forge: &dyn Forge, stage: &dyn Stage) {
    let place = stage.place();
    gone(forge.head(&stage.empty()).await);
    let before = forge.head(&place).await.unwrap().commit;
    gone(forge.directory(&place, "contracts", &before).await);

    let (name, text) = ("contracts/契約 #1 100%.yaml", "kind: handoff # 受け渡し\n");
    stage.put_file(name, text).await;
    stage.put_file("contracts/deeper/other.yaml", "kind: critic\n").await;
    let head = forge.head(&place).await.unwrap().commit;
    assert_ne!(head, before);

    let entries = forge.directory(&place, "contracts", &head).await;
    assert_eq!(entries, Ok(vec![Entry { path: name.to_owned(), size: text.len() as u64 }]), "files, not folders");
    let file = forge.file(&place, name, &head).await.unwrap();
    assert_eq!((file.path.as_str(), file.bytes.as_slice()), (name, text.as_bytes()));
    let blob = Sha1::digest(format!("blob {}\0{text}", text.len()));
    assert_eq!(file.blob.as_str(), hex::encode(blob), "git's own hash");

    gone(forge.directory(&place, ".github/contracts", &head).await);
    gone(forge.directory(&place, name, &head).await);
    gone(forge.file(&place, "contracts", &head).await);
    gone(forge.file(&place, "contracts/missing.yaml", &head).await);
    gone(forge.file(&place, name, &CommitSha::new("0".repeat(40))).await);
}

async fn people(forge: &dyn Forge, stage: &dyn Stage) {
    let place = stage.place();
    assert_eq!(forge.permission(&place, &stage.maintainer()).await, Ok(Permission::Write));
    assert_eq!(forge.permission(&place, &stage.stranger()).await, Ok(Permission::None));
    assert_eq!(forge.permission(&place, &Login::new("who-is-that")).await, Ok(Permission::None));
    assert_eq!(forge.permission(&place, &Login::new("some-app[bot]")).await, Ok(Permission::None));
}

async fn issues(forge: &dyn Forge, stage: &dyn Stage) {
    let place = stage.place();
    let (title, body) = ("検索 \"quoted\" & <b>", "## 目的\r\n\r\n- [ ] one\r\n<!-- hidden -->\r\n");
    let number = stage.file_issue(title, body).await;
    let issue = forge.issue(&place, number).await.unwrap();
    assert_eq!((issue.number, issue.title.as_str(), issue.body.as_str()), (number, title, body));
    assert_eq!((issue.author, issue.parent), (Some(stage.maintainer()), None));
    assert!(issue.open && !issue.is_pull_request && !issue.locked && issue.labels.is_empty());
    assert!(issue.url.ends_with(&format!("/{}/issues/{number}", place.repository)), "{}", issue.url);

    assert!(issue.id.0 > 0 && issue.created_at <= issue.updated_at);

    stage.close(number).await;
    let closed = forge.issue(&place, number).await.unwrap();
    assert_eq!(closed.id, issue.id);
    assert!(!closed.open && closed.updated_at >= issue.updated_at);
    gone(forge.issue(&place, IssueNumber(999_999)).await);
}

async fn labels(forge: &dyn Forge, stage: &dyn Stage) {
    let place = stage.place();
    let number = stage.file_issue("Labels", "").await;
    let spec = |name: &str| LabelSpec {
        name: name.to_owned(),
        colour: "d73a4a".to_owned(),
        description: "差し戻し: it goes back".to_owned(),
    };
    for name in ["gate:start", "🔴 100% now/later?"] {
        forge.create_label(&place, &spec(name)).await.unwrap();
        let again = forge.create_label(&place, &spec(name)).await;
        assert!(matches!(again, Err(ForgeError::Refused { status: 422, .. })), "{again:?}");

        forge.add_label(&place, number, name).await.unwrap();
        forge.add_label(&place, number, name).await.unwrap();
        stage.label(number, "theirs").await;
        let issue = forge.issue(&place, number).await.unwrap();
        assert!(issue.has_label(name) && issue.has_label("theirs") && issue.labels.len() == 2, "{:?}", issue.labels);

        forge.remove_label(&place, number, name).await.unwrap();
        gone(forge.remove_label(&place, number, name).await);
        assert_eq!(forge.issue(&place, number).await.unwrap().labels, ["theirs"]);
    }
    gone(forge.remove_label(&place, number, "never was").await);
    gone(forge.add_label(&place, IssueNumber(999_999), "gate:start").await);
}

async fn comments(forge: &dyn Forge, stage: &dyn Stage) {
    let (place, app) = (stage.place(), stage.app());
    let number = stage.file_issue("Comments", "").await;
    assert_eq!(forge.comments(&place, number).await, Ok(Vec::new()));
    let theirs = stage.comment(number, "/gate start").await;
    let body = "## 着手ゲート: 🔴\n\n<!-- marker -->\n\n```json\n{\"gate\": \"start\"}\n```\n";
    let posted = forge.create_comment(&place, number, body).await.unwrap();

    let shown = forge.comments(&place, number).await.unwrap();
    assert_eq!(shown.iter().map(|comment| comment.id).collect::<Vec<_>>(), [theirs, posted.id], "oldest first");
    assert_eq!((shown[0].author.as_ref(), shown[0].app), (Some(&stage.maintainer()), None));
    assert!(shown[1].author.as_ref().is_some_and(|login| app.is(login)), "{:?}", shown[1].author);
    assert!(shown[1].app.is_none_or(|id| id == app.id), "some servers leave it out, none names another");
    let Comment { node, url, body: stands, .. } = &shown[1];
    assert_eq!((node, url, stands.as_str()), (&posted.node, &posted.url, body));

    forge.edit_comment(&place, posted.id, "edited").await.unwrap();
    let edited = &forge.comments(&place, number).await.unwrap()[1];
    assert_eq!((edited.id, edited.body.as_str()), (posted.id, "edited"));
    assert!(edited.updated_at >= shown[1].updated_at);

    forge.delete_comment(&place, posted.id).await.unwrap();
    gone(forge.delete_comment(&place, posted.id).await);
    gone(forge.edit_comment(&place, posted.id, "too late").await);
    gone(forge.create_comment(&place, IssueNumber(999_999), "nowhere").await);
    gone(forge.comments(&place, IssueNumber(999_999)).await);
    assert_eq!(forge.comments(&place, number).await.unwrap().len(), 1);
}

/// More than a page.
async fn many_comments(forge: &dyn Forge, stage: &dyn Stage) {
    let place = stage.place();
    let number = stage.file_issue("Many", "").await;
    let mut written = Vec::new();
    for index in 0..101 {
        written.push(stage.comment(number, &format!("comment {index}")).await);
    }
    let shown = forge.comments(&place, number).await.unwrap();
    assert_eq!(shown.iter().map(|comment| comment.id).collect::<Vec<_>>(), written);
}

/// The App's own comments of a whole repository, on whatever they stand, among those of others; and its id.
async fn own_comments(forge: &dyn Forge, stage: &dyn Stage) {
    let place = stage.place();
    let id = forge.repository(&place).await.unwrap();
    assert_ne!(forge.repository(&stage.empty()).await.unwrap(), id);
    let nowhere = Place { repository: RepositoryName::new(&place.repository.owner, "nowhere"), ..place.clone() };
    gone(forge.repository(&nowhere).await);
    gone(forge.own_comments(&nowhere).await);
    if stage.comments_of_all() == Offer::Missing {
        not_offered(forge.own_comments(&place).await);
        return;
    }
    assert_eq!(forge.own_comments(&stage.empty()).await, Ok(Vec::new()));
    let before = forge.own_comments(&place).await.unwrap().len();
    let closed = stage.file_issue("Own comments", "").await;
    let pull = stage.propose("Own comments", "docs/own.md", "x\n").await;
    let mut written = Vec::new();
    for (number, body) in [(closed, "first\r\nline"), (pull, "second"), (closed, "third")] {
        let posted = forge.create_comment(&place, number, body).await.unwrap();
        stage.comment(number, body).await;
        written.push((number, posted.id, posted.url, body.to_owned()));
    }
    stage.close(closed).await;
    stage.close_pull(pull).await;
    let ours = forge.own_comments(&place).await.unwrap();
    let shown = ours[before..].iter().map(|(at, one)| (*at, one.id, one.url.clone(), one.body.clone()));
    assert_eq!(shown.collect::<Vec<_>>(), written, "oldest first, none of others");
    assert!(ours.iter().all(|(_, comment)| stage.app().wrote(comment)));
}

/// 👀 and minimising.
async fn notices(forge: &dyn Forge, stage: &dyn Stage) {
    let place = stage.place();
    let number = stage.file_issue("Notices", "").await;
    let theirs = stage.comment(number, "/gate help").await;
    forge.acknowledge(&place, theirs).await.unwrap();
    forge.acknowledge(&place, theirs).await.unwrap();

    let posted = forge.create_comment(&place, number, "superseded").await.unwrap();
    for node in [&posted.node, &posted.node, &NodeId::new("IC_nothing")] {
        let minimised = forge.minimise(&place, node).await;
        match (stage.minimising(), node == &posted.node) {
            (Offer::Offered, true) => assert_eq!(minimised, Ok(())),
            (Offer::Offered, false) => gone(minimised),
            (Offer::Missing, _) => assert!(matches!(minimised, Err(ForgeError::NotOffered { .. })), "{minimised:?}"),
        }
    }
}

/// A pull request, and what its branch changes. Gives back its head and the branch that it goes into.
async fn pulls(forge: &dyn Forge, stage: &dyn Stage) -> (CommitSha, String) {
    let place = stage.place();
    let number = stage.propose("A contract", "contracts/new #1.yaml", "kind: handoff\n").await;
    let pull = forge.pull(&place, number).await.unwrap();
    assert_eq!((pull.number, pull.open, pull.source), (number, true, PullSource::Repository));
    let PullBase::Default(base) = pull.base.clone() else { panic!("{:?}", pull.base) };
    assert!(pull.labels.is_empty());
    let files = forge.pull_files(&place, number).await.unwrap();
    assert!(stage.listed("contracts/new #1.yaml").is_none_or(|listed| listed == files), "{files:?}");
    let file = forge.file(&place, "contracts/new #1.yaml", &pull.head).await.unwrap();
    assert_eq!(file.bytes, b"kind: handoff\n", "the head is read in the repository itself");

    stage.close_pull(number).await;
    assert!(!forge.pull(&place, number).await.unwrap().open);
    let issue = stage.file_issue("No pull request", "").await;
    for missing in [issue, IssueNumber(999_999)] {
        gone(forge.pull(&place, missing).await);
        gone(forge.pull_files(&place, missing).await);
    }
    (pull.head, base)
}

/// A check run of that head: made, updated, its annotations appended.
async fn checks(forge: &dyn Forge, stage: &dyn Stage, head: &CommitSha) {
    const NAME: &str = "sekisho/contract";
    let place = stage.place();
    assert_eq!(forge.check_runs(&place, head, NAME).await, Ok(Vec::new()));
    let note = |line| Annotation {
        path: "contracts/new #1.yaml".to_owned(),
        line,
        level: AnnotationLevel::Failure,
        title: "unknown-key".to_owned(),
        message: "`x` is no key\nexpected: one of …".to_owned(),
    };
    let report = |conclusion, lines: std::ops::Range<u32>| CheckReport {
        conclusion,
        title: "2 errors 契約".to_owned(),
        summary: "At `abc`.\n\n| a | b |\n| --- | --- |".to_owned(),
        annotations: lines.map(note).collect(),
    };
    let first = report(Conclusion::Failure, 1..51);
    let made = forge.create_check_run(&place, head, NAME, "sekisho:effect r check_run 0 #1", &first).await.unwrap();
    let shown = forge.check_runs(&place, head, NAME).await.unwrap();
    let [run] = &shown[..] else { panic!("{shown:?}") };
    assert_eq!((run.id, run.conclusion), (made, Some(Conclusion::Failure)));
    assert_eq!(run.external_id.as_deref(), Some("sekisho:effect r check_run 0 #1"));
    assert!(run.app.is_none_or(|app| app == stage.app().id), "{:?}", run.app);
    assert_eq!((run.title.as_str(), run.summary.as_str()), ("2 errors 契約", "At `abc`.\n\n| a | b |\n| --- | --- |"));
    assert_eq!(forge.check_runs(&place, head, "another").await, Ok(Vec::new()));

    forge.update_check_run(&place, made, &report(Conclusion::Success, 51..53)).await.unwrap();
    let shown = forge.check_runs(&place, head, NAME).await.unwrap();
    let [run] = &shown[..] else { panic!("{shown:?}") };
    assert_eq!((run.id, run.conclusion), (made, Some(Conclusion::Success)));
    assert_eq!(run.annotations, stage.annotations(50, 2));
    gone(forge.update_check_run(&place, CheckRunId(999_999), &report(Conclusion::Neutral, 0..0)).await);
}

async fn file(forge: &dyn Forge, stage: &dyn Stage, title: &str, labels: &[&str]) -> Issue {
    let labels = labels.iter().map(ToString::to_string).collect();
    let draft = IssueDraft { title: title.to_owned(), body: "## 目的\n\n- [ ] one\n".to_owned(), labels };
    forge.create_issue(&stage.place(), &draft).await.unwrap()
}

/// Issues of the App's own: filed, found again among those of others, edited, closed with each reason.
async fn filing(forge: &dyn Forge, stage: &dyn Stage) {
    let (place, app) = (stage.place(), stage.app());
    assert_eq!(forge.own_issues(&place).await, Ok(Vec::new()), "others' issues are not ours");
    let first = file(forge, stage, "検索 \"quoted\"", &["ours"]).await;
    assert!(first.author.as_ref().is_some_and(|login| app.is(login)), "{:?}", first.author);
    assert_eq!((first.title.as_str(), first.body.as_str()), ("検索 \"quoted\"", "## 目的\n\n- [ ] one\n"));
    let shown = forge.issue(&place, first.number).await.unwrap();
    assert_eq!((shown.id, shown.labels.as_slice(), shown.open), (first.id, ["ours".to_owned()].as_slice(), true));

    let mut numbers = vec![first.number];
    for (title, reason, expect) in [
        ("Done", CloseReason::Completed, StateReason::Completed),
        ("Dropped", CloseReason::NotPlanned, StateReason::NotPlanned),
        ("Twice", CloseReason::Duplicate, StateReason::Duplicate),
    ] {
        let issue = file(forge, stage, title, &[]).await;
        forge.close_issue(&place, issue.number, reason).await.unwrap();
        let closed = forge.issue(&place, issue.number).await.unwrap();
        assert_eq!((closed.open, closed.state_reason), (false, Some(stage.reason(expect))), "{title}");
        numbers.push(issue.number);
    }
    forge.edit_issue_body(&place, first.number, "new\r\nbody").await.unwrap();
    let edited = forge.issue(&place, first.number).await.unwrap();
    assert_eq!((edited.body.as_str(), edited.title, edited.labels), ("new\r\nbody", first.title, shown.labels));
    for index in 0..20 {
        numbers.push(file(forge, stage, &format!("Own {index}"), &[]).await.number);
    }
    let own: Vec<_> = forge.own_issues(&place).await.unwrap().iter().map(|issue| issue.number).collect();
    assert_eq!(own, numbers, "open and closed, by number");
    gone(forge.edit_issue_body(&place, IssueNumber(999_999), "x").await);
    gone(forge.close_issue(&place, IssueNumber(999_999), CloseReason::Completed).await);
}

/// Sub-issues and dependencies, or their absence.
async fn links(forge: &dyn Forge, stage: &dyn Stage) {
    let place = stage.place();
    let parent = stage.file_issue("Parent", "").await;
    let (one, two) = (file(forge, stage, "One", &[]).await, file(forge, stage, "Two", &[]).await);
    if stage.linking() == Offer::Missing {
        for _ in 0..2 {
            not_offered(forge.sub_issues(&place, parent).await);
            not_offered(forge.add_sub_issue(&place, parent, one.id).await);
            not_offered(forge.blocked_by(&place, two.number).await);
            not_offered(forge.add_blocked_by(&place, two.number, one.id).await);
        }
        return;
    }
    gone(forge.sub_issues(&place, IssueNumber(999_999)).await);
    gone(forge.blocked_by(&place, IssueNumber(999_999)).await);
    assert_eq!(forge.sub_issues(&place, parent).await, Ok(Vec::new()));
    for child in [&two, &one] {
        forge.add_sub_issue(&place, parent, child.id).await.unwrap();
    }
    let below: Vec<_> = forge.sub_issues(&place, parent).await.unwrap().iter().map(|issue| issue.number).collect();
    assert_eq!(below, [two.number, one.number], "in their order");
    assert_eq!(forge.issue(&place, one.number).await.unwrap().parent, Some(parent));
    refused(forge.add_sub_issue(&place, parent, one.id).await, 422);
    gone(forge.add_sub_issue(&place, parent, IssueId(999_999_999)).await);

    assert_eq!(forge.blocked_by(&place, two.number).await, Ok(Vec::new()));
    forge.add_blocked_by(&place, two.number, one.id).await.unwrap();
    assert_eq!(forge.blocked_by(&place, two.number).await, Ok(vec![one.number]));
    refused(forge.add_blocked_by(&place, two.number, one.id).await, 422);
    refused(forge.add_blocked_by(&place, one.number, two.id).await, 422);
    refused(forge.add_blocked_by(&place, one.number, one.id).await, 422);
}

/// A branch, a file on it that replaces another, and a draft pull request.
async fn proposing(forge: &dyn Forge, stage: &dyn Stage, base: &str) {
    const BRANCH: &str = "sekisho/axis-1f2e3d";
    let place = stage.place();
    let (kept, text) = ("contracts/契約 #1 100%.yaml", "kind: handoff # 変更\n");
    let head = forge.head(&place).await.unwrap().commit;
    assert_eq!(forge.default_branch(&place).await, Ok(base.to_owned()));
    assert_eq!(forge.pulls_from(&place, BRANCH).await, Ok(Vec::new()));
    forge.create_branch(&place, BRANCH, &head).await.unwrap();
    refused(forge.create_branch(&place, BRANCH, &head).await, 422);

    let stands = forge.file(&place, kept, &head).await.unwrap().blob;
    let change = |path: &str, replaces: Option<&BlobHash>| FileChange {
        path: path.to_owned(),
        text: text.to_owned(),
        replaces: replaces.cloned(),
        message: "Change the contract\n\n理由".to_owned(),
    };
    forge.put_file(&place, BRANCH, &change(kept, Some(&stands))).await.unwrap();
    forge.put_file(&place, BRANCH, &change("contracts/examples/axis.jsonl", None)).await.unwrap();
    let outdated = forge.put_file(&place, BRANCH, &change(kept, Some(&stands))).await;
    assert!(matches!(outdated, Err(ForgeError::Refused { status: 409 | 422, .. })), "{outdated:?}");
    assert_eq!(forge.head(&place).await.unwrap().commit, head, "the default branch stays");

    let base = base.to_owned();
    let draft = PullDraft { title: "契約".to_owned(), body: "why\n".to_owned(), branch: BRANCH.to_owned(), base };
    let number = forge.create_pull(&place, &draft).await.unwrap();
    assert_eq!(forge.pulls_from(&place, BRANCH).await, Ok(vec![number]));
    if stage.pulls_among_issues() == Offer::Offered {
        let issue = forge.issue(&place, number).await.unwrap();
        assert_eq!((issue.title.as_str(), issue.body.as_str(), issue.is_pull_request), ("契約", "why\n", true));
    }
    let shown = forge.pull(&place, number).await.unwrap();
    assert_eq!(forge.file(&place, kept, &shown.head).await.unwrap().bytes, text.as_bytes());
    stage.close_pull(number).await;
    assert_eq!(forge.pulls_from(&place, BRANCH).await, Ok(vec![number]), "closed ones too");
}

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "what is asserted is not used again")]
fn refused<T: std::fmt::Debug>(answer: Result<T, ForgeError>, expect: u16) {
    assert!(matches!(answer, Err(ForgeError::Refused { status, .. }) if status == expect), "{answer:?}");
}

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "what is asserted is not used again")]
fn not_offered<T: std::fmt::Debug>(answer: Result<T, ForgeError>) {
    assert!(matches!(answer, Err(ForgeError::NotOffered { .. })), "{answer:?}");
}

/// It is not there, and the forge says so.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "what is asserted is not used again")]
fn gone<T: std::fmt::Debug>(answer: Result<T, ForgeError>) {
    assert!(matches!(answer, Err(ForgeError::NotFound { .. })), "{answer:?}");
}
