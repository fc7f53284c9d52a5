//! Commands of a line with the values of its variables, and commands in its unanalyzed parts.

use super::Variables;
use crate::code::{Calls, Code};
use crate::folders::commands;
use crate::prelude::*;

impl Line<'_> {
    /// Returns the commands of a line, with values in place of variables, and the git commands that its unanalyzed parts
    /// may run.
    pub(crate) fn commands(self) -> Vec<Command> {
        let commands = commands(self.script);
        let variables = Variables::of(self);
        // A command whose name is in a variable also runs as a line.
        let named = (commands.iter())
            .filter(|command| command.words.first().is_some_and(|word| word.has(ExpansionKind::Parameter)));
        let named = named.flat_map(|command| variables.commands(command).into_owned());
        let named = named.map(|command| {
            let quoted = |word: &Word| match word.literal() {
                Some(text) => shell_word(text).into_owned(),
                None => word.to_string(),
            };
            command.words.iter().map(quoted).collect::<Vec<_>>().join(" ")
        });
        let named: Vec<String> = named.collect();
        let known = with_values(&commands, variables);
        let run: Vec<String> = known.iter().flat_map(run_by).chain(named).collect();
        let by_words =
            self.script.unanalyzed().iter().filter(|unanalyzed| may_run(unanalyzed)).flat_map(|it| by_words(&it.text));
        let run = run.iter().flat_map(|text| shell::analyze(text).commands().to_vec());
        known.into_iter().chain(run).chain(by_words).collect()
    }
}

/// Returns the lines that a command runs through code of another language, as a program that git starts, or through
/// `eval`.
pub(crate) fn run_by(command: &Command) -> Vec<String> {
    let program = command.program().unwrap_or_default();
    if program.starts_with("git-") {
        return vec![command.to_string().replacen("git-", "git ", 1)];
    }
    if let Some(code) = code_of(command) {
        return Calls::of(&Code::of(program, &code)).lines;
    }
    if command.is_named("eval") { vec![command.to_string().replacen("eval", "", 1)] } else { Vec::new() }
}

/// Returns the code of another language that a command runs.
pub(crate) fn code_of(command: &Command) -> Option<String> {
    let texts = command.texts().skip(1).map(Word::to_string);
    (is_interpreter(command) && !command.program().is_some_and(is_shell)).then(|| texts.collect::<Vec<_>>().join("\n"))
}

/// Returns commands with values in place of variables and of a call's arguments.
pub(crate) fn valued(commands: &[Command], line: Line) -> Vec<Command> {
    with_values(commands, Variables::of(line))
}

fn with_values(commands: &[Command], mut variables: Variables) -> Vec<Command> {
    // If the variable is empty, the path is not one of a project.
    variables.found.iter_mut().for_each(|variable| variable.is_set = true);
    commands.iter().flat_map(|command| variables.commands(command).into_owned()).collect()
}

/// Returns `true` for an unanalyzed part that may run unlisted commands.
pub(crate) fn may_run(unanalyzed: &Unanalyzed) -> bool {
    matches!(
        unanalyzed.why,
        Why::Syntax
            | Why::TooDeep
            | Why::TooLong
            | Why::Character
            | Why::ScriptText
            | Why::ScriptPart
            | Why::Prefix
            | Why::Runner
    )
}

/// Returns the commands of git, and of its hook managers, that the words of a text may form.
fn by_words(text: &str) -> Vec<Command> {
    /// Maximum number of words in a command.
    const MOST_WORDS: usize = 50;
    const PROGRAMS: &str = "export git husky lefthook overcommit pre-commit";
    let mut commands = Vec::new();
    for line in text.split(['\n', ';', '&', '|']) {
        let words: Vec<&str> = words_between(line, "'\"`\\(){}<>$#").collect();
        for (at, word) in words.iter().enumerate() {
            if lists(PROGRAMS, base(word)) {
                let command: Vec<&str> = words[..at]
                    .iter()
                    .filter(|word| word.contains('='))
                    .chain(&words[at..])
                    .take(MOST_WORDS)
                    .copied()
                    .collect();
                commands.extend_from_slice(shell::analyze(&command.join(" ")).commands());
            }
        }
    }
    commands
}
