//! What can be seen on this machine: configuration, keys, secret, database, address.

use super::report::Check;
use crate::adapters::github::key::AppKey;
use crate::adapters::store::sqlite::{Schema, inspect};
use crate::config::{Config, ConfigProblem, PrivateKey};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use secrecy::ExposeSecret as _;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Characters that a webhook secret should have at least.
const SECRET: usize = 16;
/// Below this much free space a full disk is near, in MiB.
const LITTLE: u64 = 512;
/// How long a server on this machine may take to answer.
const PATIENCE: Duration = Duration::from_secs(3);

/// A configuration with problems: all of them, and nothing else can be checked.
pub(super) fn broken(problems: &[ConfigProblem]) -> Check {
    let many = match problems.len() {
        1 => "1 problem".to_owned(),
        many => format!("{many} problems"),
    };
    let todo = ".env.example and sekisho.example.toml show every variable and key";
    Check::wrong("configuration", format!("{many}, so nothing else was checked"), todo)
        .with(problems.iter().map(ToString::to_string).collect())
}

/// Where the configuration came from, who can read its secrets, what in it is not read.
pub(super) fn configuration(config: &Config) -> Vec<Check> {
    let mut checks = vec![match &config.file {
        None => Check::ok("configuration", "read from the environment; there is no sekisho.toml"),
        Some(file) => Check::ok("configuration", format!("read from the environment and {}", file.path.display())),
    }];
    if let Some(file) = config.file.as_ref().filter(|file| !file.secrets.is_empty()) {
        checks.extend(readable(&file.path, &file.secrets.join(", ")));
    }
    if let Some(PrivateKey::File(path)) = &config.github.private_key {
        checks.extend(readable(path, "the private key"));
    }
    if !config.unread.is_empty() {
        let what = format!("this version does not read {}", config.unread.join(", "));
        checks.push(Check::warning("configuration", what, "nothing, if you set it for later; else remove it"));
    }
    checks
}

/// A file with a secret that everybody on this machine can read.
#[cfg(unix)]
fn readable(path: &Path, secret: &str) -> Option<Check> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = std::fs::metadata(path).ok()?.permissions().mode() & 0o777;
    (mode & 0o004 != 0).then(|| {
        let path = path.display();
        let what = format!("{path} holds {secret}, and everybody on this machine can read it (mode {mode:o})");
        Check::warning("configuration", what, format!("chmod 600 {path}, with the server's user as its owner"))
    })
}

#[cfg(not(unix))]
fn readable(_: &Path, _: &str) -> Option<Check> {
    None
}

/// Whether id and key are there and the key parses. None = there is no key to go on with.
pub(super) fn private_key(config: &Config) -> (Check, Option<AppKey>) {
    let github = &config.github;
    let mut missing = Vec::new();
    missing.extend(github.app_id.is_none().then_some("GITHUB_APP_ID"));
    missing.extend(github.private_key.is_none().then_some("GITHUB_PRIVATE_KEY or GITHUB_PRIVATE_KEY_PATH"));
    let Some(key) = &github.private_key else {
        let todo = "create the App and a private key (docs/operating.md), and set them";
        return (Check::wrong("private key", format!("not set: {}", missing.join(", ")), todo), None);
    };
    let parsed = match key.load() {
        Err(error) => Err(format!("it cannot be read: {error}")),
        Ok(pem) => AppKey::parse(&pem).map_err(|error| error.to_string()),
    };
    match parsed {
        Err(why) => {
            let todo = "use the .pem file that GitHub gave when the key was generated on the App's page, as it is";
            (Check::wrong("private key", why, todo), None)
        }
        Ok(key) if !missing.is_empty() => {
            let todo = "the App's page shows its App ID at the top";
            (Check::wrong("private key", format!("not set: {}", missing.join(", ")), todo), Some(key))
        }
        Ok(key) => {
            let fingerprint = STANDARD.encode(key.fingerprint());
            (Check::ok("private key", format!("parses; SHA256:{fingerprint}")), Some(key))
        }
    }
}

/// Whether deliveries can be verified.
pub(super) fn webhook_secret(config: &Config) -> Check {
    let secrets = &config.door.secrets;
    if secrets.is_empty() {
        let what = "GITHUB_WEBHOOK_SECRET is not set: every delivery is answered with 503";
        return Check::wrong("webhook secret", what, "set it, and the same one on the App's page");
    }
    if secrets.iter().any(|secret| secret.expose_secret().chars().count() < SECRET) {
        let what = format!("shorter than {SECRET} characters: it can be guessed");
        return Check::warning("webhook secret", what, "`openssl rand -hex 32` prints a better one");
    }
    Check::ok(
        "webhook secret",
        if secrets.len() == 1 { "set".to_owned() } else { format!("{} are live", secrets.len()) },
    )
}

/// Which key signs records.
pub(super) fn signing_keys(config: &Config, key: Option<&AppKey>) -> Option<Check> {
    let kids: Vec<&str> = config.signing.keys.iter().map(|key| key.kid.as_str()).collect();
    match (kids.as_slice(), key) {
        ([], None) => None,
        ([], Some(key)) => {
            Some(Check::ok("signing keys", format!("{}, made from the App's private key", key.signing_key().0)))
        }
        ([first], _) => Some(Check::ok("signing keys", format!("{first} signs"))),
        ([first, rest @ ..], _) => {
            Some(Check::ok("signing keys", format!("{first} signs; {} verify, too", rest.join(", "))))
        }
    }
}

