//! Japanese.

use super::judges::unjudged;
use super::{Form, Standing, Words, judged, numbering, table, unless_fresh};
use crate::domain::contract::{FieldType, Side};
use crate::domain::ids::{GateId, Language};
use crate::domain::plan::{PlanDefect, PlanProblemKind};
use crate::domain::record::{Disposition, QuestionTo, Role};
use crate::domain::text::HiddenKind;
use crate::domain::view::{ChildResult, GateStatus, HiddenNote, Reason, ReplyKind};
use crate::render::neutral::{cell, code};

/// Japanese.
pub(super) struct Ja;

/// A quote inside a sentence: code spans stand apart from kana and kanji, brackets do not.
fn quote(form: Form, text: &str) -> String {
    let quoted = form.quote(text, ("「", "」"));
    if form == Form::Plain { quoted } else { format!(" {quoted} ") }
}

/// A quote at the beginning of a sentence.
fn begin(form: Form, text: &str) -> String {
    quote(form, text).trim_start().to_owned()
}

/// A quote at the end.
fn end(form: Form, text: &str) -> String {
    form.quote(text, ("「", "」"))
}

fn place(line: Option<u32>, places: usize) -> String {
    match (line, places) {
        (None, 0 | 1) => String::new(),
        (None, n) => format!("({n} か所)"),
        (Some(line), 0 | 1) => format!("({line} 行目)"),
        (Some(line), n) => format!("({line} 行目、ほか {} か所)", n - 1),
    }
}

fn side(side: Side) -> &'static str {
    match side {
        Side::TooAbstract => "抽象的すぎる",
        Side::TooConcrete => "具体的すぎる",
    }
}

