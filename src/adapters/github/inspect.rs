//! What only `sekisho doctor` asks: the App as GitHub has it, its installations, its webhook, a repository's labels.
//! Reads alone. None of it is part of the port, since no gate needs it.

use super::client::{next, parse};
use super::{GithubForge, get, repository};
use crate::domain::ids::{InstallationId, RepositoryId, RepositoryName};
use crate::ports::{ForgeError, Place};
use chrono::{DateTime, Duration, Utc};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::PoisonError;

/// Pages of a list of the App's own, 100 entries each.
const PAGES: usize = 10;
/// How many deliveries are looked at.
const DELIVERIES: usize = 50;

/// `GET /app`.
#[derive(Clone, Debug, Deserialize)]
pub struct AppReport {
    /// Its id.
    pub id: u64,
    /// Its slug.
    pub slug: String,
    /// Its page.
    #[serde(default)]
    pub html_url: String,
    /// Whose App it is.
    pub owner: Option<Account>,
    /// What it asks for now, such as `issues` → `write`; none where the server does not say.
    pub permissions: Option<BTreeMap<String, String>>,
    /// What it subscribes to now; none where the server does not say.
    pub events: Option<Vec<String>>,
}

/// One installation.
#[derive(Clone, Debug, Deserialize)]
pub struct Installation {
    /// Its id.
    pub id: u64,
    /// Where it is installed.
    pub account: Option<Account>,
    /// What was granted there; none where the server does not say.
    pub permissions: Option<BTreeMap<String, String>>,
    /// Since when it is suspended.
    pub suspended_at: Option<DateTime<Utc>>,
    /// Its page.
    #[serde(default)]
    pub html_url: String,
}

impl AppReport {
    /// The page where its owner changes it; `web` is the address of the server's pages, without a slash at the end.
    #[must_use]
    pub fn settings(&self, web: &str) -> String {
        let slug = &self.slug;
        match self.owner.as_ref().filter(|owner| owner.kind.as_deref() == Some("Organization")) {
            Some(owner) => format!("{web}/organizations/{}/settings/apps/{slug}", owner.login),
            None => format!("{web}/settings/apps/{slug}"),
        }
    }
}

impl Installation {
    /// Its account and its id, for people.
    #[must_use]
    pub fn name(&self) -> String {
        match &self.account {
            Some(account) => format!("{} ({})", account.login, self.id),
            None => format!("installation {}", self.id),
        }
    }
}

/// A person or an organisation.
#[derive(Clone, Debug, Deserialize)]
pub struct Account {
    /// The login.
    pub login: String,
    /// `User` or `Organization`.
    #[serde(rename = "type")]
    pub kind: Option<String>,
}

/// `GET /app/hook/config`. The secret itself is never shown; where one is set, GitHub shows stars.
#[derive(Clone, Debug, Deserialize)]
pub struct Hook {
    /// Where deliveries go.
    pub url: Option<String>,
    /// `json` or `form`.
    pub content_type: Option<String>,
    /// Whether certificates are looked at.
    #[serde(default, deserialize_with = "verification")]
    pub insecure_ssl: Verification,
    /// Whether a secret is set.
    #[serde(default, deserialize_with = "presence")]
    pub secret: Presence,
}

/// Whether GitHub looks at the certificate of the receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verification {
    /// It does.
    #[default]
    On,
    /// It does not.
    Off,
}

/// Whether something is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Presence {
    /// It is.
    There,
    /// It is not.
    #[default]
    Missing,
}

/// One delivery, as GitHub remembers it.
#[derive(Clone, Debug, Deserialize)]
pub struct Delivery {
    /// When it was sent.
    pub delivered_at: DateTime<Utc>,
    /// GitHub's words, such as `OK` or `Invalid HTTP Response: 503`.
    #[serde(default)]
    pub status: String,
    /// What was answered; 0 = nothing.
    pub status_code: u16,
    /// The event.
    pub event: String,
    /// Its action.
    pub action: Option<String>,
}

/// A repository, as far as it is looked at.
#[derive(Clone, Debug, Deserialize)]
pub struct RepositoryReport {
    /// Its id.
    pub id: u64,
    /// Its name now.
    pub full_name: String,
    /// Whether nothing can be written in it.
    #[serde(default)]
    pub archived: bool,
}

impl RepositoryReport {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> RepositoryId {
        RepositoryId(self.id)
    }
}

