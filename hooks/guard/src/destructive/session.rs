//! Scripts, programs and options that a line takes from the user's session.

use crate::effects::changes::writes;
use crate::prelude::*;
use crate::variables::variable;

/// Returns `true` for a program or a script that is the user's own and not in the line.
pub(super) fn has(unanalyzed: &Unanalyzed, script: &Script) -> bool {
    /// Maximum number of unanalyzed parts to look up in a line.
    const MOST: usize = 8;
    match unanalyzed.why {
        Why::Name | Why::Prefix if script.unanalyzed().len() <= MOST => {
            is_below_glob(unanalyzed, script)
                || is_in_folder(&unanalyzed.text, script)
                || is_variable(unanalyzed, script)
        }
        _ => is_set_up(&unanalyzed.text),
    }
}

/// Returns `true` for a program with a literal name, in a folder that a glob finds: `/tmp/fd-*/fd`.
fn is_below_glob(unanalyzed: &Unanalyzed, script: &Script) -> bool {
    let is_known =
        |part: &Part| part.literal().is_some() || part.is(ExpansionKind::Glob) || part.is(ExpansionKind::Tilde);
    let names = script.commands().iter().filter_map(|command| Some((command, command.words.first()?)));
    // All names in a script of the line share its position.
    let is_same = |(_, name): &(_, &Word)| name.span == unanalyzed.span && name.literal().is_none();
    let mut same = names.filter(is_same).peekable();
    same.peek().is_some() && same.all(|(command, name)| command.program().is_some() && name.parts.iter().all(is_known))
}

/// Returns `true` for a script that one of the user's programs prints to set up the shell: `eval "$(ssh-agent -s)"`.
fn is_set_up(text: &str) -> bool {
    const PROGRAMS: &str = "brew shellenv|conda shell.|dircolors|direnv export |direnv hook |fnm env|goenv init|mise activate |\
        minikube docker-env|nodenv init|opam env|pyenv init|rbenv init|starship init |thefuck --alias|zoxide init ";
    let text = text.trim_matches('"');
    let Some(inner) = text.strip_prefix("$(").and_then(|text| text.strip_suffix(')')) else {
        return false;
    };
    let inner = inner.trim();
    !inner.contains([';', '|', '&', '$', '`', '<', '>', '(', ')', '\n'])
        // `ssh-agent` runs any further words.
        && (matches!(inner, "ssh-agent" | "ssh-agent -c" | "ssh-agent -k" | "ssh-agent -s")
            || PROGRAMS.split('|').any(|program| inner.starts_with(program)))
}

/// Returns `true` for a program in a folder that another program prints: `$(go env GOPATH)/bin/x`.
fn is_in_folder(text: &str, script: &Script) -> bool {
    const PRINTED: &str = "brew --prefix|git rev-parse --show-toplevel|go env GOPATH|npm bin|npm prefix -g|pnpm bin|pwd|\
        xcode-select -p|yarn bin|yarn global bin";
    let is_printed = text
        .strip_prefix("$(")
        .and_then(|text| text.split_once(')'))
        .is_some_and(|(inner, rest)| PRINTED.split('|').any(|printed| printed == inner) && is_path(rest));
    // The output may be a value or a function of the line.
    const SETTERS: &str = "getopts mapfile printf read readarray zparseopts";
    is_printed
        && !script.commands().iter().any(|command| assigned(command).next().is_some() || command.is(SETTERS))
        && (script.unanalyzed().iter()).all(|unanalyzed| matches!(unanalyzed.why, Why::Name | Why::Prefix))
}

/// Returns `true` for a path without shell syntax, after a slash.
fn is_path(text: &str) -> bool {
    text.len() > 1 && text.starts_with('/') && has_only(text, PLAIN)
}

/// Characters without a meaning to a shell.
const PLAIN: &str = "/._+-";

/// A variable that holds a program, its folder or the start of its name: `$EDITOR`, `"${VENV}"/bin/pip`, `${MODULE}-build`.
struct Use<'w> {
    name: &'w str,
    rest: String,
}

impl<'w> Use<'w> {
    /// Parses a word; `None` if it has another form.
    fn of(word: &'w Word) -> Option<Self> {
        let (first, rest) = word.parts.split_first()?;
        let name = variable(first)?;
        let rest: String = rest.iter().map(Part::literal).collect::<Option<_>>()?;
        let is_name = name.len() > 1
            && name.starts_with(|char: char| char.is_ascii_uppercase())
            && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
        // In quotes, a backslash separates Windows names and is not an escape.
        let is_windows = || word.is_quoted() && is_path(&rest.replace('\\', "/"));
        // If the variable is empty, the rest may be a program itself: `${X}git`.
        let goes_on = || rest.starts_with(['-', '_', '/']) && has_only(&rest, PLAIN);
        (is_name && (rest.is_empty() || goes_on() || is_windows())).then_some(Self { name, rest })
    }
}

/// Returns the programs that a variable of the session may be named after: `git` of `$GIT`, and `docker-compose`, `docker` and
/// `compose` of `$DOCKER_COMPOSE`.
pub(super) fn programs(command: &Command) -> Vec<String> {
    let found = command.words.first().and_then(Use::of);
    let Some(found) = found.filter(|found| found.rest.is_empty()) else {
        return Vec::new();
    };
    let name = found.name.to_ascii_lowercase().replace('_', "-");
    name.split('-')
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .chain(name.contains('-').then(|| name.clone()))
        .collect()
}

/// Returns `true` if a command's name, or an option before it, is a variable of the session, or a path below one: `$EDITOR x`,
/// `$VENV/bin/pip`, `uv run $OPTIONS pytest`.
///
/// A variable that one command exports is not set in the next command (client 2.1.330).
fn is_variable(unanalyzed: &Unanalyzed, script: &Script) -> bool {
    /// Variables that shells and their builtins set although no word names them.
    const OF_SHELLS: &str = "BASH COPROC IFS MAPFILE MATCH MBEGIN MEND OPTARG REPLY SHELL ZSH";
    let word = script.commands().iter().flat_map(|command| &command.words).find(|word| word.span == unanalyzed.span);
    let Some(Use { name, rest }) = word.and_then(Use::of) else {
        return false;
    };
    let is_it = |text: &str| parts(text, "_").any(|part| part == name);
    let sets = |command: &Command| {
        // A default is a value, too.
        let default = |part| variable(part).filter(|text| *text != name);
        let mut texts = command
            .words
            .iter()
            .flat_map(|word| &word.parts)
            .filter_map(|part| part.literal().or_else(|| default(part)));
        assigned(command).any(|(assigned, _)| assigned == name)
            || texts.any(|text| is_it(text) || text.starts_with('-') && text.ends_with(name))
    };
    // A script that the line writes may set it.
    let is_clear = |why| match why {
        Why::Name | Why::Prefix | Why::ShellVariable => true,
        Why::ScriptFile => {
            !script.commands().iter().any(|command| command.is(WRITERS) || command.redirections.iter().any(writes))
        }
        _ => false,
    };
    (!rest.is_empty() || !begins(OF_SHELLS, name))
        && !script.commands().iter().any(sets)
        && script.unanalyzed().iter().all(|unanalyzed| is_clear(unanalyzed.why))
}

/// Programs that may write a script.
const WRITERS: &str = "cp curl dd install ln mv rsync sed tee wget";
