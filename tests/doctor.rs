//! `sekisho doctor` as a person meets it: the real program before a GitHub that is good, and before many that are not.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, reason = "a test program")]

#[path = "doctor/github.rs"]
mod github;
#[path = "doctor/models.rs"]
mod models;

use github::{APP, GitHub};
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const KEY: &str = include_str!("fixtures/app-key.pkcs1.txt");

/// A set-up: the GitHub before it, its folder, its environment.
struct Setup {
    github: GitHub,
    home: TempDir,
    environment: Vec<(&'static str, String)>,
}

impl Setup {
    /// Everything as it should be.
    async fn good() -> Self {
        let github = GitHub::start().await;
        let environment = vec![
            ("GITHUB_APP_ID", APP.to_string()),
            ("GITHUB_PRIVATE_KEY", KEY.to_owned()),
            ("GITHUB_WEBHOOK_SECRET", "It's a Secret to Everybody".to_owned()),
            ("GITHUB_API_URL", github.url.clone()),
            ("GITHUB_WEB_URL", "https://github.test".to_owned()),
            ("SEKISHO_LISTEN", "127.0.0.1:0".to_owned()),
            ("SEKISHO_PUBLIC_URL", "https://sekisho.test".to_owned()),
        ];
        Self { github, home: TempDir::new().unwrap(), environment }
    }

    fn set(&mut self, name: &'static str, value: &str) {
        self.environment.retain(|(known, _)| *known != name);
        self.environment.push((name, value.to_owned()));
    }

    /// Runs it; exit code, standard output with what differs from run to run named, standard error.
    async fn doctor(&self, arguments: &[&str]) -> (i32, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sekisho"));
        let path = std::env::var("PATH").unwrap_or_default();
        command.arg("doctor").args(arguments).current_dir(self.home.path()).env_clear().env("PATH", path);
        command.envs(self.environment.iter().map(|(name, value)| (name, value))).stdin(Stdio::null());
        let output: Output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let text = text
            .replace(&self.github.url, "https://api.github.test")
            .replace(&format!("{}/", self.home.path().display()), "");
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for line in &mut lines {
            if line.starts_with("✓ disk: ") || line.starts_with("! disk: ") {
                "✓ disk: much free where the database is".clone_into(line);
            }
        }
        (output.status.code().unwrap(), lines.join("\n"), String::from_utf8(output.stderr).unwrap())
    }

