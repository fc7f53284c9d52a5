//! Syntax of bash in a text that dash runs.

use std::path::Path;

use hookkit_shell::programs::table::lists;
use hookkit_shell::{Command, ExpansionKind, Layout, Part, RedirectionOperator, StageKind, Word};

use crate::diagnose::rules::shell::name;
use crate::disk::bounded;

/// Built-in commands of bash that dash does not have.
const NOT_IN_DASH: &str = "declare let mapfile popd pushd readarray shopt source typeset";

/// Effect of a command that dash does not have.
const FAILS: &str = "it always fails there";

/// Effect of syntax that dash does not have, as on a call of a tool.
const ENDS: &str = "the shell ends there with 2, which denies the call where the hook can";

/// Returns the first part of a text that dash, which is this program, does not have: its place, and its effect.
pub(super) fn not_in_dash<'t>(text: &'t str, dash: &Path) -> Option<(usize, &'t str, &'static str)> {
    let layout = Layout::parse(text).ok()?;
    // It may run itself by bash.
    if text.contains("BASH_VERSION") || text.contains("exec bash") {
        return None;
    }
    let stages = layout.stages().iter();
    let tests = stages.filter(|stage| stage.kind == StageKind::Condition);
    let tests = tests.map(|stage| (stage.span.start, &text[stage.span.start..][..2], FAILS));
    let commands = layout.commands().iter();
    let found = tests.chain(commands.filter_map(|command| of_command(text, command, dash)));
    found.min_by_key(|(at, ..)| *at)
}

fn of_command<'t>(text: &'t str, command: &Command, dash: &Path) -> Option<(usize, &'t str, &'static str)> {
    let part = |at: usize, part: &str, does| Some((at, &text[at..at + part.len()], does));
    let written = |word: &Word| text.get(word.span.clone()).unwrap_or_default();
    if let Some(first) = command.words.first().filter(|first| lists(NOT_IN_DASH, written(first))) {
        return part(first.span.start, written(first), FAILS);
    }
    let lacks_pipefail = || bounded::read(dash).is_ok_and(|bytes| !bytes.windows(8).any(|name| name == b"pipefail"));
    let mut arguments = command.arguments().iter();
    if command.name() == Some("set")
        && let Some(option) = arguments
            .find(|word| word.literal() == Some("pipefail"))
            .filter(|_| lacks_pipefail())
    {
        return part(option.span.start, "pipefail", ENDS);
    }
    let mut redirections = command.redirections.iter();
    if let Some(text) = redirections.find(|redirection| redirection.operator == RedirectionOperator::HereString) {
        return part(text.target.span.start, written(&text.target), ENDS);
    }
    for variable in &command.assignments {
        let start = format!("{}=(", variable.name);
        if variable.elements.is_some()
            && let Some(at) = text.find(&start)
        {
            return part(at, &start, ENDS);
        }
    }
    let values = command.assignments.iter().map(|variable| &variable.value);
    let expansions = command.words.iter().chain(values).flat_map(|word| &word.parts);
    expansions
        .filter_map(|part| match part {
            Part::Expansion(expansion) => Some((expansion.kind, expansion.span()?)),
            Part::Literal(_) => None,
        })
        .find_map(|(kind, span)| {
            let inner = text[span.clone()].trim_start_matches(['$', '{']);
            let after = &inner[name(inner).len()..];
            let is_of_bash = match kind {
                ExpansionKind::Process => true,
                ExpansionKind::Parameter => {
                    let is_cut = after.starts_with(':') && !after[1..].starts_with(['-', '=', '+', '?']);
                    is_cut || after.starts_with(['/', '^', ',', '[']) || inner.starts_with('!')
                }
                _ => false,
            };
            is_of_bash.then(|| (span.start, &text[span], ENDS))
        })
}
