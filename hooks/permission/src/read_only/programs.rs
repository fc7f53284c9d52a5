//! Programs that change nothing, and with which options.

use hookkit::shell::programs::table::lists;
use hookkit::shell::{Command, Word};

use super::{git, lookers, names, scripts};

/// They write to stdout alone, and start nothing, whatever their options.
const LOOKERS: &[&str] = &[
    "[", "basename", "cat", "cmp", "comm", "cut", "df", "dirname", "egrep", "expand", "false", "fgrep", "fold",
    "getconf", "grep", "head", "hexdump", "id", "ls", "nl", "nproc", "od", "paste", "pwd", "readlink", "realpath",
    "rev", "seq", "stat", "tac", "tail", "test", "tr", "true", "type", "uname", "unexpand", "uptime", "which",
    "whoami",
];

/// They print their arguments.
const PRINTERS: &[&str] = &["echo", "printf"];

/// They run what is behind them, which is a command of its own.
///
/// `time` is none of them: as a word of the shell it is not a command, and as a program it can write a file.
const PREFIXES: &[&str] = &["command", "nice", "timeout"];

/// Parameters without capitals that zsh itself goes by, with its modules. Those of shell hooks end in `_functions`.
const ZSH_PARAMETERS: &str = "aliases argv builtins cdpath commands dirstack dis_aliases dis_builtins dis_functions \
    dis_functions_source dis_galiases dis_patchars dis_reswords dis_saliases epochtime errnos fignore fpath \
    funcfiletrace funcsourcetrace funcstack functions functions_source functrace galiases histchars history \
    historywords jobdirs jobstates jobtexts keymaps killring langinfo mailpath manpath mapfile module_path modules \
    nameddirs options parameters patchars path pipestatus prompt psvar region_highlight reswords saliases signals \
    status sysparams termcap terminfo userdirs usergroups watch widgets";

/// Returns whether neither a shell nor a program goes by a variable. Those that programs go by have capitals.
pub(super) fn is_local(variable: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    variable.bytes().all(is_plain)
        // Programs go by these, too.
        && !variable.ends_with("_proxy")
        && !variable.starts_with("npm_")
        && !lists(ZSH_PARAMETERS, variable)
        && !variable.ends_with("_functions")
        && !["zle_", "zsh_"].iter().any(|prefix| variable.starts_with(prefix))
}

pub(super) fn only_prints(command: &Command) -> bool {
    command.name().is_some_and(|name| PRINTERS.contains(&name))
}

/// Returns `true` if a command's name and options are those of one that changes nothing. A name with a path may be of the project.
pub(super) fn looks_only(command: &Command) -> bool {
    let Some(name) = command.name() else {
        return false;
    };
    let words = command.arguments();
    if let Some(looks_only) = lookers::looks_only(name, words) {
        return looks_only;
    }
    match name {
        "git" => git::looks_only(words),
        "find" => names::find(words),
        "fd" | "fdfind" => names::fd(words),
        // The second operand is written, and a pattern may be two.
        "uniq" => words.iter().all(|word| short_options(word, "cdDiuzfsw")) && has_one_operand(words, ""),
        "xxd" => words.iter().all(|word| short_options(word, "abcCdeEgilnopsu")) && has_one_operand(words, "cglnos"),
        // Elsewhere than in a folder that is named it is at home, or where it was before.
        "cd" => matches!(words, [folder] if folder.literal().is_some_and(|folder| {
            !folder.is_empty() && !folder.starts_with(['-', '+'])
        })),
        // It can start `pr`.
        "diff" => words.iter().all(|word| {
            let text = word.known_start();
            // A folder that these name has the file that is read.
            let names_folder = ["--fr", "--to"].iter().any(|option| text.starts_with(option));
            !names_folder
                && !text.starts_with("--p")
                && (text.starts_with("--") || !text.starts_with('-') || !text.contains('l'))
        }),
        "rg" => words.iter().all(|word| {
            let text = word.known_start();
            !text.starts_with("--pre")
                && !text.starts_with("--hostname-bin")
                && !text.starts_with("--search-zip")
                && (text.starts_with("--") || !text.starts_with('-') || !text.contains('z'))
        }),
        // Names of files that are in a file are not known.
        "wc" | "du" => !words.iter().any(|word| is_long(word, "files0-from")),
        "strings" => !words.iter().any(holds_arguments),
        "jq" => scripts::jq(words),
        "yq" => scripts::yq(words),
        "awk" | "gawk" | "mawk" | "nawk" => scripts::awk(words),
        "sed" => scripts::sed(words),
        "tar" => tar(words),
        "ps" => ps(words),
        "date" => date(words),
        // With a name the machine is called so from then on, and `arch` starts a program on macOS.
        "arch" | "hostname" => words.is_empty(),
        "xargs" => names::xargs(words).is_some(),
        _ if is_shell(command) => shell(words),
        _ => LOOKERS.contains(&name) || PRINTERS.contains(&name) || PREFIXES.contains(&name),
    }
}

