//! What a text must hold for a pattern to match in it: of a set of short words at least one.
//!
//! Most sentences hold none of the words of most patterns. One pass that looks for the words of many patterns tells which of
//! them are worth running (`patterns.rs`).

use regex_syntax::hir::{Class, ClassBytesRange, ClassUnicodeRange, Hir, HirKind};

/// Most words of a set that is built up; what would be more is cut into parts.
const MOST_WORDS: usize = 64;

/// Most different characters that are taken for a choice of words; a larger class says nothing.
const LARGEST_CLASS: usize = 24;

/// Longest word, in characters: what is longer finds hardly more and costs memory.
const LONGEST_WORD: usize = 6;

/// Words of which one stands in every match of a pattern, ASCII in lower case. None: the pattern has no such words, or cannot
/// be read. ſ and the Kelvin sign, which match s and k, are spelled as those.
pub(super) fn required(pattern: &str) -> Option<Vec<String>> {
    let hir = regex_syntax::Parser::new().parse(pattern).ok()?;
    let cut = |word: String| word.chars().take(LONGEST_WORD).collect();
    Some(fewest(Parts::of(&hir).required?.into_iter().map(cut).collect()))
}

/// Words without those that hold another one of them: where they stand, the other stands too.
fn fewest(mut words: Vec<String>) -> Vec<String> {
    words.sort_by_key(String::len);
    let mut out: Vec<String> = Vec::new();
    for word in words {
        if !out.iter().any(|shorter| word.contains(shorter.as_str())) {
            out.push(word);
        }
    }
    out.sort_unstable();
    out
}

/// What is known of a part of a pattern.
#[derive(Default)]
struct Parts {
    /// All that it can match, if that is little.
    exact: Option<Vec<String>>,
    /// Words of which one stands in all that it matches; none of them empty.
    required: Option<Vec<String>>,
}

impl Parts {
    fn of(hir: &Hir) -> Self {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => Self::exact(vec![String::new()]),
            HirKind::Literal(literal) => match std::str::from_utf8(&literal.0) {
                Ok(text) => Self::exact(vec![text.chars().map(folded).collect()]),
                Err(_) => Self::default(),
            },
            HirKind::Class(class) => characters(class).map_or_else(Self::default, Self::exact),
            HirKind::Repetition(repetition) => {
                let inner = Self::of(&repetition.sub);
                match (repetition.min, repetition.max) {
                    (0, Some(1)) => {
                        let exact = inner.exact.map(|mut words| {
                            words.push(String::new());
                            words
                        });
                        Self { exact, required: None }
                    }
                    (0, _) => Self::default(),
                    _ => Self { exact: None, required: inner.required },
                }
            }
            HirKind::Capture(capture) => Self::of(&capture.sub),
            HirKind::Concat(parts) => Self::row(parts),
            HirKind::Alternation(parts) => Self::choice(parts),
        }
    }

    fn exact(words: Vec<String>) -> Self {
        let required = words.iter().all(|word| !word.is_empty()).then(|| words.clone());
        Self { exact: Some(words), required }
    }

    /// Parts one behind the other: the rarest words of any of them, or of neighbours together.
    fn row(parts: &[Hir]) -> Self {
        let mut best: Option<Vec<String>> = None;
        let mut run = vec![String::new()];
        let mut whole = true;
        for part in parts {
            let part = Self::of(part);
            match part.exact {
                Some(words) if run.len() * words.len() <= MOST_WORDS => {
                    run = run.iter().flat_map(|start| words.iter().map(move |end| format!("{start}{end}"))).collect();
                }
                exact => {
                    whole = false;
                    best = rarer(best, Self::exact(run).required);
                    best = rarer(best, part.required);
                    run = exact.unwrap_or_else(|| vec![String::new()]);
                }
            }
        }
        let required = rarer(best, Self::exact(run.clone()).required);
        Self { exact: whole.then_some(run), required }
    }

    /// One part or another: the words of all.
    fn choice(parts: &[Hir]) -> Self {
        let mut exact = Some(Vec::new());
        let mut required = Some(Vec::new());
        for part in parts {
            let part = Self::of(part);
            exact = join(exact, part.exact);
            required = join(required, part.required);
        }
        Self { exact: exact.filter(|words| words.len() <= MOST_WORDS), required }
    }
}

