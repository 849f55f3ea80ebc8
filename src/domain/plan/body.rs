//! The body of a child as it would be filed: the contract's headings, each with what the plan says.

use super::draft::Draft;
use super::names::Names;
use std::fmt::Write as _;

/// Writes it: what stands under no name first, then the fields in the contract's order, then what else was named. A field
/// that the child does not state has the value that holds for all children; one that nobody states is left out.
pub(super) fn write(names: &Names, draft: &Draft, common: &[(usize, String)]) -> String {
    let mut body = String::new();
    if !draft.lead.is_empty() {
        let _ = write!(body, "{}\n\n", draft.lead);
    }
    for (index, field) in names.fields.iter().enumerate() {
        let own = draft.values.get(index).and_then(Option::as_deref).filter(|value| !value.is_empty());
        let shared = || common.iter().find(|(known, _)| *known == index).map(|(_, value)| value.as_str());
        let stated = draft.values.get(index).is_some_and(Option::is_some);
        match own.or_else(shared) {
            Some(value) => section(&mut body, &field.name, value),
            // Its heading stands there with nothing under it: that shows in the body as well.
            None if stated => section(&mut body, &field.name, ""),
            None => {}
        }
    }
    for (name, value) in draft.extras.iter().filter(|(_, value)| !value.is_empty()) {
        section(&mut body, name, value);
    }
    body.truncate(body.trim_end().len());
    if !body.is_empty() {
        body.push('\n');
    }
    body
}

fn section(body: &mut String, name: &str, value: &str) {
    let _ = write!(body, "## {name}\n\n");
    if !value.is_empty() {
        let _ = write!(body, "{}\n\n", lowered(value));
    }
}

/// Headings inside of a value go below the heading of its field.
fn lowered(value: &str) -> String {
    let mut fence: Option<&str> = None;
    let mut out = String::with_capacity(value.len());
    for line in value.split('\n') {
        let bare = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| bare.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => {}
        }
        let hashes = line.bytes().take_while(|byte| *byte == b'#').count();
        if fence.is_none() && (1..=2).contains(&hashes) && line[hashes..].starts_with(' ') {
            out.push_str(&"#".repeat(3 - hashes));
        }
        out.push_str(line);
        out.push('\n');
    }
    out.pop();
    out
}
