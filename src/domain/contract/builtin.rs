//! The contracts that this project ships; one of them applies where a repository has none.

use super::load::load_with;
use super::model::Contract;
use super::phases::{SameText, SameTexts};
use super::slug::fold;
use crate::domain::ids::Language;
use std::sync::LazyLock;

/// A shipped contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltIn {
    /// Its name: `builtin:handoff-ja`.
    pub name: &'static str,
    /// The language that it is written in, and applies to.
    pub language: Language,
    /// The file's text.
    pub text: &'static str,
}

/// All shipped contracts.
pub const BUILTINS: [BuiltIn; 2] = [
    BuiltIn {
        name: "builtin:handoff-ja",
        language: Language::Ja,
        text: include_str!("../../../contracts/handoff-ja.yaml"),
    },
    BuiltIn {
        name: "builtin:handoff-en",
        language: Language::En,
        text: include_str!("../../../contracts/handoff-en.yaml"),
    },
];

static LOADED: LazyLock<[Contract; 2]> = LazyLock::new(|| BUILTINS.map(|builtin| read(&builtin)));

/// The built-in contract of a language.
#[must_use]
pub fn builtin(language: Language) -> &'static Contract {
    let [ja, en] = &*LOADED;
    match language {
        Language::Ja => ja,
        Language::En => en,
    }
}

/// A built-in contract by its name, `builtin:handoff-ja` or `builtin:handoff-en`.
#[must_use]
pub fn builtin_named(name: &str) -> Option<&'static Contract> {
    BUILTINS.iter().find(|builtin| builtin.name == name).map(|found| builtin(found.language))
}

#[expect(clippy::panic, reason = "the text is compiled in, and tests/contracts.rs proves that it is a contract")]
fn read(builtin: &BuiltIn) -> Contract {
    let loaded = load_with(builtin.name, builtin.text.as_bytes(), None, &SameTexts::new());
    loaded.contract.unwrap_or_else(|| panic!("{}: {:?}", builtin.name, loaded.problems))
}

/// What a plain string takes over from a built-in signal with the same text (chapter 2).
pub(super) fn same_texts() -> &'static SameTexts {
    static TEXTS: LazyLock<SameTexts> = LazyLock::new(|| {
        let mut texts = SameTexts::new();
        for contract in LOADED.iter() {
            let of_phases = contract.phases.iter().flat_map(|phase| &phase.signals);
            let of_sets = contract.gates.iter().flat_map(|gate| &gate.set_signals);
            for signal in of_phases.chain(of_sets) {
                let same = SameText { detect: signal.detect.clone(), lack: signal.lack, absence: signal.absence };
                texts.entry(fold(&signal.text)).or_insert(same);
            }
        }
        texts
    });
    &TEXTS
}