impl Words for Ja {
    fn gate(&self, gate: GateId) -> &'static str {
        match gate {
            GateId::Acceptance => "受理",
            GateId::Split => "分割",
            GateId::Start => "着手",
            GateId::Outcome => "成果",
            GateId::Integration => "統合",
            GateId::Diagnosis => "診断",
            GateId::Critic => "批評",
            GateId::Openspec => "OpenSpec ",
            GateId::Duck => "ラバーダック",
        }
    }

    fn full_gate(&self, gate: GateId) -> String {
        format!("{}ゲート", self.gate(gate))
    }

    fn standing(&self, standing: Standing) -> String {
        standing.with(match standing.disposition {
            Disposition::Passed => "",
            Disposition::Returned => "差し戻し",
            Disposition::Triage => "人の判断待ち",
            Disposition::NotJudged => "判定できず",
            Disposition::Overridden => "人の判断で通過",
        })
    }

    fn role(&self, role: Role) -> &'static str {
        match role {
            Role::IssueAuthor => "起票者",
            Role::Decomposer => "分割担当",
            Role::Worker => "作業担当",
            Role::Implementation => "実装担当",
        }
    }

    fn addressee(&self, to: QuestionTo) -> &'static str {
        match to {
            QuestionTo::IssueAuthor => "起票者へ",
            QuestionTo::ContractPr => "契約の変更として",
        }
    }

    fn reason(&self, reason: &Reason, form: Form) -> String {
        match reason {
            Reason::MissingField { field, near_miss: None } => format!("必須の見出し{}がない", quote(form, field)),
            Reason::MissingField { field, near_miss: Some(near) } => {
                format!("必須の見出し{}がない({}は名前が違う)", quote(form, field), begin(form, near))
            }
            Reason::EmptyField { field } => format!("{}が空欄か仮置きのまま", begin(form, field)),
            Reason::BadField { field, expected, found } => {
                let field = begin(form, field);
                let what = match expected {
                    FieldType::Text => format!("{field}が読み取れない"),
                    FieldType::Integer => format!("{field}が整数でない"),
                    FieldType::Numbered(prefix) => {
                        format!("{field}の項目に {} の番号がない", numbering(prefix, form))
                    }
                    FieldType::Table => format!("{field}に表がない"),
                    FieldType::Link => format!("{field}にリンクがない"),
                };
                if found.trim().is_empty() { what } else { format!("{what}: {}", end(form, found)) }
            }
            Reason::InChild { child, reason } => format!("{}: {}", form.prose(child), self.reason(reason, form)),
            Reason::NoPlan => {
                "分割案が見つからない(子ごとの見出し、表、`children` を持つ YAML のどれでもない)".to_owned()
            }
            Reason::PlanUnreadable { line, problem } => {
                let what = match problem {
                    PlanProblemKind::Syntax(words) => format!("YAML として読めない: {}", form.message(words)),
                    PlanProblemKind::NoTitle { child } => format!("children[{child}] に title がない"),
                    PlanProblemKind::NoBody { child } => format!("children[{child}] に body がない"),
                };
                format!("分割案の {line} 行目: {what}")
            }
            Reason::PlanDefect { defect, children } => defective(defect, children, form),
            Reason::SeveralPlans(plans) => {
                format!("一つの文章に分割案が {plans} 件ある。どれを判定するか、一つだけ残してください")
            }
            Reason::Signal { text, quote, line, places, note, children, .. } => {
                let mut out = form.prose(text);
                if !children.is_empty() {
                    let names: Vec<String> = children.iter().map(|child| form.prose(child)).collect();
                    out = format!("{}: {out}", names.join("・"));
                }
                if let Some(quote) = quote {
                    out = format!("{out}: {}{}", end(form, quote), place(*line, *places));
                }
                if let Some(note) = note.as_deref().filter(|note| !note.trim().is_empty()) {
                    out = format!("{out} — {}", form.message(note));
                }
                out
            }
            Reason::FieldsPresent(fields) => {
                let names: Vec<String> = fields.iter().map(|field| form.prose(field)).collect();
                format!("必須の {} 項目がそろっている: {}", fields.len(), names.join("、"))
            }
            Reason::NoneMatched { side: which, checked } => {
                format!("「{}」兆候は見つからない({checked} 件を確認)", side(*which))
            }
            Reason::ContractBroken { problems } => format!("契約に {} 件の誤りがある", problems.len()),
            Reason::Unjudged { why, .. } => unjudged(Language::Ja, why, form),
            Reason::GaveUp { error, attempts } => {
                format!("{attempts} 回試みたが、判定を終えられなかった: {}", form.message(error))
            }
        }
    }

    fn instruction(&self, reason: &Reason, form: Form) -> Option<String> {
        Some(match reason {
            Reason::MissingField { field, near_miss: None } => {
                format!("見出し{}を足し、内容を書く", quote(form, field))
            }
            Reason::MissingField { field, near_miss: Some(near) } => {
                format!("見出し{}の名前を{}に変える", quote(form, near), quote(form, field))
            }
            Reason::EmptyField { field } => {
                format!("{}に内容を書く(当てはまらなければ「該当なし」と書く)", begin(form, field))
            }
            Reason::BadField { field, expected, .. } => {
                let field = begin(form, field);
                match expected {
                    FieldType::Text => format!("{field}を書き直す"),
                    FieldType::Integer => format!("{field}に整数を書く"),
                    FieldType::Numbered(prefix) => format!("{field}の項目に {} と番号を振る", numbering(prefix, form)),
                    FieldType::Table => format!("{field}に表を書く"),
                    FieldType::Link => format!("{field}にリンクを書く"),
                }
            }
            Reason::Signal { side: Side::TooAbstract, text, quote: None, .. } => {
                format!("「{}」に当たらないよう、欠けている内容を書き足す", form.prose(text))
            }
            Reason::Signal { side: Side::TooConcrete, text, quote: None, .. } => {
                format!("「{}」に当たる記述を外す", form.prose(text))
            }
            Reason::Signal { side, text, quote: Some(found), line, places, .. } => {
                let at = line.map_or_else(String::new, |line| format!("{line} 行目の"));
                let found = if at.is_empty() { begin(form, found) } else { quote(form, found) };
                let more = if *places > 1 { format!("(ほか {} か所も)", places - 1) } else { String::new() };
                match side {
                    Side::TooAbstract => {
                        format!("{at}{found}を、「{}」に当たらない書き方に改める{more}", form.prose(text))
                    }
                    Side::TooConcrete => format!("{at}{found}を外す{more}"),
                }
            }
            Reason::InChild { child, reason } => {
                return self.instruction(reason, form).map(|what| format!("{}: {what}", form.prose(child)));
            }
            Reason::NoPlan => {
                "子ごとに見出し `子1: …` を立てるか、表か、`children` を持つ YAML で分割案を書く".to_owned()
            }
            Reason::PlanUnreadable { line, .. } => format!("分割案の {line} 行目を直す"),
            Reason::PlanDefect { defect, .. } => match defect {
                PlanDefect::SelfDependency { .. } | PlanDefect::BadIndex { .. } => {
                    "依存を、この分割案にある別の子だけにする".to_owned()
                }
                PlanDefect::DuplicateNumber { .. } => "子の番号を重ならないように振り直す".to_owned(),
                PlanDefect::BadRequirementIndex { .. } => "要件の対応を、ある子だけにする".to_owned(),
            },
            Reason::SeveralPlans(_)
            | Reason::FieldsPresent(_)
            | Reason::NoneMatched { .. }
            | Reason::ContractBroken { .. }
            | Reason::Unjudged { .. }
            | Reason::GaveUp { .. } => return None,
        })
    }

    fn after(&self, numbers: &str) -> String {
        format!("({numbers} の後)")
    }

    fn result(&self, result: &ChildResult) -> String {
        match result {
            ChildResult::Passed { report: None } => "通過".to_owned(),
            ChildResult::Passed { report: Some(url) } => crate::render::neutral::link("通過", Some(url)),
            ChildResult::NotPlanned => "不採用クローズ".to_owned(),
            ChildResult::NoOutcome => "成果なし".to_owned(),
            ChildResult::Open => "未完了".to_owned(),
        }
    }

    fn more(&self, count: usize) -> String {
        format!("ほか {count} 件")
    }

    fn hidden(&self, note: &HiddenNote) -> String {
        let count = note.characters;
        let what = match note.kind {
            HiddenKind::ZeroWidth => format!("語の中に幅のない文字が {count} 個"),
            HiddenKind::Bidi => format!("文字の向きを変える制御文字が {count} 個"),
            HiddenKind::Tags => format!("文をつづる見えないタグ文字が {count} 個"),
            HiddenKind::LookAlike => format!("語の中に形の似た別の文字が {count} 個"),
            HiddenKind::Comment => "指示を書いたコメント".to_owned(),
            HiddenKind::Styled => "表示されない書式の文".to_owned(),
        };
        format!("隠れた文: {what}({}): {}。判定には使っていません", self.lines(&note.lines), code(&note.shown))
    }

    fn lines(&self, lines: &[u32]) -> String {
        let numbers: Vec<String> = lines.iter().map(u32::to_string).collect();
        format!("{} 行目", numbers.join("、"))
    }

    fn reply(&self, what: &ReplyKind) -> String {
        match what {
            ReplyKind::Help { gates } => help(gates),
            ReplyKind::Status { gates } => status(gates),
            ReplyKind::Refused { command, needs } => {
                format!("{}を使えるのは、{needs} 以上の権限を持つ人です。", named(command))
            }
            ReplyKind::UnknownCommand { command } => {
                format!("{}という命令はありません。使える命令は `/gate help` で見られます。", named(command))
            }
            ReplyKind::NotDeclared { gate, declared } => {
                let declared: Vec<String> =
                    declared.iter().map(|gate| format!("{}(`{gate}`)", self.gate(*gate).trim_end())).collect();
                let declared = if declared.is_empty() { "なし".to_owned() } else { declared.join("、") };
                format!("{}は、この契約にありません。あるゲート: {declared}。", self.full_gate(*gate))
            }
            ReplyKind::NotEnabled { gate } => format!(
                "必須の見出しはそろっています。{}は契約の `enabled_gates` にないため、中身は判定しません。",
                self.full_gate(*gate)
            ),
            ReplyKind::NoReport => {
                "判定できる報告が見つかりません。triage 以上の人か契約の `trusted_apps` が書いた、報告の見出しを持つコメントを判定します。".to_owned()
            }
            ReplyKind::ChildUnclear { found } => {
                let found: Vec<String> = found.iter().map(|number| format!("#{number}")).collect();
                let found = if found.is_empty() { "なし".to_owned() } else { found.join("、") };
                format!("この pull request がどの issue の報告か、一つに決まりません(見つかったもの: {found})。`Closes #N` か `Refs #N` を一つだけ書いてください。")
            }
            ReplyKind::NothingToOverride { gate } => format!(
                "{}には、今の本文への判定がまだありません。先に `/gate {gate}` で判定してください。",
                self.full_gate(*gate)
            ),
            ReplyKind::BadOverride { command } => format!(
                "{}は読めませんでした。`/gate override <ゲート> --reason \"理由\"` の形で、500 字以内の理由を付けてください。",
                named(command)
            ),
            ReplyKind::PassedAlready { gate } => format!("{}は、すでに通過しています。", self.full_gate(*gate)),
            ReplyKind::NoRoom => "回答を書き足すと、本文が GitHub の上限(65,536 文字)を超えます。本文を短くしてから、もう一度回答してください。".to_owned(),
            ReplyKind::NoSuchQuestion { number } => format!("Q{number} という質問は、いまの判定にありません。"),
            ReplyKind::WrongSubject { gate } => {
                format!("{}が判定するのは issue です。pull request では動きません。", self.full_gate(*gate))
            }
            ReplyKind::Capped { gate, returns } => format!(
                "{}は差し戻しが {returns} 回続いたため止まっています。`/gate retry {gate}`(write 以上)か、契約の変更で再開します。",
                self.full_gate(*gate)
            ),
            ReplyKind::NothingToRetry => {
                "やり直せる判定がまだありません。`/gate help` で命令を確かめられます。".to_owned()
            }
        }
    }
}

