//! Runs the rules on a command.

use std::process::Stdio;
use std::time::Duration;

use hookkit_shell::programs::table::lists;

use super::dash::not_in_dash;
use super::{Command, FOLDERS, Form, OPEN, files, outcome};
use crate::cargo::program::ended_within;
use crate::diagnose::rules::shell::{self, Simple, Word};
use crate::settings::code::commands;
use crate::settings::finding::Finding;

/// Placeholders that the client replaces only in a plugin's hooks (client 2.1.330).
const OF_PLUGINS: &[&str] = &["${CLAUDE_PLUGIN_ROOT}", "${CLAUDE_PLUGIN_DATA}"];

/// Runs all rules on a command.
pub(crate) fn check(command: &Command<'_>, findings: &mut Vec<Finding>) {
    findings.extend(not_judged(command));
    findings.extend(syntax(command));
    placeholders(command, findings);
    variables(command, findings);
    line(command, findings);
}

/// Runs the rules on the commands in a line.
pub(super) fn line(command: &Command<'_>, findings: &mut Vec<Finding>) {
    findings.extend(of_bash(command));
    findings.extend(quotes(command));
    let calls = command.calls();
    let written = files::written(command);
    for call in &calls {
        files::file(command, call, &written, findings);
    }
    findings.extend(files::folders(command));
    findings.extend(outcome::exit_code(command));
    findings.extend(outcome::answers(command));
}

/// Returns a note about a plugin's hook if its files cannot be determined.
fn not_judged(command: &Command<'_>) -> Option<Finding> {
    command.surroundings.plugin.as_ref()?;
    let part = match &command.form {
        Form::Shell(text, None) => {
            return Some(commands::not_judged(format!("`{text}` has parts determined at run time")));
        }
        Form::Exec(words) => {
            let mut values = command.exec_values(words).into_iter();
            words[values.position(|value| value.is_none())?]
        }
        Form::Shell(..) => {
            let commands = command.commands().iter();
            let named = commands.filter(|simple| !lists("echo printf", simple.name()));
            let mut words = named.flat_map(|simple| simple.words.iter().take(2));
            words.find(|word| word.raw.contains('/') && word.value(command.surroundings).is_none())?.raw
        }
    };
    Some(commands::not_judged(format!("`{part}` has a value only in a session")))
}

/// Returns the finding about a line with a syntax error. The shell only parses the line: with `-n` it runs nothing.
fn syntax(command: &Command<'_>) -> Option<Finding> {
    let Form::Shell(text, None) = command.form else { return None };
    command.surroundings.shell.as_ref().filter(|_| command.handler.text("shell").is_none())?;
    // In `${tool_input.command}`, the shell finds the mistake only at run time.
    let is_part = |char: char| char.is_ascii_alphanumeric() || "_.".contains(char);
    let filled = expanded(text).into_iter().find_map(|at| {
        let inner = text[at + 1..].strip_prefix('{')?.split_once('}')?.0;
        (inner.contains('.') && inner.chars().all(is_part) && !inner.starts_with("user_config.")).then_some(inner)
    });
    let said = match filled {
        Some(inner) => format!("Bad substitution of `${{{inner}}}`"),
        None => mistake(text)?,
    };
    let does = match (filled, command.surroundings.dash()) {
        // Here, bash exits with 1.
        (Some(_), None) => command.handler.never_runs().to_owned(),
        _ => command.with_two("/bin/sh", true, said.clone()),
    };
    Some(commands::syntax_error(said, does))
}

/// Returns the syntax error that keeps a shell from running a line.
fn mistake(line: &str) -> Option<String> {
    const LIMIT: Duration = Duration::from_secs(1);
    let mut shell = std::process::Command::new("/bin/sh");
    let shell = shell.args(["-n", "-c", line]).env_clear().stdin(Stdio::null()).stderr(Stdio::piped());
    let output = ended_within(shell, LIMIT).ok().filter(|output| !output.status.success())?;
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.lines().next()?;
    let at = ["Syntax error", "syntax error"].iter().find_map(|start| said.find(start));
    Some(said[at.unwrap_or_default()..].to_owned())
}

/// Finds variables where nothing expands them.
fn placeholders(command: &Command<'_>, findings: &mut Vec<Finding>) {
    let words: &[&str] = match &command.form {
        Form::Shell(text, _) => &[*text],
        Form::Exec(words) => words,
    };
    let named = |name: &&&str| words.iter().any(|word| word.contains(**name));
    let is_of_plugin = command.surroundings.plugin.is_some();
    if let Some(foreign) = OF_PLUGINS.iter().find(named).filter(|_| !is_of_plugin) {
        findings.push(commands::only_in_plugins(foreign));
    }
    let Form::Exec(words) = &command.form else {
        // Observed, since 2.1.207.
        if is_of_plugin && words[0].contains(OPEN[1]) {
            findings.push(commands::filled_in_with_args(OPEN[1], command.handler.never_runs()));
        }
        return;
    };
    for (at, word) in words.iter().enumerate() {
        let does = match at {
            0 => command.handler.never_runs(),
            _ => "the program gets it unexpanded",
        };
        // The client replaces only the form with braces.
        if let Some(name) = FOLDERS.iter().find(|name| word.starts_with(&format!("${name}"))) {
            let fixed = word.replacen(name, &format!("{{{name}}}"), 1);
            let finding = commands::folder_without_braces(name, word, &fixed, does);
            findings.push(finding.fixed_by(command.set(at, fixed)));
        } else if let Some(name) = ["~/", "$HOME/", "${HOME}/"].iter().find(|name| word.starts_with(**name)) {
            findings.push(commands::home_without_shell(name.trim_end_matches('/'), word, does));
        }
    }
}

