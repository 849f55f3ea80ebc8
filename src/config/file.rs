//! `sekisho.toml`: TOML text becomes settings that know their place, and every problem with its line and column.
//!
//! No problem repeats a value or a line, since either may hold a secret; a key that is not known is repeated only where
//! it looks like one.

use super::problem::{ConfigProblem, Origin};
use super::variables::{Kind, LATER, VARIABLES, Variable};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The largest file that is read, in bytes.
pub(super) const LARGEST: usize = 256 * 1024;

/// A setting that was found.
pub(super) struct Found {
    pub variable: &'static Variable,
    /// As the environment would say it.
    pub text: String,
    pub origin: Origin,
}

/// Reads the file's bytes. What is found beside problems is of use to nobody but the search for further problems.
pub(super) fn read(path: &str, bytes: &[u8]) -> (Vec<Found>, Vec<ConfigProblem>) {
    let mut reader = Reader { path, text: "", found: Vec::new(), problems: Vec::new() };
    if bytes.len() > LARGEST {
        reader.whole(format!("the file has {} bytes; expected at most {LARGEST}", bytes.len()));
        return reader.done();
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => reader.text = text,
        Err(error) => {
            let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]).into_owned();
            let (line, column) = place(&before, before.len());
            let origin = Origin::File { path: path.to_owned(), line, column, key: String::new() };
            reader.problems.push(ConfigProblem { origin, message: "expected UTF-8".to_owned() });
            return reader.done();
        }
    }
    let (document, errors) = DeTable::parse_recoverable(reader.text);
    if errors.is_empty() {
        for (table, value) in document.get_ref() {
            reader.table(table.get_ref(), &table.span(), value);
        }
    }
    for error in errors.into_iter().take(20) {
        reader.problem("", error.span().unwrap_or_default(), format!("not TOML: {}", said(&error)));
    }
    reader.done()
}

struct Reader<'t> {
    path: &'t str,
    text: &'t str,
    found: Vec<Found>,
    problems: Vec<ConfigProblem>,
}

impl Reader<'_> {
    fn done(self) -> (Vec<Found>, Vec<ConfigProblem>) {
        (self.found, self.problems)
    }

    fn table(&mut self, name: &str, span: &Range<usize>, value: &Spanned<DeValue<'_>>) {
        let keys: Vec<String> = of_table(name).map(|(_, key)| key).collect();
        if keys.is_empty() {
            return self.unknown("table", name, span, nearest(name, &tables()).as_deref(), &tables());
        }
        let DeValue::Table(entries) = value.get_ref() else {
            let message = format!("expected a table, [{name}], and this key in it");
            return self.problem(name, span.clone(), message);
        };
        for (key, value) in entries {
            match of_table(name).find(|(_, known)| known == key.get_ref()) {
                None => self.unknown_key(name, key.get_ref(), &key.span(), &keys),
                Some((variable, key)) => self.value(variable, &format!("{name}.{key}"), value),
            }
        }
    }

    fn unknown_key(&mut self, table: &str, key: &str, span: &Range<usize>, keys: &[String]) {
        let elsewhere = tables().into_iter().find(|other| of_table(other).any(|(_, known)| known == key));
        match elsewhere {
            Some(other) => self.problem(table, span.clone(), format!("`{key}` stands in [{other}], not in [{table}]")),
            None => self.unknown("key", key, span, nearest(key, keys).as_deref(), keys),
        }
    }

    /// Suggests the nearest name, else lists all.
    fn unknown(&mut self, what: &str, name: &str, span: &Range<usize>, nearest: Option<&str>, all: &[String]) {
        let said = if looks_like_a_key(name) { format!("unknown {what} `{name}`") } else { format!("unknown {what}") };
        let hint = match nearest {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => format!("expected one of {}", all.join(", ")),
        };
        self.problem("", span.clone(), format!("{said}; {hint}"));
    }

    fn value(&mut self, variable: &'static Variable, key: &str, value: &Spanned<DeValue<'_>>) {
        match text_of(variable.kind, value.get_ref()) {
            Ok(text) => {
                let origin = self.origin(key, &value.span());
                self.found.push(Found { variable, text, origin });
            }
            Err(message) => self.problem(key, value.span(), message),
        }
    }

    fn whole(&mut self, message: String) {
        let origin = Origin::File { path: self.path.to_owned(), line: 0, column: 0, key: String::new() };
        self.problems.push(ConfigProblem { origin, message });
    }

    fn problem(&mut self, key: &str, span: Range<usize>, message: String) {
        let origin = self.origin(key, &span);
        self.problems.push(ConfigProblem { origin, message });
    }

    fn origin(&self, key: &str, span: &Range<usize>) -> Origin {
        let (line, column) = place(self.text, span.start);
        Origin::File { path: self.path.to_owned(), line, column, key: key.to_owned() }
    }
}

