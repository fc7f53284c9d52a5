//! Code in other languages: SQL, awk, Python, JavaScript and the like.

mod awk;
mod sed;
mod sql;

use super::services::is_own;
use super::{Allowed, Places, rules};
use crate::code::{self, Calls};
use crate::effects::mentions::runs_stdin;
use crate::prelude::*;

/// Languages of programs that run code. SQL programs take the code from the command line or from a here-document.
static LANGUAGES: Table<128> = Table::new(include_str!("code/languages.txt"));

/// The language of the code that a program runs.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Language {
    Sql,
    Mongo,
    Awk,
    Sed,
    /// A general-purpose language.
    General,
}

impl Language {
    pub(super) fn of(command: &Command) -> Option<Self> {
        let program = command.program()?;
        let family = family(program);
        let language = |name: &str| LANGUAGES.rows(name).next().map(|row| row.text.trim_start());
        // The number in the name of a database's program is a part of it.
        Some(match language(program).or_else(|| language(family).filter(|language| *language != "sql")) {
            Some("sql") => Self::Sql,
            _ if program.starts_with("mongo") => Self::Mongo,
            Some("awk") => Self::Awk,
            Some("sed") => Self::Sed,
            Some(_) => {
                let first = command.arguments().first();
                let is_runner = || first.is_some_and(|word| word.is("c console r runner"));
                (family != "rails" || is_runner()).then_some(Self::General)?
            }
            None => return None,
        })
    }
}

/// Code that a command gives to a program.
struct Code<'c> {
    command: &'c Command,
    program: &'c str,
    language: Language,
    /// Each word, and the content of redirections.
    texts: Vec<String>,
    /// `false` if all words may be file names.
    is_given: bool,
}

