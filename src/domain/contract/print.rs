//! Writes a contract out whole: every default, one order, one form. Its blob is what a record's key holds (chapter 10).

use super::gates::default_list;
use super::keys::LISTS;
use super::model::{
    Argument, Contract, DetectorSpec, Field, FieldType, Gate, Lack, Mode, OnLowPass, OpenTo, RejudgeOnEdit, Side,
    Signal,
};
use super::tree::{Plain, plain};
use crate::domain::ids::{BlobHash, GateId};
use sha1::{Digest, Sha1};

/// The effective contract as canonical YAML. [`load`](super::load()) of it gives an equal contract but for its origin.
#[must_use]
pub fn print(contract: &Contract) -> String {
    let mut out = Out(String::new());
    out.line(0, "version: 1");
    out.line(0, "kind: handoff");
    if let Some(language) = contract.language {
        out.line(0, &format!("language: {}", language.as_str()));
    }
    out.line(0, "budgets:");
    out.line(1, &format!("max_iterations_per_gate: {}", contract.max_iterations_per_gate));
    out.line(0, "phases:");
    for phase in &contract.phases {
        out.line(1, &format!("- name: {}", scalar(&phase.name)));
        out.line(2, "receives:");
        out.line(3, &format!("waiting_level: {}", scalar(&phase.waiting_level)));
        for (key, side) in [("too_abstract_signals", Side::TooAbstract), ("too_concrete_signals", Side::TooConcrete)] {
            let signals: Vec<_> = phase.signals.iter().filter(|signal| signal.side == side).collect();
            out.signals(3, key, &signals, |_, _| {});
        }
    }
    out.line(0, "templates:");
    for name in LISTS {
        out.fields(1, name, contract.templates.list(name).unwrap_or_default());
    }
    out.line(0, "split_criteria:");
    out.texts(1, "good_task_conditions", &contract.split_criteria.good_task_conditions);
    out.texts(1, "always_separate", &contract.split_criteria.always_separate);
    out.line(0, "gates:");
    for gate in &contract.gates {
        out.gate(contract, gate);
    }
    let enabled: Vec<_> =
        contract.gates.iter().filter(|gate| gate.enabled).map(|gate| gate.id.as_str().to_owned()).collect();
    out.texts(0, "enabled_gates", &enabled);
    out.texts(0, "trusted_apps", &contract.trusted_apps);
    out.texts(0, "notify", &contract.notify);
    out.0
}

/// The hash that git gives a file with this text.
#[must_use]
pub fn blob(text: &str) -> BlobHash {
    let mut hash = Sha1::new();
    hash.update(format!("blob {}\0", text.len()));
    hash.update(text);
    BlobHash(hex::encode(hash.finalize()))
}

/// The text so far.
struct Out(String);

impl Out {
    fn line(&mut self, level: usize, text: &str) {
        for _ in 0..level {
            self.0.push_str("  ");
        }
        self.0.push_str(text);
        self.0.push('\n');
    }

    fn texts(&mut self, level: usize, key: &str, texts: &[String]) {
        if texts.is_empty() {
            self.line(level, &format!("{key}: []"));
            return;
        }
        self.line(level, &format!("{key}:"));
        for text in texts {
            self.line(level + 1, &format!("- {}", scalar(text)));
        }
    }

    fn signals(&mut self, level: usize, key: &str, signals: &[&Signal], more: impl Fn(&mut Self, &Signal)) {
        if signals.is_empty() {
            self.line(level, &format!("{key}: []"));
            return;
        }
        self.line(level, &format!("{key}:"));
        for signal in signals {
            self.line(level + 1, &format!("- id: {}", scalar(signal.id.as_str())));
            self.line(level + 2, &format!("text: {}", scalar(&signal.text)));
            if let Some(except) = &signal.except {
                self.line(level + 2, &format!("except: {}", scalar(except)));
            }
            if let Some(detect) = &signal.detect {
                self.detect(level + 2, detect);
            }
            let lack = match signal.lack {
                Lack::Content => "content",
                Lack::Form => "form",
            };
            self.line(level + 2, &format!("lack: {lack}"));
            self.line(level + 2, &format!("absence: {}", signal.absence));
            more(self, signal);
        }
    }

