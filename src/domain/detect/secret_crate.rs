//! The maintained rules of the crate `secretscan`, behind a trait of ours.
//!
//! Of the crate only its table of rules is used: compiled expressions, no file, thread, environment or output. Its scanner
//! reads files and is left alone. It sees windows of at most 512 bytes around the keywords below, since it is slow on long
//! lines.

use super::secret_rules::Check;
use regex::{Captures, Regex};
use secretscan::patterns;
use std::ops::Range;
use std::sync::LazyLock;

/// Rules that others maintain.
pub(super) trait RuleSet {
    /// Tells every match of a rule in a window: all of it, and in it what is to be hidden. Byte ranges of the window.
    fn search(&self, rule: usize, window: &str, tell: &mut dyn FnMut(Range<usize>, Range<usize>));
}

/// A rule of the crate as we use it.
pub(super) struct MaintainedRule {
    /// Its name there, which a person sees too.
    pub(super) name: &'static str,
    /// One of these stands in everything that the rule matches. ASCII, in lower case.
    pub(super) keywords: &'static [&'static str],
    /// How a match is told from an example.
    pub(super) check: Check,
}

const fn format(name: &'static str, keywords: &'static [&'static str]) -> MaintainedRule {
    MaintainedRule { name, keywords, check: Check::Token }
}

const fn named(name: &'static str, keywords: &'static [&'static str]) -> MaintainedRule {
    MaintainedRule { name, keywords, check: Check::Assigned }
}

/// The rules that are used.
pub(super) const MAINTAINED: &[MaintainedRule] = &[
    format("AWS Access Key ID", &["akia"]),
    format(
        "AWS Secret Key",
        &["aws_secret", "aws-secret", "awssecret", "secret_access_key", "secret-access-key", "secretaccesskey"],
    ),
    format("GitHub Token", &["ghp_"]),
    format("GitHub OAuth", &["gho_", "ghu_", "ghs_", "ghr_"]),
    format("GitHub Fine-Grained PAT", &["github_pat_"]),
    format("Google API Key", &["aiza"]),
    format("JWT Token", &["eyj"]),
    format("OpenAI API Key", &["sk-"]),
    format("OpenAI Project Key", &["sk-proj-", "sk-svcacct-", "sk-admin-"]),
    format("Anthropic API Key", &["sk-ant-"]),
    format("Stripe API Key", &["sk_live_", "sk_test_"]),
    format("Stripe Restricted Key", &["rk_test_", "rk_live_", "whsec_"]),
    format("SendGrid API Key", &["sg."]),
    format("Slack Token", &["xoxb-", "xoxa-", "xoxp-", "xoxr-", "xoxs-"]),
    format("Slack App Token", &["xapp-"]),
    format("Twilio API Key", &["sk"]),
    format("Mailgun API Key", &["key-"]),
    format("DigitalOcean Token", &["dop_v1_"]),
    format("Shopify Token", &["shppa_"]),
    format("GitLab Token", &["glpat-"]),
    format("Hugging Face Token", &["hf_"]),
    format("npm Access Token", &["npm_"]),
    format("PyPI Upload Token", &["pypi-"]),
    format("Azure Storage Account Key", &["accountkey="]),
    format("Databricks Token", &["dapi"]),
    format("Supabase Access Token", &["sbp_"]),
    format("Telegram Bot Token", &[":aa"]),
    format("Postman API Key", &["pmak-"]),
    format("Linear API Key", &["lin_api_"]),
    format("Notion Token", &["secret_", "ntn_"]),
    format("Doppler Token", &["dp.pt.", "dp.st.", "dp.sa.", "dp.ct.", "dp.scim.", "dp.audit."]),
    format("Docker Hub Token", &["dckr_pat_"]),
    format("Grafana Service Account Token", &["glsa_"]),
    format("Age Secret Key", &["age-secret-key-1"]),
    format("Heroku API Key", &["heroku"]),
    named("Azure Client Secret", &["azure"]),
    named("PayPal Secret", &["paypal"]),
    named("Generic OAuth Secret", &["oauth", "client"]),
    named("Datadog API Key", &["datadog", "dd_", "ddapi"]),
    named("Cloudflare API Token", &["cloudflare"]),
    named("Vercel Token", &["vercel"]),
];

/// The crate's rules.
pub(super) struct Maintained;

impl RuleSet for Maintained {
    fn search(&self, rule: usize, window: &str, tell: &mut dyn FnMut(Range<usize>, Range<usize>)) {
        static REGEXES: LazyLock<Vec<Option<&'static Regex>>> = LazyLock::new(|| {
            let find = |name: &str| patterns::rules().iter().find(|rule| rule.name == name).map(|rule| &rule.regex);
            MAINTAINED.iter().map(|rule| find(rule.name)).collect()
        });
        let Some(regex) = REGEXES.get(rule).copied().flatten() else { return };
        for groups in regex.captures_iter(window) {
            let Some(whole) = groups.get(0) else { continue };
            tell(whole.range(), value(&groups, whole.range(), window, MAINTAINED[rule].keywords));
        }
    }
}

