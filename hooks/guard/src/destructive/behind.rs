//! Words behind a program that is not known to take them as texts.

use hookkit::shell::programs::Role;
use hookkit::shell::programs::table::lists;
use hookkit::shell::{self, Command, Word};

use super::place::Places;
use super::{Danger, Severity, as_found, by_program, guards, with_name};
use crate::effects::programs;

/// Returns the danger of words behind a program that is not known to take them as texts: it may run them.
///
/// Programs that do are without number (`hyperfine 'rm -rf ~'`, `ansible all -a 'rm -rf /'`), so only what would be denied
/// by itself is asked about, and what git would lose (`retry git reset --hard`).
pub(super) fn judge(command: &Command, places: &Places) -> Option<Danger> {
    /// More words, and longer texts, are not looked at.
    const MOST: usize = 16;
    const LONGEST_COMMAND: usize = 200;
    const LONGEST: usize = 1000;
    command.words.first()?;
    let program = command.program();
    let words = command.arguments();
    let is_run = |word: &Word| {
        RUN_BY
            .iter()
            .any(|(name, option)| program == Some(*name) && word.known_start().starts_with(option))
    };
    if program.is_some_and(takes_texts) && !words.iter().any(is_run) {
        return None;
    }
    if words.len() > LONGEST_COMMAND || guards::explains(command) {
        return None;
    }
    let is_denied = |command: &Command| {
        let danger = by_program(&as_found(command), places);
        danger.is_some_and(|danger| danger.severity == Severity::Deny)
    };
    // `git` is the subcommand of no program. What is behind a prefix is a command of the line itself.
    let is_prefix = programs::role(command) == Some(Role::Command);
    let is_stopped = |command: &Command| match command.program() {
        Some("git") if !is_prefix => by_program(command, places).is_some(),
        _ => is_denied(command),
    };
    let runs_denied = |(index, word): (usize, &Word)| {
        let Some(text) = word.literal() else { return false };
        if let Some((first, _)) = text.split_once(' ') {
            let is_short = text.len() <= LONGEST && DESTROYERS.iter().any(|name| text.contains(name));
            // The value of an option, or of one of these: `--rsh=rm -rf /`, `EXEC:rm -rf ~`.
            let value = first.rfind(['=', ':', '!']).map(|at| &text[at + 1..]);
            let mut texts = [Some(text), value].into_iter().flatten().map(shell::analyze);
            // Elsewhere a command of git may be prose: `npm version -m "git reset --hard"`.
            let option = index.checked_sub(1).and_then(|before| words[before].literal());
            let is_script = option.is_some_and(takes_script) || program.is_some_and(runs_texts);
            return is_short
                && texts.any(|script| match is_script {
                    true => script.commands().iter().any(is_stopped),
                    false => script.commands().iter().any(is_denied),
                });
        }
        let name = text.rsplit(['/', '#']).next().unwrap_or_default();
        let before = index.checked_sub(1).map_or("", |before| words[before].known_start());
        // Behind an option, it may be a package or a folder.
        let is_value = matches!(text, "xtask" | "hookkit-xtask") && before.starts_with('-') && before != "--";
        DESTROYERS.contains(&name) && !is_value && {
            let mut inner = command.clone();
            inner.words.drain(..=index);
            inner.redirections.clear();
            is_stopped(&inner)
        }
    };
    // A variable may hold the name of any of them.
    let is_one = || program.is_none() && is_denied(&with_name(command, "rm"));
    let is_run = words.iter().take(MOST).enumerate().any(runs_denied) || is_one();
    is_run.then(|| {
        Danger::ask(format!(
            "`{command}` may do by `{}` what would be stopped",
            program.unwrap_or("…")
        ))
    })
}

/// Programs by which most is destroyed, and those that run hookkit's own.
const DESTROYERS: &[&str] = &[
    "cargo", "cargo-hookkit", "chmod", "chown", "dd", "find", "git", "hookkit-xtask", "mkfs", "mv", "rm", "shred",
    "wipefs", "xtask",
];

/// Returns `true` for an option whose value is a script, by most programs that have it.
fn takes_script(option: &str) -> bool {
    lists("-c -e -x --cmd --command --exec --run", option)
}

/// Returns `true` for a program that runs what is in its words as scripts.
fn runs_texts(program: &str) -> bool {
    lists(
        "concurrently entr hyperfine mprocs nix-shell script watchexec wsl",
        program,
    )
}

/// Options of these by which they run a program.
const RUN_BY: &[(&str, &str)] = &[
    ("less", "+"),
    ("man", "-P"),
    ("man", "--pager"),
    ("rg", "--pre"),
    ("sort", "--compress-program"),
    ("ssh", "ProxyCommand="),
    ("ssh", "LocalCommand="),
];

/// Returns `true` for a program that takes what is in its words as texts, or whose commands are followed.
///
/// Each command of a line is looked up: in a slice, that takes three times the instructions.
fn takes_texts(program: &str) -> bool {
    lists(
        "[ ack ag alias apropos awk basename bash cat cd claude command curl dash diff dirname echo egrep eval \
        export fgrep file gh git glab grep gsed head info jq ksh less locate logger ls man parallel pgrep printf rg \
        sed set sh sort ssh stat tail test tldr trap tree type watch wc whatis whereis which xargs yq zsh",
        program,
    )
}
