//! `words`: words of a named lexicon or of a list, in prose that states a requirement.
//!
//! Not in code, quotations, URLs, block quotes or comments, not inside other words and fixed terms. A vague word
//! beside its measure is not vague (`docs/detectors.md#words`).

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
        if words.is_empty() {
            continue;
        }
        for sentence in sentences(item) {
            let inside =
                words.iter().filter(|word| sentence.start <= word.range.start && word.range.end <= sentence.end);
            let found: Vec<_> = inside.filter(|word| counts(word, item, &sentence, vague, measured)).collect();
            if let Some(first) = found.first() {
                let mut notes: Vec<_> = found.iter().map(|word| &item.text()[word.range.clone()]).collect();
                notes.dedup();
                hits.push(scope::hit(document, item, &sentence, &first.range, notes.join(", ")));
            }
        }
    }
    Some(hits)
}

/// What the list is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Words that say nothing measurable: a measure beside them mends it.
    Vague,
    /// Words that a contract does not want, whatever stands beside them.
    Plain,
}

fn counts(word: &Word<'_>, item: &Item, sentence: &Range<usize>, kind: Kind, measured: bool) -> bool {
    if item.touches(&word.range, &[SpanKind::Code, SpanKind::Quotation, SpanKind::Url, SpanKind::Alt]) {
        return false;
    }
    if kind == Kind::Plain {
        return true;
    }
    let text = &item.text()[sentence.clone()];
    let before = &item.text()[sentence.start..word.range.start];
    if is_in(&MENTION, text) || is_in(&RATIONALE, before) {
        return false;
    }
    match word.class {
        // How much or how fast: the number may stand anywhere in the item, for a purpose in any of the criteria.
        "quantity" => !(has_measure(item.text()) || measured && !scope::is_point(item)),
        // An open list leaves a criterion open; in running text it is only a manner of speaking.
        "open" => scope::is_point(item) && !has_measure(text),
        "deferral" => true,
        _ => !has_measure(text),
    }
}
