//! One view of a text searched for secrets: a keyword pass over all of it, then shapes and rules around its hits only.

use super::secret_crate::{MAINTAINED, Maintained, RuleSet as _};
use super::secret_real::is_real;
use super::secret_rules::{Check, SHAPES};
use super::sensitive::{Kind, Secret};
use aho_corasick::{AhoCorasick, AhoCorasickKind};
use regex::Regex;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

/// Bytes before a keyword that belong to what is searched: a scheme before `://`, a number before `:AA`.
const LEAD: usize = 32;

/// Bytes after a keyword that our own shapes see; a longer value is followed to its end.
const REACH: usize = 1024;

/// Bytes after a keyword that a maintained rule sees: with the lead and the keyword a window has 512 at most.
const RULE_REACH: usize = 448;

/// Largest window for a maintained rule, in bytes.
const WINDOW: usize = 512;

/// Longest value that is followed beyond what was searched, in bytes.
const LONGEST_VALUE: usize = 16 * 1024;

/// Every secret of a view, in no order, overlaps included.
pub(super) fn scan(view: &str) -> Vec<Secret> {
    let mut found = private_keys(view);
    let regions = regions(view);
    for (index, shape) in SHAPES.iter().enumerate() {
        if regions.shapes[index].is_empty() {
            continue;
        }
        let Some(regex) = regex(index) else { continue };
        for region in &regions.shapes[index] {
            for groups in regex.captures_iter(&view[region.clone()]) {
                let (Some(whole), Some(value)) = (groups.get(0), groups.get(1)) else { continue };
                let whole = region.start + whole.start();
                let value = region.start + value.start()..region.start + value.end();
                found.extend(secret(view, shape.name, shape.check, whole, value, region.end));
            }
        }
    }
    for (index, rule) in MAINTAINED.iter().enumerate() {
        for window in regions.rules[index].iter().flat_map(|region| windows(view, region)) {
            Maintained.search(index, &view[window.clone()], &mut |whole, value| {
                let (whole, value) = (window.start + whole.start, window.start + value.start..window.start + value.end);
                found.extend(secret(view, rule.name, rule.check, whole, value, window.end));
            });
        }
    }
    found
}

/// A match as a secret, unless it is an example. One that ends where the search ended goes on.
fn secret(
    view: &str,
    name: &'static str,
    check: Check,
    start: usize,
    mut value: Range<usize>,
    limit: usize,
) -> Option<Secret> {
    if value.end == limit {
        let rest = &view.as_bytes()[limit..view.len().min(limit + LONGEST_VALUE)];
        value.end += rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"_-.+/=~".contains(byte)).count();
    }
    value.end -= view[value.clone()].len() - view[value.clone()].trim_end_matches(['.', ',', ':', '!', '?']).len();
    let context = &view[floor(view, start.saturating_sub(LEAD))..start];
    let real = is_real(check, context, &view[start..value.start], &view[value.clone()]);
    real.then_some(Secret { name, kind: Kind::Secret, range: start..value.end, value })
}

/// Where each shape and each rule has to look.
struct Regions {
    shapes: Vec<Vec<Range<usize>>>,
    rules: Vec<Vec<Range<usize>>>,
}

/// What a keyword calls for.
#[derive(Clone, Copy)]
enum Target {
    Shape(usize),
    Rule(usize),
}

/// All keywords and what they call for.
static KEYWORDS: LazyLock<(Option<AhoCorasick>, Vec<Vec<Target>>)> = LazyLock::new(|| {
    let mut words: Vec<&str> = Vec::new();
    let mut targets: Vec<Vec<Target>> = Vec::new();
    let shapes = SHAPES.iter().enumerate().map(|(index, shape)| (Target::Shape(index), shape.keywords));
    let rules = MAINTAINED.iter().enumerate().map(|(index, rule)| (Target::Rule(index), rule.keywords));
    for (target, keywords) in shapes.chain(rules) {
        for keyword in keywords {
            let at = words.iter().position(|word| word == keyword).unwrap_or_else(|| {
                words.push(keyword);
                targets.push(Vec::new());
                words.len() - 1
            });
            targets[at].push(target);
        }
    }
    let kind = Some(AhoCorasickKind::DFA);
    (AhoCorasick::builder().ascii_case_insensitive(true).kind(kind).build(words).ok(), targets)
});