fn join(all: Option<Vec<String>>, more: Option<Vec<String>>) -> Option<Vec<String>> {
    let (mut all, more) = (all?, more?);
    all.extend(more);
    Some(all)
}

/// The set that a text will hold a word of less often.
fn rarer(one: Option<Vec<String>>, other: Option<Vec<String>>) -> Option<Vec<String>> {
    match (one, other) {
        (Some(one), Some(other)) => Some(if often(&other) < often(&one) { other } else { one }),
        (one, other) => one.or(other),
    }
}

/// About how often one of the words begins at a place of a text.
fn often(words: &[String]) -> f64 {
    let letter = |c: char| match c {
        ' ' => 0.15,
        'a'..='z' => 0.06,
        '0'..='9' => 0.008,
        '\u{3041}'..='\u{309f}' => 0.03,
        '\u{4e00}'..='\u{9fff}' => 0.002,
        // Katakana, marks and all else.
        _ => 0.01,
    };
    words.iter().map(|word| word.chars().take(LONGEST_WORD).map(letter).product::<f64>()).sum()
}

/// The characters of a small class, each as a word.
fn characters(class: &Class) -> Option<Vec<String>> {
    let mut out: Vec<String> = Vec::new();
    let mut add = |from: u32, to: u32| {
        for code in from..=to {
            let word = folded(char::from_u32(code)?).to_string();
            if !out.contains(&word) {
                out.push(word);
            }
        }
        Some(())
    };
    match class {
        Class::Unicode(class) => {
            if class.ranges().iter().map(ClassUnicodeRange::len).sum::<usize>() > LARGEST_CLASS {
                return None;
            }
            class.ranges().iter().try_for_each(|range| add(u32::from(range.start()), u32::from(range.end())))?;
        }
        Class::Bytes(class) => {
            if !class.is_ascii() || class.ranges().iter().map(ClassBytesRange::len).sum::<usize>() > LARGEST_CLASS {
                return None;
            }
            class.ranges().iter().try_for_each(|range| add(u32::from(range.start()), u32::from(range.end())))?;
        }
    }
    (!out.is_empty()).then_some(out)
}

/// A character as the words spell it.
fn folded(c: char) -> char {
    match c {
        LONG_S => 's',
        KELVIN => 'k',
        c => c.to_ascii_lowercase(),
    }
}

/// Matches s where case does not matter.
pub(super) const LONG_S: char = '\u{17f}';

/// Matches k where case does not matter.
pub(super) const KELVIN: char = '\u{212a}';

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, expect: Option<&[&str]>) {
        let found = required(&format!("(?xi){pattern}"));
        let found: Option<Vec<&str>> = found.as_ref().map(|words| words.iter().map(String::as_str).collect());
        assert_eq!(found.as_deref(), expect, "{pattern}");
    }

    #[test]
    fn one_of_the_words_stands_in_every_match() {
        check("risk", Some(&["risk"]));
        check(r"a [^b] (?: 計測 | 測 [りる] ) x?", Some(&["測り", "測る", "計測"]));
        check(r"(?P<name> [a-z]+ ) \s+ (?-i: Class | Struct ) (?-u:\b)", Some(&["class", "struct"]));
        check(r"in \s+ (?: the \s+ )* staging", Some(&["stagin"]));
        check(r"(?: ab )+ c?", Some(&["ab"]));
        check(r"[0-9]{3} [a-z]", Some(&["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]));
        check(r"κ", Some(&["Κ", "κ", "ϰ"]));
        check("a|b*", None);
        check(r"[a-z]+ | \s*", None);
        check("(", None);
        check("", None);
    }
}
