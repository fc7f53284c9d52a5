//! Code in other languages: of databases, awk, Python, JavaScript and the like.

mod awk;
mod sed;
mod sql;

use super::place::Places;
use super::services::is_own;
use super::{Allowed, Danger, rules, worst};
use crate::code::{self, Calls};
use crate::effects::mentions::runs_stdin;
use crate::prelude::*;

/// Returns `true` for a program that takes SQL, on the command line or from a here-document.
///
/// Each command of a line is looked up: in a slice, that takes three times the instructions.
fn is_database(program: &str) -> bool {
    matches!(
        program,
        "bq" | "clickhouse-client"
            | "cockroach"
            | "cqlsh"
            | "cypher-shell"
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
    /// Lua, Groovy, AppleScript, R and Julia.
    Other,
}

impl Language {
    pub(super) fn of(command: &Command) -> Option<Self> {
        let program = command.program()?;
        let is_runner = || command.arguments().first().is_some_and(|word| word.is("c console r runner"));
        Some(match program.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.') {
            _ if is_database(program) => Self::Sql,
            _ if program.starts_with("mongo") => Self::Mongo,
            "awk" | "gawk" | "mawk" | "nawk" => Self::Awk,
            "bun" | "deno" | "node" | "nodejs" | "ts-node" | "tsx" | "zx" => Self::JavaScript,
            "perl" => Self::Perl,
            "php" => Self::Php,
            "django-admin" | "ipython" | "manage.py" | "pypy" | "python" => Self::Python,
            "ruby" => Self::Ruby,
            "rails" if is_runner() => Self::Ruby,
            "R" | "Rscript" | "groovy" | "julia" | "lua" | "osascript" | "r" | "rscript" => Self::Other,
            _ => return None,
        })
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
        // For others it is what they work on.
        let is_code = matches!(language, Language::Sql | Language::Mongo) || runs_stdin(command);
        let input = command.input().filter(|_| is_code);
        let piped = input.filter(|input| !command.targets().any(|target| std::ptr::eq(target, *input)));
        Some(Self {
            program,
            language,
            texts: command.texts().skip(1).chain(piped).map(Word::to_string).collect(),
            is_given: words.iter().any(|word| word.is_option() || word.is("eval"))
                || input.is_some()
                || program == "rails" && words.iter().skip(1).any(|word| !word.to_string().ends_with(".rb"))
                || !command.redirections.is_empty(),
        })
    }

    fn text(&self) -> String {
        self.texts.join("\n") + "\n"
    }

    fn judge(&self, command: &Command, places: &Places) -> Option<Danger> {
        if self.language == Language::Sql && is_temporary(command, self, places) {
            return starts_by_sql(self);
        }
        self.danger(context(command, places).map(|context| (command, context, places)))
    }

    /// Returns the danger of the code; without a place to judge them in, all calls that act count.
    fn danger(&self, place: Option<(&Command, &Context, &Places)>) -> Option<Danger> {
        let ask = |what: &str| Some(Danger::ask(format!("`{}` {what}", self.program)));
        let text = self.text();
        match self.language {
            Language::Sql => return of_sql(self),
            Language::Mongo => {
                // A member in brackets is one after a dot.
                let text = text.to_ascii_lowercase().replace('\'', "\"").replace("[\"", ".").replace("\"]", "");
                return ["drop(", "dropdatabase(", "deletemany(", "remove({})"]
                    .iter()
                    .find(|call| text.contains(*call))
                    .and_then(|_| ask("deletes from a database"));
            }
            Language::Awk => {}
            _ if !self.is_given => return None,
            _ => {}
        }
        let code = code::Code::of(self.program, &text);
        let mut calls = Calls::of(&code);
        if self.language == Language::Awk {
            match awk::pipes(&text) {
                Some(pipes) => {
                    calls.acts |= !pipes.iter().all(|pipe| pipe.is_filter);
                    calls.lines.extend(pipes.into_iter().map(|pipe| pipe.line));
                }
                None => calls.is_uncertain = true,
            }
        }
        let drops = calls.drops
            || text.contains("::truncate(")
            || (calls.requests.iter()).any(|address| !address.as_deref().is_some_and(is_own))
            || calls.runs_sql
                && !is_in_memory(&text)
                && code.texts().any(|(_, text)| drops(text.replace("\\n", "\n").trim_start()));
        let rest = match () {
            () if calls.is_uncertain || place.is_none() && calls.acts => {
                ask("is given a program that deletes files, or starts others")
            }
            () if drops => ask("is given a program that deletes from a database or a service"),
            () => None,
        };
        match place {
            Some((command, context, places)) => with_commands(command, &calls.lines, rest, context, places),
            None => rest,
        }
    }
}

/// Returns `true` for code that has a database in memory, and no other one.
fn is_in_memory(text: &str) -> bool {
    text.contains(":memory:") && text.matches("connect(").count() == 1 && !text.to_ascii_lowercase().contains("attach")
}

/// Returns the danger of code on the command line or from a redirection, by its words.
pub(super) fn lose(command: &Command) -> Option<Danger> {
    match Code::of(command) {
        Some(code) => code.danger(None),
        None => starts_by_sed(&runs_of_sed(command), true),
    }
}

