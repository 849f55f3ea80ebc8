//! `detect:` — which detector, with what, under which headings. The list of detectors is closed (chapter 2).

use super::model::{Argument, DetectorId, DetectorSpec};
use super::report::Report;
use super::shape::{did_you_mean, one_of};
use super::tree::{Node, Value, short};
use regex::{Regex, RegexBuilder};

/// Lexicons that `words` knows by name; each is a data file beside the detector.
pub const LEXICONS: [&str; 2] = ["vague-ja", "vague-en"];

/// How large a compiled pattern may get, in bytes. A pattern of a contract is small.
const MAX_PATTERN: usize = 256 * 1024;
/// How many patterns a contract has at most, those of its bases counted: each takes up to a millisecond to compile.
const MAX_PATTERNS: usize = 30;

/// What a detector wants beside the text.
#[derive(Clone, Copy)]
pub(super) enum Takes {
    Nothing,
    /// Headings, as its argument or under `in`.
    Headings,
    /// A lexicon's name, or a list of words.
    Words,
    Pattern,
    /// A prefix of ids such as `AC`, or nothing.
    Prefix,
    /// A count, or nothing.
    Count,
}

use DetectorId as D;

pub(super) const DETECTORS: [(&str, DetectorId, Takes); 22] = [
    ("field_empty", D::FieldEmpty, Takes::Headings),
    ("section_missing", D::SectionMissing, Takes::Headings),
    ("words", D::Words, Takes::Words),
    ("regex", D::Regex, Takes::Pattern),
    ("unmeasured", D::Unmeasured, Takes::Nothing),
    ("unnumbered", D::Unnumbered, Takes::Prefix),
    ("unmapped", D::Unmapped, Takes::Nothing),
    ("table_missing", D::TableMissing, Takes::Nothing),
    ("conclusion_not_first", D::ConclusionNotFirst, Takes::Nothing),
    ("raw_log", D::RawLog, Takes::Nothing),
    ("secret", D::Secret, Takes::Nothing),
    ("personal_data", D::PersonalData, Takes::Nothing),
    ("implementation_detail", D::ImplementationDetail, Takes::Nothing),
    ("always_separate", D::AlwaysSeparate, Takes::Nothing),
    ("cycle", D::Cycle, Takes::Nothing),
    ("orphan", D::Orphan, Takes::Nothing),
    ("budget_exceeded", D::BudgetExceeded, Takes::Nothing),
    ("too_many_items", D::TooManyItems, Takes::Count),
    ("copied_report", D::CopiedReport, Takes::Nothing),
    ("missing_link", D::MissingLink, Takes::Nothing),
    ("premise_missing", D::PremiseMissing, Takes::Nothing),
    ("evaluation_uncontrolled", D::EvaluationUncontrolled, Takes::Nothing),
];

impl DetectorId {
    /// Every detector that a contract may name, in the order of chapter 2.
    pub fn all() -> impl Iterator<Item = Self> {
        DETECTORS.iter().map(|(_, id, _)| *id)
    }

    /// The id as contracts write it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        DETECTORS.iter().find(|(_, id, _)| *id == self).map_or("", |(name, ..)| name)
    }

    /// Whether what it finds is that something is missing, so that there is nothing to quote (chapter 2).
    #[must_use]
    pub fn implies_absence(self) -> bool {
        matches!(
            self,
            D::FieldEmpty
                | D::SectionMissing
                | D::TableMissing
                | D::Unmapped
                | D::Orphan
                | D::MissingLink
                | D::PremiseMissing
        )
    }
}

/// Compiles a pattern of a contract, in the linear-time engine and within a bound of size.
///
/// # Errors
/// It does not parse, or it is too large.
pub fn compile_pattern(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern).size_limit(MAX_PATTERN).build()
}

