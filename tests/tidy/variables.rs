//! `.env.example`, `sekisho.example.toml` and the table in `docs/operating.md` agree with what `config` reads.

use crate::source::{Breach, root};
use sekisho::config::VARIABLES;
use std::fs;

/// `.env.example` names the variables of `config`, each once, in the same order; commented out or not.
fn example(text: &str, names: &[&str]) -> Vec<Breach> {
    let path = ".env.example";
    let listed: Vec<(usize, &str)> = text
        .lines()
        .enumerate()
        .filter_map(|(index, line)| {
            let name = line.trim_start_matches(['#', ' ']).split_once('=')?.0;
            let variable =
                !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
            variable.then_some((index + 1, name))
        })
        .collect();
    let mut breaches = Vec::new();
    for (index, (line, name)) in listed.iter().enumerate() {
        if !names.contains(name) {
            breaches.push(Breach::new(path, *line, format!("`config` reads no `{name}`")));
        }
        if listed[..index].iter().any(|(_, earlier)| earlier == name) {
            breaches.push(Breach::new(path, *line, format!("`{name}` stands twice")));
        }
    }
    let missing = names.iter().filter(|name| !listed.iter().any(|(_, listed)| listed == *name));
    breaches.extend(missing.map(|name| Breach::new(path, 0, format!("`{name}` is missing"))));
    breaches
}

/// Variables in the first column of the table in the docs are read by `config`.
fn table(text: &str, names: &[&str]) -> Vec<Breach> {
    let path = "docs/operating.md";
    let mut breaches = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let Some(cell) = line.strip_prefix("| `").and_then(|rest| rest.split(" |").next()) else { continue };
        let variables = cell.split('`').step_by(2);
        let unread = variables.filter(|name| name.contains('_') && !names.contains(name));
        breaches.extend(unread.map(|name| Breach::new(path, index + 1, format!("`config` reads no `{name}`"))));
    }
    breaches
}

/// `sekisho.example.toml` names the keys of `config`, each once, under their tables; commented out or not.
fn toml_example(text: &str, keys: &[String]) -> Vec<Breach> {
    let path = "sekisho.example.toml";
    let mut breaches = Vec::new();
    let mut listed: Vec<String> = Vec::new();
    let mut table = String::new();
    for (index, line) in text.lines().enumerate() {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            name.clone_into(&mut table);
            continue;
        }
        let Some((key, _)) = line.trim_start_matches(['#', ' ']).split_once(" = ") else { continue };
        let key = format!("{table}.{key}");
        if !keys.contains(&key) {
            breaches.push(Breach::new(path, index + 1, format!("`config` reads no `{key}`")));
        }
        if listed.contains(&key) {
            breaches.push(Breach::new(path, index + 1, format!("`{key}` stands twice")));
        }
        listed.push(key);
    }
    let missing = keys.iter().filter(|key| !listed.contains(key));
    breaches.extend(missing.map(|key| Breach::new(path, 0, format!("`{key}` is missing"))));
    breaches
}

fn names() -> Vec<&'static str> {
    VARIABLES.iter().map(|variable| variable.name).collect()
}

#[test]
fn env_example_equals_config() {
    let text = fs::read_to_string(root().join(".env.example")).expect(".env.example stands at the root");
    crate::hold(".env.example equals config::VARIABLES", &example(&text, &names()));
}

#[test]
fn the_example_file_equals_config() {
    let text = fs::read_to_string(root().join("sekisho.example.toml")).expect("it stands at the root");
    let keys: Vec<String> =
        VARIABLES.iter().filter_map(sekisho::config::Variable::key).map(|(t, k)| format!("{t}.{k}")).collect();
    assert!(keys.len() > 10, "the keys were not found");
    crate::hold("sekisho.example.toml equals config::VARIABLES", &toml_example(&text, &keys));
}

#[test]
fn the_table_of_variables_is_read() {
    let text = fs::read_to_string(root().join("docs/operating.md")).expect("the page stands in docs/");
    assert!(text.contains("| `GITHUB_APP_ID`"), "the table was not found");
    crate::hold("variables in docs/operating.md are read by config", &table(&text, &names()));
}

#[test]
fn drift_is_seen() {
    let what = |breaches: Vec<Breach>| {
        breaches.into_iter().map(|breach| format!("{}: {}", breach.line, breach.what)).collect::<Vec<_>>()
    };
    assert_eq!(what(example("# About A_B = x\n# A=1\nB=\n", &["A", "B"])), [""; 0]);
    assert_eq!(
        what(example("A=1\n#A=2\nC=3\n", &["A", "B"])),
        ["2: `A` stands twice", "3: `config` reads no `C`", "0: `B` is missing"]
    );
    let keys = ["a.b".to_owned(), "a.c".to_owned()];
    assert_eq!(what(toml_example("# a = b is said\n[a]\n# b = 1\nc = 2\n", &keys)), ["1: `config` reads no `.a`"]);
    assert_eq!(
        what(toml_example("[a]\n# b = 1\nb = 2\n[x]\nc = 3\n", &keys)),
        ["3: `a.b` stands twice", "5: `config` reads no `x.c`", "0: `a.c` is missing"]
    );
    assert_eq!(
        what(table("| `A_B` or `C_D` | `x_y` | text |\n| `GET /x` | |", &["A_B"])),
        ["1: `config` reads no `C_D`"]
    );
}
