//! What payloads mean, those that GitHub sends and those that nobody should.

use super::*;
use proptest::prelude::*;
use serde_json::{Value, json};

fn us() -> Ourselves {
    let us = Ourselves::new(Some(AppId(12345)));
    us.know(AppIdentity { id: AppId(12345), slug: "sekisho".to_owned() });
    us
}

/// A payload as GitHub sends it, with these parts on top.
fn payload(parts: Value) -> Value {
    let mut whole = json!({
        "installation": {"id": 4242, "node_id": "x"},
        "repository": {"id": 77, "name": "widgets", "full_name": "acme/widgets", "default_branch": "main",
                       "owner": {"login": "acme"}, "pushed_at": 1_700_000_000},
        "sender": {"login": "octo", "type": "User"},
        "issue": {"number": 3, "title": "t", "user": null, "updated_at": "2024-05-01T10:00:00Z"},
    });
    let Value::Object(parts) = parts else { panic!("parts are an object") };
    whole.as_object_mut().expect("an object").extend(parts);
    whole
}

fn read(name: &str, parts: Value) -> Event {
    event(name, payload(parts).to_string().as_bytes(), &us()).expect("JSON").event
}

fn expected(kind: CauseKind, trigger: Option<&str>, at: &str) -> Event {
    Event::Wake(Wake {
        lane: Lane { installation: InstallationId(4242), repository: RepositoryId(77), number: IssueNumber(3) },
        repository: RepositoryName::new("acme", "widgets"),
        cause: Cause {
            kind,
            trigger: trigger.map(str::to_owned),
            actor: Some(Login::new("octo")),
            source: matches!(kind, CauseKind::Command | CauseKind::Report).then_some(9),
            at: at.parse().expect("a time"),
            pull: None,
        },
    })
}

#[test]
fn a_label_wakes_with_its_name() {
    let wake = |name| expected(CauseKind::Label, Some(name), "2024-05-01T10:00:00Z");
    for name in ["gate:start", "a \"quoted\" / label 🚦%20", "日本語"] {
        assert_eq!(read("issues", json!({"action": "labeled", "label": {"name": name}})), wake(name));
    }
    let pull = json!({"action": "labeled", "label": {"name": "gate:outcome"}, "issue": null,
                      "pull_request": {"number": 3, "updated_at": "2024-05-01T10:00:00.000Z"}});
    assert_eq!(read("pull_request", pull), wake("gate:outcome"));
    assert_eq!(read("issues", json!({"action": "labeled"})), Event::Ignored("no label"));
}

#[test]
fn an_edit_wakes_where_title_or_body_changed() {
    let wake = expected(CauseKind::Edit, None, "2024-05-01T10:00:00Z");
    let edited = |changes: Value| read("issues", json!({"action": "edited", "changes": changes}));
    for changes in [
        json!({"body": {"from": "old"}}),
        json!({"title": {"from": "old"}}),
        json!({"title": false, "body": true}),
        json!({"title": "x"}),
        json!({"body": ["x"]}),
        json!({"body": 1.5}),
        Value::Null,
    ] {
        assert_eq!(edited(changes.clone()), wake, "{changes}");
    }
    for changes in [json!({}), json!({"title": false, "body": null}), json!({"labels": {"from": []}})] {
        assert_eq!(edited(changes.clone()), Event::Ignored("unchanged"), "{changes}");
    }
}