/// Reads the value of `detect`: a detector's name, or a map of one detector with its argument, and `in`.
pub(super) fn detector(node: &Node, report: &mut Report<'_>) -> Option<DetectorSpec> {
    let names = || DETECTORS.iter().map(|(name, ..)| *name);
    let (name, name_at, argument, within) = match &node.value {
        Value::Text(name) => (name.as_str(), node.at, None, None),
        Value::Map(entries) => {
            let within = entries.iter().find(|entry| entry.key == "in").map(|entry| &entry.value);
            let mut others = entries.iter().filter(|entry| entry.key != "in");
            let Some(first) = others.next() else {
                report.error("unknown-detector", node.at, "`detect` names no detector", one_of(names()));
                return None;
            };
            if let Some(second) = others.next() {
                let message = format!("`{}` is a second key in `detect`", short(&second.key));
                report.error("unknown-key", second.at, message, "one detector, and `in`");
                return None;
            }
            (first.key.as_str(), first.at, Some(&first.value), within)
        }
        _ => {
            report.wrong_type(node, "`detect`", "a detector's name, or a map such as {words: vague-en, in: [Purpose]}");
            return None;
        }
    };
    // Read before the detector is known, so that its problems show too.
    let within = match within {
        Some(node) => report.one_or_more(node, "`in`"),
        None => Some(Vec::new()),
    };
    let Some((_, id, takes)) = DETECTORS.iter().find(|(known, ..)| *known == name) else {
        let message = format!("there is no detector `{}`{}", short(name), did_you_mean(name, names()));
        report.error("unknown-detector", name_at, message, one_of(names()));
        return None;
    };
    let argument = argument.filter(|node| !matches!(node.value, Value::Null));
    let looks_under_headings = within.as_ref().is_some_and(|within| !within.is_empty());
    let argument = match argument {
        Some(node) => self::argument(node, name, *takes, report)?,
        None if may_lack_argument(*takes, looks_under_headings) => Argument::None,
        None => {
            let expected = match takes {
                Takes::Words => "a lexicon's name, or a list of words",
                Takes::Pattern => "a regular expression",
                _ => "the heading that it looks for",
            };
            report.error("wrong-argument", name_at, format!("`{name}` has no argument"), expected);
            return None;
        }
    };
    Some(DetectorSpec { id: *id, argument, within: within? })
}

fn may_lack_argument(takes: Takes, looks_under_headings: bool) -> bool {
    match takes {
        Takes::Words | Takes::Pattern => false,
        Takes::Headings => looks_under_headings,
        Takes::Nothing | Takes::Prefix | Takes::Count => true,
    }
}

fn argument(node: &Node, name: &str, takes: Takes, report: &mut Report<'_>) -> Option<Argument> {
    let what = format!("the argument of `{name}`");
    match takes {
        Takes::Nothing => {
            if !matches!(node.value, Value::Broken) {
                report.error(
                    "wrong-argument",
                    node.at,
                    format!("`{name}` takes no argument"),
                    "nothing after the colon",
                );
            }
            None
        }
        Takes::Headings => one_or_list(node, &what, report),
        Takes::Words => match one_or_list(node, &what, report)? {
            Argument::One(lexicon) if !LEXICONS.contains(&lexicon.as_str()) => {
                let near = did_you_mean(&lexicon, LEXICONS);
                let message = format!("there is no lexicon `{}`{near}", short(&lexicon));
                report.error("wrong-argument", node.at, message, format!("{}, or a list of words", one_of(LEXICONS)));
                None
            }
            argument => Some(argument),
        },
        Takes::Pattern => {
            let pattern = report.exact(node, &what)?;
            if report.count_pattern() > MAX_PATTERNS {
                let message = format!("this contract has more than {MAX_PATTERNS} regular expressions");
                report.error("too-many-patterns", node.at, message, format!("at most {MAX_PATTERNS}"));
                return None;
            }
            match compile_pattern(&pattern) {
                Ok(_) => Some(Argument::One(pattern)),
                Err(error) => {
                    let message = match error {
                        regex::Error::CompiledTooBig(_) => "the regular expression is too large".to_owned(),
                        error => format!("the regular expression does not parse: {}", last_line(&error.to_string())),
                    };
                    let expected = "a pattern of the linear-time engine: no look-around, no back-references";
                    report.error("invalid-regex", node.at, message, expected);
                    None
                }
            }
        }
        Takes::Prefix => {
            let prefix = report.text(node, &what)?;
            check_prefix(&prefix, node, report).then_some(Argument::One(prefix))
        }
        Takes::Count => match &node.value {
            Value::Text(text) | Value::Other { text, kind: "an integer" } if text.parse::<u16>().is_ok() => {
                Some(Argument::One(text.clone()))
            }
            _ => {
                report.wrong_type(node, &what, "a count");
                None
            }
        },
    }
}