    /// Exit code, and of the text what is not good.
    async fn bad(&self, arguments: &[&str]) -> String {
        let (code, text, error) = self.doctor(arguments).await;
        assert_eq!(error, "", "nothing goes to standard error where it is no terminal");
        assert!(!text.contains("hunter2") && !text.contains("MIIE"), "{text}");
        let mut shown = format!("exit code {code}\n");
        let mut good = false;
        for line in text.lines().filter(|line| !line.is_empty()) {
            if !line.starts_with("    ") {
                good = line.starts_with('✓');
            }
            if !good {
                shown.push_str(line);
                shown.push('\n');
            }
        }
        shown
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_good_set_up_is_good() {
    let setup = Setup::good().await;
    let (code, text, error) = setup.doctor(&["--repo", "acme/widgets"]).await;
    assert_eq!((code, error.as_str()), (0, ""), "{text}");
    insta::assert_snapshot!(text, @"
    ✓ configuration: read from the environment; there is no sekisho.toml
    ✓ private key: parses; SHA256:tgLj4ZKbBwKqL2fnr5pkrv8iFXEUo3IMFEWyizHQFEo=
    ✓ webhook secret: set
    ✓ signing keys: app-b602e3e1, made from the App's private key
    ✓ database: sekisho.db is created at the first start
    ✓ disk: much free where the database is
    ✓ listen: 127.0.0.1:0 is free; no server of ours runs there now
    ✓ judge: rules, the embedded judge; no model is asked
    ✓ clock: agrees with GitHub's
    ✓ app: https://api.github.test knows this App as sekisho-acme (App ID 12345)
    ✓ permissions: the App asks for what app.yml says
    ✓ events: the App is subscribed to all 11 of app.yml
    ✓ installations: all permissions on acme (7)
    ✓ webhook: deliveries go to https://sekisho.test/github/webhook
    ✓ deliveries: the last 3 were taken in
    ✓ repository: acme/widgets is reached through acme (7)
    ✓ contract: .github/contracts/handoff.yaml at 0123456
    ✓ gate: gate:acceptance → 5 headings, 5 signals (5 by rules), as decomposition waits for them
    ✓ gate: gate:split → 6 headings, 11 signals (11 by rules), as implementation waits for them
    ✓ gate: gate:start → 6 headings, 8 signals (8 by rules), as implementation waits for them
    ✓ gate: gate:outcome → 6 headings, 9 signals (9 by rules), as report waits for them
    ✓ gate: gate:integration → 0 headings, 2 signals (2 by rules), as integration waits for them

    22 good, 0 warnings, 0 wrong
    ");
    assert_eq!(setup.github.writes(), ["POST /app/installations/7/access_tokens"], "a token is all that is made");
    assert_eq!(std::fs::read_dir(setup.home.path()).unwrap().count(), 0, "nothing is left on the disk");
}

#[tokio::test(flavor = "multi_thread")]
async fn credentials_that_do_not_work_say_why() {
    let mut setup = Setup::good().await;
    setup.set("GITHUB_PRIVATE_KEY", "-----BEGIN RSA PRIVATE KEY-----\\nhunter2\\n-----END RSA PRIVATE KEY-----");
    insta::assert_snapshot!(setup.bad(&[]).await, @"
    exit code 1
    ✗ private key: the App's private key is damaged: its PEM block does not hold an RSA key
        → use the .pem file that GitHub gave when the key was generated on the App's page, as it is
    ? app: GitHub was not asked
        → App ID and private key come first
    6 good, 0 warnings, 1 wrong, 1 not checked
    ");
    let mut setup = Setup::good().await;
    setup.set("GITHUB_PRIVATE_KEY", "");
    setup.set("GITHUB_APP_ID", "");
    insta::assert_snapshot!(setup.bad(&[]).await, @"
    exit code 1
    ✗ private key: not set: GITHUB_APP_ID, GITHUB_PRIVATE_KEY or GITHUB_PRIVATE_KEY_PATH
        → create the App and a private key (docs/operating.md), and set them
    ? app: GitHub was not asked
        → App ID and private key come first
    6 good, 0 warnings, 1 wrong, 1 not checked
    ");
    let mut setup = Setup::good().await;
    setup.set("GITHUB_APP_ID", "999");
    insta::assert_snapshot!(setup.bad(&[]).await, @"
    exit code 1
    ✗ app: https://api.github.test does not accept the private key for App ID 999: A JSON web token could not be decoded
        → App ID and private key are of one App, and the key is still listed on the App's page
    9 good, 0 warnings, 1 wrong
    ");
    // The same refusal, and a clock that explains it.
    setup.github.is_ahead_by(3600);
    insta::assert_snapshot!(setup.bad(&[]).await.replace("3599 s", "3600 s").replace("3601 s", "3600 s"), @"
    exit code 1
    ✗ clock: 3600 s behind GitHub's
        → set the clock, such as by NTP: GitHub refuses the App's tokens when it is a minute off
    ✗ app: https://api.github.test does not accept the private key for App ID 999: A JSON web token could not be decoded
        → set the clock first
    8 good, 0 warnings, 2 wrong
    ");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_app_lacks_is_named() {
    let setup = Setup::good().await;
    setup.github.change("/app", |app| {
        app["permissions"] = json!({"issues": "read", "pull_requests": "write", "contents": "write", "metadata": "read",
            "administration": "write"});
        app["events"].as_array_mut().unwrap().retain(|event| event != "issue_comment" && event != "merge_group");
        app["owner"] = json!({"login": "acme", "type": "Organization"});
    });
    insta::assert_snapshot!(setup.bad(&[]).await, @"
    exit code 1
    ✗ permissions: the App does not ask for issues: write (it has read); checks: write
        → change it at https://github.test/organizations/acme/settings/apps/sekisho-acme/permissions, then accept it in each installation
    ! permissions: the App asks for more than it uses: administration: write
        → take it away at https://github.test/organizations/acme/settings/apps/sekisho-acme/permissions: what is not granted cannot be misused
    ✗ events: the App is not subscribed to issue_comment, merge_group
        → tick them at https://github.test/organizations/acme/settings/apps/sekisho-acme/permissions, under Subscribe to events
    13 good, 1 warning, 2 wrong
    ");
}

#[tokio::test(flavor = "multi_thread")]
async fn installations_are_looked_at_one_by_one() {
    let setup = Setup::good().await;
    setup.github.change("/app/installations", |all| {
        let mut suspended = all[0].clone();
        suspended["id"] = json!(8);
        suspended["account"]["login"] = json!("beta");
        suspended["suspended_at"] = json!("2026-01-02T03:04:05Z");
        let mut poor = all[0].clone();
        poor["id"] = json!(9);
        poor["account"]["login"] = json!("gamma");
        poor["permissions"]["issues"] = json!("read");
        all.as_array_mut().unwrap().extend([suspended, poor]);
    });
    setup.github.change("/repos/acme/widgets/installation", |one| one["suspended_at"] = json!("2026-01-02T03:04:05Z"));
    insta::assert_snapshot!(setup.bad(&["--repo", "acme/widgets"]).await, @"
    exit code 1
    ✗ installations: suspended on beta (8) since 2026-01-02
        → who suspended it can unsuspend it: https://github.test/organizations/acme/settings/installations/7
    ✗ installations: not granted on gamma (9): issues: write (it has read)
        → an owner accepts the new permissions: https://github.test/organizations/acme/settings/installations/7
    ✗ repository: acme/widgets: nothing can be read while the installation is suspended
        → unsuspend it first
    15 good, 0 warnings, 3 wrong
    ");
    setup.github.put("/app/installations", json!([]));
    insta::assert_snapshot!(setup.bad(&["--repo", "acme/gadgets"]).await, @"
    exit code 1
    ! installations: the App is installed nowhere
        → install it: https://github.test/apps/sekisho-acme/installations/new
    ✗ repository: acme/gadgets: the App is not installed there, or there is no such repository
        → install it on acme/gadgets: https://github.test/apps/sekisho-acme/installations/new
    14 good, 1 warning, 1 wrong
    ");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_that_leads_elsewhere_is_seen() {
    let mut setup = Setup::good().await;
    setup.github.put(
        "/app/hook/config",
        json!({"url": "https://old.test/hook", "content_type": "form", "insecure_ssl": "1", "secret": null}),
    );
    setup.github.change("/app/hook/deliveries", |all| {
        all[0]["status_code"] = json!(401);
        all[2]["status_code"] = json!(503);
    });
    setup.set("GITHUB_WEBHOOK_SECRET", "");
    insta::assert_snapshot!(setup.bad(&[]).await, @"
    exit code 1
    ✗ webhook secret: GITHUB_WEBHOOK_SECRET is not set: every delivery is answered with 503
        → set it, and the same one on the App's page
    ✗ webhook: deliveries go to https://old.test/hook; this server expects https://sekisho.test/github/webhook
        → change it at https://github.test/settings/apps/sekisho-acme, or SEKISHO_PUBLIC_URL or SEKISHO_WEBHOOK_PATH here
    ✗ webhook: deliveries are sent as forms, and answered with 415
        → choose application/json at https://github.test/settings/apps/sekisho-acme
    ✗ webhook: no secret is set at GitHub: every delivery is answered with 401
        → set that of GITHUB_WEBHOOK_SECRET at https://github.test/settings/apps/sekisho-acme
    ! webhook: GitHub does not verify this server's certificate
        → enable SSL verification at https://github.test/settings/apps/sekisho-acme
    ✗ deliveries: 2 of the last 3 failed; the newest failure, issues.labeled at 2026-01-02 03:04 UTC: answered 401
        → the secrets differ; redelivering at https://github.test/settings/apps/sekisho-acme/advanced is always safe
    12 good, 1 warning, 5 wrong
    ");
    // A server that offers neither, and no address to compare with.
    let mut setup = Setup::good().await;
    setup.set("SEKISHO_PUBLIC_URL", "");
    setup.set("GITHUB_WEBHOOK_SECRET", "short");
    insta::assert_snapshot!(setup.bad(&[]).await, @"
    exit code 0
    ! webhook secret: shorter than 16 characters: it can be guessed
        → `openssl rand -hex 32` prints a better one
    ! webhook: deliveries go to https://sekisho.test/github/webhook; whether that is this server was not checked
        → set SEKISHO_PUBLIC_URL to this server's address
    13 good, 2 warnings, 0 wrong
    ");
    setup.github.remove("/app/hook/config");
    setup.github.remove("/app/hook/deliveries");
    insta::assert_snapshot!(setup.bad(&[]).await, @"
    exit code 0
    ! webhook secret: shorter than 16 characters: it can be guessed
        → `openssl rand -hex 32` prints a better one
    ! webhook: not offered by this server, so not checked
        → look at https://github.test/settings/apps/sekisho-acme: URL, content type json, the secret
    12 good, 2 warnings, 0 wrong
    ");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_cannot_be_used_is_seen() {
    let mut setup = Setup::good().await;
    setup.set("DATABASE_URL", "sqlite:gone/sekisho.db");
    insta::assert_snapshot!(setup.bad(&[]).await, @"
    exit code 1
    ✗ database: gone/sekisho.db cannot be created: gone: No such file or directory (os error 2)
        → DATABASE_URL names a file in a folder that the server's user may write to
    13 good, 0 warnings, 1 wrong
    ");
    std::fs::write(setup.home.path().join("no.db"), vec![7; 8192]).unwrap();
    setup.set("DATABASE_URL", "sqlite:no.db");
    insta::assert_snapshot!(setup.bad(&[]).await, @"
    exit code 1
    ✗ database: sqlite:no.db: the database holds something unreadable: file is not a database
        → DATABASE_URL names a file in a folder that the server's user may write to
    13 good, 0 warnings, 1 wrong
    ");
    setup.set("DATABASE_URL", "sqlite::memory:");
    insta::assert_snapshot!(setup.bad(&[]).await, @"
    exit code 0
    ! database: sqlite::memory: is in memory: everything is lost when the server stops
        → use sqlite:PATH
    13 good, 1 warning, 0 wrong
    ");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_contract_is_drawn() {
    let setup = Setup::good().await;
    let text = "version: 1\nkind: handoff\nphases: []\ngates: {}\n";
    setup.github.put_file(".github/contracts/handoff.yaml", text);
    insta::assert_snapshot!(setup.bad(&["--repo", "acme/widgets"]).await, @"
    exit code 1
    ✗ contract: broken in acme/widgets at 0123456: nothing is judged
        .github/contracts/handoff.yaml:4:8: error[empty]: `gates` declares no gate; expected at least one gate
             4 | gates: {}
        → mend it on the default branch; `sekisho contract check FILE` says the same before a merge
    16 good, 0 warnings, 1 wrong
    ");
    // Without a file the built-in contract applies; its labels are not there yet.
    setup.github.remove("/repos/acme/widgets/contents/.github/contracts");
    setup.github.put("/repos/acme/widgets/labels", json!([{"name": "bug"}, {"name": "Gate:Start"}]));
    let (code, text, _) = setup.doctor(&["--repo", "acme/widgets"]).await;
    assert_eq!(code, 0);
    let from = text.find("✓ contract").expect("a contract is in force");
    insta::assert_snapshot!(&text[from..], @"
    ✓ contract: none in the repository: the built-in one of each issue's language applies
    ! gate: gate:acceptance → 5 headings, 5 signals (5 by rules), as decomposition waits for them
        → acme/widgets has no such label yet; create it, so that people can set it
    ! gate: gate:split → 6 headings, 11 signals (11 by rules), as implementation waits for them
        → acme/widgets has no such label yet; create it, so that people can set it
    ✓ gate: gate:start → 6 headings, 8 signals (8 by rules), as implementation waits for them
    ! gate: gate:outcome → 6 headings, 9 signals (9 by rules), as report waits for them
        → acme/widgets has no such label yet; create it, so that people can set it
    ! gate: gate:integration → 0 headings, 2 signals (2 by rules), as integration waits for them
        → acme/widgets has no such label yet; create it, so that people can set it

    18 good, 4 warnings, 0 wrong
    ");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_mistake_of_the_file_is_said_at_once() {
    let setup = Setup::good().await;
    let file =
        "[github]\nwebhook_secret = 4711\nwebhok_secret = \"hunter2hunter2\"\n\n[sekisho]\nedit_window = \"20 s\"\n";
    write(&setup, "sekisho.toml", file);
    insta::assert_snapshot!(setup.bad(&[]).await, @"
    exit code 1
    ✗ configuration: 3 problems, so nothing else was checked
        sekisho.toml:2:18: github.webhook_secret: expected a text in quotes, or a list of them, found a number
        sekisho.toml:3:1: unknown key `webhok_secret`; did you mean `webhook_secret`?
        sekisho.toml:6:15: sekisho.edit_window: expected seconds, a number without quotes, found a text
        → .env.example and sekisho.example.toml show every variable and key
    0 good, 0 warnings, 1 wrong
    ");
    write(&setup, "other.toml", "[github\n");
    insta::assert_snapshot!(setup.bad(&["--config", "other.toml"]).await, @"
    exit code 1
    ✗ configuration: 1 problem, so nothing else was checked
        other.toml:1:8: not TOML: unclosed table, expected `]`
        → .env.example and sekisho.example.toml show every variable and key
    0 good, 0 warnings, 1 wrong
    ");
    insta::assert_snapshot!(setup.bad(&["--config", "gone.toml"]).await, @"
    exit code 1
    ✗ configuration: 1 problem, so nothing else was checked
        gone.toml: cannot be read: No such file or directory (os error 2)
        → .env.example and sekisho.example.toml show every variable and key
    0 good, 0 warnings, 1 wrong
    ");
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn secrets_that_everybody_can_read_are_seen() {
    use std::os::unix::fs::PermissionsExt as _;
    let mut setup = Setup::good().await;
    setup.set("GITHUB_WEBHOOK_SECRET", "");
    setup.set("GITHUB_PRIVATE_KEY", "");
    write(&setup, "app.pem", KEY);
    write(
        &setup,
        "sekisho.toml",
        "[github]\nprivate_key_path = \"app.pem\"\nwebhook_secret = \"hunter2hunter2hunter2\"\n",
    );
    let mode = |file: &str, mode: u32| {
        std::fs::set_permissions(setup.home.path().join(file), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    mode("app.pem", 0o644);
    mode("sekisho.toml", 0o664);
    insta::assert_snapshot!(setup.bad(&[]).await, @"
    exit code 0
    ! configuration: sekisho.toml holds github.webhook_secret, and everybody on this machine can read it (mode 664)
        → chmod 600 sekisho.toml, with the server's user as its owner
    ! configuration: app.pem holds the private key, and everybody on this machine can read it (mode 644)
        → chmod 600 app.pem, with the server's user as its owner
    15 good, 2 warnings, 0 wrong
    ");
    mode("app.pem", 0o600);
    mode("sekisho.toml", 0o640);
    assert_eq!(setup.bad(&[]).await.lines().next(), Some("exit code 0"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_could_not_be_looked_at_is_not_called_wrong() {
    let mut setup = Setup::good().await;
    // A port that nobody listens on: this one was free a moment ago.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    setup.set("GITHUB_API_URL", &format!("http://127.0.0.1:{port}"));
    let shown = setup.bad(&[]).await.replace(&port.to_string(), "PORT");
    insta::assert_snapshot!(shown, @"
    exit code 2
    ? app: http://127.0.0.1:PORT does not answer, so nothing of the App was checked: GET app: unreachable: Connection refused (os error 111)
        → is GITHUB_API_URL right, and may this machine reach it? Proxies and certificates count, too
    8 good, 0 warnings, 0 wrong, 1 not checked
    ");
    let (code, text, _) = setup.doctor(&["--format", "json"]).await;
    let checks: Vec<Value> = serde_json::from_str(&text).unwrap();
    assert_eq!(code, 2);
    assert!(checks.iter().all(|check| ["ok", "unchecked"].contains(&check["state"].as_str().unwrap())), "{text}");
    assert_eq!(checks[0]["check"], "configuration");
    assert_eq!(checks[0]["todo"], Value::Null);
    assert_eq!(checks.last().unwrap()["state"], "unchecked");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_program_on_the_port_is_seen() {
    let mut setup = Setup::good().await;
    let address = setup.github.url.trim_start_matches("http://").to_owned();
    setup.set("SEKISHO_LISTEN", &address);
    let shown = setup.bad(&[]).await.replace(&address, "127.0.0.1:PORT");
    insta::assert_snapshot!(shown, @"
    exit code 1
    ✗ listen: another program uses 127.0.0.1:PORT
        → stop the other program, or set SEKISHO_LISTEN to another port
    14 good, 0 warnings, 1 wrong
    ");
}

#[tokio::test(flavor = "multi_thread")]
async fn our_own_server_on_the_port_is_good() {
    let mut setup = Setup::good().await;
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    setup.set("SEKISHO_LISTEN", &format!("0.0.0.0:{port}"));
    let mut serve = Command::new(env!("CARGO_BIN_EXE_sekisho"));
    serve.arg("serve").current_dir(setup.home.path()).env_clear();
    serve.envs(setup.environment.iter().map(|(name, value)| (name, value))).stderr(Stdio::null());
    let mut serve = serve.spawn().unwrap();
    let begun = std::time::Instant::now();
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() && begun.elapsed().as_secs() < 60 {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let (code, text, _) = setup.doctor(&[]).await;
    serve.kill().unwrap();
    serve.wait().unwrap();
    assert_eq!(code, 0, "{text}");
    for line in [
        &format!("✓ listen: a Sekisho server answers on 0.0.0.0:{port} and is ready"),
        "✓ database: sekisho.db opens and can be written to; tables of this version, WAL",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_enterprise_server_is_looked_at_the_same_way() {
    let mut setup = Setup::good().await;
    setup.set("GITHUB_API_URL", &format!("{}/api/v3", setup.github.url));
    setup.github.change("/app", |app| app["events"].as_array_mut().unwrap().retain(|event| event != "sub_issues"));
    let shown = setup.bad(&["--repo", "acme/widgets"]).await;
    insta::assert_snapshot!(shown, @"
    exit code 0
    ! events: the App is not subscribed to sub_issues
        → tick them at https://github.test/settings/apps/sekisho-acme/permissions, under Subscribe to events; a server of an older version may not offer them
    21 good, 1 warning, 0 wrong
    ");
}

#[test]
fn wrong_usage_is_64() {
    let output = Command::new(env!("CARGO_BIN_EXE_sekisho")).args(["doctor", "--repo", "acme"]).output().unwrap();
    assert_eq!(output.status.code(), Some(64));
}

fn write(setup: &Setup, name: &str, text: &str) {
    std::fs::write(Path::new(setup.home.path()).join(name), text).unwrap();
}
