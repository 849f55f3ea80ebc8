//! The embedded judge: every criterion's detector over one parsed document (chapter 4). No key, no network.

use crate::domain::detect::{self, Context, Heading, Hit, Reading};
use crate::domain::finding::{Answer, Basis, Brief, BriefItem, Criterion, Finding, Quote, Scope};

/// How this judge is called in a record.
pub const MODEL: &str = "rules";

/// Answers a brief: each criterion once, decided where its detector is built, undecided elsewhere, in the brief's order.
///
/// A criterion that is asked of each item is answered over all items at once: it matched where it matched in one of them.
#[must_use]
pub fn judge(brief: &Brief) -> Answer {
    let context = context(brief);
    let mut answer = Answer { model: MODEL.to_owned(), subject: Some(brief.subject.clone()), ..Answer::default() };
    // What one child is asked is not asked of the plan around it.
    let alone = Context { plan: None, ..context.clone() };
    for criterion in &brief.criteria {
        let finding = match criterion.scope {
            Scope::Each if !brief.items.is_empty() => of_items(criterion, &brief.items, &alone),
            Scope::Whole | Scope::Each => ask(criterion, &brief.subject, &context)
                .map(|hits| finding(criterion, vec![Found { item: None, subject: &brief.subject, hits }])),
        };
        match finding {
            Some(finding) => answer.findings.push(finding),
            None => answer.undecided.push(criterion.id.clone()),
        }
    }
    answer
}

/// What a detector found in one text.
struct Found<'b> {
    item: Option<usize>,
    subject: &'b Reading,
    hits: Vec<Hit>,
}

fn ask(criterion: &Criterion, subject: &Reading, context: &Context) -> Option<Vec<Hit>> {
    criterion.detect.as_ref().and_then(|spec| detect::run(spec, subject.document(), context))
}

fn of_items<'b>(criterion: &Criterion, items: &'b [BriefItem], context: &Context) -> Option<Finding> {
    let found = |item: &'b BriefItem| {
        let hits = ask(criterion, &item.subject, context)?;
        Some(Found { item: Some(item.index), subject: &item.subject, hits })
    };
    items.iter().map(found).collect::<Option<Vec<_>>>().map(|found| finding(criterion, found))
}

fn context(brief: &Brief) -> Context {
    let heading = |field: &crate::domain::finding::KnownField| Heading {
        name: field.name.clone(),
        aliases: field.aliases.clone(),
    };
    Context {
        fields: brief.fields.iter().map(heading).collect(),
        language: brief.language,
        references: brief.references.iter().map(|one| (one.role.clone(), one.text.clone())).collect(),
        always_separate: brief.always_separate.clone(),
        plan: brief.plan.clone(),
    }
}

/// Most different notes that are told of one criterion.
const MOST_NOTES: usize = 8;

/// Most quotes of one finding over all items; a plan may have hundreds of children.
const MOST_QUOTES: usize = 1_000;

