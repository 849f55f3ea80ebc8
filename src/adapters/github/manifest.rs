//! What `app.yml` asks for, read from the file itself, which is built in.
//!
//! It is a file of ours with two levels, so lines are enough; a test holds this reading against a real YAML parser.

use std::sync::LazyLock;

/// What the App asks of whoever installs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// Permissions, such as `issues` and [`Level::Write`], in the order of the file.
    pub permissions: Vec<(String, Level)>,
    /// Events, in the order of the file.
    pub events: Vec<String>,
}

/// How much of a permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Not granted.
    None,
    /// To read.
    Read,
    /// To write.
    Write,
}

impl Level {
    /// GitHub's word, or no word.
    #[must_use]
    pub fn of(word: Option<&str>) -> Self {
        match word {
            Some("read") => Self::Read,
            Some("write" | "admin") => Self::Write,
            _ => Self::None,
        }
    }

    /// The word for people.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Read => "read",
            Self::Write => "write",
        }
    }
}

/// What `app.yml` says.
#[must_use]
pub fn manifest() -> &'static Manifest {
    static MANIFEST: LazyLock<Manifest> = LazyLock::new(|| parse(include_str!("../../../app.yml")));
    &MANIFEST
}

fn parse(text: &str) -> Manifest {
    let mut manifest = Manifest { permissions: Vec::new(), events: Vec::new() };
    let mut section = "";
    for line in text.lines().map(|line| line.split(" #").next().unwrap_or_default().trim_end()) {
        let inside = line.trim_start();
        if inside.is_empty() || inside.starts_with('#') {
            continue;
        }
        if inside.len() == line.len() {
            section = line.split(':').next().unwrap_or_default();
            continue;
        }
        match (section, inside.split_once(": "), inside.strip_prefix("- ")) {
            ("default_permissions", Some((name, level)), _) => {
                manifest.permissions.push((name.to_owned(), Level::of(Some(level.trim()))));
            }
            ("default_events", _, Some(event)) => manifest.events.push(event.trim().to_owned()),
            _ => {}
        }
    }
    manifest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::event::EVENTS;
    use serde::Deserialize;
    use std::collections::BTreeMap;

    #[derive(Deserialize)]
    struct App {
        default_permissions: BTreeMap<String, String>,
        default_events: Vec<String>,
    }

    #[test]
    fn a_yaml_parser_reads_the_same() {
        let app: App = serde_saphyr::from_str(include_str!("../../../app.yml")).unwrap();
        let permissions: BTreeMap<String, Level> =
            app.default_permissions.iter().map(|(name, level)| (name.clone(), Level::of(Some(level)))).collect();
        assert_eq!(manifest().permissions.iter().cloned().collect::<BTreeMap<_, _>>(), permissions);
        assert!(manifest().permissions.len() >= 5);
        assert_eq!(manifest().events, app.default_events);
        assert_eq!(manifest().events, EVENTS);
    }
}
