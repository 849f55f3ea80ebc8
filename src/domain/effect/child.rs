//! A child of a split before it is an issue, and the footer by which its issue is known again.

use crate::domain::ids::{IssueNumber, RunId};
use serde::{Deserialize, Serialize};

/// A child that is to be filed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChildDraft {
    /// Place in the plan, from 0.
    pub index: u64,
    /// Its title.
    pub title: String,
    /// Its body, with the contract's headings and without the footer.
    pub body: String,
    /// What it covers, as the plan says it.
    pub covers: Vec<String>,
    /// Places of the children that it waits for.
    pub blocked_by: Vec<u64>,
}

/// The last line of a child that this App filed: whose child, and of which run.
///
/// It counts only in an issue that this App wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChildFooter {
    /// The parent.
    pub parent: IssueNumber,
    /// The split's run.
    pub run: RunId,
    /// Place in its plan, from 0.
    pub index: u64,
}

const BEGIN: &str = "<!-- sekisho:child ";
const END: &str = " -->";

impl ChildFooter {
    /// The body with the footer below it.
    #[must_use]
    pub fn below(&self, body: &str) -> String {
        let Self { parent, run, index } = self;
        format!("{}\n\n{BEGIN}#{parent} {run} {index}{END}\n", body.trim_end())
    }

    /// The footer of a body: its last line that is not blank, and nothing else.
    #[must_use]
    pub fn of(body: &str) -> Option<Self> {
        let line = body.trim_end().rsplit(['\n', '\r']).next()?;
        Self::read(line.trim())
    }

    /// Reads the footer's own line.
    #[must_use]
    pub fn read(line: &str) -> Option<Self> {
        let inner = line.strip_prefix(BEGIN)?.strip_suffix(END)?;
        let mut words = inner.split(' ');
        let parent = words.next()?.strip_prefix('#')?.parse().ok().map(IssueNumber)?;
        let run = words.next().filter(|run| !run.is_empty())?;
        let index = words.next()?.parse().ok()?;
        words.next().is_none().then(|| Self { parent, run: RunId(run.to_owned()), index })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_footer_is_the_last_line_and_nothing_else() {
        let footer = ChildFooter { parent: IssueNumber(12), run: RunId("0193.split".into()), index: 3 };
        let body = footer.below("## Purpose\n\nx\n");
        assert_eq!(body, "## Purpose\n\nx\n\n<!-- sekisho:child #12 0193.split 3 -->\n");
        assert_eq!(ChildFooter::of(&body), Some(footer.clone()));
        assert_eq!(ChildFooter::of(&body.replace('\n', "\r\n")), Some(footer));
        assert_eq!(ChildFooter::of(&format!("{body}\nmore")), None);
        for other in ["", "<!-- sekisho:child -->", "<!-- sekisho:child #1 a -->", "<!-- sekisho:child #1 a 2 b -->"] {
            assert_eq!(ChildFooter::of(other), None, "{other}");
        }
    }

    proptest! {
        #[test]
        fn any_last_line_is_read_or_not(text in r"(\PC|\n|<!-- sekisho:child #){0,40}") {
            let _ = ChildFooter::of(&text);
        }
    }
}
