//! The App as GitHub has it: credentials, clock, permissions, events, installations, webhook. Reads alone.

use super::report::Check;
use crate::adapters::github::GithubForge;
use crate::adapters::github::inspect::{AppReport, Delivery, Hook, Installation, Presence, Verification};
use crate::adapters::github::manifest::{Level, manifest};
use crate::config::Config;
use crate::ports::ForgeError;
use chrono::Duration;
use std::collections::BTreeMap;

/// Seconds by which clocks may differ before the App's tokens are refused.
const SKEW: i64 = 60;
/// Events without which nothing is ever judged, wherever the App runs.
const NEEDED: [&str; 3] = ["issues", "issue_comment", "push"];

/// Who the App is. None = GitHub did not say, and nothing more can be asked of it.
pub(super) async fn app(forge: &GithubForge, config: &Config) -> (Vec<Check>, Option<AppReport>) {
    let api = config.github.api_url.as_str().trim_end_matches('/');
    let id = config.github.app_id.map(|id| id.to_string()).unwrap_or_default();
    let answer = forge.app_report().await;
    let mut checks: Vec<Check> = forge.server_ahead().map(clock).into_iter().collect();
    let clock_is_off = forge.server_ahead().is_some_and(|ahead| ahead.num_seconds().abs() >= SKEW);
    match answer {
        Ok(report) => {
            checks.push(Check::ok("app", format!("{api} knows this App as {} (App ID {})", report.slug, report.id)));
            (checks, Some(report))
        }
        Err(error) => {
            checks.push(match error {
                ForgeError::Unauthorized { message, .. } => Check::wrong(
                    "app",
                    format!("{api} does not accept the private key for App ID {id}: {message}"),
                    if clock_is_off {
                        "set the clock first"
                    } else {
                        "App ID and private key are of one App, and the key is still listed on the App's page"
                    },
                ),
                ForgeError::NotFound { .. } => Check::wrong(
                    "app",
                    format!("{api} knows no App with the App ID {id}"),
                    "GITHUB_APP_ID is the App ID on the App's page; GITHUB_API_URL is the server that has the App",
                ),
                ForgeError::NotOffered { .. } => Check::wrong(
                    "app",
                    format!("{api} is not GitHub's API"),
                    "GITHUB_API_URL is https://api.github.com, or https://HOST/api/v3 for an Enterprise Server",
                ),
                error => Check::unchecked(
                    "app",
                    format!("{api} does not answer, so nothing of the App was checked: {}", message(&error)),
                    "is GITHUB_API_URL right, and may this machine reach it? Proxies and certificates count, too",
                ),
            });
            (checks, None)
        }
    }
}

fn clock(ahead: Duration) -> Check {
    // The header has whole seconds, and the answer took a moment.
    let seconds = ahead.num_seconds();
    match seconds.abs() {
        0..=5 => Check::ok("clock", "agrees with GitHub's"),
        off => {
            let side = if seconds > 0 { "behind" } else { "ahead of" };
            let what = format!("{off} s {side} GitHub's");
            let todo = "set the clock, such as by NTP: GitHub refuses the App's tokens when it is a minute off";
            if off >= SKEW { Check::wrong("clock", what, todo) } else { Check::warning("clock", what, todo) }
        }
    }
}

/// What the App asks for, against `app.yml`.
pub(super) fn asks(report: &AppReport, config: &Config) -> Vec<Check> {
    let page = report.settings(web(config));
    let mut checks = Vec::new();
    match &report.permissions {
        None => {
            let what = "the server does not say what the App asks for";
            checks.push(Check::warning("permissions", what, format!("compare {page}/permissions with app.yml")));
        }
        Some(asked) => {
            let lacks = lacks(asked);
            let todo = format!("change it at {page}/permissions, then accept it in each installation");
            checks.push(if lacks.is_empty() {
                Check::ok("permissions", "the App asks for what app.yml says")
            } else {
                Check::wrong("permissions", format!("the App does not ask for {}", lacks.join("; ")), todo)
            });
            let more = more(asked);
            if !more.is_empty() {
                let what = format!("the App asks for more than it uses: {}", more.join(", "));
                let todo = format!("take it away at {page}/permissions: what is not granted cannot be misused");
                checks.push(Check::warning("permissions", what, todo));
            }
        }
    }
    let Some(events) = &report.events else { return checks };
    let missing: Vec<&str> =
        manifest().events.iter().map(String::as_str).filter(|event| !events.iter().any(|had| had == event)).collect();
    let what = format!("the App is not subscribed to {}", missing.join(", "));
    let todo = format!("tick them at {page}/permissions, under Subscribe to events");
    checks.push(if missing.is_empty() {
        Check::ok("events", format!("the App is subscribed to all {} of app.yml", manifest().events.len()))
    } else if on_github_com(config) || missing.iter().any(|event| NEEDED.contains(event)) {
        Check::wrong("events", what, todo)
    } else {
        Check::warning("events", what, format!("{todo}; a server of an older version may not offer them"))
    });
    checks
}

