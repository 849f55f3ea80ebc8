//! What is wrong with a contract file: file, line, column, the line itself and what was expected (chapter 2).

use serde::Serialize;

/// How much a problem weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The contract can't be used.
    Error,
    /// The contract works, but likely not as meant.
    Warning,
    /// Something was skipped or taken in a compatible way.
    Notice,
}

/// One problem of one contract file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The lint's id, which is also its anchor in the docs, such as `unknown-key`.
    pub id: &'static str,
    /// How much it weighs.
    pub severity: Severity,
    /// The file, as it was named.
    pub path: String,
    /// Line, from 1; 0 where the file as a whole is meant.
    pub line: u32,
    /// Column in characters, from 1; 0 where the file as a whole is meant.
    pub column: u32,
    /// The offending line as it stands in the file, cut at 200 characters.
    pub source: String,
    /// What is wrong.
    pub message: String,
    /// What was expected instead.
    pub expected: String,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Notice => "notice",
        };
        write!(f, "{}:{}:{}: {severity}[{}]: {}", self.path, self.line, self.column, self.id, self.message)?;
        if !self.expected.is_empty() {
            write!(f, "; expected {}", self.expected)?;
        }
        Ok(())
    }
}
