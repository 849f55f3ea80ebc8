//! The names that labels, headings and columns of a plan may have, and what each stands for.

use super::PlanField;
use crate::domain::ids::Language;
use crate::domain::text::{heading_key, is_placeholder};
use std::collections::HashMap;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A field of a child: its place in [`Names::fields`].
    Field(usize),
    /// The child's title.
    Title,
    /// The children that it waits for.
    Depends,
    /// Its number in the plan.
    Number,
}

/// The fields of a child, and every name that is known for them.
pub(super) struct Names {
    /// In the order in which a body has them.
    pub(super) fields: Vec<Known>,
    /// The field of the parent's requirement.
    pub(super) covers: usize,
    /// The field of the purpose, where there is one.
    pub(super) purpose: Option<usize>,
    roles: HashMap<String, Role>,
    prefixes: HashMap<String, usize>,
}

/// A field of a child.
pub(super) struct Known {
    /// The heading in a body.
    pub(super) name: String,
    /// The prefix of its items' numbers.
    pub(super) numbered: Option<String>,
}

/// A field that both built-in contracts have: its heading in Japanese and in English, other names, and the prefix of its ids.
struct Usual {
    ja: &'static str,
    en: &'static str,
    others: &'static [&'static str],
    prefix: Option<&'static str>,
}

const COVERS: usize = 0;
const PURPOSE: usize = 1;

const USUAL: [Usual; 6] = [
    Usual {
        ja: "対応する親要件",
        en: "Parent requirement",
        others: &[
            "親要件",
            "対応要件",
            "対応する要件",
            "担当要件",
            "担当する親要件",
            "カバーする親要件",
            "カバーする要件",
            "満たす親要件",
            "親の要件",
            "要件",
            "parent requirements",
            "covers",
            "requirement",
            "requirements",
            "covered requirements",
            "parent",
        ],
        prefix: None,
    },
    Usual { ja: "目的", en: "Purpose", others: &["ねらい", "狙い", "goal", "aim"], prefix: None },
    Usual {
        ja: "受け入れ条件",
        en: "Acceptance criteria",
        others: &["受入条件", "受入れ条件", "受け入れ基準", "受入基準", "acceptance", "acceptance criterion", "ac"],
        prefix: Some("AC"),
    },
    Usual {
        ja: "成功基準",
        en: "Success criteria",
        others: &["成功条件", "success criterion", "success", "sc"],
        prefix: Some("SC"),
    },
    Usual {
        ja: "打ち切り条件",
        en: "Stop condition",
        others: &["打切り条件", "打切条件", "中断条件", "stop conditions", "stop criteria", "stop when", "stop"],
        prefix: None,
    },
    Usual {
        ja: "予算(max_iterations)",
        en: "Budget (max_iterations)",
        others: &[
            "max_iterations",
            "max iterations",
            "予算",
            "反復の上限",
            "反復上限",
            "最大反復",
            "budget",
            "iterations",
        ],
        prefix: None,
    },
];

const TITLES: [&str; 15] = [
    "題",
    "題名",
    "件名",
    "タイトル",
    "表題",
    "名前",
    "名称",
    "タスク",
    "タスク名",
    "子タスク",
    "title",
    "name",
    "task",
    "child title",
    "summary",
];

const DEPENDS: [&str; 21] = [
    "依存",
    "依存先",
    "依存関係",
    "依存する子",
    "依存タスク",
    "先行",
    "先行する子",
    "先行タスク",
    "待つ子",
    "ブロック元",
    "前提の子",
    "depends on",
    "depends",
    "dependencies",
    "dependency",
    "depend on",
    "blocked by",
    "blocked_by",
    "depends_on",
    "deps",
    "waits for",
];

const NUMBERS: [&str; 15] = [
    "",
    "no",
    "no.",
    "番号",
    "子",
    "子番号",
    "子の番号",
    "通番",
    "child",
    "id",
    "№",
    "nr",
    "number",
    "child no.",
    "index",
];

/// What says that something holds for every child.
const UNIVERSAL: [&str; 38] = [
    "各子に共通の",
    "各子に共通",
    "各子共通の",
    "各子共通",
    "各子issueの",
    "各子issue",
    "各子タスクの",
    "各子の",
    "各子",
    "全子に共通の",
    "全子共通の",
    "全子共通",
    "全子の",
    "全子",
    "すべての子に共通の",
    "すべての子の",
    "すべての子",
    "全ての子に共通の",
    "全ての子の",
    "全ての子",
    "どの子の",
    "どの子も",
    "子に共通の",
    "子共通の",
    "共通の",
    "共通",
    "ofeachchild",
    "ofeverychild",
    "ofallchildren",
    "foreachchild",
    "foreverychild",
    "forallchildren",
    "eachchild",
    "everychild",
    "allchildren",
    "perchild",
    "common",
    "shared",
];

impl Names {
    /// The names of a contract's fields with what people write for them.
    pub(super) fn of(fields: &[PlanField], language: Language) -> Self {
        let mut names =
            Self { fields: Vec::new(), covers: 0, purpose: None, roles: HashMap::new(), prefixes: HashMap::new() };
        for field in fields {
            let at = names.fields.len();
            names.fields.push(Known { name: field.name.clone(), numbered: field.numbered.clone() });
            for name in std::iter::once(&field.name).chain(&field.aliases) {
                names.roles.entry(key(name)).or_insert(Role::Field(at));
            }
            if let Some(prefix) = &field.numbered {
                names.prefixes.entry(prefix.to_ascii_uppercase()).or_insert(at);
            }
        }
        for (index, usual) in USUAL.iter().enumerate() {
            names.add_usual(index, usual, fields.is_empty(), language);
        }
        for (all, role) in [(&TITLES[..], Role::Title), (&DEPENDS[..], Role::Depends), (&NUMBERS[..], Role::Number)] {
            for name in all {
                names.roles.entry(key(name)).or_insert(role);
            }
        }
        names
    }

