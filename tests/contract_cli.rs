//! The tools around a contract file, as a person and a machine meet them: what is printed, what is written, the exit code.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, reason = "a test program")]

use assert_cmd::Command;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Runs in a folder and gives exit code, standard output, standard error.
fn ran_in(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sekisho"));
    let output = command.arg("contract").args(arguments).current_dir(folder).env_remove("RUST_LOG").output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

fn ran(arguments: &[&str]) -> (i32, String, String) {
    ran_in(Path::new(env!("CARGO_MANIFEST_DIR")), arguments)
}

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

const JA: &str = include_str!("../contracts/handoff-ja.yaml");
const EN: &str = include_str!("../contracts/handoff-en.yaml");
const BROKEN: &str = "kind: handoff\nphases: []\ngates: {}\n言語: ja\nbudgets: {max: 2}\n";

// --- check -----------------------------------------------------------------------------------------------------------

#[test]
fn ten_broken_contracts_are_drawn() {
    let mut seen = 0;
    let mut names: Vec<_> =
        fs::read_dir("examples/contracts/broken").unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    for path in names {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let (code, out, err) = ran(&["check", path.to_str().unwrap()]);
        assert_eq!(err, "");
        let warnings_only = name.starts_with("half-a-waiting-level");
        assert_eq!(code, i32::from(!warnings_only), "{out}");
        insta::with_settings!({snapshot_path => "snapshots/broken", prepend_module_to_snapshot => false, omit_expression => true}, {
            insta::assert_snapshot!(name, out);
        });
        seen += 1;
    }
    assert_eq!(seen, 10);
}

#[test]
fn problems_are_drawn_under_their_column() {
    let here = folder(&[("a.yaml", BROKEN), ("none.yaml", "a: 1\n")]);
    let (code, out, _) = ran_in(here.path(), &["check", "a.yaml", "./none.yaml"]);
    assert_eq!(code, 1);
    insta::assert_snapshot!(out, @r#"
    error[empty]: `gates` declares no gate
     --> a.yaml:3:8
      |
    3 | gates: {}
      |        ^
      |
      = expected at least one gate

    error[unknown-key]: a contract has no key `言語`
     --> a.yaml:4:1
      |
    4 | 言語: ja
      | ^^^^
      |
      = expected one of version, kind, language, budgets, phases, templates, split_criteria, gates, enabled_gates, trusted_apps, notify, extends

    error[unknown-key]: `budgets` has no key `max`
     --> a.yaml:5:11
      |
    5 | budgets: {max: 2}
      |           ^^^
      |
      = expected one of max_iterations_per_gate

    notice[no-kind]: the file has no `kind`, so it is no contract and ignored
    --> none.yaml
     = expected kind: handoff

    2 files: 3 errors, 0 warnings, 1 notice
    "#);
}

/// The cells that a terminal gives the part of a line before a mark, and the mark itself.
fn cells(text: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(text)
}

#[test]
fn marks_stand_under_wide_characters() {
    let here = folder(&[("a.yaml", "kind: handoff\nphases: [{名前: x}]\ngates: {\"受理\": {}, ｶﾅ: {}}\n")]);
    let (_, out, _) = ran_in(here.path(), &["check", "a.yaml"]);
    let lines: Vec<&str> = out.lines().collect();
    for (word, wide) in [("名前", 4), ("\"受理\"", 6), ("ｶﾅ", 2)] {
        let drawn = lines.iter().position(|line| {
            line.contains(&format!("{word}:"))
                && line.contains(" | ")
                && line.trim_start().starts_with(|c: char| c.is_ascii_digit())
        });
        let marks: Vec<_> = lines
            .windows(2)
            .filter(|pair| pair[0].contains(word) && pair[1].contains('^'))
            .map(|pair| {
                (cells(pair[0].split(word).next().unwrap()), pair[1].find('^').unwrap(), pair[1].matches('^').count())
            })
            .collect();
        assert!(
            drawn.is_some() && marks.iter().any(|(before, at, count)| before == at && *count == wide),
            "{word} {marks:?}\n{out}"
        );
    }
}

#[test]
fn exit_codes_follow_the_worst_problem() {
    let here = folder(&[("good.yaml", EN), ("none.yaml", "a: 1\n"), ("broken.yaml", BROKEN)]);
    fs::write(here.path().join("bytes.yaml"), b"kind: \xff\n").unwrap();
    let check = |paths: &[&str]| ran_in(here.path(), &[&["check"], paths].concat());
    assert_eq!(check(&["good.yaml"]), (0, "1 file: 0 errors, 0 warnings, 0 notices\n".into(), String::new()));
    assert_eq!(check(&["none.yaml"]).0, 0, "not ours: a notice");
    assert_eq!(check(&["broken.yaml"]).0, 1);
    assert_eq!(check(&["bytes.yaml"]).0, 2);
    let (code, out, _) = check(&["broken.yaml", "gone.yaml"]);
    assert!(code == 2 && out.contains("error[unreadable]: can't be read") && out.contains("--> gone.yaml"), "{out}");
    for usage in [
        &["check"][..],
        &["check", "good.yaml", "--format", "xml"],
        &["frobnicate"],
        &[],
        &["forms", "--check", "--force"],
    ] {
        assert_eq!(ran_in(here.path(), usage).0, 64, "{usage:?}");
    }
}

#[test]
fn folders_are_searched_and_their_files_compared() {
    let changed = format!("{EN}# changed\n");
    let here = folder(&[("c/a.yaml", JA), ("c/b.yml", &changed), ("c/inner/c.yaml", EN), ("c/d.txt", "x")]);
    let (code, out, _) = ran_in(here.path(), &["check", "c"]);
    assert_eq!(code, 1);
    assert!(out.contains("error[duplicate-gate]: the gate acceptance is declared here and in c/a.yaml line "), "{out}");
    assert!(out.ends_with("3 files: 5 errors, 0 warnings, 0 notices\n"), "{out}");
    let here = folder(&[("a.yaml", JA), ("b.yaml", EN)]);
    let (code, out, _) = ran_in(here.path(), &["check", "."]);
    assert!(code == 0 && out.ends_with("2 files: 0 errors, 5 warnings, 0 notices\n"), "{out}");
    assert!(out.contains("--> b.yaml:"), "no ./ before a name: {out}");
}

#[test]
fn machines_get_json_commands_and_sarif() {
    let here = folder(&[
        ("a.yaml", BROKEN),
        ("契約 1,2.yaml", "kind: handoff\n# 100%\nphases: []\ngates: {start: {phase: 100%}}\n"),
    ]);
    let both = ["a.yaml", "契約 1,2.yaml"];
    let check = |format| ran_in(here.path(), &[&["check", "--format", format], &both[..]].concat());

    let (code, out, _) = check("json");
    let problems: Vec<Value> = serde_json::from_str(&out).unwrap();
    assert_eq!((code, problems.len()), (1, 4));
    let first = &problems[0];
    assert_eq!((&first["id"], &first["severity"], &first["line"]), (&"empty".into(), &"error".into(), &3.into()));
    assert_eq!(first["source"], "gates: {}");

    let (code, out, _) = check("github");
    assert_eq!(code, 1);
    assert!(
        out.starts_with(
            "::error file=a.yaml,line=3,col=8,endColumn=9,title=empty::`gates` declares no gate%0Aexpected "
        ),
        "{out}"
    );
    assert!(
        out.contains("::error file=a.yaml,line=4,col=1,endColumn=3,title=unknown-key::a contract has no key `言語`%0A"),
        "{out}"
    );
    assert!(
        out.contains(
            "::error file=契約 1%2C2.yaml,line=4,col=24,endColumn=28,title=missing-phase::there is no phase `100%25`"
        ),
        "{out}"
    );

    let (code, out, _) = check("sarif");
    let log: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, log["version"].as_str()), (1, Some("2.1.0")));
    let run = &log["runs"][0];
    assert_eq!(run["columnKind"], "unicodeCodePoints");
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 4);
    for result in results {
        let rule = &run["tool"]["driver"]["rules"][usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap()];
        assert_eq!(rule["id"], result["ruleId"]);
        assert!(
            rule["help"]["text"]
                .as_str()
                .unwrap()
                .contains(&format!("docs/contracts.md#{}", rule["id"].as_str().unwrap()))
        );
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
    }
    let place = &results[1]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "a.yaml");
    assert_eq!(
        (&place["region"]["startLine"], &place["region"]["startColumn"], &place["region"]["endColumn"]),
        (&4.into(), &1.into(), &3.into())
    );
    assert_eq!(
        results[3]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
        "%E5%A5%91%E7%B4%84%201%2C2.yaml"
    );
    let (code, out, _) = ran_in(here.path(), &["check", "--format", "sarif", "gone.yaml"]);
    let log: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &log["runs"][0]["results"][0]["ruleId"]), (2, &"unreadable".into()));
    assert_eq!(log["runs"][0]["results"][0]["locations"][0]["physicalLocation"].get("region"), None);
}