impl GithubForge {
    /// How far the server's clock is ahead of ours, by the last answer of any kind; none before the first.
    #[must_use]
    pub fn server_ahead(&self) -> Option<Duration> {
        *self.client.ahead.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The App itself, with what it asks for.
    ///
    /// # Errors
    /// As the port's calls.
    pub async fn app_report(&self) -> Result<AppReport, ForgeError> {
        self.of_app("/app", "app").await
    }

    /// Every installation.
    ///
    /// # Errors
    /// As the port's calls.
    pub async fn installations(&self) -> Result<Vec<Installation>, ForgeError> {
        let mut request = get("installations", "/app/installations?per_page=100".to_owned(), "installations");
        let mut all = Vec::new();
        for _ in 0..PAGES {
            let answer = self.client.as_app(&request).await?;
            all.extend(parse::<Vec<Installation>>(&request, &answer)?);
            match next(&answer.headers) {
                Some(route) => request.route = route,
                None => break,
            }
        }
        Ok(all)
    }

    /// The App's webhook.
    ///
    /// # Errors
    /// As the port's calls; `NotFound` and `NotOffered` where the server keeps none for Apps.
    pub async fn hook(&self) -> Result<Hook, ForgeError> {
        self.of_app("/app/hook/config", "webhook").await
    }

    /// The newest deliveries, newest first.
    ///
    /// # Errors
    /// As [`GithubForge::hook`].
    pub async fn deliveries(&self) -> Result<Vec<Delivery>, ForgeError> {
        self.of_app(&format!("/app/hook/deliveries?per_page={DELIVERIES}"), "deliveries").await
    }

    /// The installation that may act in a repository; `NotFound` where there is none.
    ///
    /// # Errors
    /// As the port's calls.
    pub async fn installation_of(&self, name: &RepositoryName) -> Result<Installation, ForgeError> {
        let place = Place { installation: InstallationId(0), repository: name.clone() };
        self.of_app(&format!("{}/installation", repository(&place)), &format!("installation of {name}")).await
    }

    /// The repository itself.
    ///
    /// # Errors
    /// As the port's calls.
    pub async fn repository(&self, place: &Place) -> Result<RepositoryReport, ForgeError> {
        let request = get("repository", repository(place), &format!("repository {}", place.repository));
        self.read(place, &request).await
    }

    /// The names of the repository's labels.
    ///
    /// # Errors
    /// As the port's calls.
    pub async fn labels(&self, place: &Place) -> Result<Vec<String>, ForgeError> {
        #[derive(Deserialize)]
        struct Label {
            name: String,
        }
        let route = format!("{}/labels?per_page=100", repository(place));
        let request = get("labels", route, &format!("labels of {}", place.repository));
        let labels: Vec<Label> = self.client.pages(place.installation, request).await?;
        Ok(labels.into_iter().map(|label| label.name).collect())
    }

    async fn of_app<T: DeserializeOwned>(&self, route: &str, what: &str) -> Result<T, ForgeError> {
        let request = get("inspect", route.to_owned(), what);
        parse(&request, &self.client.as_app(&request).await?)
    }
}

/// `"0"`, `"1"`, 0 or 1, as servers differ.
fn verification<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Verification, D::Error> {
    let off = match Value::deserialize(deserializer)? {
        Value::String(text) => text == "1",
        Value::Number(number) => number.as_i64() == Some(1),
        _ => false,
    };
    Ok(if off { Verification::Off } else { Verification::On })
}

fn presence<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Presence, D::Error> {
    let text: Option<String> = Option::deserialize(deserializer)?;
    Ok(if text.is_some_and(|text| !text.is_empty()) { Presence::There } else { Presence::Missing })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hook_is_read_as_servers_write_it() {
        let check = |json: &str, ssl: Verification, secret: Presence| {
            let hook: Hook = serde_json::from_str(json).unwrap();
            assert_eq!((hook.insecure_ssl, hook.secret), (ssl, secret), "{json}");
        };
        check(r#"{"url":"u","insecure_ssl":"0","secret":"********"}"#, Verification::On, Presence::There);
        check(r#"{"content_type":"json","insecure_ssl":1,"secret":null}"#, Verification::Off, Presence::Missing);
        check(r#"{"insecure_ssl":"1","secret":""}"#, Verification::Off, Presence::Missing);
        check("{}", Verification::On, Presence::Missing);
    }
}