impl<'c> Code<'c> {
    fn of(command: &'c Command) -> Option<Self> {
        let program = command.program()?;
        let language = Language::of(command)?;
        let words = command.arguments();
        // For other programs stdin is data.
        let is_code = matches!(language, Language::Sql | Language::Mongo) || runs_stdin(command);
        let input = command.input().filter(|_| is_code);
        let piped = input.filter(|input| !command.targets().any(|target| std::ptr::eq(target, *input)));
        Some(Self {
            command,
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

    fn ask(&self, what: &str) -> Option<Found> {
        Some(Asked(format!("`{}` {what}", self.program)))
    }

    /// Returns the danger of the code. Without `places`, every call that acts is dangerous.
    fn judge(&self, places: Option<&Places>) -> Option<Found> {
        let text = self.text();
        let mut calls = Calls::default();
        let mut drops = false;
        match self.language {
            Language::Sql => return self.judge_sql(places),
            Language::Mongo => {
                const CALLS: &str = "drop( dropdatabase( deletemany( remove({})";
                // Member access in brackets equals a dot.
                let text = text.to_ascii_lowercase().replace('\'', "\"").replace("[\"", ".").replace("\"]", "");
                return if holds(CALLS, &text) { self.ask("deletes from a database") } else { None };
            }
            Language::General if !self.is_given => return None,
            Language::Sed => {
                for run in sed::runs(self.command) {
                    calls.acts = true;
                    calls.is_uncertain |= !run.is_whole;
                    calls.lines.extend(run.command);
                }
            }
            Language::Awk | Language::General => {
                let code = code::Code::of(self.program, &text);
                calls = Calls::of(&code);
                drops = calls.drops
                    || text.contains("::truncate(")
                    || (calls.requests.iter()).any(|address| !address.as_deref().is_some_and(is_own))
                    || calls.runs_sql
                        && !is_in_memory(&text)
                        && code.texts().any(|(_, text)| sql::drops([text.replace("\\n", "\n").trim_start()]));
            }
        }
        if self.language == Language::Awk {
            match awk::pipes(&text) {
                Some(pipes) => {
                    calls.acts |= !pipes.iter().all(|pipe| pipe.is_filter);
                    calls.lines.extend(pipes.into_iter().map(|pipe| pipe.line));
                }
                None => calls.is_uncertain = true,
            }
        }
        // `find -execdir` runs in another folder for each file.
        let is_elsewhere = self.command.via.iter().any(Via::is_elsewhere) || self.command.is_run_by("bfs find gfind");
        let place = places.filter(|_| !is_elsewhere).and_then(|places| Some((places, places.only()?)));
        let rest = match () {
            () if calls.is_uncertain || place.is_none() && calls.acts => {
                self.ask("runs code that deletes files or starts programs")
            }
            () if drops => self.ask("runs code that deletes from a database or a service"),
            () => None,
        };
        let nothing = Allowed::default();
        let run = place.into_iter().flat_map(|place| calls.lines.iter().map(move |line| (line, place))).filter_map(
            |(line, (places, context))| {
                let mut found = super::judge(line, context, places.environment(), &nothing)?;
                let (Certain(why) | Possible(why) | Asked(why)) = &mut found;
                *why = format!("code for `{}` does the same as a shell command: {why}", self.program);
                Some(found)
            },
        );
        Found::worst(rest.into_iter().chain(run))
    }

    /// Returns the danger of SQL, and of commands that the SQL or its client runs outside the database.
    fn judge_sql(&self, places: Option<&Places>) -> Option<Found> {
        /// Commands of clients and databases that start a program.
        const STARTS: &[&str] = &["\\!", "\\g |", "\\o |", "\\w |", "program '", "xp_cmdshell"];

        if sql::drops(self.texts.iter().map(String::as_str)) && !places.is_some_and(|places| self.is_temporary(places))
        {
            return self.ask("deletes from a database");
        }
        let text = self.text().to_ascii_lowercase();
        // Commands at the start of a line may be shortened: `.sh`, `.res`.
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
        match () {
            () if text.contains(".restore ") || lines.clone().any(|line| is_cut(line, ".restore", 3)) => {
                self.ask("overwrites a database")
            }
            () if STARTS.iter().any(|start| text.contains(start)) || lines.any(starts) => {
                self.ask("runs a command in its input")
            }
            () => None,
        }
    }

    /// Returns `true` if the only database is in memory, in a temporary file, or for tests.
    fn is_temporary(&self, places: &Places) -> bool {
        const OTHERS: &str = "\\c \\connect \\r \\u connect database owned role schema use";
        const FLAGS: &str = "-batch -csv -header -json -line -readonly -table";
        let words = self.command.arguments();
        let mut texts = self.texts.iter().map(|text| text.to_ascii_lowercase());
        if lists("mariadb mysql psql", self.program) {
            // An operand may be another database.
            let goes_on = |text: String| {
                parts(&text, "_\\").any(|word| lists(OTHERS, word))
                    || self.program != "psql" && text.contains(' ') && text.contains('.')
            };
            return rules::is_test_database(words) && !texts.any(goes_on);
        }
        let Some(database) = words.iter().find(|word| !word.is(FLAGS)) else {
            return false;
        };
        // A command of the client may open another one.
        let opens =
            |text: String| text.contains("attach") || text.lines().any(|line| line.trim_start().starts_with('.'));
        lists("duckdb sqlite3", self.program)
            && (database.is(":memory:") || places.is_temporary(database))
            && !texts.any(opens)
    }
}

/// Returns `true` for code whose only database is in memory.
fn is_in_memory(text: &str) -> bool {
    text.contains(":memory:") && text.matches("connect(").count() == 1 && !text.to_ascii_lowercase().contains("attach")
}

/// Returns the danger of code on the command line or from a redirection, judging only by its words.
pub(super) fn lose(command: &Command) -> Option<Found> {
    Code::of(command)?.judge(None)
}

/// Returns the danger of code on the command line or from a redirection, except in a temporary database.
pub(super) fn judge(command: &Command, places: &Places) -> Option<Found> {
    Code::of(command)?.judge(Some(places))
}

/// Returns the danger of code that a command gets from somewhere else.
pub(super) fn from_elsewhere(command: &Command, text: &str) -> Option<Found> {
    let texts = vec![text.to_owned()];
    Code { texts, is_given: true, ..Code::of(command)? }.judge(None)
}

/// Returns `true` for SQL that deletes.
pub(super) fn drops(text: &str) -> bool {
    sql::drops([text])
}
