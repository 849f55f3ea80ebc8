//! The entries of `SEKISHO_MODELS` and the keys of `SEKISHO_MODEL_KEYS`: lists become values, and each bad item a sentence
//! with its number and no word of it.

use super::spec::Spec;
use crate::domain::detect::mask_secrets;
use secrecy::SecretString;
use std::collections::BTreeMap;

/// An entry of `SEKISHO_MODELS`.
pub(super) struct Entry {
    /// Its place in the list, from 1.
    pub number: usize,
    /// The alias that contracts name.
    pub alias: String,
    /// Which of the alias's entries it is, from 1: the further ones are second opinions.
    pub place: usize,
    /// The model.
    pub spec: Spec,
}

/// Keys by alias and place.
pub(super) type Keys = BTreeMap<(String, usize), SecretString>;

impl Entry {
    /// The entry's own key.
    pub fn key(&self, keys: &Keys) -> Option<SecretString> {
        keys.get(&(self.alias.clone(), self.place)).cloned()
    }
}

/// Longest alias, in characters.
const LONGEST: usize = 60;

/// Reads `alias=provider:ID@URL,…`. `secrets`: keys that are known, and belong into no entry.
pub(super) fn entries(text: &str, secrets: &[String]) -> (Vec<Entry>, Vec<String>) {
    let (mut entries, mut problems): (Vec<Entry>, Vec<String>) = (Vec::new(), Vec::new());
    for (number, item) in numbered(text) {
        let read = match item.split_once('=') {
            _ if secrets.iter().any(|secret| item.contains(secret.as_str())) => {
                Err("a key stands in it; keys belong into SEKISHO_MODEL_KEYS".to_owned())
            }
            None => Err("expected alias=provider:ID".to_owned()),
            Some((name, spec)) => {
                alias(name).and_then(|alias| Ok((alias, spec.parse::<Spec>().map_err(|error| error.to_string())?)))
            }
        };
        match read {
            Ok((alias, spec)) => {
                let place = 1 + entries.iter().filter(|entry| entry.alias == alias).count();
                entries.push(Entry { number, alias, place, spec });
            }
            Err(what) => problems.push(format!("entry {number}: {what}")),
        }
    }
    if numbered(text).next().is_none() {
        problems.push("expected at least one alias=provider:ID".to_owned());
    }
    (entries, problems)
}

/// Reads `alias:KEY,…`: that of `strong` is of the alias's first entry, that of `strong/2` of its second.
pub(super) fn keys(text: &str, entries: &[Entry]) -> (Keys, Vec<String>) {
    let (mut keys, mut problems) = (Keys::new(), Vec::new());
    for (number, item) in numbered(text) {
        let Some((whose, key)) = item.split_once(':').map(|(whose, key)| (whose.trim(), key.trim())) else {
            problems.push(format!("key {number}: expected alias:KEY"));
            continue;
        };
        let (alias, place) = match whose.split_once('/') {
            None => (whose, Some(1)),
            Some((alias, place)) => (alias.trim(), place.trim().parse::<usize>().ok()),
        };
        if !is_key(key) {
            problems.push(format!("key {number}: it is empty, or holds characters that no key has"));
        }
        let Some(entry) = entries.iter().find(|entry| entry.alias == alias && Some(entry.place) == place) else {
            let what = "SEKISHO_MODELS has no such alias; the second entry of the alias `strong` is strong/2";
            problems.push(format!("key {number}: {what}"));
            continue;
        };
        if keys.insert((entry.alias.clone(), entry.place), SecretString::from(key)).is_some() {
            problems.push(format!("key {number}: that entry of SEKISHO_MODELS has a key already"));
        }
    }
    (keys, problems)
}

/// Whether a header may hold it.
pub(super) fn is_key(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_graphic())
}

/// The items of a list that are not empty, from 1.
pub(super) fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split(',').map(str::trim).filter(|item| !item.is_empty()).enumerate().map(|(index, item)| (index + 1, item))
}

/// An alias as contracts write it: any short text without what separates here.
fn alias(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("the alias is empty".to_owned());
    }
    let odd = |c: char| c.is_control() || [':', '/', '*', '@'].contains(&c);
    if text.contains(odd) || text.chars().count() > LONGEST || mask_secrets(text) != text {
        return Err("expected a short word as the alias, without : / * @".to_owned());
    }
    Ok(text.to_owned())
}
