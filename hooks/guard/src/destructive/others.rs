//! Processes, containers, databases, and programs in other languages.

use hookkit::shell::{Command, ExpansionKind, Part, Script, Via, Word};

use super::{Danger, rules};

/// Returns `true` for a program that takes SQL, on the command line or from a here-document.
///
/// Each command of a line is looked up: in a slice, that takes three times the instructions.
fn is_database(program: &str) -> bool {
    matches!(
        program,
        "bq" | "clickhouse-client"
            | "cockroach"
            | "cqlsh"
            | "duckdb"
            | "heroku"
            | "isql"
            | "litecli"
            | "mariadb"
            | "mycli"
            | "mysql"
            | "pgcli"
            | "psql"
            | "snowsql"
            | "spanner-cli"
            | "sqlcmd"
            | "sqlite3"
            | "sqlplus"
            | "trino"
            | "usql"
            | "wrangler"
    )
}

/// Returns `true` for a program that takes a program in its own language.
fn is_language(program: &str) -> bool {
    matches!(
        program,
        "python" | "perl" | "ruby" | "node" | "nodejs" | "php" | "deno" | "bun" | "lua" | "pypy"
    )
}

/// Returns `true` for a program that starts others by `system`, or by a pipe.
fn is_awk(program: &str) -> bool {
    matches!(program, "awk" | "gawk" | "mawk" | "nawk")
}

/// Functions that delete, or start other programs, in some of these languages; in lowercase.
const CALLS: &[&str] = &[
    "rmtree",
    "remove_tree",
    "rmsync",
    "rmdirsync",
    "unlinksync",
    "fs.rm(",
    "fs.unlink",
    "rimraf",
    "removesync",
    "os.remove",
    "os.unlink",
    "os.rmdir",
    "os.removedirs",
    "fileutils.rm",
    "file.delete",
    "dir.delete",
    "os.system",
    "os.popen",
    "subprocess",
    "child_process",
    "os.exec",
    "os.execute",
    "promises.rm",
    "execsync",
    "shell_exec",
    "passthru",
    "deno.remove",
    "dropdatabase",
];

/// Functions whose names are those of others only by chance.
const NAMES: &[&str] = &["popen", "system", "unlink"];

/// Calls of Perl and Ruby, where a call needs no parentheses.
const CALLS_OF_PERL: &[&str] = &[
    "unlink",
    "system ",
    "system\"",
    "system'",
    "exec ",
    "exec\"",
    "exec'",
    "rm_rf",
    "rm_r",
    "qx",
    "`",
    "-run -e rm",
    "un -e rm",
];

/// Returns the danger of a command for services, databases, processes and, by another language, for anything.
pub(super) fn destroy(command: &Command) -> Option<Danger> {
    let program = command.program()?;
    processes(command, program)
        .or_else(|| rules::destroy(command))
        .or_else(|| container(command, program))
        .or_else(|| by_text(command, program))
}

/// Returns the danger of a function that starts itself twice, and does not wait: `f() { f & f & }`.
pub(super) fn multiplies(line: &str, script: &Script) -> Option<Danger> {
    let starts_itself = |command: &&Command| {
        let name = command.name();
        let is_itself = |via: &Via| matches!(via, Via::Function(function) if Some(function.as_str()) == name);
        let is_prefix = |via: &Via| matches!(via, Via::Prefix(_));
        command.via.iter().any(is_itself) && !command.via.iter().any(is_prefix)
    };
    let again: Vec<&Command> = script.commands().iter().filter(starts_itself).take(2).collect();
    let [first, second] = again[..] else { return None };
    let is_same = first.program() == second.program() && crate::variables::has_background(line);
    is_same.then(|| Danger::deny(format!("`{first}` starts itself without end")))
}

