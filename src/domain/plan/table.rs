//! Plans as tables: one row per child, a number column, the child's fields as columns.

use super::draft::{Draft, Found};
use super::names::{Names, Role, is_nothing};
use crate::domain::ids::Language;
use crate::domain::text::{Cell, Document, Table, heading_key};
use std::collections::HashSet;
use std::ops::Range;

/// The tables of a text that are about children.
#[derive(Default)]
pub(super) struct Tables {
    /// Whole plans: they say more of a child than its name, requirement and dependencies.
    pub(super) whole: Vec<Found>,
    /// Tables that list children; beside a whole plan they only add dependencies.
    pub(super) slight: Vec<Found>,
}

/// Finds them, outside of the stretches that belong to outlines' children. Tables whose numbers go on with those of the
/// one before are one plan.
pub(super) fn tables(document: &Document, names: &Names, language: Language, outlines: &[Found]) -> Tables {
    let taken: Vec<&Range<usize>> = outlines.iter().flat_map(|found| &found.ranges).collect();
    let mut out = Tables::default();
    for table in document.tables() {
        let inside = |range: &Range<usize>| range.start <= table.range.start && table.range.start < range.end;
        let after = taken.partition_point(|range| range.start <= table.range.start);
        let in_child = after.checked_sub(1).is_some_and(|index| inside(taken[index]));
        let listed = columns(document, table, names).filter(|_| !quoted(document, table));
        let Some(columns) = listed else { continue };
        if in_child && !columns.depends {
            continue;
        }
        let found = rows(document, table, &columns, names, language);
        if found.children.is_empty() {
            continue;
        }
        let into = if columns.whole && !in_child { &mut out.whole } else { &mut out.slight };
        match into.last_mut() {
            Some(last) if goes_on(last, &found) => {
                last.children.extend(found.children);
                last.ranges.extend(found.ranges);
            }
            _ => into.push(found),
        }
    }
    out
}

fn quoted(document: &Document, table: &Table) -> bool {
    let quotes = document.quotes();
    let after = quotes.partition_point(|quote| quote.start <= table.range.start);
    after.checked_sub(1).is_some_and(|index| table.range.start < quotes[index].end)
}

fn goes_on(last: &Found, next: &Found) -> bool {
    let known: HashSet<u32> = last.children.iter().filter_map(|child| child.number).collect();
    let largest = known.iter().max().copied();
    next.children.iter().all(|child| child.number.is_some_and(|number| Some(number) > largest))
}

/// What each column holds.
struct Columns {
    roles: Vec<Column>,
    whole: bool,
    depends: bool,
}

#[derive(Clone, PartialEq, Eq)]
enum Column {
    Known(Role),
    Other(String),
}

fn columns(document: &Document, table: &Table, names: &Names) -> Option<Columns> {
    let mut roles: Vec<Column> = Vec::new();
    for cell in &table.header {
        let text = document.cell_text(cell);
        // `heading_key` drops a number sign, which is a name here.
        let role = if text.trim() == "#" { Some(Role::Number) } else { names.role(text) };
        let known = role.filter(|role| !roles.contains(&Column::Known(*role)));
        roles.push(known.map_or_else(|| Column::Other(heading_key(text)), Column::Known));
    }
    let at = |role: Role| roles.iter().position(|column| *column == Column::Known(role));
    // A column called "child" may hold names rather than numbers.
    if let Some(column) = at(Role::Number) {
        let mut cells = table.rows.iter().filter_map(|row| row.get(column)).map(|cell| document.cell_text(cell));
        let filled = || table.rows.iter().filter_map(|row| row.get(column)).any(|cell| cell.item.is_some());
        if !cells.all(|text| text.trim().is_empty() || number(text).is_some()) || !filled() {
            roles[column] = if at(Role::Title).is_none() && filled() {
                Column::Known(Role::Title)
            } else {
                Column::Other(document.cell_text(&table.header[column]).to_owned())
            };
        }
    }
    let has = |role: Role| roles.contains(&Column::Known(role));
    let purpose = names.purpose.is_some_and(|field| has(Role::Field(field)));
    let covers = has(Role::Field(names.covers));
    let depends = has(Role::Depends);
    let numbered = has(Role::Number);
    let others = roles.iter().filter(|column| match column {
        Column::Known(Role::Field(field)) => *field != names.covers && Some(*field) != names.purpose,
        _ => false,
    });
    let titled = purpose || has(Role::Title) || numbered_titles(document, table, &roles);
    let whole = titled && others.count() > 0 && (numbered || (covers && depends));
    let slight = numbered && (depends || (titled && covers));
    (whole || slight).then_some(Columns { roles, whole, depends })
}

/// Whether the number column holds titles as well: `子1: 題`.
fn numbered_titles(document: &Document, table: &Table, roles: &[Column]) -> bool {
    let Some(column) = roles.iter().position(|column| *column == Column::Known(Role::Number)) else { return false };
    let mut cells = table.rows.iter().filter_map(|row| row.get(column)).map(|cell| document.cell_text(cell));
    cells.any(|text| number(text).is_some_and(|(_, rest)| !rest.is_empty()))
}