fn one_or_list(node: &Node, what: &str, report: &mut Report<'_>) -> Option<Argument> {
    if !matches!(node.value, Value::List(_)) {
        return report.text(node, what).map(Argument::One);
    }
    let list = report.texts(node, what)?;
    if list.is_empty() {
        report.error("empty", node.at, format!("{what} is an empty list"), "at least one entry");
        return None;
    }
    Some(Argument::List(list))
}

/// Whether a text is a prefix of ids, such as `AC`; reported where not.
pub(super) fn check_prefix(prefix: &str, node: &Node, report: &mut Report<'_>) -> bool {
    let valid = prefix.chars().count() <= 16 && prefix.chars().all(char::is_alphabetic);
    if !valid {
        report.error("wrong-value", node.at, format!("`{}` is no prefix of ids", short(prefix)), "letters such as AC");
    }
    valid
}

fn last_line(text: &str) -> String {
    short(text.lines().last().unwrap_or_default().trim_start_matches("error: "))
}

#[cfg(test)]
mod tests {
    use super::super::report::Source;
    use super::super::tree::parse;
    use super::*;

    fn read(text: &str) -> (Option<DetectorSpec>, Vec<(&'static str, u32)>) {
        let mut report = Report::new(0, Source::new("x.yaml", text));
        let root = parse(text, &mut report).root.unwrap();
        let spec = detector(&root, &mut report);
        (spec, report.finish().iter().map(|problem| (problem.id, problem.column)).collect())
    }

    fn check(text: &str, id: DetectorId, argument: Argument, within: &[&str]) {
        let within = within.iter().map(ToString::to_string).collect();
        assert_eq!(read(text), (Some(DetectorSpec { id, argument, within }), vec![]), "{text}");
    }

    #[test]
    fn every_form_is_read() {
        let one = |text: &str| Argument::One(text.to_owned());
        check("secret", D::Secret, Argument::None, &[]);
        check("{words: vague-ja, in: [目的, 受け入れ条件]}", D::Words, one("vague-ja"), &["目的", "受け入れ条件"]);
        check("{words: [foo, bar]}", D::Words, Argument::List(vec!["foo".into(), "bar".into()]), &[]);
        check("{in: A, unnumbered: AC}", D::Unnumbered, one("AC"), &["A"]);
        check("{unmeasured: , in: A}", D::Unmeasured, Argument::None, &["A"]);
        check("{field_empty: Value}", D::FieldEmpty, one("Value"), &[]);
        check(r"{regex: 'a\d+'}", D::Regex, one(r"a\d+"), &[]);
        check("{too_many_items: 7}", D::TooManyItems, one("7"), &[]);
    }

    #[test]
    fn every_wrong_form_is_reported() {
        for (text, id, column) in [
            ("wrods", "unknown-detector", 1),
            ("{in: A}", "unknown-detector", 1),
            ("{words: vague-ja, regex: x}", "unknown-key", 19),
            ("words", "wrong-argument", 1),
            ("{words: vague-jp}", "wrong-argument", 9),
            ("{secret: x}", "wrong-argument", 10),
            ("field_empty", "wrong-argument", 1),
            ("{regex: '(?=a)'}", "invalid-regex", 9),
            (r"{regex: '\w{999}{999}'}", "invalid-regex", 9),
            ("{unnumbered: 'A-1'}", "wrong-value", 14),
            ("{words: []}", "empty", 9),
            ("[words]", "wrong-type", 1),
        ] {
            assert_eq!(read(text), (None, vec![(id, column)]), "{text}");
        }
    }

    #[test]
    fn ids_have_the_names_that_serde_gives_them() {
        for id in DetectorId::all() {
            assert_eq!(serde_json::to_value(id).unwrap(), id.as_str());
        }
        assert_eq!(DetectorId::all().count(), 22);
    }
}
