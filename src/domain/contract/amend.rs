//! One value of a contract file's text, exchanged in place: comments, order and everything else stay as people wrote them.

use crate::domain::text::yaml_quoted;
use granit_parser::{Event, Parser, ScalarStyle, ScanError, Span};
use std::ops::Range;

/// The file's text with another waiting level for that phase; none where the file does not hold it itself, as one that
/// only extends another, or a tasuki profile of another shape.
#[must_use]
pub fn with_waiting_level(text: &str, phase: &str, level: &str) -> Option<String> {
    let (_, range) = waiting_level(text, phase)?;
    let amended = format!("{}{}{}", &text[..range.start], yaml_quoted(level), &text[range.end..]);
    // Read again: whatever the parser says of a place, a file that does not say this now is not proposed.
    let (read, _) = waiting_level(&amended, phase)?;
    (read == level).then_some(amended)
}

/// What the file says of that phase, and where.
fn waiting_level(text: &str, phase: &str) -> Option<(String, Range<usize>)> {
    let phases = root(text)?.of("phases")?;
    let Part::List(phases) = phases else { return None };
    let mut named =
        phases.into_iter().filter(|one| matches!(one.get("name"), Some(Part::Text(name, _)) if name == phase));
    let found = named.next()?;
    match found.of("receives")?.of("waiting_level")? {
        Part::Text(level, range) => Some((level, range)),
        _ => None,
    }
}

/// A file as texts with their places.
enum Part {
    Text(String, Range<usize>),
    List(Vec<Part>),
    Map(Vec<(String, Part)>),
    /// An alias, which stands somewhere else.
    Other,
}

impl Part {
    fn get(&self, key: &str) -> Option<&Part> {
        let Self::Map(entries) = self else { return None };
        entries.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    fn of(self, key: &str) -> Option<Part> {
        let Self::Map(entries) = self else { return None };
        entries.into_iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }
}

fn root(text: &str) -> Option<Part> {
    let options = granit_parser::options! { flow_nesting_limit: 32, block_nesting_limit: 32 };
    let mut events = Parser::new_from_str_with_options(text, options);
    let places = Places::of(text);
    loop {
        match events.next()? {
            Ok((Event::StreamStart | Event::DocumentStart(..) | Event::Comment(..), _)) => {}
            Ok((event, span)) => return part(&mut events, event, span, &places),
            Err(_) => return None,
        }
    }
}

/// Bytes by characters, which the parser counts.
struct Places<'a> {
    text: &'a str,
    bytes: Vec<usize>,
}

impl<'a> Places<'a> {
    fn of(text: &'a str) -> Self {
        Self { text, bytes: text.char_indices().map(|(at, _)| at).chain([text.len()]).collect() }
    }

    /// Where a scalar stands. A block's place, for the parser, begins behind its mark and ends before what comes next.
    fn scalar(&self, span: Span, style: ScalarStyle) -> Option<Range<usize>> {
        let at = |index: usize| self.bytes.get(index).copied();
        let (mut start, end) = (at(span.start.index())?, at(span.end.index())?);
        if matches!(style, ScalarStyle::Literal | ScalarStyle::Folded) && !self.text[start..].starts_with(['|', '>']) {
            start = self.text[..start].rfind(['|', '>'])?;
        }
        Some(start..start + self.text.get(start..end)?.trim_end().len())
    }
}

/// The part that begins with this event; the parser bounds how deep they nest.
fn part<'a>(
    events: &mut impl Iterator<Item = Result<(Event<'a>, Span), ScanError>>,
    event: Event<'a>,
    span: Span,
    places: &Places<'_>,
) -> Option<Part> {
    match event {
        Event::Scalar(text, style, ..) => Some(Part::Text(text.into_owned(), places.scalar(span, style)?)),
        Event::SequenceStart(..) => {
            let mut parts = Vec::new();
            loop {
                match events.next()?.ok()? {
                    (Event::SequenceEnd, _) => return Some(Part::List(parts)),
                    (Event::Comment(..), _) => {}
                    (event, span) => parts.push(part(events, event, span, places)?),
                }
            }
        }
        Event::MappingStart(..) => {
            let (mut entries, mut key) = (Vec::new(), None);
            loop {
                match events.next()?.ok()? {
                    (Event::MappingEnd, _) => return Some(Part::Map(entries)),
                    (Event::Comment(..), _) => {}
                    (event, span) => match (key.take(), part(events, event, span, places)?) {
                        (None, Part::Text(text, _)) => key = Some(text),
                        (None, _) => key = Some(String::new()),
                        (Some(name), value) => entries.push((name, value)),
                    },
                }
            }
        }
        _ => Some(Part::Other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::contract::{BUILTINS, load};
    use proptest::prelude::*;

    fn file(level: &str) -> String {
        format!(
            "version: 1\nkind: handoff\nphases:\n  - name: a\n    receives: {{waiting_level: first}}\n  - receives:   # who\n      waiting_level: {level}\n      too_abstract_signals: []\n    name: 実装\n"
        )
    }

    #[test]
    fn one_value_is_exchanged_and_the_rest_stays() {
        let check = |level: &str, kept: &str| {
            let before = file(level);
            let after =
                with_waiting_level(&before, "実装", "新しい \"待ち位置\": #1").unwrap_or_else(|| panic!("{before}"));
            assert_eq!(after, file(&format!("\"新しい \\\"待ち位置\\\": #1\"{kept}")), "{level}");
        };
        check("plain text   # said at the meeting", "   # said at the meeting");
        check("'single ''quoted'''", "");
        check("\"double\"", "");
        check("|\n        two\n        lines", "");
        check(">-\n        folded\n        lines", "");
        let with_returns = |text: String| text.replace('\n', "\r\n");
        let amended = with_waiting_level(&with_returns(file("plain   # said")), "実装", "new");
        assert_eq!(amended, Some(with_returns(file("\"new\"   # said"))), "line ends of Windows stay");
    }

    #[test]
    fn what_is_not_there_is_not_amended() {
        assert_eq!(with_waiting_level(&file("x"), "other", "y"), None);
        assert_eq!(with_waiting_level("extends: builtin:handoff-ja\nkind: handoff\n", "a", "y"), None);
        assert_eq!(with_waiting_level("phases: [", "a", "y"), None);
        assert_eq!(with_waiting_level("", "a", "y"), None);
    }

    #[test]
    fn every_shipped_phase_can_be_amended() {
        for builtin in BUILTINS {
            let contract = load("x.yaml", builtin.text.as_bytes(), None).contract.unwrap();
            for phase in &contract.phases {
                let amended =
                    with_waiting_level(builtin.text, &phase.name, "said anew. The rest is unspecified").unwrap();
                let read = load("x.yaml", amended.as_bytes(), None).contract.unwrap();
                let mut expected = contract.clone();
                let of = expected.phases.iter_mut().find(|one| one.name == phase.name).unwrap();
                of.waiting_level = "said anew. The rest is unspecified".to_owned();
                assert_eq!((read.phases, read.gates), (expected.phases, expected.gates), "{}", phase.name);
            }
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in r"(\PC|\n|  |phases:|- name: a|receives:|waiting_level: |[\[\]{}&*|>]){0,40}", level in r"\PC{0,20}") {
            if let Some(amended) = with_waiting_level(&text, "a", &level) {
                prop_assert_eq!(waiting_level(&amended, "a").map(|(level, _)| level), Some(level));
            }
        }
    }
}