    fn detect(&mut self, level: usize, detect: &DetectorSpec) {
        let name = detect.id.as_str();
        if detect.argument == Argument::None && detect.within.is_empty() {
            self.line(level, &format!("detect: {name}"));
            return;
        }
        self.line(level, "detect:");
        match &detect.argument {
            Argument::None => self.line(level + 1, &format!("{name}: null")),
            Argument::One(one) => self.line(level + 1, &format!("{name}: {}", scalar(one))),
            Argument::List(list) => self.texts(level + 1, name, list),
        }
        if !detect.within.is_empty() {
            self.texts(level + 1, "in", &detect.within);
        }
    }

    fn fields(&mut self, level: usize, key: &str, fields: &[Field]) {
        if fields.is_empty() {
            self.line(level, &format!("{key}: []"));
            return;
        }
        self.line(level, &format!("{key}:"));
        for field in fields {
            self.line(level + 1, &format!("- name: {}", scalar(&field.name)));
            self.texts(level + 2, "aliases", &field.aliases);
            if let Some(means) = &field.means {
                self.line(level + 2, &format!("means: {}", scalar(means)));
            }
            let kind = match &field.kind {
                FieldType::Text => "type: text".to_owned(),
                FieldType::Integer => "type: integer".to_owned(),
                FieldType::Table => "type: table".to_owned(),
                FieldType::Link => "type: link".to_owned(),
                FieldType::Numbered(prefix) => format!("numbered: {}", scalar(prefix)),
            };
            self.line(level + 2, &kind);
        }
    }

    fn gate(&mut self, contract: &Contract, gate: &Gate) {
        self.line(1, &format!("{}:", gate.id));
        self.line(2, &format!("phase: {}", scalar(&contract.phase(gate).name)));
        // By name where a list of the contract holds just these fields, the gate's own list first.
        let lists = default_list(gate.id).into_iter().chain(LISTS);
        let name = lists.into_iter().find(|name| contract.templates.list(name) == Some(gate.fields.as_slice()));
        match name {
            Some(name) if !gate.fields.is_empty() || default_list(gate.id) == Some(name) => {
                self.line(2, &format!("fields: {name}"));
            }
            _ => self.fields(2, "fields", &gate.fields),
        }
        self.line(2, &format!("label: {}", scalar(&gate.label)));
        for (key, tier) in [("model", &gate.model), ("escalate_to", &gate.escalate_to)] {
            if let Some(tier) = tier {
                self.line(2, &format!("{key}: {}", scalar(tier)));
            }
        }
        // One is what every contract says that says nothing: its hash does not change by a key that came later.
        if gate.panel > 1 {
            self.line(2, &format!("panel: {}", gate.panel));
        }
        self.line(2, &format!("stops_first: {}", side(gate.stops_first)));
        let edit = match gate.rejudge_on_edit {
            RejudgeOnEdit::Never => "never",
            RejudgeOnEdit::Returned => "returned",
            RejudgeOnEdit::Always => "always",
        };
        self.line(2, &format!("rejudge_on_edit: {edit}"));
        let mode = match gate.mode {
            Mode::Enforce => "enforce",
            Mode::Observe => "observe",
        };
        self.line(2, &format!("mode: {mode}"));
        let open = match gate.open_to {
            OpenTo::Triage => "triage",
            OpenTo::Anyone => "anyone",
        };
        self.line(2, &format!("open_to: {open}"));
        let low = match gate.on_low_pass {
            OnLowPass::Triage => "triage",
            OnLowPass::PassWithNote => "pass_with_note",
        };
        self.line(2, &format!("on_low_pass: {low}"));
        let set: Vec<_> = gate.set_signals.iter().collect();
        if gate.id != GateId::Split && set.is_empty() {
            return;
        }
        self.signals(2, "set_signals", &set, |out, signal| out.line(4, &format!("side: {}", side(signal.side))));
    }
}