// --- show and schema -------------------------------------------------------------------------------------------------

#[test]
fn show_prints_what_loads_again() {
    let (code, out, err) = ran(&["show", "builtin:handoff-ja"]);
    assert_eq!((code, err.as_str()), (0, ""));
    let here = folder(&[(".github/contracts/a.yaml", &out), ("broken.yaml", BROKEN), ("none.yaml", "a: 1\n")]);
    let (code, again, err) = ran_in(here.path(), &["show"]);
    assert_eq!((code, again, err.as_str()), (0, out, ""), "what is in force here is found");
    let (code, out, err) = ran_in(here.path(), &["show", "broken.yaml"]);
    assert!(code == 1 && out.is_empty() && err.contains("error[unknown-key]"), "{code} {out}{err}");
    let (code, out, err) = ran_in(here.path(), &["show", "none.yaml"]);
    assert!(code == 2 && out.is_empty() && err.contains("none.yaml is no hand-off contract"), "{code} {err}");
    let (code, out, err) = ran_in(here.path(), &["show", "gone.yaml"]);
    assert!(code == 2 && out.is_empty() && err.contains("gone.yaml"), "{code} {err}");
    let (code, _, err) = ran_in(folder(&[]).path(), &["show"]);
    assert!(code == 2 && err.contains("no contract is in force here"), "{code} {err}");
}

