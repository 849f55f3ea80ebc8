//! What installations grant, beside what `app.yml` asks for: a missing permission is said before it is missed.

use crate::domain::ids::InstallationId;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// What `app.yml` asks for.
const WANTED: [(&str, Level); 5] = [
    ("issues", Level::Write),
    ("pull_requests", Level::Write),
    ("checks", Level::Write),
    ("contents", Level::Read),
    ("metadata", Level::Read),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    None,
    Read,
    Write,
}

impl Level {
    fn of(word: Option<&String>) -> Self {
        match word.map(String::as_str) {
            Some("read") => Self::Read,
            Some("write" | "admin") => Self::Write,
            _ => Self::None,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Read => "read",
            Self::Write => "write",
        }
    }
}

/// What is missing, by installation, as its newest token said.
#[derive(Debug, Default)]
pub(super) struct Grants(Mutex<BTreeMap<InstallationId, Vec<String>>>);

impl Grants {
    /// Takes in what a token's answer says is granted.
    pub(super) fn note(&self, installation: InstallationId, granted: &BTreeMap<String, String>) {
        let lacks = WANTED.into_iter().filter(|(name, level)| Level::of(granted.get(*name)) < *level);
        let lacks: Vec<String> =
            lacks.map(|(name, level)| format!("{name}: {} (installation {installation})", level.word())).collect();
        let mut missing = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        missing.insert(installation, lacks);
    }

    /// Every permission that some installation lacks.
    pub(super) fn missing(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).values().flatten().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manifest_asks_for_what_is_wanted() {
        let manifest = include_str!("../../../app.yml");
        for (name, level) in WANTED {
            assert!(manifest.contains(&format!("\n  {name}: {}\n", level.word())), "{name}");
        }
    }

    #[test]
    fn what_is_not_granted_is_missing_until_it_is() {
        let grants = Grants::default();
        let some = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(name, word)| ((*name).to_owned(), (*word).to_owned())).collect::<BTreeMap<_, _>>()
        };
        let all = [("issues", "write"), ("pull_requests", "write"), ("checks", "write"), ("metadata", "read")];
        grants.note(InstallationId(7), &some(&all));
        assert_eq!(grants.missing(), ["contents: read (installation 7)"]);
        grants.note(InstallationId(7), &some(&[all.as_slice(), &[("contents", "write")]].concat()));
        assert_eq!(grants.missing(), Vec::<String>::new());
        grants.note(InstallationId(7), &some(&[("issues", "read")]));
        assert_eq!(grants.missing().len(), 5);
    }
}
