//! A bad sample for each law, so that the law is seen to speak; and good ones at which it must stay silent.

use crate::source::{Breach, Source};
use crate::{code, ladder, repository};

/// The breaches of one file as `line: what`.
fn check(law: impl Fn(&[Source]) -> Vec<Breach>, path: &str, text: &str, expect: &[&str]) {
    let sources = [Source::new(path, text)];
    compare(&law(&sources), text, expect);
}

/// Each expected text is the beginning of `line: what`, in order.
fn compare(found: &[Breach], text: &str, expect: &[&str]) {
    let found: Vec<String> = found.iter().map(|breach| format!("{}: {}", breach.line, breach.what)).collect();
    let fits = found.len() == expect.len() && found.iter().zip(expect).all(|(found, expect)| found.starts_with(expect));
    assert!(fits, "in\n{text}\nfound {found:#?}\nexpected {expect:#?}");
}

#[test]
fn ladder_counts_every_kind_of_path() {
    let check = |path, text, expect: &[&str]| check(ladder::between_modules, path, text, expect);
    check("src/domain/ids.rs", "//! x\nuse crate::app::Lane;", &["2: `domain` stands below `app`"]);
    check(
        "src/domain/ids.rs",
        "use crate::{adapters::{github, local as l}, domain};",
        &["1: `domain` stands below `adapters`", "1: `domain` stands below `adapters`"],
    );
    check("src/domain/text/mod.rs", "use super::super::render::codec;", &["1: `domain` stands below `render`"]);
    check("src/ports.rs", "fn f() -> crate::web::Door { 1 }", &["1: `ports` stands below `web`"]);
    check("src/render/mod.rs", "fn f() {\n    assert_eq!(crate::cli::X, 1);\n}", &["2: `render` stands below `cli`"]);
    check("src/app/lane.rs", "use crate::adapters::store;", &["1: `app` and `adapters` never see each other"]);
    check("src/adapters/local/mod.rs", "use crate::app;", &["1: `adapters` and `app` never see each other"]);
    check("src/web/mod.rs", "use crate::config::Settings;", &["1: `web` stands below `config`"]);
    check("src/web/mod.rs", "mod inner {\n    use super::super::cli;\n}", &["2: `web` stands below `cli`"]);
    check("src/render/mod.rs", "use crate as root;", &["1: `crate` names no module"]);
    check("src/render/mod.rs", "use crate::Shortcut;", &["1: `crate::Shortcut` names no module"]);
    check("src/render/mod.rs", "macro_rules! m { () => { $crate::app::x() } }", &["1: `render` stands below `app`"]);
    check("src/domain/ids.rs", "#[cfg(test)]\nmod tests {\n    use crate::render;\n}", &["3: `domain` stands below"]);
}

#[test]
fn ladder_lets_imports_go_down() {
    let check = |path, text| check(ladder::between_modules, path, text, &[]);
    check("src/cli/mod.rs", "use crate::{adapters::github, app, config, domain::ids::Login, web};");
    check(
        "src/app/lane.rs",
        "use super::perform;\nuse crate::ports::Forge;\npub(crate) fn f() {}\npub(in crate::app) fn g() {}",
    );
    check("src/domain/ids.rs", "//! See `crate::app`.\n// use crate::app;\nconst X: &str = \"crate::app::x\";");
    check("src/main.rs", "fn main() { sekisho::cli::main() }");
    check("src/lib.rs", "pub mod adapters;");
}

#[test]
fn domain_has_an_order() {
    let check = |path, text, expect: &[&str]| check(ladder::inside_domain, path, text, expect);
    check("src/domain/ids.rs", "use crate::domain::contract::Side;", &["1: `ids` stands before `contract`"]);
    check("src/domain/ids.rs", "use super::{gates, text};", &["1: `ids` stands before `gates`"]);
    check("src/domain/record/mod.rs", "use super::super::view;", &[]);
    check("src/domain/record/mod.rs", "use crate::domain::view;", &["1: `record` stands before `view`"]);
    check("src/domain/record/fold.rs", "use super::Record;\nuse crate::domain::ids::GateId;", &[]);
    check("src/domain/finding.rs", "fn f(x: crate::domain::run::Dossier) {}", &["1: `finding` stands before `run`"]);
    check("src/domain/ids.rs", "use crate::domain::*;", &["1: `crate::domain::*`: `domain` has no module `*`"]);
    check("src/domain/ids.rs", "use crate::domain;", &["1: `domain` as a whole"]);
    check(
        "src/app/mod.rs",
        "use crate::domain::Login;",
        &["1: `crate::domain::Login`: `domain` has no module `Login`"],
    );
    check("src/app/mod.rs", "use crate::domain::{ids::Login, gates};", &[]);
}

