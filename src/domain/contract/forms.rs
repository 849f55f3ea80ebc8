//! GitHub's issue forms and pull request template, made of the fields that a contract requires (chapter 2).
//!
//! GitHub writes a filled form as `### Label`, a blank line and the answer. A label is the required heading byte for byte,
//! so an issue that came through the form has every heading that preflight looks for.

use super::model::{Contract, Field, FieldType, Gate};
use super::print::quoted;
use super::report::{Report, Source};
use super::tree::{Node, Value, parse};
use crate::domain::ids::{GateId, Language};
use crate::domain::text::{Document, heading_key};
use sha1::{Digest, Sha1};
use std::collections::HashSet;
use std::fmt::Write as _;

/// What a form or template asks people for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// A parent issue, for the gate acceptance.
    Parent,
    /// A child issue, for the gates split and start.
    Child,
    /// A report, for the gates outcome and integration.
    Report,
}

/// A file that a contract implies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// What it asks for.
    pub ask: Ask,
    /// Where it belongs in a repository.
    pub path: &'static str,
    /// What stands in it.
    pub text: String,
    /// The fields that it asks for, in order.
    pub fields: Vec<Field>,
}

/// What the first line of a file of ours holds; a file without it was written by a person.
const MARK: &str = "Written by `sekisho contract forms`";

impl Ask {
    /// All of them, in the order of the road.
    pub const ALL: [Self; 3] = [Self::Parent, Self::Child, Self::Report];

    /// Where its file belongs in a repository.
    #[must_use]
    pub fn path(self) -> &'static str {
        match self {
            Self::Parent => ".github/ISSUE_TEMPLATE/parent.yml",
            Self::Child => ".github/ISSUE_TEMPLATE/child.yml",
            Self::Report => ".github/PULL_REQUEST_TEMPLATE.md",
        }
    }

    fn gates(self) -> &'static [GateId] {
        match self {
            Self::Parent => &[GateId::Acceptance],
            Self::Child => &[GateId::Split, GateId::Start],
            Self::Report => &[GateId::Outcome, GateId::Integration],
        }
    }
}

/// The files that contracts in force together imply; none for what they require nothing of.
#[must_use]
pub fn forms(contracts: &[Contract]) -> Vec<Form> {
    let Some(first) = contracts.first() else { return Vec::new() };
    // A contract that names no language speaks that of its headings.
    let headings =
        || Ask::ALL.into_iter().flat_map(|ask| asked(contracts, ask)).map(|field| field.name).collect::<String>();
    let words = Words { language: first.language.unwrap_or_else(|| Language::of(&headings())) };
    let form = |ask: Ask| {
        let fields = asked(contracts, ask);
        let label = gates(contracts, ask).last().map(|gate| gate.label.as_str());
        let text = match ask {
            Ask::Report => template(&fields, words),
            Ask::Parent | Ask::Child => issue_form(ask, &fields, label, words),
        };
        (!fields.is_empty()).then_some(Form { ask, path: ask.path(), text, fields })
    };
    Ask::ALL.into_iter().filter_map(form).collect()
}

/// The fields that preflight asks of such a subject at any of its gates; where no gate is declared, those of `templates`.
#[must_use]
pub fn asked(contracts: &[Contract], ask: Ask) -> Vec<Field> {
    let mut fields: Vec<Field> = Vec::new();
    let mut known = HashSet::new();
    let mut add = |more: &[Field]| {
        for field in more {
            if known.insert(heading_key(&field.name)) {
                fields.push(field.clone());
            }
        }
    };
    let mut gates = gates(contracts, ask).peekable();
    if gates.peek().is_none() {
        for contract in contracts {
            let templates = &contract.templates;
            add(match ask {
                Ask::Parent => &templates.parent_issue_required_fields,
                Ask::Child => &templates.child_issue_required_fields,
                Ask::Report => &templates.report_required_fields,
            });
        }
    }
    gates.for_each(|gate| add(&gate.fields));
    fields
}

fn gates(contracts: &[Contract], ask: Ask) -> impl Iterator<Item = &Gate> {
    ask.gates().iter().flat_map(move |id| contracts.iter().filter_map(|contract| contract.gate(*id)))
}

