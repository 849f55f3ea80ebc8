//! The one list of names: each variable of the environment, and with it the key of `sekisho.toml` that says the same.

/// A setting: a variable of the environment, and, but for [`Kind::Place`], a key of `sekisho.toml`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name in the environment.
    pub name: &'static str,
    /// What holds where it is not set; empty = nothing.
    pub default: &'static str,
    /// What it is for, one sentence.
    pub about: &'static str,
    /// What it holds.
    pub kind: Kind,
}

/// What a setting holds, and so how it is written in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A text.
    Text,
    /// A whole number.
    Number,
    /// Seconds; decimals are allowed.
    Seconds,
    /// A text that nobody may see.
    Secret,
    /// Several of them: comma-separated in the environment, a text or a list of texts in the file.
    Secrets,
    /// Several texts: comma-separated in the environment, a text or a list of texts in the file.
    List,
    /// Where the file itself is: in the environment only.
    Place,
}

impl Variable {
    /// Table and key in the file: what stands before the first `_` of the name, and the rest, in lower case.
    /// None for the place of the file itself.
    #[must_use]
    pub fn key(&self) -> Option<(String, String)> {
        if self.kind == Kind::Place {
            return None;
        }
        let (table, key) = self.name.split_once('_')?;
        Some((table.to_ascii_lowercase(), key.to_ascii_lowercase()))
    }

    /// Whether its value is secret.
    #[must_use]
    pub fn is_secret(&self) -> bool {
        matches!(self.kind, Kind::Secret | Kind::Secrets)
    }
}

const fn variable(name: &'static str, kind: Kind, default: &'static str, about: &'static str) -> Variable {
    Variable { name, default, about, kind }
}

/// Every setting that is read. `.env.example` and `sekisho.example.toml` list exactly these.
pub const VARIABLES: &[Variable] = &[
    variable("SEKISHO_CONFIG", Kind::Place, "sekisho.toml", "The configuration file; what stands here counts more."),
    variable("GITHUB_APP_ID", Kind::Number, "", "The App's id, a number."),
    variable("GITHUB_PRIVATE_KEY", Kind::Secret, "", "The App's private key, PEM; line ends may be written as \\n."),
    variable("GITHUB_PRIVATE_KEY_PATH", Kind::Text, "", "Or the file that holds it."),
    variable(
        "GITHUB_WEBHOOK_SECRET",
        Kind::Secrets,
        "",
        "The webhook's secret; several, comma-separated, while it is rotated.",
    ),
    variable(
        "GITHUB_API_URL",
        Kind::Text,
        "https://api.github.com",
        "GitHub's API; https://HOST/api/v3 for an Enterprise Server.",
    ),
    variable("GITHUB_WEB_URL", Kind::Text, "", "GitHub's pages; made from the API's address where it is not set."),
    variable("DATABASE_URL", Kind::Text, "sqlite:sekisho.db", "The database."),
    variable("SEKISHO_LISTEN", Kind::Text, "127.0.0.1:3000", "Address and port to listen on."),
    variable("SEKISHO_PUBLIC_URL", Kind::Text, "", "The address at which others reach this server."),
    variable("SEKISHO_WEBHOOK_PATH", Kind::Text, "/github/webhook", "Where GitHub posts webhooks."),
    variable(
        "SEKISHO_SIGNING_KEYS",
        Kind::Secrets,
        "",
        "Keys of records as kid:hex, comma-separated; the first signs, all verify. Made from the private key where not set.",
    ),
    variable(
        "SEKISHO_SYNCHRONOUS",
        Kind::Text,
        "normal",
        "normal: what was answered survives a crash; full: a loss of power, too.",
    ),
    variable("SEKISHO_QUIET_WINDOW", Kind::Seconds, "1", "Seconds in which the same label counts once; 0: at once."),
    variable(
        "SEKISHO_EDIT_WINDOW",
        Kind::Seconds,
        "20",
        "Seconds without a further edit before an edited text is judged; 0: at once.",
    ),
    variable("SEKISHO_SETTLE", Kind::Seconds, "10", "Seconds after a lost answer before GitHub's lists are trusted."),
    variable(
        "SEKISHO_JUDGE",
        Kind::Text,
        "",
        "Who judges: rules (the embedded judge alone) or models; where not set: models if SEKISHO_MODELS is, else rules.",
    ),
    variable(
        "SEKISHO_MODELS",
        Kind::List,
        "",
        "Models by the aliases of contracts, such as fast=anthropic:ID,strong=openai:ID@URL; a further entry of an alias is its second opinion.",
    ),
    variable(
        "SEKISHO_MODEL_KEYS",
        Kind::Secrets,
        "",
        "Keys of single models as alias:KEY, comma-separated; that of an alias's second entry as alias/2:KEY.",
    ),
    variable("SEKISHO_MODEL_TIMEOUT", Kind::Seconds, "60", "Seconds that one call of a model may take."),
    variable("SEKISHO_MODEL_CALLS", Kind::Number, "4", "Calls of one model at the same time."),
    variable(
        "SEKISHO_MODEL_FAMILIES",
        Kind::List,
        "",
        "Families of models that are not known, as beginning=family, comma-separated.",
    ),
    variable(
        "SEKISHO_PRICES",
        Kind::List,
        "",
        "Prices as beginning=input/cached/cache_written/output, dollars per million tokens; they count more than the shipped ones.",
    ),
    variable(
        "SEKISHO_BUDGET",
        Kind::List,
        "",
        "What all calls of models may use in a day (UTC): such as 200000 tokens, $2.50, or both with a comma between.",
    ),
    variable("SEKISHO_BUDGET_INSTALLATION", Kind::List, "", "The same for each installation."),
    variable("SEKISHO_BUDGET_REPOSITORY", Kind::List, "", "The same for each repository."),
    variable("ANTHROPIC_API_KEY", Kind::Secret, "", "The key of models behind anthropic:."),
    variable("OPENAI_API_KEY", Kind::Secret, "", "The key of models behind openai:."),
    variable("RUST_LOG", Kind::Text, "info", "What is logged, such as info or debug."),
];

