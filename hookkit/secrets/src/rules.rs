//! The forms that providers give to their secrets.
//!
//! A form is here if it is certain: by a text that every such secret has, and by length and
//! characters of what follows on it. CONTRIBUTING.md says how one comes in.

/// A form of secrets.
#[derive(Debug)]
pub(crate) struct Rule {
    /// Name of the kind of secret.
    pub(crate) name: &'static str,
    /// Text that each has, and that need not be kept secret.
    pub(crate) keyword: &'static str,
    /// Pattern of the rest: the secret itself, or the end of it.
    pub(crate) rest: &'static str,
    /// `true` if the keyword is within the secret, and not at its beginning.
    pub(crate) is_within: bool,
}

/// A form that begins with its keyword.
const fn begins(name: &'static str, keyword: &'static str, rest: &'static str) -> Rule {
    Rule {
        name,
        keyword,
        rest,
        is_within: false,
    }
}

/// A form that has its keyword somewhere within.
const fn holds(name: &'static str, keyword: &'static str, rest: &'static str) -> Rule {
    Rule {
        name,
        keyword,
        rest,
        is_within: true,
    }
}

/// The text between the name of a setting and its value, in any language; both may be in quotes.
macro_rules! set_to {
    ($value:literal) => {
        concat!(r#"\\?["']?\s*(?:=>|:=|=|:)\s*\\?["']?"#, $value)
    };
}

/// The keyword of private keys.
pub(crate) const PRIVATE_KEY: &str = "-----BEGIN ";

pub(crate) const RULES: &[Rule] = &[
    begins(
        "a private key",
        PRIVATE_KEY,
        // Headers, as PGP and old OpenSSL have them, without another key's beginning in them; line ends as they are, or
        // as a string in source code, a text in a text, and a page write them.
        r#"(?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:[A-Za-z][A-Za-z-]*: (?:-{0,4}[^\n-])*-{0,4}|\\+[nr]|&#1[03];|[\s"'+,>])*[A-Za-z0-9+/]{40,}"#,
    ),
    begins("an age key", "AGE-SECRET-KEY-1", "[0-9A-Z]{58}"),
    // Clouds and hosting.
    begins("an AWS access key", "AKIA", "[A-Z2-7]{16}"),
    begins("a temporary AWS access key", "ASIA", "[A-Z2-7]{16}"),
    begins("a key of Amazon Bedrock", "ABSK", "[A-Za-z0-9+/]{100,}={0,2}"),
    holds("an AWS secret key", "secret_access_key", set_to!("[A-Za-z0-9/+]{40}")),
    holds("an AWS secret key", "SECRET_ACCESS_KEY", set_to!("[A-Za-z0-9/+]{40}")),
    holds("an AWS secret key", "ecretAccessKey", set_to!("[A-Za-z0-9/+]{40}")),
    holds("a key of Azure Storage", "AccountKey=", "[A-Za-z0-9+/]{86}=="),
    holds("a shared access key of Azure", "SharedAccessKey=", "[A-Za-z0-9+/]{43}="),
    holds("a secret of Microsoft Entra", "8Q~", "[A-Za-z0-9_~.-]{31,34}"),
    begins("a Google API key", "AIza", "[A-Za-z0-9_-]{35}"),
    begins("a Google access token", "ya29.", "[A-Za-z0-9_-]{60,}"),
    begins("a Google OAuth client's secret", "GOCSPX-", "[A-Za-z0-9_-]{28}"),
    begins("a Cloudflare origin CA key", "v1.0-", "[0-9a-f]{24}-[0-9a-f]{146}"),
    begins("a DigitalOcean token", "dop_v1_", "[0-9a-f]{64}"),
    begins("a DigitalOcean OAuth token", "doo_v1_", "[0-9a-f]{64}"),
    begins("a DigitalOcean refresh token", "dor_v1_", "[0-9a-f]{64}"),
    begins("a Fly.io token", "fo1_", "[A-Za-z0-9_-]{43}"),
    begins("a Fly.io token", "fm2_", "[A-Za-z0-9+/]{100,}={0,3}"),
    begins("a Heroku key", "HRKU-AA", "[A-Za-z0-9_-]{58}"),
    begins("a Netlify token", "nfp_", "[A-Za-z0-9]{36,48}"),
    begins("a Supabase token", "sbp_", "[a-z0-9_-]{40}"),
    begins("a Supabase secret key", "sb_secret_", "[A-Za-z0-9_-]{31}"),
    begins(
        "a Tailscale key",
        "tskey-",
        "(?:auth|api|client|scim|webhook)-[A-Za-z0-9]+-[A-Za-z0-9]{20,}",
    ),
    begins("a Databricks token", "dapi", "[0-9a-f]{32}(?:-[0-9])?"),
    begins("a PlanetScale token", "pscale_tkn_", "[A-Za-z0-9_.=-]{32,}"),
    begins("a PlanetScale password", "pscale_pw_", "[A-Za-z0-9_.=-]{32,}"),
    // Code and packages.
    begins("a GitHub token", "ghp_", "[A-Za-z0-9]{36}"),
    begins("a GitHub token", "gho_", "[A-Za-z0-9]{36}"),
    begins("a GitHub token", "ghu_", "[A-Za-z0-9]{36}"),
    begins("a GitHub token", "ghs_", "[A-Za-z0-9]{36}"),
    begins("a GitHub token", "ghr_", "[A-Za-z0-9]{36,}"),
    begins("a GitHub token", "github_pat_", "[A-Za-z0-9]{22}_[A-Za-z0-9]{59}"),
    begins("a GitLab token", "glpat-", "[A-Za-z0-9_.-]{20,}"),
    begins("a GitLab runner's token", "glrt-", "[A-Za-z0-9_.-]{20,}"),
    begins("a GitLab deploy token", "gldt-", "[A-Za-z0-9_.-]{20,}"),
    begins("a GitLab feed token", "glft-", "[A-Za-z0-9_-]{20,}"),
    begins("a GitLab job token", "glcbt-", "[A-Za-z0-9]{1,5}_[A-Za-z0-9_-]{20,}"),
    begins("a GitLab mail token", "glimt-", "[A-Za-z0-9_-]{20,}"),
    begins("a GitLab SCIM token", "glsoat-", "[A-Za-z0-9_-]{20,}"),
    begins(
        "a GitLab runner's registration token", "GR1348941", "[A-Za-z0-9_-]{20,}",
    ),
    begins("a GitLab trigger token", "glptt-", "[0-9a-f]{40}"),
    begins("a GitLab OAuth secret", "gloas-", "[A-Za-z0-9_-]{64}"),
    begins("a GitLab agent's token", "glagent-", "[A-Za-z0-9_.-]{50,}"),
    begins("a Bitbucket password", "ATBB", "[A-Za-z0-9]{32}"),
    begins("an Atlassian token", "ATATT3xFfGF0", "[A-Za-z0-9_=-]{100,}"),
    begins("an npm token", "npm_", "[A-Za-z0-9]{36}"),
    begins("a PyPI token", "pypi-AgEIcHlwaS5vcmc", "[A-Za-z0-9_-]{50,}"),
    begins("a TestPyPI token", "pypi-AgENdGVzdC5weXBpLm9yZw", "[A-Za-z0-9_-]{50,}"),
    begins("a crates.io token", "cio", "[A-Za-z0-9]{32}"),
    begins("a RubyGems key", "rubygems_", "[0-9a-f]{48}"),
    begins("a Docker Hub token", "dckr_pat_", "[A-Za-z0-9_-]{27}"),
    begins("a Docker Hub token", "dckr_oat_", "[A-Za-z0-9_-]{32}"),
    // Models.
    begins(
        "an Anthropic key",
        "sk-ant-",
        "(?:api|admin|oat|sid|ort)[0-9]{2}-[A-Za-z0-9_-]{80,}",
    ),
    holds("an OpenAI key", "T3BlbkFJ", "[A-Za-z0-9_-]{20,}"),
    begins("a Hugging Face token", "hf_", "[A-Za-z0-9]{34}"),
    begins("a Groq key", "gsk_", "[A-Za-z0-9]{52}"),
    begins("a Perplexity key", "pplx-", "[A-Za-z0-9]{48}"),
    begins("a Replicate token", "r8_", "[A-Za-z0-9]{37}"),
    begins("an xAI key", "xai-", "[A-Za-z0-9]{80}"),
    // Messages and payments.
    begins("a Slack token", "xoxb-", "[0-9]{10,}-[A-Za-z0-9-]{20,}"),
    begins("a Slack token", "xoxp-", "[0-9]{10,}-[A-Za-z0-9-]{20,}"),
    begins("a Slack token", "xoxc-", "[0-9]{10,}-[A-Za-z0-9-]{20,}"),
    begins("a Slack token", "xoxs-", "[0-9]{10,}-[A-Za-z0-9-]{20,}"),
    begins("a Slack cookie", "xoxd-", "[A-Za-z0-9%+/_-]{40,}={0,2}"),
    begins("a Slack token", "xoxe.xox", "[bp]-[0-9]-[A-Za-z0-9]{100,}"),
    begins("a Slack token", "xapp-", "[0-9]-[A-Z0-9]+-[0-9]+-[0-9a-f]{60,}"),
    begins("a Slack refresh token", "xoxe-", "[0-9]-[A-Za-z0-9]{100,}"),
    begins(
        "a Slack webhook", "https://hooks.slack.com/services/", "T[A-Z0-9]+/B[A-Z0-9]+/[A-Za-z0-9]{20,}",
    ),
    begins(
        "a Discord webhook", "https://discord.com/api/webhooks/", "[0-9]{17,20}/[A-Za-z0-9_-]{60,}",
    ),
    holds("a Telegram bot's token", ":AA", "[A-Za-z0-9_-]{33}"),
    begins("a SendGrid key", "SG.", r"[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"),
    begins("a Stripe key", "sk_live_", "[A-Za-z0-9]{24,}"),
    begins("a Stripe organization's key", "sk_org_live_", "[A-Za-z0-9]{24,}"),
    begins("a restricted Stripe key", "rk_live_", "[A-Za-z0-9]{24,}"),
    begins("a Stripe webhook's secret", "whsec_", "[A-Za-z0-9+/]{32,}={0,2}"),
    begins("a Square token", "sq0atp-", "[A-Za-z0-9_-]{22}"),
    begins("a Square secret", "sq0csp-", "[A-Za-z0-9_-]{43}"),
    begins("a Shopify token", "shpat_", "[0-9a-fA-F]{32}"),
    begins("a Shopify token", "shpca_", "[0-9a-fA-F]{32}"),
    begins("a Shopify password", "shppa_", "[0-9a-fA-F]{32}"),
    begins("a Shopify secret", "shpss_", "[0-9a-fA-F]{32}"),
    // Tools of teams.
    begins("a token of HashiCorp Vault", "hvs.", "[A-Za-z0-9_-]{24,}"),
    begins("a batch token of HashiCorp Vault", "hvb.", "[A-Za-z0-9_-]{24,}"),
    begins("a recovery token of HashiCorp Vault", "hvr.", "[A-Za-z0-9_-]{24,}"),
    holds("a token of HCP Terraform", ".atlasv1.", "[A-Za-z0-9_-]{60,}"),
    begins("a Pulumi token", "pul-", "[0-9a-f]{40}"),
    begins("a Doppler token", "dp.pt.", "[A-Za-z0-9]{40,}"),
    begins("a Doppler token", "dp.st.", r"(?:[a-z0-9_-]+\.)?[A-Za-z0-9]{40,}"),
    begins(
        "a 1Password service account's token", "ops_eyJ", "[A-Za-z0-9+/=_-]{250,}",
    ),
    begins("a Grafana token", "glsa_", "[A-Za-z0-9]{32}_[0-9a-f]{8}"),
    begins("a Grafana Cloud token", "glc_eyJ", "[A-Za-z0-9+/=]{40,}"),
    begins("a New Relic key", "NRAK-", "[A-Z0-9]{27}"),
    begins("a Sentry token", "sntrys_eyJ", "[A-Za-z0-9+/=_]{80,}"),
    begins("a Sentry token", "sntryu_", "[0-9a-f]{64}"),
    begins("a Postman key", "PMAK-", "[0-9a-f]{24}-[0-9a-f]{34}"),
    begins("a Linear key", "lin_api_", "[A-Za-z0-9]{40}"),
    begins("a Notion token", "ntn_", "[A-Za-z0-9]{46}"),
    begins("a Figma token", "figd_", "[A-Za-z0-9_-]{38,42}"),
];
