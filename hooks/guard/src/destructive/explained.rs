//! The edit by which a workspace allows a command, for `cargo xtask explain`.

use hookkit::shell::{self, Command, Word};
use hookkit::{Context, Environment};

use super::{Allowed, AllowedCommands, Danger, Severity, judge};

/// The variable that `cargo xtask explain` sets for the hooks that it asks.
const EXPLAINS: &str = "HOOKKIT_EXPLAIN";

/// Adds to a question the edit after which it is not asked, if there is one and the user wants to know it.
pub(super) fn with_edit(
    danger: Danger,
    line: &str,
    context: &Context,
    environment: Environment,
    config: &AllowedCommands,
) -> Danger {
    if danger.severity == Severity::Deny || environment.variable(EXPLAINS).is_none() {
        return danger;
    }
    match edit(line, context, environment, config) {
        None => danger,
        Some(edit) => Danger::ask(format!("{}. To allow it always, {edit}", danger.text)),
    }
}

/// Returns the edit, which is tried: with it nothing of the line is asked about.
fn edit(line: &str, context: &Context, environment: Environment, config: &AllowedCommands) -> Option<String> {
    let mut config = config.clone();
    for command in shell::analyze(line).commands() {
        let Some(text) = written(command) else { continue };
        let is_asked = judge(&text, context, environment, &Allowed::of(&config)).is_some();
        if is_asked && !config.allow.contains(&text) {
            config.allow.push(text);
        }
    }
    let allow: Option<Vec<String>> = config.allow.iter().map(|text| in_toml(text)).collect();
    let allow = allow?.join(", ");
    judge(line, context, environment, &Allowed::of(&config)).is_none().then(|| {
        format!(
            "write into the Cargo.toml of the hook's workspace, below \
             [workspace.metadata.hookkit.hooks.deny-destruction.config]: allow = [{allow}]; then run `cargo xtask install`"
        )
    })
}

/// Returns a command as the list has it; `None` if not all of it is known.
fn written(command: &Command) -> Option<String> {
    let is_plain = |char: char| char.is_alphanumeric() || "/._-+=:,@%".contains(char);
    let quoted = |word: &Word| {
        let text = word.literal()?;
        Some(match !text.is_empty() && text.chars().all(is_plain) {
            true => text.to_owned(),
            false => format!("'{}'", text.replace('\'', "'\\''")),
        })
    };
    let words: Option<Vec<String>> = command.words.iter().map(quoted).collect();
    words.map(|words| words.join(" "))
}

/// Returns a string of TOML; `None` for a text that would need its escapes.
fn in_toml(text: &str) -> Option<String> {
    (!text.contains(char::is_control)).then(|| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_edit_allows_the_whole_line_and_keeps_what_is_allowed() {
        let mut context = Context::default();
        context.project_dir = "/code/project".into();
        context.cwd = "/code/project".into();
        let given = |line: &str, allowed: &[&str]| {
            let config = AllowedCommands {
                allow: allowed.iter().map(|&text| text.to_owned()).collect(),
            };
            let edit = edit(line, &context, Environment::default(), &config)?;
            let (_, list) = edit.split_once("allow = ")?;
            Some(list.split_once("; then run ")?.0.to_owned())
        };
        for (line, allowed, expected) in [
            ("terraform destroy", &[][..], r#"["terraform destroy"]"#),
            (
                "ls; kubectl delete pod 'a b' | tee \"x\"",
                &["terraform apply *"],
                r#"["terraform apply *", "kubectl delete pod 'a b'"]"#,
            ),
            (
                "terraform destroy && terraform destroy; vault kv delete \"a\\\"'*\"",
                &[],
                r#"["terraform destroy", "vault kv delete 'a\"'\\''*'"]"#,
            ),
        ] {
            assert_eq!(given(line, allowed).as_deref(), Some(expected), "{line}");
        }
        // The list has no words for these, or they are denied.
        for line in [
            "sudo terraform destroy", "kubectl delete pod $x", "terraform destroy; git push --force",
            "kubectl delete pod \"a\nb\"", "eval \"$x\"",
        ] {
            assert_eq!(given(line, &[]), None, "{line}");
        }
    }

    #[test]
    fn without_the_variable_the_question_is_as_it_was() {
        let config = AllowedCommands::default();
        let question = |environment: Environment| {
            let danger = Danger::ask("it deletes");
            with_edit(danger, "terraform destroy", &Context::default(), environment, &config).text
        };
        assert_eq!(question(Environment::new(|_| None)), "it deletes");
        let explained = question(Environment::new(|name| (name == EXPLAINS).then(|| "1".into())));
        assert!(
            explained.starts_with("it deletes. To allow it always, write into "),
            "{explained}"
        );
    }
}