#[test]
fn schema_prints_the_schema() {
    let (code, out, _) = ran(&["schema"]);
    let printed: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, printed), (0, sekisho::domain::contract::schema()));
}

// --- forms -----------------------------------------------------------------------------------------------------------

const PARENT: &str = ".github/ISSUE_TEMPLATE/parent.yml";
const CHILD: &str = ".github/ISSUE_TEMPLATE/child.yml";
const REPORT: &str = ".github/PULL_REQUEST_TEMPLATE.md";

/// A contract whose headings are what people write, and what YAML and Markdown stumble over.
const ODD: [&str; 22] = [
    "予算(コスト上限): 円",
    "「引用」の扱い",
    "- 先頭が線",
    "絵文字 🚦",
    "say \"it's\"",
    "C#",
    "100% ok?",
    "no",
    "1:30",
    "3",
    "null",
    "@user の確認",
    "a: b # c",
    "Acceptance criteria",
    "Acceptance criteria!",
    "acceptance criteria",
    "{中括弧}",
    "[角括弧]",
    "| 縦線 |",
    "back\\slash",
    "%YAML",
    "参照した skill と委譲した subagent",
];

fn odd() -> String {
    let quoted: Vec<String> = ODD.iter().map(|name| serde_json::to_string(name).unwrap()).collect();
    format!(
        "kind: handoff\nlanguage: ja\nphases: [{{name: a, receives: {{waiting_level: 条件。方式は未指定}}}}]\n\
         templates:\n  child_issue_required_fields:\n{}    - {{name: 表, type: table}}\n    - {{name: 数, type: integer}}\n    - {{name: 番号, numbered: AC}}\n    - {{name: 証拠, type: link, means: \"<場所> は --> ここ: 'a' \\\"b\\\"\"}}\n\
         gates: {{start: {{phase: a}}}}\n",
        quoted.iter().flat_map(|name| ["    - ", name, "\n"]).collect::<String>()
    )
}

