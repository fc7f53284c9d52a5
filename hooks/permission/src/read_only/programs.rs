//! Programs that change nothing and need more than a row in the table of effects.

use super::{git, names, scripts};
use crate::prelude::*;

/// Programs that run the command after them. The parser lists that command separately.
///
/// `time` is not in this list: as a shell keyword it is not a command, and as a program it can write a file.
const PREFIXES: &str = "caffeinate command env ionice nice nohup stdbuf timeout xargs";

/// Lowercase parameters that zsh and its modules use. Parameters for shell hooks end in `_functions`.
const ZSH_PARAMETERS: &str = "aliases argv builtins cdpath commands dirstack dis_aliases dis_builtins dis_functions \
    dis_functions_source dis_galiases dis_patchars dis_reswords dis_saliases epochtime errnos fignore fpath \
    funcfiletrace funcsourcetrace funcstack functions functions_source functrace galiases histchars history \
    historywords jobdirs jobstates jobtexts keymaps killring langinfo mailpath manpath mapfile module_path modules \
    nameddirs options parameters patchars path pipestatus prompt psvar region_highlight reswords saliases signals \
    status sysparams termcap terminfo userdirs usergroups watch widgets";

/// Variables that choose a language, a time zone or colors.
const HARMLESS: &str = "CLICOLOR COLUMNS FORCE_COLOR LANG LANGUAGE LC_ALL LC_COLLATE LC_CTYPE LC_MESSAGES LC_NUMERIC \
    LC_TIME NO_COLOR TZ";

/// Returns `true` if neither a shell nor a program uses a variable. Variables that programs use are in capitals.
pub(super) fn is_local(variable: &str) -> bool {
    variable.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
        // Programs use these, too.
        && !variable.ends_with("_proxy")
        && !variable.starts_with("npm_")
        && !lists(ZSH_PARAMETERS, variable)
        && !variable.ends_with("_functions")
        && !begins("zle_ zsh_", variable)
}

/// Returns `true` if a variable only changes how programs print, and its value names no file.
pub(super) fn is_harmless(assignment: &Assignment) -> bool {
    lists(HARMLESS, &assignment.name)
        && assignment.elements.is_none()
        && assignment.value.literal().is_some_and(|text| has_only(text, "_-.@+"))
}

/// Returns a command's own words, and `true` if it runs another command.
///
/// The words of the other command are left out, because the parser lists it separately. Git's folders (`-C`), and the
/// words that an `xargs` without input would insert, are also left out.
pub(super) fn own(command: &Command, commands: &[Command]) -> (Command, bool) {
    let mut own = command.clone();
    if command.via.last().is_some_and(|via| via.is_prefix("xargs")) && names::gets_none(commands) {
        own.words.retain(|word| !word.parts.iter().any(names::is_argument));
    }
    for _ in git::moves(command) {
        own.words.drain(1..=2);
    }
    let mut runs = false;
    if let Some(name) = command.name().filter(|name| is_prefix(name)) {
        let start = |inner: &Command| inner.words.first().map(|word| word.span.start);
        let is_within = |inner: &&Command| {
            inner.is_run_by(name) && start(inner) > start(command) && start(inner) < Some(command.span.end)
        };
        let inner = commands.iter().filter(is_within).filter_map(start).min();
        own.words.retain(|word| inner.is_none_or(|start| word.span.end <= start));
        runs = inner.is_some();
    }
    (own, runs)
}

fn is_prefix(name: &str) -> bool {
    lists(PREFIXES, name)
}