impl Form {
    /// Whether a file was written by this program, so that it may be written again.
    #[must_use]
    pub fn is_ours(text: &str) -> bool {
        text.lines().next().is_some_and(|line| line.contains(MARK))
    }

    /// The required headings that a form or template does not ask for; an alias counts.
    #[must_use]
    pub fn missing(&self, headings: &[String]) -> Vec<&str> {
        let keys: HashSet<String> = headings.iter().map(|heading| heading_key(heading)).collect();
        let there = |field: &&Field| {
            let mut names = std::iter::once(&field.name).chain(&field.aliases);
            !names.any(|name| keys.contains(&heading_key(name)))
        };
        self.fields.iter().filter(there).map(|field| field.name.as_str()).collect()
    }

    /// Required headings that Markdown does not give back as they are written, so that no issue can have them.
    #[must_use]
    pub fn unfindable(&self) -> Vec<&str> {
        let lost = |field: &&Field| {
            let document = Document::parse(&format!("### {}\n\n1\n", field.name));
            document.section([field.name.as_str()]).is_none()
        };
        self.fields.iter().filter(lost).map(|field| field.name.as_str()).collect()
    }
}

/// The headings that an issue has after such a form or template was filled; none where it is no form.
#[must_use]
pub fn headings(path: &str, text: &str) -> Option<Vec<String>> {
    let extension = path.rsplit('.').next().unwrap_or_default().to_lowercase();
    if extension == "md" {
        return Some(Document::parse(text).sections().iter().map(|section| section.title.clone()).collect());
    }
    let root = parse(text, &mut Report::new(0, Source::new(path, text))).root?;
    let Value::List(body) = &get(&root, "body")?.value else { return None };
    let label = |element: &Node| match &get(get(element, "attributes")?, "label")?.value {
        Value::Text(label) | Value::Other { text: label, .. } => Some(label.clone()),
        _ => None,
    };
    Some(body.iter().filter_map(label).collect())
}

fn get<'n>(node: &'n Node, key: &str) -> Option<&'n Node> {
    let Value::Map(entries) = &node.value else { return None };
    entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value)
}

/// Every text stands in double quotes: GitHub reads YAML 1.1, where `no`, `on` and `1:30` are no texts.
fn issue_form(ask: Ask, fields: &[Field], label: Option<&str>, words: Words) -> String {
    let mut out = format!("# {MARK}: {}\n", words.warning());
    let mut line = |indent: usize, key: &str, text: &str| {
        let _ = writeln!(out, "{:indent$}{key}: {}", "", quoted(text));
    };
    line(0, "name", words.name(ask));
    line(0, "description", words.description(ask));
    out.push_str("body:\n  - type: markdown\n    attributes:\n");
    let _ = writeln!(out, "      value: {}", quoted(&words.introduction(label)));
    let mut ids = HashSet::new();
    for field in fields {
        let kind = if field.kind == FieldType::Integer { "input" } else { "textarea" };
        let _ = writeln!(out, "  - type: {kind}\n    id: {}\n    attributes:", quoted(&id(&field.name, &mut ids)));
        let mut line = |key: &str, text: &str| {
            let _ = writeln!(out, "      {key}: {}", quoted(text));
        };
        line("label", &field.name);
        if let Some(about) = field.means.clone().or_else(|| words.hint(&field.kind)) {
            // The description is Markdown, where `<name>` would vanish.
            line("description", &about.replace('<', "\\<"));
        }
        match &field.kind {
            FieldType::Table => line("value", &words.table(ask)),
            FieldType::Integer => line("placeholder", "3"),
            FieldType::Link => line("placeholder", "https://"),
            FieldType::Numbered(prefix) => {
                let prefix = prefix.trim_end_matches('-');
                line("placeholder", &format!("- {prefix}-1: …\n- {prefix}-2: …"));
            }
            FieldType::Text => {
                if let Some(means) = &field.means {
                    line("placeholder", means);
                }
            }
        }
        out.push_str("    validations:\n      required: true\n");
    }
    out
}

