//! Code in other languages: of databases, awk, Python, JavaScript and the like.

mod arguments;
mod awk;
mod calls;
mod functions;
mod sed;
mod sql;

use hookkit::shell::{Command, Via, Word};

use super::place::Places;
use super::{Danger, as_found};
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

/// The language that a program takes code in.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Language {
    Sql,
    Mongo,
    Awk,
    JavaScript,
    Perl,
    Php,
    Python,
    Ruby,
    /// Lua, Groovy and AppleScript.
    Other,
}

impl Language {
    pub(super) fn of(command: &Command) -> Option<Self> {
        let program = command.program()?;
        let first = || command.arguments().first().and_then(Word::literal);
        Some(
            match program.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.') {
                _ if is_database(program) => Self::Sql,
                _ if program.starts_with("mongo") => Self::Mongo,
                "awk" | "gawk" | "mawk" | "nawk" => Self::Awk,
                "bun" | "deno" | "node" | "nodejs" | "ts-node" | "tsx" | "zx" => Self::JavaScript,
                "perl" => Self::Perl,
                "php" => Self::Php,
                "django-admin" | "ipython" | "manage.py" | "pypy" | "python" => Self::Python,
                "ruby" => Self::Ruby,
                "rails" if matches!(first(), Some("c" | "console" | "r" | "runner")) => Self::Ruby,
                "groovy" | "lua" | "osascript" => Self::Other,
                _ => return None,
            },
        )
    }

    /// Returns `true` for a language that most programs are written in.
    pub(super) fn is_general(self) -> bool {
        !matches!(self, Self::Sql | Self::Mongo | Self::Awk)
    }
}

/// Code that a command gives to a program of a language.
struct Code<'c> {
    program: &'c str,
    language: Language,
    /// Each word, and what comes from a redirection.
    texts: Vec<String>,
    /// `false` if it may be the names of files only.
    is_given: bool,
}

impl<'c> Code<'c> {
    fn of(command: &'c Command) -> Option<Self> {
        let program = command.program()?;
        let language = Language::of(command)?;
        let words = command.arguments();
        let has_option = words.iter().any(|word| word.known_start().starts_with('-'));
        let targets = command.redirections.iter().map(|redirection| &redirection.target);
        Some(Self {
            program,
            language,
            texts: words.iter().chain(targets).map(Word::to_string).collect(),
            is_given: has_option
                || command.has_argument("eval")
                || program == "rails" && words.iter().skip(1).any(|word| !word.to_string().ends_with(".rb"))
                || !command.redirections.is_empty(),
        })
    }

    fn text(&self) -> String {
        self.texts.iter().flat_map(|text| [text, "\n"]).collect()
    }

    /// Returns `true` if its calls are judged as commands.
    fn has_calls(&self) -> bool {
        self.language == Language::Awk || self.language.is_general() && self.is_given
    }
}

/// Returns the danger of code on the command line or from a redirection.
pub(super) fn lose(command: &Command) -> Option<Danger> {
    match Code::of(command) {
        Some(code) if code.language == Language::Sql => of_sql(&code),
        Some(code) => judged(
            code.program,
            code.language,
            &code.text().to_ascii_lowercase(),
            code.is_given,
        ),
        None => starts_by_sed(command, false),
    }
}

/// As [`lose`], without what its [`commands`] do, and what is in a temporary database.
pub(super) fn judge(command: &Command, places: &Places) -> Option<Danger> {
    let runs_here = runs_here(command, places);
    match Code::of(command) {
        Some(code) if code.language == Language::Awk && runs_here && awk::pipes(&code.text()).is_some() => None,
        Some(code) if code.has_calls() => {
            let (commands, rest) = calls::of(code.language, &code.text());
            match runs_here || commands.is_empty() {
                true => judged(code.program, code.language, &rest, code.is_given),
                false => lose(command),
            }
        }
        Some(code) if code.language == Language::Sql && is_temporary(command, &code, places) => starts_by_sql(&code),
        None if runs_here => starts_by_sed(command, true),
        _ => lose(command),
    }
}

/// Returns commands that are as the calls of code in which these have texts: `os.system("ls")`, `shutil.rmtree("build")`.
pub(super) fn commands(command: &Command, places: &Places) -> Vec<String> {
    let command = &*as_found(command);
    match Code::of(command) {
        _ if !runs_here(command, places) => Vec::new(),
        Some(code) if code.has_calls() => {
            let text = code.text();
            match awk::pipes(&text) {
                Some(pipes) if code.language == Language::Awk => pipes.iter().map(awk::Pipe::line).collect(),
                _ => calls::of(code.language, &text).0,
            }
        }
        Some(_) => Vec::new(),
        None => runs_of_sed(command).into_iter().filter_map(|run| run.command).collect(),
    }
}

