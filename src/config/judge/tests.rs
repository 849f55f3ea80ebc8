//! Settings of models as a person writes them: what becomes of them, and that nothing secret is ever said.

use super::*;
use crate::config::{Config, ConfigProblem};
use crate::domain::contract::builtin;
use crate::domain::ids::Language;
use crate::domain::reply::MicroDollars;
use proptest::prelude::*;
use secrecy::ExposeSecret as _;
use std::collections::HashMap;

fn load(pairs: &[(&str, &str)], asked: Option<&Asked>) -> Result<Judge, Vec<ConfigProblem>> {
    let map: HashMap<&str, &str> = pairs.iter().copied().collect();
    Judge::read(|name| map.get(name).map(|value| (*value).to_owned()), None, asked)
}

#[track_caller]
fn models(pairs: &[(&str, &str)]) -> Models {
    match load(pairs, None) {
        Ok(Judge::Models(models)) => models,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn problems(pairs: &[(&str, &str)]) -> String {
    let problems = load(pairs, None).expect_err("something is wrong");
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// Alias, model, host and key of each tier.
fn tiers(models: &Models) -> Vec<(&str, &str, String, &str)> {
    let key =
        |tier: &Tier| tier.key.as_ref().map_or("", |key| Box::leak(key.expose_secret().to_owned().into_boxed_str()));
    models.tiers.iter().map(|tier| (tier.alias.as_str(), tier.model.as_str(), tier.host(), key(tier))).collect()
}

fn dollars(amount: u64) -> MicroDollars {
    MicroDollars(amount * 1_000_000)
}

#[test]
fn everything_that_can_be_said() {
    let models = models(&[
        (
            "SEKISHO_MODELS",
            "fast = openai:llama3.3:70b@http://localhost:11434/v1, strong=anthropic:claude-opus-4-5,strong=openai:gpt-5,",
        ),
        ("ANTHROPIC_API_KEY", "key-of-anthropic"),
        ("SEKISHO_MODEL_KEYS", "strong/2:key-of-openai"),
        ("SEKISHO_MODEL_TIMEOUT", "2.5"),
        ("SEKISHO_MODEL_CALLS", "9"),
        ("SEKISHO_MODEL_FAMILIES", "acme/own=acme"),
        ("SEKISHO_PRICES", "llama=0/0, gpt-5=1/2/3/4"),
        ("SEKISHO_BUDGET", "$10"),
        ("SEKISHO_BUDGET_INSTALLATION", "5 tokens"),
        ("SEKISHO_BUDGET_REPOSITORY", "3 tokens,$1"),
    ]);
    let own = String::from;
    assert_eq!(
        tiers(&models),
        [
            ("fast", "llama3.3:70b", own("localhost:11434"), ""),
            ("strong", "claude-opus-4-5", own("api.anthropic.com"), "key-of-anthropic"),
            ("strong", "gpt-5", own("api.openai.com"), "key-of-openai"),
        ]
    );
    assert_eq!((models.timeout, models.calls), (Duration::from_millis(2_500), 9));
    assert_eq!(models.family("acme/own-7b"), Some("acme"));
    assert_eq!(models.price("gpt-5").map(|price| price.output), Some(dollars(4)));
    assert_eq!(models.price("claude-opus-4-5-20251101").map(|price| price.output), Some(dollars(25)));
    assert_eq!(models.budgets.app, Budget { tokens: None, money: Some(dollars(10)) });
    assert_eq!(models.budgets.installation, Budget { tokens: Some(5), money: None });
    assert_eq!(models.budgets.repository, Budget { tokens: Some(3), money: Some(dollars(1)) });
    assert_eq!(models.notices(), []);
    let panel: Vec<&str> = models.of("strong").map(|tier| tier.model.as_str()).collect();
    assert_eq!(panel, ["claude-opus-4-5", "gpt-5"]);
    let shown = format!("{models:?}");
    assert!(!shown.contains("key-of") && shown.contains("REDACTED"), "{shown}");
}

#[test]
fn little_is_enough() {
    let models = models(&[("SEKISHO_MODELS", "fast=anthropic:m"), ("ANTHROPIC_API_KEY", "k")]);
    assert_eq!((models.timeout, models.calls, models.budgets), (Duration::from_mins(1), 4, Budgets::default()));
    let rules = |pairs: &[(&str, &str)]| assert!(matches!(load(pairs, None), Ok(Judge::Rules)), "{pairs:?}");
    rules(&[]);
    rules(&[("OPENAI_API_KEY", "xxxx")]);
    rules(&[("SEKISHO_MODELS", "nonsense"), ("SEKISHO_JUDGE", "rules"), ("SEKISHO_BUDGET", "much")]);
}

#[test]
fn every_problem_is_told_at_once() {
    insta::assert_snapshot!(problems(&[
        ("SEKISHO_MODELS", "fast,=openai:m,a=google:m,b=openai:,c=openai:m@nowhere:1,d=openai:m@https://u:hunter2@h,e=anthropic:m,f/2=openai:m,g=openai:m@http://h/v1,h=hunter2hunter2"),
        ("SEKISHO_MODEL_KEYS", "g:,zz:hunter2hunter2,nothing,g:a b,g/2:k"),
        ("SEKISHO_MODEL_TIMEOUT", "0"),
        ("SEKISHO_MODEL_CALLS", "0"),
        ("SEKISHO_MODEL_FAMILIES", "a,=b,c="),
        ("SEKISHO_PRICES", "a=1/2,b=free"),
        ("SEKISHO_BUDGET", "5"),
        ("SEKISHO_BUDGET_INSTALLATION", "$1"),
        ("OPENAI_API_KEY", "xxxx"),
    ]), @"
    SEKISHO_MODELS: entry 1: expected alias=provider:ID
    SEKISHO_MODELS: entry 2: the alias is empty
    SEKISHO_MODELS: entry 3: unknown provider; expected anthropic or openai
    SEKISHO_MODELS: entry 4: the model's id is empty
    SEKISHO_MODELS: entry 5: what follows the last `@` is no address; expected https://HOST or http://HOST
    SEKISHO_MODELS: entry 6: the address holds a name or a password; keys belong into SEKISHO_MODEL_KEYS
    SEKISHO_MODELS: entry 8: expected a short word as the alias, without : / * @
    SEKISHO_MODELS: entry 10: a key stands in it; keys belong into SEKISHO_MODEL_KEYS
    SEKISHO_MODEL_KEYS: key 1: it is empty, or holds characters that no key has
    SEKISHO_MODEL_KEYS: key 2: SEKISHO_MODELS has no such alias; the second entry of the alias `strong` is strong/2
    SEKISHO_MODEL_KEYS: key 3: expected alias:KEY
    SEKISHO_MODEL_KEYS: key 4: it is empty, or holds characters that no key has
    SEKISHO_MODEL_KEYS: key 4: that entry of SEKISHO_MODELS has a key already
    SEKISHO_MODEL_KEYS: key 5: SEKISHO_MODELS has no such alias; the second entry of the alias `strong` is strong/2
    SEKISHO_MODEL_KEYS: this is a placeholder, no key; the provider's page makes one
    SEKISHO_MODEL_TIMEOUT: expected seconds, more than 0 and at most 600
    SEKISHO_MODEL_CALLS: expected a number of calls, 1 to 1000
    SEKISHO_MODEL_FAMILIES: entry 1: expected beginning=family
    SEKISHO_MODEL_FAMILIES: entry 2: expected beginning=family
    SEKISHO_MODEL_FAMILIES: entry 3: expected beginning=family
    SEKISHO_PRICES: entry 2: expected dollars per million tokens as input/cached/cache_written/output, such as 3/0.3/3.75/15
    SEKISHO_BUDGET: expected a day's limit such as `200000 tokens`, `$2.50`, or both with a comma between
    SEKISHO_BUDGET_INSTALLATION: a limit in money needs every price, and none is known of the model in entry 7 of SEKISHO_MODELS; SEKISHO_PRICES says it
    ANTHROPIC_API_KEY: entry 7 of SEKISHO_MODELS asks Anthropic, and no key is set for it, here or in SEKISHO_MODEL_KEYS
    OPENAI_API_KEY: this is a placeholder, no key; the provider's page makes one
    ");
    insta::assert_snapshot!(problems(&[("SEKISHO_JUDGE", "models")]), @"SEKISHO_JUDGE: models are to judge, and SEKISHO_MODELS is not set; expected such as fast=anthropic:ID,strong=openai:ID@URL");
    insta::assert_snapshot!(problems(&[("SEKISHO_JUDGE", "model"), ("SEKISHO_MODELS", "x"), ("SEKISHO_MODEL_KEYS", "x:changeme")]), @"
    SEKISHO_JUDGE: expected rules or models
    SEKISHO_MODELS: entry 1: expected alias=provider:ID
    SEKISHO_MODEL_KEYS: key 1: SEKISHO_MODELS has no such alias; the second entry of the alias `strong` is strong/2
    SEKISHO_MODEL_KEYS: this is a placeholder, no key; the provider's page makes one
    ");
    insta::assert_snapshot!(problems(&[("SEKISHO_JUDGE", "models"), ("SEKISHO_MODELS", ",")]), @"SEKISHO_MODELS: expected at least one alias=provider:ID");
    insta::assert_snapshot!(problems(&[("SEKISHO_MODELS", "fast=openai:gpt-5,fast=anthropic:m@http://localhost:1")]), @"
    ANTHROPIC_API_KEY: entry 2 of SEKISHO_MODELS asks Anthropic, and no key is set for it, here or in SEKISHO_MODEL_KEYS
    OPENAI_API_KEY: entry 1 of SEKISHO_MODELS asks OpenAI, and no key is set for it, here or in SEKISHO_MODEL_KEYS
    ");
    // Both read the same: the whole configuration has these problems too, each once.
    let whole = Config::read(|name| (name == "SEKISHO_MODELS").then(|| "fast=openai:gpt-5".to_owned()), None);
    assert_eq!(whole.expect_err("a key is missing").len(), 1);
}

#[test]
fn a_key_goes_to_its_server_alone() {
    let own = String::from;
    let key = ("OPENAI_API_KEY", "key-of-openai");
    // Beside the provider itself, no other server gets its key.
    let with = models(&[("SEKISHO_MODELS", "a=openai:x,b=openai:y@http://localhost:1/v1"), key]);
    assert_eq!(tiers(&with), [("a", "x", own("api.openai.com"), "key-of-openai"), ("b", "y", own("localhost:1"), "")]);
    // The one server that speaks the protocol gets it, under each of its addresses.
    let two = "a=openai:x@https://h/d/x?api-version=1,b=openai:y@https://h/d/y?api-version=1";
    let with = models(&[("SEKISHO_MODELS", two), key]);
    assert_eq!(tiers(&with), [("a", "x", own("h"), "key-of-openai"), ("b", "y", own("h"), "key-of-openai")]);
    // Of several it cannot be told.
    let several = ("SEKISHO_MODELS", "a=openai:x@http://h/v1,b=openai:y@http://i/v1");
    insta::assert_snapshot!(problems(&[several, key]), @"OPENAI_API_KEY: SEKISHO_MODELS names several servers; SEKISHO_MODEL_KEYS says whose key it is");
    let with = models(&[several, key, ("SEKISHO_MODEL_KEYS", "b:key-of-i")]);
    assert_eq!(tiers(&with), [("a", "x", own("h"), "key-of-openai"), ("b", "y", own("i"), "key-of-i")]);
}

#[test]
fn a_command_line_names_one_model() {
    let ask = |spec: &str, pairs: &[(&str, &str)]| {
        let asked: Asked = spec.parse().expect(spec);
        load(pairs, Some(&asked))
    };
    let one = |spec: &str, pairs: &[(&str, &str)]| match ask(spec, pairs) {
        Ok(Judge::Models(models)) => models,
        other => panic!("{other:?}"),
    };
    let keys = [("OPENAI_API_KEY", "key-of-openai"), ("ANTHROPIC_API_KEY", "key-of-anthropic")];
    let with = |more: &[(&'static str, &'static str)]| [&keys[..], more].concat();
    let found = one("anthropic:m", &with(&[("SEKISHO_JUDGE", "rules"), ("SEKISHO_PRICES", "m=0/0")]));
    assert_eq!(tiers(&found), [("*", "m", String::from("api.anthropic.com"), "key-of-anthropic")]);
    assert_eq!((found.of("whatever").count(), found.price("m").is_some()), (1, true));
    assert_eq!(found.unmapped(builtin(Language::Ja)).len(), 0);
    // Alone, the server gets the provider's key; beside another that the key is meant for, it does not.
    assert_eq!(tiers(&one("openai:m@http://h/v1", &keys))[0].3, "key-of-openai");
    let configured =
        [("SEKISHO_MODELS", "a=openai:x,b=openai:y@http://i/v1,broken"), ("SEKISHO_MODEL_KEYS", "b:key-of-i")];
    assert_eq!(tiers(&one("openai:m@http://h/v1", &with(&configured)))[0].3, "");
    assert_eq!(tiers(&one("openai:m@http://i/v1", &with(&configured)))[0].3, "key-of-i");
    assert_eq!(ask("openai:m", &[]).expect_err("a key is missing").len(), 1);
    assert!(matches!(ask("rules", &[("SEKISHO_MODELS", "nonsense")]), Ok(Judge::Rules)));
    assert_eq!(ask("models", &[]).expect_err("there are none").len(), 1);
    // What else is set is not looked at.
    assert!(ask("rules", &[("DATABASE_URL", "postgres://h"), ("GITHUB_APP_ID", "x")]).is_ok());
    assert!("gpt-5".parse::<Asked>().is_err());
}

#[test]
fn what_works_but_was_not_meant() {
    let models = models(&[
        (
            "SEKISHO_MODELS",
            "a=anthropic:claude-x,a=anthropic:claude-y,b=anthropic:claude-x,b=openai:own@http://ai.lan/v1,c=openai:gpt-5,c=anthropic:claude-x",
        ),
        ("ANTHROPIC_API_KEY", "k"),
        ("SEKISHO_MODEL_KEYS", "b/2:k2,c:k3"),
    ]);
    insta::assert_snapshot!(models.notices().into_iter().map(|notice| notice.what).collect::<Vec<_>>().join("\n"), @"
    a: no second opinion, since no two families are known: claude-x (claude), claude-y (claude)
    b: no second opinion, since no two families are known: claude-x (claude), own (family unknown)
    b: texts and the key go over plain HTTP to ai.lan
    ");
    let unmapped = models.unmapped(builtin(Language::En));
    assert_eq!(unmapped.keys().collect::<Vec<_>>(), ["fast", "strong"]);
}

const SECRET: &str = "[A-Z][0-9][A-Za-z0-9]{8,30}";

proptest! {
    #[test]
    fn any_text_is_read_and_no_key_repeated(
        secret in SECRET,
        models in r"(fast|strong|=|anthropic:|openai:|@https?://|KEY|[a-z0-9]{1,5}|[:@/?#,. ]|\PC){0,14}",
        keys in r"(fast|strong|KEY|[:/, ]|\PC){0,8}",
        rest in r"(KEY|claude|gpt|[0-9$./=, ]|tokens|\PC){0,8}",
        own in any::<bool>(),
    ) {
        let put = |text: &str| text.replace("KEY", &secret);
        let (models, keys, rest) = (put(&models), put(&keys), put(&rest));
        let mut pairs: Vec<(&str, &str)> = NAMES[3..].iter().map(|name| (*name, rest.trim())).collect();
        pairs.extend([("SEKISHO_MODELS", models.trim()), ("SEKISHO_MODEL_KEYS", keys.trim())]);
        if own {
            pairs.push(("OPENAI_API_KEY", &secret));
        }
        pairs.retain(|(_, value)| !value.is_empty());
        for asked in [None, Some(Asked::Models), "openai:m@http://h/v1".parse().ok()] {
            match load(&pairs, asked.as_ref()) {
                Ok(judge) => if own {
                    let shown = format!("{judge:?}");
                    // A name in another variable may be anything; the models never hold a key that is known.
                    let Judge::Models(models) = judge else { continue };
                    prop_assert!(!format!("{:?}{:?}", models.tiers, models.notices()).contains(&secret), "{shown}");
                }
                Err(problems) => {
                    let shown = format!("{problems:?}");
                    prop_assert!(!shown.contains(&secret), "{shown}");
                }
            }
        }
    }
}