/// The keyword pass: for each shape and rule the surroundings of its keywords, those that touch made one.
fn regions(view: &str) -> Regions {
    let mut regions = Regions { shapes: vec![Vec::new(); SHAPES.len()], rules: vec![Vec::new(); MAINTAINED.len()] };
    let (Some(keywords), targets) = &*KEYWORDS else { return regions };
    for hit in keywords.find_overlapping_iter(view) {
        // One look at what follows decides for all that ask for a name with a value.
        let mut assigns = None;
        for target in &targets[hit.pattern().as_usize()] {
            let (check, list, reach) = match *target {
                Target::Shape(index) => (SHAPES[index].check, &mut regions.shapes[index], REACH),
                Target::Rule(index) => (MAINTAINED[index].check, &mut regions.rules[index], RULE_REACH),
            };
            if matches!(check, Check::Assigned | Check::Password)
                && !*assigns.get_or_insert_with(|| assigns_after(view, hit.end()))
            {
                continue;
            }
            let start = hit.start().saturating_sub(LEAD);
            let end = hit.end() + reach;
            match list.last_mut() {
                Some(open) if start <= open.end => open.end = open.end.max(end),
                _ => list.push(start..end),
            }
        }
    }
    for region in regions.shapes.iter_mut().chain(&mut regions.rules).flatten() {
        *region = floor(view, region.start)..floor(view, region.end);
    }
    regions
}

/// Whether a value may follow a name: `:`, `=`, "is", は, が, or the space behind `Bearer`, soon after it.
fn assigns_after(view: &str, at: usize) -> bool {
    let bytes = &view.as_bytes()[at..view.len().min(at + 40)];
    let line = bytes.iter().position(|byte| *byte == b'\n').map_or(bytes, |end| &bytes[..end]);
    line.iter().any(|byte| matches!(byte, b':' | b'='))
        || line.first() == Some(&b' ')
        || line.windows(3).any(|three| three == "は".as_bytes() || three == "が".as_bytes())
}

/// A region in windows of at most [`WINDOW`] bytes, each half over the one before.
fn windows<'a>(view: &'a str, region: &Range<usize>) -> impl Iterator<Item = Range<usize>> + 'a {
    let Range { start, end } = *region;
    let count = (end - start).saturating_sub(WINDOW).div_ceil(WINDOW / 2) + 1;
    (0..count).map(move |index| {
        let from = start + index * (WINDOW / 2);
        floor(view, from)..floor(view, (from + WINDOW - 3).min(end))
    })
}

/// The character boundary at or before an offset.
fn floor(view: &str, at: usize) -> usize {
    let mut at = at.min(view.len());
    while !view.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// A shape's regex, compiled when it is first needed.
pub(super) fn regex(index: usize) -> Option<&'static Regex> {
    static COMPILED: [OnceLock<Option<Regex>>; SHAPES.len()] = [const { OnceLock::new() }; SHAPES.len()];
    COMPILED[index].get_or_init(|| super::patterns::build(SHAPES[index].pattern)).as_ref()
}

/// `-----BEGIN … PRIVATE KEY-----` with what follows it, to the next row of dashes or as far as it looks like a key.
pub(super) fn private_keys(view: &str) -> Vec<Secret> {
    static BEGIN: LazyLock<Option<Regex>> =
        LazyLock::new(|| super::patterns::build(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"));
    let Some(begin) = &*BEGIN else { return Vec::new() };
    let mut out = Vec::new();
    for found in begin.find_iter(view) {
        let rest = &view[found.end()..floor(view, found.end() + LONGEST_VALUE)];
        let length = rest.find("-----").unwrap_or_else(|| {
            rest.find(|c: char| !(c.is_ascii_alphanumeric() || "+/=\\ \r\n>:,-\"'".contains(c))).unwrap_or(rest.len())
        });
        let body = rest[..length].trim_end();
        if body.bytes().filter(u8::is_ascii_alphanumeric).count() < 32 {
            continue;
        }
        let value = found.end()..found.end() + body.len();
        out.push(Secret { name: "private key", kind: Kind::Secret, range: found.start()..value.end, value });
    }
    out
}
