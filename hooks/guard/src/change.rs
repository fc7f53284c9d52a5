//! Calls that write text, run commands, or name files and addresses in their input.

use crate::prelude::*;
use hookkit::tool::TextChange;

/// A call that writes text into a file, or gives a command to a shell.
#[derive(Debug, Clone, ToolInput)]
pub enum Change {
    /// The text of one file.
    Text(TextChange),
    /// A command, which may change any file.
    Bash(tool::Bash),
    /// A command of PowerShell.
    PowerShell(tool::PowerShell),
    /// A call of an MCP server's tool.
    Other(Json),
}

/// Returns the shell lines of a call as one script, which may be empty.
pub(crate) fn script(call: &PreToolUse<Change>) -> Cow<'_, str> {
    match &call.input {
        Change::Bash(bash) => Cow::Borrowed(&bash.command),
        Change::Other(input) => {
            let lines = named(&call.tool_name, input).filter_map(|named| match named {
                Named::Line(line) => Some(line),
                _ => None,
            });
            Cow::Owned(lines.collect::<Vec<_>>().join("\n"))
        }
        _ => Cow::Borrowed(""),
    }
}

/// An item in the input of a web tool or an MCP server's tool.
pub(crate) enum Named {
    /// A line for a shell.
    Line(String),
    /// A web address.
    Address(String),
    /// Possibly the name of a file.
    Path(String),
    /// Possibly the tool's working folder, or a folder that it moves something into.
    Folder(String),
}

/// Returns `true` for web tools and for tools of MCP servers.
pub(crate) fn is_outside(tool_name: &str) -> bool {
    matches!(tool_name, "WebFetch" | "WebSearch") || tool_name.starts_with("mcp__")
}

/// Returns the items in the input of a web tool or an MCP server's tool; for other tools, nothing.
///
/// A list of words is a command, and so is a command with a list of arguments. If the tool has a program's name, a list
/// of arguments is also a command. Commands run in the folder of the call. SQL is a command of `psql`.
pub(crate) fn named(tool_name: &str, input: &Json) -> impl Iterator<Item = Named> {
    /// Maximum number of members to read; members that may be commands are always read.
    const MOST: usize = 1_000;
    let members = if is_outside(tool_name) { input.strings() } else { Vec::new() };
    let members = members.into_iter().enumerate().map(|(at, (name, text))| (at, name_words(&name), name, text));
    let is_looked_at = |at, words: &str, name: &str| at < MOST || has(words, LINES) || lists(ARGUMENTS, name);
    let members = members.filter(|(at, words, name, _)| is_looked_at(*at, words, name));
    let members: Vec<_> = members.map(|(_, words, name, text)| (words, name, text)).collect();
    let tool = name_words(tool_name);
    let mut call = Call {
        has_shell: has(&tool, "bash console shell terminal"),
        has_database: has(&tool, DATABASES),
        has_line: (members.iter()).any(|(words, name, _)| has(words, LINES) || lists(ARGUMENTS, name)),
        has_steps: COMMANDS.split(' ').any(|name| input.text().matches(&format!("\"{name}\"")).count() > 1),
        ..Call::default()
    };
    for (words, name, text) in members {
        call.add(&name, &words, text);
    }
    call.named(tool_name)
}

/// Words in the names of members that contain shell lines.
const LINES: &str = "bash cli cmd cmdline command commands exec keys line run script shell sh zsh";
const BASES: &str = "cwd dir directory folder workdir";

/// Names of members that contain a command, or its words.
const COMMANDS: &str = "argv cmd command";

/// Names of members that are the arguments of a program.
const ARGUMENTS: &str = "args arguments argv";

/// Words in the names of tools that query a database.
const DATABASES: &str = "bigquery clickhouse database db duckdb mariadb mssql mysql neon oracle pg postgres postgresql redshift snowflake sql \
    sqlite supabase";

/// A call of a tool outside the client, with the members read so far.
#[derive(Default)]
struct Call {
    has_shell: bool,
    has_database: bool,
    has_line: bool,
    /// `true` if several members contain a command.
    has_steps: bool,
    lines: Vec<String>,
    /// The words of one command, or several commands.
    commands: Vec<String>,
    /// Arguments, each with the number of commands before it.
    arguments: Vec<(usize, String)>,
    folder: Option<String>,
    others: Vec<Named>,
}

