//! Bash syntax in a text that dash runs.

use std::cell::LazyCell;
use std::ops::Range;
use std::path::Path;

use hookkit_shell::programs::table::lists;
use hookkit_shell::{Command, ExpansionKind, Layout, Part, RedirectionOperator, StageKind};

use crate::diagnose::rules::shell::name;
use crate::disk::bounded;

/// Built-in commands of bash that dash lacks.
const NOT_IN_DASH: &str = "declare let mapfile popd pushd readarray shopt source typeset";

/// Effect of a command that dash lacks.
const FAILS: &str = "it always fails there";

/// Effect of syntax that dash lacks, for a tool call.
const ENDS: &str = "the shell exits there with 2, which denies the call if the hook can deny";

/// Returns the first part of a text that dash does not support, with its position and its effect. `dash` is the path of
/// the program.
pub(super) fn not_in_dash<'t>(text: &'t str, dash: &Path) -> Option<(usize, &'t str, &'static str)> {
    let layout = Layout::parse(text).ok()?;
    // It may restart itself with bash.
    if text.contains("BASH_VERSION") || text.contains("exec bash") {
        return None;
    }
    let has_pipefail = |bytes: Vec<u8>| bytes.windows(8).any(|name| name == b"pipefail");
    let lacks_pipefail = LazyCell::new(|| bounded::read(dash).is_ok_and(|bytes| !has_pipefail(bytes)));
    let stages = layout.stages().iter();
    let tests = stages.filter(|stage| stage.kind == StageKind::Condition);
    let tests = tests.map(|stage| {
        // A parenthesis in a pattern is a syntax error in dash, for the whole text.
        let does = if text[stage.span.clone()].contains('(') { ENDS } else { FAILS };
        (stage.span.start..stage.span.start + "[[".len(), does)
    });
    let commands = layout.commands().iter();
    let found = tests.chain(commands.filter_map(|command| of_command(text, command, &|| *lacks_pipefail)));
    let (span, does) = found.min_by_key(|(span, _)| span.start)?;
    Some((span.start, text.get(span)?, does))
}

/// Returns the position of the first part of a command that dash does not support, and its effect.
fn of_command(
    text: &str,
    command: &Command,
    lacks_pipefail: &dyn Fn() -> bool,
) -> Option<(Range<usize>, &'static str)> {
    let written = |span: &Range<usize>| text.get(span.clone()).unwrap_or_default();
    if let Some(first) = command.words.first().filter(|first| lists(NOT_IN_DASH, written(&first.span))) {
        return Some((first.span.clone(), FAILS));
    }
    let mut arguments = command.arguments().iter();
    if command.is_named("set")
        && let Some(option) = arguments.find(|word| word.is("pipefail")).filter(|_| lacks_pipefail())
    {
        return Some((option.span.clone(), ENDS));
    }
    let mut redirections = command.redirections.iter();
    if let Some(text) = redirections.find(|redirection| redirection.operator == RedirectionOperator::HereString) {
        return Some((text.target.span.clone(), ENDS));
    }
    let array = command.assignments.iter().filter(|variable| variable.elements.is_some()).find_map(|variable| {
        let start = variable.name.len() + "=(".len();
        let span = variable.value.span.start..variable.value.span.start + start;
        // The list in `for` has none.
        written(&span).ends_with("=(").then_some((span, ENDS))
    });
    let values = command.assignments.iter().map(|variable| &variable.value);
    let mut expansions = command.words.iter().chain(values).flat_map(|word| &word.parts);
    array.or_else(|| {
        expansions.find_map(|part| match part {
            Part::Expansion(expansion) => {
                let span = expansion.span()?;
                is_of_bash(expansion.kind, written(&span)).then_some((span, ENDS))
            }
            Part::Literal(_) => None,
        })
    })
}

/// Returns `true` if dash does not support an expansion in this form.
fn is_of_bash(kind: ExpansionKind, written: &str) -> bool {
    let inner = written.trim_start_matches(['$', '{']);
    let after = &inner[name(inner).len()..];
    match kind {
        ExpansionKind::Process => true,
        ExpansionKind::Parameter => {
            let cut = after.strip_prefix(':');
            cut.is_some_and(|rest| !rest.starts_with(['-', '=', '+', '?']))
                || after.starts_with(['/', '^', ',', '['])
                || inner.starts_with('!')
        }
        _ => false,
    }
}