/// Returns `true` if all options are of these letters, or have one of these names in full.
pub(super) fn has_only_options(words: &[Word], letters: &str, long: &str) -> bool {
    words.iter().all(|word| {
        word.known_start() == "--"
            || short_options(word, letters)
            || long_name(word).is_some_and(|name| lists(long, name))
    })
}

/// Returns `true` if it is a shell. What it is given to run is a command of its own.
pub(super) fn is_shell(command: &Command) -> bool {
    matches!(command.name(), Some("bash" | "dash" | "ksh" | "sh" | "zsh"))
}

/// A shell that is given a text, with options that make it no more talkative than it is.
fn shell(words: &[Word]) -> bool {
    let known: Option<Vec<&str>> = words.iter().map(Word::literal).collect();
    let mut words = known.as_deref().unwrap_or_default();
    while let ["-e" | "-u" | "-x" | "-eu" | "-ex" | "-eux", rest @ ..]
    | ["-o" | "-eo" | "-euo", "errexit" | "nounset" | "pipefail", rest @ ..] = words
    {
        words = rest;
    }
    matches!(words, ["-c" | "-ec" | "-xc" | "-exc" | "-uc" | "-euc", text] if !text.trim().is_empty())
}

pub(super) fn long_name(word: &Word) -> Option<&str> {
    word.known_start().strip_prefix("--")?.split('=').next()
}

/// Returns `true` for `@file`, which holds further arguments.
pub(super) fn holds_arguments(word: &Word) -> bool {
    word.known_start().starts_with('@')
}

pub(super) fn is_one_of(word: &Word, long: &str) -> bool {
    long_name(word).is_some_and(|name| lists(long, name))
}

/// Returns `true` if there is one operand at the most, and no pattern that may be several. Some letters take a value.
fn has_one_operand(words: &[Word], valued: &str) -> bool {
    let mut operands = 0;
    let mut is_value = false;
    words.iter().all(|word| {
        let text = word.known_start();
        if !is_option(word) && !is_value {
            operands += 1;
        }
        is_value = !is_value && is_option(word) && text.len() == 2 && text.ends_with(|letter| valued.contains(letter));
        word.literal().is_some() && operands <= 1
    })
}

/// Returns for each argument whether it is a pattern or a program, and not a file; `false` where that is not certain.
pub(super) fn texts(command: &Command) -> Vec<bool> {
    let words = command.arguments();
    // Behind `--` a pattern may look like an option.
    let is_elsewhere =
        |word: &Word| is_option(word) && (word.known_start().contains(['e', 'f']) || word.known_start() == "--");
    let found = match command.name() {
        Some("grep" | "egrep" | "fgrep") if words.iter().any(is_elsewhere) => None,
        Some("grep" | "egrep" | "fgrep") => words.iter().position(|word| !is_option(word)).map(|first| vec![first]),
        Some("jq") => scripts::jq_texts(words),
        Some("yq") => scripts::yq_expression(words).map(|expression| vec![expression]),
        // Names that are looked for are not opened, unless something is done with what is found.
        Some("find") => {
            let are_used = |word: &Word| ["-exec", "-print0"].contains(&word.known_start());
            names::find_patterns(words).filter(|_| !words.iter().any(are_used))
        }
        Some("sed") => scripts::sed_scripts(words),
        Some("awk" | "gawk" | "mawk" | "nawk") => scripts::awk_texts(words),
        _ => None,
    };
    let mut are_texts = vec![false; words.len()];
    for index in found.unwrap_or_default() {
        are_texts[index] = words[index].literal().is_some();
    }
    are_texts
}