fn processes(command: &Command, program: &str) -> Option<Danger> {
    let is_itself = |via: &Via| matches!(via, Via::Function(name) if name == program);
    if command.via.contains(&Via::Pipeline) && command.via.iter().any(is_itself) {
        return Some(Danger::deny(format!("`{program}` starts itself without end")));
    }
    let is_remote = |word: &Word| {
        let text = word.known_start().to_ascii_uppercase();
        ["EXEC:", "SYSTEM:"].iter().any(|address| text.starts_with(address))
    };
    if program == "socat" && command.arguments().iter().any(is_remote) {
        return Some(Danger::ask(format!(
            "`{command}` connects a program with another machine"
        )));
    }
    // Behind a signal; before it, it is the signal itself.
    let mut behind = command.arguments().iter().skip(1);
    let kills_all = program == "kill" && behind.any(|word| word.literal() == Some("-1"));
    kills_all.then(|| Danger::deny(format!("`{command}` ends all of the user's processes")))
}

/// Returns the danger of a container that is given the machine's disk, or its rights.
fn container(command: &Command, program: &str) -> Option<Danger> {
    if !matches!(program, "docker" | "podman" | "nerdctl") {
        return None;
    }
    let words = command.arguments();
    let is_output = |word: &Word| {
        let is_it =
            |part: &Part| matches!(part, Part::Expansion(expansion) if expansion.kind == ExpansionKind::Command);
        word.parts.iter().any(is_it)
    };
    if command.has_argument("rm") && words.iter().any(is_output) {
        return Some(Danger::ask(format!(
            "`{command}` deletes all containers that another command names"
        )));
    }
    let is_disk = |text: &str| {
        let source = text
            .split(',')
            .find_map(|part| part.strip_prefix("source=").or_else(|| part.strip_prefix("src=")));
        text.starts_with("/:") || source == Some("/")
    };
    let has_disk = words.iter().enumerate().any(|(index, word)| {
        let Some(text) = word.literal() else { return false };
        let value = text.split_once('=').map(|(_, value)| value);
        match text {
            "-v" | "--volume" | "--mount" => {
                let value = words.get(index + 1).and_then(Word::literal);
                value.is_some_and(is_disk)
            }
            _ => {
                text.starts_with("--volume=") && value.is_some_and(is_disk)
                    || text.starts_with("--mount=") && value.is_some_and(is_disk)
                    || text.starts_with("-v/:")
            }
        }
    });
    has_disk.then(|| Danger::ask(format!("`{command}` gives a container the whole disk")))
}

/// Returns the danger of code for a program of a language, on the command line or by a redirection.
fn by_text(command: &Command, program: &str) -> Option<Danger> {
    Language::of(program)?;
    let has_option = (command.arguments().iter()).any(|word| word.known_start().starts_with('-'));
    let is_given = has_option || command.has_argument("eval") || !command.redirections.is_empty();
    let targets = command.redirections.iter().map(|redirection| &redirection.target);
    let texts = command.arguments().iter().chain(targets);
    let text: String = texts.map(|word| word.to_string() + "\n").collect();
    judged(command, &text, is_given)
}

/// Returns the danger of code that a program has from somewhere else.
pub(super) fn code(command: &Command, text: &str) -> Option<Danger> {
    judged(command, text, true)
}

/// The language that a program takes code in.
#[derive(PartialEq)]
pub(super) enum Language {
    Sql,
    Mongo,
    Awk,
    /// One of those that [`is_language`] knows.
    General,
}

impl Language {
    pub(super) fn of(program: &str) -> Option<Self> {
        let language = program.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.');
        match program {
            _ if is_database(program) => Some(Self::Sql),
            _ if program.starts_with("mongo") => Some(Self::Mongo),
            _ if is_awk(program) => Some(Self::Awk),
            _ if is_language(language) => Some(Self::General),
            _ => None,
        }
    }
}

fn judged(command: &Command, text: &str, is_given: bool) -> Option<Danger> {
    let program = command.program()?;
    let text = text.to_ascii_lowercase();
    let has_one_of = |calls: &[&str]| calls.iter().any(|call| text.contains(call));
    let what = match Language::of(program)? {
        Language::Sql if drops(&text) => "deletes from a database",
        Language::Sql if has_one_of(&[".restore "]) => "overwrites a database",
        Language::Sql if has_one_of(&["\\!", ".shell ", ".system "]) => "is given a command that it starts",
        Language::Mongo if has_one_of(&["drop(", "dropdatabase(", "deletemany(", "remove({})"]) => {
            "deletes from a database"
        }
        Language::Awk if starts_programs(&text) => "is given a program that starts others",
        Language::General if is_given && deletes(program, &text) => {
            "is given a program that deletes files, or starts others"
        }
        _ => return None,
    };
    Some(Danger::ask(format!("`{program}` {what}")))
}

