//! What installations grant, beside what `app.yml` asks for: a missing permission is said before it is missed.

use super::manifest::{Level, manifest};
use crate::domain::ids::InstallationId;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// What is missing, by installation, as its newest token said.
#[derive(Debug, Default)]
pub(super) struct Grants(Mutex<BTreeMap<InstallationId, Vec<String>>>);

impl Grants {
    /// Takes in what a token's answer says is granted.
    pub(super) fn note(&self, installation: InstallationId, granted: &BTreeMap<String, String>) {
        let wanted = manifest().permissions.iter();
        let lacks = wanted.filter_map(|(name, level)| {
            let has = Level::of(granted.get(name).map(String::as_str));
            (has < *level).then(|| format!("{name}: {} (installation {installation})", level.word()))
        });
        let lacks: Vec<String> = lacks.collect();
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
