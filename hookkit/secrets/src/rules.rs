//! Forms of providers' secrets.
//!
//! A form is listed here if it is certain: by a text that every such secret contains, and by the length and the characters of
//! the rest. CONTRIBUTING.md says how to add one.

/// A form of secrets.
#[derive(Debug)]
pub(crate) struct Rule {
    /// Name of the kind of secret.
    pub name: &'static str,
    /// Text that all secrets of this form contain, and that need not be kept secret.
    pub keyword: &'static str,
    /// Pattern of the rest: the secret itself, or its end.
    pub rest: &'static str,
    /// `true` if the keyword is within the secret, not at its beginning.
    pub is_within: bool,
}

/// Declares the forms, by kinds of secrets: the name, the pattern of the rest, and the keywords.
macro_rules! rules {
    (begin { $($name:literal $rest:tt: $($keyword:literal)+;)* } hold { $($held:literal $of:tt: $($within:literal)+;)* }) => {
        &[
            $($(Rule { name: $name, keyword: $keyword, rest: $rest, is_within: false },)+)*
            $($(Rule { name: $held, keyword: $within, rest: $of, is_within: true },)+)*
        ]
    };
}

/// Pattern of the text between a setting's name and its value, in any language; both may be in quotes.
macro_rules! set_to {
    ($value:literal) => {
        concat!(r#"\\?["']?\s*(?:=>|:=|=|:)\s*\\?["']?"#, $value)
    };
}

/// Keyword of private keys.
pub(crate) const PRIVATE_KEY: &str = RULES[0].keyword;

pub(crate) const RULES: &[Rule] = rules! {
    begin {
        // Headers of PGP and old OpenSSL, without another key's beginning in them; line ends as such, or as written by a string
        // in source code, a text in a text, and a web page; and text that programs print before a line: a number, the name of
        // its file.
        "a private key" r#"(?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:[A-Za-z][A-Za-z-]*: (?:-{0,4}[^\n-])*-{0,4}|\\+[nr]|&#1[03];|[\s"'+,>|]|\n[^\n]*(?::|[0-9][\t|)→-]))*[[:alnum:]+/]{40,}"#: "-----BEGIN ";
        "an age key" "[0-9A-Z]{58}": "AGE-SECRET-KEY-1";
        // Clouds and hosting.
        "an AWS access key" "[A-Z2-7]{16}": "AKIA";
        "a temporary AWS access key" "[A-Z2-7]{16}": "ASIA";
        "a key of Amazon Bedrock" "[[:alnum:]+/]{100,}={0,2}": "ABSK";
        "a Google API key" "[[:word:]-]{35}": "AIza";
        "a Google access token" "[[:word:]-]{60,}": "ya29.";
        "a Google OAuth client's secret" "[[:word:]-]{28}": "GOCSPX-";
        "a Cloudflare origin CA key" "[0-9a-f]{24}-[0-9a-f]{146}": "v1.0-";
        "a DigitalOcean token" "[0-9a-f]{64}": "dop_v1_";
        "a DigitalOcean OAuth token" "[0-9a-f]{64}": "doo_v1_";
        "a DigitalOcean refresh token" "[0-9a-f]{64}": "dor_v1_";
        "a Fly.io token" "[[:word:]-]{43}": "fo1_";
        "a Fly.io token" "[[:alnum:]+/]{100,}={0,3}": "fm2_";
        "a Heroku key" "[[:word:]-]{58}": "HRKU-AA";
        "a Netlify token" "[[:alnum:]]{36,48}": "nfp_";
        "a Supabase token" "[a-z0-9_-]{40}": "sbp_";
        "a Supabase secret key" "[[:word:]-]{31}": "sb_secret_";
        "a Tailscale key" "(?:auth|api|client|scim|webhook)-[[:alnum:]]+-[[:alnum:]]{20,}": "tskey-";
        "a Databricks token" "[0-9a-f]{32}(?:-[0-9])?": "dapi";
        "a PlanetScale token" "[[:word:].=-]{32,}": "pscale_tkn_";
        "a PlanetScale password" "[[:word:].=-]{32,}": "pscale_pw_";
        // Code and packages.
        "a GitHub token" "[[:alnum:]]{36}": "ghp_" "gho_" "ghu_" "ghs_";
        "a GitHub token" "[[:alnum:]]{36,}": "ghr_";
        "a GitHub token" "[[:alnum:]]{22}_[[:alnum:]]{59}": "github_pat_";
        "a GitLab token" "[[:word:].-]{20,}": "glpat-";
        "a GitLab runner's token" "[[:word:].-]{20,}": "glrt-";
        "a GitLab deploy token" "[[:word:].-]{20,}": "gldt-";
        "a GitLab feed token" "[[:word:]-]{20,}": "glft-";
        "a GitLab job token" "[[:alnum:]]{1,5}_[[:word:]-]{20,}": "glcbt-";
        "a GitLab mail token" "[[:word:]-]{20,}": "glimt-";
        "a GitLab SCIM token" "[[:word:]-]{20,}": "glsoat-";
        "a GitLab runner's registration token" "[[:word:]-]{20,}": "GR1348941";
        "a GitLab trigger token" "[0-9a-f]{40}": "glptt-";
        "a GitLab OAuth secret" "[[:word:]-]{64}": "gloas-";
        "a GitLab agent's token" "[[:word:].-]{50,}": "glagent-";
        "a Bitbucket password" "[[:alnum:]]{32}": "ATBB";
        "an Atlassian token" "[[:word:]=-]{100,}": "ATATT3xFfGF0";
        "an npm token" "[[:alnum:]]{36}": "npm_";
        "a PyPI token" "[[:word:]-]{50,}": "pypi-AgEIcHlwaS5vcmc";
        "a TestPyPI token" "[[:word:]-]{50,}": "pypi-AgENdGVzdC5weXBpLm9yZw";
        "a crates.io token" "[[:alnum:]]{32}": "cio";
        "a RubyGems key" "[0-9a-f]{48}": "rubygems_";
        "a Docker Hub token" "[[:word:]-]{27}": "dckr_pat_";
        "a Docker Hub token" "[[:word:]-]{32}": "dckr_oat_";
        // Models.
        "an Anthropic key" "(?:api|admin|oat|sid|ort)[0-9]{2}-[[:word:]-]{80,}": "sk-ant-";
        "a Hugging Face token" "[[:alnum:]]{34}": "hf_";
        "a Groq key" "[[:alnum:]]{52}": "gsk_";
        "a Perplexity key" "[[:alnum:]]{48}": "pplx-";
        "a Replicate token" "[[:alnum:]]{37}": "r8_";
        "an xAI key" "[[:alnum:]]{80}": "xai-";
        // Messages and payments.
        "a Slack token" "[0-9]{10,}-[[:alnum:]-]{20,}": "xoxb-" "xoxp-" "xoxc-" "xoxs-";
        "a Slack cookie" "[[:alnum:]%+/_-]{40,}={0,2}": "xoxd-";
        "a Slack token" "[bp]-[0-9]-[[:alnum:]]{100,}": "xoxe.xox";
        "a Slack token" "[0-9]-[A-Z0-9]+-[0-9]+-[0-9a-f]{60,}": "xapp-";
        "a Slack refresh token" "[0-9]-[[:alnum:]]{100,}": "xoxe-";
        "a Slack webhook" "T[A-Z0-9]+/B[A-Z0-9]+/[[:alnum:]]{20,}": "https://hooks.slack.com/services/";
        "a Discord webhook" "[0-9]{17,20}/[[:word:]-]{60,}": "https://discord.com/api/webhooks/";
        "a SendGrid key" r"[[:word:]-]{22}\.[[:word:]-]{43}": "SG.";
        "a Stripe key" "[[:alnum:]]{24,}": "sk_live_";
        "a Stripe organization's key" "[[:alnum:]]{24,}": "sk_org_live_";
        "a restricted Stripe key" "[[:alnum:]]{24,}": "rk_live_";
        "a Stripe webhook's secret" "[[:alnum:]+/]{32,}={0,2}": "whsec_";
        "a Square token" "[[:word:]-]{22}": "sq0atp-";
        "a Square secret" "[[:word:]-]{43}": "sq0csp-";
        "a Shopify token" "[0-9a-fA-F]{32}": "shpat_" "shpca_";
        "a Shopify password" "[0-9a-fA-F]{32}": "shppa_";
        "a Shopify secret" "[0-9a-fA-F]{32}": "shpss_";
        // Tools of teams.
        "a token of HashiCorp Vault" "[[:word:]-]{24,}": "hvs.";
        "a batch token of HashiCorp Vault" "[[:word:]-]{24,}": "hvb.";
        "a recovery token of HashiCorp Vault" "[[:word:]-]{24,}": "hvr.";
        "a Pulumi token" "[0-9a-f]{40}": "pul-";
        "a Doppler token" "[[:alnum:]]{40,}": "dp.pt.";
        "a Doppler token" r"(?:[a-z0-9_-]+\.)?[[:alnum:]]{40,}": "dp.st.";
        "a 1Password service account's token" "[[:alnum:]+/=_-]{250,}": "ops_eyJ";
        "a Grafana token" "[[:alnum:]]{32}_[0-9a-f]{8}": "glsa_";
        "a Grafana Cloud token" "[[:alnum:]+/=]{40,}": "glc_eyJ";
        "a New Relic key" "[A-Z0-9]{27}": "NRAK-";
        "a Sentry token" "[[:alnum:]+/=_]{80,}": "sntrys_eyJ";
        "a Sentry token" "[0-9a-f]{64}": "sntryu_";
        "a Postman key" "[0-9a-f]{24}-[0-9a-f]{34}": "PMAK-";
        "a Linear key" "[[:alnum:]]{40}": "lin_api_";
        "a Notion token" "[[:alnum:]]{46}": "ntn_";
        "a Figma token" "[[:word:]-]{38,42}": "figd_";
    }
    hold {
        "an AWS secret key" (set_to!("[[:alnum:]/+]{40}")): "secret_access_key" "SECRET_ACCESS_KEY" "ecretAccessKey";
        "a key of Azure Storage" "[[:alnum:]+/]{86}==": "AccountKey=";
        "a shared access key of Azure" "[[:alnum:]+/]{43}=": "SharedAccessKey=";
        "a secret of Microsoft Entra" "[[:word:]~.-]{31,34}": "8Q~";
        "an OpenAI key" "[[:word:]-]{20,}": "T3BlbkFJ";
        "a Telegram bot's token" "[[:word:]-]{33}": ":AA";
        "a token of HCP Terraform" "[[:word:]-]{60,}": ".atlasv1.";
    }
};