fn side(side: Side) -> &'static str {
    match side {
        Side::TooAbstract => "too_abstract",
        Side::TooConcrete => "too_concrete",
    }
}

/// A text as YAML writes it: plain where nothing in it could be read otherwise, else in double quotes.
fn scalar(text: &str) -> String {
    let first = text.chars().next().is_some_and(char::is_alphanumeric);
    let safe = |(c, next): (char, Option<char>)| match c {
        ':' => next.is_some_and(char::is_alphanumeric),
        ' ' => next.is_some_and(|next| next != ' '),
        c => c.is_alphanumeric() || "-_./()・、。".contains(c),
    };
    let pairs = text.chars().zip(text.chars().skip(1).map(Some).chain([None]));
    if first && pairs.into_iter().all(safe) && matches!(plain(text), Plain::Text) {
        return text.to_owned();
    }
    quoted(text)
}

/// A text in double quotes, which every version of YAML reads as this text.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            c if hidden(c) => {
                let code = u32::from(c);
                let escape = if code > 0xffff { format!("\\U{code:08x}") } else { format!("\\u{code:04x}") };
                quoted.push_str(&escape);
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Whether a reader would not see the character, or see it as a plain space.
fn hidden(c: char) -> bool {
    c.is_control()
        || (c.is_whitespace() && c != ' ')
        || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(c, '\u{feff}' | '\u{fff0}'..='\u{ffff}' | '\u{e0000}'..='\u{e0fff}')
        || u32::from(c) & 0xfffe == 0xfffe
}

#[cfg(test)]
mod tests {
    use super::super::report::{Report, Source};
    use super::super::{Loaded, Severity, load, tree};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_blob_is_gits() {
        // `printf 'hello\n' | git hash-object --stdin`
        assert_eq!(blob("hello\n").as_str(), "ce013625030ba8dba906f756967f9e9ca394464a");
    }

    #[test]
    fn texts_are_plain_where_that_is_safe() {
        for (text, expect) in [
            ("gate:start", "gate:start"),
            ("予算(max_iterations)", "予算(max_iterations)"),
            ("3", "\"3\""),
            ("true", "\"true\""),
            ("a: b", "\"a: b\""),
            ("a #b", "\"a #b\""),
            ("a:", "\"a:\""),
            ("- a", "\"- a\""),
            ("say \"x\" \\ \u{200b}", "\"say \\\"x\\\" \\\\ \\u200b\""),
        ] {
            assert_eq!(scalar(text), expect);
        }
    }

    const EVERYTHING: &str = include_str!("../../../tests/data/everything.yaml");

    #[test]
    fn the_print_is_whole_and_loads_to_the_same_contract() {
        let loaded = load("everything.yaml", EVERYTHING.as_bytes(), None);
        let silent = |loaded: &Loaded| loaded.problems.iter().all(|problem| problem.severity == Severity::Notice);
        assert!(silent(&loaded), "{:?}", loaded.problems);
        let contract = loaded.contract.unwrap();
        let text = print(&contract);
        let again = load("everything.yaml", text.as_bytes(), None);
        assert!(silent(&again), "{:?}", again.problems);
        assert_eq!(again.contract.as_ref(), Some(&contract));
        assert_eq!(print(&contract), text);
        assert_eq!(contract.blob, blob(&text));
    }

    proptest! {
        #[test]
        fn any_text_comes_back_as_it_was(text in any::<String>()) {
            let yaml = format!("- {}\n- {{a: {}}}\n", scalar(&text), scalar("x"));
            let mut report = Report::new(0, Source::new("x", &yaml));
            let root = tree::parse(&yaml, &mut report).root;
            prop_assert_eq!(report.finish(), vec![]);
            let Some(tree::Node { value: tree::Value::List(items), .. }) = root else { panic!("{yaml}") };
            let tree::Value::Text(back) = &items[0].value else { panic!("{yaml}") };
            prop_assert_eq!(back, &text);
        }
    }
}