/// Settings of later versions. They may stand in the environment and in the file; but for those that would change what
/// the operator asked for, they are passed over.
pub(super) const LATER: &[Variable] = &[
    variable("GITHUB_CLIENT_ID", Kind::Text, "", ""),
    variable("GITHUB_CLIENT_SECRET", Kind::Secret, "", ""),
    variable("SEKISHO_SESSION_KEY", Kind::Secret, "", ""),
    variable("SEKISHO_ROLE", Kind::Text, "", ""),
    variable("OTEL_EXPORTER_OTLP_ENDPOINT", Kind::Text, "", ""),
];

/// The setting of that name, of this version or a later one.
pub(super) fn named(name: &str) -> Option<&'static Variable> {
    VARIABLES.iter().chain(LATER).find(|variable| variable.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_follow_from_names() {
        let check = |name: &str, table: &str, key: &str| {
            assert_eq!(named(name).and_then(Variable::key), Some((table.to_owned(), key.to_owned())));
        };
        check("GITHUB_PRIVATE_KEY_PATH", "github", "private_key_path");
        check("SEKISHO_QUIET_WINDOW", "sekisho", "quiet_window");
        check("DATABASE_URL", "database", "url");
        check("RUST_LOG", "rust", "log");
        assert_eq!(named("SEKISHO_CONFIG").and_then(Variable::key), None);
    }

    #[test]
    fn no_two_settings_share_a_key() {
        let mut keys: Vec<_> = VARIABLES.iter().chain(LATER).filter_map(Variable::key).collect();
        keys.sort();
        let all = keys.len();
        keys.dedup();
        assert_eq!(keys.len(), all);
        assert_eq!(all, VARIABLES.len() + LATER.len() - 1, "each has one, but for the place of the file");
    }
}
