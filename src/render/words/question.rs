//! The questions of a verdict, in both languages: each is one sentence that a person can answer.

use crate::domain::ids::{IssueNumber, Language};
use crate::domain::view::{CapCause, QuestionSubject};

/// A question, as the record keeps it: plain text.
pub(in crate::render) fn question(language: Language, subject: &QuestionSubject) -> String {
    match language {
        Language::En => en(subject),
        Language::Ja => ja(subject),
    }
}

fn en(subject: &QuestionSubject) -> String {
    match subject {
        QuestionSubject::OfModel(text) => text.clone(),
        QuestionSubject::Beyond { note, quote: None } => {
            format!("No criterion covers this: {note}. Should it count from now on?")
        }
        QuestionSubject::Beyond { note, quote: Some(quote) } => {
            format!("No criterion covers this: {note} (\u{201c}{quote}\u{201d}). Should it count from now on?")
        }
        QuestionSubject::WorthTheCost => "Is the stated value worth the stated budget?".to_owned(),
        QuestionSubject::SplitParent => {
            "The definition of done is more than one review can judge. As two parent issues, where would you divide it?"
                .to_owned()
        }
        QuestionSubject::Unfulfilled(rows) => {
            format!("No result stands for {}. Shrink the requirement, or split more?", named(rows, " ").join(", "))
        }
        QuestionSubject::Oscillation { from, to } => format!(
            "The verdict swung from {} to {}. Should the waiting level say anew what is written and what is left to the receiver?",
            from.as_str(),
            to.as_str()
        ),
        QuestionSubject::Repeated { cause: CapCause::Procedure, returns, criterion: None } => format!(
            "Required fields were missing in {returns} returns. Should the procedure fill them in before it asks for this gate?"
        ),
        QuestionSubject::Repeated { cause: CapCause::Procedure, returns, criterion: Some(criterion) } => format!(
            "The same place came back {returns} times unchanged (\u{201c}{criterion}\u{201d}). Should the procedure look at it before it asks for this gate?"
        ),
        QuestionSubject::Repeated { returns, criterion, .. } => format!(
            "{returns} texts in a row missed the same criterion, each at another place (\u{201c}{}\u{201d}). Does the contract say clearly enough what it asks for?",
            criterion.as_deref().unwrap_or("–")
        ),
    }
}

fn ja(subject: &QuestionSubject) -> String {
    match subject {
        QuestionSubject::OfModel(text) => text.clone(),
        QuestionSubject::Beyond { note, quote: None } => {
            format!("どの基準にもない点があります: {note}。今後の基準に入れますか")
        }
        QuestionSubject::Beyond { note, quote: Some(quote) } => {
            format!("どの基準にもない点があります: {note}(「{quote}」)。今後の基準に入れますか")
        }
        QuestionSubject::WorthTheCost => "書かれた価値は、書かれた予算に見合いますか".to_owned(),
        QuestionSubject::SplitParent => {
            "完了の定義が、1 回のレビューで判断できる大きさを超えています。親 issue を二つにするなら、どこで分けますか"
                .to_owned()
        }
        QuestionSubject::Unfulfilled(rows) => {
            format!("成果のない要件があります: {}。要件を減らしますか、子を足しますか", named(rows, "").join("、"))
        }
        QuestionSubject::Oscillation { from, to } => format!(
            "判定が {} から {} へ振れました。どこまでを書き、何を受け手に任せるのか、待ち位置を定め直しますか",
            from.as_str(),
            to.as_str()
        ),
        QuestionSubject::Repeated { cause: CapCause::Procedure, returns, criterion: None } => {
            format!("必須の欄の不備で {returns} 回戻りました。このゲートに出す前に欄を埋めることを、手順に入れますか")
        }
        QuestionSubject::Repeated { cause: CapCause::Procedure, returns, criterion: Some(criterion) } => format!(
            "同じ箇所が直されないまま {returns} 回戻りました(「{criterion}」)。このゲートに出す前に見ることを、手順に入れますか"
        ),
        QuestionSubject::Repeated { returns, criterion, .. } => format!(
            "{returns} 回続けて、同じ基準に別々の箇所で届きませんでした(「{}」)。何を求める基準なのか、契約の文面で伝わりますか",
            criterion.as_deref().unwrap_or("–")
        ),
    }
}

/// Each requirement with its child, or the child alone.
fn named(rows: &[(String, IssueNumber)], space: &str) -> Vec<String> {
    let one = |(requirement, number): &(String, IssueNumber)| match requirement.trim() {
        "" => format!("#{number}"),
        named => format!("{named}{space}(#{number})"),
    };
    rows.iter().map(one).collect()
}
