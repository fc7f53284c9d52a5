//! Hooks for secrets in the output of tools.

use hookkit::prelude::*;
use hookkit::secrets::markers;
use serde::{Deserialize, Serialize};

/// Removes secrets from the result of a tool before the model reads it.
///
/// A command, a file, a page or a server can show a secret under any name. It is then in the conversation, goes to the
/// model's provider, and appears again in later texts. The model reads a marker instead, and a note that secrets were removed:
///
/// ```text
/// DB_PASSWORD=[hookkit: value of DB_PASSWORD removed]
/// ghp_[hookkit: GitHub token removed]
/// ```
///
/// | removed | |
/// |---|---|
/// | private keys, and tokens of nearly fifty providers | as in `deny-secrets`, anywhere |
/// | values by their names | `DB_PASSWORD=…`, `"client_secret": "…"`, `Authorization: Bearer …`: with letters and digits, and at least 8 characters after a name in capitals, or else 16 |
/// | passwords in addresses | `postgres://user:…@host` |
/// | values of the session's variables | anywhere, for the variables in [`Redacted`]: `echo $PGPASSWORD` |
///
/// Every string in the result of every tool is searched, including tools of MCP servers. The result keeps its
/// structure, because the client ignores a result with a different one (2.1.332). Files and servers keep the secret;
/// the client's transcript has the marker (2.1.332).
///
/// Results without secrets stay as they are, and so do placeholders (`changeme`, `${TOKEN}`, `<your key>`) and lines with the
/// comment `gitleaks:allow` or `pragma: allowlist secret`.
///
/// The output of a failed call stays as it is, because the client does not accept a different one: there
/// [`report_secrets`] warns the model. If this hook fails or is late, the client shows the result unchanged (2.1.332).
/// It therefore complements `protect-secrets`, which keeps files with secrets from being read.
///
#[doc = include_str!("../limits/redact-output.md")]
///
/// # Errors
///
/// Fails only if the payload cannot be decoded. Then the model reads the result unchanged.
#[hook(PostToolUse, timeout = 20)]
pub fn redact_output(
    call: PostToolUse<Json, Json>,
    environment: Environment,
    config: Config<Redacted>,
) -> Option<PostToolUseAnswer<Json>> {
    let variables = config.values(environment);
    let output = call.response.with_replaced(|text| markers(text, &variables))?;
    Some(PostToolUseAnswer::pass().with_updated_tool_output(output).with_context(
        "hookkit replaced secrets in this result with markers. The source still contains the secrets: never write a \
         marker in place of a secret. If a value is needed, let a command read it without printing it",
    ))
}

/// Warns the model of secrets in the error of a failed call, where `redact-output` cannot remove them.
///
/// The client lets no hook change the output of a call that failed, such as a command with an exit status other than 0. The
/// model reads which kinds of secrets are in it, that it must not repeat them, and that the user has to replace them.
///
/// It finds the same secrets as `redact-output`, and stays silent if there are none.
///
/// # Errors
///
/// Fails only if the payload cannot be decoded. Then the model reads only the error.
#[hook(PostToolUseFailure, timeout = 10)]
pub fn report_secrets(
    call: PostToolUseFailure,
    environment: Environment,
    config: Config<Redacted>,
) -> Option<PostToolUseFailureAnswer> {
    let found = markers(&call.error, &config.values(environment));
    let mut kinds: Vec<&str> = found.iter().map(|(_, marker)| marker.as_str()).collect();
    kinds.dedup();
    kinds.truncate(5);
    (!kinds.is_empty()).then(|| {
        PostToolUseFailureAnswer::pass().with_context(format!(
            "The error of {} contains secrets, which hookkit cannot remove from a failed call: {}. Do not repeat \
             them. Tell the user that they are in the conversation now, and may have to be replaced",
            call.tool_name,
            kinds.join(", ").replace("[hookkit: ", "").replace(" removed]", "")
        ))
    })
}

/// The configuration of [`redact_output`] and [`report_secrets`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Redacted {
    /// Names of environment variables whose values are secrets anywhere, if they have 8 characters or more.
    pub variables: Vec<String>,
}

impl Default for Redacted {
    fn default() -> Self {
        const NAMES: &str = "ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN DATABASE_URL \
            DB_PASSWORD GH_TOKEN GITHUB_TOKEN MYSQL_PWD NPM_TOKEN OPENAI_API_KEY PGPASSWORD POSTGRES_PASSWORD SECRET_KEY";
        Self { variables: NAMES.split(' ').map(str::to_owned).collect() }
    }
}

impl Redacted {
    /// Returns the variables that are set, each with its value, except values that are common words.
    fn values(&self, environment: Environment) -> Vec<(String, String)> {
        const SHORTEST: usize = 8;
        let value = |name: &String| Some((name.clone(), environment.variable(name)?.into_string().ok()?));
        let values = self.variables.iter().filter_map(value);
        values.filter(|(_, value)| value.len() >= SHORTEST).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use test_support::lines;

    #[test]
    fn the_documentation_says_what_is_not_seen() {
        for output in lines::of_table(include_str!("../limits/redact-output.md"), lines::NOT_SEEN) {
            assert!(markers(&output, &[]).is_empty(), "{output}");
        }
    }
}
