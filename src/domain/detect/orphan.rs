//! `orphan`: requirements of a parent that no child answers for, children that answer for none; in a roll-up,
//! requirements without a row or without a result.

use super::patterns::{is_in, patterns};
use super::planned::{place, plan};
use super::{Context, Hit};
use crate::domain::plan::{Plan, covers};
use crate::domain::rollup::{self, RollUp};
use crate::domain::text::{
    Document, Entry, Item, ItemKind, RequirementId, clip, id_at_start, is_blank_item, list_at_start,
};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

patterns! {
    /// Headings of a parent that hold its requirements.
    DONE = r"完了の定義 | 完了(?:条件|要件) | 受け?入れ?(?:条件|基準) | ^\W* 要件 | 機能要件 | definition\ of\ done | ^\W* requirements? | done\ when | acceptance";
    /// Headings of what is not asked for.
    BESIDE = r"対象外 | 範囲外 | やらない | 非目標 | 参考 | 関連 | out\ of\ scope | non-?goals? | not\ in\ scope | related | references?";
    /// Words of somebody who takes closed children for a result.
    CLOSED = r"(?: (?: すべて | 全て | 全部 | 全 ) \s* の? \s* 子 | 子 .{0,8} (?: すべて | 全て | 全部 | みな ) | \b (?: all | every ) \b .{0,12} \b (?: child(?:ren)? | sub-?(?:issue|task)s? ) \b ) .{0,30} (?: クローズ | 閉じ | 完了 | 終わ | 済 | close | done | finished | complete )";
}

/// The role under which the parent's text is given.
const PARENT: &str = "parent";

/// Longest requirement in a note, in characters.
const LONGEST_NOTE: usize = 80;

/// Runs the detector. Without a parent that states requirements there is nothing to compare.
pub(super) fn detect(document: &Document, context: &Context) -> Vec<Hit> {
    let mut wanted = Wanted::default();
    for (_, text) in context.references.iter().filter(|(role, _)| role == PARENT) {
        wanted.read(&Document::parse(text));
    }
    if wanted.requirements.is_empty() {
        return Vec::new();
    }
    if context.plan.is_none()
        && let Some(rollup) = rollup::read_document(document)
    {
        return of_rollup(&rollup, &wanted);
    }
    if let Some(plan) = plan(document, context) {
        return of_plan(document, &plan, &wanted);
    }
    let mut loose = rollup::loose(document);
    loose.rows.retain(|row| !wanted.named(&row.requirement).is_empty());
    let closed = || document.items().iter().any(|item| !item.quoted && is_in(&CLOSED, item.text()));
    if loose.rows.is_empty() && !closed() { Vec::new() } else { of_rollup(&loose, &wanted) }
}

fn missing(wanted: &Wanted, covered: &BTreeSet<usize>) -> impl Iterator<Item = Hit> {
    let open: Vec<_> = (0..wanted.requirements.len()).filter(|index| !covered.contains(index)).collect();
    open.into_iter().map(|index| Hit { range: None, note: Some(wanted.note(index)) })
}

fn of_plan(document: &Document, plan: &Plan, wanted: &Wanted) -> Vec<Hit> {
    let mut covered = BTreeSet::new();
    let mut strangers = Vec::new();
    let mut by_words: HashMap<&str, BTreeSet<usize>> = HashMap::new();
    for child in &plan.children {
        let mut named = BTreeSet::new();
        for name in &child.covers {
            named.extend(by_words.entry(name).or_insert_with(|| wanted.named(name)).iter().copied());
        }
        if child.covers.is_empty() {
            named = wanted.quoted(&format!("{}\n{}", child.title, child.body));
        }
        if named.is_empty() && !child.covers.iter().any(|name| is_all(name)) {
            strangers.push(Hit { range: place(document, plan, child.index), note: Some(child.label.clone()) });
        }
        covered.extend(named);
    }
    missing(wanted, &covered).chain(strangers).collect()
}

/// A child that answers for the whole, such as the last one, is no stranger; it answers for nothing by itself.
fn is_all(name: &str) -> bool {
    let name = name.to_lowercase();
    ["全要件", "すべての要件", "全ての要件", "すべて", "全て", "全部", "全体", "all"]
        .iter()
        .any(|word| name.starts_with(word))
}

