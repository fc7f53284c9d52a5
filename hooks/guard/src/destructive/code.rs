//! Code in other languages: of databases, awk, Python, JavaScript and the like.

mod calls;
mod sed;

use hookkit::shell::Command;

use super::Danger;
use super::place::Places;
use crate::variables::is_container;

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

/// Code that a command gives to a program of a language.
struct Code<'c> {
    program: &'c str,
    text: String,
    /// `false` if it may be the names of files only.
    is_given: bool,
}

impl<'c> Code<'c> {
    fn of(command: &'c Command) -> Option<Self> {
        let program = command.program()?;
        Language::of(program)?;
        let has_option = (command.arguments().iter()).any(|word| word.known_start().starts_with('-'));
        let targets = command.redirections.iter().map(|redirection| &redirection.target);
        let texts = command.arguments().iter().chain(targets);
        Some(Self {
            program,
            text: texts.map(|word| word.to_string() + "\n").collect(),
            is_given: has_option || command.has_argument("eval") || !command.redirections.is_empty(),
        })
    }

    /// Returns `true` if its calls are judged as commands.
    fn has_calls(&self) -> bool {
        match Language::of(self.program) {
            Some(Language::Awk) => true,
            Some(Language::General) => self.is_given,
            _ => false,
        }
    }
}

/// Returns `true` if what a command starts runs in the folder of the line.
fn runs_here(command: &Command, places: &Places) -> bool {
    places.are_certain() && !command.via.iter().any(is_container)
}

/// Returns what a command of `sed` runs.
fn runs_of_sed(command: &Command) -> Vec<sed::Run> {
    match command.program() {
        Some("gsed" | "sed") => {
            let targets = command
                .redirections
                .iter()
                .map(|redirection| redirection.target.to_string());
            sed::runs(command.arguments(), targets)
        }
        _ => Vec::new(),
    }
}

/// Returns the danger of what a command of `sed` runs; what is `known` is judged as a command.
fn starts_by_sed(command: &Command, known: bool) -> Option<Danger> {
    let is_unknown = |run: &sed::Run| !(known && run.is_whole);
    (runs_of_sed(command).iter().any(is_unknown))
        .then(|| Danger::ask("`sed` is given a script that runs programs, or is not one of GNU's"))
}

/// Returns the danger of code on the command line or from a redirection.
pub(super) fn lose(command: &Command) -> Option<Danger> {
    let Some(code) = Code::of(command) else {
        return starts_by_sed(command, false);
    };
    judged(command, &code.text.to_ascii_lowercase(), code.is_given)
}

/// As [`lose`], without what its [`commands`] do.
pub(super) fn judge(command: &Command, places: &Places) -> Option<Danger> {
    if !runs_here(command, places) {
        return lose(command);
    }
    match Code::of(command) {
        Some(code) if code.has_calls() => judged(command, &calls::of(code.program, &code.text).1, code.is_given),
        Some(_) => lose(command),
        None => starts_by_sed(command, true),
    }
}

/// Returns commands that are as the calls of code in which these have texts: `os.system("ls")`, `shutil.rmtree("build")`.
pub(super) fn commands(command: &Command, places: &Places) -> Vec<String> {
    if !runs_here(command, places) {
        return Vec::new();
    }
    match Code::of(command) {
        Some(code) if code.has_calls() => calls::of(code.program, &code.text).0,
        Some(_) => Vec::new(),
        None => runs_of_sed(command).into_iter().filter_map(|run| run.command).collect(),
    }
}

/// Returns the danger of code that a program has from somewhere else.
pub(super) fn from_elsewhere(command: &Command, text: &str) -> Option<Danger> {
    judged(command, &text.to_ascii_lowercase(), true)
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

/// Judges a text in lowercase.
fn judged(command: &Command, text: &str, is_given: bool) -> Option<Danger> {
    let program = command.program()?;
    let has_one_of = |calls: &[&str]| calls.iter().any(|call| text.contains(call));
    let what = match Language::of(program)? {
        Language::Sql if drops(text) => "deletes from a database",
        Language::Sql if has_one_of(&[".restore "]) => "overwrites a database",
        Language::Sql if has_one_of(&["\\!", ".shell ", ".system "]) => "is given a command that it starts",
        Language::Mongo if has_one_of(&["drop(", "dropdatabase(", "deletemany(", "remove({})"]) => {
            "deletes from a database"
        }
        Language::Awk if starts_programs(text) => "is given a program that starts others",
        Language::General if is_given && deletes(program, text) => {
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
