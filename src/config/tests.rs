//! The configuration as a person writes it: what becomes of it, and what is said.

use super::*;
use secrecy::ExposeSecret;
use std::collections::HashMap;

fn read(pairs: &[(&str, &str)]) -> Result<Config, Vec<ConfigProblem>> {
    let map: HashMap<_, _> = pairs.iter().copied().collect();
    Config::read(|name| map.get(name).map(|value| (*value).to_owned()), None)
}

fn good(pairs: &[(&str, &str)]) -> Config {
    read(pairs).unwrap_or_else(|problems| panic!("{problems:?}"))
}

#[test]
fn nothing_set_is_a_configuration() {
    let config = good(&[("GITHUB_APP_ID", "  ")]);
    assert_eq!(config.github.app_id, None);
    assert!(config.github.private_key.is_none());
    assert!(config.door.secrets.is_empty());
    assert_eq!(config.door.listen.to_string(), "127.0.0.1:3000");
    assert_eq!(config.door.path, "/github/webhook");
    assert_eq!(config.store, Store { url: "sqlite:sekisho.db".to_owned(), synchronous: Synchronous::Normal });
    assert_eq!(config.queue.windows, Windows { quiet_ms: 1_000, edit_ms: 20_000 });
    assert_eq!(config.queue.settle, Duration::from_secs(10));
    assert_eq!(config.github.web_url.as_str(), "https://github.com/");
    assert_eq!(config.log, "info");
}