#[test]
fn a_cycle_is_seen_through_a_re_export() {
    let sources =
        |list: &[(&str, &str)]| -> Vec<Source> { list.iter().map(|(path, text)| Source::new(path, text)).collect() };
    let knot = [
        ("src/app/mod.rs", "mod lane;\nmod heal;\npub use lane::*;\npub use heal::Healer;"),
        ("src/app/lane.rs", "use super::Healer;\npub struct Lane;"),
        ("src/app/heal.rs", "//! x\nuse crate::app::Lane;\npub struct Healer;"),
    ];
    compare(&ladder::no_cycle(&sources(&knot)), "a knot", &["1: a cycle: heal → lane → heal"]);
    let direct = [
        ("src/web/mod.rs", "mod a;"),
        ("src/web/a.rs", "use super::b::B;"),
        ("src/web/b.rs", "use super::c::C;"),
        ("src/web/c/mod.rs", "mod d;"),
        ("src/web/c/d.rs", "\nuse crate::web::a::A;"),
    ];
    compare(&ladder::no_cycle(&sources(&direct)), "a ring", &["2: a cycle: a → b → c → a"]);
    let tree = [
        ("src/web/mod.rs", "mod a;\nmod b;\npub struct State;\npub use b::B;"),
        ("src/web/a.rs", "use super::{State, B};"),
        ("src/web/b.rs", "use super::State;\npub struct B;\n#[cfg(test)]\nmod tests { use super::super::a; }"),
    ];
    compare(&ladder::no_cycle(&sources(&tree)), "a tree", &[]);
}

#[test]
fn writes_are_seen() {
    let check = |path, text, expect: &[&str]| check(code::writes, path, text, expect);
    let call = "async fn f(forge: &dyn Forge) {\n    forge.create_comment(1).await;\n}";
    check("src/app/lane.rs", call, &["2: `create_comment`: only `app::perform`"]);
    check("src/web/door.rs", "fn f() { Forge::add_label(&x); }", &["1: `add_label`: only `app::perform`"]);
    check("src/app/perform.rs", call, &[]);
    check("src/app/perform/labels.rs", call, &[]);
    check("src/adapters/local/forge.rs", call, &[]);
    check("src/ports.rs", "trait Forge { fn create_comment(&self); }", &[]);
}

#[test]
fn a_new_method_of_forge_is_seen() {
    let reads = "fn app(); fn installation(); fn open_issues(); fn issue(); fn comments(); fn own_comments(); fn repository(); fn permission(); fn head(); fn default_branch(); fn directory(); fn file(); fn pull(); fn pull_files(); fn check_runs(); fn own_issues(); fn sub_issues(); fn blocked_by(); fn pulls_from();";
    let writes = "fn create_comment(); fn edit_comment(); fn delete_comment(); fn create_label(); fn add_label(); fn remove_label(); fn acknowledge(); fn create_check_run(); fn update_check_run(); fn create_issue(); fn edit_issue_body(); fn close_issue(); fn add_sub_issue(); fn add_blocked_by(); fn create_branch(); fn put_file(); fn create_pull();";
    let port = format!("trait Forge {{ {reads} {writes} fn merge_pull(); }}\ntrait Store {{ fn ping(); }}");
    check(
        code::forge_methods,
        "src/ports.rs",
        &port,
        &["1: `Forge::merge_pull` is in neither list", "1: `Forge` has no method `minimise`"],
    );
}

#[test]
fn long_files_and_code_after_tests_are_seen() {
    let long = |lines: usize| "//! x\n".to_owned() + &"fn f() {}\n".repeat(lines - 1);
    let tests = "#[cfg(test)]\nmod tests {\n    fn f() {}\n}\n";
    check(code::size, "src/a.rs", &long(400), &["400: 400 lines"]);
    check(code::size, "src/a.rs", &long(399), &[]);
    check(code::size, "src/a.rs", &(long(390) + tests), &[]);
    check(code::size, "src/a.rs", &(long(399) + tests), &[]);
    check(code::size, "src/a.rs", &(long(400) + tests), &["400: 400 lines"]);
    check(code::size, "src/a.rs", &(tests.to_owned() + "fn late() {}"), &["5: code after the tests"]);
    check(code::size, "src/a.rs", "#[cfg(test)]\nmod tests;\n", &[]);
    check(code::size, "src/a/tests.rs", &long(900), &[]);
}