fn rows(document: &Document, table: &Table, columns: &Columns, names: &Names, language: Language) -> Found {
    let mut found = Found { ranges: vec![table.range.clone()], ..Found::default() };
    for row in &table.rows {
        if row.iter().all(|cell| cell.item.is_none()) {
            continue;
        }
        let mut draft = Draft { values: vec![None; names.fields.len()], ..Draft::default() };
        for (cell, column) in row.iter().zip(&columns.roles) {
            let raw = raw(document, cell);
            match column {
                Column::Known(Role::Number) => {
                    if let Some((number, rest)) = number(document.cell_text(cell)) {
                        draft.number = Some(number);
                        rest.clone_into(&mut draft.title);
                    }
                }
                Column::Known(Role::Title) => document.cell_text(cell).trim().clone_into(&mut draft.title),
                Column::Known(Role::Depends) => draft.depends.push(items(&raw).join("\n")),
                Column::Known(Role::Field(field)) => {
                    draft.values[*field] = value(&raw, names.fields[*field].numbered.as_deref());
                }
                Column::Other(name) => {
                    if let Some(value) = value(&raw, None).filter(|_| !name.is_empty()) {
                        draft.extras.push((name.clone(), value));
                    }
                }
            }
        }
        let ordinal = u32::try_from(found.children.len() + 1).unwrap_or(u32::MAX);
        let name = draft.number.unwrap_or(ordinal);
        if draft.number.is_none() && !columns.roles.contains(&Column::Known(Role::Number)) {
            draft.number = Some(ordinal);
        }
        draft.label = match language {
            Language::Ja => format!("子{name}"),
            Language::En => format!("Child {name}"),
        };
        draft.place = place(document, row);
        found.children.push(draft);
    }
    found
}

/// From the first to the last filled cell.
fn place(document: &Document, row: &[Cell]) -> Range<usize> {
    let mut items = row.iter().filter_map(|cell| cell.item).map(|index| &document.items()[index].range);
    let Some(first) = items.next() else { return 0..0 };
    let last = items.next_back().unwrap_or(first);
    let source = document.source();
    let opening = &source[first.clone()];
    let start = first.start + (opening.len() - opening.trim_start().len());
    start..(last.start + source[last.clone()].trim_end().len()).max(start)
}

fn raw(document: &Document, cell: &Cell) -> String {
    if cell.item.is_none() {
        return String::new();
    }
    document.source()[cell.range.clone()].trim().trim_matches('|').trim().replace("\\|", "|")
}

/// The items of a cell: `<br>` stands between them.
fn items(raw: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = raw;
    let lower = raw.to_ascii_lowercase();
    let mut at = 0;
    while let Some(found) = lower[at..].find("<br") {
        let start = at + found;
        let Some(end) = lower[start..].find('>') else { break };
        let inner = &lower[start + 3..start + end];
        let next = start + end + 1;
        if inner.trim().trim_end_matches('/').trim().is_empty() {
            out.push(raw[raw.len() - rest.len()..start].trim().to_owned());
            rest = &raw[next..];
        }
        at = next;
    }
    out.push(rest.trim().to_owned());
    out.retain(|item| !item.is_empty());
    out
}

/// A cell as it stands in a body: items of a numbered field as a numbered list, several items as a list.
fn value(raw: &str, numbered: Option<&str>) -> Option<String> {
    let items = items(raw);
    if items.is_empty() {
        return None;
    }
    let bare = |item: &String| {
        let rest = item.trim_start_matches(['-', '*', '・', '•']);
        if rest.len() < item.len() && rest.starts_with(' ') || item.starts_with(['・', '•']) {
            rest.trim_start().to_owned()
        } else {
            item.clone()
        }
    };
    match numbered {
        Some(prefix) if !items.iter().all(|item| is_nothing(item)) => {
            let mut next = 1;
            let lines: Vec<_> = items
                .iter()
                .map(bare)
                .map(|item| {
                    let numbered = crate::domain::text::starts_with_number(&item, prefix);
                    let line = if numbered { format!("- {item}") } else { format!("- {prefix}-{next}: {item}") };
                    next += 1;
                    line
                })
                .collect();
            Some(lines.join("\n"))
        }
        _ if items.len() > 1 => {
            Some(items.iter().map(|item| format!("- {}", bare(item))).collect::<Vec<_>>().join("\n"))
        }
        _ => items.into_iter().next(),
    }
}

/// `1`, `#1`, `子1`, `Child 1: title` as a number and the rest.
fn number(text: &str) -> Option<(u32, &str)> {
    let text = text.trim();
    let bare = text.strip_prefix('子').or_else(|| {
        let head = text.get(..5)?;
        head.eq_ignore_ascii_case("child").then(|| &text[5..])
    });
    let named = bare.is_some() || text.starts_with('#');
    let rest = bare.unwrap_or(text).trim_start().trim_start_matches('#').trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if !(1..=4).contains(&digits) {
        return None;
    }
    let after = &rest[digits..];
    let apart =
        after.is_empty() || after.starts_with([':', '.', ')', '、']) || (named && after.starts_with([' ', '-']));
    if !apart {
        return None;
    }
    let title = after.trim_start_matches([':', '.', ')', '、', ' ', '-']).trim();
    rest[..digits].parse().ok().map(|number| (number, title))
}
