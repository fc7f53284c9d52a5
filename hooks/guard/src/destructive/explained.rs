//! Edits with which a workspace allows a command, for `cargo xtask explain`.

use super::{Allowed, AllowedCommands, judge};
use crate::prelude::*;

/// Variable that `cargo xtask explain` sets for the hooks that it runs.
const EXPLAINS: &str = "HOOKKIT_EXPLAIN";

/// Adds the configuration line that would avoid a question, if there is one and `explain` asks for it.
pub(super) fn with_edit(
    found: Found,
    line: &str,
    context: &Context,
    environment: Environment,
    config: &AllowedCommands,
) -> Found {
    if found.is_certain() || environment.variable(EXPLAINS).is_none() {
        return found;
    }
    match edit(line, context, environment, config) {
        None => found,
        Some(edit) => Asked(format!("{}. To allow it always, {edit}", found.why())),
    }
}

/// Returns the edit if, in a trial with it, no command of the line is asked about.
fn edit(line: &str, context: &Context, environment: Environment, config: &AllowedCommands) -> Option<String> {
    let mut config = config.clone();
    for command in shell::analyze(line).commands() {
        // The list has no words for a part that is not literal.
        let Some(words) = Word::literals(&command.words) else { continue };
        let text = shell_line(&words);
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
             [workspace.metadata.hookkit.hooks.deny-destruction.config]: allow = [{allow}]; then run `cargo xtask \
             install`"
        )
    })
}

/// Returns a TOML string; `None` for a text that needs escapes.
fn in_toml(text: &str) -> Option<String> {
    (!text.contains(char::is_control)).then(|| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use test_support::Has;

    #[test]
    fn the_edit_allows_the_whole_line_and_keeps_what_is_allowed() {
        let context = crate::testing::context("/code/project");
        test_support::lines!("lines/deny-destruction-edits.txt").check(|section, line| {
            let mut config = AllowedCommands::default();
            if section.name != "nothing is allowed" {
                config.allow.push(section.name.to_owned());
            }
            let edit = edit(line, &context, Environment::default(), &config).unwrap_or_default();
            let list = edit.split_once("allow = ").map(|(_, list)| list);
            let list = list.and_then(|list| list.split_once("; then run "));
            list.map_or("none", |(list, _)| list).to_owned()
        });
    }

    #[test]
    fn without_the_variable_the_question_is_as_it_was() {
        let config = AllowedCommands::default();
        let question = |environment: Environment| {
            let found = Asked("it deletes".into());
            with_edit(found, "terraform destroy", &Context::default(), environment, &config).why()
        };
        assert_eq!(question(Environment::new(|_| None)), "it deletes");
        question(Environment::new(|name| (name == EXPLAINS).then(|| "1".into())))
            .starts("it deletes. To allow it always, write into ");
    }
}
