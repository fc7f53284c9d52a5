//! Programs that change nothing, and with which options.

use hookkit::shell::{Command, Word};

use super::git;

/// They write to stdout alone, and start nothing, whatever their options.
const LOOKERS: &[&str] = &[
    "[", "basename", "cat", "cmp", "comm", "cut", "df", "dirname", "egrep", "expand", "false", "fgrep", "fold", "grep",
    "head", "hexdump", "id", "ls", "nl", "nproc", "od", "paste", "pwd", "readlink", "realpath", "rev", "seq", "stat",
    "tac", "tail", "test", "tr", "true", "type", "uname", "unexpand", "uptime", "which", "whoami",
];

/// They print their arguments.
const PRINTERS: &[&str] = &["echo", "printf"];

/// They run what is behind them, which is a command of its own.
///
/// `time` is none of them: as a word of the shell it is not a command, and as a program it can write a file.
const PREFIXES: &[&str] = &["command", "nice", "timeout"];

/// Parameters without capitals that zsh itself goes by, with its modules. Those of shell hooks end in `_functions`.
const ZSH_PARAMETERS: &[&str] = &[
    "aliases",
    "argv",
    "builtins",
    "cdpath",
    "commands",
    "dirstack",
    "dis_aliases",
    "dis_builtins",
    "dis_functions",
    "dis_functions_source",
    "dis_galiases",
    "dis_patchars",
    "dis_reswords",
    "dis_saliases",
    "epochtime",
    "errnos",
    "fignore",
    "fpath",
    "funcfiletrace",
    "funcsourcetrace",
    "funcstack",
    "functions",
    "functions_source",
    "functrace",
    "galiases",
    "histchars",
    "history",
    "historywords",
    "jobdirs",
    "jobstates",
    "jobtexts",
    "keymaps",
    "killring",
    "langinfo",
    "mailpath",
    "manpath",
    "mapfile",
    "module_path",
    "modules",
    "nameddirs",
    "options",
    "parameters",
    "patchars",
    "path",
    "pipestatus",
    "prompt",
    "psvar",
    "region_highlight",
    "reswords",
    "saliases",
    "signals",
    "status",
    "sysparams",
    "termcap",
    "terminfo",
    "userdirs",
    "usergroups",
    "watch",
    "widgets",
];

/// Returns whether neither a shell nor a program goes by a variable. Those that programs go by have capitals.
pub(super) fn is_local(variable: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    variable.bytes().all(is_plain)
        && !ZSH_PARAMETERS.contains(&variable)
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
    match name {
        "git" => git::looks_only(words),
        "find" => words.iter().all(is_test),
        "sort" => words.iter().all(|word| short_options(word, "bdfghiMnRrVcmsuzkt")),
        // The second operand is written, and a pattern may be two.
        "uniq" => {
            let mut operands = words.iter().filter(|word| !is_option(word));
            words.iter().all(|word| short_options(word, "cdDiuzfsw"))
                && operands.next().is_none_or(|word| word.literal().is_some())
                && operands.next().is_none()
        }
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
        "cksum" | "md5sum" | "sha1sum" | "sha256sum" | "sha512sum" => words.iter().all(|word| {
            short_options(word, "abltz") || word.known_start().starts_with("--") && !is_long(word, "check")
        }),
        "strings" => !words.iter().any(|word| word.known_start().starts_with('@')),
        "jq" => jq(words),
        "sed" => sed(words),
        "file" => words.iter().all(|word| short_options(word, "biLkrs")),
        "tree" => words.iter().all(|word| short_options(word, "adfgLiIPpshDuCFr")),
        "date" => words
            .iter()
            .all(|word| word.known_start().starts_with('+') || short_options(word, "uIR") && is_option(word)),
        // With a name the machine is called so from then on, and `arch` starts a program on macOS.
        "arch" | "hostname" => words.is_empty(),
        _ => LOOKERS.contains(&name) || PRINTERS.contains(&name) || PREFIXES.contains(&name),
    }
}

/// Returns the index of the argument that is the pattern and not a file; `None` where that is not certain.
pub(super) fn pattern(command: &Command) -> Option<usize> {
    let words = command.arguments();
    // Behind `--` a pattern may look like an option.
    let is_elsewhere =
        |word: &Word| is_option(word) && (word.known_start().contains(['e', 'f']) || word.known_start() == "--");
    match command.name()? {
        "grep" | "egrep" | "fgrep" | "jq" if !words.iter().any(is_elsewhere) => {
            words.iter().position(|word| !is_option(word))
        }
        _ => None,
    }
}

fn is_option(word: &Word) -> bool {
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
fn short_options(word: &Word, letters: &str) -> bool {
    let text = word.known_start();
    let Some(options) = text.strip_prefix('-') else {
        return true;
    };
    options
        .chars()
        .filter(|char| char.is_ascii_alphabetic())
        .all(|letter| letters.contains(letter))
        && !options.starts_with('-')
}

/// Tests and actions of `find` that write nothing and start nothing.
const TESTS: &[&str] = &[
    "-H",
    "-L",
    "-P",
    "-a",
    "-and",
    "-amin",
    "-atime",
    "-cmin",
    "-ctime",
    "-daystart",
    "-depth",
    "-empty",
    "-executable",
    "-false",
    "-follow",
    "-group",
    "-iname",
    "-inum",
    "-ipath",
    "-iregex",
    "-links",
    "-ls",
    "-maxdepth",
    "-mindepth",
    "-mmin",
    "-mount",
    "-mtime",
    "-name",
    "-newer",
    "-nogroup",
    "-not",
    "-nouser",
    "-o",
    "-or",
    "-path",
    "-perm",
    "-print",
    "-print0",
    "-prune",
    "-quit",
    "-readable",
    "-regex",
    "-regextype",
    "-size",
    "-true",
    "-type",
    "-user",
    "-wholename",
    "-writable",
    "-xdev",
    "-xtype",
];

fn is_test(word: &Word) -> bool {
    let text = word.known_start();
    text.strip_prefix('-').is_none_or(|test| {
        // `-1`, as in `-mtime -1`.
        test.starts_with(|char: char| char.is_ascii_digit()) || TESTS.contains(&text)
    })
}

/// A program for `jq` that is on the command line, and takes in no other file. It can tell the environment.
fn jq(words: &[Word]) -> bool {
    const LONG: &[&str] = &[
        "--arg",
        "--argjson",
        "--args",
        "--ascii-output",
        "--color-output",
        "--compact-output",
        "--exit-status",
        "--indent",
        "--join-output",
        "--jsonargs",
        "--monochrome-output",
        "--null-input",
        "--raw-input",
        "--raw-output",
        "--rawfile",
        "--slurp",
        "--slurpfile",
        "--sort-keys",
        "--tab",
    ];
    words.iter().all(|word| {
        let text = word.to_string().to_lowercase();
        !["env", "import", "include", "modulemeta"]
            .iter()
            .any(|bad| text.contains(bad))
            && (LONG.contains(&word.known_start()) || short_options(word, "rcsnMCSjaeR"))
    })
}

/// `sed -n`, which prints lines by their numbers.
fn sed(words: &[Word]) -> bool {
    let [option, script, files @ ..] = words else {
        return false;
    };
    let is_number = |text: &str| text == "$" || !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let prints = |command: &str| {
        command
            .trim()
            .strip_suffix('p')
            .is_some_and(|lines| lines.split(',').count() <= 2 && lines.split(',').all(is_number))
    };
    option.literal() == Some("-n")
        && script.literal().is_some_and(|script| script.split(';').all(prints))
        && !files.iter().any(is_option)
}