#[test]
fn a_pull_request_that_comes_or_moves_is_checked() {
    let due = |at: &str| expected(CauseKind::Check, Some("sekisho/contract"), at);
    let pull = |action: &str, changes: Value| {
        let pull = json!({"number": 3, "updated_at": "2024-05-01T10:00:00Z", "head": {"sha": "abc"}});
        read("pull_request", json!({"action": action, "issue": null, "pull_request": pull, "changes": changes}))
    };
    for action in ["opened", "synchronize", "reopened", "ready_for_review"] {
        assert_eq!(pull(action, Value::Null), due("2024-05-01T10:00:00Z"), "{action}");
    }
    let base = json!({"base": {"ref": {"from": "main"}, "sha": {"from": "abc"}}});
    assert_eq!(pull("edited", base), due("2024-05-01T10:00:00Z"));
    let title = pull("edited", json!({"title": {"from": "old"}}));
    assert_eq!(title, expected(CauseKind::Edit, None, "2024-05-01T10:00:00Z"));
    for action in ["closed", "converted_to_draft", "assigned"] {
        assert_eq!(pull(action, Value::Null), Event::Ignored("action"), "{action}");
    }

    let pressed = |run: Value| read("check_run", json!({"action": "rerequested", "issue": null, "check_run": run}));
    let ours = "sekisho:effect job.contract check_run 0 #3";
    for run in [
        json!({"name": "sekisho/contract", "external_id": ours, "pull_requests": []}),
        json!({"name": "sekisho/contract", "external_id": "", "pull_requests": [{"number": 3}, {"number": 4}]}),
        json!({"name": "sekisho/contract", "pull_requests": [{"number": 3}]}),
    ] {
        assert_eq!(pressed(run.clone()), due("1970-01-01T00:00:00Z"), "{run}");
    }
    let nobodys =
        json!({"name": "sekisho/contract", "external_id": "sekisho:effect job reply 0 #3", "pull_requests": null});
    assert_eq!(pressed(nobodys), Event::Ignored("no number"));
    assert_eq!(pressed(json!({"name": "build", "pull_requests": [{"number": 3}]})), Event::Ignored("check run"));
}

#[test]
fn a_pull_request_with_a_heading_is_a_report_too() {
    let kinds = |action: &str, body: &str, changes: Value| {
        let pull = json!({"number": 3, "body": body, "updated_at": "2024-05-01T10:00:00Z"});
        let parts = json!({"action": action, "issue": null, "pull_request": pull, "changes": changes});
        match read("pull_request", parts) {
            Event::Wakes(wakes) => wakes.iter().map(|wake| wake.cause.kind).collect(),
            Event::Wake(wake) => vec![wake.cause.kind],
            other => panic!("{other:?}"),
        }
    };
    for action in ["opened", "synchronize", "reopened"] {
        assert_eq!(kinds(action, "## Result\nx", Value::Null), [CauseKind::Check, CauseKind::Report], "{action}");
        assert_eq!(kinds(action, "x", Value::Null), [CauseKind::Check], "{action}");
    }
    let body = json!({"body": {"from": "old"}});
    assert_eq!(kinds("edited", "## Result", body), [CauseKind::Edit, CauseKind::Report]);
}

#[test]
fn what_happens_to_children_wakes() {
    let at = "2024-05-01T10:00:00Z";
    for action in ["closed", "reopened"] {
        assert_eq!(read("issues", json!({"action": action})), expected(CauseKind::Child, Some(action), at));
    }
    let gone =
        |url: Value| read("issues", json!({"action": "deleted", "issue": {"number": 9, "parent_issue_url": url}}));
    let deleted = expected(CauseKind::Child, Some("deleted"), "1970-01-01T00:00:00Z");
    assert_eq!(gone(json!("https://api.github.com/repos/Acme/widgets/issues/3")), deleted, "the parent's lane");
    for other in [Value::Null, json!("https://api.github.com/repos/acme/other/issues/3"), json!("nonsense")] {
        assert_eq!(gone(other), Event::Ignored("no parent"));
    }
    let subject = |number: u64| json!({"number": number, "updated_at": at});
    for (action, repo) in [("sub_issue_added", Value::Null), ("parent_issue_removed", json!({"id": 77}))] {
        let parts = json!({"action": action, "issue": null, "parent_issue": subject(3), "sub_issue": subject(9),
                           "parent_issue_repo": repo});
        assert_eq!(read("sub_issues", parts), expected(CauseKind::Child, Some(action), at));
    }
    for (action, repo) in [("blocked_by_added", Value::Null), ("blocking_removed", json!({"id": 77}))] {
        let parts = json!({"action": action, "issue": null, "blocked_issue": subject(3), "blocking_issue": subject(9),
                           "blocked_issue_repo": repo});
        assert_eq!(read("issue_dependencies", parts), expected(CauseKind::Child, Some(action), at));
    }
    let far = json!({"action": "parent_issue_added", "parent_issue": subject(3), "parent_issue_repo": {"id": 78}});
    assert_eq!(read("sub_issues", far), Event::Ignored("another repository"));
    let far = json!({"action": "blocking_added", "blocked_issue": subject(3), "blocked_issue_repo": {"id": 78}});
    assert_eq!(read("issue_dependencies", far), Event::Ignored("another repository"));
}

