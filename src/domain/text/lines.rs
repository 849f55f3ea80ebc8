//! Offsets become lines.

/// Where the lines of a text begin. LF, CRLF and CR end a line.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    /// Finds the lines of a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let ends = bytes.iter().enumerate().filter(|(at, byte)| match byte {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        });
        Self { starts: std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect() }
    }

    /// The line of a byte offset, from 1.
    #[must_use]
    pub fn line_of(&self, offset: usize) -> u32 {
        u32::try_from(self.starts.partition_point(|start| *start <= offset)).unwrap_or(u32::MAX)
    }

    /// Where a line begins that holds a byte offset.
    #[must_use]
    pub fn start_of(&self, offset: usize) -> usize {
        let after = self.starts.partition_point(|start| *start <= offset);
        after.checked_sub(1).map_or(0, |index| self.starts[index])
    }
}