/// What GitHub asks of an issue form; gives its input elements.
fn valid_form(text: &str) -> Vec<Value> {
    let form: Value = serde_saphyr::from_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let filled = |value: &Value| value.as_str().is_some_and(|text| !text.trim().is_empty());
    assert_eq!(keys(&form), ["body", "description", "name"]);
    assert!(filled(&form["name"]) && filled(&form["description"]));
    let mut ids = BTreeSet::new();
    let mut labels = BTreeSet::new();
    let mut inputs = Vec::new();
    for element in form["body"].as_array().unwrap() {
        let attributes = &element["attributes"];
        assert!(attributes.as_object().unwrap().values().all(filled), "{element}");
        if element["type"] == "markdown" {
            assert_eq!(
                (keys(element), keys(attributes)),
                (vec!["attributes".into(), "type".into()], vec!["value".into()])
            );
            continue;
        }
        assert!(["input", "textarea"].contains(&element["type"].as_str().unwrap()), "{element}");
        assert_eq!(keys(element), ["attributes", "id", "type", "validations"]);
        assert!(
            keys(attributes).iter().all(|key| ["label", "description", "placeholder", "value"].contains(&key.as_str()))
        );
        let id = element["id"].as_str().unwrap();
        assert!(!id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c)), "{id}");
        assert!(
            ids.insert(id.to_owned()) && labels.insert(attributes["label"].as_str().unwrap().to_owned()),
            "{element}"
        );
        assert_eq!(element["validations"], serde_json::json!({"required": true}));
        inputs.push(element.clone());
    }
    assert!(!inputs.is_empty());
    inputs
}

/// An answer that fits the element's hints.
fn answer(element: &Value) -> String {
    let attributes = &element["attributes"];
    let placeholder = attributes["placeholder"].as_str().unwrap_or_default();
    if let Some(value) = attributes["value"].as_str() {
        return value.replace("| | |", "| AC-1 | 確かめた |");
    }
    match placeholder {
        "3" => "3".to_owned(),
        "https://" => "https://example.com/log".to_owned(),
        numbered if numbered.starts_with("- ") => numbered.replace('…', "確かめられる"),
        _ => "R-1 に応える。最後に確かめる".to_owned(),
    }
}

/// The issue as GitHub writes it from a filled form.
fn issue(inputs: &[Value], answer: impl Fn(&Value) -> String) -> String {
    let part =
        |element: &Value| format!("### {}\n\n{}", element["attributes"]["label"].as_str().unwrap(), answer(element));
    inputs.iter().map(part).collect::<Vec<_>>().join("\n\n")
}

/// Why preflight returns a text, by field; empty where a judge was asked.
fn preflight(folder: &Path, gate: &str, contract: &str, body: &str) -> Vec<String> {
    fs::write(folder.join("subject.md"), body).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_sekisho"));
    command.args(["judge", gate, "subject.md", "--contract", contract, "--format", "json"]);
    let output = command.current_dir(folder).env_remove("RUST_LOG").output().unwrap();
    let record: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    if record["model"].is_string() {
        return Vec::new();
    }
    let reasons = record["reasons"].as_array().unwrap();
    assert!(!reasons.is_empty(), "{record:#}");
    reasons.iter().map(ToString::to_string).collect()
}

#[test]
fn a_filled_form_lacks_nothing_that_preflight_asks_for() {
    for (contract, text) in [("ja.yaml", JA), ("en.yaml", EN), ("odd.yaml", &odd())] {
        let here = folder(&[(contract, text)]);
        let (code, out, err) = ran_in(here.path(), &["forms", contract]);
        assert_eq!((code, err.as_str()), (0, ""), "{out}");
        let read = |path: &str| fs::read_to_string(here.path().join(path)).unwrap();
        for (gate, path) in [("acceptance", PARENT), ("start", CHILD)] {
            if !here.path().join(path).exists() {
                assert_eq!((contract, path), ("odd.yaml", PARENT), "nothing is required of a parent there");
                continue;
            }
            let inputs = valid_form(&read(path));
            assert_eq!(
                preflight(here.path(), gate, contract, &issue(&inputs, answer)),
                Vec::<String>::new(),
                "{contract} {gate}"
            );
            // Left as it comes, each field is missed.
            let untouched =
                |element: &Value| element["attributes"]["value"].as_str().unwrap_or("_No response_").to_owned();
            let missed = preflight(here.path(), gate, contract, &issue(&inputs, untouched));
            assert_eq!(missed.len(), inputs.len(), "{missed:#?}");
        }
        if contract != "odd.yaml" {
            let template = read(REPORT);
            assert_eq!(
                preflight(here.path(), "outcome", contract, &template).len(),
                6,
                "an untouched template says nothing"
            );
            let sections: Vec<String> = template
                .split("\n## ")
                .skip(1)
                .map(|part| {
                    part.replace("| | |", "| AC-1 | 満たした |") + "\n\n結論: 満たした。https://example.com/log\n"
                })
                .collect();
            let filled = format!("## {}", sections.join("\n## "));
            assert_eq!(preflight(here.path(), "outcome", contract, &filled), Vec::<String>::new(), "{filled}");
        }
    }
}

