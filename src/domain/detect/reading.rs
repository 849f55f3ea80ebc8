//! A body that is read once: its outline, and what of it no comment may repeat.
//!
//! Gate, judge and conclusion ask the same things of the same text. A reading is handed from one to the next, so that
//! nothing is parsed or searched twice.

use super::personal_data::personal_data_in;
use super::secret::secrets_in;
use super::sensitive::{Secret, disjoint};
use crate::domain::text::{Document, Normalised};
use std::fmt;
use std::sync::{Arc, OnceLock};

/// A text with all that was found out about it. Cloning shares it.
#[derive(Clone)]
pub struct Reading(Arc<Found>);

struct Found {
    document: Document,
    folded: OnceLock<Normalised>,
    secrets: OnceLock<Vec<Secret>>,
    sensitive: OnceLock<Vec<Secret>>,
}

impl Reading {
    /// Parses a body. Secrets are looked for when they are first asked for.
    #[must_use]
    pub fn of(text: &str) -> Self {
        Self(Arc::new(Found {
            document: Document::parse(text),
            folded: OnceLock::new(),
            secrets: OnceLock::new(),
            sensitive: OnceLock::new(),
        }))
    }

    /// The outline.
    #[must_use]
    pub fn document(&self) -> &Document {
        &self.0.document
    }

    /// The text as it was given.
    #[must_use]
    pub fn text(&self) -> &str {
        self.0.document.source()
    }

    /// What [`secrets`](super::secrets()) finds in the text.
    #[must_use]
    pub fn secrets(&self) -> &[Secret] {
        self.0.secrets.get_or_init(|| secrets_in(self.text(), self.folded()))
    }

    /// The lines, from 1, on which secrets begin.
    #[must_use]
    pub fn secret_lines(&self) -> Vec<u32> {
        let mut lines: Vec<_> =
            self.secrets().iter().map(|secret| self.document().line_of(secret.range.start)).collect();
        lines.dedup();
        lines
    }

    /// What [`sensitive`](super::sensitive()) finds in the text.
    #[must_use]
    pub fn sensitive(&self) -> &[Secret] {
        self.0.sensitive.get_or_init(|| {
            let mut found = self.secrets().to_vec();
            found.extend(personal_data_in(self.folded()));
            disjoint(found)
        })
    }

    /// The text folded, with the way back to where each part of it stands.
    #[must_use]
    pub fn folded(&self) -> &Normalised {
        self.0.folded.get_or_init(|| Normalised::of(self.text()))
    }
}

/// Readings of the same text are the same, whatever of them was asked for by now.
impl PartialEq for Reading {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.text() == other.text()
    }
}

impl Eq for Reading {}

impl fmt::Debug for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Reading").field(&self.text()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::detect::{secret_lines, secrets, sensitive};

    #[test]
    fn a_reading_says_what_the_functions_say() {
        let token = format!("ghp{}", "_9fK2mQ7xLwR4tZ8vB1nC6yD3hJ5sG0aPqWeR");
        let mail = format!("taro{}", "@kobo-mail.jp");
        let text = format!("# a\r\n\r\n{token}\r\n{mail} と {token}\u{200b}\n");
        let reading = Reading::of(&text);
        assert_eq!(reading.sensitive(), sensitive(&text));
        assert_eq!(reading.secrets(), secrets(&text));
        assert_eq!((reading.secrets().len(), reading.sensitive().len()), (2, 3));
        assert_eq!(reading.secret_lines(), secret_lines(&text));
        assert_eq!(reading, Reading::of(&text));
    }
}
