//! Programs that change nothing, and with which options.

use hookkit::shell::{Command, Word};

use super::{git, lookers, scripts};

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
    if let Some(looks_only) = lookers::looks_only(name, words) {
        return looks_only;
    }
    match name {
        "git" => git::looks_only(words),
        "find" => find(words),
        "fd" | "fdfind" => words
            .iter()
            .all(|word| short_options(word, "0adEeFgHhIiLpqSstuV") || is_one_of(word, FD)),
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
        "jq" => jq(words),
        "yq" => yq(words),
        "awk" | "gawk" | "mawk" | "nawk" => scripts::awk(words),
        "sed" => scripts::sed(words),
        "tar" => tar(words),
        "ps" => ps(words),
        "date" => date(words),
        // With a name the machine is called so from then on, and `arch` starts a program on macOS.
        "arch" | "hostname" => words.is_empty(),
        "xargs" => xargs(words).is_some(),
        _ if is_shell(command) => shell(words),
        _ => LOOKERS.contains(&name) || PRINTERS.contains(&name) || PREFIXES.contains(&name),
    }
}

/// Returns `true` if all options are of these letters, or have one of these names in full.
pub(super) fn has_only_options(words: &[Word], letters: &str, long: &str) -> bool {
    words.iter().all(|word| {
        word.known_start() == "--"
            || short_options(word, letters)
            || long_name(word).is_some_and(|name| has(long, name))
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

/// Returns `true` if a program takes whatever file is named for no option, and starts and writes nothing by what it finds
/// there: names that are not known may be given to it.
pub(super) fn takes_any_name(command: &Command) -> bool {
    const ANY: &[&str] = &["basename", "cat", "dirname", "head", "ls", "nl", "stat", "tac"];
    command.name().is_some_and(|name| ANY.contains(&name))
}

/// Returns `true` if a command prints nothing but names of the project's files, each with a NUL behind it.
pub(super) fn prints_names(command: &Command) -> bool {
    let words = command.arguments();
    let has = |texts: &[&str]| {
        words
            .iter()
            .any(|word| word.literal().is_some_and(|text| texts.contains(&text)))
    };
    match command.name() {
        Some("find") => {
            let prints = |word: &Word| ["-exec", "-ls", "-print", "-printf"].contains(&word.known_start());
            has(&["-print0"]) && !words.iter().any(|word| prints(word) || holds_arguments(word))
        }
        Some("fd" | "fdfind") => has(&["-0", "--print0"]),
        Some("git") => has(&["ls-files"]) && has(&["-z"]) && words.len() == 2,
        Some("rg") => {
            has(&["-l", "--files", "--files-with-matches"])
                && has(&["-0", "--null"])
                && has_only_options(words, "l0FgiStw", "files files-with-matches glob ignore-case null type")
        }
        Some("grep") => {
            has(&["-lZ", "-rlZ", "-lrZ"]) && has_only_options(words, "EFilrwZ", "include exclude exclude-dir")
        }
        _ => false,
    }
}

/// Returns the words of the command that `xargs` runs, if it takes names that end in NUL from its input.
fn xargs(words: &[Word]) -> Option<&[Word]> {
    let mut has_null = false;
    let mut rest = words;
    while let Some((option, behind)) = rest.split_first().filter(|(word, _)| is_option(word)) {
        rest = behind;
        match option.literal()? {
            "-0" | "--null" => has_null = true,
            "-r" | "-x" | "-t" | "--no-run-if-empty" | "--verbose" => {}
            "-n" | "-P" | "-I" | "-L" | "-s" => rest = behind.get(1..)?,
            _ => return None,
        }
    }
    (has_null && !rest.is_empty()).then_some(rest)
}

pub(super) fn has(list: &str, word: &str) -> bool {
    list.split(' ').any(|item| item == word)
}

pub(super) fn long_name(word: &Word) -> Option<&str> {
    word.known_start().strip_prefix("--")?.split('=').next()
}

/// Returns `true` for `@file`, which holds further arguments.
pub(super) fn holds_arguments(word: &Word) -> bool {
    word.known_start().starts_with('@')
}

fn is_one_of(word: &Word, long: &str) -> bool {
    long_name(word).is_some_and(|name| has(long, name))
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

/// Returns `true` if an argument is a pattern or a program, and not a file; `false` where that is not certain.
pub(super) fn is_text(command: &Command, index: usize) -> bool {
    let words = command.arguments();
    // Behind `--` a pattern may look like an option.
    let is_elsewhere =
        |word: &Word| is_option(word) && (word.known_start().contains(['e', 'f']) || word.known_start() == "--");
    let first = || words.iter().position(|word| !is_option(word)) == Some(index);
    let is_behind = |options: &[&str]| {
        let before = index.checked_sub(1).map(|before| words[before].known_start());
        before.is_some_and(|before| options.contains(&before))
    };
    let has = |texts: Option<Vec<usize>>| texts.is_some_and(|texts| texts.contains(&index));
    let is_value = match command.name() {
        Some("grep" | "egrep" | "fgrep") => !words.iter().any(is_elsewhere) && first(),
        Some("jq") => has(jq_texts(words)),
        Some("yq") => yq_expression(words) == Some(index),
        // Names that are looked for are not opened, unless something is done with what is found.
        Some("find") => {
            let are_used = |word: &Word| ["-exec", "-print0"].contains(&word.known_start());
            is_behind(PATTERNS) && !words.iter().any(are_used)
        }
        Some("sed") => has(scripts::sed_scripts(words)),
        Some("awk" | "gawk" | "mawk" | "nawk") => has(scripts::awk_texts(words)),
        _ => false,
    };
    is_value && words[index].literal().is_some()
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

/// Tests of `find` whose value is a pattern.
const PATTERNS: &[&str] = &[
    "-ilname",
    "-iname",
    "-ipath",
    "-iregex",
    "-iwholename",
    "-lname",
    "-name",
    "-path",
    "-regex",
    "-wholename",
];

/// Tests and actions of `find` that write nothing and start nothing.
const TESTS: &[&str] = &[
    "--help",
    "--version",
    "-H",
    "-L",
    "-P",
    "-a",
    "-and",
    "-anewer",
    "-amin",
    "-atime",
    "-cmin",
    "-cnewer",
    "-ctime",
    "-d",
    "-daystart",
    "-depth",
    "-empty",
    "-executable",
    "-false",
    "-E",
    "-X",
    "-follow",
    "-fstype",
    "-gid",
    "-group",
    "-ilname",
    "-iname",
    "-inum",
    "-ipath",
    "-iregex",
    "-iwholename",
    "-links",
    "-lname",
    "-ls",
    "-maxdepth",
    "-mindepth",
    "-mmin",
    "-mount",
    "-mtime",
    "-name",
    "-nogroup",
    "-noleaf",
    "-not",
    "-nouser",
    "-o",
    "-or",
    "-path",
    "-perm",
    "-print",
    "-print0",
    "-printf",
    "-prune",
    "-quit",
    "-readable",
    "-regex",
    "-regextype",
    "-s",
    "-samefile",
    "-size",
    "-true",
    "-type",
    "-uid",
    "-used",
    "-user",
    "-wholename",
    "-writable",
    "-x",
    "-xdev",
    "-xtype",
];

/// Tests, and commands for what is found; those are looked at by themselves.
fn find(words: &[Word]) -> bool {
    let mut rest = words;
    while let Some((word, behind)) = rest.split_first() {
        rest = behind;
        let text = word.known_start();
        if text == "-exec" {
            let Some(end) = rest.iter().position(|word| matches!(word.literal(), Some(";" | "+"))) else {
                return false;
            };
            rest = &rest[end + 1..];
        }
        // `-u=x` is a mode.
        if text == "-perm" {
            rest = rest.get(1..).unwrap_or_default();
        }
        // `-1`, as in `-mtime -1`.
        let is_test = |test: &str| {
            test.starts_with(|char: char| char.is_ascii_digit()) || TESTS.contains(&text) || text.starts_with("-newer")
        };
        if text != "-exec" && !text.strip_prefix('-').is_none_or(is_test) {
            return false;
        }
    }
    true
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
            Some(_) => short_options(word, "AacCdefFgGjlLNoOpPrtTuUvwxZ"),
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

/// Long options of `fd` that run and write nothing.
const FD: &str = "absolute-path base-directory case-sensitive changed-before changed-within exact-depth exclude extension \
    fixed-strings follow full-path glob hidden ignore-case max-depth max-results min-depth no-follow no-hidden no-ignore \
    no-ignore-vcs owner print0 prune quiet regex relative-path search-path size type unrestricted version help";

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

/// A program for `jq` that is on the command line, and loads no other file. It can show the environment.
fn jq(words: &[Word]) -> bool {
    const LONG: &str = "arg argjson args ascii-output color-output compact-output exit-status indent join-output jsonargs \
        monochrome-output null-input raw-input raw-output rawfile slurp slurpfile sort-keys tab";
    words.iter().all(|word| {
        let is_known = word
            .literal()
            .is_some_and(|text| is_filter(text, &["env", "import", "include", "modulemeta"]));
        is_known && (is_one_of(word, LONG) || short_options(word, "rcsnMCSjaeR"))
    })
}

/// Returns `true` if none of these names is in a text.
fn is_filter(text: &str, names: &[&str]) -> bool {
    let mut parts = text.split(|char: char| !char.is_ascii_alphanumeric() && char != '_');
    !parts.any(|part| names.contains(&part.to_lowercase().as_str()))
}

/// The indexes of the words of `jq` that are texts: values of options, and the program.
fn jq_texts(words: &[Word]) -> Option<Vec<usize>> {
    let mut texts = Vec::new();
    let mut index = 0;
    loop {
        let text = words.get(index)?.literal()?;
        let values = match text {
            "--arg" | "--argjson" => 2,
            "--indent" => 1,
            // The second one is a file.
            "--rawfile" | "--slurpfile" => return None,
            _ => 0,
        };
        if !text.starts_with('-') {
            break;
        }
        texts.extend(index + 1..=index + values);
        index += 1 + values;
    }
    texts.push(index);
    Some(texts)
}

/// An expression for `yq` that is on the command line, and neither loads another file nor reads the environment.
fn yq(words: &[Word]) -> bool {
    const LONG: &str = "colors no-colors exit-status indent input-format no-doc null-input output-format prettyPrint tojson \
        unwrapScalar version help raw-output compact-output";
    const LEADS_AWAY: &[&str] = &[
        "env",
        "envsubst",
        "eval",
        "import",
        "include",
        "load",
        "load_base64",
        "load_props",
        "load_str",
        "load_xml",
        "strenv",
        "system",
    ];
    let is_command = words.first().is_some_and(is_command_of_yq);
    words.iter().skip(usize::from(is_command)).all(|word| {
        let is_known = word.literal().is_some_and(|text| is_filter(text, LEADS_AWAY));
        is_known && (is_one_of(word, LONG) || short_options(word, "CMNPIejnoprc"))
    })
}

fn is_command_of_yq(word: &Word) -> bool {
    matches!(word.literal(), Some("e" | "ea" | "eval" | "eval-all"))
}

/// The index of the expression of `yq`, if a file is named behind it: a single word may be either.
pub(super) fn yq_expression(words: &[Word]) -> Option<usize> {
    let mut operands = words
        .iter()
        .enumerate()
        .filter(|(index, word)| !(is_option(word) || *index == 0 && is_command_of_yq(word)));
    let (first, _) = operands.next()?;
    operands.next().map(|_| first)
}