#[test]
fn checks_are_asked_for_again_one_by_one_or_all() {
    let run = json!({"name": "sekisho/outcome", "pull_requests": [{"number": 3}]});
    let pressed = read("check_run", json!({"action": "rerequested", "issue": null, "check_run": run}));
    assert_eq!(pressed, expected(CauseKind::Check, Some("sekisho/outcome"), "1970-01-01T00:00:00Z"));
    let other = json!({"name": "sekisho/other", "pull_requests": [{"number": 3}]});
    let other = json!({"action": "rerequested", "check_run": other});
    assert_eq!(read("check_run", other), Event::Ignored("check run"));

    let suite =
        |suite: Value| read("check_suite", json!({"action": "rerequested", "issue": null, "check_suite": suite}));
    let Event::Wakes(wakes) = suite(json!({"app": {"id": 12345}, "pull_requests": [{"number": 3}, {"number": 4}]}))
    else {
        panic!("wakes")
    };
    let told: Vec<_> = wakes.iter().map(|wake| (wake.lane.number.0, wake.cause.trigger.as_deref().unwrap())).collect();
    let names = ["sekisho/contract", "sekisho/outcome"];
    assert_eq!(told, [(3, names[0]), (3, names[1]), (4, names[0]), (4, names[1])]);
    assert_eq!(suite(json!({"app": {"id": 5}, "pull_requests": [{"number": 3}]})), Event::Ignored("check suite"));
    assert_eq!(suite(json!({"pull_requests": []})), Event::Ignored("no number"));
    assert_eq!(suite(Value::Null), Event::Ignored("check suite"));
}

#[test]
fn a_comment_is_a_command_or_a_report_or_nothing() {
    let comment = |action: &str, body: &str| {
        let comment = json!({"id": 9, "body": body, "created_at": "2024-05-01T11:00:00Z",
                             "updated_at": "2024-05-01T12:00:00Z", "performed_via_github_app": null});
        read("issue_comment", json!({"action": action, "comment": comment}))
    };
    let at = "2024-05-01T12:00:00Z";
    assert_eq!(comment("created", "/gate start"), expected(CauseKind::Command, Some("/gate start"), at));
    assert_eq!(
        comment("edited", "please\r\n/gate retry start \r\n"),
        expected(CauseKind::Command, Some("/gate retry start"), at)
    );
    assert_eq!(comment("created", "## Result\ndone"), expected(CauseKind::Report, None, at));
    assert_eq!(comment("created", "Q1 yes"), expected(CauseKind::Report, Some("answer"), at));
    let Event::Wakes(wakes) = comment("edited", "## Result\ndone\n\nQ1 yes") else { panic!("two reasons") };
    let triggers: Vec<_> = wakes.iter().map(|wake| wake.cause.trigger.as_deref()).collect();
    assert_eq!(triggers, [None, Some("answer")]);
    for body in ["thanks", "", "Q1", "> Q1 yes", "> /gate start", "```\n/gate start\n```", "<!-- /gate start -->"] {
        assert_eq!(comment("created", body), Event::Ignored("comment"), "{body}");
    }
    assert_eq!(comment("deleted", "/gate start"), Event::Ignored("action"));
}

#[test]
fn a_command_that_an_edit_left_alone_is_not_given_again() {
    let edited = |from: &Value, body: &str| {
        let comment = json!({"id": 9, "body": body, "updated_at": "2024-05-01T12:00:00Z"});
        read("issue_comment", json!({"action": "edited", "comment": comment, "changes": {"body": from}}))
    };
    let retry = expected(CauseKind::Command, Some("/gate retry"), "2024-05-01T12:00:00Z");
    let typo = json!({"from": "plaese\n\n/gate retry"});
    assert_eq!(edited(&typo, "please\n\n/gate retry"), Event::Ignored("unchanged"));
    for from in
        [json!({"from": "/gate retri"}), json!({"from": "> /gate retry"}), json!({"from": 3}), json!(true), json!([])]
    {
        assert_eq!(edited(&from, "/gate retry"), retry, "{from}");
    }
}

