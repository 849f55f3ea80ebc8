//! The one reader of the environment: every variable becomes part of a typed struct, or of the list of problems.
//!
//! Missing credentials are no problem here: the server starts without them, and `/readyz` says so (chapter 8).

use crate::adapters::store::sqlite::Synchronous;
use crate::domain::event::Windows;
use crate::domain::ids::AppId;
use secrecy::{SecretSlice, SecretString};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;
use url::Url;

/// Every variable that is read: name, default (empty = none), what it is for. `.env.example` lists exactly these.
pub const VARIABLES: &[(&str, &str, &str)] = &[
    ("GITHUB_APP_ID", "", "The App's id, a number."),
    ("GITHUB_PRIVATE_KEY", "", "The App's private key, PEM; line ends may be written as \\n."),
    ("GITHUB_PRIVATE_KEY_PATH", "", "Or the file that holds it."),
    ("GITHUB_WEBHOOK_SECRET", "", "The webhook's secret; several, comma-separated, while it is rotated."),
    ("GITHUB_API_URL", "https://api.github.com", "GitHub's API; https://HOST/api/v3 for an Enterprise Server."),
    ("GITHUB_WEB_URL", "", "GitHub's pages; made from GITHUB_API_URL where it is not set."),
    ("SEKISHO_LISTEN", "127.0.0.1:3000", "Address and port to listen on."),
    ("SEKISHO_PUBLIC_URL", "", "The address at which others reach this server."),
    ("SEKISHO_WEBHOOK_PATH", "/github/webhook", "Where GitHub posts webhooks."),
    (
        "SEKISHO_SIGNING_KEYS",
        "",
        "Keys of records as kid:hex, comma-separated; the first signs, all verify. Made from the private key where not set.",
    ),
    ("DATABASE_URL", "sqlite:sekisho.db", "The database."),
    ("SEKISHO_SYNCHRONOUS", "normal", "normal: what was answered survives a crash; full: a loss of power, too."),
    ("SEKISHO_QUIET_WINDOW", "1", "Seconds in which the same label counts once; 0: at once."),
    ("SEKISHO_EDIT_WINDOW", "20", "Seconds without a further edit before an edited text is judged; 0: at once."),
    ("SEKISHO_SETTLE", "10", "Seconds after a lost answer before GitHub's lists are trusted."),
    ("SEKISHO_JUDGE", "rules", "Who judges: rules, the embedded judge."),
    ("RUST_LOG", "info", "What is logged, such as info or debug."),
];

/// Everything that an operator decides.
#[derive(Clone, Debug)]
pub struct Config {
    /// The App on GitHub.
    pub github: Github,
    /// Where webhooks come in.
    pub door: Door,
    /// The database.
    pub store: Store,
    /// Waiting times of the queue.
    pub queue: Queue,
    /// Keys of records.
    pub signing: Signing,
    /// Who judges.
    pub judge: Judge,
    /// What is logged, in the words of `RUST_LOG`.
    pub log: String,
}

/// The App on GitHub.
#[derive(Clone, Debug)]
pub struct Github {
    /// `GITHUB_APP_ID`.
    pub app_id: Option<AppId>,
    /// `GITHUB_PRIVATE_KEY` or `GITHUB_PRIVATE_KEY_PATH`.
    pub private_key: Option<PrivateKey>,
    /// `GITHUB_API_URL`.
    pub api_url: Url,
    /// `GITHUB_WEB_URL`.
    pub web_url: Url,
}

/// Where the private key is.
#[derive(Clone, Debug)]
pub enum PrivateKey {
    /// In the environment.
    Given(SecretString),
    /// In a file.
    File(PathBuf),
}

impl PrivateKey {
    /// The key as PEM; whether it parses is for the adapter to say.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub fn load(&self) -> std::io::Result<SecretString> {
        match self {
            Self::Given(pem) => Ok(pem.clone()),
            Self::File(path) => std::fs::read_to_string(path).map(SecretString::from),
        }
    }
}

/// Where webhooks come in.
#[derive(Clone, Debug)]
pub struct Door {
    /// `SEKISHO_LISTEN`.
    pub listen: SocketAddr,
    /// `SEKISHO_PUBLIC_URL`.
    pub public_url: Option<Url>,
    /// `SEKISHO_WEBHOOK_PATH`.
    pub path: String,
    /// `GITHUB_WEBHOOK_SECRET`: all that are live, none where it is not set.
    pub secrets: Vec<SecretString>,
}

/// The database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    /// `DATABASE_URL`.
    pub url: String,
    /// `SEKISHO_SYNCHRONOUS`.
    pub synchronous: Synchronous,
}