pub(super) fn is_option(word: &Word) -> bool {
    let text = word.known_start();
    text.starts_with('-') && text.len() > 1
}

/// Returns `true` if it is this long option, also cut short, and with a value.
fn is_long(word: &Word, option: &str) -> bool {
    let name = word.known_start().split('=').next().unwrap_or_default();
    name.strip_prefix("--")
        .is_some_and(|name| !name.is_empty() && option.starts_with(name))
}

/// Returns `true` if it is not an option, or one letter of these, or several, with what is behind them.
///
/// Letters behind a digit count, too: `-0` is an option of `file`, and `-L2` one of `tree`, and more can follow. A long
/// option is none of them: it can be cut short, and there are too many.
pub(super) fn short_options(word: &Word, letters: &str) -> bool {
    let text = word.known_start();
    let Some(options) = text.strip_prefix('-') else {
        return true;
    };
    options
        .chars()
        .filter(|char| char.is_ascii_alphabetic())
        .all(|letter| letters.contains(letter))
        // In a cluster it takes back what the others say.
        && !options.contains('-')
}

/// The time, or another one, as a text. An operand sets it.
fn date(words: &[Word]) -> bool {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = word.known_start();
        match text {
            "-d" | "--date" => drop(words.next()),
            _ if text.starts_with('+') || text.starts_with("--date=") || text.starts_with("-I") => {}
            _ if short_options(word, "uR") && is_option(word) || is_one_of(word, "utc rfc-3339 iso-8601 rfc-email") => {
            }
            _ => return false,
        }
    }
    true
}

/// Processes without their environments, which `ps e` shows.
fn ps(words: &[Word]) -> bool {
    const VALUED: &str = "CGgOoptUu";
    const LONG: &str = "forest no-headers pid ppid sort user";
    let mut is_value = false;
    words.iter().all(|word| {
        let Some(text) = word.literal() else { return false };
        let is_known = match text.strip_prefix('-') {
            _ if text.contains("env") => false,
            Some(option) if option.starts_with('-') => is_one_of(word, LONG),
            // With `x` it is one of BSD's, which shows the environment.
            Some(option) if option.contains('e') => short_options(word, "AefFjlLopwy") && !option.contains('x'),
            Some(_) => short_options(word, "AacCdfFgGjlLNoOpPrtTuUvwxZ"),
            None => is_value || !text.contains(['e', 'E']),
        };
        is_value = match text.strip_prefix("--") {
            Some(option) => matches!(option, "pid" | "ppid" | "sort" | "user"),
            // What follows on the first letter with a value is its value.
            None => text.starts_with('-') && text.find(|letter| VALUED.contains(letter)) == Some(text.len() - 1),
        };
        is_known
    })
}

/// `tar` that lists what is in an archive of the project.
fn tar(words: &[Word]) -> bool {
    const LONG: &str = "list file verbose gzip gunzip bzip2 xz zstd wildcards exclude strip-components version help";
    let mut lists = false;
    words.iter().enumerate().all(|(index, word)| {
        let Some(text) = word.literal() else { return false };
        // The first word needs no dash, and a name with a colon is of another machine.
        if index == 0 && !text.starts_with('-') || is_option(word) && !text.starts_with("--") {
            let letters = text.trim_start_matches('-');
            lists |= letters.contains('t');
            return letters.chars().all(|letter| "tvfzjJa".contains(letter));
        }
        lists |= text == "--list";
        !text.contains(':') && (!text.starts_with("--") || is_one_of(word, LONG))
    }) && lists
}
