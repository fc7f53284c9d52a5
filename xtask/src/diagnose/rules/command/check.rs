//! The rules for a command.

use std::path::PathBuf;

use hookkit_protocol::settings::{NEVER_SET, SET_FOR_PLUGINS};

use crate::diagnose::finding::{Finding, Fix};
use crate::diagnose::rules::command::{Command, Form, PROJECT, files, outcome};
use crate::diagnose::rules::shell;
use crate::settings::code::Code;

/// The placeholders that the client replaces in a plugin's hooks only (client 2.1.330).
const OF_PLUGINS: &[&str] = &["${CLAUDE_PLUGIN_ROOT}", "${CLAUDE_PLUGIN_DATA}"];

/// Built-in commands of bash that dash does not have.
const NOT_IN_DASH: &[&str] = &["[[", "declare", "let", "popd", "pushd", "shopt", "source", "typeset"];

/// Runs all rules on a command.
pub(crate) fn check(command: &Command<'_>, findings: &mut Vec<Finding>) {
    placeholders(command, findings);
    variables(command, findings);
    of_bash(command, findings);
    quotes(command, findings);
    let calls = command.calls();
    let written = files::written(command);
    for call in &calls {
        files::file(command, call, &written, findings);
    }
    files::folders(command, findings);
    outcome::exit_codes(command, findings);
    outcome::answers(command, findings);
    outcome::blocks(command, findings);
}

/// Finds variables where they are not expanded.
fn placeholders(command: &Command<'_>, findings: &mut Vec<Finding>) {
    let words: &[&str] = match &command.form {
        Form::Shell(text, _) => &[*text],
        Form::Exec(words) => words,
    };
    if let Some(foreign) = OF_PLUGINS
        .iter()
        .find(|name| words.iter().any(|word| word.contains(**name)))
    {
        findings.push(Finding::new(
            Code::PluginVariable,
            format!("`{foreign}` only works in hooks of plugins"),
            "Claude Code reports an error instead of running the hook, and goes on",
            "write the path, or move the hook into the plugin",
        ));
    }
    let Form::Exec(words) = &command.form else { return };
    for (at, word) in words.iter().enumerate() {
        let does = match at {
            0 => command.handler.never_runs(),
            _ => "the program gets it unexpanded".to_owned(),
        };
        // The client replaces only the form with braces.
        if word.starts_with("$CLAUDE_PROJECT_DIR") {
            let fixed = word.replacen("$CLAUDE_PROJECT_DIR", PROJECT, 1);
            let what = format!("`$CLAUDE_PROJECT_DIR` in `{word}` is not expanded: a hook with `args` has no shell");
            let finding = Finding::new(Code::ExpansionWithoutShell, what, does, format!("write `{fixed}`"));
            findings.push(finding.fixed_by(command.set(at, fixed)));
        } else if let Some(name) = ["~/", "$HOME/", "${HOME}/"]
            .iter()
            .find(|name| word.starts_with(**name))
        {
            let name = name.trim_end_matches('/');
            let what = format!("`{name}` in `{word}` is not expanded: a hook with `args` has no shell");
            let fix = "write the absolute path, or move the words of `args` into `command`";
            findings.push(Finding::new(Code::ExpansionWithoutShell, what, does, fix));
        }
    }
}

