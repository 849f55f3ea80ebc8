//! Laws about what stands in a file of code: size, head, hooks, purity, who reads the environment, who writes on the forge.

use crate::source::{Breach, Kind, Source};

/// Lines that a file may have before its tests.
const MOST_LINES: usize = 400;

/// The reading methods of the port `Forge`.
const FORGE_READS: [&str; 19] = [
    "app",
    "installation",
    "open_issues",
    "issue",
    "comments",
    "own_comments",
    "repository",
    "permission",
    "head",
    "default_branch",
    "directory",
    "file",
    "pull",
    "pull_files",
    "own_issues",
    "sub_issues",
    "blocked_by",
    "pulls_from",
    "check_runs",
];

/// The writing methods of the port `Forge`, which only `app::perform` calls.
const FORGE_WRITES: [&str; 18] = [
    "create_comment",
    "edit_comment",
    "delete_comment",
    "create_label",
    "add_label",
    "remove_label",
    "acknowledge",
    "minimise",
    "create_check_run",
    "update_check_run",
    "create_issue",
    "edit_issue_body",
    "close_issue",
    "add_sub_issue",
    "add_blocked_by",
    "create_branch",
    "put_file",
    "create_pull",
];

/// Crates, modules and types that mean I/O, a clock, randomness, async or a log. The domain has none of them.
const IMPURE: [&[&str]; 21] = [
    &["tokio"],
    &["futures"],
    &["tracing"],
    &["metrics"],
    &["rand"],
    &["reqwest"],
    &["octocrab"],
    &["axum"],
    &["sqlx"],
    &["moka"],
    &["std", "fs"],
    &["std", "net"],
    &["std", "io"],
    &["std", "env"],
    &["std", "process"],
    &["std", "thread"],
    &["Utc", "now"],
    &["chrono", "Utc", "now"],
    &["chrono", "Local"],
    &["Uuid", "now_v7"],
    &["uuid", "Uuid", "now_v7"],
];

/// Every file under 400 lines before its tests, which stand last.
pub fn size(sources: &[Source]) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for source in sources.iter().filter(|source| !source.is_tests()) {
        let tests = source.tokens.iter().find(|token| token.test).map(|token| token.line);
        let lines = tests.map_or(source.text.lines().count(), |line| line.saturating_sub(1));
        if lines >= MOST_LINES {
            breaches.push(Breach::new(&source.path, MOST_LINES, format!("{lines} lines; under {MOST_LINES} it is")));
        }
        let after = source.tokens.iter().skip_while(|token| !token.test).find(|token| !token.test);
        // The attribute's own tokens stand before its item, so what follows a test module is what is not test.
        if let Some(token) = after {
            breaches.push(Breach::new(&source.path, token.line, "code after the tests; `mod tests` stands last"));
        }
    }
    breaches
}

/// Every file begins with `//!`, for the person who reads it first.
pub fn head(sources: &[Source]) -> Vec<Breach> {
    let bare = sources.iter().filter(|source| {
        source
            .text
            .lines()
            .next()
            .is_none_or(|line| line.strip_prefix("//! ").is_none_or(|said| said.trim().is_empty()))
    });
    bare.map(|source| Breach::new(&source.path, 1, "does not begin with `//!` and what it is for")).collect()
}

/// Only `config` reads the environment; what Cargo says at build time is none of it.
pub fn environment(sources: &[Source]) -> Vec<Breach> {
    const READS: [&str; 7] = ["var", "vars", "var_os", "vars_os", "set_var", "remove_var", "*"];
    let mut breaches = Vec::new();
    for source in sources {
        if source.module().first().is_some_and(|module| module == "config") {
            continue;
        }
        for name in source.names() {
            let read = name.segments.windows(2).any(|pair| pair[0] == "env" && READS.contains(&pair[1].as_str()));
            if read {
                let path = name.segments.join("::");
                breaches.push(Breach::new(&source.path, name.line, format!("`{path}`: only `config` reads it")));
            }
        }
        for (at, token) in source.tokens.iter().enumerate() {
            let Kind::Word(word) = &token.kind else { continue };
            if (word == "env" || word == "option_env") && source.is(at + 1, &Kind::Mark('!')) {
                let of_cargo = matches!(source.tokens.get(at + 3).map(|token| &token.kind),
                    Some(Kind::Literal(name)) if name.starts_with("\"CARGO_PKG_") || (token.test && name.starts_with("\"CARGO_")));
                if !of_cargo {
                    breaches.push(Breach::new(&source.path, token.line, format!("`{word}!`: only `config` reads it")));
                }
            }
            let clap =
                ["arg", "clap", "command"].contains(&word.as_str()) && at > 1 && source.is(at - 1, &Kind::Open('['));
            if clap && source.is(at + 1, &Kind::Open('(')) && group(source, at + 1).any(|inner| inner == "env") {
                breaches.push(Breach::new(&source.path, token.line, "clap's `env`: only `config` reads it"));
            }
        }
    }
    breaches
}