#[test]
fn labels_are_the_headings_byte_for_byte() {
    let here = folder(&[("odd.yaml", &odd())]);
    ran_in(here.path(), &["forms", "odd.yaml"]);
    let inputs = valid_form(&fs::read_to_string(here.path().join(CHILD)).unwrap());
    let labels: Vec<&str> = inputs.iter().map(|element| element["attributes"]["label"].as_str().unwrap()).collect();
    assert_eq!(labels, ODD.into_iter().chain(["表", "数", "番号", "証拠"]).collect::<Vec<_>>());
    assert_eq!(inputs.last().unwrap()["attributes"]["description"], "\\<場所> は --> ここ: 'a' \"b\"");
    // Ids depend on the heading, not on its place.
    let id =
        |heading: &str| inputs.iter().find(|element| element["attributes"]["label"] == heading).unwrap()["id"].clone();
    assert_eq!(id("Acceptance criteria"), "acceptance-criteria");
    let before = id("絵文字 🚦");
    fs::write(here.path().join("odd.yaml"), odd().replace("    - \"no\"\n", "").replace("    - \"C#\"\n", "")).unwrap();
    ran_in(here.path(), &["forms", "odd.yaml"]);
    let fewer = valid_form(&fs::read_to_string(here.path().join(CHILD)).unwrap());
    assert_eq!(fewer.len(), inputs.len() - 2);
    assert!(fewer.iter().any(|element| element["id"] == before), "{before}");
}

#[test]
fn headings_that_markdown_changes_are_named() {
    let text = odd().replace("    - \"C#\"\n", "    - \"`C` の版\"\n");
    let here = folder(&[("odd.yaml", &text)]);
    let (code, _, err) = ran_in(here.path(), &["forms", "odd.yaml"]);
    assert_eq!(code, 0);
    assert!(err.contains("the heading ``C` の版`"), "{err}");
}