/// Waiting times of the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queue {
    /// `SEKISHO_QUIET_WINDOW` and `SEKISHO_EDIT_WINDOW`.
    pub windows: Windows,
    /// `SEKISHO_SETTLE`.
    pub settle: Duration,
}

/// Keys of records.
#[derive(Clone, Debug)]
pub struct Signing {
    /// `SEKISHO_SIGNING_KEYS`: the first signs, all verify. Empty: one is derived from the App's private key.
    pub keys: Vec<SigningKey>,
}

/// A key of records.
#[derive(Clone, Debug)]
pub struct SigningKey {
    /// Its id.
    pub kid: String,
    /// Its bytes.
    pub secret: SecretSlice<u8>,
}

/// Who judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judge {
    /// The embedded judge alone.
    Rules,
}

/// A variable that does not say what it should. No secret stands in it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name}: {message}")]
pub struct ConfigProblem {
    /// The variable.
    pub name: &'static str,
    /// What is wrong, and what was expected.
    pub message: String,
}

impl Config {
    /// Reads the process's environment.
    ///
    /// # Errors
    /// Every problem, in the order of [`VARIABLES`].
    pub fn from_env() -> Result<Self, Vec<ConfigProblem>> {
        Self::read(|name| std::env::var(name).ok())
    }

    /// Reads variables from anywhere. One that holds nothing but white space counts as not set.
    ///
    /// # Errors
    /// Every problem, in the order of [`VARIABLES`].
    pub fn read(get: impl Fn(&str) -> Option<String>) -> Result<Self, Vec<ConfigProblem>> {
        let get = |name: &str| get(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
        let mut reader = Reader { get: &get, problems: Vec::new() };
        let config = reader.config();
        reader.not_offered();
        reader.problems.sort_by_key(|problem| VARIABLES.iter().position(|(name, ..)| *name == problem.name));
        match config {
            Some(config) if reader.problems.is_empty() => Ok(config),
            _ => Err(reader.problems),
        }
    }
}

struct Reader<'g> {
    get: &'g dyn Fn(&str) -> Option<String>,
    problems: Vec<ConfigProblem>,
}

