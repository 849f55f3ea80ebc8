//! The texts of the contracts that this project ships.

use crate::domain::ids::Language;

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
