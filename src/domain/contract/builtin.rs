//! The contracts that this project ships; one of them applies where a repository has none.

use super::bases::Bases;
use super::load::{Read, read};
use super::model::Contract;
use super::phases::SameTexts;
use super::shipped::{BUILTINS, BuiltIn};
use crate::domain::ids::Language;
use std::sync::LazyLock;

static LOADED: LazyLock<[(Contract, SameTexts); 2]> = LazyLock::new(|| BUILTINS.map(|builtin| shipped(&builtin)));

/// The built-in contract of a language.
#[must_use]
pub fn builtin(language: Language) -> &'static Contract {
    let [ja, en] = &*LOADED;
    match language {
        Language::Ja => &ja.0,
        Language::En => &en.0,
    }
}

/// A built-in contract by its name, `builtin:handoff-ja` or `builtin:handoff-en`.
#[must_use]
pub fn builtin_named(name: &str) -> Option<&'static Contract> {
    BUILTINS.iter().find(|builtin| builtin.name == name).map(|found| builtin(found.language))
}

#[expect(clippy::panic, reason = "the text is compiled in, and tests/contracts.rs proves that it is a contract")]
fn shipped(builtin: &BuiltIn) -> (Contract, SameTexts) {
    let Read { loaded, same_texts } =
        read(builtin.name, builtin.text.as_bytes(), None, &Bases::default(), &SameTexts::new());
    match loaded.contract {
        Some(contract) => (contract, same_texts),
        None => panic!("{}: {:?}", builtin.name, loaded.problems),
    }
}

/// What a plain string takes over from a built-in signal with the same text (chapter 2).
pub(super) fn same_texts() -> &'static SameTexts {
    static TEXTS: LazyLock<SameTexts> = LazyLock::new(|| {
        let mut texts = SameTexts::new();
        for (text, same) in LOADED.iter().flat_map(|(_, texts)| texts) {
            texts.entry(text.clone()).or_insert_with(|| same.clone());
        }
        texts
    });
    &TEXTS
}