#[test]
fn a_push_counts_on_the_default_branch() {
    let push = |name: &str| read("push", json!({"ref": name, "issue": null}));
    assert_eq!(push("refs/heads/main"), Event::Pushed(RepositoryId(77)));
    for other in ["refs/heads/topic", "refs/tags/main", "main"] {
        assert_eq!(push(other), Event::Ignored("branch"), "{other}");
    }
    assert_eq!(read("push", json!({})), Event::Ignored("branch"));
    assert_eq!(read("push", json!({"repository": {"id": 77, "full_name": "a/b"}})), Event::Ignored("branch"));
}

#[test]
fn pause_going_is_told_and_other_labels_going_are_not() {
    for (name, event) in [
        ("gate:pause", Event::Unpaused(RepositoryId(77))),
        ("Gate:Pause", Event::Unpaused(RepositoryId(77))),
        ("gate:start", Event::Ignored("action")),
    ] {
        assert_eq!(read("issues", json!({"action": "unlabeled", "label": {"name": name}})), event, "{name}");
    }
}

#[test]
fn an_echo_is_never_a_cause() {
    let labeled = json!({"action": "labeled", "label": {"name": "gate:start"}, "sender": {"login": "Sekisho[bot]"}});
    assert_eq!(read("issues", labeled.clone()), Event::Ignored("echo"));
    let comment = |app: Value| {
        let comment = json!({"id": 9, "body": "/gate help", "performed_via_github_app": app});
        json!({"action": "created", "comment": comment})
    };
    assert_eq!(read("issue_comment", comment(json!({"id": 12345}))), Event::Ignored("echo"));
    assert!(matches!(read("issue_comment", comment(json!({"id": 999}))), Event::Wake(_)), "another App");
    // Before GitHub was reached only the configured id is known.
    let bytes = payload(labeled).to_string();
    let early = event("issues", bytes.as_bytes(), &Ourselves::new(Some(AppId(12345)))).expect("JSON");
    assert!(matches!(early.event, Event::Wake(_)));
    let bytes = payload(comment(json!({"id": 12345}))).to_string();
    let early = event("issue_comment", bytes.as_bytes(), &Ourselves::new(Some(AppId(12345)))).expect("JSON");
    assert_eq!(early.event, Event::Ignored("echo"));
}

#[test]
fn what_is_missing_is_ignored_and_never_an_error() {
    let label = json!({"action": "labeled", "label": {"name": "gate:start"}});
    let with = |key: &str, value: Value| {
        let mut parts = label.clone();
        parts[key] = value;
        read("issues", parts)
    };
    let nowhere = Event::Ignored("no installation or repository");
    for (key, value, event) in [
        ("installation", Value::Null, nowhere.clone()),
        ("installation", json!({}), nowhere.clone()),
        ("installation", json!({"id": u64::MAX}), nowhere.clone()),
        ("repository", Value::Null, nowhere.clone()),
        ("repository", json!({"id": 77}), nowhere.clone()),
        ("repository", json!({"id": 77, "full_name": "nonsense"}), nowhere),
        ("issue", Value::Null, Event::Ignored("no number")),
        ("issue", json!({"number": null}), Event::Ignored("no number")),
        ("issue", json!(5), Event::Ignored("shape")),
        ("label", json!("gate:start"), Event::Ignored("shape")),
        ("action", json!("pinned"), Event::Ignored("action")),
        ("action", Value::Null, Event::Ignored("action")),
    ] {
        assert_eq!(with(key, value.clone()), event, "{key} {value}");
    }
    for (sender, actor) in [(Value::Null, None), (json!({}), None), (json!({"login": "x"}), Some(Login::new("x")))] {
        let Event::Wake(wake) = with("sender", sender.clone()) else { panic!("{sender}") };
        assert_eq!(wake.cause.actor, actor);
    }
    let Event::Wake(wake) = with("issue", json!({"number": 3, "updated_at": "yesterday"})) else { panic!("a wake") };
    assert_eq!(wake.cause.at, DateTime::UNIX_EPOCH);
}

