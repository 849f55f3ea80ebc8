//! Newtypes of identities, so that a comment's id is never taken for an issue's number.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

macro_rules! number {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u64);
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { self.0.fmt(f) }
        }
    )+};
}

macro_rules! text {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub String);
        impl $name {
            /// Takes anything that becomes a string.
            pub fn new(text: impl Into<String>) -> Self { Self(text.into()) }
            /// The identity as text.
            #[must_use]
            pub fn as_str(&self) -> &str { &self.0 }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { f.write_str(&self.0) }
        }
    )+};
}

number! {
    /// A GitHub App's id.
    AppId,
    /// An installation of the App on an account.
    InstallationId,
    /// A repository's id; it survives a rename.
    RepositoryId,
    /// An issue's or a pull request's number within its repository.
    IssueNumber,
    /// An issue's id on the forge, which links between issues need; its number is another thing.
    IssueId,
    /// A comment's id on the forge.
    CommentId,
    /// A check run's id on the forge.
    CheckRunId,
}

text! {
    /// A person's or an App's login; an App's ends in `[bot]`.
    Login,
    /// A comment's GraphQL node id, which minimising needs.
    NodeId,
    /// `X-GitHub-Delivery`: one webhook delivery. Redelivery keeps it.
    DeliveryId,
    /// One piece of work in the queue; a retry keeps it.
    JobId,
    /// One execution of a gate: the job's id and the gate's, so that a restart of the job finds its own traces.
    RunId,
    /// Who holds a lease on a job.
    WorkerId,
    /// A criterion's id within its contract.
    CriterionId,
    /// SHA-256 (hex) of exactly what was judged (chapter 10).
    Revision,
    /// A git blob hash (SHA-1, hex).
    BlobHash,
    /// A git commit hash (hex).
    CommitSha,
    /// A record's HMAC (hex).
    Mac,
}

/// A login compared as GitHub does: case does not matter.
impl Login {
    /// Whether both name the same account.
    #[must_use]
    pub fn same(&self, other: &str) -> bool {
        self.0.eq_ignore_ascii_case(other)
    }
}

/// `owner/name`. It changes with a rename, so it is an address, never an identity.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepositoryName {
    /// The account that owns the repository.
    pub owner: String,
    /// The repository's own name.
    pub name: String,
}

impl RepositoryName {
    /// Puts both halves together without a check: for names that the forge itself gave.
    pub fn new(owner: impl Into<String>, name: impl Into<String>) -> Self {
        Self { owner: owner.into(), name: name.into() }
    }
}

impl fmt::Display for RepositoryName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.owner, self.name)
    }
}

/// What is wrong with a text that should have been `owner/name`.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{0}` is not a repository's name; expected owner/name")]
pub struct NotARepositoryName(pub String);

impl FromStr for RepositoryName {
    type Err = NotARepositoryName;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let valid =
            |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
        match text.split_once('/') {
            Some((owner, name)) if valid(owner) && valid(name) => Ok(Self::new(owner, name)),
            _ => Err(NotARepositoryName(text.to_owned())),
        }
    }
}

impl Serialize for RepositoryName {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for RepositoryName {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// A gate's id (chapter 1). The order is the order of the road.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GateId {
    /// 受理: the parent issue.
    #[serde(alias = "intake")]
    Acceptance,
    /// 分割: the split plan.
    Split,
    /// 着手: the child issue.
    Start,
    /// 成果: the report.
    Outcome,
    /// 統合: the roll-up.
    Integration,
    /// The six-field diagnosis.
    Diagnosis,
    /// The layered critic.
    Critic,
    /// The review of OpenSpec documents.
    Openspec,
    /// The rubber duck.
    Duck,
}

impl GateId {
    /// Every gate, in the order of the road.
    pub const ALL: [Self; 9] = [
        Self::Acceptance,
        Self::Split,
        Self::Start,
        Self::Outcome,
        Self::Integration,
        Self::Diagnosis,
        Self::Critic,
        Self::Openspec,
        Self::Duck,
    ];

    /// The gates of a handoff contract.
    pub const HANDOFF: [Self; 5] = [Self::Acceptance, Self::Split, Self::Start, Self::Outcome, Self::Integration];

    /// The id as contracts, labels and commands write it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Acceptance => "acceptance",
            Self::Split => "split",
            Self::Start => "start",
            Self::Outcome => "outcome",
            Self::Integration => "integration",
            Self::Diagnosis => "diagnosis",
            Self::Critic => "critic",
            Self::Openspec => "openspec",
            Self::Duck => "duck",
        }
    }
}

impl fmt::Display for GateId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A text that names no gate.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error(
    "`{0}` is not a gate; expected one of acceptance (or intake), split, start, outcome, integration, diagnosis, critic, openspec, duck"
)]
pub struct NotAGate(pub String);

impl FromStr for GateId {
    type Err = NotAGate;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "intake" {
            return Ok(Self::Acceptance);
        }
        Self::ALL.into_iter().find(|gate| gate.as_str() == text).ok_or_else(|| NotAGate(text.to_owned()))
    }
}

/// The language of a contract and of the comments under it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// Japanese.
    Ja,
    /// English.
    En,
}

impl Language {
    /// Japanese where the text holds kana or kanji, else English (chapter 2).
    #[must_use]
    pub fn of(text: &str) -> Self {
        let japanese = |c: char| matches!(c, '\u{3041}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9d}' | '\u{20000}'..='\u{3ffff}');
        if !text.is_ascii() && text.chars().any(japanese) { Self::Ja } else { Self::En }
    }

    /// `ja` or `en`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ja => "ja",
            Self::En => "en",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_parse_from_their_own_text_and_intake_is_acceptance() {
        for gate in GateId::ALL {
            assert_eq!(gate.as_str().parse(), Ok(gate));
        }
        assert_eq!("intake".parse(), Ok(GateId::Acceptance));
        assert!("Start".parse::<GateId>().is_err());
    }

    #[test]
    fn repository_names_have_two_halves() {
        assert_eq!("acme/widgets".parse(), Ok(RepositoryName::new("acme", "widgets")));
        for bad in ["acme", "/x", "x/", "a/b/c", "a b/c", ""] {
            assert!(bad.parse::<RepositoryName>().is_err(), "{bad}");
        }
    }

    #[test]
    fn language_follows_kana_and_kanji() {
        assert_eq!(Language::of("plain text — 12 ms"), Language::En);
        assert_eq!(Language::of("a 要件"), Language::Ja);
        assert_eq!(Language::of("ﾃｽﾄ"), Language::Ja);
    }
}
