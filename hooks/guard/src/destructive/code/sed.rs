//! Programs that a `sed` script runs: GNU `sed` has a command `e`, and a flag `e` of `s`.

use crate::prelude::*;
use hookkit::shell::programs::sed::{Step, script, steps};

/// A program that a `sed` script runs.
pub(super) struct Run {
    /// The shell command, or its literal part, such as the replacement of `s/…/…/e`.
    pub command: Option<String>,
    /// `true` if nothing else is run.
    pub is_whole: bool,
}

/// Returns the programs that the scripts of a `sed` command run.
pub(super) fn runs(command: &Command) -> Vec<Run> {
    let script = script(command.arguments(), command.input());
    let run = |step: Step| match (step.name, step.rest) {
        ('e', Some(text)) => {
            // A backslash may be removed.
            let is_whole = !text.is_empty() && !text.contains(['\\', '…']);
            Some(Run { command: is_whole.then(|| text.to_owned()), is_whole })
        }
        ('s', _) if step.flags.contains('e') => Some(Run { command: Some(step.texts[1].to_owned()), is_whole: false }),
        _ => None,
    };
    steps(&script).into_iter().filter_map(run).collect()
}

#[cfg(test)]
mod tests {
    use hookkit::shell;

    #[test]
    fn each_script_runs_what_is_said() {
        test_support::lines!("lines/sed.txt").check(|_, line| {
            let script = shell::analyze(line);
            let commands: Vec<String> = super::runs(&script.commands()[0])
                .into_iter()
                .map(|run| run.command.unwrap_or("…".to_owned()))
                .collect();
            if commands.is_empty() { "nothing".to_owned() } else { commands.join(" & ") }
        });
    }
}