#[test]
fn every_problem_is_reported_at_once_and_in_order() {
    let problems = read(&[
        ("SEKISHO_JUDGE", "models"),
        ("SEKISHO_ROLE", "web"),
        ("GITHUB_APP_ID", "Iv1.abc"),
        ("GITHUB_PRIVATE_KEY", "x"),
        ("GITHUB_PRIVATE_KEY_PATH", "y"),
        ("GITHUB_API_URL", "api.github.com"),
        ("GITHUB_WEB_URL", "ftp://x"),
        ("SEKISHO_LISTEN", "3000"),
        ("SEKISHO_PUBLIC_URL", "nowhere"),
        ("SEKISHO_WEBHOOK_PATH", "/metrics"),
        ("SEKISHO_SIGNING_KEYS", "a:00112233445566778899aabbccddeeff, a:00112233445566778899aabbccddeeff, b:0g, c:00"),
        ("DATABASE_URL", "postgres://u:hunter2@host/db"),
        ("SEKISHO_SYNCHRONOUS", "off"),
        ("SEKISHO_QUIET_WINDOW", "soon"),
        ("SEKISHO_EDIT_WINDOW", "-1"),
        ("SEKISHO_SETTLE", "1e9"),
    ])
    .expect_err("nothing here is right");
    let text: Vec<String> = problems.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(text.join("\n"), @"
    GITHUB_APP_ID: expected a number
    GITHUB_PRIVATE_KEY_PATH: the private key itself is set, too; keep one of them
    GITHUB_API_URL: relative URL without a base; expected https://HOST
    GITHUB_WEB_URL: expected https://HOST
    DATABASE_URL: PostgreSQL is not offered yet; use sqlite:PATH
    SEKISHO_LISTEN: expected an address and a port, such as 127.0.0.1:3000
    SEKISHO_PUBLIC_URL: relative URL without a base; expected https://HOST
    SEKISHO_WEBHOOK_PATH: expected a path of its own, such as /github/webhook
    SEKISHO_SIGNING_KEYS: key 2: expected an id of its own
    SEKISHO_SIGNING_KEYS: key 3: expected kid:hex
    SEKISHO_SIGNING_KEYS: key 4: expected at least 16 bytes (32 hex digits)
    SEKISHO_SYNCHRONOUS: expected normal or full
    SEKISHO_QUIET_WINDOW: expected seconds, such as 1.5
    SEKISHO_EDIT_WINDOW: expected seconds, 0 or more
    SEKISHO_SETTLE: expected at most a day (86400)
    SEKISHO_JUDGE: models are to judge, and SEKISHO_MODELS is not set; expected such as fast=anthropic:ID,strong=openai:ID@URL
    SEKISHO_ROLE: roles are not offered yet; every server does all the work
    ");
}

#[test]
fn secrets_are_never_printed() {
    let config = good(&[
        ("GITHUB_PRIVATE_KEY", "hunter2"),
        ("GITHUB_WEBHOOK_SECRET", "hunter2, hunter3"),
        ("SEKISHO_SIGNING_KEYS", "k:00112233445566778899aabbccddeeff"),
    ]);
    let shown = format!("{config:?}");
    for secret in ["hunter", "0011", "17, 34"] {
        assert!(!shown.contains(secret), "{shown}");
    }
    assert!(shown.contains("REDACTED"), "{shown}");
}

#[test]
fn secrets_and_keys_rotate_in_order() {
    let config = good(&[
        ("GITHUB_WEBHOOK_SECRET", "new, old,"),
        ("SEKISHO_SIGNING_KEYS", "k2:00112233445566778899aabbccddeeff,k1:ffeeddccbbaa99887766554433221100"),
    ]);
    let secrets: Vec<&str> = config.door.secrets.iter().map(ExposeSecret::expose_secret).collect();
    assert_eq!(secrets, ["new", "old"]);
    let kids: Vec<&str> = config.signing.keys.iter().map(|key| key.kid.as_str()).collect();
    assert_eq!(kids, ["k2", "k1"]);
    assert_eq!(config.signing.keys[0].secret.expose_secret()[..2], [0x00, 0x11]);
}

#[test]
fn a_private_key_may_stand_in_one_line_or_in_a_file() {
    let config = good(&[("GITHUB_PRIVATE_KEY", r"-----BEGIN\nAB\n-----END")]);
    let key = config.github.private_key.expect("it is set").load().expect("it is given");
    assert_eq!(key.expose_secret(), "-----BEGIN\nAB\n-----END");
    let config = good(&[("GITHUB_PRIVATE_KEY_PATH", "/nowhere/app.pem")]);
    assert!(config.github.private_key.expect("it is set").load().is_err());
}

#[test]
fn pages_follow_from_the_api() {
    for (api, web) in [
        ("https://api.github.com/", "https://github.com/"),
        ("https://ghes.example.org/api/v3", "https://ghes.example.org/"),
        ("https://api.acme.ghe.com", "https://acme.ghe.com/"),
        ("http://127.0.0.1:4000", "http://127.0.0.1:4000/"),
    ] {
        assert_eq!(good(&[("GITHUB_API_URL", api)]).github.web_url.as_str(), web, "{api}");
    }
    let both = good(&[("GITHUB_API_URL", "http://127.0.0.1:4000"), ("GITHUB_WEB_URL", "https://x.example/y/")]);
    assert_eq!(both.github.web_url.as_str(), "https://x.example/y");
}

#[test]
fn models_judge_where_they_are_set() {
    let models = ("SEKISHO_MODELS", "fast=anthropic:x");
    assert!(matches!(good(&[models, ("SEKISHO_JUDGE", "rules")]).judge, Judge::Rules));
    assert!(matches!(good(&[models, ("ANTHROPIC_API_KEY", "k")]).judge, Judge::Models(_)));
    assert_eq!(good(&[("SEKISHO_QUIET_WINDOW", "0"), ("SEKISHO_EDIT_WINDOW", "0.25")]).queue.windows.edit_ms, 250);
}

#[test]
fn the_examples_list_every_variable_with_its_default() {
    let listed = |example: &'static str| -> Vec<(&str, &str)> {
        let pairs = example.lines().filter_map(|line| line.trim_start_matches(['#', ' ']).split_once('='));
        // A sentence may hold the sign, too.
        let pairs = pairs.filter(|(name, _)| !name.trim().contains(' '));
        pairs.map(|(name, value)| (name.trim(), value.trim().trim_matches('"'))).collect()
    };
    let environment = include_str!("../../.env.example");
    let known: Vec<(&str, &str)> = VARIABLES.iter().map(|variable| (variable.name, variable.default)).collect();
    assert_eq!(listed(environment), known);
    let toml = include_str!("../../sekisho.example.toml");
    let keys: Vec<String> = VARIABLES.iter().filter_map(|variable| Some(variable.key()?.1)).collect();
    assert_eq!(listed(toml).iter().map(|(key, _)| *key).collect::<Vec<_>>(), keys);
    // Every default as it is, and none is a mistake.
    let uncommented: String = toml
        .lines()
        .map(|line| line.strip_prefix("# ").filter(|rest| rest.contains(" = ")).unwrap_or(line).to_owned() + "\n")
        .collect();
    let (plain, shown) = (good(&[]), with_file(&[], &uncommented).expect("the example is a configuration"));
    assert_eq!(
        format!("{:?}", (plain.door, plain.store, plain.queue)),
        format!("{:?}", (shown.door, shown.store, shown.queue))
    );
    assert_eq!(plain.github.api_url, shown.github.api_url);
    for variable in VARIABLES {
        assert!(environment.contains(variable.about), "{variable:?}");
        assert!(variable.key().is_none() || toml.contains(variable.about), "{variable:?}");
    }
}

fn with_file(pairs: &[(&str, &str)], file: &str) -> Result<Config, Vec<ConfigProblem>> {
    let map: HashMap<_, _> = pairs.iter().copied().collect();
    let get = |name: &str| map.get(name).map(|value| (*value).to_owned());
    Config::read(get, Some((std::path::Path::new("sekisho.toml"), file.as_bytes())))
}