impl Reader<'_> {
    /// None only beside a problem: each part is read whatever became of the others.
    fn config(&mut self) -> Option<Config> {
        let (github, door, store) = (self.github(), self.door(), self.store());
        let (queue, signing) = (self.queue(), self.signing());
        let judge = Judge::Rules;
        Some(Config {
            github: github?,
            door: door?,
            store: store?,
            queue: queue?,
            signing,
            judge,
            log: self.text("RUST_LOG"),
        })
    }

    fn github(&mut self) -> Option<Github> {
        let app_id =
            self.given("GITHUB_APP_ID", |text| text.parse().map(AppId).map_err(|_| "expected a number".into()));
        let private_key = match ((self.get)("GITHUB_PRIVATE_KEY"), (self.get)("GITHUB_PRIVATE_KEY_PATH")) {
            (Some(_), Some(_)) => {
                self.problem("GITHUB_PRIVATE_KEY_PATH", "GITHUB_PRIVATE_KEY is set, too; keep one of them");
                None
            }
            (Some(pem), None) => Some(PrivateKey::Given(pem.replace("\\n", "\n").into())),
            (None, path) => path.map(|path| PrivateKey::File(path.into())),
        };
        let api_url = self.required("GITHUB_API_URL", url);
        let web_url = self.given("GITHUB_WEB_URL", url);
        let api_url = api_url?;
        let web_url = web_url.unwrap_or_else(|| pages_of(&api_url));
        Some(Github { app_id, private_key, api_url, web_url })
    }

    fn door(&mut self) -> Option<Door> {
        let listen = self.required("SEKISHO_LISTEN", |text| {
            text.parse().map_err(|_| "expected an address and a port, such as 127.0.0.1:3000".into())
        });
        let public_url = self.given("SEKISHO_PUBLIC_URL", url);
        let path = self.required("SEKISHO_WEBHOOK_PATH", |text| {
            let plain = |c: char| c.is_ascii_alphanumeric() || "/-_.~".contains(c);
            let taken = ["/healthz", "/readyz", "/metrics", "/"].contains(&text);
            let good = text.starts_with('/') && text.chars().all(plain) && !taken;
            good.then(|| text.to_owned()).ok_or_else(|| "expected a path of its own, such as /github/webhook".into())
        });
        let secrets = list((self.get)("GITHUB_WEBHOOK_SECRET")).map(SecretString::from).collect();
        Some(Door { listen: listen?, public_url, path: path?, secrets })
    }

    fn store(&mut self) -> Option<Store> {
        let url = self.required("DATABASE_URL", |text| match text.split_once(':') {
            Some(("sqlite", rest)) if !rest.is_empty() => Ok(text.to_owned()),
            Some(("postgres" | "postgresql", _)) => Err("PostgreSQL is not offered yet; use sqlite:PATH".into()),
            _ => Err("expected sqlite:PATH".into()),
        });
        let synchronous = self.required("SEKISHO_SYNCHRONOUS", |text| match text {
            "normal" => Ok(Synchronous::Normal),
            "full" => Ok(Synchronous::Full),
            _ => Err("expected normal or full".into()),
        });
        Some(Store { url: url?, synchronous: synchronous? })
    }

    fn queue(&mut self) -> Option<Queue> {
        let quiet_ms = self.required("SEKISHO_QUIET_WINDOW", milliseconds);
        let edit_ms = self.required("SEKISHO_EDIT_WINDOW", milliseconds);
        let settle = self.required("SEKISHO_SETTLE", milliseconds);
        let windows = Windows { quiet_ms: quiet_ms?, edit_ms: edit_ms? };
        Some(Queue { windows, settle: Duration::from_millis(settle?.into()) })
    }

    fn signing(&mut self) -> Signing {
        let mut keys: Vec<SigningKey> = Vec::new();
        for (place, text) in list((self.get)("SEKISHO_SIGNING_KEYS")).enumerate() {
            let place = place + 1;
            let key =
                text.split_once(':').and_then(|(kid, digits)| Some((kid.trim(), hex::decode(digits.trim()).ok()?)));
            match key {
                None => self.problem("SEKISHO_SIGNING_KEYS", format!("key {place}: expected kid:hex")),
                Some((kid, _)) if kid.is_empty() || keys.iter().any(|key| key.kid == kid) => {
                    self.problem("SEKISHO_SIGNING_KEYS", format!("key {place}: expected an id of its own"));
                }
                Some((_, bytes)) if bytes.len() < 16 => {
                    self.problem(
                        "SEKISHO_SIGNING_KEYS",
                        format!("key {place}: expected at least 16 bytes (32 hex digits)"),
                    );
                }
                Some((kid, bytes)) => keys.push(SigningKey { kid: kid.to_owned(), secret: bytes.into() }),
            }
        }
        Signing { keys }
    }

    /// What this version does not build, where leaving it out would change what the operator asked for.
    fn not_offered(&mut self) {
        match (self.get)("SEKISHO_JUDGE").as_deref() {
            Some("rules") => {}
            Some("models") => self.problem("SEKISHO_JUDGE", "models are not offered yet; use rules"),
            Some(_) => self.problem("SEKISHO_JUDGE", "expected rules"),
            None if (self.get)("SEKISHO_MODELS").is_some() => {
                self.problem("SEKISHO_MODELS", "models are not offered yet; unset it, or set SEKISHO_JUDGE=rules");
            }
            None => {}
        }
        if (self.get)("SEKISHO_ROLE").is_some_and(|role| role != "all") {
            self.problem("SEKISHO_ROLE", "roles are not offered yet; every server does all the work");
        }
    }

    fn problem(&mut self, name: &'static str, message: impl Into<String>) {
        self.problems.push(ConfigProblem { name, message: message.into() });
    }

    /// The variable's text or its default.
    fn text(&self, name: &str) -> String {
        let default = VARIABLES.iter().find(|(variable, ..)| *variable == name).map_or("", |(_, default, _)| default);
        (self.get)(name).unwrap_or_else(|| default.to_owned())
    }

    /// A variable that has a default. None = a problem was noted.
    fn required<T>(&mut self, name: &'static str, parse: impl Fn(&str) -> Result<T, String>) -> Option<T> {
        self.parsed(name, &self.text(name), parse)
    }

    /// A variable that may be missing. None = it is, or a problem was noted.
    fn given<T>(&mut self, name: &'static str, parse: impl Fn(&str) -> Result<T, String>) -> Option<T> {
        let text = (self.get)(name)?;
        self.parsed(name, &text, parse)
    }

    fn parsed<T>(&mut self, name: &'static str, text: &str, parse: impl Fn(&str) -> Result<T, String>) -> Option<T> {
        match parse(text) {
            Ok(value) => Some(value),
            Err(message) => {
                self.problem(name, message);
                None
            }
        }
    }
}

fn list(text: Option<String>) -> impl Iterator<Item = String> {
    let items: Vec<String> = text.unwrap_or_default().split(',').map(|item| item.trim().to_owned()).collect();
    items.into_iter().filter(|item| !item.is_empty())
}