/// Returns a program's operands if the program certainly changes nothing. Its arguments are checked, not only its
/// options.
pub(super) fn looks_only(own: &Command, runs: bool) -> Option<Operands> {
    let (name, words) = (own.name()?, own.arguments());
    let is_known = match name {
        "find" => names::find(words).is_some(),
        // Without a named folder, `cd` leads home, or back to the previous folder.
        "cd" => matches!(words, [folder] if folder.literal().is_some_and(|folder| {
            !folder.is_empty() && !folder.starts_with(['-', '+'])
        })),
        "awk" | "gawk" | "mawk" | "nawk" => scripts::awk(words),
        "sed" => scripts::sed(words),
        "bash" | "dash" | "ksh" | "sh" | "zsh" => return shell(words).then_some(Operands::Names),
        _ if is_prefix(name) => return (runs && runs_only(own)).then_some(Operands::Names),
        _ => false,
    };
    is_known.then_some(Operands::Files)
}

/// Returns `true` if the options of a prefix set neither a folder nor variables for its command, and name no file.
fn runs_only(own: &Command) -> bool {
    let program = own.name().and_then(Program::named);
    program.is_some_and(|program| {
        program.read(own.arguments()).all(|argument| match argument {
            Argument::Operand(word) => word.literal().is_some_and(|text| !text.contains('=')),
            // These options of `xargs` ask a person, or read the terminal.
            Argument::Known { name: "interactive" | "o" | "open-tty" | "p", .. } if own.is_named("xargs") => false,
            Argument::Known { is_whole, takes, .. } => {
                is_whole && matches!(takes, Takes::Nothing | Takes::Value(Role::Text | Role::Value))
            }
            Argument::Unknown(_) => false,
        })
    })
}

/// Returns `true` if a shell runs a string, with only harmless options such as `-euxo pipefail -c`.
fn shell(words: &[Word]) -> bool {
    let [before @ .., script] = words else { return false };
    let mut is_value = false;
    let mut texts = 0;
    let are_known = before.iter().all(|word| {
        let text = word.literal().unwrap_or_default();
        if is_value {
            is_value = false;
            return lists("errexit nounset pipefail", text);
        }
        is_value = text.ends_with('o');
        texts += text.matches('c').count();
        let letters = text.strip_prefix('-').map(|letters| letters.strip_suffix('o').unwrap_or(letters));
        text.len() > 1 && letters.is_some_and(|letters| consists_of("ceux", letters))
    });
    // The text for `-c` is the last word.
    are_known && !is_value && texts == 1 && script.literal().is_some_and(|text| !text.trim().is_empty())
}

/// Returns the indexes of the arguments that are certainly patterns or programs, and not files.
pub(super) fn texts(command: &Command) -> Vec<usize> {
    let words = command.arguments();
    let texts = match command.name() {
        Some("jq") => scripts::jq_texts(words),
        // Searched names are not opened, unless an action uses the found files.
        Some("find") => {
            names::find(words).filter(|_| !words.iter().any(|word| ["-exec", "-print0"].contains(&word.known_start())))
        }
        Some("awk" | "gawk" | "mawk" | "nawk") => scripts::awk_texts(words),
        Some(name) => by_roles(name, words),
        None => None,
    };
    let mut texts = texts.unwrap_or_default();
    texts.retain(|index| words[*index].literal().is_some());
    texts
}

/// Returns the indexes of the words that are patterns and texts according to the program's row.
fn by_roles(name: &str, words: &[Word]) -> Option<Vec<usize>> {
    let (program, from) = Program::of(name, words)?;
    let is_text = |role: Role| matches!(role, Role::Pattern | Role::Text);
    let (mut operands, mut texts, mut are_given) = (Vec::new(), Vec::new(), false);
    let mut arguments = program.read(&words[from..]);
    while let Some(argument) = arguments.next() {
        let index = (from + arguments.index()).saturating_sub(1);
        match argument {
            Argument::Operand(_) => operands.push(index),
            Argument::Known { takes: Takes::Value(role), value: Some(_), .. } => {
                are_given |= matches!(role, Role::Pattern | Role::Patterns);
                texts.extend(is_text(role).then_some(index));
            }
            _ => {}
        }
    }
    let roles: Vec<Role> = program.operands().collect();
    if let [first, _, ..] = roles[..]
        && is_text(first)
        && !are_given
    {
        texts.extend(operands.first());
    }
    Some(texts)
}