/// The value as the environment would say it, or what was expected.
fn text_of(kind: Kind, value: &DeValue<'_>) -> Result<String, String> {
    let expected = |what: &str| Err(format!("expected {what}, found {}", kind_of(value)));
    match (kind, value) {
        (Kind::Number | Kind::Seconds, DeValue::Integer(number)) => {
            i64::from_str_radix(number.as_str(), number.radix())
                .map(|number| number.to_string())
                .map_err(|_| "expected a smaller number".to_owned())
        }
        (Kind::Seconds, DeValue::Float(number)) => Ok(number.as_str().to_owned()),
        (Kind::Number, _) => expected("a number without quotes"),
        (Kind::Seconds, _) => expected("seconds, a number without quotes"),
        (Kind::Text | Kind::Place | Kind::Secret | Kind::Secrets | Kind::List, DeValue::String(text)) => {
            Ok(text.to_string())
        }
        (Kind::Secrets | Kind::List, DeValue::Array(items)) => {
            let texts: Option<Vec<&str>> = items.iter().map(|item| item.get_ref().as_str()).collect();
            match texts {
                Some(texts) if !texts.iter().any(|text| text.contains(',')) => Ok(texts.join(",")),
                Some(_) => Err("expected no comma inside a text of the list".to_owned()),
                None => Err("expected nothing but texts in quotes in the list".to_owned()),
            }
        }
        (Kind::Secrets | Kind::List, _) => expected("a text in quotes, or a list of them"),
        (Kind::Text | Kind::Place | Kind::Secret, _) => expected("a text in quotes"),
    }
}

fn kind_of(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) => "a number",
        DeValue::Float(_) => "a number with decimals",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

/// The settings of a table, with their keys.
fn of_table(name: &str) -> impl Iterator<Item = (&'static Variable, String)> {
    let keyed = VARIABLES.iter().chain(LATER).filter_map(|variable| variable.key().map(|key| (variable, key)));
    keyed.filter(move |(_, (table, _))| table == name).map(|(variable, (_, key))| (variable, key))
}

/// Tables of this version, in the order of the list.
fn tables() -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (table, _) in VARIABLES.iter().filter_map(Variable::key) {
        if !names.contains(&table) {
            names.push(table);
        }
    }
    names
}

/// A line of a key in PEM, or a secret that was pasted as a key, does not: keys are short words of lower case.
fn looks_like_a_key(name: &str) -> bool {
    let words = name.split(['_', '-']);
    name.len() <= 32
        && words.clone().count() <= 4
        && words.into_iter().all(|word| (1..=14).contains(&word.len()) && word.chars().all(|c| c.is_ascii_lowercase()))
}