/// Returns the danger of code on the command line or from a redirection, by what it runs: not what is in a temporary database.
pub(super) fn judge(command: &Command, places: &Places) -> Option<Danger> {
    if let Some(code) = Code::of(command) {
        return code.judge(command, places);
    }
    let runs = runs_of_sed(command);
    let Some(context) = context(command, places) else {
        return starts_by_sed(&runs, true);
    };
    let rest = starts_by_sed(&runs, false);
    let commands: Vec<_> = runs.into_iter().filter_map(|run| run.command).collect();
    with_commands(command, &commands, rest, context, places)
}

/// Returns the danger of code that a command has from somewhere else.
pub(super) fn from_elsewhere(command: &Command, text: &str, places: Option<&Places>) -> Option<Danger> {
    let code = Code { texts: vec![text.to_owned()], is_given: true, ..Code::of(command)? };
    match places {
        Some(places) => code.judge(command, places),
        None => code.danger(None),
    }
}

/// Returns the danger of code by the commands in it, and by its rest.
fn with_commands(
    command: &Command,
    commands: &[String],
    rest: Option<Danger>,
    context: &Context,
    places: &Places,
) -> Option<Danger> {
    let nothing = Allowed::default();
    let dangers = commands.iter().filter_map(|line| {
        let danger = super::judge(line, context, places.environment(), &nothing)?;
        let program = command.program().unwrap_or_default();
        Some(Danger { text: format!("code for `{program}` does as a command would: {}", danger.text), ..danger })
    });
    worst(rest.into_iter().chain(dangers))
}

/// Returns the folder that what a command starts runs in; `None` if it is not the only one of the line, or on another machine.
fn context<'p>(command: &Command, places: &'p Places) -> Option<&'p Context> {
    // `find -execdir` has another one for each file.
    let is_elsewhere = command.via.iter().any(|via| via.is_elsewhere() || via.is_prefix("bfs find gfind"));
    places.only().filter(|_| !is_elsewhere)
}

/// Returns what a command of `sed` runs.
fn runs_of_sed(command: &Command) -> Vec<sed::Run> {
    if command.is("gsed sed") { sed::runs(command) } else { Vec::new() }
}

/// Returns the danger of what a command of `sed` runs, or only of what is not known of it.
fn starts_by_sed(runs: &[sed::Run], all: bool) -> Option<Danger> {
    (runs.iter().any(|run| all || !run.is_whole))
        .then(|| Danger::ask("`sed` is given a script that runs programs, or is not one of GNU's"))
}

/// Returns `true` for SQL that deletes.
pub(super) fn drops(text: &str) -> bool {
    sql::drops(std::iter::once(&*text.to_ascii_lowercase()))
}

/// Returns the danger of SQL.
fn of_sql(code: &Code) -> Option<Danger> {
    let texts: Vec<String> = code.texts.iter().map(|text| text.to_ascii_lowercase()).collect();
    sql::drops(texts.iter().map(String::as_str))
        .then(|| Danger::ask(format!("`{}` deletes from a database", code.program)))
        .or_else(|| starts_by_sql(code))
}

/// Returns the danger of what SQL, or a client of a database, does outside of it.
fn starts_by_sql(code: &Code) -> Option<Danger> {
    /// Commands of clients, and of databases, that start a program.
    const STARTS: &[&str] = &["\\!", "\\g |", "\\o |", "\\w |", "program '", "xp_cmdshell"];
    let text = code.text().to_ascii_lowercase();
    // Commands that begin a line may be cut short: `.sh`, `.res`.
    let mut lines = text.lines().map(str::trim_start);
    let is_cut = |line: &str, command: &str, least: usize| {
        let name = line.split_whitespace().next().unwrap_or_default();
        name.len() > least && command.starts_with(name)
    };
    // `.once |x`, `.import '|x' t`.
    let is_piped = |line: &str| begins(".i .log .o", line) && line.contains('|');
    let starts = |line: &str| {
        is_cut(line, ".shell", 2) || is_cut(line, ".system", 2) || line.starts_with("system ") || is_piped(line)
    };
    let what = match () {
        () if text.contains(".restore ") || lines.clone().any(|line| is_cut(line, ".restore", 3)) => {
            "overwrites a database"
        }
        () if STARTS.iter().any(|start| text.contains(start)) || lines.any(starts) => {
            "is given a command that it starts"
        }
        () => return None,
    };
    Some(Danger::ask(format!("`{}` {what}", code.program)))
}

/// Returns `true` for a database that is in memory, a temporary file, or one of tests, and no other one.
fn is_temporary(command: &Command, code: &Code, places: &Places) -> bool {
    const OTHERS: &str = "\\c \\connect \\r \\u connect database owned role schema use";
    const FLAGS: &str = "-batch -csv -header -json -line -readonly -table";
    if lists("mariadb mysql psql", code.program) {
        // Another database may be named.
        let goes_on = |text: &String| {
            let text = text.to_ascii_lowercase();
            text.split(|char: char| !char.is_ascii_alphanumeric() && char != '_' && char != '\\')
                .any(|word| lists(OTHERS, word))
                || code.program != "psql" && text.contains(' ') && text.contains('.')
        };
        return rules::is_test_database(command.arguments()) && !code.texts.iter().any(goes_on);
    }
    if !lists("duckdb sqlite3", code.program) {
        return false;
    }
    let Some(database) = command.arguments().iter().find(|word| !word.is(FLAGS)) else {
        return false;
    };
    // A command of the client may open another one.
    let opens = |text: &String| {
        text.to_ascii_lowercase().contains("attach") || text.lines().any(|line| line.trim_start().starts_with('.'))
    };
    (database.is(":memory:") || places.is_temporary(database)) && !code.texts.iter().any(opens)
}
