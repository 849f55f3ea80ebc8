//! `table_missing`: a field that holds no table, or none with a word in its body.

use super::{Context, Hit, scope};
use crate::domain::contract::DetectorSpec;
use crate::domain::text::{Document, ItemKind, Table};
use std::ops::Range;

/// Runs the detector: one hit, for the fields that `in:` names taken together; without `in:` for the whole text.
///
/// A missing heading holds no table either. Tables in fences, comments and block quotes are none.
pub(super) fn detect(spec: &DetectorSpec, document: &Document, context: &Context) -> Vec<Hit> {
    let ranges = scope::ranges(spec, document, context);
    let there = ranges.iter().any(|range| {
        document.tables_within(range).iter().any(|table| is_filled(document, table)) || has_html_table(document, range)
    });
    if there { Vec::new() } else { vec![Hit { range: None, note: spec.within.first().cloned() }] }
}

/// Whether a table of the text, not of a quotation, says anything in its body.
pub(super) fn is_filled(document: &Document, table: &Table) -> bool {
    let items = table.rows.iter().flatten().filter_map(|cell| cell.item).map(|index| &document.items()[index]);
    items.into_iter().any(|item| !item.quoted && !item.text().trim().is_empty())
}

/// Whether a range holds a table in HTML: its tag, and cells with words.
fn has_html_table(document: &Document, range: &Range<usize>) -> bool {
    // A blank line ends a block of HTML, not the table in it.
    let html = document.items_within(range).iter().filter(|item| item.kind == ItemKind::Html && !item.quoted);
    let mut tags = (false, false);
    for item in html {
        let source = document.source()[item.range.clone()].to_ascii_lowercase();
        tags = (tags.0 || source.contains("<table"), tags.1 || source.contains("<td"));
    }
    tags == (true, true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::contract::{Argument, DetectorId};
    use crate::domain::detect::Heading;
    use crate::domain::ids::Language;

    #[track_caller]
    fn check(body: &str, within: &[&str], expect: bool) {
        let within = within.iter().map(ToString::to_string).collect();
        let spec = DetectorSpec { id: DetectorId::TableMissing, argument: Argument::None, within };
        let fields = vec![Heading { name: "Table".to_owned(), aliases: vec!["表".to_owned()] }];
        let context =
            Context { fields, language: Language::En, references: Vec::new(), always_separate: Vec::new(), plan: None };
        let hits = detect(&spec, &Document::parse(body), &context);
        assert_eq!(!hits.is_empty(), expect, "{body:?}");
        assert!(hits.iter().all(|hit| hit.range.is_none()), "there is nothing to quote");
    }

    #[test]
    fn a_table_is_looked_for_under_every_heading_of_the_name() {
        const TABLE: &str = "| a |\n|---|\n| b |\n";
        check(&format!("# Table\n{TABLE}"), &["Table"], false);
        check(&format!("# 表\r\n{}", TABLE.replace('\n', "\r\n")), &["Table"], false);
        check(&format!("# Table\nx\n# Other\n{TABLE}"), &["Table"], true);
        check(&format!("# Table\nx\n# Table\n{TABLE}"), &["Table"], false);
        check(&format!("# Other\n{TABLE}"), &["Table"], true);
        check(TABLE, &[], false);
        check("", &[], true);
        check("", &["Table"], true);
        check(&"|".repeat(1 << 17), &[], true);
        check(&format!("{}a|b\n-|-\n1|2", "> ".repeat(1000)), &[], true);
    }
}
