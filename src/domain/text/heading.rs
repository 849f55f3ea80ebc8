//! Headings compared with the names a contract uses (chapter 3), and headings that only come near.

use super::document::{Document, NearMiss, Section};
use super::normalise::Normalised;

/// What is compared of a heading: NFKC without invisible characters, trimmed, trailing colons and `#`s dropped.
#[must_use]
pub fn heading_key(text: &str) -> String {
    let folded = Normalised::of(text);
    folded.text().trim().trim_end_matches(|c: char| c == ':' || c == '#' || c.is_whitespace()).to_owned()
}

impl Document {
    /// Sections whose heading is one of the names, in the text's order.
    pub fn sections_named<'d, 'n>(
        &'d self,
        names: impl IntoIterator<Item = &'n str>,
    ) -> impl Iterator<Item = &'d Section> {
        let keys: Vec<_> = names.into_iter().map(heading_key).collect();
        self.sections().iter().filter(move |section| keys.contains(&section.key))
    }

    /// The first section whose heading is one of the names.
    #[must_use]
    pub fn section<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Option<&Section> {
        self.sections_named(names).next()
    }

    /// What comes nearest to one of the names without being it: `Acceptance (see below)` for `Acceptance criteria`,
    /// a bold line, `##Purpose` without its space. Headings in `taken` belong to other names.
    #[must_use]
    pub fn near_miss<'n>(
        &self,
        names: impl IntoIterator<Item = &'n str>,
        taken: impl IntoIterator<Item = &'n str>,
    ) -> Option<NearMiss> {
        let names: Vec<_> = names.into_iter().map(heading_key).collect();
        let taken: Vec<_> = taken.into_iter().map(heading_key).collect();
        let sections = self
            .sections()
            .iter()
            .take(MOST)
            .map(|section| (section.key.clone(), &section.title, &section.title_range));
        let lines =
            self.heading_like().iter().take(MOST).map(|like| (heading_key(&like.title), &like.title, &like.range));
        let candidates = sections.map(|found| (found, Shape::Heading)).chain(lines.map(|found| (found, Shape::Line)));
        candidates
            .filter(|((key, _, _), _)| !taken.contains(key))
            .filter_map(|((key, title, range), shape)| {
                let best = names.iter().filter_map(|name| nearness(name, &key, shape)).min()?;
                Some((best, NearMiss { title: title.clone(), range: range.clone() }))
            })
            .min_by_key(|(best, _)| *best)
            .map(|(_, miss)| miss)
    }
}

/// What a candidate is in the text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Heading,
    /// A bold paragraph, or `##` without a space: it may well say exactly the name.
    Line,
}

/// Longest heading that is compared: what is longer is a sentence.
const LONGEST: usize = 80;

/// How many headings are compared; a bound, so that the work stays linear in the text.
const MOST: usize = 500;

/// How near a key comes to a name, 0 the nearest; none = not near, or the very same.
fn nearness(name: &str, key: &str, shape: Shape) -> Option<usize> {
    if name == key {
        return (shape == Shape::Line).then_some(0);
    }
    let (name, key) = (Folded::of(name)?, Folded::of(key)?);
    if name.whole == key.whole || name.core == key.core {
        return Some(1);
    }
    if contains(&key.core, &name.core) || contains(&name.core, &key.core) {
        return Some(2);
    }
    // A short word is another word when one letter differs.
    let short = name.core.len().min(key.core.len()) < 4;
    let allowed = if short { 0 } else { name.core.len().max(key.core.len()) / 3 };
    if name.core.len().abs_diff(key.core.len()) > allowed {
        return None;
    }
    let distance = distance(&name.core, &key.core);
    (distance <= allowed).then_some(2 + distance)
}

/// A heading without what people add to one.
struct Folded {
    /// Lower case letters and digits, words apart by one space.
    whole: Vec<char>,
    /// The same without what stands in brackets.
    core: Vec<char>,
}

impl Folded {
    fn of(key: &str) -> Option<Self> {
        if key.chars().count() > LONGEST {
            return None;
        }
        let mut depth = 0_usize;
        let mut outside = String::new();
        for c in key.chars() {
            match c {
                '(' | '[' | '【' | '〔' | '<' => depth += 1,
                ')' | ']' | '】' | '〕' | '>' => depth = depth.saturating_sub(1),
                _ if depth == 0 => outside.push(c),
                _ => {}
            }
        }
        let whole = letters(key);
        let core = letters(&outside);
        let core = if core.is_empty() { whole.clone() } else { core };
        (!core.is_empty()).then_some(Self { whole, core })
    }
}