/// Whether the database can be used, looked at without a change.
pub(super) async fn database(config: &Config) -> Vec<Check> {
    let url = &config.store.url;
    let todo = "DATABASE_URL names a file in a folder that the server's user may write to";
    let seen = match inspect(url).await {
        Ok(seen) => seen,
        Err(error) => return vec![Check::wrong("database", format!("{url}: {error}"), todo)],
    };
    let Some(file) = seen.file else {
        let what = format!("{url} is in memory: everything is lost when the server stops");
        return vec![Check::warning("database", what, "use sqlite:PATH")];
    };
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
        _ => PathBuf::from("."),
    };
    let shown = file.display();
    let check = match (seen.schema, seen.journal.as_deref()) {
        (Schema::Missing, _) => match may_write(&folder) {
            Ok(()) => Check::ok("database", format!("{shown} is created at the first start")),
            Err(error) => {
                Check::wrong("database", format!("{shown} cannot be created: {}: {error}", folder.display()), todo)
            }
        },
        (Schema::Older, _) => Check::warning(
            "database",
            format!("{shown} opens; its tables are of an older version"),
            "back it up; the next start brings its tables up, and there is no way back",
        ),
        (Schema::Current, Some("wal") | None) => {
            Check::ok("database", format!("{shown} opens and can be written to; tables of this version, WAL"))
        }
        (Schema::Current, Some(journal)) => Check::warning(
            "database",
            format!("{shown} opens; its journal is `{journal}`, not `wal`"),
            "the next start tries to change it; on network file systems it cannot: use a local disk",
        ),
    };
    let mut checks = vec![check];
    checks.extend(disk(&folder).await);
    checks
}

/// Makes a file with a name of its own, and removes it.
fn may_write(folder: &Path) -> std::io::Result<()> {
    let trial = folder.join(format!(".sekisho-doctor-{}", uuid::Uuid::now_v7()));
    std::fs::File::create_new(&trial)?;
    std::fs::remove_file(&trial)
}

/// Free space, where the system's `df` says it.
async fn disk(folder: &Path) -> Option<Check> {
    let folder = folder.to_path_buf();
    let asked = tokio::task::spawn_blocking(move || {
        std::process::Command::new("df").arg("-Pk").arg(&folder).stderr(std::process::Stdio::null()).output().ok()
    });
    let output = tokio::time::timeout(PATIENCE, asked).await.ok()?.ok()??;
    let free = free(&String::from_utf8_lossy(&output.stdout))?;
    let shown = if free >= 10 * 1024 { format!("{} GiB free", free / 1024) } else { format!("{free} MiB free") };
    if free < LITTLE {
        let todo = "make room: with a full disk every delivery is answered with 503";
        return Some(Check::warning("disk", format!("only {shown} where the database is"), todo));
    }
    Some(Check::ok("disk", format!("{shown} where the database is")))
}

/// The fourth column of the second line, in KiB, as MiB.
fn free(df: &str) -> Option<u64> {
    df.lines().nth(1)?.split_whitespace().nth(3)?.parse::<u64>().ok().map(|kib| kib / 1024)
}

/// Whether the address can be listened on, or this server does already.
pub(super) async fn listen(config: &Config) -> Check {
    let listen = config.door.listen;
    match tokio::net::TcpListener::bind(listen).await {
        Ok(_) => Check::ok("listen", format!("{listen} is free; no server of ours runs there now")),
        Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => match readyz(listen).await {
            Answer::Ready => Check::ok("listen", format!("a Sekisho server answers on {listen} and is ready")),
            Answer::NotReady => Check::wrong(
                "listen",
                format!("a Sekisho server answers on {listen} and is not ready"),
                format!("look at http://{}/readyz; the server may have started with other settings", near(listen)),
            ),
            Answer::Another => {
                let todo = "stop the other program, or set SEKISHO_LISTEN to another port";
                Check::wrong("listen", format!("another program uses {listen}"), todo)
            }
        },
        Err(error) => {
            let todo = "SEKISHO_LISTEN is an address of this machine and a port above 1023, such as 127.0.0.1:3000";
            Check::wrong("listen", format!("{listen} cannot be listened on: {error}"), todo)
        }
    }
}

/// Who answers on the address.
enum Answer {
    Ready,
    NotReady,
    /// Not our server.
    Another,
}

/// What our own server says of itself.
async fn readyz(listen: SocketAddr) -> Answer {
    let asked = async {
        let client = reqwest::Client::builder().timeout(PATIENCE).no_proxy().build().ok()?;
        let answer = client.get(format!("http://{}/readyz", near(listen))).send().await.ok()?;
        answer.json::<serde_json::Value>().await.ok()?.get("ready")?.as_bool()
    };
    match asked.await {
        Some(true) => Answer::Ready,
        Some(false) => Answer::NotReady,
        None => Answer::Another,
    }
}

/// Every address of this machine means this machine.
fn near(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    SocketAddr::new(ip, listen.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_space_is_read_from_df() {
        let df = "Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/x 100 50 2097152 50% /a b\n";
        assert_eq!(free(df), Some(2048));
        assert_eq!(free("nothing\n"), None);
        assert_eq!(free("a\nb c d e\n"), None);
    }
}