impl Call {
    /// Adds a member, classified by the words of its name.
    fn add(&mut self, name: &str, words: &str, text: String) {
        const TEXTS: &str = "body comment content contents description labels markdown message note notes prompt q query subject summary text title";
        let path = text.strip_prefix("file://").unwrap_or(&text).trim();
        let is_path = path.contains(['.', '/']) || has(words, "file filename name path paths") || has(words, BASES);
        if lists(COMMANDS, name) {
            self.commands.push(text);
        } else if has(words, "sql") || self.has_database && has(words, "query statement") {
            self.lines.push(format!("psql -c {}", shell_word(&text)));
        } else if has(words, LINES)
            && (path.contains(|char: char| char.is_whitespace() || "<>|;&$(`".contains(char)) || !is_path)
        {
            if !self.has_shell && has(words, "script") && is_faulty(&text) {
                // A shell runs the lines before the fault.
                let lines: Vec<&str> = text.lines().filter(|line| !is_faulty(line)).collect();
                self.lines.extend([of_python(&text), lines.join("\n")]);
            } else {
                self.lines.push(text);
            }
        } else if has(words, "code") && path.contains(['(', ' ']) {
            self.lines.push(if self.has_shell { text } else { of_python(&text) });
        } else if self.has_line && lists(ARGUMENTS, name) {
            self.arguments.push((self.commands.len(), text));
        } else if path.contains("://") {
            let is_one = !path.contains(char::is_whitespace);
            self.others.extend(is_one.then(|| Named::Address(path.to_owned())));
        } else if path.len() <= 4096 && is_path && !has(words, TEXTS) {
            self.add_paths(words, path);
        }
    }

    /// Adds the files and folders of a member. A position in the file, or other names, may follow a name.
    fn add_paths(&mut self, words: &str, path: &str) {
        const FOLDERS: &str = "cwd dest destination project repo root work workdir working workspace";
        let is_base = has(words, BASES);
        let may_have_blanks = has(words, "file filename path paths uri") || path.starts_with(['/', '~']);
        for part in path
            .split([',', '?', '#', '\n'])
            .map(|part| part.trim_end_matches(|char: char| char == ':' || char.is_ascii_digit() && path.contains(':')))
            .filter(|part| !part.is_empty() && (may_have_blanks || !part.contains(char::is_whitespace)))
        {
            let folder = self.folder.as_ref().filter(|_| !part.contains('/'));
            self.others.extend(folder.map(|folder| Named::Path(format!("{folder}/{part}"))));
            if !(is_base && self.has_line) {
                let named = if has(words, FOLDERS) { Named::Folder } else { Named::Path };
                self.others.push(named(part.to_owned()));
            }
            if is_base {
                self.folder.get_or_insert_with(|| part.to_owned());
            }
        }
    }

    fn named(mut self, tool_name: &str) -> impl Iterator<Item = Named> {
        let word = |word: &String| format!(" {}", shell_word(word));
        if self.commands.is_empty() && self.lines.is_empty() && !self.arguments.is_empty() {
            let all: String = self.arguments.iter().map(|(_, text)| word(text)).collect();
            let mut names = tool_name.rsplit("__").map(str::to_owned);
            self.commands.extend(names.next());
            // The server may be the program: `mcp__kubectl__run`.
            self.lines.extend(names.next().map(|server| format!("{server}{all}")));
        }
        let arguments = |from: usize, to: usize| {
            let number = |last| self.arguments.partition_point(|(number, _)| *number < last);
            self.arguments[number(from)..number(to)].iter().map(|(_, text)| word(text)).collect::<String>()
        };
        match &self.commands[..] {
            // The names do not say which command takes the arguments: it may be the one next to them.
            [first, _, ..] if self.has_steps || first.contains(char::is_whitespace) => {
                let with_its = |(at, command)| format!("{command}{}", arguments(at, at + 2));
                self.lines.extend(self.commands.iter().enumerate().map(with_its));
            }
            [first, rest @ ..] => {
                let rest: String = rest.iter().map(word).collect();
                self.lines.push(format!("{first}{rest}{}", arguments(0, usize::MAX)));
            }
            [] => {}
        }
        let folder = self.folder.filter(|_| self.has_line);
        let there = folder.map_or(String::new(), |folder| match folder.strip_prefix("~/") {
            Some(rest) => format!("cd ~/{} || exit\n", shell_word(rest)),
            None => format!("cd {} || exit\n", shell_word(&folder)),
        });
        self.lines.into_iter().map(move |line| Named::Line(format!("{there}{line}"))).chain(self.others)
    }
}

/// Wraps code in any language as a Python command: the function tables cover all languages.
fn of_python(code: &str) -> String {
    format!("python3 -c {}", shell_word(code))
}

/// Returns `true` for a script with a syntax error.
fn is_faulty(script: &str) -> bool {
    shell::analyze(script).unanalyzed().iter().any(|unanalyzed| unanalyzed.why == Why::Syntax)
}

/// Returns `true` if one of the [words](name_words) of a name is in a list.
fn has(words: &str, list: &str) -> bool {
    words.split(['_', '-']).any(|word| lists(list, word))
}

/// Returns a name in lowercase, with `_` between its words.
pub(crate) fn name_words(name: &str) -> String {
    let mut words = String::new();
    for char in name.chars() {
        words.extend(char.is_ascii_uppercase().then_some('_'));
        words.push(char.to_ascii_lowercase());
    }
    words
}