#[test]
fn the_environment_counts_more_than_the_file() {
    let file =
        "[github]\napp_id = 1\nprivate_key_path = \"a.pem\"\n[sekisho]\nlisten = \"127.0.0.1:1\"\nquiet_window = 0.5\n";
    let config = with_file(&[], file).expect("a good file");
    assert_eq!(config.github.app_id, Some(AppId(1)));
    assert_eq!(config.queue.windows.quiet_ms, 500);
    let config = with_file(&[("GITHUB_APP_ID", "2"), ("GITHUB_PRIVATE_KEY", "pem"), ("SEKISHO_LISTEN", " ")], file);
    let config = config.expect("the file's key gives way to the environment's");
    assert_eq!(config.github.app_id, Some(AppId(2)));
    assert!(matches!(config.github.private_key, Some(PrivateKey::Given(_))));
    assert_eq!(config.door.listen.port(), 1, "nothing but white space is not set");
}

#[test]
fn the_file_says_which_secrets_it_holds_and_what_is_not_read() {
    let file = "[github]\nwebhook_secret = [\"hunter2hunter2\", \"hunter3hunter3\"]\nclient_id = \"x\"\n[openai]\napi_key = \"hunter4\"\n";
    let config = with_file(&[], file).expect("a good file");
    let source = config.file.clone().expect("it was read");
    assert_eq!(source.secrets, ["github.webhook_secret", "openai.api_key"]);
    assert_eq!(config.unread, ["GITHUB_CLIENT_ID"]);
    assert_eq!(config.door.secrets.len(), 2);
    assert!(!format!("{config:?}").contains("hunter"), "{config:?}");
}

#[test]
fn models_may_be_lists_in_the_file() {
    let file = "\
        [sekisho]\n\
        models = [\"fast=openai:m@http://localhost:1/v1\", \"strong=anthropic:n\"]\n\
        model_keys = [\"fast:hunter2hunter2\"]\n\
        prices = [\"m=0/0\", \"n=1/2\"]\n\
        budget = [\"5 tokens\", \"$1\"]\n\
        model_timeout = 1.5\n\
        model_calls = 2\n\
        [anthropic]\n\
        api_key = \"hunter3hunter3\"\n";
    let config = with_file(&[], file).expect("a good file");
    let Judge::Models(models) = &config.judge else { panic!("models are set") };
    assert_eq!((models.tiers.len(), models.calls, models.timeout), (2, 2, Duration::from_millis(1_500)));
    assert_eq!(models.budgets.app.to_string(), "5 tokens, $1.00");
    assert_eq!(
        config.file.as_ref().map(|file| file.secrets.join(" ")).as_deref(),
        Some("anthropic.api_key sekisho.model_keys")
    );
    assert!(!format!("{config:?}").contains("hunter"));
    let problems = with_file(&[("SEKISHO_MODELS", "fast=openai:hunter3hunter3")], file).expect_err("a key in it");
    insta::assert_snapshot!(problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"), @"
    sekisho.toml:3:14: sekisho.model_keys: key 1: SEKISHO_MODELS has no such alias; the second entry of the alias `strong` is strong/2
    SEKISHO_MODELS: entry 1: a key stands in it; keys belong into SEKISHO_MODEL_KEYS
    ");
}

#[test]
fn problems_of_both_are_said_at_once() {
    let file = "\
        [github]\n\
        app_id = 0x1F\n\
        private_key = \"changeme\"\n\
        private_key_path = \"b\"\n\
        [sekisho]\n\
        judge = \"models\"\n\
        quiet_windw = 1\n\
        edit_window = -1\n";
    let problems = with_file(&[("SEKISHO_LISTEN", "3000"), ("GITHUB_WEBHOOK_SECRET", "…")], file);
    let text: Vec<String> = problems.expect_err("much is wrong").iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(text.join("\n"), @"
    sekisho.toml:3:15: github.private_key: this is a placeholder, no key; the App's page on GitHub generates one
    sekisho.toml:4:20: github.private_key_path: the private key itself is set, too; keep one of them
    sekisho.toml:6:9: sekisho.judge: models are to judge, and SEKISHO_MODELS is not set; expected such as fast=anthropic:ID,strong=openai:ID@URL
    sekisho.toml:7:1: unknown key `quiet_windw`; did you mean `quiet_window`?
    sekisho.toml:8:15: sekisho.edit_window: expected seconds, 0 or more
    GITHUB_WEBHOOK_SECRET: this is a placeholder, no secret; `openssl rand -hex 32` prints one
    SEKISHO_LISTEN: expected an address and a port, such as 127.0.0.1:3000
    ");
}

#[test]
fn placeholders_are_no_secrets() {
    let check = |secret: &str, is: bool| {
        let read = read(&[("GITHUB_WEBHOOK_SECRET", secret)]);
        assert_eq!(read.is_err(), is, "{secret}");
    };
    for placeholder in
        ["…", "...", "changeme", "Change-Me", "<secret>", "xxxxxxxxxxxx", "your_secret", "good-one-4711,TODO"]
    {
        check(placeholder, true);
    }
    for secret in ["It's a Secret to Everybody", "4f9c", "secret", "test-4711-secret", "a:b", "s"] {
        check(secret, false);
    }
    let zeros = format!("k:{}", "0".repeat(64));
    assert!(read(&[("SEKISHO_SIGNING_KEYS", &zeros)]).is_err());
}
