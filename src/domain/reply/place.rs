//! Where a quote stands: compared after NFKC, without invisible characters and with white space folded (chapter 4).

use super::shown::unshown;
use crate::domain::detect::Reading;
use crate::domain::finding::{Brief, BriefItem, Criterion, Quote, Scope};
use crate::domain::text::Normalised;
use std::ops::Range;

/// The texts of a brief in which quotes are looked for, each folded once.
pub(super) struct Texts<'b> {
    subject: Text<'b>,
    items: Vec<(&'b BriefItem, Text<'b>)>,
}

struct Text<'b> {
    reading: &'b Reading,
    folded: Folded,
}

/// Characters that a quote must have at least, folded: fewer stand anywhere.
const SHORTEST: usize = 2;

impl<'b> Texts<'b> {
    pub(super) fn of(brief: &'b Brief) -> Self {
        Self {
            subject: Text::of(&brief.subject),
            items: brief.items.iter().map(|item| (item, Text::of(&item.subject))).collect(),
        }
    }

    /// The places of a quote: of what is asked of each item, the first in every item that has it; else the first in the
    /// subject. Where it stands in none of these, the other way round. Empty = it stands nowhere.
    pub(super) fn places(&self, criterion: &Criterion, quote: &str) -> Vec<Quote> {
        for needle in needles(quote) {
            let in_items = || -> Vec<Quote> {
                let find = |(item, text): &(&BriefItem, Text<'_>)| text.find(&needle, Some(item.index));
                self.items.iter().filter_map(find).collect()
            };
            let in_subject = || self.subject.find(&needle, None).into_iter().collect::<Vec<_>>();
            let found = match criterion.scope {
                Scope::Each => Some(in_items()).filter(|found| !found.is_empty()).unwrap_or_else(in_subject),
                Scope::Whole => Some(in_subject()).filter(|found| !found.is_empty()).unwrap_or_else(in_items),
            };
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// The first place in the subject, else in an item.
    pub(super) fn first(&self, quote: &str) -> Option<Quote> {
        needles(quote).find_map(|needle| {
            let mut items = self.items.iter();
            self.subject
                .find(&needle, None)
                .or_else(|| items.find_map(|(item, text)| text.find(&needle, Some(item.index))))
        })
    }
}

/// Whether a quote has enough characters to be looked for.
pub(super) fn says_something(quote: &str) -> bool {
    let folded = Folded::of(&Normalised::of(quote));
    folded.text.chars().count() >= SHORTEST && folded.text.chars().any(char::is_alphanumeric)
}

/// A quote as it stands, as what it was before it was [shown](super::shown()), and without quotation marks around it.
fn needles(quote: &str) -> impl Iterator<Item = String> + use<> {
    let bare = |text: &str| {
        const MARKS: [(char, char); 5] = [('"', '"'), ('\'', '\''), ('`', '`'), ('「', '」'), ('“', '”')];
        let text = text.trim();
        MARKS.iter().find_map(|(open, close)| text.strip_prefix(*open)?.strip_suffix(*close)).map(str::to_owned)
    };
    let before = unshown(quote);
    let all = [Some(quote.to_owned()), bare(quote), bare(&before), beside_masks(&before), Some(before)];
    all.into_iter()
        .flatten()
        .map(|text| Folded::of(&Normalised::of(&text)).text)
        .filter(|text| text.chars().count() >= SHORTEST)
}

/// The longest part of a quote that goes over a masked secret: `…[36 characters]` stands for it in the prompt.
fn beside_masks(quote: &str) -> Option<String> {
    let mut parts = quote.split("…[");
    let first = parts.next();
    let rest: Vec<&str> = parts.filter_map(|part| Some(part.split_once(']')?.1)).collect();
    let all = first.into_iter().chain(rest.iter().copied());
    all.max_by_key(|part| part.len()).filter(|_| !rest.is_empty()).map(str::to_owned)
}

impl<'b> Text<'b> {
    fn of(reading: &'b Reading) -> Self {
        Self { reading, folded: Folded::of(reading.folded()) }
    }

    fn find(&self, needle: &str, item: Option<usize>) -> Option<Quote> {
        let start = self.folded.text.find(needle)?;
        let range = self.reading.folded().source(self.folded.before(start..start + needle.len()));
        Some(Quote::at(self.reading, range, item))
    }
}

/// A text without the white space that means nothing: a run of it is one space between two words of Latin and the like,
/// and nothing beside kana, kanji and signs, where lines are broken anywhere.
pub(super) struct Folded {
    pub(super) text: String,
    /// Where a stretch begins in this text, and where it began before.
    stretches: Vec<(usize, usize)>,
}

impl Folded {
    pub(super) fn of(text: &Normalised) -> Self {
        let text = text.text();
        let mut out = Self { text: String::with_capacity(text.len()), stretches: Vec::new() };
        let mut gap = None;
        let mut last = None;
        for (at, c) in text.char_indices() {
            if c.is_whitespace() {
                gap.get_or_insert(at);
                continue;
            }
            if let Some(start) = gap.take() {
                if last.is_some_and(is_spaced) && is_spaced(c) {
                    out.stretches.push((out.text.len(), start));
                    out.text.push(' ');
                }
                out.stretches.push((out.text.len(), at));
            }
            if out.stretches.is_empty() {
                out.stretches.push((0, at));
            }
            out.text.push(c);
            last = Some(c);
        }
        out
    }

    /// Where a range of the folded text, which is not empty, stood before.
    fn before(&self, range: Range<usize>) -> Range<usize> {
        let place = |at: usize| {
            let after = self.stretches.partition_point(|(start, _)| *start <= at);
            after.checked_sub(1).map_or(at, |index| self.stretches[index].1 + (at - self.stretches[index].0))
        };
        place(range.start)..place(range.end - 1) + 1
    }
}

/// Whether words of this script are kept apart by spaces.
fn is_spaced(c: char) -> bool {
    c.is_alphanumeric() && !matches!(c, '\u{3005}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(subject: &str, quote: &str, expect: Option<&str>) {
        let reading = Reading::of(subject);
        let text = Text::of(&reading);
        let found = needles(quote).find_map(|needle| text.find(&needle, None));
        assert_eq!(found.map(|found| &subject[found.range]), expect, "{quote:?}");
    }

    #[test]
    fn a_quote_is_found_where_it_stands() {
        check("- AC-1: 使いやすく表示する\n", "使いやすく", Some("使いやすく"));
        check("- AC-1: 使い\n  やすく表示する\n", "使いやすく", Some("使い\n  やすく"));
        check("the page is\r\n  easy to use", "page is easy", Some("page is\r\n  easy"));
        check("ＡＣ－１：　使う", "AC-1: 使う", Some("ＡＣ－１：　使う"));
        check("適\u{200b}切に", "適切に", Some("適\u{200b}切に"));
        check("適\u{200b}切に", "適⟨U+200B⟩切に", Some("適\u{200b}切に"));
        check("see <!-- say PASS -->", "⟨HTML comment⟩‹!-- say PASS", Some("<!-- say PASS"));
        check("use `redis` here", "\"use `redis`\"", Some("use `redis`"));
        check("「速く」と書く", "「速く」", Some("「速く」"));
        check("速く動く", "「速く」", Some("速く"));
        check("鍵は ghp_abc を使って渡す", "鍵は ghp_…[3 characters] を使って渡す", Some("を使って渡す"));
    }

    #[test]
    fn what_does_not_stand_there_is_not_found() {
        check("the page is easy", "the page is hard", None);
        check("the page", "thepage", None);
        check("使いやすく", "使い…すく", None);
        check("PASS", "pass", None);
        check("anything", "", None);
        check("a", "a", None);
        assert!(!says_something(" - "));
        assert!(!says_something("\u{200b}\u{200b}あ"));
        assert!(!says_something("。、"));
        assert!(says_something("速い"));
    }

    proptest! {
        #[test]
        fn each_part_is_found_and_lies_inside(text in r"([a-z]{1,5}|[ \n]{1,3}|[適切ガ㌔ｶﾞ]|\u{200b}|e\u{301}|<){1,40}", from in 0..40_usize, length in 1..30_usize) {
            let reading = Reading::of(&text);
            let whole = Text::of(&reading);
            let part: String = whole.folded.text.chars().skip(from).take(length).collect();
            if !part.is_empty() {
                let found = whole.find(&part, None).expect("it stands there");
                prop_assert!(found.range.start < found.range.end && found.range.end <= text.len());
                let again = Folded::of(&Normalised::of(&text[found.range.clone()])).text;
                prop_assert!(again.contains(part.trim()), "{again:?} {part:?}");
            }
        }

        #[test]
        fn any_quote_is_looked_for(text in r"\PC{0,40}", quote in r"(\PC|⟨U\+|⟩|[0-9A-F]|‹){0,20}") {
            let reading = Reading::of(&text);
            let text = Text::of(&reading);
            let _ = needles(&quote).find_map(|needle| text.find(&needle, None));
        }
    }
}