/// Finds variables that are always empty.
///
/// Searches the whole text, because the parsed line does not contain the commands in substitutions.
pub(super) fn variables(command: &Command<'_>, findings: &mut Vec<Finding>) {
    let Form::Shell(text, _) = command.form else { return };
    let names = shell_variables(text);
    let is_unset = |name: &&str| command.is_unset(name, text);
    let of_plugins = |name: &&str| name.starts_with("CLAUDE_PLUGIN_");
    // The client reports the form with braces as an error.
    let of_plugin = names.iter().copied().filter(of_plugins).find(is_unset);
    if let Some(name) = of_plugin.filter(|name| !text.contains(&format!("${{{name}}}"))) {
        findings.push(commands::plugin_variable(name));
    }
    if let Some(name) = names.iter().copied().filter(|name| !of_plugins(name)).find(is_unset) {
        // The first command that mentions it: if it is a test, it may decide about the others.
        let mut commands = command.commands().iter();
        let first = commands.find(|command| command.words.iter().any(|word| word.raw.contains(name)));
        let program = first.and_then(|command| {
            let (program, arguments) = command.words.split_first()?;
            let is_bare = arguments.iter().any(|word| word.bare(name).any(|span| span == word.span));
            (is_bare && !lists(PRINT_OR_TEST, program.raw)).then_some(program.raw)
        });
        let forms = [format!("${name}/"), format!("${{{name}}}/")];
        let starts_path = |command: &Simple<'_>| {
            command.words.iter().map(Word::text).any(|word| forms.iter().any(|form| word.contains(form)))
        };
        let does = match program {
            _ if command.commands().iter().any(starts_path) => {
                "the path after it starts at the root of the file system".to_owned()
            }
            Some(program) => format!("`{program}` runs without a path: on the whole folder, or not at all"),
            None if outcome::blocks_by(text) => "the hook decides on an empty value".to_owned(),
            None => "the hook checks nothing".to_owned(),
        };
        findings.push(commands::variable_never_set(name, "", does));
    }
}

/// Returns the variables that a shell text expands without a default.
pub(super) fn shell_variables(text: &str) -> Vec<&str> {
    let named = |at: usize| {
        let rest = &text[at + 1..];
        let start = rest.trim_start_matches('{');
        let name = shell::name(start);
        // With a default, it is not empty.
        let inner = start[name.len()..].split('}').next().filter(|_| rest.starts_with('{'));
        inner.and_then(shell::default).is_none().then_some(name)
    };
    expanded(text).into_iter().filter_map(named).collect()
}

/// Returns the positions of each `$` that a shell expands.
fn expanded(text: &str) -> Vec<usize> {
    let (mut quote, mut is_escaped) = (None, false);
    let mut expands = |char: char| {
        let is_plain = !is_escaped;
        is_escaped = char == '\\' && is_plain && quote != Some('\'');
        match char {
            '\'' | '"' if is_plain && quote.is_none_or(|open| open == char) => quote = quote.xor(Some(char)),
            _ => {}
        }
        is_plain && quote != Some('\'')
    };
    text.char_indices().filter(|(_, char)| expands(*char) && *char == '$').map(|(at, _)| at).collect()
}

/// Programs that print or test their arguments.
const PRINT_OR_TEST: &str = "[ [[ cat echo export grep jq printf test";

/// Finds bash syntax in a text that dash runs.
fn of_bash(command: &Command<'_>) -> Option<Finding> {
    let Form::Shell(text, Some(_)) = command.form else {
        return None;
    };
    let (_, part, does) = not_in_dash(text, command.surroundings.dash()?)?;
    Some(commands::bash_in_sh(part, "", does))
}

/// Finds a project folder without quotes: the shell splits its path at spaces.
fn quotes(command: &Command<'_>) -> Option<Finding> {
    let Form::Shell(text, _) = command.form else { return None };
    let has_blank = |name: &str| {
        let folder = command.surroundings.folder(name);
        folder.is_some_and(|folder| folder.to_string_lossy().contains(char::is_whitespace))
    };
    // The author of a plugin cannot know its folder.
    let name = FOLDERS[usize::from(has_blank(FOLDERS[1]))];
    let words = command.commands().iter().flat_map(|command| &command.words);
    let bare: Vec<_> = words.flat_map(|word| word.bare(name)).collect();
    let first = bare.first()?;
    let mut fixed = text.to_owned();
    for span in bare.iter().rev() {
        let quoted = format!("\"{}\"", &text[span.clone()]);
        fixed.replace_range(span.clone(), &quoted);
    }
    let calls = command.calls();
    let mut calls = calls.iter();
    let call =
        calls.find(|call| call.word.is_some_and(|word| word.span.start <= first.start && first.end <= word.span.end));
    let does = match (has_blank(name), call) {
        (true, Some(call)) => command.without(call),
        (true, None) => "the shell splits it at its blanks".to_owned(),
        _ => "in a clone whose path contains a space, the shell splits it, and the hook fails".to_owned(),
    };
    Some(commands::unquoted_path(&text[first.clone()], does).setting("command", fixed))
}
