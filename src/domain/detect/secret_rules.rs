//! The shapes of secrets: what begins them, and which part of them is hidden.

/// How a found value is told from an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Check {
    /// A provider's token: random, unless it is a run of one letter or a documented example.
    Token,
    /// A password in a URL: anything but a placeholder or the user's own name.
    Url,
    /// A password behind a name: a figure or a mark among its letters, and no reference to where it is kept.
    Password,
    /// A value behind a name such as `token`: it must look random.
    Assigned,
}

/// One shape.
pub(super) struct Shape {
    /// What it is, for a person.
    pub(super) name: &'static str,
    /// ASCII, compared without case: the regex is tried only where one of these stands.
    pub(super) keywords: &'static [&'static str],
    /// Group 1 is what is hidden; what stands before it in the match is kept.
    pub(super) pattern: &'static str,
    /// How it is told from an example.
    pub(super) check: Check,
}

const fn token(name: &'static str, keywords: &'static [&'static str], pattern: &'static str) -> Shape {
    Shape { name, keywords, pattern, check: Check::Token }
}

/// All shapes but private key blocks, which `secret.rs` reads by hand.
pub(super) const SHAPES: &[Shape] = &[
    token("GitHub token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], r"\bgh[pousr]_([A-Za-z0-9_]{30,255})"),
    token("GitHub token", &["github_pat_"], r"\bgithub_pat_([A-Za-z0-9_]{22,255})"),
    token(
        "GitLab token",
        &["glpat-", "gldt-", "glrt-", "glcbt-", "glptt-"],
        r"\bgl(?:pat|dt|rt|cbt|ptt)-([A-Za-z0-9_\-.]{20,300})",
    ),
    token("AWS access key", &["akia", "asia", "abia", "acca"], r"\b(?:AKIA|ASIA|ABIA|ACCA)([A-Z2-7]{16})\b"),
    token("Anthropic key", &["sk-ant-"], r"\bsk-ant-([A-Za-z0-9_\-]{20,300})"),
    token("OpenAI key", &["sk-"], r"\bsk-(?:proj-|svcacct-|admin-)?([A-Za-z0-9_\-]{20,300})"),
    token("OpenRouter key", &["sk-or-"], r"\bsk-or-(?:v1-)?([A-Za-z0-9_\-]{20,300})"),
    token("Google API key", &["aiza"], r"\bAIza([A-Za-z0-9_\-]{35})"),
    token("Google OAuth token", &["ya29."], r"\bya29\.([A-Za-z0-9_\-]{20,500})"),
    token("Google client secret", &["gocspx-"], r"\bGOCSPX-([A-Za-z0-9_\-]{20,80})"),
    token(
        "Slack token",
        &["xoxa", "xoxb", "xoxe", "xoxo", "xoxp", "xoxr", "xoxs"],
        r"\bxox[abeoprs]-([A-Za-z0-9\-]{10,300})",
    ),
    token("Slack app token", &["xapp-"], r"\bxapp-([A-Za-z0-9\-]{20,300})"),
    token("Slack webhook", &["hooks.slack.com"], r"hooks\.slack\.com/(?:services|workflows)/([A-Za-z0-9/_\-]{20,120})"),
    token(
        "Discord webhook",
        &["api/webhooks"],
        r"discord(?:app)?\.com/api/webhooks/[0-9]{15,22}/([A-Za-z0-9_\-]{40,100})",
    ),
    token("Telegram token", &[":aa"], r"\b[0-9]{8,10}:(AA[A-Za-z0-9_\-]{32,36})\b"),
    token(
        "Stripe key",
        &["sk_live_", "rk_live_", "sk_test_", "rk_test_"],
        r"\b[sr]k_(?:live|test)_([A-Za-z0-9]{16,250})",
    ),
    token("webhook secret", &["whsec_"], r"\bwhsec_([A-Za-z0-9+/=]{24,120})"),
    token("npm token", &["npm_"], r"\bnpm_([A-Za-z0-9]{36})\b"),
    token("PyPI token", &["pypi-"], r"\bpypi-(AgE[A-Za-z0-9_\-]{40,300})"),
    token("crates.io token", &["cio"], r"\bcio([A-Za-z0-9]{32})\b"),
    token("RubyGems key", &["rubygems_"], r"\brubygems_([a-f0-9]{48})"),
    token("DigitalOcean token", &["dop_v1_", "doo_v1_", "dor_v1_"], r"\bdo[opr]_v1_([a-f0-9]{64})"),
    token("SendGrid key", &["sg."], r"\bSG\.([A-Za-z0-9_\-]{16,32}\.[A-Za-z0-9_\-]{16,64})"),
    token("Twilio key", &["sk"], r"\bSK([0-9a-f]{32})\b"),
    token("Hugging Face token", &["hf_"], r"\bhf_([A-Za-z0-9]{30,60})\b"),
    token("Replicate token", &["r8_"], r"\br8_([A-Za-z0-9]{37,40})\b"),
    token("Groq key", &["gsk_"], r"\bgsk_([A-Za-z0-9]{40,80})\b"),
    token("Shopify token", &["shpat_", "shpca_", "shppa_", "shpss_"], r"\bshp(?:at|ca|pa|ss)_([a-fA-F0-9]{32})"),
    token("Linear key", &["lin_api_"], r"\blin_api_([A-Za-z0-9]{32,60})"),
    token("Atlassian token", &["atatt3"], r"\bATATT3([A-Za-z0-9_\-=]{40,300})"),
    token("Docker token", &["dckr_pat_"], r"\bdckr_pat_([A-Za-z0-9_\-]{20,60})"),
    token("New Relic key", &["nrak-"], r"\bNRAK-([A-Z0-9]{27})"),
    token("Postman key", &["pmak-"], r"\bPMAK-([a-f0-9\-]{40,70})"),
    token("Sentry token", &["sntrys_", "sntryu_"], r"\bsntry[su]_([A-Za-z0-9_=+/]{30,400})"),
    token("Grafana token", &["glc_", "glsa_"], r"\bgl(?:c|sa)_([A-Za-z0-9_+/=]{32,400})"),
    token("Vault token", &["hvs.", "hvb."], r"\bhv[sb]\.([A-Za-z0-9_\-]{24,300})"),
    token("Doppler token", &["dp.pt.", "dp.st."], r"\bdp\.[ps]t\.([A-Za-z0-9.]{40,60})"),
    token("Databricks token", &["dapi"], r"\bdapi([a-f0-9]{32})\b"),
    token("Tailscale key", &["tskey-"], r"\btskey-(?:auth|api|client)-([A-Za-z0-9\-]{20,80})"),
    token("age key", &["age-secret-key-1"], r"\bAGE-SECRET-KEY-1([A-Z0-9]{50,70})"),
    token(
        "Azure key",
        &["accountkey=", "sharedaccesskey="],
        r"(?i)\b(?:Account|SharedAccess)Key=([A-Za-z0-9+/]{40,100}={0,2})",
    ),
    token(
        "AWS secret key",
        &["aws"],
        r"(?i)\baws_?(?:secret)?_?(?:access)?_?(?:secret)?_?key[^\sA-Za-z0-9]{0,3}\s{0,3}[:=]\s{0,3}[^\sA-Za-z0-9]?([A-Za-z0-9/+]{40})\b",
    ),
    token("JSON Web Token", &["eyj"], r"\beyJ([A-Za-z0-9_\-]{8,}\.eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{10,})"),
    Shape {
        name: "authorization header",
        keywords: &["bearer", "basic"],
        pattern: r"(?i)\b(?:bearer|authorization:\s{0,3}basic)\s{1,3}([A-Za-z0-9._~+/=\-]{16,2000})",
        check: Check::Assigned,
    },
    Shape {
        name: "password in a URL",
        keywords: &["://"],
        pattern: r#"\b[A-Za-z][A-Za-z0-9+.\-]{1,20}://[^\s/:@"'`<>|]{0,64}:([^\s/@"'`<>|]{3,200})@[A-Za-z0-9\[]"#,
        check: Check::Url,
    },
    Shape {
        name: "password",
        keywords: &["passw", "pwd", "passphrase"],
        pattern: r#"(?i)(?:passw(?:or)?d|passwd|pwd|passphrase)["'`\]*]{0,3}\s{0,4}(?::=|=>|[:=]|\bis\b)\s{0,4}["'`]{0,2}([!-~&&[^\s"'`,;<>(){}\[\]|]]{8,200})"#,
        check: Check::Password,
    },
    Shape {
        name: "password",
        keywords: &["パスワード", "暗証番号"],
        pattern: r#"(?:パスワード|暗証番号)[」』"'`\]*]{0,3}\s{0,4}(?:[:=]|は|が)\s{0,4}[「『"'`]{0,2}([!-~&&[^\s"'`,;<>(){}\[\]|]]{8,200})"#,
        check: Check::Password,
    },
    Shape {
        name: "key or token",
        keywords: &[
            "secret",
            "token",
            "api_key",
            "api-key",
            "api key",
            "apikey",
            "access_key",
            "access-key",
            "accesskey",
            "private_key",
            "private-key",
            "privatekey",
            "auth_key",
            "auth-key",
            "authkey",
            "signing_key",
            "signing-key",
            "signingkey",
            "encryption_key",
            "encryption-key",
            "encryptionkey",
            "credential",
            "シークレット",
            "トークン",
            "秘密鍵",
            "apiキー",
            "アクセスキー",
        ],
        pattern: r#"(?i)(?:secret|token|api[_\- ]?key|access[_\-]?key|private[_\-]?key|auth[_\-]?key|signing[_\-]?key|encryption[_\-]?key|credentials?|シークレット|トークン|秘密鍵|APIキー|アクセスキー)["'`\]*]{0,3}\s{0,4}(?::=|=>|[:=]|は|\bis\b)\s{0,4}["'`「]{0,2}([!-~&&[^\s"'`,;<>(){}\[\]|]]{16,500})"#,
        check: Check::Assigned,
    },
];

/// Values that documentation shows to everyone.
pub(super) const DOCUMENTED: &[&str] = &[
    "IOSFODNN7EXAMPLE",
    "I44QH8DHBEXAMPLE",
    "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "je7MtGbClwBF/2Zp9Utk/h3yCo8nvbEXAMPLEKEY",
    "eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9l",
    "4eC39HqLyjWDarjtT1zdp7dc",
    "dXNlcjpwYXNz",
    "QWxhZGRpbjpvcGVuIHNlc2FtZQ",
];

/// Names that end in `token` or `key` and whose values anybody may see.
pub(super) const HARMLESS_NAMES: &[&str] = &[
    "csrf",
    "xsrf",
    "page",
    "cursor",
    "cache",
    "public",
    "publishable",
    "idempot",
    "continuation",
    "sync_",
    "next_",
    "foreign",
    "primary",
];

/// Words that fill a place until the real value comes.
pub(super) const FILLERS: &[&str] = &[
    "example",
    "placeholder",
    "changeme",
    "change-me",
    "change_me",
    "redacted",
    "dummy",
    "sample",
    "your",
    "xxxx",
    "****",
    "....",
    "hogehoge",
    "foobar",
    "insert",
    "replace",
    "password",
    "passwd",
    "secret",
    "username",
    "fake",
    "masked",
    "hidden",
    "todo",
    "test-",
    "test_",
    "token",
    "value",
];