/// The parser's own words, which quote nothing of the file.
fn said(error: &toml::de::Error) -> String {
    error.message().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The nearest of the names, where it is near enough to be meant.
fn nearest(name: &str, all: &[String]) -> Option<String> {
    let name: String = name.to_ascii_lowercase().chars().map(|c| if c == '-' { '_' } else { c }).take(64).collect();
    let near = all.iter().map(|other| (distance(&name, other), other)).min()?;
    (near.0 <= 1 + name.chars().count() / 4).then(|| near.1.clone())
}

/// Insertions, deletions and substitutions between two words.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// Line and column in characters of a byte, both from 1.
fn place(text: &str, byte: usize) -> (u32, u32) {
    let mut end = byte.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let before = &text[..end];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn problems(text: &str) -> String {
        let (_, problems) = read("sekisho.toml", text.as_bytes());
        problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn every_problem_has_its_place() {
        let text = "\
            sekisho = 3\n\
            [github]\n\
            app_id = \"12\"\n\
            private-key = \"hunter2\"\n\
            webhook_secret = [\"hunter2\", 3]\n\
            listen = \"127.0.0.1:1\"\n\
            [databse]\n\
            [rust]\n\
            log = {}\n\
            hunter2hunter2hunter2 = 1\n";
        insta::assert_snapshot!(problems(text), @"
        sekisho.toml:7:2: unknown table `databse`; did you mean `database`?
        sekisho.toml:3:10: github.app_id: expected a number without quotes, found a text
        sekisho.toml:6:1: github: `listen` stands in [sekisho], not in [github]
        sekisho.toml:4:1: unknown key `private-key`; did you mean `private_key`?
        sekisho.toml:5:18: github.webhook_secret: expected nothing but texts in quotes in the list
        sekisho.toml:10:1: unknown key; expected one of log
        sekisho.toml:9:7: rust.log: expected a text in quotes, found a table
        sekisho.toml:1:1: sekisho: expected a table, [sekisho], and this key in it
        ");
        insta::assert_snapshot!(problems("[github]\nwebhook_secret = \"hunter2\nb = 1\n"), @r#"
        sekisho.toml:2:26: not TOML: invalid basic string, expected `"`
        "#);
        insta::assert_snapshot!(problems("[github]\napp_id = 1\napp_id = 2\n[github]\n"), @"
        sekisho.toml:3:1: not TOML: duplicate key
        sekisho.toml:4:2: not TOML: duplicate key
        ");
        let (_, problems) = read("x", b"[github]\nweb_url = \"\xe9\"");
        assert_eq!(problems[0].to_string(), "x:2:12: expected UTF-8");
        let (_, problems) = read("x", &vec![b'#'; LARGEST + 1]);
        assert_eq!(problems[0].to_string(), "x: the file has 262145 bytes; expected at most 262144");
    }

    #[test]
    fn values_read_as_the_environment_would_say_them() {
        let text = "[github]\napp_id = 12_345\nwebhook_secret = [\"a\", \"b\"]\n[sekisho]\nquiet_window = 0.5\nedit_window = 3\n";
        let (found, problems) = read("x", text.as_bytes());
        assert_eq!(problems, []);
        let mut texts: Vec<_> = found.iter().map(|found| (found.variable.name, found.text.as_str())).collect();
        texts.sort_unstable();
        assert_eq!(
            texts,
            [
                ("GITHUB_APP_ID", "12345"),
                ("GITHUB_WEBHOOK_SECRET", "a,b"),
                ("SEKISHO_EDIT_WINDOW", "3"),
                ("SEKISHO_QUIET_WINDOW", "0.5"),
            ]
        );
    }

    #[test]
    fn the_nearest_name_is_suggested() {
        let all = tables();
        let check = |name: &str, expect: Option<&str>| assert_eq!(nearest(name, &all).as_deref(), expect, "{name}");
        check("gihtub", Some("github"));
        check("githb", Some("github"));
        check("GitHub", Some("github"));
        check("server", None);
    }

    /// A secret as text of several forms, put where its key wants it, amid arbitrary text.
    fn file_with(secret: &str, before: &str, after: &str, form: u8) -> String {
        let value = match form % 7 {
            0 => format!("webhook_secret = \"{secret}\""),
            1 => format!("webhook_secret = [\"{secret}\", 1]"),
            2 => format!("private_key = \"\"\"\n{secret}\n"),
            3 => format!("private_key = \"-----BEGIN\n{secret}\n-----END\""),
            4 => format!("webhook_secret = {secret}"),
            5 => format!("webhook_secret.{secret} = 1"),
            _ => format!("webhook_secret = {{ {secret} = 1 }}\nwebhook_secret = '{secret}'\n{secret} = 1"),
        };
        format!("{before}\n[github]\n{value}\n{after}")
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            read("x", &bytes);
        }

        #[test]
        fn no_secret_is_repeated(
            secret in "[a-z0-9]{6}[A-Z][0-9][A-Za-z0-9]{8,40}",
            before in "[a-z\\[\\]=\"'#\n ]{0,30}",
            after in "\\PC{0,30}",
            form in any::<u8>(),
        ) {
            let (_, problems) = read("x", file_with(&secret, &before, &after, form).as_bytes());
            let said = format!("{problems:?}");
            prop_assert!(!said.contains(&secret), "{said}");
        }
    }
}