/// Returns the danger of code that a program has from somewhere else.
pub(super) fn from_elsewhere(command: &Command, text: &str) -> Option<Danger> {
    judged(
        command.program()?,
        Language::of(command)?,
        &text.to_ascii_lowercase(),
        true,
    )
}

/// Returns `true` if what a command starts runs in the folder of the line.
fn runs_here(command: &Command, places: &Places) -> bool {
    // `find -execdir` has another one for each file.
    let is_find = |via: &Via| matches!(via, Via::Prefix(name) if matches!(name.as_str(), "bfs" | "find" | "gfind"));
    places.only().is_some() && !command.via.iter().any(|via| is_container(via) || is_find(via))
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

/// Returns the danger of SQL.
fn of_sql(code: &Code) -> Option<Danger> {
    let texts: Vec<String> = code.texts.iter().map(|text| text.to_ascii_lowercase()).collect();
    sql::drops(code.program, texts.iter().map(String::as_str))
        .then(|| Danger::ask(format!("`{}` deletes from a database", code.program)))
        .or_else(|| starts_by_sql(code))
}

/// Returns the danger of what SQL, or a client of a database, does outside of it.
fn starts_by_sql(code: &Code) -> Option<Danger> {
    /// Commands of clients, and of databases, that start a program.
    const STARTS: &[&str] = &["\\!", "\\g |", "\\o |", "\\w |", "program '", "xp_cmdshell"];
    let text = code.text().to_ascii_lowercase();
    // Commands that begin a line may be cut short: `.sh`, `.res`.
    let begins = |command: &str, least: usize| {
        text.lines().any(|line| {
            let name = line.split_whitespace().next().unwrap_or_default();
            name.len() > least && command.starts_with(name)
        })
    };
    // `.once |x`, `.import '|x' t`.
    let is_piped = |line: &str| {
        let line = line.trim_start();
        [".i", ".log", ".o"].iter().any(|command| line.starts_with(command)) && line.contains('|')
    };
    let what = match () {
        () if text.contains(".restore ") || begins(".restore", 3) => "overwrites a database",
        () if STARTS.iter().any(|start| text.contains(start))
            || begins(".shell", 2)
            || begins(".system", 2)
            || text.lines().any(|line| line.trim_start().starts_with("system "))
            || text.lines().any(is_piped) =>
        {
            "is given a command that it starts"
        }
        () => return None,
    };
    Some(Danger::ask(format!("`{}` {what}", code.program)))
}

/// Returns `true` for a database that is in memory, or a temporary file, and no other one.
fn is_temporary(command: &Command, code: &Code, places: &Places) -> bool {
    const FLAGS: &[&str] = &["-batch", "-csv", "-header", "-json", "-line", "-readonly", "-table"];
    if !matches!(code.program, "duckdb" | "sqlite3") {
        return false;
    }
    let is_flag = |word: &&Word| word.literal().is_some_and(|text| FLAGS.contains(&text));
    let mut words = command.arguments().iter().skip_while(is_flag);
    let Some(database) = words.next() else { return false };
    // A command of the client may open another one.
    let opens = |text: &String| {
        text.to_ascii_lowercase().contains("attach") || text.lines().any(|line| line.trim_start().starts_with('.'))
    };
    (database.literal() == Some(":memory:") || places.is_temporary(database)) && !code.texts.iter().any(opens)
}

/// Judges a text in lowercase.
fn judged(program: &str, language: Language, text: &str, is_given: bool) -> Option<Danger> {
    let has_one_of = |calls: &[&str]| calls.iter().any(|call| text.contains(call));
    let what = match language {
        Language::Sql => return None,
        Language::Mongo if has_one_of(&["drop(", "dropdatabase(", "deletemany(", "remove({})"]) => {
            "deletes from a database"
        }
        Language::Awk if awk::starts_programs(text) => "is given a program that starts others",
        _ if !(language.is_general() && is_given) => return None,
        _ if functions::delete(language, text) => "is given a program that deletes files, or starts others",
        _ if functions::delete_from_service(text) => "is given a program that deletes from a database or a service",
        _ => return None,
    };
    Some(Danger::ask(format!("`{program}` {what}")))
}
