//! The issue forms and Markdown templates of a repository, and which required headings they lack: whoever fills such a
//! form in is returned, however well it is filled in.

use crate::domain::contract::Field;
use crate::domain::text::{Document, heading_key};
use granit_parser::{Event, Parser};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Where GitHub looks for them, in the repository.
pub(super) const FOLDER: &str = ".github/ISSUE_TEMPLATE";
/// A larger file is none that GitHub would show.
pub(super) const LARGEST: u64 = 256 * 1024;

/// A form nests four levels deep.
const DEEPEST: usize = 32;

/// A form or template, as far as its headings go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Form {
    /// Its file's name.
    pub file: String,
    /// The headings that an issue written with it has, in order.
    pub headings: Vec<String>,
}

/// A required heading that a form lacks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Lacking {
    /// The heading.
    pub heading: String,
    /// A heading of the form that comes near.
    pub near_miss: Option<String>,
}

/// The required headings that issues written with these headings would lack. Pure.
pub(super) fn lacking(fields: &[Field], headings: &[String]) -> Vec<Lacking> {
    // As GitHub writes a filled form.
    let filled: Vec<String> =
        headings.iter().map(|heading| format!("### {}\n\nx\n", heading.replace('\n', " "))).collect();
    let body = filled.join("\n");
    let document = Document::parse(&body);
    let missing = fields.iter().filter(|field| document.section(names(field)).is_none());
    let lack = |field: &Field| {
        let others = fields.iter().filter(|other| other.name != field.name).flat_map(names);
        let near_miss = document.near_miss(names(field), others).map(|miss| miss.title);
        Lacking { heading: field.name.clone(), near_miss }
    };
    missing.map(lack).collect()
}

fn names(field: &Field) -> impl Iterator<Item = &str> {
    std::iter::once(field.name.as_str()).chain(field.aliases.iter().map(String::as_str))
}

/// Whether GitHub offers a file of that name as a form or template.
pub(super) fn is_form(file: &str) -> bool {
    let lower = file.to_lowercase();
    let (stem, extension) = lower.rsplit_once('.').unwrap_or((&lower, ""));
    matches!(extension, "yml" | "yaml" | "md") && !(stem == "config" && extension != "md")
}

/// Reads a form (`.yml`, `.yaml`) or a Markdown template (`.md`).
///
/// # Errors
/// What keeps a YAML form from being read.
pub(super) fn read(file: &str, text: &str) -> Result<Form, String> {
    let markdown = file.to_lowercase().ends_with(".md");
    let headings = if markdown { of_template(text) } else { of_form(text)? };
    Ok(Form { file: file.to_owned(), headings })
}

#[derive(Deserialize)]
struct FormShape {
    body: Vec<ElementShape>,
}

#[derive(Deserialize)]
struct ElementShape {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    attributes: Attributes,
}

#[derive(Default, Deserialize)]
struct Attributes {
    label: Option<String>,
}

/// A form's labels become headings; its `markdown` is shown to people and written nowhere.
fn of_form(text: &str) -> Result<Vec<String>, String> {
    let form: FormShape = serde_json::from_value(yaml(text)?).map_err(|error| format!("no issue form: {error}"))?;
    let asked = form.body.into_iter().filter(|element| element.kind != "markdown");
    Ok(asked.filter_map(|element| element.attributes.label).filter(|label| !heading_key(label).is_empty()).collect())
}

