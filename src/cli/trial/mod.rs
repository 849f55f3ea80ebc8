//! `sekisho contract try`: what a contract would make of the issues that are open now, before it comes into force.
//!
//! Reads the issues and the repository's forms (`source`), judges each issue with the embedded judge, adds up (`tally`),
//! and shows it (`report`). Writes nothing anywhere.

mod forms;
mod report;
mod source;
mod tally;

use self::report::{FormReport, GateForm, Report};
use self::source::{Forms, Source};
use self::tally::Tally;
use super::progress::Progress;
use super::verdict::{Bench, Question};
use super::{UNREADABLE, complain, judge, say};
use crate::domain::contract::{Contract, builtin_named};
use crate::domain::ids::{GateId, RepositoryName};
use crate::domain::run::{Contracts, Issue};
use chrono::Utc;
use clap::{Args as ClapArgs, ValueEnum};
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

/// Gates that judge the body of an issue, the one that most issues meet first.
const GATES: [GateId; 2] = [GateId::Start, GateId::Acceptance];

/// Arguments of `sekisho contract try`.
#[derive(Debug, ClapArgs)]
#[command(group = clap::ArgGroup::new("source").required(true).args(["issues", "repo"]))]
pub(crate) struct Args {
    /// The contract: a file, builtin:handoff-ja or builtin:handoff-en
    contract: PathBuf,
    /// Only this gate: start or acceptance; without it both, where the contract enables them
    #[arg(long, value_parser = gate)]
    gate: Option<GateId>,
    /// Issues as GitHub's JSON: `gh issue list --json number,title,body,labels --limit 1000`, or
    /// `gh api --paginate 'repos/O/R/issues?state=open&per_page=100'`; - for standard input
    #[arg(long, value_name = "FILE")]
    issues: Option<PathBuf>,
    /// Read the open issues and the forms of this repository, through the App's own credentials
    #[arg(long, value_name = "OWNER/NAME", value_parser = repository)]
    repo: Option<RepositoryName>,
    /// The folder of issue forms; without it the one in the repository that holds the contract
    #[arg(long, value_name = "DIR", conflicts_with = "repo")]
    forms: Option<PathBuf>,
    /// The configuration file for --repo [default: sekisho.toml, where it is there]
    #[arg(long, value_name = "FILE", requires = "repo")]
    config: Option<PathBuf>,
    /// How to print the report
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// All figures
    Json,
}

/// Tries the contract. 0 = the report is made, whatever it says; 2 = the contract or the issues cannot be read.
pub(crate) fn run(args: &Args) -> u8 {
    match tried(args) {
        Ok(report) => {
            say(&match args.format {
                Format::Text => report.text(width()),
                Format::Json => report.json(),
            });
            0
        }
        Err(problem) => {
            complain(&problem);
            UNREADABLE
        }
    }
}

fn tried(args: &Args) -> Result<Report, String> {
    let contract = contract(&args.contract)?;
    let (gates, left_out) = gates(&contract, args.gate)?;
    let source = match (&args.issues, &args.repo) {
        (Some(file), _) => Source::of_file(file, args.forms.as_deref(), &args.contract)?,
        (None, Some(repository)) => Source::of_repository(repository, args.config.as_deref())?,
        (None, None) => return Err("name a file of issues, or a repository".to_owned()),
    };
    let forms = gaps(&contract, &gates, &source.forms);
    let tallies = tallies(&contract, &gates, &source.listed.issues)?;
    Ok(Report {
        contract: contract.origin.path.clone(),
        issues: source.listed.issues.len(),
        pull_requests: source.listed.pull_requests,
        closed: source.listed.closed,
        gates: tallies,
        left_out,
        forms_in: source.forms.place,
        forms,
        unread: source.forms.unread,
    })
}

fn contract(path: &Path) -> Result<Contract, String> {
    if let Some(builtin) = path.to_str().and_then(builtin_named) {
        return Ok(builtin.clone());
    }
    match judge::contracts(path)? {
        Contracts::InForce { mut contracts, .. } if contracts.len() == 1 => Ok(contracts.remove(0)),
        _ => Err(format!("{} holds no contract of kind handoff", path.display())),
    }
}

/// Which gates are tried, and which are not since `enabled_gates` leaves them out.
fn gates(contract: &Contract, only: Option<GateId>) -> Result<(Vec<GateId>, Vec<GateId>), String> {
    let declared = GATES.into_iter().filter(|gate| contract.gate(*gate).is_some());
    if let Some(only) = only {
        let known: Vec<&str> = declared.map(GateId::as_str).collect();
        return match contract.gate(only) {
            Some(_) => Ok((vec![only], Vec::new())),
            None => Err(format!(
                "the contract declares no gate {only}; of those tried here it declares: {}",
                listed(&known)
            )),
        };
    }
    let (enabled, left_out): (Vec<_>, Vec<_>) =
        declared.partition(|gate| contract.gate(*gate).is_some_and(|gate| gate.enabled));
    if enabled.is_empty() {
        return Err(
            "the contract enables no gate that judges the body of an issue: neither start nor acceptance".to_owned()
        );
    }
    Ok((enabled, left_out))
}