#[test]
fn a_person_s_file_is_left_alone_and_compared_by_its_headings() {
    let here = folder(&[
        ("contracts/a.yaml", EN),
        (CHILD, "name: mine\ndescription: mine\nbody:\n  - {type: textarea, attributes: {label: Purpose}}\n"),
    ]);
    let forms = |more: &[&str]| ran_in(here.path(), &[&["forms"], more].concat());
    let (code, out, err) = forms(&[]);
    assert!(
        code == 1
            && out.contains(&format!("{PARENT}: written, 5 required headings\n{CHILD}: written by a person, lacks `")),
        "{out}"
    );
    assert!(err.contains(&format!("{CHILD} is left as it is; --force overwrites it")), "{err}");
    fs::remove_file(here.path().join(PARENT)).unwrap();
    let (code, out, _) = forms(&["--check"]);
    assert_eq!(code, 1);
    insta::assert_snapshot!(out, @r#"
    .github/ISSUE_TEMPLATE/parent.yml: not there
    .github/ISSUE_TEMPLATE/child.yml: written by a person, lacks `Parent requirement`, `Acceptance criteria`, `Success criteria`, `Stop condition`, `Budget (max_iterations)`
    .github/PULL_REQUEST_TEMPLATE.md: as the contract implies
    without --check the same command writes what differs or is not there
    "#);
    let (code, out, _) = forms(&["--force"]);
    assert_eq!(code, 0, "{out}");
    let (code, out, _) = forms(&["--check"]);
    assert_eq!(code, 0);
    insta::assert_snapshot!(out, @r#"
    .github/ISSUE_TEMPLATE/parent.yml: as the contract implies
    .github/ISSUE_TEMPLATE/child.yml: as the contract implies
    .github/PULL_REQUEST_TEMPLATE.md: as the contract implies
    "#);
    assert_eq!(forms(&[]).0, 0, "its own files are written again");

    // A changed file of ours is shown line by line; with other line ends it is the same.
    let child = fs::read_to_string(here.path().join(CHILD)).unwrap();
    fs::write(here.path().join(CHILD), child.replace('\n', "\r\n")).unwrap();
    assert_eq!(forms(&["--check"]).0, 0);
    fs::write(here.path().join(CHILD), child.replace("label: \"Stop condition\"", "label: \"Stop\"")).unwrap();
    let (code, out, _) = forms(&["--check"]);
    assert!(code == 1 && out.contains("  -       label: \"Stop\"\n  +       label: \"Stop condition\"\n"), "{out}");

    // A person's form under a name of its own is good where it asks for everything; an alias counts.
    fs::rename(here.path().join(CHILD), here.path().join(".github/ISSUE_TEMPLATE/task.yml")).unwrap();
    let theirs = child.split_once('\n').unwrap().1.replace("label: \"Parent requirement\"", "label: \"Covers\"");
    fs::write(here.path().join(".github/ISSUE_TEMPLATE/task.yml"), theirs.clone()).unwrap();
    let (code, out, _) = forms(&["--check"]);
    assert!(
        code == 0
            && out.contains(&format!(
                "{CHILD}: not there, but .github/ISSUE_TEMPLATE/task.yml asks for every required heading"
            )),
        "{out}"
    );
    fs::write(
        here.path().join(".github/ISSUE_TEMPLATE/task.yml"),
        theirs.replace("label: \"Success criteria\"", "label: \"Goals\""),
    )
    .unwrap();
    let (code, out, _) = forms(&["--check"]);
    assert!(code == 1 && out.contains("  .github/ISSUE_TEMPLATE/task.yml lacks `Success criteria`\n"), "{out}");
    fs::remove_file(here.path().join(".github/ISSUE_TEMPLATE/task.yml")).unwrap();
    let markdown = "---\nname: task\n---\n## Covers\n## Purpose\n## Acceptance criteria\n## Success criteria\n## Stop condition\n## max_iterations\n";
    fs::write(here.path().join(".github/ISSUE_TEMPLATE/task.md"), markdown).unwrap();
    assert_eq!(forms(&["--check"]).0, 0, "a Markdown template counts");
    fs::rename(here.path().join(REPORT), here.path().join("pull_request_template.md")).unwrap();
    assert_eq!(forms(&["--check"]).0, 0, "as does a pull request template where GitHub finds it");
    fs::remove_file(here.path().join("pull_request_template.md")).unwrap();
    let (code, out, _) = forms(&["--check"]);
    assert!(code == 1 && out.contains(&format!("{REPORT}: not there\n")), "{out}");
}

#[test]
fn forms_say_what_they_can_t_do() {
    let here = folder(&[
        ("broken.yaml", BROKEN),
        ("file", ""),
        (
            "bare.yaml",
            "kind: handoff\nphases: [{name: a, receives: {waiting_level: x is unspecified}}]\ngates: {start: {phase: a}}\n",
        ),
    ]);
    let (code, _, err) = ran_in(here.path(), &["forms"]);
    assert!(code == 2 && err.contains("no contract is in force here"), "{err}");
    let (code, _, err) = ran_in(here.path(), &["forms", "broken.yaml"]);
    assert!(code == 1 && err.contains("error[unknown-key]"), "{err}");
    let (code, _, err) = ran_in(here.path(), &["forms", "builtin:handoff-ja", "--out", "file"]);
    assert!(code == 2 && err.contains("file is no folder"), "{err}");
    let (code, out, _) = ran_in(here.path(), &["forms", "bare.yaml"]);
    assert!(code == 0 && out.contains("requires no field"), "{out}");
    fs::create_dir(here.path().join("there")).unwrap();
    assert_eq!(ran_in(here.path(), &["forms", "builtin:handoff-ja", "--out", "there"]).0, 0);
    assert!(here.path().join("there").join(CHILD).exists());
    let (code, out, _) = ran_in(here.path(), &["forms", "bare.yaml", "--out", "there", "--check"]);
    assert!(
        code == 1 && out.contains(&format!("{PARENT}: the contract requires none of these headings any more")),
        "{out}"
    );
}
