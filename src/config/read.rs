//! Makes values of texts: each setting is parsed whatever became of the others, so that all problems are said at once.

use super::problem::{ConfigProblem, Origin};
use super::variables::{LATER, VARIABLES, named};
use super::{
    Asked, Config, Door, Github, Judge, PrivateKey, Queue, Signing, SigningKey, SourceFile, Store, file, judge,
};
use crate::adapters::store::sqlite::Synchronous;
use crate::domain::event::Windows;
use crate::domain::ids::AppId;
use secrecy::SecretString;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;
use url::Url;

/// The two settings that say one thing.
const KEYS: [&str; 2] = ["GITHUB_PRIVATE_KEY", "GITHUB_PRIVATE_KEY_PATH"];

/// Reads the environment over the file.
pub(super) fn config(
    get: &dyn Fn(&str) -> Option<String>,
    file: Option<(&Path, &[u8])>,
) -> Result<Config, Vec<ConfigProblem>> {
    let mut reader = Reader { values: BTreeMap::new(), problems: Vec::new() };
    let source = file.map(|(path, bytes)| reader.take_file(path, bytes));
    reader.take_environment(get);
    let judge = reader.judge(None);
    let models = !matches!(judge, Some(Judge::Rules));
    let config = reader.config(source, judge);
    reader.not_offered();
    reader.placeholders(|name| models || !judge::NAMES.contains(&name));
    match config {
        Some(config) if reader.problems.is_empty() => Ok(config),
        _ => Err(reader.sorted()),
    }
}

/// Reads the settings of judges alone, the environment over the file.
pub(super) fn judge(
    get: &dyn Fn(&str) -> Option<String>,
    file: Option<(&Path, &[u8])>,
    asked: Option<&Asked>,
) -> Result<Judge, Vec<ConfigProblem>> {
    let mut reader = Reader { values: BTreeMap::new(), problems: Vec::new() };
    if let Some((path, bytes)) = file {
        reader.take_file(path, bytes);
    }
    reader.take_environment(get);
    let judge = reader.judge(asked);
    let models = !matches!(judge, Some(Judge::Rules));
    reader.placeholders(|name| models && judge::NAMES.contains(&name));
    match judge {
        Some(judge) if reader.problems.is_empty() => Ok(judge),
        _ => Err(reader.sorted()),
    }
}