/// Returns `true` if code in a language has a call that deletes, or starts another program. The text is in lowercase.
fn deletes(program: &str, text: &str) -> bool {
    let has_one_of = |calls: &[&str]| calls.iter().any(|call| text.contains(call));
    let is_one_of = |programs: &[&str]| programs.iter().any(|name| program.starts_with(name));
    // In JavaScript a pattern has it.
    let is_pattern = |at: usize| is_one_of(&["node", "deno", "bun"]) && text[..at].ends_with('.');
    has_one_of(CALLS)
        || NAMES
            .iter()
            .any(|name| calls(text, name) || text.contains(&format!("\"{name}\"")))
        || is_one_of(&["perl", "ruby"]) && has_one_of(CALLS_OF_PERL)
        || text.match_indices("exec(").any(|(at, _)| !is_pattern(at))
}

/// Returns `true` if a program of awk starts others: by `system`, or by a pipe that is not in a text.
fn starts_programs(text: &str) -> bool {
    if calls(text, "system") {
        return true;
    }
    // A quotation mark in a pattern or a comment would open a text.
    let has_texts = !text.contains("/\"") && !text.contains('#');
    let mut is_text = false;
    let mut chars = text.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            '\\' => drop(chars.next()),
            '"' => is_text = has_texts && !is_text,
            '|' if !is_text => {
                let behind = text[at + 1..].trim_start_matches('&').trim_start();
                // Texts next to each other are one.
                let ends = |rest: &str| rest.trim_start().starts_with(['}', ')', ';']);
                let begins = |before: &str| before.trim_end().ends_with(['{', '(', ';']);
                let started = match behind.strip_prefix('"') {
                    Some(text) => text
                        .split_once('"')
                        .filter(|(_, rest)| ends(rest))
                        .map(|(command, _)| command),
                    None if behind.starts_with("getline") => {
                        let text = text[..at].trim_end().strip_suffix('"');
                        let text = text.and_then(|text| text.rsplit_once('"'));
                        text.filter(|(before, _)| begins(before)).map(|(_, command)| command)
                    }
                    None => continue,
                };
                if !started.is_some_and(is_filter) {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

/// Returns `true` for a command that only prints, or changes the order of what it reads: `sort -rn`.
fn is_filter(command: &str) -> bool {
    let mut words = command.split(' ').filter(|word| !word.is_empty());
    let is_flags =
        |word: &str| word.starts_with('-') && word[1..].bytes().all(|byte| b"0123456789,.bcdfghknruV".contains(&byte));
    let is_format = |word: &str| {
        word.starts_with('+')
            && word[1..]
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"%-:".contains(&byte))
    };
    match words.next() {
        Some("cat" | "head" | "sort" | "tail" | "uniq" | "wc") => words.all(is_flags),
        Some("date") => words.all(is_format),
        _ => false,
    }
}

/// Returns `true` if a text calls a function of this name.
fn calls(text: &str, name: &str) -> bool {
    text.match_indices(name)
        .any(|(at, _)| text[at + name.len()..].trim_start().starts_with('('))
}

/// Returns `true` if SQL deletes a table, or all that is in one. The text is in lowercase.
fn drops(text: &str) -> bool {
    let words: Vec<&str> = text
        .split(|char: char| !char.is_ascii_alphanumeric() && char != ';')
        .filter(|word| !word.is_empty())
        .collect();
    let text = words.join(" ");
    let has = |phrase: &str| text.contains(phrase);
    let of_all = |statement: &str| {
        let changes =
            statement.contains("delete from ") || statement.contains("update ") && statement.contains(" set ");
        let is_for_all =
            !statement.contains(" where ") || statement.ends_with(" where 1 1") || statement.ends_with(" where true");
        changes && is_for_all || statement.contains("alter table ") && statement.contains(" drop ")
    };
    let deletes_all = text.split(';').any(of_all);
    let dropped = [
        "database", "dataset", "keyspace", "owned", "role", "schema", "table", "user",
    ];
    dropped.iter().any(|what| has(&format!("drop {what}"))) || has("truncate ") || deletes_all
}