/// Finds variables that are always empty.
///
/// This searches the whole text: the parsed line does not contain the commands of substitutions and inner shells.
fn variables(command: &Command<'_>, findings: &mut Vec<Finding>) {
    let Form::Shell(text, _) = command.form else { return };
    let named = |at: usize| {
        let rest = &text[at + 1..];
        let start = rest.trim_start_matches('{');
        let behind = start.trim_start_matches(|char: char| char.is_ascii_alphanumeric() || char == '_');
        // With a default it is not empty.
        let inner = behind.split('}').next().filter(|_| rest.starts_with('{'));
        let name = &start[..start.len() - behind.len()];
        inner.and_then(shell::default).is_none().then_some(name)
    };
    let names: Vec<&str> = text.match_indices('$').filter_map(|(at, _)| named(at)).collect();
    let is_set = |name: &str| sets(text, name) || command.surroundings.variables.contains(name);
    let unset = |known: &[&str]| names.iter().copied().find(|name| known.contains(name) && !is_set(name));
    // The form with braces is replaced by the client before the shell runs, or reported as an error.
    if let Some(name) = unset(SET_FOR_PLUGINS).filter(|name| !text.contains(&format!("${{{name}}}"))) {
        findings.push(Finding::new(
            Code::PluginVariable,
            format!("`{name}` is only set in hooks of plugins"),
            "it is empty here, so the path after it starts at the root of the file system",
            "write the path, or move the hook into the plugin",
        ));
    }
    if let Some(name) = unset(NEVER_SET) {
        findings.push(Finding::new(
            Code::VariableNeverSet,
            format!("Claude Code does not set the variable `{name}`"),
            "it is empty, so the hook checks nothing",
            "read the input from stdin, as JSON, for example with `jq -r .tool_input.file_path`",
        ));
    }
}

/// Returns `true` if a line sets a variable, directly or in a text that it contains.
fn sets(line: &str, name: &str) -> bool {
    let ways = [
        format!("{name}="),
        format!("read {name}"),
        format!("read -r {name}"),
        format!("for {name} in"),
    ];
    ways.iter().any(|way| line.contains(way))
}

/// Finds bash commands where the shell is not bash.
fn of_bash(command: &Command<'_>, findings: &mut Vec<Finding>) {
    let names = command.commands().iter().filter_map(|command| command.words.first());
    let found = names.map(|name| name.raw).find(|name| NOT_IN_DASH.contains(name));
    let Some(name) = found.filter(|_| command.surroundings.is_dash()) else {
        return;
    };
    let does = match name {
        "[[" => "Claude Code runs the line with `/bin/sh`, where the test always fails",
        _ => "Claude Code runs the line with `/bin/sh`, where it always fails",
    };
    let fix = match name {
        "[[" => "write `[ … ]`, with `=` for `==`, or put the line into a script for bash",
        "source" => "write `.` instead",
        _ => "put the line into a script for bash",
    };
    findings.push(Finding::new(
        Code::BashInSh,
        format!("`{name}` is a bash command, but `/bin/sh` is dash here"),
        does,
        fix,
    ));
}

/// Finds an unquoted project folder, which the shell splits at its blanks.
fn quotes(command: &Command<'_>, findings: &mut Vec<Finding>) {
    let Form::Shell(text, _) = command.form else { return };
    let words = command.commands().iter().flat_map(|command| &command.words);
    let bare: Vec<_> = words.flat_map(|word| word.bare("CLAUDE_PROJECT_DIR")).collect();
    let [first, ..] = &bare[..] else { return };
    let mut fixed = text.to_owned();
    for span in bare.iter().rev() {
        let quoted = format!("\"{}\"", &text[span.clone()]);
        fixed.replace_range(span.clone(), &quoted);
    }
    let has_blank = |path: &PathBuf| path.to_string_lossy().contains(char::is_whitespace);
    let does = match &command.surroundings.project {
        Some(project) if has_blank(project) => command.handler.never_runs(),
        _ => "in a clone whose path contains a space, the shell splits it, and the hook fails".to_owned(),
    };
    let name = &text[first.clone()];
    let what = format!("`{name}` is not quoted");
    let key = "command".to_owned();
    let finding = Finding::new(
        Code::UnquotedPath,
        what,
        does,
        format!("write `\\\"{name}\\\"`, with backslashes, since it is in a JSON string"),
    );
    findings.push(finding.fixed_by(Fix::Set {
        key,
        value: fixed.into(),
    }));
}