/// What is to be hidden of a match: its last long group, what follows its name, or what follows its known prefix.
fn value(groups: &Captures<'_>, whole: Range<usize>, window: &str, keywords: &[&str]) -> Range<usize> {
    let long = |group: &regex::Match<'_>| group.len() >= 16;
    if let Some(group) = groups.iter().skip(1).flatten().filter(long).last() {
        return group.range();
    }
    let text = &window[whole.clone()];
    let lower = text.to_ascii_lowercase();
    let prefix = keywords.iter().filter(|keyword| lower.starts_with(*keyword)).map(|keyword| keyword.len()).max();
    let assigned = || {
        text.rfind([':', '='])
            .map(|at| at + 1 + text[at + 1..].len() - text[at + 1..].trim_start_matches([' ', '"', '\'', '\t']).len())
    };
    let skip = match prefix {
        Some(length) if text[length..].bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.+/=".contains(&b)) => length,
        _ => assigned().filter(|at| *at < text.len()).unwrap_or(0),
    };
    whole.start + skip..whole.end
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rules that are not used, and why; a test says so when the crate brings one that stands in neither list.
    const LEFT_OUT: &[(&str, &str)] = &[
        ("AWS Access Key", "the bare form is used"),
        ("Google OAuth", "a client id is no secret"),
        ("Generic Client ID", "a client id is no secret"),
        ("PayPal Client ID", "a client id is no secret"),
        ("Azure Tenant ID", "a tenant id is no secret"),
        ("Firebase API Key", "the same as the Google key"),
        ("GCP Service Account", "marks a file; the key in it is found by itself"),
        ("RSA Private Key", "blocks of keys are read by hand, to their end"),
        ("EC Private Key", "as above"),
        ("PGP Private Key", "as above"),
        ("SSH Private Key", "as above"),
        ("Generic Private Key", "as above"),
        ("Multi-line Private Key", "as above"),
        ("Discord Token", "no keyword: it would be asked about the whole text"),
        ("PostgreSQL URL", "one shape of ours reads every scheme"),
        ("MySQL URL", "as above"),
        ("MongoDB URL", "as above"),
        ("Redis URL", "as above"),
        ("Password in URL", "as above"),
        ("Password in JSON", "our shape knows placeholders better"),
        ("Password in YAML", "as above"),
        ("Password Environment Variable", "as above"),
        ("Generic Secret", "as above"),
        ("Connection String", "matches any value; a password in it is found by itself"),
        ("Database URL", "as above"),
        ("URL Encoded Pattern", "as above"),
        ("Base64 Variable Pattern", "Base64 is decoded and read"),
        ("Suspicious Base64", "every long word is one"),
        ("Hex Variable Pattern", "hashes"),
        ("Suspicious Hex", "hashes"),
        ("Character Array Pattern", "every list of numbers is one"),
        ("Split Secret Pattern", "strings of code are joined and read"),
    ];

    #[test]
    fn every_rule_of_the_crate_is_used_or_left_out_for_a_reason() {
        for rule in patterns::rules() {
            let used = MAINTAINED.iter().filter(|ours| ours.name == rule.name).count();
            let left = LEFT_OUT.iter().filter(|(name, why)| *name == rule.name && !why.is_empty()).count();
            assert_eq!(used + left, 1, "{}", rule.name);
        }
        assert_eq!(MAINTAINED.len() + LEFT_OUT.len(), patterns::rules().len());
    }

    #[track_caller]
    fn check(name: &str, window: &str, expect: &str) {
        let window = window.replace('~', "");
        let rule = MAINTAINED.iter().position(|rule| rule.name == name).expect("a rule that is used");
        let mut found = Vec::new();
        Maintained.search(rule, &window, &mut |_, value| found.push(window[value].to_owned()));
        assert_eq!(found, [expect]);
    }

    #[test]
    fn the_value_is_what_a_reader_must_not_see() {
        check(
            "Supabase Access Token",
            "a sb~p_3f2c9d1e8b7a6054c3d2e1f0a9b8c7d6e5f40312.",
            "3f2c9d1e8b7a6054c3d2e1f0a9b8c7d6e5f40312",
        );
        check("Vercel Token", "VERCEL_TOKEN = 'x7Kq2Zr9Tn4Lw8Vb5Mc3Pd6Y'", "x7Kq2Zr9Tn4Lw8Vb5Mc3Pd6Y");
        check(
            "Generic OAuth Secret",
            "client_secret: x7Kq2Zr9Tn4Lw8Vb5Mc3Pd6Yh7Kq2Zr9",
            "x7Kq2Zr9Tn4Lw8Vb5Mc3Pd6Yh7Kq2Zr9",
        );
        check("Stripe API Key", "sk_~live_x7Kq2Zr9Tn4Lw8Vb5Mc3Pd6Y", "x7Kq2Zr9Tn4Lw8Vb5Mc3Pd6Y");
    }
}