#[test]
fn events_are_known_or_not() {
    assert_eq!(read("star", json!({"action": "created"})), Event::Ignored("unknown event"));
    assert_eq!(read("installation", json!({"action": "deleted"})), Event::Ignored("unasked"));
    assert_eq!(read("check_run", json!({"action": "rerequested"})), Event::Ignored("check run"));
    assert_eq!(read("check_run", json!({"action": "created"})), Event::Ignored("action"));
    let ping = event("ping", b"{\"zen\":\"x\"}", &us()).expect("JSON");
    assert_eq!(ping, Reading { name: "ping".to_owned(), event: Event::Ignored("unasked") });
    let labeled = payload(json!({"action": "labeled", "label": {"name": "x"}})).to_string();
    assert_eq!(event("issues", labeled.as_bytes(), &us()).expect("JSON").name, "issues.labeled");
}

#[test]
fn what_is_no_json_is_said_to_be_none() {
    for bytes in [&b""[..], b"{", b"payload=%7B%7D", b"{\"action\":\"x\"", b"\xff\xfe", b"{\"issue\":5", b"{} {}"] {
        assert_eq!(event("issues", bytes, &us()), Err(NotJson), "{bytes:?}");
    }
    for bytes in [&b"null"[..], b"[]", b"5", b"\"x\"", b"{\"action\": 5}", b" {\"issue\": [1]} "] {
        assert!(matches!(event("issues", bytes, &us()).expect("JSON").event, Event::Ignored(_)), "{bytes:?}");
    }
}

/// Any JSON value, nested a little, with the keys that are looked at.
fn any_json() -> impl Strategy<Value = Value> {
    let key = prop_oneof![
        Just("action"),
        Just("installation"),
        Just("repository"),
        Just("sender"),
        Just("issue"),
        Just("id"),
        Just("pull_request"),
        Just("comment"),
        Just("label"),
        Just("changes"),
        Just("name"),
        Just("full_name"),
        Just("number"),
        Just("body"),
        Just("ref"),
        Just("performed_via_github_app"),
        Just("login"),
        Just("title"),
        Just("parent_issue"),
        Just("blocked_issue"),
        Just("parent_issue_url"),
        Just("check_suite"),
        Just("pull_requests"),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        prop_oneof![
            Just("labeled"),
            Just("edited"),
            Just("created"),
            Just("deleted"),
            Just("rerequested"),
            Just("acme/widgets"),
            Just("\u{0}\"🚦\\")
        ]
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 10, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec((key.clone(), inner), 0..8).prop_map(|pairs| Value::Object(
                pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
            )),
        ]
    })
}

#[test]
fn json_of_another_shape_is_ignored() {
    for other in ["[null,[null,null]]", "[]", "7", "\"issues\"", "{\"action\":[]}"] {
        assert!(event("issues", other.as_bytes(), &us()).is_ok(), "{other}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_answered(name in prop_oneof![Just("issues"), Just("push"), Just("issue_comment")], bytes: Vec<u8>) {
        let _ = event(name, &bytes, &us());
    }

    #[test]
    fn any_json_is_json(name in prop_oneof![Just("issues"), Just("push"), Just("issue_comment"), Just("pull_request"), Just("sub_issues"), Just("check_suite")], value in any_json()) {
        prop_assert!(event(name, value.to_string().as_bytes(), &us()).is_ok());
    }

    #[test]
    fn a_payload_cut_anywhere_is_no_json(at in 0usize..400) {
        let whole = payload(json!({"action": "labeled", "label": {"name": "gate:start"}})).to_string();
        let cut = at.min(whole.len() - 1);
        prop_assert_eq!(event("issues", &whole.as_bytes()[..cut], &us()), Err(NotJson));
    }
}