/// Where the App is installed, and what it may do there.
pub(super) async fn installations(forge: &GithubForge, report: &AppReport) -> Vec<Check> {
    let all = match forge.installations().await {
        Ok(all) => all,
        Err(error) => return vec![not_checked("installations", &error)],
    };
    if all.is_empty() {
        let todo = format!("install it: {}/installations/new", report.html_url.trim_end_matches('/'));
        return vec![Check::warning("installations", "the App is installed nowhere", todo)];
    }
    let mut checks: Vec<Check> = all.iter().filter_map(installation).collect();
    let good: Vec<String> =
        all.iter().filter(|installation| self::installation(installation).is_none()).map(Installation::name).collect();
    if !good.is_empty() {
        let shown = good.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
        let rest = if good.len() > 5 { format!(" and {} more", good.len() - 5) } else { String::new() };
        checks.insert(0, Check::ok("installations", format!("all permissions on {shown}{rest}")));
    }
    checks
}

/// What is wrong with one; none where nothing is.
pub(super) fn installation(installation: &Installation) -> Option<Check> {
    let (name, page) = (installation.name(), &installation.html_url);
    if let Some(since) = installation.suspended_at {
        let what = format!("suspended on {name} since {}", since.format("%Y-%m-%d"));
        return Some(Check::wrong("installations", what, format!("who suspended it can unsuspend it: {page}")));
    }
    let lacks = lacks(installation.permissions.as_ref()?);
    (!lacks.is_empty()).then(|| {
        let what = format!("not granted on {name}: {}", lacks.join("; "));
        Check::wrong("installations", what, format!("an owner accepts the new permissions: {page}"))
    })
}

/// Where deliveries go, and how the last ones went.
pub(super) async fn webhook(forge: &GithubForge, report: &AppReport, config: &Config) -> Vec<Check> {
    let page = report.settings(web(config));
    let mut checks = match forge.hook().await {
        Ok(hook) => hook_checks(&hook, &page, config),
        Err(ForgeError::NotFound { .. } | ForgeError::NotOffered { .. }) => {
            let todo = format!("look at {page}: URL, content type json, the secret");
            return vec![Check::warning("webhook", "not offered by this server, so not checked", todo)];
        }
        Err(error) => return vec![not_checked("webhook", &error)],
    };
    match forge.deliveries().await {
        Ok(deliveries) => checks.push(delivered(&deliveries, &page)),
        Err(ForgeError::NotFound { .. } | ForgeError::NotOffered { .. }) => {}
        Err(error) => checks.push(not_checked("deliveries", &error)),
    }
    checks
}

fn hook_checks(hook: &Hook, page: &str, config: &Config) -> Vec<Check> {
    let Some(url) = hook.url.as_deref().filter(|url| !url.is_empty()) else {
        let todo = format!("set it at {page}: https://your.host{}", config.door.path);
        return vec![Check::wrong("webhook", "no URL is set at GitHub: nothing is ever delivered", todo)];
    };
    let mut checks = vec![match &config.door.public_url {
        Some(public) => {
            let expected = format!("{}{}", public.as_str().trim_end_matches('/'), config.door.path);
            if url == expected {
                Check::ok("webhook", format!("deliveries go to {url}"))
            } else {
                let todo = format!("change it at {page}, or SEKISHO_PUBLIC_URL or SEKISHO_WEBHOOK_PATH here");
                Check::wrong("webhook", format!("deliveries go to {url}; this server expects {expected}"), todo)
            }
        }
        None if url.ends_with(&config.door.path) => Check::warning(
            "webhook",
            format!("deliveries go to {url}; whether that is this server was not checked"),
            "set SEKISHO_PUBLIC_URL to this server's address",
        ),
        None => Check::wrong(
            "webhook",
            format!("deliveries go to {url}; this server takes them at {}", config.door.path),
            format!("change it at {page}, or SEKISHO_WEBHOOK_PATH here"),
        ),
    }];
    if hook.content_type.as_deref().is_some_and(|kind| kind != "json") {
        let what = "deliveries are sent as forms, and answered with 415";
        checks.push(Check::wrong("webhook", what, format!("choose application/json at {page}")));
    }
    if hook.secret == Presence::Missing {
        let what = "no secret is set at GitHub: every delivery is answered with 401";
        checks.push(Check::wrong("webhook", what, format!("set that of GITHUB_WEBHOOK_SECRET at {page}")));
    }
    if hook.insecure_ssl == Verification::Off {
        let what = "GitHub does not verify this server's certificate";
        checks.push(Check::warning("webhook", what, format!("enable SSL verification at {page}")));
    }
    checks
}

