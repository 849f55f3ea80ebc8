//! Problems as a person reads them: what is wrong, the line, a mark under the place, what was expected.

use super::place::mark;
use crate::domain::contract::{Problem, Severity};
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use std::io::{self, Write};
use std::ops::Range;

/// Whether the drawing has colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Colours {
    /// For a terminal.
    Terminal,
    /// For files, pipes and tests.
    None,
}

/// A terminal that says to be narrower tells no width, or shows nothing well.
const NARROW: usize = 40;

/// Draws problems one below the other, an empty line behind each.
///
/// # Errors
///
/// Only where `out` can't be written.
pub(super) fn problems(problems: &[Problem], colours: Colours, out: &mut impl Write) -> io::Result<()> {
    let renderer = match colours {
        // `Table::width` is the width of the terminal where there is one.
        Colours::Terminal => match comfy_table::Table::new().width().map(usize::from) {
            Some(width) if width >= NARROW => Renderer::styled().term_width(width),
            _ => Renderer::styled(),
        },
        Colours::None => Renderer::plain(),
    };
    for problem in problems {
        writeln!(out, "{}\n", draw(problem, &renderer))?;
    }
    Ok(())
}

fn draw(problem: &Problem, renderer: &Renderer) -> String {
    let level = match problem.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Notice => Level::NOTE.with_name("notice"),
    };
    let mut group = Group::with_title(level.primary_title(shown(&problem.message)).id(problem.id));
    if problem.line == 0 {
        group = group.element(Origin::path(shown(&problem.path)));
    } else {
        let place = bytes(&problem.source, &mark(problem));
        let snippet = Snippet::source(problem.source.as_str())
            .line_start(problem.line as usize)
            .path(shown(&problem.path))
            .annotation(AnnotationKind::Primary.span(place));
        group = group.element(snippet);
    }
    if !problem.expected.is_empty() {
        group = group.element(Level::HELP.no_name().message(format!("expected {}", shown(&problem.expected))));
    }
    renderer.render(&[group])
}

/// A range of characters as one of bytes; `place` is within the text.
fn bytes(text: &str, place: &Range<usize>) -> Range<usize> {
    let byte = |at: usize| text.char_indices().nth(at).map_or(text.len(), |(byte, _)| byte);
    byte(place.start)..byte(place.end)
}

/// A control character, a line end for one, would move the drawing.
fn shown(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