fn of_rollup(rollup: &RollUp, wanted: &Wanted) -> Vec<Hit> {
    let mut covered = BTreeSet::new();
    let mut without: HashMap<usize, Range<usize>> = HashMap::new();
    for row in &rollup.rows {
        for index in wanted.named(&row.requirement) {
            if row.has_no_result() {
                without.entry(index).or_insert_with(|| row.range.clone());
            } else {
                covered.insert(index);
            }
        }
    }
    // One child without a result leaves the requirement open, whatever another one of it says.
    covered.retain(|index| !without.contains_key(index));
    let open: Vec<_> = (0..wanted.requirements.len()).filter(|index| !covered.contains(index)).collect();
    open.into_iter().map(|index| Hit { range: without.get(&index).cloned(), note: Some(wanted.note(index)) }).collect()
}

/// What a parent asks for.
#[derive(Default)]
struct Wanted {
    requirements: Vec<Requirement>,
    ids: HashMap<RequirementId, usize>,
    /// Whether its requirements have ids.
    numbered: bool,
}

struct Requirement {
    id: Option<RequirementId>,
    /// Its words as they are shown.
    text: String,
    /// Letters and digits of it, in lower case.
    bare: String,
    pairs: HashSet<(char, char)>,
}

/// Most requirements that are compared by their words.
const MOST: usize = 300;

impl Wanted {
    fn read(&mut self, parent: &Document) {
        let sections = |pattern| -> Vec<Range<usize>> {
            let found = parent.sections().iter().filter(move |section| is_in(pattern, &section.key));
            found.map(|section| section.range.clone()).collect()
        };
        let (done, beside) = (sections(&DONE), sections(&BESIDE));
        let within = |ranges: &[Range<usize>], at: usize| ranges.iter().take(50).any(|range| range.contains(&at));
        let items = || parent.items().iter().filter(|item| !item.quoted && !within(&beside, item.range.start));
        for item in items() {
            let asked = within(&done, item.range.start);
            for line in lines(parent, item) {
                let Some((id, length)) = id_at_start(clip(&line, 40)) else { continue };
                let numbers = matches!(id.prefix.as_str(), "R" | "REQ" | "要件" | "FR" | "NFR");
                if asked || numbers {
                    self.add(Some(id), line[length..].trim_start_matches([':', ' ', ']', ')', '.', '、', '】']));
                }
            }
        }
        self.numbered = !self.requirements.is_empty();
        if self.numbered {
            return;
        }
        let mut marker = None;
        for item in items().filter(|item| within(&done, item.range.start)) {
            let Some(position) = item.list.filter(|position| position.depth == 1) else { continue };
            if marker != Some(position.marker) && !is_blank_item(parent, item) {
                self.add(None, item.text());
            }
            marker = Some(position.marker);
        }
    }

    fn add(&mut self, id: Option<RequirementId>, text: &str) {
        if self.requirements.len() >= MOST || id.as_ref().is_some_and(|id| self.ids.contains_key(id)) {
            return;
        }
        if let Some(id) = &id {
            self.ids.insert(id.clone(), self.requirements.len());
        }
        let text = clip(text.trim(), 400).to_owned();
        let bare = bare(&text);
        self.requirements.push(Requirement { id, pairs: pairs(&bare), bare, text });
    }

    fn note(&self, index: usize) -> String {
        let requirement = &self.requirements[index];
        requirement.id.as_ref().map_or_else(|| clip(&requirement.text, LONGEST_NOTE).to_owned(), ToString::to_string)
    }