fn delivered(deliveries: &[Delivery], page: &str) -> Check {
    let failed: Vec<&Delivery> =
        deliveries.iter().filter(|delivery| !(200..300).contains(&delivery.status_code)).collect();
    let (Some(newest), Some(failure)) = (deliveries.first(), failed.first()) else {
        return Check::ok(
            "deliveries",
            match deliveries.len() {
                0 => "none was sent yet".to_owned(),
                1 => "the only one was taken in".to_owned(),
                many => format!("the last {many} were taken in"),
            },
        );
    };
    let event = match &failure.action {
        Some(action) => format!("{}.{action}", failure.event),
        None => failure.event.clone(),
    };
    let answer = match failure.status_code {
        0 => "nobody answered".to_owned(),
        code => format!("answered {code}"),
    };
    let what = format!(
        "{} of the last {} failed; the newest failure, {event} at {}: {answer}",
        failed.len(),
        deliveries.len(),
        failure.delivered_at.format("%Y-%m-%d %H:%M UTC"),
    );
    let cause = match failure.status_code {
        401 => "the secrets differ",
        503 => "the server has no secret, or its database cannot be written to",
        415 => "the content type is not application/json",
        413 => "a proxy or the server took the body for too large: allow 25 MiB",
        404 | 405 => "the path differs, or a proxy does not pass it on",
        0 | 502 | 504 => "the server was down, or GitHub cannot reach it",
        _ => "look at the answer there",
    };
    let todo = format!("{cause}; redelivering at {page}/advanced is always safe");
    // What failed before something was taken in is mended.
    let mended = (200..300).contains(&newest.status_code);
    if mended { Check::warning("deliveries", what, todo) } else { Check::wrong("deliveries", what, todo) }
}

/// A read that failed for another reason than what was looked for.
pub(super) fn not_checked(check: &'static str, error: &ForgeError) -> Check {
    Check::unchecked(check, message(error), "try again; what GitHub says stands before")
}

fn message(error: &ForgeError) -> String {
    error.to_string()
}

fn web(config: &Config) -> &str {
    config.github.web_url.as_str().trim_end_matches('/')
}

fn on_github_com(config: &Config) -> bool {
    config.github.api_url.host_str() == Some("api.github.com")
}

/// What `app.yml` asks for and is not there, such as `issues: write (read is granted)`.
fn lacks(granted: &BTreeMap<String, String>) -> Vec<String> {
    let wanted = manifest().permissions.iter();
    let lacks = wanted.filter_map(|(name, level)| match Level::of(granted.get(name).map(String::as_str)) {
        has if has >= *level => None,
        Level::None => Some(format!("{name}: {}", level.word())),
        has => Some(format!("{name}: {} (it has {})", level.word(), has.word())),
    });
    lacks.collect()
}

/// What is there and `app.yml` does not ask for. `contents: write` is optional there.
fn more(granted: &BTreeMap<String, String>) -> Vec<String> {
    let wanted = |name: &str| manifest().permissions.iter().find(|(wanted, _)| wanted == name).map(|(_, level)| *level);
    let more = granted.iter().filter(|(name, word)| {
        name.as_str() != "contents" && Level::of(Some(word)) > wanted(name).unwrap_or(Level::None)
    });
    more.map(|(name, word)| format!("{name}: {word}")).collect()
}
