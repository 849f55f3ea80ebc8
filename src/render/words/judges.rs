//! What is said of models beside the verdict, in both languages: why one's word is missing, where judges contradict each
//! other, what none saw, and that one is waited for.

use super::{Form, words};
use crate::domain::ids::{GateId, Language};
use crate::domain::reply::{Scope, Unjudged};
use crate::domain::view::Disagreed;
use chrono::{DateTime, Utc};

/// Why nothing was judged, without a full stop.
pub(super) fn unjudged(language: Language, why: &Unjudged, form: Form) -> String {
    match language {
        Language::En => unjudged_en(why, form),
        Language::Ja => unjudged_ja(why, form),
    }
}

fn unjudged_en(why: &Unjudged, form: Form) -> String {
    match why {
        Unjudged::Faulty { judge, faults } => {
            format!("The reply of {} could not be used, twice: {}", form.prose(judge), form.message(faults))
        }
        Unjudged::Failed { error, .. } => format!("The model could not be asked: {}", form.message(error)),
        Unjudged::Resting { judge, .. } => {
            format!("{} failed too often and is left alone for a while", form.prose(judge))
        }
        Unjudged::UsedUp { scope, until } => {
            let whose = match scope {
                Scope::App => "this App",
                Scope::Installation => "this installation",
                Scope::Repository => "this repository",
            };
            format!("The budget for models of {whose} is used up until {}", day(*until))
        }
        Unjudged::Unmapped { tier } => {
            format!("The contract asks the tier {}, to which the operator has mapped no model", quoted(form, tier))
        }
        Unjudged::NoSecondOpinion { tier, opinions } => format!(
            "The contract asks {opinions} opinions at the tier {}, whose models are not of as many families",
            quoted(form, tier)
        ),
    }
}

fn unjudged_ja(why: &Unjudged, form: Form) -> String {
    match why {
        Unjudged::Faulty { judge, faults } => {
            format!("{} の応答が二度続けて使えなかった: {}", form.prose(judge), form.message(faults))
        }
        Unjudged::Failed { error, .. } => format!("モデルに問い合わせられなかった: {}", form.message(error)),
        Unjudged::Resting { judge, .. } => format!("{} の失敗が続いたので、しばらく問い合わせない", form.prose(judge)),
        Unjudged::UsedUp { scope, until } => {
            let whose = match scope {
                Scope::App => "この App",
                Scope::Installation => "このインストール",
                Scope::Repository => "このリポジトリ",
            };
            format!("{whose}のモデル予算を {} まで使い切った", day(*until))
        }
        Unjudged::Unmapped { tier } => {
            format!("契約が求める段 {} に、運用者がモデルを割り当てていない", quoted(form, tier))
        }
        Unjudged::NoSecondOpinion { tier, opinions } => {
            format!("契約は段 {} で {opinions} 系統の意見を求めるが、それだけの系統のモデルがない", quoted(form, tier))
        }
    }
}

fn quoted(form: Form, text: &str) -> String {
    form.quote(text, ("\u{201c}", "\u{201d}"))
}

fn day(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%d %H:%M UTC").to_string()
}

/// Judges who contradict each other about one criterion.
pub(in crate::render) fn disagreed(language: Language, one: &Disagreed, form: Form) -> String {
    let names = |names: &[String]| names.iter().map(|name| form.prose(name)).collect::<Vec<_>>();
    let (yes, no, text) = (names(&one.matched), names(&one.unmatched), form.prose(&one.text));
    let shown = one.quote.as_ref().map(|quote| form.quote(quote, ("\u{201c}", "\u{201d}")));
    match language {
        Language::En => {
            let shown = shown.map_or_else(String::new, |quote| format!(" ({quote})"));
            let end = if one.stands { "it stands" } else { "not decided" };
            format!(
                "Judges disagree about \"{text}\": found by {}{shown}, not by {}; {end}",
                yes.join(", "),
                no.join(", ")
            )
        }
        Language::Ja => {
            let shown = shown.map_or_else(String::new, |quote| format!("({quote})"));
            let end = if one.stands { "該当として扱う" } else { "決めていない" };
            format!("「{text}」で判定が割れた: 該当 {}{shown}、該当せず {}。{end}", yes.join("、"), no.join("、"))
        }
    }
}

/// A text that tries to steer its judge, as a model reports it.
pub(in crate::render) fn steering(language: Language, note: &str, quote: Option<&str>, form: Form) -> String {
    let note = form.prose(note);
    let place = quote.map_or_else(String::new, |quote| format!(": {}", form.quote(quote, ("\u{201c}", "\u{201d}"))));
    match language {
        Language::En => format!("⚠️ The judge reports an attempt to steer it: {note}{place}. It moved no verdict"),
        Language::Ja => format!("⚠️ 判定者を誘導しようとする文があるとの報告: {note}{place}。判定には効いていません"),
    }
}

/// Sections that no model saw.
pub(in crate::render) fn not_shown(language: Language, sections: &[String], form: Form) -> String {
    let names: Vec<String> = sections.iter().map(|name| form.prose(name)).collect();
    match language {
        Language::En => format!("Too long to be shown whole: no model saw {}", names.join(", ")),
        Language::Ja => format!("長すぎるため、モデルに見せていない節: {}", names.join("、")),
    }
}

/// ⏳: a model is waited for (chapter 10).
pub(in crate::render) fn waiting(language: Language, gate: GateId) -> String {
    let gate = words(language).full_gate(gate);
    match language {
        Language::En => format!("## {gate}: ⏳ Judging\n\nA model is being asked. This comment becomes the verdict."),
        Language::Ja => {
            format!("## {gate}: ⏳ 判定中\n\nモデルに問い合わせています。このコメントが判定に変わります。")
        }
    }
}
