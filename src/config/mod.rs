//! The one reader of the environment and of `sekisho.toml`: every setting becomes part of a typed struct, or of the list
//! of problems. The environment counts more than the file.
//!
//! Missing credentials are no problem here: the server starts without them, and `/readyz` says so (chapter 8).
//! Inside: `variables` is the list of names, `file` reads TOML, `read` makes values of texts. `judge` does so for the settings
//! of models, with `spec` for one model, `entry` for the lists of them and their keys, and `models` for what comes out.

mod entry;
mod file;
mod judge;
mod models;
mod problem;
mod read;
mod spec;
mod variables;

pub use judge::{Asked, Judge};
pub use models::{ANY, Models, Notice, Tier};
pub use problem::{ConfigProblem, Origin};
pub use spec::{NotASpec, Provider, Spec};
pub use variables::{Kind, VARIABLES, Variable};

use crate::adapters::store::sqlite::Synchronous;
use crate::domain::event::Windows;
use crate::domain::ids::AppId;
use secrecy::{SecretSlice, SecretString};
use std::io::{ErrorKind, Read as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use url::Url;

/// The file that is read where none is named and this one is there.
const USUAL: &str = "sekisho.toml";

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
    /// The file that was read, where there is one.
    pub file: Option<SourceFile>,
    /// Settings that are there and that this version does not read, such as `GITHUB_CLIENT_ID`.
    pub unread: Vec<&'static str>,
}

/// The configuration file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Where it is.
    pub path: PathBuf,
    /// Keys in it that hold a secret, such as `github.webhook_secret`.
    pub secrets: Vec<String>,
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

impl Config {
    /// Reads the process's environment and the file: the one that is named, else that of `SEKISHO_CONFIG`, else
    /// `sekisho.toml` where it is there.
    ///
    /// # Errors
    /// Every problem of both, the file's first.
    pub fn load(file: Option<&Path>) -> Result<Self, Vec<ConfigProblem>> {
        match source(file) {
            Ok(Some((path, bytes))) => Self::read(environment, Some((&path, &bytes))),
            Ok(None) => Self::read(environment, None),
            Err(problem) => {
                let mut problems = vec![problem];
                problems.extend(Self::read(environment, None).err().into_iter().flatten());
                Err(problems)
            }
        }
    }

    /// Reads variables from anywhere, and a file's bytes. A variable that holds nothing but white space counts as not set.
    ///
    /// # Errors
    /// Every problem: the file's by line, then the environment's in the order of [`VARIABLES`].
    pub fn read(
        get: impl Fn(&str) -> Option<String>,
        file: Option<(&Path, &[u8])>,
    ) -> Result<Self, Vec<ConfigProblem>> {
        read::config(&get, file)
    }
}

impl Judge {
    /// The judge that a command line asks for, else the configured one: reads what [`Config::load`] reads, and minds
    /// the settings of judges alone, so that a text can be judged without an App.
    ///
    /// # Errors
    /// Every problem of the file, and of these settings.
    pub fn load(file: Option<&Path>, asked: Option<&Asked>) -> Result<Self, Vec<ConfigProblem>> {
        match source(file) {
            Ok(Some((path, bytes))) => Self::read(environment, Some((&path, &bytes)), asked),
            Ok(None) => Self::read(environment, None, asked),
            Err(problem) => {
                let mut problems = vec![problem];
                problems.extend(Self::read(environment, None, asked).err().into_iter().flatten());
                Err(problems)
            }
        }
    }

    /// The same with variables from anywhere.
    ///
    /// # Errors
    /// As for [`Self::load`].
    pub fn read(
        get: impl Fn(&str) -> Option<String>,
        file: Option<(&Path, &[u8])>,
        asked: Option<&Asked>,
    ) -> Result<Self, Vec<ConfigProblem>> {
        read::judge(&get, file, asked)
    }
}

fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The file that is named, else that of `SEKISHO_CONFIG`, else `sekisho.toml` where it is there.
fn source(file: Option<&Path>) -> Result<Option<(PathBuf, Vec<u8>)>, ConfigProblem> {
    let named = file.map(Path::to_path_buf).or_else(|| read::given(&environment, "SEKISHO_CONFIG").map(PathBuf::from));
    let path = named.clone().unwrap_or_else(|| PathBuf::from(USUAL));
    match bytes(&path) {
        Ok(bytes) => Ok(Some((path, bytes))),
        Err(error) if error.kind() == ErrorKind::NotFound && named.is_none() => Ok(None),
        Err(error) => {
            let path = path.display().to_string();
            let origin = Origin::File { path, line: 0, column: 0, key: String::new() };
            Err(ConfigProblem { origin, message: format!("cannot be read: {error}") })
        }
    }
}

/// A file that never ends, such as a device, is read no further than its size is judged by.
fn bytes(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(file::LARGEST as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests;