fn letters(text: &str) -> Vec<char> {
    let lower = text.to_lowercase();
    let words: Vec<_> = lower.split(|c: char| !c.is_alphanumeric() && c != 'ー').filter(|w| !w.is_empty()).collect();
    // A leading number is numbering: "2. Purpose".
    let words = match words.split_first() {
        Some((first, rest)) if !rest.is_empty() && first.chars().all(|c| c.is_ascii_digit()) => rest,
        _ => &words[..],
    };
    words.join(" ").chars().collect()
}

/// Whether `part` stands in `whole`, at word boundaries where both are written with spaces.
fn contains(whole: &[char], part: &[char]) -> bool {
    let least = if part.iter().all(char::is_ascii) { 4 } else { 2 };
    if part.len() < least || part.len() >= whole.len() {
        return false;
    }
    whole
        .windows(part.len())
        .enumerate()
        .any(|(at, window)| window == part && is_edge(whole, at) && is_edge(whole, at + part.len()))
}

fn is_edge(text: &[char], at: usize) -> bool {
    let latin = |index: usize| text.get(index).is_some_and(char::is_ascii_alphanumeric);
    at == 0 || !(latin(at - 1) && latin(at))
}

/// Levenshtein distance; both sides are at most [`LONGEST`] long.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let next = (diagonal + usize::from(x != y)).min(row[j] + 1).min(row[j + 1] + 1);
            diagonal = row[j + 1];
            row[j + 1] = next;
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_fold_width_colons_and_hashes() {
        for text in ["目的", " 目的 ", "目的：", "目的: ##", "目\u{200b}的", "目的 :"] {
            assert_eq!(heading_key(text), "目的", "{text:?}");
        }
        assert_eq!(heading_key("予算（ｍａｘ＿ｉｔｅｒａｔｉｏｎｓ）"), "予算(max_iterations)");
        assert_eq!(heading_key("Purpose and scope"), "Purpose and scope");
    }

    #[track_caller]
    fn near(body: &str, name: &str, expect: Option<&str>) {
        let document = Document::parse(body);
        assert_eq!(document.near_miss([name], ["Purpose"]).map(|miss| miss.title).as_deref(), expect, "{body:?}");
    }

    #[test]
    fn near_misses_are_named_and_exact_headings_are_none() {
        near("## Acceptance (see below)\nx", "Acceptance criteria", Some("Acceptance (see below)"));
        near("## 受け入れ条件(案)\nx", "受け入れ条件", Some("受け入れ条件(案)"));
        near("## 受入条件\nx", "受け入れ条件", Some("受入条件"));
        near("## 予算\nx", "予算(max_iterations)", Some("予算"));
        near("## ACCEPTANCE CRITERIA\nx", "Acceptance criteria", Some("ACCEPTANCE CRITERIA"));
        near("## 3. Acceptance criteria\nx", "Acceptance criteria", Some("3. Acceptance criteria"));
        near("## Acceptence criteria\nx", "Acceptance criteria", Some("Acceptence criteria"));
        near("**成功基準**\n\nx", "成功基準", Some("成功基準"));
        near("##予算(max_iterations)\n3", "予算(max_iterations)", Some("予算(max_iterations)"));
        near("＃＃ 目的\nx", "目的", Some("目的"));
        near("## 目的\nx", "目的", None);
        near("## Purpose\nx", "Purpose of this", None);
        near("## Notes\nx", "Acceptance criteria", None);
        near("## Van\nx", "Value", None);
        near("> ## 目的(案)\n> x", "目的", None);
        near("```\n## 目的(案)\n```", "目的", None);
    }

    #[test]
    fn the_nearest_wins() {
        let document = Document::parse("## Acceptance test plan\nx\n## Acceptance criteria (draft)\ny");
        let miss = document.near_miss(["Acceptance criteria"], []);
        assert_eq!(miss.map(|miss| miss.title).as_deref(), Some("Acceptance criteria (draft)"));
    }
}