/// No hook for tests in code that ships: `cfg(test)` stands before `mod tests` and nowhere else.
pub fn hooks(sources: &[Source]) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for source in sources {
        for (at, token) in source.tokens.iter().enumerate() {
            let Kind::Word(word) = &token.kind else { continue };
            let open = if source.is(at + 1, &Kind::Mark('!')) { at + 2 } else { at + 1 };
            if !["cfg", "cfg_attr"].contains(&word.as_str()) || !source.is(open, &Kind::Open('(')) {
                continue;
            }
            let inside: Vec<&str> = group(source, open).collect();
            let mut item = open + inside.len() + 3;
            while source.is(item, &Kind::Mark('#')) && source.is(item + 1, &Kind::Open('[')) {
                item += group(source, item + 1).count() + 3;
            }
            // Samples that other modules' tests share stand in a `pub(crate) mod tests`.
            if source.word(item) == Some("pub") && source.word(item + 2) == Some("crate") {
                item += 4;
            }
            let before_tests = word == "cfg"
                && inside == ["test"]
                && source.is(open + 3, &Kind::Close(']'))
                && source.word(item) == Some("mod")
                && source.word(item + 1) == Some("tests");
            if inside.contains(&"test") && !before_tests {
                breaches.push(Breach::new(&source.path, token.line, format!("`{word}` for tests outside `mod tests`")));
            }
        }
    }
    breaches
}

/// The words of the group that opens at `open`; other tokens of it are empty words.
fn group(source: &Source, open: usize) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    source.tokens[open..]
        .iter()
        .take_while(move |token| {
            match token.kind {
                Kind::Open(_) => depth += 1,
                Kind::Close(_) => depth -= 1,
                _ => {}
            }
            depth > 0
        })
        .skip(1)
        .map(|token| if let Kind::Word(word) = &token.kind { word.as_str() } else { "" })
}

/// Nothing is left open, no test is switched off.
pub fn finished(sources: &[Source]) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for source in sources {
        for (at, token) in source.tokens.iter().enumerate() {
            let Kind::Word(word) = &token.kind else { continue };
            let left = ["todo", "unimplemented", "dbg"].contains(&word.as_str()) && source.is(at + 1, &Kind::Mark('!'));
            let ignored = word == "ignore"
                && at > 1
                && source.is(at - 1, &Kind::Open('['))
                && source.is(at - 2, &Kind::Mark('#'));
            if left || ignored {
                breaches.push(Breach::new(&source.path, token.line, format!("`{word}` is left here")));
            }
        }
    }
    breaches
}

/// The domain is pure: no async, I/O, clock, randomness or log.
pub fn purity(sources: &[Source]) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for source in sources.iter().filter(|source| source.path.starts_with("src/domain/")) {
        for name in source.names().iter().filter(|name| !name.test) {
            let path: Vec<&str> = name.segments.iter().map(String::as_str).collect();
            // A word alone may be any variable, such as a list of metrics; followed by `::` it is what it says.
            let impure = IMPURE.iter().any(|impure| path.len() > 1 && path.starts_with(impure))
                || path.iter().any(|segment| ["SystemTime", "Instant"].contains(segment));
            if impure {
                breaches.push(Breach::new(&source.path, name.line, format!("`{}` in the domain", path.join("::"))));
            }
        }
        for (at, token) in source.tokens.iter().enumerate().filter(|(_, token)| !token.test) {
            let Kind::Word(word) = &token.kind else { continue };
            let prints = ["print", "println", "eprint", "eprintln"].contains(&word.as_str());
            if ["async", "await", "async_trait"].contains(&word.as_str())
                || (prints && source.is(at + 1, &Kind::Mark('!')))
            {
                breaches.push(Breach::new(&source.path, token.line, format!("`{word}` in the domain")));
            }
        }
    }
    breaches
}

/// Only `app::perform` calls the writing methods of `Forge`; adapters implement them.
pub fn writes(sources: &[Source]) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for source in sources.iter().filter(|source| !source.is_tests()) {
        let module = source.module();
        if module.starts_with(&["app".to_owned(), "perform".to_owned()])
            || module.first().is_some_and(|m| m == "adapters")
        {
            continue;
        }
        for (at, token) in source.tokens.iter().enumerate() {
            let Kind::Word(word) = &token.kind else { continue };
            let called = at > 1 && (source.is(at - 1, &Kind::Mark('.')) || source.joins(at - 2));
            if called && !token.test && FORGE_WRITES.contains(&word.as_str()) {
                let what = format!("`{word}`: only `app::perform` writes on the forge");
                breaches.push(Breach::new(&source.path, token.line, what));
            }
        }
    }
    breaches
}

/// Every method of the port `Forge` is listed here as one that reads or one that writes.
pub fn forge_methods(sources: &[Source]) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for source in sources {
        let Some(start) = (1..source.tokens.len())
            .find(|&at| source.word(at) == Some("Forge") && source.word(at - 1) == Some("trait"))
        else {
            continue;
        };
        let Some(open) = (start..source.tokens.len()).find(|&at| source.is(at, &Kind::Open('{'))) else { continue };
        let mut listed: Vec<&str> = FORGE_READS.into_iter().chain(FORGE_WRITES).collect();
        let words: Vec<&str> = group(source, open).collect();
        for pair in words.windows(2).filter(|pair| pair[0] == "fn") {
            if listed.contains(&pair[1]) {
                listed.retain(|name| *name != pair[1]);
            } else {
                let what =
                    format!("`Forge::{}` is in neither list of tests/tidy/code.rs: does it read or write?", pair[1]);
                breaches.push(Breach::new(&source.path, source.tokens[start].line, what));
            }
        }
        let gone = listed.iter().map(|name| format!("`Forge` has no method `{name}`; tests/tidy/code.rs lists it"));
        breaches.extend(gone.map(|what| Breach::new(&source.path, source.tokens[start].line, what)));
    }
    breaches
}