fn finding(criterion: &Criterion, found: Vec<Found<'_>>) -> Finding {
    let mut notes: Vec<String> = Vec::new();
    let mut told: Vec<&str> = Vec::new();
    for note in found.iter().flat_map(|found| &found.hits).filter_map(|hit| hit.note.as_deref()) {
        if notes.len() >= MOST_NOTES {
            break;
        }
        // Many hits say the same: each is searched for secrets once.
        if told.contains(&note) {
            continue;
        }
        told.push(note);
        let note = detect::mask(note, 0..note.len(), &detect::sensitive(note));
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    let matched = found.iter().filter(|found| !found.hits.is_empty());
    let mut items: Vec<usize> = matched.clone().filter_map(|found| found.item).collect();
    items.sort_unstable();
    items.dedup();
    Finding {
        criterion: criterion.id.clone(),
        matched: matched.count() > 0,
        quotes: found.into_iter().flat_map(quotes).take(MOST_QUOTES).collect(),
        basis: Basis::Direct,
        lack: criterion.lack,
        note: (!notes.is_empty()).then(|| notes.join(", ")),
        items,
    }
}

fn quotes(found: Found<'_>) -> impl Iterator<Item = Quote> {
    let Found { item, subject, hits } = found;
    // A text without hits is not searched for secrets.
    hits.into_iter().filter_map(move |hit| Some(Quote::at(subject, hit.range?, item)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::contract::{Argument, DetectorId, DetectorSpec, Lack, Side};
    use crate::domain::detect::Reading;
    use crate::domain::finding::CriterionKind;
    use crate::domain::ids::{CriterionId, GateId, Language};

    fn criterion(id: &str, detect: Option<(DetectorId, Argument)>) -> Criterion {
        Criterion {
            id: CriterionId::new(id),
            kind: CriterionKind::Signal,
            side: Side::TooAbstract,
            text: id.to_owned(),
            except: None,
            detect: detect.map(|(id, argument)| DetectorSpec { id, argument, within: Vec::new() }),
            lack: Lack::Content,
            absence: false,
            scope: Scope::Whole,
        }
    }

    fn brief(subject: &str, criteria: Vec<Criterion>) -> Brief {
        Brief {
            gate: GateId::Start,
            waiting_level: String::new(),
            criteria,
            fields: Vec::new(),
            subject: Reading::of(subject),
            references: Vec::new(),
            history: Vec::new(),
            always_separate: Vec::new(),
            language: Language::Ja,
            items: Vec::new(),
            plan: None,
        }
    }

    #[test]
    fn each_criterion_is_answered_once_and_in_order() {
        let subject = "## 受け入れ条件\r\n\r\n- AC-1: 通知が適\u{200b}切に出る\r\n";
        let answer = judge(&brief(
            subject,
            vec![
                criterion("vague", Some((DetectorId::Words, Argument::One("vague-ja".to_owned())))),
                criterion("model", None),
                criterion("unknown", Some((DetectorId::Words, Argument::One("vague-xx".to_owned())))),
                criterion("wish", Some((DetectorId::Unmeasured, Argument::None))),
                criterion("gone", Some((DetectorId::SectionMissing, Argument::One("成功基準".to_owned())))),
            ],
        ));
        assert_eq!(answer.model, "rules");
        let ids = |all: &[CriterionId]| all.iter().map(|id| id.as_str().to_owned()).collect::<Vec<_>>();
        assert_eq!(ids(&answer.undecided), ["model", "unknown"]);
        let found: Vec<_> = answer.findings.iter().map(|f| (f.criterion.as_str(), f.matched, f.quotes.len())).collect();
        assert_eq!(found, [("vague", true, 1), ("wish", false, 0), ("gone", true, 0)]);
        let quote = &answer.findings[0].quotes[0];
        assert_eq!((quote.text.as_str(), quote.line), ("AC-1: 通知が適\u{200b}切に出る", 3));
        assert_eq!(&subject[quote.range.clone()], quote.text);
        assert_eq!(answer.findings[0].note.as_deref(), Some("適切に"));
    }

    #[test]
    fn quotes_are_short_and_masked() {
        let token = format!("ghp{}", "_9fK2mQ7xLwR4tZ8vB1nC6yD3hJ5sG0aPqWeR");
        let long = "長い説明".repeat(100);
        let subject = format!("- {token} を使いやすく渡す\n- {long}を適切に{long}\n");
        let spec = (DetectorId::Words, Argument::One("vague-ja".to_owned()));
        let answer = judge(&brief(&subject, vec![criterion("vague", Some(spec))]));
        let quotes: Vec<_> = answer.findings[0].quotes.iter().map(|quote| quote.text.as_str()).collect();
        assert_eq!(quotes, ["ghp_…[36 characters] を使いやすく渡す", "適切に"]);
    }

    #[test]
    fn each_item_is_asked_by_itself() {
        let vague = (DetectorId::Words, Argument::One("vague-ja".to_owned()));
        let each = Criterion { scope: Scope::Each, ..criterion("vague", Some(vague)) };
        let items = ["- 3 件を出す", "- 速度を\n- 適切に保つ", "- 柔軟に"]
            .into_iter()
            .enumerate()
            .map(|(index, text)| BriefItem { index, label: format!("子{}", index + 1), subject: Reading::of(text) });
        let whole = brief("適切に", vec![each.clone()]);
        assert!(judge(&whole).findings[0].items.is_empty());
        assert_eq!(judge(&whole).findings[0].quotes.len(), 1);
        let answer = judge(&Brief { items: items.collect(), ..brief("適切に", vec![each]) });
        let [finding] = &answer.findings[..] else { panic!("one criterion") };
        assert!(finding.matched);
        assert_eq!(finding.items, [1, 2]);
        let quotes: Vec<_> = finding.quotes.iter().map(|quote| (quote.item, quote.line, quote.text.as_str())).collect();
        assert_eq!(quotes, [(Some(1), 2, "適切に保つ"), (Some(2), 1, "柔軟に")]);
    }

    #[test]
    fn large_and_hostile_bodies_are_judged() {
        const SIZE: usize = 1 << 15;
        let one = |text: &str| Argument::One(text.to_owned());
        let criteria: Vec<_> = [
            ("ja", DetectorId::Words, one("vague-ja")),
            ("en", DetectorId::Words, one("vague-en")),
            ("wish", DetectorId::Unmeasured, Argument::None),
            ("how", DetectorId::ImplementationDetail, Argument::None),
            ("secret", DetectorId::Secret, Argument::None),
            ("number", DetectorId::Unnumbered, Argument::None),
        ]
        .map(|(id, detector, argument)| criterion(id, Some((detector, argument))))
        .into();
        for piece in [
            "適切に速",
            "- AC-1: 適切に動く。\n",
            "easy to use. ",
            "性能 ",
            "use redis ",
            "Redis を使い、",
            "1 ",
            "正規表現",
            "is fast ",
        ] {
            let answer = judge(&brief(&piece.repeat(SIZE / piece.len()), criteria.clone()));
            assert_eq!(answer.findings.len(), criteria.len());
            assert!(answer.findings.iter().all(|finding| finding.quotes.len() <= 1000), "{piece}");
        }
    }
}