    /// Joins a usual field with the contract's field of one of its names; without a contract it is a field itself.
    fn add_usual(&mut self, index: usize, usual: &Usual, bare: bool, language: Language) {
        let all = || [usual.ja, usual.en].into_iter().chain(usual.others.iter().copied());
        let known = all().find_map(|name| match self.roles.get(&key(name)) {
            Some(Role::Field(at)) => Some(*at),
            _ => None,
        });
        let at = match known {
            Some(at) => at,
            None if bare || index == COVERS => {
                let name = if language == Language::Ja { usual.ja } else { usual.en };
                let numbered = usual.prefix.filter(|prefix| bare && *prefix == "AC").map(ToOwned::to_owned);
                self.fields.push(Known { name: name.to_owned(), numbered });
                self.fields.len() - 1
            }
            None => return,
        };
        match index {
            COVERS => self.covers = at,
            PURPOSE => self.purpose = Some(at),
            _ => {}
        }
        for name in all() {
            self.roles.entry(key(name)).or_insert(Role::Field(at));
        }
        if let Some(prefix) = usual.prefix {
            self.prefixes.entry(prefix.to_owned()).or_insert(at);
        }
    }

    /// What a label, heading or column stands for.
    pub(super) fn role(&self, label: &str) -> Option<Role> {
        if label.len() > LONGEST {
            return None;
        }
        self.roles.get(&key(label)).copied()
    }

    /// The field of an id's items: `AC-2` is one of the acceptance criteria.
    pub(super) fn of_id(&self, label: &str) -> Option<usize> {
        let folded = key(label);
        let letters = folded.find(|c: char| !c.is_ascii_lowercase())?;
        let rest = folded[letters..].trim_start_matches(['-', '_']);
        let number = !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
        number.then(|| self.prefixes.get(&folded[..letters].to_ascii_uppercase()).copied()).flatten()
    }

    /// What is left of a label that speaks of every child; none where it does not.
    pub(super) fn universal(&self, label: &str) -> Option<String> {
        if label.len() > LONGEST {
            return None;
        }
        let folded = key(label).replace("children's", "children").replace("child's", "child");
        let marker = UNIVERSAL.iter().find(|marker| folded.contains(*marker))?;
        let rest = folded.replacen(marker, "", 1);
        let rest = rest.trim_matches(['(', ')', '[', ']', ',', '、', ':', '・', '-']);
        let rest = ["として", "について", "に", "の", "で", "to", "for"]
            .iter()
            .find_map(|end| rest.strip_suffix(end).filter(|rest| self.roles.contains_key(*rest) || rest.is_empty()))
            .unwrap_or(rest);
        Some(rest.to_owned())
    }
}

/// Longest label, in bytes: what is longer is a sentence.
const LONGEST: usize = 160;

/// What is compared of a name: folded, in lower case, without spaces.
fn key(name: &str) -> String {
    let folded = heading_key(name).to_lowercase();
    folded.chars().filter(|c| !c.is_whitespace() && *c != '*').collect()
}

/// Words that say that there is nothing.
const NOTHING: [&str; 16] = [
    "なし",
    "無し",
    "無",
    "ない",
    "特になし",
    "該当なし",
    "依存なし",
    "none",
    "nothing",
    "no",
    "n/a",
    "na",
    "empty",
    "nil",
    "[]",
    "null",
];

/// Whether a text says that there is nothing: `-`, `なし`, `none`, `empty`, or a placeholder.
pub(super) fn is_nothing(text: &str) -> bool {
    let bare =
        text.trim().trim_matches(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '`' | '*' | '_' | '。' | '.'));
    bare.is_empty() || NOTHING.iter().any(|word| bare.eq_ignore_ascii_case(word)) || is_placeholder(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_fields() {
        let fields = [("Covered", "Parent requirement"), ("Criteria", "Acceptance criteria"), ("Size", "")]
            .map(|(name, alias)| PlanField { name: name.to_owned(), aliases: vec![alias.to_owned()], numbered: None });
        let names = Names::of(&fields, Language::En);
        assert_eq!(names.covers, 0);
        assert_eq!(names.role("Covers:"), Some(Role::Field(0)));
        assert_eq!(names.role("受け入れ条件"), Some(Role::Field(1)));
        assert_eq!(names.role("size"), Some(Role::Field(2)));
        assert_eq!(names.role("Depends On"), Some(Role::Depends));
        assert_eq!(names.role("Stop condition"), None);
        assert_eq!(names.of_id("AC-1"), Some(1));
        assert_eq!(names.of_id("SC-1"), None);
        let bare = Names::of(&[], Language::Ja);
        assert_eq!(bare.fields.len(), 6);
        for (label, rest) in [
            ("SC-1 of each child", "sc-1"),
            ("各子の成功基準", "成功基準"),
            ("Stop condition (each child)", "stopcondition"),
            ("各子に共通", ""),
        ] {
            assert_eq!(bare.universal(label).as_deref(), Some(rest), "{label}");
        }
        assert_eq!(bare.universal("成功基準"), None);
    }
}
