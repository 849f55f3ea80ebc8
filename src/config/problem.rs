//! What is wrong with the configuration, and where it stands. No secret is in it, nor any line of a file.

use super::variables::VARIABLES;
use std::fmt;

/// A setting that does not say what it should.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigProblem {
    /// Where it stands.
    pub origin: Origin,
    /// What is wrong, and what was expected.
    pub message: String,
}

/// Where a setting stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// In the configuration file.
    File {
        /// The file, as it was named.
        path: String,
        /// From 1; 0 where the file as a whole is meant.
        line: u32,
        /// In characters, from 1; 0 where the file as a whole is meant.
        column: u32,
        /// The key with its table, such as `github.app_id`; empty where none is meant.
        key: String,
    },
    /// In the environment, or nowhere: this variable.
    Environment(&'static str),
}

impl Origin {
    /// The place of a variable in the list of all: problems are said in this order, those of the file first.
    pub(super) fn place(&self) -> usize {
        match self {
            Self::File { .. } => 0,
            Self::Environment(name) => {
                VARIABLES.iter().position(|variable| variable.name == *name).map_or(usize::MAX, |place| place + 1)
            }
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Environment(name) => f.write_str(name),
            Self::File { path, line, column, key } => {
                f.write_str(path)?;
                if *line > 0 {
                    write!(f, ":{line}:{column}")?;
                }
                if key.is_empty() { Ok(()) } else { write!(f, ": {key}") }
            }
        }
    }
}

impl fmt::Display for ConfigProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.origin, self.message)
    }
}

impl std::error::Error for ConfigProblem {}