#[test]
fn bare_files_are_seen() {
    check(code::head, "src/a.rs", "use x;\n//! late", &["1: does not begin"]);
    check(code::head, "src/a.rs", "//!\n", &["1: does not begin"]);
    check(code::head, "src/a.rs", "", &["1: does not begin"]);
    check(code::head, "src/a.rs", "//! What it is for.\n", &[]);
}

#[test]
fn reads_of_the_environment_are_seen() {
    let check = |path, text, expect: &[&str]| check(code::environment, path, text, expect);
    check("src/app/mod.rs", "fn f() { std::env::var(\"X\"); }", &["1: `std::env::var`"]);
    check("src/app/mod.rs", "use std::{env::{self, var_os}, fs};", &["1: `std::env::var_os`"]);
    check("src/app/mod.rs", "use std::env;\nfn f() { env::vars() }", &["2: `env::vars`"]);
    check("src/app/mod.rs", "use std::env::*;", &["1: `std::env::*`"]);
    check("src/app/mod.rs", "const X: &str = env!(\"HOME\");", &["1: `env!`"]);
    check("src/app/mod.rs", "const X: Option<&str> = option_env!(\"CI\");", &["1: `option_env!`"]);
    check("src/cli/mod.rs", "struct A {\n    #[arg(long, env = \"X\")]\n    a: u8,\n}", &["2: clap's `env`"]);
    check("src/cli/mod.rs", "struct A {\n    #[arg(long)]\n    env: u8,\n}", &[]);
    check(
        "src/cli/mod.rs",
        "const V: &str = env!(\"CARGO_PKG_VERSION\"); fn f() { std::env::args(); std::env::temp_dir(); }",
        &[],
    );
    check("src/config.rs", "fn f() { std::env::var(\"X\"); }", &[]);
}

#[test]
fn hooks_are_seen() {
    let check = |text, expect: &[&str]| check(code::hooks, "src/a.rs", text, expect);
    check("#[cfg(test)]\npub fn reset() {}", &["1: `cfg` for tests"]);
    check("\nfn f() { if cfg!(test) { 1 } }", &["2: `cfg` for tests"]);
    check("#[cfg(not(test))]\nmod tests {}", &["1: `cfg` for tests"]);
    check("#[cfg(any(test, feature = \"x\"))]\nfn f() {}", &["1: `cfg` for tests"]);
    check("#[cfg_attr(test, derive(Debug))]\nstruct S;", &["1: `cfg_attr` for tests"]);
    check("#[cfg(test)]\nmod testing {}", &["1: `cfg` for tests"]);
    check("#[cfg(unix)]\nfn f() {}\n#[cfg(test)]\n#[allow(clippy::panic)]\nmod tests;", &[]);
}

#[test]
fn open_ends_are_seen() {
    let check = |text, expect: &[&str]| check(code::finished, "src/a.rs", text, expect);
    check("fn f() {\n    todo!()\n}", &["2: `todo`"]);
    check("fn f() { unimplemented!(\"later\") }", &["1: `unimplemented`"]);
    check("#[test]\n#[ignore = \"slow\"]\nfn f() {}", &["2: `ignore`"]);
    check("fn f() { dbg!(1); }", &["1: `dbg`"]);
    check("// todo!()\nfn ignore() { \"todo!()\"; }", &[]);
}

#[test]
fn impurity_is_seen() {
    let check = |path, text, expect: &[&str]| check(code::purity, path, text, expect);
    let domain = "src/domain/run.rs";
    check(domain, "pub async fn f() {}", &["1: `async`"]);
    check(domain, "use std::{fmt, fs};", &["1: `std::fs`"]);
    check(domain, "fn f() { chrono::Utc::now(); }", &["1: `chrono::Utc::now`"]);
    check(domain, "use chrono::Utc;\nfn f() { Utc::now() }", &["2: `Utc::now`"]);
    check(domain, "use std::time::SystemTime;", &["1: `std::time::SystemTime`"]);
    check(domain, "fn f() { tracing::info!(\"x\"); println!(\"x\"); }", &["1: `tracing::info`", "1: `println`"]);
    check(domain, "#[async_trait]\ntrait T {}", &["1: `async_trait`"]);
    check(domain, "use std::time::Duration;\nfn f(rand: u8, metrics: u8) -> u8 { rand }", &[]);
    check(domain, "fn f() {}\n#[cfg(test)]\nmod tests { use std::fs; }", &[]);
    check("src/app/run.rs", "use std::fs;", &[]);
}