/// A variable of the environment; one that holds nothing but white space is not set.
pub(super) fn given(get: &dyn Fn(&str) -> Option<String>, name: &str) -> Option<String> {
    get(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
}

/// A text and where it stands.
struct Value {
    text: String,
    origin: Origin,
}

struct Reader {
    values: BTreeMap<&'static str, Value>,
    problems: Vec<ConfigProblem>,
}

impl Reader {
    fn take_file(&mut self, path: &Path, bytes: &[u8]) -> SourceFile {
        let (found, problems) = file::read(&path.display().to_string(), bytes);
        self.problems.extend(problems);
        let mut secrets = Vec::new();
        for found in found {
            let text = found.text.trim().to_owned();
            if text.is_empty() {
                continue;
            }
            if let (true, Some((table, key))) = (found.variable.is_secret(), found.variable.key()) {
                secrets.push(format!("{table}.{key}"));
            }
            self.values.insert(found.variable.name, Value { text, origin: found.origin });
        }
        SourceFile { path: path.to_path_buf(), secrets }
    }

    /// Over what the file says. Of the private key's two settings the file's is gone where the environment has either.
    fn take_environment(&mut self, get: &dyn Fn(&str) -> Option<String>) {
        if KEYS.iter().any(|name| given(get, name).is_some()) {
            self.values.retain(|name, _| !KEYS.contains(name));
        }
        for variable in VARIABLES.iter().chain(LATER) {
            if let Some(text) = given(get, variable.name) {
                self.values.insert(variable.name, Value { text, origin: Origin::Environment(variable.name) });
            }
        }
    }

    /// None only beside a problem: each part is read whatever became of the others.
    fn config(&mut self, file: Option<SourceFile>, judge: Option<Judge>) -> Option<Config> {
        let (github, door, store) = (self.github(), self.door(), self.store());
        let (queue, signing) = (self.queue(), self.signing());
        let unread = LATER.iter().map(|later| later.name).filter(|name| self.values.contains_key(name)).collect();
        Some(Config {
            github: github?,
            door: door?,
            store: store?,
            queue: queue?,
            signing,
            judge: judge?,
            log: self.text("RUST_LOG"),
            file,
            unread,
        })
    }

    fn github(&mut self) -> Option<Github> {
        let app_id =
            self.optional("GITHUB_APP_ID", |text| text.parse().map(AppId).map_err(|_| "expected a number".into()));
        let private_key = match (self.given("GITHUB_PRIVATE_KEY"), self.given("GITHUB_PRIVATE_KEY_PATH")) {
            (Some(_), Some(_)) => {
                self.problem("GITHUB_PRIVATE_KEY_PATH", "the private key itself is set, too; keep one of them");
                None
            }
            (Some(pem), None) => Some(PrivateKey::Given(pem.replace("\\n", "\n").into())),
            (None, path) => path.map(|path| PrivateKey::File(path.into())),
        };
        let api_url = self.required("GITHUB_API_URL", url);
        let web_url = self.optional("GITHUB_WEB_URL", url);
        let api_url = api_url?;
        let web_url = web_url.unwrap_or_else(|| pages_of(&api_url));
        Some(Github { app_id, private_key, api_url, web_url })
    }

    fn door(&mut self) -> Option<Door> {
        let listen = self.required("SEKISHO_LISTEN", |text| {
            text.parse().map_err(|_| "expected an address and a port, such as 127.0.0.1:3000".into())
        });
        let public_url = self.optional("SEKISHO_PUBLIC_URL", url);
        let path = self.required("SEKISHO_WEBHOOK_PATH", |text| {
            let plain = |c: char| c.is_ascii_alphanumeric() || "/-_.~".contains(c);
            let taken = ["/healthz", "/readyz", "/metrics", "/"].contains(&text);
            let good = text.starts_with('/') && text.chars().all(plain) && !taken;
            good.then(|| text.to_owned()).ok_or_else(|| "expected a path of its own, such as /github/webhook".into())
        });
        let secrets = list(self.given("GITHUB_WEBHOOK_SECRET")).map(SecretString::from).collect();
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
        for (place, text) in list(self.given("SEKISHO_SIGNING_KEYS")).enumerate() {
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

    fn judge(&mut self, asked: Option<&Asked>) -> Option<Judge> {
        let read = judge::read(&|name| self.given(name), asked);
        read.map_err(|problems| {
            for (name, what) in problems {
                self.problem(name, what);
            }
        })
        .ok()
    }

    /// What this version does not build, where leaving it out would change what the operator asked for.
    fn not_offered(&mut self) {
        if self.given("SEKISHO_ROLE").is_some_and(|role| role != "all") {
            self.problem("SEKISHO_ROLE", "roles are not offered yet; every server does all the work");
        }
    }

    fn problem(&mut self, name: &'static str, message: impl Into<String>) {
        let origin = self.values.get(name).map_or(Origin::Environment(name), |value| value.origin.clone());
        self.problems.push(ConfigProblem { origin, message: message.into() });
    }

    /// Secrets that stand in examples are nobody's secret.
    fn placeholders(&mut self, used: impl Fn(&str) -> bool) {
        for variable in VARIABLES.iter().filter(|variable| variable.is_secret() && used(variable.name)) {
            let text = self.given(variable.name);
            // The hex of a signing key stands behind its id, a model's key behind an alias.
            let secret = |item: &String| match variable.name {
                "SEKISHO_SIGNING_KEYS" => item.rsplit(':').next().map(str::to_owned),
                "SEKISHO_MODEL_KEYS" => item.split_once(':').map(|(_, key)| key.trim().to_owned()),
                _ => Some(item.clone()),
            };
            if list(text).filter_map(|item| secret(&item)).any(|secret| is_placeholder(&secret)) {
                let what = match variable.name {
                    "GITHUB_PRIVATE_KEY" => "this is a placeholder, no key; the App's page on GitHub generates one",
                    name if judge::NAMES.contains(&name) => {
                        "this is a placeholder, no key; the provider's page makes one"
                    }
                    _ => "this is a placeholder, no secret; `openssl rand -hex 32` prints one",
                };
                self.problem(variable.name, what);
            }
        }
    }

    /// The file's first, then the environment's.
    fn sorted(mut self) -> Vec<ConfigProblem> {
        self.problems.sort_by_key(|problem| (problem.origin.place(), problem.origin.clone()));
        self.problems
    }

    /// The setting's text.
    fn given(&self, name: &str) -> Option<String> {
        self.values.get(name).map(|value| value.text.clone())
    }

    /// The setting's text or its default.
    fn text(&self, name: &str) -> String {
        self.given(name).unwrap_or_else(|| named(name).map_or("", |variable| variable.default).to_owned())
    }

    /// A variable that has a default. None = a problem was noted.
    fn required<T>(&mut self, name: &'static str, parse: impl Fn(&str) -> Result<T, String>) -> Option<T> {
        self.parsed(name, &self.text(name), parse)
    }

    /// A variable that may be missing. None = it is, or a problem was noted.
    fn optional<T>(&mut self, name: &'static str, parse: impl Fn(&str) -> Result<T, String>) -> Option<T> {
        let text = self.given(name)?;
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

/// Whether a secret is the stand-in of an example. Weak ones that somebody may have meant are for `sekisho doctor` to warn of.
fn is_placeholder(text: &str) -> bool {
    const WORDS: [&str; 10] = [
        "changeme",
        "replaceme",
        "placeholder",
        "yoursecret",
        "yourwebhooksecret",
        "yourprivatekey",
        "insertsecret",
        "todo",
        "tbd",
        "fixme",
    ];
    let plain: String = text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    let one = plain.chars().next();
    let same = plain.chars().all(|c| Some(c) == one) && (plain.is_empty() || plain.chars().count() > 2);
    same || WORDS.contains(&plain.as_str()) || (text.starts_with('<') && text.ends_with('>'))
}
