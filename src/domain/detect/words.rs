//! `words`: words of a named lexicon or of a list, in prose that states a requirement.
//!
//! Not in code, quotations, URLs, block quotes or comments, not inside other words and fixed terms. A vague word
//! beside its measure is not vague (`docs/detectors/words.md`).

use super::lexicon::{Lexicon, Word};
use super::measure::{has_measure, has_physical};
use super::patterns::{is_in, patterns};
use super::{Context, Hit, scope};
use crate::domain::contract::{Argument, DetectorSpec};
use crate::domain::text::{Document, Item, SpanKind, sentences};
use std::ops::Range;
use std::sync::LazyLock;

/// Names that `words:` knows; anything else must be a list.
pub const LEXICONS: [&str; 2] = ["vague-ja", "vague-en"];

static VAGUE_JA: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::parse(include_str!("lexicons/vague-ja.txt")));
static VAGUE_EN: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::parse(include_str!("lexicons/vague-en.txt")));

patterns! {
    /// The sentence is about words, not with them.
    MENTION = r"曖昧語 | あいまい語 | 曖昧な(?:語|言葉|表現) | という(?:語|言葉|単語|表現) | 禁止語 | 語彙 | 用語集 | \b(?: the\ words?\ | weak\ words? | vague\ words? | wording | lexicon | the\ phrase )";
    /// What follows is why, not what.
    RATIONALE = r"\b (?: so\ that | because | in\ order\ to | since\ users ) \b";
}

/// Runs the detector. None: a name that is no lexicon.
pub(super) fn detect(spec: &DetectorSpec, document: &Document, context: &Context) -> Option<Vec<Hit>> {
    let given;
    let (lexicon, vague): (&Lexicon, Kind) = match &spec.argument {
        Argument::One(name) if name == LEXICONS[0] => (&VAGUE_JA, Kind::Vague),
        Argument::One(name) if name == LEXICONS[1] => (&VAGUE_EN, Kind::Vague),
        Argument::List(words) => {
            given = Lexicon::of_words(words);
            (&given, Kind::Plain)
        }
        Argument::One(_) | Argument::None => return None,
    };
    let items = scope::items(document, &scope::ranges(spec, document, context));
    let measured = items.iter().any(|item| scope::is_point(item) && has_physical(item.text()));
    let mut hits = Vec::new();
    for item in items {
        let words = lexicon.find(item.text());
        let mut words = words.as_slice();
        if words.is_empty() {
            continue;
        }
        let in_item = vague == Kind::Vague && has_measure(item.text());
        let elsewhere = measured && !scope::is_point(item);
        for sentence in sentences(item).iter().cloned() {
            let from = words.partition_point(|word| word.range.start < sentence.start);
            let to = words.partition_point(|word| word.range.end <= sentence.end);
            let inside = &words[from.min(to)..to];
            words = &words[from.min(to)..];
            if inside.is_empty() {
                continue;
            }
            let around = Around::of(item, &sentence, vague, Measured { in_item, elsewhere });
            let found: Vec<_> = inside.iter().filter(|word| around.lets(word, item)).collect();
            if let Some(first) = found.first() {
                let mut notes: Vec<_> =
                    found.iter().take(MOST_NOTES).map(|word| &item.text()[word.range.clone()]).collect();
                notes.dedup();
                hits.push(scope::hit(document, item, &sentence, &first.range, notes.join(", ")));
            }
        }
    }
    Some(hits)
}

/// Most words that a note repeats.
const MOST_NOTES: usize = 8;

/// What the list is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Words that say nothing measurable: a measure beside them mends it.
    Vague,
    /// Words that a contract does not want, whatever stands beside them.
    Plain,
}

/// Where measures stand outside of a sentence.
#[derive(Clone, Copy)]
struct Measured {
    in_item: bool,
    elsewhere: bool,
}

/// What stands around the words of a sentence; looked up once for all of them.
#[expect(
    clippy::struct_excessive_bools,
    clippy::struct_field_names,
    reason = "four independent facts about a sentence"
)]
struct Around {
    kind: Kind,
    /// The sentence is about words.
    mention: bool,
    /// Where reasons begin: an offset of the item's text.
    reasons: usize,
    /// The sentence holds a measure.
    measured: bool,
    /// The item holds one, or the criteria do for running text.
    measured_around: bool,
    point: bool,
}

impl Around {
    fn of(item: &Item, sentence: &Range<usize>, kind: Kind, near: Measured) -> Self {
        let text = &item.text()[sentence.clone()];
        let reasons = RATIONALE.as_ref().and_then(|regex| regex.find(text));
        Self {
            kind,
            mention: is_in(&MENTION, text),
            reasons: reasons.map_or(usize::MAX, |found| sentence.start + found.end()),
            measured: near.in_item && has_measure(text),
            measured_around: near.in_item || near.elsewhere,
            point: scope::is_point(item),
        }
    }

    fn lets(&self, word: &Word<'_>, item: &Item) -> bool {
        if item.touches(&word.range, &[SpanKind::Code, SpanKind::Quotation, SpanKind::Url, SpanKind::Alt]) {
            return false;
        }
        if self.kind == Kind::Plain {
            return true;
        }
        if self.mention || word.range.start >= self.reasons {
            return false;
        }
        match word.class {
            // How much or how fast: the number may stand anywhere in the item, for a purpose in any of the criteria.
            "quantity" => !self.measured_around,
            // An open list leaves a criterion open, a loose word lets it go; in running text both are manners of speaking.
            "open" | "loose" => self.point && !self.measured,
            "deferral" => true,
            _ => !self.measured,
        }
    }
}
