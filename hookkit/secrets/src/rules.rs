//! The forms that providers give to their secrets.
//!
//! A form is here if it is certain: by a text that every such secret has, and by length and
//! characters of what follows on it. CONTRIBUTING.md says how one comes in.

/// A form of secrets.
#[derive(Debug)]
pub(crate) struct Rule {
    /// Name of the kind of secret.
    pub name: &'static str,
    /// Text that each has, and that need not be kept secret.
    pub keyword: &'static str,
    /// Pattern of the rest: the secret itself, or the end of it.
    pub rest: &'static str,
    /// `true` if the keyword is within the secret, and not at its beginning.
    pub is_within: bool,
}

/// The forms, by the kinds of secrets: their name, the pattern of the rest, and the keywords.
macro_rules! rules {
    (begin { $($name:literal $rest:tt: $($keyword:literal)+;)* } hold { $($held:literal $of:tt: $($within:literal)+;)* }) => {
        &[
            $($(Rule { name: $name, keyword: $keyword, rest: $rest, is_within: false },)+)*
            $($(Rule { name: $held, keyword: $within, rest: $of, is_within: true },)+)*
        ]
    };
}

/// The text between the name of a setting and its value, in any language; both may be in quotes.
macro_rules! set_to {
    ($value:literal) => {
        concat!(r#"\\?["']?\s*(?:=>|:=|=|:)\s*\\?["']?"#, $value)
    };
}

/// The keyword of private keys.
pub(crate) const PRIVATE_KEY: &str = RULES[0].keyword;

pub(crate) const RULES: &[Rule] = rules! {
    begin {
        // Headers, as PGP and old OpenSSL have them, without another key's beginning in them; line ends as they are, or
        // as a string in source code, a text in a text, and a page write them; and what programs print before a line: a number,
        // the name of its file.
        "a private key" r#"(?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:[A-Za-z][A-Za-z-]*: (?:-{0,4}[^\n-])*-{0,4}|\\+[nr]|&#1[03];|[\s"'+,>|]|\n[^\n]*(?::|[0-9][\t|)→-]))*[A-Za-z0-9+/]{40,}"#: "-----BEGIN ";
        "an age key" "[0-9A-Z]{58}": "AGE-SECRET-KEY-1";
        // Clouds and hosting.
        "an AWS access key" "[A-Z2-7]{16}": "AKIA";
        "a temporary AWS access key" "[A-Z2-7]{16}": "ASIA";
        "a key of Amazon Bedrock" "[A-Za-z0-9+/]{100,}={0,2}": "ABSK";
        "a Google API key" "[A-Za-z0-9_-]{35}": "AIza";
        "a Google access token" "[A-Za-z0-9_-]{60,}": "ya29.";
        "a Google OAuth client's secret" "[A-Za-z0-9_-]{28}": "GOCSPX-";
        "a Cloudflare origin CA key" "[0-9a-f]{24}-[0-9a-f]{146}": "v1.0-";
        "a DigitalOcean token" "[0-9a-f]{64}": "dop_v1_";
        "a DigitalOcean OAuth token" "[0-9a-f]{64}": "doo_v1_";
        "a DigitalOcean refresh token" "[0-9a-f]{64}": "dor_v1_";
        "a Fly.io token" "[A-Za-z0-9_-]{43}": "fo1_";
        "a Fly.io token" "[A-Za-z0-9+/]{100,}={0,3}": "fm2_";
        "a Heroku key" "[A-Za-z0-9_-]{58}": "HRKU-AA";
        "a Netlify token" "[A-Za-z0-9]{36,48}": "nfp_";
        "a Supabase token" "[a-z0-9_-]{40}": "sbp_";
        "a Supabase secret key" "[A-Za-z0-9_-]{31}": "sb_secret_";
        "a Tailscale key" "(?:auth|api|client|scim|webhook)-[A-Za-z0-9]+-[A-Za-z0-9]{20,}": "tskey-";
        "a Databricks token" "[0-9a-f]{32}(?:-[0-9])?": "dapi";
        "a PlanetScale token" "[A-Za-z0-9_.=-]{32,}": "pscale_tkn_";
        "a PlanetScale password" "[A-Za-z0-9_.=-]{32,}": "pscale_pw_";
        // Code and packages.
        "a GitHub token" "[A-Za-z0-9]{36}": "ghp_" "gho_" "ghu_" "ghs_";
        "a GitHub token" "[A-Za-z0-9]{36,}": "ghr_";
        "a GitHub token" "[A-Za-z0-9]{22}_[A-Za-z0-9]{59}": "github_pat_";
        "a GitLab token" "[A-Za-z0-9_.-]{20,}": "glpat-";
        "a GitLab runner's token" "[A-Za-z0-9_.-]{20,}": "glrt-";
        "a GitLab deploy token" "[A-Za-z0-9_.-]{20,}": "gldt-";
        "a GitLab feed token" "[A-Za-z0-9_-]{20,}": "glft-";
        "a GitLab job token" "[A-Za-z0-9]{1,5}_[A-Za-z0-9_-]{20,}": "glcbt-";
        "a GitLab mail token" "[A-Za-z0-9_-]{20,}": "glimt-";
        "a GitLab SCIM token" "[A-Za-z0-9_-]{20,}": "glsoat-";
        "a GitLab runner's registration token" "[A-Za-z0-9_-]{20,}": "GR1348941";
        "a GitLab trigger token" "[0-9a-f]{40}": "glptt-";
        "a GitLab OAuth secret" "[A-Za-z0-9_-]{64}": "gloas-";
        "a GitLab agent's token" "[A-Za-z0-9_.-]{50,}": "glagent-";
        "a Bitbucket password" "[A-Za-z0-9]{32}": "ATBB";
        "an Atlassian token" "[A-Za-z0-9_=-]{100,}": "ATATT3xFfGF0";
        "an npm token" "[A-Za-z0-9]{36}": "npm_";
        "a PyPI token" "[A-Za-z0-9_-]{50,}": "pypi-AgEIcHlwaS5vcmc";
        "a TestPyPI token" "[A-Za-z0-9_-]{50,}": "pypi-AgENdGVzdC5weXBpLm9yZw";
        "a crates.io token" "[A-Za-z0-9]{32}": "cio";
        "a RubyGems key" "[0-9a-f]{48}": "rubygems_";
        "a Docker Hub token" "[A-Za-z0-9_-]{27}": "dckr_pat_";
        "a Docker Hub token" "[A-Za-z0-9_-]{32}": "dckr_oat_";
        // Models.
        "an Anthropic key" "(?:api|admin|oat|sid|ort)[0-9]{2}-[A-Za-z0-9_-]{80,}": "sk-ant-";
        "a Hugging Face token" "[A-Za-z0-9]{34}": "hf_";
        "a Groq key" "[A-Za-z0-9]{52}": "gsk_";
        "a Perplexity key" "[A-Za-z0-9]{48}": "pplx-";
        "a Replicate token" "[A-Za-z0-9]{37}": "r8_";
        "an xAI key" "[A-Za-z0-9]{80}": "xai-";
        // Messages and payments.
        "a Slack token" "[0-9]{10,}-[A-Za-z0-9-]{20,}": "xoxb-" "xoxp-" "xoxc-" "xoxs-";
        "a Slack cookie" "[A-Za-z0-9%+/_-]{40,}={0,2}": "xoxd-";
        "a Slack token" "[bp]-[0-9]-[A-Za-z0-9]{100,}": "xoxe.xox";
        "a Slack token" "[0-9]-[A-Z0-9]+-[0-9]+-[0-9a-f]{60,}": "xapp-";
        "a Slack refresh token" "[0-9]-[A-Za-z0-9]{100,}": "xoxe-";
        "a Slack webhook" "T[A-Z0-9]+/B[A-Z0-9]+/[A-Za-z0-9]{20,}": "https://hooks.slack.com/services/";
        "a Discord webhook" "[0-9]{17,20}/[A-Za-z0-9_-]{60,}": "https://discord.com/api/webhooks/";
        "a SendGrid key" r"[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}": "SG.";
        "a Stripe key" "[A-Za-z0-9]{24,}": "sk_live_";
        "a Stripe organization's key" "[A-Za-z0-9]{24,}": "sk_org_live_";
        "a restricted Stripe key" "[A-Za-z0-9]{24,}": "rk_live_";
        "a Stripe webhook's secret" "[A-Za-z0-9+/]{32,}={0,2}": "whsec_";
        "a Square token" "[A-Za-z0-9_-]{22}": "sq0atp-";
        "a Square secret" "[A-Za-z0-9_-]{43}": "sq0csp-";
        "a Shopify token" "[0-9a-fA-F]{32}": "shpat_" "shpca_";
        "a Shopify password" "[0-9a-fA-F]{32}": "shppa_";
        "a Shopify secret" "[0-9a-fA-F]{32}": "shpss_";
        // Tools of teams.
        "a token of HashiCorp Vault" "[A-Za-z0-9_-]{24,}": "hvs.";
        "a batch token of HashiCorp Vault" "[A-Za-z0-9_-]{24,}": "hvb.";
        "a recovery token of HashiCorp Vault" "[A-Za-z0-9_-]{24,}": "hvr.";
        "a Pulumi token" "[0-9a-f]{40}": "pul-";
        "a Doppler token" "[A-Za-z0-9]{40,}": "dp.pt.";
        "a Doppler token" r"(?:[a-z0-9_-]+\.)?[A-Za-z0-9]{40,}": "dp.st.";
        "a 1Password service account's token" "[A-Za-z0-9+/=_-]{250,}": "ops_eyJ";
        "a Grafana token" "[A-Za-z0-9]{32}_[0-9a-f]{8}": "glsa_";
        "a Grafana Cloud token" "[A-Za-z0-9+/=]{40,}": "glc_eyJ";
        "a New Relic key" "[A-Z0-9]{27}": "NRAK-";
        "a Sentry token" "[A-Za-z0-9+/=_]{80,}": "sntrys_eyJ";
        "a Sentry token" "[0-9a-f]{64}": "sntryu_";
        "a Postman key" "[0-9a-f]{24}-[0-9a-f]{34}": "PMAK-";
        "a Linear key" "[A-Za-z0-9]{40}": "lin_api_";
        "a Notion token" "[A-Za-z0-9]{46}": "ntn_";
        "a Figma token" "[A-Za-z0-9_-]{38,42}": "figd_";
    }
    hold {
        "an AWS secret key" (set_to!("[A-Za-z0-9/+]{40}")): "secret_access_key" "SECRET_ACCESS_KEY" "ecretAccessKey";
        "a key of Azure Storage" "[A-Za-z0-9+/]{86}==": "AccountKey=";
        "a shared access key of Azure" "[A-Za-z0-9+/]{43}=": "SharedAccessKey=";
        "a secret of Microsoft Entra" "[A-Za-z0-9_~.-]{31,34}": "8Q~";
        "an OpenAI key" "[A-Za-z0-9_-]{20,}": "T3BlbkFJ";
        "a Telegram bot's token" "[A-Za-z0-9_-]{33}": ":AA";
        "a token of HCP Terraform" "[A-Za-z0-9_-]{60,}": ".atlasv1.";
    }
};
