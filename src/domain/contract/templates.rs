//! `templates:` — the headings that preflight asks for, and what they mean.

use super::detector::check_prefix;
use super::keys::{FIELD, LISTS};
use super::model::{Field, FieldType, Templates};
use super::report::{At, Report};
use super::slug::heading;
use super::tree::{Comments, Node, Value, short};
use std::collections::HashMap;

impl Templates {
    /// A list by its name.
    pub(super) fn list(&self, name: &str) -> Option<&[Field]> {
        match name {
            "parent_issue_required_fields" => Some(&self.parent_issue_required_fields),
            "child_issue_required_fields" => Some(&self.child_issue_required_fields),
            "report_required_fields" => Some(&self.report_required_fields),
            _ => None,
        }
    }
}

/// Reads the lists of required fields.
pub(super) fn templates(node: &Node, comments: &Comments, report: &mut Report<'_>) -> Templates {
    let mut templates = Templates::default();
    let Some(map) = report.keys(node, "`templates`", &LISTS) else { return templates };
    for entry in map.iter() {
        let list = match entry.key.as_str() {
            "parent_issue_required_fields" => &mut templates.parent_issue_required_fields,
            "child_issue_required_fields" => &mut templates.child_issue_required_fields,
            "report_required_fields" => &mut templates.report_required_fields,
            _ => continue,
        };
        *list = fields(&entry.value, &entry.key, comments, report);
    }
    templates
}

/// Reads a list of fields, each a heading's text or a map.
pub(super) fn fields(node: &Node, key: &str, comments: &Comments, report: &mut Report<'_>) -> Vec<Field> {
    let items = report.list(node, &format!("`{key}`")).unwrap_or_default();
    let line = |item: &Node| (item.at.file, item.at.line);
    let mut in_line: HashMap<(u8, u32), usize> = HashMap::new();
    for item in items {
        *in_line.entry(line(item)).or_default() += 1;
    }
    let extends = items.iter().any(|item| item.at.file != report.file());
    let mut fields = Vec::new();
    let mut headings: HashMap<String, At> = HashMap::new();
    for item in items {
        let Some(mut field) = field(item, report) else { continue };
        if field.means.is_none() && in_line.get(&line(item)) == Some(&1) {
            // A comment is a field's meaning only where it is clear whose line it is.
            field.means = comments.get(&line(item)).and_then(|comment| meaning(comment, item, report));
        }
        for name in std::iter::once(&field.name).chain(&field.aliases) {
            if let Some(first) = headings.insert(heading(name), item.at) {
                let place = report.place(first, item.at);
                let message = format!("the heading `{}` stands in `{key}` already in {place}", short(name));
                report.error("duplicate-field", item.at, message, "each heading and alias once");
            }
        }
        // Next to the fields of a base, whose meanings are known, a heading alone only serves the check for emptiness.
        if extends && item.at.file == report.file() && field.means.is_none() {
            let message =
                format!("the added field `{}` has no meaning, so it is only checked to be filled", short(&field.name));
            report.notice("no-meaning", item.at, message, "`means`, or a comment to the right of the field");
        }
        fields.push(field);
    }
    fields
}

/// A comment as a meaning: one line, like any text of a contract.
fn meaning(comment: &str, item: &Node, report: &mut Report<'_>) -> Option<String> {
    if comment.trim().is_empty() {
        return None;
    }
    let node = Node { value: Value::Text(comment.to_owned()), at: item.at };
    report.text(&node, "the comment on a field's line")
}

fn field(node: &Node, report: &mut Report<'_>) -> Option<Field> {
    let Value::Map(_) = node.value else {
        let name = report.text(node, "a field")?;
        check_heading(&name, node, report);
        return Some(Field { name, aliases: Vec::new(), means: None, kind: FieldType::Text });
    };
    let map = report.keys(node, "a field", &FIELD)?;
    let name_node = report.required(map, "name", "a field");
    let name = name_node.and_then(|node| report.text(node, "a field's name"));
    if let (Some(name), Some(node)) = (&name, name_node) {
        check_heading(name, node, report);
    }
    let aliases = map.get("aliases").and_then(|node| report.texts(node, "`aliases`")).unwrap_or_default();
    let means = map.get("means").and_then(|node| report.text(node, "`means`"));
    let types = [("text", Type::Text), ("integer", Type::Integer), ("table", Type::Table), ("link", Type::Link)];
    let kind = map.get("type").and_then(|node| report.choice(node, "`type`", &types));
    let prefix = map.get("numbered").and_then(|node| {
        let prefix = report.text(node, "`numbered`")?;
        check_prefix(&prefix, node, report).then_some(prefix)
    });
    if let (Some(entry), Some(_)) = (map.entry("type"), map.get("numbered")) {
        report.error("wrong-value", entry.at, "a field with `numbered` has no `type`", "one of the two keys");
    }
    let kind = match (prefix, kind) {
        (Some(prefix), _) => FieldType::Numbered(prefix),
        (None, None | Some(Type::Text)) => FieldType::Text,
        (None, Some(Type::Integer)) => FieldType::Integer,
        (None, Some(Type::Table)) => FieldType::Table,
        (None, Some(Type::Link)) => FieldType::Link,
    };
    Some(Field { name: name?, aliases, means, kind })
}

/// [`FieldType`] without what it holds.
#[derive(Clone, Copy)]
enum Type {
    Text,
    Integer,
    Table,
    Link,
}

fn check_heading(name: &str, node: &Node, report: &mut Report<'_>) {
    if heading(name).is_empty() {
        report.error("wrong-value", node.at, format!("`{}` can't be a heading", short(name)), "words");
    }
}