#[test]
fn a_drifting_manifest_is_seen() {
    let app = |events: &str, contents: &str| {
        format!(
            "default_events: [{events}]\ndefault_permissions:\n  checks: write\n  contents: {contents}\n  issues: write\n  metadata: read\n  pull_requests: write\n"
        )
    };
    let check =
        |text: &str, expect: &[&str]| compare(&repository::app("app.yml", text, &["issues", "push"]), text, expect);
    check(&app("issues, push", "read"), &[]);
    check(
        &app("issues, star", "read"),
        &["0: the event `push` stands only in", "0: the event `star` stands only here"],
    );
    check(&app("issues, push, push", "read"), &["0: an event stands twice"]);
    check(&app("issues, push", "write"), &["0: permissions"]);
    check("default_events: 3", &["0: "]);
}

#[test]
fn a_forgotten_template_is_seen() {
    let template = |path: &str, text: &str| (path.to_owned(), text.to_owned());
    let templates = [
        template("templates/ja/verdict.md", "{% include \"part.md\" %}"),
        template("templates/part.md", ""),
        template("templates/old.md", ""),
    ];
    let code = [
        Source::new(
            "src/render/mod.rs",
            "//! See old.md.\nconst V: &str = include_str!(\"../templates/ja/verdict.md\");",
        ),
        Source::new("src/app/mod.rs", "const V: &str = \"old.md\";"),
    ];
    let found = repository::templates(&templates, &code);
    assert_eq!(found.iter().map(|breach| breach.path.as_str()).collect::<Vec<_>>(), ["templates/old.md"]);
}

#[test]
fn dead_paths_are_seen() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (path, text) in [("src/app/lane.rs", ""), ("docs/operating.md", ""), ("README.md", "")] {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }
    let check = |page: &str, text: &str, expect: &[&str]| {
        compare(&repository::pages(folder.path(), &[(page.to_owned(), text.to_owned())]), text, expect);
    };
    check("README.md", "see `src/app/lane.rs`, `src/app/*.rs`, `docs/` and [x](docs/operating.md#a)", &[]);
    check("README.md", "\nsee `src/app/gone.rs`", &["2: `src/app/gone.rs` does not exist"]);
    check("README.md", "see `tests/*.rs` and `gone.toml`", &["1: `tests/*.rs`", "1: `gone.toml`"]);
    check(
        "README.md",
        "[x](docs/gone.md) ![y](gone.png \"t\") <img src=\"no.png\">",
        &["1: `docs/gone.md`", "1: `gone.png`", "1: `no.png`"],
    );
    check("docs/operating.md", "[home](../README.md) [gone](README.md)", &["1: `README.md` does not exist"]);
    check("docs/operating.md", "`contracts/handoff.yaml` `POST /x` `a/b` [x](https://example.com/y) [z](#here)", &[]);
    check(
        "README.md",
        "```sh\n./src/gone.sh && cat src/app/lane.rs a/b `x`\n```",
        &["2: `./src/gone.sh` does not exist"],
    );
    let comment =
        [Source::new("src/a.rs", "// see `docs/gone.md` and `docs/operating.md`\nconst X: &str = \"`docs/no.md`\";")];
    compare(&repository::comments(folder.path(), &comment), "a comment", &["1: `docs/gone.md` does not exist"]);
}

#[test]
fn paths_of_a_machine_are_seen() {
    let at = |name: &str| format!("/{name}/x");
    let check = |text: &str, expect: &[&str]| {
        compare(&repository::machine_paths(&[("a".to_owned(), text.to_owned())]), text, expect);
    };
    check(&format!("\nrun {}", at("root")), &["2: names"]);
    check(&format!("\"{}\"", at("work")), &["1: names"]);
    check(&at("home"), &["1: names"]);
    check(&format!("https://example.com{} $HOME{} src{}", at("work"), at("work"), at("root")), &[]);
}