/// Stable under reordering: it depends on the heading alone. GitHub takes ASCII letters, digits, `-` and `_`.
fn id(heading: &str, taken: &mut HashSet<String>) -> String {
    let parts = heading.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    let slug = parts.collect::<Vec<_>>().join("-").to_lowercase();
    let whole = heading.is_ascii() && slug.starts_with(|c: char| c.is_ascii_alphabetic());
    let hash = || format!("field-{}", &hex::encode(Sha1::digest(heading_key(heading)))[..8]);
    let mut id = if whole && slug.len() <= 40 { slug } else { hash() };
    if !taken.insert(id.clone()) {
        id = hash();
        taken.insert(id.clone());
    }
    id
}

fn template(fields: &[Field], words: Words) -> String {
    let mut out = format!("<!-- {MARK}: {} -->\n", words.warning());
    for field in fields {
        let _ = writeln!(out, "\n## {}\n", field.name);
        let hint = words.hint(&field.kind).filter(|_| field.means.is_none());
        if let Some(about) = field.means.clone().or(hint) {
            // Nothing in the meaning may end the comment.
            let _ = writeln!(out, "<!-- {} -->", about.replace("--", "- -"));
        }
        if field.kind == FieldType::Table {
            let _ = writeln!(out, "\n{}", words.table(Ask::Report));
        }
    }
    out
}

/// What the files say beside the contract's own words.
#[derive(Clone, Copy)]
struct Words {
    language: Language,
}

impl Words {
    fn pick<'w>(self, ja: &'w str, en: &'w str) -> &'w str {
        match self.language {
            Language::Ja => ja,
            Language::En => en,
        }
    }

    fn warning(self) -> &'static str {
        self.pick(
            "契約から作ったもの。直すときは契約を直して作り直す",
            "made from the contract; change the contract and write it again",
        )
    }

    fn name(self, ask: Ask) -> &'static str {
        match ask {
            Ask::Parent => self.pick("親 issue", "Parent issue"),
            Ask::Child => self.pick("子 issue", "Child issue"),
            Ask::Report => self.pick("成果の報告", "Report"),
        }
    }

    fn description(self, ask: Ask) -> &'static str {
        match ask {
            Ask::Parent => {
                self.pick("いくつかの子 issue に分けて進める仕事", "Work that is split into several child issues")
            }
            Ask::Child => self.pick("一つにまとめて作れる仕事", "One piece of work that is built and merged alone"),
            Ask::Report => self.pick("できたものの報告", "A report of what was built"),
        }
    }

    fn introduction(self, label: Option<&str>) -> String {
        let fill = self.pick(
            "すべての欄を書いてください。空の欄がある issue は、判定の前に差し戻されます。",
            "Fill every field: an issue with an empty one is returned before it is judged.",
        );
        let Some(label) = label else { return fill.to_owned() };
        let label = if label.contains('`') { label.to_owned() } else { format!("`{label}`") };
        match self.language {
            Language::Ja => format!("{fill}ラベル {label} を付けると判定が始まります。"),
            Language::En => format!("{fill} The label {label} starts the judgement."),
        }
    }

    fn hint(self, kind: &FieldType) -> Option<String> {
        let hint = match kind {
            FieldType::Text => return None,
            FieldType::Integer => self.pick("整数を一つ", "One integer"),
            FieldType::Table => self.pick("表で書く", "A table"),
            FieldType::Link => self.pick("リンクを一つ以上", "At least one link"),
            FieldType::Numbered(prefix) => {
                let prefix = prefix.trim_end_matches('-');
                return Some(match self.language {
                    Language::Ja => format!("{prefix}-1、{prefix}-2 … と番号を付ける"),
                    Language::En => format!("Items numbered {prefix}-1, {prefix}-2 …"),
                });
            }
        };
        Some(hint.to_owned())
    }

    /// A table to fill; while its rows are blank, preflight takes it for nothing.
    fn table(self, ask: Ask) -> String {
        let head = match ask {
            Ask::Report => self.pick("| 要件 | 結果 |", "| Requirement | Result |"),
            Ask::Parent | Ask::Child => self.pick("| 項目 | 内容 |", "| Item | Content |"),
        };
        format!("{head}\n|---|---|\n| | |")
    }
}