    /// The requirements that a text names: by id, by number, or by words.
    fn named(&self, text: &str) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        for name in covers(text) {
            let upper = name.to_uppercase();
            let ids = list_at_start(&upper, &|prefix| self.ids.keys().any(|id| id.prefix == prefix));
            for entry in &ids {
                let (from, to) = match entry {
                    Entry::One(id) => (id, id),
                    Entry::Span(from, to) => (from, to),
                };
                for (id, index) in &self.ids {
                    let between = id.prefix == from.prefix && (from.number..=to.number).contains(&id.number);
                    let part = from.part.is_empty() || id.part.is_empty() || id.part == from.part;
                    if between && part {
                        found.insert(*index);
                    }
                }
            }
            if ids.is_empty() {
                found.extend(self.by_words(&name));
            }
        }
        found
    }

    fn by_words(&self, name: &str) -> Option<usize> {
        let bare = bare(name);
        if !self.numbered
            && let Some(number) = ordinal(&bare)
        {
            return number.checked_sub(1).filter(|index| *index < self.requirements.len());
        }
        if bare.chars().count() < 3 {
            return None;
        }
        let wanted = pairs(&bare);
        let scores = self.requirements.iter().enumerate().map(|(index, requirement)| {
            let score = if requirement.bare == bare { 1000 } else { likeness(requirement, &bare, &wanted) };
            (score, index)
        });
        scores
            .max_by_key(|(score, index)| (*score, std::cmp::Reverse(*index)))
            .filter(|(score, _)| *score >= 600)
            .map(|(_, index)| index)
    }

    /// The requirements that a longer text quotes word for word, or names by an id.
    fn quoted(&self, text: &str) -> BTreeSet<usize> {
        let whole = bare(text);
        let quotes =
            |requirement: &Requirement| requirement.bare.chars().count() >= 8 && whole.contains(&requirement.bare);
        let mut found: BTreeSet<usize> =
            (0..self.requirements.len()).filter(|index| quotes(&self.requirements[*index])).collect();
        for (at, _) in text.char_indices().filter(|(_, c)| matches!(c, 'R' | '要' | 'D' | 'F' | 'N')).take(2_000) {
            if text[..at].ends_with(|c: char| c.is_ascii_alphanumeric()) {
                continue;
            }
            if let Some((id, _)) = id_at_start(clip(&text[at..], 40)) {
                found.extend(self.ids.get(&id).or_else(|| self.ids.get(&id.whole())));
            }
        }
        found
    }
}

/// Lines of an item that may begin with an id; of cells those alone that do.
fn lines(document: &Document, item: &Item) -> Vec<String> {
    if matches!(item.kind, ItemKind::HeaderCell) {
        return Vec::new();
    }
    let mut out: Vec<String> = item.text().lines().map(|line| line.trim().to_owned()).collect();
    if item.kind == ItemKind::Paragraph {
        // Line ends of a paragraph do not show, but people number its lines.
        let more = document.source()[item.range.clone()].split(['\n', '\r']).skip(1);
        out.extend(more.map(|line| crate::domain::text::Normalised::of(line).text().trim().to_owned()));
    }
    out
}

/// `1`, `要件1`, `完了の定義の2`, `d2` as a number.
fn ordinal(bare: &str) -> Option<usize> {
    let digits = bare.trim_start_matches(|c: char| !c.is_ascii_digit());
    let before = bare.len() - digits.len();
    let names = ["", "要件", "親要件", "完了の定義", "完了の定義の", "項目", "d", "dod", "item", "requirement", "no"];
    let alone = !digits.is_empty() && digits.len() <= 3 && digits.bytes().all(|byte| byte.is_ascii_digit());
    (alone && names.contains(&&bare[..before])).then(|| digits.parse().ok()).flatten()
}

/// Letters and digits, in lower case.
fn bare(text: &str) -> String {
    let folded = crate::domain::text::Normalised::of(text);
    folded.text().chars().filter(|c| c.is_alphanumeric() || *c == 'ー').flat_map(char::to_lowercase).collect()
}

fn pairs(bare: &str) -> HashSet<(char, char)> {
    bare.chars().zip(bare.chars().skip(1)).collect()
}

/// How much two texts have in common, in thousandths.
fn likeness(requirement: &Requirement, bare: &str, wanted: &HashSet<(char, char)>) -> usize {
    let (short, long) = if requirement.bare.len() < bare.len() {
        (requirement.bare.as_str(), bare)
    } else {
        (bare, requirement.bare.as_str())
    };
    let length = short.chars().count();
    // Words of the requirement inside of the cover's, or a telling part of it.
    if length >= 6 && long.contains(short) {
        return 900;
    }
    let common = requirement.pairs.intersection(wanted).count();
    let all = requirement.pairs.len() + wanted.len();
    (common * 2_000).checked_div(all).unwrap_or(0)
}