fn listed(names: &[&str]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

fn tallies(contract: &Contract, gates: &[GateId], issues: &[Issue]) -> Result<Vec<Tally>, String> {
    let mut contract = contract.clone();
    // A gate that was asked for by name is judged, whatever `enabled_gates` says of it.
    contract.gates.iter_mut().for_each(|gate| gate.enabled = gate.enabled || gates.contains(&gate.id));
    let contracts = Contracts::InForce { contracts: vec![contract], notices: Vec::new() };
    let mut progress = Progress::new("judging", Some(gates.len() * issues.len()));
    let now = Utc::now();
    let bench = Bench::of_rules()?;
    let mut tallies = Vec::new();
    for gate in gates {
        let mut tally = Tally::new(*gate);
        for issue in issues {
            let question = Question {
                gate: *gate,
                title: issue.title.clone(),
                body: issue.body.clone(),
                against: None,
                contracts: contracts.clone(),
                records: Vec::new(),
            };
            tally.add(issue.number, &bench.reach(&question.dossier(now))?.done);
            progress.step();
        }
        tallies.push(tally.sorted());
    }
    Ok(tallies)
}

fn gaps(contract: &Contract, gates: &[GateId], forms: &Forms) -> Vec<FormReport> {
    let of = |form: &forms::Form| {
        let rules = gates.iter().filter_map(|gate| contract.gate(*gate)).filter(|gate| !gate.fields.is_empty());
        let gap = |gate: &crate::domain::contract::Gate| GateForm {
            gate: gate.id,
            required: gate.fields.len(),
            lacking: forms::lacking(&gate.fields, &form.headings),
        };
        FormReport { file: form.file.clone(), gates: rules.map(gap).collect() }
    };
    forms.found.iter().map(of).collect()
}

/// A gate as an argument: one that judges the body of an issue.
fn gate(text: &str) -> Result<GateId, String> {
    let gate = super::gate(text)?;
    if GATES.contains(&gate) {
        return Ok(gate);
    }
    Err(format!("the gate {gate} does not judge the body of an issue; start and acceptance do"))
}

fn repository(text: &str) -> Result<RepositoryName, String> {
    text.parse().map_err(|_| format!("`{text}` is no repository; expected OWNER/NAME"))
}

/// Cells of the terminal; a pipe is as wide as a page.
fn width() -> u16 {
    let columns = if std::io::stdout().is_terminal() { comfy_table::Table::new().width() } else { None };
    columns.unwrap_or(100).clamp(60, 120)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Only {
        #[command(flatten)]
        args: Args,
    }

    const PASSES: &str = include_str!("../../../examples/demo/issue-en.md");

    struct Folder(tempfile::TempDir);

    impl Folder {
        fn new(files: &[(&str, &str)]) -> Self {
            let folder = tempfile::tempdir().unwrap();
            for (name, text) in files {
                let path = folder.path().join(name);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
            Self(folder)
        }

        fn args(&self, line: &[&str]) -> Result<Args, u8> {
            let here = self.0.path().display().to_string();
            let words = line.iter().map(|word| word.replace("HERE", &here));
            let parsed = Only::try_parse_from(std::iter::once("try".to_owned()).chain(words));
            parsed.map(|only| only.args).map_err(|_| crate::cli::USAGE)
        }

        fn report(&self, line: &[&str]) -> Result<Report, String> {
            tried(&self.args(line).unwrap())
        }
    }

    fn issues(bodies: &[&str]) -> String {
        let issue = |(number, body): (u64, &&str)| serde_json::json!({"number": number, "title": "T", "body": body});
        serde_json::to_string(&(1..).zip(bodies).map(issue).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn the_report_is_read_in_ten_seconds() {
        let near = PASSES.replace("## Acceptance criteria", "## Acceptance (draft)");
        let vague = PASSES.replace("## Acceptance criteria\n", "## Acceptance criteria\n- AC-9: it is easy to use\n");
        let folder = Folder::new(&[
            ("issues.json", &issues(&[PASSES, &near, &near, "please\u{202e}", &vague])),
            ("forms/task.md", "## Parent requirement\n## Purpose\n## Acceptance\n"),
            ("forms/bug.yml", "body:\n- {type: input, attributes: {label: Version}}\n"),
            ("forms/odd.yml", "body: [\n"),
        ]);
        let line = ["builtin:handoff-en", "--gate", "start", "--issues", "HERE/issues.json", "--forms", "HERE/forms"];
        let report = folder.report(&line).unwrap();
        let text = report.text(100).replace(&folder.0.path().display().to_string(), "HERE");
        insta::assert_snapshot!(text, @r#"
        1 of 5 open issues would pass the start gate; 4 returned (4 TOO_ABSTRACT, 0 TOO_CONCRETE).

        What the start gate returns most:
         issues  returned for                           such as
              3  no heading “Acceptance criteria”       #2 “Acceptance (draft)”, #3 “Acceptance (draft)”,
                                                        #4
              1  no heading “Parent requirement”        #4
              1  no heading “Purpose”                   #4
              1  no heading “Success criteria”          #4
              1  no heading “Stop condition”            #4
              1  no heading “Budget (max_iterations)”   #4
              1  vague-word: Vague words (appropriate,  #5 “AC-9: it is easy to use”
                 flexible and the like)

        Headings that issues lack at the start gate:
         missing  empty  required heading         nearest headings seen
               3      0  Acceptance criteria      “Acceptance (draft)” ×2
               1      0  Parent requirement
               1      0  Purpose
               1      0  Success criteria
               1      0  Stop condition
               1      0  Budget (max_iterations)

        Issue forms in HERE/forms: 2 of 2 lack a required heading; what is filed with them is returned.
         form     the start gate misses
         bug.yml  all 6
         task.md  Acceptance criteria (has: “Acceptance”), Success criteria, Stop condition, Budget
                  (max_iterations)
        Not read: odd.yml: line 1, column 7: no YAML: unclosed bracket '['
        "#);
        let json: serde_json::Value = serde_json::from_str(&report.json()).unwrap();
        assert_eq!((&json["issues"], &json["gates"][0]["returned"]), (&5.into(), &4.into()));
        assert_eq!(json["gates"][0]["causes"][0]["kind"], "missing_heading");
        assert_eq!(json["forms"][1]["gates"][0]["lacking"].as_array().unwrap().len(), 4);
    }

    #[test]
    fn what_cannot_be_tried_says_why() {
        let folder = Folder::new(&[
            ("good.json", "[]"),
            ("bad.json", "[{\"number\": 1,\n oops"),
            ("broken.yaml", "kind: handoff\nversion: 1\ntypo: true\n"),
        ]);
        let says = |line: &[&str], expect: &str| {
            let said = folder.report(line).unwrap_err();
            assert!(said.contains(expect), "{line:?}: {said}");
        };
        says(&["builtin:handoff-en", "--issues", "HERE/bad.json"], "bad.json: line 2, column 2: no JSON: key must be");
        says(&["builtin:handoff-en", "--issues", "HERE/gone.json"], "gone.json: No such file");
        says(&["HERE/broken.yaml", "--issues", "HERE/good.json"], "typo");
        says(&["builtin:handoff-en", "--issues", "HERE/good.json", "--forms", "HERE/gone"], "gone: No such file");
        assert_eq!(run(&folder.args(&["HERE/broken.yaml", "--issues", "HERE/good.json"]).unwrap()), UNREADABLE);
        assert_eq!(run(&folder.args(&["builtin:handoff-en", "--issues", "HERE/good.json"]).unwrap()), 0);
        for wrong in [
            &["builtin:handoff-en"][..],
            &["builtin:handoff-en", "--issues", "x", "--repo", "o/r"],
            &["builtin:handoff-en", "--issues", "x", "--gate", "outcome"],
            &["builtin:handoff-en", "--repo", "nonsense"],
            &["--issues", "x"],
        ] {
            assert_eq!(folder.args(wrong).err(), Some(crate::cli::USAGE), "{wrong:?}");
        }
    }

    #[test]
    fn a_gate_that_is_not_enabled_is_tried_by_its_name_only() {
        let text = crate::domain::contract::print(crate::domain::contract::builtin(crate::domain::ids::Language::En));
        let at = text.find("enabled_gates:").unwrap_or(text.len());
        let contract = format!("{}enabled_gates: [start]\n", &text[..at]);
        let folder = Folder::new(&[("c.yaml", &contract), ("i.json", &issues(&["x"]))]);
        let report = folder.report(&["HERE/c.yaml", "--issues", "HERE/i.json"]).unwrap();
        assert_eq!((report.gates.len(), report.left_out.as_slice()), (1, &[GateId::Acceptance][..]));
        assert!(report.text(80).contains("Not tried: the acceptance gate is not in `enabled_gates`"));
        let line = ["HERE/c.yaml", "--issues", "HERE/i.json", "--gate", "acceptance"];
        assert_eq!(folder.report(&line).unwrap().gates[0].returned, 1);
    }
}