/// YAML as plain data: every scalar a text, an alias nothing. GitHub's forms have neither.
fn yaml(text: &str) -> Result<Value, String> {
    let options = granit_parser::options! { flow_nesting_limit: DEEPEST, block_nesting_limit: DEEPEST };
    let mut open: Vec<(Value, Option<String>)> = vec![(Value::Array(Vec::new()), None)];
    for next in Parser::new_from_str_with_options(text, options) {
        let (event, _) = next.map_err(|error| {
            let at = error.marker();
            format!("line {}, column {}: no YAML: {}", at.line(), at.col() + 1, error.info())
        })?;
        let value = match event {
            Event::SequenceStart(..) => {
                open.push((Value::Array(Vec::new()), None));
                continue;
            }
            Event::MappingStart(..) => {
                open.push((Value::Object(Map::new()), None));
                continue;
            }
            Event::Scalar(text, ..) => Value::String(text.into_owned()),
            Event::Alias(_) | Event::UnresolvedAlias(_) => Value::Null,
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some((value, _)) => value,
                None => continue,
            },
            _ => continue,
        };
        match open.last_mut() {
            Some((Value::Array(items), _)) => items.push(value),
            Some((Value::Object(map), key)) => match key.take() {
                Some(key) => {
                    map.insert(key, value);
                }
                None => *key = Some(value.as_str().unwrap_or_default().to_owned()),
            },
            _ => {}
        }
    }
    match open.pop() {
        Some((Value::Array(documents), _)) => Ok(documents.into_iter().next().unwrap_or(Value::Null)),
        _ => Ok(Value::Null),
    }
}

fn of_template(text: &str) -> Vec<String> {
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let front = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
    let document = Document::parse(front.map_or(text.as_str(), |(_, body)| body));
    document.sections().iter().map(|section| section.title.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::contract::FieldType;

    fn fields(names: &[&str]) -> Vec<Field> {
        let field = |name: &&str| Field {
            name: (*name).to_owned(),
            aliases: vec![format!("{name} too")],
            means: None,
            kind: FieldType::Text,
        };
        names.iter().map(field).collect()
    }

    fn check(file: &str, text: &str, expect: &[&str]) {
        assert_eq!(read(file, text).unwrap().headings, expect);
    }

    #[test]
    fn headings_come_from_labels_and_from_markdown() {
        let form = "name: Task\ndescription: d\nbody:\n- type: markdown\n  attributes:\n    value: '## Hello'\n\
            - type: textarea\n  id: purpose\n  attributes:\n    label: 目的\n    description: x\n  validations:\n    required: true\n\
            - type: dropdown\n  attributes:\n    label: Size\n    options: [a, b]\n- type: input\n";
        check("task.yml", form, &["目的", "Size"]);
        let template = "---\nname: Task\nabout: x\n---\n\n## Purpose\n\n```\n## not this\n```\n<!-- ## nor this -->\n### Stop condition:\n";
        check("task.md", template, &["Purpose", "Stop condition:"]);
        check("task.MD", &template.replace('\n', "\r\n"), &["Purpose", "Stop condition:"]);
        check("plain.md", "## Purpose\n", &["Purpose"]);
        for bad in ["name: x\n", "body: 3\n", "body: [", "body:\n- 3\n"] {
            assert!(read("task.yaml", bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_a_form_lacks_is_named_with_what_comes_near() {
        let fields = fields(&["Purpose", "Acceptance criteria", "Stop condition"]);
        let of = |headings: &[&str]| lacking(&fields, &headings.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(of(&["Purpose", "Acceptance criteria too", "Stop condition:"]), []);
        let lacks = of(&["Purpose", "Acceptance criteria (draft)", "Logs"]);
        let shown: Vec<_> = lacks.iter().map(|lack| (lack.heading.as_str(), lack.near_miss.as_deref())).collect();
        assert_eq!(shown, [("Acceptance criteria", Some("Acceptance criteria (draft)")), ("Stop condition", None)]);
        assert_eq!(of(&[]).len(), 3);
        assert_eq!(of(&["Purpose\n### Stop condition"]).len(), 3, "a label is one line");
    }

    #[test]
    fn files_that_are_no_forms_are_left_out() {
        let check = |file: &str, expect: bool| assert_eq!(is_form(file), expect, "{file}");
        check("bug.yml", true);
        check("Task.YAML", true);
        check("feature.md", true);
        check("config.yml", false);
        check("config.yaml", false);
        check("notes.txt", false);
        check("README", false);
    }
}