fn url(text: &str) -> Result<Url, String> {
    let url = Url::parse(text.trim_end_matches('/')).map_err(|error| format!("{error}; expected https://HOST"))?;
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
        return Err("expected https://HOST".to_owned());
    }
    Ok(url)
}

/// `https://api.github.com` → `https://github.com`; `https://HOST/api/v3` → `https://HOST`.
fn pages_of(api: &Url) -> Url {
    let mut pages = api.clone();
    pages.set_path("");
    pages.set_query(None);
    if let Some(host) = api.host_str().and_then(|host| host.strip_prefix("api.")) {
        // A host without its first label is a host still; were it none, the API's own would stand.
        let _ = pages.set_host(Some(host));
    }
    pages
}

/// Seconds, decimals allowed, as milliseconds; at most a day.
fn milliseconds(text: &str) -> Result<u32, String> {
    let seconds: f64 = text.parse().map_err(|_| "expected seconds, such as 1.5".to_owned())?;
    let time = Duration::try_from_secs_f64(seconds).map_err(|_| "expected seconds, 0 or more".to_owned())?;
    u32::try_from(time.as_millis())
        .ok()
        .filter(|ms| *ms <= 86_400_000)
        .ok_or_else(|| "expected at most a day (86400)".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use secrecy::ExposeSecret;
    use std::collections::HashMap;

    fn read(pairs: &[(&str, &str)]) -> Result<Config, Vec<ConfigProblem>> {
        let map: HashMap<_, _> = pairs.iter().copied().collect();
        Config::read(|name| map.get(name).map(|value| (*value).to_owned()))
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
            (
                "SEKISHO_SIGNING_KEYS",
                "a:00112233445566778899aabbccddeeff, a:00112233445566778899aabbccddeeff, b:0g, c:00",
            ),
            ("DATABASE_URL", "postgres://u:hunter2@host/db"),
            ("SEKISHO_SYNCHRONOUS", "off"),
            ("SEKISHO_QUIET_WINDOW", "soon"),
            ("SEKISHO_EDIT_WINDOW", "-1"),
            ("SEKISHO_SETTLE", "1e9"),
        ])
        .expect_err("nothing here is right");
        let text: Vec<String> = problems.iter().map(ToString::to_string).collect();
        insta::assert_snapshot!(text.join("\n"), @r"
        SEKISHO_ROLE: roles are not offered yet; every server does all the work
        GITHUB_APP_ID: expected a number
        GITHUB_PRIVATE_KEY_PATH: GITHUB_PRIVATE_KEY is set, too; keep one of them
        GITHUB_API_URL: relative URL without a base; expected https://HOST
        GITHUB_WEB_URL: expected https://HOST
        SEKISHO_LISTEN: expected an address and a port, such as 127.0.0.1:3000
        SEKISHO_PUBLIC_URL: relative URL without a base; expected https://HOST
        SEKISHO_WEBHOOK_PATH: expected a path of its own, such as /github/webhook
        SEKISHO_SIGNING_KEYS: key 2: expected an id of its own
        SEKISHO_SIGNING_KEYS: key 3: expected kid:hex
        SEKISHO_SIGNING_KEYS: key 4: expected at least 16 bytes (32 hex digits)
        DATABASE_URL: PostgreSQL is not offered yet; use sqlite:PATH
        SEKISHO_SYNCHRONOUS: expected normal or full
        SEKISHO_QUIET_WINDOW: expected seconds, such as 1.5
        SEKISHO_EDIT_WINDOW: expected seconds, 0 or more
        SEKISHO_SETTLE: expected at most a day (86400)
        SEKISHO_JUDGE: models are not offered yet; use rules
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
    fn models_without_a_choice_of_judge_are_a_problem() {
        let models = ("SEKISHO_MODELS", "fast=anthropic:x");
        assert_eq!(read(&[models]).expect_err("they would judge").len(), 1);
        assert_eq!(good(&[models, ("SEKISHO_JUDGE", "rules")]).judge, Judge::Rules);
        assert_eq!(good(&[("SEKISHO_QUIET_WINDOW", "0"), ("SEKISHO_EDIT_WINDOW", "0.25")]).queue.windows.edit_ms, 250);
    }

    #[test]
    fn the_example_lists_every_variable_with_its_default() {
        let example = include_str!("../.env.example");
        let listed: Vec<(&str, &str)> =
            example.lines().filter_map(|line| line.trim_start_matches(['#', ' ']).split_once('=')).collect();
        let known: Vec<(&str, &str)> = VARIABLES.iter().map(|(name, default, _)| (*name, *default)).collect();
        assert_eq!(listed, known);
        for (name, _, doc) in VARIABLES {
            assert!(example.contains(doc), "{name}: {doc}");
        }
    }
}