fn defective(defect: &PlanDefect, children: &[String], form: Form) -> String {
    let name = |child: &usize| children.get(*child).map_or_else(|| format!("[{child}]"), |name| form.prose(name));
    match defect {
        PlanDefect::SelfDependency { child } => format!("{}が自分自身に依存している", name(child)),
        PlanDefect::BadIndex { child, written } => {
            format!("{}の依存{}は、この分割案の子でない", name(child), quote(form, written))
        }
        PlanDefect::DuplicateNumber { child, written } => {
            format!("{}の番号{}は、ほかの子と同じ", name(child), quote(form, written))
        }
        PlanDefect::BadRequirementIndex { parent_requirement, written } => {
            format!("親要件{}の対応{}は、この分割案の子でない", quote(form, parent_requirement), quote(form, written))
        }
    }
}

fn named(command: &str) -> String {
    format!("{} ", code(&crate::render::neutral::shorten(command, 100)))
}

fn help(gates: &[(GateId, String)]) -> String {
    let row = |command: &str, does: String, who: &str| [format!("`{command}`"), does, who.to_owned()];
    let mut rows: Vec<[String; 3]> = gates
        .iter()
        .map(|(gate, label)| {
            let does = format!("{}を判定する。ラベル {} を付けても同じ", Ja.full_gate(*gate), cell(label));
            row(&format!("/gate {gate}"), does, "triage 以上")
        })
        .collect();
    rows.push(row("/gate status", "各ゲートの今の状態を見る".to_owned(), "だれでも"));
    rows.push(row("/gate help", "この表を見る".to_owned(), "だれでも"));
    rows.push(row(
        "/gate answer Q1 …",
        "質問に答える。答えは本文に書き足され、もう一度判定する".to_owned(),
        "起票者か triage 以上",
    ));
    rows.push(row(
        "/gate override ゲート --reason \"…\"",
        "差し戻しや判断待ちを、理由を残して通す。本文が変わると無効になる".to_owned(),
        "write 以上",
    ));
    rows.push(row(
        "/gate retry [ゲート]",
        "差し戻しを 0 から数え直し、もう一度判定する。ゲートを省くと、最後に判定したゲート".to_owned(),
        "write 以上",
    ));
    let table = table(["命令", "すること", "使える人"], rows);
    format!("**使える命令**\n\n{table}\n命令は行の先頭に書きます。引用、コード、HTML コメントの中は読みません。")
}

fn status(gates: &[GateStatus]) -> String {
    let rows = gates.iter().map(|status| {
        let gate = format!("{} {}", Ja.gate(status.gate).trim_end(), cell(&status.label));
        let Some(state) = &status.newest else {
            return [gate, "まだ判定していない".to_owned(), "–".to_owned(), "–".to_owned()];
        };
        let to = state.return_to.map_or_else(String::new, |role| format!("({}へ)", Ja.role(role)));
        let standing = Ja.standing(state.into()) + &unless_fresh(state, "(その後に編集あり)");
        [gate, standing + &to, format!("{} / {}", state.returns.0, state.returns.1), judged(state)]
    });
    format!("**ゲートの状態**\n\n{}", table(["ゲート", "状態", "続けての差し戻し", "判定した時刻"], rows))
}
